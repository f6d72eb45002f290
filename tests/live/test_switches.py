"""Switches, one for each head of a released model."""

import base64

import torch

from live.figures.switches import FIVE, OTHERS
from tests.live.figure import FigureTest, by_touch, draw, look, part, press

ONCE = ["<|endoftext|>", "Mr", " Bra", "ck", "wood", " met", " Bra", "ck"]
NEVER = ["<|endoftext|>", "wood", " met", " Bra", "ck"]  # not behind "ck"
TWICE = ["<|endoftext|>", "ck", "wood", "ck", "wood", " Bra", "wood", "ck"]
BEST = 9 * 16  # block 16, head 0
BEGUN = [9 * 18 + 6, 9 * 18 + 7, 9 * 17 + 5, 9 * 8, 9 * 23 + 1]  # at the start
TRIED = [[BEST, 9 * 18 + 6, 3], [5, 269], []]


def made(tokens, seed):
    """A sentence of the right shape: probabilities, also above that of all heads, and rows."""
    p = 0.5 + 0.5 * torch.sigmoid(draw(273, seed=seed))
    p[:3], p[3 + BEST] = torch.tensor([0.8, 0.0001, 0.75]), 0.17
    weights = torch.softmax(3 * draw(273, len(tokens), seed=seed + 1), dim=-1)
    weights[0] = weights[1] = 0
    weights[:2, 4] = 250 / 255
    weights[3 + BEST, 4] = 5 / 255
    rows = (255 * weights).round().to(torch.uint8).numpy().tobytes()
    return dict(tokens=tokens, next="wood", p=p, rows=base64.b64encode(rows).decode())


SENTENCES = [made(tokens, 2 * k) for k, tokens in enumerate((ONCE, NEVER, TWICE))]


class TestSwitches(FigureTest):
    EXAMPLE = dict(sentences=SENTENCES)
    START = dict(sentence=0, off="none", block=0, head=0, tried=[BEGUN] * 3, all=False)
    STATES = [
        dict(),
        dict(off="one", block=16, tried=TRIED),
        dict(sentence=1, off="one", block=0, head=5, tried=TRIED),
        dict(off="five", tried=TRIED),
        dict(off="others", sentence=2, block=3, head=2, tried=TRIED, all=True),
        dict(off="one", block=18, head=6, sentence=2, tried=TRIED),
    ]
    WRONG = {
        "blocks and heads swapped": {"HEADS_EACH * block + head": "HEADS_EACH * head + block"},
        "the fives exchanged": {"five: 1, others: 2": "five: 2, others: 1"},
        "the row of another run": {"run * tokens.length + j": "run + j"},
    }
    TOUCH = {"a head": by_touch(".board .cell >> nth=100")}
    SAID = [
        (dict(), "All heads on: “wood” has probability .80, and", ["five heads of blocks 17 and 18 off", "0.00"]),
        (dict(), "looks at the earlier “wood” with weight .98. Tried 5 of 270; the lowest is ", []),
        (dict(off="one", block=16), "Block 16, head 0 off: “wood” has probability .17, and head 6 of block 18", []),
        (dict(off="one", block=16, all=True), "looks at the earlier “wood” with weight .02. Tried 270 of 270;", []),
        (dict(all=True), "270; the lowest is .17, block 16, head 0.", ["block 16, head 0", "0.17", "0.02"]),
    ]

    def holds(self, spec, state, numbers, text):
        before = spec["sentences"][state["sentence"]]["p"][0]
        assert numbers["p"] == before if state["off"] == "none" else numbers["p"] < before
        assert f"has probability {numbers['p']:.2f}".replace("0.", ".") in text

    def truth(self, spec, state, numbers):
        assert (spec["five"], spec["others"]) == (FIVE, OTHERS)
        assert {*map(tuple, FIVE)}.isdisjoint(map(tuple, OTHERS))
        sentence = spec["sentences"][state["sentence"]]
        tokens, p = sentence["tokens"], torch.tensor(sentence["p"], dtype=torch.float64)
        weights = torch.frombuffer(bytearray(base64.b64decode(sentence["rows"])), dtype=torch.uint8)
        weights = weights.double().view(273, len(tokens)) / 255
        block, head = state["block"], state["head"]
        heads = {"none": [], "one": [[block, head]], "five": FIVE, "others": OTHERS}[state["off"]]
        run = 3 + 9 * block + head if state["off"] == "one" else ["none", "five", "others"].index(state["off"])
        pairs = list(zip(tokens[:-2], tokens[1:-1]))
        at = [j + 1 for j, pair in enumerate(pairs) if pair == (tokens[-1], sentence["next"])]
        tried = torch.zeros(270, dtype=torch.bool)
        tried[range(270) if state["all"] else state["tried"][state["sentence"]]] = True
        losses = ((p[0] - p[3:]) / p[0]).clamp(min=0).where(tried, torch.nan)
        order = p[3:].argsort(stable=True)
        numbers["heads"].sort()
        heads = sorted(9 * block + head for block, head in heads)
        looks = weights[:, at].sum(-1)
        return dict(
            p=p[run], row=weights[run], heads=heads, at=at, looks=looks, losses=losses, known=order[tried[order]]
        )

    def check_search(self, page):
        """Pressing switches off, and on again; what has been tried is kept, for each sentence."""

        def pressed(block, head):
            return press(page, f".board .cell >> nth={9 * block + head}")

        def inked():
            cells = "all => all.slice(0, 270).flatMap((each, k) => each.classList.contains('blank') ? [] : [k])"
            framed = part(page, ".board .frame").evaluate_all("all => all.map((each) => +each.dataset.head)")
            return part(page, ".board .cell").evaluate_all(cells), sorted(framed)

        for block, head in ((3, 2), (29, 8), (16, 0)):
            assert f"Block {block}, head {head} off:" in pressed(block, head)
            assert inked()[1] == [9 * block + head]
        assert "Tried 8 of 270; the lowest is .17, block 16, head 0" in look(page)[1]
        assert "All heads on" in pressed(16, 0) and inked() == (sorted([*BEGUN, 29, BEST, 269]), [])
        part(page, "button >> text=five others").click()
        assert inked()[1] == sorted(9 * block + head for block, head in OTHERS)
        part(page, "input[type=range] >> nth=1").press("ArrowRight")
        assert "Block 16, head 1 off:" in look(page)[1], "a slider switches one head off"
        part(page, "select").select_option("1")
        assert "Tried 6 of 270" in look(page)[1], "the same head in another sentence"
        part(page, "select").select_option("0")
        assert "Tried 9 of 270" in look(page)[1]
        part(page, "input[type=checkbox]").check()
        press(page, ".tools [aria-expanded]")
        assert len(inked()[0]) == 270 and part(page, "tbody tr").count() == 3 + 270
        assert part(page, ".scroll").bounding_box()["height"] < 400, "it scrolls"
