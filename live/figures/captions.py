import base64
import io

import numpy as np
from PIL import Image

from live.bundle import display, rounded


def pixels(image):
    """An image (3, side, side) of numbers from 0 to 1 as the address of a PNG."""
    packed = io.BytesIO()
    levels = (np.clip(np.asarray(image), 0, 1) * 255).round().astype(np.uint8)
    Image.fromarray(levels.transpose(1, 2, 0)).save(packed, format="png", optimize=True)
    return "data:image/png;base64," + base64.b64encode(packed.getvalue()).decode()


def captions(images, words, weights, boxes, about, others, *, static, alt):
    """Two pictures, and where a captioner looks before it writes each word of their captions.

    images: (2, 3, side, side) numbers from 0 to 1. words: two captions of n words. weights:
    (2, n, 64), one row of 8 x 8 cells for each word. boxes: for both pictures, the left, top, right
    and bottom edges of its objects in pixels, (2, objects, 4). about: (2, n), the object that a
    word names, or -1. others: the words that are written with the contexts of the other picture.
    """
    spec = dict(images=[pixels(each) for each in images], words=words, others=others)
    spec |= dict(
        weights=weights,
        boxes=dict(side=len(images[0][0]), of=rounded(boxes, 2), about=rounded(about, 0)),
    )
    hint = "point at a colour, then at “above” or “below”. Then exchange the contexts."
    display("captions", spec, hint, static, alt, digits=3)
