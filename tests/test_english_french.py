"""The translation corpus: its grammar, by rules of our own for the words it has; its splits."""

import hashlib
import re
from collections import Counter
from functools import cache

import pytest

from data import english_french
from data.english_french import ADJECTIVES, KINDS, NOUNS, VERBS, corpus, joined, write

WORDS = {  # English word: the noun, and whether it is plural
    english_french.form(entry.english, plural): (noun, plural)
    for noun, entry in NOUNS.items()
    for plural in (False, True)
}
PARTICIPLES = "|".join(verb.participle for verb in VERBS.values() if verb.participle)
VOWEL = r"(?!hibou|haut)[aeiouhâéêî]"
WRONG_FRENCH = "|".join([
    rf"\b(le|la|de|ne|que|se|ma|sa) {VOWEL}", rf"\b[ldnsq]u?' (?!{VOWEL})",
    r"\b(de|à) (le|les|des)\b", rf"\b(beau|nouveau) {VOWEL}",
    r"\bvieux (animal|homme|ami|oiseau|arbre|hôtel)\b", rf"\b(bel|vieil|nouvel) (?!{VOWEL})",
    r"\b(ne|n') (?!((le|la|les|l'|se|s') )?\S+ pas\b)",
    rf"\b(a|ont) (?!(pas )?({PARTICIPLES})\b)",
])  # fmt: skip


def check(pair):
    """Each word has a partner, the French is spelt right, and pronouns agree with their nouns."""
    source, target, alignment = pair.source, pair.target, pair.alignment
    sides = [{link[side] for link in alignment} for side in (0, 1)]
    assert sides == [{*range(len(words))} for words in (target, source)], "without a partner"
    assert list(alignment) == sorted({*alignment})
    assert not re.search(WRONG_FRENCH, french := " ".join(target)), french
    nouns = [i for i, word in enumerate(source) if word in WORDS]
    for pronoun in pair.pronouns:
        assert pronoun.source_referent == nouns[referent(pair)]
        links = (pronoun.target, pronoun.source), (pronoun.target_referent, pronoun.source_referent)
        assert {*links} <= {*alignment}
        noun, plural = WORDS[source[pronoun.source_referent]]
        assert target[pronoun.target_referent] == english_french.form(NOUNS[noun].french, plural)
        feminine = NOUNS[noun].gender == "f"
        expected = {("il", "elle")[feminine] + "s" * plural}
        if pair.kind.startswith("object"):
            expected = {"les"} if plural else {"l'", ("le", "la")[feminine]}
        assert target[pronoun.target] in expected


def referent(pair):
    """0 where the pronoun must be the first noun of the sentence, 1 where it must be the second."""
    if pair.kind != "because":
        return int(pair.kind.startswith("object"))
    *_, thing = (WORDS[word][0] for word in pair.source if word in WORDS)
    return int(pair.source[-2] in KINDS[NOUNS[thing].kind].faults)


full = cache(corpus)


def everything(data):
    return [*data.training, *data.held_out, *data.compositional, *sum(data.minimal_pairs, ())]


def test_every_pair_is_right():
    pairs = [*everything(full()), *everything(corpus(1, 1_000, 0, 0, 250))]
    for pair in pairs[::8]:  # a fingerprint below is of all of them
        check(pair)
    kinds = Counter(pair.kind for pair in pairs)
    assert {*kinds} == {*english_french.RULES} and min(kinds.values()) > 1_000
    assert len({pair.source for pair in pairs}) == len({pair[:2] for pair in pairs})
    assert {len(words) for pair in pairs for words in pair[:2]} <= {*range(4, 19)}
    for side in (0, 1):  # no word is new behind the training
        words = {word for pair in full().training for word in pair[side]}
        assert 150 <= len(words) <= 300 and words == {word for pair in pairs for word in pair[side]}
        assert side or {*WORDS, *ADJECTIVES} < words


def test_the_famous_pair_and_print():
    tired, wide = full().minimal_pairs[0]
    texts = write(tired.source, "english"), *(write(two.target, "french") for two in (tired, wide))
    assert texts == (
        "The animal didn't cross the street because it was too tired.",
        "L'animal n'a pas traversé la rue parce qu'il était trop fatigué.",
        "L'animal n'a pas traversé la rue parce qu'elle était trop large.",
    )
    partners = 0, 1, 2, 3, 2, 3, 4, 5, 6, 6, 7, 8, 9, 10, 11
    assert tired.alignment == wide.alignment == tuple(enumerate(partners))
    assert tired.pronouns == ((7, 1, 10, 1),) and wide.pronouns == ((7, 5, 10, 7),)
    assert write(["est-ce", "qu'", "il", "dort", "?"], "french") == "Est-ce qu'il dort\u202f?"
    assert write(["does", "it", ",", "?"], "english") == "Does it,?" and write([], "english") == ""
    with pytest.raises(ValueError, match="language is 'German'; wanted 'english' or 'french'"):
        write(["Hund"], "German")


def meeting(words, withheld=english_french.WITHHELD):
    lemmas = {WORDS.get(word, [word])[0] for word in words}
    return {two for two in withheld if two <= lemmas}


def test_splits():
    """No sentence twice; what training never brings together, all of it, is in `compositional`."""
    data = full()
    assert [*map(len, data)] == [20_000, 1_000, 1_000, 500]
    assert len({pair.source for pair in everything(data)}) == 20_000 + 1_000 + 1_000 + 2 * 500
    assert not any(meeting(pair.source) for pair in data.training + data.held_out)
    tried = set()
    for pair in data.compositional:
        tried |= meeting(pair.source)
        together = meeting(word for word in pair.source if word in WORDS)
        for i, word in enumerate(pair.source):  # before its noun, or behind "is" or "too"
            if word in ADJECTIVES and pair.source[i + 1] in WORDS:
                together |= meeting(pair.source[i : i + 2])
            elif word in ADJECTIVES:
                together |= meeting([word, pair.source[pair.pronouns[0].source_referent]])
        assert together, pair.source
    assert tried == english_french.WITHHELD and len(tried) == 21


def test_minimal_pairs_and_referents():
    for first, second in full().minimal_pairs:
        assert first.source[:-2] == second.source[:-2] and first.source[-1] == second.source[-1]
        assert [referent(first), referent(second)] == [0, 1]
        assert {pair.target[pair.pronouns[0].target] for pair in (first, second)} == {"elle", "il"}
    pairs = [pair for pair in full().training if pair.kind == "because"]
    assert 0.4 < sum(map(referent, pairs)) / len(pairs) < 0.6


def test_seeds_and_sizes():
    digest = hashlib.sha256(repr(full()).encode()).hexdigest()
    assert digest == "b3df127fdb4d3c7fc37012bb061d3666306d9dd1d417a9b9cbb894df0e1df6b0"
    assert corpus(3, 30, 5, 5, 5) != corpus(4, 30, 5, 5, 5)
    assert corpus(training=0, held_out=0, compositional=0, minimal=0) == ((), (), (), ())


def test_joined_clauses_keep_what_is_known_of_each():
    pairs = corpus(training=300, held_out=0, compositional=0, minimal=0).training
    for k in (1, 2, 3):
        parts = pairs[k : 2 * k]
        whole = joined(parts)
        assert whole.source.count("and") >= k - 1 and whole.source[-1] == parts[-1].source[-1]
        assert len(whole.source) == sum(len(pair.source) for pair in parts)
        alignment, pronouns, s, t = [], [], 0, 0
        for pair in parts:  # each word of a clause has the partner that it had
            assert whole.target[t : t + len(pair.target) - 1] == pair.target[:-1]
            alignment += [(t + i, s + j) for i, j in pair.alignment]
            pronouns += [(s + p[0], s + p[1], t + p[2], t + p[3]) for p in pair.pronouns]
            s, t = s + len(pair.source), t + len(pair.target)
        assert (whole.alignment, whole.pronouns) == (tuple(alignment), tuple(pronouns))
    with pytest.raises(ValueError, match="pairs is empty"):
        joined([])
