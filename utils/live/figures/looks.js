/* Page 13: where the translator looks, as lines from a row that is chosen, and edges to cut. */
import {
  Figure,
  box,
  clamp,
  count,
  drawing,
  ink,
  largest,
  make,
  max,
  one,
  path,
  see,
  set,
  sum,
  two,
} from "../core.js";
import { ENGINE_LONGEST, ENGINE_TOKENS } from "../engine.js";
import {
  card,
  fate,
  inline,
  pairOf,
  pronounOf,
  signed,
  spelled,
  translation,
  translator,
} from "../translating.js";
import translatingCss from "../translating.css";
import looksCss from "./looks.css";

const LOOKS = { encoder: "encoder", own: "decoder to own words", cross: "decoder to source" };
const SCOPES = ["both blocks, all heads", "this block and head"];
const MEAN = "mean of all";

const attentionMaps = () =>
  Object.entries(LOOKS).flatMap(([part, name]) =>
    count(translator().layers).map((layer) => ({
      part,
      layer,
      name: `${name}, block ${layer + 1}`,
    })),
  );

/* What is to be shown. head: undefined for the mean. */
function shownMap({ map, head }) {
  const { part, layer } = attentionMaps().find(({ name }) => name === map);
  return { part, layer, head: head === MEAN ? undefined : +head - 1 };
}

/* Which cuts take an edge from what is shown; those of one head leave some of a mean. */
const takes = (cuts, { part, layer, head }, row, key) =>
  cuts.filter(
    (cut) =>
      cut.part === part &&
      cut.query === row &&
      cut.key === key &&
      (cut.layer ?? layer) === layer &&
      (cut.head ?? head) === head,
  );

/* A word of a list, told from the same word elsewhere in it. */
const apart = (words, k) =>
  words[k] + (words.indexOf(words[k]) < words.lastIndexOf(words[k]) ? ` (word ${k + 1})` : "");

export default class Looks extends Figure {
  static style = translatingCss + looksCss;

  static data = "translator"; // it begins when its weights are there

  static compute(spec, state) {
    const pair = pairOf(spec, state);
    const words = pair.sentences[+(state.sentence === "second")];
    const { cuts } = state;
    const shown = shownMap(state);
    const { part, layer, head } = shown;
    const plain = translation(words);
    const run = cuts.length ? translation(words, { cuts }) : plain;
    const now = pronounOf(run);
    const before = pronounOf(plain);
    const written = run.steps.map(({ token }) =>
      token === ENGINE_TOKENS.eos ? "end" : translator().french[token],
    );
    const rows = part === "encoder" ? words : written;
    const keys = part === "own" ? ["begin", ...written.slice(0, -1)] : words;
    const start = part === "encoder" ? pair.it : max(before.step, 0);
    const row = clamp(state.hover ?? state.row ?? start, 0, rows.length - 1);
    const heads = run.maps[part][layer];
    const mean = (i) =>
      heads[0][i].map((_, j) => sum(heads.map((map) => map[i][j])) / heads.length);
    const matrix = rows.map((_, i) => (head === undefined ? mean(i) : heads[head][i]));
    const open = part === "own" ? row + 1 : keys.length; // keys that this row may look at
    const cut = keys.map((_, j) => takes(cuts, shown, row, j).length > 0);
    const weights = matrix[row];
    return { part, rows, keys, row, open, weights, matrix, cut, written, words, now, before };
  }

  build() {
    const { pairs, part, layer } = this.spec;
    const maps = attentionMaps();
    const first = maps.find((each) => each.part === part && each.layer === layer - 1);
    Object.assign(this.state, { row: null, hover: null, key: 0, cuts: [] });
    this.pitch = matchMedia("(pointer: coarse)").matches ? 28 : 26; // px of a row of words
    const token = (kind, about) =>
      make(
        "button",
        { type: "button", class: `token ${kind}`, ...about },
        make("span"),
        make("small"),
      );
    this.rows = count(ENGINE_LONGEST).map((i) => {
      const over = (at) => this.state.hover !== at && this.change("hover", at);
      const keep = () => {
        if (this.state.row === i && this.state.hover == null) return;
        this.state.hover = null;
        this.change("row", i);
      };
      return token("query", {
        onclick: keep,
        onfocus: keep,
        onpointerenter: (event) => event.pointerType === "mouse" && over(i),
        onpointerleave: () => over(null),
      });
    });
    this.keys = count(ENGINE_LONGEST).map((i) =>
      token("key", { onclick: () => this.press(i), onfocus: () => (this.state.key = i) }),
    );
    this.arcs = count(ENGINE_LONGEST).map(() => path("arc"));
    this.hits = count(ENGINE_LONGEST).map((i) =>
      set(path("wide"), { onclick: () => this.press(i) }),
    );
    this.lines = set(
      drawing(100, this.pitch, "Weights of the chosen row as lines", this.arcs, this.hits),
      { preserveAspectRatio: "none" },
    );
    this.heads = [make("span", { class: "query" }), make("span", { class: "key" })];
    const group = (label, buttons) => {
      const onkeydown = (event) => this.move(event, buttons);
      return make(
        "div",
        { class: "column", role: "group", "aria-label": label, onkeydown },
        buttons,
      );
    };
    this.card = card();
    this.say = make("p", { class: "say", "aria-live": "polite" });
    this.chips = box("thumbs chips");
    const scope = this.choice("scope", "the next cut applies to", SCOPES);
    this.narrow = set(scope.querySelectorAll("option")[1], { value: SCOPES[1] });
    const choose = (name, label, options, value) => {
      const control = this.choice(name, label, options, value);
      const show = this.show[name];
      this.show[name] = () => (this.forget(name), show());
      return control;
    };
    const names = (named) => named.map(({ name }) => name);
    const heads = [MEAN, ...count(translator().heads).map((k) => `${k + 1}`)];
    const weave = box(
      "weave",
      this.heads[0],
      make("span"),
      this.heads[1],
      group("queries: choose a row", this.rows),
      this.lines,
      group("keys: press one to cut it, or to restore it", this.keys),
    );
    return [
      box(
        "controls",
        pairs.length > 1 ? choose("pair", "pair", names(pairs)) : null,
        this.choice("sentence", "sentence", ["first", "second"]),
        choose("map", "attention", names(maps), first.name),
        this.choice("head", "head", heads, this.spec.head),
        scope,
      ),
      box(
        "panels looks",
        box("side", this.card.node, this.say, this.chips),
        set(weave, { style: `--pitch:${this.pitch}px` }),
      ),
      make(
        "p",
        { class: "legend" },
        "Press a key, or its line, to cut it from the chosen row or to restore it. " +
          "Underlined: not as before. Dashed: cut, and the log-odds before.",
      ),
    ];
  }

  /* Rows and cuts belong to positions: with other words they mean something else. */
  forget(name) {
    if (this.shown?.[name] === this.state[name]) return;
    this.shown = { ...this.shown, [name]: this.state[name] };
    Object.assign(this.state, { row: null, hover: null });
    if (name === "pair") this.state.cuts = [];
  }

  move(event, buttons) {
    const seen = buttons.filter((button) => !button.hidden);
    const at = seen.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: seen.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = seen[clamp(to, 0, seen.length - 1)];
    buttons.forEach((button) => set(button, { tabindex: button === next ? 0 : -1 }));
    next.focus();
  }

  /* Cut the edge from the row that is shown to a key, or restore it. */
  press(key) {
    const shown = shownMap(this.state);
    const { part, layer, head } = shown;
    const { row, open } = this.compute();
    if (key >= open) return;
    const { cuts, scope } = this.state;
    const taking = takes(cuts, shown, row, key);
    const cut = { part, query: row, key };
    if (scope === SCOPES[1]) {
      cut.layer = layer;
      if (head !== undefined) cut.head = head;
    }
    const others = cuts.filter((each) => !taking.includes(each));
    this.change("cuts", taking.length ? others : [...others, cut]);
  }

  paint({ part, rows, keys, row, open, weights, cut, written, words, now, before }) {
    const pitch = this.pitch;
    const tall = pitch * max(rows.length, keys.length);
    this.heads[0].textContent = part === "encoder" ? "queries" : "queries: → the word they write";
    this.heads[1].textContent =
      part === "own" ? "keys: begin (of the sentence), then the words so far" : "keys";
    this.narrow.textContent = this.state.head === MEAN ? "this block, all heads" : SCOPES[1];
    this.rows.forEach((button, i) => {
      button.hidden = i >= rows.length;
      button.firstChild.textContent = button.hidden ? "" : this.label(part, rows[i]);
      button.classList.toggle("self", i === row);
      set(button, { tabindex: i === row ? 0 : -1, "aria-pressed": String(i === row) });
    });
    const key = clamp(this.state.key, 0, open - 1);
    set(this.lines, { viewBox: `0 0 100 ${tall}` }).style.height = `${tall}px`;
    this.keys.forEach((button, j) => {
      const gone = j >= open;
      const weight = weights[j] ?? 0;
      const number = weight < 0.005 ? "" : two(weight).replace("0.", ".");
      button.hidden = gone;
      button.firstChild.textContent = gone ? "" : keys[j];
      button.lastChild.textContent = gone ? "" : cut[j] ? "cut" : number;
      button.style.setProperty("--share", ink(weight) - 0.05);
      button.classList.toggle("full", weight > 0.55);
      button.classList.toggle("masked", Boolean(cut[j]));
      set(button, { tabindex: j === key ? 0 : -1, "aria-pressed": String(Boolean(cut[j])) });
      const y0 = pitch * (row + 0.5);
      const y1 = pitch * (j + 0.5);
      const d = `M0 ${y0}C40 ${y0} 60 ${y1} 100 ${y1}`;
      const seen = !gone && (cut[j] || weight >= 0.005);
      set(this.arcs[j], {
        d,
        class: cut[j] ? "arc cut" : "arc",
        "stroke-width": cut[j] ? 1.5 : one(1 + 9 * weight),
        "stroke-opacity": seen ? (cut[j] ? 1 : 0.3 + 0.7 * weight).toFixed(2) : 0,
      });
      see(set(this.hits[j], { d }), seen);
    });
    this.card.english.replaceChildren(...inline(words));
    this.card.show(now, before);
    this.chips.replaceChildren(...this.state.cuts.map((each) => this.chip(each, words, written)));
  }

  /* A button that takes a cut back. */
  chip(cut, words, written) {
    const { part, layer, head, query, key } = cut;
    const { cuts } = this.state;
    const asks = query in written ? apart(written, query) : `position ${query + 1}`;
    const from = part === "encoder" ? apart(words, query) : `→ ${asks}`;
    const received = key <= written.length ? apart(written, key - 1) : "nothing";
    const to = part !== "own" ? apart(words, key) : key ? received : "begin";
    const which = head == null ? "all heads" : `head ${head + 1}`;
    const where = layer == null ? SCOPES[0] : `block ${layer + 1}, ${which}`;
    const drop = () =>
      this.change(
        "cuts",
        cuts.filter((other) => other !== cut),
      );
    return set(this.button(`cut: ${from} to ${to} (${where}) ×`, drop), {
      class: "chip",
      "aria-label": `restore: ${from} to ${to}, ${where}`,
    });
  }

  label(part, word) {
    return part === "encoder" ? word : `→ ${word}`;
  }

  words({ part, rows, keys, row, weights, now, before }) {
    const { length } = this.state.cuts;
    const best = largest(weights);
    const name =
      part === "encoder"
        ? `“${rows[row]}”`
        : rows[row] === "end"
          ? "The position that ends the sentence"
          : `The position that writes “${rows[row]}”`;
    const at = weights[best] > 0 ? `most at “${apart(keys, best)}”` : "at nothing";
    return `${this.fate(length, now, before)} ${name} looks ${at}.`;
  }

  fate(length, now, before) {
    if (before.step < 0) return "The translation has neither il nor elle.";
    if (!length) return `Nothing is cut: it writes ${now.word}.`;
    const said = `With ${length} cut${length > 1 ? "s" : ""}: ${fate(now, before)}.`;
    if (now.step < 0 || now.step === before.step) return said;
    const is = `${now.word} is word ${now.step + 1}`;
    const was = `${before.word} was word ${before.step + 1}`;
    return `${said} The translation has shifted: ${is}, ${was}.`;
  }

  table({ part, rows, keys, matrix, now, before }) {
    const shown = shownMap(this.state);
    const say = (i, j) => {
      if (takes(this.state.cuts, shown, i, j).length) return "cut";
      return j < matrix[i].length ? two(matrix[i][j]) : "";
    };
    return [
      ["query", ...keys],
      ...matrix.map((_, i) => [this.label(part, rows[i]), ...keys.map((_, j) => say(i, j))]),
      [spelled(now.words)],
      [`log-odds before ${signed(before.odds)}, log-odds now ${signed(now.odds)}`],
    ];
  }
}
