"""The recipe of the one block of the page on regression: python -m recipes.regress_one

One block with one head, trained by that page's own code, in `data/regress_one.json`.
"""

from recipes.regress import error_of, packed, trained
from recipes.translator import write
from workshop.page import ROOT

FILE = ROOT / "data" / "regress_one.json"
STEPS = 2000


def main():
    write(FILE, packed(trained(1, 1, STEPS)), error_of, within=0.005)


if __name__ == "__main__":
    main()
