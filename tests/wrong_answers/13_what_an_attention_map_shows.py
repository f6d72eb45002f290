# 13.3: the weight that is taken away must go somewhere
def seventh(model, source, target): return gradient_times_weight(model, source, target)
# 13.3: divide by 1
# in the solution: share = weights / (1 - weights).clamp(min=1e-6) => share = weights
# 13.3: abs before the sum
# in the solution: (share * (gradients - mean)).sum(0) => (share * (gradients - mean)).abs().sum(0)
# 13.3: a score below 0
# in the solution: total.abs() => total
# 13.3: the gradient without the weight
# in the solution: (share * (gradients - mean)) => gradients
# 13.3: expected a score for each of
def seventh(model, source, target): return watch(model, source, target)[0][0]
# 13.3: these aren't the first-order changes
# in the solution: (gradients - mean) => (gradients - gradients.mean(-1, keepdim=True))
# 13.1: without the weights
# in the solution: return weights * lengths => return lengths.expand(weights.shape)
# 13.1: the values alone
# in the solution: (values @ W_o.T) => values
# 13.1: squares without the root
# in the solution: weights * lengths => (weights * lengths).square()
# 13.1: the lengths needn't sum to 1
# in the solution: weights * lengths => weights * lengths / (weights * lengths).sum(-1, keepdim=True)
# 13.1: expected a tensor of shape (3, 5)
def contributions(weights, values, W_o): return weights @ values @ W_o.T
# 13.1: these aren't the lengths
# in the solution: norm(dim=-1) => abs().sum(dim=-1)
# 13.2: the wrong sign
# in the solution: odds_before - odds_after => odds_after - odds_before
# 13.2: a difference of probabilities
# in the solution: before[ => before.softmax(-1)[
# in the solution: after[ => after.softmax(-1)[
# 13.2: of the wanted token alone
# in the solution: - before[rows, unwanted] =>
# in the solution: - after[rows, unwanted] =>
# 13.2: the sum, not the mean
# in the solution: mean() => sum()
# 13.2: expected one number
# in the solution: .mean() =>
# 13.2: expected
# in the solution: [rows, => [:,
