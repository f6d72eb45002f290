from live.bundle import display


def mask(tokens, scores, *, length=None, causal=False, static, alt):
    """Masks and the weights they leave, equation (3.3): cells to press, rules to combine.

    tokens: n words. scores: (n, n) numbers. length: how many tokens are allowed at the start.
    """
    length = len(tokens) if length is None else length
    hint = (
        "set the valid length to 3, add the window, and find the rows that are empty. What do the "
        "three conventions make of them?"
    )
    spec = dict(tokens=tokens, scores=scores, length=length, causal=bool(causal))
    display("mask", spec, hint, static, alt)
