"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

# fmt: off

import copy
import math

import torch
from torch import nn
from torch.nn import functional as F

from taught import checks
from taught.attention import PositionalEncoding, causal_mask
from taught.transformer import Cache, EncoderBlock
from utils.progress import progress

# chapters/14_language_model.ipynb


class LanguageModel(nn.Module):
    """A decoder-only Transformer: tokens in, logits of the next tokens out.

    Radford et al. (2019), with a ReLU, fixed positional encodings and an output
    layer of its own. Its blocks are encoder blocks under a causal mask, which
    keeps each token from seeing later ones.
    `vocab` is V, the number of tokens; other sizes are as in `EncoderBlock`.
    """

    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)
        self.positions = PositionalEncoding(d_model, dropout)
        self.blocks = nn.ModuleList()
        for _ in range(num_layers):
            block = EncoderBlock(d_model, num_heads, d_hidden, dropout)
            self.blocks.append(block)
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab)

    @checks.all_or_nothing  # a call that fails leaves the cache as it was
    def forward(self, tokens, cache=None):
        """Returns logits (B, n, V): what follows each of the tokens (B, n).

        With a `Cache`, tokens holds only what is new since the last call with it.
        Raises `TypeError` or `ValueError` for what doesn't fit.
        """
        checks.reading(tokens, self.embedding, cache, self.blocks)
        n = tokens.shape[1]
        offset = 0 if cache is None else len(cache)  # that many tokens came before
        mask = None  # a single new token may attend to everything
        if n > 1:
            mask = causal_mask(n, offset, tokens.device)  # (n, offset + n)
        x = self.embedding(tokens)  # (B, n, D)
        x = self.positions(x, offset)  # (B, n, D)
        for block in self.blocks:
            x = block(x, mask, cache)  # each has its own keys in the cache
        x = self.norm(x)  # (B, n, D)
        return self.output(x)  # (B, n, V)


def draw_windows(text, context, batch, generator):
    """Tokens (batch, context + 1) of a text (N,), from random places.

    One more than `context`, so that the last input has a next token, too.
    """
    starts = torch.randint(len(text) - context, (batch, 1), generator=generator)
    places = starts + torch.arange(context + 1)  # (batch, context + 1)
    return text[places.to(text.device)]


def train_language_model(
    model, text, steps, context=64, batch=16, rate=0.004, seed=0, snapshots=()
):
    """Train on windows of a text, and put the model in `eval()` mode.

    text: tokens (N,), more than `context`. Windows are drawn from `seed`. The
    learning rate rises to `rate` in the first 100 steps, and then falls to 0.
    Returns {step: a copy of the model} for the steps in `snapshots`. Raises
    `TypeError` or `ValueError` for a text that doesn't fit.
    """
    checks.training(model, text, steps, context, batch)
    generator = torch.Generator().manual_seed(seed)
    # With the betas of Vaswani et al. (2017); fused: all parameters in one go.
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), fused=True)
    warm_up = min(100, steps)
    copies = {}
    model.train()
    for step in progress(steps):
        tokens = draw_windows(text, context, batch, generator)
        logits = model(tokens[:, :-1])  # (batch, context, V)
        loss = F.cross_entropy(logits.mT, tokens[:, 1:])  # wants the axis V second
        rise = (step + 1) / warm_up
        fall = (steps - step) / (steps + 1 - warm_up)
        optimizer.param_groups[0]["lr"] = rate * min(rise, fall)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step + 1 in snapshots:
            copies[step + 1] = copy.deepcopy(model).eval()
    model.eval()
    return copies


@torch.no_grad()
def bits_of(model, text, context=64):
    """Bits for each token of a text (N,), in windows that overlap by half: (N,).

    model: one in `eval()` mode, or a function of tokens. Raises `TypeError` or
    `ValueError` in training mode, and for a text or a context that doesn't fit.
    """
    checks.measuring(model, text, context)
    half = context // 2
    filled_up = F.pad(text, (0, context))  # so that the last window is whole
    windows = filled_up.unfold(0, context + 1, half)  # (windows, context + 1)
    found = []
    for some in windows.split(64):  # all at once might take too much memory
        logits = model(some[:, :-1])  # (..., context, V)
        logits = logits.float()  # also if the model has 16 bits
        losses = F.cross_entropy(logits.mT, some[:, 1:], reduction="none")
        found.append(losses.cpu())
    losses = torch.cat(found)  # (windows, context)
    first = torch.tensor([math.log(logits.shape[-1])])  # a uniform guess
    new = losses[1:, context - half :]  # the others are counted already
    nats = torch.cat([first, losses[0], new.flatten()])
    return nats[: len(text)].double() / math.log(2)


# chapters/15_writing_text.ipynb


def keep_top_k(logits, k):
    """Logits (..., V) with -inf for all but the k largest.

    Fan et al. (2018), section 5.4. Tokens as likely as the last of these stay, too.
    Raises `TypeError` or `ValueError` for a k that isn't 1 to V.
    """
    checks.whole_number("k", k, 1, logits.shape[-1])
    largest = logits.topk(k).values  # (..., k), the largest first
    cutoff = largest[..., -1:]  # (..., 1)
    return logits.masked_fill(logits < cutoff, -math.inf)


def keep_nucleus(logits, p):
    """Logits (..., V) with -inf outside the nucleus.

    Holtzman et al. (2020), equation (2): the most likely tokens, whose
    probabilities add up to p or more. The first always stays, and so do all that
    are as likely as the last. Raises `ValueError` for another p, and for a row
    without probabilities.
    """
    checks.nucleus(logits, p)
    exact = torch.promote_types(logits.dtype, torch.float32)  # 32 bits or more
    probabilities = logits.softmax(dim=-1, dtype=exact)  # (..., V)
    largest_first = probabilities.sort(descending=True).values  # (..., V)
    sum_before = largest_first.cumsum(dim=-1) - largest_first  # of likelier ones
    count = (sum_before < p).sum(dim=-1, keepdim=True)  # (..., 1): how many stay
    cutoff = largest_first.gather(-1, count - 1)  # (..., 1): of the last that stays
    return logits.masked_fill(probabilities < cutoff, -math.inf)


@torch.no_grad()
def generate(
    model, tokens, length, temperature=1.0, k=None, p=None, context=64, seed=0
):
    """Continue texts by drawing one token at a time, with a cache.

    model: a `LanguageModel` in `eval()` mode. tokens: (B, n), the beginnings. The
    model sees at most `context` tokens: when its cache is full, a new one begins
    with the last context / 2 of them. Filters in this order: temperature, the k
    most likely, the nucleus of probability p. Returns tokens (B, n + length).
    Raises `TypeError` or `ValueError` in training mode, for tokens that don't fit,
    and for numbers out of range.
    """
    checks.generating(model, tokens, length, temperature, k, p, context)
    generator = torch.Generator().manual_seed(seed)
    cache = Cache()
    unread = tokens[:, -context:]  # the prompt: the first pass is the prefill
    for _ in range(length):
        if len(cache) == context:  # full: begin a new one with the last half
            cache = Cache()
            unread = tokens[:, -(context // 2) :]
        logits = model(unread, cache)[:, -1]  # (B, V): what follows the last token
        logits = logits.float()  # of 16 bits, tokens of probability 0 may be drawn
        # The largest is made 0, so that a low temperature can't make it infinite.
        logits = logits - logits.amax(dim=-1, keepdim=True)
        logits = logits / temperature
        if k is not None:
            logits = keep_top_k(logits, k)
        if p is not None:
            logits = keep_nucleus(logits, p)
        probabilities = logits.softmax(dim=-1)  # (B, V)
        # Drawn on the CPU, so that all devices draw the same.
        new = torch.multinomial(probabilities.cpu(), 1, generator=generator)
        new = new.to(tokens.device)  # (B, 1)
        tokens = torch.cat([tokens, new], dim=1)
        unread = new  # the following passes decode
    return tokens
