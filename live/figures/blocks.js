/* The attention of one query, with one block of scores in memory at a time: the online softmax. Of the
page: tokens, m words; scores, m numbers, of one query; values, a row of 2 to 4 numbers for each; block,
how many scores are in memory at the start. */
import { Figure, abs, box, clamp, count, dot, drawing, floor, linear, max, min, minus, one, path, rect, set, slanted, softmax, sum, text, two } from "../core.js";
import blocksCss from "./blocks.css";

const KEY_ORDERS = ["first to last", "last to first"];
const CHART = { left: 26, right: 338, top: 52, floor: 190 }; // of the scores
const ENDS = [104, 166, 220, 288]; // of the columns: before, factor, block, now
const ROWS_FROM = 58; // the first row of numbers, and each is 20 px high
const factorSaid = (x) => (x && x < 0.095 ? minus(+x.toPrecision(2)) : two(x));
const numberOf = (n, noun) => `${n} ${noun}${n > 1 ? "s" : ""}`;
const enclosed = (x) => (x.startsWith("−") ? `(${x})` : x);
const largestGap = (a, b) => max(...a.map((x, c) => abs(x - b[c])));

export default class Blocks extends Figure {
  static hint = "leave the correction out, and see how far the answer is off. Put it back, and change the block size and the order. Does the answer change?";
  static style = blocksCss;
  static moves = ["maximum", "output", "answer"]; // the equations are there at once

  static compute({ scores, values }, { block, order, forget, read }) {
    const places = count(scores.length);
    if (order === KEY_ORDERS[1]) places.reverse();
    const blocks = count(Math.ceil(places.length / block)).map((k) => places.slice(k * block, (k + 1) * block));
    const mix = (weights, keys) => {
      const columns = values[0].map((_, c) => keys.map((i) => values[i][c]));
      return columns.map((column) => dot(weights, column));
    };
    const nothing = { maximum: -Infinity, total: 0, output: values[0].map(() => 0) };
    const steps = [];
    for (const keys of blocks) {
      const before = steps.at(-1) ?? nothing;
      const maximum = max(before.maximum, ...keys.map((i) => scores[i]));
      const factor = Math.exp(before.maximum - maximum); // 0 at the first block
      const kept = forget ? 1 : factor;
      const weights = keys.map((i) => Math.exp(scores[i] - maximum));
      const added = [sum(weights), ...mix(weights, keys)];
      const total = kept * before.total + added[0];
      const output = before.output.map((o, c) => kept * o + added[c + 1]);
      steps.push({ maximum, factor, added, total, output });
    }
    const { maximum, total, output } = steps[read - 1] ?? nothing;
    const over = (keys) => mix(softmax(keys.map((i) => scores[i])), keys);
    return {
      blocks,
      steps,
      maximum,
      output,
      answer: output.map((o) => o / (total || 1)),
      seen: over(blocks.slice(0, read).flat()),
      all: over(places),
    };
  }

  controls() {
    const { tokens, block = 4 } = this.spec;
    const m = tokens.length;
    const sizes = count(m + 1).filter((size) => [1, 2, 4, 8, block, m].includes(size));
    const upTo = (block) => count(Math.ceil(m / block) + 1); // how many blocks can be read
    const counts = upTo(block);
    const menu = this.choice("block", "scores in a block", sizes.map(String), String(block));
    const slider = this.slider("read", "blocks read", counts, counts.at(-1), (k) => `${k} of ${counts.at(-1)}`);
    const show = this.show.block;
    this.show.block = () => {
      show();
      counts.splice(0, Infinity, ...upTo(this.state.block));
      set(slider.querySelector("input"), { max: counts.at(-1) });
      this.show.read();
    };
    const order = this.choice("order", "read from", KEY_ORDERS);
    this.forget = this.toggle("forget", "leave out the correction", false);
    const controls = [this.together(slider, this.player("read", counts, 1400)), menu, order];
    return controls.map((each) => set(each, { oninput: () => this.stop() })); // whoever takes one has it alone
  }

  /* The block size changes, and the keys that have been read stay so. */
  change(name, value) {
    const { block, read } = this.state;
    const seen = min(read * block, this.spec.tokens.length);
    if (name === "block") this.state.read = Math.ceil(seen / value);
    super.change(name, value);
  }

  view(numbers) {
    return box("panels", this.chart(numbers), box("", this.forget, this.memory(numbers)));
  }

  /* The scores of the query, and the largest so far as a line. */
  chart({ blocks, steps, maximum }) {
    const { tokens, scores } = this.spec;
    const { read } = this.state;
    const { left, right, top, floor: bottom } = CHART;
    const pitch = (right - left) / tokens.length;
    const [low, high] = [min(0, ...scores), max(0.5, ...scores)];
    const y = linear(low, high, bottom, top);
    const [before, now] = [steps[read - 2], steps[read - 1]];
    const at = (keys) => left + pitch * min(...keys);
    const bars = blocks.map((keys, k) =>
      keys.map((i) => {
        const word = tokens[i].trim();
        const name = word.length > 9 ? `${word.slice(0, 7)}…` : word;
        const kind = k >= read ? "ghost" : k < read - 1 ? "past" : "bar-key";
        return [
          rect(kind, left + pitch * i + 2, y(max(scores[i], 0)), pitch - 4, max(abs(y(scores[i]) - y(0)), 1), 1),
          slanted(left + pitch * (i + 0.5) + 4, bottom + 10, name, 90, `small end ${k === read - 1 ? "strong" : "muted"}`),
        ];
      }),
    );
    const across = (kind, score) => path(kind, `M${left} ${one(y(score))}H${right}`);
    const keys = blocks[read - 1] ?? [];
    const middle = clamp(at(keys) + (pitch * keys.length) / 2, left + 36, right - 48);
    const legend = [
      [rect("bar-key", 1, 274, 14, 12, 1), "score in memory"],
      [rect("ghost", 171, 274, 14, 12, 1), "not computed yet"],
      [rect("past", 1, 296, 14, 12, 1), "computed, and gone"],
      [path("old", "M170 302H186"), "maximum before"],
    ];
    return drawing(
      340,
      314,
      "The scores of one query, block by block, and their running maximum",
      now && [rect("band", at(keys), 18, pitch * keys.length, bottom - 18, 0), text(middle, 12, `block ${read} of ${blocks.length}`, "small strong mid")],
      [...new Set([Math.ceil(low), 0, floor(high)])].map((tick) => text(left - 6, y(tick) + 4, minus(tick), "small end muted")),
      across("line", 0),
      bars,
      before && before.maximum < now.maximum && across("old", before.maximum),
      now && [across("top", maximum), text(right, min(y(maximum) - 5, bottom), `maximum ${two(now.maximum)}`, "small end strong halo")],
      legend.map(([sample, words], k) => [sample, text(24 + 170 * (k % 2), 284 + 22 * floor(k / 2), words, "small")]),
    );
  }

  /* What is kept, and how a block changes it: an equation for each number. Below, the answer. */
  memory({ blocks, steps, output, answer, seen, all }) {
    const { read, forget } = this.state;
    const { tokens } = this.spec;
    const [before, now] = [steps[read - 2], steps[read - 1]];
    const row = (k) => ROWS_FROM + 20 * k;
    const foot = row(all.length + 2) + 14;
    const answers = (c) => foot + 22 + 20 * c;
    const exponent = () => `exp(${two(before.maximum)} − ${enclosed(two(now.maximum))})`;
    const held = (step) => (step ? [step.total, ...step.output] : []);
    const equation = (k) => [
      before ? two(held(before)[k]) : "",
      before ? `× ${factorSaid(now.factor)}` : "",
      now ? `${now.added[k] < 0 ? "−" : "+"} ${two(abs(now.added[k]))}` : "",
      now ? `= ${two(held(now)[k])}` : "0",
    ];
    const rows = [["", "", before ? exponent() : "", before ? `= ${factorSaid(now.factor)}` : "–"], ...count(all.length + 1).map(equation)];
    const kinds = ["", ` factor${forget ? " forgotten" : ""}`, "", " strong"];
    const width = linear(0, max(...steps.flatMap((step) => step.output.map((o) => abs(o / step.total))), ...all.map(abs)) || 1, 0, 42);
    const kept = linear(0, max(...steps.flatMap((step) => step.output.map(abs))) || 1, 0, 22);
    const laid = (kind, at, width, y) => (x, c) => rect(kind, at + min(width(x), 0), y(c) - 11, abs(width(x)), 13, 1);
    const axis = (x, y) => path("line", `M${x} ${y - 14}v${20 * all.length}`);
    const keys = blocks.slice(0, read).flat().length;
    return drawing(
      340,
      foot + 30 + 20 * all.length,
      "What is kept for the query, and its answer beside that of softmax",
      text(0, 12, "kept for the query", "small strong"),
      ["before", "factor", "block", "now"].map((name, k) => text(ENDS[k], 36, name, "small end muted")),
      ["correction", "sum", "output"].map((name, k) => text(0, row(k), name, "small")),
      rows.map((cells, k) => cells.map((words, n) => text(ENDS[n], row(k), words, `small end${kinds[n]}`))),
      text(0, foot, "output / sum", "small strong"),
      text(338, foot, `softmax over all ${tokens.length} keys`, "small end strong"),
      output.map(laid("bar-value", 314, kept, (c) => row(2 + c))),
      answer.map(laid("bar-value", 46, width, answers)),
      all.map(laid("bar-value", 254, width, answers)),
      forget && seen.map(laid("expected", 46, width, answers)),
      [axis(314, row(2)), axis(46, foot + 22), axis(254, foot + 22)],
      all.map((x, c) => [
        text(130, answers(c), now ? two(answer[c]) : "–", "small end"),
        text(170, answers(c), now ? (abs(answer[c] - x) < 1e-9 ? "=" : "≠") : "", "small end"),
        text(338, answers(c), two(x), "small end"),
      ]),
      text(0, answers(all.length) + 2, now && forget ? `dashed: softmax over the ${numberOf(keys, "key")} read so far` : "", "small muted"),
    );
  }

  words({ blocks, steps, answer, seen, all }) {
    const { read, forget } = this.state;
    const n = blocks.length;
    const m = this.spec.tokens.length;
    const size = blocks[0].length;
    if (!read) return `No block is read yet, so the sum and the output are 0. In memory: no score.`;
    const { maximum, factor } = steps[read - 1];
    const due = steps.slice(1, read).some((step) => step.factor < 1);
    const gap = largestGap(answer, seen);
    const off = `off by ${gap < 0.005 ? "less than 0.01" : `up to ${two(gap)}`}`;
    const both = `Output divided by sum is ${answer.map(two).join(", ")}`;
    if (read === n) {
      const lead = n > 2 ? `All ${n} blocks are read` : ["The only block is", "Both blocks are"][n - 1] + " read";
      if (forget && due) return `${lead}, and without the correction the answer is ${off}. ${both}, and softmax gives ${all.map(two).join(", ")}.`;
      const reason = forget
        ? "The largest score was in the first block, so there was nothing to correct."
        : `At most ${size} of the ${m} scores ${size > 1 ? "were" : "was"} in memory at a time.`;
      const end = n > 1 ? reason : `All ${m} scores were in memory, as in an ordinary softmax.`;
      return `${lead}, and the answer is exactly that of softmax. ${both}. ${end}`;
    }
    const memory = `In memory: ${numberOf(blocks[read - 1].length, "score")} instead of ${m}.`;
    const multiplied = forget ? "but the old sum and output are not" : "so the old sum and output are";
    const rise = `raises the maximum to ${two(maximum)}, ${multiplied} multiplied by ${factorSaid(factor)}`;
    const story = read === 1 ? "is the first, so there is nothing to correct" : factor < 1 ? rise : "has no score above the maximum, so there is nothing to correct";
    const wrong = forget && due ? ` The answer for the keys read so far is ${off}.` : "";
    return `Block ${read} of ${n} ${story}.${wrong} ${memory}`;
  }

  table({ blocks, steps }) {
    const { tokens, scores } = this.spec;
    const rows = blocks.map((keys, k) => [
      k + 1,
      keys.map((i) => tokens[i].trim()).join(" "),
      two(max(...keys.map((i) => scores[i]))),
      two(steps[k].maximum),
      k ? factorSaid(steps[k].factor) : "–",
      two(steps[k].total),
    ]);
    return [["block", "keys", "its maximum", "maximum so far", "factor", "sum after it"], ...rows];
  }
}
