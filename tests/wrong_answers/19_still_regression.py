# 19.1: leaves
def decay_for(share, age):
    return 1 - (1 - share) / age
# 19.1: leaves
def decay_for(share, age):
    return share**age
# 19.2: output 0 is the first wrong one
def chunked(queries, keys, values, chunk):
    S, outputs = 0.0, []
    for start in range(0, len(queries), chunk):
        q, k, v = (x[start : start + chunk] for x in (queries, keys, values))
        S = S + k.mT @ v
        outputs.append((q @ k.mT).tril(-1) @ v + q @ S)
    return torch.cat(outputs)
# 19.2: output 3 is the first wrong one
def chunked(queries, keys, values, chunk):
    outputs = []
    for start in range(0, len(queries), chunk):
        q, k, v = (x[start : start + chunk] for x in (queries, keys, values))
        outputs.append((q @ k.mT).tril() @ v)
    return torch.cat(outputs)
# 19.2: output 0 is the first wrong one
def chunked(queries, keys, values, chunk):
    return as_a_map(queries, keys, values) - (queries * keys).sum(-1, keepdim=True) * values
# 19.3: of the values are found; more than 0.95 can be
def centred(queries, keys, values):
    return linear_memory(queries, keys, values)
# 19.3: of the values are found; more than 0.95 can be
def centred(queries, keys, values):
    return linear_memory(queries, keys - keys.mean(-1, keepdim=True), values)
# 19.3: the answers have shape
def centred(queries, keys, values):
    return linear_memory(queries, keys - keys.mean(-2, keepdim=True), values)[:, :1]
# 19.4: does P begin at I / ridge
def recursive(keys, values, ridge):
    P = ridge * torch.eye(keys.shape[-1], dtype=keys.dtype)
    S = torch.zeros(keys.shape[-1], values.shape[-1], dtype=keys.dtype)
    for k, v in zip(keys, values):
        gain = P @ k / (1 + k @ P @ k)
        S = S + torch.outer(gain, v - k @ S)
        P = P - torch.outer(gain, P @ k)
    return S
# 19.4: is off by
def recursive(keys, values, ridge):
    return one_by_one(keys.float(), values.float(), 1.0).double()
# 19.4: expected (5, 2)
def recursive(keys, values, ridge):
    return to_the_minimum(keys.float(), values.float(), ridge).mT
