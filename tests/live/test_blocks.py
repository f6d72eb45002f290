"""Attention with one block of scores in memory at a time."""

import pytest
import torch
from playwright.sync_api import Error

from tests.live.figure import FigureTest, by_keys, draw, hold_time, part, same

TOKENS = "the cat that we saw in the old garden was asleep on a chair".split()
ORDERS = ["first to last", "last to first"]
M = len(TOKENS)
PUT = "state => document.querySelector('attention-live-1').put(state)"


class TestBlocks(FigureTest):
    EXAMPLE = dict(tokens=TOKENS, scores=2 * draw(M, seed=3), values=draw(M, 3, seed=1))
    START = dict(block="4", order=ORDERS[0], forget=False, read=4)
    STATES = [
        dict(block=block, order=order, forget=forget, read=read)
        for block, read in (("4", 1), ("4", 2), ("4", 4), ("1", 0), ("1", 9), ("14", 1))
        for order in ORDERS
        for forget in (False, True)
    ]
    WRONG = {
        "no correction": {"forget ? 1 : factor": "1"},
        "a correction the other way": {"before.maximum - maximum)": "maximum - before.maximum)"},
        "an output that is not corrected": {"kept * o": "o"},
    }
    QUIET = ["read from"]  # the answer is the same, and that is what the figure says
    SAID = [
        (dict(read=2), "Block 2 of 4 raises the maximum to 2.02, so the old sum and output are multiplied by 0.66. In memory: 4 scores instead of 14.", ["2", "saw in the old", "2.02", "2.02", "0.66", "2.46"]),
        (dict(forget=True), "without the correction the answer is off by up to 0.21. Output divided by sum is −0.93, ", ["1", "the cat that we", "1.61", "1.61", "–"]),
    ]  # fmt: skip

    def truth(self, spec, state, found):
        """By softmax over all keys that have been read, however they were cut."""
        scores, values = (
            torch.tensor(spec[name], dtype=torch.float64) for name in ("scores", "values")
        )
        places = torch.arange(M) if state["order"] == ORDERS[0] else torch.arange(M).flip(0)
        blocks = places.split(int(state["block"]))
        assert found["blocks"] == [block.tolist() for block in blocks]
        assert len(found["steps"]) == len(blocks)
        against, last = torch.zeros(M).double(), torch.tensor(-torch.inf)
        for k, step in enumerate(found["steps"]):
            seen = torch.cat(blocks[: k + 1])
            top = scores[seen].max()
            against[blocks[k] if state["forget"] else seen] = top
            weights = torch.exp(scores - against)
            new = weights[blocks[k]]
            added = torch.cat([new.sum()[None], new @ values[blocks[k]]])
            total, output = weights[seen].sum(), weights[seen] @ values[seen]
            wanted = dict(maximum=top, factor=torch.exp(last - top), added=added)
            same(step, wanted | dict(total=total, output=output))
            last = top
            if k == state["read"] - 1:
                same(found, dict(maximum=top, output=output, answer=output / total))
        read = torch.cat((places[:0], *blocks[: state["read"]]))
        attention = [torch.softmax(scores[at], dim=0) @ values[at] for at in (read, places)]
        if not state["forget"]:
            same(found, dict(answer=attention[0]))
        return dict(zip(("seen", "all"), attention))

    def check_block_sizes(self, page):
        """What has been read stays read; the slider reaches the last block, and no further."""
        slider, menu = part(page, "input[type=range]"), part(page, "select").first
        by_keys("input[type=range]", "ArrowLeft", "ArrowLeft")(page)
        for block, read, last in (("1", 8, 14), ("8", 1, 2), ("14", 1, 1), ("2", 7, 7)):
            menu.select_option(block)
            assert slider.get_attribute("aria-valuetext") == f"{read} of {last}"
            assert slider.get_attribute("max") == str(last) and slider.input_value() == str(read)
        for foreign in (dict(read=8), dict(read=1.5), dict(block="3"), dict(order="any")):
            with pytest.raises(Error, match="RangeError"):  # what an address says that isn't there
                page.evaluate(PUT, foreign)

    def check_play(self, page):
        """A block after another, until another control is used."""
        page.emulate_media(reduced_motion="no-preference")
        hold_time(page)
        button = part(page, ".together button")
        button.click()
        page.clock.run_for(3000)
        assert button.inner_text() == "Pause" and part(page, "input").first.input_value() == "2"
        part(page, "select").last.press("ArrowDown")
        assert button.inner_text() == "Play", "another control stops it"
