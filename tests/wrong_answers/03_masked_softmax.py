# 3.1: you allow the first keys
def left_padding_mask(valid_lens, m): return length_mask(valid_lens, m)
# 3.1: you mark the padding
def left_padding_mask(valid_lens, m): return ~length_mask(valid_lens, m).flip(-1)
# 3.1: expected (4, 1, 4)
def left_padding_mask(valid_lens, m): return length_mask(valid_lens, m).flip(-1)[:, 0]
# 3.1: expected a tensor of booleans
def left_padding_mask(valid_lens, m): return length_mask(valid_lens, m).flip(-1).long()
# 3.1: should have the shape (2, 1, 7)
def left_padding_mask(valid_lens, m): return (torch.arange(4, device=device)
    >= 4 - valid_lens[:, None])[:, None]
# 3.1: right for 4 keys, and wrong for lengths 2 and 5
def left_padding_mask(valid_lens, m): return (torch.arange(m)
    >= valid_lens.max() - valid_lens[:, None])[:, None]
# 3.1: for length 0 of 4 keys you have 1111; expected 0000
def left_padding_mask(valid_lens, m):
    mask = torch.zeros(len(valid_lens), 1, m, dtype=torch.bool)
    for row, length in zip(mask, valid_lens.tolist()):
        row[:, -length:] = True
    return mask
# 3.3: expected a tensor of booleans of shape (12, 12)
def influence(model, tokens): return torch.ones(N, N)
# 3.3: in a model that reads only its own token you find 78 influences; expected 12
def influence(model, tokens): return causal_mask(N)
# 3.3: in a causal model with dropout you find
# in the solution: model.eval() =>
# 3.3: in a model that peeks two tokens ahead in one sequence you find 78 influences; expected 88
# in the solution: amax(dim=(0, 2)) => amax(dim=2)[0]
# 3.3: in a causal model you find 69 influences; expected 78
# in the solution: (changed[:, j] + 1) % VOCAB => 0
# 3.3: rows and columns are exchanged
# in the solution: stack(columns, dim=1) => stack(columns)
# 3.3: in a model that peeks two tokens ahead, a little you find 78 influences; expected 88
# in the solution: 1e-5 => 9e-4
# 3.3: you changed the caller's tokens; change a copy
# in the solution: tokens.clone() => tokens
# 3.2: expected a tensor of booleans
def find_mask(attend, n): return attend(torch.eye(n))
# 3.2: you mark the masked keys
def find_mask(attend, n): return attend(torch.eye(n)) == 0
# 3.2: rows and columns are exchanged
def find_mask(attend, n): return (attend(torch.eye(n)) > 0).mT
# 3.2: is a weight too
def find_mask(attend, n): return attend(torch.eye(n)) > 1e-5
# 3.2: pairs that the mask forbids
def find_mask(attend, n): return torch.ones(n, n) > 0
# 3.2: pairs that the mask allows
def find_mask(attend, n): return attend(torch.eye(n)) > 0.4
