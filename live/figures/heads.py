from live.bundle import display, rounded


def heads(layers, asked, questions, *, layer, static, alt):
    """The heads of some layers, what they look at, and what it costs to remove any of them.

    layers: {name: (weights, errors)} with weights (H, queries, keys), and errors (2 ** H, R), those
    of the R questions without the heads whose bits are 1 in the number of the row. asked:
    (queries, R) numbers of keys, from 0, each asked once by a query. questions: R words. layer: the
    name of the first to be shown.
    """
    kept = [
        dict(name=name, weights=rounded(weights, 2), errors=rounded(errors, 2))
        for name, (weights, errors) in layers.items()
    ]
    spec = dict(layers=kept, asked=asked, questions=questions, layer=layer)
    hint = (
        "with six heads, remove two so that no error rises. With eight, find two that cost little "
        "alone and much together; Numbers has what each costs alone."
    )
    display("heads", spec, hint, static, alt)
