"""Blocks and model of page 11, maps of page 13, compared with torch's and held to their properties.

As in `test_attention.py`: a property is a function of the code under test, `course`, and of a
`Case`, and `test_harness.py` shows that it catches wrong versions. Their names end in BLOCKS.
"""

import itertools
import math
import re
from functools import partial
from typing import NamedTuple

import pytest
import torch
from hypothesis import given, settings
from torch import nn
from torch.testing import assert_close

from tests.course import COURSE
from tests.test_attention import HALF, PROPERTIES, cases, codes, named, softmax_reference

BLOCKS = "[blocks]"


def of_blocks(function):
    PROPERTIES[function.__name__ + BLOCKS] = function
    return function


# ---------------------------------------------------------------- blocks, models, sequences


class Sizes(NamedTuple):
    src_vocab: int
    tgt_vocab: int
    d_model: int
    num_heads: int
    num_layers: int
    d_hidden: int
    pad: int


def sizes(case):
    """With two features at least: the normalisation of one leaves nothing."""
    vocabs, D = (case.query_size + 3, case.key_size + 3), (case.d + 1) * case.num_heads
    return Sizes(*vocabs, D, case.num_heads, 2 - case.seed % 2, case.h, case.v % 3)


def own_state(module, case):
    """Parameters of our own, in float64: so no two of them are one by accident."""
    shapes = {name: tensor.shape for name, tensor in module.state_dict().items()}
    values = zip(shapes, case.randn(*shapes.values(), stream=2), strict=True)
    return {name: tensor / math.sqrt(tensor.shape[-1]) for name, tensor in values}


def own(module, case):
    module.double().load_state_dict(own_state(module, case))
    return module


def model_of(course, case, dropout=0.0, norm_first=None):
    *some, pad = sizes(case)
    norm_first = case.bias if norm_first is None else norm_first
    return own(course.Transformer(*some, dropout, norm_first, pad), case)


def tokens(case, vocab, length, stream):
    """(B, length), and how many in each row are no padding, which stands at the end."""
    B, pad = (case.batch or (2,))[0], sizes(case).pad
    shapes = (B, length), (B, 1)
    some, lengths = ((1000 * noise).long() for noise in case.randn(*shapes, stream=stream))
    some = some % (vocab - 1)
    lengths = 1 + lengths % length
    some += some >= pad
    return some.where(torch.arange(length) < lengths, pad), lengths


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


def pieces(case, n):
    """Where to cut n tokens: into single ones, before or behind all but one, and at two places."""
    for places in (range(n), [0], [n - 2], [case.seed, case.seed // 7]):
        yield sorted({1 + place % n for place in places} - {n})


def in_pieces(model, tgt, cuts, memory, src, cache):
    some = tgt.tensor_split(cuts, dim=1)
    return torch.cat([model.decode(piece, memory, src, cache) for piece in some], dim=1)


def results_of(model):
    """A dict that fills as the model runs: name of a linear map -> its results, one per call."""
    results = {}

    def note(module, given, result, name):
        results.setdefault(name, []).append(result.detach())

    for name, module in model.named_modules():
        if isinstance(module, nn.Linear):
            module.register_forward_hook(partial(note, name=name))
    return results


# ---------------------------------------------------------------- what torch says


def in_torchs_names(state):
    """What we call W_q, W_k, W_v is one matrix there."""
    theirs, names = {}, {
        r"cross_attention": "multihead_attn", r"(self_)?attention": "self_attn",
        r"W_[qkv]\.": "in_proj_", r"W_o": "out_proj", r"ffn\.W_": "linear",
        r"coder_norm": "coder.norm", r"coder\.(\d)": r"coder.layers.\1"}  # fmt: skip
    for name, tensor in state.items():
        for ours, its in names.items():
            name = re.sub(ours, its, name)
        theirs.setdefault(name, []).append(tensor)
    return {name: torch.cat(tensors) for name, tensors in theirs.items()}


def torchs_layer(kind, case, norm_first):
    options = dict(norm_first=norm_first, batch_first=True, dtype=torch.float64)
    return kind(sizes(case).d_model, case.num_heads, case.h, 0.0, **options)


def torchs_model(case, norm_first):
    """`nn.Transformer`; its norms at the end only where those in the blocks come first."""
    its, some = sizes(case), {}
    for name, stack, layer, options in (
        ("encoder", nn.TransformerEncoder, nn.TransformerEncoderLayer, [False]),
        ("decoder", nn.TransformerDecoder, nn.TransformerDecoderLayer, []),
    ):
        norm = nn.LayerNorm(its.d_model, dtype=torch.float64) if norm_first else None
        layer = torchs_layer(layer, case, norm_first)
        some[f"custom_{name}"] = stack(layer, its.num_layers, norm, *options)
    return nn.Transformer(its.d_model, its.num_heads, batch_first=True, **some)


def later(n):
    """torch's causal mask, True = may not attend."""
    return torch.ones(n, n, dtype=torch.bool).triu(1)


def with_torchs(course, case, norm_first):
    """The two blocks, and torch's layers with the same parameters."""
    its = sizes(case).d_model, case.num_heads, case.h
    ours = [
        kind(*its, norm_first=norm_first) for kind in (course.EncoderBlock, course.DecoderBlock)
    ]
    kinds = nn.TransformerEncoderLayer, nn.TransformerDecoderLayer
    theirs = [torchs_layer(kind, case, norm_first) for kind in kinds]
    for block, layer in zip(ours, theirs, strict=True):
        layer.load_state_dict(in_torchs_names(own_state(own(block, case), case)))
    return *ours, *theirs


@of_blocks
def blocks_equal_torch(course, case):
    """Under any masks in which a query sees a key, in both orders of norm and part."""
    n, m, H = case.n, case.m, case.num_heads
    x, memory = vectors(case, n, m)
    noise = case.randn((len(x), n, n), (len(x), n, m), stream=1)
    some, others = ((tensor > 0) | (torch.arange(tensor.shape[-1]) == 0) for tensor in noise)
    for norm_first in (True, False):
        encoder, decoder, its_encoder, its_decoder = with_torchs(course, case, norm_first)
        for both in ((None, None), (some, others), (~later(n), others[:, :1])):
            masks = [one if one is None else ~one.expand(len(x), n, -1) for one in both]
            masks = [one if one is None else one.repeat_interleave(H, 0) for one in masks]
            wanted = its_encoder(x, masks[0]), its_decoder(x, memory, *masks)
            for training in (True, False):
                before = x.clone()
                output = decoder.train(training)(x, memory, *both)
                assert_close((encoder.train(training)(x, both[0]), output), wanted)
                assert torch.equal(x, before)


@of_blocks
def blocks_with_a_cache_equal_torch(course, case):
    """In pieces, under a causal mask; the memory goes in with the first of them."""
    n = case.n + 1
    x, memory = vectors(case, n, case.m)
    for norm_first in (True, False):
        encoder, decoder, its_encoder, its_decoder = with_torchs(course, case, norm_first)
        wanted = its_encoder(x, later(n)), its_decoder(x, memory, later(n))
        for cuts in pieces(case, n):
            encoded, decoded, caches = [], [], (course.Cache(), course.Cache())
            for a, b in itertools.pairwise([0, *cuts, n]):
                piece, mask = x[:, a:b], ~later(n)[a:b, :b]
                encoded.append(encoder(piece, mask, caches[0]))
                new = memory[:, : 0 if a else None]
                decoded.append(decoder(piece, new, mask, cache=caches[1]))
            found = torch.cat(encoded, dim=1), torch.cat(decoded, dim=1)
            assert_close(found, wanted, rtol=0, atol=1e-10)


@of_blocks
def model_equals_torch(course, case):
    """Embeddings, positions and the last map by hand; the rest is `nn.Transformer`."""
    (src, tgt), D = pair(case), sizes(case).d_model
    padding = src == sizes(case).pad
    for norm_first in (True, False):
        model = model_of(course, case, norm_first=norm_first)
        state = own_state(model, case)
        x, y = (
            state[f"{name}.weight"][some] + codes(0, some.shape[1], D).float().double()
            for name, some in (("source", src), ("target", tgt))
        )
        theirs, inner = torchs_model(case, norm_first), [name for name in state if "coder" in name]
        theirs.load_state_dict(in_torchs_names({name: state[name] for name in inner}))
        result = theirs(x, y, None, later(case.n), None, padding, None, padding)
        wanted = result @ state["output.weight"].mT + state["output.bias"]
        for training in (True, False):
            assert_close(model.train(training)(src, tgt), wanted)


@of_blocks
def network_acts_on_each_position_alone(course, case):
    """From the formula, for one position, a sequence, and a batch of them."""
    D, hidden = sizes(case).d_model, case.h
    layer = own(course.FeedForward(D, hidden), case)
    W_1, b_1, W_2, b_2 = (own_state(layer, case)[name] for name in (
        "W_1.weight", "W_1.bias", "W_2.weight", "W_2.bias"))  # fmt: skip
    (x,) = vectors(case, case.n)
    rows = [W_2 @ (W_1 @ row + b_1).clamp(min=0) + b_2 for row in x.flatten(0, 1)]
    wanted = torch.stack(rows).view_as(x)
    assert_close((layer(x), layer(x[0]), layer(x[0, 0])), (wanted, wanted[0], wanted[0, 0]))


# ---------------------------------------------------------------- what reaches what


@of_blocks
def nothing_comes_from_later_tokens(course, case):
    """In train mode (without dropout) and in eval mode; in one piece, and in two."""
    (src, tgt), i = pair(case), case.seed % case.n
    model, vocab = model_of(course, case), sizes(case).tgt_vocab
    others = torch.cat([tgt[:, : i + 1], (tgt[:, i + 1 :] + 1) % vocab], dim=1)
    for training in (True, False):
        memory = model.train(training).encode(src)
        for cuts, cache in ([], lambda: None), ([1 + case.seed % 5], course.Cache):
            before, after = (
                in_pieces(model, some, cuts, memory, src, cache()) for some in (tgt, others)
            )
            assert_close(after[:, : i + 1], before[:, : i + 1])


@of_blocks
def padding_may_be_anything(course, case):
    """And of the source there may be more: in one pass, by a cache also in steps."""
    src, tgt = pair(case)
    model, pad = model_of(course, case), sizes(case).pad
    real = src != pad
    memory, wanted = model.encode(src)[real], model(src, tgt)[tgt != pad]
    longer = torch.cat([src, torch.full_like(src, pad)], dim=1)
    for value in (50.0, -1000.0):
        with torch.no_grad():
            for embedding in (model.source, model.target):
                embedding.weight[pad] = value * (1 + torch.arange(sizes(case).d_model))
        for some in (src, longer):
            encoded = model.encode(some)
            assert_close(encoded[:, : case.m][real], memory)
            for cache, cuts in ((None, []), (course.Cache(), range(1, case.n))):
                logits = in_pieces(model, tgt, [*cuts], encoded, some, cache)
                assert_close(logits[tgt != pad], wanted)


@of_blocks
def an_empty_source_leaves_gradients_finite(course, case):
    """Every parameter gets one; those of padding are 0."""
    (src, tgt), its = pair(case, some_empty=True), sizes(case)
    model = model_of(course, case)
    logits = model(src, tgt)
    assert logits.shape == (*tgt.shape, its.tgt_vocab)
    logits[tgt != its.pad].square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name
    for embedding in (model.source, model.target):
        assert (embedding.weight.grad[its.pad] == 0).all()


# ---------------------------------------------------------------- decoding with a cache


@of_blocks
def a_cache_changes_no_logits(course, case):
    """To 10 digits. Keys and values are made once: of each token, and of each of the memory."""
    src, tgt = pair(case, some_empty=case.kind == "empty rows")
    for norm_first in (True, False):
        model = model_of(course, case, norm_first=norm_first).eval()
        memory, wanted = model.encode(src), model(src, tgt)
        made = results_of(model)
        for cuts in pieces(case, case.n):
            made.clear()
            logits = in_pieces(model, tgt, cuts, memory, src, course.Cache())
            assert_close(logits, wanted, rtol=0, atol=1e-10)
            for name, results in made.items():
                if "W_k" in name or "W_v" in name:
                    rows = sum(result.shape[1] for result in results)
                    assert rows == (case.m if "cross" in name else case.n), name


@of_blocks
def a_cache_can_be_reordered_by_rows(course, case):
    """As beam search does, which goes on with some rows twice and with others not at all."""
    src, _ = pair(case)
    tgt, _ = tokens(case, sizes(case).tgt_vocab, case.n + 2, stream=4)
    model, cache = model_of(course, case), course.Cache()
    memory = model.encode(src)
    for i in range(case.n + 2):
        logits = model.decode(tgt[:, i : i + 1], memory, src, cache)
        assert_close(logits, model(src, tgt)[:, i : i + 1], rtol=0, atol=1e-10)
        rows = (torch.arange(len(src)) // 2 + case.seed + i) % len(src)
        cache.reorder(rows)
        src, tgt, memory = src[rows], tgt[rows], memory[rows]


# ---------------------------------------------------------------- attention maps


def names_of_attention(case):
    for i in range(sizes(case).num_layers):
        yield f"encoder.{i}.attention"
        yield from (f"decoder.{i}.self_attention", f"decoder.{i}.cross_attention")


@of_blocks
def maps_are_those_of_the_forward_pass(course, case):
    """From the projections of that very pass, in training too: first at once, then by a cache."""
    src, tgt = pair(case, some_empty=case.kind == "empty rows")
    model = model_of(course, case, dropout=0.3)
    made = results_of(model)
    with course.attention_maps(model) as maps:
        model(src, tgt)
        in_pieces(model, tgt, [*range(1, case.n)], model.encode(src), src, course.Cache())
    assert set(maps) == set(names_of_attention(case))
    for name, some in maps.items():
        queries, keys = made[f"{name}.W_q"], made[f"{name}.W_k"]
        assert len(some) == (2 if "encoder" in name else 1 + case.n)
        for call, weights in enumerate(some):
            old = torch.cat(keys[1 : call + 1], dim=1) if call else keys[0]
            split = (-1, (case.num_heads, -1))
            q, k = (x.unflatten(*split).transpose(1, 2) for x in (queries[call], old))
            n, m = q.shape[2], k.shape[2]
            allowed = ~later(m)[-n:] if "self" in name else (src != sizes(case).pad)[:, None, None]
            allowed = allowed.expand(len(src), case.num_heads, n, m)
            assert (weights[~allowed] == 0).all()
            assert_close(weights, softmax_reference(q @ k.mT / math.sqrt(q.shape[-1]), allowed))


@of_blocks
def collecting_maps_changes_no_result(course, case):
    """Not a bit of it, with dropout too. Nor does it leave anything behind after an exception."""
    (src, tgt), model = pair(case), model_of(course, case, dropout=0.3)
    layer, (x,) = model.encoder[0].attention, vectors(case, case.n)

    def results():
        torch.manual_seed(case.seed)
        memory = model.encode(src)
        logits = in_pieces(model, tgt, [1], memory, src, course.Cache())
        return memory, logits, model(src, tgt), layer(x, x, x), *layer(x, x, x, need_weights=True)

    for training in (True, False):
        model.train(training)
        wanted = results()
        with pytest.raises(ZeroDivisionError):
            with course.attention_maps(model) as maps, course.attention_maps(model) as inner:
                found = results()
                raise ZeroDivisionError
        assert all(map(torch.equal, found, wanted))
        assert_close(maps["encoder.0.attention"][-1], wanted[-1])
        assert_close(dict(maps), dict(inner), rtol=0, atol=0)
    for module in model.modules():
        assert not module._forward_hooks and not module._forward_pre_hooks
        assert "forward" not in vars(module)


# ---------------------------------------------------------------- dropout, precisions


@of_blocks
def each_part_drops_in_training_only(course, case):
    """An entry stays where two dropouts leave it: within a part, and of what the part adds.

    Without norms, and where the parts make 1, 10 and 100 of anything. Heads are 1 wide, so that
    the entries are independent.
    """
    p, B, D = 0.25, 500, 4
    share = (1 - p) ** 2
    x = torch.zeros(B, 1, D, dtype=torch.float64)
    for norm_first in (True, False):
        for name, given_, *parts in (
            ("EncoderBlock", (x,), "attention", "ffn"),
            ("DecoderBlock", (x, x), "self_attention", "cross_attention", "ffn"),
        ):
            layer = getattr(course, name)(D, D, D, p, norm_first).double()
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
                assert abs(kept.mean() - share) < 6 * math.sqrt(share * (1 - share) / kept.numel())


@of_blocks
def model_drops_in_training_only(course, case):
    """In all its parts: 1 of the positions, 3 in an encoder block, 4 in a decoder block."""
    p, (src, tgt) = 0.25, pair(case)
    model = model_of(course, case, dropout=p)
    found = [layer.p for layer in model.modules() if isinstance(layer, nn.Dropout)]
    assert found == [p] * (1 + 7 * sizes(case).num_layers)
    assert_close(model.eval()(src, tgt), model_of(course, case)(src, tgt))


@of_blocks
def model_in_all_precisions(course, case):
    src, tgt = pair(case, some_empty=True)
    wanted = model_of(course, case)(src, tgt)
    for dtype in (*HALF, torch.float32):
        model = model_of(course, case).to(dtype)
        with course.attention_maps(model) as maps:
            memory = model.encode(src)
            logits = in_pieces(model, tgt, [1], memory, src, course.Cache())
        for result in (model(src, tgt), logits, memory, *sum(maps.values(), [])):
            assert result.dtype == dtype and result.isfinite().all()
    assert_close(model(src, tgt).double(), wanted, rtol=0, atol=1e-2)


# ---------------------------------------------------------------- tests


@pytest.mark.parametrize("name", [name for name in PROPERTIES if name.endswith(BLOCKS)])
@given(case=cases())
@settings(max_examples=10)
def test_property(name, case):
    PROPERTIES[name](COURSE, case)


X, IDS = torch.zeros(2, 3, 8), torch.ones(2, 4, dtype=torch.int64)


@pytest.mark.parametrize("call, error, words", [
    (lambda model: model(IDS.tolist(), IDS), TypeError,
     "src is list; wanted a tensor of torch.int64"),
    (lambda model: model(IDS[0], IDS), ValueError, "src has shape (4,); wanted 2 axes"),
    (lambda model: model(IDS, 11 * IDS), ValueError, "tgt holds 11; wanted 0 to 10"),
    (lambda model: model(IDS, IDS.repeat(1, 251)), ValueError, "x ends at position 1003; wanted"),
    (lambda model: model.encoder[0](X, X > 0), ValueError, "mask has shape (2, 3, 8); wanted one"),
    (lambda model: model.decoder[0](X, X[0]), ValueError, "keys has shape (3, 8); wanted 3 axes"),
    (lambda model: COURSE.DecoderBlock(8, 3, 16), ValueError,
     "num_heads is 3; wanted a divisor of d_model, which is 8"),
])  # fmt: skip
def test_what_does_not_fit_is_named(call, error, words):
    with named(error, words):
        call(COURSE.Transformer(9, 11, 8, 2, 1, 16))


def test_parameters_by_hand():
    """Equation (11.5) for D = 8 and a hidden width of 16; the heads do not matter."""
    D, F = 8, 16
    attention, network, norm = 4 * (D * D + D), 2 * D * F + F + D, 2 * D
    layers = 3 * (3 * attention + 2 * network + 5 * norm)
    wanted = {
        COURSE.FeedForward(D, F): network,
        COURSE.EncoderBlock(D, 2, F): attention + network + 2 * norm,
        COURSE.DecoderBlock(D, 4, F): 2 * attention + network + 3 * norm,
        COURSE.Transformer(5, 7, D, 2, 3, F): (5 + 7) * D + layers + 2 * norm + 7 * D + 7,
    }
    for module, count in wanted.items():
        assert sum(parameter.numel() for parameter in module.parameters()) == count
