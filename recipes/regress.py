"""The recipe of the four blocks of the page on regression: python -m recipes.regress, some minutes

It trains them by that page's own code, for twice as many steps as the page. Another machine gives
other bytes and a model of the same quality, and so `data/regress.json` is kept where a new one errs
as much on held-out curves.
"""

import json

import torch

from recipes.translator import numbers_of, write
from taught.trained import state_of
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


@torch.no_grad()
def error_of(text):
    """The mean squared error on 400 held-out curves of a model as JSON, after 16 points."""
    page, about = defined(), json.loads(text)
    model = page["Regressor"](about["num_layers"], about["num_heads"]).eval()
    model.load_state_dict(state_of(about))
    keys, values, queries, heights = page["draw"](400, 16, 20, torch.Generator().manual_seed(1000))
    return page["error"](model(queries, keys, values), heights).item()


def main():
    write(FILE, packed(trained(4, 4, STEPS)), error_of, within=0.005)


if __name__ == "__main__":
    main()
