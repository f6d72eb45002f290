"""The heads of pages 4, 8 and 9."""

import numpy as np
import torch

from tests.live.figure import (
    FigureTest,
    by_keys,
    by_touch,
    draw,
    drawn,
    look,
    part,
    press,
    shares_of,
)
from utils.attention import masked_softmax

WORDS = ["the", "rain", "stopped", "so", "<pad>"]
CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()
WEIGHTS = masked_softmax(2 * draw(2, 3, 5, 5), CAUSAL)


class TestHeads(FigureTest):
    EXAMPLE = dict(weights=WEIGHTS, queries=WORDS, mask=CAUSAL)
    START = dict(layer="1", head=0, focus=None, lock=None)
    STATES = [
        dict(),
        dict(layer="2", head=1, focus=["query", 2]),
        dict(layer="2", head=2, focus=["key", 0], lock=["key", 1]),
        dict(head=1, lock=["query", 3]),
    ]
    WRONG = {
        "layer and head swapped": {"weights[layer][state.head]": "weights[state.head % 2][layer]"},
        "a mask turned over": {"[layer][i][j]": "[layer][j][i]"},
    }
    KEYS = {"a query": by_keys(".token.query >> nth=3", "Enter")}
    TOUCH = {"a row of the map": by_touch(".panels > svg", 0.4, 0.8)}
    BROKEN = {
        "a transposed map": ("check_hover", {"[row, column] = [floor": "[column, row] = [floor"}),
        "another layer's maps": ("check_hover", {"[layer][k], open": "[1 - layer][k], open"}),
        "the row of another word": ("check_hover", {'"query" ? matrix[i]': '"query" ? matrix[0]'}),
    }
    SAID = [
        (dict(), "Layer 1, head 1: all weights, thicker", ["rain", "0.21", "0.79", "masked"]),
        (
            dict(layer="2", head=2, lock=["key", 0]),
            "Layer 2, head 3: “the” gets most from the 1.00, so 0.78, rain 0.11, stopped 0.01.",
            ["rain", "0.11", "0.89", "masked"],
        ),
    ]
    BAD = [
        (dict(weights=2 * WEIGHTS), "weights[0][0][0] sums to 2"),
        (dict(keys=["a"]), "weights has shape (2, 3, 5, 5); wanted (any, any, 5, 1)"),
        (dict(names=["a"]), "names holds 1 words"),
        (dict(mask=~CAUSAL), "weight on a masked key"),
        (dict(mask=CAUSAL.int()), "mask is torch.int32"),
        (dict(mask=CAUSAL[:3]), "mask has shape (3, 5)"),
        (dict(layer=2), "layer is 2"),
    ]

    def truth(self, spec, state, found):
        assert found["focus"] == (state["focus"] or state["lock"])
        weights = torch.tensor(spec["weights"], dtype=torch.float64)
        assert (weights - WEIGHTS).abs().max() <= 0.0005, "sent with three digits"
        return {"matrix": weights[int(state["layer"]) - 1][state["head"]], "open": CAUSAL}

    def check_hover(self, page):
        """Pointing at a word names it and what it attends to; a cell of the map, its row."""
        weights = np.array(self.spec()["weights"][0])
        row, column = weights[0, 2], weights[0, :, 1]
        part(page, ".token.query >> nth=2").hover()
        said = look(page)[1]
        assert f"“stopped” attends most to {WORDS[row.argmax()]} {row.max():.2f}" in said
        assert "Masked: so, <pad>." in said
        assert part(page, ".token.key.masked").all_inner_texts() == ["so", "<pad>"]
        lines = drawn(page, ".arc", "stroke-opacity").reshape(5, 5)
        wanted = np.where(row > 0.004, 0.3 + 0.7 * row, 0)
        np.testing.assert_allclose(lines, np.eye(5)[:, [2]] * wanted, atol=0.006)
        shares = shares_of(page, ".token")
        np.testing.assert_allclose(shares, [0] * 5 + [*0.95 * row], atol=1e-3)
        part(page, ".token.key >> nth=1").hover()
        assert f"“rain” gets most from {WORDS[column.argmax()]} {column.max():.2f}" in look(page)[1]
        chart = part(page, ".panels > svg")
        box, wide = chart.bounding_box(), chart.evaluate("each => each.viewBox.baseVal.width")
        unit = box["width"] / wide
        page.mouse.move(box["x"] + 95 * unit, box["y"] + (70 + 34 * 4.5) * unit)
        assert "“<pad>” attends" in look(page)[1]
        assert chart.locator(".hatch:not([visibility=hidden])").count() == 10, "above the diagonal"
        maps = [drawn(page, f".thumb >> nth={k} >> .cell", "fill-opacity") for k in range(3)]
        wanted = np.where(CAUSAL, 0.05 + 0.95 * weights, 0)
        np.testing.assert_allclose(np.reshape(maps, wanted.shape), wanted, atol=1e-3)
        part(page, ".thumb >> nth=1").click()
        cells = drawn(page, ".panels > svg .cell", "fill-opacity").reshape(5, 5)
        np.testing.assert_allclose(cells, wanted[1], atol=1e-3)
        texts = part(page, ".panels > svg g text").all_text_contents()
        shown = np.where(CAUSAL, weights[1], -1).flatten()
        assert texts == [f"{x:.2f}".replace("0.", ".") if x >= 0 else "" for x in shown]
        assert part(page, ".thumb[aria-pressed=true]").all_inner_texts() == ["head 2"]
        part(page, ".token.key >> nth=1").click()
        page.mouse.move(0, 0)
        assert "“rain” gets most from" in press(page, ".thumb >> nth=2"), "it is kept"
        assert part(page, ".self").all_inner_texts() == ["rain"]
