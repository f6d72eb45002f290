# 4.1: whose score is always 7
# in the solution: randn(2, 3, 8) => randn(2, 1, 2)
# in the solution: randn(2, 10, 8) => ones(2, 10, 2)
# 4.1: at any width
# in the solution: 8) => 2)
# 4.1: that uses the first query
# in the solution: 2, 3, 8 => 2, 1, 8
# 4.1: that uses the keys of the first sequence
# in the solution: randn(2, => randn(1,
# in the solution: [2, 6] => [6]
# 4.1: that ignores the mask
# in the solution: length_mask(torch.tensor([2, 6]), 10) => torch.ones(2, 1, 10) > 0
# 4.1: the layer refuses your input
# in the solution: 2, 10, 8 => 2, 10, 2
# 4.1: expected four things
# in the solution: values, mask => values
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
# 4.2: one over the divisor
# in the solution: 1 / (weights => (weights
# 4.2: are your weights saturated
# in the solution: query[0, 0] = 1.0 => query[0, 0] = 1000.0
# in the solution: return 1 / => return 1000 /
# 4.2: at d = 4 the divisor is 1.00; you return 2.00
def find_divisor(layer, d): return math.sqrt(d)
# 4.2: the divisor is 2.00
# in the solution: (weights[0] / weights[1]).log() => weights[0]
