# 12.1: the padding is counted
def mean_loss(logits, tokens):
    return F.cross_entropy(logits.mT, tokens[:, 1:])
# 12.1: its positions are in the mean
def mean_loss(logits, tokens):
    losses = F.cross_entropy(logits.mT, tokens[:, 1:], reduction="none")
    return losses.masked_fill(tokens[:, 1:] == 0, 0.0).mean()
# 12.1: each sentence weighs the same
def mean_loss(logits, tokens):
    rows = zip(logits, tokens)
    return sum(F.cross_entropy(x[t[1:] != 0], t[1:][t[1:] != 0]) for x, t in rows) / 3
# 12.1: not with the next
def mean_loss(logits, tokens):
    return F.cross_entropy(logits.mT, tokens[:, :-1], ignore_index=0)
# 12.1: the sum, not the mean
def mean_loss(logits, tokens):
    return F.cross_entropy(logits.mT, tokens[:, 1:], ignore_index=0, reduction="sum")
# 12.2: the cache stays as it was
def advance(tokens, cache, done, rows, new, eos):
    tokens = torch.cat([tokens[rows], new.view(-1, 1)], dim=1)
    return tokens, cache, done.flatten()[rows].view(done.shape) | (new == eos)
# 12.2: done stays with the old hypotheses
def advance(tokens, cache, done, rows, new, eos):
    cache.reorder(rows)
    tokens = torch.cat([tokens[rows], new.view(-1, 1)], dim=1)
    return tokens, cache, done | (new == eos)
# 12.2: a hypothesis that has just ended isn't marked
def advance(tokens, cache, done, rows, new, eos):
    cache.reorder(rows)
    tokens = torch.cat([tokens[rows], new.view(-1, 1)], dim=1)
    return tokens, cache, done.flatten()[rows].view(done.shape)
# 12.2: done has shape (6,)
def advance(tokens, cache, done, rows, new, eos):
    cache.reorder(rows)
    tokens = torch.cat([tokens[rows], new.view(-1, 1)], dim=1)
    return tokens, cache, done.flatten()[rows] | (new == eos).flatten()
# 12.2: different tokens
def advance(tokens, cache, done, rows, new, eos):
    cache.reorder(rows)
    return torch.cat([tokens, new.view(-1, 1)], dim=1), cache, done
# 12.2: different keys and values
def advance(tokens, cache, done, rows, new, eos):
    cache.reorder(rows.flip(0))
    return torch.cat([tokens[rows], new.view(-1, 1)], dim=1), cache, done
# 12.2: different keys and values
def advance(tokens, cache, done, rows, new, eos):
    cache.reorder(rows)
    cache.reorder(rows)
    return torch.cat([tokens[rows], new.view(-1, 1)], dim=1), cache, done
# 12.2: the cache stays as it was
def advance(tokens, cache, done, rows, new, eos):
    for layer, (keys, values) in cache.kept.items():
        cache.kept[layer] = (keys[rows], values)
    return torch.cat([tokens[rows], new.view(-1, 1)], dim=1), cache, done
# 12.2: the cache has lost a layer
def advance(tokens, cache, done, rows, new, eos):
    kept, cache = cache.kept, Cache()
    for layer, (keys, values) in list(kept.items())[:1]:
        cache.update(layer, keys[rows], values[rows])
    return torch.cat([tokens[rows], new.view(-1, 1)], dim=1), cache, done
# 12.2: the cache is a dict
def advance(tokens, cache, done, rows, new, eos):
    kept = {layer: (keys[rows], values[rows]) for layer, (keys, values) in cache.kept.items()}
    return torch.cat([tokens[rows], new.view(-1, 1)], dim=1), kept, done
# 12.2: a Tensor; expected tokens, cache and done
def advance(tokens, cache, done, rows, new, eos):
    cache.reorder(rows)
    return torch.cat([tokens[rows], new.view(-1, 1)], dim=1)
# 12.3: the padding is counted
@torch.no_grad()
def log_probability(model, src, tgt):
    log_p = model(src, tgt[:, :-1]).log_softmax(-1)
    return log_p.gather(-1, tgt[:, 1:].unsqueeze(-1)).squeeze(-1).sum(dim=-1)
# 12.3: the end token is missing
@torch.no_grad()
def log_probability(model, src, tgt):
    log_p = model(src, tgt[:, :-1]).log_softmax(-1)
    found = log_p.gather(-1, tgt[:, 1:].unsqueeze(-1)).squeeze(-1)
    return found.masked_fill((tgt[:, 1:] == PAD) | (tgt[:, 1:] == EOS), 0.0).sum(dim=-1)
# 12.3: the mean over the tokens
@torch.no_grad()
def log_probability(model, src, tgt):
    log_p = model(src, tgt[:, :-1]).log_softmax(-1)
    found = log_p.gather(-1, tgt[:, 1:].unsqueeze(-1)).squeeze(-1)
    real = tgt[:, 1:] != PAD
    return (found * real).sum(dim=-1) / real.sum(dim=-1)
# 12.3: the sign
@torch.no_grad()
def log_probability(model, src, tgt):
    loss = F.cross_entropy(model(src, tgt[:, :-1]).mT, tgt[:, 1:], reduction="none")
    return (loss * (tgt[:, 1:] != PAD)).sum(dim=-1)
# 12.3: different numbers
@torch.no_grad()
def log_probability(model, src, tgt):
    log_p = model(src, tgt).log_softmax(-1)
    found = log_p.gather(-1, tgt.unsqueeze(-1)).squeeze(-1)
    return found.masked_fill(tgt == PAD, 0.0).sum(dim=-1)
# 12.3: your result has shape ()
@torch.no_grad()
def log_probability(model, src, tgt): return next_token_loss(model(src, tgt[:, :-1]), tgt)
# 12.4: up to pairs of words only
def bleu_by_hand(sentences, references):
    return corpus_bleu([[words] for words in references], sentences, (0.5, 0.5))
# 12.4: at most as often as in the reference
def bleu_by_hand(sentences, references):
    score = 1.0
    for n in (1, 2, 3, 4):
        shared = written = 0
        for one, two in zip(sentences, references):
            grams = [[tuple(x[i:i + n]) for i in range(len(x) - n + 1)] for x in (one, two)]
            shared += sum(gram in grams[1] for gram in grams[0])
            written += len(grams[0])
        score *= (shared / written) ** 0.25
    c, r = sum(map(len, sentences)), sum(map(len, references))
    return score * min(1.0, math.exp(1 - r / c))
# 12.4: too long must not score extra
def bleu_by_hand(sentences, references):
    c, r = sum(map(len, sentences)), sum(map(len, references))
    score = corpus_bleu([[words] for words in references], sentences)
    return score if c < r else score * math.exp(1 - r / c)
# 12.4: the brevity penalty is missing
def bleu_by_hand(sentences, references):
    score = 1.0
    for n in (1, 2, 3, 4):
        shared = written = 0
        for one, two in zip(sentences, references):
            a, b = (Counter(tuple(x[i:i + n]) for i in range(len(x) - n + 1)) for x in (one, two))
            shared, written = shared + (a & b).total(), written + a.total()
        score *= (shared / written) ** 0.25
    return score
# 12.4: the counts summed over all sentences?
def bleu_by_hand(sentences, references):
    return sum(corpus_bleu([[b]], [a], (1.0,)) for a, b in zip(sentences, references)) / 9
