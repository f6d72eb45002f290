# 9.3: the heads are still in the old order
def reorder(layer, order): return layer
# 9.3: expected a MultiHeadAttention(12, 3, bias=False)
def reorder(layer, order): return torch.nn.Linear(12, 12)
# 9.3: the weights are right, the outputs are not
# in the solution: .unflatten(1, (H, -1))[:, order].flatten(1) =>
# 9.3: is not head order[h]
# in the solution: -1))[order] => -1))[[1, 2, 0]]
# 9.3: the layer that was given has changed
# in the solution: MultiHeadAttention(D, H, bias=False).to(layer.W_q.weight.device) => layer
# 9.1: your head looks at the next token
# in the solution: ones(5), 1 => ones(5), -1
# 9.1: make the scores larger
# in the solution: 50 * => 5 *
# 9.1: does not copy their content
# in the solution: "W_o": torch.eye(12) => "W_o": torch.eye(12).flip(0)
# 9.1: your head looks at the tokens
# in the solution: ones(5), 1 => ones(6)
# 9.1: one head
def previous_token_layer(): return MultiHeadAttention(12, 2).to(device)
# 9.2: it raises an error
def silent_case(num_heads): return [5, 4, 2]
# 9.2: with one sentence the result is right
def silent_case(num_heads): return [3]
# 9.2: do the lengths differ?
def silent_case(num_heads): return [4] * num_heads
# 9.2: lengths are from 1 to 5
def silent_case(num_heads): return [6] * num_heads
# 9.2: expected a list of whole numbers
def silent_case(num_heads): return torch.tensor([5] * num_heads)
# 9.4: the first number is right, the second is wrong
def two_from_one(mixture): return mixture.sign(), mixture.sign()
# 9.4: the first number is wrong
def two_from_one(mixture): return mixture, mixture
# 9.4: expected two tensors
def two_from_one(mixture): return mixture.sign()
