"""Shannon's game."""

import math

import numpy as np
import pytest
import torch

from tests.live.figure import FigureTest, by_keys, by_touch, hold_time, look, part, press

TEXTS = [
    ("CHAPTER\n" + "It was the last train. " * 6 + "A rain", " stopped. So it ran"),
    ("“Go”, s", "he said; `I may go."),
]
SEEN = "the road to the station is dry, so a cat sat and slept there. "
SIGNS = sorted({*SEEN, *"".join(hidden for _, hidden in TEXTS)})
LONG = len(TEXTS[0][1])
OTHER = "button:text-is('Another text')"
COPY = "button:text-is('Copy this score')"
WAITS = """input => {
    input.value = "´";
    input.dispatchEvent(new InputEvent("input", { isComposing: true }));
    return input.value;
}"""
GUESSES = "document.querySelector('attention-live-1').figure.state.guesses"
COPIED = """async () => {
    let copied;
    Object.defineProperty(navigator, "clipboard",
        { value: { writeText: async (words) => { copied = words; } }, configurable: true });
    const root = document.querySelector("attention-live-1").shadowRoot;
    [...root.querySelectorAll("button")].find((each) => each.textContent === "Copy this score").click();
    await new Promise((done) => setTimeout(done));
    return copied;
}"""


def by_counts(power):
    """For each hidden character what counts of pairs expect, many of them equal."""
    pairs = torch.full((len(SIGNS), len(SIGNS)), 0.5, dtype=torch.float64)
    for before, sign in zip(SEEN, SEEN[1:]):
        pairs[SIGNS.index(before), SIGNS.index(sign)] += 1
    found = []
    for given, hidden in TEXTS:
        before = (given[-1] + hidden)[:-1]
        known = [SIGNS.index(sign) if sign in SIGNS else 0 for sign in before]
        rows = pairs[known] ** power
        found.append(rows / rows.sum(dim=1, keepdim=True))
    return found


MODELS = {"a table of pairs": by_counts(1), "a Network, 2 weights": by_counts(-0.5)}


def plain(sign):
    return sign.lower().replace("`", "'")


def likeliest(model, text, i):
    return MODELS[model][text][i].sort(descending=True, stable=True).indices[:3].tolist()


class TestGuess(FigureTest):
    EXAMPLE = dict(texts=TEXTS, guessers=MODELS, letters=SIGNS, book="a book")
    START = dict(text=0, guesses="")
    STATES = [
        dict(),
        dict(guesses=" stxxp"),
        dict(guesses=TEXTS[0][1].swapcase()),
        dict(text=1, guesses="he Said, '"),
        dict(text=1, guesses="e" * LONG + "and more"),
        dict(guesses="\x00é漢🐇"),
    ]
    WRONG = {
        "quotation marks matter": {r"[‘’\u0060]": "[‘’]"},
        "their second guess counts": {"likeliest[0], letter": "likeliest[1], letter"},
        "what is expected of another": {"steps[text][i]": "steps[text][i ? i - 1 : 1]"},
    }
    KEYS = {"right": by_keys("input", "Space"), "wrong": by_keys("input", "o")}
    TOUCH = {"a letter": by_touch(".letter >> nth=3"), "a space": by_touch(".letter.wide")}
    SAID = [
        (dict(), "Text 1 of 2. What comes next? You have one guess", ["letter", "your guess"]),
        (dict(guesses=" S"), "“s” is right. Right so far: you 2 of 2, the table", ["s", "S"]),
    ]

    def truth(self, spec, state, found):
        text = state["text"]
        given, hidden = TEXTS[text]
        guesses = state["guesses"][:LONG]
        rows = found["rows"]
        assert found["given"] == given and "".join(found["letters"]) == hidden
        assert [row["letter"] for row in rows] == list(hidden[: len(guesses)])
        assert "".join(row["guess"] for row in rows) == guesses
        scores = torch.zeros(3, dtype=torch.float64)
        bits = torch.zeros(2, dtype=torch.float64)
        for i, row in enumerate(rows):
            right = [plain(guesses[i]) == plain(hidden[i])]
            for model, ours in zip(MODELS, row["models"]):
                chances = MODELS[model][text][i]
                top = likeliest(model, text, i)
                assert ours["likeliest"] == [SIGNS[k] for k in top]
                np.testing.assert_allclose(ours["shares"], 100 * chances[top], rtol=5e-4)
                p = chances[SIGNS.index(hidden[i])]
                np.testing.assert_allclose(ours["p"], p, rtol=5e-4)
                bits[len(right) - 1] -= math.log2(ours["p"])
                right.append(plain(SIGNS[top[0]]) == plain(hidden[i]))
            assert row["right"] == right
            scores += torch.tensor(right)
        at = len(rows)
        assert found["left"] == LONG - at
        return dict(at=torch.tensor(at), scores=scores, bits=bits / max(at, 1))

    def test_a_foreign_state_is_refused(self, node):
        for wrong in (dict(text=9), dict(text=-1), dict(text=0.5), dict(text=1e300)):
            with pytest.raises(RuntimeError, match="undefined"):
                node.compute("guess", self.spec(), [self.START | wrong])

    def check_game(self, page):
        """A guess moves the text on; bars, cells and what was expected follow; a score at the end."""
        box, passage = (part(page, each) for each in ("input", ".passage"))
        page.evaluate("document.addEventListener('keydown', () => (document.title = 'heard'))")
        given, hidden = TEXTS[0]
        assert box.evaluate(WAITS) == "´", "an accent and no letter yet"
        box.fill("ü")
        assert look(page)[1] == "“ü” isn't in this book, so it doesn't count."
        guesses = "".join("o" if i in (2, 7, 11) else sign for i, sign in enumerate(hidden))
        for i, sign in enumerate(guesses):
            assert passage.inner_text() == given + hidden[:i]
            box.press("Space" if sign == " " else sign.swapcase())
            assert part(page, COPY).is_visible() == (i == LONG - 1)
        assert page.title() == "Live", "the page around has shortcuts of its own"
        assert look(page)[1].startswith(f"You guessed {LONG - 2} of {LONG} letters, the table")
        part(page, ".letter >> nth=2").dispatch_event("click")
        assert page.evaluate(GUESSES) == guesses.swapcase(), "there is nothing more to do"
        score = page.evaluate(COPIED)
        assert score.startswith(
            f"I guessed {LONG - 2} of {LONG} letters of a book; a table of pairs "
        )

    def check_slip(self, page):
        """Who types a word on after a miss repeats its letter; that is no guess, for a moment. Of two
        equal letters the second is one."""
        hold_time(page)

        def said(signs, pause=1):
            for sign in signs:
                part(page, "input").press(sign)
            page.clock.run_for(pause)
            return part(page, ".say").text_content()

        assert said(" ct").startswith("“t” is right"), "after a miss another letter counts"
        assert said("co") == "“o” is filled in already: guess what follows it."
        assert said("c").startswith("It was “p”, not “c”")
        assert said("p").startswith("“p” is right. Right so far: you 3 of 6")
        assert said("p") == "“p” is filled in already: guess what follows it."
        assert page.evaluate(GUESSES) == " ctccp"

    def check_texts(self, page):
        """The next text begins anew, and behind the last is the first."""
        part(page, "input").press("x")
        assert press(page, OTHER).startswith("Text 2 of 2. What comes next?")
        assert part(page, ".passage").inner_text() == TEXTS[1][0]
        assert press(page, OTHER).startswith("Text 1 of 2")

    def test_the_score_is_shown_where_nothing_can_be_copied(self, opened):
        page = opened("guess")
        page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        page.evaluate("g => document.querySelector('attention-live-1').figure.change('guesses', g)", TEXTS[0][1])  # fmt: skip
        assert press(page, COPY).startswith(
            f"I guessed {LONG} of {LONG} letters of a book; a table"
        )
