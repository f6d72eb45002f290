"""What the course's functions and classes check first: one line at the beginning of each.

Checked is what torch would get silently wrong, such as a mask of numbers or a length beyond the
keys. Where torch stops by itself and says why, it has the word. A check returns nothing. What
doesn't fit raises an error whose one line names the argument, says what it is, and what is wanted:
a `TypeError` for what is no tensor, or no integer, at all, and a `ValueError` for the rest.
"""

import numbers
import operator

import torch

INTEGERS = {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
TOKENS = {torch.int64}  # an embedding would take torch.int32, too; cross_entropy does not


# ---------------------------------------------------------------- one argument


def tensor(name, x, dtypes, wanted):
    """A tensor of one of these dtypes."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} is {type(x).__name__}; wanted {wanted}")
    if x.dtype not in dtypes:
        raise ValueError(f"{name} is {x.dtype}; wanted {wanted}")


def within(name, x, least, most, wanted):
    """A tensor of integers, none of them outside. A GPU has to wait for this one."""
    x = x.long()  # 8 bits could not be compared with m = 1000
    outside = x[(x < least) | (x > most)]
    if outside.numel() > 0:
        raise ValueError(f"{name} holds {outside[0]}; wanted {wanted}")


def whole_number(name, value, least, most):
    """An integer of Python or numpy; neither True nor a tensor is one. Returned as Python's."""
    wanted = f"a whole number from {least} to {most}"
    try:
        number = None if isinstance(value, (bool, torch.Tensor)) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        short = isinstance(value, (numbers.Number, str, type(None)))
        raise TypeError(f"{name} is {value if short else type(value).__name__!r}; wanted {wanted}")
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}; wanted {wanted}")
    return number


# ---------------------------------------------------------------- masks and attention


def lengths(valid_lens, m):
    """For `length_mask`: integers from 0 to m, of shape (B,) or (B, n)."""
    tensor("valid_lens", valid_lens, INTEGERS, "a tensor of integers")
    if valid_lens.dim() not in (1, 2):
        raise ValueError(
            f"valid_lens has shape {tuple(valid_lens.shape)}; wanted "
            "(B,), a length per sequence, or (B, n), a length per query"
        )
    within("valid_lens", valid_lens, 0, m, f"0 to m = {m}")


def mask(mask, shape, least=0):
    """None, or booleans of `least` axes or more that broadcast to `shape`, that of the scores."""
    if mask is None:
        return
    tensor("mask", mask, {torch.bool}, "torch.bool, True = may attend")
    sizes = tuple(mask.shape)
    fits = len(sizes) <= len(shape)
    for size, wanted in zip(reversed(sizes), reversed(shape)):
        fits = fits and size in (1, wanted)
    if not fits:
        raise ValueError(
            f"mask has shape {sizes}; wanted one that broadcasts to the shape of the scores, "
            f"{tuple(shape)}"
        )
    if len(sizes) < least:
        raise ValueError(
            f"mask has shape {sizes}; wanted {least} axes or more, the last two for queries and keys"
        )


def rows(keys, values):
    """A value for each key. PyTorch's fused attention doesn't compare the two."""
    if values.shape[-2] != keys.shape[-2]:
        raise ValueError(
            f"values has {values.shape[-2]} rows; wanted {keys.shape[-2]}, one per key"
        )


def attention(queries, keys, values, mask_=None):
    """For one attention: two axes or more, a value per key, a mask that broadcasts to (..., n, m)."""
    for name, x in (("queries", queries), ("keys", keys), ("values", values)):
        if x.dim() < 2:
            raise ValueError(f"{name} has shape {tuple(x.shape)}; wanted 2 axes or more")
    rows(keys, values)
    batch = torch.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
    mask(mask_, (*batch, queries.shape[-2], keys.shape[-2]), least=2)


def heads(d_model, num_heads):
    """For `MultiHeadAttention`: a number of heads that divides the width."""
    if num_heads < 1 or d_model % num_heads:
        raise ValueError(
            f"num_heads is {num_heads}; wanted a divisor of d_model, which is {d_model}"
        )


def groups(d_model, num_heads, num_groups):
    """For `GroupedQueryAttention`: groups of equally many heads, whose width is even, for `rotate`."""
    heads(d_model, num_heads)
    if num_groups < 1 or num_heads % num_groups:
        raise ValueError(
            f"num_groups is {num_groups}; wanted a divisor of num_heads, which is {num_heads}"
        )
    if d_model // num_heads % 2:
        raise ValueError(
            f"num_heads is {num_heads}; wanted heads of an even width, and d_model is {d_model}"
        )


def multi_head(layer, queries, keys, values, mask_=None, cache=None):
    """For attention with heads: three axes, a cache of this batch, a mask for old and new keys.

    Before anything is appended to the cache, so that a call that fails leaves it as it was.
    """
    for name, x in (("queries", queries), ("keys", keys), ("values", values)):
        if x.dim() != 3:
            raise ValueError(f"{name} has shape {tuple(x.shape)}; wanted 3 axes")
    rows(keys, values)
    (B,) = torch.broadcast_shapes(queries.shape[:1], keys.shape[:1])
    m = keys.shape[1]
    if cache is not None and layer in cache.kept:
        kept, _ = cache.kept[layer]  # (B, H, m, d)
        if len(keys) != len(kept):
            raise ValueError(f"keys has {len(keys)} sequences; wanted {len(kept)}, as the cache")
        m = m + kept.shape[2]
    of_heads = (layer.num_heads,) if getattr(mask_, "ndim", 0) == 4 else ()
    mask(mask_, (B, *of_heads, queries.shape[1], m), least=2)


# ---------------------------------------------------------------- positions, models


def positions(x, offset, codes):
    """For `PositionalEncoding`: x (..., n, D) at the positions from offset on that codes has."""
    max_len, D = codes.shape
    if not x.is_floating_point():
        raise ValueError(f"x is {x.dtype}; wanted a tensor of floats")
    if x.dim() < 2 or x.shape[-1] != D:
        raise ValueError(f"x has shape {tuple(x.shape)}; wanted (..., n, {D})")
    if offset < 0:
        raise ValueError(f"offset is {offset}; wanted 0 or more")
    end = offset + x.shape[-2]
    if end > max_len:
        raise ValueError(
            f"x ends at position {end - 1}; wanted {max_len - 1} or less, or an encoding with "
            f"max_len={end} or more"
        )


def tokens(name, tokens, vocabulary):
    """Tokens (B, n), integers from 0 to vocabulary - 1."""
    tensor(name, tokens, TOKENS, "a tensor of torch.int64")
    if tokens.dim() != 2:
        raise ValueError(f"{name} has shape {tuple(tokens.shape)}; wanted 2 axes")
    within(name, tokens, 0, vocabulary - 1, f"0 to {vocabulary - 1}")


def schedule(steps, stop, warm_up):
    """For a training: the warm-up and the stop are not beyond the last step."""
    for name, value in (("warm_up", warm_up), ("stop", stop)):
        if value is not None and not 0 <= value <= steps:
            raise ValueError(f"{name} is {value}; wanted at most steps, which is {steps}")


def evaluating(model):
    """For all that writes with a model: its dropout is off."""
    if model.training:
        raise ValueError("model is in training mode; wanted model.eval() before")


def text(text, context):
    """For `train_language_model`: tokens (N,), one or more behind the inputs of a window."""
    tensor("text", text, TOKENS, "a tensor of torch.int64")
    if text.dim() != 1 or len(text) <= context:
        raise ValueError(
            f"text has shape {tuple(text.shape)}; wanted (N,), N more than context, {context}"
        )


def generating(model, tokens_, temperature, p, context):
    """For `generate`: no dropout, tokens to begin with, and numbers that make sense."""
    evaluating(model)
    tokens("tokens", tokens_, model.embedding.num_embeddings)
    if context < 2:
        raise ValueError(f"context is {context}; wanted 2 or more")
    if not temperature > 0:
        raise ValueError(f"temperature is {temperature}; wanted more than 0, or k=1 for greedy")
    if p is not None and not 0 < p <= 1:
        raise ValueError(f"p is {p}; wanted more than 0 and at most 1, or None")


def llama_file(facts, tensors):
    """A file whose model and tokenizer are those of the real model, with nothing missing and nothing more."""
    split = facts["tokenizer.ggml.pre"]
    if split != "smollm":
        raise ValueError(f"tokenizer.ggml.pre is {split!r}; wanted 'smollm'")
    parts = "attn_norm attn_q attn_k attn_v attn_output ffn_norm ffn_gate ffn_up ffn_down".split()
    wanted = {"token_embd.weight", "output_norm.weight"} | {
        f"blk.{i}.{part}.weight" for i in range(facts["llama.block_count"]) for part in parts
    }
    if odd := sorted(wanted ^ set(tensors)):
        fault = "is missing" if odd[0] in wanted else "has no place in this model"
        raise ValueError(f"tensor {odd[0]!r} of the file {fault}")


def turns(turns):
    """For `chat`: texts, the first and the last of which are the user's."""
    if isinstance(turns, str) or not len(turns) % 2:
        raise ValueError(
            f"turns is {turns!r}; wanted a list of texts, the user's first and last: [question]"
        )
