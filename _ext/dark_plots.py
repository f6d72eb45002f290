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

# The weights of a heatmap by their share of white: without a leap, and in the middle, where its digits
# turn from black to white, such that both can be read there.
SHARES = [31, 99.5, 243]
WEIGHTS = [ImageColor.getrgb(DARK["weight"]), (139, 110, 139), (31, 30, 40)]
# What is painted in one of these, or thins out from it into white, has its one hue in the dark.
HUES = ["query", "key", "value"]
PAINTS = [(ImageColor.getrgb(LIGHT[hue]), ImageColor.getrgb(DARK[hue])) for hue in HUES]
AROUND = 20  # pixels from a digit to the ground that it stands on


def is_weight(colour):
    """Whether a colour is on the scale of `utils.plot.WEIGHTS`, or nearly."""
    red, white, blue = colour
    expected = 5 + 73 * (243 - white) / 212  # red beyond white
    far = max(abs(red - white - expected), abs(blue - white - 0.82 * expected))
    return red - white > 3 and far < 7


def dark_colour(colour, ground=GROUND, ink=INK):
    """What becomes of a colour (three numbers from 0 to 255) in the dark."""
    if is_weight(colour):
        return tuple(round(np.interp(colour[1], SHARES, part)) for part in zip(*WEIGHTS))
    white, black = min(colour), min(255 - max(colour), BLACKEST)
    pure = [part - white for part in colour]
    mixed = pure + white * np.divide(ground, 255) + black * np.divide(ink, BLACKEST)
    for light, dark in PAINTS:
        rest = 255 - np.array(light)
        share = min(1, (255 - np.array(colour)) @ rest / (rest @ rest))  # of the paint
        far = np.abs(255 - share * rest - colour).max()
        near = np.clip(2 - far / 12, 0, 1) * (share > 0.1)
        mixed = mixed + near * (GROUND + share * np.subtract(dark, GROUND) - mixed)
    return tuple(min(255, round(part)) for part in mixed.tolist())


def on_weights(weights):
    """Where weights lie on all four sides, as around a digit; of and as an array of booleans."""
    mask = np.ones_like(weights)
    for turned, sides in ((weights, mask), (weights.T, mask.T)):
        sums = np.pad(turned.cumsum(0), [(AROUND, AROUND), (0, 0)], mode="edge")
        here = sums[AROUND:-AROUND]
        sides &= (here > sums[: -2 * AROUND]) & (sums[2 * AROUND :] > here)
    return mask


def dark_plot(png, photographs=()):
    """The same PNG image, of at most 256 colours, for a dark ground; bytes to bytes.

    photographs: boxes of pixels that stay as they are.
    """
    image = Image.open(io.BytesIO(png))
    if image.mode != "P":
        image = image.convert("RGB").quantize(256)
    places = np.asarray(image)
    colours = np.resize(image.getpalette(), (256, 3))
    weights = np.array([is_weight(colour) for colour in colours])[places]
    light = image.convert("RGB")
    pixels = np.array([dark_colour(colour) for colour in colours], np.uint8)[places]
    inside = on_weights(weights)
    if inside.any():  # digits there are as black or white as can be
        digits = [dark_colour(colour, ground=(0, 0, 0), ink=(255, 255, 255)) for colour in colours]
        pixels[inside] = np.array(digits, np.uint8)[places][inside]
    image = Image.fromarray(pixels)
    for part, box in ((light.crop(box), box) for box in photographs):
        weights = sum(count for count, colour in part.getcolors() if is_weight(colour))
        if weights < part.width * part.height / 2:  # no map of weights beside a photograph
            image.paste(part, box)
    if not photographs:
        image = image.quantize(256)
    written = io.BytesIO()
    image.save(written, format="png", optimize=True)
    return written.getvalue()
