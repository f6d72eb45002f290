"""The shape comments of a page, checked while the page runs.

A shape comment stands at the end of a statement and begins with a shape in parentheses:

    scores = queries @ keys.mT  # (B, n, m)
    best, where = scores.max(-1)  # (B, n), (B, n), one for each value

It is checked right after the statement has run: the number of axes, and each size. A letter that
names an integer of the function (outside functions: of the page) has that size. Any other letter
gets its size from the first comment of the call (outside functions: of the cell) that uses it.
Sizes may be computed, `(offset + n, 2 * d)`; `(..., n)` leaves the leading axes open; `()` is a
single number.

This file is loaded into the kernel of a page, from outside the course: it imports nothing of ours.
"""

import ast
import io
import numbers
import operator
import re
import tokenize

SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}
CHECK, LETTERS, DONE = "__check_shape__", "__letters__", "__checked__"  # names in changed code


class Comment:
    """A shape comment: where it stands, what it says, and whether it has been reached."""

    def __init__(self, at, text, shapes):
        self.at, self.text, self.shapes = at, text, shapes
        self.reached = False
        self.problem = None

    def check(self, value, variables, letters):
        """Compare a value with the comment; `letters` is what the call has bound so far."""
        if self.problem:
            return
        self.reached, several = True, len(self.shapes) > 1
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
        sizes = sizes[len(sizes) - len(axes) :]
    if len(sizes) != len(axes):
        said = f"{len(axes)}, ({', '.join(map(ast.unparse, axes))})"
        return f"the value has {len(sizes)} axes, {tuple(sizes)}; the comment has {said}"
    known = letters | {
        name: int(v)
        for name, v in variables.items()
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
        rest = rest[match.end() :]
    try:
        shapes = [ast.parse(part, mode="eval").body for part in parts]
    except SyntaxError:
        raise ValueError(f"{comment!r} does not begin with a shape such as (n, d)") from None
    for part, shape in zip(parts, shapes):
        if not isinstance(shape, ast.Tuple):
            raise ValueError(f"{part} is no shape; one axis is written {part[:-1]},)")
        for place, axis in enumerate(shape.elts):
            if not is_size(axis) and not (place == 0 and ast.unparse(axis) == "..."):
                raise ValueError(
                    f"{ast.unparse(axis)!r} is no size; wanted letters, integers "
                    "and their sums, differences, products, whole quotients"
                )
    if not shapes:
        raise ValueError(f"{comment!r} does not begin with a shape such as (n, d)")
    return [shape.elts for shape in shapes]


def is_size(axis):
    if isinstance(axis, ast.BinOp):
        return type(axis.op) in OPERATORS and is_size(axis.left) and is_size(axis.right)
    return isinstance(axis, ast.Name) or isinstance(axis, ast.Constant) and type(axis.value) is int


def shape_comments(source, number):
    """The shape comments of a cell, {line: Comment}, and the problems of those that are none.

    A place is (number of the cell, line). A comment on a line of its own is prose, unless it reads
    as a shape.
    """
    found, problems = {}, []
    tree = ast.parse(source)
    ends = {node.end_lineno for node in ast.walk(tree) if isinstance(node, SIMPLE)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.string.lstrip("#").strip()
        if token.type != tokenize.COMMENT or not text.startswith("("):
            continue
        line = token.start[0]
        alone, place = token.line.lstrip().startswith("#"), (number, line)
        try:
            shapes = read_shapes(text)
        except ValueError as error:
            if not alone:
                read = "behind code, what begins with a parenthesis is read as a shape"
                problems.append((place, f"{error}; {read}"))
            continue
        if alone or line not in ends:
            wanted = "wanted at the end of an assignment, a return, or an expression"
            problems.append((place, f"the shape {text!r} cannot be checked here; {wanted}"))
        else:
            found[line] = Comment(place, text, shapes)
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
        assert isinstance(call, ast.Call)
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
        # An assignment, as IPython would display an expression; to True, which holds no tensor.
        check = ast.Compare(self.check(node, value), [ast.IsNot()], [ast.Name(CHECK, ast.Load())])
        check = ast.Assign([ast.Name(DONE, ast.Store())], check)
        return [node, ast.copy_location(check, node)]

    def is_last(self, node):
        """Whether the node is the statement that a comment stands behind (`a = 1; b = 2  # ()`)."""
        return (
            node.end_lineno in self.comments
            and self.columns[node.end_lineno] == node.end_col_offset
        )

    def instrument(self, tree):
        self.columns = {}  # {line: where its last statement ends}
        for node in ast.walk(tree):
            if isinstance(node, SIMPLE):
                column = self.columns.get(node.end_lineno, 0)
                self.columns[node.end_lineno] = max(column, node.end_col_offset or 0)
        return ast.fix_missing_locations(self.visit(tree))


# ---------------------------------------------------------------- in the kernel


class InKernel:
    """Checks every cell that a kernel runs; `shell` is its IPython.

    It rewrites the syntax tree that IPython has made of a cell, so the cell's text stays as it is.
    Code that is run silently is left alone: it is not the page's.
    """

    def __init__(self, shell):
        self.shell, self.comments, self.problems = shell, [], []
        self.number, self.source = 0, None
        shell.user_ns[CHECK] = self.check
        shell.events.register("pre_run_cell", self.begin)
        shell.events.register("post_run_cell", self.end)
        shell.ast_transformers.append(self)

    def begin(self, info):
        self.number, self.source = self.number + 1, info.raw_cell
        self.shell.user_ns[LETTERS] = {}

    def end(self, result):
        self.source = None

    def check(self, number, value, variables, letters):
        self.comments[number].check(value, variables, letters)
        return value

    def visit(self, tree):
        if self.source is None:
            return tree
        found, wrong = shape_comments(self.source, self.number)
        self.problems += wrong
        tree = Instrument(found, len(self.comments)).instrument(tree)
        self.comments += [found[line] for line in sorted(found)]
        return tree

    def report(self, unreached=True):
        """((cell, line), problem) of each comment that is false, or that no code has reached."""
        # IPython drops what raises in the middle of a cell, with a warning and no more.
        assert self in self.shell.ast_transformers, "the shape comments were not checked"
        said = list(self.problems)
        for one in self.comments:
            if one.problem:
                said.append((one.at, f"the shape {one.text!r} is false: {one.problem}"))
            elif unreached and not one.reached:
                never = "is never reached; wanted code that runs it"
                said.append((one.at, f"the shape {one.text!r} {never}"))
        return said
