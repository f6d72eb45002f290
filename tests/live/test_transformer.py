"""The trained tower in the page, against the same weights in PyTorch."""

import re

import torch

from taught.attention import causal_mask
from taught.trained import state_of
from taught.transformer import LanguageModel
from tests.live.figure import FigureTest, by_keys, draw, look, numbers, part, press

SIGNS = "abcdefghijklmnopqrst|$"
FLOORS = ["embedding", "attention 1", "network 1", "attention 2", "network 2"]


TOWER = LanguageModel(22, 16, 2, 2, 32)
for k, parameter in enumerate(TOWER.parameters()):  # with weights that make it sure of something
    parameter.data = 0.4 * draw(*parameter.shape, seed=k).float()


class TestTransformer(FigureTest):
    EXAMPLE = dict(tower=TOWER, signs=SIGNS, word="tablets", lengths=[5, 8])
    START = dict(word="tablets", step=0, guessed=None)
    STATES = [dict(), dict(step=13), dict(step=44), dict(word="cab Zoo!", step=7), dict(word="")]
    WRONG = {
        "the other norm": {'norm = "norm2"': 'norm = "norm1"'},
        "the stream without its sum": {"return plus(x, this.linear(block": "return (this.linear(block"},
        "no norm before the output": {'"output", this.norm("norm", x)': '"output", x'},
        "a floor too low": {"sign !== next) + 1": "sign !== next)"},
        "the weights of one head": {"sum(heads.map((row) => row[j]))": "2 * heads[0][j]"},
    }  # fmt: skip
    SAID = [
        (dict(), "After the embedding the output layer would write", ["embedding"]),
        (dict(step=3), "After attention 2 the output layer would write", ["attention 2"]),
        (dict(word="", step=2), "Type a word: the tower knows only the letters a to t.", ["network 1"]),
    ]
    KEYS = {"a word": by_keys("input[type=text]", "End", "Backspace")}
    QUIET = ["a word"]  # its first floor may read as before
    END = dict(step=44)

    def holds(self, spec, state, numbers, text):
        """Its last sentence says what it has written, and that it is wrong where it is."""
        word, back = ("".join(half) for half in "".join(numbers["signs"]).split("|", 1))
        if state["step"] == 44:
            assert f"“{word}” becomes “{back}”" in text
            assert ("which is wrong" in text) == (back != word[::-1] + "$")

    @torch.no_grad()
    def truth(self, spec, state, numbers):
        d_model, (d_hidden, _) = spec["d_model"], dict(spec["tensors"])["blocks.0.ffn.W_1.weight"]
        model = LanguageModel(22, d_model, spec["num_heads"], spec["num_layers"], d_hidden)
        model.load_state_dict(state_of(spec))
        model.double().eval()
        word = [sign for sign in state["word"].lower() if sign in SIGNS[:20]][:8]
        tokens, n = [SIGNS.index(sign) for sign in [*word, "|"]], len(word)
        written = []
        while len(written) <= n and tokens[-1] != 21:
            mask = causal_mask(len(tokens))
            x = model.positions(model.embedding(torch.tensor([tokens])))
            stream, looks = [x], []
            for block in model.blocks:
                y = block.norm1(x)
                z, w = block.attention(y, y, y, mask, need_weights=True)
                stream += [x + z, x + z + block.ffn(block.norm2(x + z))]
                x = stream[-1]
                looks.append(w[0].mean(dim=0)[-1])
            p = model.output(model.norm(torch.stack(stream)))[:, 0, -1].softmax(-1)  # (5, V)
            shares, top = p.max(-1)
            tokens.append(int(top[-1]))
            reads = [dict(sign=SIGNS[top[k]], share=shares[k], right=p[k, tokens[-1]]) for k in range(5)]
            comes = max((level + 1 for level in range(5) if top[level] != tokens[-1]), default=0)
            written.append(dict(next=SIGNS[tokens[-1]], reads=reads, comes=comes, looks=looks))
        at = min(state["step"], 5 * len(written) - 1)
        signs = [SIGNS[token] for token in tokens]
        return dict(signs=signs, n=n, written=written, k=at // 5, level=at % 5)

    def check_the_slider(self, page):
        """It has as many steps as the letters that are written need, and the play walks as many."""
        for word in ("lager", "tablets"):
            part(page, "input[type=text]").fill(word)
            steps = 5 * len(numbers(page)["written"])
            slider = part(page, "input[type=range]")
            assert int(slider.get_attribute("max")) == steps - 1
            slider.press("End")
            assert part(page, "output").inner_text() == str(steps)

    def check_typing(self, page):
        """A typed word is written backwards at once, at the end; an answer is of the first word, where its letter comes in."""
        question, typed = part(page, ".ask"), part(page, "input[type=text]")
        question.locator("button").first.click()
        first = FLOORS[numbers(page)["written"][0]["comes"]]
        right = "which is right" if first == FLOORS[1] else f"it is {first}"
        assert re.match(rf"You said attention 1[;,] {right}, so the ", look(page)[1])
        assert numbers(page)["level"] == numbers(page)["written"][0]["comes"] and numbers(page)["k"] == 0
        numbers(page, step=44)
        only = "Only the letters a to t are read, up to 8: “lager”. “lager”"
        for word, said in (("lager", "“lager” becomes “"), ("lager x", only), ("xyz", "Type a word")):
            typed.fill(word)
            assert look(page)[1].startswith(said)
        typed.fill("")
        typed.press_sequentially("attention")
        assert look(page)[1].startswith("Only the letters a to t are read, up to 8: “attentio”.")
        question.locator("button").first.click()
        assert typed.input_value() == "tablets" and look(page)[1].startswith("You said")
        typed.fill("xyz")
        press(page, ".tools button")
        assert typed.input_value() == "tablets"
