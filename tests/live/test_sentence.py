"""A sentence of the reader's own, translated in the page."""

import re

import torch

from corpora.english_french import corpus
from live import bundle
from live.translating import patterns
from taught.translation import to_tokens
from tests.live.figure import FigureTest, all_text, look, numbers, part, same, table
from tests.live.translator import check_odds, precise_translator, translated

NOUNS = {"masculine in French": ["animal", "truck"], "feminine in French": ["street", "car"]}
PATTERNS = {
    "because": "the NOUN didn't cross the NOUN because it was too ADJECTIVE .".split(),
    "present": "the ADJECTIVE NOUN sees the NOUN .".split(),
}
MENUS = {"NOUN": NOUNS, "ADJECTIVE": ["tired", "wide"]}
TYPE, BACK = "button:text-is('type a sentence')", "button:text-is('use the menus')"
RIGHT = [  # translations of the first three that can be pressed
    "quand mon chien est fatigué , il dort dans la maison .",
    "les filles voient un vieux hibou et le suivent .",
    "est-ce que la souris mange une petite pomme ?",
]
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


def test_every_sentence_has_a_pattern(node):
    script = bundle.joined(bundle.HERE / "patterns.js")
    script += "\nreturn given.sentences.map((words) => hasPattern(given.patterns, words));"
    data = corpus(5, training=500, held_out=1, compositional=100, minimal=1)
    sentences = [list(pair.source) for pair in data.training + data.compositional]
    assert all(node.run(script, patterns=patterns(), sentences=sentences))


# ---------------------------------------------------------------- the figure


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

    def truth(self, spec, state, found):
        slots = enumerate(PATTERNS[state["pattern"]])
        k = [*PATTERNS].index(state["pattern"])
        words = [state.get(f"{k},{i}", slot) for i, slot in slots]
        typed = "the mice didn't eat , because they were too small .".split()
        assert found["words"] == (typed if state["typed"] else words) and not found["fault"]
        check_truth(found)
        return {}

    def check_typing(self, page):
        """What can't be translated is named, once, and there is no French; half a word greys it."""

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
            ("The yak eats a Zebra, the yak.", "Not in the vocabulary: yak, zebra. The words"),
            ("  ", "Type a few English words."),
            ("the " * 25, "25 words are too many; 24"),
            ("<eos>", "Not in the vocabulary: <eos>"),
        ):
            box.fill(text)
            look(page)  # behind the pause
            assert words in look(page)[1]
            here = panel.bounding_box()
            assert stale.count() == 0 and here["y"] == place["y"], "what is above stays"
            assert here["height"] == place["height"], "and what is below"
            assert page.evaluate(FRENCH) == "" and not part(page, ".panels svg").is_visible()
            assert all_text(page).count(words) == 1
            letters = "Known words with y: yard, yards, young." in all_text(page)
            assert letters == ("yak" in text)
        part(page, BACK).click()
        assert not box.is_visible() and "animal" in page.evaluate(FRENCH)
        assert part(page, ".slots:visible").count() == 1, "one pattern"
        found = numbers(page)
        assert look(page)[1].endswith("fatigué.”"), "each word is sure"
        part(page, "select >> nth=1").select_option("car")
        marked = part(page, ".changed").all_inner_texts()
        wanted = numbers(page)["french"]
        assert "voiture" in marked and "animal" not in marked
        assert [word for word in wanted if word not in marked + found["french"]] == []
        assert {*wanted} & {*found["french"]} - {*marked}, "some are as before"
        part(page, TYPE).click()
        assert box.input_value().startswith("the car didn't cross")
        assert "Not a sentence" not in look(page)[1]
        box.fill("my dog sleeps ")
        assert "Not a sentence of the kind it was trained on." in look(page)[1]

    def check_what_changed(self, page):
        """Underlined is what a change of one word has changed."""
        part(page, "select >> nth=1").select_option("street")
        assert part(page, ".changed").count() > 0
        part(page, "select >> nth=0").select_option("present")
        assert part(page, ".changed").count() == 0, "another sentence"
        marks = part(page, ".together").evaluate_all("all => all.map(e => e.children.length)")
        assert set(marks) == {2}

    def check_tries(self, page):
        """Sentences of the grammar, and others, with what is wrong about their French."""
        found = []
        for k, button in enumerate(part(page, ".tries button").all()):
            button.click()
            said, english = look(page)[1], button.inner_text()
            assert part(page, "textarea").input_value() == english
            assert ("Not a sentence of the kind" in said) == (k > 2)
            found.append(numbers(page))
            check_truth(found[-1])
            assert ("Least certain" in said) == (min(found[-1]["chances"]) < 0.8) == (k in (3, 5))
            chances = [f"{p:.2f}" for p in found[-1]["chances"]]
            assert part(page, ".glosses small").all_inner_texts() == chances
            assert part(page, ".glosses .strong").all_inner_texts() == [
                each for each in chances if float(each) < 0.8
            ]
            odds = f"{found[-1]['odds']:.1f}" if found[-1]["step"] >= 0 else ""
            assert part(page, ".panels svg .strong").text_content() == odds.replace("-", "−")
            assert " ".join(found[-1]["words"]) == re.sub(r" ?([.,?])", r" \1", english)
        assert [" ".join(each["french"]) for each in found[:3]] == RIGHT
        half, sure, mouse = found[3:]
        assert table(page) == [[*row] for row in zip(mouse["french"], chances)]
        assert {"street", "animal"} <= {*half["words"]} and "rue" in half["french"]
        assert not {"animal", "et", "fatigué"} & {*half["french"]}
        assert {"tired", "dry"} <= {*sure["words"]} and min(sure["chances"]) > 0.8
        assert "fatigué" in sure["french"] and not {"sec", "sèche", "et"} & {*sure["french"]}
        assert "porté" in mouse["french"]
        part(page, BACK).click()
        assert "." not in page.evaluate(UNITS), "a mark stands with its word"
