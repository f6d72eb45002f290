"""`data/pairs.py`: which files it reads (a quote is a letter), and what it refuses."""

import pytest

from data.pairs import SAMPLE, read_pairs
from tests.cases import named

PAIRS = [('"Go\u2028on\x0b!', "Va !"), ("Did\x85he?", "Il l'a fait ?"), ("Yes.", "Oui.")]
TEXT = "".join(f"{a}\t{b}\tby c\n" for a, b in PAIRS).encode()


@pytest.mark.parametrize("data, options", [
    (b"\xef\xbb\xbf" + TEXT.replace(b"\n", b"\r\n\t \n\n"), {}),
    (TEXT.replace(b"\t", b" \t\xc2\xa0 ").replace(b"\tby c", b"").strip(), {"limit": 4}),
    (TEXT.replace(b"\t", b"\t2\t") + b"broken", {"columns": [0, 2], "limit": 3}),
])  # fmt: skip
def test_pairs_are_those_of_the_file(tmp_path, data, options):
    (path := tmp_path / "a").write_bytes(data)
    assert read_pairs(path, **options) == read_pairs(str(path), **options) == PAIRS
    assert read_pairs(path, **options | {"limit": 2}) == PAIRS[:2]
    assert len(read_pairs(SAMPLE)) == 24


@pytest.mark.parametrize("data, words", [
    (b"\n \n", " holds no pair; wanted one per line"),
    (TEXT, ", line 1: 3 columns; wanted 4 or more, for columns (1, 3)"),
    (b"\n\na\tb\tc\t \n", ", line 3: wanted two sentences, got ('b', '')"),
    (b"a\tb\tc\td\na\t\xe9\tc\td\n", ", line 2: wanted UTF-8, got b'\\xe9'"),
])  # fmt: skip
def test_what_is_no_pair_is_named(tmp_path, data, words):
    (path := tmp_path / "a").write_bytes(data)
    with named(ValueError, f"{path}{words}"):
        read_pairs(path, (1, 3))
    with named(FileNotFoundError, f"{tmp_path / 'b'}"):
        read_pairs(tmp_path / "b")
