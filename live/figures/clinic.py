from live.arguments import as_numbers, as_words
from live.bundle import display


def clinic(rounds, *, static, alt):
    """Attention maps with what each layer was told: press the one that can't be sound.

    rounds: for each, a list of maps (name, allowed, weights). allowed: (n, m), True where a query may
    attend, a tensor. weights: (n, m). In exactly one map of a round, weights are where they aren't allowed,
    are missing, or a row doesn't sum to 1; another number of them raises `ValueError`.
    """
    spec = []
    for number, maps in enumerate(rounds, start=1):
        names = as_words("rounds", [name for name, _, _ in maps])
        shown = []
        for name, allowed, weights in maps:
            weights = as_numbers(f"the weights of {name!r}", weights, (None, None))
            shape = (len(weights), len(weights[0]))
            allowed = as_numbers(f"allowed of {name!r}", 1 * allowed, shape)
            short = [[float(f"{x:.4g}") for x in row] for row in weights]
            shown.append(dict(allowed=[[int(x) for x in row] for row in allowed], weights=short))
        ill = [name for name, each in zip(names, shown) if is_ill(**each)]
        if len(ill) != 1:
            raise ValueError(f"round {number} has {len(ill)} ill maps; wanted one")
        spec.append(dict(names=names, maps=shown))
    hint = "press the map that can't be right. A press shows the sums of its rows, and hatches its masked keys."
    display("clinic", dict(rounds=spec), hint, static, alt)


def is_ill(allowed, weights):
    """Whether a row doesn't sum to 1, or where there is weight isn't where it is allowed."""
    for may, row in zip(allowed, weights):
        if abs(sum(row) - 1) > 0.01 or any((x > 0) != (a > 0) for a, x in zip(may, row)):
            return True
    return False
