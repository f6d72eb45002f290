from live.bundle import display


def cache(tokens, *, memory=6, step=3, static, alt):
    """Decoding one token at a time in three ways: what each step computes, and what it reads again.

    tokens: the target, 2 to 9 words. memory: how many rows the encoder's output has, 1 to 12. step:
    the first step to show. Counted are the rows that one decoder block's layers receive.
    """
    hint = (
        "press Play in each of the three ways. What does keeping only the inputs save, compared with "
        "computing everything again?"
    )
    display("cache", dict(tokens=tokens, memory=memory, step=step), hint, static, alt)
