"""What a teacher hands out, and the grader: no solution leaks, and it tells what the page's checks tell."""

import json
import re
import subprocess
import sys
import zipfile

import nbformat
import pytest

from workshop import grade, teach
from workshop.answers import wrong_answers
from workshop.page import ROOMS, ROOT, Page, notebooks
from workshop.slides import deck, slides

FIRST = ROOT / "chapters" / "01_queries_keys_values.ipynb"


def read(notebook):
    return nbformat.reads(json.dumps(notebook), as_version=4)


@pytest.mark.parametrize("page", notebooks(), ids=repr)
def test_students_get_no_solution(page):
    student = json.dumps(teach.without_solutions(page), ensure_ascii=False)
    assert "usual mistake</summary>" not in student and '"solution"' not in student
    found = teach.checks(page)
    assert len(found) >= 3 and all(f"print({check})" in student for check in found.values())
    handed = teach.submissions(page)
    assert {"empty", "right", "wrong_1"} <= set(handed)
    master = read(teach.without_solutions(page))
    for notebook in handed.values():
        written = grade.answers(read(notebook), master)
        assert set(written) >= set(found)
    assert all(grade.answers(read(handed["right"]), master).values())
    assert not any(grade.answers(read(handed["empty"]), master).values())


def test_a_submission_is_graded_by_the_page_s_checks(tmp_path):
    """One right, one that replaces its check, one wrong, one that stops; what else was changed is ignored."""
    page = Page(FIRST)
    handed = teach.submissions(page)
    master = read(teach.without_solutions(page))
    right = grade.answers(read(handed["right"]), master)
    first, second, third, fourth = sorted(teach.checks(page))
    wrong = next(each for each in wrong_answers(page) if each.exercise == third)
    stub = next(
        each.source
        for each in grade.sections(master)[second]
        if "exercise" in each.metadata.get("tags", [])
    )
    name = teach.checks(page)[second].partition("(")[0]
    cheat = f"{grade.CALL.sub('', stub)}\n{name} = lambda *_: 'right'"
    code = {first: right[first], second: cheat, third: wrong.code, fourth: "raise KeyError('lost')"}
    submission = teach.answered(page, code)
    for cell in submission["cells"]:  # a check that is always right, and an import that fails
        if "check" in cell["metadata"].get("tags", []):
            cell["source"] = "def check_all(*_): return 'right'"
        if "".join(cell["source"]).startswith("# @title Setup"):
            cell["source"] = "import nothing_of_the_kind"
    course = tmp_path / "course"
    with zipfile.ZipFile(handout(tmp_path, page) / "autograder.zip") as file:
        assert {"grade.py", "page.ipynb", "run_autograder", "setup.sh"} == set(file.namelist())
        file.extractall(course)
    for name in (*ROOMS, "_config.yml"):  # as a clone has it
        (course / name).symlink_to(ROOT / name)
    (tmp_path / "given.ipynb").write_text(json.dumps(submission), encoding="utf-8")
    command = [sys.executable, "grade.py", str(tmp_path / "given.ipynb"), "results.json"]
    done = subprocess.run(command, cwd=course, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    results = json.loads((course / "results.json").read_text(encoding="utf-8"))["tests"]
    assert [each["name"] for each in results] == [first, second, third, fourth]
    assert [each["score"] for each in results] == [1, 0, 0, 0]
    told = [each["output"] for each in results]
    assert told[0] == "right" and told[1] == "not yet" and wrong.words in told[2]
    assert told[3] == "it stops with an error: KeyError: 'lost'"


def handout(tmp_path, page):
    (tmp_path / "root" / "chapters").mkdir(parents=True)
    (tmp_path / "root" / "chapters" / page.path.name).symlink_to(page.path)
    (tmp_path / "root" / "_config.yml").symlink_to(ROOT / "_config.yml")
    answers = tmp_path / "root" / "tests" / "wrong_answers"
    answers.mkdir(parents=True)
    return teach.handout(page.number, tmp_path / "root")


@pytest.mark.parametrize("page", notebooks(), ids=repr)
def test_each_figure_and_exercise_has_a_slide(page):
    shown = [each for each, _ in slides(page)]
    figures = [each for each in shown if "<img" in each]
    captions = sum("**Figure " in each for each in shown)
    assert len(figures) == captions >= 2 and all('alt=""' not in each for each in figures)
    assert sum(each.startswith("## Exercise ") for each in shown) >= len(teach.checks(page))
    polls = next(each for each in shown if each.startswith("## What you can do now"))
    assert polls.count("\n- ") >= 2  # two questions to ask the class


def test_a_deck_fetches_nothing(tmp_path):
    path = deck(Page(FIRST), tmp_path)
    written = path.read_text(encoding="utf-8")
    assert not set(re.findall(r'(?:src|link[^>]*href)="(https?:[^"]*)"', written))
    for name in (
        "reveal.js/dist/reveal.js",
        "reveal.js/plugin/notes/notes.js",
        "katex/katex.min.css",
    ):
        assert name in written and (tmp_path / name).is_file()
