from tests.live.figure import FigureTest


class TestTwins(FigureTest):
    kind = ""
