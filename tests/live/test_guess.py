from tests.live.figure import FigureTest


class TestGuess(FigureTest):
    kind = ""
