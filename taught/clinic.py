"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

# fmt: off

import io
import itertools
import math
import warnings
from contextlib import contextmanager, redirect_stdout

import torch
from torch.nn import functional as F

from taught import checks

# chapters/23_the_attention_clinic.ipynb


def draw_inputs(seed=0, d=64, B=2, H=4, n=5, m=7):
    """Queries, keys, values, and a mask that leaves each query a key."""
    generator = torch.Generator().manual_seed(seed)
    queries = torch.randn(B, H, n, d, generator=generator)
    keys = torch.randn(B, H, m, d, generator=generator)
    values = torch.randn(B, H, m, d, generator=generator)
    mask = torch.rand(B, H, n, m, generator=generator) < 0.5
    key_of_its_own = torch.arange(n)[:, None] % m  # (n, 1)
    mask = mask | (key_of_its_own == torch.arange(m))
    return queries, keys, values, mask


def same(a, b, tolerance=1e-4):
    """Whether two tensors agree, up to rounding. A nan agrees with nothing."""
    if a.shape != b.shape:
        return False
    return torch.allclose(a.float(), b.float(), rtol=tolerance, atol=tolerance)


def weights_of(attention, queries, keys, mask):
    """The weights (B, H, n, m) of a function that returns only outputs."""
    m, d = keys.shape[2:]
    identity = torch.eye(m, d).expand(keys.shape)  # (B, H, m, d)
    return attention(queries, keys, identity, mask)[..., :m]


def scale_of(weights, q, k, mask):
    """How many times q . k / sqrt(d) the scores are, as the weights show it."""
    scores = q @ k.mT / math.sqrt(q.shape[-1])  # (B, H, n, m)
    seen = mask & (weights > 0)
    both = seen[..., 1:] & seen[..., :-1]  # a key and the next one
    rise = weights.log().diff(dim=-1)[both]
    expected = scores.diff(dim=-1)[both]
    return (rise * expected).sum() / expected.square().sum()


def examine_weights(attention, q, k, v, mask):
    """Step 1: is each output an average of the values of the allowed keys?"""
    output = attention(q, k, v, mask)  # (B, H, n, d)
    weights = weights_of(attention, q, k, mask)  # (B, H, n, m)
    average = weights @ v  # (B, H, n, d)
    sums = weights.sum(dim=-1)  # (B, H, n)
    scale = scale_of(weights, q, k, mask)
    wrong_scale = f"the scores are {scale:.3g} times q . k / sqrt(d)"
    findings = {
        "masked keys have a weight": weights[~mask].any(),
        "allowed keys have no weight": not weights[mask].all(),
        "some weights are negative": weights.min() < 0,
        "the weights don't add up to 1": not same(sums, torch.ones_like(sums)),
        "the output isn't the weights times the values": not same(average, output),
        f"{wrong_scale}; is the scale right?": scale < 0.8 or scale > 1.25,
    }
    return [complaint for complaint, is_true in findings.items() if is_true]


def first_line(words):
    return str(words).strip().split("\n")[0]


@contextmanager
def noting(complaints, when):
    """An error in this block becomes a complaint, and the examination goes on."""
    try:
        yield
    except Exception as error:
        reason = first_line(error) or type(error).__name__
        complaints.append(f"it fails {when}: {reason}")


def guarded(attention, noted):
    """The same function, quiet, with its output alone; `noted` has what else it did."""

    def call(queries, keys, values, mask):
        printed = io.StringIO()
        with redirect_stdout(printed), warnings.catch_warnings(record=True) as warned:
            output = attention(queries, keys, values, mask)
        for warning in warned:
            noted.setdefault("warns", f"it warns: {first_line(warning.message)}")
        if printed.getvalue():
            words = first_line(printed.getvalue())
            noted.setdefault("prints", f"it prints: {words}")
        if isinstance(output, tuple) and output:
            kind = "pair" if len(output) == 2 else f"tuple of {len(output)}"
            noted["returns"] = f"it returns a {kind}; expected the output alone"
            output = output[0]
        if not isinstance(output, torch.Tensor):
            raise TypeError(f"it returns {type(output).__name__}; expected a tensor")
        if output.dtype != queries.dtype:
            noted[queries.dtype] = f"it returns {output.dtype} for {queries.dtype}"
            output = output.to(queries.dtype)
        return output

    return call


def compare(attention, expected, when, q, k, v, mask):
    """A complaint, in a list, if the output for these inputs is another one."""
    tolerance = 1e-4 if q.dtype == torch.float32 else 0.05
    complaints = []
    with noting(complaints, when):
        if not same(attention(q, k, v, mask), expected, tolerance):
            complaints.append(f"the output changes {when}")
    return complaints


def examine_alone(attention, q, k, v, mask):
    """Step 2: do a query, a sequence and a head get the same in all company?"""
    output = attention(q, k, v, mask)  # (B, H, n, d)
    B, H = output.shape[:2]
    last = q[:, :, -1:], k, v, mask[:, :, -1:]
    when = "for the last query alone, as with a cache"
    complaints = compare(attention, output[:, :, -1:], when, *last)
    for b in range(B):
        alone = [x[b : b + 1] for x in (q, k, v, mask)]
        when = f"for sequence {b} alone"
        complaints += compare(attention, output[b : b + 1], when, *alone)
    for h in range(H):
        heads = [h] * H  # head h in place of every head
        alone = [x[:, heads] for x in (q, k, v, mask)]
        when = f"of head {h} when other heads change"
        complaints += compare(attention, output[:, heads], when, *alone)
    return complaints


def examine_half(attention, q, k, v, mask):
    """Step 3: do 16 bits, a layer's layout and large scores change nothing?"""
    output = attention(q, k, v, mask)  # (B, H, n, d)
    half = q.half(), k.half(), v.half(), mask
    brain = q.bfloat16(), k.bfloat16(), v.bfloat16(), mask
    inputs = q, k, v, mask
    split = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in inputs]
    complaints = compare(attention, output, "in half precision", *half)
    complaints += compare(attention, output, "in bfloat16", *brain)
    complaints += compare(attention, output, "in the layout of a layer", *split)
    columns = [x.mT.contiguous().mT for x in inputs]
    complaints += compare(attention, output, "in the layout of columns", *columns)
    one_k, one_v = [x[:, :1].expand(x.shape) for x in (k, v)]  # without a copy
    same_k, same_v = one_k.contiguous(), one_v.contiguous()
    expected = attention(q, same_k, same_v, mask)
    when = "when all heads share one key in memory"
    complaints += compare(attention, expected, when, q, one_k, one_v, mask)
    m, d = k.shape[2:]
    size = 256 / d ** (3 / 8)  # so that q . k is some 65,536 * d ** (1 / 4)
    q = torch.full_like(q, size)
    k = torch.full_like(k, size) + torch.arange(m)[:, None]  # no two are alike
    last = (mask * torch.arange(m)).argmax(dim=-1, keepdim=True)  # has all weight
    expected = v.gather(2, last.expand(q.shape))  # (B, H, n, d)
    complaints += compare(attention, expected, "for large scores", q, k, v, mask)
    when = "for large scores in half precision"
    with noting(complaints, when):
        exact = attention(q, k, v, mask)
        half = q.half(), k.half(), v.half(), mask
        complaints += compare(attention, exact, when, *half)
    return complaints


def examine_forms(attention, q, k, v, mask):
    """Step 3: do other masks, more keys and another order change nothing?"""
    output = attention(q, k, v, mask)  # (B, H, n, d)
    expected = attention(q, k, v, torch.ones_like(mask))
    complaints = compare(attention, expected, "without a mask", q, k, v, None)
    B, H, n, m = mask.shape
    small_masks = [mask[0, 0], mask[0], torch.ones_like(mask[..., :1])]
    for b, h, i in itertools.product((1, B), (1, H), (1, n)):
        small_masks.append(mask[:b, :h, :i])
    for small in small_masks:
        expected = attention(q, k, v, small.expand(mask.shape))
        when = f"with a mask {(*small.shape,)}"
        findings = compare(attention, expected, when, q, k, v, small)
        if small.dim() == 3 or small.shape[-1] == 1:  # it may be refused
            findings = [complaint for complaint in findings if "fails" not in complaint]
        complaints += findings
    more_k = F.pad(k, (0, 0, n, 0), value=1e6)  # n more keys
    more_v = F.pad(v, (0, 0, n, 0), value=1e6)
    more = q, more_k, more_v, F.pad(mask, (n, 0))  # all of them masked
    complaints += compare(attention, output, "when masked keys are added", *more)
    turned = q, k.flip(2), v.flip(2), mask.flip(3)
    complaints += compare(attention, output, "when the keys change places", *turned)
    wide_v, wide = [torch.cat([x, x], dim=3) for x in (v, output)]
    when = "with values wider than the keys"
    findings = compare(attention, wide, when, q, k, wide_v, mask)
    # A function may refuse wider values, but not answer wrongly.
    complaints += [complaint for complaint in findings if "fails" not in complaint]
    q, mask, twice = [torch.cat([x, x], dim=2) for x in (q, mask, output)]
    when = "with more queries than keys"
    return complaints + compare(attention, twice, when, q, k, v, mask)


def examine_gradients(attention, q, k, v, mask):
    """Step 4: do gradients arrive, also beside a query that has no key?"""
    empty = ~mask.any(dim=-1)  # (B, H, n)
    complaints = []
    with noting(complaints, "for a query without a key"):
        if attention(q, k, v, mask)[empty].any():
            complaints.append("a query without a key doesn't get 0")
    if complaints:
        mask = mask | empty[..., None]  # let it see all keys from here on
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    when = "when gradients are asked for"
    with noting(complaints, when):
        with torch.no_grad():
            expected = attention(q, k, v, mask)  # (B, H, n, d)
        complaints += compare(attention, expected, "without no_grad", q, k, v, mask)
        output = attention(*leaves, mask)  # (B, H, n, d)
        if not same(output, expected):
            complaints.append(f"the output changes {when}")
        if output.requires_grad:
            output[~empty].sum().backward()
        for name, leaf in zip(["queries", "keys", "values"], leaves):
            if leaf.grad is None or not leaf.grad.any():
                complaints.append(f"no gradient reaches the {name}")
            elif leaf.grad.isnan().any():
                complaints.append(f"the gradient of the {name} is nan")
    return complaints


def examine_first(attention, q, k, v, mask):
    """What ends the examination: a list of one complaint, or an empty one."""
    copies = [x.clone() for x in (q, k, v, mask)]
    complaints = []
    with noting(complaints, f"with {q.shape[2]} queries and {k.shape[2]} keys"):
        output = attention(q, k, v, mask)  # (B, H, n, d)
        if output.shape != q.shape:
            shapes = f"{(*output.shape,)}; expected {(*q.shape,)}"
            complaints.append(f"the output has shape {shapes}")
        elif output.isnan().any():
            complaints.append("the output is nan, although every query has a key")
        elif not all(map(torch.equal, copies, [q, k, v, mask])):
            complaints.append("an input is changed in place")
        elif not same(attention(q, k, v, mask), output):
            complaints.append("a second call gives another output; is dropout on?")
    return complaints


def ruled(rule, B, H, n, m):
    """The mask of a layer's own rule, for every sequence and head."""
    mask = rule(n, m)
    checks.tensor("rule(n, m)", mask, {torch.bool}, "torch.bool, True = may attend")
    return mask.expand(B, H, n, m)


def average(q, k, v, mask, scale):
    """The output (B, H, n, d) by the formula, with scores of this scale."""
    scores = scale * q @ k.mT / math.sqrt(q.shape[-1])  # (B, H, n, m)
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    return weights.nan_to_num() @ v


def examine_sizes(attention, rule, seed, d):
    """Is the output that of the formula in other sizes, too?"""
    sizes = {  # B, H, n and m
        "with 5 queries and 5 keys": (2, 4, 5, 5),
        "with 7 queries and 5 keys": (2, 4, 7, 5),
        "with 1 query and 1 key": (2, 4, 1, 1),
        "with 5 queries and 1 key": (2, 4, 5, 1),
        "with 150 queries and 600 keys": (2, 4, 150, 600),
        "with 3 sequences": (3, 4, 5, 7),
        "with 12 heads": (2, 12, 5, 7),
    }
    q, k, v, mask = draw_inputs(seed, d)
    if rule is not None:
        mask = ruled(rule, *mask.shape)
    scale = scale_of(weights_of(attention, q, k, mask), q, k, mask)
    complaints = []
    for when, (B, H, n, m) in sizes.items():
        q, k, v, mask = draw_inputs(seed + 1, d, B, H, n, m)
        if rule is not None and n > m:
            continue  # which the last n of m tokens can't be
        findings = []
        with noting(findings, when):
            if rule is not None:
                mask = ruled(rule, B, H, n, m)
            expected = average(q, k, v, mask, scale)
            findings += compare(attention, expected, when, q, k, v, mask)
            if findings and m <= d:  # the weights say more
                details = examine_weights(attention, q, k, v, mask)
                findings = [f"{when}, {complaint}" for complaint in details] or findings
        if rule is None:
            expected = average(q, k, v, torch.ones_like(mask), scale)
            none = f"without a mask, {when}"
            findings += compare(attention, expected, none, q, k, v, None)
            mask[:, :, 0] = False  # no key for the first query
            expected = average(q, k, v, mask, scale)
            half = q.half(), k.half(), v.half(), mask
            empty = f"in half precision, {when} and one query without a key"
            findings += compare(attention, expected, empty, *half)
        if H == 12:  # a function may be made for four heads
            findings = [complaint for complaint in findings if "fails" not in complaint]
        complaints += findings
    return complaints


def examine(attention, rule=None, seed=0, d=64):
    """What is wrong with an attention: a list of complaints, empty for a sound one.

    attention: a function of queries (B, H, n, d), keys and values (B, H, m, d) and
    a mask, which broadcasts to (B, H, n, m), True = may attend, or None. Returns
    (B, H, n, d), with zeros for a query that may attend to nothing.
    rule: for an attention that ignores the mask and has a rule of its own: a
    function of n and m that returns the mask (n, m) for the last n of m tokens.
    d: the width of a head, at least 7.

    Whether the gradients are the right ones, it can't know.
    """
    checks.whole_number("d", d, 7, 1_000_000)
    q, k, v, mask = draw_inputs(seed, d)
    steps = [examine_weights, examine_alone, examine_half, examine_forms]
    if rule is not None:
        mask = ruled(rule, *mask.shape)
        steps = steps[:3]  # the last gives it other masks
    noted = {}
    attention = guarded(attention, noted)
    complaints = examine_first(attention, q, k, v, mask)
    if complaints:
        return [*noted.values(), *complaints]
    for step in steps:
        with noting(complaints, f"in {step.__name__}"):
            complaints += step(attention, q, k, v, mask)
    if rule is None:
        mask[:, :, 0] = False  # no key for the first query
        mask[-1] = False  # nor in the last sequence
    complaints += examine_gradients(attention, q, k, v, mask)
    if not complaints:
        complaints += examine_sizes(attention, rule, seed, d)
    return [*noted.values(), *complaints]
