"""The lookup by queries, keys and values, and the cities that it knows."""

import re
from collections import Counter
from unicodedata import category, normalize

import torch

from data.cities import CITIES
from tests.live.figure import PLAYED, FigureTest, by_keys, by_touch, look, numbers, part
from workshop.page import ROOT, notebooks

ACCENTS = re.compile("[\u0300-\u036f\u064b-\u0655\u200d\u3099\u309a\ufe0f]")


def plain(name):
    letters = ACCENTS.sub("", normalize("NFD", name.lower()))
    letters = re.sub(r"[\s‐-―-]+", " ", letters)
    return "".join(letter for letter in letters if letter == " " or category(letter)[0] in "LM").strip()


def pairs(name):
    """How often each pair of neighbouring letters occurs, with a space before and after."""
    spelled = f" {plain(name)} "
    return Counter(zip(spelled, spelled[1:])) if plain(name) else Counter()


def vectors(names):
    counts = [pairs(name) for name in names]
    column = {pair: k for k, pair in enumerate(sorted({pair for bag in counts for pair in bag}))}
    matrix = torch.zeros(len(names), len(column), dtype=torch.float64)
    for row, bag in zip(matrix, counts):
        for pair, n in bag.items():
            row[column[pair]] = n
    return matrix / matrix.norm(dim=1, keepdim=True).clamp(min=1)


NAMES = [name for names, _ in CITIES for name in names]
PLACES = [place for names, place in CITIES for _ in names]


class TestLookup(FigureTest):
    EXAMPLE = dict(name="Roma", temperature=0.1)
    START = dict(name="Roma", temperature=0.1)
    STATES = [
        dict(name="madryt", temperature=0.01),
        dict(name="", temperature=1),
        dict(name="Mu\u0308nchen", temperature=0.15),
        dict(name="port–au  prince"),
        dict(name="МОСКВА́", temperature=0.03),
        dict(name="القَاهِرَة"),
        dict(name="ニューヨーグ"),
        dict(name="मुंबई"),
        dict(name="👩‍👧 Rome️ 🗼"),
    ]
    WRONG = {
        "the temperature multiplies": {"score / temperature": "score * temperature"},
        "the keys are longer than 1": {"n / length": "n"},
        "accents are letters": {r"\p{Script=Inherited}": r"\p{Script=Ogham}"},
    }
    KEYS = {"another query": by_keys("input[type=text]", "Control+a", *"Wien")}
    TOUCH = {"a city": by_touch(".map", 0.85, 0.293)}
    SAID = [
        (dict(), "“Roma” matches Roma (Rome) best: score 1.00, weight 0.", ["Roma", "Rome", "1.00"]),
        (dict(name="cordoba", temperature=0.01), "“cordoba” matches 2 keys equally well: each has score 1.00, weight 0.500", ["Córdoba", "Córdoba", "1.00", "0.500"]),
    ]  # fmt: skip

    def holds(self, spec, state, numbers, text):
        shares = Counter()
        for place, weight in zip(PLACES, numbers["weights"]):
            shares[place] += weight
        assert sorted(shares.values())[-2] > 0.05
        assert text.startswith("No name here is") == (max(numbers["scores"]) < 0.49)

    def truth(self, spec, state, numbers):
        places = torch.tensor(PLACES, dtype=torch.float64)
        rows = vectors([*NAMES, state["name"]])
        scores = rows[:-1] @ rows[-1]
        ranked = scores[numbers["order"]]
        assert sorted(numbers["order"]) == list(range(len(NAMES)))
        assert (ranked[:-1] >= ranked[1:] - 1e-9).all()
        weights = torch.softmax(scores / state["temperature"], dim=0)
        cooling = torch.logspace(1, -2, 41, dtype=torch.float64)[:, None]
        mixed = dict(output=weights @ places, cooling=torch.softmax(scores / cooling, 1) @ places)
        return mixed | dict(scores=scores, weights=weights)

    def check_names_typed_after_its_play(self, page):
        """They are looked up as softly as before, and a name unlike all others is said to be."""
        page.evaluate(PLAYED)
        unlike = "No name here is much like “{}”, and attention answers all the same. "
        for name, (beginning, best) in {
            "Springfield": (unlike, "matches Alice Springs best: score 0.46, weight 0."),
            "Cincinati": (unlike, "matches Ho Chi Minh City best: score 0.43, weight 0."),
            "Rima": ("", "matches 3 keys equally well"),
            "Lodnon": ("", "matches London best: score 0.63, weight 0."),
            "Londen": ("", "matches London best: score 0.76, weight 0."),
            "漢": ("", "No key shares a pair of letters"),
        }.items():
            part(page, "input[type=text]").fill(name)
            words = look(page)[1]
            assert words.startswith(beginning.format(name)) and best in words and " km " not in words

    def check_a_city_that_is_pressed(self, page):
        """It asks by its next name, and the answer stays where it is."""
        numbers(page, temperature=0.01, name="Tokyo")
        names = next(names for names, _ in CITIES if names[0] == "Tokyo")
        for name in [*names[1:], names[0]]:
            part(page, ".map .fill-value").click()
            assert part(page, "input[type=text]").input_value() == name
            assert f"“{name}” matches {name}" in look(page)[1]
        assert "Tokyo" in part(page, ".map text").all_text_contents()


def test_the_page_to_play_with_says_how_many_there_are():
    assert f" {len(CITIES)} cities " in (ROOT / "play" / "names.md").read_text(encoding="utf-8")


def test_the_names_of_the_cities():
    """Each leads to its city and to no other, but for a name of two."""
    for names, (east, north) in CITIES:
        assert -160 < east < 180 and -56 < north < 71 and len({*map(plain, names)}) == len(names)
    rows, twice = vectors(NAMES), set()
    for name, scores in zip(NAMES, rows @ rows.T):
        best = (scores > 1 - 1e-9).nonzero().flatten().tolist()
        assert {plain(NAMES[k]) for k in best} == {plain(name)}, name
        if len({PLACES[k] for k in best}) > 1:
            twice.add(plain(name))
    assert " ".join(sorted(twice)) == "birmingham cordoba hyderabad kochi san jose tripoli valencia طرابلس"


def test_the_capitals_of_the_page_are_where_it_says():
    code = "".join(cell.source for cell in notebooks()[0].code)
    listed = re.findall(r'"(\w+)": \((-?[\d.]+), (-?[\d.]+)\)', code)
    at = {names[0]: place for names, place in CITIES}
    assert len(listed) == 12
    assert all(at[name] == (float(east), float(north)) for name, east, north in listed)
