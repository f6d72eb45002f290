"""Kernel regression."""

import math

import numpy as np
import torch

from tests.live.figure import STATE, FigureTest, by_finger, by_keys, by_touch, draw

WIDTHS = [round(0.005 * 1.16**k, 4) for k in range(44)]
X = torch.linspace(0.2, 4.8, 12, dtype=torch.float64).round(decimals=5)
Y = (X.sin() + 0.3 * draw(12)).round(decimals=5)


# Only who is within a step of the best width is told which it is.
NEAR = {1: ", which is least at width 0.01.", 20: "."}


def weigh(queries, width, itself=None):
    u = (queries[:, None] - X) / width
    gone = torch.tensor(False) if itself is None else itself
    return torch.softmax((-(u**2) / 2).masked_fill(gone, -math.inf), dim=1)


class TestKernel(FigureTest):
    EXAMPLE = dict(x=X, y=Y, truth=torch.stack([X, X.sin()], 1))
    START = dict(width=WIDTHS[36], query=2.5, point=0, y=Y.tolist())
    STATES = [dict(query=query, width=WIDTHS[k]) for query, k in ((0.31, 3), (2.5, 27), (4.7, 43))]
    WRONG = {
        "the width not squared": {"** 2) / 2)": ") / 2)"},
        "leave-one-out leaves nothing out": {"leaveOut ? i : -1": "-1"},
    }
    KEYS = {"a point": by_keys(".handle", "ArrowRight", *["ArrowUp"] * 9)}
    TOUCH = {
        "the query": by_touch(".drag >> nth=0", 0.8, 0.9),
        "a point": by_finger(".grip >> nth=9", 0, -60),
        "the width": by_touch(".drag >> nth=1", 0.8, 0.5),
    }
    SAID = [
        (dict(query=2.3), "The error is 0.12 with itself as key and 0.18 by leave-one-out. At x = 2.30 the curve is at 0.33", ["2.29", "0.33"]),
        *((dict(width=WIDTHS[k]), f"by leave-one-out{least} At", ["2.29"]) for k, least in NEAR.items()),
    ]  # fmt: skip

    def holds(self, spec, state, numbers, text):
        """With itself as key a narrow kernel has no error; left out, it has its error."""
        assert numbers["own"][0] < 0.01 < numbers["error"]
        assert min(numbers["loo"]) <= numbers["error"] and f"{numbers['error']:.2f} by leave-one-out" in text

    def truth(self, spec, state, numbers):
        y, itself = torch.tensor(state["y"], dtype=torch.float64), torch.eye(len(X)).bool()
        query = torch.tensor([state["query"]], dtype=torch.float64)
        weights = weigh(query, state["width"])[0]
        own, loo = (torch.stack([(weigh(X, w, out) @ y - y).square().mean() for w in WIDTHS]) for out in (None, itself))
        grid = torch.cat([torch.linspace(0.2, 4.8, 121, dtype=torch.float64), X]).sort().values
        curve = weigh(grid, state["width"]) @ y
        truth = dict(weights=weights, fit=weights @ y, effective=1 / weights.square().sum(), grid=grid, curve=curve)
        return truth | dict(own=own, loo=loo, error=loo[WIDTHS.index(state["width"])])

    def check_a_point_moves(self, page):
        for act, k, moved in ((self.KEYS["a point"], 1, 1), (self.TOUCH["a point"], 9, 2)):
            act(page)
            y = np.array(page.evaluate(STATE)["y"]) - Y.numpy()
            assert y[k] > 0.2 and np.count_nonzero(y) == moved
