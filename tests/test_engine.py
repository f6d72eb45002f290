"""The trained translator: its file, and the engine of a live figure in a real browser against PyTorch.

Both run the same dequantised weights, PyTorch in float64 with the codes of the positions as they are
in float32; so a difference beyond rounding is a fault of the engine. `BROKEN` shows such faults.
"""

import base64
import copy
import itertools
import random
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest
import torch

from tests.test_browser import browser, visit  # noqa: F401, a fixture
from utils import live
from utils.data import trained
from utils.data.trained import trained_translator, unpacked
from utils.data.translation import corpus
from utils.transformer import Transformer
from utils.translation import attention_maps, greedy, to_tokens
from workshop.translator import packed, vocabulary

PAD, BOS, EOS = 0, 1, 2
PARTS = {"encoder": "attention", "own": "self_attention", "cross": "cross_attention"}
SIDES = {"encoder": "encoder", "own": "decoder", "cross": "decoder"}
EDITS = "nothing", "cuts", "patches", "heads", "all"
# float64 in both; they may differ in the last bits of exp, and in the order of sums.
CLOSE = 1e-9


@pytest.fixture(scope="module")
def data():
    return corpus()


@pytest.fixture(scope="module")
def translator():
    return trained_translator()


@pytest.fixture(scope="module")
def precise(translator):
    """The same model in float64; the codes of its positions keep their float32 values."""
    return copy.deepcopy(translator[0]).double()


# ---------------------------------------------------------------- the file


def tokens_of(pairs, translator):
    _, english, french = translator
    src = to_tokens([pair.source for pair in pairs], english)
    return src, to_tokens([pair.target for pair in pairs], french, [BOS], [EOS])


@torch.no_grad()
def test_the_model_is_as_good_as_that_of_page_12(translator, data):
    def chosen(pairs):
        """The likeliest token after the true ones, and the true one, (B, n) each."""
        src, tgt = tokens_of(pairs, translator)
        return translator[0](src, tgt[:, :-1]).argmax(-1), tgt[:, 1:]

    def right(pairs):
        parts = [chosen(pairs[k : k + 250]) for k in range(0, len(pairs), 250)]
        return torch.cat([((a == b) | (b == PAD)).all(-1) for a, b in parts]).float().mean()

    for words, side in zip(translator[1:], ("source", "target")):
        assert words == vocabulary(getattr(pair, side) for pair in data.training)
    assert not translator[0].training
    assert right(data.held_out) >= 0.98 and right(data.compositional) >= 0.97
    twins = list(itertools.chain(*data.minimal_pairs[:250]))
    rows, at = torch.arange(len(twins)), [pair.pronouns[0].target for pair in twins]
    got, wanted = chosen(twins)
    assert (got == wanted)[rows, at].float().mean() >= 0.99
    assert {translator[2][token] for token in wanted[rows, at]} == {"il", "elle"}


def test_another_file_is_refused(tmp_path, monkeypatch):
    changed = tmp_path / "translator.json"
    changed.write_bytes(trained.FILE.read_bytes().replace(b'"num_heads":4', b'"num_heads":2'))
    monkeypatch.setattr(trained, "FILE", changed)
    with pytest.raises(ValueError, match=rf"translator\.json.*{'.' * 64}; wanted {trained.SHA256}"):
        trained_translator()


def test_what_is_packed_comes_back_within_half_a_step():
    torch.manual_seed(0)
    words = ["<pad>", "<bos>", "<eos>", "où", "d'"]
    model = Transformer(5, 4, 8, 2, 1, 12)
    torch.nn.init.zeros_(model.source.weight[3])
    text = packed(model, words, words[:4])
    again, *languages = unpacked(text)
    assert languages == [words, words[:4]] and text == packed(model, words, words[:4])
    assert again.encoder[0].attention.num_heads == 2 and len(again.decoder) == 1
    assert packed(again, *languages) == text, "what is rounded stays"
    old, new = model.state_dict(), again.state_dict()
    assert list(old) == list(new)
    for name, tensor in old.items():
        step = tensor.abs().amax(dim=-1, keepdim=True) / 127 if tensor.dim() == 2 else 0 * tensor
        assert ((tensor - new[name]).abs() <= 0.501 * step).all(), name


# ---------------------------------------------------------------- the edits, in PyTorch


@contextmanager
def edited(model, edits, donor):
    """In the `with` block, the model of one sentence is changed as `edits` say."""

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


def drawn_edits(draw, kind, m, n, others):
    """Edits for m English words and n steps; the donor of patches has `others` words."""
    edits = {"cuts": [], "heads": [], "patches": []}
    sizes = {"encoder": (m, m), "own": (n, n), "cross": (n, m)}
    if kind in ("cuts", "all"):
        for part, (rows, columns) in sizes.items():
            for _ in range(draw.randint(1, 4)):
                cut = {"part": part, "query": draw.randrange(rows), "key": draw.randrange(columns)}
                cut |= {"layer": draw.randrange(2)} if draw.random() < 0.5 else {}
                cut |= {"head": draw.randrange(4)} if draw.random() < 0.5 else {}
                edits["cuts"].append(cut)
        part = draw.choice([*sizes])  # and a row of it that may look at nothing
        row = {"part": part, "layer": draw.randrange(2), "query": draw.randrange(sizes[part][0])}
        edits["cuts"] += [row | {"key": key} for key in range(sizes[part][1])]
    if kind in ("heads", "all"):
        every = [*itertools.product(PARTS, range(2), range(4))]
        some = draw.sample(every, draw.randint(1, 5))
        edits["heads"] = [dict(zip(("part", "layer", "head"), head)) for head in some]
    if kind in ("patches", "all"):
        for stage in (0, 1, 2):
            place = {"position": draw.randrange(m), "from": draw.randrange(others)}
            edits["patches"].append({"stage": stage} | place)
    return edits


@pytest.fixture(scope="module")
def cases(data, translator, precise):
    """200 sentences, edited in turn in each of five ways, and what PyTorch makes of them."""
    draw, found = random.Random(0), []
    twins = list(itertools.chain(*data.minimal_pairs))
    sentences = draw.sample(data.held_out, 60) + draw.sample(data.compositional, 40)
    for k, pair in enumerate(sentences + draw.sample(twins, 100)):
        donor = draw.choice(twins)
        src, tgt = tokens_of([pair], translator)
        edits = drawn_edits(draw, EDITS[k % 5], src.shape[1], tgt.shape[1] - 1, len(donor.source))
        with torch.no_grad():
            stages = stages_of(precise, tokens_of([donor], translator)[0])
            with edited(precise, edits, stages), attention_maps(precise) as maps:
                logits = precise(src, tgt[:, :-1])[0]  # (n, V)
        names = [f"{side}.{l}.{PARTS[part]}" for part, side in SIDES.items() for l in range(2)]
        rows = [maps[name][0].flatten() for name in names]  # H * n * m numbers each
        found.append({
            "words": pair.source, "target": pair.target, "donor": donor.source, "edits": edits,
            "logits": logits.numpy(), "maps": torch.cat(rows).numpy(),
            "stages": torch.cat(stages).numpy().ravel(),
        })  # fmt: skip
    return found


# ---------------------------------------------------------------- the engine, in a browser

# Runs cases and returns all numbers; "own" has a triangle of them, which becomes a square.
RUN = """({ cases }) => {
  const { engine } = document.querySelector("attention-live-1").figure, code = (lists) => {
    const bytes = new Uint8Array(Float64Array.from(lists.flatMap((list) => [...list])).buffer);
    let letters = "";
    for (const byte of bytes) letters += String.fromCharCode(byte);
    return btoa(letters);
  };
  return cases.map(({ words, target, donor, edits }) => {
    const { stages } = engine.encode(donor);
    const patches = edits.patches.map((p) => ({ ...p, vector: stages[p.stage][p.from] }));
    const run = engine.translate(words, { ...edits, patches }, { target }), n = run.steps.length;
    const padded = run.maps.own.flat(2).map((row) => [...row, ...Array(n - row.length).fill(0)]);
    return {
      logits: code(run.steps.map((step) => step.logits)),
      maps: code([...run.maps.encoder.flat(2), ...padded, ...run.maps.cross.flat(2)]),
      stages: code(stages.flat()),
    };
  });
}"""
ASKED = "words", "target", "donor", "edits"
FREE = """({ sentences }) => {
  const { engine } = document.querySelector("attention-live-1").figure, times = [];
  const runs = sentences.map((words) => {
    const start = performance.now(), run = engine.translate(words);
    times.push(performance.now() - start);
    const numbers = JSON.stringify(run.steps.map((step) => [...step.logits]));
    const again = engine.translate(words, {}, { before: run });
    const same = JSON.stringify(again.steps.map((step) => [...step.logits])) === numbers;
    return { tokens: run.steps.map((step) => step.token), words: run.words, same };
  });
  return { runs, median: times.sort((a, b) => a - b)[times.length >> 1] };
}"""


# A figure with as little in it as can be; it carries the engine.
FIGURE = """<!doctype html><meta charset="utf-8"><title>Engine</title>
<attention-live-1 kind="sentence" spec='{"kinds": {}, "hint": "", "alt": "",
"patterns": [{"name": "a", "slots": ["the", "."], "start": ["the", "."]}]}'>
</attention-live-1>"""


@pytest.fixture(scope="module")
def evaluate(browser, tmp_path_factory):  # noqa: F811
    """Call a function in a page from a file with a figure, whose engine may be broken."""
    folder = tmp_path_factory.mktemp("engine")

    def call(function, broken=None, **given):
        code = live.script("sentence")
        for old, new in (broken or {}).items():
            assert old in code, f"nothing to break: {old!r}"
            code = code.replace(old, new)
        html = f"{FIGURE}<script>{live.weights()}</script><script>{code}</script>"
        (folder / "page.html").write_text(html, encoding="utf-8")
        with visit(browser, folder.as_uri() + "/", "page.html") as page:
            found = page.evaluate(function, given)
            assert not page.faults
        return found

    return call


def worst(evaluate, cases, broken=None):
    """The largest difference to PyTorch: of logits, of weights, of the donors' states."""
    asked = [{name: case[name] for name in ASKED} for case in cases]
    found = dict.fromkeys(("logits", "maps", "stages"), 0.0)
    for case, run in zip(cases, evaluate(RUN, broken, cases=asked)):
        for name in found:
            got = np.frombuffer(base64.b64decode(run[name]))
            assert got.size == case[name].size, name
            off = np.abs(got - case[name].ravel())
            found[name] = max(found[name], np.nan_to_num(off, nan=np.inf).max())
    return found


def test_the_engine_gives_the_numbers_of_torch(evaluate, cases):
    found = worst(evaluate, cases)
    assert max(found.values()) < CLOSE, found


def test_the_edits_change_something(cases, precise, translator):
    """Else the comparison would show nothing."""
    changed = dict.fromkeys(EDITS, 0)
    for k, case in enumerate(cases):
        src = to_tokens([case["words"]], translator[1])
        tgt = to_tokens([case["target"]], translator[2], [BOS])
        with torch.no_grad():
            off = np.abs(precise(src, tgt)[0].numpy() - case["logits"]).max()
        changed[EDITS[k % 5]] += off > 1e-3
    assert changed == dict.fromkeys(EDITS, 40) | {"nothing": 0}


def test_the_engine_writes_what_greedy_writes(evaluate, cases, translator):
    model, english, french = translator
    wanted = greedy(model, to_tokens([case["words"] for case in cases], english), BOS, EOS, 24)
    found = evaluate(FREE, sentences=[case["words"] for case in cases])
    for run, row in zip(found["runs"], wanted.tolist()):
        assert run["tokens"] == [token for token in row if token != PAD]
        assert run["words"] == [french[token] for token in row if token > EOS]
        assert run["same"], "an earlier run is of use"
    assert found["median"] < 1000  # ms; a tenth or less


def test_a_word_that_is_not_known_is_named(evaluate):
    say = """({ words }) => {
      const { engine } = document.querySelector("attention-live-1").figure;
      try { engine.translate(words); } catch (error) { return String(error); }
    }"""
    assert evaluate(say, words=["the", "yak"]) == "RangeError: not in the vocabulary: yak"
    assert "<eos>" in evaluate(say, words=["<eos>"])


BROKEN = {
    "no divisor": {"score / sqrt(size)": "score"},
    "positions off by one": {"const angle = position *": "const angle = (position + 1) *"},
    "codes in float64": {"return Math.fround(": "return ("},
    "cuts that a part ignores": {"edits.cuts ?? []": 'part === "own" ? [] : edits.cuts ?? []'},
    "a head of another layer": {"(edit.layer ?? layer) === layer": "true"},
    "heads removed behind W_o": {
        "if (removed.some(mine)) continue;": "",
        "return this.linear(name + \".W_o\", joined);": (
            'const out = this.linear(name + ".W_o", joined);'
            "for (let h = 0; h < this.heads; h++)"
            "  if (removed.some((edit) => (edit.head ?? h) === h)) out.fill(0, h * size, (h + 1) * size);"
            "return out;"
        ),
    },
    "a norm without epsilon": {"variance + 1e-5": "variance"},
    "a norm over one number less": {"2)) / x.length": "2)) / (x.length - 1)"},
    "an empty row that looks everywhere": {"scores.map(() => 0)": "scores.map(() => 1 / scores.length)"},
    "patches a stage later": {"patch.stage === stage": "patch.stage + 1 === stage"},
    "the other layer's keys": {"(cross, `decoder.${layer}": "(cross, `decoder.${0 * layer}"},
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_engine_is_noticed(what, evaluate, cases):
    found = worst(evaluate, cases[:20], BROKEN[what])
    assert found["logits"] > 10 * CLOSE, found
