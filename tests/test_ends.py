"""The pages at the end: the map's arrows, the answers' code, and the sheet's sums."""

import contextlib
import io
import re

import pytest
import torch

from taught.transformer import EncoderBlock
from workshop import map_of_pages
from workshop.page import ROOT, Page, notebooks, numbers_in

CHAPTERS = ROOT / "chapters"
NUMBERED = {int(path.name[:2]): path for path in sorted(CHAPTERS.glob("[0-9][0-9]_*.ipynb"))}
QUESTIONS = (CHAPTERS / "questions.md").read_text(encoding="utf-8")


def test_the_map_has_an_arrow_for_each_need_that_no_longer_way_says():
    needed = map_of_pages.needs()
    assert {(2, 1), (4, 3), (8, 4), (11, 10)} <= needed
    assert (11, 9) not in needed  # page 11 names page 9, and so does page 10, which it needs, too


def test_two_pages_in_one_place_of_the_map_are_named(monkeypatch):
    monkeypatch.setattr(map_of_pages, "place", lambda page: (0, page.number // 2))
    named = [line for line in map_of_pages.problems() if "wanted a place of its own" in line]
    assert named[0].startswith("chapters/03_masked_softmax.ipynb:1: its `map`, (0, 1), is that of")
    assert "(1, 0), (1, 1), " in named[0] and "(0, 1)" not in named[0].partition("own: ")[2]


def cells():
    """(code, what it prints), of all code in the questions."""
    return re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", QUESTIONS, re.DOTALL)


def test_the_answers_code_prints_what_is_said():
    (imports, _), *rest = cells()
    assert len(rest) >= 10
    for code, expected in rest:
        names, out = {}, io.StringIO()
        exec(imports, names)  # each cell runs by itself after the imports
        with contextlib.redirect_stdout(out):
            exec(code, names)
        assert out.getvalue() == expected, code


def test_the_sums_of_the_cheat_sheet():
    D, H, n = 32, 4, 12
    block = EncoderBlock(D, H, 4 * D)
    weights = sum(p.numel() for p in block.parameters() if p.dim() == 2)
    assert weights == 12 * D**2
    assert sum(p.numel() for p in block.ffn.parameters() if p.dim() == 2) == 8 * D**2
    with torch.profiler.profile(with_flops=True) as profile:
        x = torch.randn(1, n, D)
        block.attention(x, x, x, need_weights=True)
    counted = sum(event.flops for event in profile.key_averages())
    assert abs(counted - (8 * n * D**2 + 4 * n**2 * D)) < 0.05 * counted
    assert 2 * 30 * 3 * 64 * 4 == 46_080


def test_each_route_of_the_teachers_page_has_what_its_pages_need():
    text = (CHAPTERS / "teaching.md").read_text(encoding="utf-8")
    routes = re.findall(r"(?m)^\| [^|\[]*(?:week|day)[^|]* \| ([\d ,;and]+) \|$", text)
    assert len(routes) == 3
    needs = map_of_pages.needs()
    for route in routes:
        pages = [int(number) for number in re.findall(r"\d+", route)]
        assert pages == sorted(pages)
        assert all(other in pages for page, other in needs if page in pages), route
        for lecture in route.split(";") if ";" in route else []:
            read = [Page(NUMBERED[int(number)]) for number in re.findall(r"\d+", lecture)]
            assert sum(int(page.said(r"(\d+) minutes, exercises")) for page in read) <= 90, lecture
    rows = re.findall(r"(?m)^\| \[(\d+)\]\((\d\d)_\w+\.ipynb\) \| [^|]+\? \| ([^|]+) \| [^|]+ \|$", text)
    assert [int(number) for number, *_ in rows] == sorted(NUMBERED)
    for number, file, exercise in rows:
        assert int(number) == int(file)
        page_text = Page(NUMBERED[int(number)]).text
        assert f"### Exercise {exercise}:" in page_text or exercise == "three patients"


WHERE = ("index.md", "README.md", "chapters/questions.md", "chapters/teaching.md")


@pytest.mark.parametrize("name", WHERE)
def test_what_is_promised_of_the_pages_holds(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    loading = [page.number for page in notebooks() if "smollm_file import" in page.text]
    mentions = re.findall(r"pages\s(\d[\d, tonad]+) (?:need|run|use|fetch)", text, re.IGNORECASE)
    mentions = [row for row in map(numbers_in, mentions) if {*row} & {*loading}]
    assert all(row == loading for row in mentions)
    seconds = sorted(page.notebook["metadata"]["course"]["seconds"] for page in notebooks())
    assert mentions and seconds[len(seconds) * 3 // 4] <= 90 and seconds[-1] <= 240
    if name in ("index.md", "chapters/questions.md"):
        promise = "Most pages run within a minute and a half on one processor core"
        assert f"{promise}, and the slowest within four minutes." in text
