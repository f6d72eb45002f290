"""One run of a page with many mistakes: each is named once, with page, line and cell."""

import os
import re
import subprocess
import sys

import pytest

from tests.workshop.sample import change, code, make_course
from workshop import rules
from workshop.frame import address
from workshop.page import ROOT, Page, notebooks
from workshop.run import pytest_xdist_auto_num_workers
from workshop.store import is_stale


@pytest.fixture
def course(tmp_path):
    """Its address is that of the real course, which the kernel clones."""
    make_course(tmp_path, address())
    page = notebooks(tmp_path)[0]
    change(
        page,
        lambda cells: [cells.pop(i) for i, cell in enumerate(cells) if "pool" in cell["source"]],
    )
    return tmp_path


@pytest.mark.parametrize("cores, workers", [(None, 2), (1, 2), (2, 2), (4, 4), (64, 8)])
def test_workers(cores, workers, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert pytest_xdist_auto_num_workers(None) == workers


def run(course, *options):
    """Run page 1 as the tests do; return the end of what is said."""
    command = ["-m", "pytest", "-q", "-p", "workshop.run", "-p", "no:cacheprovider", "--nbval"]
    command += ["--nbval-current-env", "-c", os.devnull, f"--rootdir={course}", *options]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    page = course / "chapters" / "01_a_sample.ipynb"
    done = subprocess.run(
        [sys.executable, *command, page], cwd=ROOT, env=clean, capture_output=True, text=True
    )
    return done.stdout.partition(" What was run ")[2].partition("= short test summary")[0]


def edited(course, *swaps):
    def edit_cells(cells):
        for old, new in swaps:
            cell = next(cell for cell in cells if old in cell["source"])
            cell["source"] = cell["source"].replace(old, new)

    return change(notebooks(course)[0], edit_cells)


def test_each_mistake_is_named_once(course):
    answers = course / "tests" / "wrong_answers" / "01_a_sample.py"
    answers.write_text(answers.read_text().replace("wanted 5.00", "wanted 7.00"))
    page = edited(course, ("6.0])  # (n,)", "6.0])  # (n, d)"), ("{mean:.2f}", "{mean:.3f}"))
    said = [line for line in run(course).split("\n") if re.search(r"^[\w./]+:\d+:", line)]
    cell = page.code[2]
    shape = "the shape '(n, d)' is false: the value has 1 axes, (3,); the comment has 2, (n, d)"
    assert sorted(said) == sorted([
        f"{cell.at_output('3.00')}: the stored output differs from what the cell prints",
        f"{cell.at(1)}: {shape}",
        "tests/wrong_answers/01_a_sample.py:3: exercise 1.1: the answer is told '6.00; wanted "
        "5.00'; wanted words: 'wanted 7.00'",
    ])  # fmt: skip


def test_a_cell_that_fails_is_named_and_what_follows_is_not(course):
    page = edited(course, ("return values.max() - values.min()", "raise ValueError('no')"))
    page = edited(course, ("torch.testing.assert_close(mean, x.mean())", "assert mean == 2, 'two'"))
    said = [line for line in run(course).split("\n") if re.search(r"^[\w./]+:\d+:", line)]
    check, solution = page.code[3], page.code[6]
    assert sorted(said) == sorted(
        [f"{check.at(2)}: AssertionError: two", f"{solution.at(7)}: ValueError: no"]
    )


def test_outputs_are_stored(course):
    page = edited(course, ("{mean:.2f}", "{mean:.3f}"))
    loop = "from utils.progress import progress\n\nfor step in progress(2, 0):\n    pass\nstep"
    change(page, lambda cells: cells.append(code(f"{loop}  # ()")))
    run(course, "--store")
    page = Page(page.path)
    assert "".join(page.code[2].outputs[0]["text"]) == "3.000\n"
    (last,) = page.code[-1].outputs  # the line of progress is gone
    assert last["data"] == {"text/plain": ["1"]}
    assert not is_stale(page) and list(rules.normal_form(page)) == []
    before = page.path.read_bytes()
    edited(course, ("print(", "1 / 0, print("))
    broken = page.path.read_bytes()
    assert "ZeroDivisionError" in run(course, "--store") and page.path.read_bytes() == broken
    page.path.write_bytes(before)
    files = sorted(course.rglob("*"))
    assert "11 passed" in run(course)  # 8 cells, shapes, 2 wrong answers
    assert sorted(course.rglob("*")) == files
