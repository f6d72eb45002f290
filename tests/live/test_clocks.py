"""Positions as the hands of clocks."""

import torch

from tests.live.figure import FigureTest, draw

FREQUENCIES = [1.0, 0.1]
CODES, TURNED = "position codes", "query and key, turned"


class TestClocks(FigureTest):
    EXAMPLE = dict(
        query=draw(4, seed=8), key=draw(4, seed=9), frequencies=FREQUENCIES, i=8, j=3, turned=True
    )
    START = dict(kind=TURNED, distance=5, start=3)
    STATES = [
        dict(kind=kind, distance=distance, start=start)
        for kind in (CODES, TURNED)
        for distance, start in ((5, 3), (-5, 44), (60, 7))
    ]
    WRONG = {
        "a hand turned back": {"s * Math.cos(angle) + c": "s * Math.cos(angle) - c"},
        "a key that stays": {"at[n] * w": "at[0] * w"},
        "a curve of other distances": {"n / STEPS - FARTHEST, 0]": "n / STEPS - 59, 0]"},
    }
    SAID = [
        (dict(distance=-5, start=44), "Positions 44 and 49 are 5 apart, and the dot product is −1.08.", ["0.1", "−0.55, 0.35", "−0.38, −0.16", "0.15"]),
        (dict(kind=CODES), "Positions 8 and 3 are 5 apart, and the dot product is", ["1"]),
    ]  # fmt: skip

    END = dict(start=60)

    def holds(self, spec, state, found, said):
        """Nothing but the distance decides the product."""
        anywhere = found["curve"][10 * (state["distance"] + 60)]
        assert abs(found["product"] - anywhere) < 1e-9 and f" is {anywhere:.2f}." in said

    def truth(self, spec, state, found):
        """Codes by equation (10.1), rotations as complex numbers."""
        kind, w = state["kind"], torch.tensor(FREQUENCIES, dtype=torch.float64)
        distance, start = state["distance"], state["start"]
        at = torch.tensor([start + distance, start] if distance > 0 else [start, start - distance])
        angles = w[:, None] * at  # (2, 2)
        if kind == CODES:
            hands = torch.stack([angles.sin(), angles.cos()], dim=2)
        else:
            pairs = torch.tensor([spec["query"], spec["key"]], dtype=torch.float64).view(2, 2, 2)
            numbers = torch.view_as_complex(pairs.transpose(0, 1).contiguous())
            turn = torch.polar(torch.ones_like(angles), -angles)
            hands = torch.view_as_real(numbers * turn)
        parts = (hands[:, 0] * hands[:, 1]).sum(dim=1)
        assert abs(found["curve"][10 * (distance + 60)] - parts.sum()) < 1e-9
        assert len(found["curve"]) == 10 * 120 + 1
        return {"hands": hands, "parts": parts, "product": parts.sum()}
