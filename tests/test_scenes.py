"""The scenes: every word is read off the picture again; then noise, splits, and the seed."""

import colorsys
import hashlib
from itertools import combinations, pairwise

import numpy as np
import pytest
import torch

from data import scenes as module
from data.scenes import scenes

# Degrees; what has no hue is white. How much of its box a shape covers; its upper, lower corners.
HUES = {"red": 0, "yellow": 51, "green": 128, "blue": 225, "purple": 283}
SHAPES = dict(circle=(0.78, 0, 0), square=(1, 1, 1), triangle=(0.5, 0, 1), cross=(0.58, 0, 0))
NEVER = {("red", "triangle"), ("blue", "cross"), ("yellow", "circle"), ("purple", "square")}
EVERY = {(colour, shape) for colour in [*HUES, "white"] for shape in SHAPES}


@pytest.fixture(scope="module", params=[2, 4])
def both(request):
    """A corpus, and the same scenes without noise and clutter."""
    arguments = 5, 400, 60, 100, request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "NOISE", 1)
        patch.setattr(module, "DASHES", 0)
        plain = scenes(*arguments)
    return scenes(*arguments), plain


def looks_of(image, boxes):
    """Size, colour and shape of the objects; in the picture there is nothing else."""
    far = np.abs(image - image[0, 0]).sum(-1)
    rest = far.copy()
    for left, top, right, bottom in boxes:
        assert 0 < left < right < len(image) and 0 < top < bottom < len(image)
        rest[top:bottom, left:right] = 0
        cover = far[top:bottom, left:right] / far[top:bottom, left:right].max()
        edges = cover[0], cover[-1], cover[:, 0], cover[:, -1]
        assert all(edge.max() > 0.001 for edge in edges), "the box is not tight"
        y, x = np.unravel_index(cover.argmax(), cover.shape)
        hue, saturation, _ = colorsys.rgb_to_hsv(*image[top + y, left + x])
        off = {name: abs((hue * 360 - HUES[name] + 180) % 360 - 180) for name in HUES}
        colour = "white" if saturation < 0.1 else next(name for name in HUES if off[name] < 10)
        corners = (cover[[0, -1, 0, -1], [0, 0, -1, -1]] > 0.2).tolist()
        like = {s: abs(cover.mean() - area) < 0.04 for s, (area, _, _) in SHAPES.items()}
        shape = [s for s, (_, *at) in SHAPES.items() if like[s] and corners == 2 * at]
        yield {7: "small", 10: "large"}[len(cover)], colour, *shape
    assert rest.max() < 0.001, "something is drawn outside of the boxes"


def test_every_word_is_true_of_the_picture(both):
    for name, part in both[1]._asdict().items():
        images = part.images.permute(0, 2, 3, 1).numpy()
        for image, words, bound, boxes in zip(images, *part[1:3], part.boxes.tolist(), strict=True):
            looks = [*looks_of(image, boxes)]
            text = "a " + " ".join(looks[0])
            for (a, b), look in zip(pairwise(boxes), looks[1:], strict=True):
                assert b[0] + b[2] - a[0] - a[2] >= 8  # to the right
                level = b[0] - a[2] >= 3 and abs(b[1] + b[3] - a[1] - a[3]) <= 4
                text += level * " left of" + (b[1] - a[3] >= 3) * " above"
                text += (a[1] - b[3] >= 3) * " below" + f" a {' '.join(look)}"
            assert " ".join(words) == text
            about = [word in " ".join(map(" ".join, looks)).split() for word in words]
            assert [*bound] == [sum(about[:t]) // 3 if is_look else -1 for t, is_look in enumerate(about)]
            assert sum(look[1:] in NEVER for look in looks) == (name == "novel")
            for a, b in combinations(boxes, 2):
                assert max(a[0] - b[2], b[0] - a[2], a[1] - b[3], b[1] - a[3]) >= 3


def test_noise_and_clutter_leave_the_objects_as_they_are(both):
    noisy, plain = (corpus.training for corpus in both)
    assert noisy[1:3] == plain[1:3] and torch.equal(noisy.boxes, plain.boxes)
    far = (noisy.images - plain.images).abs()
    dashes = far.amax(1) > 0.06
    assert 0.05 > far.median() > 0.01 and dashes.flatten(1).any(1).float().mean() > 0.98
    assert 9 < dashes.float().sum((1, 2)).mean() < 18
    for dashed, boxes in zip(dashes, plain.boxes.tolist(), strict=True):
        for left, top, right, bottom in boxes:
            assert not dashed[top - 1 : bottom + 1, left - 1 : right + 1].any()


def test_splits(both):
    objects = both[0].training.boxes.shape[1]
    for part, N in zip(both[0], (400, 60, 100), strict=True):
        assert part.images.shape == (N, 3, 32, 32) and part.images.dtype == torch.float32
        assert 0 <= part.images.min() and part.images.max() <= 1
        assert part.boxes.shape == (N, objects, 4) and part.boxes.dtype == torch.int64
    assert len({image.numpy().tobytes() for part in both[1] for image in part.images}) == 560
    pairs = [{two for words in part.captions for two in pairwise(words)} & EVERY for part in both[0]]
    assert pairs[0] == EVERY - NEVER and not pairs[1] & NEVER and pairs[2] > NEVER


def test_the_seed_determines_everything_on_every_machine():
    digest = hashlib.sha256()
    for part in scenes(3, 200, 50, 50, 3):
        digest.update(part.images.numpy().tobytes() + part.boxes.numpy().tobytes())
        digest.update(repr((part.captions, part.bound)).encode())
    expected = "72d11613b01660b99381c10fa738a9eecc2e2f903734c050db54f8e89102a5e2"
    assert digest.hexdigest() == expected
    empty = scenes(2**32 - 1, 0, 0, 0, 4).training
    assert (empty.images.shape, empty.boxes.shape) == ((0, 3, 32, 32), (0, 4, 4))
    assert scenes(4, 20, 0, 0).training.captions != scenes(3, 20, 0, 0).training.captions
