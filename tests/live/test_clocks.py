from tests.live.figure import FigureTest


class TestClocks(FigureTest):
    kind = ""
