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
# 10.3: do the fast hands still tell neighbours apart?
def new_frequencies(w): return w / 8
# 10.3: which hands still meet angles that they have never met?
def new_frequencies(w): return w
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
