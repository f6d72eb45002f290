"""A tower that the page has trained, in 8 bits."""

import base64


def spec(tower, signs, word, lengths):
    """tower: a `LanguageModel`. signs: its letters, then the bar and the end sign. word: what it
    writes backwards at the start, of at most 8 letters. lengths: the fewest and the most letters
    that it was trained on.

    The numbers are packed as `engineTensors` of layers.js reads them: vectors and the scales of the
    rows of matrices as float32, then the rows, as whole numbers.
    """
    floats, whole, state = b"", b"", tower.cpu().state_dict()
    for tensor in state.values():
        if tensor.dim() == 2:
            scales = tensor.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
            whole += (tensor / scales).round().numpy().astype("i1").tobytes()
            tensor = scales[:, 0]
        floats += tensor.numpy().astype("<f4").tobytes()
    attention = tower.blocks[0].attention
    return dict(
        d_model=tower.embedding.embedding_dim,
        num_heads=attention.num_heads,
        num_layers=len(tower.blocks),
        tensors=[[name, list(tensor.shape)] for name, tensor in state.items()],
        numbers=base64.b64encode(floats + whole).decode(),
        letters=signs,
        word=word,
        lengths=lengths,
    )
