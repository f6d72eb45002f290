from utils.live.arguments import one_of
from utils.live.bundle import display
from utils.live.translating import minimal_pairs


def looks(pairs, *, part="cross", layer=2, head=None, static, alt):
    """Where the trained translator looks, as lines from a row that is chosen; edges can be cut.

    pairs: as for `twins`. part: "encoder", "own" (the decoder looks at what it received) or "cross"
    (at the source). layer: 1 or 2. head: 1 to 4, or None for their mean. They say what is shown first.
    """
    spec = dict(pairs=minimal_pairs(pairs), part=one_of("part", part, ["encoder", "own", "cross"]))
    spec["layer"] = one_of("layer", layer, [1, 2])
    spec["head"] = "mean of all" if head is None else str(one_of("head", head, [1, 2, 3, 4]))
    hint = (
        "before you cut: which word does the position that writes il or elle need? Press it among "
        "the keys. Then try the encoder: choose “it” and cut both nouns."
    )
    display("looks", spec, hint, static, alt)
