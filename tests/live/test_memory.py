"""The memory of a key-value cache: what the designs of language models keep."""

import numpy as np
import torch

from tests.live.figure import FigureTest, by_keys, look, numbers, part, table

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
START = dict(model="SmolLM2 135M", groups=3, latent=256, windowed=0, window=1024, n=8192, bits=16)
GPT_OSS = dict(model="gpt-oss 20B", groups=8, windowed=12, window=128)
DEEPSEEK = dict(model="DeepSeek-V3", groups=0, latent=512)
ALL_WINDOWS = dict(model="Llama 3.1 8B", groups=8, latent=512, windowed=32, window=4096)
ROTARY = {"SmolLM2 135M": 32, "DeepSeek-V3": 64}


class TestMemory(FigureTest):
    EXAMPLE = dict(models=MODELS, mixed=MIXED)
    START = START
    STATES = [
        {},
        dict(groups=9, n=256, bits=4),
        dict(groups=1, windowed=25, window=512),
        dict(groups=0, latent=1024, bits=32),
        GPT_OSS | dict(n=2**20),
        DEEPSEEK | dict(bits=8),
        ALL_WINDOWS | dict(n=1024),
    ]
    WRONG = {
        "keys without values": {"2 * groups * width": "groups * width"},
        "a latent vector without its rotary part": {"latent + rotary)": "latent)"},
        "a byte a number": {"* bits) / 8": "* 8) / 8"},
    }
    SAID = [
        (
            {},
            "A token leaves 23,040 bytes. 8,192 tokens need 189\u00a0MB, a third of what multi-head "
            "attention would need. An 80\u00a0GB accelerator has room for 423 such texts and no",
            ["SmolLM2 135M", "16", "23,040", "189\u00a0MB"],
        ),
        (ALL_WINDOWS, "a token leaves 131,072 bytes in layers that drop them 4,096", ["as shown"]),
    ]

    def truth(self, spec, state, found):
        """A layer holds the newest `window` of n tokens, and of each a key and a value for every
        head that keeps one, or a latent vector and its rotary part."""
        about = MODELS[state["model"]]
        layers, k = about["full"] + about.get("windowed", 0), state["windowed"]

        def of(groups=state["groups"], k=k, bits=state["bits"], n=state["n"]):
            latent = state["latent"] + ROTARY.get(state["model"], 0)
            numbers = len(["key", "value"]) * groups * about["width"] if groups else latent
            tokens = [min(n, state["window"])] * k + [n] * (layers - k)
            return torch.tensor(tokens, dtype=torch.float64) * numbers * bits / 8

        steps = [of(about["heads"], 0, 16), of(k=0, bits=16), of(bits=16), of()]
        steps = torch.stack([each.sum() for each in steps])
        total, parts = of().sum(), torch.stack([of()[k:].sum(), of()[:k].sum()])
        curve = torch.stack([of(n=2 ** (8 + i / 4)).sum() for i in range(49)]).log2()
        truth = dict(steps=steps, total=total, parts=parts, curve=curve, bars=steps / steps.max())
        truth |= dict(grows=of(n=1)[k:].sum(), slides=of(n=1)[:k].sum(), split=parts / steps.max())
        dot = torch.tensor([np.log2(state["n"]), total.log2()])
        return truth | dict(texts=(80e9 / total).floor(), dot=dot)

    def check_a_model_brings_its_design(self, page):
        model, heads = (part(page, "select").nth(k) for k in range(2))
        shown = lambda select: select.locator("option:checked").text_content()  # noqa: E731
        model.select_option("gpt-oss 20B")
        assert look(page)[1].startswith("A token leaves 24,576 bytes for good")
        assert shown(heads) == "8: grouped-query"
        heads.select_option("1: multi-query")
        assert shown(model) == "your design"
        assert "Your design, begun from gpt-oss 20B: a token leaves 3,072" in look(page)[1]
        heads.select_option("8: grouped-query")
        assert shown(model) == "gpt-oss 20B"
        model.select_option("DeepSeek-V3")
        assert shown(heads) == "none: latent"
        assert "A token leaves 70,272 bytes." in look(page)[1]
        assert table(page)[-2] == ["DeepSeek-V3", "16", "70,272", "576\u00a0MB"]
        # 43 * 128 + 21 * 1.25 * 2048 + 20 * 64 times 512 numbers of 2 bytes
        assert table(page)[-1] == ["DeepSeek-V4 Flash", "16", "50,912", "62\u00a0MB"]

    def check_sliders_of_some_designs(self, page):
        """That for a latent vector is there with one, and that for the window with one."""
        sliders = {name: f"span:text-is('{name}') + input" for name in ("latent width", "window")}
        assert not any(part(page, slider).is_visible() for slider in sliders.values())
        numbers(page, groups=0, windowed=10)
        for name, slider in sliders.items():
            before = look(page)
            by_keys(slider, "ArrowLeft")(page)
            after = look(page)
            assert before[0] != after[0] and before[1] != after[1], name

    def check_foreign_states(self, page):
        """What a link may bring: each is refused, and the start is shown."""
        before = part(page, ".panels").inner_html()
        for state in (
            '{ model: "GPT-5" }',
            "{ groups: 2 }",
            "{ windowed: 31 }",
            "{ windowed: 1.5 }",
            "{ latent: 1e9, groups: 0 }",
            "{ n: 1e12 }",
            "{ bits: 0 }",
            '{ model: "GPT-2 small", windowed: 13 }',
            '{ model: "toString" }',
        ):
            assert page.evaluate(f"""() => {{
                const element = document.querySelector("attention-live-1");
                try {{ element.put({state}); }} catch {{ element.reset(); return true; }}
            }}"""), state  # fmt: skip
        assert part(page, ".panels").inner_html() == before
