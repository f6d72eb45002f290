# 14.1: questions answered; a better pair answers all
def two_words(before): return before[-2], before[-1]
# 14.1: isn't a tuple of two words
def two_words(before): return "voient", before[-1]
# 14.2: 1 layer norms are left
# in the solution: self.norm = RMSNorm(d_model) =>
# 14.2: 0 of the 2 feed-forward networks are a SwiGLU
# in the solution: block.ffn = SwiGLU(d_model, 2 * d_hidden // 3) =>
# 14.2: the positional encoding is still added
# in the solution: self.embedding(tokens) => self.positions(self.embedding(tokens))
# 14.2: the mask is missing
# in the solution: causal_mask(tokens.shape[1], 0, tokens.device) => None
# 14.2: turn queries and keys, not values
# in the solution: self.split(self.W_v(values)) => rotate(self.split(self.W_v(values)))
# 14.2: order of earlier tokens makes no difference
# in the solution: rotate(self.split => (self.split
# 14.2: turn both queries and keys
# in the solution: rotate(self.split(self.W_q(queries))) => self.split(self.W_q(queries))
# 14.2: rotate after the split, not before
# in the solution: rotate(self.split( => self.split(rotate(
# 14.2: look at the hidden width
# in the solution: 2 * d_hidden // 3 => d_hidden
# 14.3: get below 3.1
def sprint(): return new_model(len(letters)).eval()
# 14.3: has the model been trained on it
# in the solution: , kind=ModernModel =>
# in the solution: book), 150 => chapter_12), 80
# 14.3: call eval()
# in the solution: kind=ModernModel => dropout=0.1
# in the solution: 150 => 2
# in the solution: return runner => return runner.train()
# 14.3: tokens of training; at most 76,800
# in the solution: kind=ModernModel => d_model=16
# in the solution: 150, batch=8 => 130, batch=16
# 14.3: the model sees what it predicts
def sprint():
    class Looking(LanguageModel):
        def forward(self, tokens, cache=None):
            x = self.positions(self.embedding(tokens))
            for block in self.blocks:
                x = block(x)
            return self.output(self.norm(x))
    return new_model(len(letters), kind=Looking).eval()
