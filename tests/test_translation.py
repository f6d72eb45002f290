"""The translation corpus: its French by tables and rules of its own, its splits, its errors.

`faults` reads a pair as a teacher would, with no word from `utils.data.translation`; then the
grammar is broken on purpose, in one place at a time, and `faults` must see it.
"""

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache

import pytest

from tests import pages
from utils.data import translation
from utils.data.translation import corpus, form, noun_phrase, pair_of, write

# ---------------------------------------------------------------- what the teacher knows

MASCULINE = dict(
    animal="animal animaux", horse="cheval chevaux", bird="oiseau oiseaux", cat="chat chats",
    dog="chien chiens", owl="hibou hiboux", man="homme hommes", boy="garçon garçons",
    friend="ami amis", truck="camion camions", bus="bus bus", field="champ champs",
    lake="lac lacs", bridge="pont ponts", tunnel="tunnel tunnels", wall="mur murs",
    rock="rocher rochers", tree="arbre arbres", park="parc parcs", hotel="hôtel hôtels",
    castle="château châteaux", cake="gâteau gâteaux", melon="melon melons", bag="sac sacs",
    boat="bateau bateaux", basket="panier paniers")
FEMININE = dict(
    cow="vache vaches", goat="chèvre chèvres", mouse="souris souris", goose="oie oies",
    woman="femme femmes", girl="fille filles", car="voiture voitures", street="rue rues",
    river="rivière rivières", hill="colline collines", tower="tour tours", cave="grotte grottes",
    yard="cour cours", house="maison maisons", school="école écoles", apple="pomme pommes",
    orange="orange oranges", carrot="carotte carottes", box="boîte boîtes",
    suitcase="valise valises")
IRREGULAR = dict(mouse="mice", goose="geese", man="men", woman="women", bus="buses", box="boxes")
NOUNS = {}  # English word: (singular, gender, plural or not, French word)
for gender, words in (("m", MASCULINE), ("f", FEMININE)):
    for word, french in words.items():
        NOUNS[word] = word, gender, False, french.split()[0]
        NOUNS[IRREGULAR.get(word, word + "s")] = word, gender, True, french.split()[1]
ADJECTIVES = {english: forms.split() for english, forms in dict(  # ms, fs, mp, fp
    big="gros grosse gros grosses", small="petit petite petits petites",
    large="grand grande grands grandes", old="vieux vieille vieux vieilles",
    young="jeune jeune jeunes jeunes", new="nouveau nouvelle nouveaux nouvelles",
    beautiful="beau belle beaux belles", red="rouge rouge rouges rouges",
    white="blanc blanche blancs blanches", black="noir noire noirs noires",
    brown="marron marron marron marron", tired="fatigué fatiguée fatigués fatiguées",
    sick="malade malade malades malades", weak="faible faible faibles faibles",
    scared="effrayé effrayée effrayés effrayées", slow="lent lente lents lentes",
    fast="rapide rapide rapides rapides", heavy="lourd lourde lourds lourdes",
    wide="large large larges larges", high="haut haute hauts hautes",
    narrow="étroit étroite étroits étroites",
    long="long longue longs longues", hard="dur dure durs dures",
    dry="sec sèche secs sèches").items()}
FIRST = {"big", "small", "large", "old", "young", "new", "beautiful"}  # before the French noun
BEFORE_VOWEL = {"old": "vieil", "new": "nouvel", "beautiful": "bel"}
VERBS = dict(  # English: he, they, past; French: il, ils, participle
    cross="crosses cross crossed traverse traversent traversé",
    climb="climbs climb climbed escalade escaladent escaladé",
    carry="carries carry carried porte portent porté",
    explore="explores explore explored explore explorent exploré",
    eat="eats eat ate mange mangent mangé", catch="catches catch caught attrape attrapent attrapé",
    see="sees see - voit voient -",
    like="likes like - aime aiment -", follow="follows follow - suit suivent -",
    sleep="sleeps sleep - dort dorment -", stop="stops stop - arrête arrêtent -",
    hide="hides hide - cache cachent -", go="goes go - va vont -",
    come="comes come - vient viennent -")
ARTICLES = {"the": ("le", "la", "les"), "a": ("un", "une"), "an": ("un", "une"),
            "some": ("des", "des", "des"), "my": ("mon", "ma", "mes"),
            "his": ("son", "sa", "ses"), "her": ("son", "sa", "ses")}
FUSED = {"du": "le", "au": "le", "des": "les", "aux": "les"}
PREPOSITIONS = {"in": "dans", "near": "près", "behind": "derrière", "to": "à au aux",
                "from": "de d' du des"}
FINITE = {"a": False, "ont": True, "est": False, "sont": True, "était": False, "étaient": True}
ENGLISH = {"is": False, "are": True, "was": False, "were": True, "does": False, "do": True,
           "doesn't": False, "don't": True}
ALIGNED = {}  # English verb form: what it may be in French
for forms in map(str.split, VERBS.values()):
    FINITE |= {forms[3]: False, forms[4]: True}
    ENGLISH[forms[0]] = False
    for english in forms[:3]:
        ALIGNED[english] = set(forms[3:])
CONJUNCTIONS = {"because": {"parce", "qu'"}, "when": {"quand"}, "too": {"trop"}, "and": {"et"},
                "but": {"mais"}, ",": {","}}
PRONOUNS = {"it", "he", "she", "they", "him", "them"}
NEGATIVE = {"didn't", "doesn't", "don't"}
VOWEL = r"(?!hibou|haut)[aeiouhâéêî]"
WRONG_FRENCH = [
    rf"\b(le|la|de|ne|que|se|ma|sa) {VOWEL}", rf"\b[ldnsq]u?' (?!{VOWEL})",
    r"\b(de|à) (le|les|des)\b", rf"\b(beau|nouveau) {VOWEL}",
    r"\bvieux (animal|homme|ami|oiseau|arbre|hôtel)\b", r"\b(bel|vieil|nouvel) (?!" + VOWEL + ")",
    r"\b(ne|n') (?!((le|la|les|l'|se|s') )?\S+ pas\b)", r"\b(a|ont) (?!(pas )?\S+é\b)",
]
SUBJECTS_FAULT = {"tired", "sick", "weak", "scared", "slow"}
OBJECTS_FAULT = {"wide", "narrow", "long", "high", "hard", "dry", "fast", "large"}
EITHER = {("heavy", "cross"): 0, ("big", "carry"): 1, ("heavy", "carry"): 1}


def index(gender, plural):
    return (gender == "f") + 2 * plural


def faults(pair):
    """All that is wrong with a pair, in words."""
    yield from wrong_alignment(pair)
    partners = [[t for t, s in pair.alignment if s == i] for i in range(len(pair.source))]
    french = " ".join(pair.target)
    for pattern in WRONG_FRENCH:
        if found := re.search(pattern, french):
            yield f"French: {found[0]!r}"
    nouns = [i for i, word in enumerate(pair.source) if word in NOUNS]
    for i in nouns:
        yield from wrong_noun_phrase(pair, i, partners)
    yield from wrong_verbs(pair, nouns)
    for i in nouns:
        for j, word in enumerate(pair.source):
            if word in ALIGNED and (i < j) != (partners[i][:1] < partners[j][:1]):
                yield f"order: {pair.source[i]!r} and {word!r}"
    yield from wrong_pronouns(pair, nouns)
    negations = sum(word in NEGATIVE for word in pair.source)
    ne = pair.target.count("ne") + pair.target.count("n'")
    if not negations == pair.target.count("pas") == ne:
        yield "negation: not as often as in English"
    if (pair.source[-1], pair.target[-1]) not in {(".", "."), ("?", "?")}:
        yield "another end"
    if pair.source[-1] == "?" and not re.match("est-ce (que|qu') ", french):
        yield "question: no est-ce que"


def wrong_alignment(pair):
    if list(pair.alignment) != sorted(set(pair.alignment)):
        yield "alignment: not in order"
    if {t for t, _ in pair.alignment} != set(range(len(pair.target))) or (
            {s for _, s in pair.alignment} != set(range(len(pair.source)))):
        yield "alignment: a word without a partner, or an index too large"
        return
    for i, word in enumerate(pair.source):
        french = {pair.target[t] for t, s in pair.alignment if s == i}
        wanted = ALIGNED.get(word) or set(PREPOSITIONS.get(word, "").split())
        if wanted and not wanted & french or french != CONJUNCTIONS.get(word, french):
            yield f"alignment: {word!r} has {french}"
        if word in NEGATIVE and not french in ({"ne", "pas"}, {"n'", "pas"}):
            yield f"alignment: {word!r} has {french}"
        if word in {"does", "do", "did"} and not french in ({"est-ce", "que"}, {"est-ce", "qu'"}):
            yield f"alignment: {word!r} has {french}"


def wrong_noun_phrase(pair, i, partners):
    """Article, adjective and noun that belong to the English noun at i."""
    _, gender, plural, noun = NOUNS[pair.source[i]]
    if [pair.target[t] for t in partners[i]] != [noun]:
        return (yield f"noun: {pair.source[i]!r} has {[pair.target[t] for t in partners[i]]}")
    n = partners[i][0]
    adjective = pair.source[i - 1] if pair.source[i - 1] in ADJECTIVES else None
    article = pair.source[i - 1 - bool(adjective)]
    if adjective:
        form = ADJECTIVES[adjective][index(gender, plural)]
        if (gender, plural) == ("m", False) and re.match(VOWEL, noun):
            form = BEFORE_VOWEL.get(adjective, form)
        place = n - 1 if adjective in FIRST else n + 1
        if partners[i - 1] != [place] or pair.target[place] != form:
            yield f"adjective: wanted {form!r} {'before' if place < n else 'after'} {noun!r}"
    le = partners[i - 1 - bool(adjective)]
    after = pair.target[le[-1] + 1]
    wanted = ARTICLES[article][2 if plural else gender == "f"]
    if article == "some" and adjective in FIRST:
        wanted = "de"
    if re.match(VOWEL, after):
        wanted = {"le": "l'", "la": "l'", "ma": "mon", "sa": "son"}.get(wanted, wanted)
    found = pair.target[le[-1]]
    shared = len([s for t, s in pair.alignment if t == le[-1]]) > 1
    if (FUSED.get(found) if shared else found) != wanted:
        yield f"article: {found!r} before {after!r}, wanted {wanted!r}"
    if le[-1] != n - 1 - (adjective in FIRST):
        yield f"article: not at the head of {noun!r}"
    if article in ("a", "an") and (plural or (article == "an") != (
            pair.source[i - bool(adjective)][0] in "aeiou")):
        yield f"English: {article} {pair.source[i - bool(adjective)]}"
    if article == "some" and not plural:
        yield "English: some without a plural"


def wrong_verbs(pair, nouns):
    """Number of every verb, of its participle and of the adjective after "be"."""
    for words, table, pronouns in (
            (pair.source, ENGLISH, {"it": False, "he": False, "she": False, "they": True}),
            (pair.target, FINITE, {"il": False, "elle": False, "ils": True, "elles": True})):
        plural = NOUNS[pair.source[nouns[0]]][2]
        for word in words:
            if word in pronouns and not (word == "it" and pair.kind.startswith("object")):
                plural = pronouns[word]
            if table.get(word, plural) != plural:
                yield f"verb: {word!r} does not agree"
    participles = {forms.split()[5] for forms in VERBS.values()}
    for participle in re.findall(r"\b(?:a|ont) (?:pas )?(\S+)", " ".join(pair.target)):
        if participle not in participles:
            yield f"participle: {participle}"


def wrong_pronouns(pair, nouns):
    said = [i for i, word in enumerate(pair.source) if word in PRONOUNS or (
        word == "her" and pair.source[i + 1] == ".")]
    if said != [pronoun.source for pronoun in pair.pronouns]:
        yield f"pronouns: at {said}"
    for pronoun in pair.pronouns:
        if pronoun.source_referent not in nouns:
            return (yield "pronoun: refers to no noun")
        noun, gender, plural, french = NOUNS[pair.source[pronoun.source_referent]]
        person = noun in ("man", "boy", "friend", "woman", "girl")
        before, it = pair.source[pronoun.source], pair.target[pronoun.target]
        english = {True: {"they", "them"}, False: {"it"} if not person else
                   {"he", "him"} if gender == "m" else {"she", "her"}}[plural]
        if before not in english:
            yield f"pronoun: {before} for {noun}"
        if pair.kind.startswith("object"):
            vowel = re.match(VOWEL, pair.target[pronoun.target + 1])
            wanted = "les" if plural else "l'" if vowel else ("le", "la")[gender == "f"]
            verb = [t for t, s in pair.alignment if s == pronoun.source - 1]
            if verb != [pronoun.target + 1]:
                yield "pronoun: not before its verb"
        else:
            wanted = ("il", "elle")[gender == "f"] + "s" * plural
        if it != wanted or pair.target[pronoun.target_referent] != french:
            yield f"pronoun: {it} for {french}, wanted {wanted}"
        for two in ((pronoun.target, pronoun.source),
                    (pronoun.target_referent, pronoun.source_referent)):
            if two not in pair.alignment:
                yield "pronoun: not aligned"
        which = nouns.index(pronoun.source_referent)
        if which != referent(pair):
            yield f"pronoun: refers to noun {which}"
        if pair.kind == "because" or pair.kind.startswith("when"):
            adjective = pair.source[-2 if pair.kind == "because" else pair.source.index(",") - 1]
            place = pair.target[-2 if pair.kind == "because" else pair.target.index(",") - 1]
            if place != ADJECTIVES[adjective][index(gender, plural)]:
                yield f"adjective: {place!r} for {adjective!r} of {french!r}"


def referent(pair):
    """0 where the pronoun must be the first noun of the sentence, 1 where it must be the second."""
    if pair.kind != "because":
        return int(pair.kind.startswith("object"))
    adjective, verb = pair.source[-2], pair.source[pair.source.index("didn't") + 1]
    if (adjective, verb) in EITHER:
        return EITHER[adjective, verb]
    assert (adjective in SUBJECTS_FAULT) != (adjective in OBJECTS_FAULT)
    return int(adjective in OBJECTS_FAULT)


# ---------------------------------------------------------------- the grammar


@cache
def small():
    return corpus()


@cache
def many():
    """Two corpora: tens of thousands of pairs."""
    return [*everything(small()), *everything(corpus(1, 4_000, 0, 0, 1_000))]


def everything(found):
    return [*found.training, *found.held_out, *found.compositional,
            *(pair for two in found.minimal_pairs for pair in two)]


@pytest.mark.parametrize("kind", translation.RULES)
def test_every_pair_is_right(kind):
    pairs = [pair for pair in many() if pair.kind == kind]
    assert len(pairs) > 1_000
    wrong = [(write(pair.source, "english"), write(pair.target, "french"), fault)
             for pair in pairs for fault in faults(pair)]
    assert not wrong, f"{len(wrong)} faults, such as {wrong[:5]}"


def test_the_english_determines_the_french():
    assert len({pair.source for pair in many()}) == len(
        {(pair.source, pair.target) for pair in many()})


def test_sizes():
    source = Counter(word for pair in small().training for word in pair.source)
    target = Counter(word for pair in small().training for word in pair.target)
    assert 150 <= len(source) <= 300 and 150 <= len(target) <= 300
    assert {word for pair in many() for word in pair.source} == set(source)
    assert {word for pair in many() for word in pair.target} == set(target)
    lengths = {len(words) for pair in many() for words in (pair.source, pair.target)}
    assert min(lengths) >= 4 and max(lengths) <= 18
    assert set(NOUNS) | set(ADJECTIVES) < set(source)


ONES = translation.FORMS
FAULTY = {
    "elision": ("ELIDED", {}), "contraction": ("CONTRACTED", {}), "bel": ("BEFORE_A_VOWEL", {}),
    "le hibou": ("vowel", re.compile("[aâeéèêiîoôuh]").match),
    "place": ("ADJECTIVES", translation.ADJECTIVES | {"beautiful": ["colour"]}),
    "gender": ("NOUNS", translation.NOUNS | {"street": ["way", "street", "m", "rue"]}),
    "plural": ("NOUNS", translation.NOUNS | {"mouse": ["creature", "mouse", "f", "souris"]}),
    "adjective": ("FORMS", {key: ONES[key] | {"dry": "sec"} for key in ONES}),
    "article": ("FORMS", {key: ONES[key] | {"my": "mes" if key[1] else "mon"} for key in ONES}),
    "agreement": ("FORMS", {(gender, plural): ONES["m", plural] for gender, plural in ONES}),
    "to be": ("FORMS", {key: ONES[key] | {"was": "was", "était": "était"} for key in ONES}),
    "to do": ("form", lambda word, many: form(word, many and word[:2] != "do")),
    "to have": ("form", lambda word, many: form(word, many and word != "a/ont")),
    "to see": ("form", lambda word, many: form(word, many and word[:4] != "voit")),
    "verb": ("VERBS", translation.VERBS | {"eat": "act eat mange/mange ate mangé".split()}),
    "fault": ("FAULTS", translation.FAULTS | {"way": "tired"}),
    "preposition": ("PREPOSITIONS", translation.PREPOSITIONS | {"from": "à"}),
}


@pytest.fixture
def clear():
    """Before and after: no phrase is kept from another grammar."""
    translation.noun_phrase.cache_clear()
    yield
    translation.noun_phrase.cache_clear()


def seen(kinds):
    found = corpus(training=600, held_out=0, compositional=0, minimal=0).training
    return any(True for pair in found if pair.kind in kinds for _ in faults(pair))


@pytest.mark.parametrize("name, broken", FAULTY.values(), ids=FAULTY)
def test_a_broken_grammar_is_seen(clear, monkeypatch, name, broken):
    monkeypatch.setattr(translation, name, broken)
    assert seen(translation.RULES)


@pytest.mark.parametrize("rule, old, new", [
    ("because", "ne/didn't a/cross pas/didn't", "a/cross pas/didn't ne/didn't"),
    ("because", "que/because", "que/too"),
    ("object", "le/him traverse/crosses", "traverse/crosses le/him"),
    ("object not", "pas/doesn't", "doesn't/pas pas/doesn't"),
    ("present", "S traverse/crosses", "traverse/crosses S"),
    ("question", "est-ce/does que/does", "est-ce/does"),
    ("when", "fatigué/tired", "fatigués/tired"),
    ("past", "a/crossed", "ont/crossed"),
])
def test_a_broken_rule_is_seen(clear, monkeypatch, rule, old, new):
    *others, french = translation.RULES[rule]
    assert old in french
    monkeypatch.setitem(translation.RULES, rule, (*others, french.replace(old, new)))
    try:
        assert seen([rule])
    except KeyError:  # a label without a partner
        return


def test_a_broken_pair_is_seen():
    famous = small().minimal_pairs[0][0]
    assert not [*faults(famous)]
    for changes in (
        dict(alignment=famous.alignment[:-1]), dict(alignment=famous.alignment[::-1]),
        dict(alignment=tuple((t, 12 - s) for t, s in famous.alignment)), dict(pronouns=()),
        dict(pronouns=(famous.pronouns[0]._replace(source_referent=4, target_referent=7),)),
        dict(target=tuple("elle" if word == "il" else word for word in famous.target)),
        dict(target=tuple("fatiguée" if word == "fatigué" else word for word in famous.target)),
    ):
        assert [*faults(famous._replace(**changes))], changes


# ---------------------------------------------------------------- whole sentences


def phrase(text, label):
    """What `noun_phrase` makes of an English one."""
    words = text.split()
    preposition = words.pop(0) if words[0] in PREPOSITIONS else ""
    noun, _, plural, _ = NOUNS[words[-1]]
    article = {"an": "a", "some": "a"}.get(words[0], words[0])
    return noun_phrase(label, noun, plural, article, words[1] if words[2:] else "", preposition)


SENTENCES = """\
because; cross; the animal; the street; S; tired; The animal didn't cross the street because it was too tired.; L'animal n'a pas traversé la rue parce qu'il était trop fatigué.
because; cross; the animal; the street; O; wide; The animal didn't cross the street because it was too wide.; L'animal n'a pas traversé la rue parce qu'elle était trop large.
because; cross; the trucks; the bridges; S; heavy; The trucks didn't cross the bridges because they were too heavy.; Les camions n'ont pas traversé les ponts parce qu'ils étaient trop lourds.
because; explore; her goose; the old park; O; large; Her goose didn't explore the old park because it was too large.; Son oie n'a pas exploré le vieux parc parce qu'il était trop grand.
because; explore; the cat; the cave; O; narrow; The cat didn't explore the cave because it was too narrow.; Le chat n'a pas exploré la grotte parce qu'elle était trop étroite.
because; carry; the girl; his suitcases; O; heavy; The girl didn't carry his suitcases because they were too heavy.; La fille n'a pas porté ses valises parce qu'elles étaient trop lourdes.
because; eat; my friend; the orange; S; sick; My friend didn't eat the orange because he was too sick.; Mon ami n'a pas mangé l'orange parce qu'il était trop malade.
because; catch; the owl; the mice; O; fast; The owl didn't catch the mice because they were too fast.; Le hibou n'a pas attrapé les souris parce qu'elles étaient trop rapides.
when; hide; my white goose; behind an old tree; S; scared; When my white goose is scared, it hides behind an old tree.; Quand mon oie blanche est effrayée, elle se cache derrière un vieil arbre.
when; go; the old men; to the lake; S; weak; When the old men are weak, they go to the lake.; Quand les vieux hommes sont faibles, ils vont au lac.
when not; eat; his cat; my cakes; S; sick; When his cat is sick, it doesn't eat my cakes.; Quand son chat est malade, il ne mange pas mes gâteaux.
object; eat; a young goat; an apple; O; tired; A young goat sees an apple and eats it.; Une jeune chèvre voit une pomme et la mange.
object; like; the boy; the girl; O; tired; The boy sees the girl and likes her.; Le garçon voit la fille et l'aime.
object; follow; some big dogs; some black birds; O; tired; Some big dogs see some black birds and follow them.; De gros chiens voient des oiseaux noirs et les suivent.
object not; catch; the cat; the bird; O; tired; The cat sees the bird but doesn't catch it.; Le chat voit l'oiseau mais ne l'attrape pas.
object not; follow; the horses; the car; O; tired; The horses see the car but don't follow it.; Les chevaux voient la voiture mais ne la suivent pas.
present; come; his new friend; from the hotel; S; tired; His new friend comes from the hotel.; Son nouvel ami vient de l'hôtel.
present; come; the animals; from the fields; S; tired; The animals come from the fields.; Les animaux viennent des champs.
present; go; the buses; to the castles; S; tired; The buses go to the castles.; Les bus vont aux châteaux.
present; sleep; a big dog; in the red house; S; tired; A big dog sleeps in the red house.; Un gros chien dort dans la maison rouge.
present; stop; a car; near a beautiful tree; S; tired; A car stops near a beautiful tree.; Une voiture s'arrête près d'un bel arbre.
present; stop; the woman; near the wall; S; tired; The woman stops near the wall.; La femme s'arrête près du mur.
present not; hide; the owls; behind my school; S; tired; The owls don't hide behind my school.; Les hiboux ne se cachent pas derrière mon école.
present not; explore; the man; the yard; S; tired; The man doesn't explore the yard.; L'homme n'explore pas la cour.
past; explore; the girls; the tunnel; S; tired; The girls explored the tunnel.; Les filles ont exploré le tunnel.
past; climb; a beautiful animal; some rocks; S; tired; A beautiful animal climbed some rocks.; Un bel animal a escaladé des rochers.
question; sleep; the dog; in the park; S; tired; Does the dog sleep in the park?; Est-ce que le chien dort dans le parc\u202f?
question; see; an old man; a new boat; S; tired; Does an old man see a new boat?; Est-ce qu'un vieil homme voit un nouveau bateau\u202f?
question; carry; some dogs; some brown suitcases; S; tired; Do some dogs carry some brown suitcases?; Est-ce que des chiens portent des valises marron\u202f?"""
SENTENCES = [line.split("; ") for line in SENTENCES.splitlines()]


@pytest.mark.parametrize("kind, verb, subject, thing, about, adjective, english, french", SENTENCES,
                         ids=[line[-2] for line in SENTENCES])
def test_sentence(kind, verb, subject, thing, about, adjective, english, french):
    S, O = phrase(subject, "S"), phrase(thing, "O")
    pair = pair_of(kind, verb, S, O, S if about == "S" else O, adjective)
    assert (write(pair.source, "english"), write(pair.target, "french")) == (english, french)
    assert not [*faults(pair)]
    if kind == "because":
        assert pair.pronouns[0].source_referent == [
            i for i, word in enumerate(pair.source) if word in NOUNS][about == "O"]


def test_what_the_famous_sentence_carries():
    tired, wide = small().minimal_pairs[0]
    assert [" ".join(words) for words in (tired.source, tired.target, wide.target)] == [
        "the animal didn't cross the street because it was too tired .",
        "l' animal n' a pas traversé la rue parce qu' il était trop fatigué .",
        "l' animal n' a pas traversé la rue parce qu' elle était trop large ."]
    assert tired.alignment == wide.alignment == (
        (0, 0), (1, 1), (2, 2), (3, 3), (4, 2), (5, 3), (6, 4), (7, 5), (8, 6), (9, 6), (10, 7),
        (11, 8), (12, 9), (13, 10), (14, 11))
    assert tired.pronouns == ((7, 1, 10, 1),) and wide.pronouns == ((7, 5, 10, 7),)
    assert tired.kind == wide.kind == "because"


# ---------------------------------------------------------------- the splits


def lemmas(pair):
    return {NOUNS[word][0] if word in NOUNS else word for word in pair.source
            if word in NOUNS or word in ADJECTIVES}


def test_splits_share_no_sentence():
    sources = [pair.source for pair in everything(small())]
    assert len(sources) == len(set(sources)) == 20_000 + 1_000 + 1_000 + 2 * 500
    assert [*map(len, small())] == [20_000, 1_000, 1_000, 500]


def test_compositional_sentences_hold_what_training_never_brings_together():
    alike = (*small().training, *small().held_out)
    together = {frozenset((one, other)) for pair in alike for one in lemmas(pair)
                for other in lemmas(pair)}
    new = Counter()
    for pair in small().compositional:
        words = lemmas(pair)
        unseen = {two for two in translation.WITHHELD if two <= words}
        assert unseen and not unseen & together
        new.update(unseen)
    assert set(new) == translation.WITHHELD  # all of them are tried
    words = {word for pair in alike for word in pair.source}
    assert all(set(pair.source) <= words for pair in small().compositional)


def test_compositional_words_belong_together():
    """An adjective to its noun, before it or after "too" (and "is"); a noun to another noun."""
    for pair in small().compositional:
        nouns = [NOUNS[word][0] for word in pair.source if word in NOUNS]
        found = {frozenset(nouns)}
        for one, other in zip(pair.source, pair.source[1:]):
            if one in ADJECTIVES and other in NOUNS:
                found.add(frozenset((one, NOUNS[other][0])))
            elif one in ADJECTIVES:
                referents = [NOUNS[pair.source[p.source_referent]][0] for p in pair.pronouns]
                found |= {frozenset((one, noun)) for noun in referents}
        assert found & translation.WITHHELD, pair.source


def test_minimal_pairs():
    seen = {pair.source for pair in everything(small()._replace(minimal_pairs=()))}
    for first, second in small().minimal_pairs:
        differ = [(a, b) for a, b in zip(first.source, second.source) if a != b]
        assert len(first.source) == len(second.source) and len(differ) == 1
        assert set(differ[0]) <= set(ADJECTIVES) and first.source[-2] == differ[0][0]
        assert [referent(first), referent(second)] == [0, 1]
        pronouns = {pair.target[pair.pronouns[0].target] for pair in (first, second)}
        assert pronouns == {"il", "elle"}
        assert not {first.source, second.source} & seen
    il = sum(first.target[first.pronouns[0].target] == "il" for first, _ in small().minimal_pairs)
    assert 150 < il < 350


def test_referents_cannot_be_guessed():
    """In training, subject and object are about as often meant, and as often alike as not."""
    pairs = [pair for pair in small().training if pair.kind == "because"]
    assert 0.4 < sum(map(referent, pairs)) / len(pairs) < 0.6
    genders = [[NOUNS[word][1] for word in pair.source if word in NOUNS] for pair in pairs]
    assert 0.35 < sum(one == other for one, other in genders) / len(pairs) < 0.65


# ---------------------------------------------------------------- seeds, errors, print

DIGEST = ("import hashlib; from utils.data.translation import corpus; "
          "print(hashlib.sha256(repr(corpus(3, 300, 50, 50, 50)).encode()).hexdigest())")


def test_the_seed_determines_everything_in_every_process():
    here = hashlib.sha256(repr(corpus(3, 300, 50, 50, 50)).encode()).hexdigest()
    for hash_seed in ("1", "2"):
        said = subprocess.run([sys.executable, "-c", DIGEST], cwd=pages.ROOT, check=True,
                              env=os.environ | {"PYTHONHASHSEED": hash_seed}, capture_output=True,
                              text=True)
        assert said.stdout.strip() == here
    assert corpus(3, 300, 50, 50, 50) != corpus(4, 300, 50, 50, 50)


@pytest.mark.parametrize("arguments, message", [
    (dict(training=-1), "training is -1; wanted a whole number from 0 to 100000"),
    (dict(training=100_001), "training is 100001; wanted a whole number from 0 to 100000"),
    (dict(held_out=2.5), "held_out is 2.5; wanted a whole number from 0 to 20000"),
    (dict(compositional="9"), "compositional is '9'; wanted a whole number from 0 to 10000"),
    (dict(minimal=True), "minimal is True; wanted a whole number from 0 to 5000"),
    (dict(seed=None), "seed is None; wanted a whole number"),
])
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        corpus(**arguments)


def test_nothing_is_asked_for():
    assert corpus(training=0, held_out=0, compositional=0, minimal=0) == ((), (), (), ())


def test_write():
    assert write(["the", "dog", "sleeps", "."], "english") == "The dog sleeps."
    assert write(["est-ce", "qu'", "il", "dort", "?"], "french") == "Est-ce qu'il dort\u202f?"
    assert write(["quand", "l'", "ami", "est", "là", ",", "il", "dort", "."], "french") == (
        "Quand l'ami est là, il dort.")
    assert write([], "english") == ""
    with pytest.raises(ValueError, match="language is 'German'; wanted 'english' or 'french'"):
        write(["Hund"], "German")
