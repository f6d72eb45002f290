"""Direction and length in the plane."""

import math

import numpy as np
import torch

from tests.live.figure import STATE, FigureTest, by_finger, by_keys, numbers, part, point, press

VECTORS = [[1.2, 1.0], [0.5, 0.9], [2.8, -0.5], [-0.6, 1.7]]  # the query, and keys a, b, c


def grip(name):
    return f".handle[aria-label^='{name}'] .grip"


def mouse(page, name, right, down):
    """Take a tip 5 pixels beside its middle, move it, and let go; the vectors after that."""
    x, y = point(page, grip(name))
    page.mouse.move(x + 5, y + 5)
    page.mouse.down()
    page.mouse.move(x + 5 + right / 2, y + 5 + down / 2)
    page.mouse.move(x + 5 + right, y + 5 + down)
    page.mouse.up()
    return page.evaluate(STATE)["vectors"]


class TestPlane(FigureTest):
    EXAMPLE = dict(query=VECTORS[0], keys=VECTORS[1:])
    START = dict(vectors=VECTORS, divided=True, normed=False, sink=False, guessed=None)
    STATES = [
        dict(),
        dict(divided=False),
        dict(normed=True),
        dict(normed=True, divided=False, sink=True),
        dict(sink=True, vectors=[[-1, -0.2], *VECTORS[1:]]),
    ]
    WRONG = {
        "normalised to length 1": {"dot(v, v) / 2 + 1e-6": "dot(v, v) + 1e-6"},
        "only the keys are normalised": {
            "const [query, ...keys] = tips": "const [query, keys] = [vectors[0], tips.slice(1)]"
        },
        "shadows on a line of length 1": {"/ lengths[0] ** 2": "/ lengths[0]"},
    }
    KEYS = {
        "turn the query": by_keys(".handle[aria-label^=query]", *["ArrowRight"] * 6),
        "a longer key": by_keys(".handle[aria-label^='key a']", *["ArrowUp"] * 12),
    }
    TOUCH = {"the query": by_finger(grip("query"), -120, 10), "a key": by_finger(grip("key a"), 60, -60)}
    SAID = [
        (dict(), "Key b has the largest weight, 0.61: its length is 2.84, and it is 50° from the query. Key a is closer in direction, 21°, but its length is 1.03.", ["b", "50°", "2.84", "2.02", "0.61"]),
        (dict(normed=True, guessed="b"), "You said b; it is a, so key b had won by its length. Key a has", ["a", "21°"]),
        (dict(vectors=[[-1.7, -1.5], *VECTORS[1:]], sink=True), "The sink, a score of 0, has the largest weight, 0.62, and the keys keep 0.38: all other scores are negative.", ["sink", "", "", "0.00", "0.62"]),
    ]  # fmt: skip

    def holds(self, spec, state, numbers, text):
        """The longest key wins, though it is not the closest; with QK-norm the closest wins."""
        if spec.get("away"):  # the weights sum to 1 whatever the scores; the sink wins if all are negative
            assert math.isclose(sum(numbers["weights"]), 1)
            fits = max(numbers["scores"]) > 0
            assert text.startswith("The sink") == (state["sink"] and not fits)
            return
        angles, lengths = numbers["angles"], numbers["lengths"][1:]
        close, long = angles.index(min(angles)), lengths.index(max(lengths))
        best = numbers["weights"].index(max(numbers["weights"]))
        assert close != long or state["normed"]
        assert best == (close if state["normed"] else long)
        assert text.startswith(f"Key {'abcd'[best]} has the largest weight")

    def truth(self, spec, state, numbers):
        vectors = torch.tensor(state["vectors"], dtype=torch.float64)
        rms = (vectors.square().mean(dim=1, keepdim=True) + 1e-6).sqrt()
        tips = vectors / rms if state["normed"] else vectors
        query, keys = tips[0], tips[1:]
        scores = keys @ query / (math.sqrt(2) if state["divided"] else 1)
        extra = torch.zeros(1) if state["sink"] else torch.full((1,), -math.inf)
        weights = torch.softmax(torch.cat([scores, extra]), dim=0)
        cosines = torch.cosine_similarity(keys, query[None], dim=1)
        feet = torch.outer(keys @ query / query.square().sum(), query)
        angles = cosines.arccos().rad2deg().round()
        lengths = tips.norm(dim=1)
        return dict(tips=tips, scores=scores, weights=weights, angles=angles, feet=feet, lengths=lengths)

    def check_mouse(self, page):
        step = 46 * part(page, ".plane").bounding_box()["width"] / 300
        after = np.array(mouse(page, "key a", step, -0.5 * step))
        np.testing.assert_allclose(after - VECTORS, [[0, 0], [1, 0.5], [0, 0], [0, 0]], atol=0.02)
        after = np.array(mouse(page, "query", -9 * step, 0))
        assert np.hypot(*after[0]) < 2.901, "within the plane"

    def check_a_verdict_is_of_its_own_question(self, page):
        """Without QK-norm again, page 4's figure keeps what it said, and says nothing of page 18's sink."""
        press(page, ".ask button >> nth=0")
        press(page, "label:has-text('QK-norm') input")
        verdict = part(page, ".verdict").inner_text()
        assert verdict.startswith("You said a") and "sink" not in verdict

    def check_qk_norm_turns(self, page):
        """A tip that is dragged turns its vector, and the length that is hidden stays."""
        numbers(page, normed=True)
        after = np.array(mouse(page, "key b", -30, -60))
        assert after[2][1] > 0.5
        assert abs(np.hypot(*after[2]) - np.hypot(*VECTORS[2])) < 0.002

    def test_no_key_fits(self, opened):
        """As page 18 shows it: away from all keys the weights sum to 1, and beside a sink to less."""
        page = opened(self.output(away=True)[0]["text/html"])
        said = press(page, ".ask button:text-is('1.00')")
        kept = sum(numbers(page)["weights"][:-1])
        assert said.startswith(f"You said 1.00; it is {kept:.2f}, so with a sink the keys don’t")
        assert "The sink, a score of 0, has the largest" in said
        said = press(page, "input[type=checkbox]")
        assert "All scores are negative, and still the weights sum to 1." in said
        assert part(page, "input[type=checkbox]").count() == 1
