"""The parameters of a classifier of documents as whole numbers of 8 bits."""

import base64


def spec(model, token_of, labels, reviews, *, inputs=True):
    """model: the `state_dict()` of a `HierarchicalClassifier`. token_of: a number for each word."""
    names, documents = list(reviews), list(reviews.values())
    vocabulary = {word for document in documents for sentence in document for word in sentence}
    shapes, packed = [], b""
    for name, tensor in model.items():
        rows = tensor.detach().cpu().double().reshape(-1, tensor.shape[-1])
        scale = float(rows.abs().max().clamp(min=1e-12)) / 127
        shapes.append([name, scale, *rows.shape])
        packed += (rows / scale).round().numpy().astype("i1").tobytes()
    data = dict(reviews=documents, names=names, labels=labels, inputs=inputs)
    data |= dict(tokens={word: token_of[word] for word in sorted(vocabulary)})
    return data | dict(shapes=shapes, parameters=base64.b64encode(packed).decode())
