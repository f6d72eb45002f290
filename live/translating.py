"""What the figures that run the trained translator share."""


def minimal_pairs(pairs):
    """What the script needs of minimal pairs."""
    found = []
    for k, both in enumerate(pairs):
        first, second = sentences = [list(pair.source) for pair in both]
        differ = next(i for i, (a, b) in enumerate(zip(first, second)) if a != b)
        pronouns = [pair.pronouns[0] for pair in both]
        nouns = [pronoun.source_referent for pronoun in pronouns]
        adjectives = " / ".join(words[differ] for words in sentences)
        label = f"{k + 1}. {', '.join(first[i] for i in sorted(nouns))}: {adjectives}"
        about = dict(name=label, sentences=sentences, nouns=nouns)
        found.append(about | {"it": pronouns[0].source, "adjective": differ})
    return found
