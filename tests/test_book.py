"""The built book in `_build/html`, read as text; and the book's own extensions, on a small book.

A rule looks at a folder of HTML and yields where a fault is (file, line) and what it is. Each is
shown to fail on HTML that breaks it. Links and texts of images that are wrong in the source of a
page are named there, by the rules of the pages and by the build; what a browser loads, by
tests/test_browser.py; neither once more here.
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
def soup(path):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def html_files(folder):
    """Every page that a reader can open, parsed."""
    for path in sorted(folder.rglob("*.html")):
        if "_static" not in path.parts:
            yield path, soup(path)


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
            if not (target.is_file() and target.is_relative_to(folder.resolve())):
                yield path, tag.sourceline, f"link to {tag['href']}: no such file in the book"
            elif place and place not in ids.get(target, {place}):
                # So Sphinx marks the links of a text; of those without a place the build has warned.
                if not tag.select_one("article .xref, article .std-ref"):
                    yield path, tag.sourceline, f"link to {tag['href']}: no such place on that page"


def buttons(folder, pages, root):
    """A page offers its own source, as it is in the repository, opens it on Colab, is searched."""
    searched = (folder / "searchindex.js").read_text(encoding="utf-8")
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
        if f'"{page}"' not in searched:
            yield path, 1, "the search does not know the page"


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
        for text in (page.find("article", class_="bd-article") or page).find_all(string=RAW):
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


RULES = [links, buttons, raw_markup, skeleton]


def faults(folder, pages=PAGES, root=ROOT, rules=RULES):
    found = [fault for rule in rules for fault in rule(folder, pages, root)]
    return [f"{path.relative_to(folder).as_posix()}:{line}: {fault}" for path, line, fault in found]


def test_the_book():
    assert "\n".join(faults(the_book())) == ""


def test_the_front_page_has_a_card_for_each_page():
    cards = soup(the_book() / "index.html").select(".page-card")
    wanted = [f"{page}.html" for page in PAGES if source(page).suffix == ".ipynb"]
    assert [card.find("a")["href"] for card in cards] == wanted
    for card in cards:
        picture = card.select_one(".page-card-picture :is(svg, img)")
        assert picture.get("aria-label") or picture.get("alt"), card.get_text()
        assert "minutes" in card.get_text() and ": " not in card.get_text()


GOOD = """<!DOCTYPE html>
<html lang="en"><head><title>Good</title>
<meta name="viewport" content="width=device-width">
<link rel="canonical" href="https://c.org/"></head>
<body><div class="dropdown-launch-buttons"><a href="COLAB/a.ipynb">Colab</a></div>
<a class="btn-download-source-button" href="_sources/a.ipynb">.ipynb</a>
<article class="bd-article"><h1 id="top">Good</h1>
<p>A page with enough text, <a href="https://c.org">a link out</a>,
<a href="#top">a link up</a>, <a href="#lost"><span class="xref">one that Sphinx has named</span></a></p>
<code>$$ in code $$</code></article></body></html>
""".replace("COLAB", COLAB)
# (what is replaced in the good page, by what, what the report begins with)
BROKEN = [
    ('"#top">a', '"#gone">a', "a.html:9: link to #gone: no such place on that page"),
    ('"#top">a', '"b.html">a', "a.html:9: link to b.html: no such file"),
    ('"#top">a', '"../x.html">a', "a.html:9: link to ../x.html: no such file in the book"),
    ('"#lost"', '"b.html#lost"', "a.html:9: link to b.html#lost: no such file"),
    ("/a.ipynb", "/b.ipynb", "a.html:1: wanted the launch buttons"),
    ('"_sources/a.ipynb', '"a.html', "a.html:1: offers a.html to download, not the file"),
    ("btn-download-source-button", "", "a.html:1: offers"),
    ("enough text", "$x$", "a.html:8: raw markup in the text: $x$"),
    ("enough text", r"x \tag{1}", r"a.html:8: raw markup in the text: \tag"),
    ("enough text", "\n```{note}", "a.html:9: raw markup in the text: ```"),
    ("enough text", "&lt;details&gt;", "a.html:8: raw markup in the text: <details"),
    ("enough text", "[a](b.md)", "a.html:8: raw markup in the text: [a](b.md)"),
    ("enough", '<i class="math">x</i>', "a.html:8: not rendered: x"),
    ("enough", '<i class="katex-error">\\x</i>', "a.html:8: not rendered: \\x"),
    (' lang="en"', "", "a.html:1: 0 x html[lang]"),
    ("<title>Good</title>", "", "a.html:1: 0 x head title:not(:empty)"),
    ('name="viewport"', "", "a.html:1: 0 x head:has([name=viewport])"),
    ("<p>", "<h1>x</h1><p>", "a.html:1: 2 x h1"),
    ("<p>", '<p id="top">', "a.html:1: the id top stands 2 times"),
]


def test_a_good_page_passes_and_a_broken_one_is_named(tmp_path):
    for k, (old, new, message) in enumerate([("", "", ""), *BROKEN]):
        folder = tmp_path / str(k)
        (folder / "_sources").mkdir(parents=True)
        (folder / "_sources" / "a.ipynb").touch()
        (folder / "a.ipynb").touch()
        (folder / "searchindex.js").write_text('{"docnames":["a"]}')
        (folder / "a.html").write_text(GOOD.replace(old, new) if old else GOOD)
        found = faults(folder, ["a"], folder)
        assert any(each.startswith(message) for each in found) if message else not found, found
    (folder / "searchindex.js").write_text("[]")
    assert "a.html:1: the search does not know the page" in faults(folder, ["a"], folder)


def test_a_book_that_is_missing_or_stale_is_named(tmp_path):
    built = tmp_path / "_build" / "html"
    assert stale(tmp_path, built, ["a"]) == "a is not built: build it first: make book"
    built.mkdir(parents=True)
    (built / "a.html").touch()
    assert stale(tmp_path, built, ["a"]) == ""
    (tmp_path / "_config.yml").touch()
    os.utime(tmp_path / "_config.yml", (2e9, 2e9))
    assert stale(tmp_path, built, ["a"]).startswith("_config.yml is newer than the built book")
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
SVG = '<svg class="diagram" viewBox="0 0 9 9"><title>x</title><style>x</style></svg>'
FIRST = [  # (source, tags, output, its alternative text); text has no tags
    ("# 1. A notebook\n\nWrong: $\\wrong$.\n",),
    ("# @title Solution 1.1\nx", ["hide-cell"], "image/png"),
    ("**Figure 1.1.** A dot.\n\nFigure 1.1 is none of equation (7.1).",),
    ("y = 1\ny", ["hide-cell"], "image/png", ""),
]
NEW = [  # a page in its whole form
    ("# 2. New\n\n[Open in Colab](https://c.org) · 5 minutes · easy",),
    ("# @title Start: find it\n1", ["hide-cell"]),
    ('# @title Figure 2.1: x\nshow_diagram("x", "An x.")', ["hide-input"], "text/html"),
    ("**Figure 2.1.** An *x*.\n\n> **In this page**\n>\n> **You will build** it.",),
    ("# @title Setup: import\n2", ["hide-cell"]),
    ("# @title Figure 2.2: y\ny = 3\nshow(y)", ["hide-input"], "image/png"),
    ("**Figure 2.2.** A dot.\n\nMore.",),
    ("# @title Checked: it is so\nassert 4", ["verify", "hide-input"]),
    ("| a | b | c |\n|---|---|---|\n| d | `e.f_g` | " + 20 * "word " + "|",),
    ("## Exercise 2.1: do $x$ (easy, 5 minutes)\n\nTask.",),
    ("# @title Check of exercise 2.1\n5", ["check", "hide-input"]),
    ("6", ["exercise"]),
    ("# @title Solution 2.1\n7", ["hide-cell", "solution"]),
    ("<details>\n<summary>Why</summary>\n\nBecause.\n\n</details>\n\n## End",),
]


def cell(source, tags=None, kind=None, alt="A dot, 1 by 1."):
    if tags is None:
        return nb.new_markdown_cell(source)
    drawing = f"data:image/svg+xml;base64,{base64.b64encode(SVG.encode()).decode()}"
    data = {"image/png": PIXEL, "text/html": f'<img alt="{alt}" src="{drawing}">'}
    about = {"image/png": {"alt": alt, "width": 77}, "text/html": {"alt": alt, "diagram": "x"}}
    outputs = [nb.new_output("display_data", {kind: data[kind]}, metadata=about)] if kind else []
    return nb.new_code_cell(source, outputs=outputs, metadata={"tags": tags})


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
    about = {"kernelspec": {"display_name": "P", "language": "python", "name": "python3"}}
    about |= {"language_info": {"name": "python"}}
    pages = {"plain.md": PLAIN, "wrong.md": WRONG}
    for name, cells in (("01_page.ipynb", FIRST), ("02_new.ipynb", NEW)):
        notebook = nb.new_notebook(cells=[cell(*each) for each in cells], metadata=about)
        pages[name] = nb.writes(notebook)
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
    assert faults(built, rules=[links]) == []  # the build has named both links


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
    assert drawing["role"] == "img" and drawing["aria-label"] == "A dot, 1 by 1."
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
