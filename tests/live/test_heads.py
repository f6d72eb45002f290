from tests.live.figure import FigureTest


class TestHeads(FigureTest):
    kind = ""
