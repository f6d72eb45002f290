"""What the course's functions and classes check first: one call at the beginning of each.

What does not fit raises an error whose one line names the argument, says what it is, and what is
wanted: a `TypeError` for what is no tensor, or no integer, at all, and a `ValueError` for the rest.
Only `lengths` and `tokens` look at the numbers in a tensor, so only they make a GPU wait.
"""

import math
import numbers
import operator

import torch

INTEGERS = {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
TOKENS = {torch.int32, torch.int64}  # what an embedding takes


# ---------------------------------------------------------------- one argument


def tensor(name, x, fits, wanted):
    """A tensor whose dtype fits; the others below are made of this and `integer`."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} is {type(x).__name__}; wanted {wanted}")
    if not fits(x.dtype):
        raise ValueError(f"{name} is {x.dtype}; wanted {wanted}")


def floats(name, x):
    tensor(name, x, lambda dtype: dtype.is_floating_point, "a tensor of floats")


def mask_for(mask, shape, least=0):
    """Booleans of `least` axes or more that broadcast to `shape`."""
    tensor("mask", mask, lambda dtype: dtype == torch.bool, "torch.bool, True = may attend")
    sizes = tuple(mask.shape)
    pairs = zip(reversed(sizes), reversed(shape))
    if len(sizes) > len(shape) or any(size not in (1, its) for size, its in pairs):
        raise ValueError(
            f"mask has shape {sizes}; wanted one that broadcasts to the shape of the scores, "
            f"{tuple(shape)}"
        )
    if len(sizes) < least:
        raise ValueError(
            f"mask has shape {sizes}; wanted {least} axes or more, the last two for queries and keys"
        )


def shown(value):
    """What is short as it is, of the rest the type."""
    short = isinstance(value, (numbers.Number, str, type(None)))
    return repr(value) if short else type(value).__name__


def integer(name, value, wanted, least, most=math.inf):
    """An integer of Python or numpy, returned as Python's; neither True nor a tensor is one."""
    try:
        number = None if isinstance(value, (bool, torch.Tensor)) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name} is {shown(value)}; wanted {wanted}")
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}; wanted {wanted}")
    return number


def number(name, value, fits, wanted):
    """A number of Python or numpy that fits; neither True nor a tensor is one."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is {shown(value)}; wanted {wanted}")
    if not fits(value):
        raise ValueError(f"{name} is {value}; wanted {wanted}")


def sizes(**given):
    """Integers from 1. Returns them as Python's, whose sums do not overflow as numpy's do."""
    return [integer(name, value, "an integer, 1 or more", 1) for name, value in given.items()]


def counts(**given):
    """Integers from 0, otherwise as `sizes`."""
    return [integer(name, value, "an integer, 0 or more", 0) for name, value in given.items()]


def whole_number(name, value, least, most):
    """For the data: an integer from `least` to `most`, otherwise as `sizes`."""
    return integer(name, value, f"a whole number from {least} to {most}", least, most)


# ---------------------------------------------------------------- masks and attention


def lengths(valid_lens, m):
    """For `length_mask`: integers from 0 to m, of shape (B,) or (B, n)."""
    (m,) = counts(m=m)
    tensor("valid_lens", valid_lens, INTEGERS.__contains__, "a tensor of integers")
    if valid_lens.dim() not in (1, 2):
        raise ValueError(
            f"valid_lens has shape {tuple(valid_lens.shape)}; wanted "
            "(B,), a length per sequence, or (B, n), a length per query"
        )
    some = valid_lens.long()  # 8 bits could not be compared with m = 1000
    outside = some[(some < 0) | (some > m)]
    if outside.numel() > 0:
        raise ValueError(f"valid_lens holds {outside[0]}; wanted 0 to m = {m}")


def scores(scores, mask=None):
    """For `masked_softmax`: floats, and a mask that broadcasts to them."""
    floats("scores", scores)
    if mask is not None:
        mask_for(mask, scores.shape)


def pairs(queries, keys, values):
    """For `attention_pooling`: 2 axes or more, and one value for each key."""
    for name, x in (("queries", queries), ("keys", keys), ("values", values)):
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name} is {type(x).__name__}; wanted a tensor")
        if x.dim() < 2:
            raise ValueError(f"{name} has shape {tuple(x.shape)}; wanted 2 axes or more")
    if values.shape[-2] != keys.shape[-2]:
        raise ValueError(
            f"values has {values.shape[-2]} rows; wanted {keys.shape[-2]}, one per key"
        )


def scored(scores, queries, keys):
    """For `attention_pooling`: a row per query, a column per key. Returns the scores."""
    batch = torch.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
    wanted = (*batch, queries.shape[-2], keys.shape[-2])
    if tuple(scores.shape) != wanted:
        raise ValueError(
            f"score returned {tuple(scores.shape)}; wanted {wanted}: a row per query, a column "
            "per key"
        )
    return scores


def attention(queries, keys, values, mask=None, maps=(), heads=None):
    """For attention: queries (..., n, d_q), keys (..., m, d_k), values (..., m, v), and a mask.

    They are floats of one dtype, unless autocast mixes them; leading axes broadcast. maps: the
    linear maps that take queries, keys and perhaps values, and say how wide they are and of which
    dtype; without them the keys are like the queries. The mask: None, or booleans of 2 axes or more
    that broadcast to (..., n, m). With heads, a number, all have 3 axes, and a mask of 4 axes
    broadcasts to (B, heads, n, m).
    """
    given = (("queries", queries), ("keys", keys), ("values", values))
    dtype = maps[0].weight.dtype if maps else None
    for name, x in given:
        floats(name, x)
        dtype = dtype or x.dtype
        if x.dtype != dtype and not mixed(x, dtype):
            raise ValueError(f"{name} is {x.dtype}; wanted {dtype}")
        if x.dim() < 2 or heads and x.dim() != 3:
            axes = "3 axes" if heads else "2 axes or more"
            raise ValueError(f"{name} has shape {tuple(x.shape)}; wanted {axes}")
    widths = [W.in_features for W in maps] or 2 * [queries.shape[-1]]
    for (name, x), width in zip(given, widths):
        if x.shape[-1] != width:
            raise ValueError(f"{name} has width {x.shape[-1]}; wanted {width}")
    n, m = queries.shape[-2], keys.shape[-2]
    if values.shape[-2] != m:
        raise ValueError(f"values has {values.shape[-2]} rows; wanted {m}, one per key")
    q, k, v = (x.shape[:-2] for _, x in given)
    try:
        batch = q if q == k else torch.broadcast_shapes(q, k)
        if v != batch:
            torch.broadcast_shapes(batch, v)
    except RuntimeError:
        shapes = ", ".join(f"{name} {tuple(x.shape)}" for name, x in given)
        raise ValueError(f"the leading axes do not broadcast: {shapes}") from None
    if mask is not None:
        per_head = (heads,) if heads and getattr(mask, "ndim", 0) > 3 else ()
        mask_for(mask, (*batch, *per_head, n, m), least=2)


def mixed(x, dtype):
    """Whether autocast takes x for a tensor of that dtype; it leaves float64 as it is."""
    enabled = torch.is_autocast_enabled(x.device.type)
    return enabled and torch.float64 not in (x.dtype, dtype)


def heads(d_model, num_heads):
    """For `MultiHeadAttention`: sizes, the second a divisor of the first."""
    sizes(d_model=d_model, num_heads=num_heads)
    if d_model % num_heads:
        raise ValueError(
            f"num_heads is {num_heads}; wanted a divisor of d_model, which is {d_model}"
        )


def multi_head(layer, queries, keys, values, mask=None, cache=None):
    """For `MultiHeadAttention`: three axes, a mask also for each head, and a cache.

    The cache holds keys and values (B, H, M, d) of earlier calls under the layer, or nothing yet; a
    mask is then for all, old and new. Keys and values are None if there is nothing new.
    """
    maps = layer.W_q, layer.W_k, layer.W_v
    if cache is None:
        return attention(queries, keys, values, mask, maps, layer.num_heads)
    if not isinstance(cache, dict):
        raise TypeError(f"cache is {type(cache).__name__}; wanted a dict, or None")
    kept = cache.get(layer)
    given = {"queries": queries, "keys": keys, "values": values}
    if keys is None and values is None:
        if kept is None:
            raise ValueError("keys is None; wanted (B, m, D), as nothing is kept yet")
        given = {"queries": queries}
    made_of = [given.get(name, queries) for name in ("queries", "keys", "values")]
    attention(*made_of, None, maps, layer.num_heads)
    B, like = (len(queries), "queries") if kept is None else (len(kept[0]), "the cache")
    for name, x in given.items():
        if len(x) != B:
            raise ValueError(f"{name} has {len(x)} sequences; wanted {B}, as {like}")
    if mask is not None:
        M = (0 if kept is None else kept[0].shape[2]) + (0 if keys is None else keys.shape[1])
        per_head = (layer.num_heads,) if getattr(mask, "ndim", 0) > 3 else ()
        mask_for(mask, (B, *per_head, queries.shape[1], M), least=2)


# ---------------------------------------------------------------- positions, models


def positions(x, offset, codes):
    """For `PositionalEncoding`: x (..., n, D) at the positions from offset on that codes has."""
    max_len, D = codes.shape
    floats("x", x)
    if x.dim() < 2 or x.shape[-1] != D:
        raise ValueError(f"x has shape {tuple(x.shape)}; wanted (..., n, {D})")
    (offset,) = counts(offset=offset)
    end = offset + x.shape[-2]
    if end > max_len:
        raise ValueError(
            f"x ends at position {end - 1}; wanted {max_len - 1} or less, or an encoding with "
            f"max_len={end} or more"
        )


def tokens(name, tokens, vocabulary):
    """Tokens (B, n), integers from 0 to vocabulary - 1."""
    tensor(name, tokens, TOKENS.__contains__, "a tensor of torch.int64")
    if tokens.dim() != 2:
        raise ValueError(f"{name} has shape {tuple(tokens.shape)}; wanted 2 axes")
    outside = tokens[(tokens < 0) | (tokens >= vocabulary)]
    if outside.numel() > 0:
        raise ValueError(f"{name} holds {outside[0]}; wanted 0 to {vocabulary - 1}")


def model(src_vocab, tgt_vocab, d_model, num_layers, pad):
    """For `Transformer`: sizes, and for padding a token of both vocabularies."""
    given = sizes(src_vocab=src_vocab, tgt_vocab=tgt_vocab, d_model=d_model, num_layers=num_layers)
    last = min(given[:2]) - 1
    integer("pad", pad, f"a token of both, 0 to {last}", 0, last)


def decoding(model, tgt, memory, src):
    """For `Transformer.decode`: tokens tgt (B, n), src (B, m), and the memory (B, m, D) of src."""
    tokens("src", src, model.source.num_embeddings)
    tokens("tgt", tgt, model.target.num_embeddings)
    if len(tgt) != len(src):
        raise ValueError(f"tgt has {len(tgt)} sequences; wanted {len(src)}, as src")
    floats("memory", memory)
    wanted = (*src.shape, model.source.embedding_dim)
    if tuple(memory.shape) != wanted:
        raise ValueError(f"memory has shape {tuple(memory.shape)}; wanted {wanted}, as src")


# ---------------------------------------------------------------- translation


def vocabulary(words, sentences):
    """For `to_tokens`: sentences of the words of a list. Returns the position of each word."""
    if len(sentences) == 0:
        raise ValueError("sentences is empty; wanted one or more")
    token_of = {word: token for token, word in enumerate(words)}
    for sentence in sentences:
        for word in sentence:
            if word not in token_of:
                raise ValueError(f"sentences holds {word!r}; wanted words of the vocabulary")
    return token_of


def schedule(steps, stop, warm_up):
    """For `train_translator`: a warm-up that ends before the steps do. Returns where to stop."""
    (steps,), (warm_up,) = sizes(steps=steps), counts(warm_up=warm_up)
    if warm_up > steps:
        raise ValueError(f"warm_up is {warm_up}; wanted at most steps, which is {steps}")
    return steps if stop is None else integer("stop", stop, f"1 to steps, {steps}", 1, steps)


def searching(model, **given):
    """For `greedy` and `beam_search`: a model that has no dropout now, and sizes, returned."""
    if model.training:
        raise ValueError("model is in training mode; wanted model.eval() before")
    return sizes(**given)


# ---------------------------------------------------------------- a language model


def text(text, context):
    """For `train_language_model`: tokens (N,), one or more behind the inputs of a window."""
    (context,) = sizes(context=context)
    tensor("text", text, TOKENS.__contains__, "a tensor of torch.int64")
    if text.dim() != 1 or len(text) <= context:
        raise ValueError(
            f"text has shape {tuple(text.shape)}; wanted (N,), N more than context, {context}"
        )


def generating(model, text, length, temperature, k, p, context):
    """For `generate`: a model without dropout now, tokens to begin with, and what to draw from.

    Returns the context.
    """
    (context,) = searching(model, context=context)
    counts(length=length)
    if context % 2:
        raise ValueError(f"context is {context}; wanted an even number")
    tokens("tokens", text, model.embedding.num_embeddings)
    if text.shape[1] == 0:
        raise ValueError("tokens has no column; wanted at least one token to begin with")
    wanted = "more than 0, or k=1 for greedy"
    number("temperature", temperature, lambda value: value > 0, wanted)
    if k is not None:
        most = model.embedding.num_embeddings
        integer("k", k, f"1 to {most}, the number of tokens, or None", 1, most)
    if p is not None:
        number("p", p, lambda value: 0 < value <= 1, "more than 0 and at most 1, or None")
    return context
