from tests.live.figure import FigureTest


class TestLooks(FigureTest):
    kind = ""
