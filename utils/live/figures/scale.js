/* Page 4: the divisor. */
import {
  Figure,
  abs,
  box,
  count,
  dot,
  drawing,
  ink,
  largest,
  log,
  max,
  minus,
  one,
  path,
  rect,
  remembered,
  set,
  softmax,
  sqrt,
  sum,
  text,
  two,
} from "../core.js";

/* Normal numbers from a seed: mulberry32, then Box and Muller. */
function normal(seed) {
  const uniform = () => {
    seed = (seed + 1831565813) >>> 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
  return () => sqrt(-2 * log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/* A query, m keys and m values. All widths begin with the same numbers. */
const drawn = remembered((m, seed) => {
  const next = normal(seed);
  const row = (length) => count(length).map(next);
  const rows = (length) => count(m).map(() => row(length));
  return { query: row(1024), keys: rows(1024), values: rows(4) };
});

export default class Scale extends Figure {
  static compute({ m, seed: first }, { d, divided, seed }) {
    const score = (seed) => {
      const { query, keys, values } = drawn(m, seed);
      const cut = { query: query.slice(0, d), keys: keys.map((key) => key.slice(0, d)), values };
      return { ...cut, products: cut.keys.map((key) => dot(key, cut.query)) };
    };
    const { values, query, keys, products } = score(seed);
    const seeds = count(seed - first + 1).map((k) => first + k);
    const wins = [sum(seeds.map((each) => +(largest(score(each).products) === 0))), seeds.length];
    const scores = products.map((product) => product / (divided ? sqrt(d) : 1));
    const weights = softmax(scores);
    const output = count(4).map((c) => sum(weights.map((weight, i) => weight * values[i][c])));
    // The answer is the value of key 0, and the loss is the mean of the squared errors.
    const push = output.map((y, c) => (y - values[0][c]) / 2);
    const gradient = weights.map(
      (weight, i) => weight * (dot(push, values[i]) - dot(push, output)),
    );
    const entropy = -sum(weights.map((weight) => weight && weight * log(weight)));
    const norm = sqrt(dot(gradient, gradient));
    return { scores, weights, gradient, entropy, norm, query, keys, values, wins };
  }

  build() {
    const { m, width, seed } = this.spec;
    const step = 300 / m;
    this.state.seed = seed;
    const bars = (kind) => count(m).map((i) => rect(kind, 38 + step * i, 0, step - 4, 0, 1));
    const frame = (label, zero, ticks, bars) =>
      drawing(
        340,
        150,
        label,
        text(4, 14, label, "small strong"),
        path("line", `M34 ${zero}H336`),
        ticks.map(([at, words]) => text(30, at + 4, words, "small end muted")),
        bars,
        text(34, 147, "↑ the correct key", "small value"),
      );
    [this.scores, this.weights, this.push] = ["bar-key", "cell", "bar-query"].map(bars);
    const scale = () => [24, 126].map((y) => text(30, y + 4, "", "small end muted"));
    [this.scoreScale, this.pushScale] = [scale(), scale()];
    const widths = count(11).map((k) => 2 ** k);
    const ticks = [
      [28, "1"],
      [78, ".5"],
      [128, "0"],
    ];
    return [
      box(
        "controls",
        this.slider("d", "width d", widths, width),
        this.toggle("divided", "divide by √d", this.spec.divided),
        this.button("draw again", () => this.change("seed", this.state.seed + 1)),
      ),
      box(
        "panels stack",
        frame("scores", 76, [[76, "0"]], [this.scores, this.scoreScale]),
        frame("weights", 128, ticks, this.weights),
        frame("gradient of the loss at the scores", 76, [[76, "0"]], [this.push, this.pushScale]),
      ),
    ];
  }

  paint({ scores, weights, gradient }) {
    const signed = (bars, numbers, scale, least) => {
      const reach = max(least, ...numbers.map(abs));
      scale.forEach(
        (each, k) => (each.textContent = minus((reach * (1 - 2 * k)).toFixed(reach < 1 ? 2 : 0))),
      );
      numbers.forEach((x, i) => {
        const height = max((50 * abs(x)) / reach, 0.6);
        set(bars[i], { y: one(x > 0 ? 76 - height : 76), height: one(height) });
      });
    };
    signed(this.scores, scores, this.scoreScale, 3);
    signed(this.push, gradient, this.pushScale, 0.1);
    weights.forEach((weight, i) => {
      const height = 100 * weight + 0.6;
      set(this.weights[i], {
        y: one(128 - height),
        height: one(height),
        "fill-opacity": ink(weight),
      });
    });
  }

  words({ weights, entropy, norm, wins }) {
    const best = largest(weights);
    const top = weights[best];
    const equal = two(log(weights.length));
    const state = top > 0.95 ? `This row is saturated${best ? ", and on a wrong key" : ""}. ` : "";
    return (
      `${state}The largest weight is ${two(top)}, and the entropy is ${two(entropy)} nats (${equal} if all were ` +
      `equal). The size of the gradient at the scores is ${norm < 0.001 ? "below 0.001" : norm.toFixed(3)}. ` +
      `The correct key has won ${wins[0]} of ${wins[1]} draws.`
    );
  }

  table({ scores, weights, gradient }) {
    const rows = scores.map((score, i) => [
      i,
      two(score),
      two(weights[i]),
      minus(gradient[i].toFixed(4)),
    ]);
    return [["key", "score", "weight", "gradient"], ...rows];
  }
}
