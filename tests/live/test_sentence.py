"""A sentence of the reader's own; and the check of its kind, grammar.js."""

import random
import re
from functools import cache

import pytest
import torch

from corpora import english_french as truth
from corpora.english_french import corpus
from live import bundle
from live.figures.sentence import french
from live.translating import grammar, patterns
from taught.translation import to_tokens
from tests.live.figure import FigureTest, all_text, changed, look, numbers, part, same, table
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


# ---------------------------------------------------------------- the grammar

MISFIT = """
return given.sentences.map((words) => {
  const found = misfit(given.grammar, words);
  return found && [found.at, found.wanted, misfitSaid(words, found)];
});"""
OTHERS = {  # not in its patterns: where it first shows, and words that are said
    "the red house is big .": (
        2,
        "“the red” its training has “truck”, “bus” or one of 4 more words",
    ),
    "the dog sleeps because it is tired .": (3, "its training has “in”, never “because”."),
    "the mouse is tired .": (2, "after “the mouse” its training has "),
    "the animal didn't cross the street because it was too tired and it was too dry .": (
        11,
        "“the animal … it was too tired” its training has “.”, never “and”.",
    ),
    "the car is big .": (2, "never “is”."),
    "the dog sleeps in the house": (6, "its training has “.”, and yours stops."),
    "the dog sleeps in the house . .": (7, "has nothing after “the dog sleeps in the house.”."),
    "because the dog is tired .": (
        0,
        ": its training begins with “the”, “my” or one of 8 more words, never “because”",
    ),
}
STRANGE = {  # in its patterns, with words that they never have
    "the tired lake crosses the street .": (2, "never “lake”."),
    "the dog sees a dog .": (4, "never “dog”."),
    "the dogs sees a cat .": (2, "never “sees”."),
    "the man didn't carry the bag because she was too tired .": (7, "has “he” or “it”, never"),
    "the small dog didn't cross the street because it was too tired .": (3, "never “didn't”."),
    "a dog doesn't sleep in the house .": (2, "never “doesn't”."),
    "the trucks go to a street .": (4, "never “a”."),
    "the car didn't cross the street because it was too tired .": (
        10,
        "“heavy”, “slow” or “wide”,",
    ),
}
WRONG_GRAMMARS = {
    "plural verbs everywhere": {"third, base": "base, base"},
    "nobody but the subject": {"rule.both ? [S, O] : [S]": "[S]"},
    "no end": {"i === words.length ? (whole = true)": "true ? (whole = true)"},
    "no patterns": {"pattern: hasPattern(grammar.patterns, words)": "pattern: false"},
    "all adjectives": {"kinds[kind].attributes.filter(fits)": "kinds[kind].attributes"},
    "a place too late": {"if (i > far)": "if (i > far + 1)"},
    "left out too soon": {"i + 3 < far": "i < far"},
}


class Chosen(random.Random):
    """Draws what some words allow, in the order of a list of choices; the rest of it is 0."""

    def __init__(self, words, path):
        super().__init__()
        self.words, self.path, self.taken = words, path, []

    def pick(self, options):
        if not options or (self.taken and isinstance(options[0], truth.Deed)):
            raise IndexError  # there is nothing to draw; or what was drawn is absurd
        k = self.path[len(self.taken)] if len(self.taken) < len(self.path) else 0
        self.taken.append((k, len(options)))
        return options[k]

    def choice(self, options):
        def said(option):
            if isinstance(option, truth.Deed):
                verb = truth.VERBS[option.verb]
                return {verb.base, verb.third_singular, verb.past} & self.words
            if option in truth.NOUNS:
                english = truth.NOUNS[option].english
                return {truth.form(english, False), truth.form(english, True)} & self.words
            return {option, *(["an", "some"] if option == "a" else [])} & self.words

        found = [option for k, option in enumerate(options) if said(option)]
        found = [option for k, option in enumerate(found) if option not in found[:k]]
        if not found and str(options[0]) in truth.ADJECTIVES:
            found = options[:1]  # of the two that a "because" is drawn for, one has another
        return self.pick(found)

    def random(self):
        return self.pick([0.0, 1.0])


def generated(words):
    """Whether the grammar in Python makes these words: all that it can draw of them is tried."""
    for kind in truth.RULES:
        path = []
        while path is not None:
            draw = Chosen({*words}, path)
            try:
                if any(truth.pair_of(s).source == words for s in truth.scenes(draw, kind)):
                    return True
            except IndexError:
                pass
            taken = draw.taken
            while taken and taken[-1][0] + 1 == taken[-1][1]:
                taken.pop()
            path = [k for k, _ in taken[:-1]] + [taken[-1][0] + 1] if taken else None
    return False


@cache
def some_pairs():
    data = corpus(5, training=500, held_out=1, compositional=100, minimal=25)
    return [*data.training, *data.compositional, *(p for two in data.minimal_pairs for p in two)]


def some_sentences():
    return [pair.source for pair in some_pairs()]


def check_grammar(node, wrong=None):
    script = changed(bundle.joined(bundle.HERE / "grammar.js"), wrong or {}) + MISFIT

    def found(sentences):
        return node.run(script, grammar=grammar(), sentences=[list(words) for words in sentences])

    assert not any(found(some_sentences()))
    for sentence, (at, said) in (OTHERS | STRANGE).items():
        words = tuple(sentence.split())
        [where, wanted, reason] = found([words])[0]
        assert where == at and said in reason, (sentence, where, reason)
        assert ("It knows this pattern" in reason) == (sentence in STRANGE)
        assert ("Not a sentence of the kind" in reason) == (sentence in OTHERS)
        assert words[at : at + 1] != tuple(wanted[:1]) and not generated(words)
    draw, known = random.Random(0), sorted({word for words in some_sentences() for word in words})
    spoiled = []
    for words in draw.sample(some_sentences(), 60):
        k = draw.randrange(len(words))
        near = [word for word in known if abs(known.index(word) - known.index(words[k])) < 9]
        more = {0: [], 1: [draw.choice(near)], 2: [draw.choice(known), words[k]]}[draw.randrange(3)]
        spoiled.append((k, words[:k] + tuple(more) + words[k + 1 :]))
    beginnings = {words[:n] for words in some_sentences() for n in range(len(words) + 1)}
    for (k, words), misfit in zip(spoiled, found([words for _, words in spoiled])):
        assert (misfit is None) == generated(words), words
        if misfit:
            at, wanted, _ = misfit
            assert at >= k and words[: at + 1] not in beginnings, words


def test_the_grammar_is_that_of_its_training(node):
    check_grammar(node)


# ---------------------------------------------------------------- its French

CORRECT = """
return given.sentences.map((words) => correctFrench(given.grammar, given.french, words));"""
KNOWN = {  # in its patterns, with words that they never have
    "the street didn't cross the animal because it was too wide .": [
        "la rue n' a pas traversé l' animal parce qu' elle était trop large ."
    ],
    "the car didn't cross the truck because it was too wide .": [
        "la voiture n' a pas traversé le camion parce qu' elle était trop large .",
        "la voiture n' a pas traversé le camion parce qu' il était trop large .",
    ],
    "the red house sees the big oranges .": ["la maison rouge voit les grosses oranges ."],
    "the dogs eat some old boats .": ["les chiens mangent de vieux bateaux ."],
    "my brown goose comes from the owls .": ["mon oie brune vient des hiboux ."],
}
UNKNOWN = [
    "the mouse is tired .",
    "the dog sleeps the house .",  # a preposition is missing
    "in the house sees the dog .",
    "the dog doesn't see a cat .",  # it never learned "pas de chat"
    "the dogs like some cats .",
    "the dog goes to a river .",
    "the dog sleeps near some houses .",
    "the dog didn't see the cat because it was too small .",  # "vu" is no word of it
    "the man didn't carry the bag because she was too tired .",
    "the woman sees the cat and follows him .",
]
WRONG_FRENCH = {
    "a pronoun of the subject": {"(both ? [S, O]": "(false ? [S, O]"},
    "a pronoun of the first noun": {"found.length === 1 ? found : [S, O]": "[S]"},
    "no gender": {"form = 2 * feminine + plural": "form = +plural"},
    "no vowels": {"SOUNDED.test(whole[i + 1])": "false"},
    "no form before a vowel": {"!form && SOUNDED.test(next)": "false"},
    "adjectives in front": {"before ? [attribute, named]": "true ? [attribute, named]"},
    "des before adjectives": {'before && some && plural ? "de"': 'false ? "de"'},
    "no contraction": {"if (joint) found.pop();": ""},
    "a brown cow": {"french.adjectives[`${word} ${kind}`] ??": ""},
    "the past is the present": {'!== past) continue': '!== !past) continue'},
    "verbs of one number": {"VERBE: S.plural ?": "VERBE: !S.plural ?"},
    "any preposition": {"deed.preposition === preposition": "true"},
    "any object": {"said.HIM !== O.HIM": "false"},
    "pas un": {"without && (S.some || O.some)": "false"},
}  # fmt: skip


def check_french(node, wrong=None):
    script = changed(bundle.joined(bundle.HERE / "grammar.js"), wrong or {}) + CORRECT

    def found(sentences):
        sentences = [list(words) for words in sentences]
        every = node.run(script, grammar=grammar(), french=french(), sentences=sentences)
        return [[" ".join(each) for each in given] for given in every]

    targets = [[" ".join(pair.target)] for pair in some_pairs()]
    same = found(some_sentences()) == targets  # the difference of long lists takes minutes
    assert same
    assert found(each.split() for each in KNOWN) == [*KNOWN.values()]
    assert found(each.split() for each in UNKNOWN) == [[]] * len(UNKNOWN)


def test_french_is_that_of_its_training(node):
    check_french(node)


@pytest.mark.mutants
@pytest.mark.parametrize("what", WRONG_FRENCH)
def test_wrong_french_is_noticed(node, what):
    with pytest.raises((AssertionError, RuntimeError)):
        check_french(node, WRONG_FRENCH[what])


ASTRAY = """
return given.pairs.map(([words, written]) => astray(given.grammar, given.french, words, written));"""
WENT_ASTRAY = {
    ("the mouse didn't like the wall .", "la souris n' a pas escaladé le mur ."): {
        "stray": ["escaladé", "climbed"]
    },
    ("the old street is wide .", "la vieille rue et la vieille rue est large ."): {
        "again": ["la", "vieille", "rue"]
    },
    ("the old dog is tired .", "le chien est fatigué ."): {"lost": "old"},
    ("the dog is old and the dog is tired .", "le chien est vieux et le chien est fatigué ."): None,
}


def check_astray(node, wrong=None):
    script = changed(bundle.joined(bundle.HERE / "grammar.js"), wrong or {}) + ASTRAY
    pairs = [[list(pair.source), list(pair.target)] for pair in some_pairs()]
    pairs += [[source.split(), target.split()] for source, target in WENT_ASTRAY]
    found = node.run(script, grammar=grammar(), french=french(), pairs=pairs)
    wanted = [None] * len(some_pairs()) + [*WENT_ASTRAY.values()]
    for pair, ours, right in zip(pairs, found, wanted):
        assert ours == right, (pair, ours)


def test_words_astray_are_named_and_no_others(node):
    check_astray(node)


@pytest.mark.mutants
@pytest.mark.parametrize(
    "wrong",
    [
        {"sources.some((each) => words.includes(each))": "false"},
        {"every((each) => !written.includes(each))": "some((each) => !written.includes(each))"},
        {"times(words, sources) < 2": "true"},
        {"learn(participle, verb[2], forms);": ""},
    ],
)
def test_wrong_judges_are_noticed(node, wrong):
    with pytest.raises(AssertionError):
        check_astray(node, wrong)


def test_every_sentence_has_a_pattern(node):
    script = bundle.joined(bundle.HERE / "patterns.js")
    script += "\nreturn given.sentences.map((words) => hasPattern(given.patterns, words));"
    sentences = [list(words) for words in some_sentences()]
    assert all(node.run(script, patterns=patterns(), sentences=sentences))


@pytest.mark.mutants
@pytest.mark.parametrize("what", WRONG_GRAMMARS)
def test_a_wrong_grammar_is_noticed(node, what):
    with pytest.raises((AssertionError, TypeError)):
        check_grammar(node, WRONG_GRAMMARS[what])


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
            assert here["height"] < place["height"] / 2, "no gap"
            assert page.evaluate(FRENCH) == "" and not part(page, ".panels svg").is_visible()
            assert all_text(page).count(words) == 1
            letters = "Known words with y: yard, yards, young." in all_text(page)
            assert letters == ("yak" in text)
        part(page, BACK).click()
        assert not box.is_visible() and "animal" in page.evaluate(FRENCH)
        assert part(page, ".slots:visible").count() == 1, "one pattern"
        found = numbers(page)
        assert look(page)[1].endswith("fatigué.” That is correct."), "each word is sure"
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
        assert "Not a sentence" in look(page)[1] and "“in”, and yours stops." in look(page)[1]

    def check_verdict(self, page):
        """What is wrong is said, as far as the rules know; underlined is what one word changes."""
        part(page, "select >> nth=1").select_option("street")
        assert "street" == part(page, "select >> nth=1").input_value()
        assert part(page, ".changed").count() > 0
        part(page, "select >> nth=2").select_option("animal")
        part(page, "select >> nth=3").select_option("wide")
        assert "That is wrong: “elle” would be correct instead of “il”. Least" in look(page)[1]
        part(page, "select >> nth=0").select_option("present")
        assert part(page, ".changed").count() == 0, "another sentence"
        part(page, TYPE).click()
        for text, said in (
            ("the brown mouse carries a white tower.", "“blanche” would be correct."),
            (
                "the tired lake crosses the street.",
                "; “le lac fatigué traverse la rue.” is correct",
            ),
            ("the mouse is tired", "“la"),
            ("the old street is wide.", "“la vieille rue.” No French word here means “wide”."),
            ("the dog likes the street because it is wide.", "“traversé” means “crossed”, and"),
        ):
            part(page, "textarea").fill(text + " ")
            assert said in look(page)[1]
        assert "That is" not in look(page)[1]
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
            assert ("That is correct." in said) == (k < 3)
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
