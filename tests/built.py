"""The built book, as tests/test_book.py and tests/test_browser.py look at it."""

from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "_build" / "html"
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
MADE_OF = "_config.yml _toc.yml _static/* chapters/figures/* _ext/*.py _ext/search/* index.md play/* "
MADE_OF += "chapters/*.ipynb chapters/*.md"


def contents(toc):
    """Every page that a `_toc.yml`, read as a dict, names, in reading order."""
    pages = [toc.get("root") or toc.get("file")]
    for part in toc.get("parts", []) + toc.get("chapters", []) + toc.get("sections", []):
        pages += contents(part)
    return [page for page in pages if page]


PAGES = contents(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))


def source(page, root=ROOT):
    """The file that a page of the contents is made of."""
    notebook = root / f"{page}.ipynb"
    return notebook if notebook.is_file() else root / f"{page}.md"


def stale(root=ROOT, built=BUILT, pages=PAGES):
    """Say in one sentence what of the book is not built, or is older than what it is made of."""
    html = [built / f"{page}.html" for page in pages]
    for page, file in zip(pages, html):
        if not file.is_file():
            return f"{page} is not built: build it first: make book"
    built_at = min(file.stat().st_mtime for file in html)
    for file in (file for pattern in MADE_OF.split() for file in root.glob(pattern)):
        if file.stat().st_mtime > built_at:
            return f"{file.relative_to(root)} is newer than the built book: make book"
    return ""


def the_book():
    """The folder of the built book; the test fails where the book is missing or stale."""
    if reason := stale():
        pytest.fail(reason, pytrace=False)
    return BUILT
