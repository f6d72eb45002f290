"""What language models keep of every token, for the page on efficient attention, from published code.

In MODELS all layers keep alike: `heads` heads share the keys and values of `groups`, `width` numbers
each, or a layer keeps `latent` + `rotary` numbers; `full` layers keep every token, `windowed` ones the
last `window`. In MIXED they don't: so many layers keep so many numbers of the last so many tokens, or
of ALL, or for every so many of them once. `how` says it in words, for the page's table.
"""

ALL = 10**12  # tokens

MODELS = {
    # openai/gpt-2, src/model.py and the released hparams
    "GPT-2 small": dict(heads=12, groups=12, width=64, full=12),
    # huggingface/smollm, text/pretraining/smollm2/config_smollm2_135M.yaml
    "SmolLM2 135M": dict(heads=9, groups=3, width=64, full=30),
    # meta-llama/llama, llama/model.py
    "Llama 2 7B": dict(heads=32, groups=32, width=128, full=32),
    # huggingface/transformers, models/falcon/configuration_falcon.py
    "Falcon 7B": dict(heads=71, groups=1, width=64, full=32),
    # mistralai/mistral-inference, README.md; transformers, models/mistral/configuration_mistral.py
    "Mistral 7B": dict(heads=32, groups=8, width=128, windowed=32, window=4096),
    # pytorch/torchtune, torchtune/models/llama3_1/_model_builders.py
    "Llama 3.1 8B": dict(heads=32, groups=8, width=128, full=32),
    # google-deepmind/gemma, gemma/gm/nn/_gemma.py
    "Gemma 3 27B": dict(heads=32, groups=16, width=128, full=10, windowed=52, window=1024),
    # openai/gpt-oss, gpt_oss/torch/model.py; its 24 layers: NVIDIA-NeMo/Megatron-Bridge
    "gpt-oss 20B": dict(heads=64, groups=8, width=64, full=12, windowed=12, window=128),
    # deepseek-ai/DeepSeek-V3, inference/configs/config_671B.json
    "DeepSeek-V3": dict(heads=128, width=128, latent=512, rotary=64, full=61),
    # MoonshotAI/Kimi-K2.5, README.md: 61 layers, 64 heads, latent attention, built on Kimi K2;
    # the widths of K2: NVIDIA-NeMo/Megatron-Bridge, src/megatron/bridge/models/kimi/kimi_provider.py
    "Kimi K2.5": dict(heads=64, width=128, latent=512, rotary=64, full=61, how="latent vectors"),
    # huggingface/transformers, models/minimax_m2/configuration_minimax_m2.py;
    # that M2.5 keeps M2's 62 layers: Raschka's gallery
    "MiniMax-M2.5": dict(heads=48, groups=8, width=128, full=62, how="groups of 6 heads"),
    # huggingface/transformers, models/mistral4/configuration_mistral4.py
    "Mistral Small 4": dict(
        heads=32, width=128, latent=256, rotary=64, full=36, how="latent vectors"
    ),
}

MIXED = {
    # huggingface/transformers, models/glm_moe_dsa/configuration_glm_moe_dsa.py: beside the latent
    # vector and its rotary part a key of 128 numbers, by which the earlier tokens are chosen
    "GLM-5": dict(layers=[(78, 512 + 64 + 128, ALL, 1)], how="latent vectors, keys to choose by"),
    # huggingface/transformers, models/qwen3_5_moe/configuration_qwen3_5_moe.py (35B-A3B): every fourth
    # of 40 layers keeps 2 keys and values of 256; the rest, once, 32 matrices of 128 x 128
    "Qwen3.5 35B": dict(
        layers=[(10, 2 * 2 * 256, ALL, 1), (30, 32 * 128 * 128, 1, 1)],
        how="a matrix in 3 of 4 layers",
    ),
    # huggingface/transformers, models/gemma4/convert_gemma4_weights.py and modular_gemma4.py: 16 keys
    # and values of 256 in a window, 4 of 512 in every sixth layer, made by one matrix but both kept
    "Gemma 4 31B": dict(
        layers=[(50, 2 * 16 * 256, 1024, 1), (10, 2 * 4 * 512, ALL, 1)],
        how="a window in 5 of 6 layers",
    ),
    # huggingface/transformers, docs/source/en/model_doc/deepseek_v4.md, and configuration_deepseek_v4.py
    # and modular_deepseek_v4.py in models/deepseek_v4: one vector of 512 is key and value, for each of
    # the last 128 tokens, for every 4 tokens in 21 layers, with a key of 128 to choose by, and for every
    # 128 in 20; which layers: antirez/ds4, MODEL_CARD.md
    "DeepSeek-V4 Flash": dict(
        layers=[(43, 512, 128, 1), (21, 512 + 128, ALL, 4), (20, 512, ALL, 128)],
        how="one vector for 4 or 128 tokens",
    ),
}


def layers_of(model):
    """The kinds of layers of a model: how many, numbers, of the last tokens, for every so many."""
    if "layers" in model:
        return model["layers"]
    numbers = 2 * model.get("groups", 0) * model["width"]
    if "latent" in model:
        numbers = model["latent"] + model["rotary"]
    full = (model.get("full", 0), numbers, ALL, 1)
    return [full, (model.get("windowed", 0), numbers, model.get("window", 1), 1)]
