from utils.live.bundle import KIND, display, spec_of, with_spec
from utils.live.translating import minimal_pairs

HINTS = {  # of twins, by whether it is small
    True: "press one change after the other. Which of them turn il and elle?",
    False: (
        "guess before you press: which of the four changes turn il or elle in at least one sentence? "
        "When you have tried them all, combine two."
    ),
}


def twins(pairs, *, small=False, static, alt):
    """What turns il and elle: four changes inside the trained translator, guessed and then tried.

    pairs: 1 to 6 minimal pairs of `utils.data.translation.corpus()`, two sentences each that are
    alike but for one adjective. small: the first pair alone, and nothing to guess.
    """
    pairs, small = minimal_pairs(pairs), bool(small)
    spec = dict(pairs=pairs[:1] if small else pairs, small=small)
    display("twins", spec, HINTS[small], static, alt)


def in_small(html):
    """The output of `twins` as `small=True` gives it, for another page."""
    if KIND.search(html)[1] != "twins":
        raise ValueError(f"{KIND.search(html)[1]!r} is no figure that can be small; wanted 'twins'")
    spec = spec_of(html)
    return with_spec(html, spec | dict(pairs=spec["pairs"][:1], small=True, hint=HINTS[True]))
