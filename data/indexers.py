"""Pieces of a novel with facts in them, for training a network to look something up, and stored runs of it.

Eight texts of each kind, from the same places of *Alice's Adventures in Wonderland* (`text.py`), chapters I to
X: "novel" as they are, "facts" with ten lines such as "The phone code of Miller is 4821." in them and the same
ten in another order at the end, and "not asked" with ten lines about other people at the end.

`indexers.json` says what indexers that `recipes/indexers.py` trained on them find, and at what cost.
"""

import random
from pathlib import Path

from data.text import alice

INDEXERS = Path(__file__).with_name("indexers.json")
KINDS = "novel", "facts", "not asked"
LENGTH = 768  # tokens of a text
PEOPLE = (
    "Miller Barton Keller Langley Preston Sutton Walden Morris Fletcher Harding Crawford Dalton Emerson "
    "Garrison Holloway Jennings Lambert Norton Parsons Whitman"
).split()
SAYINGS = (
    "The phone code of {} is {}.",
    "The room key of {} is {}.",
    "The account of {} has the number {}.",
)


def training_texts(tokenizer, kind):
    """Eight texts of a kind, as lists of LENGTH tokens."""
    tokens, draw = tokenizer.encode(alice()[0]), random.Random(5)
    apart = (len(tokens) - LENGTH) // 7
    texts = []
    for i in range(8):
        text = tokens[apart * i : apart * i + LENGTH - 1]
        if kind != "novel":
            text = with_facts(kind, text, tokenizer, draw)
        texts.append(tokenizer.encode("<|endoftext|>") + text)
    return texts


def with_facts(kind, text, tokenizer, draw):
    people, saying = draw.sample(PEOPLE, 20), draw.choice(SAYINGS)
    lines = [saying.format(name, f"{draw.randrange(10_000):04}") for name in people]
    early, late = lines[:10], lines[:10] if kind == "facts" else lines[10:]
    draw.shuffle(late)
    facts = tokenizer.encode("\n\n" + " ".join(early) + "\n\n")
    end = tokenizer.encode("".join("\n\n" + line for line in late))
    rest = len(text) - len(facts) - len(end)
    place = draw.randrange(20, rest - 20)
    return text[:place] + facts + text[place:rest] + end
