"""Wrong versions of what the pages keep: some words of the real code, and what replaces them.

definition: {what is wrong: {words: what stands in their place}}. To add one is to write one entry
here; `test_harness.py` shows that some property notices it.
"""

# fmt: off
WRONG = {
"attention_pooling": {
    "the keys in place of the values": {"weights @ values": "weights @ keys"},
    "scores over their sum": {"torch.softmax(scores, dim=-1)": "scores / scores.sum(-1, True)"},
    "exponentials without taking the maximum off": {
        "torch.softmax(scores, dim=-1)": "scores.exp() / scores.exp().sum(-1, True)"},
    "softmax over the queries": {"dim=-1": "dim=-2"},
    "scores detached": {"softmax(scores": "softmax(scores.detach()"}},
"length_mask": {
    "one key too many": {"key_numbers <": "key_numbers <="},
    "True where a key is masked": {"key_numbers <": "key_numbers >="},
    "the last keys": {
        "device=valid_lens.device)": "device=valid_lens.device).flip(0)"},
    "no axis for the queries": {"if valid_lens.dim() == 1": "if False"},
    "the first query's length for all": {"< valid_lens[..., None]": "< valid_lens[:, :1, None]"},
    "key numbers in 8 bits": {
        "device=valid_lens.device)": "device=valid_lens.device).to(valid_lens.dtype)"}},
"causal_mask": {
    "a query does not see its own key": {"diagonal=offset": "diagonal=offset - 1"},
    "the keys that come later": {"tril(": "triu("},
    "offset ignored": {"diagonal=offset": "diagonal=0"},
    "no keys before the first": {"torch.ones(n, offset + n,": "torch.ones(n, n,"},
    "numbers in place of booleans": {"dtype=torch.bool, ": ""},
    "always on the CPU": {"device=device": 'device="cpu"'}},
"masked_softmax": {
    "mask inverted": {"checks.mask(mask, scores.shape)\n    if": "if",
        "    empty =": "    mask = ~mask\n    empty ="},
    "mask only after the softmax": {"    scores = scores.masked_fill(~mask, -math.inf)\n": ""},
    "mask after the softmax, then divided by the sum": {
        "    scores = scores.masked_fill(~mask, -math.inf)\n": "",
        "return weights.masked_fill(~mask, 0.0)":
            "weights = weights * mask\n    return weights / (weights.sum(-1, True) + 1e-13)"},
    "no zeros at the end": {"return weights.masked_fill(~mask, 0.0)": "return weights"},
    "0 in place of minus infinity": {"-math.inf)": "0.0)"},
    "scores plus the logarithm of the mask": {
        "scores.masked_fill(~mask, -math.inf)": "scores + mask.to(scores.dtype).log()"},
    "-1e9 in place of minus infinity": {
        "-math.inf)": "-1e9)", "    scores = scores.masked_fill(empty, 0.0)": "    #",
        "return weights.masked_fill(~mask, 0.0)": "return weights"},
    "exponentials without taking the maximum off": {
        "    scores = scores.masked_fill(empty, 0.0)": "    scores = scores.exp()  #",
        "torch.softmax(scores, dim=-1)  # (..., n, m)":
            "scores / scores.sum(-1, True).masked_fill(empty, 1.0)"},
    "rows without a key nan in the gradient": {
        "    scores = scores.masked_fill(empty, 0.0)": "    #"},
    "a row with one masked key taken for one without a key": {"mask.any(": "mask.all("},
    "mask written into the scores": {"scores.masked_fill(": "scores.masked_fill_("},
    "scores detached": {"scores.masked_fill(~mask": "scores.detach().masked_fill(~mask"},
    "softmax over the queries": {"dim=-1)": "dim=-2)"},
    "half precision returned in float32": {
        "torch.softmax(scores, dim=-1)  #":
            "torch.softmax(scores, -1, torch.promote_types(scores.dtype, torch.float32))  #"}},
"DotProductAttention": {
    "no scale": {" / math.sqrt(d)": "", "dropout_p=p": "dropout_p=p, scale=1.0"},
    "divided by d": {
        "math.sqrt(d)": "d", "dropout_p=p": "dropout_p=p, scale=1 / queries.shape[-1]"},
    "mask ignored without weights": {"values, mask, dropout_p": "values, None, dropout_p"},
    "mask ignored with weights": {"masked_softmax(scores, mask)": "masked_softmax(scores)"},
    "masked scores lowered by 1e9": {"values, mask, dropout_p": (
        "values, mask if mask is None else ~mask * queries.new_tensor(-1e9), dropout_p")},
    "causal without a mask": {"dropout_p=p": "dropout_p=p, is_causal=mask is None"},
    "the keys in place of the values": {
        "@ values": "@ keys", "keys, values, mask, d": "keys, keys, mask, d"},
    "keys reshaped, not transposed": {"keys.mT": "keys.reshape(keys.mT.shape)"},
    "the second and third axis exchanged": {"keys.mT": "keys.transpose(1, 2)"},
    "the queries scaled in place": {
        "(queries / math.sqrt(d))": "queries.div_(math.sqrt(d))"},
    "weights returned after dropout": {
        "self.dropout(weights) @": "(weights := self.dropout(weights)) @"},
    "dropout in eval mode, with weights": {
        "self.dropout(weights": "F.dropout(weights, self.dropout.p"},
    "dropout in eval mode, without weights": {" if self.training else 0.0": ""},
    "no dropout without weights": {"dropout_p=p": "dropout_p=0.0"},
    "dropout of the scores": {
        "(scores, mask)": "(self.dropout(scores), mask)", "self.dropout(weights) @": "weights @"}},
"AdditiveAttention": {
    "three axes only": {"unsqueeze(-2)": "unsqueeze(2)", "unsqueeze(-3)": "unsqueeze(1)"},
    "squeeze of every axis of 1": {".squeeze(-1)": ".squeeze()"},
    "the query left out": {"torch.tanh(q + k)": "torch.tanh(0 * q + k)"},
    "no tanh": {"torch.tanh(q + k)": "q + k"},
    "one matrix for queries and keys": {
        "W_k = nn": "W_k = self.W_q if query_size == key_size else nn"},
    "a sum in place of w_v": {
        "self.w_v(torch.tanh(q + k)).squeeze(-1)": "torch.tanh(q + k).sum(-1)"},
    "a bias": {"num_hiddens, bias=False": "num_hiddens"},
    "w_v not registered": {
        "nn.Linear(num_hiddens, 1, bias=False)": "[nn.Linear(num_hiddens, 1, bias=False)]",
        "self.w_v(": "self.w_v[0]("},
    "mask ignored": {"masked_softmax(scores, mask)": "masked_softmax(scores)"},
    "dropout of the output": {"self.dropout(weights) @ values": "self.dropout(weights @ values)"}},
"MultiHeadAttention": {
    "split without transpose": {
        "(B, n, H, D // H)": "(B, H, n, D // H)",
        "return x.transpose(1, 2)": "return x"},
    "split and merged without transpose": {
        "(B, n, H, D // H)": "(B, H, n, D // H)",
        "return x.transpose(1, 2)": "return x",
        "x = heads.transpose(1, 2)  # (B, n, H, d)\n": "B, H, n, d = heads.shape\n",
        "x.flatten(2)": "heads.reshape(B, n, H * d)"},
    "no transpose, so heads attend to heads": {".transpose(1, 2)": ""},
    "every H-th column to a head": {
        "(B, n, H, D // H)": "(B, n, D // H, H)",
        "return x.transpose(1, 2)": "return x.permute(0, 3, 1, 2)"},
    "heads averaged": {"x.flatten(2)": "x.mean(2).repeat(1, 1, self.num_heads)"},
    "a size left open, which a batch of 0 does not decide": {
        "(B, n, H, D // H)": "(B, -1, H, D // H)"},
    "W_o left out": {"self.W_o(self.merge(heads))": "self.merge(heads)"},
    "the keys in place of the values": {"self.W_v(values)": "self.W_v(keys)"},
    "a bias always": {"bias=bias": "bias=True"},
    "divided by sqrt(D)": {"self.attention(q,": "self.attention(q / math.sqrt(self.num_heads),"},
    "weights averaged": {"(heads)), weights": "(heads)), weights.mean(dim=1)"},
    "mask not handed on": {"k, v, mask": "k, v, None"},
    "no axis for the heads in the mask": {"mask.unsqueeze(1)": "mask"},
    "the mask of the first head for all": {
        "        if need_weights:": (
            "        if mask is not None and mask.dim() == 4:\n            mask = mask[:, :1]\n"
            "        if need_weights:")},
    "dropout not handed on": {"DotProductAttention(dropout)": "DotProductAttention()"},
    "only the new keys and values used": {"k, v = cache.update": "cache.update"},
    "an empty cache taken for none": {"cache is not None": "cache"},
    "keys and values exchanged in the cache": {
        "k, v = cache.update(self, k, v)": "v, k = cache.update(self, v, k)"},
    "inputs in the cache, so keys and values made again": {
        "k, v = cache.update(self, k, v)": (
            "k, v = cache.update(self, keys.unsqueeze(1), values.unsqueeze(1))\n"
            "            k = self.split(self.W_k(k[:, 0]))\n"
            "            v = self.split(self.W_v(v[:, 0]))")},
    "no mask with a cache": {"k, v, mask": "k, v, mask if cache is None else None"},
    "the cache filled before the mask is checked": {
        "        checks.multi_head(self, queries, keys, values, mask, cache)\n": ""}},
"frequencies": {
    "k from 1": {"torch.arange(D // 2)": "torch.arange(1, D // 2 + 1)"},
    "of k / D": {"-2 * k": "-k"},
    "rising": {"-2 * k": "2 * k"},
    "from slow to fast": {"  # (D // 2,)\n": ".flip(0)\n"},
    "base ignored": {"return base": "return 10_000"}},
"PositionalEncoding": {
    "k from 1": {"torch.arange((d_model + 1) // 2,": "torch.arange(1, (d_model + 1) // 2 + 1,"},
    "frequencies of k / D": {"-2 * k": "-k"},
    "cosines first": {"angles.sin()": "angles.cos()", "angles.cos()[": "angles.sin()["},
    "all sines, then all cosines": {
        "0::2": ": (d_model + 1) // 2", "1::2": "(d_model + 1) // 2 :"},
    "even widths only": {"(d_model + 1) // 2": "d_model // 2"},
    "angles in float32": {"torch.float64": "torch.float32"},
    "counted from 1": {"torch.arange(max_len,": "torch.arange(1, max_len + 1,"},
    "a table that stays behind when the layer moves": {
        'register_buffer("codes", codes, persistent=False)': "codes = codes"},
    "a table that is trained": {
        'register_buffer("codes", codes, persistent=False)': "codes = nn.Parameter(codes)"},
    "a table in every file": {", persistent=False": ""},
    "offset ignored": {"self.codes[offset : offset + n]": "self.codes[:n]"},
    "positions counted along the second axis": {
        "n = x.shape[-2]": "n = x.shape[min(1, x.dim() - 2)]"},
    "vectors times sqrt(D)": {"x + codes": "x * math.sqrt(x.shape[-1]) + codes"},
    "codes written into the vectors": {"x + codes.to(x.dtype)": "x.add_(codes)"},
    "gradient cut": {"x + codes": "x.detach() + codes"},
    "half precision returned in float32": {"codes.to(x.dtype)": "codes"},
    "dropout of the codes": {
        "self.dropout(x + codes.to(x.dtype))": "x + self.dropout(codes.to(x.dtype))"},
    "no dropout": {"self.dropout(x + codes.to(x.dtype))": "x + codes.to(x.dtype)"}},
"rotate": {
    "in the other direction": {"+ second": "- second", "- first": "+ first"},
    "columns k and k + d / 2": {
        "x[..., 0::2]": "x[..., : d // 2]", "x[..., 1::2]": "x[..., d // 2 :]",
        "turned[..., 0::2]": "turned[..., : d // 2]", "turned[..., 1::2]": "turned[..., d // 2 :]"},
    "sines and cosines exchanged": {
        "first * angles.cos() + second * angles.sin()":
            "first * angles.sin() + second * angles.cos()"},
    "offset ignored": {"torch.arange(offset, offset + n,": "torch.arange(n,"},
    "counted from 1": {"torch.arange(offset, offset + n,": "1 + torch.arange(offset, offset + n,"},
    "base ignored": {"frequencies(d, base)": "frequencies(d)"},
    "positions counted along the second axis": {
        "n, d = x.shape[-2:]": "n, d = x.shape[min(1, x.dim() - 2)], x.shape[-1]"},
    "turned in place": {
        "turned = torch.zeros_like(x)": "first, second, turned = first.clone(), second.clone(), x"},
    "half precision returned in float32": {"torch.zeros_like(x)": "torch.zeros(x.shape)"},
    "always on the CPU": {", device=x.device": "", ".to(x.device)": ""},
    "gradient cut": {"x[..., 0::2]  #": "x[..., 0::2].detach()  #"}},
"FeedForward": {
    "no ReLU": {"torch.relu(self.W_1(x))": "self.W_1(x)"},
    "GELU in place of ReLU": {"torch.relu(": "F.gelu("},
    "one matrix for both maps": {"self.W_2(self.dropout(hidden))":
        "F.linear(self.dropout(hidden), self.W_1.weight.mT, self.W_2.bias)"},
    "neighbours mixed": {"self.W_1(x)": "self.W_1(x if x.dim() < 2 else (x + x.roll(1, -2)) / 2)"},
    "no dropout": {"self.dropout(hidden)": "hidden"}},
"EncoderBlock": {
    "orders of the norms exchanged": {"if self.norm_first": "if not self.norm_first"},
    "norm first, no path around the attention": {
        "x = x + self.dropout(self.attention(y": "x = self.dropout(self.attention(y"},
    "norm first, the path normalised": {
        "x = x + self.dropout(self.attention(y": "x = y + self.dropout(self.attention(y"},
    "norm last, only what is added is normalised": {"x = x + self.dropout(self.ffn(x))\n":
        "x = x + self.norm2(self.dropout(self.ffn(x)))\n", "x = self.norm2(x)": "pass"},
    "one norm for both parts": {"y = self.norm2(x)": "y = self.norm1(x)"},
    "norm over the sequence too": {"y = self.norm1(x)":
        "y = F.layer_norm(x, x.shape[-2:]) * self.norm1.weight + self.norm1.bias"},
    "norm first, no mask": {"(y, y, y, mask": "(y, y, y, None"},
    "cache not passed on": {", cache=cache": ""},
    "an empty cache taken for none": {"cache=cache": "cache=cache or None"},
    "no dropout of the weights": {"num_heads, dropout)": "num_heads)"},
    "no dropout of what the network adds": {"x + self.dropout(self.ffn(y))": "x + self.ffn(y)"},
    "written into its input": {"x = x + self.dropout(self.att": "x += self.dropout(self.att"}},
"DecoderBlock": {
    "memory asks, target answers": {
        "self.cross_attention(y, memory, memory,": "self.cross_attention(memory, y, y,"},
    "the target in place of the memory": {"(y, memory, memory, memory_mask": "(y, y, y, mask"},
    "the memory normalised": {"(y, memory, memory,": "(y, *2 * [self.norm2(memory)],"},
    "norm first, no causal mask": {"(y, y, y, mask": "(y, y, y, None"},
    "norm last, no memory mask": {"(x, memory, memory, memory_mask": "(x, memory, memory, None"},
    "no dropout of what the memory adds": {
        "memory_mask, cache=cache)\n            x = x + self.dropout(z)":
            "memory_mask, cache=cache)\n            x = x + z"},
    "no cache for the target": {"y, mask, cache=cache": "y, mask"},
    "no cache for the memory": {"memory_mask, cache=cache": "memory_mask"}},
"Cache": {
    "overwritten, not appended": {"if layer in self.kept": "if False"},
    "kept, but only the new ones returned": {
        "        if layer": "        new = keys, values\n        if layer",
        "        return keys, values": "        return new"},
    "new ones before the old": {"[old_keys, keys]": "[keys, old_keys]",
        "[old_values, values]": "[values, old_values]"},
    "keys and values kept in each other's place": {
        "self.kept[layer] = (keys, values)": "self.kept[layer] = (values, keys)"},
    "appended along the heads": {"dim=2": "dim=1"},
    "one entry for all layers": {"layer in self.kept": "0 in self.kept",
        "self.kept[layer]": "self.kept[0]"},
    "one store for all caches": {
        "    def __init__(self):\n        self.kept = {}": "    kept = {}"},
    "length counted over all layers": {
        "return keys.shape[2]": "return sum(keys.shape[2] for keys, values in self.kept.values())"},
    "length of the last layer": {"list(self.kept)[0]": "list(self.kept)[-1]"},
    "not reordered": {"self.kept[layer] = (keys[rows], values[rows])": "pass"},
    "reordered in the wrong direction": {"[rows]": "[rows.argsort()]"},
    "only the first layer reordered": {"in self.kept.items()": "in [*self.kept.items()][:1]"}},
"Transformer": {
    "no mask in the encoder": {"block(x, mask)": "block(x)"},
    "no causal mask": {"causal_mask(tgt.shape[1], offset, tgt.device)": "None"},
    "no memory mask": {"memory, mask, memory_mask": "memory, mask, None"},
    "0 for padding": {"self.pad = pad": "self.pad = 0"},
    "embedding of the source for the target": {"self.target(tgt)": "self.source(tgt)"},
    "no positions in the source": {"self.positions(self.source(src))": "self.source(src)"},
    "no norm behind the decoder": {"self.decoder_norm(x)": "x"},
    "a last norm in both orders": {"if norm_first:": "if True:"},
    "the last block of the encoder only": {"in self.encoder:": "in self.encoder[-1:]:"},
    "no dropout of the positions": {"Encoding(d_model, dropout)": "Encoding(d_model)"},
    "an empty cache taken for none": {"memory_mask, cache)": "memory_mask, cache or None)"},
    "with a cache, position 0 for every token": {"(tgt), offset)": "(tgt))"},
    "with a cache, new tokens see each other": {
        "memory, mask, memory_mask": "memory, None if offset else mask, memory_mask"},
    "with a cache, the memory goes in again": {"if offset > 0": "if False"}},
"RMSNorm": {
    "the mean taken off": {"mean_square = x": "x = x - x.mean(-1, True)\n        mean_square = x"},
    "mean over the sequence too": {"dim=-1,": "dim=(-1, -2)[: x.dim()],"},
    "the sum of squares": {".mean(": ".sum("},
    "divided by the mean square": {"(mean_square + self.eps).sqrt()": "(mean_square + self.eps)"},
    "eps outside the root": {
        "(mean_square + self.eps).sqrt()": "(mean_square.sqrt() + self.eps)"},
    "eps ignored": {"self.eps = eps": "self.eps = 1e-6"},
    "no gamma": {"self.gamma * x": "x"},
    "gamma starts at 0": {"torch.ones": "torch.zeros"}},
"SwiGLU": {
    "no gate": {"gate * self": "self"},
    "the gate on the wrong map": {"F.silu(self.W_g(x))": "F.silu(self.W_1(x))",
        "gate * self.W_1(x)": "gate * self.W_g(x)"},
    "a sigmoid": {"F.silu(": "torch.sigmoid("},
    "GELU": {"F.silu(": "F.gelu("},
    "added": {"gate * self": "gate + self"},
    "a bias": {"self.W_2 = nn.Linear(d_hidden, d_model, bias=False)":
        "self.W_2 = nn.Linear(d_hidden, d_model)"}},
"attention_maps": {
    "in layers with heads alone": {
        "if isinstance": "if name.endswith('attention.attention') and isinstance"},
    "no mask": {"masked_softmax(scores, mask)": "torch.softmax(scores, dim=-1)"},
    "not divided by sqrt(d)": {" / math.sqrt(queries.shape[-1])": ""},
    "after dropout": {"append(weights)": "append(attention.dropout(weights))"},
    "heads averaged": {"append(weights)": "append(weights.mean(dim=1))"},
    "all under the last name": {"names[attention], []": "name, []"},
    "the last call only": {
        "maps.setdefault(names[attention], []).append(weights)":
            "maps[names[attention]] = [weights]"},
    "results without dropout": {
        "append(weights)": "append(weights)\n        return weights @ values"},
    "model put in eval mode": {"    hooks = []": "    hooks = []\n    model.eval()"},
    "hooks left behind by an exception": {
        "    try:\n        yield maps\n    finally:": "    if True:\n        yield maps"}},
"to_tokens": {
    "no begin": {"[*begin, ": "["},
    "begin and end exchanged": {"[*begin, *tokens, *end]": "[*end, *tokens, *begin]"},
    "padding in front": {"batch_first=True": 'batch_first=True, padding_side="left"'},
    "positions in the sorted list": {"enumerate(words)": "enumerate(sorted(words))"},
    "unknown words left out": {"in sentence]": "in sentence if word in token_of]"},
    "0 for unknown words": {"token_of[word]": "token_of.get(word, 0)"},
    "floats": {"dtype=torch.long": "dtype=torch.float"}},
"next_token_loss": {
    "0 is padding": {"ignore_index=pad": "ignore_index=0"},
    "padding is 0, but counts in the mean": {
        "return F.": "return (expected != pad).double().mean() * F."},
    "the mean of the sentences' means": {"    expected =": (
        "    if len(tokens) > 1:\n"
        "        each = [next_token_loss(*one, pad, smoothing)"
        " for one in zip(logits.split(1), tokens.split(1))]\n"
        "        return sum(each) / len(each)\n"
        "    expected =")},
    "compared with the tokens that went in": {"tokens[:, 1:]  #": "tokens[:, :-1]  #"},
    "reshaped, not transposed": {"logits.mT": "logits.reshape(logits.mT.shape)"},
    "two softmaxes": {"logits.mT": "logits.mT.softmax(dim=1)"},
    "no smoothing": {"label_smoothing=smoothing": "label_smoothing=0.0"},
    "gradient cut": {"logits.mT": "logits.detach().mT"}},
"pair_batches": {
    "targets of other sources": {"targets[rows]": "targets[rows.flip(0)]"},
    "cut to the shortest": {"any(dim=0)": "all(dim=0)"},
    "0 is padding": {"!= pad": "!= 0"},
    "not sorted by length": {"rows[lengths[rows].argsort()]": "rows"},
    "the shortest first": {"torch.randperm(10, generator=draw)": "torch.arange(10)"},
    "never the last pair": {"randint(len(sources),": "randint(len(sources) - 1,"},
    "one seed for all": {"1 + seed": "1"},
    "other batches each time": {"torch.Generator().manual_seed(1 + seed)": "None"},
    "drawn from everyone's generator": {"torch.Generator().manual_seed": "torch.manual_seed"}},
"schedule": {
    "no warm-up": {"min(rise, fall)": "fall"},
    "rises from 0": {"rise = step": "rise = (step - 1)"},
    "falls from the first step": {"(steps + 1 - warm_up)": "steps"},
    "divided by a warm-up of 0": {"max(warm_up, 1)": "warm_up"}},
"train_translator": {
    "constant rate": {" * schedule(step + 1, steps, warm_up)": ""},
    "falls until the stop": {"step + 1, steps,": "step + 1, stop or steps,"},
    "Adam's usual betas": {", betas=(0.9, 0.98)": ""},
    "gradients added up": {"        optimizer.zero_grad()\n": ""},
    "trained in eval mode": {"    model.train()\n": ""},
    "left in training mode": {"    model.eval()\n    return": "    return"},
    "stop ignored": {"steps if stop is None else stop": "steps"},
    "one seed for all": {"targets, steps, seed)": "targets, steps)"},
    "what should come out goes in": {"tgt[:, :-1]": "tgt[:, 1:]"},
    "loss_of ignored": {"loss = loss_of(": "loss = next_token_loss("},
    "snapshots that train on": {"copy.deepcopy(model)": "copy.copy(model)"}},
"greedy": {
    "a new cache in every step": {"src, cache)": "src, Cache())"},
    "no cache, the whole beginning in every step": {"decode(new, memory, src, cache)":
        "decode(torch.cat([0 * src[:, :1] + bos, *written], 1), memory, src)[:, -1:]"},
    "the source encoded in every step": {"(new, memory": "(new, model.encode(src)"},
    "goes on behind eos": {"        new = new.masked_fill(done, model.pad)\n": ""},
    "padding is 0": {"done, model.pad": "done, 0"},
    "forgets who is done": {"done | (new == eos)": "new == eos"},
    "stops when any is done": {"done.all()": "done.any()"},
    "gradients kept": {"@torch.no_grad()\n": ""}},
"beam_search": {
    "cache not reordered": {"        cache.reorder(rows)\n": ""},
    "tokens not reordered": {"tokens[rows]": "tokens"},
    "sentences mixed": {"(first_row + best // V)": "(best // V + 0 * first_row)"},
    "sources and memories in different orders": {
        "src = src.repeat_interleave(width, dim=0)": "src = src.repeat(width, 1)"},
    "equal hypotheses at the start": {"total[:, 0] = 0.0": "total[:] = 0.0"},
    "probabilities for log-probabilities": {"log_softmax(": "softmax("},
    "the mean over the tokens": {"1:], total[:, 0]": "1:], total[:, 0] / (tokens.shape[1] - 1)"},
    "goes on behind eos": {"torch.where(done.unsqueeze(-1), only_pad, log_p)": "log_p"},
    "padding counted": {"only_pad, log_p)": "only_pad + log_p, log_p)"},
    "forgets who is done": {"done | (new == eos)": "new == eos"},
    "stops when one sentence is done": {"done[:, 0].all()": "done[:, 0].any()"},
    "gradients kept": {"@torch.no_grad()\n": ""}},
"LanguageModel": {
    "no mask in eval mode": {"block(x, mask": "block(x, mask if self.training else None"},
    "each token sees the next": {"causal_mask(n, offset, tokens.device)":
        "causal_mask(n, offset + 1)[:, : offset + n]"},
    "no positions": {"self.positions(x, offset)": "x"},
    "no norm behind the blocks": {"self.norm(x)": "x"},
    "norm behind the parts": {"d_hidden, dropout)\n": "d_hidden, dropout, False)\n"},
    "probabilities in place of logits": {"self.output(x)": "self.output(x).softmax(dim=-1)"},
    "always in float32": {"self.output(x)": "self.output(x).float()"},
    "embedding and last map are one table": {
        "self.output(x)": "x @ self.embedding.weight.mT + self.output.bias"},
    "no dropout of the positions": {"Encoding(d_model, dropout)": "Encoding(d_model)"},
    "with a cache, position 0 for every token": {"(x, offset)": "(x)"},
    "with a cache, new tokens see each other": {
        "block(x, mask": "block(x, None if offset else mask"}},
"draw_windows": {
    "the last place never drawn": {"len(text) - context,": "max(len(text) - context - 1, 1),"}},
"train_language_model": {
    "the tokens that go in should come out": {"tokens[:, 1:]": "tokens[:, :-1]"},
    "the same batch in every step": {
        "        tokens =": "        generator.manual_seed(seed)\n        tokens ="},
    "one seed for all": {"manual_seed(seed)": "manual_seed(0)"},
    "drawn from everyone's generator": {"torch.Generator().manual_seed": "torch.manual_seed"},
    "token 0 taken for padding": {"tokens[:, 1:]": "tokens[:, 1:], ignore_index=0"},
    "constant rate": {" * schedule(step + 1, steps, warm_up)": ""},
    "trained in eval mode": {"    model.train()\n": ""}},
"bits_of": {
    "nats": {" / math.log(2)": ""},
    "the first token for nothing": {"[torch.tensor([math.log(V)])]": "[torch.zeros(1)]"},
    "windows that don't overlap": {"- 1, half)": "- 1, context)", "if start > 0": "if False"},
    "the half in common twice": {"if start > 0": "if False"},
    "the wrong half": {"losses[context - half :]": "losses[:half]"},
    "dropped as if windows were even": {"losses[context - half :]": "losses[half:]"},
    "the tokens that go in should come out": {"window[1:], reduction": "window[:-1], reduction"}},
"keep_top_k": {
    "counted from the smallest": {"topk(k)": "topk(k, largest=False)"},
    "the largest sizes": {"logits.topk(k)": "logits.abs().topk(k)"},
    "equal ones dropped": {"logits < cutoff": "logits <= cutoff"},
    "only some of equal ones": {"return logits.masked_fill(logits < cutoff, -math.inf)":
        "return torch.full_like(logits, -math.inf).scatter(-1, *logits.topk(k)[::-1])"},
    "one cutoff for all rows": {"largest[..., -1:]": "largest.min()"},
    "0 in place of minus infinity": {"-math.inf": "0.0"},
    "always in float32": {"return logits.": "return logits.float()."}},
"keep_nucleus": {
    "without the token that crosses p": {"sum_before < p": "largest_first.cumsum(-1) <= p"},
    "one more where p is reached exactly": {"sum_before < p": "sum_before <= p"},
    "the least likely first": {"descending=True": "descending=False"},
    "the likeliest dropped": {"probabilities < cutoff": "probabilities >= cutoff"},
    "probabilities over all rows": {
        "logits.softmax(dim=-1)": "logits.flatten().softmax(dim=0).view(logits.shape)"},
    "one cutoff for all rows": {"count - 1)": "count - 1).amin()"},
    "log-probabilities": {"return logits.": "return logits.log_softmax(dim=-1)."}},
"generate": {
    "the cache holds one more": {"len(cache) == context": "len(cache) > context"},
    "the last half into the old cache": {
        "            cache = Cache()\n            unread": "            unread"},
    "no cache, the whole text in every step": {"model(unread, cache)": "model(tokens)"},
    "temperature multiplies": {"/ temperature": "* temperature"},
    "temperature after the filters": {" / temperature": "",
        "logits.softmax(dim=-1)": "(logits / temperature).softmax(dim=-1)"},
    "p ignored": {"logits = keep_nucleus(logits, p)": "pass"},
    "p before k": {
        "        if k is not None:\n            logits = keep_top_k(logits, k)\n": "",
        "        probabilities =": (
            "        if k is not None:\n            logits = keep_top_k(logits, k)\n"
            "        probabilities =")},
    "drawn from everyone's generator": {"torch.Generator().manual_seed": "torch.manual_seed"},
    "the same numbers in every step": {
        "        probabilities =": "        generator.manual_seed(seed)\n        probabilities ="},
    "one draw for all rows": {
        "1, generator=generator)": "1, generator=generator)[:1].expand(len(tokens), 1)"}},
"GroupedQueryAttention": {
    "heads 0, G, 2 G share keys": {"k.repeat_interleave(self.share, dim=1)":
        "k.repeat(1, self.share, 1, 1)"},
    "heads 0, G, 2 G share values": {"v.repeat_interleave(self.share, dim=1)":
        "v.repeat(1, self.share, 1, 1)"},
    "queries not rotated": {"q = rotate(q, offset, self.base)": "pass"},
    "keys not rotated": {"k = rotate(k, offset, self.base)": "pass"},
    "values rotated too": {"k = rotate(k, offset, self.base)":
        "k, v = (rotate(one, offset, self.base) for one in (k, v))"},
    "rotated before the heads are split": {
        "self.split(self.W_q(x))": "self.split(rotate(self.W_q(x), offset, self.base))",
        "q = rotate(q, offset, self.base)": "pass"},
    "with a cache, position 0 for every token": {"offset, self.base": "0, self.base"},
    "base ignored": {", self.base)": ")"},
    "another base if none is given": {"base=10_000": "base=100_000"},
    "mask not handed on": {"(q, k, v, mask)": "(q, k, v)"},
    "a key for each head in the cache": {
        "        if cache is not": ("        k = k.repeat_interleave(self.share, 1)\n"
            "        v = v.repeat_interleave(self.share, 1)\n        if cache is not"),
        "k = k.repeat_interleave(self.share, dim=1)": "pass",
        "v = v.repeat_interleave(self.share, dim=1)": "pass"},
    "only the new keys and values used": {"k, v = cache.update": "cache.update"},
    "an empty cache taken for none": {"cache is not None": "cache"},
    "a bias": {"self.W_q = nn.Linear(d_model, d_model, bias=False)":
        "self.W_q = nn.Linear(d_model, d_model)"},
    "heads reshaped, not transposed": {
        "return x.transpose(1, 2)": "return x.reshape(B, heads, n, self.d)"},
    "W_o left out": {"self.W_o(heads.flatten(2))": "heads.flatten(2)"}},
"LlamaBlock": {
    "the path normalised": {"x = x + self.attention(y": "x = y + self.attention(y"},
    "no path around the network": {"x = x + self.ffn(y)": "x = self.ffn(y)"},
    "one norm for both parts": {"y = self.norm2(x)": "y = self.norm1(x)"},
    "no norm before the network": {"self.ffn(y)": "self.ffn(x)"},
    "no mask": {"offset, mask, cache)\n": "offset, None, cache)\n"},
    "cache not passed on": {"offset, mask, cache)\n": "offset, mask)\n"},
    "base not passed on": {"num_groups, base)": "num_groups)"},
    "eps not passed on": {"norm1 = RMSNorm(d_model, eps)": "norm1 = RMSNorm(d_model)"}},
"Llama": {
    "each token sees the next": {"causal_mask(n, offset, tokens.device)":
        "causal_mask(n, offset + 1)[:, : offset + n]"},
    "no norm behind the blocks": {"self.norm(x)": "x"},
    "with a cache, position 0 for every token": {"block(x, offset": "block(x, 0"},
    "with a cache, new tokens see each other": {"mask, cache)": "None if offset else mask, cache)"},
    "vectors times sqrt(D)": {
        "self.embedding(tokens)": "self.embedding(tokens) * self.norm.gamma.numel() ** 0.5"},
    "a last map of its own": {
        "        self.norm = ": ("        self.output = nn.Linear(d_model, vocab, bias=False)\n"
            "        self.norm = "), "x @ self.embedding.weight.T": "self.output(x)"},
    "the table is trained by what goes in alone": {"weight.T": "weight.detach().T"},
    "one block in all places": {"self.blocks.append(block)":
        "self.blocks.append(self.blocks[0] if len(self.blocks) else block)"},
    "another base if none is given": {"base=10_000": "base=100_000"},
    "another eps if none is given": {"eps=1e-5": "eps=1e-6"},
    "eps not passed on": {"self.norm = RMSNorm(d_model, eps)": "self.norm = RMSNorm(d_model)"}},
"from_4_bits": {
    "the upper bits first": {"[first, second]": "[second, first]"},
    "neighbours in one byte": {"torch.cat([first, second], dim=1)":
        "torch.stack([first, second], dim=2).flatten(1)"},
    "step and minimum exchanged": {"minimum + step * q": "step + minimum * q"},
    "the minimum taken off": {"minimum + step": "step * 0 - minimum + step"},
    "steps from -8 to 7": {"step * q": "step * (q.float() - 8)"},
    "another kind of 16 bits": {"float16": "bfloat16"},
    "computed in 16 bits": {".float()": ""}},
"from_8_bits": {
    "steps from 0 to 255": {".view(torch.int8)": ""},
    "steps less 128": {"blocks[:, 2:34].view(torch.int8)": "blocks[:, 2:34].float() - 128"},
    "another kind of 16 bits": {"float16": "bfloat16"},
    "computed in 16 bits": {".float()": ""}},
"byte_signs": {
    "each byte is its own character": {"chr(spare)": "chr(byte)"},
    "moved up by 256": {"chr(spare)": "chr(256 + byte)"},
    "the soft hyphen counted as printed": {"172 or 174 <=": "173 or 174 <="},
    "the space counted as printed": {"33 <=": "32 <="}},
"dequantize": {
    "rows and columns exchanged": {"reshape(stored.shape)": "reshape(stored.shape[::-1]).T"},
    "blocks left as they are": {".reshape(stored.shape)": ""}},
"word_pattern": {
    "only decimal digits alone": {'unicodedata.category(c).startswith("N")': "c.isdecimal()"},
    "digits together": {"|[{digits}]|": "|[{digits}]+|"},
    "no endings": {"'(?:[stmd]|re|ve|ll)|": ""},
    "endings of one letter": {"|re|ve|ll)": ")"},
    "endings in capitals": {"'(?:[stmd]|": "'(?:[stmdSTMD]|"},
    "words without the space before them": {r"| ?[^\W_": r"|[^\W_"},
    "signs without the space before them": {r"| ?(?:[^\w": r"|(?:[^\w"},
    "the last space not left to the word": {r"|\s+(?![^\s{digits}])": ""},
    "a space left to a digit": {r"(?![^\s{digits}])": r"(?!\S)"},
    "_ is a letter": {r"[^\W_{digits}]+": r"[^\W{digits}]+", r"(?:[^\w\s]|_)+": r"[^\w\s]+"}},
"Tokenizer": {
    "the last learned first": {"min(known": "max(known"},
    "from left to right": {"first = min(known, key=self.rank.get)": "first = known[0]"},
    "the longest token first": {"min(known, key=self.rank.get)":
        "max(known, key=lambda pair: len(pair[0] + pair[1]))"},
    "merges across words": {"self.word.findall(piece)": "[piece] if piece else []"},
    "special tokens split": {"self.special.fullmatch(piece)": "False"},
    "special tokens as patterns": {"map(re.escape, special)": "special"},
    "a byte without a token is an error": {"if self.signs[byte] in self.number:": "if True:"},
    "characters, not bytes": {"word.encode()": "map(ord, word)"},
    "each token decoded alone": {"return bytes(": "return ''.join(", "self.bytes[sign] for":
        "chr(self.bytes[sign]) for", ').decode(errors="replace")': ")"},
    "a part of a character is an error": {'(errors="replace")': "()"}},
"course_weights": {
    "pairs not exchanged": {"pairs.flip(1)": "pairs"},
    "only those of queries exchanged": {'in ("attn_q", "attn_k")': '== "attn_q"'},
    "neighbours taken apart": {
        "unflatten(0, (-1, 2))": "unflatten(0, (2, -1))", "pairs.flip(1)": "pairs.transpose(0, 1)"},
    "the gate on the wrong map": {'"ffn_up"': '"ffn_other"', '"ffn_gate"': '"ffn_up"',
        '"ffn_other"': '"ffn_gate"'},
    "norms exchanged": {'"attn_norm"': '"other"', '"ffn_norm"': '"attn_norm"',
        '"other"': '"ffn_norm"'}},
"chat": {
    "the model begins": {"i % 2 == 0": "i % 2"},
    "the last turn left open": {"{turn}<|im_end|>\\n": "{turn}\\n"},
    "no place for the answer": {' + "<|im_start|>assistant\\n"': ""},
    "another system prompt": {"{system}": "You are a helpful assistant"}},
"answer": {
    "the end is written, too": {"            break\n": "            longest = 0\n"},
    "all read again": {"unread = new": "unread = torch.cat([unread, new], dim=1)"},
    "the first position": {"[:, -1]": "[:, 0]"},
    "the unlikeliest": {"argmax": "argmin"},
    "one too many": {"range(longest)": "range(longest + 1)"}},
"load": {
    "in training mode": {"model.eval().": "model."},
    "weights with gradients": {".requires_grad_(False)": ""},
    "the usual base": {'facts["llama.rope.freq_base"]': "10_000"},
    "the usual eps": {'facts["llama.attention.layer_norm_rms_epsilon"]': "1e-5"},
    "one key for each head": {"head_count_kv": "head_count"},
    "what users add is special too": {"kind == 3": "kind in (3, 4)"},
    "nothing is special": {"kind == 3": "token == tokens[1]"}},
"blockwise_attention": {
    "the sum isn't corrected": {"total = correction * total": "total = total"},
    "the output isn't corrected": {"output = correction * output": "output = output"},
    "corrected the other way round": {"torch.exp(top - new_top)": "torch.exp(new_top - top)"},
    "the largest score of this block alone": {"torch.maximum(top, highest)": "highest"},
    "the last block is left out": {"range(0, m, block)": "range(0, m - block + 1, block)"},
    "no scale": {"queries / math.sqrt(d)": "queries * 1"},
    "mask ignored": {"if mask is not None:": "if False:"},
    "the first columns of the mask for each block": {
        "[..., start : start + block]\n            scores": "[..., :block]\n            scores"},
    "nan for an empty row": {".clamp(min=1)": ""},
    "arguments unchecked": {"checks.attention(queries, keys, values, mask)": ""},
    "a block of any size": {'checks.whole_number("block", block, 1, 1_000_000)': ""}},
"window_attention": {
    "one key too many": {"(i - j < window)": "(i - j <= window)",
        "start - window + 1": "start - window"},
    "one key too few": {"(i - j < window)": "(i - j < window - 1)"},
    "later keys": {"(0 <= i - j) & ": ""},
    "keys of the block alone": {"max(start - window + 1, 0)": "start"}},
"WindowAttention": {
    "one key too many": {"< self.window - self.first": "<= self.window - self.first"},
    "the first tokens are no part of the window": {"self.window - self.first)": "self.window)"},
    "no first token": {" | ((j < self.first) & (j <= i))": ""},
    "the first token sees later ones": {" & (j <= i))": ")"},
    "positions from 0": {"j[m - n :, None]": "j[:n, None]"}},
"WindowCache": {
    "one key too many": {"- self.first - 1": "- self.first"},
    "one key too few": {"- self.first - 1": "- self.first - 2"},
    "no first token": {"*range(min(self.first, m)), ": ""},
    "cut before the attention": {"return keys, values": "return self.kept[layer]"},
    "the length is what is kept": {"max(self.seen.values(), default=0)": "super().__len__()"}},
"linear_attention": {
    "the state isn't carried": {"S = S + k.mT @ v": "S = k.mT @ v"},
    "only the first chunk is carried": {"S = S + k.mT @ v": "S = S + k.mT @ v if start == 0 else S"},
    "later keys of the chunk": {".tril()": ""},
    "not its own key": {".tril()": ".tril(-1)"},
    "the first chunk asks an old state": {"if start > 0:": "if start > chunk:"},
    "arguments unchecked": {"checks.attention(queries, keys, values)": ""},
    "a chunk of any size": {'checks.whole_number("chunk", chunk, 1, 1_000_000)': ""},
    "queries of any shape": {"if queries.shape != keys.shape:": "if False:"}},
"delta_rule": {
    "the state isn't carried": {"S = S + k.mT @ u": "S = k.mT @ u"},
    "values instead of surprises": {"S = S + k.mT @ u": "S = S + k.mT @ v"},
    "the old answer isn't erased": {"(v - k @ S)": "v"},
    "the old answer is added": {"(v - k @ S)": "(v + k @ S)"},
    "every rate is 1": {"rates[..., start : start + chunk, None]": "1.0"},
    "the rate only on the right": {"rate * (k @ k.mT).tril(-1)": "(k @ k.mT).tril(-1)"},
    "writes of the chunk ignored": {"identity + overlap": "identity"},
    "later keys of the chunk": {"(q @ k.mT).tril()": "(q @ k.mT)"},
    "not its own write": {"(q @ k.mT).tril()": "(q @ k.mT).tril(-1)"},
    "arguments unchecked": {"checks.attention(queries, keys, values)": ""},
    "rates of any shape": {"if rates.shape != keys.shape[:-1]:": "if False:"},
    "queries of any shape": {"if queries.shape != keys.shape:": "if False:"}},
"same": {
    "of another shape": {"if a.shape != b.shape:": "if False:"},
    "nan is nan": {"atol=tolerance": "atol=tolerance, equal_nan=True"},
    "only roughly": {"tolerance=1e-4": "tolerance=0.1"}},
"examine": {
    "weights of masked keys": {"if weights[~mask].any():": "if False:"},
    "weights of allowed keys": {"if not weights[mask].all():": "if False:"},
    "negative weights": {"if weights.min() < 0:": "if False:"},
    "prompts": {"if weights[~square.expand(B, H, n, n)].any():": "if False:"},
    "sums of weights": {"if not same(weights.sum(dim=-1), torch.ones(B, H, n)):": "if False:"},
    "weights times values": {"if not same(weights @ v, output):": "if False:"},
    "large scores": {"if not same(sums, torch.ones(B, H, n)):": "if False:"},
    "the last query": {"mask[:, :, -1:]]\n    expect(": "mask[:, :, -1:]]\n    str("},
    "sequences": {"for b in range(B):": "for b in range(0):"},
    "heads": {"for h in range(H):": "for h in range(0):"},
    "half precision": {'expect(exact, "in half precision", *half, tolerance=0.05)': ""},
    "no mask": {"if not same(found, expected, tolerance):": "if mask is not None and not same(found, expected, tolerance):"},
    "masks of other shapes": {"for small in (mask[0, 0], mask[:, :1], mask[:, :1, :1]):": "for small in ():"},
    "more keys": {'expect(output, "when masked keys are added", q, more_k, more_v, more_mask)': ""},
    "the order of keys": {'expect(output, "when the keys change places", *turned)': ""},
    "the scale": {"if largest > 0.6:": "if largest > 6:"},
    "the scale of the sound": {"if largest > 0.6:": "if largest > 0.3:"},
    "changes in place": {"if not torch.equal(before, after):": "if False:"},
    "dropout": {"if not same(attention(q, k, v, mask), output):": "if False:"},
    "shapes": {"if output.shape != q.shape:": "if False:"},
    "no gradient": {"if leaf.grad is None or not leaf.grad.any():": "if False:"},
    "nan in a gradient": {"elif leaf.grad.isnan().any():": "elif False:"},
    "empty rows": {"if rule is None and result[:, :, 0].any():": "if False:"},
    "a rule isn't followed": {"mask = rule(n, m).expand(B, H, n, m)": "mask = torch.ones(B, H, n, m, dtype=torch.bool)"}},
}
