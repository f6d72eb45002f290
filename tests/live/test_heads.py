"""The heads of a layer, and what it costs to remove them."""

import torch

from tests.live.figure import FigureTest, by_keys, by_touch, draw, look, part, press, table

QUESTIONS = ["colour", "shape"]
ASKED = [[0, 2], [3, 1], [1, 0]]


def layer(H):
    """Weights (H, 3, 4), and errors (2^H, 2), small for all heads."""
    errors = draw(2**H, 2, seed=H).abs()
    errors[0] = 0.004
    return torch.softmax(4 * draw(H, 3, 4, seed=H), dim=-1), errors


LAYERS = {"2 heads": layer(2), "3 heads": layer(3)}
LAYERS["3 heads"][1][6] = 0.004  # without heads 2 and 3 nothing is lost
LAYERS["3 heads"][1][1] = torch.tensor([0.01, 1.25])


class TestHeads(FigureTest):
    EXAMPLE = dict(layers=LAYERS, asked=ASKED, questions=QUESTIONS, layer="3 heads")
    START = dict(layer="3 heads", query=1, removed={})
    STATES = [
        dict(),
        dict(query=3, removed={"3 heads": 5, "2 heads": 1}),
        dict(layer="2 heads", query=2, removed={"3 heads": 3, "2 heads": 2}),
    ]
    WRONG = {
        "another query": {"head[query - 1]": "head[0]"},
        "heads from the last": {"(gone >> h) & 1": "(gone >> (weights.length - 1 - h)) & 1"},
        "the heads of another layer": {"removed[layer] ?? 0": "Object.values(removed)[0] ?? 0"},
        "what is asked first": {"asked[query - 1]": "asked[0]"},
    }
    KEYS = {"a head": by_keys(".press >> nth=2", "Space")}
    QUIET = ("query",)  # its words are about the errors, over all queries
    TOUCH = {"the weights of a head": by_touch(".press >> nth=1", 0.5)}
    SAID = [
        (dict(), "All 3 heads are there. The largest error is 0.00.", ["1"]),
        (dict(), "All 3 heads are there.", ["1", "0.02", "0.11", "0.86", "0.01", "1.25"]),
        (
            dict(removed={"3 heads": 1}),
            "Without head 1, the error rises for shape to 1.25.",
            ["errors: colour 0.01, shape 1.25"],
        ),
    ]  # fmt: skip

    def truth(self, spec, state, found):
        names = [each["name"] for each in spec["layers"]]
        assert names == list(LAYERS)
        sent = spec["layers"][names.index(state["layer"])]
        weights, errors = (torch.tensor(sent[part]) for part in ("weights", "errors"))
        for ours, sent in zip(LAYERS[state["layer"]], (weights, errors)):
            assert (ours - sent).abs().max() <= 0.005 + 1e-9, "sent with two digits"
        code = state["removed"].get(state["layer"], 0)
        H = len(weights)
        off = [int(bit) for bit in reversed(f"{code:0{H}b}")]
        place = sum(2**h for h in range(H) if off[h])
        assert found["asked"] == ASKED[state["query"] - 1]
        alone = torch.stack([errors[2**h].max() for h in range(H)])
        truth = dict(
            alone=alone, rows=weights[:, state["query"] - 1], errors=errors[place], whole=errors[0]
        )
        return truth | {"off": torch.tensor(off)}

    def check_removal(self, page):
        """Heads are removed and come back; each layer keeps what was removed."""
        assert "Without head 1, the error rises for shape to 1.25." in press(page, ".press")
        assert "Without heads 1, 2 and 3," in press(page, ".press >> nth=1", ".press >> nth=2")
        assert "Without heads 2 and 3, no error rises." in press(page, ".press")
        assert part(page, ".off .name").all_text_contents() == ["head 2", "head 3"]
        checked = part(page, ".press:visible").evaluate_all(
            "all => all.map(each => each.ariaChecked)"
        )
        assert checked == ["true", "false", "false"]
        part(page, "select").select_option("2 heads")
        assert "All 2 heads" in look(page)[1]
        part(page, "select").select_option("3 heads")
        assert "Without heads 2 and 3" in look(page)[1]
        assert table(page)[-1] == ["errors: colour 0.00, shape 0.00"]
