/* Kernel regression, a curve by attention: a width and a query to choose, points to drag. Of the page: x and y,
m numbers each, the keys and the values; truth, pairs (x, y) along the true curve. Weights are those of
equation (2.2) with a Gaussian, the leave-one-out error is that of equation (2.5). */
import { arrows, Figure } from "../core.js";
import { box, circle, group, handle, nearby, path, text, trace } from "../drawing.js";
import { abs, clamp, count, dot, floor, linear, max, min, one, remembered, softmax, sum, two } from "../numbers.js";

const WIDTHS = count(44).map((k) => +(0.005 * 1.16 ** k).toFixed(4)); // 0.005 to 3

/* The weights of a query, by a Gaussian; one key may be left out. */
const kernelWeights = (x, query, width, out = -1) =>
  softmax(x.map((key, i) => (i === out ? -Infinity : -(((query - key) / width) ** 2) / 2)));

/* The mean squared error at the points, for each width, perhaps with the point itself left out. */
const kernelErrors = remembered((x, y, leaveOut) =>
  WIDTHS.map((width) => {
    const answer = (i) => dot(kernelWeights(x, x[i], width, leaveOut ? i : -1), y);
    return sum(y.map((value, i) => (value - answer(i)) ** 2)) / y.length;
  }),
);

/* Where a query may stand: 121 places from the first key to the last. */
const querySteps = (x) => count(121).map((i) => min(...x) + ((max(...x) - min(...x)) * i) / 120);

/* Axes from (34, 20) to (334, 236), with ticks along x, each at its place. */
const axes = (x, y, ticks, at) => [
  path("line", "M34 20V236H334"),
  ticks.map((tick) => text(at(tick), 252, tick, "small mid muted")),
  text(184, 270, x, "small mid"),
  text(28, 12, y, "small"),
];

export default class Kernel extends Figure {
  static takes = "x y truth";
  static title = _`Too narrow or too wide: where is the error least?`;
  static hint = _`make the width so small that the curve passes through every point. What does the leave-one-out error say? Then drag a point up, or move it by the arrow keys.`;
  static moves = ["query", "width", "y", "weights", "fit", "curve", "error", "loo", "own"];

  static compute({ x }, { width, query, y }) {
    if (y.length !== x.length || !y.every(Number.isFinite)) throw new RangeError("an address may hold anything");
    const weights = kernelWeights(x, query, width);
    const grid = [...querySteps(x), ...x].sort((a, b) => a - b);
    const curve = grid.map((at) => dot(kernelWeights(x, at, width), y));
    const [loo, own] = [true, false].map((leaveOut) => kernelErrors(x, y, leaveOut));
    const error = loo[WIDTHS.indexOf(width)];
    const [fit, effective] = [dot(weights, y), 1 / dot(weights, weights)];
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
      this.slider("width", _`width`, WIDTHS, WIDTHS[36], two),
      this.slider("query", _`query`, steps, steps[60], two),
    ];
  }

  view(numbers) {
    return box("panels", this.chart(numbers), this.errors(numbers));
  }

  /* Points, whose ink is their weight, and the curve through them; below it, the kernel at the query. */
  chart({ query, width, y, weights, fit, grid, curve }) {
    const { x, truth } = this.spec;
    const { point } = this.state;
    const at = ([a, b]) => [this.x(a), this.y(b)];
    const places = x.map((each, i) => at([each, y[i]]));
    const most = max(...weights);
    const bump = grid.map((each) => [this.x(each), 236 - 40 * Math.exp(-(((query - each) / width) ** 2) / 2)]);
    const ticks = count(20).filter((tick) => tick >= min(...x) && tick <= max(...x));
    const [trueX, trueY] = at(truth[floor(0.85 * truth.length)]);
    const beside = floor(0.62 * grid.length) + 1;
    const [besideX, besideY] = at([grid[beside], curve[beside]]);
    const about = {
      "aria-valuenow": y[point].toFixed(2),
      "aria-valuetext": _`point ${point + 1} of ${y.length}, at x ${two(x[point])}, y ${two(y[point])}`,
      onkeydown: arrows(this.go.bind(this)),
    };
    const more = { class: "drag", ...this.dragged(this.take.bind(this), this.drag.bind(this)) };
    return group(340, 276, _`Points and curve`, more, [
      axes(_`x: keys, and the query`, _`y: values`, ticks, this.x),
      text(334, 12, _`drag the big dot, or a point`, "small end muted"),
      path("ghost", trace(truth.map(at))),
      path("cell", trace([[34, 236], ...bump, [334, 236]]) + "Z", { "fill-opacity": 0.18 }),
      path("beam", `M${one(this.x(query))} 236V${one(this.y(fit))}`),
      places.map((at, i) => [circle("rim", 6, ...at), circle("cell", 6, ...at, { "fill-opacity": weights[i] / most })]),
      path("curve value", trace(grid.map((each, k) => at([each, curve[k]])))),
      places.map((at) => circle("grip", 14, ...at)), // wide enough for a finger
      path("line", `M${one(trueX)} ${one(trueY + 4)}v20`),
      text(trueX, trueY + 36, _`truth`, "small mid halo muted"),
      text(besideX + 8, besideY - 6, _`estimate`, "small strong halo value"),
      circle("fill-value answer", 8, ...at([query, fit])),
      handle(_`point to move`, about, circle("ring", 10, ...places[point])),
    ]);
  }

  /* What is dragged: a point up or down or, by its dot and away from all points, the query. */
  take(place) {
    const at = (x, y) => [this.x(x), this.y(y)];
    const points = this.spec.x.map((x, i) => at(x, this.state.y[i]));
    const dot = nearby([at(this.shown.query, this.shown.fit)], place, 14);
    this.held = (dot === null ? nearby(points, place, 16) : null) ?? "query";
    this.drag(place);
  }

  drag([px, py]) {
    const step = clamp(Math.round((px - 34) / 2.5), 0, 120);
    if (this.held === "query") this.change("query", querySteps(this.spec.x)[step]);
    else this.lift(this.held, linear(236, 20, this.low, this.high)(py));
  }

  lift(point, value) {
    this.become({ point, y: this.state.y.with(point, clamp(value, this.low, this.high)) });
  }

  go(down, right) {
    const { point, y } = this.state;
    if (right) this.change("point", clamp(point + right, 0, y.length - 1));
    else this.lift(point, y[point] - (down * (this.high - this.low)) / 40);
  }

  /* Both errors for each width, and a dot at the width that is set. */
  errors({ width, error, own, loo }) {
    const ceiling = 1.35 * max(...own, ...loo.filter((_, k) => WIDTHS[k] >= 0.1)); // a narrow kernel is above it
    const x = (each) => linear(Math.log(WIDTHS[0]), Math.log(WIDTHS.at(-1)), 34, 334)(Math.log(each));
    const y = (each) => linear(0, ceiling, 236, 30)(min(each, ceiling));
    const inSight = loo.findIndex((each) => each <= ceiling);
    const line = (kind, errors, from) =>
      path(kind, trace(errors.slice(from).map((each, k) => [x(WIDTHS[from + k]), y(each)])));
    const last = WIDTHS.length - 1; // the widths are as far apart as their places
    const pick = ([px]) => {
      this.held = "width";
      this.change("width", WIDTHS[clamp(Math.round(linear(34, 334, 0, last)(px)), 0, last)]);
    };
    const more = { role: "img", class: "drag", ...this.dragged(pick, pick) };
    return group(340, 276, _`Error against the width`, more, [
      axes(_`width`, _`mean squared error`, [0.01, 0.03, 0.1, 0.3, 1, 3], x),
      text(334, 12, _`drag the dot`, "small end muted"),
      text(28, 240, "0", "small end muted"),
      text(28, 34, one(ceiling), "small end muted"),
      line("line dashed", own, 0),
      line("edge", loo, inSight),
      text(x(WIDTHS[inSight]) + 6, y(loo[inSight]) - 9, _`leave-one-out`, "small strong halo"),
      text(40, y(own[0]) - 24, _`with itself as key`, "small halo muted"),
      circle("full", 7, x(width), y(error)),
    ]);
  }

  words({ fit, effective, width, error, loo, own }) {
    const [here, best] = [WIDTHS.indexOf(width), loo.indexOf(min(...loo))];
    const least = abs(here - best) < 2 ? _`, which is least at width ${two(WIDTHS[best])}` : ""; // once it is found
    return _`The error is ${two(own[here])} with itself as key and ${two(error)} by leave-one-out${least}. At x = ${two(this.state.query)} the curve is at ${two(fit)}, and the effective number of keys is ${one(effective)}.`;
  }

  table({ weights }) {
    const rows = this.spec.x.map((x, i) => [two(x), two(this.state.y[i]), two(weights[i])]);
    return [[_`key x`, _`value y`, _`weight`], ...rows];
  }
}
