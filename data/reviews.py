"""Reviews of restaurants, and what is known about each: the sentence and the words that decide.

The label of a review is what its author says of the food in this place, and one sentence says it.
All others are about something else, often in the same words: another thing, another place, what
other people think. All is in lower case, without full stops.

To add a word for an opinion: `OPINIONS`. To add a label: two lines there, it and its opposite. To
add a dish or a thing: `FOOD`, `THINGS`. To add a kind of sentence: `KINDS`, and `DECOYS` if it has
an opinion. `tests/test_reviews.py` then understands every sentence by tables of its own, to which
you add the word, too: it checks what each means and that all are equally frequent. Its digest
changes.
"""

import random
from collections import namedtuple
from dataclasses import dataclass

# ---------------------------------------------------------------- words
# Words for each label; the first two labels are opposites, and so are the next two, and so on.
OPINIONS = {
    "bad": ("bad", "poor", "dull"),
    "good": ("good", "nice", "great"),
    "small": ("small", "little", "tiny"),
    "large": ("large", "big", "huge"),
    "expensive": ("expensive", "costly", "dear"),
    "cheap": ("cheap", "inexpensive", "affordable"),
}
LABELS = tuple(OPINIONS)  # what the labels 0 to 5 mean
NEUTRAL = "new", "old", "warm", "ready", "french", "red", "round", "local"  # no opinion
INTENSIFIERS = "really", "very", "so"
FOOD = "soup", "salad", "fish", "steak", "pizza", "cake", "burger", "omelette"
THINGS = "room", "garden", "terrace", "bar", "table", "kitchen", "menu", "band"
HERE = "", "here", "tonight", "i thought", "i said"  # the author, about this place
ELSEWHERE = "elsewhere", "downtown", "next door", "at home", "in town"
OTHERS = tuple(
    f"{who} {said}"
    for who in ("they", "she", "he", "friends", "guides")
    for said in ("thought", "said")
)
# How a sentence of each kind begins, and what it is about. "evidence" carries the label; "thing",
# "place" and "person" are decoys; a "filler" has no opinion.
Kind = namedtuple("Kind", "beginnings subjects")
KINDS = {
    "evidence": Kind(HERE, FOOD),
    "thing": Kind(HERE, THINGS),
    "place": Kind(ELSEWHERE, FOOD),
    "person": Kind(OTHERS, FOOD),
    "filler": Kind(HERE + ELSEWHERE + OTHERS, FOOD + THINGS),
}
DECOYS = "thing", "place", "person"
NOT, INTENSE, BUT = 0.4, 0.25, 0.6  # how often: "not", an intensifier, a second clause


@dataclass(frozen=True)
class Review:
    """A document of many sentences, one of which carries the label."""

    sentences: tuple  # tuples of words
    label: int  # 0 to 5, an index into `LABELS`
    evidence: int  # index of the sentence with what the author says of the food here
    words: tuple  # indices, in that sentence, of what decides: "good", or "not" and "good"
    kinds: tuple  # of each sentence, a key of `KINDS`


Reviews = namedtuple("Reviews", "training held_out")


# ---------------------------------------------------------------- sentences
def degree(draw):
    """The words before an adjective: perhaps "not", perhaps an intensifier."""
    words = ["not"] if draw.random() < NOT else []
    if draw.random() < INTENSE:
        words.append(draw.choice(INTENSIFIERS))
    return words


def opposite(label):
    """The label of the opposite opinion: 1 for 0, 0 for 1, 3 for 2, and so on; None stays None."""
    if label is None:
        return None
    return label + 1 if label % 2 == 0 else label - 1


def clause(draw, subjects, label):
    """Words such as "the soup was not very good", which mean "bad"; neutral ones for no label.

    A negation turns an opinion into its opposite, an intensifier changes nothing.
    """
    before = degree(draw)
    literal = opposite(label) if "not" in before else label
    adjectives = NEUTRAL if label is None else OPINIONS[LABELS[literal]]
    return ["the", draw.choice(subjects), "was", *before, draw.choice(adjectives)]


def sentence(draw, kind, label):
    """A sentence of this kind that means the label, and the indices of the words that decide.

    A second clause is about a thing and says the opposite, before or after the first: "here the
    room was cheap , but the soup was very expensive". A filler has no label: None.
    """
    before, after = draw.choice(KINDS[kind].beginnings).split(), []
    main = clause(draw, KINDS[kind].subjects, label)
    if draw.random() < BUT:
        contrast = clause(draw, THINGS, opposite(label))
        if draw.random() < 0.5:
            before += [*contrast, ",", "but"]
        else:
            after = [",", "but", *contrast]
    deciding = [len(before) + main.index("not")] if "not" in main else []
    deciding.append(len(before) + len(main) - 1)  # the adjective
    return (*before, *main, *after), tuple(deciding)


def review(draw, sentences):
    """A `Review` of so many sentences: the evidence among decoys and, one in four, fillers."""
    label, decoys = draw.randrange(len(LABELS)), 3 * (sentences - 1) // 4
    kinds = ["evidence", *draw.choices(DECOYS, k=decoys), *["filler"] * (sentences - 1 - decoys)]
    draw.shuffle(kinds)
    evidence = kinds.index("evidence")
    meant = {"evidence": label, "filler": None}
    texts = [sentence(draw, kind, meant.get(kind, draw.randrange(len(LABELS)))) for kind in kinds]
    return Review(
        tuple(words for words, _ in texts), label, evidence, texts[evidence][1], tuple(kinds)
    )


# ---------------------------------------------------------------- splits
def reviews(seed=0, training=4_000, held_out=1_000, sentences=16):
    """Return `Reviews`, two tuples of `Review`s drawn alike. No text is in both, or twice in one.

    training, held_out: how many reviews. sentences: how many sentences each of them has; 3 of 4
        beside the evidence are decoys (rounded down), which need 3 sentences or more.
    """
    draw, corpus = random.Random(seed), {}
    while len(corpus) < training + held_out:
        candidate = review(draw, sentences)
        corpus.setdefault(candidate.sentences, candidate)
    corpus = tuple(corpus.values())
    return Reviews(corpus[held_out:], corpus[:held_out])
