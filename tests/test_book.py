"""The built book in `_build/html`, read as text; and the book's own extensions, on a small book.

A rule looks at a folder of HTML and yields where a fault is (file, line) and what it is. Links and
texts of images that are wrong in the source of a page are named there, by the rules of the pages and
by the build; what a browser loads, by tests/test_browser.py; neither once more here.
"""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import nbformat.v4 as nb
import numpy as np
import pytest
from bs4 import BeautifulSoup
from matplotlib.colors import to_hex, to_rgb
from PIL import Image
from PIL.ImageColor import getrgb

from tests.built import CONFIG, PAGES, ROOT, source, the_book
from tests.test_utils import contrast
from utils.palette import DARK, LIGHT
from utils.plot import WEIGHTS, _on
from workshop.formulas import KATEX
from workshop.page import EQUATIONS, notebooks
from workshop.start import published, version

OWNER = urlsplit(CONFIG["repository"]["url"]).path.strip("/")
COLAB = f"{CONFIG['launch_buttons']['colab_url']}/github/{OWNER}/blob/{version()}"


@cache
def soup(path):
    """A page, but for the colours of its code, which are half of its elements."""
    code = re.compile(r"<pre>.*?</pre>", re.DOTALL)
    html = path.read_text(encoding="utf-8")
    html = code.sub(lambda match: re.sub(r"</?span[^>]*>", "", match[0]), html)
    return BeautifulSoup(html, "html.parser")


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
    """A notebook's page opens it on Colab, and each page is searched."""
    searched = (folder / "_static" / "sections.js").read_text(encoding="utf-8")
    for page in pages:
        path, file = folder / f"{page}.html", source(page, root)
        expected = [f"{COLAB}/{page}.ipynb"] if file.suffix == ".ipynb" else []
        links = soup(path).select(".dropdown-launch-buttons a[href*='colab.research']")
        if [link["href"] for link in links] != expected:
            yield path, 1, f"wanted the launch buttons {expected}"
        if f'"url":"{page}.html' not in searched:
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
                match = RAW.search(text)
                line = text.parent.sourceline + text.count("\n", 0, match.start())
                yield path, line, f"raw markup in the text: {match[0]}"


def ids(folder, pages, root):
    """No id is given twice. (Title, language and heading are axe's.)"""
    for path, page in html_files(folder):
        for name, count in Counter(tag["id"] for tag in page.find_all(id=True)).items():
            if count > 1:
                yield path, 1, f"the id {name} stands {count} times"


RULES = [links, buttons, raw_markup, ids]


def faults(folder, pages=PAGES, root=ROOT, rules=RULES):
    hits = [fault for rule in rules for fault in rule(folder, pages, root)]
    return [f"{path.relative_to(folder).as_posix()}:{line}: {fault}" for path, line, fault in hits]


def test_the_book():
    assert "\n".join(faults(the_book())) == ""


def test_the_front_page_has_a_card_for_each_page():
    front = soup(the_book() / "index.html")
    tiles = [t.find("a")["href"] for t in front.select(".page-tile") if t.select("svg > *")]
    assert tiles == [f"{page}.html" for page in PAGES if page.startswith("play/")]
    (first,) = (page for page in PAGES if page.startswith("chapters/01_"))
    assert front.select_one("a.right-next")["href"] == f"{first}.html"
    cards = front.select(".page-card:not(.page-tile)")
    expected = [f"{page}.html" for page in PAGES if source(page).suffix == ".ipynb"]
    assert [card.find("a")["href"] for card in cards] == expected
    for card in cards:
        assert card.select_one(".page-card-picture svg > *"), card.get_text()
        assert "minutes" in card.get_text() and not card.select(".card-label")


def test_letters_of_attention_have_their_hues_in_formulas():
    page = soup(the_book() / "chapters" / "04_scoring_functions.html")
    formula = page.select_one("#equation-4-2 .katex-html")
    for kind, letter in (("query", "Q"), ("key", "K"), ("value", "V")):
        assert [element.get_text() for element in formula.select(f".{kind}")] == [letter]
    alone = soup(the_book() / "chapters" / "02_nadaraya_watson.html").select("div.math .key")
    assert alone == []  # there K is a kernel


# ---------------------------------------------------------------- the extensions in _ext/


@pytest.mark.parametrize("page", notebooks(), ids=str)
def test_a_notebook_is_dressed(page):
    """Each kind of part is there as often as the notebook has it, and mentions are links."""
    html = soup(the_book() / page.name.replace(".ipynb", ".html"))
    text = "\n".join(cell.source for cell in page.texts)
    tags = Counter(tag for cell in page.code for tag in cell.tags)
    figures = len(re.findall(r"(?m)^\*\*Figure ", text))
    exercises = len(re.findall(r"(?m)^#+ Exercise ", text))
    counts = {
        "article .page-line:-soup-contains('Open in Colab')": 1,
        ".in-this-page:-soup-contains('You will build')": 1,
        "article .page-line:-soup-contains('claims checked by code')": 1,
        "details.setup": 1,
        "details.setup .cell": 2,
        "figure[id^=figure-] figcaption": figures,
        "figure:has(svg[role=img][aria-label], img[alt], attention-live-1)": figures,
        "section.exercise > .exercise-line": exercises,
        "details.solution": exercises,
        "details.later pre": sum("# For later pages: " in cell.source for cell in page.code),
        "details.solution ~ :not(.solution, .try, .exercise section)": 0,
        # A book runs no check: it leads to where one does.
        "section.exercise p:-soup-contains('Check your answer on Colab')": tags["exercise"],
        "pre:-soup-contains('not yet')": 0,
        "pre:-soup-contains('def check_')": 0,
        "details.verify summary:-soup-contains(': ')": tags["verify"],
        "img.plot:not([style*=width][width][height])": 0,
        "article [id^=equation-] .tag": len(re.findall(r"\\tag\{", text)),
        # What is not to be seen: a fold without a name, tooltips, code that only shows a drawing,
        # and the level of an exercise in the contents.
        "summary:-soup-contains('Show code cell')": 0,
        "pre:-soup-contains('# @title')": 0,
        "figure svg :is(title, style)": 0,
        "pre:-soup-contains('show_diagram')": 0,
        ".bd-sidebar-secondary :-soup-contains('minutes)')": 0,
    }
    assert {selector: len(html.select(selector)) for selector in counts} == counts
    for link in html.select("p a.internal"):
        if re.match(r"\(\d|[Ff]igure \d", link.get_text()):
            assert link["href"].endswith("-".join(re.findall(r"\d+", link.get_text()))), link
    for text in html.find_all(string=re.compile(rf"{EQUATIONS}|[Ff]igure \d+\.\d+")):
        no_link = text.find_parent(["strong", "code", "summary"]) or not text.find_parent("p")
        assert no_link or text.find_parent("a"), text


def test_a_shared_link_shows_title_description_and_picture():
    for page in PAGES:
        head = soup(the_book() / f"{page}.html").head
        properties = {tag["property"]: tag["content"] for tag in head.select("meta[property^=og]")}
        assert properties["og:title"] and properties["og:image:alt"]
        assert properties["og:url"] == f"{published()}{page}.html"
        assert 40 < len(properties["og:description"]) < 260, properties["og:description"]
        assert "$" not in properties["og:description"] and "\\" not in properties["og:description"]
        picture = the_book() / properties["og:image"].removeprefix(published())
        assert Image.open(picture).size == (1200, 630)


def test_search_engines_find_each_page_once_and_what_the_course_is():
    book = the_book()
    index = soup(book / "index.html").head
    facts = json.loads(index.select_one("script[type='application/ld+json']").string)
    assert facts["url"] == published() and "LearningResource" in facts["@type"]
    assert len(facts["teaches"]) == 7 and not any("$" in text for text in facts["teaches"])
    assert facts["author"]["name"] and facts["description"] and re.match(r"\d", facts["version"])
    for page in PAGES:
        head = soup(book / f"{page}.html").head
        assert [link["href"] for link in head.select("link[rel=canonical]")] == [f"{published()}{page}.html"]
        assert page == "index" or not head.select("script[type='application/ld+json']")
    listed = ElementTree.fromstring((book / "sitemap.xml").read_text(encoding="utf-8"))
    places = [element.text for element in listed.iter() if element.tag.endswith("loc")]
    assert sorted(places) == sorted(f"{published()}{page}.html" for page in PAGES)


def test_a_plot_has_a_picture_for_the_dark_that_keeps_its_hues():
    page = soup(the_book() / "chapters" / "02_nadaraya_watson.html")
    pairs = [page.select(f"article figure img.{kind}") for kind in ("in-light", "in-dark")]
    assert len(pairs[0]) == len(pairs[1]) > 3
    for light, dark in zip(*pairs):
        assert light["alt"] == dark["alt"] and light["src"] != dark["src"]
        files = [the_book() / "chapters" / image["src"] for image in (light, dark)]
        before, after = (np.asarray(Image.open(file).convert("RGB")) for file in files)
        assert before.shape == after.shape and before[0, 0].min() > 250 > 40 > after[0, 0].max()
        # Where a colour is strong, it is of the same hue in both, and stays strong.
        strong = np.ptp(before.astype(int), axis=-1) > 100
        for part in (np.argmax, np.argmin):
            same = part(before[strong], axis=-1) == part(after[strong], axis=-1)
            assert not strong.any() or same.mean() > 0.99
        assert not strong.any() or np.ptp(after[strong].astype(int), axis=-1).min() > 80


def test_weights_in_the_dark_have_no_leap_and_their_numbers_can_be_read(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "_ext")
    from dark_plots import dark_colour, dark_plot

    def shown(colours):
        """Colours of a heatmap of 1 x n cells of 60 x 60 pixels, each with a digit in the middle."""
        image = Image.new("RGB", (60 * len(colours), 120), "white")
        for j, (ground, digit) in enumerate(colours):
            image.paste(ground, (60 * j, 30, 60 * j + 60, 90))
            image.paste(digit, (60 * j + 28, 55, 60 * j + 31, 69))
        file = io.BytesIO()
        image.save(file, "png")
        dark = Image.open(io.BytesIO(dark_plot(file.getvalue()))).convert("RGB")
        cells = range(30, 60 * len(colours), 60)
        return dark.getpixel((0, 0)), [[dark.getpixel((x, y)) for y in (40, 62)] for x in cells]

    rgb = [[tuple(round(255 * part) for part in to_rgb(colour)) for colour in pair]
           for pair in ((WEIGHTS(w), _on(WEIGHTS(w))) for w in np.linspace(0, 1, 200))]  # fmt: skip
    paper, cells = shown(rgb)
    assert to_hex(np.divide(paper, 255)) == DARK["paper"]
    for ground, digit in cells:
        assert contrast(*(to_hex(np.divide(colour, 255)) for colour in (ground, digit))) >= 4.4
    steps = np.diff([ground for ground, _ in cells], axis=0)
    assert 0 <= steps.min() and steps.max() <= 5 and to_hex(np.divide(cells[-1][0], 255)) == DARK["weight"]
    for hue in ("query", "key", "value", "weight"):  # as drawings have it
        assert to_hex(np.divide(dark_colour(getrgb(LIGHT[hue])), 255)) == DARK[hue]


PRINT = ["model  bytes  it keeps", "GLM-5  1,000  one of 4", "Kimi K2.5  250  all"]


def test_a_printed_table_has_heads_and_bars(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "_ext")
    from dress import printed_table

    table = BeautifulSoup(printed_table(PRINT), "html.parser")
    rows = [[cell.get_text() for cell in row.select("th, td")] for row in table.select("tr")]
    assert rows == [re.split("  ", line) for line in PRINT]
    assert [th.get_text() for th in table.select("th[scope=row]")] == ["GLM-5", "Kimi K2.5"]
    shares = [td["style"].removeprefix("--share:") for td in table.select("td")]
    assert shares == ["1.000", "0.000", "0.250", "0.000"]
    signed = printed_table(["  rise", "names  -6.1", "words  0.05"])  # no bar where one is negative
    assert signed.count("--share:0.000") == 2
    with pytest.raises(ValueError, match="'model  bytes  it keeps' alone; wanted rows"):
        printed_table(PRINT[:1])
    for page in notebooks():  # what is tagged so stands as a table in the book
        html = soup(the_book() / page.name.replace(".ipynb", ".html"))
        assert len(html.select("table.printed")) >= sum("table" in cell.tags for cell in page.code), page


def test_a_page_says_where_in_the_course_it_is_and_where_to_ask():
    names = [page.name.removesuffix(".ipynb") for page in notebooks()]
    for i, name in enumerate(names):
        page = soup(the_book() / f"{name}.html")
        pieces = page.select(".ribbon [aria-hidden=true] i")
        assert [piece.get("class", []) for piece in pieces] == [["here"] * (j == i) for j in range(len(names))]
        leads = [link["href"] for link in page.select(".ribbon a")]
        assert leads == [f"{other.removeprefix('chapters/')}.html" for other in names]
        assert page.select_one(".ribbon b").get_text() in page.select_one(".bd-links").get_text()
    for name in set(PAGES) - {"index"}:
        foot = [link["href"] for link in soup(the_book() / f"{name}.html").select(".page-foot a")]
        title = soup(the_book() / f"{name}.html").find("h1").get_text().rstrip("#")
        url = CONFIG["repository"]["url"]
        assert foot[0].startswith(f"{url}/issues/new?template=mistake.yml&page="), name
        assert unquote(foot[0].rpartition("page=")[2]) == title and foot[1] == f"{url}/discussions"
        assert foot[2:] == [f"{name.rpartition('/')[2]}.md"]


def test_tables_are_cards_on_phones_and_colours_follow_the_theme():
    page = soup(the_book() / "chapters" / "masks.html")
    assert page.select_one("table.cards .card-label").get_text().endswith(": ")
    assert page.select("table.cards code wbr")
    palette = (the_book() / "_static" / "palette.css").read_text()
    assert ":root[data-theme=dark]{--ink:" in palette


WRONG = r"""# Wrong

An image: ![](figure.svg)

A formula: $\frac{a}{$

$$ \nosuchcommand $$

$$ \href{https://example.org}{x} $$

A link: [gone](01_page.ipynb#gone)
Another: [gone](gone.ipynb)

## A section
"""
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
PIXEL += "AAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
# (file, words of the line that is named, what is said of the line)
SAID = [
    ("wrong.md", "An image", "WARNING: image without alternative text"),
    ("wrong.md", "frac", "WARNING: formula: Unexpected end of input"),
    ("wrong.md", "nosuch", "WARNING: formula: Undefined control sequence: \\nosuchcommand"),
    ("wrong.md", "href", "WARNING: formula: a command that KaTeX does not allow"),
    ("wrong.md", "A link", "WARNING: local id not found"),
    ("wrong.md", "A link", "WARNING: 'myst' cross-reference target not found"),
    ("01_page.ipynb", "Wrong", "text above cell [1], line 3: WARNING: formula: Undefined control"),
    ("01_page.ipynb", "y = 1", "cell [1], line 1: WARNING: image without alternative text"),
    (
        "01_page.ipynb",
        "z = 2",
        "cell [2], line 1: WARNING: a printed table of 2 columns has a row of 3, 'c  d  e'; wanted",
    ),
    ("01_page.ipynb", "z = 3", "cell [3], line 1: WARNING: no printed line has columns; wanted two blanks between"),
]


def test_each_fault_is_named_once_with_its_line(tmp_path):
    """The build, with our settings and extensions, of a book that is wrong."""
    chapters = tmp_path / "chapters"
    for name in ("_ext", "_static"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    theme = tmp_path / "_ext" / "accessible_theme.py"
    theme.write_text(theme.read_text().replace("MENDS = [", 'MENDS = [("never there", ""),'))
    shutil.copy(ROOT / "_config.yml", tmp_path)
    toc = "format: jb-book\nroot: index\nchapters: [{file: chapters/wrong}, {file: chapters/01_page}]"
    (tmp_path / "_toc.yml").write_text(toc)
    row = "| [{}](chapters/{}) | a thing | core 5 minutes |\n".format
    table = "| page | what you build | time |\n|---|---|---|\n" + row("1. A notebook", "01_page.ipynb")
    (tmp_path / "index.md").write_text(f"# Front\n\nFrench: *il*.\n\n{table}")
    (chapters / "figures").mkdir(parents=True)
    shutil.copy(ROOT / "chapters" / "figures" / "cut_an_arc.svg", chapters / "figures")
    (chapters / "wrong.md").write_text(WRONG)
    shutil.copy(ROOT / "_static" / "favicon.svg", chapters / "figure.svg")
    figure = nb.new_output("display_data", {"image/png": PIXEL})
    cells = [nb.new_markdown_cell("# 1. A notebook\n\nWrong: $\\wrong$.\n")]
    folded = {"tags": ["hide-cell"]}
    cells += [nb.new_code_cell("y = 1\ny", outputs=[figure], metadata=folded)]
    for code, text in (("z = 2", "a  b\nc  d  e\n"), ("z = 3", "a\n")):
        prints = nb.new_output("stream", text=text)
        cells.append(nb.new_code_cell(code, outputs=[prints], metadata={"tags": ["table"]}))
    about = {"kernelspec": {"display_name": "P", "language": "python", "name": "python3"}}
    (chapters / "01_page.ipynb").write_text(nb.writes(nb.new_notebook(cells=cells, metadata=about)))
    program = Path(sys.executable).with_name("jupyter-book")
    command = [program, *"build . -W -n --keep-going".split()]
    environment = os.environ | {"NO_COLOR": "1", "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    output = re.sub(r"\x1b\[[0-9;]*m", "", run.stdout + run.stderr)
    assert run.returncode != 0 and output.count("WARNING") == len(SAID) + 1, output
    assert "WARNING: nothing to mend is like never there" in output
    for file, words, message in SAID:
        lines = (chapters / file).read_text().splitlines()
        line = next(i for i, text in enumerate(lines, 1) if words in text)
        assert f"chapters/{file}:{line}: {message}" in output, output
    html = tmp_path / "_build" / "html"
    assert faults(html, rules=[links]) == []  # the build has named both links
    # A page of which nothing else is said has the front page's picture on its card, and its title on a link.
    assert soup(html / "index.html").select_one(".page-card-picture svg.diagram > *")
    tag = soup(html / "chapters" / "01_page.html").head.select_one("[property='og:image:alt']")
    assert tag["content"] == "A notebook"
    assert Image.open(html / "_static" / "cards" / "01_page.png").size == (1200, 630)
    # The stylesheet of formulas is loaded where there are some.
    assert soup(html / "chapters" / "wrong.html").select("link[href*='katex.min.css']")
    assert not soup(html / "search.html").select("link[href*='katex.min.css']")


def test_stylesheet_and_fonts_are_of_the_katex_that_renders():
    folder = ROOT / "_ext" / "katex"
    css = (folder / "katex.min.css").read_text()
    version = re.search(r'version:after\{content:"([\d.]+)"', css)[1]
    assert f'version:"{version}"' in KATEX.read_text(encoding="utf-8")
    fonts = {path.relative_to(folder).as_posix() for path in folder.glob("fonts/*")}
    assert fonts == set(re.findall(r"url\(([^)]+)\)", css))


def test_each_page_is_there_as_plain_text_without_solutions():
    book = the_book()
    listed = (book / "llms.txt").read_text(encoding="utf-8")
    for page in PAGES:
        assert f"]({page}.md)" in listed
        text = (book / f"{page}.md").read_text(encoding="utf-8")
        assert "usual mistake</summary>" not in text and "# @title Solution" not in text
        for target in re.findall(r"\]\(([\w./]+\.md)", text):
            assert (book / page).parent.joinpath(target).is_file(), (page, target)
    assert "hints, not solutions" in listed
