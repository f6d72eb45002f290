"""What the course teaches, compared with torch and held to its properties on random inputs."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from utils.attention import attention_pooling

# These machines are shared: a slow moment is no fault of the code.
settings.register_profile("course", deadline=None)
settings.load_profile("course")

sizes = st.integers(min_value=1, max_value=7)


def dot(queries, keys):
    return queries @ keys.mT


@st.composite
def inputs(draw):
    """Queries (B, n, d), keys (B, m, d) and values (B, m, v) of random sizes, in float64."""
    B, n, m, d, v = (draw(sizes) for _ in range(5))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    return tuple(torch.randn(*shape, generator=generator, dtype=torch.float64)
                 for shape in ((B, n, d), (B, m, d), (B, m, v)))


@given(inputs())
def test_attention_pooling_equals_torch(qkv):
    outputs, weights = attention_pooling(*qkv, dot)
    torch.testing.assert_close(outputs, F.scaled_dot_product_attention(*qkv, scale=1.0))
    torch.testing.assert_close(weights, torch.softmax(dot(*qkv[:2]), dim=-1))


@given(inputs())
def test_attention_pooling_properties(qkv):
    queries, keys, values = qkv
    untouched = [tensor.clone() for tensor in qkv]
    outputs, weights = attention_pooling(queries, keys, values, dot)
    assert all(torch.equal(tensor, before) for tensor, before in zip(qkv, untouched))
    assert (weights >= 0).all()
    torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
    assert (outputs <= values.amax(-2, keepdim=True) + 1e-9).all(), "in the hull of the values"
    assert (outputs >= values.amin(-2, keepdim=True) - 1e-9).all()
    shuffle = torch.randperm(keys.shape[-2])
    shuffled, _ = attention_pooling(queries, keys[:, shuffle], values[:, shuffle], dot)
    torch.testing.assert_close(shuffled, outputs)
    reversed_outputs, _ = attention_pooling(queries.flip(-2), keys, values, dot)
    torch.testing.assert_close(reversed_outputs, outputs.flip(-2))
    shifted, _ = attention_pooling(queries, keys, values, lambda q, k: dot(q, k) + 300)
    torch.testing.assert_close(shifted, outputs)


def test_attention_pooling_is_differentiable():
    generator = torch.Generator().manual_seed(0)
    qkv = [torch.randn(*shape, generator=generator, dtype=torch.float64, requires_grad=True)
           for shape in ((3, 2), (4, 2), (4, 5))]
    assert torch.autograd.gradcheck(lambda *args: attention_pooling(*args, dot), qkv)


@pytest.mark.parametrize("values, score, message", [
    (torch.rand(3, 1), dot, "values has 3 rows; wanted 4, one per key"),
    (torch.rand(4, 1), lambda q, k: (q @ k.mT).mT, r"score returned \(4, 2\); .* in \(2, 4\)"),
    (torch.rand(4, 1), lambda q, k: (q @ k.mT).sum(-1), r"score returned \(2,\)"),
])
def test_attention_pooling_names_what_does_not_fit(values, score, message):
    with pytest.raises(ValueError, match=message):
        attention_pooling(torch.rand(2, 5), torch.rand(4, 5), values, score)
