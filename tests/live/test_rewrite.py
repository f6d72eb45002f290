"""A matrix that is written again: the sum, a decay and the delta rule."""

import torch
from torch.nn import functional as F

from tests.live.figure import FigureTest, by_keys, by_touch, draw, look, numbers, part, press

NAMES, CITIES = ["Alice", "Bob", "Carol"], ["Paris", "Oslo", "Rome", "Lima"]
KEYS = F.normalize(draw(3, 4, seed=3), dim=-1)
FACTS = [[0, 0], [1, 2], [0, 1]]
MANY = [[0, 0], [1, 2], [0, 1], [2, 3], [2, 0], [1, 1], [0, 3]]


class TestRewrite(FigureTest):
    EXAMPLE = dict(names=NAMES, keys=KEYS, cities=CITIES, facts=FACTS)
    START = dict(facts=FACTS[:2], who=0, guessed=None)
    STATES = [dict(facts=facts, who=who) for facts in ([], FACTS, MANY, FACTS * 4) for who in range(3)]
    WRONG = {
        "the delta rule adds": {"rule === RULES[2] ?": "rule === 'none' ?"},
        "a decay of what is written": {"kept * x + key[i]": "x + kept * key[i]"},
        "the answer before the write": {"(c === city) - before[c]": "before[c] - (c === city)"},
    }
    KEYS = {"move": by_keys("button:text-is('Lima')", "Enter")}
    TOUCH = {"move": by_touch("button:text-is('Lima')")}
    QUIET = ("button Paris",)  # where Alice is already
    SAID = [
        (dict(facts=FACTS, guessed="Oslo"), "it is both alike, so a sum can’t tell old from new.", ["Oslo"]),
        (dict(facts=FACTS), "Alice is in Oslo: the sum answers Paris and Oslo alike, the decay", ["Paris", "1.00"]),
        (dict(facts=FACTS), "alike, the decay Oslo, the delta rule Oslo.", ["Paris", "1.00", "0.64"]),
        (dict(facts=MANY, who=1), "Bob is in Oslo: the", ["Paris"]),
        (dict(who=2), "Nobody has said where Carol is: the ", ["Rome"]),
    ]

    def holds(self, spec, state, numbers, text):
        """After Alice's move the sum has both alike, a decay prefers the newer, and the delta rule has it alone."""
        who, cities, latest = spec["names"][state["who"]], spec["cities"], numbers["latest"]
        sentence = f"Nobody has said where {who} is" if latest is None else f"{who} is in {cities[latest]}"
        best = []
        for answers in numbers["answers"]:
            alike = [city for city, x in zip(cities, answers) if max(answers) - x < 0.005]
            name = " and ".join(alike) + " alike" * (len(alike) > 1)
            best.append(name if max(answers) >= 0.15 else "nothing")
        if latest is None and {*best} != {"nothing"}:  # who is most alike is asked for in part
            keys = torch.tensor(spec["keys"])
            overlap, near = max((float(keys[k] @ keys[state["who"]]), k) for k, _ in state["facts"])
            sentence += f", but the key overlaps with that of {spec['names'][near]} ({overlap:.2f})"
        sentence += ": "
        alike = "the sum, the decay and the delta rule all answer {}."
        differ = "the sum answers {}, the decay {}, the delta rule {}."
        assert sentence + (alike if len({*best}) == 1 else differ).format(*best) in text
        if state["facts"] == spec["facts"] and state["who"] == 0:
            total, decay, delta = (answers[:2] for answers in numbers["answers"])
            assert total[0] == total[1] and decay[0] < 0.8 * decay[1] and abs(delta[0]) < 0.03 < delta[1]

    def truth(self, spec, state, numbers):
        keys = torch.tensor(spec["keys"], dtype=torch.float64)
        k = keys[[name for name, _ in state["facts"]]]
        v = torch.eye(len(CITIES), dtype=torch.float64)[[city for _, city in state["facts"]]]
        decay = 0.8 ** torch.arange(len(k), dtype=torch.float64).flip(0)
        S = torch.zeros(4, len(CITIES), dtype=torch.float64)
        for key, value in zip(k, v):
            S = S + torch.outer(key, value - key @ S)
        matrices = torch.stack([k.mT @ v, (k * decay[:, None]).mT @ v, S])
        [*_, latest] = None, *(city for name, city in state["facts"] if name == state["who"])
        return {"matrices": matrices, "answers": keys[state["who"]] @ matrices, "latest": latest}

    def check_a_guess(self, page):
        sentence = press(page, ".ask button:text-is('Oslo')")
        assert sentence.startswith("You said Oslo; it is both alike")
        assert part(page, ".facts .strong").inner_text().strip() == "Alice is in Oslo."
        assert press(page, "button:text-is('Bob')").startswith("Bob is in Rome:")
        press(page, "button:text-is('Alice')", ".side .together > button")
        assert look(page)[1].startswith("Alice is in Paris:")
        assert part(page, ".verdict").inner_text().startswith("You said Oslo; it is both alike")

    def check_the_facts(self, page):
        """The last six are listed, the newest of whom it asks about bold; bars have two places."""
        numbers(page, facts=MANY, who=1)
        facts = part(page, ".facts")
        assert facts.inner_text().startswith("… Bob is in Rome. Alice is in Oslo.")
        assert facts.locator("span").count() == 6
        assert facts.locator(".strong").inner_text().strip() == "Bob is in Oslo."
        answers = [x for row in numbers(page)["answers"] for x in row if abs(x) > 0.15]
        words = [f"{x:.2f}".replace("-", "−") for x in answers]
        labels = [x for x in part(page, "svg text").all_text_contents() if x[-1:].isdigit()]
        assert [x for x in labels if x in words] == words and "1.00" in words
