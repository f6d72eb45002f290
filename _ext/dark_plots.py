"""The picture of a plot for the dark theme, made from the stored one when the book is built.

Why: a filter that turns light and dark over turns orange into brown, and a caption that speaks of
orange dots is wrong. A colour is so much white, so much black and so much of a pure hue; here only
white becomes the book's dark ground and only black its light ink. Hues stay, and what lies between
a line and its ground stays between them.
"""

import io

import numpy as np
from PIL import Image, ImageColor

from utils.palette import DARK, LIGHT

GROUND = ImageColor.getrgb(DARK["paper"])
INK = ImageColor.getrgb(DARK["ink"])
BLACKEST = 255 - max(ImageColor.getrgb(LIGHT["ink"]))  # as much black as is in the ink of plots

# The weights of a heatmap by their share of white. They leap where its digits turn from black to
# white, or neither could be read there.
SHARES = [31, 98, 101, 243]
WEIGHTS = [(232, 160, 230), (166, 115, 165), (113, 82, 117), (31, 30, 40)]


def is_weight(colour):
    """Whether a colour is on the scale of `utils.plot.WEIGHTS`, or nearly."""
    red, white, blue = colour
    wanted = 5 + 73 * (243 - white) / 212  # red beyond white
    far = max(abs(red - white - wanted), abs(blue - white - 0.82 * wanted))
    return red - white > 3 and far < 7


def dark_colour(colour):
    """What becomes of a colour (three numbers from 0 to 255) in the dark."""
    if is_weight(colour):
        return tuple(round(np.interp(colour[1], SHARES, part)) for part in zip(*WEIGHTS))
    white, black = min(colour), min(255 - max(colour), BLACKEST)
    pure = [part - white for part in colour]
    return tuple(
        min(255, round(part + white * ground / 255 + black * ink / BLACKEST))
        for part, ground, ink in zip(pure, GROUND, INK)
    )


def dark_plot(png, kept=()):
    """The same PNG image, of at most 256 colours, for a dark ground; bytes to bytes.

    kept: boxes of pixels that stay as they are, such as photographs.
    """
    image = Image.open(io.BytesIO(png))
    if image.mode != "P":
        image = image.convert("RGB").quantize(256)
    parts = image.getpalette()
    colours = zip(parts[0::3], parts[1::3], parts[2::3])
    light = image.convert("RGB")
    image.putpalette([part for colour in colours for part in dark_colour(colour)])
    if kept:
        image = image.convert("RGB")
        for part, box in ((light.crop(box), box) for box in kept):
            weights = sum(count for count, colour in part.getcolors() if is_weight(colour))
            if weights < part.width * part.height / 2:  # no map of weights beside a photograph
                image.paste(part, box)
    written = io.BytesIO()
    image.save(written, format="png", optimize=True)
    return written.getvalue()
