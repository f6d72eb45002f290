# 7.1: the last row is empty
def hard(weights): return (weights == weights.max(-1, keepdim=True).values).float()
# 7.1: four equal weights: your row sums to 4
def hard(weights):
    top = (weights == weights.max(-1, keepdim=True).values) & (weights > 0)
    return top.float()
# 7.1: the last row is empty
def hard(weights): return F.one_hot(weights.argmax(dim=-1), 3).float()
# 7.1: expected a tensor of shape (3, 3)
def hard(weights): return weights.argmax(dim=-1)
# 7.1: the empty row became nan
def hard(weights):
    top = (weights >= 0.5).float()
    return top / top.sum(-1, keepdim=True)
# 7.1: for the weights 0.2, 0.5, 0.3 you have
def hard(weights): return weights.round()
# 7.2: the token STOP after each sentence is missing
def flattened(documents):
    return pad_sequence([torch.tensor([token_of[w] for s in one for w in s]) for one in documents], batch_first=True)
# 7.2: the padding comes first
def flattened(documents):
    rows = [[t for s in one for t in (*(token_of[w] for w in s), STOP)] for one in documents]
    n = max(map(len, rows))
    return torch.tensor([[0] * (n - len(row)) + row for row in rows])
# 7.2: STOP stands before the sentences
def flattened(documents):
    rows = [torch.tensor([t for s in one for t in (STOP, *(token_of[w] for w in s))]) for one in documents]
    return pad_sequence(rows, batch_first=True)
# 7.2: the first row should be
def flattened(documents):
    rows = [torch.tensor([t for s in one for t in (*(token_of[w] for w in s), STOP)][::-1]) for one in documents]
    return pad_sequence(rows, batch_first=True)
# 7.2: expected a tensor of int64
def flattened(documents): return encode(documents)
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
# 7.3: expected the four words
def ask(attention, words, vectors): return words[:2]
# 7.3: the scores are 1.52 for best
def ask(attention, words, vectors): return sorted(words)
# 7.3: leaves out the matrix W
def ask(attention, words, vectors):
    scores = torch.tanh(vectors) @ attention.u[: vectors.shape[1]]
    return [words[i] for i in scores.argsort(descending=True).tolist()]
# 7.2: the first row should be
def flattened(documents):
    rows = [torch.tensor([t for s in one for t in (*(token_of[w] for w in s), STOP)] + [STOP]) for one in documents]
    return pad_sequence(rows, batch_first=True)
