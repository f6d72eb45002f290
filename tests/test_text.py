"""The book that the language model learns from, and the errors for a reader's own file."""

import re

import pytest

from data import text
from data.text import alice, own_text


def test_chapters():
    training, held_out = alice()
    chapters = [re.findall(r"^CHAPTER ([IVX]+)$", part, re.MULTILINE) for part in (training, held_out)]
    assert chapters == ["I II III IV V VI VII VIII IX X".split(), ["XI", "XII"]]
    assert training.startswith("CHAPTER I\nDown the Rabbit-Hole\nAlice was beginning")
    assert held_out.endswith("and the happy summer days.\n")
    assert not re.search(r"  |\n\n|\r|\t|\*", training + held_out)
    assert set(held_out) <= set(training)


def test_every_word_is_kept():
    book = text.FILE.read_text(encoding="ascii").partition("CHAPTER I\n")[2].partition("THE END")[0]
    book = re.sub(r"^[ *]+$", "", book, flags=re.MULTILINE)
    assert "".join(alice()).split() == ["CHAPTER", "I", *book.split()]


def test_own_text(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_bytes("\ufeff".encode() + b"A line\r\nand one.\r\n\r\n* * *\r\n\r\n" + 2000 * b"words " + b"Q")
    training, held_out = own_text(file, held_out=0.25)
    assert training.startswith("A line and one.\nwords words")
    assert "Q" not in held_out and len(held_out) == len(training) // 3 - 1
    assert own_text(str(file))[0].startswith(training)


@pytest.mark.parametrize("content, message", [
    (b" \r\n\r\n * *\n", "is empty; wanted a text of 10,000 characters"),
    (b"A short story.", "has 15 characters; wanted 10,000 or more"),
    (9000 * b"e" + b"\xe9" + 9000 * b"e", "is not in UTF-8: byte 9000 is 0xe9; wanted"),
])  # fmt: skip
def test_bad_file(tmp_path, content, message):
    file = tmp_path / "mine.txt"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=f"mine.txt {re.escape(message)}"):
        own_text(file)


def test_bad_arguments(tmp_path):
    with pytest.raises(FileNotFoundError, match="mine.txt'; wanted a text file"):
        own_text(tmp_path / "mine.txt")
    for share in (0, 1, -0.5, float("nan")):
        with pytest.raises(ValueError, match="held_out is .*; wanted a share between 0 and 1"):
            own_text(text.FILE, share)
