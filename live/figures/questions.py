from live.bundle import display


def questions(*, p=0.8, q=0.4, numbers=(1.0, -2.0), static, alt):
    """What bank learns of river and closed from one head or two: its errors sum to 1 or are 0.

    p, q: the weights of the first and the second head on river, multiples of 0.05. numbers: what
    river and closed hold. Answers are the best linear functions of what the heads return, for
    independent numbers of mean 0 and variance 1.
    """
    spec = dict(numbers=list(numbers), p=p, q=q)
    hint = (
        "move the weight of the head. What happens to the two errors, and to their sum? Then take "
        "two heads, and bring their weights close to each other."
    )
    display("questions", spec, hint, static, alt)
