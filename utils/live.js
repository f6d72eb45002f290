/* Live figures: they run in the page, with no kernel, no network and no library.

A figure is one element that carries its data, <attention-live-1 kind="mask" spec='{...}'>, with an
ordinary picture inside it for where no script runs. `utils/live.py` writes it, and gives it of this
script what all figures share and the part of its kind. Each kind is a class:
  build()     makes the controls and the drawings, once, and returns them
  compute()   the arithmetic, from this.spec and this.state; tested against PyTorch
  paint(n)    shows what compute returned
  words(n)    says it in a sentence or two
  table(n)    the same as rows of text, the first of them the head
`state` holds plain values and is all that changes; each control writes to it and paints anew. */
(() => {
"use strict";
const TAG = "attention-live-1";
const ADDRESS = document.currentScript?.src; // of this file, in the book; an output has none

// ---- small helpers

const { abs, floor, hypot, log, max, min, sqrt } = Math;
const SVG = new Set(["svg", "g", "rect", "path", "circle", "text", "tspan", "image"]);

/* An element with attributes and children; "on..." is a listener. */
function make(tag, about = {}, ...children) {
  const element = SVG.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  element.append(...children.flat(Infinity).filter((child) => child != null));
  return set(element, about);
}

function set(element, about) {
  for (const [name, value] of Object.entries(about))
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value == null || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value);
  return element;
}

const see = (element, seen) => set(element, { visibility: seen ? "visible" : "hidden" });

const count = (n) => Array.from({ length: n }, (_, i) => i);
const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);
const dot = (a, b) => sum(a.map((x, i) => x * b[i]));
const largest = (numbers) => numbers.indexOf(max(...numbers));
const clamp = (x, low, high) => min(max(x, low), high);
const minus = (words) => String(words).replace("-", "−");
const one = (x) => x.toFixed(1); // also for coordinates
const two = (x) => minus(Number.isNaN(x) ? "nan" : x.toFixed(2));
const linear = (from, to, start, end) => (x) => start + ((x - from) / (to - from)) * (end - start);

/* A score of -Infinity is one that is not allowed: weight 0, and only zeros if all are. */
function softmax(scores) {
  const top = max(...scores);
  if (top === -Infinity) return scores.map(() => 0);
  const exponentials = scores.map((s) => Math.exp(s - top));
  const total = sum(exponentials);
  return exponentials.map((e) => e / total);
}

const text = (x, y, words, kind = "") => make("text", { x: one(x), y: one(y), class: kind }, words);
const path = (kind, d) => make("path", { class: kind, d });
const circle = (kind, r, x = 0, y = 0) => make("circle", { class: kind, r, cx: one(x), cy: one(y) });
const rect = (kind, x, y, width, height, rx = 3) =>
  make("rect", { class: kind, x: one(x), y: one(y), width: one(width), height: one(height), rx });
const box = (kind, ...children) => make("div", { class: kind }, children);
const trace = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${one(x)} ${one(y)}`).join("");
const slanted = (x, y, words, angle = 45) =>
  make("text", { transform: `translate(${one(x)} ${y}) rotate(-${angle})`, class: "small" }, words);

/* More weight is more ink, and the number on it stays legible. */
const ink = (weight) => (0.05 + 0.95 * clamp(weight, 0, 1)).toFixed(3);
const onInk = (weight) => "small mid" + (weight > 0.62 ? " on" : weight >= 0.45 ? " half" : "");

/* Diagonal strokes inside a rectangle: what is masked. */
function hatch(x, y, width, height) {
  let d = `M${x} ${y}h${width}v${height}h${-width}Z`;
  for (let k = 6; k < width + height; k += 6) {
    const start = k <= width ? [x + k, y] : [x + width, y + k - width];
    d += trace([start, k <= height ? [x, y + k] : [x + k - height, y + height]]);
  }
  return path("hatch", d);
}

const drawing = (width, height, label, ...children) =>
  make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, children);

/* Where a pointer is, in the units of a drawing. */
function spot(svg, event) {
  const frame = svg.getBoundingClientRect(), unit = svg.viewBox.baseVal.width / frame.width;
  return [(event.clientX - frame.left) * unit, (event.clientY - frame.top) * unit];
}

/* Axes from (34, 20) to (334, 236), with ticks [[position, label], ...] along x. */
const axes = (x, y, ticks) => [
  path("line", "M34 20V236H334"),
  ticks.map(([at, words]) => text(at, 252, words, "small mid muted")),
  text(184, 270, x, "small mid"),
  text(28, 12, y, "small"),
];

// ---- what all figures share

class Figure {
  constructor(spec, changed) {
    Object.assign(this, { spec, changed, state: {}, show: {} });
  }

  change(name, value) {
    this.state[name] = value;
    this.show[name]?.();
    this.changed();
  }

  /* A labelled control for state[name]; `show` brings it in step with the state. */
  control(name, label, value, input, show, ...after) {
    this.state[name] = value;
    this.show[name] = show;
    show();
    return make("label", {}, make("span", {}, label), input, after);
  }

  /* A slider over a list of values, so that it stops at those that the lesson speaks of. */
  slider(name, label, values, value, say = String) {
    const output = make("output"), listen = () => this.change(name, values[+input.value]);
    const input = make("input", { type: "range", min: 0, max: values.length - 1, oninput: listen });
    const show = () => {
      input.value = values.indexOf(this.state[name]);
      output.textContent = say(this.state[name]);
      set(input, { "aria-valuetext": output.textContent });
    };
    return this.control(name, label, value, input, show, output);
  }

  choice(name, label, options, value = options[0]) {
    const input = make("select", {}, options.map((each) => make("option", {}, each)));
    set(input, { onchange: () => this.change(name, input.value) });
    return this.control(name, label, value, input, () => (input.value = this.state[name]));
  }

  toggle(name, label, value) {
    const input = make("input", { type: "checkbox" });
    set(input, { onchange: () => this.change(name, input.checked) });
    return this.control(name, label, value, input, () => (input.checked = this.state[name]));
  }

  entry(name, label, value) {
    const input = make("input", { type: "text", size: 12, maxlength: 30, spellcheck: "false" });
    set(input, { oninput: () => this.change(name, input.value) });
    const show = () => input.value !== this.state[name] && (input.value = this.state[name]);
    return this.control(name, label, value, input, show);
  }

  button(label, act) {
    return make("button", { type: "button", onclick: act }, label);
  }
}

const FIGURES = (window.attentionFigures ??= {}); // each output brings its own kind; a page shares them

// ---- figure lookup: page 1, a lookup made soft

const LETTERS = " abcdefghijklmnopqrstuvwxyz";

/* The counts of the letter pairs of a name, as a vector of length 1; accents do not count. */
function letterPairs(name) {
  const plain = name.toLowerCase().normalize("NFD").replace(/[^a-z ]/g, "").trim();
  const pairs = new Array(LETTERS.length ** 2).fill(0), spelled = ` ${plain} `;
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

FIGURES.lookup = class extends Figure {
  build() {
    const { names, places, name, temperature, temperatures } = this.spec;
    this.keys = names.map(letterPairs);
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
      box("controls",
        this.entry("name", "query", name),
        this.slider("temperature", "temperature", temperatures, temperature)),
      box("panels",
        drawing(340, 6 + 21 * names.length, "Attention weights of the cities",
          names.map((each, i) => text(72, 19 + 21 * i, each, "small end")), this.bars, this.shares),
        drawing(340, 300, "Map of the cities and of the answer",
          text(334, 297, "dashed: the answer from hot to cold", "small end muted"),
          path("region", trace(hull(spots)) + "Z"), this.path,
          spots.map((at) => circle("rim", 7, ...at)), this.cities,
          spots.map(([e, n], i) => text(e + 10, n + 4, names[i], "small muted")),
          this.answer, this.label)),
    ];
  }

  compute() {
    const query = letterPairs(this.state.name), { places } = this.spec;
    const scores = this.keys.map((key) => dot(key, query));
    const weigh = (temperature) => softmax(scores.map((score) => score / temperature));
    const mix = (weights) => [0, 1].map((axis) => dot(weights, places.map((place) => place[axis])));
    const weights = weigh(this.state.temperature);
    const cooling = count(41).map((k) => mix(weigh(10 ** (1 - 0.075 * k))));
    return { scores, weights, output: mix(weights), cooling };
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
    const best = largest(weights), [east, north] = output.map(one).map(minus);
    const place = `The answer is ${east} degrees east, ${north} north.`;
    if (!max(...scores)) return `No city shares a pair of letters with this query, so the weights are equal. ${place}`;
    return `“${this.state.name}” matches ${this.spec.names[best]} best: score ${two(scores[best])}, ` +
      `weight ${two(weights[best])} at temperature ${this.state.temperature}. ${place}`;
  }

  table({ scores, weights }) {
    const rows = this.spec.names.map((name, i) => [name, two(scores[i]), two(weights[i])]);
    return [["key", "score", "weight"], ...rows];
  }
};

// ---- figure kernel: page 2, a curve by attention

const KERNELS = {
  Gaussian: (u) => Math.exp((-u * u) / 2),
  boxcar: (u) => +(abs(u) < 1),
  triangular: (u) => max(0, 1 - abs(u)),
  Epanechnikov: (u) => max(0, 1 - u * u),
};

FIGURES.kernel = class extends Figure {
  build() {
    const { x, y, truth, widths, width, query } = this.spec;
    const from = min(...x), to = max(...x), low = min(...y), high = max(...y);
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
    this.handle = make("g", { role: "slider", tabindex: 0, "aria-label": "point to move",
      class: "handle", onkeydown: (event) => this.key(event) }, this.ring);
    const whole = count(20).filter((tick) => tick >= from && tick <= to);
    this.chart = set(
      drawing(340, 276, "Points and curve", axes("x: keys, and the query", "y: values",
        whole.map((tick) => [this.x(tick), tick])),
      text(334, 12, "drag the query, or a point", "small end muted"),
      text(334, 230, "dotted: the truth", "small end muted"),
      path("ghost", trace(truth.map(([a, b]) => [this.x(a), this.y(b)]))),
      this.bump, this.beam, this.rims, this.points, this.fit, this.grips, this.answer, this.handle),
      { role: "group", class: "drag" });
    this.drag();
    this.ceiling = text(28, 34, "", "small end muted");
    const ticks = [0.01, 0.03, 0.1, 0.3, 1, 3].filter((each) => each >= widths[0] && each <= widths.at(-1));
    return [
      box("controls",
        this.slider("width", "width", widths, nearest(widths, width), two),
        this.slider("query", "query", steps, nearest(steps, query), two),
        this.choice("kernel", "kernel", Object.keys(KERNELS))),
      box("panels", this.chart,
        drawing(340, 276, "Error against the width",
          axes("width", "mean squared error", ticks.map((each) => [this.w(each), each])),
          text(44, 40, "solid: leave-one-out", "small strong"),
          text(44, 58, "dashed: with itself as key", "small muted"), text(28, 240, "0", "small end muted"), this.ceiling, this.own, this.loo, this.run)),
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
    set(this.chart, { onpointerdown: start, onpointerup: stop, onpointercancel: stop,
      onpointermove: (event) => held === null || move(spot(this.chart, event)) });
  }

  lift(point, value) {
    this.state.point = point;
    const lifted = clamp(value, this.low, this.high);
    this.change("y", this.state.y.map((each, i) => (i === point ? lifted : each)));
  }

  key(event) {
    const { point, y } = this.state, step = (this.high - this.low) / 40;
    const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const up = { ArrowDown: -step, ArrowUp: step }[event.key];
    if (along) this.change("point", clamp(point + along, 0, y.length - 1));
    else if (up) this.lift(point, y[point] + up);
    else return;
    event.preventDefault();
  }

  /* The weights of a query; zeros where the kernel holds no key. One key may be left out. */
  weigh(query, width, out = -1) {
    const { x } = this.spec, kernel = KERNELS[this.state.kernel];
    if (this.state.kernel === "Gaussian")
      return softmax(x.map((key, i) => (i === out ? -Infinity : -(((query - key) / width) ** 2) / 2)));
    const heights = x.map((key, i) => (i === out ? 0 : kernel((query - key) / width)));
    const total = sum(heights) || 1;
    return heights.map((height) => height / total);
  }

  /* The mean squared error at the points, for each width. */
  errors(leaveOut) {
    const { y } = this.state, { x, widths } = this.spec;
    const miss = (width, key, i) => y[i] - dot(this.weigh(key, width, leaveOut ? i : -1), y);
    return widths.map((width) => sum(x.map((key, i) => miss(width, key, i) ** 2)) / y.length);
  }

  compute() {
    const { width, query, y, kernel } = this.state, weights = this.weigh(query, width);
    const curve = this.grid.map((at) => {
      const there = this.weigh(at, width);
      return sum(there) ? dot(there, y) : NaN;
    });
    if (this.errorsOf !== String([kernel, y])) // those of all widths depend on nothing else
      Object.assign(this, { leftOut: this.errors(true), owns: this.errors(false) });
    this.errorsOf = String([kernel, y]);
    const error = this.leftOut[this.spec.widths.indexOf(width)], squares = dot(weights, weights);
    return { weights, fit: dot(weights, y), effective: squares && 1 / squares, curve, error, grid: this.grid,
      loo: this.leftOut, own: this.owns };
  }

  paint({ weights, fit, curve, effective, error, loo, own }) {
    const { width, query, y, point } = this.state, { x, widths } = this.spec, x0 = this.x(query);
    const top = max(...weights) || 1, kernel = KERNELS[this.state.kernel];
    y.forEach((value, i) => {
      for (const each of [this.rims[i], this.grips[i]]) set(each, { cy: one(this.y(value)) });
      set(this.points[i], { cy: one(this.y(value)), "fill-opacity": weights[i] / top });
    });
    set(this.ring, { cx: one(this.x(x[point])), cy: one(this.y(y[point])) });
    set(this.handle, { "aria-valuenow": y[point].toFixed(2), "aria-valuetext":
      `point ${point + 1} of ${y.length}, at x ${two(x[point])}, y ${two(y[point])}` });
    const pieces = curve.map((value, k) => Number.isNaN(value) ? "" :
      `${k && !Number.isNaN(curve[k - 1]) ? "L" : "M"}${one(this.x(this.grid[k]))} ${one(this.y(value))}`);
    set(this.fit, { d: pieces.join("") });
    const bump = this.grid.map((at) => [this.x(at), 236 - 40 * kernel((query - at) / width)]);
    set(this.bump, { d: trace([[34, 236], ...bump, [334, 236]]) + "Z" });
    set(this.beam, { d: trace([[x0, 236], [x0, this.y(fit)]]) });
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
    const { query, width } = this.state, at = two(query), best = largest(weights);
    const end = `The leave-one-out error is ${two(error)} at width ${two(width)}.`;
    if (!effective) return `No key is within reach of x = ${at}, so all weights are 0. ${end}`;
    return `At x = ${at} the curve is at ${two(fit)}. The largest weight is ${two(weights[best])}, ` +
      `for the key at ${two(this.spec.x[best])}; the effective number of keys is ${one(effective)}. ${end}`;
  }

  table({ weights }) {
    const rows = this.spec.x.map((x, i) => [two(x), two(this.state.y[i]), two(weights[i])]);
    return [["key x", "value y", "weight"], ...rows];
  }
};

// ---- figure mask: page 3

const EMPTY = { zeros: 0, "equal weights (softmax after −1e9)": "equal", "nan (softmax after −∞)": NaN };

FIGURES.mask = class extends Figure {
  build() {
    const { tokens, length } = this.spec, n = tokens.length, side = 42, end = 76 + side * n;
    this.state.pressed = {}; // what is set by hand, by the number of its cell
    this.cells = count(n * n).map((k) => {
      const x = 76 + side * (k % n), y = 62 + side * floor(k / n);
      const cell = rect("cell", x + 1, y + 1, 40, 40), masked = hatch(x + 1, y + 1, 40, 40);
      const number = text(x + 21, y + 25, ""), hand = circle("query", 3, x + 34, y + 8);
      const button = make("g", { role: "checkbox", tabindex: k ? -1 : 0, class: "press",
        onclick: () => this.press(k), onkeydown: (event) => this.key(event, k) },
      rect("under", x, y, side, side), cell, masked, number, hand);
      return { cell, masked, number, hand, button };
    });
    this.sums = tokens.map((_, i) => text(end + 6, 87 + side * i, "", "small muted"));
    return [
      box("controls",
        this.slider("length", "valid length", count(n + 1), length),
        this.toggle("causal", "causal", this.spec.causal),
        this.toggle("window", "window of 2", false),
        this.choice("empty", "an empty row gives", Object.keys(EMPTY))),
      box("panels", set(
        drawing(end + 44, 70 + side * n, "Weights: press a cell to mask or to allow it",
          tokens.map((token, i) => [text(70, 87 + side * i, token, "small end"),
            slanted(100 + side * i, 54, token)]),
          text(70, 54, "queries", "small end query"), text(end + 6, 54, "sum", "small muted"),
          text(end + 40, 14, "keys", "small end key"), this.cells.map((each) => each.button), this.sums),
        { role: "group" })),
    ];
  }

  press(k) {
    const n = this.spec.tokens.length, open = this.compute().mask[floor(k / n)][k % n];
    this.change("pressed", { ...this.state.pressed, [k]: !open });
  }

  key(event, k) {
    const n = this.spec.tokens.length, row = floor(k / n), column = k % n;
    const [down, right] = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key] ?? [];
    if (event.key === " " || event.key === "Enter") this.press(k);
    else if (down === undefined) return;
    else {
      const next = this.cells[clamp(row + down, 0, n - 1) * n + clamp(column + right, 0, n - 1)].button;
      set(this.cells[k].button, { tabindex: -1 });
      set(next, { tabindex: 0 }).focus();
    }
    event.preventDefault();
  }

  compute() {
    const { scores } = this.spec, { length, causal, window, pressed, empty } = this.state, n = scores.length;
    const rule = (i, j) => j < length && (!causal || j <= i) && (!window || (j <= i && j > i - 2));
    const mask = count(n).map((i) => count(n).map((j) => pressed[i * n + j] ?? rule(i, j)));
    const weights = scores.map((row, i) => {
      if (mask[i].some(Boolean)) return softmax(row.map((s, j) => (mask[i][j] ? s : -Infinity)));
      return row.map(() => (EMPTY[empty] === "equal" ? 1 / n : EMPTY[empty]));
    });
    return { mask, weights };
  }

  paint({ mask, weights }) {
    const { tokens } = this.spec, n = tokens.length;
    this.cells.forEach(({ cell, masked, number, hand, button }, k) => {
      const i = floor(k / n), j = k % n, weight = weights[i][j], open = mask[i][j];
      see(hand, k in this.state.pressed);
      set(cell, { "fill-opacity": open || weight > 0 ? ink(weight) : 0 });
      see(masked, !open);
      number.textContent = open || weight !== 0 ? two(weight) : "";
      set(number, { class: open ? onInk(weight) : "small mid strong" });
      set(button, { "aria-checked": String(open), "aria-label":
        `${tokens[i]} to ${tokens[j]}: ${open ? `weight ${two(weight)}` : "masked"}` });
    });
    this.sums.forEach((each, i) => (each.textContent = two(sum(weights[i]))));
  }

  words({ mask, weights }) {
    const { tokens } = this.spec, bare = count(tokens.length).filter((i) => !mask[i].some(Boolean));
    const open = `${sum(mask.flat().map(Number))} of ${tokens.length ** 2} pairs are allowed.`;
    if (!bare.length) return `${open} Every row has a key and sums to 1.`;
    const rows = bare.map((i) => `${i + 1} (${tokens[i]})`).join(", ");
    return `${open} Rows without a key: ${rows}. Under this convention they get ${this.state.empty}.`;
  }

  table({ mask, weights }) {
    const { tokens } = this.spec, say = (i) => (weight, j) => (mask[i][j] ? "" : "masked ") + two(weight);
    return [["query", ...tokens], ...weights.map((row, i) => [tokens[i], ...row.map(say(i))])];
  }
};

// ---- figure scale: page 4, the divisor

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

FIGURES.scale = class extends Figure {
  build() {
    const { m, width, seed } = this.spec, step = 300 / m;
    this.state.seed = seed;
    const bars = (kind) => count(m).map((i) => rect(kind, 38 + step * i, 0, step - 4, 0, 1));
    const frame = (label, zero, ticks, bars) =>
      drawing(340, 150, label, text(4, 14, label, "small strong"), path("line", `M34 ${zero}H336`),
        ticks.map(([at, words]) => text(30, at + 4, words, "small end muted")), bars,
        text(34, 147, "↑ the correct key", "small value"));
    [this.scores, this.weights, this.push] = ["bar-key", "cell", "bar-query"].map(bars);
    const scale = () => [24, 126].map((y) => text(30, y + 4, "", "small end muted"));
    [this.scoreScale, this.pushScale] = [scale(), scale()];
    return [
      box("controls",
        this.slider("d", "width d", count(11).map((k) => 2 ** k), width),
        this.toggle("divided", "divide by √d", this.spec.divided),
        this.button("draw again", () => this.change("seed", this.state.seed + 1))),
      box("panels stack",
        frame("scores", 76, [[76, "0"]], [this.scores, this.scoreScale]),
        frame("weights", 128, [[28, "1"], [78, ".5"], [128, "0"]], this.weights),
        frame("gradient of the loss at the scores", 76, [[76, "0"]], [this.push, this.pushScale])),
    ];
  }

  compute() {
    const { m } = this.spec, { d, divided, seed } = this.state;
    const draw = (seed) => {
      const next = normal(seed), row = (length) => count(length).map(next), rows = (n) => count(m).map(() => row(n));
      return { query: row(1024), keys: rows(1024), values: rows(4) };
    };
    this.draws ??= {};
    const score = (seed) => {
      const { query, keys, values } = (this.draws[seed] ??= draw(seed)), cut = (each) => each.slice(0, d);
      return { values, query: cut(query), keys: keys.map(cut), products: keys.map((key) => dot(cut(key), query)) };
    };
    const { values, query, keys, products } = score(seed);
    const seeds = count(seed - this.spec.seed + 1).map((k) => this.spec.seed + k);
    const wins = [sum(seeds.map((each) => +(largest(score(each).products) === 0))), seeds.length];
    const scores = products.map((product) => product / (divided ? sqrt(d) : 1));
    const weights = softmax(scores);
    const output = count(4).map((c) => dot(weights, values.map((value) => value[c])));
    // The answer is the value of key 0, and the loss is the mean of the squared errors.
    const push = output.map((y, c) => (y - values[0][c]) / 2);
    const gradient = weights.map((weight, i) => weight * (dot(push, values[i]) - dot(push, output)));
    const entropy = -sum(weights.map((weight) => weight && weight * log(weight)));
    return { scores, weights, gradient, entropy, norm: sqrt(dot(gradient, gradient)), query, keys, values, wins };
  }

  paint({ scores, weights, gradient }) {
    const signed = (bars, numbers, scale, least) => {
      const reach = max(least, ...numbers.map(abs));
      scale.forEach((each, k) => (each.textContent = minus((reach * (1 - 2 * k)).toFixed(reach < 1 ? 2 : 0))));
      numbers.forEach((x, i) => {
        const height = max((50 * abs(x)) / reach, 0.6);
        set(bars[i], { y: one(x > 0 ? 76 - height : 76), height: one(height) });
      });
    };
    signed(this.scores, scores, this.scoreScale, 3);
    signed(this.push, gradient, this.pushScale, 0.1);
    weights.forEach((weight, i) => {
      const height = 100 * weight + 0.6;
      set(this.weights[i], { y: one(128 - height), height: one(height), "fill-opacity": ink(weight) });
    });
  }

  words({ weights, entropy, norm, wins }) {
    const best = largest(weights), top = weights[best], equal = two(log(weights.length));
    const state = top > 0.95 ? `This row is saturated${best ? ", and on a wrong key" : ""}. ` : "";
    return `${state}The largest weight is ${two(top)}, and the entropy is ${two(entropy)} nats (${equal} if all were ` +
      `equal). The size of the gradient at the scores is ${norm < 0.001 ? "below 0.001" : norm.toFixed(3)}. ` +
      `The correct key has won ${wins[0]} of ${wins[1]} draws.`;
  }

  table({ scores, weights, gradient }) {
    const rows = scores.map((score, i) => [i, two(score), two(weights[i]), minus(gradient[i].toFixed(4))]);
    return [["key", "score", "weight", "gradient"], ...rows];
  }
};

// ---- figure heads: of a model

FIGURES.heads = class extends Figure {
  build() {
    const { weights, queries, keys, names, layer, head } = this.spec, pitch = 26;
    const layers = weights.length, n = queries.length, m = keys.length, tall = 30 + pitch * max(n, m);
    Object.assign(this.state, { head, focus: null, lock: null });
    const middle = (i) => 30 + pitch * (i + 0.5);
    this.arcs = count(n * m).map((k) => {
      const y0 = middle(floor(k / m)), y1 = middle(k % m);
      return path("arc", `M112 ${y0}C150 ${y0} 190 ${y1} 228 ${y1}`);
    });
    const side = (list, kind) => list.map((token, i) => {
      const focus = (on) => () => this.focus(on && [kind, i]);
      const lock = () => this.lock([kind, i]);
      const style = `top:${(100 * (30 + pitch * i)) / tall}%;height:${(100 * pitch) / tall}%`;
      return make("button", { type: "button", class: `token ${kind}`, style, onclick: lock,
        onpointerenter: focus(true), onpointerleave: focus(false), onfocus: focus(true), onblur: focus(false),
      }, make("span", {}, token));
    });
    this.tokens = { query: side(queries, "query"), key: side(keys, "key") };
    const cell = min(34, 250 / max(n, m)), left = 78, top = 70;
    this.cell = cell;
    this.map = this.grid(left, top, cell, n, m);
    this.frame = rect("frame", 0, 0, 0, 0, 4);
    this.thumbs = names.map((name, k) => {
      const cells = this.grid(0, 0, 48 / max(n, m), n, m), act = () => this.change("head", k);
      const face = make("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" }, cells.map((each) => each.node));
      return { cells, button: make("button", { type: "button", class: "thumb", onclick: act }, face, name) };
    });
    const map = drawing(left + max(cell * m, 200) + 40, top + cell * n + 8, "Weights as a map, rows are queries",
      queries.map((token, i) => text(left - 6, top + cell * (i + 0.5) + 4, token, "small end")),
      keys.map((token, j) => slanted(left + cell * (j + 0.5) + 4, top - 6, token, cell < 18 ? 90 : 45)),
      this.map.map((each) => each.node), this.frame);
    const row = (event) => {
      const [x, y] = spot(map, event), i = floor((y - top) / cell);
      return i >= 0 && i < n && x > left && x < left + cell * m && ["query", i];
    };
    set(map, { onpointermove: (event) => this.focus(row(event)), onpointerleave: () => this.focus(null),
      onclick: (event) => this.lock(row(event)) });
    const choose = { class: "thumbs", role: "group", "aria-label": "head" };
    return [
      box("controls",
        layers > 1 ? this.choice("layer", "layer", count(layers).map((k) => `${k + 1}`), `${layer + 1}`) : null,
        make("div", choose, this.thumbs.map((each) => each.button))),
      box("panels",
        box("tokens", drawing(340, tall, "Weights as lines from queries to keys",
          text(108, 18, "queries", "small end query"), text(232, 18, "keys", "small key"), this.arcs),
        this.tokens.query, this.tokens.key), map),
    ];
  }

  focus(on) {
    if (String(on || null) !== String(this.state.focus)) this.change("focus", on || null);
  }

  lock(on) {
    this.change("lock", on && String(on) !== String(this.state.lock) ? on : null);
  }

  /* n x m cells: a rectangle, strokes for what is masked, and a number where there is room. */
  grid(left, top, side, n, m) {
    const gap = side > 12 ? 1 : 0, size = +one(side - 2 * gap);
    return count(n * m).map((k) => {
      const x = +one(left + side * (k % m) + gap), y = +one(top + side * floor(k / m) + gap);
      const cell = rect("cell", x, y, size, size, 3 * gap), masked = side > 5 ? hatch(x, y, size, size) : null;
      const number = side > 24 ? text(x + size / 2, y + size / 2 + 4, "") : null;
      return { cell, masked, number, node: make("g", {}, cell, masked, number) };
    });
  }

  fill(cells, weights, open) {
    const m = weights[0].length;
    cells.forEach(({ cell, masked, number }, k) => {
      const i = floor(k / m), j = k % m, weight = weights[i][j], allowed = open(i, j);
      set(cell, { "fill-opacity": allowed ? ink(weight) : 0 });
      if (masked) see(masked, !allowed);
      if (number) set(number, { class: onInk(weight) }).textContent = allowed ? two(weight).replace("0.", ".") : "";
    });
  }

  compute() {
    const layer = (this.state.layer ?? 1) - 1, { weights, masked } = this.spec;
    const open = (i, j) => masked?.[layer % masked.length][i][j] !== "1";
    return { layer, matrix: weights[layer][this.state.head], focus: this.state.focus ?? this.state.lock, open };
  }

  paint({ layer, matrix, focus, open }) {
    const { weights, keys } = this.spec, { head, lock } = this.state, m = keys.length;
    if (layer !== this.layer) this.thumbs.forEach(({ cells }, k) => this.fill(cells, weights[layer][k], open));
    if (matrix !== this.matrix) this.fill(this.map, matrix, open);
    Object.assign(this, { layer, matrix });
    this.thumbs.forEach(({ button }, k) => set(button, { "aria-pressed": String(k === head) }));
    this.arcs.forEach((arc, k) => {
      const i = floor(k / m), j = k % m, weight = matrix[i][j];
      const on = (!focus || (focus[0] === "query" ? i : j) === focus[1]) && weight > 0.004;
      const opacity = focus ? 0.3 + 0.7 * weight : 0.1 + 0.8 * weight;
      set(arc, { "stroke-width": one(1 + 9 * weight), "stroke-opacity": on ? opacity.toFixed(2) : 0 });
    });
    for (const kind of ["query", "key"])
      this.tokens[kind].forEach((button, i) => {
        const pair = focus && focus[0] !== kind && (kind === "key" ? [focus[1], i] : [i, focus[1]]);
        const weight = pair ? matrix[pair[0]][pair[1]] : 0;
        button.style.setProperty("--share", ink(weight) - 0.05);
        button.classList.toggle("full", weight > 0.55);
        button.classList.toggle("masked", Boolean(pair) && !open(...pair));
        button.classList.toggle("self", String(focus) === `${kind},${i}`);
        set(button, { "aria-pressed": String(String(lock) === `${kind},${i}`) });
      });
    const [kind, i] = focus ?? ["query", 0], across = kind === "query", n = this.spec.queries.length;
    see(set(this.frame, {
      x: one(77 + (across ? 0 : this.cell * i)), width: one(2 + this.cell * (across ? m : 1)),
      y: one(69 + (across ? this.cell * i : 0)), height: one(2 + this.cell * (across ? 1 : n)),
    }), focus);
  }

  words({ layer, matrix, focus, open }) {
    const { queries, keys, names, weights } = this.spec, name = names[this.state.head];
    const title = weights.length > 1 ? `Layer ${layer + 1}, ${name}` : name;
    if (!focus) return `${title}: all weights, thicker lines for larger ones.`;
    const [kind, i] = focus, row = kind === "query" ? matrix[i] : matrix.map((each) => each[i]);
    const others = kind === "query" ? keys : queries;
    const best = count(row.length).sort((a, b) => row[b] - row[a]).slice(0, 4).filter((j) => row[j] > 0.004);
    const said = best.map((j) => `${others[j]} ${two(row[j])}`).join(", ") || "nothing";
    if (kind === "key") return `${title}: “${keys[i]}” gets most from ${said}.`;
    const shut = keys.filter((_, j) => !open(i, j)), hidden = shut.length > 5 ? `${shut.length} keys` : shut.join(", ");
    return `${title}: “${queries[i]}” attends most to ${said}.${hidden && ` Masked: ${hidden}.`}`;
  }

  table({ matrix, open }) {
    const { queries, keys } = this.spec, say = (i) => (weight, j) => (open(i, j) ? two(weight) : "masked");
    return [["query", ...keys], ...matrix.map((row, i) => [queries[i], ...row.map(say(i))])];
  }
};

// ---- figure captions: page 6, where a captioner looks

FIGURES.captions = class extends Figure {
  build() {
    const { images, words, boxes } = this.spec, light = 8, size = 20 * light;
    const first = max(boxes.about[0].findIndex((k) => k >= 0), 0);
    Object.assign(this.state, { focus: null, lock: [0, first] });
    this.panels = images.map((href, p) => {
      const cells = count(light ** 2).map((k) =>
        make("rect", { class: "shade", x: 20 * (k % light), y: 20 * floor(k / light), width: 20, height: 20 }));
      const frame = make("rect", { class: "outline" });
      const picture = drawing(size, size, `picture ${p + 1}`,
        make("image", { href, width: size, height: size, class: "pixels" }), cells, frame);
      const said = words[p].map((_, t) => {
        const focus = (on) => () => this.focus(on ? [p, t] : null);
        return make("button", { type: "button", class: "word", onclick: () => this.lock([p, t]),
          onpointerenter: focus(true), onpointerleave: focus(false), onfocus: focus(true), onblur: focus(false) });
      });
      return { cells, frame, said, node: box("picture", picture, box("sentence", said)) };
    });
    this.unit = size / boxes.side;
    return [
      box("controls", this.toggle("exchanged", "exchange the contexts", false)),
      box("panels", this.panels.map((each) => each.node)),
    ];
  }

  focus(on) {
    if (String(on) !== String(this.state.focus)) this.change("focus", on);
  }

  lock(on) {
    this.change("lock", String(on) === String(this.state.lock) ? null : on);
  }

  compute() {
    const { words, others, weights, boxes } = this.spec, { exchanged } = this.state;
    const focus = this.state.focus ?? this.state.lock, said = exchanged ? others : words;
    if (!focus) return { said, focus, seen: null, inside: null };
    const [p, t] = focus, from = exchanged ? 1 - p : p; // the picture that the context comes from
    const map = weights[from][t], about = boxes.about[from][t], box = about < 0 ? null : boxes.of[from][about];
    const pixels = boxes.side / 8, middle = (k) => pixels * (k + 0.5);
    const within = (k) => box && middle(k % 8) >= box[0] && middle(k % 8) < box[2] &&
      middle(floor(k / 8)) >= box[1] && middle(floor(k / 8)) < box[3];
    return { said, focus, from, map, box, inside: box && sum(map.filter((_, k) => within(k))) };
  }

  paint({ said, focus, from, map, box }) {
    const { words } = this.spec, { lock } = this.state;
    this.panels.forEach(({ cells, frame, said: buttons }, p) => {
      const top = from === p && map ? max(...map) : 1, shown = from === p && map;
      cells.forEach((each, k) => set(each, { "fill-opacity": shown ? (0.8 * (1 - map[k] / top)).toFixed(2) : 0 }));
      see(frame, shown && box);
      if (shown && box)
        set(frame, { x: box[0] * this.unit, y: box[1] * this.unit,
          width: (box[2] - box[0]) * this.unit, height: (box[3] - box[1]) * this.unit });
      buttons.forEach((button, t) => {
        button.textContent = said[p][t];
        button.classList.toggle("changed", said[p][t] !== words[p][t]);
        button.classList.toggle("self", String(focus) === `${p},${t}`);
        set(button, { "aria-pressed": String(String(lock) === `${p},${t}`) });
      });
    });
  }

  words({ said, focus, from, map, inside }) {
    const { words } = this.spec, side = (p) => (p ? "second" : "first");
    const changed = sum(words.map((each, p) => sum(each.map((word, t) => +(word !== said[p][t])))));
    const state = this.state.exchanged
      ? `Each decoder gets the contexts of the other picture: ${changed} of ${2 * words[0].length} words change. `
      : "Each decoder looks at its own picture. ";
    if (!focus) return state;
    const [p, t] = focus, best = largest(map), own = words[p][t];
    const where = inside == null ? `the brightest cell is in row ${floor(best / 8) + 1}, column ${(best % 8) + 1}`
      : `${two(inside)} of the weight is inside the frame`;
    const name = `“${said[p][t]}” in the ${side(p)} caption`;
    const before = said[p][t] === own ? `Before ${name}` : `Before ${name}, which was “${own}”,`;
    return `${state}${before} the look is at the ${side(from)} picture: ${where}.`;
  }

  table({ said }) {
    const rows = said.flatMap((each, p) => each.map((word, t) => [p + 1, this.spec.words[p][t], word]));
    return [["picture", "own context", "now"], ...rows];
  }
};

// ---- figure review: page 7, a classifier that runs here

FIGURES.review = class extends Figure {
  build() {
    const { reviews, names, labels } = this.spec;
    this.parameters = this.unpack();
    this.state.gone = {};
    this.text = box("text");
    this.chances = labels.map((label) => {
      const bar = rect("cell", 96, 3, 0, 16), share = text(100, 16, "", "small"), name = text(90, 16, label, "small end");
      return { bar, share, name, node: make("g", {}, name, bar, share) };
    });
    this.chances.forEach(({ node }, k) => set(node, { transform: `translate(0 ${22 * k})` }));
    const pick = this.choice("review", "review", names);
    const change = this.show.review;
    this.show.review = () => (change(), (this.state.gone = {}), (this.drawn = null));
    return [
      box("controls", reviews.length > 1 ? pick : null),
      box("panels review", this.text,
        drawing(220, 22 * labels.length, "probabilities of the labels", this.chances.map((each) => each.node))),
    ];
  }

  /* Whole numbers of 8 bits times a scale, one tensor after another: {name: [rows]}. */
  unpack() {
    const bytes = Uint8Array.from(atob(this.spec.parameters), (each) => each.charCodeAt(0));
    const integers = new Int8Array(bytes.buffer), found = {};
    let at = 0;
    for (const [name, scale, rows, columns] of this.spec.shapes)
      found[name] = count(rows).map(() => Array.from(integers.slice(at, (at += columns)), (each) => each * scale));
    return found;
  }

  /* One direction of a GRU over vectors: its states. PyTorch's order of gates: r, z, n. */
  gru(level, end, vectors) {
    const get = (name) => this.parameters[`${level}.gru.${name}_l0${end}`];
    const [W, U, [b], [c]] = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"].map(get), H = U[0].length;
    const sigmoid = (x) => 1 / (1 + Math.exp(-x));
    let h = new Array(H).fill(0);
    return vectors.map((x) => {
      const from = W.map((row, k) => dot(row, x) + b[k]), kept = U.map((row, k) => dot(row, h) + c[k]);
      return (h = h.map((each, k) => {
        const r = sigmoid(from[k] + kept[k]), z = sigmoid(from[H + k] + kept[H + k]);
        return (1 - z) * Math.tanh(from[2 * H + k] + r * kept[2 * H + k]) + z * each;
      }));
    });
  }

  /* States of both directions beside the inputs, their weights, and the sum: equations (7.1) and (7.2). */
  level(level, vectors) {
    const { [`${level}.pool.W.weight`]: W, [`${level}.pool.W.bias`]: [b], [`${level}.pool.u`]: [u] } = this.parameters;
    const right = this.gru(level, "", vectors), left = this.gru(level, "_reverse", [...vectors].reverse()).reverse();
    const states = vectors.map((x, t) => [...right[t], ...left[t], ...(this.spec.inputs ? x : [])]);
    const weights = softmax(states.map((h) => dot(u, W.map((row, k) => Math.tanh(dot(row, h) + b[k])))));
    return { weights, sum: states[0].map((_, k) => sum(states.map((h, t) => weights[t] * h[k]))) };
  }

  compute() {
    const { reviews, names, tokens, labels } = this.spec, { gone } = this.state;
    const k = max(names.indexOf(this.state.review), 0), review = reviews[k];
    const kept = (i) => (gone[i] ? [] : review[i].map((word, t) => [word, t]).filter(([, t]) => !gone[`${i},${t}`]));
    const read = count(review.length).map(kept), here = count(review.length).filter((i) => read[i].length);
    const alpha = review.map((words) => words.map(() => 0)), beta = review.map(() => 0);
    const E = this.parameters["embedding.weight"], { "output.weight": V, "output.bias": [v] } = this.parameters;
    const vectors = here.map((i) => {
      const { weights, sum } = this.level("words", read[i].map(([word]) => E[tokens[word]]));
      read[i].forEach(([, t], n) => (alpha[i][t] = weights[n]));
      return sum;
    });
    let document = V[0].map(() => 0);
    if (here.length) {
      const { weights, sum } = this.level("sentences", vectors);
      here.forEach((i, n) => (beta[i] = weights[n]));
      document = sum;
    }
    const logits = V.map((row, c) => dot(row, document) + v[c]), chances = softmax(logits);
    return { review, alpha, beta, logits, chances, label: labels[largest(logits)] };
  }

  paint({ review, alpha, beta, chances }) {
    if (this.drawn !== review) { // another review: other buttons
      this.drawn = review;
      const press = (key) => () => {
        const gone = { ...this.state.gone, [key]: !this.state.gone[key] };
        this.change("gone", gone);
      };
      this.lines = review.map((words, i) => {
        const button = (kind, key, label, words) =>
          make("button", { type: "button", class: kind, onclick: press(key), "aria-label": label }, words);
        const bar = make("span", { class: "share" }), whole = button("whole", i, `sentence ${i + 1}`, bar);
        const each = words.map((word, t) => button("word tint", `${i},${t}`, null, make("span", {}, word)));
        return { whole, bar, each, node: box("line", whole, box("sentence", each)) };
      });
      this.text.replaceChildren(...this.lines.map((line) => line.node));
    }
    const { gone } = this.state;
    this.lines.forEach(({ whole, bar, each, node }, i) => {
      bar.style.width = `${100 * beta[i]}%`;
      set(whole, { "aria-pressed": String(Boolean(gone[i])), title: `weight ${two(beta[i])}` });
      node.classList.toggle("gone", Boolean(gone[i]));
      each.forEach((button, t) => {
        button.style.setProperty("--share", (0.95 * alpha[i][t]).toFixed(3));
        button.classList.toggle("full", alpha[i][t] > 0.55);
        button.classList.toggle("gone", Boolean(gone[`${i},${t}`]));
        set(button, { "aria-pressed": String(Boolean(gone[`${i},${t}`])) });
      });
    });
    this.chances.forEach(({ bar, share, name }, k) => {
      const top = largest(chances) === k;
      set(bar, { width: one(90 * chances[k] + 0.5) });
      set(share, { x: one(102 + 90 * chances[k]) }).textContent = two(chances[k]);
      set(name, { class: `small end${top ? " strong" : ""}` });
    });
  }

  words({ review, alpha, beta, chances, label }) {
    const out = Object.values(this.state.gone).filter(Boolean).length, i = largest(beta), t = largest(alpha[i]);
    const erased = out ? `${out} ${out > 1 ? "parts are" : "part is"} erased. ` : "";
    if (!max(...beta)) return `${erased}There is nothing left to read.`;
    return `${erased}The answer is ${label}, with probability ${two(max(...chances))}. Sentence ${i + 1} has ` +
      `${two(beta[i])} of the weight, and in it “${review[i][t]}” has ${two(alpha[i][t])}.`;
  }

  table({ review, alpha, beta }) {
    const rows = review.flatMap((words, i) => words.map((word, t) => [i + 1, two(beta[i]), word, two(alpha[i][t])]));
    return [["sentence", "its weight", "word", "its weight"], ...rows];
  }
};

// ---- figure questions: page 9, what one head can answer

FIGURES.questions = class extends Figure {
  build() {
    const { numbers, p, q } = this.spec, steps = count(21).map((k) => k / 20), H = ["one head", "two heads"];
    this.lines = count(4).map(() => path("arc"));
    this.heads = count(2).map(() => [circle("fill-value", 15), text(0, 0, "", "small mid")]);
    this.answers = [62, 142].map((y) => text(336, y, "", "small end strong"));
    this.reads = count(4).map(() => path("line"));
    this.bars = count(3).map((k) => rect(k < 2 ? "bar-query" : "cell", 104, 8 + 30 * k, 0, 20));
    this.shares = count(3).map((k) => text(0, 22 + 30 * k, "", "small"));
    const both = numbers.map((x, k) => [rect("rim", 2, 36 + 80 * k, 76, 30, 6),
      text(40, 56 + 80 * k, minus(`x${"₁₂"[k]} = ${x}`), "small mid strong")]);
    this.second = this.slider("q", "head 2 on box 1", steps, q, two);
    return [
      box("controls",
        this.choice("heads", "attention with", H),
        this.slider("p", "head 1 on box 1", steps, p, two), this.second),
      box("panels stack",
        drawing(340, 180, "Two boxes, the heads that mix them, and the answers read from the heads",
          text(2, 16, "boxes", "small muted"), text(170, 16, "heads", "small mid muted"),
          text(336, 16, "answers", "small end muted"),
          this.lines, this.reads, both, this.heads, this.answers),
        drawing(340, 100, "Mean squared errors of both answers, and their sum",
          ["error of answer 1", "error of answer 2", "sum"].map((words, k) =>
            text(98, 22 + 30 * k, words, `small end${k < 2 ? "" : " strong"}`)),
          this.bars, this.shares)),
    ];
  }

  compute() {
    const { heads, p, q } = this.state, { numbers } = this.spec;
    const rows = [[p, 1 - p], ...(heads === "two heads" ? [[q, 1 - q]] : [])];
    const apart = rows.length > 1 && abs(p - q) > 1e-9; // the determinant of both rows is p - q
    // The best linear read-out for independent numbers of mean 0 and variance 1.
    const share = rows.length * (p * p + (1 - p) ** 2);
    const read = apart
      ? [[(1 - q) / (p - q), (p - 1) / (p - q)], [-q / (p - q), p / (p - q)]]
      : [0, 1].map((k) => rows.map((row) => row[k] / share));
    const outputs = rows.map((row) => dot(row, numbers));
    const answers = read.map((row) => dot(row, outputs));
    const errors = read.map((row, k) =>
      sum([0, 1].map((j) => (dot(row, rows.map((weights) => weights[j])) - (j === k)) ** 2)));
    return { rows, read, outputs, answers, errors };
  }

  paint({ rows, outputs, answers, errors }) {
    this.second.style.display = rows.length > 1 ? "" : "none";
    const at = rows.length > 1 ? [62, 142] : [100];
    count(2).forEach((h) => {
      const seen = h < rows.length, [ring, words] = this.heads[h];
      see(ring, seen);
      see(words, seen);
      [0, 1].forEach((k) => {
        see(this.lines[2 * h + k], seen);
        see(this.reads[2 * h + k], seen);
        if (!seen) return;
        const a = rows[h][k], from = 51 + 80 * k;
        set(this.lines[2 * h + k], { d: `M78 ${from}C116 ${from} 116 ${at[h]} 155 ${at[h]}`,
          style: `stroke-width:${one(0.5 + 9 * a)};opacity:${two(0.25 + 0.75 * a)}` });
        set(this.reads[2 * h + k], { d: `M185 ${at[h]}L262 ${58 + 80 * k}` });
      });
      if (!seen) return;
      set(ring, { cx: 170, cy: at[h] });
      set(words, { x: 170, y: at[h] + 4 }).textContent = minus(one(outputs[h]));
    });
    answers.forEach((y, k) => (this.answers[k].textContent = minus(`ŷ${"₁₂"[k]} = ${y.toFixed(2)}`)));
    [...errors, sum(errors)].forEach((error, k) => {
      set(this.bars[k], { width: one(1 + 190 * error) });
      set(this.shares[k], { x: one(111 + 190 * error) }).textContent = two(error);
    });
  }

  words({ rows, read, errors }) {
    const [first, second] = errors.map(two), total = two(sum(errors));
    if (rows.length < 2)
      return `The head returns one number, and both answers are read from it. The errors are ${first} and ${second}, ` +
        `together ${total}.`;
    if (abs(rows[0][0] - rows[1][0]) < 1e-9)
      return `Both heads mix the boxes alike, so the second adds nothing: ${first} and ${second}, together ${total}.`;
    const [a, b] = read[0].map(two);
    return `The heads mix the boxes differently, so both numbers can be recovered: answer 1 is ${a} times head 1 plus ` +
      `${b} times head 2. The errors are ${first} and ${second}.`;
  }

  table({ answers, errors }) {
    const rows = answers.map((y, k) => [k + 1, minus(this.spec.numbers[k]), two(y), two(errors[k])]);
    return [["question", "expected", "answer", "mean squared error"], ...rows];
  }
};

// ---- figure clocks: page 10, positions as hands of clocks

FIGURES.clocks = class extends Figure {
  build() {
    const { i, j, kinds, frequencies } = this.spec, positions = count(61), K = frequencies.length;
    this.at = count(K).map((k) => [44 + 84 * k, 60]);
    this.hands = count(2 * K).map((n) => path(n % 2 ? "hand-key" : "hand-query"));
    this.parts = this.at.map(([x]) => text(x, 116, "", "small mid"));
    this.curve = path("curve");
    this.spot = circle("ring seen", 8);
    this.note = text(334, 14, "", "small end strong");
    const x = (this.x = linear(-60, 60, 34, 334)), y = (this.y = linear(-K, K, 176, 20));
    return [
      box("controls",
        this.choice("kind", "hands", kinds),
        this.slider("i", "position i", positions, i), this.slider("j", "position j", positions, j),
        this.slider("shift", "move both by", positions, 0)),
      box("panels stack",
        drawing(340, 124, "Clocks: a hand for position i and one for position j on each",
          this.at.map(([cx, cy], k) => [circle("dial", 36, cx, cy), text(cx, 16, `ω = ${frequencies[k]}`, "small mid muted")]),
          this.hands, this.parts),
        drawing(340, 214, "The product against the distance",
          path("line", `M34 20V176H334M34 ${y(0)}H334`), this.curve, this.spot, this.note,
          [-60, -30, 0, 30, 60].map((gap) => text(x(gap), 192, minus(gap), "small mid muted")),
          [-K, 0, K].map((v) => text(28, y(v) + 4, minus(v), "small end muted")),
          text(184, 210, "distance i − j", "small mid"), text(38, 14, "sum of the four products", "small"))),
    ];
  }

  compute() {
    const { kind, i, j, shift } = this.state, { kinds, frequencies, query, key } = this.spec;
    const mode = kinds.indexOf(kind), here = [i + shift, j + shift];
    // A hand: its length and its angle from 12 o'clock, turned to the right.
    const pair = (vector, k) => (mode ? [vector[2 * k], vector[2 * k + 1]] : [0, 1]);
    const turned = ([s, c], angle) =>
      [s * Math.cos(angle) + c * Math.sin(angle), c * Math.cos(angle) - s * Math.sin(angle)];
    const hands = (at) => frequencies.map((w, k) =>
      [query, key].map((vector, n) => turned(pair(vector, k), mode < 2 ? at[n] * w : 0)));
    const products = (at) => hands(at).map(([a, b]) => dot(a, b));
    const gaps = count(121).map((n) => n - 60);
    return { hands: hands(here), parts: products(here), product: sum(products(here)),
      curve: gaps.map((gap) => sum(products([gap, 0]))) };
  }

  paint({ hands, parts, product, curve }) {
    const K = parts.length, { i, j } = this.state;
    hands.forEach((both, k) => both.forEach(([s, c], n) => {
      const [x, y] = this.at[k];
      set(this.hands[2 * k + n], { d: `M${x} ${y}L${one(x + 32 * s)} ${one(y - 32 * c)}` });
    }));
    this.parts.forEach((words, k) => (words.textContent = two(parts[k])));
    const y = (value) => clamp(this.y(value), 20, 176);
    set(this.curve, { d: trace(curve.map((value, n) => [this.x(n - 60), y(value)])) });
    set(this.spot, { cx: one(this.x(i - j)), cy: one(y(product)) });
    this.note.textContent = `now ${two(product)}`;
  }

  words({ product }) {
    const { kind, i, j, shift } = this.state, { kinds } = this.spec;
    const where = `Position ${i + shift} against position ${j + shift}: the product is ${two(product)}.`;
    return where + (kind === kinds[2] ? " Nothing turns, so the positions don't matter at all." :
      shift ? " Moving both leaves it as it was." : "");
  }

  table({ hands, parts }) {
    const rows = parts.map((part, k) => [this.spec.frequencies[k],
      ...hands[k].map(([s, c]) => `${two(s)}, ${two(c)}`), two(part)]);
    return [["frequency", "hand of i", "hand of j", "product"], ...rows];
  }
};

// ---- figure cache: page 11, decoding with a key-value cache

/* What becomes of an earlier token's input, of its query, and of its key and value. */
const EARLIER = {
  "everything again": ["new", "new", "new"],
  "inputs kept": ["kept", "gone", "new"],
  "keys and values kept": ["gone", "gone", "kept"],
};

FIGURES.cache = class extends Figure {
  build() {
    const { tokens, memory, step } = this.spec, n = tokens.length, end = 48 + 24 * max(n, memory);
    const left = clamp(12 + 7 * max(...tokens.map((each) => each.length)), 52, 92), wide = (248 - left) / 4;
    const columns = (names, x, wide, rows) => names.map((name, c) => ({ name,
      head: text(x + wide * (c + 0.5), 36, name, `small mid ${name}`),
      cells: count(rows).map((i) => rect("ghost", x + wide * c + 3, 44 + 24 * i, wide - 6, 20)) }));
    this.own = columns(["input", "query", "key", "value"], left, wide, n);
    this.cross = columns(["key", "value"], 264, 38, memory);
    this.names = tokens.map((token, i) => text(0, 58 + 24 * i, token, "small"));
    const legend = [["bar-input", "computed in this step"], ["fill-input", "kept from earlier steps"],
      ["ghost", "not there yet"], ["bar-input", "no longer needed"]].map(([kind, words], k) => {
      const x = 170 * (k % 2), y = end + 10 + 20 * floor(k / 2);
      const sample = k < 3 ? rect(kind, x + 1, y, 16, 12, 2) : rect(kind, x + 4, y + 5, 10, 2);
      return [sample, text(x + 24, y + 10, words, "small")];
    });
    // Names such as W with a small k, then W with a small v.
    const maps = (letters, rest) => [[...letters].map((letter, k) =>
      [make("tspan", k ? { dy: -3 } : {}, `${k ? ", " : ""}W`), make("tspan", { dy: 3, class: "small" }, letter)]),
    make("tspan", { dy: -3 }, rest)];
    this.bars = ["bar-key", "bar-query", "bar-key"].map((kind, k) => rect(kind, 1, 48 + 56 * k, 0, 20));
    this.again = count(3).map((k) => rect("ghost", 1, 48 + 56 * k, 0, 20));
    this.totals = count(3).map((k) => text(0, 63 + 56 * k, "", "strong"));
    return [
      box("controls",
        this.choice("way", "at each step", Object.keys(EARLIER)),
        this.slider("step", "step", count(n).map((k) => k + 1), step, (t) => `${t} of ${n}`)),
      box("panels",
        drawing(340, end + 46, "What one decoder block computes in this step, and what it reads from its cache",
          text((left + 248) / 2, 14, "self-attention", "small mid strong"), text(302, 14, "memory", "small mid strong"),
          this.names, [...this.own, ...this.cross].map(({ head, cells }) => [head, cells]), legend),
        drawing(340, 190, "Rows so far", text(0, 14, "rows so far; dashed: everything again", "small muted"),
          [maps("kv", " of self-attention"), maps("qo", ", feed-forward network"), maps("kv", " of the memory")].map(
            (words, k) => text(0, 40 + 56 * k, words)), this.again, this.bars, this.totals)),
    ];
  }

  compute() {
    const { tokens, memory } = this.spec, { way, step } = this.state;
    const rows = (way) => {
      const [, query, key] = EARLIER[way].map((earlier) => earlier === "new");
      return count(step).map((k) => [key ? k + 1 : 1, query ? k + 1 : 1, key || k === 0 ? memory : 0]);
    };
    const total = (steps) => count(3).map((k) => sum(steps.map((row) => row[k])));
    const cells = [0, 1, 2, 2].map((k) => tokens.map((_, i) =>
      i >= step ? "ahead" : i === step - 1 ? "new" : EARLIER[way][k]));
    const steps = rows(way);
    return { cells, memory: steps.at(-1)[2] ? "new" : "kept", steps, totals: total(steps),
      again: total(rows("everything again")) };
  }

  paint({ cells, memory, totals, again }) {
    const { tokens, memory: m } = this.spec, n = tokens.length, { step } = this.state;
    const fill = ({ name, cells }, states) => cells.forEach((cell, i) => {
      const gone = states[i] === "gone", kind = { kept: `fill-${name}`, ahead: "ghost" }[states[i]];
      set(cell, { class: kind ?? `bar-${gone ? "input" : name}`, y: 44 + 24 * i + 9 * gone, height: gone ? 2 : 20 });
    });
    this.own.forEach((column, k) => fill(column, cells[k]));
    this.cross.forEach((column) => fill(column, Array(m).fill(memory)));
    this.names.forEach((name, i) => set(name, { class: `small ${i === step - 1 ? "strong" : i < step ? "" : "muted"}` }));
    const width = linear(0, max((n * (n + 1)) / 2, n * m), 0, 296);
    totals.forEach((total, k) => {
      set(this.bars[k], { width: one(width(total)) });
      set(this.again[k], { width: one(width(again[k])) });
      set(this.totals[k], { x: one(width(again[k]) + 9) }).textContent = total;
    });
  }

  words({ totals }) {
    const [own, rest, memory] = totals.map((total) => `${total} row${total > 1 ? "s" : ""}`);
    const saved = { "inputs kept": "Keeping the inputs saves everything except the projections to keys and values.",
      "keys and values kept": "Each token is projected once, and so is the memory." }[this.state.way];
    return `So far, ${own} of the target and ${memory} of the memory have been projected to keys and values, and ${rest} ` +
      `of the target put through everything else. ${saved ?? "Each step computes all of it again."}`;
  }

  table({ steps, totals }) {
    const rows = steps.map((row, k) => [k + 1, this.spec.tokens[k], ...row]);
    return [["step", "token", "W_k, W_v of self-attention", "W_q, W_o, feed-forward network", "W_k, W_v of the memory"],
      ...rows, ["all", "", ...totals]];
  }
};

// ---- figure transformer: page 11, a diagram whose parts can be pressed

/* Of each part: what goes in and out, by letters; its parameters in a block and outside of blocks; what it does. */
const ATTENTION = [({ D }) => 4 * (D * D + D), "4 (D² + D)"], FEED = [({ D, F }) => 2 * D * F + F + D, "2 D F + F + D"];
const INSIDE = "Positions don't see each other here: the same two-layer network is applied to each of them.";
const NORM = "It normalises the vector of each position, then scales and shifts it by learned numbers.";
const PARTS = {
  "source embedding": { flow: [["source tokens", "B m"], ["out", "B m D"]], once: ({ D, src_vocab }) => src_vocab * D,
    formula: "V D", table: true, does: "It looks up a vector for each source token." },
  "target embedding": { flow: [["target tokens", "B n"], ["out", "B n D"]], once: (size) => own(size) * size.tgt_vocab * size.D,
    formula: "V D", table: true, does: "It looks up a vector for each target token so far." },
  "positional encoding": { flow: [["source, in and out", "B m D"], ["target, in and out", "B n D"]],
    does: "It adds to each vector the code of its position. The codes are computed, not learned." },
  "encoder self-attention": { flow: [["queries from the source", "B m D"], ["keys and values from the source", "B m D"],
    ["weights", "B H m m"], ["out", "B m D"]], block: ATTENTION[0], formula: ATTENTION[1],
  does: "Each source token attends to all source tokens: queries, keys and values all come from the source." },
  "encoder feed-forward network": { flow: [["in", "B m D"], ["hidden layer", "B m F"], ["out", "B m D"]],
    block: FEED[0], formula: FEED[1], does: INSIDE },
  "encoder norm": { flow: [["in and out", "B m D"]], block: ({ D }) => 4 * D, once: ({ D }) => 2 * D, formula: "2 · 2 D",
    does: `${NORM} There are two in each encoder block and one after the last block.` },
  memory: { flow: [["out of the encoder", "B m D"], ["into each cross-attention", "B m D"]],
    does: "It is the encoder's output, one vector for each source token. Each decoder block computes its keys and values " +
      "from it." },
  "causal self-attention": { flow: [["queries from the target", "B n D"], ["keys and values from the target", "B n D"],
    ["weights, causal", "B H n n"], ["out", "B n D"]], block: ATTENTION[0], formula: ATTENTION[1],
  does: "Each target token attends to itself and to those before it: queries, keys and values all come from the target." },
  "cross-attention": { flow: [["queries from the target", "B n D"], ["keys and values from the memory", "B m D"],
    ["weights", "B H n m"], ["out", "B n D"]], block: ATTENTION[0], formula: ATTENTION[1],
  does: "The target asks and the source answers: queries come from the target, keys and values from the memory." },
  "decoder feed-forward network": { flow: [["in", "B n D"], ["hidden layer", "B n F"], ["out", "B n D"]],
    block: FEED[0], formula: FEED[1], does: INSIDE },
  "decoder norm": { flow: [["in and out", "B n D"]], block: ({ D }) => 6 * D, once: ({ D }) => 2 * D, formula: "3 · 2 D",
    does: `${NORM} There are three in each decoder block and one after the last block.` },
  "output layer": { flow: [["in", "B n D"], ["logits, then probabilities", "B n V"]],
    once: (size) => (own(size) * size.D + 1) * size.tgt_vocab, formula: "D V + V", table: true,
    does: "A linear layer gives each token of the vocabulary a logit, and softmax turns the logits into probabilities " +
      "of the next token." },
  "residual connection": { flow: [["source, in and out", "B m D"], ["target, in and out", "B n D"]],
    does: "It carries the input of a layer around that layer and adds it to the output. There are two in each encoder " +
      "block and three in each decoder block." },
};
const own = ({ src_vocab, tgt_vocab }) => src_vocab !== tgt_vocab; // one vocabulary has one table
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u00a0"); // 37 000

FIGURES.transformer = class extends Figure {
  build() {
    const { drawing: markup, parts, part, sizes } = this.spec;
    this.map = document.importNode(new DOMParser().parseFromString(markup, "image/svg+xml").documentElement, true);
    const { width, height } = this.map.viewBox.baseVal; // without its outer margin, so that text is larger on a phone
    set(this.map, { viewBox: `12 0 ${width - 24} ${height}`, role: "group", "aria-label": "The Transformer: press a part" });
    this.groups = [...this.map.querySelectorAll("[data-part]")];
    this.buttons = parts.map((name) => {
      const [first, ...others] = this.groups.filter((group) => group.dataset.part === name);
      const press = () => this.change("part", name);
      for (const each of [first, ...others]) {
        set(each, { onclick: press }).classList.add("press");
        if (each.querySelector("rect")) continue;
        // What is only lines gets wide ones below, to press and to mark.
        each.prepend(...[...each.querySelectorAll(".line")].map((line) => path("wide", line.getAttribute("d"))));
      }
      const key = (event) => (event.key === " " || event.key === "Enter") && (event.preventDefault(), press());
      return set(first, { role: "button", tabindex: 0, "aria-label": name, onkeydown: key });
    });
    this.name = make("div", { class: "strong" });
    this.about = make("dl");
    this.code = make("pre", { tabindex: 0, role: "group", "aria-label": "code" });
    this.bar = rect("bar-query", 1, 1, 0, 18);
    this.share = text(0, 38, "", "small");
    return [
      make("style", {}, "@STYLE transformer@"), // of palette.py, for its drawing
      box("controls", this.choice("part", "part", parts, part), this.choice("model", "model", Object.keys(sizes))),
      box("panels", this.map, box("", this.name, this.about,
        drawing(340, 44, "Its share of the parameters", rect("ghost", 1, 1, 338, 18), this.bar, this.share), this.code)),
    ];
  }

  compute() {
    const size = this.spec.sizes[this.state.model], of = (count) => count?.(size) ?? 0;
    const blocks = this.spec.parts.map((name) => of(PARTS[name].block));
    const all = this.spec.parts.map((name, k) => size.N * blocks[k] + of(PARTS[name].once));
    const k = this.spec.parts.indexOf(this.state.part), total = sum(all);
    return { blocks, all, total, k, share: all[k] / total };
  }

  percent(share) {
    return share >= 0.001 ? `${one(100 * share)} %` : share ? "less than 0.1 %" : "none";
  }

  paint({ blocks, all, total, k, share }) {
    const { part, model } = this.state, size = { ...this.spec.sizes[model], B: 1, m: 6, n: 7 };
    const { flow, once } = PARTS[part], letters = { ...size, V: size.tgt_vocab };
    const formula = part === "output layer" && !own(size) ? "V" : PARTS[part].formula;
    this.groups.forEach((group) => group.classList.toggle("chosen", group.dataset.part === part));
    this.buttons.forEach((button, i) => set(button, { "aria-pressed": String(i === k) }));
    const shape = (names, say) => `(${names.split(" ").map(say).join(", ")})`;
    const counted = blocks[k]
      ? [["parameters in one block", `${formula} = ${grouped(blocks[k])}`],
        [`in all ${size.N}${once ? " and after them" : ""}`, grouped(all[k])]]
      : [["parameters", all[k] ? `${formula} = ${grouped(all[k])}` : "none"]];
    const rows = flow.map(([label, names]) =>
      [label, `${shape(names, String)} = ${shape(names, (name) => grouped(letters[name]))}`]);
    this.name.textContent = part;
    this.about.replaceChildren(...[...rows, ...counted].flatMap(([label, value]) =>
      [make("dt", {}, label), make("dd", {}, value)]));
    set(this.bar, { width: one(338 * share) });
    this.share.textContent = `${this.percent(share)} of the model's ${grouped(total)} parameters`;
    this.code.textContent = this.spec.code[part] ?? "";
  }

  words({ all, total, k, share }) {
    const { part, model } = this.state, { does, table } = PARTS[part], { src_vocab, tgt_vocab } = this.spec.sizes[model];
    const has = `This part has ${all[k] ? `${this.percent(share)} of the model's ${grouped(total)}` : "no"} parameters.`;
    const tied = "Both languages have one vocabulary, and one table serves as both embeddings and as the output layer.";
    return [does, has, table && src_vocab === tgt_vocab ? tied : ""].join(" ").trim();
  }

  table({ blocks, all, total }) {
    const rows = this.spec.parts.map((name, k) =>
      [name, blocks[k] ? grouped(blocks[k]) : "", grouped(all[k]), this.percent(all[k] / total)]);
    return [["part", "in one block", "in all", "share"], ...rows, ["all parts", "", grouped(total), "100 %"]];
  }
};

// ---- figures guess, sampling: what both share

const THEIRS = "@STYLE guess, sampling@"; // of live.css, what only these two need

const visible = (token) => token.replace(/ /g, "␣").replace(/\n/g, "¶");
const spoken = (token) => ({ " ": "a space", "\n": "a line break" })[token] ?? `“${visible(token)}”`;
const many = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
const capital = (words) => words[0].toUpperCase() + words.slice(1);

function percent(p) {
  return p < 0.0005 ? "< 0.1 %" : `${p < 0.0995 ? one(100 * p) : Math.round(100 * p)} %`;
}

// ---- figure guess: page 14, Shannon's game

const plain = (character) => character.toLowerCase().replace(/[‘’]/, "'").replace(/[“”]/, '"');

FIGURES.guess = class extends Figure {
  build() {
    const { text: passage, start, name } = this.spec, all = [...passage];
    this.hidden = all.slice(start);
    Object.assign(this.state, { tries: [], odd: "" }); // a list for each character; null: it was told
    const typed = (event) => {
      const each = [...this.input.value].at(-1);
      if (event.isComposing && !this.known(each)) return; // an accent that waits for its letter
      this.input.value = "";
      if (each) this.judge(each);
    };
    this.input = make("input", { type: "text", size: 3, autocomplete: "off", autocapitalize: "none", autocorrect: "off",
      spellcheck: "false", oninput: typed, onkeydown: (event) => event.stopPropagation() }); // "/" would search the book
    const stay = { onmousedown: (event) => event.preventDefault() }; // the keyboard of a phone stays open
    this.inputs = [this.input, set(this.button("space", () => this.judge(" ")), stay),
      set(this.button("tell me", () => this.judge(null)), stay)];
    [this.found, this.rest] = [make("span"), make("span", { class: "rest" })];
    this.wrong = box("wrong");
    this.say = make("p", { class: "say", "aria-live": "polite" });
    const y = (k) => 40 + 26 * k + 14 * (k > 4); // the sixth is for a character behind the first five
    const rows = count(6);
    this.frame = rect("frame", 1, 0, 338, 26, 5);
    this.names = rows.map((k) => text(22, y(k) + 15, "", "mid mono"));
    this.bars = rows.map((k) => rect("bar-odds", 42, y(k) + 2, 0, 16));
    this.shares = rows.map((k) => text(0, y(k) + 15, "", "small"));
    this.came = text(332, 0, "came next", "small end strong");
    this.dots = text(22, y(4) + 34, "⋮", "mid muted");
    this.y = y;
    [this.head, this.after, this.rank] = [["", 12], ["small muted", 30], ["strong", 228]].map(([kind, y]) => text(2, y, "", kind));
    return [
      make("style", {}, THEIRS),
      box("controls", make("label", {}, make("span", {}, "your guess"), this.input), this.inputs.slice(1)),
      box("panels",
        box("side",
          make("p", { class: "passage" }, make("span", { class: "given" }, all.slice(0, start).join("")), this.found,
            make("span", { class: "caret" }), this.rest),
          make("p", { class: "legend" }, "Dotted: you were told, or needed more than one guess."), this.wrong, this.say),
        drawing(340, 236, `What ${name} expected at the last character, five likeliest first`,
          this.head, this.after, this.frame, this.names, this.bars, this.shares, this.came, this.dots, this.rank)),
    ];
  }

  known(character) {
    return [...this.spec.letters].some((each) => plain(each) === plain(character ?? ""));
  }

  ended(tries, i) {
    return tries.length > 0 && [null, this.hidden[i]].includes(tries.at(-1));
  }

  /* A guess, or null for who wants to be told. Either case of a letter is right. */
  judge(character) {
    const at = this.state.tries.filter((each, i) => this.ended(each, i)).length, truth = this.hidden[at];
    if (truth === undefined) return;
    const tried = this.state.tries[at] ?? [], told = character === null;
    const odd = !told && (!this.known(character) || tried.some((each) => plain(each) === plain(character)));
    if (odd) return this.change("odd", character);
    const now = [...tried, !told && plain(character) === plain(truth) ? truth : character];
    this.state.odd = "";
    this.change("tries", [...this.state.tries.slice(0, at), now]);
  }

  compute() {
    const { tries } = this.state, { steps } = this.spec;
    const rows = tries.filter((each, i) => this.ended(each, i)).map((tries, i) =>
      ({ character: this.hidden[i], tries, told: tries.at(-1) === null, first: tries[0] === this.hidden[i], ...steps[i] }));
    const at = rows.length;
    return { at, rows, wrong: tries[at] ?? [], left: this.hidden.length - at,
      yours: rows.filter(({ first }) => first).length,
      theirs: rows.filter(({ rank }) => rank === 1).length,
      bits: at ? sum(rows.map(({ p }) => -Math.log2(p))) / at : 0 };
  }

  paint({ at, rows, wrong, left }) {
    const { name, text: passage, start } = this.spec, last = rows.at(-1);
    this.found.replaceChildren(...rows.map(({ character, first }) => make("span", { class: first ? null : "missed" }, character)));
    this.rest.textContent = this.hidden.slice(at).join("");
    this.wrong.replaceChildren(...(wrong.length ? ["not", ...wrong.map((each) => make("s", {}, visible(each)))] : []));
    for (const each of this.inputs) set(each, { "aria-disabled": left ? null : "true" });
    set(this.input, { readonly: left ? null : "" });
    const seen = last ? [...last.top, ...(last.rank > last.top.length ? [[last.character, last.p]] : [])] : [];
    const place = seen.findIndex(([character]) => character === last.character);
    this.names.forEach((label, k) => {
      const [character, p] = seen[k] ?? ["", 0], ghost = !last && k < 5;
      const row = k >= (last?.top.length ?? 5) ? 5 : k; // what is behind them stands apart
      const width = ghost ? 60 : 1 + 160 * p;
      label.textContent = visible(character);
      set(label, { y: this.y(row) + 15, class: `mid mono${k === place ? " strong" : ""}` });
      see(set(this.bars[k], { y: this.y(row) + 2, width: one(width), class: ghost ? "ghost" : k === place ? "cell" : "bar-odds" }), ghost || character);
      set(this.shares[k], { x: one(48 + width), y: this.y(row) + 15 }).textContent = character ? percent(p) : "";
      if (k === place) for (const [each, down] of [[this.frame, -3], [this.came, 15]]) set(each, { y: this.y(row) + down });
    });
    for (const each of [this.frame, this.came]) see(each, last);
    see(this.dots, last && place >= last.top.length);
    const before = [...passage].slice(max(0, start + at - 17), start + at - 1).join("");
    this.head.textContent = last ? `What ${name} expected after` : `What ${name} expected`;
    set(this.after, { class: `small muted${last ? " mono" : ""}` }).textContent = last ? `…${visible(before)}` : "is shown once you have guessed";
    this.rank.textContent = last ? `guess number ${last.rank} of ${name}` : "";
  }

  words({ at, rows, wrong, left, yours, theirs, bits }) {
    const { name } = this.spec, { odd } = this.state, last = rows.at(-1);
    const score = at ? ` You needed 1 guess for ${yours} of ${many(at, "character")}, ${name} for ${theirs}.` : "";
    if (odd) return `${capital(spoken(odd))} ${this.known(odd) ? "has been tried here" : "isn't a character of these texts"}, so it doesn't count.${score}`;
    if (wrong.length) return `Not ${spoken(wrong.at(-1))}. Try again, or press “tell me”.${score}`;
    if (!at) return `${many(left, "character")} are hidden. What comes next? Type it, and capitals don't matter.`;
    const rank = `guess number ${last.rank} of ${name}`, tries = last.tries.length;
    const said = last.told ? `It was ${spoken(last.character)}, ${rank}.` : `${capital(spoken(last.character))} is right, ` +
      `${tries > 1 ? `after ${tries} guesses` : "at once"}; it was ${rank}.`;
    return left ? said + score : `That was all.${score} The loss of ${name} is ${two(bits)} bits per character here.`;
  }

  table({ rows }) {
    const { name } = this.spec, say = (each) => (each === null ? "told" : visible(each));
    return [["character", "your guesses", `rank for ${name}`, "its probability"],
      ...rows.map(({ character, tries, rank, p }) => [visible(character), tries.map(say).join(" "), rank, percent(p)])];
  }
};

// ---- figure sampling: page 14, which token comes next

FIGURES.sampling = class extends Figure {
  build() {
    const { prompts, letters, logits, temperatures, temperature, ks, ps, throws, texts, which } = this.spec;
    const V = letters.length, n = min(V, 12), rows = count(n + (V > n)), y = (k) => 26 + 22 * k;
    // From the likeliest down, of equal ones the earlier first; a temperature changes no order.
    this.orders = logits.map((row) => count(V).sort((a, b) => row[b] - row[a]));
    const select = make("select", {}, prompts.map((each, i) => make("option", { value: i }, each.replace(/\n/g, "¶"))));
    set(select, { onchange: () => this.change("prompt", +select.value) });
    Object.assign(this.state, { prompt: 0, dice: 0 });
    const all = (end) => (value) => (value === end ? "all" : String(value));
    this.names = rows.map((k) => text(66, y(k) + 14, "", `small end${k < n ? " mono" : ""}`));
    this.bars = rows.map((k) => rect("cell", 74, y(k) + 1, 0, 16));
    this.ghosts = rows.map((k) => rect("ghost", 74, y(k) + 1, 0, 16));
    this.gone = rows.map(() => path("hatch"));
    this.shares = rows.map((k) => text(0, y(k) + 14, "", "small"));
    this.y = y;
    this.count = text(2, 14, "", "strong");
    this.entropy = text(338, 14, "", "strong end");
    this.written = make("div");
    this.say = make("p", { class: "say", "aria-live": "polite" });
    const longest = new Set(which.map((text, i) => `${prompts[floor((i * prompts.length) / which.length)]}${texts[text]}`));
    return [
      make("style", {}, THEIRS),
      box("controls",
        prompts.length > 1 ? this.control("prompt", "prompt", 0, select, () => (select.value = this.state.prompt)) : null,
        this.slider("temperature", "temperature", temperatures, temperature),
        this.slider("k", "top-k", ks, V, all(V)),
        this.slider("p", "nucleus p", ps, 1, all(1))),
      box("panels",
        drawing(340, y(rows.length) + 20, "Probabilities of the likeliest next tokens",
          this.count, this.entropy, this.names, this.bars, this.ghosts, this.gone, this.shares,
          text(2, y(rows.length) + 14, "dashed: before top-k and nucleus; hatched: removed", "small muted")),
        box("side",
          make("p", { class: "said" }, "What it writes with these settings"),
          box("written", [...longest].map((each) => make("div", { class: "room", "aria-hidden": "true" }, each)), this.written),
          throws > 1 ? box("controls ask", this.button("throw the dice again", () => this.change("dice", (this.state.dice + 1) % throws))) : null,
          this.say)),
    ];
  }

  compute() {
    const { prompts, letters, logits, temperatures, ks, ps, throws, texts, which } = this.spec;
    const { prompt, temperature, k, p, dice } = this.state, V = letters.length;
    const order = this.orders[prompt], scores = logits[prompt].map((z) => z / temperature);
    const keep = (tokens) => softmax(scores.map((s, i) => (tokens.includes(i) ? s : -Infinity)));
    const before = softmax(scores), top = order.slice(0, k), chances = keep(top);
    let kept = top;
    if (p < 1) { // the likeliest, until their sum is p; what is missing by rounding doesn't count
      let total = 0;
      kept = top.filter((i) => [total < p - 1e-9, (total += chances[i])][0]);
    }
    const left = keep(kept), entropy = sum(left.map((a) => (a ? -a * Math.log2(a) : 0)));
    const place = [[temperatures, temperature], [ks, k], [ps, p]].reduce((at, [stops, stop]) =>
      at * stops.length + stops.indexOf(stop), prompt);
    return { order, before, left, kept, top: top.length, entropy, V,
      prompt: prompts[prompt], text: texts[which[place * throws + dice]] };
  }

  paint({ order, before, left, kept, entropy, V, prompt, text: written }) {
    const { letters } = this.spec, n = min(V, 12), x = linear(0, 1, 0, 214);
    this.names.forEach((name, k) => {
      const rest = k < n ? [order[k]] : order.slice(n), has = rest.some((i) => kept.includes(i));
      const [was, is] = [before, left].map((of) => sum(rest.map((i) => of[i])));
      const width = 1 + x(was), now = 1 + x(is);
      name.textContent = k < n ? visible(letters[rest[0]]) : many(rest.length, "other");
      see(set(this.bars[k], { width: one(now) }), has);
      see(set(this.ghosts[k], { width: one(width) }), has && abs(is - was) > 0.002);
      see(set(this.gone[k], { d: hatch(74, this.y(k) + 1, +one(width), 16).getAttribute("d") }), !has);
      set(this.shares[k], { x: one(80 + max(width, now)) }).textContent = has ? percent(is) : "";
    });
    this.count.textContent = `${kept.length} of ${V} tokens left`;
    this.entropy.textContent = `entropy ${two(entropy)} bits`;
    this.written.replaceChildren(make("span", { class: "given" }, prompt), written);
  }

  words({ order, kept, top, entropy, V, text: written }) {
    const { temperature, dice } = this.state, { letters, throws } = this.spec, n = kept.length;
    const filters = top < V
      ? `top-k leaves ${top} of ${V} tokens${n < top ? `, and the nucleus ${n} of those` : ""}`
      : n < V ? `the nucleus leaves ${n} of ${V} tokens` : `all ${V} tokens are left`;
    const end = n > 1 ? `, with an entropy of ${two(entropy)} bits.` : `: ${spoken(letters[order[0]])} always comes next.`;
    const thrown = throws > 1 ? ` Throw ${dice + 1} of ${throws}` : " It";
    return `At temperature ${temperature}, ${filters}${end}${thrown} writes “${visible(written.slice(0, 12)).replace(/␣/g, " ")}…”.`;
  }

  table({ order, before, left, kept }) {
    const { letters, logits } = this.spec, row = logits[this.state.prompt];
    return [["token", "logit", "before the filters", "after"], ...order.slice(0, 12).map((i) =>
      [visible(letters[i]), two(row[i]), percent(before[i]), kept.includes(i) ? percent(left[i]) : "removed"])];
  }
};

// ---- figures twins, looks, sentence: the engine, and what these three share

"@ENGINE@";

const PRONOUNS = ["il", "elle"]; // log-odds are of the first against the second

/* Which words of the second list are not in the longest common subsequence with the first. */
function newWords(before, now) {
  const common = count(before.length + 1).map(() => Array(now.length + 1).fill(0));
  for (const i of count(before.length).reverse())
    for (const j of count(now.length).reverse())
      common[i][j] = before[i] === now[j] ? common[i + 1][j + 1] + 1 : max(common[i + 1][j], common[i][j + 1]);
  const found = new Set(count(now.length));
  for (let i = 0, j = 0; i < before.length && j < now.length; )
    if (before[i] === now[j]) found.delete(j), i++, j++;
    else if (common[i + 1][j] >= common[i][j + 1]) i++;
    else j++;
  return found;
}

/* Words in a row; behind an apostrophe, and before a point or a comma, there is no space. */
function inline(words, dress = () => ({})) {
  return words.flatMap((word, i) => {
    const space = i && !words[i - 1].endsWith("'") && !/^[.,]$/.test(word) ? [" "] : [];
    return [...space, make("span", dress(i), word)];
  });
}

const spelled = (words) => inline(words).map((part) => part.textContent ?? part).join("");

/* A bar from 0 to the log-odds, "elle" on the left and "il" on the right; dashed: before.
small: for who doesn't know log-odds. */
function signedBar(small) {
  const x = linear(-8, 8, 44, 256), zero = x(0), range = (value) => x(clamp(value || 0, -8, 8)); // NaN: none
  const bar = rect("bar-odds", zero, 20, 0, 18, 2), ghost = rect("ghost", zero, 18, 0, 22, 2);
  const value = text(0, 34, "", "small strong halo"), middle = text(zero, 10, "", "small mid muted"), sure = small ? "sure of " : "";
  const size = (odds) => ({ x: one(min(zero, range(odds))), width: one(abs(range(odds) - zero)) });
  const show = (odds, before = odds) => {
    const known = Number.isFinite(odds), right = odds >= 0;
    const ends = [zero, range(odds), range(before)], edge = right ? max(...ends) : min(...ends);
    set(bar, size(odds));
    see(set(ghost, size(before)), Number.isFinite(before) && !(abs(odds - before) < 0.05));
    set(value, { x: one(edge + (right ? 6 : -6)), class: `small strong halo${right ? "" : " end"}` });
    value.textContent = known && !small ? signed(odds) : "";
    middle.textContent = known ? (small ? "undecided" : "log-odds 0") : NEITHER;
  };
  return { show, node: drawing(300, 44, small ? "how sure it is of il or elle" : "log-odds of il against elle",
    path("line", `M${zero} 14V42`), text(2, 10, `← ${sure}elle`, "small"), middle, text(298, 10, `${sure}il →`, "small end"),
    ghost, bar, value) };
}

const signed = (x) => (Number.isFinite(x) ? minus(one(x)) : "none");
const NEITHER = "no il or elle is written now";

/* English, the French as it is written, and the bar. */
function card(title, small) {
  const english = make("div", { lang: "en" }), french = make("div", { class: "french", lang: "fr" }), bar = signedBar(small);
  /* now, before: { words, step, odds }; step is where il or elle is written, each in its own words. */
  const show = (now, before = now) => {
    const changed = newWords(before.words, now.words);
    const kinds = (i) => [changed.has(i) && "changed", i === now.step && "strong"].filter(Boolean).join(" ");
    french.replaceChildren(...inline(now.words, (i) => ({ class: kinds(i) || null })));
    bar.show(now.odds, before.odds);
  };
  return { english, show, bar, node: box("card", title ? make("div", { class: "small" }, title) : null, english, french, bar.node) };
}

class Translating extends Figure {
  static weights = true; // it begins when they are there

  /* One for all figures of a page. */
  get engine() {
    return (window.attentionEngine ??= new Engine(window.attentionTranslator));
  }

  /* What `make` gives for a key, made once. */
  once(key, make) {
    this.made ??= new Map();
    const name = JSON.stringify(key);
    if (!this.made.has(name)) this.made.set(name, make());
    return this.made.get(name);
  }

  /* The step that writes il or elle, or -1. */
  pronounStep({ steps }) {
    return steps.findIndex(({ token }) => PRONOUNS.includes(this.engine.french[token]));
  }

  /* The il or elle that a translation has now, and the log-odds where it is written. */
  at(run) {
    const step = this.pronounStep(run), { logits } = run.steps[step] ?? {}, { numbers } = this.engine;
    const [il, elle] = PRONOUNS.map((word) => logits?.[numbers.french.get(word)]);
    return { words: run.words, step, odds: logits ? il - elle : NaN, word: run.words[step] ?? "neither" };
  }

  fate(now, before) {
    return now.step < 0 ? `${before.word} is gone` : now.word === before.word ? `${now.word} stays` : `${before.word} becomes ${now.word}`;
  }
}

// ---- figure twins: page 13, which change turns il and elle

const CHANGES = {
  swap: "swap the adjective’s vectors",
  nouns: "forbid “it” to look at the nouns",
  adjective: "forbid il/elle to look at the adjective",
  encoder: "remove all attention in the encoder",
};

const GUESSES = ["your guess?", "turns a pronoun", "turns none"];

FIGURES.twins = class extends Translating {
  build() {
    const { pairs, small } = this.spec;
    Object.assign(this.state, { guesses: {}, tried: {} }); // both by "pair,change"
    this.cards = [0, 1].map((k) => card(`sentence ${k + 1}`, small));
    const choose = this.choice("pair", "pair", pairs.map(({ name }) => name));
    this.rows = Object.entries(CHANGES).map(([name, label]) => {
      this.state[name] = false;
      const button = this.button(label, () => this.press(name));
      const guess = small ? null : make("select", { "aria-label": `will it turn a pronoun? ${label}` },
        GUESSES.map((each) => make("option", { value: each }, each)));
      if (guess) set(guess, { onchange: () => this.change("guesses", { ...this.state.guesses, [this.key(name)]: guess.value }) });
      const outcome = small ? null : make("span", { class: "outcome" });
      return { name, button, guess, outcome, node: box("change", guess, button, outcome) };
    });
    const undo = make("span", {}, small ? "Press again to undo." : "Guess, then press. Press again to undo.");
    return [
      pairs.length > 1 ? box("controls", choose) : null,
      box("panels", this.cards.map(({ node }) => node)),
      make("p", { class: "legend" }, `Underlined: not as before. Dashed: ${small ? "how sure it was" : "the log-odds"} before.`),
      box("controls ask", undo, small ? null : this.toggle("combine", "combine changes", false)),
      box(small ? "controls changes" : "changes", this.rows.map(({ node }) => node)),
    ];
  }

  key(name) {
    return `${this.pair().k},${name}`;
  }

  release(...kept) {
    for (const name of Object.keys(CHANGES)) if (!kept.includes(name)) this.state[name] = false;
  }

  press(name) {
    if (!this.state.combine) this.release(name);
    this.change(name, !this.state[name]);
  }

  on() {
    return Object.keys(CHANGES).filter((name) => this.state[name]);
  }

  /* A change that is on alone has been tried. */
  change(name, value) {
    this.state[name] = value;
    if (name === "pair") this.release();
    if (name === "combine" && !value) this.release(this.on()[0]);
    const on = this.on();
    if (on.length === 1) this.state.tried = { ...this.state.tried, [this.key(on[0])]: true };
    super.change(name, value);
  }

  pair() {
    const k = max(this.spec.pairs.findIndex(({ name }) => name === this.state.pair), 0);
    return { k, ...this.spec.pairs[k] };
  }

  /* Both sentences of a pair with some changes. */
  results(pair, on) {
    return this.once([pair.k, on], () => [0, 1].map((k) => this.result(pair, k, on)));
  }

  result(pair, k, on) {
    const { sentences, it, nouns, adjective } = pair, { engine } = this;
    const step = this.once([pair.k, k], () => this.pronounStep(engine.translate(sentences[k])));
    const cuts = on.includes("nouns") ? nouns.map((key) => ({ part: "encoder", query: it, key })) : [];
    if (on.includes("adjective")) cuts.push({ part: "cross", query: step, key: adjective });
    const heads = on.includes("encoder") ? [{ part: "encoder" }] : [], patches = [];
    if (on.includes("swap")) { // the twin's memory has the same cuts and heads, but nothing swapped
      const { stages } = engine.encode(sentences[1 - k], { cuts, heads }), stage = engine.layers;
      patches.push({ stage, position: adjective, vector: stages[stage][adjective] });
    }
    return this.at(engine.translate(sentences[k], { cuts, heads, patches }));
  }

  compute() {
    const pair = this.pair(), on = this.on();
    const now = this.results(pair, on), before = this.results(pair, []);
    const alone = Object.keys(CHANGES).map((name) =>
      this.key(name) in this.state.tried ? this.results(pair, [name]) : null);
    return { pair, on, now, before, alone };
  }

  turned(now, before) {
    return [0, 1].filter((k) => now[k].word !== before[k].word);
  }

  /* What became of both pronouns, and whether that was guessed. */
  outcome(now, before, guess) {
    const turned = this.turned(now, before), [a, b] = now.map(({ word }) => word), [k] = turned;
    const said = !turned.length ? "nothing turns" : a === b ? `both are ${a} now` : turned.length === 2 ? "both turn"
      : `sentence ${k + 1} ${now[k].step < 0 ? "has" : "becomes"} ${now[k].word}`;
    const right = GUESSES.indexOf(guess) === (turned.length ? 1 : 2);
    return said + (!GUESSES.includes(guess, 1) ? "" : right ? "; you guessed it" : "; you guessed otherwise");
  }

  paint({ pair, on, now, before, alone }) {
    const { sentences, adjective } = pair;
    this.cards.forEach(({ english, show }, k) => {
      const marked = sentences[k].map((word, i) =>
        i === adjective && on.includes("swap") ? `${word} ← ${sentences[1 - k][i]}` : word);
      english.replaceChildren(...inline(marked, (i) => ({ class: i === adjective ? "mark" : null })));
      show(now[k], before[k]);
    });
    this.rows.forEach(({ name, button, guess, outcome }, i) => {
      set(button, { "aria-pressed": String(on.includes(name)) });
      if (!guess) return;
      const known = alone[i], given = this.state.guesses[this.key(name)] ?? GUESSES[0];
      guess.value = given;
      guess.disabled = Boolean(known); // her guess is what it was
      [...guess.options].forEach((option, k) =>
        (option.textContent = known ? `locked: ${k ? GUESSES[k] : "no guess"}` : GUESSES[k]));
      outcome.textContent = known ? this.outcome(known, before, given) : "";
    });
  }

  words({ on, now, before }) {
    const none = before.some(({ step }) => step < 0) ? "In this pair, not both translations have il or elle. "
      : before[0].word === before[1].word ? `Both nouns are ${before[0].word} in French, so nothing can turn. ` : "";
    const turned = this.turned(now, before), [a, b] = now.map(({ word }) => word), alone = on.length === 1;
    if (!on.length) return `${none}Nothing is changed: sentence 1 gets ${a}, sentence 2 gets ${b}.`;
    if (!turned.length)
      return `${none}Nothing turns: sentence 1 keeps ${a}, sentence 2 keeps ${b}.${alone ? " So they don’t depend on it." : ""}`;
    if (a === b && now[0].step >= 0)
      return `${none}Both sentences now get ${a}${on.includes("adjective") ? ": nothing else tells the two apart" : ""}.`;
    const each = [0, 1].map((k) => `Sentence ${k + 1}: ${this.fate(now[k], before[k])}.`).join(" ");
    return `${none}${each}${alone && on[0] === "swap" && turned.length === 2 ? " The adjective’s vector decides." : ""}`;
  }

  table({ pair, now, before }) {
    const rows = [0, 1].flatMap((k) => [[pair.sentences[k][pair.adjective], before[k].word, signed(before[k].odds),
      now[k].word, signed(now[k].odds)], [spelled(now[k].words)]]);
    return [["adjective", "before", "log-odds before", "now", "log-odds now"], ...rows];
  }
};

// ---- figure looks: page 13, where it looks, and edges to cut

const LOOKS = { encoder: "encoder", own: "decoder to own words", cross: "decoder to source" };
const SCOPES = ["both blocks, all heads", "this block and head"];
const PITCH = matchMedia("(pointer: coarse)").matches ? 28 : 26; // px of a row of words

/* A word of a list, told from the same word elsewhere in it. */
const apart = (words, k) => words[k] + (words.indexOf(words[k]) < words.lastIndexOf(words[k]) ? ` (word ${k + 1})` : "");

FIGURES.looks = class extends Translating {
  build() {
    const { pairs, part, layer } = this.spec, { layers, heads } = this.engine;
    this.maps = Object.entries(LOOKS).flatMap(([part, name]) =>
      count(layers).map((layer) => ({ part, layer, name: `${name}, block ${layer + 1}` })));
    const first = this.maps.find((each) => each.part === part && each.layer === layer - 1);
    Object.assign(this.state, { row: null, hover: null, key: 0, cuts: [] });
    const side = (kind, act) => count(ENGINE_LONGEST).map((i) =>
      make("button", { type: "button", class: `token ${kind}`, ...act(i) }, make("span"), make("small")));
    const over = (i) => () => this.state.hover !== i && this.change("hover", i);
    const keep = (i) => () => (this.state.row !== i || this.state.hover != null) &&
      (Object.assign(this.state, { hover: null }), this.change("row", i));
    this.rows = side("query", (i) => ({ onclick: keep(i), onfocus: keep(i),
      onpointerenter: (event) => event.pointerType === "mouse" && over(i)(), onpointerleave: over(null) }));
    this.keys = side("key", (i) => ({ onclick: () => this.press(i), onfocus: () => (this.state.key = i) }));
    this.arcs = count(ENGINE_LONGEST).map(() => path("arc"));
    this.hits = count(ENGINE_LONGEST).map((i) => set(path("wide"), { onclick: () => this.press(i) }));
    this.lines = set(drawing(100, PITCH, "Weights of the chosen row as lines", this.arcs, this.hits),
      { preserveAspectRatio: "none" });
    this.heads = [make("span", { class: "query" }), make("span", { class: "key" })];
    const group = (label, buttons) => make("div", { class: "column", role: "group", "aria-label": label,
      onkeydown: (event) => this.move(event, buttons) }, buttons);
    this.card = card();
    this.say = make("p", { class: "say", "aria-live": "polite" });
    this.chips = box("thumbs chips");
    const scope = this.choice("scope", "the next cut applies to", SCOPES);
    this.narrow = set(scope.querySelectorAll("option")[1], { value: SCOPES[1] });
    const choose = (name, label, options, value) => {
      const control = this.choice(name, label, options, value), show = this.show[name];
      this.show[name] = () => (this.forget(name), show());
      return control;
    };
    return [
      box("controls",
        pairs.length > 1 ? choose("pair", "pair", pairs.map(({ name }) => name)) : null,
        this.choice("sentence", "sentence", ["first", "second"]),
        choose("map", "attention", this.maps.map(({ name }) => name), first.name),
        this.choice("head", "head", ["mean of all", ...count(heads).map((k) => `${k + 1}`)], this.spec.head),
        scope),
      box("panels looks",
        box("side", this.card.node, this.say, this.chips),
        set(box("weave", this.heads[0], make("span"), this.heads[1],
          group("queries: choose a row", this.rows), this.lines, group("keys: press one to cut it, or to restore it", this.keys)), { style: `--pitch:${PITCH}px` })),
      make("p", { class: "legend" }, "Press a key, or its line, to cut it from the chosen row or to restore it. " +
        "Underlined: not as before. Dashed: cut, and the log-odds before."),
    ];
  }

  /* Rows and cuts belong to positions: with other words they mean something else. */
  forget(name) {
    if (this.shown?.[name] === this.state[name]) return;
    this.shown = { ...this.shown, [name]: this.state[name] };
    Object.assign(this.state, name === "pair" ? { row: null, hover: null, cuts: [] } : { row: null, hover: null });
  }

  move(event, buttons) {
    const seen = buttons.filter((button) => !button.hidden), at = seen.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: seen.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = seen[clamp(to, 0, seen.length - 1)];
    buttons.forEach((button) => set(button, { tabindex: button === next ? 0 : -1 }));
    next.focus();
  }

  here() {
    const pair = this.spec.pairs[max(this.spec.pairs.findIndex(({ name }) => name === this.state.pair), 0)];
    return { pair, words: pair.sentences[+(this.state.sentence === "second")],
      ...this.maps.find(({ name }) => name === this.state.map) };
  }

  /* Which cuts take an edge from what is shown; those of one head leave some of a mean. */
  meant({ part, layer }, row, key) {
    const head = this.state.head === "mean of all" ? undefined : +this.state.head - 1;
    return this.state.cuts.filter((cut) => cut.part === part && cut.query === row && cut.key === key &&
      (cut.layer ?? layer) === layer && (cut.head ?? head) === head);
  }

  /* Cut the edge from the row that is shown to a key, or restore it. */
  press(key) {
    const { part, layer } = this.here(), { row, open } = this.numbers;
    if (key >= open) return;
    const meant = this.meant({ part, layer }, row, key), cut = { part, query: row, key };
    if (this.state.scope === SCOPES[1]) {
      cut.layer = layer;
      if (this.state.head !== "mean of all") cut.head = +this.state.head - 1;
    }
    const others = this.state.cuts.filter((each) => !meant.includes(each));
    this.change("cuts", meant.length ? others : [...others, cut]);
  }

  compute() {
    const { pair, words, part, layer } = this.here(), { engine } = this, { cuts } = this.state;
    const own = engine.translate.bind(engine);
    const plain = this.once([words], () => own(words)), step = this.pronounStep(plain);
    const run = cuts.length ? this.once([words, cuts], () => own(words, { cuts })) : plain;
    const written = run.steps.map(({ token }) => (token === ENGINE_TOKENS.eos ? "end" : engine.french[token]));
    const rows = part === "encoder" ? words : written;
    const keys = part === "own" ? ["begin", ...written.slice(0, -1)] : words;
    const start = part === "encoder" ? pair.it : max(step, 0);
    const row = clamp(this.state.hover ?? this.state.row ?? start, 0, rows.length - 1);
    const heads = run.maps[part][layer], mean = this.state.head === "mean of all";
    const matrix = rows.map((_, i) => mean ? heads[0][i].map((_, j) => sum(heads.map((map) => map[i][j])) / heads.length)
      : heads[+this.state.head - 1][i]);
    const open = part === "own" ? row + 1 : keys.length; // keys that this row may look at
    const cut = keys.map((_, j) => this.meant({ part, layer }, row, j).length > 0);
    const now = this.at(run), before = this.at(plain);
    return (this.numbers = { part, rows, keys, row, open, weights: matrix[row], matrix, cut, written, words, now, before });
  }

  paint({ part, rows, keys, row, open, weights, cut, written, words, now, before }) {
    const label = (word) => (part === "encoder" ? word : `→ ${word}`), tall = PITCH * max(rows.length, keys.length);
    this.heads[0].textContent = part === "encoder" ? "queries" : "queries: → the word they write";
    this.heads[1].textContent = part === "own" ? "keys: begin (of the sentence), then the words so far" : "keys";
    this.narrow.textContent = this.state.head === "mean of all" ? "this block, all heads" : SCOPES[1];
    this.rows.forEach((button, i) => {
      button.hidden = i >= rows.length;
      button.firstChild.textContent = button.hidden ? "" : label(rows[i]);
      button.classList.toggle("self", i === row);
      set(button, { tabindex: i === row ? 0 : -1, "aria-pressed": String(i === row) });
    });
    const key = clamp(this.state.key, 0, open - 1);
    set(this.lines, { viewBox: `0 0 100 ${tall}` }).style.height = `${tall}px`;
    this.keys.forEach((button, j) => {
      const gone = j >= open, weight = weights[j] ?? 0, y0 = PITCH * (row + 0.5), y1 = PITCH * (j + 0.5);
      button.hidden = gone;
      button.firstChild.textContent = gone ? "" : keys[j];
      button.lastChild.textContent = gone ? "" : cut[j] ? "cut" : weight < 0.005 ? "" : two(weight).replace("0.", ".");
      button.style.setProperty("--share", ink(weight) - 0.05);
      for (const [name, on] of Object.entries({ full: weight > 0.55, masked: cut[j] })) button.classList.toggle(name, on);
      set(button, { tabindex: j === key ? 0 : -1, "aria-pressed": String(Boolean(cut[j])) });
      const d = `M0 ${y0}C40 ${y0} 60 ${y1} 100 ${y1}`, on = !gone && (cut[j] || weight >= 0.005);
      set(this.arcs[j], { d, class: cut[j] ? "arc cut" : "arc", "stroke-width": cut[j] ? 1.5 : one(1 + 9 * weight),
        "stroke-opacity": on ? (cut[j] ? 1 : 0.3 + 0.7 * weight).toFixed(2) : 0 });
      see(set(this.hits[j], { d }), on);
    });
    this.card.english.replaceChildren(...inline(words));
    this.card.show(now, before);
    this.chips.replaceChildren(...this.state.cuts.map((each) => {
      const from = each.part === "encoder" ? apart(words, each.query)
        : `→ ${each.query in written ? apart(written, each.query) : `position ${each.query + 1}`}`;
      const to = each.part !== "own" ? apart(words, each.key) : !each.key ? "begin"
        : each.key <= written.length ? apart(written, each.key - 1) : "nothing";
      const where = each.layer == null ? SCOPES[0] : `block ${each.layer + 1}, ${each.head == null ? "all heads" : `head ${each.head + 1}`}`;
      const drop = () => this.change("cuts", this.state.cuts.filter((other) => other !== each));
      return set(this.button(`cut: ${from} to ${to} (${where}) ×`, drop),
        { class: "chip", "aria-label": `restore: ${from} to ${to}, ${where}` });
    }));
  }

  words({ part, rows, keys, row, weights, now, before }) {
    const { length } = this.state.cuts, best = largest(weights);
    const name = part === "encoder" ? `“${rows[row]}”` : rows[row] === "end" ? "The position that ends the sentence"
      : `The position that writes “${rows[row]}”`;
    const moved = now.step >= 0 && now.step !== before.step
      ? ` The translation has shifted: ${now.word} is word ${now.step + 1}, ${before.word} was word ${before.step + 1}.` : "";
    const fate = before.step < 0 ? "The translation has neither il nor elle."
      : length ? `With ${length} cut${length > 1 ? "s" : ""}: ${this.fate(now, before)}.${moved}` : `Nothing is cut: it writes ${now.word}.`;
    return `${fate} ${name} looks ${weights[best] > 0 ? `most at “${apart(keys, best)}”` : "at nothing"}.`;
  }

  table({ part, rows, keys, matrix, now, before }) {
    const label = (word) => (part === "encoder" ? word : `→ ${word}`);
    const say = (i) => (_, j) => this.meant(this.here(), i, j).length ? "cut" : j < matrix[i].length ? two(matrix[i][j]) : "";
    return [["query", ...keys], ...matrix.map((_, i) => [label(rows[i]), ...keys.map(say(i))]),
      [spelled(now.words)], [`log-odds before ${signed(before.odds)}, log-odds now ${signed(now.odds)}`]];
  }
};

// ---- figure sentence: page 13, a sentence of the reader's own

/* Sentences that the grammar of its training never makes, and what is wrong with their French. */
const TRIES = {
  "the street is old and the animal is tired.": "Wrong: the second half is missing.",
  "the animal didn't cross the street because it was too tired and it was too dry.":
    "Wrong: “and it was too dry” is missing, yet every word is near 0.9.",
  "the mouse is tired.": "Wrong: in French the mouse has carried something.",
};

const MARK = /^[.,?]$/;

FIGURES.sentence = class extends Translating {
  build() {
    const { patterns, kinds } = this.spec, known = this.engine.english.filter((word) => /[a-z]$/.test(word));
    const pick = this.choice("pattern", "pattern", patterns.map(({ name }) => name));
    this.lines = patterns.map(({ slots, start }, p) => {
      const parts = [];
      slots.forEach((slot, i) => {
        if (!kinds[slot]) {
          const word = make("span", {}, slot); // a mark stays with what is before it
          return parts.push(i && MARK.test(slot) ? make("span", { class: "together" }, parts.pop(), word) : word);
        }
        const option = (word) => make("option", {}, word);
        const groups = kinds[slot].map(([name, words]) =>
          name ? make("optgroup", { label: name }, words.map(option)) : words.map(option));
        const name = `${p},${i}`, input = make("select", { "aria-label": `${slot.toLowerCase()}, word ${i + 1}` }, groups);
        this.state[name] = start[i];
        this.show[name] = () => (input.value = this.state[name]);
        this.show[name]();
        parts.push(set(input, { onchange: () => this.change(name, input.value) }));
      });
      return box("slots", parts);
    });
    const input = (this.input = make("textarea", { rows: 2, maxlength: 300, spellcheck: "false", autocapitalize: "off" }));
    set(input, { oninput: () => this.typing() });
    const typed = this.control("typed", "in English", null, input, () => {}); // null: the menus rule
    this.known = known.length;
    this.menus = box("controls", patterns.length > 1 ? pick : null, this.lines, this.button("type a sentence", () => {
      this.change("typed", spelled(this.chosen()));
      input.focus();
    }));
    this.own = box("controls typed", typed, this.button("use the menus", () => {
      this.change("typed", null);
      this.menus.querySelector("select")?.focus();
    }));
    this.say = make("p", { class: "say", "aria-live": "polite" });
    this.french = set(box("french glosses"), { lang: "fr" });
    this.bar = signedBar();
    this.panel = box("panels alone", this.french, this.bar.node);
    const list = make("p", { class: "known", tabindex: 0, role: "group", "aria-label": "English words" }, known.join(" "));
    return [
      this.menus,
      this.own,
      this.say,
      this.panel,
      make("p", { class: "legend" }, "Below each word is its probability, the lowest in bold; about 0.9 is as sure as this " +
        "model gets. Underlined: not as before."),
      box("controls tries", make("span", {}, "It has seen only sentences like those of the menus. Try others:"),
        Object.keys(TRIES).map((each) => this.button(each, () => this.change("typed", each)))),
      make("details", {}, make("summary", {}, `The ${known.length} English words that it knows`), list),
    ];
  }

  /* A word that is still being typed is no word yet: it counts after a space, a mark or a pause. */
  typing() {
    const { value, selectionStart } = this.input, settle = () => this.change("typed", value);
    clearTimeout(this.pause);
    if (/[\s.,?!]$/.test(value.slice(0, selectionStart))) return settle();
    this.panel.classList.add("stale");
    this.pause = setTimeout(settle, 500);
  }

  /* The pattern, and the words that the menus say. */
  chosen(p = max(this.spec.patterns.findIndex(({ name }) => name === this.state.pattern), 0)) {
    return this.spec.patterns[p].slots.map((slot, i) => (this.spec.kinds[slot] ? this.state[`${p},${i}`] : slot));
  }

  /* Lower case; a point, a comma and a question mark are words of their own. */
  split(typed) {
    return typed.toLowerCase().replace(/[’`]/g, "'").replace(/([.,?!;:"()])/g, " $1 ").split(/\s+/).filter(Boolean);
  }

  compute() {
    const { engine } = this, { typed } = this.state;
    const words = typed == null ? this.chosen() : this.split(typed);
    const unknown = [...new Set(words.filter((word) => !(engine.numbers.english.get(word) > ENGINE_TOKENS.eos)))];
    const fault = !words.length ? "Type a few English words." : words.length > ENGINE_LONGEST
      ? `${words.length} words are too many; ${ENGINE_LONGEST} are the most it takes.` : unknown.length
      ? `Not in the vocabulary: ${unknown.join(", ")}.` : "";
    if (fault) return { words, unknown, fault };
    const run = this.once(words, () => engine.translate(words));
    const chances = run.steps.slice(0, run.words.length).map(({ token, logits }) => softmax(logits)[token]);
    return { ...this.at(run), words, unknown, fault, chances, french: run.words };
  }

  paint({ fault, french, chances, odds }) {
    const { typed, pattern } = this.state;
    clearTimeout(this.pause);
    this.menus.hidden = typed != null;
    this.own.hidden = typed == null;
    this.lines.forEach((line, k) => (line.hidden = this.spec.patterns[k].name !== pattern));
    if (this.input.value !== typed) this.input.value = typed ?? "";
    this.panel.classList.toggle("stale", Boolean(fault)); // the last French stays, greyed
    if (fault) return;
    if (String(french) !== String(this.last)) [this.before, this.last] = [this.last ?? french, french];
    const changed = newWords(this.before, french), parts = [];
    french.forEach((word, i) => {
      const least = chances[i] === min(...chances);
      const part = make("span", {}, make("span", { class: changed.has(i) ? "changed" : null }, word),
        make("small", { class: least ? "strong" : null }, two(chances[i])));
      if (i && MARK.test(word)) parts.at(-1).append(part);
      else parts.push(make("span", {}, part));
    });
    this.french.replaceChildren(...parts);
    this.bar.show(odds);
  }

  words({ words, fault, french, chances }) {
    if (fault) return `${fault} The ${this.known} words that it knows are listed below.`;
    if (!french.length) return "It writes nothing.";
    const end = /^[.?]$/.test(words.at(-1)) ? "" : " In training, every sentence ended with a point or a question mark; this one doesn’t.";
    const wrong = TRIES[spelled(words)] ?? `Least certain: “${french[largest(chances.map((p) => -p))]}”.`;
    return `“${spelled(french)}” ${wrong}${end}`;
  }

  table({ fault, french, chances }) {
    return [["French word", "probability"], ...(fault ? [] : french.map((word, i) => [word, two(chances[i])]))];
  }
};

// ---- the element

const STYLE = "@STYLE@"; // live.css, with the hues of palette.py; `live.py` puts them here

/* Light or dark, by what is around: the book, JupyterLab, Colab, else the reader's system. */
const system = matchMedia("(prefers-color-scheme: dark)");
function theme() {
  const root = document.documentElement, lab = document.body.dataset.jpThemeLight;
  const named = root.dataset.theme ?? root.getAttribute("theme") ?? { true: "light", false: "dark" }[lab];
  return named === "light" || named === "dark" ? named : system.matches ? "dark" : "light";
}

const waiting = () => document.querySelectorAll(TAG).forEach((each) => each.begin());

/* The weights of the translator: the book has them as a file beside this one, which is asked for when
a figure that needs them is not far from the view. A notebook has them in the output of a cell that
has run, and in no stored one. */
const near = ADDRESS && new IntersectionObserver((seen) => {
  if (!seen.some((each) => each.isIntersecting)) return;
  near.disconnect();
  const src = new URL("translator.js", ADDRESS).href;
  const onerror = () => document.querySelectorAll(TAG).forEach((each) =>
    each.shadowRoot || each.note("The numbers of this figure could not be loaded."));
  document.head.append(make("script", { src, onload: waiting, onerror }));
}, { rootMargin: "600px 0px" });

if (customElements.get(TAG)) return waiting(); // for the kind that this script has brought

customElements.define(TAG, class extends HTMLElement {
  connectedCallback() {
    this.dress = () => set(this, { theme: theme() });
    this.watch = new MutationObserver(this.dress);
    const attributeFilter = ["data-theme", "theme", "data-jp-theme-light"];
    for (const each of [document.documentElement, document.body]) this.watch.observe(each, { attributeFilter });
    system.addEventListener("change", this.dress);
    this.dress();
    this.begin();
  }

  begin() {
    // Taken out and put back, as JupyterLab does, it keeps its state; or its kind is still to come.
    const Kind = FIGURES[this.getAttribute("kind")];
    if (this.shadowRoot || !Kind) return;
    if (Kind.weights && !window.attentionTranslator) return this.wait();
    const spec = JSON.parse(this.getAttribute("spec"));
    const figure = (this.figure = new Kind(spec, () => this.update()));
    this.rows = make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "numbers" });
    this.fold = make("details", { ontoggle: () => this.tell() }, make("summary", {}, "Numbers"), this.rows);
    const parts = figure.build().filter(Boolean);
    this.say = figure.say ?? make("p", { class: "say", "aria-live": "polite" }); // or in a place of its own
    if (!figure.say) parts.push(this.say);
    this.start = structuredClone(figure.state);
    this.attachShadow({ mode: "open" }).append(make("style", {}, STYLE), ...parts,
      make("p", { class: "hint" }, `Try: ${spec.hint}`),
      box("foot", figure.button("Reset", () => this.reset()), spec.small ? null : this.fold));
    // JupyterLab leaves the arrow keys to what has this attribute.
    set(this, { role: "group", "aria-label": spec.alt, "data-lm-suppress-shortcuts": "true" });
    this.update();
    this.tell();
  }

  wait() {
    if (ADDRESS) near.observe(this);
    else this.note("Run this cell to start the figure.");
  }

  note(words) {
    this.line ??= this.appendChild(make("p", {}, words)); // below the picture, until the figure begins
  }

  disconnectedCallback() {
    this.watch.disconnect();
    system.removeEventListener("change", this.dress);
  }

  update() {
    this.numbers = this.figure.compute();
    this.figure.paint(this.numbers);
    clearTimeout(this.later); // what is read aloud waits until a slider rests
    this.later = setTimeout(() => this.tell(), 200);
  }

  tell() {
    this.say.textContent = this.figure.words(this.numbers);
    if (!this.fold.open) return;
    const [head, ...rows] = this.figure.table(this.numbers);
    const row = (cells, tag) => make("tr", {}, // a cell that is alone takes the whole row
      cells.map((each) => make(tag, { colspan: cells.length < 2 && head.length }, each)));
    const body = make("tbody", {}, rows.map((each) => row(each, "td")));
    this.rows.replaceChildren(make("table", {}, make("thead", {}, row(head, "th")), body));
  }

  reset() {
    Object.assign(this.figure.state, structuredClone(this.start));
    for (const show of Object.values(this.figure.show)) show();
    this.update();
  }
});
})();
