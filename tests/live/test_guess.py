"""Shannon's game."""

import numpy as np
import torch

from tests.live.figure import FigureTest, by_keys, by_touch, draw, look, part, press

TEXTS = [
    ("CHAPTER\n" + "It was the last train. " * 6 + "A rain", " stopped. So it ran"),
    ("“Go”, s", "he said; `I may go."),
]
SIGNS = sorted({*"the quick brown fox jumps over a lazy dog.", *"".join(hidden for _, hidden in TEXTS)})
LONG = len(TEXTS[0][1])


def expected(seed):
    """For each hidden character what a model expects, much of it equally."""
    found = []
    for k, (_, hidden) in enumerate(TEXTS):
        logits = draw(LONG, len(SIGNS), seed=seed + k).round()
        logits[range(LONG), [SIGNS.index(sign) for sign in hidden]] += 2
        found.append(logits.softmax(dim=1))
    return found


MODELS = {"a table of pairs": expected(1), "a Network, 2 weights": expected(3)}


def plain(sign):
    return sign.lower().replace("`", "'")


class TestGuess(FigureTest):
    EXAMPLE = dict(texts=TEXTS, guessers=MODELS, letters=SIGNS, book="a book")
    START = dict(text=0, guesses="", read=8)
    STATES = [
        dict(),
        dict(read=3),
        dict(guesses="oxed. sO"),
        dict(text=1, read=0, guesses="he Said, '"),
        dict(text=1, guesses="e" * LONG + "and more"),
    ]
    WRONG = {
        "quotation marks matter": {r"[‘’\u0060]": "[‘’]"},
        "their second guess counts": {"likeliest[0], letter": "likeliest[1], letter"},
        "what is expected of another": {"steps[text][i]": "steps[text][i ? i - 1 : 1]"},
    }
    KEYS = {"right": by_keys("input", "."), "wrong": by_keys("input", "o")}
    TOUCH = {"a letter": by_touch(".letter >> nth=3"), "a space": by_touch(".letter.wide")}
    SAID = [
        (dict(), "What comes next? Right so far, of 8 letters: the table", ["letter", "your guess"]),
        (dict(guesses="."), "“.” is right. Right so far: you 1 of 1, the table", [".", "."]),
    ]

    def holds(self, spec, state, numbers, text):
        _, table, model = numbers["scores"]
        assert not state["guesses"] and numbers["counted"] == 8 and min(table, model) > 0
        assert text == f"What comes next? Right so far, of 8 letters: the table {table}, the Transformer {model}."  # fmt: skip

    def truth(self, spec, state, numbers):
        text, read, guesses = state["text"], state["read"], state["guesses"]
        prefix, hidden = TEXTS[text]
        guesses = guesses[: LONG - read]
        wanted = list(zip(hidden, [None] * read + list(guesses)))
        assert [(row["letter"], row.get("guess")) for row in numbers["rows"]] == wanted
        scores = torch.zeros(3, dtype=torch.float64)
        for i, row in enumerate(numbers["rows"]):
            right = [i >= read and plain(guesses[i - read]) == plain(hidden[i])]
            for model, ours in zip(MODELS, row["models"]):
                chances = MODELS[model][text][i]
                top = chances.sort(descending=True, stable=True).indices[:3].tolist()
                assert ours["likeliest"] == [SIGNS[k] for k in top]
                p = [*chances[top], chances[SIGNS.index(hidden[i])]]
                shown = [*(share / 100 for share in ours["shares"]), ours["p"]]
                np.testing.assert_allclose(shown, p, rtol=5e-4)
                right.append(plain(SIGNS[top[0]]) == plain(hidden[i]))
            assert row["right"] == right
            if i >= read or not guesses:
                scores += torch.tensor(right)
        return dict(given=prefix, letters=[*hidden], scores=scores, counted=len(guesses) or read)

    def check_game(self, page):
        """A guess moves the text on, and behind the last text is the first."""
        box, passage = (part(page, selector) for selector in ("input", ".passage"))
        page.evaluate("document.addEventListener('keydown', () => (document.title = 'heard'))")
        prefix, hidden = TEXTS[0]
        box.fill("漢")
        for i, sign in enumerate(hidden[8:]):
            assert passage.inner_text() == prefix + hidden[: 8 + i]
            box.press("Space" if sign == " " else sign.swapcase())
        box.press("x")
        assert look(page)[1].startswith(f"You guessed {LONG - 8} of {LONG - 8} letters of a book")
        assert page.title() == "Live", "the page around has shortcuts of its own"
        for prefix, hidden in TEXTS[::-1]:
            press(page, "button:text-is('Another text')")
            assert passage.inner_text() == prefix + hidden[:8]
