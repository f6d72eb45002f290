"""Attention by blocks, and windows with their cache, as the page keeps them, beside the explicit way."""

import itertools
import math

import torch
from torch.testing import assert_close

from taught.attention import rotate
from taught.memory import operations, peak_bytes
from tests.cases import HALF, hold, named, of, softmax_reference


def explicit(queries, keys, values, allowed):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    return softmax_reference(scores, allowed) @ values


def ways(course):
    """The three attentions of the page, for any number of queries and keys."""

    def in_window(queries, keys, values):
        return course.window_attention(queries, keys, values, window=3, block=2)

    def by_blocks(queries, keys, values):
        return course.blockwise_attention(queries, keys, values, block=2)

    return by_blocks, in_window, course.WindowAttention(3)


@of("efficient")
def blockwise_attention_is_exact(course, case):
    """Its gradients too; with scores of any size; whatever the blocks, one larger than m included."""
    x = case.inputs(case.d, case.d)
    for scale in (1.0, 1e3, -1e3):
        queries = scale * x.queries
        wanted = explicit(queries, x.keys, x.values, case.allowed())
        for block in {1, 2, case.m, case.m + 3}:
            found = course.blockwise_attention(queries, x.keys, x.values, x.mask, block)
            assert_close(found, wanted)
    leaves = [each.clone().requires_grad_() for each in x[:3]]
    gradients = []
    for output in (
        course.blockwise_attention(*leaves, x.mask, 2),
        explicit(*leaves, case.allowed()),
    ):
        assert output.shape == (*case.batch, case.n, case.v)
        gradients.append(torch.autograd.grad((output * output).sum(), leaves))
    assert_close(*gradients)


@of("efficient")
def blockwise_attention_refuses(course, case):
    x = torch.zeros(2, 3, 4)
    with named(ValueError, "mask has shape (3, 5)"):
        course.blockwise_attention(x, x, x, torch.ones(3, 5, dtype=torch.bool))
    with named(ValueError, "block is 0; wanted a whole number from 1"):
        course.blockwise_attention(x, x, x, block=0)
    with named(ValueError, "window is 0; wanted a whole number from 1"):
        course.window_attention(x, x, x, 0)
    with named(ValueError, "block is 0; wanted a whole number from 1"):
        course.window_attention(x, x, x, 1, 0)
    for way in ways(course):
        with named(ValueError, "values has 3 rows; wanted 2, one per key"):
            way(x, x[:, :2], x)
    for make in (course.WindowCache, course.WindowAttention):
        with named(ValueError, "first is 3; wanted a whole number from 0 to 2"):
            make(3, first=3)


@of("efficient")
def the_sums_of_16_bits_have_32(course, case):
    """80,000 weights of 1 are more than float16 holds, and bfloat16 stops counting at 256."""
    n, zeros = 80_000, torch.zeros(80_000, 4)
    values = torch.arange(n)[:, None] / n
    for dtype in (torch.float16, torch.bfloat16):
        x = [zeros[:1].to(dtype), zeros.to(dtype), values.to(dtype)]
        found = course.blockwise_attention(*x, block=4096)
        assert found.dtype == dtype and abs(found.item() - 0.5) < 0.01


@of("efficient")
def nothing_in_and_16_bits(course, case):
    """No sequence, no query, no key: zeros of the right shape, and gradients. 16 bits are only rounded."""
    for way in ways(course):
        for batch in ((), (0, 2), (2, 1)):
            for n, m in ((0, 0), (0, case.m), (case.n, 0), (case.n, case.m)):
                x = case.randn((*batch, n, case.d), (*batch, m, case.d), (*batch, m, case.v))
                leaves = [each.requires_grad_() for each in x]
                found = way(*leaves)
                assert found.shape == (*batch, n, case.v) and (m or not found.any())
                for slope in torch.autograd.grad(found.sum(), leaves):
                    assert slope.isfinite().all()
                for dtype in HALF:
                    narrow = [each.detach().to(dtype) for each in x]
                    found, wanted = way(*narrow), way(*(each.double() for each in narrow))
                    tolerance = 4 * torch.finfo(dtype).eps
                    assert found.dtype == dtype
                    assert_close(found.double(), wanted, rtol=tolerance, atol=tolerance)


def band(n, m, window, first=0):
    """What the last n of m tokens see, pair by pair."""
    i, j = torch.arange(m - n, m)[:, None], torch.arange(m)
    return (j <= i) & ((i - j < window - first) | (j < first))


@of("efficient")
def window_attention_is_the_band(course, case):
    """Of the last n of m tokens: fewer queries than keys, as many, and more."""
    queries, keys, values, _ = case.inputs(case.d, case.d)
    n, m = case.n, case.m
    for window in range(1, m + 2):
        wanted = explicit(queries, keys, values, band(n, m, window))
        for block in (1, 2, 5, 128):
            assert_close(course.window_attention(queries, keys, values, window, block), wanted)
        for first in range(window):
            layer = course.WindowAttention(window, first)
            wanted = explicit(queries, keys, values, band(n, m, window, first))
            assert_close(layer(queries, keys, values), wanted)


@of("efficient")
def a_window_with_its_cache_is_the_window_without(course, case):
    """In pieces of any size the outputs are those of one call, and the cache stays small."""
    B, H, n, d = 2, 3, 12, case.d
    queries, keys, values = case.randn(*3 * [(B, H, n, d)])
    for window, first in ((1, 0), (2, 1), (4, 0), (4, 1), (6, 2), (20, 1)):
        layer = course.WindowAttention(window, first)
        wanted = explicit(queries, keys, values, band(n, n, window, first))
        assert_close(layer(queries, keys, values), wanted)
        for size in (1, 2, 5, n):
            cache, parts = course.WindowCache(window, first), []
            assert len(cache) == 0
            for start in range(0, n, size):
                part = slice(start, start + size)
                k, v = cache.update("a layer", keys[:, :, part], values[:, :, part])
                parts.append(layer(queries[:, :, part], k, v))
                assert len(cache) == min(start + size, n)
                kept, _ = cache.kept["a layer"]
                assert kept.shape[2] == min(len(cache), window - 1)
            assert_close(torch.cat(parts, dim=2), wanted)


@of("efficient")
def an_indexer_is_its_formula(course, case):
    """Pair by pair, and the keys of a text that comes in pieces are those of the whole."""
    (x,) = case.randn((2, 4, 6))
    indexer = course.Indexer(6, num_heads=3, width=4).to(x.dtype)
    index_keys = indexer.keys(x)
    found = indexer(x, index_keys)
    queries = indexer.W_q(x).unflatten(-1, (3, 4))  # (2, 4, 3, 4)
    for b, t, s in itertools.product(range(2), range(4), range(4)):
        wanted = 0
        for j in range(3):
            q = rotate(queries[b, t : t + 1, j], t, 100_000)
            k = rotate(indexer.norm(indexer.W_k(x[b, s : s + 1])), s, 100_000)
            wanted += indexer.W_w(x[b, t])[j] * (q @ k.T).clamp(min=0).item() / 2
        assert_close(found[b, t, s], wanted)
    assert_close(torch.cat([indexer.keys(x[:, :2]), indexer.keys(x[:, 2:], 2)], dim=1), index_keys)
    assert_close(indexer(x[:, 3:], index_keys, 3), found[:, 3:])


test_property = hold("efficient", examples=20)


def test_the_memory_of_a_call_is_counted():
    """Two tensors of 4,000 bytes at a time, and the third once the first has gone."""

    def three(x):
        first = x + 1
        second = first + 1
        del first
        return second + 1

    x = torch.zeros(1000)
    assert peak_bytes(three, x) == 8000
    assert peak_bytes(lambda x: x[2:].view(2, -1), x) == 4000, "a view takes no memory of its own"
    assert operations(three, x) == 3 * ["add.Tensor"]
