"""How long attention and greedy writing take: beside torch's class, and beside a way of our own.

    make bench

The names of these files keep them out of plain `pytest`: they need all cores, and a quiet machine.
Writing runs on one thread: a second one hurries the large matrices of recomputing, not the small
ones of a step with the cache. A ratio is one of neighbours in time, so a machine that becomes slower meanwhile
doesn't change it.
"""

from functools import cache
from statistics import median
from time import perf_counter

import pytest
import torch
from torch import nn

from taught.attention import MultiHeadAttention
from taught.language_model import Cache, CachedLanguageModel
from tests.cases import in_torchs_names

H, B, M, VOCAB, LAYERS = 4, 32, 16, 300, 2
TURNS = {16: 5, 64: 3, 256: 1}  # by the number of tokens; the long texts take minutes


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


@pytest.fixture
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@cache
def rivals(D):
    """Greedy writing with a cache and without one, by one model in eval mode."""
    torch.manual_seed(0)
    model = CachedLanguageModel(VOCAB, D, H, LAYERS, 4 * D).eval()

    def cached(text, length):
        kept, unread = Cache(), text
        for _ in range(length):
            unread = model(unread, kept)[:, -1:].argmax(-1)
            text = torch.cat([text, unread], dim=1)
        return text

    def recomputed(text, length):
        for _ in range(length):
            text = torch.cat([text, model(text)[:, -1:].argmax(-1)], dim=1)
        return text

    return [cached, recomputed]


@pytest.mark.parametrize("length", TURNS)
@pytest.mark.parametrize("D", [64, 256])
@torch.no_grad()
def test_writing(capsys, one_thread, D, length):
    text = torch.randint(1, VOCAB, (B, M), generator=torch.Generator().manual_seed(0))
    cached, recomputed = (call(text, 8) for call in rivals(D))  # the first calls are slow
    assert torch.equal(recomputed, cached)
    ms, ratios = take_turns(rivals(D), [text, length], TURNS[length])
    with capsys.disabled():
        print(
            f"\nGreedy writing of {length} tokens at B={B}, D={D} on one thread takes {ms:.0f} ms with "
            f"the cache; recomputing takes {ratios[0]:.1f} times as long."
        )
