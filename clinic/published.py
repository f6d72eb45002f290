"""What `examine` says of attention in published packages: prints the table of chapters/examine.md.

Run it where the packages are: pip install torch transformers x-transformers keras
memory-efficient-attention-pytorch. A package that is missing is left out.
"""

import importlib
import os
import sys
from functools import partial
from importlib.metadata import version
from types import SimpleNamespace

import torch
from torch import nn
from torch.nn import functional as F

os.environ.setdefault("KERAS_BACKEND", "torch")
try:
    from attention_clinic import examine
except ImportError:  # in the course's folder
    from taught.clinic import examine


def from_package(name, module, attribute):
    """A function or class, and None where the package isn't there."""
    try:
        return getattr(importlib.import_module(module), attribute)
    except ImportError as error:
        print(f"{name} is left out: {error}", file=sys.stderr)


# ---------------------------------------------------------------- masks, as packages want them


def added(mask, like):
    """0 where a query may attend, the lowest number where it may not."""
    if mask is None:
        return None
    return torch.zeros(mask.shape, dtype=like.dtype).masked_fill(~mask, torch.finfo(like.dtype).min)


def causal(n, m):
    return torch.ones(n, m, dtype=torch.bool).tril(m - n)


# ---------------------------------------------------------------- packages


def multihead(q, k, v, mask, need_weights=False):
    """nn.MultiheadAttention, whose linear maps are made the identity."""
    B, H, n, d = q.shape
    layer = nn.MultiheadAttention(H * d, H, bias=False, batch_first=True, dtype=q.dtype).eval()
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(H * d).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(H * d))
    q, k, v = (x.transpose(1, 2).flatten(2) for x in (q, k, v))  # (B, n, H * d)
    if mask is not None:
        mask = ~mask.expand(B, H, n, k.shape[1]).flatten(0, 1)
    output, _ = layer(q, k, v, attn_mask=mask, need_weights=need_weights)
    return output.unflatten(2, (H, d)).transpose(1, 2)


def causal_by_flag(q, k, v, mask):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def of_transformers(function, as_mask=added, **settings):
    """A function `..._attention_forward` of Transformers, which returns (B, n, H, d) and weights."""

    def attention(q, k, v, mask):
        layer = SimpleNamespace(num_key_value_groups=1, training=False, is_causal=False)
        more = {"scaling": q.shape[-1] ** -0.5, **settings}
        if "sinks" in more:
            layer.sinks = more.pop("sinks")[: q.shape[1]].to(q.dtype)
        output, _ = function(layer, q, k, v, as_mask(mask, q), **more)
        return output.transpose(1, 2)

    return attention


def boolean(mask, like):
    return mask


def of_lucidrains(attend):
    """Its packages take a mask of two axes as one of sequences and keys, so it gets four."""

    def attention(q, k, v, mask):
        if mask is not None:
            mask = mask.expand(*q.shape[:3], k.shape[2])
        output = attend(q, k, v, mask=mask)
        return output[0] if isinstance(output, tuple) else output

    return attention


def of_keras(function):
    """It takes (B, n, H, d)."""

    def attention(q, k, v, mask):
        if mask is not None:
            mask = mask.expand(*q.shape[:3], k.shape[2])
        return function(*(x.transpose(1, 2) for x in (q, k, v)), mask=mask).transpose(1, 2)

    return attention


def layers():
    """Package, what is examined, the function, and the rule of one that takes no mask."""
    yield "torch", "scaled_dot_product_attention", F.scaled_dot_product_attention, None
    yield "torch", "scaled_dot_product_attention, is_causal=True", causal_by_flag, causal
    yield "torch", "nn.MultiheadAttention, need_weights=False", multihead, None
    with_weights = partial(multihead, need_weights=True)
    yield "torch", "nn.MultiheadAttention", with_weights, None  # as it is called by default
    name = "transformers"
    own = {"gpt_oss": {"sinks": torch.zeros(12)}, "gemma2": {"softcap": 50.0}}
    for model in ("llama", "bert", "gemma2", "gpt_oss"):
        module = f"transformers.models.{model}.modeling_{model}"
        if function := from_package(name, module, "eager_attention_forward"):
            attention = of_transformers(function, **own.get(model, {}))
            yield name, f"{model}, eager_attention_forward", attention, None
    module = "transformers.integrations.sdpa_attention"
    if function := from_package(name, module, "sdpa_attention_forward"):
        yield name, "sdpa_attention_forward", of_transformers(function, boolean), None
    name = "x-transformers"
    if Attend := from_package(name, "x_transformers.attend", "Attend"):
        yield name, "Attend()", of_lucidrains(Attend()), None
        yield name, "Attend(flash=True)", of_lucidrains(Attend(flash=True)), None
    name, module = "memory-efficient-attention-pytorch", "memory_efficient_attention_pytorch"
    module += ".memory_efficient_attention"
    if function := from_package(name, module, "attention"):
        yield name, "attention", of_lucidrains(function), None
    if function := from_package("keras", "keras.ops", "dot_product_attention"):
        yield "keras", "ops.dot_product_attention", of_keras(function), None


if __name__ == "__main__":
    for package, what, attention, rule in layers():
        complaints = examine(attention, rule)
        print(f"{package} {version(package)}, {what}: {len(complaints)}")
        for complaint in complaints:
            print("   ", complaint)
