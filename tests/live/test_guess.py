"""Shannon's game."""

import math

import numpy as np
import pytest
import torch

from tests.live.figure import (
    FRAMES,
    FigureTest,
    by_keys,
    by_touch,
    drawn,
    hold_time,
    look,
    part,
    press,
    table,
)

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


def percent(p):
    if p < 0.0005:
        return "< 0.1 %"
    return f"{100 * p:.1f} %" if p < 0.0995 else f"{math.floor(100 * p + 0.5)} %"


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
        "capitals matter": {"sign.toLowerCase()": "sign"},
        "quotation marks matter": {r"[‘’\u0060]": "[‘’]"},
        "their second guess counts": {"likeliest[0], letter": "likeliest[1], letter"},
        "nats": {"-Math.log2(models": "-Math.log(models"},
        "what is expected of another": {"steps[text][i]": "steps[text][i ? i - 1 : 1]"},
        "another text": {"steps[text]": "steps[0]"},
    }
    KEYS = {"right": by_keys("input", "Space"), "wrong": by_keys("input", "o")}
    TOUCH = {"a letter": by_touch(".letter >> nth=3"), "a space": by_touch(".letter.wide")}
    SAID = [
        (
            dict(),
            "Text 1 of 2. What comes next? You have one guess for each of 19 letters.",
            ["letter", "your guess"],
        ),
        (dict(guesses=" S"), "“s” is right. Right so far: you 2 of 2, the table", ["s", "S"]),
        (dict(text=1, guesses=TEXTS[1][1]), "You guessed 19 of 19 letters, the table", ["`", "`"]),
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
        page.set_viewport_size({"width": 320, "height": 700})
        page.evaluate(FRAMES)
        height = part(page, ":scope").bounding_box()["height"]
        page.evaluate("document.addEventListener('keydown', () => (document.title = 'heard'))")
        given, hidden = TEXTS[0]
        assert passage.inner_text() == given
        assert not drawn(page, ".frame", "x").size and not part(page, COPY).is_visible()
        assert box.evaluate(WAITS) == "´", "an accent and no letter yet"
        box.fill("ü")
        assert look(page)[1] == "“ü” isn't in this book, so it doesn't count."
        guesses = "".join("o" if i in (2, 7, 11) else sign for i, sign in enumerate(hidden))
        for i, sign in enumerate(guesses):
            assert part(page, ".rest").evaluate("e => getComputedStyle(e).visibility") == "hidden"
            assert passage.inner_text() == given + hidden[:i]
            box.press("Space" if sign == " " else sign.swapcase())
            assert part(page, COPY).is_visible() == (i == LONG - 1)
        assert page.title() == "Live", "the page around has shortcuts of its own"
        assert look(page)[1].startswith(f"You guessed {LONG - 2} of {LONG} letters, the table")
        assert abs(part(page, ":scope").bounding_box()["height"] - height) < 1, "nothing moves"
        there = look(page)
        box.dispatch_event("input")
        part(page, ".letter >> nth=2").dispatch_event("click")
        assert look(page) == there, "there is nothing more to do"
        assert page.evaluate(GUESSES) == guesses.swapcase()
        assert box.get_attribute("aria-disabled") == "true"
        rows = table(page)
        assert "".join(row[0] for row in rows) == hidden.replace(" ", "␣")
        score = page.evaluate(COPIED)
        assert score.startswith(
            f"I guessed {LONG - 2} of {LONG} letters of a book; a table of pairs "
        )
        press(page, ".tools button")
        assert passage.inner_text() == given

    def check_slip(self, page):
        """Who types a word on after a miss repeats its letter; that is no guess, for a moment."""
        hold_time(page)

        def said(signs, pause=1):
            for sign in signs:
                part(page, "input").press(sign)
            page.clock.run_for(pause)
            return part(page, ".say").text_content()

        assert said(" ct").startswith("“t” is right"), "after a miss another letter counts"
        assert said("co") == "“o” is filled in already: guess what follows it."
        assert page.evaluate(GUESSES) == " ctc"
        assert said("p").startswith("“p” is right. Right so far: you 3 of 5")
        said("c", pause=1100)
        assert said("p").startswith("It was “e”, not “p”"), "a double letter is a guess"

    def check_doubled(self, page):
        """Who misses the first of two equal letters can go on with the second at once."""
        hold_time(page)
        for signs, words in (
            (" stoc", "It was “p”, not “c”, and is filled in"),
            ("p", "“p” is right. Right so far: you 5 of 6"),
            ("p", "“p” is filled in already: guess what follows it."),
            ("e", "“e” is right. Right so far: you 6 of 7"),
        ):
            for sign in signs:
                part(page, "input").press(sign)
            page.clock.run_for(1)
            assert part(page, ".say").text_content().startswith(words)

    def check_texts(self, page):
        """The next text begins anew, and behind the last is the first."""
        part(page, "input").press("x")
        assert press(page, OTHER).startswith("Text 2 of 2. What comes next?")
        assert part(page, ".passage").inner_text() == TEXTS[1][0]
        part(page, "input").press("h")
        assert look(page)[1].startswith("“h” is right. Right so far: you 1 of 1")
        assert press(page, OTHER).startswith("Text 1 of 2")

    def test_the_score_is_shown_where_nothing_can_be_copied(self, opened):
        page = opened("guess")
        page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        page.evaluate("g => document.querySelector('attention-live-1').figure.change('guesses', g)", TEXTS[0][1])  # fmt: skip
        assert press(page, COPY).startswith(
            f"I guessed {LONG} of {LONG} letters of a book; a table"
        )
