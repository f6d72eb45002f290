"""Attention by blocks, and windows with their cache, as the page keeps them, beside the explicit way."""

import itertools
import math
import re

import torch
from torch.testing import assert_close

from taught.attention import rotate
from taught.memory import operations, peak_bytes
from tests.cases import hold, named, property_of, softmax_reference
from tests.course import COURSE
from workshop.page import notebooks


def explicit(queries, keys, values, allowed):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    return softmax_reference(scores, allowed) @ values


@property_of("efficient")
def blockwise_attention_is_exact(course, case):
    """Its gradients too; with scores of any size; whatever the blocks, one larger than m included."""
    x = case.inputs(case.d, case.d)
    for scale in (1.0, 1e3, -1e3):
        queries = scale * x.queries
        expected = explicit(queries, x.keys, x.values, case.allowed())
        for block in {1, 2, case.m, case.m + 3}:
            actual = course.blockwise_attention(queries, x.keys, x.values, x.mask, block)
            assert_close(actual, expected)
    leaves = [tensor.clone().requires_grad_() for tensor in x[:3]]
    gradients = []
    for output in (course.blockwise_attention(*leaves, x.mask, 2), explicit(*leaves, case.allowed())):
        assert output.shape == (*case.batch, case.n, case.v)
        gradients.append(torch.autograd.grad((output * output).sum(), leaves))
    assert_close(*gradients)


@property_of("efficient")
def the_sums_of_16_bits_have_32(course, _):
    """80,000 weights of 1 are more than float16 holds, and bfloat16 stops counting at 256."""
    n, zeros = 80_000, torch.zeros(80_000, 4)
    values = torch.arange(n)[:, None] / n
    for dtype in (torch.float16, torch.bfloat16):
        x = [zeros[:1].to(dtype), zeros.to(dtype), values.to(dtype)]
        output = course.blockwise_attention(*x, block=4096)
        assert output.dtype == dtype and abs(output.item() - 0.5) < 0.01


def band(n, m, window, first=0):
    """What the last n of m tokens see, pair by pair."""
    i, j = torch.arange(m - n, m)[:, None], torch.arange(m)
    return (j <= i) & ((i - j < window - first) | (j < first))


@property_of("efficient")
def a_window_is_the_band(course, case):
    """Of the last n of m tokens: fewer queries than keys, as many, and more."""
    queries, keys, values, _ = case.inputs(case.d, case.d)
    n, m = case.n, case.m
    for window in range(1, m + 2):
        for first in range(window):
            layer = course.WindowAttention(window, first)
            expected = explicit(queries, keys, values, band(n, m, window, first))
            assert_close(layer(queries, keys, values), expected)


@property_of("efficient")
def a_window_with_its_cache_is_the_window_without(course, case):
    """In pieces of any size the outputs are those of one call, and the cache stays small."""
    B, H, n, d = 2, 3, 12, case.d
    queries, keys, values = case.randn(*3 * [(B, H, n, d)])
    for window, first in ((1, 0), (2, 1), (4, 0), (4, 1), (6, 2), (20, 1)):
        layer = course.WindowAttention(window, first)
        expected = explicit(queries, keys, values, band(n, n, window, first))
        for size in (1, 2, 5, n):
            cache, parts = course.WindowCache(window, first), []
            assert len(cache) == 0
            for start in range(0, n, size):
                part = slice(start, start + size)
                k, v = cache.update("a layer", keys[:, :, part], values[:, :, part])
                parts.append(layer(queries[:, :, part], k, v))
                assert len(cache) == min(start + size, n)
                cached_keys, _ = cache.kept["a layer"]
                assert cached_keys.shape[2] == min(len(cache), window - 1)
            assert_close(torch.cat(parts, dim=2), expected)


@property_of("efficient")
def a_copy_of_a_window_goes_on_where_it_was_made(course, case):
    """Reordered, too. A call that fails isn't counted."""
    keys, more = case.randn((2, 1, 6, 3), (2, 1, 2, 3))
    cache = course.WindowCache(4)
    cache.update("a layer", keys, keys)
    before = cache.copy()
    cache.update("a layer", more, more)
    assert len(cache) == 8 and before.begin(2) == (6, None)
    before.reorder([1, 0])
    actual, _ = before.update("a layer", more, more)
    assert_close(actual[:, :, -2:], more)
    assert_close(actual[:, :, :-2].flip(0), keys[:, :, [0, 4, 5]])
    with named(ValueError, "keys has shape (1, 1, 2, 3)"):
        before.update("a layer", more[:1], more[:1])
    assert len(before) == 8


@property_of("efficient")
def an_indexer_is_its_formula(course, case):
    """Pair by pair, and the keys of a text that comes in pieces are those of the whole."""
    (x,) = case.randn((2, 4, 6))
    indexer = course.Indexer(6, num_heads=3, width=4).to(x.dtype)
    index_keys = indexer.keys(x)
    scores = indexer(x, index_keys)
    queries = indexer.W_q(x).unflatten(-1, (3, 4))  # (2, 4, 3, 4)
    for b, t, s in itertools.product(range(2), range(4), range(4)):
        expected = 0
        for j in range(3):
            q = rotate(queries[b, t : t + 1, j], t, 100_000)
            k = rotate(indexer.norm(indexer.W_k(x[b, s : s + 1])), s, 100_000)
            expected += indexer.W_w(x[b, t])[j] * (q @ k.T).clamp(min=0).item() / 2
        assert_close(scores[b, t, s], expected)
    assert_close(torch.cat([indexer.keys(x[:, :2]), indexer.keys(x[:, 2:], 2)], dim=1), index_keys)
    assert_close(indexer(x[:, 3:], index_keys, 3), scores[:, 3:])


test_property = hold("efficient", examples=10)


def test_the_memory_of_a_call_is_counted():
    """Two tensors of 4,000 bytes at a time, and the third once the first has gone."""

    def three(x):
        first = x + 1
        second = first + 1
        del first
        return second + 1

    x, layer, out = torch.zeros(1000), torch.nn.Linear(1000, 1), torch.empty(0)
    assert peak_bytes(three, x) == 8000
    assert operations(three, x) == 3 * ["add.Tensor"]
    for call, expected in (
        (lambda x: x[:2] * 2, 8),
        (lambda x: x[2:].view(2, -1), 0),
        (lambda x: x.mul_(2), 0),
        (lambda x: x.clone().mul_(2)[2:], 4000),
        (lambda x: layer(x), 4),
        (lambda x: torch.add(x, x, out=out), 4000),
        (lambda x: [x + 1 for _ in range(3)], 12_000),
        (lambda x: sum(x + i for i in range(50)), 12_000),
    ):
        assert peak_bytes(call, x) == expected
    parts = torch.randn(3, 1, 300, 16)
    whole = peak_bytes(COURSE.blockwise_attention, *(part.clone() for part in parts))
    assert peak_bytes(COURSE.blockwise_attention, *parts) == whole


def test_a_page_compiles_only_where_triton_is():
    """On Windows a card has none, and `torch.compile` fails at the first call of what it returns."""
    cells = [cell.source for page in notebooks() for cell in page.code if "torch.compile(" in cell.source]
    assert cells and all(re.search(r"if .*triton is not None", source) for source in cells)
