"""The built book in a real browser, Chromium, with no other host to be reached.

Each rule is a function from an open page to sentences that name the fault; each is shown to fail
on a page that breaks it. The browser is that of the machine; CHROMIUM=/path names another.
"""

import functools
import http.server
import os
import re
import shutil
import sys
import threading
from pathlib import Path

import axe_playwright_python
import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from playwright.sync_api import Error, sync_playwright

from tests.built import PAGES, source, the_book
from tests.pages import Page

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
PLACES = [
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
SECOND = 1000


# ---------------------------------------------------------------- the browser


def find_browser(environment, names=NAMES, places=PLACES):
    """The path of a Chromium: the one that the environment names, or one of the usual names."""
    named = environment.get("CHROMIUM") or environment.get("CHROME")
    found = [shutil.which(named)] if named else [shutil.which(name) for name in names]
    found += [] if named else [place for place in places if Path(place).is_file()]
    return next((path for path in found if path), None)


def no_browser(environment):
    """Skip, or fail where the tests must not be skipped, and say how a browser is installed."""
    (pytest.fail if environment.get("CI") == "true" else pytest.skip)(NO_BROWSER)


@pytest.fixture(scope="module")
def browser():
    path = find_browser(os.environ)
    if not path:
        no_browser(os.environ)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def serve(folder):
    """Serve a folder on loopback, at a free port; the caller shuts the server down."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def site():
    """The address at which the built book is served."""
    server = serve(the_book())
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


class Visit:
    """An open page that remembers what went wrong while it loaded and was used."""

    def __init__(self, browser, address, screen="desk", inside=None, **context):
        width, height = SCREENS[screen]
        self.faults = []
        self.inside = inside or re.match(r"\w+://[^/]*/", address)[0]
        self.context = browser.new_context(viewport={"width": width, "height": height}, **context)
        self.context.route(lambda url: not self.is_inside(url), self.refuse)
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(f"script error: {error}"))
        self.page.on("console", self.hear)
        self.page.on("requestfailed", self.fail)
        self.page.on("response", self.answer)
        self.page.goto(address, wait_until="load")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.context.close()

    def is_inside(self, url):
        return url.startswith((self.inside, "data:", "blob:", "about:"))

    def refuse(self, route):
        self.faults.append(f"asks another host: {route.request.url}")
        route.abort()

    def hear(self, message):
        if message.type == "error":
            self.faults.append(f"console error: {message.text}")

    def fail(self, request):
        if self.is_inside(request.url):
            self.faults.append(f"request failed: {request.url}: {request.failure}")

    def answer(self, response):
        if response.status >= 400:
            self.faults.append(f"answered {response.status}: {response.url}")


# ---------------------------------------------------------------- the rules

UNFOLD = "document.querySelectorAll('details').forEach(each => { each.open = true })"

SETTLED = """async () => {
    await document.fonts.ready;
    const images = [...document.images].map(image => image.decode().catch(() => {}));
    await Promise.all(images);
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""

# The faces that the page uses are loaded; those that it does not use stay "unloaded".
FONTS = """() => [...document.fonts].filter(face => face.family.startsWith("KaTeX"))
    .map(face => face.status)"""

WIDE = """() => {
    const width = document.documentElement.clientWidth, faults = [];
    const scrolls = element => /auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX);
    const name = element => "<" + element.tagName.toLowerCase()
        + [...element.classList].map(each => "." + each).join("") + "> "
        + JSON.stringify(element.textContent.trim().slice(0, 40));
    if (document.documentElement.scrollWidth > width)
        faults.push(`the page is ${document.documentElement.scrollWidth} px wide`);
    const inBox = element => {
        for (let above = element.parentElement; above && above !== document.body;
                above = above.parentElement)
            if (scrolls(above) && above.getBoundingClientRect().right <= width + 1) return true;
        return false;
    };
    for (const element of document.body.querySelectorAll("*")) {
        const box = element.getBoundingClientRect();
        if (box.width && box.height && element.checkVisibility({visibilityProperty: true})
                && (box.right > width + 1 || box.left < -1) && !inBox(element)
                && !element.closest(".skip-link"))
            faults.push(`${name(element)} reaches from ${Math.round(box.left)} `
                + `to ${Math.round(box.right)} px`);
    }
    return faults;
}"""

# A region that scrolls holds something to focus, or can be focused itself.
UNREACHABLE = """() => [...document.querySelectorAll("article *")].filter(element =>
    element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1
    && /auto|scroll/.test(getComputedStyle(element).overflowX)
    && element.checkVisibility({visibilityProperty: true})
    && element.tabIndex < 0 && !element.querySelector("a[href], button, [tabindex='0']")
).map(element => element.outerHTML.slice(0, 80))"""

# axe takes 6 s for a page of 10,000 elements, most of them coloured words of code and parts of
# formulas. One of each kind is enough: the same classes in the same boxes get the same colours.
THIN = """() => {
    const seen = new Set();
    for (const element of document.querySelectorAll("article pre span, article .katex-html")) {
        let kind = "";
        for (let each = element; each && each.tagName !== "ARTICLE"; each = each.parentElement)
            kind += `${each.tagName}.${each.className} `;
        if (!seen.has(kind)) seen.add(kind);
        else if (element.className === "katex-html") element.replaceChildren();
        else element.replaceWith(...element.childNodes);
    }
}"""

CHECK = """async (rules) => {
    const options = {resultTypes: ["violations"], preload: false};
    if (rules) options.runOnly = rules;
    const found = await axe.run(document, options);
    return found.violations.flatMap(rule => rule.nodes.map(node =>
        `${rule.id}: ${rule.help}: ${node.html.slice(0, 120)}`));
}"""


def wide(page):
    """What sticks out of the screen, but for what scrolls in a box of its own."""
    return [f"wider than the screen: {fault}" for fault in page.evaluate(WIDE)]


def unreachable(page):
    """What scrolls and cannot be scrolled by keyboard."""
    return [f"no keyboard reaches: {html}" for html in page.evaluate(UNREACHABLE)]


def images_not_shown(page):
    broken = page.evaluate(
        "() => [...document.images].filter(i => !(i.complete && i.naturalWidth)).map(i => i.src)"
    )
    return [f"image not shown: {address}" for address in broken]


def formulas_not_shown(page, count):
    """Every formula of the source is rendered, and its fonts have come."""
    shown = page.locator("article .katex").count()
    faults = [f"{shown} formulas shown instead of {count}"] if shown != count else []
    faces = page.evaluate(FONTS)
    if count and ("loaded" not in faces or "error" in faces):
        faults.append("the fonts of the formulas did not load")
    return faults


def inaccessible(page):
    """What axe-core finds: all of it in the light, what colours can spoil in the dark too.

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


PARSER = MarkdownIt("commonmark").enable("table").use(colon_fence_plugin)
PARSER.use(dollarmath_plugin, double_inline=True)


def formulas(markdown):
    """How many formulas a text has, those inside directives too."""
    count = 0
    for token in PARSER.parse(markdown):
        for each in [token, *(token.children or [])]:
            directive = re.match(r"\{([\w-]+)\}", each.info.strip()) if each.info else None
            if each.type.startswith("math_"):
                count += 1
            elif each.type in ("fence", "colon_fence") and directive:
                count += 1 if directive[1] == "math" else formulas(each.content)
    return count


def formulas_of(page):
    return sum(formulas(cell.source) for cell in Page(source(page)).texts)


# ---------------------------------------------------------------- the book


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("page", [*PAGES, "search"])
def test_a_page(page, screen, browser, site):
    """Loads without another host or an error, shows all, fits the screen, can be read by all."""
    with Visit(browser, f"{site}{page}.html", screen) as visit:
        visit.page.evaluate(UNFOLD)
        visit.page.evaluate(SETTLED)
        faults = visit.faults + images_not_shown(visit.page) + wide(visit.page)
        faults += unreachable(visit.page)
        if page != "search":
            faults += formulas_not_shown(visit.page, formulas_of(page))
        faults += inaccessible(visit.page)
    assert not faults, "\n".join(["", *(f"{page}.html ({screen}): {each}" for each in faults)])


WORD, FOUND_ON = "glossary", "chapters/glossary"


def find_by_search(page):
    """The pages that the search page names."""
    page.wait_for_selector("#search-results li a", timeout=10 * SECOND)
    page.wait_for_timeout(200)
    return page.locator("#search-results li a").evaluate_all("all => all.map(a => a.href)")


@pytest.mark.parametrize("way", ["http", "file"])
def test_the_search_finds_a_page(way, browser, site):
    root = site if way == "http" else f"{the_book().as_uri()}/"
    with Visit(browser, f"{root}search.html?q={WORD}", inside=root) as visit:
        found = find_by_search(visit.page)
        assert any(FOUND_ON in address for address in found), found
        assert visit.faults == []


@pytest.mark.parametrize("way", ["http", "file"])
def test_the_search_finds_while_one_types(way, browser, site):
    root = site if way == "http" else f"{the_book().as_uri()}/"
    with Visit(browser, f"{root}index.html", inside=root) as visit:
        visit.page.keyboard.press("Control+k")
        visit.page.locator("#pst-search-dialog input").press_sequentially(WORD)
        assert any(FOUND_ON in address for address in find_by_search(visit.page))
        assert visit.faults == []


def test_the_book_opens_from_a_folder(browser):
    root = f"{the_book().as_uri()}/"
    for page in PAGES:
        with Visit(browser, f"{root}{page}.html", inside=root) as visit:
            visit.page.evaluate(SETTLED)
            shown = formulas_not_shown(visit.page, formulas_of(page))
            assert visit.faults + shown + images_not_shown(visit.page) == [], page


def test_the_switch_changes_light_and_dark(browser, site):
    with Visit(browser, f"{site}index.html", color_scheme="light") as visit:
        seen = set()
        for _ in range(3):
            visit.page.locator(".theme-switch-button:visible").first.click()
            theme = visit.page.evaluate("document.documentElement.dataset.theme")
            ground = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
            seen.add((theme, ground))
        assert {theme for theme, _ in seen} == {"light", "dark"} and len(seen) == 2, seen
        assert visit.faults == []


def test_code_is_copied_by_its_button(browser, site):
    page = next(page for page in PAGES if source(page).suffix == ".ipynb")
    with Visit(browser, f"{site}{page}.html", permissions=["clipboard-read"]) as visit:
        visit.page.evaluate(UNFOLD)
        cell = visit.page.locator(".cell_input .highlight").first
        cell.hover()
        cell.locator("button.copybtn").click()
        visit.page.wait_for_timeout(100)
        copied = visit.page.evaluate("navigator.clipboard.readText()")
        assert copied.strip() == cell.locator("pre").inner_text().strip()
        assert visit.faults == []


def test_a_page_reads_without_scripts(browser, site):
    page = next(page for page in PAGES if source(page).suffix == ".ipynb")
    with Visit(browser, f"{site}{page}.html", java_script_enabled=False) as visit:
        assert visit.page.locator("article h1").is_visible()
        assert visit.page.locator("article .katex").count() == formulas_of(page)
        assert not [fault for fault in visit.faults if "another host" in fault]


def test_what_is_folded_is_printed(browser, site):
    page = next(page for page in PAGES if source(page).suffix == ".ipynb")
    with Visit(browser, f"{site}{page}.html") as visit:
        folded = visit.page.locator("article details pre").first
        assert not folded.is_visible()
        visit.page.emulate_media(media="print")
        assert folded.is_visible() and not visit.page.locator(".bd-sidebar-primary").is_visible()


# ---------------------------------------------------------------- each rule fails where it should


@pytest.fixture
def made(tmp_path, browser):
    """Open a page made of a piece of HTML."""
    server = serve(tmp_path)
    visits = []

    def open_page(body, screen="desk"):
        (tmp_path / "a.html").write_text(
            "<!DOCTYPE html><html lang='en'><head><title>A</title><link rel='icon' href='data:,'>"
            "<meta name='viewport' content='width=device-width'></head>"
            f"<body><main><article><h1>A</h1>{body}</article></main></body></html>"
        )
        visits.append(Visit(browser, f"http://127.0.0.1:{server.server_port}/a.html", screen))
        visits[-1].page.evaluate(SETTLED)
        return visits[-1]

    yield open_page
    for visit in visits:
        visit.context.close()
    server.shutdown()
    server.server_close()


def test_a_good_page_passes(made):
    visit = made(
        "<p>Text</p><div tabindex=0 style='overflow: auto'><p style='width: 800px'>x</p></div>"
        "<table><tr><th>size <math><mi>x</mi></math></th></tr><tr><td>1</td></tr></table>",
        "phone",
    )
    page = visit.page
    assert visit.faults + wide(page) + unreachable(page) + inaccessible(page) == []


@pytest.mark.parametrize(
    "body, message",
    [
        ("<script src='https://cdn.example/a.js'></script>", "asks another host: https://cdn.exam"),
        (
            "<script>fetch('http://other.example')</script>",
            "asks another host: http://other.example",
        ),
        ("<img src='//cdn.example/a.png' alt=''>", "asks another host: http://cdn.example/a.png"),
        ("<script>let a; nothing()</script>", "script error: nothing is not defined"),
        ("<script>let a; let a</script>", "script error: Identifier 'a' has already been declared"),
        ("<script>console.error('no')</script>", "console error: no"),
        ("<img src='gone.png' alt=''>", "answered 404: http://127.0.0.1"),
    ],
)
def test_a_page_that_misbehaves_fails(made, body, message):
    faults = made(body).faults
    assert any(fault.startswith(message) for fault in faults), faults


@pytest.mark.parametrize(
    "body, message",
    [
        ("<p style='width: 500px'>wide</p>", "wider than the screen: the page is 508 px wide"),
        (
            "<p class='w' style='width: 500px'>x</p>",
            'wider than the screen: <p.w> "x" reaches from',
        ),
        (
            "<div style='overflow: hidden; width: 500px'><p>x</p></div>",
            "wider than the screen: <div>",
        ),
    ],
)
def test_a_page_that_is_too_wide_fails(made, body, message):
    faults = wide(made(body, "phone").page)
    assert any(fault.startswith(message) for fault in faults), faults


def test_a_box_that_no_keyboard_reaches_fails(made):
    visit = made("<div style='overflow: auto'><p style='width: 3000px'>x</p></div>")
    assert unreachable(visit.page)[0].startswith("no keyboard reaches: <div")


def test_an_image_that_is_not_shown_fails(made):
    assert images_not_shown(made("<img src='a.html' alt=''>").page)[0].endswith("/a.html")


def test_a_formula_that_is_not_shown_fails(made):
    page = made("<p>$x$</p>").page
    assert formulas_not_shown(page, 0) == []
    assert formulas_not_shown(page, 1) == [
        "0 formulas shown instead of 1",
        "the fonts of the formulas did not load",
    ]


@pytest.mark.parametrize(
    "body, message",
    [
        ("<p style='color: #ccc; background: #fff'>pale</p>", "light: color-contrast"),
        (
            "<pre><span class='a'>a</span> <span class='a'>a</span> "
            "<span class='b' style='color: #ccc'>pale</span></pre>",
            "light: color-contrast",
        ),
        ("<img src='data:,'>", "light: image-alt"),
        (
            "<table><tr><th><math><mi>x</mi></math></th></tr><tr><td>1</table>",
            "light: empty-table-header",
        ),
        (
            "<style>@media (prefers-color-scheme: dark) { p { color: #222; background: #000 } }"
            "</style><p>dim</p>",
            "dark: color-contrast",
        ),
    ],
)
def test_a_page_that_not_all_can_read_fails(made, body, message):
    faults = inaccessible(made(body).page)
    assert any(fault.startswith(message) for fault in faults), faults


@pytest.mark.parametrize(
    "markdown, count",
    [
        ("$a$ and `$b$` and $$c$$", 2),
        ("$$ a \\tag{1.1} $$", 1),
        ("```python\n$a$ $b$\n```", 0),
        ("```{note}\n$a$\n```", 1),
        ("````{note}\n```{math}\na\n```\n````", 1),
        (":::{note}\n$a$ and $b$\n:::", 2),
        ("| a |\n|---|\n| $x$ |", 1),
        ("<details><summary>A</summary>\n\n$a$\n\n</details>", 1),
        ("5 \\$ and 6 \\$", 0),
    ],
)
def test_formulas_are_counted(markdown, count):
    assert formulas(markdown) == count


def test_the_browser_is_found_or_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_browser({}, places=[]) is None
    assert find_browser({}, places=[sys.executable]) == sys.executable
    for name in ("CHROMIUM", "CHROME"):
        assert find_browser({name: sys.executable}) == sys.executable
        assert find_browser({name: str(tmp_path / "gone")}, places=[sys.executable]) is None
    with pytest.raises(pytest.skip.Exception, match="sudo apt-get install chromium"):
        no_browser({})
    with pytest.raises(pytest.fail.Exception, match="sudo apt-get install chromium"):
        no_browser({"CI": "true"})


def test_a_browser_error_is_an_error(browser):
    """A page that cannot be opened at all does not pass in silence."""
    with pytest.raises(Error):
        Visit(browser, "http://127.0.0.1:9/", inside="http://127.0.0.1:9/")
