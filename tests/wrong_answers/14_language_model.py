# 14.1: questions answered; a better pair answers all
def two_words(before):
    return before[-2], before[-1]
# 14.1: isn't a tuple of two words
def two_words(before):
    return "voient", before[-1]
# 14.1: isn't a tuple of two words
def two_words(before):
    return before[-3:]
# 14.2: 1 layer norms are left
class ModernModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        for block in self.blocks:
            block.attention = TurningAttention(d_model, num_heads, dropout)
            block.norm1, block.norm2 = RMSNorm(d_model), RMSNorm(d_model)
            block.ffn = SwiGLU(d_model, 2 * d_hidden // 3)

    def forward(self, tokens, cache=None):
        mask = causal_mask(tokens.shape[1], 0, tokens.device)
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, mask)
        return self.output(self.norm(x))


class TurningAttention(MultiHeadAttention):
    def forward(self, queries, keys, values, mask=None, need_weights=False, cache=None):
        q = rotate(self.split(self.W_q(queries)))
        k = rotate(self.split(self.W_k(keys)))
        v = self.split(self.W_v(values))
        return self.W_o(self.merge(self.attention(q, k, v, mask)))
# 14.2: 0 of the 2 feed-forward networks are a SwiGLU
class ModernModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        self.norm = RMSNorm(d_model)
        for block in self.blocks:
            block.attention = TurningAttention(d_model, num_heads, dropout)
            block.norm1, block.norm2 = RMSNorm(d_model), RMSNorm(d_model)

    def forward(self, tokens, cache=None):
        mask = causal_mask(tokens.shape[1], 0, tokens.device)
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, mask)
        return self.output(self.norm(x))


class TurningAttention(MultiHeadAttention):
    def forward(self, queries, keys, values, mask=None, need_weights=False, cache=None):
        q = rotate(self.split(self.W_q(queries)))
        k = rotate(self.split(self.W_k(keys)))
        v = self.split(self.W_v(values))
        return self.W_o(self.merge(self.attention(q, k, v, mask)))
# 14.2: the positional encoding is still added
class ModernModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        self.norm = RMSNorm(d_model)
        for block in self.blocks:
            block.attention = TurningAttention(d_model, num_heads, dropout)
            block.norm1, block.norm2 = RMSNorm(d_model), RMSNorm(d_model)
            block.ffn = SwiGLU(d_model, 2 * d_hidden // 3)

    def forward(self, tokens, cache=None):
        mask = causal_mask(tokens.shape[1], 0, tokens.device)
        x = self.positions(self.embedding(tokens))
        for block in self.blocks:
            x = block(x, mask)
        return self.output(self.norm(x))


class TurningAttention(MultiHeadAttention):
    def forward(self, queries, keys, values, mask=None, need_weights=False, cache=None):
        q = rotate(self.split(self.W_q(queries)))
        k = rotate(self.split(self.W_k(keys)))
        v = self.split(self.W_v(values))
        return self.W_o(self.merge(self.attention(q, k, v, mask)))
# 14.2: the mask is missing
class ModernModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        self.norm = RMSNorm(d_model)
        for block in self.blocks:
            block.attention = TurningAttention(d_model, num_heads, dropout)
            block.norm1, block.norm2 = RMSNorm(d_model), RMSNorm(d_model)
            block.ffn = SwiGLU(d_model, 2 * d_hidden // 3)

    def forward(self, tokens, cache=None):
        mask = None
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, mask)
        return self.output(self.norm(x))


class TurningAttention(MultiHeadAttention):
    def forward(self, queries, keys, values, mask=None, need_weights=False, cache=None):
        q = rotate(self.split(self.W_q(queries)))
        k = rotate(self.split(self.W_k(keys)))
        v = self.split(self.W_v(values))
        return self.W_o(self.merge(self.attention(q, k, v, mask)))
# 14.2: turn queries and keys, not values
class ModernModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        self.norm = RMSNorm(d_model)
        for block in self.blocks:
            block.attention = TurningAttention(d_model, num_heads, dropout)
            block.norm1, block.norm2 = RMSNorm(d_model), RMSNorm(d_model)
            block.ffn = SwiGLU(d_model, 2 * d_hidden // 3)

    def forward(self, tokens, cache=None):
        mask = causal_mask(tokens.shape[1], 0, tokens.device)
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, mask)
        return self.output(self.norm(x))


class TurningAttention(MultiHeadAttention):
    def forward(self, queries, keys, values, mask=None, need_weights=False, cache=None):
        q = rotate(self.split(self.W_q(queries)))
        k = rotate(self.split(self.W_k(keys)))
        v = rotate(self.split(self.W_v(values)))
        return self.W_o(self.merge(self.attention(q, k, v, mask)))
# 14.2: order of earlier tokens makes no difference
class ModernModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        self.norm = RMSNorm(d_model)
        for block in self.blocks:
            block.attention = TurningAttention(d_model, num_heads, dropout)
            block.norm1, block.norm2 = RMSNorm(d_model), RMSNorm(d_model)
            block.ffn = SwiGLU(d_model, 2 * d_hidden // 3)

    def forward(self, tokens, cache=None):
        mask = causal_mask(tokens.shape[1], 0, tokens.device)
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, mask)
        return self.output(self.norm(x))


class TurningAttention(MultiHeadAttention):
    def forward(self, queries, keys, values, mask=None, need_weights=False, cache=None):
        q = self.split(self.W_q(queries))
        k = self.split(self.W_k(keys))
        v = self.split(self.W_v(values))
        return self.W_o(self.merge(self.attention(q, k, v, mask)))
# 14.2: turn both queries and keys
class ModernModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        self.norm = RMSNorm(d_model)
        for block in self.blocks:
            block.attention = TurningAttention(d_model, num_heads, dropout)
            block.norm1, block.norm2 = RMSNorm(d_model), RMSNorm(d_model)
            block.ffn = SwiGLU(d_model, 2 * d_hidden // 3)

    def forward(self, tokens, cache=None):
        mask = causal_mask(tokens.shape[1], 0, tokens.device)
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, mask)
        return self.output(self.norm(x))


class TurningAttention(MultiHeadAttention):
    def forward(self, queries, keys, values, mask=None, need_weights=False, cache=None):
        q = self.split(self.W_q(queries))
        k = rotate(self.split(self.W_k(keys)))
        v = self.split(self.W_v(values))
        return self.W_o(self.merge(self.attention(q, k, v, mask)))
# 14.2: rotate after the split, not before
class ModernModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        self.norm = RMSNorm(d_model)
        for block in self.blocks:
            block.attention = TurningAttention(d_model, num_heads, dropout)
            block.norm1, block.norm2 = RMSNorm(d_model), RMSNorm(d_model)
            block.ffn = SwiGLU(d_model, 2 * d_hidden // 3)

    def forward(self, tokens, cache=None):
        mask = causal_mask(tokens.shape[1], 0, tokens.device)
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, mask)
        return self.output(self.norm(x))


class TurningAttention(MultiHeadAttention):
    def forward(self, queries, keys, values, mask=None, need_weights=False, cache=None):
        q = self.split(rotate(self.W_q(queries)))
        k = self.split(rotate(self.W_k(keys)))
        v = self.split(self.W_v(values))
        return self.W_o(self.merge(self.attention(q, k, v, mask)))
# 14.2: look at the hidden width
class ModernModel(LanguageModel):
    def __init__(self, vocab, d_model, num_heads, num_layers, d_hidden, dropout=0.0):
        super().__init__(vocab, d_model, num_heads, num_layers, d_hidden, dropout)
        self.norm = RMSNorm(d_model)
        for block in self.blocks:
            block.attention = TurningAttention(d_model, num_heads, dropout)
            block.norm1, block.norm2 = RMSNorm(d_model), RMSNorm(d_model)
            block.ffn = SwiGLU(d_model, d_hidden)

    def forward(self, tokens, cache=None):
        mask = causal_mask(tokens.shape[1], 0, tokens.device)
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, mask)
        return self.output(self.norm(x))


class TurningAttention(MultiHeadAttention):
    def forward(self, queries, keys, values, mask=None, need_weights=False, cache=None):
        q = rotate(self.split(self.W_q(queries)))
        k = rotate(self.split(self.W_k(keys)))
        v = self.split(self.W_v(values))
        return self.W_o(self.merge(self.attention(q, k, v, mask)))
# 14.3: get below 2.8
def sprint():
    return new_model(len(letters)).eval()
# 14.3: has the model been trained on it
def sprint():
    runner = new_model(len(letters))
    train_language_model(runner, as_tokens(chapter_12), 150, batch=8)
    return runner
# 14.3: call eval()
def sprint():
    runner = new_model(len(letters), dropout=0.1)
    train_language_model(runner, as_tokens(book), 2, batch=8)
    return runner.train()
# 14.3: tokens of training; at most 153,600
def sprint():
    runner = new_model(len(letters), d_model=16)
    train_language_model(runner, as_tokens(book), 260, batch=16)
    return runner
# 14.3: the model sees what it predicts
def sprint():
    class Looking(LanguageModel):
        def forward(self, tokens, cache=None):
            x = self.positions(self.embedding(tokens))
            for block in self.blocks:
                x = block(x)
            return self.output(self.norm(x))

    return new_model(len(letters), kind=Looking).eval()
