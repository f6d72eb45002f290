/* Page 14, Shannon's game. */
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

export default class Guess extends Figure {
  static style = writingCss;

  build() {
    const { text: passage, start, name } = this.spec,
      all = [...passage];
    this.hidden = all.slice(start);
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
      onkeydown: (event) => event.stopPropagation(),
    }); // "/" would search the book
    const stay = { onmousedown: (event) => event.preventDefault() }; // the keyboard of a phone stays open
    this.inputs = [
      this.input,
      set(
        this.button("space", () => this.judge(" ")),
        stay,
      ),
      set(
        this.button("tell me", () => this.judge(null)),
        stay,
      ),
    ];
    [this.found, this.rest] = [make("span"), make("span", { class: "rest" })];
    this.wrong = box("wrong");
    this.say = make("p", { class: "say", "aria-live": "polite" });
    const y = (k) => 40 + 26 * k + 14 * (k > 4); // the sixth is for a character behind the first five
    const rows = count(6);
    this.frame = rect("frame", 1, 0, 338, 26, 5);
    this.names = rows.map((k) => text(22, y(k) + 15, "", "mid mono"));
    this.bars = rows.map((k) => rect("bar-odds", 42, y(k) + 2, 0, 16));
    this.shares = rows.map((k) => text(0, y(k) + 15, "", "small"));
    this.came = text(332, 0, "came next", "small end strong");
    this.dots = text(22, y(4) + 34, "⋮", "mid muted");
    this.y = y;
    [this.head, this.after, this.rank] = [
      ["", 12],
      ["small muted", 30],
      ["strong", 228],
    ].map(([kind, y]) => text(2, y, "", kind));
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
          make(
            "p",
            { class: "passage" },
            make("span", { class: "given" }, all.slice(0, start).join("")),
            this.found,
            make("span", { class: "caret" }),
            this.rest,
          ),
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

  ended(tries, i) {
    return tries.length > 0 && [null, this.hidden[i]].includes(tries.at(-1));
  }

  /* A guess, or null for who wants to be told. Either case of a letter is right. */
  judge(character) {
    const at = this.state.tries.filter((each, i) => this.ended(each, i)).length,
      truth = this.hidden[at];
    if (truth === undefined) return;
    const tried = this.state.tries[at] ?? [],
      told = character === null;
    const odd =
      !told && (!this.known(character) || tried.some((each) => plain(each) === plain(character)));
    if (odd) return this.change("odd", character);
    const now = [...tried, !told && plain(character) === plain(truth) ? truth : character];
    this.state.odd = "";
    this.change("tries", [...this.state.tries.slice(0, at), now]);
  }

  compute() {
    const { tries } = this.state,
      { steps } = this.spec;
    const rows = tries
      .filter((each, i) => this.ended(each, i))
      .map((tries, i) => ({
        character: this.hidden[i],
        tries,
        told: tries.at(-1) === null,
        first: tries[0] === this.hidden[i],
        ...steps[i],
      }));
    const at = rows.length;
    return {
      at,
      rows,
      wrong: tries[at] ?? [],
      left: this.hidden.length - at,
      yours: rows.filter(({ first }) => first).length,
      theirs: rows.filter(({ rank }) => rank === 1).length,
      bits: at ? sum(rows.map(({ p }) => -Math.log2(p))) / at : 0,
    };
  }

  paint({ at, rows, wrong, left }) {
    const { name, text: passage, start } = this.spec,
      last = rows.at(-1);
    this.found.replaceChildren(
      ...rows.map(({ character, first }) =>
        make("span", { class: first ? null : "missed" }, character),
      ),
    );
    this.rest.textContent = this.hidden.slice(at).join("");
    this.wrong.replaceChildren(
      ...(wrong.length ? ["not", ...wrong.map((each) => make("s", {}, visible(each)))] : []),
    );
    for (const each of this.inputs) set(each, { "aria-disabled": left ? null : "true" });
    set(this.input, { readonly: left ? null : "" });
    const seen = last
      ? [...last.top, ...(last.rank > last.top.length ? [[last.character, last.p]] : [])]
      : [];
    const place = seen.findIndex(([character]) => character === last.character);
    this.names.forEach((label, k) => {
      const [character, p] = seen[k] ?? ["", 0],
        ghost = !last && k < 5;
      const row = k >= (last?.top.length ?? 5) ? 5 : k; // what is behind them stands apart
      const width = ghost ? 60 : 1 + 160 * p;
      label.textContent = visible(character);
      set(label, { y: this.y(row) + 15, class: `mid mono${k === place ? " strong" : ""}` });
      see(
        set(this.bars[k], {
          y: this.y(row) + 2,
          width: one(width),
          class: ghost ? "ghost" : k === place ? "cell" : "bar-odds",
        }),
        ghost || character,
      );
      set(this.shares[k], { x: one(48 + width), y: this.y(row) + 15 }).textContent = character
        ? percent(p)
        : "";
      if (k === place)
        for (const [each, down] of [
          [this.frame, -3],
          [this.came, 15],
        ])
          set(each, { y: this.y(row) + down });
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
    const { name } = this.spec,
      { odd } = this.state,
      last = rows.at(-1);
    const score = at
      ? ` You needed 1 guess for ${yours} of ${many(at, "character")}, ${name} for ${theirs}.`
      : "";
    if (odd)
      return `${capital(spoken(odd))} ${this.known(odd) ? "has been tried here" : "isn't a character of these texts"}, so it doesn't count.${score}`;
    if (wrong.length) return `Not ${spoken(wrong.at(-1))}. Try again, or press “tell me”.${score}`;
    if (!at)
      return `${many(left, "character")} are hidden. What comes next? Type it, and capitals don't matter.`;
    const rank = `guess number ${last.rank} of ${name}`,
      tries = last.tries.length;
    const said = last.told
      ? `It was ${spoken(last.character)}, ${rank}.`
      : `${capital(spoken(last.character))} is right, ` +
        `${tries > 1 ? `after ${tries} guesses` : "at once"}; it was ${rank}.`;
    return left
      ? said + score
      : `That was all.${score} The loss of ${name} is ${two(bits)} bits per character here.`;
  }

  table({ rows }) {
    const { name } = this.spec,
      say = (each) => (each === null ? "told" : visible(each));
    return [
      ["character", "your guesses", `rank for ${name}`, "its probability"],
      ...rows.map(({ character, tries, rank, p }) => [
        visible(character),
        tries.map(say).join(" "),
        rank,
        percent(p),
      ]),
    ];
  }
}
