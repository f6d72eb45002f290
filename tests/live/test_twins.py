"""The arcs of il and elle and what cuts of them turn; in small on the first page."""

import json
import re
from functools import cache

import numpy as np
import torch

from corpora.english_french import corpus
from live import bundle
from taught.translation import to_tokens
from tests.live import translator
from tests.live.figure import FigureTest, all_text, look, numbers, part, press, reset, table
from tests.live.translator import PAIRS, PARTS, SIDES, TWINS, check_odds, translated

NAMES = {"cross": "cross", "self": "own", "encoder": "encoder"}
ALL, POINTER, READER = "cross, all heads", "cross 2, head 3", "cross 1, head 3"
CHANGES = ["swap", "nouns", "encoder"]
TIRED = 10
CAR = "my car didn't cross the bridge because it was too slow .".split()
(NARROW,) = (pair for pair in corpus().minimal_pairs if [*pair[0].source] == CAR)
BOTH = [[0, POINTER, 1], [1, POINTER, 5]]  # the arcs of the famous picture
SPARE = [[1, ALL, 5], [1, "self, all heads", 7]]  # street, and la
MANY = [[0, ALL, key] for key in range(11)]  # neither il nor elle
SOME = [[0, "self 2, head 3", 1], [0, "encoder 2, head 3", 1], [1, ALL, TIRED], [0, ALL, 9]]


def meant(view):
    """The part, the block and the head, from 0 or None, of what is shown."""
    side, layer, head = re.fullmatch(r"(\w+)(?:, all heads| (\d), head (\d))", view).groups()
    return NAMES[side], *(number and int(number) - 1 for number in (layer, head))


def edits_of(pair, k, cuts, on):
    """The edits of sentence k of a pair, by what the corpus knows of it, and its donor's states."""
    here, other = pair[k], pair[1 - k]
    (said,), (others,) = here.pronouns, other.pronouns
    found = [(*meant(view), key) for of, view, key in cuts if of == k]
    if "nouns" in on:
        nouns = said.source_referent, others.source_referent
        found += [("encoder", None, None, noun) for noun in nouns]
    edits = {"cuts": []}
    for name, layer, head, key in found:
        cut = {"part": name, "key": key}
        cut |= {"query": said.source if name == "encoder" else said.target}
        edits["cuts"].append(cut | ({} if head is None else {"layer": layer, "head": head}))
    if "encoder" in on:
        heads = [{"part": "encoder", "layer": l, "head": h} for l in range(2) for h in range(4)]
        edits["heads"] = heads
    if "swap" not in on:
        return edits, None
    edits["patches"] = [{"stage": 2, "position": TIRED, "from": TIRED}]
    inside, _ = edits_of(pair, 1 - k, cuts, [name for name in on if name != "swap"])
    inside["cuts"] = [cut for cut in inside["cuts"] if cut["part"] == "encoder"]
    model, english, _ = translator.precise_translator()
    with torch.no_grad(), translator.edited(model, inside, None):
        return edits, translator.stages_of(model, to_tokens([other.source], english))


@cache
def run(number, k, cuts, on, words):
    """Logits and maps of sentence k with cuts and changes, given as JSON."""
    pair = TWINS[number]
    return translated(
        pair[k].source, json.loads(words), *edits_of(pair, k, json.loads(cuts), json.loads(on))
    )


@cache
@torch.no_grad()
def written(number, k, cuts):
    """The French words of sentence k with some cuts, given as JSON, one by one."""
    words = TWINS[number][k].source
    edits, _ = edits_of(TWINS[number], k, json.loads(cuts), [])
    model, english, french = translator.precise_translator()
    src, said = to_tokens([words], english), [translator.BOS]
    while len(said) < 25 and said[-1] != translator.EOS:
        cuts = [c for c in edits["cuts"] if c["part"] == "encoder" or c["query"] < len(said)]
        with translator.edited(model, edits | {"cuts": cuts}, None):
            said.append(model(src, torch.tensor([said]))[0, -1].argmax().item())
    return [french[token] for token in said[1:] if token > translator.EOS]


def row_of(pair, k, maps, view, keys):
    """The weights (m,) of what asks in sentence k, of the head that looks most at each key."""
    name, layer, head = meant(view)
    ask = pair[k].pronouns[0].source if name == "encoder" else pair[k].pronouns[0].target
    layers = range(2) if layer is None else [layer]
    maps = [maps[f"{SIDES[name]}.{l}.{PARTS[name]}"][0][0] for l in layers]
    heads = torch.cat(maps)[slice(None) if head is None else [head]]  # (H, n, m)
    return heads[:, ask, :keys].max(0).values if ask < heads.shape[1] else torch.zeros(keys)


@cache
def plain(number, k):
    """Logits and maps of a sentence with nothing changed."""
    return translated(TWINS[number][k].source, TWINS[number][k].target)


@cache
def pointing(number):
    """The head of cross-attention that looks most at the right nouns of both sentences."""
    pair, views = TWINS[number], [f"cross {l}, head {h}" for l in (1, 2) for h in (1, 2, 3, 4)]

    def least(view):
        rows = [row_of(pair, k, plain(number, k)[1], view, 12) for k in (0, 1)]
        nouns = [sentence.pronouns[0].source_referent for sentence in pair]
        return min(row[noun] for row, noun in zip(rows, nouns))

    return max(views, key=least)


def snip(words):
    """The scissors of an arc, by its words, in either sentence."""
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
        dict(view="self, all heads", cuts=SPARE),
        dict(view="self 2, head 1", cuts=[[0, ALL, 1], [0, "self 2, head 1", 1], [0, ALL, TIRED]]),
        dict(view="encoder, all heads", cuts=SOME, pair=PAIRS[1]),
        dict(view="encoder 2, head 3", cuts=[[1, "encoder, all heads", 10]], swap=True),
        dict(cuts=MANY),
        dict(pair=PAIRS[1], cuts=SOME),
    ]
    WRONG = {
        "a donor without its own edits": {
            "editsOf(pair, 1 - k, cuts, on))": "{ cuts: [], heads: [] })"
        },
        "a sentence that is its own donor": {"encode(sentences[1 - k]": "encode(sentences[k]"},
        "a cut of another row": {"? it : step }))": "? it : step - 1 }))"},
        "a cut of all heads where one is meant": {"...(layer && {": "...(false && {"},
        "the mean of the heads": {
            "max(...maps.map((map) => map[row]?.[j] ?? 0))": "maps[0][row]?.[j] ?? 0"
        },
        "kept without its cuts": {"once([sentences[k], edits,": "once([sentences[k],"},
        "kept by the other sentence": {"once([sentences[k], edits,": "once([edits,"},
        "an encoder kept without its cuts": {'"encode", words, inside]': '"encode", words]'},
        "kept beyond the cut": {"pronounStep(plain), 0) : 0": "pronounStep(plain), 0) + 1 : 0"},
        "another row's weights": {'"encoder" ? it : step;': '"encoder" ? it : step - 1;'},
        "cuts of the other sentence": {"of === k &&": "true &&"},
        "a change in one block": {'[{ part: "encoder" }]': '[{ part: "encoder", layer: 0 }]'},
        "together taken for alone": {"[cut], k), k)": "cuts, k), k)"},
        "not all arcs cut": {"[...every(k), ...more]": "[...every(k).slice(0, 9), ...more]"},
        "a noun without its article": {"[at - 1, at]": "[at]"},
        "the famous arc as it was": {"k, run).weights))": "k, plain[k]).weights))"},
    }
    QUIET = ["all attention in the encoder"]
    KEPT = ["pair"]
    SAID = [
        (
            dict(),
            "Nothing is changed: sentence 1 gets il, sentence 2 gets elle.",
            ["1. animal", "0.98", "0.98"],
        ),
        (dict(encoder=True), "The pronouns don’t need it.", ["1. log-odds", "6.0"]),
        (dict(cuts=[[0, "encoder, all heads", 4]]), "You cut it → the (word 5): il", ["1. the"]),
    ]

    def truth(self, spec, state, found):
        number, view, cuts = PAIRS.index(state["pair"]), state["view"], state["cuts"]
        pair, on = TWINS[number], [name for name in CHANGES if state[name]]
        assert found["on"] == on and found["part"] == meant(view)[0]
        for k, here in enumerate(pair):
            now, before = found["now"][k], found["before"][k]
            assert tuple(before["words"]) == here.target
            assert before["step"] == here.pronouns[0].target
            check_odds(before, plain(number, k)[0])
            logits, maps = run(number, k, *map(json.dumps, (cuts, on, now["words"])))
            check_odds(now, logits)
            assert found["odds"][k] == now["odds"]
            own = ["begin", *now["words"][: before["step"]]]
            keys = own if found["part"] == "own" else [*here.source]
            assert found["keys"][k] == keys
            weights = row_of(pair, k, maps, view, len(keys))
            was = row_of(pair, k, plain(number, k)[1], view, len(found["was"][k])).tolist()
            np.testing.assert_allclose(found["weights"][k], weights, rtol=1e-6, atol=1e-9)
            np.testing.assert_allclose(found["was"][k], was, rtol=1e-6, atol=1e-9)
            named = [(*meant(other), key) for of, other, key in cuts if of == k]
            part, layer, head = meant(view)
            cut = [
                any(
                    (name, at) == (part, j) and (None in (h, head) or (l, h) == (layer, head))
                    for name, l, h, at in named
                )
                for j in range(len(keys))
            ]
            assert found["cut"][k] == cut
            was += [0] * (len(keys) - len(was))
            strong = [max(pair) >= max(*was, *weights) / 10 for pair in zip(was, weights.tolist())]
            asked = [view == ALL and j == TIRED for j in range(len(keys))]
            assert found["seen"][k] == [any(each) for each in zip(cut, strong, asked)]
            led = row_of(pair, k, maps, pointing(number), 12)
            assert found["points"][k] == led.argmax()
            alone = [
                i
                for i, each in enumerate(cuts)
                if now["word"] != before["word"]
                and here.target[before["step"]] not in written(number, k, json.dumps([each]))
            ]
            assert found["alone"][k] == (alone[0] if alone else -1)
            if cuts:  # what is written with all arcs cut
                every = [[k, ALL, key] for key in range(len(here.source))]
                blind = written(number, k, json.dumps(every))
                assert found["blind"][k] == next(w for w in blind if w in ("il", "elle"))
                noun = list(here.target).index("parce")  # "begin" comes before
                every += [[k, "self, all heads", key] for key in (noun - 1, noun)]
                bare = written(number, k, json.dumps(every))
                assert found["bare"][k] == next((w for w in bare if w in ("il", "elle")), "neither")
        return {}

    def check_scissors(self, page):
        """Scissors cut an arc, and restore it."""
        said = press(page, snip("elle → street"))
        assert said.startswith("You cut elle → street, as in the famous picture: elle stays")
        assert part(page, ".arc.cut").count() == 1
        restore = part(page, snip("restore elle → street"))
        assert restore.get_attribute("aria-pressed") == "true"
        said = press(page, snip("il → tired"))
        assert "You cut elle → street and il → tired: il becomes elle" in said
        assert "qu'elle" in part(page, ".other >> nth=0").inner_text()
        restore.click()
        assert look(page)[1].startswith("You cut il → tired: il becomes elle")
        part(page, snip("il → tired")).focus()
        page.keyboard.press("Enter")
        assert "Nothing is changed" in look(page)[1]
        x, y = part(page, ".arc >> nth=1").evaluate(MIDDLE)
        page.mouse.click(x, y)
        assert "You cut il → animal, " in look(page)[1], "its arc cuts too"

    def check_heads(self, page):
        """With a menu of heads: what is cut is cut in those that are shown."""
        html, _ = self.output(head=POINTER)
        page.evaluate(ANOTHER, html["text/html"].split("<script")[0])
        pair, view = (part(page, f"select >> nth={k}") for k in (0, 1))
        assert part(page, ".change").count() == 0
        opening = "The strongest arcs lead from il to “animal” and from elle to “street”."
        assert look(page)[1].startswith(opening)
        assert part(page, ".snip:visible").count() == 2
        press(page, snip("elle → street"))
        view.select_option("self, all heads")
        words = part(page, ".words >> nth=1")
        assert words.get_attribute("lang") == "fr" and words.inner_text().split()[0] == "begin"
        assert "wide" in part(page, ".other >> nth=1").inner_text()
        assert "a French word that shows the gender of “street”, too" in look(page)[1]
        said = press(page, snip("elle → la"))
        assert "shows the gender" not in said
        assert "elle → street in cross 2, head 3 and elle → la: elle becomes il" in said
        own = "A cut changes only its own sentence."
        assert f"Neither does that alone. {own} The strongest arcs now" in said
        view.select_option("encoder, all heads")
        assert part(page, ".arc.cut").count() == 0, "those are of other parts"
        said = look(page)[1]
        assert "The strongest arcs now lead to “was” in sentence 1" in said
        view.select_option(ALL)
        assert part(page, snip("restore elle → street")).count() == 1, "cut in one head"
        pair.select_option(index=1)
        assert numbers(page)["before"][0]["words"] == [*TWINS[1][0].target]
        assert "Nothing is changed" in look(page)[1], "other words"
        rows = table(page)
        assert rows[0][0] == "1. the" and len(rows) == 2 * (12 + 2)
        press(page, snip("elle → mouse"))
        assert "You cut" in look(page)[1]
        reset(page)
        assert "Nothing is changed" in look(page)[1] and part(page, ".arc.cut").count() == 0
        assert [view.input_value(), pair.input_value()] == [ALL, PAIRS[1]], "as they were chosen"

    def check_pairs(self, page):
        """Another pair begins with nothing changed, and its adjectives have scissors, though no head
        looks at “narrow”."""
        html, _ = self.output(pairs=[TWINS[0], NARROW])
        page.evaluate(ANOTHER, html["text/html"].split("<script")[0])
        press(page, ".change button >> nth=0")
        part(page, "select").select_option(index=1)
        assert "The largest weight on “narrow” is 0.02, so its arc is hardly" in look(page)[1]
        assert part(page, "[aria-pressed=true]:visible").count() == 0
        assert part(page, snip("il → narrow")).is_visible()

    def check_addresses(self, page):
        """What an address says is taken, if it can be."""
        whole = '#figure=twins&cuts=[[0,"cross, all heads",10]]&swap=true'
        page.evaluate("words => { location.hash = words }", whole)
        page.wait_for_function(SAYS, arg="vectors swapped and il → tired cut")
        assert part(page, "[aria-pressed=true]:visible").count() == 2
        for cuts in ('[[2,"cross, all heads",1]]', '[[0,"?",1]]', "[7]", "{}", '[[0,"self 9, head 1",1]]',
                     '[[0,"cross, all heads",12]]', '[[0,"cross, all heads","1"]]'):  # fmt: skip
            page.evaluate("words => { location.hash = words }", f"#figure=twins&cuts={cuts}")
            page.wait_for_function(SAYS, arg="Nothing is changed")
            page.evaluate("words => { location.hash = words }", whole)
            page.wait_for_function(SAYS, arg="vectors swapped and il → tired cut")

    def test_small_for_another_page(self, opened):
        page = opened(bundle.with_spec(self.html(), self.spec() | {"small": True}))
        assert part(page, "select, input, details").count() == 0
        one = "One head looks from il to “animal” and from elle to “street”"
        assert look(page)[1].startswith(one)
        said = press(page, snip("il → animal"), snip("elle → street"))
        assert said == (
            "You cut both arcs of the famous picture: il stays (over 99 % sure), and elle stays "
            "(95 % sure). So the translator can do without these arcs. Look at all heads."
        )
        said = press(page, ".change button >> nth=1", snip("il → tired"))
        assert "il → tired alone does that." in said
        assert numbers(page)["cut"][0][1], "what one head lost shows among all"
        reset(page)
        said = press(page, ".change button >> nth=0", snip("il → animal"))
        assert said.startswith(
            "You cut il → animal in one head, as in the famous picture: il stays"
        )
        own = "A cut changes only its own sentence."
        assert said.endswith(f"The new arcs are where its weight went. {own}")
        assert part(page, ":scope").bounding_box()["height"] < 500, "the first screen has no more"
        said = press(page, ".change button >> nth=1")
        assert "The strongest arcs now lead to “tired” in sentence 1" in said
        everything = all_text(page)
        assert "log-odds" not in everything and not re.search(r"\d\.\d", everything)


MIDDLE = """arc => {
    const { x, y } = arc.getPointAtLength(arc.getTotalLength() * 0.25)
        .matrixTransform(arc.getScreenCTM());
    return [x, y];
}"""
ANOTHER = "html => { document.querySelector('main').innerHTML = html }"
SAYS = """said => document.querySelector("attention-live-1").shadowRoot.querySelector(".say")
    .textContent.includes(said)"""
