"""What the attention clinic keeps: an examination that finds what is ill, and nothing where nothing is."""

import math
import warnings
from functools import partial

import torch
from torch.nn import functional as F

from taught.attention import DotProductAttention, causal_mask
from taught.efficient import WindowAttention, blockwise_attention
from tests.cases import hold, named, property_of

SOUND = F.scaled_dot_product_attention

# ---------------------------------------------------------------- ill

FORMULA = """
def formula(queries, keys, values, mask=None):
    m, d = keys.shape[2:]
    if mask is None:
        mask = torch.ones(1, 1, dtype=torch.bool)
    scores = (queries / math.sqrt(d)) @ keys.mT
    scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    weights = weights.nan_to_num()
    return weights @ values
"""
ILL = [  # words of the formula, what stands in their place, a complaint that names it
    ("@ keys.mT", "@ keys.mT + 0.1 * torch.arange(m).to(queries)", "the output changes when the keys change places"),
    ("scores.softmax", "(scores - queries.mean(dim=2, keepdim=True) @ keys.mT / 16).softmax",
     "the output changes for the last query alone"),
    ("mask = torch.ones(1, 1, dtype=torch.bool)", "return values.mean(2, True).expand_as(queries)",
     "the output changes without a mask"),
    ("~mask", "~mask.expand(scores.shape).transpose(0, 1).reshape(scores.shape)",
     "the output changes for sequence"),
    ("scores.masked_fill(~mask, -math.inf)", "scores - 10 * ~mask", "masked keys have a weight"),
    ("scores.masked_fill(~mask, -math.inf)", "scores + torch.tensor(-1e9).to(scores) * ~mask",
     "the output changes in half precision"),
    ("scores.masked_fill(~mask, -math.inf)",
     "scores.masked_fill(~mask, -math.inf) if mask.shape == scores.shape else scores",
     "the output changes with a mask"),
    ("dim=-1", "dim=1", "the weights don't add up to 1"),
    ("nan_to_num()", "nan_to_num(1 / m)", "a query without a key doesn't get 0"),
    (".nan_to_num()", "", "a query without a key doesn't get 0"),
    ("return weights @", "return F.dropout(weights, 0.5) @", "a second call gives another output"),
    ("    m, d =", "    queries.mul_(2)\n    m, d =", "an input is changed in place"),
    ("weights.nan_to_num()", "2 * weights.nan_to_num() - mask / mask.sum(-1, keepdim=True).clamp(min=1)",
     "some weights are negative"),
    ("return weights @", "return weights.detach() @", "no gradient reaches the queries"),
    ("return weights @ values", "return (weights @ values).tanh()",
     "the output isn't the weights times the values"),
    ("return weights @ values", "return (weights @ values).transpose(1, 2)", "the output has shape"),
    ("(queries / math.sqrt(d)) @ keys.mT", "queries @ keys.mT / math.sqrt(d)",
     "the output changes for large scores in half precision"),
    ("weights = scores", "weights = (scores * (2**12 if scores.dtype == torch.bfloat16 else 1))",
     "the output changes in bfloat16"),
    ("~mask", "~mask | (torch.arange(scores.shape[2]) >= m)[:, None]",
     "the output changes with more queries than keys"),
    ("math.sqrt(d)", "math.sqrt(values.shape[-1])", "the output changes with values wider than the keys"),
    ("math.sqrt(d)", "1", "the scores are 8 times"),
    ("math.sqrt(d)", "math.sqrt(4 * d)", "the scores are 0.5 times"),
    ("    weights = scores.softmax(dim=-1)", "    weights = scores.exp() / scores.exp().sum(-1, keepdim=True)",
     "the output changes for large scores"),
    ("    scores = scores.masked", "    scores = scores.clamp(-1000, 1000).masked", "changes for large scores"),
    ("keys.mT", "keys[:, [1, 2, 3, 0]].mT", "when other heads change"),
    ("    m, d =", "    queries - keys\n    m, d =", "it fails with 5 queries and 7 keys"),
    ("scores.masked", "scores.masked_fill(scores < scores.topk(min(m, 4)).values[..., -1:], -1e4).masked",
     "the output changes when masked keys are added"),  # of the best keys those that are masked are lost
]  # fmt: skip


def formula_with(words="", replacement=""):
    assert words in FORMULA
    names = dict(math=math, torch=torch, F=F)
    exec(FORMULA.replace(words, replacement), names)
    return names["formula"]


def head_0(x):
    """Head h as a kernel for contiguous tensors finds it: head 0 of all heads of a layer."""
    batch, head, row, column = x.stride()
    return x.as_strided(x.shape, (batch, head // row * row, row, column))


def only_in_order(x):
    """As a kernel finds it that takes the numbers of a row to be beside each other."""
    return x if x.stride(3) == 1 else x.as_strided(x.shape, (*x.stride()[:3], 1))


def twins(x, count):
    """The first in the place of all beyond `count`."""
    return torch.cat([x[:count], x[:1].expand(max(len(x) - count, 0), *x.shape[1:])])


BLIND = {  # sound but for some inputs: what is said of them
    "with 5 queries and 5 keys, masked keys": lambda q, k, v, mask=None: SOUND(
        q, k, v, None if q.shape[2] == k.shape[2] else mask),
    "without a mask, with 5 queries and 5 keys": lambda q, k, v, mask=None: SOUND(
        q, k, v, mask, is_causal=mask is None and q.shape[2] == k.shape[2]),
    "changes with 150 queries and 600 keys": lambda q, k, v, mask=None: SOUND(
        q, k[:, :, :512], v[:, :, :512], mask if mask is None else mask[..., :512]),
    "changes when gradients are asked for": lambda q, k, v, mask=None: SOUND(q, k, v, mask)
        * (1 - 0.5 * v.requires_grad),
    "changes with a mask (1, 4, 5, 7)": lambda q, k, v, mask=None: SOUND(
        q, k, v, mask[:, :1] if mask is not None and len(mask) == 1 < len(q) and mask.dim() == 4 else mask),
    "changes with a mask (4, 5, 7)": lambda q, k, v, mask=None: SOUND(
        q, k, v, mask[:1] if mask is not None and mask.dim() == 3 else mask),
    "with 12 heads, ": lambda q, k, v, mask=None: SOUND(
        q, twins(k.transpose(0, 1), 8).transpose(0, 1), v, mask),
    "with 3 sequences": lambda q, k, v, mask=None: SOUND(q, twins(k, 2), v, mask),
    "in half precision, with 5 queries and 5 keys and one query without": lambda q, k, v, mask=None: SOUND(
        q, k, v, mask if mask is None or q.dtype == torch.float32 else mask | ~mask.any(-1, keepdim=True)),
    "in the layout of a layer": lambda q, k, v, mask=None: SOUND(*map(head_0, (q, k, v)), mask),
    "in the layout of columns": lambda q, k, v, mask=None: SOUND(q, only_in_order(k), v, mask),
    "share one key in memory": lambda q, k, v, mask=None: SOUND(
        q, k if k.stride(1) else k + torch.arange(k.shape[2])[:, None], v, mask),
    "with 1 query and 1 key": lambda q, k, v, mask=None: SOUND(q, k, v, mask)
        * (k.shape[2] > 1),
    "a query without a key doesn't get 0": lambda q, k, v, mask=None: SOUND(
        q, k, v, mask if mask is None else mask | ~mask.any((-1, -2), keepdim=True)),
}  # fmt: skip


# ---------------------------------------------------------------- misbehaving


def no_backward(gradient):
    raise NotImplementedError("no backward pass")


def refusing(queries, keys, values, mask=None, *, fault=""):
    """Sound, but for what it does besides, or refuses."""
    if fault == "pair":
        return SOUND(queries, keys, values, mask), mask
    if fault == "a query without a key" and mask is not None and not mask.any(-1).all():
        raise ValueError("a row without a key\nand a second line")
    if fault == "large scores" and (queries @ keys.mT).abs().max() > 1000:
        raise ValueError("too large")
    if fault == "no mask" and mask is None:
        raise TypeError
    if fault == "16 bits" and queries.dtype != torch.float32:
        raise RuntimeError("not implemented for 16 bits")
    if fault == "prints":
        print(queries.shape)
    if fault == "warns":
        warnings.warn("slow", stacklevel=1)
    output = SOUND(queries, keys, values, mask)
    if fault == "backward" and output.requires_grad:  # as a kernel that was written for inference
        output.register_hook(no_backward)
    other = {"nothing": None, "float64": output.double(), "no gradient": output.detach()}
    return other.get(fault, output)


# The only complaints; more than one where it refuses more than one question.
REFUSALS = {
    "pair": ["it returns a pair; expected the output alone"],
    "a query without a key": ["it fails for a query without a key: a row without a key"],
    "large scores": [
        "it fails for large scores: too large",
        "it fails for large scores in half precision: too large",
        "it fails when masked keys are added: too large",
    ],
    "no mask": ["it fails without a mask: TypeError"],
    "16 bits": [
        f"it fails {when}: not implemented for 16 bits"
        for when in ("in half precision", "in bfloat16", "for large scores in half precision")
    ],
    "prints": ["it prints: torch.Size([2, 4, 5, 64])"],
    "warns": ["it warns: slow"],
    "backward": ["it fails when gradients are asked for: no backward pass"],
    "nothing": ["it fails with 5 queries and 7 keys: it returns NoneType; expected a tensor"],
    "float64": [
        f"it returns torch.float64 for torch.{dtype}" for dtype in ("float32", "float16", "bfloat16")
    ],
    "no gradient": [f"no gradient reaches the {name}" for name in ("queries", "keys", "values")],
}  # fmt: skip


def ill_and_rude(queries, keys, values, mask=None):
    """Three faults, and after each the examination goes on."""
    refusing(queries, keys, values, mask, fault="a query without a key")
    return SOUND(queries.detach(), keys.detach(), values, mask, scale=1 / keys.shape[3]), None


# ---------------------------------------------------------------- with a rule of their own


def rule(n, m):
    return causal_mask(n, m - n)


def causal(queries, keys, values, mask=None, *, left=False):
    n, m = queries.shape[2], keys.shape[2]
    own = torch.ones(n, m, dtype=torch.bool).tril(0 if left else m - n)
    return SOUND(queries, keys, values, own)


def cheating_on_prompts(queries, keys, values, mask=None):
    way = causal if queries.shape[2] != keys.shape[2] else SOUND
    return way(queries, keys, values)


def every_other(queries, keys, values, mask=None):
    n, m = queries.shape[2], keys.shape[2]
    distance = torch.arange(m - n, m)[:, None] - torch.arange(m)
    return SOUND(queries, keys, values, (distance >= 0) & (distance % 2 == 0))


RULED = {
    partial(causal, left=True): "as with a cache",
    lambda q, k, v, mask=None: SOUND(q, k, v): "masked keys have a weight",
    every_other: "allowed keys have no weight",
    cheating_on_prompts: "with 5 queries and 5 keys, masked keys have a weight",
}


# ---------------------------------------------------------------- properties


@property_of("clinic")
def the_sound_have_no_complaint(course, case):
    width = (8, 16, 32, 64, 128, 7 + case.seed % 90)[case.seed % 6]
    block = partial(blockwise_attention, block=1 + case.seed % 9)
    for attention in (SOUND, DotProductAttention(), formula_with(), block):
        assert course.examine(attention, seed=case.seed, d=width) == [], (attention, width)
    assert course.examine(causal, rule, seed=case.seed, d=width) == []
    window = WindowAttention(4, first=0)
    assert course.examine(window, lambda n, m: rule(n, m).triu(m - n - 3), seed=case.seed) == []


@property_of("clinic")
def the_ill_are_found(course, case):
    ill = [(formula_with(*change), words, None) for *change, words in ILL]
    ill += [(attention, words, None) for words, attention in BLIND.items()]
    ill += [(attention, words, rule) for attention, words in RULED.items()]
    for attention, words, own in ill:
        complaints = course.examine(attention, own, seed=case.seed)
        assert any(words in complaint for complaint in complaints), (words, complaints)


@property_of("clinic")
def it_never_raises(course, case):
    for fault, complaints in REFUSALS.items():
        actual = course.examine(partial(refusing, fault=fault), seed=case.seed)
        assert actual == complaints, (fault, actual)
    actual = course.examine(ill_and_rude, seed=case.seed)
    assert actual == [
        "it returns a pair; expected the output alone",
        "the scores are 0.125 times q . k / sqrt(d); is the scale right?",
        "it fails for a query without a key: a row without a key",
        "no gradient reaches the queries",
        "no gradient reaches the keys",
    ]
    with named(ValueError, "d is 6; wanted"):
        course.examine(SOUND, d=6)
    with named(ValueError, "rule(n, m) is torch.float32; wanted"):
        course.examine(causal, lambda n, m: torch.ones(n, m))


@property_of("clinic")
def same_is_no_nan_and_no_other_shape(course, case):
    (x,) = case.randn((3, 4))
    assert course.same(x, x + 1e-6) and not course.same(x, x + 0.01)
    assert not course.same(torch.ones(3, 4), torch.ones(1, 4))
    assert not course.same(x, x[:1]) and not course.same(x * math.nan, x * math.nan)


test_property = hold("clinic", examples=2)
