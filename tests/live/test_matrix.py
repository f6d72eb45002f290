"""A memory of fixed size: three rules to write to it, and what it answers."""

import torch

from tests.live.figure import FigureTest, part, press, reset

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
        "a decay of 0.9": {"KEPT_OF_ALL = 0.8": "KEPT_OF_ALL = 0.9"},
        "a sum that decays": {"rule === DECAYING ? KEPT_OF_ALL : 1": "KEPT_OF_ALL"},
        "nothing is taken out": {"rule === DELTA ? x - held[c] : x": "x"},
        "half a step": {"x - held[c]": "x - held[c] / 2"},
        "what the query holds is taken out": {"readOut(memory, key)": "readOut(memory, query)"},
        "the new fact fades, too": {"kept * x + key[i] * news[c]": "kept * (x + key[i] * news[c])"},
        "weights that don't fade": {"(x, i) => kept * x -": "(x, i) => x -"},
        "weights without overwriting": {"(rule === DELTA ? weight * keys[person][i] : 0)": "0"},
        "weights in the wrong order": {"weights: weights.reverse()": "weights"},
        "the answer before is the answer": {
            "before = readOut(memory, query)": "before = readOut(memory, keys[0])"
        },
    }
    QUIET = ("select-one",)  # what is to be written
    SAID = [
        (
            dict(),
            "Asked for Alice, the sum answers Paris and Oslo alike (1.00): it still holds the old fact "
            "that Alice is in Paris.",
            ["1. Alice, weight", "1.00"],
        ),
        (
            dict(rule=DELTA, facts=MOVES[:1]),
            "Paris (1.00). With this rule, the newest fact is always answered exactly.",
            ["answer", "1.00"],
        ),
        (dict(facts=[]), "Nothing has been written, so every city gets 0.", ["answer", "0.00"]),
    ]

    def truth(self, spec, state, found):
        keys, values = (
            torch.tensor(spec[name], dtype=torch.float64) for name in ("keys", "values")
        )
        torch.testing.assert_close(keys.norm(dim=1), torch.ones(6).double())
        people, places = torch.tensor(state["facts"]).long().reshape(-1, 2).T
        rule, query = state["rule"], keys[state["asked"]]
        memory = memory_of(rule, keys[people], values[places])
        before = query @ memory_of(rule, keys[people[:-1]], values[places[:-1]])
        # With a value of its own for each fact, the answer has what each contributes.
        weights = query @ memory_of(rule, keys[people], torch.eye(len(people)).double())
        answer = query @ memory
        torch.testing.assert_close(weights @ values[places], answer)
        return dict(query=query, memory=memory, before=before, answer=answer, weights=weights)

    def answers(self, history, asked=None):
        """What each rule answers after a history that a button writes: numbers by city."""
        spec = self.spec()
        keys, values = torch.tensor(spec["keys"], dtype=torch.float64), torch.eye(6).double()
        person, facts = spec["histories"][history]
        people, places = torch.tensor(facts).T
        query = keys[person if asked is None else NAMES.index(asked)]
        rows = [query @ memory_of(rule, keys[people], values[places]) for rule in RULES]
        return {rule: dict(zip(CITIES, row.tolist())) for rule, row in zip(RULES, rows)}

    def test_histories_do_what_the_text_says(self):
        keys = torch.tensor(self.spec()["keys"], dtype=torch.float64)
        overlaps = (keys @ keys.T).abs().fill_diagonal_(0)
        assert overlaps[0, 1] < 0.05 and 0.5 < overlaps.max() < 0.8

        def lead(row, city):
            return row[city] - max(x for name, x in row.items() if name != city)

        moved = self.answers("Alice moves")
        assert abs(lead(moved[SUM], "Oslo")) < 1e-9 and moved[SUM]["Paris"] > 0.9
        assert abs(moved[DECAY]["Paris"] - 0.64) < 1e-9 and lead(moved[DECAY], "Oslo") > 0.3
        assert abs(moved[DELTA]["Paris"]) < 1e-9 and lead(moved[DELTA], "Oslo") > 0.9
        # Carol is where she was; Alice was in five cities, in Cairo last. Only the delta rule has both.
        carol, alice = self.answers(TWO), self.answers(TWO, "Alice")
        assert lead(carol[SUM], "Lima") > 0.15 and lead(alice[SUM], "Cairo") < 1e-9
        assert lead(carol[DECAY], "Lima") < -0.3 and lead(alice[DECAY], "Cairo") > 0.2
        assert lead(carol[DELTA], "Lima") > 0.15 and lead(alice[DELTA], "Cairo") > 0.9
        # Six facts in four dimensions: the sum answers all of them, and overwriting loses two.
        homes = zip(NAMES, ["Paris", "Rome", "Lima", "Oslo", "Cairo", "Tokyo"])
        leads = {name: self.answers(EVERYBODY, name) for name in NAMES}
        leads = [[lead(leads[name][rule], city) for rule in RULES] for name, city in homes]
        once = torch.tensor(leads)
        assert once[:, 0].min() > 0.3 and (once[:2, 1:] < 0).all() and (once[2:, 1:] > 0).all()

    def check_writing(self, page):
        """The fact that is chosen comes last, and there is no room for a thirteenth."""
        part(page, "select").nth(0).select_option("Eve")
        part(page, "select").nth(1).select_option("Tokyo")
        said = press(page, "button:text-is('Write')", "button:text-is('Eve')")
        assert "Asked for Eve, the sum answers Tokyo (1.00)." in said
        assert part(page, "li").last.text_content() == "Eve: Tokyo newest"
        assert "List of facts: 4 × 10 = 40." in part(page, ".legend").text_content()
        for _ in range(8):
            press(page, "button:text-is('Write')")
        assert "12 × 10 = 120." in part(page, ".legend").text_content()
        full = part(page, "button:disabled").all_text_contents()
        assert full == ["Full"] and part(page, "li").count() == 12
        assert "so every city gets 0" in press(page, "button:text-is('Clear')")
        assert part(page, "button:text-is('Write')").is_enabled() and part(page, "li").count() == 0

    def check_facts(self, page):
        press(page, f"button:text-is('{TWO}')")
        assert part(page, "li:has(s)").count() == 8
        kept = part(page, "li:not(:has(s))").all_text_contents()
        assert kept == ["Carol: Lima", "Alice: Cairo", "Bob: Oslo newest"]

    def check_buttons(self, page):
        """One of each kind is pressed: the history, the rule and the person."""
        pressed = part(page, "button[aria-pressed=true]")
        assert pressed.all_text_contents() == ["Alice moves", SUM, "Alice"]
        press(page, f"button:text-is('{DELTA}')", f"button:text-is('{TWO}')")
        assert pressed.all_text_contents() == [TWO, DELTA, "Carol"]
        press(page, "button:text-is('Write')", "button:text-is('Bob')")
        assert pressed.all_text_contents() == [DELTA, "Bob"]
        reset(page)
        assert pressed.all_text_contents() == ["Alice moves", SUM, "Alice"]

    def check_foreign_states(self, page):
        """What a link may bring: each is refused."""
        for state in ("facts: {}", "facts: [[0, 9]]", "facts: [['a', 0]]", "facts: [[0]]", "asked: 7",
                      "facts: Array(13).fill([0, 0])", "facts: [null]", "rule: 'none'", "city: 'Bonn'"):  # fmt: skip
            assert page.evaluate(f"""() => {{
                const element = document.querySelector("attention-live-1");
                try {{ element.put({{ {state} }}); }} catch {{ element.reset(); return true; }}
            }}"""), state  # fmt: skip
