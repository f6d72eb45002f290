"""All attention maps of a released model."""

import numpy as np
import torch

from live.figures.maps import FILE, packed, unpacked
from tests.live.figure import FigureTest, by_keys, by_touch, look, numbers, part

MODEL, TOKENS, STORED = unpacked(FILE.read_text(encoding="utf-8"))
WEIGHTS = torch.tensor(STORED)  # (blocks, heads, n, n)
N = len(TOKENS)
PIXEL = """([x, y]) => {
    const canvas = document.querySelector("attention-live-1").shadowRoot.querySelector("canvas");
    return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data];
}"""


def without_first(weights):
    """Each row over the other keys; a row with less than .04 for them has nothing."""
    rest = weights.clone()
    rest[..., 0] = 0
    left = rest.sum(-1, keepdim=True)
    return torch.where(left < 0.04, 0, rest / left.clamp(min=0.04))


class TestMaps(FigureTest):
    START = dict(block=18, head=6, token=26, bare=False, focus=None)
    STATES = [
        dict(),
        dict(block=0, head=0, token=0),
        dict(block=29, head=8, token=3, focus=0),
        dict(bare=True),
        dict(block=18, head=8, bare=True, token=1),
        dict(block=11, head=1, bare=True, token=0, focus=26),
        dict(block=20, head=4, bare=True, token=25),
    ]
    WRONG = {
        "blocks and heads swapped": {"block * heads + head": "head * heads + block"},
        "a row that isn't renormalised": {": weight / left": ": weight"},
        "shares of rows, not of weight": {"/ total : 0": "/ rows.length : 0"},
    }
    KEYS = {
        "a token": by_keys(".word[aria-pressed=true]", "ArrowLeft"),
        "a small map": by_keys(".carpet", "ArrowRight", "ArrowDown"),
    }
    TOUCH = {
        "a small map": by_touch(".carpet", 0.4, 0.3),
        "a row": by_touch(".panels > svg.press", 0.5, 0.5),
    }
    SAID = [
        (
            dict(),
            "Block 18, head 6: “ck” (26) attends to “wood” (4) 0.98, “ck” (3) 0.02. “wood” is what "
            "followed the earlier “ck”.",
            ["1 Mr", "1.00", "0.00", "masked"],
        ),
        (
            dict(bare=True, token=1),
            "Block 18, head 6, without the first token: “Mr” (1) attends to nothing.",
            ["1 Mr", "0.00"],
        ),
    ]

    def holds(self, spec, state, found, said):
        """What it attends to most comes first."""
        row, at = found["row"], found["at"]
        best = row.index(max(row))
        assert f"({at}) attends to “{TOKENS[best].strip()}” ({best}) {row[best]:.2f}" in said

    def truth(self, spec, state, found):
        given = WEIGHTS[state["block"], state["head"]]
        matrix = without_first(given) if state["bare"] else given
        at = state["token"] if state["focus"] is None else state["focus"]
        assert found["at"] == at
        total = max(matrix[2:].sum().item(), 1e-9)
        diagonals = [matrix[2:, 0], matrix.diagonal(-1)[1:], matrix.diagonal()[2:]]
        shares = torch.stack([each.sum() for each in diagonals]) / total
        return dict(matrix=matrix, row=matrix[at], shares=shares)

    def check_carpet(self, page):
        """A small map is in the theme's hue, and pressing it shows it."""
        for scheme, hue in (("light", [0x6D, 0x1F, 0x5F, 255]), ("dark", [0xF7, 0xBF, 0xE9, 255])):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_selector(f"attention-live-1[theme={scheme}]")
            assert page.evaluate(PIXEL, [58 * 18, 58 * 8]) == hue  # weight 1
        chart = part(page, ".maps svg")
        unit = chart.bounding_box()["width"] / 722
        chart.click(position=dict(x=(30 + 23 * 16.5) * unit, y=(20 + 23 * 0.5) * unit))
        assert "Block 16, head 0:" in look(page)[1]

    def check_map(self, page):
        """Pointing at a row of the large map, or a token, shows what it attends to."""
        numbers(page, block=16, head=0)
        chart = part(page, ".panels > svg.press")
        unit = chart.bounding_box()["width"] / 353
        place = dict(x=100 * unit, y=(48 + 12.5 * 4.5) * unit)
        chart.hover(position=place)
        assert "“wood” (4) attends to “ck” (3)" in look(page)[1]
        assert part(page, ".word.masked").count() == N - 5
        part(page, ".word >> nth=9").hover()
        assert "“ford” (9) attends to “ing” (8)" in look(page)[1]
        chart.click(position=place)
        page.mouse.move(0, 0)
        assert "“wood” (4) attends to “ck” (3)" in look(page)[1], "it is kept"


def test_maps_are_packed_and_read():
    tokens = ["a", " b", "c"]
    scores = torch.randn(2, 4, 3, 3, generator=torch.Generator().manual_seed(0))
    weights = scores.masked_fill(~torch.ones(3, 3).tril().bool(), -torch.inf).softmax(-1)
    model, words, found = unpacked(packed("a model", tokens, weights))
    assert (model, words) == ("a model", tokens)
    np.testing.assert_allclose(found, weights, atol=0.5 / 255 + 1e-9)


def test_the_stored_maps_show_what_is_to_be_found():
    """The column of the first token, a head that looks one back, one that looks behind a repeat."""
    assert MODEL == "SmolLM2-135M-Instruct" and STORED.shape == (30, 9, 27, 27)
    np.testing.assert_allclose(STORED.sum(-1), 1, atol=0.025)
    assert "".join(TOKENS).endswith("took the hat of Mr Brack") and TOKENS[4] == "wood"
    columns = STORED[:, :, 1:, 0].mean(-1)
    assert columns[12:].mean() > 0.6 and (columns[12:] > 0.5).mean() > 0.75
    assert STORED[16, 0].diagonal(-1).mean() > 0.8
    assert STORED[18, 6, 26, 4] > 0.97 and STORED[17, 3, 26, 4] > 0.85
