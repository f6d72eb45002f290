"""Wrong versions of what the pages keep: some words of `right_version.py`, and what replaces them.

(the page that tells of it, definition): {what is wrong: {words: what stands in their place}}.
To add one is to write one entry here; `test_harness.py` shows that some property notices it.
"""

# fmt: off
WRONG = {
(1, "attention_pooling"): {
    "the keys in place of the values": {"weights @ values": "weights @ keys"},
    "scores over their sum": {"torch.softmax(scores, dim=-1)": "scores / scores.sum(-1, True)"},
    "exponentials without taking the maximum off": {
        "torch.softmax(scores, dim=-1)": "scores.exp() / scores.exp().sum(-1, True)"},
    "zeros above the diagonal": {"softmax(scores": "softmax(scores.tril()"},
    "scores detached": {"softmax(scores": "softmax(scores.detach()"},
    "scores of any shape": {"scores.shape == shape": "True"}},
(3, "length_mask"): {
    "<=": {"arange(m) <": "arange(m) <="},
    "one too short": {"lengths[..., None]": "lengths[..., None] - 1"},
    "counted from the end": {"arange(m)": "arange(m).flip(0)"},
    "no axis for the queries": {"lengths[:, None] if lengths.dim() == 1 else lengths": "lengths"},
    "no range": {"[(lengths < 0) | (lengths > m)]": "[:0]"},
    "small integers stay small": {".long()": "", "arange(m)": "arange(m).to(lengths.dtype)"},
    "any dtype": {"kind in integers": "True"},
    "any number of axes": {"len(shape) in (1, 2)": "True"},
    "any m": {"is_integer(m)": "True", "m >= 0": "True"},
    "numpy's integers refused": {"is_integer(m)": "type(m) is int"},
    "what is no tensor called a wrong one": {
        "need_tensor(valid_lens,": "need(torch.is_tensor(valid_lens),"}},
(3, "causal_mask"): {
    "strict": {"tril(offset)": "tril(offset - 1)"},
    "upper triangle": {"tril(offset)": "triu(offset)"},
    "offset ignored": {"tril(offset)": "tril()"},
    "offset of the wrong sign": {"tril(offset)": "tril(-offset)"},
    "no keys before the first": {"torch.ones(n, offset + n,": "torch.ones(n, n,"},
    "any number": {"is_integer(size)": "True", "size >= 0": "True"},
    "numpy's integers refused": {"is_integer(size)": "type(size) is int"},
    "sums of numpy's small integers": {"map(operator.index, (n, offset))": "n, offset"},
    "always on the CPU": {"device=device": 'device="cpu"'}},
(3, "check_mask"): {
    "integers taken for a mask": {"kind == torch.bool": "True"},
    "what is no tensor called a wrong one": {"need_tensor(mask,": "need(torch.is_tensor(mask),"},
    "any shape": {"need(fits": "need(True"}},
(3, "masked_softmax"): {
    "mask inverted": {"check_mask(mask, scores.shape)": "mask = ~mask"},
    "mask after the softmax": {"softmax(filled": "softmax(scores"},
    "mask shifted by one key": {"    empty =": "    mask = mask.roll(1, -1)\n    empty ="},
    "0 in place of minus infinity": {"-math.inf": "0.0"},
    "scores times mask": {"softmax(filled": "softmax(scores * mask"},
    "scores + log(mask)": {".masked_fill(~mask, -math.inf)": ".add(mask.to(scores.dtype).log())"},
    "weights times mask, divided by their sum": {
        "    filled =": "    weights = torch.softmax(scores, dim=-1) * mask\n    filled =",
        "torch.softmax(filled, dim=-1).masked_fill(~mask, 0.0)":
            "weights / (weights.sum(-1, True) + 1e-13)"},
    "exponentials without taking the maximum off": {".masked_fill(empty, 0.0)": ".exp()",
        "torch.softmax(filled, dim=-1).masked_fill(~mask, 0.0)":
            "filled / filled.sum(-1, True).masked_fill(empty, 1.0)"},
    "-1e9 in place of minus infinity": {"-math.inf).masked_fill(empty, 0.0)": "-1e9)",
        ".masked_fill(~mask, 0.0)": ""},
    "-1e6 in place of minus infinity, then zeros": {"-math.inf": "-1e6"},
    "empty rows nan": {".masked_fill(empty, 0.0)": "", ".masked_fill(~mask, 0.0)": ""},
    "empty rows nan on the way": {".masked_fill(empty, 0.0)": ""},
    "empty rows uniform": {".masked_fill(~mask, 0.0)": ""},
    "a row with one masked key taken for empty": {"mask.any(": "mask.all("},
    "mask written into the scores": {"scores.masked_fill(": "scores.masked_fill_("},
    "scores detached": {"scores.masked_fill(": "scores.detach().masked_fill("},
    "softmax over the queries": {"dim=-1)": "dim=-2)"},
    "softmax over the first axis": {"dim=-1)": "dim=0)"},
    "softmax of half precision returned in float32": {
        "dim=-1)": "-1, torch.promote_types(scores.dtype, torch.float32))"},
    "scores.view": {"= scores": "= scores.view(-1, scores.shape[-1]).view(scores.shape)"},
    "any dtype": {"kind in FLOATS": "True"},
    "what is no tensor called a wrong one": {
        "need_tensor(scores,": "need(torch.is_tensor(scores),"}},
(4, "check_attention_inputs"): {
    "what is no tensor called a wrong one": {
        "need_tensor(tensor,": "need(torch.is_tensor(tensor),"},
    "mask compared with the queries' batch": {"(*batch, *heads": "(*queries.shape[:-2], *heads"},
    "mask of one axis": {"mask.dim() >= 2": "True"},
    "any width": {"need(fits": "need(True"},
    "any number of values": {"values.shape[-2] == m": "True"},
    "any dtype": {"kind == dtype or mixed": "True"},
    "one dtype under autocast too": {"torch.is_autocast_enabled(tensor.device.type)": "False"},
    "float64 under autocast": {"torch.float64 not in (kind, dtype)": "True"}},
(4, "zero_unseen"): {
    "a key masked for one query zeroed for all": {"mask.any(": "mask.all("},
    "what the first query does not see": {"mask.any(dim=-2)": "mask[..., 0, :]"},
    "keys zeroed in place": {"keys.masked_fill(": "keys.masked_fill_("},
    "times 0 in place of 0": {"values.masked_fill(unseen, 0.0)": "values * ~unseen"}},
(4, "AdditiveAttention"): {
    "divided by sqrt(h)": {"squeeze(-1)": "squeeze(-1) / math.sqrt(hidden.shape[-1])"},
    "nan in a masked key": {"keys, values =": "_, values ="},
    "nan in a masked value": {"keys, values =": "keys, _ ="},
    "three axes only": {"unsqueeze(-2)": "unsqueeze(2)", "unsqueeze(-3)": "unsqueeze(1)"},
    "axes swapped, then reshaped": {"(queries).unsqueeze(-2)": "(queries).unsqueeze(-3)",
        "(keys).unsqueeze(-3)": "(keys).unsqueeze(-2)",
        ".squeeze(-1)": ".reshape(*hidden.shape[:-3], hidden.shape[-2], hidden.shape[-3])"},
    "squeeze of every axis of 1": {".squeeze(-1)": ".squeeze()"},
    "the query left out": {"self.W_q(queries)": "torch.zeros_like(self.W_q(queries))"},
    "no tanh": {"torch.tanh(": "("},
    "tanh of each part": {"torch.tanh(": "(", "self.W_q(queries)": "torch.tanh(self.W_q(queries))",
        "self.W_k(keys)": "torch.tanh(self.W_k(keys))"},
    "one matrix for both": {"W_k = nn": "W_k = self.W_q if query_size == key_size else nn"},
    "a sum in place of w_v": {"self.w_v(hidden).squeeze(-1)": "hidden.sum(-1)"},
    "softmax of w_v": {"self.w_v(hidden).squeeze(-1)": "hidden @ self.w_v.weight[0].softmax(0)"},
    "a bias": {"num_hiddens, bias=False": "num_hiddens"},
    "w_v not registered": {
        "nn.Linear(num_hiddens, 1, bias=False)": "[nn.Linear(num_hiddens, 1, bias=False)]",
        "self.w_v(": "self.w_v[0](", "self.w_v.weight": "self.w_v[0].weight"},
    "w_v a buffer": {
        "        self.dropout =": (
            '        self.w_v.register_buffer("weight", self.w_v._parameters.pop("weight").data)\n'
            "        self.dropout =")},
    "dropout in eval mode": {"self.dropout(weights)": "F.dropout(weights, self.dropout.p)"},
    "dropout of the output": {"self.dropout(weights) @ values": "self.dropout(weights @ values)"}},
(4, "DotProductAttention"): {
    "no scale": {"queries.shape[-1] ** -0.5": "1.0"},
    "divided by d": {"** -0.5": "** -1.0"},
    "divided by sqrt(2)": {"queries.shape[-1] ** -0.5": "2**-0.5"},
    "divided by sqrt(m)": {"queries.shape[-1] ** -0.5": "keys.shape[-2] ** -0.5"},
    "no scale where weights are wanted": {"queries * scale": "queries"},
    "mask ignored without weights": {"values, mask, p": "values, None, p"},
    "mask ignored with weights": {"scores, mask": "scores"},
    "mask in train mode only": {"mask, p": "mask if self.training else None, p",
        "scores, mask": "scores, mask if self.training else None"},
    "-1e9 added": {"mask, p": "mask if mask is None else ~mask * queries.new_tensor(-1e9), p"},
    "causal without a mask": {"scale=scale": "scale=scale, is_causal=mask is None"},
    "overflow in a masked key": {"keys, values =": "_, values ="},
    "overflow in a masked value": {"keys, values =": "keys, _ ="},
    "the queries in place of the keys": {"@ keys": "@ queries",
        "keys, values, mask, p": "queries, values, mask, p"},
    "the keys in place of the values": {"@ values": "@ keys", "values, mask, p": "keys, mask, p"},
    "keys reshaped, not transposed": {"keys.mT": "keys.reshape(keys.mT.shape)"},
    "axes reversed": {"keys.mT": "keys.permute(*range(keys.ndim)[::-1]).reshape(keys.mT.shape)"},
    "keys.view": {"keys.mT": "keys.view(-1, keys.shape[-1]).view(keys.shape).mT"},
    "three axes only": {"keys.mT": "keys.transpose(1, 2)"},
    "the queries scaled in place": {"queries * scale": "queries.mul_(scale)"},
    "a buffer for the last weights": {
        "nn.Dropout(dropout)": 'nn.Dropout(dropout)\n        self.register_buffer("last", None)',
        "weights =": "weights = self.last ="},
    "weights returned after dropout": {
        "self.dropout(weights) @ values, weights":
            "(dropped := self.dropout(weights)) @ values, dropped"},
    "dropout in eval, with weights": {"self.dropout(weights": "F.dropout(weights, self.dropout.p"},
    "dropout in eval, without weights": {" if self.training else 0.0": ""},
    "no dropout without weights": {"mask, p, scale": "mask, 0.0, scale"},
    "dropout at 1 - p": {"self.dropout.p if": "1 - self.dropout.p if"},
    "dropout of the scores": {"masked_softmax(scores": "masked_softmax(self.dropout(scores)",
        "self.dropout(weights) @": "weights @"}},
(9, "check_cache"): {
    "anything taken for a cache": {"isinstance(cache, dict)": "True"},
    "what is no dict called a wrong one": {", TypeError)": ")"},
    "mask not checked": {"if mask is not None": "if False"},
    "no mask of heads": {'(layer.num_heads,) if getattr(mask, "ndim", 0) > 3 else ()': "()"},
    "mask for the new keys alone": {"0 if kept is None else kept[0].shape[2]": "0"},
    "mask for the old keys alone": {"old if nothing_new else old + keys.shape[1]": "old"},
    "mask of one axis": {"mask.dim() >= 2": "True"},
    "any number of axes": {"x.ndim == 3": "True"},
    "any width and dtype": {"check_attention_inputs(": "# check_attention_inputs("},
    "values of any width": {"D, D, D, dtype)": "D, D, None, dtype)"},
    "any dtype": {"D, D, D, dtype)": "D, D, D)"},
    "any number of sequences": {"len(x) == B": "True"},
    "a sequence for all": {"len(x) == B": "len(x) in (1, B)"},
    "as many sequences as queries": {"if kept is None else (len": "if True else (len"},
    "nothing from nothing": {"need(anything": "need(True"},
    "nothing new refused": {"need(anything": "need(not nothing_new"},
    "values without keys": {"keys is None and values is None": "keys is None"},
    "keys without values": {"keys is None and values is None": "values is None"}},
(9, "MultiHeadAttention"): {
    "split without transpose": {
        ".unflatten(-1, (H, D // H)).transpose(1, 2)": ".reshape(len(x), H, x.shape[1], D // H)"},
    "split by a reshape that a batch of 0 leaves open": {
        ".unflatten(-1, (H, D // H))": ".reshape(x.shape[0], -1, H, D // H)"},
    "merged without transpose": {"transpose(1, 2).flatten(2)": "reshape(-1, *queries.shape[1:])"},
    "split and merged without transpose": {
        ".unflatten(-1, (H, D // H)).transpose(1, 2)": ".reshape(len(x), H, x.shape[1], D // H)",
        "transpose(1, 2).flatten(2)": "reshape(-1, *queries.shape[1:])"},
    "no transpose, so heads attend to heads": {".transpose(1, 2)": ""},
    "num_heads and d exchanged": {"(H, D // H)": "(D // H, H)"},
    "every H-th column": {"(H, D // H)).transpose(1, 2)": "(D // H, H)).permute(0, 3, 1, 2)"},
    "merged in another order": {"pooled.transpose(1, 2)": "pooled.permute(0, 2, 3, 1)"},
    "averaged": {"pooled.transpose(1, 2).flatten(2)": "pooled.mean(dim=1).repeat(1, 1, H)"},
    "values not split": {
        "(q, k, v, mask,": "(q, k, v.transpose(1, 2).flatten(2).unsqueeze(1), mask,",
        "pooled.transpose(1, 2).flatten(2)": "pooled.mean(dim=1)"},
    "W_o left out": {"self.W_o(pooled": "(pooled"},
    "W_q for the keys": {"W_k(keys)": "W_q(keys)"},
    "W_k for the values": {"W_v(values)": "W_k(values)"},
    "the keys in place of the values": {"W_v(values)": "W_v(keys)"},
    "no bias": {"bias=bias": "bias=False"},
    "a bias always": {"bias=bias": "bias=True"},
    "divided by sqrt(D)": {"self.attention(q,": "self.attention(q / math.sqrt(H),"},
    "divided by sqrt(d) twice": {"self.attention(q,": "self.attention(q / math.sqrt(D // H),"},
    "softmax over the heads": {
        "pooled = self.attention(q, k, v, mask, need_weights)": (
            "scores = q @ k.mT / math.sqrt(D // H)\n"
            "        scores = scores if mask is None else scores.masked_fill(~mask, -1e9)\n"
            "        weights = torch.softmax(scores, dim=1)\n"
            "        pooled = (weights @ v, weights) if need_weights else weights @ v")},
    "weights averaged": {"(output, weights)": "(output, weights.mean(dim=1))"},
    "mask not handed on": {"v, mask, need": "v, None, need"},
    "no axis for the heads in the mask": {"mask.unsqueeze(-3)": "mask"},
    "that axis before the batch": {"mask.unsqueeze(-3)": "mask.unsqueeze(0)"},
    "the mask of the first head for all": {"or heads": "else mask[:, :1] if heads"},
    "nothing zeroed before the projections": {"keys, values =": "_ ="},
    "keys not zeroed before the projections": {"keys, values =": "_, values ="},
    "values not zeroed before the projections": {"keys, values =": "keys, _ ="},
    "what the first head does not see zeroed": {"mask.any(dim=1)": "mask[:, 0]"},
    "what one head does not see zeroed": {"mask.any(dim=1)": "mask.all(dim=1)"},
    "dropout not handed on": {"DotProductAttention(dropout)": "DotProductAttention()"},
    "dropout of the output": {"output = self": "output = self.attention.dropout(self",
        "flatten(2))": "flatten(2)))"},
    "need_weights not handed on": {"mask, need_weights)": "mask, True)",
        " if need_weights else (pooled, None)": "", " if need_weights else output": ""},
    "num_heads no divisor": {"d_model % num_heads == 0": "True"},
    "sizes below 1": {"size > 0": "size != 0"},
    "sizes of any type": {"is_integer(size)": "True"},
    "True for a size": {"is_integer(size)": "isinstance(size, int | np.integer)"},
    "numpy's integers refused": {"is_integer(size)": "type(size) is int"},
    "any d_model": {'"d_model": d_model, ': ""},
    "any number of axes": {"x.ndim != 3": "x.ndim < 1"},
    "values of any width": {"mask, D, D, D, dtype": "mask, D, D, None, dtype"},
    "any dtype": {"D, D, D, dtype,": "D, D, D, None,"},
    "mask used before it is checked": {"values, mask, D, D": "values, None, D, D"},
    "mask checked with the axis for the heads": {
        "        heads =": (
            '        mask = mask.unsqueeze(1) if getattr(mask, "ndim", 0) == 3 else mask\n'
            "        heads =")},
    "overwritten": {"if kept else new": "if False else new"},
    "written once": {"kept = tuple(": "kept = kept or tuple("},
    "new ones before the old": {"torch.cat(p,": "torch.cat(p[::-1],"},
    "keys and values exchanged in the cache": {"cache[self] = kept": "cache[self] = kept[::-1]"},
    "inputs in place of keys and values": {
        "split(self.W_k(keys)), split(self.W_v(values))": "keys.unsqueeze(1), values.unsqueeze(1)",
        "        mask = mask": (
            "        inputs, maps = kept, (self.W_k, self.W_v)\n"
            "        kept = tuple(split(W(x.squeeze(1))) for W, x in zip(maps, inputs))\n"
            "        mask = mask"),
        "cache[self] = kept": "cache[self] = inputs"},
    "one entry of the cache for all layers": {
        "cache.get(self)": "cache.get(type(self))", "cache[self]": "cache[type(self)]"},
    "an empty cache taken for none": {"cache is not None": "cache"},
    "a copy of the cache written": {
        "        kept = cache": (
            "        cache = None if cache is None else {**cache}\n"
            "        kept = cache")},
    "zeroed before it is kept": {
        "mask, cache)\n": (
            "mask, cache)\n"
            "            if keys is not None and mask is not None:\n"
            "                seen = (mask.any(dim=1) if heads else mask)[..., -keys.shape[1] :]\n"
            "                keys, values = zero_unseen(keys, values, seen)\n")},
    "nothing new projected again": {
        "        mask = mask": (
            "        if keys is None:\n"
            "            both = zip((self.W_k, self.W_v), kept)\n"
            "            kept = tuple(split(W(x.transpose(1, 2).flatten(2))) for W, x in both)\n"
            "        mask = mask")},
    "the queries where nothing is new": {
        "        if keys is not None": (
            "        keys, values = 2 * [queries] if keys is None else [keys, values]\n"
            "        if True")},
    "no mask with a cache": {"v, mask, need": "v, mask if cache is None else None, need"},
    "no W_o with a cache": {
        "self.W_o(pooled": "(self.W_o if cache is None else nn.Identity())(pooled"},
    "no weights with a cache": {
        "(output, weights) if need_weights": "(output, weights) if need_weights and cache is None"},
    "weights of the new keys alone": {
        "        if cache is not None:\n            cache[": (
            "        if need_weights and cache is not None and keys is not None:\n"
            "            weights = weights[..., -keys.shape[1] :]\n"
            "        if cache is not None:\n            cache[")},
    "nothing checked with a cache": {
        "check_cache(self, queries, keys, values, mask, cache)": "pass"},
    "the cache changed by a call that fails": {
        "values, mask, cache)": "values, None, cache)",
        "        mask = mask": (
            "        if cache is not None:\n"
            "            cache[self] = kept\n"
            "            check_cache(self, queries, None, None, mask, cache)\n"
            "        mask = mask")},
    "the cache changed before the checks": {
        "check_cache(self, queries, keys, values, mask, cache)": "pass",
        "        mask = mask": (
            "        if cache is not None:\n"
            "            cache[self] = kept\n"
            "            check_cache(self, queries, None, None, mask, cache)\n"
            "        mask = mask")}},
(10, "PositionalEncoding"): {
    "k from 1": {"torch.arange((d_model + 1) // 2,": "torch.arange(1, (d_model + 1) // 2 + 1,"},
    "base 1000": {"10000.0": "1000.0"},
    "frequencies of k / D": {"-2 * k": "-k"},
    "frequencies that grow": {"-2 * k": "2 * k - d_model"},
    "cosines first": {"angles.sin(), angles.cos()": "angles.cos(), angles.sin()"},
    "all sines, then all cosines": {"torch.stack": "torch.cat", "dim=-1).flatten(1)": "dim=1)"},
    "sines only": {"angles.cos()": "angles.sin()"},
    "even widths only": {"(d_model + 1) // 2": "d_model // 2"},
    "angles in float32": {"torch.float64": "torch.float32"},
    "counted from 1": {"places[:, None]": "(places[:, None] + 1)"},
    "as a share of max_len": {"places[:, None]": "places[:, None] / max_len"},
    "no buffer": {'register_buffer("codes", codes, persistent=False)': "codes = codes"},
    "a parameter": {
        'register_buffer("codes", codes, persistent=False)': "codes = nn.Parameter(codes)"},
    "a table in every file": {", persistent=False": ""},
    "offset ignored": {"[offset:end]": "[: x.shape[-2]]"},
    "one further on": {"[offset:end]": "[offset:end].roll(1, 0)"},
    "the last place for all": {"[offset:end]": "[end - 1]"},
    "counted along the second axis": {"x.shape[-2]": "x.shape[min(1, x.dim() - 2)]"},
    "multiplied": {"x + codes": "x * codes"},
    "beside the vectors": {"x + codes": "torch.cat([x, codes.expand_as(x)], dim=-1)"},
    "vectors times sqrt(D)": {"x + codes": "x * math.sqrt(D) + codes"},
    "written into the vectors": {"x + codes": "x.add_(codes)"},
    "gradient cut": {"x + codes": "x.detach() + codes"},
    "half precision returned in float32": {".to(x.dtype)": ""},
    "dropout of the codes": {"self.dropout(x + codes)": "x + self.dropout(codes)"},
    "no dropout": {"self.dropout(x + codes)": "x + codes"},
    "dropout in eval mode": {"self.dropout(x + codes)": "F.dropout(x + codes, self.dropout.p)"},
    "sizes of any type": {"is_integer(size)": "True"},
    "any size": {"is_integer(size)": "True", "size > 0": "True"},
    "sums of numpy's small integers": {"operator.index(offset)": "offset"},
    "any dtype": {"kind in FLOATS": "True"},
    "any width": {" and x.shape[-1] == D": ""},
    "one axis": {"x.dim() >= 2 and ": ""},
    "any offset": {"is_integer(offset)": "True", "offset >= 0": "True"},
    "beyond the table": {"end <= max_len": "True"}},
(11, "FeedForward"): {
    "no ReLU": {"torch.relu(self.W_1(x))": "self.W_1(x)"},
    "W_1 twice": {
        "self.W_2(self.dropout(hidden))":
            "F.linear(self.dropout(hidden), self.W_1.weight.mT, self.W_2.bias)"},
    "neighbours mixed": {"self.W_1(x)": "self.W_1(x if x.dim() < 2 else (x + x.roll(1, -2)) / 2)"},
    "no dropout": {"self.dropout(hidden)": "hidden"},
    "dropout in eval mode": {"self.dropout(hidden)": "F.dropout(hidden, self.dropout.p)"},
    "any size": {"check_sizes(d_model=d_model, d_hidden=d_hidden)": "pass"}},
(11, "residual"): {
    "orders swapped": {"if norm_first": "if not norm_first"},
    "no path, norm first": {"x + dropout(part(norm(x)))": "dropout(part(norm(x)))"},
    "no path, norm last": {"norm(x + dropout(part(x)))": "norm(dropout(part(x)))"},
    "the path normalised": {"x + dropout(part(norm(x)))": "norm(x) + dropout(part(norm(x)))"},
    "norm of the part alone": {"norm(x + dropout(part(x)))": "x + norm(dropout(part(x)))"},
    "norm over two axes": {"(norm(x)": "(F.layer_norm(x, x.shape[-2:]) * norm.weight + norm.bias"},
    "no dropout, norm first": {"dropout(part(norm(x)))": "part(norm(x))"},
    "no dropout, norm last": {"dropout(part(x))": "part(x)"},
    "dropout of the sum": {"x + dropout(part(norm(x)))": "dropout(x + part(norm(x)))"},
    "written into x": {"x + dropout(part(norm(x)))": "x.add_(dropout(part(norm(x))))"}},
(11, "EncoderBlock"): {
    "one norm twice": {"(nn.LayerNorm(d_model) for _ in range(2))": "2 * [nn.LayerNorm(d_model)]"},
    "mask not handed on": {"y, y, y, mask": "y, y, y"},
    "queries not normalised": {"(y, y, y, mask)": "(x, y, y, mask)"},
    "always norm first": {"nn.Dropout(dropout), norm_first": "nn.Dropout(dropout), True"},
    "no dropout in the network": {"d_hidden, dropout)": "d_hidden)"}},
(11, "DecoderBlock"): {
    "source and target exchanged": {"cross(y, new, new": "cross(memory, y, y"},
    "no memory mask": {"new, memory_mask": "new, None"},
    "the memory normalised": {"new = memory": "new = self.norm2(memory)"},
    "the sequence in place of the memory": {"cross(y, new, new": "cross(y, y, y"},
    "no mask": {"y, y, mask": "y, y, None"},
    "one norm for two parts": {"self.ffn, self.norm3": "self.ffn, self.norm2"},
    "no dropout of weights": {"num_heads, dropout)": "num_heads)"},
    "the memory appended again": {" if cache is None or cross not in cache else None": ""},
    "the memory projected again": {
        "new, new, memory_mask, cache=cache": "memory, memory, memory_mask"}},
(11, "check_tokens"): {
    "any dtype": {"kind in (torch.int32, torch.int64)": "True"},
    "any number of axes": {"tokens.dim() == 2": "True"},
    "one too many": {"tokens >= vocabulary": "tokens > vocabulary"},
    "counted from the end": {"(tokens < 0) | ": ""}},
(11, "check_sizes"): {
    "any": {"is_integer(size)": "True", "size > 0": "True"},
    "of any type": {"is_integer(size)": "True"},
    "True": {"is_integer(size)": "isinstance(size, int | np.integer)"},
    "numpy's integers refused": {"is_integer(size)": "type(size) is int"},
    "0": {"size > 0": "size >= 0"}},
(11, "check_model"): {
    "any number of blocks": {", num_layers=num_layers": ""},
    "any vocabulary": {"src_vocab=src_vocab, tgt_vocab=tgt_vocab, ": ""},
    "any padding": {"is_integer(pad)": "True", "0 <= pad < words": "True"},
    "padding of any type": {"is_integer(pad)": "True"},
    "padding in one vocabulary": {"min(": "max("},
    "padding counted from the end": {"0 <= pad": "-words <= pad"}},
(11, "check_decoding"): {
    "source tokens not checked": {'check_tokens("src", src, model.source.num_embeddings)': "pass"},
    "target tokens checked by the source": {"model.target": "model.source"},
    "any number of targets": {"len(tgt) == len(src)": "True"},
    "any memory": {"got == wanted": "True"},
    "memory of any length": {"got == wanted": "got[::2] == wanted[::2]"},
    "memory of any number of sequences": {"got == wanted": "got[1:] == wanted[1:]"}},
(11, "Transformer"): {
    "vectors for padding in the target": {".masked_fill((tgt == self.pad)[..., None], 0.0)": ""},
    "padding in the target times 0": {
        "masked_fill((tgt == self.pad)[..., None], 0.0)": "mul((tgt != self.pad)[..., None])"},
    "zeros for all but padding": {"tgt == self.pad": "tgt != self.pad"},
    "with a cache, position 0 for every token": {"(x, offset)": "(x)"},
    "with a cache, positions one too far": {".shape[2] if cache": ".shape[2] + 1 if cache"},
    "with a cache, several new tokens see each other": {"if n > 1": "if n > 1 and not offset"},
    "causal mask in train mode only": {"if n > 1": "if n > 1 and self.training"},
    "no mask in the encoder": {"block(x, mask)": "block(x)"},
    "padding attended to, and nothing else": {"(src != self": "(src == self"},
    "0 for padding": {"dropout), pad": "dropout), 0"},
    "memory mask from the target": {"tgt.shape[1], (src !=": "tgt.shape[1], (tgt !="},
    "no memory mask": {"memory, mask, memory_mask": "memory, mask, None"},
    "embedding of the source for the target": {"self.target(tgt)": "self.source(tgt)"},
    "no positions in the source": {"self.positions(self.source(src))": "self.source(src)"},
    "embeddings times sqrt(D)": {"(x, offset)": "(self.target.embedding_dim**0.5 * x, offset)"},
    "no norm behind the encoder": {"self.encoder_norm(x)": "x"},
    "no norm behind the decoder": {"self.decoder_norm(x)": "x"},
    "a last norm in both orders": {"if norm_first else nn.Identity": ""},
    "one block many times": {
        "(DecoderBlock(*sizes) for _ in range(num_layers))":
            "(num_layers * [DecoderBlock(*sizes)])"},
    "probabilities": {"decoder_norm(x))": "decoder_norm(x)).softmax(dim=-1)"},
    "no dropout of the positions": {"PositionalEncoding(D, dropout)": "PositionalEncoding(D)"},
    "no dropout in the blocks": {"d_hidden, dropout, norm": "d_hidden, 0.0, norm"},
    "source tokens not checked": {'check_tokens("src", src, self.source.num_embeddings)': "pass"},
    "any size": {"check_model(src_vocab, tgt_vocab, d_model, num_layers, pad)": "pass"},
    "nothing checked before decoding": {"check_decoding(self, tgt, memory, src)": "pass"}},
(13, "attention_maps"): {
    "no mask": {"result[1]": "masked_softmax(given[0] @ given[1].mT / given[0].shape[-1] ** 0.5)"},
    "no mask in the pass either": {"values, mask, True": "values, None, True"},
    "after dropout": {"append(result[1])": "append(layer.dropout(result[1]))"},
    "heads averaged": {"append(result[1])": "append(result[1].mean(dim=1))"},
    "all under the last name": {"def take(name)": "def take(_)"},
    "the last call only": {"setdefault(name, []).append(result[1])": "update({name: [result[1]]})"},
    "weights for who did not ask": {"result if asked.pop() else result[0]": "result"},
    "no weights for who asked": {"result if asked.pop() else result[0]": "result[0]"},
    "hooks left behind": {"hook.remove()": "pass"},
    "hooks left behind by an exception": {"try:": "if True:", "    finally:\n": ""}},
(12, "to_tokens"): {
    "no begin": {"[*begin, ": "["},
    "no end": {", *end]": "]"},
    "begin and end exchanged": {"*begin": "*end", "*end]": "*begin]"},
    "the first of the beginning only": {"*begin": "*begin[:1]"},
    "begin and end of the first sentence only": {
        "    n =": (
            "    rows[1:] = [row[len(begin) : len(row) - len(end)] for row in rows[1:]]\n"
            "    n =")},
    "padding in front": {"row + [0] * (n - len(row))": "[0] * (n - len(row)) + row"},
    "end behind the padding": {
        "row + [0] * (n - len(row))":
            "row[: len(row) - len(end)] + [0] * (n - len(row)) + [*end]"},
    "padded by the last token": {"[0] *": "row[-1:] *"},
    "one column of padding more": {"n - len(row)": "n + 1 - len(row)"},
    "cut to the shortest": {"max(map": "min(map", "[row +": "[row[:n] +"},
    "counted from 1": {"words.index,": "lambda word: words.index(word) + 1,"},
    "counted behind begin and end": {
        "words.index,": "lambda word: words.index(word) + len(begin) + len(end),"},
    "positions in the sorted list": {"words.index": "sorted(words).index"},
    "the words sorted": {"sentence)": "sorted(sentence))"},
    "each word once": {"sentence)": "dict.fromkeys(sentence))"},
    "floats": {"for row in rows])": "for row in rows]).float()"},
    "unknown words left out": {
        "need(word in words": "need(True", "sentence)": "filter(words.__contains__, sentence))"},
    "0 for unknown words": {"need(word in words": "need(True",
        "words.index,": "lambda word: words.index(word) if word in words else 0,"},
    "unknown words named by the list": {"need(word in words": "need(True"},
    "no sentence": {"len(sentences) > 0": "True", "map(len, rows)": "map(len, rows), default=0"}},
(12, "next_token_loss"): {
    "padding counted": {"ignore_index=pad": "ignore_index=-100"},
    "0 for padding, still in the mean": {"=smoothing)": '=smoothing, reduction="none").mean()'},
    "padding in the part that smooths": {
        "return": "return -smoothing * logits.log_softmax(-1).mean() + (1 - smoothing) *",
        "=smoothing)": "=0.0)"},
    "0 is padding": {"ignore_index=pad": "ignore_index=0"},
    "a mean of the sentences' means": {
        "=smoothing)":
            '=smoothing, reduction="none").sum(-1).div((tokens[:, 1:] != pad).sum(-1)).mean()'},
    "a sum": {"=smoothing)": '=smoothing, reduction="sum")'},
    "compared with the token that went in": {"tokens[:, 1:]": "tokens[:, :-1]"},
    "reshaped, not transposed": {"logits.mT": "logits.reshape(logits.mT.shape)"},
    "two softmaxes": {"logits.mT": "logits.softmax(dim=-1).mT"},
    "in bits": {"=smoothing)": "=smoothing) / math.log(2)"},
    "no smoothing": {"=smoothing)": "=0.0)"},
    "smoothed over the other tokens only": {
        "=smoothing)": "=smoothing * logits.shape[-1] / (logits.shape[-1] - 1))"},
    "gradient cut": {"logits.mT": "logits.detach().mT"}},
(12, "pair_batches"): {
    "targets of other rows": {"targets[rows]": "targets[rows.flip(0)]"},
    "targets in another order": {"targets[rows]": "targets[rows.sort().values]"},
    "targets of the next rows": {"targets[rows]": "targets[rows - 1]"},
    "source and target exchanged": {"yield src[:, :m], tgt[:, :n]": "yield tgt[:, :n], src[:, :m]"},
    "cut to the shortest": {".max()": ".min()"},
    "cut by one column": {"src[:, :m]": "src[:, : m - 1]"},
    "target cut by the last column": {"tgt[:, :n]": "tgt[:, : n - 1]"},
    "target cut as the source": {"tgt[:, :n]": "tgt[:, :m]"},
    "columns of padding left": {"src[:, :m], tgt[:, :n]": "src, tgt"},
    "columns of padding left in the target": {"tgt[:, :n]": "tgt"},
    "0 is padding": {"!= pad": "!= 0"},
    "batches of 63": {"[:64]": "[:63]"},
    "32 pairs twice": {"[:64]": "[:32].repeat(2)"},
    "not by length": {"drawn[lengths[drawn].argsort()]": "drawn"},
    "the shortest first": {"torch.randperm(10, generator=draw)": "torch.arange(10)"},
    "always the same batch": {"[step % 10]": "[0]"},
    "always the same ten batches": {"step % 10 == 0": "step == 0"},
    "never the last pair": {"randint(len(sources),": "randint(len(sources) - 1,"},
    "the same number for all": {
        "torch.randint(len(sources), (640,), generator=draw)": "torch.arange(640) % len(sources)"},
    "other batches each time": {"draw = torch.Generator().manual_seed(seed)": "draw = None"},
    "one seed for all": {"manual_seed(seed)": "manual_seed(0)"},
    "drawn from the generator of all": {"torch.Generator().manual_seed": "torch.manual_seed"},
    "a step too many": {"range(steps)": "range(steps + 1)"},
    "full tens only": {"range(steps)": "range(steps // 10 * 10)"}},
(12, "schedule"): {
    "no warm-up": {"min(rise, fall)": "fall"},
    "never falls": {"min(rise, fall)": "min(rise, 1.0)"},
    "the larger of both": {"min(rise": "max(rise"},
    "rises from 0": {"rise, fall = step": "rise, fall = (step - 1)"},
    "falls to 0": {"(steps + 1 - step)": "(steps - step)"},
    "falls from the first step": {"(steps + 1 - warm_up)": "steps"},
    "warm-up of 100 steps always": {"max(warm_up, 1)": "100"},
    "divided by a warm-up of 0": {"max(warm_up, 1)": "warm_up"}},
(12, "train_translator"): {
    "constant rate": {" * schedule(step, steps, warm_up)": ""},
    "falls until the stop": {"schedule(step, steps,": "schedule(step, stop,"},
    "counted from 0": {"schedule(step,": "schedule(step - 1,"},
    "trains in eval mode": {"    model.train()\n": ""},
    "twice the rate": {"rate=0.005": "rate=0.01"},
    "one rate for all": {"= rate *": "= 0.005 *"},
    "one seed for all": {", stop, seed)": ", stop)"},
    "Adam's usual betas": {", betas=(0.9, 0.98)": ""},
    "another optimizer": {"torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))":
        "torch.optim.SGD(model.parameters())"},
    "a new optimizer in every step": {
        "        for group": (
            "        optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))\n"
            "        for group")},
    "gradients added up": {"        optimizer.zero_grad()\n": ""},
    "gradients cleared before the step": {
        "        optimizer.step": "        optimizer.zero_grad()\n        optimizer.step"},
    "stop ignored": {"stop = stop or steps": "stop = steps"},
    "a step too many": {"targets, stop,": "targets, stop + 1,"},
    "always the first batch": {
        "pair_batches(sources, targets, stop, seed)":
            "[*pair_batches(sources, targets, 1, seed)] * stop"},
    "source and target exchanged": {"(sources, targets, stop,": "(targets, sources, stop,"},
    "loss_of ignored": {"loss_of(logits": "next_token_loss(logits"},
    "the target shifted twice": {"loss_of(logits, tgt)": "loss_of(logits, tgt[:, 1:])"},
    "the target not shifted": {"tgt[:, :-1]": "tgt",
        "loss_of(logits, tgt)": "loss_of(logits, F.pad(tgt, (1, 0)))"},
    "all of the target goes in": {"tgt[:, :-1]": "tgt"},
    "what should come out goes in": {"tgt[:, :-1]": "tgt[:, 1:]"},
    "in eval mode from the first snapshot on": {"deepcopy(model).eval()": "deepcopy(model.eval())"},
    "left in training mode": {"    model.eval()\n    return": "    return"},
    "snapshots in training mode": {"deepcopy(model).eval()": "deepcopy(model)"},
    "the model itself for a snapshot": {"copy.deepcopy(model).eval()": "model"},
    "the parameters of the model in a snapshot": {"copy.deepcopy(": "copy.copy("},
    "snapshots before the step": {
        "        optimizer.step()\n": "",
        "deepcopy(model).eval()": "deepcopy(model).eval()\n        optimizer.step()"},
    "steps of snapshots counted from 0": {"copies[step]": "copies[step - 1]"},
    "a snapshot in every step": {"if step in snapshots": "if True"},
    "a list of snapshots": {"return copies": "return [*copies.values()]"},
    "the last snapshot only": {"copies[step] =": "copies = {}; copies[step] ="},
    "no snapshots": {"return copies": "return {}"}},
(12, "check_searching"): {
    "training mode": {"not model.training": "True"},
    "any size": {"is_integer(size)": "True", "size > 0": "True"},
    "sizes of any type": {"is_integer(size)": "True"},
    "True for a size": {"is_integer(size)": "isinstance(size, int | np.integer)"},
    "numpy's integers refused": {"is_integer(size)": "type(size) is int"}},
(12, "greedy"): {
    "a new cache in every step": {"src, cache)": "src, {})"},
    "the whole beginning with the cache": {
        "new, memory, src, cache)":
            "torch.cat([0 * src[:, :1] + bos, *written], 1), memory, src, cache)[:, -1:]"},
    "the whole beginning without a cache": {
        "new, memory, src, cache)":
            "torch.cat([0 * src[:, :1] + bos, *written], 1), memory, src)[:, -1:]"},
    "the source encoded in every step": {"new, memory": "new, model.encode(src)"},
    "the logits of the first step in all": {"logits =": "logits = logits if written else"},
    "bos goes in again": {"new, memory": "torch.full_like(new, bos), memory"},
    "begins with eos": {"1), bos": "1), eos"},
    "bos is 1": {"1), bos": "1), 1"},
    "eos is 2": {"new == eos": "new == 2"},
    "padding is 0": {"done, model.pad": "done, 0"},
    "argmax over the places": {"argmax(-1)": "argmax(1)"},
    "argmax over the batch": {"argmax(-1)": "squeeze(1).argmax(0)[: len(src), None]"},
    "the least likely": {"argmax(-1)": "argmin(-1)"},
    "goes on behind eos": {".masked_fill(done, model.pad)": ""},
    "eos again behind eos": {"done, model.pad": "done, eos"},
    "forgets who is done": {"done | (new == eos)": "new == eos"},
    "padding in place of eos": {"append(new)": "append(new.masked_fill(new == eos, model.pad))"},
    "stops when any is done": {"done.all()": "done.any()"},
    "stops at max_len only": {"done.all()": "False"},
    "a step too many": {"range(max_len)": "range(max_len + 1)"},
    "bos returned": {"torch.cat(written": "torch.cat([torch.full_like(new, bos), *written]"},
    "gradients kept": {"@torch.no_grad()\n": ""},
    "nothing checked": {"check_searching(model, max_len=max_len)": "pass"}},
(12, "beam_search"): {
    "cache not reordered": {"kept[rows] for": "kept for"},
    "tokens not reordered": {"tokens[rows]": "tokens"},
    "done not reordered": {"done.flatten()[rows].view(B, width)": "done"},
    "rows of the batch mixed": {"(first_row + best": "(0 * first_row + best"},
    "sources in another order than their memories": {
        "src.repeat_interleave(width, dim=0)": "src.repeat(width, 1)"},
    "memories in another order than their sources": {
        ".repeat_interleave(width, 0)": ".repeat(width, 1, 1)"},
    "sources and memories in another batch's order": {
        ".repeat_interleave(width, 0)": ".repeat(width, 1, 1)",
        "src.repeat_interleave(width, dim=0)": "src.repeat(width, 1)"},
    "the source encoded for every beam": {
        "(src).repeat_interleave(width, 0)": "(src.repeat_interleave(width, 0))"},
    "the source encoded in every step": {
        "[:, -1:], memory": "[:, -1:], model.encode(src)"},
    "row and token exchanged": {"best // steps.shape[-1]": "best % width",
        "best % steps.shape[-1]": "best // width"},
    "a new cache in every step": {"src, cache)": "src, {})"},
    "the whole beginning with the cache": {"tokens[:, -1:]": "tokens"},
    "the whole beginning without a cache": {"[:, -1:], memory, src, cache": ", memory, src"},
    "equal beginnings at the start": {"total[:, 0] = 0.0": "total[:] = 0.0"},
    "scores not added up": {"(total.": "(total.masked_fill(total.isfinite(), 0.0)."},
    "logits for log-probabilities": {"logits.log_softmax(-1)": "logits"},
    "probabilities for their logarithms": {"log_softmax(-1)": "softmax(-1)"},
    "softmax over the batch": {"log_softmax(-1)": "log_softmax(0)"},
    "the mean over the tokens": {"1:], total[:, 0]": "1:], total[:, 0] / (tokens.shape[1] - 1)"},
    "goes on behind eos": {"torch.where(done.unsqueeze(-1), only_pad, steps)": "steps"},
    "padding counted": {"only_pad, steps)": "only_pad + steps, steps)"},
    "eos not counted": {"        only_pad =": "        steps[..., eos] = 0.0\n        only_pad ="},
    "padding is 0": {"only_pad[model.pad]": "only_pad[0]"},
    "bos is 1": {"1), bos": "1), 1"},
    "eos is 2": {"new == eos": "new == 2"},
    "forgets who is done": {"done.flatten()[rows].view(B, width) | (new == eos)": "new == eos"},
    "stops when any beam is done": {"done[:, 0].all()": "done.any()"},
    "stops when one sentence is done": {"done[:, 0].all()": "done[:, 0].any()"},
    "stops when all beams are done": {"done[:, 0].all()": "done.all()"},
    "a step too many": {"range(max_len)": "range(max_len + 1)"},
    "the last of the beams": {"tokens[::width": "tokens[width - 1 :: width"},
    "the score of the last beam": {"1:], total[:, 0]": "1:], total[:, -1]"},
    "the scores of all beams": {"1:], total[:, 0]": "1:], total"},
    "all beams returned": {"tokens[::width, 1:]": "tokens[:, 1:]"},
    "bos returned": {"tokens[::width, 1:]": "tokens[::width]"},
    "gradients kept": {"@torch.no_grad()\n": ""},
    "nothing checked": {"check_searching(model, width=width, max_len=max_len)": "pass"},
    "widths up to the vocabulary": {"topk(width)": "topk(min(width, steps.shape[-1]))"}},
(14, "CausalBlock"): {
    "cache not passed on": {", cache=cache": ""},
    "mask dropped": {"y, y, y, mask": "y, y, y, None"},
    "mask dropped with a cache": {"y, mask,": "y, mask if cache is None else None,"},
    "mask inverted": {"y, y, y, mask": "y, y, y, None if mask is None else ~mask"},
    "queries not normalised": {"self.attention(y,": "self.attention(x,"},
    "always norm first": {"self.norm_first": "True"},
    "always norm last": {"self.norm_first": "False"},
    "no dropout": {"self.dropout,": "nn.Identity(),"},
    "no network": {"return residual(x, self.ffn, self.norm2, *ways)": "return x"},
    "one norm for two parts": {"self.norm2": "self.norm1"}},
(14, "LanguageModel"): {
    "the mask moved by one": {
        "causal_mask(n, offset)": "causal_mask(n, offset + 1)[:, : offset + n]"},
    "the first token sees the second": {
        "        x = self": "        mask[0, :2] = True\n        x = self"},
    "no mask": {"causal_mask(n, offset)": "None"},
    "no mask in eval mode": {
        "causal_mask(n, offset)": "causal_mask(n, offset) if self.training else None"},
    "no mask in the first block": {
        "x = block(x, mask": "x = block(x, None if block is self.blocks[0] else mask"},
    "no token sees itself": {"causal_mask(n, offset)":
        "causal_mask(n, offset) & (torch.eye(n, offset + n).roll(offset, 1) == 0)"},
    "only the last token is seen": {
        "causal_mask(n, offset)": "causal_mask(n, offset).triu(offset)"},
    "with a cache, several new tokens see each other": {
        "causal_mask(n, offset)": "causal_mask(n, offset) if not offset else None"},
    "with a cache, nothing old is seen": {
        "        x = self": "        mask[:, :offset] = False\n        x = self"},
    "with a cache, the first token is not seen": {
        "        x = self": "        mask[:, :1] = mask[:, :1] & (offset == 0)\n        x = self"},
    "with a cache, position 0 for every token": {"(tokens), offset)": "(tokens))"},
    "with a cache, positions one too far": {".shape[2] if cache": ".shape[2] + 1 if cache",
        "causal_mask(n, offset)": "causal_mask(n, offset - 1 if cache else 0)"},
    "with a cache, positions one too near": {"(tokens), offset)": "(tokens), max(offset - 1, 0))"},
    "with a cache, an offset one too small": {".shape[2] if cache": ".shape[2] - 1 if cache",
        "causal_mask(n, offset)": "causal_mask(n, offset + 1 if cache else 0)"},
    "with a cache, the position of the last call": {
        "offset = cache[self.blocks[0].attention][0].shape[2] if cache else 0":
            'offset = 0 if cache is None else cache.pop("calls", 0)',
        "        return": (
            "        if cache is not None:\n"
            '            cache["calls"] = offset + 1\n'
            "        return"),
        "causal_mask(n, offset)":
            "causal_mask(n, list(cache.values())[0][0].shape[2] if cache else 0)"},
    "the cache not passed on": {"block(x, mask, cache)": "block(x, mask)"},
    "the cache passed to the first block only": {
        "block(x, mask, cache)":
            "block(x, *((mask, cache) if block is self.blocks[0] else (causal_mask(n), None)))"},
    "the cache shared by all blocks": {
        "block(x, mask, cache)": "block(x, mask, cache)\n"
            "            if cache is not None:\n"
            "                cache.update(dict.fromkeys([b.attention for b in self.blocks],"
            " cache[block.attention]))",
        "mask = causal_mask(n, offset)": "mask = None"},
    "no positions": {"self.positions(self.embedding(tokens), offset)": "self.embedding(tokens)"},
    "positions without embeddings": {
        "(self.embedding(tokens), offset)": "(0 * self.embedding(tokens), offset)"},
    "embeddings times sqrt(D)": {"(self.embedding(tokens), offset)":
        "(self.embedding.embedding_dim**0.5 * self.embedding(tokens), offset)"},
    "zeros for token 0": {
        "(self.embedding(tokens), offset)":
            "(self.embedding(tokens).masked_fill((tokens == 0)[..., None], 0.0), offset)"},
    "no norm behind the blocks": {"self.norm(x)": "x"},
    "norm before the blocks": {
        "self.norm(x)": "x",
        "        for block": "        x = self.norm(x)\n        for block"},
    "norm behind the parts": {
        "dropout)\n        self.embedding": "dropout, False)\n        self.embedding"},
    "norm behind every block": {
        "x = block(x, mask, cache)": "x = self.norm(block(x, mask, cache))"},
    "one block many times": {
        "(CausalBlock(*sizes) for _ in range(num_layers))":
            "(num_layers * [CausalBlock(*sizes)])"},
    "the first block only": {"for block in self.blocks": "for block in self.blocks[:1]"},
    "probabilities": {"self.output(self.norm(x))": "self.output(self.norm(x)).softmax(dim=-1)"},
    "no last bias": {
        "self.output(self.norm(x))": "F.linear(self.norm(x), self.output.weight)"},
    "two tables made one": {
        "        self.blocks": "        D, vocab = int(D), int(vocab)\n        self.blocks",
        "self.output(self.norm(x))": "self.norm(x) @ self.embedding.weight.mT + self.output.bias"},
    "no dropout of the positions": {"PositionalEncoding(D, dropout)": "PositionalEncoding(D)"},
    "no dropout in the blocks": {"d_hidden, dropout)\n": "d_hidden)\n"},
    "tokens not checked": {'check_tokens("tokens", tokens, self.embedding.num_embeddings)': "pass"},
    "any size": {"check_sizes(vocab=vocab, d_model=d_model, num_layers=num_layers)": "pass"}},
(14, "check_text"): {
    "any context": {"is_integer(context)": "True", "context > 0": "True"},
    "no context": {"context > 0": "context >= 0"},
    "any dtype": {"kind in (torch.int32, torch.int64)": "True"},
    "what is no tensor called a wrong one": {"need_tensor(text,": "need(torch.is_tensor(text),"},
    "any number of axes": {"text.dim() == 1 and ": ""},
    "one token too few": {"len(text) > context": "len(text) >= context"}},
(14, "train_language_model"): {
    "shift by two": {"logits = model(tokens[:, :-1])": "logits = model(tokens[:, :-2])",
        "loss(logits, tokens,": "loss(logits, tokens[:, 1:],", "context + 1": "context + 2"},
    "shift by two, of windows as long as ever": {
        "logits = model(tokens[:, :-1])": "logits = model(tokens[:, :-1])[:, :-1]",
        "loss(logits, tokens,": "loss(logits, tokens[:, 1:],"},
    "shift by zero": {"next_token_loss(logits, tokens,":
        "next_token_loss(logits, F.pad(tokens[:, :-1], (1, 0)),"},
    "shift back": {"next_token_loss(logits, tokens,":
        "next_token_loss(logits, F.pad(tokens[:, :1], (1, 0)).expand(-1, 2) if context == 1 else "
        "F.pad(tokens[:, :-2], (2, 0), value=-1),"},
    "the last place of each window only": {
        "next_token_loss(logits, tokens,": "next_token_loss(logits[:, -1:], tokens[:, -2:],"},
    "the first place is missing": {"next_token_loss(logits, tokens,":
        "next_token_loss(logits, torch.cat([tokens[:, :1], -tokens[:, 1:2] ** 0, tokens[:, 2:]], 1)"
        " if context > 1 else tokens,"},
    "windows one token short": {"context + 1": "max(context, 2)"},
    "windows one token long": {"windows = text.unfold(0, context + 1, 1)":
        "windows = text.unfold(0, min(context + 2, len(text)), 1)"},
    "windows side by side": {"context + 1, 1)": "context + 1, context + 1)"},
    "the last window never drawn": {"randint(len(windows),": "randint(max(len(windows) - 1, 1),"},
    "the first window never drawn": {"randint(len(windows),":
        "randint(int(len(windows) > 1), len(windows),"},
    "early windows more often": {"(batch,), generator=draw)":
        "(2, batch), generator=draw).amin(0)"},
    "always the first window": {"= windows[rows]": "= windows[0 * rows]"},
    "no window twice in a batch": {"torch.randint(len(windows), (batch,), generator=draw)":
        "torch.randperm(len(windows), generator=draw)[:batch]"},
    "seed ignored": {"manual_seed(seed)": "manual_seed(0)"},
    "no seed": {".manual_seed(seed)": ", torch.seed()", "draw = torch": "draw, _ = torch",
        "generator=draw": "generator=None"},
    "drawn from the generator of all": {"torch.Generator().manual_seed": "torch.manual_seed"},
    "the same batch in every step": {
        "    for step":
            "    drawn = torch.randint(len(windows), (batch,), generator=draw)\n    for step",
        "rows = torch.randint(len(windows), (batch,), generator=draw)": "rows = drawn"},
    "left in training mode": {"    model.eval()\n": ""},
    "trains in eval mode": {"    model.train()\n": ""},
    "token 0 is padding": {"tokens, -1)": "tokens, 0)"},
    "token 0 is padding by default": {"(logits, tokens, -1)": "(logits, tokens)"},
    "the last token is padding": {"tokens, -1)": "tokens, logits.shape[-1] - 1)"},
    "smoothing": {"tokens, -1)": "tokens, -1, 0.1)"},
    "no schedule": {" * schedule(step, steps, min(100, steps))": ""},
    "no warm-up": {"min(100, steps))": "0)"},
    "rises only": {"schedule(step, steps, min(100, steps))": "min(step / 100, 1.0)"},
    "a warm-up of 100 steps always": {"schedule(step, steps, min(100, steps))":
        "min(step / 100, (steps + 1 - step) / max(steps - 99, 1))"},
    "counted from 0": {"schedule(step,": "schedule(step - 1,"},
    "twice the rate": {"rate=0.004": "rate=0.008"},
    "one rate for all": {"= rate *": "= 0.004 *"},
    "one batch size for all": {"(batch,)": "(16,)"},
    "another batch size": {"batch=16": "batch=32"},
    "another context": {"context=64": "context=32"},
    "Adam's usual betas": {", betas=(0.9, 0.98)": ""},
    "another optimizer": {"torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))":
        "torch.optim.SGD(model.parameters())"},
    "gradients added up": {"        optimizer.zero_grad()\n": ""},
    "gradients cleared before the step": {
        "        optimizer.step": "        optimizer.zero_grad()\n        optimizer.step"},
    "a step too many": {"range(1, steps + 1)": "range(1, steps + 2)"},
    "a step too few": {"range(1, steps + 1)": "range(1, steps)"},
    "nothing checked": {"check_text(text, context)": "pass"}},
(14, "keep_top_k"): {
    "one more": {"topk(k)": "topk(min(k + 1, logits.shape[-1]))"},
    "one fewer": {"topk(k)": "topk(max(k - 1, 1))"},
    "the smallest": {"topk(k)": "topk(k, largest=False)"},
    "the others": {"masked_fill(outside,": "masked_fill(~outside,"},
    "the largest sizes": {"logits.topk(k)": "logits.abs().topk(k)"},
    "log-probabilities": {"return logits": "return logits.log_softmax(-1)"},
    "probabilities": {"return logits": "return logits.softmax(-1)"},
    "log-probabilities among the kept": {
        "masked_fill(outside, -math.inf)": "masked_fill(outside, -math.inf).log_softmax(-1)"},
    "equal ones kept too": {
        "    return": "    outside = logits < logits.topk(k).values[..., -1:]\n    return"},
    "equal ones dropped": {"    return": (
        "    worst = logits.topk(min(k + 1, logits.shape[-1])).values[..., -1:]\n"
        "    outside = logits <= worst if k < logits.shape[-1] else logits < worst\n    return")},
    "one set for all rows": {"logits.topk(k).indices":
        "logits.reshape(-1, logits.shape[-1])[0].topk(k).indices.expand(*logits.shape[:-1], k)"},
    "k of all rows together": {"    return":
        "    outside = logits < logits.flatten().topk(k).values[-1]\n    return"},
    "along the first axis": {
        "logits.topk(k).indices": "logits.topk(min(k, len(logits)), dim=0).indices",
        "scatter(-1": "scatter(0"},
    "0 in place of minus infinity": {"-math.inf": "0.0"},
    "-1e9 in place of minus infinity": {"-math.inf": "-1e4"},
    "in float32": {"return logits": "return logits.float()"},
    "in place": {"masked_fill(": "masked_fill_("}},
(14, "keep_nucleus"): {
    "the first token may be dropped": {"(before >= p)": "(likeliest.cumsum(-1) > p)"},
    "the first token is dropped": {
        "(before >= p)": "(before >= p).index_fill(-1, torch.tensor(0), True)"},
    "without the token that crosses p": {
        "(before >= p)": "((before >= p) | (likeliest.cumsum(-1) > p))"},
    "without the token that crosses p, but the first": {
        "(before >= p)": "((likeliest.cumsum(-1) > p) & (before > 0))"},
    "one too many": {"(before >= p)": "(F.pad(before, (1, -1)) >= p)"},
    "one more where p is reached exactly": {"before >= p": "before > p"},
    "the least likely first": {", descending=True": ""},
    "not in the tokens' order": {".gather(-1, order.argsort(-1))": ""},
    "in the order's order": {"gather(-1, order.argsort(-1))": "gather(-1, order)"},
    "along the first axis": {"softmax(-1)": "softmax(0)", "sort(dim=-1": "sort(dim=0",
        "cumsum(-1), (1, -1)": "cumsum(0), (0, 0) + (0, 0) * (logits.dim() - 2) + (1, -1)",
        "gather(-1, order.argsort(-1))": "gather(0, order.argsort(0))"},
    "probabilities over all rows": {
        "logits.softmax(-1)": "logits.flatten().softmax(0).view(logits.shape)"},
    "summed over the batch": {"cumsum(-1), (1, -1)":
        "cumsum(-1).reshape(-1, logits.shape[-1]).mean(0).expand(logits.shape), (1, -1)"},
    "logits summed": {"logits.softmax(-1)": "logits"},
    "sums not added up": {"likeliest.cumsum(-1)": "likeliest"},
    "tokens below p dropped": {"(before >= p)": "((likeliest < p) & (before > 0))"},
    "tokens below p of the likeliest dropped": {
        "(before >= p)": "(likeliest < p * likeliest[..., :1])"},
    "1 - p": {"before >= p": "before >= 1 - p"},
    "the most likely dropped": {"masked_fill(outside,": "masked_fill(~outside,"},
    "log-probabilities among the kept": {
        "masked_fill(outside, -math.inf)": "masked_fill(outside, -math.inf).log_softmax(-1)"},
    "probabilities": {"return logits": "return logits.softmax(-1)"},
    "0 in place of minus infinity": {"-math.inf": "0.0"},
    "in place": {"masked_fill(": "masked_fill_("}},
(14, "check_generating"): {
    "training mode": {"not model.training": "True"},
    "any context": {"is_integer(context)": "True", "context > 0": "True"},
    "contexts that are odd": {"context % 2 == 0": "True"},
    "numpy's integers refused": {"is_integer(length)": "type(length) is int"},
    "any length": {"is_integer(length)": "True", "length >= 0": "True"},
    "tokens not checked": {
        'check_tokens("tokens", tokens, model.embedding.num_embeddings)': "pass"},
    "no token to begin with": {"tokens.shape[1] > 0": "True"},
    "any temperature": {"is_number(temperature)": "True", "temperature > 0": "True"},
    "a temperature of 0": {"temperature > 0": "temperature >= 0"},
    "a temperature of any type": {"is_number(temperature)": "True"},
    "numpy's numbers refused": {"is_number(p)": "type(p) in (int, float)"},
    "any k": {"is_integer(k)": "True", "1 <= k <= most": "True"},
    "a k of 0": {"1 <= k": "0 <= k"},
    "a k beyond the tokens": {"1 <= k <= most": "1 <= k"},
    "any p": {"is_number(p)": "True", "0 < p <= 1": "True"},
    "a p of 0": {"0 < p": "0 <= p"},
    "a p above 1": {"0 < p <= 1": "0 < p"}},
(14, "generate"): {
    "the cache lives a step too long": {"step % half == 0": "step % (half + 1) == 0"},
    "the cache lives for a whole context": {"step % half == 0": "step % context == 0"},
    "the cache is never renewed": {"step % half == 0": "step == 0"},
    "the cache begins anew with one token": {
        "tokens[:, -half:]": "tokens[:, -half:] if step == 0 else new"},
    "the cache begins anew with one token more": {"tokens[:, -half:]": "tokens[:, -half - 1 :]"},
    "the cache begins anew with the first half": {
        "tokens[:, -half:]": "tokens[:, -half:] if step == 0 else tokens[:, :half]"},
    "starts over with the whole text": {"tokens[:, -half:]": "tokens"},
    "starts over with a whole context": {"tokens[:, -half:]": "tokens[:, -context:]"},
    "the old cache with the last half": {"cache, new = {},": "cache, new = cache if step else {},"},
    "a new cache in every step": {"model(new, cache)": "model(new, {})"},
    "the whole text with the cache": {"model(new, cache)": "model(tokens[:, -half:], cache)"},
    "the whole text without a cache": {"model(new, cache)": "model(tokens)"},
    "the last half in every step": {"model(new, cache)": "model(tokens[:, -half:], {})"},
    "the logits of the first place": {"[:, -1] / temp": "[:, 0] / temp"},
    "the token before goes in": {
        "        new = torch.multi": "        old = new[:, -1:]\n        new = torch.multi",
        "dim=1)\n    return": "dim=1)\n        new = old\n    return"},
    "new tokens not appended": {"        tokens = torch.cat([tokens, new], dim=1)\n": ""},
    "new tokens in front": {"[tokens, new]": "[new, tokens]"},
    "without the beginning": {"return tokens": "return tokens[:, -length:]"},
    "a token too many": {"range(length)": "range(length + 1)"},
    "as long as length in all": {"range(length)": "range(length - tokens.shape[1])"},
    "temperature multiplies": {"/ temperature": "* temperature"},
    "temperature ignored": {" / temperature": ""},
    "temperature after the filters": {" / temperature": "",
        "logits.softmax(-1)": "(logits / temperature).softmax(-1)"},
    "temperature of the probabilities": {" / temperature": "",
        "logits.softmax(-1)": "logits.softmax(-1) / temperature"},
    "k ignored": {"logits = keep_top_k(logits, k)": "pass"},
    "p ignored": {"logits = keep_nucleus(logits, p)": "pass"},
    "p ignored where there is a k": {"if p is not None": "if p is not None and k is None"},
    "p before k": {"        if k is not None:\n            logits = keep_top_k(logits, k)\n": "",
        "        new =": (
            "        if k is not None:\n"
            "            logits = keep_top_k(logits, min(k, logits.shape[-1]))\n"
            "        new =")},
    "k and p in the first step only": {
        "if k is": "if step == 0 and k is",
        "if p is": "if step == 0 and p is"},
    "0.9 for p": {"(logits, p)": "(logits, 0.9)"},
    "k always 1": {"(logits, k)": "(logits, 1)"},
    "one seed for all": {"manual_seed(seed)": "manual_seed(0)"},
    "other texts each time": {"generator=draw": "generator=None"},
    "drawn from the generator of all": {"torch.Generator().manual_seed": "torch.manual_seed"},
    "the same numbers in every step": {
        "        new = torch": "        draw.manual_seed(seed)\n        new = torch"},
    "the likeliest token always": {
        "torch.multinomial(logits.softmax(-1), 1, generator=draw)":
            "logits.argmax(-1, keepdim=True)"},
    "drawn from the logits": {"logits.softmax(-1)": "logits.clamp(min=0) + 1e-9"},
    "softmax over the batch": {"logits.softmax(-1)": "logits.softmax(0)"},
    "all that is kept equally likely": {"logits.softmax(-1)": "logits.isfinite().double()"},
    "one draw for all rows": {"generator=draw)": "generator=draw)[:1].expand(len(tokens), 1)"},
    "rows by the first row's probabilities": {
        "logits.softmax(-1)": "logits.softmax(-1)[:1].expand_as(logits)"},
    "another context": {"context=64": "context=4"},
    "gradients kept": {"@torch.no_grad()\n": ""},
    "nothing checked": {
        "check_generating(model, tokens, length, temperature, k, p, context)": "pass"}},
}
