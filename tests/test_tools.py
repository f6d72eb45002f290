"""What `make pages` and `make address` do, and what a run of the tests says at its end."""

import copy
import json
import os
import shutil
import subprocess
import sys

import nbformat
import pytest

from tests import pages
from tests.sample import (
    ADDRESS, bare_page, code, good_cells, image, printed, text, write_course, write_page,
)

# ---------------------------------------------------------------- reading and normal form


@pytest.mark.parametrize("page", pages.notebooks(), ids=repr)
def test_lines_are_those_of_the_file(page):
    lines = page.text.split("\n")
    for cell in page.cells:
        for j, line in enumerate(cell.lines, 1):
            assert json.dumps(line, ensure_ascii=False)[1:-1] in lines[cell.line + j - 1]


def test_normal_form_is_what_nbformat_writes(tmp_path):
    page = pages.Page(write_page(tmp_path, 1, good_cells(1)))
    notebook = nbformat.from_dict(page.notebook)
    nbformat.validate(notebook)
    assert page.text == nbformat.writes(notebook) + "\n"
    assert pages.normal_form(pages.normal_form(page.notebook)) == pages.normal_form(page.notebook)


def test_normal_form_drops_what_differs_between_executions():
    cell = code("x = 1  \n\n", "keep", outputs=[
        printed("a"), image(), printed("late", "stderr"), printed("10 %\r20 %"),
        {"output_type": "error", "ename": "E", "evalue": "", "traceback": []},
        {"output_type": "execute_result", "execution_count": 9, "metadata": {"x": 1},
         "data": {"text/plain": ["1\n", "2"], "application/json": {}}},
    ])
    cell["metadata"] |= {"execution": {"started": "today"}, "collapsed": False, "jupyter": {}}
    cell["execution_count"] = 17
    cells = [text("# 1. A"), cell, copy.deepcopy(cell)]
    normal = pages.normal_form({"cells": cells, "metadata": {"colab": {}}, "nbformat_minor": 0})
    _, first, second = normal["cells"]
    assert (first["source"], first["metadata"]) == ("x = 1", {"tags": ["keep"]})
    assert (first["execution_count"], second["execution_count"]) == (1, 2)
    assert first["id"] != second["id"]
    streams, figure, stderr, result = first["outputs"]
    assert streams["text"] == "a\n20 %\n" and stderr["name"] == "stderr"
    assert set(figure["data"]) == {"image/png", "text/plain"}
    assert "alt" in figure["metadata"]["image/png"]
    assert result["data"] == {"text/plain": "1\n2"}
    assert (result["execution_count"], result["metadata"]) == (1, {})
    assert set(normal["metadata"]) == {"kernelspec", "language_info"}


# ---------------------------------------------------------------- execute


def test_execute_stores_outputs(tmp_path, capsys):
    page = bare_page(tmp_path, 1, code("print('a')\nprint('b')"), text("Text."), code("2 + 3"))
    (tmp_path / "utils").mkdir()
    (tmp_path / "utils" / "attention.py").touch()
    ids = [cell["id"] for cell in pages.Page(page).notebook["cells"]]
    pages.execute(page)
    stored = pages.Page(page)
    assert [cell["id"] for cell in stored.notebook["cells"]] == ids
    assert [cell["execution_count"] for cell in stored.notebook["cells"]
            if cell["cell_type"] == "code"] == [1, 2, 3]
    assert pages.joined(stored.code[1].outputs[0]["text"]) == "a\nb\n"
    assert stored.code[2].outputs[0]["data"]["text/plain"] == ["5"]
    assert stored.text == pages.to_text(pages.normal_form(stored.notebook))
    assert capsys.readouterr().out.startswith("chapters/01_sample.ipynb: ")


def test_execute_leaves_a_failing_page_as_it_was(tmp_path):
    page = bare_page(tmp_path, 1, code("x = 1\n\nassert x == 2, 'no'"))
    (tmp_path / "utils").mkdir()
    (tmp_path / "utils" / "attention.py").touch()
    before = page.read_bytes()
    with pytest.raises(SystemExit) as stopped:
        pages.execute(page)
    line = 1 + before.decode().split("\n").index('    "assert x == 2, \'no\'"')
    assert stopped.value.code == (
        f"chapters/01_sample.ipynb:{line}: cell [2], line 3: AssertionError: no")
    assert page.read_bytes() == before


# ---------------------------------------------------------------- what pytest says at the end


def test_the_end_of_a_run_names_files_counts_reasons_and_places(tmp_path):
    """The course's conftest.py on two broken pages, over two workers."""
    for number, shown in ((1, "b\nX"), (2, "b\nc")):
        wrong = code("print('a')\nprint('b')\nprint('c')", outputs=[printed(f"a\n{shown}")])
        boom = code("def f():\n    raise ValueError('no')\n\nf()")
        write_page(tmp_path, number, [wrong, text("Text.")] + [boom] * (number == 2))
    (tmp_path / "tests").mkdir()
    for name in ("conftest.py", "tests/__init__.py", "tests/pages.py"):
        shutil.copy(pages.ROOT / name, tmp_path / name)
    (tmp_path / "tests" / "test_it.py").write_text(
        "import pytest\n\n\n@pytest.mark.skip(reason='there is no browser: do this')\n"
        "def test_a():\n    pass\n\n\ndef test_b():\n"
        "    pytest.fail('index.md:3: no link; wanted one', pytrace=False)\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-n", "2",
         "--dist", "loadscope", "--rootdir", tmp_path, tmp_path],
        cwd=tmp_path, capture_output=True, text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
    )
    said = done.stdout.partition(" What was run ")[2].partition("= short test summary")[0]
    first, second = (pages.Page(page.path) for page in pages.notebooks(tmp_path))
    stored = 1 + first.text.split("\n").index('      "X\\n"')
    assert sorted(said.split("\n")[1:-1]) == sorted([
        "tests/test_it.py          1 failed, 1 skipped",
        "                          skipped: there is no browser: do this",
        "chapters/01_sample.ipynb  1 failed",
        "chapters/02_sample.ipynb  1 passed, 1 failed",
        "index.md:3: no link; wanted one",
        f"chapters/01_sample.ipynb:{stored}: cell [1]: "
        "the stored output differs from what the cell prints",
        f"{second.code[1].at(4)}: ValueError: no",
    ])
    assert "\n".join(["a", "b", "X"]) not in said and "+ X" in done.stdout  # the difference


# ---------------------------------------------------------------- the address

NEW = "https://github.com/New-Owner/new.course"
README = """\
[Read](https://old-owner.github.io/old-course/), [code](https://github.com/old-owner/old-course).
[![tests](https://github.com/old-owner/old-course/actions/workflows/checks.yml/badge.svg)](x)\r
git clone https://github.com/old-owner/old-course.git
cd old-course
https://hub.example/gh/old-owner/old-course/main?git-pull=old-owner%2Fold-course.
Not ours: https://github.com/old-owner/old-course-two, very-old-owner/old-course, old-courses
"""
MOVED = """\
[Read](https://new-owner.github.io/new.course/), [code](https://github.com/New-Owner/new.course).
[![tests](https://github.com/New-Owner/new.course/actions/workflows/checks.yml/badge.svg)](x)\r
git clone https://github.com/New-Owner/new.course.git
cd new.course
https://hub.example/gh/New-Owner/new.course/main?git-pull=New-Owner%2Fnew.course.
Not ours: https://github.com/old-owner/old-course-two, very-old-owner/old-course, old-courses
"""


@pytest.fixture
def course(tmp_path):
    write_course(tmp_path)
    for number in (1, 2):
        write_page(tmp_path, number, good_cells(number))
    (tmp_path / "README.md").write_bytes(README.encode())
    (tmp_path / "picture.bin").write_bytes(b"\0" + ADDRESS.encode())
    (tmp_path / ".gitignore").write_text("_build/\n")
    (tmp_path / "_build").mkdir()
    (tmp_path / "_build" / "old.html").write_text(ADDRESS)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def test_address_moves_everywhere(course):
    page = course / "chapters" / "02_sample.ipynb"
    before = page.read_text()
    changed = pages.move(NEW, course)
    assert changed == ["README.md", "_config.yml", "chapters/01_sample.ipynb",
                       "chapters/02_sample.ipynb"]
    assert pages.address(course) == NEW
    assert (course / "README.md").read_bytes() == MOVED.encode()
    assert page.read_text() == before.replace("old-owner/old-course", "New-Owner/new.course")
    assert pages.colab_link(pages.Page(page)) in page.read_text()
    assert json.dumps(NEW)[1:-1] in page.read_text() and "old-" not in page.read_text()
    assert (course / "_build" / "old.html").read_text() == ADDRESS


def test_address_twice_changes_nothing(course):
    pages.move(NEW, course)
    assert pages.move(NEW, course) == []


def test_address_there_and_back_is_the_same_bytes(course):
    before = {path: path.read_bytes() for path in pages.course_files(course)}
    pages.move(NEW, course)
    pages.move(ADDRESS, course)
    assert {path: path.read_bytes() for path in pages.course_files(course)} == before


@pytest.mark.parametrize("wrong", [
    "", "owner/name", "http://github.com/owner/name", "https://github.com/owner",
    "https://github.com/owner/name/", "https://github.com/owner/name.git",
    "https://github.com/owner/name/tree/main", "https://github.com/-owner/name",
    "https://gitlab.com/owner/name", "https://github.com/owner/na me",
])
def test_a_wrong_address_changes_nothing(course, wrong):
    before = {path: path.read_bytes() for path in pages.course_files(course)}
    with pytest.raises(ValueError, match="wanted https://github.com/owner/name"):
        pages.move(wrong, course)
    assert {path: path.read_bytes() for path in pages.course_files(course)} == before
