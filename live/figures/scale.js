/* The divisor of equation (4.2): the weights of one query over m keys of random entries, without √d and
with it, while the width d grows; how the gradient fares at the scores, and how the last 100 draws went.
Each key has a random value of 4 numbers. The answer is the value of key 0, and the loss is the mean of the
squared errors. The page may give m and width, the d of the start. */
import { Figure, bar, box, column, count, dot, drawing, floor, ink, largest, log, max, min, minus, one, path, rect, remembered, softmax, sqrt, sum, text, two } from "../core.js";
import scaleCss from "./scale.css";

const DRAWS = 100;
const FIRST = 133; // whose largest weight grows at every step
const NAMES = ["without √d", "divided by √d"];
const [TOP, ZERO] = [44, 204]; // of the bars
const POWERS_OF_TWO = count(11).map((k) => 2 ** k);

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

/* Its products at each width, in the order of POWERS_OF_TWO. */
const productsOf = remembered((m, seed) => {
  const { query, keys } = question(m, seed);
  return keys.map((key) => {
    let total = 0;
    const totals = key.map((x, i) => (total += x * query[i]));
    return POWERS_OF_TWO.map((d) => totals[d - 1]);
  });
});

export default class Scale extends Figure {
  static hint = "let d grow by Play: what becomes of the weights on the left, and of the gradient? Draw again. How often does the correct key win, and does √d change that?";
  static style = scaleCss;
  static moves = ["weights", "norm", "shares"];
  static measured = true;

  static compute({ m = 16 }, { d, seed }) {
    if (!(seed >= DRAWS && seed < 1e6)) throw new RangeError("an address may hold anything");
    const { query, keys, values } = question(m, seed);
    const cut = { query: query.slice(0, d), keys: keys.map((key) => key.slice(0, d)), values };
    const divisors = [1, sqrt(d)];
    const scores = divisors.map((divisor) => cut.keys.map((key) => dot(key, cut.query) / divisor));
    const weights = scores.map(softmax);
    const gradient = weights.map((row) => {
      const output = count(4).map((c) => sum(row.map((weight, i) => weight * values[i][c])));
      const push = output.map((y, c) => (y - values[0][c]) / 2);
      return row.map((weight, i) => weight * (dot(push, values[i]) - dot(push, output)));
    });
    const norm = gradient.map((row) => sqrt(dot(row, row)));
    // The last draws: who wins, and by what weight, without and with √d.
    const draws = count(DRAWS).map((k) => productsOf(m, seed - k).map((each) => each[POWERS_OF_TWO.indexOf(d)]));
    const wins = draws.filter((products) => largest(products) === 0).length;
    const tops = divisors.map((divisor) => draws.map((products) => max(...softmax(products.map((each) => each / divisor)))));
    const saturated = tops.map((row) => row.filter((top) => top > 0.95).length);
    const tenths = (row) => row.map((top) => min(floor(10 * top), 9));
    const shares = tops.map((row) => count(10).map((k) => tenths(row).filter((each) => each === k).length / DRAWS));
    return { scores, weights, gradient, norm, shares, saturated, wins, ...cut };
  }

  controls() {
    const { width = 16 } = this.spec;
    this.state.seed = FIRST;
    return [
      this.together(this.slider("d", "width d", POWERS_OF_TWO, width), this.player("d", POWERS_OF_TWO, 800)),
      this.button("draw again", () => this.change("seed", this.state.seed + 1)),
    ];
  }

  /* Two charts side by side, and the histograms beside or below them. The units are pixels. */
  view({ weights, norm, shares }) {
    const wide = max(this.stage.clientWidth, 300),
      narrow = wide < 600;
    const each = narrow ? (wide - 20) / 2 : (wide - 68) * 0.36;
    const right = narrow ? 0 : 2 * each + 68;
    const charts = weights.map((row, k) => this.chart(k, k * (each + 20), each, row, norm[k]));
    const histograms = shares.map((row, k) => this.histogram(k, right, wide - right, (narrow ? 300 : 0) + 150 * k, row, max(...shares.flat())));
    return box("panels alone", drawing(wide, narrow ? 600 : 300, "Weights and gradient without and with the divisor, and how 100 draws went", charts, histograms));
  }

  /* The weights of the keys, and below them the length of their gradient. */
  chart(k, left, wide, weights, norm) {
    const step = (wide - 16) / weights.length,
      best = largest(weights),
      high = (ZERO - TOP) * weights[best];
    const x = (i) => left + 16 + step * i;
    return [
      rect("band", x(0), TOP, step, ZERO - TOP, 2),
      text(left, 14, NAMES[k], "strong"),
      text(left, TOP + 4, "1", "small muted"),
      text(left, ZERO + 4, "0", "small muted"),
      weights.map((weight, i) => column("cell", x(i + 0.1), 0.8 * step, ZERO, (ZERO - TOP) * weight, { "fill-opacity": ink(0.3 + weight) })),
      text(x(best + 0.5), ZERO - high - 6, two(weights[best]), "small strong mid"),
      path("line", `M${one(left + 16)} ${ZERO}h${one(wide - 16)}`),
      text(x(0), ZERO + 18, "correct key", "small value"),
      text(x(0), ZERO + 48, "gradient", "small"),
      text(left + wide, ZERO + 48, norm.toFixed(4), "small end"),
      bar("bar-odds", x(0), x(0) + (wide - 16) * min(2 * norm, 1), ZERO + 56, 14),
    ];
  }

  /* How often the largest weight was in each tenth, from 0 to 1. */
  histogram(k, left, wide, top, shares, most) {
    const step = wide / 10,
      zero = top + 120;
    return [
      k === 0 && text(left, top + 14, `${DRAWS} draws`, "strong"),
      text(left, top + 38, `largest weight, ${NAMES[k]}`, "small"),
      shares.map((share, i) => column("cell", left + step * (i + 0.05), 0.9 * step, zero, (70 * share) / most, { "fill-opacity": ink((i + 3) / 12) })),
      path("line", `M${one(left)} ${zero}h${one(wide)}`),
      [0, 0.5, 1].map((x) => text(left + wide * x, zero + 18, x || "0", `small muted ${x < 1 ? (x ? "mid" : "") : "end"}`)),
    ];
  }

  words({ weights, norm, saturated, wins }) {
    const [without, divided] = weights.map((row) => two(max(...row)));
    const where = largest(weights[0]) ? "a wrong key" : "the correct key";
    const still = norm[0] < 0.01 ? " Without it the gradient is almost zero, so training can hardly change this." : "";
    return (
      `At width ${this.state.d} ${where} takes ${without} of the weight; divided by √d, it takes ${divided}.${still} ` +
      `In ${DRAWS} draws one key takes more than 0.95 of it ${saturated[0]} times without √d and ${saturated[1]} times with it. The correct key wins ${wins} of them, either way.`
    );
  }

  table({ scores, weights, gradient }) {
    const small = (x) => (Math.abs(x) < 5e-5 ? "0.0000" : minus(x.toFixed(4)));
    const cells = (i) => [0, 1].flatMap((k) => [two(scores[k][i]), two(weights[k][i]), small(gradient[k][i])]);
    const head = ["score", "weight", "gradient"];
    return [["key", ...head, ...head.map((each) => `${each} with √d`)], ...scores[0].map((_, i) => [i || "0, the correct one", ...cells(i)])];
  }
}
