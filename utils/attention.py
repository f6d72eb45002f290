"""What the pages keep for later pages: every definition of the cells tagged `keep`.

Written by `pytest tests/test_sync.py --write`. Not edited by hand: a change belongs into the page
that is named above the definition.
"""

import torch


# chapters/01_queries_keys_values.ipynb


def attention_pooling(queries, keys, values, score):
    """Attention with any scoring function: score, softmax, weighted sum.

    Equations (1.3) and (1.4) of the course, for n queries at once.

    queries: (n, d_q), keys: (m, d_k), values: (m, v); leading axes are batches.
    score: a function of queries and keys that returns the scores, of shape (n, m).

    Returns the outputs (n, v) and the attention weights (n, m).
    Raises `ValueError` for an argument with fewer than 2 axes, when there is not one
    value for each key, and when the scores have another shape than (n, m).
    """
    for name, tensor in (("queries", queries), ("keys", keys), ("values", values)):
        if tensor.dim() < 2:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}; wanted 2 axes "
                             "or more")
    n, m = queries.shape[-2], keys.shape[-2]
    if values.shape[-2] != m:
        raise ValueError(f"values has {values.shape[-2]} rows; wanted {m}, one per key")
    scores = score(queries, keys)
    batch = torch.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
    if tuple(scores.shape) != (*batch, n, m):
        raise ValueError(f"score returned {tuple(scores.shape)}; wanted "
                         f"{(*batch, n, m)}: a row per query, a column per key")
    weights = torch.softmax(scores, dim=-1)  # (n, m)
    return weights @ values, weights
