"""What every live figure is held to. A figure's own file says what is its own: see test_mask.py."""

import json
import re
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import playwright
import pytest
import torch
from matplotlib.figure import Figure

import live
from live import bundle
from workshop.page import ROOT, notebooks

ALT = "A figure that says in one sentence what there is to see."
NODE = Path(playwright.__file__).parent / "driver" / f"node{'.exe' * (sys.platform == 'win32')}"
NODE_RUNS = [str(NODE), str(Path(__file__).with_name("node.js"))]
COMPUTE = "\nreturn given.states.map((state) => FIGURES[given.kind].compute(given.spec, state));"
SAY = """
return given.states.map((state) => {
  const figure = Object.create(FIGURES[given.kind].prototype, { spec: { value: given.spec }, state: { value: state } });
  const numbers = figure.compute();
  return [figure.words(numbers), figure.table(numbers), numbers];
});"""
DOCUMENT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Live</title>
<meta name="viewport" content="width=device-width"><body><main><h1>Live</h1>{}</main></body></html>"""


def figure_of(kind):
    """The test of a figure, in a file that is read when it is first asked for."""
    return getattr(import_module(f"tests.live.test_{kind}"), f"Test{kind.title()}")


@cache
def outputs_of_pages():
    """The HTML of the figures on each page."""
    pages = []
    for page in notebooks():
        outputs = [output for cell in page.code for output in cell.outputs]
        html = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
        pages.append([each for each in html if bundle.KIND.match(each)])
    return pages


def shown_on_pages(kind):
    """What a kind is given, on the pages that show it and on those that borrow it."""
    specs = [bundle.spec_of(html) for html in sum(outputs_of_pages(), []) if bundle.KIND.match(html)[1] == kind]
    texts = [path.read_text("utf-8") for path in (ROOT / "index.md", *ROOT.glob("play/*.md"))]
    for changes in re.findall(rf"<!-- live: \S+#{kind} (\{{.*\}}) -->", "\n".join(texts)):
        specs.append(specs[0] | json.loads(changes))
    return specs


def draw(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


# ---------------------------------------------------------------- in Node


class Node:
    """One process of Node, which Playwright brings, for all that needs no page."""

    def __init__(self, process):
        self.process = process

    def run(self, code, **arguments):
        print(json.dumps(dict(code=code, given=arguments)), file=self.process.stdin, flush=True)
        reply = json.loads(self.process.stdout.readline())
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply["result"]

    def compute(self, kind, spec, states, wrong=None, code=COMPUTE):
        script = changed(bundle.joined(bundle.HERE / "figures" / f"{kind}.js"), wrong or {})
        return self.run(script + code, kind=kind, spec=spec, states=states)


def changed(code, words):
    """Code with other words, {old: new}; where the old ones are broken into lines doesn't matter."""
    for old, new in words.items():
        pattern = r"\s*".join(re.escape(word) for word in old.split())
        code, count = re.subn(pattern, lambda _, new=new: new, code)
        if not count:  # no assertion, or a breakage of nothing would count as noticed
            raise ValueError(f"nothing to change: {old!r}")
    return code


def same(actual, truth, name="numbers"):
    """Assert that what a script gave is the truth, up to rounding: of a dictionary, what that names."""
    assert (actual is None) == (truth is None), name
    if hasattr(truth, "shape"):
        np.testing.assert_allclose(np.array(actual).astype(float), truth, rtol=1e-6, atol=1e-9, err_msg=name)
    elif isinstance(truth, dict):
        for key, each in truth.items():
            same(actual[key], each, f"{name}[{key!r}]")
    elif isinstance(truth, (list, tuple)):
        assert len(actual) == len(truth), name
        for k, each in enumerate(truth):
            same(actual[k], each, f"{name}[{k}]")
    else:
        assert actual == (pytest.approx(truth, rel=1e-6, abs=1e-9) if isinstance(truth, float) else truth), name


# ---------------------------------------------------------------- in a page


def look(page):
    """What there is to see, and what is said."""
    return page.evaluate("""async () => {
        await new Promise((done) => setTimeout(done)); // behind the timer of what is said
        const root = document.querySelector("attention-live-1").shadowRoot;
        const picture = root.querySelector(".panels").innerHTML + root.querySelector(".controls")?.innerHTML;
        return [picture, root.querySelector(".say").textContent];
    }""")


def part(page, name):
    return page.locator("attention-live-1").first.locator(name)


FRAMES = "new Promise(d => requestAnimationFrame(() => requestAnimationFrame(d)))"  # two of them


def hold_time(page):
    """Time stands still on the page, but for what `page.clock.run_for(ms)` lets pass. `look` would wait for ever."""
    page.held = True
    page.clock.install(time=0)
    page.clock.pause_at(10)


# The opacity of a square of the pixels of a picture, which an image has as its source or a box as its mask.
INK = """async ([place, x, y, side]) => {
    const found = document.querySelector("attention-live-1").shadowRoot.querySelector(place), image = new Image();
    image.src = found.getAttribute("href") ?? found.style.maskImage.slice(5, -2);
    await image.decode();
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    return [...pen.getImageData(x, y, side, side).data].filter((_, k) => k % 4 === 3);
}"""


def ink(page, place, x, y, side):
    return np.array(page.evaluate(INK, [place, x, y, side])).reshape(side, side) / 255


def press(page, *places):
    for place in places:
        part(page, place).first.click()
    return look(page)[1]


def numbers(page, **state):
    """What the figure computes in a state, and shows."""
    text = page.evaluate("""(state) => {
        const element = document.querySelector("attention-live-1");
        Object.assign(element.figure.state, state);
        element.update();
        return JSON.stringify(element.numbers, (_, x) => Number.isNaN(x) ? "nan" : x);
    }""", state)  # fmt: skip
    return json.loads(text)


def by_keys(name, *keys):
    def act(page):
        part(page, name).first.focus()
        for key in keys:
            page.keyboard.press(key)

    return act


def point(page, name, x=0.5, y=0.5):
    """Where a part is on the screen, by shares of its width and height."""
    target = part(page, name).first
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def by_touch(name, x=0.5, y=0.5):
    return lambda page: page.touchscreen.tap(*point(page, name, x, y))


def by_finger(name, right, down):
    """Touch the middle of something, move, and let go."""

    def act(page):
        (x, y), session = point(page, name), page.context.new_cdp_session(page)
        for kind, share in (("Start", 0), ("Move", 0.5), ("Move", 1), ("End", None)):
            at = [] if share is None else [{"x": x + share * right, "y": y + share * down}]
            session.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": at})

    return act


FIGURE = "document.querySelector('attention-live-1').figure"
STATE = f"{FIGURE}.state"

# One of each kind of control that can be seen and would change something, marked by a number.
CONTROLS = """() => {
    const root = document.querySelector("attention-live-1").shadowRoot, seen = new Set(), found = [];
    for (const each of root.querySelectorAll("input, select, button, [role=button], [role=checkbox]")) {
        const { localName: name, type, className } = each, kind = className.baseVal ?? className;
        const single = name === "input" || name === "select" || !kind && !each.closest(".changes, .thumbs");
        const key = single ? each : `${name} ${kind.replace(/ (masked|self|full|stale|on|first|lost|dropped|missing|wrong)/g, "")}`;
        if (each.closest(".tools") || each.disabled || !each.checkVisibility({visibilityProperty: true})
            || each.getAttribute("aria-pressed") === "true" || type === "text" || seen.has(key)) continue;
        seen.add(key);
        each.dataset.test = found.length;
        const label = each.closest("label")?.textContent || each.getAttribute("aria-label") || each.textContent;
        found.push([type || name, label, each.value, each.max ?? each.length - 1, each.selectedIndex]);
    }
    return found;
}"""


def standard_controls(page, way):
    """{name: an act} for the controls that a figure has on its page."""
    acts = {}
    for k, (kind, label, value, last, index) in enumerate(page.evaluate(CONTROLS)):
        place, key, x = f"[data-test='{k}']", "Space" if kind == "checkbox" else "Enter", 0.5
        if kind == "range":
            key = "ArrowLeft" if value == last else "ArrowRight"
            x = 0.2 if float(value) > float(last) / 2 else 0.8
        elif kind == "select-one":
            key = "ArrowUp" if index == last else "ArrowDown"
        if way == "keys":
            acts[f"{kind} {label}"] = by_keys(place, key)
        elif kind != "select-one":
            acts[f"{kind} {label}"] = by_touch(place, x)
    return acts


# At rest, after its own play, of which all comes at once, and after one press more: [what was done, its state, its
# numbers, what it says].
PLAYED = """() => {
    const element = document.querySelector("attention-live-1"), { figure } = element, found = [];
    const see = (what) => {
        element.tell();
        const state = structuredClone(figure.state);
        found.push([what, state, element.numbers, element.say.textContent]);
        return state;
    };
    const waiting = new Map();
    let next = 1e9; // no number of a timer of before
    const wait = (again) => (act) => waiting.set(++next, [act, again]) && next;
    const drop = (id) => void waiting.delete(id);
    const ours = { setTimeout: wait(false), setInterval: wait(true), clearTimeout: drop, clearInterval: drop };
    const theirs = Object.fromEntries(Object.keys(ours).map((name) => [name, window[name]]));
    see("at rest");
    Object.assign(window, ours);
    figure.play?.();
    for (let steps = 0; waiting.size && steps < 3000; steps++) {
        const [[id, [act, again]]] = waiting;
        waiting.delete(id);
        if (again) waiting.set(id, [act, again]); // behind the others
        act();
    }
    Object.assign(window, theirs);
    const end = see(waiting.size ? "a play without an end" : "after its play");
    const choices = () => [...element.shadowRoot.querySelectorAll(
        ":is(.controls, .change) :is([aria-pressed=false], input[type=checkbox], option:not(:disabled, :checked))")];
    for (const k of choices().keys()) {
        const each = choices()[k], menu = each.closest("select"), index = each.index;
        if (menu) menu.selectedIndex = index, menu.onchange();
        else each.click();
        see(each.textContent || each.closest("label").textContent);
        element.put(structuredClone(end));
    }
    return JSON.stringify(found, (_, x) => Number.isNaN(x) ? "nan" : x);
}"""


class FigureTest:
    """A figure: its example, a truth in PyTorch, settings to compare the two in, what to do with it."""

    kind = ""  # by the name of the class
    EXAMPLE = {}  # the arguments of the call
    START = {}  # the state at the start, as far as the arithmetic reads it
    STATES = []  # what differs from it, in each setting that is compared
    WRONG = {}  # arithmetic: what is wrong, and {words of the script: other words}
    KEYS = {}  # what more there is to do with keys, and how: name: by_keys(...)
    TOUCH = {}
    QUIET = ()  # controls that needn't change the words, by a part of their names
    KEPT = ()  # controls that Reset leaves, by a part of their names
    SAID = []  # (what differs from START, words that are said, cells in a row of the table)
    END = {}  # what differs from its state at rest once its own play has ended; None: see `holds`

    def truth(self, spec, state, numbers):
        """The numbers by PyTorch, by their names; what else should hold is asserted."""
        raise NotImplementedError

    def holds(self, spec, state, numbers, text):
        """Assert what the title and the sentence say in a state, by its numbers."""
        raise NotImplementedError

    def __init_subclass__(cls):
        cls.kind = cls.__name__.removeprefix("Test").lower()

    @classmethod
    def output(cls, **changed):
        """The data and the metadata that are displayed, perhaps with other arguments."""
        calls, options = [], {"static": Figure(figsize=(2, 2)), "alt": ALT} | cls.EXAMPLE | changed
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("IPython.display.display", lambda data, **more: calls.append((data, more)))
            live.show(cls.kind, **options)
        return calls[0]

    @classmethod
    @cache
    def html(cls):
        return cls.output()[0]["text/html"]

    @classmethod
    def spec(cls):
        return bundle.spec_of(cls.html())

    def check_numbers(self, node, wrong=None):
        states, spec = [self.START | state for state in self.STATES], self.spec()
        for state, numbers in zip(states, node.compute(self.kind, spec, states, wrong)):
            same(numbers, self.truth(spec, state, numbers))

    def test_numbers_equal_torch(self, node):
        self.check_numbers(node)

    @pytest.mark.mutants
    def test_wrong_numbers_are_noticed(self, node):
        assert self.WRONG
        for mistake, words in self.WRONG.items():
            print(mistake)  # it is shown where nothing is raised
            with pytest.raises(AssertionError):
                self.check_numbers(node, words)

    def test_it_says_its_numbers(self, node):
        assert self.SAID
        states = [self.START | state for state, *_ in self.SAID]
        results = node.compute(self.kind, self.spec(), states, code=SAY)
        for (_, words, cells), (text, table, _) in zip(self.SAID, results):
            assert words in text, text
            assert any(cells == [str(cell) for cell in row][: len(cells)] for row in table), table

    def check_controls(self, page, way):
        """Each changes the picture and the words, and Reset takes both back."""
        acts = standard_controls(page, way) | (self.KEYS if way == "keys" else self.TOUCH)
        quiet = [name for name in acts if any(part in name for part in self.QUIET)]
        for name, act in acts.items():
            page.evaluate(CONTROLS)  # what was drawn anew is marked anew
            before = look(page)
            act(page)
            after = look(page)
            assert after[0] != before[0] or name in quiet, f"{name} ({way}): the picture"
            assert after[1] != before[1] or name in quiet, f"{name} ({way}): the words"
            part(page, ".tools button").first.click()
            page.evaluate("document.querySelector('attention-live-1').shadowRoot.activeElement?.blur()")
            page.mouse.move(0, 0)
            if any(part in name for part in self.KEPT):
                assert look(page)[1] == after[1], f"{name} ({way}): Reset leaves it"
                page.evaluate("document.querySelector('attention-live-1').reset()")
            assert look(page)[1] == before[1], f"{name} ({way}): Reset brings the words back"
        assert page.faults == []
        return acts

    def test_controls_answer_to_keys(self, opened, node):
        page = opened(self.kind)
        spec, state = page.evaluate(f"[{FIGURE}.spec, {STATE}]")
        assert self.START.items() <= state.items() and spec == self.spec()
        assert ("guessed" in state) == ("guessed" in self.START)
        same(numbers(page), node.compute(self.kind, spec, [state])[0])
        assert self.check_controls(page, "keys")

    def test_controls_answer_to_touch(self, opened):
        page = opened(self.kind, screen="phone", has_touch=True, is_mobile=True)
        assert self.check_controls(page, "touch")

    def test_it_ends_on_what_it_says(self, opened):
        """On each page that shows it: at rest, after its own play, and after one press more."""
        for spec in shown_on_pages(self.kind):
            page = opened(bundle.with_spec(self.html(), spec))
            start, end, *more = json.loads(page.evaluate(PLAYED))
            assert end[0] == "after its play"
            assert self.END is None or end[1] == start[1] | self.END
            for moment, *view in (start, end, *more):
                assert not re.search(r"nan|undefined|null|Infinity", view[-1], re.I), moment
                view[-1] = re.sub(r"^You said .*?, so .*?\. ", "", view[-1])  # what is said of a guess
                self.holds(spec, *view)
            assert page.faults == []

    def test_a_guess_is_judged(self, opened):
        """Each answer is, at once where motion is reduced, and one of them is right and has a frame."""
        if "guessed" not in self.START:
            return
        page, verdicts = opened(self.kind), []
        for k, answer in enumerate(part(page, ".ask button").all_inner_texts()):
            text = press(page, f".ask button >> nth={k}")
            assert text.startswith((f"You said {answer}, which is right, so ", f"You said {answer}; it is "))
            verdicts.append("which is right" in text.split(". ")[0])
            assert verdicts[-1] == ("right" in (part(page, ".ask button").nth(k).get_attribute("class") or ""))
        assert sum(verdicts) == bool(verdicts)

    def test_checks_of_its_own(self, opened):
        for name in (name for name in dir(self) if name[:6] == "check_" and not hasattr(FigureTest, name)):
            page = opened(self.kind)
            getattr(self, name)(page)
            assert page.faults == []
