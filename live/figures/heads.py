from live.arguments import as_numbers, as_words, check_row, one_of
from live.bundle import display, rounded


def heads(layers, asked, questions, *, layer, static, alt):
    """The heads of some layers, what they look at, and what it costs to remove any of them.

    layers: {name: (weights, errors)} with weights (H, queries, keys), and errors (2 ** H, R), those
    of the R questions without the heads whose bits are 1 in the number of the row. asked:
    (queries, R) numbers of keys, from 0, each asked once by a query. questions: R words. layer: the
    name of the first to be shown.
    """
    questions = as_words("questions", questions)
    if not isinstance(layers, dict) or not layers:
        raise TypeError(f"layers is {layers!r:.60}; wanted a dict of weights and errors")
    asked = [
        [int(key) for key in row] for row in as_numbers("asked", asked, (None, len(questions)))
    ]
    kept = []
    for name, (weights, errors) in layers.items():
        weights = as_numbers(f"weights of {name!r}", weights, (None, len(asked), None))
        shape = 2 ** len(weights), len(questions)
        errors = as_numbers(f"errors of {name!r}", errors, shape)
        if min(map(min, errors)) < 0:
            raise ValueError(
                f"errors of {name!r} holds {min(map(min, errors)):.3g}; wanted 0 or more"
            )
        for h, head in enumerate(weights):
            for i, row in enumerate(head):
                check_row(f"weights of {name!r}[{h}][{i}]", row, None)
        kept.append(dict(name=str(name), weights=rounded(weights, 2), errors=rounded(errors, 2)))
    keys = {len(row) for each in kept for head in each["weights"] for row in head}
    if len(keys) > 1 or any(
        sorted({*row}) != sorted(row) or not {*row} <= {*range(min(keys))} for row in asked
    ):
        raise ValueError(f"asked is {asked!r:.60}; wanted numbers of the keys, none twice in a row")
    names = [each["name"] for each in kept]
    spec = dict(layers=kept, asked=asked, questions=questions, layer=one_of("layer", layer, names))
    hint = (
        "with six heads, remove two so that no error rises. With eight, find two that cost little "
        "alone and much together; Numbers has what each costs alone."
    )
    display("heads", spec, hint, static, alt)
