"""The divisor of page 4."""

import math

import numpy as np
import torch

from tests.live.figure import FigureTest, drawn, numbers


class TestScale(FigureTest):
    START = dict(d=256, divided=False, seed=1)
    STATES = [
        dict(d=64, divided=True),
        dict(d=64),
        dict(d=1024, seed=2),
        dict(d=1, divided=True, seed=3),
    ]
    WRONG = {
        "no divisor": {"sqrt(d) : 1)": "1 : 1)"},
        "the gradient without the mean": {"- dot(push, output))": ")"},
    }
    BROKEN = {"a dead reset": ("checkbox divide by √d", {"this.reset())": "0)"})}
    SAID = [
        (dict(d=64), "This row is saturated, and on a wrong key. The", ["0", "−12.10", "0.00"]),
        (
            dict(d=16, seed=21),
            "The largest weight is 0.78, and the entropy is 0.89 nats (2.77 if all were equal). "
            "The size of the gradient at the scores is 0.088. The correct key has won 1 of 21 draws.",
            ["0", "5.61", "0.78", "−0.0781"],
        ),
    ]
    BAD = [({"width": 100}, "width is 100")]

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

    def test_the_draws_are_normal(self, node):
        states = [dict(d=1024, divided=False, seed=seed) for seed in range(3)]
        found = node.compute("scale", self.spec(), states)
        entries = np.concatenate([np.ravel(each["keys"]) for each in found])
        assert abs(entries.mean()) < 0.02 and abs(entries.std() - 1) < 0.02
        assert abs((entries**4).mean() - 3) < 0.2, "the tails are those of a normal distribution"
        assert found[0]["query"] != found[1]["query"]

    def test_the_draws_are_counted(self, node):
        states = [dict(d=16, divided=False, seed=seed) for seed in range(1, 23)]
        found = node.compute("scale", self.spec(), states)
        won = np.cumsum([np.argmax(each["scores"]) == 0 for each in found])
        assert won[-1] > 0
        assert [each["wins"] for each in found] == [[each, k] for k, each in enumerate(won, 1)]

    def check_drawing(self, page):
        found = {name: np.array(x) for name, x in numbers(page, d=64, divided=True).items()}
        for kind, name in (("key", "scores"), ("query", "gradient")):
            y, height = drawn(page, f".bar-{kind}", "y", "height").T
            size = np.abs(found[name])
            size = (50 * size / size.max().clip(3 if kind == "key" else 0.1)).clip(0.6)
            np.testing.assert_allclose(height, size, atol=0.06)
            np.testing.assert_allclose(y, 76 - size * (found[name] > 0), atol=0.06)
        height = drawn(page, ".cell", "height")[:, 0]
        np.testing.assert_allclose(height, 100 * found["weights"] + 0.6, atol=0.06)
