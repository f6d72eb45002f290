"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

from utils import checks
from utils.attention import PositionalEncoding, causal_mask
from utils.progress import progress
from utils.transformer import Cache, EncoderBlock
from utils.translation import schedule

# chapters/14_language_model.ipynb


class LanguageModel(nn.Module):
    """A decoder-only Transformer: tokens in, logits of the next tokens out.

    Encoder blocks under a causal mask: Radford et al. (2019), with fixed positional
    encodings. `vocab` is V, the number of tokens; other sizes are as in `Transformer`.
    """

    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)
        self.positions = PositionalEncoding(d_model, dropout)
        self.blocks = nn.ModuleList()
        for _ in range(num_layers):
            block = EncoderBlock(d_model, num_heads, d_hidden, dropout)
            self.blocks.append(block)
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab)

    def forward(self, tokens, cache=None):
        """Returns logits (B, n, V): what follows each of the tokens (B, n).

        With a `Cache`, tokens holds only what is new since the last call with it.
        """
        B, n = tokens.shape
        offset = 0
        if cache is not None:
            offset = len(cache)  # that many tokens came before
        mask = causal_mask(n, offset, tokens.device)  # (n, offset + n)
        x = self.embedding(tokens)  # (B, n, D)
        x = self.positions(x, offset)
        for block in self.blocks:
            x = block(x, mask, cache)
        x = self.norm(x)  # (B, n, D)
        return self.output(x)  # (B, n, V)


def train_language_model(model, text, steps, context=64, batch=16, rate=0.004, seed=0):
    """Train on windows of a text, and put the model in `eval()` mode.

    text: tokens (N,), more than `context`. Windows have context + 1 tokens, so that the
    last input has a next token, too, and begin at random places, drawn from `seed`. The
    learning rate is that of equation (12.2), at most `rate`. Raises `TypeError` or
    `ValueError` for a text that doesn't fit.
    """
    checks.text(text, context)
    draw = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), fused=True)
    warm_up = min(100, steps)
    model.train()
    for step in progress(steps):
        starts = torch.randint(len(text) - context, (batch, 1), generator=draw)
        places = starts + torch.arange(context + 1)  # (batch, context + 1)
        tokens = text[places.to(text.device)]  # (batch, context + 1)

        logits = model(tokens[:, :-1])  # (batch, context, V)
        loss = F.cross_entropy(logits.mT, tokens[:, 1:])  # the next token of each

        optimizer.param_groups[0]["lr"] = rate * schedule(step + 1, steps, warm_up)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()


def keep_top_k(logits, k):
    """Logits (..., V) with -inf for all but the k largest. Fan et al. (2018), section 5.4.

    Those that are equal to the smallest of the k stay, too.
    """
    largest = logits.topk(k).values  # (..., k), the largest first
    cutoff = largest[..., -1:]  # (..., 1)
    return logits.masked_fill(logits < cutoff, -math.inf)


def keep_nucleus(logits, p):
    """Logits (..., V) with -inf outside the smallest set of likeliest tokens of probability p.

    Holtzman et al. (2020), equation (2). The likeliest token always stays, and so do
    tokens as likely as the last one that does.
    """
    probabilities = logits.softmax(dim=-1)  # (..., V)
    largest_first = probabilities.sort(descending=True).values  # (..., V)
    sum_before = largest_first.cumsum(dim=-1) - largest_first  # of all likelier tokens
    kept = largest_first.masked_fill(sum_before >= p, math.inf)  # (..., V)
    cutoff = kept.amin(dim=-1, keepdim=True)  # (..., 1): the least likely that stays
    return logits.masked_fill(probabilities < cutoff, -math.inf)


@torch.no_grad()
def generate(
    model, tokens, length, temperature=1.0, k=None, p=None, context=64, seed=0
):
    """Continue texts by drawing one token at a time, with a cache.

    model: a `LanguageModel` in `eval()` mode. tokens: (B, n), the beginnings. So that
    the model sees at most `context` tokens, an even number, the cache begins anew every
    context / 2 steps, with the last context / 2 tokens. Filters in this order:
    temperature, the k likeliest, the nucleus of probability p. Returns tokens (B, n +
    length). Raises `ValueError` in training mode and for numbers that don't fit.
    """
    checks.generating(model, tokens, temperature, p, context)
    draw = torch.Generator().manual_seed(seed)
    half = context // 2
    for step in range(length):
        if step % half == 0:
            # Begin anew with the last half context; what came before is forgotten.
            cache = Cache()
            new = tokens[:, -half:]
        logits = model(new, cache)[:, -1]  # (B, V): what follows the last token
        logits = logits / temperature
        if k is not None:
            logits = keep_top_k(logits, k)
        if p is not None:
            logits = keep_nucleus(logits, p)
        probabilities = logits.softmax(dim=-1)  # (B, V)
        # Drawn on the CPU, so that every device draws the same.
        new = torch.multinomial(probabilities.cpu(), 1, generator=draw)  # (B, 1)
        new = new.to(tokens.device)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
