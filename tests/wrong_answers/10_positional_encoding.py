# 10.1: a fast hand has gone round
def distance(a, b):
    return math.atan2(b[0] * a[1] - b[1] * a[0], a[0] * b[0] + a[1] * b[1])
# 10.1: right but for the sign
def distance(a, b):
    angle = math.atan2(a[-2] * b[-1] - b[-2] * a[-1], a[-2] * b[-2] + a[-1] * b[-1])
    return angle / 10000 ** (-30 / 32)
# 10.1: right but for the sign
def distance(a, b):
    return math.acos(min(1, a[-2] * b[-2] + a[-1] * b[-1])) / 10000 ** (-30 / 32)
# 10.1: for i = 0 and j = 0 you find 16.00; expected 0
def distance(a, b): return a @ b
# 10.2: at which position is each new letter?
def write_right(model, x):
    known, new, written = model.vectors(x[:, :10]), x[:, 10:11], []
    for k in range(10):
        vector = model.vectors(new, 0)
        known = torch.cat([known, vector], dim=1)
        new = model.next_letter(model.attention(vector, known, known)).argmax(dim=-1)
        written.append(new)
    return torch.cat(written, dim=1)
# 10.2: at which position is each new letter?
def write_right(model, x):
    known, new, written = model.vectors(x[:, :10]), x[:, 10:11], []
    for k in range(10):
        vector = model.vectors(new, k)
        known = torch.cat([known, vector], dim=1)
        new = model.next_letter(model.attention(vector, known, known)).argmax(dim=-1)
        written.append(new)
    return torch.cat(written, dim=1)
# 10.2: expected a tensor (B, 10)
def write_right(model, x): return x
# 10.2: vectors are encoded where 20 are enough
def write_right(model, x):
    for _ in range(10):
        logits = model(x)
        x = torch.cat([x, logits[:, -1:].argmax(dim=-1)], dim=1)
    return x[:, 11:]
# 10.3: this is attention without positions
def decode_rotary(queries, keys, values, rotate):
    return F.scaled_dot_product_attention(
        queries, keys, values, attn_mask=causal_mask(len(queries)).to(device))
# 10.3: does every row get the offset 0?
def decode_rotary(queries, keys, values, rotate):
    rows = [F.scaled_dot_product_attention(
        rotate(queries[i:i + 1]), torch.cat([rotate(keys[j:j + 1]) for j in range(i + 1)]),
        values[:i + 1]) for i in range(len(queries))]
    return torch.cat(rows)
# 10.3: you turn 54 rows in 18 calls
def decode_rotary(queries, keys, values, rotate):
    rows = [F.scaled_dot_product_attention(
        rotate(queries[i:i + 1], i), rotate(keys[:i + 1]), values[:i + 1])
        for i in range(len(queries))]
    return torch.cat(rows)
# 10.3: you turn 18 rows in 2 calls
def decode_rotary(queries, keys, values, rotate):
    mask = causal_mask(len(queries)).to(device)
    return F.scaled_dot_product_attention(rotate(queries), rotate(keys), values, attn_mask=mask)
# 10.3: at which position is row i?
def decode_rotary(queries, keys, values, rotate):
    kept = [rotate(keys[i:i + 1], i + 1) for i in range(len(keys))]
    rows = [F.scaled_dot_product_attention(
        rotate(queries[i:i + 1], i), torch.cat(kept[:i + 1]), values[:i + 1])
        for i in range(len(queries))]
    return torch.cat(rows)
# 10.3: expected a tensor of
def decode_rotary(queries, keys, values, rotate): return values.sum()
# 10.4: the right pairs, but they turn the wrong way
def column_order(d): return [c for k in range(d // 2) for c in (k, k + d // 2)]
# 10.4: which columns form a pair
def column_order(d): return list(range(d))
# 10.4: each of them once
def column_order(d): return [0] * d
