"""Each rule is broken once: it speaks, it alone, names the line, and says what is wanted."""

import json

import pytest

from tests.workshop.sample import ADDRESS, change, image
from workshop import contents, drawings, numbering, rules
from workshop.page import Page, notebooks
from workshop.wrong_answers import wrong_answers

START, SETUP, X = "# @title Start", "import torch", "x = torch.tensor"
FIGURE, VERIFY = "fig = pool", "# @title Checked"
CHECK, STUB, SOLUTION = "# @title Check of", "return None", "# @title Solution"


def swap(old, new, nth=1):
    """Write `new` for `old` in the source of the nth cell that has it."""

    def edit(cells):
        cell = [cell for cell in cells if old in cell["source"]][nth - 1]
        cell["source"] = cell["source"].replace(old, new, 1)

    return edit


def put(fragment, **values):
    """Set tags, metadata or outputs of the cell with that text."""

    def edit(cells):
        cell = next(cell for cell in cells if fragment in cell["source"])
        cell["metadata"] |= values.pop("metadata", {})
        if "tags" in values:
            cell["metadata"]["tags"] = values.pop("tags")
        cell.update(values)

    return edit


def say(text):
    return swap("See [the", f"{text}\n\nSee [the")


def use_what_is_below(cells):
    swap("· medium", "· going further 30 · medium")(cells)
    end = "The next page's question."
    swap(end, f"{end}\n\n## Going further\n\n### Why?\n\n$$ b \\tag{{2.2}} $$")(cells)
    say("By equation (2.2).")(cells)


def printed(text, name="stdout"):
    return [{"output_type": "stream", "name": name, "text": text}]


# fmt: off
# (rule, edit, text of the line that is named, what is said)
BREAKS = [
    ("start", swap("import sys\n", ""), "from pathlib", "import sys"),
    ("start", lambda cells: cells.append(cells[1] | {"id": "x"}), START, "a second start cell"),
    ("plain_python", swap("mean = ", "!ls\nmean = "), "!ls", "wanted plain Python"),
    ("imports", swap(SETUP, "import scipy"), "import scipy", "wanted the standard library, or"),
    ("imports", swap("import pool", "import other"), "import other", "no earlier page keeps"),
    ("tags", put(X, tags=["kept"]), X, "the tag 'kept' is unknown"),
    ("loose_numbers", swap("assert 1 ==", f"a = {[5] * 21}\nassert 1 =="), "a = [", "21 numbers in one"),
    ("loose_numbers", swap("assert 1 ==", f"a = '{'7 ' * 21}'\nassert 1 =="), "a = '", "the tag \"data\""),
    ("typed_asserts", swap("assert 1 ==", "RUNS = {1: (0.3, 0.4)}\nfor a, b in RUNS.values():\n    y = sum([a, b])\n"
     "    assert y / 2 > 0.2\nassert 1 =="), "> 0.2", "were typed are compared"),
    *(("seeds", swap("torch.tensor([1.0, 2.0, 6.0])", draw), draw, "without a seed")
      for draw in ("torch.randn(3)", "nn.init.trunc_normal_(y)", "F.dropout(y, 0.1)", "np.random.rand(3)")),
    ("seeds", swap("assert 1", 'assert torch.randn(3, device="cuda")'), "randn", "a draw on the CPU"),
    ("title", swap("# 2. A", "# 3. A"), "# 3. A", "wanted '# 2. Title'"),
    ("title", say("#### Deep"), "#### Deep", "leaves a level out; wanted ##"),
    ("opening", swap("02_a_sample.ipynb)", "x)"), "# 2. A", "wanted, above the first code in sight, the link"),
    ("opening", swap("· medium", "· going further 9 · medium"), "# 2. A", "wanted a heading"),
    ("opening", swap("## What you can do now", "## Going further"), "# 2. A", "wanted minutes of"),
    ("core", say("word " * 1500), "# 2. A", "words; wanted at most 1500"),
    ("width", swap("mean = ", "a_mean_whose_name_is_too_long_for_what_a_column_of_the_book_holds = mean = "), "a_mean", "at most 84"),
    ("folded", swap(f"{VERIFY}: the", "# The"), "# The sum", "wanted '# @title Checked: ...'"),
    ("folded", swap("torch.testing.assert_close(mean, x.mean())", "mean"), VERIFY, "an assert"),
    ("folded", swap(f"{VERIFY}: the", f"{VERIFY}: {'so ' * 12}the"), VERIFY, "at most 12 words"),
    ("quiet_checks", swap("mean, x.mean())", "mean, x.mean())\nx = 2 * x"), "x = 2", "gives 'x' of cell"),
    ("quiet_checks", swap("mean, x.mean())", "mean, x.mean())\ny = 2 * x"), None, None),
    ("folds", swap("min`.\n\n</details>", "min`."), "<details>", "<details> without the other"),
    ("exercise_parts", swap("spread (easy, 5 m", "spread (5 m"), "Exercise 2.1", "title (easy, 5 m"),
    ("exercise_parts", put(CHECK, tags=["hide-input"]), "Exercise 2.1", "wanted one each"),
    ("exercise_parts", put(X, tags=["check"]), X, "only below an exercise's heading"),
    ("ran", put(STUB, outputs=[]), STUB.replace("return None", "def spread"), "saved before [8] had run"),
    ("exercise_stub", put(STUB, outputs=printed("right\n")), "OUTPUT", "wanted 'not yet'"),
    ("solution", swap("Solution 2.1", "Solution 2.2"), SOLUTION, "wanted '# @title Solution 2.1'"),
    ("solution", swap('assert check_spread(spread) == "right"', "spread(x)"), "spread(x)",
     "wanted assert check_"),
    ("captions", swap("Figure 2.1", "Figure 2.2"), FIGURE, "wanted '**Figure 2.1.** '"),
    ("image_source", put(FIGURE, outputs=[image(data="A" * 80_004)]), "OUTPUT",
     "of 60003 bytes; wanted at most 60000"),
    ("image_source", put("assert 1", outputs=[image()]), "manual_seed", "an image without show"),
    ("ignored_outputs", put(X, tags=["nbval-ignore-output"]), None, None),  # asserted in the next
    ("ignored_outputs", put("assert 1", source="1"), FIGURE, "wanted an assert"),
    ("clean_outputs", put(X, outputs=printed("in /home/me/x")), "/home/me", "is of this machine"),
    ("clean_outputs", put(X, outputs=printed("A warning", "stderr")), "stderr", "wanted none"),
    ("no_myst", say("```{note}\nRead.\n```"), "```{note}", "'```{' of MyST"),
    ("display_formulas", say("So $$ a = 1 $$ holds."), "So $$", "wanted a line of its own"),
    ("equation_numbers", swap("What we learn from it.", r"$$ b \tag{2.3} $$"), "b ",
     r"\tag{2.3}; wanted \tag{2.2}"),
    ("references", say("By equations (2.1), (1.1) and (7.2)."), "By eq", "no equation 7.2"),
    ("references", use_what_is_below, "By eq", "the core needs equation 2.2; wanted that above"),
    ("links", say("`` `[A](none.md)` ``, `$$` and\n\n    equation (9.9), {eq}`a`"), None, None),  # code
    ("links", say("[A](notation.md#rows)"), "#rows)", "such as rows-and-columns"),
    ("links", say(f"[A]({ADDRESS}/blob/main/utils/none.py)"), "none.py", "no such file"),
]
# fmt: on


def found_in(page):
    by_rule = {name: list(rule(page)) for name, rule in rules.RULES.items()}
    return {name: problems for name, problems in by_rule.items() if problems}


def test_new_pages_keep_every_rule(course):
    for page in notebooks(course):
        assert found_in(page) == {}


def test_a_core_builds_on_cores(course):
    first, second = notebooks(course)
    assert [*rules.builds_on_cores(second)] == []

    def keep_below(cells):
        (definition,) = [cell for cell in cells if "keep" in cell["metadata"].get("tags", [])]
        cells.remove(definition)
        cells += [cells[-1] | {"id": "line", "source": "## Going further\n\n### Why?"}, definition]

    change(first, keep_below)
    problem, *_ = rules.builds_on_cores(Page(second.path))
    assert problem.endswith("needs pool, below the line of page 1 or on an elective")


@pytest.mark.parametrize("rule, edit, at, says", BREAKS, ids=[f"{b[0]}: {b[3]}" for b in BREAKS])
def test_a_broken_page_is_named(course, rule, edit, at, says):
    page = change(notebooks(course)[1], edit)
    problems = found_in(page)
    if at is None:
        assert problems == {}
        return
    assert list(problems) == [rule], problems
    (message,) = problems[rule]
    assert says in message
    lines = page.text.split("\n")
    named = int(message.split(":")[1])
    if at == "OUTPUT":
        assert '"outputs": [' in lines[named - 1]
    else:
        assert json.dumps(at)[1:-1] in lines[named - 1] or at in lines[named - 1], message


def test_a_wrong_form_of_the_file_is_named(course):
    page = notebooks(course)[1]
    page.path.write_text(page.text.replace('"execution_count": 2', '"execution_count": 9'))
    (message,) = found_in(Page(page.path))["normal_form"]
    assert "wanted '\"execution_count\": 2,'" in message and "first of" not in message
    page.path.write_text(page.text.replace('"execution_count": ', '"execution_count": 1'))
    assert "the first of 9 lines" in found_in(Page(page.path))["normal_form"][0]


def test_a_page_that_was_saved_while_it_ran_is_named_once(course):
    """As JupyterLab does it: cells that wait have no number and no outputs."""
    page = notebooks(course)[1]
    cells = [cell for cell in page.notebook["cells"] if cell["cell_type"] == "code"]
    for cell in cells[4:]:
        cell |= {"execution_count": None, "outputs": []}
    page.path.write_text(json.dumps(page.notebook, indent=1))
    (message,) = found_in(Page(page.path)).pop("ran")
    assert "cell [5], line 1: saved before [5], [6], [7], [8], [9] had run" in message
    assert "`git restore chapters/02_a_sample.ipynb` where you changed nothing" in message
    assert "`make page P=02`" in message and list(found_in(Page(page.path))) == ["ran"]


def test_forgotten_and_superfluous_wrong_answers_are_named(course):
    page, name = notebooks(course)[1], "tests/wrong_answers/02_a_sample.py"
    path = course / name
    text = path.read_text()
    path.write_text(text.replace("2.1:", "2.7:"))
    missing, *unknown = rules.answers(page)
    assert "no wrong answers to exercise 2.1; wanted a few in " + name in missing
    assert missing.startswith("chapters/02_a_sample.ipynb:") and len(unknown) == 2
    assert unknown[1].startswith(f"{name}:3: there is no exercise 2.7")
    path.write_text(text.replace("def spread", "def stretch"))
    assert "wanted a definition of what check_spread(spread) takes" in list(rules.answers(page))[0]


def test_a_wrong_answer_is_the_solution_with_words_replaced(course):
    page, name = notebooks(course)[1], "tests/wrong_answers/02_a_sample.py"
    changes = "# 2.1: told\n# in the solution: max => mean\n# in the solution: - values.min() =>\n"
    (course / name).write_text(changes)
    (answer,) = wrong_answers(page)
    assert answer.code.endswith("    return values.mean() \n")
    (course / name).write_text(changes.replace("max =>", "median =>"))
    (message,) = rules.answers(page)
    assert message.startswith(f"{name}:2: '# in the solution: median => mean'; wanted ")


def test_every_rule_is_broken():
    assert {change[0] for change in BREAKS} | {"normal_form", "answers", "builds_on_cores"} == set(rules.RULES)


@pytest.mark.parametrize("old, new, says", [
    ("  - file: chapters/01_a_sample\n", "", "chapters/01_a_sample is missing"),
    ("chapters/notation", "chapters/notes", "chapters/notes is missing, or no page"),
    ("01_a_sample\n  - file: chapters/02_a_sample", "02_a_sample\n  - file: chapters/01_a_sample",
     "_toc.yml:1: chapters/02_a_sample; wanted chapters/01_a_sample here"),
])  # fmt: skip
def test_a_wrong_table_of_contents_is_named(course, old, new, says):
    path = course / "_toc.yml"
    assert not list(contents.contents_problems(course)) and old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert any(says in problem for problem in contents.contents_problems(course))


def test_a_core_needs_no_elective(course):
    toc = '- caption: "{}"\n  chapters:\n  - file: chapters/0{}_a_sample\n'
    (course / "_toc.yml").write_text(toc.format("Core", 2) + toc.format("Electives: one", 1))
    link, (other, page) = "[A](01_a_sample.ipynb)", notebooks(course)
    change(other, swap(" · medium", " · medium · elective"))
    page = change(page, say(link))
    (problem,) = rules.core(page)
    assert problem.endswith("the core needs 01_a_sample.ipynb, an elective; wanted that below")
    assert not list(rules.core(change(page, swap(link, f"## Going further\n\n{link}"))))
    path, _ = numbering.new(3, "Another", course)  # behind page 1, among the electives
    assert " · medium · elective" in path.read_text() and not list(rules.opening(Page(path)))
    change(Page(path), swap(" · elective", ""))  # and now it isn't as page 1
    both = toc.format("Electives: one", 1) + f"  - file: chapters/{path.stem}\n"
    (course / "_toc.yml").write_text(both)
    mixed = "_toc.yml:1: in 'Electives: one' only 1 say '· elective'; wanted all or none"
    assert mixed in contents.contents_problems(course)


def test_an_exercise_beside_its_section_counts_for_none_of_the_core(course):
    text, page = "word " * 1500, notebooks(course)[1]
    exercise = f"### Exercise 2.9: another (easy, 5 minutes)\n\n{text}\n\n### On"
    assert not list(rules.core(change(page, say(exercise))))
    assert list(rules.core(change(page, say(text))))


def test_a_stale_table_of_pages_is_named(course):
    assert not list(contents.table_problems(course))
    change(notebooks(course)[1], swap("the mean of some numbers", "a median"))
    readme, index = contents.table_problems(course)
    assert readme.startswith("README.md:") and index.startswith("index.md:") and "a median" in index


DRAWING = """<svg class="diagram" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 390 90">
<title>A box</title>
<rect x="1" y="1" width="9" height="9" class="box"/>
</svg>
"""


@pytest.mark.parametrize("old, new, message", [
    ("", "", ""), ('class="diagram"', 'class="old"', ""),
    ("390 90", "400 90", "wanted viewBox"), ("<title>A box</title>", "", "wanted <title>"),
    ('class="box"', 'id="box"', "no id"), ('class="box"', 'fill="red"', "classes for colours"),
    ('class="box"', 'style="stroke:#fff"', "classes for colours"),
    ('class="box"', 'font-size="9"', "for the size of text"),
])  # fmt: skip
def test_a_drawing_gets_the_style_and_keeps_the_rules(old, new, message, tmp_path):
    path = tmp_path / "chapters" / "figures" / "a.svg"
    path.parent.mkdir(parents=True)
    path.write_text(DRAWING.replace(old, new))
    drawings.write(tmp_path)
    assert [message in problem for problem in drawings.problems(tmp_path)] == [True] * bool(message)
    path.write_text(path.read_text().replace("}", ";}", 1))
    is_ours = 'class="diagram"' in path.read_text()
    assert any("not in the style" in problem for problem in drawings.problems(tmp_path)) == is_ours
