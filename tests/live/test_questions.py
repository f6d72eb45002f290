"""One head or two for bank."""

import torch

from tests.live.figure import FigureTest, by_keys


def spelled(number, digits):
    return f"{number:.{digits}f}".replace("-", "−")


class TestQuestions(FigureTest):
    START = dict(heads="one head", p=0.8, q=0.4)
    STATES = [
        dict(heads=heads, p=p, q=q)
        for heads in ("one head", "two heads")
        for p, q in ((0.8, 0.4), (0.5, 0.5), (1, 0), (0, 0.05))
    ]
    WRONG = {
        "a read-out without its length": {"(p * p + (1 - p) ** 2)": "1"},
        "the inverse transposed": {"(p - 1) / (p - q)": "-q / (p - q)"},
    }
    KEYS = {"the second head": by_keys("select", "ArrowDown", "Tab", "Tab", "ArrowLeft")}
    SAID = [
        (dict(), "The errors are 0.06 and 0.94, together 1.00, as for any other weight.", ["which bank?", "1", "0.47", "0.06"]),
        (
            dict(heads="two heads"),
            "“which bank?” is 1.50 times head 1 plus −0.50 times head 2. The errors are 0.00 and 0.00",
            ["what about it?", "−2", "−2.00", "0.00"],
        ),
        (
            dict(heads="two heads", q=0.8),
            "Both heads mix the words alike, so the second adds nothing. The errors are 0.06 and",
            ["which bank?", "1", "0.47"],
        ),
    ]  # fmt: skip

    def truth(self, spec, state, found):
        """The best linear read-out by the pseudoinverse."""
        x = torch.tensor(spec["numbers"], dtype=torch.float64)
        weights = [state["p"], state["q"]][: 2 if state["heads"] == "two heads" else 1]
        rows = torch.tensor([[a, 1 - a] for a in weights], dtype=torch.float64)
        read = torch.linalg.pinv(rows, atol=1e-9)
        errors = (read @ rows - torch.eye(2)).square().sum(dim=1)
        assert abs(errors.sum() - (2 - torch.linalg.matrix_rank(rows, atol=1e-9))) < 1e-9
        outputs = rows @ x
        truth = dict(rows=rows, read=read, outputs=outputs, answers=read @ outputs)
        return truth | {"errors": errors}
