"""What the figure `guess` needs of the models' predictions."""


def expected(predictions, hidden, letters):
    """For each character: the three likeliest, their percentages, and that of the true one."""
    rows = []
    for character, row in zip(hidden, predictions.tolist()):
        order = sorted(range(len(row)), key=lambda i: -row[i])[:3]  # the earlier of equal ones
        shares = [row[i] for i in (*order, letters.index(character))]
        likeliest = "".join(letters[i] for i in order)
        rows.append([likeliest, *(float(f"{100 * share:.4g}") for share in shares)])
    return rows


def spec(texts, guessers, letters, *, book):
    """texts: pairs of strings (prefix, hidden); the hidden ones have one length and no line break.
    guessers: {"a table of counts": predictions}, one or more, where predictions has for each text
    (len(hidden), V) probabilities of the hidden characters. letters: V characters. The likeliest
    character is a model's guess. book: where the texts are from.
    """
    models = [
        dict(
            name=name,
            steps=[expected(row, hidden, letters) for row, (_, hidden) in zip(predictions, texts)],
        )
        for name, predictions in guessers.items()
    ]
    texts = [dict(given=prefix, hidden=hidden) for prefix, hidden in texts]
    return dict(texts=texts, models=models, letters="".join(letters), book=str(book))
