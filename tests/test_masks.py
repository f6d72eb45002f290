"""What `chapters/masks.md` says about this course and other libraries, row by row."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right

from taught.attention import DotProductAttention, causal_mask, length_mask, masked_softmax
from taught.efficient import WindowCache
from taught.recurrent import delta_rule, linear_attention

B, H, n, m, d = 2, 3, 4, 5, 6
SDPA = F.scaled_dot_product_attention
NONE = torch.zeros(2, 2, dtype=torch.bool)  # an empty row, twice
EVERY = torch.ones(n, n, dtype=torch.bool)


def drawn():
    """Queries, keys and values; a mask with a key and a masked key in each row; scores; weights."""
    torch.manual_seed(4)
    q, k, v = (torch.randn(B, H, rows, d) for rows in (n, m, m))
    mask = torch.rand(B, 1, n, m) > 0.4
    mask[..., 0], mask[..., 4] = True, False
    scores = q @ k.mT / math.sqrt(d)
    return q, k, v, mask, scores, masked_softmax(scores, mask)


def padding():
    """A mask that can only name padding: the same keys for all queries of a sequence."""
    return length_mask(torch.tensor([2, 5]), m)[:, None].expand(B, 1, n, m)


def test_sdpa_takes_our_mask_and_its_floats():
    q, k, v, mask, scores, weights = drawn()
    torch.testing.assert_close(SDPA(q, k, v, attn_mask=mask), weights @ v)
    floats = torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -math.inf)
    torch.testing.assert_close(SDPA(q, k, v, attn_mask=floats), weights @ v)
    causal = masked_softmax(q @ q.mT / math.sqrt(d), causal_mask(n)) @ q
    torch.testing.assert_close(SDPA(q, q, q, is_causal=True), causal)


def test_is_causal_gives_the_first_rows_and_causal_lower_right_the_last():
    x, keys, eye = torch.zeros(2, 8), torch.zeros(5, 8), torch.eye(5)
    assert torch.equal(SDPA(x, keys, eye, is_causal=True) > 0, causal_mask(5)[:2])
    assert torch.equal(SDPA(x, keys, eye, causal_lower_right(2, 5)) > 0, causal_mask(2, offset=3))


def test_multihead_attention_inverts_the_mask():
    # It has projections of its own: we compare where its weights are above 0.
    q, k, _, mask, *_ = drawn()
    module = nn.MultiheadAttention(d, H, batch_first=True)
    words, memory = q[:, 0], k[:, 0]
    pairs = ~mask.expand(B, H, n, m).flatten(0, 1)
    _, theirs = module(words, memory, memory, attn_mask=pairs, average_attn_weights=False)
    assert torch.equal(theirs > 0, mask.expand(B, H, n, m))
    theirs = nn.Transformer.generate_square_subsequent_mask(n)
    assert torch.equal(theirs == 0, causal_mask(n))
    mask = padding()
    _, theirs = module(words, memory, memory, key_padding_mask=~mask[:, 0, 0, :])
    assert torch.equal(theirs > 0, mask[:, 0])
    _, theirs = module(words, memory, memory, key_padding_mask=mask[:, 0, 0, :])
    assert (theirs[0] * mask[0, 0]).eq(0).all(), "without ~ all weight is on the padding"
    assert theirs[1].isnan().all(), "of a sequence without padding nothing is left"


@pytest.mark.parametrize("mode", ["train", "eval"])
def test_is_causal_of_multihead_attention_is_a_hint_about_the_mask(mode):
    torch.manual_seed(0)
    module, x = nn.MultiheadAttention(d, H, batch_first=True), torch.randn(B, n, d)
    getattr(module, mode)()
    with pytest.raises(RuntimeError, match="Need attn_mask"):
        module(x, x, x, is_causal=True)
    causal, all_ = (module(x, x, x, attn_mask=~mask)[0] for mask in (causal_mask(n), EVERY))
    assert (causal - all_).abs().max() > 0.01
    for with_weights, expected in ((False, causal), (True, all_)):
        options = dict(attn_mask=~EVERY, is_causal=True, need_weights=with_weights)
        torch.testing.assert_close(module(x, x, x, **options)[0], expected)


def test_the_annotated_transformer_cs231n_hugging_face_and_d2l():
    _, _, _, mask, scores, weights = drawn()
    filled = scores.masked_fill(mask[:, 0][:, None] == 0, -1e9)
    torch.testing.assert_close(torch.softmax(filled, dim=-1), weights)
    columns = scores.mT.masked_fill(~mask.mT, -math.inf)  # keys in rows
    torch.testing.assert_close(torch.softmax(columns, dim=-2).mT, weights)
    mask = padding()
    integers = mask[:, 0, 0, :].long()
    added = (1 - integers[:, None, None, :]) * torch.finfo(torch.float32).min
    theirs = torch.softmax(scores + added, dim=-1)
    torch.testing.assert_close(theirs, masked_softmax(scores, mask))
    assert mask[:, 0].sum(-1).tolist() == [[2] * n, [5] * n]
    prefixes = causal_mask(n).expand(B, 1, n, n)
    assert torch.equal(length_mask(prefixes[:, 0].sum(-1), n), prefixes[:, 0])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_an_empty_row_here_and_in_sdpa(dtype):
    torch.manual_seed(0)
    scores, ones = torch.randn(2, 2).to(dtype), torch.ones(1, 1, 2, 4, dtype=dtype)
    assert torch.softmax(scores.masked_fill(~NONE, -math.inf), dim=-1).isnan().all()
    for least in (torch.finfo(dtype).min, *[-1e9] * (dtype != torch.float16)):
        assert (torch.softmax(scores.masked_fill(~NONE, least), dim=-1) == 0.5).all()
    assert (masked_softmax(scores, NONE) == 0).all()
    for empty in (NONE, torch.full((2, 2), -math.inf, dtype=dtype)):
        for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
            leaf = ones.clone().requires_grad_()
            with sdpa_kernel(backend):
                output = SDPA(leaf, leaf, leaf, empty)
            output.sum().backward()
            assert (output == 0).all() and leaf.grad.isfinite().all()


def test_an_empty_row_in_multihead_attention_and_its_fast_path():
    torch.manual_seed(0)
    module, x = nn.MultiheadAttention(4, 2, batch_first=True), torch.randn(1, 2, 4)
    nn.init.ones_(module.out_proj.bias)
    for mode in (module.train, module.eval):
        mode()
        assert module(x, x, x, attn_mask=~NONE)[0].isnan().all()
        assert (module(x, x, x, attn_mask=~NONE, need_weights=False)[0] == 1).all(), "the bias"
    encoder = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()
    with torch.no_grad():
        assert encoder(x, src_key_padding_mask=torch.ones(1, 2).bool()).isnan().all()
        try:
            for fast in (True, False):
                torch.backends.mha.set_fastpath_enabled(fast)
                output, _ = module(x, x, x, attn_mask=~NONE, need_weights=False)
                assert output.isnan().all() if fast else (output == 1).all()
        finally:
            torch.backends.mha.set_fastpath_enabled(True)


def test_masks_as_floats_are_a_bonus_and_scores_of_0_are_no_mask():
    equal, ones = torch.zeros(1, 4), torch.tensor([[1.0, 1.0, 0.0, 0.0]])
    bonus, half = torch.softmax(ones[0], dim=-1), torch.tensor([0.5, 0.5, 0.0, 0.0])
    eye, keys, x = torch.eye(4), torch.zeros(4, 4), torch.zeros(1, 4, 4)
    torch.testing.assert_close(SDPA(equal, keys, eye, ones)[0], bonus)
    torch.testing.assert_close(SDPA(equal, keys, eye, ones.bool())[0], half)
    module = nn.MultiheadAttention(4, 1, bias=False, batch_first=True)
    for mask, expected in ((ones, bonus), (~ones.bool(), half)):
        torch.testing.assert_close(module(x, x, x, key_padding_mask=mask)[1][0, 0], expected)
    low, high = (torch.softmax(torch.tensor([first, 0.0]), dim=-1) for first in (-2.0, 2.0))
    assert low[1] > 0.8 > 0.2 > high[1]


def test_other_symptoms():
    assert not torch.ones(4, 4).tril(-1).any(dim=-1)[0], "a first row without its diagonal"
    ignored = F.cross_entropy(torch.zeros(2, 3), torch.tensor([0, 0]), ignore_index=0)
    assert ignored.isnan()
    with pytest.raises(RuntimeError, match="overflow"):
        torch.zeros(2, dtype=torch.float16).masked_fill(torch.tensor([True, False]), -1e9)
    # A mask (B, n, m) without an axis for the heads is read as (H, n, m), here and in SDPA.
    mask, x = length_mask(torch.tensor([1, 4]), 4), torch.zeros(2, 2, 4, 4)
    of_heads = DotProductAttention()(x[:, :, :3], x, x, mask, need_weights=True)[1]
    for weights in (of_heads, masked_softmax(torch.zeros(2, 2, 3, 4), mask)):
        assert weights[0, 1, 0, 3] > 0, "the padding of sequence 0"
    with pytest.raises(ValueError):
        masked_softmax(torch.zeros(2, 3, 3, 4), mask)


def test_masks_as_integers_are_refused_by_sdpa():
    x, ones = torch.zeros(1, 1, 2, 4), torch.ones(2, 2)
    for mask in (ones.long(), ones.int(), ones.double()):
        words = "Expected attn_mask dtype to be bool or float or to match query dtype"
        with pytest.raises(RuntimeError, match=words):
            SDPA(x, x, x, mask)
    assert torch.equal(SDPA(x, x, x, ones.bool()), x)


def test_padding_is_written_into_a_state_but_with_keys_or_rates_of_0():
    torch.manual_seed(0)
    q, k, v = F.normalize(torch.randn(3, 1, 1, 13, 8), dim=-1)
    rates, real = torch.rand(1, 1, 13), torch.arange(13) >= 4
    expected = linear_attention(q[:, :, 4:], k[:, :, 4:], v[:, :, 4:])
    for keys, is_right in ((k, False), (k * real[:, None], True)):
        off = (linear_attention(q, keys, v)[:, :, 4:] - expected).abs().max()
        assert (off < 1e-5) == is_right
    expected = delta_rule(q[:, :, 4:], k[:, :, 4:], v[:, :, 4:], rates[..., 4:])
    for beta, is_right in ((rates, False), (rates * real, True)):
        off = (delta_rule(q, k, v, beta)[:, :, 4:] - expected).abs().max()
        assert (off < 1e-5) == is_right


def test_a_guess_is_taken_back_by_a_copy_of_a_windows_cache():
    cache, keys = WindowCache(6, first=1), torch.randn(1, 1, 20, 4)
    cache.update("layer", keys[:, :, :10], keys[:, :, :10])
    before = cache.copy()
    cache.update("layer", keys[:, :, 10:14], keys[:, :, 10:14])
    cut = [tensor[:, :, :-4] for tensor in cache.kept["layer"]]
    (cached_keys, _), _ = (before.kept["layer"], before.update("layer", keys[:, :, 14:15], keys[:, :, 14:15]))
    assert torch.equal(cached_keys, keys[:, :, [0, 6, 7, 8, 9]]) and cut[0].shape[2] < cached_keys.shape[2]
    assert torch.equal(before.kept["layer"][0], keys[:, :, [0, 7, 8, 9, 14]])


def test_dropout_of_sdpa_acts_in_eval_too():
    torch.manual_seed(0)
    x = torch.randn(1, 1, 8, 8)
    once, again = (SDPA(x, x, x, dropout_p=0.5) for _ in range(2))
    assert not torch.equal(once, again)
    attention = DotProductAttention(dropout=0.5).eval()
    assert torch.equal(attention(x, x, x), SDPA(x, x, x))


def stop_at_nan(module, inputs, output):
    outputs = output if isinstance(output, tuple) else (output,)
    for tensor in outputs:
        assert not torch.is_tensor(tensor) or tensor.isfinite().all(), module


def test_the_hook_stops_at_the_first_nan_and_switches_the_fast_path_off():
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 3), nn.ReLU())
    nn.init.constant_(model[1].bias, math.nan)
    for module in model.modules():
        module.register_forward_hook(stop_at_nan)
    with pytest.raises(AssertionError, match="out_features=3"):
        model(torch.ones(1, 4))
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False).eval()
    x, padding_mask = torch.randn(1, 2, 4), torch.ones(1, 2, dtype=torch.bool)
    with torch.no_grad():
        assert encoder(x, src_key_padding_mask=padding_mask).isnan().all()
        hooks = [module.register_forward_hook(stop_at_nan) for module in encoder.modules()]
        assert encoder(x, src_key_padding_mask=padding_mask).isfinite().all()
    assert hooks
