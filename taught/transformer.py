"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

# fmt: off

import copy

import torch
from torch import nn
from torch.nn import functional as F

from taught import checks
from taught.attention import MultiHeadAttention, PositionalEncoding, causal_mask

# chapters/11_transformer_blocks.ipynb


class FeedForward(nn.Module):
    """The same two-layer network for every position: W_2 relu(W_1 x + b_1) + b_2.

    Equation (11.1); Vaswani et al. (2017), equation (2). `d_model` is the width D
    of inputs and outputs, `d_hidden` that of the hidden layer; `dropout` is the
    share of its numbers that is dropped in training.
    """

    def __init__(self, d_model, d_hidden, dropout=0.0):
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_hidden)
        self.W_2 = nn.Linear(d_hidden, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        """Returns a tensor of the shape of x, (..., D)."""
        hidden = torch.relu(self.W_1(x))  # (..., d_hidden)
        return self.W_2(self.dropout(hidden))


class Cache:
    """The keys and values of all tokens so far, for each attention layer.

    An empty one has the length 0 and counts as false: ask `cache is not None`. It
    knows a layer by its object, so where one serves twice, each use needs a cache.
    """

    def __init__(self):
        self.kept = {}  # for each layer, the dictionary's key: (keys, values)

    def update(self, layer, keys, values):
        """Append a layer's new keys and values, and return all of them so far."""
        if layer in self.kept:
            old_keys, old_values = self.kept[layer]
            checks.appended("keys", old_keys, keys)
            checks.appended("values", old_values, values)
            keys = torch.cat([old_keys, keys], dim=2)  # (B, H, m, d)
            values = torch.cat([old_values, values], dim=2)  # (B, H, m, d)
        self.kept[layer] = (keys, values)
        return keys, values

    def __len__(self):
        """The number of tokens seen: the keys of the layer that came first."""
        if not self.kept:
            return 0
        first_layer = list(self.kept)[0]  # the oldest entry
        keys, values = self.kept[first_layer]
        return keys.shape[2]

    def reorder(self, rows):
        """For beam search: row i of the batch now continues row rows[i]."""
        for layer, (keys, values) in self.kept.items():
            self.kept[layer] = (keys[rows], values[rows])

    def copy(self):
        """Another cache with the same content: two texts can follow one prompt."""
        twin = object.__new__(type(self))
        for name, value in vars(self).items():
            setattr(twin, name, copy.copy(value))  # the tensors stay the same
        return twin

    # Python's own ways would copy the layers, too, and those would find nothing.
    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        raise TypeError("a Cache can't be pickled: it knows layers as objects")


class CachedAttention(MultiHeadAttention):
    """`MultiHeadAttention` that keeps keys and values, with the same parameters."""

    def forward(
        self, queries, keys, values, mask=None, need_weights=False, cache=None
    ):  # cache
        """Returns what `MultiHeadAttention` returns, for the same arguments.

        With a `Cache`, keys and values hold only the new tokens, and the mask has a
        column for every token so far. Raises `TypeError` or `ValueError` for a mask
        or a cache that doesn't fit.
        """
        checks.multi_head(self, queries, keys, values, mask, cache)
        q = self.split(self.W_q(queries))  # (B, H, n, d)
        k = self.split(self.W_k(keys))  # (B, H, m, d)
        v = self.split(self.W_v(values))  # (B, H, m, d)
        if cache is not None:
            k, v = cache.update(self, k, v)  # those of all tokens so far
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # the same for every head: (B, 1, n, m)
        if need_weights:
            heads, weights = self.attention(q, k, v, mask, need_weights=True)
            return self.W_o(self.merge(heads)), weights
        heads = self.attention(q, k, v, mask)  # (B, H, n, d)
        return self.W_o(self.merge(heads))  # (B, n, D)


class EncoderBlock(nn.Module):
    """Self-attention, then a feed-forward network, each with a residual connection.

    Vaswani et al. (2017), section 3.1. `d_model` is D, `num_heads` H, `d_hidden`
    the hidden width of the network; `dropout` acts inside both, and on what they
    add to x. `norm_first` chooses pre-norm.
    """

    def __init__(self, d_model, num_heads, d_hidden, dropout=0.0, norm_first=True):
        super().__init__()
        self.attention = CachedAttention(d_model, num_heads, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.ffn = FeedForward(d_model, d_hidden, dropout)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None, cache=None):
        """Returns the shape of x, (B, n, D). mask, cache: see `CachedAttention`."""
        if self.norm_first:  # pre-norm, equation (11.3)
            y = self.norm1(x)
            x = x + self.dropout(self.attention(y, y, y, mask, cache=cache))
            y = self.norm2(x)
            x = x + self.dropout(self.ffn(y))
        else:  # post-norm, equation (11.4)
            x = x + self.dropout(self.attention(x, x, x, mask, cache=cache))
            x = self.norm1(x)
            x = x + self.dropout(self.ffn(x))
            x = self.norm2(x)
        return x


class DecoderBlock(nn.Module):
    """Self-attention, cross-attention to the memory, then a feed-forward network.

    Vaswani et al. (2017), section 3.1. Arguments as in `EncoderBlock`.
    """

    def __init__(self, d_model, num_heads, d_hidden, dropout=0.0, norm_first=True):
        super().__init__()
        self.self_attention = CachedAttention(d_model, num_heads, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.cross_attention = CachedAttention(d_model, num_heads, dropout)
        self.norm2 = nn.LayerNorm(d_model)
        self.ffn = FeedForward(d_model, d_hidden, dropout)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    @checks.all_or_nothing  # a call that fails leaves the cache as it was
    def forward(self, x, memory, mask=None, memory_mask=None, cache=None):
        """Returns the shape of x, (B, n, D). memory: the encoder's, (B, m, D).

        mask is for the self-attention, memory_mask for the cross-attention. With a
        cache, x holds the new tokens. After the first call memory is then empty,
        (B, 0, D), because the cache holds its keys and values already.
        """
        if self.norm_first:  # pre-norm: y is x after the norm, z what is added to x
            y = self.norm1(x)
            z = self.self_attention(y, y, y, mask, cache=cache)
            x = x + self.dropout(z)
            y = self.norm2(x)
            z = self.cross_attention(y, memory, memory, memory_mask, cache=cache)
            x = x + self.dropout(z)
            y = self.norm3(x)
            z = self.ffn(y)
            x = x + self.dropout(z)
        else:  # post-norm
            z = self.self_attention(x, x, x, mask, cache=cache)
            x = self.norm1(x + self.dropout(z))
            z = self.cross_attention(x, memory, memory, memory_mask, cache=cache)
            x = self.norm2(x + self.dropout(z))
            z = self.ffn(x)
            x = self.norm3(x + self.dropout(z))
        return x


class Transformer(nn.Module):
    """Encoder and decoder: source and target in, logits of the next tokens out.

    Vaswani et al. (2017), figure 1. `pad` is the token that fills up the ends of
    sequences, in both vocabularies. Raises `TypeError` or `ValueError` for tokens
    that don't fit.
    """

    def __init__(
        self,
        src_vocab,
        tgt_vocab,
        d_model,
        num_heads,
        num_layers,
        d_hidden,
        dropout=0.0,
        norm_first=True,
        pad=0,
    ):
        super().__init__()
        self.pad = pad
        self.source = nn.Embedding(src_vocab, d_model)
        self.target = nn.Embedding(tgt_vocab, d_model)
        self.positions = PositionalEncoding(d_model, dropout)
        settings = (d_model, num_heads, d_hidden, dropout, norm_first)
        self.encoder = nn.ModuleList()
        for _ in range(num_layers):
            self.encoder.append(EncoderBlock(*settings))
        self.decoder = nn.ModuleList()
        for _ in range(num_layers):
            self.decoder.append(DecoderBlock(*settings))
        if norm_first:
            self.encoder_norm = nn.LayerNorm(d_model)
            self.decoder_norm = nn.LayerNorm(d_model)
        else:  # each block ends with a norm of its own; Identity returns its input
            self.encoder_norm = nn.Identity()
            self.decoder_norm = nn.Identity()
        self.output = nn.Linear(d_model, tgt_vocab)

    def encode(self, src):
        """Returns the memory (B, m, D) of the source tokens, (B, m)."""
        checks.tokens("src", src, self.source.num_embeddings)
        mask = (src != self.pad).unsqueeze(1)  # (B, 1, m)
        x = self.positions(self.source(src))  # (B, m, D)
        for block in self.encoder:
            x = block(x, mask)
        return self.encoder_norm(x)  # (B, m, D)

    @checks.all_or_nothing  # a call that fails leaves the cache as it was
    def decode(self, tgt, memory, src, cache=None):
        """Returns logits (B, n, tgt_vocab) of what follows each of the tokens tgt.

        tgt: (B, n). memory: `encode(src)`. With a `Cache`, tgt is what is new since
        the last call, and the source stays the one of the first call. Raises `TypeError` or `ValueError` for what doesn't fit.
        """
        checks.decoding(self, tgt, memory, src, cache)
        n = tgt.shape[1]
        offset = 0 if cache is None else len(cache)  # that many tokens came before
        if cache is not None and cache.kept:
            memory = memory[:, :0]  # its keys and values are in the cache already
        mask = None  # a single new token may attend to everything
        if n > 1:
            mask = causal_mask(n, offset, tgt.device)  # (n, offset + n)
        memory_mask = (src != self.pad).unsqueeze(1)  # (B, 1, m)
        x = self.positions(self.target(tgt), offset)  # (B, n, D)
        for block in self.decoder:
            x = block(x, memory, mask, memory_mask, cache)
        return self.output(self.decoder_norm(x))  # (B, n, tgt_vocab)

    def forward(self, src, tgt):
        """Returns logits (B, n, tgt_vocab) for all of tgt (B, n), given src (B, m)."""
        memory = self.encode(src)  # (B, m, D)
        return self.decode(tgt, memory, src)


class RMSNorm(nn.Module):
    """Each vector over its root mean square, times gamma.

    Zhang and Sennrich (2019), equation (4). `d_model` is D; `eps` keeps the root
    away from 0.
    """

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        """Returns a tensor of the shape and dtype of x, (..., D)."""
        # In float16 the square of 300 is infinite, so the squares have 32 bits or more.
        exact = x.to(torch.promote_types(x.dtype, torch.float32))  # (..., D)
        mean_square = exact.square().mean(dim=-1, keepdim=True)  # (..., 1)
        normed = self.gamma * exact / (mean_square + self.eps).sqrt()  # (..., D)
        return normed.to(x.dtype)


class SwiGLU(nn.Module):
    """The same gated network for every position: W_2 (silu(W_g x) * W_1 x).

    Shazeer (2020), equation (6). `d_model` is the width D of inputs and outputs,
    `d_hidden` that of the hidden layer. No biases.
    """

    def __init__(self, d_model, d_hidden):
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_hidden, bias=False)
        self.W_g = nn.Linear(d_model, d_hidden, bias=False)
        self.W_2 = nn.Linear(d_hidden, d_model, bias=False)

    def forward(self, x):
        """Returns a tensor of the shape of x, (..., D)."""
        gate = F.silu(self.W_g(x))  # (..., d_hidden)
        return self.W_2(gate * self.W_1(x))
