/* Two positions on a ruler, as hands of clocks, one clock for each frequency, and in the map of all dot
products. Of the page: query and key, 2 K numbers, K pairs (sine, cosine) each; frequencies, K angles in
radians for each step; i and j, the positions at the start. The hands are the codes of equation (10.1),
or, if `turned`, a query and a key, rotated by equation (10.4). */
import { arrows, Figure } from "../core.js";
import { box, circle, group, h, handle, path, pixels, rect, text } from "../drawing.js";
import { abs, clamp, count, dot, floor, max, min, one, remembered, sum, two } from "../numbers.js";
import clocksCss from "./clocks.css";

const RULER = 64; // positions

/* The hands at two positions, which may lie between whole ones: [s, c] of position i's and of position
j's, turned to the right from 12 o'clock; their product on each clock, and the sum of those. */
function clockHands({ frequencies, query, key, turned }, at) {
  const hands = frequencies.map((w, k) =>
    [query, key].map((vector, n) => {
      const [s, c] = turned ? vector.slice(2 * k, 2 * k + 2) : [0, 1];
      const angle = at[n] * w;
      return [s * Math.cos(angle) + c * Math.sin(angle), c * Math.cos(angle) - s * Math.sin(angle)];
    }),
  );
  const parts = hands.map(([a, b]) => dot(a, b));
  return { hands, parts, product: sum(parts) };
}

/* All dot products as a picture in a colour. */
const productsOf = remembered((spec, color) => {
  const all = count(RULER * RULER).map((k) => clockHands(spec, [floor(k / RULER), k % RULER]).product);
  const [low, high] = [min(...all), max(...all)];
  const opacity = (x, y) => (0.7 * 255 * (all[RULER * y + x] - low)) / (high - low);
  return pixels(RULER, RULER, (x, y) => [...color.match(/\d+/g).slice(0, 3), opacity(x, y)]);
});

export default class Clocks extends Figure {
  static takes = "query key frequencies i j turned?";
  static style = clocksCss;
  static moves = ["at"]; // and the hands turn with it
  static measured = true;

  static compute(spec, state) {
    const at = [0, 1].map((n) => clamp(floor(state.at[n]) || 0, 0, RULER - 1));
    return { ...clockHands(spec, at), at };
  }

  get title() {
    return this.spec.turned ? _`Turned vectors: does their order matter?` : _`What does the dot product depend on?`;
  }

  get hint() {
    const { turned } = this.spec;
    if (turned) return _`drag the key to the other side of the query; then drag the bar, which moves both.`;
    return _`drag the bar, which moves both; then drag one of the two.`;
  }

  /* The way that both go after a guess: on together, or to each other's place. */
  get way() {
    const { i, j, turned } = this.spec;
    return turned ? count(abs(i - j) + 1).map((k) => [i - k, j + k]) : count(41).map((k) => [i + k, j + k]);
  }

  /* The dot product at the start of it, and what it is at the end. */
  get ends() {
    const [start, end] = [this.way[0], this.way.at(-1)].map((at) => clockHands(this.spec, at).product);
    return [start, abs(end - start) < 0.005 ? _`the same` : end > start ? _`larger` : _`smaller`];
  }

  controls() {
    const { turned } = this.spec;
    const [start, right] = this.ends;
    this.state.at = this.way[0];
    this.player("at", this.way.slice(1), turned ? 500 : 80); // after a guess; then one drags
    const both = turned ? _`Query and key change places` : _`Both move on by 40`;
    const [i, j] = this.way[0];
    const question = _`At ${i} and ${j} their dot product is ${two(start)}. ${both}. Is it then …`;
    return [this.ask(question, [_`larger`, _`smaller`, _`the same`], right)];
  }

  view({ at }) {
    const wide = this.stage.clientWidth || 340;
    const side = min(360, wide - 148);
    const more = { class: this.spec.turned ? "turned" : "" };
    const label = _`Two positions on a ruler, in the map of all dot products, and as hands of clocks`;
    const parts = [this.ruler(wide, at), this.map(side, at), this.clocks(side, at)];
    return box("panels alone", group(wide, side + 104, label, more, parts));
  }

  /* Position i above a line, j below it, and a bar between them; each can be dragged. */
  ruler(wide, at) {
    const unit = (wide - 24) / (RULER - 1);
    const x = at.map((position) => 12 + unit * position);
    const names = this.spec.turned ? [_`query, i`, _`key, j`] : [_`position i`, _`position j`];
    const pin = (name, n) => {
      const [y, end] = [14 + 48 * n, at[n] > RULER / 2];
      const label = text(x[n] + (end ? -18 : 18), y + 4, `${name} = ${Math.round(at[n])}`, `small owner-${n} ${end ? "end" : ""}`); // prettier-ignore
      const parts = [rect("under", x[n] - 12, y - 12, 24, 24), circle(`pin-${n}`, 8, x[n], y)];
      return [this.handle([n], unit, name, parts), label]; // beside it, so that what is focused doesn't touch it
    };
    const [left, long] = [min(...x), abs(x[0] - x[1])];
    const [grip, bar] = [rect("under", left - 12, 26, long + 24, 24), rect("grey", left - 3, 32, long + 6, 12, 4)];
    const both = this.handle([0, 1], unit, _`both positions`, grip, bar);
    return [path("line", `M12 38H${wide - 12}`), both, names.map(pin)];
  }

  /* A part that moves position i, that is 0, position j, 1, or both, as far as the ruler goes. */
  handle(which, unit, name, ...parts) {
    const { at } = this.compute();
    const shift = (from, steps) => {
      const moved = which.map((n) => from[n]);
      const go = clamp(steps, -min(...moved), RULER - 1 - max(...moved));
      this.change("at", from.map((position, n) => position + (which.includes(n) ? go : 0))); // prettier-ignore
    };
    const values = { "aria-valuemin": 0, "aria-valuemax": RULER - 1, "aria-valuenow": at[which[0]] };
    const ends = { Home: [0, -RULER], End: [0, RULER] };
    const onkeydown = arrows((down, right) => shift(at, right - down), ends);
    const take = ([x]) => (this.held = [x, at]);
    const drag = this.dragged(take, ([x]) => shift(this.held[1], Math.round((x - this.held[0]) / unit)));
    return handle(name, { ...values, ...drag, onkeydown }, parts);
  }

  /* All dot products, a row for each i and a column for each j: the larger, the more ink. */
  map(side, [i, j]) {
    const [top, cell, gap] = [100, side / RULER, abs(i - j)];
    const href = productsOf(this.spec, getComputedStyle(this.stage).color);
    const [x, y] = [j, i].map((position) => (position + 0.5) * cell);
    // of all pairs that are as far from each other
    const [across, down] = i > j ? [0, gap * cell] : [gap * cell, 0];
    const diagonal = `M${one(across)} ${one(top + down)}L${one(side - down)} ${one(top + side - across)}`;
    return [
      text(0, top - 6, "j →", "small owner-1"),
      text(side, top - 6, _`more ink: larger`, "small end muted"),
      text(side + 6, top + 12, "i ↓", "small owner-0"),
      h("image", { x: 0, y: top, width: side, height: side, href }),
      this.state.guessed !== null && path("edge dotted", diagonal),
      path("edge", `M0 ${one(top + y)}H${side}M${one(x)} ${top}v${side}`),
      circle("band edge", 6, x, top + y),
    ];
  }

  /* One clock below the other, and the sum of what they give. */
  clocks(side, at) {
    const { hands, parts, product } = clockHands(this.spec, at);
    const pitch = (side - 16) / hands.length;
    const r = pitch / 2 - 12;
    const x = side + 30 + r;
    const clock = ([first, second], k) => {
      const y = 94 + pitch * (k + 0.5);
      const tips = [first, second].map(([s, c]) => `L${one(x + 0.9 * r * s)} ${one(y - 0.9 * r * c)}`);
      const hand = (tip, n) => path(`hand-${n}`, `M${one(x)} ${one(y)}${tip}`);
      return [
        circle("line band", r, x, y),
        path("", `M${one(x)} ${one(y)}${tips.join("")}Z`, { "fill-opacity": 0.15 }),
        tips.map(hand),
        text(x + r + 8, y - 6, `ω = ${this.spec.frequencies[k]}`, "small muted"),
        text(x + r + 8, y + 14, two(parts[k])),
      ];
    };
    return [hands.map(clock), text(x - r, 98 + side, _`sum ${two(product)}`, "strong")];
  }

  words({ at: [i, j], product }) {
    const { turned } = this.spec;
    const there = String(this.state.at) === String(this.way.at(-1));
    const so = turned ? _`a head can tell before from after` : _`only the distance counts`;
    const verdict = this.judged(this.ends[1], so, there);
    const before = i === j ? _`at the position of` : `${abs(i - j)} ${i > j ? _`before` : _`after`}`;
    const where = turned
      ? _`With the query at ${i} and the key at ${j}, the key is ${before} the query`
      : _`Positions ${i} and ${j} are ${abs(i - j)} apart`;
    return _`${verdict}${where}, and the dot product is ${two(product)}.`;
  }

  table({ hands, parts }) {
    const said = (k) => hands[k].map(([s, c]) => `${two(s)}, ${two(c)}`);
    const rows = parts.map((part, k) => [this.spec.frequencies[k], ...said(k), two(part)]);
    return [[_`frequency`, _`hand of i`, _`hand of j`, _`product`], ...rows];
  }
}
