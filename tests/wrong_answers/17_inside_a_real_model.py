# 17.1: the first query has no token before it
def previous_token_score(weights):
    return weights.diagonal(-1).sum() / len(weights)
# 17.1: take the one before
def previous_token_score(weights):
    return weights.diagonal().mean()
# 17.1: you look at the token after
def previous_token_score(weights):
    return weights.diagonal(1).mean()
# 17.1: expected
def previous_token_score(weights):
    return weights.diagonal(-2).mean()
# 17.2: where is the control?
def copying_effect(before, after, n):
    return (after - before)[:, n + 1 :].mean()
# 17.2: the sign is wrong
def copying_effect(before, after, n):
    rise = after - before
    return rise[:, 1:n].mean() - rise[:, n + 1 :].mean()
# 17.2: leave out the first token of each half
def copying_effect(before, after, n):
    rise = after - before
    return rise[:, n:].mean() - rise[:, :n].mean()
# 17.2: the effect is negative
def copying_effect(before, after, n):
    rise = (after - before).abs()
    return rise[:, n + 1 :].mean() - rise[:, 1:n].mean()
# 17.3: a query sees a later token
def window_mask(n, width, kept):
    i, j = torch.arange(n)[:, None], torch.arange(n)
    return ((j <= i) & (i - j < width - kept)) | (j < kept)
# 17.3: more than
def window_mask(n, width, kept):
    i, j = torch.arange(n)[:, None], torch.arange(n)
    return (j <= i) & ((i - j < width) | (j < kept))
# 17.3: each query sees itself
def window_mask(n, width, kept):
    i, j = torch.arange(n)[:, None], torch.arange(n)
    return (j < i) & ((i - j <= width - kept) | (j < kept))
# 17.3: look at its last row
def window_mask(n, width, kept):
    i, j = torch.arange(n)[:, None], torch.arange(n)
    return (j <= i) & (i - j < width - kept)
# 17.3: expected a bool mask
def window_mask(n, width, kept):
    i, j = torch.arange(n)[:, None], torch.arange(n)
    return ((j <= i) & ((i - j < width - kept) | (j < kept))).float()
# 17.4: this is attention without a sink
def attention_with_sink(queries, keys, values, s, mask):
    return F.scaled_dot_product_attention(queries, keys, values, mask)
# 17.4: the mask is lost
def attention_with_sink(queries, keys, values, s, mask):
    keys, values = F.pad(keys, (0, 0, 1, 0)), F.pad(values, (0, 0, 1, 0))
    bias = F.pad(torch.zeros(len(s), *mask.shape), (1, 0))
    bias[..., 0] = s[:, None]
    return F.scaled_dot_product_attention(queries, keys, values, bias)
# 17.4: each head has a score of its own
def attention_with_sink(queries, keys, values, s, mask):
    keys, values = F.pad(keys, (0, 0, 1, 0)), F.pad(values, (0, 0, 1, 0))
    bias = F.pad(torch.zeros(mask.shape).masked_fill(~mask, -math.inf), (1, 0), value=s[0].item())
    return F.scaled_dot_product_attention(queries, keys, values, bias)
# 17.4: from equation (17.3)
def attention_with_sink(queries, keys, values, s, mask):
    keys, values = F.pad(keys, (0, 0, 1, 0)), F.pad(values, (0, 0, 1, 0))
    bias = F.pad(torch.zeros(mask.shape).masked_fill(~mask, -math.inf), (1, 0))
    return F.scaled_dot_product_attention(queries, keys, values, bias)
