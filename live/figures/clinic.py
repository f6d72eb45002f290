from live.bundle import display


def clinic(rounds, *, static, alt):
    """Attention maps with what each layer was told: press the one that can't be sound.

    rounds: for each, a list of maps (name, allowed, weights). allowed: (n, m), True where a query may
    attend, a tensor. weights: (n, m). In exactly one map of a round, weights are where they aren't allowed,
    are missing, or a row doesn't sum to 1.
    """
    spec = []
    for maps in rounds:
        shown = [
            dict(
                allowed=[[int(x) for x in row] for row in allowed.tolist()],
                weights=[[float(f"{x:.4g}") for x in row] for row in weights.tolist()],
            )
            for _, allowed, weights in maps
        ]
        spec.append(dict(names=[name for name, _, _ in maps], maps=shown))
    hint = "press the map that can't be right. A press shows the sums of its rows, and hatches its masked keys."
    display("clinic", dict(rounds=spec), hint, static, alt)
