"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

# fmt: off

import math
from functools import lru_cache

import torch
from torch import nn
from torch.nn import functional as F

from taught import checks

# chapters/01_queries_keys_values.ipynb


def attention_pooling(queries, keys, values, score):
    """Attention with any scoring function: equations (1.2) and (1.3).

    queries: (n, d_q), keys: (m, d_k), values: (m, v); leading axes are batches.
    score: a function of queries and keys that returns the scores (n, m).
    Returns the outputs (n, v) and the weights (n, m).
    """
    checks.rows(keys, values)  # a value for each key
    scores = score(queries, keys)  # (n, m)
    weights = torch.softmax(scores, dim=-1)  # (n, m)
    outputs = weights @ values  # (n, v)
    return outputs, weights


# chapters/03_masked_softmax.ipynb


def causal_mask(n, offset=0, device=None):
    """A mask that allows query i the keys j <= offset + i: equation (3.3)."""
    all_pairs = torch.ones(n, offset + n, dtype=torch.bool, device=device)
    return all_pairs.tril(diagonal=offset)  # (n, offset + n)


def length_mask(valid_lens, m):
    """A mask that allows the first keys of each sequence: equation (3.4)."""
    checks.lengths(valid_lens, m)  # from 0 to m
    if valid_lens.dim() == 1:
        valid_lens = valid_lens[:, None]  # (B, 1): the same for all queries
    key_numbers = torch.arange(m, device=valid_lens.device)  # (m,)
    return key_numbers < valid_lens[..., None]  # (B, n, m), where n may be 1


def masked_softmax(scores, mask=None):
    """Softmax over the allowed keys alone, on the last axis: equation (3.1)."""
    checks.mask(mask, scores.shape)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    empty = ~mask.any(dim=-1, keepdim=True)  # (..., 1): rows without a key
    scores = scores.masked_fill(~mask, -math.inf)
    scores = scores.masked_fill(empty, 0.0)  # a softmax of -inf alone would be nan
    weights = torch.softmax(scores, dim=-1)  # (..., n, m)
    return weights.masked_fill(~mask, 0.0)


# chapters/04_scoring_functions.ipynb


class DotProductAttention(nn.Module):
    """Attention with the score q . k / sqrt(d): equation (4.2).

    Equation (1) of Vaswani et al. (2017). No parameters; `dropout` is the share of
    attention weights dropped in training.
    """

    def __init__(self, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, mask=None, need_weights=False):
        """The output (..., n, d_v); with `need_weights` also weights (..., n, m).

        queries: (..., n, d), keys: (..., m, d), values: (..., m, d_v). mask:
        booleans that broadcast to (..., n, m), True = may attend; a query that may
        attend to nothing gets zeros. With an axis for heads, as in (B, H, n, m), a
        mask (B, n, m) needs it too: `mask.unsqueeze(1)`. The weights are those
        before dropout. Raises `TypeError` or `ValueError` for what doesn't fit.
        """
        checks.attention(queries, keys, values, mask)
        if need_weights:
            d = queries.shape[-1]
            queries = queries / math.sqrt(d)  # first: a product may exceed 16 bits
            scores = queries @ keys.mT  # (..., n, m)
            weights = masked_softmax(scores, mask)  # (..., n, m)
            output = self.dropout(weights) @ values  # (..., n, d_v)
            return output, weights
        # The same without keeping the weights, by PyTorch's fast function.
        p = self.dropout.p if self.training else 0.0
        sdpa = F.scaled_dot_product_attention
        return sdpa(queries, keys, values, mask, dropout_p=p)


# chapters/05_bahdanau_attention.ipynb


class AdditiveAttention(nn.Module):
    """Attention with the score w_v . tanh(W_q q + W_k k), for keys of any width.

    Equation (5.3) of the course; Bahdanau et al. (2015), appendix A.1.2.
    `num_hiddens` is h, the width in which a query meets a key; `dropout` is the
    share of attention weights dropped in training.
    """

    def __init__(self, query_size, key_size, num_hiddens, dropout=0.0):
        super().__init__()
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, mask=None, need_weights=False):
        """The output (..., n, d_v); with `need_weights` also weights (..., n, m).

        queries: (..., n, query_size), keys: (..., m, key_size), values:
        (..., m, d_v). mask: booleans that broadcast to (..., n, m), True = may
        attend; a query that may attend to nothing gets zeros. The weights are those
        before dropout. Raises `TypeError` or `ValueError` for what doesn't fit.
        """
        checks.additive(self, queries, keys, values, mask)
        q = self.W_q(queries).unsqueeze(-2)  # (..., n, 1, h)
        k = self.W_k(keys).unsqueeze(-3)  # (..., 1, m, h)
        scores = self.w_v(torch.tanh(q + k)).squeeze(-1)  # (..., n, m)
        weights = masked_softmax(scores, mask)  # (..., n, m)
        output = self.dropout(weights) @ values  # (..., n, d_v)
        return (output, weights) if need_weights else output


# chapters/09_multi_head_attention.ipynb


class MultiHeadAttention(nn.Module):
    """H attentions side by side, of width d = D / H: equations (9.1), (9.2)."""

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        checks.heads(d_model, num_heads)
        self.d_model = d_model
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.attention = DotProductAttention(dropout)  # equation (9.1)

    def split(self, x):
        B, n, D = x.shape
        H = self.num_heads
        x = x.reshape(B, n, H, D // H)  # (B, n, H, d)
        return x.transpose(1, 2)  # (B, H, n, d)

    def merge(self, heads):
        x = heads.transpose(1, 2)  # (B, n, H, d)
        return x.flatten(2)  # (B, n, D)

    def forward(self, queries, keys, values, mask=None, need_weights=False):
        """The output (B, n, D); with `need_weights` also weights (B, H, n, m)."""
        checks.multi_head(self, queries, keys, values, mask)
        q = self.split(self.W_q(queries))  # (B, H, n, d)
        k = self.split(self.W_k(keys))  # (B, H, m, d)
        v = self.split(self.W_v(values))  # (B, H, m, d)
        return self.attend(q, k, v, mask, need_weights)

    def attend(self, q, k, v, mask, need_weights=False):
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # the same for every head: (B, 1, n, m)
        if need_weights:
            heads, weights = self.attention(q, k, v, mask, need_weights=True)
        else:
            heads = self.attention(q, k, v, mask)  # (B, H, n, d)
        output = self.W_o(self.merge(heads))  # (B, n, D)
        return (output, weights) if need_weights else output


# chapters/10_positional_encoding.ipynb


def frequencies(D, base=10_000):
    """The angles by which the hands turn at each step: equation (10.1)."""
    k = torch.arange(D // 2, dtype=torch.float64)  # number of the hand
    return base ** (-2 * k / D)  # (D // 2,)


class PositionalEncoding(nn.Module):
    """Adds to each vector the code of its position: equation (10.1)."""

    def __init__(self, d_model, dropout=0.0, max_len=1000):
        super().__init__()
        # In 64 bits, as in 32 the codes near 1000 would be off by up to 6e-5.
        k = torch.arange((d_model + 1) // 2, dtype=torch.float64)  # the hand
        positions = torch.arange(max_len, dtype=torch.float64)
        angles = positions[:, None] * 10000.0 ** (-2 * k / d_model)
        codes = torch.zeros(max_len, d_model)
        codes[:, 0::2] = angles.sin()  # columns 0, 2, 4, ...
        codes[:, 1::2] = angles.cos()[:, : d_model // 2]  # columns 1, 3, 5, ...
        self.register_buffer("codes", codes, persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, offset=0):
        """Returns x, (..., n, D), plus the codes from position `offset` on."""
        checks.positions(x, offset, self.codes)
        n = x.shape[-2]
        codes = self.codes[offset : offset + n]  # (n, D)
        return self.dropout(x + codes.to(x.dtype))


@lru_cache(maxsize=8)  # keeps its last 8 results: same arguments, same tensors
@torch.inference_mode(False)  # so that training may use what inference has computed
def cosines_and_sines(offset, n, d, base, dtype, device):
    """Of the angles by which `rotate` turns."""
    positions = (offset + torch.arange(n))[..., None]  # (..., n, 1)
    angles = positions * frequencies(d, base)  # (..., n, d // 2), in 64 bits
    bits = torch.promote_types(dtype, torch.float32)  # 32 at least
    cos = angles.cos().to(bits).to(device)  # (..., n, d // 2)
    sin = angles.sin().to(bits).to(device)  # (..., n, d // 2)
    return cos, sin


def rotate(x, offset=0, base=10_000):
    """The rows of x, (..., n, d), turned by their positions: equation (10.4)."""
    checks.turning(x, offset)
    n, d = x.shape[-2:]
    angles_of = cosines_and_sines
    # An offset may be a tensor, (..., 1), with one position for each text.
    if torch.is_tensor(offset) or torch.compiler.is_compiling():
        angles_of = cosines_and_sines.__wrapped__  # computed anew
    cos, sin = angles_of(offset, n, d, base, x.dtype, x.device)
    first = x[..., 0::2]  # (..., n, d // 2): columns 0, 2, 4, ...
    second = x[..., 1::2]  # (..., n, d // 2): columns 1, 3, 5, ...
    turned = torch.zeros_like(x)
    turned[..., 0::2] = first * cos + second * sin
    turned[..., 1::2] = second * cos - first * sin
    return turned  # (..., n, d)
