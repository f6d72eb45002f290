"""The hands of page 10."""

import numpy as np
import torch

from tests.live.figure import FigureTest, draw, drawn, numbers, part
from utils.live.figures.clocks import KINDS_OF_HANDS

HANDS = [1.0, 0.1, 0.01, 0.001]


class TestClocks(FigureTest):
    EXAMPLE = dict(query=draw(8, seed=8), key=draw(8, seed=9), frequencies=HANDS)
    START = dict(kind=KINDS_OF_HANDS[0], i=8, j=3, shift=0)
    STATES = [
        dict(kind=kind, i=i, j=j, shift=shift)
        for kind in KINDS_OF_HANDS
        for i, j, shift in ((8, 3, 0), (3, 8, 41), (60, 0, 7))
    ]
    WRONG = {
        "a hand turned back": {"s * Math.cos(angle) + c": "s * Math.cos(angle) - c"},
        "a key that stays": {"at[n] * w": "at[0] * w"},
    }
    SAID = [
        (dict(), "Position 8 against position 3: the product is 3.16.", ["1", "0.99, −0.15"]),
        (
            dict(kind=KINDS_OF_HANDS[1], i=3, j=8, shift=41),
            "Position 44 against position 49: the product is −2.22. Moving both leaves it as it was.",
            ["0.1", "−0.55, 0.35", "−0.38, −0.16", "0.15"],
        ),
        (dict(kind=KINDS_OF_HANDS[2]), "is −3.57. Nothing turns, so the positions don't", ["1"]),
    ]
    BAD = [({"query": HANDS}, "query has shape (4,); wanted (8)"), ({"i": 99}, "i is 99")]

    def truth(self, spec, state, found):
        """Codes by equation (10.1), rotations as complex numbers."""
        mode, w = KINDS_OF_HANDS.index(state["kind"]), torch.tensor(HANDS, dtype=torch.float64)
        at = torch.tensor([state[name] + state["shift"] for name in ("i", "j")])
        angles = w[:, None] * at  # (4, 2)
        if mode == 0:
            hands = torch.stack([angles.sin(), angles.cos()], dim=2)
        else:
            pairs = torch.tensor([spec["query"], spec["key"]], dtype=torch.float64).view(2, 4, 2)
            numbers = torch.view_as_complex(pairs.transpose(0, 1).contiguous())
            turn = torch.polar(torch.ones_like(angles), -angles * (mode == 1))
            hands = torch.view_as_real(numbers * turn)
        parts = (hands[:, 0] * hands[:, 1]).sum(dim=1)
        if mode < 2:
            assert abs(found["curve"][state["i"] - state["j"] + 60] - parts.sum()) < 1e-9
        return {"hands": hands, "parts": parts, "product": parts.sum()}

    def check_drawing(self, page):
        found = numbers(page, kind=KINDS_OF_HANDS[1], i=20, j=50)
        x0, y0, x1, y1 = drawn(page, "[class^=hand]", "d").T
        hands = np.stack([x1 - x0, y0 - y1], axis=1).reshape(4, 2, 2) / 32
        np.testing.assert_allclose(hands, found["hands"], atol=0.002)
        texts = part(page, "text").all_text_contents()
        said = [f"{x:.2f}".replace("-", "−") for x in (*found["parts"], found["product"])]
        assert texts[4:8] == said[:4] and f"now {said[4]}" in texts
        curve = drawn(page, ".curve", "d").reshape(-1, 2)
        wanted = np.clip(98 - 78 / 4 * np.array(found["curve"]), 20, 176)
        np.testing.assert_allclose(curve[:, 1], wanted, atol=0.06)
