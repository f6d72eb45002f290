"""Wrong versions of what the pages keep: some words of the real code, and what replaces them.

definition: {what is wrong: {words: what stands in their place}}. To add one is to write one entry
here, at most three for a definition, each what a student might write; `make mutants` shows that
some property notices it.
"""

# fmt: off
WRONG = {
"attention_pooling": {
    "the keys in place of the values": {"weights @ values": "weights @ keys"},
    "softmax over the queries": {"dim=-1": "dim=-2"}},
"length_mask": {
    "one key too many": {"key_numbers <": "key_numbers <="},
    "True where a key is masked": {"key_numbers <": "key_numbers >="},
    "no axis for the queries": {"if valid_lens.dim() == 1": "if False"}},
"causal_mask": {
    "a query does not see its own key": {"diagonal=offset": "diagonal=offset - 1"},
    "offset ignored": {"diagonal=offset": "diagonal=0"}},
"masked_softmax": {
    "mask only after the softmax": {"    scores = scores.masked_fill(~mask, -math.inf)\n": ""},
    "0 in place of minus infinity": {"-math.inf)": "0.0)"},
    "rows without a key nan in the gradient": {
        "    scores = scores.masked_fill(empty, 0.0)": "    #"}},
"DotProductAttention": {
    "no scale": {" / math.sqrt(d)": "", "dropout_p=p": "dropout_p=p, scale=1.0"},
    "mask ignored without weights": {"values, mask, dropout_p": "values, None, dropout_p"},
    "keys reshaped, not transposed": {"keys.mT": "keys.reshape(keys.mT.shape)"}},
"AdditiveAttention": {
    "squeeze of every axis of 1": {".squeeze(-1)": ".squeeze()"},
    "no tanh": {"torch.tanh(q + k)": "q + k"},
    "mask ignored": {"masked_softmax(scores, mask)": "masked_softmax(scores)"}},
"MultiHeadAttention": {
    "split and merged without transpose": {
        "(B, n, H, D // H)": "(B, H, n, D // H)",
        "return x.transpose(1, 2)": "return x",
        "x = heads.transpose(1, 2)  # (B, n, H, d)\n": "B, H, n, d = heads.shape\n",
        "x.flatten(2)": "heads.reshape(B, n, H * d)"},
    "divided by sqrt(D)": {"self.attention(q,": "self.attention(q / math.sqrt(self.num_heads),"},
    "no axis for the heads in the mask": {"mask.unsqueeze(1)": "mask"}},
"frequencies": {
    "k from 1": {"torch.arange(D // 2,": "torch.arange(1, D // 2 + 1,"},
    "of k / D": {"-2 * k": "-k"}},
"PositionalEncoding": {
    "all sines, then all cosines": {
        "0::2": ": (d_model + 1) // 2", "1::2": "(d_model + 1) // 2 :"},
    "offset ignored": {"self.codes[offset : offset + n]": "self.codes[:n]"}},
"rotate": {
    "in the other direction": {"+ second": "- second", "- first": "+ first"},
    "columns k and k + d / 2": {
        "x[..., 0::2]": "x[..., : d // 2]", "x[..., 1::2]": "x[..., d // 2 :]",
        "turned[..., 0::2]": "turned[..., : d // 2]", "turned[..., 1::2]": "turned[..., d // 2 :]"}},
"cosines_and_sines": {
    "angles of 32 bits": {"frequencies(d, base)": "frequencies(d, base).float()"},
    "kept by inference alone": {"@torch.inference_mode(False)": "#"}},
"FeedForward": {
    "no ReLU": {"torch.relu(self.W_1(x))": "self.W_1(x)"},
    "no dropout": {"self.dropout(hidden)": "hidden"}},
"CachedAttention": {
    "the new keys and values alone": {"k, v = cache.update(": "cache.update("},
    "values kept in the place of keys": {"update(self, k, v)": "update(self, v, k)"},
    "one cache entry for all layers": {"cache.update(self,": "cache.update(0,"}},
"EncoderBlock": {
    "no path around the attention": {
        "x = x + self.dropout(self.attention(y": "x = self.dropout(self.attention(y"},
    "one norm for both parts": {"y = self.norm2(x)": "y = self.norm1(x)"},
    "no mask": {"(y, y, y, mask": "(y, y, y, None"}},
"DecoderBlock": {
    "memory asks, target answers": {
        "self.cross_attention(y, memory, memory,": "self.cross_attention(memory, y, y,"},
    "no causal mask": {"(y, y, y, mask": "(y, y, y, None"},
    "no memory mask": {"(y, memory, memory, memory_mask": "(y, memory, memory, None"}},
"Cache": {
    "overwritten, not appended": {"if layer in self.kept": "if False"},
    "one entry for all layers": {"layer in self.kept": "0 in self.kept",
        "self.kept[layer]": "self.kept[0]"},
    "not reordered": {"self.kept[layer] = (keys[rows], values[rows])": "pass"},
    "a copy that is the same": {"setattr(twin, name, copy.copy(value))": "setattr(twin, name, value)"},
    "a mask without the old tokens": {"causal_mask(n, offset, device)": "causal_mask(n, 0, device)"}},
"Transformer": {
    "no causal mask": {"causal_mask(tgt.shape[1], device=tgt.device)": "None"},
    "no memory mask": {"memory, mask, memory_mask": "memory, mask, None"}},
"RMSNorm": {
    "the mean taken off": {"mean_square = exact":
        "exact = exact - exact.mean(-1, True)\n        mean_square = exact"},
    "squares of 16 bits": {"exact.square()": "x.square()"}},
"SwiGLU": {
    "no gate": {"gate * self": "self"},
    "a bias": {"self.W_2 = nn.Linear(d_hidden, d_model, bias=False)":
        "self.W_2 = nn.Linear(d_hidden, d_model)"}},
"attention_maps": {
    "no mask": {"masked_softmax(scores, mask)": "torch.softmax(scores, dim=-1)"},
    "after dropout": {"append(weights)": "append(attention.dropout(weights))"},
    "hooks left behind by an exception": {
        "    try:\n        yield maps\n    finally:": "    if True:\n        yield maps"}},
"to_tokens": {
    "begin and end exchanged": {"[*begin, *tokens, *end]": "[*end, *tokens, *begin]"},
    "padding in front": {"batch_first=True": 'batch_first=True, padding_side="left"'},
    "0 for unknown words": {"token_of[word]": "token_of.get(word, 0)"}},
"next_token_loss": {
    "padding is 0, but counts in the mean": {
        "return F.": "return (expected != pad).double().mean() * F."},
    "compared with the tokens that went in": {"tokens[:, 1:]  #": "tokens[:, :-1]  #"},
    "two softmaxes": {"logits.mT": "logits.mT.softmax(dim=1)"}},
"pair_batches": {
    "targets of other sources": {"targets[rows]": "targets[rows.flip(0)]"},
    "cut to the shortest": {"any(dim=0)": "all(dim=0)"},
    "0 is padding": {"!= pad": "!= 0"}},
"schedule": {
    "no warm-up": {"min(rise, fall)": "fall"},
    "falls from the first step": {"(steps + 1 - warm_up)": "steps"}},
"train_translator": {
    "gradients added up": {"        optimizer.zero_grad()\n": ""},
    "trained in eval mode": {"    model.train()\n": ""},
    "what should come out goes in": {"tgt[:, :-1]": "tgt[:, 1:]"}},
"greedy": {
    "reads the newest token alone": {"decode(tokens,": "decode(tokens[:, -1:],"},
    "goes on behind eos": {"        new = new.masked_fill(done, model.pad)\n": ""},
    "stops when any is done": {"done.all()": "done.any()"}},
"beam_search": {
    "what has ended not reordered": {"done.flatten()[rows].view(B, width)": "done"},
    "continues the first sentence": {"first_row + best": "best"},
    "tokens not reordered": {"tokens[rows]": "tokens"},
    "equal hypotheses at the start": {"total[:, 0] = 0.0": "total[:] = 0.0"}},
"LanguageModel": {
    "each token sees the next": {"causal_mask(tokens.shape[1], device=tokens.device)":
        "causal_mask(tokens.shape[1], 1)[:, :-1]"},
    "no positions": {"x = self.positions(x)": "pass"}},
"CachedBlock": {
    "no cache": {"cache=cache)": "cache=None)"},
    "one norm for both parts": {"y = self.norm2(x)": "y = self.norm1(x)"}},
"CachedLanguageModel": {
    "position 0 for every call": {"self.positions(x, offset)": "self.positions(x)"},
    "a stopped call leaves half in the cache": {"@checks.all_or_nothing": ""}},
"draw_windows": {
    "the last place never drawn": {"len(text) - context,": "max(len(text) - context - 1, 1),"}},
"train_language_model": {
    "the tokens that go in should come out": {"tokens[:, 1:]": "tokens[:, :-1]"},
    "the same batch in every step": {
        "        tokens =": "        generator.manual_seed(seed)\n        tokens ="}},
"bits_of": {
    "nats": {" / math.log(2)": ""},
    "windows that don't overlap": {"+ 1, half)": "+ 1, context)", "context - half :": ":"}},
"keep_top_k": {
    "counted from the smallest": {"topk(k)": "topk(k, largest=False)"},
    "equal ones dropped": {"logits < cutoff": "logits <= cutoff"}},
"keep_nucleus": {
    "without the token that crosses p": {"sum_before < p": "largest_first.cumsum(-1) <= p"},
    "one cutoff for all rows": {"count - 1)": "count - 1).amin()"}},
"generate": {
    "the cache holds one more": {"len(cache) == context": "len(cache) > context"},
    "temperature multiplies": {"/ temperature": "* temperature"},
    "p before k": {
        "        if k is not None:\n            logits = keep_top_k(logits, k)\n": "",
        "        probabilities =": (
            "        if k is not None:\n            logits = keep_top_k(logits, k)\n"
            "        probabilities =")}},
"GroupedQueryAttention": {
    "heads 0, G, 2 G share keys": {"k.repeat_interleave(self.share, dim=1)":
        "k.repeat(1, self.share, 1, 1)"},
    "the mask is checked when the cache has changed": {"checks.grouped(self, x, mask, cache)": "pass"},
    "keys not rotated": {"k = rotate(k, offset, self.base)": "pass"}},
"LlamaBlock": {
    "the path normalised": {"x = x + self.attention(y": "x = y + self.attention(y"},
    "no norm before the network": {"self.ffn(y)": "self.ffn(x)"},
    "no mask": {"offset, mask, cache)\n": "offset, None, cache)\n"}},
"Llama": {
    "no norm behind the blocks": {"self.norm(x)": "x"},
    "with a cache, position 0 for every token": {"block(x, offset": "block(x, 0"},
    "a stopped call leaves half in the cache": {"@checks.all_or_nothing": ""}},
"from_4_bits": {
    "the upper bits first": {"[first, second]": "[second, first]"},
    "neighbours in one byte": {"torch.cat([first, second], dim=1)":
        "torch.stack([first, second], dim=2).flatten(1)"}},
"from_8_bits": {
    "steps from 0 to 255": {".view(torch.int8)": ""}},
"byte_signs": {
    "each byte is its own character": {"chr(spare)": "chr(byte)"}},
"dequantize": {
    "rows and columns exchanged": {"reshape(stored.shape)": "reshape(stored.shape[::-1]).T"}},
"word_pattern": {
    "no endings": {"'(?:[stmd]|re|ve|ll)|": ""},
    "words without the space before them": {r"| ?[^\W_": r"|[^\W_"}},
"Tokenizer": {
    "from left to right": {"key=self.rank.get": "key=known.index"},
    "merges across words": {"self.word.findall(piece)": "[piece] if piece else []"},
    "characters, not bytes": {"word.encode()": "map(ord, word)"},
    "special tokens by their bytes": {"self.special.fullmatch(text) or": "False or"}},
"course_weights": {
    "pairs not exchanged": {"pairs.flip(1)": "pairs"},
    "the gate on the wrong map": {'"ffn_up"': '"ffn_other"', '"ffn_gate"': '"ffn_up"',
        '"ffn_other"': '"ffn_gate"'}},
"chat": {
    "the model begins": {"i % 2 == 0": "i % 2"},
    "the last turn left open": {"{turn}<|im_end|>\\n": "{turn}\\n"}},
"answer": {
    "the end is written, too": {"            break\n": "            longest = 0\n"},
    "all read again": {"unread = new": "unread = torch.cat([unread, new], dim=1)"}},
"load": {
    "in training mode": {"model.eval().": "model."},
    "the usual base": {'facts["llama.rope.freq_base"]': "10_000"},
    "one key for each head": {"head_count_kv": "head_count"}},
"blockwise_attention": {
    "the sum isn't corrected": {"total = correction * total": "total = total"},
    "the last block is left out": {"range(0, m, block)": "range(0, m - block + 1, block)"}},
"WindowAttention": {
    "one key too many": {"< self.window - self.first": "<= self.window - self.first"},
    "the first token sees later ones": {" & (j <= i))": ")"},
    "positions from 0": {"torch.arange(m - n, m,": "torch.arange(n,"}},
"WindowCache": {
    "one key too many": {"- self.first - 1": "- self.first"},
    "no first token": {"*range(min(self.first, m)), ": ""},
    "cut before the attention": {"return keys, values": "return self.kept[layer]"},
    "the model's mask": {"return len(self), None": "return super().begin(n, device)"}},
"Indexer": {
    "no ReLU": {"F.relu(products)": "products"},
    "the query's position isn't known": {"offset, base=100_000)  # (B, J": "0, base=100_000)  # (B, J"}},
"linear_attention": {
    "the state isn't carried": {"S = S + k.mT @ v": "S = k.mT @ v"},
    "later keys of the chunk": {".tril()": ""}},
"delta_rule": {
    "values instead of surprises": {"S = S + k.mT @ u": "S = S + k.mT @ v"},
    "the rate only on the right": {"rate * (k @ k.mT).tril(-1)": "(k @ k.mT).tril(-1)"}},
"removing": {
    "hooks left behind by an exception": {
        "    try:\n        yield\n    finally:": "    if True:\n        yield"},
    "hooks left behind": {"hook.remove()": "pass"}},
"run_blocks": {
    "positions left out": {"        model(tokens)\n    return found[0]":
        "        x = model.embedding(tokens)\n    for block in model.blocks:\n"
        "        x = block(x, mask=causal_mask(tokens.shape[1]))\n    return x"},
    "what goes into the last block": {"model.norm.register": "model.blocks[-1].register",
        "return inputs[0][:, :1]": "return"},
    "after the norm": {"return found[0]": "return model.norm(found[0])"}},
"weights_in": {
    "the maps of other blocks": {"    checks.map_of_each_block(maps, model.blocks)\n": ""},
    "the mean of the heads": {"calls[0] for": "calls[0].mean(1, True).expand_as(calls[0]) for"}},
"TinyModel": {
    "each token sees later ones": {"mask=mask": "mask=None"},
    "no norm behind the blocks": {"self.norm(x)": "x"},
    "the usual base": {"base=100": "base=10_000"}},
"train_tiny": {
    "the tokens that go in should come out": {"tokens[:, 1 + skip :]": "tokens[:, skip:-1]"},
    "gradients added up": {"        optimizer.zero_grad()\n": ""},
    "what nothing predicts counts in the loss": {"[:, skip:]": "", "1 + skip :": "1:"}},
"what_follows": {
    "columns sum to 1": {"dim=-1": "dim=-2"},
    "another one each time": {"generator=generator": "generator=None"}},
"chain": {
    "a trigger is copied itself": {"tokens[:, t - 1]": "tokens[:, t]"},
    "triggers are drawn from the table": {"torch.multinomial(next_one": "torch.multinomial(follows[tokens[:, t]]"},
    "one trigger too many": {"< triggers": "<= triggers"}},
"allowed": {
    "None allows nothing": {"torch.tensor(True": "torch.tensor(False"},
    "as it came": {"mask.expand(scores.shape)": "mask"}},
"per_head": {
    "a number for each query": {"s[:, None, None]": "s[:, None]"},
    "the dtype of the number": {", dtype=scores.dtype": ""}},
"with_sink": {
    "the sink is a key of the output": {"[..., 1:]": "[..., :-1]"},
    "no sink": {"return masked_softmax(scores, mask)[..., 1:]":
        "return masked_softmax(scores[..., 1:], mask[..., 1:])"},
    "the mask is lost": {"masked_softmax(scores, mask)": "masked_softmax(scores)"}},
"gated": {
    "no sigmoid": {"torch.sigmoid(W_g(x))": "W_g(x)"},
    "the output gates itself": {"W_g(x)": "output"}},
"differential": {
    "a sum": {"- factor *": "+ factor *"},
    "one softmax of a difference": {
        "masked_softmax(first, mask) - factor * masked_softmax(second, mask)":
        "masked_softmax(first - factor * second, mask)"},
    "the second map looks ahead": {"masked_softmax(second, mask)": "masked_softmax(second)"}},
"sigmoid_weights": {
    "no bias": {" - math.log(n)": ""},
    "masked scores are 0": {"-math.inf": "0.0"},
    "nan in the gradient of a masked nan": {
        "    scores = scores.masked_fill(~allowed(mask, scores), -math.inf)\n": "",
        "torch.sigmoid(scores - math.log(n))":
        "torch.sigmoid(scores - math.log(n)).masked_fill(~allowed(mask, scores), 0.0)"}},
"scalable_softmax": {
    "nan in the gradients of an empty row": {".clamp(min=1)": ""},
    "all keys counted": {"mask.sum(dim=-1, keepdim=True)": "(mask | True).sum(dim=-1, keepdim=True)"},
    "times n": {".log()": ""}},
"Repaired": {
    "the factor is a sum": {"- (c @ d).exp()": "+ (c @ d).exp()"},
    "a slip falls through to the softmax": {
        'checks.choice("kind", self.kind, self.kinds)': "pass"},
    "the bias follows the mask": {"sigmoid_weights(scores, mask, scores.shape[-1])":
        "sigmoid_weights(scores, mask, mask.shape[-1])"}},
"Reader": {
    "questions come before the text": {"rotate(q, n)": "rotate(q)"},
    "only the network's output": {"found + self.ffn(found)": "self.ffn(found)"},
    "the gate sees the output": {"self.attention.x = y": "self.attention.x = q"}},
"read_facts": {
    "the same texts in every step": {
        "        text, asked,": "        generator.manual_seed(seed)\n        text, asked,"},
    "each question has an answer": {"generator, unknown=unknown": "generator, unknown=0"},
    "the rate stays": {"        schedule.step()\n": ""}},
"answers": {
    "the two kinds exchanged": {"none = answer == NONE": "none = answer != NONE"},
    "weight on a filler counts": {"on_match[~none]": "on_match"},
    "the likeliest but none": {"logits.argmax": "logits[..., :NONE].argmax"}},
"same": {
    "of another shape": {"if a.shape != b.shape:": "if False:"}},
"draw_inputs": {
    "as many queries as keys": {"n=5, m=7": "n=5, m=5"}},
"weights_of": {
    "ones for the identity": {"torch.eye(m, d)": "torch.ones(m, d)"}},
"first_line": {
    "the last line": {"[0]": "[-1]"}},
"noting": {
    "it raises": {"except Exception": "except KeyError"}},
"guarded": {
    "a pair is taken in silence": {'noted["returns"] =': "noted ="},
    "another dtype is taken in silence": {"noted[queries.dtype] =": "pair ="}},
"scale_of": {
    "the width for its root": {"math.sqrt(q.shape[-1])": "q.shape[-1]"}},
"examine_weights": {
    "weights of masked keys": {"weights[~mask].any()": "False"}},
"compare": {
    "nothing is another output": {"if not same(": "if False and not same("}},
"examine_alone": {
    "sequences": {"for b in range(B):": "for b in range(0):"}},
"examine_half": {
    "values that are all alike": {"expected, \"for large scores\", q, k, v, mask":
        "torch.ones_like(q), \"for large scores\", q, k, torch.ones_like(v), mask"},
    "in 32 bits": {".half()": ".float()"}},
"examine_forms": {
    "masks of one sequence": {"(1, B), (1, H), (1, n)": "(B,), (1, H), (1, n)"},
    "keys in the old order": {"k.flip(2)": "k"},
    "wider values may be wrong": {'if "fails" not in each': "if False"}},
"examine_gradients": {
    "another output": {"if not same(output, expected)": "if False"},
    "a query without a key": {"[empty].any():": "[~empty].isnan().any():"}},
"examine_first": {
    "dropout": {"elif not same(attention(q, k, v, mask), output):": "elif False:"}},
"ruled": {
    "the other way round": {"mask = rule(n, m)": "mask = ~rule(n, m)"}},
"average": {
    "the mask left out": {".masked_fill(~mask, -math.inf)": ""}},
"examine_sizes": {
    "no mask": {"found += compare(attention, expected, none, q, k, v, None)": "pass"},
    "32 bits": {"q.half(), k.half(), v.half()": "q, k, v"},
    "the same sizes": {"(seed + 1, d, B, H, n, m)": "(seed + 1, d)"}},
"examine": {
    "notes are lost": {"return [*noted.values(), *complaints]": "return complaints"}},
}
