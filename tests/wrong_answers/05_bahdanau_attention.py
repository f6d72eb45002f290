# 5.1: attention: your share of 90% is too high
def predict_four(): return 0.9, 0.9, 4
# 5.1: same position: your share of 10% is too low
def predict_four(): return 0.2, 0.1, 3
# 5.1: loses another clause more often than clause 4
def predict_four(): return 0.2, 0.6, 4
# 5.1: lies between 0 and 1, and you say 20
def predict_four(): return 20, 60, 3
# 5.1: expected three numbers
def predict_four(): return 0.2
# 5.2: you accuse a sound model, the one with first state only
def notices_padding(model, src, tgt): return True
# 5.2: you miss the model that takes the mean over padding too
# in the solution: range(len(src)) => [(src != PAD).sum(dim=1).argmax()]
# 5.2: you miss the model that takes the mean over padding too
# in the solution: range(len(src)) => [2]
# 5.2: did you cut off its padding
# in the solution: b + 1, :length] => b + 1]
# 5.2: you return a Tensor
def notices_padding(model, src, tgt): return forced(model, src, tgt)[0]
# 5.3: use the mask
# in the solution: scores = scores.masked_fill(~mask, -torch.inf) =>
# 5.3: not the weights of the score s W h
# in the solution: state @ W => state @ W / 2
# 5.3: the context is not their sum
# in the solution: (weights[:, None] @ states)[:, 0] => states.mean(dim=1)
# 5.3: expected two tensors
# in the solution: context, weights => context
# 5.3: expected (2, 5) and (2, 4)
# in the solution: context, weights => weights, context
# 5.4: parameters are too many: at most 74,713
def small_translator(): return models["reminded"]
# 5.4: 0% at three clauses
def small_translator(): return Translator("attention", H=32)
# 5.4: expected a trained Translator
def small_translator(): return 32
