# 17.1: it returns the token itself
# in the solution: x @ filed.T => x @ x.T
# 17.1: it returns the token itself
# in the solution: weights @ x => weights @ filed
# 17.1: this is what came before
# in the solution: filed[1:] = x[:-1] => filed[:-1] = x[1:]
# 17.1: where is the causal mask?
# in the solution: masked_softmax(scores, causal_mask(len(tokens))) => masked_softmax(scores)
# 17.1: expected nearly 1
# in the solution: 50 * x => x
# 17.1: in which no key fits
# in the solution: causal_mask(len(tokens)) => (causal_mask(len(tokens)) & (scores > 0))
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
