"""All attention maps of a released model."""

import numpy as np
import torch

from live.figures.maps import FILE, packed, unpacked
from tests.live.figure import FigureTest, by_keys, by_touch, ink, look, numbers, part, press

MODEL, TOKENS, STORED = unpacked(FILE.read_text(encoding="utf-8"))
WEIGHTS = torch.tensor(STORED)  # (blocks, heads, n, n)
N = len(TOKENS)


def shares(lens):
    """What share of a map's weight a lens finds, (blocks * heads,), over rows from the third on."""
    words = [token.strip() for token in TOKENS]
    weights = []
    for i in range(2, N):
        follow = [j for j in range(2, i) if words[j - 1] == words[i]]
        keys = {"first": [0], "before": [i - 1], "next": follow}[lens]
        if keys:
            weights.append(WEIGHTS[:, :, i, keys].sum(-1))
    return torch.stack(weights).mean(0).flatten()


def by_lens(page, name):
    part(page, "select").select_option(name)
    return look(page)[1]


class TestMaps(FigureTest):
    START = dict(block=18, head=6, token=26, lens="all", focus=None, guessed=None)
    STATES = [
        dict(),
        dict(block=0, head=0, token=0),
        dict(block=29, head=8, token=3, focus=0),
        dict(block=11, head=1, token=0, focus=26),
    ]
    WRONG = {
        "blocks and heads swapped": {"block * heads + head": "head * heads + block"},
        "shares of all rows": {"lensKeys()[lens].filter((each) => each.length).length": "lensKeys()[lens].length"},
        "what came last time, not what followed": {
            "tokens[j - 1].trim() === tokens[i]": "tokens[j].trim() === tokens[i]"
        },
    }
    KEYS = {"a small map": by_keys(".maps", "ArrowRight", "ArrowDown")}
    TOUCH = {"a small map": by_touch(".maps", 0.4, 0.3), "a row": by_touch(".panels > svg.press", 0.5, 0.5)}
    SAID = [
        (dict(), "“ck” (26) attends to “wood” (4) 0.98, “ck” (3) 0.02.", ["1 Mr", "1.00", "0.00", "masked"]),
        (dict(lens="first", guessed=50), "You said 50; it is 143, so half of the maps say", ["0 <|endoftext|>"]),
        (dict(lens="first", guessed=50), "little about the words. 143 of 270 maps", ["0 <|endoftext|>"]),
        (dict(lens="next", guessed=50), "In 5 of 270 maps, over half", ["0 <|endoftext|>"]),
        (dict(lens="before"), "on average over the tokens; this map is not one of them. ", ["1 Mr"]),
    ]

    def holds(self, spec, state, numbers, text):
        """What it attends to most comes first, and so many maps have over half of their weight there."""
        row, at = numbers["row"], numbers["at"]
        best = row.index(max(row))
        name = f"“{TOKENS[best].strip()}” ({best})" if best else "the first token"
        assert f"({at}) attends to {name} {row[best]:.2f}" in text
        if state["lens"] != "all":
            assert f"{(shares(state['lens']) > 0.5).sum()} of 270 maps" in text

    def truth(self, spec, state, numbers):
        matrix = WEIGHTS[state["block"], state["head"]]
        at = state["token"] if state["focus"] is None else state["focus"]
        return dict(matrix=matrix, row=matrix[at], at=at, shares={lens: shares(lens) for lens in numbers["shares"]})

    def check_small_maps(self, page):
        expected = np.tril(0.05 + 0.95 * STORED[18, 8] ** 0.7)
        np.testing.assert_allclose(ink(page, ".sheet", 18 * (N + 2), 8 * (N + 2), N), expected, atol=0.01)
        for scheme, hue in (("light", "rgb(109, 31, 95)"), ("dark", "rgb(247, 191, 233)")):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_selector(f"attention-live-1[theme={scheme}]")
            colour = part(page, ".sheet").evaluate("each => getComputedStyle(each).backgroundColor")
            assert colour == hue
        chart = part(page, ".maps svg")
        wide = int((chart.bounding_box()["width"] - 22) / 30)
        chart.click(position=dict(x=20 + wide * 16.5, y=18 + 24 * 0.5))
        assert "Block 16, head 0:" in look(page)[1]

    def check_lens(self, page):
        """A lens leaves its own maps alone and shows the first of them, at the token that fits best."""
        sentence, best = by_lens(page, "token before"), 2 + STORED[16, 0].diagonal(-1)[1:].argmax()
        assert f"Block 16, head 0: “{TOKENS[best].strip()}” ({best}) attends to " in sentence
        assert f"“{TOKENS[best - 1].strip()}” ({best - 1}) {STORED[16, 0, best, best - 1]:.2f}" in sentence
        assert "not one of them" not in sentence
        assert part(page, ".veil").count() == 266
        assert "Block 18, head 6:" in by_lens(page, "what followed last time")
        assert part(page, ".kept").count() == 5 and part(page, ".veil").count() == 265
        next_one = "button:text-is('next map')"
        names = [press(page, next_one).split(": “")[0].split(". ")[-1] for _ in range(5)]
        assert len({*names}) == 5 and names[-1] == "Block 18, head 6"
        by_lens(page, "all maps")
        assert part(page, ".veil").count() == 0

    def check_map(self, page):
        numbers(page, block=16, head=0)
        chart = part(page, ".panels > svg.press")
        unit = chart.bounding_box()["width"] / 353
        place = dict(x=100 * unit, y=(48 + 12.5 * 4.5) * unit)
        chart.hover(position=place)
        assert "“wood” (4) attends to “ck” (3)" in look(page)[1]
        assert part(page, ".word.later").count() == N - 5
        chart.click(position=place)
        page.mouse.move(0, 0)
        assert "“wood” (4) attends to “ck” (3)" in look(page)[1], "it is kept"


def test_maps_are_packed_and_read():
    tokens = ["a", " b", "c"]
    scores = torch.randn(2, 4, 3, 3, generator=torch.Generator().manual_seed(0))
    weights = scores.masked_fill(~torch.ones(3, 3).tril().bool(), -torch.inf).softmax(-1)
    model, words, maps = unpacked(packed("a model", tokens, weights))
    assert (model, words) == ("a model", tokens)
    np.testing.assert_allclose(maps, weights, atol=0.5 / 255 + 1e-9)
