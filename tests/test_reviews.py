"""The reviews: read by a teacher with tables and rules of its own, counted, their splits, errors.

`wrong_text` reads each review as a teacher would, `wrong_counts` looks at many of them; neither uses
a word from `utils.data.reviews`. Then its source is broken on purpose, in one place at a time, and
one of the two must say what is wrong.
"""

import hashlib
import os
import re
import subprocess
import sys
import time
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch.nn import functional as F

from tests import pages
from utils.data import reviews as module
from utils.data.reviews import LABELS, Review, reviews

# ---------------------------------------------------------------- what the teacher knows

NAMES = "bad good small large expensive cheap".split()
OPINIONS = {"bad poor dull": 0, "good nice great": 1, "small little tiny": 2, "large big huge": 3,
            "expensive costly dear": 4, "cheap inexpensive affordable": 5}
OPINIONS = {word: label for words, label in OPINIONS.items() for word in words.split()}
OPPOSITE = {0: 1, 1: 0, 2: 3, 3: 2, 4: 5, 5: 4}
FOOD = set("soup salad fish steak pizza cake burger omelette".split())
THINGS = set("room garden terrace bar table kitchen menu band".split())
NEUTRAL = set("new old warm ready french red round local".split())
AUTHOR = {"", "here", "tonight", "i thought", "i said"}
PLACES = {"elsewhere", "downtown", "next door", "at home", "in town"}
CLAUSE = r"the (\w+) was (not )?(?:(?:really|very|so) )?(\w+)"
SENTENCE = re.compile(rf"(?:([a-z ]+?) )?{CLAUSE}(?: , but {CLAUSE})?")


def read(sentence):
    """The frame of a sentence and its clauses: noun, meaning or None, the words that decide."""
    text = " ".join(sentence)
    found = SENTENCE.fullmatch(text)
    if not found:
        return None
    clauses = []
    for group in (2, 5):
        if found[group]:
            noun, negated, adjective = found.group(group, group + 1, group + 2)
            decide = [len(text[:found.start(group + 2)].split())]
            meaning = OPINIONS.get(adjective)
            if meaning is None and adjective not in NEUTRAL or noun not in FOOD | THINGS:
                return None
            if negated:
                decide.insert(0, len(text[:found.start(group + 1)].split()))
                meaning = OPPOSITE.get(meaning)
            clauses.append((noun, meaning, tuple(decide)))
    return found[1] or "", clauses


def wrong_text(review):
    """All that is wrong with a review, in words."""
    evidence, kinds = [], []
    for i, sentence in enumerate(review.sentences):
        if (reading := read(sentence)) is None:
            return (yield f"no sentence: {' '.join(sentence)}")
        frame, clauses = reading
        said = re.fullmatch("(they|she|he|friends|guides) (thought|said)", frame)
        if frame not in AUTHOR | PLACES and not said:
            yield f"frame: {frame}"
        meanings = [meaning for _, meaning, _ in clauses]
        if len(clauses) == 2 and OPPOSITE.get(meanings[0]) != meanings[1]:
            yield f"no contrast: {' '.join(sentence)}"
        food = [clause for clause in clauses if clause[0] in FOOD]
        if len(food) == 2:
            yield f"two clauses about food: {' '.join(sentence)}"
        if set(meanings) == {None}:
            kinds.append("filler")
        elif frame in AUTHOR:
            kinds.append("evidence" if food else "thing")
            evidence += [(i, *clause) for clause in food]
        else:
            kinds.append("place" if frame in PLACES else "person")
    if tuple(kinds) != review.kinds:
        yield f"kinds: {kinds}, and not {review.kinds}"
    if len(evidence) != 1:
        return (yield f"evidence: {len(evidence)} sentences")
    (place, _, label, decide), = evidence
    for name, wanted in dict(evidence=place, label=label, words=decide).items():
        if getattr(review, name) != wanted:
            yield f"{name}: {getattr(review, name)}, wanted {wanted}"
    decoys = sum(kind in ("thing", "place", "person") for kind in kinds)
    if decoys != 3 * (len(kinds) - 1) // 4:
        yield f"decoys: {decoys} among {len(kinds)} sentences"


def uneven(counts, size):
    """Whether counts of `size` things that are equally likely differ too much."""
    expected = sum(counts.values()) / size
    chi_squared = sum((counts[i] - expected) ** 2 / expected for i in range(size))
    return set(counts) - set(range(size)) or chi_squared > size - 1 + 5 * (2 * (size - 1)) ** 0.5


def wrong_counts(found):
    """What is wrong with many reviews of one length, in words."""
    everything = [*found.training, *found.held_out]
    n = len(everything[0].sentences)
    if len({review.sentences for review in everything}) < len(everything):
        yield "a text is there twice"
    if any(len(review.sentences) != n for review in everything):
        yield "not all have the same length"
    if uneven(Counter(review.label for review in everything), 6):
        yield "labels: not balanced"
    if uneven(Counter(review.evidence for review in everything), n):
        yield "evidence: not everywhere in the document"
    for label in range(6):
        if uneven(Counter(one.evidence for one in everything if one.label == label), n):
            yield f"evidence: where it stands tells about label {label}"
    by_kind, total, vocabulary = {}, Counter(), {}
    for review in everything:
        for kind, sentence in zip(review.kinds, review.sentences):
            by_kind.setdefault(kind, Counter()).update(set(sentence))
            total[kind] += 1
    for word in ("not", "really", "very", "so", "but"):
        share = {kind: by_kind[kind][word] / total[kind] for kind in by_kind}
        if not all(0.05 < one and abs(one - share["evidence"]) < 0.1 for one in share.values()):
            yield f"{word!r} tells about the kind: {share}"
    for kind in by_kind:
        vocabulary[kind] = {word for word in by_kind[kind] if word in OPINIONS}
        if vocabulary[kind] != (set() if kind == "filler" else set(OPINIONS)):
            yield f"opinions: {vocabulary[kind]} in {kind}"
        if kind != "thing" and not FOOD <= set(by_kind[kind]):
            yield f"food: not all in {kind}"
    if n > 2 and set(by_kind) != {"evidence", "thing", "place", "person"} | (
            {"filler"} if n > 3 else set()):
        yield f"kinds: only {set(by_kind)}"


def guessed(found):
    """How often logistic regression on the counts of words is right on held-out reviews."""
    words = sorted({word for review in found.training for s in review.sentences for word in s})
    column = {word: i for i, word in enumerate(words)}

    def counts(part):
        x = torch.zeros(len(part), len(words))
        for row, review in zip(x, part):
            for word, count in Counter(w for s in review.sentences for w in s).items():
                row[column[word]] = count
        return x, torch.tensor([review.label for review in part])

    (x, y), (x_test, y_test) = map(counts, found)
    W, b = torch.zeros(len(words), 6, requires_grad=True), torch.zeros(6, requires_grad=True)
    optimizer = torch.optim.LBFGS([W, b], max_iter=25, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(x @ W + b, y) + 1e-3 * W.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return ((x_test @ W + b).argmax(-1) == y_test).float().mean().item()


# ---------------------------------------------------------------- the generator


@cache
def some(sentences, training=1_200, held_out=400):
    return reviews(1, training, held_out, sentences)


@pytest.mark.parametrize("sentences", [1, 2, 3, 4, 8, 16, 64])
def test_every_review_is_right(sentences):
    found = some(sentences) if sentences < 64 else reviews(1, 150, 50, 64)
    assert [len(part) for part in found] == ([1_200, 400] if sentences < 64 else [150, 50])
    wrong = [fault for part in found for review in part for fault in wrong_text(review)]
    assert not wrong, f"{len(wrong)} faults, such as {wrong[:5]}"
    assert {len(review.sentences) for part in found for review in part} == {sentences}


@pytest.mark.parametrize("sentences", [1, 4, 8, 16])
def test_many_reviews_are_right(sentences):
    assert not [*wrong_counts(some(sentences))]


def test_the_splits_share_no_review():
    for sentences in (1, 16):
        training, held_out = ({review.sentences for review in part} for part in some(sentences))
        assert len(training) == 1_200 and len(held_out) == 400 and not training & held_out


def test_words():
    words = {word for part in some(16) for review in part for s in review.sentences for word in s}
    assert set(OPINIONS) | FOOD | THINGS | NEUTRAL <= words and len(words) == 68
    assert list(LABELS) == NAMES
    lengths = [len(s) for part in some(16) for review in part for s in review.sentences]
    assert min(lengths) == 4 and max(lengths) == 16 and 10 < sum(lengths) / len(lengths) < 11


@pytest.mark.parametrize("sentences, least, most", [(4, 0.22, 0.42),
                                                    (8, 0.18, 0.33), (16, 0.14, 0.27)])
def test_counts_of_words_do_not_give_the_label(sentences, least, most, record_property):
    right = guessed(reviews(2, 2_000, 600, sentences))
    record_property("said", f"{sentences} sentences: counts of words give {right:.1%} (chance 16.7%)")
    assert least < right < most


def test_it_is_fast():
    start = time.process_time()
    reviews(5, 9_000, 1_000, 16)
    assert time.process_time() - start < 5


# ---------------------------------------------------------------- broken on purpose

BROKEN = [  # what stands in the source, what shall stand there, what the teacher must say
    ('opposite(label) if "not" in words else label', "label", "label:|no contrast:"),
    ('opposite(label) if "not" in words', "opposite(label) if words", "label:|no contrast:"),
    ("else label ^ 1", "else (label + 1) % 6", "label:|no contrast:"),
    ("clause(draw, THINGS, opposite(label))", "clause(draw, THINGS, label)", "no contrast:"),
    ("clause(draw, THINGS, opposite(label))", "clause(draw, subjects, opposite(label))",
     "two clauses about"),
    ("len(words) + len(one) - 1", "len(one) - 1", "words:"),
    ("else (last,)", "else (last - 1,)", "words:"),
    ('(len(words) + one.index("not"), last)', "(last,)", "words:"),
    ("len(words) + one.index", "one.index", "words:"),
    ('"person": (OTHERS, FOOD)', '"person": (OTHERS + HERE, FOOD)', "kinds:|evidence: 2"),
    ('"place": (ELSEWHERE, FOOD)', '"place": (ELSEWHERE, THINGS)', "food: not all"),
    ('"thing": (HERE, THINGS)', '"thing": (HERE, THINGS + FOOD)', "kinds:|evidence: 2"),
    ('"evidence": (HERE, FOOD)', '"evidence": (HERE + OTHERS, FOOD)', "evidence: 0|kinds:"),
    ('"i thought", "i said"', '"i thought", "she said"', "evidence: 0|kinds:"),
    ("NEUTRAL if label", 'OPINIONS["bad"] if label', "kinds:|evidence: 2|no contrast:"),
    ('("small", "little", "tiny")', '("small", "little", "great")', "label:|no contrast:"),
    ('("bad", "poor", "dull")', '("bad", "poor", "sad")', "no sentence:"),
    ('kinds.index("evidence")', "0", "evidence:"),
    ('kinds.index("evidence")', 'len(kinds) - 1 - kinds[::-1].index("evidence")', None),
    ("    draw.shuffle(kinds)\n", "", "evidence: not everywhere"),
    ("    draw.shuffle(kinds)\n", "    kinds.sort(key=lambda k: (k != 'evidence') * "
     "(draw.random() + (k == 'filler')))\n", "evidence: not everywhere"),
    ("3 * (sentences - 1) // 4", "3 * (sentences - 1) // 5", "decoys:"),
    ("draw.choices(DECOYS, k=decoys)", 'draw.choices(["place"], k=decoys)', "kinds: only"),
    ("meant.get(kind, draw.randrange(len(LABELS)))",
     "meant.get(kind, label if draw.random() < 0.3 else draw.randrange(len(LABELS)))", "guessed"),
    ("draw.randrange(len(LABELS)), 3", "min(draw.randrange(7), 5), 3", "labels: not balanced"),
    ("found.setdefault(one.sentences, one)", "found[len(found)] = one", "twice"),
    ("found[held_out:], found[:held_out]", "found[:-held_out], found[:held_out]", "twice"),
    ("[*words, draw.choice(INTENSIFIERS)] if", "[*words, draw.choice(INTENSIFIERS[1:])] if",
     "'really' tells"),
    ("if draw.random() < BUT", 'if kind != "evidence" and draw.random() < BUT', "tells about the kind"),
    ("if draw.random() < NOT", "if draw.random() < NOT / 20", "'not' tells"),
    ("random.Random(seed)", "random.Random()", "other reviews for the same seed"),
]


def all_faults(generate):
    """What is wrong with what `generate` gives, first of single reviews, then of many."""
    for sentences in (16, 1):
        found = generate(1, 500, 200, sentences)
        for part in found:
            for review in part:
                yield from wrong_text(review)
        yield from wrong_counts(found)
    if generate(3, 50, 0, 4) != generate(3, 50, 0, 4):
        yield "other reviews for the same seed"
    if (right := guessed(generate(2, 2_000, 600, 16))) > 0.27:
        yield f"guessed from counts of words: {right:.2f}"


SOURCE = Path(module.__file__).read_text(encoding="utf-8")


@pytest.mark.parametrize("old, new, words", BROKEN, ids=[f"{i}" for i in range(len(BROKEN))])
def test_a_broken_generator_is_seen(old, new, words):
    assert SOURCE.count(old) == 1
    broken = ModuleType("broken")
    exec(SOURCE.replace(old, new), vars(broken))
    first = next(all_faults(broken.reviews), None)
    if words is None:  # the same in other words: not to be seen
        assert first is None
    else:
        assert first and re.match(words if ":" in words else f".*({words})", first), first


def test_a_broken_review_is_seen():
    right = Review((("the", "soup", "was", "not", "good"),), 0, 0, (3, 4), ("evidence",))
    assert not [*wrong_text(right)]
    for changes in (dict(label=1), dict(evidence=1), dict(words=(4,)), dict(words=(4, 3)),
                    dict(kinds=("place",)), dict(sentences=(("the", "soup", "was", "good"),)),
                    dict(sentences=(("she", "said", *right.sentences[0]),)),
                    dict(sentences=(("the", "room", "was", "not", "good"),)),
                    dict(sentences=((),)), dict(sentences=right.sentences * 2)):
        assert [*wrong_text(Review(**{**vars(right), **changes}))], changes


# ---------------------------------------------------------------- seeds, errors

ASK = "reviews(3, 200, 50, 8)"
DIGEST = ("import hashlib; from utils.data.reviews import reviews; "
          f"print(hashlib.sha256(repr({ASK}).encode()).hexdigest())")


def test_the_seed_determines_everything_in_every_process():
    here = hashlib.sha256(repr(eval(ASK)).encode()).hexdigest()
    for hash_seed in ("1", "2"):
        said = subprocess.run([sys.executable, "-c", DIGEST], cwd=pages.ROOT, check=True,
                              env=os.environ | {"PYTHONHASHSEED": hash_seed}, capture_output=True,
                              text=True)
        assert said.stdout.strip() == here
    assert reviews(3, 200, 50, 8) != reviews(4, 200, 50, 8)


@pytest.mark.parametrize("arguments, message", [
    (dict(training=-1), "training is -1; wanted a whole number from 0 to 100000"),
    (dict(training=100_001), "training is 100001; wanted a whole number from 0 to 100000"),
    (dict(held_out=2.5), "held_out is 2.5; wanted a whole number from 0 to 20000"),
    (dict(held_out=20_001), "held_out is 20001; wanted a whole number from 0 to 20000"),
    (dict(sentences=0), "sentences is 0; wanted a whole number from 1 to 64"),
    (dict(sentences=65), "sentences is 65; wanted a whole number from 1 to 64"),
    (dict(sentences="16"), "sentences is '16'; wanted a whole number from 1 to 64"),
    (dict(training=True), "training is True; wanted a whole number from 0 to 100000"),
    (dict(seed=None), "seed is None; wanted a whole number"),
    (dict(seed=1.0), "seed is 1.0; wanted a whole number"),
])
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        reviews(**arguments)


def test_nothing_is_asked_for():
    assert reviews(training=0, held_out=0) == ((), ())
    assert len(reviews(training=0, held_out=3).held_out) == 3
