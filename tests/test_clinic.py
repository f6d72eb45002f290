"""What the attention clinic keeps: an examination that finds what is ill, and nothing where nothing is."""

import math
from functools import partial
from unittest.mock import patch

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from taught import real_model
from taught.attention import DotProductAttention, causal_mask
from taught.efficient import blockwise_attention
from taught.real_model import GroupedQueryAttention
from tests.cases import hold, of

H, D = 4, 64  # as `examine` calls it


def multihead(queries, keys, values, mask=None):
    """PyTorch's class with identity maps; a row without a key sees all, and its output is 0."""
    layer = nn.MultiheadAttention(H * D, H, bias=False, batch_first=True, dtype=queries.dtype)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(H * D).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(H * D))
    (B, _, n, _), m = queries.shape, keys.shape[2]
    mask = torch.ones(n, m, dtype=torch.bool) if mask is None else mask
    empty = ~mask.expand(B, H, n, m).any(-1, keepdim=True)
    blocked = ~(mask | empty).reshape(B * H, n, m)
    merged = [x.transpose(1, 2).flatten(2) for x in (queries, keys, values)]
    output, _ = layer(*merged, attn_mask=blocked)
    return output.unflatten(2, (H, D)).transpose(1, 2).masked_fill(empty, 0)


class Given:
    """In the place of a cache: it returns the keys and values under examination."""

    def __init__(self, *kept):
        self.kept = kept

    def update(self, layer, keys, values):
        return self.kept


def real(queries, keys, values, mask=None):
    """The real model's layer with two query heads for each key, the second of which counts."""
    layer = GroupedQueryAttention(2 * H * D, 2 * H, H).to(queries.dtype).requires_grad_(False)
    layer.W_q = layer.W_o = nn.Identity()
    x = queries.repeat_interleave(2, 1).transpose(1, 2).flatten(2)
    if mask is not None and mask.dim() == 4 and mask.shape[1] > 1:
        mask = mask.repeat_interleave(2, 1)
    with patch.object(real_model, "rotate", lambda x, *rest: x):  # bare attention has no positions
        output = layer(x, 0, mask, Given(keys, values))
    return output.unflatten(2, (2 * H, D)).transpose(1, 2)[:, 1::2]


def formula(queries, keys, values, mask=None, *, fault=""):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    if fault == "scale":
        scores = 8 * scores
    if fault == "positions":
        scores = scores + 0.1 * torch.arange(keys.shape[2]).to(scores)
    if fault == "queries mix":
        scores = scores - scores.mean(dim=2, keepdim=True) / 2
    if fault == "None is forgotten" and mask is None:
        return values.mean(dim=2, keepdim=True).expand_as(queries)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    if fault == "only whole masks" and mask.shape != scores.shape:
        mask = torch.ones_like(scores, dtype=torch.bool)
    if fault == "repeat":
        mask = mask.expand(scores.shape).transpose(0, 1).reshape(scores.shape)
    if fault == "mask of the first head":
        mask = mask.expand(scores.shape)[:, :1]
    if fault == "finite":
        scores = scores - 1e4 * ~mask
    elif fault == "half":
        scores = scores + torch.tensor(-1e9).to(scores) * ~mask
    elif fault != "not assigned":
        scores = scores.masked_fill(~mask, -math.inf)
    if fault == "batch":
        return scores.softmax(dim=0).nan_to_num() @ values
    weights = scores.softmax(dim=-1)
    if fault == "empty":
        weights = weights.nan_to_num(1 / scores.shape[-1])
    elif fault == "half":
        weights = weights.masked_fill(~mask, 0)
    elif fault != "nan":
        weights = weights.nan_to_num().masked_fill(~mask.any(-1, keepdim=True), 0)
    if fault == "dropout":
        return F.dropout(weights, 0.5) @ values
    if fault == "in place":
        queries.mul_(2)
    if fault == "negative":
        open_keys = mask.expand(scores.shape).to(scores)
        weights = 2 * weights - open_keys / open_keys.sum(-1, keepdim=True).clamp(min=1)
    if fault == "detached":
        weights = weights.detach()
    output = weights @ values
    if fault == "squashed":
        return output.tanh()
    if fault == "transposed":
        return output.transpose(1, 2)
    return output


SICK = {  # fault: a complaint that names it
    "scale": "the largest weight is",
    "positions": "the output changes when the keys change places",
    "queries mix": "the output changes for the last query alone",
    "None is forgotten": "the output changes without a mask",
    "repeat": "the output changes for sequence",
    "mask of the first head": "masked keys have a weight",
    "not assigned": "masked keys have a weight",
    "finite": "the output changes when masked keys are added",
    "batch": "the weights don't add up to 1",
    "only whole masks": "the output changes with a mask",
    "half": "the output changes in half precision",
    "empty": "a query without a key doesn't get 0",
    "nan": "the gradient of the values is nan",
    "dropout": "a second call gives another output",
    "in place": "an input is changed in place",
    "negative": "some weights are negative",
    "detached": "no gradient reaches the queries",
    "squashed": "the output isn't the weights times the values",
    "transposed": "the output has shape",
}


def overflowing(queries, keys, values, mask=None):
    weights = torch.exp(queries @ keys.mT / math.sqrt(queries.shape[-1]))
    weights = weights if mask is None else weights.masked_fill(~mask, 0)
    return weights @ values / weights.sum(-1, keepdim=True).clamp(min=1e-6)


def one_head(queries, keys, values, mask=None):
    return formula(queries, keys[:, [1, 2, 3, 0]], values, mask)


def square(queries, keys, values, mask=None):
    return formula(queries, keys, values, mask) + 0 * (queries - keys)


def rule(n, m):
    return causal_mask(n, m - n)


def causal(queries, keys, values, mask=None, *, left=False):
    n, m = queries.shape[2], keys.shape[2]
    own = torch.ones(n, m, dtype=torch.bool).tril(0 if left else m - n)
    return formula(queries, keys, values, own)


def cheating_on_prompts(queries, keys, values, mask=None):
    way = causal if queries.shape[2] != keys.shape[2] else formula
    return way(queries, keys, values)


def every_other(queries, keys, values, mask=None):
    n, m = queries.shape[2], keys.shape[2]
    distance = torch.arange(m - n, m)[:, None] - torch.arange(m)
    return formula(queries, keys, values, (distance >= 0) & (distance % 2 == 0))


def everything(queries, keys, values, mask=None):
    return formula(queries, keys, values)


@of("clinic")
def the_sound_have_no_complaint(course, case):
    block = partial(blockwise_attention, block=1 + case.seed % 9)
    sound = F.scaled_dot_product_attention, DotProductAttention(), formula, block, multihead, real
    for attention in sound:
        assert course.examine(attention, seed=case.seed) == [], attention
    assert course.examine(causal, rule, seed=case.seed) == []
    assert (
        course.examine(F.scaled_dot_product_attention, seed=case.seed, d=7 + case.seed % 90) == []
    )
    with pytest.raises(ValueError, match="d is 6; expected 7 or more"):
        course.examine(F.scaled_dot_product_attention, d=6)


@of("clinic")
def the_ill_are_found(course, case):
    for fault, complaint in SICK.items():
        found = course.examine(partial(formula, fault=fault), seed=case.seed)
        assert any(complaint in each for each in found), (fault, found)
    for attention, complaint in (
        (overflowing, "the weights of large scores don't add up to 1"),
        (one_head, "when other heads change"),
        (square, "it fails with 5 queries and 7 keys"),
    ):
        found = course.examine(attention, seed=case.seed)
        assert any(complaint in each for each in found), (complaint, found)
    found = course.examine(partial(causal, left=True), rule, seed=case.seed)
    assert any("as with a cache" in each for each in found)
    assert "masked keys have a weight" in course.examine(everything, rule, seed=case.seed)
    assert "allowed keys have no weight" in course.examine(every_other, rule, seed=case.seed)
    (found,) = course.examine(cheating_on_prompts, rule, seed=case.seed)
    assert "with n queries and n keys" in found


@of("clinic")
def same_is_no_nan_and_no_other_shape(course, case):
    (x,) = case.randn((3, 4))
    assert course.same(x, x + 1e-6) and not course.same(x, x + 0.01)
    assert not course.same(torch.ones(3, 4), torch.ones(1, 4))
    assert not course.same(x, x[:1]) and not course.same(x * math.nan, x * math.nan)


test_property = hold("clinic", examples=20)
