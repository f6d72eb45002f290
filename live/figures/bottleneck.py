from live.bundle import rounded


def spec(sentences, shares, clauses, joints=("and", "et")):
    """What `bottleneck.js` needs.

    sentences: lists of dicts, one for each number of clauses, with source and target, lists of words;
    written, a dict from the names of both models to their words; and weights, those of the second model, a
    row for each word that it wrote and a column for each of the source. shares: {model: (runs, lengths)},
    sentences that are correct, for these two and others. clauses: {name: for each length, the share of each
    clause that is correct}, for the two.
    """
    names = list(clauses)
    kept = [
        [
            dict(source=v["source"], target=v["target"], weights=rounded(v["weights"]))
            | dict(written=[v["written"][name] for name in names])
            for v in versions
        ]
        for versions in sentences
    ]
    return dict(
        names=names,
        sentences=kept,
        joints=list(joints),
        shares=shares,
        clauses=[list(clauses[name]) for name in names],
    )
