from live.bundle import rounded


def fewer(value, digits):
    """The numbers of tensors or lists with so many decimals."""
    if isinstance(value, list):
        return [fewer(item, digits) for item in value]
    return round(value, digits)


def spec(sentences, shares, clauses):
    """What two translators write of sentences that grow clause by clause, and what arrives.

    sentences: lists of dicts, one for each number of clauses, with source and target, lists of words;
    written, a dict from the names of both models to their words; and weights, those of the second model, a
    row for each word that it wrote and a column for each of the source. shares: {model: (runs, lengths)},
    sentences that are correct, for these two and others. clauses: {name: for each length, the share of each
    clause that is correct}, for the two.
    """
    names = list(clauses)

    def version(v):
        written = [v["written"][name] for name in names]
        weights = fewer(rounded(v["weights"]), 2)
        return dict(source=v["source"], target=v["target"], weights=weights, written=written)

    return dict(
        names=names,
        sentences=[[version(v) for v in versions] for versions in sentences],
        shares={name: fewer(rounded(runs), 3) for name, runs in shares.items()},
        clauses=[fewer(rounded(clauses[name]), 3) for name in names],
    )
