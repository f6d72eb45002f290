import torch

from taught.attention import causal_mask
from taught.transformer import Transformer

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


def entered(model, embedding):
    """The stops of three tokens on their way to a tower, and their vectors, (3, D)."""
    vectors = embedding.weight[1:4]
    x = model.positions(vectors)
    return [[vectors], [vectors, x - vectors, x]], x


def attended(x, norm, layer, memory=None, mask=None):
    """The stops at an attention layer: the norm, the projections, the weights, the sum."""
    y = norm(x)
    seen = y if memory is None else memory
    three = [layer.W_q(y), layer.W_k(seen), layer.W_v(seen)]
    z, weights = layer(y[None], seen[None], seen[None], mask, need_weights=True)
    z, weights = z[0], weights[0, 0]
    return [[x, y], three, [weights, z], [x, z, x + z]], x + z


def fed(x, norm, ffn):
    y = norm(x)
    z = ffn(y)
    return [[x, y], [y, z], [x, z, x + z]], x + z


@torch.no_grad()
def journey():
    """What an untrained Transformer of width 8 makes of three words in each tower, stop by stop."""
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = Transformer(8, 8, 8, 1, 1, 16).double().eval()
    encoder, decoder = model.encoder[0], model.decoder[0]
    stops, x = entered(model, model.source)
    more, x = attended(x, encoder.norm1, encoder.attention)
    stops += more
    more, x = fed(x, encoder.norm2, encoder.ffn)
    memory = model.encoder_norm(x)
    stops += [*more, [x, memory], [memory]]

    more, x = entered(model, model.target)
    stops += more
    more, x = attended(x, decoder.norm1, decoder.self_attention, mask=causal_mask(3))
    stops += more
    more, x = attended(x, decoder.norm2, decoder.cross_attention, memory)
    stops += more
    more, x = fed(x, decoder.norm3, decoder.ffn)
    last = model.decoder_norm(x)
    logits = model.output(last)
    stops += [*more, [x, last], [last, logits], [logits, logits.softmax(-1)]]
    return [[(each * 100).round().div(100) for each in stop] for stop in stops]


def spec(sizes, code):
    """The diagram of the Transformer, chapters/figures/transformer.svg, and what moves through it.

    sizes: {name: {"D": 512, "H": 8, "F": 2048, "N": 6, "src_vocab": 37000, "tgt_vocab": 37000}}, the
    models to choose from, pre-norm. code: {part: source text}, of parts that have some. The drawing's
    groups with the attribute data-part are `PARTS`.
    """
    return dict(sizes=sizes, code=code, parts=PARTS, rows=journey())
