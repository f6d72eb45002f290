from tests.live.figure import FigureTest


class TestQuestions(FigureTest):
    kind = ""
