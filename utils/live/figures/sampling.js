/* Page 14, which token comes next. */
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

  build() {
    const { prompts, letters, logits, temperatures, temperature, ks, ps, throws, texts, which } =
      this.spec;
    const V = letters.length,
      n = min(V, 12),
      rows = count(n + (V > n)),
      y = (k) => 26 + 22 * k;
    // From the likeliest down, of equal ones the earlier first; a temperature changes no order.
    this.orders = logits.map((row) => count(V).sort((a, b) => row[b] - row[a]));
    const select = make(
      "select",
      {},
      prompts.map((each, i) => make("option", { value: i }, each.replace(/\n/g, "¶"))),
    );
    set(select, { onchange: () => this.change("prompt", +select.value) });
    Object.assign(this.state, { prompt: 0, dice: 0 });
    const all = (end) => (value) => (value === end ? "all" : String(value));
    this.names = rows.map((k) => text(66, y(k) + 14, "", `small end${k < n ? " mono" : ""}`));
    this.bars = rows.map((k) => rect("cell", 74, y(k) + 1, 0, 16));
    this.ghosts = rows.map((k) => rect("ghost", 74, y(k) + 1, 0, 16));
    this.gone = rows.map(() => path("hatch"));
    this.shares = rows.map((k) => text(0, y(k) + 14, "", "small"));
    this.y = y;
    this.count = text(2, 14, "", "strong");
    this.entropy = text(338, 14, "", "strong end");
    this.written = make("div");
    this.say = make("p", { class: "say", "aria-live": "polite" });
    const longest = new Set(
      which.map(
        (text, i) => `${prompts[floor((i * prompts.length) / which.length)]}${texts[text]}`,
      ),
    );
    return [
      box(
        "controls",
        prompts.length > 1
          ? this.control("prompt", "prompt", 0, select, () => (select.value = this.state.prompt))
          : null,
        this.slider("temperature", "temperature", temperatures, temperature),
        this.slider("k", "top-k", ks, V, all(V)),
        this.slider("p", "nucleus p", ps, 1, all(1)),
      ),
      box(
        "panels",
        drawing(
          340,
          y(rows.length) + 20,
          "Probabilities of the likeliest next tokens",
          this.count,
          this.entropy,
          this.names,
          this.bars,
          this.ghosts,
          this.gone,
          this.shares,
          text(
            2,
            y(rows.length) + 14,
            "dashed: before top-k and nucleus; hatched: removed",
            "small muted",
          ),
        ),
        box(
          "side",
          make("p", { class: "said" }, "What it writes with these settings"),
          box(
            "written",
            [...longest].map((each) => make("div", { class: "room", "aria-hidden": "true" }, each)),
            this.written,
          ),
          throws > 1
            ? box(
                "controls ask",
                this.button("throw the dice again", () =>
                  this.change("dice", (this.state.dice + 1) % throws),
                ),
              )
            : null,
          this.say,
        ),
      ),
    ];
  }

  compute() {
    const { prompts, letters, logits, temperatures, ks, ps, throws, texts, which } = this.spec;
    const { prompt, temperature, k, p, dice } = this.state,
      V = letters.length;
    const order = this.orders[prompt],
      scores = logits[prompt].map((z) => z / temperature);
    const keep = (tokens) => softmax(scores.map((s, i) => (tokens.includes(i) ? s : -Infinity)));
    const before = softmax(scores),
      top = order.slice(0, k),
      chances = keep(top);
    let kept = top;
    if (p < 1) {
      // the likeliest, until their sum is p; what is missing by rounding doesn't count
      let total = 0;
      kept = top.filter((i) => [total < p - 1e-9, (total += chances[i])][0]);
    }
    const left = keep(kept),
      entropy = sum(left.map((a) => (a ? -a * Math.log2(a) : 0)));
    const place = [
      [temperatures, temperature],
      [ks, k],
      [ps, p],
    ].reduce((at, [stops, stop]) => at * stops.length + stops.indexOf(stop), prompt);
    return {
      order,
      before,
      left,
      kept,
      top: top.length,
      entropy,
      V,
      prompt: prompts[prompt],
      text: texts[which[place * throws + dice]],
    };
  }

  paint({ order, before, left, kept, entropy, V, prompt, text: written }) {
    const { letters } = this.spec,
      n = min(V, 12),
      x = linear(0, 1, 0, 214);
    this.names.forEach((name, k) => {
      const rest = k < n ? [order[k]] : order.slice(n),
        has = rest.some((i) => kept.includes(i));
      const [was, is] = [before, left].map((of) => sum(rest.map((i) => of[i])));
      const width = 1 + x(was),
        now = 1 + x(is);
      name.textContent = k < n ? visible(letters[rest[0]]) : many(rest.length, "other");
      see(set(this.bars[k], { width: one(now) }), has);
      see(set(this.ghosts[k], { width: one(width) }), has && abs(is - was) > 0.002);
      see(
        set(this.gone[k], { d: hatch(74, this.y(k) + 1, +one(width), 16).getAttribute("d") }),
        !has,
      );
      set(this.shares[k], { x: one(80 + max(width, now)) }).textContent = has ? percent(is) : "";
    });
    this.count.textContent = `${kept.length} of ${V} tokens left`;
    this.entropy.textContent = `entropy ${two(entropy)} bits`;
    this.written.replaceChildren(make("span", { class: "given" }, prompt), written);
  }

  words({ order, kept, top, entropy, V, text: written }) {
    const { temperature, dice } = this.state,
      { letters, throws } = this.spec,
      n = kept.length;
    const filters =
      top < V
        ? `top-k leaves ${top} of ${V} tokens${n < top ? `, and the nucleus ${n} of those` : ""}`
        : n < V
          ? `the nucleus leaves ${n} of ${V} tokens`
          : `all ${V} tokens are left`;
    const end =
      n > 1
        ? `, with an entropy of ${two(entropy)} bits.`
        : `: ${spoken(letters[order[0]])} always comes next.`;
    const thrown = throws > 1 ? ` Throw ${dice + 1} of ${throws}` : " It";
    return `At temperature ${temperature}, ${filters}${end}${thrown} writes “${visible(written.slice(0, 12)).replace(/␣/g, " ")}…”.`;
  }

  table({ order, before, left, kept }) {
    const { letters, logits } = this.spec,
      row = logits[this.state.prompt];
    return [
      ["token", "logit", "before the filters", "after"],
      ...order
        .slice(0, 12)
        .map((i) => [
          visible(letters[i]),
          two(row[i]),
          percent(before[i]),
          kept.includes(i) ? percent(left[i]) : "removed",
        ]),
    ];
  }
}
