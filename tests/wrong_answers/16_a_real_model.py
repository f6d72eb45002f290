# 16.1: twice too many
def longest_text(gib, layers, groups, d, window=None, full_layers=None):
    return int(gib * 2**30) // (layers * 2 * groups * d)
# 16.1: a GiB is 2 ** 30 bytes
def longest_text(gib, layers, groups, d, window=None, full_layers=None):
    return int(gib * 10**9) // (layers * 4 * groups * d)
# 16.1: round down
def longest_text(gib, layers, groups, d, window=None, full_layers=None):
    return gib * 2**30 / (layers * 4 * groups * d)
# 16.1: with windows, only the full layers grow
def longest_text(gib, layers, groups, d, window=None, full_layers=None):
    return int(gib * 2**30) // (layers * 4 * groups * d)
# 16.1: expected 43562
def longest_text(gib, layers, groups, d, window=None, full_layers=None):
    return int(gib * 2**30) // ((full_layers or layers) * 4 * groups * d)
# 16.1: which is less than the window
def longest_text(gib, layers, groups, d, window=None, full_layers=None):
    full_layers = full_layers or layers
    fixed = (layers - full_layers) * (window or 0) * 4 * groups * d
    return (int(gib * 2**30) - fixed) // (full_layers * 4 * groups * d)
# 16.2: does it begin in one piece and end in the next?
def until(pieces, stops):
    text = ""
    for piece in pieces:
        starts = [piece.find(stop) for stop in stops if stop in piece]
        if starts:
            return text + piece[: min(starts)]
        text += piece
    return text
# 16.2: the one that begins first counts
def until(pieces, stops):
    text = ""
    for piece in pieces:
        text += piece
        for stop in stops:
            if stop in text:
                return text[: text.find(stop)]
    return text
# 16.2: are enough
def until(pieces, stops):
    text = "".join(pieces)
    starts = [text.find(stop) for stop in stops if stop in text]
    return text[: min(starts)] if starts else text
# 16.3: you mix the heads
def to_halves(weight, d):
    return torch.cat([weight[0::2], weight[1::2]])
# 16.3: the other way round
def to_halves(weight, d):
    return weight.unflatten(0, (-1, 2, d // 2)).transpose(1, 2).flatten(0, 2)
# 16.3: the rows are
def to_halves(weight, d):
    return weight.unflatten(0, (-1, 2)).flip(1).flatten(0, 1)
# 16.3: a matrix of the same shape
def to_halves(weight, d):
    return weight.unflatten(0, (-1, d // 2, 2)).transpose(1, 2)
# 16.4: divided by r becomes likelier
def penalised(logits, seen, r):
    logits = logits.clone()
    logits[list(set(seen))] /= r
    return logits
# 16.4: punished once
def penalised(logits, seen, r):
    logits = logits.clone()
    for token in seen:
        logits[token] = logits[token] / r if logits[token] > 0 else logits[token] * r
    return logits
# 16.4: work on a copy
def penalised(logits, seen, r):
    for token in set(seen):
        logits[token] = logits[token] / r if logits[token] > 0 else logits[token] * r
    return logits
# 16.4: the logits become
def penalised(logits, seen, r):
    return torch.where(logits > 0, logits / r, logits * r)
# 16.5: this is the largest number
def worst(matrix):
    return divmod(matrix.abs().argmax().item(), matrix.shape[1])
# 16.5: you divide by the number
def worst(matrix):
    share = (to_4_bits(matrix) - matrix).abs() / matrix.abs()
    return divmod(share.argmax().item(), matrix.shape[1])
# 16.5: one changes more
def worst(matrix):
    error = to_4_bits(matrix) - matrix
    return divmod(error.abs().argmin().item(), matrix.shape[1])
# 16.6: you take the first key of each group
def grouped(weight, groups, d):
    return weight.unflatten(0, (groups, -1, d))[:, 0].flatten(0, 1)
# 16.6: are neighbours in one group?
def grouped(weight, groups, d):
    return weight.unflatten(0, (-1, groups, d)).mean(dim=0).flatten(0, 1)
# 16.6: nothing should change
def grouped(weight, groups, d):
    return weight.mean(dim=0).expand(groups * d, -1)
# 16.6: expected the shape
def grouped(weight, groups, d):
    return weight.unflatten(0, (groups, -1, d)).mean(dim=1)
# 16.6: has changed
def grouped(weight, groups, d):
    weight.mul_(2)
    return weight.unflatten(0, (groups, -1, d)).mean(dim=1).flatten(0, 1) / 2
