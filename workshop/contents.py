"""The order of the pages, `_toc.yml`, and the tables of pages that are made from it."""

import re
from collections.abc import Iterator
from pathlib import Path

from workshop.page import ROOT, Page, in_words, markdown_files, notebooks
from workshop.store import first_difference

TABLED = "README.md", "index.md", "chapters/teaching.md"
BEGIN, END = "<!-- The pages: written by `make pages`. -->\n", "<!-- The end of the pages. -->\n"


def listed(root: Path) -> list[str]:
    """The names of the pages in `_toc.yml`, in the order there."""
    toc = (root / "_toc.yml").read_text(encoding="utf-8")
    return re.findall(r"(?m)^\s*(?:- )?(?:file|root):\s*(\S+)", toc)


def contents_problems(root: Path = ROOT) -> Iterator[str]:
    """Every page stands in `_toc.yml`, in the order of its number, electives in parts of theirs."""
    pages = notebooks(root)
    numbers = [page.number for page in pages]
    for path in sorted(root.glob("chapters/*.ipynb")):
        if numbers.count(int(path.name[:2]) if re.match(r"\d\d_", path.name) else -1) != 1:
            yield f"chapters/{path.name}:1: wanted a name that begins with a number of its own, NN_"
    entries = listed(root)
    texts = [page.name.rpartition(".")[0] for page in markdown_files(root)]
    page_names = [page.name.rpartition(".")[0] for page in pages]
    for name in {*page_names, *texts} ^ {*entries}:
        yield f"_toc.yml:1: {name} is missing, or no page; wanted every page of the book"
    ordered = [name for name in entries if name in page_names]
    for entry, expected in zip(ordered, sorted(ordered)):
        if entry != expected:
            yield f"_toc.yml:1: {entry}; wanted {expected} here, by its number"
            return
    for part, of_part in parts(root):
        if len({*map(is_elective, of_part)}) == 2:
            electives = [page.number for page in of_part if is_elective(page)]
            yield f"_toc.yml:1: in {part!r} only {in_words(electives)} say '· elective'; wanted all or none"


def parts(root: Path = ROOT) -> list[tuple[str, list[Page]]]:
    """The captions of `_toc.yml`, each with its pages; "" for what has no caption."""
    toc = (root / "_toc.yml").read_text(encoding="utf-8")
    pairs = []
    for j, part in enumerate(re.split(r"- caption: *", toc)):
        pages = [page for page in notebooks(root) if page.name.rpartition(".")[0] in part]
        pairs.append((part.partition("\n")[0].strip('"') if j else "", pages))
    return pairs


TIME = r"(core \d+ minutes, exercises \d+(?: · going further \d+)?)"


def electives_of(root: Path = ROOT) -> list[Page]:
    """The pages that the core doesn't need."""
    return [page for page in notebooks(root) if is_elective(page)]


def is_elective(page: Page) -> bool:
    """As its first line says."""
    return bool(page.said(r"(?m)^\[Open in Colab\].* · (elective)$"))


def hours(pages: list[Page], *patterns: str) -> str:
    """What the lines of some pages say they take, together."""
    minutes = (int(page.said(pattern) or 0) for page in pages for pattern in patterns)
    return f"{sum(minutes) / 60:.0f} hours"


def row(page: Page) -> str:
    title, builds = page.headings[0].title, page.said(r"\*\*You will build\*\* (.+?)\.\s")
    # A bar would end the cell of the table.
    title, builds = (re.sub(r"(?<!\\)\|", r"\|", words) for words in (title, builds))
    return f"| [{title}]({page.name}) | {builds} |"


def in_class(page: Page) -> str:
    """What a teacher takes from a page."""
    return f"| [{page.number}]({page.path.name}) | {' | '.join(page.in_class.values())} |"


def tables(name: str, root: Path) -> Iterator[str]:
    """The table of pages in the README; or one for each part, on the front page; and the hours."""
    pages = notebooks(root)
    if name == "chapters/teaching.md":
        heads = "page", "ask before", "exercise in class", "for a seminar, below the line"
        yield from (f"| {' | '.join(heads)} |", "|---|---|---|---|")
        yield from map(in_class, pages)
        return
    if name == "README.md":
        yield from ("| Page | What you build |", "| --- | --- |")
        yield from map(row, pages)
        yield ""
    else:
        for part, of_part in parts(root):
            if of_part:
                yield f"### {part}\n" if part else ""
                yield from ("| page | what you build | time |", "|---|---|---|")
                yield from (f"{row(page)} {page.said(TIME)} |" for page in of_part)
                yield ""
    electives = electives_of(root)
    core = [page for page in pages if page not in electives]
    reading, exercises, further = r"core (\d+)", r"exercises (\d+)", r"going further (\d+)"
    yield (
        f"The core takes about {hours(core, reading)}, and its exercises {hours(core, exercises)}. "
        f"Going further on the same pages takes {hours(core, further)} more, and the electives take "
        f"{hours(electives, reading, exercises, further)} with all that is in them."
    )


def with_tables(root: Path = ROOT) -> Iterator[tuple[Path, str, str]]:
    """(file, its text, its text with the table of the pages as they are now)."""
    for name in filter(lambda name: (root / name).is_file(), TABLED):
        before = (root / name).read_text(encoding="utf-8")
        rows = "".join(f"{line}\n" for line in tables(name, root))
        pattern = f"(?s){re.escape(BEGIN)}.*?{re.escape(END)}"
        yield root / name, before, re.sub(pattern, lambda _: f"{BEGIN}\n{rows}\n{END}", before)


def table_problems(root: Path = ROOT) -> Iterator[str]:
    for path, text, expected in with_tables(root):
        if BEGIN not in text or END not in text:
            yield f"{path.relative_to(root).as_posix()}:1: wanted the lines {BEGIN.strip()} and {END.strip()}"
        yield from first_difference(path.relative_to(root).as_posix(), text, expected)


def write_tables(root: Path = ROOT) -> None:
    for path, text, expected in with_tables(root):
        if text != expected:
            path.write_text(expected, encoding="utf-8", newline="\n")


def problems(root: Path = ROOT) -> list[str]:
    """What is wrong with the order of the pages, or else with their tables."""
    return list(contents_problems(root)) or list(table_problems(root))
