from live.arguments import as_numbers, as_words, one_of
from live.bundle import display


def blocks(tokens, scores, values, *, block=4, static, alt):
    """Attention of one query, computed from one block of scores at a time.

    tokens: m strings, 2 to 16. scores: (m,), of one query. values: (m, c) with c from 2 to 4.
    block: how many scores are in memory at the start, 1 to m; others are in a menu.
    """
    tokens = as_words("tokens", tokens)
    m = len(tokens)
    if not 2 <= m <= 16:
        raise ValueError(f"tokens holds {m} words; wanted 2 to 16")
    scores = as_numbers("scores", scores, (m,))
    values = as_numbers("values", values, (m, None))
    if not 2 <= len(values[0]) <= 4:
        raise ValueError(f"values has rows of {len(values[0])} numbers; wanted 2 to 4")
    block = one_of("block", block, range(1, m + 1))
    spec = dict(tokens=tokens, scores=scores, values=values, block=block)
    hint = (
        "read the last block, then leave the correction out. Put it back, and change the block size "
        "and the order. Does the answer change?"
    )
    display("blocks", spec, hint, static, alt)
