"""What a teacher hands out: no solution leaks, and Otter tells a student what the page's check tells."""

import json
import os
import re
import subprocess
import sys
from contextlib import nullcontext
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

from tests.browsing import SETTLED, visit
from tests.workshop.sample import make_course
from workshop import handouts, slides
from workshop.page import ROOMS, notebooks

PAGES = pytest.mark.parametrize("page", notebooks(), ids=repr)
CHEAT = "check_spread = lambda *_: 'right'\n\ndef spread(values):\n    return -1"


def source_of(notebook):
    return "\n".join("".join(cell["source"]) for cell in notebook["cells"])


@PAGES
def test_students_get_no_solution(page):
    student = handouts.notebook(page, solved=False)
    tags = [tag for cell in student["cells"] for tag in cell["metadata"].get("tags", [])]
    assert "solution" not in tags and {"check", "exercise"} <= {*tags}
    for cell in student["cells"]:
        if {"check", "exercise"} & {*cell["metadata"].get("tags", [])}:
            assert not cell["outputs"]
        if cell["cell_type"] == "markdown":  # links lead out of the folder, and not to solutions
            assert not re.findall(r"\]\((?!https?:|#)|colab\.research", "".join(cell["source"]))
    text = source_of(student)
    assert "usual mistake</summary>" not in text
    handed = {name: source_of(submission) for name, submission in handouts.submissions(page).items()}
    assert {"empty", "right", "wrong_1"} <= {*handed}
    for code, call in handouts.solutions(page).values():
        assert f"print({call})" in text
        assert code.strip() in handed["right"] and code.strip() not in handed["empty"]


@pytest.fixture
def handout(tmp_path, monkeypatch):
    """(page, folder that is handed out), of a course of two small pages, one cheat among them."""
    make_course(tmp_path / "course")
    page = notebooks(tmp_path / "course")[0]
    folder = handouts.handout(page, tmp_path)
    cheat = json.dumps(handouts.answered(page, {"1.1": CHEAT}))
    (folder / "submissions" / "cheat.ipynb").write_text(cheat, encoding="utf-8")
    monkeypatch.delenv("OMP_NUM_THREADS")
    modules = sys.modules.copy()
    yield page, folder
    # The start cell has forgotten the course's modules for those of the folder.
    for name in [name for name in sys.modules if name.partition(".")[0] in ROOMS]:
        del sys.modules[name]
    sys.modules.update(modules)


WANTED = {  # a submission's points, and the words that its writer reads
    "right": (1, ""),
    "empty": (0, "not yet"),
    "cheat": (0, "-1.00 is below 0; which is taken from which?"),
}


def test_a_test_asks_the_page_s_own_check(handout, monkeypatch):
    page, folder = handout
    [test] = (folder / "otter" / "tests").iterdir()
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.chdir(folder / "otter")
    stand_in = SimpleNamespace(test_case=lambda: lambda function: function)
    monkeypatch.setitem(sys.modules, "otter.test_files", stand_in)
    exec(test.read_text(encoding="ascii"), names := {})
    for name, (points, words) in WANTED.items():
        notebook = json.loads((folder / "submissions" / f"{name}.ipynb").read_text("utf-8"))
        scope = {}
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), scope)
        with nullcontext() if points else pytest.raises(AssertionError, match=re.escape(words)):
            names["told"](scope)
    assert scope["course"] == str(folder / "otter" / "old-course")  # no network is needed
    assert os.environ["OMP_NUM_THREADS"] == "1"


@pytest.mark.skipif(not find_spec("otter"), reason="otter-grader isn't installed; weekly it is")
def test_otter_itself(handout, tmp_path):
    """As chapters/teaching.md says it, from another folder."""
    folder = handout[1]

    def otter(*arguments, where):
        command = [sys.executable, "-m", "otter", *arguments]
        done = subprocess.run(command, cwd=where, capture_output=True, encoding="utf-8")
        assert done.returncode == 0, done.stdout + done.stderr

    otter("generate", "old-course", where=folder / "otter")
    for name in ("right", "cheat"):
        points, words = WANTED[name]
        otter("run", "-a", "otter/autograder.zip", f"submissions/{name}.ipynb", where=folder)
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        shown = [result for result in results["tests"] if result["visibility"] == "visible"]
        assert shown[-1]["score"] == points and words in shown[-1]["output"]


def test_the_environment_has_what_the_pages_import():
    pins = handouts.requirements().split("\n")
    assert pins[0].endswith("/cpu") and {pin.partition("==")[0] for pin in pins[1:]} >= {"torch"}


@PAGES
def test_each_formula_and_figure_of_the_lesson_has_a_slide(page):
    deck = [*slides.slides(page)]
    shown = "\n".join(block for slide in deck for block in slide.blocks)
    lesson = slides.DETAILS.sub("", "\n".join(cell.source for cell in page.texts))
    lesson = lesson.partition("\n## Exercises\n")[0]
    assert re.findall(r"\\tag\{.*?\}", shown) == re.findall(r"\\tag\{.*?\}", lesson)
    captions = re.findall(r"(?m)^\*\*((?:Figure|Table) \d+\.\d+\.)\*\*", lesson)
    assert re.findall(r"<strong>((?:Figure|Table) \d+\.\d+\.)", shown) == captions
    assert deck[1].heading == "A question first" and all(slide.blocks for slide in deck)
    assert "check_" not in shown and "@title" not in shown and 'alt=""' not in shown
    assert not re.search(r'(?:href|src)="(?!https://|data:)', shown)


TOO_MUCH = """() => slides.flatMap((slide, k) => {
    const size = parseFloat(slide.firstElementChild.style.zoom);
    const over = slide.scrollHeight > slide.clientHeight || slide.scrollWidth > slide.clientWidth;
    return over || size < 0.7 ? [[k + 1, over, size]] : [];
})"""


def test_a_deck_fits_and_needs_no_network(tmp_path, browser):
    [page] = (page for page in notebooks() if page.number == 12)  # with long code, and live data
    deck = slides.deck(page, tmp_path)
    with visit(browser, f"{tmp_path.as_uri()}/", deck.name) as shown:
        shown.set_viewport_size({"width": 1280, "height": 720})
        assert shown.evaluate(f"async () => {{ await ({SETTLED})(); fitAll(); return ({TOO_MUCH})() }}") == []
        for key, slide in (("ArrowRight", 1), ("PageDown", 2), ("ArrowLeft", 1)):
            shown.keyboard.press(key)
            assert shown.evaluate("Math.round(scrollY / innerHeight)") == slide
        assert shown.faults == []
