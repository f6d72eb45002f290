"""The recipe of the block that fills holes in a live figure: python -m recipes.patches, some minutes

It trains the block of the page on pictures, by that page's own code, for many more steps. Another
machine gives other bytes and a block of the same quality, and so `data/patches.json` is kept where a
new one errs as much on held-out pictures.
"""

import json

from recipes.translator import numbers_of, write
from taught.trained import state_of
from workshop.page import ROOT, Page

FILE = ROOT / "data" / "patches.json"
PAGE = ROOT / "chapters" / "21_attention_on_pictures.ipynb"
CELLS = (
    "corpus = scenes(",
    "def to_patches(",
    "class Filler(",
    "def train_filler(",
    "def filling_error(",
)
STEPS = 12_000


def defined(*cells, **found):
    """What the cells of the page that contain these words define, by name, beside what is there."""
    for cell in Page(PAGE).code:
        if any(words in cell.source for words in cells):
            exec(cell.source, found)
    return found


def packed(filler, middle):
    """The block as JSON; `numbers_of` in recipes/translator.py says how its numbers are written."""
    about = {
        "d_model": filler.position.shape[1],
        "num_heads": filler.block.attention.num_heads,
        "num_layers": 1,
        "middle": middle,
        **numbers_of(filler),
    }
    return json.dumps(about, separators=(",", ":")) + "\n"


def main():
    page = defined(*CELLS)
    filler = page["train_filler"](page["patches"], seed=0, steps=STEPS)

    def error_of(text):
        """The error on held-out pictures of a block as JSON."""
        filler.load_state_dict(state_of(json.loads(text)))
        return page["filling_error"](filler, page["to_patches"](page["held_out"]))

    write(FILE, packed(filler, page["middle"].item()), error_of, within=0.01)


if __name__ == "__main__":
    main()
