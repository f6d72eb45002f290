"""New pages, other numbers, another address."""

import subprocess

import pytest

from tests.workshop.sample import ADDRESS, change, markdown
from workshop import contents, edit, rules
from workshop.frame import address
from workshop.page import course_files, notebooks


@pytest.fixture(autouse=True)
def repository(course):
    """The functions under test look at what git would track."""
    subprocess.run(["git", "init", "--quiet", course], check=True)
    (course / ".gitignore").write_text("_build\n")


def faults(course):
    found = [problem for page in notebooks(course) for problem in rules.problems(page)]
    return [*found, *contents.contents_problems(course)]


def stems(course):
    return [page.path.stem for page in notebooks(course)]


def test_a_new_page_in_the_middle_moves_the_others(course):
    edit.new(2, "Soft masks", course)
    assert stems(course) == ["01_a_sample", "02_soft_masks", "03_a_sample"]
    assert faults(course) == []
    assert r"\tag{3.1}" in notebooks(course)[2].cells[-1].page.text.replace("\\\\", "\\")
    answers = (course / "tests/wrong_answers/03_a_sample.py").read_text()
    assert answers.startswith("# 3.1: is below 0\n")


def test_two_pages_change_places(course):
    edit.new(3, "Other", course)
    page = notebooks(course)[2]
    text = "Pages 1, 2 and 3 do: [2. A sample](02_a_sample.ipynb). On page 3, 2 heads see 3.2 %."
    change(page, lambda cells: cells.append(markdown(f"{text} See equation (2.1).")))
    edit.renumber(3, 2, course)
    assert stems(course) == ["01_a_sample", "02_other", "03_a_sample"]
    assert faults(course) == []
    said = notebooks(course)[1].cells[-1].source
    assert said == (
        "Pages 1, 3 and 2 do: [3. A sample](03_a_sample.ipynb). On page 2, 2 heads see 3.2 %. "
        "See equation (3.1)."
    )
    edit.renumber(2, 3, course)
    assert notebooks(course)[2].cells[-1].source.startswith(text)


NEW = "https://github.com/New-Owner/new.course"
README = """
[Read](https://old-owner.github.io/old-course/), [code](https://github.com/old-owner/old-course).
[![tests](https://github.com/old-owner/old-course/actions/workflows/checks.yml/badge.svg)](x)\r
git clone https://github.com/old-owner/old-course.git
cd old-course
https://hub.example/gh/old-owner/old-course/main?git-pull=old-owner%2Fold-course.
Not ours: https://github.com/old-owner/old-course-two, very-old-owner/old-course, old-courses
"""
MOVED = """
[Read](https://new-owner.github.io/new.course/), [code](https://github.com/New-Owner/new.course).
[![tests](https://github.com/New-Owner/new.course/actions/workflows/checks.yml/badge.svg)](x)\r
git clone https://github.com/New-Owner/new.course.git
cd new.course
https://hub.example/gh/New-Owner/new.course/main?git-pull=New-Owner%2Fnew.course.
Not ours: https://github.com/old-owner/old-course-two, very-old-owner/old-course, old-courses
"""


def everything(course):
    return {path: path.read_bytes() for path in course_files(course)}


def test_the_address_moves_everywhere_and_back(course):
    (course / "README.md").write_bytes(README.encode())
    before = everything(course)
    assert "_config.yml" in edit.move(NEW, course)
    assert address(course) == NEW and faults(course) == []
    assert (course / "README.md").read_bytes() == MOVED.encode()
    assert edit.move(NEW, course) == []
    edit.move(ADDRESS, course)
    assert everything(course) == before


def test_what_is_wrong_changes_nothing(course):
    before = everything(course)
    with pytest.raises(ValueError, match=r"wanted one of \[1, 2\] and another number"):
        edit.renumber(7, 1, course)
    with pytest.raises(ValueError, match="wanted https://github.com/owner/name"):
        edit.move("https://github.com/owner/name.git", course)
    assert everything(course) == before
