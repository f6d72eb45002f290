# 8.1: the diagonal
def allowed_pairs(n, offset): return n * (n - 1) // 2 + n * offset
# 8.1: each row has 2 more keys
def allowed_pairs(n, offset): return n * (n + 1) // 2
# 8.1: you count 8; wanted 12
def allowed_pairs(n, offset): return n * (n + 1) // 2 + offset
# 8.1: counted one by one
def allowed_pairs(n, offset): return int(causal_mask(n, offset).sum())
# 8.1: counted one by one
def allowed_pairs(n, offset): return sum(i + 1 + offset for i in range(n))
# 8.1: you count 8; wanted 10
def allowed_pairs(n, offset): return n * n // 2
# 8.2: which word asks for it?
def unseen_order(n): return list(range(n))[::-1]
# 8.2: a word stays that could have moved
def unseen_order(n): return list(range(n))
# 8.2: a word stays that could have moved
def unseen_order(n): return [1, 0, *range(2, n)]
# 8.2: is not the numbers 0 to 2
def unseen_order(n): return [0] * n
# 8.3: one query in each call, and no mask
def step_by_step(layer, x): return layer(x, x, x, causal_mask(x.shape[1]).to(device))
# 8.3: is word i there?
def step_by_step(layer, x):
    steps = range(x.shape[1])
    return torch.cat([layer(x[:, i:i + 1], x[:, :i], x[:, :i]) for i in steps], dim=1)
# 8.3: your calls had [5, 5, 5, 5, 5] keys
def step_by_step(layer, x):
    return torch.cat([layer(x[:, i:i + 1], x, x) for i in range(x.shape[1])], dim=1)
# 8.3: wanted a tensor of the shape of x
def step_by_step(layer, x): return layer(x[:, :1], x[:, :1], x[:, :1])
# 8.3: is word i the query of step i?
def step_by_step(layer, x):
    return torch.cat([layer(x[:, :1], x[:, :i + 1], x[:, :i + 1]) for i in range(5)], dim=1)
# 8.3: join them along axis 1, in their order
def step_by_step(layer, x):
    steps = [layer(x[:, i:i + 1], x[:, :i + 1], x[:, :i + 1]) for i in range(5)]
    return torch.cat(steps[::-1], dim=1)
# 8.4: with layers = 2 you find 18 pairs; wanted 25
def reach(mask, layers): return mask
# 8.4: wanted a tensor of booleans
def reach(mask, layers): return torch.matrix_power(mask.float(), layers)
# 8.4: rows are outputs
def reach(mask, layers): return torch.matrix_power(mask.float(), layers).mT > 0
# 8.4: with layers = 1 you find 25 pairs; wanted 18
def reach(mask, layers): return torch.matrix_power(mask.float(), layers + 1) > 0
# 8.4: 18 pairs; wanted 12
def reach(mask, layers):
    places = torch.arange(len(mask), device=mask.device)
    ahead = places - places[:, None]
    low, high = ahead[mask].min(), ahead[mask].max()
    return (ahead >= layers * low) & (ahead <= layers * high)
