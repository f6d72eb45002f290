"""The lookup of page 1."""

import re
from unicodedata import normalize

import numpy as np
import torch

from tests.live.figure import FigureTest, by_keys, drawn, numbers

CITIES = {"Berlin": (13.4, 52.5), "Madrid": (-3.7, 40.4), "Rome": (12.5, 41.9)}
CITIES |= {"Wien": (16.4, 48.2)}


def pairs(name):
    """The counts of pairs of letters, the space as letter 0, as a vector of length 1."""
    plain = re.sub("[^a-z ]", "", normalize("NFD", name).lower()).strip()
    codes = [ord(letter) % 32 for letter in f" {plain} "]
    found = torch.zeros(27, 27, dtype=torch.float64)
    for a, b in zip(codes, codes[1:]) if plain else []:
        found[a, b] += 1
    return found.flatten() / found.norm().clamp(min=1)


class TestLookup(FigureTest):
    EXAMPLE = dict(names=list(CITIES), places=list(CITIES.values()), name="Roma")
    START = dict(name="Roma", temperature=0.1)
    STATES = [
        dict(),
        dict(name="madryt", temperature=0.01),
        dict(name="Rome", temperature=10),
        dict(name="", temperature=1),
        dict(name=" Röme, Bérlin!"),
    ]
    WRONG = {"the temperature multiplies": {"score / temperature": "score * temperature"}}
    KEYS = {"another query": by_keys("input[type=text]", "Control+a", *"Wien")}
    SAID = [
        (
            dict(),
            "“Roma” matches Rome best: score 0.60, weight 0.98 at temperature 0.1. "
            "The answer is 12.3 degrees east, 41.9 north.",
            ["Madrid", "0.17", "0.01"],
        ),
        (dict(name=""), "No city shares a pair of letters with this query, so", ["Wien", "0.00"]),
    ]
    BAD = [
        ({"names": ["Rom3"], "places": [(1, 2)]}, "names holds 'Rom3'"),
        ({"places": [(1, 2, 3)] * 4}, "places has shape (4, 3)"),
    ]

    def truth(self, spec, state, found):
        scores = torch.stack([pairs(name) for name in spec["names"]]) @ pairs(state["name"])
        places = torch.tensor(spec["places"], dtype=torch.float64)
        cooling = torch.logspace(1, -2, 41, dtype=torch.float64)[:, None]
        weights = torch.softmax(scores / state["temperature"], dim=0)
        mixed = {"output": weights @ places, "cooling": torch.softmax(scores / cooling, 1) @ places}
        return {"scores": scores, "weights": weights} | mixed

    def check_drawing(self, page):
        places = np.array(list(CITIES.values()))
        found = numbers(page, name="madrid", temperature=0.3)
        weights = np.array(found["weights"])[:, None] * [215, 0.95] + [1, 0.05]
        bars = drawn(page, "rect.cell", "width", "fill-opacity")
        np.testing.assert_allclose(bars, weights, atol=0.06)
        cities = drawn(page, "circle.cell", "cx", "cy")
        scales = [np.polyfit(places[:, axis], cities[:, axis], 1) for axis in (0, 1)]
        for name, points, *at in (
            (".fill-value", [found["output"]], "cx", "cy"),
            (".ghost", found["cooling"], "d"),
        ):
            points = [np.polyval(scale, axis) for scale, axis in zip(scales, np.transpose(points))]
            shown = drawn(page, name, *at).reshape(-1, 2)
            np.testing.assert_allclose(shown, np.transpose(points), atol=0.15)
