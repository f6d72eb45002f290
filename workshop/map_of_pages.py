"""The map of pages: a box a page, where its metadata place it, and an arrow for each page that another needs."""

import re
from collections.abc import Iterator
from functools import cache
from html import escape
from itertools import product
from operator import itemgetter
from pathlib import Path
from textwrap import wrap

from workshop.contents import is_elective
from workshop.drawings import styled
from workshop.page import ROOT, Page, notebooks
from workshop.store import first_difference

NAME = "chapters/figures/map_of_pages.svg"
COLUMN, ROW, WIDTH, HEIGHT = 130, 58, 108, 38  # units from box to box, and of a box
BOX = """\
<a href="{stem}.html" data-page="{n}">
<rect x="{x}" y="{y}" width="108" height="38" rx="6" class="{kind}"/>
<text x="{left}" y="{first}" class="small"><tspan class="strong">{n}</tspan> {words}</text>
</a>"""


def place(page: Page) -> tuple[int, int]:
    """Column and row of a page; without `map` in its metadata it stands in the first column, below all others."""
    if position := page.notebook["metadata"]["course"].get("map"):
        return tuple(position[:2])
    maps = [(other.number, other.notebook["metadata"]["course"].get("map")) for other in notebooks(page.root)]
    lowest = max((row for _, (_, row, *_) in filter(itemgetter(1), maps)), default=-1)
    return 0, lowest + sum(not position and number <= page.number for number, position in maps)


def needs(root: Path = ROOT) -> set[tuple[int, int]]:
    """(page, one that it needs), as the boxes say under *You need*, but for those that longer chains have said."""
    boxes = {}
    for page in notebooks(root):
        text = next((cell.source for cell in page.cells if "**You need**" in cell.source), "")
        text = text.partition("**You need**")[2].partition("<details>")[0].partition("\n\n")[0]
        links = re.findall(r"\]\((\d\d)_\w+\.ipynb", text)
        boxes[page.number] = {int(number) for number in links} - {page.number}

    @cache
    def before(number: int) -> frozenset[int]:
        return frozenset(boxes.get(number, ())).union(*map(before, boxes.get(number, ())))

    return {
        (number, other)
        for number, others in boxes.items()
        for other in others
        if not any(other in before(third) for third in others - {other})
    }


def arrow(path: str, x: float, y: float, dx: int, dy: int) -> list[str]:
    """A line to (x, y), and its head, which points along (dx, dy)."""
    bx, by = x - 7 * dx, y - 7 * dy
    head = f"M{x:g} {y:g}L{bx + 4 * dy:g} {by + 4 * dx:g}L{bx - 4 * dy:g} {by - 4 * dx:g}Z"
    return [f'<path d="{path}" class="line"/>', f'<path d="{head}" class="head"/>']


def arrows(places: dict[int, tuple[int, int]], root: Path) -> Iterator[str]:
    """Straight where two boxes are neighbours, round a free corner, or else down a lane between two columns."""
    taken, lanes, bent = {*places.values()}, {}, []
    for page, other in sorted(needs(root)):
        (to, low), (of, high) = places[page], places[other]
        x, y = 8 + COLUMN * of, 8 + ROW * high + HEIGHT / 2
        far, end = 8 + COLUMN * to, 8 + ROW * low + HEIGHT / 2
        centre = far + WIDTH / 2
        if to == of and low == high + 1:
            drawn = arrow(f"M{centre:g} {y + HEIGHT / 2:g}V{end - 26:g}", centre, end - HEIGHT / 2, 0, 1)
        elif abs(to - of) == 1 and low == high:
            side, begin = (far, x + WIDTH) if to > of else (far + WIDTH, x)
            drawn = arrow(f"M{begin:g} {y:g}H{side - 6 * (to - of):g}", side, y, to - of, 0)
        elif to == of + 1 and low > high and not {(to, row) for row in range(high, low)} & taken:
            drawn = arrow(f"M{x + WIDTH:g} {y:g}H{centre:g}V{end - 26:g}", centre, end - HEIGHT / 2, 0, 1)
        else:
            gap = min(to, of) if to != of else of  # right of which column
            lane = lanes.setdefault(gap, [])
            lane += [other] * (other not in lane)
            bent.append((page, other, gap))
            continue
        yield "\n".join([f'<g data-needs="{page} {other}">', *drawn, "</g>"])
    for page, other, gap in bent:
        (to, low), (of, high) = places[page], places[other]
        begin = 8 + COLUMN * of + WIDTH * (of == gap)
        side = 8 + COLUMN * to + WIDTH * (to == gap)
        order = sorted(lanes[gap], key=lambda number: places[number][1])
        lane = 8 + COLUMN * gap + WIDTH + 11 + 3.5 * (order.index(other) - (len(order) - 1) / 2)
        y, end, way = 8 + ROW * high + 30, 8 + ROW * low + HEIGHT / 2, -1 if to == gap else 1
        lane = min(lane, 386)
        drawn = arrow(f"M{begin:g} {y:g}H{lane:g}V{end:g}H{side - 6 * way:g}", side, end, way, 0)
        yield "\n".join([f'<g data-needs="{page} {other}">', *drawn, "</g>"])


def box(page: Page, column: int, row: int) -> str:
    x, y = 8 + COLUMN * column, 8 + ROW * row
    title = page.headings[0].title.partition(". ")[2] or page.headings[0].title
    _, _, *label = page.notebook["metadata"]["course"].get("map", (column, row))
    lines = wrap(f"{page.number} {label[0] if label else title}", 16)[:2]
    first = y + 24 if len(lines) == 1 else y + 16
    lines = [escape(line) for line in lines]
    lines[0] = lines[0].partition(" ")[2]
    text = '</text>\n<text x="{left}" y="{second}" class="small">'.join(lines)
    numbers = {"x": x, "y": y, "left": x + 8, "n": page.number, "stem": page.path.stem}
    kind = "ghost" if is_elective(page) else "box"
    return BOX.replace("{words}", text).format(**numbers, first=first, second=y + 31, kind=kind)


def drawn(root: Path = ROOT) -> str:
    """The drawing, as SVG."""
    pages = notebooks(root)
    places = {page.number: place(page) for page in pages}
    high = 8 + ROW * max(row for _, row in places.values()) + HEIGHT + 8
    size = f'viewBox="0 0 390 {high}" width="488" height="{round(high * 1.25)}"'
    begin = f'<svg class="diagram" xmlns="http://www.w3.org/2000/svg" {size}>\n<title></title>'
    boxes = [box(page, *places[page.number]) for page in pages]
    return styled("\n".join([begin, *arrows(places, root), *boxes, "</svg>\n"]))


def write(root: Path = ROOT) -> None:
    (root / NAME).write_text(drawn(root), encoding="utf-8", newline="\n")


def problems(root: Path = ROOT) -> Iterator[str]:
    path, seen = root / NAME, {}
    for page in notebooks(root):
        if (other := seen.setdefault(place(page), page)) is not page:
            taken = {place(p) for p in notebooks(root)}
            rows = range(max(row for _, row in taken) + 1)
            free = [spot for spot in product(range(3), rows) if spot not in taken]
            yield (
                f"{page.name}:1: its `map`, {place(page)}, is that of {other.name}; wanted a place of "
                f"its own: {', '.join(map(str, free))}, or a row more"
            )
    yield from first_difference(NAME, path.read_text(encoding="utf-8"), drawn(root))
