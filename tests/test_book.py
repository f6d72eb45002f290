"""The built book in `_build/html`, read as text; and the book's own extensions, on a small book.

A rule looks at a folder of HTML and yields where a fault is (file, line) and what it is. Each is
shown to fail on HTML that breaks it. Links and texts of images that are wrong in the source of a
page are named there, by the rules of the pages and by the build, and not once more here.
"""

import base64
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib.metadata import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat.v4 as nb
import pytest
import yaml
from bs4 import BeautifulSoup

from tests.built import CONFIG, PAGES, ROOT, contents, source, stale, the_book

OWNER = urlsplit(CONFIG["repository"]["url"]).path.strip("/")
COLAB = f"{CONFIG['launch_buttons']['colab_url']}/github/{OWNER}/blob/main"


@cache
def read(path, age):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def soup(path):
    """The parsed page; parsed again only when the file has changed."""
    return read(path, path.stat().st_mtime_ns)


def html_files(folder):
    """Every page that a reader can open, parsed."""
    for path in sorted(folder.rglob("*.html")):
        if "_static" not in path.parts:
            yield path, soup(path)


def article(page):
    """The text of the page without the theme around it."""
    return page.find("article", class_="bd-article") or page.body or page


def pages_there(folder, pages, root):
    """Every page of the contents is there, has text, and can be searched."""
    for page in pages:
        path = folder / f"{page}.html"
        if not path.is_file():
            yield path, 1, "named in _toc.yml, not in the book"
        elif len(article(soup(path)).get_text(" ", strip=True)) < 20:
            yield path, 1, "the page is empty"
        if f'"{page}"' not in (folder / "searchindex.js").read_text(encoding="utf-8"):
            yield path, 1, "the search does not know the page"


def links(folder, pages, root):
    """Every link inside the book leads to a file, and to a place in it."""
    ids = {p.resolve(): {t["id"] for t in page(id=True)} for p, page in html_files(folder)}
    for path, page in html_files(folder):
        for tag in page.find_all(["a", "link", "area"], href=True):
            url = urlsplit(tag["href"])
            if url.scheme or url.netloc:
                continue
            target = (path.parent / unquote(url.path)).resolve() if url.path else path.resolve()
            target = target / "index.html" if target.is_dir() else target
            place = unquote(url.fragment)
            if not target.is_relative_to(folder.resolve()):
                yield path, tag.sourceline, f"link to {tag['href']}: leaves the book"
            elif not target.is_file():
                yield path, tag.sourceline, f"link to {tag['href']}: no such file"
            elif place and place not in ids.get(target, {place}):
                # So Sphinx marks the links of a text; of those without a place the build has warned.
                if not tag.select_one("article .xref, article .std-ref"):
                    yield path, tag.sourceline, f"link to {tag['href']}: no such place on that page"


def images(folder, pages, root):
    """Every image is there and has a text that is no file name."""
    for path, page in html_files(folder):
        for tag in page.find_all("img"):
            url, alt = urlsplit(tag.get("src", "")), tag.get("alt", "").strip()
            if not url.scheme and not (path.parent / unquote(url.path)).is_file():
                yield path, tag.sourceline, f"image {url.path}: no such file"
            if not alt or re.search(r"\.(png|svg|jpe?g|gif|webp)$|[0-9a-f]{16}", alt):
                yield path, tag.sourceline, f"image {url.path}: no alternative text but {alt!r}"


def buttons(folder, pages, root):
    """At its top a page offers its own source, as it is in the repository, and opens it on Colab."""
    for page in pages:
        path, file = folder / f"{page}.html", source(page, root)
        for link in soup(path).select("a.btn-download-source-button") or [{"href": "."}]:
            offered = path.parent / unquote(link["href"])
            if not offered.is_file() or offered.read_bytes() != file.read_bytes():
                yield path, 1, f"offers {offered.name} to download, not the file {file.name}"
        wanted = [f"{COLAB}/{page}.ipynb"] if file.suffix == ".ipynb" else []
        found = soup(path).select(".dropdown-launch-buttons a[href*='colab.research']")
        if [link["href"] for link in found] != wanted:
            yield path, 1, f"wanted the launch buttons {wanted}"


# Links that wait for a click, or for a machine that asks; a browser loads the rest by itself.
IDLE = {"canonical", "search", "index", "next", "prev", "author", "license", "alternate", "help"}
OUTSIDE = re.compile(r"^\s*(?:(?:https?|wss?|ftp):)?//", re.IGNORECASE)
IN_STYLE = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", re.IGNORECASE)


def in_style(css):
    """What a stylesheet loads."""
    return [a or b for a, b in IN_STYLE.findall(re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL))]


def other_hosts(folder, pages, root):
    """Nothing in the book makes a browser ask another host."""
    for path, page in html_files(folder):
        for tag in page.find_all(True):
            names = ["src", "srcset", "data", "poster", "background", "xlink:href"]
            if tag.name not in ("a", "area") and not IDLE & {*tag.get("rel", [])}:
                names.append("href")
            asked = [part for name in names for part in tag.get(name, "").split(",")]
            if tag.get("http-equiv", "").lower() == "refresh":
                asked.append(tag.get("content", "").partition("=")[2])
            style = tag.get("style", "") + (tag.get_text() if tag.name == "style" else "")
            for address in filter(OUTSIDE.match, [*asked, *in_style(style)]):
                yield path, tag.sourceline, f"<{tag.name}> loads {address.strip()}"
    for path in sorted(folder.rglob("*.css")):
        for address in filter(OUTSIDE.match, in_style(path.read_text(encoding="utf-8"))):
            yield path, 1, f"the stylesheet loads {address}"


RAW = re.compile(
    r"\$\$|\$[^\s$][^$\n]*\$|\\tag\b|`{3}|\{(?:eq|ref|doc|numref|term|cite\w*|math)\}|</?details|</?summary|^:::"
    r"|^\([\w-]+\)=|!?\[[^\]\n]*\]\([^)\s]+\)|\*\*\w|\\(?:frac|mathbf|mathbb|sum|operatorname)\b",
    re.MULTILINE,
)


UNRENDERED = ".katex-error, merror, .problematic, .system-message, .math:not(:has(.katex))"


def raw_markup(folder, pages, root):
    """No Markdown and no TeX is left as text, and every formula was rendered."""
    for path, page in html_files(folder):
        for wrong in page.select(UNRENDERED):
            yield path, wrong.sourceline, f"not rendered: {wrong.get_text()[:80]}"
        for text in article(page).find_all(string=RAW):
            if not text.find_parent(["code", "pre", "script", "style", "annotation"]):
                found = RAW.search(text)
                line = text.parent.sourceline + text.count("\n", 0, found.start())
                yield path, line, f"raw markup in the text: {found[0]}"


def skeleton(folder, pages, root):
    """A language, a title, a width for phones, one level-one heading, and no id given twice."""
    for path, page in html_files(folder):
        for wanted in ("html[lang]", "head title:not(:empty)", "head:has([name=viewport])", "h1"):
            if len(page.select(wanted)) != 1:
                yield path, 1, f"{len(page.select(wanted))} x {wanted} instead of one"
        for name, count in Counter(tag["id"] for tag in page.find_all(id=True)).items():
            if count > 1:
                yield path, 1, f"the id {name} stands {count} times"


RULES = [pages_there, links, images, buttons, other_hosts, raw_markup, skeleton]


def faults(rule, folder, pages, root):
    found = rule(folder, pages, root)
    return [f"{path.relative_to(folder).as_posix()}:{line}: {fault}" for path, line, fault in found]


@pytest.mark.parametrize("rule", RULES)
def test_the_book(rule):
    assert "\n".join(faults(rule, the_book(), PAGES, ROOT)) == ""


def test_the_front_page_has_a_card_for_each_page():
    cards = soup(the_book() / "index.html").select(".page-card")
    wanted = [f"{page}.html" for page in PAGES if source(page).suffix == ".ipynb"]
    assert [card.find("a")["href"] for card in cards] == wanted
    for card in cards:
        picture = card.select_one(".page-card-picture :is(svg, img)")
        assert picture.get("aria-label") or picture.get("alt"), card.get_text()
        assert "minutes" in card.get_text() and ": " not in card.get_text()


# ---------------------------------------------------------------- each rule fails where it should

GOOD = """<!DOCTYPE html>
<html lang="en"><head><title>Good</title>
<meta name="viewport" content="width=device-width">
<link rel="canonical" href="https://c.org/"><link rel="stylesheet" href="a.css"></head>
<body><div class="dropdown-launch-buttons"><a href="COLAB/a.ipynb">Colab</a></div>
<a class="btn-download-source-button" href="_sources/a.ipynb">.ipynb</a>
<article class="bd-article"><h1 id="top">Good</h1>
<p>A page with enough text, <a href="https://c.org">a link out</a>,
<a href="#top">a link up</a>, <a href="#lost"><span class="xref">one that Sphinx has named</span></a></p>
<img src="a.png" alt="A curve that rises to 1."><code>$$ in code $$</code></article></body></html>
""".replace("COLAB", COLAB)

# (rule, what is replaced in the good page, by what, what the report begins with)
BROKEN = [
    (pages_there, GOOD, None, "a.html:1: named in _toc.yml, not in the book"),
    (pages_there, GOOD, "<html></html>", "a.html:1: the page is empty"),
    (links, '"#top">a', '"#gone">a', "a.html:9: link to #gone: no such place on that page"),
    (links, '"#top">a', '"b.html">a', "a.html:9: link to b.html: no such file"),
    (links, '"#top">a', '"../x.html">a', "a.html:9: link to ../x.html: leaves the book"),
    (links, '"#lost"', '"b.html#lost"', "a.html:9: link to b.html#lost: no such file"),
    (images, '"a.png"', '"b.png"', "a.html:10: image b.png: no such file"),
    (images, ' alt="A curve that rises to 1."', "", "a.html:10: image a.png: no alternative text"),
    (images, "A curve that rises to 1.", "../a.png", "a.html:10: image a.png: no alternative text"),
    (buttons, "/a.ipynb", "/b.ipynb", "a.html:1: wanted the launch buttons"),
    (other_hosts, "<h1", "<script src=https://c.org></script><h1", "a.html:7: <script> loads"),
    (other_hosts, "<h1", '<img src="//c.org/a.png"><h1', "a.html:7: <img> loads //c.org/a.png"),
    (other_hosts, "<h1", '<img srcset="a.png, //c.org/b.png 2x"><h1', "a.html:7: <img> loads"),
    (other_hosts, 'rel="canonical"', 'rel="preconnect"', "a.html:4: <link> loads https://c.org/"),
    (other_hosts, "<h1", '<style>@import "//c.org/a.css";</style><h1', "a.html:7: <style> loads"),
    (other_hosts, "<h1", '<p style="background: url(//c.org/a.png)"><h1', "a.html:7: <p> loads"),
    (other_hosts, "a.css", "p { src: url('//c.org/a.woff2') }", "a.css:1: the stylesheet loads"),
    (raw_markup, "enough text", "$x$", "a.html:8: raw markup in the text: $x$"),
    (raw_markup, "enough", '<i class="math">x</i>', "a.html:8: not rendered: x"),
    (raw_markup, "enough text", r"x \tag{1}", r"a.html:8: raw markup in the text: \tag"),
    (raw_markup, "enough text", "\n```{note}", "a.html:9: raw markup in the text: ```"),
    (raw_markup, "enough text", "&lt;details&gt;", "a.html:8: raw markup in the text: <details"),
    (raw_markup, "enough text", "[a](b.md)", "a.html:8: raw markup in the text: [a](b.md)"),
    (raw_markup, "enough", '<i class="katex-error">\\x</i>', "a.html:8: not rendered: \\x"),
    (skeleton, ' lang="en"', "", "a.html:1: 0 x html[lang]"),
    (skeleton, "<title>Good</title>", "", "a.html:1: 0 x head title:not(:empty)"),
    (skeleton, 'name="viewport"', "", "a.html:1: 0 x head:has([name=viewport])"),
    (skeleton, "<p>", "<h1>x</h1><p>", "a.html:1: 2 x h1"),
    (skeleton, "<p>", '<p id="top">', "a.html:1: the id top stands 2 times"),
    (buttons, '"_sources/a.ipynb', '"a.png', "a.html:1: offers a.png to download, not the file"),
    (buttons, "btn-download-source-button", "", "a.html:1: offers"),
    (pages_there, "searchindex.js", "[]", "a.html:1: the search does not know the page"),
]


def small_folder(folder, before="", after=""):
    """What the build would leave, with one page made of `a.ipynb`, and one thing wrong."""
    files = {"_sources/a.ipynb": "{}", "a.ipynb": "{}", "a.png": "image", "a.html": GOOD}
    files |= {"a.css": "/* url(//c.org) */", "searchindex.js": '{"docnames":["a"]}'}
    name, old = (before, files[before]) if before in files else ("a.html", before)
    files[name] = None if after is None else files[name].replace(old, after)
    (folder / "_sources").mkdir()
    for name, text in files.items():
        if text is not None:
            (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("rule", RULES)
def test_a_good_page_passes(rule, tmp_path):
    assert faults(rule, small_folder(tmp_path), ["a"], tmp_path) == []


@pytest.mark.parametrize("rule, before, after, message", BROKEN)
def test_a_broken_page_fails(rule, before, after, message, tmp_path):
    found = faults(rule, small_folder(tmp_path, before, after), ["a"], tmp_path)
    assert any(fault.startswith(message) for fault in found), found


def test_a_book_that_is_missing_or_stale_is_named(tmp_path):
    built = tmp_path / "_build" / "html"
    assert stale(tmp_path, built, ["a"]) == "a is not built: build it first: make book"
    built.mkdir(parents=True)
    (built / "a.html").touch()
    assert stale(tmp_path, built, ["a"]) == ""
    for name in ("a.md", "_config.yml"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (2e9, 2e9))
        assert stale(tmp_path, built, ["a"]).startswith(f"{name} is newer than the built book")
        (tmp_path / name).unlink()
    toc = "{root: i, parts: [{chapters: [{file: a, sections: [{file: b}]}]}, {chapters: [{file: c}]}]}"
    assert contents(yaml.safe_load(toc)) == ["i", "a", "b", "c"]


# ---------------------------------------------------------------- the extensions in _ext/

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
PIXEL += "AAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PLAIN = r"""# A page

A formula $x^2$ and a long one:

$$ y = x \tag{7.1} $$

By equation (7.1), Equations (7.1) and (7.9) and Figure 7.9, but not in `equation (7.1)`, it is
($x$), and as *$y$*: so.

$$ \begin{align} a &= b \\ c &= d \end{align} $$ (numbered)

> **Note.** This is *noted*.

> This is quoted.

## Exercise 7.1: do (easy, 1 minute)
"""
WRONG = r"""# Wrong

An image: ![](figure.png)

A formula: $\frac{a}{$

$$ \nosuchcommand $$

$$ \href{https://example.org}{x} $$

A link: [gone](01_page.ipynb#gone)
Another: [gone](gone.ipynb)
"""
# (file, words of the line that is named, what is said of the line)
SAID = [
    ("wrong.md", "An image", "WARNING: image without alternative text"),
    ("wrong.md", "frac", "WARNING: formula: Unexpected end of input"),
    ("wrong.md", "nosuch", "WARNING: formula: Undefined control sequence: \\nosuchcommand"),
    ("wrong.md", "href", "WARNING: formula: a command that KaTeX does not allow"),
    ("wrong.md", "A link", "WARNING: local id not found"),
    ("wrong.md", "A link", "WARNING: 'myst' cross-reference target not found"),
    ("01_page.ipynb", "Wrong", "text above cell [1], line 3: WARNING: formula: Undefined control"),
    ("01_page.ipynb", "y = 1", "cell [2], line 1: WARNING: image without alternative text"),
]


SVG = (
    '<svg class="diagram" viewBox="0 0 9 9"><title>x</title><style>x</style><path d="M1 1"/></svg>'
)
NEW = [  # (source, tags, output) of a page in the new form; text has no tags
    ("# 2. New\n\n[Open in Colab](https://c.org) · 5 minutes · easy", None, None),
    ("# @title Start: find it\n1", ["hide-cell"], None),
    ('# @title Figure 2.1: x\nshow_diagram("x", "An x.")', ["hide-input"], "text/html"),
    ("**Figure 2.1.** An *x*.\n\n> **In this page**\n>\n> **You will build** it.", None, None),
    ("# @title Setup: import\n2", ["hide-cell"], None),
    ("# @title Figure 2.2: y\ny = 3\nshow(y)", ["hide-input"], "image/png"),
    ("**Figure 2.2.** A dot.\n\nMore.", None, None),
    ("# @title Checked: it is so\nassert 4", ["verify", "hide-input"], None),
    ("| a | b | c |\n|---|---|---|\n| d | `e.f_g` | " + 20 * "word " + "|", None, None),
    ("## Exercise 2.1: do $x$ (easy, 5 minutes)\n\nTask.", None, None),
    ("# @title Check of exercise 2.1\n5", ["check", "hide-input"], None),
    ("6", ["exercise"], None),
    ("# @title Solution 2.1\n7", ["hide-cell", "solution"], None),
    ("<details>\n<summary>Why</summary>\n\nBecause.\n\n</details>\n\n## End", None, None),
]


def new_cell(source, tags, kind):
    if tags is None:
        return nb.new_markdown_cell(source)
    drawing = f"data:image/svg+xml;base64,{base64.b64encode(SVG.encode()).decode()}"
    data = {"image/png": PIXEL, "text/html": f'<img alt="A thing to see." src="{drawing}">'}
    about = {kind: {"alt": "A thing to see."}} if kind else {}
    if kind == "text/html":
        about[kind]["diagram"] = "x"
    outputs = [nb.new_output("display_data", {kind: data[kind]}, metadata=about)] if kind else []
    return nb.new_code_cell(source, outputs=outputs, metadata={"tags": tags})


def figure_cell(code, about):
    figure = nb.new_output("display_data", {"image/png": PIXEL}, metadata={"image/png": about})
    return nb.new_code_cell(code, outputs=[figure], metadata={"tags": ["hide-cell"]})


@pytest.fixture(scope="module")
def small_book(tmp_path_factory):
    """A book with our settings and extensions, one page right and two wrong; and what it said."""
    root = tmp_path_factory.mktemp("book")
    for name in ("_ext", "_static"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    theme = root / "_ext" / "accessible_theme.py"
    theme.write_text(theme.read_text().replace("MENDS = [", 'MENDS = [("never there", ""),'))
    shutil.copy(ROOT / "_config.yml", root)
    (root / "chapters").mkdir()
    shutil.copy(ROOT / "_static" / "favicon.svg", root / "chapters" / "figure.png")
    cells = [
        nb.new_markdown_cell("# 1. A notebook\n\nWrong: $\\wrong$.\n"),
        figure_cell("# @title Solution 1.1\nx", {"alt": "A dot, 1 by 1.", "width": 77}),
        nb.new_markdown_cell("**Figure 1.1.** A dot.\n\nFigure 1.1 is none of equation (7.1)."),
        figure_cell("y = 1\ny", {}),
    ]
    about = {"kernelspec": {"display_name": "P", "language": "python", "name": "python3"}}
    about |= {"language_info": {"name": "python"}}
    notebook = nb.new_notebook(cells=cells, metadata=about)
    new = nb.new_notebook(cells=[new_cell(*cell) for cell in NEW], metadata=about)
    pages = {"plain.md": PLAIN, "wrong.md": WRONG, "01_page.ipynb": nb.writes(notebook)}
    pages["02_new.ipynb"] = nb.writes(new)
    for name, text in pages.items():
        (root / "chapters" / name).write_text(text)
    chapters = "".join(f"  - file: chapters/{Path(name).stem}\n" for name in pages)
    (root / "_toc.yml").write_text(f"format: jb-book\nroot: index\nchapters:\n{chapters}")
    (root / "index.md").write_text("# Front\n")
    program = Path(sys.executable).with_name("jupyter-book")
    command = [program, *"build . -W -n --keep-going".split()]
    environment = os.environ | {"NO_COLOR": "1"}
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, env=environment)
    assert done.returncode != 0
    return root / "_build" / "html", re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)


def test_each_fault_is_named_once_with_its_line(small_book):
    built, said = small_book
    assert said.count("WARNING") == len(SAID) + 1, said
    assert "WARNING: nothing to mend is like never there" in said
    for file, words, message in SAID:
        lines = (built.parents[1] / "chapters" / file).read_text().splitlines()
        line = next(i for i, text in enumerate(lines, 1) if words in text)
        assert f"chapters/{file}:{line}: {message}" in said, said
    assert faults(links, built, [], ROOT) == []  # the build has named both links


def test_formulas_are_rendered_and_notebooks_dressed(small_book):
    page = soup(small_book[0] / "chapters" / "plain.html")
    assert len(page.select("article .katex")) == len(page.select("article math")) == 5
    assert [tag.get_text() for tag in page.select(".tag .mord.text")] == ["(7.1)"]
    assert "align*" in page.select("annotation")[-1].get_text()
    assert page.select_one(".eqno").get_text().startswith("(1)")
    assert all(box["tabindex"] == "0" for box in page.select("div.math"))
    assert not page.find("script", string=re.compile("MathJax"))
    sheets = "link[href*='katex.min.css']"
    assert page.select(sheets) and not soup(small_book[0] / "search.html").select(sheets)
    assert page.select_one("section.exercise h2").get_text().startswith("Exercise 7.1")
    assert page.select_one(".admonition.note").get_text(" ", strip=True) == "Note This is noted ."
    assert [quote.get_text(strip=True) for quote in page("blockquote")] == ["This is quoted."]
    page = soup(small_book[0] / "chapters" / "01_page.html")
    image = page.select_one(".cell_output img")
    assert image["alt"] == "A dot, 1 by 1." and "width: 77" in image["style"]
    named, plain = page.select("details.hide summary")
    assert set(named.stripped_strings) == {"Solution 1.1"}
    assert "Show code cell content" in plain.stripped_strings


def test_a_page_in_the_new_form_is_dressed(small_book):
    page = soup(small_book[0] / "chapters" / "02_new.html")
    parts = page.select(
        "article :is(.page-line, figure, .in-this-page, details, section.exercise, .exercise-line, "
        "#end > h2)"
    )
    told = [
        (part.name, part["class"][-1] if part.get("class") else "", part.get_text(" ", strip=True))
        for part in parts
    ]
    wanted = [
        ("p", "page-line", "Open in Colab · 5 minutes · easy"),
        ("figure", "align-default", "Figure 2.1. An x ."),
        ("div", "container", "In this page You will build it."),
        ("details", "setup", "Setup: find the course"),
        ("figure", "align-default", "Figure 2.2. A dot."),
        ("details", "drawing", "Code of this figure # @title Figure 2.2: y y = 3"),
        ("details", "verify", "Checked: it is so # @title Checked"),
        ("section", "exercise", "Exercise 2.1: do"),
        ("p", "exercise-line", "easy · 5 minutes"),
        ("details", "check", "Check # @title Check of exercise 2.1 5"),
        ("details", "solution", "Solution, and why it is so # @title Solution 2.1 7 Because."),
        ("h2", "", "End"),
    ]
    for (name, kind, text), (its_name, its_kind, its_text) in zip(told, wanted, strict=True):
        assert (name, kind) == (its_name, its_kind) and text.startswith(its_text), text
    first, second = page.select("figure")
    assert first["id"] == "figure-2-1" and not first.find("img") and not first.find("style")
    drawing = first.find("svg")
    assert drawing["role"] == "img" and drawing["aria-label"] == "A thing to see."
    assert "plot" in second.find("img")["class"]
    setup = page.select_one("details.setup").get_text()
    assert "# @title Start" in setup and "# @title Setup" in setup
    assert "show_diagram" not in page.find("article").get_text(), "nothing to learn from it"
    contents = page.select_one(".bd-sidebar-secondary").get_text(" ", strip=True)
    assert "Exercise 2.1: do" in contents and "easy" not in contents
    assert page.select("table.cards .card-label")[0].get_text() == "b: "
    assert len(page.select("table.cards code wbr")) == 1
    palette = (small_book[0] / "_static" / "palette.css").read_text()
    assert ":root[data-theme=dark]{--ink:" in palette


def test_numbers_of_formulas_and_figures_are_links(small_book):
    page = soup(small_book[0] / "chapters" / "plain.html")
    found = [(link["href"], link.get_text()) for link in page.select("article p a.internal")]
    assert found == [("#equation-7-1", "(7.1)")] * 2
    assert page.select("div.math")[0]["id"] == "equation-7-1"
    page = soup(small_book[0] / "chapters" / "01_page.html")
    found = [(link["href"], link.get_text()) for link in page.select("article p a.internal")]
    assert found == [("#figure-1-1", "Figure 1.1"), ("plain.html#equation-7-1", "(7.1)")]
    assert not page.select("figcaption a.internal")


def test_punctuation_stays_with_its_formula(small_book):
    page = soup(small_book[0] / "chapters" / "plain.html")
    for annotation in page.select(".nowrap annotation"):
        annotation.find_parent(class_="katex").replace_with(annotation.get_text())
    assert [span.get_text() for span in page.select(".nowrap")] == ["(x),", "y:"]


def test_stylesheet_and_fonts_are_of_the_katex_that_renders():
    folder = ROOT / "_ext" / "katex"
    css = (folder / "katex.min.css").read_text()
    version = re.search(r'version:after\{content:"([\d.]+)"', css)[1]
    assert f"KaTeX v{version}" in metadata("pykatex").get_payload()
    fonts = {path.relative_to(folder).as_posix() for path in folder.glob("fonts/*")}
    assert fonts == set(re.findall(r"url\(([^)]+)\)", css))
