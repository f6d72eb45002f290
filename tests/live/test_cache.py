"""Decoding with a key-value cache, page 11: the rows that a block of the course computes."""

import functools

import numpy as np
import pytest
import torch

from tests.live.figure import FigureTest, draw, look, numbers, part, press, shown
from utils import live
from utils.attention import causal_mask
from utils.transformer import Cache, DecoderBlock

WIDTHS = "all => all.map(each => +each.getAttribute('width'))"
FRENCH = ["<bos>", "le", "chien", "dort", "dans", "la", "cour"]


def everything_again(block, x, memory, i):
    return block(x[:, : i + 1], memory, causal_mask(i + 1))[:, -1:]


def inputs_kept(block, x, memory, i):
    y, new = block.norm1(x[:, : i + 1]), x[:, i : i + 1]
    new = new + block.self_attention(y[:, -1:], y, y)
    new = new + block.cross_attention(block.norm2(new), memory, memory)
    return new + block.ffn(block.norm3(new))


def keys_and_values_kept():
    cache = Cache()
    return lambda block, x, memory, i: block(
        x[:, i : i + 1], memory if i == 0 else memory[:, :0], cache=cache
    )


WAYS = {
    "everything again": lambda: everything_again,
    "inputs kept": lambda: inputs_kept,
    "keys and values kept": keys_and_values_kept,
}


@functools.cache
def rows_received(way, n, m):
    """For each step, the rows that layers of a real decoder block receive when it decodes in a way:
    for keys and values of the target, for all else of the target, for those of the memory. (n, 3)"""
    block = DecoderBlock(8, 2, 16).double().eval()
    own, cross = block.self_attention, block.cross_attention
    layers = [[own.W_k, own.W_v]]
    layers += [[own.W_q, own.W_o, cross.W_q, cross.W_o, block.ffn.W_1, block.ffn.W_2]]
    layers += [[cross.W_k, cross.W_v]]
    x, memory, decode = draw(1, n, 8), draw(1, m, 8, seed=1), WAYS[way]()
    received = {layer: torch.zeros(n).long() for group in layers for layer in group}
    outputs, hooks = [], []
    for i in range(n):
        for layer, rows in received.items():

            def receive(_, inputs, output, rows=rows, i=i):
                rows[i] += inputs[0].shape[1]

            hooks.append(layer.register_forward_hook(receive))
        outputs.append(decode(block, x, memory, i))
        while hooks:
            hooks.pop().remove()
    torch.testing.assert_close(torch.cat(outputs, dim=1), block(x, memory, causal_mask(n)))
    for group in layers:
        assert all(received[layer].equal(received[group[0]]) for layer in group)
    return torch.stack([received[group[0]] for group in layers], dim=1)


class TestCache(FigureTest):
    kind = "cache"
    START = dict(way="everything again", step=3)
    STATES = [dict(way=way, step=step) for way in WAYS for step in (1, 4, 7)]
    WRONG = {
        "a cache of inputs that saves the projections": {
            '"kept", "gone", "new"': '"kept", "gone", "kept"'
        },
        "a memory in every step": {"key || k === 0 ? memory": "key || k >= 0 ? memory"},
        "a step compared with itself": {'rowsReceived("everything again"': "rowsReceived(way"},
    }
    BROKEN = {
        "a cell too few": (
            {'i === step - 1 ? "new"': 'i === step - 2 ? "new"'},
            lambda self, page: self.check_cells(page, 7, 6),
        )
    }
    BAD = [
        ({"tokens": "le chien"}, "tokens is 'le chien'"),
        ({"tokens": ["le"]}, "tokens holds 1 words"),
        ({"tokens": FRENCH, "memory": 0}, "memory is 0"),
        ({"tokens": FRENCH, "step": 8}, "step is 8"),
    ]

    def example(self, **more):
        live.cache(FRENCH, **more)

    def truth(self, spec, state, found):
        rows, again = (
            rows_received(way, len(spec["tokens"]), spec["memory"])[: state["step"]]
            for way in (state["way"], "everything again")
        )
        return {"steps": rows, "totals": rows.sum(dim=0), "again": again.sum(dim=0)}

    def check_cells(self, page, n, m):
        """As many cells are drawn in full as rows are received; the totals stand at the bars."""
        grid, bars = (part(page, f".panels > svg >> nth={k}") for k in range(2))
        for way in WAYS:
            rows = rows_received(way, n, m)
            for step in range(1, n + 1):
                numbers(page, way=way, step=step)
                own, rest, memory = rows[step - 1].tolist()
                wanted = {"query": rest, "key": own + memory, "value": own + memory}
                drawn = {name: grid.locator(f".bar-{name}").count() for name in wanted}
                assert drawn == wanted, (way, step)
                kept = step - own + m - memory
                assert grid.locator(".fill-key").count() == kept, (way, step)
                dashed = grid.locator(".ghost").count() - 1  # one is in the legend
                assert dashed == 4 * (n - step)
                totals, again = (
                    rows[:step].sum(dim=0),
                    rows_received([*WAYS][0], n, m)[:step].sum(dim=0),
                )
                said = bars.locator("text.strong").all_text_contents()
                assert said == [str(total) for total in totals.tolist()]
                widths = bars.locator("rect").evaluate_all(WIDTHS)
                unit = 296 / max(n * (n + 1) / 2, n * m)
                wanted = [unit * total for total in (*again.tolist(), *totals.tolist())]
                np.testing.assert_allclose(widths, wanted, atol=0.06)
        assert page.faults == []

    @pytest.mark.parametrize("n, m", [(7, 6), (2, 1), (9, 12)])
    def test_the_cells_are_the_rows_of_a_block(self, n, m, opened):
        tokens = [*FRENCH, "longue", "et"][:n]
        data, _ = shown(lambda **more: live.cache(tokens, memory=m, step=2, **more))
        self.check_cells(opened(data["text/html"]), n, m)

    def test_the_numbers_of_the_page(self, opened):
        page = opened("cache")
        assert look(page)[1] == (
            "So far, 6 rows of the target and 18 rows of the memory have been projected to keys and "
            "values, and 6 rows of the target put through everything else. Each step computes all "
            "of it again."
        )
        found, said = [], []
        for way in WAYS:
            found.append(numbers(page, way=way, step=7)["totals"])
            said.append(look(page)[1])
        assert found == [[28, 28, 42], [28, 7, 42], [7, 7, 6]]
        assert "28 rows of the target and 42 rows of the memory" in said[1]
        assert (
            said[1].endswith(
                "Keeping the inputs saves everything except the projections to keys and values."
            )
            and "and 7 rows of the target put" in said[1]
        )
        assert said[2].endswith("Each token is projected once, and so is the memory.")
        numbers(page, way="inputs kept", step=2)
        press(page, ".foot summary")
        rows = [row.split("\t") for row in part(page, "tbody tr").all_inner_texts()]
        wanted = [["1", FRENCH[0], *"116"], ["2", FRENCH[1], *"216"], ["all", "", "3", "2", "12"]]
        assert rows == wanted
        legend = part(page, ".panels rect:is([width='16.0'], [width='10.0'])")
        kinds = [each.get_attribute("class") for each in legend.all()]
        assert kinds == ["bar-input", "fill-input", "ghost", "bar-input"]
        assert part(page, ".panels text.small.strong:not(.mid)").all_text_contents() == [FRENCH[1]]
