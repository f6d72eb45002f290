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
# 7.2: a tuple
def fair_chance():
    return train(MODELS["maximum"], (short_known[0][:64], short_known[1][:64]), short_held_out, every=64)
# 7.2: no more than in the report; let it read on
def fair_chance():
    few = short_known[0][:640], short_known[1][:640]
    model, _ = train(MODELS["maximum"], few, short_held_out, rate=0.03, every=10_000)
    return model
# 7.2: this model has attention
def fair_chance():
    return trained["attention"]
# 7.2: another network
def fair_chance():
    return trained["mean"]
# 7.2: another network
def fair_chance():
    return HierarchicalClassifier(64, lambda width: maximum).to(device)
# 7.2: expected a trained model
def fair_chance(): return 0.01
# 7.2: it is still learning, so give it more
def fair_chance():
    model, _ = train(MODELS["maximum"], short_known, short_held_out, rate=0.01, every=100_000)
    return model
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
