"""The checks of the exercises: plausible wrong answers, and what a student is told about each.

The pages themselves show that a stub gets "not yet" and a solution gets "right".
"""

import contextlib
import io
import textwrap

import matplotlib.pyplot as plt
import pytest

from tests.pages import notebooks

# exercise -> [(a wrong answer, words of the diagnosis)]
WRONG = {
    "1.1": [
        ("def hard_lookup(query, keys, values): return keys[(keys @ query).argmax()]",
         "you return a key"),
        ("def hard_lookup(query, keys, values): return values[(keys @ query).argmin()]",
         "the value of the worst key"),
        ("def hard_lookup(query, keys, values): return (keys @ query).argmax()", "shape ()"),
        ("def hard_lookup(query, keys, values): return 'book'", "your result is a str"),
        ("def hard_lookup(query, keys, values): return torch.softmax(keys @ query, 0) @ values",
         "not the limit of the soft lookup"),
        ("def hard_lookup(query, keys, values):\n"
         "    return values[(keys - query).norm(dim=1).argmin()]", "dot product"),
    ],
    "1.2": [
        ("def temperature_for(scores, share): return 1.0", "you reach a largest weight of"),
        ("def temperature_for(scores, share): return -1.0", "it must be above 0"),
        ("""
def temperature_for(scores, share):
    low, high = 1e-3, 1e3
    for _ in range(60):
        middle = math.sqrt(low * high)
        if torch.softmax(scores / middle, dim=0).max() < share:
            low = middle
        else:
            high = middle
    return middle""", "you reach a largest weight of"),
    ],
    "1.3": [
        ("def limit_weights(scores):\n"
         "    return torch.nn.functional.one_hot(scores.argmax(), len(scores)).float()",
         "equal scores get equal weights"),
        ("def limit_weights(scores): return (scores == scores.max())", "your weights sum to 2"),
        ("def limit_weights(scores): return torch.softmax(scores, 0)", "equal scores"),
    ],
    "1.4": [
        ("def recover_weights(pool, m): return torch.stack([\n"
         "    pool(torch.eye(m, device=device)[:, i]) for i in range(m)])", "5 times; call it once"),
        ("def recover_weights(pool, m): return torch.ones(m) / m", "0 times; call it once"),
        ("def recover_weights(pool, m): return pool(torch.ones(m, 1, device=device))",
         "your result has shape (1,)"),
        ("def recover_weights(pool, m): return pool(2 * torch.eye(m, device=device))",
         "not the hidden weights"),
    ],
    "2.1": [
        ("""
def tricube_weights(queries, keys, width):
    kernels = (1 - ((queries[:, None] - keys) / width).abs() ** 3).clamp(min=0) ** 3
    return kernels / kernels.sum(dim=1, keepdim=True)""", "gives nan"),
        ("""
def tricube_weights(queries, keys, width):
    kernels = (1 - ((queries[:, None] - keys) / width).abs() ** 3) ** 3
    return kernels / kernels.sum(dim=1, keepdim=True)""", "no key is in reach of 9"),
        ("def tricube_weights(queries, keys, width):\n"
         "    return kernel_weights(keys, queries, gaussian, width).mT", "each row is a query"),
        ("def tricube_weights(queries, keys, width):\n"
         "    return kernel_weights(queries, keys, epanechnikov, width)", "wanted 0.5988"),
        ("def tricube_weights(queries, keys, width): return torch.zeros(2, 3)", "wanted (3, 2)"),
    ],
    "2.2": [
        ("""
def repaired_pool(queries, keys, values):
    for i in range(len(values)):
        queries[i] = (torch.softmax(-(queries[i] - keys) ** 2 / 2, dim=0) * values).sum()
    return queries""", "an index leaves its tensor"),
        ("""
def repaired_pool(queries, keys, values):
    for i in range(len(queries)):
        queries[i] = (torch.softmax(-(queries[i] - keys) ** 2 / 2, dim=0) * values).sum()
    return queries""", "the caller's queries have changed"),
        ("""
def repaired_pool(queries, keys, values):
    outputs = queries.clone()
    for i in range(min(len(queries), len(values))):
        outputs[i] = (torch.softmax(-(queries[i] - keys) ** 2 / 2, dim=0) * values).sum()
    return outputs""", "with 60 queries and 50 keys, 10 outputs are wrong"),
        ("def repaired_pool(queries, keys, values): return values", "wanted (40,)"),
    ],
    "2.3": [
        ("def effective_keys(weights): return 1 / weights.pow(2).sum(dim=0)", "sum over keys"),
        ("def effective_keys(weights): return 1 / weights.pow(2).sum(dim=1)", "a row of zeros"),
        ("def effective_keys(weights): return (weights > 0).sum(dim=1).float()", "you find"),
    ],
    "2.4": [
        ("def local_linear(queries, keys, values, width):\n"
         "    return estimate_at(queries, keys, values, width)", "points on a line come back off"),
        ("""
def local_linear(queries, keys, values, width):
    centred = keys - keys.mean()
    slope = (centred @ values) / (centred @ centred)
    return values.mean() + slope * (queries - keys.mean())""", "a line comes back, but not a curve"),
        ("def local_linear(queries, keys, values, width): return values", "wanted (101,)"),
    ],
}


@pytest.fixture(scope="module")
def names():
    """Exercise number -> what its page has defined when all of it has run."""
    defined = {}
    for page in notebooks():
        namespace = {"__name__": "__main__"}
        with contextlib.chdir(page.path.parent), contextlib.redirect_stdout(io.StringIO()):
            for cell in page.cells:
                # What fails in the page is for the page's own tests to say, not for each of these.
                if cell.kind == "code":
                    with contextlib.suppress(Exception):
                        exec(compile(cell.source, page.name, "exec"), namespace)
        plt.close("all")
        for cell in page.cells:
            if "solution" in cell.tags:
                defined[cell.lines[0].split()[-1]] = (cell, namespace)
    return defined


@pytest.mark.parametrize("exercise, answer, diagnosis", [
    pytest.param(exercise, answer, diagnosis, id=f"{exercise}: {diagnosis}")
    for exercise, answers in WRONG.items() for answer, diagnosis in answers])
def test_wrong_answer_is_told_what_is_wrong(names, exercise, answer, diagnosis):
    cell, namespace = names[exercise]
    scope = dict(namespace)
    exec(textwrap.dedent(answer), scope)
    function = answer.split("def ")[1].split("(")[0]
    check = next(line for line in cell.lines if line.startswith("assert check_"))
    said = eval(check.removeprefix("assert ").removesuffix(' == "right"'), scope)
    assert function in check and diagnosis in said, said


def test_every_exercise_has_wrong_answers(names):
    assert set(names) == set(WRONG)
