from live.bundle import display
from live.translating import minimal_pairs

SIDES = ["cross", "self", "encoder"]
HEADS = [f"{side} {l}, head {h}" for side in SIDES for l in (1, 2) for h in (1, 2, 3, 4)]
HINTS = {  # by whether one head is shown first
    False: "guess first: which arc, and which of the three buttons, will turn a pronoun?",
    True: "cut the arc from elle to its noun. Find the word in “self, all heads” that stands in for it.",
}


def twins(pairs, *, head=None, static, alt):
    """Where the trained translator looks as it writes il and elle: arcs to cut with scissors.

    pairs: 1 to 6 minimal pairs of `corpora.english_french.corpus()`, two sentences each that are
    alike but for one adjective. head: which is shown first, such as "cross 2, head 3", with a menu of
    all; without it the heads of cross-attention together, and more changes to make. Another page can
    show it `small` (`_ext/live_figures.py`): the first pair alone, and first the head that points at
    its nouns.
    """
    spec = dict(pairs=minimal_pairs(pairs))
    if head is not None:
        spec["head"] = head
    display("twins", spec, HINTS[head is not None], static, alt)
