/* What all live figures share: small helpers, and what a figure is.

A figure is one element that carries its data, <attention-live-1 kind="mask" spec='{...}'>, with an
ordinary picture inside it for where no script runs. `bundle.py` writes it, with this script, that of
its kind, and `element.js`. Each kind is a class that extends Figure:
  static title                  the question that it answers, or what it shows
  static hint                   what to try first
  static compute(spec, state)   the arithmetic, and nothing else: tested against PyTorch in Node
  controls()                    makes the inputs, once, and returns them, as elements
  view(numbers)                 what there is to see, as data: `h` and all that is made of it
  words(numbers)                says it in a sentence or two
  table(numbers)                the same as rows of text, the first of them the head
`this.state` holds plain values and is all that changes; each control writes to it, and what there is
to see is brought in step. `this.spec` is what the page gave.
A kind may name the numbers that travel to where they change to, `static moves = ["weights"]`: view
then gets them a few times, on their way. Only what may be a mixture of two can travel: no index.
A figure that has `play` begins by itself, or, if it `ask`s, when an answer is tapped; whatever else is
used in it than a button of class play calls its `stop`. `static kept = ["view"]` names what Reset leaves as it was chosen; `static measured = true`
draws anew when there is more or less room, `this.stage.clientWidth`. */

/* The classes by kind. Each output brings its own, and a page shares them. */
export const FIGURES = (globalThis.attentionFigures ??= {});

/* What is in a file of data, for a kind that has `static data = "its name"`. */
export const dataOf = (name) => globalThis.attentionData?.[name];

export const { abs, floor, hypot, log, max, min, sqrt } = Math;
const SVG = new Set(["svg", "g", "rect", "path", "circle", "text", "tspan", "image"]);

/* An element with attributes and children; "on..." is a listener. */
export function make(tag, about = {}, ...children) {
  const element = SVG.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  element.append(...children.flat(Infinity).filter((child) => child != null));
  return set(element, about);
}

export function set(element, about) {
  for (const [name, value] of Object.entries(about))
    if (name.startsWith("on")) element[name] = value;
    else if (value == null || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value);
  return element;
}

/* What there is to see: a tag, its attributes and its children, which are such data, words, or an
element that is there already, such as an input. Of null and false there is nothing to see. */
export const h = (tag, about = {}, ...children) => ({ tag, about, children: children.flat(Infinity) });

/* Bring the children of an element in step with what is wanted, place by place. */
export function bring(parent, wanted) {
  wanted.forEach((each, i) => {
    const there = parent.childNodes[i],
      child = standing(each, there);
    if (!there) parent.append(child);
    else if (child !== there) there.replaceWith(child);
    if (!each?.tag) return;
    const was = child.was ?? {};
    for (const name of Object.keys(was)) if (!(name in each.about)) set(child, { [name]: null });
    for (const [name, value] of Object.entries(each.about)) if (value !== was[name]) set(child, { [name]: value });
    child.was = each.about;
    bring(child, each.children);
  });
  while (parent.childNodes.length > wanted.length) parent.lastChild.remove();
}

/* The node for it: the one that stands there, if it can be brought in step, or a new one. Nothing is
an empty text, so that what comes behind it keeps its place. */
function standing(each, there) {
  if (each instanceof Node) return each;
  if (each?.tag) return there?.was && there.localName === each.tag ? there : make(each.tag);
  const words = each == null || each === false ? "" : String(each);
  if (there?.nodeType !== Node.TEXT_NODE) return document.createTextNode(words);
  if (there.data !== words) there.data = words;
  return there;
}

export const count = (n) => Array.from({ length: n }, (_, i) => i);
export const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);
export const dot = (a, b) => sum(a.map((x, i) => x * b[i]));
export const largest = (numbers) => numbers.indexOf(max(...numbers));
export const clamp = (x, low, high) => min(max(x, low), high);
export const minus = (words) => String(words).replace("-", "−");
export const one = (x) => x.toFixed(1); // also for coordinates
export const two = (x) => minus(Number.isNaN(x) ? "nan" : x.toFixed(2).replace(/^-(?=0\.00$)/, ""));
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

/* Parts of a drawing. `more` is what other attributes one has. */
export const text = (x, y, words, kind = "", more) => h("text", { x: one(x), y: one(y), class: kind, ...more }, words);
export const path = (kind, d, more) => h("path", { class: kind, d, ...more });
export const circle = (kind, r, x = 0, y = 0, more) => h("circle", { class: kind, r, cx: one(x), cy: one(y), ...more });
export const rect = (kind, x, y, width, height, rx = 3, more) =>
  h("rect", { class: kind, x: one(x), y: one(y), width: one(width), height: one(height), rx, ...more });
export const slanted = (x, y, words, angle = 45, kind = "small") =>
  h("text", { transform: `translate(${one(x)} ${y}) rotate(-${angle})`, class: kind }, words);
export const box = (kind, ...children) => h("div", { class: kind }, children);
export const trace = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${one(x)} ${one(y)}`).join("");
/* A bar from `zero` to `end`, and one that stands on `zero`, up or down. */
export const bar = (kind, zero, end, y, height, more) =>
  rect(kind, min(zero, end), y, max(abs(end - zero), 1), height, 2, more);
export const column = (kind, x, width, zero, height, more) =>
  rect(kind, x, min(zero, zero - height), width, max(abs(height), 0.6), 1, more);

/* More weight is more ink, and the number on it stays legible, or the word. */
export const ink = (weight) => (0.05 + 0.95 * clamp(weight, 0, 1)).toFixed(3);
const onInk = (weight) => "small mid" + (weight > 0.62 ? " on" : weight >= 0.45 ? " half" : "");
export const tint = (kind, weight) => ({
  class: `${kind} tint${weight > 0.62 ? " full" : ""}`,
  style: `--share:${(0.95 * clamp(weight, 0, 1)).toFixed(3)}`,
});

/* Which way an arrow key goes: rows down, columns to the right. */
export const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/* Diagonal strokes inside a rectangle: what is masked. */
export function hatch(x, y, width, height) {
  let d = `M${x} ${y}h${width}v${height}h${-width}Z`;
  for (let k = 6; k < width + height; k += 6) {
    const start = k <= width ? [x + k, y] : [x + width, y + k - width];
    d += trace([start, k <= height ? [x, y + k] : [x + k - height, y + height]]);
  }
  return path("hatch", d);
}

/* A weight as ink in a cell, with its number on it; hatched, if it is masked. */
export const weighed = (
  weight,
  x,
  y,
  width,
  height,
  masked = false,
  words = masked ? "" : two(weight).replace("0.", "."),
) => [
  rect("cell", x + 1, y + 1, width - 2, height - 2, 3, { "fill-opacity": masked && !weight ? 0 : ink(weight) }),
  masked && hatch(x + 1, y + 1, width - 2, height - 2),
  text(x + width / 2, y + height / 2 + 4, words, masked ? "small mid strong" : onInk(weight)),
];

/* A picture; one whose parts can be pressed or moved is a group. */
export const drawing = (width, height, label, ...children) =>
  h("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, children);
export const group = (width, height, label, more, ...children) =>
  h("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label, ...more }, children);

/* A part that arrow keys move. `about` says where it is. */
export const handle = (label, about, ...parts) =>
  h("g", { role: "slider", tabindex: 0, class: "handle", "aria-label": label, ...about }, parts);

/* Where a pointer is, in the units of a drawing. */
export function spot(svg, event) {
  const frame = svg.getBoundingClientRect(),
    unit = svg.viewBox.baseVal.width / frame.width;
  return [(event.clientX - frame.left) * unit, (event.clientY - frame.top) * unit];
}

/* Where a value stands in a list; an address may bring one that a control doesn't have. */
function known(values, value) {
  const at = values.indexOf(value);
  if (at < 0) throw new RangeError(`unknown value: ${value}`);
  return at;
}

export class Figure {
  constructor(spec, changed) {
    // What is said stands below the figure, unless `view` gives it a place.
    const say = make("p", { class: "say", "aria-live": "polite" });
    Object.assign(this, { spec, changed, state: {}, show: {}, say });
  }

  compute() {
    return this.constructor.compute(this.spec, this.state);
  }

  get title() {
    return this.constructor.title;
  }

  get hint() {
    return this.constructor.hint;
  }

  controls() {
    return [];
  }

  build() {
    const controls = this.controls().flat().filter(Boolean);
    this.stage = make("div", { class: "stage" });
    return [controls.length ? make("div", { class: "controls" }, controls) : null, this.stage];
  }

  /* What is focused and goes away says so at once, on the way; then it is painted again. */
  paint(numbers) {
    this.shown = numbers;
    if (this.painting) return;
    this.painting = true;
    try {
      bring(this.stage, [this.view(numbers)].flat(Infinity));
    } finally {
      this.painting = false;
    }
    if (this.shown !== numbers) this.paint(this.shown);
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
    const output = make("output");
    const oninput = () => this.change(name, values[+input.value]);
    const input = make("input", { type: "range", min: 0, max: values.length - 1, oninput });
    const show = () => {
      input.value = known(values, this.state[name]);
      output.textContent = say(this.state[name]);
      set(input, { "aria-valuetext": output.textContent });
    };
    return this.control(name, label, value, input, show, output);
  }

  choice(name, label, options, value = options[0], say = String) {
    const names = options.map((each) => make("option", {}, say(each)));
    const input = make("select", { onchange: () => this.change(name, options[input.selectedIndex]) }, names);
    const show = () => (input.selectedIndex = known(options, this.state[name]));
    return this.control(name, label, value, input, show);
  }

  toggle(name, label, value) {
    const input = make("input", { type: "checkbox", onchange: () => this.change(name, input.checked) });
    return this.control(name, label, value, input, () => (input.checked = this.state[name]));
  }

  entry(name, label, value, most = 30) {
    const oninput = () => this.change(name, input.value);
    const input = make("input", { type: "text", size: 12, maxlength: most, spellcheck: "false", oninput });
    const show = () => input.value !== this.state[name] && (input.value = this.state[name]);
    return this.control(name, label, value, input, show);
  }

  /* A button that walks state[name] through some values, one every `rest` ms, from where it is to the
  last of them; a value may come twice. Whatever else is used in the figure stops it. */
  player(name, values, rest = 900) {
    let at = 0;
    const step = () => {
      this.change(name, values[at++]);
      if (at === values.length) this.stop();
    };
    this.stop = () => {
      this.clock = clearInterval(this.clock);
      button.textContent = _`Play`;
      this.show.guessed?.();
    };
    this.finish = () => this.change(name, values.at(-1));
    /* What a guess is told at the end, where something stops the play before. */
    this.foresee = () => {
      const here = this.state[name];
      this.state[name] = values.at(-1);
      this.words(this.compute());
      this.state[name] = here;
    };
    this.play = () => {
      const here = this.state[name];
      if (at === values.length || values[at - 1] !== here) at = (values.indexOf(here) + 1) % values.length;
      this.clock = setInterval(step, rest);
      button.textContent = _`Pause`;
      step();
    };
    const button = set(
      this.button(_`Play`, () => (this.clock ? this.stop() : this.play())),
      { class: "play" },
    );
    return button;
  }

  button(label, act) {
    return make("button", { type: "button", onclick: act }, label);
  }

  /* Elements that stay together in a row. */
  together(...elements) {
    return make("div", { class: "together" }, elements);
  }

  /* Buttons for values of state[name]: one that is down is that value. A single one goes up again. */
  pressed(name, options, value = this.state[name]) {
    this.state[name] = value;
    const single = options.length < 2;
    const buttons = options.map(([value, label]) => [
      value,
      this.button(label, () => this.change(name, single ? this.state[name] !== value : value)),
    ]);
    this.show[name] = () =>
      buttons.forEach(([value, each]) => set(each, { "aria-pressed": String(this.state[name] === value) }));
    this.show[name]();
    return set(this.together(...buttons.map(([, each]) => each)), { class: "change together" });
  }

  /* A question that comes before the figure moves: a button for each answer, one tap. What was said is
  in state.guessed, null so far; then the figure's play shows what is true, at once where motion is
  reduced. `right`, one of the answers, gets a frame when that ends or is stopped, and below the answers
  stands until Reset how far off it was and what follows, as `words` has it; whoever opens a link has not guessed, and before a guess nothing begins by itself. What has no
  play shows it by `then`. */
  ask(question, answers, right, then = null) {
    const buttons = answers.map((each) =>
      this.button(String(each), () => {
        this.state.guessed = each;
        this.judgement = null;
        if (then) then();
        else if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.finish();
        else this.play();
        this.show.guessed();
      }),
    );
    this.state.guessed = null;
    this.show.guessed = () => {
      const { guessed } = this.state;
      buttons.forEach((button, k) => {
        set(button, { "aria-pressed": String(answers[k] === guessed) });
        button.classList.toggle("right", guessed !== null && !this.clock && answers[k] === right);
      });
    };
    this.show.guessed();
    this.verdict = make("p", { class: "verdict", "aria-live": "polite" });
    const row = this.together(make("span", {}, question), ...buttons, this.verdict);
    return set(row, { class: "ask change together", role: "group", "aria-label": question });
  }

  /* The sentence that `words` begins with, where what was asked can be seen. */
  judged(right, so) {
    const { guessed } = this.state;
    if (guessed == null) return "";
    return (this.judgement =
      guessed === right
        ? _`You said ${right}, which is right, so ${so}. `
        : _`You said ${guessed}; it is ${right}, so ${so}. `);
  }

  /* A part of a drawing that can be pressed, by a pointer, Space or Enter. `about` has its role and what
  it is called. Of a grid, `at` is [row, column, rows, columns]: one stop for Tab, then the arrows. */
  pressable(act, about, at, ...children) {
    const [row, column, rows, columns] = at ?? [];
    const place = at ? row * columns + column : 0;
    const onkeydown = (event) => {
      const [down, right] = (at && ARROWS[event.key]) ?? [];
      if (event.key === " " || event.key === "Enter") act();
      else if (down === undefined) return;
      else {
        this.stop_at = clamp(row + down, 0, rows - 1) * columns + clamp(column + right, 0, columns - 1);
        this.paint(this.shown);
        this.stage.querySelector(".press[data-at='" + this.stop_at + "']").focus();
      }
      event.preventDefault();
    };
    const tabindex = at && place !== (this.stop_at ?? 0) ? -1 : 0;
    return h(
      "g",
      {
        role: "button",
        tabindex,
        "data-at": at && place,
        ...about,
        class: `press ${about.class ?? ""}`,
        onclick: act,
        onkeydown,
      },
      children,
    );
  }

  /* What listens where something is dragged: `take` puts into this.held what it is, and `move` moves it
  until it is let go. */
  dragged(take, move) {
    return {
      onpointerdown: (event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        take(event);
      },
      onpointermove: (event) => this.held != null && move(event),
      onlostpointercapture: () => (this.held = null),
    };
  }

  /* A button for what can be pointed at, state.focus, and pressed to be kept, state.lock. */
  pointer(kind, at, more, ...children) {
    const { focus, lock } = this.state;
    const on = (what) => () => this.focus(what);
    const self = String(focus ?? lock) === String(at) ? " self" : "";
    const about = {
      type: "button",
      ...more,
      class: (more?.class ?? kind) + self,
      "aria-pressed": String(String(lock) === String(at)),
    };
    return h(
      "button",
      {
        ...about,
        onclick: () => this.lock(at),
        onpointerenter: on(at),
        onpointerleave: on(null),
        onfocus: on(at),
        onblur: on(null),
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
}
