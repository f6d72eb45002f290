"""The stored runs of the live figures inside a real model: python -m recipes.smollm_inside, some minutes

It runs the real model with one thing changed at a time and writes `data/smollm_inside.json`:
"names", what the figure `switches` shows, "sinks", what Figure 18.5 shows, "copying", the dots of the
figure on copying, and "few_seen", the weights on tokens that see few others. The page checks some of the numbers against the model as it runs there.
"""

import base64
import json
from contextlib import ExitStack

import torch
from torch.nn import functional as F

from data.smollm_file import INSIDE, model_file, prose
from data.text import alice
from taught.attention import causal_mask
from taught.inside import weights_in
from taught.real_model import load
from taught.translation import attention_maps

NAMES = {
    "Mr Brackwood and Mrs Ellingford were late. At the door Mrs Ellingford took the hat of Mr Brack": "wood",
    "The wizard Zanthorpe met a baker named Quillory. The baker did not trust Zanthorpe, but the "
    "wizard liked Quill": "ory",
    "The village of Oskarby lies by the sea. We drove to Oskar": "by",
    "A flumpet is a tool, and a flumpet is heavy. Give me the flump": "et",
}
WATCHED = 18, 6  # the head whose last row is shown
FIVE = [(18, 6), (17, 3), (17, 5), (17, 4), (18, 7)]  # induction heads
OTHERS = [(17, 6), (17, 8), (17, 0), (18, 2), (18, 4)]  # of the same blocks
HEADS = [(block, head) for block in range(30) for head in range(9)]
SEEN = [  # what a token sees: a name, other tokens, and whether itself
    ("itself", [], True),
    ("itself and token 1", [1], True),
    ("token 5", [5], False),
    ("itself and 1 to 8", [*range(1, 9)], True),
]
POSITIONS = 10, 12, 14, 16, 18, 20, 23, 26, 28, 30  # of that token
LATE, TEN = 24, 10  # from where on queries are looked at, and a token that serves as a control


def before(layer, change):
    """Hook: change what goes into a layer."""
    return layer.register_forward_pre_hook(lambda _, inputs: change(*inputs))


def off(model, means, block, head):
    d = model.blocks[block].attention.d
    columns = slice(d * head, d * head + d)

    def change(joined):
        joined = joined.clone()
        joined[..., columns] = means[block][columns]
        return joined

    return before(model.blocks[block].attention.W_o, change)


def masked(model, mask, last=None):
    def change(queries, keys, values, _):
        return queries, keys, values, mask

    return [before(block.attention.attention, change) for block in model.blocks[:last]]


def silent(model, position):
    def change(ffn, inputs, output):
        output = output.clone()
        output[:, position] = 0
        return output

    return [model.blocks[11].ffn.register_forward_hook(change)]


def run(model, tokens, hooks):
    """Logits (n, V), all weights (blocks, H, n, n), and the vectors before block 12, (n, D)."""
    states = []
    with ExitStack() as stack:
        for hook in [
            *hooks,
            model.blocks[12].register_forward_pre_hook(lambda _, x: states.append(x[0])),
        ]:
            stack.callback(hook.remove)
        maps = stack.enter_context(attention_maps(model))
        logits = model(torch.tensor([tokens]))
    return logits[0], torch.stack([calls[0][0] for calls in maps.values()]), states[0][0]


def mean_outputs(model, tokenizer):
    """What the heads of each block give on average in some prose, side by side: (D,) each."""
    joined = []
    hooks = [before(block.attention.W_o, lambda x: joined.append(x) or x) for block in model.blocks]
    run(model, tokenizer.encode("<|endoftext|>" + prose()[:2000]), hooks)
    return [outputs.mean(dim=(0, 1)) for outputs in joined]


def names(model, tokenizer):
    sentences = []
    means = mean_outputs(model, tokenizer)
    singles = [[head] for head in HEADS]
    for text, rest in NAMES.items():
        tokens = tokenizer.encode("<|endoftext|>" + text)
        token = tokenizer.encode(rest)[0]
        p, rows = [], []
        for heads in [[], FIVE, OTHERS, *singles]:
            hooks = [off(model, means, *head) for head in heads]
            logits, weights, _ = run(model, tokens, hooks)
            p.append(round(logits[-1].softmax(dim=-1)[token].item(), 4))
            rows.append((255 * weights[*WATCHED, -1]).round().to(torch.uint8))
        packed = base64.b64encode(torch.stack(rows).numpy().tobytes()).decode()
        words = [tokenizer.decode([number]) for number in tokens]
        sentences.append(dict(tokens=words, next=tokenizer.decode([token]), p=p, rows=packed))
    return sentences


def copying(model, tokenizer):
    """By how much the loss rises with one head off: in random tokens that repeat 50 others, and in
    those. Two numbers for each of the 270 heads."""
    means = mean_outputs(model, tokenizer)
    texts = []
    for seed in range(10, 15):
        generator = torch.Generator().manual_seed(seed)
        block = torch.randint(1000, 20000, (50,), generator=generator)
        texts.append(torch.cat([torch.tensor([0]), block, block]))
    texts = torch.stack(texts)  # (5, 101)

    def loss(*heads):
        with ExitStack() as stack:
            for head in heads:
                stack.callback(off(model, means, *head).remove)
            logits = model(texts)[:, :-1]
        x = F.cross_entropy(logits.mT, texts[:, 1:], reduction="none")  # (5, 100)
        return torch.stack([x[:, 51:].mean(), x[:, 1:50].mean()])

    usual = loss()
    rises = [loss(head) - usual for head in HEADS]
    return [[round(x, 2) for x in rise.tolist()] for rise in rises]


def sinks(model, tokenizer):
    text = alice()[0]
    start = text.index("Alice was beginning to get very tired")
    text = " ".join(text[start : start + 400].split())
    tokens = tokenizer.encode("<|endoftext|>" + text)[:40]
    causal = causal_mask(40)
    all_rows, late_rows, ten, alone = (causal.clone() for _ in range(4))
    all_rows[1:, 0] = False
    late_rows[LATE:, 0] = False
    ten[LATE:, TEN] = False
    alone[TEN, :TEN] = False
    changes = {
        "forbid all": lambda: masked(model, all_rows),
        "forbid late": lambda: masked(model, late_rows),
        "forbid 10": lambda: masked(model, ten),
        "alone 10": lambda: masked(model, alone, 12),
        "ffn 0": lambda: silent(model, 0),
        "ffn 10": lambda: silent(model, TEN),
    }
    runs = {}
    for word in ("", " Paris", " the"):
        first = tokenizer.encode(word) or tokens[:1]
        name = f"first token:{word}" if word else "as it is"
        runs[name] = numbers(model, first + tokens[1:], [])
    for name, hooks in changes.items():
        runs[name] = numbers(model, tokens, hooks())
    words = [tokenizer.decode([token]) for token in tokens]
    return dict(tokens=words, late=LATE, runs=runs)


def few_seen(model, tokenizer):
    """The weight on a token in the middle that sees few others in blocks 0 to 11: for each kind of
    mask 120 numbers, of ten positions in each of six passages of *Alice* and six of prose."""
    texts = []
    for start in range(0, 3600, 600):
        for text in (alice()[1], prose()):
            text = "<|endoftext|>" + text[start : start + 600]
            texts.append(torch.tensor(tokenizer.encode(text)[:56]))
    texts, results = torch.stack(texts), {}  # (12, 56)
    for name, others, itself in SEEN:
        weights = torch.zeros(12, 10)
        for k in range(10):
            at = [POSITIONS[(row + k) % 10] for row in range(12)]
            mask = causal_mask(56).repeat(12, 1, 1, 1)  # (12, 1, 56, 56)
            for row, i in enumerate(at):
                mask[row, 0, i] = False
                mask[row, 0, i, [*others, i] if itself else others] = True
            with ExitStack() as stack:
                for hook in masked(model, mask, 12):
                    stack.callback(hook.remove)
                maps = weights_in(model, texts)[12:, ..., 36:, :]  # late queries
            for row, i in enumerate(at):
                weights[row, (row + k) % 10] = maps[:, row, ..., i].mean()
        results[name] = [[round(value, 3) for value in row] for row in weights.tolist()]
    return results


def numbers(model, tokens, hooks):
    """Mean weight of late queries on each key in blocks 12 to 29, lengths before block 12, loss."""
    logits, weights, vectors = run(model, tokens, hooks)
    loss = F.cross_entropy(logits[:-1], torch.tensor(tokens[1:]), reduction="none")[LATE:].mean()
    weights = weights[12:, :, LATE:].mean(dim=(0, 1, 2))
    lengths = vectors.norm(dim=-1)
    return dict(
        weights=[round(value, 5) for value in weights.tolist()],
        norms=[round(value) for value in lengths.tolist()],
        loss=round(loss.item(), 3),
    )


def main():
    model, tokenizer = load(model_file())
    content = {make.__name__: make(model, tokenizer) for make in (names, copying, sinks, few_seen)}
    INSIDE.write_text(json.dumps(content, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
