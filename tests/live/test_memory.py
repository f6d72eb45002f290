"""The memory of a key-value cache: what the designs of language models keep."""

import numpy as np
import torch

from tests.live.figure import FigureTest, part, table

MODELS = {
    "SmolLM2 135M": dict(heads=9, groups=3, width=64, full=30),
    "GPT-2 small": dict(heads=12, width=64, full=12),
    "Llama 3.1 8B": dict(heads=32, groups=8, width=128, full=32),
    "gpt-oss 20B": dict(heads=64, groups=8, width=64, full=12, windowed=12, window=128),
    "DeepSeek-V3": dict(heads=128, width=128, latent=512, rotary=64, full=61),
}
MIXED = {
    "DeepSeek-V4 Flash": dict(
        layers=[(43, 512, 128, 1), (21, 640, 10**12, 4), (20, 512, 10**12, 128)]
    )
}
LATENT = {"SmolLM2 135M": 256 + 32, "DeepSeek-V3": 512 + 64}  # with the rotary part
WINDOW = {"gpt-oss 20B": 128}  # of the others 1024
GPT_OSS = dict(model="gpt-oss 20B", groups=8, windowed=12)


class TestMemory(FigureTest):
    EXAMPLE = dict(models=MODELS, mixed=MIXED)
    START = dict(model="SmolLM2 135M", groups=3, windowed=0, n=8192, bits=16)
    STATES = [
        {},
        dict(groups=9, n=256, bits=4),
        dict(groups=1, windowed=25),
        dict(groups=0, bits=32),
        GPT_OSS | dict(n=2**20),
        dict(model="DeepSeek-V3", groups=0, bits=8),
        dict(model="Llama 3.1 8B", groups=8, windowed=32, n=512),
    ]
    WRONG = {
        "keys without values": {"2 * groups * width": "groups * width"},
        "a latent vector without its rotary part": {"latent + rotary)": "latent)"},
        "a byte a number": {"* bits) / 8": "* 8) / 8"},
    }
    SAID = [
        ({}, "8,192 tokens need 189\u00a0MB, 33.3\u00a0% of what multi-head attention needs at 16 bits: an 80\u00a0GB accelerator has room for 423 such texts. A token of SmolLM2 135M leaves 23,040 bytes.", ["SmolLM2 135M", "16", "23,040", "189\u00a0MB"]),
        (GPT_OSS | dict(groups=1), "your design, begun from gpt-oss 20B, leaves 3,072 bytes for good and 3,072 for 128", ["as shown"]),
    ]  # fmt: skip

    def holds(self, spec, state, found, said):
        share = 100 * found["total"] / found["steps"][0]
        assert f"{share:.1f}\xa0% of what multi-head attention needs at 16 bits" in said

    def truth(self, spec, state, found):
        """A layer holds the newest `window` of n tokens, and of each a key and a value for every
        head that keeps one, or a latent vector and its rotary part."""
        about = MODELS[state["model"]]
        layers, k = about["full"] + about.get("windowed", 0), state["windowed"]

        def of(groups=state["groups"], k=k, bits=state["bits"], n=state["n"]):
            numbers = 2 * groups * about["width"] if groups else LATENT[state["model"]]
            tokens = [min(n, WINDOW.get(state["model"], 1024))] * k + [n] * (layers - k)
            return torch.tensor(tokens, dtype=torch.float64) * numbers * bits / 8

        steps = [of(about["heads"], 0, 16), of(k=0, bits=16), of(bits=16), of()]
        steps = torch.stack([each.sum() for each in steps])
        total = of().sum()
        curve = torch.stack([of(n=2 ** (8 + i / 4)).sum() for i in range(49)]).log2()
        truth = dict(steps=steps, total=total, curve=curve, bars=steps / steps.max())
        truth |= dict(grows=of(n=1)[k:].sum(), slides=of(n=1)[:k].sum())
        dot = torch.tensor([np.log2(state["n"]), total.log2()])
        return truth | dict(texts=(80e9 / total).floor(), dot=dot)

    def check_a_model_brings_its_design(self, page):
        model, heads = (part(page, "select").nth(k) for k in range(2))
        shown = lambda select: select.locator("option:checked").text_content()  # noqa: E731
        model.select_option("gpt-oss 20B")
        assert shown(heads) == "8: grouped-query"
        heads.select_option("1: multi-query")
        assert shown(model) == "your design"
        model.select_option("DeepSeek-V3")
        assert shown(heads) == "none: latent"
        assert table(page)[-2] == ["DeepSeek-V3", "16", "70,272", "576\u00a0MB"]
        # 43 * 128 + 21 * 1.25 * 2048 + 20 * 64 times 512 numbers of 2 bytes
        assert table(page)[-1] == ["DeepSeek-V4 Flash", "16", "50,912", "62\u00a0MB"]
