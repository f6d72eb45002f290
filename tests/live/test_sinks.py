"""Where the weight goes when the first token is changed, hidden or silenced."""

import math

import numpy as np
import torch

from tests.live.figure import FigureTest, numbers, part, table

N, LATE, AS_IT_IS = 16, 12, "as it is"
WORDS = "Ann saw the old red fox run over two hills at dawn and hid .".split()
TOKENS = ["<|endoftext|>", *(f" {word}" for word in WORDS)]
# The token that each run changes, and from where on that is hidden, if it is.
MARKS = {
    AS_IT_IS: (None, None),
    **{"first token: Paris": (0, None), "first token: the": (0, None)},
    **{"forbid all": (0, 1), "forbid late": (0, LATE), "forbid 10": (10, LATE)},
    **{"alone 10": (10, None), "ffn 0": (0, None), "ffn 10": (10, None)},
}
LABELS = {  # on the buttons, row by row
    AS_IT_IS: AS_IT_IS,
    "first token: Paris": "another: Paris",
    "first token: the": "another: the",
    "forbid all": "from all others",
    "forbid late": "from token 12 on",
    "forbid 10": "hide from token 12 on (control)",
    "alone 10": "sees only itself",
    "ffn 0": "at the first token",
    "ffn 10": "at token 10 (control)",
}


def run(seed, loss, sinks, hidden=None):
    """Weights with some given, a token that has none, and the rest in small parts over the others."""
    generator = torch.Generator().manual_seed(seed)
    weights, norms = torch.rand(2, N, generator=generator, dtype=torch.float64)
    norms = 100 + 80 * norms
    weights[[*sinks]] = 0
    if hidden is not None:
        weights[hidden] = 0
    weights *= (1 - sum(sinks.values())) / weights.sum()
    for token, share in sinks.items():
        weights[token] = share
        norms[token] = 20000 + 1000 * seed
    return dict(weights=weights, norms=norms, loss=loss)


RUNS = {
    AS_IT_IS: run(0, 2.5, {0: 0.55}),
    "first token: Paris": run(1, 2.3, {0: 0.6}),
    "first token: the": run(2, 2.45, {0: 0.5}),
    "forbid all": run(3, 2.42, {1: 0.64}, 0),
    "forbid late": run(4, 4.25, {}, 0),
    "forbid 10": run(5, 2.52, {0: 0.52}, 10),
    "alone 10": run(6, 2.56, {0: 0.31, 10: 0.29}),
    "ffn 0": run(7, 5.1, {}),
    "ffn 10": run(8, 2.51, {0: 0.53}),
}


class TestSinks(FigureTest):
    EXAMPLE = dict(tokens=TOKENS, runs=RUNS, late=LATE)
    START = dict(run=AS_IT_IS)
    STATES = [dict(run=name) for name in RUNS]
    WRONG = {
        "the difference turned round": {"loss - runs[AS_IT_IS].loss": "runs[AS_IT_IS].loss - loss"},
        "hidden from all when only from late on": {'from === "LATE" ? late : from': "from && 1"},
        "hidden where nothing is": {'from === "LATE" ? late : from': "from ?? 0"},
        "the smallest weight": {"top: largest(weights)": "top: weights.indexOf(min(...weights))"},
        "the longest vector": {"top: largest(weights)": "top: largest(norms)"},
        "a share below that of a sink": {"SINK_SHARE = 0.2": "SINK_SHARE = 0.02"},
        "one sink alone": {"weights[i] >= SINK_SHARE": "weights[i] >= 0.3"},
        "the control at the first token": {'"ffn 10": [10,': '"ffn 10": [0,'},
        "always the same run": {"= runs[run];": "= runs[AS_IT_IS];"},
    }
    SAID = [
        (
            {},
            "As it is: the first token gets 0.55 of the weight with a vector of length 20000. "
            "On average each later token costs 2.50 nats.",
            ["first token: as it is", "0.55"],
        ),
        (
            dict(run="forbid late"),
            "hidden from token 12 on: it gets none of the weight, and no other token gets more "
            "than 0.13. On average each later token costs 4.25 nats instead of 2.50: 1.8 more.",
            ["hide the first token: from token 12 on", "0.00"],
        ),
        (
            dict(run="forbid 10"),
            "Token 10 is hidden from token 12 on: it gets none",
            ["token 10: hide from token 12 on (control)"],
        ),
    ]

    def truth(self, spec, state, found):
        assert spec["hint"].startswith("guess") and spec["late"] == LATE
        name = state["run"]
        weights, norms = RUNS[name]["weights"].round(decimals=3), RUNS[name]["norms"].round()
        at, hidden = (math.nan if each is None else each for each in MARKS[name])
        loss, usual = RUNS[name]["loss"], RUNS[AS_IT_IS]["loss"]
        return dict(
            **dict(weights=weights, norms=norms, top=weights.argmax()),
            **dict(loss=torch.tensor(loss), more=torch.tensor(loss - usual)),
            **dict(at=torch.tensor(at), hidden=torch.tensor(hidden)),
            sinks=(weights >= 0.2).nonzero().flatten(),
        )

    def check_buttons(self, page):
        """Each shows its run, is the one that is pressed, and the table has them all."""
        buttons = part(page, ".change button")
        assert buttons.all_text_contents() == [*LABELS.values()]
        for k, name in enumerate(LABELS):
            buttons.nth(k).click()
            assert numbers(page)["loss"] == RUNS[name]["loss"]
            assert part(page, ".change [aria-pressed=true]").all_text_contents() == [LABELS[name]]
        rows = table(page)
        assert [row[0].split(": ", 1)[1] for row in rows] == [*LABELS.values()]
        for row, each in zip(rows, RUNS.values()):
            shown = [*each["weights"][[0, 1, 10]], each["loss"]]
            np.testing.assert_allclose([float(cell) for cell in row[1:]], shown, atol=0.0056)
