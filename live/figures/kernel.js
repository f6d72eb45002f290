/* A curve by attention. */
import {
  ARROWS,
  Figure,
  abs,
  axes,
  box,
  circle,
  clamp,
  count,
  dot,
  drawing,
  hypot,
  largest,
  linear,
  log,
  make,
  max,
  min,
  one,
  path,
  remembered,
  see,
  set,
  softmax,
  spot,
  sum,
  text,
  trace,
  two,
} from "../core.js";
import kernelCss from "./kernel.css";

const KERNELS = {
  Gaussian: (u) => Math.exp((-u * u) / 2),
  boxcar: (u) => +(abs(u) < 1),
  triangular: (u) => max(0, 1 - abs(u)),
  Epanechnikov: (u) => max(0, 1 - u * u),
};

/* The weights of a query; zeros where the kernel holds no key. One key may be left out. */
function kernelWeights(kernel, x, query, width, out = -1) {
  if (kernel === "Gaussian") return softmax(x.map((key, i) => (i === out ? -Infinity : -(((query - key) / width) ** 2) / 2)));
  const heights = x.map((key, i) => (i === out ? 0 : KERNELS[kernel]((query - key) / width)));
  const total = sum(heights) || 1;
  return heights.map((height) => height / total);
}

/* The mean squared error at the points, for each width, perhaps with the point itself left out. */
const kernelErrors = remembered((kernel, x, y, widths, leaveOut) =>
  widths.map((width) => {
    const weights = (i) => kernelWeights(kernel, x, x[i], width, leaveOut ? i : -1);
    return sum(y.map((value, i) => (value - dot(weights(i), y)) ** 2)) / y.length;
  }),
);

/* Where a query may stand: 121 places from the first key to the last. */
const querySteps = (x) => {
  const [from, to] = [min(...x), max(...x)];
  return count(121).map((i) => from + ((to - from) * i) / 120);
};

export default class Kernel extends Figure {
  static style = kernelCss;
  static moves = ["query", "width", "y", "weights", "fit", "curve", "error", "loo", "own"];

  static compute({ x, widths }, { kernel, width, query, y }) {
    // An address may hold anything.
    if (y.length !== x.length || !y.every(Number.isFinite) || !widths.includes(width)) throw new RangeError("no such points, or no such width");
    const weights = kernelWeights(kernel, x, query, width);
    const grid = [...querySteps(x), ...x].sort((a, b) => a - b);
    const curve = grid.map((at) => {
      const there = kernelWeights(kernel, x, at, width);
      return sum(there) ? dot(there, y) : NaN;
    });
    const [loo, own] = [true, false].map((out) => kernelErrors(kernel, x, y, widths, out));
    const error = loo[widths.indexOf(width)];
    const squares = dot(weights, weights);
    const effective = squares && 1 / squares;
    const fit = dot(weights, y);
    return { query, width, y, weights, fit, effective, grid, curve, error, loo, own };
  }

  build() {
    const { x, y, truth, widths, width, query } = this.spec;
    const [from, to, low, high] = [min(...x), max(...x), min(...y), max(...y)];
    this.low = low - 0.35 * (high - low);
    this.high = high + 0.35 * (high - low);
    this.x = linear(from, to, 34, 334);
    this.y = linear(this.low, this.high, 236, 20);
    this.w = (each) => linear(log(widths[0]), log(widths.at(-1)), 34, 334)(log(each));
    this.steps = querySteps(x);
    const nearest = (list, value) => list.reduce((best, each) => (abs(each - value) < abs(best - value) ? each : best));
    Object.assign(this.state, { y, point: 0 });
    this.points = x.map((each) => circle("cell", 6, this.x(each)));
    this.rims = x.map((each) => circle("rim", 6, this.x(each)));
    this.grips = x.map((each) => circle("grip", 14, this.x(each))); // wide enough for a finger
    [this.fit, this.loo, this.own] = ["curve", "curve", "curve own"].map((kind) => path(kind));
    [this.bump, this.beam] = [path("bump"), path("beam")];
    [this.answer, this.run] = [circle("fill-value answer", 8), circle("fill-value", 7)];
    this.ring = circle("ring", 10);
    this.handle = make(
      "g",
      {
        role: "slider",
        tabindex: 0,
        "aria-label": "point to move",
        class: "handle",
        onkeydown: (event) => this.key(event),
      },
      this.ring,
    );
    const whole = count(20).filter((tick) => tick >= from && tick <= to);
    const alongX = whole.map((tick) => [this.x(tick), tick]);
    this.chart = set(
      drawing(
        340,
        276,
        "Points and curve",
        axes("x: keys, and the query", "y: values", alongX),
        text(334, 12, "drag the big dot, or a point", "small end muted"),
        text(334, 230, "dotted: the truth", "small end muted"),
        path("ghost", trace(truth.map(([a, b]) => [this.x(a), this.y(b)]))),
        this.bump,
        this.beam,
        this.rims,
        this.points,
        this.fit,
        this.grips,
        this.answer,
        this.handle,
      ),
      { role: "group", class: "drag" },
    );
    this.drag();
    this.ceiling = text(28, 34, "", "small end muted");
    const alongWidths = [0.01, 0.03, 0.1, 0.3, 1, 3].filter((each) => each >= widths[0] && each <= widths.at(-1)).map((each) => [this.w(each), each]);
    this.errors = set(
      drawing(
        340,
        276,
        "Error against the width",
        axes("width", "mean squared error", alongWidths),
        text(334, 12, "drag the dot", "small end muted"),
        text(334, 32, "solid: leave-one-out", "small strong end"),
        text(334, 48, "dashed: with itself as key", "small muted end"),
        text(28, 240, "0", "small end muted"),
        this.ceiling,
        this.own,
        this.loo,
        this.run,
      ),
      {
        class: "drag",
        onpointerdown: (event) => this.pick(event, true),
        onpointermove: (event) => this.pick(event),
      },
    );
    return [
      box(
        "controls",
        this.slider("width", "width", widths, nearest(widths, width), two),
        this.slider("query", "query", this.steps, nearest(this.steps, query), two),
        this.choice("kernel", "kernel", Object.keys(KERNELS)),
      ),
      box("panels", this.chart, this.errors),
    ];
  }

  /* A pointer on the errors takes the width along. */
  pick(event, first) {
    if (!event.buttons) return;
    if (first) this.errors.setPointerCapture(event.pointerId);
    const { widths } = this.spec;
    const last = widths.length - 1; // the widths are as far apart as their places
    const at = linear(34, 334, 0, last)(spot(this.errors, event)[0]);
    this.change("width", widths[clamp(Math.round(at), 0, last)]);
  }

  /* Drag a point up or down or, by its dot and away from all points, the query. */
  drag() {
    let held = null;
    const move = ([px, py]) => {
      if (held < 0) this.change("query", this.steps[clamp(Math.round((px - 34) / 2.5), 0, 120)]);
      else this.lift(held, linear(236, 20, this.low, this.high)(py));
    };
    const start = (event) => {
      const [px, py] = spot(this.chart, event);
      const away = (x, y) => hypot(this.x(x) - px, this.y(y) - py);
      const far = this.spec.x.map((x, i) => away(x, this.state.y[i]));
      const { effective, fit } = this.compute();
      const onDot = effective && away(this.state.query, fit) < 14;
      held = !onDot && min(...far) < 16 ? far.indexOf(min(...far)) : -1;
      this.chart.setPointerCapture(event.pointerId);
      move([px, py]);
    };
    const stop = () => (held = null);
    set(this.chart, {
      onpointerdown: start,
      onpointerup: stop,
      onpointercancel: stop,
      onpointermove: (event) => held === null || move(spot(this.chart, event)),
    });
  }

  lift(point, value) {
    this.state.point = point;
    const lifted = clamp(value, this.low, this.high);
    const y = this.state.y.map((each, i) => (i === point ? lifted : each));
    this.change("y", y);
  }

  key(event) {
    const { point, y } = this.state;
    if (!ARROWS[event.key]) return;
    const [down, right] = ARROWS[event.key];
    if (right) this.change("point", clamp(point + right, 0, y.length - 1));
    else this.lift(point, y[point] - (down * (this.high - this.low)) / 40);
    event.preventDefault();
  }

  paint({ query, width, y, weights, fit, grid, curve, effective, error, loo, own }) {
    const { kernel, point } = this.state;
    const { x, widths } = this.spec;
    const x0 = this.x(query);
    const top = max(...weights) || 1;
    y.forEach((value, i) => {
      for (const each of [this.rims[i], this.grips[i]]) set(each, { cy: one(this.y(value)) });
      set(this.points[i], { cy: one(this.y(value)), "fill-opacity": weights[i] / top });
    });
    set(this.ring, { cx: one(this.x(x[point])), cy: one(this.y(y[point])) });
    set(this.handle, {
      "aria-valuenow": y[point].toFixed(2),
      "aria-valuetext": `point ${point + 1} of ${y.length}, at x ${two(x[point])}, y ${two(y[point])}`,
    });
    const pieces = grid.map((at, k) => {
      if (Number.isNaN(curve[k])) return "";
      const joins = k && !Number.isNaN(curve[k - 1]);
      return `${joins ? "L" : "M"}${one(this.x(at))} ${one(this.y(curve[k]))}`;
    });
    set(this.fit, { d: pieces.join("") });
    const height = (at) => KERNELS[kernel]((query - at) / width);
    const bump = grid.map((at) => [this.x(at), 236 - 40 * height(at)]);
    set(this.bump, { d: trace([[34, 236], ...bump, [334, 236]]) + "Z" });
    set(this.beam, { d: `M${one(x0)} 236V${one(this.y(fit))}` });
    see(set(this.answer, { cx: one(x0), cy: one(this.y(fit)) }), effective);
    const ceiling = this.ceilingOf(own, loo);
    const tall = (each) => linear(0, ceiling, 236, 30)(min(each, ceiling));
    this.ceiling.textContent = one(ceiling);
    const along = (errors) =>
      errors.map((each, k) => {
        if (each > ceiling) return "";
        const joins = k && errors[k - 1] <= ceiling;
        return `${joins ? "L" : "M"}${one(this.w(widths[k]))} ${one(tall(each))}`;
      });
    set(this.loo, { d: along(loo).join("") });
    set(this.own, { d: along(own).join("") });
    set(this.run, { cx: one(this.w(width)), cy: one(tall(error)) });
  }

  /* The largest error of the chart: what a narrow kernel without a key in reach does is above it. */
  ceilingOf(own, loo) {
    return 1.35 * max(...own, ...loo.filter((_, k) => this.spec.widths[k] >= 0.1));
  }

  words({ weights, fit, effective, error, loo, own }) {
    const { query, width } = this.state;
    const { x, widths } = this.spec;
    const at = two(query);
    const best = largest(weights);
    const good = widths[loo.indexOf(min(...loo))];
    const side = `width ${two(good)} is best: yours is ${width < good ? "narrower" : "wider"}`;
    const above = error > this.ceilingOf(own, loo) ? " (above the chart)" : "";
    const end =
      `The error is ${two(own[widths.indexOf(width)])} with itself as key and ${two(error)}${above} ` +
      `by leave-one-out, for which ${width === good ? "no width is better" : side}.`;
    if (!effective) return `No key is within reach of x = ${at}, so all weights are 0. ${end}`;
    return (
      `At x = ${at} the curve is at ${two(fit)}. The largest weight is ${two(weights[best])}, ` +
      `for the key at ${two(x[best])}; the effective number of keys is ${one(effective)}. ${end}`
    );
  }

  table({ weights }) {
    const rows = this.spec.x.map((x, i) => [two(x), two(this.state.y[i]), two(weights[i])]);
    return [["key x", "value y", "weight"], ...rows];
  }
}
