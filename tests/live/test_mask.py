"""Masks of the softmax."""

import math

import numpy as np
import torch

from taught.attention import masked_softmax
from tests.live.figure import FigureTest, by_keys, by_touch, draw

WORDS = ["the", "rain", "stopped", "so", "<pad>"]
ZEROS, EQUAL, NAN = "zeros", "equal weights (softmax after −1e9)", "nan (softmax after −∞)"
BY_HAND = {"7": True, "2": True}


class TestMask(FigureTest):
    EXAMPLE = dict(tokens=WORDS, scores=draw(5, 5, seed=1), length=4)
    START = dict(length=4, causal=False, window=False, pressed={}, empty=ZEROS)
    STATES = [
        dict(length=3, window=True),
        dict(length=3, causal=True, pressed={"0": False, "23": True}, empty=EQUAL),
        dict(length=0, causal=True, pressed=BY_HAND, empty=NAN),
        dict(length=0),
    ]
    WRONG = {
        "a length mask off by one": {"j < length": "j <= length"},
        "a causal mask without its diagonal": {"!causal || j <= i": "!causal || j < i"},
        "an empty row not zero": {"zeros: () => 0": "zeros: () => 1"},
    }
    SAID = [
        (
            dict(length=3, window=True),
            "6 of 25 pairs are allowed. The rows without a key (“<pad>”) get zeros.",
            ["rain"],
        ),
        (dict(), "20 of 25 pairs are allowed. Every row has a key and sums to 1.", ["the"]),
    ]
    KEYS = {"a cell": by_keys(".press >> nth=0", "ArrowRight", "ArrowDown", "Enter")}
    TOUCH = {"another cell": by_touch(".press >> nth=7")}
    QUIET = ["an empty row gives"]  # until a row is empty

    def holds(self, spec, state, found, said):
        sums = [sum(row) for row in found["weights"]]
        assert said.startswith(f"{sum(map(sum, found['mask']))} of {len(sums) ** 2} pairs")
        assert "sums to 1" in said and np.allclose(sums, 1)

    def truth(self, spec, state, found):
        scores, n = torch.tensor(spec["scores"], dtype=torch.float64), len(spec["tokens"])
        i, j = torch.arange(n)[:, None], torch.arange(n)
        mask = (j < state["length"]).expand(n, n)
        mask = mask & (j <= i) if state["causal"] else mask
        mask = mask & (j <= i) & (j > i - 2) if state["window"] else mask
        mask = mask.clone()
        for k, is_open in state["pressed"].items():
            mask[int(k) // n, int(k) % n] = is_open
        if state["empty"] == ZEROS:
            return {"weights": masked_softmax(scores, mask), "mask": mask}
        fill = -1e9 if state["empty"] == EQUAL else -math.inf
        return {"weights": torch.softmax(scores.masked_fill(~mask, fill), dim=1), "mask": mask}
