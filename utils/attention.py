"""What the pages keep for later pages: every definition of the cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

import copy
import math
from contextlib import ExitStack, contextmanager
from functools import partial
from unittest.mock import patch

import torch
from torch import nn
from torch.nn import functional as F

from utils import checks
from utils.progress import progress


# chapters/01_queries_keys_values.ipynb


def attention_pooling(queries, keys, values, score):
    """Attention with any scoring function, for n queries: equations (1.3) and (1.4).

    queries: (n, d_q), keys: (m, d_k), values: (m, v); leading axes are batches. score: a
    function of queries and keys that returns the scores (n, m). Returns the outputs
    (n, v) and the weights (n, m). Raises `TypeError` for what is no tensor, `ValueError`
    for shapes that do not fit.
    """
    checks.pairs(queries, keys, values)
    scores = checks.scored(score(queries, keys), queries, keys)  # (n, m)
    weights = torch.softmax(scores, dim=-1)  # (n, m)
    return weights @ values, weights


# chapters/03_masked_softmax.ipynb


def length_mask(valid_lens, m):
    """A mask that allows the first keys, as many as each length says: equation (3.4).

    valid_lens: integers from 0 to m, of shape (B,), or (B, n) with one for each query.
    Returns booleans (B, 1, m) or (B, n, m), True = may attend. Raises `TypeError` or
    `ValueError` for other arguments.
    """
    checks.lengths(valid_lens, m)
    lengths = valid_lens[:, None] if valid_lens.dim() == 1 else valid_lens
    return torch.arange(m, device=lengths.device) < lengths[..., None]


def causal_mask(n, offset=0, device=None):
    """A mask that allows query i the keys j <= offset + i: equation (3.5).

    offset: how many keys come before that of the first query. Returns booleans
    (n, offset + n), True = may attend. Raises `TypeError` or `ValueError` for other sizes.
    """
    n, offset = checks.counts(n=n, offset=offset)
    ones = torch.ones(n, offset + n, dtype=torch.bool, device=device)
    return ones.tril(offset)  # (n, offset + n)


def masked_softmax(scores, mask=None):
    """Softmax over the allowed keys alone, on the last axis: equation (3.3).

    scores: floats (..., n, m). mask: booleans that broadcast to them, True = may attend,
    or None. Returns weights of the shape and dtype of scores: exactly 0 where the mask is
    False, all 0 in a row without a key. Masked scores, nan and inf included, change
    neither weights nor gradients. Raises `TypeError` or `ValueError` for other arguments.
    """
    checks.scores(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    empty = ~mask.any(dim=-1, keepdim=True)  # (..., 1)
    scores = scores.masked_fill(~mask, -math.inf).masked_fill(empty, 0.0)
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)  # (..., m)


# chapters/04_scoring_functions.ipynb


def zero_unseen(keys, values, mask=None):
    """Keys and values with 0 in those that no query may attend to, such as padding.

    A mask alone can't keep a nan there from spreading: 0 times nan is nan, for values in the
    output, for keys in the gradient of the matrix that made them.

    keys: (..., m, d_k), values: (..., m, v), left as they are. mask: booleans of 2 axes
    or more that broadcast to (..., n, m), True = may attend; None allows everything.
    """
    if mask is None:
        return keys, values
    unseen = ~mask.any(dim=-2).unsqueeze(-1)  # (..., m, 1)
    return keys.masked_fill(unseen, 0.0), values.masked_fill(unseen, 0.0)


class DotProductAttention(nn.Module):
    """Attention with the score q . k / sqrt(d), for queries and keys of one width d.

    Equation (4.2) of the course; Vaswani et al. (2017), equation (1). No parameters;
    `dropout` is the share of attention weights dropped in training.
    """

    def __init__(self, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, mask=None, need_weights=False):
        """Returns the output (..., n, v); with `need_weights` also weights (..., n, m).

        queries: (..., n, d), keys: (..., m, d), values: (..., m, v). mask: booleans of
        2 axes or more that broadcast to (..., n, m), True = may attend; a query that
        may attend to nothing gets zeros. The weights are those before dropout; without
        them it takes `F.scaled_dot_product_attention`, which need not store any (there,
        a masked score that overflows makes its row nan).
        Raises `TypeError` for what is no tensor, `ValueError` for shapes, dtypes or a
        mask that do not fit.
        """
        checks.attention(queries, keys, values, mask)
        keys, values = zero_unseen(keys, values, mask)
        if not need_weights:
            p = self.dropout.p if self.training else 0.0
            return F.scaled_dot_product_attention(queries, keys, values, mask, p)
        d = queries.shape[-1]
        scores = queries / math.sqrt(d) @ keys.mT  # (..., n, m): float16 ends at 65504
        weights = masked_softmax(scores, mask)  # (..., n, m)
        return self.dropout(weights) @ values, weights  # (..., n, v), (..., n, m)


class AdditiveAttention(nn.Module):
    """Attention with the score w_v . tanh(W_q q + W_k k): queries, keys of any widths.

    Equation (4.4) of the course; Bahdanau et al. (2015), appendix A.1.2.
    `num_hiddens` is h, the width in which a query meets a key; `dropout` is the share
    of attention weights dropped in training.
    """

    def __init__(self, query_size, key_size, num_hiddens, dropout=0.0):
        super().__init__()
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, mask=None, need_weights=False):
        """Returns the output (..., n, v); with `need_weights` also weights (..., n, m).

        queries: (..., n, query_size), keys: (..., m, key_size), values: (..., m, v).
        mask: booleans of 2 axes or more that broadcast to (..., n, m), True = may
        attend; a query that may attend to nothing gets zeros. The weights are those
        before dropout. Raises `TypeError` for what is no tensor, `ValueError` for
        shapes, dtypes or a mask that do not fit.
        """
        checks.attention(queries, keys, values, mask, maps=(self.W_q, self.W_k))
        keys, values = zero_unseen(keys, values, mask)
        sums = self.W_q(queries).unsqueeze(-2) + self.W_k(keys).unsqueeze(-3)
        scores = self.w_v(torch.tanh(sums)).squeeze(-1)  # (..., n, m)
        weights = masked_softmax(scores, mask)  # (..., n, m)
        output = self.dropout(weights) @ values  # (..., n, v)
        return (output, weights) if need_weights else output


# chapters/09_multi_head_attention.ipynb


class MultiHeadAttention(nn.Module):
    """H attentions side by side, each on a slice of width d = D / H of its own.

    Equations (9.1) and (9.2); Vaswani et al. (2017), section 3.2.2. `d_model` is D,
    `num_heads` is H, a divisor of D; `dropout` is the share of attention weights
    dropped in training, `bias` whether the four linear maps have one. Raises
    `TypeError` for a size that is no integer, `ValueError` for one that does not fit.
    """

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        checks.heads(d_model, num_heads)
        self.num_heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (
            nn.Linear(d_model, d_model, bias=bias) for _ in range(4)
        )
        self.attention = DotProductAttention(dropout)

    def split(self, x):
        """Cuts each vector into heads: (B, n, D) becomes (B, H, n, d)."""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, queries, keys, values, mask=None, need_weights=False, cache=None):
        """Returns the output (B, n, D); with `need_weights` also weights (B, H, n, m).

        queries: (B, n, D), keys and values: (B, m, D). mask: booleans of shape (n, m),
        (B, n, m) or (B, H, n, m), any size possibly 1, True = may attend; a query that
        may attend to nothing gets the bias of W_o. The weights are those before
        dropout. cache: None, or a dict that keeps the projected keys and values of
        earlier calls under this layer; m then counts old and new ones together, and
        keys and values may be None for nothing new. Raises `TypeError` for what is no
        tensor, `ValueError` for shapes, dtypes or a mask that do not fit, and then
        leaves the cache as it was.
        """
        checks.multi_head(self, queries, keys, values, mask, cache)
        if mask is not None:
            mask = mask if mask.dim() == 4 else mask.unsqueeze(-3)  # for all heads
            if cache is None:  # what is kept may be seen by a later query
                keys, values = zero_unseen(keys, values, mask.any(dim=-3))
        q = self.split(self.W_q(queries))  # (B, H, n, d)
        if keys is not None:
            k, v = self.split(self.W_k(keys)), self.split(self.W_v(values))
            if cache is not None and self in cache:
                old_k, old_v = cache[self]
                k, v = torch.cat([old_k, k], dim=2), torch.cat([old_v, v], dim=2)
        else:
            k, v = cache[self]
        heads = self.attention(q, k, v, mask, need_weights)
        if cache is not None:  # only now: a call that failed has changed nothing
            cache[self] = k, v
        if need_weights:
            heads, weights = heads
        output = self.W_o(heads.transpose(1, 2).flatten(2))  # (B, n, D)
        return (output, weights) if need_weights else output


# chapters/10_positional_encoding.ipynb


class PositionalEncoding(nn.Module):
    """Adds to each vector the code of its position: sines and cosines, from fast to slow.

    Equation (10.1) of the course; Vaswani et al. (2017), section 3.5. `d_model` is D;
    for an odd one the last sine has no cosine. `max_len` is how many positions there are,
    and `dropout` the share of the entries of the sum dropped in training. Raises
    `TypeError` for a size that is no integer, `ValueError` for one below 1.
    """

    def __init__(self, d_model, dropout=0.0, max_len=1000):
        super().__init__()
        d_model, max_len = checks.sizes(d_model=d_model, max_len=max_len)
        # In float32 the codes of positions near 1000 would be off by up to 6e-5.
        k = torch.arange((d_model + 1) // 2, dtype=torch.float64)
        positions = torch.arange(max_len, dtype=torch.float64)
        angles = positions[:, None] * 10000.0 ** (-2 * k / d_model)
        codes = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        self.register_buffer("codes", codes[:, :d_model].float(), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, offset=0):
        """Returns x plus the codes of the positions offset, offset + 1, ..., shape of x.

        x: floats of shape (..., n, D); `offset` is the position of its first row.
        Raises `TypeError` when x is no tensor or the offset no integer, `ValueError`
        when x holds no floats, has another width or fewer than 2 axes, and when a position
        is below 0 or not below `max_len`.
        """
        checks.positions(x, offset, self.codes)
        codes = self.codes[offset:][: x.shape[-2]]  # (n, D)
        return self.dropout(x + codes.to(x.dtype))


# chapters/11_transformer_blocks.ipynb


class FeedForward(nn.Module):
    """The same two-layer network for every position: W_2 relu(W_1 x + b_1) + b_2.

    Equation (11.1); Vaswani et al. (2017), equation (2). `d_model` is the width D of
    inputs and outputs, `d_hidden` that of the hidden layer, of which the share `dropout`
    is dropped in training. Raises `TypeError` for a size that is no integer,
    `ValueError` for one below 1.
    """

    def __init__(self, d_model, d_hidden, dropout=0.0):
        super().__init__()
        checks.sizes(d_model=d_model, d_hidden=d_hidden)
        self.W_1 = nn.Linear(d_model, d_hidden)
        self.W_2 = nn.Linear(d_hidden, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        """Returns a tensor of the shape of x, (..., D)."""
        return self.W_2(self.dropout(torch.relu(self.W_1(x))))


def residual(x, part, norm, dropout, norm_first):
    """x plus what a part of a block makes of it, with layer normalisation.

    Equations (11.3), norm before the part, and (11.4), after the sum.
    """
    if norm_first:
        return x + dropout(part(norm(x)))
    return norm(x + dropout(part(x)))


class EncoderBlock(nn.Module):
    """Self-attention, then a feed-forward network, each with a residual connection.

    Vaswani et al. (2017), section 3.1; `norm_first` normalises before each part
    instead of after it. Sizes as in `MultiHeadAttention` and `FeedForward`; `dropout`
    also drops that share of what each part adds.
    """

    def __init__(self, d_model, num_heads, d_hidden, dropout=0.0, norm_first=True):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.ffn = FeedForward(d_model, d_hidden, dropout)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout, self.norm_first = nn.Dropout(dropout), norm_first

    def forward(self, x, mask=None):
        """Returns the shape of x, (B, n, D). mask: as in `MultiHeadAttention`."""
        add = partial(residual, dropout=self.dropout, norm_first=self.norm_first)
        x = add(x, lambda y: self.attention(y, y, y, mask), self.norm1)
        return add(x, self.ffn, self.norm2)


class DecoderBlock(nn.Module):
    """Causal self-attention, attention to the memory, a feed-forward network.

    Vaswani et al. (2017), section 3.1. Arguments as in `EncoderBlock`.
    """

    def __init__(self, d_model, num_heads, d_hidden, dropout=0.0, norm_first=True):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm2 = nn.LayerNorm(d_model)
        self.ffn = FeedForward(d_model, d_hidden, dropout)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout, self.norm_first = nn.Dropout(dropout), norm_first

    def forward(self, x, memory, mask=None, memory_mask=None, cache=None):
        """Returns the shape of x, (B, n, D). memory: the encoder's output, (B, m, D).

        mask says which positions of the sequence a position of x may attend to,
        memory_mask which of the memory; as in `MultiHeadAttention`. With a cache, a
        dict, x holds only the positions that are new since the last call with it.
        """
        own, cross = self.self_attention, self.cross_attention
        # The cache keeps the memory's keys and values from the first step on.
        new = None if cache is not None and cross in cache else memory
        add = partial(residual, dropout=self.dropout, norm_first=self.norm_first)
        x = add(x, lambda y: own(y, y, y, mask, cache=cache), self.norm1)
        x = add(x, lambda y: cross(y, new, new, memory_mask, cache=cache), self.norm2)
        return add(x, self.ffn, self.norm3)


class Transformer(nn.Module):
    """Encoder and decoder: source and target tokens in, logits of the next tokens out.

    Vaswani et al. (2017), figure 1. `pad` is the token that fills up the ends of
    sequences, in both vocabularies. Sizes and tokens that do not fit: `ValueError`; what
    is no integer, or no tensor, at all: `TypeError`.
    """

    def __init__(
        self,
        src_vocab,
        tgt_vocab,
        d_model,
        num_heads,
        num_layers,
        d_hidden,
        dropout=0.0,
        norm_first=True,
        pad=0,
    ):
        super().__init__()
        checks.model(src_vocab, tgt_vocab, d_model, num_layers, pad)
        D, sizes = d_model, (d_model, num_heads, d_hidden, dropout, norm_first)
        self.source, self.target = (nn.Embedding(V, D) for V in (src_vocab, tgt_vocab))
        self.positions = PositionalEncoding(D, dropout)
        self.encoder = nn.ModuleList(EncoderBlock(*sizes) for _ in range(num_layers))
        self.decoder = nn.ModuleList(DecoderBlock(*sizes) for _ in range(num_layers))
        last = nn.LayerNorm if norm_first else nn.Identity
        self.encoder_norm, self.decoder_norm = last(D), last(D)
        self.output, self.pad = nn.Linear(D, tgt_vocab), pad

    def encode(self, src):
        """Returns the memory (B, m, D) of the source tokens, (B, m)."""
        checks.tokens("src", src, self.source.num_embeddings)
        x, mask = self.positions(self.source(src)), (src != self.pad).unsqueeze(1)
        for block in self.encoder:
            x = block(x, mask)
        return self.encoder_norm(x)

    def decode(self, tgt, memory, src, cache=None):
        """Returns logits (B, n, tgt_vocab): what follows each of the tokens tgt (B, n).

        memory: `encode(src)`. With a cache, a dict, tgt is what is new since last time.
        """
        checks.decoding(self, tgt, memory, src)
        n, memory_mask = tgt.shape[1], (src != self.pad).unsqueeze(1)
        offset = cache[self.decoder[0].self_attention][0].shape[2] if cache else 0
        mask = causal_mask(n, offset, tgt.device) if n > 1 else None  # one sees all
        x = self.target(tgt).masked_fill((tgt == self.pad).unsqueeze(-1), 0.0)
        x = self.positions(x, offset)  # (B, n, D)
        for block in self.decoder:
            x = block(x, memory, mask, memory_mask, cache)
        return self.output(self.decoder_norm(x))

    def forward(self, src, tgt):
        """Returns logits (B, n, tgt_vocab) for all tokens tgt (B, n), given src."""
        return self.decode(tgt, self.encode(src), src)


# chapters/12_translation.ipynb


def to_tokens(sentences, words, begin=(), end=()):
    """Tokens (B, n) of sentences, lists of words: their positions in the list `words`.

    begin, end: tokens before and after each sentence. Shorter sentences are filled up
    with 0. Raises `ValueError` for no sentence, and for a word that is not in the list.
    """
    token_of = checks.vocabulary(words, sentences)
    rows = [
        torch.tensor([*begin, *map(token_of.get, sentence), *end], dtype=torch.long)
        for sentence in sentences
    ]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


def next_token_loss(logits, tokens, pad=0, smoothing=0.0):
    """Mean cross-entropy of the next token, in nats per real token.

    Equation (12.1) of the course. tokens: (B, n + 1), with `pad` where a sequence has
    ended. logits: (B, n, vocabulary), what follows each of tokens[:, :-1]. smoothing
    is the share of the target distribution that is spread over all of the vocabulary.
    """
    return F.cross_entropy(
        logits.mT, tokens[:, 1:], ignore_index=pad, label_smoothing=smoothing
    )


def pair_batches(sources, targets, steps, seed=0, pad=0):
    """For each step the source and target tokens of 64 pairs, drawn at random.

    sources: (pairs, m), targets: (pairs, n). A batch costs as much as its longest
    sentence, so 640 pairs are drawn at a time, sorted by length and cut into ten.
    """
    draw = torch.Generator().manual_seed(1 + seed)
    lengths = ((sources != pad).sum(dim=1) + (targets != pad).sum(dim=1)).cpu()
    for step in range(steps):
        if step % 10 == 0:
            rows = torch.randint(len(sources), (640,), generator=draw)
            parts = rows[lengths[rows].argsort()].split(64)
            order = torch.randperm(10, generator=draw).tolist()
        rows = parts[order[step % 10]].to(sources.device)
        src, tgt = sources[rows], targets[rows]
        yield src[:, (src != pad).any(dim=0)], tgt[:, (tgt != pad).any(dim=0)]


def schedule(step, steps, warm_up):
    """The learning rate of a step, from 1 on, as a share of the largest: (12.2)."""
    return min(step / max(warm_up, 1), (steps + 1 - step) / (steps + 1 - warm_up))


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

    sources: (pairs, m), targets: (pairs, n), tokens with 0 for padding. The learning
    rate is that of equation (12.2), at most `rate`; `stop` ends the training early, `loss_of` takes
    logits and target tokens, `seed` draws the batches. Returns {step: a copy of the
    model} for the steps in `snapshots`. Raises `ValueError` for a `stop` or a `warm_up`
    beyond `steps`.
    """
    stop, copies = checks.schedule(steps, stop, warm_up), {}
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), fused=True)
    batches = pair_batches(sources, targets, stop, seed)
    for step, (src, tgt) in zip(progress(stop), batches):
        optimizer.param_groups[0]["lr"] = rate * schedule(step + 1, steps, warm_up)
        loss = loss_of(model(src, tgt[:, :-1]), tgt)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step + 1 in snapshots:
            copies[step + 1] = copy.deepcopy(model).eval()
    model.eval()
    return copies


@torch.no_grad()
def greedy(model, src, bos, eos, max_len):
    """Translate by the likeliest token in each step, with a cache.

    model: a `Transformer` in `eval()` mode. src: (B, m). bos: the token that begins
    every target; eos: the one that ends it. Returns tokens (B, n), n at most max_len,
    without bos; after eos comes padding. Raises `ValueError` in training mode, and
    for a max_len below 1; `TypeError` for one that is no integer.
    """
    checks.searching(model, max_len=max_len)
    memory, cache, written = model.encode(src), {}, []
    new = torch.full((len(src), 1), bos, device=src.device)  # (B, 1)
    done = torch.zeros_like(new, dtype=torch.bool)
    for _ in range(max_len):
        logits = model.decode(new, memory, src, cache)  # (B, 1, tgt_vocab)
        new = logits.argmax(-1).masked_fill(done, model.pad)  # (B, 1)
        written.append(new)
        done = done | (new == eos)
        if done.all():
            break
    return torch.cat(written, dim=1)


@torch.no_grad()
def beam_search(model, src, bos, eos, max_len, width):
    """Translate by keeping the `width` likeliest hypotheses in each step, with a cache.

    Arguments as in `greedy`. Returns tokens (B, n), as `greedy` does, and their
    log-probability (B,), the sum over tokens, eos included. No bonus for length.
    Raises `ValueError` in training mode, and for a width or max_len below 1; `TypeError`
    for one that is no integer.
    """
    width, max_len = checks.searching(model, width=width, max_len=max_len)
    B, V, cache = len(src), model.output.out_features, {}
    memory = model.encode(src).repeat_interleave(width, dim=0)  # (B * width, m, D)
    src = src.repeat_interleave(width, dim=0)  # (B * width, m)
    first_row = torch.arange(B, device=src.device).unsqueeze(1) * width  # (B, 1)
    tokens = torch.full((B * width, 1), bos, device=src.device)
    total = torch.full((B, width), -math.inf, device=src.device)
    total[:, 0] = 0.0  # all hypotheses are equal yet: only one may be extended
    done = torch.zeros_like(total, dtype=torch.bool)
    only_pad = torch.full((V,), -math.inf, device=src.device)
    only_pad[model.pad] = 0.0
    for _ in range(max_len):
        logits = model.decode(tokens[:, -1:], memory, src, cache)[:, -1]
        steps = logits.log_softmax(-1).unflatten(0, (B, width))  # (B, width, V)
        steps = torch.where(done.unsqueeze(-1), only_pad.to(steps), steps)
        total, best = (total.unsqueeze(-1) + steps).flatten(1).topk(width)
        new = best % V  # (B, width)
        rows = (first_row + best // V).flatten()  # (B * width,)
        cache = {
            layer: tuple(kept[rows] for kept in pair) for layer, pair in cache.items()
        }
        tokens = torch.cat([tokens[rows], new.reshape(-1, 1)], dim=1)
        done = done.flatten()[rows].view(B, width) | (new == eos)
        if done[:, 0].all():  # scores only fall: nothing can overtake a best that ends
            break
    return tokens[::width, 1:], total[:, 0]


# chapters/13_what_a_map_shows.ipynb


@contextmanager
def attention_maps(model):
    """Collect the attention weights of every call while the `with` block runs.

    Gives a dict, filled as the model runs: the name of each `MultiHeadAttention` in
    the model -> a list with weights (B, H, n, m) for each call, those of the very
    forward pass. The results of the model stay the same, up to rounding.
    """
    maps = {}

    def recording(forward, name):
        def record(queries, keys, values, mask=None, need_weights=False):
            output, weights = forward(queries, keys, values, mask, need_weights=True)
            maps.setdefault(name, []).append(weights)
            return (output, weights) if need_weights else output

        return record

    with ExitStack() as stack:
        for name, layer in model.named_modules():
            if isinstance(layer, MultiHeadAttention):
                part = layer.attention
                new = recording(part.forward, name)
                stack.enter_context(patch.object(part, "forward", new))
        yield maps


# chapters/14_language_model.ipynb


class CausalBlock(EncoderBlock):
    """An encoder block that can keep the keys and values of earlier tokens.

    Radford et al. (2019), section 2.3: a decoder block without cross-attention.
    """

    def forward(self, x, mask=None, cache=None):
        """Returns the shape of x, (B, n, D). mask and cache: as in `MultiHeadAttention`."""
        add = partial(residual, dropout=self.dropout, norm_first=self.norm_first)
        x = add(x, lambda y: self.attention(y, y, y, mask, cache=cache), self.norm1)
        return add(x, self.ffn, self.norm2)


class LanguageModel(nn.Module):
    """A decoder-only Transformer: tokens in, logits of the next tokens out.

    Radford et al. (2019), with fixed positional encodings. `vocab` is the number of
    tokens, other sizes are as in `Transformer`. Raises `TypeError` for a size that
    isn't an integer, `ValueError` for one that doesn't fit.
    """

    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__()
        checks.sizes(vocab=vocab, d_model=d_model, num_layers=num_layers)
        D, sizes = d_model, (d_model, num_heads, d_hidden, dropout)
        self.embedding = nn.Embedding(vocab, D)
        self.positions = PositionalEncoding(D, dropout)
        self.blocks = nn.ModuleList(CausalBlock(*sizes) for _ in range(num_layers))
        self.norm = nn.LayerNorm(D)
        self.output = nn.Linear(D, vocab)

    def forward(self, tokens, cache=None):
        """Returns logits (B, n, vocab): what follows each of the tokens (B, n).

        With a cache, a dict, tokens holds only what is new since the last call with it.
        """
        checks.tokens("tokens", tokens, self.embedding.num_embeddings)
        n = tokens.shape[1]
        # The cached keys have the shape (B, H, tokens so far, d).
        offset = cache[self.blocks[0].attention][0].shape[2] if cache else 0
        mask = causal_mask(n, offset, tokens.device) if n > 1 else None
        x = self.positions(self.embedding(tokens), offset)  # (B, n, D)
        for block in self.blocks:
            x = block(x, mask, cache)
        return self.output(self.norm(x))


def train_language_model(model, text, steps, context=64, batch=16, rate=0.004, seed=0):
    """Train on windows of a text, and put the model in `eval()` mode.

    text: tokens (N,), more than `context`. Windows have context + 1 tokens, so that the
    last input has a next token, too, and begin where a generator with `seed` says. The
    learning rate is that of equation (12.2), at most `rate`. Raises `TypeError` or
    `ValueError` for a text that does not fit.
    """
    checks.text(text, context)
    draw = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), fused=True)
    model.train()
    for step in progress(steps):
        starts = torch.randint(len(text) - context, (batch, 1), generator=draw)
        tokens = text[(starts + torch.arange(context + 1)).to(text.device)]
        now = schedule(step + 1, steps, min(100, steps))
        optimizer.param_groups[0]["lr"] = rate * now
        logits = model(tokens[:, :-1])  # (B, n, V)
        loss = next_token_loss(logits, tokens, pad=-100)  # no token is padding
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()


def keep_top_k(logits, k):
    """Logits (..., V) with -inf for all but the k largest. Fan et al. (2018), section 5.4."""
    best = logits.topk(k)
    return torch.full_like(logits, -math.inf).scatter(-1, best.indices, best.values)


def keep_nucleus(logits, p):
    """Logits (..., V) with -inf outside the smallest set of likeliest tokens of probability p.

    Holtzman et al. (2020), equation (2). The likeliest token always stays.
    """
    probabilities, order = logits.softmax(-1).sort(descending=True, stable=True)
    likelier = probabilities.cumsum(-1) - probabilities  # the sum of those before
    outside = torch.zeros_like(logits, dtype=torch.bool).scatter(
        -1, order, likelier >= p
    )
    return logits.masked_fill(outside, -math.inf)


@torch.no_grad()
def generate(
    model, tokens, length, temperature=1.0, k=None, p=None, context=64, seed=0
):
    """Continue texts by drawing one token at a time, with a cache.

    model: a `LanguageModel` in `eval()` mode. tokens: (B, n), the beginnings. So that
    the model sees at most `context` tokens, an even number, the cache begins anew every
    context / 2 steps, with the last context / 2 tokens. Filters in this order:
    temperature, the k likeliest, the nucleus of probability p. Returns tokens (B, n +
    length). Raises `ValueError` in training mode and for numbers that don't fit,
    `TypeError` for sizes that aren't integers.
    """
    half = checks.generating(model, tokens, length, temperature, k, p, context) // 2
    draw = torch.Generator().manual_seed(seed)
    for step in range(length):
        if step % half == 0:
            # Dropping only the oldest token would shift the positions of all the others.
            cache, new = {}, tokens[:, -half:]
        logits = model(new, cache)[:, -1] / temperature  # (B, V)
        logits = logits if k is None else keep_top_k(logits, k)
        logits = logits if p is None else keep_nucleus(logits, p)
        p_next = logits.softmax(-1).cpu()  # on the CPU all devices draw alike
        new = torch.multinomial(p_next, 1, generator=draw).to(tokens.device)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
