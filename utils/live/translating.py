"""What the figures that run the trained translator share."""

import json

from utils.live.bundle import HERE


def english_words():
    """The English words of the trained translator."""
    content = json.loads((HERE.parent / "data" / "translator.json").read_text(encoding="utf-8"))
    return set(content["english"][3:])  # without those for padding, begin and end


def check_known(name, words, known):
    if unknown := [word for word in words if word not in known]:
        raise ValueError(
            f"{name} holds {unknown[0]!r}; wanted words of the translator's vocabulary"
        )


def minimal_pairs(pairs):
    """What the script needs of minimal pairs."""
    if not isinstance(pairs, (list, tuple)) or not 1 <= len(pairs) <= 6:
        raise ValueError(f"pairs is {pairs!r:.60}; wanted a list of 1 to 6 minimal pairs")
    found, known = [], english_words()
    for k, both in enumerate(pairs):
        name = f"pairs[{k}]"
        if len(both) != 2 or not all(hasattr(pair, "pronouns") for pair in both):
            raise TypeError(f"{name} is {both!r:.60}; wanted two pairs of a corpus")
        sentences = [list(pair.source) for pair in both]
        for words in sentences:
            check_known(name, words, known)
        first, second = sentences
        differ = [i for i, (a, b) in enumerate(zip(first, second)) if a != b]
        if len(differ) != 1 or len(first) != len(second):
            raise ValueError(f"{name} differs in {len(differ)} words; wanted one, in one position")
        pronouns = [pronoun for pair in both for pronoun in pair.pronouns[:1]]
        nouns = [pronoun.source_referent for pronoun in pronouns]
        if len({pronoun.source for pronoun in pronouns}) != 1 or len({*nouns}) != 2:
            raise ValueError(
                f"{name} lacks two pronouns; wanted “it” in one position, for two nouns"
            )
        adjectives = " / ".join(words[differ[0]] for words in sentences)
        label = f"{k + 1}. {', '.join(first[i] for i in sorted(nouns))}: {adjectives}"
        about = dict(name=label, sentences=sentences, nouns=nouns)
        found.append(about | {"it": pronouns[0].source, "adjective": differ[0]})
    return found
