"""English sentences, their French translations, and what is known about each pair.

A synchronous grammar writes both at once: a rule is an English and a French pattern; the French
words name the English ones that they translate. All is in lower case; "l'", "didn't" are one word.
"""

import random
import re
from collections import namedtuple
from functools import cache


# ---------------------------------------------------------------- words
def table(text):
    """Rows by their first word; two spaces divide them, and the class in front is of each row."""
    lines = [re.split("  +", line) for line in text.splitlines()]
    return {
        re.split("[ /]", row)[0]: [group, *row.split()] for group, *rows in lines for row in rows
    }


# English, gender, French; the plural behind a stroke where `form` does not know it.
NOUNS = table("""\
creature  animal m animal/animaux  horse m cheval/chevaux  cow f vache  bird m oiseau  cat m chat
creature  goat f chèvre  dog m chien  owl m hibou/hiboux  mouse/mice f souris  goose/geese f oie
person    man/men m homme  boy m garçon  friend m ami  woman/women f femme  girl f fille
vehicle   truck m camion  bus/buses m bus  car f voiture
way       street f rue  field m champ  river f rivière  lake m lac
passage   bridge m pont  tunnel m tunnel  cave f grotte
height    wall m mur  rock m rocher  tower f tour  hill f colline  tree m arbre
place     yard f cour  park m parc
building  house f maison  school f école  hotel m hôtel  castle m château
food      cake m gâteau  apple f pomme  melon m melon  orange f orange  carrot f carotte
thing     bag m sac  boat m bateau  box/boxes f boîte  basket m panier  suitcase f valise""")
# English; French masculine and, where it differs, feminine.
ADJECTIVES = table("""\
size      big gros grosse  small petit petite  large grand grande
age       old vieux vieille  young jeune  new nouveau nouvelle  beautiful beau belle
colour    red rouge  white blanc blanche  black noir noire  brown marron/marron
state     tired fatigué fatiguée  sick malade  scared effrayé effrayée  weak faible  wide large
state     slow lent lente  fast rapide  heavy lourd lourde  narrow étroit étroite  hard dur dure
state     high haut haute  long long longue  dry sec sèche""")
# The other words that agree with a noun; "he", "is" and "was" are English.
AGREEING = ADJECTIVES | table("""\
word      the le/les la/les  a un/des une/des  my mon/mes ma/mes  his son/ses sa/ses
word      her son/ses sa/ses  is is/are  was was/were  est est/sont  était était/étaient
word      he he/they she/they  him him/them her/them  il il elle  le le/les la/les""")
# English "they" and "he", French "il" and "ils"; the past of both, where a rule needs it.
VERBS = table("""\
act   cross/crosses traverse/traversent crossed traversé  eat mange/mangent ate mangé
act   catch/catches attrape/attrapent caught attrapé  explore explore/explorent explored exploré
act   climb escalade/escaladent climbed escaladé  carry/carries porte/portent carried porté
else  see voit/voient  like aime/aiment  follow suit/suivent  go/goes va/vont  come vient/viennent
else  sleep dort/dorment  stop se_arrête/se_arrêtent  hide se_cache/se_cachent""")
BEFORE_A_VOWEL = {"beau": "bel", "vieux": "vieil", "nouveau": "nouvel"}  # and before the noun
ELIDED = dict(le="l'", la="l'", de="d'", ne="n'", que="qu'", se="s'", ma="mon", sa="son")
CONTRACTED = {"le": {"de": "du", "à": "au"}, "les": {"de": "des", "à": "aux"}}
PREPOSITIONS = {"in": "dans", "near": "près de", "behind": "derrière", "to": "à", "from": "de"}
vowel = re.compile("[aâeéèêiîoôu]|h(?!ibou|aut)").match  # any other h is silent


@cache
def form(word, plural):
    """The singular or plural of "mouse/mice", or of a word that is regular in its language."""
    one, _, many = word.replace("_", " ").partition("/")
    regular = "" if one[-1] in "sx" else "x" if one.endswith("eau") else "s"
    return (many or one + regular) if plural else one


def nouns(names):
    """The nouns that `names` lists, by themselves or by their class."""
    return [noun for noun in NOUNS if {noun, NOUNS[noun][0]} & set(names.split())]


# What agrees with a noun, by the noun's gender and number.
FORMS = {
    (gender, plural): {
        word: form(row[-1] if gender == "f" else row[2], plural) for word, row in AGREEING.items()
    }
    for gender in "mf"
    for plural in (False, True)
}
# Attributes, and what can be wrong with one that somebody would cross, climb, carry, and so on.
ATTRIBUTES = dict(
    creature="big small old young beautiful black white brown tired sick",
    way="large beautiful",
    vehicle="big old new beautiful red white black",
    person="young tired sick",
    food="big small",
    passage="large small old beautiful",
    height="large small old beautiful",
    place="large small",
    building="large small old new beautiful white red",
    thing="big small old new red white black brown heavy",
)
FAULTS = dict(
    way="wide",
    passage="narrow long",
    height="high",
    place="large",
    building="large",
    food="hard dry",
    thing="heavy big",
    creature="fast",
)
OWNED = nouns("creature friend vehicle yard house school food thing")
# Who does what to what, or where; and what can hinder who would: never a fault of the other, so
# that the adjective after "because it was too" decides what "it" is.
DEEDS = [
    (verb.split(), nouns(who), nouns(what), why.split())
    for verb, who, what, why in (
        row.split("|")
        for row in """\
cross | creature person | way passage | tired sick weak scared slow
cross | vehicle | street field river bridge tunnel | heavy slow
climb | animal dog cat goat mouse person | wall rock hill tower | tired sick weak scared
explore | animal dog cat goat mouse person | passage yard park house castle | tired sick weak
carry | animal dog horse person | thing | tired sick weak
eat | animal dog horse bird goose mouse cow goat person | food | tired sick scared
catch | animal dog cat owl person | bird mouse goose | tired sick weak slow
see | creature person | creature person vehicle way passage height place building thing |
follow | creature person | creature person vehicle |
sleep in | creature person | place building cave |
stop near | creature person vehicle | height building bridge |
hide behind | creature person | height house castle vehicle |
go to | creature person vehicle | river lake field bridge school hotel castle |
come from | creature person vehicle | river lake field bridge school hotel castle |
like | creature person | creature person food |""".splitlines()
    )
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
# How often a rule is drawn, its deeds, its English and its French pattern: a sentence about S that
# crosses O. Behind the stroke is the English word that a French one translates.
ACT = [deed for deed in DEEDS if deed[3]]  # what can be hindered
STAY = [deed for deed in DEEDS if deed[0][1:] not in ([], ["from"])]  # where one can stay
HIM = [deed for deed in DEEDS if len(deed[0]) == 1 and deed[0] != ["see"]]
RULES = {
    "because": (
        38,
        ACT,
        "S didn't cross O because he was too tired .",
        "S ne/didn't a/cross pas/didn't traversé/cross O "
        "parce/because que/because il/he était/was trop/too fatigué/tired .",
    ),
    "when": (
        6,
        STAY,
        "when S is tired , he crosses O .",
        "quand/when S est/is fatigué/tired , il/he traverse/crosses O .",
    ),
    "when not": (
        6,
        ACT,
        "when S is tired , he doesn't cross O .",
        "quand/when S est/is fatigué/tired , il/he ne/doesn't traverse/cross pas/doesn't O .",
    ),
    "object": (
        9,
        HIM,
        "S sees O and crosses him .",
        "S voit/sees O et/and le/him traverse/crosses .",
    ),
    "object not": (
        6,
        HIM,
        "S sees O but doesn't cross him .",
        "S voit/sees O mais/but ne/doesn't le/him traverse/cross pas/doesn't .",
    ),
    "present": (12, DEEDS, "S crosses O .", "S traverse/crosses O ."),
    "present not": (7, DEEDS, "S doesn't cross O .", "S ne/doesn't traverse/cross pas/doesn't O ."),
    "past": (7, ACT, "S crossed O .", "S a/crossed traversé/crossed O ."),
    "question": (9, DEEDS, "does S cross O ?", "est-ce/does que/does S traverse/cross O ?"),
}
# Both languages as (word, label) pairs, the noun's label, S or O, and what it was made from.
Phrase = namedtuple("Phrase", "english french label noun gender plural adjective")
# Where a pronoun of the third person and what it refers to stand in source and target.
Pronoun = namedtuple("Pronoun", "source source_referent target target_referent")
# An English sentence and its French translation, as words; pairs (index into target, index into
# source), in order, so that every word has a partner ("ne" and "pas" have "didn't"; "du" has "from"
# and "the"); a `Pronoun` for each he, she, it, they, him, her, them; the rule, a key of `RULES`.
Pair = namedtuple("Pair", "source target alignment pronouns kind")
Corpus = namedtuple("Corpus", "training held_out compositional minimal_pairs")


@cache
def noun_phrase(label, noun, plural, article, adjective="", preposition=""):
    """The `Phrase` of these words; "a" is "an" and "some" as well."""
    _, dog, gender, chien = NOUNS[noun]
    dog, chien, forms = form(dog, plural), form(chien, plural), FORMS[gender, plural]
    le, old = forms[article], forms.get(adjective, "")
    before = adjective and ADJECTIVES[adjective][0] in ("size", "age")  # the French noun
    if before and not plural and vowel(chien):
        old = BEFORE_A_VOWEL.get(old, old)
    le = "de" if before and le == "des" else le
    if article == "a":
        article = "some" if plural else "an" if (adjective or dog)[0] in "aeiou" else "a"
    labels = "to", label + " the", label + " big", label
    english = zip((preposition, article, adjective, dog), labels)
    french = [*zip((PREPOSITIONS.get(preposition, ""), le, old, chien), labels)]
    if not before:
        french[2:] = reversed(french[2:])
    english, french = (
        [(word, label) for text, label in language for word in text.split()]
        for language in (english, french)
    )
    return Phrase(english, french, label, noun, gender, plural, adjective)


def filled(pattern, phrases, words):
    """The (word, label) pairs of a pattern in which these phrases and words are put."""
    pieces = [piece.partition("/") for piece in pattern.split()]
    return [
        pair
        for word, _, label in pieces
        for pair in phrases.get(word)
        or [(part, label or word) for part in words.get(word, word).split()]
    ]


def pair_of(kind, verb, S, O, R, adjective):
    """The `Pair` of a rule with these parts; R is what its adjective and its pronoun are about."""
    _, cross, traverse, crossed, participle = [*VERBS[verb], "", ""][:5]
    words = FORMS[R.gender, R.plural] | {
        "does": form("does/do", S.plural),
        "doesn't": form("doesn't/don't", S.plural),
        "sees": form("sees/see", S.plural),
        "voit": form("voit/voient", S.plural),
        "cross": verb,
        "crosses": form(cross, not S.plural),
        "crossed": crossed,
        "traverse": form(traverse, S.plural),
        "a": form("a/ont", S.plural),
        "traversé": participle,
        "tired": adjective,
        "fatigué": FORMS[R.gender, R.plural][adjective],
    }
    if not R.plural and NOUNS[R.noun][0] != "person":
        words |= {"he": "it", "him": "it"}
    english = filled(RULES[kind][2], {"S": S.english, "O": O.english}, words)
    french = filled(RULES[kind][3], {"S": S.french, "O": O.french}, words)
    place = {label: s for s, (_, label) in enumerate(english)}
    target, alignment = [], []
    for (word, label), (following, _) in zip(french, french[1:] + french[-1:]):
        if word in ELIDED and vowel(following):
            word = ELIDED[word]
        elif word in CONTRACTED and target and target[-1] in CONTRACTED[word]:
            word = CONTRACTED[word][target.pop()]
        target.append(word)
        alignment.append((len(target) - 1, place[label]))
    partner = {s: t for t, s in alignment}
    pronouns = [(place[he], place[R.label]) for he in ("he", "him") if he in place]
    return Pair(
        tuple(word for word, _ in english),
        tuple(target),
        tuple(alignment),
        tuple(Pronoun(it, who, partner[it], partner[who]) for it, who in pronouns),
        kind,
    )


def some_phrase(draw, label, noun, pattern, preposition=""):
    """A noun phrase for a pattern."""
    plural = draw.random() < 0.35
    articles = ["the"] * 4 * (noun != "friend") + ["my", "his", "her"] * (noun in OWNED)
    if "n't" not in pattern and (not preposition or not plural):  # no "pas un", no "près de des"
        articles += ["a"] * 3
    article = draw.choice(articles)
    known = [
        word
        for word in ATTRIBUTES[NOUNS[noun][0]].split()
        if "tired" not in pattern or ADJECTIVES[word][0] in ("age", "colour")
    ]  # not too small
    adjective = draw.choice(known) if known and draw.random() < 0.45 else ""
    return noun_phrase(label, noun, plural, article, adjective, preposition)


def scene(draw, kind):
    """What `pair_of` wants for a pair; for "because" twice, about the subject and the object."""
    _, known, pattern, _ = RULES[kind]
    (verb, *where), who, what, why = draw.choice(known)
    doer, thing = draw.choice(who), draw.choice(what)
    if doer == thing or kind.startswith(("when", "object")) and NOUNS[doer][0] == "vehicle":
        return scene(draw, kind)  # nobody follows himself; a truck is not tired and does not see
    S = some_phrase(draw, "S", doer, pattern)
    O = some_phrase(draw, "O", thing, pattern, *where)
    about = [(O if "object" in kind else S, ["tired", "sick", "weak", "scared"])]
    if kind == "because":
        about = [(S, why), (O, FAULTS[NOUNS[thing][0]].split())]
    return [(kind, verb, S, O, R, draw.choice(adjectives)) for R, adjectives in about]


def withheld(kind, verb, S, O, R, adjective):
    """How two withheld words meet in a sentence: "together", or "apart", or "" if they do not."""
    together = [{S.noun, O.noun}, {S.noun, S.adjective}, {O.noun, O.adjective}]
    together += [{R.noun, adjective}] * ("tired" in RULES[kind][2])
    if any(two in WITHHELD for two in together):
        return "together"
    return "apart" if any(map(set.union(*together).issuperset, WITHHELD)) else ""


# ---------------------------------------------------------------- splits
MOST = dict(training=100_000, held_out=20_000, compositional=10_000, minimal=5_000)
ANIMAL, STREET = noun_phrase("S", "animal", False, "the"), noun_phrase("O", "street", False, "the")
FAMOUS = [("because", "cross", ANIMAL, STREET, *R) for R in ((ANIMAL, "tired"), (STREET, "wide"))]


def corpus(seed=0, training=20_000, held_out=1_000, compositional=1_000, minimal=500):
    """Return a `Corpus` of four tuples. No sentence is in two of them, or twice in one.

    training, held_out: how many pairs, drawn alike. No two words of `WITHHELD` meet in them.
    compositional: how many in which two such words are subject and object, or adjective and noun.
    minimal: how many minimal pairs: two `Pair`s, alike in English but for the adjective; "it" is
        first the subject, then the object, in French once "il", once "elle".
    Raises `ValueError` for a seed that is no whole number, and a size below 0 or above `MOST`.
    """
    for (name, most), size in zip(MOST.items(), (training, held_out, compositional, minimal)):
        if type(size) is not int or not 0 <= size <= most:
            raise ValueError(f"{name} is {size!r}; wanted a whole number from 0 to {most}")
    if type(seed) is not int:
        raise ValueError(f"seed is {seed!r}; wanted a whole number")
    draw, seen, twins, plain, novel = random.Random(seed), set(), [], [], []

    def add(split, *scenes):
        pairs = [pair_of(*one) for one in scenes]
        if not any(pair.source in seen for pair in pairs):
            seen.update(pair.source for pair in pairs)
            split += pairs

    add(twins, *FAMOUS[: 2 * minimal])
    while len(twins) < 2 * minimal:
        two = scene(draw, "because")
        _, _, S, O, _, _ = two[0]
        if not (
            S.plural
            or O.plural
            or S.gender == O.gender
            or NOUNS[S.noun][0] == "person"
            or any(withheld(*one) for one in two)
        ):
            add(twins, *two)
    sizes = {"": (plain, training + held_out), "together": (novel, compositional), "apart": ([], 0)}
    kinds = [kind for kind in RULES for _ in range(RULES[kind][0])]
    while any(len(split) < size for split, size in sizes.values()):
        one = draw.choice(scene(draw, draw.choice(kinds)))
        split, size = sizes[withheld(*one)]
        if len(split) < size:
            add(split, one)
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
        pronouns += [Pronoun(p[0] + s, p[1] + s, p[2] + t, p[3] + t) for p in pair.pronouns]
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
