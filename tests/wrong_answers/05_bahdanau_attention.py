# 5.3: your share of 90% is too high
def predict_four(): return 0.9, 4
# 5.3: loses another clause more often than clause 4
def predict_four(): return 0.2, 4
# 5.3: lies between 0 and 1, and you say 20
def predict_four(): return 20, 3
# 5.3: expected two numbers
def predict_four(): return 0.2
# 5.1: you accuse a sound model, Translator
def notices_padding(model, src, tgt): return True
# 5.1: you miss the model that takes the mean over padding too
# in the solution: range(len(src)) => [(src != PAD).sum(dim=1).argmax()]
# 5.1: did you cut off its padding
# in the solution: b + 1, :length] => b + 1]
# 5.1: you return a Tensor
def notices_padding(model, src, tgt): return forced(model, src, tgt)[0]
# 5.2: use the mask
# in the solution: scores = scores.masked_fill(~mask, -torch.inf) =>
# 5.2: not the weights of the score s W h
# in the solution: state @ W => state @ W / 2
# 5.2: the context is not their sum
# in the solution: (weights[:, None] @ states)[:, 0] => states.mean(dim=1)
# 5.2: expected two tensors
# in the solution: context, weights => context
# 5.2: expected (2, 5) and (2, 4)
# in the solution: context, weights => weights, context
