"""The translator of page 12, trained: weights in 8 bits, read from `translator.json`.

`workshop/translator.py` trained it and wrote the file, on this course's own sentences
(`translation.py`). `utils/live/engine.js` runs the same numbers in a browser.
"""

import base64
import hashlib
import json
from pathlib import Path

import numpy as np
import torch

from utils.transformer import Transformer

FILE = Path(__file__).with_name("translator.json")
SHA256 = "6455d5439d7fcbf0281176bdc9374230e259b412c5ea26f5bc21681ab36a9fe8"


def trained_translator():
    """Return the model, a `Transformer` in `eval()` mode, and its English and French words.

    D = 64, 4 heads, 2 blocks on each side. Both vocabularies are lists of words, of which token t
    is number t; 0 is padding, 1 begins and 2 ends a target. The model takes source tokens (B, m)
    and target tokens (B, n) and returns logits (B, n, len(french)). Raises `ValueError` when
    `translator.json` is another file than the one this course was written with.
    """
    content = FILE.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        raise ValueError(f"{FILE} has the SHA-256 {found}; wanted {SHA256}")
    return unpacked(content)


def unpacked(content):
    """The same for any content that `packed` in `workshop/translator.py` gives."""
    data = json.loads(content)
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
    sizes = (
        data["d_model"],
        data["num_heads"],
        data["num_layers"],
        shapes["encoder.0.ffn.W_1.bias"][0],
    )
    model = Transformer(len(data["english"]), len(data["french"]), *sizes)
    model.load_state_dict(state)
    return model.eval(), data["english"], data["french"]
