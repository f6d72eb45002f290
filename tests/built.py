"""The built book, as tests/test_book.py and tests/test_browser.py look at it."""

from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "_build" / "html"
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))


def contents(toc):
    """Every page that a `_toc.yml`, read as a dict, names, in reading order."""
    pages = [toc.get("root") or toc.get("file")]
    for part in toc.get("parts", []) + toc.get("chapters", []) + toc.get("sections", []):
        pages += contents(part)
    return [page for page in pages if page]


PAGES = contents(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))


def source(page, root=ROOT):
    """The file that a page of the contents is made of."""
    for suffix in (".ipynb", ".md"):
        if (root / f"{page}{suffix}").is_file():
            return root / f"{page}{suffix}"
    return root / page


def stale(root, built, pages):
    """Say in one sentence what of the book is not built, or is older than what it is made of."""
    missing = [page for page in pages if not (built / f"{page}.html").is_file()]
    if missing:
        return f"{missing[0]} is not built: build it first: make book"
    ages = {page: (built / f"{page}.html").stat().st_mtime for page in pages}
    for page, age in ages.items():
        file = source(page, root)
        if file.is_file() and file.stat().st_mtime > age:
            return (
                f"{file.relative_to(root)} is newer than the built book: build it first: make book"
            )
    settings = [
        root / "_config.yml",
        root / "_toc.yml",
        *root.glob("_static/*"),
        *root.glob("chapters/figures/*"),
        *root.glob("_ext/*.py"),
    ]
    for file in settings:
        if file.is_file() and file.stat().st_mtime > min(ages.values()):
            return (
                f"{file.relative_to(root)} is newer than the built book: build it first: make book"
            )
    return ""


def the_book():
    """The folder of the built book; the test fails where the book is missing or stale."""
    if reason := stale(ROOT, BUILT, PAGES):
        pytest.fail(reason, pytrace=False)
    return BUILT
