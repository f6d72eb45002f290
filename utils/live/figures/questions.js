/* Page 9: what one head can answer. */
import {
  Figure,
  abs,
  box,
  circle,
  count,
  dot,
  drawing,
  minus,
  one,
  path,
  rect,
  see,
  set,
  sum,
  text,
  two,
} from "../core.js";

const HEADS = ["one head", "two heads"];

export default class Questions extends Figure {
  static compute({ numbers }, { heads, p, q }) {
    const rows = [[p, 1 - p], ...(heads === HEADS[1] ? [[q, 1 - q]] : [])];
    const apart = rows.length > 1 && abs(p - q) > 1e-9; // the determinant of both rows is p - q
    // The best linear read-out for independent numbers of mean 0 and variance 1.
    const share = rows.length * (p * p + (1 - p) ** 2);
    const read = apart
      ? [
          [(1 - q) / (p - q), (p - 1) / (p - q)],
          [-q / (p - q), p / (p - q)],
        ]
      : [0, 1].map((k) => rows.map((row) => row[k] / share));
    const outputs = rows.map((row) => dot(row, numbers));
    const answers = read.map((row) => dot(row, outputs));
    const reached = (row, j) => sum(row.map((x, h) => x * rows[h][j])); // what is read of box j
    const errors = read.map((row, k) => sum([0, 1].map((j) => (reached(row, j) - (j === k)) ** 2)));
    return { rows, read, outputs, answers, errors };
  }

  build() {
    const { numbers, p, q } = this.spec;
    const steps = count(21).map((k) => k / 20);
    this.lines = count(4).map(() => path("arc"));
    this.heads = count(2).map(() => [circle("fill-value", 15), text(0, 0, "", "small mid")]);
    this.answers = [62, 142].map((y) => text(336, y, "", "small end strong"));
    this.reads = count(4).map(() => path("line"));
    this.bars = count(3).map((k) => rect(k < 2 ? "bar-query" : "cell", 104, 8 + 30 * k, 0, 20));
    this.shares = count(3).map((k) => text(0, 22 + 30 * k, "", "small"));
    const both = numbers.map((x, k) => [
      rect("rim", 2, 36 + 80 * k, 76, 30, 6),
      text(40, 56 + 80 * k, minus(`x${"₁₂"[k]} = ${x}`), "small mid strong"),
    ]);
    this.second = this.slider("q", "head 2 on box 1", steps, q, two);
    return [
      box(
        "controls",
        this.choice("heads", "attention with", HEADS),
        this.slider("p", "head 1 on box 1", steps, p, two),
        this.second,
      ),
      box(
        "panels stack",
        drawing(
          340,
          180,
          "Two boxes, the heads that mix them, and the answers read from the heads",
          text(2, 16, "boxes", "small muted"),
          text(170, 16, "heads", "small mid muted"),
          text(336, 16, "answers", "small end muted"),
          this.lines,
          this.reads,
          both,
          this.heads,
          this.answers,
        ),
        drawing(
          340,
          100,
          "Mean squared errors of both answers, and their sum",
          ["error of answer 1", "error of answer 2", "sum"].map((words, k) =>
            text(98, 22 + 30 * k, words, `small end${k < 2 ? "" : " strong"}`),
          ),
          this.bars,
          this.shares,
        ),
      ),
    ];
  }

  paint({ rows, outputs, answers, errors }) {
    this.second.style.display = rows.length > 1 ? "" : "none";
    const at = rows.length > 1 ? [62, 142] : [100];
    count(2).forEach((h) => {
      const seen = h < rows.length;
      const [ring, words] = this.heads[h];
      see(ring, seen);
      see(words, seen);
      [0, 1].forEach((k) => {
        see(this.lines[2 * h + k], seen);
        see(this.reads[2 * h + k], seen);
        if (!seen) return;
        const a = rows[h][k];
        const from = 51 + 80 * k;
        set(this.lines[2 * h + k], {
          d: `M78 ${from}C116 ${from} 116 ${at[h]} 155 ${at[h]}`,
          style: `stroke-width:${one(0.5 + 9 * a)};opacity:${two(0.25 + 0.75 * a)}`,
        });
        set(this.reads[2 * h + k], { d: `M185 ${at[h]}L262 ${58 + 80 * k}` });
      });
      if (!seen) return;
      set(ring, { cx: 170, cy: at[h] });
      set(words, { x: 170, y: at[h] + 4 }).textContent = minus(one(outputs[h]));
    });
    answers.forEach(
      (y, k) => (this.answers[k].textContent = minus(`ŷ${"₁₂"[k]} = ${y.toFixed(2)}`)),
    );
    [...errors, sum(errors)].forEach((error, k) => {
      set(this.bars[k], { width: one(1 + 190 * error) });
      set(this.shares[k], { x: one(111 + 190 * error) }).textContent = two(error);
    });
  }

  words({ rows, read, errors }) {
    const [first, second] = errors.map(two);
    const total = two(sum(errors));
    if (rows.length < 2)
      return (
        `The head returns one number, and both answers are read from it. The errors are ${first} and ${second}, ` +
        `together ${total}.`
      );
    if (abs(rows[0][0] - rows[1][0]) < 1e-9)
      return `Both heads mix the boxes alike, so the second adds nothing: ${first} and ${second}, together ${total}.`;
    const [a, b] = read[0].map(two);
    return (
      `The heads mix the boxes differently, so both numbers can be recovered: answer 1 is ${a} times head 1 plus ` +
      `${b} times head 2. The errors are ${first} and ${second}.`
    );
  }

  table({ answers, errors }) {
    const rows = answers.map((y, k) => [
      k + 1,
      minus(this.spec.numbers[k]),
      two(y),
      two(errors[k]),
    ]);
    return [["question", "expected", "answer", "mean squared error"], ...rows];
  }
}
