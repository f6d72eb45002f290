/* Positions as hands of clocks, one clock for each frequency, and the product of two vectors as the sum of
what the clocks give. Of the page: query and key, 2 K numbers, K pairs (sine, cosine) each; frequencies, K
angles in radians for each step; i and j, the positions at the start. The hands are the codes of equation
(10.1), and with `turned` at first a query and a key, rotated by equation (10.4). */
import {
  Figure,
  abs,
  box,
  circle,
  count,
  dot,
  drawing,
  floor,
  h,
  hypot,
  linear,
  max,
  min,
  minus,
  one,
  path,
  sum,
  text,
  trace,
  two,
} from "../core.js";
import clocksCss from "./clocks.css";

const HANDS = ["position codes", "query and key, turned"];
const EXPLAINED = [
  "Each hand is two numbers of a position code, a sine and a cosine. The shaded angle between two hands decides their product.",
  "Each hand is two numbers of a query or of a key. Position i turns the query's hands and position j the key's: this is rotary position embedding.",
];
const OWNERS = ["position i", "position j", "query at i", "key at j"];
const FARTHEST = 60; // from each other, and what moves both
const STEPS = 10; // points of the curve for each step of the distance, so that it is smooth

/* The hands at two positions, which may lie between whole ones: [s, c] of the query's and of the
key's, turned to the right from 12 o'clock; their product on each clock, and the sum of those. */
function clockHands({ frequencies, query, key }, mode, at) {
  const hands = frequencies.map((w, k) =>
    [query, key].map((vector, n) => {
      const [s, c] = mode ? vector.slice(2 * k, 2 * k + 2) : [0, 1];
      const angle = at[n] * w;
      return [s * Math.cos(angle) + c * Math.sin(angle), c * Math.cos(angle) - s * Math.sin(angle)];
    }),
  );
  const parts = hands.map(([a, b]) => dot(a, b));
  return { hands, parts, product: sum(parts) };
}

export default class Clocks extends Figure {
  static title = "Only the distance counts";
  static style = clocksCss;
  static moves = ["at"]; // and the hands turn with it
  static measured = true;

  get hint() {
    const then = this.spec.turned
      ? "make the distance negative; then compare the position codes, whose product is the same both ways"
      : "change the distance";
    return `what stays the same while both positions move? Then ${then}.`;
  }

  static compute(spec, { kind, distance, start }) {
    const mode = HANDS.indexOf(kind);
    const at = [start + max(distance, 0), start + max(-distance, 0)];
    const curve = count(2 * FARTHEST * STEPS + 1).map((n) => clockHands(spec, mode, [n / STEPS - FARTHEST, 0]).product);
    return { ...clockHands(spec, mode, at), at, curve };
  }

  controls() {
    const { i, j } = this.spec;
    const positions = count(FARTHEST + 1);
    const distances = count(2 * FARTHEST + 1).map((n) => n - FARTHEST);
    const start = this.slider("start", "move both", positions, min(i, j));
    const both = this.together(start, this.player("start", positions, 300));
    const kinds = this.spec.turned ? this.choice("kind", "hands", HANDS, HANDS[1]) : null;
    if (!kinds) this.state.kind = HANDS[0];
    return [kinds, this.slider("distance", "distance", distances, i - j, minus), both];
  }

  view({ at, curve }) {
    const mode = HANDS.indexOf(this.state.kind);
    const now = clockHands(this.spec, mode, at);
    const wide = this.stage.clientWidth || 340;
    return box(
      "panels alone",
      this.clocks(wide, mode, now),
      h("p", { class: "legend" }, EXPLAINED[mode]),
      this.curve(wide, at, now.product, curve),
    );
  }

  /* The clocks and, as large as one, what their products add up to. */
  clocks(wide, mode, { hands, parts, product }) {
    const { frequencies } = this.spec;
    const pitch = wide / (frequencies.length + 1);
    const r = min(64, pitch / 2 - 4);
    const [y, under] = [24 + r, 46 + 2 * r];
    const clock = ([query, key], k) => {
      const x = pitch * (k + 0.5);
      const hand = (kind, [s, c]) => path(kind, `M${one(x)} ${one(y)}L${one(x + 0.9 * r * s)} ${one(y - 0.9 * r * c)}`);
      return [
        text(x, 14, `${k ? "slower" : "fast"}, ω = ${frequencies[k]}`, "small mid muted"),
        circle("dial", r, x, y),
        path("angle", this.sector(x, y, 0.6 * r, query, key)),
        hand("hand-query", query),
        hand("hand-key", key),
        text(x, under, two(parts[k]), "mid"),
        k && text(x - pitch / 2, under, "+", "mid muted"),
      ];
    };
    const owner = (n) => [
      path(n ? "hand-key" : "hand-query", `M${4 + 116 * n} ${under + 22}h24`),
      text(36 + 116 * n, under + 26, OWNERS[2 * mode + n], "small"),
    ];
    const last = wide - pitch / 2;
    const whole = [
      text(last, under - 34, "dot product", "small mid"),
      text(last, under, two(product), "total mid query"),
      text(last - pitch / 2, under, "=", "mid muted"),
    ];
    return drawing(
      wide,
      under + 34,
      "Clocks: a hand for position i and one for position j on each, and their products",
      hands.map(clock),
      whole,
      [0, 1].map(owner),
    );
  }

  /* Between two hands of a clock, the short way round. */
  sector(x, y, r, ...hands) {
    const [from, to] = hands.map(([s, c]) => {
      const length = hypot(s, c);
      return [(r * s) / length, (-r * c) / length];
    });
    const way = from[0] * to[1] > from[1] * to[0] ? 1 : 0;
    const ends = [from, to].map(([right, down]) => `${one(x + right)} ${one(y + down)}`);
    return `M${one(x)} ${one(y)}L${ends[0]}A${one(r)} ${one(r)} 0 0 ${way} ${ends[1]}Z`;
  }

  /* The product at each distance. */
  curve(wide, at, product, curve) {
    const [low, high] = [min(0, ...curve), max(0, ...curve)];
    const first = Math.ceil(low); // of the numbers at the axis
    const x = linear(-FARTHEST, FARTHEST, 36, wide - 10),
      y = linear(low, high, 186, 28);
    const [here, there] = [x(at[0] - at[1]), y(product)];
    return drawing(
      wide,
      232,
      "The product against the distance",
      path("line", `M36 28V186M36 ${one(y(0))}H${wide - 10}`),
      count(floor(high) - first + 1).map((k) => text(30, y(first + k) + 4, minus(first + k), "small end muted")),
      path("product", trace(curve.map((v, n) => [x(n / STEPS - FARTHEST), y(v)]))),
      path("ghost", `M${one(here)} 186V${one(there + 8)}`),
      circle("ring seen", 8, here, there),
      [-60, -30, 0, 30, 60].map((gap) => text(x(gap), 204, minus(gap), "small mid muted")),
      text(x(0), 224, "distance i − j", "small mid"),
      text(4, 14, "dot product", "small"),
    );
  }

  words({ at, product }) {
    const apart = `Positions ${at[0]} and ${at[1]} are ${abs(at[0] - at[1])} apart, and the dot product is ${two(product)}.`;
    return `${apart} It is the same wherever the two are: the hands turn, but no shaded angle changes, and the ring stays.`;
  }

  table({ hands, parts }) {
    const rows = parts.map((part, k) => [
      this.spec.frequencies[k],
      ...hands[k].map(([s, c]) => `${two(s)}, ${two(c)}`),
      two(part),
    ]);
    return [["frequency", "hand of i", "hand of j", "product"], ...rows];
  }
}
