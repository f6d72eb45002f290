import base64
import json

import numpy as np

from live.bundle import DATA

FILE = DATA / "maps.json"


def packed(model, tokens, weights):
    """Maps as JSON, for `data/maps.json`: each weight is a byte, round(255 * weight).

    model: its name. tokens: n words with the blanks before them. weights: (blocks, heads, n, n),
    causal. The bytes are those of the lower triangles, row by row, in one string in base64.
    """
    weights = np.asarray(weights, dtype=np.float64)
    numbers = np.round(255 * weights[:, :, *np.tril_indices(len(tokens))]).astype(np.uint8)
    content = dict(model=model, tokens=tokens, blocks=len(weights), heads=weights.shape[1])
    content["weights"] = base64.b64encode(numbers.tobytes()).decode()
    return json.dumps(content, ensure_ascii=False, indent=0) + "\n"


def unpacked(content):
    """The name of the model, the tokens, and the weights (blocks, heads, n, n), off by 1/510."""
    data = json.loads(content)
    n = len(data["tokens"])
    weights = np.zeros((data["blocks"], data["heads"], n, n))
    numbers = np.frombuffer(base64.b64decode(data["weights"]), np.uint8)
    weights[:, :, *np.tril_indices(n)] = numbers.reshape(*weights.shape[:2], -1) / 255
    return data["model"], data["tokens"], weights


def spec():
    return {}  # all is in the file
