import re

from corpora import english_french as truth
from live.bundle import display
from live.translating import grammar


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
    found = []
    kinds = {
        kind: [
            list(each) for each in (listed if isinstance(listed, dict) else {"": listed}).items()
        ]
        for kind, listed in words.items()
    }
    for name, slots in patterns.items():
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
