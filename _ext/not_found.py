"""The page where an address leads nowhere, 404.html: that of the search, with other words.

Why: a host shows it at whatever address was asked for, at any depth, so its links must not begin
there. Its first script looks for the nearest folder above that has the book's style sheet, and all
links begin in that one, wherever the book is served from.
"""

from pathlib import Path

BASE = """
    <script>
      // Where the book begins: a file is there already.
      for (let folders = location.protocol === "file:" ? "" : location.pathname; folders; ) {
        folders = folders.slice(0, folders.lastIndexOf("/"));
        const asked = new XMLHttpRequest();
        asked.open("HEAD", `${folders}/_static/book.css`, false);
        asked.send();
        if (asked.status !== 200 || !asked.getResponseHeader("Content-Type")?.includes("css")) continue;
        document.head.append(Object.assign(document.createElement("base"), { href: `${folders}/` }));
        break;
      }
    </script>"""
WORDS = (
    "<h1>This page isn’t here</h1>\n    <p>It may have another number now. Search for its words, or "
    'begin at the <a href="index.html">front page</a>, which lists all pages.</p>'
)
CHANGES = {
    "<head>": f"<head>{BASE}",
    "<title>Search - ": "<title>Not found - ",
    "<h1>Search</h1>": WORDS,
    'action="#"': 'action="search.html"',
    'href="#main-content"': 'href="404.html#main-content"',  # else it would lead to the front page
}


def write_not_found(app, exception):
    if exception or app.builder.name != "html":
        return
    html = (Path(app.outdir) / "search.html").read_text(encoding="utf-8")
    for old, new in CHANGES.items():
        if old not in html:
            raise ValueError(f"search.html is without {old!r}: the theme has changed")
        html = html.replace(old, new)
    (Path(app.outdir) / "404.html").write_text(html, encoding="utf-8")


def setup(app):
    app.connect("build-finished", write_not_found)
