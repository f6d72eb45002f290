"""The captions, word by word, and where their maps look."""

import torch

from tests.live.figure import SAY, FigureTest, by_keys, by_touch, draw, part, press, shown_on_pages

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
        (
            dict(exchanged=True, lock=[0, 1]),
            "was “red”, the decoder looks at the second picture: 0.01 of the weight is in the",
            ["1", "red", "blue"],
        ),
    ]

    END = dict(lock=[1, 8])

    def holds(self, spec, state, numbers, text):
        """It looks at what the word names."""
        if state["lock"] is None:
            return "Point at a word" in text
        assert numbers["inside"] > 0.5 and f"{numbers['inside']:.2f} of the weight" in text

    def truth(self, spec, state, numbers):
        assert numbers["said"] == (OTHERS if state["exchanged"] else CAPTIONS)
        assert numbers["focus"] == (state["focus"] or state["lock"])
        shades = torch.zeros(2, 64, dtype=torch.float64)
        if not numbers["focus"]:
            return {"shades": shades}
        p, t = numbers["focus"]
        source = 1 - p if state["exchanged"] else p
        assert numbers["from"] == source
        weights = torch.tensor(spec["weights"][source][t], dtype=torch.float64)
        shades[source] = 0.55 * (1 - weights / weights.max())
        if ABOUT[source][t] < 0:
            assert numbers["inside"] is None
            return {"map": weights, "shades": shades}
        left, top, right, bottom = BOXES[source][ABOUT[source][t]]
        inside = torch.zeros(32, 32, dtype=torch.bool)
        inside[top:bottom, left:right] = True
        within = weights[inside[2::4, 2::4].flatten()].sum()
        return {"map": weights, "shades": shades, "inside": within}

    def test_it_says_what_goes_over(self, node):
        """On its page the objects of the other picture are named, and another relation."""
        for spec in shown_on_pages("captions"):
            state = self.START | dict(exchanged=True, guessed="its own")
            [[text, _]] = node.compute("captions", spec, [state], code=SAY)
            differ = {
                (p, t)
                for p, said in enumerate(spec["others"])
                for t, word in enumerate(said)
                if word != spec["words"][1 - p][t]
            }
            assert differ == {(0, 4), (1, 4)}
            assert ", so the objects go over with the contexts. Each" in text

    def check_a_pressed_word(self, page):
        """It is the one that is framed; what is exchanged is marked."""
        press(page, ".word >> nth=1")
        assert part(page, ".self[aria-pressed=true]").all_inner_texts() == ["red"]
        press(page, "input[type=checkbox]")
        assert part(page, ".changed").all_inner_texts() == ["blue", "circle", "red", "cross"]
