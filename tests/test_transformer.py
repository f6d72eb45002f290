"""What the pages keep of models and maps, beside torch's. A `kind` gives model, tokens, and how a text begins."""

import itertools
import math
import re
from functools import partial

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.testing import assert_close

from tests.cases import (
    HALF,
    PROPERTIES,
    codes,
    hold,
    later,
    named,
    own,
    own_state,
    property_of,
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


# ---------------------------------------------------------------- what torch says


TORCHS_NAMES = {
    r"^(encoder|decoder|blocks)\.": "layers.", r"^(en|de)coder_norm": "norm",
    r"cross_attention": "multihead_attn", r"(self_)?attention": "self_attn",
    r"W_[qkv]\.": "in_proj_", r"W_o": "out_proj", r"ffn\.W_": "linear",
}  # fmt: skip


def torchs_stack(kind, case, state, *parts):
    """Blocks of torch's and a norm, with our parameters; W_q, W_k and W_v are one matrix there."""
    parameters = {}
    for name in filter(lambda name: name.startswith(parts), state):
        its = name
        for pattern, replacement in TORCHS_NAMES.items():
            its = re.sub(pattern, replacement, its)
        parameters.setdefault(its, []).append(state[name])
    stack, layer = getattr(nn, f"Transformer{kind}"), getattr(nn, f"Transformer{kind}Layer")
    D, options = sizes(case).d_model, [False] if kind == "Encoder" else []
    one = layer(D, case.num_heads, case.h, 0.0, norm_first=True, batch_first=True)
    found = stack(one, sizes(case).num_layers, nn.LayerNorm(D), *options).double()
    found.load_state_dict({name: torch.cat(tensors) for name, tensors in parameters.items()})
    return found


def embedded(state, name, ids):
    weight = state[f"{name}.weight"]
    return weight[ids] + codes(0, ids.shape[1], weight.shape[1]).float().double()


def check_logits(model, state, found, *inputs):
    for training in (True, False):
        logits = model.train(training)(*inputs)
        assert_close(logits, found @ state["output.weight"].mT + state["output.bias"])


@property_of("blocks")
def a_translator_equals_torch(course, case):
    """Embeddings, positions and the last map by hand, and torch's stacks between them."""
    (src, tgt), model = pair(case), model_of(course, case)
    state, padding = own_state(model, case), src == sizes(case).pad
    encoder = torchs_stack("Encoder", case, state, "encoder")
    decoder = torchs_stack("Decoder", case, state, "decoder")
    memory = encoder(embedded(state, "source", src), None, padding)
    found = decoder(embedded(state, "target", tgt), memory, later(case.n), None, None, padding)
    check_logits(model, state, found, src, tgt)


@property_of("blocks")
def a_tower_equals_torch(course, case):
    model, text, _ = tower(course, case)
    state = own_state(model, case)
    stack = torchs_stack("Encoder", case, state, "blocks", "norm")
    check_logits(model, state, stack(embedded(state, "embedding", text), later(case.n)), text)


@property_of("blocks")
def root_mean_square_norm_equals_torch(course, case):
    """Also where eps is as large as the squares; in 16 bits, where squares are too large for them, or too small."""
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


def a_model_drops_in_training_only(kind, course, case):
    """Where all is dropped, nothing of the tokens is left. A dropout is in each part, and of the positions."""
    model, tgt, begin = kind(course, case, dropout=1.0)
    logits = begin()(tgt)
    assert_close(logits, logits[:1, :1].expand_as(logits))
    model.eval()
    assert_close(begin()(tgt), kind(course, case)[2]()(tgt))
    p = [layer.p for layer in kind(course, case, 0.25)[0].modules() if type(layer) is nn.Dropout]
    assert p == [0.25] * (1 + sizes(case).num_layers * (7 if kind is translator else 3))


PROPERTIES["blocks"]["a_model_drops_in_training_only[translator]"] = partial(a_model_drops_in_training_only, translator)
PROPERTIES["blocks"]["a_model_drops_in_training_only[tower]"] = partial(a_model_drops_in_training_only, tower)
PROPERTIES["language"]["a_model_drops_in_training_only[writer]"] = partial(a_model_drops_in_training_only, writer)


@property_of("blocks")
def a_block_drops_what_its_parts_add(course, case):
    """And a network what is hidden in it: all of it leaves the bias."""
    its = sizes(case).d_model, case.num_heads, case.h, 1.0
    x, memory = vectors(case, case.n, case.m)
    assert torch.equal(own(course.EncoderBlock(*its), case)(x), x)
    assert torch.equal(own(course.DecoderBlock(*its), case)(x, memory), x)
    ffn = own(course.FeedForward(its[0], case.h, 1.0), case)
    assert torch.equal(ffn(x), ffn.W_2.bias.expand_as(x))


# ---------------------------------------------------------------- a cache


def of_cached(function):
    """Of the course's own model with a cache; test_real_model.py asks the same of Llama."""
    PROPERTIES["language"][function.__name__] = partial(function, writer)
    return function


@property_of("language")
def a_cached_model_is_the_plain_one(course, case):
    """With the same parameters."""
    plain, tgt, _ = tower(course, case)
    cached = course.CachedLanguageModel(*sizes(case)[:1], *sizes(case)[2:6]).double()
    cached.load_state_dict(plain.state_dict())
    for text in (tgt, tgt[:, :1]):
        assert_close(cached(text), plain(text))


@of_cached
def a_copied_cache_goes_on_alone(kind, course, case):
    """Several texts follow one prompt, each as if it were the only one. All is made once of each token."""
    model, tgt, _ = kind(course, case)
    model.eval()
    read = course.Cache()
    shifted = (tgt + 1) % model(tgt, cache=read).shape[-1]
    record = results_of(model)
    for text in (tgt, shifted):
        expected = model(torch.cat([tgt, text], dim=1))[:, case.n :]
        for cuts in ([], range(1, case.n)):
            record.clear()
            cache = read.copy()
            logits = [model(piece, cache=cache) for piece in text.tensor_split([*cuts], dim=1)]
            assert_close(torch.cat(logits, dim=1), expected)
            assert len(cache) == 2 * case.n and len(read) == case.n
            for name, results in record.items():
                assert sum(result.shape[1] for result in results) == case.n, name
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


@property_of("language")
def a_cache_reorders_its_rows(course, case):
    """A row may be repeated or dropped; what is new comes behind it."""
    cache, B = course.Cache(), case.h
    assert len(cache) == 0 and not cache
    keys, values = case.randn(*2 * [(B, case.num_heads, case.n, case.d)])
    cache.update("a layer", keys, values)
    rows = torch.randint(B, (case.m,), generator=torch.Generator().manual_seed(case.seed))
    cache.reorder(rows)
    for x, kept in zip((keys, values), cache.update("a layer", keys[rows], values[rows])):
        assert torch.equal(kept, torch.cat([x[rows]] * 2, dim=2))


# ---------------------------------------------------------------- attention maps


@property_of("blocks")
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


@property_of("blocks")
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


# ---------------------------------------------------------------- tests


test_property = hold("blocks", examples=10)


def test_models_can_be_compiled_as_one_graph():
    """No check looks at values while a graph is made of the code."""
    tokens = torch.arange(1, 11).view(2, 5)
    for model, inputs in (
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
