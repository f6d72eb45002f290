from live.arguments import as_number, as_numbers, as_words, check_row, one_of
from live.bundle import display, rounded

# Each run, and the token that gets none of the weight in it.
RUNS = {
    **{"as it is": None, "first token: Paris": None, "first token: the": None},
    **{"forbid all": 0, "forbid late": 0, "forbid 10": 10, "alone 10": None},
    **{"ffn 0": None, "ffn 10": None},
}
KEPT = ("weights", "norms", "loss")


def sinks(tokens, runs, late, *, static, alt):
    """Which tokens get the weight of the later ones, in nine runs of a model on one text.

    tokens: n strings. runs: a dict from the names in RUNS to dicts with weights (n,), which the
    tokens from position late on give to each token, norms (n,), the lengths of the vectors, and
    loss, in nats per token.
    """
    tokens = as_words("tokens", tokens)
    n = len(tokens)
    if n < 12:
        raise ValueError(f"tokens has {n} words; wanted 12 or more, as token 10 is changed")
    late = int(one_of("late", late, range(11, n)))
    if not isinstance(runs, dict) or set(runs) != set(RUNS):
        found = list(runs) if isinstance(runs, dict) else runs
        raise ValueError(f"runs is {found!r:.90}; wanted a dict with the names {list(RUNS)}")
    kept = {}
    for name, hidden in RUNS.items():
        run, at = runs[name], f"runs[{name!r}]"
        if not isinstance(run, dict) or any(each not in run for each in KEPT):
            found = list(run) if isinstance(run, dict) else run
            raise ValueError(f"{at} is {found!r:.60}; wanted a dict with {', '.join(KEPT)}")
        weights = as_numbers(f"{at}['weights']", run["weights"], (n,))
        check_row(f"{at}['weights']", weights, "".join("01"[k == hidden] for k in range(n)))
        norms = as_numbers(f"{at}['norms']", run["norms"], (n,))
        if min(norms) < 1:  # they are shown on a log scale, as whole numbers
            raise ValueError(f"{at}['norms'] holds {min(norms):.3g}; wanted lengths of 1 or more")
        if (loss := as_number(f"{at}['loss']", run["loss"])) < 0:
            raise ValueError(f"{at}['loss'] is {loss:.3g}; wanted 0 or more")
        kept[name] = dict(weights=rounded(weights, 3), norms=rounded(norms, 0), loss=round(loss, 3))
    hint = (
        "guess before you press: which of the changes cost much, and where does a second tall bar "
        "appear?"
    )
    display("sinks", dict(tokens=tokens, runs=kept, late=late), hint, static, alt)
