"""Linear attention and the delta rule in chunks, as the page keeps them, beside their loops."""

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from taught.recurrent import delta_rule, linear_attention
from tests.cases import HALF, hold, property_of


def texts(case, n):
    """Queries, normalised keys, values and rates for n tokens."""
    queries, keys, values, rates = case.randn(
        *2 * [(*case.batch, n, case.d)], (*case.batch, n, case.v), (*case.batch, n)
    )
    return queries, F.normalize(keys, dim=-1), values, rates.sigmoid()


def by_loop(queries, keys, values, rates, erase):
    """Token by token; `erase` is 1 for the delta rule and 0 for a plain sum."""
    state = torch.zeros(*keys.shape[:-2], keys.shape[-1], values.shape[-1])
    state, outputs = state.to(keys.dtype), []
    for t in range(keys.shape[-2]):
        k, v, rate = keys[..., t, None, :], values[..., t, None, :], rates[..., t, None, None]
        state = state + rate * k.mT @ (v - erase * (k @ state))
        outputs.append(queries[..., t, None, :] @ state)
    return torch.cat(outputs, dim=-2)


@property_of("recurrent")
def chunks_are_the_loop(course, case):
    """Outputs and gradients, for chunks of one token, some, and more than there are."""
    for n in (1, case.n + 4):
        x = [tensor.requires_grad_() for tensor in texts(case, n)]
        ones = torch.ones_like(x[3])
        pairs = [
            (lambda c: course.linear_attention(*x[:3], c), by_loop(*x[:3], ones, 0), x[:3]),
            (lambda c: course.delta_rule(*x, c), by_loop(*x, 1), x),
        ]
        for way, expected, leaves in pairs:
            slopes = torch.autograd.grad(expected.square().sum(), leaves)
            for chunk in (1, 2, 3, n, n + 5):
                actual = way(chunk)
                assert_close(actual, expected)
                assert_close(torch.autograd.grad(actual.square().sum(), leaves), slopes)


test_property = hold("recurrent", examples=10)


@pytest.mark.parametrize("dtype", HALF)
def test_the_sums_of_16_bits_have_32(dtype):
    """bfloat16 stops counting at 256, and in it a small surprise is lost beside the state."""
    ones, rates = torch.ones(300, 1, dtype=dtype), torch.full((300,), 1 / 256, dtype=dtype)
    assert linear_attention(ones, ones, ones, chunk=1)[-1] == 300
    output = delta_rule(ones, ones, ones, rates, chunk=1)[-1].item()
    assert abs(output - (1 - (255 / 256) ** 300)) < 0.01
