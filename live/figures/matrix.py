import math

from live.arguments import as_numbers, as_words
from live.bundle import display

SIZE = 6  # as many people and cities, for the histories and for the columns of the drawing
LONGEST = 7  # characters of a word, which is written above a column
# What can be written at one press, as pairs of person and city.
MOVES = [[0, 0], [1, 2], [0, 1]]
ONCE = [[0, 0], [1, 2], [2, 3], [3, 1], [4, 4], [5, 5]]
BOTH = [[0, 0], [1, 2], [0, 1], [1, 5], [0, 2], [1, 4], [0, 5], [1, 0], [0, 4], [1, 1]]


def matrix(names, keys, cities, values, *, static, alt):
    """A memory of fixed size: facts to write, three rules to write them by, and people to ask for.

    names, cities: six words each. keys: for each name a unit vector of width 4. values: the one-hot
    vectors of the cities, so that the answer, the query times the matrix, has a number for each. The
    rules are the sum of linear attention, that sum with a decay of 0.8, and the delta rule.
    """
    spec = dict(names=six("names", names), cities=six("cities", cities))
    # Rounded, they are the same on all machines, and then of length 1 again.
    keys = [[round(x, 3) for x in key] for key in as_numbers("keys", keys, (SIZE, 4))]
    lengths = [math.hypot(*key) for key in keys]
    for name, length in zip(names, lengths):
        if abs(length - 1) > 0.01:
            raise ValueError(f"keys: that of {name} has length {length:.3g}; wanted 1")
    spec["keys"] = [[x / length for x in key] for key, length in zip(keys, lengths)]
    spec["values"] = as_numbers("values", values, (SIZE, SIZE))
    if spec["values"] != [[float(i == j) for j in range(SIZE)] for i in range(SIZE)]:
        raise ValueError("values is no identity matrix; wanted a one-hot vector for each city")
    # The person who is then asked, and the facts.
    spec["histories"] = {
        f"{names[0]} moves": [0, MOVES],
        "Everybody, once": [0, ONCE],
        "Two move all the time": [2, [[2, 3], *BOTH]],
    }
    hint = (
        "change the rule and see what is left of the old city. In “Two move all the time”, which rule "
        f"finds both {names[0]} and {names[2]}? And in “Everybody, once”, which rule loses nobody?"
    )
    display("matrix", spec, hint, static, alt, digits=12)


def six(name, words):
    words = as_words(name, words)
    if len(words) != SIZE or len({*words}) < SIZE:
        raise ValueError(f"{name} is {words!r:.60}; wanted {SIZE} different words")
    for word in words:
        if not 0 < len(word) <= LONGEST:
            raise ValueError(f"{name} holds {word!r}; wanted words of 1 to {LONGEST} characters")
    return words
