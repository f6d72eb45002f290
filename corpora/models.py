"""What language models keep of every token, for the page on efficient attention, from published code.

Each model: `heads` heads share the keys and values of `groups`, `width` numbers each, or a layer
keeps `latent` + `rotary` numbers; `full` layers keep every token, `windowed` ones the last `window`.
"""

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
}
