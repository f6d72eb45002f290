"""The recipe of the trained translator that pages run without training it: python -m recipes.translator

It trains the model of the page on translation for twice as many steps as that page, in a minute or
two. Another machine adds in another order, and a thousand steps later has other bytes, but a model
of the same quality; what single heads do in it may differ. So the stored file, `data/translator.json`,
is kept where a new one errs as much on held-out sentences: what pages say is said of that file.
"""

import base64
import hashlib
import json
from functools import partial

import torch

from data.english_french import corpus
from taught.trained import unpacked
from taught.transformer import Transformer
from taught.translation import next_token_loss, to_tokens, train_translator
from workshop.page import ROOT

FILE = ROOT / "data" / "translator.json"
STEPS = 1000
TOP = 127  # the largest byte, and so the largest entry of a row, in units of its scale


def vocabulary(sentences):
    """The words of a language, as on that page: sorted, after those for padding, begin and end."""
    return ["<pad>", "<bos>", "<eos>", *sorted({word for words in sentences for word in words})]


def tokens_of(pairs, english, french):
    """Sources (pairs, m), and targets (pairs, n) from begin to end."""
    bos, eos = french.index("<bos>"), french.index("<eos>")
    sources = to_tokens([pair.source for pair in pairs], english)
    return sources, to_tokens([pair.target for pair in pairs], french, [bos], [eos])


def train(seed=0):
    """Train the model. Returns it and its vocabularies, English and French."""
    pairs = corpus().training
    english = vocabulary(pair.source for pair in pairs)
    french = vocabulary(pair.target for pair in pairs)
    sources, targets = tokens_of(pairs, english, french)
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


def error_of(text):
    """Nats a word on held-out sentences, of a translator as JSON."""
    model, english, french = unpacked(text)
    sources, targets = tokens_of(corpus().held_out, english, french)
    with torch.no_grad():
        return next_token_loss(model(sources, targets[:, :-1]), targets).item()


def write(file, text, error_of, within):
    """Write a model as JSON, unless the stored one's error on held-out data is the same to `within`."""
    error = error_of(text)
    print(f"error on held-out data {error:.4f}")
    if file.is_file():
        stored = error_of(file.read_text(encoding="utf-8"))
        print(f"of the stored model {stored:.4f}")
        if abs(error - stored) <= within:
            return
    file.write_text(text, encoding="utf-8", newline="\n")
    print("Written; its SHA256:", hashlib.sha256(text.encode()).hexdigest())


def main():
    write(FILE, packed(*train()), error_of, within=0.005)


if __name__ == "__main__":
    main()
