"""The runs with a repaired softmax on page 18: python -m recipes.repairs, some 15 minutes

One head learns to answer questions about facts, and a language model of one head learns the world of
triggers, each with the softmax or one of its repairs. Writes `data/repairs.json`, a run a row. For
facts all three rates are tried with seed 9, and three more seeds have the one of them with the smallest
loss at the trained length. The page trains two of the readers again.
"""

import json

import torch

from data.facts import REPAIRS
from taught.attention import causal_mask
from taught.inside import TinyModel, removing, train_tiny
from taught.repairs import Repaired, answers, chain, read_facts
from taught.transformer import SwiGLU

KINDS = ["softmax", "plus one", "sink from 0", "sink from log n", "gate", "differential"]
KINDS += ["sigmoid", "log n"]
RATES = 0.005, 0.01, 0.02
LENGTHS = 32, 64, 128, 256, 512, 1024
SEARCHED = 32, 128, 256  # lengths at which all three rates are compared
SEEDS = 0, 1, 2
STEPS, TRIGGER_STEPS, LONG_STEPS = 300, 220, 1500


def about_facts(kind, rotary, seed, rate, lengths, task="facts", unknown=1 / 3):
    reader = read_facts(kind, rotary, seed, rate, STEPS, unknown)
    row = dict(task=task, kind=kind, rotary=rotary, seed=seed, rate=rate)
    for n in lengths:
        row[str(n)] = answers(reader, n, count=64 if n < 300 else 24, unknown=unknown)
    return row | learned(reader.attention)


def of_triggers(kind, seed, steps, rate=7e-3):
    torch.manual_seed(seed)
    tiny = TinyModel(33, num_heads=1, num_layers=1)
    block = tiny.blocks[0]
    attention = block.attention.attention = Repaired(kind, 48)
    if kind == "gate":
        block.ffn = SwiGLU(64, 107)  # the gate has the other numbers
        block.attention.register_forward_pre_hook(remember)
    train_tiny(tiny, draw, steps, seed=100 + seed, skip=2, batch=64, rate=rate)
    row = dict(task="triggers", kind=kind, seed=seed, steps=steps, rate=rate)
    causal = causal_mask(48)
    last_8 = causal & ~causal.tril(-8)
    with_first = last_8.clone()
    with_first[:, 0] = True
    row |= judged(tiny, attention, causal)
    for name, mask in (("last 8", last_8), ("last 8 and first", with_first)):
        row[name] = judged(tiny, attention, mask)["elsewhere"]
    return row | learned(attention)


def draw(count, generator):
    return chain(count, generator)[0]


def remember(layer, inputs):
    layer.attention.x = inputs[0][:, None]  # (B, 1, n, D)


@torch.no_grad()
def judged(tiny, attention, mask):
    """Nats above the best after a trigger and elsewhere, and there the weight on the first token."""
    tokens, truth = chain(256, torch.Generator().manual_seed(7))

    def with_mask(attention, inputs):
        return *inputs[:3], mask

    with removing([attention.register_forward_pre_hook(with_mask)]):
        log_p = tiny(tokens[:, :-1])[..., :32].log_softmax(dim=-1)
    above = (torch.xlogy(truth, truth) - truth * log_p).sum(dim=-1)[:, 12:]
    trigger = tokens[:, 12:-1] < 4
    weights = attention.weights[:, 0, 12:]
    return {
        "trigger": above[trigger].mean().item(),
        "elsewhere": above[~trigger].mean().item(),
        "first": weights[..., 0][~trigger].mean().item(),
    }


def learned(attention):
    """What a repair has learned beside matrices."""
    parameters = {}
    if hasattr(attention, "s"):
        parameters["s"] = attention.s.item()
    if hasattr(attention, "vectors"):
        parameters["factor"] = attention.factor().item()
    return parameters


def rounded(row):
    if isinstance(row, dict):
        return {name: rounded(value) for name, value in row.items()}
    return round(row, 4) if isinstance(row, float) else row


def main():
    rows = []
    for rotary in (False, True):
        for kind in KINDS if rotary else [*KINDS, "sigmoid, n of the text"]:
            searched = [about_facts(kind, rotary, 9, rate, SEARCHED) for rate in RATES]
            best = min(searched, key=lambda row: row["32"]["nats"])["rate"]
            rows += searched
            rows += [about_facts(kind, rotary, seed, best, LENGTHS) for seed in SEEDS]
    for kind in ("softmax", "log n"):  # a control: every question has an answer
        for seed in SEEDS:
            rows.append(about_facts(kind, False, seed, 0.01, LENGTHS, "known facts", unknown=0))
    for kind in [*KINDS, "norm alone", "differential, no norm"]:
        rows += [of_triggers(kind, seed, TRIGGER_STEPS) for seed in SEEDS]
    for kind in KINDS[:5]:
        rows.append(of_triggers(kind, 0, LONG_STEPS))
    lines = ",\n".join(json.dumps(rounded(row)) for row in rows)
    REPAIRS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
