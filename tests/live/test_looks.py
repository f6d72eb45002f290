"""Where the translator looks, page 13, and what it writes when edges are cut."""

import numpy as np

from tests.live.figure import FigureTest, by_keys, look, numbers, part, press, table
from tests.live.translator import PAIRS, PARTS, SIDES, TWINS, check_odds, log_odds, translated

NAMES = {"encoder": "encoder", "own": "decoder to own words", "cross": "decoder to source"}
MAPS = {f"{NAMES[part]}, block {l + 1}": (part, l) for part in NAMES for l in range(2)}
MEAN, FIRST_LINK, LINK = "mean of all", "decoder to source, block 1", "decoder to source, block 2"
FIRST_OWN, OWN = "decoder to own words, block 1", "decoder to own words, block 2"
SOME = [
    {"part": "cross", "query": 10, "key": 10},
    {"part": "own", "query": 9, "key": 2},
    {"part": "encoder", "layer": 1, "head": 2, "query": 7, "key": 1},
]
MANY = [{"part": "cross", "query": 2, "key": key} for key in range(11)]  # neither il nor elle
SHIFTED = [{"part": "cross", "query": 1, "key": key} for key in range(12)]  # a word more before il
ALL = [{"part": "cross", "query": 2, "key": key} for key in range(12)]
LINES = """which => [...document.querySelector("attention-live-1").shadowRoot
    .querySelectorAll(".arc")].slice(0, 12).map(arc => which === "widths"
    ? parseFloat(getComputedStyle(arc).strokeWidth)
    : arc.getPointAtLength(which === "ends" ? arc.getTotalLength() : 0)
        .matrixTransform(arc.getScreenCTM()).y)"""
ON_LINE = """line => {
    const place = line.getPointAtLength(line.getTotalLength() * 0.8);
    const { x, y } = place.matrixTransform(line.getScreenCTM());
    return [x, y];
}"""


class TestLooks(FigureTest):
    EXAMPLE = dict(pairs=TWINS)
    START = dict(pair=PAIRS[0], sentence="first", map=LINK, head=MEAN, cuts=[], row=None)
    START |= dict(hover=None)
    STATES = [
        dict(),
        dict(sentence="second", map=FIRST_LINK, head="3", cuts=SOME),
        dict(map=FIRST_OWN, cuts=SOME, row=9),
        dict(map=FIRST_LINK, cuts=MANY, row=3),
        dict(map=FIRST_LINK, head="2", cuts=SHIFTED),
        dict(pair=PAIRS[1], sentence="second", map="encoder, block 2", head="3", cuts=SOME),
        dict(pair=PAIRS[1], map=OWN, head="1", cuts=MANY, row=1, hover=8),
        dict(map="encoder, block 2", cuts=SOME, row=7),
    ]
    WRONG = {
        "rows by the word received": {"? words : written;": '? words : ["", ...written.slice(1)];'},
        "the mean of one head": {"/ heads.length": "/ 1"},
        "kept without its cuts": {"once([words, edits]": "once([words]"},
        "a cut of one head in their mean": {"(cut.head ?? head) === head": "true"},
        "the row pointed at not shown": {"state.hover ?? state.row": "state.row"},
    }
    KEYS = {
        "a row": by_keys(".token.query[tabindex='0']", "ArrowDown"),
        "a cut": by_keys(".token.key[tabindex='0']", "End", "ArrowUp", "Enter"),
    }
    QUIET = ["the next cut applies to"]  # until there is one
    BROKEN = {
        "the odds where il was": ("check_shift", {"= run.steps[step] ??": "= run.steps[10] ??"}),
        "a bar for nothing": ("check_shift", {"textContent = known": "textContent = true"}),
        "bold where il was": ("check_shift", {"i === now.step &&": "i === before.step &&"}),
        "later words as keys": ("check_cuts", {"const gone = j >= open": "const gone = j > 99"}),
        "a cut of all heads where one is shown": ("check_cuts", {"cut.head = ": "cut.none = "}),
        "rows without keys": ("a row", {"ArrowDown: at + 1": "ArrowNone: at + 1"}),
    }
    BAD = [
        ({"part": "decoder"}, "part is 'decoder'"),
        ({"layer": 3}, "layer is 3; wanted one of [1, 2]"),
    ]

    def truth(self, spec, state, found):
        here = TWINS[PAIRS.index(state["pair"])][state["sentence"] == "second"]
        words, written = [*here.source], found["now"]["words"]
        logits, maps = translated(words, written, {"cuts": state["cuts"]})
        check_odds(found["now"], logits)
        check_odds(found["before"], translated(words, here.target)[0])
        step = found["before"]["step"]
        assert step == here.pronouns[0].target
        name, layer = MAPS[state["map"]]
        heads = maps[f"{SIDES[name]}.{layer}.{PARTS[name]}"][0][0]
        mean = state["head"] == MEAN
        matrix = heads.mean(0) if mean else heads[int(state["head"]) - 1]
        ours = [[*row, *[0] * (matrix.shape[1] - len(row))] for row in found["matrix"]]
        np.testing.assert_allclose(ours, matrix, rtol=1e-6, atol=1e-9)
        assert found["rows"] == (words if name == "encoder" else [*written, "end"])
        assert found["keys"] == (["begin", *written] if name == "own" else words)
        start = here.pronouns[0].source if name == "encoder" else step
        asked = [each for each in (state["hover"], state["row"], start) if each is not None]
        row = min(asked[0], len(found["rows"]) - 1)
        assert found["row"] == row and found["open"] == (row + 1 if name == "own" else len(words))
        gone = {
            cut["key"]
            for cut in state["cuts"]
            if (cut["part"], cut["query"]) == (name, row)
            and cut.get("layer", layer) == layer
            and ("head" not in cut or not mean and cut["head"] == int(state["head"]) - 1)
        }
        assert {j for j, each in enumerate(found["cut"]) if each} == gone
        return {"weights": matrix[row][: found["open"]]}

    def check_shift(self, page):
        """The bar, the bold word and the words are of the il that is written now."""
        found = numbers(page, cuts=SHIFTED)
        step, words = found["now"]["step"], found["now"]["words"]
        assert step != found["before"]["step"] and words[step] == "il"
        logits, _ = translated(TWINS[0][0].source, words, {"cuts": SHIFTED})
        value = f"{log_odds(logits, step):.1f}"
        assert f"{found['before']['odds']:.1f}" != value
        bar = part(page, ".card svg .strong")
        assert bar.text_content() == value
        assert part(page, ".french .strong").all_inner_texts() == ["il"]
        shifted = f"il stays. The translation has shifted: il is word {step + 1}, il was word"
        assert shifted in look(page)[1]
        numbers(page, cuts=MANY)
        assert bar.text_content() == "" and part(page, ".french .strong").count() == 0
        assert "no il or elle is written now" in part(page, ".card svg").text_content()
        assert part(page, ".ghost").get_attribute("visibility") == "visible", "the mark of before"
        said = look(page)[1]
        assert "With 11 cuts: il is gone." in said and "becomes" not in said
        assert "log-odds now none" in str(table(page))

    def check_cuts(self, page):
        """A row that is pointed at is shown meanwhile. A cut shows, names what it takes, means one
        head if it is to, and can be taken back."""

        def chips():
            return part(page, ".chip").all_inner_texts()

        tired, map, head, scope = ".token.key >> nth=10", *(f"select >> nth={k}" for k in (2, 3, 4))
        part(page, ".token.query >> nth=1").hover()
        assert "that writes “animal” looks most at" in look(page)[1]
        part(page, tired).hover()
        assert "that writes “il” looks most at" in look(page)[1]
        found = numbers(page)
        wanted = [1 + 9 * weight for weight in found["weights"]]
        np.testing.assert_allclose(page.evaluate(LINES, "widths"), wanted, atol=0.06)
        best = found["keys"][np.argmax(found["weights"])]
        assert look(page)[1].endswith(f"The position that writes “il” looks most at “{best}”.")
        shown = [f"{weight:.2f}"[1:] * (weight >= 0.005) for weight in found["weights"]]
        assert part(page, ".token.key:visible small").all_text_contents() == shown
        said = press(page, tired)
        assert "With 1 cut: il becomes elle." in said
        assert part(page, tired).inner_text().split() == ["tired", "cut"]
        assert part(page, ".arc.cut").count() == 1
        assert chips() == ["cut: → elle to tired (both blocks, all heads) ×"]
        assert "Nothing is cut" in press(page, ".chip")
        scopes = part(page, scope)
        assert scopes.inner_text().split("\n")[-1] == "this block, all heads"
        scopes.select_option("this block and head")
        part(page, head).select_option("2")
        assert scopes.inner_text().split("\n")[-1] == "this block and head"
        press(page, ".token.query >> nth=8", ".token.key >> nth=6")
        assert chips() == ["cut: → parce to because (block 2, head 2) ×"]
        part(page, head).select_option("3")
        assert part(page, ".token.key.masked").count() == 0, "another head still looks"
        part(page, head).select_option("2")
        x, y = part(page, ".wide >> nth=6").evaluate(ON_LINE)
        page.mouse.click(x, y + 3)
        assert "Nothing is cut" in look(page)[1], "its line restores it"
        part(page, map).select_option(FIRST_OWN)
        keys = [each.inner_text().split()[0] for each in part(page, ".token.key:visible").all()]
        found = numbers(page)
        assert keys == ["begin", *found["rows"][: len(keys) - 1]] and len(keys) == found["row"] + 1
        part(page, map).select_option(LINK)
        found = numbers(page, cuts=ALL, row=17)
        assert "The position that ends the sentence looks" in look(page)[1]
        rows = table(page)
        assert len(rows) == 19, "one word more, the French, and the log-odds"
        assert rows[2] == [f"→ {found['rows'][2]}", *["cut"] * 12]
        assert rows[3] == [f"→ {found['rows'][3]}", *(f"{a:.2f}" for a in found["matrix"][3])]
        assert rows[-2][0].replace(" ", "") == "".join(found["now"]["words"])
        part(page, ".token.query >> nth=0").focus()
        page.keyboard.press("End")
        assert numbers(page)["row"] == 16
        part(page, "select >> nth=0").select_option(index=1)
        assert chips() == [] and "Nothing is cut" in look(page)[1], "other words"
        assert numbers(page)["row"] == TWINS[1][0].pronouns[0].target

    def test_rows_are_high_enough_for_a_finger(self, opened):
        page = opened("looks", screen="phone", has_touch=True, is_mobile=True)
        rows = [each.bounding_box() for each in part(page, ".token.key:visible").all()]
        assert min(row["height"] for row in rows) >= 28
        middles = [row["y"] + row["height"] / 2 for row in rows]
        ends, starts = (page.evaluate(LINES, which) for which in ("ends", "starts"))
        np.testing.assert_allclose(ends, middles, atol=1, err_msg="lines end at their words")
        asks = part(page, ".token.query[aria-pressed=true]").bounding_box()
        np.testing.assert_allclose(starts, asks["y"] + asks["height"] / 2, atol=1)
