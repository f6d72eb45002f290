# 18.1: you have changed the weights
# in the solution: weights.clone() => weights
# 18.1: this is the value 0
# in the solution: / left.clamp(min=1e-12) =>
# 18.1: nan where the key had all the weight
# in the solution: .clamp(min=1e-12) =>
# 18.1: a second softmax
# in the solution: others / left.clamp(min=1e-12) => others.softmax(dim=-1)
# 18.1: off by up to
# in the solution: others[..., key] => others[..., key, :]
# 18.2: this is attention without a sink
# in the solution: s[:, None] => -math.inf
# 18.2: the mask is lost
# in the solution: .masked_fill(~mask, -math.inf) =>
# 18.2: each head has a score of its own
# in the solution: s[:, None] => s[0]
# 18.2: from equation (18.1)
# in the solution: bias[..., 0] = s[:, None] =>
# 18.3: a query sees a later token
# in the solution: (j <= i) & ((i - j < width - kept) | (j < kept)) => (j <= i) & (i - j < width - kept) | (j < kept)
# 18.3: more than
# in the solution: width - kept => width
# 18.3: each query sees itself
# in the solution: j <= i => j < i
# in the solution: < width => <= width
# 18.3: look at its last row
# in the solution: | (j < kept) =>
# 18.3: expected a bool mask
# in the solution: (j <= i) => (j <= i).long()
# 18.4: this is the faulty version
def mended(queries, keys, values, mask, factor):
    d = queries.shape[-1]
    first = queries[..., : d // 2] @ keys[..., : d // 2].mT
    second = queries[..., d // 2 :] @ keys[..., d // 2 :].mT
    scores = (first - factor * second) / math.sqrt(d)
    return masked_softmax(scores, mask) @ values
# 18.4: you subtract scores
# in the solution: masked_softmax(first, mask) - factor * masked_softmax(second, mask) => masked_softmax(first - factor * second, mask)
# 18.4: the divisor is that of 8
# in the solution: math.sqrt(half) => math.sqrt(2 * half)
# 18.4: both maps need the mask
# in the solution: factor * masked_softmax(second, mask) => factor * masked_softmax(second)
# 18.4: needn't sum to 1
# in the solution: return weights @ values => return weights / weights.sum(dim=-1, keepdim=True) @ values
# 18.4: a weight may be negative
# in the solution: return weights @ values => return weights.clamp(min=0) @ values
# 18.4: the halves are swapped
# in the solution: masked_softmax(first, mask) - factor * masked_softmax(second, mask) => masked_softmax(second, mask) - factor * masked_softmax(first, mask)
# 18.4: from equation (18.4)
# in the solution: - factor * masked => + factor * masked
# 18.4: expected a tensor of shape
# in the solution: return weights @ values => return (weights @ values).sum(dim=0)
