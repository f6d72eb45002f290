"""What a run's rows and a recipe's file depend on, and what not."""

import json
from types import SimpleNamespace

import pytest

from data import runs
from tests.workshop.sample import change, code
from workshop import measure
from workshop.page import notebooks

CELLS = [
    code("from data.words import weigh\n\nRATE = 0.1\nWIDTHS = [4, 8]\nWIDTHS.append(16)\nother = 1"),
    code('def train(layer):\n    """The layer, trained."""\n    rate = layer * RATE\n    return rate * weigh(WIDTHS)'),
    code("def run_of(H, seed):\n    return train(H * pool(seed))\n\n\ndef unread():\n    return 1"),
    code("def setting():\n    return 3\n\n\nfor depth in (1, 2):\n    deepest = depth"),
    code('print("one")\n_, first = 1, 2'),
    code("def deep_run(seed):\n    print(seed)\n    _ = seed\n    return setting() * deepest"),
    code('RUNS = stored(run_of, [(1, 2)], file="sample", within=0.1, again=[])'),
    code('DEEP = stored(deep_run, [(1,)], file="sample", within=0.1, again=[])'),
]
WORDS = 'FILE = "words.tsv"\n\n\ndef weigh(x):\n    return scale(x)\n\n\ndef scale(x):\n    return x, FILE\n'


@pytest.fixture
def page(course):
    (course / "data").mkdir()
    (course / "data/words.py").write_text(WORDS + "\n\ndef unread(x):\n    return x\n")
    (course / "data/words.tsv").write_text("one\n")
    return change(notebooks(course)[1], lambda cells: cells.extend(dict(cell) for cell in CELLS))


@pytest.mark.parametrize(
    "old, new, changes",
    [
        ("train(H *", "train(2 * H *", {"run_of"}),
        ("layer * RATE", "layer + RATE", {"run_of"}),
        ("rate *", "RATE *", {"run_of"}),
        ("rate", "scale", set()),
        ("layer", "block", {"run_of"}),
        ("RATE = 0.1", "RATE = 0.2", {"run_of"}),
        ("[4, 8]", "[4, 9]", {"run_of"}),
        ("append(16)", "append(32)", {"run_of"}),
        ("return 3", "return 4", {"deep_run"}),
        ("in (1, 2)", "in (1, 3)", {"deep_run"}),
        ("other = 1", "other = 2", set()),
        ('print("one")', 'print("two")', set()),
        ("_, first = 1, 2", "_, first = 1, 3", set()),
        ("The layer, trained", "The trained layer", set()),
        ("return 1", "return 2", set()),
        ("again=[]", "again=[(1, 2)]", set()),
        ("within=0.1", "within=0.2", set()),
        ("return train", "# a comment\n    return train", set()),
    ],
)
def test_only_the_code_behind_a_run_ages_its_rows(page, old, new, changes):
    before = {name: measure.run_fingerprint(page, name) for name in ("run_of", "deep_run")}

    def edit(cells):
        assert any(old in cell["source"] for cell in cells)
        for cell in cells:
            cell["source"] = cell["source"].replace(old, new)

    page = change(page, edit)
    assert {name for name in before if measure.run_fingerprint(page, name) != before[name]} == changes


@pytest.mark.parametrize(
    "name, old, new, ages",
    [
        ("taught/attention.py", "torch.mean", "torch.sum", True),
        ("data/words.py", "return x, FILE", "return FILE, x", True),
        ("data/words.tsv", "one", "two", True),
        ("data/words.py", "unread(x):\n    return x", "unread(x):\n    return 1", False),
        ("utils/device.py", "", "x = 1\n", False),
    ],
)
def test_so_does_the_course_that_it_imports(page, course, name, old, new, ages):
    before = measure.run_fingerprint(page, "run_of")
    path = course / name
    path.write_text(path.read_text().replace(old, new))
    assert (measure.run_fingerprint(page, "run_of") != before) == ages


def test_a_check_names_rows_that_are_missing_altered_old_or_unread(page, course, monkeypatch):
    monkeypatch.setattr(runs, "FOLDER", course)
    rows = [[[1, 2], 3.0]]
    table = {"code": measure.run_fingerprint(page, "run_of"), "rows": rows}
    table["digest"] = runs.digest(table)
    other = table | {"code": "other"}
    other["digest"] = runs.digest(other)
    for tables, expected in (
        ({}, ["has no rows of run_of", "has no rows of deep_run"]),
        ({"run_of": table}, ["has no rows of deep_run"]),
        ({"run_of": other}, ["run_of were made by other code", "no rows of deep"]),
        ({"run_of": table | {"digest": ""}}, ["run_of were altered by hand", "no rows of deep"]),
        ({"run_of": table, "gone": table}, ["no rows of deep", "reads the rows of gone"]),
    ):
        runs.write("sample", tables)
        actual = list(measure.problems(page))
        assert len(actual) == len(expected)
        assert all(words in problem for words, problem in zip(expected, actual)), actual


def test_all_that_is_old_is_made_again_also_where_one_fails(page, course, monkeypatch):
    monkeypatch.setattr(runs, "FOLDER", course)
    (course / "recipes").mkdir()
    (course / "recipes" / "sample.py").write_text("def main():\n    pass\n")
    fresh = {"code": measure.run_fingerprint(page, "deep_run"), "rows": [[[1], 1.0]], "within": 0.1, "seconds": 9}
    runs.write("sample", {"run_of": fresh | {"code": "other"}, "deep_run": fresh})
    called = []

    def run(command, **_):
        called.append(command)
        if "recipes.sample" in command:
            return SimpleNamespace(returncode=1)
        runs.write("sample", runs.tables("sample") | {"run_of": fresh | {"rows": [[[1], 2.0], [[2], 1.0]]}})
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(measure.subprocess, "run", run)
    assert measure.measure_old(course) == (True, [
        "recipes/sample.py failed, as told above.",
        "page 2 run_of: 2 rows, 1 of settings that had none, 1 moved by more than 0.1",
        "  run_of(1,): 1.0 -> 2.0",
        "What the page says of them is older: make page P=02",
    ])  # fmt: skip
    assert len(called) == 2


RECIPE = """from data.words import weigh
from workshop.page import ROOT, Page

FILE = ROOT / "data" / "sample.json"
PAGE = ROOT / "chapters" / "%s"
CELLS = ("def train",)
STEPS = 3


def main():
    FILE.write_text(f"[{STEPS * weigh(1)[0]}]")
    return PAGE


def unread():
    return 4
"""


def test_a_recipe_is_run_and_what_it_needs_ages_its_file(page, course, monkeypatch):
    sample = course / "data/sample.json"
    (course / "recipes").mkdir()
    path = course / "recipes/sample.py"
    path.write_text(RECIPE % page.path.name)
    (course / measure.MADE).write_text("{}")
    assert "made by other code" in "".join(measure.recipes(course))
    monkeypatch.setattr(measure.subprocess, "run", lambda *_, **__: wrote("[3]"))

    def wrote(text):
        sample.write_text(text)
        return SimpleNamespace(returncode=0)

    with pytest.raises(SystemExit, match="no recipe simple.* one of sample"):
        measure.cook("simple", course)
    assert measure.cook("sample", course) == (0, ["data/sample.json: other bytes"])
    assert measure.cook("sample", course) == (0, ["data/sample.json: the same bytes"])
    assert not list(measure.recipes(course))
    assert json.loads((course / measure.MADE).read_text())["sample"]["torch"]

    path.write_text(RECIPE.replace("return 4", "return 5") % page.path.name)
    assert not list(measure.recipes(course)), "what main doesn't reach"
    for old, new in (("STEPS = 3", "STEPS = 4"), ("STEPS * ", "2 * STEPS * ")):
        path.write_text(RECIPE.replace(old, new) % page.path.name)
        assert "made by other code" in "".join(measure.recipes(course))
    path.write_text(RECIPE % page.path.name)
    change(page, lambda cells: edit(cells, "layer * RATE", "layer + RATE"))
    assert "made by other code" in "".join(measure.recipes(course)), "a cell that it takes"
    change(page, lambda cells: edit(cells, "layer + RATE", "layer * RATE"))
    sample.write_text("[4]")
    assert "sample.json was altered" in "".join(measure.recipes(course))


def edit(cells, old, new):
    for cell in cells:
        cell["source"] = cell["source"].replace(old, new)
