# 13.1: a model that never was correct: 1 tokens; 0 are enough
def smallest_cut(accuracy, names):
    for size in range(1, len(names) + 1):
        for some in combinations(names, size):
            if accuracy(some) <= 0.6:
                return some
# 13.1: two tokens stand in for each other: with ('c',) cut, 100% are still correct
def smallest_cut(accuracy, names):
    if accuracy(()) <= 0.6:
        return ()
    return ("c",)
# 13.1: two tokens stand in for each other: 3 tokens; 2 are enough
def smallest_cut(accuracy, names):
    found = ()
    while accuracy(found) > 0.6:
        rest = [name for name in names if name not in found]
        found += (min(rest, key=lambda name: accuracy((*found, name))),)
    return found
# 13.1: expected a tuple of some of
def smallest_cut(accuracy, names):
    return [name for name in names if accuracy((name,)) <= 0.6]
# 13.1: one token matters: 4 tokens; 1 are enough
def smallest_cut(accuracy, names):
    return names
# 13.2: without the weights
def contributions(weights, values, W_o):
    return (values @ W_o.T).norm(dim=-1).expand(weights.shape)
# 13.2: the values alone
def contributions(weights, values, W_o):
    return weights * values.norm(dim=-1)
# 13.2: squares without the root
def contributions(weights, values, W_o):
    return (weights[..., None] * (values @ W_o.T)).square().sum(-1)
# 13.2: the lengths needn't sum to 1
def contributions(weights, values, W_o):
    lengths = weights * (values @ W_o.T).norm(dim=-1)
    return lengths / lengths.sum(-1, keepdim=True)
# 13.2: expected a tensor of shape (3, 5)
def contributions(weights, values, W_o):
    return weights @ values @ W_o.T
# 13.2: these aren't the lengths
def contributions(weights, values, W_o):
    return weights * (values @ W_o.T).abs().sum(-1)
# 13.3: the wrong sign
def log_odds_lost(before, after, wanted, unwanted):
    rows = torch.arange(len(wanted))
    odds = [logits[rows, wanted] - logits[rows, unwanted] for logits in (before, after)]
    return (odds[1] - odds[0]).mean()
# 13.3: a difference of probabilities
def log_odds_lost(before, after, wanted, unwanted):
    rows = torch.arange(len(wanted))
    odds = [p[rows, wanted] - p[rows, unwanted] for p in (before.softmax(-1), after.softmax(-1))]
    return (odds[0] - odds[1]).mean()
# 13.3: of the wanted token alone
def log_odds_lost(before, after, wanted, unwanted):
    rows = torch.arange(len(wanted))
    return (before[rows, wanted] - after[rows, wanted]).mean()
# 13.3: the sum, not the mean
def log_odds_lost(before, after, wanted, unwanted):
    rows = torch.arange(len(wanted))
    odds = [logits[rows, wanted] - logits[rows, unwanted] for logits in (before, after)]
    return (odds[0] - odds[1]).sum()
# 13.3: expected one number
def log_odds_lost(before, after, wanted, unwanted):
    rows = torch.arange(len(wanted))
    odds = [logits[rows, wanted] - logits[rows, unwanted] for logits in (before, after)]
    return odds[0] - odds[1]
# 13.3: expected
def log_odds_lost(before, after, wanted, unwanted):
    return (before[:, wanted] - before[:, unwanted] - after[:, wanted] + after[:, unwanted]).mean()
