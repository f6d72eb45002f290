"""The cities of the world for the lookup."""

from data.cities import CITIES, LAND


def spec(*, name, temperature):
    world = dict(cities=[names for names, _ in CITIES], spots=[spot for _, spot in CITIES])
    return dict(name=name, temperature=temperature, land=LAND) | world
