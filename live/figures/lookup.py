"""The cities of the world for the lookup."""

from corpora.cities import CITIES, LAND


def spec(names, places, *, name, temperature=0.1):
    world = dict(cities=[names for names, _ in CITIES], spots=[spot for _, spot in CITIES])
    return dict(names=names, places=places, name=name, temperature=temperature, land=LAND) | world
