from tests.live.figure import FigureTest


class TestCache(FigureTest):
    kind = ""
