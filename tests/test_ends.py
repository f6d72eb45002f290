"""The pages at the end: the map's arrows, the answers' code, and the sheet's sums."""

import contextlib
import io
import itertools
import re
from xml.etree import ElementTree

import pytest
import torch

from taught.transformer import EncoderBlock
from workshop.drawings import drawings
from workshop.page import ROOT, Page, notebooks

CHAPTERS = ROOT / "chapters"
MAP = CHAPTERS / "figures" / "map_of_pages.svg"
NUMBERED = {int(path.name[:2]): path for path in sorted(CHAPTERS.glob("[0-9][0-9]_*.ipynb"))}
SVG = "{http://www.w3.org/2000/svg}"
QUESTIONS = (CHAPTERS / "questions.md").read_text(encoding="utf-8")


def wanted_by_boxes():
    """(page, one that it needs), of all boxes, but for those that longer chains have said."""
    needs = {}
    for number, path in NUMBERED.items():
        box = Page(path).text.partition("**You need**")[2].partition('",')[0]
        box = re.split(r"\\n\"|<details>", box)[0]
        needs[number] = {int(found) for found in re.findall(r"\]\((\d\d)_\w+\.ipynb", box)}
        needs[number].discard(number)

    def all_before(number):
        return needs[number].union(*map(all_before, needs[number]))

    return {
        (number, other)
        for number in needs
        for other in needs[number]
        if not any(other in all_before(third) for third in needs[number] - {other})
    }


def drawn(svg):
    """{page: its box (left, top, right, bottom)}, {(page, one that it needs): both ends}."""
    root = ElementTree.fromstring(svg)
    boxes, arrows = {}, {}
    for link in root.iter(f"{SVG}a"):
        x, y, width, height = (
            float(link.find(f"{SVG}rect").get(each)) for each in ("x", "y", "width", "height")
        )
        number = int(link.get("data-page"))
        assert link.get("href") == NUMBERED[number].with_suffix(".html").name
        words = " ".join("".join(text.itertext()) for text in link.iter(f"{SVG}text"))
        title = Page(NUMBERED[number]).cells[0].source.splitlines()[0].removeprefix("# ")
        letters = iter(re.sub(r"\W", "", title).lower())  # the words of the title, some left out
        assert all(letter in letters for letter in re.sub(r"\W", "", words).lower()), words
        boxes[number] = x, y, x + width, y + height
    for group in root.iter(f"{SVG}g"):
        line, head = (each.get("d") for each in group.iter(f"{SVG}path"))
        pair = tuple(map(int, group.get("data-needs").split()))
        ends = [
            tuple(map(float, re.match(r"M([\d.]+) ([\d.]+)", d).groups())) for d in (line, head)
        ]
        arrows[pair] = ends
    return boxes, arrows


def touches(point, box):
    (x, y), (left, top, right, bottom) = point, box
    inside = left <= x <= right and top <= y <= bottom
    return inside and (x in (left, right) or y in (top, bottom))


def test_the_map_shows_what_the_pages_need():
    boxes, arrows = drawn(MAP.read_text(encoding="utf-8"))
    assert boxes.keys() == NUMBERED.keys() and arrows.keys() == wanted_by_boxes()
    for (page, other), (start, end) in arrows.items():
        assert touches(start, boxes[other]) and touches(end, boxes[page]), (page, other)
    for a, b in itertools.combinations(boxes.values(), 2):
        assert a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]


def cells():
    """(code, what it prints), of all code in the questions."""
    return re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", QUESTIONS, re.DOTALL)


def test_the_answers_code_prints_what_is_said():
    (imports, _), *rest = cells()
    assert len(rest) >= 10
    for code, said in rest:
        names, out = {}, io.StringIO()
        exec(imports, names)  # each cell runs by itself after the imports
        with contextlib.redirect_stdout(out):
            exec(code, names)
        assert out.getvalue() == said, code


def test_each_question_is_short_and_leads_somewhere():
    found = re.split(r"\n### ", QUESTIONS)[1:]
    assert len(found) >= 30
    for each in found:
        heading, _, answer = each.partition("\n")
        prose = re.sub(r"(?s)<!--.*?-->|```.*?```|\|.*", "", answer)
        assert len(heading.split()) <= 12 and "](" in prose, heading
        assert 30 <= len(re.sub(r"\]\([^)]*\)", "", prose).split("\n## ")[0].split()) <= 130, (
            heading
        )
        assert len(re.search(r"<!-- search: (.*) -->", answer)[1].split("; ")) >= 2, heading


def test_the_sums_of_the_cheat_sheet():
    D, H, n = 32, 4, 12
    block = EncoderBlock(D, H, 4 * D)
    weights = sum(each.numel() for each in block.parameters() if each.dim() == 2)
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
    needs = wanted_by_boxes()
    for route in routes:
        pages = [int(number) for number in re.findall(r"\d+", route)]
        assert pages == sorted(pages)
        assert all(other in pages for page, other in needs if page in pages), route
        for lecture in route.split(";") if ";" in route else []:
            read = [Page(NUMBERED[int(number)]) for number in re.findall(r"\d+", lecture)]
            assert sum(int(page.said(r"(\d+) minutes, exercises")) for page in read) <= 90, lecture
    rows = re.findall(
        r"(?m)^\| \[(\d+)\]\((\d\d)_\w+\.ipynb\) \| [^|]+\? \| ([^|]+) \| [^|]+ \|$", text
    )
    assert [int(number) for number, *_ in rows] == sorted(NUMBERED)
    for number, file, exercise in rows:
        assert int(number) == int(file)
        asked = Page(NUMBERED[int(number)]).text
        assert f"### Exercise {exercise}:" in asked or exercise == "three patients"


def test_drawings_can_be_read_on_paper():
    css = (ROOT / "_static" / "book.css").read_text(encoding="utf-8")
    wide, high = re.search(r"max-width: min\(100%, (\d+)cm\);\s*max-height: (\d+)cm", css).groups()
    for path, svg in drawings():
        width, height = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
        cm = 12 * min(int(wide) / width, int(high) / height)  # of small text
        assert cm / 2.54 * 72 > 7, path.name


WHERE = ("index.md", "README.md", "chapters/questions.md", "chapters/teaching.md")


@pytest.mark.parametrize("name", WHERE)
def test_what_is_promised_of_the_pages_holds(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    loading = [page.number for page in notebooks() if "smollm_file import" in page.text]
    said = re.findall(r"pages\s(16[\d, tonad]+) (?:need|run|use|fetch)", text, re.IGNORECASE)
    for row in said:
        row = re.sub(r"(\d+) to (\d+)", lambda m: str([*range(int(m[1]), int(m[2]) + 1)]), row)
        assert [int(number) for number in re.findall(r"\d+", row)] == loading
    seconds = sorted(page.notebook["metadata"]["course"]["seconds"] for page in notebooks())
    assert said and seconds[len(seconds) * 3 // 4] <= 90 and seconds[-1] <= 240
    if name in ("index.md", "chapters/questions.md"):
        promise = "Most pages run within a minute and a half on one processor core"
        assert f"{promise}, and the slowest within four minutes." in text
