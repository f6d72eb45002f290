/* The layers that the trained models of the course share, run in the page, for one position at a time:
the numbers of torch, with no library. `engine.js` and `letters.js` put them together. A vector is a
Float64Array of d_model numbers. */

import { count, floor, max, softmax, sqrt, sum } from "./core.js";

/* The tensors by name, from the string that `numbers_of` in recipes/translator.py describes. Its parts
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
      for (let k = 0; k < matrix.length; k++) matrix[k] = view.getInt8(byte++) * entries[floor(k / columns)];
      return [name, matrix];
    }),
  );
};

export const plus = (x, y) => x.map((value, i) => value + y[i]);

export class Layers {
  constructor(data) {
    const { d_model: width, num_heads: heads, num_layers: layers } = data;
    Object.assign(this, { width, heads, layers, tensors: engineTensors(data) });
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

  /* Four rows at a time: each number of x is read once for all four. */
  linear(name, x) {
    const matrix = this.tensors[name + ".weight"];
    const out = Float64Array.from(this.tensors[name + ".bias"]);
    const n = x.length;
    let row = 0;
    for (; row + 3 < out.length; row += 4) {
      const first = row * n;
      const second = first + n;
      const third = second + n;
      const fourth = third + n;
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      for (let i = 0; i < n; i++) {
        a += matrix[first + i] * x[i];
        b += matrix[second + i] * x[i];
        c += matrix[third + i] * x[i];
        d += matrix[fourth + i] * x[i];
      }
      out[row] += a;
      out[row + 1] += b;
      out[row + 2] += c;
      out[row + 3] += d;
    }
    for (; row < out.length; row++) {
      let total = 0;
      for (let i = 0; i < n; i++) total += matrix[row * n + i] * x[i];
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
      for (let key = 0; key < weights.length; key++) for (let i = start; i < end; i++) joined[i] += weights[key] * seen.values[key][i];
    }
    return this.linear(name + ".W_o", joined);
  }
}
