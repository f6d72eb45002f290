"""The pages as the tests read them and as the maintainers write them.

    python -m tests.pages execute [PAGE ...]   run pages and store their outputs in normal form
    python -m tests.pages address URL          rewrite the course's address wherever it stands

`make pages` and `make address URL=...` call these two.
"""

import argparse
import ast
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The only place where the text of the start cell stands; {address} is filled in from _config.yml.
START_CELL = '''\
# @title Start: find the course, or fetch it
import subprocess
import sys
from pathlib import Path

ADDRESS = "{address}"
folders = [Path.cwd(), *Path.cwd().parents, Path.cwd() / ADDRESS.rsplit("/", 1)[-1]]
found = [folder for folder in folders if (folder / "utils" / "attention.py").is_file()]
if not found:
    clone = ["git", "clone", "--quiet", "--depth=1", ADDRESS, str(folders[-1])]
    subprocess.run(clone, check=True)
course = str(found[0] if found else folders[-1])
sys.path.insert(0, course) if course not in sys.path else None'''

# Folded in the book (the tag), on Colab (cellView) and in JupyterLab (source_hidden).
FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}}
START_METADATA = {"tags": ["hide-cell"], **FOLDED}


# ---------------------------------------------------------------- reading


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
        """The syntax tree; empty for text and for what is no Python (one rule speaks of that)."""
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
        for cell, position in zip(self.notebook["cells"], sources):
            kind = cell["cell_type"]
            number += kind == "code"
            outputs = self.text.rfind('"outputs"', 0, position)
            cells.append(Cell(
                self, kind, joined(cell["source"]), cell["metadata"], cell.get("outputs", []),
                number, self.line_at(position), self.line_at(outputs) if kind == "code" else 0,
            ))
        return cells

    @property
    def code(self):
        return [cell for cell in self.cells if cell.kind == "code"]

    @property
    def texts(self):
        return [cell for cell in self.cells if cell.kind == "markdown"]

    def line_at(self, position):
        return self.text.count("\n", 0, position) + 1

    def headings(self):
        """(cell, line, level, title) of every heading."""
        for cell in self.texts:
            for j, (prose, line) in enumerate(zip(cell.prose, cell.lines), 1):
                if match := re.match(r"(#{1,6}) +\S", prose):
                    yield cell, j, len(match[1]), line[len(match[1]):].strip()

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


def joined(lines):
    """The text of a multi-line string of a notebook, which is a list of lines or one string."""
    return "".join(lines)


def notebooks(root=ROOT):
    """The pages that are notebooks, in reading order."""
    return [Page(path) for path in sorted((root / "chapters").glob("[0-9][0-9]_*.ipynb"))]


def markdown_files(root=ROOT):
    """The pages of the book that are Markdown."""
    return [Page(path) for path in [*root.glob("index.md"), *sorted(root.glob("chapters/*.md"))]]


def blank_code(markdown, formulas=False):
    """Overwrite code, and formulas if asked, with dots: as many lines, as many columns."""

    def dots(text):
        return re.sub(r"[^\n]", "·", text)

    def fence(match):  # the opening line stays: it may be a MyST directive
        return match[1] + dots(match[0][len(match[1]):])

    def span(match):  # the backticks stay: a role stands before them
        return match[1] + dots(match[2]) + match[1]

    markdown = re.sub(
        r"(?ms)^( *(`{3,}|~{3,})[^\n]*$).*?(?:^ *\2[`~]*[ ]*$|\Z)", fence, markdown
    )
    markdown = re.sub(
        r"(?s)(?<!`)(`{1,2})(?!`)((?:(?!\n\s*\n).)+?)(?<!`)\1(?!`)", span, markdown
    )
    if formulas:
        markdown = re.sub(r"(?s)\$\$.+?\$\$", lambda match: dots(match[0]), markdown)
        markdown = re.sub(r"\$(?!\s)[^$\n]+?\$", lambda match: dots(match[0]), markdown)
    return markdown


def slug_of(title):
    """The anchor of a heading, as GitHub, Colab and the book make it."""
    title = re.sub(r"\$[^$]*\$", "", title)
    title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def address(root=ROOT):
    """The course's one address, `repository.url` in `_config.yml`."""
    import yaml  # here, because pages also run on machines that have only what pages import

    return yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))["repository"]["url"]


def start_cell(root=ROOT):
    return START_CELL.replace("{address}", address(root))


def colab_link(page):
    repository = address(page.root).removeprefix("https://github.com/")
    return f"https://colab.research.google.com/github/{repository}/blob/main/{page.name}"


# ---------------------------------------------------------------- normal form


def normal_form(notebook):
    """A copy of `notebook` with nothing in it that differs between two executions.

    Kept of the metadata: the kernel's name, and of a cell its tags and its folding. Kept of the
    outputs: what was printed, and of each displayed thing text, HTML and PNG. Kept as they are:
    the cells' ids, where there are any and they are unique.
    """
    cells, ids, count = [], set(), 0
    for old in notebook["cells"]:
        kind, source = old["cell_type"], joined(old["source"])
        source = "\n".join(line.rstrip() for line in source.strip("\n").split("\n")).rstrip("\n")
        cell = {"cell_type": kind, "metadata": normal_metadata(old["metadata"]), "source": source}
        cell["id"] = old.get("id") or hashlib.sha1(source.encode()).hexdigest()[:8]
        while cell["id"] in ids:
            cell["id"] = hashlib.sha1(cell["id"].encode()).hexdigest()[:8]
        ids.add(cell["id"])
        if kind == "code":
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = normal_outputs(old["outputs"], count)
        cells.append(cell)
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def normal_metadata(metadata):
    kept = {key: metadata[key] for key in ("cellView", "tags") if metadata.get(key)}
    if metadata.get("jupyter", {}).get("source_hidden"):
        kept["jupyter"] = {"source_hidden": True}
    return kept


def normal_outputs(outputs, count):
    kept, streams = [], {}
    for output in outputs:
        kind = output["output_type"]
        if kind == "stream":  # all that one stream printed is one output
            name = output["name"]
            if name not in streams:
                streams[name] = {"output_type": kind, "name": name, "text": ""}
                kept.append(streams[name])
            streams[name]["text"] += joined(output["text"])
        elif kind in ("display_data", "execute_result"):
            data = {
                key: joined(value) for key, value in output["data"].items()
                if key in ("text/plain", "text/html", "image/png")
            }
            if "image/png" in data:
                data["image/png"] = data["image/png"].strip()
            metadata = {key: v for key, v in output["metadata"].items() if key == "image/png"}
            new = {"output_type": kind, "data": data, "metadata": metadata}
            if kind == "execute_result":
                new["execution_count"] = count
            kept.append(new)
    for stream in streams.values():  # a line rewritten with \r is stored as it was at the end
        stream["text"] = re.sub(r"(?m)^.*\r(?=[^\n])", "", stream["text"])
    return kept


def to_text(notebook):
    """The notebook as it stands in its file; the same as `nbformat.writes` gives."""

    def split(value):
        if isinstance(value, dict):
            return {key: split(v) if key != "metadata" else v for key, v in value.items()}
        return value.splitlines(keepends=True) if isinstance(value, str) else value

    notebook = json.loads(json.dumps(notebook))
    for cell in notebook["cells"]:
        cell["source"] = split(cell["source"])
        for output in cell.get("outputs", []):
            for key in ("text", "data"):
                if key in output:
                    output[key] = split(output[key])
            if "image/png" in output.get("data", {}):
                output["data"]["image/png"] = "".join(output["data"]["image/png"])
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


# ---------------------------------------------------------------- executing


def failing_line(traceback):
    """The line of the failing cell that an IPython traceback names, or 1."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(traceback))
    found = re.search(r"Cell In\[\d+\], line (\d+)", plain)
    return int(found[1]) if found else 1


def execute(path, timeout=600):
    """Run a page in a fresh kernel in its own folder and store what it gave, in normal form.

    A cell that fails leaves the file as it was and raises `SystemExit` naming the place.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError
    from nbval.kernel import CURRENT_ENV_KERNEL_NAME, KernelManager, NbvalKernelspecManager

    # The same kernel, thread count and device as where the stored outputs are compared.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("ATTENTION_DEVICE", "cpu")
    os.environ.pop("MPLBACKEND", None)
    page = Page(path)
    notebook = nbformat.reads(to_text(normal_form(page.notebook)), as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    manager = KernelManager(
        kernel_name=CURRENT_ENV_KERNEL_NAME, kernel_spec_manager=NbvalKernelspecManager()
    )
    client = NotebookClient(
        notebook, km=manager, timeout=timeout, record_timing=False,
        resources={"metadata": {"path": str(page.path.parent)}},
    )
    started = time.perf_counter()
    with client.setup_kernel(cleanup_kc=True, stderr=subprocess.DEVNULL):
        for index, cell in enumerate(notebook.cells):
            place = page.cells[index]
            try:
                client.execute_cell(cell, index)
            except CellExecutionError as error:
                line = failing_line([error.traceback])
                said = error.evalue or place.lines[line - 1].strip()
                raise SystemExit(f"{place.at(line)}: {error.ename}: {said}") from None
            except CellTimeoutError:
                raise SystemExit(f"{place.at()}: still running after {timeout} s") from None
    page.path.write_text(to_text(normal_form(notebook)), encoding="utf-8", newline="\n")
    print(f"{page.name}: {time.perf_counter() - started:.1f} s", flush=True)


# ---------------------------------------------------------------- the address


def move(new, root=ROOT):
    """Rewrite the course's address in all its files; return the names of the files changed.

    Moved are `owner/name` in whatever address it stands (GitHub, Colab, badges), the address
    `owner.github.io/name` of the published book, and `cd name` after a clone.
    """
    pattern = r"https://github\.com/([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))/([A-Za-z0-9._-]+)"
    wanted = re.fullmatch(pattern, new)
    if not wanted or new.endswith((".git", ".")):
        raise ValueError(f"the address is {new!r}; wanted https://github.com/owner/name")
    new_owner, new_name = wanted.groups()
    old_owner, old_name = re.fullmatch(pattern, address(root)).groups()

    def word(text):  # as no part of a longer name; .git may follow
        return rf"(?<![\w.-]){text}(?![\w-]|\.(?!git\b)\w)"

    owner, name, host = map(re.escape, (old_owner, old_name, f"{old_owner.lower()}.github.io"))
    rewrites = [
        (word(f"{owner}(/|%2F){name}"), rf"{new_owner}\1{new_name}"),
        (word(f"{host}/{name}"), f"{new_owner.lower()}.github.io/{new_name}"),
        (rf"\bcd {name}(?![\w.-])", f"cd {new_name}"),
    ]
    changed = []
    for path in course_files(root):
        before = path.read_bytes()
        after = before
        for old, replacement in rewrites:
            after = re.sub(old.encode(), replacement.encode(), after)
        if after != before:
            path.write_bytes(after)
            changed.append(path.relative_to(root).as_posix())
    return changed


def course_files(root=ROOT):
    """The text files that belong to the course: what git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, check=True,
    ).stdout.decode()
    paths = sorted({root / name for name in listed.split("\0") if name})
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()]


# ---------------------------------------------------------------- command line


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.pages", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("execute", help="run pages, store outputs in normal form")
    command.add_argument("pages", nargs="*", metavar="PAGE", help="default: every page")
    command = commands.add_parser("address", help="rewrite the course's address")
    command.add_argument("url", metavar="URL", help="https://github.com/owner/name")
    given = parser.parse_args(arguments)
    if given.command == "execute":
        for path in given.pages or [page.path for page in notebooks()]:
            execute(path)
    else:
        try:
            changed = move(given.url)
        except ValueError as error:
            sys.exit(str(error))
        print("\n".join(changed) or f"The address is {given.url} already.")


if __name__ == "__main__":
    main()
