/* Shannon's game, the reader against the models, one guess for each letter of a text; the models play the first
letters alone. guess.py says what the page gives. The second word of a model's name is its name here. */
import { Figure } from "../core.js";
import { box, drawing, h, rect, tap, text } from "../drawing.js";
import { count, floor } from "../numbers.js";
import { capital, percent, spoken, visible } from "../writing.js";
import writingCss from "../writing.css";
import guessCss from "./guess.css";

/* Neither capitals nor the form of a quotation mark matter. */
const mark = (sign) => sign.replace(/[‘’\u0060]/, "'").replace(/[“”]/, '"');
const plain = (sign) => mark(sign.toLowerCase());
const same = (a, b) => plain(a) === plain(b);

const LEAD = 8; // letters that the models guess alone
const KEYS = "qwertyuiopasdfghjkl'zxcvbnm,.!-:;?() ";
const [LEFT, WIDE] = [86, 252]; // of the strips, in the drawing
const kindOf = (k) => (k ? "bar-odds" : "full"); // the first is the reader

export default class Guess extends Figure {
  static title = _`Do you guess the next letter as well as a Transformer?`;
  static hint = _`guess a whole text against a Transformer and a table that counts which letter came next. At which letters of a word are they right, and where are you?`;
  static style = writingCss + guessCss;

  static compute({ texts, models }, { text, read, guesses }) {
    const { given, hidden } = texts[text];
    const [letters, mine] = [[...hidden], [...guesses]];
    const rows = letters.slice(0, read + mine.length).map((letter, i) => {
      const guess = mine[i - read]; // none at the letters that are only read
      const found = models.map(({ steps }) => {
        const [likeliest, ...shares] = steps[text][i];
        return { likeliest: [...likeliest], shares, p: shares.pop() / 100 };
      });
      const right = [same(guess ?? "", letter), ...found.map(({ likeliest }) => same(likeliest[0], letter))];
      return { letter, guess, right, models: found };
    });
    const counted = guesses ? rows.slice(read) : rows;
    const scores = count(1 + models.length).map((k) => counted.filter(({ right }) => right[k]).length);
    return { given, letters, rows, scores, counted: counted.length };
  }

  controls() {
    Object.assign(this.state, { text: 0, guesses: "", read: LEAD });
    this.player("read", count(LEAD + 1), 900); // it begins by itself, and has no button
    this.names = [_`you`, ...this.spec.models.map(({ name }) => name.split(" ")[1])];
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
    const { rows, letters } = this.compute();
    if (this.known(sign) && rows.length < letters.length) this.change("guesses", this.state.guesses + sign);
  }

  another() {
    Object.assign(this.state, { guesses: "", read: LEAD });
    this.change("text", (this.state.text + 1) % this.spec.texts.length);
    this.listen();
  }

  view(numbers) {
    const label = _`What the models expected, and who guessed which letters right`;
    return box("panels", [
      box("side", this.passage(numbers), this.say, this.typing(), this.keys()),
      drawing(340, 282, label, this.expected(numbers), this.strips(numbers)),
    ]);
  }

  passage({ given, letters, rows }) {
    const [found, rest] = [letters.slice(0, rows.length), letters.slice(rows.length)].map((each) => each.join(""));
    const part = (kind, words) => h("span", { class: kind }, words);
    const parts = [part("given", given), found, part("caret"), part("rest", rest)];
    return h("p", { class: "passage", onclick: () => this.listen() }, parts);
  }

  typing() {
    const oninput = (event) => {
      const sign = [...event.target.value].at(-1);
      if (event.isComposing && !this.known(sign)) return; // an accent that waits for its letter
      event.target.value = "";
      if (sign) this.judge(sign);
    };
    const onkeydown = (event) => event.stopPropagation(); // "/" would search the book
    const plain = { autocomplete: "off", autocapitalize: "none", autocorrect: "off", spellcheck: "false" };
    const input = h("input", { type: "text", size: 3, placeholder: "…", ...plain, oninput, onkeydown });
    const another = tap(_`Another text`, () => this.another());
    return box("controls typing", h("label", {}, h("span", {}, _`your guess`), input), another);
  }

  /* Who types may press a key of the figure as well, and goes on typing. */
  keys() {
    const onmousedown = (event) => event.preventDefault();
    const key = (sign) => {
      const [kind, name] = sign === " " ? ["letter wide", _`space`] : ["letter", sign];
      return tap(name, () => this.judge(sign), { class: kind, tabindex: -1, "aria-label": spoken(sign), onmousedown });
    };
    return box("letters", [...KEYS].map(key));
  }

  /* In two lines: who was right has a full cell. */
  strips({ letters, rows }) {
    const columns = Math.ceil(letters.length / 2);
    const wide = WIDE / columns;
    const top = (line) => 158 + 72 * line;
    const cell = (letter, i) => {
      const [x, y, right] = [LEFT + wide * (i % columns), top(floor(i / columns)), rows[i]?.right ?? []];
      const mark = (hit, k) => {
        const top = y + 6 + 15 * k;
        return hit ? rect(kindOf(k), x + 1, top, wide - 2, 10, 1) : rect("rim", x + 2, top + 8, wide - 4, 2, 0);
      };
      const marks = right.map((hit, k) => (k || rows[i].guess) && mark(hit, k));
      return [text(x + wide / 2, y, rows[i] ? visible(letter) : "·", "mid mono"), marks];
    };
    const names = (line) => this.names.map((name, k) => text(LEFT - 6, top(line) + 15 + 15 * k, name, "small end"));
    const both = rows.length > columns;
    return [names(0), both && names(1), letters.slice(0, both ? undefined : columns).map(cell)];
  }

  /* What the models expected where the last letter came, and behind the likeliest what came. */
  expected({ rows }) {
    const last = rows.at(-1);
    const head = last
      ? _`What the models expected where ${spoken(last.letter)} came`
      : _`What the models expect is shown once a letter is read`;
    const lines = ({ likeliest, shares, p }, k) => {
      const shown = likeliest.includes(last.letter) ? likeliest : [...likeliest, last.letter];
      return shown.map((sign, j) => {
        const [x, y, came] = [2 + 172 * k, 46 + 21 * j, sign === last.letter];
        const share = j < shares.length ? shares[j] / 100 : p;
        return [
          came && rect("edge", x - 1, y - 3, 166, 21, 4),
          text(x + 8, y + 12, visible(sign), `mid mono${came ? " strong" : ""}`),
          rect(came ? "full" : "bar-odds", x + 20, y, 1 + 90 * share, 15),
          text(x + 26 + 97 * share, y + 12, percent(share), "small"),
        ];
      });
    };
    const name = ({ name }, k) => text(2 + 172 * k, 37, name.replace(/^an? | with .*/g, ""), "small strong");
    return [text(2, 13, head, "small"), this.spec.models.map(name), last?.models.map(lines)];
  }

  words({ rows, letters, scores, counted }) {
    const { guesses, read } = this.state;
    const theirs = this.spec.models.map(({ name }, k) => _`the ${name.split(" ")[1]} ${scores[k + 1]}`).join(", ");
    if (!guesses) return _`What comes next? Right so far, of ${read} letters: ${theirs}.`;
    if (rows.length === letters.length)
      return _`You guessed ${scores[0]} of ${counted} letters of ${this.spec.book} right, ${theirs}.`;
    const { letter, guess, right } = rows.at(-1);
    const wrong = _`It was ${spoken(letter)}, not ${spoken(guess)}.`;
    const verdict = right[0] ? _`${capital(spoken(letter))} is right.` : wrong;
    return _`${verdict} Right so far: you ${scores[0]} of ${counted}, ${theirs}.`;
  }

  table({ rows }) {
    const columns = ({ name }) => [_`guess of the ${name.split(" ")[1]}`, _`what it gave the letter`];
    const head = this.spec.models.flatMap(columns);
    const said = (models) => models.flatMap(({ likeliest, p }) => [visible(likeliest[0]), percent(p)]);
    const row = ({ letter, guess, models }) => [visible(letter), visible(guess ?? ""), ...said(models)];
    return [[_`letter`, _`your guess`, ...head], ...rows.map(row)];
  }
}
