"""The scenes: every word read off the picture again, the splits, the errors.

`faults` reads pictures as a teacher would, with nothing from `utils.data.scenes`; then the
generator is broken on purpose, in one place at a time, and `faults` must see it.
"""

import colorsys
import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache

import numpy as np
import pytest
import torch

from tests import pages
from utils.data import scenes as module
from utils.data.scenes import scenes

# ---------------------------------------------------------------- what the teacher knows

COLOURS = {"red", "green", "blue", "yellow", "purple", "white"}
SHAPES = {"circle", "square", "triangle", "cross"}
NEVER = {("red", "triangle"), ("blue", "cross"), ("yellow", "circle"), ("purple", "square")}


def colour_of(pixel):
    hue, saturation, _ = colorsys.rgb_to_hsv(*pixel)
    if saturation < 0.1:
        return "white"
    degrees = hue * 360
    return ("red" if degrees < 20 or degrees > 340 else "yellow" if 40 < degrees < 65 else
            "green" if 100 < degrees < 150 else "blue" if 210 < degrees < 240 else
            "purple" if 270 < degrees < 300 else f"hue {degrees:.0f}")


def shape_of(cover):
    """cover: how much of each pixel of a box is covered, from 0 to 1."""
    corners = cover[[0, 0, -1, -1], [0, -1, 0, -1]] > 0.2
    if corners.all() and cover.min() > 0.99:
        return "square"
    if corners.tolist() == [False, False, True, True] and 0.45 < cover.mean() < 0.55:
        return "triangle"
    if not corners.any() and np.abs(cover - cover[::-1]).max() < 0.01:
        third = len(cover) // 3  # the middle row is covered, and the corners are empty
        if 0.74 < cover.mean() < 0.83:
            return "circle"
        if cover[(len(cover) - 1) // 2].min() > 0.99 and cover[:third, :third].max() < 0.01:
            return "cross"
    return "no shape"


def wrong_picture(image, boxes):
    """What is wrong with a picture without noise and clutter, and what its objects look like."""
    ground, wrong, looks = image[0, 0], [], []
    drawn = np.abs(image - ground).max(-1) > 0.001
    rest = drawn.copy()
    for left, top, right, bottom in boxes:
        rest[top:bottom, left:right] = False
        part, inside = image[top:bottom, left:right], drawn[top:bottom, left:right]
        if not (0 < left < right < len(image) and 0 < top < bottom < len(image)):
            wrong.append("box: not in the picture")
        elif not (inside[0].any() and inside[-1].any() and inside[:, 0].any()
                  and inside[:, -1].any()):
            wrong.append("box: not tight")
        else:
            far = np.abs(part - ground).sum(-1)
            pixel = part[np.unravel_index(far.argmax(), far.shape)]
            size = {7: "small", 10: "large"}.get(len(part), f"{len(part)} pixels")
            looks.append((size, colour_of(pixel), shape_of(far / far.max())))
    return wrong + ["box: something is drawn outside"] * bool(rest.any()), looks


def relation(one, other):
    """The word for two boxes, as far as it is plain to see."""
    found = []
    if other[0] - one[2] >= 3 and abs(other[1] + other[3] - one[1] - one[3]) <= 4:
        found += ["left of"]
    found += ["above"] * (other[1] - one[3] >= 3) + ["below"] * (one[1] - other[3] >= 3)
    if other[0] + other[2] - one[0] - one[2] < 8:
        found += ["not to the right"]
    return " or ".join(found) or "unclear"


def faults(corpus):
    """All that is wrong with a corpus without noise and clutter, in words."""
    seen = Counter()
    for name, part in corpus._asdict().items():
        images = part.images.permute(0, 2, 3, 1).numpy()
        for image, words, bound, boxes in zip(images, *part[1:3], part.boxes.tolist()):
            seen[image.tobytes()] += 1
            wrong, looks = wrong_picture(image, boxes)
            yield from wrong
            for i, one in enumerate(boxes):
                for two in boxes[:i]:
                    if max(one[0] - two[2], two[0] - one[2], one[1] - two[3], two[1] - one[3]) < 3:
                        yield "boxes: too near"
            if not wrong:
                caption = "a " + " ".join(looks[0])
                for i in range(1, len(looks)):
                    caption += f" {relation(*boxes[i - 1:i + 1])} a {' '.join(looks[i])}"
                if caption != " ".join(words):
                    yield f"caption: {' '.join(words)!r}; the picture shows {caption!r}"
            about = [word in COLOURS | SHAPES | {"small", "large"} for word in words]
            if list(bound) != [(sum(about[:t]) // 3 if is_about else -1)
                               for t, is_about in enumerate(about)]:
                yield f"bound: {bound} for {words}"
            if sum(look[1:] in NEVER for look in looks) != (name == "novel"):
                yield f"{name}: {looks}"
    if max(seen.values()) > 1:
        yield "the same scene twice"


# ---------------------------------------------------------------- the generator


def clean(monkeypatch, *arguments, **named):
    """A corpus without noise and clutter, of the scenes that the same call has with them."""
    monkeypatch.setattr(module, "NOISE", 1)
    monkeypatch.setattr(module, "DASHES", 0)
    return scenes(*arguments, **named)


@cache
def many(objects):
    return scenes(5, 2_000, 100, 100, objects)


@pytest.mark.parametrize("objects", [2, 3, 4])
def test_every_word_is_true_of_the_picture(monkeypatch, objects):
    corpus = clean(monkeypatch, 5, 600, 100, 200, objects)
    assert [len(part.captions) for part in corpus] == [600, 100, 200]
    for part in corpus:
        N = len(part.captions)
        assert part.images.shape == (N, 3, 32, 32) and part.boxes.shape == (N, objects, 4)
        assert part.images.dtype == torch.float32 and part.boxes.dtype == torch.int64
        assert 0 <= part.images.min() and part.images.max() <= 1 and len(part.bound) == N
    wrong = [*faults(corpus)]
    assert not wrong, f"{len(wrong)} faults, such as {wrong[:5]}"


@pytest.mark.parametrize("objects", [2, 4])
def test_noise_and_clutter_leave_the_objects_as_they_are(monkeypatch, objects):
    noisy = scenes(5, 300, 0, 0, objects).training
    plain = clean(monkeypatch, 5, 300, 0, 0, objects).training
    assert noisy[1:3] == plain[1:3] and torch.equal(noisy.boxes, plain.boxes)
    assert len({image.numpy().tobytes() for image in noisy.images}) == 300
    dashes = (noisy.images - plain.images).abs().amax(1) > 0.06
    assert 0.05 > (noisy.images - plain.images).abs().median() > 0.01
    assert 10 < dashes.float().sum((1, 2)).mean() < 18 and dashes.any(2).any(1).all()
    for dashed, boxes in zip(dashes, plain.boxes.tolist()):
        for left, top, right, bottom in boxes:
            assert not dashed[top - 1:bottom + 1, left - 1:right + 1].any()


def broken(name, what):
    """A function of the module whose result is spoilt by `what`."""
    whole = getattr(module, name)
    return lambda *arguments, **named: what(whole(*arguments, **named))


def twice(found):
    return np.concatenate([found[:len(found) // 2]] * 2 + [found[:len(found) % 2]])


@pytest.mark.parametrize("name, wrong", {
    "SIDES": {"small": 10, "large": 7},
    "COLOURS": module.COLOURS | {"red": module.COLOURS["blue"]},
    "SHAPES": module.SHAPES | {"circle": module.SHAPES["cross"]},
    "WITHHELD": module.WITHHELD[:3] + (("red", "square"),),
    "GAP": -4, "STEP": 1, "LEVEL": 9,
    "relations": broken("relations", lambda found: np.where(found > 0, 3 - found, found)),
    "places": broken("places", lambda boxes: boxes[:, ::-1]),
    "stencil": broken("stencil", lambda cover: np.pad(cover[:-1], ((0, 1), (0, 0)))),
    "pictures": broken("pictures", lambda images: images.swapaxes(1, 2)),
    "caption": broken("caption", lambda two: (two[0], tuple(i * (i < 1) for i in two[1]))),
    "drawn": broken("drawn", twice),
}.items(), ids=lambda value: value if isinstance(value, str) else "")
def test_a_broken_generator_is_seen(monkeypatch, name, wrong):
    monkeypatch.setattr(module, name, wrong)
    assert any(True for _ in faults(clean(monkeypatch, 0, 200, 50, 50)))


def test_a_novel_pair_in_training_is_seen(monkeypatch):
    whole = module.drawn
    monkeypatch.setattr(module, "drawn", lambda *sizes, novel: whole(*sizes, novel=not novel))
    said = {*faults(clean(monkeypatch, 0, 20, 20, 20))}
    assert {fault.split(":")[0] for fault in said} == {"training", "held_out", "novel"}


# ---------------------------------------------------------------- the splits


def pairs(part):
    return {(words[t], words[t + 1]) for words in part.captions
            for t in range(len(words) - 1) if words[t] in COLOURS}


@pytest.mark.parametrize("objects", [2, 3, 4])
def test_splits(objects):
    corpus = many(objects)
    pictures = [image.numpy().tobytes() for part in corpus for image in part.images]
    assert len(pictures) == len(set(pictures)) == 2_200
    every = {(colour, shape) for colour in COLOURS for shape in SHAPES}
    assert pairs(corpus.training) == every - NEVER  # all others are learned
    assert not pairs(corpus.held_out) & NEVER and pairs(corpus.novel) > NEVER
    words = {word for caption in corpus.training.captions for word in caption}
    assert {word for caption in corpus.novel.captions for word in caption} == words
    assert len(words) == 17


@pytest.mark.parametrize("objects", [2, 3, 4])
def test_statistics(objects):
    training = many(objects).training
    left, top, right, bottom = training.boxes.unbind(-1)
    share = ((right - left) * (bottom - top)).float().mean() / 32**2
    assert 0.05 < share < 0.08  # how often a point at random is in the box of a given object
    words = Counter(word for caption in training.captions for word in caption)
    N = len(training.captions) * objects
    for group, least in (({"small", "large"}, 0.15), (COLOURS, 0.12), (SHAPES, 0.2)):
        assert sum(words[word] for word in group) == N
        assert min(words[word] for word in group) > least * N
    relations = [words[word] / (N - N / objects) for word in ("left", "above", "below")]
    assert sum(relations) == pytest.approx(1) and min(relations) > 0.03  # "left of" is rare among four
    middles = (training.boxes[..., :2] + training.boxes[..., 2:]).float().flatten(0, 1) / 2
    assert (middles.mean(0) - 16).abs().max() < 0.5 and middles.std(0).min() > 5


# ---------------------------------------------------------------- seeds, errors

EVERYWHERE = "72d11613b01660b99381c10fa738a9eecc2e2f903734c050db54f8e89102a5e2"
DIGEST = """\
import hashlib
from utils.data.scenes import scenes
found = hashlib.sha256()
for part in scenes(3, 200, 50, 50, 3):
    found.update(part.images.numpy().tobytes() + part.boxes.numpy().tobytes())
    found.update(repr((part.captions, part.bound)).encode())
print(found.hexdigest())"""


def test_the_seed_determines_everything_on_every_machine():
    said = subprocess.run([sys.executable, "-c", DIGEST], cwd=pages.ROOT, check=True, text=True,
                          env=os.environ | {"PYTHONHASHSEED": "1"}, capture_output=True)
    found = hashlib.sha256()
    for part in scenes(3, 200, 50, 50, 3):
        found.update(part.images.numpy().tobytes() + part.boxes.numpy().tobytes())
        found.update(repr((part.captions, part.bound)).encode())
    assert found.hexdigest() == said.stdout.strip() == EVERYWHERE
    other = scenes(4, 200, 50, 50, 3)
    assert other.training.captions != scenes(3, 200, 50, 50, 3).training.captions


@pytest.mark.parametrize("arguments, message", [
    (dict(training=-1), "training is -1; wanted a whole number from 0 to 50000"),
    (dict(training=50_001), "training is 50001; wanted a whole number from 0 to 50000"),
    (dict(held_out=2.5), "held_out is 2.5; wanted a whole number from 0 to 50000"),
    (dict(novel="9"), "novel is '9'; wanted a whole number from 0 to 50000"),
    (dict(novel=True), "novel is True; wanted a whole number from 0 to 50000"),
    (dict(objects=1), "objects is 1; wanted a whole number from 2 to 4"),
    (dict(objects=5), "objects is 5; wanted a whole number from 2 to 4"),
    (dict(objects=None), "objects is None; wanted a whole number from 2 to 4"),
    (dict(seed=-1), "seed is -1; wanted a whole number from 0 to 4294967295"),
    (dict(seed=2**32), "seed is 4294967296; wanted a whole number from 0 to 4294967295"),
    (dict(seed=0.0), "seed is 0.0; wanted a whole number from 0 to 4294967295"),
])
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        scenes(**arguments)


def test_nothing_is_asked_for():
    for part in scenes(2**32 - 1, 0, 0, 0, 4):
        assert part.images.shape == (0, 3, 32, 32) and part.boxes.shape == (0, 4, 4)
        assert part.captions == part.bound == ()
