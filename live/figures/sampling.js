/* The trained letter model writes, by temperature, top-k, nucleus and dice. */
import { Figure, abs, box, count, drawing, hatch, linear, make, max, min, one, path, rect, see, set, softmax, sum, text, two } from "../core.js";
import { letterModel } from "../letters.js";
import { percent, spoken, visible } from "../writing.js";
import writingCss from "../writing.css";
import samplingCss from "./sampling.css";

const MOST = 200; // letters that are written
const REST = 55; // ms between two letters
const RARE = -Math.log2(0.05); // bits of a letter that is marked
const RUN = 8; // letters of what is found again
const ROWS = 10; // letters that have a bar of their own
const X = 46; // where bars begin

const atOnce = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");

/* A number from 0 to 1 for the letter number i, the same wherever the seed is (mulberry32). */
function dice(seed, i) {
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
  let kept = top;
  if (p < 1) {
    // the likeliest, until their sum is p
    let total = 0;
    kept = top.filter((i) => [total < p, (total += chances[i])][0]);
  }
  return { order, kept, top: top.length, before: keep(order), left: keep(kept) };
}

/* The letter on which the dice fall, if the likeliest come first. */
function drawn({ kept, left }, u) {
  let total = 0;
  return kept.find((i) => (total += left[i]) > u) ?? kept.at(-1);
}

/* What the model writes, remembered for each setting and made as far as it is asked for. */
function textOf({ begin, temperature, k, p, seed }, length) {
  const model = letterModel();
  const run = model.once([begin, temperature, k, p, seed], () => ({
    ...model.begin(model.spell(begin)[0]),
    next: [], // the letter behind each part of the text
    costs: [], // its bits, by the model's own probabilities
  }));
  for (let i = run.next.length; i <= length; i++) {
    if (i) model.add(run, run.next[i - 1]);
    const logits = run.logits[i];
    const token = drawn(filtered(logits, { temperature, k, p }), dice(seed, i));
    run.next.push(token);
    run.costs.push(Math.log2(sum(logits.map((z) => Math.exp(z - logits[token])))));
  }
  return run;
}

const inLine = (signs) => signs.replace(/\n/g, "¶");

/* Where the letter stands that has the bars. */
const behind = (begin) => (begin ? `after “${begin.length > 24 ? "…" : ""}${inLine(begin.slice(-24))}”` : "at the start of a paragraph");

/* The run of letters that comes most often, and how often. */
function repeated(text) {
  const times = new Map();
  for (let i = 0; i + RUN <= text.length; i++) {
    const run = text.slice(i, i + RUN);
    times.set(run, (times.get(run) ?? 0) + 1);
  }
  return [...times].reduce((most, each) => (each[1] > most[1] ? each : most), ["", 0]);
}

export default class Sampling extends Figure {
  static style = writingCss + samplingCss;
  static data = "letters";

  static compute({ temperatures, ks, ps, longest }, state) {
    const { begin, temperature, k, p, seed, length } = state;
    const known = temperatures.includes(temperature) && ks.includes(k) && ps.includes(p);
    const whole = Number.isInteger(seed) && count(MOST + 1).includes(length);
    if (!known || !whole || [...begin].length > longest) throw new RangeError("a state that no control can set");
    const { letters } = letterModel();
    const [signs, odd] = letterModel().spell(begin);
    const run = textOf(state, length);
    const found = filtered([...run.logits[0]], state); // behind the beginning, at every setting
    return {
      begin: signs.join(""),
      odd,
      text: run.next.slice(0, length).map((token) => letters[token]),
      costs: run.costs.slice(0, length),
      next: run.next[0],
      entropy: sum(found.left.map((a) => (a ? -a * Math.log2(a) : 0))),
      ...found,
    };
  }

  build() {
    const { begin, temperatures, temperature, ks, ps, longest } = this.spec;
    const V = letterModel().letters.length;
    const rows = count(ROWS + 1);
    const end = 48 + 22 * rows.length;
    this.y = (row) => 48 + 22 * row;
    Object.assign(this.state, { seed: 0, length: 64 });
    const input = make("input", {
      type: "text",
      maxlength: longest,
      autocapitalize: "none",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.change("begin", input.value),
      onkeydown: (event) => {
        event.stopPropagation(); // "/" would search the book
        if (event.key === "Enter" && !this.writing) this.write();
      },
    });
    const show = () => input.value !== this.state.begin && (input.value = this.state.begin);
    const all = (end) => (value) => (value === end ? "all" : String(value));
    this.names = rows.map((k) => text(38, this.y(k) + 14, "", `small end${k < ROWS ? " mono" : ""}`));
    this.bars = rows.map((k) => rect("cell", X, this.y(k) + 1, 0, 16));
    this.ghosts = rows.map((k) => rect("ghost", X, this.y(k) + 1, 0, 16));
    this.gone = rows.map(() => path("hatch"));
    this.shares = rows.map((k) => text(0, this.y(k) + 14, "", "small"));
    this.frame = rect("frame", 1, 0, 338, 22, 5);
    this.after = text(2, 14, "");
    this.count = text(2, 36, "", "strong");
    this.entropy = text(338, 36, "", "strong end");
    this.text = make("p", { class: "written" });
    this.verdict = make("p", { class: "say", "aria-hidden": "true" }); // of now, at every letter
    this.say = make("p", { class: "aloud", "aria-live": "polite" });
    this.pen = this.button("Write", () => (this.writing ? this.stop() : this.write()));
    const roll = () => this.change("seed", (this.state.seed + 1) % 1000);
    return [
      box("controls opening", this.control("begin", "beginning", begin, input, show)),
      box(
        "controls dials",
        this.slider("temperature", "temperature", temperatures, temperature),
        this.slider("k", "top-k", ks, V, all(V)),
        this.slider("p", "nucleus p", ps, 1, all(1)),
      ),
      box(
        "panels",
        box(
          "side",
          box("controls pens", this.pen, this.button("Other dice", roll)),
          this.text,
          make("p", { class: "legend" }, "Dotted: the model gave this letter less than 5 %. ¶ ends a paragraph, ␣ is a space."),
          this.verdict,
          this.say,
        ),
        drawing(
          340,
          end + 34,
          "Probabilities of the likeliest letters behind the beginning",
          this.after,
          this.count,
          this.entropy,
          this.names,
          this.bars,
          this.ghosts,
          this.gone,
          this.shares,
          this.frame,
          text(2, end + 12, "framed: what the dice chose", "small muted"),
          text(2, end + 28, "hatched: removed; dashed: before top-k and nucleus", "small muted"),
        ),
      ),
    ];
  }

  /* Another setting writes the text anew, as far as it was; another beginning waits to be asked. */
  change(name, value) {
    if (name === "begin") {
      this.stop();
      this.state.length = 0;
    } else if (!atOnce.matches) {
      this.known = max(this.known ?? 0, this.state.length);
      this.state.length = 0;
      this.clock ??= setTimeout(() => this.grow());
    }
    super.change(name, value);
  }

  write() {
    if (this.state.length === MOST) this.state.length = 0;
    if (atOnce.matches) return super.change("length", MOST);
    this.writing = true;
    this.pen.textContent = "Stop";
    this.clock ??= setTimeout(() => this.grow());
  }

  /* What was there before comes back as fast as frames have time for it, the rest at its pace. */
  grow() {
    const begun = performance.now();
    let { length } = this.state;
    do textOf(this.state, ++length);
    while (length < this.known && performance.now() - begun < 8);
    super.change("length", length);
    const goal = this.writing ? MOST : this.known;
    if (length >= goal) return this.stop();
    this.clock = setTimeout(() => this.grow(), length < this.known ? 0 : REST);
  }

  stop() {
    this.clock = clearTimeout(this.clock);
    this.writing = false;
    this.known = 0;
    this.pen.textContent = "Write";
  }

  paint(found) {
    const { begin, text: signs, costs, order, before, left, kept, next, entropy } = found;
    const { letters } = letterModel();
    const x = linear(0, 1, 0, 244);
    this.names.forEach((name, k) => {
      const rest = k < ROWS ? [order[k]] : order.slice(ROWS);
      const has = rest.some((i) => kept.includes(i));
      const [was, is] = [before, left].map((of) => sum(rest.map((i) => of[i])));
      const width = 1 + x(was);
      const now = 1 + x(is);
      const strokes = hatch(X, this.y(k) + 1, +one(width), 16).getAttribute("d");
      name.textContent = k < ROWS ? visible(letters[rest[0]]) : "rest";
      see(set(this.bars[k], { width: one(now) }), has);
      see(set(this.ghosts[k], { width: one(width) }), has && abs(is - was) > 0.002);
      see(set(this.gone[k], { d: strokes }), !has);
      set(this.shares[k], { x: one(X + 6 + max(width, now)) }).textContent = has ? percent(is) : "";
    });
    set(this.frame, { y: this.y(min(order.indexOf(next), ROWS)) - 2 });
    this.verdict.textContent = this.words(found);
    this.after.textContent = `The letter ${behind(begin)}`;
    this.count.textContent = `${kept.length} of ${letters.length} letters left`;
    this.entropy.textContent = `entropy ${two(entropy)} bits`;
    this.text.replaceChildren(
      make("span", { class: "given" }, begin),
      ...signs.map((sign, i) => (costs[i] > RARE ? make("span", { class: "missed" }, visible(sign)) : inLine(sign))),
    );
  }

  words({ begin, odd, text: signs, costs, order, kept, top, entropy }) {
    const { temperature } = this.state;
    const { letters } = letterModel();
    const V = letters.length;
    const n = kept.length;
    const nucleus = n < top ? `, and the nucleus ${n} of those` : "";
    const filters = top < V ? `top-k leaves ${top} of ${V} letters${nucleus}` : n < V ? `the nucleus leaves ${n} of ${V} letters` : `all ${V} letters are left`;
    const end = n > 1 ? ` ${behind(begin)}, with an entropy of ${two(entropy)} bits.` : ` ${behind(begin)}: ${spoken(letters[order[0]])}.`;
    const left = odd.length > 1 ? "these are" : "it is";
    const unknown = odd.length ? `The book that it learned from has no ${odd.map(spoken).join(", ")}, so ${left} left out. ` : "";
    const [run, times] = repeated(signs.join(""));
    const loop = times > 2 ? ` It repeats itself: “${inLine(run)}” comes ${times} times.` : "";
    const bits = two(sum(costs) / signs.length);
    const cost = signs.length ? ` It needs ${bits} bits for each letter that it wrote, and ${two(this.spec.bits)} for those ` + "of a new chapter." : "";
    return `${unknown}At temperature ${temperature}, ${filters}${end}${loop}${cost}`;
  }

  table({ order, before, left, kept }) {
    const { letters } = letterModel();
    const shown = order.slice(0, 12).map((i) => {
      const after = kept.includes(i) ? percent(left[i]) : "removed";
      return [visible(letters[i]), percent(before[i]), after];
    });
    return [["letter", "before the filters", "after"], ...shown];
  }
}
