"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

# fmt: off

import torch
from torch import nn
from torch.nn import functional as F

from taught import checks
from taught.attention import MultiHeadAttention, PositionalEncoding, causal_mask

# chapters/11_transformer_blocks.ipynb


class FeedForward(nn.Module):
    """The same two-layer network for every position: equation (11.1)."""

    def __init__(self, d_model, d_hidden, dropout=0.0):
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_hidden)
        self.W_2 = nn.Linear(d_hidden, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        hidden = torch.relu(self.W_1(x))  # (..., d_hidden)
        return self.W_2(self.dropout(hidden))  # (..., D)


class EncoderBlock(nn.Module):
    """Self-attention, then a feed-forward network, each by equation (11.3)."""

    def __init__(self, d_model, num_heads, d_hidden, dropout=0.0):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.ffn = FeedForward(d_model, d_hidden, dropout)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        y = self.norm1(x)  # (B, n, D)
        x = x + self.dropout(self.attention(y, y, y, mask))
        y = self.norm2(x)
        x = x + self.dropout(self.ffn(y))
        return x  # (B, n, D)


class LanguageModel(nn.Module):
    """A decoder-only Transformer: tokens in, logits of the next tokens out."""

    def __init__(
        self,
        vocab,
        d_model,
        num_heads,
        num_layers,
        d_hidden,
        dropout=0.0,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)
        self.positions = PositionalEncoding(d_model, dropout)
        self.blocks = nn.ModuleList()
        for _ in range(num_layers):
            block = EncoderBlock(d_model, num_heads, d_hidden, dropout)
            self.blocks.append(block)
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab)

    def forward(self, tokens):
        """Returns logits (B, n, V): what follows each of the tokens (B, n)."""
        checks.tokens("tokens", tokens, self.embedding.num_embeddings)
        mask = causal_mask(tokens.shape[1], device=tokens.device)  # (n, n)
        x = self.embedding(tokens)  # (B, n, D)
        x = self.positions(x)
        for block in self.blocks:
            x = block(x, mask)  # (B, n, D)
        x = self.norm(x)
        return self.output(x)  # (B, n, V)


class RMSNorm(nn.Module):
    """Each vector over its root mean square, times gamma."""

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        exact = x.to(torch.promote_types(x.dtype, torch.float32))  # 32 bits or more
        mean_square = exact.square().mean(dim=-1, keepdim=True)  # (..., 1)
        normed = self.gamma * exact / (mean_square + self.eps).sqrt()  # (..., D)
        return normed.to(x.dtype)


class SwiGLU(nn.Module):
    """A gated network for every position: W_2 (silu(W_g x) * W_1 x)."""

    def __init__(self, d_model, d_hidden):
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_hidden, bias=False)
        self.W_g = nn.Linear(d_model, d_hidden, bias=False)
        self.W_2 = nn.Linear(d_hidden, d_model, bias=False)

    def forward(self, x):
        gate = F.silu(self.W_g(x))  # (..., d_hidden)
        return self.W_2(gate * self.W_1(x))  # (..., D)


class DecoderBlock(nn.Module):
    """Self-attention, cross-attention to the memory, then a network: (11.3)."""

    def __init__(self, d_model, num_heads, d_hidden, dropout=0.0):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm2 = nn.LayerNorm(d_model)
        self.ffn = FeedForward(d_model, d_hidden, dropout)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, mask=None, memory_mask=None):
        y = self.norm1(x)  # (B, n, D)
        x = x + self.dropout(self.self_attention(y, y, y, mask))
        y = self.norm2(x)
        z = self.cross_attention(y, memory, memory, memory_mask)
        x = x + self.dropout(z)
        y = self.norm3(x)
        x = x + self.dropout(self.ffn(y))
        return x  # (B, n, D)


class Transformer(nn.Module):
    """Encoder and decoder: source and target in, logits of the next tokens out."""

    def __init__(
        self,
        src_vocab,
        tgt_vocab,
        d_model,
        num_heads,
        num_layers,
        d_hidden,
        dropout=0.0,
        pad=0,
    ):
        super().__init__()
        self.pad = pad
        self.source = nn.Embedding(src_vocab, d_model)
        self.target = nn.Embedding(tgt_vocab, d_model)
        self.positions = PositionalEncoding(d_model, dropout)
        sizes = (d_model, num_heads, d_hidden, dropout)
        self.encoder = nn.ModuleList()
        for _ in range(num_layers):
            self.encoder.append(EncoderBlock(*sizes))
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder = nn.ModuleList()
        for _ in range(num_layers):
            self.decoder.append(DecoderBlock(*sizes))
        self.decoder_norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, tgt_vocab)

    def encode(self, src):
        """Returns the memory (B, m, D) of the source tokens (B, m)."""
        checks.tokens("src", src, self.source.num_embeddings)
        mask = (src != self.pad).unsqueeze(1)  # (B, 1, m)
        x = self.positions(self.source(src))  # (B, m, D)
        for block in self.encoder:
            x = block(x, mask)
        return self.encoder_norm(x)  # (B, m, D)

    def decode(self, tgt, memory, src):
        """Returns logits (B, n, tgt_vocab): what follows each token of tgt."""
        checks.decoding(self, tgt, memory, src)
        mask = causal_mask(tgt.shape[1], device=tgt.device)  # (n, n)
        memory_mask = (src != self.pad).unsqueeze(1)  # (B, 1, m)
        x = self.positions(self.target(tgt))  # (B, n, D)
        for block in self.decoder:
            x = block(x, memory, mask, memory_mask)
        return self.output(self.decoder_norm(x))  # (B, n, tgt_vocab)

    def forward(self, src, tgt):
        memory = self.encode(src)  # (B, m, D)
        return self.decode(tgt, memory, src)  # (B, n, tgt_vocab)
