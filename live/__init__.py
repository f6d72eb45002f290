"""Live figures: drawn in the reader's browser, with no kernel, no network and no library.

    import live
    live.show("mask", static=fig, alt="...", tokens=tokens, scores=scores, length=5)

displays a figure that moves. Its output carries data and script, so it works in the built book, in
JupyterLab, on Colab and from a file. `static`, an ordinary figure, is shown where no script runs;
`alt` describes it in one sentence, as for `show` of utils.

`figures/mask.js` computes and draws, says at its head what it needs, and names it in `static takes`.
A figure that needs more than what a page gives has `figures/lookup.py`, whose `spec` takes that and
makes it. What all share is beside this file: `core.js` and `element.js` in the browser, `bundle.py`
here. live/README.md says how to add one.
"""

from live.bundle import KINDS, display, maker, misfit, rounded


def show(kind, *, static, alt, **given):
    """Display a live figure.

    kind: its name, one of `live.bundle.KINDS`. static: a matplotlib figure, or the name of a drawing in
    chapters/figures. alt: one sentence that says what there is to see. given: what the figure takes, and
    nothing else; tensors become lists, and numbers have six digits; nan and infinite ones are refused.
    """
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r:.60}; wanted one of {', '.join(KINDS)}")
    if fault := misfit(kind, given):
        raise TypeError(fault)
    rounded(given)  # a nan is named before `spec` packs it away
    if spec := maker(kind):
        given = spec(**given)
    display(kind, given, static, alt)
