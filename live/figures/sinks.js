/* Where the weight goes when the first token is changed, hidden or silenced. */
import { Figure, abs, box, circle, count, drawing, floor, hatch, largest, linear, make, max, min, one, path, rect, see, set, slanted, text, two } from "../core.js";
import sinksCss from "./sinks.css";

const AS_IT_IS = "as it is";
const SINK_SHARE = 0.2; // of all weight: a token that gets this much is named
const SILENT = "The feed-forward network of block 11 is silent at";
/* Each run: the token that it changes, from where on that is hidden, its button, and what is said.
LATE is the position from which on the weights are counted. */
const SINK_RUNS = {
  "first token": {
    [AS_IT_IS]: [null, null, AS_IT_IS, "As it is"],
    "first token: Paris": [0, null, "another: Paris", "“Paris” comes first"],
    "first token: the": [0, null, "another: the", "“the” comes first"],
  },
  "hide the first token": {
    "forbid all": [0, 1, "from all others", "The first token is hidden from all others"],
    "forbid late": [0, "LATE", "from LATE on", "The first token is hidden from LATE on"],
  },
  "token 10": {
    "forbid 10": [10, "LATE", "hide from LATE on (control)", "Token 10 is hidden from LATE on"],
    "alone 10": [10, null, "sees only itself", "Token 10 sees only itself in blocks 0 to 11"],
  },
  "silence one network": {
    "ffn 0": [0, null, "at the first token", `${SILENT} the first token`],
    "ffn 10": [10, null, "at token 10 (control)", `${SILENT} token 10`],
  },
};
const LEGEND = "Framed: the token that is changed. Hatched: hidden. Weights are means over all heads of blocks 12 to 29.";
const SINK_NAMES = Object.values(SINK_RUNS).flatMap(Object.keys);
const aboutRun = (run) => Object.values(SINK_RUNS).find((each) => run in each)[run];

/* A chart: the bars stand on FLOOR, the names hang from it, and the dots are below them. */
const BARS = { left: 36, wide: 302, top: 46, floor: 146 };
const DOTS = { top: 246, floor: 296 };
const POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export default class Sinks extends Figure {
  static style = sinksCss;

  static compute({ runs, late }, { run }) {
    const { weights, norms, loss } = runs[run];
    const [at, from] = aboutRun(run);
    const hidden = from === "LATE" ? late : from;
    const sinks = count(weights.length).filter((i) => weights[i] >= SINK_SHARE);
    const more = loss - runs[AS_IT_IS].loss;
    return { weights, norms, loss, more, top: largest(weights), sinks, at, hidden };
  }

  build() {
    const { tokens, runs } = this.spec;
    const all = Object.values(runs);
    const [weights, norms] = ["weights", "norms"].map((name) => all.flatMap((each) => each[name]));
    this.reach = Math.ceil(10 * max(...weights)) / 10;
    this.height = linear(0, this.reach, 0, BARS.floor - BARS.top);
    this.decades = [floor(Math.log10(min(...norms))), floor(Math.log10(max(...norms))) + 1];
    this.y = linear(...this.decades, DOTS.floor, DOTS.top);
    this.x = linear(0, max(...all.map(({ loss }) => loss)), 4, 296);
    // Two charts, so that each token has room for its name on a phone too.
    this.half = Math.ceil(tokens.length / 2);
    this.pitch = BARS.wide / this.half;
    this.columns = tokens.map((_, i) => this.column(i));
    this.state.run = AS_IT_IS;
    this.buttons = {};
    const groups = Object.entries(SINK_RUNS).map(([name, group]) => {
      const buttons = Object.entries(group).map(([run, [, , label]]) => (this.buttons[run] = this.button(this.told(label), () => this.change("run", run))));
      const row = box("controls change", make("span", {}, name), buttons);
      return set(row, { role: "group", "aria-label": name });
    });
    return [...groups, box("cost", this.costs(), make("p", { class: "legend" }, LEGEND)), box("panels", this.chart(0), this.chart(this.half))];
  }

  told(words) {
    return words.replace("LATE", `token ${this.spec.late}`);
  }

  left(i) {
    return BARS.left + this.pitch * (i % this.half);
  }

  /* The drawings of one token. */
  column(i) {
    const left = this.left(i);
    const middle = left + this.pitch / 2;
    return {
      masked: hatch(+one(left), BARS.floor + 3, +one(this.pitch), 66),
      bar: rect("cell", left + 1.5, 0, this.pitch - 3, 0, 1),
      share: text(middle, 0, "", "small mid strong"),
      frame: rect("frame", left, BARS.floor + 3, this.pitch, 66),
      name: slanted(middle + 4, BARS.floor + 7, "", 90),
      dot: circle("bar-odds", 3.5, middle),
    };
  }

  chart(start) {
    const { tokens, late } = this.spec;
    const last = min(start + this.half, tokens.length) - 1;
    const title = (y, words) => text(2, y, start ? "" : words, "small strong");
    const end = one(this.left(last) + this.pitch);
    const from = this.left(max(start, late));
    const [low, high] = this.decades;
    const level = (y, words) => text(26, y + 4, words, "small end muted");
    return drawing(
      340,
      DOTS.floor + 12,
      `Tokens ${start} to ${last}: the weight of each, and the length of its vector`,
      title(12, `weight that tokens ${late} to ${tokens.length - 1} give to each token`),
      last < late ? null : [path("beam", `M${one(from)} 32H${end}`), text(from, 26, "queries", "small query")],
      [0, this.reach / 2, this.reach].map((w) => level(BARS.floor - this.height(w), +w.toFixed(2))),
      path("line", `M${BARS.left} ${BARS.floor}H${end}`),
      title(DOTS.top - 12, "length of each token’s vector at block 12"),
      count(high - low + 1).map((k) => [path("decade", `M${BARS.left} ${one(this.y(low + k))}H${end}`), level(this.y(low + k), `10${POWERS[low + k]}`)]),
      this.columns.slice(start, last + 1).map(Object.values),
    );
  }

  costs() {
    const { late, runs } = this.spec;
    const usual = runs[AS_IT_IS].loss;
    const x = this.x(usual);
    this.cost = rect("price", 4, 20, 0, 20);
    this.price = text(0, 35, "", "strong");
    return drawing(
      340,
      64,
      "The loss, and what it is when nothing is changed",
      text(2, 12, `loss of the tokens after ${late}, nats per token`, "small strong"),
      this.cost,
      path("usual", `M${one(x)} 17V46`),
      text(x, 60, `${two(usual)} ${AS_IT_IS}`, "small mid"),
      this.price,
    );
  }

  /* The first token is another one in some runs. */
  name(i) {
    return (i ? null : this.state.run.split(": ")[1]) ?? this.spec.tokens[i].trim();
  }

  paint({ weights, norms, loss, more, sinks, at, hidden }) {
    for (const run of SINK_NAMES) set(this.buttons[run], { "aria-pressed": String(run === this.state.run) });
    this.columns.forEach(({ masked, bar, share, frame, name, dot }, i) => {
      const height = this.height(weights[i]);
      const word = `${i} ${this.name(i)}`;
      const about = i === at ? "strong" : sinks.includes(i) ? "" : "muted";
      see(masked, i === at && hidden != null);
      see(frame, i === at);
      set(bar, { y: one(BARS.floor - height), height: one(height) });
      set(share, { y: one(BARS.floor - height - 4) });
      share.textContent = sinks.includes(i) ? two(weights[i]) : "";
      set(name, { class: `small end ${about}` });
      name.textContent = word.length > 10 ? `${word.slice(0, 8)}…` : word;
      set(dot, { cy: one(this.y(Math.log10(norms[i]))) });
    });
    set(this.cost, { width: one(this.x(loss) - 4) });
    set(this.price, { x: one(this.x(max(loss, loss - more)) + 6) }).textContent = two(loss);
  }

  words({ weights, norms, loss, more, top, sinks, at, hidden }) {
    const { run } = this.state;
    const gone = hidden != null;
    const each = (i) => (i ? `token ${i}, “${this.name(i)}”,` : "the first token");
    const share = (i, k = 0) => two(weights[i]) + (gone || k ? "" : " of the weight");
    const parts = sinks.map((i, k) => `${each(i)} gets ${share(i, k)} with a vector of length ${norms[i]}`);
    if (!parts.length) parts.push(`no ${gone ? "other " : ""}token gets more than ${share(top)}`);
    if (gone) parts.unshift("it gets none of the weight");
    else if (at !== null && !sinks.length) parts.unshift(`that token’s vector has length ${norms[at]}`);
    const gap = `${one(abs(more))} ${more > 0 ? "more" : "less"}`;
    const change = abs(more) < 0.1 ? "hardly a difference" : gap;
    const instead = run === AS_IT_IS ? "" : ` instead of ${two(loss - more)}: ${change}`;
    const price = `On average each later token costs ${two(loss)} nats${instead}.`;
    return `${this.told(aboutRun(run)[3])}: ${parts.join(", and ")}. ${price}`;
  }

  table() {
    const { runs } = this.spec;
    const rows = Object.entries(SINK_RUNS).flatMap(([name, group]) =>
      Object.entries(group).map(([run, [, , label]]) => {
        const { weights, loss } = runs[run];
        const shares = [0, 1, 10].map((i) => two(weights[i]));
        return [`${name}: ${this.told(label)}`, ...shares, two(loss)];
      }),
    );
    return [["run", "on the first token", "on the second", "on token 10", "loss"], ...rows];
  }
}
