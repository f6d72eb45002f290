# 18.1: a query sees a later token
# in the solution: (j <= i) & ((i - j < width - kept) | (j < kept)) => (j <= i) & (i - j < width - kept) | (j < kept)
# 18.1: more than
# in the solution: width - kept => width
# 18.1: each query sees itself
# in the solution: j <= i => j < i
# in the solution: < width => <= width
# 18.1: look at its last row
# in the solution: | (j < kept) =>
# 18.1: expected a bool mask
# in the solution: (j <= i) => (j <= i).long()
# 18.2: this is attention without a sink
# in the solution: s[:, None] => -math.inf
# 18.2: the mask is lost
# in the solution: .masked_fill(~mask, -math.inf) =>
# 18.2: each head has a score of its own
# in the solution: s[:, None] => s[0]
# 18.2: from equation (17.3)
# in the solution: bias[..., 0] = s[:, None] =>
