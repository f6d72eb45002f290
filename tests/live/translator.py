"""The trained translator in PyTorch, with the edits that a page can make: the truth of its figures."""

import copy
from contextlib import ExitStack, contextmanager
from functools import cache

import torch

from data.english_french import corpus
from taught.trained import trained_translator
from taught.translation import attention_maps, to_tokens

PAD, BOS, EOS = 0, 1, 2
PARTS = {"encoder": "attention", "own": "self_attention", "cross": "cross_attention"}
SIDES = {"encoder": "encoder", "own": "decoder", "cross": "decoder"}
TWINS = [corpus().minimal_pairs[k] for k in (0, 15)]
PAIRS = ["1. animal, street: tired / wide", "2. mouse, field: weak / wide"]


@cache
def precise_translator():
    """In float64; the codes of its positions keep their float32 values."""
    model, english, french = trained_translator()
    return copy.deepcopy(model).double(), english, french


@contextmanager
def edited(model, edits):
    """In the `with` block, the model of one sentence is changed as `edits` say, those of `engine.js`, and
    swapped: (a position, the vector that the memory then has there)."""

    def forbid(cuts):
        def hook(_, arguments):
            queries, keys, values, mask = arguments
            _, H, n, _ = queries.shape
            allowed = torch.ones(1, H, n, keys.shape[-2], dtype=torch.bool)
            allowed &= True if mask is None else mask
            for cut in cuts:
                allowed[0, cut.get("head", slice(None)), cut["query"], cut["key"]] = False
            return queries, keys, values, allowed

        return hook

    def swap(_, __, memory):
        memory = memory.clone()
        if "swapped" in edits:
            at, vector = edits["swapped"]
            memory[0, at] = vector
        return memory

    with ExitStack() as stack:
        hooked = lambda hook: stack.callback(hook.remove)  # noqa: E731
        for part, attribute in PARTS.items():
            for l, block in enumerate(getattr(model, SIDES[part])):
                layer, here = getattr(block, attribute), {"part": part, "layer": l}
                cuts = [cut for cut in edits.get("cuts", []) if here | cut == cut | here]
                hooked(layer.attention.register_forward_pre_hook(forbid(cuts)))
                if part in edits.get("removed", []):
                    nothing = lambda _, given: (0 * given[0],)  # noqa: E731
                    hooked(layer.W_o.register_forward_pre_hook(nothing))
        hooked(model.encoder_norm.register_forward_hook(swap))
        yield


@torch.no_grad()
def translated(words, written, edits):
    """Logits (n, V) and maps of the edited model that is given what a figure wrote, and would write
    the same. What reaches beyond the end of that is left out."""
    model, english, french = precise_translator()
    src, tgt = to_tokens([words], english), to_tokens([written], french, [BOS])
    cuts = edits.get("cuts", [])
    cuts = [c for c in cuts if c["part"] == "encoder" or c["query"] < tgt.shape[1]]
    with edited(model, edits | {"cuts": cuts}), attention_maps(model) as maps:
        logits = model(src, tgt)[0]
    likeliest = logits.argmax(-1).tolist()
    wanted = [*tgt[0, 1:].tolist(), EOS]
    assert likeliest[: len(written)] == wanted[:-1] and (len(written) == 24 or likeliest == wanted)
    return logits, maps


def log_odds(logits, step):
    french = precise_translator()[2]
    logs = torch.log_softmax(logits, dim=-1)
    return (logs[step, french.index("il")] - logs[step, french.index("elle")]).item()


def spoken_of(words):
    """The position of the first il or elle, or -1."""
    return next((i for i, word in enumerate(words) if word in ("il", "elle")), -1)


def check_odds(run, logits):
    """What is said of il or elle is of where it is now, in these words."""
    step = spoken_of(run["words"])
    assert run["step"] == step
    if step < 0:
        assert run["odds"] == "nan" and run["word"] == "neither"
    else:
        assert run["word"] == run["words"][step]
        assert abs(run["odds"] - log_odds(logits, step)) < 1e-9
