import base64
import io

import numpy as np
from PIL import Image

from live.arguments import as_numbers, as_words, check_row, one_of
from live.bundle import display


def pixels(image):
    """An image (3, side, side) of numbers from 0 to 1 as the address of a PNG."""
    packed = io.BytesIO()
    levels = (np.clip(np.array(image), 0, 1) * 255).round().astype(np.uint8)
    Image.fromarray(levels.transpose(1, 2, 0)).save(packed, format="png", optimize=True)
    return "data:image/png;base64," + base64.b64encode(packed.getvalue()).decode()


def captions(images, words, weights, boxes, about, others, *, static, alt):
    """Two pictures, and where a captioner looks before it writes each word of their captions.

    images: (2, 3, side, side) numbers from 0 to 1. words: two captions of n words. weights:
    (2, n, 64), one row of 8 x 8 cells for each word. boxes: for both pictures, the left, top, right
    and bottom edges of its objects in pixels, (2, objects, 4). about: (2, n), the object that a
    word names, or -1. others: the words that are written with the contexts of the other picture.
    """
    words = [as_words("words", each) for each in words]
    others = [as_words("others", each) for each in others]
    n = len(words[0])
    for name, both in (("words", words), ("others", others)):
        if [len(each) for each in both] != [n, n]:
            sizes = ", ".join(str(len(each)) for each in both)
            raise ValueError(f"{name} has captions of {sizes} words; wanted two of {n}")
    images = as_numbers("images", images, (2, 3, None, None))
    weights = as_numbers("weights", weights, (2, n, 64))
    boxes, about = as_numbers("boxes", boxes, (2, None, 4)), as_numbers("about", about, (2, n))
    for p, rows in enumerate(weights):
        for t, row in enumerate(rows):
            check_row(f"weights[{p}][{t}]", row, None)
    about = [[int(one_of("about", k, range(-1, len(boxes[0])))) for k in row] for row in about]
    spec = dict(images=[pixels(each) for each in images], words=words, others=others)
    spec |= dict(weights=weights, boxes=dict(side=len(images[0][0]), of=boxes, about=about))
    hint = "point at a colour, then at “above” or “below”. Then exchange the contexts."
    display("captions", spec, hint, static, alt, digits=3)
