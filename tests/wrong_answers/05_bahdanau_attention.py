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
def notices_padding(model, src, tgt): return False
# 5.2: you miss the model that takes the mean over padding too
def notices_padding(model, src, tgt):
    longest = (src != PAD).sum(dim=1).argmax()
    together, _ = forced(model, src, tgt)
    alone, _ = forced(model, src[longest : longest + 1], tgt[longest : longest + 1])
    return not torch.allclose(alone[0], together[longest], atol=1e-4)
# 5.2: you miss the model that takes the mean over padding too
def notices_padding(model, src, tgt):
    third = src[2:3, : (src[2] != PAD).sum()]
    together, _ = forced(model, src, tgt)
    return not torch.allclose(forced(model, third, tgt[2:3])[0][0], together[2], atol=1e-4)
# 5.2: did you cut off its padding
def notices_padding(model, src, tgt):
    together, _ = forced(model, src, tgt)
    apart = [forced(model, src[b : b + 1], tgt[b : b + 1])[0] for b in range(len(src))]
    return not torch.allclose(torch.cat(apart), together, atol=1e-4)
# 5.2: you return a Tensor
def notices_padding(model, src, tgt): return forced(model, src, tgt)[0]
# 5.3: use the mask
def luong_context(state, states, mask, W):
    weights = torch.softmax((states @ (state @ W)[..., None])[..., 0], dim=1)
    return (weights[:, None] @ states)[:, 0], weights
# 5.3: not the weights of the score s W h
def luong_context(state, states, mask, W):
    scores = (states @ (state @ W)[..., None])[..., 0] / 2
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=1)
    return (weights[:, None] @ states)[:, 0], weights
# 5.3: the context is not their sum
def luong_context(state, states, mask, W):
    scores = (states @ (state @ W)[..., None])[..., 0]
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=1)
    return states.mean(dim=1), weights
# 5.3: expected two tensors
def luong_context(state, states, mask, W): return states.mean(dim=1)
# 5.3: expected (2, 5) and (2, 4)
def luong_context(state, states, mask, W):
    return states.sum(dim=2), states.mean(dim=1)
# 5.4: parameters are too many: at most 74,713
def small_translator(): return models["reminded"]
# 5.4: 0% at three clauses
def small_translator(): return Translator("attention", H=32)
# 5.4: expected a trained Translator
def small_translator(): return 32
