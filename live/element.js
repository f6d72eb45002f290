/* The element <attention-live-1>: it begins a figure, shows what it says, and resets it. */

import { FIGURES, calm, dataOf } from "./core.js";
import { make, set } from "./drawing.js";
import { between } from "./numbers.js";
import styleCss from "./style.css";

const TAG = "attention-live-1";
const ADDRESS = document.currentScript?.src; // of this file, in the book; an output has none

/* Light or dark, by what is around: the book, JupyterLab, Colab, else the reader's system. */
const system = matchMedia("(prefers-color-scheme: dark)");
function theme() {
  const root = document.documentElement,
    lab = document.body.dataset.jpThemeLight;
  const named = root.dataset.theme ?? root.getAttribute("theme") ?? { true: "light", false: "dark" }[lab];
  return named === "light" || named === "dark" ? named : system.matches ? "dark" : "light";
}

/* What can be played begins by itself, once, when half of it is in view and nobody has used it. */
const halfInView = new IntersectionObserver(
  (seen) => seen.forEach((each) => each.isIntersecting && each.target.playOnce()),
  { threshold: 0.5 },
);
/* The quiet buttons of every figure: what is drawn on them, of 16 by 16. */
const ICONS = {
  reset: "M3.5 6.5A5 5 0 1 1 3 9.5M3.2 2.5v4h4",
  send: "M6.5 9.5l3-3M7 4.5l1-1a3 3 0 0 1 4.5 4.5l-1 1M9 11.5l-1 1a3 3 0 0 1-4.5-4.5l1-1",
  numbers: "M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 3.5v9",
};
const WAY = 240; // ms that what has changed takes to get there

/* The state of a figure as part of an address, #figure=lookup&name=Bern: what differs from its start.
Whoever opens the address may have written it: what is of another type, or paints no figure, is left. */
function written(state, start) {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(state))
    if (name !== "focus" && name !== "guessed" && JSON.stringify(value) !== JSON.stringify(start[name]))
      words.set(name, typeof start[name] === "string" ? value : JSON.stringify(value));
  return String(words);
}
function read(words, start) {
  const state = {};
  for (const [name, value] of words)
    if (Object.hasOwn(start, name))
      try {
        const found = typeof start[name] === "string" ? value : JSON.parse(value);
        if (start[name] === null || typeof found === typeof start[name]) state[name] = found;
      } catch {
        continue;
      }
  return state;
}

const waiting = () => document.querySelectorAll(TAG).forEach((each) => each.begin());

/* The data file of a figure: the book has it as a file beside this one, which is asked for, once, when a figure that
needs it is not far from the view. A notebook has it in the output of a cell that has run, and in no stored one. */
const asked = new Set();
function ask(name) {
  if (!name || asked.has(name)) return;
  asked.add(name);
  const src = new URL(`${name}.js`, ADDRESS).href;
  const onerror = () => {
    for (const each of document.querySelectorAll(TAG))
      if (each.missing === name) each.note(_`The numbers of this figure could not be loaded.`);
  };
  document.head.append(make("script", { src, onload: waiting, onerror }));
}
const near =
  ADDRESS &&
  new IntersectionObserver((seen) => seen.forEach((each) => each.isIntersecting && ask(each.target.missing)), {
    rootMargin: "600px 0px",
  });

if (customElements.get(TAG)) return waiting(); // for the kind that this script has brought

addEventListener("hashchange", () => {
  for (const each of document.querySelectorAll(TAG)) each.arrive?.();
});

class LiveElement extends HTMLElement {
  static delay = 200; // ms that a control rests before what it changed is read aloud

  connectedCallback() {
    this.dress = () => {
      set(this, { theme: theme() });
      if (this.figure) this.paint(this.numbers); // a canvas has its colours from then
    };
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
    this.missing = dataOf(Kind.data) ? null : Kind.data;
    if (this.missing) return this.wait();
    const spec = JSON.parse(this.getAttribute("spec"));
    const figure = (this.figure = new Kind(spec, () => this.update()));
    this.rows = make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": _`numbers`, hidden: "" });
    const parts = figure.build().filter(Boolean);
    this.say = figure.say;
    this.start = structuredClone(figure.state);
    this.attachShadow({ mode: "open" }).append(
      make("style", {}, styleCss + (Kind.style ?? "")),
      make("div", { class: "top" }, [
        make("div", {}, [
          figure.spec.small ? null : make("p", { class: "title" }, figure.title || Kind.title),
          make("p", { class: "hint" }, _`Try: ${figure.hint || Kind.hint}`),
        ]),
        this.tools(Kind.kept),
      ]),
      ...parts,
      this.rows,
    );
    // JupyterLab leaves the arrow keys to what has this attribute.
    set(this, { role: "group", "aria-label": spec.alt, "data-lm-suppress-shortcuts": "true" });
    this.update();
    if (!this.say.parentNode) this.rows.before(this.say);
    this.tell();
    halfInView.observe(this);
    const fit = () => {
      if (Kind.measured && this.clientWidth) this.paint(this.painted);
      this.keepRoom();
    };
    new ResizeObserver(() => this.wide !== this.clientWidth && requestAnimationFrame(fit)).observe(this);
    const again = () => {
      this.wide = 0; // as words are wider, or narrower, from then, and need other room
      fit();
    };
    if (Kind.measured) document.fonts.ready.then(again);
    const used = ({ target }) => {
      halfInView.unobserve(this);
      if (!target.closest(".play")) figure.stop?.();
    };
    for (const what of ["click", "input", "keydown"]) this.shadowRoot.addEventListener(what, used, true);
    if (ADDRESS) this.arrive();
  }

  /* Its name in an address: its kind, and which of that kind on the page it is. */
  get name() {
    const kind = this.getAttribute("kind");
    const all = [...document.querySelectorAll(`${TAG}[kind=${kind}]`)];
    return all[0] === this ? kind : `${kind}.${all.indexOf(this) + 1}`;
  }

  tools(kept) {
    const icon = (kind, label, act) =>
      make("button", { type: "button", title: label, "aria-label": label, onclick: act }, [
        make("svg", { viewBox: "0 0 16 16" }, make("path", { d: ICONS[kind] })),
      ]);
    const reset = icon("reset", _`Reset`, () => this.reset(kept));
    if (this.figure.spec.small) return make("div", { class: "tools" }, reset);
    const unfold = () => {
      this.rows.hidden = !this.rows.hidden;
      set(table, { "aria-expanded": String(!this.rows.hidden) });
      this.tell();
    };
    const table = set(icon("numbers", _`Numbers`, unfold), { "aria-expanded": "false" });
    return make("div", { class: "tools" }, reset, ADDRESS ? this.sender(icon) : null, table);
  }

  sender(icon) {
    const button = icon("send", _`Copy a link to this state`, async () => {
      const state = written(this.figure.state, this.start);
      history.replaceState(null, "", `#figure=${this.name}${state && "&" + state}`);
      let words = _`The link is in the address bar`;
      const copying = navigator.clipboard?.writeText(location.href);
      await copying?.then(() => (words = _`Copied`)).catch(() => {});
      const said = make("span", { role: "status" }, words);
      button.before(said);
      setTimeout(() => said.remove(), 2500);
    });
    return button;
  }

  /* Take the state that the address has for it. */
  arrive() {
    const words = new URLSearchParams(location.hash.slice(1));
    if (words.get("figure") !== this.name) return;
    halfInView.unobserve(this); // it stays as it was sent
    if (!this.figure) {
      this.bring(); // and when its data have come, it arrives
      return ask(this.missing);
    }
    try {
      this.put(structuredClone(this.start));
      this.put(read(words, this.start));
    } catch {
      this.reset();
    }
    this.bring();
  }

  /* Into view; and again when the page is whole, as so far it may end with this element. */
  bring() {
    const high = this.offsetHeight > 0.8 * innerHeight;
    this.scrollIntoView({ block: high ? "start" : "center" });
    if (document.readyState !== "complete") addEventListener("load", () => this.bring(), { once: true });
  }

  wait() {
    if (ADDRESS) {
      near.observe(this);
      this.arrive();
    } else this.note(_`Run this cell to start the figure.`);
  }

  note(words) {
    this.line ??= this.appendChild(make("p", {}, words)); // below the picture, until the figure begins
  }

  disconnectedCallback() {
    this.watch.disconnect();
    system.removeEventListener("change", this.dress);
    this.figure?.stop?.();
  }

  paint(numbers) {
    cancelAnimationFrame(this.frame);
    this.figure.paint((this.painted = numbers));
  }

  /* What is dragged, or changes again before it is there, is there at once. */
  update() {
    const { moves } = this.figure.constructor,
      from = this.painted,
      to = (this.numbers = this.figure.compute()),
      begun = performance.now(),
      quick = begun - (this.changed ?? -WAY) < WAY;
    this.changed = begun;
    if (!moves || !from || quick || calm.matches) this.paint(to);
    else {
      const step = (now) => {
        const t = Math.min(Math.max(now - begun, 8) / WAY, 1),
          eased = t * t * (3 - 2 * t);
        if (t >= 1) return this.paint(to);
        const on = moves.map((name) => [name, between(from[name], to[name], eased)]);
        this.paint(Object.assign(Object.create(to), Object.fromEntries(on)));
        this.frame = requestAnimationFrame(step);
      };
      step(begun + 8);
    }
    clearTimeout(this.later); // what is read aloud waits until a slider rests; what plays is seen at once
    const speak = (how) => {
      if (this.say.parentNode === this.shadowRoot) set(this.say, { "aria-live": how });
      this.tell();
    };
    if (this.figure.clock) speak("off");
    this.later = setTimeout(() => speak("polite"), this.constructor.delay);
  }

  tell() {
    let [first, ...more] = this.figure.words(this.numbers).split(/(?<=[.?!] |[。？！])/);
    const { figure } = this;
    if (figure.state.guessed == null) figure.judgement = null;
    else if (!figure.judgement && !figure.clock) figure.foresee?.();
    if (figure.verdict) figure.verdict.textContent = figure.judgement ?? "";
    const judged = figure.judgement?.startsWith(first) && make("strong", { hidden: "" }, first);
    if (judged) first = more.shift() ?? "";
    this.say.replaceChildren(...[judged, make("strong", {}, first), ...more].filter(Boolean));
    this.keepRoom();
    if (this.rows.hidden) return;
    const [head, ...rows] = this.figure.table(this.numbers);
    // A cell that is alone takes the whole row.
    const cell = (tag, row) => (each) => make(tag, { colspan: row.length < 2 && head.length }, each);
    const row = (cells, tag) => make("tr", {}, cells.map(cell(tag, cells)));
    const body = rows.map((each) => row(each, "td"));
    this.rows.replaceChildren(make("table", {}, make("thead", {}, row(head, "th")), make("tbody", {}, body)));
  }

  /* What stands below a figure never moves up: its parts keep the room that they once needed. */
  keepRoom() {
    const parts = [this.say, ...this.shadowRoot.querySelectorAll(".panels, .verdict")];
    if (this.wide !== this.clientWidth) for (const each of parts) each.style.minHeight = "";
    this.wide = this.clientWidth;
    for (const each of parts) each.style.minHeight = `${each.getBoundingClientRect().height}px`;
  }

  playOnce() {
    halfInView.unobserve(this);
    if (!calm.matches && this.figure.state.guessed !== null) this.figure.play?.();
  }

  reset(kept = []) {
    this.figure.stop?.();
    const chosen = kept.map((name) => [name, this.figure.state[name]]);
    this.put({ ...structuredClone(this.start), ...Object.fromEntries(chosen) });
    const sent = new URLSearchParams(location.hash.slice(1)).get("figure");
    if (ADDRESS && sent === this.name) history.replaceState(null, "", location.pathname + location.search);
  }

  put(state) {
    Object.assign(this.figure.state, state);
    for (const show of Object.values(this.figure.show)) show();
    this.update();
  }
}

customElements.define(TAG, LiveElement);
