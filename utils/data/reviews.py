"""Reviews of restaurants, and what is known about each: the sentence and the words that decide.

The label of a review is what its author says of the food in this place, and one sentence says it.
All others are about something else, often in the same words: another thing, another place, what
other people think. All is in lower case, without full stops.
"""

import random
from collections import namedtuple
from dataclasses import dataclass

# ---------------------------------------------------------------- words
# Three words for each label; labels 0 and 1 are opposites, and so are 2 and 3, and 4 and 5.
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
KINDS = {
    "evidence": (HERE, FOOD),
    "thing": (HERE, THINGS),
    "place": (ELSEWHERE, FOOD),
    "person": (OTHERS, FOOD),
    "filler": (HERE + ELSEWHERE + OTHERS, FOOD + THINGS),
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
    return [*words, draw.choice(INTENSIFIERS)] if draw.random() < INTENSE else words


def opposite(label):
    """The label of the opposite opinion: 0 and 1, 2 and 3, 4 and 5; None for no opinion."""
    return None if label is None else label ^ 1


def clause(draw, subjects, label):
    """Words such as "the soup was not very good", which mean "bad"; neutral ones for no label.

    A negation turns an opinion into its opposite, an intensifier changes nothing.
    """
    words = degree(draw)
    meant = opposite(label) if "not" in words else label
    adjectives = NEUTRAL if label is None else OPINIONS[LABELS[meant]]
    return ["the", draw.choice(subjects), "was", *words, draw.choice(adjectives)]


def sentence(draw, kind, label):
    """A sentence of this kind that means the label, and the indices of the words that decide.

    A second clause is about a thing and says the opposite, before or after the first: "here the
    room was cheap , but the soup was very expensive". A filler has no label: None.
    """
    frames, subjects = KINDS[kind]
    words = draw.choice(frames).split()
    one, after = clause(draw, subjects, label), []
    if draw.random() < BUT:
        other = clause(draw, THINGS, opposite(label))
        if draw.random() < 0.5:
            words += [*other, ",", "but"]
        else:
            after = [",", "but", *other]
    last = len(words) + len(one) - 1
    decide = (len(words) + one.index("not"), last) if "not" in one else (last,)
    return (*words, *one, *after), decide


def review(draw, sentences):
    """A `Review` of so many sentences: the evidence among decoys and, one in four, fillers."""
    label, decoys = draw.randrange(len(LABELS)), 3 * (sentences - 1) // 4
    kinds = ["evidence", *draw.choices(DECOYS, k=decoys), *["filler"] * (sentences - 1 - decoys)]
    draw.shuffle(kinds)
    evidence = kinds.index("evidence")
    meant = {"evidence": label, "filler": None}
    said = [sentence(draw, kind, meant.get(kind, draw.randrange(len(LABELS)))) for kind in kinds]
    return Review(
        tuple(words for words, _ in said), label, evidence, said[evidence][1], tuple(kinds)
    )


# ---------------------------------------------------------------- splits
LIMITS = dict(training=(0, 100_000), held_out=(0, 20_000), sentences=(1, 64))


def reviews(seed=0, training=4_000, held_out=1_000, sentences=16):
    """Return `Reviews`, two tuples of `Review`s drawn alike. No text is in both, or twice in one.

    training, held_out: how many reviews. sentences: how many sentences each of them has; 3 of 4
        beside the evidence are decoys (rounded down), which need 3 sentences or more.
    Raises `ValueError` for a seed that is no whole number, and a size outside of `LIMITS`.
    """
    sizes = dict(training=training, held_out=held_out, sentences=sentences)
    for name, size in sizes.items():
        least, most = LIMITS[name]
        if type(size) is not int or not least <= size <= most:
            raise ValueError(f"{name} is {size!r}; wanted a whole number from {least} to {most}")
    if type(seed) is not int:
        raise ValueError(f"seed is {seed!r}; wanted a whole number")
    draw, found = random.Random(seed), {}
    while len(found) < training + held_out:
        one = review(draw, sentences)
        found.setdefault(one.sentences, one)
    found = tuple(found.values())
    return Reviews(found[held_out:], found[:held_out])
