"""Mend the theme's faults in the written pages, most of them for those who read by ear or keyboard.

Why: they stand in the theme's templates, which change with its version; a few replacements in the
HTML are less to keep than copies of those templates. `tests/test_browser.py` finds what is left,
and a replacement that finds nothing in the whole book is a warning: the theme has changed.
"""

import re
from functools import partial
from pathlib import Path

from sphinx.util import logging

from messages import _

LOGGER = logging.getLogger(__name__)
MENDS = [
    # The book's title and the search button stand outside any landmark.
    (
        '<div id="pst-primary-sidebar" class="',
        '<div id="pst-primary-sidebar" role="complementary" aria-label="{book}" class="',
    ),
    # A second level-one heading, which only the print shows.
    (r'(<div id="jb-print-docs-body" class="onlyprint">\s*)<h1>(.*?)</h1>', r'\1<p class="h1">\2</p>'),
    # "Contents", the same, above a table of contents for print.
    (r'(<div id="jb-print-toc">\s*<div>\s*)<h2>(.*?)</h2>', r'\1<p class="h2">\2</p>'),
    # The icons' titles compete with the name of the button that they stand in.
    (r'(<i class="theme-switch [^>]*?) title="[^"]*"', r"\1"),
    # The search button's name is its word; its keys are for the eye.
    (r'(<button class="btn search-button-field [^>]*?) aria-label="[^"]*"', r"\1"),
    (r'(<span class="search-button__kbd-shortcut")>', r'\1 aria-hidden="true">'),
    # A name beside the visible words hides them: "Toggle ..." read aloud instead of the summary.
    (r'<summary aria-label="[^"]*"', "<summary"),
    # The icons come twice, as a font and as a script of 1.5 MB; the font is enough.
    (r'\s*<script defer src="[^"]*/scripts/fontawesome\.js[^"]*"></script>', ""),
    # The search of Sphinx, on each page; _static/book.js has its own.
    (r'\n *<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^"]*"></script>', ""),
]


def mend_pages(written, app, exception):
    """Mend the pages; one that an earlier build has written and mended stays as it is."""
    if exception:
        return
    counts = [0] * len(MENDS)
    for path in Path(app.outdir).rglob("*.html"):
        if "_static" not in path.parts:
            mended = html = path.read_text(encoding="utf-8")
            for i, (pattern, replacement) in enumerate(MENDS):
                replacement = replacement.replace("{book}", _("The book"))
                mended, count = re.subn(pattern, replacement, mended, flags=re.DOTALL)
                counts[i] += count
            if mended != html:
                path.write_text(mended, encoding="utf-8")
    if app.env.found_docs <= written:
        for (pattern, _replacement), count in zip(MENDS, counts):
            if not count:
                LOGGER.warning("nothing to mend is like %s", pattern, type="accessible_theme")


def setup(app):
    written = set()
    app.connect("html-page-context", lambda app, page, *rest: written.add(page))
    app.connect("build-finished", partial(mend_pages, written))
    # A process that writes some of the pages would not say which.
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}
