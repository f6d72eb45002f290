"""The book on paper, `dist/book.pdf`, made from the built book by the Chromium that tests it.

All pages become one document: contents, the pages, then the solutions, each with a link from its
exercise. Links inside the book lead to places in the document, and the outline lists all headings.
A live figure is its still picture, with the address of the one that moves.
"""

import re
import tempfile
from pathlib import Path

from workshop.contents import listed
from workshop.frame import published
from workshop.page import ROOT

BROWSERS = [
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
]
MOST_SHEETS = 250
STYLE = """
@page { margin: 10mm 12mm; }
html { font-size: 8.2pt !important; }
article.bd-article { break-before: page; line-height: 1.3 !important; }
.bd-article pre { font-size: 6.5pt !important; line-height: 1.2 !important; }
.bd-article :is(figure, .cell_output img) { break-inside: avoid; }
.bd-article :is(img, figure > svg) { max-height: 53mm !important; width: auto !important; }
.bd-main .bd-article :is(h2, h3) { margin: 0.9rem 0 0.3rem !important; }
.bd-article p { margin-bottom: 0.4rem !important; }
.bd-main .bd-article :is(details, section, div, pre, table) { max-width: none !important; }
ul.contents { list-style: none; padding: 0; columns: 2; }
#chapters-references > section { columns: 2; column-gap: 7mm; }
#index .page-card-picture { display: none !important; }
.live-address { font-size: 7pt; }
"""


def place(name: str, anchor: str = "") -> str:
    """The name of a page, or of a place on it, in the one document."""
    return re.sub(r"[^\w-]", "-", f"{name}--{anchor}" if anchor else name)


def lead_inside(article, name: str, names: list[str], path: Path) -> None:
    """Make ids the document's own, links to the book's pages links in it, files absolute."""
    files = {path_of(path, each, name): each for each in names}
    for element in article.find_all(id=True):
        element["id"] = place(name, element["id"])
    for element in article.find_all(["a"], href=True):
        target, _, anchor = element["href"].partition("#")
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        where = (path.parent / target).resolve() if target else path
        if where in files:
            element["href"] = f"#{place(files[where], anchor)}"
    for element in article.find_all(src=True):
        if not element["src"].startswith(("data:", "http")):
            element["src"] = (path.parent / element["src"]).resolve().as_uri()


def path_of(path: Path, other: str, name: str) -> Path:
    """The HTML file of another page, from that of page `name`."""
    html = path.parents[name.count("/")]
    return (html / f"{other}.html").resolve()


def still(article, name: str, soup) -> None:
    """Each live figure as its picture, with the address of the one that moves."""
    for live in article.find_all(re.compile(r"^attention-live-")):
        figure = live.find_parent("figure")
        anchor = figure.get("id", "") if figure else ""
        line = soup.new_tag("p", attrs={"class": "live-address"})
        link = soup.new_tag("a", href=f"{published()}{name}.html#{anchor}")
        link.string = "This figure moves in the book."
        line.append(link)
        live.insert_after(line)
        live.replace_with(*[image.extract() for image in live.find_all("img")][:1])


def solutions(article, name: str, title: str, soup):
    """Take the solutions out of a page, and return them as a section."""
    section = soup.new_tag("section")
    heading = soup.new_tag("h2", id=place(name, "solutions"))
    heading.string = title
    section.append(heading)
    for fold in article.select("details.solution"):
        link = soup.new_tag("a", href=f"#{place(name, 'solutions')}")
        link.string = "Solution at the end"
        fold.summary.extract()
        exercise = re.search(r"\d+\.\d+", fold.find_previous("h3").get_text())
        head = soup.new_tag("h3")
        head.string = f"Solution {exercise[0]}" if exercise else "Solution"
        fold.insert_before(link)
        fold.name = "div"
        fold.attrs = {}
        section.append(head)
        section.append(fold.extract())
    return section


def one(soup, selector: str):
    """The first element that a selector finds, where there must be one."""
    if (found := soup.select_one(selector)) is None:
        raise ValueError(f"there is no {selector!r} in the built page")
    return found


def document(html: Path, root: Path = ROOT) -> str:
    """The whole book as one page of HTML."""
    from bs4 import BeautifulSoup

    names = listed(root)
    first = BeautifulSoup((html / "index.html").read_text(encoding="utf-8"), "html.parser")
    styles = "".join(
        f'<link rel="stylesheet" href="{(html / str(link["href"]).partition("?")[0]).as_uri()}">'
        for link in first.select("link[rel=stylesheet]")
    )
    name_of_book = one(first, "title").get_text()
    pages, answers, lines = [], [], []
    for name in names:
        path = html / f"{name}.html"
        soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        article = one(soup, "article.bd-article")
        title = one(article, "h1").get_text().strip().rstrip("#").strip()
        still(article, name, soup)
        lead_inside(article, name, names, path)
        found = solutions(article, name, title, soup)
        if found.h3:
            answers.append(str(found))
        for fold in article.select("script"):
            fold.decompose()
        article["id"] = place(name)
        pages.append(str(article))
        lines.append(f'<li><a href="#{place(name)}">{title}</a></li>')
    lines.append('<li><a href="#solutions">Solutions</a></li>')
    contents = f'<article class="bd-article"><h1>Contents</h1><ul class="contents">{"".join(lines)}</ul></article>'
    ends = (
        f'<article class="bd-article" id="solutions"><h1>Solutions</h1>{"".join(answers)}</article>'
    )
    body = "".join([pages[0], contents, *pages[1:], ends])
    inside = '<div class="bd-main"><div class="bd-content"><div class="bd-article-container">'
    return (
        '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        f"<title>{name_of_book}</title>{styles}<style>@media print {{{STYLE}}}</style></head>"
        f'<body data-mode="light">{inside}{body}</div></div></div></body></html>'
    )


def book(html: Path, out: Path, browser: str, root: Path = ROOT) -> int:
    """Write the book as PDF; return the number of its sheets."""
    from playwright.sync_api import sync_playwright
    from pypdf import PdfWriter

    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        file = Path(folder) / "book.html"
        file.write_text(document(html, root), encoding="utf-8")
        chromium = play.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page()
        page.goto(file.as_uri(), timeout=300_000)
        page.evaluate("document.querySelectorAll('img').forEach(each => each.loading = 'eager')")
        page.wait_for_load_state("networkidle")
        page.pdf(path=out, format="A4", prefer_css_page_size=True, outline=True, tagged=True)
        chromium.close()
    paper = PdfWriter(clone_from=out)
    say_once(paper.root_object["/Outlines"])
    paper.write(out)
    return len(paper.pages)


def say_once(above) -> None:
    """Chromium writes each title of the outline twice in a row; write it once."""
    from pypdf.generic import NameObject, TextStringObject

    item = above.get_object().get("/First")
    while item is not None:
        node = item.get_object()
        title = str(node["/Title"])
        half = title[: len(title) // 2]
        if title == 2 * half:
            node[NameObject("/Title")] = TextStringObject(half)
        say_once(node)
        item = node.get("/Next")
