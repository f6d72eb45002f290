# 10.1: a fast hand has gone round
def places_between(a, b):
    return math.atan2(b[0] * a[1] - b[1] * a[0], a[0] * b[0] + a[1] * b[1])
# 10.1: right but for the sign
def places_between(a, b):
    angle = math.atan2(a[-2] * b[-1] - b[-2] * a[-1], a[-2] * b[-2] + a[-1] * b[-1])
    return angle / 10000 ** (-30 / 32)
# 10.1: right but for the sign
def places_between(a, b):
    return math.acos(min(1, a[-2] * b[-2] + a[-1] * b[-1])) / 10000 ** (-30 / 32)
# 10.1: for i = 0 and j = 0 you find 16.00; wanted 0
def places_between(a, b): return a @ b
# 10.2: a place is nearest to itself
def closest_gap(n, D): return 0
# 10.2: n = 10, D = 2: codes 1 places apart have distance
def closest_gap(n, D): return 1
# 10.2: wanted a number from 1 to 9
def closest_gap(n, D): return n
# 10.2: not a distance
def closest_gap(n, D): return 0.28
# 10.2: n = 100, D = 2: codes 6 places apart have distance
def closest_gap(n, D): return 6
# 10.3: the range of the whole matrix
def stray(D, n):
    p = PositionalEncoding(D)(torch.zeros(n, D))
    return (p @ p.mT).max() - (p @ p.mT).min()
# 10.3: D = 3, n = 300: you find 0.000; wanted 0.361
def stray(D, n): return 0.0
# 10.4: this is attention without places
def decode_rotary(queries, keys, values):
    return F.scaled_dot_product_attention(
        queries, keys, values, attn_mask=causal_mask(len(queries)).to(device))
# 10.4: does every row get the offset 0?
def decode_rotary(queries, keys, values):
    rows = [F.scaled_dot_product_attention(
        rotate(queries[i:i + 1]), torch.cat([rotate(keys[j:j + 1]) for j in range(i + 1)]),
        values[:i + 1]) for i in range(len(queries))]
    return torch.cat(rows)
# 10.4: you rotate 54 rows in 18 calls
def decode_rotary(queries, keys, values):
    rows = [F.scaled_dot_product_attention(
        rotate(queries[i:i + 1], i), rotate(keys[:i + 1]), values[:i + 1])
        for i in range(len(queries))]
    return torch.cat(rows)
# 10.4: you rotate 18 rows in 2 calls
def decode_rotary(queries, keys, values):
    mask = causal_mask(len(queries)).to(device)
    return F.scaled_dot_product_attention(rotate(queries), rotate(keys), values, attn_mask=mask)
# 10.4: which place has row i?
def decode_rotary(queries, keys, values):
    kept = [rotate(keys[i:i + 1], i + 1) for i in range(len(keys))]
    rows = [F.scaled_dot_product_attention(
        rotate(queries[i:i + 1], i), torch.cat(kept[:i + 1]), values[:i + 1])
        for i in range(len(queries))]
    return torch.cat(rows)
# 10.4: wanted a tensor of
def decode_rotary(queries, keys, values): return values.sum()
