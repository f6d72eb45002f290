"""One head or two, on page 9."""

import numpy as np
import torch

from tests.live.figure import FigureTest, by_keys, drawn, numbers, part


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
        (dict(), "The errors are 0.06 and 0.94, together 1.00.", ["1", "1", "0.47", "0.06"]),
        (
            dict(heads="two heads"),
            "answer 1 is 1.50 times head 1 plus −0.50 times head 2. The errors are 0.00 and 0.00.",
            ["2", "−2", "−2.00", "0.00"],
        ),
    ]
    BAD = [({"p": 0.33}, "p is 0.33"), ({"numbers": [[1], []]}, "numbers has rows of")]

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

    def check_drawing(self, page):
        for heads in ("one head", "two heads"):
            found = numbers(page, heads=heads, p=0.8, q=0.4)
            texts = part(page, "text:visible").all_text_contents()
            outputs = [f"{x:.1f}".replace("-", "−") for x in found["outputs"]]
            answers = [f"ŷ{k} = {y:.2f}".replace("-", "−") for k, y in zip("₁₂", found["answers"])]
            assert texts[5 : 7 + len(outputs)] == outputs + answers
            errors = np.array([*found["errors"], sum(found["errors"])])
            bars = drawn(page, ".bar-query, .cell", "width")[:, 0]
            np.testing.assert_allclose(bars, 1 + 190 * errors, atol=0.06)
            assert part(page, ".arc:visible").count() == 2 * len(outputs)
