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
# 3.2: expected a tensor of booleans of shape (12, 12)
def influence(model, tokens): return torch.ones(N, N)
# 3.2: in a model that reads only its own token you find 78 influences; expected 12
def influence(model, tokens): return causal_mask(N)
# 3.2: in a causal model with dropout you find
def influence(model, tokens):
    before, columns = model(tokens), []
    for j in range(tokens.shape[1]):
        changed = tokens.clone()
        changed[:, j] = (changed[:, j] + 1) % VOCAB
        columns.append((model(changed) - before).abs().amax(dim=(0, 2)) > 1e-5)
    return torch.stack(columns, dim=1)
# 3.2: in a model that peeks two tokens ahead in one sequence you find 78 influences; expected 88
def influence(model, tokens):
    model.eval()
    before, columns = model(tokens), []
    for j in range(tokens.shape[1]):
        changed = tokens.clone()
        changed[:, j] = (changed[:, j] + 1) % VOCAB
        columns.append((model(changed) - before).abs().amax(dim=2)[0] > 1e-5)
    return torch.stack(columns, dim=1)
# 3.2: in a causal model you find 69 influences; expected 78
def influence(model, tokens):
    model.eval()
    before, columns = model(tokens), []
    for j in range(tokens.shape[1]):
        changed = tokens.clone()
        changed[:, j] = 0
        columns.append((model(changed) - before).abs().amax(dim=(0, 2)) > 1e-5)
    return torch.stack(columns, dim=1)
# 3.2: rows and columns are exchanged
def influence(model, tokens):
    model.eval()
    before, rows = model(tokens), []
    for j in range(tokens.shape[1]):
        changed = tokens.clone()
        changed[:, j] = (changed[:, j] + 1) % VOCAB
        rows.append((model(changed) - before).abs().amax(dim=(0, 2)) > 1e-5)
    return torch.stack(rows)
# 3.2: in a model that peeks two tokens ahead, a little you find 78 influences; expected 88
def influence(model, tokens):
    model.eval()
    before, columns = model(tokens), []
    for j in range(tokens.shape[1]):
        changed = tokens.clone()
        changed[:, j] = (changed[:, j] + 1) % VOCAB
        columns.append((model(changed) - before).abs().amax(dim=(0, 2)) > 9e-4)
    return torch.stack(columns, dim=1)
# 3.2: you changed the caller's tokens; change a copy
def influence(model, tokens):
    model.eval()
    before, columns = model(tokens), []
    for j in range(tokens.shape[1]):
        tokens[:, j] = (tokens[:, j] + 1) % VOCAB
        columns.append((model(tokens) - before).abs().amax(dim=(0, 2)) > 1e-5)
    return torch.stack(columns, dim=1)
# 3.3: with scores near 1000, the row whose first block is masked is nan
def streamed(blocks):
    total = pooled = 0
    for scores, mask, values in blocks:
        exponentials = torch.exp(scores.masked_fill(~mask, -math.inf))
        total = total + exponentials.sum(dim=1, keepdim=True)
        pooled = pooled + exponentials @ values
    return pooled / total.masked_fill(total == 0, 1.0)
# 3.3: is wrong
def streamed(blocks):
    return sum(masked_softmax(scores, mask) @ values for scores, mask, values in blocks)
# 3.3: the row whose first block is masked is nan
def streamed(blocks):
    largest = None
    for scores, mask, values in blocks:
        scores = scores.masked_fill(~mask, -math.inf)
        if largest is None:
            largest = torch.full_like(scores[:, :1], -math.inf)
            total, pooled = torch.zeros_like(largest), values.new_zeros(len(scores), 1)
        higher = torch.maximum(largest, scores.amax(dim=1, keepdim=True))
        exponentials, old = torch.exp(scores - higher), torch.exp(largest - higher)
        total = old * total + exponentials.sum(dim=1, keepdim=True)
        pooled, largest = old * pooled + exponentials @ values, higher
    return pooled / total
# 3.3: the row without a key is nan
def streamed(blocks):
    largest = None
    for scores, mask, values in blocks:
        scores = scores.masked_fill(~mask, -math.inf)
        if largest is None:
            largest = torch.full_like(scores[:, :1], 0.0)
            total, pooled = torch.zeros_like(largest), values.new_zeros(len(scores), 1)
        higher = torch.maximum(largest, scores.amax(dim=1, keepdim=True))
        exponentials, old = torch.exp(scores - higher), torch.exp(largest - higher)
        total = old * total + exponentials.sum(dim=1, keepdim=True)
        pooled, largest = old * pooled + exponentials @ values, higher
    return pooled / total
# 3.3: the row without a key is wrong
def streamed(blocks):
    largest = None
    for scores, mask, values in blocks:
        scores = scores.masked_fill(~mask, -1e9)
        if largest is None:
            largest = torch.full_like(scores[:, :1], -1e9)
            total, pooled = torch.zeros_like(largest), values.new_zeros(len(scores), 1)
        higher = torch.maximum(largest, scores.amax(dim=1, keepdim=True))
        exponentials, old = torch.exp(scores - higher), torch.exp(largest - higher)
        total = old * total + exponentials.sum(dim=1, keepdim=True)
        pooled, largest = old * pooled + exponentials @ values, higher
    return pooled / total
# 3.3: is wrong
def streamed(blocks):
    largest = None
    for scores, mask, values in blocks:
        scores = scores.masked_fill(~mask, -math.inf)
        if largest is None:
            largest = torch.full_like(scores[:, :1], -1e9)
            total, pooled = torch.zeros_like(largest), values.new_zeros(len(scores), 1)
        higher = torch.maximum(largest, scores.amax(dim=1, keepdim=True))
        exponentials, old = torch.exp(scores - higher), torch.exp(largest - higher)
        total = old * total + exponentials.sum(dim=1, keepdim=True)
        pooled, largest = pooled + exponentials @ values, higher
    return pooled / total
# 3.3: is wrong
def streamed(blocks):
    largest, total, pooled = torch.tensor(-math.inf), 0.0, 0.0
    for scores, mask, values in blocks:
        higher = torch.maximum(largest, scores.amax(dim=1, keepdim=True))
        exponentials = torch.exp(scores - higher).masked_fill(~mask, 0.0)
        old = torch.exp(largest - higher)
        total = old * total + exponentials.sum(dim=1, keepdim=True)
        pooled, largest = old * pooled + exponentials @ values, higher
    return pooled / total.masked_fill(total == 0, 1.0)
# 3.3: you keep a block
def streamed(blocks):
    scores, masks, values = zip(*blocks, strict=True)
    return masked_softmax(torch.cat(scores, 1), torch.cat(masks, 1)) @ torch.cat(values)
