"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

import torch

# chapters/21_the_attention_clinic.ipynb


def draw_inputs(seed=0, d=64):
    """Queries, keys, values, and a mask that leaves each query a key."""
    B, H, n, m = 2, 4, 5, 7
    generator = torch.Generator().manual_seed(seed)
    queries = torch.randn(B, H, n, d, generator=generator)
    keys = torch.randn(B, H, m, d, generator=generator)
    values = torch.randn(B, H, m, d, generator=generator)
    mask = torch.rand(B, H, n, m, generator=generator) < 0.5
    mask = mask | torch.eye(n, m, dtype=torch.bool)
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


def examine_weights(attention, q, k, v, mask):
    """Step 1: is each output an average of the values of the allowed keys?"""
    output = attention(q, k, v, mask)  # (B, H, n, d)
    weights = weights_of(attention, q, k, mask)  # (B, H, n, m)
    average = weights @ v  # (B, H, n, d)
    sums = weights.sum(dim=-1)  # (B, H, n)
    large = weights_of(attention, 1000 * q, k, mask).sum(dim=-1)
    one = torch.ones_like(sums)
    findings = {
        "masked keys have a weight": weights[~mask].any(),
        "allowed keys have no weight": not weights[mask].all(),
        "some weights are negative": weights.min() < 0,
        "the weights don't add up to 1": not same(sums, one),
        "the output isn't the weights times the values": not same(average, output),
        "the weights of large scores don't add up to 1": not same(large, one),
    }
    return [complaint for complaint, found in findings.items() if found]


def compare(attention, expected, when, q, k, v, mask, tolerance=1e-4):
    """A complaint, in a list, if the output for these inputs is another one."""
    try:
        found = attention(q, k, v, mask)
    except Exception as error:
        return [f"it fails {when}: {error}"]
    if not same(found, expected, tolerance):
        return [f"the output changes {when}"]
    return []


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
    """Step 3: is the output the same in half precision, also for large scores?"""
    q, k, v = 10 * q.half(), k.half(), v.half()
    exact = attention(q.float(), k.float(), v.float(), mask)
    return compare(attention, exact, "in half precision", q, k, v, mask, 0.05)


def examine_forms(attention, q, k, v, mask):
    """Step 3: do other masks, more keys and another order change nothing?"""
    output = attention(q, k, v, mask)  # (B, H, n, d)
    everything = torch.ones_like(mask)
    complaints = []
    largest = weights_of(attention, q, k, everything).amax(dim=-1).mean()
    if largest > 0.6:  # about 0.4 for scores with a variance of 1
        complaints += [f"the largest weight is {largest:.2f}; is the scale right?"]
    expected = attention(q, k, v, everything)
    complaints += compare(attention, expected, "without a mask", q, k, v, None)
    for small in (mask[0, 0], mask[:, :1], mask[:, :1, :1]):
        expected = attention(q, k, v, small & everything)
        when = f"with a mask {(*small.shape,)}"
        complaints += compare(attention, expected, when, q, k, v, small)
    huge = torch.full_like(q, 1e6)  # n more keys and values, all masked
    more_k = torch.cat([huge, k], dim=2)
    more_v = torch.cat([huge, v], dim=2)
    more_mask = torch.cat([~everything[..., : q.shape[2]], mask], dim=3)
    when = "when masked keys are added"
    complaints += compare(attention, output, when, q, more_k, more_v, more_mask)
    turned = q, k.flip(2), v.flip(2), mask.flip(3)
    when = "when the keys change places"
    return complaints + compare(attention, output, when, *turned)


def examine_gradients(attention, q, k, v, mask):
    """Step 4: do gradients arrive, also beside a query that has no key?"""
    empty = ~mask.any(dim=-1)  # (B, H, n)
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    output = attention(*leaves, mask)
    complaints = []
    if output[empty].any():
        complaints.append("a query without a key doesn't get 0")
    if not output.requires_grad:
        return complaints + ["no gradient reaches the inputs"]
    output[~empty].sum().backward()
    for name, leaf in zip(["queries", "keys", "values"], leaves):
        if leaf.grad is None or not leaf.grad.any():
            complaints.append(f"no gradient reaches the {name}")
        elif leaf.grad.isnan().any():
            complaints.append(f"the gradient of the {name} is nan")
    return complaints


def examine_first(attention, q, k, v, mask):
    """What ends the examination: a list of one complaint, or an empty one."""
    n, m = q.shape[2], k.shape[2]
    copies = [q.clone(), k.clone(), v.clone(), mask.clone()]
    try:
        output = attention(q, k, v, mask)  # (B, H, n, d)
    except Exception as error:
        return [f"it fails with {n} queries and {m} keys: {error}"]
    if output.shape != q.shape:
        return [f"the output has shape {(*output.shape,)}; expected {(*q.shape,)}"]
    if output.isnan().any():
        return ["the output is nan, although every query has a key"]
    for before, after in zip(copies, [q, k, v, mask]):
        if not torch.equal(before, after):
            return ["an input is changed in place"]
    if not same(attention(q, k, v, mask), output):
        return ["a second call gives another output; is dropout on?"]
    return []


def examine(attention, rule=None, seed=0, d=64):
    """What is wrong with an attention: a list of complaints, empty for a sound one.

    attention: a function of queries (B, H, n, d), keys and values (B, H, m, d) and
    a mask, which broadcasts to (B, H, n, m), True = may attend, or None. Returns
    (B, H, n, d), with zeros for a query that may attend to nothing. It is called
    with several B, n and m, with H = 4, in float32 and once in float16.
    rule: for an attention that ignores the mask and has a rule of its own, such as
    a causal window: a function of n and m that returns the mask (n, m) of the
    rule. Its n queries are the last of m tokens.
    d: the width of a head, at least 7. A smaller one raises `ValueError`.

    An empty list means that every output is an average of values, with weights that
    add up to 1 over the keys allowed. Whether the scores are the right ones, or the
    gradients, or the mask that you pass, it can't know.
    """
    if d < 7:
        raise ValueError(f"d is {d}; expected 7 or more")
    q, k, v, mask = draw_inputs(seed, d)
    n, m = mask.shape[2:]
    if rule is not None:
        mask = rule(n, m).expand(mask.shape)
    complaints = examine_first(attention, q, k, v, mask)
    if complaints:
        return complaints
    complaints += examine_weights(attention, q, k, v, mask)
    complaints += examine_alone(attention, q, k, v, mask)
    complaints += examine_half(attention, q, k, v, mask)
    if rule is None:
        complaints += examine_forms(attention, q, k, v, mask)
        mask[:, :, 0] = False  # no key for the first query
    else:
        square = rule(n, n).expand(*mask.shape[:3], n)  # as when a prompt is read
        if weights_of(attention, q, k[:, :, :n], square)[~square].any():
            complaints += ["with n queries and n keys, masked keys have a weight"]
    return complaints + examine_gradients(attention, q, k, v, mask)
