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
import re
import tokenize

SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)
SIZE = (ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Name, ast.Load, ast.Constant)
CHECK, LETTERS, DONE = "__check_shape__", "__letters__", "__checked__"  # names in changed code


class Comment:
    """A shape comment: where it stands, what it says, and whether it has been reached."""

    def __init__(self, at, text, shapes):
        self.at, self.text, self.shapes = at, text, shapes
        self.problem = "it is never reached; wanted code that runs it"
        self.reached = False

    def check(self, value, variables, letters):
        """Compare a value with the comment; `letters` is what the call has bound so far."""
        if self.reached and self.problem:
            return
        self.reached, self.problem = True, None
        values = value if isinstance(value, (tuple, list)) else [value]
        if len(values) != len(self.shapes):
            self.problem = f"values: {len(values)}, and shapes in the comment: {len(self.shapes)}"
            return
        for item, axes in zip(values, self.shapes):
            self.problem = self.problem or misfit(item, axes, variables, letters)


class Axis:
    """What a comment says of one axis. A training passes a comment thousands of times, so the
    text is taken apart once."""

    def __init__(self, tree):
        self.said = ast.unparse(tree)
        self.alone = isinstance(tree, ast.Name)  # a letter, and not computed
        self.names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
        self.code = compile(self.said, "<shape>", "eval")


def misfit(value, axes, variables, letters):
    """What is false about a value's shape, or None. Binds letters that are not bound yet."""
    shape = () if isinstance(value, numbers.Number) else getattr(value, "shape", None)
    if shape is None:
        return f"a value without a shape, {type(value).__name__}"
    shape = tuple(shape)
    is_open = bool(axes) and axes[0].said == "..."
    tail = axes[is_open:]
    sizes = shape[max(len(shape) - len(tail), 0) :] if is_open else shape
    if len(sizes) != len(tail):
        text = ", ".join(axis.said for axis in axes)
        return f"the value has {len(shape)} axes, {shape}; the comment says ({text})"
    # A letter alone comes before what is computed from it.
    for axis, size in sorted(zip(tail, sizes), key=lambda pair: not pair[0].alone):
        namespace = {name: letters[name] for name in axis.names if name in letters}
        for name in axis.names:
            if isinstance(variables.get(name), numbers.Integral):
                namespace[name] = int(variables[name])
        if axis.alone and not namespace:
            namespace[axis.said] = letters.setdefault(axis.said, size)
        try:
            expected = eval(axis.code, {}, namespace)
        except NameError as error:
            return f"{axis.said} cannot be computed: {error}"
        if expected != size:
            computed = f" = {expected}" * (axis.said != str(expected))
            actual = f"and the value has {size} there: {shape}"
            return f"the comment says {axis.said}{computed}, {actual}"
    return None


# ---------------------------------------------------------------- reading the comments


def read_shapes(comment):
    """The shapes that a comment begins with, as lists of axes; ValueError if none."""
    begin = re.match(r"(,?\s*\([^()]*\))*", comment)
    parts = re.findall(r"\(.*?\)", begin[0] if begin else "")
    try:
        shapes = [ast.parse(part, mode="eval").body for part in parts]
    except SyntaxError:
        shapes = []
    if not shapes or not all(isinstance(shape, ast.Tuple) for shape in shapes):
        raise ValueError(f"{comment!r} does not begin with a shape such as (n, d) or (n,)")
    for shape in shapes:
        for place, axis in enumerate(shape.elts):
            is_size = all(isinstance(part, SIZE) for part in ast.walk(axis))
            if not is_size or ast.unparse(axis) == "..." and place:
                raise ValueError(
                    f"{ast.unparse(axis)!r} is no size; wanted letters, integers "
                    "and their sums, differences, products, whole quotients"
                )
    return [[Axis(axis) for axis in shape.elts] for shape in shapes]


def shape_comments(source, number):
    """The shape comments of a cell, {line: Comment}, and the problems of those that are none.

    A place is (number of the cell, line). A comment on a line of its own is prose, unless it reads
    as a shape.
    """
    comments, problems = {}, []
    tree = ast.parse(source)
    ends = {node.end_lineno for node in ast.walk(tree) if isinstance(node, SIMPLE)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text, line = token.string.lstrip("#").strip(), token.start[0]
        if token.type != tokenize.COMMENT or not text.startswith("("):
            continue
        alone, place = token.line.lstrip().startswith("#"), (number, line)
        try:
            shapes = read_shapes(text)
        except ValueError as error:
            if not alone:
                read = "behind code, what begins with a parenthesis is read as a shape"
                problems.append((place, f"{error}; {read}"))
            continue
        if alone or line not in ends:
            advice = "wanted at the end of an assignment, a return, or an expression"
            problems.append((place, f"the shape {text!r} cannot be checked here; {advice}"))
        else:
            comments[line] = Comment(place, text, shapes)
    return comments, problems


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

    def check(self, node, value):
        """The call that checks `value` against the comment behind `node`."""
        number = self.first + self.lines.index(node.end_lineno)
        call = ast.parse(f"{CHECK}({number}, None, locals(), {LETTERS})", mode="eval").body
        call.args[1] = value  # ty: ignore[missing-attribute]
        return call

    def visit(self, node):
        node = super().visit(node)
        if not isinstance(node, SIMPLE) or node.end_lineno not in self.comments:
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
        comments, wrong = shape_comments(self.source, self.number)
        self.problems += wrong
        tree = ast.fix_missing_locations(Instrument(comments, len(self.comments)).visit(tree))
        self.comments += [comments[line] for line in sorted(comments)]
        return tree

    def report(self, unreached=True):
        """((cell, line), problem) of each comment that is false, or that no code has reached."""
        # IPython drops what raises in the middle of a cell, with a warning and no more.
        assert self in self.shell.ast_transformers, "the shape comments were not checked"
        failures = [
            (comment.at, f"the shape {comment.text!r} is false: {comment.problem}")
            for comment in self.comments
            if comment.problem and (comment.reached or unreached)
        ]
        return self.problems + failures
