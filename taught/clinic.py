"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

import torch

# chapters/20_the_attention_clinic.ipynb


def same(a, b, tolerance=1e-4):
    """Whether two tensors agree, up to rounding. A nan agrees with nothing."""
    if a.shape != b.shape:
        return False
    return torch.allclose(a.float(), b.float(), rtol=tolerance, atol=tolerance)


def examine(attention, rule=None, seed=0, d=64):
    """What is wrong with an attention: a list of complaints, empty for a sound one.

    attention: a function of queries (B, H, n, d), keys and values (B, H, m, d) and
    a mask, which broadcasts to (B, H, n, m), True = may attend, or None. Returns
    (B, H, n, d), with zeros for a query that may attend to nothing. It is called
    with several B, n and m, with H = 4, in float32 and once in float16.
    rule: for an attention that ignores the mask and has a rule of its own, such as a
    causal window: a function of n and m that returns the mask (n, m) of this rule. Its
    n queries are the last of m tokens.
    d: the width of a head, at least 7. A smaller one raises `ValueError`.

    An empty list means that every output is an average of values, with weights that
    add up to 1 over the keys allowed. Whether the scores are the right ones, or the
    gradients, or the mask that you pass, it can't know.
    """
    B, H, n, m = 2, 4, 5, 7  # all different, so that a wrong axis shows
    if d < m:
        raise ValueError(f"d is {d}; expected {m} or more")
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(B, H, n, d, generator=generator)
    k = torch.randn(B, H, m, d, generator=generator)
    v = torch.randn(B, H, m, d, generator=generator)
    if rule is None:
        mask = torch.rand(B, H, n, m, generator=generator) < 0.5
        mask = mask | torch.eye(n, m, dtype=torch.bool)  # a key for every query
    else:
        mask = rule(n, m).expand(B, H, n, m)
    complaints = []

    def expect(expected, when, q, k, v, mask, tolerance=1e-4):
        """Complain if the output for these inputs is another one."""
        try:
            found = attention(q, k, v, mask)
        except Exception as error:
            complaints.append(f"it fails {when}: {error}")
            return
        if not same(found, expected, tolerance):
            complaints.append(f"the output changes {when}")

    # What would spoil all that follows ends the examination.
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

    # If the values are the rows of an identity matrix, the outputs are the weights.
    identity = torch.eye(m, d).expand(B, H, m, d)
    weights = attention(q, k, identity, mask)[..., :m]  # (B, H, n, m)
    if weights[~mask].any():
        complaints.append("masked keys have a weight")
    if not weights[mask].all():
        complaints.append("allowed keys have no weight")
    if weights.min() < 0:
        complaints.append("some weights are negative")
    if not same(weights.sum(dim=-1), torch.ones(B, H, n)):
        complaints.append("the weights don't add up to 1")
    if not same(weights @ v, output):
        complaints.append("the output isn't the weights times the values")
    sums = attention(1000 * q, k, identity, mask).sum(dim=-1)  # (B, H, n)
    if not same(sums, torch.ones(B, H, n)):
        complaints.append("the weights of large scores don't add up to 1")

    # The same question in another form has the same answer.
    last = [q[:, :, -1:], k, v, mask[:, :, -1:]]
    expect(output[:, :, -1:], "for the last query alone, as with a cache", *last)
    for b in range(B):
        alone = [q[b : b + 1], k[b : b + 1], v[b : b + 1], mask[b : b + 1]]
        expect(output[b : b + 1], f"for sequence {b} alone", *alone)
    for h in range(H):
        heads = [h] * H  # head h in place of every head
        alone = [q[:, heads], k[:, heads], v[:, heads], mask[:, heads]]
        expect(output[:, heads], f"of head {h} when other heads change", *alone)
    half = [10 * q.half(), k.half(), v.half(), mask]  # with large scores
    exact = attention(half[0].float(), half[1].float(), half[2].float(), mask)
    expect(exact, "in half precision", *half, tolerance=0.05)
    if rule is None:
        everything = torch.ones_like(mask)
        largest = attention(q, k, identity, everything).amax(dim=-1).mean()
        if largest > 0.6:  # about 0.4 for scores with a variance of 1
            complaints.append(
                f"the largest weight is {largest:.2f}; is the scale right?"
            )
        expect(attention(q, k, v, everything), "without a mask", q, k, v, None)
        for small in (mask[0, 0], mask[:, :1], mask[:, :1, :1]):
            expected = attention(q, k, v, small & everything)
            expect(expected, f"with a mask {(*small.shape,)}", q, k, v, small)
        huge = torch.full_like(q, 1e6)  # as n more keys and values
        more_k = torch.cat([huge, k], dim=2)
        more_v = torch.cat([huge, v], dim=2)
        more_mask = torch.cat([~everything[..., :n], mask], dim=3)
        expect(output, "when masked keys are added", q, more_k, more_v, more_mask)
        turned = [q, k.flip(2), v.flip(2), mask.flip(3)]
        expect(output, "when the keys change places", *turned)
    else:
        square = rule(n, n)  # as when a prompt is read
        weights = attention(q, k[:, :, :n], identity[:, :, :n], square)[..., :n]
        if weights[~square.expand(B, H, n, n)].any():
            complaints.append("with n queries and n keys, masked keys have a weight")

    # Gradients, beside a query that may attend to nothing.
    if rule is None:
        mask = mask.clone()
        mask[:, :, 0] = False
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    result = attention(*leaves, mask)
    if rule is None and result[:, :, 0].any():
        complaints.append("a query without a key doesn't get 0")
    if not result.requires_grad:
        return complaints + ["no gradient reaches the inputs"]
    result[:, :, 1:].sum().backward()
    for name, leaf in zip(["queries", "keys", "values"], leaves):
        if leaf.grad is None or not leaf.grad.any():
            complaints.append(f"no gradient reaches the {name}")
        elif leaf.grad.isnan().any():
            complaints.append(f"the gradient of the {name} is nan")
    return complaints
