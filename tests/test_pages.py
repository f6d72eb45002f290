"""Every page keeps the house rules of `rules.py`, and each rule can be broken.

The second half writes a good page, breaks one thing in it, and sees that one rule speaks, that
it names the line, and that it says what is wanted.
"""

import json
import re
from dataclasses import dataclass
from typing import Callable

import pytest

from tests import pages, rules
from tests.pages import Page
from tests.sample import (
    ADDRESS, code, good_cells, image, printed, text, write_course, write_page,
)

NOTEBOOKS = pages.notebooks()
MARKDOWN = pages.markdown_files()
PAPERS = [Page(path) for path in sorted(pages.ROOT.glob("*.md")) if path.name != "index.md"]


def fail(problems):
    if problems := list(problems):
        pytest.fail("\n".join(problems), pytrace=False)


# ---------------------------------------------------------------- the course


@pytest.mark.parametrize("page", NOTEBOOKS, ids=repr)
@pytest.mark.parametrize("rule", rules.RULES)
def test_page(page, rule):
    fail(rules.RULES[rule](page))


@pytest.mark.parametrize("page", MARKDOWN, ids=repr)
@pytest.mark.parametrize("rule", rules.TEXT_RULES)
def test_markdown(page, rule):
    fail(rules.TEXT_RULES[rule](page))


@pytest.mark.parametrize("page", PAPERS, ids=repr)
def test_links_of_papers(page):
    fail(rules.links(page))


def table_of_contents(root):
    """What is wrong with `_toc.yml`: every page stands in it, in the order of its number."""
    lines = (root / "_toc.yml").read_text(encoding="utf-8").split("\n")
    listed = {match[1]: line for line, text in enumerate(lines, 1)
              if (match := re.match(r"\s*(?:- )?(?:file|root):\s*(\S+)", text))}
    there = [page.name.rpartition(".")[0] for page in pages.notebooks(root)]
    texts = [page.name.rpartition(".")[0] for page in pages.markdown_files(root)]
    for path in sorted(root.glob("chapters/*.ipynb")):
        if f"chapters/{path.stem}" not in there:
            yield f"chapters/{path.name}:1: wanted a name that begins with its number, NN_..."
    numbers = [page.number for page in pages.notebooks(root)]
    for page in pages.notebooks(root):
        if numbers.count(page.number) > 1:
            yield f"{page.name}:1: two pages have the number {page.number}; wanted one"
    for name in there + texts:
        if name not in listed:
            yield f"_toc.yml:{len(lines)}: {name} is missing; wanted every page of the book"
    for name, line in listed.items():
        if name not in there + texts:
            yield f"_toc.yml:{line}: there is no {name}; wanted a page of the book"
    ordered = [name for name in listed if name in there]
    for found, wanted in zip(ordered, sorted(ordered)):
        if found != wanted:
            yield f"_toc.yml:{listed[found]}: {found}; wanted {wanted} here, by its number"
            break


def test_table_of_contents():
    fail(table_of_contents(pages.ROOT))


# ---------------------------------------------------------------- the good page


@pytest.fixture
def course(tmp_path):
    """A course of two pages that keep every rule; the second is the one to be broken."""
    write_course(tmp_path)
    for number in (1, 2):
        write_page(tmp_path, number, good_cells(number))
    return tmp_path


@pytest.mark.parametrize("number", [1, 2])
def test_the_good_page_is_good(course, number):
    page = pages.notebooks(course)[number - 1]
    assert problems_of(page) == {}


@pytest.mark.parametrize("name", ["index.md", "chapters/notation.md"])
def test_the_good_markdown_is_good(course, name):
    fail(problem for rule in rules.TEXT_RULES.values() for problem in rule(Page(course / name)))


def problems_of(page):
    """{name of a rule: its problems}, of the rules that have any."""
    found = {name: list(rule(page)) for name, rule in rules.RULES.items()}
    return {name: problems for name, problems in found.items() if problems}


# ---------------------------------------------------------------- ways to break it


def find(cells, fragment):
    return next(cell for cell in cells if fragment in cell["source"])


def change(old, new):
    """Write `new` for the first `old` in a cell's source."""
    def edit(cells):
        cell = find(cells, old)
        cell["source"] = cell["source"].replace(old, new, 1)
    return edit


def insert(above, *new):
    """Put cells above the one with that text."""
    def edit(cells):
        where = cells.index(find(cells, above))
        cells[where:where] = new
    return edit


def remove(fragment):
    return lambda cells: cells.remove(find(cells, fragment))


def remove_from(first, last):
    """Remove the cells from the one with `first` to the one above that with `last`."""
    def edit(cells):
        del cells[cells.index(find(cells, first)):cells.index(find(cells, last))]
    return edit


def set_metadata(fragment, **metadata):
    return lambda cells: find(cells, fragment)["metadata"].update(metadata)


def set_outputs(fragment, *outputs):
    return lambda cells: find(cells, fragment).update(outputs=list(outputs))


def both(*edits):
    return lambda cells: [edit(cells) for edit in edits]


@dataclass
class Break:
    """A rule, an edit that breaks it, the text of the line to be named, what is to be said."""

    rule: str
    edit: Callable | None
    at: str  # text of the line that the message names, as it stands in the file
    says: str
    nth: int = 1  # which of the lines with that text
    raw: tuple[str, str] | None = None  # an edit of the file's text in place of the cells

    def __repr__(self):
        return f"{self.rule}: {self.says}"


START = "# @title Start: find the course, or fetch it"
LONG = "\n".join(f"a_{i} = {i}" for i in range(31))
MEDIUM = "\n".join(f"b_{i} = {i}" for i in range(20))
KEPT = "def long():\n" + "\n".join(f"    a_{i} = {i}" for i in range(45))
FOLD = "<details>\n<summary>3.</summary>\n\nx\n\n</details>\n\n"
STUB = "print(check_times_1"
SOLUTION = "# @title Solution 2.1"
FIGURE = "fig, ax"

BREAKS = [
    Break("start_cell", change("import sys\n", ""), "from pathlib", "wanted 'import sys'"),
    Break("start_cell", change("sys.path else None", "sys.path else None\nprint(course)"),
          "print(course)", "nothing more in the start cell"),
    Break("start_cell", change(ADDRESS, ADDRESS + "s"), "ADDRESS = ",
          f"wanted 'ADDRESS = \"{ADDRESS}\"'"),
    Break("start_cell", set_metadata("# @title Start", tags=[]), "# @title Start", "'hide-cell'"),
    Break("start_cell", insert("The line rises.", text("Again."), code(START + "\nx = 1")),
          START, "a second start cell", nth=2),
    Break("plain_python", change("torch.manual_seed(0)", "!ls\ntorch.manual_seed(0)"),
          "!ls", "wanted plain Python"),
    Break("imports", change("import torch\n", "import torch\nimport scipy.stats\n"),
          "import scipy", "'scipy.stats'; wanted one of ['math', 'matplotlib'"),
    Break("imports", change("import torch\n", "import torch\nfrom sklearn import svm\n"),
          "sklearn", "'sklearn'; wanted one of"),
    Break("imports", change("import torch\n", "import torch\nfrom math import *\n"),
          "from math import *", "wanted the names"),
    Break("imports", change("import pool", "import pool, other"), "pool, other",
          "imports 'other', which no earlier page keeps; wanted one of ['pool']"),
    Break("imports", change("import torch\n", "import torch\nimport utils.attention\n"),
          "import utils.attention", "wanted `from utils.attention import ...`"),
    Break("imports", change("import torch\n", "import torch\nfrom .page import x\n"),
          "from .page", "'.page'; wanted one of"),
    Break("cell_length", insert("The line rises.", text("Long."), code(LONG)),
          "a_30 = 30", "31 lines; wanted at most 30"),
    Break("cell_length", insert("The line rises.", text("Kept."), code(KEPT, "keep")),
          "a_44 = 44", "46 lines; wanted at most 45"),
    Break("cell_length", change("x = torch", "x = " + "0 + " * 20 + "torch"), "x = 0 + ",
          "columns; wanted at most 88"),
    Break("median_length", insert("The line rises.", *[text("More."), code(MEDIUM)] * 14),
          "b_0 = 0", "lines; wanted a median of at most 8"),
    Break("text_between", remove("The line rises."), "fig, ax", "wanted text between them"),
    Break("tags", set_metadata("torch.manual_seed", tags=["kept"]), "torch.manual_seed",
          "'kept' is unknown; wanted one of ['check',"),
    Break("tags", set_metadata("torch.manual_seed", tags=["hide-input"] * 2),
          "torch.manual_seed", "wanted each once"),
    Break("tags", set_metadata("torch.manual_seed", tags=["raises-exception"]),
          "torch.manual_seed", "wanted nbval-ignore-output"),
    Break("seeds", change("torch.manual_seed(0)\n", ""), "torch.randn",
          "torch.randn without a seed; wanted torch.manual_seed(...)"),
    Break("seeds", change("randn(5)", 'randn(5, device="cuda")'), "randn(5, device",
          "wanted a draw on the CPU"),
    Break("title", change("# 2. A sample", "# 3. A sample"), "3. A sample", "wanted '# 2. Title'"),
    Break("title", change("The line rises.", "# The line"), "# The line", "a second title"),
    Break("opening", change("02_sample.ipynb)", "01_sample.ipynb)"), "Open this page",
          "wanted the line [Open this page on Colab](https://colab.research.google.com/github/"
          "old-owner/old-course/blob/main/chapters/02_sample.ipynb)"),
    Break("opening", change("**What you need**", "**You need**"), "# 2. A sample",
          "wanted **What you need** above a list"),
    Break("opening", change("- Take a mean.", "Take a mean."), "# 2. A sample",
          "wanted **What you will do** above a list"),
    Break("opening", change("on 2 cores", "in all"), "# 2. A sample", "wanted how many minutes"),
    Break("ending", change("## Summary", "## In short"), "## In short", "wanted 'Summary'"),
    Break("ending", change("## Next", "## Next\n\nGo on.\n\n## After"), "## Summary",
          "section 'Summary'; wanted 'Exercises'"),
    Break("summary", change("It has no query. ", ""), "## Summary", "2 sentences; wanted 3 to 5"),
    Break("summary", change("It has no query. ", "It has `no.` query. " * 4), "## Summary",
          "6 sentences; wanted 3 to 5"),
    Break("questions", change("## Next", FOLD * 2 + "## Next"), "## Questions",
          "4 folded answers; wanted 2 or 3"),
    Break("folds", change("Multiply 1.\n\n</details>", "Multiply 1."), "<details>",
          "is not closed; wanted </details>"),
    Break("folds", change("Hint</summary>\n\nMultiply 1", "Hint</summary>\nMultiply 1"),
          "<details>", "a blank line, text"),
    Break("folds", change("The line rises.", "The line rises.\n</details>"), "</details>",
          "wanted <details> above it"),
    Break("exercise_headings", change("(medium, 5 minutes)", "(middling)"), "(middling)",
          "wanted '### Exercise 2.2: title (easy, 5 minutes)'"),
    Break("exercise_headings", both(change("Exercise 2.2:", "Exercise 2.4:"),
                                    change("Solution 2.2", "Solution 2.4")),
          "Exercise 2.4:", "wanted '### Exercise 2.2:"),
    Break("exercise_headings", remove_from("### Exercise 2.3", "## Summary"), "## Exercises",
          "2 exercises; wanted 3 to 5"),
    Break("exercise_shape", set_metadata("def check_times_2", tags=[]), "### Exercise 2.2",
          "['text', 'code', 'text', 'exercise', 'text', 'solution', 'text']; wanted "
          "['text', 'check'"),
    Break("exercise_shape", change("<summary>Hint", "<summary>Help"), "<details>",
          "no hint; wanted"),
    Break("exercise_shape", change("*The usual mistake* is a sum.", ""), "A product 1",
          "the usual mistake"),
    Break("exercise_shape", set_metadata("torch.manual_seed", tags=["check"]), "torch.manual_seed",
          "only below an exercise's heading"),
    Break("exercise_check", change("check_times_1(candidate)", "check_times_1(answer)"),
          "def check_times_1(answer)", "wanted one function check_...(candidate)"),
    Break("exercise_check", change('"not yet"', '"later"'), "def check_times_1",
          "never returns 'not yet'"),
    Break("exercise_check", change('f"{result}; wanted 2"', '"right"'), "def check_times_1",
          "wanted a sentence that says what is wrong"),
    Break("exercise_stub", change("return None  # your code here", "return 2 * x"), "return 2 * x",
          "wanted `return None`"),
    Break("exercise_stub", change(f"{STUB}(times_1))", "print('not yet')"), "print('not yet')",
          "wanted print(check_times_1(...))"),
    Break("exercise_stub", set_outputs(STUB, printed("right")), "OUTPUTS OF " + STUB,
          "'right\\n'; wanted 'not yet'"),
    Break("exercise_stub", change("def times_1(x, factor=2):\n    return None  # your code here",
                                  "times_1 = None"), "times_1 = None", "wanted a function"),
    Break("solution_folded", change(SOLUTION + "\n", ""), "def times_1(x, factor=2):",
          "wanted '# @title Solution 2.1'", nth=2),
    Break("solution_folded", change(SOLUTION, SOLUTION[:-1] + "2"), "# @title Solution 2.2",
          "wanted '# @title Solution 2.1'"),
    Break("solution_folded", set_metadata(SOLUTION, cellView=None), SOLUTION, "'cellView': 'form'"),
    Break("solution_signature", change(SOLUTION + "\ndef times_1(x, factor=2):",
                                       SOLUTION + "\ndef times_1(x):\n    factor = 2"),
          "def times_1(x):", "too many positional arguments); wanted times_1(x, factor=2)"),
    Break("solution_signature", change(SOLUTION + "\ndef times_1(x, factor=2):",
                                       SOLUTION + "\ndef times_1(x, factor):"),
          "def times_1(x, factor):", "missing a required argument: 'factor'"),
    Break("solution_signature", change(SOLUTION + "\ndef times_1(x, factor=2):",
                                       SOLUTION + "\ndef times_1(factor, x=2):"),
          "def times_1(factor, x=2)", "'x' arrives as 'factor'"),
    Break("solution_signature", change(SOLUTION + "\ndef times_1", SOLUTION + "\ndef other"),
          SOLUTION, "does not define 'times_1'"),
    Break("solution_asserted", change('assert check_times_1(times_1) == "right"', "times_1(1)"),
          "times_1(1)", 'wanted assert check_times_1(...) == "right"'),
    Break("alt_text", set_outputs(FIGURE, image("")), '"alt": ""',
          "0 characters; wanted a sentence of 20 to 400"),
    Break("alt_text", set_outputs(FIGURE, image("A line that rises from 0 to 1")),
          '"alt": ', "wanted one sentence with a full stop"),
    Break("alt_text", set_outputs(FIGURE, image("A line rises. It stops at the value 1.")),
          '"alt": ', "wanted one sentence with a full stop"),
    Break("alt_text", set_outputs(FIGURE, image("The picture that is in line.png, as a file.")),
          '"alt": ', "has a file name"),
    Break("alt_text", None, '"alt": "A line that falls', "wanted what show(fig, alt) has printed",
          raw=('"alt": "A line that rises', '"alt": "A line that falls')),
    Break("image_size", set_outputs(FIGURE, image(size=60_001)), f"OUTPUTS OF {FIGURE}",
          "60001 bytes; wanted at most 60000"),
    Break("only_show", change("show(fig,", "plt.show(fig,"), "plt.show", "wanted show(fig, alt)"),
    Break("only_show", set_outputs("torch.manual_seed", image()), "torch.manual_seed",
          "an image without show(fig, alt)"),
    Break("printed_lines", set_outputs("torch.manual_seed", printed("1\n" * 8 + "9")),
          "OUTPUTS OF torch.manual_seed", "9 printed lines; wanted at most 8"),
    Break("ignored_outputs", set_metadata("torch.manual_seed", tags=["nbval-ignore-output"]),
          "torch.manual_seed", "wanted an assert of what the output shows"),
    Break("clean_outputs", set_outputs("torch.manual_seed", printed("in /home/me/x.py")),
          "in /home/me", "'/home/' is of this machine"),
    Break("clean_outputs", set_outputs("torch.manual_seed", printed("<f at 0x7f0011223344>")),
          "<f at 0x7f0011223344>", "'0x7f0011223344' is of this machine"),
    Break("clean_outputs", set_outputs("torch.manual_seed", printed("A warning", "stderr")),
          '"name": "stderr"', "stderr, 'A warning\\n'; wanted none"),
    Break("normal_form", None, '"execution_count": null', "wanted '\"execution_count\": 2,'",
          raw=('"execution_count": 2', '"execution_count": null')),
    Break("normal_form", None, "What the page imports. ", "wanted '\"What the page imports.\"'",
          raw=("page imports.", "page imports. ")),
    Break("normal_form", None, '"collapsed": true', "wanted", raw=(
        '"execution_count": 2,\n', '"execution_count": 2,\n   "collapsed": true,\n')),
    Break("normal_form", None, "LAST LINE", "wanted the end of the file here",
          raw=('"nbformat_minor": 5\n}\n', '"nbformat_minor": 5\n}\n\n')),
    *(Break("no_myst", change("The line rises.", f"The line rises.\n\n{source}"), at, says)
      for source, at, says in [
          ("```{note}\nRead.\n```", "```{note}", "a directive"),
          (":::{tip}", ":::{tip}", "a directive"),
          ("::: note", "::: note", "a colon fence"),
          ("See {eq}`mean`.", "See {eq}", "a role of MyST, '{eq}`'"),
          ("(mean)=", "(mean)=", "a target"),
          ("A mean.[^1]", "A mean.[^1]", "a footnote"),
          ("> [!NOTE]\n> Read.", "> [!NOTE]", "a GitHub note"),
          ("% hidden", "% hidden", "a comment"),
          ("+++", "+++", "a block break"),
          ("A {{ mean }}.", "A {{ mean }}.", "a substitution"),
      ]),
    Break("display_formulas", change("The line rises.", "$$\na\n$$"), '"$$\\n"',
          "wanted a line of its own"),
    Break("display_formulas", change("The line rises.", "So $$ a = 1 $$ holds."), "So $$",
          "wanted a line of its own"),
    Break("equation_numbers", change("It does.", r"$$ b \tag{2.3} $$"), "tag{2.3}",
          r"\tag{2.3}; wanted \tag{2.2}"),
    Break("equation_numbers", change("It does.", r"$$ b \tag{2.1} $$"), r"b \\tag{2.1}",
          r"\tag{2.1}; wanted \tag{2.2}"),
    Break("equation_references", change("The line rises.", "By equations (2.1), (1.1) and (7.2)."),
          "By equations", r"equation (7.2); wanted one with \tag{7.2}"),
    Break("equation_references", change("# your code here", "# equation (9.1)"), "# equation (9.1)",
          "equation (9.1); wanted"),
    Break("heading_levels", change("The line rises.", "#### The line"), "#### The line",
          "'The line' leaves a level out; wanted ###"),
    Break("links", change("notation.md#rows-and-columns", "nothing.md"), "nothing.md",
          "there is no such file"),
    Break("links", change("notation.md#rows-and-columns", "notation.md#rows"), "notation.md#rows",
          "no such heading; wanted one there is, such as rows-and-columns, notation"),
    Break("links", change("The line rises.", "See [above](#the-sum)."), "#the-sum",
          "no such heading; wanted one there is, such as the-mean"),
    Break("links", change("The line rises.", "![A line](figures/line.png)"), "figures/line.png",
          "there is no such file"),
    Break("links", change("The line rises.", f"[The code]({ADDRESS}/blob/main/utils/none.py)"),
          "utils/none.py", "there is no such file"),
    Break("links", change("The line rises.", "[Out](../../secret.md)"), "secret.md",
          "there is no such file"),
]


def line_number(page, case):
    """The line of the page's file that the message about a broken page has to name."""
    if case.at.startswith("OUTPUTS OF "):
        source = case.at.removeprefix("OUTPUTS OF ")
        return next(cell.outputs_line for cell in page.code if source in cell.source)
    lines = page.text.split("\n")
    if case.at == "LAST LINE":
        return len(lines) - 1
    quoted = json.dumps(case.at)[1:-1]
    return [i for i, line in enumerate(lines, 1) if quoted in line or case.at in line][case.nth - 1]


@pytest.mark.parametrize("case", BREAKS, ids=repr)
def test_a_broken_page_is_named(course, case):
    path = course / "chapters" / "02_sample.ipynb"
    if case.raw:
        assert case.raw[0] in path.read_text()
        path.write_text(path.read_text().replace(*case.raw, 1))
    else:
        cells = good_cells(2)
        case.edit(cells)
        write_page(course, 2, cells)
    page = Page(path)
    found = problems_of(page)
    assert list(found) == [case.rule], found
    (message,) = found[case.rule]
    assert case.says in message
    assert message.startswith(f"chapters/02_sample.ipynb:{line_number(page, case)}: "), message


def test_every_rule_is_broken_once():
    assert {case.rule for case in BREAKS} == set(rules.RULES)


@pytest.mark.parametrize("rule, name, source, says", [
    ("links", "index.md", "[Begin](chapters/03_none.ipynb)", "'chapters/03_none.ipynb': there is"),
    ("links", "chapters/notation.md", "[Up](../index.md#up)", "such as a-course"),
    ("links", "index.md", '<img src="none.png">', "'none.png': there is no such file"),
    ("equation_references", "index.md", "By equation (1.2).", r"wanted one with \tag{1.2}"),
    ("equation_numbers", "chapters/notation.md", r"$$ a \tag{1.1} $$", "wanted no number"),
])
def test_broken_markdown_is_named(course, rule, name, source, says):
    path = course / name
    path.write_text(path.read_text() + f"\n{source}\n")
    page = Page(path)
    found = [problem for check in rules.TEXT_RULES.values() for problem in check(page)]
    assert found == list(rules.TEXT_RULES[rule](page))
    (message,) = found
    assert message.startswith(f"{name}:{len(path.read_text().splitlines())}: ") and says in message


@pytest.mark.parametrize("old, new, says", [
    ("- file: chapters/01_sample\n", "", "_toc.yml:6: chapters/01_sample is missing"),
    ("- file: chapters/notation\n", "", "_toc.yml:6: chapters/notation is missing"),
    ("- file: chapters/notation\n", "- file: chapters/notes\n- file: chapters/notation\n",
     "_toc.yml:4: there is no chapters/notes"),
    ("- file: chapters/01_sample\n- file: chapters/02_sample",
     "- file: chapters/02_sample\n- file: chapters/01_sample",
     "_toc.yml:5: chapters/02_sample; wanted chapters/01_sample here"),
])
def test_a_broken_table_of_contents_is_named(course, old, new, says):
    path = course / "_toc.yml"
    assert not list(table_of_contents(course)) and old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    (message,) = table_of_contents(course)
    assert message.startswith(says)


@pytest.mark.parametrize("name, says", [
    ("sample", "chapters/sample.ipynb:1: wanted a name that begins with its number"),
    ("02_again", "chapters/02_again.ipynb:1: two pages have the number 2"),
])
def test_a_wrong_name_is_named(course, name, says):
    (course / "chapters" / f"{name}.ipynb").write_text("{}")
    assert any(problem.startswith(says) for problem in table_of_contents(course))
