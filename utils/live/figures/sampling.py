from utils.live.arguments import as_numbers, as_words
from utils.live.bundle import display, rounded


def stops(name, values, last=None):
    """The stops of a slider, and the one at its end."""
    values = as_numbers(name, values, (None,))
    if values[0] <= 0 or any(b <= a for a, b in zip(values, values[1:])):
        raise ValueError(f"{name} is {values}; wanted numbers above 0 in ascending order")
    if last and values[-1] != last:
        raise ValueError(f"{name} ends with {values[-1]:g}; wanted {last}, which keeps all")
    return values


def nested(name, lists, sizes):
    """The innermost lists of strings of nested lists, in order."""
    if not sizes:
        return [as_words(name, lists)]
    if not isinstance(lists, (list, tuple)):
        raise TypeError(f"{name} is {lists!r:.40}; wanted a list of {sizes[0]}")
    if len(lists) != sizes[0]:
        raise ValueError(f"{name} has {len(lists)} entries; wanted {sizes[0]}")
    return [w for i, each in enumerate(lists) for w in nested(f"{name}[{i}]", each, sizes[1:])]


def sampling(prompts, letters, logits, temperatures, ks, ps, texts, *, static, alt):
    """How the next token is chosen: a temperature, then the top k, then the nucleus p, then dice.

    prompts: P strings. letters: V tokens. logits: (P, V), used as rounded to 2 decimals.
    temperatures, ks, ps: the stops of the sliders, ascending; ks ends with V and ps with 1, which
    keep all. texts: texts[prompt][temperature][k][p] is a list of R strings, what the model wrote
    with these settings and the first, second, ... throw of the dice.
    """
    prompts, letters = as_words("prompts", prompts), as_words("letters", letters)
    if len(set(prompts)) < len(prompts):
        raise ValueError("prompts holds one prompt twice; wanted different ones")
    logits = as_numbers("logits", logits, (len(prompts), len(letters)))
    temperatures = stops("temperatures", temperatures)
    ks, ps = stops("ks", ks, len(letters)), stops("ps", ps, 1)
    if any(k != int(k) for k in ks):
        raise ValueError(f"ks is {ks}; wanted whole numbers")
    sizes = [len(each) for each in (prompts, temperatures, ks, ps)]
    written = nested("texts", texts, sizes)
    throws = len(written[0])
    if any(len(each) != throws for each in written):
        raise ValueError(f"texts has lists of different lengths; wanted {throws} strings in each")
    every = [text for each in written for text in each]
    different = {text: k for k, text in enumerate(dict.fromkeys(every))}
    spec = dict(prompts=prompts, letters=letters, logits=rounded(logits, 2))
    spec |= dict(temperatures=temperatures, ks=ks, ps=ps, throws=throws)
    spec |= dict(temperature=min(temperatures, key=lambda each: abs(each - 1)))
    spec |= dict(texts=list(different), which=[different[text] for text in every])
    hint = (
        "take the highest temperature and throw the dice. Can top-k or the nucleus alone make that "
        "readable again?"
    )
    display("sampling", spec, hint, static, alt)
