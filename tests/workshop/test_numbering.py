"""New pages, other numbers, another address."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workshop.sample import ADDRESS, change, markdown
from workshop import contents, numbering, rules
from workshop.page import ROOT, course_files, in_words, notebooks, numbers_in, tracked_files
from workshop.start import address
from workshop.store import is_stale


@pytest.fixture(autouse=True)
def repository(course):
    """The functions under test look at what git would track."""
    subprocess.run(["git", "init", "--quiet", course], check=True)
    (course / ".gitignore").write_text("_build\n")


def faults(course):
    problems = [problem for page in notebooks(course) for problem in rules.problems(page)]
    return [*problems, *contents.contents_problems(course)]


def stems(course):
    return [page.path.stem for page in notebooks(course)]


def test_a_new_page_in_the_middle_moves_the_others(course):
    page = notebooks(course)[1]
    change(page, lambda cells: cells.insert(-1, markdown("By (2.1) twice; (2.7) is none, nor is a table 0.51 high.")))
    numbering.new(2, "Soft masks", course)
    assert stems(course) == ["01_a_sample", "02_soft_masks", "03_a_sample"]
    assert faults(course) == []
    assert r"\tag{3.1}" in notebooks(course)[2].cells[-1].page.text.replace("\\\\", "\\")
    assert "By (3.1) twice; (2.7) is none, nor is a table 0.51 high." in notebooks(course)[2].text
    answers = (course / "tests/wrong_answers/03_a_sample.py").read_text()
    assert answers.startswith("# 3.1: is below 0\n")


def test_two_pages_change_places(course):
    numbering.new(3, "Other", course)
    page = notebooks(course)[2]
    text = "Pages 1, 2 and 3 do: [2. A sample](02_a_sample.ipynb). On page 3, 2 heads see 3.2 %."
    change(page, lambda cells: cells.append(markdown(f"{text} See equation (2.1).")))
    numbering.renumber(3, 2, course)
    assert stems(course) == ["01_a_sample", "02_other", "03_a_sample"]
    assert faults(course) == []
    source = notebooks(course)[1].cells[-1].source
    assert source == (
        "Pages 1, 3 and 2 do: [3. A sample](03_a_sample.ipynb). On page 2, 2 heads see 3.2 %. See equation (3.1)."
    )
    numbering.renumber(2, 3, course)
    assert notebooks(course)[2].cells[-1].source.startswith(text)


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The whole course, as git knows it."""
    root = tmp_path_factory.mktemp("whole") / "course"
    for path in tracked_files():
        copy = root / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    subprocess.run(["git", "init", "--quiet", root], check=True)
    return root, [title_of(page) for page in notebooks(root) if is_stale(page)]


def title_of(page):
    return page.headings[0].title.partition(". ")[2]


TITLE = 'Keys | values & <b>, "so on": LINK, NUMBER · medium'


LAST = len(notebooks()) + 1  # with one page more
# What is made of the pages, the rules, and what is promised of them, by the code of that course.
RULES = """import sys; from workshop.__main__ import write_all; from workshop.check import *
write_all(); sys.exit([*pages(), *tables(), *letters(), *map_of_pages.problems(), *export.name_problems()] or 0)"""
ENDS = "-m pytest -q -n 0 -p no:cacheprovider tests/test_ends.py -k".split() + ["route or promised"]


@pytest.mark.mutants  # weekly: each takes a minute of a processor
@pytest.mark.parametrize("number", [2, 13, LAST])
def test_the_course_with_one_more_page_is_whole(number, copied, tmp_path):
    whole, stale = copied
    root = Path(shutil.copytree(whole, tmp_path / "whole"))
    path, left = numbering.new(number, TITLE, root)
    for command in (["-c", RULES], ENDS):
        paths = os.environ | {"PYTHONPATH": str(root)}
        done = subprocess.run([sys.executable, *command], cwd=root, env=paths, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert left == [] and path.stem == f"{number:02}_keys__values__b_so_on_link_number__medium"
    pages = notebooks(root)
    assert [page.number for page in pages] == [*range(1, LAST + 1)]
    assert [title_of(page) for page in pages if is_stale(page)] == stale  # what was fresh is fresh
    bar = [line for line in contents.tables("README.md", root) if f"{path.stem}.ipynb)" in line]
    assert len(re.findall(r"(?<!\\)\|", bar[0])) == 3  # a row of two cells


@pytest.mark.parametrize("title", ["", " ", "…", "_", "!?"])
def test_a_title_without_letters_is_refused_and_changes_nothing(title, course):
    before = everything(course)
    with pytest.raises(ValueError, match="wanted a number from 1 to 3 and a title with letters"):
        numbering.new(2, title, course)
    assert everything(course) == before


def test_a_range_leaves_out_the_page_that_comes_into_it(course):
    numbering.new(3, "Other", course)
    path = course / "chapters" / "notation.md"
    path.write_text("Pages 1 to 3 do, and pages 2 and 3; `make page P=03`. [A](#figure-3-2)\n")
    numbering.new(2, "Between", course)
    text = "Pages 1, 3 and 4 do, and pages 3 and 4; `make page P=04`. [A](#figure-4-2)\n"
    assert path.read_text() == text
    assert numbers_in("pages 1 to 3, 7, and 9") == [1, 2, 3, 7, 9]
    assert in_words([1, 2, 3, 7, 8]) == "1 to 3, 7 and 8" and in_words([4]) == "4"


NEW = "https://github.com/New-Owner/2026.course"
README = """
[Read](https://{lower}.github.io/{name}/), [code](https://github.com/{owner}/{name}).
[![tests](https://github.com/{owner}/{name}/actions/workflows/checks.yml/badge.svg)](x)\r
git clone https://github.com/{owner}/{name}.git
cd {name}
https://hub.example/gh/{owner}/{name}/main?git-pull={owner}%2F{name}.
Not ours: https://github.com/old-owner/old-course-two, very-old-owner/old-course, old-courses
"""


def readme(address):
    owner, name = address.split("/")[-2:]
    return README.format(owner=owner, lower=owner.lower(), name=name).encode()


def everything(course):
    return {path: path.read_bytes() for path in course_files(course)}


def test_the_address_moves_everywhere_and_back(course):
    (course / "README.md").write_bytes(readme(ADDRESS))
    before = everything(course)
    assert "_config.yml" in numbering.move(NEW, course)
    assert address(course) == NEW and faults(course) == []
    assert (course / "README.md").read_bytes() == readme(NEW)
    moved = (course / "_config.yml").read_text(encoding="utf-8")
    assert "baseurl: https://new-owner.github.io/2026.course/  # of links" in moved
    assert numbering.move(NEW, course) == []
    numbering.move(ADDRESS, course)
    assert everything(course) == before


def test_what_is_wrong_changes_nothing(course):
    before = everything(course)
    with pytest.raises(ValueError, match=r"wanted one of \[1, 2\] and another number"):
        numbering.renumber(7, 1, course)
    with pytest.raises(ValueError, match="wanted https://github.com/owner/name"):
        numbering.move("https://github.com/owner/name.git", course)
    assert everything(course) == before
