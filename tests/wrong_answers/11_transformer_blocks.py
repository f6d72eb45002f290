# 11.3: you say 'pre-norm'; expected 'post-norm'
def order(block): return "pre-norm"
# 11.3: you say 'post-norm'; expected 'neither' for this block: the norm of what the sublayer adds
def order(block): return "pre-norm" if block.norm_first else "post-norm"
# 11.3: for this block: its norms are swapped
# in the solution: nn.init.normal_(parameter, std=0.3) => pass
# 11.1: 36 tokens in 8 steps; which of them are new to the cache?
# in the solution: written[:, -1:] => written
# in the solution: logits.argmax => logits[:, -1:].argmax
# 11.1: everything is computed again
# in the solution: written[:, -1:], memory, src, cache => written, memory, src
# in the solution: logits.argmax => logits[:, -1:].argmax
# 11.1: is it the same cache
# in the solution: src, cache => src, Cache()
# 11.1: the source is encoded 9 times
# in the solution: memory, src => model.encode(src), src
# 11.1: your result has shape (3, 7)
def write_cached(model, src, start, steps): return src
# 11.2: you say 'encoder' for a model in which 'cross' is missing
# in the solution: return "cross" => return "encoder"
# 11.2: you say 'decoder' for a model in which 'none' is missing
# in the solution: other[:, :3], logits[:, :3] => other, logits
# 11.2: you say 'none' for a model in which 'encoder' is missing
# in the solution: torch.tensor([[3, 1, 6, 5, 0, 0, 0]]) => src
