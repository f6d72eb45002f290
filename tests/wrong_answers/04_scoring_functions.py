# 4.1: whose score is always 7
def revealing_input():
    torch.manual_seed(0)
    return (
        torch.randn(2, 1, 2),
        torch.ones(2, 10, 2),
        torch.randn(2, 10, 4),
        length_mask(torch.tensor([2, 6]), 10),
    )
# 4.1: at any width
def revealing_input():
    torch.manual_seed(0)
    mask = length_mask(torch.tensor([2, 6]), 10)
    return torch.randn(2, 3, 2), torch.randn(2, 10, 2), torch.randn(2, 10, 4), mask
# 4.1: that uses the first query
def revealing_input():
    torch.manual_seed(0)
    mask = length_mask(torch.tensor([2, 6]), 10)
    return torch.randn(2, 1, 8), torch.randn(2, 10, 8), torch.randn(2, 10, 4), mask
# 4.1: that uses the keys of the first sequence
def revealing_input():
    torch.manual_seed(0)
    mask = length_mask(torch.tensor([6]), 10)
    return torch.randn(1, 3, 8), torch.randn(1, 10, 8), torch.randn(1, 10, 4), mask
# 4.1: that ignores the mask
def revealing_input():
    torch.manual_seed(0)
    mask = torch.ones(2, 1, 10) > 0
    return torch.randn(2, 3, 8), torch.randn(2, 10, 8), torch.randn(2, 10, 4), mask
# 4.1: the layer refuses your input
def revealing_input():
    return torch.ones(2, 3, 8), torch.ones(2, 10, 2), torch.ones(2, 10, 4), None
# 4.1: expected four things
def revealing_input(): return torch.ones(2, 3, 8), torch.ones(2, 10, 8)
# 4.2: % found; the first scores have a deviation of
def start(widths, task): return random_matrices(widths, task)
# 4.2: these matrices know the rotation already
def start(widths, task):
    W_q, W_k = torch.zeros(16, 1024), torch.zeros(16, 1024)
    W_q[:, :16], W_k[:, :16] = task[1].mT, torch.eye(16)
    return W_q.requires_grad_(), W_k.requires_grad_()
# 4.2: with zeros in both
def start(widths, task): return [torch.zeros(16, width, requires_grad=True) for width in widths]
# 4.2: don't learn
def start(widths, task): return [W / 1024**0.25 for W in random_matrices(widths, task)]
# 4.2: expected two matrices of shape (16, 1024)
def start(widths, task): return random_matrices((32, 32), task)
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
