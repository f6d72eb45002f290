"""The translation corpus: its grammar, by rules of our own for the words it has; its splits."""

import hashlib
import re
from collections import Counter
from functools import cache

import pytest

from corpora import english_french
from corpora.english_french import ADJECTIVES, ARTICLES, KINDS, NOUNS, VERBS, corpus, joined, write

WORDS = {  # English word: the noun, and whether it is plural
    english_french.form(known.english, plural): (noun, plural)
    for noun, known in NOUNS.items()
    for plural in (False, True)
}
ENGLISH = {"is": 0, "are": 1, "was": 0, "were": 1, "does": 0, "do": 1, "doesn't": 0, "don't": 1}
ENGLISH |= {"he": 0, "she": 0, "it": 0, "they": 1}  # 1 for many
FRENCH = {"a": 0, "ont": 1, "est": 0, "sont": 1, "était": 0, "étaient": 1}
FRENCH |= {"il": 0, "elle": 0, "ils": 1, "elles": 1}
FUSED = {"du": "le", "au": "le", "des": "les", "aux": "les"}
NEGATIONS = {"didn't", "doesn't", "don't"}
SAID = {"it", "he", "she", "they", "him", "them"}
SUBJECTS = {"it", "he", "she", "they", "il", "elle", "ils", "elles"}
PREPOSITIONS = {"in": {"dans"}, "near": {"près"}, "behind": {"derrière"}, "to": {"à", "au", "aux"}}
PREPOSITIONS["from"] = {"de", "d'", "du", "des"}
CONJUNCTIONS = {"because": ["parce", "qu'"], "when": ["quand"], "too": ["trop"], "and": ["et"]}
CONJUNCTIONS |= {"but": ["mais"], ",": [","]}
FORMS = {}  # English verb: its French forms, one of which is its partner
for verb in VERBS.values():
    one, many = (words.split("_")[-1] for words in (verb.singular, verb.plural))
    ENGLISH[verb.third_singular], FRENCH[one], FRENCH[many] = 0, 0, 1
    english = verb.base, verb.third_singular, verb.past
    FORMS |= dict.fromkeys(filter(None, english), {one, many, verb.participle})
PARTNERS = PREPOSITIONS | FORMS
PARTICIPLES = "|".join(verb.participle for verb in VERBS.values() if verb.participle)
VOWEL = r"(?!hibou|haut)[aeiouhâéêî]"
WRONG_FRENCH = "|".join([
    rf"\b(le|la|de|ne|que|se|ma|sa) {VOWEL}", rf"\b[ldnsq]u?' (?!{VOWEL})",
    r"\b(de|à) (le|les|des)\b", rf"\b(beau|nouveau) {VOWEL}",
    r"\bvieux (animal|homme|ami|oiseau|arbre|hôtel)\b", rf"\b(bel|vieil|nouvel) (?!{VOWEL})",
    r"\b(ne|n') (?!((le|la|les|l'|se|s') )?\S+ pas\b)",
    rf"\b(a|ont) (?!(pas )?({PARTICIPLES})\b)",
])  # fmt: skip
NOBODY_SAYS = "|".join([  # in French, or at all
    r"\b(like|likes|go to|goes to) (a|an|some)\b", r"\bscared , \S+ sleep",
    r"\b(to|from) \S+ \S+ (river|lake|field|bridge)", r"\bexplore.* bridge|\bbridge.* explore",
])  # fmt: skip


def check(pair):
    """All of a pair: partners, French spelling, noun phrases, verbs, pronouns, negation, end."""
    source, target, alignment = pair.source, pair.target, pair.alignment
    sides = [{*side} for side in zip(*alignment, strict=True)]
    assert sides == [{*range(len(words))} for words in (target, source)], "without a partner"
    assert list(alignment) == sorted({*alignment})
    partners = [[] for _ in source]
    for t, i in alignment:
        partners[i].append(t)
    for i, word in enumerate(source):
        french = [target[t] for t in partners[i]]
        assert word not in PARTNERS or {*french} & PARTNERS[word], (word, french)
        assert french == CONJUNCTIONS.get(word, french), (word, french)
        assert word not in NEGATIONS or french in (["ne", "pas"], ["n'", "pas"]), french
        assert word not in ("do", "does") or french in (["est-ce", "que"], ["est-ce", "qu'"])
    assert not re.search(WRONG_FRENCH, french := " ".join(target)), french
    assert not re.search(NOBODY_SAYS, english := " ".join(source)), english
    nouns = [i for i, word in enumerate(source) if word in WORDS]
    verbs = [i for i, word in enumerate(source) if word in FORMS]
    for i in nouns:
        check_noun_phrase(pair, i, partners)
        assert all((i < j) == (partners[i] < partners[j]) for j in verbs), "order of words"
    (subject, subjects), (thing, things) = (WORDS[source[i]] for i in nouns)
    if NOUNS[subject].kind == "creature" and thing in ("school", "hotel", "boat"):
        assert {source[i] for i in verbs} <= {"see", "sees", "stop", "stops"}, english
    assert subjects >= things or not {*source} & {*PREPOSITIONS}, "one in several places"
    for words, numbers in ((source, ENGLISH), (target, FRENCH)):
        plural = subjects
        for word in words:
            if word in SUBJECTS and not (word == "it" and pair.kind.startswith("object")):
                plural = numbers.get(word, plural)
            assert word == "it" or numbers.get(word, plural) == plural, f"{word} does not agree"
    check_pronouns(pair, nouns)
    negations = sum(word in NEGATIONS for word in source)
    assert negations == target.count("pas") == target.count("ne") + target.count("n'")
    assert source[-1] == target[-1] in (".", "?")
    assert source[-1] == "." or re.match("est-ce (que|qu') ", french)


def check_noun_phrase(pair, i, partners):
    source, target = pair.source, pair.target
    name, plural = WORDS[source[i]]
    noun = english_french.form(NOUNS[name].french, plural)
    assert [target[t] for t in partners[i]] == [noun]
    place, adjective = partners[i][0], source[i - 1]
    described = adjective in ADJECTIVES
    first = described and ADJECTIVES[adjective].kind in ("beauty", "age", "size")
    if described:
        form = english_french.french_adjective(adjective, name, plural, noun)
        beside = place - 1 if first else place + 1
        assert partners[i - 1] == [beside] and target[beside] == form, f"{form} {noun}"
    article, start = source[i - 1 - described], partners[i - 1 - described][-1]
    number = 2 if plural else int(NOUNS[name].gender == "f")
    wanted = {"an": "a", "some": "a"}.get(article, article)
    wanted = "de" if article == "some" and first else ARTICLES[wanted].split()[number]
    if re.match(VOWEL, target[start + 1]):
        wanted = {"le": "l'", "la": "l'", "ma": "mon", "sa": "son"}.get(wanted, wanted)
    shared = len([t for t, s in pair.alignment if t == start]) > 1
    found = FUSED.get(target[start]) if shared else target[start]
    assert found == wanted and start == place - 1 - first, f"{target[start]} {noun}"
    following = source[i - described]
    assert article not in ("a", "an") or (article == "an") == (following[0] in "aeiou")


def check_pronouns(pair, nouns):
    source, target = pair.source, pair.target
    said = [i for i, word in enumerate(source) if word in SAID or source[i:][:2] == ("her", ".")]
    assert said == [pronoun.source for pronoun in pair.pronouns]
    for pronoun in pair.pronouns:
        assert pronoun.source_referent == nouns[referent(pair)]
        both = (pronoun.target, pronoun.source), (pronoun.target_referent, pronoun.source_referent)
        assert {*both} <= {*pair.alignment}
        noun, plural = WORDS[source[pronoun.source_referent]]
        feminine = NOUNS[noun].gender == "f"
        object_ = pair.kind.startswith("object")
        forms = ("him", "her", "them") if object_ else ("he", "she", "they")
        it = forms[2 if plural else feminine] if NOUNS[noun].kind == "person" or plural else "it"
        wanted = ("il", "elle")[feminine] + "s" * plural
        if object_:
            elided = re.match(VOWEL, target[pronoun.target + 1])
            wanted = "les" if plural else "l'" if elided else ("le", "la")[feminine]
            assert (pronoun.target + 1, pronoun.source - 1) in pair.alignment, "not before its verb"
        else:
            end = "." if pair.kind == "because" else ","
            adjective = source[source.index(end) - 1]
            form = english_french.french_adjective(adjective, noun, plural)
            assert target[target.index(end) - 1] == form
        assert (source[pronoun.source], target[pronoun.target]) == (it, wanted)
        assert target[pronoun.target_referent] == english_french.form(NOUNS[noun].french, plural)


def referent(pair):
    """0 where the pronoun must be the first noun of the sentence, 1 where it must be the second."""
    if pair.kind != "because":
        return int(pair.kind.startswith("object"))
    *_, thing = (WORDS[word][0] for word in pair.source if word in WORDS)
    return int(pair.source[-2] in KINDS[NOUNS[thing].kind].faults)


found = cache(corpus)


def everything(some):
    return [*some.training, *some.held_out, *some.compositional, *sum(some.minimal_pairs, ())]


def test_every_pair_is_right():
    pairs = [*everything(found()), *everything(corpus(1, 1_000, 0, 0, 250))]
    for pair in pairs:
        check(pair)
    kinds = Counter(pair.kind for pair in pairs)
    assert {*kinds} == {*english_french.RULES} and min(kinds.values()) > 1_000
    assert len({pair.source for pair in pairs}) == len({pair[:2] for pair in pairs})
    assert {len(words) for pair in pairs for words in pair[:2]} <= {*range(4, 19)}
    for side in (0, 1):  # no word is new behind the training
        words = {word for pair in found().training for word in pair[side]}
        assert 150 <= len(words) <= 300 and words == {word for pair in pairs for word in pair[side]}
        assert side or {*WORDS, *ADJECTIVES} < words


def test_the_famous_pair_and_print():
    tired, wide = found().minimal_pairs[0]
    said = write(tired.source, "english"), *(write(two.target, "french") for two in (tired, wide))
    assert said == (
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
    some = found()
    assert [*map(len, some)] == [20_000, 1_000, 1_000, 500]
    assert len({pair.source for pair in everything(some)}) == 20_000 + 1_000 + 1_000 + 2 * 500
    assert not any(meeting(pair.source) for pair in some.training + some.held_out)
    tried = set()
    for pair in some.compositional:
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
    for first, second in found().minimal_pairs:
        assert first.source[:-2] == second.source[:-2] and first.source[-1] == second.source[-1]
        assert {first.source[-2], second.source[-2]} <= {*ADJECTIVES}
        assert [referent(first), referent(second)] == [0, 1]
    its = [[pair.target[pair.pronouns[0].target] for pair in two] for two in found().minimal_pairs]
    assert all(sorted(two) == ["elle", "il"] for two in its)
    assert 150 < sum(two[0] == "il" for two in its) < 350
    pairs = [pair for pair in found().training if pair.kind == "because"]
    assert 0.4 < sum(map(referent, pairs)) / len(pairs) < 0.6
    genders = [[NOUNS[WORDS[w][0]].gender for w in pair.source if w in WORDS] for pair in pairs]
    assert 0.35 < sum(one == other for one, other in genders) / len(pairs) < 0.65


def test_seeds_and_sizes():
    digest = hashlib.sha256(repr(found()).encode()).hexdigest()
    assert digest == "b3df127fdb4d3c7fc37012bb061d3666306d9dd1d417a9b9cbb894df0e1df6b0"
    assert corpus(3, 30, 5, 5, 5) != corpus(4, 30, 5, 5, 5)
    assert corpus(training=0, held_out=0, compositional=0, minimal=0) == ((), (), (), ())


def test_joined_clauses_keep_what_is_known_of_each():
    known = corpus(training=300, held_out=0, compositional=0, minimal=0).training
    for k in (1, 2, 3):
        parts = known[k : 2 * k]
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
