"""`data/models.py`: what the models of 2026 keep, computed again from their configurations, whose
fields are as their files call them, and beside what another author made of them."""

import pytest

from data.models import ALL, MIXED, MODELS, layers_of

LATENT = dict(kv_lora_rank=512, qk_rope_head_dim=64)
GROUPED = dict(num_key_value_heads=8, head_dim=128)
GEMMA = dict(num_key_value_heads=16, head_dim=256, sliding_window=1024)
CONFIGS = {
    "Kimi K2.5": [dict(LATENT, layers=61)],
    "MiniMax-M2.5": [dict(GROUPED, layers=62)],
    "Mistral Small 4": [dict(LATENT, kv_lora_rank=256, layers=36)],
    "GLM-5": [dict(LATENT, index_head_dim=128, layers=78)],
    "Qwen3.5 35B": [
        dict(num_key_value_heads=2, head_dim=256, layers=40 // 4),
        dict(linear_num_value_heads=32, linear_value_head_dim=128, linear_key_head_dim=128, layers=30),
    ],
    "Gemma 4 31B": [dict(GEMMA, layers=60 - 60 // 6), dict(num_key_value_heads=4, head_dim=512, layers=60 // 6)],
    "DeepSeek-V4 Flash": [
        dict(shared=512, sliding_window=128, layers=43),
        dict(shared=512, index_head_dim=128, compress_rate=4, layers=len(range(2, 43, 2))),
        dict(shared=512, compress_rate=128, layers=len(range(3, 43, 2))),
    ],
}
# KiB a token by S. Raschka's gallery. It has no keys to choose by, all windowed layers before their
# windows are full, and a key and value of Gemma's from one matrix as one.
GALLERY = {"Kimi K2.5": 68.6, "MiniMax-M2.5": 248, "Mistral Small 4": 22.5, "GLM-5": 87.8}
GALLERY |= {"Gemma 4 31B": 840, "DeepSeek-V4 Flash": 5.4}


def kept(layers, sliding_window=ALL, compress_rate=1, **widths):
    """What such layers add for a token: numbers for each, and those kept once."""
    numbers = widths.pop("kv_lora_rank", 0) + widths.pop("qk_rope_head_dim", 0)
    numbers += widths.pop("index_head_dim", 0) + widths.pop("shared", 0)
    numbers += 2 * widths.pop("num_key_value_heads", 0) * widths.pop("head_dim", 0)
    if widths:  # a matrix for each head
        heads, rows, columns = widths.values()
        return layers, heads * rows * columns, 1, 1
    return layers, numbers, sliding_window, compress_rate


def test_each_model_of_the_table():
    told = {name for name, model in (MODELS | MIXED).items() if "how" in model}
    assert told == set(CONFIGS) and set(MIXED) <= told


@pytest.mark.parametrize("name", CONFIGS)
def test_rows_follow_from_configurations(name):
    found = [kind for kind in layers_of((MODELS | MIXED)[name]) if kind[0]]
    assert found == [kept(**layers) for layers in CONFIGS[name]]


@pytest.mark.parametrize("name", GALLERY)
def test_another_author_comes_to_the_same(name):
    kinds = [dict(kind, index_head_dim=0) for kind in CONFIGS[name]]
    if name == "DeepSeek-V4 Flash":
        kinds = kinds[1:]  # beyond its windows
    numbers = [layers * each / every for layers, each, _, every in (kept(**kind) for kind in kinds)]
    if name == "Gemma 4 31B":
        numbers[1] /= 2
    assert 2 * sum(numbers) / 1024 == pytest.approx(GALLERY[name], rel=0.005)
