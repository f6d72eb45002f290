"""Run a page as a script, and check every shape comment on the way.

    python -m tests.shapes [PAGE ...]

Needs only what the pages import: no Jupyter. Each page runs in a process and in its own folder,
from its start cell on, with ATTENTION_DEVICE honoured.

A shape comment stands at the end of a statement and begins with a shape in parentheses:

    scores = queries @ keys.mT  # (B, n, m)
    best, where = scores.max(-1)  # (B, n), (B, n), one for each value

It is checked right after the statement has run: the number of axes, and each size. A letter that
names an integer of the function (outside functions: of the page) has that size. Any other letter
gets its size from the first comment of the call (outside functions: of the cell) that uses it.
Sizes may be computed, `(offset + n, 2 * d)`; `(..., n)` leaves the leading axes open; `()` is a
single number.
"""

import ast
import contextlib
import io
import linecache
import numbers
import operator
import os
import re
import subprocess
import sys
import time
import tokenize
import traceback
import types
from pathlib import Path

from tests.pages import ROOT, Page, notebooks

SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)
OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}
CHECK, LETTERS = "__check_shape__", "__letters__"  # the names that the changed code uses


class Comment:
    """A shape comment: where it stands, what it says, and whether it has been reached."""

    def __init__(self, at, text, shapes):
        self.at, self.text, self.shapes = at, text, shapes
        self.reached = False
        self.problem = None

    def check(self, value, variables, letters):
        """Compare a value with the comment; `letters` is what the call has bound so far."""
        self.reached = True
        if self.problem:
            return
        several = len(self.shapes) > 1
        values = value if several and isinstance(value, (tuple, list)) else [value]
        if len(values) != len(self.shapes):
            found = "1 value" if len(values) == 1 else f"{len(values)} values"
            self.problem = f"{found}, and the comment has {len(self.shapes)} shapes"
            return
        for number, (one, axes) in enumerate(zip(values, self.shapes), 1):
            if problem := misfit(one, axes, variables, letters):
                self.problem = f"value {number}: {problem}" if several else problem
                return


def misfit(value, axes, variables, letters):
    """What is false about a value's shape, or None. Binds letters that are not bound yet."""
    if isinstance(value, numbers.Number):
        sizes = []
    elif hasattr(value, "shape"):
        sizes = list(value.shape)
    elif isinstance(value, (tuple, list)):
        return f"{len(value)} values in a {type(value).__name__}, and the comment has 1 shape"
    else:
        return f"a value without a shape, {type(value).__name__}"
    if axes and isinstance(axes[0], ast.Constant) and axes[0].value is ...:
        axes = axes[1:]
        if len(sizes) < len(axes):
            return f"the value has {len(sizes)} axes, {tuple(sizes)}; the comment says more"
        sizes = sizes[len(sizes) - len(axes):]
    if len(sizes) != len(axes):
        said = ", ".join(map(ast.unparse, axes))
        return (f"the value has {len(sizes)} axes, {tuple(sizes)}; "
                f"the comment has {len(axes)}, ({said})")
    known = letters | {
        name: int(v) for name, v in variables.items()
        if isinstance(v, numbers.Integral) and not isinstance(v, bool)
    }
    plain_first = sorted(zip(axes, sizes), key=lambda pair: not isinstance(pair[0], ast.Name))
    for axis, size in plain_first:
        said = ast.unparse(axis)
        if isinstance(axis, ast.Name) and said not in known:
            known[said] = letters[said] = size
        try:
            wanted = evaluate(axis, known)
        except KeyError as letter:
            return f"{said} cannot be computed: {letter.args[0]} has no size yet"
        if wanted != size:
            if isinstance(axis, ast.Constant):
                known_as = f"the comment says {wanted}"
            else:
                by = "an earlier comment" if said in letters else "a variable"
                known_as = f"{said} is {wanted}" + f" (by {by})" * isinstance(axis, ast.Name)
            return f"{known_as}, and the value has {size} there: {tuple(value.shape)}"
    return None


def evaluate(axis, known):
    if isinstance(axis, ast.Constant):
        return axis.value
    if isinstance(axis, ast.Name):
        return known[axis.id]
    return OPERATORS[type(axis.op)](evaluate(axis.left, known), evaluate(axis.right, known))


# ---------------------------------------------------------------- reading the comments


def read_shapes(comment):
    """The shapes that a comment begins with, as lists of syntax trees; ValueError if none."""
    parts, rest = [], comment
    while match := re.match(r",?\s*(\([^()]*\))", rest):
        parts.append(match[1])
        rest = rest[match.end():]
    try:
        shapes = [ast.parse(part, mode="eval").body for part in parts]
    except SyntaxError:
        raise ValueError(f"{comment!r} does not begin with a shape such as (n, d)") from None
    for part, shape in zip(parts, shapes):
        if not isinstance(shape, ast.Tuple):
            raise ValueError(f"{part} is no shape; one axis is written {part[:-1]},)")
        for place, axis in enumerate(shape.elts):
            if not is_size(axis) and not (place == 0 and ast.unparse(axis) == "..."):
                raise ValueError(f"{ast.unparse(axis)!r} is no size; wanted letters, integers "
                                 "and their sums, differences, products, whole quotients")
    if not shapes:
        raise ValueError(f"{comment!r} does not begin with a shape such as (n, d)")
    return [shape.elts for shape in shapes]


def is_size(axis):
    if isinstance(axis, ast.BinOp):
        return type(axis.op) in OPERATORS and is_size(axis.left) and is_size(axis.right)
    return isinstance(axis, ast.Name) or isinstance(axis, ast.Constant) and type(axis.value) is int


def shape_comments(source, at):
    """The shape comments of a cell, {line: Comment}, and the problems of those that are none.

    `at(line)` names a line. A comment on a line of its own is prose, unless it reads as a shape.
    """
    found, problems = {}, []
    tree = ast.parse(source)
    ends = {node.end_lineno for node in ast.walk(tree) if isinstance(node, SIMPLE)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.string.lstrip("#").strip()
        if token.type != tokenize.COMMENT or not text.startswith("("):
            continue
        line = token.start[0]
        alone = token.line.lstrip().startswith("#")
        try:
            shapes = read_shapes(text)
        except ValueError as error:
            if not alone:
                problems.append(f"{at(line)}: {error}; a comment at the end of a line that begins "
                                "with a parenthesis is read as a shape")
            continue
        if alone or line not in ends:
            problems.append(f"{at(line)}: the shape {text!r} cannot be checked here; wanted at the "
                            "end of an assignment, a return, or an expression")
        else:
            found[line] = Comment(at(line), text, shapes)
    return found, problems


class Instrument(ast.NodeTransformer):
    """Put a check behind each statement that carries a shape comment."""

    def __init__(self, comments, first):
        self.comments = comments  # {line: Comment}
        self.first = first  # the number of the first of them, in the list of the whole page
        self.lines = sorted(comments)

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        if any(isinstance(inner, ast.Name) and inner.id == CHECK for inner in ast.walk(node)):
            letters = ast.parse(f"{LETTERS} = {{}}").body[0]
            docstring = ast.get_docstring(node) is not None
            node.body.insert(docstring, ast.copy_location(letters, node.body[0]))
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def check(self, node, value):
        """The call that checks `value` against the comment behind `node`."""
        number = self.first + self.lines.index(node.end_lineno)
        call = ast.parse(f"{CHECK}({number}, None, locals(), {LETTERS})", mode="eval").body
        call.args[1] = value
        return call

    def visit(self, node):
        node = super().visit(node)
        if not isinstance(node, SIMPLE) or not self.is_last(node):
            return node
        if isinstance(node, (ast.Return, ast.Expr)):
            node.value = self.check(node, node.value or ast.Constant(None))
            return node
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        value = ast.parse(ast.unparse(target), mode="eval").body  # the same, to be read
        return [node, ast.copy_location(ast.Expr(self.check(node, value)), node)]

    def is_last(self, node):
        """Whether the node is the statement that a comment stands behind (`a = 1; b = 2  # ()`)."""
        return (node.end_lineno in self.comments
                and self.columns[node.end_lineno] == node.end_col_offset)

    def instrument(self, tree):
        self.columns = {}  # {line: where its last statement ends}
        for node in ast.walk(tree):
            if isinstance(node, SIMPLE):
                column = self.columns.get(node.end_lineno, 0)
                self.columns[node.end_lineno] = max(column, node.end_col_offset)
        return ast.fix_missing_locations(self.visit(tree))


# ---------------------------------------------------------------- running


def run(page):
    """Run the page's code cells in this process; return (problems, number of shape comments)."""
    comments, problems = [], []
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module  # classes of the page are found where they say they live
    space = module.__dict__

    def check(number, value, variables, letters):
        comments[number].check(value, variables, letters)
        return value

    space[CHECK] = check
    linecache.cache[str(page.path)] = (len(page.text), None, page.text.splitlines(True), "")
    for cell in page.code:
        found, wrong = shape_comments(cell.source, cell.at)
        problems += wrong
        tree = Instrument(found, len(comments)).instrument(ast.parse(cell.source))
        comments += [found[line] for line in sorted(found)]
        ast.increment_lineno(tree, cell.line)  # tracebacks name lines of the .ipynb file
        space[LETTERS] = {}
        try:
            exec(compile(tree, str(page.path), "exec"), space)
        except Exception as error:
            if "raises-exception" in cell.tags:
                continue
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == str(page.path)]
            line = lines[0] - cell.line if lines else 1
            said = str(error) or cell.lines[line - 1].strip()
            problems.append(f"{cell.at(line)}: {type(error).__name__}: {said}")
            break
    else:
        problems += [f"{comment.at}: the shape {comment.text!r} is never reached; wanted code "
                     "that runs it" for comment in comments if not comment.reached]
    problems += [f"{comment.at}: the shape {comment.text!r} is false: {comment.problem}"
                 for comment in comments if comment.problem]
    return problems, len(comments)


def main(paths):
    """Run pages, each in a process of its own; print problems; return the exit status."""
    if len(paths) != 1:
        paths = paths or [page.path for page in notebooks()]
        command = [sys.executable, *(["-S"] if sys.flags.no_site else []), "-m", "tests.shapes"]
        return max((subprocess.run([*command, path], cwd=ROOT).returncode for path in paths),
                   default=0)
    page = Page(paths[0])
    os.chdir(page.path.parent)
    os.environ.setdefault("MPLBACKEND", "Agg")
    # The course is found by the page's start cell, not by having been the folder we started in.
    sys.path[:] = [entry for entry in sys.path if Path(entry or ROOT).resolve() != ROOT]
    started = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        problems, count = run(page)
    for line in printed.getvalue().splitlines():
        print(line[:120])  # a figure prints itself as one very long line
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{page.name}: {time.perf_counter() - started:.1f} s, {count} shape comments, "
          f"{len(problems) or 'no'} problems", flush=True)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
