"""What a teacher hands out for a page: notebooks without and with solutions, and a folder for Otter-Grader.

In `dist/handouts/NN_name`: `NN_name.ipynb` for students, `NN_name_solutions.ipynb`, and `otter/`, of
which `otter generate` makes an autograder: the page's own checks, what they need to be installed, and
the course itself, as the page was written for it. `submissions/` has an empty, a right and some wrong
submissions to try it on: the wrong ones are the wrong answers that the checks are tested with.
"""

import json
import re
import shutil
from collections import defaultdict
from pathlib import Path

from workshop.page import ROOMS, ROOT, Page, first
from workshop.start import FOLDED, address, published
from workshop.wrong_answers import solutions, wrong_answers

REASONS = r"(?s:<details>\s*<summary>Why, and the usual mistake</summary>.*?</details>\s*)"
ONE_THREAD = """\
# @title One thread: two on a busy machine, such as a grader's, are many times slower
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")"""
# The page's check takes the place of one that the student has changed. Otter opens the file in the
# machine's encoding: `!a` writes nothing but ASCII.
OTTER = """\
from otter.test_files import test_case

OK_FORMAT = False
name = "{name}"
points = 1
CHECK = {check!a}


@test_case()
def told(env):
    exec(CHECK, env)
    said = eval("{call}", env)
    assert said == "right", said
"""
CPU = "--extra-index-url https://download.pytorch.org/whl/cpu"  # no CUDA, which is gigabytes


def absolute(page: Page, text: str) -> str:
    """Links between pages lead to the published book, as a notebook handed out stands alone."""
    text = re.sub(r"\]\((?=\w+\.(?:ipynb|md)\b)", "](../chapters/", text)
    return re.sub(r"\]\(\.\./([\w/]+)\.(?:ipynb|md)\b", rf"]({published(page.root)}\1.html", text)


def notebook(page: Page, solved: bool) -> dict:
    """The notebook with all links absolute; for students without any solution or result of one."""
    in_exercises = {id(cell) for exercise in page.exercises for cell in exercise.code}
    cells = [{"cell_type": "code", "id": "thread", "execution_count": None, "outputs": []}]
    cells[0] |= {"metadata": FOLDED, "source": ONE_THREAD.splitlines(keepends=True)}
    for cell, read in zip(page.notebook["cells"], page.cells):
        source, result = absolute(page, read.source), {}
        if not solved:
            if "solution" in read.tags:
                continue
            if id(read) in in_exercises:
                result = {"outputs": []}
            if read.kind == "markdown":
                source = re.sub(r"\[Open in Colab\].*? · |" + REASONS, "", source).strip()
        if source:
            cells.append(cell | result | {"source": source.splitlines(keepends=True)})
    cells[:2] = cells[1::-1]  # the title comes first
    return page.notebook | {"cells": cells}


def answered(page: Page, code: dict[str, str]) -> dict:
    """The students' notebook, nothing of it run, with code in the stubs of some exercises."""
    calls = {f"print({call})": exercise for exercise, (_, call) in solutions(page).items()}
    result = notebook(page, solved=False)
    for cell in result["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            last = cell["source"][-1]
            if calls.get(last) in code:
                cell["source"] = f"{code[calls[last]].strip()}\n\n\n{last}".splitlines(keepends=True)
    return result


def submissions(page: Page) -> dict[str, dict]:
    """{name: a notebook}: an empty one, a right one, and one for each row of wrong answers."""
    right = {exercise: code for exercise, (code, _) in solutions(page).items()}
    notebooks = {"empty": answered(page, {}), "right": answered(page, right)}
    rows = defaultdict(list)
    for answer in wrong_answers(page):
        rows[answer.exercise].append(answer.code)
    for k in range(max(map(len, rows.values()), default=0)):
        row = {exercise: codes[k % len(codes)] for exercise, codes in rows.items()}
        notebooks[f"wrong_{k + 1}"] = answered(page, row)
    return notebooks


def otter_tests(page: Page) -> dict[str, str]:
    """{name: a test as Otter reads it}."""
    tests, solved = {}, solutions(page)
    for exercise in page.exercises:
        name = f"q{exercise.number}".replace(".", "_")
        check, call = exercise.cell("check").source, solved[str(exercise.number)][1]
        tests[name] = OTTER.format(name=name, check=check, call=call)
    return tests


def requirements() -> str:
    """The pins of what the pages import, with torch for the processor alone."""
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    return f"{CPU}\n" + first(r"# What the pages import\n((?:.+\n)+)", text)


def handout(page: Page, out: Path) -> Path:
    """Write all of it into a folder in `out`; return that."""
    out = out / page.path.stem
    shutil.rmtree(out, ignore_errors=True)
    texts = {
        page.path.name: notebook(page, solved=False),
        f"{page.path.stem}_solutions.ipynb": notebook(page, solved=True),
        "otter/requirements.txt": requirements(),
        "otter/otter_config.json": {"show_all_public": True},
    }
    texts |= {f"otter/tests/{name}.py": test for name, test in otter_tests(page).items()}
    texts |= {f"submissions/{name}.ipynb": file for name, file in submissions(page).items()}
    for name, text in texts.items():
        text = text if isinstance(text, str) else json.dumps(text, indent=1, ensure_ascii=False)
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text + "\n", encoding="utf-8")
    # Below the name that the start cell looks for beside a page.
    course = out / "otter" / address(page.root).rsplit("/", 1)[-1]
    for name in (*ROOMS, "chapters/figures"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, course / name, ignore=ignored)
    return out
