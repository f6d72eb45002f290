# 11.3: you say 'pre-norm'; expected 'post-norm'
def order(block): return "pre-norm"
# 11.3: you say 'post-norm'; expected 'neither' for this block: the norm of what the sublayer adds
def order(block): return "pre-norm" if "pre" in block.way else "post-norm"
# 11.3: for this block: its norms are swapped
# in the solution: nn.init.normal_(parameter, std=0.3) => pass
# 11.1: the norm after the blocks
# in the solution: + 2 * D + output => + output
# 11.1: the biases, or the betas of the norms
def parameters(V, D, F, N):
    return 2 * V * D + N * (4 * D * D + 2 * D * F + 2 * D) + D
# 11.1: one of the four matrices of each attention
# in the solution: 4 * (D * D + D) => 3 * D * D + 4 * D
# 11.1: the norms in the blocks
# in the solution: norms = 2 * 2 * D => norms = 0
# 11.1: the embedding, or the weights of the output layer
# in the solution: embedding = V * D => embedding = 0
# 11.2: you say 'encoder' for a model in which 'cross' is missing
# in the solution: return "cross" => return "encoder"
# 11.2: you say 'decoder' for a model in which 'none' is missing
# in the solution: other[:, :3], logits[:, :3] => other, logits
# 11.2: you say 'none' for a model in which 'encoder' is missing
# in the solution: torch.tensor([[3, 1, 6, 5, 0, 0, 0]]) => src
