"""The trained tower in the page, against the same weights in PyTorch."""

import base64
import re

import numpy as np
import torch

from taught.attention import causal_mask
from taught.transformer import LanguageModel
from tests.live.figure import FigureTest, by_keys, look, numbers, part, reset

SIGNS = "abcdefghijklmnopqrst|$"
FLOORS = ["embedding", "attention 1", "network 1", "attention 2", "network 2"]


def tower(seed=0):
    """With weights that make it sure of something."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = LanguageModel(22, 16, 2, 2, 32)
        for parameter in model.parameters():
            torch.nn.init.normal_(parameter, std=0.4)
    return model


def unpacked(spec):
    """The model of a spec, in float64."""
    sizes = {name: shape for name, shape in spec["tensors"]}
    hidden = sizes["blocks.0.ffn.W_1.weight"][0]
    model = LanguageModel(22, spec["d_model"], spec["num_heads"], spec["num_layers"], hidden)
    packed = base64.b64decode(spec["numbers"])
    floats = np.frombuffer(packed, "<f4", sum(shape[0] for shape in sizes.values()))
    whole, state = np.frombuffer(packed, "i1", offset=floats.nbytes), {}
    for name, shape in sizes.items():
        state[name], floats = torch.tensor(floats[: shape[0]]), floats[shape[0] :]
        if len(shape) == 2:
            rows, whole = whole[: shape[0] * shape[1]], whole[shape[0] * shape[1] :]
            state[name] = torch.tensor(rows.reshape(shape)) * state[name][:, None]
    model.load_state_dict(state)
    return model.double().eval()


class TestTransformer(FigureTest):
    EXAMPLE = dict(tower=tower(), signs=SIGNS, word="tablets", lengths=[5, 8])
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
        word, back = ("".join(each) for each in "".join(numbers["signs"]).split("|", 1))
        if state["step"] == 44:
            assert f"“{word}” becomes “{back}”" in text
            assert ("which is wrong" in text) == (back != word[::-1] + "$")

    @torch.no_grad()
    def truth(self, spec, state, numbers):
        model = unpacked(spec)
        word = [sign for sign in state["word"].lower() if sign in SIGNS[:20]][:8]
        tokens, n = [SIGNS.index(sign) for sign in [*word, "|"]], len(word)
        reads, looks, written = [], [], 0
        while written <= n and tokens[-1] != 21:
            mask = causal_mask(len(tokens))
            x = model.positions(model.embedding(torch.tensor([tokens])))
            stream, weights = [x], []
            for block in model.blocks:
                y = block.norm1(x)
                z, w = block.attention(y, y, y, mask, need_weights=True)
                stream += [x + z, x + z + block.ffn(block.norm2(x + z))]
                x = stream[-1]
                weights.append(w[0].mean(dim=0)[-1])
            p = model.output(model.norm(torch.stack(stream)))[:, 0, -1].softmax(-1)  # (5, V)
            tokens.append(int(p[-1].argmax()))
            written += 1
            reads.append(p)
            looks.append(torch.stack(weights))
        signs = [SIGNS[token] for token in tokens]
        assert numbers["signs"] == signs and numbers["n"] == n and len(numbers["written"]) == written
        for ours, p, weights, token in zip(numbers["written"], reads, looks, tokens[n + 1 :]):
            top = p.argmax(-1)
            assert ours["next"] == SIGNS[token]
            assert [each["sign"] for each in ours["reads"]] == [SIGNS[t] for t in top]
            later = [level for level in range(5) if top[level] != token]
            assert ours["comes"] == max(later, default=-1) + 1
            for name, theirs in (("share", p.amax(-1)), ("right", p[:, token])):
                mine = torch.tensor([each[name] for each in ours["reads"]], dtype=torch.float64)
                assert torch.allclose(mine, theirs, atol=1e-6), name
            mine = torch.tensor(ours["looks"], dtype=torch.float64)
            assert torch.allclose(mine, weights, atol=1e-6)
        at = min(state["step"], 5 * written - 1)
        return {"k": torch.tensor(at // 5), "level": torch.tensor(at % 5)}

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
        """A typed word is written backwards at once, where the play has ended; an answer is of the first word."""
        asked, typed = part(page, ".ask"), part(page, "input[type=text]")
        asked.locator("button").first.click()
        first = FLOORS[numbers(page)["written"][0]["comes"]]
        right = "which is right" if first == FLOORS[1] else f"it is {first}"
        assert re.match(rf"You said attention 1[;,] {right}, so the ", look(page)[1])
        typed.fill("lager")
        assert look(page)[1].startswith("“lager” becomes “")
        typed.fill("lager x")
        assert look(page)[1].startswith("Only the letters a to t are read, up to 8: “lager”. “lager”")
        typed.fill("xyz")
        assert look(page)[1].startswith("Type a word")
        typed.fill("")
        typed.press_sequentially("attention")
        assert typed.input_value() == "attentio"
        asked.locator("button").first.click()
        assert typed.input_value() == "tablets" and look(page)[1].startswith("You said")
        typed.fill("xyz")
        reset(page)
        assert typed.input_value() == "tablets"
