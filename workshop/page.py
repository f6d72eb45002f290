"""Read a page: its cells, where each stands in its file, its text, headings and exercises."""

import ast
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {"data", "live", "taught", "utils"}  # what pages import of the course
NOTHING = "nothing yet"  # a new page for a seminar
SEVERAL = r"(?:,|,?\s+(?:and|or|to))\s+"  # between two numbers of a phrase


def mention(words: str, number: str) -> str:
    """The pattern of "equation (1.1)", "Figures 3.1 and 3.2", "pages 5, 6 and 7"."""
    return rf"\b(?i:{words})\s+{number}(?:{SEVERAL}{number})*"


RANGE = r"(?<![\d.])(\d+) to (\d+)(?!\.?\d)"


def numbers_in(phrase: str) -> list[int]:
    """The numbers that "pages 16 to 18, and 23" speaks of."""
    text = re.sub(RANGE, lambda m: " ".join(map(str, range(int(m[1]), int(m[2]) + 1))), phrase)
    return [int(number) for number in re.findall(r"(?<![\d.])\d+(?!\.?\d)", text)]


def in_words(numbers: list[int]) -> str:
    """As a phrase says them: 16 to 18 and 23."""
    rows, parts = [], []
    for n in numbers:
        rows = [*rows[:-1], [*rows[-1], n]] if rows and rows[-1][-1] == n - 1 else [*rows, [n]]
    for row in rows:
        parts += [f"{row[0]} to {row[-1]}"] if len(row) > 2 else map(str, row)
    return " and ".join([", ".join(parts[:-1]), *parts[-1:]] if parts[:-1] else parts)


EQUATIONS = mention("equations?", r"\(\d+\.\d+\)")
FIGURES = mention("figures?", r"\d+\.\d+(?!\d)")
EXERCISES = mention("exercises?", r"\d+\.\d+(?!\d)")


def first(pattern: str, text: str) -> str:
    """What the pattern's parentheses hold, where it must be found."""
    if not (match := re.search(pattern, text)):
        raise ValueError(f"there is no {pattern!r} in {text[:80]!r}...")
    return match[1]


@cache
def parser():
    """Reads Markdown with tables and formulas. Imported here: pages also run where it is not."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    markdown = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, double_inline=True)
    markdown.normalizeLink = lambda url: url  # links stay as they are written
    return markdown


@dataclass
class Cell:
    """A cell, and where it stands. An .md file is one text cell that begins above line 1."""

    page: "Page"
    kind: str  # "code" or "markdown"
    source: str
    metadata: dict
    outputs: list
    number: int  # of a code cell, from 1; of a text cell, that of the code cell above it, or 0
    line: int  # of the file; the j-th line of the source stands on line `line + j`
    outputs_line: int = 0

    @property
    def tags(self) -> list[str]:
        return self.metadata.get("tags", [])

    @property
    def lines(self) -> list[str]:
        return self.source.split("\n")

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; empty for text and for what is not Python (one rule speaks of that)."""
        try:
            return ast.parse(self.source if self.kind == "code" else "")
        except SyntaxError:
            return ast.parse("")

    @cached_property
    def blocks(self) -> list:
        """The paragraphs, headings, tables and so on of a text cell, as markdown-it's tokens."""
        return parser().parse(self.source if self.kind == "markdown" else "")

    @cached_property
    def pieces(self) -> list:
        """(line, token) of all that the blocks consist of: words, code, formulas, links, HTML."""
        pieces, line = [], 1
        for block in self.blocks:
            line = block.map[0] + 1 if block.map else line
            for token in block.children or [block]:
                pieces.append((line, token))
                line += token.content.count("\n") + (token.type in ("softbreak", "hardbreak"))
        return pieces

    @cached_property
    def prose(self) -> list[str]:
        """The lines of a text cell without its links' targets, its code and its formulas.

        The signs that begin these stay, as those of a list, a quote or a table.
        """
        lines = [""] * len(self.lines)
        for j, token in self.pieces:
            if token.nesting >= 0:
                is_text = token.type in ("text", "image", "html_inline", "html_block")
                words = token.content.rstrip("\n") if is_text else token.info
                rows = f"{token.markup}{words}".split("\n")
                if token.type in ("fence", "code_block", "math_block"):
                    rows += ["·"] * (token.map[1] - token.map[0] - 1)
                for i, line in enumerate(rows, j - 1):
                    lines[i] += line + "|" * (token.tag in ("td", "th"))
        return lines

    def at(self, line: int = 1) -> str:
        """Name a line of the cell as a reader of a report can find it."""
        place = f"{self.page.name}:{self.line + line}"
        if not self.page.is_notebook:
            return place
        if self.kind == "code":
            return f"{place}: cell [{self.number}], line {line}"
        above = f"below cell [{self.number}]" if self.number else "above cell [1]"
        return f"{place}: text {above}, line {line}"

    def at_output(self, text: str = '"outputs"') -> str:
        """Name the line of the stored outputs that has `text`, or else where they begin."""
        lines = self.page.text.split("\n")[self.outputs_line - 1 : self.line]
        offset = next((i for i, line in enumerate(lines) if text and text in line), 0)
        return f"{self.page.name}:{self.outputs_line + offset}: cell [{self.number}]"


class Page:
    """A notebook, or an .md file, of the course in the folder `root`."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).resolve()
        in_chapters = self.path.parent.name in ("chapters", "play")
        self.root = self.path.parent.parent if in_chapters else self.path.parent
        self.name = self.path.relative_to(self.root).as_posix()
        self.is_notebook = self.path.suffix == ".ipynb"
        self.text = self.path.read_text(encoding="utf-8")
        number = re.match(r"\d+", self.path.name)
        self.number = int(number[0]) if number else 0  # of an .md file

    def __repr__(self) -> str:
        return self.name

    @cached_property
    def notebook(self) -> dict:
        return json.loads(self.text)

    @cached_property
    def cells(self) -> list[Cell]:
        if not self.is_notebook:
            return [Cell(self, "markdown", self.text, {}, [], 0, 0)]
        cells, number = [], 0
        # A key `"source"` stands once in each cell; inside a string its quotes would be escaped.
        sources = [match.end() for match in re.finditer(r'"source"\s*:', self.text)]
        for cell, position in zip(self.notebook["cells"], sources, strict=True):
            is_code = cell["cell_type"] == "code"
            number += is_code
            outputs = self.line_at(self.text.rfind('"outputs"', 0, position)) if is_code else 0
            about = "".join(cell["source"]), cell["metadata"], cell.get("outputs", []), number
            cells.append(Cell(self, cell["cell_type"], *about, self.line_at(position), outputs))
        return cells

    @property
    def in_class(self) -> dict[str, str]:
        """What a teacher takes from a page: its metadata say it, and this what they leave out."""
        match = re.search(r"<summary>(.+\?)</summary>", self.text)
        facts = {"ask": match[1] if match else "", "exercise": "1", "seminar": NOTHING}
        facts |= self.facts.get("in class", {})
        numbered = f"{self.number}." * facts["exercise"].isdigit()
        return facts | {"exercise": numbered + facts["exercise"]}

    @property
    def facts(self) -> dict:
        """What a notebook says of itself in its metadata: module, card, question, seconds."""
        return self.notebook["metadata"].get("course", {})

    @property
    def module(self) -> str:
        """The module of `taught` that what the page keeps is written to."""
        return self.facts.get("module", "attention")

    @property
    def code(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.kind == "code"]

    @cached_property
    def tree(self) -> ast.Module:
        """All its code below the start cell, as one module."""
        return ast.Module([node for cell in self.code[1:] for node in cell.tree.body], [])

    @property
    def texts(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.kind == "markdown"]

    @cached_property
    def opening(self) -> str:
        """The text above the first code that a reader sees: on Colab folded cells stand between."""
        folds = {"hide-cell", "hide-input"}
        numbers = [cell.number for cell in self.code[1:] if not folds & {*cell.tags}]
        first = min(numbers, default=len(self.code) + 1)
        return "\n\n".join(cell.source for cell in self.texts if cell.number < first)

    def line_at(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    def said(self, pattern: str) -> str:
        """What the pattern's parentheses find above the first code, or nothing."""
        match = re.search(pattern, self.opening)
        return match[1] if match else ""

    @cached_property
    def headings(self) -> "list[Heading]":
        headings = []
        for cell in self.texts:
            for block, inline in pairwise(cell.blocks):
                if block.type == "heading_open":
                    words = [t.content for t in inline.children if t.type in ("text", "code_inline")]
                    level, slug = int(block.tag[1]), slug_of("".join(words))
                    headings.append(Heading(cell, block.map[0] + 1, level, inline.content, slug))
        return headings

    @cached_property
    def further(self) -> "Heading | None":
        """The heading below which nothing is that the core needs."""
        matches = (h for h in self.headings if (h.level, h.title) == (2, "Going further"))
        return next(matches, None)

    def is_core(self, cell: Cell, line: int = 1) -> bool:
        """Whether a line of a cell stands above the heading "Going further"."""
        if self.further and cell is self.further.cell:
            return line < self.further.line
        order = [id(c) for c in self.cells]
        return not self.further or order.index(id(cell)) < order.index(id(self.further.cell))

    @cached_property
    def anchors(self) -> list[str]:
        """What a link can name after `#`: the headings of the first four levels."""
        anchors, slugs = [], [heading.slug for heading in self.headings]
        for heading in self.headings:
            before = slugs[: len(anchors)].count(heading.slug)
            anchors.append(f"{heading.slug}-{before}" if before else heading.slug)
        return [anchor for anchor, heading in zip(anchors, self.headings) if heading.level <= 4]

    @cached_property
    def exercises(self) -> "list[Exercise]":
        exercises, inside, level = [], None, 0
        for cell in self.cells:
            if inside and cell.kind == "code":
                inside.code.append(cell)
                continue
            headings = [heading for heading in self.headings if heading.cell is cell]
            cuts = [1, *(heading.line for heading in headings), len(cell.lines) + 1]
            for heading, (begin, end) in zip([None, *headings], pairwise(cuts)):
                if heading and (match := re.match(r"Exercise\b ?(\d+\.\d+)?", heading.title)):
                    core = self.is_core(cell, heading.line)
                    inside = Exercise(cell.at(begin), heading.title, match[1], core)
                    level = heading.level
                    exercises.append(inside)
                elif heading and heading.level < level:
                    inside = None
                if inside:
                    solved = any("solution" in part.tags for part in inside.code)
                    text = "\n".join(cell.lines[begin - 1 : end - 1])
                    inside.before += text * (not solved)
                    inside.after += text * solved
        return exercises

    def kept(self) -> Iterator[tuple[str, Cell, ast.stmt]]:
        """(name, cell, definition) of each definition that the page keeps for later ones."""
        for cell in self.code:
            if "keep" in cell.tags:
                for node in cell.tree.body:
                    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                        yield node.name, cell, node


class Heading(NamedTuple):
    cell: Cell
    line: int  # of the cell
    level: int
    title: str
    slug: str  # its anchor, if no other heading above has it


@dataclass
class Exercise:
    PARTS = ("check", "exercise", "solution")  # tags, in this order

    at: str  # where it stands
    heading: str
    number: str | None  # "3.1"
    core: bool  # above the line "Going further"
    code: list[Cell] = field(default_factory=list)
    before: str = ""  # its text above the solution
    after: str = ""

    @property
    def minutes(self) -> int:
        match = re.search(r"(\d+) minutes\)", self.heading)
        return int(match[1]) if match else 0

    @property
    def parts(self) -> list[str]:
        return [tag for cell in self.code for tag in self.PARTS if tag in cell.tags]

    @property
    def is_whole(self) -> bool:
        return self.parts == list(self.PARTS)

    def cell(self, part: str) -> Cell:
        return next(cell for cell in self.code if part in cell.tags)


@lru_cache(maxsize=100)
def read(path: Path, age: int) -> Page:
    return Page(path)


def open_page(path: Path) -> Page:
    """The page in a file, read again only when the file has changed."""
    return read(path, path.stat().st_mtime_ns)


def notebooks(root: Path = ROOT) -> list[Page]:
    """The pages that are notebooks, in reading order."""
    return [open_page(path) for path in sorted((root / "chapters").glob("[0-9][0-9]_*.ipynb"))]


def markdown_files(root: Path = ROOT) -> list[Page]:
    """The pages of the book that are Markdown."""
    paths = [*root.glob("index.md"), *sorted(root.glob("chapters/*.md")), *sorted(root.glob("play/*.md"))]
    return [open_page(path) for path in paths]


def git_files(root: Path, *command: str) -> list[Path]:
    """The files that a command of git lists."""
    command = ("git", *command, "-z")
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.decode()
    paths = sorted({root / name for name in listed.split("\0") if name})
    return [path for path in paths if path.is_file()]


def tracked_files(root: Path = ROOT) -> list[Path]:
    """The files that belong to the course: what git tracks or would track."""
    return git_files(root, "ls-files", "--cached", "--others", "--exclude-standard")


def course_files(root: Path = ROOT) -> list[Path]:
    """Those of them that are text."""
    return [path for path in tracked_files(root) if b"\0" not in path.read_bytes()]


def slug_of(words: str) -> str:
    """The anchor of a heading, as GitHub, Colab and the book make it of its words and code."""
    return re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-")
