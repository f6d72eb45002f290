"""The reviews: each is read as a teacher would, by tables of its own, and many are counted."""

import hashlib
import re
from collections import Counter
from functools import cache

import pytest

from data.reviews import LABELS, Review, reviews

OPINIONS = {  # in pairs of opposites
    "bad": "bad|poor|dull", "good": "good|nice|great",
    "small": "small|little|tiny", "large": "large|big|huge",
    "expensive": "expensive|costly|dear", "cheap": "cheap|inexpensive|affordable",
}  # fmt: skip
MEANING = {word: i for i, name in enumerate(OPINIONS) for word in OPINIONS[name].split("|")}
OPPOSITE = {0: 1, 1: 0, 2: 3, 3: 2, 4: 5, 5: 4}
NEUTRAL = "new|old|warm|ready|french|red|round|local"
FOOD = "soup|salad|fish|steak|pizza|cake|burger|omelette"
THINGS = "room|garden|terrace|bar|table|kitchen|menu|band"
PLACE = "elsewhere|downtown|next door|at home|in town"
PERSON = "(?:they|she|he|friends|guides) (?:thought|said)"
FRAME = rf"({PLACE})|({PERSON})|here|tonight|i thought|i said"
ADJECTIVE = "|".join([*MEANING, NEUTRAL])
CLAUSE = rf"the (?:({FOOD})|{THINGS}) was (not )?(?:(?:really|very|so) )?({ADJECTIVE})"
SENTENCE = re.compile(rf"(?:(?:{FRAME}) )?{CLAUSE}(?: , but {CLAUSE})?")


def understood(sentences):
    """The `Review` of these sentences, from their words alone."""
    kinds = []
    for sentence in sentences:
        text = " ".join(sentence)
        match = SENTENCE.fullmatch(text)
        assert match, f"no sentence: {text}"
        meanings, kind = [], "thing"
        for food, negation, adjective in ((3, 4, 5), (6, 7, 8))[: 2 if match[8] else 1]:
            meaning = MEANING.get(match[adjective])
            if match[negation] and meaning is not None:
                meaning = OPPOSITE[meaning]
            meanings.append(meaning)
            if match[food]:
                assert kind == "thing", f"two clauses about food: {text}"
                kind, about = "evidence", meaning
                decide = [group for group in (negation, adjective) if match[group]]
                words = tuple(text[: match.start(group)].count(" ") for group in decide)
        if meanings[0] is None:
            kind = "filler"
        elif match[1] or match[2]:
            kind = "place" if match[1] else "person"
        elif kind == "evidence":
            label, decisive = about, words
        assert meanings[1:] in ([], [OPPOSITE.get(meanings[0])]), f"no contrast: {text}"
        kinds.append(kind)
    assert kinds.count("evidence") == 1, kinds
    return Review(sentences, label, kinds.index("evidence"), decisive, tuple(kinds))


@cache
def sample(sentences):
    return sum(reviews(1, 1_200, 400, sentences), ())


@pytest.mark.parametrize("sentences", [1, 16])
def test_every_review_is_true(sentences):
    """And no text is there twice."""
    assert len({review.sentences for review in sample(sentences)}) == 1_600
    decoys = 3 * (sentences - 1) // 4
    for review in sample(sentences):
        assert review == understood(review.sentences)
        assert len(review.kinds) == sentences
        assert sum(kind in ("thing", "place", "person") for kind in review.kinds) == decoys


def even(counts, size):
    """Whether counts of `size` things may come from a draw in which all are equally likely."""
    expected = sum(counts.values()) / size
    chi_squared = sum((counts[i] - expected) ** 2 / expected for i in range(size))
    return {*counts} <= {*range(size)} and chi_squared <= size - 1 + 5 * (2 * (size - 1)) ** 0.5


@pytest.mark.parametrize("sentences", [1, 16])
def test_labels_places_and_words_are_balanced(sentences):
    assert even(Counter(review.label for review in sample(sentences)), 6)
    for label in range(6):
        places = Counter(review.evidence for review in sample(sentences) if review.label == label)
        assert even(places, sentences)
    bags = {}  # kind: sets of words
    for review in sample(sentences):
        for kind, sentence in zip(review.kinds, review.sentences, strict=True):
            bags.setdefault(kind, []).append({*sentence})
    decoys = ["thing", "place", "person", "filler"] if sentences > 1 else []
    assert {*bags} == {"evidence", *decoys}
    for kind, sets in bags.items():
        words = Counter(word for bag in sets for word in bag)
        for word in ("not", "really", "very", "so", "but"):
            share = words[word] / len(sets)
            expected = sum(word in bag for bag in bags["evidence"]) / len(bags["evidence"])
            assert share > 0.05 and abs(share - expected) < 0.1, (kind, word)
        assert {*words} & {*MEANING} == ({*MEANING} if kind != "filler" else set()), kind
        assert kind == "thing" or {*FOOD.split("|")} <= {*words}, kind


def test_words_and_the_seed():
    """The same on every machine; what it is, the stored outputs of the pages depend on."""
    sentences = [sentence for review in sample(16) for sentence in review.sentences]
    words = {word for sentence in sentences for word in sentence}
    assert {*ADJECTIVE.split("|"), *THINGS.split("|")} <= words and len(words) == 68
    digest = hashlib.sha256(repr(reviews(3, 200, 50, 8)).encode()).hexdigest()
    assert digest == "04068895dd415e25af4b48cae148505a458d5225759c862c1636abed7fd0ac27"
    assert reviews(training=0, held_out=0) == ((), ())
    assert LABELS == tuple(OPINIONS) and reviews(3, 20, 5, 8) != reviews(4, 20, 5, 8)
