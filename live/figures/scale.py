from live.bundle import display


def scale(*, m=16, width=256, divided=False, seed=1, static, alt):
    """One query and m keys of random entries: scores, weights and gradient at a width, with the
    divisor of equation (4.2) or without, and how the last draws went, 100 at most. Each key has a
    random value of 4 numbers, and the loss is the mean squared difference between the output and
    the value of key 0."""
    hint = (
        "press “draw 100”. How often does the correct key win, and how sure are the weights? "
        "Then divide by √d, and move d."
    )
    spec = dict(m=m, width=width, divided=bool(divided), seed=seed)
    display("scale", spec, hint, static, alt)
