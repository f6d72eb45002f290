from live.bundle import display, rounded

FIVE = [[18, 6], [17, 3], [17, 5], [17, 4], [18, 7]]  # block and head: the induction heads
OTHERS = [[17, 6], [17, 8], [17, 0], [18, 2], [18, 4]]  # as many others of these blocks


def switches(sentences, *, static, alt):
    """A switch for each of the 270 heads of SmolLM2, and what a sentence loses without a head.

    sentences: 1 to 6 dicts. tokens: n strings with the blanks before them. next: the right next
    token. p: its probability in each of 273 runs, all on, the five off, the others off, then each head off, block by block. rows: for each run the weights from the
    last token over the n tokens in head 6 of block 18, bytes round(255 * weight) in base64.
    """
    spec = dict(sentences=[each | dict(p=rounded(each["p"], 4)) for each in sentences])
    hint = (
        "which of the 270 heads does this name need most? Find it before you show them all. Then "
        "try the same head in another sentence."
    )
    display("switches", spec | dict(five=FIVE, others=OTHERS), hint, static, alt)
