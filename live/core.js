/* What all live figures share: small helpers, and what a figure is.

A figure is one element that carries its data, <attention-live-1 kind="mask" spec='{...}'>, with an
ordinary picture inside it for where no script runs. `bundle.py` writes it, with this script, that of
its kind, and `element.js`. Each kind is a class that extends Figure; README.md lists its parts.
`this.state` holds plain values and is all that changes; each control writes to it, and what there is
to see is brought in step. `this.spec` is what the page gave.
A kind may name the numbers that travel to where they change to, `static moves = ["weights"]`: view
then gets them a few times, on their way. Only what may be a mixture of two can travel: no index.
A figure that has `play` begins by itself, or, if it `ask`s, when an answer is tapped; whatever else is
used in it than a button of class play calls its `stop`. `static kept = ["view"]` names what Reset leaves as
it was chosen; `static measured = true` draws anew when there is more or less room, `this.stage.clientWidth`. */

import { bring, h, make, set, spot } from "./drawing.js";
import { clamp } from "./numbers.js";

/* The classes by kind. Each output brings its own, and a page shares them. */
export const FIGURES = (globalThis.attentionFigures ??= {});

/* What is in a file of data, for a kind that has `static data = "its name"`. */
export const dataOf = (name) => globalThis.attentionData?.[name];

export const calm = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)"); // whether the reader wants no motion

/* Which way an arrow key goes: rows down, columns to the right; and a listener that goes it, or that of more keys. */
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
export const arrows = (go, more) => (event) => {
  const way = { ...ARROWS, ...more }[event.key];
  if (!way) return;
  go(...way);
  event.preventDefault();
};

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

  /* What it computes in this state, or in one that differs from it. */
  compute(changes) {
    return this.constructor.compute(this.spec, { ...this.state, ...changes });
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
    this.become({ [name]: value });
  }

  /* Several changes at once. */
  become(changes) {
    Object.assign(this.state, changes);
    for (const name of Object.keys(changes)) this.show[name]?.();
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
    /* The play from where it is; where motion is reduced, its end. */
    this.begin = () => (calm.matches ? this.change(name, values.at(-1)) : this.play());
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
    const button = this.button(_`Play`, () => (this.clock ? this.stop() : this.play()), { class: "play" });
    return button;
  }

  button(label, act, about) {
    return make("button", { type: "button", onclick: act, ...about }, label);
  }

  /* Elements that stay together in a row. */
  together(...elements) {
    return make("div", { class: "together" }, elements);
  }

  /* Buttons for values of state[name]: one that is down is that value. A single one goes up again. */
  pressed(name, options, value = this.state[name]) {
    this.state[name] = value;
    const single = options.length < 2;
    const press = (value) => this.change(name, single ? this.state[name] !== value : value);
    const buttons = options.map(([value, label]) => this.button(label, () => press(value)));
    this.show[name] = () =>
      options.forEach(([value], k) => set(buttons[k], { "aria-pressed": String(this.state[name] === value) }));
    this.show[name]();
    return set(this.together(...buttons), { class: "change together" });
  }

  /* A question that comes before the figure moves: a button for each answer, one tap. What was said is
  in state.guessed, null so far; then the figure's play shows what is true, or `then`. `right`, one of the
  answers, gets a frame when that ends or is stopped, and below the answers stands until Reset what `words` has of
  it; whoever opens a link has not guessed, and before a guess nothing begins by itself. */
  ask(question, answers, right, then = () => this.begin()) {
    const buttons = answers.map((each) =>
      this.button(String(each), () => {
        this.state.guessed = each;
        this.judgement = null;
        then();
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
  judged(right, so, seen = true) {
    const { guessed } = this.state;
    if (guessed == null || !seen) return "";
    const hit = _`You said ${right}, which is right, so ${so}. `;
    return (this.judgement = guessed === right ? hit : _`You said ${guessed}; it is ${right}, so ${so}. `);
  }

  /* A part of a drawing that can be pressed, by a pointer, Space or Enter. `about` has its role and what
  it is called. Of a grid, `at` is [row, column, rows, columns]: one stop for Tab, then the arrows. */
  pressable(act, about, at, ...children) {
    const [row, column, rows, columns] = at ?? [];
    const place = at ? row * columns + column : 0;
    const go = arrows((down, right) => {
      this.stop_at = clamp(row + down, 0, rows - 1) * columns + clamp(column + right, 0, columns - 1);
      this.paint(this.shown);
      this.stage.querySelector(`.press[data-at='${this.stop_at}']`).focus();
    });
    const onkeydown = (event) => {
      if (event.key !== " " && event.key !== "Enter") return at && go(event);
      act();
      event.preventDefault();
    };
    const tabindex = at && place !== (this.stop_at ?? 0) ? -1 : 0;
    const more = { role: "button", tabindex, "data-at": at && place, onclick: act, onkeydown };
    return h("g", { ...more, ...about, class: `press ${about.class ?? ""}` }, children);
  }

  /* What listens where something is dragged: `take` puts into this.held what it is, and `move` moves it
  until it is let go. Both get the place in the drawing, [x, y]. */
  dragged(take, move) {
    const place = (event) => spot(event.currentTarget.ownerSVGElement ?? event.currentTarget, event);
    const onpointerdown = (event) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      take(place(event));
    };
    const onpointermove = (event) => this.held != null && move(place(event));
    return { onpointerdown, onpointermove, onlostpointercapture: () => (this.held = null) };
  }

  /* About what can be pointed at, state.focus, and pressed to be kept, state.lock. */
  pointed(at, kind = "") {
    const { focus, lock } = this.state;
    const on = (what) => () => this.focus(what);
    return {
      class: String(focus ?? lock) === String(at) ? `${kind} self` : kind,
      "aria-pressed": String(String(lock) === String(at)),
      onclick: () => this.lock(at),
      onpointerenter: on(at),
      onpointerleave: on(null),
      onfocus: on(at),
      onblur: on(null),
    };
  }

  focus(on) {
    if (String(on) !== String(this.state.focus)) this.change("focus", on);
  }

  lock(on) {
    this.change("lock", String(on) === String(this.state.lock) ? null : on);
  }
}
