"""A deck of slides for a page, `dist/slides/NN_name.html`: one file, which needs no network.

A question for the class; each section with its formulas, its short code and its figures; an exercise;
and the closing questions. What is folded in the book and what is further stay on the page.
"""

import ast
import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path

from live.bundle import KIND, data_name, data_script
from workshop.formulas import render
from workshop.handouts import absolute
from workshop.page import ROOT, Cell, Page
from workshop.start import published

MOST, LINES = 17, 26  # lines of a slide, and of one with long code
CAPTION = re.compile(r"\*\*(?:Figure|Table) \d+\.\d+\.\*\*.*")
FOLDED_TAGS = {"hide-input", "hide-cell"}
DETAILS = re.compile(r"(?s)<details>.*?</details>")
EXERCISE = re.compile(r"(?ms)^#+ Exercise .*?(?=^#|\Z)")
TEMPLATE = Path(__file__).with_suffix(".html")
KATEX = ROOT / "_ext" / "katex"


@dataclass
class Slide:
    heading: str
    blocks: list[str]
    lines: float = 2


@cache
def parser():
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    def formula(tex: str, options: dict) -> str:
        return render(tex, options["display_mode"])

    markdown = MarkdownIt("commonmark").enable("table")
    return markdown.use(dollarmath_plugin, double_inline=True, renderer=formula)


def undocumented(cell: Cell) -> str:
    """The code of a cell without its docstrings, which one says."""
    docstring_lines = set()
    for node in ast.walk(cell.tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            words, *after = node.body
            end = after[0].lineno if after else (words.end_lineno or 0) + 1
            docstring_lines |= {*range(words.lineno, end)}
    return "\n".join(line for j, line in enumerate(cell.lines, 1) if j not in docstring_lines)


def coloured(source: str) -> str:
    from pygments import highlight
    from pygments.formatters.html import HtmlFormatter
    from pygments.lexers.python import PythonLexer

    return highlight(source, PythonLexer(), HtmlFormatter(noclasses=True, cssclass="code"))


def outputs(cell: Cell) -> Iterator[str]:
    for output in cell.outputs:
        data = {kind: "".join(parts) for kind, parts in output.get("data", {}).items()}
        if html := data.get("text/html"):
            name = data_name(kind[1]) if (kind := KIND.search(html)) else None
            yield f"<script>{data_script(name)}</script>{html}" if name else html
        elif image := data.get("image/png"):
            about = output["metadata"]["image/png"]
            yield (f'<img alt="{escape(about["alt"])}" width="{about["width"]}" src="data:image/png;base64,{image}">')
        else:
            text = "".join(output.get("text", data.get("text/plain", "")))
            yield f"<pre>{escape(text)}</pre>"


def slides(page: Page) -> Iterator[Slide]:
    """Title and question; what the core says, draws and runs; an exercise; the closing questions."""
    address = f"{published(page.root)}{page.name.removesuffix('ipynb')}html"
    slugs = {heading.title: heading.slug for heading in page.headings}

    def html(text: str) -> str:
        return parser().render(absolute(page, text).replace("](#", f"]({address}#"))

    lesson = page.in_class
    builds = page.said(r"\*\*You will build\*\* (.+?)\.\s")
    words = html(f"You will build {builds}.\n\n[The page in the book]({address})")
    yield Slide("", [f"<h1>{escape(page.headings[0].title)}</h1>", words])
    yield Slide("A question first", [html(lesson["ask"])])
    now, lead = Slide("", []), ""

    def link() -> str:
        return f"{address}#{slugs.get(now.heading, '')}"

    def placed(blocks: list[str], lines: float) -> Iterator[Slide]:
        """Blocks on the slide that is being filled, or on a new one; with the words before them."""
        nonlocal now, lead
        words, lead = lead, ""
        count = len(words.split()) / 12
        if lines + count > LINES:
            yield from placed([html(words)], count)
        else:
            lines, blocks = lines + count, [html(words), *blocks]
        if now.blocks and now.lines + lines > MOST:
            yield now
            now = Slide(now.heading, [])
        now.blocks, now.lines = now.blocks + blocks, now.lines + lines

    for cell, after in pairwise(page.cells[1:]):
        if any(cell is part for exercise in page.exercises for part in exercise.code):
            continue
        text, exercises, _ = f"\n{cell.source}".partition("\n## Exercises\n")
        text = EXERCISE.sub("", text)
        caption = CAPTION.match(after.source)
        if cell.kind == "markdown":
            blocks = re.split(r"\n{2,}", DETAILS.sub("", text).strip())
            for block, next_one in pairwise([*blocks, ""]):
                if block.startswith("#"):
                    if now.blocks:
                        yield now
                    now, lead = Slide(block.lstrip("# "), []), ""
                elif block.startswith(("$$", "|", "> ")):
                    below = next_one if block.startswith("|") and CAPTION.match(next_one) else ""
                    yield from placed([html(block), html(below)], 3 + block.count("\n"))
                elif not CAPTION.match(block):
                    if lead and not now.blocks:  # the first words of a section are never left out
                        yield from placed([], 0)
                    lead = block
        elif caption:
            if now.blocks:
                yield now
            pieces = [*outputs(cell)]
            if not FOLDED_TAGS & {*cell.tags}:
                pieces.insert(0, coloured(cell.source))
            words = caption[0] + f" [On the page]({link()})" * bool(KIND.search("".join(pieces)))
            blocks = [f"<div>{''.join(pieces)}</div>", f"<div>{html(words)}</div>"]
            yield Slide(now.heading, ['<div class="figure">', *blocks, "</div>"])
            now, lead = Slide(now.heading, []), ""
        elif not FOLDED_TAGS & {*cell.tags}:
            source = undocumented(cell)
            if source.count("\n") >= LINES + 10:
                yield from placed([html(f"[`{cell.lines[0]}` on the page]({link()})")], 2)
                continue
            printed = [*outputs(cell)]
            lines = sum(part.count("\n") + 1 for part in (source, *printed))
            blocks = [coloured(source), *printed]
            if printed and lines > LINES:
                yield from placed([blocks.pop(0)], source.count("\n"))
                lines -= source.count("\n")
            yield from placed(blocks, lines)
        if exercises:
            break
    if now.blocks:
        yield now
    for heading in page.headings:
        if heading.title.startswith(f"Exercise {lesson['exercise']}:"):
            yield Slide(heading.title, [html(f"[On the page]({address}#{heading.slug}), with a hint.")])
    end = "\n".join(cell.source for cell in page.texts)
    end = end.partition("\n## What you can do now\n")[2].partition("\n## ")[0]
    questions = re.findall(r"<summary>(.*?)</summary>", end)
    yield Slide("Questions at the end", [html("\n".join(f"- {q}" for q in questions))])


def katex() -> str:
    """The stylesheet of the formulas, with its fonts in it."""

    def font(match: re.Match) -> str:
        data = base64.b64encode((KATEX / "fonts" / match[1]).read_bytes()).decode()
        return f"url(data:font/woff2;base64,{data})"

    return re.sub(r"url\(fonts/([^)]*\.woff2)\)", font, (KATEX / "katex.min.css").read_text("utf-8"))


def deck(page: Page, out: Path) -> Path:
    """Write the deck of a page into a folder; return its path."""
    sections = ""
    for slide in slides(page):
        head = f"<h2>{parser().renderInline(slide.heading)}</h2>" if slide.heading else ""
        sections += f"<section><div>{head}{''.join(slide.blocks)}</div></section>\n"
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in {"TITLE": escape(page.headings[0].title), "/* KATEX */": katex(), "SLIDES": sections}.items():
        text = text.replace(name, value, 1)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{page.path.stem}.html"
    path.write_text(text, encoding="utf-8")
    return path
