import re

from live.arguments import one_of
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


SIZES = ["D", "H", "F", "N", "src_vocab", "tgt_vocab"]


def transformer(sizes, code, *, part="cross-attention", static, alt):
    """The diagram of the Transformer: parts to press, with their shapes, parameters and code.

    sizes: {name: {"D": 512, "H": 8, "F": 2048, "N": 6, "src_vocab": 37000, "tgt_vocab": 37000}}, the
    models to choose from, pre-norm. code: {part: source text}, of parts that have some. static: the
    name of a drawing in chapters/figures; its groups with the attribute data-part are `PARTS`.
    """
    drawing = markup_of(static)
    drawn = set(re.findall(r'data-part="([^"]*)"', drawing))
    if drawn != set(PARTS):
        wrong = sorted(drawn ^ set(PARTS))[0]
        raise ValueError(f"static is {static!r}, wrong in its part {wrong!r}; wanted {PARTS}")
    if not isinstance(sizes, dict) or not sizes:
        raise TypeError(f"sizes is {sizes!r:.60}; wanted a dict of models")
    for name, model in sizes.items():
        if not isinstance(model, dict) or set(model) != set(SIZES):
            raise ValueError(f"sizes[{name!r}] is {model!r:.60}; wanted a dict of {SIZES}")
        for size, value in model.items():
            one_of(f"{size} of sizes[{name!r}]", value, range(1, 1_000_000))
        if model["D"] % model["H"]:
            raise ValueError(f"H of sizes[{name!r}] is {model['H']}; wanted a divisor of D")
    if not isinstance(code, dict) or not all(isinstance(each, str) for each in code.values()):
        raise TypeError(f"code is {code!r:.60}; wanted a dict of source texts")
    if unknown := sorted(set(code) - set(PARTS)):
        raise ValueError(f"code has the part {unknown[0]!r}; wanted parts of {PARTS}")
    hint = (
        "before you press: which have more parameters, the attention layers or the feed-forward "
        "networks? Then find where the two towers touch, and choose another model."
    )
    drawing = re.sub(r"<(style|title)>.*?</\1>\s*", "", drawing, flags=re.DOTALL)
    spec = dict(sizes=sizes, code=code, parts=PARTS, part=one_of("part", part, PARTS))
    display("transformer", spec | {"drawing": drawing}, hint, static, alt)
