"""The lookup of page 1."""

import torch

from tests.live.figure import FigureTest, by_keys
from utils import live

CITIES = {"Berlin": (13.4, 52.5), "Madrid": (-3.7, 40.4), "Rome": (12.5, 41.9), "Wien": (16.4, 48.2)}


def pairs(name):
    """The counts of pairs of letters, the space as letter 0, as a vector of length 1."""
    codes = [ord(letter) % 32 for letter in f" {name.lower()} "]
    found = torch.zeros(27, 27, dtype=torch.float64)
    for a, b in zip(codes, codes[1:]) if name else []:
        found[a, b] += 1
    return found.flatten() / found.norm().clamp(min=1)


class TestLookup(FigureTest):
    kind = "lookup"
    START = dict(name="Roma", temperature=0.1)
    STATES = [
        dict(),
        dict(name="madryt", temperature=0.01),
        dict(name="Rome", temperature=10),
        dict(name="", temperature=1),
    ]
    WRONG = {"the temperature multiplies": {"score / temperature": "score * temperature"}}
    KEYS = {"another query": by_keys("input[type=text]", "Control+a", *"Wien")}
    BAD = [
        ({"names": ["Rom3"], "places": [(1, 2)], "name": "x"}, "names holds 'Rom3'"),
        ({"names": ["Rome"], "places": [(1, 2, 3)], "name": "x"}, "places[0] has 3 entries"),
    ]

    def example(self, **more):
        live.lookup(list(CITIES), list(CITIES.values()), name="Roma", **more)

    def truth(self, spec, state, found):
        scores = torch.stack([pairs(name) for name in spec["names"]]) @ pairs(state["name"])
        places = torch.tensor(spec["places"], dtype=torch.float64)
        cooling = torch.logspace(1, -2, 41, dtype=torch.float64)[:, None]
        weights = torch.softmax(scores / state["temperature"], dim=0)
        mixed = {"output": weights @ places, "cooling": torch.softmax(scores / cooling, 1) @ places}
        return {"scores": scores, "weights": weights} | mixed
