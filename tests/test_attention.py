"""What the course teaches, compared with torch and held to its properties on random inputs.

A property is a function of the code under test, `course`, and of a `Case`. Here hypothesis draws
the cases and `course` is what the pages keep; `test_harness.py` gives the same functions plausible
wrong versions of it, and shows that each is caught.

A class with the `forward` of `AdditiveAttention` gets all properties by a line in `SUBJECTS`.
"""

import dataclasses
import io
import itertools
import math
import re
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from torch.testing import assert_close

from tests.course import COURSE
from utils import checks
from utils.attention import (
    AdditiveAttention,
    DotProductAttention,
    MultiHeadAttention,
    PositionalEncoding,
    causal_mask,
    length_mask,
    masked_softmax,
)

# These machines are shared: a slow moment is no fault of the code.
settings.register_profile("course", deadline=None, max_examples=40)
settings.load_profile("course")


# ---------------------------------------------------------------- cases

SIZES = range(1, 8)
RANGES = {  # 4 axes take another kernel of torch's than 2 or 3
    "batch": [(), (1,), (3,), (3, 2)],
    "n": SIZES, "m": SIZES, "d": SIZES, "v": SIZES,
    "query_size": SIZES, "key_size": SIZES, "h": SIZES, "num_heads": [1, 2, 3],
    "bias": [True, False],
    "kind": ["none", "random", "shared", "per sequence", "causal", "empty rows", "nothing"],
    "seed": range(2**31),
}  # fmt: skip


class Inputs(NamedTuple):
    queries: torch.Tensor
    keys: torch.Tensor
    values: torch.Tensor
    mask: torch.Tensor | None


@dataclasses.dataclass(frozen=True)
class Case:
    """Sizes, the kind of mask, and the seed of all numbers.

    heads, mask_heads: the axis (H,) that weights and masks have after the batch, or ().
    """

    batch: tuple
    n: int
    m: int
    d: int
    v: int
    query_size: int
    key_size: int
    h: int
    num_heads: int
    bias: bool
    kind: str
    seed: int
    heads: tuple = ()
    mask_heads: tuple = ()

    def randn(self, *shapes, stream=0):
        """Tensors in float64, always the same; other numbers in another stream."""
        generator = torch.Generator().manual_seed(self.seed + stream)
        return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]

    def mask(self):
        """It may lack leading axes, or have 1 in the place of any."""
        n, m, leading = self.n, self.m, self.batch + self.mask_heads
        noise, rows, shared = self.randn((*leading, n, m), (*leading, n, 1), (n, m), stream=1)
        random = noise > -0.3
        one_head = random[:, :1] if len(leading) == 2 else random
        return {
            "none": None,
            "random": random,
            "shared": shared > -0.3,
            "per sequence": one_head[..., :1, :],
            "causal": torch.ones(n, m, dtype=torch.bool).tril(m - n),
            "empty rows": random & (rows > 0),
            "nothing": torch.zeros(1, 1, dtype=torch.bool),
        }[self.kind]

    def inputs(self, query_size, key_size):
        shapes = (self.n, query_size), (self.m, key_size), (self.m, self.v)
        return Inputs(*self.randn(*((*self.batch, *shape) for shape in shapes)), self.mask())

    def allowed(self):
        """The mask in full, in the shape of the weights: (*batch, *heads, n, m)."""
        mask = torch.ones(1, 1, dtype=torch.bool) if self.kind == "none" else self.mask()
        if self.heads and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # the same for all heads
        return mask.expand(*self.batch, *self.heads, self.n, self.m)

    def reached(self):
        """Whether a query sees a key with any head, (*batch, n, m)."""
        return self.allowed().any(1) if self.heads else self.allowed()


def cases():
    return st.builds(Case, **{name: st.sampled_from(choices) for name, choices in RANGES.items()})


# ---------------------------------------------------------------- subjects, and what torch says


def identity(values):
    """Values with which an output is its weights."""
    m = values.shape[-2]
    return torch.eye(m, dtype=values.dtype).expand(*values.shape[:-2], m, m)


def pooled(queries, keys, values, mask):
    """Outputs and weights, by torch's function."""
    return tuple(
        F.scaled_dot_product_attention(queries, keys, some, attn_mask=mask)
        for some in (values, identity(values))
    )


def additive_reference(x, state, case):
    """The score pair by pair, from the formula; torch's function adds it to its own, here 0."""
    W_q, W_k, w_v = (state[f"{name}.weight"] for name in ("W_q", "W_k", "w_v"))
    scores = torch.stack([torch.stack([
        torch.tanh(q @ W_q.mT + k @ W_k.mT) @ w_v[0] for k in x.keys.unbind(-2)], -1)
        for q in x.queries.unbind(-2)], -2)  # fmt: skip
    if x.mask is not None:
        scores = scores.masked_fill(~x.mask, -math.inf)
    nothing = 0 * x.queries[..., :1], 0 * x.keys[..., :1]
    return pooled(*nothing, x.values, scores)


def loop_reference(x, state, case):
    """One head after the other, with slices of the parameters."""
    kinds, some = ("weight", "bias")[: 1 + case.bias], []
    for head in range(case.num_heads):
        rows = slice(head * case.d, (head + 1) * case.d)
        qkv = (
            F.linear(tensor, *(state[f"{name}.{kind}"][rows] for kind in kinds))
            for name, tensor in zip(("W_q", "W_k", "W_v"), x[:3], strict=True)
        )
        some.append(pooled(*qkv, case.allowed()[:, head]))
    outputs, weights = zip(*some, strict=True)
    output = F.linear(torch.cat(outputs, -1), state["W_o.weight"], state.get("W_o.bias"))
    return output, torch.stack(weights, 1)


def torchs_heads(state, case):
    """`nn.MultiheadAttention` with these parameters."""
    options = dict(bias=case.bias, batch_first=True, dtype=torch.float64)
    theirs, copied = nn.MultiheadAttention(case.v, case.num_heads, **options), {}
    for kind in ("weight", "bias")[: 1 + case.bias]:
        copied[f"in_proj_{kind}"] = torch.cat([state[f"{W}.{kind}"] for W in ("W_q", "W_k", "W_v")])
        copied[f"out_proj.{kind}"] = state[f"W_o.{kind}"]
    theirs.load_state_dict(copied)
    return theirs


@dataclasses.dataclass(frozen=True)
class Subject:
    """A class under test. A class of a later page is one more of these.

    sizes, widths, shapes: functions of a case. They give what the constructor takes beside
    `dropout`, the widths of queries and keys, and the shapes of all parameters by name.
    reference: a function of inputs, parameters and case that computes outputs and weights without
    the course's code.
    eps: how far a result may be from the exact one, in those of its dtype.
    has_heads: H attentions side by side. The inputs have one batch axis and one width D, the
    weights are (B, H, n, m), and a linear map `W_v` before and `W_o` after the pooling mix values.
    """

    name: str
    sizes: callable
    widths: callable
    shapes: callable
    reference: callable
    eps: int = 2
    has_heads: bool = False

    def fit(self, case):
        """The case as this class can do it; with heads, of d columns each."""
        if not self.has_heads:
            return case
        heads, v = (case.num_heads,), case.d * case.num_heads
        mask_heads, batch = heads if len(case.batch) == 2 else (), case.batch[:1] or (1,)
        return dataclasses.replace(case, batch=batch, v=v, heads=heads, mask_heads=mask_heads)

    def inputs(self, case):
        return case.inputs(*self.widths(case))

    def state(self, case):
        shapes = self.shapes(case)
        return dict(zip(shapes, case.randn(*shapes.values(), stream=2), strict=True))

    def layer(self, course, case, dropout=0.0):
        """In float64, with parameters of our own: so no two of them are one by accident."""
        layer = getattr(course, self.name)(**self.sizes(case), dropout=dropout).double()
        layer.load_state_dict(self.state(case))
        return layer

    def output_of_nothing(self, case):
        return self.state(case).get("W_o.bias", torch.zeros(case.v).double())

    def showing_weights(self, course, case, times=1, dropout=0.0):
        """Inputs and a layer whose outputs are weights, and a function that takes them out.

        The values are identities, `times` of them side by side for each head.
        """
        if self.has_heads:
            d = times * case.m
            case = dataclasses.replace(case, d=d, v=d * case.num_heads)
        x, layer = self.inputs(case), self.layer(course, case, dropout)
        eyes = identity(x.values).repeat_interleave(times, dim=-1)  # (*batch, m, times * m)
        if not self.has_heads:
            return x._replace(values=eyes), layer, lambda output: output
        for linear in (layer.W_v, layer.W_o):
            nn.init.eye_(linear.weight)
            if case.bias:
                nn.init.zeros_(linear.bias)
        eyes = eyes.repeat(1, 1, case.num_heads)
        split = (-1, (case.num_heads, -1))
        return x._replace(values=eyes), layer, lambda out: out.unflatten(*split).transpose(-3, -2)


def four_linear_maps(case):
    shapes = {f"{name}.weight": (case.v, case.v) for name in ("W_q", "W_k", "W_v", "W_o")}
    return shapes | {f"{name[:3]}.bias": (case.v,) for name in shapes if case.bias}


SUBJECTS = [
    Subject(
        "DotProductAttention", sizes=lambda case: {}, widths=lambda case: (case.d, case.d),
        shapes=lambda case: {}, reference=lambda x, state, case: pooled(*x)),
    Subject(
        "AdditiveAttention", sizes=lambda case: {
            "query_size": case.query_size, "key_size": case.key_size, "num_hiddens": case.h},
        widths=lambda case: (case.query_size, case.key_size),
        shapes=lambda case: {"W_q.weight": (case.h, case.query_size),
                             "W_k.weight": (case.h, case.key_size), "w_v.weight": (1, case.h)},
        reference=additive_reference),
    Subject(
        "MultiHeadAttention", sizes=lambda case: {
            "d_model": case.v, "num_heads": case.num_heads, "bias": case.bias},
        widths=lambda case: (case.v, case.v), shapes=four_linear_maps,
        reference=loop_reference, eps=5, has_heads=True),
]  # fmt: skip

PROPERTIES = {}  # name -> function of course and case


def of_functions(function):
    PROPERTIES[function.__name__] = function
    return function


def of_classes(function, subjects=SUBJECTS):
    """Of each subject; the function takes it as its first argument, and cases that fit it."""
    for subject in subjects:

        def property_(course, case, subject=subject):
            return function(subject, course, subject.fit(case))

        PROPERTIES[f"{function.__name__}[{subject.name}]"] = property_
    return function


of_heads = partial(of_classes, subjects=[subject for subject in SUBJECTS if subject.has_heads])


# ---------------------------------------------------------------- properties of the classes


def both_ways(layer, x):
    """The output twice, with weights and without."""
    output, weights = layer(*x, need_weights=True)
    return output, layer(*x), weights


@of_classes
def equals_torch(subject, course, case):
    """Outputs and weights, in train mode (without dropout) and in eval mode."""
    x, layer = subject.inputs(case), subject.layer(course, case)
    output, weights = subject.reference(x, subject.state(case), case)
    for training in (True, False):
        assert_close(both_ways(layer.train(training), x), (output, output, weights))


@of_classes
def rows_sum_to_1_or_are_zero(subject, course, case):
    """The output of a query that sees nothing is zeros, or the bias behind the pooling."""
    output, fused, weights = both_ways(subject.layer(course, case), subject.inputs(case))
    some = case.allowed().any(-1)  # (*batch, *heads, n)
    assert (weights >= 0).all()
    assert_close(weights.sum(-1), some.double())
    assert (weights[~some] == 0).all()
    for empty in (output[~case.reached().any(-1)], fused[~case.reached().any(-1)]):
        assert (empty == subject.output_of_nothing(case)).all()


@of_classes
def masked_weights_are_exactly_zero(subject, course, case):
    """The others are above 0."""
    x, layer, shown = subject.showing_weights(course, case)
    *outputs, weights = both_ways(layer, x)
    for some in (weights, *map(shown, outputs)):
        assert torch.equal(some > 0, case.allowed())


@of_classes
def order_of_the_keys_does_not_matter(subject, course, case):
    x, layer = subject.inputs(case), subject.layer(course, case)
    order = torch.randperm(case.m, generator=torch.Generator().manual_seed(case.seed))
    mask = None if x.mask is None else case.allowed()[..., order]
    shuffled = Inputs(x.queries, x.keys[..., order, :], x.values[..., order, :], mask)
    output, fused, weights = both_ways(layer, x)
    assert_close(both_ways(layer, shuffled), (output, fused, weights[..., order]))


@of_classes
def outputs_follow_their_queries(subject, course, case):
    x, layer = subject.inputs(case), subject.layer(course, case)
    order = torch.randperm(case.n, generator=torch.Generator().manual_seed(case.seed))
    mask = None if x.mask is None else case.allowed()[..., order, :]
    shuffled = x._replace(queries=x.queries[..., order, :], mask=mask)
    wanted = tuple(result[..., order, :] for result in both_ways(layer, x))
    assert_close(both_ways(layer, shuffled), wanted)


@of_classes
def keys_masked_for_one_query_do_not_reach_it(subject, course, case):
    x, layer = subject.inputs(case), subject.layer(course, case)
    i = case.seed % case.n
    masked = ~case.reached()[..., i, :].unsqueeze(-1)  # (*batch, m, 1)
    keys, values = (torch.where(masked, 50 - 7 * tensor, tensor) for tensor in x[1:3])
    changed = x._replace(keys=keys, values=values)
    for before, after in zip(both_ways(layer, x), both_ways(layer, changed), strict=True):
        assert_close(after[..., i, :], before[..., i, :])


@of_classes
def keys_masked_for_all_queries_change_nothing(subject, course, case):
    """Whatever their size: no result and no gradient, of no parameter."""
    x, layer = subject.inputs(case), subject.layer(course, case)
    masked = ~case.reached().any(-2).unsqueeze(-1)  # (*batch, m, 1)
    results = []
    for shift, scale in ((0, 1), (50, -7), (1e6, 1)):
        keys, values = (torch.where(masked, shift + scale * tensor, tensor) for tensor in x[1:3])
        for way in range(2):
            leaves = [tensor.clone().requires_grad_() for tensor in (x.queries, keys, values)]
            output = both_ways(layer, Inputs(*leaves, x.mask))[way]
            leaves += layer.parameters()
            grads = torch.autograd.grad(output.square().sum(), leaves, allow_unused=True)
            results.append([output.detach(), *grads])
    for result in results[1:]:
        assert_close(result, results[0])
    for grad in results[0][2:4]:
        assert (grad[masked.expand_as(grad)] == 0).all()


@of_classes
def arguments_are_left_alone(subject, course, case):
    x, layer = subject.inputs(case), subject.layer(course, case)
    before = [None if tensor is None else tensor.clone() for tensor in x]
    both_ways(layer, x)
    for tensor, same in zip(x, before, strict=True):
        assert tensor is same or torch.equal(tensor, same)


@of_classes
def dropout_works_in_training_only(subject, course, case):
    """Each weight becomes 0 with probability p, else w / (1 - p); those returned are w.

    The values are two identities side by side: what is dropped is dropped from the whole value.
    """
    p, times = 0.25, 100
    if subject.has_heads:  # the one batch axis is for the repetitions
        case = dataclasses.replace(case, batch=(1,))
    x, layer, shown = subject.showing_weights(course, case, times=2, dropout=p)
    x = x._replace(queries=x.queries.expand(times, *x.queries.shape[subject.has_heads :]))
    wanted = shown(layer.eval()(*x))
    torch.manual_seed(case.seed)
    *dropped, weights = both_ways(layer.train(), x)
    assert_close(weights, wanted[..., ::2])
    for output in map(shown, dropped):
        kept = output[..., ::2] != 0
        assert_close(output, torch.where(kept.repeat_interleave(2, dim=-1), wanted / (1 - p), 0.0))
        if count := (weights > 0).sum().item():  # 100 or more; 6 sigma: once in 10^8
            share = 1 - kept.sum().item() / count
            assert abs(share - p) < 6 * math.sqrt(p * (1 - p) / count), share
    for output in both_ways(layer.eval(), x)[:2]:
        assert_close(shown(output), wanted)
    assert torch.equal(layer(*x), layer(*x))


def small(case):
    """At most 2 sequences of 2 or 3: gradcheck goes through every number."""
    sizes = {name: min(getattr(case, name), 3) for name, ones in RANGES.items() if ones is SIZES}
    if case.heads:
        sizes["v"] = sizes["d"] * case.num_heads
    return dataclasses.replace(case, batch=tuple(min(size, 2) for size in case.batch), **sizes)


@of_classes
def gradients_are_right(subject, course, case):
    case = small(case)
    x, layer = subject.inputs(case), subject.layer(course, case)
    tensors = [tensor.requires_grad_() for tensor in (*x[:3], *subject.state(case).values())]

    def call(queries, keys, values, *parameters, need_weights):
        state = dict(zip(subject.state(case), parameters, strict=True))
        options = {"need_weights": need_weights}
        return torch.func.functional_call(layer, state, (queries, keys, values, x.mask), options)

    for need_weights in (True, False):
        function = partial(call, need_weights=need_weights)
        assert torch.autograd.gradcheck(function, tensors, fast_mode=True)


def close_in(dtype, eps=2):
    """Comparison of a result in a dtype with the result in float64 from the same numbers.

    The numbers are about 1 or smaller. The worst of 1500 cases is 0.5 eps away, with four more
    linear maps 1.5 eps: 2 and 5 eps are allowed.
    """
    allowed = eps * torch.finfo(dtype).eps
    return partial(assert_close, rtol=allowed, atol=allowed, check_dtype=False)


HALF = (torch.float16, torch.bfloat16)


@of_classes
def precisions(subject, course, case):
    """fp16, bf16 and fp32: results of that dtype, right up to its roundings."""
    for dtype in (*HALF, torch.float32):
        state = {name: (tensor / 4).to(dtype) for name, tensor in subject.state(case).items()}
        layer = subject.layer(course, case).to(dtype)
        layer.load_state_dict(state)
        *tensors, mask = subject.inputs(case)
        x = Inputs(*((tensor / 4).to(dtype) for tensor in tensors), mask)
        exact = Inputs(*(tensor.double() for tensor in x[:3]), mask)
        exact_state = {name: tensor.double() for name, tensor in state.items()}
        output, weights = subject.reference(exact, exact_state, case)
        results = both_ways(layer, x)
        assert [result.dtype for result in results] == [dtype] * 3
        close_in(dtype, subject.eps)(results, (output, output, weights))


def strided(tensor):
    """The same numbers, none of them beside another in memory."""
    space = tensor.new_zeros(*tensor.shape[:-2], 2 * tensor.shape[-1], 2 * tensor.shape[-2])
    return space[..., ::2, ::2].mT.copy_(tensor)


@of_classes
def strided_and_broadcast_inputs(subject, course, case):
    x, layer = subject.inputs(case), subject.layer(course, case)
    apart = Inputs(*(None if tensor is None else strided(tensor) for tensor in x))
    assert_close(both_ways(layer, apart), both_ways(layer, x))
    first = (slice(1),) if subject.has_heads else (0,) * len(case.batch)
    for names in (("queries",), ("keys", "values")):  # one for all sequences
        one = {name: getattr(x, name)[first] for name in names}
        stride_0 = {name: one[name].expand_as(getattr(x, name)) for name in names}
        full = {name: tensor.contiguous() for name, tensor in stride_0.items()}
        wanted = both_ways(layer, x._replace(**full))
        for some in (one, stride_0):
            assert_close(both_ways(layer, x._replace(**some)), wanted)


@of_classes
def state_dict_round_trip(subject, course, case):
    """What is saved is what is trained, and all that another layer needs."""
    x, layer = subject.inputs(case), subject.layer(course, case)
    wanted = both_ways(layer, x)
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    other = subject.layer(course, dataclasses.replace(case, seed=case.seed + 1))
    other.load_state_dict(torch.load(file))
    for one, result in zip(both_ways(other, x), wanted, strict=True):
        assert torch.equal(one, result)
    assert set(dict(other.named_parameters())) == set(subject.shapes(case))


@of_classes
def autocast_mixes_dtypes(subject, course, case):
    x, layer = subject.inputs(case), subject.layer(course, case).float()
    mixed = Inputs(x.queries.float(), x.keys.bfloat16(), x.values.half(), x.mask)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        results = both_ways(layer, mixed)
    assert [result.dtype for result in results] == [torch.bfloat16] * 3


@contextmanager
def named(error, words):
    """What runs here raises such an error, in one line with these words."""
    with pytest.raises(error, match=re.escape(words)) as raised:
        yield
    assert "\n" not in str(raised.value)


@of_classes
def no_sequences_no_queries_or_no_keys(subject, course, case):
    """No key gives the same as a row of the mask without a key."""
    for none in ({"n": 0}, {"m": 0}, {"n": 0, "m": 0}, {"batch": (0, *case.batch[1:])}):
        empty = dataclasses.replace(case, **none)
        output, fused, weights = both_ways(subject.layer(course, empty), subject.inputs(empty))
        assert weights.shape == empty.allowed().shape
        nothing = subject.output_of_nothing(case).expand(*empty.batch, empty.n, -1)
        assert_close((output, fused), (nothing, nothing))


# ---------------------------------------------------------------- sequences, and heads


@of_classes
def nothing_comes_from_later(subject, course, case):
    """Under `causal_mask`, in train mode (without dropout) and in eval mode."""
    i = case.seed % case.n
    case = dataclasses.replace(case, m=case.n, kind="none")
    x, layer = subject.inputs(case), subject.layer(course, case)
    later = (torch.arange(case.n) > i)[:, None]
    changed = Inputs(*(torch.where(later, 50 - 7 * tensor, tensor) for tensor in x[:3]), None)
    for training in (True, False):
        layer.train(training)
        both = (some._replace(mask=course.causal_mask(case.n)) for some in (x, changed))
        for one, other in zip(*(both_ways(layer, some) for some in both), strict=True):
            assert_close(other[..., : i + 1, :], one[..., : i + 1, :])


@of_classes
def one_at_a_time_equals_all_at_once(subject, course, case):
    """Each query with the keys so far; there are keys before the first, as in a continuation."""
    n, offset = case.n, case.m - 1
    case = dataclasses.replace(case, m=offset + n, kind="none")
    x, layer = subject.inputs(case), subject.layer(course, case)
    wanted = both_ways(layer, x._replace(mask=course.causal_mask(n, offset)))
    for i in range(n):
        seen = offset + i + 1
        row = slice(i, i + 1)
        keys, values = (tensor[..., :seen, :] for tensor in x[1:3])
        one = Inputs(x.queries[..., row, :], keys, values, course.causal_mask(1, seen - 1))
        output, fused, weights = (result[..., row, :] for result in wanted)
        assert_close(both_ways(layer, one), (output, fused, weights[..., :seen]))


@of_classes
def self_attention_knows_no_positions(subject, course, case):
    """A sequence in another order, and its mask too, gives the same results in that order."""
    n = case.n
    order = torch.randperm(n, generator=torch.Generator().manual_seed(case.seed))
    case = dataclasses.replace(case, m=n, key_size=case.query_size)
    sequence, mask = subject.inputs(case).queries, case.allowed()
    layer = subject.layer(course, case)
    moved = sequence[..., order, :]
    for before, after in ((None, None), (mask, mask[..., order, :][..., order])):
        output, fused, weights = both_ways(layer, Inputs(sequence, sequence, sequence, before))
        wanted = [some[..., order, :] for some in (output, fused, weights)]
        wanted[2] = wanted[2][..., order]
        assert_close(both_ways(layer, Inputs(moved, moved, moved, after)), tuple(wanted))


@of_heads
def order_of_the_heads_does_not_matter(subject, course, case):
    """They are blocks of rows before the pooling, and of columns of W_o behind it."""
    H, x, layer = case.num_heads, subject.inputs(case), subject.layer(course, case)
    order = torch.randperm(H, generator=torch.Generator().manual_seed(case.seed))
    columns = torch.arange(case.v).unflatten(0, (H, -1))[order].flatten()
    state = {name: tensor[columns] for name, tensor in subject.state(case).items()}
    state |= {name: tensor for name, tensor in subject.state(case).items() if name == "W_o.bias"}
    state["W_o.weight"] = subject.state(case)["W_o.weight"][:, columns]
    output, fused, weights = both_ways(layer, x)
    layer.load_state_dict(state)
    mask = None if x.mask is None else case.allowed()[:, order]
    assert_close(both_ways(layer, x._replace(mask=mask)), (output, fused, weights[:, order]))


def masks_of_all_shapes(case):
    """One for all, for each sequence, the same for each head, and for each head its own."""
    n, m, B, H = case.n, case.m, *case.batch, case.num_heads
    shapes = (n, m), (B, n, m), (B, 1, n, m), (B, H, n, m)
    return [noise > -0.3 for noise in case.randn(*shapes, stream=1)]


def for_all_heads(mask, case):
    """In full, (B, H, n, m)."""
    mask = mask if mask.dim() == 4 else mask.unsqueeze(-3)
    return mask.expand(*case.batch, case.num_heads, case.n, case.m)


@of_heads
def equals_nn_under_masks_of_all_shapes(subject, course, case):
    """And where keys are padding. Rows without a key, which are nan there, are left out."""
    x, layer = subject.inputs(case), subject.layer(course, case)
    theirs = torchs_heads(subject.state(case), case)
    generator = torch.Generator().manual_seed(case.seed)
    lengths = torch.randint(case.m + 1, case.batch, generator=generator)
    real = course.length_mask(lengths, case.m)  # (B, 1, m)
    for mask in (torch.ones(1, 1, dtype=torch.bool), *masks_of_all_shapes(case)):
        both = mask & (real.unsqueeze(1) if mask.dim() == 4 else real)
        for ours, padding in ((mask, None), (both, ~real.squeeze(1))):
            its = {"attn_mask": ~for_all_heads(mask, case).flatten(0, 1)}
            call = partial(theirs, *x[:3], **its, key_padding_mask=padding)
            wanted, its_weights = call(average_attn_weights=False)
            output, fused, weights = both_ways(layer, x._replace(mask=ours))
            seen = for_all_heads(ours, case).any(-1)  # (B, H, n)
            rows = seen.all(1)
            assert_close(weights[seen], its_weights[seen])
            assert_close(output[rows], wanted[rows])
            assert_close(fused[rows], call(need_weights=False)[0][rows])


# ---------------------------------------------------------------- heads with a cache


def sequence(subject, course, case):
    """A case of as many keys as queries, 2 or more, its inputs without a mask, and a layer."""
    case = dataclasses.replace(case, n=case.n + 1, m=case.n + 1, kind="none")
    return case, subject.inputs(case), subject.layer(course, case)


def in_steps(layer, x, starts, cache, **options):
    """What each call gives: queries, keys and values from one start to the next."""
    for a, b in itertools.pairwise([*starts, x.queries.shape[1]]):
        mask = None if x.mask is None else x.mask[..., a:b, :b]
        yield layer(*(tensor[:, a:b] for tensor in x[:3]), mask, cache=cache, **options)


@of_heads
def steps_with_a_cache_equal_one_pass(subject, course, case):
    """Weights too, in two steps and one by one. With nothing new, the last step once more."""
    case, x, layer = sequence(subject, course, case)
    n = case.n
    for starts in ([0, 1 + case.seed % (n - 1)], [*range(n)]):
        ends, there = [*starts[1:], n], torch.zeros(n, n, dtype=torch.bool)
        for a, b in zip(starts, ends, strict=True):
            there[a:b, :b] = True
        for mask in (there, *(some & there for some in masks_of_all_shapes(case))):
            x, cache, other = x._replace(mask=mask), course.Cache(), course.Cache()
            output, fused, weights = both_ways(layer, x)
            assert_close(torch.cat([*in_steps(layer, x, starts, cache)], dim=1), fused)
            steps = [*in_steps(layer, x, starts, other, need_weights=True)]
            for a, b, step in zip(starts, ends, steps, strict=True):
                assert_close(step, (output[:, a:b], weights[:, :, a:b, :b]))
            nothing = x.keys[:, :0], x.values[:, :0]
            again = layer(x.queries[:, a:], *nothing, mask[..., a:, :], True, cache)
            assert_close(again, steps[-1])


@of_heads
def keys_and_values_are_made_once(subject, course, case):
    """Projected and split, and kept under their layer."""
    case, x, layer = sequence(subject, course, case)
    cache, made, state = course.Cache(), [], layer.state_dict()
    for part in (layer.W_k, layer.W_v):
        part.register_forward_hook(lambda part, given, result: made.append(result.shape[1]))
    list(in_steps(layer, x, range(case.n), cache))
    assert sum(made) == 2 * case.n and list(cache.kept) == [layer] and len(cache) == case.n
    for kept, tensor, name in zip(cache.kept[layer], x[1:3], ("W_k", "W_v"), strict=True):
        wanted = F.linear(tensor, state[f"{name}.weight"], state.get(f"{name}.bias"))
        assert_close(kept, wanted.unflatten(-1, (case.num_heads, -1)).transpose(1, 2))


@of_heads
def layers_may_share_a_cache(subject, course, case):
    """Each finds its own in it, in calls by turns."""
    some, x, layer = sequence(subject, course, case)
    other = subject.layer(course, dataclasses.replace(some, seed=case.seed + 1))
    shared, starts = course.Cache(), range(some.n)
    turns = zip(*(in_steps(one, x, starts, shared) for one in (layer, other)), strict=True)
    for one, steps in zip((layer, other), zip(*turns, strict=True), strict=True):
        assert_close(steps, tuple(in_steps(one, x, starts, course.Cache())))
    assert set(shared.kept) == {layer, other}


@of_heads
def a_call_that_fails_leaves_the_cache_alone(subject, course, case):
    """A mask for the new keys alone or for one key too many, and a batch of another size."""
    case, x, layer = sequence(subject, course, case)
    n, B, cache = case.n, len(x.keys), course.Cache()
    layer(*x, cache=cache)
    kept = cache.kept[layer]
    larger = Inputs(*(torch.cat([tensor, tensor[:1]]) for tensor in x[:3]), None)
    for wrong, words in (
        *((x._replace(mask=torch.ones(n, m, dtype=torch.bool)), f"mask has shape ({n}, {m});")
          for m in (n, 2 * n + 1)),
        (larger, f"keys has {B + 1} sequences; wanted {B}, as the cache"),
    ):  # fmt: skip
        with named(ValueError, words):
            layer(*wrong, cache=cache)
        assert cache.kept[layer] is kept


@of_functions
def a_cache_keeps_all_so_far(course, case):
    """Of each layer, whose numbers may differ: its length is that of the first one."""
    cache, B, H, d = course.Cache(), case.h, case.num_heads, case.d
    assert len(cache) == 0 and not cache
    sizes = {"first": [case.n, 0, 1], "second": [case.m, case.m, 0]}
    both = case.randn(*((2, B, H, sum(some), d) for some in sizes.values()))  # keys and values
    before = [x.clone() for x in both]
    for i in range(3):
        for (layer, some), x in zip(sizes.items(), both, strict=True):
            kept = cache.update(layer, *x.split(some, dim=3)[i])
            assert torch.equal(torch.stack(kept), x[..., : sum(some[: i + 1]), :])
        assert len(cache) == sum(sizes["first"][: i + 1])
    assert all(torch.equal(x, same) for x, same in zip(both, before, strict=True))


@of_functions
def a_cache_reorders_its_rows(course, case):
    """Those of every layer; a row may be repeated or dropped, and what is new comes behind it."""
    cache, B = course.Cache(), case.h
    (x,) = case.randn((2, 2, B, case.num_heads, case.n, case.d))  # 2 layers, keys and values
    rows = torch.randint(B, (case.m,), generator=torch.Generator().manual_seed(case.seed))
    for layer, new in enumerate(x):
        cache.update(layer, *new)
    cache.reorder(rows)
    assert len(cache) == case.n
    for layer, new in enumerate(x):
        kept = cache.update(layer, *new[:, rows])
        assert torch.equal(torch.stack(kept), torch.cat([new[:, rows]] * 2, dim=3))


# ---------------------------------------------------------------- properties of the functions


def scores_and_mask(case):
    (scores,) = case.randn((*case.batch, case.n, case.m))
    return scores, case.mask()


def softmax_reference(scores, allowed):
    weights = torch.softmax(scores.masked_fill(~allowed, -math.inf), dim=-1)
    return weights.masked_fill(~allowed.any(-1, keepdim=True), 0.0)


@of_functions
def masked_softmax_equals_torch(course, case):
    """At any size of the scores: large, far below zero, of several sizes at once."""
    scores, mask = scores_and_mask(case)
    for changed in (scores, 1e3 * scores, scores - 1e12, scores + 1e12, scores * scores.exp() ** 5):
        weights = course.masked_softmax(changed, mask)
        assert_close(weights, softmax_reference(changed, case.allowed()))
        assert (weights[~case.allowed()] == 0).all()


@of_functions
def masked_scores_may_be_anything(course, case):
    """nan and inf too: neither the weights nor the gradient change."""
    scores, mask = scores_and_mask(case)
    factors = scores.flip(-2)
    results = []
    for content in (0.0, math.nan, math.inf, -math.inf, 1e300):
        leaf = scores.masked_fill(~case.allowed(), content).requires_grad_()
        weights = course.masked_softmax(leaf, mask)
        with torch.autograd.set_detect_anomaly(True):  # raises for a nan on the way, too
            (weights * factors).sum().backward()
        results.append((weights.detach(), leaf.grad))
    for result in results[1:]:
        assert_close(result, results[0])


@of_functions
def scores_are_left_alone(course, case):
    """A leaf that wants a gradient, a strided and an expanded tensor are scores too."""
    scores, mask = scores_and_mask(case)
    row = scores[..., :1, :].expand_as(scores)
    for given_ in (scores.clone().requires_grad_(), strided(scores), row):
        before = given_.clone()
        weights = course.masked_softmax(given_, mask)
        assert torch.equal(given_, before)
        assert_close(weights, softmax_reference(before, case.allowed()))


@of_functions
def masked_softmax_in_all_precisions(course, case):
    scores, mask = scores_and_mask(case)
    for dtype in (*HALF, torch.float32, torch.float64):
        rounded = (scores / 4).to(dtype)
        weights = course.masked_softmax(rounded, mask)
        assert weights.dtype == dtype
        close_in(dtype)(weights, softmax_reference(rounded.double(), case.allowed()))


@of_functions
def masked_softmax_has_the_right_gradient(course, case):
    scores, mask = scores_and_mask(small(case))
    function = partial(course.masked_softmax, mask=mask)
    assert torch.autograd.gradcheck(function, scores.requires_grad_(), fast_mode=True)


@of_functions
def length_mask_counts(course, case):
    """For any kind of integer; m may be larger than such an integer."""
    for m in (case.m, 300):
        generator = torch.Generator().manual_seed(case.seed)
        lengths = torch.randint(0, min(m, 127) + 1, (case.d, case.n), generator=generator)
        for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
            for some in (lengths.to(dtype), lengths[:, 0].to(dtype)):
                mask = course.length_mask(some, m)
                rows = some.reshape(case.d, -1).tolist()
                assert mask.dtype == torch.bool
                wanted = [[[j < length for j in range(m)] for length in row] for row in rows]
                assert mask.tolist() == wanted


@of_functions
def causal_mask_never_looks_ahead(course, case):
    n = case.n
    assert torch.equal(course.causal_mask(n), course.causal_mask(n, 0))
    for offset in (0, case.m):
        mask = course.causal_mask(n, offset)
        assert mask.dtype == torch.bool
        assert mask.tolist() == [[j <= offset + i for j in range(offset + n)] for i in range(n)]
        for device in ("cpu", torch.device("meta")):
            assert course.causal_mask(n, offset, device=device).device == torch.device(device)
            assert course.causal_mask(n, offset, device).shape == mask.shape


def dot(queries, keys):
    return queries @ keys.mT


@of_functions
def pooling_equals_torch(course, case):
    """Equal also when all scores are 1000 higher."""
    q, k, v, _ = case.inputs(case.d, case.d)
    wanted = F.scaled_dot_product_attention(q, k, v, scale=1.0), torch.softmax(dot(q, k), dim=-1)
    assert_close(course.attention_pooling(q, k, v, dot), wanted)
    assert_close(course.attention_pooling(q, k, v, lambda q, k: dot(q, k) + 1000), wanted)


@of_functions
def pooling_has_the_right_gradient(course, case):
    case = small(case)
    qkv = [tensor.requires_grad_() for tensor in case.inputs(case.d, case.d)[:3]]
    function = partial(course.attention_pooling, score=dot)
    assert torch.autograd.gradcheck(function, qkv, fast_mode=True)


# ---------------------------------------------------------------- properties of the encoding


def encoded(course, case, **options):
    """Vectors (*batch, n, d), and an encoding of that width in eval mode."""
    (x,) = case.randn((*case.batch, case.n, case.d))
    return x, course.PositionalEncoding(case.d, **options).eval()


def codes(first, n, D):
    """Equation (10.1) number by number, for the places from `first` on."""

    def code(place, column):
        angle = place * 10000 ** (-(column - column % 2) / D)
        return math.cos(angle) if column % 2 else math.sin(angle)

    rows = [[code(place, column) for column in range(D)] for place in range(first, first + n)]
    return torch.tensor(rows, dtype=torch.float64)


@of_functions
def encoding_adds_the_codes(course, case):
    """At the first places and at the last ones, up to the rounding of a table in float32."""
    x, layer = encoded(course, case)
    before = x.clone()
    for offset in (0, case.m, 1000 - case.n):
        result = layer(x, offset)
        assert_close(result, before + codes(offset, case.n, case.d), atol=1e-7, rtol=0)
        assert torch.equal(x, before)


@of_functions
def encoding_in_all_precisions(course, case):
    for dtype in (*HALF, torch.float32, torch.float64):
        for table in (torch.float32, dtype):
            x, layer = encoded(course, case)
            result = layer.to(table)(x.to(dtype), case.m)
            assert result.dtype == dtype
            wanted = x.to(dtype).double() + codes(case.m, case.n, case.d)
            assert_close(result.double(), wanted, atol=1e-6 + 4 * torch.finfo(dtype).eps, rtol=0)


@of_functions
def encoding_trains_nothing_but_its_input(course, case):
    """Its table goes where the module goes, and is in no file: other lengths can be loaded."""
    x, layer = encoded(course, case)
    assert not list(layer.parameters()) and not layer.state_dict()
    layer(x.requires_grad_()).sum().backward()
    assert (x.grad == 1).all()
    assert layer.to("meta")(x.to("meta")).device.type == "meta"


@of_functions
def encoding_drops_in_training_only(course, case):
    """Entries of the sum become 0 with probability p, the others grow by 1 / (1 - p)."""
    p, times = 0.25, 100
    x, layer = encoded(course, case, dropout=p)
    wanted = layer(x)
    torch.manual_seed(case.seed)
    dropped = layer.train()(x.expand(times, *x.shape))
    kept = dropped != 0
    assert_close(dropped, torch.where(kept, wanted / (1 - p), 0.0))
    share = 1 - kept.double().mean().item()
    assert abs(share - p) < 6 * math.sqrt(p * (1 - p) / kept.numel()), share


# ---------------------------------------------------------------- what does not fit


X, TOKENS = torch.zeros(3, 4, 8), torch.zeros(1, 4).long()
LAYER, MODEL = MultiHeadAttention(8, 2), nn.Module().eval()
MODEL.embedding = nn.Embedding(9, 2)
BAD_CALLS = [  # of each public name, of each check that is shared, and words that say what is wrong
    (TypeError, "valid_lens is list; wanted a tensor of integers", length_mask, [2, 3], 5),
    (ValueError, "valid_lens has shape (3, 4, 8); wanted (B,), a length", length_mask, X.long(), 5),
    (ValueError, "valid_lens holds 6; wanted 0 to m = 5", length_mask, torch.tensor([[5, 6]]), 5),
    (ValueError, "valid_lens holds -2; wanted 0 to m = 5", length_mask, torch.tensor([-2]), 5),
    (ValueError, "mask is torch.float32; wanted torch.bool, True = may", masked_softmax, X, X),
    *((ValueError, f"mask has shape {shape}; wanted one that broadcasts to the shape of the scores",
       masked_softmax, X[0], torch.zeros(shape) > 0) for shape in ((4, 7), (1, 4, 8))),
    (ValueError, "keys has shape (8,); wanted 2 axes", DotProductAttention(), X, X[0, 0], X),
    (ValueError, "values has 3 rows; wanted 4, one per key", DotProductAttention(), X, X, X[:, :3]),
    (ValueError, "values has 3 rows; wanted 4, one per key", LAYER, X, X, X[:, :3]),
    (TypeError, "mask is list; wanted torch.bool, True = may", LAYER, X, X, X, [[True]]),
    (ValueError, "mask has shape (4,); wanted 2 axes or more, the last two for queries and keys",
     DotProductAttention(), X, X, X, torch.ones(4) > 0),
    (ValueError, "mask has shape (2, 4, 4); wanted one that broadcasts to the shape of the scores, "
     "(3, 4, 4)", AdditiveAttention(8, 8, 2), X, X, X, torch.ones(2, 4, 4) > 0),
    *((ValueError, f"num_heads is {H}; wanted a divisor of d_model, which is 8",
       MultiHeadAttention, 8, H) for H in (3, 16, 0)),
    (ValueError, "keys has shape (4, 8); wanted 3 axes", LAYER, X, X[0], X[0]),
    (ValueError, "of the scores, (3, 4, 4)", LAYER, X, X, X, torch.ones(2, 4, 4) > 0),
    (ValueError, "of the scores, (3, 2, 4, 4)", LAYER, X, X, X, torch.ones(3, 3, 4, 4) > 0),
    (ValueError, "x is torch.int64; wanted a tensor of floats", PositionalEncoding(8), X.long()),
    (ValueError, "x has shape (3, 4, 1); wanted (..., n, 8)", PositionalEncoding(8), X[..., :1]),
    (ValueError, "offset is -1; wanted 0 or more", PositionalEncoding(8), X, -1),
    (ValueError, "x ends at position 3; wanted 2 or less, or an encoding with max_len=4 or more",
     PositionalEncoding(8, max_len=3), X[:, :1], 3),
    (TypeError, "n is True; wanted a whole number", checks.whole_number, "n", True, 0, 5),
    (TypeError, "n is 'Tensor'; wanted a whole number", checks.whole_number, "n", X, 0, 5),
    (ValueError, "n is 6; wanted a whole number from 0 to 5", checks.whole_number, "n", 6, 0, 5),
    (ValueError, "tgt is torch.float32; wanted a tensor", checks.tokens, "tgt", X, 9),
    (ValueError, "tgt has shape (4,); wanted 2 axes", checks.tokens, "tgt", TOKENS[0], 9),
    (ValueError, "tgt holds 9; wanted 0 to 8", checks.tokens, "tgt", TOKENS + 9, 9),
    (ValueError, "warm_up is 6; wanted at most steps, which is 5", checks.schedule, 5, None, 6),
    (ValueError, "model is in training mode; wanted model.eval()", checks.evaluating, LAYER),
    (ValueError, "text has shape (4,); wanted (N,), N more than", checks.text, TOKENS[0], 4),
    (ValueError, "context is 1; wanted 2 or more", checks.generating, MODEL, TOKENS, 1.0, None, 1),
    (ValueError, "temperature is 0.0; wanted", checks.generating, MODEL, TOKENS, 0.0, None, 4),
    (ValueError, "p is 0.0; wanted more than 0", checks.generating, MODEL, TOKENS, 1.0, 0.0, 4),
]  # fmt: skip


@pytest.mark.parametrize("error, words, call, x", [(*bad[:3], bad[3:]) for bad in BAD_CALLS],
                         ids=[words for _, words, *_ in BAD_CALLS])  # fmt: skip
def test_what_does_not_fit_is_named(error, words, call, x):
    with named(error, words):
        call(*x)


# ---------------------------------------------------------------- tests


@pytest.mark.parametrize("name", PROPERTIES)
@given(case=cases())
def test_property(name, case):
    PROPERTIES[name](COURSE, case)


def test_places_by_hand():
    """The table of page 10; the hands go on where a text is continued."""
    x = torch.ones(2, 4)
    wanted = torch.tensor([[0.1411, -0.9900, 0.0300, 0.9996], [-0.7568, -0.6536, 0.0400, 0.9992]])
    assert_close(PositionalEncoding(4)(x, offset=3), 1 + wanted, atol=1e-4, rtol=0)


def test_a_score_of_minus_infinity_is_a_weight_of_0():
    """A caller who adds a mask of floats to the scores may give a boolean one too."""
    scores = torch.tensor([[-math.inf, 1.0, 1.0, 1.0]])
    weights = masked_softmax(scores, length_mask(torch.tensor([[3]]), 4)[0])
    assert weights.tolist() == [[0.0, 0.5, 0.5, 0.0]]


@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize("layer, batch", [
    (DotProductAttention(), ()), (AdditiveAttention(4, 4, 6), ()), (MultiHeadAttention(4, 2), (1,)),
])  # fmt: skip
def test_vmap_equals_a_batch(layer, batch):
    torch.manual_seed(0)
    mask = causal_mask(5) & length_mask(torch.tensor([0, 2, 5]), 5)
    x = Inputs(*torch.randn(3, 3, *batch, 5, 4), mask.reshape(3, *batch, 5, 5))
    wanted = both_ways(layer, Inputs(*(tensor.flatten(0, -3) for tensor in x)))
    results = torch.func.vmap(partial(both_ways, layer))(x)
    for result, one in zip(results, wanted, strict=True):
        assert_close(result.reshape(one.shape), one)
