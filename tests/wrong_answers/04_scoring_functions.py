# 4.1: whose score is always 7
def revealing_input(): return wide, equal_keys, values, mask
# 4.1: that uses the first query
def revealing_input(): return wide, other_keys, values, mask
# 4.1: that uses the keys of the first sequence
def revealing_input():
    queries = torch.randn(1, 3, 20, generator=torch.Generator().manual_seed(0))
    return queries, other_keys[:1], values[:1], mask[:1]
# 4.1: that ignores the mask
def revealing_input(): return wide, other_keys, values, torch.ones(2, 1, 10) > 0
# 4.1: the layer refuses your input: mat1 and mat2 shapes cannot be multiplied
def revealing_input(): return narrow, other_keys, values, mask
# 4.1: expected four things
def revealing_input(): return wide, other_keys
# 4.1: queries has 2 axes
def revealing_input(): return wide[0], other_keys[0], values[0], mask[0]
# 4.2: you build W
def low_rank_scores(queries, keys, A, C): return queries @ (A @ C.mT) @ keys.mT
# 4.2: by the root of the rank
def low_rank_scores(queries, keys, A, C):
    return (queries @ A) @ (keys @ C).mT / math.sqrt(A.shape[1])
# 4.2: expected a tensor of shape (2, 3, 5)
def low_rank_scores(queries, keys, A, C): return (keys @ C) @ (queries @ A).mT
# 4.2: the products do not fit
def low_rank_scores(queries, keys, A, C): return (queries @ A) @ (keys @ C)
# 4.2: not the scores of W
def low_rank_scores(queries, keys, A, C):
    return torch.tanh(queries @ A) @ (keys @ C).mT
# 4.3: the sum on lookup: your prediction of 100% is too high
def predict_shares(): return 1.0, 1.0, 1.0, 0.1
# 4.3: the dot product on glance: your prediction of 50% is too high
def predict_shares(): return 0.1, 1.0, 1.0, 0.5
# 4.3: the sum on glance: your prediction of 10% is too low
def predict_shares(): return 0.1, 0.1, 1.0, 0.1
# 4.3: is no share
def predict_shares(): return 10, 100, 100, 10
# 4.3: expected four shares
def predict_shares(): return 0.1
# 4.4: one over the divisor
def find_divisor(layer, d):
    query, keys = torch.eye(1, d), torch.eye(2, d)
    weights = layer(query, keys, torch.eye(2))[0]
    return (weights[0] / weights[1]).log()
# 4.4: are your weights saturated
def find_divisor(layer, d):
    query, keys = torch.full((1, d), 4.0), torch.stack([torch.ones(d), -torch.ones(d)])
    weights = layer(query, keys, torch.eye(2))[0]
    return 8 * d / (weights[0] / weights[1]).log()
# 4.4: at d = 4 the divisor is 1.00; you return 2.00
def find_divisor(layer, d): return math.sqrt(d)
# 4.4: the divisor is 2.00
def find_divisor(layer, d):
    weights = layer(torch.eye(1, d), torch.eye(2, d), torch.eye(2))[0]
    return 1 / weights[0]
