"""The recipe of the letter model that pages run without training it: python -m recipes.letters

It trains page 14's larger Transformer with dropout 0.1 and seed 0, in some minutes. As with the
translator, another machine gives other bytes and a model of the same quality, and so
`data/letters.json` is kept where a new one needs as many bits on held-out text.
"""

import json

import torch

from data.text import alice
from recipes.translator import numbers_of, write
from taught.attention import DotProductAttention
from taught.language_model import bits_of, train_language_model
from taught.trained import unpacked_letters
from taught.transformer import LanguageModel
from workshop.page import ROOT

FILE = ROOT / "data" / "letters.json"
STEPS = 4800


def train(seed=0):
    """Train a model of the page on language models on chapters I to X. Returns it and its characters."""
    book, _ = alice()
    letters = sorted(set(book))
    torch.manual_seed(seed)
    model = LanguageModel(len(letters), 128, 4, 2, 512, dropout=0.1)
    for module in model.modules():
        if isinstance(module, DotProductAttention):
            module.dropout.p = 0.0
    tokens = torch.tensor([letters.index(letter) for letter in book])
    train_language_model(model, tokens, STEPS, seed=seed)
    return model, letters


def packed(model, letters):
    """The model as JSON; `numbers_of` in recipes/translator.py says how its numbers are written."""
    about = {
        "d_model": model.embedding.embedding_dim,
        "num_heads": model.blocks[0].attention.num_heads,
        "num_layers": len(model.blocks),
        "letters": "".join(letters),
        **numbers_of(model),
    }
    return json.dumps(about, ensure_ascii=False, separators=(",", ":")) + "\n"


def error_of(text):
    """Bits a letter on the held-out chapters, of a model as JSON."""
    model, letters = unpacked_letters(text)
    tokens = torch.tensor([letters.index(letter) for letter in alice()[1]])
    return bits_of(model, tokens).mean().item()


def main():
    write(FILE, packed(*train()), error_of, within=0.03)


if __name__ == "__main__":
    main()
