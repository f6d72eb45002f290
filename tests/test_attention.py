"""What the course teaches, compared with torch and held to its properties on random inputs."""

import math
import re

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pages import ROOT
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
    shuffle = torch.randperm(keys.shape[-2], generator=torch.Generator().manual_seed(0))
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
    (torch.rand(4, 1), lambda q, k: (q @ k.mT).mT, r"score returned \(4, 2\); wanted \(2, 4\)"),
    (torch.rand(4, 1), lambda q, k: (q @ k.mT)[None], r"score returned \(1, 2, 4\); wanted"),
    (torch.rand(4), dot, r"values has shape \(4,\); wanted 2 axes or more"),
    (torch.rand(4, 1), lambda q, k: (q @ k.mT).sum(-1), r"score returned \(2,\)"),
])
def test_attention_pooling_names_what_does_not_fit(values, score, message):
    with pytest.raises(ValueError, match=message):
        attention_pooling(torch.rand(2, 5), torch.rand(4, 5), values, score)


# ---------------------------------------------------------------- the masks of chapters/notation.md


def translated(row, mask):
    """What the last column of a row of the table of masks makes of our mask."""
    line = next(line for line in (ROOT / "chapters" / "notation.md").read_text("utf-8").split("\n")
                if line.startswith(f"| {row} |"))
    code = re.findall(r"`([^`]+)`", line.split(" | ")[-1])[0]
    B, H, n, m = 2, 3, 4, 5
    return eval(code, {"torch": torch, "math": math, "mask": mask, "B": B, "H": H, "n": n, "m": m})


@pytest.fixture
def masked():
    """Queries, keys and values, a mask with a different pattern per sequence, and the weights."""
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, 3, size, 6, generator=generator) for size in (4, 5, 5))
    mask = torch.rand(2, 1, 4, 5, generator=generator) > 0.4
    mask[..., 0] = True  # no empty row: torch's own modules return nan for it
    weights = torch.softmax((q @ k.mT / math.sqrt(6)).masked_fill(~mask, -math.inf), dim=-1)
    return q, k, v, mask, weights


@pytest.mark.parametrize("row", [
    "`F.scaled_dot_product_attention`, `attn_mask`", "the same, as floats"])
def test_mask_for_torchs_function(masked, row):
    q, k, v, mask, weights = masked
    outputs = F.scaled_dot_product_attention(q, k, v, attn_mask=translated(row, mask))
    torch.testing.assert_close(outputs, weights @ v)


@pytest.mark.parametrize("row, name", [
    ("`nn.MultiheadAttention`, `attn_mask`", "attn_mask"),
    ("`nn.MultiheadAttention`, `key_padding_mask`", "key_padding_mask"),
])
def test_mask_for_torchs_module(masked, row, name):
    *_, mask, _ = masked
    if name == "key_padding_mask":
        mask = mask[:, :, :1].expand(2, 1, 4, 5)
    module = torch.nn.MultiheadAttention(6, 3, batch_first=True)
    queries, keys = torch.randn(2, 4, 6), torch.randn(2, 5, 6)
    _, weights = module(queries, keys, keys, average_attn_weights=False,
                        **{name: translated(row, mask)})
    assert torch.equal(weights > 0, mask.expand(2, 3, 4, 5))


def test_mask_for_others():
    lengths = torch.tensor([2, 5])
    mask = (torch.arange(5) < lengths[:, None])[:, None, None]  # (B, 1, 1, m)
    assert translated("D2L, `valid_lens`", mask).tolist() == [2, 5]
    assert translated("Hugging Face, `attention_mask`", mask).tolist() == [
        [1, 1, 0, 0, 0], [1, 1, 1, 1, 1]]
