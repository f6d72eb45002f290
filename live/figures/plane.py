import math

from live.arguments import as_numbers
from live.bundle import display

SHORTEST, LONGEST = 0.3, 2.9  # lengths that the drawing shows


def plane(query, keys, *, static, alt):
    """Dot products in the plane: a query and up to four keys to drag, with their scores and weights.

    query: 2 numbers. keys: m pairs of numbers. The scores are those of equation (4.2) with d = 2;
    switches take away the divisor, normalise by equation (4.6), and add a sink with the score 0.
    """
    query, keys = as_numbers("query", query, (2,)), as_numbers("keys", keys, (None, 2))
    if not 2 <= len(keys) <= 4:
        raise ValueError(f"keys holds {len(keys)} vectors; wanted 2 to 4")
    for x, y in (query, *keys):
        if not SHORTEST <= math.hypot(x, y) <= LONGEST:
            raise ValueError(f"({x}, {y}) has another length than {SHORTEST} to {LONGEST}")
    hint = (
        "switch QK-norm on: who wins now? Off again, make key a longer until it wins, too. "
        "Then turn the query away from all keys, without the sink and with it."
    )
    display("plane", dict(vectors=[query, *keys]), hint, static, alt)
