"""The normal form, and when the outputs of a page are those of its code."""

import copy
import json
import subprocess

import nbformat
import pytest

from tests.workshop.sample import change, code, image, markdown
from workshop import store
from workshop.page import notebooks


def test_lines_are_those_of_the_file():
    for page in notebooks():
        lines = page.text.split("\n")
        for cell in page.cells:
            for j, line in enumerate(cell.lines, 1):
                assert json.dumps(line, ensure_ascii=False)[1:-1] in lines[cell.line + j - 1]


def test_normal_form_drops_what_differs_between_executions():
    def out(text, name="stdout"):
        return {"output_type": "stream", "name": name, "text": text}

    cell = code("x = 1  \n\n", "keep") | {"execution_count": 17}
    cell["outputs"] = [out("a\n"), image(), out("late", "stderr"), out("10 %\r20 %\n")]
    cell["outputs"] += [
        {"output_type": "error", "ename": "E", "evalue": "", "traceback": []},
        {
            "output_type": "execute_result",
            "execution_count": 9,
            "metadata": {"x": 1},
            "data": {"text/plain": ["1\n", "2"], "application/json": {}},
        },
    ]
    cell["metadata"] |= {"execution": {"started": "today"}, "collapsed": False, "jupyter": {}}
    cells = [markdown("# 1. A"), cell, copy.deepcopy(cell)]
    normal = store.normal_form({"cells": cells, "metadata": {"colab": {}}})
    assert store.normal_form(normal) == normal
    nbformat.validate(nbformat.from_dict(normal))
    _, first, second = normal["cells"]
    assert (first["source"], first["metadata"]) == ("x = 1", {"tags": ["keep"]})
    assert (first["execution_count"], second["execution_count"]) == (1, 2)
    assert first["id"] != second["id"]
    streams, figure, stderr, result = first["outputs"]
    assert streams["text"] == "a\n20 %\n" and stderr["name"] == "stderr"
    assert set(figure["data"]) == {"image/png", "text/plain"}
    assert "alt" in figure["metadata"]["image/png"]
    assert (result["data"], result["metadata"]) == ({"text/plain": "1\n2"}, {})
    assert set(normal["metadata"]) == {"kernelspec", "language_info"}


@pytest.mark.parametrize(
    "old, new, stale",
    [
        ("What we learn", "What one learns", False),  # text
        ("mean = x.sum()", "# A comment.\nmean = (x.sum()\n)", False),
        ('"""The largest minus', '"""The largest without', False),
        ("mean = x.sum()", "mean = 2 * x.sum()", True),
    ],
)
def test_outputs_are_stale_when_the_code_has_changed(course, old, new, stale):
    def swap(cells):
        cell = next(cell for cell in cells if old in cell["source"])
        cell["source"] = cell["source"].replace(old, new)

    page = notebooks(course)[0]
    page.notebook["metadata"]["course"]["outputs_of"] = store.fingerprint(page)
    assert not store.is_stale(page) and store.is_stale(change(page, swap)) == stale


@pytest.mark.parametrize(
    "old, new, stale",
    [
        ("torch.mean(values)", "torch.sum(values)", True),
        ('"""The mean."""', '"""A mean."""', False),
        ("def pool", "def other():\n    pass\n\n\ndef pool", False),  # not imported
    ],
)
def test_outputs_are_stale_when_an_import_has_changed(course, old, new, stale):
    module, second = course / "utils" / "attention.py", notebooks(course)[1]
    before = store.fingerprint(second)
    module.write_text(module.read_text().replace(old, new))
    assert (store.fingerprint(second) != before) == stale


@pytest.mark.parametrize("module, stale", [("checks", True), ("others", False)])
def test_outputs_are_stale_when_what_an_import_uses_has_changed(course, module, stale):
    """The second page imports `pool`, and `pool` calls `checks`."""
    attention, second = course / "utils" / "attention.py", notebooks(course)[1]
    source = attention.read_text().replace("return", "checks.sizes(values)\n    return")
    attention.write_text(f"{source}\n\nfrom utils import checks, others\n")
    for name in ("checks", "others"):
        (course / "utils" / f"{name}.py").write_text("x = 1\n")
    before = store.fingerprint(second)
    (course / "utils" / f"{module}.py").write_text("x = 2\n")
    assert (store.fingerprint(second) != before) == stale


@pytest.mark.parametrize("name, stale", [("words.tsv", True), ("others.tsv", False)])
def test_outputs_are_stale_when_data_has_changed(course, name, stale):
    """The second page imports a module that names one of two files."""
    folder = course / "utils" / "data"
    folder.mkdir()
    (folder / "words.py").write_text('FILE = Path(__file__).with_name("words.tsv")\n')
    (folder / "words.tsv").write_text("one\n")
    cell = code("from utils.data import words")
    second = change(notebooks(course)[1], lambda cells: cells.append(cell))
    before = store.fingerprint(second)
    (folder / name).write_text("two\n")
    assert (store.fingerprint(second) != before) == stale


def test_pages_to_run(course, monkeypatch):
    """Those that were edited, and all when torch is another; but then none of them is stale."""

    def numbers():
        return [page.number for page in store.to_run(notebooks(course))]

    for page in notebooks(course):
        page.notebook["metadata"]["course"] |= store.stamp(page)
        store.write(page, page.notebook)
    me = ["-c", "user.name=Tests", "-c", "user.email=tests@example.org"]
    for command in (["init", "-q"], ["add", "."], [*me, "commit", "-qm", "The course"]):
        subprocess.run(["git", *command], cwd=course, check=True)
    assert numbers() == []
    answers = course / "tests" / "wrong_answers" / "01_a_sample.py"
    answers.write_text(answers.read_text() + "# More.\n")
    assert numbers() == [1]
    change(notebooks(course)[1], lambda cells: cells.append(markdown("More.")))
    assert numbers() == [1, 2]
    subprocess.run(["git", "checkout", "-q", "."], cwd=course, check=True)
    monkeypatch.setattr(store, "version", "{} 9.9+cpu".format)
    assert numbers() == [1, 2] and not any(map(store.is_stale, notebooks(course)))
