# 18.1: you have changed the weights
# in the solution: weights.clone() => weights
# 18.1: this is the value 0
# in the solution: / left.clamp(min=1e-12) =>
# 18.1: nan where the key had all the weight
# in the solution: .clamp(min=1e-12) =>
# 18.1: a second softmax
# in the solution: others / left.clamp(min=1e-12) => others.softmax(dim=-1)
# 18.1: off by up to
# in the solution: others[..., key] => others[..., key, :]
# 18.2: this is attention without a sink
# in the solution: s[:, None] => -math.inf
# 18.2: the mask is lost
# in the solution: .masked_fill(~mask, -math.inf) =>
# 18.2: each head has a score of its own
# in the solution: s[:, None] => s[0]
# 18.2: from equation (18.1)
# in the solution: bias[..., 0] = s[:, None] =>
# 18.3: a query sees a later token
# in the solution: (j <= i) & ((i - j < width - kept) | (j < kept)) => (j <= i) & (i - j < width - kept) | (j < kept)
# 18.3: more than
# in the solution: width - kept => width
# 18.3: each query sees itself
# in the solution: j <= i => j < i
# in the solution: < width => <= width
# 18.3: look at its last row
# in the solution: | (j < kept) =>
# 18.3: expected a bool mask
# in the solution: (j <= i) => (j <= i).long()
