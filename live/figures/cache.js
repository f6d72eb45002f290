/* Decoding with a key-value cache, and what each way of it computes again. */
import { Figure, box, clamp, count, drawing, floor, linear, make, max, one, rect, see, set, sum, text } from "../core.js";
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

export default class Cache extends Figure {
  static style = cacheCss;
  static moves = ["totals", "ways"];

  static compute({ tokens, memory }, { way, step }) {
    const total = (steps) => count(3).map((k) => sum(steps.map((row) => row[k])));
    const steps = rowsReceived(way, step, memory);
    // of the input, the query, the key and the value
    const cells = [0, 1, 2, 2].map((k) => tokens.map((_, i) => (i >= step ? "ahead" : i === step - 1 ? "new" : EARLIER[way][k])));
    return {
      cells,
      memory: steps.at(-1)[2] ? "new" : "kept",
      steps,
      totals: total(steps),
      ways: Object.keys(EARLIER).map((each) => total(rowsReceived(each, step, memory))),
    };
  }

  build() {
    const { tokens, memory, step } = this.spec;
    const n = tokens.length;
    const end = 48 + 24 * max(n, memory);
    const left = clamp(12 + 7 * max(...tokens.map((each) => each.length)), 52, 92);
    const columns = (names, x, wide, rows) =>
      names.map((name, c) => ({
        name,
        head: text(x + wide * (c + 0.5), 36, name, `small mid ${name}`),
        cells: count(rows).map((i) => rect("ghost", x + wide * c + 3, 44 + 24 * i, wide - 6, 20)),
      }));
    this.own = columns(["input", "query", "key", "value"], left, (248 - left) / 4, n);
    this.cross = columns(["key", "value"], 264, 38, memory);
    this.names = tokens.map((token, i) => text(0, 58 + 24 * i, token, "small"));
    const legend = [
      ["bar-input", "computed in this step"],
      ["fill-input", "kept from earlier steps"],
      ["ghost", "not there yet"],
      ["bar-input", "no longer needed"],
    ].map(([kind, words], k) => {
      const x = 170 * (k % 2);
      const y = end + 10 + 20 * floor(k / 2);
      const sample = k < 3 ? rect(kind, x + 1, y, 16, 12, 2) : rect(kind, x + 4, y + 5, 10, 2);
      return [sample, text(x + 24, y + 10, words, "small")];
    });
    // Names such as W with a small k, then W with a small v.
    const maps = (letters, rest) => [
      [...letters].map((letter, k) => [make("tspan", k ? { dy: -3 } : {}, `${k ? ", " : ""}W`), make("tspan", { dy: 3, class: "small" }, letter)]),
      make("tspan", { dy: -3 }, rest),
    ];
    const labels = [maps("kv", " of self-attention"), maps("qo", ", feed-forward network"), maps("kv", " of the memory")];
    this.bars = ["bar-key", "bar-query", "bar-value"].map((kind, k) => rect(kind, 1, 48 + 56 * k, 0, 20));
    this.again = count(3).map((k) => rect("ghost", 1, 48 + 56 * k, 0, 20));
    this.totals = count(3).map(() => make("tspan", { class: "strong" }));
    this.instead = count(3).map(() => make("tspan", { class: "muted" }));
    const steps = count(n).map((k) => k + 1);
    const play = this.player("step", steps, 1500);
    const begin = () => {
      if (!this.begun) this.state.step = n; // the first time from the beginning
      this.begun = true;
    };
    play.addEventListener("click", begin, true); // before it plays
    return [
      // Whoever takes a control has it alone.
      set(
        box(
          "controls",
          this.choice("way", "at each step", Object.keys(EARLIER), "keys and values kept"),
          box(
            "together",
            this.slider("step", "step", steps, step, (t) => `${t} of ${n}`),
            play,
          ),
        ),
        { oninput: () => this.stop() },
      ),
      box(
        "panels",
        drawing(
          340,
          end + 46,
          "What one decoder block computes in this step, and what it reads from its cache",
          text((left + 248) / 2, 14, "self-attention", "small mid strong"),
          text(302, 14, "memory", "small mid strong"),
          this.names,
          [...this.own, ...this.cross].map(({ head, cells }) => [head, cells]),
          legend,
        ),
        drawing(
          340,
          190,
          "Rows so far",
          text(0, 14, "rows computed so far; dashed: with everything again", "small muted"),
          labels.map((words, k) => text(0, 40 + 56 * k, words)),
          this.totals.map((total, k) => text(340, 40 + 56 * k, [total, this.instead[k]], "end")),
          this.again,
          this.bars,
        ),
      ),
    ];
  }

  paint({ cells, memory, totals, ways: [again] }) {
    const { tokens, memory: m } = this.spec;
    const n = tokens.length;
    const { step } = this.state;
    const fill = ({ name, cells }, states) =>
      cells.forEach((cell, i) => {
        const gone = states[i] === "gone";
        const kind = { kept: `fill-${name}`, ahead: "ghost" }[states[i]];
        set(cell, {
          class: kind ?? `bar-${gone ? "input" : name}`,
          y: 44 + 24 * i + 9 * gone,
          height: gone ? 2 : 20,
        });
      });
    this.own.forEach((column, k) => fill(column, cells[k]));
    this.cross.forEach((column) => fill(column, Array(m).fill(memory)));
    this.names.forEach((name, i) => see(set(name, { class: `small ${i === step - 1 ? "strong" : ""}` }), i < step));
    const width = linear(0, max((n * (n + 1)) / 2, n * m), 0, 338);
    totals.forEach((total, k) => {
      const [ours, all] = [total, again[k]].map(Math.round);
      set(this.bars[k], { width: one(width(total)) });
      set(this.again[k], { width: one(width(again[k])) });
      this.totals[k].textContent = ours;
      this.instead[k].textContent = ours < all ? ` instead of ${all}` : "";
    });
  }

  words({ ways }) {
    const [again, inputs, both] = ways.map(([rows]) => rows);
    const saved = {
      "inputs kept": "Keeping the inputs saves everything except the projections to keys and values.",
      "keys and values kept": "Each token is projected once, and so is the memory.",
    }[this.state.way];
    return (
      `So far, the target's projections to keys and values have received ${again} ` +
      `${again > 1 ? "rows" : "row"} with everything again, ${inputs} with the inputs kept and ${both} with ` +
      `the keys and values kept. ${saved ?? "Each step computes all of it again."}`
    );
  }

  table({ steps, totals }) {
    const rows = steps.map((row, k) => [k + 1, this.spec.tokens[k], ...row]);
    const maps = ["to keys and values", "queries, output, network", "to keys and values of the memory"];
    return [["step", "token", ...maps], ...rows, ["all", "", ...totals]];
  }
}
