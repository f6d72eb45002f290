/* Page 2, a curve by attention. */
import {
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
  see,
  set,
  softmax,
  spot,
  sum,
  text,
  trace,
  two,
} from "../core.js";

const KERNELS = {
  Gaussian: (u) => Math.exp((-u * u) / 2),
  boxcar: (u) => +(abs(u) < 1),
  triangular: (u) => max(0, 1 - abs(u)),
  Epanechnikov: (u) => max(0, 1 - u * u),
};

export default class Kernel extends Figure {
  build() {
    const { x, y, truth, widths, width, query } = this.spec;
    const from = min(...x),
      to = max(...x),
      low = min(...y),
      high = max(...y);
    this.low = low - 0.35 * (high - low);
    this.high = high + 0.35 * (high - low);
    this.x = linear(from, to, 34, 334);
    this.y = linear(this.low, this.high, 236, 20);
    this.w = (each) => linear(log(widths[0]), log(widths.at(-1)), 34, 334)(log(each));
    const steps = count(121).map((i) => from + ((to - from) * i) / 120);
    this.grid = [...steps, ...x].sort((a, b) => a - b);
    this.steps = steps;
    const nearest = (list, value) =>
      list.reduce((best, each) => (abs(each - value) < abs(best - value) ? each : best));
    Object.assign(this.state, { y, point: 0 });
    this.points = x.map((each) => circle("cell", 6, this.x(each)));
    this.rims = x.map((each) => circle("rim", 6, this.x(each)));
    this.grips = x.map((each) => circle("grip", 14, this.x(each))); // wide enough for a finger
    [this.fit, this.loo, this.own] = ["curve", "curve", "curve own"].map((kind) => path(kind));
    [this.bump, this.beam] = [path("bump"), path("beam")];
    [this.answer, this.run] = [circle("fill-value", 8), circle("fill-value", 7)];
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
    this.chart = set(
      drawing(
        340,
        276,
        "Points and curve",
        axes(
          "x: keys, and the query",
          "y: values",
          whole.map((tick) => [this.x(tick), tick]),
        ),
        text(334, 12, "drag the query, or a point", "small end muted"),
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
    const ticks = [0.01, 0.03, 0.1, 0.3, 1, 3].filter(
      (each) => each >= widths[0] && each <= widths.at(-1),
    );
    return [
      box(
        "controls",
        this.slider("width", "width", widths, nearest(widths, width), two),
        this.slider("query", "query", steps, nearest(steps, query), two),
        this.choice("kernel", "kernel", Object.keys(KERNELS)),
      ),
      box(
        "panels",
        this.chart,
        drawing(
          340,
          276,
          "Error against the width",
          axes(
            "width",
            "mean squared error",
            ticks.map((each) => [this.w(each), each]),
          ),
          text(44, 40, "solid: leave-one-out", "small strong"),
          text(44, 58, "dashed: with itself as key", "small muted"),
          text(28, 240, "0", "small end muted"),
          this.ceiling,
          this.own,
          this.loo,
          this.run,
        ),
      ),
    ];
  }

  /* Drag a point up or down or, away from all points, the query. */
  drag() {
    let held = null;
    const move = ([px, py]) => {
      if (held < 0) this.change("query", this.steps[clamp(Math.round((px - 34) / 2.5), 0, 120)]);
      else this.lift(held, linear(236, 20, this.low, this.high)(py));
    };
    const start = (event) => {
      const [px, py] = spot(this.chart, event);
      const far = this.spec.x.map((x, i) => hypot(this.x(x) - px, this.y(this.state.y[i]) - py));
      held = min(...far) < 16 ? far.indexOf(min(...far)) : -1;
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
    this.change(
      "y",
      this.state.y.map((each, i) => (i === point ? lifted : each)),
    );
  }

  key(event) {
    const { point, y } = this.state,
      step = (this.high - this.low) / 40;
    const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const up = { ArrowDown: -step, ArrowUp: step }[event.key];
    if (along) this.change("point", clamp(point + along, 0, y.length - 1));
    else if (up) this.lift(point, y[point] + up);
    else return;
    event.preventDefault();
  }

  /* The weights of a query; zeros where the kernel holds no key. One key may be left out. */
  weigh(query, width, out = -1) {
    const { x } = this.spec,
      kernel = KERNELS[this.state.kernel];
    if (this.state.kernel === "Gaussian")
      return softmax(
        x.map((key, i) => (i === out ? -Infinity : -(((query - key) / width) ** 2) / 2)),
      );
    const heights = x.map((key, i) => (i === out ? 0 : kernel((query - key) / width)));
    const total = sum(heights) || 1;
    return heights.map((height) => height / total);
  }

  /* The mean squared error at the points, for each width. */
  errors(leaveOut) {
    const { y } = this.state,
      { x, widths } = this.spec;
    const miss = (width, key, i) => y[i] - dot(this.weigh(key, width, leaveOut ? i : -1), y);
    return widths.map((width) => sum(x.map((key, i) => miss(width, key, i) ** 2)) / y.length);
  }

  compute() {
    const { width, query, y, kernel } = this.state,
      weights = this.weigh(query, width);
    const curve = this.grid.map((at) => {
      const there = this.weigh(at, width);
      return sum(there) ? dot(there, y) : NaN;
    });
    if (this.errorsOf !== String([kernel, y]))
      // those of all widths depend on nothing else
      Object.assign(this, { leftOut: this.errors(true), owns: this.errors(false) });
    this.errorsOf = String([kernel, y]);
    const error = this.leftOut[this.spec.widths.indexOf(width)],
      squares = dot(weights, weights);
    return {
      weights,
      fit: dot(weights, y),
      effective: squares && 1 / squares,
      curve,
      error,
      grid: this.grid,
      loo: this.leftOut,
      own: this.owns,
    };
  }

  paint({ weights, fit, curve, effective, error, loo, own }) {
    const { width, query, y, point } = this.state,
      { x, widths } = this.spec,
      x0 = this.x(query);
    const top = max(...weights) || 1,
      kernel = KERNELS[this.state.kernel];
    y.forEach((value, i) => {
      for (const each of [this.rims[i], this.grips[i]]) set(each, { cy: one(this.y(value)) });
      set(this.points[i], { cy: one(this.y(value)), "fill-opacity": weights[i] / top });
    });
    set(this.ring, { cx: one(this.x(x[point])), cy: one(this.y(y[point])) });
    set(this.handle, {
      "aria-valuenow": y[point].toFixed(2),
      "aria-valuetext": `point ${point + 1} of ${y.length}, at x ${two(x[point])}, y ${two(y[point])}`,
    });
    const pieces = curve.map((value, k) =>
      Number.isNaN(value)
        ? ""
        : `${k && !Number.isNaN(curve[k - 1]) ? "L" : "M"}${one(this.x(this.grid[k]))} ${one(this.y(value))}`,
    );
    set(this.fit, { d: pieces.join("") });
    const bump = this.grid.map((at) => [this.x(at), 236 - 40 * kernel((query - at) / width)]);
    set(this.bump, { d: trace([[34, 236], ...bump, [334, 236]]) + "Z" });
    set(this.beam, {
      d: trace([
        [x0, 236],
        [x0, this.y(fit)],
      ]),
    });
    see(set(this.answer, { cx: one(x0), cy: one(this.y(fit)) }), effective);
    const ceiling = 1.1 * max(...own, ...loo.filter((_, k) => widths[k] >= 0.1));
    const height = (each) => clamp(linear(0, ceiling, 236, 30)(each), 22, 236);
    this.ceiling.textContent = one(ceiling);
    const along = (errors) => trace(errors.map((each, k) => [this.w(widths[k]), height(each)]));
    set(this.loo, { d: along(loo) });
    set(this.own, { d: along(own) });
    set(this.run, { cx: one(this.w(width)), cy: one(height(error)) });
  }

  words({ weights, fit, effective, error }) {
    const { query, width } = this.state,
      at = two(query),
      best = largest(weights);
    const end = `The leave-one-out error is ${two(error)} at width ${two(width)}.`;
    if (!effective) return `No key is within reach of x = ${at}, so all weights are 0. ${end}`;
    return (
      `At x = ${at} the curve is at ${two(fit)}. The largest weight is ${two(weights[best])}, ` +
      `for the key at ${two(this.spec.x[best])}; the effective number of keys is ${one(effective)}. ${end}`
    );
  }

  table({ weights }) {
    const rows = this.spec.x.map((x, i) => [two(x), two(this.state.y[i]), two(weights[i])]);
    return [["key x", "value y", "weight"], ...rows];
  }
}
