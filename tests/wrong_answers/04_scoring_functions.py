# 4.1: you count what moves twice
def disagreement(keys):
    _, first = additive(case_queries, keys, case_values, case_mask, need_weights=True)
    _, second = product(narrow, keys, case_values, case_mask, need_weights=True)
    return (first - second).abs()[:, 0].sum(dim=-1)
# 4.1: wanted a tensor of shape (2,)
def disagreement(keys):
    _, first = additive(case_queries, keys, case_values, case_mask, need_weights=True)
    _, second = product(narrow, keys, case_values, case_mask, need_weights=True)
    return (first - second).abs().sum(dim=-1)
# 4.1: your distances are
def disagreement(keys):
    _, first = additive(case_queries, keys, case_values, case_mask, need_weights=True)
    _, second = product(narrow, keys, case_values, case_mask, need_weights=True)
    return (first - second).abs()[:, 0].amax(dim=-1)
# 4.1: your distances are
def disagreement(keys):
    _, first = additive(case_queries, keys, case_values, case_mask, need_weights=True)
    _, second = product(narrow, keys, case_values, case_mask, need_weights=True)
    return (first - second)[:, 0].sum(dim=-1)
# 4.1: your distances are
def disagreement(keys):
    _, first = additive(case_queries, keys, case_values, None, need_weights=True)
    _, second = product(narrow, keys, case_values, None, need_weights=True)
    return (first - second).abs()[:, 0].mul(0.5).sum(dim=-1)
# 4.2: you build W
def low_rank_scores(queries, keys, A, C): return queries @ (A @ C.mT) @ keys.mT
# 4.2: by the root of the rank
def low_rank_scores(queries, keys, A, C):
    return (queries @ A) @ (keys @ C).mT / math.sqrt(A.shape[1])
# 4.2: wanted a tensor of shape (2, 3, 5)
def low_rank_scores(queries, keys, A, C): return (keys @ C) @ (queries @ A).mT
# 4.2: the products do not fit
def low_rank_scores(queries, keys, A, C): return (queries @ A) @ (keys @ C)
# 4.2: not the scores of W
def low_rank_scores(queries, keys, A, C):
    return torch.tanh(queries @ A) @ (keys @ C).mT
# 4.3: you have left it out
def sum_scores(queries, keys): return keys.sum(dim=1).expand(len(queries), len(keys))
# 4.3: wanted a tensor of shape (2, 3)
def sum_scores(queries, keys): return queries.sum(dim=1) + keys.sum(dim=1)[:, None]
# 4.3: the sum is 6; you have 3
def sum_scores(queries, keys): return queries @ keys.mT
# 4.3: the sum is 6
def sum_scores(queries, keys): return queries[0].sum() + keys.sum(dim=1).expand(
    len(queries), len(keys))
# 4.4: the factor 1 / sqrt(d)
def query_jacobian(query, keys, values, mask):
    alpha = masked_softmax(keys @ query / math.sqrt(len(query)), mask)
    products = values.mT @ (alpha[:, None] * keys)
    return products - torch.outer(alpha @ values, alpha @ keys)
# 4.4: subtract the product of the means
def query_jacobian(query, keys, values, mask):
    alpha = masked_softmax(keys @ query / math.sqrt(len(query)), mask)
    return values.mT @ (alpha[:, None] * keys) / math.sqrt(len(query))
# 4.4: with 7 keys allowed, yours is not the derivative
def query_jacobian(query, keys, values, mask): return values.mT @ keys
# 4.4: with 3 keys allowed
def query_jacobian(query, keys, values, mask):
    alpha = torch.softmax(keys @ query / math.sqrt(len(query)), dim=0)
    products = values.mT @ (alpha[:, None] * keys)
    return (products - torch.outer(alpha @ values, alpha @ keys)) / math.sqrt(len(query))
# 4.4: with 0 keys allowed, you return nan
def query_jacobian(query, keys, values, mask):
    scores = (keys @ query / math.sqrt(len(query))).masked_fill(~mask, -math.inf)
    alpha = torch.softmax(scores, dim=0)
    products = values.mT @ (alpha[:, None] * keys)
    return (products - torch.outer(alpha @ values, alpha @ keys)) / math.sqrt(len(query))
