/* Page 13, a sentence of the reader's own. */
import { box, largest, make, max, min, set, softmax, two } from "../core.js";
import { ENGINE_LONGEST, ENGINE_TOKENS } from "../engine.js";
import { Translating, newWords, signedBar, spelled } from "../translating.js";

/* Sentences that the grammar of its training never makes, and what is wrong with their French. */
const TRIES = {
  "the street is old and the animal is tired.": "Wrong: the second half is missing.",
  "the animal didn't cross the street because it was too tired and it was too dry.":
    "Wrong: “and it was too dry” is missing, yet every word is near 0.9.",
  "the mouse is tired.": "Wrong: in French the mouse has carried something.",
};

const MARK = /^[.,?]$/;

export default class Sentence extends Translating {
  build() {
    const { patterns, kinds } = this.spec,
      known = this.engine.english.filter((word) => /[a-z]$/.test(word));
    const pick = this.choice(
      "pattern",
      "pattern",
      patterns.map(({ name }) => name),
    );
    this.lines = patterns.map(({ slots, start }, p) => {
      const parts = [];
      slots.forEach((slot, i) => {
        if (!kinds[slot]) {
          const word = make("span", {}, slot); // a mark stays with what is before it
          return parts.push(
            i && MARK.test(slot) ? make("span", { class: "together" }, parts.pop(), word) : word,
          );
        }
        const option = (word) => make("option", {}, word);
        const groups = kinds[slot].map(([name, words]) =>
          name ? make("optgroup", { label: name }, words.map(option)) : words.map(option),
        );
        const name = `${p},${i}`,
          input = make("select", { "aria-label": `${slot.toLowerCase()}, word ${i + 1}` }, groups);
        this.state[name] = start[i];
        this.show[name] = () => (input.value = this.state[name]);
        this.show[name]();
        parts.push(set(input, { onchange: () => this.change(name, input.value) }));
      });
      return box("slots", parts);
    });
    const input = (this.input = make("textarea", {
      rows: 2,
      maxlength: 300,
      spellcheck: "false",
      autocapitalize: "off",
    }));
    set(input, { oninput: () => this.typing() });
    const typed = this.control("typed", "in English", null, input, () => {}); // null: the menus rule
    this.known = known.length;
    this.menus = box(
      "controls",
      patterns.length > 1 ? pick : null,
      this.lines,
      this.button("type a sentence", () => {
        this.change("typed", spelled(this.chosen()));
        input.focus();
      }),
    );
    this.own = box(
      "controls typed",
      typed,
      this.button("use the menus", () => {
        this.change("typed", null);
        this.menus.querySelector("select")?.focus();
      }),
    );
    this.say = make("p", { class: "say", "aria-live": "polite" });
    this.french = set(box("french glosses"), { lang: "fr" });
    this.bar = signedBar();
    this.panel = box("panels alone", this.french, this.bar.node);
    const list = make(
      "p",
      { class: "known", tabindex: 0, role: "group", "aria-label": "English words" },
      known.join(" "),
    );
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
        list,
      ),
    ];
  }

  /* A word that is still being typed is no word yet: it counts after a space, a mark or a pause. */
  typing() {
    const { value, selectionStart } = this.input,
      settle = () => this.change("typed", value);
    clearTimeout(this.pause);
    if (/[\s.,?!]$/.test(value.slice(0, selectionStart))) return settle();
    this.panel.classList.add("stale");
    this.pause = setTimeout(settle, 500);
  }

  /* The pattern, and the words that the menus say. */
  chosen(
    p = max(
      this.spec.patterns.findIndex(({ name }) => name === this.state.pattern),
      0,
    ),
  ) {
    return this.spec.patterns[p].slots.map((slot, i) =>
      this.spec.kinds[slot] ? this.state[`${p},${i}`] : slot,
    );
  }

  /* Lower case; a point, a comma and a question mark are words of their own. */
  split(typed) {
    return typed
      .toLowerCase()
      .replace(/[’`]/g, "'")
      .replace(/([.,?!;:"()])/g, " $1 ")
      .split(/\s+/)
      .filter(Boolean);
  }

  compute() {
    const { engine } = this,
      { typed } = this.state;
    const words = typed == null ? this.chosen() : this.split(typed);
    const unknown = [
      ...new Set(words.filter((word) => !(engine.numbers.english.get(word) > ENGINE_TOKENS.eos))),
    ];
    const fault = !words.length
      ? "Type a few English words."
      : words.length > ENGINE_LONGEST
        ? `${words.length} words are too many; ${ENGINE_LONGEST} are the most it takes.`
        : unknown.length
          ? `Not in the vocabulary: ${unknown.join(", ")}.`
          : "";
    if (fault) return { words, unknown, fault };
    const run = this.once(words, () => engine.translate(words));
    const chances = run.steps
      .slice(0, run.words.length)
      .map(({ token, logits }) => softmax(logits)[token]);
    return { ...this.at(run), words, unknown, fault, chances, french: run.words };
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
    const changed = newWords(this.before, french),
      parts = [];
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
    const wrong =
      TRIES[spelled(words)] ?? `Least certain: “${french[largest(chances.map((p) => -p))]}”.`;
    return `“${spelled(french)}” ${wrong}${end}`;
  }

  table({ fault, french, chances }) {
    return [
      ["French word", "probability"],
      ...(fault ? [] : french.map((word, i) => [word, two(chances[i])])),
    ];
  }
}
