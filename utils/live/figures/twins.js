/* Page 13, which change turns il and elle. */
import { box, make, max, set } from "../core.js";
import { Translating, card, signed, spelled } from "../translating.js";

const CHANGES = {
  swap: "swap the adjective’s vectors",
  nouns: "forbid “it” to look at the nouns",
  adjective: "forbid il/elle to look at the adjective",
  encoder: "remove all attention in the encoder",
};

const GUESSES = ["your guess?", "turns a pronoun", "turns none"];

export default class Twins extends Translating {
  build() {
    const { pairs, small } = this.spec;
    Object.assign(this.state, { guesses: {}, tried: {} }); // both by "pair,change"
    this.cards = [0, 1].map((k) => card(`sentence ${k + 1}`, small));
    const choose = this.choice(
      "pair",
      "pair",
      pairs.map(({ name }) => name),
    );
    this.rows = Object.entries(CHANGES).map(([name, label]) => {
      this.state[name] = false;
      const button = this.button(label, () => this.press(name));
      const guess = small
        ? null
        : make(
            "select",
            { "aria-label": `will it turn a pronoun? ${label}` },
            GUESSES.map((each) => make("option", { value: each }, each)),
          );
      if (guess)
        set(guess, {
          onchange: () =>
            this.change("guesses", { ...this.state.guesses, [this.key(name)]: guess.value }),
        });
      const outcome = small ? null : make("span", { class: "outcome" });
      return { name, button, guess, outcome, node: box("change", guess, button, outcome) };
    });
    const undo = make(
      "span",
      {},
      small ? "Press again to undo." : "Guess, then press. Press again to undo.",
    );
    return [
      pairs.length > 1 ? box("controls", choose) : null,
      box(
        "panels",
        this.cards.map(({ node }) => node),
      ),
      make(
        "p",
        { class: "legend" },
        `Underlined: not as before. Dashed: ${small ? "how sure it was" : "the log-odds"} before.`,
      ),
      box("controls ask", undo, small ? null : this.toggle("combine", "combine changes", false)),
      box(
        small ? "controls changes" : "changes",
        this.rows.map(({ node }) => node),
      ),
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
    const k = max(
      this.spec.pairs.findIndex(({ name }) => name === this.state.pair),
      0,
    );
    return { k, ...this.spec.pairs[k] };
  }

  /* Both sentences of a pair with some changes. */
  results(pair, on) {
    return this.once([pair.k, on], () => [0, 1].map((k) => this.result(pair, k, on)));
  }

  result(pair, k, on) {
    const { sentences, it, nouns, adjective } = pair,
      { engine } = this;
    const step = this.once([pair.k, k], () => this.pronounStep(engine.translate(sentences[k])));
    const cuts = on.includes("nouns")
      ? nouns.map((key) => ({ part: "encoder", query: it, key }))
      : [];
    if (on.includes("adjective")) cuts.push({ part: "cross", query: step, key: adjective });
    const heads = on.includes("encoder") ? [{ part: "encoder" }] : [],
      patches = [];
    if (on.includes("swap")) {
      // the twin's memory has the same cuts and heads, but nothing swapped
      const { stages } = engine.encode(sentences[1 - k], { cuts, heads }),
        stage = engine.layers;
      patches.push({ stage, position: adjective, vector: stages[stage][adjective] });
    }
    return this.at(engine.translate(sentences[k], { cuts, heads, patches }));
  }

  compute() {
    const pair = this.pair(),
      on = this.on();
    const now = this.results(pair, on),
      before = this.results(pair, []);
    const alone = Object.keys(CHANGES).map((name) =>
      this.key(name) in this.state.tried ? this.results(pair, [name]) : null,
    );
    return { pair, on, now, before, alone };
  }

  turned(now, before) {
    return [0, 1].filter((k) => now[k].word !== before[k].word);
  }

  /* What became of both pronouns, and whether that was guessed. */
  outcome(now, before, guess) {
    const turned = this.turned(now, before),
      [a, b] = now.map(({ word }) => word),
      [k] = turned;
    const said = !turned.length
      ? "nothing turns"
      : a === b
        ? `both are ${a} now`
        : turned.length === 2
          ? "both turn"
          : `sentence ${k + 1} ${now[k].step < 0 ? "has" : "becomes"} ${now[k].word}`;
    const right = GUESSES.indexOf(guess) === (turned.length ? 1 : 2);
    return (
      said +
      (!GUESSES.includes(guess, 1) ? "" : right ? "; you guessed it" : "; you guessed otherwise")
    );
  }

  paint({ pair, on, now, before, alone }) {
    const { sentences, adjective } = pair;
    this.cards.forEach(({ english, show }, k) => {
      const marked = sentences[k].map((word, i) =>
        i === adjective && on.includes("swap") ? `${word} ← ${sentences[1 - k][i]}` : word,
      );
      english.replaceChildren(
        ...inline(marked, (i) => ({ class: i === adjective ? "mark" : null })),
      );
      show(now[k], before[k]);
    });
    this.rows.forEach(({ name, button, guess, outcome }, i) => {
      set(button, { "aria-pressed": String(on.includes(name)) });
      if (!guess) return;
      const known = alone[i],
        given = this.state.guesses[this.key(name)] ?? GUESSES[0];
      guess.value = given;
      guess.disabled = Boolean(known); // her guess is what it was
      [...guess.options].forEach(
        (option, k) =>
          (option.textContent = known ? `locked: ${k ? GUESSES[k] : "no guess"}` : GUESSES[k]),
      );
      outcome.textContent = known ? this.outcome(known, before, given) : "";
    });
  }

  words({ on, now, before }) {
    const none = before.some(({ step }) => step < 0)
      ? "In this pair, not both translations have il or elle. "
      : before[0].word === before[1].word
        ? `Both nouns are ${before[0].word} in French, so nothing can turn. `
        : "";
    const turned = this.turned(now, before),
      [a, b] = now.map(({ word }) => word),
      alone = on.length === 1;
    if (!on.length) return `${none}Nothing is changed: sentence 1 gets ${a}, sentence 2 gets ${b}.`;
    if (!turned.length)
      return `${none}Nothing turns: sentence 1 keeps ${a}, sentence 2 keeps ${b}.${alone ? " So they don’t depend on it." : ""}`;
    if (a === b && now[0].step >= 0)
      return `${none}Both sentences now get ${a}${on.includes("adjective") ? ": nothing else tells the two apart" : ""}.`;
    const each = [0, 1].map((k) => `Sentence ${k + 1}: ${this.fate(now[k], before[k])}.`).join(" ");
    return `${none}${each}${alone && on[0] === "swap" && turned.length === 2 ? " The adjective’s vector decides." : ""}`;
  }

  table({ pair, now, before }) {
    const rows = [0, 1].flatMap((k) => [
      [
        pair.sentences[k][pair.adjective],
        before[k].word,
        signed(before[k].odds),
        now[k].word,
        signed(now[k].odds),
      ],
      [spelled(now[k].words)],
    ]);
    return [["adjective", "before", "log-odds before", "now", "log-odds now"], ...rows];
  }
}
