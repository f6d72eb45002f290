"""Pages in a real browser, Chromium, with no other host to be reached.

The browser is that of the machine; CHROMIUM=/path names another.
"""

import functools
import http.server
import os
import threading
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import axe_playwright_python
import pytest
from playwright.sync_api import sync_playwright

from workshop import printing
from workshop.start import published

# The first is for the root of a container, the second keeps other hosts out of reach; the rest
# keep Chromium from calling home.
FLAGS = [
    "--no-sandbox",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    *"--disable-gpu --disable-quic --no-first-run --disable-background-networking".split(),
    *"--disable-component-update --disable-sync --disable-dev-shm-usage".split(),
]
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
PATIENCE = 120_000  # ms for what a page does next: a busy machine is no fault of the page
SCREENS = {
    "desk": {"width": 1280, "height": 900},
    "phone": {"width": 390, "height": 844},
    "narrow": {"width": 320, "height": 800},
}


def find_browser():
    """Where there is none, skip, or fail where the tests must not be skipped."""
    try:
        return printing.browser()
    except ValueError as error:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(str(error))


def browser():
    """One browser for all tests of a process; `tests/conftest.py` makes a fixture of it."""
    path = find_browser()
    with sync_playwright() as playwright:
        with playwright.chromium.launch(executable_path=path, args=FLAGS) as browser:
            browser.kept = {}
            yield browser


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def end_headers(self):
        # A page seems to ask for every font that the browser has kept, even for what it never uses.
        if self.path.endswith((".woff2", ".ttf")):
            self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def handle(self):
        try:
            super().handle()
        except ConnectionError:  # the browser has gone to another page
            pass


BELOW = urlsplit(published()).path  # a host shows the book there


class Host(Quiet):
    """Where there is nothing, a host shows 404.html."""

    def translate_path(self, path):
        inside = path.removeprefix(BELOW)
        return super().translate_path(inside if inside != path else "/nothing")

    def send_error(self, code, *more):
        if code != 404:
            return super().send_error(code, *more)
        content = Path(self.directory, "404.html").read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


@contextmanager
def serving(folder, kind=Quiet):
    """Serve a folder on loopback, at a free port."""
    handler = functools.partial(kind, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


def new_page(browser, settings):
    """A page in a context of its own, which hears what goes wrong and what it asks for."""
    page = browser.new_context(**settings).new_page()
    page.set_default_timeout(PATIENCE)
    page.held = False  # whether a test holds its time

    def ours(request):
        return request.url.startswith((page.inside, "data:", "blob:", "about:"))

    def failed(request):  # not one that was under way, such as the icon's, when the page was left
        return ours(request) and "ERR_ABORTED" not in (request.failure or "")

    def hear(event, say, is_fault):
        page.on(event, lambda detail: page.faults.append(say.format(detail)) if is_fault(detail) else None)

    page.on("request", lambda request: page.asked.add(request.url))
    hear("request", "asks another host: {.url}", lambda request: not ours(request))
    hear("pageerror", "script error: {}", lambda error: True)
    hear("console", "console error: {.text}", lambda message: message.type == "error")
    hear("requestfailed", "request failed: {.url}", failed)
    hear("response", "answered {0.status}: {0.url}", lambda response: response.status >= 400)
    return page


LEAVE = "() => { try { localStorage.clear(); sessionStorage.clear() } catch {} }"


@contextmanager
def visit(browser, inside, name, screen="desk", color_scheme=None, reduced_motion=None, **settings):
    """An open page; its list `faults` tells what went wrong while it loaded and was used, and its
    set `asked` what it asked for.

    A new page costs Chromium a second of work, a page that it has open a third of that. So pages
    are kept, one for each scheme and settings, and a visit leaves nothing for the next to find; the
    page of a visit that fails is closed.
    """
    kind = inside[:4], repr(sorted(settings.items()))
    page = browser.kept.pop(kind, None) or new_page(browser, settings)
    try:
        page.inside, page.faults, page.asked = inside, [], set()
        page.set_viewport_size(SCREENS[screen])
        page.emulate_media(media="null", color_scheme=color_scheme or "null", reduced_motion=reduced_motion or "null")
        page.goto(inside + name, wait_until="load")
        yield page
        page.evaluate(LEAVE)
        page.mouse.move(-1, -1)
        page.goto("about:blank")
    except BaseException:
        page.context.close()
        raise
    if page.held or browser.kept.setdefault(kind, page) is not page:
        page.context.close()


UNFOLD = "document.querySelectorAll('details').forEach(each => { each.open = true })"

# What never comes is not waited for for ever; a rule names it.
SETTLED = """async () => {
    const come = async () => {
        await document.fonts.ready;
        await Promise.all([...document.images].map(image => {
            image.loading = "eager";
            return image.complete || new Promise(done => ["load", "error"].forEach(
                event => image.addEventListener(event, done)));
        }));
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        const moving = document.getAnimations();  // what a fold shows fades in
        await Promise.allSettled(moving.map(each => each.finished));
    };
    await Promise.race([come(), new Promise(done => setTimeout(done, 120_000))]);
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

CHECK = """async (rules) => {
    const options = {resultTypes: ["violations"], preload: false};
    if (rules) options.runOnly = rules;
    const found = await axe.run(document, options);
    return found.violations.flatMap(rule => rule.nodes.map(node =>
        `${rule.id}: ${rule.help}: ${node.html.slice(0, 120)}`));
}"""
