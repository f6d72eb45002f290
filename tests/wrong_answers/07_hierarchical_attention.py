# 7.1: four equal weights: your row sums to 4
def hard(weights): return (weights == weights.max(-1, keepdim=True).values).float() * (weights > 0)
# 7.1: the last row is empty
# in the solution: * not_empty =>
# 7.1: expected a tensor of shape (3, 3)
def hard(weights): return weights.argmax(dim=-1)
# 7.1: the empty row became nan
def hard(weights):
    top = (weights >= 0.5).float()
    return top / top.sum(-1, keepdim=True)
# 7.1: for the weights 0.2, 0.5, 0.3 you have
def hard(weights): return weights.round()
# 7.3: a tuple
def fair_chance():
    return train(MODELS["maximum"], (short_known[0][:64], short_known[1][:64]), short_held_out, every=64)
# 7.3: no more than in the report; let it read on
def fair_chance():
    few = short_known[0][:640], short_known[1][:640]
    return train(MODELS["maximum"], few, short_held_out, rate=0.03, every=10_000)[0]
# 7.3: this model has attention
def fair_chance(): return trained
# 7.3: another network
def fair_chance(): return MODELS["mean"]().to(device)
# 7.3: expected a trained model
def fair_chance(): return 0.01
# 7.3: it is still learning, so give it more
def fair_chance():
    return train(MODELS["maximum"], short_known, short_held_out, rate=0.01, every=100_000)[0]
# 7.2: the other way round
# in the solution: descending=True =>
# 7.2: where is the tanh?
# in the solution: torch.tanh(attention.W(vectors)) => attention.W(vectors)
# 7.2: the bias b of the layer is missing
# in the solution: attention.W(vectors) => vectors @ attention.W.weight.mT
# 7.2: expected the four words
def ask(attention, words, vectors): return words[:2]
# 7.2: the scores are 1.52 for best
def ask(attention, words, vectors): return sorted(words)
# 7.2: leaves out the matrix W
# in the solution: attention.W(vectors)) @ attention.u => vectors) @ attention.u[: vectors.shape[1]]
