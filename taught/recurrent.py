"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

# fmt: off


import torch

from taught import checks

# chapters/22_still_regression.ipynb


def linear_attention(queries, keys, values, chunk=64):
    """Causal attention without a softmax, (22.2), in chunks; 0s for padding."""
    checks.recurrence(queries, keys, values)
    checks.whole_number("chunk", chunk, 1, 1_000_000)
    # The sums have at least 32 bits, whatever the inputs have.
    exact = torch.promote_types(queries.dtype, torch.float32)
    n = queries.shape[-2]
    S = 0.0
    outputs = []
    for start in range(0, max(n, 1), chunk):  # once, if n is 0
        q = queries[..., start : start + chunk, :].to(exact)
        k = keys[..., start : start + chunk, :].to(exact)
        v = values[..., start : start + chunk, :].to(exact)
        scores = (q @ k.mT).tril()  # inside the chunk
        output = scores @ v
        if start > 0:
            output = output + q @ S  # all earlier chunks
        outputs.append(output)
        S = S + k.mT @ v  # (..., d, d_v)
    return torch.cat(outputs, dim=-2).to(values.dtype)


def delta_rule(queries, keys, values, rates, chunk=64):
    """The delta rule, (22.3), in chunks; a rate of 0 leaves a token out."""
    checks.recurrence(queries, keys, values, rates)
    checks.whole_number("chunk", chunk, 1, 1_000_000)
    exact = torch.promote_types(queries.dtype, torch.float32)
    n = queries.shape[-2]
    no_keys = keys[..., :0, :].to(exact)
    no_values = values[..., :0, :].to(exact)
    S = no_keys.mT @ no_values  # (..., d, d_v): zeros
    outputs = []
    for start in range(0, max(n, 1), chunk):  # once, if n is 0
        q = queries[..., start : start + chunk, :].to(exact)
        k = keys[..., start : start + chunk, :].to(exact)
        v = values[..., start : start + chunk, :].to(exact)
        rate = rates[..., start : start + chunk, None].to(exact)  # a column
        overlap = rate * (k @ k.mT).tril(-1)  # left of (22.7)
        rhs = rate * (v - k @ S)  # right of (22.7)
        identity = torch.eye(k.shape[-2], dtype=k.dtype, device=k.device)
        u = torch.linalg.solve_triangular(identity + overlap, rhs, upper=False)
        scores = (q @ k.mT).tril()
        outputs.append(q @ S + scores @ u)
        S = S + k.mT @ u
    return torch.cat(outputs, dim=-2).to(values.dtype)
