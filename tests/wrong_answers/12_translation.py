# 12.1: the padding is counted
def mean_loss(logits, tokens):
    return F.cross_entropy(logits.mT, tokens[:, 1:])
# 12.1: its places are in the mean
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
# 12.2: up to pairs of words only
def bleu_by_hand(sentences, references):
    return corpus_bleu([[words] for words in references], sentences, (0.5, 0.5))
# 12.2: at most as often as in the reference
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
# 12.2: too long is no merit
def bleu_by_hand(sentences, references):
    c, r = sum(map(len, sentences)), sum(map(len, references))
    score = corpus_bleu([[words] for words in references], sentences)
    return score if c < r else score * math.exp(1 - r / c)
# 12.2: the factor for what is too short is missing
def bleu_by_hand(sentences, references):
    score = 1.0
    for n in (1, 2, 3, 4):
        shared = written = 0
        for one, two in zip(sentences, references):
            a, b = (Counter(tuple(x[i:i + n]) for i in range(len(x) - n + 1)) for x in (one, two))
            shared, written = shared + (a & b).total(), written + a.total()
        score *= (shared / written) ** 0.25
    return score
# 12.2: the counts summed over all sentences?
def bleu_by_hand(sentences, references):
    return sum(corpus_bleu([[b]], [a], (1.0,)) for a, b in zip(sentences, references)) / 9
# 12.3: singular words are left
def pluralised(words, nouns, plural_of):
    return [plural_of.get(word, word) for word in words]
# 12.3: a noun is not in the plural
def pluralised(words, nouns, plural_of):
    return [{"it": "they", "was": "were"}.get(word, word) for word in words]
# 12.3: wanted four words changed, no others
def pluralised(words, nouns, plural_of):
    words = [{"it": "they", "was": "were"}.get(word, word) for word in words]
    return [plural_of.get(word, word) for word in words][:-4] + ["too", "scared", "."]
# 12.4: wanted 12 x 8 parameters
class LearnedPlaces(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.codes = torch.randn(max_len, d_model)

    def forward(self, x, offset=0):
        return x + self.codes[offset:offset + x.shape[1]]
# 12.4: the first vector should be
class LearnedPlaces(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.codes = nn.Embedding(max_len, d_model)

    def forward(self, x, offset=0):
        return x + self.codes(torch.arange(x.shape[1]))
# 12.4: IndexError; wanted a ValueError
class LearnedPlaces(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.codes = nn.Embedding(max_len, d_model)

    def forward(self, x, offset=0):
        return x + self.codes(torch.arange(offset, offset + x.shape[1]))
# 12.4: x itself must come through
class LearnedPlaces(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.codes = nn.Embedding(max_len, d_model)

    def forward(self, x, offset=0):
        return x * self.codes(torch.arange(offset, offset + x.shape[1]))
# 12.4: no gradient reaches the table
class LearnedPlaces(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.codes = nn.Parameter(torch.ones(max_len, d_model))

    def forward(self, x, offset=0):
        return x + self.codes[offset:offset + x.shape[1]].detach() + 0 * x.requires_grad_()
# 12.4: places beyond the table are accepted
class LearnedPlaces(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(max_len, d_model))

    def forward(self, x, offset=0):
        return x + self.codes[torch.arange(offset, offset + x.shape[1]) % 12]
