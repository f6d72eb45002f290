"""Kernel regression."""

import math

import numpy as np
import torch

from tests.live.figure import FigureTest, by_keys, by_touch, draw, numbers, part

WIDTHS = [round(0.005 * 1.16**k, 4) for k in range(44)]
X = torch.linspace(0.2, 4.8, 12, dtype=torch.float64).round(decimals=5)
Y = (X.sin() + 0.3 * draw(12)).round(decimals=5)


def weigh(kernel, queries, width, itself=None):
    """Weights (n, 12) of the keys, perhaps without some of them."""
    u = (queries[:, None] - X) / width
    gone = torch.tensor(False) if itself is None else itself
    if kernel == "Gaussian":  # it is far from every key in no place
        return torch.softmax((-(u**2) / 2).masked_fill(gone, -math.inf), dim=1)
    heights = {
        "boxcar": (u.abs() < 1).double(),
        "triangular": (1 - u.abs()).clamp(min=0),
        "Epanechnikov": (1 - u**2).clamp(min=0),
    }[kernel].masked_fill(gone, 0)
    total = heights.sum(dim=1, keepdim=True)
    return heights / total.masked_fill(total == 0, 1)


def drag(page):
    """Touch the middle of a point, move up, and let go: what a finger does."""
    target, session = part(page, ".grip >> nth=9"), page.context.new_cdp_session(page)
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for kind, up in (("Start", 0), ("Move", 20), ("Move", 60), ("End", None)):
        points = [] if up is None else [{"x": x, "y": y - up}]
        event = {"type": f"touch{kind}", "touchPoints": points}
        session.send("Input.dispatchTouchEvent", event)


def pull(page, name, sideways):
    """Press the mouse on the middle of something, move it sideways, and let go."""
    target = part(page, name)
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + sideways / 2, y + 3, steps=3)
    page.mouse.move(x + sideways, y + 3, steps=3)
    page.mouse.up()


class TestKernel(FigureTest):
    EXAMPLE = dict(x=X, y=Y, truth=torch.stack([X, X.sin()], 1), query=2.5)
    START = dict(kernel="Gaussian", width=WIDTHS[26], query=2.5, point=0, y=Y.tolist())
    STATES = [
        dict(kernel=kernel, query=query, width=WIDTHS[k])
        for kernel in ("Gaussian", "boxcar", "triangular", "Epanechnikov")
        for query, k in ((0.31, 3), (2.5, 27), (4.7, 43))
    ]
    WRONG = {
        "the width not squared": {"** 2) / 2)": ") / 2)"},
        "leave-one-out leaves nothing out": {"leaveOut ? i : -1": "-1"},
    }
    KEYS = {"a point": by_keys(".handle", "ArrowRight", *["ArrowUp"] * 9)}
    TOUCH = {"the query": by_touch(".drag >> nth=0", 0.8, 0.9), "a point": drag}
    TOUCH |= {"the width": by_touch(".drag >> nth=1", 0.8, 0.5)}
    SAID = [
        (
            dict(query=2.3),
            "The error is 0.01 with itself as key and 0.12 by leave-one-out, for which width 0.01 is "
            "best: yours is wider. At x = 2.30 the curve is at 0.41",
            ["2.29", "0.33", "0.70"],
        ),
        (
            dict(kernel="boxcar", query=0.42, width=WIDTHS[3]),
            "yours is narrower. No key is within reach of x = 0.42, so all weights are 0.",
            ["0.20"],
        ),
    ]

    def truth(self, spec, state, found):
        y, itself = torch.tensor(state["y"], dtype=torch.float64), torch.eye(len(X)).bool()
        query, kernel = torch.tensor([state["query"]], dtype=torch.float64), state["kernel"]
        weights = weigh(kernel, query, state["width"])[0]
        squares = weights.square().sum()
        effective = 1 / squares if squares else squares
        own, loo = (
            torch.stack([(weigh(kernel, X, w, out) @ y - y).square().mean() for w in WIDTHS])
            for out in (None, itself)
        )
        grid = torch.cat([torch.linspace(0.2, 4.8, 121, dtype=torch.float64), X]).sort().values
        there = weigh(kernel, grid, state["width"])
        curve = (there @ y).masked_fill(there.sum(dim=1) == 0, math.nan)
        truth = dict(weights=weights, fit=weights @ y, effective=effective, grid=grid, curve=curve)
        return truth | dict(own=own, loo=loo, error=loo[WIDTHS.index(state["width"])])

    def check_a_point_moves(self, page):
        state = "document.querySelector('attention-live-1').figure.state"
        self.KEYS["a point"](page)
        y = np.array(page.evaluate(state)["y"]) - Y.numpy()
        assert y[1] > 0.2 and np.count_nonzero(y) == 1
        assert "point 2 of 12" in part(page, ".handle").get_attribute("aria-valuetext")
        self.TOUCH["a point"](page)
        y = np.array(page.evaluate(state)["y"]) - Y.numpy()
        assert y[9] > 0.2 and np.count_nonzero(y) == 2

    def check_the_dots_move(self, page):
        """That of the curve the query, also where it covers a point; that of the errors the width."""
        numbers(page, width=WIDTHS[3], query=X[4].item(), y=Y.tolist())
        pull(page, ".answer", 60)
        state = page.evaluate("document.querySelector('attention-live-1').figure.state")
        assert state["query"] > X[4] + 0.4 and state["y"] == Y.tolist()
        pull(page, ".drag .fill-value >> nth=1", 900)
        state = page.evaluate("document.querySelector('attention-live-1').figure.state")
        assert state["width"] == WIDTHS[-1]
