"""Positions on a ruler, as the hands of clocks."""

import json

import numpy as np
import torch

from tests.live.figure import PLAYED, FigureTest, by_finger, by_keys, draw, hold_time, ink, look, numbers, part, same

FREQUENCIES = [1.0, 0.1]


class TestClocks(FigureTest):
    EXAMPLE = dict(query=draw(4, seed=8), key=draw(4, seed=9), frequencies=FREQUENCIES, i=8, j=3, turned=True)
    START = dict(at=[8, 3], guessed=None)
    STATES = [dict(at=at) for at in ([8, 3], [44, 49], [63, 0], ["x", 99])]
    WRONG = {
        "a hand turned back": {"s * Math.cos(angle) + c": "s * Math.cos(angle) - c"},
        "a key that stays": {"at[n] * w": "at[0] * w"},
        "position codes": {"turned ? vector": "!turned ? vector"},
    }
    KEYS = {
        "both": by_keys(".handle >> nth=0", "ArrowRight"),
        "the query": by_keys(".handle >> nth=1", "ArrowUp"),
        "the key": by_keys(".handle >> nth=2", "ArrowLeft"),
        "the key, to the start": by_keys(".handle >> nth=2", "Home"),
    }
    TOUCH = {
        "both": by_finger(".handle .grey", 60, 0),
        "the query": by_finger(".pin-0", 60, 0),
        "the key": by_finger(".pin-1", 60, 0),
    }
    SAID = [
        (dict(at=[44, 49]), "the key at 49, the key is 5 after the query, and the dot product is −1.08.", ["0.1", "−0.55, 0.35", "−0.38, −0.16", "0.15"]),
        (dict(at=[8, 8]), "the key is at the position of the query, and", ["1"]),
    ]  # fmt: skip
    END = None  # it differs: see `check_guess`

    def holds(self, spec, state, numbers, text):
        """Of the codes, nothing but the distance decides the product; of a query and a key, its sign, too."""
        same(numbers, self.truth(spec, state, numbers))
        places = [8, 3], [3, 8] if spec.get("turned") else [48, 43]
        ends = [self.truth(spec, dict(at=at), numbers)["product"] for at in places]
        assert f"{numbers['product']:.2f}".replace("-", "−") in text
        assert (abs(ends[0] - ends[1]) > 0.005) == bool(spec.get("turned"))

    def hands(self, spec, at):
        """Codes by equation (10.1), rotations as complex numbers: (2, 2, 2)."""
        w = torch.tensor(spec["frequencies"], dtype=torch.float64)
        angles = w[:, None] * torch.tensor(at)  # (2, 2)
        if not spec.get("turned"):
            return torch.stack([angles.sin(), angles.cos()], dim=2)
        pairs = torch.tensor([spec["query"], spec["key"]], dtype=torch.float64).view(2, 2, 2)
        numbers = torch.view_as_complex(pairs.transpose(0, 1).contiguous())
        return torch.view_as_real(numbers * torch.polar(torch.ones_like(angles), -angles))

    def truth(self, spec, state, numbers):
        at = [0, 63] if "x" in state["at"] else state["at"]
        hands = self.hands(spec, at)
        parts = (hands[:, 0] * hands[:, 1]).sum(dim=1)
        return dict(at=at, hands=hands, parts=parts, product=parts.sum())

    def check_guess(self, page):
        """They change places after a guess; then both go on together, to the end of the ruler."""
        assert json.loads(page.evaluate(PLAYED))[1][1]["at"] == [3, 8]
        part(page, ".ask button").first.click()
        assert numbers(page)["at"] == [3, 8] and look(page)[1].startswith("You said larger; it is smaller")
        by_keys(".handle >> nth=0", "End")(page)
        assert numbers(page)["at"] == [58, 63] and "the key is 5 after the query" in look(page)[1]
        assert "You said" not in look(page)[1]  # it was not asked of this place

    def test_codes_are_judged_at_the_end(self, opened):
        """Both go on after a guess; where the play ends, or is stopped, it is judged, and that stays until Reset."""
        page = opened(self.output(turned=False)[0]["text/html"], reduced_motion="no-preference")
        sentence, verdict, answers = (part(page, name) for name in (".say", ".verdict", ".ask button"))
        hold_time(page)
        answers.nth(0).click()
        page.clock.run_for(38 * 80)
        assert sentence.inner_text().startswith("Positions ") and not verdict.inner_text()
        page.clock.run_for(160)
        judged = "You said larger; it is the same, so only the distance counts."
        assert verdict.inner_text() == judged and sentence.inner_text().startswith("Positions 48 and")
        assert part(page, ".ask .right").inner_text() == "the same"
        answers.nth(2).click()
        page.clock.run_for(400)
        assert not verdict.inner_text()
        by_keys(".handle >> nth=1", "End")(page)  # who takes a handle on the way is told at once
        page.clock.run_for(1000)
        assert verdict.inner_text().startswith("You said the same, which is right, so")
        assert sentence.inner_text().startswith("Positions 63 and ")
        part(page, ".tools button").first.click()
        page.clock.run_for(1000)
        assert not verdict.inner_text()

    def check_map(self, page):
        """The map has the dot product of each pair as ink, as the sentence has it."""
        hands = torch.stack([self.hands(self.spec(), [i, i]) for i in range(64)])  # (64, 2, 2, 2)
        products = torch.einsum("iks,jks->ij", hands[:, :, 0], hands[:, :, 1])
        expected = 0.7 * (products - products.min()) / (products.max() - products.min())
        np.testing.assert_allclose(ink(page, "image", 0, 0, 64), expected, atol=0.01)
