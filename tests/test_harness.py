"""The harness of `test_attention.py`, shown to catch plausible wrong versions of the course.

    python -m tests.test_harness

prints each wrong version, which kind of check notices it, and by which properties. A wrong version
is `utils/attention.py` with some words of one definition replaced, so it differs from what is
taught in that and in nothing else.
"""

import inspect
import random
import re
import types
from functools import cache

import pytest
import torch

from tests.pages import notebooks
from tests.test_attention import PROPERTIES, Case, draw_case
from tests.test_decoding import DECODING
from tests.test_transformer import BLOCKS
from utils import attention

# Anomaly mode names what wrong versions do wrong, and one makes layers of width 0.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Error detected in", "ignore:Initializing zero-element tensors")

DOT, ADDITIVE, SOFTMAX = "DotProductAttention", "AdditiveAttention", "masked_softmax"
HEADS, ZERO, PLACES = "MultiHeadAttention", "zero_unseen", "PositionalEncoding"
ENCODER, DECODER, MODEL = "EncoderBlock", "DecoderBlock", "Transformer"
MAPS = "attention_maps"
LOSS, GREEDY, BEAM = "next_token_loss", "greedy", "beam_search"

# What both paths of DotProductAttention say
SCALE, FUSED = "queries / math.sqrt(d) @ keys.mT", "attn_mask=mask, dropout_p=dropout"
WEIGHTS = "masked_softmax(scores, mask)"
FILL = "scores = scores.masked_fill(~mask, -math.inf).masked_fill(empty, 0.0)"
AFTER = "torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)"
ZEROED = "keys, values = zero_unseen(keys, values, mask)"
SUMS = "self.W_q(queries).unsqueeze(-2) + self.W_k(keys).unsqueeze(-3)"
SCORE = "self.w_v(torch.tanh(sums)).squeeze(-1)"
W_V = "self.w_v = nn.Linear(num_hiddens, 1, bias=False)"
SPLIT, MERGE = ".unflatten(-1, (H, D // H)).transpose(1, 2)", "pooled.transpose(1, 2).flatten(2)"
POOL = "pooled = self.attention(q, k, v, mask, need_weights)"
HEADS_ZEROED = "keys, values = zero_unseen(keys, values, seen)"
BEFORE, AFTERWARDS = "x + dropout(part(norm(x)))", "norm(x + dropout(part(x)))"
SMOOTHED = "label_smoothing=smoothing)"
DECODED, CHOSEN = "model.decode(new, memory, src, cache)", ".masked_fill(done, model.pad)"
FROM_SOURCE = "lambda y: attend(self.cross_attention, y, new, memory_mask,"

# name: (definition, {words: what stands in their place})
WRONG = {
    # the scale
    "dot product: no scale": (DOT, {
        SCALE: "queries @ keys.mT", FUSED: FUSED + ", scale=1.0"}),
    "dot product: divided by d": (DOT, {
        SCALE: "queries / d @ keys.mT", FUSED: FUSED + ", scale=1 / queries.shape[-1]"}),
    "dot product: divided by sqrt(2)": (DOT, {
        SCALE: "queries / math.sqrt(2) @ keys.mT", FUSED: FUSED + ", scale=2 ** -0.5"}),
    "dot product: divided by sqrt(m)": (DOT, {
        SCALE: "queries / math.sqrt(keys.shape[-2]) @ keys.mT",
        FUSED: FUSED + ", scale=keys.shape[-2] ** -0.5"}),
    "dot product: no scale where weights are wanted": (DOT, {SCALE: "queries @ keys.mT"}),
    "additive: divided by sqrt(h)": (ADDITIVE, {SCORE: SCORE + " / math.sqrt(sums.shape[-1])"}),

    # the mask
    "mask inverted": (SOFTMAX, {"check_mask(mask, scores.shape)": "mask = ~mask"}),
    "mask after the softmax": (SOFTMAX, {FILL: "pass"}),
    "mask shifted by one key": (SOFTMAX, {
        "    empty =": "    mask = mask.roll(1, -1)\n    empty ="}),
    "0 in place of minus infinity": (SOFTMAX, {"-math.inf": "0.0"}),
    "scores times mask": (SOFTMAX, {FILL: "scores = scores * mask"}),
    "scores + log(mask)": (SOFTMAX, {
        FILL: "scores = (scores + mask.to(scores.dtype).log()).masked_fill(empty, 0.0)"}),
    "weights times mask, divided by their sum": (SOFTMAX, {
        FILL: "weights = torch.softmax(scores, dim=-1) * mask",
        AFTER: "weights / (weights.sum(dim=-1, keepdim=True) + 1e-13)"}),
    "exponentials without taking the maximum off": (SOFTMAX, {
        FILL: "weights = scores.masked_fill(~mask, -math.inf).exp()",
        AFTER: "weights / weights.sum(dim=-1, keepdim=True).masked_fill(empty, 1.0)"}),
    "-1e9 in place of minus infinity": (SOFTMAX, {
        FILL: "scores = scores.masked_fill(~mask, -1e9)", AFTER: "torch.softmax(scores, dim=-1)"}),
    "-1e6 in place of minus infinity, then zeros": (SOFTMAX, {"-math.inf": "-1e6"}),
    "empty rows nan": (SOFTMAX, {".masked_fill(empty, 0.0)": "", ".masked_fill(~mask, 0.0)": ""}),
    "empty rows nan on the way": (SOFTMAX, {".masked_fill(empty, 0.0)": ""}),
    "empty rows uniform": (SOFTMAX, {".masked_fill(~mask, 0.0)": ""}),
    "a row with one masked key taken for empty": (SOFTMAX, {"mask.any(": "mask.all("}),
    "mask written into the scores": (SOFTMAX, {
        "scores.masked_fill(~mask, -math.inf)": "scores.masked_fill_(~mask, -math.inf)"}),
    "scores detached before they are filled": (SOFTMAX, {
        "scores.masked_fill(~mask": "scores.detach().masked_fill(~mask"}),
    "dot product: mask ignored without weights": (DOT, {"attn_mask=mask": "attn_mask=None"}),
    "dot product: mask ignored with weights": (DOT, {WEIGHTS: "masked_softmax(scores)"}),
    "dot product: mask in train mode only": (DOT, {
        "attn_mask=mask": "attn_mask=mask if self.training else None",
        WEIGHTS: "masked_softmax(scores, mask if self.training else None)"}),
    "dot product: -1e9 added without weights": (DOT, {
        "attn_mask=mask": "attn_mask=None if mask is None else ~mask * queries.new_tensor(-1e9)"}),
    "dot product: causal without a mask": (DOT, {
        FUSED: FUSED + ", is_causal=mask is None"}),
    "dot product: overflow in a masked key": (DOT, {ZEROED: ZEROED.replace("keys,", "_,", 1)}),
    "dot product: overflow in a masked value": (DOT, {
        ZEROED: ZEROED.replace("values =", "_ =")}),
    "additive: nan in a masked key": (ADDITIVE, {ZEROED: ZEROED.replace("keys,", "_,", 1)}),
    "additive: nan in a masked value": (ADDITIVE, {ZEROED: ZEROED.replace("values =", "_ =")}),
    "unseen: a key masked for one query zeroed for all": (ZERO, {"mask.any(": "mask.all("}),
    "unseen: what the first query does not see": (ZERO, {"mask.any(dim=-2)": "mask[..., 0, :]"}),
    "unseen: keys zeroed in place": (ZERO, {
        "keys.masked_fill(unseen, 0.0)": "keys.masked_fill_(unseen, 0.0)"}),
    "unseen: times 0 in place of 0": (ZERO, {
        "values.masked_fill(unseen, 0.0)": "values * ~unseen"}),
    "length mask: <=": ("length_mask", {
        "lengths.device) < lengths": "lengths.device) <= lengths"}),
    "length mask: one too short": ("length_mask", {
        "lengths[..., None]": "lengths[..., None] - 1"}),
    "length mask: counted from the end": ("length_mask", {
        "torch.arange(m, device=lengths.device)": "torch.arange(m).flip(0)"}),
    "length mask: no axis for the queries": ("length_mask", {
        "lengths[:, None] if lengths.dim() == 1 else lengths": "lengths"}),
    "length mask: no range": ("length_mask", {"outside.numel() > 0": "False"}),
    "length mask: small integers stay small": ("length_mask", {
        "valid_lens.long()": "valid_lens",
        "torch.arange(m, device=lengths.device)": "torch.arange(m).to(lengths.dtype)"}),
    "causal mask: strict": ("causal_mask", {".tril(offset)": ".tril(offset - 1)"}),
    "causal mask: upper triangle": ("causal_mask", {".tril(offset)": ".triu(offset)"}),
    "causal mask: offset ignored": ("causal_mask", {".tril(offset)": ".tril()"}),
    "causal mask: offset of the wrong sign": ("causal_mask", {".tril(offset)": ".tril(-offset)"}),
    "causal mask: no keys before the first": ("causal_mask", {
        "torch.ones(n, offset + n,": "torch.ones(n, n,"}),

    # the softmax
    "softmax over the queries": (SOFTMAX, {"torch.softmax(scores, dim=-1)": (
        "torch.softmax(scores, dim=-2)")}),
    "softmax over the first axis": (SOFTMAX, {"torch.softmax(scores, dim=-1)": (
        "torch.softmax(scores, dim=0)")}),
    "softmax of half precision returned in float32": (SOFTMAX, {"torch.softmax(scores, dim=-1)": (
        "torch.softmax(scores, -1, torch.promote_types(scores.dtype, torch.float32))")}),
    "scores.view": (SOFTMAX, {"    check_mask": (
        "    scores = scores.view(-1, scores.shape[-1]).view(scores.shape)\n    check_mask")}),

    # queries, keys, values
    "pooling: the keys in place of the values": ("attention_pooling", {
        "weights @ values": "weights @ keys"}),
    "pooling: scores divided by their sum": ("attention_pooling", {
        "torch.softmax(scores, dim=-1)": "scores / scores.sum(dim=-1, keepdim=True)"}),
    "pooling: exponentials without taking the maximum off": ("attention_pooling", {
        "torch.softmax(scores, dim=-1)": "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)"}),
    "pooling: zeros above the diagonal": ("attention_pooling", {
        "torch.softmax(scores": "torch.softmax(scores.tril()"}),
    "pooling: scores detached": ("attention_pooling", {
        "torch.softmax(scores": "torch.softmax(scores.detach()"}),
    "dot product: the queries in place of the keys": (DOT, {
        SCALE: "queries / math.sqrt(d) @ queries.mT", "queries, keys, values, attn": (
            "queries, queries, values, attn")}),
    "dot product: the keys in place of the values": (DOT, {
        "self.dropout(weights) @ values": "self.dropout(weights) @ keys",
        "queries, keys, values, attn": "queries, keys, keys, attn"}),
    "dot product: keys reshaped, not transposed": (DOT, {
        "@ keys.mT": "@ keys.reshape(*keys.shape[:-2], d, keys.shape[-2])"}),
    "dot product: batches mixed by a transpose of all axes": (DOT, {
        "@ keys.mT": "@ keys.permute(*range(keys.dim())[::-1]).reshape(keys.mT.shape)"}),
    "dot product: keys.view": (DOT, {
        "@ keys.mT": "@ keys.view(-1, d).view(keys.shape).mT"}),
    "dot product: three axes only": (DOT, {"@ keys.mT": "@ keys.transpose(1, 2)"}),
    "dot product: the queries scaled in place": (DOT, {
        "queries / math.sqrt(d)": "queries.div_(math.sqrt(d))"}),
    "dot product: a buffer for the last weights": (DOT, {
        "nn.Dropout(dropout)": "nn.Dropout(dropout)\n"
                               "        self.register_buffer('last_weights', None)",
        f"weights = {WEIGHTS}": f"weights = self.last_weights = {WEIGHTS}"}),
    "additive: three axes only": (ADDITIVE, {
        "unsqueeze(-2) +": "unsqueeze(2) +", "unsqueeze(-3)": "unsqueeze(1)"}),
    "additive: axes swapped, then reshaped": (ADDITIVE, {
        SUMS: "self.W_q(queries).unsqueeze(-3) + self.W_k(keys).unsqueeze(-2)",
        SCORE: SCORE + ".reshape(*sums.shape[:-3], sums.shape[-2], sums.shape[-3])"}),
    "additive: squeeze of every axis of 1": (ADDITIVE, {
        "squeeze(-1)  # (..., n, m)": "squeeze()  # (..., n, m)"}),
    "additive: the query left out": (ADDITIVE, {
        "self.W_q(queries)": "torch.zeros_like(self.W_q(queries))"}),

    # the additive score
    "additive: no tanh": (ADDITIVE, {"torch.tanh(sums)": "sums"}),
    "additive: tanh of each part": (ADDITIVE, {
        "torch.tanh(sums)": "sums", SUMS: (
            "torch.tanh(self.W_q(queries)).unsqueeze(-2) + torch.tanh(self.W_k(keys)).unsqueeze(-3)"
        )}),
    "additive: one matrix for both": (ADDITIVE, {
        W_V: "self.W_k = self.W_q if query_size == key_size else self.W_k\n        " + W_V}),
    "additive: a sum in place of w_v": (ADDITIVE, {SCORE: "torch.tanh(sums).sum(dim=-1)"}),
    "additive: softmax of w_v": (ADDITIVE, {
        SCORE: "torch.tanh(sums) @ torch.softmax(self.w_v.weight[0], dim=0)"}),
    "additive: a bias": (ADDITIVE, {"num_hiddens, bias=False": "num_hiddens"}),
    "additive: w_v not registered": (ADDITIVE, {
        W_V: "self.w_v = [nn.Linear(num_hiddens, 1, bias=False)]",
        "self.w_v(": "self.w_v[0](", "self.w_v.weight": "self.w_v[0].weight"}),
    "additive: w_v a buffer": (ADDITIVE, {
        W_V: W_V + "\n        weight = self.w_v.weight.detach()\n        del self.w_v.weight\n"
                   "        self.w_v.register_buffer('weight', weight)"}),

    # dropout
    "dot product: weights returned after dropout": (DOT, {
        WEIGHTS: f"self.dropout({WEIGHTS})", "self.dropout(weights) @": "weights @"}),
    "dot product: dropout in eval mode with weights": (DOT, {
        "self.dropout(weights)": "F.dropout(weights, self.dropout.p)"}),
    "dot product: dropout in eval mode without weights": (DOT, {
        "self.dropout.p if self.training else 0.0": "self.dropout.p"}),
    "dot product: no dropout without weights": (DOT, {"dropout_p=dropout": "dropout_p=0.0"}),
    "dot product: dropout at 1 - p": (DOT, {
        "self.dropout.p if self": "1 - self.dropout.p if self"}),
    "dot product: dropout of the scores": (DOT, {
        WEIGHTS: "masked_softmax(self.dropout(scores), mask)", "self.dropout(weights) @": (
            "weights @")}),
    "additive: dropout in eval mode": (ADDITIVE, {
        "self.dropout(weights)": "F.dropout(weights, self.dropout.p)"}),
    "additive: dropout of the output": (ADDITIVE, {
        "self.dropout(weights) @ values": "self.dropout(weights @ values)"}),

    # what does not fit
    "integers taken for a mask": ("check_mask", {"kind != torch.bool": "kind is None"}),
    "mask of any shape": ("check_mask", {"if not fits": "if False"}),
    "mask compared with the batch of the queries": ("check_attention_inputs", {
        "(*batch, *heads, n, m)": "(*queries.shape[:-2], *heads, n, m)"}),
    "mask of one axis": ("check_attention_inputs", {"mask.dim() < 2": "False"}),
    "length mask: any dtype": ("length_mask", {"kind not in": "None in"}),
    "length mask: any number of axes": ("length_mask", {"valid_lens.dim() not in (1, 2)": "False"}),
    "causal mask: any number": ("causal_mask", {"type(size) is not int or size < 0": "False"}),
    "masked softmax: any dtype": (SOFTMAX, {
        'not getattr(kind, "is_floating_point", False)': "False"}),
    "pooling: scores of any shape": ("attention_pooling", {
        "tuple(scores.shape) != (*batch, n, m)": "False"}),
    "any width": ("check_attention_inputs", {"width not in": "name in"}),
    "any number of values": ("check_attention_inputs", {"values.shape[-2] != m": "False"}),
    "any dtype": ("check_attention_inputs", {"kind != dtype and": "False and"}),
    "one dtype under autocast too": ("check_attention_inputs", {
        "torch.is_autocast_enabled(tensor.device.type)": "False"}),
    "float64 under autocast": ("check_attention_inputs", {
        "torch.float64 in (kind, dtype)": "False"}),

    # heads: how they are cut and put together
    "heads: split without the transpose": (HEADS, {
        SPLIT: ".reshape(len(x), H, x.shape[1], D // H)"}),
    "heads: split by a reshape that a batch of 0 leaves open": (HEADS, {
        SPLIT: ".reshape(x.shape[0], -1, H, D // H).transpose(1, 2)"}),
    "heads: merged without the transpose": (HEADS, {
        MERGE: "pooled.reshape(-1, *queries.shape[1:])"}),
    "heads: split and merged without the transpose": (HEADS, {
        SPLIT: ".reshape(len(x), H, x.shape[1], D // H)",
        MERGE: "pooled.reshape(-1, *queries.shape[1:])"}),
    "heads: no transpose, so heads attend to heads": (HEADS, {
        SPLIT: ".unflatten(-1, (H, D // H))", MERGE: "pooled.flatten(2)"}),
    "heads: num_heads and d exchanged": (HEADS, {"(H, D // H)": "(D // H, H)"}),
    "heads: every H-th column": (HEADS, {
        SPLIT: ".unflatten(-1, (D // H, H)).permute(0, 3, 1, 2)"}),
    "heads: merged in another order": (HEADS, {MERGE: "pooled.permute(0, 2, 3, 1).flatten(2)"}),
    "heads: averaged": (HEADS, {MERGE: "pooled.mean(dim=1).repeat(1, 1, H)"}),
    "heads: values not split": (HEADS, {
        POOL: "pooled = self.attention(q, k, v.transpose(1, 2).flatten(2).unsqueeze(1), mask, "
              "need_weights)", MERGE: "pooled.mean(dim=1)"}),
    "heads: W_o left out": (HEADS, {f"self.W_o({MERGE})": MERGE}),
    "heads: W_q for the keys": (HEADS, {"(self.W_k, keys)": "(self.W_q, keys)"}),
    "heads: W_k for the values": (HEADS, {"(self.W_v, values)": "(self.W_k, values)"}),
    "heads: the keys in place of the values": (HEADS, {
        "(self.W_v, values)": "(self.W_v, keys)"}),
    "heads: no bias": (HEADS, {"bias=bias": "bias=False"}),
    "heads: a bias always": (HEADS, {"bias=bias": "bias=True"}),

    # heads: what they attend with
    "heads: divided by sqrt(D)": (HEADS, {"self.attention(q,": "self.attention(q / math.sqrt(H),"}),
    "heads: divided by sqrt(d) twice": (HEADS, {
        "self.attention(q,": "self.attention(q / math.sqrt(D // H),"}),
    "heads: softmax over the heads": (HEADS, {
        POOL: "scores = q @ k.mT / math.sqrt(D // H)\n"
              "        scores = scores if mask is None else scores.masked_fill(~mask, -1e9)\n"
              "        weights = torch.softmax(scores, dim=1)\n"
              "        pooled = (weights @ v, weights) if need_weights else weights @ v"}),
    "heads: weights averaged": (HEADS, {"(output, weights)": "(output, weights.mean(dim=1))"}),
    "heads: mask not handed on": (HEADS, {"v, mask, need": "v, None, need"}),
    "heads: no axis for the heads in the mask": (HEADS, {"mask.unsqueeze(-3)": "mask"}),
    "heads: that axis before the batch": (HEADS, {"mask.unsqueeze(-3)": "mask.unsqueeze(0)"}),
    "heads: the mask of the first head for all": (HEADS, {
        "mask.unsqueeze(-3)": "mask.unsqueeze(-3)\n        elif heads:\n"
                              "            mask = mask[:, :1]"}),
    "heads: nothing zeroed before the projections": (HEADS, {HEADS_ZEROED: "pass"}),
    "heads: keys not zeroed before the projections": (HEADS, {
        HEADS_ZEROED: HEADS_ZEROED.replace("keys,", "_,", 1)}),
    "heads: values not zeroed before the projections": (HEADS, {
        HEADS_ZEROED: HEADS_ZEROED.replace("values =", "_ =")}),
    "heads: what the first head does not see zeroed": (HEADS, {
        "mask.any(dim=1) if": "mask[:, 0] if"}),
    "heads: what one head does not see zeroed": (HEADS, {
        "mask.any(dim=1) if": "mask.all(dim=1) if"}),
    "heads: dropout not handed on": (HEADS, {"DotProductAttention(dropout)": (
        "DotProductAttention()")}),
    "heads: dropout of the output": (HEADS, {
        f"self.W_o({MERGE})": f"self.attention.dropout(self.W_o({MERGE}))"}),
    "heads: need_weights not handed on": (HEADS, {
        "v, mask, need_weights)": "v, mask, True)", "pooled if need_weights else (pooled, None)": (
            "pooled"), "(output, weights) if need_weights else output": "output, weights"}),

    # heads: what does not fit
    "heads: num_heads no divisor": (HEADS, {"if d_model % num_heads": "if False"}),
    "heads: sizes below 1": (HEADS, {"size < 1": "size == 0"}),
    "heads: sizes of any type": (HEADS, {"type(size) is not int or": ""}),
    "heads: True for a size": (HEADS, {"type(size) is not int": "not isinstance(size, int)"}),
    "heads: any d_model": (HEADS, {
        '(("d_model", d_model), ("num_heads", num_heads))': '[("num_heads", num_heads)]'}),
    "heads: any number of axes": (HEADS, {"x, \"ndim\", 3) != 3": "x, \"ndim\", 3) < 1"}),
    "heads: values of any width": (HEADS, {"mask, D, D, D, dtype": "mask, D, D, None, dtype"}),
    "heads: any dtype": (HEADS, {"D, D, D, dtype,": "D, D, D, None,"}),
    "heads: mask used before it is checked": (HEADS, {"values, mask, D, D": "values, None, D, D"}),
    "heads: mask checked with the axis for the heads": (HEADS, {
        "        heads = (H,)": "        if torch.is_tensor(mask) and mask.dim() == 3:\n"
                                "            mask = mask.unsqueeze(1)\n        heads = (H,)"}),

    # places: the table
    "places: k from 1": (PLACES, {
        "torch.arange((d_model + 1) // 2,": "torch.arange(1, (d_model + 1) // 2 + 1,"}),
    "places: base 1000": (PLACES, {"10000.0": "1000.0"}),
    "places: frequencies of k / D": (PLACES, {"-2 * k": "-k"}),
    "places: frequencies that grow": (PLACES, {"-2 * k": "2 * k - d_model"}),
    "places: cosines first": (PLACES, {"angles.sin(), angles.cos()": "angles.cos(), angles.sin()"}),
    "places: all sines, then all cosines": (PLACES, {
        "torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)": (
            "torch.cat([angles.sin(), angles.cos()], dim=1)")}),
    "places: sines only": (PLACES, {"angles.cos()": "angles.sin()"}),
    "places: even widths only": (PLACES, {"(d_model + 1) // 2": "d_model // 2"}),
    "places: angles in float32": (PLACES, {"torch.float64": "torch.float32"}),
    "places: counted from 1": (PLACES, {"places[:, None] *": "(places[:, None] + 1) *"}),
    "places: as a share of max_len": (PLACES, {"places[:, None] *": "places[:, None] / max_len *"}),
    "places: no buffer": (PLACES, {
        'self.register_buffer("codes", codes[:, :d_model].float(), persistent=False)': (
            "self.codes = codes[:, :d_model].float()")}),
    "places: a parameter": (PLACES, {
        'self.register_buffer("codes", codes[:, :d_model].float(), persistent=False)': (
            "self.codes = nn.Parameter(codes[:, :d_model].float())")}),
    "places: a table in every file": (PLACES, {", persistent=False": ""}),

    # places: what is done with it
    "places: offset ignored": (PLACES, {"[offset:end]": "[:x.shape[-2]]"}),
    "places: one further on": (PLACES, {"[offset:end]": "[offset:end].roll(1, 0)"}),
    "places: the last place for all": (PLACES, {"[offset:end]": "[end - 1]"}),
    "places: counted along the second axis": (PLACES, {"offset + x.shape[-2]": (
        "offset + x.shape[min(1, x.dim() - 2)]")}),
    "places: multiplied": (PLACES, {"(x + self": "(x * self"}),
    "places: beside the vectors": (PLACES, {
        "x + self.codes[offset:end].to(x.dtype)": (
            "torch.cat([x, self.codes[offset:end].to(x.dtype).expand_as(x)], dim=-1)")}),
    "places: vectors times sqrt(D)": (PLACES, {"(x + self": "(x * math.sqrt(D) + self"}),
    "places: written into the vectors": (PLACES, {
        "x + self.codes[offset:end].to(x.dtype)": "x.add_(self.codes[offset:end])"}),
    "places: gradient cut": (PLACES, {"(x + self": "(x.detach() + self"}),
    "places: half precision returned in float32": (PLACES, {".to(x.dtype)": ""}),
    "places: dropout of the codes": (PLACES, {
        "self.dropout(x + self.codes[offset:end].to(x.dtype))": (
            "x + self.dropout(self.codes[offset:end].to(x.dtype))")}),
    "places: no dropout": (PLACES, {"self.dropout(x +": "(x +"}),
    "places: dropout in eval mode": (PLACES, {
        ".to(x.dtype))": ".to(x.dtype)) if self.training else F.dropout(x, self.dropout.p)"}),

    # places: what does not fit
    "places: sizes of any type": (PLACES, {"type(size) is not int or size < 1": "size < 1"}),
    "places: any size": (PLACES, {"type(size) is not int or size < 1": "False"}),
    "places: any dtype": (PLACES, {'not getattr(kind, "is_floating_point", False)': "False"}),
    "places: any width": (PLACES, {" or x.shape[-1] != D": ""}),
    "places: one axis": (PLACES, {"x.dim() < 2 or ": ""}),
    "places: any offset": (PLACES, {"type(offset) is not int or offset < 0": "False"}),
    "places: beyond the table": (PLACES, {"end > max_len": "False"}),

    # the position-wise network, and the residual path
    "network: no ReLU": ("FeedForward", {"torch.relu(self.W_1(x))": "self.W_1(x)"}),
    "network: W_1 twice": ("FeedForward", {
        "self.W_2(self.dropout(torch.relu(self.W_1(x))))": (
            "F.linear(self.dropout(torch.relu(self.W_1(x))), self.W_1.weight.mT, self.W_2.bias)")}),
    "network: neighbours mixed": ("FeedForward", {
        "self.W_1(x)": "self.W_1(x if x.dim() < 2 else (x + x.roll(1, -2)) / 2)"}),
    "network: no dropout": ("FeedForward", {"self.dropout(torch": "(torch"}),
    "network: dropout in eval mode": ("FeedForward", {
        "self.dropout(torch.relu(self.W_1(x)))": (
            "F.dropout(torch.relu(self.W_1(x)), self.dropout.p)")}),
    "network: any size": ("FeedForward", {
        "check_sizes(d_model=d_model, d_hidden=d_hidden)": "pass"}),
    "residual: orders swapped": ("residual", {"if norm_first": "if not norm_first"}),
    "residual: no path, norm first": ("residual", {BEFORE: BEFORE.removeprefix("x + ")}),
    "residual: no path, norm last": ("residual", {AFTERWARDS: "norm(dropout(part(x)))"}),
    "residual: the path normalised": ("residual", {
        BEFORE: "norm(x) + dropout(part(norm(x)))"}),
    "residual: norm of the part alone": ("residual", {AFTERWARDS: "x + norm(dropout(part(x)))"}),
    "residual: norm over two axes": ("residual", {
        BEFORE: "x + dropout(part(F.layer_norm(x, x.shape[-2:]) * norm.weight + norm.bias))"}),
    "residual: no dropout, norm first": ("residual", {"dropout(part(norm(x)))": "part(norm(x))"}),
    "residual: no dropout, norm last": ("residual", {"dropout(part(x))": "part(x)"}),
    "residual: dropout of the sum": ("residual", {BEFORE: "dropout(x + part(norm(x)))"}),
    "residual: written into x": ("residual", {BEFORE: "x.add_(dropout(part(norm(x))))"}),

    # the blocks
    "encoder block: one norm for both": (ENCODER, {
        "self.norm2 = nn.LayerNorm(d_model)": "self.norm2 = self.norm1"}),
    "encoder block: mask not handed on": (ENCODER, {"y, y, y, mask": "y, y, y"}),
    "encoder block: queries not normalised": (ENCODER, {"(y, y, y, mask)": "(x, y, y, mask)"}),
    "encoder block: always norm first": (ENCODER, {"nn.Dropout(dropout), norm": (
        "nn.Dropout(dropout), True or norm")}),
    "encoder block: no dropout in the network": (ENCODER, {"d_hidden, dropout)": "d_hidden)"}),
    "decoder block: source and target exchanged": (DECODER, {
        FROM_SOURCE: "lambda y: attend(self.cross_attention, memory, y, memory_mask,"}),
    "decoder block: no memory mask": (DECODER, {FROM_SOURCE: FROM_SOURCE.replace(
        "memory_mask", "None")}),
    "decoder block: the memory normalised": (DECODER, {"new = memory": "new = self.norm2(memory)"}),
    "decoder block: the sequence in place of the memory": (DECODER, {
        FROM_SOURCE: FROM_SOURCE.replace("new", "y")}),
    "decoder block: no mask": (DECODER, {"y, y, mask": "y, y, None"}),
    "decoder block: one norm for two parts": (DECODER, {"x, self.ffn, self.norm3": (
        "x, self.ffn, self.norm2")}),
    "decoder block: no dropout of weights": (DECODER, {"num_heads, dropout)": "num_heads)"}),

    # the cache
    "cache: overwritten": ("attend", {"new if kept is None": "new if True"}),
    "cache: written once": ("attend", {"if kept is None else": "if kept is None else kept or"}),
    "cache: new ones before the old": ("attend", {"torch.cat(pair": "torch.cat(pair[::-1]"}),
    "cache: keys and values exchanged": ("attend", {
        "new = split(attention.W_k(inputs)), split(attention.W_v(inputs))": (
            "new = split(attention.W_v(inputs)), split(attention.W_k(inputs))")}),
    "cache: inputs in place of keys and values": ("attend", {
        "new = split(attention.W_k(inputs)), split(attention.W_v(inputs))": (
            "new = (inputs.unsqueeze(1),)"),
        "    pooled =": "    inputs = kept[0].squeeze(1)\n    cache[attention] = kept\n"
                       "    return attention(queries, inputs, inputs, None if mask is None else "
                       "mask.squeeze(1))\n    pooled ="}),
    "cache: no mask": ("attend", {"*kept, mask": "*kept"}),
    "cache: no W_o": ("attend", {
        "attention.W_o(pooled.transpose(1, 2).flatten(2))": "pooled.transpose(1, 2).flatten(2)"}),
    "cache: nothing checked": ("attend", {
        "    check_step(attention, queries, inputs, mask, kept)\n": ""}),
    "cache: changed by a call that fails": ("attend", {
        "    if mask is not None and": "    cache[attention] = kept\n    if mask is not None and"}),
    "cache: changed before the checks": ("attend", {
        "    check_step(attention, queries, inputs, mask, kept)\n": "",
        "    if mask is not None and": "    cache[attention] = kept\n"
        "    check_step(attention, queries, None, mask, kept)\n    if mask is not None and"}),
    "step: mask not checked": ("check_step", {"if mask is not None": "if False"}),
    "step: no mask of heads": ("check_step", {
        '(attention.num_heads,) if getattr(mask, "ndim", 0) > 3 else ()': "()"}),
    "step: mask for the new keys alone": ("check_step", {
        "0 if kept is None else kept[0].shape[2]": "0"}),
    "step: mask for the old keys alone": ("check_step", {
        "old if inputs is None else old + inputs.shape[1]": "old"}),
    "step: any number of axes": ("check_step", {'x, "ndim", 3) != 3': 'x, "ndim", 3) < 1'}),
    "step: any width and dtype": ("check_step", {
        "check_attention_inputs(queries, made_of, made_of, None, D, D, D, dtype)": "pass"}),
    "step: any number of sequences": ("check_step", {"len(x) != B": "False"}),
    "step: a sequence for all": ("check_step", {"len(x) != B": "len(x) not in (1, B)"}),
    "step: as many sequences as queries": ("check_step", {
        "if kept is None else (len(kept[0])": "if True else (len(kept[0])"}),
    "step: nothing from nothing": ("check_step", {"inputs is None and kept is None": "False"}),
    "cache: the memory appended again": (DECODER, {
        "memory if cache is None or self.cross_attention not in cache else None": "memory"}),
    "cache: the memory projected again": (DECODER, {
        FROM_SOURCE: FROM_SOURCE.replace("new", "memory"), "cache), self.norm2": (
            "None), self.norm2")}),
    "cache: place 0 for every token": (MODEL, {"self.pad), offset)": "self.pad))"}),
    "cache: places one too far": (MODEL, {".shape[2] if cache": ".shape[2] + 1 if cache"}),
    "cache: several new tokens see each other": (MODEL, {"if n > 1 else": (
        "if n > 1 and not offset else")}),

    # the model
    "model: causal mask in train mode only": (MODEL, {"if n > 1 else": (
        "if n > 1 and self.training else")}),
    "model: no mask in the encoder": (MODEL, {"x = block(x, mask)": "x = block(x)"}),
    "model: padding attended to, and nothing else": (MODEL, {"(src != self": "(src == self"}),
    "model: 0 for padding": (MODEL, {"self.pad = nn.Linear(D, tgt_vocab), pad": (
        "self.pad = nn.Linear(D, tgt_vocab), 0")}),
    "model: memory mask from the target": (MODEL, {
        "n, memory_mask = tgt.shape[1], (src !=": "n, memory_mask = tgt.shape[1], (tgt !="}),
    "model: no memory mask": (MODEL, {"memory, mask, memory_mask": "memory, mask, None"}),
    "model: embedding of the source for the target": (MODEL, {
        "embed(tgt, self.target": "embed(tgt, self.source"}),
    "model: no places in the source": (MODEL, {"self.places(self.source(src))": (
        "self.source(src)")}),
    "model: embeddings times sqrt(D)": (MODEL, {"self.places(embed(": (
        "self.places(self.target.embedding_dim ** 0.5 * embed(")}),
    "model: no norm behind the encoder": (MODEL, {"self.encoder_norm(x)": "x"}),
    "model: no norm behind the decoder": (MODEL, {"self.decoder_norm(x)": "x"}),
    "model: a last norm in both orders": (MODEL, {"if norm_first else nn.Identity": ""}),
    "model: one block many times": (MODEL, {
        "(DecoderBlock(*sizes) for _ in range(num_layers))": (
            "([DecoderBlock(*sizes)] * num_layers)")}),
    "model: probabilities": (MODEL, {
        "self.output(self.decoder_norm(x))": "self.output(self.decoder_norm(x)).softmax(dim=-1)"}),
    "model: no dropout of the places": (MODEL, {"PositionalEncoding(D, dropout)": (
        "PositionalEncoding(D)")}),
    "model: no dropout in the blocks": (MODEL, {"d_hidden, dropout, norm": "d_hidden, 0.0, norm"}),
    "model: source tokens not checked": (MODEL, {
        'check_tokens("src", src, self.source.num_embeddings)': "pass"}),
    "model: any size": (MODEL, {
        "check_model(src_vocab, tgt_vocab, d_model, num_layers, pad)": "pass"}),
    "model: any number of blocks": ("check_model", {
        ",\n                num_layers=num_layers": ""}),
    "model: any vocabulary": ("check_model", {"src_vocab=src_vocab, tgt_vocab=tgt_vocab, ": ""}),
    "model: any padding": ("check_model", {
        "type(pad) is not int or not 0 <= pad < words": "False"}),
    "model: padding of any type": ("check_model", {"type(pad) is not int or ": ""}),
    "model: padding in one vocabulary": ("check_model", {"min(": "max("}),
    "model: padding counted from the end": ("check_model", {"0 <= pad": "-words <= pad"}),
    "model: vectors for the target's padding": ("embed", {
        ".masked_fill((tokens == pad).unsqueeze(-1), 0.0)": ""}),
    "model: the target's padding times 0": ("embed", {
        ".masked_fill((tokens == pad).unsqueeze(-1), 0.0)": " * (tokens != pad).unsqueeze(-1)"}),
    "model: zeros for all but padding": ("embed", {"tokens == pad": "tokens != pad"}),
    "sizes: any": ("check_sizes", {"type(size) is not int or size < 1": "False"}),
    "sizes: of any type": ("check_sizes", {"type(size) is not int or ": ""}),
    "sizes: True": ("check_sizes", {"type(size) is not int": "not isinstance(size, int)"}),
    "sizes: 0": ("check_sizes", {"size < 1": "size < 0"}),
    "decoding: nothing checked": (MODEL, {"check_decoding(self, tgt, memory, src)": "pass"}),
    "decoding: source tokens not checked": ("check_decoding", {
        'check_tokens("src", src, model.source.num_embeddings)': "pass"}),
    "decoding: target tokens checked by the source": ("check_decoding", {
        "model.target.num_embeddings": "model.source.num_embeddings"}),
    "decoding: any number of targets": ("check_decoding", {"len(tgt) != len(src)": "False"}),
    "decoding: any memory": ("check_decoding", {"got != wanted": "False"}),
    "decoding: memory of any length": ("check_decoding", {
        "got != wanted": "got[::2] != wanted[::2]"}),
    "decoding: memory of any number of sequences": ("check_decoding", {
        "got != wanted": "got[1:] != wanted[1:]"}),
    "tokens: any dtype": ("check_tokens", {"kind not in": "None in"}),
    "tokens: any number of axes": ("check_tokens", {"tokens.dim() != 2": "False"}),
    "tokens: one too many": ("check_tokens", {"tokens >= vocabulary": "tokens > vocabulary"}),
    "tokens: counted from the end": ("check_tokens", {"(tokens < 0) | ": ""}),

    # the maps
    "maps: no mask": (MAPS, {"append(result[1])": (
        "append(masked_softmax(arguments[0] @ arguments[1].mT / arguments[0].shape[-1] ** 0.5))")}),
    "maps: no mask in the pass either": (MAPS, {"values, mask, True": "values, None, True"}),
    "maps: after dropout": (MAPS, {"append(result[1])": "append(layer.dropout(result[1]))"}),
    "maps: heads averaged": (MAPS, {"append(result[1])": "append(result[1].mean(dim=1))"}),
    "maps: the last call only": (MAPS, {
        "maps.setdefault(name, []).append(result[1])": "maps[name] = [result[1]]"}),
    "maps: weights for who did not ask": (MAPS, {
        "result if asked.pop() else result[0]": "result"}),
    "maps: no weights for who asked": (MAPS, {
        "result if asked.pop() else result[0]": "result[0]"}),
    "maps: hooks left behind": (MAPS, {"hook.remove()": "pass"}),
    "maps: hooks left behind by an exception": (MAPS, {
        "    try:\n        yield maps\n    finally:\n        for": (
            "    if True:\n        yield maps\n        for")}),

    # the loss
    "loss: padding counted": (LOSS, {"ignore_index=pad": "ignore_index=-100"}),
    "loss: 0 for padding, its places in the mean": (LOSS, {
        SMOOTHED: "label_smoothing=smoothing, reduction='none').mean()"}),
    "loss: padding in the part that smooths": (LOSS, {
        "return": "return -smoothing * logits.log_softmax(-1).mean() + (1 - smoothing) *",
        SMOOTHED: "label_smoothing=0.0)"}),
    "loss: 0 is padding": (LOSS, {"ignore_index=pad": "ignore_index=0"}),
    "loss: a mean of the sentences' means": (LOSS, {
        SMOOTHED: "label_smoothing=smoothing, reduction='none').sum(-1).div("
                  "(tokens[:, 1:] != pad).sum(-1)).mean()"}),
    "loss: a sum": (LOSS, {SMOOTHED: "label_smoothing=smoothing, reduction='sum')"}),
    "loss: compared with the token that went in": (LOSS, {"tokens[:, 1:]": "tokens[:, :-1]"}),
    "loss: reshaped, not transposed": (LOSS, {
        "logits.mT": "logits.reshape(len(logits), logits.shape[2], logits.shape[1])"}),
    "loss: two softmaxes": (LOSS, {"logits.mT": "logits.softmax(dim=-1).mT"}),
    "loss: in bits": (LOSS, {SMOOTHED: SMOOTHED + " / math.log(2)"}),
    "loss: no smoothing": (LOSS, {SMOOTHED: "label_smoothing=0.0)"}),
    "loss: smoothed over the other tokens only": (LOSS, {
        SMOOTHED: "label_smoothing=smoothing * logits.shape[-1] / (logits.shape[-1] - 1))"}),
    "loss: gradient cut": (LOSS, {"logits.mT": "logits.detach().mT"}),

    # greedy decoding
    "greedy: a new cache in every step": (GREEDY, {DECODED: "model.decode(new, memory, src, {})"}),
    "greedy: the whole beginning with the cache": (GREEDY, {DECODED: (
        "model.decode(torch.cat([torch.full_like(new, bos), *written], 1), memory, src, cache)"
        "[:, -1:]")}),
    "greedy: the whole beginning without a cache": (GREEDY, {DECODED: (
        "model.decode(torch.cat([torch.full_like(new, bos), *written], 1), memory, src)[:, -1:]")}),
    "greedy: the source encoded in every step": (GREEDY, {
        DECODED: "model.decode(new, model.encode(src), src, cache)"}),
    "greedy: the logits of the first step in all": (GREEDY, {
        DECODED: f"logits if written else {DECODED}"}),
    "greedy: bos goes in again": (GREEDY, {
        DECODED: "model.decode(torch.full_like(new, bos), memory, src, cache)"}),
    "greedy: begins with eos": (GREEDY, {"1), bos, device": "1), eos, device"}),
    "greedy: bos is 1": (GREEDY, {"1), bos, device": "1), 1, device"}),
    "greedy: eos is 2": (GREEDY, {"new == eos": "new == 2"}),
    "greedy: padding is 0": (GREEDY, {CHOSEN: ".masked_fill(done, 0)"}),
    "greedy: argmax over the places": (GREEDY, {"argmax(-1)": "argmax(1)"}),
    "greedy: argmax over the batch": (GREEDY, {
        "argmax(-1)": "squeeze(1).argmax(0)[:len(src), None]"}),
    "greedy: the least likely": (GREEDY, {"argmax(-1)": "argmin(-1)"}),
    "greedy: goes on behind eos": (GREEDY, {CHOSEN: ""}),
    "greedy: eos again behind eos": (GREEDY, {CHOSEN: ".masked_fill(done, eos)"}),
    "greedy: forgets who is done": (GREEDY, {"done | (new == eos)": "new == eos"}),
    "greedy: padding in the place of eos": (GREEDY, {
        "written.append(new)": "written.append(new.masked_fill(new == eos, model.pad))"}),
    "greedy: stops when any is done": (GREEDY, {"done.all()": "done.any()"}),
    "greedy: stops at max_len only": (GREEDY, {"done.all()": "False"}),
    "greedy: a step too many": (GREEDY, {"range(max_len)": "range(max_len + 1)"}),
    "greedy: bos returned": (GREEDY, {
        "torch.cat(written": "torch.cat([torch.full_like(new, bos), *written]"}),
    "greedy: gradients kept": (GREEDY, {"@torch.no_grad()\n": ""}),
    "greedy: in training mode": (GREEDY, {"if model.training": "if False"}),

    # beam search
    "beam: cache not reordered": (BEAM, {"kept[rows] for": "kept for"}),
    "beam: tokens not reordered": (BEAM, {"tokens[rows]": "tokens"}),
    "beam: done not reordered": (BEAM, {"done.flatten()[rows].view(B, width)": "done"}),
    "beam: rows of the batch mixed": (BEAM, {"(first_row + best": "(0 * first_row + best"}),
    "beam: sources in the order of another batch": (BEAM, {
        "src.repeat_interleave(width, dim=0)": "src.repeat(width, 1)"}),
    "beam: row and token exchanged": (BEAM, {
        "best // steps.shape[-1]": "best % width", "best % steps.shape[-1]": "best // width"}),
    "beam: a new cache in every step": (BEAM, {"memory, src, cache)": "memory, src, {})"}),
    "beam: the whole beginning with the cache": (BEAM, {"tokens[:, -1:], memory": (
        "tokens, memory")}),
    "beam: the whole beginning without a cache": (BEAM, {
        "tokens[:, -1:], memory, src, cache)": "tokens, memory, src)"}),
    "beam: equal beginnings at the start": (BEAM, {"total[:, 0] = 0.0": "total[:] = 0.0"}),
    "beam: scores not added up": (BEAM, {
        "(total.unsqueeze(-1) + steps)": (
            "torch.where(total.unsqueeze(-1).isinf(), total.unsqueeze(-1), steps)")}),
    "beam: logits for log-probabilities": (BEAM, {"logits.log_softmax(-1)": "logits"}),
    "beam: probabilities for their logarithms": (BEAM, {"log_softmax(-1)": "softmax(-1)"}),
    "beam: softmax over the batch": (BEAM, {"log_softmax(-1)": "log_softmax(0)"}),
    "beam: the mean over the tokens": (BEAM, {
        "1:], total[:, 0]": "1:], total[:, 0] / (tokens.shape[1] - 1)"}),
    "beam: goes on behind eos": (BEAM, {
        "torch.where(done.unsqueeze(-1), only_pad, steps)": "steps"}),
    "beam: padding counted": (BEAM, {"only_pad, steps)": "only_pad + steps, steps)"}),
    "beam: eos not counted": (BEAM, {
        "        only_pad =": "        steps[..., eos] = 0.0\n        only_pad ="}),
    "beam: padding is 0": (BEAM, {"only_pad[model.pad]": "only_pad[0]"}),
    "beam: bos is 1": (BEAM, {"1), bos, device": "1), 1, device"}),
    "beam: eos is 2": (BEAM, {"new == eos": "new == 2"}),
    "beam: forgets who is done": (BEAM, {
        "done.flatten()[rows].view(B, width) | (new == eos)": "new == eos"}),
    "beam: stops when any beam is done": (BEAM, {"done[:, 0].all()": "done.any()"}),
    "beam: stops when one sentence is done": (BEAM, {"done[:, 0].all()": "done[:, 0].any()"}),
    "beam: stops when all beams are done": (BEAM, {"done[:, 0].all()": "done.all()"}),
    "beam: a step too many": (BEAM, {"range(max_len)": "range(max_len + 1)"}),
    "beam: the last of the beams": (BEAM, {"tokens[::width,": "tokens[width - 1::width,"}),
    "beam: the score of the last beam": (BEAM, {"1:], total[:, 0]": "1:], total[:, -1]"}),
    "beam: the scores of all beams": (BEAM, {"1:], total[:, 0]": "1:], total"}),
    "beam: all beams returned": (BEAM, {"tokens[::width, 1:]": "tokens[:, 1:]"}),
    "beam: bos returned": (BEAM, {"tokens[::width, 1:]": "tokens[::width]"}),
    "beam: gradients kept": (BEAM, {"@torch.no_grad()\n": ""}),
    "beam: in training mode": (BEAM, {"if model.training": "if False"}),
    "beam: any width": (BEAM, {"type(width) is not int or width < 1": "False"}),
    "beam: widths of any type": (BEAM, {"type(width) is not int or ": ""}),
    "beam: True for a width": (BEAM, {"type(width) is not int": "not isinstance(width, int)"}),
    "beam: widths up to the vocabulary": (BEAM, {
        "scores.topk(width)": "scores.topk(min(width, steps.shape[-1]))"}),
}


@cache
def page_of(name):
    """The number of the page that keeps the definition which a wrong version changes."""
    source = inspect.getsource(attention)
    above = source[:source.index(inspect.getsource(getattr(attention, WRONG[name][0])))]
    return int(re.findall(r"(?m)^# chapters/(\d+)_", above)[-1])


@cache
def version(name=None):
    """A module: `utils/attention.py`, or the wrong version of that name."""
    source = inspect.getsource(attention)
    if name:
        definition, changes = WRONG[name]
        taught = changed = inspect.getsource(getattr(attention, definition))
        for words, others in changes.items():
            assert words in changed, f"{definition} does not say {words!r} any more"
            changed = changed.replace(words, others)
        assert changed != taught and source.count(taught) == 1
        source = source.replace(taught, changed)
    module = types.ModuleType(name or "right")
    exec(compile(source, module.__name__, "exec"), vars(module))
    return module


# ---------------------------------------------------------------- three kinds of checks


def typical_results(course, page):
    """What a quick test calls: (result, its shape as it should be), and all weights.

    It calls what is kept up to a page. Two sequences of different lengths; n, m, d and v differ,
    and so do the heads and their width; every query may attend to a key.
    """
    B, n, m, d, v = 2, 3, 5, 8, 4
    torch.manual_seed(0)
    queries, keys, values = torch.randn(B, n, d), torch.randn(B, m, d), torch.randn(B, m, v)
    padding, causal = course.length_mask(torch.tensor([3, 5]), m), course.causal_mask(n)
    results = [(padding, (B, 1, m)), (causal, (n, n)), (course.causal_mask(n, 2), (n, n + 2)),
               (course.length_mask(torch.tensor([[1, 2, 3], [3, 4, 5]]), m), (B, n, m))]
    weights = [course.masked_softmax(queries @ keys.mT, padding),
               course.masked_softmax(queries @ queries.mT, causal)]
    results += zip(weights, [(B, n, m), (B, n, n)])
    output, some = course.attention_pooling(queries, keys, values, lambda q, k: q @ k.mT)
    results += [(output, (B, n, v)), (some, (B, n, m))]
    weights.append(some)
    for layer in (course.DotProductAttention(dropout=0.1),
                  course.AdditiveAttention(d, d, 16, dropout=0.1)):
        layer = layer.eval()
        for mask in (None, padding):
            output, some = layer(queries, keys, values, mask, need_weights=True)
            results += [(output, (B, n, v)), (some, (B, n, m))]
            results.append((layer(queries, keys, values, mask), (B, n, v)))
            weights.append(some)
    if page >= 7:
        H = 4
        layer = course.MultiHeadAttention(d, H, dropout=0.1).eval()
        for mask in (None, padding):
            output, some = layer(queries, keys, keys, mask, need_weights=True)
            results += [(output, (B, n, d)), (some, (B, H, n, m))]
            results.append((layer(queries, keys, keys, mask), (B, n, d)))
            weights.append(some)
    if page >= 9:
        layer = course.PositionalEncoding(d, dropout=0.1).eval()
        results += [(layer(queries), (B, n, d)), (layer(queries, 2), (B, n, d))]
    if page >= 10:
        model, ids = course.Transformer(9, 11, d, H, 2, 16, dropout=0.1).eval(), torch.arange(1, 6)
        src, tgt, cache = ids.repeat(B, 1), ids[:n].repeat(B, 1), {}
        with course.attention_maps(model) as maps:
            memory = model.encode(src)
            results += [(memory, (B, m, d)), (model(src, tgt), (B, n, 11))]
        results += [(model.decode(tgt[:, i:i + 1], memory, src, cache), (B, 1, 11))
                    for i in range(n)]
        for name, some in maps.items():
            shape = (B, H, m, m) if "encoder" in name else (B, H, n, n if "self" in name else m)
            results += [(one, shape) for one in some]
            weights += some
    if page >= 11:
        results.append((course.next_token_loss(model(src, tgt), ids[:n + 1].repeat(B, 1)), ()))
        model.output.bias.data[2] = -1e9  # so that no sentence ends in n steps
        with course.attention_maps(model) as maps:
            results.append((course.greedy(model, src, 1, 2, n), (B, n)))
            written, total = course.beam_search(model, src, 1, 2, n, 2)
        results += [(written, (B, n)), (total, (B,))]
        weights += sum(maps.values(), [])
    return results, weights


def notices(check, *arguments):
    """Whether a check fails, or the code under test. A name that is not there is our own fault."""
    try:
        check(*arguments)
    except NameError:
        raise
    except (Exception, pytest.fail.Exception):
        return True
    return False


def shapes(course, page):
    for result, shape in typical_results(course, page)[0]:
        assert tuple(result.shape) == shape


def shapes_and_row_sums(course, page):
    shapes(course, page)
    for weights in typical_results(course, page)[1]:
        assert (weights >= 0).all()
        torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))


FIRST = Case(batch=(3, 2), n=4, m=5, d=2, v=3, query_size=6, key_size=6, h=7,
             num_heads=3, bias=True, kind="empty rows", seed=0)  # where most faults show


def fixed_cases():
    generator = random.Random(0)
    return [FIRST] + [draw_case(generator) for _ in range(19)]


def failing(name, some):
    """The properties that a version does not have in some of the cases.

    What is wrong in a class that no other definition uses can only be seen in that class, and the
    blocks of page 10, with which page 11 writes, are made of much that has properties of its own.
    """
    definition = WRONG[name][0] if name else None
    its_own = {ADDITIVE: ADDITIVE, HEADS: HEADS, PLACES: "encoding|bad_calls", LOSS: "loss"}.get(
        definition, "")
    page = page_of(name) if name else None
    return [prop for prop in PROPERTIES if re.search(its_own, prop)
            and (not name or (prop.endswith(BLOCKS), prop.endswith(DECODING)) == (
                page == 10, page == 11))
            and any(notices(PROPERTIES[prop], version(name), case) for case in some)]


@cache
def caught_by(name):
    """What fails in the first case in which anything does."""
    return next(filter(None, (failing(name, [case]) for case in fixed_cases())), [])


LAST = 11  # the page that keeps the last definition


@cache
def noticed(check, page=LAST):
    return [name for name in WRONG
            if page_of(name) <= page and notices(check, version(name), page)]


def counts(first=1, last=LAST):
    """Of the wrong versions of what these pages keep: how many there are, and are noticed.

    The checks of shapes and of row sums know what is kept up to the last of the pages.
    """
    some = {name for name in WRONG if first <= page_of(name) <= last}
    return {"wrong versions": len(some), "shapes": len(some.intersection(noticed(shapes, last))),
            "shapes and row sums": len(some.intersection(noticed(shapes_and_row_sums, last))),
            "properties": len([name for name in some if caught_by(name)])}


# ---------------------------------------------------------------- tests


def test_the_right_version_passes():
    shapes_and_row_sums(version(), LAST)
    assert failing(None, fixed_cases()) == []


@pytest.mark.parametrize("name", WRONG)
def test_wrong_version_is_caught(name):
    assert caught_by(name)


def test_every_property_catches_something():
    assert set(PROPERTIES) == {prop for name in WRONG for prop in caught_by(name)}


# (first and last page of the definitions, what is said there, how many each kind of check notices)
TOLD = [
    (1, 4, "", (97, 5, 14, 97)),
    (7, 7, " of this class", (42, 6, 7, 42)),
    (9, 9, " of this class", (34, 1, 1, 34)),
    (10, 10, " of these definitions", (104, 9, 10, 104)),
    (11, 11, " of these definitions", (73, 10, 10, 73)),
]


@pytest.mark.parametrize("first, last, words, wanted", TOLD)
def test_a_page_tells_how_many_each_kind_of_check_notices(first, last, words, wanted):
    found = counts(first, last)
    assert tuple(found.values()) == wanted
    total, by_shape, by_sums, by_properties = wanted
    page = next(page for page in notebooks() if page.number == last)
    sums = f", shapes and row sums together {by_sums}" if by_sums > by_shape else ""
    told = (f"Of {total} wrong versions{words}, a check of shapes notices {by_shape}{sums}, and the "
            f"properties {by_properties}.")
    assert any(told in cell.source for cell in page.texts), f"{page.name} does not say: {told}"


def test_how_many_each_kind_of_check_notices(record_property):
    found = counts()
    record_property("said", f"of {len(WRONG)} wrong versions, " + ", ".join(
        f"{check} notice {count}" for check, count in [*found.items()][1:]))
    assert tuple(found.values()) == (350, 33, 44, 350)


def main():
    """The table in full: all properties that fail in any of the cases. It takes minutes."""
    by_shape, by_sums, alone, total = noticed(shapes), noticed(shapes_and_row_sums), {}, {}
    for name in WRONG:
        found = failing(name, fixed_cases())
        print(f"{name:58} {'shape' if name in by_shape else '-----'} "
              f"{'sums' if name in by_sums else '----'} {len(found):2} of {len(PROPERTIES)}: "
              f"{', '.join(found[:2])}", flush=True)
        for prop in found:
            total[prop] = total.get(prop, 0) + 1
            alone[prop] = alone.get(prop, 0) + (len(found) == 1)
    for prop in PROPERTIES:
        print(f"{prop:64} catches {total.get(prop, 0):2}, {alone.get(prop, 0):2} of them alone")
    print(f"Of {len(WRONG)} wrong versions, shapes notice {len(by_shape)}, "
          f"shapes and row sums {len(by_sums)}.")


if __name__ == "__main__":
    main()
