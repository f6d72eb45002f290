"""One head or two, on page 9."""

import torch

from tests.live.figure import FigureTest, by_keys
from utils import live


class TestQuestions(FigureTest):
    kind = "questions"
    START = dict(heads="one head", p=0.8, q=0.4)
    STATES = [
        dict(heads=heads, p=p, q=q)
        for heads in ("one head", "two heads")
        for p, q in ((0.8, 0.4), (0.5, 0.5), (1, 0), (0, 0.05))
    ]
    WRONG = {
        "a read-out without its length": {"(p * p + (1 - p) ** 2)": "1"},
        "the inverse transposed": {
            "[(1 - q) / (p - q), (p - 1) / (p - q)]": "[(1 - q) / (p - q), -q / (p - q)]"
        },
    }
    KEYS = {"the second head": by_keys("select", "ArrowDown", "Tab", "Tab", "ArrowLeft")}
    BAD = [({"p": 0.33}, "p is 0.33"), ({"numbers": [1.0]}, "numbers has 1 entries")]

    def example(self, **more):
        live.questions(**more)
