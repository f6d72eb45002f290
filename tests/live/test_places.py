"""Live figures where they are read: on a phone, in the dark, on paper, in a notebook, in the book."""

import ast
import math
import re
from html import escape

import numpy as np
import pytest
import torch

import live
from live import bundle
from tests.browsing import AXE, CHECK, WIDE, visit
from tests.built import the_book
from tests.live.figure import ALT, DOCUMENT, FRAMES, figure_of, hold_time, look, numbers, outputs_of_pages, part
from workshop import scripts
from workshop.page import notebooks
from workshop.store import normal_outputs

SMALL = """() => [...document.querySelectorAll("attention-live-1")].flatMap(({ shadowRoot: root }) => [
    ...[...root.querySelectorAll("button, select, input, summary, .press")].filter((control) =>
        control.getClientRects().length && control.getBoundingClientRect().height < 23.9
    ).map((control) => control.outerHTML.slice(0, 90)),
    ...[...root.querySelectorAll(":is(.panels, .tokens, .card) > svg text")].filter((text) => {
        const svg = text.ownerSVGElement;
        const unit = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        return text.textContent && unit && parseFloat(getComputedStyle(text).fontSize) * unit < 10.9;
    }).map((text) => text.textContent)])"""


def test_what_can_be_played_begins_by_itself(opened):
    """Once, in view, and not where motion is reduced; what a reader does in the figure stops it."""
    page = opened("lookup", reduced_motion="no-preference")
    for act in (lambda: part(page, "input[type=text]").press("a"), part(page, ".map").click):
        part(page, ".play:text-is('Pause')").wait_for()
        act()
        assert part(page, ".play").inner_text() == "Play"
        part(page, ".play").click()
    page = opened("lookup")
    page.evaluate(FRAMES)
    assert part(page, ".play").inner_text() == "Play"


def test_all_can_use_it(opened):
    page = opened(*bundle.KINDS, screen="phone", color_scheme="light", reduced_motion="reduce")
    page.evaluate("""() => document.querySelectorAll("attention-live-1").forEach(({ shadowRoot }) => {
        shadowRoot.querySelectorAll("details").forEach((fold) => (fold.open = true));
        shadowRoot.querySelector(".tools [aria-expanded]").click();
    })""")
    look(page)
    # The other rows look like these.
    page.evaluate("""() => document.querySelectorAll("attention-live-1").forEach(({ shadowRoot }) =>
        shadowRoot.querySelectorAll("tr:nth-child(n + 5)").forEach((row) => row.remove()))""")
    page.evaluate(AXE)
    for scheme, rules in (("light", None), ("dark", ["color-contrast", "link-in-text-block"])):
        page.emulate_media(color_scheme=scheme)
        page.locator(f"attention-live-1[theme={scheme}]").nth(len(bundle.KINDS) - 1).wait_for()
        assert page.evaluate(CHECK, rules) == []
    for width in (390, 320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate(FRAMES)  # figures that follow their width do so a frame later
        assert page.evaluate(WIDE) == []
        assert width == 320 or page.evaluate(SMALL) == []
    page.emulate_media(media="print")
    assert not part(page, "input[type=range]").filter(visible=True).count()
    assert all(panel.is_visible() for panel in page.locator("attention-live-1 .panels").all())
    assert page.faults == []


def test_without_script_and_beside_a_figure_that_is_moved(opened):
    page = opened("mask", "plane", java_script_enabled=False)
    assert page.get_by_alt_text(ALT).first.is_visible()
    inside = escape(DOCUMENT.format(figure_of("twins").html()))
    page = opened("mask", f'<iframe srcdoc="{inside}" sandbox="allow-scripts" width="700" height="700"></iframe>')
    # JupyterLab takes what is off the screen out of the page, and puts it back.
    part(page, "input[type=checkbox] >> nth=0").check()
    page.evaluate("""() => {
        const each = document.querySelector("attention-live-1"), parent = each.parentElement;
        each.remove();
        parent.append(each);
    }""")
    assert part(page, "input[type=checkbox] >> nth=0").is_checked()
    ours = part(page, ":scope").get_attribute("data-lm-suppress-shortcuts")
    assert ours == "true"  # JupyterLab leaves the figure its keys
    frame = page.frame_locator("iframe")
    frame.locator(".change button").first.click()
    frame.locator(".say").filter(has_text="il becomes elle").wait_for()
    assert page.faults == []


def test_what_is_said_aloud_waits_for_a_control_to_rest(opened):
    page, texts = opened("mask"), []
    numbers(page), look(page)  # so that nothing of the beginning is still to be said
    page.evaluate("customElements.get('attention-live-1').delay = 60_000")
    hold_time(page)
    for length in (1, 2, 3):
        numbers(page, length=length)
        page.clock.run_for(45_000)
        texts.append(part(page, ".say").text_content())
    page.clock.run_for(20_000)
    assert texts[0] == texts[1] == texts[2] != part(page, ".say").text_content()


APPEARANCE = """kind => {
    const { shadowRoot } = document.querySelector(`attention-live-1[kind=${kind}]`);
    return [...shadowRoot.querySelectorAll(":not(style)")].map((each) => {
        const { fill, stroke, strokeWidth, color, backgroundColor, fontSize } = getComputedStyle(each);
        return [each.localName, fill, stroke, strokeWidth, color, backgroundColor, fontSize].join();
    });
}"""
PAINTED = "document.querySelector('attention-live-1').painted.output[0]"


def test_what_changes_travels_and_what_is_dragged_is_there(opened):
    for motion in ("no-preference", "reduce"):
        below = '<div style="height: 200vh"></div>'  # where nothing begins by itself
        page = opened(below, "lookup", reduced_motion=motion)
        hold_time(page)
        start, positions = page.evaluate(PAINTED), []
        numbers(page, temperature=10)
        for _ in range(10):
            positions.append(page.evaluate(PAINTED))
            page.clock.run_for(40)
        numbers(page, temperature=0.01), numbers(page, temperature=10)
        end = page.evaluate(PAINTED)
        shares = [(x - start) / (end - start) for x in positions]
        assert abs(end - start) > 1 and shares == sorted(shares) and positions[-1] == end
        assert min(shares) < 0.2 and len({*shares}) > 5 if motion != "reduce" else min(shares) == 1
        assert page.faults == []


def test_figures_look_alike_beside_others(opened):
    """In JupyterLab they share a document, and the element that the first script defines."""
    several = [[bundle.KIND.match(html)[1] for html in page] for page in outputs_of_pages() if len(page) > 1]
    assert several
    for kinds in several:
        page = opened(*kinds)
        together = [page.evaluate(APPEARANCE, kind) for kind in kinds]
        assert together == [opened(kind).evaluate(APPEARANCE, kind) for kind in kinds]


# ---------------------------------------------------------------- outputs, as they are stored


def stored(html):
    about = {"text/html": {"alt": ALT, "live": "twins"}}
    output = {"output_type": "display_data", "data": {"text/html": html}, "metadata": about}
    return normal_outputs([output], 1)[0]["data"]["text/html"]


def as_in_the_book(folder, body, *kinds, data=""):
    """A page with one script for the figures of some kinds: its address."""
    (folder / "live.js").write_text(bundle.script(*kinds), encoding="utf-8")
    html = DOCUMENT.format(body).replace("<title>", f"{data}<script src='live.js'></script><title>")
    (folder / "page.html").write_text(html, encoding="utf-8")
    return folder.as_uri() + "/"


def test_a_stored_output_waits_for_its_data(opened):
    html = stored(figure_of("twins").html())
    assert len(html) < 70_000 and "window.attentionData ??=" not in html
    assert stored(html) == html
    # So nbval, which has no flags, compares what a run gives with what is stored.
    assert html == re.sub(bundle.DATA_SCRIPT.pattern, "", figure_of("twins").html())
    page = opened(html)
    assert page.get_by_text("Run this cell to start the figure.").is_visible()
    assert page.get_by_alt_text(ALT).is_visible() and part(page, ".say").count() == 0
    page.add_script_tag(content=bundle.data_script("translator"))  # another cell runs, and its script
    page.add_script_tag(content=bundle.script("bet"))
    assert "Nothing is changed" in look(page)[1]
    assert not page.get_by_alt_text(ALT).is_visible()


def test_a_book_has_a_data_file_once(browser, tmp_path):
    """It comes when a figure is near the view; all figures of a page share it, and one that is missing is missed."""
    (tmp_path / "translator.js").write_text(bundle.data_script("translator"), encoding="utf-8")
    twins, bet, maps = (bundle.SCRIPT.sub("", stored(figure_of(kind).html())) for kind in ("twins", "bet", "maps"))
    far = "<div style='height:6000px'></div>"
    site = as_in_the_book(tmp_path, far + twins + bet + far + maps, *bundle.KINDS)
    with visit(browser, site, "page.html") as page:
        expression = "[...document.querySelectorAll('head script')].map(s => s.getAttribute('src').split('/').pop())"
        # Two frames: an observer that sees the figures would have asked for their data.
        page.evaluate(FRAMES)
        assert page.evaluate(expression) == ["live.js"], "it is far away"
        part(page, "img").scroll_into_view_if_needed()
        page.locator("attention-live-1[kind=bet] .say").wait_for()
        assert page.evaluate(expression) == ["live.js", "translator.js"]
        assert page.faults == []
        picture = page.locator("attention-live-1[kind=maps] img")
        picture.scroll_into_view_if_needed()
        page.get_by_text("The numbers of this figure could not be loaded.").wait_for()
        assert page.evaluate(expression) == ["live.js", "translator.js", "maps.js"] and picture.is_visible()


# Of each figure: what it says of the link that is copied, the lines that this takes, how much the
# figure grows by it, and whether it sticks out of the screen.
COPIES = """async () => {
    const found = [];
    for (const each of document.querySelectorAll("attention-live-1")) {
        const high = each.offsetHeight, root = each.shadowRoot;
        root.querySelector("[aria-label^='Copy a link']").click();
        let said;
        while (!(said = root.querySelector(".tools [role=status]"))) await new Promise((d) => setTimeout(d));
        const words = document.createRange();
        words.selectNodeContents(said);
        const lines = words.getClientRects().length;
        const { left, right } = said.getBoundingClientRect();
        const out = left < 0 || right > document.documentElement.clientWidth;
        found.push([each.getAttribute("kind"), said.textContent, lines, each.offsetHeight - high, out]);
        said.remove();
    }
    return found;
}"""


def test_a_copied_link_is_said_in_one_line_and_nothing_moves(browser, tmp_path):
    html = "".join(figure_of(kind).html() for kind in bundle.KINDS)
    data = "".join(bundle.DATA_SCRIPT.findall(html))
    site = as_in_the_book(tmp_path, bundle.SCRIPT.sub("", html), *bundle.KINDS, data=data)
    refused = "The link is in the address bar"
    with visit(browser, site, "page.html", reduced_motion="reduce") as page:
        for width, answer, words in ((1280, "resolve", "Copied"), (390, "resolve", "Copied"), (320, "reject", refused)):
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate(f"void (navigator.clipboard.writeText = () => Promise.{answer}())")
            page.evaluate(FRAMES)
            assert page.evaluate(COPIES) == [[kind, words, 1, 0, False] for kind in bundle.KINDS]
        assert page.faults == []


def test_each_figure_is_tested_and_joined():
    assert [figure_of(kind).kind for kind in bundle.KINDS] == bundle.KINDS
    sources = [*bundle.HERE.glob("*.js"), *bundle.HERE.glob("figures/*.js")]
    for path in sources:  # which `small` would change
        assert all(line.count("`") % 2 == 0 for line in path.read_text("utf-8").splitlines()), path
    with pytest.raises(ValueError, match="kind is 'masks'; wanted one of .*mask, "):
        live.show("masks", static=None, alt=ALT)


def test_a_figure_takes_what_the_pages_give_it_and_nothing_else():
    cells = [cell for page in notebooks() for cell in page.code if "live.show(" in cell.source]
    calls = [node for cell in cells for node in ast.walk(cell.tree) if isinstance(node, ast.Call)]
    shown = [
        (ast.literal_eval(call.args[0]), [other.arg for other in call.keywords if other.arg not in ("static", "alt")])
        for call in calls
        if getattr(call.func, "attr", "") == "show" and ast.unparse(call.func) == "live.show"
    ]
    assert {kind for kind, _ in shown} == {*bundle.KINDS}
    assert [fault for kind, names in shown if (fault := bundle.misfit(kind, names))] == []
    for kind, names in shown:
        for name in names:
            assert bundle.misfit(kind, [other for other in names if other != name]) or (bundle.takes(kind)[name])
            assert bundle.misfit(kind, [*names, f"{name}_"])
    wanted = "'mask' doesn't know size and misses length; wanted tokens, scores, length (`static takes` of mask.js)"
    with pytest.raises(TypeError, match=f"^{re.escape(wanted)}$"):
        live.show("mask", static=None, alt=ALT, tokens=[], scores=[], size=2)
    with pytest.raises(TypeError, match=r"inputs \(optional\) \(`spec` of review.py\)"):
        live.show("review", static=None, alt=ALT)
    assert "static takes" not in bundle.script(*bundle.KINDS)  # a page need not run again for it


def test_what_two_kinds_share_by_accident_is_named(tmp_path):
    figures = tmp_path / "live" / "figures"
    figures.mkdir(parents=True)
    (figures / "one.js").write_text("const SIDE = 1;\nfunction half() {}\n", encoding="utf-8")
    (figures / "two.js").write_text(
        'const [SIDE, WIDE] = [1, 2];\nexport const { half: HALF } = {};\nrect("box-key", 0);\n  const half = 0;\n',
        encoding="utf-8",
    )
    side, key = scripts.problems(tmp_path)
    assert side.startswith("live/figures/two.js:1: 'SIDE' is also at the top of live/figures/one.js:1")
    assert key.startswith("live/figures/two.js:3: 'box-key' is a class of drawings")


def test_stored_outputs_carry_the_script_of_today():
    figures = sum(outputs_of_pages(), [])
    for html in figures:
        script = bundle.script(bundle.KIND.search(html)[1])
        assert bundle.SCRIPT.findall(html) == [f"<script>{script}</script>"]
        assert len(script) < 60_000 and not bundle.DATA_SCRIPT.search(html)
    assert len(figures) >= len(bundle.KINDS)


def test_a_page_of_the_book_has_the_scripts_of_its_figures():
    book, seen = the_book(), set()
    for page in book.rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        kinds = sorted({*bundle.KIND.findall(html)})
        scripts = re.findall(r'<script src="[./]*_static/(live[^"]*)"', html)
        assert scripts == ([f"live-{'-'.join(kinds)}.js"] if kinds else []), page
        for name in scripts:
            assert (book / "_static" / name).read_text("utf-8") == bundle.script(*kinds)
        assert "window.attentionData ??=" not in html, page
        seen.update(kinds)
    assert seen == {*bundle.KINDS}
    for name in ("translator", "maps", "letters", "patches"):
        assert (book / "_static" / f"{name}.js").read_text("utf-8") == bundle.data_script(name)
    front = (book / "index.html").read_text(encoding="utf-8")
    assert front.count(f"<{bundle.TAG} ") == 1 and "live-twins.js" in front


def test_the_output_has_all_its_forms_and_is_small():
    data, more = figure_of("plane").output()
    assert set(data) == {"text/html", "image/png", "text/plain"} and data["text/plain"] == ALT
    assert more["metadata"]["text/html"] == {"alt": ALT, "live": "plane"}
    assert figure_of("plane").output()[0]["text/html"] == data["text/html"], "the same again"
    with pytest.raises(ValueError, match="alt is"):
        figure_of("plane").output(alt="short")
    data, more = figure_of("cache").output()
    assert set(data) == {"text/html", "text/plain"}, "a drawing is no plot"
    assert 'src="data:image/svg+xml' in data["text/html"] and len(data["text/html"]) < 70_000
    about = {"alt": ALT, "live": "cache", "diagram": "what_a_pass_reads"}
    assert more["metadata"] == {"text/html": about}


@pytest.mark.parametrize("kind, data, what", [
    ("mask", dict(scores=torch.tensor([[0.0, torch.nan], [1, 2]])), "scores holds nan"),
    ("kernel", dict(y=np.array([1, -np.inf])), "y holds -inf"),
    ("plane", dict(keys=np.ma.masked_greater([[1.0, 77]], 9)), "keys has numbers that numpy masks"),
    ("patches", dict(images=torch.full((2, 3, 32, 32), torch.nan)), "images holds nan"),
    ("guess", dict(guessers={"a table": [torch.tensor([[torch.nan]])]}), "guessers['a table'] holds nan"),
])  # fmt: skip
def test_a_number_that_cannot_be_drawn_is_refused_by_name(kind, data, what):
    """Also one that the figure's own file would pack away as bytes."""
    with pytest.raises(ValueError, match=f"^{re.escape(what)}.*; wanted finite numbers$"):
        figure_of(kind).output(**data)
    with pytest.raises(ValueError, match="^x holds inf; wanted finite numbers$"):
        bundle.rounded({"x": [math.inf]})
