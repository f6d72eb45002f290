"""The recipe of the trained translator that pages run without training it: python -m recipes.translator

It trains the model of the page on translation for twice as many steps as that page, in a minute or
two, writes it to `data/translator.json`, and prints the checksum that `taught/trained.py` wants.
Another machine adds in another order, and a thousand steps later has other bytes, but a model of the
same quality; what single heads do in it may differ. So the file is kept, and what a page says of the
model is said of that file.
"""

import base64
import hashlib
import json
from functools import partial

import torch

from data.english_french import corpus
from taught.transformer import Transformer
from taught.translation import next_token_loss, to_tokens, train_translator
from workshop.page import ROOT

FILE = ROOT / "data" / "translator.json"
STEPS = 1000
TOP = 127  # the largest byte, and so the largest entry of a row, in units of its scale


def vocabulary(sentences):
    """The words of a language, as on that page: sorted, after those for padding, begin and end."""
    return ["<pad>", "<bos>", "<eos>", *sorted({word for words in sentences for word in words})]


def train(seed=0):
    """Train the model. Returns it and its vocabularies, English and French."""
    pairs = corpus().training
    english = vocabulary(pair.source for pair in pairs)
    french = vocabulary(pair.target for pair in pairs)
    bos, eos = french.index("<bos>"), french.index("<eos>")
    sources = to_tokens([pair.source for pair in pairs], english)  # (pairs, m)
    targets = to_tokens([pair.target for pair in pairs], french, [bos], [eos])  # (pairs, n)
    torch.manual_seed(seed)
    model = Transformer(len(english), len(french), 64, 4, 2, 256)
    loss = partial(next_token_loss, smoothing=0.1)
    train_translator(
        model, sources, targets, STEPS, warm_up=min(100, STEPS), loss_of=loss, seed=seed
    )
    return model, english, french


def rounded(matrix):
    """Bytes (rows, columns) and scales (rows,), of which byte * scale is nearest to the matrix."""
    scales = matrix.abs().amax(dim=1) / TOP
    scales = scales.masked_fill(scales == 0, 1.0)  # a row of zeros has any scale
    return (matrix / scales[:, None]).round().to(torch.int8), scales


def numbers_of(model):
    """The shapes of a model's tensors, and all its numbers in one string in base64.

    First come float32 numbers, little-endian: for each tensor in turn its entries, if it is a
    vector, and the scales of its rows, if it is a matrix. Then come the bytes of the matrices, row
    by row. So a tensor has as many float32 numbers as its first size says.
    """
    floats, whole, state = [], [], model.state_dict()
    for tensor in state.values():
        if tensor.dim() == 2:
            entries, tensor = rounded(tensor)
            whole.append(entries.numpy().tobytes())
        floats.append(tensor.numpy().astype("<f4").tobytes())
    return {
        "tensors": [[name, list(tensor.shape)] for name, tensor in state.items()],
        "numbers": base64.b64encode(b"".join(floats + whole)).decode(),
    }


def packed(model, english, french):
    """The model as JSON."""
    about = {
        "d_model": model.source.embedding_dim,
        "num_heads": model.encoder[0].attention.num_heads,
        "num_layers": len(model.encoder),
        "english": english,
        "french": french,
        **numbers_of(model),
    }
    return json.dumps(about, ensure_ascii=False, separators=(",", ":")) + "\n"


def main():
    text = packed(*train())
    FILE.write_text(text, encoding="utf-8", newline="\n")
    print("SHA256 in taught/trained.py:", hashlib.sha256(text.encode()).hexdigest())


if __name__ == "__main__":
    main()
