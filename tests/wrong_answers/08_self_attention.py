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
# 8.3: dropout, perhaps?
def leaks(layer, x):
    with torch.no_grad():
        before, found = layer(x), []
        for j in range(x.shape[1]):
            changed = x.clone()
            changed[:, j] += 10.0
            moved = (layer(changed) != before)[0].any(dim=-1)
            found += [(i, j) for i in range(j) if moved[i]]
    return found
# 8.3: leave it as you got it
def leaks(layer, x):
    layer.eval()
    found = []
    for j in range(x.shape[1]):
        changed = x.clone()
        changed[:, j] += 10.0
        moved = (layer(changed) != layer(x))[0].any(dim=-1)
        found += [(i, j) for i in range(j) if moved[i]]
    return found
# 8.3: and on its own
def leaks(layer, x):
    torch.manual_seed(0)
    before, found = layer(x), []
    for j in range(x.shape[1]):
        changed = x.clone()
        changed[:, j] += 10.0
        torch.manual_seed(0)
        found += [(i, j) for i in range(5) if (layer(changed) != before)[0, i].any()]
    return found
# 8.3: you have changed x itself
def leaks(layer, x):
    torch.manual_seed(0)
    before, found = layer(x), []
    for j in range(x.shape[1]):
        x[:, j] += 10.0
        torch.manual_seed(0)
        found += [(i, j) for i in range(j) if (layer(x) != before)[0, i].any()]
    return found
# 8.3: and (0, 1) is wrong or missing
def leaks(layer, x): return []
# 8.4: rows are outputs, columns are inputs
def reach(mask, layers):
    return torch.linalg.matrix_power(mask.float().mT, layers) > 0
# 8.4: expected a tensor of booleans
def reach(mask, layers): return torch.linalg.matrix_power(mask.float(), layers)
# 8.4: you find
def reach(mask, layers): return mask
# 8.4: you find
def reach(mask, layers):
    reached = torch.eye(len(mask), device=mask.device)
    for _ in range(layers):
        reached = ((mask.float() @ reached + reached) > 0).float()
    return reached > 0
