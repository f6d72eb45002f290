from tests.live.figure import FigureTest


class TestScale(FigureTest):
    kind = ""
