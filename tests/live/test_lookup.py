from tests.live.figure import FigureTest


class TestLookup(FigureTest):
    kind = ""
