/* Page 14: Shannon's game, to guess the next character of a text. */
import {
  Figure,
  box,
  count,
  drawing,
  make,
  max,
  one,
  rect,
  see,
  set,
  sum,
  text,
  two,
} from "../core.js";
import { capital, many, percent, spoken, visible } from "../writing.js";
import writingCss from "../writing.css";

const plain = (character) =>
  character
    .toLowerCase()
    .replace(/[‘’]/, "'")
    .replace(/[“”]/, '"');
const hiddenOf = ({ text, start }) => [...text].slice(start);

/* What was tried at characters that are done: the last of it is the character, or null, for told. */
const doneOf = (tries, hidden) =>
  tries.filter((each, i) => each.length > 0 && [null, hidden[i]].includes(each.at(-1)));

export default class Guess extends Figure {
  static style = writingCss;

  static compute(spec, { tries }) {
    const hidden = hiddenOf(spec);
    const rows = doneOf(tries, hidden).map((tries, i) => ({
      character: hidden[i],
      tries,
      told: tries.at(-1) === null,
      first: tries[0] === hidden[i],
      ...spec.steps[i],
    }));
    const at = rows.length;
    return {
      at,
      rows,
      wrong: tries[at] ?? [],
      left: hidden.length - at,
      yours: rows.filter(({ first }) => first).length,
      theirs: rows.filter(({ rank }) => rank === 1).length,
      bits: at ? sum(rows.map(({ p }) => -Math.log2(p))) / at : 0,
    };
  }

  build() {
    const { text: passage, start, name } = this.spec;
    Object.assign(this.state, { tries: [], odd: "" }); // a list for each character; null: it was told
    const typed = (event) => {
      const each = [...this.input.value].at(-1);
      if (event.isComposing && !this.known(each)) return; // an accent that waits for its letter
      this.input.value = "";
      if (each) this.judge(each);
    };
    this.input = make("input", {
      type: "text",
      size: 3,
      autocomplete: "off",
      autocapitalize: "none",
      autocorrect: "off",
      spellcheck: "false",
      oninput: typed,
      onkeydown: (event) => event.stopPropagation(), // "/" would search the book
    });
    // The keyboard of a phone stays open.
    const stay = { onmousedown: (event) => event.preventDefault() };
    const space = this.button("space", () => this.judge(" "));
    const tell = this.button("tell me", () => this.judge(null));
    this.inputs = [this.input, set(space, stay), set(tell, stay)];
    this.found = make("span");
    this.rest = make("span", { class: "rest" });
    this.wrong = box("wrong");
    this.say = make("p", { class: "say", "aria-live": "polite" });
    this.y = (k) => 40 + 26 * k + 14 * (k > 4); // the sixth is for a character behind the first five
    const bars = count(6);
    this.frame = rect("frame", 1, 0, 338, 26, 5);
    this.names = bars.map((k) => text(22, this.y(k) + 15, "", "mid mono"));
    this.bars = bars.map((k) => rect("bar-odds", 42, this.y(k) + 2, 0, 16));
    this.shares = bars.map((k) => text(0, this.y(k) + 15, "", "small"));
    this.came = text(332, 0, "came next", "small end strong");
    this.dots = text(22, this.y(4) + 34, "⋮", "mid muted");
    this.head = text(2, 12, "");
    this.after = text(2, 30, "", "small muted");
    this.rank = text(2, 228, "", "strong");
    const given = make("span", { class: "given" }, [...passage].slice(0, start).join(""));
    const caret = make("span", { class: "caret" });
    return [
      box(
        "controls",
        make("label", {}, make("span", {}, "your guess"), this.input),
        this.inputs.slice(1),
      ),
      box(
        "panels",
        box(
          "side",
          make("p", { class: "passage" }, given, this.found, caret, this.rest),
          make("p", { class: "legend" }, "Dotted: you were told, or needed more than one guess."),
          this.wrong,
          this.say,
        ),
        drawing(
          340,
          236,
          `What ${name} expected at the last character, five likeliest first`,
          this.head,
          this.after,
          this.frame,
          this.names,
          this.bars,
          this.shares,
          this.came,
          this.dots,
          this.rank,
        ),
      ),
    ];
  }

  known(character) {
    return [...this.spec.letters].some((each) => plain(each) === plain(character ?? ""));
  }

  /* A guess, or null for who wants to be told. Either case of a letter is right. */
  judge(character) {
    const hidden = hiddenOf(this.spec);
    const at = doneOf(this.state.tries, hidden).length;
    const truth = hidden[at];
    if (truth === undefined) return;
    const tried = this.state.tries[at] ?? [];
    const told = character === null;
    const again = () => tried.some((each) => plain(each) === plain(character));
    if (!told && (!this.known(character) || again())) return this.change("odd", character);
    const now = [...tried, !told && plain(character) === plain(truth) ? truth : character];
    this.state.odd = "";
    this.change("tries", [...this.state.tries.slice(0, at), now]);
  }

  paint({ at, rows, wrong, left }) {
    const { name, text: passage, start } = this.spec;
    const last = rows.at(-1);
    const found = ({ character, first }) =>
      make("span", { class: first ? null : "missed" }, character);
    this.found.replaceChildren(...rows.map(found));
    this.rest.textContent = hiddenOf(this.spec).slice(at).join("");
    const struck = wrong.map((each) => make("s", {}, visible(each)));
    this.wrong.replaceChildren(...(wrong.length ? ["not", ...struck] : []));
    for (const each of this.inputs) set(each, { "aria-disabled": left ? null : "true" });
    set(this.input, { readonly: left ? null : "" });
    const behind = last && last.rank > last.top.length ? [[last.character, last.p]] : [];
    const seen = last ? [...last.top, ...behind] : [];
    const place = seen.findIndex(([character]) => character === last.character);
    this.names.forEach((label, k) => {
      const [character, p] = seen[k] ?? ["", 0];
      const ghost = !last && k < 5;
      const row = k >= (last?.top.length ?? 5) ? 5 : k; // what is behind them stands apart
      const y = this.y(row);
      const width = ghost ? 60 : 1 + 160 * p;
      const kind = ghost ? "ghost" : k === place ? "cell" : "bar-odds";
      label.textContent = visible(character);
      set(label, { y: y + 15, class: `mid mono${k === place ? " strong" : ""}` });
      set(this.bars[k], { y: y + 2, width: one(width), class: kind });
      see(this.bars[k], ghost || character);
      set(this.shares[k], { x: one(48 + width), y: y + 15 });
      this.shares[k].textContent = character ? percent(p) : "";
      if (k !== place) return;
      set(this.frame, { y: y - 3 });
      set(this.came, { y: y + 15 });
    });
    for (const each of [this.frame, this.came]) see(each, last);
    see(this.dots, last && place >= last.top.length);
    const before = [...passage].slice(max(0, start + at - 17), start + at - 1).join("");
    this.head.textContent = last ? `What ${name} expected after` : `What ${name} expected`;
    set(this.after, { class: `small muted${last ? " mono" : ""}` }).textContent = last
      ? `…${visible(before)}`
      : "is shown once you have guessed";
    this.rank.textContent = last ? `guess number ${last.rank} of ${name}` : "";
  }

  words({ at, rows, wrong, left, yours, theirs, bits }) {
    const { name } = this.spec;
    const { odd } = this.state;
    const last = rows.at(-1);
    const mine = `You needed 1 guess for ${yours} of ${many(at, "character")}`;
    const score = at ? ` ${mine}, ${name} for ${theirs}.` : "";
    if (odd) {
      const why = this.known(odd) ? "has been tried here" : "isn't a character of these texts";
      return `${capital(spoken(odd))} ${why}, so it doesn't count.${score}`;
    }
    if (wrong.length) return `Not ${spoken(wrong.at(-1))}. Try again, or press “tell me”.${score}`;
    if (!at) {
      const hint = "What comes next? Type it, and capitals don't matter.";
      return `${many(left, "character")} are hidden. ${hint}`;
    }
    const loss = `The loss of ${name} is ${two(bits)} bits per character here.`;
    if (!left) return `That was all.${score} ${loss}`;
    const rank = `guess number ${last.rank} of ${name}`;
    const tries = last.tries.length;
    if (last.told) return `It was ${spoken(last.character)}, ${rank}.${score}`;
    const when = tries > 1 ? `after ${tries} guesses` : "at once";
    return `${capital(spoken(last.character))} is right, ${when}; it was ${rank}.${score}`;
  }

  table({ rows }) {
    const { name } = this.spec;
    const say = (each) => (each === null ? "told" : visible(each));
    const row = ({ character, tries, rank, p }) => [
      visible(character),
      tries.map(say).join(" "),
      rank,
      percent(p),
    ];
    return [["character", "your guesses", `rank for ${name}`, "its probability"], ...rows.map(row)];
  }
}
