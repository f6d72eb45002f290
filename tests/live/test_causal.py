"""The causal mask."""

import torch

from taught.attention import causal_mask
from tests.live.figure import FigureTest, draw

WORDS = ["the", "bank", "of", "the", "river"]
SCORES, VALUES = 3 * draw(5, 5), 4 * draw(5, 2, seed=1)
SENSES = ["river", "money", "neither"]


class TestCausal(FigureTest):
    EXAMPLE = dict(words=WORDS, scores=SCORES, values=VALUES, word="bank", senses=SENSES)
    START = dict(mask=True, order="forwards")
    STATES = [
        dict(mask=mask, order=order)
        for mask in (True, False)
        for order in ("forwards", "backwards")
    ]
    WRONG = {
        "the next token is seen": {"column > row ?": "column > row + 1 ?"},
        "the mask stays with the words": {"mask && column > row": "mask && j > i"},
        "values in the old order": {"* values[j][k]": "* values[column][k]"},
        "another row": {"weights[at][column] *": "weights[0][column] *"},
        "scores transposed": {"scores[i][j]": "scores[j][i]"},
    }
    SAID = [
        (
            dict(),
            "“bank” sees “the bank”; most of its weight, 0.88, is on itself. It means: money.",
            ["bank", "0.12", "0.88", "masked", "masked", "masked"],
        ),
        (
            dict(mask=False, order="backwards"),
            "“bank” sees every word; most of its weight, 0.97, is on river. It can't tell river from",
            ["bank", "0.97", "0.00", "0.01", "0.02", "0.00"],
        ),
    ]

    def truth(self, spec, state, found):
        scores, values = (
            torch.tensor(spec[name], dtype=torch.float64) for name in ("scores", "values")
        )
        places = list(range(5)) if state["order"] == "forwards" else [4, 3, 2, 1, 0]
        assert found["places"] == places and found["at"] == places.index(1)
        scores = scores[places][:, places]
        if state["mask"]:
            scores = scores.masked_fill(~causal_mask(5), -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        output = (weights @ values[places])[found["at"]]
        return dict(weights=weights, logits=torch.cat([output, output.new_zeros(1)]))
