# 18.1: the queries see later keys
def causal_blocks(queries, keys, values, block):
    return blockwise_attention(queries, keys, values, None, block)
# 18.1: differs from masked attention
def causal_blocks(queries, keys, values, block):
    n, outputs = queries.shape[-2], []
    for start in range(0, n, block):
        part = queries[..., start : start + block, :]
        mask = causal_mask(block).expand(block, block)
        seen = keys[..., start : start + block, :], values[..., start : start + block, :]
        outputs.append(blockwise_attention(part, *seen, mask, block))
    return torch.cat(outputs, dim=-2)
# 18.1: 36 are enough
def causal_blocks(queries, keys, values, block):
    n = queries.shape[-2]
    return blockwise_attention(queries, keys, values, causal_mask(n), block)
# 18.1: so that the blocks can be counted
def causal_blocks(queries, keys, values, block):
    return DotProductAttention()(queries, keys, values, causal_mask(queries.shape[-2]))
# 18.1: the shape of the queries
def causal_blocks(queries, keys, values, block):
    return blockwise_attention(queries, keys, values)[..., :block, :]
# 18.2: a key of its own
def counts(held, new, window): return min(held, window - 1) + new, min(held + new, window)
# 18.2: would miss one
def counts(held, new, window): return min(held, window - 1) + new, min(held + new, window - 2)
# 18.2: you keep
def counts(held, new, window): return min(held, window - 1) + new, held + new
# 18.2: the first new token
def counts(held, new, window): return min(held + new, window), min(held + new, window - 1)
# 18.2: you give
def counts(held, new, window): return held + new, min(held + new, window - 1)
# 18.3: 4d operations
def crossover(parameters, layers, heads, groups, d, bits):
    return 2 * parameters / (2 * d * heads * layers), parameters / (2 * d * groups * layers)
# 18.3: keys and values
def crossover(parameters, layers, heads, groups, d, bits):
    return 2 * parameters / (4 * d * heads * layers), parameters / (d * groups * layers)
# 18.3: not of all heads
def crossover(parameters, layers, heads, groups, d, bits):
    return 2 * parameters / (4 * d * heads * layers), parameters / (2 * d * heads * layers)
# 18.3: expected about
def crossover(parameters, layers, heads, groups, d, bits):
    return parameters / (4 * d * heads * layers), parameters / (2 * d * groups * layers)
# 18.4: scores rise
def mended(scores, values, block):
    top, total, output = -math.inf, 0.0, 0.0
    for start in range(0, len(scores), block):
        s = scores[start : start + block]
        new_top = max(top, s.max().item())
        weights = (s - new_top).exp()
        total = total * math.exp(top - new_top) + weights.sum()
        output = output + weights @ values[start : start + block]
        top = new_top
    return output / total
# 18.4: inf or nan
def mended(scores, values, block):
    return scores.exp() @ values / scores.exp().sum()
