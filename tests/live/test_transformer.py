"""The diagram of the Transformer: its parts against a real model."""

import functools
import inspect
import re

import torch

from live.figures.transformer import PARTS
from taught.transformer import DecoderBlock, EncoderBlock, Transformer
from tests.live.figure import FigureTest, by_keys, by_touch, look, numbers, part, table
from tests.live.test_clocks import playing

MODELS = {
    "small": dict(D=32, H=4, F=64, N=2, src_vocab=40, tgt_vocab=50),
    "base": dict(D=512, H=8, F=2048, N=6, src_vocab=37000, tgt_vocab=37000),
    "odd": dict(D=21, H=3, F=10, N=1, src_vocab=9, tgt_vocab=8),
}
CODE = {name: f"the code of {name}" for name in PARTS[:-1]}
# From bottom to top: what is before which layer, and what has no layer behind it.
NORMS = {
    "encoder norm": ["y = self.norm1(x)", "y = self.norm2(x)", "self.encoder_norm(x)"],
    "decoder norm": [*(f"y = self.norm{k}(x)" for k in (1, 2, 3)), "self.decoder_norm(x)"],
}
KNOWN = {name: "\n".join(calls) for name, calls in NORMS.items()}
KNOWN["residual connection"] = "x = x + self.dropout(z)"


def model_of(D, H, F, N, src_vocab, tgt_vocab):
    """One vocabulary for both has one table."""
    model = Transformer(src_vocab, tgt_vocab, D, H, N, F, norm_first=True).eval()
    if src_vocab == tgt_vocab:
        model.target.weight = model.output.weight = model.source.weight
    return model


def modules_of(model):
    """Of each part: its modules in the first block, and all others."""
    inside = {
        "encoder self-attention": lambda b: [b.attention],
        "encoder feed-forward network": lambda b: [b.ffn],
        "encoder norm": lambda b: [b.norm1, b.norm2],
        "causal self-attention": lambda b: [b.self_attention],
        "cross-attention": lambda b: [b.cross_attention],
        "decoder feed-forward network": lambda b: [b.ffn],
        "decoder norm": lambda b: [b.norm1, b.norm2, b.norm3],
    }
    outside = {
        "source embedding": [model.source],
        "target embedding": [model.target],
        "positional encoding": [model.positions],
        "encoder norm": [model.encoder_norm],
        "decoder norm": [model.decoder_norm],
        "output layer": [model.output],
    }
    for name in PARTS:
        blocks = model.encoder if name.startswith("encoder") else model.decoder
        first, *rest = [inside[name](block) if name in inside else [] for block in blocks]
        yield name, first, sum(rest, []) + outside.get(name, [])


@functools.cache
def shapes_of_parts():
    """The shapes that a real model of the sizes of "small" takes, makes and gives, for each part."""
    torch.manual_seed(0)
    model, shapes = model_of(**MODELS["small"]), {name: set() for name in PARTS}
    for name, first, rest in modules_of(model):

        def listen(module, inputs, output, found=shapes[name]):
            tensors = [x for x in (*inputs, output) if isinstance(x, torch.Tensor)]
            found |= {tuple(x.shape) for x in tensors if x.dtype != torch.bool}

        def weigh(module, inputs, output, found=shapes[name]):
            found.add((*inputs[0].shape[:3], inputs[1].shape[2]))

        for module in first + rest:
            module.register_forward_hook(listen)
            if hasattr(module, "W_1"):
                module.W_1.register_forward_hook(listen)
            if hasattr(module, "attention"):
                module.attention.register_forward_hook(weigh)

    def around(module, inputs, output):
        shapes["residual connection"].add(tuple(output.shape))

    for block in (*model.encoder, *model.decoder):
        block.register_forward_hook(around)
    src, tgt = torch.ones(1, 6).long(), torch.ones(1, 7).long()
    shapes["memory"].add(tuple(model.encode(src).shape))
    model(src, tgt)
    return shapes


def grouped(n):
    return f"{n:,}".replace(",", "\xa0")


def value_of(formula, name):
    """What a formula such as 4 (D² + D) comes to in the small model."""
    sizes = MODELS["small"]
    letters = sizes | {"V": sizes["src_vocab" if name.startswith("source") else "tgt_vocab"]}
    code = formula.replace("·", "*").replace("²", "**2")
    return eval(re.sub(r"(?<=[\w)]) (?=[\w(])", " * ", code), {}, letters)


class TestTransformer(FigureTest):
    EXAMPLE = dict(sizes=MODELS, code=CODE, static="transformer")
    START = dict(model="small", part="cross-attention")
    QUIET = ("model",)  # its words are about the part
    STATES = [
        dict(model=model, part=part)
        for model in MODELS
        for part in ("source embedding", "encoder norm", "cross-attention", "memory")
    ]
    WRONG = {
        "a norm not counted": {"block: ({ D }) => 6 * D": "block: ({ D }) => 4 * D"},
        "a network without its second bias": {"2 * D * F + F + D": "2 * D * F + F"},
    }
    KEYS = {"the next part": by_keys("[role=button] >> nth=0", "Tab", "Space")}
    TOUCH = {"a part": by_touch("[data-part=memory]")}

    def truth(self, spec, state, found):
        with torch.device("meta"):
            model = model_of(**spec["sizes"][state["model"]])
        seen = set()

        def size(modules):
            """Of the parameters that no earlier part has."""
            new = {p for module in modules for p in module.parameters()} - seen
            seen.update(new)
            return sum(p.numel() for p in new)

        counts = [(size(first), size(rest)) for _, first, rest in modules_of(model)]
        blocks, every = [first for first, _ in counts], [sum(both) for both in counts]
        k, total = PARTS.index(state["part"]), sum(p.numel() for p in model.parameters())
        assert spec["parts"] == PARTS and sum(every) == total
        totals = dict.fromkeys(["attention", "feed-forward network", "norm", ""], 0)
        for name, number in zip(PARTS, every):
            totals[next(kind for kind in totals if name.endswith(kind))] += number
        assert found["kinds"] == [*totals.values()], "what is in no kind has none"
        truth = dict(blocks=blocks, all=every, total=total, k=k, share=every[k] / total)
        return {name: torch.tensor(x, dtype=torch.float64) for name, x in truth.items()}

    def check_parts(self, page):
        """Each part that is pressed is framed, named and described, with a real model's shapes."""
        numbers(page, model="small")
        drawn = part(page, "svg.diagram [data-part]")
        groups = [each.get_attribute("data-part") for each in drawn.all()]
        for name in PARTS:
            for k in (k for k, group in enumerate(groups) if group == name):
                numbers(page, part=PARTS[PARTS.index(name) - 1])
                drawn.nth(k).dispatch_event("click")
                assert part(page, "select").first.input_value() == name
            numbers(page, norm=None)
            pressed = part(page, "[aria-pressed=true]")
            assert pressed.count() == 1 and pressed.get_attribute("aria-label") == name
            assert part(page, ".chosen").count() == groups.count(name)
            assert part(page, "pre").text_content() == (CODE | KNOWN)[name]
            values = part(page, "dd").all_inner_texts()
            shown = {each.partition(" = ")[2] for each in values if each.startswith("(")}
            assert shown == {str(shape) for shape in shapes_of_parts()[name]}, name
            found = numbers(page)
            share = found["all"][found["k"]] / found["total"]
            assert abs(float(part(page, ".bar-query").get_attribute("width")) - 338 * share) < 0.06
            counted = [each for each in values if " = " in each and not each.startswith("(")]
            for formula, _, number in (each.partition(" = ") for each in counted):
                assert value_of(formula, name) == int(number.replace("\xa0", "")), name
            says = f"{100 * share:.1f} % of" if found["all"][found["k"]] else "none"
            assert part(page, ".legend").inner_text().startswith(says)
        rows = table(page)
        for name, *row in zip(PARTS, found["blocks"], found["all"], rows):
            block, every, cells = row
            share = f"{100 * every / found['total']:.1f} %" if every else "none"
            assert cells == [name, grouped(block) if block else "", grouped(every), share]
        together = [int(cells[2].replace("\xa0", "")) for cells in rows[-5:-1]]
        assert together == found["kinds"] and sum(together) == found["total"]
        assert rows[-1] == ["all parts", "", grouped(found["total"]), "100 %"]
        for model, tied in (("small", False), ("base", True)):
            numbers(page, model=model, part="output layer")
            assert ("one table serves as both embeddings" in look(page)[1]) == tied
            numbers(page, part="target embedding")
            assert ("shared" in part(page, "dd").all_inner_texts()) == tied
            assert part(page, ".legend").inner_text().startswith("shared") == tied
            N = MODELS[model]["N"]
            assert part(page, f".diagram text:text-is('N = {N}')").count() == 2

    def check_norms(self, page):
        """A norm that is pressed is marked alone, with its own call; another part marks all again."""
        sources = [
            EncoderBlock.forward,
            DecoderBlock.forward,
            Transformer.encode,
            Transformer.decode,
        ]
        source = "\n".join(map(inspect.getsource, sources))
        for name, calls in NORMS.items():
            drawn = part(page, f'[data-part="{name}"]')
            height = "all => all.map(each => +each.querySelector('rect').getAttribute('y'))"
            heights = drawn.evaluate_all(height)
            order = sorted(range(len(calls)), key=lambda k: -heights[k])
            for k, call in zip(order, calls, strict=True):
                drawn.nth(k).dispatch_event("click")
                assert call in source and part(page, "pre").text_content() == call
                assert part(page, ".chosen").evaluate_all(height) == [heights[k]]
            part(page, "select").first.select_option("memory")
            part(page, "select").first.select_option(name)
            assert part(page, ".chosen").count() == len(calls)

    def check_code_is_whole(self, page):
        long = "return " + 20 * "self.long(" + 20 * ")"
        code = part(page, "pre")
        code.evaluate("(each, text) => { each.textContent = text }", long)
        assert code.evaluate("each => each.scrollWidth <= each.clientWidth")

    def check_play_stops(self, page):
        """It begins at the bottom."""
        part(page, ".together button").click()
        assert part(page, "select").first.input_value() == "source embedding"
        assert part(page, ".together button").inner_text() == "Pause"
        part(page, "[data-part=memory] rect").click()
        assert part(page, ".together button").inner_text() == "Play", "a part that is pressed"
        part(page, ".tools button").first.click()
        playing(page, "part", "decoder norm", "output layer", "select >> nth=1", "ArrowDown")
