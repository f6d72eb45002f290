"""Decoding with a key-value cache: the rows that a block of the course computes."""

import functools

import torch

from taught.attention import causal_mask
from taught.transformer import Cache, DecoderBlock
from tests.live.figure import FigureTest, draw

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
    EXAMPLE = dict(tokens=FRENCH, memory=6)
    START = dict(way="keys and values kept", step=3)
    STATES = [dict(way=way, step=step) for way in WAYS for step in (1, 4, 7)]
    WRONG = {
        "a cache of inputs that saves the projections": {
            '"kept", "gone", "new"': '"kept", "gone", "kept"'
        },
        "a memory in every step": {"key || k === 0 ? memory": "key || k >= 0 ? memory"},
        "a step compared with itself": {"rowsReceived(each,": "rowsReceived(way,"},
    }
    SAID = [
        (dict(way="everything again", step=1), "After 1 step, 8 of 8 rows are computed: nothing saved.", ["1", "<bos>", "1", "1", "6"]),
        (dict(way="inputs kept", step=7), "After 7 steps, 77 of 98 rows are computed: 21 % saved.", ["all", "", "28", "7", "42"]),
    ]  # fmt: skip

    END = dict(step=len(FRENCH))

    def holds(self, spec, state, found, said):
        ours, whole = sum(found["totals"]), sum(found["ways"][0])
        saved = f"{100 * (1 - ours / whole):.0f} % saved" if ours < whole else "nothing saved"
        assert f"{ours} of {whole} rows are computed: {saved}" in said
        assert (ours == whole) == (state["way"] == "everything again")

    def truth(self, spec, state, found):
        received = {
            way: rows_received(way, len(spec["tokens"]), spec["memory"])[: state["step"]]
            for way in WAYS
        }
        rows = received[state["way"]]
        ways = torch.stack([each.sum(dim=0) for each in received.values()])
        return {"steps": rows, "totals": rows.sum(dim=0), "ways": ways}
