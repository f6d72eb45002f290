/* Shannon's game, the reader against the models, one guess for each letter of a text. */
import { Figure, box, count, drawing, make, one, rect, see, set, sum, text, two } from "../core.js";
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
const [ORIGIN, SPACING] = [76, 6.55]; // of the letters and the bars, in the drawing

export default class Guess extends Figure {
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

  build() {
    const { texts, models } = this.spec;
    const long = [...texts[0].hidden].length;
    this.show.guesses = () => (this.odd = null);
    this.names = ["you", ...models.map(({ name }) => name.split(" ")[1])];
    Object.assign(this.state, { text: 0, guesses: "" });
    const typed = (event) => {
      const sign = [...this.input.value].at(-1);
      if (event.isComposing && !this.known(sign)) return; // an accent that waits for its letter
      this.input.value = "";
      if (sign) this.judge(sign);
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
    // Who types may press a key of the figure as well, and goes on typing.
    const stay = (event) => event.preventDefault();
    const key = (sign, name) =>
      make(
        "button",
        {
          type: "button",
          class: `letter${name ? " wide" : ""}`,
          tabindex: -1,
          "aria-label": spoken(sign),
          onmousedown: stay,
          onclick: () => this.judge(sign),
        },
        name ?? sign,
      );
    this.copy = this.button("Copy this score", () => this.send());
    const other = this.button("Another text", () => {
      this.odd = null;
      this.state.guesses = "";
      this.change("text", (this.state.text + 1) % texts.length);
      this.listen();
    });
    this.given = make("span", { class: "given" });
    this.found = make("span");
    this.rest = make("span", { class: "rest" });
    this.say = make("p", { class: "say", "aria-live": "polite" });

    // Right so far, and where.
    const rows = count(this.names.length);
    const x = (i) => ORIGIN + SPACING * i;
    const bar = (k) => 22 + 24 * k;
    const end = bar(rows.length);
    const row = (k) => end + 30 + 14 * k;
    this.bars = rows.map((k) => rect(k ? "bar-odds" : "bar-query", ORIGIN, bar(k), 0, 16));
    this.scores = rows.map((k) => text(0, bar(k) + 13, "", "strong"));
    this.signs = count(long).map((i) => text(x(i + 0.5), end + 22, "", "mid mono tiny"));
    this.cells = rows.map((k) => count(long).map((i) => rect(k ? "bar-odds" : "bar-query", x(i) + 0.5, row(k), 5.7, 10, 1)));
    this.stubs = rows.map((k) => count(long).map((i) => rect("rim", x(i) + 1.5, row(k) + 8, 3.7, 2, 0)));
    const label = (at) => (name, k) => text(ORIGIN - 6, at(k), name, "small end");

    // What the models expected where the last letter came; the fourth is for what came.
    const top = row(rows.length) + 26;
    this.head = text(2, top, "", "small");
    const half = (k) => 2 + 172 * k;
    const line = (j) => top + 28 + 21 * j;
    this.expected = models.map((_, k) =>
      count(4).map((j) => ({
        sign: text(half(k) + 8, line(j) + 12, "", "mid mono"),
        bar: rect("bar-odds", half(k) + 20, line(j), 0, 15),
        share: text(0, line(j) + 12, "", "small"),
        x: half(k) + 20,
      })),
    );
    this.frames = models.map((_, k) => rect("frame", half(k) - 1, 0, 166, 21, 4));
    const caret = make("span", { class: "caret" });
    return [
      box(
        "panels",
        box(
          "side",
          make("p", { class: "passage", onclick: () => this.listen() }, this.given, this.found, caret, this.rest),
          box("controls typing", make("label", {}, make("span", {}, "your guess"), this.input)),
          box(
            "letters",
            [...KEYS].map((sign) => key(sign)),
            key(" ", "space"),
          ),
          this.say,
          box("controls texts", other, this.copy),
        ),
        drawing(
          340,
          line(4) + 4,
          "Who guessed how many letters right, which ones, and what the models expected",
          text(2, 13, "right so far", "small muted"),
          text(x(long), 13, `of ${long}`, "small muted end"),
          rows.map((k) => rect("rim", ORIGIN, bar(k), SPACING * long, 16)),
          this.bars,
          this.scores,
          this.names.map(label((k) => bar(k) + 13)),
          this.signs,
          this.cells,
          this.stubs,
          this.names.map(label((k) => row(k) + 9)),
          this.head,
          this.frames,
          models.map((_, k) => text(half(k), top + 19, this.names[k + 1], "small strong")),
          this.expected.flat().map(({ sign, bar, share }) => [sign, bar, share]),
        ),
      ),
    ];
  }

  /* Who has a mouse can type on; on a phone the keyboard would cover the figure. */
  listen() {
    if (matchMedia("(pointer: fine)").matches) this.input.focus({ preventScroll: true });
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
    const { name } = this.say.getRootNode().host;
    const text = texts.length > 1 ? `&text=${this.state.text}` : "";
    return `${line} ${location.href.split("#")[0]}#figure=${name}${text}`;
  }

  async send() {
    const line = this.score();
    try {
      await navigator.clipboard.writeText(line);
      this.copy.textContent = "Copied";
    } catch {
      this.say.textContent = line; // to be copied by hand
    }
    setTimeout(() => (this.copy.textContent = "Copy this score"), 2500);
  }

  paint({ given, letters, rows, at, left, scores }) {
    const last = rows.at(-1);
    this.given.textContent = given;
    this.found.textContent = letters.slice(0, at).join("");
    this.rest.textContent = letters.slice(at).join("");
    set(this.input, { readonly: left ? null : "", "aria-disabled": left ? null : "true" });
    this.copy.style.visibility = left ? "hidden" : "visible";
    scores.forEach((score, k) => {
      set(this.bars[k], { width: one(SPACING * score) });
      const inside = score > 0.85 * letters.length; // where there is no room behind the bar
      const x = ORIGIN + SPACING * score + (inside ? -5 : 5);
      set(this.scores[k], { x: one(x), class: `strong${inside ? " end on" : ""}` });
      this.scores[k].textContent = score;
      letters.forEach((_, i) => {
        see(this.cells[k][i], rows[i]?.right[k]);
        see(this.stubs[k][i], rows[i] && !rows[i].right[k]);
      });
    });
    this.signs.forEach((sign, i) => (sign.textContent = i < at ? visible(letters[i]) : ""));
    this.head.textContent = last ? `What they expected where ${spoken(last.letter)} came` : "What they expected is shown after your guess";
    this.expected.forEach((lines, k) => {
      const { likeliest = [], shares = [], p } = last?.models[k] ?? {};
      const place = likeliest.indexOf(last?.letter);
      const shown = place < 0 && last ? [...likeliest, last.letter] : likeliest;
      lines.forEach(({ sign, bar, share, x }, j) => {
        const part = j < shares.length ? shares[j] / 100 : (p ?? 0);
        const came = last && shown[j] === last.letter;
        sign.textContent = visible(shown[j] ?? "");
        set(sign, { class: `mid mono${came ? " strong" : ""}` });
        see(set(bar, { width: one(1 + 90 * part), class: came ? "cell" : "bar-odds" }), shown[j]);
        set(share, { x: one(x + 97 * part + 6) }).textContent = shown[j] ? percent(part) : "";
        if (came) set(this.frames[k], { y: +bar.getAttribute("y") - 3 });
      });
      see(this.frames[k], last);
    });
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
