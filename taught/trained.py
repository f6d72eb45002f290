"""Models that are trained already. Four of the course: weights in 8 bits, read from `data/`.

The translator learned from this course's own sentences (`data/english_french.py`); the letter
model learned from ten chapters of `data/alice29.txt`; two that regress learned from random curves.
`recipes/translator.py`, `recipes/letters.py` and `recipes/regress.py` trained them and wrote the
files. `live/engine.js` runs the same numbers in a browser.
"""

import base64
import hashlib
import json
from pathlib import Path

import numpy as np
import torch

from taught.language_model import CachedLanguageModel
from taught.transformer import Transformer

DATA = Path(__file__).resolve().parent.parent / "data"
FILE = DATA / "translator.json"
SHA256 = "6455d5439d7fcbf0281176bdc9374230e259b412c5ea26f5bc21681ab36a9fe8"
LETTERS = DATA / "letters.json"
LETTERS_SHA256 = "bd8dae4e6fc92154449d4d9208f719d40ff9ca4654df4ec6e5f0880498683b6b"
REGRESS = {
    "four blocks": (
        DATA / "regress.json",
        "ddf90a407042d84fd0d49eb3b1d94c7ac58b7209fa9157206f32eb3249b04fa6",
    ),
    "one block": (
        DATA / "regress_one.json",
        "844c6bd2dc47ac1358ab55ee0c33695f96a16bfd77bd98de9db23341ab901841",
    ),
}


def content_of(file, wanted):
    content = file.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != wanted:
        raise ValueError(f"{file} has the SHA-256 {digest}; wanted {wanted}")
    return content


def trained_translator():
    """Return the model, a `Transformer` in `eval()` mode, and its English and French words.

    D = 64, 4 heads, 2 blocks on each side. Both vocabularies are lists of words, of which token t
    is number t; 0 is padding, 1 begins and 2 ends a target. The model takes source tokens (B, m)
    and target tokens (B, n) and returns logits (B, n, len(french)). Raises `ValueError` when
    `translator.json` is another file than the one this course was written with.
    """
    return unpacked(content_of(FILE, SHA256))


def trained_letters():
    """Return the model, a `CachedLanguageModel` in `eval()` mode, and its letters, a list.

    D = 128, 4 heads, 2 blocks. Token t is letter number t of 69, in the order of that page. The model
    was trained on windows of 64 letters, so it takes at most 64 tokens (B, n), and returns logits
    (B, n, 69). Raises `ValueError` when `letters.json` is another file than the one this course was
    written with.
    """
    return unpacked_letters(content_of(LETTERS, LETTERS_SHA256))


def trained_regressors():
    """The tensors of the two models of the page on regression, {"one block": ..., "four blocks": ...}.

    Each is for `load_state_dict` of that page's `Regressor`, with one block and one head or with
    four of each. Raises `ValueError` when a file is another than the one this course was written
    with.
    """
    return {name: state_of(json.loads(content_of(*where))) for name, where in REGRESS.items()}


def state_of(data):
    """The tensors by name, from what `numbers_of` in `recipes/translator.py` gives."""
    numbers, shapes = base64.b64decode(data["numbers"]), dict(data["tensors"])
    middle = 4 * sum(size for size, *_ in shapes.values())  # behind it are the bytes of matrices
    floats, whole = np.frombuffer(numbers[:middle], "<f4"), np.frombuffer(numbers[middle:], np.int8)
    state = {}
    for name, (rows, *columns) in shapes.items():
        entries, floats = floats[:rows], floats[rows:]  # of a vector, or the scales of a matrix
        if columns:
            matrix, whole = np.split(whole, [rows * columns[0]])
            entries = matrix.reshape(rows, -1).astype(np.float32) * entries[:, None]
        state[name] = torch.from_numpy(entries.astype(np.float32))
    return state


def unpacked(content):
    """The translator, for any content that `packed` in `recipes/translator.py` gives."""
    data = json.loads(content)
    state = state_of(data)
    hidden = len(state["encoder.0.ffn.W_1.bias"])
    sizes = data["d_model"], data["num_heads"], data["num_layers"], hidden
    model = Transformer(len(data["english"]), len(data["french"]), *sizes)
    model.load_state_dict(state)
    return model.eval(), data["english"], data["french"]


def unpacked_letters(content):
    """The letter model, for any content that `packed` in `recipes/letters.py` gives."""
    data = json.loads(content)
    state = state_of(data)
    hidden = len(state["blocks.0.ffn.W_1.bias"])
    sizes = data["d_model"], data["num_heads"], data["num_layers"], hidden
    model = CachedLanguageModel(len(data["letters"]), *sizes)
    model.load_state_dict(state)
    return model.eval(), list(data["letters"])
