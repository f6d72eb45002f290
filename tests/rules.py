"""The house rules of a page, each a small function.

A rule takes a `Page` and yields problems: strings that begin with file, line, and cell, and say
what is wrong and what is wanted. `test_pages.py` holds every page to every rule, and shows each
rule to fail on a page that breaks it.
"""

import ast
import base64
import difflib
import inspect
import json
import re
import statistics
from itertools import groupby
from types import SimpleNamespace

from tests import pages

RULES = {}  # of a notebook, by name
TEXT_RULES = {}  # of an .md file as well


def rule(function):
    RULES[function.__name__] = function
    return function


def text_rule(function):
    TEXT_RULES[function.__name__] = function
    return rule(function)


# ---------------------------------------------------------------- code

ALLOWED_IMPORTS = {"torch", "numpy", "matplotlib", "seaborn", "math", "time", "utils"}
ALLOWED_ON_PAGE = {10: {"contextlib"}, 11: {"collections", "contextlib", "nltk"}, 14: {"sklearn"}}
TAGS = {
    "hide-cell", "hide-input", "keep", "exercise", "check", "solution",
    "nbval-ignore-output", "raises-exception",
}
COLUMNS, LINES, KEPT_LINES, MEDIAN_LINES = 88, 30, 45, 8


@rule
def start_cell(page):
    """The first code cell is the start cell, word for word, folded in all three places."""
    wanted = pages.start_cell(page.root).split("\n")
    if not page.code:
        yield f"{page.name}:1: no code cell; wanted the start cell"
        return
    first, *others = page.code
    for j, line in enumerate(wanted, 1):
        found = first.lines[j - 1] if j <= len(first.lines) else "nothing"
        if found != line:
            yield f"{first.at(j)}: the start cell says {found!r}; wanted {line!r}"
            break
    else:
        if len(first.lines) > len(wanted):
            yield f"{first.at(len(wanted) + 1)}: wanted nothing more in the start cell"
    if first.metadata != pages.START_METADATA:
        yield (f"{first.at()}: the start cell has the metadata {first.metadata}; "
               f"wanted {pages.START_METADATA}")
    for cell in others:
        if cell.lines[0] == wanted[0]:
            yield f"{cell.at()}: a second start cell; wanted one, the first code cell"


@rule
def plain_python(page):
    """A code cell is Python that runs outside Jupyter too: no `%magic`, no `!command`."""
    for cell in page.code:
        try:
            ast.parse(cell.source)
        except SyntaxError as error:
            yield f"{cell.at(error.lineno or 1)}: {error.msg}; wanted plain Python"


@rule
def imports(page):
    """Only what Colab has, by name, and from utils.attention what an earlier page keeps."""
    allowed = ALLOWED_IMPORTS | ALLOWED_ON_PAGE.get(page.number, set())
    earlier = {
        name for other in pages.notebooks(page.root) if other.number < page.number
        for name, _, _ in other.kept()
    }
    for cell in page.code[1:]:
        for node in ast.walk(cell.tree):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = ["." * node.level + (node.module or "")]
            else:
                continue
            place = cell.at(node.lineno)
            for module in modules:
                if module.split(".")[0] not in allowed:
                    yield f"{place}: imports {module!r}; wanted one of {sorted(allowed)}"
            if modules == ["utils.attention"]:
                names = [alias.name for alias in getattr(node, "names", [])]
                if isinstance(node, ast.Import):
                    yield f"{place}: imports a module; wanted `from utils.attention import ...`"
                    continue
                for name in names:
                    if name != "*" and name not in earlier:
                        yield (f"{place}: imports {name!r}, which no earlier page keeps; "
                               f"wanted one of {sorted(earlier)}")
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                yield f"{place}: imports `*`; wanted the names"


@rule
def cell_length(page):
    """At most 30 lines of 88 columns; a cell that is kept for later pages 45."""
    for cell in page.code:
        limit = KEPT_LINES if "keep" in cell.tags else LINES
        if len(cell.lines) > limit:
            yield f"{cell.at(limit + 1)}: {len(cell.lines)} lines; wanted at most {limit}"
        for j, line in enumerate(cell.lines, 1):
            if len(line) > COLUMNS:
                yield f"{cell.at(j)}: {len(line)} columns; wanted at most {COLUMNS}"


@rule
def median_length(page):
    """Half of the code cells have at most 8 lines, blank ones not counted."""
    lengths = [sum(bool(line) for line in cell.lines) for cell in page.code]
    if lengths and (median := statistics.median(lengths)) > MEDIAN_LINES:
        longest = max(page.code, key=lambda cell: len(cell.lines))
        yield (f"{longest.at()}: the longest of the page's code cells, whose median is {median} "
               f"lines; wanted a median of at most {MEDIAN_LINES}")


@rule
def text_between(page):
    """Between any two code cells stands text."""
    for above, cell in zip(page.cells, page.cells[1:]):
        if above.kind == cell.kind == "code":
            yield f"{cell.at()}: directly below another code cell; wanted text between them"


@rule
def tags(page):
    """Only tags that something reads; each once."""
    for cell in page.cells:
        for tag in cell.tags:
            if tag not in TAGS:
                yield f"{cell.at()}: the tag {tag!r} is unknown; wanted one of {sorted(TAGS)}"
        if len(set(cell.tags)) < len(cell.tags):
            yield f"{cell.at()}: a tag stands twice in {cell.tags}; wanted each once"
        # Strict nbval compares errors, and the normal form stores none.
        if "raises-exception" in cell.tags and "nbval-ignore-output" not in cell.tags:
            yield f"{cell.at()}: raises-exception; wanted nbval-ignore-output beside it"


DRAWS = {"rand", "randn", "randint", "randperm", "normal", "bernoulli", "multinomial"}


@rule
def seeds(page):
    """What a cell draws, it seeds; drawn on the CPU, so that every device sees the same."""
    for cell in page.code:
        seeded = re.search(r"\b(manual_seed|default_rng)\(", cell.source)
        inside = {  # a definition draws when it is called, not here
            inner for node in ast.walk(cell.tree)
            if isinstance(node, (ast.FunctionDef, ast.Lambda)) for inner in ast.walk(node)
        }
        for node in ast.walk(cell.tree):
            if not isinstance(node, ast.Call):
                continue
            called, keywords = ast.unparse(node.func), {word.arg for word in node.keywords}
            if re.fullmatch(rf"torch\.({'|'.join(DRAWS)})|np\.random\.(?!default_rng)\w+", called):
                if not seeded and "generator" not in keywords and node not in inside:
                    yield (f"{cell.at(node.lineno)}: {called} without a seed; wanted "
                           "torch.manual_seed(...) in this cell, or generator=...")
                if "device" in keywords:
                    yield (f"{cell.at(node.lineno)}: {called} draws on a device; wanted "
                           "a draw on the CPU, then .to(device)")


# ---------------------------------------------------------------- the frame of a page


@rule
def title(page):
    """The first cell begins with `# N. Title`, N the number of the file; no other is so large."""
    first, line = page.cells[0], page.cells[0].lines[0]
    if first.kind != "markdown" or not re.fullmatch(rf"# {page.number}\. \S.*", line):
        yield f"{first.at()}: the page begins with {line!r}; wanted '# {page.number}. Title'"
    for cell, j, level, text in page.headings():
        if level == 1 and (cell, j) != (first, 1):
            yield f"{cell.at(j)}: a second title, {text!r}; wanted ## or ###"


@rule
def opening(page):
    """Above the start cell: the link to Colab, three short lists, the minutes on 2 cores."""
    above = [cell for cell in page.texts if cell.number == 0]
    text = "\n".join(cell.source for cell in above)
    place = page.cells[0].at()
    wanted = f"[Open this page on Colab]({pages.colab_link(page)})"
    if wanted not in text.split("\n"):
        where = [cell.at(j) for cell in above for j, line in enumerate(cell.lines, 1)
                 if "colab.research.google.com" in line]
        yield f"{where[0] if where else place}: wanted the line {wanted}"
    for label in ("What you will do", "What you can do after", "What you need"):
        if not re.search(rf"(?m)^\*\*{label}\*\*\n\n?- ", text):
            yield f"{place}: wanted **{label}** above a list"
    if not re.search(r"\d+ (seconds?|minutes?)\b[^.]* on 2 cores", text):
        yield f"{place}: wanted how many minutes (or seconds) the page takes on 2 cores"


ENDING = ["Exercises", "Summary", "Questions", "Next"]


@rule
def ending(page):
    """The last sections are Exercises, Summary, Questions, Next."""
    sections = [(cell, j, text) for cell, j, level, text in page.headings() if level == 2]
    for (cell, j, text), wanted in zip(sections[-4:], ENDING):
        if text != wanted:
            yield f"{cell.at(j)}: section {text!r}; wanted {wanted!r}, of the last four {ENDING}"
            return
    if len(sections) < 4:
        yield f"{page.cells[-1].at()}: {len(sections)} sections; wanted {ENDING} at the end"


def section(page, title):
    """The blocks of the section with this title: (cell, first line, text); empty if none."""
    inside, found = False, []
    for cell, j, text in blocks(page):
        if re.match(r"##? ", text) and cell.kind == "markdown":
            inside = text.split("\n")[0] == f"## {title}"
        if inside:
            found.append((cell, j, text))
    return found


def blocks(page):
    """The cells, text cells cut above each heading: (cell, first line, text)."""
    for cell in page.cells:
        cuts = [j for other, j, _, _ in page.headings() if other is cell]
        cuts = sorted({1, *cuts}) if cell.kind == "markdown" else [1]
        for start, stop in zip(cuts, [*cuts[1:], len(cell.lines) + 1]):
            yield cell, start, "\n".join(cell.lines[start - 1:stop - 1])


@rule
def summary(page):
    """The summary has 3 to 5 sentences."""
    if found := section(page, "Summary"):
        text = "\n".join(text for cell, _, text in found if cell.kind == "markdown")
        text = pages.blank_code(text.partition("\n")[2], formulas=True)
        count = len(re.findall(r"(?<!e\.g)(?<!i\.e)[.!?][)\"'*]*(?=\s|$)", text))
        if not 3 <= count <= 5:
            cell, j, _ = found[0]
            yield f"{cell.at(j)}: the summary has {count} sentences; wanted 3 to 5"


@rule
def questions(page):
    """2 or 3 questions, each with a folded answer."""
    found = section(page, "Questions")
    count = sum(text.count("<details>") for _, _, text in found)
    if found and not 2 <= count <= 3:
        cell, j, _ = found[0]
        yield f"{cell.at(j)}: {count} folded answers; wanted 2 or 3 questions with one each"


@rule
def folds(page):
    """Each <details> is closed in its cell and holds a <summary>, a blank line, and text."""
    for cell in page.texts:
        text, opened = "\n".join(cell.prose), "<details>"
        for match in re.finditer(opened, text):
            j = text.count("\n", 0, match.start()) + 1
            inside, closed, _ = text[match.end():].partition("</details>")
            if not closed or opened in inside:
                yield f"{cell.at(j)}: <details> is not closed; wanted </details> in this cell"
            elif not re.match(r"\s*<summary>[^<\n]+</summary>\n\n\s*\S(?s:.*)\n\n$", inside):
                yield (f"{cell.at(j)}: wanted <summary>...</summary>, a blank line, text, "
                       "a blank line, </details>")
        for match in re.finditer("</details>", text):
            if text.count(opened, 0, match.start()) < text.count("</details>", 0, match.end()):
                j = text.count("\n", 0, match.start()) + 1
                yield f"{cell.at(j)}: </details> closes nothing; wanted <details> above it"


# ---------------------------------------------------------------- exercises


def exercises(page):
    """The exercises of a page: heading, place, and the blocks below the heading."""
    found = []
    for cell, j, text in section(page, "Exercises"):
        if cell.kind == "markdown" and text.startswith("#"):
            if text.startswith("## "):
                continue
            found.append(SimpleNamespace(heading=text.split("\n")[0], at=cell.at(j), blocks=[]))
        if found:
            found[-1].blocks.append((cell, j, text))
    return found


SHAPE = ["text", "check", "text", "exercise", "text", "solution", "text"]


def shape(exercise):
    """The kinds of the exercise's blocks, for example `SHAPE`."""
    kinds = [
        "text" if cell.kind == "markdown"
        else next((tag for tag in ("check", "exercise", "solution") if tag in cell.tags), "code")
        for cell, _, _ in exercise.blocks
    ]
    return [kind for kind, group in groupby(kinds)
            for _ in ([0] if kind == "text" else group)]


def well_shaped(page):
    """(question, check, turn, stub, hint, solution, why) of the exercises in the right shape."""
    for exercise in exercises(page):
        if shape(exercise) == SHAPE:
            groups = groupby(exercise.blocks, key=lambda block: block[0].kind)
            yield [list(group)[0] if kind == "code" else text_block(list(group))
                   for kind, group in groups]


def text_block(several):
    """Neighbouring text blocks as one."""
    cell, j, _ = several[0]
    return cell, j, "\n\n".join(text for _, _, text in several)


@rule
def exercise_headings(page):
    """3 to 5 exercises, `### Exercise N.k: title (easy, 5 minutes)`, in order."""
    found = exercises(page)
    for k, exercise in enumerate(found, 1):
        wanted = rf"### Exercise {page.number}\.{k}: \S.* \((easy|medium|hard), \d+ minutes\)"
        if not re.fullmatch(wanted, exercise.heading):
            yield (f"{exercise.at}: {exercise.heading!r}; wanted '### Exercise {page.number}.{k}: "
                   "title (easy, 5 minutes)', with easy, medium or hard")
    for cell, j, _ in section(page, "Exercises")[:1]:
        if not 3 <= len(found) <= 5:
            yield f"{cell.at(j)}: {len(found)} exercises; wanted 3 to 5"


@rule
def exercise_shape(page):
    """Question, check, text, stub, folded hint, solution, and the reason with the mistake."""
    for exercise in exercises(page):
        if (found := shape(exercise)) != SHAPE:
            yield f"{exercise.at}: the exercise is {found}; wanted {SHAPE}"
    for *_, (hint, i, hint_text), _, (why, j, why_text) in well_shaped(page):
        if not re.search(r"<details>\s*<summary>Hint", hint_text):
            yield f"{hint.at(i)}: no hint; wanted <details><summary>Hint</summary> ... </details>"
        if "mistake" not in why_text:
            yield f"{why.at(j)}: wanted why the solution works, and the usual mistake"
    inside = {id(cell) for exercise in exercises(page) for cell, _, _ in exercise.blocks}
    for cell in page.code:
        for tag in {"check", "exercise", "solution"} & set(cell.tags):
            if id(cell) not in inside:
                yield f"{cell.at()}: tagged {tag!r}; wanted that only below an exercise's heading"


def definitions(cell):
    return {node.name: node for node in cell.tree.body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def checks(cell):
    return {name: node for name, node in definitions(cell).items() if name.startswith("check_")}


@rule
def exercise_check(page):
    """The check is a function in plain sight that says "not yet", "right", or what is wrong."""
    for _, (cell, _, _), *_ in well_shaped(page):
        found = list(checks(cell).values())
        if len(found) != 1 or [arg.arg for arg in found[0].args.args][:1] != ["candidate"]:
            yield f"{cell.at()}: wanted one function check_...(candidate)"
            continue
        returned = [node.value for node in ast.walk(found[0]) if isinstance(node, ast.Return)]
        said = [ast.literal_eval(value) if isinstance(value, ast.Constant) else "..."
                for value in returned]
        for word in ("not yet", "right"):
            if word not in said:
                yield f"{cell.at(found[0].lineno)}: the check never returns {word!r}; wanted it to"
        if not set(said) - {"not yet", "right"}:
            yield f"{cell.at(found[0].lineno)}: wanted a sentence that says what is wrong"


@rule
def exercise_stub(page):
    """The stub returns None, runs untouched, and has printed exactly "not yet"."""
    for _, (check, _, _), _, (cell, _, _), *_ in well_shaped(page):
        if not definitions(cell):
            yield f"{cell.at()}: wanted a function (or class) to complete"
        for node in definitions(cell).values():
            for inner in ast.walk(node):
                value = getattr(inner, "value", None)
                if isinstance(inner, ast.Return) and value and ast.unparse(value) != "None":
                    yield f"{cell.at(inner.lineno)}: the stub has an answer; wanted `return None`"
        last = ast.unparse(cell.tree.body[-1]) if cell.tree.body else ""
        if not any(last.startswith(f"print({name}(") for name in checks(check)):
            yield f"{cell.at(len(cell.lines))}: wanted print({'/'.join(checks(check))}(...))"
        printed = "".join(
            pages.joined(output.get("text", "another output")) for output in cell.outputs
        )
        if printed != "not yet\n":
            yield f"{output_at(cell)}: the stub has printed {printed!r}; wanted 'not yet'"


@rule
def solution_folded(page):
    """The solution begins `# @title Solution N.k` and is folded in all three places."""
    wanted = {"tags": ["hide-cell", "solution"], **pages.FOLDED}
    for (_, _, question), _, _, _, _, (cell, _, _), _ in well_shaped(page):
        number = re.search(r"\d+\.\d+", question)
        first = f"# @title Solution {number[0] if number else 'N.k'}"
        if cell.lines[0] != first:
            yield f"{cell.at()}: the solution begins {cell.lines[0]!r}; wanted {first!r}"
        metadata = cell.metadata | {"tags": sorted(set(cell.tags) - {"nbval-ignore-output"})}
        if metadata != wanted:
            yield f"{cell.at()}: the solution has the metadata {cell.metadata}; wanted {wanted}"


@rule
def solution_signature(page):
    """The solution defines what the stub defines and takes every call that the stub takes."""
    for _, _, _, (stub_cell, _, _), _, (cell, _, _), _ in well_shaped(page):
        solved = definitions(cell)
        for name, stub in definitions(stub_cell).items():
            if name not in solved:
                yield f"{cell.at()}: the solution does not define {name!r}; wanted it to"
                continue
            for wanted, found in matched_functions(stub, solved[name]):
                if found is None:
                    yield f"{cell.at(solved[name].lineno)}: wanted a method {wanted.name!r}"
                elif refusal := refused(wanted, found):
                    yield (f"{cell.at(found.lineno)}: {found.name}({ast.unparse(found.args)}) "
                           f"does not take what the stub takes ({refusal}); wanted "
                           f"{wanted.name}({ast.unparse(wanted.args)})")


def matched_functions(stub, solution):
    """(stub's, solution's) functions: the two themselves, or the methods of two classes."""
    if isinstance(stub, ast.FunctionDef):
        return [(stub, solution if isinstance(solution, ast.FunctionDef) else None)]
    methods = {node.name: node for node in solution.body if isinstance(node, ast.FunctionDef)}
    return [(node, methods.get(node.name)) for node in stub.body
            if isinstance(node, ast.FunctionDef)]


def refused(stub, solution):
    """Why the function `solution` refuses a call that `stub` accepts, or None."""
    stub, solution = signature(stub), signature(solution)
    parameters = list(stub.parameters.values())
    required = [p for p in parameters
                if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    for group in (required, parameters):
        for by_name in (False, True):
            positional, named = [], {}
            for p in group:
                if p.kind is p.VAR_POSITIONAL:
                    positional += [] if by_name else ["one more"]
                elif p.kind is p.VAR_KEYWORD:
                    named["one_more"] = "one_more"
                elif p.kind is p.KEYWORD_ONLY or by_name and p.kind is not p.POSITIONAL_ONLY:
                    named[p.name] = p.name
                else:
                    positional.append(p.name)
            try:
                bound = solution.bind(*positional, **named)
            except TypeError as error:
                return str(error)
            for name, value in bound.arguments.items():  # each argument lands on its own name
                if isinstance(value, str) and value != name and value in stub.parameters:
                    return f"{value!r} arrives as {name!r}"
    return None


def signature(function):
    """The `inspect.Signature` of a function's syntax tree; nothing of it is executed."""
    arguments = function.args
    none = ast.Constant(None)
    for group in (arguments.posonlyargs, arguments.args, arguments.kwonlyargs):
        for argument in group:
            argument.annotation = None
    bare = ast.arguments(
        arguments.posonlyargs, arguments.args, arguments.vararg, arguments.kwonlyargs,
        [default and none for default in arguments.kw_defaults], arguments.kwarg,
        [none for _ in arguments.defaults],
    )
    function = ast.fix_missing_locations(ast.Expression(ast.Lambda(bare, none)))
    return inspect.signature(eval(compile(function, "stub", "eval")))


@rule
def solution_asserted(page):
    """The solution ends by asserting that the check finds it right."""
    for _, (check, _, _), _, _, _, (cell, _, _), _ in well_shaped(page):
        asserted = [ast.unparse(node.test) for node in cell.tree.body
                    if isinstance(node, ast.Assert)]
        if not any(test.startswith(f"{name}(") and test.endswith(") == 'right'")
                   for test in asserted for name in checks(check)):
            yield (f"{cell.at(len(cell.lines))}: wanted "
                   f"assert {'/'.join(checks(check))}(...) == \"right\"")


# ---------------------------------------------------------------- outputs

LARGEST_IMAGE = 60_000  # bytes
ALT_LENGTHS = range(20, 401)
PRINTED_LINES = 8
MACHINE = re.compile(r"(?<![\w.])/(home|root|tmp|work|Users|content|private|mnt)/|[A-Z]:\\Users\\"
                     r"|\b0x[0-9a-f]{8,}")


def images(page):
    """(cell, output, MIME type) of each image that is stored in the page."""
    for cell in page.code:
        for output in cell.outputs:
            for kind in output.get("data", {}):
                if kind.startswith("image/"):
                    yield cell, output, kind


def output_at(cell, text='"outputs"'):
    """Name the line of the stored outputs that has `text`, or else the line where they begin."""
    lines = cell.page.text.split("\n")[cell.outputs_line - 1:cell.line]
    offset = next((i for i, line in enumerate(lines) if text and text in line), 0)
    return f"{cell.page.name}:{cell.outputs_line + offset}: cell [{cell.number}]"


@rule
def alt_text(page):
    """Each figure has its sentence: 20 to 400 characters, a full stop, no file name."""
    for cell, output, kind in images(page):
        metadata = output["metadata"].get(kind, {})
        alt = metadata.get("alt", "") if isinstance(metadata, dict) else ""
        place = output_at(cell, f'"alt": {json.dumps(alt, ensure_ascii=False)}')
        plain = pages.joined(output["data"].get("text/plain", ""))
        if len(alt) not in ALT_LENGTHS:
            yield (f"{place}: alt text {alt!r} has {len(alt)} characters; "
                   f"wanted a sentence of {ALT_LENGTHS[0]} to {ALT_LENGTHS[-1]}")
        elif not alt.endswith(".") or re.search(r"[.!?]\s+[A-Z]", alt):
            yield f"{place}: alt text {alt!r}; wanted one sentence with a full stop"
        elif re.search(r"\w\.(png|jpe?g|svg|ipynb|py)\b", alt):
            yield f"{place}: alt text {alt!r} has a file name; wanted what is to see"
        elif alt != plain:
            yield f"{place}: alt text {alt!r}; wanted what show(fig, alt) has printed, {plain!r}"


@rule
def image_size(page):
    """An image is a PNG of at most 60 kB."""
    for cell, output, kind in images(page):
        size = len(base64.b64decode(pages.joined(output["data"][kind])))
        if kind != "image/png":
            yield f"{output_at(cell)}: an image as {kind}; wanted image/png"
        elif size > LARGEST_IMAGE:
            yield f"{output_at(cell)}: an image of {size} bytes; wanted at most {LARGEST_IMAGE}"


@rule
def only_show(page):
    """An image comes from `show(fig, alt)` and from nothing else."""
    for cell in page.code:
        for node in ast.walk(cell.tree):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if re.fullmatch(r"(plt|fig\w*)\.(show|savefig)|(\w+\.)*display", called):
                yield f"{cell.at(node.lineno)}: {called}(...); wanted show(fig, alt)"
    for cell, _, _ in images(page):
        if not re.search(r"\b(show|live\.\w+)\(", cell.source):
            yield f"{cell.at()}: an image without show(fig, alt); wanted a call of it in the cell"


@rule
def printed_lines(page):
    """A cell prints at most 8 lines."""
    for cell in page.code:
        count = 0
        for output in cell.outputs:
            data = output.get("data", {})
            text = "" if "image/png" in data else data.get("text/plain", output.get("text", ""))
            count += len(pages.joined(text).rstrip("\n").splitlines())
        if count > PRINTED_LINES:
            yield f"{output_at(cell)}: {count} printed lines; wanted at most {PRINTED_LINES}"


@rule
def ignored_outputs(page):
    """What is not compared is asserted, in the cell or in the next one."""
    for cell, following in zip(page.code, [*page.code[1:], None]):
        if set(cell.tags) & {"nbval-ignore-output"} and "raises-exception" not in cell.tags:
            near = [cell, *([following] if following else [])]
            if not any(re.search(r"\bassert", other.source) for other in near):
                yield (f"{cell.at()}: nbval-ignore-output; wanted an assert of what the output "
                       "shows, here or in the next cell")


@rule
def clean_outputs(page):
    """Nothing on stderr; no path, no address of an object, that another machine would not have."""
    for cell in page.code:
        for output in cell.outputs:
            if output.get("name") == "stderr":
                place = output_at(cell, '"stderr"')
                yield f"{place}: stderr, {pages.joined(output['text'])!r}; wanted none"
            data = output.get("data", {})
            for text in (output.get("text", ""), data.get("text/plain"), data.get("text/html")):
                if match := MACHINE.search(pages.joined(text or "")):
                    place = output_at(cell, match[0])
                    yield f"{place}: {match[0]!r} is of this machine; wanted none of it"


@rule
def normal_form(page):
    """The file is in normal form: what `make pages` writes, and no other byte."""
    found = page.text.split("\n")
    wanted = pages.to_text(pages.normal_form(page.notebook)).split("\n")
    for line, (old, new) in enumerate(zip(found + [""] * len(wanted), wanted), 1):
        if old != new:
            number = max((cell.number for cell in page.cells if cell.line <= line), default=0)
            yield (f"{page.name}:{line}: near cell [{number}]: not in normal form: "
                   f"{old.strip()[:80]!r}; wanted {new.strip()[:80]!r} (`make pages`)")
            return
    if len(found) > len(wanted):
        yield f"{page.name}:{len(wanted)}: wanted the end of the file here (`make pages`)"


# ---------------------------------------------------------------- text

# Colab and JupyterLab show these as they stand. MyST is for .md pages.
MYST = {
    "a directive": r"^\s*(`{3,}|~{3,}|:{3,})\s*\{",
    "a colon fence": r"^\s*:{3,}",
    "a role": r"\{[A-Za-z][\w:.-]*\}`",
    "a target": r"^\([\w:.-]+\)=\s*$",
    "a footnote": r"\[\^[^\]]+\]",
    "a GitHub note": r"^\s*>\s*\[!\w+\]",
    "a comment": r"^%",
    "a block break": r"^\+\+\+",
    "a substitution": r"\{\{.*?\}\}",
}


@rule
def no_myst(page):
    """Text is plain Markdown: headings, lists, tables, links, images, <details>, quotes."""
    for cell in page.texts:
        for j, line in enumerate(cell.prose, 1):
            for what, pattern in MYST.items():
                if match := re.search(pattern, line):
                    yield (f"{cell.at(j)}: {what} of MyST, {match[0].strip()!r}; "
                           "wanted plain Markdown")
                    break


@rule
def display_formulas(page):
    """A display formula stands on one line: `$$ ... $$`."""
    for cell in page.texts:
        is_open = False
        for j, line in enumerate(pages.blank_code(cell.source).split("\n"), 1):
            if "$$" in line and not is_open and not re.fullmatch(r" *\$\$ [^$]+ \$\$", line):
                yield f"{cell.at(j)}: wanted a line of its own, `$$ ... $$`, for the formula"
            is_open ^= line.count("$$") % 2


def equation_tags(page):
    """(cell, line, tag) of every numbered formula."""
    for cell in page.texts:
        for j, line in enumerate(pages.blank_code(cell.source).split("\n"), 1):
            for tag in re.findall(r"\\tag\{([^}]*)\}", line):
                yield cell, j, tag


@text_rule
def equation_numbers(page):
    """Formulas are numbered N.1, N.2, ..., N the number of the page; so none has two."""
    for k, (cell, j, tag) in enumerate(equation_tags(page), 1):
        if tag != f"{page.number}.{k}":
            wanted = rf"\tag{{{page.number}.{k}}}" if page.number else "no number outside a page"
            yield rf"{cell.at(j)}: \tag{{{tag}}}; wanted {wanted}"


@text_rule
def equation_references(page):
    """Each "equation (N.k)" names a formula of the book."""
    everywhere = pages.notebooks(page.root) + pages.markdown_files(page.root)
    known = {tag for other in everywhere for _, _, tag in equation_tags(other)}
    pattern = r"[Ee]quations?\s+(\(\d+\.\d+\)(?:(?:,\s*|\s+|,?\s+(?:and|or|to)\s+)\(\d+\.\d+\))*)"
    for cell in page.cells:
        text = cell.source if cell.kind == "code" else pages.blank_code(cell.source)
        for match in re.finditer(pattern, text):
            j = text.count("\n", 0, match.start()) + 1
            for number in re.findall(r"\d+\.\d+", match[1]):
                if number not in known:
                    yield rf"{cell.at(j)}: equation ({number}); wanted one with \tag{{{number}}}"


@rule
def heading_levels(page):
    """Headings go down one level at a time."""
    above = 0
    for cell, j, level, text in page.headings():
        if level > above + 1:
            yield f"{cell.at(j)}: {text!r} leaves a level out; wanted {'#' * (above + 1)}"
        above = level


LINK = re.compile(
    r"!?\[[^\]]*\]\(<?([^()\s>]*(?:\([^()\s]*\))?[^()\s>]*)>?(?:\s+\"[^\"]*\")?\)"
    r"|(?:href|src)=\"([^\"]+)\"|^\[[^\]^]+\]:\s*(\S+)", re.MULTILINE
)


@text_rule
def links(page):
    """A link to a file of the course finds the file, and the heading in it."""
    repository = pages.address(page.root)
    for cell in page.texts:
        text = "\n".join(cell.prose)
        for match in LINK.finditer(text):
            j = text.count("\n", 0, match.start()) + 1
            target = next(group for group in match.groups() if group is not None)
            if problem := broken(page, target, repository):
                yield f"{cell.at(j)}: link to {target!r}: {problem}"


def broken(page, target, repository):
    """Why a link of the page leads nowhere, or None."""
    folder = page.path.parent
    if match := re.match(rf"{re.escape(repository)}/(?:blob|tree|raw)/[\w.-]+/", target):
        folder, target = page.root, target[match.end():]
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None
    name, _, anchor = target.partition("#")
    path = (folder / name).resolve() if name else page.path
    if not path.exists() or page.root not in [path, *path.parents]:
        return "there is no such file; wanted one of the course"
    if anchor and path.suffix in (".md", ".ipynb"):
        anchors = pages.Page(path).anchors
        if anchor not in anchors:
            nearest = ", ".join(difflib.get_close_matches(anchor, anchors, 3, 0))
            return f"no such heading; wanted one there is, such as {nearest}"
    return None
