from tests.live.figure import FigureTest


class TestKernel(FigureTest):
    kind = ""
