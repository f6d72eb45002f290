"""The recipe of the one block of the page on regression: python -m recipes.regress_one

One block with one head, trained by that page's own code, in `data/regress_one.json`.
"""

import hashlib

from recipes.regress import packed, trained
from workshop.page import ROOT

FILE = ROOT / "data" / "regress_one.json"
STEPS = 2000


def main():
    text = packed(trained(1, 1, STEPS))
    FILE.write_text(text, encoding="utf-8", newline="\n")
    print("SHA256 in taught/trained.py:", hashlib.sha256(text.encode()).hexdigest())


if __name__ == "__main__":
    main()
