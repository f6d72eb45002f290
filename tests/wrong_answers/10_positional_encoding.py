# 10.1: a fast hand has gone round
# in the solution: [-2:] => [:2]
# in the solution: round(angle / 10000 ** (-30 / 32)) => angle
# 10.1: right but for the sign
# in the solution: s_b * c_a - c_b * s_a => s_a * c_b - c_a * s_b
# 10.1: for i = 0 and j = 0 you find 16.00; expected 0
def distance(a, b): return a @ b
# 10.2: at which position is each new letter?
# in the solution: position if offset else 0 => 0
# 10.2: expected a tensor (B, 10)
def write_right(model, x): return x
# 10.2: vectors are encoded where 20 are enough
def write_right(model, x):
    for _ in range(10):
        logits = model(x)
        x = torch.cat([x, logits[:, -1:].argmax(dim=-1)], dim=1)
    return x[:, 11:]
# 10.3: do the fast hands still tell neighbours apart?
def new_frequencies(w): return w / 8
# 10.3: which hands still meet angles that they have never met?
def new_frequencies(w): return frequencies(16, base=80_000)
# 10.3: have you slowed down a hand that had met every angle?
def new_frequencies(w): return torch.cat([w[:1], w[1:] / 8])
# 10.3: expected a tensor of 8 frequencies
def new_frequencies(w): return w[:4]
# 10.4: the right pairs, but they turn the wrong way
def column_order(d): return [c for k in range(d // 2) for c in (k, k + d // 2)]
# 10.4: which columns form a pair
def column_order(d): return list(range(d))
# 10.4: each of them once
def column_order(d): return [0] * d
