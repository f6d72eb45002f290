"""A sentence of the reader's own, page 13."""

import torch

from tests.live.figure import FigureTest, all_text, look, numbers, part, same, table
from tests.live.translator import check_odds, precise_translator, translated
from utils.translation import to_tokens

NOUNS = {"masculine in French": ["animal", "truck"], "feminine in French": ["street", "car"]}
PATTERNS = {
    "because": "the NOUN didn't cross the NOUN because it was too ADJECTIVE .".split(),
    "present": "the ADJECTIVE NOUN sees the NOUN .".split(),
}
MENUS = {"NOUN": NOUNS, "ADJECTIVE": ["tired", "wide"]}
TYPE, BACK = "button:text-is('type a sentence')", "button:text-is('use the menus')"
FRENCH = """() => [...document.querySelector("attention-live-1").shadowRoot
    .querySelectorAll(".glosses > span > span > span")].map(word => word.textContent).join(" ")"""
UNITS = """() => [...document.querySelector("attention-live-1").shadowRoot
    .querySelectorAll(".glosses > span")].map(part => part.innerText.split(/\\s+/)[0])"""


def typing(text):
    def act(page):
        part(page, TYPE).click()
        part(page, "textarea").fill(text)

    return act


def check_truth(found):
    logits, _ = translated(found["words"], found["french"])
    tokens = to_tokens([found["french"]], precise_translator()[2])[0]
    check_odds(found | {"words": found["french"]}, logits)
    same(found, {"chances": torch.softmax(logits, dim=-1)[range(len(tokens)), tokens]})


class TestSentence(FigureTest):
    EXAMPLE = dict(patterns=PATTERNS, words=MENUS)
    START = {"pattern": "because", "typed": None}
    START |= {"0,1": "animal", "0,5": "street", "0,10": "tired"}
    START |= {"1,1": "tired", "1,2": "animal", "1,5": "street"}
    STATES = [
        {"0,1": "truck", "0,5": "car"},
        {"pattern": "present", "1,1": "wide"},
        {"typed": "The mice  DIDN’T eat, because they were too small."},
    ]
    WRONG = {
        "a chance of another step": {"softmax(logits)": "softmax(run.steps[0].logits)"},
        "capitals are unknown": {"typed .toLowerCase()": "typed"},
    }
    TOUCH = {"a text": typing("my cat sleeps in the house .")}
    QUIET = ["type a sentence"]  # it begins with that of the menus
    BROKEN = {
        "half a word counts": ("check_typing", {"value.slice(0, selectionStart)": '" "'}),
        "French of what has a fault": ("check_typing", {"if (fault) return;": ""}),
        "unknown words skipped": (
            "check_typing",
            {"(state.typed);": "(state.typed).filter((x) => translator().numbers.english.has(x));"},
        ),
        "a dead try": ("check_tries", {'this.change("typed", each)': "0"}),
        "a lone mark": ("check_tries", {"if (i && MARK.test(word))": "if (0)"}),
    }
    BAD = [
        ({"patterns": ["the"]}, "patterns is ['the']"),
        ({"words": {}}, "words is {}"),
        ({"patterns": {"a": ["the", "yak"]}}, "patterns['a'] holds 'yak'"),
        ({"patterns": {"a": ["the"] * 25}}, "patterns['a'] has 25 slots"),
        ({"words": {"NOUN": ["zebra"]}}, "words['NOUN'] holds 'zebra'"),
        ({"words": {"NOUN": {"m": "yak"}}}, "words['NOUN'] is 'yak'"),
        ({"words": {"the": ["a"]}}, "'the' is a word of the vocabulary"),
    ]

    def truth(self, spec, state, found):
        slots = enumerate(PATTERNS[state["pattern"]])
        k = [*PATTERNS].index(state["pattern"])
        words = [state.get(f"{k},{i}", slot) for i, slot in slots]
        typed = "the mice didn't eat , because they were too small .".split()
        assert found["words"] == (typed if state["typed"] else words) and not found["fault"]
        check_truth(found)
        return {}

    def check_typing(self, page):
        """What can't be translated is named, once, and the last French stays, greyed."""

        def pauses(ms):
            figure = "document.querySelector('attention-live-1').figure"
            page.evaluate(f"{figure}.constructor.rest = {ms}")

        part(page, TYPE).click()
        box, panel, stale = part(page, "textarea"), part(page, ".panels"), part(page, ".stale")
        assert box.input_value() == "the animal didn't cross the street because it was too tired."
        assert part(page, "select:visible").count() == 0, "one English sentence at a time"
        place = panel.bounding_box()
        box.press("Control+a")
        box.press_sequentially("my dog ")
        so_far = page.evaluate(FRENCH)
        assert "chien" in so_far and stale.count() == 0
        pauses(1e6)
        box.press_sequentially("sle")
        assert "vocabulary" not in look(page)[1], "half a word"
        assert stale.count() == 1 and page.evaluate(FRENCH) == so_far
        box.press_sequentially("eps in the park. ")
        assert page.evaluate(FRENCH) == "mon chien dort dans le parc ."
        assert stale.count() == 0
        pauses(0)
        for text, words in (
            ("The yak eats a Zebra, the yak.", "Not in the vocabulary: yak, zebra. The 182"),
            ("  ", "Type a few English words."),
            ("the " * 25, "25 words are too many; 24"),
            ("<eos>", "Not in the vocabulary: <eos>"),
        ):
            box.fill(text)
            look(page)  # behind the pause
            assert words in look(page)[1]
            assert stale.count() == 1 and panel.bounding_box() == place
            assert page.evaluate(FRENCH) == "mon chien dort dans le parc ."
            assert all_text(page).count(words) == 1
        part(page, BACK).click()
        assert not box.is_visible() and "animal" in page.evaluate(FRENCH)
        assert part(page, ".slots:visible").count() == 1, "one pattern"
        found = numbers(page)
        least = found["french"][found["chances"].index(min(found["chances"]))]
        assert look(page)[1].endswith(f" Least certain: “{least}”.")
        part(page, "select >> nth=1").select_option("car")
        marked = part(page, ".changed").all_inner_texts()
        wanted = numbers(page)["french"]
        assert "voiture" in marked and "animal" not in marked
        assert [word for word in wanted if word not in marked + found["french"]] == []
        assert {*wanted} & {*found["french"]} - {*marked}, "some are as before"
        part(page, TYPE).click()
        assert box.input_value().startswith("the car didn't cross")
        assert "every sentence ended" not in look(page)[1]
        box.fill("my dog sleeps ")
        assert look(page)[1].endswith("question mark; this one doesn’t.")

    def check_tries(self, page):
        """Sentences outside the grammar, with what is wrong about their French."""
        found = []
        for button in part(page, ".tries button").all():
            button.click()
            said, english = look(page)[1], button.inner_text()
            assert part(page, "textarea").input_value() == english and "Wrong: " in said
            found.append(numbers(page))
            check_truth(found[-1])
            chances = [f"{p:.2f}" for p in found[-1]["chances"]]
            assert part(page, ".glosses small").all_inner_texts() == chances
            assert part(page, ".glosses .strong").all_inner_texts() == [min(chances)]
            odds = f"{found[-1]['odds']:.1f}" if found[-1]["step"] >= 0 else ""
            assert part(page, ".panels svg .strong").text_content() == odds.replace("-", "−")
            assert found[-1]["words"] == english.replace(".", " .").split()
        half, sure, mouse = found
        assert table(page) == [[*row] for row in zip(mouse["french"], chances)]
        assert {"street", "animal"} <= {*half["words"]} and "rue" in half["french"]
        assert not {"animal", "et", "fatigué"} & {*half["french"]}
        assert {"tired", "dry"} <= {*sure["words"]} and min(sure["chances"]) > 0.8
        assert "fatigué" in sure["french"] and not {"sec", "sèche", "et"} & {*sure["french"]}
        assert "porté" in mouse["french"]
        part(page, BACK).click()
        assert "Wrong" not in look(page)[1]
        assert "." not in page.evaluate(UNITS), "a mark stands with its word"
