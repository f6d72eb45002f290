"""Which token comes next, page 14."""

import math

import numpy as np
import torch

from tests.live.figure import FigureTest, draw, look, numbers, part, press, table
from tests.live.test_guess import percent

PROMPTS, TOKENS = ["so the", "rain:\n"], ["e", " ", "th", "\n", *"aorsznlm", "ing", "."]
LOGITS = torch.stack([draw(14, seed=11), torch.tensor([0.0, -50] * 4 + [0.0] * 6).double()])
LOGITS[0, [2, 9, 13]] = LOGITS[0, 5].item()  # equal ones
DIALS = dict(temperatures=[0.1, 0.5, 1.0, 2.0], ks=[1, 4, 9, 14], ps=[0.25, 0.5, 0.8, 1.0])


def texts_of(*at):
    """Nested lists over prompts, temperatures, ks, ps and throws, of many lengths; some are equal."""
    sizes = (2, 4, 4, 4, 3)
    if len(at) < len(sizes):
        return [texts_of(*at, i) for i in range(sizes[len(at)])]
    return f"{at[-1]} rain {at[:-1]}" + "\nand snow" * (sum(at) % 4) if any(at[:-1]) else "rain"


TEXTS = texts_of()
SHORTER = [*TEXTS[1][:3], [*TEXTS[1][3][:3], [["a"]] * 4]]
DRAWN = """all => all.map(each => [each.getAttribute("class"),
    each.getAttribute("visibility") !== "hidden", each.getBBox().width])"""


class TestSampling(FigureTest):
    EXAMPLE = DIALS | dict(prompts=PROMPTS, letters=TOKENS, logits=LOGITS, texts=TEXTS)
    START = dict(prompt=0, temperature=1, k=14, p=1, dice=0)
    STATES = [
        dict(prompt=prompt, temperature=t, k=k, p=p, dice=(i + j) % 3)
        for prompt in range(2)
        for i, t in enumerate(DIALS["temperatures"])
        for j, k in enumerate(DIALS["ks"])
        for p in DIALS["ps"]
    ]
    WRONG = {
        "top-k keeps one more": {"order.slice(0, k)": "order.slice(0, k + 1)"},
        "of equal ones the later": {"row[b] - row[a])": "row[b] - row[a] || b - a)"},
        "a nucleus with one more": {"total < p - 1e-9": "total <= p + 1e-9"},
        "a nucleus before top-k": {"chances = keep(top)": "chances = before"},
        "a sum that rounding misses": {"total < p - 1e-9": "total < p"},
        "a temperature that multiplies": {"z / temperature": "z * temperature"},
        "what is left with the rest": {"const left = keep(kept)": "const left = before"},
        "entropy before the filters": {"sum(left.map((a) => (a ?": "sum(before.map((a) => (a ?"},
        "a text of another setting": {"[ks, k], [ps, p]": "[ps, p], [ks, k]"},
    }
    BROKEN = {
        "none hatched": ("check_filters", {"d: strokes }), !has)": "d: strokes }), false)"}),
        "a box that grows": ("check_filters", {'class: "room"': 'hidden: ""'}),
        "a dead throw": ("check_filters", {"(this.state.dice + 1) % throws": "this.state.dice"}),
    }
    BAD = [
        (dict(prompts="so"), "prompts is 'so'"),
        (dict(prompts=["so", "so"]), "prompts holds one prompt twice"),
        (dict(logits=LOGITS[:, 1:]), "logits has shape (2, 13)"),
        (dict(temperatures=[0, 1]), "temperatures is [0.0, 1.0]; wanted numbers above 0"),
        (dict(temperatures=[2.0, 1, 0.5, 0.1]), "temperatures is [2.0, 1.0, 0.5, 0.1]"),
        (dict(ks=[1, 4, 9]), "ks ends with 9; wanted 14, which keeps all"),
        (dict(ks=[1, 4.5, 9, 14]), "ks is [1.0, 4.5, 9.0, 14.0]; wanted whole numbers"),
        (dict(ps=[0.5, 0.9]), "ps ends with 0.9; wanted 1, which keeps all"),
        (dict(texts="rain"), "texts is 'rain'; wanted a list of 2"),
        (dict(texts=TEXTS[:1]), "texts has 1 entries; wanted 2"),
        (dict(texts=[TEXTS[0], SHORTER]), "texts has lists of different lengths"),
        (dict(texts=[TEXTS[0], [[[[0] * 3] * 4] * 4] * 4]), "texts[1][0][0][0] is [0, 0"),
    ]

    def truth(self, spec, state, found):
        """The filters by sorted probabilities and masks, on the numbers that the figure was sent."""
        prompt, dice = state["prompt"], state["dice"]
        logits = torch.tensor(spec["logits"][prompt], dtype=torch.float64)
        assert (logits - LOGITS[prompt]).abs().max() < 0.0051
        scores = logits / state["temperature"]
        order = scores.sort(descending=True, stable=True).indices
        left = scores.clone()
        left[order[state["k"] :]] = -math.inf
        top = left.isfinite().sum()
        assert top == state["k"]
        sums = torch.softmax(left, dim=0)[order].cumsum(0)
        if state["p"] < 1:
            enough = (sums >= state["p"] - 1e-9).nonzero()[0, 0]
            left[order[enough + 1 :]] = -math.inf
        assert sorted(found["kept"]) == left.isfinite().nonzero()[:, 0].tolist()
        wanted = TEXTS[prompt]
        for stops, name in zip(DIALS.values(), ("temperature", "k", "p")):
            wanted = wanted[stops.index(state[name])]
        assert found["text"] == wanted[dice] and found["prompt"] == PROMPTS[prompt]
        before, left = torch.softmax(scores, dim=0), torch.softmax(left, dim=0)
        entropy = torch.distributions.Categorical(probs=left).entropy() / math.log(2)
        return dict(order=order, before=before, left=left, top=top, entropy=entropy)

    def check_filters(self, page):
        """Bars are what is left, dashed what was there before, hatched what is gone; the text."""
        chart, room = part(page, ".panels > svg"), part(page, ".written")
        assert part(page, "output").all_inner_texts() == ["1", "all", "all"]
        places = {box.bounding_box()["height"] for box in (room, part(page, ":scope"))}
        for state in self.STATES[::5]:
            found = numbers(page, **state)
            order, kept, V = found["order"], set(found["kept"]), len(TOKENS)
            drawn = chart.locator(":is(.cell, .ghost, .hatch)").evaluate_all(DRAWN)
            groups = [[i] for i in order[:12]] + [order[12:]]
            sums = [
                [sum(found[name][i] for i in at) for at in groups] for name in ("before", "left")
            ]
            was, now = np.array(sums)
            bars, ghosts, gone = (drawn[13 * k : 13 * k + 13] for k in range(3))
            left = [any(i in kept for i in group) for group in groups]
            assert [seen for _, seen, _ in bars] == left == [not seen for _, seen, _ in gone]
            dashed = np.array(left) & (abs(now - was) > 0.002)
            assert [seen for _, seen, _ in ghosts] == list(dashed)
            for each, wanted in ((bars, now), (ghosts, was), (gone, was)):
                np.testing.assert_allclose([w for _, _, w in each], 1 + 214 * wanted, atol=0.1)
            texts = chart.locator("text").all_text_contents()
            assert texts[0] == f"{len(kept)} of {V} tokens left"
            assert texts[1] == f"entropy {found['entropy']:.2f} bits"
            names = [TOKENS[i].replace(" ", "␣").replace("\n", "¶") for i in order[:12]]
            assert texts[2:15] == [*names, "2 others"]
            numbers_shown = [percent(p) if has else "" for p, has in zip(now, left)]
            assert texts[15:28] == numbers_shown, "a number for what is left"
            assert room.inner_text() == found["prompt"] + found["text"], "line breaks and all"
            places |= {box.bounding_box()["height"] for box in (room, part(page, ":scope"))}
            assert len(places) == 2, "nothing moves"
        size = len(numbers(page, prompt=0, temperature=1, k=14, p=0.5, dice=0)["kept"])
        said = f"At temperature 1, the nucleus leaves {size} of 14 tokens, with an entropy of"
        assert look(page)[1].startswith(said)
        for dice in (1, 2, 0):
            text = TEXTS[0][2][3][1][dice]
            thrown = f"Throw {dice + 1} of 3 writes “{text[:12]}…”."
            assert thrown in press(page, "button >> nth=0")
            assert room.inner_text() == PROMPTS[0] + text
        size = len(numbers(page, k=9)["kept"])
        assert f"top-k leaves 9 of 14 tokens, and the nucleus {size} of those" in look(page)[1]
        assert TOKENS[numbers(page, k=1)["order"][0]] == " "
        assert "top-k leaves 1 of 14 tokens: a space always comes next" in look(page)[1]
        found = numbers(page, temperature=0.5, k=9)
        assert look(page)[1].startswith("At temperature 0.5, top-k")
        rows = table(page)
        assert len(rows) == 12
        for i, (_, logit, before, after) in zip(found["order"], rows):
            assert logit == f"{LOGITS[0, i]:.2f}".replace("-", "−")
            assert before == percent(found["before"][i])
            assert after == (percent(found["left"][i]) if i in found["kept"] else "removed")

    def test_one_prompt_and_one_throw(self, opened):
        one = dict(prompts=["x "], letters=["a", "b"], logits=[[1, 0]])
        one |= dict(temperatures=[0.3], ks=[1, 2], ps=[0.5, 1])
        one |= dict(texts=[[[[["a"], ["\n\nb"]], [["c"], ["d"]]]]])
        page = opened(self.output(**one)[0]["text/html"])
        assert part(page, "select").count() == 0 and part(page, "button").count() == 1, "Reset"
        said = look(page)[1]
        assert "At temperature 0.3, all 2 tokens are left" in said and "Throw" not in said
        assert part(page, ".written").inner_text() == "x d"
        assert numbers(page, p=0.5)["text"] == "c"
