/* The divisor. */
import { Figure, abs, box, count, dot, drawing, floor, ink, largest, log, max, min, minus, one, path, rect, remembered, set, softmax, sqrt, sum, text, two } from "../core.js";
import scaleCss from "./scale.css";

const WIDTHS = count(11).map((k) => 2 ** k);

/* Normal numbers from a seed, two at a time: mulberry32, then Box and Muller. */
function normal(seed) {
  const uniform = () => {
    seed = (seed + 1831565813) >>> 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
  let second = null;
  return () => {
    const number = second;
    second = null;
    if (number !== null) return number;
    const size = sqrt(-2 * log(uniform())),
      angle = 2 * Math.PI * uniform();
    second = size * Math.sin(angle);
    return size * Math.cos(angle);
  };
}

/* A query, m keys and m values. All widths begin with the same numbers. */
function question(m, seed) {
  const next = normal(seed);
  const row = (length) => {
    const numbers = [];
    while (numbers.length < length) numbers.push(next());
    return numbers;
  };
  const rows = (length) => count(m).map(() => row(length));
  return { query: row(1024), keys: rows(1024), values: rows(4) };
}

/* Its products at each width, in the order of WIDTHS. */
const productsOf = remembered((m, seed) => {
  const { query, keys } = question(m, seed);
  return keys.map((key) => {
    let total = 0;
    const totals = key.map((x, i) => (total += x * query[i]));
    return WIDTHS.map((d) => totals[d - 1]);
  });
});

export default class Scale extends Figure {
  static style = scaleCss;
  static moves = ["scores", "reach", "weights", "gradient", "shares"];

  static compute({ m, seed: first }, { d, divided, seed }) {
    if (!WIDTHS.includes(d) || !(seed >= first && seed < 1e6)) throw RangeError("a foreign state");
    const { query, keys, values } = question(m, seed);
    const cut = { query: query.slice(0, d), keys: keys.map((key) => key.slice(0, d)), values };
    const both = [1, sqrt(d)].map((divisor) => {
      const scores = cut.keys.map((key) => dot(key, cut.query) / divisor);
      const weights = softmax(scores);
      const output = count(4).map((c) => sum(weights.map((weight, i) => weight * values[i][c])));
      // The answer is the value of key 0, and the loss is the mean of the squared errors.
      const push = output.map((y, c) => (y - values[0][c]) / 2);
      const gradient = weights.map((weight, i) => weight * (dot(push, values[i]) - dot(push, output)));
      return { scores, weights, gradient };
    });
    const { scores, weights, gradient } = both[+divided];
    const reach = max(...scores.map(abs));
    const pushReach = max(...both.flatMap((each) => each.gradient).map(abs));
    // The last draws, 100 at most: who wins, and by what weight, without and with √d.
    const from = max(first, seed - 99);
    const draws = count(seed - from + 1).map((k) => productsOf(m, from + k).map((each) => each[WIDTHS.indexOf(d)]));
    const wins = draws.filter((products) => largest(products) === 0).length;
    const tops = [1, sqrt(d)].map((divisor) => draws.map((products) => max(...softmax(products.map((each) => each / divisor)))));
    const shares = tops.map((row) => {
      const tenths = row.map((top) => min(floor(10 * top), 9));
      return count(10).map((k) => tenths.filter((each) => each === k).length / row.length);
    });
    const saturated = tops.map((row) => row.filter((top) => top > 0.95).length);
    const norm = sqrt(dot(gradient, gradient));
    const top = tops.map((row) => row.at(-1)); // of the question that is shown
    const drawn = { draws: draws.length, wins, top, shares, saturated };
    return { scores, weights, gradient, norm, reach, pushReach, ...cut, ...drawn };
  }

  build() {
    const { m, width, seed } = this.spec;
    const step = 128 / m;
    this.state.seed = seed;
    const bars = (kind) => count(m).map((i) => rect(kind, 30 + step * (i + 0.12), 0, 0.76 * step, 0, 1));
    const frame = (label, zero, scale, bars, ...more) =>
      drawing(160, 150, label, rect("band", 30, 22, step, 110, 2), text(2, 12, label, "small strong"), path("line", `M30 ${zero}H158`), scale, bars, more);
    const ticks = (...places) => places.map(([y, words]) => text(26, y + 4, words, "small end"));
    const signed = () => ticks([28, ""], [124, ""], [76, "0"]);
    [this.scores, this.weights, this.push] = ["bar-key", "cell", "bar-odds"].map(bars);
    [this.scoreScale, this.pushScale] = [signed(), signed()];
    const correct = text(30, 146, "correct key", "small value");
    this.shares = [70, 132].map((y) => count(10).map((k) => rect("cell", 30 + 12.8 * k + 0.6, y, 11.6, 0, 1)));
    this.rows = ["without √d", "with √d"].map((words, row) => text(30, 28 + 62 * row, words, "small"));
    this.total = text(2, 12, "", "small strong");
    return [
      box(
        "controls",
        this.slider("d", "width d", WIDTHS, width),
        this.toggle("divided", "divide by √d", this.spec.divided),
        box(
          "together",
          [1, 100].map((n) => this.button(`draw ${n}`, () => this.change("seed", this.state.seed + n))),
        ),
      ),
      box(
        "panels row",
        frame("scores", 76, this.scoreScale, this.scores, correct),
        frame("weights", 128, ticks([28, "1"], [78, ".5"], [128, "0"]), this.weights),
        frame("gradient at the scores", 76, this.pushScale, this.push),
        drawing(
          160,
          150,
          "How often the largest weight has which size",
          this.total,
          this.rows,
          this.shares,
          path("line", "M30 70H158M30 132H158"),
          [0, 0.5, 1].map((x) => text(30 + 128 * x, 147, x || "0", "small mid muted")),
        ),
      ),
    ];
  }

  paint({ scores, weights, gradient, reach, pushReach, shares, draws }) {
    const signed = (bars, numbers, scale, reach) => {
      const digits = reach < 1 ? 2 : +(reach < 10);
      for (const k of [0, 1]) scale[k].textContent = minus((reach * (1 - 2 * k)).toFixed(digits));
      numbers.forEach((x, i) => {
        const height = max((48 * abs(x)) / reach, 0.6);
        set(bars[i], { y: one(x > 0 ? 76 - height : 76), height: one(height) });
      });
    };
    // The scores fill their axis, whose ends show the divisor. Gradients have one scale for both, as
    // without the divisor there may be almost nothing to see.
    signed(this.scores, scores, this.scoreScale, max(reach, 1e-3));
    signed(this.push, gradient, this.pushScale, max(pushReach, 0.1));
    weights.forEach((weight, i) => {
      const height = 100 * weight + 0.6;
      set(this.weights[i], {
        y: one(128 - height),
        height: one(height),
        "fill-opacity": ink(weight),
      });
    });
    this.total.textContent = draws > 1 ? `${draws} largest weights` : "largest weight";
    const most = max(...shares.flat());
    shares.forEach((row, k) => {
      row.forEach((share, bin) => {
        const height = (38 * share) / most;
        set(this.shares[k][bin], {
          y: one([70, 132][k] - height),
          height: one(height),
          "fill-opacity": ink((bin + 0.5) / 10),
        });
      });
      set(this.rows[k], { class: `small ${+this.state.divided === k ? "strong" : "muted"}` });
    });
  }

  words({ weights, norm, draws, wins, top, saturated }) {
    const { divided } = this.state;
    const still = norm < 0.01 ? " The gradient is almost zero, so training can hardly change this." : "";
    if (draws === 1) {
      const where = largest(weights) ? "a wrong key" : "the correct key";
      const other = `${divided ? "Without" : "With"} √d the same key would have ${two(top[+!divided])}.`;
      return `The largest weight is ${two(top[+divided])}, on ${where}. ${other}${still}`;
    }
    const [without, within] = saturated.map((n) => {
      if (n === 0) return "never";
      if (n === draws) return "always";
      if (n < draws / 2) return n < draws / 10 ? "rarely" : "sometimes";
      return n > 0.9 * draws ? "nearly always" : "often";
    });
    return (
      `The correct key wins ${wins} of the last ${draws} draws, with √d or without. Without √d, ` +
      `one key ${without} takes nearly all of the weight; with √d, this ${within} happens.${still}`
    );
  }

  table({ scores, weights, gradient }) {
    const rows = scores.map((score, i) => [i || "0, the correct one", two(score), two(weights[i]), abs(gradient[i]) < 5e-5 ? "0.0000" : minus(gradient[i].toFixed(4))]);
    return [["key", "score", "weight", "gradient"], ...rows];
  }
}
