"""The built book in a real browser."""

import functools
import gzip
import re
from urllib.request import urlopen

import pytest

from tests.browsing import AXE, BELOW, SCREENS, SETTLED, UNFOLD, WIDE, Host, serving, visit
from tests.built import PAGES, source, the_book
from workshop.page import notebooks

DRESSED = "chapters/03_masked_softmax.html"
TITLE = f"# {int(DRESSED[9:11])}. "
NOTEBOOK = next(f"{page}.html" for page in PAGES if source(page).suffix == ".ipynb")


@pytest.fixture(scope="module")
def book():
    """Where the built book begins: on a server, and as files."""
    with serving(the_book()) as address:
        yield {"http": address, "file": f"{the_book().as_uri()}/"}


# What is wrong with a page, by what it is called; each gives words that say where.
SCRIPTS = {
    # Those of the other theme aren't loaded.
    "image not shown": """() => [...document.images].filter(image => image.checkVisibility()
        && !(image.complete && image.naturalWidth)).map(image => image.src)""",
    "formula not shown": """() => [...document.querySelectorAll("article .math")].filter(each =>
        !each.querySelector(".katex-html")?.getClientRects().length).map(each => each.outerHTML)""",
    # The faces that the page uses are loaded; those that it does not use stay "unloaded".
    "a font of the formulas": """() => {
        const faces = [...document.fonts].filter(face => face.family.startsWith("KaTeX"));
        const states = faces.map(face => face.status);
        const used = document.querySelector("article .math");
        return used && (!states.includes("loaded") || states.includes("error")) ? states : [];
    }""",
    # Nothing sticks out, but for what scrolls in a box of its own.
    "wider than the screen": WIDE,
    "an output is cut": """() => [...document.querySelectorAll(".cell_output pre")].filter(each =>
        each.scrollWidth > each.clientWidth + 1).map(each => each.textContent)""",
    # Small text of a drawing is 12 units high; the labels of a plot 11 points, 14.7 of its pixels.
    "a label too small": """() => [
        ...document.querySelectorAll("figure svg.diagram, figure img.plot")
    ].filter(each => each.checkVisibility()).flatMap(each => {
        const width = each.getBoundingClientRect().width;
        const height = each.matches("svg") ? 12 * width / each.viewBox.baseVal.width
            : 14.67 * width / (each.naturalWidth / 2);
        return height < 10.95 ? [`${height.toFixed(1)} px: ${each.closest("figure").id}`] : [];
    })""",
    # A region that scrolls holds something to focus, or can be focused itself.
    "no keyboard reaches": """() => [...document.querySelectorAll("article *")].filter(element =>
        element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1
        && /auto|scroll/.test(getComputedStyle(element).overflowX)
        && element.checkVisibility({visibilityProperty: true})
        && element.tabIndex < 0 && !element.querySelector("a[href], button, [tabindex='0']")
    ).map(element => element.outerHTML)""",
}

# axe takes seconds for a page of 10,000 elements. One of each kind in all pages is enough: what has
# the same classes and styles in the same boxes has the same colours. What gives its box a name stays.
# In a drawing, in the MathML that is for the ear, and of a single letter, axe judges no colour; live
# figures it sees by themselves (tests/live/test_places.py).
KINDS = []  # that axe has judged
THIN = """kinds => {
    const seen = new Set(kinds), named = "th, h1, h2, h3, h4, h5, h6, a, button, summary";
    const all = spare => [...document.querySelectorAll(`article :is(${spare})`)].reverse();
    function first(element) {
        let kind = "";
        for (let each = element; each && each.tagName !== "ARTICLE"; each = each.parentElement)
            kind += `${each.tagName}.${each.className}.${
                each.getAttribute("style")?.replace(/[-\\d.]+em/g, "")} `;
        if (seen.has(kind)) return false;
        seen.add(kind);
        return element.dataset.fresh = "yes";
    }
    all("attention-live-1, svg[role=img] > :not(title)").forEach(each => each.remove());
    for (const each of all(".katex")) if (!first(each)) each.textContent = "formula";
    for (const each of all(".katex-mathml")) each.textContent = "formula";
    for (const each of all(".copybtn")) if (!first(each)) each.remove();
    for (const each of all("p, li, pre, div, span, em, strong, code, p > a")) {
        const tiny = each.textContent.trim().length < 2, link = each.matches("a");
        if (!each.firstElementChild && !each.parentElement.closest(named)
                && (link ? !tiny && !first(each) : tiny || !first(each))) each.remove();
    }
    const says = each => [...each.childNodes].some(part => part.nodeType === 3 && part.data.trim());
    for (const each of document.querySelectorAll("body *")) if (says(each)) first(each);
    return [...seen];
}"""
# All rules but those of colours, which are asked, in both schemes, of what no page before had.
JUDGED = """async colours => {
    const options = { preload: false, resultTypes: ["violations"] };
    const rules = ["color-contrast", "link-in-text-block"], fresh = "[data-fresh]";
    if (colours && !document.querySelector(fresh)) return [];
    if (colours) options.runOnly = rules;
    else options.rules = Object.fromEntries(rules.map(rule => [rule, { enabled: false }]));
    const { violations } = await axe.run(colours ? { include: [[fresh]] } : document, options);
    return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) =>
        `${id}: ${help}: ${html.slice(0, 120)}`));
}"""


LIMIT = 350_000
TOWER = 100_000  # more for page 11, which holds the tower that it has trained, in 8 bits
# What live figures ask for when they come into view, after the page: a trained model and no more.
DATA = ("/translator.js", "/maps.js", "/letters.js", "/patches.js")
DATA_LIMIT = 450_000


@functools.cache
def weight(url):
    """Bytes of what a first visit loads: text as a server compresses it, fonts, no images."""
    kind = url.rpartition(".")[2]
    if kind not in ("woff2", "ttf", "html", "css", "js"):
        return 0
    with urlopen(url) as answer:
        content = answer.read()
    if kind in ("html", "css", "js"):
        content = gzip.compress(content, 6)
    return len(content)


def faults(page, screens):
    """What is wrong with a page that is open where it is 320 px wide, there and on some screens. What axe finds is asked last, as it thins the
    page out: in the light, and of what colours can spoil, in the dark."""
    page.evaluate(SETTLED)
    addresses = {url.split("?")[0] for url in page.asked if url.startswith(page.inside)}
    data = {url for url in addresses if url.endswith(DATA)}
    problems = []
    here = LIMIT + TOWER * ("/11_" in page.url)
    for urls, limit in ((addresses - data, here), (data, DATA_LIMIT)):
        if (total := sum(map(weight, urls))) > limit:
            problems.append(f"too heavy: {total} bytes; wanted at most {limit}")
    page.evaluate(UNFOLD)
    page.evaluate(SETTLED)
    problems += [f"320 px: {fault[:80]}" for fault in page.evaluate(WIDE)]
    for screen in screens:
        page.set_viewport_size(SCREENS[screen])
        page.evaluate(SETTLED)
        for name, script in SCRIPTS.items():
            problems += [f"{screen}: {name}: {fault[:80]}" for fault in page.evaluate(script)]
    problems += page.faults
    KINDS[:] = page.evaluate(THIN, KINDS)
    page.evaluate(AXE)
    problems += page.evaluate(JUDGED, False)
    for scheme in ("light", "dark"):
        if scheme == "dark":  # whose pictures need not be loaded
            page.evaluate("document.querySelectorAll('article img').forEach(each => each.remove())")
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.evaluate(SETTLED)
        problems += [f"{scheme}: {fault}" for fault in page.evaluate(JUDGED, True)]
    return problems


@pytest.mark.parametrize("name", [*PAGES, "search"])
def test_a_page(name, browser, book):
    """On the phone, where there is least room. Every second one comes from a server and is then put
    on the desk, where axe looks at it; the others are files, which axe sees on the phone."""
    odd = [*PAGES, "search"].index(name) % 2
    way, screens = ("file", ["phone"]) if odd else ("http", ["phone", "desk"])
    with visit(browser, book[way], f"{name}.html", "narrow") as page:
        assert faults(page, screens) == []


UNNUMBERED = re.compile(r"^\d+\. ")
TITLES = {page.path.stem: UNNUMBERED.sub("", page.headings[0].title) for page in notebooks()}
# What readers ask, in the words that they type, and the page that answers.
ASKED = [
    ("positional encoding", "Positional"), ("rope", "Positional"), ("beam search", "Translation"),
    ("top-p", "Writing"), ("attention map explanation", "What an attention map"),
    ("attention sink first token", "When no key"), ("no-op head", "When no key"),
    ("softmax plus one", "When no key"), ("learned sink", "When no key"),
    ("differential attention", "When no key"), ("sigmoid attention", "When no key"),
    ("scalable softmax", "When no key"), ("gated attention", "When no key"),
    ("output_attentions None", ("Multi-head", "Questions")), ("perplexity", "A language model"),
    ("teacher forcing", "Transformer blocks"), ("kernel regression", "Nadaraya"),
    ("layer norm vs batch norm", "Transformer blocks"), ("softmax temperature", "Queries"),
    ("bleu", "Translation"), ("byte pair encoding", ("Writing", "A real model")),
    ("induction head", "Copying"), ("speculative decoding", "Writing"), ("min-p", "Writing"),
    ("prefill", ("Transformer blocks", "Writing", "A real model")),
    ("memory-bound", ("A real model", "Efficient")), ("arithmetic intensity", "Efficient"),
    ("flashattention", "Efficient"), ("online softmax", "Efficient"),
    ("quantization", ("A real model", "Efficient")),
    ("weight tying", ("A language model", "A real model")), ("chat template", "A real model"),
    ("stop token", ("Writing", "A real model")), ("absorption", "Efficient"),
    ("YaRN", "Positional"), ("rolling cache", "Efficient"),
    ("residual stream", "Transformer blocks"), ("previous-token head", "Copying"),
    ("QK and OV circuits", "Copying"), ("hook", ("What an attention map", "Copying")),
    ("activation patching", "What an attention map"),
    ("repetition penalty", ("Writing", "A real model")), ("context window", "A language model"),
    ("paged attention", ("Efficient", "One model")), ("DPO", "A real model"),
    ("cross-attention", ("Multi-head", "Transformer blocks")), ("lightning indexer", "Efficient"),
]  # fmt: skip
ASKED += [  # the words that a question's own line names find it, or a page that it links to
    (words, ("Questions", *(TITLES[page] for page in re.findall(r"\]\((\d\d_\w+)\.", question))))
    for question in source("chapters/questions").read_text(encoding="utf-8").split("\n### ")[1:]
    for words in re.search(r"<!-- search: (.*) -->", question)[1].split("; ")
]
FIRST_THREE = """words => BookSearch.findPages(words).slice(0, 3).map(({ sections }) =>
    [sections[0].page, sections[0].text])"""
RESULTS = """() => [...document.querySelectorAll("#search-results li")].map(result => [
    result.querySelector("a").href, result.querySelector(".context").textContent])"""


@pytest.mark.parametrize("way, screen", [("http", "desk"), ("file", "phone")])
def test_the_search_answers_what_readers_ask(way, screen, browser, book):
    with visit(browser, book[way], "index.html", screen) as page:
        page.keyboard.press("Control+k")
        page.wait_for_function("document.activeElement.closest('#pst-search-dialog')")
        page.keyboard.type("why divide by sqrt d")
        page.locator("#search-results li").first.wait_for()
        (address, excerpt), *_ = page.evaluate(RESULTS)
        assert address.endswith(".html#why-divide-by-d") and re.search(r"√\s?d", excerpt)
        missed = []
        for words, expected in ASKED if way == "http" else ():
            results = page.evaluate(FIRST_THREE, words)
            if not any(UNNUMBERED.sub("", title).startswith(expected) for title, _ in results):
                missed.append((words, results))
            assert all(not re.search(r"\\[a-z]|def \w+\(", text) for _, text in results), words
        assert missed == []
        field = page.locator(".bd-search:visible").first
        icon = field.locator(".fa-magnifying-glass").bounding_box()
        field = field.locator("input")
        padding = field.evaluate("element => parseFloat(getComputedStyle(element).paddingLeft)")
        assert field.bounding_box()["x"] + padding >= icon["x"] + icon["width"] + 2
        assert page.faults == []
    with visit(browser, book[way], "search.html?q=nan", screen) as page:
        page.locator("#search-results li").first.wait_for()
        assert page.locator(".search-summary").inner_text().startswith("Search finished")
        assert page.locator("#search-results .highlighted").count() and page.faults == []


# Of colours that are still fading into one another there's nothing to be said.
CONTRAST = """async box => {
    await Promise.allSettled(document.getAnimations().map(each => each.finished));
    const { violations } = await axe.run(box, { runOnly: ["color-contrast"], preload: false });
    return violations.flatMap(({ nodes }) => nodes.map(({ html, any: [{ data }] }) =>
        `${data.contrastRatio}: ${html.slice(0, 80)}`));
}"""


def faint(page, box):
    """What can't be read there, in the light and in the dark."""
    faults = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
        faults += page.evaluate(CONTRAST, box)
    return faults


def test_what_is_found_can_be_read_and_a_miss_leads_on(browser, book):
    with visit(browser, book["http"], DRESSED) as page:
        page.evaluate(AXE)
        page.keyboard.press("Control+k")
        page.keyboard.type("softmax")
        page.locator("#search-results .highlighted").first.wait_for()
        page.locator("#search-results a").first.hover()
        assert faint(page, "#pst-search-dialog") == []
        page.keyboard.press("Control+a")
        page.keyboard.type("zzzqqq")
        miss = page.locator(".search-summary", has_text="nothing about “zzzqqq” found")
        miss.wait_for()
        assert faint(page, "#pst-search-dialog") == page.faults == []
        for link in ("glossary", "readers ask"):
            address = miss.get_by_role("link", name=link).evaluate("each => each.href")
            assert (the_book() / address.removeprefix(book["http"])).is_file()
        miss.get_by_role("link", name="mask").click()
        page.locator("#search-results .highlighted").first.wait_for()
        page.evaluate(AXE)
        assert faint(page, "#search-results") == page.faults == []


# Of a page of the book, wherever it is shown: the face and the ground, the logo, and which of its
# links lead nowhere.
WHOLE = """async () => {
    const [logo] = [...document.querySelectorAll(".logo__image")].filter((each) => each.checkVisibility());
    const { fontFamily, backgroundColor } = getComputedStyle(document.body), here = location.origin;
    const links = new Set([...document.links].map(({ href }) => href).filter((each) => each.startsWith(here)));
    const answers = await Promise.all([...links].map(async (each) => [(await fetch(each)).ok, each]));
    return [fontFamily, backgroundColor, logo.naturalWidth > 0, answers.filter(([ok]) => !ok), answers.length];
}"""


WEEKLY = pytest.mark.mutants  # what differs little from what runs each time


@pytest.mark.parametrize("name", ["chapters/99_gone.html", "404.html"])
def test_an_address_that_leads_nowhere_leads_on(name, browser):
    with serving(the_book(), Host) as address:
        inside, scheme = address.rstrip("/") + BELOW, "dark" if "gone" in name else "light"
        with visit(browser, inside, "index.html", color_scheme=scheme) as page:
            face, ground, *_ = page.evaluate(WHOLE)
        with visit(browser, inside, name, color_scheme=scheme) as page:
            assert page.get_by_role("heading", name="This page isn’t here").is_visible()
            *actual, count = page.evaluate(WHOLE)
            assert actual == [face, ground, True, []] and count > len(PAGES)
            page.evaluate(AXE)
            assert page.evaluate(CONTRAST, "body") == []
            page.locator(".bd-search-container input").fill("mask")
            page.locator(".bd-search-container input").press("Enter")
            page.wait_for_url(f"{inside}search.html?q=mask")
            page.locator("#search-results .highlighted").first.wait_for()
            assert not [fault for fault in page.faults if "script error" in fault]


# Each kind of fold, and whether paper shows what is in it.
PRINTED = dict.fromkeys([".verify", ".setup", ".drawing", ".solution", ".hide"], False)
PRINTED |= {":not([class])": True}
SHUT = ".verify", ".hide"  # only their names are printed
# Of each fold, whether what is inside is to be seen, and its summary.
FOLDS = """kind => [...document.querySelectorAll(`article details${kind}`)].map(fold =>
    [":scope > :not(summary)", ":scope > summary"].map(part =>
        fold.querySelector(part).checkVisibility({visibilityProperty: true})))"""


def test_a_page_is_printed_whole_and_small(browser, book):
    with visit(browser, book["http"], DRESSED, color_scheme="dark") as page:
        page.set_viewport_size({"width": 688, "height": 1000})  # A4 without its margins
        page.emulate_media(media="print")
        for kind, inside in PRINTED.items():
            folds = page.evaluate(FOLDS, kind)
            assert folds.count([inside, inside or kind in SHUT]) == len(folds) > 0, kind
        around = ".bd-sidebar-primary, .bd-header-article, #jb-print-docs-body, footer, .copybtn"
        assert not page.locator(around).filter(visible=True).count()
        assert page.locator("article h1").is_visible()
        assert page.evaluate(WIDE) == page.evaluate(SCRIPTS["an output is cut"]) == []
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate("document.documentElement.dataset.theme") == "light"
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        paper = page.pdf(prefer_css_page_size=True, print_background=True)
        # 13 pages for 60 cells with the fonts of one machine; it was 32.
        assert 5 < len(re.findall(rb"/Type\s*/Page\b", paper)) <= 16
        assert page.faults == []


def test_the_cheat_sheet_is_one_sheet(browser, book):
    with visit(browser, book["http"], "chapters/cheat_sheet.html") as page:
        paper = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 1


# What there is to look at, and where Going further begins, down a page that has been scrolled through;
# how far its parts have moved on the way; and the letters in a line of its longest paragraphs.
LOOKED_AT = "figure, attention-live-1, svg.diagram, img.plot, table.printed, .exercise"
MIDDLE = """async ([looked, step]) => {
    await document.fonts.ready; // whose letters are as wide as the fallback's where Arial or its like is there
    await new Promise(done => setTimeout(done, 300));
    let shift = 0;
    const inside = ({node}) => (node?.closest ? node : node?.parentElement)?.closest(".bd-article");
    const add = entry => { shift += entry.hadRecentInput || !entry.sources.some(inside) ? 0 : entry.value; };
    new PerformanceObserver(list => list.getEntries().forEach(add)).observe({type: "layout-shift"});
    for (let y = 0; y < document.documentElement.scrollHeight; y += step) {
        scrollTo(0, y);
        await new Promise(done => setTimeout(done, 60));
    }
    const article = document.querySelector(".bd-article"), seen = each => each.checkVisibility();
    const span = each => [each.getBoundingClientRect().top, each.getBoundingClientRect().bottom].map(y => y + scrollY);
    const lines = [...article.querySelectorAll("section > p")].filter(each => seen(each)
        && each.textContent.length > 300 && !each.querySelector(".katex"));
    return {
        shift,
        seen: [...article.querySelectorAll(looked)].filter(seen).map(span).filter(([top, end]) => end - top > 40),
        line: span(document.querySelector("#going-further") ?? article).at(document.querySelector("#going-further") ? 0 : 1),
        end: span(article)[1],
        letters: lines.slice(0, 12).map(each => each.textContent.length
            / Math.round(each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight))),
    };
}"""


CHAPTERS = [page for page in PAGES if re.match(r"chapters/\d", page)]


@pytest.mark.parametrize("name", [
    pytest.param(page, marks=[WEEKLY] * (j % 8 != 7)) for j, page in enumerate(CHAPTERS)
])  # fmt: skip
def test_the_long_middle(name, browser, book):
    """At 1280 two screens of 800 px at most without something to look at or do, three below the line.

    Nothing of the article jumps while one scrolls, and its lines have 65 to 80 letters. All pages each week.
    """
    with visit(browser, book["http"], f"{name}.html", "desk") as page:
        measured = page.evaluate(MIDDLE, [LOOKED_AT, 800])
    core, below, y, line = 0, 0, 0, measured["line"]
    for top, end in [*sorted(measured["seen"]), [measured["end"]] * 2]:
        core, below = max(core, min(top, line) - y), max(below, top - max(y, line))
        y = max(y, end)
    assert core <= 1600
    assert below <= 2400
    assert measured["shift"] < 0.01
    assert 65 <= sum(measured["letters"]) / len(measured["letters"]) <= 80


COPY = """selector => {
    getSelection().selectAllChildren(document.querySelector(selector));
    document.execCommand("copy");
    return navigator.clipboard.readText();
}"""


def test_a_formula_is_copied_as_latex(browser, book):
    with visit(browser, book["http"], NOTEBOOK, permissions=["clipboard-read"]) as page:
        assert page.evaluate(COPY, "article div.math").strip().startswith("$$")
        copied = page.evaluate(COPY, "article p:has(> .math)")
        assert re.search(r"\$[^$]+\$", copied) and len(copied) > 20
        assert page.faults == []


SENT = "chapters/01_queries_keys_values.html"
STATE = """() => {
    const { figure, numbers } = document.querySelector("attention-live-1");
    return [figure.state.name, figure.state.temperature, numbers.output];
}"""


FRAMES = """async () => {
    for (let frame = 0; frame < 30; frame++) await new Promise(requestAnimationFrame);
}"""


def test_the_state_of_a_figure_can_be_sent(browser, book):
    """A button puts it into the address, which brings it back; a broken address breaks nothing."""
    allowed = dict(permissions=["clipboard-read", "clipboard-write"], reduced_motion="reduce")
    with visit(browser, book["http"], SENT, **allowed) as page:
        start = page.evaluate(STATE)
        figure = page.locator("attention-live-1").first
        figure.get_by_role("textbox").fill("Rom & Köln ✓")
        figure.get_by_role("slider").first.press("End")
        state = page.evaluate(STATE)
        figure.get_by_role("button", name="Copy a link to this state").click()
        figure.get_by_role("status").get_by_text("Copied").wait_for()
        sent = page.evaluate("navigator.clipboard.readText()")
        assert page.faults == [] and state[:2] != start[:2] and sent.startswith(book["http"])
    bad = "name=%F0%9F&temperature=%5B1%5D", "__proto__=1&temperature=true&x=%7B"
    for address, expected in ((sent, state), *((f"#figure=lookup&{words}", None) for words in bad)):
        name = SENT + "#" + address.partition("#")[2]
        with visit(browser, book["http"], name) as page:  # what was sent doesn't play over it
            page.evaluate(FRAMES)
            actual = page.evaluate(STATE)
            assert actual == expected if expected else actual[1] == start[1], address
            assert page.evaluate("scrollY") > 500 and page.faults == [], address


def test_a_sent_figure_is_in_view(browser, book):
    """Though the page goes on behind it, and grows while it loads; Reset ends what the address says."""
    name = "chapters/10_positional_encoding.html#figure=clocks&at=%5B28%2C23%5D"
    with visit(browser, book["http"], name, reduced_motion="reduce") as page:
        figure = page.locator("attention-live-1").first
        box = figure.bounding_box()
        assert 0 < box["y"] and box["y"] + box["height"] < 900
        figure.get_by_text("Positions 28 and 23 are 5 apart").wait_for()
        figure.get_by_role("button", name="Reset").click()
        assert page.url == book["http"] + name.partition("#")[0]
        figure.get_by_text("Positions 8 and 3 are 5 apart").wait_for()
        assert page.faults == []


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
        assert page.locator("a.copy-page").is_visible()
        assert not page.locator(".progress-box, .progress-mark").count()
        assert not [fault for fault in page.faults if "another host" in fault]


CORE, SOLVED, FORGET = ("I have read the core of this page", "solved", "forget what I have read and solved")
TOLD = """() => [...document.querySelectorAll(".bd-links .progress-mark:not([hidden])")].map(
    mark => [mark.closest("a").pathname.split("/").pop(), mark.ariaLabel])"""

TICKED = """() => axe.run([".bd-sidebar-primary", ".progress-box", ".page-foot"].flatMap(
    each => [...document.querySelectorAll(each)]), {preload: false}).then(found => found.violations.map(each => each.id))"""


@pytest.mark.parametrize("way, screen", [("http", "phone"), pytest.param("file", "desk", marks=WEEKLY)])
def test_ticks_are_kept_in_this_browser_alone(way, screen, browser, book):
    with visit(browser, book[way], DRESSED, screen, color_scheme="dark") as page:
        boxes = [page.get_by_label(words, exact=True).first for words in (CORE, SOLVED)]
        exercises = page.locator("section.exercise").count()
        assert page.locator(".progress-box input").count() == exercises + 1
        assert page.evaluate(TOLD) == []
        requests = {*page.asked}
        for box in boxes:
            assert box.locator("..").bounding_box()["height"] >= 24
            box.focus()
            page.keyboard.press("Space")
        assert page.asked == requests
        page.reload()
        assert [box.is_checked() for box in boxes] == [True, True]
        progress = [["03_masked_softmax.html", "core read 1 solved"]]
        assert page.evaluate(TOLD) == progress and page.evaluate(WIDE) == []
        page.evaluate(AXE)
        assert page.evaluate(TICKED) == []
        page.goto(book[way] + "index.html")
        assert page.evaluate(TOLD) == progress
        page.goto(book[way] + DRESSED)
        page.get_by_role("button", name=FORGET).press("Enter")
        assert [box.is_checked() for box in boxes] == [False, False]
        assert page.evaluate(TOLD) == [] and page.evaluate("localStorage.getItem('attention-progress')") is None
        assert page.faults == []


def test_a_page_is_copied_as_markdown(browser, book):
    text = (the_book() / DRESSED).with_suffix(".md").read_text(encoding="utf-8")
    with visit(browser, book["http"], DRESSED, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.locator("a.copy-page").press("Enter")
        page.locator("a.copy-page", has_text="copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()").replace("\r", "") == text
        assert text.startswith(TITLE) and "# @title Solution" not in text and page.faults == []
    with visit(browser, book["file"], DRESSED) as page:  # where nothing can be fetched, it is opened
        page.locator("a.copy-page").press("Enter")
        page.wait_for_url("**/03_masked_softmax.md")
        assert page.locator("body").inner_text().startswith(TITLE)


def test_words_and_drawing_light_each_other(browser, book):
    with visit(browser, book["http"], "chapters/08_self_attention.html") as page:
        words = page.locator(".in-drawing").filter(visible=True)
        assert words.count() > 1
        word = words.first
        word.hover()
        drawn = page.locator("svg :is(text.lit, .lit text)")
        assert word.inner_text().lower() in drawn.first.text_content().lower()
        drawn.first.hover()
        assert "lit" in word.get_attribute("class").split()
        page.mouse.move(0, 0)
        assert not page.locator(".lit").count() and page.faults == []
