import re

from live.bundle import display, markup_of

PARTS = [
    "source embedding",
    "target embedding",
    "positional encoding",
    "encoder self-attention",
    "encoder feed-forward network",
    "encoder norm",
    "memory",
    "causal self-attention",
    "cross-attention",
    "decoder feed-forward network",
    "decoder norm",
    "output layer",
    "residual connection",
]


def transformer(sizes, code, *, part="cross-attention", static, alt):
    """The diagram of the Transformer: parts to press, with their shapes, parameters and code.

    sizes: {name: {"D": 512, "H": 8, "F": 2048, "N": 6, "src_vocab": 37000, "tgt_vocab": 37000}}, the
    models to choose from, pre-norm. code: {part: source text}, of parts that have some. static: the
    name of a drawing in chapters/figures; its groups with the attribute data-part are `PARTS`.
    """
    drawing = markup_of(static)
    hint = (
        "before you press: which have more parameters, the attention layers or the feed-forward "
        "networks? Then find where the two towers touch, and choose another model."
    )
    drawing = re.sub(r"<(style|title)>.*?</\1>\s*", "", drawing, flags=re.DOTALL)
    spec = dict(sizes=sizes, code=code, parts=PARTS, part=part)
    display("transformer", spec | {"drawing": drawing}, hint, static, alt)
