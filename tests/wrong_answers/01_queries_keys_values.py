# 1.1: you return a key
def hard_lookup(query, keys, values): return keys[(keys @ query).argmax()]
# 1.1: the value of the worst key
def hard_lookup(query, keys, values): return values[(keys @ query).argmin()]
# 1.1: shape ()
def hard_lookup(query, keys, values): return (keys @ query).argmax()
# 1.1: your result is a str
def hard_lookup(query, keys, values): return 'book'
# 1.1: not the limit of the soft lookup
def hard_lookup(query, keys, values): return torch.softmax(keys @ query, 0) @ values
# 1.1: dot product
def hard_lookup(query, keys, values): return values[(keys - query).norm(dim=1).argmin()]
# 1.4: it must be above 0
def temperature_for(scores, share): return -1.0
# 1.4: you reach a largest weight of
# in the solution: > => <
# 1.4: you reach a largest weight of 0.525; expected 0.52
# in the solution: 1e4 => 1e3
# 1.4: expected 0.98
# in the solution: 1e-3 => 0.1
# 1.2: only the largest scores share
def limit_weights(scores):
    return torch.nn.functional.one_hot(scores.argmax(), len(scores)).float()
# 1.2: your weights sum to 2
def limit_weights(scores): return (scores == scores.max())
# 1.2: leave no temperature
def limit_weights(scores): return torch.softmax(scores / 1e-8, 0)
# 1.3: 5 times; call it once
def recover_weights(pool, m): return torch.stack([pool(torch.eye(m)[:, i]) for i in range(m)])
# 1.3: 0 times; call it once
def recover_weights(pool, m): return torch.ones(m) / m
# 1.3: your result has shape (1,)
def recover_weights(pool, m): return pool(torch.ones(m, 1))
# 1.3: not the hidden weights
def recover_weights(pool, m): return pool(2 * torch.eye(m))
