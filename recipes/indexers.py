"""The stored runs of "Can a model learn which keys to read?": python -m recipes.indexers, some 20 minutes

It goes up the layers of the real model. In each it trains small indexers on the layer's own attention maps,
on the same rows of texts that differ in one thing, and then lets the whole model read with the keys that they
choose. It writes `corpora/indexers.json`: for each way of choosing, nats on a held-out text, the share of the
attention that its keys hold, and digits found in six texts of 16 digits, the first two those of the page.
"""

import json
import math
import random
import time

import torch
from torch import nn
from torch.nn import functional as F

from corpora.facts import KINDS, LENGTH, texts
from corpora.smollm_file import INDEXERS, model_file, prose
from corpora.text import alice
from taught.attention import causal_mask, rotate
from taught.real_model import load
from taught.transformer import Cache

PIECE, STEPS = 192, 96  # rows of a step, steps
NAMES = "Ashford", "Stanbrook", "Hartwell", "Winslow"  # of the page's question
OTHERS = (  # with these a text has 120 digits, more than the keys that may be chosen
    "Aldridge Bancroft Caldwell Davenport Ellsworth Fairbanks Goodwin Hathaway Ingram Jarvis Kendrick "
    "Lockwood Maddox Nesbitt Osborne Pemberton Quimby Radcliffe Sheldon Thornton Underhill Vaughn Wexford "
    "Yardley Zeller Ackerman"
).split()
# name: texts, heads, width, steps, seed
TRAINED = {
    "novel": ("novel", 4, 32, STEPS, 0),
    "novel, again": ("novel", 4, 32, STEPS, 1),
    "novel, longer": ("novel", 4, 32, 2 * STEPS, 0),
    "not asked": ("not asked", 4, 32, STEPS, 0),
    "facts, narrow": ("facts", 2, 16, STEPS, 0),
    "facts": ("facts", 4, 32, STEPS, 0),
    "facts, again": ("facts", 4, 32, STEPS, 1),
    "facts, longer": ("facts", 4, 32, 2 * STEPS, 0),
}


class Indexer(nn.Module):
    def __init__(self, d_model, num_heads, width, base=100_000):
        super().__init__()
        self.num_heads = num_heads
        self.base = base
        self.W_q = nn.Linear(d_model, num_heads * width, bias=False)
        self.W_k = nn.Linear(d_model, width, bias=False)
        self.W_w = nn.Linear(d_model, num_heads, bias=False)
        self.norm = nn.LayerNorm(width)

    def forward(self, x, y, offset=0):
        q = self.W_q(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # (B, J, n, c)
        k = self.norm(self.W_k(y)).unsqueeze(1)  # (B, 1, m, c)
        q, k = rotate(q, offset, self.base), rotate(k, 0, self.base)
        w = self.W_w(x).mT.unsqueeze(-1)  # (B, J, n, 1)
        return (w * F.relu(q @ k.mT)).sum(dim=1) / math.sqrt(k.shape[-1])  # (B, n, m)


def mean_weights(layer, x, y, offset, mask):
    """The weights of a layer, their mean over its heads: (B, n, m)."""
    q = rotate(layer.split(layer.W_q(x)), offset, layer.base)
    k = rotate(layer.split(layer.W_k(y)), 0, layer.base).repeat_interleave(layer.share, dim=1)
    scores = q @ k.mT / math.sqrt(layer.d)
    return scores.masked_fill(~mask, -math.inf).softmax(dim=-1).mean(dim=1)


def best(scores, mask, count):
    """A mask that leaves each query the `count` keys with the best scores."""
    scores = scores.masked_fill(~mask, -math.inf)
    keys = scores.topk(min(count, scores.shape[-1]), dim=-1).indices
    return torch.zeros_like(scores, dtype=torch.bool).scatter(-1, keys, True) & mask


class Choosing(nn.Module):
    """A layer that keeps what goes into it, and attends to the keys that `scores` likes best."""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.scores, self.count = layer, None, None

    def forward(self, x, offset=0, mask=None, cache=None):
        y = x  # what went into this layer at all tokens so far
        if cache is not None:
            y = cache.update(self, x[:, None], x[:, None])[0][:, 0]
        if self.scores is not None:
            mask = best(self.scores(self.layer, x, y, offset, mask), mask, self.count)
        return self.layer(x, offset, mask, cache)


def window(layer, x, y, offset, mask):
    """The first key and the last ones."""
    scores = torch.arange(y.shape[1]).float().expand(len(x), x.shape[1], -1).clone()
    scores[..., 0] = math.inf
    return scores


def random_keys(seed):
    generator = torch.Generator().manual_seed(seed)

    def scores(layer, x, y, offset, mask):
        """The first key, the query's own, and random ones."""
        n, m = x.shape[1], y.shape[1]
        drawn = torch.rand(len(x), n, m, generator=generator)
        drawn[..., 0] = 2
        drawn[:, range(n), range(m - n, m)] = 2
        return drawn

    return scores


def by(indexer):
    return lambda layer, x, y, offset, mask: indexer(x, y, offset)


# ---------------------------------------------------------------- training


def train_layer(number, inputs, targets, heads, width, steps, seed, rate=1e-2):
    """An indexer of one layer: its weights come as near as they can to the layer's own."""
    torch.manual_seed(1000 * seed + number)
    indexer = Indexer(inputs.shape[-1], heads, width)
    optimizer = torch.optim.Adam(indexer.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps, rate / 50)
    for step in range(steps):
        text, round = step % 8, step // 8
        start = torch.randint(0, LENGTH - PIECE + 1, ()).item()
        if round % 2 == 0:
            start = LENGTH - PIECE  # where facts come again, if the texts have any
        end = start + PIECE
        with torch.enable_grad():
            scores = indexer(inputs[text, None, start:end], inputs[text, None, :end], start)[0]
            scores = scores.masked_fill(~causal_mask(PIECE, start), -math.inf)
            p = targets[text, start:end, :end]
            loss = F.kl_div(scores.log_softmax(dim=-1).clamp(min=-1e4), p, reduction="sum") / PIECE
            optimizer.zero_grad()
            loss.backward()
        optimizer.step()
        schedule.step()
    return indexer


def train(model, kinds, variants=TRAINED, layers=30):
    """The indexers of all layers, {name: list}, and the seconds that each name took."""
    trained, seconds = {name: [] for name in variants}, dict.fromkeys(variants, 0.0)
    mask = causal_mask(LENGTH)
    x = {kind: model.embedding(tokens) for kind, tokens in kinds.items()}  # (8, n, D)
    for number, block in enumerate(model.blocks[:layers]):
        inputs = {kind: block.norm1(each) for kind, each in x.items()}
        targets = {
            kind: torch.cat([mean_weights(block.attention, y, y, 0, mask) for y in each.split(1)])
            for kind, each in inputs.items()
        }
        for name, (kind, *rest) in variants.items():
            start = time.process_time()
            trained[name].append(train_layer(number, inputs[kind], targets[kind], *rest))
            seconds[name] += time.process_time() - start
        x = {kind: torch.cat([block(y, 0, mask) for y in each.split(1)]) for kind, each in x.items()}
        print(f"layer {number}: {time.process_time():.0f} s", flush=True)
    return trained, seconds


# ---------------------------------------------------------------- what the choice is worth


def use(model, scores, count):
    """Let each layer choose by its own of 30 scores, or by one for all."""
    for number, block in enumerate(model.blocks):
        block.attention.scores = scores[number] if isinstance(scores, list) else scores
        block.attention.count = count


def held_out(tokenizer):
    tokens = tokenizer.encode(alice()[1])
    first = tokenizer.encode("<|endoftext|>")
    return torch.tensor([first + tokens[: LENGTH - 1]])


def nats(model, tokens):
    """The loss on a text of which every layer sees chosen keys alone, from token 256 on."""
    x, mask = model.embedding(tokens), causal_mask(LENGTH)
    for block in model.blocks:
        x = block(x, 0, mask)
    logits = model.norm(x[:, 256:-1]) @ model.embedding.weight.T
    return F.cross_entropy(logits.flatten(0, 1), tokens[:, 257:].flatten()).item()


def shares(model, tokens, ways, count):
    """The share of the mean attention that the chosen keys hold, over all layers, by way."""
    found, mask = dict.fromkeys(ways, 0.0), causal_mask(LENGTH)
    x = model.embedding(tokens)
    for number, block in enumerate(model.blocks):
        layer, y = block.attention.layer, block.norm1(x)
        weights = mean_weights(layer, y, y, 0, mask)
        for way, scores in ways.items():
            scores = scores[number] if isinstance(scores, list) else scores
            chosen = best(scores(layer, y, y, 0, mask), mask, count)
            found[way] += (weights * chosen)[:, 256:].sum(dim=-1).mean().item() / 30
        x = block(x, 0, mask)
    return found


def questions(model, tokenizer, others=(), count=3):
    """Texts with secret numbers, read with all keys, and four questions about each."""
    before, after = prose()[:2000], prose()[2000:2800]
    start, draw, found = Cache(), random.Random(0), []
    model(torch.tensor([tokenizer.encode("<|endoftext|>" + before)]), start)
    for _ in range(count):
        secrets = {name: f"{draw.randrange(10_000):04}" for name in (*NAMES, *others)}
        lines = [f"The secret number of {name} is {secret}." for name, secret in secrets.items()]
        if others:
            draw.shuffle(lines)
        cache = start.copy()
        model(torch.tensor([tokenizer.encode("\n\n" + " ".join(lines) + "\n\n" + after)]), cache)
        cache.reorder([0, 0, 0, 0])
        asked = [
            tokenizer.encode(f"\n\nThe secret number of {name} is ") + tokenizer.encode(secrets[name])
            for name in NAMES
        ]
        found.append((cache, torch.tensor(asked)))
    return found


def digits(model, asked):
    """The digits found in each text, of 16."""
    found = []
    for cache, tokens in asked:
        guesses = model(tokens[:, :-1], cache.copy())[:, -4:].argmax(dim=-1)
        found.append((guesses == tokens[:, -4:]).sum().item())
    return found


def measure(model, tokenizer, trained):
    torch.manual_seed(1)
    untrained = [Indexer(576, 4, 32) for _ in range(30)]
    ways = {"exact": mean_weights, "window": window, "untrained": untrained, **trained}
    ways = {
        name: [by(each) for each in way] if isinstance(way, list) else way
        for name, way in ways.items()
    }
    for block in model.blocks:
        block.attention = Choosing(block.attention)
    text, asked = held_out(tokenizer), questions(model, tokenizer)
    found = {"all": dict(nats=nats(model, text), digits=digits(model, asked))}
    for count in (64, 32):
        use(model, None, None)
        ways["random"] = random_keys(0)
        held = shares(model, text, ways, count)
        ways["random"] = random_keys(0)
        for name, scores in ways.items():
            use(model, scores, count)
            one = dict(share=held[name], digits=digits(model, asked))
            if count == 64:
                one["nats"] = nats(model, text)
            found[f"{name}, {count}"] = one
            print(name, count, one, f"{time.process_time():.0f} s", flush=True)
    return found


def main():
    torch.set_grad_enabled(False)
    model, tokenizer = load(model_file())
    kinds = {kind: torch.tensor(texts(tokenizer, kind)) for kind in KINDS}
    trained, seconds = train(model, kinds)
    found = measure(model, tokenizer, trained)
    for name, each in seconds.items():
        found[name] = dict(seconds=each, numbers=sum(p.numel() for i in trained[name] for p in i.parameters()))
    store(found)


def store(found):
    rounded = {
        way: {name: round(x, 3) if isinstance(x, float) else x for name, x in each.items()}
        for way, each in found.items()
    }
    INDEXERS.write_text(json.dumps(rounded, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
