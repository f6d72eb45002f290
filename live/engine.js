/* A trained Transformer of the course, run in the page: the numbers of torch, with no library.

  const engine = new Engine(data);                 // data: data/translator.json, parsed
  const run = engine.translate(["the", "dog", "sleeps", "."], edits);
  run.words                                        // French, as written
  run.steps[i]                                     // { token, logits } of the word number i
  run.maps.cross[layer][head][query][key]          // also .encoder and .own: attention weights
  run.memory[position]                             // what the decoder sees of the source

`edits` says what is changed inside the model; each list may be missing:
  cuts     [{ part, layer, head, query, key }]     this query may not attend to this key
  removed  [part]                                  what the heads of this part find counts as 0
A part is "encoder", "own" (the decoder looks at what it received) or "cross" (at the source).
A cut without a layer or a head is of all. In "own" and "cross" query i is the position that writes
word i; it received word i - 1, so key 0 of "own" is <bos>. */

import { count, largest } from "./numbers.js";
import { Layers, plus } from "./layers.js";

export const ENGINE_TOKENS = { bos: 1, eos: 2 };
export const ENGINE_LONGEST = 24; // words that are written at most, as on the page on translation

export class Engine extends Layers {
  constructor(data) {
    super(data);
    const { english, french } = data;
    Object.assign(this, { english, french, numbers: new Map(english.map((word, token) => [word, token])) });
  }

  /* The memory of English words, and the maps of the encoder. */
  encode(words, edits = {}) {
    const maps = this.maps("encoder");
    let x = words.map((word, i) => this.embedded("source", this.numbers.get(word), i));
    for (const layer of count(this.layers))
      x = this.block(`encoder.${layer}`, { part: "encoder", layer }, x, { keys: [], values: [] }, maps, edits);
    return { memory: x.map((state) => this.norm("encoder_norm", state)), maps };
  }

  /* One more token in, the logits of the next one out. caches: what each block keeps. */
  step(token, position, caches, maps, edits) {
    let x = this.embedded("target", token, position);
    for (let layer = 0; layer < this.layers; layer++) {
      const block = `decoder.${layer}`;
      const { own, cross } = caches[layer];
      const received = { part: "own", layer, name: block + ".self_attention" };
      const source = { part: "cross", layer, name: block + ".cross_attention" };
      const y = this.norm(block + ".norm1", x);
      this.keep(own, received.name, y);
      x = plus(x, this.attend(received, y, position, own, maps, edits));
      x = plus(x, this.attend(source, this.norm(block + ".norm2", x), position, cross, maps, edits));
      x = this.fed(block, x, "norm3");
    }
    return this.linear("output", this.norm("decoder_norm", x));
  }

  /* Write the likeliest word in each step, and keep all that was computed on the way. before: an earlier run of the
  same words with the same edits of the encoder, or what `encode` returned; its memory is used again. kept: as many of
  its first steps are used again, too, because no edit concerns them. */
  translate(words, edits = {}, { before, kept = 0 } = {}) {
    const encoded = before ?? this.encode(words, edits);
    const { memory } = encoded;
    const maps = { encoder: encoded.maps.encoder, ...this.maps("own", "cross") };
    if (kept)
      for (const part of ["own", "cross"])
        maps[part] = before.maps[part].map((heads) => heads.map((rows) => rows.slice(0, kept)));
    const caches = count(this.layers).map((layer) => {
      const old = encoded.caches?.[layer];
      const keys = old?.own.keys.slice(0, kept) ?? [];
      const values = old?.own.values.slice(0, kept) ?? [];
      return { own: { keys, values }, cross: old?.cross ?? this.seenBy(layer, memory) };
    });
    const { bos, eos } = ENGINE_TOKENS;
    const steps = kept ? before.steps.slice(0, kept) : [];
    let token = steps.at(-1)?.token ?? bos;
    for (let i = kept; i < ENGINE_LONGEST && token !== eos; i++) {
      const logits = this.step(token, i, caches, maps, edits);
      token = largest(logits);
      steps.push({ token, logits });
    }
    const written = steps.map(({ token }) => token).filter((token) => token > eos);
    return { words: written.map((token) => this.french[token]), steps, memory, maps, caches };
  }

  /* The keys and values of the memory in a decoder block. */
  seenBy(layer, memory) {
    const seen = { keys: [], values: [] };
    for (const state of memory) this.keep(seen, `decoder.${layer}.cross_attention`, state);
    return seen;
  }
}
