from tests.live.figure import FigureTest


class TestCaptions(FigureTest):
    kind = ""
