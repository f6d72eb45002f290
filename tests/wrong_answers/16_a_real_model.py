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
