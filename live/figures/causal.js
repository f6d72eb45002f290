/* What a word sees with the causal mask, and what it can know. */
import {
  Figure,
  abs,
  box,
  count,
  drawing,
  floor,
  hatch,
  ink,
  largest,
  linear,
  make,
  max,
  min,
  minus,
  onInk,
  one,
  path,
  rect,
  see,
  set,
  slanted,
  softmax,
  sum,
  text,
  two,
} from "../core.js";

const ORDERS = ["forwards", "backwards"];
const [MAP_LEFT, MAP_TOP, SIDE] = [64, 58, 44]; // of the map

export default class Causal extends Figure {
  static moves = ["weights", "logits"];

  static compute({ words, scores, values, word }, { mask, order }) {
    const n = words.length;
    const places = order === ORDERS[1] ? count(n).reverse() : count(n);
    const weights = places.map((i, row) => softmax(places.map((j, column) => (mask && column > row ? -Infinity : scores[i][j]))));
    const at = places.findIndex((i) => words[i] === word);
    const output = [0, 1].map((k) => sum(places.map((j, column) => weights[at][column] * values[j][k])));
    return { places, weights, at, logits: [...output, 0] };
  }

  build() {
    const { words, values, word, senses } = this.spec;
    const n = words.length;
    const grid = (x, y) => {
      const cell = rect("cell", x + 1, y + 1, SIDE - 2, SIDE - 2);
      const masked = hatch(x + 1, y + 1, SIDE - 2, SIDE - 2);
      const number = text(x + SIDE / 2, y + SIDE / 2 + 4, "");
      return { cell, masked, number, node: make("g", {}, cell, masked, number) };
    };
    this.cells = count(n * n).map((k) => grid(MAP_LEFT + SIDE * (k % n), MAP_TOP + SIDE * floor(k / n)));
    this.rows = words.map((_, i) => text(MAP_LEFT - 6, MAP_TOP + SIDE * (i + 0.5) + 4, "", "end"));
    this.columns = words.map((_, j) => slanted(MAP_LEFT + SIDE * (j + 0.5) - 4, MAP_TOP - 6, ""));
    this.frame = rect("frame", MAP_LEFT - 1, 0, SIDE * n + 2, SIDE + 2, 4);
    const reach = 1 + max(...values.flat().map(abs));
    const x = (this.x = linear(-reach, reach, 60, 300));
    this.bars = senses.map((_, k) => rect("bar-odds", 0, 30 + 34 * k, 0, 22));
    this.numbers = senses.map((_, k) => text(0, 45 + 34 * k, "", "small"));
    this.names = senses.map((sense, k) => text(2, 45 + 34 * k, sense, "small"));
    return [
      box("controls", this.toggle("mask", "causal mask", true), this.choice("order", "sentence", ORDERS)),
      box(
        "panels",
        drawing(
          MAP_LEFT + SIDE * n + 8,
          MAP_TOP + SIDE * n + 6,
          "Attention weights, rows are queries; hatched cells are masked",
          this.rows,
          this.columns,
          this.cells.map(({ node }) => node),
          this.frame,
        ),
        drawing(
          340,
          138,
          `The output of ${word} for each sense`,
          text(2, 16, `what ${word} means: its output`, "query strong"),
          path("line", `M${one(x(0))} 24V136`),
          this.bars,
          this.names,
          this.numbers,
        ),
      ),
    ];
  }

  paint({ places, weights, at, logits }) {
    const { words } = this.spec;
    const n = words.length;
    const fill = ({ cell, masked, number }, weight, open, label) => {
      set(cell, { "fill-opacity": open ? ink(weight) : 0 });
      see(masked, !open);
      number.textContent = label;
      set(number, { class: open ? onInk(weight) : "small mid muted" });
    };
    const open = (row, column) => !this.state.mask || column <= row;
    this.cells.forEach((each, k) => {
      const [row, column] = [floor(k / n), k % n];
      const weight = weights[row][column];
      const number = open(row, column) ? two(weight).replace("0.", ".") : "";
      fill(each, weight, open(row, column), number);
    });
    this.rows.forEach((each, i) => {
      each.textContent = words[places[i]];
      set(each, { class: i === at ? "end query strong" : "end" });
    });
    this.columns.forEach((each, j) => (each.textContent = words[places[j]]));
    set(this.frame, { y: one(MAP_TOP + SIDE * at - 1) });
    const zero = this.x(0);
    const best = largest(logits);
    logits.forEach((logit, k) => {
      const end = this.x(logit);
      set(this.bars[k], { x: one(min(zero, end)), width: one(max(abs(end - zero), 1)) });
      const left = logit < 0;
      set(this.numbers[k], {
        x: one(end + (left ? -6 : 6)),
        class: `small${left ? " end" : ""}${k === best ? " strong" : ""}`,
      }).textContent = minus(one(logit));
      set(this.names[k], { class: k === best ? "small strong" : "small" });
    });
  }

  words({ places, weights, at, logits }) {
    const { words, word, senses } = this.spec;
    const row = weights[at];
    const best = largest(row);
    const share = two(row[best]);
    const whole = row[best] > 0.99999 ? "all of its weight" : "nearly all of its weight";
    const part = share === "1.00" ? whole : `most of its weight, ${share},`;
    const most = `${part} is on ${words[places[best]] === word ? "itself" : words[places[best]]}`;
    const found = senses[largest(logits)];
    const meaning = found === senses[2] ? `It can't tell ${senses[0]} from ${senses[1]}` : `It means: ${found}`;
    const seen = count(words.length).filter((j) => !this.state.mask || j <= at);
    const what = seen.length < words.length ? `“${seen.map((j) => words[places[j]]).join(" ")}”` : "every word";
    return `“${word}” sees ${what}; ${most}. ${meaning}.`;
  }

  table({ places, weights }) {
    const words = places.map((i) => this.spec.words[i]);
    const say = (row) => (weight, column) => (this.state.mask && column > row ? "masked" : two(weight));
    return [["query", ...words], ...weights.map((row, i) => [words[i], ...row.map(say(i))])];
  }
}
