# 8.1: that is nearly river; the distance is 0.00
def shore(): return [-1.0, 0.8, -2.3]
# 8.1: the output is
def shore(): return [1.6, -2.2, -0.8]
# 8.1: of its weight on shore
def shore(): return [0.5, 0.1, 0.4]
# 8.1: expected a list of three numbers
def shore(): return torch.tensor([-1.0, 0.8, -2.3])
# 8.2: which token supplies its query?
def unseen_order(n): return list(range(n))[::-1]
# 8.2: a token stays that could have moved
def unseen_order(n): return [1, 0, *range(2, n)] if n > 3 else [0, 1, 2]
# 8.2: is not the numbers 0 to
def unseen_order(n): return list(range(n - 1))
# 8.3: you have counted the multiplications
def operations(n, D): return [4 * n * D * D, 2 * n * n * D, 2 * D]
# 8.3: the matrices cost
def operations(n, D): return [6 * n * D * D, 4 * n * n * D, 2 * D]
# 8.3: the pairs cost
def operations(n, D): return [8 * n * D * D, 2 * n * n * D, 4 * D]
# 8.3: they cost
def operations(n, D): return [8 * n * D * D, 4 * n * n * D, D]
# 8.3: expected a list of three numbers
def operations(n, D): return [8 * n * D * D, 4 * n * n * D]
# 8.4: rows are outputs, columns are inputs
# in the solution: return reached > 0 => return (reached > 0).mT
# 8.4: the first mask of the list belongs to the first layer
# in the solution: mask.float() @ reached => reached @ mask.float()
# 8.4: expected a tensor of booleans
# in the solution: return reached > 0 => return reached
# 8.4: that is the last mask alone
def reach(masks): return masks[-1]
# 8.4: what one layer sees under any of the masks
def reach(masks): return torch.stack(masks).any(dim=0)
# 8.4: that is what every mask allows
def reach(masks): return torch.stack(masks).all(dim=0)
# 8.4: some of your paths skip a layer
# in the solution: mask.float() @ reached => mask.float() @ reached + reached
# 8.4: you find
# in the solution: paths > 0 => paths > 1
