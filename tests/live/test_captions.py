"""The captions, word by word, and where their maps look."""

import torch

from tests.live.figure import FigureTest, by_keys, by_touch, draw, part, press

CAPTIONS = [["a", "red", "cross"], ["a", "blue", "circle"]]
OTHERS = [["a", "blue", "circle"], ["a", "red", "cross"]]
BOXES, ABOUT = [[[4, 8, 12, 20]], [[16, 0, 26, 10]]], [[-1, 0, 0], [-1, 0, 0]]
PICTURES = torch.rand(2, 3, 32, 32, generator=torch.Generator().manual_seed(5))
LOOKS = torch.softmax(3 * draw(2, 3, 64, seed=6), dim=-1)


class TestCaptions(FigureTest):
    EXAMPLE = dict(images=PICTURES, words=CAPTIONS, weights=LOOKS, boxes=BOXES, about=ABOUT)
    EXAMPLE |= dict(others=OTHERS)
    START = dict(exchanged=False, focus=None, lock=None, guessed=None)
    STATES = [
        dict(exchanged=exchanged, focus=focus, lock=None)
        for exchanged in (False, True)
        for focus in (None, [0, 0], [0, 1], [1, 2])
    ]
    WRONG = {
        "the map of the other picture": {"exchanged ? 1 - p : p;": "exchanged ? p : p;"},
        "a box off by one cell": {"x < right": "x < right + 4"},
        "the other picture in the dark": {"q === from": "q !== from"},
    }
    KEYS = {"a word of the second caption": by_keys(".word >> nth=4", "Enter")}
    TOUCH = {"a word of the second caption": by_touch(".word >> nth=5")}
    SAID = [
        (dict(lock=[1, 0]), "the decoder looks at the second picture. Each", ["1", "red", "red"]),
        (dict(exchanged=True, lock=[0, 1]), "was “red”, the decoder looks at the second", ["1", "red", "blue"]),
        (dict(exchanged=True, lock=[0, 1]), "at the second picture: 0.01 of the weight is in the", ["1"]),
        (dict(exchanged=True, guessed="its own"), ", so the objects go over with the contexts. Each", ["2"]),
    ]
    END = dict(lock=[1, 8])

    def holds(self, spec, state, numbers, text):
        """It looks at what the word names; exchanged, the other's objects are named, and another relation."""
        if state["exchanged"]:
            pairs = enumerate(zip(sum(spec["others"], []), sum(spec["words"][::-1], [])))
            assert [k for k, words in pairs if len({*words}) > 1] == [4, len(spec["words"][1]) + 4]
        if state["lock"] is None:
            assert "Point at a word" in text
            return
        assert numbers["inside"] > 0.5 and f"{numbers['inside']:.2f} of the weight" in text

    def truth(self, spec, state, numbers):
        shades, focus = torch.zeros(2, 64, dtype=torch.float64), state["focus"] or state["lock"]
        truth = dict(said=OTHERS if state["exchanged"] else CAPTIONS, focus=focus, shades=shades)
        if not focus:
            return truth
        p, t = focus
        source = 1 - p if state["exchanged"] else p
        weights = torch.tensor(spec["weights"][source][t], dtype=torch.float64)
        shades[source] = 0.55 * (1 - weights / weights.max())
        truth |= {"from": source, "map": weights, "inside": None}
        if ABOUT[source][t] >= 0:
            left, top, right, bottom = BOXES[source][ABOUT[source][t]]
            inside = torch.zeros(32, 32, dtype=torch.bool)
            inside[top:bottom, left:right] = True
            truth["inside"] = weights[inside[2::4, 2::4].flatten()].sum()
        return truth

    def check_a_pressed_word(self, page):
        press(page, ".word >> nth=1")
        assert part(page, ".self[aria-pressed=true]").all_inner_texts() == ["red"]
        press(page, "input[type=checkbox]")
        assert part(page, ".changed").all_inner_texts() == ["blue", "circle", "red", "cross"]
