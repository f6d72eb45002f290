"""A line that says how far long work is, and is gone when the work is done."""

import operator
import time

from IPython.display import clear_output


def progress(steps, seconds=1.0):
    """Yield 0 to steps - 1, and show about every `seconds` how many are done and what is left.

    The line is rewritten in place, and removed at the end or when the loop is left. It is removed
    by clearing what the cell has displayed: print results after the loop, not before it.

    Raises `ValueError` unless steps is a whole number of at least 0, of Python or numpy.
    """
    try:
        count = -1 if isinstance(steps, bool) else operator.index(steps)
    except TypeError:
        count = -1
    if count < 0:
        raise ValueError(f"steps is {steps!r}; wanted a whole number of at least 0")
    return _counted(count, seconds)


def _counted(steps, seconds):
    start = shown = time.monotonic()
    try:
        for step in range(steps):
            yield step
            now = time.monotonic()
            if now - shown >= seconds:
                left = (now - start) / (step + 1) * (steps - step - 1)
                clear_output(wait=True)
                print(f"step {step + 1} of {steps}, about {left:.0f} seconds left", flush=True)
                shown = now
    finally:
        if shown > start:
            clear_output()
