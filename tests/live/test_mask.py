"""The masks of page 3."""

import math

import torch

from tests.live.figure import FigureTest, by_keys, by_touch, draw, part
from utils import live
from utils.attention import masked_softmax

WORDS = ["the", "rain", "stopped", "so", "<pad>"]
ZEROS, EQUAL, NAN = "zeros", "equal weights (softmax after −1e9)", "nan (softmax after −∞)"
BY_HAND = {"7": True, "2": True}


class TestMask(FigureTest):
    kind = "mask"
    START = dict(length=4, causal=False, window=False, pressed={}, empty=ZEROS)
    STATES = [
        dict(),
        dict(length=5, causal=True),
        dict(length=3, window=True),
        dict(length=3, causal=True, window=True, pressed={"0": False, "23": True}, empty=EQUAL),
        dict(length=0, causal=True, pressed=BY_HAND, empty=NAN),
        dict(length=0, causal=True, pressed=BY_HAND, empty=EQUAL),
    ]
    WRONG = {
        "a length mask off by one": {"j < length": "j <= length"},
        "a causal mask without its diagonal": {"!causal || j <= i": "!causal || j < i"},
        "an empty row not zero": {"zeros: 0": "zeros: 1"},
        "a pressed cell of the wrong row": {"pressed[i * n + j]": "pressed[j * n + i]"},
    }
    KEYS = {"a cell": by_keys(".press >> nth=0", "ArrowRight", "ArrowDown", "Enter")}
    TOUCH = {"another cell": by_touch(".press >> nth=7")}
    QUIET = ["an empty row gives"]  # until a row is empty
    BROKEN = {
        "cells without keys": (
            {"this.key(event, k)": "0"},
            lambda self, page: self.check_controls(page, "keys", ["a cell"]),
        )
    }
    BAD = [
        (
            {"tokens": WORDS, "scores": draw(5, 5) * math.nan},
            "scores[0][0] is nan; wanted a finite number",
        ),
        ({"tokens": WORDS[:4], "scores": draw(5, 5)}, "scores has 5 entries"),
        ({"tokens": WORDS, "scores": draw(5, 5), "length": 9}, "length is 9"),
        ({"tokens": "the rain", "scores": draw(5, 5)}, "tokens is 'the rain'"),
    ]

    def example(self, **more):
        live.mask(WORDS, draw(5, 5, seed=1), length=4, **more)

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

    def test_the_table_holds_the_numbers(self, opened):
        page = opened("mask")
        part(page, "summary").click()
        rows = part(page, "tbody tr").all_inner_texts()
        assert len(rows) == 5 and rows[0].split()[0] == "the" and "masked" in rows[0]
