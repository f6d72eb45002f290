from corpora.cities import CITIES, LAND
from live.bundle import display

TEMPERATURES = [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 3, 10]


def lookup(names, places, *, name, temperature=0.1, static, alt):
    """A dictionary that forgives spelling: a query to type, a temperature to move.

    names: m words of the letters a to z, the keys, compared by their pairs of letters. places: m
    pairs of numbers, degrees east and north, the values. The answer is attention's, equation (1.2)
    of the course. In place of these keys it can take the cities of `corpora.cities`, each by its
    English name or by all its names, in any script.
    """
    hint = (
        "press Play, then choose 12 keys. Among all names, type your own city, in any script, and "
        "Córdoba, the name of two. Press a city on the map twice: its next name is another key with "
        "the same value."
    )
    spec = dict(names=names, places=places, name=str(name), temperatures=TEMPERATURES)
    spec["temperature"] = temperature
    spec["cities"] = ["/".join(each) for each, _ in CITIES]
    spec["spots"] = [place for _, place in CITIES]
    display("lookup", spec | {"land": LAND}, hint, static, alt)
