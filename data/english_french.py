"""English sentences, their French translations, and what is known about each pair.

A rule is an English pattern and a French one, filled with the same words. The French words of a
pattern name the English words that they translate. So it is known which word translates which, and
what each pronoun refers to. All is in lower case; "l'" and "didn't" are one word each.

To add a noun: `NOUNS`; its kind decides what it can be and do. To add an adjective: `ADJECTIVES`,
and the kinds of noun that have it: `KINDS`. To add a verb: `VERBS`, and who does that to what:
`DEEDS`. To add a rule: `RULES`. Then `tests/test_english_french.py` reads every fourth sentence. It checks
agreement, spelling, order, which word translates which, that all words occur in the training, and a
digest, which changes with every table. A wrong gender in a table is a wrong gender to it, too.
"""

import random
import re
from collections import namedtuple
from functools import cache


# ---------------------------------------------------------------- words
def rows(text):
    """The columns of each line, which are divided by strokes."""
    return [[column.strip() for column in line.split("|")] for line in text.splitlines()]


def table(Row, text):
    """Rows by their first word, from lines "kind | words of a row, words of a row"."""
    by_name = {}
    for *kind, entries in rows(text):
        for entry in entries.split(", "):
            by_name[re.split("[ /]", entry)[0]] = Row(*kind, *entry.split())
    return by_name


# "mouse/mice" has a plural that is not regular. The gender is m or f.
Noun = namedtuple("Noun", "kind english gender french")
NOUNS = """\
creature | animal m animal/animaux, horse m cheval/chevaux, cow f vache, bird m oiseau, cat m chat
creature | goat f chèvre, dog m chien, owl m hibou/hiboux, mouse/mice f souris, goose/geese f oie
person | man/men m homme, boy m garçon, friend m ami, woman/women f femme, girl f fille
vehicle | truck m camion, bus/buses m bus, car f voiture
way | street f rue, field m champ, river f rivière, lake m lac
passage | bridge m pont, tunnel m tunnel, cave f grotte
height | wall m mur, rock m rocher, tower f tour, hill f colline, tree m arbre
place | yard f cour, park m parc
building | house f maison, school f école, hotel m hôtel, castle m château
food | cake m gâteau, apple f pomme, melon m melon, orange f orange, carrot f carotte
thing | bag m sac, boat m bateau, box/boxes f boîte, basket m panier, suitcase f valise"""
NOUNS = table(Noun, NOUNS)
# The feminine, and the masculine before a vowel, are there where they differ.
Adjective = namedtuple("Adjective", "kind english masculine feminine vowel", defaults=["", ""])
ADJECTIVES = """\
beauty | beautiful beau belle bel
age | old vieux vieille vieil, young jeune, new nouveau nouvelle nouvel
size | big gros grosse, small petit petite, large grand grande
colour | red rouge, white blanc blanche, black noir noire, brown marron/marron
state | tired fatigué fatiguée, sick malade, scared effrayé effrayée, weak faible, wide large
state | slow lent lente, fast rapide, heavy lourd lourde, narrow étroit étroite, hard dur dure
state | high haut haute, long long longue, dry sec sèche"""
ADJECTIVES = table(Adjective, ADJECTIVES)
# What French says of one kind of noun instead: "une vache brune", but "une boîte marron".
INSTEAD = {("brown", "creature"): Adjective("colour", "brown", "brun", "brune")}
# "he crosses", "il traverse", "ils traversent"; if a rule needs them, "crossed" and "traversé".
Verb = namedtuple("Verb", "base third_singular singular plural past participle", defaults=["", ""])
VERBS = """\
cross crosses traverse traversent crossed traversé, eat eats mange mangent ate mangé
catch catches attrape attrapent caught attrapé, carry carries porte portent carried porté
climb climbs escalade escaladent climbed escaladé
explore explores explore explorent explored exploré
see sees voit voient, like likes aime aiment, follow follows suit suivent, go goes va vont
come comes vient viennent, sleep sleeps dort dorment, stop stops se_arrête se_arrêtent
hide hides se_cache se_cachent"""
VERBS = table(Verb, VERBS)
PREPOSITIONS = {"in": "dans", "near": "près_de", "behind": "derrière", "to": "à", "from": "de"}
# Masculine, feminine, plural.
ARTICLES = dict(
    the="le la les", a="un une des", my="mon ma mes", his="son sa ses", her="son sa ses"
)
# Of a gender, in the plural or not: English subject and object, French subject and object.
PRONOUNS = {("m", False): "he him il le", ("f", False): "she her elle la"}
PRONOUNS |= {("m", True): "they them ils les", ("f", True): "they them elles les"}
# Words of the patterns below that agree with the subject, or with what the adjective is about.
WITH_SUBJECT = {"DOES": "does/do", "DOESN'T": "doesn't/don't", "SEES": "sees/see"}
WITH_SUBJECT |= {"A": "a/ont", "VOIT": "voit/voient"}
WITH_REFERENT = {"IS": "is/are", "WAS": "was/were", "EST": "est/sont", "ÉTAIT": "était/étaient"}


# ---------------------------------------------------------------- what is said of what
def nouns(names):
    """The nouns that `names` lists, by themselves or by their kind."""
    return [noun for noun in NOUNS if {noun, NOUNS[noun].kind} & set(names.split())]


# What nouns of a kind can be; and what can be wrong with one that somebody would cross, climb, eat.
Kind = namedtuple("Kind", "attributes faults")
KINDS = """\
creature | big small old young beautiful black white brown tired sick | fast
person | young tired sick |
vehicle | big old new beautiful red white black |
way | large beautiful | wide
passage | large small old beautiful | narrow long
height | large small old beautiful | high
place | large small | large
building | large small old new beautiful white red | large
food | big small | hard dry
thing | big small old new red white black brown heavy | heavy big"""
KINDS = {kind: Kind(known.split(), faults.split()) for kind, known, faults in rows(KINDS)}
OWNED = nouns("creature friend vehicle yard house food thing")
FOR_PEOPLE = nouns("school hotel boat")  # animals see them and stop near them, and no more
# Who does what to what, or where. The reasons are why one would not do it, or would stay there.
# None is a fault of the other, so that the adjective after "it was too" decides what "it" is.
Deed = namedtuple("Deed", "verb preposition subjects objects reasons")
DEEDS = """\
cross || creature person | way passage | tired sick weak scared slow
cross || vehicle | street field river bridge tunnel | heavy slow
climb || animal dog cat goat mouse person | wall rock hill tower | tired sick weak scared
explore || animal dog cat goat mouse person | tunnel cave yard park house castle | tired sick weak
carry || animal dog horse person | thing | tired sick weak
eat || animal dog horse bird goose mouse cow goat person | food | tired sick scared
catch || animal dog cat owl person | bird mouse goose | tired sick weak slow
see || creature person | creature person vehicle way passage height place building thing |
follow || creature person | creature person vehicle |
sleep | in | creature person | place building cave | tired sick weak
stop | near | creature person vehicle | height building bridge | tired sick weak scared
hide | behind | creature person | height house castle vehicle | tired sick weak scared
go | to | creature person vehicle | river lake field bridge school hotel castle | tired sick scared
come | from | creature person vehicle | river lake field bridge school hotel castle |
like || creature person | creature person food |"""
DEEDS = [
    Deed(verb, preposition, nouns(subjects), nouns(objects), reasons.split())
    for verb, preposition, subjects, objects, reasons in rows(DEEDS)
]
# Two words that never stand in one sentence of the training: two nouns, or adjective and noun.
WITHHELD = {
    frozenset(words.split())
    for words in (
        "animal street,dog river,cat wall,horse carrot,goat hill,dog bird,truck tunnel,bus field,"
        "man boat,girl basket,boy tower,woman orange,red house,white horse,young bird,old truck,"
        "small goat,new boat,brown bag,large lake,young woman"
    ).split(",")
}

# ---------------------------------------------------------------- rules
# How often a rule is drawn, for which deeds, and its English pattern; below that, the French one.
# What is in capitals is replaced. Behind "/" is the English word that a French word translates.
Rule = namedtuple("Rule", "weight deeds english french")
WHICH = {
    "all": DEEDS,
    "hindered": [deed for deed in DEEDS if deed.reasons and not deed.preposition],
    "staying": [deed for deed in DEEDS if deed.reasons and deed.preposition],
    "to what is seen": [deed for deed in DEEDS if not deed.preposition and deed.verb != "see"],
}
RULES = """\
because | 38 | hindered | SUBJECT didn't VERB OBJECT because HE WAS too ADJECTIVE .
SUBJECT ne/didn't A/VERB pas/didn't PARTICIPE/VERB OBJECT \
parce_que/because IL/HE ÉTAIT/WAS trop/too ADJECTIF/ADJECTIVE .
when | 6 | staying | when SUBJECT IS ADJECTIVE , HE VERBS OBJECT .
quand/when SUBJECT EST/IS ADJECTIF/ADJECTIVE , IL/HE VERBE/VERBS OBJECT .
when not | 6 | hindered | when SUBJECT IS ADJECTIVE , HE DOESN'T VERB OBJECT .
quand/when SUBJECT EST/IS ADJECTIF/ADJECTIVE , IL/HE ne/DOESN'T VERBE/VERB pas/DOESN'T OBJECT .
object | 9 | to what is seen | SUBJECT SEES OBJECT and VERBS HIM .
SUBJECT VOIT/SEES OBJECT et/and LE/HIM VERBE/VERBS .
object not | 6 | to what is seen | SUBJECT SEES OBJECT but DOESN'T VERB HIM .
SUBJECT VOIT/SEES OBJECT mais/but ne/DOESN'T LE/HIM VERBE/VERB pas/DOESN'T .
present | 12 | all | SUBJECT VERBS OBJECT .
SUBJECT VERBE/VERBS OBJECT .
present not | 7 | all | SUBJECT DOESN'T VERB OBJECT .
SUBJECT ne/DOESN'T VERBE/VERB pas/DOESN'T OBJECT .
past | 7 | hindered | SUBJECT VERBED OBJECT .
SUBJECT A/VERBED PARTICIPE/VERBED OBJECT .
question | 9 | all | DOES SUBJECT VERB OBJECT ?
est-ce_que/DOES SUBJECT VERBE/VERB OBJECT ?"""
RULES = rows(RULES)
RULES = {
    kind: Rule(int(weight), WHICH[which], english, french)
    for (kind, weight, which, english), (french,) in zip(RULES[::2], RULES[1::2])
}


# ---------------------------------------------------------------- grammar
@cache
def form(word, plural):
    """The singular or plural of "mouse/mice", or of a word that is regular in its language."""
    singular, _, irregular = word.partition("/")
    ending = "" if singular[-1] in "sx" else "x" if singular.endswith("eau") else "s"
    return (irregular or singular + ending) if plural else singular


def english_article(article, plural, following):
    """The article, where "a" is "an" before a vowel, and "some" in the plural."""
    if article != "a":
        return article
    return "some" if plural else "an" if following[0] in "aeiou" else "a"


def french_article(article, noun, plural):
    """The "le", "la" or "les" that agrees with the noun; other articles likewise."""
    masculine, feminine, of_both = ARTICLES[article].split()
    return of_both if plural else feminine if NOUNS[noun].gender == "f" else masculine


@cache
def french_adjective(adjective, noun, plural, following=""):
    """The form that agrees with the noun; before a vowel it can be another, as "bel"."""
    word = INSTEAD.get((adjective, NOUNS[noun].kind), ADJECTIVES[adjective])
    if NOUNS[noun].gender == "f":
        return form(word.feminine or word.masculine, plural)
    before_vowel = not plural and begins_with_vowel(following)
    return before_vowel and word.vowel or form(word.masculine, plural)


def placed_before_noun(adjective):
    """Whether it stands before the French noun, as in "un petit bus", not as in "un bus rouge"."""
    return ADJECTIVES[adjective].kind in ("beauty", "age", "size")


@cache
def begins_with_vowel(word):
    """Whether the spoken word does: "h" is silent, but not in "hibou" and "haut"."""
    return bool(re.match("[aâeéèêiîoôu]|h(?!ibou|aut)", word))


@cache
def elided(word, following):
    """The word, or what it is before a vowel: "l'", "qu'", and "mon" instead of "ma"."""
    short = dict(le="l'", la="l'", de="d'", ne="n'", que="qu'", se="s'", ma="mon", sa="son")
    return short.get(word, word) if begins_with_vowel(following) else word


@cache
def contracted(preposition, article):
    """The one word for both, as "du" for "de" and "le", or None where they stay two."""
    contractions = {"de le": "du", "de les": "des", "à le": "au", "à les": "aux"}
    return contractions.get(f"{preposition} {article}")


def pronouns(noun, plural):
    """What stands for the noun in a pattern. One thing or animal is "it" in English."""
    he, him, il, le = PRONOUNS[NOUNS[noun].gender, plural].split()
    if not plural and NOUNS[noun].kind != "person":
        he = him = "it"
    return {"HE": he, "HIM": him, "IL": il, "LE": le}


# ---------------------------------------------------------------- phrases and pairs
# Both languages as (word, label) pairs, and what they were made from. The label of the noun is the
# role: SUBJECT or OBJECT.
Phrase = namedtuple("Phrase", "english french role noun plural adjective")
# What a pair is made from. The referent is the phrase that the adjective and the pronoun are about.
Scene = namedtuple("Scene", "kind verb subject object referent adjective")
# Where a pronoun of the third person and what it refers to stand in source and target.
Pronoun = namedtuple("Pronoun", "source source_referent target target_referent")
# An English sentence and its French translation, as words; pairs (index into target, index into
# source), in order, so that every word has a partner ("ne" and "pas" have "didn't"; "du" has "from"
# and "the"); a `Pronoun` for each he, she, it, they, him, her, them; the rule, a key of `RULES`.
Pair = namedtuple("Pair", "source target alignment pronouns kind")
Corpus = namedtuple("Corpus", "training held_out compositional minimal_pairs")


@cache
def labelled(text, label):
    """The (word, label) pairs of a text in which "_" joins words that belong together."""
    return tuple((word, label) for word in text.replace("_", " ").split())


@cache
def noun_phrase(role, noun, plural, article, adjective="", preposition=""):
    """The `Phrase` of these words; "a" is "an" and "some" as well."""
    english_noun, french_noun = form(NOUNS[noun].english, plural), form(NOUNS[noun].french, plural)
    determiner = french_article(article, noun, plural)
    attribute = french_adjective(adjective, noun, plural, french_noun) if adjective else ""
    before = adjective != "" and placed_before_noun(adjective)
    if before and determiner == "des":
        determiner = "de"
    article = english_article(article, plural, adjective or english_noun)
    words = [
        (f"{role} preposition", preposition, PREPOSITIONS.get(preposition, "")),
        (f"{role} article", article, determiner),
        (f"{role} adjective", adjective, attribute),
        (role, english_noun, french_noun),
    ]
    english = [pair for label, text, _ in words for pair in labelled(text, label)]
    if not before:
        words[2:] = reversed(words[2:])
    french = [pair for label, _, text in words for pair in labelled(text, label)]
    return Phrase(english, french, role, noun, plural, adjective)


def replacements(scene):
    """What replaces the words in capitals, other than SUBJECT and OBJECT."""
    verb, subject, referent = VERBS[scene.verb], scene.subject, scene.referent
    return {
        "VERB": verb.base,
        "VERBS": verb.base if subject.plural else verb.third_singular,
        "VERBED": verb.past,
        "VERBE": verb.plural if subject.plural else verb.singular,
        "PARTICIPE": verb.participle,
        "ADJECTIVE": scene.adjective,
        "ADJECTIF": french_adjective(scene.adjective, referent.noun, referent.plural),
        **pronouns(referent.noun, referent.plural),
        **{word: form(both, subject.plural) for word, both in WITH_SUBJECT.items()},
        **{word: form(both, referent.plural) for word, both in WITH_REFERENT.items()},
    }


def filled(pattern, phrases, words):
    """The (word, label) pairs of a pattern in which these phrases and words are put."""
    pairs = []
    for piece in pattern.split():
        word, _, label = piece.partition("/")
        pairs += phrases.get(word) or labelled(words.get(word, word), label or word)
    return pairs


def pair_of(scene):
    """The `Pair` of a scene."""
    rule, words, role = RULES[scene.kind], replacements(scene), scene.referent.role
    english = {"SUBJECT": scene.subject.english, "OBJECT": scene.object.english}
    french = {"SUBJECT": scene.subject.french, "OBJECT": scene.object.french}
    english, french = filled(rule.english, english, words), filled(rule.french, french, words)
    place = {label: index for index, (_, label) in enumerate(english)}
    target, alignment = [], []
    for (word, label), (following, _) in zip(french, french[1:] + french[-1:]):
        word = elided(word, following)
        if target and contracted(target[-1], word):
            word = contracted(target.pop(), word)
        target.append(word)
        alignment.append((len(target) - 1, place[label]))
    partner = {source: target for target, source in alignment}
    references = [(place[word], place[role]) for word in ("HE", "HIM") if word in place]
    return Pair(
        tuple(word for word, _ in english),
        tuple(target),
        tuple(alignment),
        tuple(Pronoun(he, noun, partner[he], partner[noun]) for he, noun in references),
        scene.kind,
    )


# ---------------------------------------------------------------- scenes
def absurd(kind, verb, doer, thing):
    """Nobody follows himself; a truck is not tired and does not see; a cow is not at school."""
    of_animates = kind.startswith(("when", "object"))
    return (
        doer == thing
        or (NOUNS[doer].kind == "vehicle" and of_animates)
        or (NOUNS[doer].kind == "creature" and thing in FOR_PEOPLE and verb not in ("see", "stop"))
    )


def some_phrase(draw, role, noun, plural, kind, verb="", preposition=""):
    """A noun phrase for a rule, behind this verb and preposition."""
    rule, articles, adjectives = RULES[kind], [], KINDS[NOUNS[noun].kind].attributes
    if noun != "friend":
        articles += ["the"] * 4
    if noun in OWNED:
        articles += ["my", "his", "her"]
    # French has no "pas un", no "aime des", no "va à un", no "près de des".
    if not ("pas/" in rule.french or verb in ("like", "go") or (preposition and plural)):
        articles += ["a"] * 3
    if verb in ("go", "come") and NOUNS[noun].kind in ("way", "passage"):
        adjectives = []  # no "va au beau lac"
    if "ADJECTIVE" in rule.english:  # no "the small dog was too big"
        lasting = "beauty", "age", "colour"
        adjectives = [word for word in adjectives if ADJECTIVES[word].kind in lasting]
    article, adjective = draw.choice(articles), ""
    if adjectives and draw.random() < 0.45:
        adjective = draw.choice(adjectives)
    return noun_phrase(role, noun, plural, article, adjective, preposition)


def scenes(draw, kind):
    """A `Scene` for the rule; for "because" two, about the subject and about the object."""
    deed = draw.choice(RULES[kind].deeds)
    doer, thing = draw.choice(deed.subjects), draw.choice(deed.objects)
    if absurd(kind, deed.verb, doer, thing):
        return scenes(draw, kind)
    verb = "see" if kind.startswith("object") else deed.verb  # in front of the object
    plural = draw.random() < 0.35
    S = some_phrase(draw, "SUBJECT", doer, plural, kind)
    plural = draw.random() < 0.35 and (plural or not deed.preposition)  # no dog is in two houses
    O = some_phrase(draw, "OBJECT", thing, plural, kind, verb, deed.preposition)
    about = [(O if kind.startswith("object") else S, deed.reasons or ["tired"])]
    if kind == "because":
        about = [(S, deed.reasons), (O, KINDS[NOUNS[thing].kind].faults)]
    return [Scene(kind, deed.verb, S, O, R, draw.choice(adjectives)) for R, adjectives in about]


def withheld(scene):
    """How two withheld words meet in a scene: "together", or "apart", or "" if they do not."""
    S, O, R = scene.subject, scene.object, scene.referent
    together = [{S.noun, O.noun}, {S.noun, S.adjective}, {O.noun, O.adjective}]
    if "ADJECTIVE" in RULES[scene.kind].english:
        together.append({R.noun, scene.adjective})
    if any(two in WITHHELD for two in together):
        return "together"
    words = set().union(*together)
    return "apart" if any(two <= words for two in WITHHELD) else ""


# ---------------------------------------------------------------- splits
ANIMAL = noun_phrase("SUBJECT", "animal", False, "the")
STREET = noun_phrase("OBJECT", "street", False, "the")
TIRED = Scene("because", "cross", ANIMAL, STREET, ANIMAL, "tired")
FAMOUS = [TIRED, TIRED._replace(referent=STREET, adjective="wide")]


def corpus(seed=0, training=20_000, held_out=1_000, compositional=1_000, minimal=500):
    """Return a `Corpus` of four tuples. No sentence is in two of them, or twice in one.

    training, held_out: how many pairs, drawn alike. No two words of `WITHHELD` meet in them.
    compositional: how many in which two such words are subject and object, or adjective and noun.
    minimal: how many minimal pairs: two `Pair`s, alike in English but for the adjective; "it" is
        first the subject, then the object, in French once "il", once "elle".
    """
    draw, seen, twins, plain, novel = random.Random(seed), set(), [], [], []

    def add(split, scenes):
        pairs = [pair_of(scene) for scene in scenes]
        if not any(pair.source in seen for pair in pairs):
            seen.update(pair.source for pair in pairs)
            split += pairs

    add(twins, FAMOUS[: 2 * minimal])
    while len(twins) < 2 * minimal:
        two = scenes(draw, "because")
        S, O = two[0].subject, two[0].object
        has_it = NOUNS[S.noun].kind != "person" and not (S.plural or O.plural)
        il_or_elle = NOUNS[S.noun].gender != NOUNS[O.noun].gender
        if has_it and il_or_elle and not any(map(withheld, two)):
            add(twins, two)
    sizes = {"": (plain, training + held_out), "together": (novel, compositional), "apart": ([], 0)}
    kinds = [kind for kind in RULES for _ in range(RULES[kind].weight)]
    while any(len(split) < size for split, size in sizes.values()):
        scene = draw.choice(scenes(draw, draw.choice(kinds)))
        split, size = sizes[withheld(scene)]
        if len(split) < size:
            add(split, [scene])
    draw.shuffle(plain)  # short sentences soon repeat: the later ones are longer
    pairs = plain[held_out:], plain[:held_out], novel, zip(twins[::2], twins[1::2])
    return Corpus(*map(tuple, pairs))


def joined(pairs):
    """One longer `Pair`: clauses joined by "and" and "et", with all that is known about each.

    Raises ValueError when there is no pair.
    """
    source, target, alignment, pronouns = [], [], [], []
    for pair in pairs:
        if source:
            source[-1], target[-1] = "and", "et"  # in place of the mark that ended the clause
        s, t = len(source), len(target)
        source += pair.source
        target += pair.target
        alignment += [(t + i, s + j) for i, j in pair.alignment]
        pronouns += [
            Pronoun(p.source + s, p.source_referent + s, p.target + t, p.target_referent + t)
            for p in pair.pronouns
        ]
    if not source:
        raise ValueError("pairs is empty; wanted one pair or more")
    return Pair(tuple(source), tuple(target), tuple(alignment), tuple(pronouns), "joined")


def write(words, language):
    """The words as a sentence in print; the language is "english" or "french"."""
    if language not in ("english", "french"):
        raise ValueError(f"language is {language!r}; wanted 'english' or 'french'")
    text = " ".join(words).replace("' ", "'").replace(" ,", ",").replace(" .", ".")
    text = text.replace(" ?", "?" if language == "english" else "\u202f?")  # a narrow space
    return text[:1].upper() + text[1:]
