"""A right version of what the pages keep, in which `wrong_versions.py` replaces words.

It is frozen, so that the pages can reword their code: all that the two have in common are names,
results and messages. `test_harness.py` shows that it has all properties.
"""

import copy
import itertools
import math
import numbers
import operator
from contextlib import contextmanager

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

FLOATS = torch.float16, torch.bfloat16, torch.float32, torch.float64


def need(fits, message, error=ValueError):
    if not fits:
        raise error(message)


def kind_of(x):
    return x.dtype if torch.is_tensor(x) else type(x).__name__


def need_tensor(x, message):
    need(torch.is_tensor(x), message, TypeError)


def is_integer(x):
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def is_number(x):
    return isinstance(x, numbers.Real) and not isinstance(x, bool)


def need_integer(fits, name, x, wanted):
    said = repr(x) if isinstance(x, int | float | str | None) else type(x).__name__
    need(fits, f"{name} is {said}; wanted {wanted}", TypeError)


def attention_pooling(queries, keys, values, score):
    for name, tensor in {"queries": queries, "keys": keys, "values": values}.items():
        need_tensor(tensor, f"{name} is {kind_of(tensor)}; wanted a tensor")
        need(tensor.dim() >= 2, f"{name} has shape {tuple(tensor.shape)}; wanted 2 axes or more")
    n, m = queries.shape[-2], keys.shape[-2]
    need(values.shape[-2] == m, f"values has {values.shape[-2]} rows; wanted {m}, one per key")
    scores = score(queries, keys)
    shape = (*torch.broadcast_shapes(queries.shape[:-2], keys.shape[:-2]), n, m)
    wanted = f"{shape}: a row per query, a column per key"
    need(scores.shape == shape, f"score returned {tuple(scores.shape)}; wanted {wanted}")
    weights = torch.softmax(scores, dim=-1)
    return weights @ values, weights


def length_mask(valid_lens, m):
    need_integer(is_integer(m), "m", m, "an integer, 0 or more")
    need(m >= 0, f"m is {m}; wanted an integer, 0 or more")
    kind = kind_of(valid_lens)
    need_tensor(valid_lens, f"valid_lens is {kind}; wanted a tensor of integers")
    integers = torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64
    need(kind in integers, f"valid_lens is {kind}; wanted a tensor of integers")
    wanted, shape = "(B,), a length per sequence, or (B, n), a length per query", valid_lens.shape
    need(len(shape) in (1, 2), f"valid_lens has shape {tuple(shape)}; wanted {wanted}")
    lengths = valid_lens.long()
    for outside in lengths[(lengths < 0) | (lengths > m)]:
        raise ValueError(f"valid_lens holds {outside}; wanted 0 to m = {m}")
    lengths = lengths[:, None] if lengths.dim() == 1 else lengths
    return torch.arange(m) < lengths[..., None]


def causal_mask(n, offset=0, device=None):
    for name, size in {"n": n, "offset": offset}.items():
        need_integer(is_integer(size), name, size, "an integer, 0 or more")
        need(size >= 0, f"{name} is {size}; wanted an integer, 0 or more")
    n, offset = map(operator.index, (n, offset))
    return torch.ones(n, offset + n, dtype=torch.bool, device=device).tril(offset)


def check_mask(mask, shape):
    kind = kind_of(mask)
    need_tensor(mask, f"mask is {kind}; wanted torch.bool, True = may attend")
    need(kind == torch.bool, f"mask is {kind}; wanted torch.bool, True = may attend")
    wanted = f"one that broadcasts to the shape of the scores, {tuple(shape)}"
    pairs = zip(reversed(mask.shape), reversed(shape), strict=False)
    fits = mask.dim() <= len(shape) and all(size in (1, its) for size, its in pairs)
    need(fits, f"mask has shape {tuple(mask.shape)}; wanted {wanted}")


def masked_softmax(scores, mask=None):
    kind = kind_of(scores)
    need_tensor(scores, f"scores is {kind}; wanted a tensor of floats")
    need(kind in FLOATS, f"scores is {kind}; wanted a tensor of floats")
    if mask is None:
        return torch.softmax(scores, dim=-1)
    check_mask(mask, scores.shape)
    empty = ~mask.any(dim=-1, keepdim=True)
    filled = scores.masked_fill(~mask, -math.inf).masked_fill(empty, 0.0)
    return torch.softmax(filled, dim=-1).masked_fill(~mask, 0.0)


def check_attention_inputs(
    queries, keys, values, mask=None,
    query_size=None, key_size=None, value_size=None, dtype=None, heads=(),
):  # fmt: skip
    given = {"queries": queries, "keys": keys, "values": values}
    for name, tensor in given.items():
        kind = kind_of(tensor)
        need_tensor(tensor, f"{name} is {kind}; wanted a tensor of floats")
        need(kind in FLOATS, f"{name} is {kind}; wanted a tensor of floats")
        dtype = dtype or kind
        mixed = torch.is_autocast_enabled(tensor.device.type) and torch.float64 not in (kind, dtype)
        need(kind == dtype or mixed, f"{name} is {kind}; wanted {dtype}")
        need(tensor.dim() >= 2, f"{name} has shape {tuple(tensor.shape)}; wanted 2 axes or more")
        for_keys = queries.shape[-1] if key_size is None else key_size
        width = {"queries": query_size, "keys": for_keys, "values": value_size}[name]
        fits = width in (None, tensor.shape[-1])
        need(fits, f"{name} has width {tensor.shape[-1]}; wanted {width}")
    n, m = queries.shape[-2], keys.shape[-2]
    need(values.shape[-2] == m, f"values has {values.shape[-2]} rows; wanted {m}, one per key")
    try:
        batch = torch.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
        torch.broadcast_shapes(batch, values.shape[:-2])
    except RuntimeError:
        shapes = ", ".join(f"{name} {tuple(tensor.shape)}" for name, tensor in given.items())
        raise ValueError(f"the leading axes do not broadcast: {shapes}") from None
    if mask is not None:
        check_mask(mask, (*batch, *heads, n, m))
        wanted = "2 axes or more, the last two for queries and keys"
        need(mask.dim() >= 2, f"mask has shape {tuple(mask.shape)}; wanted {wanted}")


def zero_unseen(keys, values, mask=None):
    if mask is None:
        return keys, values
    unseen = ~mask.any(dim=-2).unsqueeze(-1)
    return keys.masked_fill(unseen, 0.0), values.masked_fill(unseen, 0.0)


class AdditiveAttention(nn.Module):
    def __init__(self, query_size, key_size, num_hiddens, dropout=0.0):
        super().__init__()
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, mask=None, need_weights=False):
        sizes = self.W_q.in_features, self.W_k.in_features, None, self.w_v.weight.dtype
        check_attention_inputs(queries, keys, values, mask, *sizes)
        keys, values = zero_unseen(keys, values, mask)
        hidden = torch.tanh(self.W_q(queries).unsqueeze(-2) + self.W_k(keys).unsqueeze(-3))
        scores = self.w_v(hidden).squeeze(-1)
        weights = masked_softmax(scores, mask)
        output = self.dropout(weights) @ values
        return (output, weights) if need_weights else output


class DotProductAttention(nn.Module):
    def __init__(self, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, mask=None, need_weights=False):
        check_attention_inputs(queries, keys, values, mask)
        keys, values = zero_unseen(keys, values, mask)
        p, scale = self.dropout.p if self.training else 0.0, queries.shape[-1] ** -0.5
        if not need_weights:
            return F.scaled_dot_product_attention(queries, keys, values, mask, p, scale=scale)
        scores = queries * scale @ keys.mT
        weights = masked_softmax(scores, mask)
        return self.dropout(weights) @ values, weights


def check_cache(layer, queries, keys, values, mask, cache):
    kind = type(cache).__name__
    need(isinstance(cache, dict), f"cache is {kind}; wanted a dict, or None", TypeError)
    kept, nothing_new = cache.get(layer), keys is None and values is None
    anything = kept is not None or not nothing_new
    need(anything, "keys is None; wanted (B, m, D), as nothing is kept yet")
    made_of = 3 * [queries] if nothing_new else [queries, keys, values]
    given = dict(zip(("queries", "keys", "values"), made_of, strict=True))
    for name, x in given.items():
        need_tensor(x, f"{name} is {kind_of(x)}; wanted a tensor of floats")
        need(x.ndim == 3, f"{name} has shape {tuple(x.shape)}; wanted 3 axes")
    D, dtype = layer.W_q.in_features, layer.W_q.weight.dtype
    check_attention_inputs(*made_of, None, D, D, D, dtype)
    B, like = (len(queries), "queries") if kept is None else (len(kept[0]), "the cache")
    for name, x in given.items():
        need(len(x) == B, f"{name} has {len(x)} sequences; wanted {B}, as {like}")
    if mask is not None:
        old = 0 if kept is None else kept[0].shape[2]
        M = old if nothing_new else old + keys.shape[1]
        heads = (layer.num_heads,) if getattr(mask, "ndim", 0) > 3 else ()
        check_mask(mask, (B, *heads, queries.shape[1], M))
        wanted = "2 axes or more, the last two for queries and keys"
        need(mask.dim() >= 2, f"mask has shape {tuple(mask.shape)}; wanted {wanted}")


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        for name, size in {"d_model": d_model, "num_heads": num_heads}.items():
            need_integer(is_integer(size), name, size, "an integer, 1 or more")
            need(size > 0, f"{name} is {size}; wanted an integer, 1 or more")
        wanted = f"a divisor of d_model, which is {d_model}"
        need(d_model % num_heads == 0, f"num_heads is {num_heads}; wanted {wanted}")
        linear = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))
        self.W_q, self.W_k, self.W_v, self.W_o = linear
        self.num_heads, self.attention = num_heads, DotProductAttention(dropout)

    def forward(self, queries, keys, values, mask=None, need_weights=False, cache=None):
        D, H, dtype = self.W_q.in_features, self.num_heads, self.W_q.weight.dtype
        heads = (H,) if getattr(mask, "ndim", 0) > 3 else ()

        def split(x):
            return x.unflatten(-1, (H, D // H)).transpose(1, 2)

        if cache is not None:
            check_cache(self, queries, keys, values, mask, cache)
        else:
            for name, x in {"queries": queries, "keys": keys, "values": values}.items():
                if torch.is_tensor(x) and x.ndim != 3:
                    raise ValueError(f"{name} has shape {tuple(x.shape)}; wanted 3 axes")
            check_attention_inputs(queries, keys, values, mask, D, D, D, dtype, heads)
            keys, values = zero_unseen(keys, values, mask.any(dim=1) if heads else mask)
        kept = cache.get(self) if cache else None
        if keys is not None:
            new = split(self.W_k(keys)), split(self.W_v(values))
            kept = tuple(torch.cat(p, 2) for p in zip(kept, new, strict=True)) if kept else new
        mask = mask if mask is None or heads else mask.unsqueeze(-3)
        q, (k, v) = split(self.W_q(queries)), kept
        pooled = self.attention(q, k, v, mask, need_weights)
        pooled, weights = pooled if need_weights else (pooled, None)
        output = self.W_o(pooled.transpose(1, 2).flatten(2))
        if cache is not None:
            cache[self] = kept
        return (output, weights) if need_weights else output


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.0, max_len=1000):
        super().__init__()
        for name, size in {"d_model": d_model, "max_len": max_len}.items():
            need_integer(is_integer(size), name, size, "an integer, 1 or more")
            need(size > 0, f"{name} is {size}; wanted an integer, 1 or more")
        d_model = operator.index(d_model)
        k = torch.arange((d_model + 1) // 2, dtype=torch.float64)
        places = torch.arange(max_len, dtype=torch.float64)
        angles = places[:, None] * 10000.0 ** (-2 * k / d_model)
        codes = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model].float()
        self.register_buffer("codes", codes, persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, offset=0):
        kind, (max_len, D) = kind_of(x), self.codes.shape
        need_tensor(x, f"x is {kind}; wanted a tensor of floats")
        need(kind in FLOATS, f"x is {kind}; wanted a tensor of floats")
        fits = x.dim() >= 2 and x.shape[-1] == D
        need(fits, f"x has shape {tuple(x.shape)}; wanted (..., n, {D})")
        need_integer(is_integer(offset), "offset", offset, "an integer, 0 or more")
        need(offset >= 0, f"offset is {offset}; wanted an integer, 0 or more")
        end = operator.index(offset) + x.shape[-2]
        wanted = f"{max_len - 1} or less, or an encoding with max_len={end} or more"
        need(end <= max_len, f"x ends at position {end - 1}; wanted {wanted}")
        codes = self.codes[offset:end].to(x.dtype)
        return self.dropout(x + codes)


def check_sizes(**sizes):
    for name, size in sizes.items():
        need_integer(is_integer(size), name, size, "an integer, 1 or more")
        need(size > 0, f"{name} is {size}; wanted an integer, 1 or more")


class FeedForward(nn.Module):
    def __init__(self, d_model, d_hidden, dropout=0.0):
        super().__init__()
        check_sizes(d_model=d_model, d_hidden=d_hidden)
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        hidden = torch.relu(self.W_1(x))
        return self.W_2(self.dropout(hidden))


def residual(x, part, norm, dropout, norm_first):
    if norm_first:
        return x + dropout(part(norm(x)))
    return norm(x + dropout(part(x)))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.0, norm_first=True):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.ffn = FeedForward(d_model, d_hidden, dropout)
        self.norm1, self.norm2 = (nn.LayerNorm(d_model) for _ in range(2))
        self.dropout, self.norm_first = nn.Dropout(dropout), norm_first

    def forward(self, x, mask=None):
        ways = self.dropout, self.norm_first
        x = residual(x, lambda y: self.attention(y, y, y, mask), self.norm1, *ways)
        return residual(x, self.ffn, self.norm2, *ways)


class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.0, norm_first=True):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.ffn = FeedForward(d_model, d_hidden, dropout)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.dropout, self.norm_first = nn.Dropout(dropout), norm_first

    def forward(self, x, memory, mask=None, memory_mask=None, cache=None):
        ways, own, cross = (
            (self.dropout, self.norm_first),
            self.self_attention,
            self.cross_attention,
        )
        x = residual(x, lambda y: own(y, y, y, mask, cache=cache), self.norm1, *ways)
        new = memory if cache is None or cross not in cache else None
        x = residual(x, lambda y: cross(y, new, new, memory_mask, cache=cache), self.norm2, *ways)
        return residual(x, self.ffn, self.norm3, *ways)


def check_tokens(name, tokens, vocabulary):
    kind = kind_of(tokens)
    need_tensor(tokens, f"{name} is {kind}; wanted a tensor of torch.int64")
    need(kind in (torch.int32, torch.int64), f"{name} is {kind}; wanted a tensor of torch.int64")
    need(tokens.dim() == 2, f"{name} has shape {tuple(tokens.shape)}; wanted 2 axes")
    for outside in tokens[(tokens < 0) | (tokens >= vocabulary)]:
        raise ValueError(f"{name} holds {outside}; wanted 0 to {vocabulary - 1}")


def check_model(src_vocab, tgt_vocab, d_model, num_layers, pad):
    check_sizes(src_vocab=src_vocab, tgt_vocab=tgt_vocab, d_model=d_model, num_layers=num_layers)
    words = min(src_vocab, tgt_vocab)
    need_integer(is_integer(pad), "pad", pad, f"a token of both, 0 to {words - 1}")
    need(0 <= pad < words, f"pad is {pad}; wanted a token of both, 0 to {words - 1}")


def check_decoding(model, tgt, memory, src):
    check_tokens("src", src, model.source.num_embeddings)
    check_tokens("tgt", tgt, model.target.num_embeddings)
    need(len(tgt) == len(src), f"tgt has {len(tgt)} sequences; wanted {len(src)}, as src")
    need_tensor(memory, f"memory is {kind_of(memory)}; wanted a tensor of floats")
    need(memory.dtype in FLOATS, f"memory is {memory.dtype}; wanted a tensor of floats")
    got, wanted = tuple(memory.shape), (*src.shape, model.source.embedding_dim)
    need(got == wanted, f"memory has shape {got}; wanted {wanted}, as src")


class Transformer(nn.Module):
    def __init__(
        self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_hidden,
        dropout=0.0, norm_first=True, pad=0,
    ):  # fmt: skip
        super().__init__()
        check_model(src_vocab, tgt_vocab, d_model, num_layers, pad)
        D, sizes = d_model, (d_model, num_heads, d_hidden, dropout, norm_first)
        self.source, self.target = nn.Embedding(src_vocab, D), nn.Embedding(tgt_vocab, D)
        self.positions, self.pad = PositionalEncoding(D, dropout), pad
        self.encoder = nn.ModuleList(EncoderBlock(*sizes) for _ in range(num_layers))
        self.decoder = nn.ModuleList(DecoderBlock(*sizes) for _ in range(num_layers))
        last = nn.LayerNorm if norm_first else nn.Identity
        self.encoder_norm, self.decoder_norm = last(D), last(D)
        self.output = nn.Linear(D, tgt_vocab)

    def encode(self, src):
        check_tokens("src", src, self.source.num_embeddings)
        x, mask = self.positions(self.source(src)), (src != self.pad).unsqueeze(1)
        for block in self.encoder:
            x = block(x, mask)
        return self.encoder_norm(x)

    def decode(self, tgt, memory, src, cache=None):
        check_decoding(self, tgt, memory, src)
        n, memory_mask = tgt.shape[1], (src != self.pad).unsqueeze(1)
        offset = cache[self.decoder[0].self_attention][0].shape[2] if cache else 0
        mask = causal_mask(n, offset) if n > 1 else None
        x = self.target(tgt).masked_fill((tgt == self.pad)[..., None], 0.0)
        x = self.positions(x, offset)
        for block in self.decoder:
            x = block(x, memory, mask, memory_mask, cache)
        return self.output(self.decoder_norm(x))

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)


@contextmanager
def attention_maps(model):
    maps, asked, hooks = {}, [], []

    def ask(layer, arguments):
        queries, keys, values, mask, need_weights = (*arguments, None, False)[:5]
        asked.append(need_weights)
        return queries, keys, values, mask, True

    def take(name):
        def keep(layer, given, result):
            maps.setdefault(name, []).append(result[1])
            return result if asked.pop() else result[0]

        return keep

    for name, layer in model.named_modules():
        if isinstance(layer, MultiHeadAttention):
            part = layer.attention
            hooks.append(part.register_forward_pre_hook(ask))
            hooks.append(part.register_forward_hook(take(name), prepend=True))
    try:
        yield maps
    finally:
        for hook in hooks:
            hook.remove()


def to_tokens(sentences, words, begin=(), end=()):
    need(len(sentences) > 0, "sentences is empty; wanted one or more")
    for word in itertools.chain(*sentences):
        need(word in words, f"sentences holds {word!r}; wanted words of the vocabulary")
    rows = [[*begin, *map(words.index, sentence), *end] for sentence in sentences]
    n = max(map(len, rows))
    return torch.tensor([row + [0] * (n - len(row)) for row in rows])


def next_token_loss(logits, tokens, pad=0, smoothing=0.0):
    return F.cross_entropy(logits.mT, tokens[:, 1:], ignore_index=pad, label_smoothing=smoothing)


def pair_batches(sources, targets, steps, seed=0, pad=0):
    draw = torch.Generator().manual_seed(seed)
    lengths = sum((some != pad).sum(dim=1) for some in (sources, targets))
    for step in range(steps):
        if step % 10 == 0:
            drawn = torch.randint(len(sources), (640,), generator=draw)
            drawn = drawn[lengths[drawn].argsort()]
            order = torch.randperm(10, generator=draw)
        rows = drawn[64 * order[step % 10] :][:64]
        src, tgt = sources[rows], targets[rows]
        m, n = ((some != pad).sum(dim=1).max() for some in (src, tgt))
        yield src[:, :m], tgt[:, :n]


def schedule(step, steps, warm_up):
    rise, fall = step / max(warm_up, 1), (steps + 1 - step) / (steps + 1 - warm_up)
    return min(rise, fall)


def train_translator(
    model, sources, targets, steps=1000, stop=None, warm_up=100, rate=0.005,
    loss_of=next_token_loss, snapshots=(), seed=0,
):  # fmt: skip
    stop = stop or steps
    model.train()
    optimizer, copies = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98)), {}
    for step, (src, tgt) in enumerate(pair_batches(sources, targets, stop, seed), 1):
        for group in optimizer.param_groups:
            group["lr"] = rate * schedule(step, steps, warm_up)
        logits = model(src, tgt[:, :-1])
        optimizer.zero_grad()
        loss_of(logits, tgt).backward()
        optimizer.step()
        if step in snapshots:
            copies[step] = copy.deepcopy(model).eval()
    model.eval()
    return copies


def check_searching(model, **given):
    need(not model.training, "model is in training mode; wanted model.eval() before")
    for name, size in given.items():
        need_integer(is_integer(size), name, size, "an integer, 1 or more")
        need(size > 0, f"{name} is {size}; wanted an integer, 1 or more")


@torch.no_grad()
def greedy(model, src, bos, eos, max_len):
    check_searching(model, max_len=max_len)
    memory, cache, written = model.encode(src), {}, []
    new = torch.full((len(src), 1), bos)
    done = torch.zeros_like(new, dtype=torch.bool)
    for _ in range(max_len):
        logits = model.decode(new, memory, src, cache)
        new = logits.argmax(-1).masked_fill(done, model.pad)
        written.append(new)
        done = done | (new == eos)
        if done.all():
            break
    return torch.cat(written, dim=1)


@torch.no_grad()
def beam_search(model, src, bos, eos, max_len, width):
    check_searching(model, width=width, max_len=max_len)
    B, width, cache = len(src), operator.index(width), {}
    memory = model.encode(src).repeat_interleave(width, 0)
    src = src.repeat_interleave(width, dim=0)
    first_row = torch.arange(B).unsqueeze(1) * width
    tokens = torch.full((B * width, 1), bos)
    total = torch.full((B, width), -math.inf)
    total[:, 0] = 0.0
    done = torch.zeros_like(total, dtype=torch.bool)
    for _ in range(max_len):
        logits = model.decode(tokens[:, -1:], memory, src, cache)[:, -1]
        steps = logits.log_softmax(-1).unflatten(0, (B, width))
        only_pad = steps.new_full(steps.shape[-1:], -math.inf)
        only_pad[model.pad] = 0.0
        steps = torch.where(done.unsqueeze(-1), only_pad, steps)
        total, best = (total.unsqueeze(-1) + steps).flatten(1).topk(width)
        rows = (first_row + best // steps.shape[-1]).flatten()
        new = best % steps.shape[-1]
        cache = {layer: tuple(kept[rows] for kept in pair) for layer, pair in cache.items()}
        tokens = torch.cat([tokens[rows], new.reshape(-1, 1)], dim=1)
        done = done.flatten()[rows].view(B, width) | (new == eos)
        if done[:, 0].all():
            break
    return tokens[::width, 1:], total[:, 0]


class CausalBlock(EncoderBlock):
    def forward(self, x, mask=None, cache=None):
        ways = self.dropout, self.norm_first
        x = residual(x, lambda y: self.attention(y, y, y, mask, cache=cache), self.norm1, *ways)
        return residual(x, self.ffn, self.norm2, *ways)


class LanguageModel(nn.Module):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__()
        check_sizes(vocab=vocab, d_model=d_model, num_layers=num_layers)
        D, sizes = d_model, (d_model, num_heads, d_hidden, dropout)
        self.embedding, self.positions = nn.Embedding(vocab, D), PositionalEncoding(D, dropout)
        self.blocks = nn.ModuleList(CausalBlock(*sizes) for _ in range(num_layers))
        self.norm, self.output = nn.LayerNorm(D), nn.Linear(D, vocab)

    def forward(self, tokens, cache=None):
        check_tokens("tokens", tokens, self.embedding.num_embeddings)
        n = tokens.shape[1]
        offset = cache[self.blocks[0].attention][0].shape[2] if cache else 0
        mask = causal_mask(n, offset)
        x = self.positions(self.embedding(tokens), offset)
        for block in self.blocks:
            x = block(x, mask, cache)
        return self.output(self.norm(x))


def check_text(text, context):
    need_integer(is_integer(context), "context", context, "an integer, 1 or more")
    need(context > 0, f"context is {context}; wanted an integer, 1 or more")
    kind = kind_of(text)
    need_tensor(text, f"text is {kind}; wanted a tensor of torch.int64")
    need(kind in (torch.int32, torch.int64), f"text is {kind}; wanted a tensor of torch.int64")
    wanted = f"(N,), N more than context, {context}"
    fits = text.dim() == 1 and len(text) > context
    need(fits, f"text has shape {tuple(text.shape)}; wanted {wanted}")


def train_language_model(model, text, steps, context=64, batch=16, rate=0.004, seed=0):
    check_text(text, context)
    draw = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    windows = text.unfold(0, context + 1, 1)
    model.train()
    for step in range(1, steps + 1):
        rows = torch.randint(len(windows), (batch,), generator=draw)
        for group in optimizer.param_groups:
            group["lr"] = rate * schedule(step, steps, min(100, steps))
        tokens = windows[rows]
        logits = model(tokens[:, :-1])
        optimizer.zero_grad()
        next_token_loss(logits, tokens, -1).backward()
        optimizer.step()
    model.eval()


def keep_top_k(logits, k):
    kept = logits.topk(k).indices
    outside = torch.ones_like(logits, dtype=torch.bool).scatter(-1, kept, False)
    return logits.masked_fill(outside, -math.inf)


def keep_nucleus(logits, p):
    likeliest, order = logits.softmax(-1).sort(dim=-1, descending=True)
    before = F.pad(likeliest.cumsum(-1), (1, -1))
    outside = (before >= p).gather(-1, order.argsort(-1))
    return logits.masked_fill(outside, -math.inf)


def check_generating(model, tokens, length, temperature, k, p, context):
    need(not model.training, "model is in training mode; wanted model.eval() before")
    need_integer(is_integer(context), "context", context, "an integer, 1 or more")
    need(context > 0, f"context is {context}; wanted an integer, 1 or more")
    need_integer(is_integer(length), "length", length, "an integer, 0 or more")
    need(length >= 0, f"length is {length}; wanted an integer, 0 or more")
    need(context % 2 == 0, f"context is {context}; wanted an even number")
    check_tokens("tokens", tokens, model.embedding.num_embeddings)
    need(tokens.shape[1] > 0, "tokens has no column; wanted at least one token to begin with")
    wanted = "more than 0, or k=1 for greedy"
    need_integer(is_number(temperature), "temperature", temperature, wanted)
    need(temperature > 0, f"temperature is {temperature}; wanted {wanted}")
    most = model.embedding.num_embeddings
    wanted = f"1 to {most}, the number of tokens, or None"
    need_integer(k is None or is_integer(k), "k", k, wanted)
    need(k is None or 1 <= k <= most, f"k is {k}; wanted {wanted}")
    wanted = "more than 0 and at most 1, or None"
    need_integer(p is None or is_number(p), "p", p, wanted)
    need(p is None or 0 < p <= 1, f"p is {p}; wanted {wanted}")


@torch.no_grad()
def generate(model, tokens, length, temperature=1.0, k=None, p=None, context=64, seed=0):
    check_generating(model, tokens, length, temperature, k, p, context)
    draw, half = torch.Generator().manual_seed(seed), context // 2
    for step in range(length):
        if step % half == 0:
            cache, new = {}, tokens[:, -half:]
        logits = model(new, cache)[:, -1] / temperature
        if k is not None:
            logits = keep_top_k(logits, k)
        if p is not None:
            logits = keep_nucleus(logits, p)
        new = torch.multinomial(logits.softmax(-1), 1, generator=draw)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
