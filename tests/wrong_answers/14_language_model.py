# 14.1: a position may see itself and what is before it
@torch.no_grad()
def leaks(model, tokens):
    found, before = set(), model(tokens)
    for j in range(tokens.shape[1]):
        changed = tokens.clone()
        changed[0, j] = (tokens[0, j] + 1) % model.output.out_features
        moved = (model(changed) != before).any(-1)[0]
        found |= {(i, j) for i in moved.nonzero().flatten().tolist()}
    return found
# 14.1: a position may see itself and what is before it
@torch.no_grad()
def leaks(model, tokens):
    found, before = set(), model(tokens)
    for j in range(tokens.shape[1]):
        changed = tokens.clone()
        changed[0, j] = (tokens[0, j] + 1) % model.output.out_features
        moved = (model(changed) != before).any(-1)[0, : j + 1]
        found |= {(i, j) for i in moved.nonzero().flatten().tolist()}
    return found
# 14.1: a position may see itself and what is before it
@torch.no_grad()
def leaks(model, tokens):
    found, before = set(), model(tokens)
    for j in range(1, tokens.shape[1]):
        changed = tokens.clone()
        changed[0, j] = (tokens[0, j] + 1) % model.output.out_features
        moved = (model(changed) != before).any(-1)[0, :j]
        found |= {(j, i) for i in moved.nonzero().flatten().tolist()}
    return found
# 14.1: (0, 2) is missing
@torch.no_grad()
def leaks(model, tokens):
    found, before = set(), model(tokens)
    for i in range(tokens.shape[1] - 1):
        changed = tokens.clone()
        changed[0, i + 1] = (tokens[0, i + 1] + 1) % model.output.out_features
        if (model(changed) != before)[0, i].any():
            found.add((i, i + 1))
    return found
# 14.1: work on a copy
@torch.no_grad()
def leaks(model, tokens):
    found, before = set(), model(tokens)
    for j in range(1, tokens.shape[1]):
        tokens[0, j] = (tokens[0, j] + 1) % model.output.out_features
        after = model(tokens)
        found |= {(i, j) for i in range(j) if not torch.equal(after[0, i], before[0, i])}
    return found
# 14.1: (0, 2) is no leak
@torch.no_grad()
def leaks(model, tokens):
    found, before = set(), model(tokens)
    for j in range(1, tokens.shape[1]):
        changed = tokens.clone()
        changed[0, j] = (tokens[0, j] + 1) % model.output.out_features
        if not torch.equal(model(changed)[:, :j], before[:, :j]):
            found |= {(i, j) for i in range(j)}
    return found
# 14.1: is missing
@torch.no_grad()
def leaks(model, tokens):
    found, before = set(), model(tokens)
    for j in range(1, tokens.shape[1]):
        changed = tokens.clone()
        changed[0, j] = (tokens[0, j] + 1) % model.output.out_features
        after = model(changed)
        found |= {(i, j) for i in range(j) if not torch.allclose(after[0, i], before[0, i], atol=0.2)}
    return found
# 14.2: two tables with equal numbers
class TiedModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        with torch.no_grad():
            self.output.weight.copy_(self.embedding.weight)
# 14.2: two tables with equal numbers
class TiedModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.output.weight = nn.Parameter(self.embedding.weight)
# 14.2: wanted about 1
class TiedModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        self.output.weight = self.embedding.weight
# 14.2: wanted about 1
class TiedModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.output.weight = self.embedding.weight
# 14.2: wanted about 1
class TiedModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        nn.init.normal_(self.embedding.weight, std=1 / d_model)
        self.output.weight = self.embedding.weight
# 14.2: parameters; expected
class TiedModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.output = nn.Linear(d_model, vocab, bias=False)
        self.output.weight = self.embedding.weight
# 14.2: parameters; expected
class TiedModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        self.table = nn.Parameter(d_model**-0.5 * torch.randn(vocab, d_model))
        self.output.weight = self.embedding.weight
# 14.3: 1 steps; the third text needs 5
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
# 14.3: 20 steps; the last text has ended after 5
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
# 14.3: expected [3, 4], as 1 is the end
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
# 14.3: a text is [3, 4, 1]; expected [3, 4]
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
# 14.3: a text is [2, 3, 4]; expected [3, 4]
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
# 14.3: a text that doesn't end has 5 tokens; expected 6, the longest
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
# 14.3: after 100 steps it still writes
@torch.no_grad()
def write_sentences(model, start, end, count, longest, seed):
    tokens = torch.full((count, 1), start, device=device)
    while not (tokens[:, -1] == end).all():
        new = torch.multinomial(model(tokens)[:, -1].softmax(-1), 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
# 14.3: with the same seed the texts differ
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
# 14.1: a little of the next but one: (0, 2) is missing
@torch.no_grad()
def leaks(model, tokens):
    found, before = set(), model(tokens)
    for j in range(1, tokens.shape[1]):
        changed = tokens.clone()
        changed[0, j] = (tokens[0, j] + 1) % model.output.out_features
        after = model(changed)
        found |= {(i, j) for i in range(j) if not torch.allclose(after[0, i], before[0, i], atol=0.01)}
    return found
