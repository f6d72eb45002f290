/* Shannon's game, the reader against the models, one guess for each letter of a text. Of the page: texts,
each { given, hidden }, with as many hidden letters each; models, each { name, steps }, where steps has
for each letter of each text what guess.py makes of the model's predictions; letters, all that can be
guessed; book, what the texts are from, for the score. The second word of a name is its name here. */
import { Figure, box, count, drawing, floor, h, make, rect, sum, text, two } from "../core.js";
import { IN_BOOK, capital, percent, spoken, visible } from "../writing.js";
import writingCss from "../writing.css";
import guessCss from "./guess.css";

/* Neither capitals nor the form of a quotation mark matter. */
const plain = (sign) =>
  sign
    .toLowerCase()
    .replace(/[‘’\u0060]/, "'")
    .replace(/[“”]/, '"');
const same = (a, b) => plain(a) === plain(b);

const SLIP = 1000; // ms after a miss in which its letter is no guess: who types on repeats it
const KEYS = "qwertyuiopasdfghjkl'zxcvbnm,.!-:;?()";
const [LEFT, WIDE] = [86, 252]; // of bars and strips, in the drawing
const kindOf = (k) => (k ? "bar-odds" : "bar-query"); // the first is the reader

export default class Guess extends Figure {
  static hint = "guess a whole text. At which letters of a word are the models right, and where are you?";
  static style = writingCss + guessCss;

  static compute({ texts, models }, { text, guesses }) {
    const { given, hidden } = texts[text];
    const letters = [...hidden];
    const rows = [...guesses].slice(0, letters.length).map((guess, i) => ({
      letter: letters[i],
      guess,
      right: [same(guess, letters[i])],
      models: models.map(({ steps }) => {
        const [likeliest, ...shares] = steps[text][i];
        return { likeliest: [...likeliest], shares, p: shares.pop() / 100 };
      }),
    }));
    for (const { letter, right, models } of rows) right.push(...models.map(({ likeliest }) => same(likeliest[0], letter)));
    const at = rows.length;
    const cost = (k) => sum(rows.map(({ models }) => -Math.log2(models[k].p)));
    return {
      given,
      letters,
      rows,
      at,
      left: letters.length - at,
      scores: count(1 + models.length).map((k) => rows.filter(({ right }) => right[k]).length),
      bits: models.map((_, k) => cost(k) / (at || 1)),
    };
  }

  controls() {
    Object.assign(this.state, { text: 0, guesses: "" });
    this.show.text = this.show.guesses = () => (this.odd = null); // what is said of a guess that doesn't count
    this.names = ["you", ...this.spec.models.map(({ name }) => name.split(" ")[1])];
    this.say = make("p", { class: "say", "aria-live": "polite" });
    return [];
  }

  /* Who has a mouse can type on; on a phone the keyboard would cover the figure. */
  listen() {
    if (matchMedia("(pointer: fine)").matches) this.stage.querySelector("input").focus({ preventScroll: true });
  }

  known(sign) {
    return [...this.spec.letters].some((each) => same(each, sign ?? ""));
  }

  judge(sign) {
    const { left, rows, letters, at } = this.compute();
    if (!left) return;
    const last = rows.at(-1);
    const again = performance.now() < this.pause && same(sign, last?.letter ?? "");
    if (again && !same(sign, letters[at])) this.odd = `${capital(spoken(last.letter))} is filled in already: guess what follows it.`;
    else if (!this.known(sign)) this.odd = `${capital(spoken(sign))} isn't in this book, so it doesn't count.`;
    else {
      this.change("guesses", this.state.guesses + sign);
      // Of a doubled letter the second is right, and who then repeats it makes the same slip.
      const right = same(sign, letters[at]);
      if (!again) this.pause = right ? 0 : performance.now() + SLIP;
      return;
    }
    this.changed();
  }

  /* Who gets the score is asked to guess the same text, and doesn't see it. */
  score() {
    const { texts, models, book } = this.spec;
    const { scores, at } = this.compute();
    const theirs = models.map(({ name }, k) => `${name} ${scores[k + 1]}`).join(", ");
    const line = `I guessed ${scores[0]} of ${at} letters of ${book}; ${theirs}.`;
    if (!IN_BOOK) return line;
    const { name } = this.stage.getRootNode().host;
    const text = texts.length > 1 ? `&text=${this.state.text}` : "";
    return `${line} ${location.href.split("#")[0]}#figure=${name}${text}`;
  }

  async send() {
    const line = this.score();
    try {
      await navigator.clipboard.writeText(line);
      this.sent = "Copied";
    } catch {
      this.odd = line; // to be copied by hand
    }
    this.changed();
    setTimeout(() => this.changed((this.sent = null)), 2500);
  }

  another() {
    this.state.guesses = "";
    this.change("text", (this.state.text + 1) % this.spec.texts.length);
    this.listen();
  }

  view(numbers) {
    const { left } = numbers;
    const button = (label, onclick, kind) => h("button", { type: "button", class: kind, onclick }, label);
    const buttons = box(
      "controls texts",
      button("Another text", () => this.another()),
      button(this.sent ?? "Copy this score", () => this.send(), left ? "unseen" : null),
    );
    const label = "Who guessed how many letters right, which ones, and what the models expected";
    const picture = drawing(340, 380, label, this.race(numbers), this.strips(numbers), this.expected(numbers));
    return box("panels", box("side", this.passage(numbers), this.typing(numbers), this.keys(), this.say, buttons), picture);
  }

  passage({ given, letters, at }) {
    const [found, rest] = [letters.slice(0, at), letters.slice(at)].map((each) => each.join(""));
    const caret = h("span", { class: "caret" });
    return h("p", { class: "passage", onclick: () => this.listen() }, h("span", { class: "given" }, given), found, caret, h("span", { class: "rest" }, rest));
  }

  typing({ left }) {
    const oninput = (event) => {
      const sign = [...event.target.value].at(-1);
      if (event.isComposing && !this.known(sign)) return; // an accent that waits for its letter
      event.target.value = "";
      if (sign) this.judge(sign);
    };
    const onkeydown = (event) => event.stopPropagation(); // "/" would search the book
    const plain = { type: "text", size: 3, autocomplete: "off", autocapitalize: "none", autocorrect: "off", spellcheck: "false" };
    const over = left ? {} : { readonly: "", "aria-disabled": "true" };
    return box("controls typing", h("label", {}, h("span", {}, "your guess"), h("input", { ...plain, ...over, oninput, onkeydown })));
  }

  /* Who types may press a key of the figure as well, and goes on typing. */
  keys() {
    const onmousedown = (event) => event.preventDefault();
    const key = (sign, name = sign) =>
      h("button", { type: "button", class: `letter${name === sign ? "" : " wide"}`, tabindex: -1, "aria-label": spoken(sign), onmousedown, onclick: () => this.judge(sign) }, name);
    return box(
      "letters",
      [...KEYS].map((sign) => key(sign)),
      key(" ", "space"),
    );
  }

  /* Right so far, a bar each. */
  race({ letters, scores }) {
    const row = (score, k) => {
      const [y, width, inside] = [22 + 24 * k, (WIDE * score) / letters.length, score > 0.85 * letters.length];
      return [
        text(LEFT - 6, y + 13, this.names[k], "small end"),
        rect("rim", LEFT, y, WIDE, 16),
        rect(kindOf(k), LEFT, y, width, 16),
        text(LEFT + width + (inside ? -5 : 5), y + 13, String(score), inside ? "strong end on" : "strong"),
      ];
    };
    return [text(2, 13, "right so far", "small muted"), text(LEFT + WIDE, 13, `of ${letters.length}`, "small muted end"), scores.map(row)];
  }

  /* Which ones, in two lines: who was right has a full cell. */
  strips({ letters, rows, scores }) {
    const columns = Math.ceil(letters.length / 2);
    const wide = WIDE / columns;
    const top = (line) => 120 + 72 * line;
    const cell = (letter, i) => {
      const [x, y, right] = [LEFT + wide * (i % columns), top(floor(i / columns)), rows[i]?.right ?? []];
      const marks = right.map((hit, k) => (hit ? rect(kindOf(k), x + 1, y + 6 + 15 * k, wide - 2, 10, 1) : rect("rim", x + 2, y + 14 + 15 * k, wide - 4, 2, 0)));
      return [text(x + wide / 2, y, rows[i] ? visible(letter) : "·", "mid mono"), marks];
    };
    const names = (line) => scores.map((_, k) => text(LEFT - 6, top(line) + 15 + 15 * k, this.names[k], "small end"));
    return [[0, 1].map(names), letters.map(cell)];
  }

  /* What the models expected where the last letter came, and behind the likeliest what came. */
  expected({ rows }) {
    const last = rows.at(-1);
    const head = last ? `What they expected where ${spoken(last.letter)} came` : "What they expected is shown after your guess";
    const lines = ({ likeliest, shares, p }, k) => {
      const shown = likeliest.includes(last.letter) ? likeliest : [...likeliest, last.letter];
      return shown.map((sign, j) => {
        const [x, y, share, came] = [2 + 172 * k, 298 + 21 * j, j < shares.length ? shares[j] / 100 : p, sign === last.letter];
        return [
          came && rect("frame", x - 1, y - 3, 166, 21, 4),
          text(x + 8, y + 12, visible(sign), `mid mono${came ? " strong" : ""}`),
          rect(came ? "cell" : "bar-odds", x + 20, y, 1 + 90 * share, 15),
          text(x + 26 + 97 * share, y + 12, percent(share), "small"),
        ];
      });
    };
    const names = this.names.slice(1).map((name, k) => text(2 + 172 * k, 289, name, "small strong"));
    return [text(2, 270, head, "small"), names, last?.models.map(lines)];
  }

  words({ rows, at, left, letters, scores, bits }) {
    const { texts, models } = this.spec;
    const names = models.map(({ name }) => `the ${name.split(" ")[1]}`);
    const each = (say) => names.map((name, k) => `${name} ${say(k)}`).join(", ");
    if (this.odd) return this.odd;
    if (!at) {
      const which = texts.length > 1 ? `Text ${this.state.text + 1} of ${texts.length}. ` : "";
      const rule = `You have one guess for each of ${letters.length} letters.`;
      return `${which}What comes next? ${rule} Spaces and marks count, capitals don't matter.`;
    }
    if (!left) return `You guessed ${scores[0]} of ${at} letters, ${each((k) => scores[k + 1])}. ` + `In bits per letter, ${each((k) => `${k ? "" : "needs "}${two(bits[k])}`)}.`;
    const { letter, guess, right } = rows.at(-1);
    const verdict = right[0] ? `${capital(spoken(letter))} is right.` : `It was ${spoken(letter)}, not ${spoken(guess)}, and is filled in.`;
    return `${verdict} Right so far: you ${scores[0]} of ${at}, ${each((k) => scores[k + 1])}.`;
  }

  table({ rows }) {
    const names = this.spec.models.map(({ name }) => name.split(" ")[1]);
    const head = names.flatMap((name) => [`guess of the ${name}`, "what it gave the letter"]);
    const row = ({ letter, guess, models }) => [visible(letter), visible(guess), ...models.flatMap(({ likeliest, p }) => [visible(likeliest[0]), percent(p)])];
    return [["letter", "your guess", ...head], ...rows.map(row)];
  }
}
