"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

# fmt: off

import copy
import math

import torch
from torch.nn import functional as F

from taught import checks
from taught.attention import MultiHeadAttention, causal_mask
from taught.transformer import EncoderBlock, LanguageModel
from utils.progress import progress

# chapters/14_language_model.ipynb


def draw_windows(text, context, batch, generator):
    """Tokens (batch, context + 1), from random places of a text (N,)."""
    starts = torch.randint(len(text) - context, (batch, 1), generator=generator)
    places = starts + torch.arange(context + 1)  # (batch, context + 1)
    return text[places.to(text.device)]


def train_language_model(
    model, text, steps, context=64, batch=16, rate=0.004, seed=0, snapshots=()
):
    """Train on windows of a text (N,); returns {step: a copy} for `snapshots`."""
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

    model: one in `eval()` mode, or a function of tokens.
    """
    checks.measuring(model, text, context)
    half = context // 2
    filled_up = F.pad(text, (0, context))  # so that the last window is whole
    windows = filled_up.unfold(0, context + 1, half)  # (windows, context + 1)
    parts = []
    for batch in windows.split(64):  # all at once might take too much memory
        logits = model(batch[:, :-1])  # (..., context, V)
        logits = logits.float()  # also if the model has 16 bits
        losses = F.cross_entropy(logits.mT, batch[:, 1:], reduction="none")
        parts.append(losses.cpu())
    losses = torch.cat(parts)  # (windows, context)
    first = torch.tensor([math.log(logits.shape[-1])])  # a uniform guess
    new = losses[1:, context - half :]  # the others are counted already
    nats = torch.cat([first, losses[0], new.flatten()])
    return nats[: len(text)].double() / math.log(2)


# chapters/15_writing_text.ipynb


def keep_top_k(logits, k):
    """Logits (..., V) with -inf for all but the k largest, and their equals."""
    checks.whole_number("k", k, 1, logits.shape[-1])
    largest = logits.topk(k).values  # (..., k), the largest first
    cutoff = largest[..., -1:]  # (..., 1)
    return logits.masked_fill(logits < cutoff, -math.inf)


def keep_nucleus(logits, p):
    """Logits (..., V) with -inf outside the nucleus of probability p."""
    checks.nucleus(logits, p)
    exact = torch.promote_types(logits.dtype, torch.float32)  # 32 bits or more
    probabilities = logits.softmax(dim=-1, dtype=exact)  # (..., V)
    largest_first = probabilities.sort(descending=True).values  # (..., V)
    sum_before = largest_first.cumsum(dim=-1) - largest_first  # of likelier ones
    count = (sum_before < p).sum(dim=-1, keepdim=True)  # (..., 1): how many stay
    cutoff = largest_first.gather(-1, count - 1)  # (..., 1): of the last that stays
    return logits.masked_fill(probabilities < cutoff, -math.inf)


class Cache:
    """The keys and values of all tokens so far, for each attention layer."""

    def __init__(self):
        self.kept = {}  # for each layer: (keys, values)

    def __len__(self):
        """How many tokens it holds."""
        for keys, _ in self.kept.values():
            return keys.shape[2]
        return 0

    def begin(self, n, device=None):
        """Before n new tokens: the position of the first, and their mask (n, m)."""
        offset = len(self)
        mask = None  # a single new token may attend to everything
        if n > 1:
            mask = causal_mask(n, offset, device)  # (n, offset + n)
        return offset, mask

    def update(self, layer, keys, values):
        """Append what is new (B, H, n, d), and return all so far (B, H, m, d)."""
        if layer in self.kept:
            old_keys, old_values = self.kept[layer]
            checks.appended("keys", old_keys, keys)
            checks.appended("values", old_values, values)
            keys = torch.cat([old_keys, keys], dim=2)  # (B, H, m, d)
            values = torch.cat([old_values, values], dim=2)  # (B, H, m, d)
        self.kept[layer] = (keys, values)
        return keys, values

    # For later pages: copy and reorder, for texts that begin alike
    def copy(self):
        """Another cache with the same content: two texts can follow one prompt."""
        twin = copy.copy(self)
        for name, value in vars(self).items():
            setattr(twin, name, copy.copy(value))  # the tensors stay the same
        return twin

    def reorder(self, rows):
        """Row i of the batch now continues the text of row rows[i]."""
        for layer, (keys, values) in self.kept.items():
            self.kept[layer] = (keys[rows], values[rows])


class CachedAttention(MultiHeadAttention):
    """`MultiHeadAttention` whose keys and values go through a cache."""

    def forward(
        self, queries, keys, values, mask=None, need_weights=False, cache=None
    ):
        checks.multi_head(self, queries, keys, values, mask, cache)
        q = self.split(self.W_q(queries))  # (B, H, n, d)
        k = self.split(self.W_k(keys))  # (B, H, m, d)
        v = self.split(self.W_v(values))  # (B, H, m, d)
        if cache is not None:
            k, v = cache.update(self, k, v)  # those of all tokens so far
        return self.attend(q, k, v, mask, need_weights)


class CachedBlock(EncoderBlock):
    """`EncoderBlock` whose attention has a cache."""

    def __init__(self, d_model, num_heads, d_hidden, dropout=0.0):
        super().__init__(d_model, num_heads, d_hidden, dropout)
        self.attention = CachedAttention(d_model, num_heads, dropout)

    def forward(self, x, mask=None, cache=None):
        y = self.norm1(x)  # (B, n, D)
        x = x + self.dropout(self.attention(y, y, y, mask, cache=cache))
        y = self.norm2(x)
        x = x + self.dropout(self.ffn(y))
        return x


class CachedLanguageModel(LanguageModel):
    """`LanguageModel` that can go on where its cache ends."""

    def __init__(
        self,
        vocab,
        d_model,
        num_heads,
        num_layers,
        d_hidden,
        dropout=0.0,
    ):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        for i in range(num_layers):
            block = CachedBlock(d_model, num_heads, d_hidden, dropout)
            self.blocks[i] = block

    @checks.all_or_nothing  # a call that fails leaves the cache as it was
    def forward(self, tokens, cache=None):
        """Logits (B, n, V); with a cache, tokens (B, n) are what is new to it."""
        checks.reading(tokens, self.embedding, cache, self.blocks)
        if cache is None:  # a text from its beginning
            cache = Cache()
        offset, mask = cache.begin(tokens.shape[1], tokens.device)
        x = self.embedding(tokens)  # (B, n, D)
        x = self.positions(x, offset)
        for block in self.blocks:
            x = block(x, mask, cache)
        x = self.norm(x)
        return self.output(x)  # (B, n, V)


@torch.no_grad()
def generate(
    model, tokens, length, temperature=1.0, k=None, p=None, context=64, seed=0
):
    """Texts (B, n) continued by drawing one token at a time: (B, n + length)."""
    checks.generating(model, tokens, length, temperature, k, p, context)
    generator = torch.Generator().manual_seed(seed)
    cache = Cache()
    unread = tokens[:, -context:]  # not in the cache yet: the prefill reads it
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
