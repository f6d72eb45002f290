"""What the figures that run the trained translator share."""

import json

from corpora.english_french import (
    ADJECTIVES,
    DEEDS,
    FOR_PEOPLE,
    KINDS,
    NOUNS,
    OWNED,
    PREPOSITIONS,
    RULES,
    VERBS,
    WITH_REFERENT,
    WITH_SUBJECT,
    form,
    pronouns,
)
from live.bundle import DATA


def english_words():
    """The English words of the trained translator."""
    content = json.loads((DATA / "translator.json").read_text(encoding="utf-8"))
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


def grammar():
    """The English side of the grammar of `corpora/english_french.py`, as `grammar.js` reads it."""
    place = {noun: k for k, noun in enumerate(NOUNS)}
    nouns = []
    for name, noun in NOUNS.items():
        said = pronouns(name, plural=False)
        about = dict(forms=[form(noun.english, False), form(noun.english, True)], kind=noun.kind)
        about["he"] = [said["HE"], said["HIM"]]
        flags = dict(owned=name in OWNED, people=name in FOR_PEOPLE, friend=name == "friend")
        nouns.append(about | {flag: True for flag, holds in flags.items() if holds})
    deeds = []
    for deed in DEEDS:
        verb = VERBS[deed.verb]
        about = dict(verb=[verb.base, verb.third_singular, verb.past], reasons=deed.reasons)
        about |= {
            side: [place[noun] for noun in getattr(deed, side)] for side in ("subjects", "objects")
        }
        deeds.append(about | dict(preposition=deed.preposition))
    rules = []
    for kind, rule in RULES.items():
        about = dict(pattern=rule.english.split(), deeds=[DEEDS.index(deed) for deed in rule.deeds])
        flags = dict(
            both=kind == "because",
            animate=kind.startswith(("when", "object")),
            seen=kind.startswith("object"),
            without="pas/" in rule.french,  # French has no "pas un"
        )
        rules.append(about | {flag: True for flag, holds in flags.items() if holds})
    lasting = [name for name, a in ADJECTIVES.items() if a.kind in ("beauty", "age", "colour")]
    kinds = {kind: each._asdict() for kind, each in KINDS.items()}
    tables = dict(nouns=nouns, kinds=kinds, deeds=deeds, rules=rules, lasting=lasting)
    return tables | {"patterns": patterns()}
