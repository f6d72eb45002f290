"""How long `MultiHeadAttention` takes, beside torch's class and beside our own explicit path.

    make bench

Its name keeps this file out of plain `pytest`: it needs all cores, and a quiet machine. The rivals
take turns, and a ratio is one of neighbours in time, so a machine that becomes slower meanwhile
does not change it.
"""

from statistics import median

import pytest
import torch
from torch import nn

from utils.attention import MultiHeadAttention

B, N, D, H = 4, 1024, 256, 8
TURNS, ROUNDS = 10, 3


def rivals():
    """Functions of x, in eval mode, and with the same parameters."""
    torch.manual_seed(0)
    ours = MultiHeadAttention(D, H).eval()
    theirs = nn.MultiheadAttention(D, H, batch_first=True).eval()
    three = ours.W_q, ours.W_k, ours.W_v
    theirs.load_state_dict(
        {
            "in_proj_weight": torch.cat([linear.weight for linear in three]),
            "in_proj_bias": torch.cat([linear.bias for linear in three]),
            "out_proj.weight": ours.W_o.weight,
            "out_proj.bias": ours.W_o.bias,
        }
    )
    return {
        "ours": lambda x: ours(x, x, x),
        "theirs": lambda x: theirs(x, x, x, need_weights=False)[0],  # its fast call
        "explicit": lambda x: ours(x, x, x, need_weights=True)[0],
    }


RIVALS, X = rivals(), torch.randn(B, N, D)
SECONDS = {name: [] for name in RIVALS}  # of each turn


@torch.no_grad()
def test_the_rivals_agree():
    ours, *others = [call(X) for call in RIVALS.values()]
    for other in others:
        torch.testing.assert_close(other, ours)


@pytest.mark.parametrize("name", RIVALS)  # changes faster than the turn
@pytest.mark.parametrize("turn", range(TURNS))
@torch.no_grad()
def test_time(benchmark, turn, name):
    benchmark.pedantic(RIVALS[name], (X,), rounds=ROUNDS, warmup_rounds=1)
    SECONDS[name].append(benchmark.stats.stats.median)


@pytest.mark.parametrize(
    "other, words, bound",
    [
        ("theirs", "the time of nn.MultiheadAttention's fast call", 0.8),
        ("explicit", "the time of our explicit path, with weights", 0.5),
    ],
)
def test_ratio(capsys, other, words, bound):
    ratio = median(ours / its for ours, its in zip(SECONDS["ours"], SECONDS[other], strict=True))
    with capsys.disabled():
        print(
            f"\nMultiHeadAttention at B={B}, n={N}, D={D}, H={H} without weights takes "
            f"{1e3 * median(SECONDS['ours']):.0f} ms:\n{ratio:.2f} times {words} "
            f"({1e3 * median(SECONDS[other]):.0f} ms); at most {bound} is wanted."
        )
    assert ratio <= bound
