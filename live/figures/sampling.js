/* A trained letter model writes, letter by letter: what may come next, and which a random number picks. Of the page:
begin, what it writes on from; temperatures, ks, ps, the stops of the sliders, ascending, where the last
of ks is the number of letters and that of ps is 1, which keep all; bits, what the model needs for each
letter of a new chapter. Its weights are in data/letters.json. */
import { calm, Figure } from "../core.js";
import { box, drawing, h, hatch, legend, make, path, rect, set, text } from "../drawing.js";
import { abs, clamp, count, linear, max, remembered, softmax, sum, two } from "../numbers.js";
import { letterModel } from "../letters.js";
import { percent, spoken, visible } from "../writing.js";
import writingCss from "../writing.css";
import samplingCss from "./sampling.css";

const MOST = 200; // letters that are written
const READ = 64; // letters of a beginning, as many as the model reads
const SETTLED = 700; // ms from a change until it writes anew
const FOLLOWED = 12; // letters at a pace at which the bars can be followed
const RARE = -Math.log2(0.05); // bits of a letter that is marked
const ROWS = 10; // letters that have a bar of their own
const X = 90; // where bars begin

/* A number from 0 to 1 for the letter number i, the same wherever the seed is (mulberry32). */
function uniform(seed, i) {
  let t = (Math.imul(seed + 1, 2654435761) + Math.imul(i + 1, 1831565813)) | 0;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

/* What is left of logits, from the likeliest down, of equal ones the earlier first. */
function filtered(logits, { temperature, k, p }) {
  const order = count(logits.length).sort((a, b) => logits[b] - logits[a]);
  const scores = logits.map((z) => z / temperature);
  const keep = (tokens) => {
    const chances = softmax(tokens.map((i) => scores[i]));
    const all = count(logits.length).map(() => 0);
    tokens.forEach((i, j) => (all[i] = chances[j]));
    return all;
  };
  const top = order.slice(0, k);
  const chances = keep(top);
  let total = 0; // of the likeliest, until it is p
  const kept = p < 1 ? top.filter((i) => [total < p, (total += chances[i])][0]) : top;
  return { order, kept, before: keep(order), left: keep(kept) };
}

/* The letter that a random number u picks, if the likeliest come first. */
function drawn({ kept, left }, u) {
  let total = 0;
  return kept.find((i) => (total += left[i]) > u) ?? kept.at(-1);
}

/* What the model writes, kept for each setting, with the letter behind each part of the text, and its bits. */
const begun = remembered((begin) => {
  const model = letterModel();
  return { ...model.begin(model.spell(begin)[0]), next: [], costs: [] };
});

/* The same, as far as it is asked for. */
function textOf({ begin, temperature, k, p, seed }, length) {
  const model = letterModel();
  const run = begun(begin, temperature, k, p, seed);
  for (let i = run.next.length; i <= length; i++) {
    if (i) model.add(run, run.next[i - 1]);
    const logits = run.logits[i];
    const token = drawn(filtered(logits, { temperature, k, p }), uniform(seed, i));
    run.next.push(token);
    run.costs.push(Math.log2(sum(logits.map((z) => Math.exp(z - logits[token])))));
  }
  return run;
}

const candidates = (kept) => {
  const all = letterModel().letters.length;
  return _`${kept.length < all ? _`${kept.length} of` : _`all`} ${all} letters`;
};
const inLine = (signs) => signs.replace(/\n/g, "¶");

/* Where the letter stands that has the bars. */
const behind = (begin) =>
  begin ? _`after “${begin.length > 12 ? "…" : ""}${inLine(begin.slice(-12))}”` : _`at the start of a paragraph`;

export default class Sampling extends Figure {
  static takes = "begin temperatures ks ps bits";
  static title = _`A random number picks the next letter`;
  static hint = _`write at the lowest temperature, then at the highest. Can top-k or top-p alone make that readable again?`;
  static style = writingCss + samplingCss;
  static data = "letters";

  static compute({ temperatures, ks, ps }, state) {
    const { begin, temperature, k, p, seed, length } = state;
    const listed = temperatures.includes(temperature) && ks.includes(k) && ps.includes(p);
    const whole = Number.isInteger(seed) && count(MOST + 1).includes(length);
    if (!listed || !whole || [...begin].length > READ) throw new RangeError("a state that no control can set");
    const { letters } = letterModel();
    const run = textOf(state, length);
    const found = filtered([...run.logits[length]], state); // behind all that is written
    const known = letterModel().spell(begin)[0].join(""); // without what the book doesn't have
    const text = run.next.slice(0, length).map((token) => letters[token]);
    const entropy = sum(found.left.map((a) => (a ? -a * Math.log2(a) : 0)));
    const costs = run.costs.slice(0, length);
    return { begin: known, text, costs, next: run.next[length], u: uniform(seed, length), entropy, ...found };
  }

  controls() {
    const { begin, temperatures, ks, ps } = this.spec;
    const nearest = temperatures.reduce((a, b) => (abs(b - 1) < abs(a - 1) ? b : a));
    const all = (end) => (value) => (value === end ? _`all` : String(value));
    Object.assign(this.state, { seed: 0, length: 64 });
    const entry = this.entry("begin", _`beginning`, begin);
    const onkeydown = (event) => {
      event.stopPropagation(); // "/" would search the book
      if (event.key === "Enter") this.write();
    };
    set(entry.querySelector("input"), { maxlength: READ, autocapitalize: "none", autocomplete: "off", onkeydown });
    this.pen = this.button(_`Write`, () => (this.clock ? this.stop() : this.write()), { class: "play" });
    const again = this.button(_`Another seed`, () => this.change("seed", (this.state.seed + 1) % 1000));
    const row = make("div", { class: "controls" }, entry, again);
    return [
      this.together(this.slider("temperature", _`temperature`, temperatures, nearest), this.pen),
      this.slider("k", _`top-k`, ks, ks.at(-1), all(ks.at(-1))),
      this.slider("p", _`top-p`, ps, 1, all(1)),
      make("details", {}, make("summary", {}, _`Another beginning, another seed`), row),
    ];
  }

  /* Another setting begins anew, so that its bars can be compared, and writes when it has settled. */
  change(name, value) {
    if (name === "begin" || !calm.matches) this.state.length = 0;
    super.change(name, value);
    if (!calm.matches) this.write(SETTLED);
  }

  /* The first letters slowly, the others as fast as one reads. */
  write(wait = 0) {
    this.stop();
    if (calm.matches) return super.change("length", MOST);
    const from = this.state.length % MOST;
    const next = () => {
      const length = (this.state.length + 1) % (MOST + 1);
      super.change("length", length);
      if (length === MOST) this.stop();
      else later(next, length - from < FOLLOWED ? 350 : 90);
    };
    const later = (act, ms) => {
      this.clock = setTimeout(act, ms);
      this.pen.textContent = _`Stop`;
      set(this.say, { "aria-live": "off" });
    };
    later(next, wait);
  }

  play() {
    this.state.length = 0;
    this.write();
  }

  stop() {
    this.clock = clearTimeout(this.clock);
    this.pen.textContent = _`Write`;
    set(this.say, { "aria-live": "polite" });
  }

  view(found) {
    const below = _`Coloured: the model gave this letter less than 5 %. ¶ ends a paragraph, ␣ is a space.`;
    return box("panels", box("side", this.written(found), legend(below), this.say), this.bars(found));
  }

  written({ begin, text: signs, costs }) {
    const hot = (cost) => ({ class: "hot", style: `--heat:${clamp(8 * (cost - 2), 18, 60).toFixed()}%` });
    const letters = signs.map((sign, i) => (costs[i] > RARE ? h("span", hot(costs[i]), visible(sign)) : inLine(sign)));
    return h("p", { class: "passage" }, h("span", { class: "given" }, begin), letters, h("span", { class: "caret" }));
  }

  /* Each bar begins where the one above it ends, so that the random number is in exactly one. */
  bars({ begin, text: signs, order, before, left, kept, next, u, entropy }) {
    const { letters } = letterModel();
    const x = linear(0, 1, X, 338);
    const end = 50 + 22 * (ROWS + 1);
    const starts = [0, 0]; // of the next bar, before and after the filters
    const row = (k) => {
      const rest = k < ROWS ? [order[k]] : order.slice(ROWS);
      const [y, has, chosen] = [50 + 22 * k, rest.some((i) => kept.includes(i)), rest.includes(next)];
      const [was, is] = [before, left].map((of, n) => {
        const [from, share] = [starts[n], sum(rest.map((i) => of[i]))];
        starts[n] += share;
        return { share, x: x(from), width: max(x(share) - X, 1) };
      });
      const strong = chosen ? " strong query" : "";
      const name = k < ROWS ? visible(letters[rest[0]]) : chosen ? `…${visible(letters[next])}` : _`rest`;
      return [
        text(26, y + 13, name, `end${k < ROWS ? " mono" : " small"}${strong}`),
        text(X - 6, y + 13, has ? percent(is.share) : "", `small end${strong}`),
        has && rect(chosen ? "bar-query" : "bar-odds", is.x, y, is.width, 17, 2),
        !has && hatch(Math.round(was.x), y, Math.round(was.width), 17),
        has && abs(is.share - was.share) > 0.002 && rect("ghost", was.x, y, was.width, 17, 2),
      ];
    };
    const note = kept.length < letters.length ? _`hatched: removed; dashed: before top-k and top-p` : "";
    return drawing(340, end + 42, _`Probabilities of the most likely next letters, and which the random number picks`, [
      text(2, 14, _`The next letter, ${behind(begin + signs.join(""))}`),
      text(2, 36, _`candidates: ${candidates(kept)}`, "small strong"),
      text(338, 36, _`entropy ${two(entropy)} bits`, "small strong end"),
      count(ROWS + 1).map(row),
      path("line", `M${X - 1} 48V${end}`),
      path("frame", `M${Math.round(x(u))} 44V${end + 6}`),
      text(clamp(x(u), X + 60, 270), end + 20, _`random number ${two(u)}`, "small mid strong query"),
      text(2, end + 38, note, "small muted"),
    ]);
  }

  words({ text: signs, costs, kept, next, u }) {
    const { letters } = letterModel();
    const first = _`At temperature ${this.state.temperature}, the random number ${two(u)} samples ${spoken(letters[next])} from ${candidates(kept)}.`;
    if (!signs.length) return first;
    const bits = two(sum(costs) / signs.length);
    return _`${first} By the model’s own probabilities a letter that it wrote here costs ${bits} bits, and one of a new chapter ${two(this.spec.bits)}.`;
  }

  table({ order, before, left, kept }) {
    const { letters } = letterModel();
    const after = (i) => (kept.includes(i) ? percent(left[i]) : _`removed`);
    const rows = order.slice(0, 12).map((i) => [visible(letters[i]), percent(before[i]), after(i)]);
    return [[_`letter`, _`before the filters`, _`after`], ...rows];
  }
}
