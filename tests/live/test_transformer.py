from tests.live.figure import FigureTest


class TestTransformer(FigureTest):
    kind = ""
