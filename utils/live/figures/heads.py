import torch

from utils.live.arguments import as_numbers, as_words, check_row, one_of
from utils.live.bundle import display


def masked(mask, shape):
    """For each layer n words of m characters, 1 where a key is masked."""
    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        found = mask.dtype if isinstance(mask, torch.Tensor) else type(mask).__name__
        raise TypeError(f"mask is {found}; wanted torch.bool, True = may attend")
    try:
        mask = mask.cpu().expand(shape)
    except RuntimeError:
        sizes = tuple(mask.shape)
        raise ValueError(f"mask has shape {sizes}; wanted one that broadcasts to {shape}") from None
    if not (mask == mask[:, :1]).all():
        raise ValueError("mask differs between heads; wanted the same for all heads of a layer")
    return [["".join("01"[not ok] for ok in row) for row in layer[0].tolist()] for layer in mask]


def heads(weights, queries, keys=None, *, names=None, mask=None, layer=0, head=0, static, alt):
    """Attention weights (layers, heads, n, m) between n queries and m keys, as lines and as a map.

    queries, keys: n and m words; keys is the queries if it isn't given. names: of the heads. mask:
    booleans that broadcast to the weights, True = may attend, the same for all heads of a layer.
    Each row of weights sums to 1, or to 0 where its mask allows no key.
    """
    queries = as_words("queries", queries)
    keys = queries if keys is None else as_words("keys", keys)
    weights = as_numbers("weights", weights, (None, None, len(queries), len(keys)))
    shape = len(weights), len(weights[0]), len(queries), len(keys)
    names = (
        [f"head {k + 1}" for k in range(shape[1])] if names is None else as_words("names", names)
    )
    if len(names) != shape[1]:
        raise ValueError(f"names holds {len(names)} words; wanted one for each of {shape[1]} heads")
    shut = None if mask is None else masked(mask, shape)
    for k, per_layer in enumerate(weights):
        for h, matrix in enumerate(per_layer):
            for i, row in enumerate(matrix):
                check_row(f"weights[{k}][{h}][{i}]", row, shut and shut[k][i])
    spec = dict(queries=queries, keys=keys, names=names, masked=shut, weights=weights)
    spec |= dict(layer=one_of("layer", layer, range(shape[0])))
    spec |= dict(head=one_of("head", head, range(shape[1])))
    hint = "point at a word on either side, or tab to it. Press it to keep it."
    display("heads", spec, hint, static, alt, digits=3)
