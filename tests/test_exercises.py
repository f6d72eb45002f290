"""The checks of the exercises: plausible wrong answers, and what a student is told about each.

The pages themselves show that a stub gets "not yet" and a solution gets "right".
"""

import contextlib
import io
import textwrap

import matplotlib.pyplot as plt
import pytest

from tests.pages import notebooks

STREAMED = """
def streamed(blocks):
    largest = None
    for scores, mask, values in blocks:
        scores = scores.masked_fill(~mask, {fill})
        if largest is None:
            largest = torch.full_like(scores[:, :1], {start})
            total, pooled = torch.zeros_like(largest), values.new_zeros(len(scores), 1)
        higher = torch.maximum(largest, scores.amax(dim=1, keepdim=True))
        exponentials, old = torch.exp(scores - higher), torch.exp(largest - higher)
        total = old * total + exponentials.sum(dim=1, keepdim=True)
        pooled, largest = {old}pooled + exponentials @ values, higher
    return pooled / total"""

DISAGREEMENT = """
def disagreement(keys):
    _, first = additive(case_queries, keys, case_values, case_mask, need_weights=True)
    _, second = product(narrow, keys, case_values, case_mask, need_weights=True)
    return ({})"""

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
    "3.1": [
        ("def left_padding_mask(valid_lens, m): return length_mask(valid_lens, m)",
         "you allow the first keys"),
        ("def left_padding_mask(valid_lens, m): return ~length_mask(valid_lens, m).flip(-1)",
         "you mark the padding"),
        ("def left_padding_mask(valid_lens, m): return length_mask(valid_lens, m).flip(-1)[:, 0]",
         "wanted (4, 1, 4)"),
        ("def left_padding_mask(valid_lens, m): return length_mask(valid_lens, m).flip(-1).long()",
         "wanted a tensor of booleans"),
        ("def left_padding_mask(valid_lens, m): return (torch.arange(4, device=device)\n"
         "    >= 4 - valid_lens[:, None])[:, None]", "the shape (1, 1, 7)"),
        ("""
def left_padding_mask(valid_lens, m):
    mask = torch.zeros(len(valid_lens), 1, m, dtype=torch.bool)
    for row, length in zip(mask, valid_lens.tolist()):
        row[:, -length:] = True
    return mask""", "for length 0 of 4 keys you have 1111; wanted 0000"),
    ],
    "3.2": [
        ("""
def window_mask(size, before, after):
    places = torch.arange(size)
    behind = places[:, None] - places
    return (-before <= behind) & (behind <= after)""", "left and right are exchanged"),
        ("""
def window_mask(size, before, after):
    ahead = torch.arange(size) - torch.arange(size)[:, None]
    return (-before < ahead) & (ahead < after)""", "a word does not attend to itself"),
        ("def window_mask(size, before, after): return causal_mask(size)",
         "allows 15 pairs; wanted 9"),
        ("def window_mask(size, before, after): return torch.zeros(size, size)",
         "wanted a tensor of booleans of shape (5, 5)"),
    ],
    "3.3": [
        ("def packed_mask(documents): return causal_mask(6).to(device).expand(2, 6, 6)",
         "another document"),
        ("""
def packed_mask(documents):
    same = documents[:, :, None] == documents[:, None, :]
    return same & causal_mask(6).to(device).mT""", "a later word"),
        ("""
def packed_mask(documents):
    same = documents[:, :, None] == documents[:, None, :]
    return (same & causal_mask(6).to(device)).tril(-1)""", "or itself"),
        ("def packed_mask(documents): return documents == documents",
         "wanted a tensor of booleans of shape (2, 6, 6)"),
    ],
    "3.4": [
        ("""
def streamed(blocks):
    total = pooled = 0
    for scores, mask, values in blocks:
        exponentials = torch.exp(scores.masked_fill(~mask, -math.inf))
        total = total + exponentials.sum(dim=1, keepdim=True)
        pooled = pooled + exponentials @ values
    return pooled / total.masked_fill(total == 0, 1.0)""",
         "with scores near 1000, the row whose first block is masked is nan"),
        ("""
def streamed(blocks):
    return sum(masked_softmax(scores, mask) @ values for scores, mask, values in blocks)""",
         "is wrong"),
        (STREAMED.format(start="-math.inf", fill="-math.inf", old="old * "),
         "the row whose first block is masked is nan"),
        (STREAMED.format(start="0.0", fill="-math.inf", old="old * "),
         "the row without a key is nan"),
        (STREAMED.format(start="-1e9", fill="-1e9", old="old * "),
         "the row without a key is wrong"),
        (STREAMED.format(start="-1e9", fill="-math.inf", old=""), "is wrong"),
    ],
    "4.1": [
        (DISAGREEMENT.format("first - second).abs()[:, 0].sum(dim=-1"),
         "you count what moves twice"),
        (DISAGREEMENT.format("first - second).abs().sum(dim=-1"), "wanted a tensor of shape (2,)"),
        (DISAGREEMENT.format("first - second).abs()[:, 0].amax(dim=-1"), "your distances are"),
        (DISAGREEMENT.format("first - second)[:, 0].sum(dim=-1"), "your distances are"),
        (DISAGREEMENT.replace("case_mask", "None").format(
            "first - second).abs()[:, 0].mul(0.5).sum(dim=-1"), "your distances are"),
    ],
    "4.2": [
        ("def low_rank_scores(queries, keys, A, C): return queries @ (A @ C.mT) @ keys.mT",
         "you build W"),
        ("def low_rank_scores(queries, keys, A, C):\n"
         "    return (queries @ A) @ (keys @ C).mT / math.sqrt(A.shape[1])",
         "by the root of the rank"),
        ("def low_rank_scores(queries, keys, A, C): return (keys @ C) @ (queries @ A).mT",
         "wanted a tensor of shape (2, 3, 5)"),
        ("def low_rank_scores(queries, keys, A, C): return (queries @ A) @ (keys @ C)",
         "the products do not fit"),
        ("def low_rank_scores(queries, keys, A, C):\n"
         "    return torch.tanh(queries @ A) @ (keys @ C).mT", "not the scores of W"),
    ],
    "4.3": [
        ("def sum_scores(queries, keys): return keys.sum(dim=1).expand(len(queries), len(keys))",
         "you have left it out"),
        ("def sum_scores(queries, keys): return queries.sum(dim=1) + keys.sum(dim=1)[:, None]",
         "wanted a tensor of shape (2, 3)"),
        ("def sum_scores(queries, keys): return queries @ keys.mT", "the sum is 6; you have 3"),
        ("def sum_scores(queries, keys): return queries[0].sum() + keys.sum(dim=1).expand(\n"
         "    len(queries), len(keys))", "the sum is 6"),
    ],
    "4.4": [
        ("""
def query_jacobian(query, keys, values, mask):
    alpha = masked_softmax(keys @ query / math.sqrt(len(query)), mask)
    products = values.mT @ (alpha[:, None] * keys)
    return products - torch.outer(alpha @ values, alpha @ keys)""", "the factor 1 / sqrt(d)"),
        ("""
def query_jacobian(query, keys, values, mask):
    alpha = masked_softmax(keys @ query / math.sqrt(len(query)), mask)
    return values.mT @ (alpha[:, None] * keys) / math.sqrt(len(query))""",
         "subtract the product of the means"),
        ("def query_jacobian(query, keys, values, mask): return values.mT @ keys",
         "with 7 keys allowed, yours is not the derivative"),
        ("""
def query_jacobian(query, keys, values, mask):
    alpha = torch.softmax(keys @ query / math.sqrt(len(query)), dim=0)
    products = values.mT @ (alpha[:, None] * keys)
    return (products - torch.outer(alpha @ values, alpha @ keys)) / math.sqrt(len(query))""",
         "with 3 keys allowed"),
        ("""
def query_jacobian(query, keys, values, mask):
    scores = (keys @ query / math.sqrt(len(query))).masked_fill(~mask, -math.inf)
    alpha = torch.softmax(scores, dim=0)
    products = values.mT @ (alpha[:, None] * keys)
    return (products - torch.outer(alpha @ values, alpha @ keys)) / math.sqrt(len(query))""",
         "with 0 keys allowed, you return nan"),
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
