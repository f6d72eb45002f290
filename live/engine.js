/* A trained Transformer of the course, run in the page: the numbers of torch, with no library.

  const engine = new Engine(data);                 // data: corpora/translator.json, parsed
  const run = engine.translate(["the", "dog", "sleeps", "."], edits);
  run.words                                        // French, as written
  run.steps[i]                                     // { token, logits } of the word number i
  run.maps.cross[layer][head][query][key]          // also .encoder and .own: attention weights
  run.stages[stage][position]                      // encoder states

`edits` says what is changed inside the model; each list may be missing:
  cuts     [{ part, layer, head, query, key }]     this query may not attend to this key
  heads    [{ part, layer, head }]                 what this head found counts as 0
  patches  [{ stage, position, vector }]           this encoder state is replaced
A part is "encoder", "own" (the decoder looks at what it received) or "cross" (at the source).
Without a layer or a head, all are meant. Stage s goes into encoder block s; the last stage is the
memory, which the decoder sees. In "own" and "cross" query i is the position that writes word i; it
received word i - 1, so key 0 of "own" is <bos>.

A vector is a Float64Array of d_model numbers, a sequence is an array of vectors. This file needs no
page; tests/live/test_engine.py compares it with PyTorch. */

import { count, largest } from "./core.js";
import { Layers, plus } from "./layers.js";

export const ENGINE_TOKENS = { pad: 0, bos: 1, eos: 2 };
export const ENGINE_LONGEST = 24; // words that are written at most, as on the page on translation

export class Engine extends Layers {
  constructor(data) {
    super(data);
    const { english, french } = data;
    Object.assign(this, { english, french, numbers: {} });
    for (const [language, words] of Object.entries({ english, french })) this.numbers[language] = new Map(words.map((word, token) => [word, token]));
  }

  /* The tokens of words; none may be for padding, begin or end, which a reader cannot say. */
  tokens(words, language = "english") {
    return words.map((word) => {
      const token = this.numbers[language].get(word);
      if (!(token > ENGINE_TOKENS.eos)) throw new RangeError(`not in the vocabulary: ${word}`);
      return token;
    });
  }

  embedded(table, token, position) {
    const row = this.tensors[table + ".weight"].subarray(token * this.width);
    // The decoder may write padding, if it is edited; then only its position counts.
    const empty = token === ENGINE_TOKENS.pad;
    return this.code(position).map((value, i) => value + (empty ? 0 : row[i]));
  }

  /* The states of English words at every stage, and the maps of the encoder. */
  encode(words, edits = {}) {
    const maps = this.maps("encoder");
    const stages = [];
    const enter = (stage, states) => {
      for (const patch of edits.patches ?? []) if (patch.stage === stage && patch.position < states.length) states[patch.position] = Float64Array.from(patch.vector);
      stages.push(states);
      return states;
    };
    const tokens = this.tokens(words);
    let x = tokens.map((token, i) => this.embedded("source", token, i));
    x = enter(0, x);
    for (let layer = 0; layer < this.layers; layer++) {
      const block = `encoder.${layer}`;
      const name = block + ".attention";
      const seen = { keys: [], values: [] };
      const where = { part: "encoder", layer, name };
      const y = x.map((state) => this.norm(block + ".norm1", state));
      for (const state of y) this.keep(seen, name, state);
      x = x.map((state, i) => plus(state, this.attend(where, y[i], i, seen, maps, edits)));
      const feed = (state) => this.feedForward(block + ".ffn", this.norm(block + ".norm2", state));
      x = x.map((state) => plus(state, feed(state)));
      if (layer === this.layers - 1) x = x.map((state) => this.norm("encoder_norm", state));
      x = enter(layer + 1, x);
    }
    return { stages, maps };
  }

  /* One more token in, the logits of the next one out. caches: what each block keeps. */
  step(token, position, caches, maps, edits) {
    let x = this.embedded("target", token, position);
    for (let layer = 0; layer < this.layers; layer++) {
      const block = `decoder.${layer}`;
      const { own, cross } = caches[layer];
      let name = block + ".self_attention";
      let y = this.norm(block + ".norm1", x);
      this.keep(own, name, y);
      let where = { part: "own", layer, name };
      x = plus(x, this.attend(where, y, position, own, maps, edits));
      name = block + ".cross_attention";
      y = this.norm(block + ".norm2", x);
      where = { part: "cross", layer, name };
      x = plus(x, this.attend(where, y, position, cross, maps, edits));
      x = plus(x, this.feedForward(block + ".ffn", this.norm(block + ".norm3", x)));
    }
    return this.linear("output", this.norm("decoder_norm", x));
  }

  /* Write the likeliest word in each step, and keep all that was computed on the way.
  target: French words that are given instead; then the last step is the one that should end them.
  before: an earlier run of the same words, with the same patches and the same edits of the encoder,
  or what `encode` returned; its encoder states are used again. kept: as many of its first steps are
  used again, too, because no edit concerns them. */
  translate(words, edits = {}, { target, before, kept = 0 } = {}) {
    const encoded = before ?? this.encode(words, edits);
    const { stages } = encoded;
    const maps = { encoder: encoded.maps.encoder, ...this.maps("own", "cross") };
    if (kept) for (const part of ["own", "cross"]) maps[part] = before.maps[part].map((heads) => heads.map((rows) => rows.slice(0, kept)));
    const caches = count(this.layers).map((layer) => {
      const old = encoded.caches?.[layer];
      const keys = old?.own.keys.slice(0, kept) ?? [];
      const values = old?.own.values.slice(0, kept) ?? [];
      return { own: { keys, values }, cross: old?.cross ?? this.seenBy(layer, stages.at(-1)) };
    });
    const { bos, eos } = ENGINE_TOKENS;
    const steps = kept ? before.steps.slice(0, kept) : [];
    const given = target && [...this.tokens(target, "french"), eos];
    const longest = given ? given.length : ENGINE_LONGEST;
    let token = steps.at(-1)?.token ?? bos;
    for (let i = kept; i < longest && (given || !i || token !== eos); i++) {
      const logits = this.step(token, i, caches, maps, edits);
      token = given ? given[i] : largest(logits);
      steps.push({ token, logits });
    }
    const written = steps.map(({ token }) => token).filter((token) => token > eos);
    return { words: written.map((token) => this.french[token]), steps, stages, maps, caches };
  }

  /* The keys and values of the memory in a decoder block. */
  seenBy(layer, memory) {
    const seen = { keys: [], values: [] };
    for (const state of memory) this.keep(seen, `decoder.${layer}.cross_attention`, state);
    return seen;
  }
}
