"""How long a live figure takes from a moved control to the painted frame.

    make bench

Median of many moves in Chromium, for the largest figures: the curve of page 2 as it is in the book,
the most weights that `live.heads` is made for, and the classifier of page 7, which reads its review
anew at each press. A screen shows a frame every 17 ms; what is judged is whether two of them are
enough. Where the translator writes two sentences anew, a tenth of a second is.
"""

import math
from functools import partial

import IPython.display
import matplotlib.pyplot as plt
import pytest
import torch

from tests import browsing
from tests.live.figure import ALT, DOCUMENT
from tests.live.test_transformer import MODELS
from tests.live.translator import TWINS
from utils import live
from utils.live.figures.transformer import PARTS
from workshop.page import notebooks

browser = pytest.fixture(scope="module")(browsing.browser)
LIMIT = 33  # ms
WRITING = 100  # ms, with the translator

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
LAYER = """const choice = root.querySelector("select");
    choice.selectedIndex = k % 6; choice.dispatchEvent(new Event("change"));"""
HOVER = """root.querySelectorAll(".token")[k % 40].dispatchEvent(new Event("pointerenter"));"""
PRESS = """root.querySelectorAll(".word")[k % 30].click();"""

# What was computed once is kept; without this, soon nothing would be computed at a press.
CHANGE = """figure.figure.state.combine = true;
    const { made } = attentionEngine;
    for (const key of made.keys())
        if (JSON.parse(key)[1].length > 1) made.delete(key); // two changes or more
    root.querySelectorAll(".change button")[k % 4].click();"""
CUT = """attentionEngine.made.clear(); root.querySelectorAll(".token.key")[k % 12].click();"""
BLOCKS = """root.querySelectorAll(".wall button")[k % 3].click();"""
PART = """root.querySelectorAll("[role=button]")[k % 13].dispatchEvent(new Event("click"));"""


def curve(**more):
    x = torch.linspace(0, 5, 50)
    live.kernel(x, x.sin(), truth=torch.stack([x, x.sin()], 1), query=2.5, **more)


def many_heads(**more):
    mask = torch.ones(20, 20, dtype=torch.bool).tril()
    scores = torch.randn(6, 8, 20, 20, generator=torch.Generator().manual_seed(0))
    weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
    live.heads(weights, [f"word{i}" for i in range(20)], mask=mask, **more)


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
    (many_heads, "heads, layer", LAYER), (many_heads, "heads, word", HOVER),
    (classifier, "review, word", PRESS), (live.questions, "questions, p", SLIDER),
    (partial(live.clocks, torch.ones(8), torch.ones(8), [1.0, 0.1, 0.01]), "clocks, i", SLIDER),
    (partial(live.cache, [f"word{i}" for i in range(9)], memory=12), "cache, step", SLIDER),
    (transformer, "transformer, part", PART), (partial(live.twins, TWINS), "twins, change", CHANGE),
    (partial(live.looks, TWINS), "looks, cut", CUT), (live.maps, "maps, blocks", BLOCKS),
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
    assert median < (WRITING if act in (CHANGE, CUT) else LIMIT)
