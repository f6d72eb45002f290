/* Positions as hands of clocks. */
import { Figure, abs, box, circle, count, dot, drawing, floor, hypot, linear, make, max, min, minus, one, path, set, sum, text, trace, two } from "../core.js";
import clocksCss from "./clocks.css";

const EXPLAINED = [
  "Each hand is two numbers of a position code, a sine and a cosine. The left clock turns fastest. The shaded " + "angle between two hands decides their product.",
  "A query and a key of eight numbers each, drawn as four hands. Position i turns the query's hands and position j " +
    "the key's. This is rotary encoding, which comes further down this page.",
  "The same query and key without rotary encoding: no position turns them.",
];
const OWNERS = ["position i", "position j", "query at i", "key at j", "query", "key"];
const FARTHEST = 60; // of both positions, and of what they move by
const STEPS = 4; // points of the curve for each step of the distance, so that it is smooth

/* The hands at two positions, which may lie between whole ones: [s, c] of the query's and of the
key's, turned to the right from 12 o'clock; their product on each clock, and the sum of those. */
function clockHands({ frequencies, query, key }, mode, at) {
  const hands = frequencies.map((w, k) =>
    [query, key].map((vector, n) => {
      const [s, c] = mode ? vector.slice(2 * k, 2 * k + 2) : [0, 1];
      const angle = mode < 2 ? at[n] * w : 0;
      return [s * Math.cos(angle) + c * Math.sin(angle), c * Math.cos(angle) - s * Math.sin(angle)];
    }),
  );
  const parts = hands.map(([a, b]) => dot(a, b));
  return { hands, parts, product: sum(parts) };
}

/* Round numbers between two others, about five. */
function roundNumbers(low, high) {
  const rough = (high - low) / 5,
    power = 10 ** floor(Math.log10(rough)),
    step = power * [1, 2, 5, 10].find((each) => each * power >= rough);
  const from = Math.ceil(low / step);
  return count(floor(high / step) - from + 1).map((k) => +((from + k) * step).toPrecision(6));
}

const motionless = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");

export default class Clocks extends Figure {
  static style = clocksCss;
  static moves = ["at"]; // and the hands turn with it

  static compute(spec, { kind, i, j, shift }) {
    const mode = spec.kinds.indexOf(kind),
      at = [i + shift, j + shift];
    const along = (mode) => count(120 * STEPS + 1).map((n) => clockHands(spec, mode, [n / STEPS - 60, 0]).product);
    const turned = along(min(mode, 1));
    return {
      ...clockHands(spec, mode, at),
      at,
      curve: mode < 2 ? turned : along(mode),
      range: [min(0, ...turned), max(0, ...turned)],
    };
  }

  build() {
    const { kinds, frequencies } = this.spec;
    const positions = count(FARTHEST + 1);
    const K = frequencies.length;
    this.at = count(K).map((k) => [42 + 85 * k, 62]);
    this.hands = count(2 * K).map((n) => path(n % 2 ? "hand-key" : "hand-query"));
    this.angles = count(K).map(() => path("angle"));
    this.parts = this.at.map(([x]) => text(x, 118, "", "small mid"));
    this.owners = [44, 136].map((x) => text(x, 146, "", "small"));
    this.curve = path("product");
    this.zero = path("line");
    this.ticks = make("g");
    this.spot = circle("ring seen", 8);
    this.note = text(334, 12, "", "small end strong");
    this.explained = make("p", { class: "legend" });
    this.say = make("p", { class: "say", "aria-live": "polite" });
    this.x = linear(-60, 60, 34, 334);
    const sliders = ["i", "j"].map((each) => this.slider(each, `position ${each}`, positions, this.spec[each]));
    const play = this.player("shift", positions, 300);
    const jump = (event) => {
      if (!motionless?.matches) return;
      event.stopImmediatePropagation(); // nothing plays for those who want no motion
      this.change("shift", this.state.shift === FARTHEST ? 0 : FARTHEST);
    };
    play.addEventListener("click", jump, true);
    return [
      // Whoever takes a control has the hands for themselves.
      set(box("controls", this.choice("kind", "hands", kinds), sliders, box("together", this.slider("shift", "move both by", positions, 0), play)), {
        oninput: () => this.stop(),
      }),
      box(
        "panels",
        box(
          "",
          drawing(
            340,
            150,
            "Clocks: a hand for position i and one for position j on each",
            this.at.map(([cx, cy], k) => [circle("dial", 40, cx, cy), text(cx, 16, `ω = ${frequencies[k]}`, "small mid muted")]),
            this.angles,
            this.hands,
            this.parts,
            path("hand-query", "M12 142H36"),
            path("hand-key", "M106 142H130"),
            this.owners,
            text(332, 146, "below: their product", "small end muted"),
          ),
          this.explained,
          this.say,
        ),
        drawing(
          340,
          238,
          "The product against the distance",
          path("line", "M34 20V196"),
          this.zero,
          this.ticks,
          this.curve,
          this.spot,
          this.note,
          [-60, -30, 0, 30, 60].map((gap) => text(this.x(gap), 214, minus(gap), "small mid muted")),
          text(184, 234, "distance i − j", "small mid"),
          text(28, 12, "sum of the four products", "small"),
        ),
      ),
    ];
  }

  paint({ at, curve, range: [low, high] }) {
    const mode = this.spec.kinds.indexOf(this.state.kind);
    const { hands, parts, product } = clockHands(this.spec, mode, at);
    hands.forEach((both, k) =>
      both.forEach(([s, c], n) => {
        const [x, y] = this.at[k];
        set(this.hands[2 * k + n], { d: `M${x} ${y}L${one(x + 36 * s)} ${one(y - 36 * c)}` });
      }),
    );
    this.angles.forEach((angle, k) => set(angle, { d: this.between(k, hands[k]) }));
    this.parts.forEach((words, k) => (words.textContent = two(parts[k])));
    this.explained.textContent = EXPLAINED[mode];
    this.owners.forEach((words, n) => (words.textContent = OWNERS[2 * mode + n]));
    const y = linear(low, high > low ? high : low + 1, 196, 20);
    set(this.zero, { d: `M34 ${one(y(0))}H334` });
    this.ticks.replaceChildren(...roundNumbers(low, high > low ? high : low + 1).map((v) => text(28, y(v) + 4, minus(v), "small end muted")));
    set(this.curve, { d: trace(curve.map((v, n) => [this.x(n / STEPS - 60), y(v)])) });
    set(this.spot, { cx: one(this.x(at[0] - at[1])), cy: one(y(product)) });
    this.note.textContent = `now ${two(product)}`;
  }

  /* The sector between the two hands of a clock, the short way round. */
  between(k, hands) {
    const [x, y] = this.at[k];
    const [from, to] = hands.map(([s, c]) => {
      const length = hypot(s, c) || 1;
      return [(24 * s) / length, (-24 * c) / length];
    });
    const way = from[0] * to[1] > from[1] * to[0] ? 1 : 0;
    const ends = [from, to].map(([right, down]) => `${one(x + right)} ${one(y + down)}`);
    return `M${x} ${y}L${ends[0]}A24 24 0 0 ${way} ${ends[1]}Z`;
  }

  words({ product }) {
    const { kind, i, j, shift } = this.state;
    const sum = `the sum of the four products is ${two(product)}`;
    if (kind === this.spec.kinds[2]) return `Nothing turns, so the positions don't matter, and ${sum} for all of them.`;
    const apart = `Positions ${i} and ${j} are ${abs(i - j)} apart, and ${sum}.`;
    if (!shift) return `${apart} Press Play, and watch the shaded angles and the ring on the curve.`;
    return (
      `Positions ${i} and ${j} have become ${i + shift} and ${j + shift}. All hands have turned, the slow ones ` +
      `hardly, but no shaded angle has changed, so the ring stays and ${sum} as before.`
    );
  }

  table({ hands, parts }) {
    const rows = parts.map((part, k) => [this.spec.frequencies[k], ...hands[k].map(([s, c]) => `${two(s)}, ${two(c)}`), two(part)]);
    return [["frequency", "hand of i", "hand of j", "product"], ...rows];
  }
}
