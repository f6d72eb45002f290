"""A real book for the language model, and how to read a text of your own.

`alice29.txt` is Lewis Carroll's *Alice's Adventures in Wonderland* (London, Macmillan, 1865), in
the Millennium Fulcrum edition 2.9, as the Canterbury corpus for testing compression has it. It is
in the public domain. The same 152,089 bytes lie in google/snappy (testdata/alice29.txt) and
google/brotli (tests/testdata/alice29.txt). They are kept as they are, line ends of Windows
included.
"""

import hashlib
import re
from pathlib import Path

FILE = Path(__file__).with_name("alice29.txt")
SHA256 = "7467306ee0feed4971260f3c87421154a05be571d944e9cb021a5713700c38f0"
SHORTEST = 10_000  # characters: with fewer there is nothing to hold out


def alice():
    """Return chapters I to X, to train on, and XI and XII, held out, as two strings.

    A paragraph is one line; runs of blanks are one blank, and the rows of stars are left out. All
    characters of the held-out part are also in the other. Raises `ValueError` when `alice29.txt`
    is another file than the one this course was written with.
    """
    content = FILE.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != SHA256:
        raise ValueError(f"{FILE} has the SHA-256 {digest}; wanted {SHA256}")
    text = content.decode("ascii").replace("\r\n", "\n")
    text = paragraphs(text[text.index("CHAPTER I\n") : text.index("THE END")])
    end = text.index("CHAPTER XI\n")
    return text[:end], text[end:]


def own_text(path, held_out=0.1):
    """Return the first part of a UTF-8 text file, to train on, and the last, held out.

    held_out: the share of the characters that is held out; what does not occur in the first part is
    left out of it. Paragraphs are as in `alice`. Raises `FileNotFoundError` where there is no file,
    and `ValueError` for one that is empty, too short (below 10,000 characters) or not in UTF-8, and
    for a share that is not between 0 and 1.
    """
    if not 0 < held_out < 1:
        raise ValueError(f"held_out is {held_out}; wanted a share between 0 and 1")
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"path is {str(path)!r}; wanted a text file, and there is none")
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not in UTF-8: byte {error.start} is 0x{content[error.start]:02x}; wanted a "
            "text saved as UTF-8"
        ) from None
    text = paragraphs(text.replace("\r\n", "\n"))
    if not text.strip():
        raise ValueError(f"{path} is empty; wanted a text of {SHORTEST:,} characters or more")
    if len(text) < SHORTEST:
        raise ValueError(f"{path} has {len(text):,} characters; wanted {SHORTEST:,} or more")
    end = round((1 - held_out) * len(text))
    alphabet = set(text[:end])
    return text[:end], "".join(letter for letter in text[end:] if letter in alphabet)


def paragraphs(text):
    """Each paragraph that has a letter as one line, with single blanks."""
    parts = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return "".join(f"{part}\n" for part in parts if any(map(str.isalpha, part)))
