"""What each pass reads: against the model of the page, whose embedding is watched."""

import torch

from taught.language_model import Cache, CachedLanguageModel
from tests.live.figure import FigureTest, part


class TestCache(FigureTest):
    EXAMPLE = dict(static="what_a_pass_reads", text="Alice was a little should not to", prompt=4)
    START = dict(passes=4, guessed=None)
    STATES = [dict(), dict(passes=1), dict(passes=28)]
    WRONG = {
        "a prompt that is read twice": {"p ? 1 : prompt": "p > 1 ? 1 : prompt"},
        "only the newest, without a cache": {"[prompt + p,": "[p + 1,"},
        "the last letter in the cache": {"prompt + passes - 1": "prompt + passes"},
    }
    SAID = [
        (dict(), "In all, 22 letters have been read without a cache, and 7 with it. Pass 4 reads 7 without, and 1 with it: ", ["4", "7", "1"]),
    ]  # fmt: skip
    END = dict(passes=28)

    def holds(self, spec, state, numbers, text):
        without, by = numbers["totals"]
        assert without >= by and numbers["reads"][-1] == [numbers["kept"], 1 if state["passes"] > 1 else by]

    @torch.no_grad()
    def truth(self, spec, state, numbers):
        torch.manual_seed(0)
        model, read = CachedLanguageModel(20, 8, 2, 1, 16).eval(), []
        model.embedding.register_forward_hook(lambda _, x, y: read.append(y.shape[1]))
        text, cache = torch.randint(0, 20, (1, spec["prompt"])), Cache()
        unread = text
        for _ in range(state["passes"]):
            new = model(text)[:, -1:].argmax(dim=-1)
            model(unread, cache)
            text, unread = torch.cat([text, new], dim=1), new
        reads = torch.tensor(read).view(-1, 2)
        return {"reads": reads, "totals": reads.sum(dim=0), "kept": torch.tensor(len(cache))}

    def check_answers(self, page):
        """They are what is true, the same as before, and as many more as there are passes."""
        answers = part(page, ".ask button").all_inner_texts()
        assert answers == [f"{times} times" for times in (3, round(490 / 31), 3 * 28 // 4)]
