import base64

from live.bundle import display


def review(model, token_of, labels, reviews, *, inputs=True, static, alt):
    """A classifier of documents that runs in the page: words and sentences to erase.

    model: the parameters of a `HierarchicalClassifier`, its `state_dict()`, which are sent
    as whole numbers of 8 bits. token_of: a number for each word. labels: the names of the answers.
    reviews: {name: sentences}, tuples of words. inputs: whether states hold their inputs.
    """
    names, documents = list(reviews), list(reviews.values())
    known = {word for each in documents for sentence in each for word in sentence}
    shapes, packed = [], b""
    for name, tensor in model.items():
        rows = tensor.detach().cpu().double().reshape(-1, tensor.shape[-1])
        scale = float(rows.abs().max().clamp(min=1e-12)) / 127
        shapes.append([name, scale, *rows.shape])
        packed += (rows / scale).round().numpy().astype("i1").tobytes()
    spec = dict(reviews=documents, names=names, labels=labels, inputs=inputs)
    spec |= dict(tokens={word: token_of[word] for word in sorted(known)})
    spec |= dict(shapes=shapes, parameters=base64.b64encode(packed).decode())
    hint = (
        "erase “not” in the sentence with the longest bar. Put it back, and erase the whole "
        "sentence by its ×. Then erase “next door” too. What counts now?"
    )
    display("review", spec, hint, static, alt, digits=12)
