"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

# fmt: off

from contextlib import contextmanager

import torch
from torch import nn
from torch.nn import functional as F

from taught import checks
from taught.attention import causal_mask
from taught.real_model import LlamaBlock
from taught.transformer import RMSNorm
from taught.translation import attention_maps

# chapters/17_copying.ipynb


@contextmanager
def removing(hooks):
    """Remove the hooks at the end of a `with` block."""
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def run_blocks(model, tokens):
    """What comes out of the blocks, (B, n, D), as the model itself runs them.

    The logits would take a quarter more, so they are made for one token alone.
    """
    checks.with_blocks(model)
    states = []

    def record(norm, inputs):
        states.append(inputs[0])
        return inputs[0][:, :1]  # goes into the norm instead

    with removing([model.norm.register_forward_pre_hook(record)]):
        model(tokens)
    return states[0]


def weights_in(model, tokens):
    """The attention weights of all heads, (blocks, B, H, n, n)."""
    with attention_maps(model) as maps:
        run_blocks(model, tokens)
    checks.map_of_each_block(maps, model.blocks)
    return torch.stack([calls[0] for calls in maps.values()])


class TinyModel(nn.Module):
    """A language model of a few Llama blocks, as on page 16, with its own output layer."""

    def __init__(self, vocab, num_heads, num_layers, d_model=64):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList()
        for _ in range(num_layers):
            block = LlamaBlock(d_model, num_heads, num_heads, 128, base=100, eps=1e-5)
            self.blocks.append(block)
        self.norm = RMSNorm(d_model)
        self.output = nn.Linear(d_model, vocab)

    def forward(self, tokens):
        checks.reading(tokens, self.embedding)
        mask = causal_mask(tokens.shape[1], device=tokens.device)
        x = self.embedding(tokens)  # (B, n, D)
        for block in self.blocks:
            x = block(x, mask=mask)
        return self.output(self.norm(x))  # (B, n, V)


def train_tiny(tiny, draw, steps, seed, skip, batch, rate):
    """Adam with a rate that rises and falls, on texts that `draw` makes, `batch` at a time.

    rate: the highest. skip: so many tokens at the beginning have nothing to be predicted from.
    """
    device = next(tiny.parameters()).device
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(tiny.parameters(), lr=rate, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, rate, total_steps=steps, pct_start=0.1
    )
    for step in range(steps):
        tokens = draw(batch, generator).to(device)  # (B, n)
        checks.predicted(tokens, skip)
        logits = tiny(tokens[:, :-1])[:, skip:]
        loss = F.cross_entropy(logits.mT, tokens[:, 1 + skip :])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
