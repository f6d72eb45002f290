"""The divisor of the scores."""

import math

import numpy as np
import pytest
import torch

from tests.live.figure import FigureTest, fails, numbers, part, press

DRAW_1, DRAW_100 = ".together button >> nth=0", ".together button >> nth=1"


class TestScale(FigureTest):
    START = dict(d=256, divided=False, seed=1)
    STATES = [
        dict(d=64, divided=True),
        dict(d=64),
        dict(d=1024, seed=2),
        dict(d=1, divided=True, seed=3),
    ]
    WRONG = {
        "no divisor": {"both = [1, sqrt(d)]": "both = [1, 1]"},
        "a scale for one alone": {"...both.flatMap(": "...[both[+divided]].flatMap("},
        "a scale of the other scores": {"...scores.map(abs)": "...both[0].scores.map(abs)"},
        "the gradient without the mean": {"- dot(push, output))": ")"},
    }
    SAID = [
        (
            dict(d=64),
            "The largest weight is 0.65, on a wrong key. With √d the same key would have 0.17.",
            ["0, the correct one", "−0.85", "0.00"],
        ),
        (
            dict(d=16, divided=True, seed=21),
            "The correct key wins 1 of the last 21 draws, with √d or without. Without √d, one key "
            "sometimes takes nearly all of the weight; with √d, this never happens.",
            ["1"],
        ),
        (dict(d=1024), "The gradient is almost zero, so training can hardly change this.", ["1"]),
    ]

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
            truth = dict(scores=scores, weights=weights, gradient=gradient, norm=gradient.norm())
            both.append({name: x.detach() for name, x in truth.items()})
        shown = both[state["divided"]]
        push = torch.cat([each["gradient"] for each in both]).abs().max()
        return shown | dict(reach=shown["scores"].abs().max(), pushReach=push)

    def test_the_draws_are_normal(self, node):
        states = [dict(d=1024, divided=False, seed=seed) for seed in range(1, 4)]
        found = node.compute("scale", self.spec(), states)
        entries = np.concatenate([np.ravel(each["keys"]) for each in found])
        assert abs(entries.mean()) < 0.02 and abs(entries.std() - 1) < 0.02
        assert abs((entries**4).mean() - 3) < 0.2, "the tails are those of a normal distribution"
        assert found[0]["query"] != found[1]["query"]

    def hold_counts(self, node, wrong=None):
        """The last draws, 100 at most, are counted and sorted as each of them says alone."""
        seeds = range(1, 113)
        states = [
            dict(d=16, divided=divided, seed=seed) for divided in (False, True) for seed in seeds
        ]
        found = node.compute("scale", self.spec(), states, wrong)
        weights = torch.tensor([each["weights"] for each in found]).reshape(2, len(seeds), 16)
        for seed in (1, 2, 50, 101, 112):
            last = weights[:, max(0, seed - 100) : seed]  # (2, draws, 16)
            top, won = last.max(dim=-1)
            each = found[seed - 1]
            assert each["draws"] == last.shape[1] and each["wins"] == (won[0] == 0).sum()
            assert torch.equal(won[0], won[1]), "who wins doesn't depend on the divisor"
            assert each["saturated"] == (top > 0.95).sum(dim=1).tolist()
            for share, tops in zip(each["shares"], top):
                counts = torch.histc(tops.double(), bins=10, min=0, max=1)
                np.testing.assert_allclose(share, counts / len(tops), atol=1e-9)
            np.testing.assert_allclose(each["top"], top[:, -1], rtol=1e-5)

    def test_the_draws_are_counted(self, node):
        self.hold_counts(node)

    @pytest.mark.mutants
    @pytest.mark.parametrize(
        "words",
        [{"largest(products) === 0": "largest(products) === 1"}, {"seed - 99": "seed - 90"}],
    )
    def test_wrong_counts_are_noticed(self, node, words):
        assert fails(lambda: self.hold_counts(node, words))

    def check_draws_are_added(self, page):
        assert "of the last 102 draws" not in press(page, DRAW_1)
        said = press(page, DRAW_100)
        assert "of the last 100 draws" in said
        assert numbers(page)["draws"] == 100
        assert page.evaluate("document.querySelector('attention-live-1').figure.state.seed") == 102

    def check_foreign_states(self, page):
        """What a link may bring: each is refused, and nothing is drawn of it."""
        before = part(page, ".panels").inner_html()
        for state in ("{ d: 100 }", "{ seed: -5 }", "{ seed: 1e12 }"):
            assert page.evaluate(f"""() => {{
                const element = document.querySelector("attention-live-1");
                try {{ element.put({state}); }} catch {{ element.reset(); return true; }}
            }}""")  # fmt: skip
        assert part(page, ".panels").inner_html() == before
