"""The lookup by queries, keys and values, and the cities that it knows."""

import re
from collections import Counter
from unicodedata import category, normalize

import numpy as np
import pytest
import torch

from corpora.cities import CITIES
from tests.live.figure import FigureTest, by_keys, by_touch, hold_time, look, numbers, part

CAPITALS = {"Berlin": (13.4, 52.5), "Madrid": (-3.7, 40.4), "Rome": (12.5, 41.9)}
CAPITALS |= {"Wien": (16.4, 48.2)}
ACCENTS = re.compile("[\u0300-\u036f\u064b-\u0655\u200d\u3099\u309a\ufe0f]")


def plain(name):
    letters = ACCENTS.sub("", normalize("NFD", name.lower()))
    letters = re.sub(r"[\s‐-―-]+", " ", letters)
    return "".join(each for each in letters if each == " " or category(each)[0] in "LM").strip()


def pairs(name):
    """How often each pair of neighbouring letters occurs, with a space before and after."""
    spelled = f" {plain(name)} "
    return Counter(zip(spelled, spelled[1:])) if plain(name) else Counter()


def vectors(names):
    """The same as rows of a matrix, each of length 1, or 0."""
    counts = [pairs(name) for name in names]
    column = {pair: k for k, pair in enumerate(sorted({pair for each in counts for pair in each}))}
    found = torch.zeros(len(names), len(column), dtype=torch.float64)
    for row, each in zip(found, counts):
        for pair, n in each.items():
            row[column[pair]] = n
    return found / found.norm(dim=1, keepdim=True).clamp(min=1)


def keys_of(which):
    """Names and places, one of each for a key."""
    if which == "few":
        return list(CAPITALS), list(CAPITALS.values())
    listed = [(names[:1] if which == "one" else names, place) for names, place in CITIES]
    found = [(name, place) for names, place in listed for name in names]
    return [name for name, _ in found], [place for _, place in found]


class TestLookup(FigureTest):
    EXAMPLE = dict(names=list(CAPITALS), places=list(CAPITALS.values()), name="Roma")
    START = dict(name="Roma", temperature=0.1, keys="all")
    STATES = [
        dict(keys="few"),
        dict(keys="few", name="madryt", temperature=0.01),
        dict(keys="few", name="Rome", temperature=10),
        dict(keys="few", name=" Röme, Bérlin!"),
        dict(keys="few", name="", temperature=1),
        dict(keys="one", name="Tokio"),
        dict(keys="one", name="東京"),
        dict(temperature=0.02),
        dict(name="Mu\u0308nchen", temperature=0.15),
        dict(name="M\u00fcnchen", temperature=0.15),
        dict(name="İSTANBUL"),
        dict(name="port–au  prince"),
        dict(name="東京", temperature=0.05),
        dict(name="京", temperature=0.03),
        dict(name="МОСКВА́", temperature=0.03),
        dict(name="ΑΘΉΝΑ"),
        dict(name="القاهرة"),
        dict(name="القَاهِرَة"),
        dict(name="서울"),
        dict(name="ニューヨーグ"),
        dict(name="मुंबई"),
        dict(name="תל אביב"),
        dict(name="🗼 123 …"),
        dict(name="👩‍👧 Rome️ 🗼"),
        dict(name="ab" * 300),
    ]
    WRONG = {
        "the temperature multiplies": {"score / temperature": "score * temperature"},
        "the keys are longer than 1": {"n / length": "n"},
        "accents are letters": {r"\p{Script=Inherited}": r"\p{Script=Ogham}"},
        "the letters are a to z": {r"[^\p{L}\p{M} ]": "[^a-z ]"},
        "capitals are other letters": {".toLowerCase()": ""},
        "each name has a place of its own": {"cityOf.map((k) => spots[k]": "cityOf.map((_, k) => spots[k % spots.length]"},
    }  # fmt: skip
    KEYS = {"another query": by_keys("input[type=text]", "Control+a", *"Wien")}
    TOUCH = {"a city": by_touch(".map", 0.85, 0.293)}
    SAID = [
        (
            dict(keys="few"),
            "The key that “Roma” matches best is Rome: score 0.60, weight 0.982 at temperature 0.1. "
            "The answer is 17\u00a0km from Rome.",
            ["Madrid", "Madrid", "0.17", "0.013"],
        ),
        (
            dict(name="cordoba", temperature=0.01),
            "“cordoba” matches 2 keys equally well: each has score 1.00 and weight 0.500 at "
            "temperature 0.01, and no temperature can choose between them. The answer is 892\u00a0km "
            "from the nearest city, Fortaleza.",
            ["Córdoba", "Córdoba", "1.00", "0.500"],
        ),
        (
            dict(name="🗼"),
            "There are no letters in this query, so all ",
            ["London", "London", "0.00"],
        ),
    ]

    def truth(self, spec, state, found):
        names, places = keys_of(state["keys"])
        places = torch.tensor(places, dtype=torch.float64)
        rows = vectors([*names, state["name"]])
        scores = rows[:-1] @ rows[-1]
        ranked = scores[found["order"]]
        assert sorted(found["order"]) == list(range(len(names)))
        assert (ranked[:-1] >= ranked[1:] - 1e-9).all()
        west, east, middle = found["frame"]
        assert ((places[:, 0] > west) & (places[:, 0] < east)).all()
        assert abs(places[:, 1].max() + places[:, 1].min() - 2 * middle) < 1e-9
        weights = torch.softmax(scores / state["temperature"], dim=0)
        cooling = torch.logspace(1, -2, 41, dtype=torch.float64)[:, None]
        mixed = {"output": weights @ places, "cooling": torch.softmax(scores / cooling, 1) @ places}
        return {"scores": scores, "weights": weights} | mixed

    def test_a_foreign_state_is_refused(self, node):
        for wrong in (dict(temperature=0), dict(temperature=0.17), dict(keys="none")):
            with pytest.raises(RuntimeError):
                node.compute("lookup", self.spec(), [self.START | wrong])

    def check_bars(self, page):
        found = numbers(page, name="Roma", temperature=0.15)
        names, _ = keys_of("all")
        best = found["order"][:5]
        rows = part(page, ".row").all_inner_texts()
        assert [row.split("\n")[0] for row in rows[:5]] == [names[i] for i in best]
        shown = [float(row.split("\n")[-1]) for row in rows]
        rest = 1 - sum(found["weights"][i] for i in best)
        expected = [*(found["weights"][i] for i in best), rest]
        np.testing.assert_allclose(shown, expected, atol=0.0006)
        assert rows[5].startswith(f"the other {len(names) - 5} keys")
        numbers(page, name="🗼")
        assert part(page, ".row:visible").count() == 1
        assert part(page, ".row:visible").inner_text().split("\n")[-1] == "1.000"

    def check_play(self, page):
        """It begins at the highest temperature, wherever the slider is, and can pause."""
        hold_time(page)
        button, seen = part(page, ".together button"), []
        state = "document.querySelector('attention-live-1').figure.state.temperature"
        button.click()
        for _ in range(3):
            seen.append(page.evaluate(state))
            page.clock.run_for(500)
        assert 10 == seen[0] > seen[1] > seen[2]
        button.click()
        seen.append(page.evaluate(state))
        page.clock.run_for(5000)
        assert button.inner_text() == "Play" and page.evaluate(state) == seen[-1]

    def check_a_city_that_is_pressed(self, page):
        numbers(page, keys="all", temperature=0.01, name="Rome")
        names = next(names for names, _ in CITIES if names[0] == "Tokyo")
        for name in [*names, names[0]]:
            spot = page.evaluate("""() => {
                const { figure } = document.querySelector("attention-live-1");
                const { left, top } = figure.map.getBoundingClientRect(), [x, y] = figure.at([139.7, 35.7]);
                return [left + x, top + y];
            }""")  # fmt: skip
            page.mouse.click(*spot)
            assert part(page, "input[type=text]").input_value() == name
            said = look(page)[1]
            assert f"“{name}” matches best is {name}" in said and said.endswith("km from Tokyo.")
        assert "Tokyo" in part(page, ".map text").all_text_contents()


# ---------------------------------------------------------------- the cities


def test_the_names_of_the_cities():
    owners = {}
    for k, (names, (east, north)) in enumerate(CITIES):
        assert -160 < east < 180 and -56 < north < 71
        assert len({plain(name) for name in names}) == len(names), names
        for name in names:
            assert name == name.strip() and "/" not in name and pairs(name), names
            owners.setdefault(plain(name), []).append(k)
    twice = {name for name, cities in owners.items() if len(cities) > 1}
    assert twice == {
        *("birmingham", "cordoba", "hyderabad", "kochi", "san jose", "tripoli", "valencia"),
        "طرابلس",
    }
    assert len({place for _, place in CITIES}) == len(CITIES)
    assert 380 < len(CITIES) < 420 and 880 < sum(len(names) for names, _ in CITIES) < 920


def test_every_name_leads_to_its_city():
    """And to no other, but for a name of two."""
    names = [plain(name) for name in keys_of("all")[0]]
    rows = vectors(names)
    for name, scores in zip(names, rows @ rows.T):
        best = set((scores > 1 - 1e-9).nonzero().flatten().tolist())
        assert best == {k for k, other in enumerate(names) if other == name}


def test_the_capitals_of_the_page_are_where_it_says(figures):
    from workshop.page import notebooks

    code = "".join(cell.source for cell in notebooks()[0].code)
    listed = re.findall(r'"(\w+)": \((-?[\d.]+), (-?[\d.]+)\)', code)
    at = {names[0]: place for names, place in CITIES}
    assert len(listed) == 12
    assert all(at[name] == (float(east), float(north)) for name, east, north in listed)
