"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

# fmt: off

import math

import torch
from torch import nn
from torch.nn import functional as F

from taught import checks
from taught.attention import rotate
from taught.language_model import Cache

# chapters/19_efficient_attention.ipynb


def blockwise_attention(queries, keys, values, mask=None, block=128):
    """Attention with the score q . k / sqrt(d), for one block of keys at a time.

    Equation (19.2) of the course; Milakov and Gimelshein (2018), algorithm 3;
    Rabe and Staats (2021). queries: (..., n, d), keys: (..., m, d), values:
    (..., m, d_v). mask: booleans that broadcast to (..., n, m), True = may attend;
    a query that may attend to nothing gets zeros. block: the number of keys in a
    block. Returns (..., n, d_v). Raises `TypeError` or `ValueError` for a mask or a
    block that doesn't fit.
    """
    checks.attention(queries, keys, values, mask)
    checks.whole_number("block", block, 1, 1_000_000)
    m, d = keys.shape[-2:]
    # The sums have at least 32 bits, whatever the inputs have.
    exact = torch.promote_types(queries.dtype, torch.float32)
    queries = queries.to(exact) / math.sqrt(d)
    # Before the first block: the sums over no keys, and a number below every score.
    no_keys = keys[..., :0, :].to(exact)
    no_values = values[..., :0, :].to(exact)
    output = queries @ no_keys.mT @ no_values  # (..., n, d_v): zeros
    total = queries.new_zeros((*queries.shape[:-1], 1))  # (..., n, 1)
    top = total + torch.finfo(exact).min  # (..., n, 1)
    for start in range(0, m, block):
        k = keys[..., start : start + block, :].to(exact)  # a block of keys
        v = values[..., start : start + block, :].to(exact)  # and their values
        # A row for each query, a column for each key of the block.
        scores = queries @ k.mT
        if mask is not None:
            # A mask may have one column for all keys.
            whole = mask.expand(*mask.shape[:-1], m)  # (..., n, m)
            part = whole[..., start : start + block]
            scores = scores.masked_fill(~part, -math.inf)
        highest = scores.amax(dim=-1, keepdim=True)  # (..., n, 1)
        new_top = torch.maximum(top, highest)  # (..., n, 1)
        correction = torch.exp(top - new_top)  # (..., n, 1): e^(M - M')
        scores = scores - new_top
        weights = torch.exp(scores)
        sums = weights.sum(dim=-1, keepdim=True)  # (..., n, 1)
        total = correction * total + sums  # (..., n, 1)
        output = correction * output + weights @ v  # (..., n, d_v)
        top = new_top
    output = output / total.clamp(min=1)
    return output.to(values.dtype)


class WindowCache(Cache):
    """Keeps the first tokens and the newest ones: `window` keys for each query.

    After Xiao et al. (2024), with the true positions. `update` returns the keys
    and values of the first tokens, the newest before this call, and this call.
    Tokens can't be taken back, because what a shorter text needs may be gone: guess
    with a `copy()`.
    """

    def __init__(self, window, first=1):
        super().__init__()
        checks.window(window, first)
        self.window = window
        self.first = first
        self.seen = {}  # for each layer, how many tokens came

    def begin(self, n, device=None):
        """As in `Cache`, but `WindowAttention` makes the mask."""
        return len(self), None

    def update(self, layer, keys, values):
        new = keys.shape[2]
        keys, values = super().update(layer, keys, values)
        m = keys.shape[2]
        newest = self.window - self.first - 1  # the next token adds its own
        start = max(self.first, m - newest)
        columns = [*range(min(self.first, m)), *range(start, m)]
        self.kept[layer] = (keys[:, :, columns], values[:, :, columns])
        self.seen[layer] = self.seen.get(layer, 0) + new
        return keys, values

    def __len__(self):
        """The next position, not the number of keys kept."""
        return max(self.seen.values(), default=0)


class WindowAttention(nn.Module):
    """Attention to the first tokens and the newest, as a `WindowCache` has them.

    queries: (..., n, d), of the last n of m tokens; keys and values: (..., m, ...).
    It needs no mask and ignores one.
    """

    def __init__(self, window, first=1):
        super().__init__()
        checks.window(window, first)
        self.window = window
        self.first = first

    def forward(self, queries, keys, values, mask=None):
        checks.attention(queries, keys, values)
        n, m = queries.shape[-2], keys.shape[-2]
        i = torch.arange(m - n, m, device=keys.device)[:, None]  # the last n tokens
        j = torch.arange(m, device=keys.device)
        near = (0 <= i - j) & (i - j < self.window - self.first)  # (n, m)
        mask = near | ((j < self.first) & (j <= i))  # (n, m)
        return F.scaled_dot_product_attention(queries, keys, values, mask)


class Indexer(nn.Module):
    """A lightning indexer: scores every token so far, to choose keys by.

    Equation (19.4) of the course; DeepSeek-AI (2025), equation 1. `d_model` is D,
    the width of what goes into the layer; `num_heads` is J; `width` is c and even.
    """

    def __init__(self, d_model, num_heads, width):
        super().__init__()
        self.width = width
        self.W_q = nn.Linear(d_model, num_heads * width, bias=False)
        self.W_k = nn.Linear(d_model, width, bias=False)
        self.W_w = nn.Linear(d_model, num_heads, bias=False)
        self.norm = nn.LayerNorm(width)

    def keys(self, x, offset=0):
        """What a cache keeps of x (B, m, D), whose first position is `offset`."""
        k = self.norm(self.W_k(x))  # (B, m, c)
        return rotate(k, offset, base=100_000)

    def forward(self, x, keys, offset=0):
        """Scores (B, n, m) of m keys for x (B, n, D), from position `offset` on."""
        q = self.W_q(x).unflatten(-1, (-1, self.width))  # (B, n, J, c)
        q = rotate(q.transpose(1, 2), offset, base=100_000)  # (B, J, n, c)
        products = q @ keys.unsqueeze(1).mT  # (B, J, n, m)
        w = self.W_w(x).mT.unsqueeze(-1)  # (B, J, n, 1)
        scores = (w * F.relu(products)).sum(dim=1)  # (B, n, m)
        return scores / math.sqrt(self.width)
