"""The trained letter model writes."""

import copy
import math

import pytest
import torch

from taught.language_model import keep_nucleus, keep_top_k
from taught.trained import trained_letters
from tests.live.figure import FigureTest, by_keys, hold_time, look, numbers, part, press, table
from tests.live.test_guess import percent

DIALS = dict(temperatures=[0.2, 0.5, 1.0, 2.0], ks=[1, 3, 10, 69], ps=[0.5, 0.9, 1.0])
ALL = dict(temperature=1, k=69, p=1)
PENS = ".pens button >> nth={}"
TYPED = "input[type=text]"


def dice(seed, i):
    """Mulberry32, in whole numbers of 32 bits."""
    low = 2**32 - 1
    t = ((seed + 1) * 0x9E3779B1 + (i + 1) * 0x6D2B79F5) & low
    t = ((t ^ t >> 15) * (t | 1)) & low
    t ^= (t + ((t ^ t >> 7) * (t | 61) & low)) & low
    return (t ^ t >> 14) / 2**32


class Writer:
    """The model in float64, which writes as the figure does."""

    def __init__(self):
        model, self.letters = trained_letters()
        self.model = copy.deepcopy(model).double()
        self.known = {}

    @torch.no_grad()
    def logits(self, tokens):
        key = tuple(tokens)
        if key not in self.known:
            self.known[key] = self.model(torch.tensor([tokens]))[0, -1]
        return self.known[key]

    def left(self, logits, state):
        scores = logits / state["temperature"]
        kept = keep_top_k(scores, state["k"])
        return scores.softmax(-1), (keep_nucleus(kept, state["p"]) if state["p"] < 1 else kept)

    def write(self, state):
        """The tokens, their costs in bits, and what is known of the next letter."""
        tokens = [self.letters.index(sign) for sign in state["begin"]] or [0]
        written, costs, start = [], [], 0
        while True:
            if len(tokens) - 1 - start == 64:  # the cache is full
                start = len(tokens) - 32
            logits = self.logits(tokens[start:])
            before, left = self.left(logits, state)
            order = logits.sort(descending=True, stable=True).indices
            sums = left.softmax(-1)[order].cumsum(0)
            place = (sums > dice(state["seed"], len(written))).nonzero()
            token = order[place[0, 0]].item()
            if len(written) == state["length"]:
                return written, costs, before, left, order, token
            costs.append(-logits.log_softmax(-1)[token].item() / math.log(2))
            written.append(token)
            tokens.append(token)


WRITER = Writer()


class TestSampling(FigureTest):
    EXAMPLE = DIALS | dict(begin="Alice ", bits=2.1434)
    START = ALL | dict(begin="Alice ", seed=0, length=64)
    STATES = [
        dict(),
        dict(length=0),
        dict(length=100, begin="", temperature=0.5),
        dict(length=5, begin="x" * 62, seed=3),
        dict(length=30, k=1, temperature=2),
        dict(length=30, k=10, p=0.9, temperature=2, seed=7),
        dict(length=30, p=0.5, temperature=2, seed=999),
        dict(length=30, k=3, p=0.9, temperature=0.5),
        dict(length=10, temperature=0.2, seed=1),
    ]
    WRONG = {
        "top-k keeps one more": {"order.slice(0, k)": "order.slice(0, k + 1)"},
        "a nucleus with one more": {"total < p,": "total < p + chances[i],"},
        "a nucleus before top-k": {"chances = keep(top)": "chances = keep(order)"},
        "a temperature that multiplies": {"z / temperature": "z * temperature"},
        "what is left with the rest": {"left: keep(kept)": "left: keep(order)"},
        "entropy before the filters": {"sum(found.left.map": "sum(found.before.map"},
        "always the same dice": {"Math.imul(seed + 1,": "Math.imul(1,"},
        "dice that stay": {"p }), dice(seed, i)": "p }), dice(seed, 0)"},
        "the likeliest last": {"return kept.find(": "return [...kept].reverse().find("},
        "costs in nats": {"Math.log2(sum(logits": "Math.log(sum(logits"},
        "bars that move with the text": {"...run.logits[0]": "...run.logits[length]"},
        "the last letter": {"next: run.next[0]": "next: run.next[length]"},
    }
    KEYS = {"another beginning": by_keys(TYPED, "End", "t")}
    SAID = [
        (
            dict(length=0),
            "At temperature 1, all 69 letters are left after “Alice ”, with an",
            ["a"],
        ),
        (dict(begin="on " * 9), "left after “…on on on on on on on on ”, with", ["letter"]),
        (
            dict(begin="é", length=0),
            "The book that it learned from has no “é”, so it is left out. At",
            ["letter"],
        ),
    ]

    def truth(self, spec, state, found):
        written, costs, *_ = WRITER.write(state)
        *_, before, left, order, token = WRITER.write(state | dict(length=0))
        assert found["begin"] == state["begin"] and found["odd"] == []
        assert "".join(found["text"]) == "".join(WRITER.letters[i] for i in written)
        assert found["next"] == token
        assert sorted(found["kept"]) == left.isfinite().nonzero()[:, 0].tolist()
        assert found["top"] == state["k"]
        left = left.softmax(-1)
        entropy = torch.distributions.Categorical(probs=left).entropy() / math.log(2)
        costs = torch.tensor(costs, dtype=torch.float64)
        return dict(order=order, before=before, left=left, entropy=entropy, costs=costs)

    def test_a_foreign_state_is_refused(self, node):
        wrong = [dict(length=201), dict(length=-1), dict(length=0.5), dict(seed=0.1), dict(k=2)]
        wrong += [dict(temperature=1e-9), dict(p=7), dict(begin="x" * 65), dict(length=1e300)]
        for each in wrong:
            with pytest.raises(RuntimeError, match="a state that no control can set"):
                node.compute("sampling", self.spec(), [self.START | each])

    def test_any_beginning_is_written_on(self, node):
        begins = ["🐇漢字", "“It’s—so”", "\ud83d", "\n\n", "<b>&amp;", "__proto__", "Ωx\u0301"]
        states = [self.START | dict(begin=begin, length=3) for begin in begins]
        found = node.compute("sampling", self.spec(), states)
        assert [each["begin"] for each in found][:5] == ["", '"It\'s--so"', "", "\n\n", "bamp;"]
        assert found[0]["odd"] == ["🐇", "漢", "字"] and all(len(f["text"]) == 3 for f in found)

    def check_text(self, page):
        """What is written, with what the model hardly expected marked, and how many letters are left."""
        chart, room = part(page, ".panels > svg"), part(page, ".written")
        height = part(page, ":scope").bounding_box()["height"]
        for state in self.STATES[:3]:
            state = self.START | state
            found = numbers(page, **state)
            texts = chart.locator("text").all_text_contents()
            assert texts[0].startswith(f"The letter a{'fter “' if state['begin'] else 't the'}")
            assert texts[1] == f"{len(found['kept'])} of 69 letters left"
            assert texts[2] == f"entropy {found['entropy']:.2f} bits"
            text = "".join(found["text"]).replace("\n", "¶")
            dotted = [i for i, cost in enumerate(found["costs"]) if cost > -math.log2(0.05)]
            marked = [text[i].replace(" ", "␣") for i in dotted]
            assert part(page, ".missed").all_text_contents() == marked
            plain = "".join("␣" if i in dotted and t == " " else t for i, t in enumerate(text))
            assert room.text_content() == state["begin"] + plain
            assert part(page, ":scope").bounding_box()["height"] == height, "nothing moves"
        found = numbers(page, **self.START | dict(k=10, p=0.9))
        rows = table(page)
        assert len(rows) == 12
        for i, (_, before, after) in zip(found["order"], rows):
            assert before == percent(found["before"][i])
            assert after == (percent(found["left"][i]) if i in found["kept"] else "removed")

    def check_beginning(self, page):
        """What is typed is read; what the model doesn't know is said, and left out."""
        page.evaluate("document.addEventListener('keydown', () => (document.title = 'heard'))")
        room, box = part(page, ".written"), part(page, TYPED)
        box.press("End")
        for sign in "the":
            box.press(sign)
        assert room.text_content() == "Alice the" and page.title() == "Live"
        assert numbers(page)["text"] == []
        box.fill("¡Olé! ")
        said = "The book that it learned from has no “¡”, “é”, so these are left out. At temp"
        assert look(page)[1].startswith(said)
        assert room.text_content() == "Ol! "
        box.fill("")
        box.press("Enter")
        said, text = look(page)[1], room.text_content()
        assert "It needs" in said and len(text) == 200
        press(page, PENS.format(0))
        assert room.text_content() == text, "the same dice"
        press(page, PENS.format(1), PENS.format(0))
        assert room.text_content() != text and look(page)[1] != said, "other dice"
        assert part(page, ".aloud").text_content() == look(page)[1]

    def check_writing(self, page):
        """The letters come one by one, until they are stopped; another setting writes them anew."""
        page.emulate_media(reduced_motion="no-preference")
        hold_time(page)
        figure = "document.querySelector('attention-live-1').figure"
        page.evaluate(f"{figure}.change('begin', 'The cat ')")
        seen = [part(page, ".written").text_content()]
        part(page, "button:text-is('Write')").click()
        for _ in range(12):
            page.clock.run_for(55)
            seen.append(part(page, ".written").text_content())
        assert seen[0] == "The cat " and len(seen[-1]) >= len(seen[0]) + 12
        assert all(b.startswith(a) and len(b) <= len(a) + 2 for a, b in zip(seen, seen[1:]))
        part(page, "button:text-is('Stop')").click()
        page.clock.run_for(1000)
        assert part(page, ".written").text_content() == seen[-1]
        assert part(page, "button:text-is('Write')").is_visible()
        numbers(page, begin="Alice ", length=150)
        page.evaluate(f"{figure}.change('temperature', 2)")
        page.clock.run_for(1000)
        assert page.evaluate(f"{figure}.state.length") == 150
        found = numbers(page)
        assert "".join(found["text"][:20]) == "".join(
            WRITER.letters[i] for i in WRITER.write(self.START | dict(temperature=2, length=20))[0]
        )
