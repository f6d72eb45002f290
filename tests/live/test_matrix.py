"""A memory of fixed size: three rules to write to it, and what it answers."""

import pytest
import torch
from playwright.sync_api import Error

from tests.live.figure import FigureTest, hold_time, numbers, part, press

NAMES = ["Alice", "Bob", "Carol", "David", "Eve", "Frank"]
CITIES = ["Paris", "Oslo", "Rome", "Lima", "Cairo", "Tokyo"]
RULES = SUM, DECAY, DELTA = "sum", "decay 0.8", "delta rule"
MOVES = [[0, 0], [1, 2], [0, 1]]
EVERYBODY, TWO = "Everybody, once", "Two move all the time"


def unit_keys():
    """Six vectors in four dimensions: the first two are nearly orthogonal, others overlap."""
    keys = torch.randn(6, 4, generator=torch.Generator().manual_seed(162))
    return torch.nn.functional.normalize(keys, dim=-1)


def random_facts(seed, n):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(6, (n, 2), generator=generator).tolist()


def memory_of(rule, keys, values):
    """The matrix after some facts, one row of keys and of values each, by the formula of the rule."""
    memory = torch.zeros(keys.shape[1], values.shape[1], dtype=torch.float64)
    for k, v in zip(keys, values):
        if rule == SUM:
            memory = memory + torch.outer(k, v)
        elif rule == DECAY:
            memory = 0.8 * memory + torch.outer(k, v)
        else:
            memory = memory + torch.outer(k, v - k @ memory)
    return memory


class TestMatrix(FigureTest):
    EXAMPLE = dict(names=NAMES, keys=unit_keys(), cities=CITIES, values=torch.eye(6))
    START = dict(facts=MOVES, rule=SUM, asked=0)
    STATES = [
        dict(facts=random_facts(10 * k + n, n), rule=rule, asked=(k + n) % 6)
        for k, rule in enumerate(RULES)
        for n in (0, 1, 2, 5, 12)
    ]
    WRONG = {
        "a sum that decays": {"rule === DECAYING ? KEPT_OF_ALL : 1": "KEPT_OF_ALL"},
        "nothing is taken out": {"rule === DELTA ? x - held[c] : x": "x"},
        "weights without overwriting": {"(rule === DELTA ? weight * keys[person][i] : 0)": "0"},
    }
    QUIET = ("select-one",)  # what is to be written
    SAID = [
        ({}, "Asked for Alice, the sum answers Paris and Oslo alike (1.00): it still holds the old fact", ["1. Alice, weight", "1.00"]),
        (dict(rule=DELTA, facts=MOVES[:1]), "With this rule, the newest fact is always answered exactly.", ["answer", "1.00"]),
    ]  # fmt: skip

    def truth(self, spec, state, found):
        keys, values = (
            torch.tensor(spec[name], dtype=torch.float64) for name in ("keys", "values")
        )
        keys = torch.nn.functional.normalize(keys, dim=1)
        people, places = torch.tensor(state["facts"]).long().reshape(-1, 2).T
        rule, query = state["rule"], keys[state["asked"]]
        memory = memory_of(rule, keys[people], values[places])
        before = query @ memory_of(rule, keys[people[:-1]], values[places[:-1]])
        # With a value of its own for each fact, the answer has what each contributes.
        weights = query @ memory_of(rule, keys[people], torch.eye(len(people)).double())
        answer = query @ memory
        torch.testing.assert_close(weights @ values[places], answer)
        return dict(query=query, memory=memory, before=before, answer=answer, weights=weights)

    def check_histories(self, page):
        """What the buttons write, the rules do what the text says of them."""

        def lead(rule, name, city):
            """By how much a city is ahead of all others."""
            found = numbers(page, rule=rule, asked=NAMES.index(name))["answer"]
            answer = dict(zip(CITIES, found))
            return answer.pop(city) - max(answer.values())

        assert abs(lead(SUM, "Alice", "Oslo")) < 1e-9
        assert lead(DECAY, "Alice", "Oslo") > 0.3 and lead(DELTA, "Alice", "Oslo") > 0.9
        # Six facts in four dimensions: the sum answers all of them, and overwriting loses two.
        press(page, f"button:text-is('{EVERYBODY}')")
        homes = list(zip(NAMES, ["Paris", "Rome", "Lima", "Oslo", "Cairo", "Tokyo"]))
        once = torch.tensor([[lead(rule, *home) for rule in RULES] for home in homes])
        assert once[:, 0].min() > 0.3 and (once[:2, 1:] < 0).all() and (once[2:, 1:] > 0).all()
        # Carol is where she was, and Alice in her fifth city: only the delta rule has both.
        press(page, f"button:text-is('{TWO}')")
        both = [
            [lead(rule, *fact) for fact in (("Carol", "Lima"), ("Alice", "Cairo"))]
            for rule in RULES
        ]
        assert both[0][0] > 0.15 and both[0][1] < 1e-9
        assert both[1][0] < -0.3 and both[1][1] > 0.2
        assert both[2][0] > 0.15 and both[2][1] > 0.9
        assert part(page, "li:has(s)").count() == 8

    def check_writing(self, page):
        """The fact that is chosen comes last, and there is no room for a thirteenth."""
        pressed = part(page, "button[aria-pressed=true]")
        assert sorted(pressed.all_text_contents()) == ["Alice", "Alice moves", SUM]
        part(page, "select").nth(0).select_option("Eve")
        part(page, "select").nth(1).select_option("Tokyo")
        said = press(page, "button:text-is('Write')", "button:text-is('Eve')")
        assert "Asked for Eve, the sum answers Tokyo (1.00)." in said
        assert part(page, "li").last.text_content() == "Eve: Tokyo newest"
        assert sorted(pressed.all_text_contents()) == ["Eve", SUM]
        for _ in range(8):
            press(page, "button:text-is('Write')")
        assert "12 × 10 = 120." in part(page, ".legend").text_content()
        assert part(page, "button:disabled").all_text_contents() == ["Full"]
        assert "so every city gets 0" in press(page, "button:text-is('Clear')")
        assert part(page, "button:text-is('Write')").is_enabled() and part(page, "li").count() == 0

    def check_play(self, page):
        """The facts that are there come one by one, also those of a reader."""
        press(page, "button:text-is('Write')")
        page.emulate_media(reduced_motion="no-preference")
        hold_time(page)
        part(page, "button:text-is('Play')").click()
        assert part(page, "li").count() == 0
        for n in (1, 2, 3, 4):
            page.clock.run_for(1200)
            assert part(page, "li").count() == n
        assert part(page, "button:text-is('Play')").count() == 1, "it has come to its end"

    def check_foreign_states(self, page):
        """What a link may bring: each is refused."""
        for state in ("facts: {}", "facts: [[0, 9]]", "facts: [['a', 0]]", "asked: 7",
                      "facts: Array(13).fill([0, 0])", "rule: 'none'", "city: 'Bonn'"):  # fmt: skip
            with pytest.raises(Error):
                page.evaluate(f"document.querySelector('attention-live-1').put({{ {state} }})")
