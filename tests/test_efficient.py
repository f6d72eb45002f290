"""Attention by blocks, and windows with their cache, as the page keeps them, beside the explicit way."""

import math

import torch
from torch.testing import assert_close

from taught.memory import operations, peak_bytes
from tests.cases import hold, named, of, softmax_reference


def explicit(queries, keys, values, allowed):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    return softmax_reference(scores, allowed) @ values


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
    with named(ValueError, "mask is torch.float32"):
        course.blockwise_attention(x, x, x, torch.ones(3, 3))
    with named(ValueError, "block is 0; wanted a whole number from 1"):
        course.blockwise_attention(x, x, x, block=0)
    with named(ValueError, "window is 0; wanted a whole number from 1"):
        course.window_attention(x, x, x, 0)
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


def band(n, m, window, first=0):
    """What the last n of m tokens see, pair by pair."""
    return torch.tensor(
        [
            [j <= i and (i - j < window - first or j < first) for j in range(m)]
            for i in range(m - n, m)
        ]
    )


@of("efficient")
def window_attention_is_the_band(course, case):
    x = case.inputs(case.d, case.d)
    n = case.n
    queries, keys, values = x.queries, *(each[..., :1, :] for each in x[1:3])
    keys = keys + torch.arange(n, dtype=keys.dtype)[:, None].cos()  # n of each
    values = values * torch.arange(1, n + 1, dtype=keys.dtype)[:, None]
    for window in range(1, n + 2):
        wanted = explicit(queries, keys, values, band(n, n, window))
        for block in (1, 2, 5, 128):
            assert_close(course.window_attention(queries, keys, values, window, block), wanted)


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
