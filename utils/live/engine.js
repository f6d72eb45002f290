/* A trained Transformer of the course, run in the page: the numbers of torch, with no library.

  const engine = new Engine(data);                 // data: utils/data/translator.json, parsed
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

import { count, floor, largest, max, softmax, sqrt, sum } from "./core.js";

export const ENGINE_TOKENS = { pad: 0, bos: 1, eos: 2 };
export const ENGINE_LONGEST = 24; // words that are written at most, as in page 12

/* The tensors by name, from the string that packed() in workshop/translator.py describes. Its parts
are read one by one, because a typed array would take the byte order of the machine. */
export const engineTensors = ({ tensors, numbers }) => {
  const bytes = Uint8Array.from(atob(numbers), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  let float = 0;
  let byte = 4 * sum(tensors.map(([, [rows]]) => rows));
  const floats = (n) => Float32Array.from({ length: n }, () => view.getFloat32(4 * float++, true));
  return Object.fromEntries(
    tensors.map(([name, [rows, columns]]) => {
      const entries = floats(rows); // of a vector, or the scales of a matrix
      if (columns === undefined) return [name, entries];
      // In a Float32Array a product is rounded as torch rounds it.
      const matrix = new Float32Array(rows * columns);
      for (let k = 0; k < matrix.length; k++)
        matrix[k] = view.getInt8(byte++) * entries[floor(k / columns)];
      return [name, matrix];
    }),
  );
};

export const plus = (x, y) => x.map((value, i) => value + y[i]);

export class Engine {
  constructor(data) {
    const { english, french, d_model: width, num_heads: heads, num_layers: layers } = data;
    Object.assign(this, { english, french, width, heads, layers, tensors: engineTensors(data) });
    this.numbers = {};
    for (const [language, words] of Object.entries({ english, french }))
      this.numbers[language] = new Map(words.map((word, token) => [word, token]));
    this.codes = []; // of the positions, each made when it is first needed
    this.made = new Map();
  }

  /* What `make` gives for a key that holds all it depends on, made once; the last 100 are kept. */
  once(key, make) {
    const name = JSON.stringify(key);
    if (!this.made.has(name)) this.made.set(name, make());
    if (this.made.size > 100) this.made.delete(this.made.keys().next().value);
    return this.made.get(name);
  }

  /* The tokens of words; none may be for padding, begin or end, which a reader cannot say. */
  tokens(words, language = "english") {
    return words.map((word) => {
      const token = this.numbers[language].get(word);
      if (!(token > ENGINE_TOKENS.eos)) throw new RangeError(`not in the vocabulary: ${word}`);
      return token;
    });
  }

  // The parts of a block, each for one position.

  linear(name, x) {
    const matrix = this.tensors[name + ".weight"];
    const out = Float64Array.from(this.tensors[name + ".bias"]);
    for (let row = 0, k = 0; row < out.length; row++) {
      let total = 0;
      for (let column = 0; column < x.length; column++) total += matrix[k++] * x[column];
      out[row] += total;
    }
    return out;
  }

  norm(name, x) {
    const gain = this.tensors[name + ".weight"];
    const shift = this.tensors[name + ".bias"];
    const mean = sum(x) / x.length;
    const variance = sum(x.map((value) => (value - mean) ** 2)) / x.length;
    const deviation = sqrt(variance + 1e-5);
    return x.map((value, i) => ((value - mean) / deviation) * gain[i] + shift[i]);
  }

  feedForward(name, x) {
    const hidden = this.linear(name + ".W_1", x).map((value) => max(value, 0));
    return this.linear(name + ".W_2", hidden);
  }

  /* The code of a position is rounded to float32, as the one that the model was trained with. */
  code(position) {
    return (this.codes[position] ??= Float64Array.from({ length: this.width }, (_, i) => {
      const angle = position * 10000 ** ((-2 * floor(i / 2)) / this.width);
      return Math.fround(i % 2 ? Math.cos(angle) : Math.sin(angle));
    }));
  }

  embedded(table, token, position) {
    const row = this.tensors[table + ".weight"].subarray(token * this.width);
    // The decoder may write padding, if it is edited; then only its position counts.
    const empty = token === ENGINE_TOKENS.pad;
    return this.code(position).map((value, i) => value + (empty ? 0 : row[i]));
  }

  /* Lists for the maps of the parts: maps[part][layer][head] grows by a row with each query. */
  maps(...parts) {
    const empty = () => count(this.layers).map(() => count(this.heads).map(() => []));
    return Object.fromEntries(parts.map((part) => [part, empty()]));
  }

  /* Adds a position to the keys and values that later queries look at; this is the cache. */
  keep(seen, name, x) {
    seen.keys.push(this.linear(name + ".W_k", x));
    seen.values.push(this.linear(name + ".W_v", x));
    return seen;
  }

  /* What one query finds with all heads; adds a row to the map of each.
  where: { part, layer, name }. seen: the keys and values, all of which it may attend to. */
  attend(where, x, query, seen, maps, edits) {
    const { part, layer, name } = where;
    const size = this.width / this.heads;
    const meant = (edit) => edit.part === part && (edit.layer ?? layer) === layer;
    const cuts = (edits.cuts ?? []).filter((cut) => meant(cut) && cut.query === query);
    const removed = (edits.heads ?? []).filter(meant);
    const q = this.linear(name + ".W_q", x);
    const joined = new Float64Array(this.width);
    for (let head = 0; head < this.heads; head++) {
      const start = head * size;
      const end = start + size;
      const mine = (edit) => (edit.head ?? head) === head;
      const scores = seen.keys.map((k, key) => {
        if (cuts.some((cut) => cut.key === key && mine(cut))) return -Infinity;
        let score = 0;
        for (let i = start; i < end; i++) score += q[i] * k[i];
        return score / sqrt(size);
      });
      const weights = softmax(scores);
      maps[part][layer][head][query] = weights;
      if (removed.some(mine)) continue; // it has looked, but its part of `joined` stays 0
      for (let key = 0; key < weights.length; key++)
        for (let i = start; i < end; i++) joined[i] += weights[key] * seen.values[key][i];
    }
    return this.linear(name + ".W_o", joined);
  }

  /* The states of English words at every stage, and the maps of the encoder. */
  encode(words, edits = {}) {
    const maps = this.maps("encoder");
    const stages = [];
    const enter = (stage, states) => {
      for (const patch of edits.patches ?? [])
        if (patch.stage === stage && patch.position < states.length)
          states[patch.position] = Float64Array.from(patch.vector);
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
  before: an earlier run of the same words, with the same patches and the same edits of the encoder;
  what its encoder found is used again. */
  translate(words, edits = {}, { target, before } = {}) {
    const encoded = before ?? this.encode(words, edits);
    const { stages } = encoded;
    const maps = { encoder: encoded.maps.encoder, ...this.maps("own", "cross") };
    const caches = count(this.layers).map((layer) => {
      const own = { keys: [], values: [] };
      const cross = { keys: [], values: [] };
      for (const state of stages.at(-1))
        this.keep(cross, `decoder.${layer}.cross_attention`, state);
      return { own, cross };
    });
    const { bos, eos } = ENGINE_TOKENS;
    const steps = [];
    const given = target && [...this.tokens(target, "french"), eos];
    const longest = given ? given.length : ENGINE_LONGEST;
    for (let i = 0, token = bos; i < longest && (given || !i || token !== eos); i++) {
      const logits = this.step(token, i, caches, maps, edits);
      token = given ? given[i] : largest(logits);
      steps.push({ token, logits });
    }
    const written = steps.map(({ token }) => token).filter((token) => token > eos);
    return { words: written.map((token) => this.french[token]), steps, stages, maps };
  }
}
