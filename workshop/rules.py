"""The house rules of a page, each a small function.

A rule takes a `Page` and yields problems: strings that begin with file, line, and cell, and say
what is wrong and what is wanted. CONTRIBUTING.md says what they are for. `test_rules.py` shows each
rule to fail on a page that breaks it.
"""

import ast
import base64
import builtins
import difflib
import re
import symtable
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise, zip_longest
from types import FunctionType

from live.bundle import SCRIPT
from workshop.contents import electives_of, is_elective
from workshop.measure import changed, given, needed
from workshop.page import (
    EQUATIONS,
    EXERCISES,
    FIGURES,
    ROOMS,
    Cell,
    Exercise,
    Page,
    markdown_files,
    notebooks,
    open_page,
)
from workshop.start import FOLDED, START_CELL, START_METADATA, colab_link, start_cell
from workshop.start import address as address_of
from workshop.store import first_difference, to_text
from workshop.wrong_answers import ASSERTED, file_of, wrong_answers

RULES: dict[str, FunctionType] = {}  # of a notebook, by name


def rule(function: FunctionType) -> FunctionType:
    RULES[function.__name__] = function
    return function


# ---------------------------------------------------------------- code

# What Colab has, and the course.
PACKAGES = {"torch", "numpy", "matplotlib", "seaborn", "nltk", "triton", "IPython"} | ROOMS
TAGS = {"hide-cell", "hide-input", "keep", "verify", "exercise", "check", "solution"}
TAGS |= {"nbval-ignore-output", "table", "data"}


@rule
def start(page: Page) -> Iterator[str]:
    """The first code cell is the start cell, word for word, folded in all three places."""
    first, expected = [*page.code, page.cells[0]][0], start_cell(page.root)
    if (first.source, first.metadata) != (expected, START_METADATA):
        pairs = zip_longest([*first.lines], expected.split("\n"), fillvalue="")
        j, line = next(((j, line) for j, (old, line) in enumerate(pairs, 1) if old != line), (1, ""))
        also = f", folded as {START_METADATA}" if first.metadata != START_METADATA else ""
        yield f"{first.at(j)}: wanted the start cell{also}: {line!r}"
    for cell in page.code[1:]:
        if cell.lines[0] == START_CELL.split("\n")[0]:
            yield f"{cell.at()}: a second start cell; wanted one, the first code cell"


@rule
def plain_python(page: Page) -> Iterator[str]:
    """A code cell is Python that runs outside Jupyter too: no `%magic`, no `!command`."""
    for cell in page.code:
        try:
            ast.parse(cell.source)
        except SyntaxError as error:
            yield f"{cell.at(error.lineno or 1)}: {error.msg}; wanted plain Python"


@rule
def imports(page: Page) -> Iterator[str]:
    """Only what Colab has, by name, and of what pages keep what this or an earlier one does."""
    earlier = {}
    for owner in notebooks(page.root):
        names = {name for name, _, _ in owner.kept()} if owner.number <= page.number else set()
        earlier.setdefault(f"taught.{owner.module}", set()).update(names)
    for cell in page.code[1:]:
        for node in ast.walk(cell.tree):
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            place, names = cell.at(node.lineno), {alias.name for alias in node.names}
            origin = getattr(node, "module", "") or ""  # a relative import has no package
            for module in {origin} if origin else names:
                if module.split(".")[0] not in PACKAGES | sys.stdlib_module_names:
                    yield f"{place}: imports {module!r}; wanted the standard library, or {sorted(PACKAGES)}"
            if earlier.keys() & (names if not origin else {f"{origin}.{name}" for name in names}):
                yield f"{place}: imports a module; wanted `from taught.attention import ...`"
            elif "*" in names:
                yield f"{place}: imports `*`; wanted the names"
            elif unknown := sorted(names - earlier.get(origin, names)):
                yield f"{place}: {unknown}, which no earlier page keeps in {origin}"


@rule
def tags(page: Page) -> Iterator[str]:
    """Only tags that something reads."""
    for cell in page.cells:
        for tag in cell.tags:
            if tag not in TAGS:
                yield f"{cell.at()}: the tag {tag!r} is unknown; wanted one of {sorted(TAGS)}"


DRAWS = (
    r"torch\.(rand|randn|randint)(_like)?",
    r"torch\.(randperm|normal|poisson)",
    r".+\.(bernoulli|multinomial)",  # also of a tensor's own
    r"(.+\.)?(dropout\w*|gumbel_softmax)",
    r"(.+\.)?(\w*(normal|uniform|bernoulli|random|exponential)|orthogonal|sparse)_",  # in place
    r"(torch\.)?nn\.(Linear|Bilinear|Embedding|GRU|LSTM|RNN)",  # the weights with which it begins
    r"(torch\.)?nn\.(Conv\w+|MultiheadAttention|Transformer\w*)",
    r"np\.random\.(?!default_rng)\w+",
    r"random\.(?!Random|seed)\w+",
)


@rule
def seeds(page: Page) -> Iterator[str]:
    """What a cell draws, it seeds; drawn on the CPU, so that every device sees the same."""
    for cell in page.code:
        seeded = re.search(r"\b(manual_seed|default_rng|random\.seed)\(\s*[^\s)]", cell.source)
        inside = {  # a definition draws when it is called, not here
            inner
            for node in ast.walk(cell.tree)
            if isinstance(node, (ast.FunctionDef, ast.Lambda))
            for inner in ast.walk(node)
        }
        for node in ast.walk(cell.tree):
            if not isinstance(node, ast.Call):
                continue
            called, place = ast.unparse(node.func), cell.at(node.lineno)
            if re.fullmatch("|".join(DRAWS), called):
                keywords = {word.arg for word in node.keywords}
                if not seeded and "generator" not in keywords and node not in inside:
                    yield f"{place}: {called} without a seed; wanted torch.manual_seed(...) or generator="
                if "device" in keywords:
                    yield f"{place}: {called} on a device; wanted a draw on the CPU, then .to(device)"


def literals(node: ast.AST) -> Iterator[tuple[ast.expr, int]]:
    """The outermost lists, tuples, dicts, sets and strings, and how many numbers each holds."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    if is_text or isinstance(node, (ast.Dict, ast.List, ast.Set, ast.Tuple)):
        values = " ".join(str(e.value) for e in ast.walk(node) if isinstance(e, ast.Constant))
        yield node, len(re.findall(r"(?<![\w.])\.?\d[\d.]*", values))
    else:
        for child in ast.iter_child_nodes(node):
            yield from literals(child)


@rule
def loose_numbers(page: Page) -> Iterator[str]:
    """No table of numbers that nothing computes or loads, but what is given and says so."""
    for cell in page.code:
        for node, count in literals(cell.tree) if "data" not in cell.tags else ():
            if count > 20:
                yield (
                    f"{cell.at(node.lineno)}: {count} numbers in one literal; wanted results from "
                    'stored(...), or the tag "data" where they are given and not measured'
                )


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Those of a cell and of its loops and branches; `for x in y` is `x = y`."""
    for node in body:
        if isinstance(node, ast.For):
            yield ast.copy_location(ast.Assign([node.target], node.iter), node)
        if isinstance(node, (ast.For, ast.While, ast.If, ast.With, ast.Try)):
            yield from statements([e for e in ast.iter_child_nodes(node) if isinstance(e, ast.stmt)])
        else:
            yield node


EMPTY = {"[]", "{}", "list()", "dict()", "set()"}


def typed(page: Page) -> set[str]:
    """The names of a page whose values stand in its text: nothing is computed for them."""
    unknown, needs = set(), {}
    for node in statements([node for cell in page.code for node in cell.tree.body]):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):  # when it is called
            unknown |= {node.name} | changed(ast.Module(node.body, []))
            unknown |= {n for e in ast.walk(node) if isinstance(e, ast.Global) for n in e.names}
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            unknown |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
            continue
        names = given(node) | changed(node)
        aim = node.value if isinstance(node, ast.Expr) else None
        while isinstance(aim, (ast.Attribute, ast.Subscript, ast.Call)):
            aim = aim.func if isinstance(aim, ast.Call) else aim.value
        names |= {aim.id} if isinstance(aim, ast.Name) else set()  # x.setdefault(1, []).append(2)
        later = isinstance(node, ast.Assign) and ast.unparse(node.value) in EMPTY  # it is filled
        if later or isinstance(node, ast.AugAssign):
            unknown |= names
        for name in names:
            needs.setdefault(name, set()).update(needed(node) - names - {*dir(builtins), "math"})
    constants = needs.keys() - unknown
    while wrong := {name for name in constants if needs[name] - constants}:
        constants -= wrong
    return constants


@rule
def typed_asserts(page: Page) -> Iterator[str]:
    """No assert compares what was typed with what was typed: nothing can make it fail."""
    constants = typed(page) | {*dir(builtins), "math"}
    for cell in page.code:
        for node in statements(cell.tree.body):
            if isinstance(node, ast.Assert) and needed(node) <= constants:
                yield (
                    f"{cell.at(node.lineno)}: only numbers that were typed are compared; wanted "
                    "one that the page computes, or loads with stored(...)"
                )


# ---------------------------------------------------------------- the form of a page


@rule
def title(page: Page) -> Iterator[str]:
    """The first cell begins with `# N. Title`, N the number of the file; no other is so large."""
    first, line = page.cells[0], page.cells[0].lines[0]
    if first.kind != "markdown" or not re.fullmatch(rf"# {page.number}\. \S.*", line):
        yield f"{first.at()}: the page begins with {line!r}; wanted '# {page.number}. Title'"
    above = 0
    for cell, j, level, text, _ in page.headings:
        if level == 1 and (cell, j) != (first, 1):
            yield f"{cell.at(j)}: a second title, {text!r}; wanted ## or ###"
        elif level > above + 1:
            yield f"{cell.at(j)}: {text!r} leaves a level out; wanted {'#' * (above + 1)}"
        above = level


@rule
def opening(page: Page) -> Iterator[str]:
    """Above the start cell: link to Colab, what one will build, and minutes that add up."""
    link = f"[Open in Colab]({colab_link(page)})"
    core_minutes = sum(exercise.minutes for exercise in page.exercises if exercise.core)
    further = sum(exercise.minutes for exercise in page.exercises if not exercise.core)
    minutes = page.said(r" · going further (\d+) · ")
    if page.further and int(minutes or -1) < further:
        yield f"{page.cells[0].at()}: wanted minutes of going further, {further} or more"
    if minutes and not page.further:
        yield f"{page.cells[0].at()}: going further {minutes}; wanted a heading '## Going further'"
    for pattern, requirement in (
        (re.escape(link), f"the link {link}"),
        (
            rf"(?m)^\[Open in Colab\].* · core \d+ minutes, exercises {core_minutes} · (going further \d+ · )?"
            r"(easy|medium|hard)( · elective)?$",
            f"· core 30 minutes, exercises {core_minutes} · going further 20 · medium",
        ),
        (r"\*\*You will build\*\* .+?\.\s", "'**You will build** ...', a sentence"),
        ("> [*][*]On this page", "a quote '> **On this page**', the box of the page"),
    ):
        if not re.search(pattern, page.opening):
            yield f"{page.cells[0].at()}: wanted, above the first code in sight, {requirement}"


@rule
def core(page: Page) -> Iterator[str]:
    """Above "Going further" few words, without exercises and folds, and no need of an elective."""
    text = "\n".join(line for cell in page.texts for j, line in enumerate(cell.prose, 1) if page.is_core(cell, j))
    aside = r"<details>(?s:.*?)</details>|^##\s*Exercises$(?s:.*?)(?=^##\s*[^#\s]|\Z)|</?\w[^>]*>"
    aside += r"|^###\s*Exercise (?s:.*?)(?=^##|\Z)"  # beside the section that it is about
    count = len(re.findall(r"[^\W\d_][\w'-]*", re.sub(aside, "", text, flags=re.MULTILINE)))
    most = 2000 if int(page.said(r"core (\d+) minutes") or 0) >= 45 else 1500  # as it says itself
    if count > most:
        yield f"{page.cells[0].at()}: a core of {count} words; wanted at most {most}"
    electives = [] if is_elective(page) else [p.path.name for p in electives_of(page.root)]
    for cell in page.texts:
        for j, token in cell.pieces:
            target = (token.attrGet("href") or "").partition("#")[0]
            if target in electives and page.is_core(cell, j):
                yield f"{cell.at(j)}: the core needs {target}, an elective; wanted that below"


@rule
def folded(page: Page) -> Iterator[str]:
    """A cell that is folded in one place is folded in all three, and says what it is."""
    for cell in page.code:
        if "solution" in cell.tags or not {"hide-cell", "hide-input", "verify"} & {*cell.tags}:
            continue
        is_check = "verify" in cell.tags
        prefix = "# @title Checked: " if is_check else "# @title "
        if not cell.lines[0].startswith(prefix):
            yield f"{cell.at()}: {cell.lines[0]!r}; wanted '{prefix}...', which says what is folded"
        if is_check and (cell.outputs or not re.search(r"\bassert", cell.source)):
            yield f"{cell.at()}: tagged verify; wanted an assert in it, and no output"
        if is_check and len(cell.lines[0].split()) > 15:  # `# @title Checked:` and 12 words
            yield f"{cell.at()}: {cell.lines[0]!r} is long; wanted a claim of at most 12 words"
        if {key: cell.metadata.get(key) for key in FOLDED} != FOLDED:
            yield f"{cell.at()}: folded in the book alone; wanted {FOLDED} in its metadata"


@rule
def folds(page: Page) -> Iterator[str]:
    """Each <details> is closed in its cell and holds a <summary>, a blank line, and text."""
    for cell in page.texts:
        text = "\n".join(cell.prose)
        for match in re.finditer(r"<details>(?s:(?!<details>).)*?</details>|</?details>", text):
            place = cell.at(text.count("\n", 0, match.start()) + 1)
            if match[0] in ("<details>", "</details>"):
                yield f"{place}: {match[0]} without the other; wanted both in this cell"
            elif not re.fullmatch(r"<details>\s*<summary>[^<$\n]+</summary>\n\n\s*\S(?s:.*)\n\n</details>", match[0]):
                yield f"{place}: wanted <summary>...</summary>, a blank line, text, a blank line"


@rule
def width(page: Page) -> Iterator[str]:
    """Code in sight fits into the column of the book and of Colab, without a scroll bar."""
    for cell in page.code[1:]:
        for j, line in enumerate(cell.lines, 1):
            if len(line) > 84 and not {"hide-cell", "hide-input", "verify"} & {*cell.tags}:
                yield f"{cell.at(j)}: {len(line)} characters; wanted at most 84 in sight"


# ---------------------------------------------------------------- exercises


BLOCKS = (ast.For, ast.With, ast.If, ast.Try)


def names_given(tree: ast.AST) -> set[str]:
    """The names to which some code gives a value outside its functions."""
    table = symtable.symtable(ast.unparse(tree), "page", "exec")
    return {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned()} - {"_"}


def names_taken(cell: Cell) -> set[str]:
    """The names whose values a cell takes from the cells before it."""
    own, taken = set(), set()
    for node in cell.tree.body:
        inside = names_given(node) if isinstance(node, BLOCKS) else set()
        read = {e.id for e in ast.walk(node) if isinstance(e, ast.Name) and isinstance(e.ctx, ast.Load)}
        taken |= read & needed(node) - (own | inside)
        own |= names_given(node)
    return taken


HIDDEN = {"hide-cell", "hide-input", "verify", "check", "solution"}


@rule
def quiet_checks(page: Page) -> Iterator[str]:
    """A check gives no new value to a name of a cell in sight that is run again, or read later."""
    code = page.code[1:]
    names = [names_given(cell.tree) for cell in code]
    taken = cache(lambda j: names_taken(code[j]))
    in_sight = [not HIDDEN & {*cell.tags} for cell in code]

    def owner(name: str, k: int) -> int | None:
        """The last cell in sight above the k-th that gives the name a value."""
        return next((j for j in range(k - 1, -1, -1) if in_sight[j] and name in names[j]), None)

    for k, cell in enumerate(code):
        for name in sorted(names[k]) if "verify" in cell.tags else []:
            if (whose := owner(name, k)) is None:
                continue
            readers = [
                other.number
                for j, other in enumerate(code)
                if (in_sight[j] or j == k) and j != whose
                if re.search(rf"\b{name}\b", other.source)
                if owner(name, j) == whose and name in taken(j)
            ]
            if readers:
                line = next(n.lineno for n in cell.tree.body if name in names_given(n))
                yield (
                    f"{cell.at(line)}: gives {name!r} of cell [{code[whose].number}] a new value, and "
                    f"cell [{readers[0]}] reads it; wanted another name, or a function"
                )


@rule
def exercise_parts(page: Page) -> Iterator[str]:
    """Numbered and titled; a check, a stub and a solution; a folded hint; why, and the mistake."""
    for k, exercise in enumerate(page.exercises, 1):
        expected = f"Exercise {page.number}.{k}: "
        kinds = r"\S.* \((easy|medium|hard), \d+ minutes\)"
        if not re.fullmatch(re.escape(expected) + kinds, exercise.heading):
            expected += "title (easy, 5 minutes)"  # or medium, or hard
            yield f"{exercise.at}: {exercise.heading!r}; wanted '{expected}'"
        if not exercise.is_whole:
            yield f"{exercise.at}: tags {exercise.parts}; wanted one each of {Exercise.PARTS}"
            continue
        if not re.search(r"<details>\s*<summary>Hint", exercise.before):
            yield f"{exercise.at}: no hint; wanted <details><summary>Hint</summary> ... </details>"
        if "mistake" not in exercise.after:
            place = exercise.cell("solution").at()
            yield f"{place}: wanted, below, why it works and the usual mistake"
    inside = [cell for exercise in page.exercises for cell in exercise.code]
    for cell in page.code:
        if {*Exercise.PARTS} & {*cell.tags} and not any(cell is c for c in inside):
            yield f"{cell.at()}: tagged {cell.tags}; wanted that only below an exercise's heading"


def definitions(cell: Cell) -> dict[str, ast.stmt]:
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name: node for node in cell.tree.body if isinstance(node, kinds)}


def whole(page: Page) -> list[Exercise]:
    return [exercise for exercise in page.exercises if exercise.is_whole]


def unrun(page: Page) -> list[Cell]:
    """The cells that a page was saved with before they had run, or with their outputs cleared."""
    stubs = [exercise.cell("exercise") for exercise in whole(page)]
    counts = [c.get("execution_count") for c in page.notebook["cells"] if c["cell_type"] == "code"]
    waits = [cell for cell, count in zip(page.code, counts) if count is None]
    numbers = [cell.number for cell in waits]
    return waits + [cell for cell in stubs if not cell.outputs and cell.number not in numbers]


@rule
def ran(page: Page) -> Iterator[str]:
    """Each cell has run. (JupyterLab may save a page in the middle of a run.)"""
    if cells := unrun(page):
        labels = ", ".join(f"[{cell.number}]" for cell in cells)
        yield (
            f"{cells[0].at()}: saved before {labels} had run: `git restore {page.name}` where you "
            f"changed nothing, or else `make page P={page.number:02}`"
        )


@rule
def exercise_stub(page: Page) -> Iterator[str]:
    """The stub runs untouched, and has printed exactly "not yet"."""
    for exercise in whole(page):
        cell = exercise.cell("exercise")
        if not definitions(cell):
            yield f"{cell.at()}: wanted a function (or class) to complete"
        if cell in unrun(page):
            continue
        printed = "".join("".join(out.get("text", "another output")) for out in cell.outputs)
        if printed != "not yet\n":
            yield f"{cell.at_output()}: the stub has printed {printed!r}; wanted 'not yet'"


@rule
def solution(page: Page) -> Iterator[str]:
    """Titled, folded in all three places, asserted to be right, and defining what the stub does."""
    expected = {"tags": ["hide-cell", "solution"], **FOLDED}
    for exercise in whole(page):
        cell, first = exercise.cell("solution"), f"# @title Solution {exercise.number}"
        if exercise.number and cell.lines[0] != first:
            yield f"{cell.at()}: the solution begins {cell.lines[0]!r}; wanted {first!r}"
        metadata = cell.metadata | {"tags": sorted(set(cell.tags) - {"nbval-ignore-output"})}
        if metadata != expected:
            yield f"{cell.at()}: the solution has the metadata {cell.metadata}; wanted {expected}"
        if not ASSERTED.search(cell.source):
            yield f'{cell.at(len(cell.lines))}: wanted assert check_...(...) == "right"'
        for name in definitions(exercise.cell("exercise")).keys() - definitions(cell).keys():
            yield f"{cell.at()}: the solution does not define {name!r}; wanted it to"


@rule
def answers(page: Page) -> Iterator[str]:
    """Each exercise has plausible wrong answers, in tests/wrong_answers, tried on its check."""
    try:
        attempts = wrong_answers(page)
    except ValueError as error:
        yield str(error)
        return
    name = file_of(page).relative_to(page.root).as_posix()
    for exercise in whole(page):
        if exercise.number and exercise.number not in {answer.exercise for answer in attempts}:
            yield f"{exercise.at}: no wrong answers to exercise {exercise.number}; wanted a few in {name}"
    numbers = [exercise.number for exercise in page.exercises]
    for answer in attempts:
        defined = rf"\b(def|class) {answer.check[:-1].partition('(')[2]}\b"
        if answer.exercise not in numbers and None not in numbers:
            yield f"{answer.at}: there is no exercise {answer.exercise}; wanted one of {numbers}"
        elif answer.check and not re.search(defined, answer.code):
            yield f"{answer.at}: wanted a definition of what {answer.check} takes"


# ---------------------------------------------------------------- outputs

SHOWN = re.compile(r"\b(show\w*|live\.\w+)\(")
MACHINE = re.compile(r"(?<![\w.])/(home|root|tmp|work|Users|content|private|mnt)/|[A-Z]:\\Users\\|\b0x[0-9a-f]{8,}")


def images(page: Page) -> Iterator[tuple[Cell, dict, str]]:
    """(cell, output, MIME type) of each image that is stored in the page."""
    for cell in page.code:
        for output in cell.outputs:
            for kind in output.get("data", {}):
                if kind.startswith("image/") or "diagram" in output["metadata"].get(kind, {}):
                    yield cell, output, kind


@rule
def image_source(page: Page) -> Iterator[str]:
    """An image comes from `show(fig, alt)` or `show_diagram`, which ask for its sentence; at most 60 kB."""
    for cell, output, kind in images(page):
        data = "".join(output["data"][kind])
        size = len(base64.b64decode(data)) if kind == "image/png" else len(SCRIPT.sub("", data))
        if size > 60_000:
            yield f"{cell.at_output()}: an image of {size} bytes; wanted at most 60000"
        elif not SHOWN.search(cell.source):
            yield f"{cell.at()}: an image without show(fig, alt); wanted a call of it in the cell"


@rule
def captions(page: Page) -> Iterator[str]:
    """Each figure has a number and, below it, a caption: `**Figure 3.1.** ...`."""
    figures = [cell for cell, _, _ in images(page) if "solution" not in cell.tags]
    number = 0
    for cell, below in pairwise([*page.cells, page.cells[-1]]):
        if any(cell is figure for figure in figures) and SHOWN.search(cell.source):
            number += 1
            expected = f"**Figure {page.number}.{number}.** "
            if not below.source.startswith(expected):
                yield f"{cell.at()}: a figure without a caption; wanted {expected!r} in the cell below"


@rule
def ignored_outputs(page: Page) -> Iterator[str]:
    """What is not compared is asserted, in the cell or in the next one."""
    for cell, following in pairwise([*page.code, *page.code[-1:]]):
        if "nbval-ignore-output" in cell.tags and not re.search(r"\bassert", cell.source + following.source):
            yield f"{cell.at()}: nbval-ignore-output; wanted an assert, here or in the next cell"


@rule
def clean_outputs(page: Page) -> Iterator[str]:
    """Nothing on stderr; no path, no address of an object, that another machine would not have."""
    for cell in page.code:
        for output in cell.outputs:
            if output.get("name") == "stderr":
                place = cell.at_output('"stderr"')
                yield f"{place}: stderr, {''.join(output['text'])!r}; wanted none"
            data = output.get("data", {})
            for text in (output.get("text", ""), data.get("text/plain"), data.get("text/html")):
                if match := MACHINE.search("".join(text or "")):
                    place = cell.at_output(match[0])
                    yield f"{place}: {match[0]!r} is of this machine; wanted none of it"


@rule
def normal_form(page: Page) -> Iterator[str]:
    """The file is in normal form: what `make pages` writes, and no other byte."""
    if not unrun(page):
        yield from first_difference(page.name, page.text, to_text(page.notebook))


# ---------------------------------------------------------------- text

# Colab and JupyterLab show these as they stand. MyST is for .md pages.
MYST = (
    r"^\s*(`{3,}|~{3,})\s*\{",  # a directive
    r"^\s*:{3,}",
    r"\{[A-Za-z][\w:.-]*\}`",  # a role
    r"^\([\w:.-]+\)=\s*$",  # a target
    r"\[\^[^\]]+\]",  # a footnote
    r"^\s*>\s*\[!\w+\]",  # a note of GitHub's
    r"^%|^\+\+\+",  # a comment, a block break
    r"\{\{.*?\}\}",  # a substitution
)


@rule
def no_myst(page: Page) -> Iterator[str]:
    """Text is plain Markdown: headings, lists, tables, links, images, <details>, quotes."""
    for cell in page.texts:
        for j, line in enumerate(cell.prose, 1):
            if match := re.search("|".join(MYST), line):
                yield f"{cell.at(j)}: {match[0].strip()!r} of MyST; wanted plain Markdown"


@rule
def display_formulas(page: Page) -> Iterator[str]:
    """A display formula stands on one line: `$$ ... $$`."""
    for cell in page.texts:
        for j, token in cell.pieces:
            in_words = token.type == "text" and "$$" in token.content
            if in_words or token.type in ("math_inline_double", "math_block"):
                if not re.fullmatch(r" *\$\$ [^$]+ \$\$", cell.lines[j - 1]):
                    yield f"{cell.at(j)}: wanted a line of its own, `$$ ... $$`, for the formula"


def equation_tags(page: Page) -> Iterator[tuple[Cell, int, str]]:
    """(cell, line, tag) of every numbered formula."""
    for cell in page.texts:
        for j, token in cell.pieces:
            if token.type.startswith("math"):
                for tag in re.findall(r"\\tag\{([^}]*)\}", token.content):
                    yield cell, j, tag


@rule
def equation_numbers(page: Page) -> Iterator[str]:
    """Formulas are numbered N.1, N.2, ..., N the number of the page; so none has two."""
    for k, (cell, j, tag) in enumerate(equation_tags(page), 1):
        if tag != f"{page.number}.{k}":
            expected = rf"\tag{{{page.number}.{k}}}" if page.number else "no number outside a page"
            yield rf"{cell.at(j)}: \tag{{{tag}}}; wanted {expected}"


def numbers_of(pages: list[Page], above: bool = False) -> dict[str, set[str]]:
    """The numbers of all equations, figures and exercises of some pages, or of those above the line."""
    numbers = {EQUATIONS: set(), FIGURES: set(), EXERCISES: set()}
    for page in pages:
        for cell, j, tag in equation_tags(page):
            if not above or page.is_core(cell, j):
                numbers[EQUATIONS].add(tag)
        for cell in page.texts:
            for j, line in enumerate(cell.lines, 1):
                if not above or page.is_core(cell, j):
                    numbers[FIGURES] |= {*re.findall(r"\*\*Figure (\d+\.\d+)\.\*\*", line)}
                    numbers[EXERCISES] |= {*re.findall(r"^#+ Exercise (\d+\.\d+):", line)}
    return numbers


@rule
def references(page: Page) -> Iterator[str]:
    """Each "equation (N.k)", "Figure N.k" and "exercise N.k" is in the book, and a core's in a core."""
    all_numbers = numbers_of(notebooks(page.root) + markdown_files(page.root))
    cores = [p for p in notebooks(page.root) if not is_elective(p)]
    above = numbers_of(cores, above=True)
    for cell in page.cells:
        text = cell.source if cell.kind == "code" else "\n".join(cell.prose)
        for kind, numbers in all_numbers.items():
            for match in re.finditer(kind, text):
                j = text.count("\n", 0, match.start()) + 1
                in_core = cell.kind == "markdown" and not is_elective(page) and page.is_core(cell, j)
                for number in re.findall(r"\d+\.\d+", match[0]):
                    words = match[0].split()[0].lower().removesuffix("s")
                    if number not in numbers:
                        yield f"{cell.at(j)}: there is no {words} {number}"
                    elif in_core and page.further and number not in above[kind]:
                        yield f"{cell.at(j)}: the core needs {words} {number}; wanted that above a line"


@rule
def builds_on_cores(page: Page) -> Iterator[str]:
    """Code in sight in a core uses of earlier pages what they keep in sight in their cores."""
    if is_elective(page):
        return
    above, below = set(), {}
    for owner in notebooks(page.root):
        for name, cell, _ in owner.kept():
            origin = f"taught.{owner.module}", name
            if not is_elective(owner) and owner.is_core(cell):
                above.add(origin)
            else:
                below[origin] = owner.number
    imported = {}
    for cell in page.code:
        for node in cell.tree.body:
            if isinstance(node, ast.ImportFrom):
                imported |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    for cell in page.code:
        if page.is_core(cell) and not {"hide-input", "hide-cell", "verify"} & {*cell.tags}:
            for name in sorted(needed(cell.tree) & imported.keys()):
                if imported[name] in below.keys() - above:
                    number = below[imported[name]]
                    yield f"{cell.at()}: needs {name}, below the line of page {number} or on an elective"


@rule
def links(page: Page) -> Iterator[str]:
    """A link to a file of the course finds the file, and the heading in it."""
    for cell in page.texts:
        for j, token in cell.pieces:
            targets = [(j, token.attrGet("href") or token.attrGet("src"))]
            if token.type in ("html_inline", "html_block"):
                for match in re.finditer(r'(?:href|src)="([^"]+)"', token.content):
                    targets.append((j + token.content.count("\n", 0, match.start()), match[1]))
            for line, target in targets:
                if target and (problem := broken(page, target)):
                    yield f"{cell.at(line)}: link to {target!r}: {problem}"


def broken(page: Page, target: str) -> str | None:
    """Why a link of the page leads nowhere, or None."""
    prefix = rf"{re.escape(address_of(page.root))}/(?:blob|tree|raw)/[\w.-]+/"
    folder = page.root if re.match(prefix, target) else page.path.parent
    name, _, anchor = re.sub(f"^{prefix}", "", target).partition("#")
    if re.match(r"[a-z][a-z0-9+.-]*:", name):
        return None
    path = (folder / name).resolve() if name else page.path
    if not path.exists() or not path.is_relative_to(page.root):
        return "there is no such file; wanted one of the course"
    if anchor and path.suffix in (".md", ".ipynb"):
        anchors = open_page(path).anchors
        if anchor not in anchors:
            nearest = ", ".join(difflib.get_close_matches(anchor, anchors, 3, 0))
            return f"no such heading; wanted one there is, such as {nearest}"
    return None


def problems(page: Page) -> Iterator[str]:
    """All that is wrong with a page, or an .md file."""
    of_text = (equation_numbers, references, links)
    for check in RULES.values() if page.is_notebook else of_text:
        yield from check(page)
