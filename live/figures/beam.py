from live.arguments import as_words, one_of
from live.bundle import display
from live.translating import check_known, english_words, patterns

WIDTHS = [1, 2, 3]


def beam(sentences, *, width=2, static, alt):
    """Beam search by the trained translator, step by step, as a tree.

    sentences: 1 to 4 English sentences, each a list of words of its vocabulary; readers type others.
    Widths of 1, which is greedy decoding, 2 and 3.
    """
    if not isinstance(sentences, (list, tuple)) or not 1 <= len(sentences) <= 4:
        raise ValueError(f"sentences is {sentences!r:.60}; wanted a list of 1 to 4 sentences")
    known = english_words()
    for k, words in enumerate(sentences):
        words = as_words(f"sentences[{k}]", words)
        check_known(f"sentences[{k}]", words, known)
        if len(words) > 24:
            raise ValueError(f"sentences[{k}] has {len(words)} words; wanted 24 or fewer")
    hint = (
        "press Play with greedy decoding, then with width 2. Where does the branch that greedy "
        "decoding drops take the lead?"
    )
    if len(sentences) > 1:
        hint += " In the next sentence, what does dividing by the length bring back?"
    spec = dict(sentences=[list(words) for words in sentences], patterns=patterns())
    display("beam", spec | {"width": one_of("width", width, WIDTHS)}, hint, static, alt)
