"""Live figures: drawn in the reader's browser, with no kernel, no network and no library.

    import live
    live.show("mask", static=fig, alt="...", tokens=tokens, scores=scores)

displays a figure that moves. Its output carries data and script, so it works in the built book, in
JupyterLab, on Colab and from a file. `static`, an ordinary figure, is shown where no script runs;
`alt` describes it in one sentence, as for `show` of utils.

`figures/mask.js` computes and draws, and says at its head what it needs. A figure that needs more
than what a page gives has `figures/lookup.py`, whose `spec` makes it. What all share is beside this
file: `core.js` and `element.js` in the browser, `bundle.py` here. README.md says how to add one.
"""

from importlib import import_module

from live.bundle import HERE, KINDS, display, rounded


def show(kind, *, static, alt, **given):
    """Display a live figure.

    kind: its name, one of `live.bundle.KINDS`. static: a matplotlib figure, or the name of a drawing in
    chapters/figures. alt: one sentence that says what there is to see. given: what the figure needs;
    tensors become lists, and numbers have six digits; nan and infinite ones are refused.
    """
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r:.60}; wanted one of {', '.join(KINDS)}")
    rounded(given)  # a nan is named before `spec` packs it away
    if (HERE / "figures" / f"{kind}.py").is_file():
        given = import_module(f"live.figures.{kind}").spec(**given)
    display(kind, given, static, alt)
