"""The recipe of the four blocks of the page on regression: python -m recipes.regress, some minutes

It trains them by that page's own code, for twice as many steps as the page, writes them to
`data/regress.json`, and prints the checksum that `taught/trained.py` wants. Another machine gives
other bytes and a model of the same quality.
"""

import hashlib
import json

import torch

from recipes.translator import numbers_of
from workshop.page import ROOT, Page

FILE = ROOT / "data" / "regress.json"
PAGE = ROOT / "chapters" / "24_a_transformer_that_has_learned_to_regress.ipynb"
CELLS = ("import EncoderBlock", "def draw(", "def error(", "class Regressor(", "def train(")
STEPS = 4000


def defined(**found):
    """What the page's cells that contain the words of CELLS define, by name."""
    for cell in Page(PAGE).code:
        if any(words in cell.source for words in CELLS):
            exec(cell.source, found)
    return found


def trained(blocks, heads, steps):
    page = defined()
    torch.manual_seed(0)
    return page["train"](page["Regressor"](blocks, heads), seed=0, steps=steps)


def packed(model):
    """A model as JSON; `numbers_of` in recipes/translator.py says how its numbers are written."""
    about = {
        "d_model": model.norm.weight.shape[0],
        "num_heads": model.blocks[0].attention.num_heads,
        "num_layers": len(model.blocks),
        **numbers_of(model),
    }
    return json.dumps(about, separators=(",", ":")) + "\n"


def main():
    text = packed(trained(4, 4, STEPS))
    FILE.write_text(text, encoding="utf-8", newline="\n")
    print("SHA256 in taught/trained.py:", hashlib.sha256(text.encode()).hexdigest())


if __name__ == "__main__":
    main()
