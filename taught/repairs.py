"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

# fmt: off

import math

import torch
from torch import nn
from torch.nn import functional as F

from data.facts import NONE, VOCABULARY, facts
from taught import checks
from taught.attention import masked_softmax, rotate
from taught.transformer import RMSNorm, SwiGLU

# chapters/18_when_no_key_fits.ipynb


def what_follows():
    """For each of 32 tokens the probabilities of what comes next, (32, 32)."""
    generator = torch.Generator().manual_seed(5)
    return (1.5 * torch.randn(32, 32, generator=generator)).softmax(dim=-1)


def chain(count, generator, triggers=4, bos=True):
    """Texts (count, 49), and the true probabilities (count, 48, 32) of what comes next."""
    follows = what_follows()
    tokens = torch.randint(32, (count, 49), generator=generator)
    truth = torch.zeros(count, 48, 32)
    if bos:
        tokens[:, 0] = 32  # the first token of every text
    for t in range(1, 48):
        next_one = follows[tokens[:, t]]  # (count, 32)
        if t > 1:
            copy = F.one_hot(tokens[:, t - 1], 32).float()
            is_trigger = tokens[:, t, None] < triggers
            next_one = torch.where(is_trigger, copy, next_one)
        truth[:, t] = next_one
        tokens[:, t + 1] = torch.multinomial(next_one, 1, generator=generator)[:, 0]
    return tokens, truth


def allowed(mask, scores):
    """The mask in the shape of the scores (..., n, m). It may lack axes; None allows all keys."""
    if mask is None:
        mask = torch.tensor(True, device=scores.device)
    checks.mask(mask, scores.shape)
    return mask.expand(scores.shape)


def per_head(s, scores, name="s"):
    """One number, or one for each head, (H,), that broadcasts to scores (..., H, n, m)."""
    s = torch.as_tensor(s, dtype=scores.dtype, device=scores.device)
    checks.per_head(name, s, scores.shape)
    return s[:, None, None] if s.dim() == 1 < len(s) else s


def with_sink(scores, mask, s):
    """Weights beside one more key of score s, left out again: equation (18.2)."""
    mask = F.pad(allowed(mask, scores), (1, 0), value=True)
    extra = per_head(s, scores).expand(*scores.shape[:-1], 1)
    scores = torch.cat([extra, scores], dim=-1)
    return masked_softmax(scores, mask)[..., 1:]


def gated(output, x, W_g):
    """Each number of the output times a number between 0 and 1: equation (18.3)."""
    checks.asking(x, output)
    return torch.sigmoid(W_g(x)) * output


def differential(first, second, mask, factor):
    """One map minus `factor` times another: equation (18.4)."""
    factor = per_head(factor, first, "factor")
    return masked_softmax(first, mask) - factor * masked_softmax(second, mask)


def sigmoid_weights(scores, mask, n):
    """A weight for each key on its own: the first of equations (18.5)."""
    scores = scores.masked_fill(~allowed(mask, scores), -math.inf)
    return torch.sigmoid(scores - math.log(n))  # (..., n, m)


def scalable_softmax(scores, mask, s):
    """Sharper where there are more keys: the second of equations (18.5)."""
    mask = allowed(mask, scores)
    n = mask.sum(dim=-1, keepdim=True)  # keys that a query may see
    wide = torch.promote_types(scores.dtype, torch.float32)  # of 16 bits, 32
    log_n = n.clamp(min=1).to(wide).log()  # 0 in a row without a key
    scaled = per_head(s, scores) * log_n * scores.masked_fill(~mask, 0.0)
    return masked_softmax(scaled, mask).to(scores.dtype)


class Repaired(nn.Module):
    """Attention of one head with a repair, where a layer has its `DotProductAttention`.

    kind: one of `kinds`. n: the number of keys in training. `weights` has the map of the last
    call. For a gate, `x` has the tokens that ask, (..., n, d). For differential attention, d is
    a multiple of 4.
    """

    kinds = ("softmax", "plus one", "sink from 0", "sink from log n", "gate")
    kinds += ("differential", "norm alone", "differential, no norm")
    kinds += ("sigmoid", "sigmoid, n of the text", "log n")

    def __init__(self, kind, n, d=64):
        super().__init__()
        checks.repair(kind, self.kinds, n, d)
        self.kind, self.n, self.x = kind, n, None
        if kind == "sink from 0":
            self.s = nn.Parameter(torch.tensor(0.0))
        if kind == "sink from log n":
            self.s = nn.Parameter(torch.tensor(math.log(n)))
        if kind == "log n":
            self.s = nn.Parameter(torch.tensor(1 / math.log(n)))
        if kind == "gate":
            self.W_g = nn.Linear(d, d, bias=False)
        if "differential" in kind:
            self.vectors = nn.Parameter(0.1 * torch.randn(4, d // 2))
        if kind in ("differential", "norm alone"):
            self.norm = RMSNorm(d, 1e-5)

    def factor(self):
        """What the second map is multiplied by; Ye et al. make it of four learned vectors."""
        a, b, c, d = self.vectors
        return (a @ b).exp() - (c @ d).exp() + 0.2

    def weigh(self, queries, keys, mask):
        checks.choice("kind", self.kind, self.kinds)  # it may have been changed
        if "differential" in self.kind:
            # Each map has every other pair of columns; a pair rotates together.
            q = queries.unflatten(-1, (-1, 2, 2))
            k = keys.unflatten(-1, (-1, 2, 2))
            maps = []
            for half in range(2):
                some_q = q[..., half, :].flatten(-2)
                some_k = k[..., half, :].flatten(-2)
                some_q = some_q / math.sqrt(some_q.shape[-1])
                maps.append(some_q @ some_k.mT)
            return differential(*maps, mask, self.factor())
        queries = queries / math.sqrt(queries.shape[-1])
        scores = queries @ keys.mT
        if self.kind == "plus one":
            return with_sink(scores, mask, 0.0)
        if "sink" in self.kind:
            return with_sink(scores, mask, self.s)
        if self.kind == "sigmoid":
            return sigmoid_weights(scores, mask, self.n)
        if self.kind == "sigmoid, n of the text":
            return sigmoid_weights(scores, mask, scores.shape[-1])
        if self.kind == "log n":
            return scalable_softmax(scores, mask, self.s)
        return masked_softmax(scores, mask)

    def forward(self, queries, keys, values, mask=None):
        checks.attention(queries, keys, values, mask)
        self.weights = self.weigh(queries, keys, mask)
        output = self.weights @ values
        if self.kind in ("differential", "norm alone"):
            output = 0.8 * self.norm(output)
        return gated(output, self.x, self.W_g) if self.kind == "gate" else output


class Reader(nn.Module):
    """One head, and a network that reads the answer from its output alone."""

    def __init__(self, kind, rotary, D=64):
        super().__init__()
        self.rotary = rotary
        self.embedding = nn.Embedding(VOCABULARY, D)
        self.norm = RMSNorm(D, 1e-5)
        self.W_q = nn.Linear(D, D, bias=False)
        self.W_k = nn.Linear(D, D, bias=False)
        self.W_v = nn.Linear(D, D, bias=False)
        nn.init.normal_(self.W_v.weight, std=0.3)  # large: learning begins earlier
        self.attention = Repaired(kind, 32, D)
        # A gate has D x D numbers of its own, and so a narrower network.
        self.ffn = SwiGLU(D, 107 if kind == "gate" else 128)
        self.output = nn.Linear(D, NONE + 1)

    def forward(self, text, asked):
        """text: triples (B, n, 3), asked: (B, Q, 3). Returns logits (B, Q, 17)."""
        n = text.shape[1]
        x = self.norm(self.embedding(text).sum(dim=-2))  # (B, n, D)
        y = self.norm(self.embedding(asked).sum(dim=-2))  # (B, Q, D)
        q, k, v = self.W_q(y), self.W_k(x), self.W_v(x)
        if self.rotary:  # the questions come after the text
            q, k = rotate(q, n), rotate(k)
        self.attention.x = y
        context = self.attention(q, k, v)
        return self.output(context + self.ffn(context))


def read_facts(kind, rotary, seed, rate, steps=300, unknown=1 / 3):
    """A trained `Reader`; Adam with a rate that rises and falls, as in `train_tiny`.

    unknown: the share of questions for a name that the text doesn't have.
    """
    torch.manual_seed(seed)
    reader = Reader(kind, rotary)
    generator = torch.Generator().manual_seed(100 + seed)
    optimizer = torch.optim.AdamW(reader.parameters(), lr=rate, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, rate, total_steps=steps, pct_start=0.1
    )
    for _ in range(steps):
        text, questions, answer, _ = facts(32, 32, generator, unknown=unknown)
        loss = F.cross_entropy(reader(text, questions).mT, answer)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return reader


@torch.no_grad()
def answers(reader, n, count=64, seed=7, unknown=1 / 3):
    """The share of correct answers where there is a match and where there is none, the weight on
    the match, and the loss."""
    generator = torch.Generator().manual_seed(seed)
    text, questions, answer, where = facts(count, n, generator, unknown=unknown)
    logits = reader(text, questions)
    right = (logits.argmax(dim=-1) == answer).float()
    none = answer == NONE
    on_match = reader.attention.weights.gather(-1, where[..., None])[..., 0]
    return {
        "match": right[~none].mean().item(),
        "none": right[none].mean().item() if none.any() else None,
        "on": on_match[~none].mean().item(),
        "nats": F.cross_entropy(logits.mT, answer).item(),
    }
