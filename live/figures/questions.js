/* What bank can learn from one head, and from two. */
import { Figure, abs, box, circle, count, dot, drawing, linear, max, minus, one, path, rect, see, set, sum, text, trace, two } from "../core.js";
import questionsCss from "./questions.css";

const HEADS = ["one head", "two heads"];
// The sentence of Figure 9.1, the middle of each word, and the two that bank asks.
const SENTENCE = { the: 16, bank: 60, by: 102, " the": 138, river: 190, is: 236, closed: 296 };
const ASKED = [
  { word: "river", question: "which bank?", from: "money", to: "river" },
  { word: "closed", question: "what about it?", from: "closed", to: "open" },
];
const SAME = ["A bank for money could give the same number as one by a river.", "An open bank could give the same number as a closed one."];
const REACH = 2.6; // of both axes of the plane
const WHOLE = 336; // the width of an error of 1

const answerOf = (number, k) => (number < 0 ? ASKED[k].from : ASKED[k].to);
const meaning = (number, k) => `${minus(number)} means ${answerOf(number, k)}`;

/* Where a x + b y = m is in the plane: from one edge to another. */
function across([a, b], m) {
  const ends = [-REACH, REACH].flatMap((edge) => [...(b ? [[edge, (m - a * edge) / b]] : []), ...(a ? [[(m - b * edge) / a, edge]] : [])]);
  const inside = ends.filter((point) => max(...point.map(abs)) < REACH + 1e-9);
  inside.sort(([x0, y0], [x1, y1]) => x0 - x1 || y0 - y1);
  return inside.length ? [inside[0], inside.at(-1)] : [];
}

export default class Questions extends Figure {
  static style = questionsCss;

  static moves = ["rows", "outputs", "answers", "errors"];

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
    const reached = (row, j) => sum(row.map((x, h) => x * rows[h][j])); // what is read of word j
    const errors = read.map((row, k) => sum([0, 1].map((j) => (reached(row, j) - (j === k)) ** 2)));
    return { rows, read, outputs, answers, errors };
  }

  build() {
    const { p, q } = this.spec;
    const steps = count(21).map((k) => k / 20);
    this.second = this.slider("q", "head 2 on river", steps, q, two);
    return [box("controls", this.choice("heads", "bank has", HEADS), this.slider("p", "head 1 on river", steps, p, two), this.second), box("panels", this.story(), this.plane())];
  }

  /* The sentence, what bank gets from it, and how much is lost of each answer. */
  story() {
    const { numbers } = this.spec;
    this.lines = count(4).map(() => path("arc"));
    this.heads = count(2).map(() => [circle("fill-value", 23), text(0, 0, "", "small mid strong got")]);
    this.sums = count(2).map(() => text(2, 0, "", "small"));
    this.total = text(2, 218, "", "small");
    this.bars = ["bar-odds", "bar-odds lighter"].map((kind) => rect(kind, 2, 225, 0, 20, 0));
    this.shares = [2, 338].map((x, k) => text(x, 261, "", `small${k ? " end" : ""}`));
    return drawing(
      340,
      266,
      "The sentence, lines from river and closed to the heads of bank, and the errors of its answers",
      Object.entries(SENTENCE).map(([word, x]) => {
        const k = ASKED.findIndex((each) => each.word === word);
        const kind = k >= 0 ? "value strong" : word === "bank" ? "query strong" : "";
        return [text(x, 16, word.trim(), `mid ${kind}`), k >= 0 ? text(x, 33, meaning(numbers[k], k), "small mid value") : null];
      }),
      text(SENTENCE.bank, 33, "gets", "small mid query"),
      this.lines,
      this.heads,
      this.sums,
      this.total,
      this.bars,
      rect("frame-odds", 2, 225, WHOLE, 20, 0),
      this.shares,
    );
  }

  /* All pairs of answers, as a plane. */
  plane() {
    const { numbers } = this.spec;
    const x = linear(-REACH, REACH, 34, 322);
    const y = linear(REACH, -REACH, 10, 298);
    this.at = ([a, b]) => [x(a), y(b)];
    this.same = ["same", "same second"].map((kind) => path(kind));
    this.guess = circle("known", 5);
    this.read = text(0, 0, "bank's guess", "small strong end query halo");
    const [u, v] = this.at(numbers);
    return drawing(
      340,
      338,
      "A plane: which bank from left to right, what about it from bottom to top",
      path("line", `M34 ${one(y(0))}H322M${one(x(0))} 10V298`),
      this.same,
      [ASKED[0].from, ASKED[0].to].map((word, k) => text(k ? 322 : 34, y(0) + 16, word, `small muted halo${k ? " end" : ""}`)),
      [ASKED[1].to, ASKED[1].from].map((word, k) => text(x(0) + 6, k ? 296 : 20, word, "small muted halo")),
      circle("fill-value", 5, u, v),
      text(u + 13, v + 4, "true answers", "small strong value halo"),
      this.guess,
      this.read,
      text(178, 316, "all answers on a line give its head the same number,", "small mid"),
      text(178, 332, "so bank can't tell them apart", "small mid"),
    );
  }

  paint({ rows, outputs, answers, errors }) {
    const { numbers } = this.spec;
    const several = rows.length > 1;
    this.second.style.display = several ? "" : "none";
    const spots = several ? [70, 122] : [96];
    const middle = SENTENCE.bank;
    count(2).forEach((h) => {
      const seen = h < rows.length;
      const [ring, words] = this.heads[h];
      const lines = this.lines.slice(2 * h, 2 * h + 2);
      for (const each of [ring, words, this.sums[h], this.same[h], ...lines]) see(each, seen);
      if (!seen) return;
      const y = spots[h];
      rows[h].forEach((weight, k) => {
        const from = SENTENCE[ASKED[k].word];
        set(lines[k], {
          d: `M${from} 39C${from} ${y - 14} ${middle + 110} ${y} ${middle + 23} ${y}`,
          style: `stroke-width:${one(0.5 + 9 * weight)};opacity:${two(0.25 + 0.75 * weight)}`,
        });
      });
      const got = two(outputs[h]);
      const said = numbers.map((x) => (x < 0 ? `(${minus(x)})` : x));
      const terms = rows[h].map((weight, k) => `${two(weight)} · ${said[k]}`);
      set(ring, { cx: middle, cy: y });
      set(words, { x: middle, y: y + 5 }).textContent = got;
      set(this.sums[h], {
        y: 168 + 18 * h,
      }).textContent = `head ${h + 1}: ${terms.join(" + ")} = ${got}`;
      set(this.same[h], { d: trace(across(rows[h], outputs[h]).map(this.at)) || null });
    });
    const [[x, y], truth] = [answers, numbers].map(this.at);
    set(this.guess, { cx: one(x), cy: one(y) });
    set(this.read, { x: one(x - 13), y: one(y + 4) });
    see(this.read, max(abs(x - truth[0]), abs(y - truth[1])) > 14);
    let start = 2;
    errors.forEach((error, k) => {
      set(this.bars[k], { x: one(start), width: one(WHOLE * error) });
      this.shares[k].textContent = `${ASKED[k].question} ${two(error)}`;
      start += WHOLE * error;
    });
    this.total.textContent = `mean squared errors, together ${two(sum(errors))}`;
  }

  words({ rows, read, outputs, answers, errors }) {
    const [first, second] = errors.map(two);
    const total = two(sum(errors));
    const lost = `The errors are ${first} and ${second}, together ${total}`;
    if (rows.length < 2) {
      const flipped = ASKED.filter((_, k) => answers[k] * this.spec.numbers[k] < 0);
      const taken = flipped.map(({ word, from, to }) => ` Bank answers “${word === from ? to : from}” although “${word}” is true.`).join("");
      const ends = across(rows[0], outputs[0]);
      const worse = errors[0] > errors[1] ? 0 : 1;
      const unclear = ends[0][worse] * ends[1][worse] < 0 ? ` ${SAME[worse]}` : "";
      return `Bank gets one number, ${two(outputs[0])}, and has to guess both answers from it.` + `${unclear}${taken} ${lost}, as for any other weight.`;
    }
    if (abs(rows[0][0] - rows[1][0]) < 1e-9) return `Both heads mix the words alike, so the second adds nothing. ${lost}.`;
    // The answer for which the heads' numbers are multiplied most, as that is where errors grow.
    const factors = read.map((row) => max(...row.map(abs)));
    const most = max(...factors);
    const worst = most > 4 && factors[1] > factors[0] + 1e-9 ? 1 : 0;
    const [a, b] = read[worst].map(two);
    const risk = most > 4 ? ` But a small error in what the heads collect would grow up to ${two(most)} times.` : "";
    return (
      `Each number alone leaves a whole line of possible answers, but the two lines cross only at ` +
      `the true ones. The answer to “${ASKED[worst].question}” is ${a} times head 1 plus ${b} times head 2. ${lost}.${risk}`
    );
  }

  table({ answers, errors }) {
    const rows = answers.map((y, k) => [ASKED[k].question, minus(this.spec.numbers[k]), two(y), two(errors[k])]);
    return [["question", "expected", "answer", "mean squared error"], ...rows];
  }
}
