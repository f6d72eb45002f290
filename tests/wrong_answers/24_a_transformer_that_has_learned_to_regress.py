# 24.1: wanted their roots
# in the solution: variance.sqrt() => variance
# 24.1: where is the noise
def uncertainty(queries, keys):
    weights = best_weights(queries, keys, noise=1e-3)
    return (1 - (weights * kernel(queries, keys)).sum(dim=-1)).clamp(min=0).sqrt()
# 24.1: the curve itself varies by 1
def uncertainty(queries, keys):
    return (best_weights(queries, keys) * kernel(queries, keys)).sum(dim=-1).sqrt()
# 24.1: but not three
def uncertainty(queries, keys):
    return (1 - kernel(queries, keys).square().sum(dim=-1) / 1.04).clamp(min=0).sqrt()
# 24.1: expected (3,)
# in the solution: weights * c).sum(dim=-1) => weights * c)
# 24.2: a weighted mean can't notice them
# in the solution: [keys, keys] => [keys, keys.flip(1)]
# 24.2: is it in the context
# in the solution: [first, second] => [first, first]
# 24.2: measured twice, (24.3) errs by
def twice(estimate, second):
    keys, first, queries, heights = measured
    mean = (first + second) / 2
    return error(estimate(queries, keys, mean), heights).item()
