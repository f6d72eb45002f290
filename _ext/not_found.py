"""The page where an address leads nowhere, 404.html: that of the search, with other words.

Why: a host shows it at whatever address was asked for, at any depth, so its links must not begin
there. They begin where the book is published.
"""

import re
from pathlib import Path
from urllib.parse import urlsplit

from messages import _

ADVICE = (
    "It may have another number now. Search for its words, or begin at the "
    '<a href="index.html">front page</a>, which lists all pages.'
)


def changes(app):
    """What is replaced in the page of the search, as patterns, and by what."""
    yield "<head>", f'<head>\n    <base href="{urlsplit(app.config.html_baseurl).path}">'
    yield r"<title>[^<]*? - ", f"<title>{_('Not found')} - "
    yield r"<h1>.*?</h1>", f"<h1>{_('This page isn’t here')}</h1>\n    <p>{_(ADVICE)}</p>"
    yield 'action="#"', 'action="search.html"'
    # Else it would lead to the front page.
    yield 'href="#main-content"', 'href="404.html#main-content"'


def write_not_found(app, exception):
    if exception or app.builder.name != "html":
        return
    html = (Path(app.outdir) / "search.html").read_text(encoding="utf-8")
    for pattern, new in changes(app):
        html, count = re.subn(pattern, lambda _found: new, html)
        if not count:
            raise ValueError(f"search.html is without {pattern!r}: the theme has changed")
    (Path(app.outdir) / "404.html").write_text(html, encoding="utf-8")


def setup(app):
    app.connect("build-finished", write_not_found)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
