/* Decoding one token at a time in three ways: what each step computes, and what it reads again. Counted
are the rows that one decoder block's layers receive. Of the page: tokens, the target, 2 to 9 words;
memory, how many rows the encoder's output has, 1 to 12. */
import { Figure, box, clamp, count, drawing, floor, h, linear, max, rect, sum, text } from "../core.js";
import cacheCss from "./cache.css";

/* What becomes of an earlier token's input, of its query, and of its key and value. */
const EARLIER = {
  "everything again": ["new", "new", "new"],
  "inputs kept": ["kept", "gone", "new"],
  "keys and values kept": ["gone", "gone", "kept"],
};

/* The rows that layers receive in each step: for keys and values of the target, for what follows
from a query, and for keys and values of the memory. */
const rowsReceived = (way, step, memory) => {
  const [, query, key] = EARLIER[way].map((earlier) => earlier === "new");
  return count(step).map((k) => [key ? k + 1 : 1, query ? k + 1 : 1, key || k === 0 ? memory : 0]);
};

/* Names such as W with a small k, then W with a small v. */
const maps = (letters, rest) => [
  [...letters].map((letter, k) => [h("tspan", k ? { dy: -3 } : {}, `${k ? ", " : ""}W`), h("tspan", { dy: 3, class: "small" }, letter)]),
  h("tspan", { dy: -3 }, rest),
];
const LAYERS = [maps("kv", " of self-attention"), maps("qo", ", feed-forward network"), maps("kv", " of the memory")];

const BARS = ["bar-key", "bar-query", "bar-value"];
const savedSaid = (ours, all) => (ours < all ? `${Math.round(100 * (1 - ours / all))} % saved` : "nothing saved");

export default class Cache extends Figure {
  static title = "What a cache saves at each token";
  static hint = "play it in each of the three ways. What does keeping only the inputs save, compared with computing everything again?";
  static style = cacheCss;
  static moves = ["totals", "ways"];

  static compute({ tokens, memory }, { way, step }) {
    const total = (steps) => count(3).map((k) => sum(steps.map((row) => row[k])));
    const steps = rowsReceived(way, step, memory);
    // of the input, the query, the key and the value
    const cells = [0, 1, 2, 2].map((k) => tokens.map((_, i) => (i >= step ? "ahead" : i === step - 1 ? "new" : EARLIER[way][k])));
    return {
      cells,
      memory: Array(memory).fill(steps.at(-1)[2] ? "new" : "kept"),
      steps,
      totals: total(steps),
      ways: Object.keys(EARLIER).map((each) => total(rowsReceived(each, step, memory))),
    };
  }

  controls() {
    const n = this.spec.tokens.length;
    const steps = count(n).map((k) => k + 1);
    const slider = this.slider("step", "step", steps, 3, (t) => `${t} of ${n}`);
    return [this.choice("way", "at each step", Object.keys(EARLIER), "keys and values kept"), this.together(this.player("step", steps, 1500), slider)];
  }

  view(numbers) {
    return box("panels", this.block(numbers), this.totals(numbers));
  }

  /* A row for each token, a column for what a layer makes of it. */
  block({ cells, memory }) {
    const { tokens } = this.spec;
    const { step } = this.state;
    const end = 48 + 24 * max(tokens.length, memory.length);
    const left = clamp(12 + 7 * max(...tokens.map((each) => each.length)), 52, 92);
    const cell = (name, state, x, wide, i) => {
      const kind = { kept: `fill-${name}`, ahead: "ghost", gone: "bar-input" }[state] ?? `bar-${name}`;
      return rect(kind, x + 3, 44 + 24 * i + (state === "gone" ? 9 : 0), wide - 6, state === "gone" ? 2 : 20);
    };
    const columns = (names, states, x, wide) =>
      names.map((name, c) => [text(x + wide * (c + 0.5), 36, name, `small mid ${name}`), states[c].map((state, i) => cell(name, state, x + wide * c, wide, i))]);
    const legend = ["computed in this step", "kept from earlier steps", "not there yet", "no longer needed"].map((words, k) => {
      const [x, y] = [170 * (k % 2), end + 10 + 20 * floor(k / 2)];
      const sample = k < 3 ? rect(["bar-input", "fill-input", "ghost"][k], x + 1, y, 16, 12, 2) : rect("bar-input", x + 4, y + 5, 10, 2);
      return [sample, text(x + 24, y + 10, words, "small")];
    });
    return drawing(
      340,
      end + 46,
      "What one decoder block computes in this step, and what it reads from its cache",
      text((left + 248) / 2, 14, "self-attention", "small mid strong"),
      text(302, 14, "memory", "small mid strong"),
      tokens.map((token, i) => i < step && text(0, 58 + 24 * i, token, `small ${i === step - 1 ? "strong" : ""}`)),
      columns(["input", "query", "key", "value"], cells, left, (248 - left) / 4),
      columns(["key", "value"], [memory, memory], 264, 38),
      legend,
    );
  }

  /* All rows so far in one bar, as they are computed now, and as without a cache. */
  totals({ memory, totals, ways: [again] }) {
    const n = this.spec.tokens.length;
    const { way } = this.state;
    const width = linear(0, n * (n + 1 + memory.length), 0, 338); // without a cache, after the last step
    const [ours, all] = [totals, again].map(sum);
    const part = (parts, y) => (rows, k) => rect(BARS[k], 1 + width(sum(parts.slice(0, k))), y, width(rows), 24, 0);
    const bar = (words, rows, parts, y, kind) => [text(0, y - 8, words, `small ${kind}`), text(340, y - 8, Math.round(rows), `end ${kind}`), parts.map(part(parts, y))];
    const layer = (name, k) => {
      const [now, without] = [totals, again].map((rows) => Math.round(rows[k]));
      const y = 184 + 24 * k;
      return [
        rect(BARS[k], 1, y - 11, 14, 14, 2),
        text(24, y, name),
        text(340, y, [h("tspan", { class: "strong" }, now), now < without && h("tspan", { class: "muted" }, ` of ${without}`)], "end"),
      ];
    };
    return drawing(
      340,
      240,
      "Rows so far",
      text(0, 14, "rows computed so far", "small strong"),
      bar("without a cache", all, again, 46, "muted"),
      bar(way, ours, totals, 104, "strong"),
      text(0, 154, savedSaid(ours, all), "saved"),
      LAYERS.map(layer),
    );
  }

  words({ ways, totals }) {
    const [ours, all] = [totals, ways[0]].map(sum);
    const { step, way } = this.state;
    const so = {
      "everything again": "Each step computes all of it again.",
      "inputs kept": "Keeping the inputs saves everything except the projections to keys and values.",
      "keys and values kept": "Each new token is projected once, the memory once for all.",
    }[way];
    return `After ${step} ${step > 1 ? "steps" : "step"}, ${ours} of ${all} rows are computed: ${savedSaid(ours, all)}. ${so}`;
  }

  table({ steps, totals }) {
    const rows = steps.map((row, k) => [k + 1, this.spec.tokens[k], ...row]);
    const names = ["to keys and values", "queries, output, network", "to keys and values of the memory"];
    return [["step", "token", ...names], ...rows, ["all", "", ...totals]];
  }
}
