from live.bundle import display


def plane(query, keys, *, static, alt):
    """Dot products in the plane: a query and up to four keys to drag, with their scores and weights.

    query: 2 numbers. keys: m pairs of numbers. The scores are those of equation (4.2) with d = 2;
    switches take away the divisor, normalise by equation (4.6), and add a sink with the score 0.
    """
    hint = (
        "switch QK-norm on: who wins now? Off again, make key a longer until it wins, too. "
        "Then turn the query away from all keys, without the sink and with it."
    )
    display("plane", dict(vectors=[query, *keys]), hint, static, alt)
