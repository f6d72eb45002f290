"""Blocks and model of page 11, maps of page 13, compared with torch's and held to their properties.

As in `test_attention.py`: a property is a function of the code under test, `course`, and of a
`Case`, and `test_harness.py` shows that it catches wrong versions. Their names end in BLOCKS.
"""

import math
import re
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from torch import nn
from torch.testing import assert_close

from tests.test_attention import HALF, PROPERTIES, cases, codes, named, softmax_reference
from utils import attention
from utils.attention import (
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    Transformer,
    attention_maps,
    residual,
)

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


def block(course, case, name, norm_first=True):
    its = sizes(case).d_model, case.num_heads, case.h
    return own(getattr(course, name)(*its, norm_first=norm_first), case)


def blocks_of(course, case, norm_first):
    return (block(course, case, name, norm_first) for name in ("EncoderBlock", "DecoderBlock"))


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


def pieces(case, tensor):
    """One at a time, then several at once: lists whose sum is the tensor along axis 1."""
    yield tensor.split(1, dim=1)
    yield tensor.tensor_split([1 + case.seed % case.n], dim=1)


def run_with_cache(model, some, memory, src, cache):
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


@of_blocks
def blocks_equal_torch(course, case):
    """Under any masks in which a query sees a key, in both orders of norm and part."""
    n, m, H = case.n, case.m, case.num_heads
    x, memory = vectors(case, n, m)
    noise = case.randn((len(x), n, n), (len(x), n, m), stream=1)
    some, others = ((tensor > 0) | (torch.arange(tensor.shape[-1]) == 0) for tensor in noise)
    for norm_first in (True, False):
        encoder, decoder = blocks_of(course, case, norm_first)
        its_encoder = torchs_layer(nn.TransformerEncoderLayer, case, norm_first)
        its_decoder = torchs_layer(nn.TransformerDecoderLayer, case, norm_first)
        for ours, its in ((encoder, its_encoder), (decoder, its_decoder)):
            its.load_state_dict(in_torchs_names(own_state(ours, case)))
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
def model_equals_torch(course, case):
    """Embeddings (of padding zeros), positions, last map by hand; the rest is `nn.Transformer`."""
    (src, tgt), D = pair(case), sizes(case).d_model
    padding = src == sizes(case).pad
    for norm_first in (True, False):
        model = model_of(course, case, norm_first=norm_first)
        state = own_state(model, case)
        for name in ("source", "target"):
            state[f"{name}.weight"][sizes(case).pad] = 0
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
def who_sees_only_itself_is_alone(course, case):
    """The normalisation too: a token that changes moves no other."""
    i, each = case.seed % case.n, torch.eye(case.n, dtype=torch.bool)
    (x,) = vectors(case, case.n)
    other = torch.where(torch.arange(case.n)[:, None] == i, 7 - 5 * x, x)
    alone = torch.arange(case.n) != i
    for norm_first in (True, False):
        encoder, decoder = blocks_of(course, case, norm_first)
        encoded, decoded = ((encoder(some, each), decoder(some, some, each, each))
                            for some in (x, other))  # fmt: skip
        for before, after in zip(encoded, decoded, strict=True):
            assert_close(after[:, alone], before[:, alone])
            assert not torch.equal(after[:, i], before[:, i])


@of_blocks
def nothing_comes_from_later_tokens(course, case):
    """In train mode (without dropout) and in eval mode; in one piece, and in two."""
    (src, tgt), i = pair(case), case.seed % case.n
    model, vocab = model_of(course, case), sizes(case).tgt_vocab
    others = torch.cat([tgt[:, : i + 1], (tgt[:, i + 1 :] + 1) % vocab], dim=1)
    for training in (True, False):
        memory = model.train(training).encode(src)
        for split in ([], [case.seed % 5]):
            cache = dict if split else lambda: None
            before, after = (
                run_with_cache(model, some.tensor_split(split, dim=1), memory, src, cache())
                for some in (tgt, others)
            )
            assert_close(after[:, : i + 1], before[:, : i + 1])


@of_blocks
def padding_may_be_anything(course, case):
    """Inf and nan too, and of the source more of it: in one pass, by a cache also in steps."""
    src, tgt = pair(case)
    model, pad = model_of(course, case), sizes(case).pad
    real = src != pad
    memory, wanted = model.encode(src)[real], model(src, tgt)[tgt != pad]
    longer = torch.cat([src, torch.full_like(src, pad)], dim=1)
    for name in ("source", "target"):
        for value in (50.0, math.inf, math.nan):
            model = model_of(course, case)
            with torch.no_grad():
                getattr(model, name).weight[pad] = value
            for some in (src, longer):
                encoded = model.encode(some)
                assert_close(encoded[:, : case.m][real], memory)
                for cache, steps in ((None, [tgt]), ({}, [tgt]), ({}, tgt.split(1, dim=1))):
                    logits = run_with_cache(model, steps, encoded, some, cache)
                    assert_close(logits[tgt != pad], wanted)


@of_blocks
def order_of_the_batch_does_not_matter(course, case):
    src, tgt = pair(case, some_empty=True)
    model, rows = model_of(course, case), torch.arange(len(src)).roll(case.seed % 3)
    assert_close(model(src[rows], tgt[rows]), model(src, tgt)[rows])
    assert_close(model(src[:1], tgt[:1]), model(src, tgt)[:1])


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
        for some in pieces(case, tgt):
            made.clear()
            cache = {}
            logits = run_with_cache(model, some, memory, src, cache)
            assert_close(logits, wanted, rtol=0, atol=1e-10)
            for name, results in made.items():
                if "W_k" in name or "W_v" in name:
                    rows = sum(result.shape[1] for result in results)
                    assert rows == (case.m if "cross" in name else case.n), name


@of_blocks
def a_cache_can_be_reordered_by_rows(course, case):
    """As beam search does, which goes on with some rows twice and with others not at all."""
    (src, tgt), model, i = pair(case), model_of(course, case), (1 + case.seed) % case.n
    rows = (torch.arange(len(src) + 1) * 2 + case.seed) % len(src)
    cache, memory = {}, model.encode(src)
    model.decode(tgt[:, :i], memory, src, cache)
    cache = {part: tuple(tensor[rows] for tensor in tensors) for part, tensors in cache.items()}
    logits = model.decode(tgt[rows, i:], memory[rows], src[rows], cache)
    assert_close(logits, model(src, tgt)[rows, i:], rtol=0, atol=1e-10)


# ---------------------------------------------------------------- attention maps


def names_of_attention(case):
    for i in range(sizes(case).num_layers):
        yield f"encoder.{i}.attention"
        yield from (f"decoder.{i}.self_attention", f"decoder.{i}.cross_attention")


@of_blocks
def maps_are_those_of_the_forward_pass(course, case):
    """From the projections of that very pass, in training too: first at once, then by a cache."""
    src, tgt = pair(case, some_empty=case.kind == "empty rows")
    model, cache = model_of(course, case, dropout=0.3), {}
    made = results_of(model)
    with course.attention_maps(model) as maps:
        model(src, tgt)
        memory = model.encode(src)
        for some in pieces(case, tgt):
            run_with_cache(model, some, memory, src, cache)
            break
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
    """Nor does it leave anything behind, whatever happens meanwhile."""
    (src, tgt), model = pair(case), model_of(course, case)
    layer, (x,) = model.encoder[0].attention, vectors(case, case.n)
    wanted, weighted = model(src, tgt), layer(x, x, x, None, True)
    with pytest.raises(ZeroDivisionError):
        with course.attention_maps(model) as maps:
            assert_close(model(src, tgt), wanted)
            assert_close(run_with_cache(model, tgt.split(1, 1), model.encode(src), src, {}), wanted)
            assert_close(layer(x, x, x, None, True), weighted)
            assert_close(layer(x, x, x), weighted[0])
            with pytest.raises(ValueError):  # between its hooks
                layer.attention(x, x, x[:, :0])
            assert_close(layer(x, x, x, need_weights=True), weighted)
            assert_close(maps["encoder.0.attention"][-1], weighted[1])
            raise ZeroDivisionError
    before = {name: [*some] for name, some in maps.items()}
    assert_close(model(src, tgt), wanted, rtol=0, atol=0)
    assert maps == before
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
            logits = run_with_cache(model, tgt.split(1, 1), memory, src, {})
        for result in (model(src, tgt), logits, memory, *sum(maps.values(), [])):
            assert result.dtype == dtype and result.isfinite().all()
    assert_close(model(src, tgt).double(), wanted, rtol=0, atol=1e-2)


# ---------------------------------------------------------------- what does not fit


def small_model(course, **options):
    torch.manual_seed(0)
    return course.Transformer(9, 11, 8, 2, 1, 16, **options)


def call_of(src=(2, 5), tgt=(2, 4), memory=None, before=None, cached=False):
    """A function of `course` that decodes; a shape stands for ones, and a memory is encoded."""

    def ones(x):
        return torch.ones(x, dtype=torch.int64) if isinstance(x, tuple) else x

    def call(course):
        model, cache = small_model(course), {} if cached else None
        its = model.encode(ones(src)) if memory is None else memory
        if before is not None:
            model.decode(ones(before), its, ones(src), cache)
        return model.decode(ones(tgt), its, ones(src), cache)

    return call


def blocks_on(x, memory=None, mask=None, norm_first=False):
    def call(course):
        if memory is None:
            return course.EncoderBlock(8, 2, 16, norm_first=norm_first)(x, mask)
        return course.DecoderBlock(8, 2, 16, norm_first=norm_first)(x, memory, mask)

    return call


X, IDS = torch.zeros(2, 3, 8), torch.ones(2, 4, dtype=torch.int64)
BAD_TYPES = [  # a call with what is no tensor, or no integer, at all, and the words that say so
    (call_of(src=IDS.tolist()), "src is list; wanted a tensor of torch.int64"),
    (call_of(src=IDS.numpy()), "src is ndarray; wanted a tensor of torch.int64"),
    (call_of(tgt=IDS.tolist()), "tgt is list; wanted a tensor of torch.int64"),
    (call_of(memory=[1.0]), "memory is list; wanted a tensor of floats"),
    (lambda c: c.EncoderBlock(8.0, 2, 16), "d_model is 8.0; wanted an integer, 1 or more"),
]
BAD_CALLS = [  # a call that does not fit, and the words that say so
    (call_of(src=IDS.float()), "src is torch.float32; wanted a tensor of torch.int64"),
    (call_of(src=IDS > 0), "src is torch.bool; wanted"),
    (call_of(src=(5,)), "src has shape (5,); wanted 2 axes"),
    (call_of(src=9 * IDS), "src holds 9; wanted 0 to 8"),
    (call_of(tgt=IDS.double()), "tgt is torch.float64; wanted a tensor of torch.int64"),
    (call_of(tgt=(2, 4, 1)), "tgt has shape (2, 4, 1); wanted 2 axes"),
    (call_of(tgt=torch.tensor([[1, 11], [0, 10]])), "tgt holds 11; wanted 0 to 10"),
    (call_of(tgt=-IDS), "tgt holds -1; wanted 0 to 10"),
    (call_of(tgt=(3, 4)), "tgt has 3 sequences; wanted 2, as src"),
    (call_of(tgt=(3, 4), cached=True), "tgt has 3 sequences; wanted 2, as src"),
    (call_of(tgt=(1, 4)), "tgt has 1 sequences; wanted 2, as src"),
    (call_of(tgt=(2, 1001)), "x ends at position 1000; wanted 999 or less"),
    (call_of(before=(2, 999), tgt=(2, 2), cached=True), "x ends at position 1000; wanted 999 or less"),
    (call_of(memory=torch.zeros(2, 5, 7)), "memory has shape (2, 5, 7); wanted (2, 5, 8), as src"),
    (call_of(memory=torch.zeros(2, 6, 8)), "memory has shape (2, 6, 8); wanted (2, 5, 8), as src"),
    (call_of(memory=torch.zeros(2, 6, 8), cached=True), "memory has shape (2, 6, 8); wanted (2, 5"),
    (call_of(memory=torch.zeros(2, 5, 8).long()), "memory is torch.int64; wanted a tensor of fl"),
    (call_of(memory=torch.zeros(1, 5, 8)), "memory has shape (1, 5, 8); wanted (2, 5, 8), as src"),
    (call_of(memory=torch.zeros(2, 5, 8), src=9 * IDS[:, :1].expand(2, 5)), "src holds 9; wanted"),
    (call_of(memory=torch.zeros(2, 5, 8), src=IDS.float()), "src is torch.float32; wanted"),
    (call_of(memory=torch.zeros(2, 5, 8), src=(5,)), "src has shape (5,); wanted 2 axes"),
    (lambda course: course.Transformer(9, 11, 8, 3, 1, 16),
     "num_heads is 3; wanted a divisor of d_model, which is 8"),
    (blocks_on(X[..., :7]), "queries has width 7; wanted 8"),
    (blocks_on(X[0], norm_first=True), "queries has shape (3, 8); wanted 3 axes"),
    (blocks_on(X.double()), "queries is torch.float64; wanted torch.float32"),
    (blocks_on(X, mask=torch.ones(3, 3)), "mask is torch.float32; wanted torch.bool, True = may"),
    (blocks_on(X, mask=torch.ones(3, 4) > 0), "mask has shape (3, 4); wanted one that broadcasts"),
    (blocks_on(X, X[..., :7]), "keys has width 7; wanted 8"),
    (blocks_on(X, X.double()), "keys is torch.float64; wanted torch.float32"),
    (blocks_on(X, X, torch.ones(4, 3) > 0), "mask has shape (4, 3); wanted one that broadcasts"),
]  # fmt: skip


@of_blocks
def sizes_and_padding_are_named(course, case):
    """Whatever is no integer, or below 1; a padding that is no token of both vocabularies."""
    fitting = dict(src_vocab=9, tgt_vocab=11, d_model=8, num_heads=2, num_layers=1, d_hidden=16)
    names = {"Transformer": [*fitting], "FeedForward": ["d_model", "d_hidden"]}
    for kind, some in (names | {"EncoderBlock": ["d_model", "num_heads", "d_hidden"]}).items():
        for name in some:
            for wrong in (0, -1, True, 2.0, "2", None):
                error = ValueError if type(wrong) is int else TypeError
                with named(error, f"{name} is {wrong!r}; wanted an integer, 1 or more"):
                    getattr(course, kind)(**{key: fitting[key] for key in some} | {name: wrong})
    for some in (fitting, fitting | {"src_vocab": 11, "tgt_vocab": 9}):
        assert course.Transformer(**some, pad=8).pad == 8
        for wrong in (9, 99, -1, True, 0.0, None):
            error = ValueError if type(wrong) is int else TypeError
            with named(error, f"pad is {wrong!r}; wanted a token of both, 0 to 8"):
                course.Transformer(**some, pad=wrong)


@of_blocks
def sizes_may_be_numpys(course, case):
    some = sizes(case)
    model = own(course.Transformer(*map(np.int16, some[:-1]), pad=np.int16(some.pad)), case)
    assert_close(model(*pair(case)), model_of(course, case, norm_first=True)(*pair(case)))


@of_blocks
def bad_calls_are_named(course, case):
    """All of them, whatever the case."""
    for error, calls in ((TypeError, BAD_TYPES), (ValueError, BAD_CALLS)):
        for call, words in calls:
            with named(error, words):
                call(course)


# ---------------------------------------------------------------- tests


OWN = [name for name in PROPERTIES if name.endswith(BLOCKS) and not name.startswith("bad_calls")]


@pytest.mark.parametrize("name", OWN)
@given(case=cases())
@settings(max_examples=10)
def test_property(name, case):
    PROPERTIES[name](attention, case)


def test_bad_calls_are_named():
    bad_calls_are_named(attention, None)


def test_parameters_by_hand():
    """Equation (11.5) for D = 8 and a hidden width of 16; the heads do not matter."""
    D, F = 8, 16
    attention_, network, norm = 4 * (D * D + D), 2 * D * F + F + D, 2 * D
    layers = 3 * (3 * attention_ + 2 * network + 5 * norm)
    wanted = {
        FeedForward(D, F): network,
        EncoderBlock(D, 2, F): attention_ + network + 2 * norm,
        DecoderBlock(D, 4, F): 2 * attention_ + network + 3 * norm,
        Transformer(5, 7, D, 2, 3, F): (5 + 7) * D + layers + 2 * norm + 7 * D + 7,
    }
    for module, count in wanted.items():
        assert sum(parameter.numel() for parameter in module.parameters()) == count


def test_the_parts_by_hand():
    """A part of zeros; a cache of two steps; the names of two attentions."""
    torch.manual_seed(0)
    x, block = torch.randn(1, 2, 8), DecoderBlock(8, 2, 16).eval()
    assert torch.equal(residual(x, torch.zeros_like, nn.LayerNorm(8), nn.Identity(), True), x)
    layer, cache = block.self_attention, {}
    steps = [layer(*3 * [x[:, i : i + 1]], cache=cache) for i in range(2)]
    assert_close(torch.cat(steps, dim=1), layer(x, x, x, attention.causal_mask(2)))
    with attention_maps(block) as maps:
        block(x, x)
    assert list(maps) == ["self_attention", "cross_attention"]
    with attention_maps(block) as outer, attention_maps(block) as inner:
        block(x, x)
    for name, (weights,) in maps.items():
        assert torch.equal(outer[name][0], weights) and torch.equal(inner[name][0], weights)
