"""Cities of the world for the lookup: where they are, and what they are called.

A line of `cities.txt` has degrees east, degrees north, the English name, and other names, in the
city's own language first. All of a city's names differ in their letters, accents aside, and most of
them so much that its pairs of letters would not lead there without them. A few names belong to two
cities, as they do in the world.
"""

from pathlib import Path

TABLE = Path(__file__).with_name("cities.txt").read_text(encoding="utf-8")
# The land, drawn by hand: the path of an SVG in fifths of a degree, east and north.
LAND = Path(__file__).with_name("land.txt").read_text(encoding="utf-8").strip()

# For each city its names and its place.
CITIES = [
    (names.split(" / "), (float(east), float(north)))
    for east, north, names in (
        line.split(" ", 2) for line in TABLE.splitlines() if line and line[0] != "#"
    )
]
