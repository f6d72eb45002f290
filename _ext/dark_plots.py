"""The picture of a plot for the dark theme, made from the stored one when the book is built.

Why: a filter that turns light and dark over turns orange into brown, and a caption that speaks of
orange dots is wrong. A colour is so much white, so much black and so much of a pure hue; here only
white becomes the book's dark ground and only black its light ink. Hues stay, and what lies between
a line and its ground stays between them.
"""

import io

from PIL import Image, ImageColor

from utils.palette import DARK

GROUND = ImageColor.getrgb(DARK["paper"])
INK = ImageColor.getrgb(DARK["ink"])


def dark_colour(colour):
    """What becomes of a colour (three numbers from 0 to 255) in the dark."""
    white, black = min(colour), 255 - max(colour)
    pure = [part - white for part in colour]
    return tuple(
        round(part + (white * ground + black * ink) / 255)
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
        for box in kept:
            image.paste(light.crop(box), box)
    written = io.BytesIO()
    image.save(written, format="png", optimize=True)
    return written.getvalue()
