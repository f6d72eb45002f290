"""The diagram of the Transformer: its parts against a real model."""

import functools
import inspect
import re

import torch

from live.figures.transformer import PARTS, journey
from taught.transformer import DecoderBlock, EncoderBlock, Transformer
from tests.live.figure import FigureTest, by_keys, by_touch, numbers, part

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
    src, tgt = torch.ones(1, 3).long(), torch.ones(1, 3).long()
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
    EXAMPLE = dict(static="transformer", sizes=MODELS, code=CODE)
    START = dict(model="small", step=18)
    QUIET = ["model", "a part"]  # the words are about the part, and two embeddings are alike
    STATES = [dict(model=model, step=step) for model in MODELS for step in (0, 2, 10, 18, 25)]
    WRONG = {
        "a norm not counted": {"block: ({ D }) => 6 * D": "block: ({ D }) => 4 * D"},
        "a network without its second bias": {"2 * D * F + F + D": "2 * D * F + F"},
    }
    SAID = [
        (dict(), "The target asks and the source answers", ["cross-attention", "4\xa0224"]),
        (dict(step=25, model="base"), "one table serves as both embeddings", ["output layer", ""]),
    ]
    KEYS = {"the part above": by_keys(".press[tabindex='0']", "ArrowDown", "ArrowDown", "Enter")}
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
        k, total = found["k"], sum(p.numel() for p in model.parameters())
        assert spec["parts"] == PARTS and sum(every) == total
        totals = dict.fromkeys(["attention", "feed-forward network", "norm", ""], 0)
        for name, number in zip(PARTS, every):
            totals[next(kind for kind in totals if name.endswith(kind))] += number
        assert found["kinds"] == [*totals.values()], "what is in no kind has none"
        truth = dict(blocks=blocks, all=every, total=total, share=every[k] / total)
        return {name: torch.tensor(x, dtype=torch.float64) for name, x in truth.items()}

    def check_parts(self, page):
        """Each part that is pressed is framed, named and described, with a real model's shapes."""
        calls = {name: sorted(calls) for name, calls in NORMS.items()}
        said = {name: set() for name in PARTS}
        for each in part(page, "svg.diagram [data-part]").all():
            name = each.get_attribute("data-part")
            each.dispatch_event("click")
            pressed = part(page, ".press[aria-pressed=true]")
            assert pressed.count() == 1 and pressed.get_attribute("aria-label") == name
            assert part(page, ".answer .strong").first.inner_text() == name
            said[name].add(part(page, "pre").text_content())
            values = part(page, "dd").all_inner_texts()
            shown = {value.partition(" = ")[2] for value in values if value.startswith("(")}
            assert shown == {str(shape) for shape in shapes_of_parts()[name]}, name
            for value in values:
                formula, _, number = value.partition(" = ")
                if number and not value.startswith("("):
                    assert value_of(formula, name) == int(number.replace("\xa0", "")), name
        source = "\n".join(map(inspect.getsource, (EncoderBlock, DecoderBlock, Transformer)))
        for name, codes in said.items():
            known = calls.get(name) or [CODE.get(name, "x = x + self.dropout(z)")]
            assert sorted(codes) == known
            assert name not in NORMS or all(call in source for call in known)

    def check_play(self, page):
        """It begins at the bottom, and a part that is pressed stops it."""
        button = part(page, ".together button")
        button.click()
        assert numbers(page)["k"] == PARTS.index("source embedding")
        assert button.inner_text() == "Pause"
        part(page, "[data-part=memory]").dispatch_event("click")
        assert button.inner_text() == "Play"


def test_the_rows_are_those_of_a_transformer():
    """Stop by stop they are what the model's own layers give, and its logits in the end."""
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = Transformer(8, 8, 8, 1, 1, 16).double().eval()
    stops, tokens = journey(), torch.tensor([[1, 2, 3]])
    with torch.no_grad():
        memory, logits = model.encode(tokens)[0], model(tokens, tokens)[0]
    near = dict(rtol=0, atol=0.0051)
    torch.testing.assert_close(stops[10][0], memory, **near)
    torch.testing.assert_close(stops[25][1], logits, **near)
    torch.testing.assert_close(stops[26][1], logits.softmax(-1), **near)
    assert stops[15][0].triu(1).eq(0).all() and stops[19][0].sum(1).sub(1).abs().max() < 0.02
