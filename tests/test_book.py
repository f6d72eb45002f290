"""The built book in `_build/html`, read as text; and the book's own extensions, on a small book.

Each rule is a function from a folder of HTML (or one page of it) to sentences that name the page,
its line and the fault. Each is shown to fail on HTML that breaks it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from importlib.metadata import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup

from tests.built import CONFIG, PAGES, ROOT, contents, source, stale, the_book

ADDRESS = CONFIG["repository"]["url"]
BRANCH = CONFIG["repository"]["branch"]
COLAB = (
    f"https://colab.research.google.com/github/{urlsplit(ADDRESS).path.strip('/')}/blob/{BRANCH}"
)


# ---------------------------------------------------------------- reading


@lru_cache(maxsize=None)
def read(path, age):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def soup(path):
    """The parsed page; parsed again only when the file has changed."""
    return read(path, path.stat().st_mtime_ns)


def html_files(folder):
    """Every page that a reader can open."""
    return [p for p in sorted(folder.rglob("*.html")) if "_static" not in p.parts]


def at(folder, path, line):
    return f"{path.relative_to(folder).as_posix()}:{line}"


def article(path):
    """The text of the page without the theme around it."""
    page = soup(path)
    return page.find("article", class_="bd-article") or page.body or page


# ---------------------------------------------------------------- the rules


def pages_missing(folder, pages):
    """Every page of the contents is there, has text, and can be searched."""
    index = folder / "searchindex.js"
    searched = index.read_text(encoding="utf-8") if index.is_file() else ""
    for page in pages:
        path = folder / f"{page}.html"
        if not path.is_file():
            yield f"{page}.html: named in _toc.yml, not in the book"
        elif len(article(path).get_text(" ", strip=True)) < 20:
            yield f"{at(folder, path, 1)}: the page is empty"
        if f'"{page}"' not in searched:
            yield f"{page}.html: the search does not know the page"


def links_broken(folder):
    """Every link inside the book leads to a file, and to a place in it."""
    ids = {p: {t["id"] for t in soup(p).find_all(id=True)} for p in html_files(folder)}
    for path in html_files(folder):
        for tag in soup(path).find_all(["a", "link", "area"], href=True):
            url = urlsplit(tag["href"])
            if url.scheme or url.netloc:
                continue
            where = f"{at(folder, path, tag.sourceline)}: link to {tag['href']}:"
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_relative_to(folder.resolve()):
                yield f"{where} leaves the book"
            elif not target.is_file():
                yield f"{where} no such file"
            elif url.fragment and target.suffix == ".html":
                known = {p.resolve(): names for p, names in ids.items()}.get(target.resolve(), ())
                if unquote(url.fragment) not in known:
                    yield f"{where} no such place on that page"


def images_wrong(folder):
    """Every image is there, and each that the author put says in a sentence what it shows."""
    for path in html_files(folder):
        for tag in soup(path).find_all("img"):
            where = f"{at(folder, path, tag.sourceline)}: image {tag.get('src', '')[:80]}:"
            url = urlsplit(tag.get("src", ""))
            if not url.scheme and not (path.parent / unquote(url.path)).is_file():
                yield f"{where} no such file"
            alt = tag.get("alt", "").strip()
            if not alt:
                yield f"{where} no alternative text"
            elif tag.find_parent("article"):
                if re.search(r"\.(png|svg|jpe?g|gif|webp)$|[0-9a-f]{16}", alt):
                    yield f"{where} its alternative text is a file name: {alt}"
                elif len(alt.split()) < 4 or not re.search(r"[.!?]$", alt):
                    yield f"{where} its alternative text is no sentence: {alt}"


def colab_wrong(folder, notebooks):
    """Each page that is a notebook opens on Colab, by its text and by the button at its top."""
    for page in notebooks:
        path = folder / f"{page}.html"
        wanted = f"{COLAB}/{page}.ipynb"
        text, button = article(path), soup(path).select_one(".dropdown-launch-buttons")
        for name, part in (("text", text), ("launch button", button)):
            links = part.find_all("a", href=re.compile(r"colab\.research")) if part else []
            if not links:
                yield f"{at(folder, path, 1)}: no link to Colab in its {name}, want {wanted}"
            for link in links[:1]:
                if link["href"] != wanted:
                    yield (
                        f"{at(folder, path, link.sourceline)}: link to Colab in its {name}: "
                        f"{link['href']} should be {wanted}"
                    )


LOADING = {  # what a browser loads by itself; the rest of the links wait for a click
    "script": ["src"],
    "img": ["src", "srcset"],
    "source": ["src", "srcset"],
    "iframe": ["src"],
    "video": ["src", "poster"],
    "audio": ["src"],
    "embed": ["src"],
    "object": ["data"],
    "track": ["src"],
    "input": ["src"],
    "base": ["href"],
    "use": ["href", "xlink:href"],
    "image": ["href", "xlink:href"],
    "frame": ["src"],
    "body": ["background"],
}
LOADING_RELATIONS = {
    "stylesheet",
    "icon",
    "apple-touch-icon",
    "preload",
    "prefetch",
    "preconnect",
    "dns-prefetch",
    "modulepreload",
    "prerender",
    "manifest",
}
OUTSIDE = re.compile(r"^\s*(?:(?:https?|wss?|ftp):)?//", re.IGNORECASE)
IN_STYLE = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", re.IGNORECASE)


def outside_in_style(css):
    """(line, address) of each thing of another host that a stylesheet loads."""
    css = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), css, flags=re.DOTALL)
    for found in IN_STYLE.finditer(css):
        address = found[1] or found[2]
        if OUTSIDE.match(address):
            yield css.count("\n", 0, found.start()), address


def other_hosts(folder):
    """Nothing in the book makes a browser ask another host."""
    for path in html_files(folder):
        for tag in soup(path).find_all(True):
            addresses = [tag.get(name, "") for name in LOADING.get(tag.name, ())]
            if tag.name == "link" and LOADING_RELATIONS & {r.lower() for r in tag.get("rel", [])}:
                addresses.append(tag.get("href", ""))
            if tag.name == "meta" and tag.get("http-equiv", "").lower() == "refresh":
                addresses.append(tag.get("content", "").partition("=")[2])
            styles = [tag.get("style", ""), tag.get_text() if tag.name == "style" else ""]
            addresses += [a for style in styles for _, a in outside_in_style(style)]
            for address in addresses:
                if any(OUTSIDE.match(part) for part in address.split(",")):
                    where = at(folder, path, tag.sourceline)
                    yield f"{where}: <{tag.name}> loads {address.strip()}"
    for path in sorted(folder.rglob("*.css")):
        for line, address in outside_in_style(path.read_text(encoding="utf-8")):
            yield f"{at(folder, path, line + 1)}: the stylesheet loads {address}"


RAW = re.compile(
    r"\$\$|\\tag\b|`{3}|\{(?:eq|ref|doc|numref|term|cite\w*|math)\}|</?details|</?summary|^:::"
    r"|^\([\w-]+\)=|!?\[[^\]\n]*\]\([^)\s]+\)|\*\*\w|\\(?:frac|mathbf|mathbb|sum|operatorname)\b",
    re.MULTILINE,
)


def raw_markup(folder):
    """No Markdown and no TeX is left as text, and every formula was rendered."""
    for path in html_files(folder):
        for wrong in soup(path).select(".katex-error, merror, .problematic, .system-message"):
            yield f"{at(folder, path, wrong.sourceline)}: not rendered: {wrong.get_text()[:80]}"
        for text in article(path).find_all(string=True):
            skipped = text.find_parent(["code", "pre", "script", "style", "annotation"])
            found = None if skipped else RAW.search(text)
            if found:
                line = (text.parent.sourceline or 1) + text.count("\n", 0, found.start())
                yield f"{at(folder, path, line)}: raw markup in the text: {found[0]}"


def skeleton_wrong(folder):
    """A language, a title, a width for phones, one level-one heading, and no id given twice."""
    for path in html_files(folder):
        page = soup(path)
        if not (page.html and page.html.get("lang")):
            yield f"{at(folder, path, 1)}: <html> names no language"
        if not (page.title and page.title.get_text(strip=True)):
            yield f"{at(folder, path, 1)}: the page has no title"
        if not page.find("meta", attrs={"name": "viewport"}):
            yield f"{at(folder, path, 1)}: no viewport, so a phone shows the page too small"
        headings = page.find_all("h1")
        if len(headings) != 1:
            line = headings[1].sourceline if headings else 1
            yield f"{at(folder, path, line)}: {len(headings)} level-one headings instead of 1"
        seen = {}
        for tag in page.find_all(id=True):
            if tag["id"] in seen:
                yield (
                    f"{at(folder, path, tag.sourceline)}: the id {tag['id']} stands already "
                    f"on line {seen[tag['id']]}"
                )
            seen.setdefault(tag["id"], tag.sourceline)


def downloads_wrong(folder, pages, root=ROOT):
    """Each page offers its own source, and that is the file in the repository."""
    for page in pages:
        path, file = folder / f"{page}.html", source(page, root)
        links = soup(path).select("a.btn-download-source-button")
        if not links:
            yield f"{at(folder, path, 1)}: nothing to download"
        for link in links:
            offered = path.parent / unquote(link["href"])
            if not offered.is_file() or offered.read_bytes() != file.read_bytes():
                yield (
                    f"{at(folder, path, link.sourceline)}: the download {link['href']} is not "
                    f"the file {file.relative_to(root)}"
                )


NOTEBOOKS = [page for page in PAGES if source(page).suffix == ".ipynb"]
RULES = {
    "pages": lambda folder: pages_missing(folder, PAGES),
    "links": links_broken,
    "images": images_wrong,
    "colab": lambda folder: colab_wrong(folder, NOTEBOOKS),
    "other hosts": other_hosts,
    "raw markup": raw_markup,
    "skeleton": skeleton_wrong,
    "downloads": lambda folder: downloads_wrong(folder, PAGES),
}


@pytest.mark.parametrize("rule", RULES)
def test_the_book(rule):
    faults = list(RULES[rule](the_book()))
    assert not faults, "\n".join(["", *faults])


# ---------------------------------------------------------------- each rule fails where it should

GOOD = """<!DOCTYPE html>
<html lang="en"><head><title>Good</title>
<meta name="viewport" content="width=device-width">
<link rel="canonical" href="https://example.org/"><link rel="stylesheet" href="a.css"></head>
<body><div class="dropdown-launch-buttons"><a href="COLAB/a.ipynb">Colab</a></div>
<a class="btn-download-source-button" href="_sources/a.ipynb">.ipynb</a>
<article class="bd-article"><h1 id="top">Good</h1>
<p>A page with enough text, <a href="https://example.org">a link out</a>,
<a href="#top">a link up</a> and <a href="COLAB/a.ipynb">one to Colab</a>.</p>
<img src="a.png" alt="A curve that rises to 1.">
<code>$$ in code $$</code>
</article></body></html>
""".replace("COLAB", COLAB)

BROKEN = [
    ("pages", "A page with enough text", None, "a.html: named in _toc.yml, not in the book"),
    ("pages", GOOD, "<html></html>", "a.html:1: the page is empty"),
    ("links", '"#top">a', '"#gone">a', "a.html:9: link to #gone: no such place on that page"),
    ("links", '"#top">a', '"b.html">a', "a.html:9: link to b.html: no such file"),
    ("links", '"#top">a', '"../x.html">a', "a.html:9: link to ../x.html: leaves the book"),
    ("images", '"a.png"', '"b.png"', "a.html:10: image b.png: no such file"),
    (
        "images",
        ' alt="A curve that rises to 1."',
        "",
        "a.html:10: image a.png: no alternative text",
    ),
    (
        "images",
        "A curve that rises to 1.",
        "../a.png",
        "a.html:10: image a.png: its alternative text is a file name",
    ),
    (
        "images",
        "A curve that rises to 1.",
        "A curve",
        "a.html:10: image a.png: its alternative text is no sentence",
    ),
    (
        "colab",
        f'{COLAB}/a.ipynb">one',
        f'{COLAB}/b.ipynb">one',
        "a.html:9: link to Colab in its text",
    ),
    (
        "colab",
        f'{COLAB}/a.ipynb">Colab',
        'a.css">Colab',
        "a.html:1: no link to Colab in its launch button",
    ),
    (
        "other hosts",
        "<h1",
        '<script src="https://cdn.org/a.js"></script><h1',
        "a.html:7: <script> loads https://cdn.org",
    ),
    (
        "other hosts",
        "<h1",
        '<img src="//cdn.org/a.png"><h1',
        "a.html:7: <img> loads //cdn.org/a.png",
    ),
    (
        "other hosts",
        "<h1",
        '<iframe src="http://cdn.org"></iframe><h1',
        "a.html:7: <iframe> loads http://cdn.org",
    ),
    (
        "other hosts",
        "<h1",
        '<img srcset="a.png 1x, https://cdn.org/b.png 2x"><h1',
        "a.html:7: <img> loads",
    ),
    (
        "other hosts",
        'rel="canonical"',
        'rel="preconnect"',
        "a.html:4: <link> loads https://example.org/",
    ),
    (
        "other hosts",
        "<h1",
        '<style>@import "https://cdn.org/a.css";</style><h1',
        "a.html:7: <style> loads",
    ),
    (
        "other hosts",
        "<h1",
        '<p style="background: url(https://cdn.org/a.png)"><h1',
        "a.html:7: <p> loads",
    ),
    (
        "other hosts",
        "a.css",
        "h { src: url('https://fonts.org/a.woff2') }",
        "a.css:2: the stylesheet loads https://fonts.org",
    ),
    ("raw markup", "enough text", "$$ x $$", "a.html:8: raw markup in the text: $$"),
    ("raw markup", "enough text", r"x \tag{1}", r"a.html:8: raw markup in the text: \tag"),
    ("raw markup", "enough text", "\n```{note}", "a.html:9: raw markup in the text: ```"),
    ("raw markup", "enough text", "{eq}`a`", "a.html:8: raw markup in the text: {eq}"),
    ("raw markup", "enough text", "&lt;details&gt;", "a.html:8: raw markup in the text: <details"),
    ("raw markup", "enough text", "[a](b.md)", "a.html:8: raw markup in the text: [a](b.md)"),
    (
        "raw markup",
        "enough text",
        '<code class="katex-error">\\x</code>',
        "a.html:8: not rendered: \\x",
    ),
    ("skeleton", ' lang="en"', "", "a.html:1: <html> names no language"),
    ("skeleton", "<title>Good</title>", "", "a.html:1: the page has no title"),
    ("skeleton", 'name="viewport"', "", "a.html:1: no viewport"),
    ("skeleton", "<p>", "<h1>x</h1><p>", "a.html:8: 2 level-one headings instead of 1"),
    ("skeleton", "<p>", '<p id="top">', "a.html:8: the id top stands already on line 7"),
    (
        "downloads",
        "_sources/a.ipynb",
        "a.png",
        "a.html:6: the download a.png is not the file a.ipynb",
    ),
    ("downloads", "btn-download-source-button", "", "a.html:1: nothing to download"),
]


def small_folder(folder, html=GOOD, css="p { color: red }"):
    """A folder as the build would leave it, with one page made of `a.ipynb`."""
    (folder / "_sources").mkdir(parents=True)
    for name in ("_sources/a.ipynb", "a.ipynb"):
        (folder / name).write_text("{}")
    (folder / "a.png").write_bytes(b"image")
    (folder / "a.css").write_text(f"/* url(https://in.a.comment) */\n{css}")
    (folder / "searchindex.js").write_text('Search.setIndex({"docnames":["a"]})')
    if html is not None:
        (folder / "a.html").write_text(html)
    return folder


def apply(rule, folder):
    """A rule on the small folder, whose contents are the page "a"."""
    own = {
        "pages": lambda: pages_missing(folder, ["a"]),
        "colab": lambda: colab_wrong(folder, ["a"]),
        "downloads": lambda: downloads_wrong(folder, ["a"], folder),
    }
    return list(own[rule]() if rule in own else RULES[rule](folder))


@pytest.mark.parametrize("rule", RULES)
def test_a_good_page_passes(rule, tmp_path):
    assert apply(rule, small_folder(tmp_path)) == []


@pytest.mark.parametrize("rule, before, after, message", BROKEN)
def test_a_broken_page_fails(rule, before, after, message, tmp_path):
    if before == "a.css":
        small_folder(tmp_path, css=after)
    else:
        small_folder(tmp_path, html=None if after is None else GOOD.replace(before, after))
    found = apply(rule, tmp_path)
    assert any(fault.startswith(message) for fault in found), found


def test_a_page_that_the_search_does_not_know_fails(tmp_path):
    small_folder(tmp_path)
    (tmp_path / "searchindex.js").write_text('Search.setIndex({"docnames":[]})')
    assert apply("pages", tmp_path) == ["a.html: the search does not know the page"]


def test_a_book_that_is_missing_or_stale_is_named(tmp_path):
    root, built = tmp_path, tmp_path / "_build" / "html"
    assert stale(root, built, ["a"]) == "a is not built: build it first: make book"
    built.mkdir(parents=True)
    (built / "a.html").write_text("")
    assert stale(root, built, ["a"]) == ""
    for name in ("a.md", "_config.yml"):
        (root / name).write_text("")
        os.utime(root / name, (2e9, 2e9))
        sentence = f"{name} is newer than the built book: build it first: make book"
        assert stale(root, built, ["a"]) == sentence
        (root / name).unlink()


def test_the_contents_are_read_whole():
    toc = """
        root: index
        parts: [{caption: A, chapters: [{file: a, sections: [{file: b}]}]}, {chapters: [{file: c}]}]
    """
    assert contents(yaml.safe_load(toc)) == ["index", "a", "b", "c"]


# ---------------------------------------------------------------- the extensions in _ext/

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    "AAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PLAIN = r"""# A page

A formula $x^2$ and a long one:

$$ y = x \tag{7.1} $$

$$ \begin{align} a &= b \\ c &= d \end{align} $$ (numbered)

> **Note.** This is *noted*.

> This is quoted.

## Exercise 7.1: do (easy, 1 minute)

Do.
"""
WRONG = r"""# Wrong

An image: ![](figure.png)

A formula: $\frac{a}{$

$$ \nosuchcommand $$

$$ \href{https://example.org}{x} $$

A link: [gone](01_page.ipynb#gone)
"""


def text_cell(*lines):
    return {"cell_type": "markdown", "id": "text", "metadata": {}, "source": list(lines)}


def figure_cell(name, source, image_metadata):
    png = {"data": {"image/png": PIXEL, "text/plain": ["."]}, "output_type": "display_data"}
    return {
        "cell_type": "code",
        "execution_count": 1,
        "id": name,
        "source": source,
        "metadata": {"tags": ["hide-cell"]},
        "outputs": [png | {"metadata": {"image/png": image_metadata}}],
    }


@pytest.fixture(scope="module")
def small_book(tmp_path_factory):
    """A book with our settings and extensions, one page right and three wrong; and what it said."""
    root = tmp_path_factory.mktemp("book")
    for name in ("_ext", "_static"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "_config.yml", root)
    pages = ["plain", "wrong", "01_page"]
    chapters = "".join(f"  - file: chapters/{page}\n" for page in pages)
    (root / "_toc.yml").write_text(f"format: jb-book\nroot: index\nchapters:\n{chapters}")
    (root / "chapters").mkdir()
    shutil.copy(ROOT / "_static" / "favicon.svg", root / "chapters" / "figure.png")
    (root / "index.md").write_text("# Front\n")
    (root / "chapters" / "plain.md").write_text(PLAIN)
    (root / "chapters" / "wrong.md").write_text(WRONG)
    notebook = {
        "cells": [
            text_cell("# 1. A notebook\n", "\n", "Wrong: $\\wrong$.\n"),
            figure_cell(
                "one", ["# @title Solution 1.1\n", "x"], {"alt": "A dot, 1 by 1.", "width": 77}
            ),
            text_cell("Between."),
            figure_cell("two", ["y = 1\n", "y"], {}),
        ],
        "metadata": {
            "kernelspec": {"display_name": "P", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (root / "chapters" / "01_page.ipynb").write_text(json.dumps(notebook, indent=1, sort_keys=True))
    command = [
        Path(sys.executable).with_name("jupyter-book"),
        "build",
        ".",
        "-W",
        "-n",
        "--keep-going",
    ]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, env=os.environ | {"NO_COLOR": "1"}
    )
    said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
    return root / "_build" / "html", done.returncode, said


def line_of(folder, file, text):
    lines = (folder.parents[1] / file).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def test_a_wrong_book_does_not_build(small_book):
    assert small_book[1] != 0


@pytest.mark.parametrize(
    "file, text, words, message",
    [
        ("wrong.md", "An image", "", "image without alternative text"),
        ("wrong.md", "frac", "", "formula: Unexpected end of input"),
        ("wrong.md", "nosuch", "", "formula: Undefined control sequence: \\nosuchcommand"),
        ("wrong.md", "href", "", "formula: a command that KaTeX does not allow"),
        ("wrong.md", "A link", "", "local id not found"),
        ("01_page.ipynb", "Wrong", "text above cell [1], line 3: ", "formula: Undefined control"),
        ("01_page.ipynb", "y = 1", "cell [2], line 1: ", "image without alternative text"),
    ],
)
def test_a_fault_is_named_with_its_line(small_book, file, text, words, message):
    built, _, said = small_book
    file = f"chapters/{file}"
    assert f"{file}:{line_of(built, file, text)}: {words}WARNING: {message}" in said, said


def test_nothing_else_is_a_fault(small_book):
    assert small_book[2].count("WARNING") == 7, small_book[2]


def test_formulas_are_rendered(small_book):
    page = soup(small_book[0] / "chapters" / "plain.html")
    assert len(page.select("article .katex")) == len(page.select("article math")) == 3
    assert [tag.get_text() for tag in page.select(".tag .mord.text")] == ["(7.1)"]
    assert "align*" in page.select("annotation")[-1].get_text()
    assert page.select_one(".eqno").get_text().startswith("(1)")
    assert all(box["tabindex"] == "0" for box in page.select("div.math"))
    assert not page.find("script", string=re.compile("MathJax"))
    sheets = "link[href*='katex.min.css']"
    assert page.select(sheets) and not soup(small_book[0] / "search.html").select(sheets)


def test_plain_markdown_is_dressed(small_book):
    page = soup(small_book[0] / "chapters" / "plain.html")
    assert page.select_one("section.exercise h2").get_text().startswith("Exercise 7.1")
    assert page.select_one(".admonition.note").get_text(" ", strip=True) == "Note This is noted ."
    assert [quote.get_text(strip=True) for quote in page.find_all("blockquote")] == [
        "This is quoted."
    ]


def test_an_output_keeps_its_alt_and_width_and_a_folded_cell_its_name(small_book):
    page = soup(small_book[0] / "chapters" / "01_page.html")
    image = page.select_one(".cell_output img")
    assert image["alt"] == "A dot, 1 by 1." and "width: 77" in image["style"]
    named, plain = page.select("details.hide summary")
    assert set(named.stripped_strings) == {"Solution 1.1"}
    assert "Show code cell content" in plain.stripped_strings


def test_stylesheet_and_fonts_are_of_the_katex_that_renders():
    css = (ROOT / "_ext" / "katex" / "katex.min.css").read_text()
    version = re.search(r'version:after\{content:"([\d.]+)"', css)[1]
    assert f"KaTeX v{version}" in metadata("pykatex").get_payload()
    fonts = set(re.findall(r"url\(([^)]+)\)", css))
    folder = ROOT / "_ext" / "katex"
    assert fonts == {p.relative_to(folder).as_posix() for p in folder.glob("fonts/*")}
