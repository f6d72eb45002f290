/* The layers that the trained models of the course share, run in the page, for one position at a time:
the numbers of torch, with no library. `engine.js` and `letters.js` put them together. A vector is a
Float64Array of d_model numbers. */

import { count, floor, max, softmax, sqrt, sum } from "./numbers.js";

/* The tensors by name, from the string that `numbers_of` in recipes/translator.py describes. Its parts
are read one by one, because a typed array would take the byte order of the machine. */
const engineTensors = ({ tensors, numbers }) => {
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
  }

  /* Four sums, as one would have to wait for itself; x has a multiple of four numbers. */
  linear(name, x) {
    const matrix = this.tensors[name + ".weight"];
    return Float64Array.from(this.tensors[name + ".bias"]).map((shift, row) => {
      const start = row * x.length;
      let [a, b, c, d] = [shift, 0, 0, 0];
      for (let i = 0; i < x.length; i += 4) {
        a += matrix[start + i] * x[i];
        b += matrix[start + i + 1] * x[i + 1];
        c += matrix[start + i + 2] * x[i + 2];
        d += matrix[start + i + 3] * x[i + 3];
      }
      return a + b + c + d;
    });
  }

  norm(name, x) {
    const gain = this.tensors[name + ".weight"];
    const shift = this.tensors[name + ".bias"];
    const mean = sum(x) / x.length;
    const variance = sum(x.map((value) => (value - mean) ** 2)) / x.length;
    const deviation = sqrt(variance + 1e-5);
    return x.map((value, i) => ((value - mean) / deviation) * gain[i] + shift[i]);
  }

  /* A vector with what the feed-forward network of a block adds to it, behind a norm. */
  fed(block, x, norm = "norm2") {
    const hidden = this.linear(block + ".ffn.W_1", this.norm(`${block}.${norm}`, x)).map((value) => max(value, 0));
    return plus(x, this.linear(block + ".ffn.W_2", hidden));
  }

  embedded(table, token, position) {
    const row = this.tensors[table + ".weight"].subarray(token * this.width);
    return this.code(position).map((value, i) => value + row[i]);
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
  }

  /* What one query finds with all heads; adds a row to the map of each.
  where: { part, layer, name }. seen: the keys and values, all of which it may attend to. */
  attend(where, x, query, seen, maps, edits = {}) {
    const { part, layer, name } = where;
    const size = this.width / this.heads;
    const here = (cut) => cut.part === part && (cut.layer ?? layer) === layer && cut.query === query;
    const cuts = (edits.cuts ?? []).filter(here);
    const removed = edits.removed?.includes(part);
    const q = this.linear(name + ".W_q", x);
    const joined = new Float64Array(this.width);
    for (let head = 0; head < this.heads; head++) {
      const start = head * size;
      const end = start + size;
      const scores = seen.keys.map((k, key) => {
        if (cuts.some((cut) => cut.key === key && (cut.head ?? head) === head)) return -Infinity;
        let score = 0;
        for (let i = start; i < end; i++) score += q[i] * k[i];
        return score / sqrt(size);
      });
      const weights = softmax(scores);
      maps[part][layer][head][query] = weights;
      if (removed) continue; // it has looked, but its part of `joined` stays 0
      for (let key = 0; key < weights.length; key++)
        for (let i = start; i < end; i++) joined[i] += weights[key] * seen.values[key][i];
    }
    return this.linear(name + ".W_o", joined);
  }

  /* A block in which each of some vectors attends to all of them; `seen` gets their keys and values. */
  block(block, where, states, seen, maps, edits) {
    const name = block + ".attention";
    const normed = states.map((x) => this.norm(block + ".norm1", x));
    for (const y of normed) this.keep(seen, name, y);
    const attended = (x, i) => plus(x, this.attend({ ...where, name }, normed[i], i, seen, maps, edits));
    return states.map(attended).map((x) => this.fed(block, x));
  }
}
