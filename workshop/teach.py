"""What a teacher hands out for a page: notebooks without and with solutions, and an autograder.

In `dist/handouts/NN_name`: `NN_name.ipynb` for students, `NN_name_solutions.ipynb`,
`autograder.zip` for Gradescope or by hand (`grade.py`), and `otter/`, the same checks in the format
of Otter-Grader. `submissions/` has an empty, a right and some wrong submissions to try them on: the
wrong ones are the wrong answers that the course tests its checks with.
"""

import copy
import json
import re
import shutil
import zipfile
from collections import defaultdict
from pathlib import Path

from workshop.answers import solutions, wrong_answers
from workshop.frame import address, version
from workshop.page import ROOT, Page, first

REASONS = re.compile(
    r"(?s)<details>\s*<summary>Why, and the usual mistake</summary>.*?</details>\s*"
)
SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once: the course and what its pages import.
set -e
git clone --quiet --depth=1 --branch {version} {address} /autograder/course
pip install nbclient nbformat ipykernel
pip install -r /autograder/course/requirements.txt
"""
RUN = """\
#!/usr/bin/env bash
# Gradescope runs this for each submission.
set -e
cp /autograder/source/grade.py /autograder/source/page.ipynb /autograder/course/
cd /autograder/course
python grade.py "$(ls /autograder/submission/*.ipynb | head -1)" /autograder/results/results.json
"""
OTTER = """\
OK_FORMAT = True

test = {{
    "name": "q{name}",
    "points": 1,
    "suites": [{{
        "cases": [
            {{"code": ">>> {check} != 'not yet'\\nTrue", "hidden": False, "locked": False, "points": 0}},
            {{"code": ">>> {check}\\n'right'", "hidden": True, "locked": False, "points": 1}},
        ],
        "scored": True, "setup": "", "teardown": "", "type": "doctest",
    }}],
}}
"""


def without_solutions(page: Page) -> dict:
    """The notebook for students: no solution and no reasons behind it, nothing that was run."""
    notebook = copy.deepcopy(page.notebook)
    kept = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if "solution" in cell["metadata"].get("tags", []):
            continue
        if cell["cell_type"] == "markdown":
            source = REASONS.sub("", source).strip()
            if not source:
                continue
            cell["source"] = source.splitlines(keepends=True)
        kept.append(cell)
    notebook["cells"] = kept
    return notebook


def checks(page: Page) -> dict[str, str]:
    """{exercise: the call that must be "right"}, such as {"3.1": "check_mask(mask)"}."""
    return {exercise: check for exercise, (_, check) in solutions(page).items()}


def answered(page: Page, code: dict[str, str]) -> dict:
    """The students' notebook with code in the stubs of some exercises."""
    notebook = without_solutions(page)
    called = {check.partition("(")[0]: exercise for exercise, check in checks(page).items()}
    for cell in notebook["cells"]:
        if "exercise" in cell["metadata"].get("tags", []):
            source = "".join(cell["source"])
            exercise = called[first(r"print\((check_\w+)", source)]
            if exercise in code:
                call = first(r"(?m)^(print\(check_.*)$", source)
                cell["source"] = f"{code[exercise]}\n\n{call}".splitlines(keepends=True)
    return notebook


def submissions(page: Page) -> dict[str, dict]:
    """{name: a notebook}: an empty one, a right one, and one for each row of wrong answers."""
    right = {exercise: code for exercise, (code, _) in solutions(page).items()}
    found = {"empty": answered(page, {}), "right": answered(page, right)}
    rows = defaultdict(list)
    for answer in wrong_answers(page):
        rows[answer.exercise].append(answer)
    for k in range(max(map(len, rows.values()), default=0)):
        row = {exercise: all_of[k % len(all_of)].code for exercise, all_of in rows.items()}
        found[f"wrong_{k + 1}"] = answered(page, row)
    return found


def write_notebook(path: Path, notebook: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def handout(number: int, root: Path = ROOT) -> Path:
    """Write all of it for page `number`; return the folder."""
    found = [path for path in root.glob("chapters/*.ipynb") if path.name[:2] == f"{number:02}"]
    if not found:
        raise ValueError(f"there is no page {number}: make handout P=03")
    page = Page(found[0])
    out = root / "dist" / "handouts" / page.path.stem
    shutil.rmtree(out, ignore_errors=True)
    student = without_solutions(page)
    write_notebook(out / page.path.name, student)
    write_notebook(out / f"{page.path.stem}_solutions.ipynb", page.notebook)
    with zipfile.ZipFile(out / "autograder.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.write(Path(__file__).with_name("grade.py"), "grade.py")
        file.writestr("page.ipynb", json.dumps(student, ensure_ascii=False))
        file.writestr("setup.sh", SETUP.format(address=address(root), version=version(root)))
        file.writestr("run_autograder", RUN)
    for exercise, check in checks(page).items():
        name = exercise.replace(".", "_")
        path = out / "otter" / "tests" / f"q{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(OTTER.format(name=name, check=check), encoding="utf-8")
    for name, notebook in submissions(page).items():
        write_notebook(out / "submissions" / f"{name}.ipynb", notebook)
    return out
