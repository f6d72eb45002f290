"""What the functions of live figures check: each problem is an error that names the argument."""

import math


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
    values = values.detach().cpu() if hasattr(values, "detach") else values
    values = values.tolist() if hasattr(values, "tolist") else values
    wanted = "(" + ", ".join("any" if size is None else str(size) for size in shape) + ")"

    def walk(part, sizes, place):
        if not sizes:
            if isinstance(part, bool) or not isinstance(part, (int, float)):
                raise TypeError(f"{place} is {part!r:.40}; wanted a number")
            if not math.isfinite(part):
                raise ValueError(f"{place} is {part}; wanted a finite number")
            return float(part)
        if not isinstance(part, (list, tuple)):
            raise TypeError(f"{place} is {part!r:.40}; wanted numbers of shape {wanted}")
        if not part or sizes[0] not in (None, len(part)):
            raise ValueError(f"{place} has {len(part)} entries; wanted numbers of shape {wanted}")
        return [walk(each, sizes[1:], f"{place}[{i}]") for i, each in enumerate(part)]

    found = walk(values, shape, name)
    level = [found]
    for _ in shape:  # all parts of one level have one size
        if len({len(part) for part in level}) > 1:
            raise ValueError(f"{name} has rows of different lengths; wanted shape {wanted}")
        level = [each for part in level for each in part]
    return found


def check_row(name, row, shut):
    if min(row) < 0:
        raise ValueError(f"{name} holds {min(row):.3g}; wanted weights, 0 or more")
    open_keys = len(row) if shut is None else shut.count("0")
    total, wanted = sum(row), 1 if open_keys else 0
    if abs(total - wanted) > 1e-3:
        raise ValueError(f"{name} sums to {total:.4g}; wanted {wanted}")
    if shut and any(a > 1e-6 for a, s in zip(row, shut, strict=True) if s == "1"):
        raise ValueError(f"{name} has weight on a masked key; wanted 0 there")
