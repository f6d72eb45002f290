import base64

from live.arguments import as_numbers, as_words
from live.bundle import display

KEYS = ["tokens", "next", "p", "rows"]
FIVE = [[18, 6], [17, 3], [17, 5], [17, 4], [18, 7]]  # block and head: the induction heads
OTHERS = [[17, 6], [17, 8], [17, 0], [18, 2], [18, 4]]  # as many others of these blocks
RUNS = 3 + 30 * 9  # all on, the five off, the others off, then each head off, block by block


def switches(sentences, *, static, alt):
    """A switch for each of the 270 heads of SmolLM2, and what a sentence loses without a head.

    sentences: 1 to 6 dicts. tokens: n strings with the blanks before them. next: the right next
    token. p: its probability in each of 273 runs, `RUNS`. rows: for each run the weights from the
    last token over the n tokens in head 6 of block 18, bytes round(255 * weight) in base64.
    """
    if not isinstance(sentences, (list, tuple)) or not 1 <= len(sentences) <= 6:
        raise TypeError(f"sentences is {sentences!r:.60}; wanted a list of 1 to 6 dicts")
    spec = dict(sentences=[checked(f"sentences[{i}]", each) for i, each in enumerate(sentences)])
    hint = (
        "which of the 270 heads does this name need most? Find it before you show them all. Then "
        "try the same head in another sentence."
    )
    display("switches", spec | dict(five=FIVE, others=OTHERS), hint, static, alt)


def checked(name, sentence):
    if not isinstance(sentence, dict) or {*sentence} != {*KEYS}:
        found = list(sentence) if isinstance(sentence, dict) else sentence
        raise ValueError(f"{name} has {found!r:.60}; wanted a dict with the keys {KEYS}")
    tokens, right = as_words(f"{name}['tokens']", sentence["tokens"]), sentence["next"]
    if len(tokens) < 2:
        raise ValueError(f"{name}['tokens'] is {tokens}; wanted 2 tokens or more")
    if not isinstance(right, str) or not right.strip():
        raise TypeError(f"{name}['next'] is {right!r:.60}; wanted a token")
    p = as_numbers(f"{name}['p']", sentence["p"], (RUNS,))
    for k, each in enumerate(p):
        if not 0 <= each <= 1:
            raise ValueError(f"{name}['p'][{k}] is {each:.4g}; wanted a probability, 0 to 1")
    rows, wanted = sentence["rows"], f"wanted {RUNS} * {len(tokens)} bytes in base64"
    try:
        size = len(base64.b64decode(rows, validate=True))
    except (TypeError, ValueError):
        raise ValueError(f"{name}['rows'] is {rows!r:.60}; {wanted}") from None
    if size != RUNS * len(tokens):
        raise ValueError(f"{name}['rows'] has {size} bytes; {wanted}")
    p = [round(each, 4) for each in p]
    return dict(tokens=tokens, next=right, p=p, rows=rows)
