"""Live figures: drawn in the reader's browser, with no kernel, no network and no library.

    import live
    live.mask(tokens, scores, static=fig, alt="...")

displays a figure that moves. Its output carries data and script, so it works in the built book, in
JupyterLab, on Colab and from a file. `static`, an ordinary figure, is shown where no script runs;
`alt` describes it in one sentence, as for `show`.

Each figure has its files in `figures/`: `mask.py` is the call, `mask.js` computes and draws. What all
share is beside this file: `core.js` and `element.js` in the browser, `bundle.py` here.
CONTRIBUTING.md says how to add one.
"""

from importlib import import_module

from live.bundle import KINDS


def __getattr__(name):
    """The function that displays a figure, read when it is first asked for."""
    if name not in KINDS:
        raise AttributeError(f"there is no live figure {name!r}; wanted one of {', '.join(KINDS)}")
    return getattr(import_module(f"{__name__}.figures.{name}"), name)


def __dir__():
    return KINDS
