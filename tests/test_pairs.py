"""`utils/data/pairs.py`: what it reads from files and the web (a quote is a letter) or refuses."""

import bz2
import gzip
import hashlib
from http.client import IncompleteRead
from unittest.mock import MagicMock
from zipfile import ZipFile

from utils.data import pairs

PAIRS = [('"Go\u2028on\x0b!', "Va !"), ("Did\x85he?", "Il l'a fait ?"), ("Yes.", "Oui.")]
TEXT = "".join(f"{a}\t{b}\tby c\n" for a, b in PAIRS).encode()
SUM, GZ, BZ2 = hashlib.sha256(TEXT).hexdigest(), gzip.compress(TEXT), bz2.compress(TEXT)
CASES = [  # a file (a list goes into a .zip), arguments, how the error begins ("": all is read)
    ("a", b"\xef\xbb\xbf" + TEXT.replace(b"\n", b"\r\n\t \n\n"), {}, ""),
    ("a", TEXT.replace(b"\t", b" \t\xc2\xa0 ").replace(b"\tby c", b"").strip(), {"limit": 4}, ""),
    ("a", TEXT.replace(b"\t", b"\t2\t") + b"broken", {"columns": [0, 2], "limit": 3}, ""),
    ("a.GZ", GZ, {"sha256": hashlib.sha256(GZ).hexdigest().upper()}, ""), ("a.bz2", BZ2, {}, ""),
    ("a.zip", ["a.tsv", "_about.txt", "b.png"], {}, ""), ("a", TEXT, {"where": "~/a"}, ""),
    ("a", b"\n \n", {}, "ValueError: {} holds no pair; wanted one per line"),
    ("a", TEXT, {"columns": (1, 3)}, "ValueError: {}, line 1: 3 columns; wanted 4 or more, for co"),
    ("a", b"a\tb\n\nc\t \n", {}, "ValueError: {}, line 3: wanted two sentences, got ('c', '')"),
    ("a", b"a\tb\na\t\xe9\n", {}, "ValueError: {}, line 2, byte 3: wanted UTF-8, got b'\\xe9'"),
    *((f"a.{end}", data, {}, "ValueError: {} cannot be unpacked: ") for end, data in (
        ("gz", GZ[:-20]), ("gz", GZ[:10] + 50 * b"\xff"), ("gz", TEXT), ("bz2", TEXT),
        ("zip", TEXT), ("zip", ["_about.txt"]), ("zip", ["a.txt", "b.tsv"]))),
    *(("a", TEXT, {name: value}, f"ValueError: {name} is {value!r}; wanted ") for name, values in (
        ("columns", [(0,), (0, 1, 2), (1, 1), (-1, 0), (0, True), (0, 1.0), "01", 1, None]),
        ("limit", [0, True, 2.0, "3"]), ("where", [None, 3, b"a.txt"]),
        ("sha256", ["", 64 * "g", 63 * "a", 65 * "a", 64 * "a" + "\n", b"a"])) for value in values),
    *(("a", TEXT, {"where": at}, f"FileNotFoundError: where is '{at}', a") for at in ("", "a:/")),
]  # fmt: skip


def read(**options):
    try:
        return pairs.read_pairs(**options)
    except (ValueError, OSError) as error:
        return f"{type(error).__name__}: {error}"


def test_files_and_arguments(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, data, options, wanted in CASES:
        (path := tmp_path / name).write_bytes(b"" if isinstance(data, list) else data)
        for member in data if isinstance(data, list) else ():
            with ZipFile(path, "a") as archive:
                archive.writestr(member, TEXT)
        found = read(**{"where": path} | options)
        assert str(found).startswith(wanted.format(path)) if wanted else found == PAIRS, found
    assert len(read(where=pairs.SAMPLE)) == 24


def test_web(tmp_path, monkeypatch):
    web, url, kept = MagicMock(), "http://x.org/a.txt", tmp_path / "hub/attention-course"
    web().__enter__().read.side_effect = [OSError(), IncompleteRead(b""), TEXT, TEXT, b"a\tb", BZ2]
    monkeypatch.setattr(pairs, "urlopen", web)
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    for _ in range(2):
        assert read(where=url).startswith(f"ConnectionError: where is '{url}', and no file came")
    assert read(where=url, sha256="0" * 64).startswith(f"ValueError: sha256 of {url} is {SUM}; wa")
    for folder in (None, kept):  # asked for once, and kept
        assert read(where=url, folder=folder) == PAIRS
        assert read(where="http://x.org/b/a.txt", folder=folder) == [("a", "b")]
        assert read(where="HTTP://x.org/a.bz2?b=c.d", folder=folder) == PAIRS
    assert web.call_args.kwargs == {"timeout": pairs.TIMEOUT} and len([*kept.iterdir()]) == 3
    [path.write_text("a\n") for path in kept.glob("*-a.txt")]
    name = f"-a.txt (from {url}; delete it to download it again)"
    assert f"{name}, line 1: " in read(where=url) and f"{name} is " in read(where=url, sha256=SUM)
