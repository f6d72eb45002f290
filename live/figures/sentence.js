/* A sentence of the reader's own, chosen in menus or typed. */
import { Figure, box, largest, make, set, softmax, two } from "../core.js";
import { hasPattern, OTHER_KIND } from "../patterns.js";
import { faultOf, knownWords, newWords, pronounOf, signedBar, spelled, splitWords, translation, translator, typingBox, unknownWords } from "../translating.js";
import translatingCss from "../translating.css";
import sentenceCss from "./sentence.css";

/* Sentences of the grammar of its training, and others, with what is wrong with their French. */
const TRIES = {
  "Of the kind it was trained on:": {
    "when my dog is tired, it sleeps in the house.": "",
    "the girls see an old owl and follow it.": "",
    "does the mouse eat a small apple?": "",
  },
  "Of other kinds:": {
    "the street is old and the animal is tired.": "The second half is missing.",
    "the animal didn't cross the street because it was too tired and it was too dry.": "“And it was too dry” is missing, yet every word is near 0.9.",
    "the mouse is tired.": "In French the mouse has carried something.",
  },
};
const FAULTS = Object.assign({}, ...Object.values(TRIES));

const MARK = /^[.,?]$/;

const UNSURE = 0.8; // a word with less is said to be unsure

/* The words that the menus of the chosen pattern say. */
function chosenWords({ patterns, kinds }, state) {
  const p = patterns.findIndex(({ name }) => name === state.pattern);
  return patterns[p].slots.map((slot, i) => (kinds[slot] ? state[`${p},${i}`] : slot));
}

export default class Sentence extends Figure {
  static style = translatingCss + sentenceCss;

  static data = "translator"; // it begins when its weights are there
  static rest = 500; // ms without a key after which a word is whole

  static compute(spec, state) {
    const words = state.typed == null ? chosenWords(spec, state) : splitWords(state.typed);
    const fault = faultOf(words);
    if (fault) return { words, fault };
    const other = !hasPattern(spec.known, words);
    const run = translation(words);
    const written = run.steps.slice(0, run.words.length);
    const chances = written.map(({ token, logits }) => softmax(logits)[token]);
    return { ...pronounOf(run), words, fault, other, chances, french: run.words };
  }

  build() {
    const { patterns, kinds } = this.spec;
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
    const write = (text) => this.change("typed", text);
    this.typing = typingBox(
      () => Sentence.rest,
      write,
      () => this.panel.classList.add("stale"),
    );
    const { input } = this.typing;
    // While `typed` is null the menus rule.
    const typed = this.control("typed", "in English", null, input, () => this.typing.show(this.state.typed ?? ""));
    const type = () => {
      this.change("typed", spelled(chosenWords(this.spec, this.state)));
      input.focus();
    };
    this.menus = box("controls", patterns.length > 1 ? pick : null, this.lines, this.button("type a sentence", type));
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
        `Below each word is its probability, in bold below ${UNSURE}; about 0.9 is as sure as this ` + "model gets. Underlined: what your change of one word has changed.",
      ),
      ...Object.entries(TRIES).map(([kind, tries]) =>
        box(
          "controls tries",
          make("span", {}, kind),
          Object.keys(tries).map((each) => this.button(each, () => write(each))),
        ),
      ),
      knownWords(),
    ];
  }

  /* A menu for word i, in groups if its kind has some. */
  menu(name, kind, i, start) {
    const options = (words) => words.map((word) => make("option", {}, word));
    const groups = this.spec.kinds[kind].map(([label, words]) => (label ? make("optgroup", { label }, options(words)) : options(words)));
    const label = `${kind.toLowerCase()}, word ${i + 1}`;
    const input = make("select", { "aria-label": label }, groups);
    this.state[name] = start;
    this.show[name] = () => (input.value = this.state[name]);
    this.show[name]();
    return set(input, { onchange: () => this.change(name, input.value) });
  }

  paint({ words, fault, french, chances, odds }) {
    const { typed, pattern } = this.state;
    this.menus.hidden = typed != null;
    this.own.hidden = typed == null;
    this.lines.forEach((line, k) => (line.hidden = this.spec.patterns[k].name !== pattern));
    this.panel.classList.remove("stale");
    this.bar.node.style.display = fault ? "none" : "";
    this.panel.classList.toggle("fault", Boolean(fault));
    if (fault) return this.french.replaceChildren(...this.instead(words));
    if (String(words) !== String(this.english)) {
      const old = this.english ?? words;
      const one = newWords(old, words).size < 2 && newWords(words, old).size < 2;
      this.before = one ? (this.last ?? french) : french;
      [this.english, this.last] = [words, french];
    }
    const changed = newWords(this.before, french);
    const parts = [];
    french.forEach((word, i) => {
      const unsure = chances[i] < UNSURE;
      const part = make("span", {}, make("span", { class: changed.has(i) ? "changed" : null }, word), make("small", { class: unsure ? "strong" : null }, two(chances[i])));
      if (i && MARK.test(word)) parts.at(-1).append(part);
      else parts.push(make("span", {}, part));
    });
    this.french.replaceChildren(...parts);
    this.bar.show(odds);
  }

  /* Where there is no French: for each unknown word, those that begin with its letter. */
  instead(words) {
    const { english } = translator();
    return unknownWords(words).map((word) => {
      const known = english.filter((each) => each[0] === word[0] && /[a-z]$/.test(each));
      const list = known.length ? known.join(", ") : "none";
      return make("p", { class: "legend", lang: "en" }, `Known words with ${word[0]}: ${list}.`);
    });
  }

  words({ words, fault, other, french, chances }) {
    if (fault) return `${fault} The words that it knows are listed below.`;
    const kind = other ? `${OTHER_KIND}. ` : "";
    if (!french.length) return `${kind}It writes nothing.`;
    const least = largest(chances.map((p) => -p));
    const unsure = `Least certain: “${french[least]}”, ${two(chances[least])}.`;
    const found = [`${kind}“${spelled(french)}”`, FAULTS[spelled(words)] ?? "", chances[least] < UNSURE ? unsure : ""];
    return found.filter(Boolean).join(" ");
  }

  table({ fault, french, chances }) {
    const rows = fault ? [] : french.map((word, i) => [word, two(chances[i])]);
    return [["French word", "probability"], ...rows];
  }
}
