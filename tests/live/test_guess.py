"""Shannon's game, page 14."""

import math

import numpy as np
import torch

from tests.live.figure import FigureTest, by_keys, look, part, press, table

GAME, BEGIN = "The rain stopped. So the train ran.", 9
SEEN = "the road to the station is dry, so a cat sat and slept there. "
SIGNS = sorted(set(GAME + SEEN))
HIDDEN = GAME[BEGIN:]
SPACE, TELL = "button:text-is('space')", "button:text-is('tell me')"
WAITS = """input => {
    input.value = "´";
    input.dispatchEvent(new InputEvent("input", { isComposing: true }));
    return input.value;
}"""


def expected_signs():
    """For each hidden character what counts of pairs expect, many of them equal."""
    pairs = torch.full((len(SIGNS), len(SIGNS)), 0.5, dtype=torch.float64)
    for before, sign in zip(SEEN, SEEN[1:]):
        pairs[SIGNS.index(before), SIGNS.index(sign)] += 1
    rows = pairs[[SIGNS.index(before) for before in GAME[BEGIN - 1 : -1]]]
    return rows / rows.sum(dim=1, keepdim=True)


EXPECTED = expected_signs()
TRUE = torch.tensor([SIGNS.index(sign) for sign in HIDDEN])
CHANCES = EXPECTED.gather(1, TRUE[:, None])[:, 0]  # of what came
ORDER = EXPECTED.sort(dim=1, descending=True, stable=True).indices
RANKS = (ORDER == TRUE[:, None]).nonzero()[:, 1] + 1
CERTAIN = torch.eye(len(SIGNS))[[0] * len(EXPECTED)]


def percent(p):
    if p < 0.0005:
        return "< 0.1 %"
    return f"{100 * p:.1f} %" if p < 0.0995 else f"{math.floor(100 * p + 0.5)} %"


class TestGuess(FigureTest):
    EXAMPLE = dict(text=GAME, start=BEGIN, predictions=EXPECTED, letters=SIGNS)
    START = dict(tries=[], odd="")
    STATES = [
        dict(),
        dict(tries=[["x", "s"], ["t"], [None], ["e", None], ["p"], ["a", "b"]]),
        dict(tries=[[sign] for sign in HIDDEN]),
        dict(tries=[[None] for _ in HIDDEN]),
    ]
    WRONG = {
        "told counts as guessed": {"first: tries[0] === hidden[i]": "first: tries.length === 1"},
        "their second guess counts": {"rank === 1).length": "rank <= 2).length"},
        "nats": {"-Math.log2(p)": "-log(p)"},
        "what is expected of another": {"...spec.steps[i]": "...spec.steps[i ? i - 1 : 1]"},
    }
    KEYS = {"right": by_keys("input", "s"), "wrong": by_keys("input", "o")}
    BROKEN = {
        "no other case": ("check_game", {"plain(character) === plain": "character === String"}),
        "a guess twice": ("check_game", {"=> tried.some((each)": "=> [].some((each)"}),
        "keys that leave the figure": ("check_game", {"event.stopPropagation()": "0"}),
        "half an accent": ("check_game", {"event.isComposing &&": "false &&"}),
        "no sixth bar": ("check_game", {"last.rank > last.top.length ?": "false ?"}),
        "the first bar marked": ("check_game", {"character === last.character)": "true)"}),
        "a text that tells": ("check_game", {".rest,.room {": ".room {"}),
        "a text that grows": ("check_game", {"this.rest.textContent = ": "this.none = "}),
        "a dead space": ("button space", {'this.judge(" ")': "0"}),
        "a game without an end": ("check_game", {"if (truth === undefined) return;": ""}),
    }
    BAD = [
        (dict(text=3), "text is 3; wanted a passage"),
        (dict(start=0), "start is 0; wanted one of 1 to 34"),
        (dict(text="The\nrain\n", start=4), "text has a line break at 8"),
        (dict(text="The rain, and snow"), "text holds 'w' after its start"),
        (dict(letters="abc"), "letters is 'abc'; wanted a list"),
        (dict(letters=[*SIGNS, "a"]), "letters[19] is 'a'; wanted characters, each"),
        (dict(predictions=EXPECTED[1:]), "predictions has shape (25, 19)"),
        (dict(predictions=2 * EXPECTED), "predictions[0] sums to 2; wanted 1"),
        (dict(predictions=CERTAIN), "predictions[0] is 0 for 's'; wanted more than 0"),
    ]

    def truth(self, spec, state, found):
        tries, rows = state["tries"], found["rows"]
        at = sum(bool(each) and each[-1] in (None, sign) for each, sign in zip(tries, HIDDEN))
        assert "".join(row["character"] for row in rows) == HIDDEN[:at]
        assert [row["tries"] for row in rows] == tries[:at]
        assert [row["told"] for row in rows] == [each[-1] is None for each in tries[:at]]
        first = [each[0] == sign for each, sign in zip(tries[:at], HIDDEN)]
        assert [row["first"] for row in rows] == first
        for row, wanted, likely, chances in zip(rows, CHANCES, ORDER, EXPECTED):
            assert [sign for sign, _ in row["top"]] == [SIGNS[i] for i in likely[:5]]
            np.testing.assert_allclose([q for _, q in row["top"]], chances[likely[:5]], rtol=1e-3)
            np.testing.assert_allclose(row["p"], wanted, rtol=1e-3)
        assert [row["rank"] for row in rows] == RANKS[:at].tolist()
        bits = torch.tensor([row["p"] for row in rows]).double().log2().neg().mean() if at else 0
        yours = sum(each == [sign] for each, sign in zip(tries, HIDDEN))
        assert found["wrong"] == (tries[at] if len(tries) > at else [])
        assert found["left"] == len(HIDDEN) - at
        truth = dict(at=at, yours=yours, theirs=(RANKS[:at] == 1).sum(), bits=bits)
        return {name: torch.as_tensor(x, dtype=torch.float64) for name, x in truth.items()}

    def see_chart(self, chart, i):
        """What was expected of character i, with what came next marked among it."""
        rank, likely = RANKS[i].item(), ORDER[i][:5].tolist()
        texts = chart.locator("text:not([visibility=hidden])").all_text_contents()
        assert texts[2:7] == [SIGNS[k].replace(" ", "␣") for k in likely]
        assert texts[-1] == f"guess number {rank} of the counts"
        before = GAME[max(BEGIN + i - 17, 0) : BEGIN + i].replace(" ", "␣")
        assert texts[1][-9:] == f"…{before}"[-9:]
        drawn = chart.locator("rect:not(.frame)").evaluate_all(
            "all => all.map(e => [e.getAttribute('class'), +e.getAttribute('width')])"
        )
        kinds, widths = zip(*drawn)
        shares = np.array([*EXPECTED[i, likely], *[CHANCES[i]] * (rank > 5)])
        np.testing.assert_allclose(widths[: len(shares)], 1 + 160 * shares, atol=0.1)
        assert kinds.index("cell") == min(rank, 6) - 1 and kinds.count("cell") == 1
        frame, bar = (chart.locator(each).bounding_box() for each in (".frame", ".cell"))
        assert frame["y"] < bar["y"] < bar["y"] + bar["height"] < frame["y"] + frame["height"]
        assert [each for each in texts[8:14] if each] == [percent(p) for p in shares]

    def check_game(self, page):
        """A guess is listed or moves the text on; what came next is marked in what was expected."""
        box, passage, chart = (part(page, each) for each in ("input", ".passage", ".panels > svg"))
        page.set_viewport_size({"width": 320, "height": 700})
        height = part(page, ":scope").bounding_box()["height"]
        page.evaluate("document.addEventListener('keydown', () => (document.title = 'heard'))")
        assert passage.inner_text() == GAME[:BEGIN]
        assert chart.locator(".cell").count() == 0
        assert "once you have guessed" in chart.text_content()

        def enter(*keys):
            for key in keys:
                box.press(key)
            return look(page)[1]

        assert box.evaluate(WAITS) == "´", "an accent and no letter yet"
        assert enter("x", "z").startswith("“z” isn't a character of these texts")
        assert enter("o", "a", "O").startswith("“O” has been tried here, so it doesn't count.")
        assert page.title() == "Live", "the page around has shortcuts of its own"
        assert part(page, "s").all_inner_texts() == ["o", "a"] and box.input_value() == ""
        assert {*RANKS.tolist()} >= {1} and {2, 3, 4, 5} & {*RANKS.tolist()} and RANKS.max() > 5
        mine = 0
        for i, sign in enumerate(HIDDEN):
            assert part(page, ".rest").evaluate("e => getComputedStyle(e).visibility") == "hidden"
            assert passage.inner_text() == GAME[: BEGIN + i]
            guess = f"guess number {RANKS[i]} of the counts."
            name = "A space" if sign == " " else f"“{sign}”"
            wanted = f"{name} is right, at once; it was {guess}"
            if i == 0:
                wanted = f"“s” is right, after 3 guesses; it was {guess}"
            elif i == len(HIDDEN) - 1:
                wanted = "That was all. You needed 1 guess for"
            if i == 4:
                said, wanted = press(page, TELL), f"It was “{sign}”, {guess}"
                assert part(page, ".missed").all_inner_texts() == [HIDDEN[0], sign]
            elif sign == " " and i % 2:
                said = press(page, SPACE)
            else:  # the other case of a letter is right too
                said = enter(sign.swapcase())
            assert said.startswith(wanted)
            mine += i not in (0, 4)
            score = f"You needed 1 guess for {mine} of {i + 1} character{'s' if i else ''}"
            theirs = (RANKS[: i + 1] == 1).sum()
            assert f"{score}, the counts for {theirs}." in said and part(page, "s").count() == 0
            self.see_chart(chart, i)
        bits = -CHANCES.log2().mean()
        assert f"The loss of the counts is {bits:.2f} bits per character here." in said
        assert abs(part(page, ":scope").bounding_box()["height"] - height) < 1, "nothing moves"
        there = look(page)
        box.press("e")
        part(page, TELL).dispatch_event("click")
        assert look(page) == there, "there is nothing more to do"
        for each in ("input", SPACE, TELL):
            assert part(page, each).get_attribute("aria-disabled") == "true"
        signs, guesses, ranks, chances = zip(*table(page))
        assert chances == tuple(percent(p) for p in CHANCES.tolist())
        assert signs == tuple(HIDDEN.replace(" ", "␣"))
        assert guesses[0] == "o a s" and guesses[4] == "told"
        assert ranks == tuple(str(rank) for rank in RANKS.tolist())
        press(page, ".foot button")
        assert passage.inner_text() == GAME[:BEGIN]
        assert enter("s").startswith("“s” is right, at once")
        assert enter("o", "t").startswith("“t” is right, after 2 guesses")
