"""The trained letter model writes."""

import math
from functools import cache

import pytest
import torch

from taught.language_model import keep_nucleus, keep_top_k
from taught.trained import trained_letters
from tests.live.figure import FigureTest, by_keys, hold_time, part

DIALS = dict(temperatures=[0.2, 0.5, 1.0, 2.0], ks=[1, 3, 10, 69], ps=[0.5, 0.9, 1.0])


def uniform(seed, i):
    """Mulberry32, in whole numbers of 32 bits."""
    low = 2**32 - 1
    t = ((seed + 1) * 0x9E3779B1 + (i + 1) * 0x6D2B79F5) & low
    t = ((t ^ t >> 15) * (t | 1)) & low
    t ^= (t + ((t ^ t >> 7) * (t | 61) & low)) & low
    return (t ^ t >> 14) / 2**32


MODEL, LETTERS = trained_letters()
MODEL.double()


@cache
@torch.no_grad()
def logits_after(*tokens):
    return MODEL(torch.tensor([tokens]))[0, -1]


def written(state):
    """The tokens, their costs in bits, and what is known of the next letter."""
    tokens, costs, start = [LETTERS.index(sign) for sign in state["begin"]] or [0], [], 0
    first = len(tokens)
    while True:
        if len(tokens) - 1 - start == 64:  # the cache is full
            start = len(tokens) - 32
        logits = logits_after(*tokens[start:])
        scores = logits / state["temperature"]
        kept = keep_top_k(scores, state["k"])
        left = keep_nucleus(kept, state["p"]) if state["p"] < 1 else kept
        order = logits.sort(descending=True, stable=True).indices
        sums = left.softmax(-1)[order].cumsum(0)
        place = (sums > uniform(state["seed"], len(costs))).nonzero()
        token = order[place[0, 0]].item()
        if len(costs) == state["length"]:
            return tokens[first:], costs, scores.softmax(-1), left, order, token
        costs.append(-logits.log_softmax(-1)[token].item() / math.log(2))
        tokens.append(token)


class TestSampling(FigureTest):
    EXAMPLE = DIALS | dict(begin="Alice ", bits=2.1434)
    START = dict(temperature=1, k=69, p=1, begin="Alice ", seed=0, length=64)
    STATES = [
        dict(),
        dict(length=100, begin="", temperature=0.5),
        dict(length=5, begin="x" * 62, seed=3),
        dict(length=30, k=1, temperature=2),
        dict(length=30, k=10, p=0.9, temperature=2, seed=7),
        dict(length=30, p=0.5, temperature=2, seed=999),
    ]
    WRONG = {
        "a nucleus before top-k": {"chances = keep(top)": "chances = keep(order)"},
        "costs in nats": {"Math.log2(sum(logits": "Math.log(sum(logits"},
        "bars that stay behind the beginning": {"...run.logits[length]": "...run.logits[0]"},
    }
    KEYS = {"another beginning": by_keys("summary", "Enter", "Tab", "End", "t")}
    SAID = [(dict(length=0), "from all 69 letters.", ["a"]), (dict(k=3), "from 3 of 69 letters.", ["letter"])]
    END = dict(length=200)

    def holds(self, spec, state, numbers, text):
        """The random number is inside the share of the letter that it picks."""
        order, left, u = numbers["order"], numbers["left"], numbers["u"]
        until = sum(left[i] for i in order[: order.index(numbers["next"])])
        assert until <= u <= until + left[numbers["next"]] and f"random number {u:.2f} samples" in text
        assert f"{sum(numbers['costs']) / state['length']:.2f} bits" in text

    def truth(self, spec, state, numbers):
        tokens, costs, before, left, order, token = written(state)
        text, kept = [LETTERS[i] for i in tokens], left.isfinite().nonzero()[:, 0].tolist()
        assert sorted(numbers["kept"]) == kept
        left = left.softmax(-1)
        entropy = torch.distributions.Categorical(probs=left).entropy() / math.log(2)
        truth = dict(begin=state["begin"], text=text, next=token, costs=costs)
        return truth | dict(order=order, before=before, left=left, entropy=entropy)

    def test_a_foreign_state_is_refused(self, node):
        for change in (dict(length=201), dict(length=0.5), dict(seed=0.1), dict(k=2), dict(p=7)):
            with pytest.raises(RuntimeError, match="a state that no control can set"):
                node.compute("sampling", self.spec(), [self.START | change])

    def check_writing(self, page):
        """The letters come one by one, until they are stopped; another setting begins anew."""
        # Before a timer of the true clock can be set, which nothing here would stop.
        hold_time(page)
        page.emulate_media(reduced_motion="no-preference")
        room = part(page, ".passage")
        part(page, "summary").click()
        part(page, "input[type=text]").fill("The cat ")
        assert room.text_content() == "The cat "
        page.clock.run_for(700 + 6 * 350)
        there = room.text_content()
        assert 13 <= len(there) <= 15
        part(page, "button:text-is('Stop')").click()
        page.clock.run_for(1000)
        assert room.text_content() == there
        part(page, "button:text-is('Another seed')").click()
        assert room.text_content() == "The cat "
