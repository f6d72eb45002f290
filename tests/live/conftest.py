"""What the tests of live figures share."""

import json
import subprocess
from contextlib import ExitStack

import pytest

from live import bundle
from tests.browsing import visit
from tests.live.figure import DOCUMENT, NODE_RUNS, Node, figure_of
from tests.programs import running


@pytest.fixture(scope="session")
def node():
    names = {*map(bundle.data_name, bundle.KINDS)} - {None}
    data = {name: json.loads((bundle.DATA / f"{name}.json").read_text("utf-8")) for name in names}
    with running(NODE_RUNS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        node = Node(process)
        node.run("", data=data)
        yield node


@pytest.fixture
def opened(browser, tmp_path):
    """Open a page with some figures, by their kinds or as HTML, where they speak at once and hardly move."""
    visits = ExitStack()

    def open_page(*kinds, screen="desk", **settings):
        visits.close()  # a page that is left is the next one, and a new one costs a second
        body = "".join(figure_of(kind).html() if kind in bundle.KINDS else kind for kind in kinds)
        (tmp_path / "page.html").write_text(DOCUMENT.format(body), encoding="utf-8")
        settings = {"reduced_motion": "reduce"} | settings
        page = visits.enter_context(visit(browser, tmp_path.as_uri() + "/", "page.html", screen, **settings))
        if settings.get("java_script_enabled", True):
            page.evaluate("customElements.get('attention-live-1').delay = 0")
        return page

    yield open_page
    visits.close()
