"""The divisor of the scores."""

import math

import numpy as np
import pytest
import torch

from tests.live.figure import FigureTest, fails


class TestScale(FigureTest):
    START = dict(d=16, seed=133)
    STATES = [dict(d=64), dict(d=1024, seed=102), dict(d=1, seed=103)]
    WRONG = {
        "no divisor": {"divisors = [1, sqrt(d)]": "divisors = [1, 1]"},
        "the gradient without the mean": {"- dot(push, output))": ")"},
    }
    SAID = [
        (dict(), "At width 16 a wrong key takes 0.40 of the weight; divided by √d, it takes 0.17.", ["1"]),
        (dict(d=1024), "the gradient is almost zero", ["0, the correct one"]),
    ]  # fmt: skip

    def truth(self, spec, state, found):
        query, keys, values = (
            torch.tensor(found[name], dtype=torch.float64) for name in ("query", "keys", "values")
        )
        assert query.shape == (state["d"],) and keys.shape == (16, state["d"])
        both = []
        for divisor in (1, math.sqrt(state["d"])):
            scores = (keys @ query / divisor).requires_grad_()
            weights = torch.softmax(scores, dim=0)
            loss = (weights @ values - values[0]).square().mean()
            (gradient,) = torch.autograd.grad(loss, scores)
            both.append([scores.detach(), weights.detach(), gradient, gradient.norm()])
        return dict(zip(["scores", "weights", "gradient", "norm"], map(torch.stack, zip(*both))))

    def test_the_draws_are_normal(self, node):
        states = [dict(d=1024, seed=seed) for seed in range(101, 104)]
        found = node.compute("scale", self.spec(), states)
        entries = np.concatenate([np.ravel(each["keys"]) for each in found])
        assert abs(entries.mean()) < 0.02 and abs(entries.std() - 1) < 0.02
        assert abs((entries**4).mean() - 3) < 0.2, "the tails are those of a normal distribution"
        assert found[0]["query"] != found[1]["query"]

    def hold_counts(self, node, wrong=None):
        """The last 100 draws are counted and sorted as each of them says alone."""
        states = [dict(d=16, seed=seed) for seed in range(100, 201)]
        found = node.compute("scale", self.spec(), states, wrong)
        weights = torch.tensor([each["weights"] for each in found])  # (draws, 2, 16)
        for last, each in ((weights[:100], found[99]), (weights[1:], found[100])):
            top, won = last.max(dim=-1)
            assert torch.equal(won[:, 0], won[:, 1]), "who wins doesn't depend on the divisor"
            assert each["wins"] == (won[:, 0] == 0).sum()
            assert each["saturated"] == (top > 0.95).sum(dim=0).tolist()
            for share, tops in zip(each["shares"], top.T):
                counts = torch.histc(tops.double(), bins=10, min=0, max=1)
                np.testing.assert_allclose(share, counts / 100, atol=1e-9)

    def test_the_draws_are_counted(self, node):
        self.hold_counts(node)

    @pytest.mark.mutants
    def test_a_wrong_count_is_noticed(self, node):
        words = {"largest(products) === 0": "largest(products) === 1"}
        assert fails(lambda: self.hold_counts(node, words))

    def check_foreign_states(self, page):
        """What a link may bring is refused."""
        for state in ("{ d: 100 }", "{ seed: -5 }", "{ seed: 1e12 }"):
            assert page.evaluate(f"""() => {{
                const element = document.querySelector("attention-live-1");
                try {{ element.put({state}); }} catch {{ element.reset(); return true; }}
            }}""")  # fmt: skip
