"""Runs of pages with many mistakes: each is named once, with page, line and cell."""

import os
import re
import subprocess
import sys
import time

import pytest

from tests.workshop.sample import change, code, make_course
from workshop import rules
from workshop.colab import BareKernel
from workshop.page import ROOT, Page, notebooks
from workshop.start import address
from workshop.store import is_stale, stamp, write


@pytest.fixture
def courses(tmp_path):
    """Three courses of one page. Their address is that of the real course, which kernels clone."""
    for name in ("failing", "changed", "untouched"):
        make_course(tmp_path / name, address())
        change(
            the_page(tmp_path / name),
            lambda cells: [cells.pop(i) for i, c in enumerate(cells) if "pool" in c["source"]],
        )
    return tmp_path


def the_page(course):
    return notebooks(course)[0]


def run(root, *names, store=()):
    """Run the pages of some courses as the tests do; return the end of what is said."""
    command = ["-m", "pytest", "-q", "-p", "workshop.run", "-p", "no:cacheprovider", "--nbval"]
    command += ["--nbval-current-env", "-c", os.devnull, f"--rootdir={root}", *store]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    pages = [the_page(root / name).path for name in names]
    done = subprocess.run([sys.executable, *command, *pages], cwd=ROOT, env=clean, capture_output=True, text=True)
    return done.stdout.partition("= FAILURES =")[2]


def named(output):
    places = output.partition(" What was run ")[2].partition("= short test summary")[0]
    return sorted(line for line in places.split("\n") if re.search(r"^[\w./]+:\d+:", line))


def edited(course, *swaps):
    def edit_cells(cells):
        for old, new in swaps:
            cell = next(cell for cell in cells if old in cell["source"])
            cell["source"] = cell["source"].replace(old, new)

    return change(the_page(course), edit_cells)


def test_a_kernel_is_alone_and_goes_on_when_it_is_interrupted():
    kernel, other = BareKernel(120), BareKernel(120)
    try:
        number = int(kernel.ask("import os, random\nos.mine = 1\nprint(os.getpid())"))
        assert other.ask("import os\nprint(hasattr(os, 'mine'), os.listdir())") == "False []\n"
        assert kernel.ask("print(random.random())") != other.ask("import random; print(random.random())")
        kernel.kc.execute("import time\nprint('begun')\nfor _ in range(6000):\n    time.sleep(0.1)")
        while kernel.kc.get_iopub_msg(timeout=120)["msg_type"] != "stream":
            pass
        kernel.interrupt()
        answers = (kernel.ask("print(os.getpid())", timeout=60) for _ in range(100))
        assert next(filter(None, answers)) == f"{number}\n"  # what waits beside it is dropped first
    finally:
        kernel.stop(), other.stop()
    for _ in range(300):
        if not os.path.exists(f"/proc/{number}"):
            return
        time.sleep(0.1)
    pytest.fail("the kernel is still there")


def test_each_mistake_is_named_once_and_outputs_are_stored(courses):
    """Two runs, as each takes seconds; the second compares with what the first has stored."""
    page = edited(courses / "changed", ("{mean:.2f}", "{mean:.3f}"))
    page.notebook["metadata"]["course"]["seconds"] = 500
    loop = "from utils.progress import progress\n\nfor step in progress(2, 0):\n    pass\nstep"
    change(page, lambda cells: cells.append(code(f"{loop}  # ()")))
    broken = edited(
        courses / "failing",
        ("return values.max() - values.min()", "raise ValueError('no')"),
        ("torch.testing.assert_close(mean, x.mean())", "assert mean == 2, 'two'"),
    )
    timed = code("import time\nprint(time.time())", "nbval-ignore-output")
    timed["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "0.5\n"}]
    same = change(the_page(courses / "untouched"), lambda cells: cells.append(timed))
    same.notebook["metadata"]["course"] |= {**stamp(same), "seconds": 100}
    write(same, same.notebook)
    before, untouched = broken.path.read_bytes(), same.path.read_bytes()
    output = run(courses, "failing", "changed", "untouched", store=["--store"])
    assert same.path.read_bytes() == untouched  # of what has no news nothing is written
    check, solution = broken.code[3], broken.code[6]
    # A cell that fails is named, and what follows from it is not.
    assert named(output) == sorted([f"{check.at(2)}: AssertionError: two", f"{solution.at(7)}: ValueError: no"])
    assert broken.path.read_bytes() == before
    assert re.search(r"\.ipynb::cell \[7\]\s", output) and not re.search(r"Cell \d|In\[\d", output)
    page = Page(page.path)
    assert "".join(page.code[2].outputs[0]["text"]) == "3.000\n"
    (last,) = page.code[-1].outputs  # the line of progress is gone
    assert last["data"] == {"text/plain": ["1"]}
    assert 0 <= page.notebook["metadata"]["course"]["seconds"] < 60  # of a processor, not of a clock
    assert not is_stale(page) and list(rules.normal_form(page)) == []

    answers = courses / "changed" / "tests" / "wrong_answers" / "01_a_sample.py"
    answers.write_text(answers.read_text().replace("wanted 5.00", "wanted 7.00"))
    swaps = ("6.0])  # (n,)", "6.0])  # (n, d)"), ("{mean:.3f}", "{mean:.2f}")
    page = edited(courses / "changed", *swaps)
    files = sorted(courses.rglob("*"))
    output = run(courses, "changed")
    cell = page.code[2]
    shape = "the shape '(n, d)' is false: the value has 1 axes, (3,); the comment says (n, d)"
    assert named(output) == sorted([
        f"{cell.at_output('3.000')}: the stored output differs from what the cell prints",
        f"{cell.at(1)}: {shape}",
        "tests/wrong_answers/01_a_sample.py:3: exercise 1.1: the answer is told '6.00; wanted "
        "5.00'; wanted words: 'wanted 7.00'",
    ])  # fmt: skip
    # 7 of 8 cells, and one of 2 wrong answers.
    assert re.search(r"changed/\S+ +[\d.]+ s  8 passed, 3 failed$", output, re.MULTILINE), output
    assert sorted(courses.rglob("*")) == files
