from live.bundle import display

KINDS_OF_HANDS = ["position codes", "a query and a key, turned", "the same, not turned"]


def clocks(query, key, frequencies, *, i=8, j=3, static, alt):
    """Positions as hands of clocks, one pair for each frequency, and the product of all of them.

    query, key: 2 K numbers each, K pairs (sine, cosine). frequencies: K angles in radians for each
    step. i, j: positions from 0 to 60. The hands are the codes of equation (10.1) of the course, or
    a query and a key that are rotated by equation (10.4), or left alone.
    """
    spec = dict(query=query, key=key, frequencies=frequencies, i=i, j=j, kinds=KINDS_OF_HANDS)
    hint = (
        "move both positions together. Then change the hands to a query and a key, and move again."
    )
    display("clocks", spec, hint, static, alt)
