"""How long attention takes, beside torch's class and beside a way of our own.

    make bench

The names of these files keep them out of plain `pytest`: they need all cores, and a quiet machine. A ratio
is one of neighbours in time, so a machine that becomes slower meanwhile doesn't change it.
"""

from statistics import median
from time import perf_counter

import torch
from torch import nn

from taught.attention import MultiHeadAttention
from tests.cases import in_torchs_names


def take_turns(rivals, arguments, turns, rounds=1):
    """How many ms the first rival takes, and how many times as long each of the others does."""
    seconds = [[] for _ in rivals]
    for _ in range(turns):
        for call, its in zip(rivals, seconds, strict=True):
            took = []
            for _ in range(rounds):
                start = perf_counter()
                call(*arguments)
                took.append(perf_counter() - start)
            its.append(median(took))
    first, *others = seconds
    ratios = [median(b / a for a, b in zip(first, other, strict=True)) for other in others]
    return 1e3 * median(first), ratios


@torch.no_grad()
def test_attention(capsys):
    B, n, D, H = 4, 1024, 256, 8
    torch.manual_seed(0)
    ours = MultiHeadAttention(D, H).eval()
    theirs = nn.MultiheadAttention(D, H, batch_first=True).eval()
    theirs.load_state_dict(in_torchs_names(ours.state_dict()))
    calls = [
        lambda x: ours(x, x, x),
        lambda x: theirs(x, x, x, need_weights=False)[0],  # its fast call
        lambda x: ours(x, x, x, need_weights=True)[0],
    ]
    x = torch.randn(B, n, D)
    for call in calls:  # the first calls are slow
        torch.testing.assert_close(call(x), calls[0](x))
    ms, ratios = take_turns(calls, [x], turns=10, rounds=3)
    theirs, explicit = (1 / ratio for ratio in ratios)
    with capsys.disabled():
        print(
            f"\nMultiHeadAttention at B={B}, n={n}, D={D}, H={H} without weights takes {ms:.0f} ms:"
            f"\n{theirs:.2f} times the time of nn.MultiheadAttention's fast call (0.8 is wanted),"
            f"\n{explicit:.2f} times that of our explicit path, with weights (0.5 is wanted)."
        )
    assert theirs <= 0.8 and explicit <= 0.5
