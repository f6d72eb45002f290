"""Attention with one block of scores in memory at a time."""

import torch

from tests.live.figure import FigureTest, draw

TOKENS = "the cat that we saw in the old garden was asleep on a chair".split()
M = len(TOKENS)


class TestBlocks(FigureTest):
    EXAMPLE = dict(tokens=TOKENS, scores=2 * draw(M, seed=3), values=draw(M, 3, seed=1), block=4)
    START = dict(forget=False, read=1, guessed=None)
    QUIET = ("leave out the correction",)  # of the first block there is nothing to correct
    END = None  # with the last block; a guess plays on without the correction
    STATES = [dict(forget=forget, read=k) for k in range(5) for forget in (False, True)]
    WRONG = {
        "no correction": {"forget ? 1 : factor": "1"},
        "a correction the other way": {"before.maximum - maximum)": "maximum - before.maximum)"},
        "an output that is not corrected": {"kept * o": "o"},
    }
    SAID = [
        (dict(read=2), "Block 2 of 4 raises the maximum to 2.02, so the old sum and output are multiplied by 0.66. In memory: 4 scores at a time, not 14.", ["2", "saw in the old", "2.02", "2.02", "0.66", "2.46"]),
        (dict(read=4, forget=True), "the answer is off by up to 0.21, without the correction: ", ["1", "the cat that we", "1.61", "1.61", "–"]),
    ]  # fmt: skip

    def holds(self, spec, state, numbers, text):
        """In the end the answer is that of softmax, unless the reader leaves the correction out."""
        if state["read"] < len(numbers["blocks"]):
            assert text.startswith(f"Block {state['read']} of ")
            return
        gap = max(abs(ours - x) for ours, x in zip(numbers["answer"], numbers["all"]))
        assert gap > 0.1 if state["forget"] else gap < 1e-9
        assert ("exactly that of softmax" in text) != state["forget"] == (f" {gap:.2f}," in text)

    def truth(self, spec, state, numbers):
        """By softmax over all keys that have been read, however they were cut."""
        scores, values = (torch.tensor(spec[name], dtype=torch.float64) for name in ("scores", "values"))
        blocks, steps = torch.arange(M).split(spec["block"]), []
        against, last = torch.zeros(M).double(), torch.tensor(-torch.inf)
        for k, block in enumerate(blocks):
            keys = torch.cat(blocks[: k + 1])
            top = scores[keys].max()
            against[block if state["forget"] else keys] = top
            weights = torch.exp(scores - against)
            added = torch.cat([weights[block].sum()[None], weights[block] @ values[block]])
            total, output = weights[keys].sum(), weights[keys] @ values[keys]
            steps.append(dict(maximum=top, factor=torch.exp(last - top), added=added, total=total, output=output))
            last = top
        every = torch.softmax(scores, dim=0) @ values
        truth = dict(all=every, blocks=[block.tolist() for block in blocks], steps=steps)
        if not state["read"]:
            return truth
        step = steps[state["read"] - 1]
        return truth | dict(maximum=step["maximum"], output=step["output"], answer=step["output"] / step["total"])
