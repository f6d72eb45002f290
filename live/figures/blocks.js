/* The attention of one query, with one block of scores in memory at a time. */
import { Figure, abs, box, clamp, count, dot, drawing, floor, linear, make, max, min, minus, one, path, rect, see, set, slanted, softmax, sum, text, two } from "../core.js";
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

  build() {
    const { tokens, block } = this.spec;
    const m = tokens.length;
    const sizes = count(m + 1).filter((size) => [1, 2, 4, 8, block, m].includes(size));
    const menu = this.choice("block", "scores in a block", sizes.map(String), String(block));
    // How many blocks there are to read depends on their size.
    this.counts = [];
    const show = this.show.block;
    this.show.block = () => {
      show();
      const n = Math.ceil(m / this.state.block);
      this.counts.splice(0, Infinity, ...count(n + 1));
      if (!this.show.read) return;
      set(slider.querySelector("input"), { max: n });
      this.show.read();
    };
    this.show.block();
    const slider = this.slider("read", "blocks read", this.counts, min(2, this.counts.at(-1)), (k) => `${k} of ${this.counts.at(-1)}`);
    this.next = this.button("Next block", () => {
      this.stop();
      const { read } = this.state;
      this.change("read", read < this.counts.at(-1) ? read + 1 : 0);
    });
    return [
      // Whoever takes a control has it alone.
      set(
        box(
          "controls",
          menu,
          this.choice("order", "read from", KEY_ORDERS),
          this.toggle("forget", "leave out the correction", false),
          box("together", slider, this.player("read", this.counts)),
          this.next,
        ),
        { oninput: () => this.stop() },
      ),
      box("panels", this.chart(), this.memory()),
    ];
  }

  /* The block size changes, and the keys that have been read stay so. */
  change(name, value) {
    const { block, read } = this.state;
    const seen = min(read * block, this.spec.tokens.length);
    if (name === "block") this.state.read = Math.ceil(seen / value);
    super.change(name, value);
  }

  chart() {
    const { tokens, scores } = this.spec;
    const { left, right, top, floor: bottom } = CHART;
    this.pitch = (right - left) / tokens.length;
    const [low, high] = [min(0, ...scores), max(0.5, ...scores)];
    this.y = linear(low, high, bottom, top);
    this.band = rect("band", 0, 18, 0, bottom - 18);
    this.which = text(0, 12, "", "small strong mid");
    this.bars = scores.map((score, i) => {
      const [x, y] = [left + this.pitch * i + 2, this.y(max(score, 0))];
      return rect("ghost", x, y, this.pitch - 4, max(abs(this.y(score) - this.y(0)), 1), 1);
    });
    this.names = tokens.map((token, i) => {
      const word = token.trim();
      const name = word.length > 9 ? `${word.slice(0, 7)}…` : word;
      return slanted(left + this.pitch * (i + 0.5) + 4, bottom + 10, name, 90);
    });
    [this.old, this.top] = [path("old"), path("top")];
    this.height = text(right, 0, "", "small end strong halo");
    const ticks = [...new Set([Math.ceil(low), 0, floor(high)])];
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
      this.band,
      this.which,
      ticks.map((tick) => text(left - 6, this.y(tick) + 4, minus(tick), "small end muted")),
      path("line", `M${left} ${one(this.y(0))}H${right}`),
      this.bars,
      this.names,
      this.old,
      this.top,
      this.height,
      legend.map(([sample, words], k) => [sample, text(24 + 170 * (k % 2), 284 + 22 * floor(k / 2), words, "small")]),
    );
  }

  memory() {
    const c = this.spec.values[0].length;
    const row = (k) => ROWS_FROM + 20 * k;
    const kinds = ["", " factor", "", " strong"];
    const cells = (k) => ENDS.map((x, n) => text(x, row(k), "", `small end${kinds[n]}`));
    const bars = (kind, n, y) => count(n).map((k) => rect(kind, 0, y + 20 * k - 11, 0, 13, 1));
    const foot = row(c + 3) + 14;
    this.cells = count(c + 3).map(cells);
    this.equations = make("g", {}, this.cells);
    this.outputs = bars("bar-value", c, row(3));
    this.answers = bars("bar-value", c, foot + 22);
    this.truths = bars("bar-value", c, foot + 22);
    this.seen = bars("expected", c, foot + 22);
    const numbers = (x) => count(c).map((k) => text(x, foot + 22 + 20 * k, "", "small end"));
    [this.said, this.saidAll, this.signs] = [130, 338, 170].map(numbers);
    const axis = (x, y) => path("line", `M${x} ${y - 14}v${20 * c}`);
    this.note = text(0, foot + 24 + 20 * c, "", "small muted");
    return drawing(
      340,
      foot + 30 + 20 * c,
      "What is kept for the query, and its answer beside that of softmax",
      text(0, 12, "kept for the query", "small strong"),
      ["before", "factor", "block", "now"].map((name, k) => text(ENDS[k], 36, name, "small end muted")),
      ["maximum", "factor", "sum", "output"].map((name, k) => text(0, row(k), name, "small")),
      this.equations,
      text(0, foot, "output / sum", "small strong"),
      text(338, foot, `softmax over all ${this.spec.tokens.length} keys`, "small end strong"),
      [this.outputs, this.answers, this.truths, this.seen],
      [axis(314, row(3)), axis(46, foot + 22), axis(254, foot + 22)],
      [this.said, this.saidAll, this.signs, this.note],
    );
  }

  paint({ blocks, steps, maximum, output, answer, seen, all }) {
    const { read, forget } = this.state;
    const now = steps[read - 1];
    const before = steps[read - 2];
    this.paintScores(blocks, maximum, now, before);
    const exponent = () => `exp(${two(before.maximum)} − ${enclosed(two(now.maximum))})`;
    const held = (step) => (step ? [step.total, ...step.output] : []);
    const [old, sums] = [held(before), held(now)];
    const rows = [
      [before ? two(before.maximum) : "–", "", "", now ? two(now.maximum) : "–"],
      ["", "", before ? exponent() : "", before ? `= ${factorSaid(now.factor)}` : "–"],
      ...this.cells
        .slice(2)
        .map((_, k) => [
          before ? two(old[k]) : "",
          before ? `× ${factorSaid(now.factor)}` : "",
          now ? `${now.added[k] < 0 ? "−" : "+"} ${two(abs(now.added[k]))}` : "",
          now ? `= ${two(sums[k])}` : "0",
        ]),
    ];
    this.cells.forEach((row, k) => row.forEach((each, n) => (each.textContent = rows[k][n])));
    set(this.equations, { class: forget ? "forgotten" : null });
    const lay = (bars, at, width, numbers) =>
      bars.forEach((bar, c) => {
        const x = width(numbers[c]);
        set(bar, { x: one(at + min(x, 0)), width: one(abs(x)) });
      });
    const most = max(...steps.flatMap((step) => step.output.map(abs))) || 1;
    lay(this.outputs, 314, linear(0, most, 0, 22), output);
    const answers = steps.flatMap((step) => step.output.map((o) => abs(o / step.total)));
    const width = linear(0, max(...answers, ...all.map(abs)) || 1, 0, 42);
    lay(this.answers, 46, width, answer);
    lay(this.seen, 46, width, seen);
    lay(this.truths, 254, width, all);
    all.forEach((x, c) => {
      this.said[c].textContent = now ? two(answer[c]) : "–";
      this.saidAll[c].textContent = two(x);
      this.signs[c].textContent = now ? (abs(answer[c] - x) < 1e-9 ? "=" : "≠") : "";
    });
    const keys = blocks.slice(0, read).flat().length;
    this.note.textContent = now ? `dashed: softmax over the ${numberOf(keys, "key")} read so far` : "";
    this.next.textContent = read < blocks.length ? "Next block" : "Start again";
  }

  paintScores(blocks, maximum, now, before) {
    const { left, right, floor: bottom } = CHART;
    const { read } = this.state;
    const keys = blocks[read - 1] ?? [];
    blocks.forEach((block, k) =>
      block.forEach((i) => {
        set(this.bars[i], { class: k >= read ? "ghost" : k < read - 1 ? "past" : "bar-key" });
        set(this.names[i], { class: `small end ${k === read - 1 ? "strong" : "muted"}` });
      }),
    );
    const from = left + this.pitch * min(...keys);
    const middle = from + (this.pitch * keys.length) / 2;
    for (const each of [this.band, this.which, this.top, this.height]) see(each, now);
    see(this.old, before && before.maximum < now.maximum);
    if (!now) return;
    set(this.band, { x: one(from), width: one(this.pitch * keys.length) });
    set(this.which, { x: one(clamp(middle, left + 36, right - 36)) });
    this.which.textContent = `block ${read} of ${blocks.length}`;
    const y = this.y(maximum);
    set(this.top, { d: `M${left} ${one(y)}H${right}` });
    set(this.height, { y: one(min(y - 5, bottom)) });
    this.height.textContent = `maximum ${two(now.maximum)}`;
    if (before) set(this.old, { d: `M${left} ${one(this.y(before.maximum))}H${right}` });
  }

  words({ blocks, steps, answer, seen, all }) {
    const { read, forget } = this.state;
    const n = blocks.length;
    const m = this.spec.tokens.length;
    const size = blocks[0].length;
    if (!read) return `No block is read yet, so the sum and the output are 0. In memory: no score.`;
    const { maximum, factor, total } = steps[read - 1];
    const due = steps.slice(1, read).some((step) => step.factor < 1);
    const gap = largestGap(answer, seen);
    const off = `off by ${gap < 0.005 ? "less than 0.01" : `up to ${two(gap)}`}`;
    if (read === n) {
      const lead = n > 2 ? `All ${n} blocks are read` : ["The only block is", "Both blocks are"][n - 1] + " read";
      if (forget && due)
        return `${lead}. Without the correction the answer is ${off}: output divided by sum is ` + `${answer.map(two).join(", ")}, and softmax gives ${all.map(two).join(", ")}.`;
      const reason = forget
        ? "The largest score was in the first block, so there was nothing to correct."
        : `At most ${size} of the ${m} scores ${size > 1 ? "were" : "was"} in memory at a time.`;
      const end = n > 1 ? reason : `All ${m} scores were in memory, as in an ordinary softmax.`;
      return `${lead}: output divided by sum is what softmax gives, ${answer.map(two).join(", ")}. ${end}`;
    }
    const lead = `After ${read} of ${n} blocks: maximum ${two(maximum)}, sum ${two(total)}.`;
    const now = blocks[read - 1].length;
    const memory = `In memory: ${numberOf(now, "score")} instead of ${m}.`;
    const multiplied = forget ? "but the old sum and output were not" : "so the old sum and output were";
    const rise = `The new maximum is higher, ${multiplied} multiplied by ${factorSaid(factor)}.`;
    const same = "No score in this block is above the old maximum, so there is nothing to correct.";
    const first = "Nothing came before this block, so there is nothing to correct.";
    const story = read === 1 ? first : factor < 1 ? rise : same;
    const wrong = forget && due ? ` The answer for the keys read so far is ${off}.` : "";
    return `${lead} ${story}${wrong} ${memory}`;
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
