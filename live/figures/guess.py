"""What the figure `guess` needs of the models' predictions."""


def expected(predictions, hidden, letters):
    """For each character: the three likeliest, their percentages, and that of the true one."""
    found = []
    for character, row in zip(hidden, predictions.tolist()):
        order = sorted(range(len(row)), key=lambda i: -row[i])[:3]  # the earlier of equal ones
        shares = [row[i] for i in (*order, letters.index(character))]
        likeliest = "".join(letters[i] for i in order)
        found.append([likeliest, *(float(f"{100 * share:.4g}") for share in shares)])
    return found


def spec(texts, guessers, letters, *, book):
    """texts: pairs of strings (given, hidden); the hidden ones have one length and no line break.
    guessers: {"a table of counts": predictions}, one or more, where predictions has for each text
    (len(hidden), V) probabilities of the hidden characters. letters: V characters. The likeliest
    character is a model's guess. book: where the texts are from.
    """
    models = [
        dict(
            name=name,
            steps=[expected(each, hidden, letters) for each, (_, hidden) in zip(found, texts)],
        )
        for name, found in guessers.items()
    ]
    texts = [dict(given=given, hidden=hidden) for given, hidden in texts]
    return dict(texts=texts, models=models, letters="".join(letters), book=str(book))
