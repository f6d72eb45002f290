"""The order of the pages, `_toc.yml`, and the tables of pages that are made from it."""

import re
from collections.abc import Iterator
from pathlib import Path

from workshop.frame import colab_link
from workshop.page import ROOT, Page, markdown_files, notebooks
from workshop.store import first_difference

BEGIN, END = "<!-- The pages: written by `make pages`. -->\n", "<!-- The end of the pages. -->\n"


def listed(root: Path) -> list[str]:
    """The names of the pages in `_toc.yml`, in the order there."""
    toc = (root / "_toc.yml").read_text(encoding="utf-8")
    return re.findall(r"(?m)^\s*(?:- )?(?:file|root):\s*(\S+)", toc)


def contents_problems(root: Path = ROOT) -> Iterator[str]:
    """Every page stands in `_toc.yml`, in the order of its number."""
    pages = notebooks(root)
    numbers = [page.number for page in pages]
    for path in sorted(root.glob("chapters/*.ipynb")):
        if numbers.count(int(path.name[:2]) if re.match(r"\d\d_", path.name) else -1) != 1:
            yield f"chapters/{path.name}:1: wanted a name that begins with a number of its own, NN_"
    named = listed(root)
    texts = [page.name.rpartition(".")[0] for page in markdown_files(root)]
    there = [page.name.rpartition(".")[0] for page in pages]
    for name in {*there, *texts} ^ {*named}:
        yield f"_toc.yml:1: {name} is missing, or no page; wanted every page of the book"
    ordered = [name for name in named if name in there]
    for found, wanted in zip(ordered, sorted(ordered)):
        if found != wanted:
            yield f"_toc.yml:1: {found}; wanted {wanted} here, by its number"
            return
    yield from part_problems(root)


def part_problems(root: Path = ROOT) -> Iterator[str]:
    """A row of pages that the front page names, "pages 5 to 7", is a part, or several, as a whole."""
    toc = (root / "_toc.yml").read_text(encoding="utf-8")
    parts = [re.findall(r"chapters/(\d\d)_", part) for part in toc.split("caption:")[1:]]
    ends = [(int(numbers[0]), int(numbers[-1])) for numbers in parts if numbers]
    for j, line in enumerate((root / "index.md").read_text(encoding="utf-8").split("\n"), 1):
        for said, *row in re.findall(r"\b([Pp]ages (\d+) to (\d+))\b", line):
            first, last = map(int, row)
            if ends and (first not in dict(ends) or last not in dict(ends).values()):
                yield f"index.md:{j}: {said!r}; the parts of _toc.yml are the pages {ends}"


def table(name: str, pages: list[Page]) -> Iterator[str]:
    """The table of pages in the README, or on the front page, which leads to Colab itself."""
    is_readme = name == "README.md"
    if is_readme:
        yield from ("| Page | What you build | Minutes | Run it |", "| --- | --- | --- | --- |")
    else:
        yield from ("| page | what you build | minutes |", "|---|---|---|")
    builds = r"\*\*You will build\*\* (.+?)\.\s"
    for page in pages:
        title = page.headings[0].title
        minutes = page.said(r"(\d+) minutes")
        link = f" [Colab]({colab_link(page)}) |" if is_readme else ""
        yield f"| [{title}]({page.name}) | {page.said(builds)} | {minutes} |{link}"


def with_tables(root: Path = ROOT) -> Iterator[tuple[Path, str, str]]:
    """(file, its text, its text with the table of the pages as they are now)."""
    for name in ("README.md", "index.md"):
        before = (root / name).read_text(encoding="utf-8")
        rows = "".join(f"{row}\n" for row in table(name, notebooks(root)))
        pattern = f"(?s){re.escape(BEGIN)}.*?{re.escape(END)}"
        yield root / name, before, re.sub(pattern, lambda _: f"{BEGIN}\n{rows}\n{END}", before)


def table_problems(root: Path = ROOT) -> Iterator[str]:
    for path, found, wanted in with_tables(root):
        if BEGIN not in found or END not in found:
            yield f"{path.name}:1: wanted the lines {BEGIN.strip()} and {END.strip()}"
        yield from first_difference(path.name, found, wanted)


def write_tables(root: Path = ROOT) -> None:
    for path, found, wanted in with_tables(root):
        if found != wanted:
            path.write_text(wanted, encoding="utf-8", newline="\n")


def problems(root: Path = ROOT) -> list[str]:
    """What is wrong with the order of the pages, or else with their tables."""
    return list(contents_problems(root)) or list(table_problems(root))
