"""The drawings in `chapters/figures`: all have the course's one style, and read on a phone."""

import re
from collections.abc import Iterator
from pathlib import Path

from utils.palette import stylesheet
from workshop.page import ROOT

WIDEST = 390  # units: on a screen of 390 pixels small text of 12 units is then 11 pixels high


def drawings(root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """The drawings of that style: those of the class `diagram`."""
    for path in sorted((root / "chapters" / "figures").glob("*.svg")):
        svg = path.read_text(encoding="utf-8")
        if '<svg class="diagram"' in svg:
            yield path, svg


def styled(svg: str) -> str:
    """The drawing with the style of today, so that it is whole wherever it is shown alone."""
    style = f"<style>\n{stylesheet()}</style>"
    svg = re.sub(r"(?s)\n<style>.*?</style>", "", svg, count=1)
    begin = r"(?s)^(\s*<svg [^>]*>(?:\s*<title>.*?</title>)?)"
    return re.sub(begin, lambda match: f"{match[1]}\n{style}", svg, count=1)


def write(root: Path = ROOT) -> None:
    for path, svg in drawings(root):
        if svg != styled(svg):
            path.write_text(styled(svg), encoding="utf-8", newline="\n")


def problems(root: Path = ROOT) -> Iterator[str]:
    for path, svg in drawings(root):
        place, drawn = f"{path.relative_to(root).as_posix()}:1", svg.partition("</style>")[2]
        if svg != styled(svg):
            yield f"{place}: not in the style of utils/palette.py; `make format` writes it"
        width = re.search(r'viewBox="0 0 (\d+) \d+"', svg)
        if not width or int(width[1]) > WIDEST:
            yield f'{place}: wanted viewBox="0 0 width height", the width at most {WIDEST} units'
        if "<title>" not in svg:
            yield f"{place}: wanted <title>, which show_diagram fills with its alt"
        for pattern, remedy in (
            (r"\bid=", "no id: a page may hold two drawings"),
            (r'(?:fill|stroke)="|#[0-9a-f]{3,6}\b', "classes for colours"),
            (r"font-size", "the class small, or none, for the size of text"),
        ):
            if match := re.search(pattern, drawn):
                yield f"{place}: {match[0]!r}; wanted {remedy}"
