"""The changes that turn il and elle, page 13; in small on the first page."""

import re

import pytest
import torch

from tests.live import translator
from tests.live.figure import FigureTest, all_text, drawn, look, numbers, part, press, table
from tests.live.translator import PAIRS, TWINS, check_odds, translated
from utils.live import bundle
from utils.live.figures.twins import in_small
from utils.translation import to_tokens

CHANGES = ["swap", "nouns", "adjective", "encoder"]
SAID = TWINS[0][0].source


def edits_of(pair, k, on):
    """The edits of sentence k of a pair, by what the corpus knows of it, and its donor's states."""
    here, other = pair[k], pair[1 - k]
    (adjective,) = [i for i, both in enumerate(zip(here.source, other.source)) if len({*both}) == 2]
    (said,), (others,) = here.pronouns, other.pronouns
    edits = {"cuts": []}
    if "nouns" in on:
        for noun in (said.source_referent, others.source_referent):
            edits["cuts"].append({"part": "encoder", "query": said.source, "key": noun})
    if "adjective" in on:
        edits["cuts"].append({"part": "cross", "query": said.target, "key": adjective})
    if "encoder" in on:
        heads = [{"part": "encoder", "layer": l, "head": h} for l in range(2) for h in range(4)]
        edits["heads"] = heads
    with torch.no_grad():
        model, english, _ = translator.precise_translator()
        inside = edits | {"cuts": [cut for cut in edits["cuts"] if cut["part"] == "encoder"]}
        with translator.edited(model, inside, None):
            donor = translator.stages_of(model, to_tokens([other.source], english))
    if "swap" in on:
        edits["patches"] = [{"stage": 2, "position": adjective, "from": adjective}]
    return edits, donor


def signed(odds):
    return f"{odds:.1f}".replace("-", "−")


def unlike(**changed):
    """A pair of the corpus with another twin."""
    first, second = TWINS[0]
    return {"pairs": [(first, second._replace(**changed))]}


class TestTwins(FigureTest):
    EXAMPLE = dict(pairs=TWINS)
    START = dict(pair=PAIRS[0], tried={}) | dict.fromkeys(CHANGES, False)
    STATES = [
        dict(),
        *({name: True} for name in CHANGES),
        dict.fromkeys(CHANGES, True),
        dict(pair=PAIRS[1], swap=True, encoder=True, tried={"1,nouns": True, "0,swap": True}),
        dict(pair=PAIRS[1], swap=True, nouns=True, adjective=True),
    ]
    WRONG = {
        "a donor without its own edits": {"[1 - k], { cuts, heads })": "[1 - k])"},
        "a sentence that is its own donor": {"encode(sentences[1 - k]": "encode(sentences[k]"},
        "a cut of another row": {"query: step, key": "query: step - 1, key"},
        "before is now": {"before = results(pair, [])": "before = now"},
        "a change in one block": {'[{ part: "encoder" }]': '[{ part: "encoder", layer: 0 }]'},
        "the other pair's trials": {"tried[`${k},${name}`]": "tried[`0,${name}`]"},
        "kept by the change alone": {"once([pair, on]": "once([on]"},
    }
    QUIET = ["will it turn a pronoun?", "combine changes"]  # until a change is pressed
    BROKEN = {
        "a dead change": ("button swap the adjective’s vectors", {"this.press(name)": "0"}),
        "changes that add up": ("check_one_at_a_time", {"this.release(name);": ""}),
        "a guess that changes": ("check_guesses", {"guess.disabled = Boolean(": "Boolean("}),
        "a verdict without a guess": ("check_guesses", {"includes(guess, 1)": "includes(guess)"}),
        "a button before its guess": ("check_guesses", {'", guess, button': '", button, guess'}),
    }
    BAD = [
        ({"pairs": TWINS * 4}, "wanted a list of 1 to 6 minimal pairs"),
        ({"pairs": [("the", "animal")]}, "pairs[0] is ('the', 'animal')"),
        (unlike(source=("a", *SAID[1:-2], "wide", ".")), "differs in 2 words"),
        (unlike(source=(*SAID[:-2], "brave", ".")), "pairs[0] holds 'brave'"),
        (unlike(pronouns=()), "pairs[0] lacks two pronouns"),
        (unlike(pronouns=TWINS[0][0].pronouns), "wanted “it” in one position, for two nouns"),
    ]

    def truth(self, spec, state, found):
        number = PAIRS.index(state["pair"])
        pair, on = TWINS[number], [name for name in CHANGES if state[name]]
        tried = [state["tried"].get(f"{number},{name}") is not None for name in CHANGES]
        assert found["k"] == number and found["on"] == on
        assert [each is not None for each in found["alone"]] == tried
        runs = [(found["before"], []), (found["now"], on), *zip(found["alone"], CHANGES)]
        for both, changes in runs:
            for k, run in enumerate(both or []):
                changes = [changes] if isinstance(changes, str) else changes
                logits, _ = translated(pair[k].source, run["words"], *edits_of(pair, k, changes))
                check_odds(run, logits)
        for here, run in zip(pair, found["before"]):
            assert run["step"] == here.pronouns[0].target and tuple(run["words"]) == here.target
        return {}

    def check_guesses(self, page):
        """A guess is judged and locked once its change was tried; without one is no verdict."""
        change, guess, outcome = (part(page, f".change {x}") for x in ("button", "select", "span"))

        def tab():
            page.keyboard.press("Tab")
            root = "document.querySelector('attention-live-1').shadowRoot"
            return page.evaluate(f"{root}.activeElement.textContent")

        def option(k):
            return guess.nth(k).evaluate("each => each.selectedOptions[0].text")

        height = part(page, ":scope").bounding_box()["height"]
        assert "sentence 1 gets il, sentence 2 gets elle" in look(page)[1]
        guess.nth(0).select_option("turns a pronoun")
        guess.nth(1).select_option("turns a pronoun")
        guess.nth(0).focus()
        assert tab() == change.nth(0).inner_text(), "the guess comes before its button"
        assert "turns none" in tab()
        said = press(page, ".change button >> nth=0")
        turned = "Sentence 1: il becomes elle. Sentence 2: elle becomes il."
        assert said == f"{turned} The adjective’s vector decides."
        assert outcome.nth(0).inner_text() == "both turn; you guessed it"
        assert guess.nth(0).is_disabled() and guess.nth(1).is_enabled()
        assert option(0) == "locked: turns a pronoun"
        said = press(page, ".change button >> nth=1")
        assert outcome.nth(1).inner_text() == "nothing turns; you guessed otherwise"
        kept = "Nothing turns: sentence 1 keeps il, sentence 2 keeps elle."
        assert said == f"{kept} So they don’t depend on it."
        said = press(page, ".change button >> nth=2")
        word = outcome.nth(2).inner_text()
        assert re.fullmatch("both are (il|elle) now", word), "she has not guessed"
        assert option(2) == "locked: no guess"
        same = f"Both sentences now get {word.split()[2]}: nothing else tells the two apart."
        assert said == same
        assert abs(part(page, ":scope").bounding_box()["height"] - height) < 1, "nothing moves"
        page.emulate_media(media="print")
        printed = [each.is_visible() for each in part(page, ".change").all()]
        assert printed == [True, True, True, False] and not guess.nth(0).is_visible()
        assert change.nth(0).is_visible(), "a result is printed with its name"
        page.emulate_media(media="screen")
        press(page, ".foot button")
        assert outcome.all_inner_texts() == [""] * 4 and guess.nth(0).is_enabled()

    def check_one_at_a_time(self, page):
        """And the same one again undoes it, unless they are to be combined."""

        def on():
            pressed = [each.get_attribute("aria-pressed") for each in buttons.all()]
            return [k for k, each in enumerate(pressed) if each == "true"]

        buttons, combine = part(page, ".change button"), part(page, "input[type=checkbox]")
        press(page, ".change button >> nth=0", ".change button >> nth=2")
        assert on() == [2]
        assert "Nothing is changed" in press(page, ".change button >> nth=2")
        combine.check()
        press(page, ".change button >> nth=2", ".change button >> nth=3")
        assert on() == [2, 3] and numbers(page)["on"] == ["adjective", "encoder"]
        assert part(page, ".change span").nth(3).inner_text() == "", "it was not tried alone"
        combine.uncheck()
        assert on() == [2]
        part(page, "select >> nth=0").select_option(index=1)
        assert on() == [] and part(page, ".change select >> nth=2").is_enabled()
        found = numbers(page, swap=True, nouns=True)
        assert "decides" not in look(page)[1], "two together"
        rows = table(page)
        for k, here in enumerate(TWINS[1]):
            before, now = found["before"][k], found["now"][k]
            wanted = [before["word"], signed(before["odds"]), now["word"], signed(now["odds"])]
            assert rows[2 * k] == [here.source[-2], *wanted]
            assert rows[2 * k + 1][0].replace(" ", "") == "".join(now["words"])
            english, french = (part(page, f"[lang={each}] >> nth={k}") for each in ("en", "fr"))
            assert f"{here.source[-2]} ← {TWINS[1][1 - k].source[-2]}" in english.inner_text()
            for rect, odds in ((".bar-odds", now["odds"]), (".ghost", before["odds"])):
                x, width = drawn(page, f".card {rect} >> nth={k}", "x", "width")[0]
                ends = sorted((150, 150 + 106 / 8 * max(-8, min(odds, 8))))
                assert abs(x - ends[0]) < 0.06 and abs(x + width - ends[1]) < 0.11
            marked = french.locator(".changed").all_inner_texts()
            common = [word for word in now["words"] if word not in marked]
            assert now["word"] in marked and {*common} <= {*before["words"]}
            assert len(common) > len(marked)

    def test_small_for_another_page(self, opened, figures):
        html = in_small(self.html())
        small, _ = self.output(small=True)
        assert bundle.spec_of(html) == bundle.spec_of(small["text/html"])
        page = opened(html)
        assert part(page, "select, input, details").count() == 0
        assert "Sentence 1: il becomes elle" in press(page, ".change button >> nth=0")
        assert "Nothing turns" in press(page, ".change button >> nth=1"), "one at a time"
        said = all_text(page)
        assert "sure of elle" in said and "undecided" in said and "Nothing turns" in said
        assert "log-odds" not in said and not re.search(r"\d\.\d", said)
        with pytest.raises(ValueError, match="'mask' is no figure that can be small"):
            in_small(figures["mask"].html())
