"""The classifier of reviews, against the class of its page."""

import base64

import numpy as np
import torch
from torch import nn
from torch.nn.utils import rnn

from taught.attention import masked_softmax
from tests.live.figure import FigureTest, by_keys, draw, look, part, press
from workshop.page import notebooks

WORDS = ["<pad>", "the", "rain", "stopped", "so"]
REVIEW = [("the", "rain", "stopped"), ("so", "the", "so", "rain"), ("rain",)]
PAGE = vars(rnn) | dict(nn=nn, masked_softmax=masked_softmax)
for cell in next(page for page in notebooks() if page.number == 7).code:
    if "class ContextAttention(" in cell.source or "class Level(" in cell.source:
        exec(cell.source, PAGE)
MODEL = PAGE["HierarchicalClassifier"](8, PAGE["ContextAttention"], vocab_size=5, num_classes=3).requires_grad_(False)
for k, parameter in enumerate(MODEL.double().parameters()):
    parameter.copy_(draw(*parameter.shape, seed=k))


class TestReview(FigureTest):
    EXAMPLE = dict(model=MODEL.state_dict(), token_of={word: i for i, word in enumerate(WORDS)})
    EXAMPLE |= dict(labels=["bad", "good", "small"], reviews={"a": REVIEW, "b": REVIEW[1:]})
    START = dict(review="a", gone={})
    STATES = [
        dict(review=name, gone={name: dict.fromkeys(gone, True), "b" if name == "a" else "a": {"0": True}})
        for name in ("a", "b")
        for gone in ([], ["0,1"], ["0", "1,2"], ["0", "1", "2"])
    ]
    WRONG = {
        "gates in another order": {"(1 - z) * Math.tanh": "z * Math.tanh"},
        "a direction read forwards": {"[...vectors].reverse()": "vectors"},
        "erased words are read": {"filter((t) => !gone": "filter((t) => 1 || gone"},
    }
    KEYS = {"the next word": by_keys(".word", "ArrowRight", "Enter")}
    SAID = [
        (dict(), "Sentence 1 has 0.75 of the weight, and in it", ["1", "0.75", "rain", "0.99"]),
        (dict(gone={"a": {"0": True, "1,2": True}}), "2 erased: the answer is good", ["1", "0.00", "the", "0.00"]),
        (dict(gone={"a": {"0": True, "1,2": True}}), "good, with probability 0.97.", ["2", "0.52"]),
    ]

    def holds(self, spec, state, numbers, text):
        assert text.startswith(f"The answer is {numbers['label']}, with probability")
        assert max(numbers["chances"]) > 0.5

    def truth(self, spec, state, numbers):
        """With the numbers that were sent, and without what is erased."""
        packed = np.frombuffer(base64.b64decode(spec["parameters"]), "i1")
        for name, scale, *shape in spec["shapes"]:
            ours, packed = np.split(packed, [np.prod(shape)])
            MODEL.get_parameter(name).view(-1).copy_(torch.tensor(ours * scale))
        review, gone = spec["reviews"][spec["names"].index(state["review"])], state["gone"].get(state["review"], {})
        kept = [[t for t in range(len(words)) if not {f"{i},{t}", str(i)} & {*gone}] for i, words in enumerate(review)]
        here = [i for i in range(len(review)) if kept[i]]
        tokens = torch.zeros(1, len(here) or 1, 4, dtype=torch.long)
        for row, i in enumerate(here):
            tokens[0, row, : len(kept[i])] = torch.tensor([WORDS.index(review[i][t]) for t in kept[i]])
        [logits], [words], [sentences] = MODEL(tokens, need_weights=True)
        alpha, beta = [torch.zeros(len(each)).double() for each in review], torch.zeros(len(review)).double()
        for row, i in enumerate(here):
            alpha[i][kept[i]], beta[i] = words[row, : len(kept[i])], sentences[row]
        label = spec["labels"][logits.argmax()]
        return dict(alpha=alpha, beta=beta, logits=logits, label=label, chances=logits.softmax(dim=-1))

    def check_erased_parts(self, page):
        """A sentence that is erased comes back by any of its words, and each review keeps its own."""
        start = look(page)[1]
        assert press(page, ".erase >> nth=1").startswith("1 erased")
        part(page, "select").select_option("b")
        assert "erased" not in look(page)[1]
        part(page, "select").select_option("a")
        assert press(page, ".word >> nth=4") == start

    def check_one_stop_of_the_keyboard(self, page):
        """Arrow keys go to each word and to the button behind each sentence; Tab goes past them."""
        part(page, "select").focus()
        page.keyboard.press("Tab")
        active = "document.querySelector('attention-live-1').shadowRoot.activeElement.textContent"
        for key, text in zip(["Right"] * 4 + ["Up", "Left"], ["rain", "stopped", "×", "so", "the", "the"]):
            page.keyboard.press(f"Arrow{key}")
            assert page.evaluate(active) == text
