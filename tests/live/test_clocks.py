"""Positions as the hands of clocks."""

import torch

from live.figures.clocks import KINDS_OF_HANDS
from tests.live.figure import FigureTest, draw, numbers, part

HANDS = [1.0, 0.1, 0.01, 0.001]
STATE = "document.querySelector('attention-live-1').figure.state"


def playing(page, name, last, end, other, key="ArrowRight"):
    """Play goes on until its end, until Reset, or until another control is used; here it waits."""
    page.evaluate("globalThis.setInterval = () => 1")
    button = part(page, ".together button")

    def press():
        button.click()
        return button.inner_text()

    before = page.evaluate(STATE)[name]
    assert press() == "Pause" and page.evaluate(STATE)[name] != before
    part(page, ".tools button").first.click()
    assert button.inner_text() == "Play" and page.evaluate(STATE)[name] == before
    assert press() == "Pause"
    part(page, other).first.press(key)
    assert button.inner_text() == "Play", "another control stops it"
    assert press() == "Pause" and press() == "Play"
    numbers(page, **{name: last})
    assert press() == "Play" and page.evaluate(STATE)[name] == end


class TestClocks(FigureTest):
    EXAMPLE = dict(query=draw(8, seed=8), key=draw(8, seed=9), frequencies=HANDS)
    START = dict(kind=KINDS_OF_HANDS[0], i=8, j=3, shift=0)
    STATES = [
        dict(kind=kind, i=i, j=j, shift=shift)
        for kind in KINDS_OF_HANDS
        for i, j, shift in ((8, 3, 0), (3, 8, 41), (60, 0, 7))
    ]
    WRONG = {
        "a hand turned back": {"s * Math.cos(angle) + c": "s * Math.cos(angle) - c"},
        "a key that stays": {"at[n] * w": "at[0] * w"},
        "a curve of other distances": {"n / STEPS - 60, 0]": "n / STEPS - 59, 0]"},
    }
    SAID = [
        (
            dict(),
            "Positions 8 and 3 are 5 apart, and the sum of the four products is 3.16. Press Play",
            ["1", "0.99, −0.15"],
        ),
        (
            dict(kind=KINDS_OF_HANDS[1], i=3, j=8, shift=41),
            "Positions 3 and 8 have become 44 and 49. All hands have turned, the slow ones hardly, but no shaded angle "
            "has changed, so the ring stays and the sum of the four products is −2.22 as before.",
            ["0.1", "−0.55, 0.35", "−0.38, −0.16", "0.15"],
        ),
        (
            dict(kind=KINDS_OF_HANDS[2]),
            "Nothing turns, so the positions don't matter, and the sum of the four products is −3.57",
            ["1"],
        ),
    ]

    def truth(self, spec, state, found):
        """Codes by equation (10.1), rotations as complex numbers."""
        mode, w = KINDS_OF_HANDS.index(state["kind"]), torch.tensor(HANDS, dtype=torch.float64)
        at = torch.tensor([state[name] + state["shift"] for name in ("i", "j")])
        angles = w[:, None] * at  # (4, 2)
        if mode == 0:
            hands = torch.stack([angles.sin(), angles.cos()], dim=2)
        else:
            pairs = torch.tensor([spec["query"], spec["key"]], dtype=torch.float64).view(2, 4, 2)
            numbers = torch.view_as_complex(pairs.transpose(0, 1).contiguous())
            turn = torch.polar(torch.ones_like(angles), -angles * (mode == 1))
            hands = torch.view_as_real(numbers * turn)
        parts = (hands[:, 0] * hands[:, 1]).sum(dim=1)
        if mode < 2:
            assert abs(found["curve"][4 * (state["i"] - state["j"] + 60)] - parts.sum()) < 1e-9
        assert len(found["curve"]) == 4 * 120 + 1
        return {"hands": hands, "parts": parts, "product": parts.sum()}

    def check_play_is_one_word(self, page):
        page.set_viewport_size({"width": 350, "height": 844})
        page.emulate_media(reduced_motion="no-preference")
        page.evaluate("document.body.style.overflowWrap = 'anywhere'")  # as in the book
        button = part(page, ".together button")
        button.click()
        assert button.inner_text() == "Pause" and button.bounding_box()["height"] < 40

    def check_play_without_motion(self, page):
        """Play jumps to the end and back, and nothing plays."""
        button = part(page, ".together button")
        for shift in (60, 0):
            button.click()
            assert button.inner_text() == "Play" and page.evaluate(STATE)["shift"] == shift

    def check_play_stops(self, page):
        page.emulate_media(reduced_motion="no-preference")
        playing(page, "shift", 59, 60, "input[type=range]")
