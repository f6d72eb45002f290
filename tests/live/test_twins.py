"""The arcs of il and elle, what cuts of them turn, and sentences of the reader's own."""

import re
from collections import namedtuple
from functools import cache

import torch

from live import bundle
from taught.translation import greedy, to_tokens
from tests.live import translator
from tests.live.figure import FigureTest, look, part, press
from tests.live.translator import BOS, EOS, PAIRS, PARTS, SIDES, TWINS, spoken, spoken_of, translated

ALL, POINTER, READER = "cross, all heads", "cross 2, head 3", "cross 1, head 3"
OWN = "your own words"
CHANGES = ["swap", "nouns", "encoder"]
TIRED = 10
BOTH = [[0, POINTER, 1], [1, POINTER, 5]]  # the arcs of the famous picture
SOME = [[0, "encoder 2, head 3", 1], [1, ALL, TIRED], [0, ALL, 9]]
DOG = "When my DOG is  tired, it sleeps in the house."
Said = namedtuple("Said", "source target it step nouns")


@cache
def scene(name, typed=None):
    """The sentences that are shown, and what the corpus, or PyTorch, knows of them."""
    if name == OWN:
        words = re.findall(r"[\w']+|[.,]", typed.lower().replace("’", "'"))
        model, english, french = translator.precise_translator()
        row = greedy(model, to_tokens([words], english), BOS, EOS, 24)[0]
        french = tuple(french[token] for token in row if token > EOS)
        position = words.index("it") if "it" in words else -1
        return [Said(words, french, position, spoken_of(french), ())]
    pair = TWINS[PAIRS.index(name)]
    pairs = [(s, s.pronouns[0]) for s in pair]
    nouns = [pronoun.source_referent for _, pronoun in pairs]
    return [Said(s.source, s.target, p.source, p.target, nouns) for s, p in pairs]


def meant(view):
    """The part, the block and the head, from 0 or None, of what is shown."""
    side, layer, head = re.fullmatch(r"(\w+)(?:, all heads| (\d), head (\d))", view).groups()
    return side, *(number and int(number) - 1 for number in (layer, head))


def edits_of(twins, k, cuts, on):
    arcs = [(*meant(view), key) for of, view, key in cuts if of == k]
    if "nouns" in on:
        arcs += [("encoder", None, None, noun) for noun in twins[k].nouns]
    edits = dict(cuts=[], removed=["encoder"] if "encoder" in on else [])
    for name, layer, head, key in arcs:
        cut = dict(part=name, key=key, query=twins[k].it if name == "encoder" else twins[k].step)
        edits["cuts"].append(cut | ({} if head is None else dict(layer=layer, head=head)))
    if "swap" not in on:
        return edits
    inside = edits_of(twins, 1 - k, cuts, [name for name in on if name != "swap"])
    inside["cuts"] = [cut for cut in inside["cuts"] if cut["part"] == "encoder"]
    model, english, _ = translator.precise_translator()
    with torch.no_grad(), translator.edited(model, inside):
        memory = model.encode(to_tokens([twins[1 - k].source], english))[0]
    return edits | {"swapped": (TIRED, memory[TIRED])}


def row_of(sentence, maps, view, keys):
    """The weights (m,) of what asks in a sentence, of the head that looks most at each key."""
    name, layer, head = meant(view)
    ask = sentence.it if name == "encoder" else sentence.step
    layers = range(2) if layer is None else [layer]
    maps = [maps[f"{SIDES[name]}.{l}.{PARTS[name]}"][0][0] for l in layers]
    heads = torch.cat(maps)[slice(None) if head is None else [head]]  # (H, n, m)
    return heads[:, ask, :keys].max(0).values if 0 <= ask < heads.shape[1] else torch.zeros(keys)


def snip(words):
    return f".snip[aria-label*='{words}']"


class TestTwins(FigureTest):
    EXAMPLE = dict(pairs=TWINS)
    START = dict(pair=PAIRS[0], view=ALL, cuts=[]) | dict.fromkeys(CHANGES, False)
    STATES = [
        dict(),
        *({name: True} for name in CHANGES),
        dict.fromkeys(CHANGES, True) | dict(cuts=SOME),
        dict(view=POINTER, cuts=BOTH),
        dict(view=READER, cuts=[[0, ALL, TIRED]]),
        dict(view="encoder 2, head 3", cuts=[[1, "encoder, all heads", 10]], swap=True),
        dict(pair=PAIRS[1], view="encoder, all heads", cuts=SOME),
        dict(pair=OWN, typed=DOG, cuts=[[0, ALL, 2], [0, "encoder, all heads", 3]]),
        dict(pair=OWN, typed="The mouse  DIDN’T sleep."),
    ]
    WRONG = {
        "a cut of all heads where one is meant": {"...(layer && {": "...(false && {"},
        "a sentence that is its own donor": {"encode(sentences[1 - k]": "encode(sentences[k]"},
        "a chance of another step": {"softmax(steps[i].logits)": "softmax(steps[0].logits)"},
    }
    QUIET = ["all attention in the encoder", "arcs of", "sentence 2"]  # of both it is said anyway
    KEPT = ["sentences", "arcs of"]
    SAID = [
        (dict(), "Nothing is changed: sentence 1 gets il", ["1. animal", "0.98", "0.98"]),
        (dict(cuts=[[0, "encoder, all heads", 4]]), "Without it → the (word 5): il", ["1. the"]),
    ]
    END = None  # in small it cuts the famous arc

    def holds(self, spec, state, numbers, text):
        """Each pronoun is as it says, and the famous arc turns none."""
        for k in numbers["shown"]:
            was, now = numbers["before"][k]["word"], numbers["now"][k]["word"]
            cut = any(of == k for of, *_ in state["cuts"])
            fate = f"{was} becomes {now}" if now != was else f"{was} stays"
            assert (fate if cut or numbers["on"] else now) in text
            assert not cut or (spec["small"] and now == was and "It can do without this arc" in text)

    def truth(self, spec, state, numbers):
        view, cuts = state["view"], state["cuts"]
        twins, on = scene(state["pair"], state.get("typed")), [n for n in CHANGES if state[n]]
        part, layer, head = meant(view)

        def shows(cut_view):
            name, l, h = meant(cut_view)
            return name == part and (None in (h, head) or (l, h) == (layer, head))

        sides = []
        for k, sentence in enumerate(twins):
            keys, words = range(len(sentence.source)), numbers["now"][k]["words"]
            plain, old = translated(sentence.source, sentence.target, {})
            before = spoken(sentence.target, plain) | dict(words=sentence.target, step=sentence.step)
            logits, maps = translated(sentence.source, words, edits_of(twins, k, cuts, on))
            now, tokens = spoken(words, logits), to_tokens([words], translator.precise_translator()[2])[0]
            chances = torch.softmax(logits, dim=-1)[range(len(tokens)), tokens]
            weights, was = row_of(sentence, maps, view, len(keys)), row_of(sentence, old, view, len(keys))
            cut = [any(of == k and at == j and shows(cut_view) for of, cut_view, at in cuts) for j in keys]
            strong = torch.maximum(weights, was) >= max(*was, *weights, 1e-9) / 10
            pinned = [view == ALL and sentence.nouns != () and j == TIRED for j in keys]
            seen = [any(flags) for flags in zip(cut, strong, pinned)]
            sides.append(dict(sentences=sentence.source, before=before, now=now, odds=now["odds"], chances=chances))
            sides[-1] |= dict(weights=weights, was=was, cut=cut, seen=seen)
        return {name: [side[name] for side in sides] for name in sides[0]} | dict(on=on, part=part, fault="")

    def check_scissors(self, page):
        alone = "Without elle → street: elle stays (log-odds −3.2). It can do"
        assert press(page, snip("elle → street")).startswith(alone)
        assert "Without elle → street and il → tired: il becomes elle" in press(page, snip("il → tired"))
        assert part(page, ".weave text.changed").first.text_content() == "elle"
        press(page, snip("restore elle → street"))
        press(page, snip("restore il → tired"))
        assert "Nothing is changed" in look(page)[1]
        part(page, "select >> nth=1").select_option(POINTER)
        assert press(page, snip("elle → street")).startswith(f"Without elle → street in {POINTER}: ")
        part(page, "select >> nth=0").select_option(index=1)
        assert "Nothing is changed" in look(page)[1], "other words"

    def check_own_words(self, page):
        part(page, "select >> nth=0").select_option(OWN)
        assert look(page)[1].startswith("It writes: “quand mon chien est fatigué, il dort")
        assert "log-odds" in press(page, snip("il → dog"))
        box = part(page, "textarea")
        for text, words in (("the Yak eats . ", "vocabulary: yak. The"), ("the " * 25, "25 words")):
            box.evaluate("(box, text) => (box.value = text)", text)  # no event: Enter alone tells it
            box.press("Enter")
            part(page, ".say").filter(has_text=words).wait_for()
            assert part(page, ".weave").count() == 0
        assert press(page, ".tries button >> nth=1").endswith("the mouse has carried something.")

    def test_on_a_phone_one_sentence_at_a_time(self, opened):
        """So that a button, the arcs and what is said fit on its screen."""
        page = opened("twins", screen="phone")
        assert part(page, ".weave").count() == 1 and part(page, ".weave .twin + text").text_content() == "tired"
        press(page, ".change button:text-is('sentence 2')")
        assert part(page, ".weave .twin + text").text_content() == "wide"
        boxes = [each.bounding_box() for each in part(page, ".weave, .changes, .say").all()]
        assert max(box["y"] + box["height"] for box in boxes) - min(box["y"] for box in boxes) < 700
        assert opened("twins").locator("attention-live-1 .weave").count() == 2

    def test_small_for_another_page(self, opened):
        """One sentence, whose famous arc is cut by itself, once, where motion is allowed."""
        html = bundle.with_spec(self.html(), self.spec() | {"small": True})
        page = opened(html, reduced_motion="no-preference")
        part(page, ".say").filter(has_text="Without il → animal in one head: il stays").wait_for()
        assert part(page, ".stamp").text_content() == "still il"
        page = opened(html)
        assert look(page)[1].startswith("As it writes il, one head looks at “animal”")
        press(page, ".change button >> nth=1")
        assert "il → tired: il becomes elle" in press(page, snip("il → tired"))
        assert part(page, ".stamp").text_content() == "now elle"
        assert part(page, "select, input, details").count() == 0
        assert part(page, ":scope").bounding_box()["height"] < 500, "the first screen has no more"
