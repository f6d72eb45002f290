"""What the pages keep of blocks, model and maps, compared with torch's.

As in `test_attention.py`: a property is a function of the code under test, `course`, and of a
`Case`. Of a `kind` it is given a model, tokens, and a function that begins a text.
"""

import itertools
import math
from functools import partial

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.testing import assert_close

from tests.cases import (
    HALF,
    PROPERTIES,
    check_dropped,
    codes,
    hold,
    in_torchs_names,
    later,
    named,
    of,
    own,
    own_state,
    pieces,
    results_of,
    sizes,
    softmax_reference,
)
from tests.course import COURSE

# ---------------------------------------------------------------- models and sequences


def model_of(course, case, dropout=0.0):
    *dimensions, pad = sizes(case)
    return own(course.Transformer(*dimensions, dropout, pad), case)


def language_model_of(course, case, dropout=0.0, kind="CachedLanguageModel"):
    vocab, _, *dimensions, _ = sizes(case)
    return own(getattr(course, kind)(vocab, *dimensions, dropout), case)


def tokens(case, vocab, length, stream):
    """(B, length), and how many in each row are no padding, which stands at the end."""
    B, pad = (case.batch or (2,))[0], sizes(case).pad
    shapes = (B, length), (B, 1)
    ids, lengths = ((1000 * noise).long() for noise in case.randn(*shapes, stream=stream))
    ids = ids % (vocab - 1)
    lengths = 1 + lengths % length
    ids += ids >= pad
    return ids.where(torch.arange(length) < lengths, pad), lengths


def pair(case, some_empty=False):
    """Source (B, m) and target (B, n); with `some_empty` the first source is only padding."""
    src, _ = tokens(case, sizes(case).src_vocab, case.m, stream=3)
    tgt, _ = tokens(case, sizes(case).tgt_vocab, case.n, stream=4)
    if some_empty:
        src[0] = sizes(case).pad
    return src, tgt


def vectors(case, *lengths):
    """(B, length, D) for each length."""
    B, D = (case.batch or (2,))[0], sizes(case).d_model
    return case.randn(*((B, length, D) for length in lengths), stream=5)


def in_pieces(logits_of, tgt, cuts, cache=None):
    return torch.cat([logits_of(piece, cache=cache) for piece in tgt.tensor_split(cuts, 1)], dim=1)


# ---------------------------------------------------------------- what torch says


def torchs_layer(kind, case):
    options = dict(norm_first=True, batch_first=True, dtype=torch.float64)
    return kind(sizes(case).d_model, case.num_heads, case.h, 0.0, **options)


def torchs_model(case):
    """`nn.Transformer`, with norms at the ends of its stacks."""
    its, stacks = sizes(case), {}
    for name, stack, layer, options in (
        ("encoder", nn.TransformerEncoder, nn.TransformerEncoderLayer, [False]),
        ("decoder", nn.TransformerDecoder, nn.TransformerDecoderLayer, []),
    ):
        norm = nn.LayerNorm(its.d_model, dtype=torch.float64)
        stacks[f"custom_{name}"] = stack(torchs_layer(layer, case), its.num_layers, norm, *options)
    return nn.Transformer(its.d_model, its.num_heads, batch_first=True, **stacks)


def with_torchs(course, case):
    """The blocks, and torch's layers with the same parameters."""
    its = sizes(case).d_model, case.num_heads, case.h
    blocks = [course.EncoderBlock(*its), course.DecoderBlock(*its)]
    kinds = nn.TransformerEncoderLayer, nn.TransformerDecoderLayer
    layers = [torchs_layer(kind, case) for kind in kinds]
    for block, layer in zip(blocks, layers, strict=True):
        layer.load_state_dict(in_torchs_names(own_state(own(block, case), case)))
    return *blocks, *layers


@of("blocks")
def blocks_equal_torch(course, case):
    """Under any masks in which a query sees a key."""
    n, m, H = case.n, case.m, case.num_heads
    x, memory = vectors(case, n, m)
    noise = case.randn((len(x), n, n), (len(x), n, m), stream=1)
    self_mask, cross_mask = ((tensor > 0) | (torch.arange(tensor.shape[-1]) == 0) for tensor in noise)
    encoder, decoder, its_encoder, its_decoder = with_torchs(course, case)
    for name, allowed in (
        ("no masks", (None, None)),
        ("any masks", (self_mask, cross_mask)),
        ("a causal mask", (~later(n), cross_mask[:, :1])),
    ):
        masks = [mask if mask is None else ~mask.expand(len(x), n, -1) for mask in allowed]
        masks = [mask if mask is None else mask.repeat_interleave(H, 0) for mask in masks]
        expected = its_encoder(x, masks[0]), its_decoder(x, memory, *masks)
        for training in (True, False):
            before, where = x.clone(), f"with {name}, training {training}: "
            output = encoder.train(training)(x, allowed[0])
            assert_close(output, expected[0], msg=("EncoderBlock " + where + "{}").format)
            output = decoder.train(training)(x, memory, *allowed)
            assert_close(output, expected[1], msg=("DecoderBlock " + where + "{}").format)
            assert torch.equal(x, before), where


@of("blocks")
def model_equals_torch(course, case):
    """Embeddings, positions and the last map by hand; the rest is `nn.Transformer`."""
    (src, tgt), D = pair(case), sizes(case).d_model
    padding = src == sizes(case).pad
    model = model_of(course, case)
    state = own_state(model, case)
    x, y = (
        state[f"{name}.weight"][ids] + codes(0, ids.shape[1], D).float().double()
        for name, ids in (("source", src), ("target", tgt))
    )
    reference, inner = torchs_model(case), [name for name in state if "coder" in name]
    reference.load_state_dict(in_torchs_names({name: state[name] for name in inner}))
    result = reference(x, y, None, later(case.n), None, padding, None, padding)
    expected = result @ state["output.weight"].mT + state["output.bias"]
    for training in (True, False):
        assert_close(model.train(training)(src, tgt), expected)


@of("blocks")
def root_mean_square_norm_equals_torch(course, case):
    """A fresh one and one of any gamma, also where eps is as large as the squares.

    In 16 bits up to one rounding, also where the squares are too large for them, or too small.
    """
    (x,), D = vectors(case, case.n), sizes(case).d_model
    for options in ({}, {"eps": 0.1}):
        fresh, trained = course.RMSNorm(D, **options), own(course.RMSNorm(D, **options), case)
        eps = options.get("eps", 1e-6)
        for features in (x, x / 1000, x[0, 0]):
            assert_close(fresh(features), F.rms_norm(features, (D,), None, eps))
            assert_close(trained(features), F.rms_norm(features, (D,), trained.gamma, eps))
    for dtype, size in itertools.product(HALF, (1e-3, 1.0, 300.0, 10_000.0)):
        layer, features = own(course.RMSNorm(D), case).to(dtype), (size * x).to(dtype)
        actual, off = layer(features), torch.finfo(dtype).eps
        expected = F.rms_norm(features.double(), (D,), layer.gamma.double(), 1e-6)
        assert_close(actual.double(), expected, rtol=off, atol=1e-6)
        assert actual.dtype == layer.float()(features).dtype == dtype


# ---------------------------------------------------------------- both models


def translator(course, case, dropout=0.0):
    model, (src, tgt) = model_of(course, case, dropout), pair(case, case.kind == "empty rows")
    return model, tgt, lambda: partial(model.decode, memory=model.encode(src), src=src)


def tower(course, case, dropout=0.0, kind="LanguageModel"):
    model = language_model_of(course, case, dropout, kind)
    tgt, _ = tokens(case, sizes(case).src_vocab, case.n, stream=3)
    return model, tgt, lambda: model


writer = partial(tower, kind="CachedLanguageModel")


@of("blocks")
def a_tower_equals_torch(course, case):
    """Embeddings, positions and the last map by hand; the rest is `nn.TransformerEncoder`."""
    its = sizes(case)
    model, text, _ = tower(course, case)
    state = own_state(model, case)
    layer = torchs_layer(nn.TransformerEncoderLayer, case)
    norm = nn.LayerNorm(its.d_model, dtype=torch.float64)
    reference = nn.TransformerEncoder(layer, its.num_layers, norm, enable_nested_tensor=False)
    inner = {name: x for name, x in state.items() if name.startswith(("blocks", "norm"))}
    reference.load_state_dict(in_torchs_names(inner))
    x = state["embedding.weight"][text] + codes(0, case.n, its.d_model).float().double()
    expected = reference(x, later(case.n)) @ state["output.weight"].mT + state["output.bias"]
    for training in (True, False):
        assert_close(model.train(training)(text), expected)


def everything_drops_in_training_only(kind, course, case):
    """Where all is dropped nothing of the tokens is left.

    One dropout is of the positions, 3 are in an encoder block, 4 in a decoder block.
    """
    model, tgt, begin = kind(course, case, dropout=1.0)
    logits = begin()(tgt)
    assert_close(logits, logits[:1, :1].expand_as(logits))
    model.eval()
    assert_close(begin()(tgt), kind(course, case)[2]()(tgt))
    p = [layer.p for layer in kind(course, case, 0.25)[0].modules() if type(layer) is nn.Dropout]
    assert p == [0.25] * (1 + sizes(case).num_layers * (7 if kind is translator else 3))


for part, kind, name in (
    ("blocks", translator, "translator"),
    ("blocks", tower, "tower"),
    ("language", writer, "writer"),
):
    PROPERTIES[part][f"everything_drops_in_training_only[{name}]"] = partial(everything_drops_in_training_only, kind)


# ---------------------------------------------------------------- a cache


def of_cached(function):
    """Of the course's own model with a cache; test_real_model.py asks the same of Llama."""
    PROPERTIES["language"][function.__name__] = partial(function, writer)
    return function


@of("language")
def a_cached_model_is_the_plain_one(course, case):
    """With the same parameters, whole and block by block, and it trains as that does."""
    plain, tgt, _ = tower(course, case)
    cached = course.CachedLanguageModel(*sizes(case)[:1], *sizes(case)[2:6]).double()
    cached.load_state_dict(plain.state_dict())
    for text in (tgt, tgt[:, :1]):
        assert_close(cached(text), plain(text))
    (x,), mask = vectors(case, case.n), ~later(case.n)
    for cached_block, plain_block in zip(cached.blocks, plain.blocks, strict=True):
        assert_close(cached_block(x, mask), plain_block(x, mask))


@of_cached
def a_cache_changes_no_logits(kind, course, case):
    """To 10 digits, in pieces of any sizes. All is made once of each token."""
    model, tgt, _ = kind(course, case)
    expected, record = model(tgt), results_of(model)
    for cuts in ([], *pieces(case, case.n)):
        record.clear()
        logits = in_pieces(model, tgt, cuts, course.Cache())
        assert_close(logits, expected, rtol=0, atol=1e-10)
        for name, results in record.items():
            assert sum(result.shape[1] for result in results) == case.n, name


@of_cached
def a_copied_cache_goes_on_alone(kind, course, case):
    """One prompt is read once, and several texts follow it, each as if it were the only one."""
    model, tgt, _ = kind(course, case)
    model.eval()
    read = course.Cache()
    shifted = (tgt + 1) % model(tgt, cache=read).shape[-1]
    for text in (tgt, shifted):
        expected = model(torch.cat([tgt, text], dim=1))[:, case.n :]
        for cuts in ([], range(1, case.n)):
            cache = read.copy()
            assert_close(in_pieces(model, text, [*cuts], cache), expected)
            assert len(cache) == 2 * case.n and len(read) == case.n
    stranger, _, _ = kind(course, case)
    for cache in (read, read.copy()):
        with named(ValueError, "cache holds the keys of another model; wanted Cache()"):
            stranger(tgt[:, :1], cache=cache)
        assert len(cache) == case.n


@of_cached
def a_call_that_fails_or_is_stopped_leaves_its_cache_as_it_was(kind, course, case):
    """In whatever layer: the same call then goes on, at the beginning of a text and later."""
    model, tgt, _ = kind(course, case)
    model.eval()
    expected, V, blocks = model(tgt), len(model.embedding.weight), model.blocks

    def stop(*_):
        raise KeyboardInterrupt

    for read, place in itertools.product((0, case.n - 1), (blocks[0].ffn, blocks[-1], blocks[-1].ffn)):
        cache = course.Cache()
        if read:
            model(tgt[:, :read], cache=cache)
        hook = place.register_forward_pre_hook(stop)
        with pytest.raises(KeyboardInterrupt):
            model(tgt[:, read:], cache=cache)
        hook.remove()
        assert_close(model(tgt[:, read:], cache=cache), expected[:, read:])
    held = dict(cache.kept)
    for wrong, words in ((tgt[:, :1] + V, f"; wanted 0 to {V - 1}"),
                         (tgt.repeat(2, 1), f"has {2 * len(tgt)} sequences; wanted {len(tgt)}")):  # fmt: skip
        with named(ValueError, words):
            model(wrong, cache=cache)
    assert cache.kept == held
    if len(blocks) > 1:
        layer = [*cache.kept][0]
        cache.kept[layer] = tuple(tensor[:, :, 1:] for tensor in held[layer])
        with named(ValueError, f"{case.n} tokens in one layer and {case.n - 1} in another"):
            model(tgt[:, :1], cache=cache)


@of("language")
def a_cache_keeps_all_so_far_and_reorders_its_rows(course, case):
    """Of each layer, whose numbers may differ: its length is that of the first one."""
    cache, B, H, d = course.Cache(), case.h, case.num_heads, case.d
    assert len(cache) == 0 and not cache
    sizes = {"first": [case.n, 0, 1], "second": [case.m, case.m, 0]}
    pairs = case.randn(*((2, B, H, sum(cuts), d) for cuts in sizes.values()))  # keys and values
    before = [x.clone() for x in pairs]
    for i in range(3):
        for (layer, cuts), x in zip(sizes.items(), pairs, strict=True):
            kept = cache.update(layer, *x.split(cuts, dim=3)[i])
            assert torch.equal(torch.stack(kept), x[..., : sum(cuts[: i + 1]), :])
        assert len(cache) == sum(sizes["first"][: i + 1])
    rows = torch.randint(B, (case.m,), generator=torch.Generator().manual_seed(case.seed))
    cache.reorder(rows)  # a row may be repeated or dropped
    for layer, x in zip(sizes, pairs, strict=True):
        kept = cache.update(layer, *x[:, rows])  # what is new comes behind it
        assert torch.equal(torch.stack(kept), torch.cat([x[:, rows]] * 2, dim=3))
    assert all(torch.equal(x, same) for x, same in zip(pairs, before, strict=True))


# ---------------------------------------------------------------- padding


@of("blocks")
def padding_may_be_anything(course, case):
    """And of the source there may be more."""
    src, tgt = pair(case)
    model, pad = model_of(course, case), sizes(case).pad
    real = src != pad
    memory, expected = model.encode(src)[real], model(src, tgt)[tgt != pad]
    longer = torch.cat([src, torch.full_like(src, pad)], dim=1)
    for value in (50.0, -1000.0):
        with torch.no_grad():
            for embedding in (model.source, model.target):
                embedding.weight[pad] = value * (1 + torch.arange(sizes(case).d_model))
        for source in (src, longer):
            encoded = model.encode(source)
            assert_close(encoded[:, : case.m][real], memory)
            assert_close(model.decode(tgt, encoded, source)[tgt != pad], expected)


# ---------------------------------------------------------------- attention maps


@of("blocks")
def maps_are_those_of_the_forward_pass(course, case):
    """From the projections of that very pass, in training too."""
    src, tgt = pair(case, some_empty=case.kind == "empty rows")
    model = model_of(course, case, dropout=0.3)
    record = results_of(model)
    with course.attention_maps(model) as maps:
        model(src, tgt)
        model.decode(tgt[:, :1], model.encode(src), src)
    assert set(maps) == {name.removesuffix(".W_q") for name in record if name.endswith(".W_q")}
    for name, calls in maps.items():
        queries, keys = record[f"{name}.W_q"], record[f"{name}.W_k"]
        assert len(calls) == 2
        for call, weights in enumerate(calls):
            split = (-1, (case.num_heads, -1))
            q, k = (x[call].unflatten(*split).transpose(1, 2) for x in (queries, keys))
            n, m = q.shape[2], k.shape[2]
            allowed = ~later(m) if "self" in name else (src != sizes(case).pad)[:, None, None]
            allowed = allowed.expand(len(src), case.num_heads, n, m)
            assert (weights[~allowed] == 0).all()
            assert_close(weights, softmax_reference(q @ k.mT / math.sqrt(q.shape[-1]), allowed))


@of("blocks")
def collecting_maps_changes_no_result(course, case):
    """Not a bit of it, with dropout too. Nor does it leave anything behind after an exception."""
    (src, tgt), model = pair(case), model_of(course, case, dropout=0.3)
    layer, (x,) = model.encoder[0].attention, vectors(case, case.n)

    def results():
        torch.manual_seed(case.seed)
        memory = model.encode(src)
        logits = model.decode(tgt, memory, src)
        return memory, logits, model(src, tgt), layer(x, x, x), *layer(x, x, x, need_weights=True)

    for training in (True, False):
        model.train(training)
        expected = results()
        with pytest.raises(ZeroDivisionError):
            with course.attention_maps(model) as maps, course.attention_maps(model) as inner:
                actual = results()
                raise ZeroDivisionError
        assert all(map(torch.equal, actual, expected))
        assert_close(maps["encoder.0.attention"][-1], expected[-1])
        assert_close(dict(maps), dict(inner), rtol=0, atol=0)
    for module in model.modules():
        assert not module._forward_hooks and not module._forward_pre_hooks
        assert "forward" not in vars(module)


# ---------------------------------------------------------------- dropout


@of("blocks")
def each_part_drops_in_training_only(course, case):
    """An entry stays where two dropouts leave it: within a part, and of what the part adds.

    Without norms, and where the parts make 1, 10 and 100 of anything. Heads are 1 wide, so that
    the entries are independent.
    """
    p, B, D = 0.25, 500, 4
    share = (1 - p) ** 2  # of what is kept
    x = torch.zeros(B, 1, D, dtype=torch.float64)
    for name, given_, *parts in (
        ("EncoderBlock", (x,), "attention", "ffn"),
        ("DecoderBlock", (x, x), "self_attention", "cross_attention", "ffn"),
    ):
        layer = getattr(course, name)(D, D, D, p).double()
        for i in range(1, len(parts) + 1):
            setattr(layer, f"norm{i}", nn.Identity())
        state = {key: torch.zeros_like(tensor) for key, tensor in layer.state_dict().items()}
        for i, part in enumerate(parts):
            inner, outer = ("W_1", "W_2") if part == "ffn" else ("W_v", "W_o")
            state[f"{part}.{inner}.bias"] += 1
            state[f"{part}.{outer}.weight"] += 10**i * torch.eye(D)
        layer.load_state_dict(state)
        assert (layer.eval()(*given_) == sum(10**i for i in range(len(parts)))).all()
        torch.manual_seed(case.seed)
        dropped = layer.train()(*given_) * share
        assert_close(dropped, dropped.round())
        for i in range(len(parts)):
            kept = dropped.round() // 10**i % 10
            assert ((kept == 0) | (kept == 1)).all()
            check_dropped(kept, 1 - share)


# ---------------------------------------------------------------- tests


test_property = hold("blocks", examples=10)


def test_models_can_be_compiled_as_one_graph():
    """No check looks at values while a graph is made of the code."""
    tokens = torch.arange(1, 11).view(2, 5)
    for model, inputs in (
        (COURSE.LanguageModel(20, 8, 2, 1, 16), (tokens,)),
        (COURSE.CachedLanguageModel(20, 8, 2, 1, 16), (tokens,)),
        (COURSE.Transformer(20, 20, 8, 2, 1, 16), (tokens, tokens)),
        (COURSE.Llama(20, 8, 2, 1, 1, 16), (tokens,)),
    ):
        compiled = torch.compile(model, backend="eager", fullgraph=True)
        assert_close(compiled(*inputs), model(*inputs))


@torch.no_grad()
def test_maps_of_a_model_that_was_compiled_and_used():
    model, tokens = COURSE.LanguageModel(9, 8, 2, 1, 16).eval(), torch.arange(5)[None]
    with COURSE.attention_maps(model) as expected:
        model(tokens)
    compiled = torch.compile(model, backend="eager")
    compiled(tokens)
    with COURSE.attention_maps(model) as maps:
        compiled(tokens)
    assert_close(maps, expected)
