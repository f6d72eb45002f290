/* Page 13: a sentence of the reader's own, chosen in menus or typed. */
import { Figure, box, largest, make, min, set, softmax, two } from "../core.js";
import { ENGINE_LONGEST, ENGINE_TOKENS } from "../engine.js";
import {
  newWords,
  pronounOf,
  signedBar,
  spelled,
  translation,
  translator,
} from "../translating.js";
import translatingCss from "../translating.css";
import sentenceCss from "./sentence.css";

/* Sentences that the grammar of its training never makes, and what is wrong with their French. */
const TRIES = {
  "the street is old and the animal is tired.": "Wrong: the second half is missing.",
  "the animal didn't cross the street because it was too tired and it was too dry.":
    "Wrong: “and it was too dry” is missing, yet every word is near 0.9.",
  "the mouse is tired.": "Wrong: in French the mouse has carried something.",
};

const MARK = /^[.,?]$/;

/* The words that the menus of the chosen pattern say. */
function chosenWords({ patterns, kinds }, state) {
  const p = patterns.findIndex(({ name }) => name === state.pattern);
  return patterns[p].slots.map((slot, i) => (kinds[slot] ? state[`${p},${i}`] : slot));
}

/* Lower case; a point, a comma and a question mark are words of their own. */
const splitWords = (typed) =>
  typed
    .toLowerCase()
    .replace(/[’\x60]/g, "'")
    .replace(/([.,?!;:"()])/g, " $1 ")
    .split(/\s+/)
    .filter(Boolean);

function faultOf(words, unknown) {
  if (!words.length) return "Type a few English words.";
  if (words.length > ENGINE_LONGEST)
    return `${words.length} words are too many; ${ENGINE_LONGEST} are the most it takes.`;
  return unknown.length ? `Not in the vocabulary: ${unknown.join(", ")}.` : "";
}

export default class Sentence extends Figure {
  static style = translatingCss + sentenceCss;

  static data = "translator"; // it begins when its weights are there
  static rest = 500; // ms without a key after which a word is whole

  static compute(spec, state) {
    const words = state.typed == null ? chosenWords(spec, state) : splitWords(state.typed);
    const { english } = translator().numbers;
    const unknown = words.filter((word) => !(english.get(word) > ENGINE_TOKENS.eos));
    const fault = faultOf(words, [...new Set(unknown)]);
    if (fault) return { words, fault };
    const run = translation(words);
    const written = run.steps.slice(0, run.words.length);
    const chances = written.map(({ token, logits }) => softmax(logits)[token]);
    return { ...pronounOf(run), words, fault, chances, french: run.words };
  }

  build() {
    const { patterns, kinds } = this.spec;
    const known = translator().english.filter((word) => /[a-z]$/.test(word));
    const names = patterns.map(({ name }) => name);
    const pick = this.choice("pattern", "pattern", names);
    this.lines = patterns.map(({ slots, start }, p) => {
      const parts = [];
      slots.forEach((slot, i) => {
        if (kinds[slot]) parts.push(this.menu(`${p},${i}`, slot, i, start[i]));
        else if (i && MARK.test(slot)) {
          // a mark stays with what is before it
          parts.push(make("span", { class: "together" }, parts.pop(), make("span", {}, slot)));
        } else parts.push(make("span", {}, slot));
      });
      return box("slots", parts);
    });
    this.input = make("textarea", {
      rows: 2,
      maxlength: 300,
      spellcheck: "false",
      autocapitalize: "off",
      oninput: () => this.typing(),
    });
    // While `typed` is null the menus rule.
    const typed = this.control("typed", "in English", null, this.input, () => {});
    this.known = known.length;
    const type = () => {
      this.change("typed", spelled(chosenWords(this.spec, this.state)));
      this.input.focus();
    };
    this.menus = box(
      "controls",
      patterns.length > 1 ? pick : null,
      this.lines,
      this.button("type a sentence", type),
    );
    const choose = () => {
      this.change("typed", null);
      this.menus.querySelector("select")?.focus();
    };
    this.own = box("controls typed", typed, this.button("use the menus", choose));
    this.say = make("p", { class: "say", "aria-live": "polite" });
    this.french = set(box("french glosses"), { lang: "fr" });
    this.bar = signedBar();
    this.panel = box("panels alone", this.french, this.bar.node);
    return [
      this.menus,
      this.own,
      this.say,
      this.panel,
      make(
        "p",
        { class: "legend" },
        "Below each word is its probability, the lowest in bold; about 0.9 is as sure as this " +
          "model gets. Underlined: not as before.",
      ),
      box(
        "controls tries",
        make("span", {}, "It has seen only sentences like those of the menus. Try others:"),
        Object.keys(TRIES).map((each) => this.button(each, () => this.change("typed", each))),
      ),
      make(
        "details",
        {},
        make("summary", {}, `The ${known.length} English words that it knows`),
        make(
          "p",
          { class: "known", tabindex: 0, role: "group", "aria-label": "English words" },
          known.join(" "),
        ),
      ),
    ];
  }

  /* A menu for word i, in groups if its kind has some. */
  menu(name, kind, i, start) {
    const options = (words) => words.map((word) => make("option", {}, word));
    const groups = this.spec.kinds[kind].map(([label, words]) =>
      label ? make("optgroup", { label }, options(words)) : options(words),
    );
    const label = `${kind.toLowerCase()}, word ${i + 1}`;
    const input = make("select", { "aria-label": label }, groups);
    this.state[name] = start;
    this.show[name] = () => (input.value = this.state[name]);
    this.show[name]();
    return set(input, { onchange: () => this.change(name, input.value) });
  }

  /* A word that is still being typed is no word yet: it counts after a space, a mark or a pause. */
  typing() {
    const { value, selectionStart } = this.input;
    const settle = () => this.change("typed", value);
    clearTimeout(this.pause);
    if (/[\s.,?!]$/.test(value.slice(0, selectionStart))) return settle();
    this.panel.classList.add("stale");
    this.pause = setTimeout(settle, Sentence.rest);
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
    if (String(french) !== String(this.last))
      [this.before, this.last] = [this.last ?? french, french];
    const changed = newWords(this.before, french);
    const parts = [];
    french.forEach((word, i) => {
      const least = chances[i] === min(...chances);
      const part = make(
        "span",
        {},
        make("span", { class: changed.has(i) ? "changed" : null }, word),
        make("small", { class: least ? "strong" : null }, two(chances[i])),
      );
      if (i && MARK.test(word)) parts.at(-1).append(part);
      else parts.push(make("span", {}, part));
    });
    this.french.replaceChildren(...parts);
    this.bar.show(odds);
  }

  words({ words, fault, french, chances }) {
    if (fault) return `${fault} The ${this.known} words that it knows are listed below.`;
    if (!french.length) return "It writes nothing.";
    const end = /^[.?]$/.test(words.at(-1))
      ? ""
      : " In training, every sentence ended with a point or a question mark; this one doesn’t.";
    const least = french[largest(chances.map((p) => -p))];
    return `“${spelled(french)}” ${TRIES[spelled(words)] ?? `Least certain: “${least}”.`}${end}`;
  }

  table({ fault, french, chances }) {
    const rows = fault ? [] : french.map((word, i) => [word, two(chances[i])]);
    return [["French word", "probability"], ...rows];
  }
}
