"""The plausible wrong answers to the exercises, `tests/wrong_answers/NN_name.py`.

Each stands below a line `# 3.1: words`: the exercise, and the words which its check must tell
whoever answers so. It is a piece of Python, or lines `# in the solution: this => that`: the page's
solution with some words replaced, wherever they stand in it; without `that` they are left out. The
pages themselves show that a stub is told "not yet" and a solution "right".
"""

import re
from dataclasses import dataclass
from pathlib import Path

from workshop.page import Page

HEAD = re.compile(r"(?m)^# (\d+\.\d+): (.*)\n")
CHANGE = re.compile(r"# in the solution: (.+?) =>(?: (.+))?")
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


def solutions(page: Page) -> dict[str, tuple[str, str]]:
    """{exercise: (its solution, the call that must be "right", such as "check_mask(mask)")}."""
    pairs = {}
    for cell in page.code:
        if "solution" in cell.tags and (asserted := ASSERTED.search(cell.source)):
            _title, _, code = cell.source[: asserted.start()].partition("\n")
            pairs[cell.lines[0].split()[-1]] = f"{code.strip()}\n", asserted[1]
    return pairs


def with_words_replaced(solution: str, changes: str, name: str, line: int) -> str:
    for number, change in enumerate(changes.splitlines(), line):
        match = CHANGE.fullmatch(change)
        if not match or match[1] not in solution:
            form = "`# in the solution: words that stand there => others`"
            raise ValueError(f"{name}:{number}: {change!r}; wanted {form}")
        solution = solution.replace(match[1], match[2] or "")
    return solution


def wrong_answers(page: Page) -> list[Answer]:
    path = file_of(page)
    if not path.is_file():
        return []
    text, solved, answers = path.read_text(encoding="utf-8"), solutions(page), []
    heads = list(HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for head, end in zip(heads, ends, strict=True):
        exercise, words = head.groups()
        file, line = path.relative_to(page.root).as_posix(), text.count("\n", 0, head.end())
        solution, check = solved.get(exercise, ("", ""))
        code = text[head.end() : end]
        if solution and code.startswith("# in the solution:"):
            code = with_words_replaced(solution, code, file, line + 1)
        name = f"wrong answer {exercise}: {words}"
        answers.append(Answer(exercise, words, code, f"{file}:{line}", name, check))
    return answers
