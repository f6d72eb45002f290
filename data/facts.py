"""Texts of facts and fillers, with questions whose answer is known, and what was measured with them.

`repairs.json` has the runs of `recipes/repairs.py`, in which heads with and without a repair of the
softmax learn to answer. A row is a run; those with seed 9 only served to choose a rate.
"""

import json
from pathlib import Path

import torch

NAMES, VALUES = 32, 16  # first names, as many last ones, and the values that a fact can give
VOCABULARY = 2 * NAMES + 2 * VALUES + 3
ASKED, NO_NAME = VOCABULARY - 3, VOCABULARY - 2
NONE = VALUES  # the answer to a question about a name that the text doesn't have
REPAIRS = Path(__file__).parent / "repairs.json"


def facts(count, n, generator, questions=16, unknown=1 / 3):
    """Texts (count, n, 3), questions (count, 16, 3), their answers and the position of each name.

    A token is a triple. A fact is a first name, a last name and a value, a filler has no name, and a
    question has a name and no value. No name comes twice, and half of the tokens are fillers, at least
    one and not all of them. Of the questions a share `unknown` ask for a name that the text doesn't
    have; their position is that of a filler. Raises `ValueError` where n isn't from 2 to 1,024.
    """
    if not 2 <= n <= NAMES**2:
        raise ValueError(f"n is {n}; wanted 2, a fact and a filler, to {NAMES**2}, all the names")
    name = torch.rand(count, NAMES**2, generator=generator).topk(n, dim=1).indices
    value = torch.randint(VALUES, (count, n), generator=generator)
    is_fact = torch.rand(count, n, generator=generator) < 0.5
    is_fact[:, 0] |= ~is_fact.any(dim=1)
    is_fact[:, 0] &= ~is_fact.all(dim=1)
    none = torch.rand(count, questions, generator=generator) < unknown
    fits = is_fact[:, None] != none[..., None]  # (count, questions, n)
    where = torch.multinomial(fits.float().flatten(0, 1), 1, generator=generator)
    where = where.view(count, questions)
    answer = value.gather(1, where).masked_fill(none, NONE)
    fact = triple(name, 2 * NAMES + value)
    filler = torch.stack(
        [NO_NAME + 0 * name, NO_NAME + 1 + 0 * name, fact[..., 2] + VALUES], dim=-1
    )
    text = torch.where(is_fact[..., None], fact, filler)
    queries = name.gather(1, where)
    return text, triple(queries, ASKED + 0 * queries), answer, where


def triple(name, third):
    return torch.stack([name // NAMES, NAMES + name % NAMES, third], dim=-1)


def repairs():
    return json.loads(REPAIRS.read_text(encoding="utf-8"))
