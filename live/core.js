/* What all live figures share: small helpers, and what a figure is.

A figure is one element that carries its data, <attention-live-1 kind="mask" spec='{...}'>, with an
ordinary picture inside it for where no script runs. `bundle.py` writes it, with this script, that of
its kind, and `element.js`. Each kind is a class that extends Figure:
  static compute(spec, state)   the arithmetic, and nothing else: tested against PyTorch in Node
  build()                       makes the controls and the drawings, once, and returns them
  paint(numbers)                shows what compute returned
  words(numbers)                says it in a sentence or two
  table(numbers)                the same as rows of text, the first of them the head
`this.state` holds plain values and is all that changes; each control writes to it and paints anew.
A kind may name the numbers that travel to where they change to, `static moves = ["weights"]`: paint
then gets them a few times, on their way. Only what may be a mixture of two can travel: no index.
`static kept = ["view"]` names what Reset leaves as it was chosen. */

/* The classes by kind. Each output brings its own, and a page shares them. */
export const FIGURES = (globalThis.attentionFigures ??= {});

/* What is in a file of corpora, for a kind that has `static data = "its name"`. */
export const dataOf = (name) => globalThis.attentionData?.[name];

export const { abs, floor, hypot, log, max, min, sqrt } = Math;
export const SVG = new Set(["svg", "g", "rect", "path", "circle", "text", "tspan", "image"]);

/* An element with attributes and children; "on..." is a listener. */
export function make(tag, about = {}, ...children) {
  const element = SVG.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  element.append(...children.flat(Infinity).filter((child) => child != null));
  return set(element, about);
}

export function set(element, about) {
  for (const [name, value] of Object.entries(about))
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value == null || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value);
  return element;
}

export const see = (element, seen) => set(element, { visibility: seen ? "visible" : "hidden" });

export const count = (n) => Array.from({ length: n }, (_, i) => i);
export const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);
export const dot = (a, b) => sum(a.map((x, i) => x * b[i]));
export const largest = (numbers) => numbers.indexOf(max(...numbers));
export const clamp = (x, low, high) => min(max(x, low), high);
export const minus = (words) => String(words).replace("-", "−");
export const one = (x) => x.toFixed(1); // also for coordinates
export const two = (x) => minus(Number.isNaN(x) ? "nan" : x.toFixed(2));
export const linear = (from, to, start, end) => (x) => start + ((x - from) / (to - from)) * (end - start);

/* A function that remembers what it returned, for the last 100 of its arguments. */
export function remembered(work) {
  const known = new Map();
  return (...given) => {
    const key = JSON.stringify(given);
    if (!known.has(key)) known.set(key, work(...given));
    if (known.size > 100) known.delete(known.keys().next().value);
    return known.get(key);
  };
}

/* Numbers on their way from those of `a` to those of `b`, of one shape; others are there at once. */
export function between(a, b, t) {
  if (typeof b === "number") return Number.isFinite(a) && Number.isFinite(b) ? a + t * (b - a) : b;
  if (!Array.isArray(b) || a?.length !== b.length) return b;
  return b.map((each, i) => between(a[i], each, t));
}

/* A score of -Infinity is one that is not allowed: weight 0, and only zeros if all are. */
export function softmax(scores) {
  const top = max(...scores);
  if (top === -Infinity) return scores.map(() => 0);
  const exponentials = scores.map((s) => Math.exp(s - top));
  const total = sum(exponentials);
  return exponentials.map((e) => e / total);
}

export const text = (x, y, words, kind = "") => make("text", { x: one(x), y: one(y), class: kind }, words);
export const path = (kind, d) => make("path", { class: kind, d });
export const circle = (kind, r, x = 0, y = 0) => make("circle", { class: kind, r, cx: one(x), cy: one(y) });
export const rect = (kind, x, y, width, height, rx = 3) => make("rect", { class: kind, x: one(x), y: one(y), width: one(width), height: one(height), rx });
export const box = (kind, ...children) => make("div", { class: kind }, children);
export const trace = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${one(x)} ${one(y)}`).join("");
export const slanted = (x, y, words, angle = 45) => make("text", { transform: `translate(${one(x)} ${y}) rotate(-${angle})`, class: "small" }, words);

/* More weight is more ink, and the number on it stays legible, or the word. */
export const ink = (weight) => (0.05 + 0.95 * clamp(weight, 0, 1)).toFixed(3);
export const onInk = (weight) => "small mid" + (weight > 0.62 ? " on" : weight >= 0.45 ? " half" : "");
export function tint(button, weight) {
  button.style.setProperty("--share", (0.95 * clamp(weight, 0, 1)).toFixed(3));
  button.classList.toggle("full", weight > 0.62);
}

/* Which way an arrow key goes: rows down, columns to the right. */
export const ARROWS = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

/* Diagonal strokes inside a rectangle: what is masked. */
export function hatch(x, y, width, height) {
  let d = `M${x} ${y}h${width}v${height}h${-width}Z`;
  for (let k = 6; k < width + height; k += 6) {
    const start = k <= width ? [x + k, y] : [x + width, y + k - width];
    d += trace([start, k <= height ? [x, y + k] : [x + k - height, y + height]]);
  }
  return path("hatch", d);
}

export const drawing = (width, height, label, ...children) => make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, children);

/* Where a pointer is, in the units of a drawing. */
export function spot(svg, event) {
  const frame = svg.getBoundingClientRect(),
    unit = svg.viewBox.baseVal.width / frame.width;
  return [(event.clientX - frame.left) * unit, (event.clientY - frame.top) * unit];
}

/* Axes from (34, 20) to (334, 236), with ticks [[position, label], ...] along x. */
export const axes = (x, y, ticks) => [
  path("line", "M34 20V236H334"),
  ticks.map(([at, words]) => text(at, 252, words, "small mid muted")),
  text(184, 270, x, "small mid"),
  text(28, 12, y, "small"),
];

/* Where a value stands in a list; an address may bring one that a control doesn't have. */
function known(values, value) {
  const at = values.indexOf(value);
  if (at < 0) throw new RangeError(`unknown value: ${value}`);
  return at;
}

export class Figure {
  constructor(spec, changed) {
    Object.assign(this, { spec, changed, state: {}, show: {} });
  }

  compute() {
    return this.constructor.compute(this.spec, this.state);
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
    const output = make("output"),
      listen = () => this.change(name, values[+input.value]);
    const input = make("input", { type: "range", min: 0, max: values.length - 1, oninput: listen });
    const show = () => {
      input.value = known(values, this.state[name]);
      output.textContent = say(this.state[name]);
      set(input, { "aria-valuetext": output.textContent });
    };
    return this.control(name, label, value, input, show, output);
  }

  choice(name, label, options, value = options[0]) {
    const input = make(
      "select",
      {},
      options.map((each) => make("option", {}, each)),
    );
    set(input, { onchange: () => this.change(name, input.value) });
    const show = () => (input.selectedIndex = known(options, this.state[name]));
    return this.control(name, label, value, input, show);
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

  /* A button that walks state[name] through some values, one every `rest` ms, from where it is. */
  player(name, values, rest = 900) {
    const step = () => {
      const last = values.length - 1,
        at = values.indexOf(this.state[name]);
      this.change(name, values[at === last ? 0 : at + 1]);
      if (this.state[name] === values[last]) this.stop();
    };
    this.stop = () => {
      this.clock = clearInterval(this.clock);
      button.textContent = "Play";
    };
    this.play = () => {
      this.clock = setInterval(step, rest);
      button.textContent = "Pause";
      step();
    };
    const button = this.button("Play", () => (this.clock ? this.stop() : this.play()));
    return button;
  }

  button(label, act) {
    return make("button", { type: "button", onclick: act }, label);
  }

  /* A button for what can be pointed at, state.focus, and pressed to be kept, state.lock. */
  pointer(kind, at, more, ...children) {
    const focus = (on) => () => this.focus(on);
    return make(
      "button",
      {
        type: "button",
        class: kind,
        onclick: () => this.lock(at),
        onpointerenter: focus(at),
        onpointerleave: focus(null),
        onfocus: focus(at),
        onblur: focus(null),
        ...more,
      },
      children,
    );
  }

  focus(on) {
    if (String(on) !== String(this.state.focus)) this.change("focus", on);
  }

  lock(on) {
    this.change("lock", String(on) === String(this.state.lock) ? null : on);
  }

  mark(button, at) {
    const { focus, lock } = this.state;
    button.classList.toggle("self", String(focus ?? lock) === String(at));
    set(button, { "aria-pressed": String(String(lock) === String(at)) });
  }
}
