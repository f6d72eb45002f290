"""Small pictures of a few objects, captions that are true of them, and what each word is about.

A caption names the objects from left to right, so that the picture determines every word of it.
Colours and positions are whole numbers until the last step: a seed gives the same pictures on
every machine.

To add a colour or a shape: a line in `COLOURS` or `SHAPES`. To add a size: `SIDES`. Then
`tests/test_scenes.py` reads every word off the picture again, by tables of its own, to which you
add the hue of the colour, how much of its box the shape covers, or the side. Its digest changes.
"""

from collections import namedtuple
from itertools import combinations

import numpy as np
import torch

SIZE = 32  # pixels of a picture's side
SIDES = {"small": 7, "large": 10}  # pixels of an object's side
COLOURS = {
    "red": (215, 45, 40),
    "green": (45, 160, 60),
    "blue": (50, 95, 225),
    "yellow": (240, 215, 50),
    "purple": (150, 60, 185),
    "white": (245, 245, 245),
}
SHAPES = {  # whether a point belongs to it, of which x and y run from -1 to 1, times the side
    "circle": lambda x, y, side: x * x + y * y <= side * side,
    "square": lambda x, y, side: x == x,
    "triangle": lambda x, y, side: 2 * abs(x) <= y + side,
    "cross": lambda x, y, side: 3 * np.minimum(abs(x), abs(y)) <= side,
}
RELATIONS = ("left", "of"), ("above",), ("below",)  # how an object lies to the next one named
# Never in training or in the held-out scenes; one such object is in each scene of `novel`.
WITHHELD = (("red", "triangle"), ("blue", "cross"), ("yellow", "circle"), ("purple", "square"))
GREYS = 40, 90  # the ground is one of these greys, from 0 to 255
NOISE = 24  # and at each pixel and channel up to half of this is added or taken
DASHES = 6  # lines of 3 pixels that are no object, in the colours of objects
GAP = 3  # pixels between the columns or the rows of two boxes; the rows, if one is higher
STEP = 4  # pixels from the middle of an object to that of the next, to the right, at least
LEVEL = 2  # pixels between the heights of two middles that are level, at most

# images (N, 3, SIZE, SIZE): float32, red, green and blue from 0 to 1; y runs down.
# captions: N tuples of words. bound: N tuples, for each word the index of its object, or -1.
# boxes (N, objects, 4): int64, left, top, right, bottom of each object in pixels, in the order of
#     the caption; it fills columns left to right - 1 and rows top to bottom - 1.
Scenes = namedtuple("Scenes", "images captions bound boxes")
Corpus = namedtuple("Corpus", "training held_out novel")


# ---------------------------------------------------------------- what is where
def relations(boxes):
    """How each object lies to the next, as an index into `RELATIONS`; -1 if that is not clear.

    boxes: (N, objects, 4), from left to right. Returns (N, objects - 1).
    """
    first, second = boxes[:, :-1], boxes[:, 1:]
    dx, dy = np.moveaxis(second[..., :2] + second[..., 2:] - first[..., :2] - first[..., 2:], -1, 0)
    left_of = (abs(dy) <= 2 * LEVEL) & (second[..., 0] - first[..., 2] >= GAP)
    above, below = second[..., 1] - first[..., 3] >= GAP, first[..., 1] - second[..., 3] >= GAP
    clear = (dx >= 2 * STEP) & (left_of | above | below)
    return np.where(clear, np.select([left_of, above], [0, 1], 2), -1)


def places(random, count, objects):
    """Boxes (at most count, objects, 4) that do not touch and whose relations are clear."""
    sides = np.array([*SIDES.values()])
    sides = sides[random.randint(len(sides), size=(count, objects, 1), dtype=np.int32)]
    left = random.randint(1, SIZE - STEP * (objects - 1), size=(count, objects), dtype=np.int32)
    left = np.sort(left, axis=1) + STEP * np.arange(objects)
    top = random.randint(1, SIZE, size=(count, objects), dtype=np.int32)
    shift = random.randint(-LEVEL, LEVEL + 1, size=(count, objects), dtype=np.int32)
    for i in range(1, objects):  # or too few would be level
        beside = top[:, i - 1] + (sides[:, i - 1, 0] - sides[:, i, 0]) // 2 + shift[:, i]
        top[:, i] = np.where(random.randint(5, size=count, dtype=np.int32), top[:, i], beside)
    corners = np.stack([left, top], axis=-1)
    boxes = np.concatenate([corners, corners + sides], axis=-1)
    boxes = boxes[((boxes > 0) & (boxes < SIZE)).all((1, 2))]
    boxes = boxes[(relations(boxes) >= 0).all(1)]
    return boxes[apart(boxes)]


def apart(boxes):
    """Whether there is a gap between any two boxes of a scene: (N,)."""
    fits = np.ones(len(boxes), bool)
    for i, j in combinations(range(boxes.shape[1]), 2):
        first, second = boxes[:, i], boxes[:, j]
        gaps = np.maximum(first[:, :2] - second[:, 2:], second[:, :2] - first[:, 2:])
        fits &= gaps.max(1) >= GAP
    return fits


def drawn(random, count, objects, novel):
    """Distinct scenes (count, objects, 6): left, top, right, bottom, number of colour and shape."""
    every = [(colour, shape) for colour in COLOURS for shape in SHAPES]
    known, unseen = (
        np.array([([*COLOURS].index(colour), [*SHAPES].index(shape)) for colour, shape in pairs])
        for pairs in ([pair for pair in every if pair not in WITHHELD], WITHHELD)
    )
    samples = np.empty((0, objects, 6), np.int64)
    while len(samples) < count:
        boxes = places(random, 20_000, objects)
        N = len(boxes)
        looks = known[random.randint(len(known), size=(N, objects), dtype=np.int32)]
        if novel:
            which = random.randint(objects, size=N, dtype=np.int32)
            looks[range(N), which] = unseen[random.randint(len(unseen), size=N, dtype=np.int32)]
        samples = np.concatenate([samples, np.concatenate([boxes, looks], axis=-1)])
        samples = samples[np.sort(np.unique(samples, axis=0, return_index=True)[1])]
    return samples[:count]


# ---------------------------------------------------------------- pictures and words
def stencil(shape, side):
    """How much of each pixel the shape covers, from 0 to 16: (side, side)."""
    points = 2 * np.arange(4 * side) + 1 - 4 * side  # 4 x 4 points in a pixel
    inside = SHAPES[shape](points, points[:, None], 4 * side) & np.ones((4 * side, 1), bool)
    return inside.reshape(side, 4, side, 4).sum((1, 3))


def stencils():
    """The stencils of all shapes and sides: (shape, side, row, column)."""
    largest = max(SIDES.values())
    masks = np.zeros((len(SHAPES), largest + 1, largest, largest), np.int16)
    for i, shape in enumerate(SHAPES):
        for side in SIDES.values():
            masks[i, side, :side, :side] = stencil(shape, side)
    return masks


def pictures(random, scenes):
    """The pictures of such scenes: uint8 (N, SIZE, SIZE, 3)."""
    N, objects, _ = scenes.shape
    largest = max(SIDES.values())
    ground = random.randint(*GREYS, size=(N, 1, 1, 1), dtype=np.int32).astype(np.int16)
    canvas = np.tile(ground, (1, SIZE + largest, SIZE + largest, 3))  # objects may hang over
    add_dashes(random, canvas)
    for i in range(objects):
        add_objects(canvas, ground, scenes[:, i])
    canvas = canvas[:, :SIZE, :SIZE]
    noise = np.frombuffer(random.bytes(canvas.size), np.uint8).reshape(canvas.shape)
    return np.clip(canvas + noise % NOISE - NOISE // 2, 0, 255).astype(np.uint8)


def add_dashes(random, canvas):
    """Draw lines of 3 pixels, across or down, into each picture."""
    N, colours = len(canvas), np.array([*COLOURS.values()], np.int16)
    for _ in range(DASHES):
        x, y = random.randint(SIZE - 2, size=(2, N, 1), dtype=np.int32)
        across = random.randint(2, size=(N, 1), dtype=np.int32)
        colour = colours[random.randint(len(colours), size=N, dtype=np.int32)]
        xs, ys = x + across * np.arange(3), y + (1 - across) * np.arange(3)
        canvas[np.arange(N)[:, None], ys, xs] = colour[:, None]


def add_objects(canvas, ground, objects):
    """Draw one object into each picture, with a rim of ground around it. objects: (N, 6)."""
    left, top, right, bottom, colour, shape = objects.T
    colours, reach = np.array([*COLOURS.values()], np.int16), np.arange(-1, max(SIDES.values()) + 1)
    ys, xs = top[:, None] + reach, left[:, None] + reach
    near = (ys <= bottom[:, None])[:, :, None] & (xs <= right[:, None])[:, None]
    covered = np.pad(stencils()[shape, right - left], ((0, 0), (1, 1), (1, 1)))[..., None]
    where = np.arange(len(objects))[:, None, None], ys[:, :, None], xs[:, None]
    drawing = ground + (colours[colour][:, None, None] - ground) * covered // 16
    canvas[where] = np.where(near[..., None], drawing, canvas[where])


def caption(looks, steps):
    """The words and what they are bound to. looks: size, colour and shape of each object."""
    words, bound = [], []
    for i, look in enumerate(looks):
        between = (*RELATIONS[steps[i - 1]], "a") if i else ("a",)
        words += [*between, *look]
        bound += [-1] * len(between) + [i] * len(look)
    return tuple(words), tuple(bound)


def with_words(random, scenes):
    """The `Scenes` of such whole numbers."""
    size_of = {side: size for size, side in SIDES.items()}
    colours, shapes, boxes = [*COLOURS], [*SHAPES], scenes[..., :4]
    pairs = []
    for scene, steps in zip(scenes.tolist(), relations(boxes).tolist()):
        looks = [
            (size_of[right - left], colours[colour], shapes[shape])
            for left, _, right, _, colour, shape in scene
        ]
        pairs.append(caption(looks, steps))
    images = torch.from_numpy(pictures(random, scenes)).permute(0, 3, 1, 2)
    return Scenes(
        images.float().contiguous() / 255,
        tuple(words for words, _ in pairs),
        tuple(bound for _, bound in pairs),
        torch.from_numpy(boxes.copy()),
    )


def scenes(seed=0, training=10_000, held_out=1_000, novel=1_000, objects=2):
    """Return a `Corpus` of three `Scenes`; no scene is in two of them, or twice in one.

    training, held_out: how many scenes, drawn alike, without the pairs of `WITHHELD`.
    novel: how many scenes in which one object has such a colour and shape, the others not.
    objects: how many there are in a scene, from 2 to 4.

    A caption is "a small red circle left of a large blue square", or has "above" or "below" for
    "left of", and goes on in the same way. Objects are named from left to right. One is "left of"
    the next if they are level, and else "above" or "below" it: then all of it is higher, or lower.
    """
    random = np.random.RandomState(seed)  # its numbers are the same in every version
    plain = drawn(random, training + held_out, objects, novel=False)
    unseen = drawn(random, novel, objects, novel=True)
    return Corpus(
        *(with_words(random, part) for part in (plain[:training], plain[training:], unseen))
    )
