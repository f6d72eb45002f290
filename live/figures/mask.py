from live.arguments import as_numbers, as_words, one_of
from live.bundle import display


def mask(tokens, scores, *, length=None, causal=False, static, alt):
    """Masks and the weights they leave, equation (3.3): cells to press, rules to combine.

    tokens: n words. scores: (n, n) numbers. length: how many tokens are allowed at the start.
    """
    tokens = as_words("tokens", tokens)
    scores = as_numbers("scores", scores, (len(tokens), len(tokens)))
    length = one_of("length", len(tokens) if length is None else length, range(len(tokens) + 1))
    hint = (
        "set the valid length to 3, add the window, and find the rows that are empty. What do the "
        "three conventions make of them?"
    )
    spec = dict(tokens=tokens, scores=scores, length=length, causal=bool(causal))
    display("mask", spec, hint, static, alt)
