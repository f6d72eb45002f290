"""Real sentence pairs, from a file on this machine."""

from pathlib import Path

SAMPLE = Path(__file__).with_name("sample_pairs.tsv")  # 24 English-French pairs of our own


def read_pairs(path, columns=(0, 1), limit=None):
    """Return the sentence pairs of a file, in its order: a list of pairs of strings.

    path: a file in UTF-8, a pair per line, in columns that tabs divide. columns: which two of them,
    counted from 0. limit: how many pairs to read at most; the lines after them are not looked at.

    Spaces around a sentence are removed, lines without text are skipped. Raises `FileNotFoundError`
    for no file, and `ValueError` for one without a pair, or, naming the line, for what is not
    UTF-8, for too few columns, and for an empty sentence.
    """
    pairs = []
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            place = f"{path}, line {number}"
            try:
                parts = [part.strip() for part in line.decode("utf-8-sig").split("\t")]
            except UnicodeDecodeError as error:
                wrong = error.object[error.start : error.end]
                raise ValueError(f"{place}: wanted UTF-8, got {wrong!r}") from error
            if not any(parts):
                continue
            if len(parts) <= max(columns):
                expected = f"{max(columns) + 1} or more, for columns {tuple(columns)}"
                raise ValueError(f"{place}: {len(parts)} columns; wanted {expected}")
            pair = tuple(parts[column] for column in columns)
            if not all(pair):
                raise ValueError(f"{place}: wanted two sentences, got {pair}")
            pairs.append(pair)
            if len(pairs) == limit:
                break
    if not pairs:
        raise ValueError(f"{path} holds no pair; wanted one per line")
    return pairs
