/* Kernel regression, a curve by attention: a width, a kernel and a query to choose, points to drag. Of the
page: x and y, m numbers each, the keys and the values; truth, pairs (x, y) along the true curve. Weights are those of equation (2.2), the leave-one-out error is that of equation (2.5). */
import { ARROWS, Figure } from "../core.js";
import { box, circle, group, handle, path, spot, text } from "../drawing.js";
import {
  abs,
  clamp,
  count,
  dot,
  floor,
  linear,
  log,
  max,
  min,
  one,
  remembered,
  softmax,
  sum,
  two,
} from "../numbers.js";
import kernelCss from "./kernel.css";

const WIDTHS = count(44).map((k) => +(0.005 * 1.16 ** k).toFixed(4)); // 0.005 to 3
const nearest = (list, value) => list.reduce((best, each) => (abs(each - value) < abs(best - value) ? each : best));
const KERNELS = {
  Gaussian: (u) => Math.exp((-u * u) / 2),
  boxcar: (u) => +(abs(u) < 1),
  triangular: (u) => max(0, 1 - abs(u)),
  Epanechnikov: (u) => max(0, 1 - u * u),
};
const KERNEL_NAMES = {
  Gaussian: _`Gaussian`,
  boxcar: _`boxcar`,
  triangular: _`triangular`,
  Epanechnikov: _`Epanechnikov`,
};

/* The weights of a query; zeros where the kernel holds no key. One key may be left out. */
function kernelWeights(kernel, x, query, width, out = -1) {
  if (kernel === "Gaussian")
    return softmax(x.map((key, i) => (i === out ? -Infinity : -(((query - key) / width) ** 2) / 2)));
  const heights = x.map((key, i) => (i === out ? 0 : KERNELS[kernel]((query - key) / width)));
  const total = sum(heights) || 1;
  return heights.map((height) => height / total);
}

/* The mean squared error at the points, for each width, perhaps with the point itself left out. */
const kernelErrors = remembered((kernel, x, y, leaveOut) =>
  WIDTHS.map((width) => {
    const weights = (i) => kernelWeights(kernel, x, x[i], width, leaveOut ? i : -1);
    return sum(y.map((value, i) => (value - dot(weights(i), y)) ** 2)) / y.length;
  }),
);

/* Where a query may stand: 121 places from the first key to the last. */
const querySteps = (x) => count(121).map((i) => min(...x) + ((max(...x) - min(...x)) * i) / 120);

/* A line through points, broken where there is none. */
const broken = (points) =>
  points.map((at, k) => (at ? `${k && points[k - 1] ? "L" : "M"}${at.map(one).join(" ")}` : "")).join("");

/* Axes from (34, 20) to (334, 236), with ticks [[position, label], ...] along x. */
const axes = (x, y, ticks) => [
  path("line", "M34 20V236H334"),
  ticks.map(([at, words]) => text(at, 252, words, "small mid muted")),
  text(184, 270, x, "small mid"),
  text(28, 12, y, "small"),
];

/* The largest error of the chart: what a narrow kernel without a key in reach does is above it. */
const ceilingOf = (own, loo) => 1.35 * max(...own, ...loo.filter((_, k) => WIDTHS[k] >= 0.1));

export default class Kernel extends Figure {
  static takes = "x y truth";
  static title = _`Too narrow or too wide: where is the error least?`;
  static hint = _`make the width so small that the curve passes through every point. What does the leave-one-out error say? Then drag a point up, or move it by the arrow keys.`;
  static style = kernelCss;
  static moves = ["query", "width", "y", "weights", "fit", "curve", "error", "loo", "own"];

  static compute({ x }, { kernel, width, query, y }) {
    if (y.length !== x.length || !y.every(Number.isFinite)) throw new RangeError("an address may hold anything");
    const weights = kernelWeights(kernel, x, query, width);
    const grid = [...querySteps(x), ...x].sort((a, b) => a - b);
    const curve = grid.map((at) => {
      const there = kernelWeights(kernel, x, at, width);
      return sum(there) ? dot(there, y) : NaN;
    });
    const [loo, own] = [true, false].map((leaveOut) => kernelErrors(kernel, x, y, leaveOut));
    const error = loo[WIDTHS.indexOf(width)];
    const squares = dot(weights, weights);
    const effective = squares && 1 / squares;
    const fit = dot(weights, y);
    return { query, width, y, weights, fit, effective, grid, curve, error, loo, own };
  }

  controls() {
    const { x, y } = this.spec;
    const [low, high, steps] = [min(...y), max(...y), querySteps(x)];
    const room = 0.35 * (high - low);
    Object.assign(this.state, { y, point: 0 }); // the arrow keys move one point
    Object.assign(this, { low: low - room, high: high + room });
    this.x = linear(steps[0], steps[120], 34, 334);
    this.y = linear(this.low, this.high, 236, 20);
    return [
      this.slider("width", _`width`, WIDTHS, nearest(WIDTHS, 0.25), two),
      this.slider("query", _`query`, steps, steps[60], two),
      this.choice("kernel", _`kernel`, Object.keys(KERNELS), "Gaussian", (each) => KERNEL_NAMES[each]),
    ];
  }

  view(numbers) {
    return box("panels", this.chart(numbers), this.errors(numbers));
  }

  /* Points, whose ink is their weight, and the curve through them; below it, the kernel at the query. */
  chart({ query, width, y, weights, fit, grid, curve, effective }) {
    const { x, truth } = this.spec,
      { kernel, point } = this.state;
    const places = x.map((at, i) => [this.x(at), this.y(y[i])]);
    const most = max(...weights) || 1;
    const bump = grid.map((at) => [this.x(at), 236 - 40 * KERNELS[kernel]((query - at) / width)]);
    const ticks = count(20).filter((tick) => tick >= min(...x) && tick <= max(...x));
    const [there, beside] = [
      truth[floor(0.85 * truth.length)],
      grid.findIndex((at, k) => k > 0.62 * grid.length && !Number.isNaN(curve[k])),
    ];
    const [trueX, trueY] = [this.x(there[0]), this.y(there[1])];
    const about = {
      "aria-valuenow": y[point].toFixed(2),
      "aria-valuetext": _`point ${point + 1} of ${y.length}, at x ${two(x[point])}, y ${two(y[point])}`,
      onkeydown: (event) => this.key(event),
    };
    return group(
      340,
      276,
      _`Points and curve`,
      { class: "drag", ...this.dragged(this.take.bind(this), this.drag.bind(this)) },
      axes(
        _`x: keys, and the query`,
        _`y: values`,
        ticks.map((tick) => [this.x(tick), tick]),
      ),
      text(334, 12, _`drag the big dot, or a point`, "small end muted"),
      path("ghost", broken(truth.map(([a, b]) => [this.x(a), this.y(b)]))),
      path("bump", broken([[34, 236], ...bump, [334, 236]]) + "Z"),
      path("beam", `M${one(this.x(query))} 236V${one(this.y(fit))}`),
      places.map((at, i) => [circle("rim", 6, ...at), circle("cell", 6, ...at, { "fill-opacity": weights[i] / most })]),
      path("curve", broken(grid.map((at, k) => !Number.isNaN(curve[k]) && [this.x(at), this.y(curve[k])]))),
      places.map((at) => circle("grip", 14, ...at)), // wide enough for a finger
      path("line", `M${one(trueX)} ${one(trueY + 4)}v20`),
      text(trueX, trueY + 36, _`truth`, "small mid halo muted"),
      beside >= 0 && text(this.x(grid[beside]) + 8, this.y(curve[beside]) - 6, _`estimate`, "small strong halo key"),
      effective > 0 && circle("fill-value answer", 8, this.x(query), this.y(fit)),
      handle(_`point to move`, about, circle("ring", 10, ...places[point])),
    );
  }

  /* What is dragged: a point up or down or, by its dot and away from all points, the query. */
  take(event) {
    const [px, py] = spot(event.currentTarget, event);
    const away = (x, y) => Math.hypot(this.x(x) - px, this.y(y) - py);
    const far = this.spec.x.map((x, i) => away(x, this.state.y[i]));
    const { effective, query, fit } = this.shown;
    const onDot = effective && away(query, fit) < 14;
    this.held = !onDot && min(...far) < 16 ? far.indexOf(min(...far)) : "query";
    this.drag(event);
  }

  drag(event) {
    const [px, py] = spot(event.currentTarget, event);
    if (this.held === "query")
      this.change("query", querySteps(this.spec.x)[clamp(Math.round((px - 34) / 2.5), 0, 120)]);
    else this.lift(this.held, linear(236, 20, this.low, this.high)(py));
  }

  lift(point, value) {
    this.state.point = point;
    this.change("y", this.state.y.with(point, clamp(value, this.low, this.high)));
  }

  key(event) {
    const { point, y } = this.state;
    if (!ARROWS[event.key]) return;
    const [down, right] = ARROWS[event.key];
    if (right) this.change("point", clamp(point + right, 0, y.length - 1));
    else this.lift(point, y[point] - (down * (this.high - this.low)) / 40);
    event.preventDefault();
  }

  /* Both errors for each width, and a dot at the width that is set. */
  errors({ width, error, own, loo }) {
    const ceiling = ceilingOf(own, loo);
    const x = (each) => linear(log(WIDTHS[0]), log(WIDTHS.at(-1)), 34, 334)(log(each));
    const y = (each) => linear(0, ceiling, 236, 30)(min(each, ceiling));
    const line = (kind, errors) =>
      path(kind, broken(errors.map((each, k) => each <= ceiling && [x(WIDTHS[k]), y(each)])));
    const inSight = loo.findIndex((each) => each <= ceiling);
    const pick = (event) => {
      const last = WIDTHS.length - 1; // the widths are as far apart as their places
      const at = linear(34, 334, 0, last)(spot(event.currentTarget, event)[0]);
      this.held = "width";
      this.change("width", WIDTHS[clamp(Math.round(at), 0, last)]);
    };
    return group(340, 276, _`Error against the width`, { role: "img", class: "drag", ...this.dragged(pick, pick) }, [
      axes(
        _`width`,
        _`mean squared error`,
        [0.01, 0.03, 0.1, 0.3, 1, 3].map((each) => [x(each), each]),
      ),
      text(334, 12, _`drag the dot`, "small end muted"),
      text(28, 240, "0", "small end muted"),
      text(28, 34, one(ceiling), "small end muted"),
      line("curve own", own),
      line("curve", loo),
      text(x(WIDTHS[inSight]) + 6, y(loo[inSight]) - 9, _`leave-one-out`, "small strong halo key"),
      text(40, y(own[0]) - 24, _`with itself as key`, "small halo muted"),
      circle("fill-value", 7, x(width), y(error)),
    ]);
  }

  words({ fit, effective, width, error, loo, own }) {
    const good = WIDTHS[loo.indexOf(min(...loo))];
    const at = `x = ${two(this.state.query)}`;
    return (
      _`The error is ${two(own[WIDTHS.indexOf(width)])} with itself as key and ${two(error)} by leave-one-out, which is least at width ${two(good)}. ` +
      (effective
        ? _`At ${at} the curve is at ${two(fit)}, and the effective number of keys is ${one(effective)}.`
        : _`No key is within reach of ${at}, so all weights are 0.`)
    );
  }

  table({ weights }) {
    const rows = this.spec.x.map((x, i) => [two(x), two(this.state.y[i]), two(weights[i])]);
    return [[_`key x`, _`value y`, _`weight`], ...rows];
  }
}
