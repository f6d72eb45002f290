"""What the figure `captions` needs of two pictures."""

import base64
import io

import numpy as np
from PIL import Image


def pixels(image):
    """An image (3, side, side) of numbers from 0 to 1 as the address of a PNG."""
    packed = io.BytesIO()
    levels = (np.clip(np.asarray(image), 0, 1) * 255).round().astype(np.uint8)
    Image.fromarray(levels.transpose(1, 2, 0)).save(packed, format="png", optimize=True)
    return "data:image/png;base64," + base64.b64encode(packed.getvalue()).decode()


def spec(images, words, weights, boxes, about, others):
    """images: (2, 3, side, side) numbers from 0 to 1. words: two captions of n words. weights:
    (2, n, 64), one row of 8 x 8 cells for each word. boxes: for both pictures, the left, top, right
    and bottom edges of its objects in pixels, (2, objects, 4). about: (2, n), the object that a
    word names, or -1. others: the words that are written with the contexts of the other picture.
    """
    return dict(
        images=[pixels(image) for image in images],
        words=words,
        others=others,
        weights=weights,
        boxes=dict(side=len(images[0][0]), of=boxes, about=about),
    )
