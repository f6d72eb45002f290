"""The causal mask of page 8."""

import numpy as np
import torch

from taught.attention import causal_mask
from tests.live.figure import FigureTest, draw, drawn, look, numbers, part, table

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
    BAD = [
        (dict(senses=["a"]), "senses has 1 words; wanted three"),
        (dict(values=SCORES), "values has shape (5, 5)"),
        (dict(word="boat"), "word is 'boat'"),
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

    def check_drawing(self, page):
        for state in self.STATES:
            found = numbers(page, **state)
            weights, at = np.array(found["weights"]), found["at"]
            seen = np.tri(5, dtype=bool) if state["mask"] else np.ones((5, 5), dtype=bool)
            words = [WORDS[i] for i in found["places"]]
            cells = drawn(page, ".cell", "fill-opacity")[:, 0]
            ink = np.where(seen, 0.05 + 0.95 * weights, 0)
            np.testing.assert_allclose(cells, ink.flatten(), atol=1e-3)
            assert part(page, ".hatch:visible").count() == (~seen).sum()
            hatched = part(page, ".panels g").evaluate_all(
                "all => all.map(each => each.children[1].getAttribute('visibility') === 'visible')"
            )
            assert hatched == [*~seen.flatten()]
            texts = part(page, ".panels g").all_text_contents()
            shown = [
                f"{x:.2f}".replace("0.", ".") if x >= 0 else ""
                for x in np.where(seen, weights, -1).flat
            ]
            assert texts == shown
            assert (
                part(page, ".panels svg >> nth=0").locator("> text").all_text_contents()
                == words * 2
            )
            top = drawn(page, ".frame", "y")[0, 0]
            assert top == 58 + 44 * at - 1
            logits = np.array(found["logits"])
            scale = 120 / (1 + np.abs(self.spec()["values"]).max())
            bars = drawn(page, ".bar-odds", "x", "width")
            starts = 180 + scale * np.minimum(logits, 0)
            wide = np.maximum(scale * np.abs(logits), 1)
            np.testing.assert_allclose(bars, np.transpose([starts, wide]), atol=0.06)
            said = look(page)[1]
            best = SENSES[logits.argmax()]
            open_ = "It can't tell river from money."
            assert said.endswith(open_ if best == "neither" else f"It means: {best}.")
            assert part(page, "text.strong:not(.query):visible").all_text_contents() == [
                best,
                f"{logits.max():.1f}",
            ]
            most = weights[at].argmax()
            name = "itself" if most == at else words[most]
            share = f"{weights[at, most]:.2f}"
            part_ = "all of its weight" if share == "1.00" else f"most of its weight, {share},"
            assert f"{part_} is on {name}" in said
            sees = "every word" if seen[at].all() else f"“{' '.join(words[: at + 1])}”"
            assert f"“bank” sees {sees};" in said
            row = table(page)[0]
            assert row == [
                words[0],
                f"{weights[0, 0]:.2f}",
                *("masked" if state["mask"] else f"{x:.2f}" for x in weights[0, 1:]),
            ]
