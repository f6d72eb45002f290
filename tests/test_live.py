"""Live figures in a real browser: their arithmetic against PyTorch, their controls, their places.

Each kind has one example, a truth in PyTorch, settings in which the two are compared, and things to
do with it. What is wrong with a script is shown by breaking it: `BROKEN` at the end.
"""

import base64
import copy
import functools
import html as entities
import json
import math
import re
import shutil
import subprocess
import sys
import time

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
import torch

from tests.built import the_book
from tests.test_browser import AXE, CHECK, WIDE, browser, visit  # noqa: F401, a fixture
from tests.test_engine import BOS, EOS, PARTS, SIDES, edited, stages_of
from utils import live
from utils.attention import causal_mask, masked_softmax
from utils.data.trained import trained_translator
from utils.data.translation import corpus
from utils.transformer import Cache, DecoderBlock, Transformer
from utils.translation import attention_maps, to_tokens
from workshop.page import ROOT, notebooks
from workshop.store import normal_outputs

ALT = "A figure that says in one sentence what there is to see."
CITIES = {
    "Berlin": (13.4, 52.5),
    "Madrid": (-3.7, 40.4),
    "Rome": (12.5, 41.9),
    "Wien": (16.4, 48.2),
}
WORDS = ["the", "rain", "stopped", "so", "<pad>"]


def draw(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


X = torch.linspace(0.2, 4.8, 12, dtype=torch.float64)
Y = X.sin() + 0.3 * draw(12)
CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()
WEIGHTS = masked_softmax(2 * draw(2, 3, 5, 5), CAUSAL)
CAPTIONS = [["a", "red", "cross"], ["a", "blue", "circle"]]
BOXES, ABOUT = [[[4, 8, 12, 20]], [[16, 0, 26, 10]]], [[-1, 0, 0], [-1, 0, 0]]
PICTURES = torch.rand(2, 3, 32, 32, generator=torch.Generator().manual_seed(5))
LOOKS = torch.softmax(3 * draw(2, 3, 64, seed=6), dim=-1)
REVIEW = [("the", "rain", "stopped"), ("so", "the", "so", "rain"), ("rain",)]


def small_classifier(seed=7):
    """Parameters of the shapes of page 7's classifier, in small."""
    width, words = 5 + 2 * 4, torch.nn.GRU(5, 4, bidirectional=True)
    sentences = torch.nn.GRU(width, 4, bidirectional=True)
    shapes = {"embedding.weight": (5, 5)}
    for level, gru in (("words", words), ("sentences", sentences)):
        shapes |= {f"{level}.gru.{name}": x.shape for name, x in gru.named_parameters()}
        inputs = width if level == "words" else width + 8
        shapes |= {f"{level}.pool.u": (6,), f"{level}.pool.W.weight": (6, inputs)}
        shapes |= {f"{level}.pool.W.bias": (6,)}
    shapes |= {"output.weight": (3, width + 8), "output.bias": (3,)}
    return {name: draw(*shape, seed=seed + k) for k, (name, shape) in enumerate(shapes.items())}


HANDS = [1.0, 0.1, 0.01, 0.001]
FRENCH = ["<bos>", "le", "chien", "dort", "dans", "la", "cour"]
MODELS = {
    "small": dict(D=32, H=4, F=64, N=2, src_vocab=40, tgt_vocab=50),
    "base": dict(D=512, H=8, F=2048, N=6, src_vocab=37000, tgt_vocab=37000),
    "odd": dict(D=21, H=3, F=10, N=1, src_vocab=9, tgt_vocab=8),
}
CODE = {name: f"the code of {name}" for name in live.PARTS[:-1]}
TWINS = [corpus().minimal_pairs[k] for k in (0, 15)]
NOUNS = {"masculine in French": ["animal", "truck"], "feminine in French": ["street", "car"]}
PATTERNS = {
    "because": "the NOUN didn't cross the NOUN because it was too ADJECTIVE .".split(),
    "present": "the ADJECTIVE NOUN sees the NOUN .".split(),
}
MENUS = {"NOUN": NOUNS, "ADJECTIVE": ["tired", "wide"]}
GAME, START = "The rain stopped. So the train ran.", 9
SEEN = "the road to the station is dry, so a cat sat and slept there. "
SIGNS = sorted(set(GAME + SEEN))


def expected_signs():
    """For each hidden character what counts of pairs expect, many of them equal."""
    pairs = torch.full((len(SIGNS), len(SIGNS)), 0.5, dtype=torch.float64)
    for before, sign in zip(SEEN, SEEN[1:]):
        pairs[SIGNS.index(before), SIGNS.index(sign)] += 1
    rows = pairs[[SIGNS.index(before) for before in GAME[START - 1 : -1]]]
    return rows / rows.sum(dim=1, keepdim=True)


EXPECTED = expected_signs()
PROMPTS, TOKENS = ["so the", "rain:\n"], ["e", " ", "th", "\n", *"aorsznlm", "ing", "."]
LOGITS = torch.stack([draw(14, seed=11), torch.tensor([0.0, -50] * 4 + [0.0] * 6).double()])
LOGITS[0, [2, 9, 13]] = LOGITS[0, 5].item()  # equal ones
DIALS = dict(temperatures=[0.1, 0.5, 1.0, 2.0], ks=[1, 4, 9, 14], ps=[0.25, 0.5, 0.8, 1.0])


def written(*at):
    """A text for each setting and throw, of many lengths; some are equal."""
    *setting, throw = at
    return f"{throw} rain {setting}" + "\nand snow" * (sum(setting) % 4) if sum(setting) else "rain"


TEXTS = [
    [[[[written(i, t, k, p, r) for r in range(3)] for p in range(4)] for k in range(4)] for t in range(4)]
    for i in range(2)
]  # fmt: skip
EXAMPLES = {
    "twins": lambda **a: live.twins(TWINS, **a),
    "looks": lambda **a: live.looks(TWINS, **a),
    "sentence": lambda **a: live.sentence(PATTERNS, MENUS, **a),
    "guess": lambda **a: live.guess(GAME, START, EXPECTED, SIGNS, **a),
    "sampling": lambda **a: live.sampling(PROMPTS, TOKENS, LOGITS, *DIALS.values(), TEXTS, **a),
    "transformer": lambda **a: live.transformer(MODELS, CODE, **a | {"static": "transformer"}),
    "cache": lambda **a: live.cache(FRENCH, **a),
    "questions": lambda **a: live.questions(**a),
    "clocks": lambda **a: live.clocks(draw(8, seed=8), draw(8, seed=9), HANDS, **a),
    "captions": lambda **a: live.captions(
        PICTURES,
        CAPTIONS,
        LOOKS,
        BOXES,
        ABOUT,
        [["a", "blue", "circle"], ["a", "red", "circle"]],
        **a,
    ),
    "review": lambda **a: live.review(
        small_classifier(),
        {w: i for i, w in enumerate(WORDS)},
        ["bad", "good", "small"],
        {"a": REVIEW, "b": REVIEW[1:]},
        **a,
    ),
    "lookup": lambda **a: live.lookup(list(CITIES), list(CITIES.values()), name="Roma", **a),
    "kernel": lambda **a: live.kernel(X, Y, truth=torch.stack([X, X.sin()], 1), query=2.5, **a),
    "mask": lambda **a: live.mask(WORDS, draw(5, 5, seed=1), length=4, **a),
    "scale": lambda **a: live.scale(**a),
    "heads": lambda **a: live.heads(WEIGHTS, WORDS, mask=CAUSAL, **a),
}


def shown(call, monkeypatch, **changed):
    """The data and the metadata that a function of `utils.live` displays."""
    found = []
    monkeypatch.setattr("IPython.display.display", lambda data, **more: found.append((data, more)))
    figure, ax = plt.subplots(figsize=(2, 2))
    ax.plot([1, 2])
    call(**{"static": figure, "alt": ALT} | changed)
    return found[0]


@pytest.fixture(scope="module")
def outputs():
    with pytest.MonkeyPatch.context() as patch:
        return {kind: shown(call, patch)[0]["text/html"] for kind, call in EXAMPLES.items()}


def spec_of(html):
    return json.loads(entities.unescape(re.search(r"spec='([^']*)'", html)[1]))


DOCUMENT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Live</title>
<meta name="viewport" content="width=device-width"><body><main><h1>Live</h1>{}</main></body></html>"""


@pytest.fixture
def opened(browser, outputs, tmp_path):  # noqa: F811
    """Open a page with some figures, and perhaps with a broken script."""
    contexts = []

    def open_page(*kinds, broken=None, screen="desk", **settings):
        body = "".join(outputs.get(kind, kind) for kind in kinds)  # or HTML of its own
        for old, new in (broken or {}).items():
            assert old in body, f"nothing to break: {old!r}"
            body = body.replace(old, new)
        path = tmp_path / "page.html"
        path.write_text(DOCUMENT.format(body), encoding="utf-8")
        context = visit(browser, tmp_path.as_uri() + "/", "page.html", screen, **settings)
        contexts.append(context)
        return context.__enter__()

    yield open_page
    for context in contexts:
        context.__exit__(None, None, None)


# ---------------------------------------------------------------- the arithmetic

PLAIN = """([state]) => {
    const element = document.querySelector("attention-live-1");
    Object.assign(element.figure.state, state);
    element.update();
    return JSON.stringify(element.numbers, (key, x) => Number.isNaN(x) ? "nan" : x);
}"""


def numbers(page, **state):
    """What the figure computes in a state."""
    return json.loads(page.evaluate(PLAIN, [state]))


def pairs(name):
    plain = f" {name.lower()} "
    found = torch.zeros(27, 27, dtype=torch.float64)
    for a, b in zip(plain, plain[1:], strict=False):
        found[(ord(a) - 96) % 64 * (a != " "), (ord(b) - 96) % 64 * (b != " ")] += 1
    return (found / found.norm()).flatten()


def lookup_truth(spec, state, found):
    query = pairs(state["name"]) if state["name"] else torch.zeros(729, dtype=torch.float64)
    scores = torch.stack([pairs(name) for name in spec["names"]]) @ query
    weights = torch.softmax(scores / state["temperature"], dim=0)
    places = torch.tensor(spec["places"], dtype=torch.float64)
    return {"scores": scores, "weights": weights, "output": weights @ places}


def kernel_truth(spec, state, found):
    x, y = (
        torch.tensor(spec["x"], dtype=torch.float64),
        torch.tensor(spec["y"], dtype=torch.float64),
    )

    def weigh(queries, width, itself=None):
        u = (queries[:, None] - x) / width
        heights = {
            "Gaussian": torch.exp(-(u**2) / 2),
            "boxcar": (u.abs() < 1).double(),
            "triangular": (1 - u.abs()).clamp(min=0),
            "Epanechnikov": (1 - u**2).clamp(min=0),
        }[state["kernel"]]
        if state["kernel"] == "Gaussian":
            scores = -(u**2) / 2
            if itself is not None:
                scores = scores.masked_fill(itself, -math.inf)
            return torch.softmax(scores, dim=1)
        if itself is not None:
            heights = heights.masked_fill(itself, 0)
        total = heights.sum(dim=1, keepdim=True)
        return heights / total.masked_fill(total == 0, 1)

    itself = torch.eye(len(x), dtype=torch.bool)
    weights = weigh(torch.tensor([state["query"]], dtype=torch.float64), state["width"])[0]
    squares = weights.square().sum()
    each = {"own": None, "loo": itself}
    errors = {
        name: torch.stack([(weigh(x, w, out) @ y - y).square().mean() for w in spec["widths"]])
        for name, out in each.items()
    }
    grid = torch.tensor(found["grid"], dtype=torch.float64)
    assert len(grid) == 121 + len(x) and set(spec["x"]) <= set(found["grid"])
    there = weigh(grid, state["width"])
    curve = (there @ y).masked_fill(there.sum(dim=1) == 0, math.nan)
    effective = 1 / squares if squares else squares
    return {"weights": weights, "fit": weights @ y, "effective": effective, "curve": curve} | errors


def mask_truth(spec, state, found):
    scores, n = torch.tensor(spec["scores"], dtype=torch.float64), len(spec["tokens"])
    i, j = torch.arange(n)[:, None], torch.arange(n)
    mask = (j < state["length"]).expand(n, n)
    mask = mask & (j <= i) if state["causal"] else mask
    mask = mask & (j <= i) & (j > i - 2) if state["window"] else mask
    mask = mask.clone()
    for k, is_open in state["pressed"].items():
        mask[int(k) // n, int(k) % n] = is_open
    if state["empty"].startswith("zeros"):
        return {"weights": masked_softmax(scores, mask), "mask": mask}
    fill = -1e9 if state["empty"].startswith("equal") else -math.inf
    return {"weights": torch.softmax(scores.masked_fill(~mask, fill), dim=1), "mask": mask}


def scale_truth(spec, state, found):
    query, keys, values = (
        torch.tensor(found[x], dtype=torch.float64) for x in ("query", "keys", "values")
    )
    assert query.shape == (state["d"],) and keys.shape == (16, state["d"])
    scores = (keys @ query / (math.sqrt(state["d"]) if state["divided"] else 1)).requires_grad_()
    weights = torch.softmax(scores, dim=0)
    loss = (weights @ values - values[0]).square().mean()
    (gradient,) = torch.autograd.grad(loss, scores)
    entropy = torch.special.entr(weights).sum()
    truth = dict(scores=scores, weights=weights, gradient=gradient, entropy=entropy)
    return {name: x.detach() for name, x in (truth | {"norm": gradient.norm()}).items()}


def heads_truth(spec, state, found):
    layer = int(state["layer"]) - 1
    assert found["focus"] == state["focus"]
    return {"matrix": torch.tensor(spec["weights"][layer][state["head"]], dtype=torch.float64)}


def captions_truth(spec, state, found):
    if not state["focus"]:
        return {}
    p, t = state["focus"]
    source = 1 - p if state["exchanged"] else p
    assert (
        found["from"] == source
        and found["said"] == spec["others" if state["exchanged"] else "words"]
    )
    weights = torch.tensor(spec["weights"][source][t], dtype=torch.float64)
    k = ABOUT[source][t]
    if k < 0:
        assert found["inside"] is None
        return {"map": weights}
    left, top, right, bottom = BOXES[source][k]
    inside = torch.zeros(32, 32, dtype=torch.bool)
    inside[top:bottom, left:right] = True
    return {"map": weights, "inside": weights[inside[2::4, 2::4].flatten()].sum()}


def review_truth(spec, state, found):
    """The classifier by PyTorch's GRU, in doubles, with the numbers that the figure was sent."""
    packed, x = np.frombuffer(base64.b64decode(spec["parameters"]), "i1"), {}
    for name, scale, rows, columns in spec["shapes"]:
        x[name], packed = (
            packed[: rows * columns].reshape(rows, columns) * scale,
            packed[rows * columns :],
        )
    x = {name: torch.tensor(each, dtype=torch.float64) for name, each in x.items()}

    def level(name, vectors):
        gru = torch.nn.GRU(vectors.shape[1], 4, bidirectional=True).double()
        for key, parameter in gru.named_parameters():
            parameter.data = x[f"{name}.gru.{key}"].view_as(parameter)
        states = torch.cat([gru(vectors)[0].detach(), vectors], dim=1)
        scores = torch.tanh(states @ x[f"{name}.pool.W.weight"].T + x[f"{name}.pool.W.bias"])
        weights = torch.softmax(scores @ x[f"{name}.pool.u"][0], dim=0)
        return weights @ states, weights

    review = spec["reviews"][spec["names"].index(state["review"])]
    gone = {key for key, out in state["gone"].items() if out}
    alpha, beta = (
        [torch.zeros(len(words)).double() for words in review],
        torch.zeros(len(review)).double(),
    )
    vectors, here = [], []
    for i, words in enumerate(review):
        kept = [t for t in range(len(words)) if f"{i},{t}" not in gone and str(i) not in gone]
        if kept:
            tokens = torch.tensor([spec["tokens"][words[t]] for t in kept])
            vector, weights = level("words", x["embedding.weight"][tokens])
            alpha[i][kept] = weights
            vectors.append(vector)
            here.append(i)
    document = torch.zeros(x["output.weight"].shape[1], dtype=torch.float64)
    if here:
        document, beta[here] = level("sentences", torch.stack(vectors))
    logits = x["output.weight"] @ document + x["output.bias"][0]
    for ours, wanted in zip(found["alpha"], alpha, strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-6, atol=1e-9)
    return {"beta": beta, "logits": logits, "chances": torch.softmax(logits, dim=0)}


def questions_truth(spec, state, found):
    """The best linear read-out by the pseudoinverse."""
    x = torch.tensor(spec["numbers"], dtype=torch.float64)
    first, second = ([a, 1 - a] for a in (state["p"], state["q"]))
    rows = [first, second] if state["heads"] == "two heads" else [first]
    rows = torch.tensor(rows, dtype=torch.float64)
    read = torch.linalg.pinv(rows, atol=1e-9)
    errors = (read @ rows - torch.eye(2)).square().sum(dim=1)
    assert abs(errors.sum() - (2 - torch.linalg.matrix_rank(rows, atol=1e-9))) < 1e-9
    return {"read": read, "outputs": rows @ x, "answers": read @ (rows @ x), "errors": errors}


def clocks_truth(spec, state, found):
    """Codes by equation (10.1), rotations as complex numbers."""
    w, mode = (
        torch.tensor(spec["frequencies"], dtype=torch.float64),
        spec["kinds"].index(state["kind"]),
    )
    at = [torch.tensor(state[x] + state["shift"]) for x in ("i", "j")]
    if mode == 0:
        hands = torch.stack([torch.stack([(p * w).sin(), (p * w).cos()], dim=1) for p in at], dim=1)
    else:
        pairs = torch.stack(
            [torch.tensor(spec[x], dtype=torch.float64).view(4, 2) for x in ("query", "key")], 1
        )
        numbers = torch.view_as_complex(pairs.contiguous())  # (4, 2)
        turn = torch.stack([-p * w for p in at], dim=1) * (mode == 1)
        hands = torch.view_as_real(numbers * torch.polar(torch.ones_like(turn), turn))
    parts = (hands[:, 0] * hands[:, 1]).sum(dim=1)
    if mode < 2:
        assert abs(found["curve"][state["i"] - state["j"] + 60] - parts.sum()) < 1e-9
    return {"hands": hands, "parts": parts, "product": parts.sum()}


def everything_again(block, x, memory, step):
    for i in range(x.shape[1]):
        step.append(0)
        yield block(x[:, : i + 1], memory, causal_mask(i + 1))[:, -1:]


def inputs_kept(block, x, memory, step):
    for i in range(x.shape[1]):
        step.append(0)
        y, new = block.norm1(x[:, : i + 1]), x[:, i : i + 1]
        new = new + block.self_attention(y[:, -1:], y, y)
        new = new + block.cross_attention(block.norm2(new), memory, memory)
        yield new + block.ffn(block.norm3(new))


def keys_and_values_kept(block, x, memory, step):
    cache = Cache()
    for i in range(x.shape[1]):
        step.append(0)
        yield block(x[:, i : i + 1], memory if i == 0 else memory[:, :0], cache=cache)


@functools.cache
def rows_received(way, n, m):
    """For each step, the rows that layers of a real decoder block receive when it decodes in a way."""
    block = DecoderBlock(8, 2, 16).double().eval()
    own, cross = block.self_attention, block.cross_attention
    x, memory, steps, rows = draw(1, n, 8), draw(1, m, 8, seed=1), [], []
    for layers in (
        (own.W_k, own.W_v),
        (own.W_q, own.W_o, cross.W_q, cross.W_o, block.ffn.W_1, block.ffn.W_2),
        (cross.W_k, cross.W_v),
    ):
        for layer in layers:

            def receive(_, inputs, output):
                steps[-1] += inputs[0].shape[1]

            steps.clear()
            hook = layer.register_forward_hook(receive)
            decode = globals()[way.replace(" ", "_")]
            outputs = torch.cat(list(decode(block, x, memory, steps)), dim=1)
            hook.remove()
            torch.testing.assert_close(outputs, block(x, memory, causal_mask(n)))
            assert layer is layers[0] or steps == rows[-1]
            rows[len(rows) - (layer is not layers[0]) :] = [list(steps)]
    return torch.tensor(rows).T  # (n, 3)


def cache_truth(spec, state, found):
    rows = rows_received(state["way"], len(spec["tokens"]), spec["memory"])[: state["step"]]
    return {"steps": rows, "totals": rows.sum(dim=0)}


def model_of(D, H, F, N, src_vocab, tgt_vocab):
    """One vocabulary for both has one table."""
    model = Transformer(src_vocab, tgt_vocab, D, H, N, F, norm_first=True).eval()
    if src_vocab == tgt_vocab:
        model.target.weight = model.output.weight = model.source.weight
    return model


def modules_of(model):
    """Of each part: its modules in the first block, and all others."""
    inside = {
        "encoder self-attention": lambda b: [b.attention],
        "encoder feed-forward network": lambda b: [b.ffn],
        "encoder norm": lambda b: [b.norm1, b.norm2],
        "causal self-attention": lambda b: [b.self_attention],
        "cross-attention": lambda b: [b.cross_attention],
        "decoder feed-forward network": lambda b: [b.ffn],
        "decoder norm": lambda b: [b.norm1, b.norm2, b.norm3],
    }
    outside = {
        "source embedding": [model.source],
        "target embedding": [model.target],
        "positional encoding": [model.positions],
        "encoder norm": [model.encoder_norm],
        "decoder norm": [model.decoder_norm],
        "output layer": [model.output],
    }
    for name in live.PARTS:
        blocks = model.encoder if name.startswith("encoder") else model.decoder
        first, *rest = [inside[name](block) if name in inside else [] for block in blocks]
        yield name, first, sum(rest, []) + outside.get(name, [])


def transformer_truth(spec, state, found):
    with torch.device("meta"):
        model = model_of(**spec["sizes"][state["model"]])

    seen = set()

    def size(modules):
        """Of the parameters that no earlier part has."""
        new = {p for module in modules for p in module.parameters()} - seen
        seen.update(new)
        return sum(p.numel() for p in new)

    counts = [(size(first), size(rest)) for _, first, rest in modules_of(model)]
    blocks, all_of_it = [first for first, _ in counts], [first + rest for first, rest in counts]
    k, total = spec["parts"].index(state["part"]), sum(p.numel() for p in model.parameters())
    assert spec["parts"] == live.PARTS and sum(all_of_it) == total
    truth = dict(blocks=blocks, all=all_of_it, total=total, k=k, share=all_of_it[k] / total)
    return {name: torch.tensor(x, dtype=torch.float64) for name, x in truth.items()}


@functools.cache
def precise_translator():
    model, english, french = trained_translator()
    return copy.deepcopy(model).double(), english, french


NOTHING = {"cuts": [], "heads": [], "patches": []}


@torch.no_grad()
def translated(words, written, edits=NOTHING, donor=None):
    """Logits (n, V) and maps of the edited model that is given what a figure wrote, and would write
    the same. What reaches beyond the end of that is left out."""
    model, english, french = precise_translator()
    src, tgt = to_tokens([words], english), to_tokens([written], french, [BOS])
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


CHANGES = ["swap", "nouns", "adjective", "encoder"]


def changed(pair, k, on):
    """The edits of sentence k of a pair, by what the corpus knows of it, and its donor's states."""
    here, other = pair[k], pair[1 - k]
    (adjective,) = [i for i, both in enumerate(zip(here.source, other.source)) if len({*both}) == 2]
    (said,), (others,) = here.pronouns, other.pronouns
    edits = copy.deepcopy(NOTHING)
    if "nouns" in on:
        for noun in (said.source_referent, others.source_referent):
            edits["cuts"].append({"part": "encoder", "query": said.source, "key": noun})
    if "adjective" in on:
        edits["cuts"].append({"part": "cross", "query": said.target, "key": adjective})
    if "encoder" in on:
        heads = [{"part": "encoder", "layer": l, "head": h} for l in range(2) for h in range(4)]
        edits["heads"] = heads
    with torch.no_grad():
        model, english, _ = precise_translator()
        inside = edits | {"cuts": [cut for cut in edits["cuts"] if cut["part"] == "encoder"]}
        with edited(model, inside, None):
            donor = stages_of(model, to_tokens([other.source], english))
    if "swap" in on:
        edits["patches"] = [{"stage": 2, "position": adjective, "from": adjective}]
    return edits, donor


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


def twins_truth(spec, state, found):
    pair = TWINS[found["pair"]["k"]]
    assert found["on"] == [name for name in CHANGES if state[name]]
    for k, here in enumerate(pair):
        for run, on in ((found["before"][k], []), (found["now"][k], found["on"])):
            logits, _ = translated(here.source, run["words"], *changed(pair, k, on))
            check_odds(run, logits)
        assert found["before"][k]["step"] == here.pronouns[0].target
        assert tuple(found["before"][k]["words"]) == here.target
    return {}


def looks_truth(spec, state, found):
    here = TWINS[int(state["pair"][0]) - 1][state["sentence"] == "second"]
    written, step = found["now"]["words"], here.pronouns[0].target
    logits, maps = translated(here.source, written, NOTHING | {"cuts": state["cuts"]})
    part, layer = MAPS[state["map"]]
    weights = maps[f"{SIDES[part]}.{layer}.{PARTS[part]}"][0][0]
    weights = weights.mean(0) if state["head"] == "mean of all" else weights[int(state["head"]) - 1]
    assert found["rows"] == (list(here.source) if part == "encoder" else [*written, "end"])
    assert found["keys"] == (["begin", *written] if part == "own" else list(here.source))
    check_odds(found["now"], logits)
    before, _ = translated(here.source, here.target)
    check_odds(found["before"], before)
    assert found["before"]["step"] == step
    start = here.pronouns[0].source if part == "encoder" else step
    assert found["row"] == (start if state["row"] is None else state["row"])
    m = weights.shape[1]
    ours = [[*row, *[0] * (m - len(row))] for row in found["matrix"]]
    np.testing.assert_allclose(ours, weights, rtol=1e-6, atol=1e-9)
    return {"weights": weights[found["row"]][: found["open"]]}


def sentence_truth(spec, state, found):
    assert not found["fault"]
    logits, _ = translated(found["words"], found["french"])
    tokens = to_tokens([found["french"]], precise_translator()[2])[0]
    chances = torch.softmax(logits, dim=-1)[range(len(tokens)), tokens]
    check_odds(found | {"words": found["french"]}, logits)
    return {"chances": chances}


def guess_truth(spec, state, found):
    hidden, tries = GAME[START:], state["tries"]
    at = sum(bool(each) and each[-1] in (None, sign) for each, sign in zip(tries, hidden))
    rows, order = found["rows"], EXPECTED.sort(dim=1, descending=True, stable=True).indices
    assert "".join(row["character"] for row in rows) == hidden[:at]
    assert [row["tries"] for row in rows] == tries[:at]
    assert [row["told"] for row in rows] == [each[-1] is None for each in tries[:at]]
    true = torch.tensor([SIGNS.index(sign) for sign in hidden[:at]]).long()
    p, ranks = EXPECTED[:at].gather(1, true[:, None])[:, 0], (order[:at] == true[:, None]).nonzero()
    ranks = ranks[:, 1] + 1
    for row, wanted, likely, chances in zip(rows, p, order, EXPECTED):
        assert [sign for sign, _ in row["top"]] == [SIGNS[i] for i in likely[:5]]
        np.testing.assert_allclose([q for _, q in row["top"]], chances[likely[:5]], rtol=1e-3)
        np.testing.assert_allclose(row["p"], wanted, rtol=1e-3)
    assert [row["rank"] for row in rows] == ranks.tolist()
    bits = torch.tensor([row["p"] for row in rows]).double().log2().neg().mean() if at else 0.0
    yours = sum(each == [sign] for each, sign in zip(tries, hidden))
    wrong = tries[at] if len(tries) > at else []
    assert found["wrong"] == wrong and found["left"] == len(hidden) - at
    truth = dict(at=at, yours=yours, theirs=(ranks == 1).sum(), bits=bits)
    return {name: torch.as_tensor(x, dtype=torch.float64) for name, x in truth.items()}


def sampling_truth(spec, state, found):
    """The filters by sorted probabilities and masks, on the numbers that the figure was sent."""
    prompt, dice = state["prompt"], state["dice"]
    logits = torch.tensor(spec["logits"][prompt], dtype=torch.float64)
    assert (logits - LOGITS[prompt]).abs().max() < 0.0051
    scores = logits / state["temperature"]
    order = scores.sort(descending=True, stable=True).indices
    left = scores.clone()
    left[order[state["k"] :]] = -math.inf
    top = left.isfinite().sum()
    assert top == state["k"]
    sums = torch.softmax(left, dim=0)[order].cumsum(0)
    if state["p"] < 1:
        enough = (sums >= state["p"] - 1e-9).nonzero()[0, 0]
        left[order[enough + 1 :]] = -math.inf
    kept = left.isfinite()
    assert sorted(found["kept"]) == kept.nonzero()[:, 0].tolist()
    at = [
        DIALS[name].index(state[name[0] if name != "temperatures" else name[:-1]]) for name in DIALS
    ]
    wanted = TEXTS[prompt]
    for i in at:
        wanted = wanted[i]
    assert found["text"] == wanted[dice] and found["prompt"] == PROMPTS[prompt]
    left = torch.softmax(left, dim=0)
    entropy = torch.distributions.Categorical(probs=left).entropy() / math.log(2)
    return dict(
        order=order, before=torch.softmax(scores, dim=0), left=left, top=top, entropy=entropy
    )


def same(found, truth):
    for name, expected in truth.items():
        ours = np.array(found[name]).astype(float)
        np.testing.assert_allclose(ours, expected.numpy(), rtol=1e-6, atol=1e-9, err_msg=name)


ZEROS, EQUAL, NAN = "zeros", "equal weights (softmax after −1e9)", "nan (softmax after −∞)"
WAYS = ("everything again", "inputs kept", "keys and values kept")
PAIRS = ["1. animal, street: tired / wide", "2. mouse, field: weak / wide"]
MAPS = {
    f"{name}, block {layer + 1}": (part, layer)
    for part, name in (
        ("encoder", "encoder"),
        ("own", "decoder to own words"),
        ("cross", "decoder to source"),
    )
    for layer in range(2)
}
SOME = [{"part": "cross", "query": 10, "key": 10}, {"part": "own", "query": 9, "key": 2}]
SOME += [{"part": "encoder", "layer": 1, "head": 2, "query": 7, "key": 1}]
MANY = [{"part": "cross", "query": 2, "key": key} for key in range(11)]  # neither il nor elle
SHIFTED = [{"part": "cross", "query": 1, "key": key} for key in range(12)]  # a word more before il
STATES = {
    "twins": [
        {"pair": pair} | {name: name in on for name in CHANGES}
        for pair, on in [
            *((PAIRS[0], each) for each in ((), *((name,) for name in CHANGES), CHANGES)),
            (PAIRS[1], ("swap", "encoder")),
            (PAIRS[1], ("swap", "nouns", "adjective")),
        ]
    ],
    "looks": [
        {"pair": PAIRS[k], "sentence": which, "map": map, "head": head, "cuts": cuts, "row": row}
        for k, which, map, head, cuts, row in (
            (0, "first", "decoder to source, block 2", "mean of all", [], None),
            (0, "second", "decoder to source, block 1", "3", SOME, None),
            (0, "first", "decoder to own words, block 1", "mean of all", SOME, 9),
            (0, "first", "decoder to source, block 1", "mean of all", MANY, 3),
            (0, "first", "decoder to source, block 1", "2", SHIFTED, None),
            (1, "second", "encoder, block 2", "3", SOME, None),
            (1, "first", "decoder to own words, block 2", "1", MANY, 3),
        )
    ],
    "sentence": [
        {"pattern": "because", "0,1": "truck", "0,5": "car", "typed": None},
        {"pattern": "present", "1,1": "wide", "typed": None},
        {"pattern": "because", "typed": "The mice  DIDN’T eat, because they were too small."},
    ],
    "guess": [
        {"tries": tries, "odd": ""}
        for tries in (
            [],
            [["s"]],
            [["x", "s"], ["t"], [None], ["e", None], ["p"], ["a", "b"]],
            [[sign] for sign in GAME[START:]],
            [*([None] for _ in GAME[START:])],
        )
    ],
    "sampling": [
        {"prompt": prompt, "temperature": t, "k": k, "p": p, "dice": (i + j) % 3}
        for prompt in range(2)
        for i, t in enumerate(DIALS["temperatures"])
        for j, k in enumerate(DIALS["ks"])
        for p in DIALS["ps"]
    ],
    "cache": [{"way": way, "step": step} for way in WAYS for step in (1, 4, 7)],
    "transformer": [
        {"model": model, "part": part}
        for model in MODELS
        for part in ("source embedding", "encoder norm", "cross-attention", "memory")
    ],
    "questions": [
        {"heads": heads, "p": p, "q": q}
        for heads in ("one head", "two heads")
        for p, q in ((0.8, 0.4), (0.5, 0.5), (1, 0), (0, 0.05))
    ],
    "clocks": [
        {"kind": kind, "i": i, "j": j, "shift": shift}
        for kind in live.KINDS_OF_HANDS
        for i, j, shift in ((8, 3, 0), (3, 8, 41), (60, 0, 7))
    ],
    "lookup": [
        {"name": name, "temperature": temperature}
        for name, temperature in (("Roma", 0.1), ("madryt", 0.01), ("", 1), ("Rome", 10))
    ],
    "kernel": [
        {"kernel": kernel, "width": live.WIDTHS[k], "query": query}
        for kernel in ("Gaussian", "boxcar", "triangular", "Epanechnikov")
        for k, query in ((3, 0.31), (27, 2.5), (43, 4.7))
    ],
    "mask": [
        {"length": 4, "causal": False, "window": False, "pressed": {}, "empty": ZEROS},
        {"length": 5, "causal": True, "window": False, "pressed": {}, "empty": ZEROS},
        {"length": 3, "causal": False, "window": True, "pressed": {}, "empty": ZEROS},
        {
            "length": 3,
            "causal": True,
            "window": True,
            "pressed": {"0": False, "23": True},
            "empty": EQUAL,
        },
        {
            "length": 0,
            "causal": True,
            "window": False,
            "pressed": {"7": True, "2": True},
            "empty": NAN,
        },
        {
            "length": 0,
            "causal": True,
            "window": False,
            "pressed": {"7": True, "2": True},
            "empty": EQUAL,
        },
    ],
    "scale": [
        {"d": d, "divided": divided, "seed": seed}
        for d, divided, seed in ((64, True, 1), (64, False, 1), (1024, False, 2), (1, True, 3))
    ],
    "captions": [
        {"exchanged": exchanged, "focus": focus, "lock": None}
        for exchanged in (False, True)
        for focus in (None, [0, 0], [0, 1], [1, 2])
    ],
    "review": [
        {"review": name, "gone": gone}
        for name in ("a", "b")
        for gone in ({}, {"0,1": True}, {"0": True, "1,2": True}, {"0": True, "1": True, "2": True})
    ],
    "heads": [
        {"layer": "1", "head": 0, "focus": None},
        {"layer": "2", "head": 1, "focus": ["query", 2]},
        {"layer": "2", "head": 2, "focus": ["key", 0]},
    ],
}
TRUTHS = {
    name.removesuffix("_truth"): f for name, f in globals().items() if name.endswith("_truth")
}


def check_arithmetic(kind, page, spec):
    for state in STATES[kind]:
        found = numbers(page, **state)
        same(found, TRUTHS[kind](spec, state, found))
    assert page.faults == []


@pytest.mark.parametrize("kind", EXAMPLES)
def test_numbers_equal_torch(kind, opened, outputs):
    check_arithmetic(kind, opened(kind), spec_of(outputs[kind]))


def test_the_draws_are_normal(opened):
    found = [numbers(opened("scale"), d=1024, seed=seed) for seed in range(3)]
    entries = np.concatenate([np.ravel(each["keys"]) for each in found])
    assert abs(entries.mean()) < 0.02 and abs(entries.std() - 1) < 0.02
    assert abs((entries**4).mean() - 3) < 0.2, "the tails are those of a normal distribution"
    assert found[0]["query"] != found[1]["query"]


# ---------------------------------------------------------------- the controls


def look(page):
    """What there is to see, and what is said, once a control has come to rest."""
    return page.evaluate("""async () => {
        await new Promise((done) => setTimeout(done, 260)); // behind the timer of what is said
        const root = document.querySelector("attention-live-1").shadowRoot;
        const picture = root.querySelector(".panels").innerHTML + root.querySelector(".controls").innerHTML;
        return [picture, root.querySelector(".say").textContent];
    }""")


def all_text(page):
    return page.evaluate("""() => [...document.querySelector("attention-live-1").shadowRoot.children]
        .filter(each => each.tagName !== "STYLE").map(each => each.textContent).join(" ")""")


def part(page, name):
    return page.locator("attention-live-1").first.locator(name)


def by_keys(name, *keys):
    def act(page):
        part(page, name).focus()
        for key in keys:
            page.keyboard.press(key)

    return act


def by_touch(name, where=None):
    def act(page):
        target = part(page, name)
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        x, y = where or (0.5, 0.5)
        page.touchscreen.tap(box["x"] + x * box["width"], box["y"] + y * box["height"])

    return act


def finger(page, start, *stops):
    """Touch at a place, move, and let go: what a finger does."""
    send = page.context.new_cdp_session(page).send

    def touch(kind, *points):
        points = [{"x": x, "y": y} for x, y in points]
        send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", start)
    for stop in stops:
        touch("touchMove", stop)
    touch("touchEnd")


def drag_point(page):
    target = part(page, ".grip >> nth=9")
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    finger(page, (x, y), (x, y - 20), (x, y - 60))


def range_of(nth):
    return f"input[type=range] >> nth={nth}"


TYPE = "button:text-is('type a sentence')"


def typing(text):
    def act(page):
        part(page, TYPE).click()
        part(page, "textarea").fill(text)

    return act


CONTROLS = {  # kind, a control, and whether the words change with it
    ("twins", "keys", "pair"): by_keys("select >> nth=0", "ArrowDown"),
    ("twins", "keys", "change"): by_keys(".change button >> nth=3", "Space"),
    ("twins", "touch", "change"): by_touch(".change button >> nth=2"),
    ("looks", "keys", "pair"): by_keys("select >> nth=0", "ArrowDown"),
    ("looks", "keys", "sentence"): by_keys("select >> nth=1", "ArrowDown"),
    ("looks", "keys", "attention"): by_keys("select >> nth=2", "ArrowUp"),
    ("looks", "keys", "head"): by_keys("select >> nth=3", "ArrowDown"),
    ("looks", "keys", "row"): by_keys(".token.query[tabindex='0']", "ArrowDown"),
    ("looks", "keys", "cut"): by_keys(".token.key[tabindex='0']", "End", "ArrowUp", "Enter"),
    ("looks", "touch", "row"): by_touch(".token.query >> nth=4"),
    ("looks", "touch", "cut"): by_touch(".token.key >> nth=10"),
    ("sentence", "keys", "pattern"): by_keys("select >> nth=0", "ArrowDown"),
    ("sentence", "keys", "noun"): by_keys("select >> nth=1", "ArrowDown"),
    ("sentence", "touch", "text"): typing("my cat sleeps in the house ."),
    ("guess", "keys", "right"): by_keys("input", "s"),
    ("guess", "keys", "wrong"): by_keys("input", "o"),
    ("guess", "keys", "space"): by_keys("button >> nth=0", "Enter"),
    ("guess", "keys", "tell"): by_keys("button >> nth=1", "Space"),
    ("guess", "touch", "space"): by_touch("button >> nth=0"),
    ("guess", "touch", "tell"): by_touch("button >> nth=1"),
    ("sampling", "keys", "prompt"): by_keys("select", "ArrowDown"),
    ("sampling", "keys", "temperature"): by_keys(range_of(0), "ArrowLeft"),
    ("sampling", "keys", "k"): by_keys(range_of(1), "ArrowLeft"),
    ("sampling", "keys", "p"): by_keys(range_of(2), "ArrowLeft"),
    ("sampling", "keys", "dice"): by_keys("button >> nth=0", "Enter"),
    ("sampling", "touch", "temperature"): by_touch(range_of(0), (0.1, 0.5)),
    ("sampling", "touch", "dice"): by_touch("button >> nth=0"),
    ("transformer", "keys", "part"): by_keys("[role=button] >> nth=0", "Enter"),
    ("transformer", "keys", "next part"): by_keys("[role=button] >> nth=0", "Tab", "Space"),
    ("transformer", "keys", "list"): by_keys("select >> nth=0", "ArrowDown"),
    ("transformer", "keys", "model"): by_keys("select >> nth=1", "ArrowDown"),
    ("transformer", "touch", "part"): by_touch("[data-part=memory]"),
    ("cache", "keys", "way"): by_keys("select", "ArrowDown"),
    ("cache", "keys", "step"): by_keys(range_of(0), "ArrowRight"),
    ("cache", "touch", "step"): by_touch(range_of(0), (0.9, 0.5)),
    ("questions", "keys", "p"): by_keys(range_of(0), "ArrowLeft"),
    ("questions", "keys", "heads"): by_keys("select", "ArrowDown"),
    ("questions", "keys", "q"): by_keys("select", "ArrowDown", "Tab", "Tab", "ArrowLeft"),
    ("questions", "touch", "p"): by_touch(range_of(0), (0.2, 0.5)),
    ("clocks", "keys", "i"): by_keys(range_of(0), "ArrowRight"),
    ("clocks", "keys", "both"): by_keys(range_of(2), "ArrowRight"),
    ("clocks", "keys", "hands"): by_keys("select", "ArrowDown"),
    ("clocks", "touch", "j"): by_touch(range_of(1), (0.6, 0.5)),
    ("lookup", "keys", "query"): by_keys("input[type=text]", "Control+a", *"Wien"),
    ("lookup", "keys", "temperature"): by_keys(range_of(0), "ArrowLeft"),
    ("lookup", "touch", "temperature"): by_touch(range_of(0), (0.2, 0.5)),
    ("kernel", "keys", "width"): by_keys(range_of(0), "ArrowRight"),
    ("kernel", "keys", "query"): by_keys(range_of(1), "ArrowRight"),
    ("kernel", "keys", "kernel"): by_keys("select", "ArrowDown"),
    ("kernel", "keys", "point"): by_keys(".handle", "ArrowRight", *["ArrowUp"] * 9),
    ("kernel", "touch", "width"): by_touch(range_of(0), (0.2, 0.5)),
    ("kernel", "touch", "query"): by_touch(".drag", (0.8, 0.9)),
    ("kernel", "touch", "point"): drag_point,
    ("mask", "keys", "length"): by_keys(range_of(0), "ArrowLeft"),
    ("mask", "keys", "causal"): by_keys("input[type=checkbox] >> nth=0", "Space"),
    ("mask", "keys", "window"): by_keys("input[type=checkbox] >> nth=1", "Space"),
    ("mask", "keys", "cell"): by_keys(".press >> nth=0", "ArrowRight", "ArrowDown", "Enter"),
    ("mask", "touch", "causal"): by_touch("input[type=checkbox] >> nth=0"),
    ("mask", "touch", "cell"): by_touch(".press >> nth=7"),
    ("scale", "keys", "d"): by_keys(range_of(0), "ArrowLeft"),
    ("scale", "keys", "divided"): by_keys("input[type=checkbox]", "Space"),
    ("scale", "keys", "draw"): by_keys("button >> nth=0", "Enter"),
    ("scale", "touch", "divided"): by_touch("input[type=checkbox]"),
    ("scale", "touch", "draw"): by_touch("button >> nth=0"),
    ("heads", "keys", "layer"): by_keys("select", "ArrowDown"),
    ("heads", "keys", "head"): by_keys(".thumb >> nth=1", "Enter"),
    ("heads", "keys", "token"): by_keys(".token >> nth=3", "Enter"),
    ("heads", "touch", "head"): by_touch(".thumb >> nth=2"),
    ("heads", "touch", "token"): by_touch(".token.key >> nth=1"),
    ("captions", "keys", "exchange"): by_keys("input[type=checkbox]", "Space"),
    ("captions", "keys", "word"): by_keys(".word >> nth=4", "Enter"),
    ("captions", "touch", "exchange"): by_touch("input[type=checkbox]"),
    ("captions", "touch", "word"): by_touch(".word >> nth=5"),
    ("review", "keys", "word"): by_keys(".word >> nth=1", "Enter"),
    ("review", "keys", "sentence"): by_keys(".whole >> nth=1", "Enter"),
    ("review", "keys", "review"): by_keys("select", "ArrowDown"),
    ("review", "touch", "word"): by_touch(".word >> nth=2"),
    ("review", "touch", "sentence"): by_touch(".whole >> nth=0"),
    ("heads", "touch", "map"): by_touch(".panels > svg", (0.4, 0.8)),
}


def check_control(kind, way, what, opened, **more):
    touch = {"screen": "phone", "has_touch": True, "is_mobile": True} if way == "touch" else {}
    page = opened(kind, **touch, **more)
    before = look(page)
    CONTROLS[kind, way, what](page)
    after = look(page)
    assert after[0] != before[0], "the picture"
    assert after[1] != before[1], "the words"
    part(page, ".foot button").click()
    page.evaluate("document.querySelector('attention-live-1').shadowRoot.activeElement?.blur()")
    page.mouse.move(0, 0)
    reset = look(page)
    assert reset[1] == before[1], "Reset brings the words back"
    assert page.faults == []


@pytest.mark.parametrize("kind, way, what", CONTROLS)
def test_a_control_changes_picture_and_words(kind, way, what, opened):
    check_control(kind, way, what, opened)


def press(page, *places):
    for place in places:
        part(page, place).first.click()
    return look(page)[1]


def tab(page):
    page.keyboard.press("Tab")
    return page.evaluate(
        "document.querySelector('attention-live-1').shadowRoot.activeElement.textContent"
    )


def check_guesses(page):
    """A guess is judged and locked once its change was tried; without one there is no verdict."""
    change, guess, outcome = (
        part(page, f".change {each}") for each in ("button", "select", "span")
    )
    height = part(page, ":scope").bounding_box()["height"]
    assert "sentence 1 gets il, sentence 2 gets elle" in look(page)[1]
    guess.nth(0).select_option("turns a pronoun")
    guess.nth(1).select_option("turns a pronoun")
    guess.nth(0).focus()
    assert tab(page) == change.nth(0).inner_text(), "the guess comes before its button"
    assert "turns none" in tab(page)
    said = press(page, ".change button >> nth=0")
    assert "Sentence 1: il becomes elle. Sentence 2: elle becomes il." in said
    assert outcome.nth(0).inner_text() == "both turn; you guessed it"
    assert guess.nth(0).is_disabled() and guess.nth(1).is_enabled()
    assert guess.nth(0).evaluate("e => e.selectedOptions[0].text") == "locked: turns a pronoun"
    said = press(page, ".change button >> nth=1")
    assert outcome.nth(1).inner_text() == "nothing turns; you guessed otherwise"
    assert "Nothing turns: sentence 1 keeps il, sentence 2 keeps elle." in said
    said = press(page, ".change button >> nth=2")
    word = outcome.nth(2).inner_text()
    assert re.fullmatch("both are (il|elle) now", word), "she has not guessed"
    assert guess.nth(2).evaluate("e => e.selectedOptions[0].text") == "locked: no guess"
    same = f"Both sentences now get {word.split()[2]}: nothing else tells the two apart."
    assert said == same
    assert abs(part(page, ":scope").bounding_box()["height"] - height) < 1, "nothing moves"
    page.emulate_media(media="print")
    printed = [each.is_visible() for each in part(page, ".change").all()]
    assert printed == [True, True, True, False] and not guess.nth(0).is_visible()
    assert change.nth(0).is_visible(), "a result is printed with its name"
    page.emulate_media(media="screen")
    press(page, ".foot button")
    assert outcome.all_inner_texts() == [""] * 4 and guess.nth(0).is_enabled()
    assert page.faults == []


def test_a_guess_is_kept_and_judged(opened):
    check_guesses(opened("twins"))


def check_exclusive(page):
    """One change at a time, and the same one again undoes it, unless they are to be combined."""

    def on():
        return [
            each.get_attribute("aria-pressed") == "true"
            for each in part(page, ".change button").all()
        ]

    press(page, ".change button >> nth=0", ".change button >> nth=2")
    assert on() == [False, False, True, False]
    assert "Nothing is changed" in press(page, ".change button >> nth=2")
    part(page, "label:has-text('combine changes') input").check()
    press(page, ".change button >> nth=2", ".change button >> nth=3")
    assert on() == [False, False, True, True] and numbers(page)["on"] == ["adjective", "encoder"]
    assert part(page, ".change span").nth(3).inner_text() == "", "it was not tried alone"
    part(page, "label:has-text('combine changes') input").uncheck()
    assert on() == [False, False, True, False]
    part(page, "select >> nth=0").select_option(index=1)
    assert on() == [False] * 4 and part(page, ".change select >> nth=2").is_enabled()
    assert page.faults == []


def test_one_change_at_a_time(opened):
    check_exclusive(opened("twins"))


def check_shift(page):
    """The bar, the bold word and the words are of the il that is written now."""
    found = numbers(page, cuts=SHIFTED)
    step, words = found["now"]["step"], found["now"]["words"]
    assert step != found["before"]["step"] and words[step] == "il"
    logits, _ = translated(TWINS[0][0].source, words, NOTHING | {"cuts": SHIFTED})
    value = f"{log_odds(logits, step):.1f}"
    assert f"{found['before']['odds']:.1f}" != value
    bar = part(page, ".card svg .strong")
    assert bar.text_content() == value
    assert part(page, ".french .strong").all_inner_texts() == ["il"]
    assert (
        f"il stays. The translation has shifted: il is word {step + 1}, il was word"
        in look(page)[1]
    )
    numbers(page, cuts=MANY)
    assert bar.text_content() == "" and part(page, ".french .strong").count() == 0
    assert "no il or elle is written now" in part(page, ".card svg").text_content()
    assert part(page, ".ghost").get_attribute("visibility") == "visible", "the mark of before"
    said = look(page)[1]
    assert "With 11 cuts: il is gone." in said and "becomes" not in said
    press(page, ".foot summary")
    assert "log-odds now none" in part(page, "tbody").inner_text()
    assert page.faults == []


def test_rows_are_high_enough_for_a_finger(opened):
    page = opened("looks", screen="phone", has_touch=True, is_mobile=True)
    rows = [each.bounding_box() for each in part(page, ".token.key:visible").all()]
    assert min(row["height"] for row in rows) >= 28
    ends = page.evaluate("""() => [...document.querySelector("attention-live-1").shadowRoot
        .querySelectorAll(".arc")].slice(0, 12).map(arc => arc.getPointAtLength(arc.getTotalLength())
        .matrixTransform(arc.getScreenCTM()).y)""")
    middles = [row["y"] + row["height"] / 2 for row in rows]
    np.testing.assert_allclose(ends, middles, atol=1, err_msg="lines end at their words")


def test_the_bar_is_of_the_word_that_is_written_now(opened):
    check_shift(opened("looks"))


def check_cuts(page):
    """A row that is pointed at is shown meanwhile. A cut shows, names what it takes, means one head if it is to, and can be taken back."""
    tired = ".token.key >> nth=10"
    part(page, ".token.query >> nth=1").hover()
    assert "that writes “animal” looks most at" in look(page)[1]
    part(page, tired).hover()
    assert "that writes “il” looks most at" in look(page)[1]
    widths = page.evaluate("""() => [...document.querySelector("attention-live-1").shadowRoot
        .querySelectorAll(".arc")].slice(0, 12).map(arc => parseFloat(getComputedStyle(arc).strokeWidth))""")
    wanted = numbers(page)["weights"]
    np.testing.assert_allclose(widths, [1 + 9 * weight for weight in wanted], atol=0.06)
    said = press(page, tired)
    assert "With 1 cut: il becomes elle." in said
    assert part(page, tired).inner_text().split() == ["tired", "cut"]
    assert part(page, ".arc.cut").count() == 1
    assert part(page, ".chip").all_inner_texts() == [
        "cut: → elle to tired (both blocks, all heads) ×"
    ]
    assert "Nothing is cut" in press(page, ".chip")
    scope = part(page, "select >> nth=4")
    assert scope.inner_text().split("\n")[-1] == "this block, all heads"
    scope.select_option("this block and head")
    part(page, "select >> nth=3").select_option("2")
    assert scope.inner_text().split("\n")[-1] == "this block and head"
    press(page, ".token.query >> nth=8", ".token.key >> nth=6")
    chips = part(page, ".chip").all_inner_texts()
    assert chips == ["cut: → parce to because (block 2, head 2) ×"]
    part(page, "select >> nth=3").select_option("3")
    assert part(page, ".token.key.masked").count() == 0, "another head still looks"
    part(page, "select >> nth=3").select_option("2")
    line = part(page, ".wide >> nth=6")
    x, y = line.evaluate("""line => {
        const place = line.getPointAtLength(line.getTotalLength() * 0.8).matrixTransform(line.getScreenCTM());
        return [place.x, place.y];
    }""")
    page.mouse.click(x, y + 3)
    assert "Nothing is cut" in look(page)[1], "its line restores it"
    part(page, "select >> nth=2").select_option("decoder to own words, block 1")
    keys = [each.inner_text().split()[0] for each in part(page, ".token.key:visible").all()]
    written = numbers(page)["rows"]
    assert keys == ["begin", *written[: len(keys) - 1]] and len(keys) == numbers(page)["row"] + 1
    numbers(page, cuts=[{"part": "cross", "query": 2, "key": key} for key in range(12)])
    press(page, ".foot summary")
    assert part(page, "tbody tr").count() == 19, "one word more, the French, and the log-odds"
    assert page.faults == []


def test_cuts(opened):
    check_cuts(opened("looks"))


FRENCH_SHOWN = """() => [...document.querySelector("attention-live-1").shadowRoot
    .querySelectorAll(".glosses > span > span > span")].map(word => word.textContent).join(" ")"""


def check_typing(page):
    """What can't be translated is named, once, and the last French stays, greyed."""
    part(page, TYPE).click()
    box, panel = part(page, "textarea"), part(page, ".panels")
    assert box.input_value() == "the animal didn't cross the street because it was too tired."
    assert part(page, "select:visible").count() == 0, "one English sentence at a time"
    place = panel.bounding_box()
    box.press("Control+a")
    box.press_sequentially("my dog ", delay=5)
    so_far = page.evaluate(FRENCH_SHOWN)
    assert "chien" in so_far and part(page, ".stale").count() == 0
    box.press_sequentially("sle", delay=5)
    assert "vocabulary" not in look(page)[1], "half a word"
    assert part(page, ".stale").count() == 1 and page.evaluate(FRENCH_SHOWN) == so_far
    box.press_sequentially("eps in the park. ", delay=5)
    assert page.evaluate(FRENCH_SHOWN) == "mon chien dort dans le parc ."
    assert part(page, ".stale").count() == 0
    for text, words in (
        ("The yak eats a Zebra, the yak.", "Not in the vocabulary: yak, zebra. The 182"),
        ("  ", "Type a few English words."),
        ("the " * 25, "25 words are too many; 24"),
        ("<eos>", "Not in the vocabulary: <eos>"),
    ):
        box.fill(text)
        page.wait_for_timeout(520)  # a pause
        assert words in look(page)[1]
        assert part(page, ".stale").count() == 1 and panel.bounding_box() == place
        assert page.evaluate(FRENCH_SHOWN) == "mon chien dort dans le parc ."
        assert all_text(page).count(words) == 1
    part(page, "button:text-is('use the menus')").click()
    assert not box.is_visible() and "animal" in page.evaluate(FRENCH_SHOWN)
    part(page, "select >> nth=1").select_option("car")
    part(page, TYPE).click()
    assert box.input_value().startswith("the car didn't cross")
    assert page.faults == []


def check_tries(page):
    """Sentences outside the grammar, with what is wrong about their French."""
    buttons = part(page, ".tries button")
    assert buttons.count() == 3
    found = []
    for button in buttons.all():
        button.click()
        said = look(page)[1]
        assert part(page, "textarea").input_value() == button.inner_text() and "Wrong: " in said
        found.append((button.inner_text(), numbers(page), said))
    for english, run, _ in found:
        same(run, sentence_truth(None, None, run))
        assert run["words"] == english.replace(".", " .").split()
    half, sure, mouse = (run for _, run, _ in found)
    assert {"street", "animal"} <= {*half["words"]} and "rue" in half["french"]
    assert not {"animal", "et", "fatigué"} & {*half["french"]}
    assert {"tired", "dry"} <= {*sure["words"]} and min(sure["chances"]) > 0.8
    assert "fatigué" in sure["french"] and not {"sec", "sèche", "et"} & {*sure["french"]}
    assert "porté" in mouse["french"]
    part(page, "button:text-is('use the menus')").click()
    assert "Wrong" not in look(page)[1]
    lines = page.evaluate("""() => [...document.querySelector("attention-live-1").shadowRoot
        .querySelectorAll(".glosses > span")].map(part => part.innerText.split(/\\s+/)[0])""")
    assert "." not in lines, "a mark stands with its word"
    assert page.faults == []


def test_sentences_to_try(opened):
    check_tries(opened("sentence"))


def test_a_typed_sentence(opened):
    check_typing(opened("sentence"))


def check_game(page):
    """A guess is listed or moves the text on; what came next is marked among what was expected."""
    box, passage, chart = part(page, "input"), part(page, ".passage"), part(page, ".panels > svg")
    place, seen = part(page, ":scope").bounding_box(), []
    page.evaluate("document.addEventListener('keydown', () => (document.title = 'heard'))")
    assert passage.inner_text() == GAME[:START]
    assert not chart.locator(".cell").count() and "once you have guessed" in chart.text_content()

    def try_one(*keys):
        for key in keys:
            box.press(key)
        return look(page)[1]

    waits = "e => (e.value = '´', e.dispatchEvent(new InputEvent('input', { isComposing: true })))"
    assert box.evaluate(waits) and box.input_value() == "´", "an accent and no letter yet"
    assert try_one("x", "z").startswith("“z” isn't a character of these texts")
    assert try_one("o", "a", "O").startswith("“O” has been tried here, so it doesn't count.")
    assert page.title() == "Live", "the page around has shortcuts of its own"
    assert part(page, "s").all_inner_texts() == ["o", "a"] and box.input_value() == ""
    hidden, score = GAME[START:], "You needed 1 guess for {} of {} character{}, the counts for {}."
    order = EXPECTED.sort(dim=1, descending=True, stable=True).indices.tolist()
    ranks = [order[i].index(SIGNS.index(sign)) + 1 for i, sign in enumerate(hidden)]
    assert min(ranks) == 1 and max(ranks) > 5 and {2, 3, 4, 5} & {*ranks}, "each kind of place"
    mine = 0
    for i, sign in enumerate(hidden):
        assert part(page, ".rest").evaluate("e => getComputedStyle(e).visibility") == "hidden"
        assert passage.inner_text() == GAME[: START + i]
        if i == 4:
            said = press(page, "button:text-is('tell me')")
            assert said.startswith(f"It was “{sign}”, guess number {ranks[i]} of the counts.")
            assert part(page, ".missed").all_inner_texts() == [hidden[0], sign]
        elif sign == " " and i % 2:
            said = press(page, "button:text-is('space')")
        else:  # the other case of a letter is right too
            said = try_one(sign.swapcase())
        if i == 0:
            assert said.startswith(f"“s” is right, after 3 guesses; it was guess number {ranks[0]}")
        elif i == len(hidden) - 1:
            assert said.startswith("That was all. You needed 1 guess for")
            mine += 1
        elif i != 4:
            name = "A space" if sign == " " else f"“{sign}”"
            assert said.startswith(f"{name} is right, at once; it was guess number {ranks[i]} of")
            mine += 1
        wanted = score.format(mine, i + 1, "s" if i else "", ranks[: i + 1].count(1))
        assert wanted in said and part(page, "s").count() == 0
        texts = chart.locator("text:not([visibility=hidden])").all_text_contents()
        names = [SIGNS[k].replace(" ", "␣") for k in order[i][:5]]
        assert texts[2:7] == names and texts[-1] == f"guess number {ranks[i]} of the counts"
        assert (
            f"…{GAME[max(START + i - 17, 0) : START + i].replace(' ', '␣')}"[-9:] == texts[1][-9:]
        )
        drawn = chart.locator("rect:not(.frame)").evaluate_all(
            "all => all.map(e => [e.getAttribute('class'), +e.getAttribute('width')])"
        )
        shares = [EXPECTED[i, k].item() for k in order[i][:5]]
        shares += [EXPECTED[i, SIGNS.index(sign)].item()] * (ranks[i] > 5)
        np.testing.assert_allclose(
            [w for _, w in drawn[: len(shares)]], 1 + 160 * np.array(shares), atol=0.1
        )
        assert [kind for kind, _ in drawn].index("cell") == min(ranks[i], 6) - 1
        assert [kind for kind, _ in drawn].count("cell") == 1
        frame, bar = chart.locator(".frame").bounding_box(), chart.locator(".cell").bounding_box()
        assert frame["y"] < bar["y"] < bar["y"] + bar["height"] < frame["y"] + frame["height"]
        seen.append(chart.locator("text:text-is('⋮')").get_attribute("visibility") == "visible")
    assert seen == [rank > 5 for rank in ranks]
    bits = -torch.stack([EXPECTED[i, SIGNS.index(c)] for i, c in enumerate(hidden)]).log2().mean()
    assert f"The loss of the counts is {bits:.2f} bits per character here." in said
    assert abs(part(page, ":scope").bounding_box()["height"] - place["height"]) < 1, "nothing moves"
    press(page, ".foot summary")
    rows = [row.split("\t") for row in part(page, "tbody tr").all_inner_texts()]
    assert [row[0] for row in rows] == list(hidden.replace(" ", "␣"))
    assert rows[0][1] == "o a s" and rows[4][1] == "told"
    assert [row[2] for row in rows] == [str(rank) for rank in ranks]
    press(page, ".foot button")
    assert passage.inner_text() == GAME[:START] and try_one("s").startswith("“s” is right, at once")
    assert page.faults == []


def check_end(page):
    """When all is guessed there is nothing more to do."""
    found = numbers(page, tries=[[sign] for sign in GAME[START:]])
    said = look(page)
    assert said[1].startswith("That was all.") and found["left"] == 0
    part(page, "input").press("e")
    part(page, "button:text-is('tell me')").dispatch_event("click")
    assert look(page) == said and page.faults == []


def test_the_end_of_the_game(opened):
    check_end(opened("guess"))


def check_room(page):
    """The text has its room from the start."""
    page.set_viewport_size({"width": 320, "height": 700})
    passage, heights = part(page, ".passage"), []
    for n in (0, 7, 20, len(GAME) - START):
        numbers(page, tries=[[sign] for sign in GAME[START : START + n]])
        heights.append(passage.bounding_box()["height"])
    assert min(heights) > 50 and len({*heights}) == 1


def test_the_text_of_the_game_has_its_room(opened):
    check_room(opened("guess"))


def test_the_guessing_game(opened):
    check_game(opened("guess"))


def check_filters(page):
    """Bars are what is left, dashed what was there before, hatched what is gone; text and room."""
    chart, room = part(page, ".panels > svg"), part(page, ".written")
    places = {box.bounding_box()["height"] for box in (room, part(page, ":scope"))}
    for state in STATES["sampling"][::5]:
        found = numbers(page, **state)
        order, kept, V = found["order"], set(found["kept"]), len(TOKENS)
        drawn = chart.locator(
            ":is(.cell, .ghost, .hatch)"
        ).evaluate_all("""all => all.map(e =>
            [e.getAttribute("class"), e.getAttribute("visibility") !== "hidden", e.getBBox().width])""")
        groups = [[i] for i in order[:12]] + [order[12:]]
        was, now = (
            np.array([sum(found[name][i] for i in group) for group in groups])
            for name in ("before", "left")
        )
        bars, ghosts, gone = (drawn[13 * k : 13 * k + 13] for k in range(3))
        left = [any(i in kept for i in group) for group in groups]
        assert [seen for _, seen, _ in bars] == left == [not seen for _, seen, _ in gone]
        assert [seen for _, seen, _ in ghosts] == list(np.array(left) & (abs(now - was) > 0.002))
        for each, wanted in ((bars, now), (ghosts, was), (gone, was)):
            np.testing.assert_allclose([w for _, _, w in each], 1 + 214 * wanted, atol=0.1)
        texts = chart.locator("text").all_text_contents()
        assert texts[0] == f"{len(kept)} of {V} tokens left"
        assert texts[1] == f"entropy {found['entropy']:.2f} bits"
        names = [TOKENS[i].replace(" ", "␣").replace("\n", "¶") for i in order[:12]]
        assert texts[2:15] == [*names, "2 others"]
        assert [bool(each) for each in texts[15:28]] == left, "a number for what is left"
        assert room.inner_text() == found["prompt"] + found["text"], "line breaks and all"
        places |= {box.bounding_box()["height"] for box in (room, part(page, ":scope"))}
        assert len(places) == 2, "nothing moves"
    numbers(page, prompt=0, temperature=1, k=14, p=0.5, dice=0)
    said = look(page)[1]
    size = len(numbers(page)["kept"])
    assert said.startswith(f"At temperature 1, the nucleus leaves {size} of 14 tokens, with an ent")
    throw = part(page, "button >> nth=0")
    for dice in (1, 2, 0):
        throw.click()
        assert f"Throw {dice + 1} of 3 writes “{TEXTS[0][2][3][1][dice][:12]}…”." in look(page)[1]
        assert room.inner_text() == PROMPTS[0] + TEXTS[0][2][3][1][dice]
    numbers(page, k=9)
    assert (
        f"top-k leaves 9 of 14 tokens, and the nucleus {len(numbers(page)['kept'])} of"
        in look(page)[1]
    )
    numbers(page, k=1)
    assert TOKENS[numbers(page)["order"][0]] == " "
    assert "top-k leaves 1 of 14 tokens: a space always comes next" in look(page)[1]
    press(page, ".foot summary")
    rows = part(page, "tbody tr").all_inner_texts()
    assert len(rows) == 12 and ["removed" in row for row in rows] == [False] + [True] * 11
    assert page.faults == []


def test_the_filters_and_the_text(opened):
    check_filters(opened("sampling"))


def test_one_prompt_and_one_throw(opened, monkeypatch):
    texts = [[[[["a"], ["\n\nb"]], [["c"], ["d"]]]]]
    given = ["x "], ["a", "b"], [[1, 0]], [0.3], [1, 2], [0.5, 1], texts
    html = shown(lambda **a: live.sampling(*given, **a), monkeypatch)[0]["text/html"]
    page = opened(html)
    assert part(page, "select").count() == 0 and part(page, "button").count() == 1, "Reset alone"
    assert "At temperature 0.3, all 2 tokens are left" in look(page)[1]
    assert "Throw" not in look(page)[1] and part(page, ".written").inner_text() == "x d"
    assert numbers(page, p=0.5)["text"] == "c" and page.faults == []


def test_texts_are_stored_once(outputs):
    spec = spec_of(outputs["sampling"])
    assert len(spec["which"]) == 2 * 4**3 * 3 and len(spec["texts"]) == len({*spec["texts"]})
    assert len(spec["texts"]) < len(spec["which"]) and spec["temperature"] == 1


def check_hover(page):
    """Pointing at a word names it and what it attends to; a cell of the map, its row."""
    weights = json.loads(part(page, ":scope").get_attribute("spec"))["weights"]
    row = weights[0][0][2]
    order = sorted(range(5), key=lambda j: -row[j])
    part(page, ".token.query >> nth=2").hover()
    said = look(page)[1]
    assert f"“stopped” attends most to {WORDS[order[0]]} {row[order[0]]:.2f}" in said, said
    assert "Masked: so, <pad>." in said
    column = [weights[0][0][i][1] for i in range(5)]
    best = max(range(5), key=lambda i: column[i])
    part(page, ".token.key >> nth=1").hover()
    said = look(page)[1]
    assert f"“rain” gets most from {WORDS[best]} {column[best]:.2f}" in said, said
    box = part(page, ".frame").evaluate(
        "each => each.ownerSVGElement.getBoundingClientRect().toJSON()"
    )
    unit = box["width"] / part(page, ".panels > svg").evaluate("each => each.viewBox.baseVal.width")
    page.mouse.move(box["x"] + 95 * unit, box["y"] + (70 + 34 * 4.5) * unit)
    assert "“<pad>” attends" in look(page)[1]
    masked = part(page, ".panels > svg .hatch:not([visibility=hidden])").count()
    assert masked == 10, "above the diagonal"
    thumbs = page.evaluate("""() => [...document.querySelector("attention-live-1").shadowRoot
        .querySelectorAll(".thumb svg")].map(svg => +svg.querySelectorAll(".cell")[5].getAttribute("fill-opacity"))""")
    np.testing.assert_allclose(thumbs, [0.05 + 0.95 * head[1][0] for head in weights[0]], atol=1e-3)
    drawn = page.evaluate("""() => [...document.querySelector("attention-live-1").shadowRoot
        .querySelectorAll(".panels > svg .cell")].map(cell => +cell.getAttribute("fill-opacity"))""")
    flat = [
        0.05 + 0.95 * a if j <= i else 0
        for i, r in enumerate(weights[0][0])
        for j, a in enumerate(r)
    ]
    np.testing.assert_allclose(drawn, flat, atol=1e-3)


def test_hover_names_the_right_word(opened):
    check_hover(opened("heads"))


def check_cells(page, n, m):
    """As many cells are drawn in full as rows are received; the totals are written at the bars."""
    for way in WAYS:
        rows = rows_received(way, n, m)
        for step in range(1, n + 1):
            numbers(page, way=way, step=step)
            own, rest, memory = rows[step - 1].tolist()
            grid = part(page, ".panels > svg >> nth=0")
            for name, wanted in (("query", rest), ("key", own + memory), ("value", own + memory)):
                assert grid.locator(f".bar-{name}").count() == wanted, (way, step, name)
            kept = step - own + m - memory
            assert grid.locator(".fill-key").count() == kept, (way, step)
            dashed = grid.locator(".ghost").count() - 1  # one is in the legend
            assert dashed == 4 * (n - step)
            totals = part(page, ".panels > svg >> nth=1").locator("text.strong").all_text_contents()
            assert totals == [str(total) for total in rows[:step].sum(dim=0).tolist()]
    assert page.faults == []


@pytest.mark.parametrize("n, m", [(7, 6), (2, 1), (9, 12)])
def test_the_cells_of_the_cache_are_the_rows_of_a_block(n, m, opened, monkeypatch):
    tokens = [*FRENCH, "longue", "et"][:n]
    html = shown(lambda **a: live.cache(tokens, memory=m, step=2, **a), monkeypatch)[0]["text/html"]
    check_cells(opened(html), n, m)


def test_the_numbers_of_the_page(opened):
    page = opened("cache")
    assert "6 rows of the target and 18 rows of the memory" in look(page)[1]
    found = [numbers(page, way=way, step=7)["totals"] for way in WAYS]
    assert found == [[28, 28, 42], [28, 7, 42], [7, 7, 6]]


@functools.cache
def shapes_of_parts():
    """The shapes that a real model of the sizes of "small" takes, makes and gives, for each part."""
    torch.manual_seed(0)
    model, shapes = model_of(**MODELS["small"]), {name: set() for name in live.PARTS}
    for name, first, rest in modules_of(model):

        def listen(module, inputs, output, found=shapes[name]):
            tensors = [x for x in (*inputs, output) if isinstance(x, torch.Tensor)]
            found |= {tuple(x.shape) for x in tensors if x.dtype != torch.bool}

        def weigh(module, inputs, output, found=shapes[name]):
            found.add((*inputs[0].shape[:3], inputs[1].shape[2]))

        for module in first + rest:
            module.register_forward_hook(listen)
            if hasattr(module, "W_1"):
                module.W_1.register_forward_hook(listen)
            if hasattr(module, "attention"):
                module.attention.register_forward_hook(weigh)
    for blocks in (model.encoder, model.decoder):
        for block in blocks:
            block.register_forward_hook(
                lambda _, inputs, output: shapes["residual connection"].add(tuple(output.shape))
            )
    src, tgt = torch.ones(1, 6).long(), torch.ones(1, 7).long()
    shapes["memory"].add(tuple(model.encode(src).shape))
    model(src, tgt)
    return shapes


def check_parts(page):
    """Each part that is pressed is framed, named and described, with the shapes of a real model."""
    numbers(page, model="small")
    drawn = part(page, "svg.diagram [data-part]")
    groups = [drawn.nth(k).get_attribute("data-part") for k in range(drawn.count())]
    for name in live.PARTS:
        for k in (k for k, group in enumerate(groups) if group == name):
            numbers(page, part=live.PARTS[live.PARTS.index(name) - 1])
            drawn.nth(k).dispatch_event("click")
            assert part(page, "select").first.input_value() == name
        pressed = part(page, "[aria-pressed=true]")
        assert pressed.count() == 1 and pressed.get_attribute("aria-label") == name
        assert part(page, ".chosen").count() == groups.count(name)
        assert part(page, "pre").text_content() == CODE.get(name, "")
        assert part(page, "pre").is_visible() == (name in CODE)
        values = part(page, "dd").all_inner_texts()
        shown = {each.partition(" = ")[2] for each in values if each.startswith("(")}
        assert shown == {str(shape) for shape in shapes_of_parts()[name]}, name
    assert page.faults == []


def test_every_part_can_be_pressed_and_has_its_shapes(opened):
    check_parts(opened("transformer"))


def test_a_thin_line_can_be_hit(opened):
    """The residual connection around a layer, a few units beside its line."""
    page = opened("transformer", screen="phone")
    loop = part(page, '[data-part="residual connection"] >> nth=0')
    loop.scroll_into_view_if_needed()
    x, y = loop.evaluate("""group => {
        const line = [...group.querySelectorAll(".line")].sort((a, b) => b.getBBox().height - a.getBBox().height)[0];
        const { x, y, height } = line.getBBox();
        const place = new DOMPoint(x - 4, y + height / 2).matrixTransform(line.getScreenCTM());
        return [place.x, place.y];
    }""")
    page.mouse.click(x, y)
    assert "around that layer" in look(page)[1]


def test_the_table_holds_the_numbers(opened):
    page = opened("mask")
    part(page, "summary").click()
    rows = part(page, "tbody tr").all_inner_texts()
    assert len(rows) == 5 and rows[0].split()[0] == "the" and "masked" in rows[0]


# ---------------------------------------------------------------- the places


@pytest.mark.parametrize("screen", ["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_can_use_it(screen, scheme, opened):
    page = opened(*EXAMPLES, screen=screen, color_scheme=scheme, reduced_motion="reduce")
    for each in page.locator("attention-live-1").all():
        assert each.get_attribute("theme") == scheme
        for fold in each.locator("summary").all():
            fold.click()
    page.wait_for_timeout(300)
    page.evaluate(AXE)
    assert page.evaluate(CHECK, None) == []
    assert page.evaluate(WIDE) == []
    small = page.evaluate("""() => [...document.querySelectorAll("attention-live-1")].flatMap(each =>
        [...each.shadowRoot.querySelectorAll("button, select, input, summary, .press")]
        .filter(control => control.getClientRects().length && control.getBoundingClientRect().height < 23.9)
        .map(control => control.outerHTML.slice(0, 90)))""")
    assert small == []
    words = page.evaluate("""() => [...document.querySelectorAll("attention-live-1")].flatMap(each =>
        [...each.shadowRoot.querySelectorAll(":is(.panels, .tokens, .card) > svg text")].filter(text => {
            const svg = text.ownerSVGElement, unit = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
            return text.textContent && parseFloat(getComputedStyle(text).fontSize) * unit < 10.9;
        }).map(text => text.textContent))""")
    assert words == [], "labels too small"
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate(WIDE) == []
    assert page.faults == []


def test_without_script_and_on_paper(opened):
    page = opened("mask", "heads", java_script_enabled=False)
    assert page.get_by_alt_text(ALT).first.is_visible()
    page = opened(*EXAMPLES, color_scheme="light")
    page.emulate_media(media="print")
    assert not part(page, "input[type=range]").first.is_visible()
    assert all(each.is_visible() for each in page.locator("attention-live-1 .panels").all())


def test_in_a_sandboxed_frame_and_moved(opened, outputs):
    page = opened("mask")
    # JupyterLab takes what is off the screen out of the page, and puts it back.
    part(page, "input[type=checkbox] >> nth=0").check()
    page.evaluate("""() => {
        const each = document.querySelector("attention-live-1"), parent = each.parentElement;
        each.remove();
        parent.append(each);
    }""")
    assert part(page, "input[type=checkbox] >> nth=0").is_checked()
    for k, (kind, control, said) in enumerate((
        ("scale", "input[type=checkbox]", "entropy"),
        ("twins", ".change button", "il becomes elle"),
    )):  # fmt: skip
        page.evaluate("""html => {
            const frame = document.createElement("iframe");
            Object.assign(frame, { srcdoc: html, sandbox: "allow-scripts", width: 700, height: 700 });
            document.body.append(frame);
        }""", DOCUMENT.format(outputs[kind]))  # fmt: skip
        frame = page.frame_locator(f"iframe >> nth={k}")
        frame.locator(control).first.click()
        frame.locator(".say").filter(has_text=said).wait_for()
    assert page.faults == []


APPEARANCE = """kind => {
    const { shadowRoot } = document.querySelector(`attention-live-1[kind=${kind}]`);
    return [...shadowRoot.querySelectorAll(":not(style)")].map((each) => {
        const { fill, stroke, strokeWidth, color, backgroundColor, fontSize } = getComputedStyle(each);
        return [each.localName, fill, stroke, strokeWidth, color, backgroundColor, fontSize].join();
    });
}"""
TOGETHER = {  # the figures of a page that has several, in its order
    page.number: kinds
    for page in notebooks()
    if len(kinds := live.KIND.findall(page.text.replace('\\"', '"'))) > 1
}


@pytest.mark.parametrize("number", TOGETHER)
def test_a_figure_looks_alike_beside_others(number, opened):
    """In JupyterLab they share a document, and the element that the first script defines."""
    together = opened(*TOGETHER[number])
    for kind in TOGETHER[number]:
        assert together.evaluate(APPEARANCE, kind) == opened(kind).evaluate(APPEARANCE, kind), kind


def stored(html):
    """The output as it stands in a page."""
    about = {"text/html": {"alt": ALT, "live": "twins"}}
    output = {"output_type": "display_data", "data": {"text/html": html}, "metadata": about}
    return normal_outputs([output], 1)[0]["data"]["text/html"]


def test_a_stored_output_waits_for_its_weights(opened, outputs):
    html = stored(outputs["twins"])
    assert len(html) < 60_000 and "window.attentionTranslator ??=" not in html
    assert stored(html) == html
    # So nbval, which has no flags, compares what a run gives with what is stored.
    assert html == re.sub(live.WEIGHTS.pattern, "", outputs["twins"])
    page = opened(html)
    assert page.get_by_text("Run this cell to start the figure.").is_visible()
    assert page.get_by_alt_text(ALT).is_visible() and part(page, ".say").count() == 0
    page.add_script_tag(content=live.weights())  # another cell runs, and its script
    page.add_script_tag(content=live.script("looks"))
    assert "Nothing is changed" in look(page)[1]
    assert not page.get_by_alt_text(ALT).is_visible()


def test_a_book_has_the_weights_once(browser, outputs, tmp_path):  # noqa: F811
    """They come when a figure is near the view, and all figures of a page share them."""
    (tmp_path / "live.js").write_text(live.script(), encoding="utf-8")
    (tmp_path / "translator.js").write_text(live.weights(), encoding="utf-8")
    figures = [live.SCRIPT.sub("", stored(outputs[kind])) for kind in ("twins", "looks")]
    below = "<div style='height:6000px'></div>" + "".join(figures)
    html = DOCUMENT.format(below).replace("<title>", "<script src='live.js'></script><title>")
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    with visit(browser, tmp_path.as_uri() + "/", "page.html") as page:
        page.wait_for_timeout(300)
        assert page.evaluate("window.attentionTranslator") is None, "it is far away"
        part(page, "img").scroll_into_view_if_needed()
        page.locator("attention-live-1 .say").nth(1).wait_for()
        assert page.evaluate("""() => {
            const [a, b] = document.querySelectorAll("attention-live-1");
            return a.figure.engine === b.figure.engine && document.querySelectorAll("[src$='translator.js']").length === 1;
        }""")
        assert page.faults == []


def test_small_for_another_page(opened, outputs, monkeypatch):
    html = live.in_small(outputs["twins"])
    small, _ = shown(lambda **a: live.twins(TWINS, small=True, **a), monkeypatch)
    assert spec_of(html) == spec_of(small["text/html"])
    page = opened(html)
    assert part(page, "select, input, details").count() == 0
    assert "Sentence 1: il becomes elle" in press(page, ".change button >> nth=0")
    assert "Nothing turns" in press(page, ".change button >> nth=1"), "one at a time"
    said = all_text(page)
    assert "sure of elle" in said and "undecided" in said and "Nothing turns" in said
    assert "log-odds" not in said and not re.search(r"\d\.\d", said)
    with pytest.raises(ValueError, match="'mask' is no figure that can be small"):
        live.in_small(outputs["mask"])


def test_stored_outputs_carry_the_script_of_today():
    found = 0
    for page in notebooks():
        for cell in page.code:
            for output in cell.outputs:
                html = "".join(output.get("data", {}).get("text/html", ""))
                if f"<{live.TAG} " in html:
                    script = live.script(live.KIND.search(html)[1])
                    assert live.SCRIPT.findall(html) == [f"<script>{script}</script>"]
                    assert len(script) < 40_000 and not live.WEIGHTS.search(html)
                    found += 1
    assert found >= 5
    others = [kind for kind in live.all_kinds() if kind not in live.TRANSLATING]
    assert set(live.all_kinds()) == set(EXAMPLES)
    for name, kinds in {"live.js": others, "live_translator.js": live.TRANSLATING}.items():
        built = (the_book() / "_static" / name).read_text(encoding="utf-8")
        assert built == live.script(*kinds)
        assert all(f"FIGURES.{kind} =" in built for kind in kinds)
    front = (the_book() / "index.html").read_text(encoding="utf-8")
    assert front.count(f"<{live.TAG} ") == 2
    assert all(f'src="_static/{name}"' in front for name in ("live.js", "live_translator.js"))
    plain = (the_book() / "chapters" / "03_masked_softmax.html").read_text(encoding="utf-8")
    assert "live.js" in plain and "live_translator.js" not in plain
    assert (the_book() / "_static" / "translator.js").read_text(encoding="utf-8") == live.weights()
    for page in the_book().rglob("*.html"):
        assert "attentionTranslator ??=" not in page.read_text(encoding="utf-8"), page


WINDOWING = ["full", "defer", "none"]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab with the notebook of page 3, trusted, as its reader has it after running it."""
    folder = tmp_path_factory.mktemp("lab")
    page = nbformat.read(ROOT / "chapters" / "03_masked_softmax.ipynb", as_version=4)
    page.cells = [c for c in page.cells if "live.mask" in c.source]
    with pytest.MonkeyPatch.context() as patch:  # as it is when it has run, with its weights
        data, more = shown(EXAMPLES["twins"], patch)
    ran = nbformat.v4.new_output("display_data", data=data, metadata=more["metadata"])
    page.cells.insert(0, nbformat.v4.new_code_cell("live.twins(...)", outputs=[ran]))
    nbformat.write(page, folder / "page.ipynb")
    jupyter = shutil.which("jupyter", path=str(ROOT / ".venv" / "bin")) or shutil.which("jupyter")
    subprocess.run([jupyter, "trust", "page.ipynb"], cwd=folder, check=True, capture_output=True)
    options = ["--no-browser", "--ServerApp.token=", "--ServerApp.password=", "--allow-root"]
    options += ["--port=0", f"--app-dir={sys.prefix}/share/jupyter/lab"]
    options += [f"--LabApp.user_settings_dir={folder}/settings"]
    log = (folder / "log").open("w+")
    server = subprocess.Popen([jupyter, "lab", *options], cwd=folder, stdout=log, stderr=log)
    try:
        for _ in range(240):
            text = (folder / "log").read_text(encoding="utf-8")
            if found := re.search(r"http://(127\.0\.0\.1|localhost):(\d+)/lab", text):
                break
            time.sleep(0.25)
        address = f"http://localhost:{found[2]}/"
        yield folder, address
    finally:
        server.terminate()
        server.wait(20)


@pytest.mark.parametrize("mode", WINDOWING)
def test_in_jupyterlab_with_keys(mode, lab, browser):  # noqa: F811
    folder, address = lab
    settings = folder / "settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True, exist_ok=True)
    wanted = json.dumps({"windowingMode": mode})
    (settings / "tracker.jupyterlab-settings").write_text(wanted, encoding="utf-8")
    with browser.new_context(viewport={"width": 1100, "height": 900}) as context:
        page = context.new_page()
        page.goto(f"{address}lab/tree/page.ipynb?reset", wait_until="load")
        twins = page.locator("attention-live-1[kind=twins]")
        twins.locator(".change button").first.click(timeout=60_000)
        twins.locator(".say").filter(has_text="il becomes elle").wait_for()
        figure = page.locator("attention-live-1[kind=mask]")
        figure.scroll_into_view_if_needed()
        figure.locator(".say").wait_for(timeout=60_000)
        slider = figure.locator("input[type=range]")
        slider.focus()
        before = figure.locator(".say").inner_text()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(400)
        assert slider.get_attribute("aria-valuetext") == "3", "the keys reach the slider"
        assert figure.locator(".say").inner_text() != before


# ---------------------------------------------------------------- what does not fit

NOT_FINITE = draw(5, 5).masked_fill(CAUSAL, math.nan)


def looked(**changed):
    given = dict(images=PICTURES, words=CAPTIONS, weights=LOOKS, boxes=BOXES, about=ABOUT)
    return given | dict(others=CAPTIONS) | changed


def classified(**changed):
    given = dict(model=small_classifier(), token_of={w: i for i, w in enumerate(WORDS)})
    return given | dict(labels=["good"], reviews={"a": REVIEW}) | changed


def drawn(**changed):
    return dict(sizes=MODELS, code=CODE, static="transformer") | changed


def unlike(**changed):
    """A pair of the corpus with another twin."""
    first, second = TWINS[0]
    return [(first, second._replace(**changed))]


def chosen(patterns=PATTERNS, words=MENUS):
    return dict(patterns=patterns, words=words)


def played(**changed):
    return dict(text=GAME, start=START, predictions=EXPECTED, letters=SIGNS) | changed


def thrown(**changed):
    given = dict(prompts=PROMPTS, letters=TOKENS, logits=LOGITS, texts=TEXTS)
    return given | DIALS | changed


CERTAIN = torch.eye(len(SIGNS))[[0] * len(EXPECTED)]
SHORTER = [*TEXTS[1][:3], [*TEXTS[1][3][:3], [["a"]] * 4]]
SAID = TWINS[0][0].source
BAD = [
    ("twins", {"pairs": "the animal"}, "pairs is 'the animal'"),
    ("twins", {"pairs": []}, "pairs holds 0 minimal pairs"),
    ("twins", {"pairs": TWINS * 4}, "pairs holds 8 minimal pairs; wanted 1 to 6"),
    ("twins", {"pairs": [("the", "animal")]}, "pairs[0] is ('the', 'animal')"),
    ("twins", {"pairs": unlike(source=("a", *SAID[1:-2], "wide", "."))}, "differs in 2 words"),
    ("twins", {"pairs": unlike(source=(*SAID[:-2], "brave", "."))}, "pairs[0] holds 'brave'"),
    ("twins", {"pairs": unlike(pronouns=())}, "pairs[0] has no pronoun"),
    ("twins", {"pairs": unlike(pronouns=TWINS[0][0].pronouns)}, "pairs[0] has one noun"),
    ("looks", {"pairs": TWINS, "part": "decoder"}, "part is 'decoder'"),
    ("looks", {"pairs": TWINS, "layer": 3}, "layer is 3; wanted one of [1, 2]"),
    ("sentence", chosen(patterns=["the"]), "patterns is ['the']"),
    ("sentence", chosen(words={}), "words is {}"),
    ("sentence", chosen(patterns={"a": ["the", "yak"]}), "patterns['a'] holds 'yak'"),
    ("sentence", chosen(patterns={"a": ["the"] * 25}), "patterns['a'] has 25 slots"),
    ("sentence", chosen(words={"NOUN": ["zebra"]}), "words['NOUN'] holds 'zebra'"),
    ("sentence", chosen(words={"NOUN": {"m": "yak"}}), "words['NOUN'] is 'yak'"),
    ("sentence", chosen(words={"the": ["the", "a"]}), "'the' is a word of the vocabulary"),
    ("lookup", {"names": ["Rom3"], "places": [(1, 2)], "name": "x"}, "names holds 'Rom3'"),
    ("lookup", {"names": ["Rome"], "places": [(1, 2, 3)], "name": "x"}, "places[0] has 3 entries"),
    ("kernel", {"x": [1.0, 2.0], "y": [1.0, 2.0], "truth": [(1, 2)]}, "x holds 2 points"),
    ("kernel", {"x": [1, 2, 3], "y": [1, 2], "truth": [(1, 2)]}, "y has 2 entries"),
    ("kernel", {"x": [1, 2, math.inf], "y": [1, 2, 3], "truth": [(1, 2)]}, "x[2] is inf"),
    ("mask", {"tokens": WORDS, "scores": NOT_FINITE}, "scores[0][0] is nan"),
    ("mask", {"tokens": WORDS[:4], "scores": draw(5, 5)}, "scores has 5 entries"),
    ("mask", {"tokens": WORDS, "scores": draw(5, 5), "length": 9}, "length is 9"),
    ("mask", {"tokens": "the rain", "scores": draw(5, 5)}, "tokens is 'the rain'"),
    ("scale", {"width": 100}, "width is 100"),
    ("heads", {"weights": 2 * WEIGHTS, "queries": WORDS}, "weights[0][0][0] sums to 2"),
    ("heads", {"weights": WEIGHTS, "queries": WORDS[:3]}, "weights[0][0] has 5 entries"),
    ("heads", {"weights": WEIGHTS, "queries": WORDS, "keys": ["a"]}, "has 5 entries"),
    ("heads", {"weights": WEIGHTS * math.nan, "queries": WORDS}, "is nan; wanted a finite"),
    ("heads", {"weights": WEIGHTS[0], "queries": WORDS}, "wanted numbers of shape"),
    ("heads", {"weights": WEIGHTS, "queries": WORDS, "names": ["a"]}, "names holds 1 words"),
    ("heads", {"weights": WEIGHTS, "queries": WORDS, "mask": ~CAUSAL}, "weight on a masked key"),
    ("heads", {"weights": WEIGHTS, "queries": WORDS, "mask": CAUSAL.int()}, "mask is torch.int32"),
    ("heads", {"weights": WEIGHTS, "queries": WORDS, "mask": CAUSAL[:3]}, "mask has shape (3, 5)"),
    ("heads", {"weights": WEIGHTS, "queries": WORDS, "layer": 2}, "layer is 2"),
    ("captions", looked(words=[["a"], ["a", "b"]]), "words has captions of 1, 2 words"),
    (
        "captions",
        looked(others=[["a"], ["a"]]),
        "others has captions of 1, 1 words; wanted two of 3",
    ),
    ("captions", looked(weights=2 * LOOKS), "weights[0][0] sums to 2"),
    ("captions", looked(images=PICTURES[:1]), "images has 1 entries"),
    ("captions", looked(about=[[0, 0, 0], [0, 0, 7]]), "about is 7"),
    ("review", classified(reviews={"a": [("snow",)]}), "reviews holds 'snow'"),
    ("review", classified(reviews={"a": ["the rain"]}), "a is 'the rain'"),
    ("review", classified(labels="good"), "labels is 'good'"),
    ("transformer", drawn(part="attention"), "part is 'attention'"),
    ("transformer", drawn(static="gone"), "static is 'gone'"),
    ("transformer", drawn(static="six_tokens"), "static is 'six_tokens'"),
    ("transformer", drawn(sizes={}), "sizes is {}"),
    ("transformer", drawn(sizes={"a": {"D": 8}}), "sizes['a'] is {'D': 8}"),
    ("transformer", drawn(sizes={"a": MODELS["odd"] | {"H": 4}}), "H of sizes['a'] is 4"),
    ("transformer", drawn(sizes={"a": MODELS["odd"] | {"N": 0}}), "N of sizes['a'] is 0"),
    ("transformer", drawn(code={"attention": "x"}), "code has the part 'attention'"),
    ("transformer", drawn(code={"memory": 3}), "code is {'memory': 3}"),
    ("guess", played(text=3), "text is 3; wanted a passage"),
    ("guess", played(start=0), "start is 0; wanted one of 1 to 34"),
    ("guess", played(start=35), "start is 35"),
    ("guess", played(text="The\nrain\n", start=4), "text has a line break at 8"),
    ("guess", played(text="The rain, and snow"), "text holds 'w' after its start"),
    ("guess", played(letters="abc"), "letters is 'abc'; wanted a list"),
    ("guess", played(letters=["th", *SIGNS]), "letters[0] is 'th'; wanted characters"),
    ("guess", played(letters=[*SIGNS, "a"]), "letters[19] is 'a'; wanted characters, each"),
    ("guess", played(predictions=EXPECTED[1:]), "predictions has 25 entries"),
    ("guess", played(predictions=EXPECTED[:, 1:]), "predictions[0] has 18 entries"),
    ("guess", played(predictions=2 * EXPECTED), "predictions[0] sums to 2; wanted 1"),
    ("guess", played(predictions=CERTAIN), "predictions[0] is 0 for 's'; wanted more than 0"),
    ("sampling", thrown(prompts="so"), "prompts is 'so'"),
    ("sampling", thrown(prompts=["so", "so"]), "prompts holds one prompt twice"),
    ("sampling", thrown(logits=LOGITS[:1]), "logits has 1 entries"),
    ("sampling", thrown(logits=LOGITS[:, 1:]), "logits[0] has 13 entries"),
    ("sampling", thrown(temperatures=[0, 1]), "temperatures is [0.0, 1.0]; wanted numbers above 0"),
    ("sampling", thrown(temperatures=[2.0, 1, 0.5, 0.1]), "temperatures is [2.0, 1.0, 0.5, 0.1]"),
    ("sampling", thrown(ks=[1, 4, 9]), "ks ends with 9; wanted 14, which keeps all"),
    ("sampling", thrown(ks=[1, 4.5, 9, 14]), "ks is [1.0, 4.5, 9.0, 14.0]; wanted whole numbers"),
    ("sampling", thrown(ps=[0.5, 0.9]), "ps ends with 0.9; wanted 1, which keeps all"),
    ("sampling", thrown(texts="rain"), "texts is 'rain'; wanted a list of 2"),
    ("sampling", thrown(texts=TEXTS[:1]), "texts has 1 entries; wanted 2"),
    ("sampling", thrown(texts=[TEXTS[0], TEXTS[1][:3]]), "texts[1] has 3 entries; wanted 4"),
    ("sampling", thrown(texts=[TEXTS[0], SHORTER]), "texts has lists of different lengths"),
    ("sampling", thrown(texts=[TEXTS[0], [[[[0] * 3] * 4] * 4] * 4]), "texts[1][0][0][0] is [0, 0"),
    ("cache", {"tokens": "le chien"}, "tokens is 'le chien'"),
    ("cache", {"tokens": ["le"]}, "tokens holds 1 words"),
    ("cache", {"tokens": FRENCH, "memory": 0}, "memory is 0"),
    ("cache", {"tokens": FRENCH, "step": 8}, "step is 8"),
    ("questions", {"p": 0.33}, "p is 0.33"),
    ("questions", {"numbers": [1.0]}, "numbers has 1 entries"),
    ("clocks", {"query": HANDS, "key": HANDS, "frequencies": HANDS}, "query has 4 entries"),
    ("clocks", {"query": draw(8), "key": draw(8), "frequencies": [1]}, "frequencies has 1 entries"),
    ("clocks", {"query": draw(8), "key": draw(8), "frequencies": HANDS, "i": 99}, "i is 99"),
]


@pytest.mark.parametrize("kind, arguments, words", BAD)
def test_bad_input_is_named_before_anything_is_drawn(kind, arguments, words, monkeypatch):
    drawn = []
    monkeypatch.setattr("IPython.display.display", lambda *a, **k: drawn.append(a))
    with pytest.raises((TypeError, ValueError)) as error:
        getattr(live, kind)(**{"static": plt.figure(), "alt": ALT} | arguments)
    assert words in str(error.value) and "\n" not in str(error.value)
    assert not drawn
    plt.close("all")


def test_the_output_has_all_its_forms_and_is_small(monkeypatch):
    data, more = shown(EXAMPLES["heads"], monkeypatch)
    assert set(data) == {"text/html", "image/png", "text/plain"} and data["text/plain"] == ALT
    assert more["metadata"]["text/html"] == {"alt": ALT, "live": "heads"}
    assert shown(EXAMPLES["heads"], monkeypatch)[0]["text/html"] == data["text/html"], (
        "the same again"
    )
    with pytest.raises(TypeError, match="static"):
        live.scale(alt=ALT)
    with pytest.raises(ValueError, match="alt is"):
        shown(EXAMPLES["scale"], monkeypatch, alt="short")
    data, more = shown(EXAMPLES["transformer"], monkeypatch)
    assert set(data) == {"text/html", "text/plain"}, "a drawing is no plot"
    assert 'src="data:image/svg+xml' in data["text/html"] and len(data["text/html"]) < 60_000
    about = {"alt": ALT, "live": "transformer", "diagram": "transformer"}
    assert more["metadata"] == {"text/html": about}
    weights = torch.softmax(draw(6, 8, 20, 20), dim=-1)
    words = [f"word{i}" for i in range(20)]
    mask = torch.ones(20, 20, dtype=torch.bool)
    largest, _ = shown(lambda **a: live.heads(weights, words, mask=mask, **a), monkeypatch)
    spec = json.dumps(spec_of(largest["text/html"]), separators=(",", ":"))
    assert len(spec) < 150_000
    crossed, _ = shown(lambda **a: live.heads(WEIGHTS[..., :3, :3], WORDS[:3], **a), monkeypatch)
    assert spec_of(crossed["text/html"])["masked"] is None


# ---------------------------------------------------------------- broken on purpose


def by_arithmetic(kind, opened, spec, broken):
    check_arithmetic(kind, opened(kind, broken=broken), spec)


def by_control(*control):
    return lambda kind, opened, spec, broken: check_control(kind, *control, opened, broken=broken)


def by_hover(kind, opened, spec, broken):
    check_hover(opened(kind, broken=broken))


def by_bump(kind, opened, spec, broken):
    check_bump(opened(kind, broken=broken))


def by_cells(kind, opened, spec, broken):
    check_cells(opened(kind, broken=broken), len(spec["tokens"]), spec["memory"])


def by_parts(kind, opened, spec, broken):
    check_parts(opened(kind, broken=broken))


def by_check(check):
    return lambda kind, opened, spec, broken: check(opened(kind, broken=broken))


BROKEN = {
    "a donor without its own cuts and heads": ("twins", {"sentences[1 - k], { cuts, heads })": "sentences[1 - k])"}, by_arithmetic),
    "a sentence that is its own donor": ("twins", {"encode(sentences[1 - k]": "encode(sentences[k]"}, by_arithmetic),
    "a cut one row too early": ("twins", {"query: step, key: adjective": "query: step - 1, key: adjective"}, by_arithmetic),
    "odds of the next step": ("twins", {"= run.steps[step] ??": "= run.steps[step + 1] ??"}, by_arithmetic),
    "before is now": ("twins", {"before = this.results(pair, [])": "before = now"}, by_arithmetic),
    "a change in one block": ("twins", {'[{ part: "encoder" }]': '[{ part: "encoder", layer: 0 }]'}, by_arithmetic),
    "a dead change": ("twins", {"this.press(name)": "0"}, by_control("touch", "change")),
    "changes that add up": ("twins", {"if (!this.state.combine) this.release(name);": ""}, by_check(check_exclusive)),
    "a guess that can still be changed": ("twins", {"guess.disabled = Boolean(known)": "guess.disabled = false"}, by_check(check_guesses)),
    "a verdict without a guess": ("twins", {"!GUESSES.includes(guess, 1)": "!GUESSES.includes(guess)"}, by_check(check_guesses)),
    "a button before its guess": ("twins", {'box("change", guess, button': 'box("change", button, guess'}, by_check(check_guesses)),
    "the odds where il was": ("looks", {"= run.steps[step] ??": "= run.steps[min(step, 10)] ??"}, by_check(check_shift)),
    "a bar where nothing is said": ("looks", {"value.textContent = known": "value.textContent = true"}, by_check(check_shift)),
    "bold where il was": ("looks", {"i === now.step &&": "i === before.step &&"}, by_check(check_shift)),
    "later words as keys": ("looks", {"const gone = j >= open": "const gone = j >= keys.length"}, by_check(check_cuts)),
    "half a word counts": ("sentence", {"value.slice(0, selectionStart)": '" "'}, by_check(check_typing)),
    "French that goes with a fault": ("sentence", {"if (fault) return;": "if (fault) return this.french.replaceChildren();"}, by_check(check_typing)),
    "a dead try": ("sentence", {'this.change("typed", each)': "0"}, by_check(check_tries)),
    "a lone mark": ("sentence", {"if (i && MARK.test(word))": "if (0)"}, by_check(check_tries)),
    "rows by the word received": ("looks", {"? words : written;": '? words : ["begin", ...written.slice(0, -1)];'}, by_arithmetic),
    "the mean of one head": ("looks", {"/ heads.length": "/ 1"}, by_arithmetic),
    "a cut of all heads where one is shown": ("looks", {"cut.head = ": "cut.none = "}, by_check(check_cuts)),
    "rows without keys": ("looks", {"ArrowDown: at + 1": "ArrowNone: at + 1"}, by_control("keys", "row")),
    "unknown words skipped": ("sentence", {": this.split(typed);": ": this.split(typed).filter((word) => engine.numbers.english.has(word));"}, by_check(check_typing)),
    "a chance of the word before": ("sentence", {"softmax(logits)[token]": "softmax(run.steps[0].logits)[token]"}, by_arithmetic),
    "capitals are unknown": ("sentence", {"typed.toLowerCase()": "typed"}, by_arithmetic),
    "a norm not counted": ("transformer", {"block: ({ D }) => 6 * D": "block: ({ D }) => 4 * D"}, by_arithmetic),
    "a network without its second bias": ("transformer", {"2 * D * F + F + D": "2 * D * F + F"}, by_arithmetic),
    "keys and values of the target": ("transformer", {'from the memory", "B m D"': 'from the memory", "B n D"'}, by_parts),
    "a drawing without keys": ("transformer", {"onkeydown: key }": "}"}, by_control("keys", "part")),
    "no letter of the other case": ("guess", {"plain(character) === plain(truth) ?": "character === truth ?"}, by_check(check_game)),
    "a guess twice": ("guess", {"|| tried.some((each)": "|| [].some((each)"}, by_check(check_game)),
    "told counts as guessed": ("guess", {"first: tries[0] === this.hidden[i]": "first: tries.length === 1"}, by_arithmetic),
    "their second guess counts": ("guess", {"rank === 1).length": "rank <= 2).length"}, by_arithmetic),
    "keys that leave the figure": ("guess", {"event.stopPropagation()": "0"}, by_check(check_game)),
    "half an accent": ("guess", {"event.isComposing &&": "false &&"}, by_check(check_game)),
    "no sixth bar": ("guess", {"last.rank > last.top.length ?": "false ?"}, by_check(check_game)),
    "nats": ("guess", {"-Math.log2(p)": "-log(p)"}, by_arithmetic),
    "what is expected of the next one": ("guess", {"told: tries.at(-1) === null, ...steps[i]": "told: tries.at(-1) === null, ...(steps[i + 1] ?? steps[i])"}, by_arithmetic),
    "the first bar marked": ("guess", {"character === last.character)": "true)"}, by_check(check_game)),
    "a text that tells": ("guess", {".rest,.room{": ".room{"}, by_check(check_game)),
    "a text that grows": ("guess", {"this.rest.textContent = ": "this.none = "}, by_check(check_room)),
    "a dead space": ("guess", {'this.judge(" ")': "0"}, by_control("touch", "space")),
    "a game without an end": ("guess", {"if (truth === undefined) return;": ""}, by_check(check_end)),
    "top-k keeps one more": ("sampling", {"order.slice(0, k)": "order.slice(0, k + 1)"}, by_arithmetic),
    "of equal ones the later": ("sampling", {"row[b] - row[a])": "row[b] - row[a] || b - a)"}, by_arithmetic),
    "a nucleus without its first": ("sampling", {"[total < p - 1e-9, (total += chances[i])][0]": "(total += chances[i]) < p"}, by_arithmetic),
    "a nucleus with one more": ("sampling", {"total < p - 1e-9": "total <= p + 1e-9"}, by_arithmetic),
    "a nucleus before the temperature": ("sampling", {"chances = keep(top)": "chances = softmax(logits[prompt].map((z, i) => (top.includes(i) ? z : -Infinity)))"}, by_arithmetic),
    "a nucleus before top-k": ("sampling", {"chances = keep(top)": "chances = before"}, by_arithmetic),
    "a sum that rounding misses": ("sampling", {"total < p - 1e-9": "total < p"}, by_arithmetic),
    "all that isn't all": ("sampling", {"if (p < 1) {": "if (true) {", "p - 1e-9": "p - 1e-4"}, by_arithmetic),
    "a temperature that multiplies": ("sampling", {"z / temperature": "z * temperature"}, by_arithmetic),
    "what is left not renormalised": ("sampling", {"const left = keep(kept)": "const left = before.map((a, i) => (kept.includes(i) ? a : 0))"}, by_arithmetic),
    "entropy before the filters": ("sampling", {"sum(left.map((a) => (a ?": "sum(before.map((a) => (a ?"}, by_arithmetic),
    "a text of another setting": ("sampling", {"[ks, k], [ps, p]]": "[ps, p], [ks, k]]"}, by_arithmetic),
    "a removed one not hatched": ("sampling", {".getAttribute(\"d\") }), !has)": ".getAttribute(\"d\") }), false)"}, by_check(check_filters)),
    "a box that grows": ("sampling", {'class: "room"': 'hidden: ""'}, by_check(check_filters)),
    "a dead throw": ("sampling", {"(this.state.dice + 1) % throws": "this.state.dice"}, by_control("touch", "dice")),
    "a cache of inputs that saves the projections": ("cache", {'"kept", "gone", "new"': '"kept", "gone", "kept"'}, by_arithmetic),
    "a memory in every step": ("cache", {"key || k === 0 ? memory": "key || k >= 0 ? memory"}, by_arithmetic),
    "a cell too few": ("cache", {'i === step - 1 ? "new"': 'i === step - 2 ? "new"'}, by_cells),
    "the temperature multiplies": ("lookup", {"score / temperature": "score * temperature"}, by_arithmetic),
    "a kernel without its factor": ("kernel", {"exp((-u * u) / 2)": "exp(-u * u)"}, by_bump),
    "the width not squared": ("kernel", {"** 2) / 2)": ") / 2)"}, by_arithmetic),
    "leave-one-out leaves nothing out": ("kernel", {"leaveOut ? i : -1": "-1"}, by_arithmetic),
    "a length mask off by one": ("mask", {"j < length": "j <= length"}, by_arithmetic),
    "a causal mask without its diagonal": ("mask", {"!causal || j <= i": "!causal || j < i"}, by_arithmetic),
    "an empty row not zero": ("mask", {"zeros: 0": "zeros: 1"}, by_arithmetic),
    "a pressed cell of the wrong row": ("mask", {"pressed[i * n + j]": "pressed[j * n + i]"}, by_arithmetic),
    "no divisor": ("scale", {"sqrt(d) : 1)": "1 : 1)"}, by_arithmetic),
    "the gradient without the mean": ("scale", {"- dot(push, output))": ")"}, by_arithmetic),
    "layer and head swapped": ("heads", {"weights[layer][this.state.head]": "weights[this.state.head % 2][layer]"}, by_arithmetic),
    "the map of the other picture": ("captions", {"exchanged ? 1 - p : p;": "p;"}, by_arithmetic),
    "a box off by one cell": ("captions", {"middle(k % 8) < box[2]": "middle(k % 8) < box[2] + 4"}, by_arithmetic),
    "words that never change": ("captions", {"exchanged ? others : words": "words"}, by_arithmetic),
    "gates in another order": ("review", {"(1 - z) * Math.tanh": "z * Math.tanh"}, by_arithmetic),
    "a direction read forwards": ("review", {"[...vectors].reverse()": "vectors"}, by_arithmetic),
    "erased words are read": ("review", {"filter(([, t]) => !gone": "filter(([, t]) => 1 || gone"}, by_arithmetic),
    "a read-out without its length": ("questions", {"(p * p + (1 - p) ** 2)": "1"}, by_arithmetic),
    "the inverse transposed": ("questions", {"[(1 - q) / (p - q), (p - 1) / (p - q)]": "[(1 - q) / (p - q), -q / (p - q)]"}, by_arithmetic),
    "a hand turned back": ("clocks", {"s * Math.cos(angle) + c": "s * Math.cos(angle) - c"}, by_arithmetic),
    "a key that stays": ("clocks", {"at[n] * w": "at[0] * w"}, by_arithmetic),
    "a transposed map": ("heads", {"i = floor(k / m), j = k % m, weight = weights[i][j], allowed": "j = floor(k / m), i = k % m, weight = weights[i][j], allowed"}, by_hover),
    "thumbnails of another layer": ("heads", {"weights[layer][k], open": "weights[1 - layer][k], open"}, by_hover),
    "the row of another word": ("heads", {'kind === "query" ? matrix[i]': 'kind === "query" ? matrix[0]'}, by_hover),
    "a dead slider": ("kernel", {"oninput: listen": "onnothing: listen"}, by_control("keys", "width")),
    "a dead finger": ("kernel", {"onpointerdown: start": "onnothing: start"}, by_control("touch", "point")),
    "a dead reset": ("scale", {"this.reset())": "0)"}, by_control("keys", "divided")),
    "cells without keys": ("mask", {"this.key(event, k)": "0"}, by_control("keys", "cell")),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_script_is_noticed(what, opened, outputs):
    kind, broken, check = BROKEN[what]
    with pytest.raises(AssertionError):
        check(kind, opened, spec_of(outputs[kind]), broken)


def check_bump(page):
    """One width from the query, the Gaussian bump has exp(-1/2) of its height."""
    numbers(page, width=live.WIDTHS[-8], query=2.5, kernel="Gaussian")
    path = part(page, ".bump").get_attribute("d")
    points = np.array(
        [[float(x) for x in each.split()] for each in re.findall(r"[ML]([\d. ]+)", path)]
    )
    x = 0.2 + (points[1:-1, 0] - 34) / 300 * 4.6
    wanted = 236 - 40 * np.exp(-(((x - 2.5) / live.WIDTHS[-8]) ** 2) / 2)
    assert np.abs(points[1:-1, 1] - wanted).max() < 0.4


def test_the_bump_is_the_kernel(opened):
    check_bump(opened("kernel"))
