# 7.1: the last row is empty
def hard(weights): return (weights == weights.max(-1, keepdim=True).values).float()
# 7.1: four equal weights: your row sums to 4
def hard(weights):
    top = (weights == weights.max(-1, keepdim=True).values) & (weights > 0)
    return top.float()
# 7.1: the last row is empty
def hard(weights): return F.one_hot(weights.argmax(dim=-1), 3).float()
# 7.1: wanted a tensor of shape (3, 3)
def hard(weights): return weights.argmax(dim=-1)
# 7.1: the empty row became nan
def hard(weights):
    top = (weights >= 0.5).float()
    return top / top.sum(-1, keepdim=True)
# 7.1: for the weights 0.2, 0.5, 0.3 you have
def hard(weights): return weights.round()
# 7.2: for [1.0, 0.0] you have [0.731, 0.269]
def sparsemax(z): return z.softmax(dim=-1)
# 7.2: your weights sum to 0.50
def sparsemax(z): return z.clamp(min=0)
# 7.2: one weight is -1.50
def sparsemax(z): return z - (z.sum(-1, keepdim=True) - 1) / z.shape[-1]
# 7.2: wanted [0.75, 0.25]
def sparsemax(z):
    p = z.softmax(dim=-1)
    p = p * (p > 0.3)
    return p / p.sum(-1, keepdim=True)
# 7.2: wanted a tensor of shape (1, 2)
def sparsemax(z): return z.softmax(dim=-1).sum(-1)
# 7.2: and not for a batch of them
def sparsemax(z):
    k = torch.arange(1, z.shape[-1] + 1)
    sums = z[(0,) * (z.dim() - 1)].sort(descending=True).values.cumsum(0)
    support = (1 + k * z[(0,) * (z.dim() - 1)].sort(descending=True).values > sums).sum()
    return (z - (sums[support - 1] - 1) / support).clamp(min=0)
# 7.3: the other way round
def ask(attention, words, vectors):
    scores = torch.tanh(attention.W(vectors)) @ attention.u
    return [words[i] for i in scores.argsort().tolist()]
# 7.3: where is the tanh?
def ask(attention, words, vectors):
    scores = attention.W(vectors) @ attention.u
    return [words[i] for i in scores.argsort(descending=True).tolist()]
# 7.3: the bias b of the layer is missing
def ask(attention, words, vectors):
    scores = torch.tanh(vectors @ attention.W.weight.mT) @ attention.u
    return [words[i] for i in scores.argsort(descending=True).tolist()]
# 7.3: wanted the four words
def ask(attention, words, vectors): return words[:2]
# 7.3: the scores are 1.52 for best
def ask(attention, words, vectors): return sorted(words)
