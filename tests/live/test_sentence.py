from tests.live.figure import FigureTest


class TestSentence(FigureTest):
    kind = ""
