"""How long the real model takes for a token: of a text that it reads, and of one it writes.

    make bench

On one thread and on two. Nothing is judged, as there is nothing to beat: the numbers say what the
page can ask for, and what a change of the classes costs.
"""

from statistics import median
from time import perf_counter

import pytest
import torch

from data.smollm_file import COMMAND, NAME, is_here, model_file
from data.text import alice
from taught.language_model import Cache
from taught.real_model import load

TURNS = {64: 5, 256: 3, 1024: 1}  # by the number of tokens that are read at once
WRITTEN = 16  # tokens, one by one


@pytest.fixture(scope="module")
def loaded():
    if not is_here():
        pytest.skip(f"{NAME} isn't here; to fetch it, run: {COMMAND}")
    return load(model_file())


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"])
def threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@torch.no_grad()
def test_a_token(loaded, threads, capsys):
    """With a cache, as when a text is written; after 64 and 1,024 tokens each costs more."""
    model, tokenizer = loaded
    tokens = torch.tensor([tokenizer.encode(alice()[0][:8000])])
    model(tokens[:, :64])  # the first call is slow
    said = []
    for n, turns in TURNS.items():
        took = []
        for _ in range(turns):
            cache, start = Cache(), perf_counter()
            model(tokens[:, :n], cache)
            took.append(perf_counter() - start)
        said.append(f"read {n:,} at once {1e3 * median(took) / n:.1f}")
        if n == 256:
            continue
        took = []
        for i in range(n, n + WRITTEN):
            start = perf_counter()
            model(tokens[:, i : i + 1], cache)
            took.append(perf_counter() - start)
        said.append(f"write after {n:,} {1e3 * median(took):.0f}")
    with capsys.disabled():
        print(f"\nSmolLM2-135M, ms a token on {threads} thread(s): {', '.join(said)}.")
