"""The trained models: their files, and the engine that runs them in a page against PyTorch.

Both run the same dequantised weights, PyTorch in float64 with the codes of the positions as they are
in float32; so a difference beyond rounding is a fault of the engine. `WRONG` has such faults.
"""

import base64
import copy
import itertools
import random

import numpy as np
import pytest
import torch

from corpora.english_french import corpus
from corpora.text import alice
from live import bundle
from recipes import letters as recipe
from recipes.translator import packed, vocabulary
from taught import trained
from taught.language_model import LanguageModel, generate
from taught.trained import trained_letters, trained_translator, unpacked, unpacked_letters
from taught.transformer import Transformer
from taught.translation import attention_maps, greedy, to_tokens
from tests.live.figure import changed
from tests.live.translator import BOS, EOS, PAD, PARTS, SIDES, edited, precise_translator, stages_of

EDITS = "nothing", "cuts", "patches", "heads", "all"
# float64 in both; they may differ in the last bits of exp, and in the order of sums.
CLOSE = 1e-9


@pytest.fixture(scope="module")
def data():
    return corpus()


@pytest.fixture(scope="module")
def translator():
    return trained_translator()


def tokens_of(pairs, translator):
    _, english, french = translator
    src = to_tokens([pair.source for pair in pairs], english)
    return src, to_tokens([pair.target for pair in pairs], french, [BOS], [EOS])


@torch.no_grad()
def test_the_translator_is_as_good_as_that_of_its_page(translator, data):
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


def drawn_edits(draw, kind, m, n, others):
    """Edits for m English words and n steps; the donor of patches has `others` words."""
    cuts, sizes = [], {"encoder": (m, m), "own": (n, n), "cross": (n, m)}
    for part, (rows, columns) in sizes.items():
        for _ in range(draw.randint(1, 4)):
            cut = {"part": part, "query": draw.randrange(rows), "key": draw.randrange(columns)}
            cut |= {"layer": draw.randrange(2)} if draw.random() < 0.5 else {}
            cut |= {"head": draw.randrange(4)} if draw.random() < 0.5 else {}
            cuts.append(cut)
    part = draw.choice([*sizes])  # and a row of it that may look at nothing
    row = {"part": part, "layer": draw.randrange(2), "query": draw.randrange(sizes[part][0])}
    cuts += [row | {"key": key} for key in range(sizes[part][1])]
    some = draw.sample([*itertools.product(PARTS, range(2), range(4))], draw.randint(1, 5))
    heads = [dict(zip(("part", "layer", "head"), head)) for head in some]
    patches = [
        {"stage": stage, "position": draw.randrange(m), "from": draw.randrange(others)}
        for stage in range(3)
    ]
    edits = dict(cuts=cuts, heads=heads, patches=patches)
    return {name: each if kind in (name, "all") else [] for name, each in edits.items()}


@pytest.fixture(scope="module")
def cases(data, translator):
    """60 sentences, edited in turn in each of five ways, and what PyTorch makes of them."""
    draw, found = random.Random(0), []
    precise = precise_translator()[0]
    twins = list(itertools.chain(*data.minimal_pairs))
    sentences = draw.sample(data.held_out, 20) + draw.sample(data.compositional, 15)
    for k, pair in enumerate(sentences + draw.sample(twins, 25)):
        donor = draw.choice(twins)
        src, tgt = tokens_of([pair], translator)
        edits = drawn_edits(draw, EDITS[k % 5], src.shape[1], tgt.shape[1] - 1, len(donor.source))
        with torch.no_grad():
            stages = stages_of(precise, tokens_of([donor], translator)[0])
            with edited(precise, edits, stages), attention_maps(precise) as maps:
                logits = precise(src, tgt[:, :-1])[0]  # (n, V)
        names = [f"{side}.{l}.{PARTS[part]}" for part, side in SIDES.items() for l in range(2)]
        rows = [maps[name][0].flatten() for name in names]  # H * n * m numbers each
        case = dict(words=pair.source, target=pair.target, donor=donor.source, edits=edits)
        wanted = dict(logits=logits, maps=torch.cat(rows), stages=torch.cat(stages))
        found.append((case, {name: x.numpy().ravel() for name, x in wanted.items()}))
    return found


ENGINE = bundle.joined(bundle.HERE / "engine.js")
START = "const engine = new Engine(globalThis.attentionData.translator);\n"
# Runs cases and returns all numbers; "own" has a triangle of them, which becomes a square.
RUN = """
const code = (lists) => {
  const numbers = Float64Array.from(lists.flatMap((list) => [...list]));
  return Buffer.from(numbers.buffer).toString("base64");
};
return given.cases.map(({ words, target, donor, edits }) => {
  const { stages } = engine.encode(donor);
  const patches = edits.patches.map((p) => ({ ...p, vector: stages[p.stage][p.from] }));
  const run = engine.translate(words, { ...edits, patches }, { target }), n = run.steps.length;
  const padded = run.maps.own.flat(2).map((row) => [...row, ...Array(n - row.length).fill(0)]);
  return {
    logits: code(run.steps.map((step) => step.logits)),
    maps: code([...run.maps.encoder.flat(2), ...padded, ...run.maps.cross.flat(2)]),
    stages: code(stages.flat()),
  };
});"""
FREE = """
return given.sentences.map((english) => {
  const run = engine.translate(english);
  const numbers = JSON.stringify(run.steps.map((step) => [...step.logits]));
  const again = engine.translate(english, {}, { before: run });
  const same = JSON.stringify(again.steps.map((step) => [...step.logits])) === numbers;
  const cuts = [{ part: "cross", query: 2, key: 1 }, { part: "own", query: 3, key: 0 }];
  const [whole, rest] = [{}, { kept: 2 }].map((more) => {
    const { steps, maps, words } = engine.translate(english, { cuts }, { before: run, ...more });
    return JSON.stringify([steps.map((step) => [...step.logits]), maps, words]);
  });
  const tokens = run.steps.map((step) => step.token);
  return { tokens, words: run.words, same, kept: whole === rest };
});"""
UNKNOWN = "try { engine.translate(given.words); } catch (error) { return String(error); }"


@pytest.fixture
def ask(node):
    """Run code that uses the engine, which may be wrong."""

    def call(code, wrong=None, **given):
        return node.run(f"{changed(ENGINE, wrong or {})};\n{START}{code}", **given)

    return call


def worst(ask, cases, wrong=None):
    """The largest difference to PyTorch: of logits, of weights, of the donors' states."""
    found = dict.fromkeys(("logits", "maps", "stages"), 0.0)
    for (_, wanted), run in zip(cases, ask(RUN, wrong, cases=[case for case, _ in cases])):
        for name in found:
            got = np.frombuffer(base64.b64decode(run[name]))
            assert got.shape == wanted[name].shape, name
            off = np.abs(got - wanted[name])
            found[name] = max(found[name], np.nan_to_num(off, nan=np.inf).max())
    return found


def test_the_engine_gives_the_numbers_of_torch(ask, cases):
    found = worst(ask, cases)
    assert max(found.values()) < CLOSE, found


def test_the_engine_writes_what_greedy_writes(ask, cases, translator):
    model, english, french = translator
    sentences = [case["words"] for case, _ in cases]
    wanted = greedy(model, to_tokens(sentences, english), BOS, EOS, 24)
    found = ask(FREE, sentences=sentences)
    for run, row in zip(found, wanted.tolist()):
        assert run["tokens"] == [token for token in row if token != PAD]
        assert run["words"] == [french[token] for token in row if token > EOS]
        assert run["same"], "an earlier run is of use"
        assert run["kept"], "and so are its steps before the first cut"


def test_a_word_that_is_not_known_is_named(ask):
    assert ask(UNKNOWN, words=["the", "yak"]) == "RangeError: not in the vocabulary: yak"
    assert "<eos>" in ask(UNKNOWN, words=["<eos>"])


WRONG = {
    "no divisor": {"score / sqrt(size)": "score"},
    "positions off by one": {"const angle = position *": "const angle = (position + 1) *"},
    "codes in float64": {"return Math.fround(": "return ("},
    "cuts that a part ignores": {"edits.cuts ?? []": 'part === "own" ? [] : edits.cuts ?? []'},
    "a head of another layer": {"(edit.layer ?? layer) === layer": "true"},
    "heads that stay": {"if (removed.some(mine)) continue;": ""},
    "a norm without epsilon": {"variance + 1e-5": "variance"},
    "an empty row that looks somewhere": {"scores.map(() => 0)": "scores.map(() => 0.1)"},
    "patches a stage later": {"patch.stage === stage": "patch.stage + 1 === stage"},
    "the other layer's keys": {"(seen, `decoder.${layer}": "(seen, `decoder.${0 * layer}"},
}


@pytest.mark.mutants
@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_engine_is_noticed(what, ask, cases):
    found = worst(ask, cases[:20], WRONG[what])
    assert found["logits"] > 10 * CLOSE, found


# ---------------------------------------------------------------- the letter model


@torch.no_grad()
def test_the_letter_model_is_as_good_as_that_of_its_page():
    """The page's with dropout 0.1 and seed 0: 1.980 and 2.139 bits on XI and XII."""
    model, letters = trained_letters()
    book, held_out = alice()
    assert letters == sorted(set(book)) and not model.training
    tokens = torch.tensor([letters.index(letter) for letter in held_out])
    windows = tokens.unfold(0, 65, 32)  # (windows, 65): each second half is new
    nats = torch.nn.functional.cross_entropy(model(windows[:, :-1]).mT, windows[:, 1:], reduction="none")  # fmt: skip
    bits = nats[:, 32:].flatten() / np.log(2)
    middle = held_out.index("CHAPTER XII\n")
    assert abs(bits[:middle].mean() - 1.98) < 0.02 and abs(bits[middle:].mean() - 2.14) < 0.02


def test_another_file_of_letters_is_refused(tmp_path, monkeypatch):
    changed = tmp_path / "letters.json"
    changed.write_bytes(trained.LETTERS.read_bytes().replace(b'"num_heads":4', b'"num_heads":2'))
    monkeypatch.setattr(trained, "LETTERS", changed)
    with pytest.raises(ValueError, match=rf"letters\.json.*; wanted {trained.LETTERS_SHA256}"):
        trained_letters()


def test_packed_letters_come_back():
    torch.manual_seed(0)
    model = LanguageModel(5, 8, 2, 1, 12)
    text = recipe.packed(model, list("\n ab'"))
    again, letters = unpacked_letters(text)
    assert letters == list("\n ab'") and again.blocks[0].attention.num_heads == 2
    assert recipe.packed(again, letters) == text, "what is rounded stays"
    for name, tensor in model.state_dict().items():
        torch.testing.assert_close(again.state_dict()[name], tensor, rtol=0, atol=0.02)


# Each begins with what the one before it shares with it, but for the last ones.
BEGINS = "A", "Al", "Alice wa", "Alice with", "Alice", "\n", "`I wonder" * 7, "`I wonder" * 7 + "!", "Queen " * 15  # fmt: skip


@pytest.fixture(scope="module")
def continued():
    """(a beginning, what the likeliest letters behind it are, the logits of each of these)."""
    model, letters = trained_letters()
    model, found = copy.deepcopy(model).double(), []
    for begin in BEGINS:
        logits = []
        hook = model.register_forward_hook(lambda _, __, out, to=logits: to.append(out[0, -1]))
        tokens = torch.tensor([[letters.index(letter) for letter in begin]])
        text = generate(model, tokens, 110, k=1)[0, len(begin) :]
        hook.remove()
        found.append((begin, "".join(letters[i] for i in text), torch.stack(logits).numpy()))
    return found


LETTERS = bundle.joined(bundle.HERE / "letters.js")
WRITE = """
return given.texts.map(([begin, more]) => {
  const model = letterModel();
  const run = model.begin([...begin]);
  for (const letter of more) model.add(run, model.tokenOf.get(letter));
  return run.logits.slice(0, -1).map((logits) => [...logits]);
});"""


def letters_off(node, continued, wrong=None, end=200):
    """How far off the logits are, in texts of so many letters at most, and two steps at least."""
    code = f"{changed(LETTERS, wrong or {})};\n{WRITE}"
    texts = [[begin, more[: max(2, end - len(begin))]] for begin, more, _ in continued]
    found = node.run(code, texts=texts)
    pairs = zip(found, continued)
    return max(np.abs(ours - logits[: len(ours)]).max() for ours, (*_, logits) in pairs)


def test_the_page_reads_letters_as_generate_does(node, continued):
    assert letters_off(node, continued) < CLOSE


SLIPS = {
    "a window too long": {"const WINDOW = 64": "const WINDOW = 70"},
    "a new cache from the start": {"tokens.length - WINDOW / 2": "tokens.length - WINDOW"},
    "letter 0 as padding": {"value + row[i]": "value + (token ? row[i] : 0)"},
    "keys of another beginning": {"copyOf(old.cache, run.from)": "copyOf(old.cache)"},
    "a cache that two texts share": {"keys.slice(0, end)": "keys"},
    "positions that go on": {"const position = cache[0].keys.length": "const position = cache[0].keys.length + 1"},
}  # fmt: skip


@pytest.mark.mutants
@pytest.mark.parametrize("what", SLIPS)
def test_a_slip_with_letters_is_noticed(what, node, continued):
    """A new cache for each letter is slow, and shows when the first one, of 64 letters, is full."""
    end = 70 if what == "a new cache from the start" else 200
    assert letters_off(node, continued, SLIPS[what], end) > 10 * CLOSE


def test_nothing_begins_a_paragraph_and_signs_are_those_of_the_book(node):
    code = f"""{LETTERS};
    const model = letterModel(), tokens = (signs) => model.begin(signs).tokens;
    return [tokens([]), tokens(["\\n"]), model.spell("“Où—?” 🐇🐇")];"""
    nothing, paragraph, (signs, odd) = node.run(code)
    assert nothing == paragraph == [0] and trained_letters()[1][0] == "\n"
    assert "".join(signs) == '"O--?" ' and odd == ["ù", "🐇"]
