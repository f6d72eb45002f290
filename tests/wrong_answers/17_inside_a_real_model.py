# 17.1: the first query has no token before it
def previous_token_score(weights): return weights.diagonal(-1).sum() / len(weights)
# 17.1: take the one before
def previous_token_score(weights): return weights.diagonal().mean()
# 17.1: you look at the token after
def previous_token_score(weights): return weights.diagonal(1).mean()
# 17.1: expected
def previous_token_score(weights): return weights.diagonal(-2).mean()
# 17.2: where is the control?
# in the solution: - rise[:, 1:n].mean() =>
# 17.2: the sign is wrong
# in the solution: after - before => before - after
# 17.2: leave out the first token of each half
# in the solution: n + 1 : => n:
# in the solution: 1:n => :n
# 17.2: the effect is negative
# in the solution: after - before => (after - before).abs()
# 17.3: a query sees a later token
# in the solution: (j <= i) & ((i - j < width - kept) | (j < kept)) => (j <= i) & (i - j < width - kept) | (j < kept)
# 17.3: more than
# in the solution: width - kept => width
# 17.3: each query sees itself
# in the solution: j <= i => j < i
# in the solution: < width => <= width
# 17.3: look at its last row
# in the solution: | (j < kept) =>
# 17.3: expected a bool mask
# in the solution: (j <= i) => (j <= i).long()
# 17.4: this is attention without a sink
# in the solution: s[:, None] => -math.inf
# 17.4: the mask is lost
# in the solution: .masked_fill(~mask, -math.inf) =>
# 17.4: each head has a score of its own
# in the solution: s[:, None] => s[0]
# 17.4: from equation (17.3)
# in the solution: bias[..., 0] = s[:, None] =>
