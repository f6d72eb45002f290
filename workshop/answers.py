"""The plausible wrong answers to the exercises, `tests/wrong_answers/NN_name.py`.

Each is a piece of Python below a line `# 3.1: words`: the exercise, and the words which its check
must tell whoever answers so. The pages themselves show that a stub is told "not yet" and a solution
"right".
"""

import re
from dataclasses import dataclass
from pathlib import Path

from workshop.page import Page

HEAD = re.compile(r"(?m)^# (\d+\.\d+): (.*)\n")
ASSERTED = re.compile(r'assert (check_\w+\(\w+\)) == "right"')


@dataclass
class Answer:
    exercise: str  # "3.1"
    words: str
    code: str
    at: str  # where it stands
    name: str
    check: str  # what the page's solution asserts to be "right", such as "check_mask(mask)"


def file_of(page: Page) -> Path:
    return page.root / "tests" / "wrong_answers" / f"{page.path.stem}.py"


def wrong_answers(page: Page) -> list[Answer]:
    path = file_of(page)
    if not path.is_file():
        return []
    text, known = path.read_text(encoding="utf-8"), {}
    for cell in page.code:
        if "solution" in cell.tags and (asserted := ASSERTED.search(cell.source)):
            known[cell.lines[0].split()[-1]] = asserted[1]
    heads = list(HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    found = []
    for head, end in zip(heads, ends, strict=True):
        exercise, words = head.groups()
        line = text.count("\n", 0, head.start()) + 1
        at, name = (
            f"{path.relative_to(page.root).as_posix()}:{line}",
            f"wrong answer {exercise}: {words}",
        )
        code = text[head.end() : end]
        found.append(Answer(exercise, words, code, at, name, known.get(exercise, "")))
    return found
