"""The normal form, and when the outputs of a page are those of its code."""

import copy

import nbformat
import pytest

from tests.workshop.sample import change, code, image, markdown
from workshop import store
from workshop.page import Page, notebooks


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


PAGE, ATTENTION, WORDS = "chapters/02_a_sample.ipynb", "taught/attention.py", "data/words"
FILES = {
    "taught/checks.py": "x = 1\n",
    "utils/others.py": "x = 1\n",
    f"{WORDS}.py": 'FILE = Path(__file__).with_name("words.tsv")\n',
    f"{WORDS}.tsv": "one\n",
    "live/figures/points.py": 'FILE = DATA / "points.json"\n',
    "data/points.json": "one\n",
}


@pytest.mark.parametrize(
    "name, old, new, stale",
    [
        (PAGE, "What we learn", "What one learns", False),  # text
        (PAGE, "mean = x.sum()", "# A comment.\\nmean = (x.sum()\\n)", False),
        (PAGE, "The largest minus", "The largest without", False),  # a docstring
        (PAGE, "mean = x.sum()", "mean = 2 * x.sum()", True),
        (ATTENTION, "torch.mean(values)", "torch.sum(values)", True),
        ("taught/checks.py", "1", "2", True),  # used by `pool`
        ("utils/others.py", "1", "2", False),  # nobody imports it
        (f"{WORDS}.tsv", "one", "two", True),
        ("data/points.json", "one", "two", True),
    ],
)
def test_outputs_are_stale_when_code_or_data_have_changed(course, name, old, new, stale):
    """Page 2 imports `pool`, which calls `checks`, and `words`, which names a file; it
    shows a figure, which names another."""
    for folder in ("data", "live/figures"):
        (course / folder).mkdir(parents=True)
    attention = (course / ATTENTION).read_text()
    attention = attention.replace("return", "checks.sizes(values)\n    return")
    files = FILES | {ATTENTION: f"{attention}\n\nfrom taught import checks\n"}
    for file, text in files.items():
        (course / file).write_text(text)
    cell = code("from data import words\n\nlive.show('points')")
    page = change(notebooks(course)[1], lambda cells: cells.append(cell))
    page.notebook["metadata"]["course"] |= store.stamp(page)
    store.write(page, page.notebook)
    text = (course / name).read_text()
    assert old in text and not store.is_stale(Page(page.path))
    (course / name).write_text(text.replace(old, new, 1))
    assert store.is_stale(Page(page.path)) == stale
