"""Efficient attention beside itself: explicit, by blocks and fused, with peak memory; caches.

    make bench

The name of this file keeps it out of plain `pytest`: it needs all cores, and a quiet machine. A ratio is one of
neighbours in time. Peak memory is that of a process of its own, as Linux counts it: with what fused functions need
inside, which `taught.memory` doesn't see.
"""

import subprocess
import sys
from statistics import median
from time import perf_counter

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from data.smollm_file import is_here, model_file
from taught.attention import DotProductAttention
from taught.efficient import WindowAttention, WindowCache, blockwise_attention
from taught.language_model import Cache
from taught.real_model import load

H, d = 9, 64
ONCE = """
import re, torch
from pathlib import Path
from tests.benchmarks.bench_efficient import WAYS

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])

torch.manual_seed(0)
q, k, v = torch.randn(3, 1, 9, {n}, 64)
call = WAYS[{name!r}]
with torch.no_grad():
    call(*(x[..., :64, :] for x in (q, k, v)))  # what the first call of all needs
    before = peak()
    call(q, k, v)
print(peak() - before)
"""
WAYS = {
    "fused": F.scaled_dot_product_attention,
    "explicit": lambda q, k, v: DotProductAttention()(q, k, v, need_weights=True)[0],
    "by blocks": blockwise_attention,
}


def take_turns(rivals, arguments, turns):
    """How many ms the first rival takes, and how many times as long each of the others does."""
    seconds = [[] for _ in rivals]
    for _ in range(turns):
        for call, its in zip(rivals, seconds, strict=True):
            start = perf_counter()
            call(*arguments)
            its.append(perf_counter() - start)
    first, *others = seconds
    ratios = [median(b / a for a, b in zip(first, other, strict=True)) for other in others]
    return 1e3 * median(first), ratios


def peak(name, n):
    """MiB that a call adds to the peak of a fresh process."""
    code = ONCE.format(name=name, n=n)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(run.stdout) / 1024


@torch.no_grad()
def test_exact_attention(capsys):
    for n, turns in ((128, 20), (1024, 5), (4096, 3)):
        x = torch.randn(3, 1, H, n, d)
        ms, ratios = take_turns([*WAYS.values()], [*x], turns)
        memory = [min(peak(name, n) for _ in range(3)) for name in WAYS]
        with capsys.disabled():
            print(
                f"\nAttention of {H} heads, n={n}: fused {ms:.1f} ms; explicit {ratios[0]:.1f} times "
                f"as long, by blocks {ratios[1]:.1f} times; peak memory of fused, explicit, by blocks: "
                f"{', '.join(f'{each:.0f}' for each in memory)} MiB."
            )
    assert ratios[0] > 1.5
    assert memory[2] < memory[1] / 8, "linear in n is wanted: 1/8 of the explicit way"


def widened(model):
    """The same model with a key and a value for each head: the same logits, a larger cache."""
    for block in model.blocks:
        layer = block.attention
        for W in (layer.W_k, layer.W_v):
            wide = W.weight.unflatten(0, (-1, layer.d)).repeat_interleave(layer.share, dim=0)
            W.weight = nn.Parameter(wide.flatten(0, 1), requires_grad=False)
        layer.share = 1
    return model


@pytest.mark.skipif(not is_here(), reason="the real model isn't on this machine")
@torch.no_grad()
def test_caches(capsys):
    """One token of the real model after m others whose keys and values are random."""
    model, wide, narrow = load(model_file())[0], widened(load(model_file())[0]), None
    narrow = load(model_file())[0]
    for block in narrow.blocks:
        block.attention.attention = WindowAttention(128)
    token = torch.zeros(1, 1, dtype=torch.int64)
    text = torch.arange(100, 140)[None]
    torch.testing.assert_close(wide(text), model(text), atol=1e-3, rtol=1e-4)
    for m in (128, 1024, 4096):

        def step(which, groups, kept, cache_of=Cache, m=m):
            layers = [block.attention for block in which.blocks]
            old = {layer: tuple(torch.randn(2, 1, groups, kept, d)) for layer in layers}

            def call():
                cache = cache_of()
                cache.kept = dict(old)
                cache.seen = dict.fromkeys(layers, m)
                which(token, cache)

            return call, sum(k.nbytes + v.nbytes for k, v in old.values()) / 2**20

        window = step(narrow, 3, min(m, 127), lambda: WindowCache(128))
        grouped, every = step(model, 3, m), step(wide, H, m)
        ms, ratios = take_turns([window[0], grouped[0], every[0]], [], turns=5)
        sizes = ", ".join(f"{each[1]:.0f}" for each in (window, grouped, every))
        with capsys.disabled():
            print(
                f"\nA token of the real model after {m}: {ms:.0f} ms with a window of 128, "
                f"{ratios[0]:.2f} times that with three keys and values for each token, "
                f"{ratios[1]:.2f} times with nine; caches of {sizes} MiB."
            )
    assert ratios[1] > ratios[0]
