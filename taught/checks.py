"""What the course's functions and classes check first: one line at the beginning of each.

Checked is what torch would get silently wrong, such as a mask of numbers or a length beyond the
keys. Where torch stops by itself and says why, it has the word. A check returns nothing. What
doesn't fit raises an error whose one line names the argument, says what it is, and what is wanted:
a `TypeError` for what is no tensor, or no integer, at all, and a `ValueError` for the rest.
"""

import copy
import functools
import math
import numbers
import operator
import sys

import torch

INTEGERS = {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
FLOATS = {torch.float16, torch.bfloat16, torch.float32, torch.float64}
TOKENS = {torch.int64}  # an embedding would take torch.int32, too; cross_entropy does not


# ---------------------------------------------------------------- one argument


def tensor(name, x, dtypes, wanted):
    """A tensor of one of these dtypes."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} is {type(x).__name__}; wanted {wanted}")
    if x.dtype not in dtypes:
        raise ValueError(f"{name} is {x.dtype}; wanted {wanted}")


def within(name, x, least, most, wanted):
    """A tensor of integers, none of them outside. A GPU has to wait for this one, and a graph can't."""
    if torch.compiler.is_compiling():
        return
    x = x.long()  # 8 bits could not be compared with m = 1000
    outside = x[(x < least) | (x > most)]
    if outside.numel() > 0:
        raise ValueError(f"{name} holds {outside[0]}; wanted {wanted}")


def whole_number(name, value, least, most=math.inf, more=""):
    """An integer of Python or numpy; neither True nor a tensor is one. Returned as Python's."""
    of = f", {least} or more" if most == math.inf else f" from {least} to {most}"
    domain = f"a whole number{of}{more}"
    try:
        number = None if isinstance(value, (bool, torch.Tensor)) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        short = isinstance(value, (numbers.Number, str, type(None)))
        raise TypeError(f"{name} is {value if short else type(value).__name__!r}; wanted {domain}")
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}; wanted {domain}")
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
    for size, expected in zip(reversed(sizes), reversed(shape)):
        fits = fits and size in (1, expected)
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
    count, expected = (x.shape[-2:][0] for x in (values, keys))
    if count != expected:
        raise ValueError(f"values has {count} rows; wanted {expected}, one per key")


def width(name, x, wanted, why):
    """So many columns. PyTorch's error about a matrix product would name neither factor."""
    if x.shape[-1] != wanted:
        raise ValueError(f"{name} has width {x.shape[-1]}; wanted {wanted}, {why}")


def batches(queries, keys, values):
    """Batch axes that broadcast. Returns those of the scores."""
    batch, of = queries.shape[:-2], "queries"
    for name, x in (("keys", keys), ("values", values)):
        for size, expected in zip(reversed(x.shape[:-2]), reversed(batch)):
            if size != expected and 1 not in (size, expected):
                raise ValueError(
                    f"{name} has batch axes {tuple(x.shape[:-2])}; wanted some that broadcast "
                    f"with {tuple(batch)}, those of {of}"
                )
        if name == "keys":
            batch, of = torch.broadcast_shapes(batch, keys.shape[:-2]), "the scores"
    return batch


def pooling(queries, keys, values, mask_=None):
    """For one attention: two axes or more, a value per key, a mask that broadcasts to (..., n, m)."""
    for name, x in (("queries", queries), ("keys", keys), ("values", values)):
        tensor(name, x, FLOATS, "a tensor of floats")
        if x.dim() < 2:
            raise ValueError(f"{name} has shape {tuple(x.shape)}; wanted 2 axes or more")
    rows(keys, values)
    batch = batches(queries, keys, values)
    mask(mask_, (*batch, queries.shape[-2], keys.shape[-2]), least=2)


def attention(queries, keys, values, mask_=None):
    """For an attention whose score is a dot product: one width of queries and keys, and one dtype."""
    pooling(queries, keys, values, mask_)
    width("keys", keys, queries.shape[-1], "the width of queries")
    for name, x in (("keys", keys), ("values", values)):
        if x.dtype != queries.dtype:
            raise ValueError(f"{name} is {x.dtype}; wanted {queries.dtype}, as queries")


def recurrence(queries, keys, values, rates=None):
    """For a memory that reads a whole text: a query, and a rate if it has rates, for each key."""
    attention(queries, keys, values)
    if queries.shape != keys.shape:
        raise ValueError(
            f"queries has shape {tuple(queries.shape)}; keys has {tuple(keys.shape)}; wanted one "
            "shape, those of the whole text: no state of an earlier call is kept"
        )
    if rates is None:
        return
    if not isinstance(rates, torch.Tensor):
        raise TypeError(f"rates is {type(rates).__name__}; wanted a tensor, a rate per key")
    if rates.shape != keys.shape[:-1]:
        raise ValueError(
            f"rates has shape {tuple(rates.shape)}; keys has {tuple(keys.shape)}; wanted "
            f"{tuple(keys.shape[:-1])}, a rate per key"
        )


def window(window, first):
    """For a window with its first tokens: there is room for one more, the query's own."""
    whole_number("window", window, 1)
    whole_number("first", first, 0, window - 1)


def additive(layer, queries, keys, values, mask_=None):
    """For `AdditiveAttention`: queries and keys of the widths that it was made for."""
    pooling(queries, keys, values, mask_)
    width("queries", queries, layer.W_q.in_features, "which is query_size")
    width("keys", keys, layer.W_k.in_features, "which is key_size")


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
    """For attention with heads: (B, n, D), a cache of this batch, a mask for old and new keys."""
    for name, x in (("queries", queries), ("keys", keys), ("values", values)):
        if x.dim() != 3:
            raise ValueError(f"{name} has shape {tuple(x.shape)}; wanted 3 axes")
        width(name, x, layer.d_model, "which is d_model")
    rows(keys, values)
    (B,) = batches(queries, keys, values)
    continued("keys", keys, layer, cache)
    mask_of_heads(mask_, B, layer.num_heads, queries.shape[1], keys.shape[1], layer, cache)


def grouped(layer, x, mask_=None, cache=None):
    """For `GroupedQueryAttention`: the same, where queries, keys and values are of one x."""
    hidden("x", x, layer.d_model)
    B, n, D = x.shape
    continued("x", x, layer, cache)
    mask_of_heads(mask_, B, D // layer.d, n, n, layer, cache)


def mask_of_heads(mask_, B, H, n, m, layer, cache):
    """A mask (n, m), (B, n, m) or (B, H, n, m), where m counts the keys in the cache, too."""
    if cache is not None and layer in cache.kept:
        before = held_by(cache, layer)
        if before is None:
            return  # the attention sees what the cache returns
        m = m + before
    of_heads = (H,) if getattr(mask_, "ndim", 0) == 4 else ()
    mask(mask_, (B, *of_heads, n, m), least=2)


# ---------------------------------------------------------------- caches


def all_or_nothing(forward):
    """A call that fails, or is stopped, leaves its cache as it was, in all layers."""

    @functools.wraps(forward)
    def call(model, *inputs, **named):
        caches = [argument for argument in (*inputs, *named.values()) if hasattr(argument, "kept")]
        if not caches or torch.compiler.is_compiling():
            return forward(model, *inputs, **named)
        (cache,) = caches
        before = {name: copy.copy(value) for name, value in vars(cache).items()}
        try:
            return forward(model, *inputs, **named)
        except BaseException:  # also the one by which a reader stops a cell
            vars(cache).update(before)
            raise

    return call


def appended(name, old, new):
    """For `Cache.update`: new keys or values (B, H, n, d) that continue the old ones."""
    shape = (*old.shape[:2], new.shape[2], old.shape[3])
    if new.shape != shape or new.dtype != old.dtype:
        raise ValueError(
            f"{name} has shape {tuple(new.shape)} and is {new.dtype}; wanted {shape} and "
            f"{old.dtype}, as in the cache"
        )


def held_by(cache, layer):
    """The number of keys that a cache holds of a layer; None if it keeps them in its own way."""
    entry = cache.kept[layer]
    return entry[0].shape[2] if isinstance(entry, tuple) else None


def continued(name, x, layer, cache):
    """As many texts as the cache of this layer has."""
    entry = None if cache is None else cache.kept.get(layer)
    if isinstance(entry, tuple) and len(x) != len(entry[0]):
        raise ValueError(f"{name} has {len(x)} sequences; wanted {len(entry[0])}, as the cache")


# ---------------------------------------------------------------- positions, models


def positions(x, offset, codes):
    """For `PositionalEncoding`: x (..., n, D) at the positions from offset on that codes has."""
    max_len, D = codes.shape
    if not x.is_floating_point():
        raise ValueError(f"x is {x.dtype}; wanted a tensor of floats")
    if x.dim() < 2 or x.shape[-1] != D:
        raise ValueError(f"x has shape {tuple(x.shape)}; wanted (..., n, {D})")
    if getattr(offset, "shape", ()):
        raise ValueError(f"offset has shape {tuple(offset.shape)}; wanted one number for all texts")
    if offset < 0:
        raise ValueError(f"offset is {offset}; wanted 0 or more")
    end = offset + x.shape[-2]
    if end > max_len:
        raise ValueError(
            f"x ends at position {end - 1}; wanted {max_len - 1} or less: a shorter text, or "
            f"PositionalEncoding({D}, max_len={end}) as the model's positions"
        )


def turning(x, offset=0):
    """For `rotate`: floats (..., n, d) that form pairs of columns, and an offset for each text."""
    if not x.is_floating_point():
        raise ValueError(f"x is {x.dtype}; wanted a tensor of floats")
    if x.dim() < 2 or x.shape[-1] % 2:
        raise ValueError(f"x has shape {tuple(x.shape)}; wanted (..., n, d), d even")
    sizes, expected = tuple(getattr(offset, "shape", ())), (*x.shape[:-2], 1)
    fits = len(sizes) == len(expected) and all(a in (1, b) for a, b in zip(sizes, expected))
    if sizes and not fits:
        raise ValueError(
            f"offset has shape {sizes}; wanted {expected}, or 1 for any of these numbers"
        )


def tokens(name, tokens, vocabulary=None):
    """Tokens (B, n), integers from 0 to vocabulary - 1."""
    tensor(name, tokens, TOKENS, "a tensor of torch.int64")
    if tokens.dim() != 2:
        raise ValueError(f"{name} has shape {tuple(tokens.shape)}; wanted 2 axes")
    if vocabulary is not None:
        within(name, tokens, 0, vocabulary - 1, f"0 to {vocabulary - 1}")


def reading(tokens_, embedding, cache=None, blocks=()):
    """For a model: tokens (B, n), and a cache that is new or has been filled by these blocks.

    The value of a single new token isn't looked at on a GPU, which would wait for that.
    """
    waits = cache and tokens_.is_cuda and tokens_.shape[1] == 1
    tokens("tokens", tokens_, None if waits else embedding.num_embeddings)
    if cache is None:
        return
    layers = [block.attention for block in blocks]
    if len(set(layers)) < len(layers):
        raise ValueError(
            "cache is Cache; wanted None, because two blocks share an attention, and a cache can't "
            "tell their keys apart"
        )
    if not cache.kept:
        return
    if not set(layers) <= set(cache.kept):
        owner = "not all layers" if set(layers) & set(cache.kept) else "another model"
        raise ValueError(f"cache holds the keys of {owner}; wanted Cache()")
    held = {held_by(cache, layer) for layer in layers}
    if len(held) > 1:
        raise ValueError(
            f"cache holds {max(held)} tokens in one layer and {min(held)} in another, as where "
            "a pass was stopped; wanted Cache()"
        )
    continued("tokens", tokens_, layers[0], cache)


def decoding(model, tgt, memory, src):
    """For `Transformer.decode`: tokens that fit the memory and its source."""
    tokens("tgt", tgt, model.target.num_embeddings)
    tokens("src", src)
    hidden("memory", memory, model.target.embedding_dim)
    if src.shape[1] != memory.shape[1]:
        raise ValueError(f"src has {src.shape[1]} tokens; wanted {memory.shape[1]}, as memory")
    for name, x in (("memory", memory), ("src", src)):
        if len(x) != len(tgt) and 1 not in (len(x), len(tgt)):
            raise ValueError(f"{name} has {len(x)} sequences; wanted {len(tgt)}, as tgt")


def hidden(name, x, d_model):
    """For a layer: (B, n, D)."""
    if x.dim() != 3 or x.shape[-1] != d_model:
        raise ValueError(f"{name} has shape {tuple(x.shape)}; wanted (B, n, {d_model})")


def schedule(steps, stop, warm_up):
    """For a training: whole steps, of which the warm-up and the stop are not beyond the last."""
    whole_number("steps", steps, 0)
    for name, value in (("warm_up", warm_up), ("stop", stop)):
        if value is not None and not 0 <= value <= steps:
            raise ValueError(f"{name} is {value}; wanted at most steps, which is {steps}")
        if value is not None:
            whole_number(name, value, 0)


def hooking():
    """For `attention_maps`: what was compiled before has no hooks, so it is compiled again."""
    if "torch._dynamo" in sys.modules:
        torch.compiler.reset()


def evaluating(model):
    """For all that writes with a model: its dropout is off."""
    if model.training:
        raise ValueError("model is in training mode; wanted model.eval() before")


def translating(model, bos, max_len, width=1):
    """For `greedy` and `beam_search`: no dropout, a token to begin with, and numbers that make sense."""
    evaluating(model)
    whole_number("bos", bos, 0, model.target.num_embeddings - 1)
    whole_number("max_len", max_len, 0)
    whole_number("width", width, 1)


def training(model, text_, steps, context, batch):
    """For `train_language_model`: before it is in training mode, in which an error would leave it."""
    whole_number("steps", steps, 0)
    whole_number("context", context, 1, positions_of(model))
    whole_number("batch", batch, 1)
    text(text_, context)


def text(text, context):
    """Tokens (N,), one or more behind the inputs of a window."""
    tensor("text", text, TOKENS, "a tensor of torch.int64")
    if text.dim() != 1 or len(text) <= context:
        raise ValueError(
            f"text has shape {tuple(text.shape)}; wanted (N,), N more than context, {context}"
        )


def measuring(model, text, context):
    """For `bits_of`: no dropout, and tokens (N,), one or more."""
    if hasattr(model, "training"):  # it may be a function
        evaluating(model)
    tensor("text", text, TOKENS, "a tensor of torch.int64")
    if text.dim() != 1 or len(text) == 0:
        raise ValueError(f"text has shape {tuple(text.shape)}; wanted (N,), N 1 or more")
    whole_number("context", context, 2)


def share(name, value, more=""):
    """A probability above 0."""
    if not 0 < value <= 1:
        raise ValueError(f"{name} is {value}; wanted more than 0 and at most 1{more}")


def nucleus(logits, p):
    """For `keep_nucleus`: a probability, and rows with a softmax."""
    share("p", p)
    if torch.compiler.is_compiling():
        return
    for content, fault in (
        (logits.isnan().any(), "nan"),
        (logits.isposinf().any(), "inf"),
        (logits.isneginf().all(dim=-1).any(), "nothing but -inf"),
    ):
        if content:
            raise ValueError(
                f"logits has a row without probabilities, since it holds {fault}; wanted numbers"
            )


def generating(model, tokens_, length, temperature, k, p, context):
    """For `generate`: no dropout, a token or more to begin with, and numbers that make sense."""
    evaluating(model)
    V = model.embedding.num_embeddings
    tokens("tokens", tokens_, V)
    if tokens_.shape[1] == 0:
        raise ValueError(f"tokens has shape {tuple(tokens_.shape)}; wanted (B, n), n 1 or more")
    whole_number("length", length, 0)
    whole_number("context", context, 2, positions_of(model))
    if not temperature > 0:
        raise ValueError(f"temperature is {temperature}; wanted more than 0, or k=1 for greedy")
    if k is not None:
        whole_number("k", k, 1, V, ", or None")
    if p is not None:
        share("p", p, ", or None")


def positions_of(model):
    """How many tokens it can read: without a table of positions, any number."""
    codes = getattr(getattr(model, "positions", None), "codes", None)
    return math.inf if codes is None else len(codes)


# ---------------------------------------------------------------- pictures


def patches(images, size):
    """For `to_patches`: pictures that patches of this size fill."""
    whole_number("size", size, 1)
    if not isinstance(images, torch.Tensor):
        raise TypeError(f"images is {type(images).__name__}; wanted a tensor")
    shape = tuple(images.shape)
    if len(shape) != 4:
        raise ValueError(f"images has shape {shape}; wanted (B, C, height, width)")
    if shape[2] % size or shape[3] % size:
        raise ValueError(
            f"images has shape {shape}; wanted a height and a width that patches of {size} fill"
        )


# ---------------------------------------------------------------- the real model


SIZES = ("vocab_size", "embedding_length", "feed_forward_length", "block_count")
SIZES = [f"llama.{name}" for name in (*SIZES, "attention.head_count", "attention.head_count_kv")]
NUMBERS = ["llama.rope.freq_base", "llama.attention.layer_norm_rms_epsilon"]
LISTS = [f"tokenizer.ggml.{name}" for name in ("tokens", "token_type", "merges")]
UNUSED = ("llama.context_length", "tokenizer.ggml.scores")
WITHOUT = "a file without it, because the course's Llama has no such part"


def llama_file(facts, tensors):
    """For `load`: all that the file says of its model is known here, and no tensor is left over.

    What isn't known would be ignored in silence: a window, scaled positions, biases, experts.
    """

    def check(name, holds, wanted):
        if not holds:
            value = repr(facts.get(name))
            value = value if len(value) < 80 else value[:80] + "..."
            raise ValueError(f"{name} of the file is {value}; wanted {wanted}")

    architecture = facts.get("general.architecture", "llama")
    check("general.architecture", architecture == "llama", "'llama'")
    for name in SIZES + NUMBERS:
        value, kinds = facts.get(name), (int,) if name in SIZES else (int, float)
        number = "a whole number" if name in SIZES else "a number"
        check(name, type(value) in kinds and 0 < value < math.inf, f"{number} above 0")
    V, D, F, layers, H, G = (facts[name] for name in SIZES)
    groups(D, H, G)
    d = D // H
    split = "tokenizer.ggml.pre"  # its texts are split as `Tokenizer` splits them
    check(split, facts.get(split) == "smollm", "'smollm'")
    for name in LISTS:
        many = "" if name.endswith("merges") else f" of {V}, which is {SIZES[0]}"
        value = facts.get(name)
        check(name, isinstance(value, list) and (not many or len(value) == V), f"a list{many}")
    same = {f"llama.attention.{name}_length": d for name in ("key", "value")}
    same |= {
        f"tokenizer.ggml.add_{name}": False for name in ("bos_token", "eos_token", "space_prefix")
    }
    same |= {"llama.rope.dimension_count": d, "llama.rope.scaling.type": "none",
             "llama.rope.scaling.factor": 1, "llama.attention.sliding_window": 0,
             "llama.attention.causal": True, "llama.expert_count": 0,
             "llama.expert_used_count": 0, "tokenizer.ggml.model": "gpt2"}  # fmt: skip
    read = {*SIZES, *NUMBERS, *LISTS, *UNUSED, split}
    for name, value in facts.items():
        if name in same:
            check(name, value == same[name], repr(same[name]))
        elif name.startswith(("llama.", "tokenizer.ggml.")):
            check(name, name in read or name.endswith("_token_id"), WITHOUT)
    shapes = {"token_embd.weight": (V, D), "output_norm.weight": (D,)}
    parts = {"attn_norm": (D,), "attn_q": (D, D), "attn_k": (G * d, D), "attn_v": (G * d, D),
             "attn_output": (D, D), "ffn_norm": (D,), "ffn_up": (F, D), "ffn_gate": (F, D),
             "ffn_down": (D, F)}  # fmt: skip
    for i in range(layers):
        shapes |= {f"blk.{i}.{part}.weight": shape for part, shape in parts.items()}
    for name in sorted({*shapes, *tensors}):
        actual = tensors[name].shape if name in tensors else "not there"
        if actual != shapes.get(name):
            raise ValueError(f"{name} of the file is {actual}; wanted {shapes.get(name, WITHOUT)}")


def with_blocks(model):
    """For `run_blocks`: a model of blocks, behind which there is a norm."""
    for part in ("blocks", "norm"):
        if not hasattr(model, part):
            raise ValueError(
                f"model is {type(model).__name__}, which has no {part}; wanted a language model with "
                "blocks and norm, such as Llama"
            )


def map_of_each_block(maps, blocks):
    """For `weights_in`: what `attention_maps` has found in one pass, a map for each block."""
    count = sum(map(len, maps.values()))
    if not len(maps) == count == len(blocks):
        raise ValueError(
            f"model has {len(blocks)} blocks, and {count} maps of DotProductAttention were found in "
            f"{len(maps)} layers; wanted a layer with one in each block"
        )


def predicted(tokens_, skip):
    """For `train_tiny`: texts (B, n) in which some token behind the skipped ones is predicted."""
    tokens("what draw returns", tokens_)
    whole_number("skip", skip, 0, tokens_.shape[1] - 2, ", so that a token is left")


def choice(name, value, choices):
    """One of some names."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; wanted one of {', '.join(map(repr, choices))}")


def repair(kind, kinds, n, d):
    """For `Repaired`: a kind that there is, a number of keys, and a width that it can split."""
    choice("kind", kind, kinds)
    whole_number("n", n, 2 if kind == "log n" else 1)
    whole_number("d", d, 1)
    if "differential" in kind and d % 4:
        raise ValueError(
            f"d is {d}; wanted a multiple of 4, because {kind!r} has two halves of pairs"
        )


def per_head(name, s, shape):
    """For a number beside scores of this shape: (), (H,), or what broadcasts to (..., n, 1)."""
    sizes = tuple(s.shape)
    if len(sizes) == 1 < sizes[0]:
        sizes = (*sizes, 1, 1)
    fits = len(sizes) <= len(shape)
    for size, expected in zip(reversed(sizes), (1, *reversed(shape[:-1]))):
        fits = fits and size in (1, expected)
    if not fits:
        raise ValueError(
            f"{name} has shape {tuple(s.shape)}; wanted (), or (H,) for scores (..., H, n, m), which have "
            f"shape {tuple(shape)}"
        )


def asking(x, output):
    """For a gate: the tokens that ask, a row for each of the output's."""
    expected = f"the tokens that ask, (..., {output.shape[-2]}, D)"
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x is {type(x).__name__}; wanted {expected}")
    if x.dim() < 2 or x.shape[-2] != output.shape[-2]:
        raise ValueError(f"x has shape {tuple(x.shape)}; wanted {expected}")
