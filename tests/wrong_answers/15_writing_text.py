# 15.1: compare with the most likely token of the row
# in the solution: logits < cutoff => logits.softmax(-1) < share
# 15.1: you keep [0, 0, 0, 0, 0]; expected [1, 1, 1, 0, 0]
# in the solution: largest + math.log(share) => share * largest
# 15.1: you keep [1, 1, 0, 0, 0]; expected [1, 1, 1, 0, 0]
# in the solution: logits.amax(dim=-1, keepdim=True) => logits.max()
# 15.1: nothing is left
# in the solution: < cutoff => <= cutoff
# 15.1: must stay as they are
# in the solution: return logits => return logits.log_softmax(-1)
# 15.1: return new ones
# in the solution: masked_fill( => masked_fill_(
# 15.2: 1 steps; the third text needs 5
# in the solution: done.all() => (new == end).any()
# 15.2: 20 steps; the last text has ended after 5
# in the solution: done | (new[:, 0] == end) => new[:, 0] == end
# 15.2: expected [3, 4], as 1 is the end
# in the solution: return [text[: text.index(end)] for text in texts] => return tokens[:, 1:].tolist()
# 15.2: a text is [3, 4, 1]; expected [3, 4]
# in the solution: text.index(end)] => text.index(end) + 1]
# 15.2: a text is [2, 3, 4]; expected [3, 4]
# in the solution: tokens[:, 1:].tolist() => tokens.tolist()
# 15.2: a text that doesn't end has 5 tokens; expected 6, the longest
# in the solution: range(longest) => range(longest - 1)
# 15.2: after 100 steps it still writes
# in the solution: range(longest) => range(1000)
# 15.2: with the same seed the texts differ
# in the solution: , generator=draw =>
# 15.4: isn't what greedy writing gives
def write_ahead(model, guess, tokens, length, count):
    while length > 0:
        guesses = guess(tokens, min(count, length))
        tokens = torch.cat([tokens, guesses], dim=1)
        length -= guesses.shape[1]
    return tokens
# 15.4: always right: 20 passes; 5 are enough
# in the solution: : hits + 1 => :1
# 15.4: always right: 7 passes; 5 are enough
# in the solution: .sum() => .sum().clamp(min=1)
# in the solution: : hits + 1 => :hits
# 15.4: wrong at every fifth position: token
# in the solution: .cumprod(dim=0) =>
# 15.4: expected (1, 22)
# in the solution: return tokens[:, :end] => return tokens
# 15.3: 68 tokens in 8 steps; which of them are new to the cache?
def write_cached(model, text, steps):
    cache = Cache()
    for _ in range(steps):
        newest = model(text, cache)[:, -1:].argmax(dim=-1)
        text = torch.cat([text, newest], dim=1)
    return text
# 15.3: is it the same cache
# in the solution: model(unread, cache) => model(unread, Cache())
# 15.3: everything is computed again
# in the solution: model(unread, cache) => model(text)
# 15.3: your result has shape (3, 5)
def write_cached(model, text, steps): return text
