"""Grade a submission: python grade.py SUBMISSION.ipynb [results.json]

Keep it beside `page.ipynb`, the page without solutions. Only what a student wrote in the sections of
the exercises is taken from a submission. It runs in the page, in order, and then the page's own check
is defined anew and says "right", "not yet", or what is wrong. An answer can still spoil what the check
uses, so this is no defence against malice. Needs nbclient, nbformat, ipykernel, and what the page imports.
"""

import json
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

HERE = Path(__file__).resolve().parent
EXERCISE = re.compile(r"(?m)^### Exercise (\d+\.\d+)")
HEADING = re.compile(r"(?m)^#{1,6} ")
CALL = re.compile(r"(?m)^print\((check_\w+\(.*\))\)$")
TROUBLE = CellExecutionError, CellTimeoutError, DeadKernelError


def sections(notebook):
    """{exercise: its code cells}, each up to the next heading."""
    found, current = {}, None
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for heading in HEADING.finditer(cell.source):
                at = EXERCISE.match(cell.source, heading.start())
                current = at[1] if at else None
        elif current is not None:
            found.setdefault(current, []).append(cell)
    return found


def answers(submission, page):
    """{exercise: the code with which it is answered}; the checks are the page's."""
    own = {cell.source for cells in sections(page).values() for cell in cells}
    found = {}
    for exercise, cells in sections(submission).items():
        written = [cell.source for cell in cells if cell.source not in own]
        found[exercise] = "\n".join(source for source in written if "def check_" not in source)
    return found


def last_line(error):
    text = re.sub(r"\x1b\[[\d;]*m", "", str(error)).strip()
    return text.splitlines()[-1][:300] if text else type(error).__name__


def grade(submission, page, seconds=600):
    """[{name, score, max_score, output}], one for each exercise of the page."""
    written, results = answers(submission, page), []
    stubs = {
        id(cell): exercise
        for exercise, cells in sections(page).items()
        for cell in cells
        if "exercise" in cell.metadata.get("tags", [])
    }
    checks = {
        exercise: "\n".join(
            cell.source for cell in cells if "check" in cell.metadata.get("tags", [])
        )
        for exercise, cells in sections(page).items()
    }
    client = NotebookClient(
        page,
        timeout=seconds,
        extra_arguments=["--log-level=ERROR"],  # a kernel's warnings are none of the students'
        resources={"metadata": {"path": str(HERE)}},
    )
    with client.setup_kernel():
        for index, cell in enumerate(page.cells):
            if cell.cell_type != "code":
                continue
            exercise = stubs.get(id(cell))
            if exercise is None:
                client.execute_cell(cell, index)
                continue
            check = CALL.findall(cell.source)[0]
            code = CALL.sub("", written.get(exercise) or cell.source)
            cell.source = f"{code}\n{checks[exercise]}\nprint()\nprint({check})"
            try:
                client.execute_cell(cell, index)
                said = "".join(o.text for o in cell.outputs if o.get("name") == "stdout")
                told = said.strip().splitlines()[-1]
            except TROUBLE as error:
                told = f"it stops with an error: {last_line(error)}"
            score = int(told == "right")
            results.append(dict(name=exercise, score=score, max_score=1, output=told))
    return results


def main(submission, out=None):
    page = nbformat.read(HERE / "page.ipynb", as_version=4)
    results = grade(nbformat.read(submission, as_version=4), page)
    for each in results:
        print(f"{each['name']:>6}  {each['score']} of 1  {each['output']}")
    if out is not None:
        Path(out).write_text(json.dumps({"tests": results}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
