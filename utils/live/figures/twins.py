from utils.live.arguments import one_of
from utils.live.bundle import KIND, display, spec_of, with_spec
from utils.live.translating import minimal_pairs

SIDES = ["cross", "self", "encoder"]
HEADS = [f"{side} {l}, head {h}" for side in SIDES for l in (1, 2) for h in (1, 2, 3, 4)]
SMALL = "cut both arcs, then look at all heads. Which arc decides?"
HINTS = {  # by whether one head is shown first
    False: "guess first: which arc, and which of the three buttons, will turn a pronoun?",
    True: "cut the arc from elle to its noun. Find the word in “self, all heads” that stands in for it.",
}


def twins(pairs, *, head=None, small=False, static, alt):
    """Where the trained translator looks as it writes il and elle: arcs to cut with scissors.

    pairs: 1 to 6 minimal pairs of `utils.data.translation.corpus()`, two sentences each that are
    alike but for one adjective. head: which is shown first, such as "cross 2, head 3", with a menu of
    all; without it the heads of cross-attention together, and more changes to make. small: the first
    pair alone, and first the head that points at its nouns.
    """
    pairs, small = minimal_pairs(pairs), bool(small)
    spec = dict(pairs=pairs[:1] if small else pairs, small=small)
    if head is not None:
        spec["head"] = one_of("head", head, HEADS)
    display("twins", spec, SMALL if small else HINTS[head is not None], static, alt)


def in_small(html):
    """The output of `twins` as `small=True` gives it, for another page."""
    if KIND.search(html)[1] != "twins":
        raise ValueError(f"{KIND.search(html)[1]!r} is no figure that can be small; wanted 'twins'")
    spec = spec_of(html)
    spec.pop("head", None)
    return with_spec(html, spec | dict(pairs=spec["pairs"][:1], small=True, hint=SMALL))
