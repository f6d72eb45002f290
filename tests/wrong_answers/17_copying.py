# 17.1: it returns the token itself
# in the solution: x @ filed.T => x @ x.T
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
