/* The trained letter model, run in the page: `begin` reads a text, `add` one letter more, and `logits` has a row for
what follows each part. It reads as `generate` does: when 64 letters are in its cache, a new one begins with the last 32. */

import { dataOf } from "./core.js";
import { count, max, remembered } from "./numbers.js";
import { Layers, plus } from "./layers.js";

const WINDOW = 64; // letters, as in training

/* What a reader may type in place of the signs of the book. */
const SIGNS = { "‘": "\u0060", "’": "'", "“": '"', "”": '"', "–": "--", "—": "--", "\u00a0": " " };

export class LetterModel extends Layers {
  constructor(data) {
    super(data);
    this.letters = [...data.letters];
    this.tokenOf = new Map(this.letters.map((letter, token) => [letter, token]));
  }

  /* What the output layer reads in a vector of the residual stream. */
  logits(x) {
    return this.linear("output", this.norm("norm", x));
  }

  /* One more letter into the cache, the logits of the next one out. `seen` gets the letter's vector at
  the bottom and after each sublayer, and all weights. */
  read(token, cache, seen = {}) {
    const position = cache[0].keys.length;
    const maps = this.maps("own");
    let x = this.embedded("embedding", token, position);
    const stream = [x];
    for (let layer = 0; layer < this.layers; layer++) {
      const block = `blocks.${layer}`;
      const name = block + ".attention";
      const y = this.norm(block + ".norm1", x);
      this.keep(cache[layer], name, y);
      x = plus(x, this.attend({ part: "own", layer, name }, y, position, cache[layer], maps));
      stream.push(x);
      x = this.fed(block, x);
      stream.push(x);
    }
    seen.stream = stream;
    seen.weights = maps.own.map((heads) => heads.map((rows) => rows[position])); // (layers, heads, keys)
    return this.logits(x);
  }

  /* Reads what is not in the cache yet. */
  readOn(run) {
    const { tokens } = run;
    let logits;
    if (run.cache?.[0].keys.length === WINDOW) {
      run.cache = null;
      run.from = tokens.length - WINDOW / 2;
    }
    run.cache ??= count(this.layers).map(() => ({ keys: [], values: [] }));
    while (run.from < tokens.length) logits = this.read(tokens[run.from++], run.cache);
    run.logits.push(logits);
    return run;
  }

  /* A text as the letters that the model has, and those that it doesn't have. */
  spell(text) {
    const signs = [...text].flatMap((sign) => [...(SIGNS[sign] ?? sign)]);
    const known = (sign) => this.tokenOf.has(sign);
    return [signs.filter(known), [...new Set(signs.filter((sign) => !known(sign)))]];
  }

  /* Behind nothing at all it begins a paragraph. */
  begin(letters) {
    const tokens = (letters.length ? letters : ["\n"]).map((letter) => this.tokenOf.get(letter));
    return this.readOn({ tokens, from: max(tokens.length - WINDOW, 0), logits: [] });
  }

  add(run, token) {
    run.tokens.push(token);
    return this.readOn(run);
  }
}

export const letterModel = remembered(() => new LetterModel(dataOf("letters")));
