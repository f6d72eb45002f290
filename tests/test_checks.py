"""`taught/checks.py`: what is taught calls each check; what else it refuses, and in which words."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from taught import checks
from tests.cases import named
from tests.course import COURSE

X, IDS, TEXT = torch.zeros(3, 4, 8), torch.ones(2, 4).long(), torch.arange(20) % 9
LAYER, ADDITIVE = COURSE.MultiHeadAttention(8, 2), COURSE.AdditiveAttention(8, 8, 2)
WRITER = COURSE.LanguageModel(9, 8, 2, 1, 16).eval()
TRANSFORMER = COURSE.Transformer(9, 11, 8, 2, 1, 16)  # in training mode
train = partial(COURSE.train_translator, TRANSFORMER, IDS, IDS, steps=5)


def mask(*shape):
    return torch.ones(shape, dtype=torch.bool)


REFUSED = [  # words that say what is wrong; a check, and its arguments
    ("mask has shape (4, 7); wanted one that broadcasts to the shape of the scores, (4, 8)",
     checks.mask, mask(4, 7), (4, 8)),
    ("valid_lens is torch.float32; wanted a tensor of", checks.lengths, X[0, 0], 5),
    ("valid_lens has shape (3, 4, 8); wanted (B,), a", checks.lengths, X.long(), 5),
    ("valid_lens holds -1; wanted 0 to m = 300", checks.lengths,
     torch.tensor([-1], dtype=torch.int8), 300),
    ("values has batch axes (2,); wanted some that broadcast with (5, 3), those of the scores",
     checks.batches, X[0], X.expand(5, 3, 4, 8), X[:2]),
    ("queries has shape (8,); wanted 2 axes or more", checks.attention, X[0, 0], X, X),
    ("values is torch.float64; wanted torch.float32, as queries",
     checks.attention, X, X, X.double()),
    ("images has shape (3, 4, 8); wanted (B, C, height, width)", checks.patches, X, 2),
    ("images has shape (1, 3, 4, 8); wanted a height and a width that patches of 3 fill",
     checks.patches, X[None], 3),
    ("size is 0; wanted a whole number, 1 or more", checks.patches, X[None], 0),
    ("num_heads is 8; wanted heads of an even width, and d_model is 8", checks.groups, 8, 8, 2),
    ("queries has shape (4, 8); wanted 3 axes", checks.multi_head, LAYER, X[0], X, X),
    ("x is torch.int64; wanted a tensor of floats", checks.positions, X.long(), 0, X[0]),
    ("x has shape (3, 4, 7); wanted (..., n, 8)", checks.positions, X[..., 1:], 0, X[0]),
    ("x is torch.int64; wanted a tensor of floats", checks.turning, X.long()),
    ("n is 6; wanted a whole number from 0 to 5", checks.whole_number, "n", 6, 0, 5),
    ("tgt is torch.int32; wanted a tensor of torch.int64", checks.tokens, "tgt", IDS.int(), 9),
    ("tgt has shape (4,); wanted 2 axes", checks.tokens, "tgt", IDS[0], 9),
    ("text is torch.float32; wanted a tensor", checks.text, TEXT.float(), 4),
]  # fmt: skip
NO_TENSOR = [  # or no integer, at all
    ("mask is list; wanted torch.bool, True = may", checks.mask, [[True]], (1, 1)),
    ("keys is list; wanted a tensor of floats", checks.pooling, X, [[1.0]], X),
    ("images is ndarray; wanted a tensor", checks.patches, np.zeros((1, 3, 8, 8)), 4),
    ("valid_lens is list; wanted a tensor of integers", checks.lengths, [2, 3], 5),
    *((f"n is {text}; wanted a whole number from 0 to 5", checks.whole_number, "n", n, 0, 5)
      for text, n in (("'Tensor'", IDS[0, 0]), ("True", True), ("2.0", 2.0))),
    ("src is list; wanted a tensor of torch.int64", checks.tokens, "src", [[1]], 9),
]  # fmt: skip


@pytest.mark.parametrize("error, rows", [(ValueError, REFUSED), (TypeError, NO_TENSOR)])
def test_what_does_not_fit_is_named(error, rows):
    for words, check, *x in rows:
        with named(error, words):
            check(*x)


def test_what_just_fits_is_taken():
    assert [checks.whole_number("n", n, 0, 5) for n in (0, 5, np.int8(3))] == [0, 5, 3]
    checks.mask(mask(8), (4, 8))
    checks.heads(8, 8)
    checks.groups(8, 4, 4)
    checks.schedule(5, 5, 0)
    checks.patches(X[None], 4)
    checks.generating(WRITER, IDS, 0, 1.0, 9, 1.0, 2)


# ---------------------------------------------------------------- what checks its arguments

WIRED = [  # words, of one check or of one argument, and a call of what is taught
    ("valid_lens holds 6; wanted 0 to m = 5", lambda: COURSE.length_mask(torch.tensor([6]), 5)),
    ("mask is torch.float32; wanted torch.bool", lambda: COURSE.masked_softmax(X, X)),
    *((words, partial(layer, X, X, values, mask_))
      for layer in (COURSE.DotProductAttention(), ADDITIVE, LAYER)
      for words, values, mask_ in (("values has 3 rows; wanted 4, one per key", X[:, :3], None),
                                  ("mask has shape (4,); wanted 2 axes or more", X, mask(4)))),
    ("values has 3 rows; wanted 4", lambda: COURSE.attention_pooling(X, X, X[:, :3], 0)),
    *(("keys has width 7; wanted 8", partial(layer, X, X[..., 1:], X))
      for layer in (COURSE.DotProductAttention(), ADDITIVE, LAYER, COURSE.blockwise_attention,
                    COURSE.linear_attention, partial(COURSE.delta_rule, rates=X[..., 0]))),
    *((f"queries has width 7; wanted 8, which is {name}", partial(layer, X[..., 1:], X, X))
      for name, layer in (("query_size", ADDITIVE), ("d_model", LAYER))),
    ("values has width 7; wanted 8, which is d_model", partial(LAYER, X, X, X[..., 1:])),
    *(("keys has batch axes (2,); wanted some that broadcast with (3,), those of queries",
       partial(layer, X, X[:2], X[:2]))
      for layer in (COURSE.DotProductAttention(), ADDITIVE, LAYER, COURSE.blockwise_attention)),
    ("x has shape (3, 4, 7); wanted (..., n, d), d even", lambda: COURSE.rotate(X[..., 1:])),
    *((f"offset has shape {tuple(offset.shape)}; wanted (3, 3, 1), or 1 for any", partial(
        COURSE.rotate, torch.zeros(3, 3, 3, 6), offset))  # as many texts as heads and rows
      for offset in (IDS.new_zeros(3), IDS.new_zeros(3, 1), IDS.new_zeros(1, 1, 3),
                     IDS.new_zeros(1, 1, 1, 1), np.zeros((3, 1)))),
    ("offset has shape (3, 1); wanted one number for all texts",
     lambda: COURSE.PositionalEncoding(8)(X, IDS.new_zeros(3, 1))),
    ("of the scores, (3, 4, 4)", partial(LAYER, X, X, X, mask(2, 4, 4))),
    ("num_heads is 3; wanted a divisor of d_model, which is 8", lambda: COURSE.MultiHeadAttention(8, 3)),
    ("num_groups is 3; wanted a divisor of num_heads, which is 4", lambda: COURSE.GroupedQueryAttention(8, 4, 3)),
    ("offset is -1; wanted 0 or more", lambda: COURSE.PositionalEncoding(8)(X, -1)),
    ("x ends at position 3; wanted 2 or less: a shorter text, or PositionalEncoding(8, max_len=4)",
     lambda: COURSE.PositionalEncoding(8, max_len=3)(X)),
    ("src holds 9; wanted 0 to 8", lambda: TRANSFORMER(9 * IDS, IDS)),
    ("tgt holds -1; wanted 0 to 10", lambda: TRANSFORMER(IDS, -IDS)),
    ("tgt holds 11; wanted 0 to 10", lambda: TRANSFORMER(IDS, 11 * IDS)),
    *((f"{name} is {n}; wanted at most steps, which is 5",
       partial(train, **{"warm_up": 1, name: n})) for name in ("warm_up", "stop") for n in (-1, 6)),
    ("model is in training mode; wanted model.eval() before",
     lambda: COURSE.greedy(TRANSFORMER, IDS, 1, 2, 3)),
    ("text has shape (20,); wanted (N,), N more than context, 20",
     lambda: COURSE.train_language_model(WRITER, TEXT, 1, context=20)),
    *((f"{name} is {n}; wanted a whole number", partial(
        COURSE.train_language_model, WRITER, TEXT, **{"steps": 1, "context": 4, name: n}))
      for name, n in (("steps", -1), ("context", 0), ("context", 1001), ("batch", 0))),
    ("model is in training mode", lambda: COURSE.generate(TRANSFORMER, IDS, 2)),
    ("tokens holds 9; wanted 0 to 8", lambda: COURSE.generate(WRITER, 9 * IDS, 2)),
    *((f"{name} is {n}; wanted", partial(COURSE.generate, WRITER, IDS, **{"length": 2, name: n}))
      for name, n in (("k", 0), ("p", math.nan), ("temperature", math.nan), ("context", 1), ("length", -1))),
    ("block is 0; wanted a whole number from 1", lambda: COURSE.blockwise_attention(X, X, X, block=0)),
    ("first is 3; wanted a whole number from 0 to 2", lambda: COURSE.WindowCache(3, first=3)),
    *((words, partial(way, *x)) for way in (COURSE.blockwise_attention, COURSE.WindowAttention(3))
      for words, x in (("values has 3 rows; wanted 4, one per key", (X, X, X[:, :3])),
                       ("queries is torch.int64; wanted a tensor of floats", (X.long(), X, X)),
                       ("keys is torch.float64", (X, X.double(), X)))),
    *((words, partial(COURSE.delta_rule, *x)) for words, x in (
        ("queries has shape (3, 2, 8); keys has (3, 4, 8)", (X[:, :2], X, X, X[..., 0])),
        ("rates has shape (2, 4); keys has (3, 4, 8); wanted (3, 4)", (X, X, X, IDS.float())),
        ("chunk is 0; wanted a whole number from 1", (X, X, X, X[..., 0], 0)))),
    ("logits has a row without probabilities, since it holds nan", partial(COURSE.keep_nucleus, X / 0, 0.5)),
    ("mask has shape (4, 7); wanted one that broadcasts", partial(COURSE.with_sink, X, mask(4, 7), 0.1)),
    ("s has shape (2,); wanted (), or (H,)", partial(COURSE.with_sink, X, None, X[0, 0, :2])),
    ("n is 1; wanted a whole number, 2 or more", lambda: COURSE.Repaired("log n", 1)),
    ("d is 6; wanted a multiple of 4", lambda: COURSE.Repaired("differential", 8, 6)),
    ("keys has width 7; wanted 8", partial(COURSE.Repaired("plus one", 8, 4), X, X[..., 1:], X)),
    ("x has shape (3, 3, 8); wanted the tokens that ask", partial(COURSE.gated, X, X[:, :3], None)),
    ("text has shape (2, 4); wanted (N,), N 1 or more", lambda: COURSE.bits_of(WRITER, IDS)),
    ("model is in training mode", lambda: COURSE.bits_of(TRANSFORMER, TEXT)),
    ("memory has 3 sequences; wanted 2, as tgt", lambda: TRANSFORMER.decode(IDS, X, IDS)),
    ("src has 4 tokens; wanted 3, as memory", lambda: TRANSFORMER.decode(IDS, X[:2, :3], IDS)),
]  # fmt: skip


def test_what_is_taught_checks_its_arguments():
    for words, call in WIRED:
        with named(ValueError, words):
            call()
    assert not WRITER.training  # a training that is refused hasn't begun


@pytest.mark.parametrize("train", [
    partial(COURSE.train_language_model, WRITER, TEXT, context=4), partial(train, warm_up=0)
])  # fmt: skip
def test_steps_may_be_numpys_and_nothing_but_whole(train):
    train(steps=np.int64(1))
    model = train.args[0].eval()
    for wrong in (1.0, "1", None, True):
        with named(TypeError, "steps is "):
            train(steps=wrong)
        assert not model.training
