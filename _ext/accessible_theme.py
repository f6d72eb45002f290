"""Mend the theme's faults for those who read by ear or by keyboard, in the written pages.

Why: they stand in the theme's templates, which change with its version; a few replacements in the
HTML are less to keep than copies of those templates. `tests/test_browser.py` finds what is left.
"""

import re
from pathlib import Path

MENDS = [
    # The book's title and the search button stand outside any landmark.
    (
        '<div id="pst-primary-sidebar" class="',
        '<div id="pst-primary-sidebar" role="complementary" aria-label="The book" class="',
    ),
    # A second level-one heading, which only the print shows.
    (
        r'(<div id="jb-print-docs-body" class="onlyprint">\s*)<h1>(.*?)</h1>',
        r'\1<p class="h1">\2</p>',
    ),
    # "Contents", the same, above a table of contents for print.
    (r'(<div id="jb-print-toc">\s*<div>\s*)<h2>(.*?)</h2>', r'\1<p class="h2">\2</p>'),
    # The icons' titles compete with the name of the button that they stand in.
    (r'(<i class="theme-switch [^>]*?) title="[^"]*"', r"\1"),
    # The search button's name is its word; its keys are for the eye.
    (r'(<button class="btn search-button-field [^>]*?) aria-label="Search"', r"\1"),
    (r'(<span class="search-button__kbd-shortcut")>', r'\1 aria-hidden="true">'),
    # A name beside the visible words hides them: "Toggle ..." read aloud instead of the summary.
    (r'<summary aria-label="[^"]*"', "<summary"),
    # The icons come twice, as a font and as a script of 1.5 MB; the font is enough.
    (r'\s*<script defer src="[^"]*/scripts/fontawesome\.js[^"]*"></script>', ""),
    # The empty corner of a table is no heading.
    (r"<th(?: [^>]*)?>(?:\s|<p>\s*</p>)*</th>", "<td></td>"),
]


def mend(html):
    """Return the page mended; a mended page stays as it is."""
    for pattern, replacement in MENDS:
        html = re.sub(pattern, replacement, html, flags=re.DOTALL)
    return html


def mend_pages(app, exception):
    if exception is None and app.builder.format == "html":
        for page in Path(app.outdir).rglob("*.html"):
            if "_static" not in page.parts:
                html = page.read_text(encoding="utf-8")
                mended = mend(html)
                if mended != html:
                    page.write_text(mended, encoding="utf-8")


def setup(app):
    app.connect("build-finished", mend_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
