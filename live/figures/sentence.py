import re

from corpora import english_french as truth
from live.arguments import as_words
from live.bundle import display
from live.translating import check_known, english_words, grammar


def french():
    """The French side of the grammar of `corpora/english_french.py`, as `grammar.js` reads it."""

    def forms(word):  # masculine and plural, feminine and plural, masculine before a vowel
        both = word.masculine, word.feminine or word.masculine
        return [truth.form(each, plural) for each in both for plural in (False, True)] + [
            word.vowel
        ]

    adjectives = truth.ADJECTIVES | {" ".join(key): word for key, word in truth.INSTEAD.items()}
    verbs = truth.VERBS.values()
    some = truth.ARTICLES["a"]
    articles = truth.ARTICLES | dict(an=some, some=some)
    contracted = {
        f"{preposition} {article}": truth.contracted(preposition, article)
        for preposition in ("de", "à")
        for article in ("le", "les")
    }
    return dict(
        nouns=[
            [*(truth.form(noun.french, plural) for plural in (False, True)), noun.gender == "f"]
            for noun in truth.NOUNS.values()
        ],
        adjectives={name: forms(word) for name, word in adjectives.items()},
        before=[name for name in truth.ADJECTIVES if truth.placed_before_noun(name)],
        verbs={
            english: [verb.singular, verb.plural, verb.participle]
            for verb in verbs
            for english in (verb.base, verb.third_singular, verb.past)
        },
        prepositions=truth.PREPOSITIONS,
        articles={article: each.split() for article, each in articles.items()},
        elided={word: truth.elided(word, "a") for word in "le la de ne que se ma sa".split()},
        contracted=contracted,
        rules=[re.sub(r"/\S+", "", rule.french).split() for rule in truth.RULES.values()],
    )


def sentence(patterns, words, *, static, alt):
    """A sentence of the reader's own, translated by the trained translator as it is chosen or typed.

    patterns: {name: slots}; a slot is a word, or the name of a kind, which becomes a menu. words:
    {kind: words}, or {kind: {group: words}} for a menu in groups.
    """
    for name, given in (("patterns", patterns), ("words", words)):
        if not isinstance(given, dict) or not given:
            raise TypeError(f"{name} is {given!r:.60}; wanted a dict")
    known, kinds, found = english_words(), {}, []
    for kind, listed in words.items():
        groups = listed if isinstance(listed, dict) else {"": listed}
        groups = [[group, as_words(f"words[{kind!r}]", each)] for group, each in groups.items()]
        check_known(f"words[{kind!r}]", [word for _, each in groups for word in each], known)
        if kind in known or not groups:
            fault = "is a word of the vocabulary" if kind in known else "has no words"
            raise ValueError(f"words: {kind!r} {fault}; wanted the name of a kind, with words")
        kinds[kind] = groups
    for name, slots in patterns.items():
        slots = as_words(f"patterns[{name!r}]", slots)
        if len(slots) > 24:
            raise ValueError(f"patterns[{name!r}] has {len(slots)} slots; wanted 24 or fewer")
        check_known(f"patterns[{name!r}]", [slot for slot in slots if slot not in kinds], known)
        start = []  # the second noun of a sentence is another one, and of another group
        for i, slot in enumerate(slots):
            groups, nth = kinds.get(slot, [["", [slot]]]), slots[:i].count(slot)
            _, each = groups[nth % len(groups)]
            start.append(each[nth // len(groups) % len(each)] if slot in kinds else slot)
        found.append(dict(name=name, slots=slots, start=start))
    hint = (
        "change one word at a time. Which of your changes turn il into elle, and how sure is the "
        "model of each word? Then type a sentence that none of the menus can make."
    )
    spec = dict(patterns=found, kinds=kinds, grammar=grammar(), french=french())
    display("sentence", spec, hint, static, alt)
