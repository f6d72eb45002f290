from live.bundle import display

WIDTHS = [round(0.005 * 1.16**k, 4) for k in range(44)]  # of a kernel, 0.005 to 3


def kernel(x, y, *, truth, width=0.25, query=None, static, alt):
    """Kernel regression: a width, a kernel and a query to choose, points to drag.

    x, y: m numbers each, keys and values. truth: pairs (x, y) along the true curve. Weights are
    those of equation (2.2), the leave-one-out error is that of equation (2.5).
    """
    query = float(min(x) + max(x)) / 2 if query is None else query
    hint = (
        "make the width so small that the curve passes through every point. What does the "
        "leave-one-out error say? Then drag a point up, or move it by the arrow keys."
    )
    spec = dict(x=x, y=y, truth=truth, widths=WIDTHS, width=width, query=query)
    display("kernel", spec, hint, static, alt)
