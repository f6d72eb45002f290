from tests.live.figure import FigureTest


class TestReview(FigureTest):
    kind = ""
