# 11.1: that is pre-norm
def swapped(block, x): return block(x)
# 11.1: the last norm is missing
def swapped(block, x):
    x = block.norm1(x + block.attention(x, x, x))
    return x + block.ffn(x)
# 11.1: you normalise what a part gives
def swapped(block, x):
    x = x + block.norm1(block.attention(x, x, x))
    return x + block.norm2(block.ffn(x))
# 11.1: which norm stands behind which sum?
def swapped(block, x):
    x = block.norm2(x + block.attention(x, x, x))
    return block.norm1(x + block.ffn(x))
# 11.2: 36 tokens in 8 steps; which of them are new to the cache?
def greedy(model, src, start, steps):
    memory, cache = model.encode(src), {}
    written = torch.full((len(src), 1), start)
    for _ in range(steps):
        logits = model.decode(written, memory, src, cache)
        written = torch.cat([written, logits[:, -1:].argmax(-1)], dim=1)
    return written
# 11.2: everything is computed again
def greedy(model, src, start, steps):
    memory, written = model.encode(src), torch.full((len(src), 1), start)
    for _ in range(steps):
        logits = model.decode(written, memory, src)
        written = torch.cat([written, logits[:, -1:].argmax(-1)], dim=1)
    return written
# 11.2: is it the same cache
def greedy(model, src, start, steps):
    memory, written = model.encode(src), torch.full((len(src), 1), start)
    for _ in range(steps):
        logits = model.decode(written[:, -1:], memory, src, {})
        written = torch.cat([written, logits.argmax(-1)], dim=1)
    return written
# 11.2: the source is encoded 8 times
def greedy(model, src, start, steps):
    cache, written = {}, torch.full((len(src), 1), start)
    for _ in range(steps):
        logits = model.decode(written[:, -1:], model.encode(src), src, cache)
        written = torch.cat([written, logits.argmax(-1)], dim=1)
    return written
# 11.2: your result has shape (3, 7)
def greedy(model, src, start, steps): return src
# 11.3: two parameters
def tie(model):
    model.output.weight.data.copy_(model.target.weight.data)
    return model
# 11.3: the logits have a standard deviation of
def tie(model):
    model.output.weight = model.target.weight
    return model
# 11.3: two parameters
def tie(model): return model
# 11.3: 5760 parameters fewer; wanted 3200
def tie(model):
    model.output.weight = model.target.weight
    model.source = model.target
    return nn.init.normal_(model.target.weight, std=0.125) is None or model
# 11.4: where is the mask?
def language_model(tokens, embedding, places, blocks, norm, output):
    x = places(embedding(tokens))
    for block in blocks:
        x = block(x)
    return output(norm(x))
# 11.4: are places, all blocks and the norm used?
def language_model(tokens, embedding, places, blocks, norm, output):
    x = embedding(tokens)
    for block in blocks:
        x = block(x, causal_mask(tokens.shape[1]))
    return output(norm(x))
# 11.4: your logits have shape (2, 7, 16)
def language_model(tokens, embedding, *parts): return embedding(tokens)
