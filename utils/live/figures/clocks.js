/* Page 10: positions as hands of clocks. */
import {
  Figure,
  box,
  circle,
  clamp,
  count,
  dot,
  drawing,
  linear,
  minus,
  one,
  path,
  set,
  sum,
  text,
  trace,
  two,
} from "../core.js";
import clocksCss from "./clocks.css";

export default class Clocks extends Figure {
  static style = clocksCss;

  static compute({ kinds, frequencies, query, key }, { kind, i, j, shift }) {
    const mode = kinds.indexOf(kind);
    const here = [i + shift, j + shift];
    // A hand: its length and its angle from 12 o'clock, turned to the right.
    const pair = (vector, k) => (mode ? [vector[2 * k], vector[2 * k + 1]] : [0, 1]);
    const turned = ([s, c], angle) => [
      s * Math.cos(angle) + c * Math.sin(angle),
      c * Math.cos(angle) - s * Math.sin(angle),
    ];
    const hands = (at) =>
      frequencies.map((w, k) =>
        [query, key].map((vector, n) => turned(pair(vector, k), mode < 2 ? at[n] * w : 0)),
      );
    const products = (at) => hands(at).map(([a, b]) => dot(a, b));
    const curve = count(121).map((n) => sum(products([n - 60, 0])));
    const parts = products(here);
    return { hands: hands(here), parts, product: sum(parts), curve };
  }

  build() {
    const { i, j, kinds, frequencies } = this.spec;
    const positions = count(61);
    const K = frequencies.length;
    this.at = count(K).map((k) => [44 + 84 * k, 60]);
    this.hands = count(2 * K).map((n) => path(n % 2 ? "hand-key" : "hand-query"));
    this.parts = this.at.map(([x]) => text(x, 116, "", "small mid"));
    this.curve = path("curve");
    this.spot = circle("ring seen", 8);
    this.note = text(334, 14, "", "small end strong");
    const x = (this.x = linear(-60, 60, 34, 334));
    const y = (this.y = linear(-K, K, 176, 20));
    return [
      box(
        "controls",
        this.choice("kind", "hands", kinds),
        this.slider("i", "position i", positions, i),
        this.slider("j", "position j", positions, j),
        this.slider("shift", "move both by", positions, 0),
      ),
      box(
        "panels stack",
        drawing(
          340,
          124,
          "Clocks: a hand for position i and one for position j on each",
          this.at.map(([cx, cy], k) => [
            circle("dial", 36, cx, cy),
            text(cx, 16, `ω = ${frequencies[k]}`, "small mid muted"),
          ]),
          this.hands,
          this.parts,
        ),
        drawing(
          340,
          214,
          "The product against the distance",
          path("line", `M34 20V176H334M34 ${y(0)}H334`),
          this.curve,
          this.spot,
          this.note,
          [-60, -30, 0, 30, 60].map((gap) => text(x(gap), 192, minus(gap), "small mid muted")),
          [-K, 0, K].map((v) => text(28, y(v) + 4, minus(v), "small end muted")),
          text(184, 210, "distance i − j", "small mid"),
          text(38, 14, "sum of the four products", "small"),
        ),
      ),
    ];
  }

  paint({ hands, parts, product, curve }) {
    const { i, j } = this.state;
    hands.forEach((both, k) =>
      both.forEach(([s, c], n) => {
        const [x, y] = this.at[k];
        set(this.hands[2 * k + n], { d: `M${x} ${y}L${one(x + 32 * s)} ${one(y - 32 * c)}` });
      }),
    );
    this.parts.forEach((words, k) => (words.textContent = two(parts[k])));
    const y = (value) => clamp(this.y(value), 20, 176);
    set(this.curve, { d: trace(curve.map((value, n) => [this.x(n - 60), y(value)])) });
    set(this.spot, { cx: one(this.x(i - j)), cy: one(y(product)) });
    this.note.textContent = `now ${two(product)}`;
  }

  words({ product }) {
    const { kind, i, j, shift } = this.state;
    const where = `Position ${i + shift} against position ${j + shift}: the product is ${two(product)}.`;
    if (kind === this.spec.kinds[2])
      return `${where} Nothing turns, so the positions don't matter at all.`;
    return shift ? `${where} Moving both leaves it as it was.` : where;
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
