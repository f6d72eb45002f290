"""Six maps in each round, one of them ill."""

import torch

from tests.live.figure import FigureTest, draw, numbers, part, press

CAUSAL = torch.ones(3, 3).tril()
ALL = torch.ones(3, 3)


def soft(allowed, seed):
    return draw(3, 3, seed=seed).masked_fill(allowed == 0, -torch.inf).softmax(dim=-1)


def ward(ill, allowed, weights):
    """Sound causal maps, and one that isn't."""
    maps = [("causal", CAUSAL, soft(CAUSAL, k)) for k in range(6)]
    maps[ill] = ("this one", allowed, weights)
    return maps


ROUNDS = [
    ward(4, CAUSAL, draw(3, 3, seed=9).softmax(dim=-1) * CAUSAL),  # sums
    ward(1, CAUSAL, soft(ALL, 7)),  # the future
    ward(5, ALL, soft(CAUSAL, 8)),  # too little
]


class TestClinic(FigureTest):
    EXAMPLE = dict(rounds=ROUNDS)
    START = dict(round="1", pressed={}, found={})
    STATES = [dict(round=str(r)) for r in (1, 2, 3)]
    WRONG = {
        "sums of columns": {"weights.map(sum)": "weights.map((_, j) => sum(weights.map((row) => row[j])))"},
        "a leak isn't seen": {"x > 0 && !may": "x > 1 && !may"},
        "an empty key isn't seen": {"x === 0 && may": "x < 0 && may"},
    }  # fmt: skip
    SAID = [
        (dict(pressed={"1": [0, 4]}), "E is ill: its row 1 adds up to", ["E", "this one", f"{ROUNDS[0][4][2][0].sum():.2f}"]),
        (dict(round="3", pressed={"3": [5]}), "F is ill: its row 1 has no weight on key 2, which “this one” allows.", ["F", "this one", "1.00"]),
    ]  # fmt: skip

    def holds(self, spec, state, numbers, text):
        """One of the six is ill, and a reader has still to find it."""
        assert sum(numbers["ill"]) == 1 and f"Round {state['round']}: which" in text

    def truth(self, spec, state, numbers):
        chosen = ROUNDS[int(state["round"]) - 1]
        weights = torch.stack([weights for *_, weights in chosen])
        allowed = torch.stack([allowed for _, allowed, _ in chosen])
        leaks = torch.where(allowed == 0, weights, 0.0).flatten(1)  # (6, 9)
        leaks = [dict(enumerate(divmod(row.argmax().item(), 3))) if row.max() else None for row in leaks]
        bare = ((allowed == 1) & (weights == 0)).any(-1).any(-1)
        assert [blank is not None for blank in numbers["blanks"]] == bare.tolist()
        ill = [k == (4, 1, 5)[int(state["round"]) - 1] for k in range(6)]
        return dict(sums=weights.sum(dim=-1), leaks=leaks, ill=ill)

    def check_what_is_said_of_each_map(self, page):
        """Once a map is pressed, and not before; and its round is ticked, if it was the ill one."""
        places = [each.bounding_box() for each in part(page, ".map").all()]
        numbers(page, round="1", pressed={"1": [0], "2": [0]})
        said = press(page, ".map >> nth=4")
        assert said.startswith("E is ill, found at press 2: its row 1 adds up to 0.")
        assert said.endswith(", and only rows with masked keys fall short: the mask came after the softmax.")
        assert [each.bounding_box() for each in part(page, ".map").all()] == places, "a press moves nothing"
        shown = part(page, ".map").evaluate_all("all => all.map(each => each.ariaLabel)")
        assert [shown[k] for k in (0, 1, 4)] == ["A: causal ✓ sound", "B: causal", "E: this one ✗ ill"]
        assert part(page, ".hatch").count() == 2 * 3  # above the diagonals of A and E
        assert part(page, ".change button").all_text_contents() == ["1 (2)", "2", "3"]
        press(page, ".change button >> nth=2", ".map >> nth=5")
        assert part(page, ".change button").all_text_contents() == ["1 (2)", "2", "3 ✓"]
