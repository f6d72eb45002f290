"""A deck of slides for a page, `dist/slides/NN_name.slides.html`, by nbconvert.

A question for the class; each section with its formulas, its short code and its figures; and the
closing questions. What is folded in the book, the checks and the exercises stay on the page. A browser
fetches reveal.js, which shows the deck, and MathJax, which sets the formulas.
"""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import nbformat

from workshop.frame import published
from workshop.page import Cell, Page
from workshop.teach import absolute

LINES = 20  # of code that fit on a slide
CAPTION = re.compile(r"\*\*(?:Figure|Table) \d+\.\d+\.\*\*.*")
LARGE = """<style>
:root { --jp-content-font-size1: 25px; --jp-code-font-size: 21px; }
.reveal .jp-OutputArea img { width: 100%; height: 430px; object-fit: contain; object-position: left; }
</style>"""  # else a figure is as small as on the page
FOLDED_TAGS = {"hide-input", "hide-cell"}
DETAILS = re.compile(r"(?s)<details>.*?</details>")


def text(kind: str, *blocks: str) -> dict:
    """A text cell: a "slide" comes to the right, a "subslide" below, "-" on the slide before it."""
    about = {"slideshow": {"slide_type": kind}}
    return {"cell_type": "markdown", "source": "\n\n".join(filter(None, blocks)), "metadata": about}


def code(cell: Cell) -> dict:
    """A code cell with its outputs, and without the code where that is folded or long."""
    tags = cell.tags if len(cell.lines) <= LINES else ["hide-input"]
    about = {"slideshow": {"slide_type": "subslide"}, "tags": tags}
    inside = {"source": cell.source, "outputs": cell.outputs, "execution_count": None}
    return {"cell_type": "code", "metadata": about} | inside


def sections(said: str) -> Iterator[dict]:
    """The slides of a text: each heading with what follows it; each formula, table and box."""
    heading, paragraphs = "", [""]
    blocks = re.split(r"\n{2,}", DETAILS.sub("", said).strip())
    for block, after in pairwise([*blocks, "#", ""]):
        if block.startswith(("$$", "|", "> ")):
            leads = paragraphs[-1] if block.startswith("$$") else ""
            caption = after if block.startswith("|") and CAPTION.match(after) else ""
            yield text("slide" if heading else "subslide", heading, leads, block, caption)
            heading, paragraphs = "", [""]
        elif block.startswith("#"):
            if heading:
                yield text("slide", heading, *paragraphs[:2])
            heading, paragraphs = re.sub("^#+", "##", block), [""]
        elif not CAPTION.match(block):
            paragraphs.append(block)


def slides(page: Page) -> Iterator[dict]:
    """The cells of the deck."""
    address = f"{published(page.root)}{page.name.removesuffix('ipynb')}html"
    yield text("slide", f"# {page.headings[0].title}", f"<{address}>", LARGE)
    teaching = (page.root / "chapters" / "teaching.md").read_text(encoding="utf-8")
    if asked := re.search(rf"\({page.path.name}\) \| (.*?) \|", teaching):
        yield text("slide", "## A question first", asked[1])
    for cell, after in pairwise(page.cells[1:]):
        said, exercises, _ = f"\n{cell.source}".partition("\n## Exercises\n")
        caption = CAPTION.match(after.source)
        if cell.kind == "markdown":
            yield from sections(said)
        elif caption or len(cell.lines) <= LINES and not FOLDED_TAGS & {*cell.tags}:
            yield code(cell)
            if caption:
                yield text("-", caption[0])
        if exercises:
            break
    end = "\n".join(cell.source for cell in page.texts)
    end = end.partition("\n## What you can do now\n")[2].partition("\n## ")[0]
    questions = re.findall(r"<summary>(.*?)</summary>", end)
    yield text("slide", "## Questions at the end", *(f"- {question}" for question in questions))


def deck(page: Page, out: Path) -> Path:
    """Write the deck of a page into a folder; return its path."""
    from nbconvert import SlidesExporter
    from traitlets.config import Config

    cells = [cell | {"source": absolute(page, cell["source"])} for cell in slides(page)]
    about = {"title": page.headings[0].title}
    raw = {"nbformat": 4, "nbformat_minor": 4, "metadata": about, "cells": cells}
    options = Config(TagRemovePreprocessor={"enabled": True, "remove_input_tags": {"hide-input"}})
    size = {"reveal_width": "1240", "reveal_height": "760", "reveal_scroll": True}
    bare = {"exclude_input_prompt": True, "exclude_output_prompt": True}
    exporter = SlidesExporter(options, **size, **bare)
    written, _ = exporter.from_notebook_node(nbformat.reads(json.dumps(raw), as_version=4))
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{page.path.stem}.slides.html"
    path.write_text(written, encoding="utf-8")
    return path
