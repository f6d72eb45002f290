"""The stored runs of "Can a model learn which keys to read?": python -m recipes.indexers, some 12 minutes

It goes up the layers of the real model. In each it trains small indexers on the layer's own attention maps,
on the same rows of texts that differ in one thing, and then lets the whole model read with the keys that they
choose. It writes `data/indexers.json`: for each way of choosing 64 keys, nats on a held-out text, the share
of the attention that its keys hold, and the digits found of 16 in each of three texts, with four secret numbers
in a text ("few", as on the page) and with thirty ("many").
"""

import json
import math
import random
import time

import torch
from torch import nn
from torch.nn import functional as F

from data.indexers import INDEXERS, KINDS, LENGTH, training_texts
from data.smollm_file import model_file, prose
from data.text import alice
from taught.attention import causal_mask, rotate
from taught.efficient import Indexer
from taught.language_model import Cache
from taught.real_model import load

PIECE, STEPS, RATE = 192, 96, 1e-2  # rows of a step, steps, Adam's rate
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
        self.chosen = mask.expand(len(x), -1, -1)
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
    return lambda layer, x, y, offset, mask: indexer(x, indexer.keys(y), offset)


# ---------------------------------------------------------------- training


def train_layer(number, inputs, targets, heads, width, steps, seed, rate=RATE):
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
            index_keys = indexer.keys(inputs[text, None, :end])
            scores = indexer(inputs[text, None, start:end], index_keys, start)[0]
            scores = scores.masked_fill(~causal_mask(PIECE, start), -math.inf)
            p = targets[text, start:end, :end]
            loss = F.kl_div(scores.log_softmax(dim=-1).clamp(min=-1e4), p, reduction="sum") / PIECE
            optimizer.zero_grad()
            loss.backward()
        optimizer.step()
        schedule.step()
    return indexer


def train(model, kinds):
    """The indexers of all layers, {name: list}."""
    trained = {name: [] for name in TRAINED}
    mask = causal_mask(LENGTH)
    x = {kind: model.embedding(tokens) for kind, tokens in kinds.items()}  # (8, n, D)
    for number, block in enumerate(model.blocks):
        inputs = {kind: block.norm1(h) for kind, h in x.items()}
        targets = {
            kind: torch.cat([mean_weights(block.attention, y, y, 0, mask) for y in h.split(1)])
            for kind, h in inputs.items()
        }
        for name, (kind, *rest) in TRAINED.items():
            trained[name].append(train_layer(number, inputs[kind], targets[kind], *rest))
        x = {kind: torch.cat([block(y, 0, mask) for y in h.split(1)]) for kind, h in x.items()}
        print(f"layer {number}: {time.process_time():.0f} s", flush=True)
    return trained


# ---------------------------------------------------------------- what the choice is worth


def use(model, scores, count):
    """Let each layer choose by its own scores, or by one for all."""
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
    totals, mask = dict.fromkeys(ways, 0.0), causal_mask(LENGTH)
    x = model.embedding(tokens)
    for number, block in enumerate(model.blocks):
        layer, y = block.attention.layer, block.norm1(x)
        weights = mean_weights(layer, y, y, 0, mask)
        for way, scores in ways.items():
            scores = scores[number] if isinstance(scores, list) else scores
            chosen = best(scores(layer, y, y, 0, mask), mask, count)
            totals[way] += (weights * chosen)[:, 256:].sum(dim=-1).mean().item() / len(model.blocks)
        x = block(x, 0, mask)
    return totals


def questions(model, tokenizer, others=()):
    """Three texts with secret numbers, read with all keys, and four questions about each.

    For each text the cache, the questions (4, n), and where its digits are, as booleans: those of
    the number that is asked for (4, m), and those of all the other numbers (4, m).
    """
    before, after = prose()[:2000], prose()[2000:2800]
    start, draw, cases = Cache(), random.Random(0), []
    model(torch.tensor([tokenizer.encode("<|endoftext|>" + before)]), start)
    for _ in range(3):
        secrets = {name: f"{draw.randrange(10_000):04}" for name in (*NAMES, *others)}
        people = list(secrets)
        if others:
            draw.shuffle(people)
        lines = [f"The secret number of {name} is {secrets[name]}." for name in people]
        text = tokenizer.encode("\n\n" + " ".join(lines) + "\n\n" + after)
        digit = torch.tensor([tokenizer.tokens[token].isdigit() for token in text])
        places = len(start) + digit.nonzero().flatten()[: 4 * len(people)].view(-1, 4)
        cache = start.copy()
        model(torch.tensor([text]), cache)
        cache.reorder([0, 0, 0, 0])
        own, other = torch.zeros(2, 4, len(cache), dtype=torch.bool)
        other[:, places.flatten()] = True
        for k, name in enumerate(NAMES):
            own[k, places[people.index(name)]] = True
        tokens = [
            tokenizer.encode(f"\n\nThe secret number of {name} is ")
            + tokenizer.encode(secrets[name])
            for name in NAMES
        ]
        cases.append((cache, torch.tensor(tokens), own, other & ~own))
    return cases


def ask(model, asked):
    """The digits found in each text, of 16, and of the digits of the number that is asked for, and of
    other numbers, the share that is chosen before a digit, over all layers."""
    right, chosen = [], []
    for cache, tokens, *where in asked:
        guesses = model(tokens[:, :-1], cache.copy())[:, -4:].argmax(dim=-1)
        right.append((guesses == tokens[:, -4:]).sum().item())
        for block in model.blocks:
            picked = block.attention.chosen[:, -4:, : len(cache)]  # (4, 4, m)
            chosen.append([picked.mT[mask].float().mean().item() for mask in where])
    own, other = torch.tensor(chosen).mean(dim=0).tolist()
    return dict(digits=right, own=own, other=other)


def measure(model, tokenizer, trained, count=64):
    torch.manual_seed(1)
    D = model.embedding.embedding_dim
    untrained = [Indexer(D, 4, 32) for _ in model.blocks]
    ways = {"exact": mean_weights, "window": window, "untrained": untrained, **trained}
    ways = {
        name: [by(part) for part in way] if isinstance(way, list) else way
        for name, way in ways.items()
    }
    for block in model.blocks:
        block.attention = Choosing(block.attention)
    text = held_out(tokenizer)
    few, many = questions(model, tokenizer), questions(model, tokenizer, OTHERS)
    results = {"all": dict(nats=nats(model, text), few=ask(model, few), many=ask(model, many))}
    ways["random"] = random_keys(0)
    held = shares(model, text, ways, count)
    ways["random"] = random_keys(0)  # from its seed on again
    for name, scores in ways.items():
        use(model, scores, count)
        row = dict(share=held[name], nats=nats(model, text))
        results[name] = {**row, "few": ask(model, few), "many": ask(model, many)}
        print(name, results[name], f"{time.process_time():.0f} s", flush=True)
    return results


@torch.no_grad()
def main():
    model, tokenizer = load(model_file())
    trained = train(model, {kind: torch.tensor(training_texts(tokenizer, kind)) for kind in KINDS})
    numbers = sum(p.numel() for indexer in trained["facts"] for p in indexer.parameters())
    steps, seeds = zip(*[(steps, seed) for *_, steps, seed in TRAINED.values()])
    training = dict(numbers=numbers, trained=len(TRAINED), texts=8, rows=PIECE, rate=RATE)
    training |= dict(steps=[min(steps), max(steps)], seeds=[min(seeds), max(seeds)])
    results = {**measure(model, tokenizer, trained), "training": training}
    INDEXERS.write_text(json.dumps(rounded(results), indent=0) + "\n", encoding="utf-8")


def rounded(found):
    if isinstance(found, dict):
        return {name: rounded(value) for name, value in found.items()}
    return round(found, 3) if isinstance(found, float) else found


if __name__ == "__main__":
    main()
