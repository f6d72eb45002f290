from tests.live.figure import FigureTest


class TestSampling(FigureTest):
    kind = ""
