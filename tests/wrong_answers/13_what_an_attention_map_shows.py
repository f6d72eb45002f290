# 13.3: a model that never was correct: 1 tokens; 0 are enough
# in the solution: range(len => range(1, len
# 13.3: two tokens stand in for each other: with ('c',) cut, 100% are still correct
def smallest_cut(accuracy, names): return () if accuracy(()) <= 0.6 else ("c",)
# 13.3: two tokens stand in for each other: 3 tokens; 2 are enough
def smallest_cut(accuracy, names):
    found = ()
    while accuracy(found) > 0.6:
        rest = [name for name in names if name not in found]
        found += (min(rest, key=lambda name: accuracy((*found, name))),)
    return found
# 13.3: expected a tuple of some of
def smallest_cut(accuracy, names): return [name for name in names if accuracy((name,)) <= 0.6]
# 13.3: one token matters: 4 tokens; 1 are enough
def smallest_cut(accuracy, names): return names
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
