"""What the functions of live figures check: each problem is an error that names the argument."""

import math

import numpy as np


def as_words(name, words):
    words = list(words) if isinstance(words, (list, tuple)) else words
    if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
        raise TypeError(f"{name} is {words!r:.60}; wanted a list of words")
    return words


def as_number(name, value):
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError(f"{name} is {value!r}; wanted a finite number")
    return float(value)


def one_of(name, value, choices):
    if isinstance(value, bool) or value not in choices:
        shown = f"{choices[0]} to {choices[-1]}" if isinstance(choices, range) else choices
        raise ValueError(f"{name} is {value!r}; wanted one of {shown}")
    return value


def as_numbers(name, values, shape):
    """Nested lists of finite numbers, from a tensor, an array or lists; None is any size."""
    values = values.tolist() if hasattr(values, "tolist") else values
    wanted = "(" + ", ".join("any" if size is None else str(size) for size in shape) + ")"
    try:
        found = np.array(values)
    except ValueError:
        raise ValueError(f"{name} has rows of different lengths; wanted shape {wanted}") from None
    if found.dtype.kind not in "iuf":
        raise TypeError(f"{name} is {values!r:.60}; wanted numbers of shape {wanted}")
    fits = [size in (None, n) and n for size, n in zip(shape, found.shape)]
    if len(shape) != found.ndim or not all(fits):
        raise ValueError(f"{name} has shape {found.shape}; wanted {wanted}")
    if len(places := np.argwhere(~np.isfinite(found))):
        at = "".join(f"[{i}]" for i in places[0])
        raise ValueError(f"{name}{at} is {found[tuple(places[0])]}; wanted a finite number")
    return found.astype(float).tolist()


def check_row(name, row, shut):
    if min(row) < 0:
        raise ValueError(f"{name} holds {min(row):.3g}; wanted weights, 0 or more")
    open_keys = len(row) if shut is None else shut.count("0")
    total, wanted = sum(row), 1 if open_keys else 0
    if abs(total - wanted) > 1e-3:
        raise ValueError(f"{name} sums to {total:.4g}; wanted {wanted}")
    if shut and any(a > 1e-6 for a, s in zip(row, shut, strict=True) if s == "1"):
        raise ValueError(f"{name} has weight on a masked key; wanted 0 there")
