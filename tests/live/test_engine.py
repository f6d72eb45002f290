"""The trained models: their files, and the scripts that run them in a page against PyTorch.

Both run the same dequantised weights in float64, so a difference beyond rounding is a fault of the script.
"""

import itertools
import random

import numpy as np
import pytest
import torch

from data.english_french import corpus
from live import bundle
from recipes.translator import packed
from taught import trained
from taught.language_model import generate
from taught.trained import trained_letters, trained_translator, unpacked
from taught.transformer import Transformer
from tests.live.figure import changed
from tests.live.translator import PARTS, SIDES, translated

# float64 in both; they may differ in the last bits of exp, and in the order of sums.
CLOSE = 1e-9


def test_another_file_is_refused(tmp_path, monkeypatch):
    changed = tmp_path / "translator.json"
    changed.write_bytes(trained.FILE.read_bytes().replace(b'"num_heads":4', b'"num_heads":2'))
    monkeypatch.setattr(trained, "FILE", changed)
    with pytest.raises(ValueError, match=rf"translator\.json.*{'.' * 64}; wanted {trained.SHA256}"):
        trained_translator()


def test_what_is_packed_comes_back_within_half_a_step():
    torch.manual_seed(0)
    model, words = Transformer(5, 4, 8, 2, 1, 12), ["<pad>", "<bos>", "<eos>", "où", "d'"]
    torch.nn.init.zeros_(model.source.weight[3])
    text = packed(model, words, words[:4])
    again, *languages = unpacked(text)
    assert languages == [words, words[:4]] and again.encoder[0].attention.num_heads == 2
    assert packed(again, *languages) == text == packed(model, words, words[:4]), "what is rounded stays"
    for (name, tensor), new in zip(model.state_dict().items(), again.state_dict().values(), strict=True):
        step = tensor.abs().amax(dim=-1, keepdim=True) / 127 if tensor.dim() == 2 else 0 * tensor
        assert ((tensor - new).abs() <= 0.501 * step).all(), name


@pytest.fixture(scope="module")
def cases():
    """30 sentences, and what is changed inside the model in two of three."""
    draw, data, sentences = random.Random(0), corpus(), []
    for part in data.held_out, data.compositional, list(itertools.chain(*data.minimal_pairs)):
        for k, pair in enumerate(draw.sample(part, 10), start=len(sentences)):
            m, n, cuts = len(pair.source), len(pair.target), []
            for name, rows, columns in (("encoder", m, m), ("own", n, n), ("cross", n, m)):
                one_head = {"layer": draw.randrange(2), "head": draw.randrange(4)} if draw.random() < 0.7 else {}
                cuts.append({"part": name, "query": draw.randrange(rows), "key": draw.randrange(columns)} | one_head)
            row = {"part": "cross", "layer": draw.randrange(2), "query": draw.randrange(n)}
            cuts += [row | {"key": key} for key in range(m)]  # it looks at nothing
            sentences.append((pair.source, [{}, {"cuts": cuts}, {"removed": ["encoder"]}][k % 3]))
    return sentences


RUN = """
const engine = new Engine(globalThis.attentionData.translator);
return given.cases.map(([english, edits]) => {
  const { words, steps, maps } = engine.translate(english, edits);
  const own = maps.own.flat(2).map((row) => [...row, ...Array(steps.length - row.length).fill(0)]);
  const all = [...maps.encoder.flat(2), ...own, ...maps.cross.flat(2)].flat();
  return { words, logits: steps.map(({ logits }) => [...logits]), maps: all };
});"""


def check_engine(node, cases, wrong=None):
    script = changed(bundle.joined(bundle.HERE / "engine.js"), wrong or {})
    names = [f"{side}.{l}.{PARTS[part]}" for part, side in SIDES.items() for l in range(2)]
    for case, run in zip(cases, node.run(f"{script};\n{RUN}", cases=cases)):
        logits, maps = translated(case[0], run["words"], case[1])
        weights = torch.cat([maps[name][0].flatten() for name in names])
        np.testing.assert_allclose(run["logits"], logits, rtol=0, atol=CLOSE)
        np.testing.assert_allclose(run["maps"], weights, rtol=0, atol=CLOSE)


def test_the_engine_gives_the_numbers_of_torch(node, cases):
    check_engine(node, cases)


WRONG = {
    "no divisor": {"score / sqrt(size)": "score"},
    "codes in float64": {"return Math.fround(": "return ("},
    "a norm without epsilon": {"variance + 1e-5": "variance"},
}


@pytest.mark.mutants
@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_engine_is_noticed(what, node, cases):
    with pytest.raises(AssertionError):
        check_engine(node, cases[:9], WRONG[what])


# ---------------------------------------------------------------- the letter model


@pytest.fixture(scope="module")
def continued():
    """(a beginning, what the likeliest letters behind it are, the logits of each of these)."""
    model, letters = trained_letters()
    model.double()
    texts = []
    for begin in "A", "\n", "`I wonder" * 7, "`I wonder" * 7 + "!", "Queen " * 15:
        logits = []
        hook = model.register_forward_hook(lambda _, __, out, to=logits: to.append(out[0, -1]))
        tokens = torch.tensor([[letters.index(letter) for letter in begin]])
        text = generate(model, tokens, 110, k=1)[0, len(begin) :]
        hook.remove()
        texts.append((begin, "".join(letters[i] for i in text), torch.stack(logits).numpy()))
    return texts


LETTERS = bundle.joined(bundle.HERE / "letters.js")
WRITE = """
return given.texts.map(([begin, more]) => {
  const model = letterModel();
  const run = model.begin([...begin]);
  for (const letter of more) model.add(run, model.tokenOf.get(letter));
  return run.logits.slice(0, -1).map((logits) => [...logits]);
});"""


def check_letters(node, continued, wrong=None, end=200):
    """Texts of so many letters at most, and two steps at least, have the same logits."""
    code = f"{changed(LETTERS, wrong or {})};\n{WRITE}"
    texts = [[begin, more[: max(2, end - len(begin))]] for begin, more, _ in continued]
    for ours, (*_, logits) in zip(node.run(code, texts=texts), continued):
        np.testing.assert_allclose(ours, logits[: len(ours)], rtol=0, atol=CLOSE)


def test_the_page_reads_letters_as_generate_does(node, continued):
    check_letters(node, continued)


SLIPS = {
    "a window too long": {"const WINDOW = 64": "const WINDOW = 70"},
    "a new cache from the start": {"tokens.length - WINDOW / 2": "tokens.length - WINDOW"},
    "positions that go on": {"const position = cache[0].keys.length": "const position = cache[0].keys.length + 1"},
}  # fmt: skip


@pytest.mark.mutants
@pytest.mark.parametrize("what", SLIPS)
def test_a_slip_with_letters_is_noticed(what, node, continued):
    end = 70 if what == "a new cache from the start" else 200
    with pytest.raises(AssertionError):
        check_letters(node, continued, SLIPS[what], end)


def test_nothing_begins_a_paragraph_and_signs_are_those_of_the_book(node):
    code = f"""{LETTERS};
    const model = letterModel(), tokens = (signs) => model.begin(signs).tokens;
    return [tokens([]), tokens(["\\n"]), model.spell("“Où—?” 🐇🐇")];"""
    nothing, paragraph, (signs, odd) = node.run(code)
    assert nothing == paragraph == [0] and trained_letters()[1][0] == "\n"
    assert "".join(signs) == '"O--?" ' and odd == ["ù", "🐇"]
