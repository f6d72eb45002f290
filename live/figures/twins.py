from live.translating import minimal_pairs


def spec(pairs):
    """pairs: 1 to 6 minimal pairs of `corpora.english_french.corpus()`."""
    return dict(pairs=minimal_pairs(pairs))
