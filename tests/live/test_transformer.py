"""The diagram of the Transformer: its parts against a real model."""

import inspect
import re

import torch

from live.figures.transformer import PARTS, journey
from taught.transformer import DecoderBlock, EncoderBlock, Transformer
from tests.live.figure import FigureTest, by_keys, by_touch, numbers, part

MODELS = {
    "small": dict(D=32, H=4, F=64, N=2, src_vocab=40, tgt_vocab=50),
    "base": dict(D=512, H=8, F=2048, N=6, src_vocab=37000, tgt_vocab=37000),
}
CODE = {name: f"the code of {name}" for name in PARTS[:-1]}


def model_of(D, H, F, N, src_vocab, tgt_vocab):
    """One vocabulary for both has one table."""
    model = Transformer(src_vocab, tgt_vocab, D, H, N, F).eval()
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

    END = dict(step=26)

    def holds(self, spec, state, found, said):
        """It ends on probabilities of the next token."""
        weights = found["rows"][1] if state["step"] == 26 else []
        assert all(abs(sum(row) - 1) < 0.05 for row in weights)
        assert (
            "probabilities of the next token" in said if weights else "the source answers" in said
        )

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
        """Each part that is pressed is framed and named, with its formulas and its line of the model."""
        source = "\n".join(map(inspect.getsource, (EncoderBlock, DecoderBlock, Transformer)))
        for each in part(page, "svg.diagram [data-part]").all():
            name = each.get_attribute("data-part")
            each.dispatch_event("click")
            pressed = part(page, ".press[aria-pressed=true]")
            assert pressed.count() == 1 and pressed.get_attribute("aria-label") == name
            assert part(page, ".answer .strong").first.inner_text() == name
            code = part(page, "pre").text_content()
            assert code in source or code == CODE.get(name, "x = x + self.dropout(z)")
            for value in part(page, "dd").all_inner_texts():
                formula, _, number = value.partition(" = ")
                if number and not value.startswith("("):
                    assert value_of(formula, name) == int(number.replace("\xa0", "")), name

    def check_play(self, page):
        """It begins at the bottom, and a part that is pressed stops it."""
        button = part(page, ".together button")
        button.click()
        assert numbers(page)["k"] == PARTS.index("source embedding")
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
