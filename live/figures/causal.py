from live.arguments import as_numbers, as_words, one_of
from live.bundle import display


def causal(words, scores, values, word, senses, *, static, alt):
    """Self-attention with and without the causal mask, in a sentence forwards and backwards.

    words: n words. scores: (n, n) numbers, before the mask. values: (n, 2), logits of the first two
    of the three senses; the third has 0. word: the one whose row is read.
    """
    words, senses = as_words("words", words), as_words("senses", senses)
    if len(senses) != 3:
        raise ValueError(
            f"senses has {len(senses)} words; wanted three, the third with the logit 0"
        )
    spec = dict(
        words=words,
        scores=as_numbers("scores", scores, (len(words), len(words))),
        values=as_numbers("values", values, (len(words), 2)),
        word=one_of("word", word, words),
        senses=senses,
    )
    hint = (
        "take the mask away, then turn the sentence around, both with and without the mask. When "
        f"does {word} know what it means?"
    )
    display("causal", spec, hint, static, alt)
