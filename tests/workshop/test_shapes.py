"""Shape comments: false ones and those that cannot be checked are named; true ones pass on every page."""

import numpy as np
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

from workshop.shapes import InKernel

# fmt: off
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


def run(source):
    """Run code in an IPython like a kernel's; return what is said."""
    shell = InteractiveShell(user_ns={"np": np, "torch": torch})
    in_kernel = InKernel(shell)
    shell.run_cell(source.strip("\n"), store_history=False)
    return in_kernel.report()


@pytest.mark.parametrize("source, line, says", FALSE.values(), ids=FALSE)
def test_false_comments_are_named(source, line, says):
    (((number, actual), problem),) = run(source)
    assert (number, actual) == (1, line) and says in problem


def test_nothing_is_displayed_or_hidden_by_a_check(capsys):
    run("x = torch.ones(2)  # (2,)")
    assert capsys.readouterr().out == ""
    run("torch.ones(2)  # (2,)")
    assert "tensor([1., 1.])" in capsys.readouterr().out


def test_an_instrument_that_breaks_is_no_silence(monkeypatch):
    monkeypatch.setattr("workshop.shapes.shape_comments", lambda *_: 1 / 0)
    with pytest.raises(AssertionError, match="were not checked"), pytest.warns(UserWarning):
        run("x = torch.ones(2)  # (3,)")
