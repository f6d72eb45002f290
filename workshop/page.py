"""Read a page: its cells, where each stands in its file, its headings and its anchors."""

import ast
import json
import re
import subprocess
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


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
    def tags(self):
        return self.metadata.get("tags", [])

    @property
    def lines(self):
        return self.source.split("\n")

    @cached_property
    def tree(self):
        """The syntax tree; empty for text and for what is not Python (one rule speaks of that)."""
        try:
            return ast.parse(self.source if self.kind == "code" else "")
        except SyntaxError:
            return ast.parse("")

    @cached_property
    def prose(self):
        """The lines of a text cell with code and formulas blanked out."""
        return blank_code(self.source, formulas=True).split("\n")

    def at(self, line=1):
        """Name a line of the cell as a reader of a report can find it."""
        place = f"{self.page.name}:{self.line + line}"
        if not self.page.is_notebook:
            return place
        if self.kind == "code":
            return f"{place}: cell [{self.number}], line {line}"
        above = f"below cell [{self.number}]" if self.number else "above cell [1]"
        return f"{place}: text {above}, line {line}"

    def at_output(self, text='"outputs"'):
        """Name the line of the stored outputs that has `text`, or else where they begin."""
        lines = self.page.text.split("\n")[self.outputs_line - 1 : self.line]
        offset = next((i for i, line in enumerate(lines) if text and text in line), 0)
        return f"{self.page.name}:{self.outputs_line + offset}: cell [{self.number}]"


class Page:
    """A notebook, or an .md file, of the course in the folder `root`."""

    def __init__(self, path):
        self.path = Path(path).resolve()
        in_chapters = self.path.parent.name == "chapters"
        self.root = self.path.parent.parent if in_chapters else self.path.parent
        self.name = self.path.relative_to(self.root).as_posix()
        self.is_notebook = self.path.suffix == ".ipynb"
        self.text = self.path.read_text(encoding="utf-8")
        number = re.match(r"\d+", self.path.name)
        self.number = int(number[0]) if number else None

    def __repr__(self):
        return self.name

    @cached_property
    def notebook(self):
        return json.loads(self.text)

    @cached_property
    def cells(self):
        if not self.is_notebook:
            return [Cell(self, "markdown", self.text, {}, [], 0, 0)]
        cells, number = [], 0
        # A key `"source"` stands once in each cell; inside a string its quotes would be escaped.
        sources = [match.end() for match in re.finditer(r'"source"\s*:', self.text)]
        for cell, position in zip(self.notebook["cells"], sources, strict=True):
            is_code = cell["cell_type"] == "code"
            number += is_code
            outputs = self.text.rfind('"outputs"', 0, position)
            cells.append(
                Cell(
                    self,
                    cell["cell_type"],
                    "".join(cell["source"]),
                    cell["metadata"],
                    cell.get("outputs", []),
                    number,
                    self.line_at(position),
                    self.line_at(outputs) if is_code else 0,
                )
            )
        return cells

    @property
    def module(self):
        """The module of `utils` that what the page keeps is written to."""
        return self.notebook["metadata"].get("course", {}).get("module", "attention")

    @property
    def code(self):
        return [cell for cell in self.cells if cell.kind == "code"]

    @property
    def texts(self):
        return [cell for cell in self.cells if cell.kind == "markdown"]

    @cached_property
    def opening(self):
        """The text above the first code that a reader sees: on Colab folded cells stand between."""
        folds = {"hide-cell", "hide-input"}
        seen = [cell.number for cell in self.code[1:] if not folds & {*cell.tags}]
        first = min(seen, default=len(self.code) + 1)
        return "\n\n".join(cell.source for cell in self.texts if cell.number < first)

    def line_at(self, position):
        return self.text.count("\n", 0, position) + 1

    def headings(self):
        """(cell, line, level, title) of every heading."""
        for cell in self.texts:
            for j, (prose, line) in enumerate(zip(cell.prose, cell.lines, strict=True), 1):
                if match := re.match(r"(#{1,6}) +\S", prose):
                    yield cell, j, len(match[1]), line[len(match[1]) :].strip()

    @property
    def title(self):
        return next((text for _, _, level, text in self.headings() if level == 1), "")

    @cached_property
    def anchors(self):
        """What a link can name after `#`: the headings of the first three levels."""
        found = []
        for _, _, level, title in self.headings():
            slug, again = slug_of(title), 0
            while slug in found:
                again += 1
                slug = f"{slug_of(title)}-{again}"
            if level <= 3:
                found.append(slug)
        return found

    def kept(self):
        """(name, cell, definition) of each definition that the page keeps for later ones."""
        for cell in self.code:
            if "keep" in cell.tags:
                for node in cell.tree.body:
                    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                        yield node.name, cell, node


@lru_cache(maxsize=100)
def read(path, age):
    return Page(path)


def open_page(path):
    """The page in a file, read again only when the file has changed."""
    return read(path, path.stat().st_mtime_ns)


def notebooks(root=ROOT):
    """The pages that are notebooks, in reading order."""
    return [open_page(path) for path in sorted((root / "chapters").glob("[0-9][0-9]_*.ipynb"))]


def markdown_files(root=ROOT):
    """The pages of the book that are Markdown."""
    paths = [*root.glob("index.md"), *sorted(root.glob("chapters/*.md"))]
    return [open_page(path) for path in paths]


def course_files(root=ROOT):
    """The text files that belong to the course: what git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.decode()
    paths = sorted({root / name for name in listed.split("\0") if name})
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()]


def blank_code(markdown, formulas=False):
    """Overwrite code, and formulas if asked, with dots: as many lines, as many columns."""

    def dots(text):
        return re.sub(r"[^\n]", "·", text)

    def fence(match):  # the opening line stays: it may be a MyST directive
        return match[1] + dots(match[0][len(match[1]) :])

    def span(match):  # the backticks stay: a role stands before them
        return match[1] + dots(match[2]) + match[1]

    markdown = re.sub(r"(?ms)^( *(`{3,}|~{3,})[^\n]*$).*?(?:^ *\2[`~]*[ ]*$|\Z)", fence, markdown)
    markdown = re.sub(r"(?s)(?<!`)(`{1,2})(?!`)((?:(?!\n\s*\n).)+?)(?<!`)\1(?!`)", span, markdown)
    if formulas:
        markdown = re.sub(r"(?s)\$\$.+?\$\$", lambda match: dots(match[0]), markdown)
        markdown = re.sub(r"\$(?!\s)[^$\n]+?\$", lambda match: dots(match[0]), markdown)
    return markdown


def slug_of(title):
    """The anchor of a heading, as GitHub, Colab and the book make it."""
    title = re.sub(r"\$[^$]*\$", "", title)
    title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
