"""The trained translator in PyTorch, with the edits that a page can make: the truth of its figures."""

from contextlib import ExitStack, contextmanager
from functools import cache

import torch

from data.english_french import corpus
from taught.trained import trained_translator
from taught.translation import attention_maps, to_tokens

BOS, EOS = 1, 2
PARTS = {"encoder": "attention", "own": "self_attention", "cross": "cross_attention"}
SIDES = {"encoder": "encoder", "own": "decoder", "cross": "decoder"}
TWINS = [corpus().minimal_pairs[k] for k in (0, 15)]
PAIRS = ["1. animal, street: tired / wide", "2. mouse, field: weak / wide"]


@cache
def precise_translator():
    """In float64; the codes of its positions keep their float32 values."""
    model, english, french = trained_translator()
    return model.double(), english, french


@contextmanager
def edited(model, edits):
    """In the `with` block the model is changed as `edits` of `engine.js` say, or swapped: (position, vector in memory)."""

    def forbid(cuts):
        def hook(_, arguments):
            queries, keys, values, mask = arguments
            B, H, n, _ = queries.shape
            allowed = torch.ones(B, H, n, keys.shape[-2], dtype=torch.bool)
            allowed &= True if mask is None else mask
            for cut in cuts:
                row, head = (cut.get(name, slice(None)) for name in ("row", "head"))
                allowed[row, head, cut["query"], cut["key"]] = False
            return queries, keys, values, allowed

        return hook

    def swap(_, __, memory):
        at, vector = edits.get("swapped", (0, memory[0, 0]))
        return memory.index_put((torch.tensor([0]), torch.tensor([at])), vector)

    with ExitStack() as stack:
        hooked = lambda hook: stack.callback(hook.remove)  # noqa: E731
        for part, attribute in PARTS.items():
            for l, block in enumerate(getattr(model, SIDES[part])):
                layer, here = getattr(block, attribute), {"part": part, "layer": l}
                cuts = [cut for cut in edits.get("cuts", []) if here | cut == cut | here]
                hooked(layer.attention.register_forward_pre_hook(forbid(cuts)))
                if part in edits.get("removed", []):
                    nothing = lambda _, inputs: (0 * inputs[0],)  # noqa: E731
                    hooked(layer.W_o.register_forward_pre_hook(nothing))
        hooked(model.encoder_norm.register_forward_hook(swap))
        yield


@torch.no_grad()
def translated(words, written, edits):
    """Logits (n, V) and maps of the edited model, which is given what a figure wrote, and would write the same."""
    model, english, french = precise_translator()
    src, tgt = to_tokens([words], english), to_tokens([written], french, [BOS])
    cuts = [c for c in edits.get("cuts", []) if c["part"] == "encoder" or c["query"] < tgt.shape[1]]
    with edited(model, edits | {"cuts": cuts}), attention_maps(model) as maps:
        logits = model(src, tgt)[0]
    likeliest = logits.argmax(-1).tolist()
    expected = [*tgt[0, 1:].tolist(), EOS]
    assert likeliest[: len(written)] == expected[:-1] and (len(written) == 24 or likeliest == expected)
    return logits, maps


def spoken_of(words):
    return next((i for i, word in enumerate(words) if word in ("il", "elle")), -1)


def spoken(words, logits):
    """What is to be said of il or elle, where it is in these words."""
    step, french = spoken_of(words), precise_translator()[2]
    if step < 0:
        return dict(step=step, odds="nan", word="neither")
    odds = logits[step, french.index("il")] - logits[step, french.index("elle")]
    return dict(step=step, odds=odds, word=words[step])
