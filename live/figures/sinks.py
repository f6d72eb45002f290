from live.bundle import display, rounded


def sinks(tokens, runs, late, *, static, alt):
    """Which tokens get the weight of the later ones, in nine runs of a model on one text.

    tokens: n strings. runs: {name: dict} with weights (n,), which the tokens from position late on
    give to each token, norms (n,), the lengths of the vectors, and loss, in nats per token.
    """
    kept = {
        name: dict(
            weights=rounded(run["weights"], 3),
            norms=rounded(run["norms"], 0),
            loss=round(run["loss"], 3),
        )
        for name, run in runs.items()
    }
    hint = (
        "guess before you press: which of the changes cost much, and where does a second tall bar "
        "appear?"
    )
    display("sinks", dict(tokens=tokens, runs=kept, late=late), hint, static, alt)
