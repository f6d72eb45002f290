"""What the tests of the taught code share: random cases, references, and the list of properties.

A property is a function of the code under test, `course`, and of a `Case`. In the test files
hypothesis draws the cases and `course` is what the pages keep; `test_mutants.py` gives the same
functions plausible wrong versions of it, and shows that each is caught.
"""

import dataclasses
import math
import re
from collections import defaultdict
from contextlib import contextmanager
from functools import partial
from inspect import signature
from typing import NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tests.course import COURSE

# A slow moment of a busy machine is no fault of the code, and a case that nobody has seen before is
# none of the change under test: the same cases are drawn in every run.
settings.register_profile("course", deadline=None, derandomize=True)
settings.load_profile("course")


# ---------------------------------------------------------------- properties

# part -> name -> property
PROPERTIES = defaultdict(dict)


def property_of(part):
    """The function below is a property of what this part of the course keeps."""

    def keep(function):
        PROPERTIES[part][function.__name__] = function
        return function

    return keep


def hold(part, examples):
    """A test of each property of a part, on so many cases; on one, if it calls the case `_`."""
    done = set()

    @pytest.mark.parametrize("name", PROPERTIES[part])
    @given(case=cases())
    @settings(max_examples=examples)
    def test_property(name, case):
        if name not in done:
            PROPERTIES[part][name](COURSE, case)
        if "_" in signature(PROPERTIES[part][name]).parameters:
            done.add(name)

    return test_property


@contextmanager
def named(error, words):
    """What runs here raises such an error, in one line with these words."""
    with pytest.raises(error, match=re.escape(words)) as raised:
        yield
    assert "\n" not in str(raised.value)


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


# ---------------------------------------------------------------- references

HALF = (torch.float16, torch.bfloat16)


def softmax_reference(scores, allowed):
    """A row without a key is left as it is before the softmax, so that its gradient is no nan."""
    has_key = allowed.any(-1, keepdim=True)
    weights = torch.softmax(scores.masked_fill(~allowed & has_key, -math.inf), dim=-1)
    return weights.masked_fill(~allowed, 0.0)


def codes(first, n, D, base=10_000):
    """Equation (10.1) number by number, for the places from `first` on."""

    def code(place, column):
        angle = place * base ** (-(column - column % 2) / D)
        return math.cos(angle) if column % 2 else math.sin(angle)

    rows = [[code(place, column) for column in range(D)] for place in range(first, first + n)]
    return torch.tensor(rows, dtype=torch.float64)


def later(n):
    """torch's causal mask, True = may not attend."""
    return torch.ones(n, n, dtype=torch.bool).triu(1)


def states_by_hand(model, batches, loss_of, steps, warm_up, rate):
    """The parameters after each step of Adam, at the rates of equation (12.2)."""
    optimizer, states = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98)), []
    for s, batch in enumerate(batches, 1):
        share = min(s / warm_up if warm_up else 1, (steps + 1 - s) / (steps + 1 - warm_up))
        optimizer.param_groups[0]["lr"] = rate * share
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
        states.append({name: tensor.clone() for name, tensor in model.state_dict().items()})
    return states


# ---------------------------------------------------------------- models


class Sizes(NamedTuple):
    src_vocab: int
    tgt_vocab: int
    d_model: int
    num_heads: int
    num_layers: int
    d_hidden: int
    pad: int


def sizes(case):
    """With two features at least: the normalisation of one leaves nothing."""
    vocabs, D = (case.query_size + 3, case.key_size + 3), (case.d + 1) * case.num_heads
    return Sizes(*vocabs, D, case.num_heads, 2 - case.seed % 2, case.h, case.v % 3)


def own_state(module, case):
    """Parameters of our own, in float64: so no two of them are one by accident."""
    shapes = {name: tensor.shape for name, tensor in module.state_dict().items()}
    values = zip(shapes, case.randn(*shapes.values(), stream=2), strict=True)
    return {name: tensor / math.sqrt(tensor.shape[-1:].numel()) for name, tensor in values}


def own(module, case):
    module.double().load_state_dict(own_state(module, case))
    return module


@torch.no_grad()
def lively(model):
    """With what makes a random model write more than one token again and again."""
    for name, parameter in model.named_parameters():
        if "norm" in name or name == "output.bias":
            nn.init.constant_(parameter, float("weight" in name))
        elif name in ("source.weight", "target.weight", "embedding.weight", "output.weight"):
            parameter *= 3
    return model.eval()


def results_of(model):
    """A dict that fills as the model runs: name of a linear map -> its results, one per call."""
    results = {}

    def note(module, inputs, result, name):
        results.setdefault(name, []).append(result.detach())

    for name, module in model.named_modules():
        if isinstance(module, nn.Linear):
            module.register_forward_hook(partial(note, name=name))
    return results
