"""Small pictures of a few objects, captions that are true of them, and what each word is about.

A caption names the objects from left to right, so that the picture determines every word of it.
Colours and positions are whole numbers until the last step: a seed gives the same pictures on
every machine.
"""

from collections import namedtuple

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
# Never in training or in the held-out scenes; one such object is in each scene of `novel`.
WITHHELD = (("red", "triangle"), ("blue", "cross"), ("yellow", "circle"), ("purple", "square"))
GREYS = 40, 90  # the ground is one of these greys, from 0 to 255
NOISE = 24  # and at each pixel and channel up to half of this is added or taken
DASHES = 6  # lines of 3 pixels that are no object, in the colours of objects
GAP = 3  # pixels between the columns or the rows of two boxes; the rows, if one is higher
STEP = 4  # pixels from the middle of an object to that of the next, to the right, at least
LEVEL = 2  # pixels between the heights of two middles that are level, at most
MOST = 50_000  # scenes of a split

# images (N, 3, SIZE, SIZE): float32, red, green and blue from 0 to 1; y runs down.
# captions: N tuples of words. bound: N tuples, for each word the index of its object, or -1.
# boxes (N, objects, 4): int64, left, top, right, bottom of each object in pixels, in the order of
#     the caption; it fills columns left to right - 1 and rows top to bottom - 1.
Scenes = namedtuple("Scenes", "images captions bound boxes")
Corpus = namedtuple("Corpus", "training held_out novel")


# ---------------------------------------------------------------- what is where
def relations(boxes):
    """How each object lies to the next: 0 left of it, 1 above, 2 below; -1 if that is not clear.

    boxes: (N, objects, 4), from left to right. Returns (N, objects - 1).
    """
    one, other = boxes[:, :-1], boxes[:, 1:]
    dx, dy = np.moveaxis(other[..., :2] + other[..., 2:] - one[..., :2] - one[..., 2:], -1, 0)
    left_of = (abs(dy) <= 2 * LEVEL) & (other[..., 0] - one[..., 2] >= GAP)
    above, below = other[..., 1] - one[..., 3] >= GAP, one[..., 1] - other[..., 3] >= GAP
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
    fits = np.ones(len(boxes), bool)
    for i in range(objects):
        for j in range(i):
            one, other = boxes[:, i], boxes[:, j]
            gaps = np.maximum(one[:, :2] - other[:, 2:], other[:, :2] - one[:, 2:])
            fits &= gaps.max(1) >= GAP
    return boxes[fits]


def drawn(random, count, objects, novel):
    """Distinct scenes as whole numbers (count, objects, 6): the box, the colour, the shape."""
    every = [(c, s) for c in COLOURS for s in SHAPES]
    known, unseen = (
        np.array([([*COLOURS].index(c), [*SHAPES].index(s)) for c, s in pairs])
        for pairs in ([pair for pair in every if pair not in WITHHELD], WITHHELD)
    )
    found = np.empty((0, objects, 6), np.int64)
    while len(found) < count:
        boxes = places(random, 20_000, objects)
        N = len(boxes)
        looks = known[random.randint(len(known), size=(N, objects), dtype=np.int32)]
        if novel:
            which = random.randint(objects, size=N, dtype=np.int32)
            looks[range(N), which] = unseen[random.randint(len(unseen), size=N, dtype=np.int32)]
        found = np.concatenate([found, np.concatenate([boxes, looks], axis=-1)])
        found = found[np.sort(np.unique(found, axis=0, return_index=True)[1])]
    return found[:count]


# ---------------------------------------------------------------- pictures and words
def stencil(shape, side):
    """How much of each pixel the shape covers, from 0 to 16: (side, side)."""
    points = 2 * np.arange(4 * side) + 1 - 4 * side  # 4 x 4 points in a pixel
    inside = SHAPES[shape](points, points[:, None], 4 * side) & np.ones((4 * side, 1), bool)
    return inside.reshape(side, 4, side, 4).sum((1, 3))


def pictures(random, scenes):
    """The pictures of such scenes: uint8 (N, SIZE, SIZE, 3)."""
    N, objects, _ = scenes.shape
    largest = max(SIDES.values())
    stencils = np.zeros((len(SHAPES), largest + 1, largest, largest), np.int16)
    for s, shape in enumerate(SHAPES):
        for side in SIDES.values():
            stencils[s, side, :side, :side] = stencil(shape, side)
    colours = np.array([*COLOURS.values()], np.int16)
    each = np.arange(N)[:, None]
    ground = random.randint(*GREYS, size=(N, 1, 1, 1), dtype=np.int32).astype(np.int16)
    canvas = np.repeat(np.repeat(np.repeat(ground, SIZE + largest, 1), SIZE + largest, 2), 3, 3)
    for _ in range(DASHES):
        x, y = random.randint(SIZE - 2, size=(2, N, 1), dtype=np.int32)
        across = random.randint(2, size=(N, 1), dtype=np.int32)
        colour = colours[random.randint(len(colours), size=N, dtype=np.int32)]
        xs, ys = x + across * np.arange(3), y + (1 - across) * np.arange(3)
        canvas[each, ys, xs] = colour[:, None]
    for i in range(objects):
        left, top, right, bottom, colour, shape = scenes[:, i].T
        reach = np.arange(-1, largest + 1)  # a rim without clutter
        ys, xs = top[:, None] + reach, left[:, None] + reach
        near = (ys <= bottom[:, None])[:, :, None] & (xs <= right[:, None])[:, None]
        covered = np.pad(stencils[shape, right - left], ((0, 0), (1, 1), (1, 1)))[..., None]
        where = each[..., None], ys[:, :, None], xs[:, None]
        drawing = ground + (colours[colour][:, None, None] - ground) * covered // 16
        canvas[where] = np.where(near[..., None], drawing, canvas[where])
    canvas = canvas[:, :SIZE, :SIZE]
    noise = np.frombuffer(random.bytes(canvas.size), np.uint8).reshape(canvas.shape)
    return np.clip(canvas + noise % NOISE - NOISE // 2, 0, 255).astype(np.uint8)


def caption(looks, steps):
    """The words and what they are bound to. looks: three words for each object."""
    words, bound = [], []
    for i, look in enumerate(looks):
        if i:
            words += [("left", "of"), ("above",), ("below",)][steps[i - 1]]
        words += ["a", *look]
        bound += [-1] * (len(words) - len(bound) - 3) + [i] * 3
    return tuple(words), tuple(bound)


def with_words(random, scenes):
    """The `Scenes` of such whole numbers."""
    size_of = {side: size for size, side in SIDES.items()}
    colours, shapes, boxes = [*COLOURS], [*SHAPES], scenes[..., :4]
    steps = relations(boxes).tolist()
    pairs = [
        caption(
            [(size_of[right - left], colours[c], shapes[s]) for left, _, right, _, c, s in scene],
            step,
        )
        for scene, step in zip(scenes.tolist(), steps)
    ]
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
    Raises `ValueError` for a seed outside 0 to 2**32 - 1, a number of objects outside 2 to 4, and
    a size outside 0 to `MOST`.
    """
    for name, value, least, most in (
        ("seed", seed, 0, 2**32 - 1),
        ("training", training, 0, MOST),
        ("held_out", held_out, 0, MOST),
        ("novel", novel, 0, MOST),
        ("objects", objects, 2, 4),
    ):
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"{name} is {value!r}; wanted a whole number from {least} to {most}")
    random = np.random.RandomState(seed)  # its numbers are the same in every version
    plain = drawn(random, training + held_out, objects, novel=False)
    unseen = drawn(random, novel, objects, novel=True)
    return Corpus(
        *(with_words(random, part) for part in (plain[:training], plain[training:], unseen))
    )
