from live.bundle import display


def blocks(tokens, scores, values, *, block=4, static, alt):
    """Attention of one query, computed from one block of scores at a time.

    tokens: m strings, 2 to 16. scores: (m,), of one query. values: (m, c) with c from 2 to 4.
    block: how many scores are in memory at the start, 1 to m; others are in a menu.
    """
    spec = dict(tokens=tokens, scores=scores, values=values, block=block)
    hint = (
        "read the last block, then leave the correction out. Put it back, and change the block size "
        "and the order. Does the answer change?"
    )
    display("blocks", spec, hint, static, alt)
