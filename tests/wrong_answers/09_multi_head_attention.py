# 9.1: the heads are still in the old order
def reorder(layer, order): return layer
# 9.1: expected a MultiHeadAttention(12, 3, bias=False)
def reorder(layer, order): return torch.nn.Linear(12, 12)
# 9.1: the weights are right, the outputs are not
def reorder(layer, order):
    H = 3
    other, state = MultiHeadAttention(12, 3, bias=False).to(device), layer.state_dict()
    for name in ("W_q.weight", "W_k.weight", "W_v.weight"):
        state[name] = state[name].unflatten(0, (H, -1))[order].flatten(0, 1)
    pass
    other.load_state_dict(state)
    return other
# 9.1: the weights are right, the outputs are not
def reorder(layer, order):
    H = 3
    other, state = MultiHeadAttention(12, 3, bias=False).to(device), layer.state_dict()
    for name in ("W_q.weight", "W_k.weight", "W_v.weight"):
        state[name] = state[name].unflatten(0, (H, -1))[order].flatten(0, 1)
    state["W_o.weight"] = state["W_o.weight"].unflatten(0, (H, -1))[order].flatten(0, 1)
    other.load_state_dict(state)
    return other
# 9.1: is not head order[h]
def reorder(layer, order):
    H = 3
    other, state = MultiHeadAttention(12, 3, bias=False).to(device), layer.state_dict()
    for name in ("W_q.weight", "W_k.weight", "W_v.weight"):
        state[name] = state[name].unflatten(0, (H, -1))[[1, 2, 0]].flatten(0, 1)
    pass
    other.load_state_dict(state)
    return other
# 9.1: the layer that was given has changed
def reorder(layer, order):
    for W in (layer.W_q, layer.W_k, layer.W_v):
        W.weight.data = W.weight.unflatten(0, (3, -1))[order].flatten(0, 1)
    return layer
# 9.2: your head looks at the next token
def previous_token_layer():
    layer = MultiHeadAttention(12, 1, bias=False)
    shift, same = torch.zeros(12, 12), torch.zeros(12, 12)
    shift[:6, :6] = 50 * torch.diag(torch.ones(9), -1)[:6, :6]
    same[:6, :6] = torch.eye(6)
    matrices = dict(W_q=shift, W_k=same, W_v=torch.eye(12), W_o=torch.eye(12))
    layer.load_state_dict({f"{name}.weight": W for name, W in matrices.items()})
    return layer.to(device)
# 9.2: make the scores larger
def previous_token_layer():
    layer = MultiHeadAttention(12, 1, bias=False)
    shift, same = torch.zeros(12, 12), torch.zeros(12, 12)
    shift[:6, :6] = 5 * torch.diag(torch.ones(9), 1)[:6, :6]
    same[:6, :6] = torch.eye(6)
    matrices = dict(W_q=shift, W_k=same, W_v=torch.eye(12), W_o=torch.eye(12))
    layer.load_state_dict({f"{name}.weight": W for name, W in matrices.items()})
    return layer.to(device)
# 9.2: does not copy their content
def previous_token_layer():
    layer = MultiHeadAttention(12, 1, bias=False)
    shift, same = torch.zeros(12, 12), torch.zeros(12, 12)
    shift[:6, :6] = 50 * torch.diag(torch.ones(9), 1)[:6, :6]
    same[:6, :6] = torch.eye(6)
    matrices = dict(W_q=shift, W_k=same, W_v=torch.eye(12), W_o=torch.eye(12).flip(0))
    layer.load_state_dict({f"{name}.weight": W for name, W in matrices.items()})
    return layer.to(device)
# 9.2: your head looks at the tokens
def previous_token_layer():
    layer = MultiHeadAttention(12, 1, bias=False)
    shift, same = torch.zeros(12, 12), torch.zeros(12, 12)
    shift[:6, :6] = 50 * torch.diag(torch.ones(9), 0)[:6, :6]
    same[:6, :6] = torch.eye(6)
    matrices = dict(W_q=shift, W_k=same, W_v=torch.eye(12), W_o=torch.eye(12))
    layer.load_state_dict({f"{name}.weight": W for name, W in matrices.items()})
    return layer.to(device)
# 9.2: one head
def previous_token_layer(): return MultiHeadAttention(12, 2).to(device)
# 9.3: it raises an error
def silent_case(num_heads): return [5, 4, 2]
# 9.3: with one sentence the result is right
def silent_case(num_heads): return [3]
# 9.3: do the lengths differ?
def silent_case(num_heads): return [4] * num_heads
# 9.3: lengths are from 1 to 5
def silent_case(num_heads): return [6] * num_heads
# 9.3: expected a list of whole numbers
def silent_case(num_heads): return torch.tensor([5] * num_heads)
# 9.4: the first number is right, the second is wrong
def two_from_one(mixture): return mixture.sign(), mixture.sign()
# 9.4: the first number is wrong
def two_from_one(mixture): return mixture, mixture
# 9.4: expected two tensors
def two_from_one(mixture): return mixture.sign()
