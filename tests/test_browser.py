"""The built book in a real browser, Chromium, with no other host to be reached.

Each rule is a function from an open page to sentences that name the fault; each is shown to fail
on a page that breaks it. The browser is that of the machine; CHROMIUM=/path names another.
"""

import functools
import gzip
import http.server
import os
import re
import shutil
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import sync_playwright

from tests.built import PAGES, source, the_book

NAMES = [
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
]
# The first is for the root of a container; the others keep Chromium from calling home.
FLAGS = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --disable-dev-shm-usage""".split()
NO_BROWSER = (
    "there is no Chromium for the browser tests; install it with: sudo apt-get install chromium "
    "(on Ubuntu: sudo snap install chromium), or name one: CHROMIUM=/path/to/chromium"
)
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
SCREENS = {"desk": (1280, 900), "phone": (390, 844)}
DRESSED = "chapters/03_masked_softmax.html"
NOTEBOOK = next(f"{page}.html" for page in PAGES if source(page).suffix == ".ipynb")


def find_browser(environment, names=NAMES):
    """The Chromium that the environment names, or one of the usual names; where there is none,
    skip, or fail where the tests must not be skipped, and say how it is installed."""
    named = environment.get("CHROMIUM") or environment.get("CHROME")
    for path in filter(None, map(shutil.which, [named] if named else names)):
        return path
    (pytest.fail if environment.get("CI") == "true" else pytest.skip)(NO_BROWSER)


@pytest.fixture(scope="module")
def browser():
    path = find_browser(os.environ)
    with sync_playwright() as playwright:
        with playwright.chromium.launch(executable_path=path, args=FLAGS) as browser:
            yield browser


Quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})


def serve(folder):
    """Serve a folder on loopback, at a free port, as long as one looks at it."""
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def book():
    """Where the built book begins: on a server, and as files."""
    for address in serve(the_book()):
        yield {"http": address, "file": f"{the_book().as_uri()}/"}


@contextmanager
def visit(browser, inside, name, screen="desk", **settings):
    """An open page, whose list `faults` tells what went wrong while it loaded and was used."""
    ours, faults = (inside, "data:", "blob:", "about:"), []
    size = dict(zip(("width", "height"), SCREENS[screen]))

    def refuse(route):
        faults.append(f"asks another host: {route.request.url}")
        route.abort()

    def hear(event, say, wanted):
        page.on(event, lambda told: faults.append(say.format(told)) if wanted(told) else None)

    with browser.new_context(viewport=size, **settings) as context:
        context.route(lambda url: not url.startswith(ours), refuse)
        page = context.new_page()
        page.faults = faults
        hear("pageerror", "script error: {}", lambda told: True)
        hear("console", "console error: {.text}", lambda told: told.type == "error")
        hear("requestfailed", "request failed: {.url}", lambda told: told.url.startswith(ours))
        hear("response", "answered {0.status}: {0.url}", lambda told: told.status >= 400)
        page.goto(inside + name, wait_until="load")
        yield page


UNFOLD = "document.querySelectorAll('details').forEach(each => { each.open = true })"

SETTLED = """async () => {
    await document.fonts.ready;
    for (const image of document.images) image.loading = "eager"; // or decode() may wait for ever
    await Promise.all([...document.images].map(image => image.decode().catch(() => {})));
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""

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

WIDE = """() => {
    const width = document.documentElement.clientWidth, faults = [];
    if (document.documentElement.scrollWidth > width)
        faults.push(`the page is ${document.documentElement.scrollWidth} px wide`);
    const right = element => element.getBoundingClientRect().right;
    const inBox = element => element !== document.body && (right(element) <= width + 1
        && /auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX)
        || inBox(element.parentElement));
    for (const element of document.body.querySelectorAll("*")) {
        const box = element.getBoundingClientRect();
        if (box.width && box.height && element.checkVisibility({visibilityProperty: true})
                && (box.right > width + 1 || box.left < -1) && !inBox(element.parentElement)
                && !element.closest(".skip-link"))
            faults.push(`${Math.round(box.left)} to ${Math.round(box.right)} px: `
                + element.outerHTML.slice(0, 80));
    }
    return faults;
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
# classes and styles in the same boxes has the same colours. What gives its box a name stays.
THIN = """() => {
    const seen = new Set(), spare = "article :is(p, pre, div, span, em, strong, code, .copybtn)";
    const named = "th, h1, h2, h3, h4, h5, h6, a, button, summary";
    for (const element of [...document.querySelectorAll(spare)].reverse()) {
        let kind = "";
        for (let each = element; each.tagName !== "ARTICLE"; each = each.parentElement)
            kind += `${each.tagName}.${each.className}.${each.getAttribute("style")} `;
        if (element.closest(".katex *") || !seen.has(kind)) seen.add(kind);
        else if (element.matches(".katex")) element.textContent = "formula";
        else if (element.matches(".copybtn")) element.remove();
        else if (!element.firstElementChild && !element.closest(named)) element.remove();
    }
}"""

CHECK = """async (rules) => {
    const options = {resultTypes: ["violations"], preload: false};
    if (rules) options.runOnly = rules;
    const found = await axe.run(document, options);
    return found.violations.flatMap(rule => rule.nodes.map(node =>
        `${rule.id}: ${rule.help}: ${node.html.slice(0, 120)}`));
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


RULES = [clean, shown, narrow, whole, reachable, accessible]


WAYS = [("http", "desk"), ("file", "phone")]  # both ways to open it, both widths


@pytest.mark.parametrize("way, screen", WAYS)
@pytest.mark.parametrize("name", [*PAGES, "search"])
def test_a_page(name, way, screen, browser, book):
    with visit(browser, book[way], f"{name}.html", screen) as page:
        page.evaluate(UNFOLD)
        page.evaluate(SETTLED)
        faults = [f"{name}.html ({screen}): {fault}" for rule in RULES for fault in rule(page)]
    assert "\n".join(faults) == ""


@pytest.mark.parametrize("way, screen", WAYS)
@pytest.mark.parametrize("typed", [True, False])
def test_the_search_finds_a_page(way, screen, typed, browser, book):
    name = "index.html" if typed else "search.html?q=glossary"
    with visit(browser, book[way], name, screen) as page:
        if typed:
            page.keyboard.press("Control+k")
            page.wait_for_function("document.activeElement.closest('#pst-search-dialog')")
            page.locator("#pst-search-dialog input").press_sequentially("glossary")
        found = page.locator("#search-results li a[href*='chapters/glossary']").first
        found.wait_for(state="attached", timeout=20_000)
        page.wait_for_timeout(200)
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


LIMIT = 250_000


def test_a_page_is_light(browser, book):
    """A first visit: text as a server compresses it, fonts, no images, none of the drawings."""
    heavy = {}
    for name in PAGES:
        asked = set()
        with browser.new_context() as context:
            page = context.new_page()
            page.on("request", lambda request: asked.add(request.url.split("?")[0]))
            page.goto(f"{book['http']}{name}.html", wait_until="load")
            page.evaluate(SETTLED)
        weight = 0
        for url in asked:
            path = the_book() / url.removeprefix(book["http"])
            if path.suffix in (".woff2", ".ttf"):
                weight += path.stat().st_size
            elif path.suffix in (".html", ".css", ".js"):
                content = re.sub(rb"<svg\b.*?</svg>", b"", path.read_bytes(), flags=re.DOTALL)
                weight += len(gzip.compress(content, 6))
        if weight > LIMIT:
            heavy[name] = weight
    assert heavy == {}


def test_a_page_is_printed_whole_and_small(browser, book):
    with visit(browser, book["http"], DRESSED, color_scheme="dark") as page:
        page.set_viewport_size({"width": 688, "height": 1000})  # A4 without its margins
        page.emulate_media(media="print")
        for kind, shown in PRINTED.items():
            for fold in page.locator(f"article {kind}").all():
                inside = fold.locator(":scope > :not(summary)").first
                assert inside.is_visible() == shown, fold.inner_html()[:200]
                assert fold.locator("summary").is_visible() == (shown or "verify" in kind)
        assert page.locator("article details.verify").count()
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
        page.wait_for_timeout(100)
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.strip() == cell.locator("pre").inner_text().strip()
        assert not page.locator(".cell_output button.copybtn").count()
        assert page.faults == []


# Punctuation that is not beside the formula it belongs to.
ALONE = """() => [...document.querySelectorAll(".nowrap")].filter(each => each.checkVisibility())
    .flatMap(span => [...span.childNodes].filter(each => each.nodeType === 3).filter(text => {
        const range = document.createRange(), parts = [...span.querySelectorAll(".base")];
        range.selectNodeContents(text);
        const box = range.getBoundingClientRect();
        const first = text.compareDocumentPosition(parts[0]) & Node.DOCUMENT_POSITION_FOLLOWING;
        const part = (first ? parts[0] : parts.at(-1)).getBoundingClientRect();
        const gap = first ? part.left - box.right : box.left - part.right;
        return gap < -3 || box.top >= part.bottom || box.bottom <= part.top;
    }).map(text => text.data))"""


def test_no_punctuation_stands_alone_beside_a_formula(browser, book):
    def alone(page):
        found = []
        for width in range(320, 701, 20):
            page.set_viewport_size({"width": width, "height": 800})
            found += [f"{width} px: {text}" for text in page.evaluate(ALONE)]
        return found

    with visit(browser, book["http"], DRESSED) as page:
        page.evaluate(UNFOLD)
        assert page.locator(".nowrap").count() > 20
        assert alone(page) == []
        page.add_style_tag(content=".nowrap { white-space: normal }")
        assert alone(page)


FOCUSED = """() => {
    let element = document.activeElement;
    const inside = Boolean(element.closest("article"));
    while (element.shadowRoot) element = element.shadowRoot.activeElement; // in a live figure
    const style = getComputedStyle(element);
    return element === document.body ? null : [element.outerHTML.slice(0, 80),
        `${style.outlineStyle} ${style.outlineWidth}`, inside];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_stop_of_the_keyboard_shows_where_it_is(scheme, browser, book):
    with visit(browser, book["http"], DRESSED, color_scheme=scheme) as page:
        stops = []
        while (page.keyboard.press("Tab"), stop := page.evaluate(FOCUSED))[1] and len(stops) < 300:
            stops.append(stop)
        assert len(stops) > 50 and "skip" in page.locator("a").first.inner_text().lower()
        assert [html for html, ring, _ in stops[1:] if ring != "solid 2px"] == []
        # The list of pages, and few stops besides.
        assert [inside for *_, inside in stops].index(True) <= len(PAGES) + 7


def test_the_search_marks_words_and_its_icon_covers_nothing(browser, book):
    with visit(browser, book["http"], "search.html?q=out") as page:
        page.locator("#search-results .context").first.wait_for(timeout=20_000)
        page.wait_for_timeout(1000)
        # Each mark with what stands right before and after it.
        marks = page.evaluate(
            """[...document.querySelectorAll("#search-results .highlighted")].map(mark => [
                mark.previousSibling?.data?.slice(-1) ?? "", mark.nextSibling?.data ?? ""])"""
        )
        assert marks
        for before, after in marks:
            assert not before.isalnum() and re.match(r"(s|es|d|ed|ing)?(?![^\W_])", after)
    for name in ("search.html", "index.html"):
        with visit(browser, book["http"], name) as page:
            if name == "index.html":
                page.keyboard.press("Control+k")
            field = page.locator(".bd-search:visible").first
            icon = field.locator(".fa-magnifying-glass").bounding_box()
            typed = field.locator("input")
            padding = typed.evaluate("element => parseFloat(getComputedStyle(element).paddingLeft)")
            assert typed.bounding_box()["x"] + padding >= icon["x"] + icon["width"] + 2


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

    def faults(rule, body):
        (folder / "a.html").write_text(
            "<!DOCTYPE html><html lang='en'><head><title>A</title><link rel='icon' href='data:,'>"
            "<meta name='viewport' content='width=device-width'></head>"
            f"<body><main><article><h1>A</h1>{body}</article></main></body></html>"
        )
        with visit(browser, address, "a.html", "phone") as page:
            page.evaluate(SETTLED)
            return rule(page)

    for address in serve(folder):
        yield faults


PALE, COLOR = "style='color: #ccc'", "light: color-contrast"
KATEX = "<span class=math><span class=katex><span class=katex-html>formula</span></span></span>"
TABLE = "<table><tr><th>{}</th></tr><tr><td>1</td></tr></table>"
FACE = "<style>@font-face {font-family: KaTeX_A; src: url(a.html)} i {font-family: KaTeX_A}</style>"
FACE += f"<i>{KATEX}</i>"
DARK = "<style>@media (prefers-color-scheme: dark) {p {color: #222; background: #000}}</style>"
DRAWING = "<figure id='figure-1-1'><svg class='diagram' viewBox='0 0 {} 9'></svg></figure>"
BOX = "<div style='overflow: auto'{}><p style='width: 3000px'>x</p></div>"


@pytest.mark.parametrize("rule", RULES)
def test_a_good_page_passes(made, rule):
    assert (
        made(rule, BOX.format(" tabindex=0") + TABLE.format("size <math><mi>x</mi></math>")) == []
    )


@pytest.mark.parametrize(
    "rule, body, message",
    [
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
        (legible, DRAWING.format(500), "a label too small, 7.0 px: figure-1-1"),
        (reachable, BOX.format(""), "no keyboard reaches: <div"),
        (accessible, f"<p {PALE}>pale</p>", COLOR),
        (accessible, f"<pre><span>a</span> <span>a</span> <span {PALE}>pale</span></pre>", COLOR),
        (accessible, f"<p>{KATEX} {KATEX}</p><p {PALE}>{KATEX}</p>", COLOR),
        (accessible, "<img src='data:,'>", "light: image-alt"),
        (accessible, TABLE.format(""), "light: empty-table-header"),
        (accessible, f"{DARK}<p>dim</p>", "dark: color-contrast"),
    ],
)
def test_a_page_that_is_wrong_fails(made, rule, body, message):
    faults = made(rule, body)
    assert any(fault.startswith(message) for fault in faults), faults


def test_the_browser_is_found_or_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_browser({}, ["chromium", sys.executable]) == sys.executable
    assert find_browser({"CHROMIUM": sys.executable}) == sys.executable
    for environment in ({}, {"CHROMIUM": "gone"}, {"CHROME": "gone", "CI": "true"}):
        wanted = pytest.fail.Exception if "CI" in environment else pytest.skip.Exception
        with pytest.raises(wanted, match="sudo apt-get install chromium"):
            find_browser(environment, ["chromium", *([sys.executable] if environment else [])])
