"""The built book in a real browser.

Each rule is a function from an open page to sentences that name the fault; each is shown to fail
on a page that breaks it.
"""

import functools
import gzip
import itertools
import random
import re
import socket
import sys
from urllib.request import urlopen

import pytest

from tests import browsing
from tests.browsing import AXE, CHECK, SCREENS, SETTLED, UNFOLD, WIDE, find_browser, serving, visit
from tests.built import PAGES, source, the_book

browser = browsing.browser  # a fixture, for other files too
DRESSED = "chapters/03_masked_softmax.html"
NOTEBOOK = next(f"{page}.html" for page in PAGES if source(page).suffix == ".ipynb")


@pytest.fixture(scope="module")
def book():
    """Where the built book begins: on a server, and as files."""
    with serving(the_book()) as address:
        yield {"http": address, "file": f"{the_book().as_uri()}/"}


IMAGES = """() => [...document.images].filter(image => !(image.complete && image.naturalWidth))
    .map(image => image.src)"""

FORMULAS = """() => [...document.querySelectorAll("article .math")].filter(each =>
    !each.querySelector(".katex-html")?.getClientRects().length).map(each => each.outerHTML.slice(0, 80))"""

# The faces that the page uses are loaded; those that it does not use stay "unloaded".
FONTS = """() => {
    const faces = [...document.fonts].filter(face => face.family.startsWith("KaTeX"));
    const states = faces.map(face => face.status);
    const used = document.querySelector("article .math");
    return used && (!states.includes("loaded") || states.includes("error")) ? states : [];
}"""

CUT = """() => [...document.querySelectorAll(".cell_output pre")].filter(each =>
    each.scrollWidth > each.clientWidth + 1).map(each => each.textContent.slice(0, 80))"""

# Small text of a drawing is 12 units high; the labels of a plot are 11 points, 14.7 of its pixels.
SMALL = """() => [...document.querySelectorAll("figure svg.diagram, figure img.plot")].flatMap(each => {
    const width = each.getBoundingClientRect().width;
    const height = each.matches("svg") ? 12 * width / each.viewBox.baseVal.width
        : 14.67 * width / (each.naturalWidth / 2);
    return height < 10.95 ? [`${height.toFixed(1)} px: ${each.closest("figure").id}`] : [];
})"""

# A region that scrolls holds something to focus, or can be focused itself.
UNREACHABLE = """() => [...document.querySelectorAll("article *")].filter(element =>
    element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1
    && /auto|scroll/.test(getComputedStyle(element).overflowX)
    && element.checkVisibility({visibilityProperty: true})
    && element.tabIndex < 0 && !element.querySelector("a[href], button, [tabindex='0']")
).map(element => element.outerHTML.slice(0, 80))"""

# axe takes seconds for a page of 10,000 elements. One of each kind is enough: what has the same
# classes and styles in the same boxes has the same colours. What gives its box a name stays. In a
# drawing, in the MathML that is for the ear, and of a single letter, axe judges no colour.
THIN = """() => {
    const seen = new Set(), named = "th, h1, h2, h3, h4, h5, h6, a, button, summary";
    const all = spare => [...document.querySelectorAll(`article :is(${spare})`)].reverse();
    function first(element) {
        let kind = "";
        for (let each = element; each.tagName !== "ARTICLE"; each = each.parentElement)
            kind += `${each.tagName}.${each.className}.${
                each.getAttribute("style")?.replace(/[-\\d.]+em/g, "")} `;
        return !seen.has(kind) && seen.add(kind);
    }
    all("svg[role=img] > :not(title)").forEach(each => each.remove());
    for (const each of all(".katex")) if (!first(each)) each.textContent = "formula";
    for (const each of all(".katex-mathml")) each.textContent = "formula";
    for (const each of all(".copybtn")) if (!first(each)) each.remove();
    for (const each of all("p, pre, div, span, em, strong, code"))
        if (!each.firstElementChild && !each.closest(named)
                && (each.textContent.trim().length < 2 || !first(each))) each.remove();
}"""


def clean(page):
    """Loads without an error and without another host."""
    return page.faults


def shown(page):
    """Every image and every formula is there to see, in its fonts."""
    faults = [f"image not shown: {address}" for address in page.evaluate(IMAGES)]
    faults += [f"formula not shown: {html}" for html in page.evaluate(FORMULAS)]
    return faults + [f"a font of the formulas is {state}" for state in page.evaluate(FONTS)]


def narrow(page):
    """Nothing sticks out of the screen, but for what scrolls in a box of its own."""
    return [f"wider than the screen: {fault}" for fault in page.evaluate(WIDE)]


def whole(page):
    """No output of a cell is cut, or needs to be scrolled."""
    return [f"an output is cut: {text}" for text in page.evaluate(CUT)]


def legible(page):
    """Labels in figures are at least 11 pixels high."""
    return [f"a label too small, {fault}" for fault in page.evaluate(SMALL)]


def reachable(page):
    """What scrolls can be scrolled by keyboard."""
    return [f"no keyboard reaches: {html}" for html in page.evaluate(UNREACHABLE)]


def accessible(page):
    """axe-core finds nothing: in the light, and of what colours can spoil, in the dark.

    It thins the page out, so it comes after the other rules.
    """
    page.evaluate(THIN)
    page.evaluate(AXE)
    faults = []
    for scheme, rules in (("light", None), ("dark", ["color-contrast", "link-in-text-block"])):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.evaluate(SETTLED)
        faults += [f"{scheme}: {fault}" for fault in page.evaluate(CHECK, rules)]
    return faults


LIMIT = 250_000


@functools.cache
def weight(url):
    """Bytes of what a first visit loads: text as a server compresses it, fonts, no images, none of
    the drawings."""
    kind = url.rpartition(".")[2]
    if kind not in ("woff2", "ttf", "html", "css", "js"):
        return 0
    with urlopen(url) as answer:
        content = answer.read()
    if kind in ("html", "css", "js"):
        content = gzip.compress(re.sub(rb"<svg\b.*?</svg>", b"", content, flags=re.DOTALL), 6)
    return len(content)


def light(page):
    """Is quick to load, the first time too."""
    total = sum(map(weight, {url.split("?")[0] for url in page.asked}))
    return [f"too heavy: {total} bytes; wanted at most {LIMIT}"] if total > LIMIT else []


RULES = [clean, shown, light, narrow, whole, legible, reachable, accessible]


WAYS = [("http", "desk"), ("file", "phone")]  # both ways to open it, both widths


@pytest.mark.parametrize("way, screen", WAYS)
@pytest.mark.parametrize("name", [*PAGES, "search"])
def test_a_page(name, way, screen, browser, book):
    """axe looks at one page on the desk, at the next on the phone."""
    odd = [*PAGES, "search"].index(name) % 2
    rules = [rule for rule in RULES if rule != accessible or odd == (screen == "desk")]
    with visit(browser, book[way], f"{name}.html", screen) as page:
        page.evaluate(SETTLED)
        asked = page.asked.copy()
        page.evaluate(UNFOLD)
        page.evaluate(SETTLED)
        page.asked = asked
        faults = [f"{name}.html ({screen}): {fault}" for rule in rules for fault in rule(page)]
    assert "\n".join(faults) == ""


# Every page that was found, with the words around it; from a folder there are none.
FOUND = """([words, wanted]) => {
    const pages = [...document.querySelectorAll("#search-results li")];
    return document.querySelector(".search-summary")?.innerText.startsWith("Search finished")
        && pages.some(page => page.querySelector(`a[href*="${wanted}"]`))
        && (!words || pages.every(page => page.querySelector(".context")));
}"""
# Each mark with what stands right before and after it.
MARKS = """() => [...document.querySelectorAll("#search-results .highlighted")].map(mark => [
    mark.previousSibling?.data?.slice(-1) ?? "", mark.nextSibling?.data ?? ""])"""


@pytest.mark.parametrize("way, screen", WAYS)
@pytest.mark.parametrize("name, word", [("index.html", "glossary"), ("search.html", "out")])
def test_the_search_finds_pages_and_marks_words(name, word, way, screen, browser, book):
    typed = name == "index.html"
    with visit(browser, book[way], name if typed else f"{name}?q={word}", screen) as page:
        if typed:
            page.keyboard.press("Control+k")
            page.wait_for_function("document.activeElement.closest('#pst-search-dialog')")
            page.keyboard.type(word)
        wanted = "chapters/glossary" if typed else "chapters/"
        page.wait_for_function(FOUND, arg=[way == "http", wanted], timeout=20_000)
        marks = page.evaluate(MARKS)
        assert bool(marks) == (way == "http")
        for before, after in marks:
            assert not before.isalnum() and re.match(r"(s|es|d|ed|ing)?(?![^\W_])", after)
        field = page.locator(".bd-search:visible").first
        icon = field.locator(".fa-magnifying-glass").bounding_box()
        field = field.locator("input")
        padding = field.evaluate("element => parseFloat(getComputedStyle(element).paddingLeft)")
        assert field.bounding_box()["x"] + padding >= icon["x"] + icon["width"] + 2
        assert page.faults == []


def test_the_switch_changes_light_and_dark(browser, book):
    with visit(browser, book["http"], "index.html", color_scheme="light") as page:
        seen = set()
        for _ in range(3):
            page.locator(".theme-switch-button:visible").first.click()
            theme = page.evaluate("document.documentElement.dataset.theme")
            seen.add((theme, page.evaluate("getComputedStyle(document.body).backgroundColor")))
        assert {theme for theme, _ in seen} == {"light", "dark"} and len(seen) == 2, seen
        assert page.faults == []


# What a page of the book has of each kind of fold, and whether paper shows what is in it.
PRINTED = {
    "details.fold:is(:not([class*=' ']), .solution)": True,
    "details.verify": False,
    "details.setup": False,
    "details.drawing": False,
    "details.check": False,
}
# Of each fold, whether what is inside is to be seen, and its summary.
FOLDS = """kind => [...document.querySelectorAll(`article ${kind}`)].map(fold =>
    [":scope > :not(summary)", ":scope > summary"].map(part =>
        fold.querySelector(part).checkVisibility({visibilityProperty: true})))"""


def test_a_page_is_printed_whole_and_small(browser, book):
    with visit(browser, book["http"], DRESSED, color_scheme="dark") as page:
        page.set_viewport_size({"width": 688, "height": 1000})  # A4 without its margins
        page.emulate_media(media="print")
        for kind, inside in PRINTED.items():
            found = page.evaluate(FOLDS, kind)
            assert found.count([inside, inside or "verify" in kind]) == len(found) > 0, kind
        around = ".bd-sidebar-primary, .bd-header-article, #jb-print-docs-body, footer, .copybtn"
        assert not page.locator(around).filter(visible=True).count()
        assert page.locator("article h1").is_visible()
        assert narrow(page) == whole(page) == []
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate("document.documentElement.dataset.theme") == "light"
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        paper = page.pdf(prefer_css_page_size=True, print_background=True)
        # 13 pages for 60 cells with the fonts of one machine; it was 32.
        assert 5 < len(re.findall(rb"/Type\s*/Page\b", paper)) <= 16
        assert page.faults == []


def test_code_is_copied_and_outputs_have_no_button_for_it(browser, book):
    with visit(browser, book["http"], NOTEBOOK, permissions=["clipboard-read"]) as page:
        cell = page.locator(".cell_input .highlight").filter(visible=True).first
        cell.hover()
        cell.locator("button.copybtn").click()
        cell.locator("button.copybtn.success").wait_for()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.strip() == cell.locator("pre").inner_text().strip()
        assert not page.locator(".cell_output button.copybtn").count()
        assert page.faults == []


# Punctuation that is not beside the formula it belongs to, in columns of several widths.
ALONE = """() => {
    const article = document.querySelector("article"), found = [];
    const spans = [...document.querySelectorAll(".nowrap")].filter(each => each.checkVisibility());
    for (let width = 288; width < 670; width += 20) {
        article.style.width = `${width}px`;
        for (const span of spans) for (const text of span.childNodes) if (text.nodeType === 3) {
            const range = document.createRange(), parts = [...span.querySelectorAll(".base")];
            range.selectNodeContents(text);
            const box = range.getBoundingClientRect();
            const first = text.compareDocumentPosition(parts[0]) & Node.DOCUMENT_POSITION_FOLLOWING;
            const part = (first ? parts[0] : parts.at(-1)).getBoundingClientRect();
            const gap = first ? part.left - box.right : box.left - part.right;
            if (gap < -3 || box.top >= part.bottom || box.bottom <= part.top)
                found.push(`${width} px: ${text.data}`);
        }
    }
    return found;
}"""


def test_no_punctuation_stands_alone_beside_a_formula(browser, book):
    with visit(browser, book["http"], DRESSED, "phone") as page:
        page.evaluate(UNFOLD)
        assert page.locator(".nowrap").count() > 20
        assert page.evaluate(ALONE) == []
        page.add_style_tag(content=".nowrap { white-space: normal }")
        assert page.evaluate(ALONE)


FOCUSED = """() => {
    let element = document.activeElement;
    const inside = Boolean(element.closest("article"));
    while (element.shadowRoot) element = element.shadowRoot.activeElement; // in a live figure
    const style = getComputedStyle(element);
    return element === document.body ? null : [element.outerHTML.slice(0, 80),
        `${style.outlineStyle} ${style.outlineWidth}`, inside];
}"""


def test_every_stop_of_the_keyboard_shows_where_it_is(browser, book):
    with visit(browser, book["http"], DRESSED) as page:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_function(
                "scheme => document.documentElement.dataset.theme === scheme", arg=scheme
            )
            stops = []
            while (page.keyboard.press("Tab"), stop := page.evaluate(FOCUSED))[1]:
                stops.append(stop)
                assert len(stops) < 300
            assert len(stops) > 50 and "Skip" in stops[0][0]
            assert [html for html, ring, _ in stops[1:] if ring != "solid 2px"] == []
            # The list of pages, and few stops besides.
            assert [inside for *_, inside in stops].index(True) <= len(PAGES) + 7


def test_a_page_reads_without_scripts(browser, book):
    with visit(browser, book["http"], NOTEBOOK, java_script_enabled=False) as page:
        assert page.locator("article h1").is_visible()
        assert page.locator("article .katex-html").first.is_visible()
        assert not [fault for fault in page.faults if "another host" in fault]


# ---------------------------------------------------------------- each rule fails where it should


@pytest.fixture(scope="module")
def made(tmp_path_factory, browser):
    """What a rule says of a page made of a piece of HTML, on a phone."""
    folder = tmp_path_factory.mktemp("made")
    names = (f"{number}.html" for number in itertools.count())

    def faults(rule, body, seconds=None):
        name = next(names)  # another one each time, as the browser may have kept the last
        (folder / name).write_text(
            "<!DOCTYPE html><html lang='en'><head><title>A</title><link rel='icon' href='data:,'>"
            "<meta name='viewport' content='width=device-width'></head>"
            f"<body><main><article><h1>A</h1>{body}</article></main></body></html>"
        )
        with visit(browser, address, name, "phone") as page:
            page.evaluate(SETTLED, seconds)
            return rule(page)

    (folder / "a.html").touch()
    with serving(folder) as address:
        yield faults


PALE, COLOR = "style='color: #ccc'", "light: color-contrast"
KATEX = "<span class=math><span class=katex><span class=katex-html>formula</span></span></span>"
TABLE = "<table><tr><th>{}</th></tr><tr><td>1</td></tr></table>"
FACE = "<style>@font-face {font-family: KaTeX_A; src: url(a.html)} i {font-family: KaTeX_A}</style>"
FACE += f"<i>{KATEX}</i>"
DARK = "<style>@media (prefers-color-scheme: dark) {p {color: #222; background: #000}}</style>"
DRAWING = "<figure id='figure-1-1'><svg class='diagram' viewBox='0 0 {} 9'></svg></figure>"
BOX = "<div style='overflow: auto'{}><p style='width: 3000px'>x</p></div>"


BAD = [
    (clean, "<script src='https://c.org/a.js'></script>", "asks another host: https://c.org/a"),
    (clean, "<script>fetch('http://c.org')</script>", "asks another host: http://c.org"),
    (clean, "<img src='//c.org/a.png' alt=''>", "asks another host: http://c.org/a.png"),
    (clean, "<script>nothing()</script>", "script error: nothing is not defined"),
    (clean, "<script>let a; let a</script>", "script error: Identifier 'a' has already"),
    (clean, "<script>console.error('no')</script>", "console error: no"),
    (clean, "<img src='gone.png' alt=''>", "answered 404: http://127.0.0.1"),
    (shown, "<img src='a.html' alt=''>", "image not shown: http://127.0.0.1"),
    (shown, "<span class='math'>x</span>", "formula not shown: <span"),
    (shown, f"<div hidden>{KATEX}</div>", "formula not shown: <span"),
    (shown, FACE, "a font of the formulas is error"),
    (narrow, "<p style='width: 500px'>x</p>", "wider than the screen: the page is 508 px"),
    (narrow, "<p style='width: 500px'>x</p>", "wider than the screen: 8 to 508 px: <p style"),
    (narrow, "<p style='overflow: clip; width: 500px'>x", "wider than the screen: 8 to 508 px"),
    (whole, "<div class=cell_output><pre>" + 99 * "x", "an output is cut: xxx"),
    (light, f"<!-- {random.Random(0).randbytes(2 * LIMIT).hex()} -->", "too heavy: "),
    (legible, DRAWING.format(500), "a label too small, 7.0 px: figure-1-1"),
    (reachable, BOX.format(""), "no keyboard reaches: <div"),
    (accessible, f"<p {PALE}>pale</p>", COLOR),
    (accessible, f"<pre><span>a</span> <span>a</span> <span {PALE}>pale</span></pre>", COLOR),
    (accessible, f"<pre><span {PALE}>pale</span> <span {PALE}>1</span></pre>", COLOR),
    (accessible, f"<p>{KATEX} {KATEX}</p><p {PALE}>{KATEX}</p>", COLOR),
    (accessible, "<img src='data:,'>", "light: image-alt"),
    (accessible, TABLE.format(""), "light: empty-table-header"),
    (accessible, f"{DARK}<p>dim</p>", "dark: color-contrast"),
]


def test_a_good_page_passes_and_each_rule_has_a_bad_one(made):
    assert [rule for rule in RULES if rule not in {rule for rule, *_ in BAD}] == []
    assert [rule for rule, *_ in BAD if rule not in RULES] == []
    good = BOX.format(" tabindex=0") + TABLE.format("size <math><mi>x</mi></math>") + KATEX
    assert made(lambda page: [fault for rule in RULES for fault in rule(page)], good) == []


@pytest.mark.parametrize("number", range(len(BAD)), ids=lambda n: f"{BAD[n][0].__name__}-{n}")
def test_a_page_that_is_wrong_fails(made, number):
    rule, body, message = BAD[number]
    faults = made(rule, body)
    assert any(fault.startswith(message) for fault in faults), faults


def test_a_picture_that_never_comes_is_named(made):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        never = f"http://127.0.0.1:{silent.getsockname()[1]}/a.png"
        far = f"<p style='height: 20000px'></p><img loading=lazy src='{never}' alt=''>"
        assert made(shown, far, seconds=0.5) == [f"image not shown: {never}"]


LEFT = """() => [localStorage.left, document.querySelectorAll(":hover").length > 0, innerWidth,
    matchMedia("(prefers-color-scheme: dark)").matches]"""


def test_a_visit_leaves_nothing_for_the_next(browser, book):
    for screen, scheme in (("phone", "dark"), ("phone", None), ("desk", None)):
        with visit(browser, book["http"], "search.html", screen, scheme) as page:
            page.evaluate(SETTLED)  # what is below the mouse is found with a frame
            now = [SCREENS[screen]["width"], bool(scheme)]
            assert page.evaluate(LEFT) == [None, False, *now] and page.faults == []
            page.evaluate("localStorage.left = 'x'; console.error('no')")
            page.locator("h1").first.hover()
            assert page.evaluate(LEFT) == ["x", True, *now]
            assert page.faults == ["console error: no"]


def test_the_browser_is_found_or_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_browser({}, ["chromium", sys.executable]) == sys.executable
    assert find_browser({"CHROMIUM": sys.executable}) == sys.executable
    for environment in ({}, {"CHROMIUM": "gone"}, {"CHROME": "gone", "CI": "true"}):
        wanted = pytest.fail.Exception if "CI" in environment else pytest.skip.Exception
        with pytest.raises(wanted, match="sudo apt-get install chromium"):
            find_browser(environment, ["chromium", *([sys.executable] if environment else [])])
