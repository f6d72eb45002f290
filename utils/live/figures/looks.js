/* Page 13, where it looks, and edges to cut. */
import {
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
import { Translating, card, signed, spelled } from "../translating.js";

const LOOKS = { encoder: "encoder", own: "decoder to own words", cross: "decoder to source" };
const SCOPES = ["both blocks, all heads", "this block and head"];
const PITCH = matchMedia("(pointer: coarse)").matches ? 28 : 26; // px of a row of words

/* A word of a list, told from the same word elsewhere in it. */
const apart = (words, k) =>
  words[k] + (words.indexOf(words[k]) < words.lastIndexOf(words[k]) ? ` (word ${k + 1})` : "");

export default class Looks extends Translating {
  build() {
    const { pairs, part, layer } = this.spec,
      { layers, heads } = this.engine;
    this.maps = Object.entries(LOOKS).flatMap(([part, name]) =>
      count(layers).map((layer) => ({ part, layer, name: `${name}, block ${layer + 1}` })),
    );
    const first = this.maps.find((each) => each.part === part && each.layer === layer - 1);
    Object.assign(this.state, { row: null, hover: null, key: 0, cuts: [] });
    const side = (kind, act) =>
      count(ENGINE_LONGEST).map((i) =>
        make(
          "button",
          { type: "button", class: `token ${kind}`, ...act(i) },
          make("span"),
          make("small"),
        ),
      );
    const over = (i) => () => this.state.hover !== i && this.change("hover", i);
    const keep = (i) => () =>
      (this.state.row !== i || this.state.hover != null) &&
      (Object.assign(this.state, { hover: null }), this.change("row", i));
    this.rows = side("query", (i) => ({
      onclick: keep(i),
      onfocus: keep(i),
      onpointerenter: (event) => event.pointerType === "mouse" && over(i)(),
      onpointerleave: over(null),
    }));
    this.keys = side("key", (i) => ({
      onclick: () => this.press(i),
      onfocus: () => (this.state.key = i),
    }));
    this.arcs = count(ENGINE_LONGEST).map(() => path("arc"));
    this.hits = count(ENGINE_LONGEST).map((i) =>
      set(path("wide"), { onclick: () => this.press(i) }),
    );
    this.lines = set(
      drawing(100, PITCH, "Weights of the chosen row as lines", this.arcs, this.hits),
      { preserveAspectRatio: "none" },
    );
    this.heads = [make("span", { class: "query" }), make("span", { class: "key" })];
    const group = (label, buttons) =>
      make(
        "div",
        {
          class: "column",
          role: "group",
          "aria-label": label,
          onkeydown: (event) => this.move(event, buttons),
        },
        buttons,
      );
    this.card = card();
    this.say = make("p", { class: "say", "aria-live": "polite" });
    this.chips = box("thumbs chips");
    const scope = this.choice("scope", "the next cut applies to", SCOPES);
    this.narrow = set(scope.querySelectorAll("option")[1], { value: SCOPES[1] });
    const choose = (name, label, options, value) => {
      const control = this.choice(name, label, options, value),
        show = this.show[name];
      this.show[name] = () => (this.forget(name), show());
      return control;
    };
    return [
      box(
        "controls",
        pairs.length > 1
          ? choose(
              "pair",
              "pair",
              pairs.map(({ name }) => name),
            )
          : null,
        this.choice("sentence", "sentence", ["first", "second"]),
        choose(
          "map",
          "attention",
          this.maps.map(({ name }) => name),
          first.name,
        ),
        this.choice(
          "head",
          "head",
          ["mean of all", ...count(heads).map((k) => `${k + 1}`)],
          this.spec.head,
        ),
        scope,
      ),
      box(
        "panels looks",
        box("side", this.card.node, this.say, this.chips),
        set(
          box(
            "weave",
            this.heads[0],
            make("span"),
            this.heads[1],
            group("queries: choose a row", this.rows),
            this.lines,
            group("keys: press one to cut it, or to restore it", this.keys),
          ),
          { style: `--pitch:${PITCH}px` },
        ),
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
    Object.assign(
      this.state,
      name === "pair" ? { row: null, hover: null, cuts: [] } : { row: null, hover: null },
    );
  }

  move(event, buttons) {
    const seen = buttons.filter((button) => !button.hidden),
      at = seen.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: seen.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = seen[clamp(to, 0, seen.length - 1)];
    buttons.forEach((button) => set(button, { tabindex: button === next ? 0 : -1 }));
    next.focus();
  }

  here() {
    const pair =
      this.spec.pairs[
        max(
          this.spec.pairs.findIndex(({ name }) => name === this.state.pair),
          0,
        )
      ];
    return {
      pair,
      words: pair.sentences[+(this.state.sentence === "second")],
      ...this.maps.find(({ name }) => name === this.state.map),
    };
  }

  /* Which cuts take an edge from what is shown; those of one head leave some of a mean. */
  meant({ part, layer }, row, key) {
    const head = this.state.head === "mean of all" ? undefined : +this.state.head - 1;
    return this.state.cuts.filter(
      (cut) =>
        cut.part === part &&
        cut.query === row &&
        cut.key === key &&
        (cut.layer ?? layer) === layer &&
        (cut.head ?? head) === head,
    );
  }

  /* Cut the edge from the row that is shown to a key, or restore it. */
  press(key) {
    const { part, layer } = this.here(),
      { row, open } = this.numbers;
    if (key >= open) return;
    const meant = this.meant({ part, layer }, row, key),
      cut = { part, query: row, key };
    if (this.state.scope === SCOPES[1]) {
      cut.layer = layer;
      if (this.state.head !== "mean of all") cut.head = +this.state.head - 1;
    }
    const others = this.state.cuts.filter((each) => !meant.includes(each));
    this.change("cuts", meant.length ? others : [...others, cut]);
  }

  compute() {
    const { pair, words, part, layer } = this.here(),
      { engine } = this,
      { cuts } = this.state;
    const own = engine.translate.bind(engine);
    const plain = this.once([words], () => own(words)),
      step = this.pronounStep(plain);
    const run = cuts.length ? this.once([words, cuts], () => own(words, { cuts })) : plain;
    const written = run.steps.map(({ token }) =>
      token === ENGINE_TOKENS.eos ? "end" : engine.french[token],
    );
    const rows = part === "encoder" ? words : written;
    const keys = part === "own" ? ["begin", ...written.slice(0, -1)] : words;
    const start = part === "encoder" ? pair.it : max(step, 0);
    const row = clamp(this.state.hover ?? this.state.row ?? start, 0, rows.length - 1);
    const heads = run.maps[part][layer],
      mean = this.state.head === "mean of all";
    const matrix = rows.map((_, i) =>
      mean
        ? heads[0][i].map((_, j) => sum(heads.map((map) => map[i][j])) / heads.length)
        : heads[+this.state.head - 1][i],
    );
    const open = part === "own" ? row + 1 : keys.length; // keys that this row may look at
    const cut = keys.map((_, j) => this.meant({ part, layer }, row, j).length > 0);
    const now = this.at(run),
      before = this.at(plain);
    return (this.numbers = {
      part,
      rows,
      keys,
      row,
      open,
      weights: matrix[row],
      matrix,
      cut,
      written,
      words,
      now,
      before,
    });
  }

  paint({ part, rows, keys, row, open, weights, cut, written, words, now, before }) {
    const label = (word) => (part === "encoder" ? word : `→ ${word}`),
      tall = PITCH * max(rows.length, keys.length);
    this.heads[0].textContent = part === "encoder" ? "queries" : "queries: → the word they write";
    this.heads[1].textContent =
      part === "own" ? "keys: begin (of the sentence), then the words so far" : "keys";
    this.narrow.textContent =
      this.state.head === "mean of all" ? "this block, all heads" : SCOPES[1];
    this.rows.forEach((button, i) => {
      button.hidden = i >= rows.length;
      button.firstChild.textContent = button.hidden ? "" : label(rows[i]);
      button.classList.toggle("self", i === row);
      set(button, { tabindex: i === row ? 0 : -1, "aria-pressed": String(i === row) });
    });
    const key = clamp(this.state.key, 0, open - 1);
    set(this.lines, { viewBox: `0 0 100 ${tall}` }).style.height = `${tall}px`;
    this.keys.forEach((button, j) => {
      const gone = j >= open,
        weight = weights[j] ?? 0,
        y0 = PITCH * (row + 0.5),
        y1 = PITCH * (j + 0.5);
      button.hidden = gone;
      button.firstChild.textContent = gone ? "" : keys[j];
      button.lastChild.textContent = gone
        ? ""
        : cut[j]
          ? "cut"
          : weight < 0.005
            ? ""
            : two(weight).replace("0.", ".");
      button.style.setProperty("--share", ink(weight) - 0.05);
      for (const [name, on] of Object.entries({ full: weight > 0.55, masked: cut[j] }))
        button.classList.toggle(name, on);
      set(button, { tabindex: j === key ? 0 : -1, "aria-pressed": String(Boolean(cut[j])) });
      const d = `M0 ${y0}C40 ${y0} 60 ${y1} 100 ${y1}`,
        on = !gone && (cut[j] || weight >= 0.005);
      set(this.arcs[j], {
        d,
        class: cut[j] ? "arc cut" : "arc",
        "stroke-width": cut[j] ? 1.5 : one(1 + 9 * weight),
        "stroke-opacity": on ? (cut[j] ? 1 : 0.3 + 0.7 * weight).toFixed(2) : 0,
      });
      see(set(this.hits[j], { d }), on);
    });
    this.card.english.replaceChildren(...inline(words));
    this.card.show(now, before);
    this.chips.replaceChildren(
      ...this.state.cuts.map((each) => {
        const from =
          each.part === "encoder"
            ? apart(words, each.query)
            : `→ ${each.query in written ? apart(written, each.query) : `position ${each.query + 1}`}`;
        const to =
          each.part !== "own"
            ? apart(words, each.key)
            : !each.key
              ? "begin"
              : each.key <= written.length
                ? apart(written, each.key - 1)
                : "nothing";
        const where =
          each.layer == null
            ? SCOPES[0]
            : `block ${each.layer + 1}, ${each.head == null ? "all heads" : `head ${each.head + 1}`}`;
        const drop = () =>
          this.change(
            "cuts",
            this.state.cuts.filter((other) => other !== each),
          );
        return set(this.button(`cut: ${from} to ${to} (${where}) ×`, drop), {
          class: "chip",
          "aria-label": `restore: ${from} to ${to}, ${where}`,
        });
      }),
    );
  }

  words({ part, rows, keys, row, weights, now, before }) {
    const { length } = this.state.cuts,
      best = largest(weights);
    const name =
      part === "encoder"
        ? `“${rows[row]}”`
        : rows[row] === "end"
          ? "The position that ends the sentence"
          : `The position that writes “${rows[row]}”`;
    const moved =
      now.step >= 0 && now.step !== before.step
        ? ` The translation has shifted: ${now.word} is word ${now.step + 1}, ${before.word} was word ${before.step + 1}.`
        : "";
    const fate =
      before.step < 0
        ? "The translation has neither il nor elle."
        : length
          ? `With ${length} cut${length > 1 ? "s" : ""}: ${this.fate(now, before)}.${moved}`
          : `Nothing is cut: it writes ${now.word}.`;
    return `${fate} ${name} looks ${weights[best] > 0 ? `most at “${apart(keys, best)}”` : "at nothing"}.`;
  }

  table({ part, rows, keys, matrix, now, before }) {
    const label = (word) => (part === "encoder" ? word : `→ ${word}`);
    const say = (i) => (_, j) =>
      this.meant(this.here(), i, j).length ? "cut" : j < matrix[i].length ? two(matrix[i][j]) : "";
    return [
      ["query", ...keys],
      ...matrix.map((_, i) => [label(rows[i]), ...keys.map(say(i))]),
      [spelled(now.words)],
      [`log-odds before ${signed(before.odds)}, log-odds now ${signed(now.odds)}`],
    ];
  }
}
