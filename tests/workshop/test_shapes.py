"""Shape comments: true ones pass, false ones and those that cannot be checked are named."""

import numpy as np
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

from workshop.shapes import InKernel

# fmt: off
TRUE = {
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
# (this line, in parentheses, is prose)""",
}
FALSE = {
    "an integer": ("x = torch.ones(3, 4)  # (3, 5)", 1,
                   "the comment says 5, and the value has 4 there: (3, 4)"),
    "the number of axes": ("x = torch.ones(3, 4)  # (n, d, 1)", 1,
                           "the value has 2 axes, (3, 4); the comment says (n, d, 1)"),
    "a letter of the function": ("""
def f(x):
    n, d = x.shape
    return x.mT  # (n, d)
f(torch.ones(2, 3))""", 3, "the comment says n = 2, and the value has 3 there: (3, 2)"),
    "a letter of an earlier comment": ("x = torch.ones(4)  # (k,)\ny = x[1:]  # (k,)", 2,
                                       "k = 4, and the value has 3 there"),
    "only the second call": ("""
def f(x):
    y = x[:3]  # (3,)
    return y.sum()  # ()
f(torch.ones(5))
f(torch.ones(2))""", 2, "the comment says 3, and the value has 2 there"),
    "the number of values": ("a, b = torch.ones(2, 3).max(-1)  # (2,)", 1,
                             "values: 2, and shapes in the comment: 1"),
    "a sum of unknown letters": ("x = torch.ones(6)  # (p + 1,)", 1,
                                 "p + 1 cannot be computed"),
    "no shape at all": ("x = 'text'  # (4,)", 1, "a value without a shape, str"),
    "on a line of its own": ("# (n, d)\nx = torch.ones(2, 3)", 1, "cannot be checked here"),
    "no shape in the parentheses": ("x = torch.ones(2)  # (see above)", 1,
                                    "'(see above)' does not begin with a shape"),
    "a size that is none": ("x = torch.ones(2)  # (n / 2,)", 1, "'n / 2' is no size"),
    "never reached": ("def f(x):\n    return x  # (n,)", 2, "is never reached"),
}
# fmt: on


@pytest.fixture
def run():
    """Run code in an IPython like a kernel's; return what is said, and how many are checked."""

    def run_cell(source):
        shell = InteractiveShell(user_ns={"np": np, "torch": torch})
        in_kernel = InKernel(shell)
        shell.run_cell(source.strip("\n"), store_history=False)
        return in_kernel.report(), len(in_kernel.comments)

    return run_cell


@pytest.mark.parametrize("source", TRUE.values(), ids=TRUE)
def test_true_comments_pass(run, source):
    problems, count = run(source)
    assert problems == []
    assert count == source.count("# (") - source.count("# (this line")


@pytest.mark.parametrize("source, line, says", FALSE.values(), ids=FALSE)
def test_false_comments_are_named(run, source, line, says):
    (((number, found), problem),), _ = run(source)
    assert (number, found) == (1, line) and says in problem


def test_nothing_is_displayed_or_hidden_by_a_check(run, capsys):
    run("x = torch.ones(2)  # (2,)")
    assert capsys.readouterr().out == ""
    run("torch.ones(2)  # (2,)")
    assert "tensor([1., 1.])" in capsys.readouterr().out


def test_an_instrument_that_breaks_is_no_silence(run, monkeypatch):
    monkeypatch.setattr("workshop.shapes.shape_comments", lambda *_: 1 / 0)
    with pytest.raises(AssertionError, match="were not checked"), pytest.warns(UserWarning):
        run("x = torch.ones(2)  # (3,)")
