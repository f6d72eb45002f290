"""English sentences, their French translations, and what is known about each pair.

A synchronous grammar writes both sides at once: a rule is an English and a French pattern over the
same parts. In a pattern, a word is written `word/label`, and words with the same label translate
each other. All is in lower case; "didn't", "l'" and "qu'" are one word each.
"""

import random
from collections import namedtuple
from dataclasses import dataclass
from functools import cache
from itertools import combinations


def table(size, text):
    """Rows of `size` words by their first word; the class that begins the line comes last."""
    lines = [line.split() for line in text.splitlines()]
    return {line[i]: [word.replace("_", " ") for word in line[i:i + size] + line[:1]]
            for line in lines for i in range(1, len(line), size)}


# ---------------------------------------------------------------- words
# English singular and plural, gender, French singular and plural.
NOUNS = table(5, """\
creature animal animals m animal animaux  horse horses m cheval chevaux  cow cows f vache vaches
creature bird birds m oiseau oiseaux      cat cats m chat chats          goat goats f chèvre chèvres
creature dog dogs m chien chiens          owl owls m hibou hiboux        mule mules f mule mules
creature mouse mice f souris souris       goose geese f oie oies
person   man men m homme hommes           boy boys m garçon garçons      friend friends m ami amis
person   woman women f femme femmes       girl girls f fille filles
vehicle  truck trucks m camion camions    bus buses m bus bus            car cars f voiture voitures
way      street streets f rue rues        field fields m champ champs
way      river rivers f rivière rivières  lake lakes m lac lacs
way      bridge bridges m pont ponts      tunnel tunnels m tunnel tunnels
height   wall walls m mur murs            rock rocks m rocher rochers    tower towers f tour tours
height   hill hills f colline collines    tree trees m arbre arbres
place    cave caves f grotte grottes      yard yards f cour cours        park parks m parc parcs
building house houses f maison maisons    school schools f école écoles
building hotel hotels m hôtel hôtels      castle castles m château châteaux
food     cake cakes m gâteau gâteaux      apple apples f pomme pommes    melon melons m melon melons
food     orange oranges f orange oranges  carrot carrots f carotte carottes
thing    bag bags m sac sacs              boat boats m bateau bateaux    box boxes f boîte boîtes
thing    basket baskets m panier paniers  suitcase suitcases f valise valises
thing    cart carts f charrette charrettes""")

# English; French masculine and feminine, then both in the plural.
ADJECTIVES = table(5, """\
size   big gros grosse gros grosses              small petit petite petits petites
size   large grand grande grands grandes
age    old vieux vieille vieux vieilles          young jeune jeune jeunes jeunes
age    new nouveau nouvelle nouveaux nouvelles
look   beautiful beau belle beaux belles
colour red rouge rouge rouges rouges             white blanc blanche blancs blanches
colour black noir noire noirs noires             brown marron marron marron marron
state  tired fatigué fatiguée fatigués fatiguées sick malade malade malades malades
state  scared effrayé effrayée effrayés effrayées weak faible faible faibles faibles
state  slow lent lente lents lentes              fast rapide rapide rapides rapides
state  heavy lourd lourde lourds lourdes         wide large large larges larges
state  deep profond profonde profonds profondes  high haut haute hauts hautes
state  narrow étroit étroite étroits étroites    long long longue longs longues
state  hard dur dure durs dures                  dry sec sèche secs sèches""")
BEFORE_THE_NOUN = ("size", "age", "look")  # in French; the others stand behind it
BEFORE_A_VOWEL = {"beau": "bel", "vieux": "vieil", "nouveau": "nouvel"}  # and before the noun

# English "they", "he"; French "il", "ils"; and the past of both, where a rule needs it.
VERBS = table(6, """\
act  cross crosses traverse traversent crossed traversé  eat eats mange mangent ate mangé
act  climb climbs escalade escaladent climbed escaladé   pull pulls tire tirent pulled tiré
act  catch catches attrape attrapent caught attrapé      carry carries porte portent carried porté
act  enter enters entre entrent entered entré""") | table(4, """\
meet see sees voit voient      like likes aime aiment           follow follows suit suivent
stay sleep sleeps dort dorment stop stops se_arrête se_arrêtent hide hides se_cache se_cachent
move go goes va vont           come comes vient viennent""")

# Masculine, feminine, both in the plural, where "a" is "some".
ARTICLES = {"the": ("le", "la", "les", "les"), "a": ("un", "une", "des", "des"),
            "my": ("mon", "ma", "mes", "mes"), "his": ("son", "sa", "ses", "ses"),
            "her": ("son", "sa", "ses", "ses")}
PREPOSITIONS = {"in": "dans", "near": "près de", "behind": "derrière", "to": "à", "from": "de"}
PLURAL = {"does": "do", "doesn't": "don't", "sees": "see", "voit": "voient",
          "is": "are", "was": "were", "est": "sont", "était": "étaient"}
ELIDED = {"le": "l'", "la": "l'", "de": "d'", "ne": "n'", "que": "qu'", "se": "s'", "ma": "mon",
          "sa": "son"}  # before a vowel
CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
SOUNDED_H = ("hibou", "haut")  # any other h is silent

# ---------------------------------------------------------------- what goes with what
# Attributes of nouns and of classes of nouns.
ATTRIBUTES = {
    "creature": "big small old young beautiful black white brown tired sick",
    "person": "young tired sick", "man": "old", "woman": "old", "friend": "old new",
    "boy": "small", "girl": "small", "vehicle": "big old new beautiful red white black",
    "way": "large small beautiful", "height": "large small old beautiful", "tunnel": "old new",
    "bridge": "old new", "place": "large small old beautiful", "food": "big small beautiful",
    "apple": "red", "building": "large small old new beautiful white red",
    "thing": "big small old new beautiful red white black brown heavy"}
# What can be wrong with one that somebody would cross, climb, enter, carry, pull, eat, catch.
FAULTS = {"street": "wide", "field": "wide", "river": "wide deep", "lake": "wide deep",
          "bridge": "narrow long", "tunnel": "narrow long", "height": "high",
          "cave": "narrow small", "yard": "narrow small", "park": "small", "house": "small",
          "food": "hard dry", "vehicle": "heavy big", "thing": "heavy big", "creature": "fast"}
OWNED = "creature friend vehicle yard house school food thing"
# Who does what to what, or where; and what can hinder the one who would. That is never a fault of
# the other: so the adjective after "because it was too" decides what "it" is.
FRAMES = [[column.strip() for column in line.split("|")] for line in """\
cross | creature person | | way | tired sick weak scared slow
cross | vehicle | | street field river bridge tunnel | heavy slow
climb | animal dog cat goat mouse person | | wall rock hill tower | tired sick weak scared
enter | animal horse cow mule | | place tunnel house | tired scared big
enter | vehicle | | yard park tunnel | heavy big
enter | person | | place tunnel house | tired sick scared
carry | animal horse mule person | | bag basket box suitcase | tired sick weak
pull | animal horse cow mule person | | cart boat truck car | tired sick weak
eat | animal dog horse bird goose mouse cow mule goat person | | food | tired sick scared
catch | animal dog cat owl person | | bird mouse goose | tired sick weak slow
see | creature person | | creature person vehicle way height place building thing |
follow | creature person | | creature person vehicle |
like | creature person | | creature person food |
sleep | creature person | in | place building |
stop | creature person vehicle | near | height bridge building |
hide | creature person | behind | height building vehicle |
go | creature person vehicle | to | bridge river lake field school hotel castle |
come | creature person vehicle | from | bridge river lake field school hotel castle |\
""".splitlines()]

# Two words that never stand in one sentence of the training: two nouns, or adjective and noun.
WITHHELD = {frozenset(words.split()) for words in (
    "animal street,dog river,cat wall,horse cave,cow cart,goat hill,mule suitcase,cow apple,"
    "horse carrot,mouse cake,dog bird,cat goose,truck tunnel,bus field,car yard,man boat,"
    "girl basket,boy tower,woman orange,red house,white horse,young bird,old truck,"
    "heavy box,small goat,new boat,brown bag,large lake,young woman,long bridge").split(",")}

# ---------------------------------------------------------------- rules
# How often a rule is drawn, its verbs, its English and its French pattern. {S} and {O} are subject
# and object; other parts in braces are named by an example. A word without a label is its own.
ACT, MEET, STAY = "cross climb carry pull eat catch ", "like follow ", "sleep stop hide go "
RULES = {
    "because": (38, ACT + "enter", "{S} didn't/not {cross} {O} because {it} {was} too {tired} .",
                "{S} ne/not {a} pas/not {traversé} {O} parce/because que/because {il} {était} "
                "trop/too {fatigué} ."),
    "when": (6, STAY, "when {S} {is} {tired} , {it} {crosses} {O} .",
             "quand/when {S} {est} {fatigué} , {il} {traverse} {O} ."),
    "when not": (6, ACT + "enter", "when {S} {is} {tired} , {it} {doesn't} {cross} {O} .",
                 "quand/when {S} {est} {fatigué} , {il} ne/not {traverse} pas/not {O} ."),
    "object": (9, ACT + MEET, "{S} {sees} {O} and {crosses} {him} .",
               "{S} {voit} {O} et/and {le} {traverse} ."),
    "object not": (6, ACT + MEET, "{S} {sees} {O} but {doesn't} {cross} {him} .",
                   "{S} {voit} {O} mais/but ne/not {le} {traverse} pas/not ."),
    "present": (12, ACT + MEET + STAY + "enter see come", "{S} {crosses} {O} .",
                "{S} {traverse} {O} ."),
    "present not": (7, ACT + MEET + STAY + "enter see", "{S} {doesn't} {cross} {O} .",
                    "{S} ne/not {traverse} pas/not {O} ."),
    "past": (7, ACT + "enter", "{S} {crossed} {O} .", "{S} {a} {traversé} {O} ."),
    "question": (9, ACT + MEET + STAY + "enter see come", "{does} {S} {cross} {O} ?",
                 "est-ce/does que/does {S} {traverse} {O} ?"),
}
ABOUT_IT = ("because", "when", "when not")  # they tell how something is
PLAIN = {"age", "look", "colour"}  # of such a thing: attributes that go with any "too small"
LABELS = {part: label for label, parts in {
    "verb": "cross crosses crossed traverse a traversé", "see": "sees voit", "does": "does",
    "not": "doesn't", "is": "is was est était", "adjective": "tired fatigué",
    "it": "it him il le"}.items() for part in parts.split()}

# (word, label) pairs of both languages, the noun, whether it is plural, its label, its adjective.
Phrase = namedtuple("Phrase", "english french noun plural label adjective")
# Where a pronoun of the third person and what it refers to stand in source and target.
Pronoun = namedtuple("Pronoun", "source source_referent target target_referent")
Corpus = namedtuple("Corpus", "training held_out compositional minimal_pairs")


@dataclass(frozen=True)
class Pair:
    """An English sentence, its French translation, and what is known about them.

    source, target: their words.
    alignment: pairs (index into target, index into source), in order. Every word has a partner:
        "ne" and "pas" have "didn't", "a traversé" has the verb, "est-ce que" has "does", "du" has
        "from" and "the".
    pronouns: a `Pronoun` for each it, they, he, she, him, her, them; a possessive is none.
    kind: the rule that made the pair, a key of `RULES`.
    """

    source: tuple
    target: tuple
    alignment: tuple
    pronouns: tuple
    kind: str


def listed(noun, names):
    """Whether `names` lists the noun or its class."""
    return noun in names.split() or NOUNS[noun][-1] in names.split()


def told(rows, noun):
    """What the rows tell of a noun and of its class."""
    return [word for name in (noun, NOUNS[noun][-1]) for word in rows.get(name, "").split()]


def agreeing(noun, plural, forms):
    return forms[(NOUNS[noun][2] == "f") + 2 * plural]


def vowel(word):
    return word[0] in "aâeéèêiîoôuh" and not word.startswith(SOUNDED_H)


def noun_phrase(draw, noun, label, definite, kinds, preposition=""):
    """Preposition, article, at times an adjective of one of `kinds`, noun."""
    plural = draw.random() < 0.35
    articles = ["the"] * 4 * (noun != "friend") + ["my", "his", "her"] * listed(noun, OWNED)
    if not definite and not (preposition and plural):  # no "près de des chiens"
        articles += ["a"] * 3
    article = draw.choice(articles)
    le = agreeing(noun, plural, ARTICLES[article])
    english, french = [(NOUNS[noun][plural], label)], [(NOUNS[noun][3 + plural], label)]
    known = [word for word in told(ATTRIBUTES, noun) if ADJECTIVES[word][-1] in kinds]
    adjective = draw.choice(known) if known and draw.random() < 0.45 else ""
    if adjective:
        form = agreeing(noun, plural, ADJECTIVES[adjective][1:])
        before = ADJECTIVES[adjective][-1] in BEFORE_THE_NOUN
        if before and not plural and vowel(french[0][0]):
            form = BEFORE_A_VOWEL.get(form, form)
        le = "de" if before and le == "des" else le
        english.insert(0, (adjective, label + "'s"))
        french.insert(not before, (form, label + "'s"))
    if article == "a":
        article = "some" if plural else "an" if english[0][0][0] in "aeiou" else "a"
    to = [(word, "to") for word in PREPOSITIONS.get(preposition, "").split()]
    return Phrase([(preposition, "to")] * bool(to) + [(article, label + "0"), *english],
                  [*to, (le, label + "0"), *french], noun, plural, label, adjective)


def labelled(pattern, S, O, parts):
    """The (word, label) pairs of a pattern and its parts."""
    for piece in pattern.split():
        name = piece.strip("{}")
        if name in parts:
            yield from ((word, LABELS[name]) for word in parts[name].split())
        elif name in ("S", "O"):
            yield from S if name == "S" else O
        else:
            word, _, label = piece.partition("/")
            yield word, label or word


def pair_of(kind, verb, S, O, R, adjective):
    """The `Pair` of a rule with these parts; R is what its adjective and its pronoun are about."""
    base, third, il, ils, past, participle = [*VERBS[verb][:-1], "", ""][:6]
    many, are, enter = S.plural, R.plural, verb == "enter"  # il entre dans, elle est entrée dans
    he = 3 if are else agreeing(R.noun, 0, (0, 1)) if listed(R.noun, "person") else 2
    parts = {word: plural if (are if LABELS[word] == "is" else many) else word
             for word, plural in PLURAL.items()} | {
        "cross": base, "crosses": base if many else third, "crossed": past,
        "traverse": ils if many else il, "a": ("a", "ont", "est", "sont")[many + 2 * enter],
        "traversé": participle + agreeing(S.noun, many, ("", "e", "s", "es")) * enter,
        "tired": adjective, "fatigué": agreeing(R.noun, are, ADJECTIVES[adjective][1:]),
        "it": ("he", "she", "it", "they")[he], "him": ("him", "her", "it", "them")[he],
        "il": agreeing(R.noun, are, ("il", "elle", "ils", "elles")),
        "le": agreeing(R.noun, are, ("le", "la", "les", "les"))}
    source, labels = zip(*labelled(RULES[kind][2], S.english, O.english, parts))
    words = [*labelled(RULES[kind][3], S.french, [("dans", "verb")] * enter + O.french, parts)]
    french = []
    for (word, label), (following, _) in zip(words, words[1:] + words[-1:]):
        word = ELIDED.get(word, word) if vowel(following) else word
        if french and (french[-1][0], word) in CONTRACTED:
            before, first = french.pop()
            word, label = CONTRACTED[before, word], f"{first} {label}"
        french.append((word, label))
    target, partners = zip(*french)
    places = {}
    for s, label in enumerate(labels):
        places.setdefault(label, []).append(s)
    alignment = tuple((t, s) for t, names in enumerate(partners)
                      for label in names.split() for s in places[label])
    pronouns = [Pronoun(labels.index("it"), labels.index(R.label), partners.index("it"),
                        partners.index(R.label))] if "it" in labels else []
    return Pair(source, target, alignment, tuple(pronouns), kind)


@cache
def frames(kind):
    """The lines of `FRAMES` that a rule can take, with all nouns that they mean."""
    def nouns(names):
        return [noun for noun in NOUNS if listed(noun, names)]
    return [(verb, nouns(who), where, nouns(what), why.split())
            for verb, who, where, what, why in FRAMES if verb in RULES[kind][1].split()]


def scene(draw, kind):
    """Verb, subject, object; and what the rule can be about, each with the adjectives that fit."""
    verb, who, where, what, why = draw.choice(frames(kind))
    doer, thing = draw.choice(who), draw.choice(what)
    if doer == thing or kind.split()[0] in ("when", "object") and listed(doer, "vehicle"):
        return scene(draw, kind)  # nobody follows himself; a truck is not tired and does not see
    kinds = PLAIN if kind in ABOUT_IT else PLAIN | {"size", "state"}
    definite = "not" in kind or kind == "because"
    S = noun_phrase(draw, doer, "S", definite, kinds)
    O = noun_phrase(draw, thing, "O", definite, kinds, where)
    if kind == "because":
        return verb, S, O, [(S, why), (O, told(FAULTS, thing))]
    return verb, S, O, [(O if "object" in kind else S, ["tired", "sick", "weak", "scared"])]


def withheld(kind, S, O, R, adjective):
    """Whether two withheld words meet in a sentence; and whether they belong together there."""
    together = [(S.noun, S.adjective), (O.noun, O.adjective), (S.noun, O.noun)]
    together += [(R.noun, adjective)] * (kind in ABOUT_IT)
    words = {word for two in together for word in two}
    return (any(frozenset(two) in WITHHELD for two in combinations(words, 2)),
            any(frozenset(two) in WITHHELD for two in together))


# ---------------------------------------------------------------- splits
MOST = dict(training=100_000, held_out=20_000, compositional=10_000, minimal=5_000)
FAMOUS = ("cross", Phrase([("the", "S0"), ("animal", "S")], [("le", "S0"), ("animal", "S")],
                          "animal", False, "S", ""),
          Phrase([("the", "O0"), ("street", "O")], [("la", "O0"), ("rue", "O")],
                 "street", False, "O", ""))


def corpus(seed=0, training=20_000, held_out=1_000, compositional=1_000, minimal=500):
    """Return a `Corpus` of four tuples. No sentence is in two of them, or twice in one.

    training, held_out: how many pairs, drawn alike.
    compositional: how many pairs in which two words of `WITHHELD` belong together: subject and
        object, or adjective and noun. In training and held_out no such two meet in a sentence.
    minimal: how many minimal pairs: two `Pair`s whose English differs in the adjective alone, so
        that "it" is the subject in the first, the object in the second, and one of them "il", the
        other "elle". The first of all is about the animal that didn't cross the street.

    Raises `ValueError` for a seed that is no whole number, and a size below 0 or above `MOST`.
    """
    sizes = dict(training=training, held_out=held_out, compositional=compositional, minimal=minimal)
    for name, size in sizes.items():
        if type(size) is not int or not 0 <= size <= MOST[name]:
            raise ValueError(f"{name} is {size!r}; wanted a whole number from 0 to {MOST[name]}")
    if type(seed) is not int:
        raise ValueError(f"seed is {seed!r}; wanted a whole number")
    draw, taken, twins, plain, novel = random.Random(seed), set(), [], [], []
    while len(twins) < minimal:
        verb, S, O, about = scene(draw, "because")
        about = [(R, draw.choice(words)) for R, words in about]
        if not twins:
            (verb, S, O), about = FAMOUS, [(FAMOUS[1], "tired"), (FAMOUS[2], "wide")]
        elif (S.plural or O.plural or listed(S.noun, "person")
              or NOUNS[S.noun][2] == NOUNS[O.noun][2] or any(
                  withheld("because", S, O, *it)[0] for it in about)):
            continue  # the pronouns shall be "it", and "il" and "elle"
        two = tuple(pair_of("because", verb, S, O, *it) for it in about)
        if not taken & {pair.source for pair in two}:
            taken |= {pair.source for pair in two}
            twins.append(two)
    weights = [rule[0] for rule in RULES.values()]
    while len(plain) < training + held_out or len(novel) < compositional:
        kind, = draw.choices([*RULES], weights)
        verb, S, O, about = scene(draw, kind)
        R, words = draw.choice(about)
        adjective = draw.choice(words)
        met, together = withheld(kind, S, O, R, adjective)
        split, size = (novel, compositional) if together else (plain, training + held_out)
        if len(split) < size and (together or not met):
            pair = pair_of(kind, verb, S, O, R, adjective)
            if pair.source not in taken:
                taken.add(pair.source)
                split.append(pair)
    draw.shuffle(plain)  # short sentences soon repeat: the later ones are longer
    return Corpus(tuple(plain[held_out:]), tuple(plain[:held_out]), tuple(novel), tuple(twins))


def write(words, language):
    """The words as a sentence in print; `language` is "english" or "french".

    Raises `ValueError` for another language.
    """
    if language not in ("english", "french"):
        raise ValueError(f"language is {language!r}; wanted 'english' or 'french'")
    text = " ".join(words).replace("' ", "'").replace(" ,", ",").replace(" .", ".")
    text = text.replace(" ?", "?" if language == "english" else "\u202f?")  # a narrow space
    return text[:1].upper() + text[1:]
