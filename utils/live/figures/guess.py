from utils.live.arguments import as_numbers, as_words, check_row, one_of
from utils.live.bundle import display


def short(p):
    """A probability in 4 digits."""
    return float(f"{p:.4g}")


def guess(text, start, predictions, letters, *, name="the counts", static, alt):
    """Shannon's game: guess the next character of a text, and see what a model expected there.

    text: a passage, shown up to its character `start`. predictions: (len(text) - start, V)
    probabilities of the next character, one row for each that is hidden. letters: V characters.
    name: of the model, as in "the counts expected". Line breaks needn't be guessed: the hidden part
    has none.
    """
    if not isinstance(text, str) or len(text) < 2:
        raise TypeError(f"text is {text!r:.60}; wanted a passage of 2 characters or more")
    start, hidden = one_of("start", start, range(1, len(text))), text[start:]
    letters = as_words("letters", letters)
    for k, each in enumerate(letters):
        if len(each) != 1 or each in letters[:k]:
            raise ValueError(f"letters[{k}] is {each!r:.40}; wanted characters, each of them once")
    if "\n" in hidden:
        place = start + hidden.index("\n")
        raise ValueError(
            f"text has a line break at {place}, to be guessed; wanted none from {start}"
        )
    if unknown := sorted(set(hidden) - set(letters)):
        raise ValueError(f"text holds {unknown[0]!r} after its start; wanted characters of letters")
    predictions = as_numbers("predictions", predictions, (len(hidden), len(letters)))
    steps = []
    for k, (character, row) in enumerate(zip(hidden, predictions)):
        check_row(f"predictions[{k}]", row, None)
        order = sorted(range(len(row)), key=lambda i: -row[i])  # of equal ones the earlier first
        i = letters.index(character)
        if row[i] < 1e-9:
            raise ValueError(
                f"predictions[{k}] is {row[i]:.3g} for {character!r}; wanted more than 0"
            )
        likely = [[letters[i], short(row[i])] for i in order[:5]]
        steps.append(dict(top=likely, rank=order.index(i) + 1, p=short(row[i])))
    spec = dict(text=text, start=start, letters="".join(letters), name=str(name), steps=steps)
    hint = (
        "guess twenty characters. Where in a word are you surer than the bars, and where are they "
        "as good as you?"
    )
    display("guess", spec, hint, static, alt, digits=12)
