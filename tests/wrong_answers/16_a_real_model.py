# 16.5: twice too many
# in the solution: 2 * groups * d * 2 => 2 * groups * d
# 16.5: a GiB is 2 ** 30 bytes
# in the solution: 2**30 => 10**9
# 16.5: round down
# in the solution: return memory // => return memory /
# 16.5: with windows, only the full layers grow
# in the solution: if window is None => if True
# 16.5: expected 43562
# in the solution: (memory - fixed) => memory
# 16.5: which is less than the window
# in the solution: if in_all <= window => if False
# 16.1: does it begin in one piece and end in the next?
# in the solution: if stop in text => if stop in piece
# 16.1: the one that begins first counts
# in the solution: min(starts) => starts[0]
# 16.1: are enough
# in the solution: for piece in pieces => for piece in ["".join(pieces)]
# 16.2: you mix the heads
def to_halves(weight, d): return torch.cat([weight[0::2], weight[1::2]])
# 16.2: the other way round
def to_halves(weight, d): return weight.unflatten(0, (-1, 2, d // 2)).transpose(1, 2).flatten(0, 2)
# 16.2: the rows are
def to_halves(weight, d): return weight.unflatten(0, (-1, 2)).flip(1).flatten(0, 1)
# 16.2: a matrix of the same shape
def to_halves(weight, d): return weight.unflatten(0, (-1, d // 2, 2)).transpose(1, 2)
# 16.6: divided by r becomes likelier
# in the solution: old * r => old / r
# 16.6: punished once
def penalised(logits, seen, r):
    logits = logits.clone()
    for token in seen:
        logits[token] = logits[token] / r if logits[token] > 0 else logits[token] * r
    return logits
# 16.6: work on a copy
# in the solution: logits = logits.clone() =>
# 16.6: the logits become
def penalised(logits, seen, r): return torch.where(logits > 0, logits / r, logits * r)
# 16.4: this is the largest number
# in the solution: (to_4_bits(matrix) - matrix) => matrix
# 16.4: you divide by the number
# in the solution: .abs() => .abs() / matrix
# 16.4: one changes more
# in the solution: argmax => argmin
# 16.3: you take the first key of each group
# in the solution: parts.mean(dim=1) => parts[:, 0]
# 16.3: are neighbours in one group?
# in the solution: (groups, -1, d) => (-1, groups, d)
# in the solution: mean(dim=1) => mean(dim=0)
# 16.3: nothing should change
def grouped(weight, groups, d): return weight.mean(dim=0).expand(groups * d, -1)
# 16.3: expected the shape
# in the solution: .flatten(0, 1) =>
# 16.3: has changed
# in the solution: parts = weight => parts = weight.mul_(2)
# in the solution: parts.mean => (parts / 2).mean
