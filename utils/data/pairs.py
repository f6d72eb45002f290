"""Real sentence pairs, from a file on this machine or from the web."""

import bz2
import gzip
import hashlib
import os
import re
import zlib
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import Request, urlopen
from zipfile import BadZipFile, ZipFile

import torch

SAMPLE = Path(__file__).with_name("sample_pairs.tsv")  # 24 English-French pairs of our own
TIMEOUT = 30  # seconds to wait for the next byte


def download(address, path, sha256):
    """Write to `path` what the address answers: all of it, or nothing."""
    # torch.hub.download_url_to_file has no timeout, and keeps an answer that breaks off.
    try:
        request = Request(address, headers={"User-Agent": "attention-course"})
        with urlopen(request, timeout=TIMEOUT) as answer:
            data = answer.read()
    except (OSError, HTTPException, ValueError) as error:
        raise ConnectionError(
            f"where is {address!r}, and no file came from there: {error}; "
            "the path of a file on this machine works too"
        ) from error
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=path.parent) as beside:
        part = Path(beside, path.name)
        part.write_bytes(data)
        verify(part, sha256, address)
        os.replace(part, path)


def verify(path, sha256, name):
    """Compare the checksum of the file, unless `sha256` is None."""
    with open(path, "rb") as file:
        digest = sha256 and hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 and digest != sha256.lower():
        raise ValueError(f"sha256 of {name} is {digest}; wanted {sha256}")


def unpacked(file, suffix):
    """The stream of bytes that was packed into the file."""
    if suffix == ".zip":
        archive = ZipFile(file)
        texts = [
            text
            for text in archive.namelist()
            if text.endswith((".txt", ".tsv")) and not text.endswith("_about.txt")
        ]
        if len(texts) != 1:
            raise BadZipFile(f"{len(texts)} files .txt or .tsv in it; wanted 1")
        return archive.open(texts[0])
    return {".bz2": bz2.open, ".gz": gzip.open}.get(suffix, lambda file: file)(file)


def lines(path, name):
    """The number and the text of each line that is not empty."""
    with open(path, "rb") as file:
        try:
            for number, line in enumerate(unpacked(file, path.suffix.lower()), 1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                if text.strip():
                    yield number, text
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{name}, line {number}, byte {error.start + 1}: wanted UTF-8, "
                f"got {error.object[error.start : error.end]!r}"
            ) from error
        except (EOFError, OSError, RuntimeError, BadZipFile, zlib.error) as error:
            raise ValueError(f"{name} cannot be unpacked: {error}") from error


def read_pairs(where, columns=(0, 1), sha256=None, folder=None, limit=None):
    """Return the sentence pairs of a file, in its order: a list of pairs of strings.

    where: a path, or an http(s) address. The file has a pair per line, in columns that tabs
        separate, in UTF-8. It is plain, or packed as its suffix says: .gz, .bz2, or .zip with one
        .txt or .tsv in it, beside an `_about.txt`.
    columns: which two columns, counted from 0: (0, 1) for the files of ManyThings, (1, 3) for those
        of Tatoeba, which have a number before each sentence.
    sha256: the checksum that the file must have, in 64 hexadecimal digits. It is compared at each
        call; None compares nothing.
    folder: where a file from the web is kept; `attention-course` in `torch.hub.get_dir()` if None.
        What is kept there is not downloaded again, unless you delete it.
    limit: how many pairs to read, at most. The lines after them are not looked at.

    Spaces around a sentence are removed, lines without text are skipped. Nothing else is.

    Raises `ValueError` for an argument that is none of these, for another checksum, for a file that
    cannot be unpacked or holds no pair, and, naming the line, for a line that is not UTF-8, has too
    few columns, or lacks a sentence; `FileNotFoundError` if there is no such file;
    `ConnectionError` if the address cannot be reached, or does not answer with a whole file.
    """
    for name, value, right, wanted in (
        ("where", where, isinstance(where, (str, Path)), "a path or an http(s) address"),
        (
            "columns",
            columns,
            isinstance(columns, (tuple, list))
            and len(columns) == 2
            and all(type(c) is int and c >= 0 for c in columns)
            and columns[0] != columns[1],
            "two different whole numbers from 0, as (0, 1)",
        ),
        (
            "sha256",
            sha256,
            sha256 is None or isinstance(sha256, str) and re.fullmatch("[0-9a-fA-F]{64}", sha256),
            "64 hexadecimal digits, or None",
        ),
        (
            "limit",
            limit,
            limit is None or type(limit) is int and limit > 0,
            "a whole number from 1, or None",
        ),
    ):
        if not right:
            raise ValueError(f"{name} is {value!r}; wanted {wanted}")
    if re.match("https?://", str(where), re.IGNORECASE):
        folder = Path(folder or Path(torch.hub.get_dir(), "attention-course")).expanduser()
        short = hashlib.sha256(where.encode()).hexdigest()[:8]  # two addresses may end alike
        path = folder / f"{short}-{re.split('[?#]', where)[0].split('/')[-1]}"
        name = f"{path} (from {where}; delete it to download it again)"
        if not path.exists():
            download(where, path, sha256)
    else:
        path = name = Path(where).expanduser()
        if not path.is_file():
            raise FileNotFoundError(
                f"where is {str(where)!r}, and there is no such file; wanted "
                "the path of a file or an http(s) address"
            )
    verify(path, sha256, name)
    pairs = []
    for number, text in lines(path, name):
        parts = text.split("\t")
        if len(parts) <= max(columns):
            raise ValueError(
                f"{name}, line {number}: {len(parts)} columns; wanted "
                f"{max(columns) + 1} or more, for columns {tuple(columns)}"
            )
        pair = tuple(parts[column].strip() for column in columns)
        if not all(pair):
            raise ValueError(f"{name}, line {number}: wanted two sentences, got {pair}")
        pairs.append(pair)
        if len(pairs) == limit:
            break
    if not pairs:
        raise ValueError(f"{name} holds no pair; wanted one per line")
    return pairs
