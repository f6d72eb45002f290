from live.arguments import as_numbers, as_words, check_row
from live.bundle import display


def as_texts(name, texts):
    """Pairs of strings, of what is given and of what is to be guessed, all of one length."""
    if not isinstance(texts, (list, tuple)) or not texts:
        raise TypeError(f"{name} is {texts!r:.60}; wanted a list of pairs")
    for k, each in enumerate(texts):
        if len(as_words(f"{name}[{k}]", each)) != 2 or not all(each):
            raise ValueError(f"{name}[{k}] is {each!r:.60}; wanted two strings, neither empty")
        _, hidden = each
        if "\n" in hidden:
            raise ValueError(f"{name}[{k}] has a line break to be guessed; wanted none")
        if len(hidden) != len(texts[0][1]):
            wanted = f"{len(texts[0][1])}, as in the first"
            raise ValueError(f"{name}[{k}] hides {len(hidden)} characters; wanted {wanted}")
    return texts


def expected(name, predictions, hidden, letters):
    """For each character: the three likeliest, their percentages, and that of the true one."""
    found = []
    predictions = as_numbers(name, predictions, (len(hidden), len(letters)))
    for k, (character, row) in enumerate(zip(hidden, predictions)):
        check_row(f"{name}[{k}]", row, None)
        p = row[letters.index(character)]
        if p < 1e-9:
            raise ValueError(f"{name}[{k}] is {p:.3g} for {character!r}; wanted more than 0")
        order = sorted(range(len(row)), key=lambda i: -row[i])[
            :3
        ]  # of equal ones the earlier first
        likeliest = "".join(letters[i] for i in order)
        found.append(
            [likeliest, *(float(f"{100 * row[i]:.4g}") for i in order), float(f"{100 * p:.4g}")]
        )
    return found


def guess(texts, guessers, letters, *, book, static, alt):
    """Shannon's game: guess the next characters of a text, one guess each, against models.

    texts: pairs of strings (given, hidden); the hidden ones have one length and no line break.
    guessers: {"a table of counts": predictions}, one or more, where predictions has for each text
    (len(hidden), V) probabilities of the hidden characters. letters: V characters. The likeliest
    character is a model's guess. The second word of a name, "table", is its name in the picture.
    book: where the texts are from, for the score.
    """
    texts, letters = as_texts("texts", texts), as_words("letters", letters)
    for k, each in enumerate(letters):
        if len(each) != 1 or each in letters[:k]:
            raise ValueError(f"letters[{k}] is {each!r:.40}; wanted characters, each of them once")
    if unknown := sorted({sign for _, hidden in texts for sign in hidden} - set(letters)):
        raise ValueError(f"texts hides {unknown[0]!r}; wanted characters of letters")
    models = []
    for name, predictions in guessers.items():
        if len(name.split()) < 2:
            raise ValueError(f"guessers has {name!r}; wanted names such as 'a table of counts'")
        if len(predictions) != len(texts):
            wanted = f"{len(texts)}, one for each text"
            raise ValueError(f"{name!r} has {len(predictions)} predictions; wanted {wanted}")
        steps = [
            expected(f"{name!r}[{k}]", each, hidden, letters)
            for k, (each, (_, hidden)) in enumerate(zip(predictions, texts))
        ]
        models.append(dict(name=name, steps=steps))
    texts = [dict(given=given, hidden=hidden) for given, hidden in texts]
    spec = dict(texts=texts, models=models, letters="".join(letters), book=str(book))
    hint = "guess a whole text. At which letters of a word are the models right, and where are you?"
    display("guess", spec, hint, static, alt, digits=9)
