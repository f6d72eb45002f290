import json

from live.arguments import as_number, as_numbers
from live.bundle import DATA, display

LONGEST = 64  # characters, as many as the model reads


def stops(name, values, last=None):
    """The stops of a slider, and the one at its end."""
    values = as_numbers(name, values, (None,))
    if values[0] <= 0 or any(b <= a for a, b in zip(values, values[1:])):
        raise ValueError(f"{name} is {values}; wanted numbers above 0 in ascending order")
    if last and values[-1] != last:
        raise ValueError(f"{name} ends with {values[-1]:g}; wanted {last}, which keeps all")
    return values


def sampling(begin, temperatures, ks, ps, *, bits, static, alt):
    """The trained letter model writes: a temperature, then the top k, then the nucleus p, then dice.

    begin: a beginning, which readers can replace by their own. temperatures, ks, ps: the stops of
    the sliders, ascending; ks ends with the number of letters and ps with 1, which keep all. bits:
    what the model needs for each character of a new chapter. Its weights are in
    corpora/letters.json; `trained_letters` has the same.
    """
    letters = json.loads((DATA / "letters.json").read_text(encoding="utf-8"))["letters"]
    if not isinstance(begin, str) or not 0 < len(begin) <= LONGEST:
        raise ValueError(f"begin is {begin!r:.60}; wanted a string of 1 to {LONGEST} characters")
    if unknown := sorted(set(begin) - set(letters) | set(begin) & {"\n"}):
        raise ValueError(f"begin holds {unknown[0]!r}; wanted characters that the model knows")
    temperatures = stops("temperatures", temperatures)
    ks, ps = stops("ks", ks, len(letters)), stops("ps", ps, 1)
    if any(k != int(k) for k in ks):
        raise ValueError(f"ks is {ks}; wanted whole numbers")
    spec = dict(begin=begin, temperatures=temperatures, ks=ks, ps=ps)
    spec |= dict(temperature=min(temperatures, key=lambda each: abs(each - 1)))
    spec |= dict(bits=round(as_number("bits", bits), 2), longest=LONGEST)
    hint = (
        "write at the lowest temperature, then at the highest. Can top-k or the nucleus alone make "
        "that readable again?"
    )
    display("sampling", spec, hint, static, alt)
