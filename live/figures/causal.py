from live.bundle import display


def causal(words, scores, values, word, senses, *, static, alt):
    """Self-attention with and without the causal mask, in a sentence forwards and backwards.

    words: n words. scores: (n, n) numbers, before the mask. values: (n, 2), logits of the first two
    of the three senses; the third has 0. word: the one whose row is read.
    """
    spec = dict(words=words, scores=scores, values=values, word=word, senses=senses)
    hint = (
        "take the mask away, then turn the sentence around, both with and without the mask. When "
        f"does {word} know what it means?"
    )
    display("causal", spec, hint, static, alt)
