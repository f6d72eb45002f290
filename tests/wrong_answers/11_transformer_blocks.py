# 11.1: you find a leak in a block that has none
def leaks(block): return True
# 11.1: this fault: no mask
def leaks(block): return False
# 11.1: this fault: one token too far
def leaks(block):
    x = torch.randn(2, 7, 16)
    changed = x.clone()
    changed[:, 6] = torch.randn(2, 16)
    return (block(changed) - block(x))[:, 0].abs().max() > 1e-5
# 11.1: this fault: the second token sees all
def leaks(block):
    x = torch.randn(2, 7, 16)
    changed = x.clone()
    changed[:, 6] = torch.randn(2, 16)
    return (block(changed) - block(x))[:, [0, 5]].abs().max() > 1e-5
# 11.1: this fault: no mask in training
def leaks(block):
    x, before = torch.randn(2, 7, 16), block.training
    block.eval()
    changed = x.clone()
    changed[:, 6] = torch.randn(2, 16)
    found = (block(changed) - block(x))[:, :6].abs().max() > 1e-5
    block.train(before)
    return found
# 11.1: in another mode than before
def leaks(block):
    x, found = torch.randn(2, 7, 16), False
    for mode in (True, False):
        block.train(mode)
        changed = x.clone()
        changed[:, 6] = torch.randn(2, 16)
        found = found or bool((block(changed) - block(x))[:, :6].abs().max() > 1e-5)
    return found
# 11.1: this fault: no mask
def leaks(block):
    x = torch.randn(2, 7, 16)
    changed = x.clone()
    changed[:, 6] += 1.0
    return (block(changed) - block(x))[:, :6].abs().max() > 1e-5
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
# 11.3: 5760 parameters fewer; expected 3200
def tie(model):
    model.output.weight = model.target.weight
    model.source = model.target
    return nn.init.normal_(model.target.weight, std=0.125) is None or model
# 11.4: where is the mask?
class Decoder(Decoder):
    def forward(self, tokens):
        x = self.positions(self.embedding(tokens))
        for block in self.blocks:
            x = block(x)
        return self.output(self.norm(x))
# 11.4: where are the positions?
class Decoder(Decoder):
    def forward(self, tokens):
        x, mask = self.embedding(tokens), causal_mask(tokens.shape[1])
        for block in self.blocks:
            x = block(x, mask)
        return self.output(self.norm(x))
# 11.4: your logits have shape (2, 7, 16)
class Decoder(Decoder):
    def forward(self, tokens): return self.embedding(tokens)
# 11.4: are all blocks and norms there?
class Decoder(Decoder):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden)
        self.norm = nn.Identity()
# 11.4: it doesn't learn to count
class Decoder(Decoder):
    def forward(self, tokens):
        return super().forward(tokens).detach() + 0 * self.output.bias
