import math

from live.bundle import display, rounded

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
    spec = dict(names=names, cities=cities, values=values)
    # Rounded, they are the same on all machines, and then of length 1 again.
    keys = rounded(keys, 3)
    lengths = [math.hypot(*key) for key in keys]
    spec["keys"] = [[x / length for x in key] for key, length in zip(keys, lengths)]
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
