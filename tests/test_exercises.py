"""The checks of the exercises: plausible wrong answers, and what a student is told about each.

The pages themselves show that a stub gets "not yet" and a solution gets "right".
"""

import contextlib
import io
import re
import symtable
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

REORDER = """
def reorder(layer, order):
    H = 3
    other, state = MultiHeadAttention(12, 3, bias=False).to(device), layer.state_dict()
    for name in ("W_q.weight", "W_k.weight", "W_v.weight"):
        state[name] = state[name].unflatten(0, (H, -1))[order].flatten(0, 1)
    {}
    other.load_state_dict(state)
    return other"""

PREVIOUS = """
def previous_token_layer():
    layer = MultiHeadAttention(12, 1, bias=False)
    shift, same = torch.zeros(12, 12), torch.zeros(12, 12)
    shift[:6, :6] = {} * torch.diag(torch.ones(9), {})[:6, :6]
    same[:6, :6] = torch.eye(6)
    matrices = dict(W_q=shift, W_k=same, W_v=torch.eye(12), W_o={})
    layer.load_state_dict({{f"{{name}}.weight": W for name, W in matrices.items()}})
    return layer.to(device)"""

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
    "5.1": [
        ("def cells_looked_at(weights): return -(weights * weights.log()).sum(-1).exp()",
         "nan: the logarithm of 0 is -inf"),
        ("def cells_looked_at(weights): return -torch.special.xlogy(weights, weights).sum(-1)",
         "that is the entropy"),
        ("def cells_looked_at(weights): return torch.special.xlogy(weights, weights).sum(-1).exp()",
         "the sign of the sum is missing"),
        ("def cells_looked_at(weights): return (weights > 0).sum(-1).float()",
         "for 0.9 and 0.1 you have 2.00"),
        ("def cells_looked_at(weights): return torch.special.xlogy(weights, weights).sum().neg()",
         "wanted a tensor of shape (4,)"),
    ],
    "5.2": [
        ("""
def two_glimpses(query, X, keys, W):
    a = torch.softmax(keys @ query, dim=0)
    return a @ X, torch.stack([a, a])""", "the second glimpse falls on the first cell again"),
        ("""
def two_glimpses(query, X, keys, W):
    a = torch.softmax(keys @ query, dim=0)
    b = torch.softmax(keys @ (W @ (a @ X)), dim=0)
    return a @ X, torch.stack([a, b])""", "the second context is not the cell"),
        ("""
def two_glimpses(query, X, keys, W):
    a = torch.softmax(-keys @ query, dim=0)
    return a @ X, torch.stack([a, a])""", "the first glimpse falls on the wrong cell"),
        ("def two_glimpses(query, X, keys, W):\n    a = torch.softmax(keys @ query, dim=0)\n"
         "    return a @ X, a", "the weights have shape (6,)"),
    ],
    "5.3": [
        ("""
def dot_attention(states, X, W_q, W_k):
    a = ((states @ W_q.mT) @ (X @ W_k.mT).mT).softmax(-1)
    return a @ X, a""", "the scale is missing"),
        ("""
def dot_attention(states, X, W_q, W_k):
    a = ((states @ W_q.mT) @ (X @ W_k.mT).mT / 2).softmax(1)
    return a @ X, a""", "must sum to 1 over its cells"),
        ("""
def dot_attention(states, X, W_q, W_k):
    a = ((states @ W_q.mT) @ (X @ W_k.mT).mT / states.shape[-1] ** 0.5).softmax(-1)
    return a @ X, a""", "the contexts are not PyTorch's"),
        ("""
def dot_attention(states, X, W_q, W_k):
    a = ((states @ W_q.mT) @ (X @ W_k.mT).mT / 2).softmax(-1)
    return a.mT @ (a @ X), a""", "wanted (3, 2, 6)"),
        ("""
def dot_attention(states, X, W_q, W_k):
    return step(states[:, 0], X, W_q, W_k)


def step(h, X, W_q, W_k):
    a = ((h @ W_q.mT).unsqueeze(1) @ (X @ W_k.mT).mT / 2).softmax(-1)
    return (a @ X).squeeze(1), a.squeeze(1)""", "wanted (3, 2, 6) and (3, 2, 9)"),
    ],
    "6.1": [
        ("def hard(weights): return (weights == weights.max(-1, keepdim=True).values).float()",
         "the last row is empty"),
        ("def hard(weights):\n"
         "    top = (weights == weights.max(-1, keepdim=True).values) & (weights > 0)\n"
         "    return top.float()", "four equal weights: your row sums to 4"),
        ("def hard(weights): return F.one_hot(weights.argmax(dim=-1), 3).float()",
         "the last row is empty"),
        ("def hard(weights): return weights.argmax(dim=-1)", "wanted a tensor of shape (3, 3)"),
        ("def hard(weights):\n    top = (weights >= 0.5).float()\n"
         "    return top / top.sum(-1, keepdim=True)", "the empty row became nan"),
        ("def hard(weights): return weights.round()", "for the weights 0.2, 0.5, 0.3 you have"),
    ],
    "6.2": [
        ("def sparsemax(z): return z.softmax(dim=-1)", "for [1.0, 0.0] you have [0.731, 0.269]"),
        ("def sparsemax(z): return z.clamp(min=0)", "your weights sum to 0.50"),
        ("def sparsemax(z): return z - (z.sum(-1, keepdim=True) - 1) / z.shape[-1]",
         "one weight is -1.50"),
        ("def sparsemax(z):\n    p = z.softmax(dim=-1)\n    p = p * (p > 0.3)\n"
         "    return p / p.sum(-1, keepdim=True)", "wanted [0.75, 0.25]"),
        ("def sparsemax(z): return z.softmax(dim=-1).sum(-1)", "wanted a tensor of shape (1, 2)"),
        ("""
def sparsemax(z):
    k = torch.arange(1, z.shape[-1] + 1)
    sums = z[(0,) * (z.dim() - 1)].sort(descending=True).values.cumsum(0)
    support = (1 + k * z[(0,) * (z.dim() - 1)].sort(descending=True).values > sums).sum()
    return (z - (sums[support - 1] - 1) / support).clamp(min=0)""", "and not for a batch of them"),
    ],
    "6.3": [
        ("def ask(attention, words, vectors):\n"
         "    scores = torch.tanh(attention.W(vectors)) @ attention.u\n"
         "    return [words[i] for i in scores.argsort().tolist()]", "the other way round"),
        ("def ask(attention, words, vectors):\n"
         "    scores = attention.W(vectors) @ attention.u\n"
         "    return [words[i] for i in scores.argsort(descending=True).tolist()]",
         "where is the tanh?"),
        ("def ask(attention, words, vectors):\n"
         "    scores = torch.tanh(vectors @ attention.W.weight.mT) @ attention.u\n"
         "    return [words[i] for i in scores.argsort(descending=True).tolist()]",
         "the bias b of the layer is missing"),
        ("def ask(attention, words, vectors): return words[:2]", "wanted the four words"),
        ("def ask(attention, words, vectors): return sorted(words)",
         "the scores are 1.52 for best"),
    ],
    "7.1": [
        ("def parameter_count(d_model, num_heads, head_size, bias):\n"
         "    return 4 * d_model * num_heads * head_size + 4 * num_heads * head_size * bias",
         "the bias of W_o has d_model entries"),
        ("def parameter_count(d_model, num_heads, head_size, bias): return 4 * d_model ** 2",
         "parameter_count(8, 2, 4, True) is 256; wanted 288"),
        ("def parameter_count(d_model, num_heads, head_size, bias):\n"
         "    return 3 * d_model * num_heads * head_size", "wanted 256"),
    ],
    "7.2": [
        ("def reorder(layer, order): return layer", "the heads are still in the old order"),
        ("def reorder(layer, order): return torch.nn.Linear(12, 12)", "wanted a MultiHeadAttention(12, 3, bias=False)"),
        (REORDER.format("pass"), "the weights are right, the outputs are not"),
        (REORDER.format('state["W_o.weight"] = state["W_o.weight"].unflatten(0, (H, -1))[order]'
                        ".flatten(0, 1)"), "the weights are right, the outputs are not"),
        (REORDER.replace("[order]", "[[1, 2, 0]]").format("pass"), "is not head order[h]"),
        ("""
def reorder(layer, order):
    for W in (layer.W_q, layer.W_k, layer.W_v):
        W.weight.data = W.weight.unflatten(0, (3, -1))[order].flatten(0, 1)
    return layer""", "the layer that was given has changed"),
    ],
    "7.3": [
        (PREVIOUS.format(50, "-1", "torch.eye(12)"), "your head looks at the next token"),
        (PREVIOUS.format(5, "1", "torch.eye(12)"), "make the scores larger"),
        (PREVIOUS.format(50, "1", "torch.eye(12).flip(0)"), "does not copy their content"),
        (PREVIOUS.format(50, "0", "torch.eye(12)"), "your head looks at the tokens"),
        ("def previous_token_layer(): return MultiHeadAttention(12, 2).to(device)", "one head"),
    ],
    "7.4": [
        ("""
def prune(layer, keep):
    other = MultiHeadAttention(24, 6, bias=False).to(device)
    other.load_state_dict(layer.state_dict())
    with torch.no_grad():
        blocks = other.W_o.weight.view(24, 6, 4)
        blocks[:, [h for h in range(6) if h not in keep]] = 0
    return other""", "you compute more than these heads need"),
        ("def prune(layer, keep): return layer", "with the heads [4, 1] the output is wrong"),
        ("def prune(layer, keep): return layer.W_o.weight", "wanted a function"),
        ("""
def prune(layer, keep):
    with torch.no_grad():
        layer.W_o.weight.zero_()
    return layer""", "the layer that was given has changed"),
        ("def prune(layer, keep): return lambda q, k, v: q[:, :1]", "the shape of the queries"),
        ("""
def prune(layer, keep):
    rows = [W.weight.unflatten(0, (6, -1))[keep].flatten(0, 1)
            for W in (layer.W_q, layer.W_k, layer.W_v)]
    columns = layer.W_o.weight.unflatten(1, (6, -1))[:, keep].flatten(1)
    def pruned(*inputs):
        q, k, v = (split_heads(x @ W.mT, len(keep)) for x, W in zip(inputs, rows))
        return merge_heads(masked_softmax(q @ k.mT / math.sqrt(4 * len(keep))) @ v) @ columns.mT
    return pruned""", "is the scale that of d?"),
    ],
    "8.1": [
        ("def allowed_pairs(n, offset): return n * (n - 1) // 2 + n * offset", "the diagonal"),
        ("def allowed_pairs(n, offset): return n * (n + 1) // 2", "each row has 2 more keys"),
        ("def allowed_pairs(n, offset): return n * (n + 1) // 2 + offset",
         "you count 8; wanted 12"),
        ("def allowed_pairs(n, offset): return int(causal_mask(n, offset).sum())",
         "counted one by one"),
        ("def allowed_pairs(n, offset): return sum(i + 1 + offset for i in range(n))",
         "counted one by one"),
        ("def allowed_pairs(n, offset): return n * n // 2", "you count 8; wanted 10"),
    ],
    "8.2": [
        ("def unseen_order(n): return list(range(n))[::-1]", "which word asks for it?"),
        ("def unseen_order(n): return list(range(n))", "a word stays that could have moved"),
        ("def unseen_order(n): return [1, 0, *range(2, n)]", "a word stays that could have moved"),
        ("def unseen_order(n): return [0] * n", "is not the numbers 0 to 2"),
    ],
    "8.3": [
        ("def step_by_step(layer, x): return layer(x, x, x, causal_mask(x.shape[1]).to(device))",
         "one query in each call, and no mask"),
        ("""
def step_by_step(layer, x):
    steps = range(x.shape[1])
    return torch.cat([layer(x[:, i:i + 1], x[:, :i], x[:, :i]) for i in steps], dim=1)""",
         "is word i there?"),
        ("""
def step_by_step(layer, x):
    return torch.cat([layer(x[:, i:i + 1], x, x) for i in range(x.shape[1])], dim=1)""",
         "your calls had [5, 5, 5, 5, 5] keys"),
        ("def step_by_step(layer, x): return layer(x[:, :1], x[:, :1], x[:, :1])",
         "wanted a tensor of the shape of x"),
        ("""
def step_by_step(layer, x):
    return torch.cat([layer(x[:, :1], x[:, :i + 1], x[:, :i + 1]) for i in range(5)], dim=1)""",
         "is word i the query of step i?"),
        ("""
def step_by_step(layer, x):
    steps = [layer(x[:, i:i + 1], x[:, :i + 1], x[:, :i + 1]) for i in range(5)]
    return torch.cat(steps[::-1], dim=1)""", "join them along axis 1, in their order"),
    ],
    "8.4": [
        ("def reach(mask, layers): return mask", "with layers = 2 you find 18 pairs; wanted 25"),
        ("def reach(mask, layers): return torch.matrix_power(mask.float(), layers)",
         "wanted a tensor of booleans"),
        ("def reach(mask, layers): return torch.matrix_power(mask.float(), layers).mT > 0",
         "rows are outputs"),
        ("def reach(mask, layers): return torch.matrix_power(mask.float(), layers + 1) > 0",
         "with layers = 1 you find 25 pairs; wanted 18"),
        ("""
def reach(mask, layers):
    places = torch.arange(len(mask), device=mask.device)
    ahead = places - places[:, None]
    low, high = ahead[mask].min(), ahead[mask].max()
    return (ahead >= layers * low) & (ahead <= layers * high)""", "18 pairs; wanted 12"),
    ],
    "9.1": [
        ("def places_between(a, b):\n"
         "    return math.atan2(b[0] * a[1] - b[1] * a[0], a[0] * b[0] + a[1] * b[1])",
         "a fast hand has gone round"),
        ("def places_between(a, b):\n"
         "    angle = math.atan2(a[-2] * b[-1] - b[-2] * a[-1], a[-2] * b[-2] + a[-1] * b[-1])\n"
         "    return angle / 10000 ** (-30 / 32)", "right but for the sign"),
        ("def places_between(a, b):\n"
         "    return math.acos(min(1, a[-2] * b[-2] + a[-1] * b[-1])) / 10000 ** (-30 / 32)",
         "right but for the sign"),
        ("def places_between(a, b): return a @ b", "for i = 0 and j = 0 you find 16.00; wanted 0"),
    ],
    "9.2": [
        ("def closest_gap(n, D): return 0", "a place is nearest to itself"),
        ("def closest_gap(n, D): return 1", "n = 10, D = 2: codes 1 places apart have distance"),
        ("def closest_gap(n, D): return n", "wanted a number from 1 to 9"),
        ("def closest_gap(n, D): return 0.28", "not a distance"),
        ("def closest_gap(n, D): return 6", "n = 100, D = 2: codes 6 places apart have distance"),
    ],
    "9.3": [
        ("""
def stray(D, n):
    p = PositionalEncoding(D)(torch.zeros(n, D))
    return (p @ p.mT).max() - (p @ p.mT).min()""", "the range of the whole matrix"),
        ("def stray(D, n): return 0.0", "D = 3, n = 300: you find 0.000; wanted 0.361"),
    ],
    "9.4": [
        ("""
def decode_rotary(queries, keys, values):
    return F.scaled_dot_product_attention(
        queries, keys, values, attn_mask=causal_mask(len(queries)).to(device))""",
         "this is attention without places"),
        ("""
def decode_rotary(queries, keys, values):
    rows = [F.scaled_dot_product_attention(
        rotate(queries[i:i + 1]), torch.cat([rotate(keys[j:j + 1]) for j in range(i + 1)]),
        values[:i + 1]) for i in range(len(queries))]
    return torch.cat(rows)""", "does every row get the offset 0?"),
        ("""
def decode_rotary(queries, keys, values):
    rows = [F.scaled_dot_product_attention(
        rotate(queries[i:i + 1], i), rotate(keys[:i + 1]), values[:i + 1])
        for i in range(len(queries))]
    return torch.cat(rows)""", "you rotate 54 rows in 18 calls"),
        ("""
def decode_rotary(queries, keys, values):
    mask = causal_mask(len(queries)).to(device)
    return F.scaled_dot_product_attention(rotate(queries), rotate(keys), values, attn_mask=mask)""",
         "you rotate 18 rows in 2 calls"),
        ("""
def decode_rotary(queries, keys, values):
    kept = [rotate(keys[i:i + 1], i + 1) for i in range(len(keys))]
    rows = [F.scaled_dot_product_attention(
        rotate(queries[i:i + 1], i), torch.cat(kept[:i + 1]), values[:i + 1])
        for i in range(len(queries))]
    return torch.cat(rows)""", "which place has row i?"),
        ("def decode_rotary(queries, keys, values): return values.sum()", "wanted a tensor of"),
    ],
    "10.1": [
        ("def swapped(block, x): return block(x)", "that is pre-norm"),
        ("""
def swapped(block, x):
    x = block.norm1(x + block.attention(x, x, x))
    return x + block.ffn(x)""", "the last norm is missing"),
        ("""
def swapped(block, x):
    x = x + block.norm1(block.attention(x, x, x))
    return x + block.norm2(block.ffn(x))""", "you normalise what a part gives"),
        ("""
def swapped(block, x):
    x = block.norm2(x + block.attention(x, x, x))
    return block.norm1(x + block.ffn(x))""", "which norm stands behind which sum?"),
    ],
    "10.2": [
        ("""
def greedy(model, src, start, steps):
    memory, cache = model.encode(src), {}
    written = torch.full((len(src), 1), start)
    for _ in range(steps):
        logits = model.decode(written, memory, src, cache)
        written = torch.cat([written, logits[:, -1:].argmax(-1)], dim=1)
    return written""", "36 tokens in 8 steps; which of them are new to the cache?"),
        ("""
def greedy(model, src, start, steps):
    memory, written = model.encode(src), torch.full((len(src), 1), start)
    for _ in range(steps):
        logits = model.decode(written, memory, src)
        written = torch.cat([written, logits[:, -1:].argmax(-1)], dim=1)
    return written""", "everything is computed again"),
        ("""
def greedy(model, src, start, steps):
    memory, written = model.encode(src), torch.full((len(src), 1), start)
    for _ in range(steps):
        logits = model.decode(written[:, -1:], memory, src, {})
        written = torch.cat([written, logits.argmax(-1)], dim=1)
    return written""", "is it the same cache"),
        ("""
def greedy(model, src, start, steps):
    cache, written = {}, torch.full((len(src), 1), start)
    for _ in range(steps):
        logits = model.decode(written[:, -1:], model.encode(src), src, cache)
        written = torch.cat([written, logits.argmax(-1)], dim=1)
    return written""", "the source is encoded 8 times"),
        ("def greedy(model, src, start, steps): return src", "your result has shape (3, 7)"),
    ],
    "10.3": [
        ("""
def tie(model):
    model.output.weight.data.copy_(model.target.weight.data)
    return model""", "two parameters"),
        ("""
def tie(model):
    model.output.weight = model.target.weight
    return model""", "the logits have a standard deviation of"),
        ("def tie(model): return model", "two parameters"),
        ("""
def tie(model):
    model.output.weight = model.target.weight
    model.source = model.target
    return nn.init.normal_(model.target.weight, std=0.125) is None or model""",
         "5760 parameters fewer; wanted 3200"),
    ],
    "10.4": [
        ("""
def language_model(tokens, embedding, places, blocks, norm, output):
    x = places(embedding(tokens))
    for block in blocks:
        x = block(x)
    return output(norm(x))""", "where is the mask?"),
        ("""
def language_model(tokens, embedding, places, blocks, norm, output):
    x = embedding(tokens)
    for block in blocks:
        x = block(x, causal_mask(tokens.shape[1]))
    return output(norm(x))""", "are places, all blocks and the norm used?"),
        ("def language_model(tokens, embedding, *parts): return embedding(tokens)",
         "your logits have shape (2, 7, 16)"),
    ],
    "11.1": [
        ("""
def mean_loss(logits, tokens):
    return F.cross_entropy(logits.mT, tokens[:, 1:])""", "the padding is counted"),
        ("""
def mean_loss(logits, tokens):
    losses = F.cross_entropy(logits.mT, tokens[:, 1:], reduction="none")
    return losses.masked_fill(tokens[:, 1:] == 0, 0.0).mean()""", "its places are in the mean"),
        ("""
def mean_loss(logits, tokens):
    rows = zip(logits, tokens)
    return sum(F.cross_entropy(x[t[1:] != 0], t[1:][t[1:] != 0]) for x, t in rows) / 3""",
         "each sentence weighs the same"),
        ("""
def mean_loss(logits, tokens):
    return F.cross_entropy(logits.mT, tokens[:, :-1], ignore_index=0)""", "not with the next"),
        ("""
def mean_loss(logits, tokens):
    return F.cross_entropy(logits.mT, tokens[:, 1:], ignore_index=0, reduction="sum")""",
         "the sum, not the mean"),
    ],
    "11.2": [
        ("""
def bleu_by_hand(sentences, references):
    return corpus_bleu([[words] for words in references], sentences, (0.5, 0.5))""",
         "up to pairs of words only"),
        ("""
def bleu_by_hand(sentences, references):
    score = 1.0
    for n in (1, 2, 3, 4):
        shared = written = 0
        for one, two in zip(sentences, references):
            grams = [[tuple(x[i:i + n]) for i in range(len(x) - n + 1)] for x in (one, two)]
            shared += sum(gram in grams[1] for gram in grams[0])
            written += len(grams[0])
        score *= (shared / written) ** 0.25
    c, r = sum(map(len, sentences)), sum(map(len, references))
    return score * min(1.0, math.exp(1 - r / c))""", "at most as often as in the reference"),
        ("""
def bleu_by_hand(sentences, references):
    c, r = sum(map(len, sentences)), sum(map(len, references))
    score = corpus_bleu([[words] for words in references], sentences)
    return score if c < r else score * math.exp(1 - r / c)""", "too long is no merit"),
        ("""
def bleu_by_hand(sentences, references):
    score = 1.0
    for n in (1, 2, 3, 4):
        shared = written = 0
        for one, two in zip(sentences, references):
            a, b = (Counter(tuple(x[i:i + n]) for i in range(len(x) - n + 1)) for x in (one, two))
            shared, written = shared + (a & b).total(), written + a.total()
        score *= (shared / written) ** 0.25
    return score""", "the factor for what is too short is missing"),
        ("""
def bleu_by_hand(sentences, references):
    return sum(corpus_bleu([[b]], [a], (1.0,)) for a, b in zip(sentences, references)) / 9""",
         "the counts summed over all sentences?"),
    ],
    "11.3": [
        ("""
def pluralised(words, nouns, plural_of):
    return [plural_of.get(word, word) for word in words]""", "singular words are left"),
        ("""
def pluralised(words, nouns, plural_of):
    return [{"it": "they", "was": "were"}.get(word, word) for word in words]""",
         "a noun is not in the plural"),
        ("""
def pluralised(words, nouns, plural_of):
    words = [{"it": "they", "was": "were"}.get(word, word) for word in words]
    return [plural_of.get(word, word) for word in words][:-4] + ["too", "scared", "."]""",
         "wanted four words changed, no others"),
    ],
    "11.4": [
        ("""
class LearnedPlaces(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.codes = torch.randn(max_len, d_model)

    def forward(self, x, offset=0):
        return x + self.codes[offset:offset + x.shape[1]]""", "wanted 12 x 8 parameters"),
        ("""
class LearnedPlaces(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.codes = nn.Embedding(max_len, d_model)

    def forward(self, x, offset=0):
        return x + self.codes(torch.arange(x.shape[1]))""", "the first vector should be"),
        ("""
class LearnedPlaces(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.codes = nn.Embedding(max_len, d_model)

    def forward(self, x, offset=0):
        return x + self.codes(torch.arange(offset, offset + x.shape[1]))""",
         "IndexError; wanted a ValueError"),
        ("""
class LearnedPlaces(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.codes = nn.Embedding(max_len, d_model)

    def forward(self, x, offset=0):
        return x * self.codes(torch.arange(offset, offset + x.shape[1]))""",
         "x itself must come through"),
        ("""
class LearnedPlaces(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.codes = nn.Parameter(torch.ones(max_len, d_model))

    def forward(self, x, offset=0):
        return x + self.codes[offset:offset + x.shape[1]].detach() + 0 * x.requires_grad_()""",
         "no gradient reaches the table"),
        ("""
class LearnedPlaces(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(max_len, d_model))

    def forward(self, x, offset=0):
        return x + self.codes[torch.arange(offset, offset + x.shape[1]) % 12]""",
         "places beyond the table are accepted"),
    ],
}


CHECK = re.compile(r"assert (check_\w+\((\w+)\)) == \"right\"")


def names_of(source):
    """The global names that some code binds, reads as it runs, and reads in its functions."""
    table = symtable.symtable(source, "cell", "exec")
    names, inner, read_later = table.get_symbols(), table.get_children(), set()
    while inner:
        table = inner.pop()
        read_later |= {name.get_name() for name in table.get_symbols() if name.is_global()}
        inner += table.get_children()
    return ({name.get_name() for name in names if name.is_assigned() or name.is_imported()},
            {name.get_name() for name in names if name.is_referenced()}, read_later)


def places_behind(cells, end, wanted):
    """The places of the cells before `end` that what is wanted there depends on.

    A name is what the last cell before has bound it to; in a function, the last before its call.
    """
    names = [names_of(cell.source) for cell in cells[:end]]
    places, open_ends = set(), [(end, wanted)]
    while open_ends:
        before, wanted = open_ends.pop()
        for name in wanted:
            binding = [i for i in range(before) if name in names[i][0]]
            if binding and binding[-1] not in places:
                places.add(binding[-1])
                _, read, read_later = names[binding[-1]]
                open_ends += [(binding[-1], read), (end, read_later)]
    return places


@pytest.fixture(scope="module")
def names():
    """Exercise number -> (its check, what its page has defined), without what no check needs.

    Most pages train models that no check looks at. So only those cells run that a check, or a
    wrong answer, depends on.
    """
    found = {}
    for page in notebooks():
        checks, places, namespace = {}, set(), {"__name__": "__main__"}
        for end, cell in enumerate(page.code):
            if "solution" in cell.tags:
                exercise = cell.lines[0].split()[-1]
                checks[exercise], answer = CHECK.search(cell.source).groups()
                for code in [checks[exercise], *(textwrap.dedent(w) for w, _ in WRONG[exercise])]:
                    _, read, read_later = names_of(code)
                    places |= places_behind(page.code, end, (read | read_later) - {answer})
        with contextlib.chdir(page.path.parent), contextlib.redirect_stdout(io.StringIO()):
            for place in sorted(places):
                # What fails in the page is for the page's own tests to say, not for each of these.
                with contextlib.suppress(Exception):
                    exec(compile(page.code[place].source, page.name, "exec"), namespace)
        plt.close("all")
        found |= {exercise: (check, namespace) for exercise, check in checks.items()}
    return found


@pytest.mark.parametrize("exercise, answer, diagnosis", [
    pytest.param(exercise, answer, diagnosis, id=f"{exercise}: {diagnosis}")
    for exercise, answers in WRONG.items() for answer, diagnosis in answers])
def test_wrong_answer_is_told_what_is_wrong(names, exercise, answer, diagnosis):
    check, namespace = names[exercise]
    scope = dict(namespace)
    exec(textwrap.dedent(answer), scope)
    function = re.search(r"(?:def|class) (\w+)", answer)[1]
    said = eval(check, scope)
    assert f"({function})" in check and diagnosis in said, said


def test_every_exercise_has_wrong_answers(names):
    assert set(names) == set(WRONG)
