/* Page 1: a lookup made soft. */
import {
  Figure,
  box,
  circle,
  count,
  dot,
  drawing,
  ink,
  largest,
  linear,
  max,
  min,
  minus,
  one,
  path,
  rect,
  set,
  softmax,
  sqrt,
  text,
  trace,
  two,
} from "../core.js";
import lookupCss from "./lookup.css";

const LETTERS = " abcdefghijklmnopqrstuvwxyz";

/* The counts of the letter pairs of a name, as a vector of length 1; accents do not count. */
function letterPairs(name) {
  const plain = name
    .toLowerCase()
    .normalize("NFD")
    .replace(/[^a-z ]/g, "")
    .trim();
  const pairs = count(LETTERS.length ** 2).map(() => 0);
  const spelled = ` ${plain} `;
  for (const i of count(plain && spelled.length - 1))
    pairs[LETTERS.indexOf(spelled[i]) * LETTERS.length + LETTERS.indexOf(spelled[i + 1])] += 1;
  const length = sqrt(dot(pairs, pairs)) || 1;
  return pairs.map((x) => x / length);
}

/* The corners around points, in order (Andrew's monotone chain). */
function hull(points) {
  const half = (list) => {
    const chain = [];
    for (const p of list) {
      for (; chain.length > 1; chain.pop()) {
        const [a, b] = chain.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) > (b[1] - a[1]) * (p[0] - a[0])) break;
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return [...half(sorted), ...half(sorted.reverse())];
}

export default class Lookup extends Figure {
  static style = lookupCss;

  static compute({ names, places }, { name, temperature }) {
    const query = letterPairs(name);
    const scores = names.map((each) => dot(letterPairs(each), query));
    const weigh = (temperature) => softmax(scores.map((score) => score / temperature));
    const axes = [0, 1].map((axis) => places.map((place) => place[axis]));
    const mix = (weights) => axes.map((axis) => dot(weights, axis));
    const weights = weigh(temperature);
    const cooling = count(41).map((k) => mix(weigh(10 ** (1 - 0.075 * k)))); // from 10 to 0.01
    return { scores, weights, output: mix(weights), cooling };
  }

  build() {
    const { names, places, name, temperature, temperatures } = this.spec;
    const [east, north] = [0, 1].map((axis) => places.map((place) => place[axis]));
    const x = linear(min(...east) - 3, max(...east) + 9, 6, 334);
    const y = linear(min(...north) - 2.5, max(...north) + 2, 284, 10);
    this.at = ([e, n]) => [x(e), y(n)];
    const spots = places.map(this.at);
    this.bars = names.map((_, i) => rect("cell", 78, 6 + 21 * i, 0, 17));
    this.shares = names.map((_, i) => text(0, 19 + 21 * i, "", "small"));
    this.cities = spots.map((at) => circle("cell", 7, ...at));
    this.path = path("ghost");
    this.answer = circle("fill-value", 9);
    this.label = text(0, 0, "answer", "small strong value");
    return [
      box(
        "controls",
        this.entry("name", "query", name),
        this.slider("temperature", "temperature", temperatures, temperature),
      ),
      box(
        "panels",
        drawing(
          340,
          6 + 21 * names.length,
          "Attention weights of the cities",
          names.map((each, i) => text(72, 19 + 21 * i, each, "small end")),
          this.bars,
          this.shares,
        ),
        drawing(
          340,
          300,
          "Map of the cities and of the answer",
          text(334, 297, "dashed: the answer from hot to cold", "small end muted"),
          path("region", trace(hull(spots)) + "Z"),
          this.path,
          spots.map((at) => circle("rim", 7, ...at)),
          this.cities,
          spots.map(([e, n], i) => text(e + 10, n + 4, names[i], "small muted")),
          this.answer,
          this.label,
        ),
      ),
    ];
  }

  paint({ weights, output, cooling }) {
    weights.forEach((weight, i) => {
      set(this.bars[i], { width: one(1 + 215 * weight), "fill-opacity": ink(weight) });
      set(this.shares[i], { x: one(84 + 215 * weight) }).textContent = two(weight);
      set(this.cities[i], { "fill-opacity": weight });
    });
    const [x, y] = this.at(output);
    set(this.answer, { cx: one(x), cy: one(y) });
    set(this.label, { x: one(x - 16), y: one(y - 13) });
    set(this.path, { d: trace(cooling.map(this.at)) });
  }

  words({ scores, weights, output }) {
    const best = largest(weights);
    const [east, north] = output.map(one).map(minus);
    const place = `The answer is ${east} degrees east, ${north} north.`;
    if (!max(...scores))
      return `No city shares a pair of letters with this query, so the weights are equal. ${place}`;
    return (
      `“${this.state.name}” matches ${this.spec.names[best]} best: score ${two(scores[best])}, ` +
      `weight ${two(weights[best])} at temperature ${this.state.temperature}. ${place}`
    );
  }

  table({ scores, weights }) {
    const rows = this.spec.names.map((name, i) => [name, two(scores[i]), two(weights[i])]);
    return [["key", "score", "weight"], ...rows];
  }
}
