from live.bundle import display, rounded


def bottleneck(sentences, shares, clauses, *, joints=("and", "et"), static, alt):
    """What two translators write of sentences that grow clause by clause, and what arrives.

    sentences: lists of dicts, one for each number of clauses, with source and target, lists of
    words; written, a dict from the names of both models to their words; and weights, those of the
    second model, a row for each word that it wrote and a column for each of the source. The first
    model reads one vector. shares: {model: (runs, lengths)}, sentences that are correct, for these
    two and others. clauses: {name: for each length, the share of each clause that is correct}, for
    the two. joints: the words that begin a clause, in source and target.
    """
    names = list(clauses)
    spec = dict(names=names, sentences=[], joints=list(joints))
    for versions in sentences:
        kept = [
            dict(source=v["source"], target=v["target"], weights=rounded(v["weights"], 2))
            | dict(written=[v["written"][name] for name in names])
            for v in versions
        ]
        spec["sentences"].append(kept)
    spec["shares"] = {str(name): rounded(runs, 3) for name, runs in shares.items()}
    spec["clauses"] = [[rounded(row, 3) for row in clauses[name]] for name in names]
    hint = (
        "take two clauses away and bring them back one by one. Then point at a French word, or "
        "move with the arrow keys, to see what reaches it."
    )
    display("bottleneck", spec, hint, static, alt)
