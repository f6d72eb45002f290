from live.arguments import as_numbers, as_words, check_row
from live.bundle import display, rounded

KEPT = ("source", "target", "written", "weights")


def bottleneck(sentences, shares, clauses, *, joints=("and", "et"), static, alt):
    """What two translators write of sentences that grow clause by clause, and what arrives.

    sentences: lists of dicts, one for each number of clauses, with source and target, lists of
    words; written, a dict from the names of both models to their words; and weights, those of the
    second model, a row for each word that it wrote and a column for each of the source. The first
    model reads one vector. shares: {model: (runs, lengths)}, sentences that are correct, for these
    two and others. clauses: {name: for each length, the share of each clause that is correct}, for
    the two. joints: the words that begin a clause, in source and target.
    """
    names = list(clauses) if isinstance(clauses, dict) else []
    if len(names) != 2 or not isinstance(shares, dict) or not {*names} <= {*shares}:
        raise ValueError("clauses has no two models that shares has too; wanted dicts of both")
    if not isinstance(sentences, (list, tuple)) or not sentences or not all(sentences):
        raise TypeError(f"sentences is {sentences!r:.60}; wanted a list of lists of dicts")
    K = len(sentences[0])
    kept = []
    for s, versions in enumerate(sentences):
        if len(versions) != K:
            raise ValueError(f"sentences[{s}] has {len(versions)} lengths; wanted {K}")
        kept.append([as_version(f"sentences[{s}][{k}]", v, names) for k, v in enumerate(versions)])
    spec = dict(names=names, sentences=kept, joints=as_words("joints", joints))
    spec["shares"] = {
        str(name): as_shares(f"shares[{name!r}]", runs, (None, K)) for name, runs in shares.items()
    }
    spec["clauses"] = [
        [as_shares(f"clauses[{name!r}][{k}]", clauses[name][k], (k + 1,)) for k in range(K)]
        for name in names
    ]
    hint = (
        "take two clauses away and bring them back one by one. Then point at a French word, or "
        "move with the arrow keys, to see what reaches it."
    )
    display("bottleneck", spec, hint, static, alt)


def as_version(name, version, models):
    if not isinstance(version, dict) or any(each not in version for each in KEPT):
        found = list(version) if isinstance(version, dict) else version
        raise ValueError(f"{name} is {found!r:.60}; wanted a dict with {', '.join(KEPT)}")
    source, target = (as_words(f"{name}['{part}']", version[part]) for part in KEPT[:2])
    written = [as_words(f"{name}['written'][{m!r}]", version["written"].get(m)) for m in models]
    shape = len(written[1]), len(source)
    weights = as_numbers(f"{name}['weights']", version["weights"], shape)
    for i, row in enumerate(weights):
        check_row(f"{name}['weights'][{i}]", row, None)
    return dict(source=source, target=target, written=written, weights=rounded(weights, 2))


def as_shares(name, values, shape):
    found = as_numbers(name, values, shape)
    flat = found if len(shape) == 1 else sum(found, [])
    if not all(0 <= share <= 1 for share in flat):
        raise ValueError(f"{name} has {max(flat, key=abs):.3g}; wanted shares from 0 to 1")
    return rounded(found, 3)
