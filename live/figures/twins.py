def spec(pairs):
    """pairs: 1 to 6 minimal pairs of `data.english_french.corpus()`."""
    entries = []
    for k, (first, second) in enumerate(pairs):
        differ = next(i for i, (a, b) in enumerate(zip(first.source, second.source)) if a != b)
        pronouns = [pair.pronouns[0] for pair in (first, second)]
        nouns = [pronoun.source_referent for pronoun in pronouns]
        named = ", ".join(first.source[i] for i in sorted(nouns))
        about = dict(name=f"{k + 1}. {named}: {first.source[differ]} / {second.source[differ]}")
        about |= dict(sentences=[first.source, second.source], nouns=nouns)
        entries.append(about | dict(it=pronouns[0].source, adjective=differ))
    return dict(pairs=entries)
