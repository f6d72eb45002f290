"""Every shape comment of every page, executed; and each page alone in an empty folder.

One run proves both: the page is copied into an empty folder of a bare machine like Colab's, its
start cell fetches the course, and `tests/shapes.py` runs its cells and checks their comments.
"""

import shutil
from pathlib import Path

import pytest

from tests import pages
from tests.sample import bare_page, code
from tests.shapes import run


@pytest.mark.parametrize("page", pages.notebooks(), ids=repr)
def test_page_alone_in_an_empty_folder(page, colab, tmp_path):
    copy = Path(shutil.copy(page.path, tmp_path))
    result = colab.python(tmp_path, "-m", "tests.shapes", copy, path=[pages.ROOT])
    if result.returncode:
        pytest.fail(result.stderr.replace(f"{copy.name}:", f"{page.name}:"), pytrace=False)
    assert (tmp_path / colab.name / "utils" / "attention.py").is_file()


# ---------------------------------------------------------------- true ones pass

TRUE = {
    "a call with each size": """
def f(x):
    B, n = x.shape
    return x.sum(-1)  # (B,)
f(torch.ones(2, 3)), f(torch.ones(5, 7))""",
    "letters bound by the first comment of a call": """
def f(x, y):
    z = x + y  # (a, b)
    return z.mT  # (b, a)
f(torch.ones(2, 3), 1), f(torch.ones(5, 7), 1)""",
    "a tuple": """
x = torch.ones(3, 4)  # (n, d)
best, where = x.max(-1)  # (n,), (n,), the best and its place
best, where = x.max(-1)  # (3,), (3,)""",
    "text behind the shape": "x = torch.ones(3, 4)  # (n, d), one row a query (see above)",
    "a method": """
class Layer(torch.nn.Module):
    def __init__(self, d):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(d, 2 * d))  # (d, 2 * d)
    def forward(self, x):
        '''A docstring.'''
        B, n, d = x.shape
        x = x @ self.w  # (B, n, 2 * d)
        return x  # (B, n, 2 * d)
Layer(4)(torch.ones(2, 3, 4)), Layer(5)(torch.ones(1, 3, 5))""",
    "a loop": """
for n in (1, 2, 3):
    x = torch.ones(n, n + 1)  # (n, n + 1)""",
    "a nested function": """
def outer(x):
    n = len(x)
    def inner(y):
        return y * 2  # (n, 1)
    inner(torch.ones(9, 1))
    return x + 1  # (n,)
outer(torch.ones(4))""",
    "arithmetic": """
offset, n, d = 2, 3, 8
x = torch.ones(offset + n, 2 * d, n - 1, d // 2)  # (offset + n, 2 * d, n - 1, d // 2)""",
    "arithmetic before its letter": "x = torch.ones(6, 3)  # (2 * q, q)",
    "numpy": "x = np.ones((3, 4))  # (3, 4)",
    "single numbers": """
a = 0.5  # ()
b = torch.tensor(1)  # ()
c = np.float64(2)  # ()""",
    "leading axes left open": """
for x in (torch.ones(3), torch.ones(2, 3), torch.ones(5, 2, 3)):
    y = x + 1  # (..., 3)""",
    "several lines": """
x = torch.tensor([
    [1.0, 2.0],  # the first
    [3.0, 4.0],
])  # (2, 2)
x += torch.ones(2)  # (2, 2)
x.add_(1)  # (2, 2)
x[0] = 0  # (2,)
a: torch.Tensor = x  # (2, 2)
b = c = x  # (2, 2)
d = 1; e = x  # (2, 2)
# (this line, in parentheses, is prose)""",
    "an error where one is due": "RAISES\nx = torch.ones(2)  # (2,)\nraise ValueError",
}


def problems_of(tmp_path, source):
    """What `run` says of a page of one cell; the lines of the cell begin at 1."""
    tags = ["raises-exception", "nbval-ignore-output"] if source.startswith("RAISES\n") else []
    source = source.removeprefix("RAISES\n").strip("\n")
    imports = code("import numpy as np\nimport torch")
    page = pages.Page(bare_page(tmp_path, 1, imports, code(source, *tags)))
    (tmp_path / "_config.yml").touch()
    page.code.pop(0)
    page.cells.remove(page.code[0])  # the start cell has its own tests
    return page, run(page)


@pytest.mark.parametrize("source", TRUE.values(), ids=TRUE)
def test_true_comments_pass(tmp_path, source):
    _, (problems, count) = problems_of(tmp_path, source)
    assert problems == []
    assert count == source.count("# (") - source.count("# (this line")


# ---------------------------------------------------------------- false ones do not

FALSE = {
    "an integer": ("x = torch.ones(3, 4)  # (3, 5)", 1,
                   "the comment says 5, and the value has 4 there: (3, 4)"),
    "the number of axes": ("x = torch.ones(3, 4)  # (n, d, 1)", 1,
                           "the value has 2 axes, (3, 4); the comment has 3, (n, d, 1)"),
    "a letter of the function": ("""
def f(x):
    n, d = x.shape
    return x.mT  # (n, d)
f(torch.ones(2, 3))""", 3, "n is 2 (by a variable), and the value has 3 there: (3, 2)"),
    "the second letter": ("""
def f(x):
    n, d = x.shape
    return x[:, 1:]  # (n, d)
f(torch.ones(2, 3))""", 3, "d is 3 (by a variable), and the value has 2 there: (2, 2)"),
    "a letter of the page": ("n = 3\n\nx = torch.ones(4)  # (n,)", 3,
                             "n is 3 (by a variable), and the value has 4 there"),
    "a letter of an earlier comment": ("x = torch.ones(4)  # (k,)\ny = x[1:]  # (k,)", 2,
                                       "k is 4 (by an earlier comment), and the value has 3 there"),
    "only the second call": ("""
def f(x):
    y = x[:3]  # (3,)
    return y.sum()  # ()
f(torch.ones(5))
f(torch.ones(2))""", 2, "the comment says 3, and the value has 2 there"),
    "only the last round of a loop": ("for n in (2, 1, 0):\n    x = torch.ones(n or 7)  # (n,)", 2,
                                      "n is 0 (by a variable), and the value has 7 there"),
    "one of a tuple": ("a, b = torch.ones(2, 3).max(-1)  # (2,), (3,)", 1,
                       "value 2: the comment says 3, and the value has 2 there"),
    "the number of values": ("a, b = torch.ones(2, 3).max(-1)  # (2,)", 1,
                             "2 values in a tuple, and the comment has 1 shape"),
    "the number of shapes": ("a = torch.ones(2)  # (2,), (2,)", 1,
                             "1 value, and the comment has 2 shapes"),
    "a sum": ("offset, n = 2, 3\nx = torch.ones(6)  # (offset + n,)", 2,
              "offset + n is 5, and the value has 6 there"),
    "a sum of unknown letters": ("x = torch.ones(6)  # (p + 1,)", 1,
                                 "p + 1 cannot be computed: p has no size yet"),
    "a method": ("""
class Layer(torch.nn.Module):
    def forward(self, x):
        B, n, d = x.shape
        return x.sum(1)  # (B, n)
Layer()(torch.ones(2, 3, 4))""", 4, "n is 3 (by a variable), and the value has 4 there"),
    "a number for an array": ("x = 1.0  # (1,)", 1, "the value has 0 axes, ()"),
    "too few axes": ("x = torch.ones(3)  # (..., n, m)", 1, "the value has 1 axes"),
    "no shape at all": ("x = 'text'  # (4,)", 1, "a value without a shape, str"),
    "nothing returned": ("def f():\n    return  # (n,)\nf()", 2,
                         "a value without a shape, NoneType"),
    "on a def": ("def f(x):  # (n,)\n    return x\nf(1)", 1, "cannot be checked here"),
    "on an argument": ("x = torch.add(\n    torch.ones(2),  # (2,)\n    1)", 2,
                       "cannot be checked here"),
    "on a loop": ("for x in torch.ones(2, 3):  # (3,)\n    pass", 1, "cannot be checked here"),
    "on a line of its own": ("# (n, d)\nx = torch.ones(2, 3)", 1, "cannot be checked here"),
    "no shape in the parentheses": ("x = torch.ones(2)  # (see above)", 1,
                                    "'(see above)' does not begin with a shape"),
    "one axis without its comma": ("x = torch.ones(2)  # (n)", 1, "one axis is written (n,)"),
    "a size that is none": ("x = torch.ones(2)  # (n / 2,)", 1, "'n / 2' is no size"),
    "never reached": ("def f(x):\n    return x  # (n,)", 2, "is never reached"),
    "never reached, in a branch": ("if False:\n    x = torch.ones(2)  # (2,)", 2, "never reached"),
    "never reached, behind an error": ("RAISES\nraise ValueError\nx = 1  # ()", 2, "never reached"),
    "an error": ("def f():\n    raise ValueError('no')\n\nf()", 4, "ValueError: no"),
}


@pytest.mark.parametrize("source, line, says", FALSE.values(), ids=FALSE)
def test_false_comments_are_named(tmp_path, source, line, says):
    page, ((problem,), _) = problems_of(tmp_path, source)
    cell = page.cells[-1]
    assert problem.startswith(f"{page.name}:{cell.line + line}: cell [3], line {line}: ")
    assert says in problem
    if "a shape" not in says and "cannot" not in says:  # the line in the file is that line
        wanted = source.removeprefix("RAISES\n").strip("\n").split("\n")[line - 1].strip()
        assert wanted in page.text.split("\n")[cell.line + line - 1]


def test_command_line(tmp_path, colab):
    """The status tells of a problem; the page runs where it stands; figures print no data."""
    good = bare_page(tmp_path, 1, code("print('x' * 1000)\na = 1  # ()"))
    bad = bare_page(tmp_path, 2, code("a = 1  # (2,)"))
    (tmp_path / "utils").mkdir()
    (tmp_path / "utils" / "attention.py").touch()
    done = colab.python(tmp_path, "-m", "tests.shapes", good, bad, path=[pages.ROOT])
    assert done.returncode == 1
    assert max(map(len, done.stdout.split("\n"))) < 160
    assert "chapters/01_sample.ipynb: " in done.stdout and "1 shape comments, no" in done.stdout
    assert done.stderr.startswith("chapters/02_sample.ipynb:") and "is false" in done.stderr
