# 15.1: compare with the most likely token of the row
def keep_min_p(logits, share):
    return logits.masked_fill(logits.softmax(-1) < share, -math.inf)
# 15.1: you keep [0, 0, 0, 0, 0]; expected [1, 1, 1, 0, 0]
def keep_min_p(logits, share):
    return logits.masked_fill(logits < share * logits.amax(-1, keepdim=True), -math.inf)
# 15.1: you keep [1, 1, 0, 0, 0]; expected [1, 1, 1, 0, 0]
def keep_min_p(logits, share):
    return logits.masked_fill(logits < logits.max() + math.log(share), -math.inf)
# 15.1: nothing is left
def keep_min_p(logits, share):
    return logits.masked_fill(logits <= logits.amax(-1, keepdim=True) + math.log(share), -math.inf)
# 15.1: must stay as they are
def keep_min_p(logits, share):
    p = logits.softmax(-1)
    return p.log().masked_fill(p < share * p.amax(-1, keepdim=True), -math.inf)
# 15.1: return new ones
def keep_min_p(logits, share):
    return logits.masked_fill_(logits < logits.amax(-1, keepdim=True) + math.log(share), -math.inf)
# 15.2: 1 steps; the third text needs 5
@torch.no_grad()
def write_sentences(model, start, end, count, longest, seed):
    draw, texts = torch.Generator().manual_seed(seed), []
    tokens = torch.full((count, 1), start, device=device)
    for _ in range(longest):
        probabilities = model(tokens)[:, -1].softmax(-1).cpu()
        new = torch.multinomial(probabilities, 1, generator=draw).to(device)
        tokens = torch.cat([tokens, new], dim=1)
        if (new == end).any():
            break
    texts = [text + [end] for text in tokens[:, 1:].tolist()]
    return [text[: text.index(end)] for text in texts]
# 15.2: 20 steps; the last text has ended after 5
@torch.no_grad()
def write_sentences(model, start, end, count, longest, seed):
    draw = torch.Generator().manual_seed(seed)
    tokens = torch.full((count, 1), start, device=device)
    while tokens.shape[1] <= longest and not (tokens[:, -1] == end).all():
        probabilities = model(tokens)[:, -1].softmax(-1).cpu()
        new = torch.multinomial(probabilities, 1, generator=draw).to(device)
        tokens = torch.cat([tokens, new], dim=1)
    texts = [text + [end] for text in tokens[:, 1:].tolist()]
    return [text[: text.index(end)] for text in texts]
# 15.2: expected [3, 4], as 1 is the end
@torch.no_grad()
def write_sentences(model, start, end, count, longest, seed):
    draw = torch.Generator().manual_seed(seed)
    tokens = torch.full((count, 1), start, device=device)
    done = torch.zeros(count, dtype=torch.bool, device=device)
    while tokens.shape[1] <= longest and not done.all():
        probabilities = model(tokens)[:, -1].softmax(-1).cpu()
        new = torch.multinomial(probabilities, 1, generator=draw).to(device)
        tokens = torch.cat([tokens, new], dim=1)
        done = done | (new[:, 0] == end)
    return tokens[:, 1:].tolist()
# 15.2: a text is [3, 4, 1]; expected [3, 4]
@torch.no_grad()
def write_sentences(model, start, end, count, longest, seed):
    draw = torch.Generator().manual_seed(seed)
    tokens = torch.full((count, 1), start, device=device)
    done = torch.zeros(count, dtype=torch.bool, device=device)
    while tokens.shape[1] <= longest and not done.all():
        probabilities = model(tokens)[:, -1].softmax(-1).cpu()
        new = torch.multinomial(probabilities, 1, generator=draw).to(device)
        tokens = torch.cat([tokens, new], dim=1)
        done = done | (new[:, 0] == end)
    texts = [text + [end] for text in tokens[:, 1:].tolist()]
    return [text[: text.index(end) + 1] for text in texts]
# 15.2: a text is [2, 3, 4]; expected [3, 4]
@torch.no_grad()
def write_sentences(model, start, end, count, longest, seed):
    draw = torch.Generator().manual_seed(seed)
    tokens = torch.full((count, 1), start, device=device)
    done = torch.zeros(count, dtype=torch.bool, device=device)
    while tokens.shape[1] <= longest and not done.all():
        probabilities = model(tokens)[:, -1].softmax(-1).cpu()
        new = torch.multinomial(probabilities, 1, generator=draw).to(device)
        tokens = torch.cat([tokens, new], dim=1)
        done = done | (new[:, 0] == end)
    return [(text + [end])[: (text + [end]).index(end)] for text in tokens.tolist()]
# 15.2: a text that doesn't end has 5 tokens; expected 6, the longest
@torch.no_grad()
def write_sentences(model, start, end, count, longest, seed):
    draw = torch.Generator().manual_seed(seed)
    tokens = torch.full((count, 1), start, device=device)
    done = torch.zeros(count, dtype=torch.bool, device=device)
    while tokens.shape[1] < longest and not done.all():
        probabilities = model(tokens)[:, -1].softmax(-1).cpu()
        new = torch.multinomial(probabilities, 1, generator=draw).to(device)
        tokens = torch.cat([tokens, new], dim=1)
        done = done | (new[:, 0] == end)
    texts = [text + [end] for text in tokens[:, 1:].tolist()]
    return [text[: text.index(end)] for text in texts]
# 15.2: after 100 steps it still writes
@torch.no_grad()
def write_sentences(model, start, end, count, longest, seed):
    tokens = torch.full((count, 1), start, device=device)
    while not (tokens[:, -1] == end).all():
        new = torch.multinomial(model(tokens)[:, -1].softmax(-1), 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
# 15.2: with the same seed the texts differ
@torch.no_grad()
def write_sentences(model, start, end, count, longest, seed):
    tokens = torch.full((count, 1), start, device=device)
    done = torch.zeros(count, dtype=torch.bool, device=device)
    while tokens.shape[1] <= longest and not done.all():
        new = torch.multinomial(model(tokens)[:, -1].softmax(-1), 1)
        tokens = torch.cat([tokens, new], dim=1)
        done = done | (new[:, 0] == end)
    texts = [text + [end] for text in tokens[:, 1:].tolist()]
    return [text[: text.index(end)] for text in texts]
# 15.3: isn't what greedy writing gives
def write_ahead(model, guess, tokens, length, count):
    while length > 0:
        guesses = guess(tokens, min(count, length))
        tokens = torch.cat([tokens, guesses], dim=1)
        length -= guesses.shape[1]
    return tokens
# 15.3: always right: 20 passes; 5 are enough
def write_ahead(model, guess, tokens, length, count):
    for _ in range(length):
        new = model(tokens)[:, -1:].argmax(dim=-1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
# 15.3: always right: 7 passes; 5 are enough
def write_ahead(model, guess, tokens, length, count):
    end = tokens.shape[1] + length
    while tokens.shape[1] < end:
        n = tokens.shape[1]
        guesses = guess(tokens, count)
        chosen = model(torch.cat([tokens, guesses], dim=1))[:, n - 1 :].argmax(dim=-1)
        kept = (chosen[:, :-1] == guesses)[0].long().cumprod(dim=0).sum().clamp(min=1)
        tokens = torch.cat([tokens, chosen[:, :kept]], dim=1)
    return tokens[:, :end]
# 15.3: wrong at every fifth position: token
def write_ahead(model, guess, tokens, length, count):
    end = tokens.shape[1] + length
    while tokens.shape[1] < end:
        n = tokens.shape[1]
        guesses = guess(tokens, count)
        chosen = model(torch.cat([tokens, guesses], dim=1))[:, n - 1 :].argmax(dim=-1)
        kept = (chosen[:, :-1] == guesses)[0].sum()
        tokens = torch.cat([tokens, chosen[:, : kept + 1]], dim=1)
    return tokens[:, :end]
# 15.3: expected (1, 22)
def write_ahead(model, guess, tokens, length, count):
    end = tokens.shape[1] + length
    while tokens.shape[1] < end:
        n = tokens.shape[1]
        guesses = guess(tokens, count)
        chosen = model(torch.cat([tokens, guesses], dim=1))[:, n - 1 :].argmax(dim=-1)
        kept = (chosen[:, :-1] == guesses)[0].long().cumprod(dim=0).sum()
        tokens = torch.cat([tokens, chosen[:, : kept + 1]], dim=1)
    return tokens
