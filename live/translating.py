"""What the figures that run the trained translator share."""

from corpora.english_french import (
    ADJECTIVES,
    NOUNS,
    PREPOSITIONS,
    RULES,
    VERBS,
    WITH_REFERENT,
    WITH_SUBJECT,
    form,
)


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


def patterns():
    """The English patterns of `corpora/english_french.py`, and words for each piece of them, as
    `patterns.js` reads them."""

    def any_of(*words):
        return f"(?:{'|'.join(dict.fromkeys(words))})"

    adjective = any_of(*ADJECTIVES)
    forms = (form(noun.english, plural) for noun in NOUNS.values() for plural in (False, True))
    article, preposition = "(?:the|an?|some|my|his|her)", any_of(*PREPOSITIONS)
    phrase = f"(?:{preposition} )?{article} (?:{adjective} )?{any_of(*forms)}"
    verb = any_of(*(word for v in VERBS.values() for word in (*v[:2], v.past) if word))
    pieces = {"SUBJECT": phrase, "ADJECTIVE": adjective, ".": r"\.", "?": r"\?"}
    pieces |= {"VERB": verb, "HE": "(?:he|she|it|they)", "HIM": "(?:him|her|it|them)"}
    for piece, words in (WITH_SUBJECT | WITH_REFERENT).items():
        pieces[piece] = any_of(*words.split("/"))
    same = {"OBJECT": "SUBJECT", "VERBS": "VERB", "VERBED": "VERB"}
    rules = [[same.get(p, p) for p in rule.english.split()] for rule in RULES.values()]
    used = {piece for rule in rules for piece in rule}
    return dict(pieces={p: words for p, words in pieces.items() if p in used}, rules=rules)
