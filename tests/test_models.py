"""`data/models.py`: what the models of 2026 keep of a token, beside what another author made of it."""

import pytest

from data.models import MIXED, MODELS, layers_of

# KiB a token by S. Raschka's gallery.
GALLERY = {"Kimi K2.5": 68.6, "MiniMax-M2.5": 248, "Mistral Small 4": 22.5, "GLM-5": 87.8}
GALLERY |= {"Gemma 4 31B": 840, "DeepSeek-V4 Flash": 5.4}


@pytest.mark.parametrize("name", GALLERY)
def test_another_author_comes_to_the_same(name):
    kinds = [numbers * layers / every for layers, numbers, _, every in layers_of((MODELS | MIXED)[name])]
    if name == "GLM-5":
        kinds[0] -= 78 * 128  # there are no keys to choose by
    if name == "Gemma 4 31B":
        kinds[1] /= 2  # a key and value from one matrix are one; windows aren't full
    if name == "DeepSeek-V4 Flash":
        kinds = [21 * 512 / 4, kinds[2]]  # without keys to choose by, beyond the windows
    assert 2 * sum(kinds) / 1024 == pytest.approx(GALLERY[name], rel=0.005)
