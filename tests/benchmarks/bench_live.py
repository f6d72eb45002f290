"""How long a live figure takes from a moved control to the painted frame.

    make bench

Median of many moves in Chromium, for the largest figures: the curve of page 2 as it is in the book,
a layer of eight heads, and the classifier of page 7, which reads its review anew at each press. A
screen shows a frame every 17 ms; what is judged is whether two of them are enough, also where the
translator writes two sentences anew.
"""

from functools import partial

import IPython.display
import matplotlib.pyplot as plt
import pytest
import torch

import live
from live.figures.transformer import PARTS
from tests import browsing
from tests.live.figure import ALT, DOCUMENT
from tests.live.test_transformer import MODELS
from tests.live.translator import TWINS
from workshop.page import notebooks

browser = pytest.fixture(scope="module")(browsing.browser)
LIMIT = 33  # ms

MOVES = """async ([act, times]) => {
    const figure = document.querySelector("attention-live-1"), root = figure.shadowRoot, took = [];
    const painted = () => new Promise((done) => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = done;
        channel.port2.postMessage(0);
    }));
    const move = new Function("root", "figure", "k", act);
    for (let k = 0; k < times; k++) {
        await painted();
        const start = performance.now();
        move(root, figure, k);
        await painted();
        took.push(performance.now() - start);
    }
    return took.sort((a, b) => a - b)[times / 2];
}"""
SLIDER = """const slider = root.querySelector("input[type=range]");
    slider.value = k % (+slider.max + 1); slider.dispatchEvent(new Event("input"));"""
POINT = "figure.figure.lift(k % 50, (k % 7) - 1);"
HEAD = """root.querySelectorAll(".press")[k % 8].dispatchEvent(new Event("click"));"""
PRESS = """root.querySelectorAll(".word")[k % 30].click();"""

# What was computed once is kept; without this, soon nothing would be computed at a press. The sentences
# with nothing changed stay, as in the book, where they are computed before anything can be pressed.
CHANGE = """attentionEngine.made.clear(); root.querySelectorAll(".change button")[k % 3].click();"""
CUT = """attentionEngine.made.clear();
    const cuts = root.querySelectorAll(".snip:not([hidden])");
    cuts[k % cuts.length].click();"""
BLOCKS = """root.querySelectorAll(".wall button")[k % 3].click();"""
PART = """root.querySelectorAll("[role=button]")[k % 13].dispatchEvent(new Event("click"));"""


def curve(**more):
    x = torch.linspace(0, 5, 50)
    live.kernel(x, x.sin(), truth=torch.stack([x, x.sin()], 1), query=2.5, **more)


def many_heads(**more):
    scores = torch.randn(8, 5, 6, generator=torch.Generator().manual_seed(0))
    layers = {"8 heads": (torch.softmax(scores, dim=-1), torch.ones(256, 4))}
    live.heads(layers, [[0, 1, 2, 3]] * 5, list("abcd"), layer="8 heads", **more)


def classifier(**more):
    """The figure of page 7, as it is stored."""
    (page,) = (each for each in notebooks() if each.number == 7)
    outputs = [output.get("data", {}) for cell in page.code for output in cell.outputs]
    (data,) = (each for each in outputs if 'kind="review"' in "".join(each.get("text/html", "")))
    IPython.display.display({"text/html": "".join(data["text/html"])})


def transformer(static, **more):
    """Without the plot: its picture is the drawing."""
    live.transformer(MODELS, {name: name for name in PARTS}, static="transformer", **more)


@pytest.mark.parametrize("figure, name, act", [
    (curve, "kernel, width", SLIDER), (curve, "kernel, point", POINT),
    (many_heads, "heads, query", SLIDER), (many_heads, "heads, removed", HEAD),
    (classifier, "review, word", PRESS), (live.questions, "questions, p", SLIDER),
    (partial(live.clocks, torch.ones(8), torch.ones(8), [1.0, 0.1, 0.01, 0.001]), "clocks, i", SLIDER),
    (partial(live.cache, [f"word{i}" for i in range(9)], memory=12), "cache, step", SLIDER),
    (transformer, "transformer, part", PART), (partial(live.twins, TWINS), "twins, change", CHANGE),
    (partial(live.twins, TWINS), "twins, cut", CUT), (live.maps, "maps, blocks", BLOCKS),
])  # fmt: skip
def test_a_move(figure, name, act, browser, tmp_path, monkeypatch, capsys):
    found = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: found.append(data))
    figure(static=plt.figure(), alt=ALT)
    path = tmp_path / "page.html"
    path.write_text(DOCUMENT.format(found[0]["text/html"]), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    median = page.evaluate(MOVES, [act, 60])
    with capsys.disabled():
        print(f"\n{name}: {median:.1f} ms from control to frame")
    assert median < LIMIT
