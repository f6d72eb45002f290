import re

from utils.live.arguments import as_numbers, as_words, one_of
from utils.live.bundle import display

TEMPERATURES = [0.01, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 3, 10]


def lookup(names, places, *, name, temperature=0.1, static, alt):
    """A dictionary that forgives spelling: a query to type, a temperature to move.

    names: m words of the letters a to z, the keys, compared by their pairs of letters. places: m
    pairs of numbers, the values. The answer is attention's, equation (1.3) of the course.
    """
    names, places = as_words("names", names), as_numbers("places", places, (len(names), 2))
    for each in names:
        if not re.fullmatch(r"[A-Za-z ]+", each):
            raise ValueError(f"names holds {each!r}; wanted letters a to z alone")
    hint = "type Varsovie, then a city in your own language, and move the temperature."
    spec = dict(names=names, places=places, name=str(name), temperatures=TEMPERATURES)
    spec["temperature"] = one_of("temperature", temperature, TEMPERATURES)
    display("lookup", spec, hint, static, alt)
