# 14.1: bits per token
# in the solution: bits_per_token / characters => bits_per_token
# 14.1: nats per character
# in the solution: loss / math.log(2) => loss
# 14.1: shared by its characters
# in the solution: bits_per_token / characters => bits_per_token * characters
# 14.1: so the number has to grow
# in the solution: loss / math.log(2) => loss * math.log(2)
# 14.1: 3 bits a token of two characters give 4.000
# in the solution: bits_per_token / characters => 2**bits_per_token / characters
# 14.2: each token has to predict itself
# in the solution: model(tokens[:, :-1]) => model(tokens)
# in the solution: tokens[:, 1:] => tokens
# 14.2: the one before it
def loss_of(model, tokens):
    return F.cross_entropy(model(tokens[:, 1:]).mT, tokens[:, :-1])
# 14.2: the first of the next
def loss_of(model, tokens):
    logits = model(tokens).flatten(0, 1)
    return F.cross_entropy(logits[:-1], tokens.flatten()[1:])
# 14.2: has to predict its first
def loss_of(model, tokens):
    return F.cross_entropy(model(tokens).mT, tokens.roll(-1, 1))
# 14.2: this is the sum
# in the solution: tokens[:, 1:]) => tokens[:, 1:], reduction="sum")
# 14.2: return a tensor that has a gradient
# in the solution: tokens[:, 1:]) => tokens[:, 1:]).item()
# 14.2: the loss is
def loss_of(model, tokens):
    logits = model(tokens[:, :-1])
    B, n, V = logits.shape
    return F.cross_entropy(logits.reshape(B, V, n), tokens[:, 1:])
# 14.3: questions answered; a better pair answers all
def two_words(before): return before[-2], before[-1]
# 14.3: isn't a tuple of two words
def two_words(before): return "voient", before[-1]
# 14.4: it was only a copy
# in the solution: self.output.weight = self.embedding.weight => self.output.weight.data.copy_(self.embedding.weight.data)
# 14.4: 0 parameters are saved
# in the solution: self.output.weight = self.embedding.weight => self.output.weight.data = self.embedding.weight.data
# 14.4: the bias of the output layer is gone
# in the solution: self.output.weight = self => self.output = nn.Linear(d_model, vocab, bias=False); self.output.weight = self
