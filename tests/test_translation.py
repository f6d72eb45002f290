"""The translation corpus: read as a teacher would, by tables and rules of its own; its splits."""

import hashlib
import re
from collections import Counter
from functools import cache

import pytest

from utils.data import translation
from utils.data.translation import corpus, joined, write

# What the teacher knows. The plural is there where it is not regular.
MASCULINE = dict(
    animal="animal animaux", horse="cheval chevaux", bird="oiseau oiseaux", cat="chat", dog="chien",
    owl="hibou hiboux", man="homme", boy="garçon", friend="ami", truck="camion", bus="bus bus",
    field="champ", lake="lac", bridge="pont", tunnel="tunnel", wall="mur", rock="rocher",
    tree="arbre", park="parc", hotel="hôtel", castle="château châteaux", cake="gâteau gâteaux",
    melon="melon", bag="sac", boat="bateau bateaux", basket="panier")  # fmt: skip
FEMININE = dict(
    cow="vache", goat="chèvre", mouse="souris souris", goose="oie", woman="femme", girl="fille",
    car="voiture", street="rue", river="rivière", hill="colline", tower="tour", cave="grotte",
    yard="cour", house="maison", school="école", apple="pomme", orange="orange", carrot="carotte",
    box="boîte", suitcase="valise")  # fmt: skip
IRREGULAR = dict(mouse="mice", goose="geese", man="men", woman="women", bus="buses", box="boxes")
NOUNS = {}  # English word: (singular, feminine or not, plural or not, French word)
for feminine, words in enumerate((MASCULINE, FEMININE)):
    for word, french in words.items():
        singular, plural = [*french.split(), french + "s"][:2]
        NOUNS[word] = word, feminine, 0, singular
        NOUNS[IRREGULAR.get(word, word + "s")] = word, feminine, 1, plural
ANIMALS = {"animal", "horse", "bird", "cat", "dog", "owl", "cow", "goat", "mouse", "goose"}
ADJECTIVES = dict(  # masculine, feminine; of both the plural
    big="gros grosse gros grosses", small="petit petite", large="grand grande", young="jeune jeune",
    old="vieux vieille vieux vieilles", new="nouveau nouvelle nouveaux nouvelles",
    beautiful="beau belle beaux belles", red="rouge rouge", white="blanc blanche",
    black="noir noire", brown="marron marron marron marron", tired="fatigué fatiguée",
    sick="malade malade", weak="faible faible", scared="effrayé effrayée", slow="lent lente",
    fast="rapide rapide", heavy="lourd lourde", wide="large large", high="haut haute",
    narrow="étroit étroite", long="long longue", hard="dur dure", dry="sec sèche")  # fmt: skip
BROWN_ANIMAL = "brun brune"  # and not "marron"
FIRST = {"big", "small", "large", "old", "young", "new", "beautiful"}  # before the French noun
BEFORE_VOWEL = {"old": "vieil", "new": "nouvel", "beautiful": "bel"}
VERBS = dict(  # English: he, they, past; French: il, ils, participle
    cross="crosses cross crossed traverse traversent traversé", go="goes go - va vont -",
    climb="climbs climb climbed escalade escaladent escaladé", like="likes like - aime aiment -",
    carry="carries carry carried porte portent porté", eat="eats eat ate mange mangent mangé",
    explore="explores explore explored explore explorent exploré", see="sees see - voit voient -",
    catch="catches catch caught attrape attrapent attrapé", hide="hides hide - cache cachent -",
    sleep="sleeps sleep - dort dorment -", stop="stops stop - arrête arrêtent -",
    follow="follows follow - suit suivent -", come="comes come - vient viennent -")  # fmt: skip
ARTICLES = dict(the="le la les", a="un une -", an="un une -", some="- - des", my="mon ma mes")
ARTICLES |= dict(his="son sa ses", her="son sa ses")
FUSED = {"du": "le", "au": "le", "des": "les", "aux": "les"}
ENGLISH = {"is": 0, "are": 1, "was": 0, "were": 1, "does": 0, "do": 1, "doesn't": 0, "don't": 1}
ENGLISH |= {"he": 0, "she": 0, "it": 0, "they": 1}  # 1 for many
FRENCH = {"a": 0, "ont": 1, "est": 0, "sont": 1, "était": 0, "étaient": 1}
FRENCH |= {"il": 0, "elle": 0, "ils": 1, "elles": 1}
NEGATIONS = {"didn't", "doesn't", "don't"}
SAID, PEOPLE = {"it", "he", "she", "they", "him", "them"}, {"man", "boy", "friend", "woman", "girl"}
SUBJECTS = {"it", "he", "she", "they", "il", "elle", "ils", "elles"}
PREPOSITIONS = {"in": {"dans"}, "near": {"près"}, "behind": {"derrière"}, "to": {"à", "au", "aux"}}
PREPOSITIONS["from"] = {"de", "d'", "du", "des"}
CONJUNCTIONS = {"because": ["parce", "qu'"], "when": ["quand"], "too": ["trop"], "and": ["et"]}
CONJUNCTIONS |= {"but": ["mais"], ",": [","]}
FORMS = {}  # English verb: its French forms, one of which is its partner
for he, they, past, *forms in map(str.split, VERBS.values()):
    ENGLISH[he], FRENCH[forms[0]], FRENCH[forms[1]] = 0, 0, 1
    FORMS |= dict.fromkeys((he, they, past), {*forms})
PARTNERS = FORMS | PREPOSITIONS
VOWEL = r"(?!hibou|haut)[aeiouhâéêî]"
WRONG_FRENCH = "|".join([
    rf"\b(le|la|de|ne|que|se|ma|sa) {VOWEL}", rf"\b[ldnsq]u?' (?!{VOWEL})",
    r"\b(de|à) (le|les|des)\b", rf"\b(beau|nouveau) {VOWEL}",
    r"\bvieux (animal|homme|ami|oiseau|arbre|hôtel)\b", rf"\b(bel|vieil|nouvel) (?!{VOWEL})",
    r"\b(ne|n') (?!((le|la|les|l'|se|s') )?\S+ pas\b)",
    rf"\b(a|ont) (?!(pas )?({'|'.join(forms.split()[5] for forms in VERBS.values())})\b)",
])  # fmt: skip
NOBODY_SAYS = "|".join([  # in French, or at all
    r"\b(like|likes|go to|goes to) (a|an|some)\b", r"\bscared , \S+ sleep",
    r"\b(to|from) \S+ \S+ (river|lake|field|bridge)", r"\bexplore.* bridge|\bbridge.* explore",
])  # fmt: skip
SUBJECTS_FAULT = {"tired", "sick", "weak", "scared", "slow"}
OBJECTS_FAULT = {"wide", "narrow", "long", "high", "hard", "dry", "fast", "large"}
EITHER = {("heavy", "cross"): 0, ("big", "carry"): 1, ("heavy", "carry"): 1}


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
    nouns = [i for i, word in enumerate(source) if word in NOUNS]
    verbs = [i for i, word in enumerate(source) if word in FORMS]
    for i in nouns:
        check_noun_phrase(pair, i, partners)
        assert all((i < j) == (partners[i] < partners[j]) for j in verbs), "order of words"
    (subject, _, subjects, _), (thing, _, things, _) = (NOUNS[source[i]] for i in nouns)
    if subject in ANIMALS and thing in ("school", "hotel", "boat"):
        assert {source[i] for i in verbs} <= {"see", "sees", "stop", "stops"}, english
    assert subjects >= things or not {*source} & {*PREPOSITIONS}, "one in several places"
    for words, numbers in ((source, ENGLISH), (target, FRENCH)):
        plural = NOUNS[source[nouns[0]]][2]
        for word in words:
            if word in SUBJECTS and not (word == "it" and pair.kind.startswith("object")):
                plural = numbers.get(word, plural)
            assert word == "it" or numbers.get(word, plural) == plural, f"{word} does not agree"
    check_pronouns(pair, nouns)
    negations = sum(word in NEGATIONS for word in source)
    assert negations == target.count("pas") == target.count("ne") + target.count("n'")
    assert source[-1] == target[-1] in (".", "?")
    assert source[-1] == "." or re.match("est-ce (que|qu') ", french)


def agreeing(adjective, noun):
    (lemma, feminine, plural, _), forms = NOUNS[noun], ADJECTIVES[adjective].split()
    if adjective == "brown" and lemma in ANIMALS:
        forms = BROWN_ANIMAL.split()
    return [*forms, *(form + "s" for form in forms)][feminine + 2 * plural]


def check_noun_phrase(pair, i, partners):
    source, target = pair.source, pair.target
    _, feminine, plural, noun = NOUNS[source[i]]
    assert [target[t] for t in partners[i]] == [noun]
    place, adjective = partners[i][0], source[i - 1]
    described = adjective in ADJECTIVES
    first = described and adjective in FIRST
    if described:
        form = agreeing(adjective, source[i])
        if not (feminine or plural) and re.match(VOWEL, noun):
            form = BEFORE_VOWEL.get(adjective, form)
        beside = place - 1 if first else place + 1
        assert partners[i - 1] == [beside] and target[beside] == form, f"{form} {noun}"
    article, start = source[i - 1 - described], partners[i - 1 - described][-1]
    wanted = ARTICLES[article].split()[2 if plural else feminine]
    wanted = "de" if article == "some" and first else wanted
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
        noun, feminine, plural, french = NOUNS[source[pronoun.source_referent]]
        object_ = pair.kind.startswith("object")
        forms = ("him", "her", "them") if object_ else ("he", "she", "they")
        it = forms[2 if plural else feminine] if noun in PEOPLE or plural else "it"
        wanted = ("il", "elle")[feminine] + "s" * plural
        if object_:
            elided = re.match(VOWEL, target[pronoun.target + 1])
            wanted = "les" if plural else "l'" if elided else ("le", "la")[feminine]
            assert (pronoun.target + 1, pronoun.source - 1) in pair.alignment, "not before its verb"
        else:
            end = "." if pair.kind == "because" else ","
            form = agreeing(source[source.index(end) - 1], source[pronoun.source_referent])
            assert target[target.index(end) - 1] == form
        assert (source[pronoun.source], target[pronoun.target]) == (it, wanted)
        assert target[pronoun.target_referent] == french


def referent(pair):
    """0 where the pronoun must be the first noun of the sentence, 1 where it must be the second."""
    if pair.kind != "because":
        return int(pair.kind.startswith("object"))
    adjective, verb = pair.source[-2], pair.source[pair.source.index("didn't") + 1]
    assert (adjective, verb) in EITHER or (adjective in SUBJECTS_FAULT | OBJECTS_FAULT)
    return EITHER.get((adjective, verb), int(adjective in OBJECTS_FAULT))


found = cache(corpus)


def everything(some):
    return [*some.training, *some.held_out, *some.compositional, *sum(some.minimal_pairs, ())]


def test_every_pair_is_right():
    pairs = [*everything(found()), *everything(corpus(1, 1_000, 0, 0, 250))]
    for pair in pairs:
        check(pair)
    kinds = Counter(pair.kind for pair in pairs)
    assert {*kinds} == {*translation.RULES} and min(kinds.values()) > 1_000
    assert len({pair.source for pair in pairs}) == len({pair[:2] for pair in pairs})
    assert {len(words) for pair in pairs for words in pair[:2]} <= {*range(4, 19)}
    for side in (0, 1):  # no word is new behind the training
        words = {word for pair in found().training for word in pair[side]}
        assert 150 <= len(words) <= 300 and words == {word for pair in pairs for word in pair[side]}
        assert side or {*NOUNS, *ADJECTIVES} < words


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


def meeting(words, withheld=translation.WITHHELD):
    lemmas = {NOUNS[word][0] if word in NOUNS else word for word in words}
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
        together = meeting(word for word in pair.source if word in NOUNS)
        for i, word in enumerate(pair.source):  # before its noun, or behind "is" or "too"
            if word in ADJECTIVES and pair.source[i + 1] in NOUNS:
                together |= meeting(pair.source[i : i + 2])
            elif word in ADJECTIVES:
                together |= meeting([word, pair.source[pair.pronouns[0].source_referent]])
        assert together, pair.source
    assert tried == translation.WITHHELD and len(tried) == 21


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
    genders = [[NOUNS[word][1] for word in pair.source if word in NOUNS] for pair in pairs]
    assert 0.35 < sum(one == other for one, other in genders) / len(pairs) < 0.65


def test_seeds_and_sizes():
    digest = hashlib.sha256(repr(corpus(3, 300, 50, 50, 50)).encode()).hexdigest()
    assert digest == "fc51f3ea88c0be8e88b44b4ea6ad7032999652cb139892b9d6123805ec1b9541"
    assert corpus(3, 30, 5, 5, 5) != corpus(4, 30, 5, 5, 5)
    assert corpus(training=0, held_out=0, compositional=0, minimal=0) == ((), (), (), ())


def test_joined_clauses_keep_what_is_known_of_each():
    known = corpus(training=300, held_out=0, compositional=0, minimal=0).training
    for k in (1, 2, 3):
        parts = known[k : 2 * k]
        whole = joined(parts)
        assert whole.source.count("and") >= k - 1 and whole.source[-1] == parts[-1].source[-1]
        assert len(whole.source) == sum(len(pair.source) for pair in parts)
        s = t = 0
        for pair in parts:  # each word of a clause has the partner that it had
            for i, j in pair.alignment:
                assert (t + i, s + j) in whole.alignment
                if i + 1 < len(pair.target):
                    assert whole.target[t + i] == pair.target[i]
            s, t = s + len(pair.source), t + len(pair.target)
        assert len(whole.alignment) == sum(len(pair.alignment) for pair in parts)
        for p in whole.pronouns:
            assert (p.target, p.source) in whole.alignment
    with pytest.raises(ValueError, match="pairs is empty"):
        joined([])
