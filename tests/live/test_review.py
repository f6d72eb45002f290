"""The classifier of reviews."""

import base64

import numpy as np
import torch

from tests.live.figure import FigureTest, by_keys, draw, look, part, press

WORDS = ["the", "rain", "stopped", "so", "<pad>"]
REVIEW = [("the", "rain", "stopped"), ("so", "the", "so", "rain"), ("rain",)]


def small_classifier():
    """Parameters of the shapes of the page's classifier, in small."""
    width = 5 + 2 * 4
    shapes = {"embedding.weight": (5, 5)}
    for level, inputs in (("words", 5), ("sentences", width)):
        gru = torch.nn.GRU(inputs, 4, bidirectional=True)
        shapes |= {f"{level}.gru.{name}": x.shape for name, x in gru.named_parameters()}
        shapes |= {f"{level}.pool.u": (6,), f"{level}.pool.W.weight": (6, inputs + 8)}
        shapes |= {f"{level}.pool.W.bias": (6,)}
    shapes |= {"output.weight": (3, width + 8), "output.bias": (3,)}
    return {name: draw(*shape, seed=7 + k) for k, (name, shape) in enumerate(shapes.items())}


class TestReview(FigureTest):
    EXAMPLE = dict(model=small_classifier(), token_of={word: i for i, word in enumerate(WORDS)})
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
        (dict(), "Sentence 3 has 0.70 of the weight, and in it", ["1", "0.14", "the", "0.91"]),
        (dict(gone={"a": {"0": True, "1,2": True}}), "2 erased: the answer is small", ["1", "0.00", "the", "0.00"]),
        (dict(gone={"a": {"0": True, "1,2": True}}), "small, with probability 0.94.", ["1", "0.00"]),
    ]

    def holds(self, spec, state, numbers, text):
        """Nothing is left erased."""
        assert text.startswith(f"The answer is {numbers['label']}, with probability")
        assert max(numbers["chances"]) > 0.5

    def truth(self, spec, state, numbers):
        """The classifier by PyTorch's GRU, in doubles, with the numbers that were sent."""
        packed, x = np.frombuffer(base64.b64decode(spec["parameters"]), "i1"), {}
        for name, scale, *shape in spec["shapes"]:
            ours, packed = np.split(packed, [np.prod(shape)])
            x[name] = torch.tensor(ours.reshape(shape) * scale)

        def level(name, vectors):
            gru = torch.nn.GRU(vectors.shape[1], 4, bidirectional=True).double()
            for key, parameter in gru.named_parameters():
                parameter.data = x[f"{name}.gru.{key}"].view_as(parameter)
            states = torch.cat([gru(vectors)[0].detach(), vectors], dim=1)
            scores = torch.tanh(states @ x[f"{name}.pool.W.weight"].T + x[f"{name}.pool.W.bias"])
            weights = torch.softmax(scores @ x[f"{name}.pool.u"][0], dim=0)
            return weights @ states, weights

        review = spec["reviews"][spec["names"].index(state["review"])]
        gone = state["gone"].get(state["review"], {})
        alpha, beta = [[0.0] * len(words) for words in review], torch.zeros(len(review)).double()
        alpha, vectors, here = [torch.tensor(row).double() for row in alpha], [], []
        for i, words in enumerate(review):
            kept = [t for t in range(len(words)) if not {f"{i},{t}", str(i)} & gone.keys()]
            if kept:
                tokens = torch.tensor([WORDS.index(words[t]) for t in kept])
                vector, alpha[i][kept] = level("words", x["embedding.weight"][tokens])
                vectors.append(vector)
                here.append(i)
        whole = torch.zeros(x["output.weight"].shape[1], dtype=torch.float64)
        if here:
            whole, beta[here] = level("sentences", torch.stack(vectors))
        logits = x["output.weight"] @ whole + x["output.bias"][0]
        label = spec["labels"][logits.argmax()]
        return dict(alpha=alpha, beta=beta, logits=logits, label=label, chances=torch.softmax(logits, dim=0))

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
