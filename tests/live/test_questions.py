"""One head or two for bank, on page 9."""

import numpy as np
import torch

from tests.live.figure import FigureTest, by_keys, drawn, numbers, part


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
        (dict(), "Bank gets one number, 0.40, and has to guess both answers from it. An open bank could give the same number as a closed one. Bank answers “open” although “closed” is true.", ["what about it?", "−2", "0.12"]),
        (dict(p=0.2), "A bank for money could give the same number as one by a river. Bank answers “money” although “river” is true. The errors are", ["which bank?", "1", "−0.41"]),
        (
            dict(heads="two heads"),
            "“which bank?” is 1.50 times head 1 plus −0.50 times head 2. The errors are 0.00 and 0.00",
            ["what about it?", "−2", "−2.00", "0.00"],
        ),
        (
            dict(heads="two heads", p=0.35),
            "is −12.00 times head 1 plus 13.00 times head 2. The errors are 0.00 and 0.00, together 0.00. But a "
            "small error in what the heads collect would grow up to 13.00 times.",
            ["what about it?", "−2", "−2.00", "0.00"],
        ),
        (
            dict(heads="two heads", p=0.6, q=0.55),
            "“what about it?” is −11.00 times head 1 plus 12.00 times head 2. The errors are 0.00 and "
            "0.00, together 0.00. But a small error in what the heads collect would grow up to 12.00",
            ["what about it?", "−2", "−2.00", "0.00"],
        ),
        (
            dict(heads="two heads", q=0.8),
            "Both heads mix the words alike, so the second adds nothing. The errors are 0.06 and",
            ["which bank?", "1", "0.47"],
        ),
    ]  # fmt: skip
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
        said = self.spec()["numbers"]
        for heads, p, q in (("one head", 0.8, 0.4), ("two heads", 0.2, 0.55), ("two heads", 1, 0)):
            found = numbers(page, heads=heads, p=p, q=q)
            outputs, errors = found["outputs"], np.array(found["errors"])
            shown = part(page, ".got:visible").all_text_contents()
            assert shown == [spelled(x, 2) for x in outputs]
            sums = part(page, "text:visible").all_text_contents()
            for h, ((a, b), m) in enumerate(zip(found["rows"], outputs)):
                wanted = f"head {h + 1}: {a:.2f} · 1 + {b:.2f} · (−2) = {spelled(m, 2)}"
                assert wanted in sums
            assert f"mean squared errors, together {errors.sum():.2f}" in sums
            for question, error in zip(("which bank?", "what about it?"), errors):
                assert f"{question} {error:.2f}" in sums
            bars = drawn(page, ".bar-odds", "x", "width")
            starts = 2 + 336 * np.array([0, errors[0]])
            np.testing.assert_allclose(bars, np.transpose([starts, 336 * errors]), atol=0.06)
            arcs = part(page, ".arc:visible").evaluate_all(
                "all => all.map(each => parseFloat(each.style.strokeWidth))"
            )
            widths = 0.5 + 9 * np.ravel(found["rows"])
            np.testing.assert_allclose(arcs, widths, atol=0.06)

            # The plane: 288 units for 5.2, from the middle at (178, 154).
            def place(points):
                return (np.array(points) - [178, 154]) * [5.2 / 288, -5.2 / 288]

            np.testing.assert_allclose(
                place(drawn(page, ".known", "cx", "cy")), [found["answers"]], atol=2e-3
            )
            circles = place(drawn(page, ".panels > svg + svg .fill-value", "cx", "cy"))
            np.testing.assert_allclose(circles, [said], atol=2e-3)
            lines = drawn(page, ".same", "d").reshape(-1, 2, 2)
            assert len(lines) == len(outputs)
            for line, row, output in zip(lines, found["rows"], outputs):
                ends = place(line)
                np.testing.assert_allclose(ends @ row, [output] * 2, atol=2e-3)
                np.testing.assert_allclose(np.abs(ends).max(axis=1), 2.6, atol=2e-3)
                assert np.abs(ends[0] - ends[1]).max() > 2
