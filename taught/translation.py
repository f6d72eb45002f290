"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

# fmt: off

import copy
import math
from contextlib import contextmanager

import torch
from torch import nn
from torch.nn import functional as F

from taught import checks
from taught.attention import DotProductAttention, masked_softmax
from utils.progress import progress

# chapters/12_translation.ipynb


def to_tokens(sentences, words, begin=(), end=()):
    """Tokens (B, n) of sentences, lists of words: positions in the list `words`.

    begin, end: tokens before and after each sentence. Shorter sentences are filled
    up with 0. Raises `KeyError` for a word that is not in the list.
    """
    token_of = {word: token for token, word in enumerate(words)}
    rows = []
    for sentence in sentences:
        tokens = [token_of[word] for word in sentence]
        rows.append(torch.tensor([*begin, *tokens, *end], dtype=torch.long))
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


def next_token_loss(logits, tokens, pad=0, smoothing=0.0):
    """Mean cross-entropy of the next token, in nats per real token: (12.1).

    tokens: (B, n + 1). logits: (B, n, V), what follows each of tokens[:, :-1].
    `smoothing` is the share of the target that is spread over the vocabulary.
    """
    expected = tokens[:, 1:]  # (B, n): the sequence shifted by one
    logits = logits.mT  # (B, V, n): cross_entropy wants the vocabulary on axis 1
    return F.cross_entropy(
        logits, expected, ignore_index=pad, label_smoothing=smoothing
    )


def pair_batches(sources, targets, steps, seed=0, pad=0, batch=64):
    """For each step the source and target tokens of `batch` pairs, drawn at random.

    sources: (pairs, m), targets: (pairs, n). A batch costs as much as its longest
    sentence, so the pairs of ten batches are drawn at a time and sorted by length.
    """
    draw = torch.Generator().manual_seed(1 + seed)  # not the seed of the parameters
    lengths = (sources != pad).sum(dim=1) + (targets != pad).sum(dim=1)  # (pairs,)
    lengths = lengths.cpu()
    for step in range(steps):
        if step % 10 == 0:
            rows = torch.randint(len(sources), (10 * batch,), generator=draw)
            rows = rows[lengths[rows].argsort()]  # from short to long
            ten_batches = rows.split(batch)
            order = torch.randperm(10, generator=draw)
        rows = ten_batches[order[step % 10]].to(sources.device)  # (batch,)
        src = sources[rows]
        tgt = targets[rows]
        src = src[:, (src != pad).any(dim=0)]  # without columns of nothing but padding
        tgt = tgt[:, (tgt != pad).any(dim=0)]
        yield src, tgt


def schedule(step, steps, warm_up):
    """The learning rate of a step, from 1 on, as a share of the largest: (12.2)."""
    rise = step / max(warm_up, 1)
    fall = (steps + 1 - step) / (steps + 1 - warm_up)
    return min(rise, fall)


def train_translator(
    model,
    sources,
    targets,
    steps=1000,
    stop=None,
    warm_up=100,
    rate=0.005,
    loss_of=next_token_loss,
    snapshots=(),
    seed=0,
):
    """Train a `Transformer` on pairs, and put it in `eval()` mode.

    sources: (pairs, m), targets: (pairs, n), with 0 for padding. The learning rate
    is equation (12.2), at most `rate`, and `stop` ends the training early. Returns
    {step: a copy of the model} for the steps in `snapshots`.
    """
    checks.schedule(steps, stop, warm_up)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), fused=True)
    batches = pair_batches(sources, targets, steps, seed)
    copies = {}
    model.train()
    for step in progress(steps if stop is None else stop):
        src, tgt = next(batches)
        optimizer.param_groups[0]["lr"] = rate * schedule(step + 1, steps, warm_up)
        logits = model(src, tgt[:, :-1])  # what follows each token: (B, n, V)
        loss = loss_of(logits, tgt)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step + 1 in snapshots:
            copies[step + 1] = copy.deepcopy(model).eval()
    model.eval()
    return copies


@torch.no_grad()
def greedy(model, src, bos, eos, max_len):
    """Translate by the most likely token in each step.

    src: (B, m). bos and eos are the tokens that begin and end every target. Returns
    tokens (B, n), n at most max_len, without bos; after eos comes padding.
    """
    checks.translating(model, bos, max_len)
    memory = model.encode(src)  # (B, m, D)
    tokens = torch.full((len(src), 1), bos, device=src.device)  # (B, 1)
    done = torch.zeros(len(src), dtype=torch.bool, device=src.device)  # (B,)
    for _ in range(max_len):
        logits = model.decode(tokens, memory, src)[:, -1]  # (B, tgt_vocab)
        new = logits.argmax(dim=-1)  # (B,)
        new = new.masked_fill(done, model.pad)
        tokens = torch.cat([tokens, new.unsqueeze(1)], dim=1)
        done = done | (new == eos)
        if done.all():
            break
    return tokens[:, 1:]


@torch.no_grad()
def beam_search(model, src, bos, eos, max_len, width):
    """Translate by keeping the `width` most likely hypotheses.

    Returns tokens (B, n), as `greedy` does, and their log-probability (B,), the sum
    over tokens, eos included.
    """
    checks.translating(model, bos, max_len, width)
    B = len(src)
    memory = model.encode(src).repeat_interleave(width, dim=0)  # (B * width, m, D)
    src = src.repeat_interleave(width, dim=0)  # (B * width, m)
    first_row = width * torch.arange(B, device=src.device).unsqueeze(1)  # (B, 1)
    tokens = torch.full((B * width, 1), bos, device=src.device)  # (B * width, 1)
    done = torch.zeros(B, width, dtype=torch.bool, device=src.device)
    total = torch.full((B, width), -math.inf, device=src.device)
    total[:, 0] = 0.0  # all hypotheses are still the same: only one may be extended
    for _ in range(max_len):
        logits = model.decode(tokens, memory, src)[:, -1]  # (B * width, V)
        V = logits.shape[-1]
        log_p = logits.log_softmax(dim=-1).view(B, width, V)
        only_pad = torch.full_like(log_p, -math.inf)
        only_pad[..., model.pad] = 0.0  # after the end only padding, at no cost
        log_p = torch.where(done.unsqueeze(-1), only_pad, log_p)
        candidates = total.unsqueeze(-1) + log_p  # (B, width, V)
        total, best = candidates.flatten(1).topk(width)  # (B, width), (B, width)
        new = best % V  # (B, width): a token for each kept hypothesis
        rows = (first_row + best // V).flatten()  # (B * width,)
        tokens = torch.cat([tokens[rows], new.view(-1, 1)], dim=1)
        done = done.flatten()[rows].view(B, width)
        done = done | (new == eos)
        if done[:, 0].all():  # nothing can overtake what is best and has ended
            break
    return tokens[::width, 1:], total[:, 0]


# chapters/13_what_an_attention_map_shows.ipynb


@contextmanager
def attention_maps(model):
    """In a `with` block, a dict that fills as the model runs.

    Name of a layer -> weights (B, H, n, m), before dropout, one for each call.
    """
    checks.hooking()
    names = {}  # of the layers, by the attention inside them
    maps = {}

    def weights_of(queries, keys, values, mask=None, need_weights=False):
        d = queries.shape[-1]
        scores = (queries / math.sqrt(d)) @ keys.mT  # (B, H, n, m)
        return masked_softmax(scores, mask)  # (B, H, n, m)

    def record(attention, inputs, named, output):
        weights = weights_of(*inputs, **named)  # what the layer was called with
        maps.setdefault(names[attention], []).append(weights)

    hooks = []
    for name, layer in model.named_modules():
        if isinstance(layer, DotProductAttention):
            names[layer] = name.removesuffix(".attention")
            hook = layer.register_forward_hook(record, with_kwargs=True)
            hooks.append(hook)
    try:
        yield maps
    finally:
        for hook in hooks:
            hook.remove()
