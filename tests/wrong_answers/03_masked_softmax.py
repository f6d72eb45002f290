# 3.1: you allow the first keys
def left_padding_mask(valid_lens, m): return length_mask(valid_lens, m)
# 3.1: you mark the padding
def left_padding_mask(valid_lens, m): return ~length_mask(valid_lens, m).flip(-1)
# 3.1: wanted (4, 1, 4)
def left_padding_mask(valid_lens, m): return length_mask(valid_lens, m).flip(-1)[:, 0]
# 3.1: wanted a tensor of booleans
def left_padding_mask(valid_lens, m): return length_mask(valid_lens, m).flip(-1).long()
# 3.1: the shape (1, 1, 7)
def left_padding_mask(valid_lens, m): return (torch.arange(4, device=device)
    >= 4 - valid_lens[:, None])[:, None]
# 3.1: for length 0 of 4 keys you have 1111; wanted 0000
def left_padding_mask(valid_lens, m):
    mask = torch.zeros(len(valid_lens), 1, m, dtype=torch.bool)
    for row, length in zip(mask, valid_lens.tolist()):
        row[:, -length:] = True
    return mask
# 3.2: left and right are exchanged
def window_mask(size, before, after):
    places = torch.arange(size)
    behind = places[:, None] - places
    return (-before <= behind) & (behind <= after)
# 3.2: a word does not attend to itself
def window_mask(size, before, after):
    ahead = torch.arange(size) - torch.arange(size)[:, None]
    return (-before < ahead) & (ahead < after)
# 3.2: allows 15 pairs; wanted 9
def window_mask(size, before, after): return causal_mask(size)
# 3.2: wanted a tensor of booleans of shape (5, 5)
def window_mask(size, before, after): return torch.zeros(size, size)
# 3.3: another document
def packed_mask(documents): return causal_mask(6).to(device).expand(2, 6, 6)
# 3.3: a later word
def packed_mask(documents):
    same = documents[:, :, None] == documents[:, None, :]
    return same & causal_mask(6).to(device).mT
# 3.3: or itself
def packed_mask(documents):
    same = documents[:, :, None] == documents[:, None, :]
    return (same & causal_mask(6).to(device)).tril(-1)
# 3.3: wanted a tensor of booleans of shape (2, 6, 6)
def packed_mask(documents): return documents == documents
# 3.4: with scores near 1000, the row whose first block is masked is nan
def streamed(blocks):
    total = pooled = 0
    for scores, mask, values in blocks:
        exponentials = torch.exp(scores.masked_fill(~mask, -math.inf))
        total = total + exponentials.sum(dim=1, keepdim=True)
        pooled = pooled + exponentials @ values
    return pooled / total.masked_fill(total == 0, 1.0)
# 3.4: is wrong
def streamed(blocks):
    return sum(masked_softmax(scores, mask) @ values for scores, mask, values in blocks)
# 3.4: the row whose first block is masked is nan
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
# 3.4: the row without a key is nan
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
# 3.4: the row without a key is wrong
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
# 3.4: is wrong
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
