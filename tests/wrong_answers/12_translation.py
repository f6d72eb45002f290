# 12.1: what teaches them is still too rare
def choose(pairs): return list(pairs)
# 12.1: the rest of the grammar is too rare now
def choose(pairs): return [pair for pair in pairs if pair.kind == "because"]
# 12.1: some pairs aren't from the training set
def choose(pairs): return pairs + [pair for two in data.minimal_pairs for pair in two]
# 12.1: expected a list of pairs
def choose(pairs): return tuple(pairs)
# 12.1: expected at least one batch of 64
def choose(pairs): return pairs[:10]
# 12.2: the second sentence continues hypotheses of the first
# in the solution: (first_row + best // V) => (best // V)
# 12.2: the tokens stay with the old hypotheses
# in the solution: tokens[rows] => tokens
# 12.2: different tokens
# in the solution: best % V => best // V
# in the solution: [tokens[rows], new.view(-1, 1)] => [new.view(-1, 1), tokens[rows]]
# 12.2: done stays with the old hypotheses
# in the solution: done = done.flatten()[rows].view(B, width) =>
# 12.2: a hypothesis that has just ended isn't marked
# in the solution: done = done | (new == eos) =>
# 12.2: done has shape (6,)
# in the solution: .view(B, width) =>
# in the solution: (new == eos) => (new == eos).flatten()
# 12.2: a Tensor; expected tokens and done
# in the solution: return tokens, done => return tokens
# 12.3: the padding is counted
# in the solution: .masked_fill(expected == PAD, 0.0) =>
# 12.3: the end token is missing
# in the solution: expected == PAD => (expected == PAD) | (expected == EOS)
# 12.3: the mean over the tokens
# in the solution: sum(dim=-1) => sum(dim=-1) / (expected != PAD).sum(dim=-1)
# 12.3: the sign
# in the solution: return per_token => return -per_token
# 12.3: different numbers
# in the solution: tgt[:, :-1] => tgt
# in the solution: tgt[:, 1:] => tgt
# 12.3: your result has shape ()
@torch.no_grad()
def log_probability(model, src, tgt): return next_token_loss(model(src, tgt[:, :-1]), tgt)
# 12.4: at the edge of a sentence a word is in fewer n-grams
# in the solution: spoiled / runs => n * len(lengths) / runs
# 12.4: the fourth root is missing
# in the solution: ** 0.25 =>
# 12.4: single words only
# in the solution: (1, 2, 3, 4) => (1, 1, 1, 1)
# 12.4: which runs contain the place?
def predicted_bleu(lengths, places): return 0.8
