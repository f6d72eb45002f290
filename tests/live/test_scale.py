"""The divisor of page 4."""

import math

import numpy as np
import torch

from tests.live.figure import FigureTest
from utils import live


class TestScale(FigureTest):
    kind = "scale"
    START = dict(d=256, divided=False, seed=1)
    STATES = [dict(d=64, divided=True), dict(d=64), dict(d=1024, seed=2), dict(d=1, divided=True, seed=3)]
    WRONG = {
        "no divisor": {"sqrt(d) : 1)": "1 : 1)"},
        "the gradient without the mean": {"- dot(push, output))": ")"},
    }
    BROKEN = {
        "a dead reset": (
            {"this.reset())": "0)"},
            lambda self, page: self.check_controls(page, "keys", ["checkbox divide by √d"]),
        )
    }
    BAD = [({"width": 100}, "width is 100")]

    def example(self, **more):
        live.scale(**more)

    def truth(self, spec, state, found):
        query, keys, values = (
            torch.tensor(found[name], dtype=torch.float64) for name in ("query", "keys", "values")
        )
        assert query.shape == (state["d"],) and keys.shape == (16, state["d"])
        scores = keys @ query / (math.sqrt(state["d"]) if state["divided"] else 1)
        weights = torch.softmax(scores.requires_grad_(), dim=0)
        loss = (weights @ values - values[0]).square().mean()
        (gradient,) = torch.autograd.grad(loss, scores)
        entropy = torch.special.entr(weights).sum()
        truth = dict(scores=scores, weights=weights, gradient=gradient, entropy=entropy)
        return {name: x.detach() for name, x in (truth | {"norm": gradient.norm()}).items()}

    def test_the_draws_are_normal_and_counted(self, node):
        states = [dict(d=1024, divided=False, seed=seed) for seed in range(1, 5)]
        found = node.compute("scale", self.spec(), states)
        entries = np.concatenate([np.ravel(each["keys"]) for each in found])
        assert abs(entries.mean()) < 0.02 and abs(entries.std() - 1) < 0.02
        assert abs((entries**4).mean() - 3) < 0.2, "the tails are those of a normal distribution"
        assert found[0]["query"] != found[1]["query"]
        won = np.cumsum([np.argmax(each["scores"]) == 0 for each in found])
        assert [each["wins"] for each in found] == [[each, k] for k, each in enumerate(won, 1)]
