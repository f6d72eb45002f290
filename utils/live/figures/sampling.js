/* Page 14: which token comes next, by temperature, top-k, nucleus and dice. */
import {
  Figure,
  abs,
  box,
  count,
  drawing,
  floor,
  hatch,
  linear,
  make,
  max,
  min,
  one,
  path,
  rect,
  see,
  set,
  softmax,
  sum,
  text,
  two,
} from "../core.js";
import { many, percent, spoken, visible } from "../writing.js";
import writingCss from "../writing.css";

export default class Sampling extends Figure {
  static style = writingCss;

  static compute(spec, state) {
    const { prompts, letters, logits, temperatures, ks, ps, throws, texts, which } = spec;
    const { prompt, temperature, k, p, dice } = state;
    const row = logits[prompt];
    // From the likeliest down, of equal ones the earlier first; a temperature changes no order.
    const order = count(letters.length).sort((a, b) => row[b] - row[a]);
    const scores = row.map((z) => z / temperature);
    const keep = (tokens) => softmax(scores.map((s, i) => (tokens.includes(i) ? s : -Infinity)));
    const before = softmax(scores);
    const top = order.slice(0, k);
    const chances = keep(top);
    let kept = top;
    if (p < 1) {
      // the likeliest, until their sum is p; what is missing by rounding doesn't count
      let total = 0;
      kept = top.filter((i) => [total < p - 1e-9, (total += chances[i])][0]);
    }
    const left = keep(kept);
    const entropy = sum(left.map((a) => (a ? -a * Math.log2(a) : 0)));
    const dials = [
      [temperatures, temperature],
      [ks, k],
      [ps, p],
    ];
    const place = dials.reduce(
      (at, [stops, stop]) => at * stops.length + stops.indexOf(stop),
      prompt,
    );
    const text = texts[which[place * throws + dice]];
    return { order, before, left, kept, top: top.length, entropy, prompt: prompts[prompt], text };
  }

  build() {
    const { prompts, letters, temperatures, temperature, ks, ps, throws, texts, which } = this.spec;
    const V = letters.length;
    const n = min(V, 12);
    const rows = count(n + (V > n));
    const end = 26 + 22 * rows.length;
    this.y = (k) => 26 + 22 * k;
    const select = make(
      "select",
      {},
      prompts.map((each, i) => make("option", { value: i }, each.replace(/\n/g, "¶"))),
    );
    set(select, { onchange: () => this.change("prompt", +select.value) });
    const show = () => (select.value = this.state.prompt);
    Object.assign(this.state, { prompt: 0, dice: 0 });
    const all = (end) => (value) => (value === end ? "all" : String(value));
    this.names = rows.map((k) => text(66, this.y(k) + 14, "", `small end${k < n ? " mono" : ""}`));
    this.bars = rows.map((k) => rect("cell", 74, this.y(k) + 1, 0, 16));
    this.ghosts = rows.map((k) => rect("ghost", 74, this.y(k) + 1, 0, 16));
    this.gone = rows.map(() => path("hatch"));
    this.shares = rows.map((k) => text(0, this.y(k) + 14, "", "small"));
    this.count = text(2, 14, "", "strong");
    this.entropy = text(338, 14, "", "strong end");
    this.written = make("div");
    this.say = make("p", { class: "say", "aria-live": "polite" });
    // Each text that can come takes its room, and none is seen.
    const promptOf = (i) => prompts[floor((i * prompts.length) / which.length)];
    const longest = [...new Set(which.map((text, i) => promptOf(i) + texts[text]))];
    const rooms = longest.map((each) =>
      make("div", { class: "room", "aria-hidden": "true" }, each),
    );
    const roll = () => this.change("dice", (this.state.dice + 1) % throws);
    const legend = "dashed: before top-k and nucleus; hatched: removed";
    return [
      box(
        "controls",
        prompts.length > 1 ? this.control("prompt", "prompt", 0, select, show) : null,
        this.slider("temperature", "temperature", temperatures, temperature),
        this.slider("k", "top-k", ks, V, all(V)),
        this.slider("p", "nucleus p", ps, 1, all(1)),
      ),
      box(
        "panels",
        drawing(
          340,
          end + 20,
          "Probabilities of the likeliest next tokens",
          this.count,
          this.entropy,
          this.names,
          this.bars,
          this.ghosts,
          this.gone,
          this.shares,
          text(2, end + 14, legend, "small muted"),
        ),
        box(
          "side",
          make("p", { class: "said" }, "What it writes with these settings"),
          box("written", rooms, this.written),
          throws > 1 ? box("controls ask", this.button("throw the dice again", roll)) : null,
          this.say,
        ),
      ),
    ];
  }

  paint({ order, before, left, kept, entropy, prompt, text: written }) {
    const { letters } = this.spec;
    const V = letters.length;
    const n = min(V, 12);
    const x = linear(0, 1, 0, 214);
    this.names.forEach((name, k) => {
      const rest = k < n ? [order[k]] : order.slice(n);
      const has = rest.some((i) => kept.includes(i));
      const [was, is] = [before, left].map((of) => sum(rest.map((i) => of[i])));
      const width = 1 + x(was);
      const now = 1 + x(is);
      const strokes = hatch(74, this.y(k) + 1, +one(width), 16).getAttribute("d");
      name.textContent = k < n ? visible(letters[rest[0]]) : many(rest.length, "other");
      see(set(this.bars[k], { width: one(now) }), has);
      see(set(this.ghosts[k], { width: one(width) }), has && abs(is - was) > 0.002);
      see(set(this.gone[k], { d: strokes }), !has);
      set(this.shares[k], { x: one(80 + max(width, now)) }).textContent = has ? percent(is) : "";
    });
    this.count.textContent = `${kept.length} of ${V} tokens left`;
    this.entropy.textContent = `entropy ${two(entropy)} bits`;
    this.written.replaceChildren(make("span", { class: "given" }, prompt), written);
  }

  words({ order, kept, top, entropy, text: written }) {
    const { temperature, dice } = this.state;
    const { letters, throws } = this.spec;
    const V = letters.length;
    const n = kept.length;
    const nucleus = n < top ? `, and the nucleus ${n} of those` : "";
    const filters =
      top < V
        ? `top-k leaves ${top} of ${V} tokens${nucleus}`
        : n < V
          ? `the nucleus leaves ${n} of ${V} tokens`
          : `all ${V} tokens are left`;
    const end =
      n > 1
        ? `, with an entropy of ${two(entropy)} bits.`
        : `: ${spoken(letters[order[0]])} always comes next.`;
    const thrown = throws > 1 ? `Throw ${dice + 1} of ${throws}` : "It";
    const begun = visible(written.slice(0, 12)).replace(/␣/g, " ");
    return `At temperature ${temperature}, ${filters}${end} ${thrown} writes “${begun}…”.`;
  }

  table({ order, before, left, kept }) {
    const { letters, logits } = this.spec;
    const row = logits[this.state.prompt];
    const shown = order.slice(0, 12).map((i) => {
      const after = kept.includes(i) ? percent(left[i]) : "removed";
      return [visible(letters[i]), two(row[i]), percent(before[i]), after];
    });
    return [["token", "logit", "before the filters", "after"], ...shown];
  }
}
