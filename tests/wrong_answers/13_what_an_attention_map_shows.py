# 13.1: a model that was never right: 1 tokens; 0 are enough
def smallest_cut(right, names):
    for size in range(1, len(names) + 1):
        for some in combinations(names, size):
            if right(some) <= 0.6:
                return some
# 13.1: two tokens stand in for each other: with ('c',) cut, 100% are still right
def smallest_cut(right, names):
    if right(()) <= 0.6:
        return ()
    return ("c",)
# 13.1: two tokens stand in for each other: 3 tokens; 2 are enough
def smallest_cut(right, names):
    found = ()
    while right(found) > 0.6:
        rest = [name for name in names if name not in found]
        found += (min(rest, key=lambda name: right((*found, name))),)
    return found
# 13.1: expected a tuple of some of
def smallest_cut(right, names):
    return [name for name in names if right((name,)) <= 0.6]
# 13.1: one token matters: 4 tokens; 1 are enough
def smallest_cut(right, names):
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
def log_odds_lost(before, after, right, wrong):
    rows = torch.arange(len(right))
    odds = [logits[rows, right] - logits[rows, wrong] for logits in (before, after)]
    return (odds[1] - odds[0]).mean()
# 13.3: a difference of probabilities
def log_odds_lost(before, after, right, wrong):
    rows = torch.arange(len(right))
    odds = [p[rows, right] - p[rows, wrong] for p in (before.softmax(-1), after.softmax(-1))]
    return (odds[0] - odds[1]).mean()
# 13.3: of the right token alone
def log_odds_lost(before, after, right, wrong):
    rows = torch.arange(len(right))
    return (before[rows, right] - after[rows, right]).mean()
# 13.3: the sum, not the mean
def log_odds_lost(before, after, right, wrong):
    rows = torch.arange(len(right))
    odds = [logits[rows, right] - logits[rows, wrong] for logits in (before, after)]
    return (odds[0] - odds[1]).sum()
# 13.3: expected one number
def log_odds_lost(before, after, right, wrong):
    rows = torch.arange(len(right))
    odds = [logits[rows, right] - logits[rows, wrong] for logits in (before, after)]
    return odds[0] - odds[1]
# 13.3: expected
def log_odds_lost(before, after, right, wrong):
    return (before[:, right] - before[:, wrong] - after[:, right] + after[:, wrong]).mean()
