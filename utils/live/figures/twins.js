/* Page 13: four changes inside the trained translator, and which of them turn il and elle. */
import { Figure, box, make, set } from "../core.js";
import {
  card,
  fate,
  inline,
  pairOf,
  pronounOf,
  pronounStep,
  signed,
  spelled,
  translation,
  translator,
} from "../translating.js";
import translatingCss from "../translating.css";
import twinsCss from "./twins.css";

const CHANGES = {
  swap: "swap the adjective’s vectors",
  nouns: "forbid “it” to look at the nouns",
  adjective: "forbid il/elle to look at the adjective",
  encoder: "remove all attention in the encoder",
};

const GUESSES = ["your guess?", "turns a pronoun", "turns none"];

const isOn = (state) => Object.keys(CHANGES).filter((name) => state[name]);

/* What is written for sentence k of a pair with some changes. */
function changed({ sentences, it, nouns, adjective }, k, on) {
  const cuts = on.includes("nouns")
    ? nouns.map((key) => ({ part: "encoder", query: it, key }))
    : [];
  const step = pronounStep(translation(sentences[k]));
  if (on.includes("adjective")) cuts.push({ part: "cross", query: step, key: adjective });
  const heads = on.includes("encoder") ? [{ part: "encoder" }] : [];
  const patches = [];
  if (on.includes("swap")) {
    // the twin's memory has the same cuts and heads, but nothing swapped
    const { stages } = translator().encode(sentences[1 - k], { cuts, heads });
    const stage = translator().layers;
    patches.push({ stage, position: adjective, vector: stages[stage][adjective] });
  }
  return pronounOf(translator().translate(sentences[k], { cuts, heads, patches }));
}

/* The same for both sentences. */
const results = (pair, on) =>
  translator().once([pair, on], () => [0, 1].map((k) => changed(pair, k, on)));

export default class Twins extends Figure {
  static style = translatingCss + twinsCss;

  static data = "translator"; // it begins when its weights are there

  static compute(spec, state) {
    const pair = pairOf(spec, state);
    const k = spec.pairs.indexOf(pair);
    const on = isOn(state);
    const now = results(pair, on);
    const before = results(pair, []);
    const alone = Object.keys(CHANGES).map((name) =>
      state.tried[`${k},${name}`] ? results(pair, [name]) : null,
    );
    return { k, on, now, before, alone };
  }

  build() {
    const { pairs, small } = this.spec;
    Object.assign(this.state, { guesses: {}, tried: {} }); // both by "pair,change"
    this.cards = [0, 1].map((k) => card(`sentence ${k + 1}`, small));
    const names = pairs.map(({ name }) => name);
    this.rows = Object.entries(CHANGES).map(([name, label]) => {
      this.state[name] = false;
      const button = this.button(label, () => this.press(name));
      if (small) return { name, button, node: box("change", button) };
      const guess = make(
        "select",
        { "aria-label": `will it turn a pronoun? ${label}` },
        GUESSES.map((each) => make("option", { value: each }, each)),
      );
      const listen = () =>
        this.change("guesses", { ...this.state.guesses, [this.key(name)]: guess.value });
      set(guess, { onchange: listen });
      const outcome = make("span", { class: "outcome" });
      return { name, button, guess, outcome, node: box("change", guess, button, outcome) };
    });
    const undo = (small ? "" : "Guess, then press. ") + "Press again to undo.";
    const dashed = small ? "how sure it was" : "the log-odds";
    const cards = this.cards.map(({ node }) => node);
    const rows = this.rows.map(({ node }) => node);
    return [
      pairs.length > 1 ? box("controls", this.choice("pair", "pair", names)) : null,
      box("panels", cards),
      make("p", { class: "legend" }, `Underlined: not as before. Dashed: ${dashed} before.`),
      box(
        "controls ask",
        make("span", {}, undo),
        small ? null : this.toggle("combine", "combine changes", false),
      ),
      box(small ? "controls changes" : "changes", rows),
    ];
  }

  key(name) {
    return `${this.spec.pairs.indexOf(pairOf(this.spec, this.state))},${name}`;
  }

  release(...kept) {
    for (const name of Object.keys(CHANGES)) if (!kept.includes(name)) this.state[name] = false;
  }

  press(name) {
    if (!this.state.combine) this.release(name);
    this.change(name, !this.state[name]);
  }

  /* A change that is on alone has been tried. */
  change(name, value) {
    this.state[name] = value;
    if (name === "pair") this.release();
    if (name === "combine" && !value) this.release(isOn(this.state)[0]);
    const on = isOn(this.state);
    if (on.length === 1) this.state.tried = { ...this.state.tried, [this.key(on[0])]: true };
    super.change(name, value);
  }

  turned(now, before) {
    return [0, 1].filter((k) => now[k].word !== before[k].word);
  }

  /* What became of both pronouns, and whether that was guessed. */
  outcome(now, before, guess) {
    const turned = this.turned(now, before);
    const [a, b] = now.map(({ word }) => word);
    const [k] = turned;
    const said = !turned.length
      ? "nothing turns"
      : a === b
        ? `both are ${a} now`
        : turned.length === 2
          ? "both turn"
          : `sentence ${k + 1} ${now[k].step < 0 ? "has" : "becomes"} ${now[k].word}`;
    if (!GUESSES.includes(guess, 1)) return said;
    const right = GUESSES.indexOf(guess) === (turned.length ? 1 : 2);
    return `${said}; you guessed ${right ? "it" : "otherwise"}`;
  }

  paint({ k, on, now, before, alone }) {
    const { sentences, adjective } = this.spec.pairs[k];
    this.cards.forEach(({ english, show }, k) => {
      const marked = sentences[k].map((word, i) =>
        i === adjective && on.includes("swap") ? `${word} ← ${sentences[1 - k][i]}` : word,
      );
      const dress = (i) => ({ class: i === adjective ? "mark" : null });
      english.replaceChildren(...inline(marked, dress));
      show(now[k], before[k]);
    });
    this.rows.forEach(({ name, button, guess, outcome }, i) => {
      set(button, { "aria-pressed": String(on.includes(name)) });
      if (!guess) return;
      const known = alone[i];
      const given = this.state.guesses[this.key(name)] ?? GUESSES[0];
      guess.value = given;
      guess.disabled = Boolean(known); // her guess is what it was
      [...guess.options].forEach((option, k) => {
        option.textContent = known ? `locked: ${k ? GUESSES[k] : "no guess"}` : GUESSES[k];
      });
      outcome.textContent = known ? this.outcome(known, before, given) : "";
    });
  }

  words({ on, now, before }) {
    const none = before.some(({ step }) => step < 0)
      ? "In this pair, not both translations have il or elle. "
      : before[0].word === before[1].word
        ? `Both nouns are ${before[0].word} in French, so nothing can turn. `
        : "";
    const turned = this.turned(now, before);
    const [a, b] = now.map(({ word }) => word);
    const alone = on.length === 1;
    if (!on.length) return `${none}Nothing is changed: sentence 1 gets ${a}, sentence 2 gets ${b}.`;
    if (!turned.length) {
      const kept = `Nothing turns: sentence 1 keeps ${a}, sentence 2 keeps ${b}.`;
      return `${none}${kept}${alone ? " So they don’t depend on it." : ""}`;
    }
    if (a === b && now[0].step >= 0) {
      const why = on.includes("adjective") ? ": nothing else tells the two apart" : "";
      return `${none}Both sentences now get ${a}${why}.`;
    }
    const each = [0, 1].map((k) => `Sentence ${k + 1}: ${fate(now[k], before[k])}.`).join(" ");
    const decides = alone && on[0] === "swap" && turned.length === 2;
    return `${none}${each}${decides ? " The adjective’s vector decides." : ""}`;
  }

  table({ k, now, before }) {
    const { sentences, adjective } = this.spec.pairs[k];
    const said = ({ word, odds }) => [word, signed(odds)];
    const rows = [0, 1].flatMap((k) => [
      [sentences[k][adjective], ...said(before[k]), ...said(now[k])],
      [spelled(now[k].words)],
    ]);
    return [["adjective", "before", "log-odds before", "now", "log-odds now"], ...rows];
  }
}
