"""How long greedy decoding takes with the cache: beside recomputing, and beside `nn.Transformer`.

    make bench

The long texts have one turn; without a cache they take minutes. It runs on one thread: a second one
hurries the large matrices of recomputing, not the small ones of a step with the cache, so the
ratios shrink (on two free cores from 7.9 to 5.9, at D = 256 and 64 tokens).
"""

from functools import cache

import pytest
import torch
from torch import nn

from tests.benchmarks.turns import take_turns
from tests.cases import in_torchs_names
from utils.transformer import Cache, Transformer

B, M, VOCAB, H, LAYERS = 32, 16, 300, 4, 2
TURNS = {16: 5, 64: 3, 256: 1}  # by the number of tokens
WANTED = {(256, 64): 6, (256, 256): 12}  # D, tokens -> so many times faster than recomputing


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@cache
def rivals(D):
    """Functions of source and number of tokens, in eval mode, and with the same parameters."""
    torch.manual_seed(0)
    model = Transformer(VOCAB, VOCAB, D, H, LAYERS, 4 * D).eval()
    theirs = nn.Transformer(D, H, LAYERS, LAYERS, 4 * D, batch_first=True, norm_first=True).eval()
    inner = {name: tensor for name, tensor in model.state_dict().items() if "coder" in name}
    theirs.load_state_dict(in_torchs_names(inner))

    def decode_theirs(tgt, memory, src):
        mask = theirs.generate_square_subsequent_mask(tgt.shape[1])
        x = model.positions(model.target(tgt))
        x = theirs.decoder(x, memory, mask, tgt_is_causal=True)  # its fast call
        return model.output(x[:, -1:])

    def greedy(encode, decode, cached=False):
        def tokens(src, length):
            memory, kept = encode(src), [Cache()] * cached
            tgt = torch.ones(len(src), 1, dtype=torch.int64)
            for _ in range(length):
                logits = decode(tgt[:, -1:] if cached else tgt, memory, src, *kept)
                tgt = torch.cat([tgt, logits[:, -1:].argmax(-1)], dim=1)
            return tgt

        return tokens

    return [
        greedy(model.encode, model.decode, cached=True),
        greedy(model.encode, model.decode),
        greedy(lambda src: theirs.encoder(model.positions(model.source(src))), decode_theirs),
    ]


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
@pytest.mark.parametrize("length", TURNS)
@pytest.mark.parametrize("D", [64, 256])
@torch.no_grad()
def test_ratio(capsys, D, length):
    src = torch.randint(1, VOCAB, (B, M), generator=torch.Generator().manual_seed(0))  # no padding
    cached, *others = (call(src, 8) for call in rivals(D))  # the first calls are slow
    assert all(torch.equal(other, cached) for other in others)
    ms, ratios = take_turns(rivals(D), [src, length], TURNS[length])
    wanted = WANTED.get((D, length), 0)
    with capsys.disabled():
        print(
            f"\nGreedy decoding of {length} tokens at B={B}, D={D} on one thread takes "
            f"{ms:.0f} ms with the cache; recomputing {ratios[0]:.1f} times as "
            f"long{f' ({wanted} is wanted)' * bool(wanted)}, nn.Transformer {ratios[1]:.1f} times."
        )
    assert ratios[0] >= wanted
