"""Masks of the softmax."""

import numpy as np
import torch

from taught.attention import masked_softmax
from tests.live.figure import FigureTest, by_keys, by_touch, draw, numbers, press

WORDS = ["the", "rain", "stopped", "so", "<pad>"]
BY_HAND = {"7": True, "2": True}


class TestMask(FigureTest):
    EXAMPLE = dict(tokens=WORDS, scores=draw(5, 5, seed=1), length=4)
    START = dict(length=4, causal=False, pressed={}, guessed=None)
    STATES = [
        dict(length=3, causal=True),
        dict(length=3, causal=True, pressed={"0": False, "23": True}),
        dict(length=0, causal=True, pressed=BY_HAND),
        dict(length=0),
    ]
    WRONG = {
        "a length mask off by one": {"j < length": "j <= length"},
        "a causal mask without its diagonal": {"!causal || j <= i": "!causal || j < i"},
        "an empty row not zero": {"scores.map(() => 0)": "scores.map(() => 1)"},
    }
    SAID = [
        (dict(length=3, causal=True, pressed={"0": False}), "The row without a key (“the”) gets zeros.", ["rain"]),
        (dict(), "20 of 25 pairs are allowed. Every row has a key and sums to 1.", ["the"]),
    ]
    KEYS = {"a cell": by_keys(".press >> nth=0", "ArrowRight", "ArrowDown", "Enter")}
    TOUCH = {"another cell": by_touch(".press >> nth=7")}

    def holds(self, spec, state, numbers, text):
        sums = [sum(row) for row in numbers["weights"]]
        assert text.startswith(f"{sum(map(sum, numbers['mask']))} of {len(sums) ** 2} pairs")
        assert "sums to 1" in text and np.allclose(sums, 1)

    def check_what_a_row_pays(self, page):
        """For a key of the future it pays with the weight of its own word, and gets it back."""
        before = numbers(page, causal=True)["weights"][1]
        sentence = press(page, ".press >> nth=8")
        after = numbers(page)["weights"][1]
        assert sentence.startswith(
            f"“rain” now gives {after[3]:.2f} to “so”, which comes later; "
            f"its own word falls from {before[1]:.2f} to {after[1]:.2f}. 15 of 25 pairs are allowed."
        )
        assert press(page, ".press >> nth=5").startswith("14 of 25 pairs")  # one that is masked
        assert press(page, ".press >> nth=8").startswith("13 of 25 pairs")

    def check_a_guess(self, page):
        """As many rows keep their weights under the causal rule as it says, whatever was pressed before."""
        before, after = (numbers(page, causal=causal)["weights"] for causal in (False, True))
        assert sum(np.allclose(*rows) for rows in zip(before, after)) == 2
        press(page, ".press >> nth=8")
        assert press(page, ".ask button >> nth=1").startswith("You said 1; it is 2, so")

    def truth(self, spec, state, numbers):
        scores, n = torch.tensor(spec["scores"], dtype=torch.float64), len(spec["tokens"])
        i, j = torch.arange(n)[:, None], torch.arange(n)
        mask = (j < state["length"]) & ((j <= i) | torch.tensor(not state["causal"]))
        for k, is_open in state["pressed"].items():
            mask[int(k) // n, int(k) % n] = is_open
        return {"weights": masked_softmax(scores, mask), "mask": mask}
