"""The trained translator in PyTorch, with the edits that a page can make: the truth of its figures."""

import copy
from contextlib import ExitStack, contextmanager
from functools import cache

import torch

from corpora.english_french import corpus
from taught.trained import trained_translator
from taught.translation import attention_maps, to_tokens

PAD, BOS, EOS = 0, 1, 2
PARTS = {"encoder": "attention", "own": "self_attention", "cross": "cross_attention"}
SIDES = {"encoder": "encoder", "own": "decoder", "cross": "decoder"}
NOTHING = {"cuts": [], "heads": [], "patches": []}
TWINS = [corpus().minimal_pairs[k] for k in (0, 15)]
PAIRS = ["1. animal, street: tired / wide", "2. mouse, field: weak / wide"]


@cache
def precise_translator():
    """In float64; the codes of its positions keep their float32 values."""
    model, english, french = trained_translator()
    return copy.deepcopy(model).double(), english, french


@contextmanager
def edited(model, edits, donor):
    """In the `with` block, the model of one sentence is changed as `edits` say."""
    edits = NOTHING | edits

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

    def silence(heads, H):
        def hook(_, arguments):
            joined = arguments[0].unflatten(-1, (H, -1)).clone()  # (1, n, H, d)
            for edit in heads:
                joined[:, :, edit["head"]] = 0
            return (joined.flatten(2),)

        return hook

    def patched(stage, x):
        x = x.clone()
        for patch in edits["patches"]:
            if patch["stage"] == stage:
                x[0, patch["position"]] = donor[stage][patch["from"]]
        return x

    with ExitStack() as stack:
        hooked = lambda hook: stack.callback(hook.remove)  # noqa: E731
        for part, attribute in PARTS.items():
            for l, block in enumerate(getattr(model, SIDES[part])):
                layer, here = getattr(block, attribute), {"part": part, "layer": l}
                cuts = [cut for cut in edits["cuts"] if here | cut == cut | here]
                heads = [edit for edit in edits["heads"] if here | edit == edit | here]
                hooked(layer.attention.register_forward_pre_hook(forbid(cuts)))
                hooked(layer.W_o.register_forward_pre_hook(silence(heads, layer.num_heads)))
        for l, block in enumerate(model.encoder):
            new = lambda _, given, l=l: (patched(l, given[0]), *given[1:])  # noqa: E731
            hooked(block.register_forward_pre_hook(new))
        last = len(model.encoder)
        hooked(model.encoder_norm.register_forward_hook(lambda _, __, x: patched(last, x)))
        yield


def stages_of(model, src):
    """What goes into each block of the encoder, and the memory; (m, D) each."""
    found = []
    with ExitStack() as stack:
        for block in model.encoder:
            hook = block.register_forward_pre_hook(lambda _, given: found.append(given[0][0]))
            stack.callback(hook.remove)
        memory = model.encode(src)[0]
    return [*found, memory]


@torch.no_grad()
def translated(words, written, edits=NOTHING, donor=None):
    """Logits (n, V) and maps of the edited model that is given what a figure wrote, and would write
    the same. What reaches beyond the end of that is left out."""
    model, english, french = precise_translator()
    src, tgt = to_tokens([words], english), to_tokens([written], french, [BOS])
    edits = NOTHING | edits
    cuts = [c for c in edits["cuts"] if c["part"] == "encoder" or c["query"] < tgt.shape[1]]
    with edited(model, edits | {"cuts": cuts}, donor), attention_maps(model) as maps:
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
