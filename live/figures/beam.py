from live.bundle import display
from live.translating import patterns


def beam(sentences, *, width=2, static, alt):
    """Beam search by the trained translator, step by step, as a tree.

    sentences: 1 to 4 English sentences, each a list of words of its vocabulary; readers type others.
    Widths of 1, which is greedy decoding, 2 and 3.
    """
    hint = (
        "press Play with greedy decoding, then with width 2. Where does the branch that greedy "
        "decoding drops take the lead?"
    )
    if len(sentences) > 1:
        hint += " In the next sentence, what does dividing by the length bring back?"
    spec = dict(sentences=sentences, patterns=patterns(), width=width)
    display("beam", spec, hint, static, alt)
