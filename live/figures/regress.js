/* Regression in context: a trained Transformer of four blocks, in data/regress.json, which reads points,
beside page 2's estimate and the best possible answer. Of the page: x and y, of the points at the start; truth,
pairs (x, y) along the hidden curve; width, of page 2's kernel; length and noise, of equation (24.1). */
import { arrows, dataOf, Figure } from "../core.js";
import { box, circle, group, handle, nearby, path, set, text, trace } from "../drawing.js";
import { clamp, count, dot, linear, max, min, minus, one, remembered, softmax, sqrt, sum, two } from "../numbers.js";
import { Layers, plus } from "../layers.js";

const MOST_POINTS = 40; // as in training
const REGRESS_PLACES = count(41).map((k) => +(k / 20 - 1).toFixed(2)); // where curves are drawn
const REGRESS_TOP = 3; // heights go from -3 to 3
const CEILING = 52; // where the largest is drawn, so that no point covers the names above
const regressX = linear(-1, 1, 30, 334);
const regressY = linear(-REGRESS_TOP, REGRESS_TOP, 250, CEILING);

class Regressor extends Layers {
  embedded(x, y, known) {
    const matrix = this.tensors["embedding.0.weight"];
    const hidden = Float64Array.from(this.tensors["embedding.0.bias"], (shift, row) =>
      max(0, shift + matrix[3 * row] * x + matrix[3 * row + 1] * y + matrix[3 * row + 2] * known),
    );
    return this.linear("embedding.2", hidden);
  }

  /* The keys and values of the points in each block. */
  read(points) {
    let states = points.map(([x, y]) => this.embedded(x, y, 1));
    return count(this.layers).map((layer) => {
      const seen = { keys: [], values: [] };
      states = this.block(`blocks.${layer}`, { part: "own", layer }, states, seen, this.maps("own"));
      return seen;
    });
  }

  /* The height at a query, and the weights of the last block, the mean of its heads. */
  answer(seen, x) {
    const maps = this.maps("own");
    let z = this.embedded(x, 0, 0);
    for (const layer of count(this.layers)) {
      const block = `blocks.${layer}`;
      const where = { part: "own", layer, name: block + ".attention" };
      z = plus(z, this.attend(where, this.norm(block + ".norm1", z), 0, seen[layer], maps));
      z = this.fed(block, z);
    }
    const last = maps.own.at(-1);
    const weights = seen[0].keys.map((_, key) => sum(last.map((rows) => rows[0][key])) / this.heads);
    return { height: this.linear("output", this.norm("norm", z))[0], weights };
  }
}

const regressor = remembered(() => new Regressor(dataOf("regress")));
const regressed = remembered((points, query) => {
  const model = regressor();
  const seen = model.read(points);
  const network = REGRESS_PLACES.map((x) => model.answer(seen, x).height);
  return { network, ...model.answer(seen, query) };
});

/* The solution of a symmetric system with a positive diagonal, by elimination. */
function solution(matrix, right) {
  let rows = matrix.map((row, i) => [...row, right[i]]);
  for (const k of count(rows.length)) {
    const pivot = rows[k].map((x) => x / rows[k][k]);
    rows = rows.map((row, i) => (i === k ? pivot : row.map((x, j) => x - row[k] * pivot[j])));
  }
  return rows.map((row) => row.at(-1));
}

/* The largest height that fits into the drawing. */
const inSight = (y) => clamp(y, -REGRESS_TOP, REGRESS_TOP);

export default class Regress extends Figure {
  static takes = "x y truth width length noise";
  static title = _`Whose curve does the Transformer draw?`;
  static hint = _`drag a point far up or down: which curves follow it? Then make a gap: move the query onto a point, and remove it.`;
  static data = "regress";
  static moves = ["network", "kernel", "best", "weights", "answer", "query"];

  static compute({ width, length, noise }, { points, query }) {
    const fits = ([x, y]) => Math.abs(x) <= 1 && Math.abs(y) <= REGRESS_TOP;
    if (!points.length || points.length > MOST_POINTS || !points.every(fits))
      throw new RangeError("an address may hold anything");
    const [xs, ys] = [0, 1].map((k) => points.map((point) => point[k]));
    const alike = (a, b) => Math.exp(-((a - b) ** 2) / (2 * length ** 2));
    const matrix = xs.map((a, i) => xs.map((b, j) => alike(a, b) + (i === j) * noise ** 2));
    const solved = solution(matrix, ys);
    const bestAt = (x) => sum(xs.map((each, i) => alike(x, each) * solved[i]));
    const kernelAt = (x) => dot(softmax(xs.map((each) => -((x - each) ** 2) / (2 * width ** 2))), ys);
    const { network, weights, height } = regressed(points, query);
    const [best, kernel] = [bestAt, kernelAt].map((at) => REGRESS_PLACES.map(at));
    const away = (curve) => sqrt(sum(curve.map((y, i) => (y - best[i]) ** 2)) / best.length);
    const at = { network: height, best: bestAt(query), kernel: kernelAt(query) };
    const far = { network: away(network), kernel: away(kernel) };
    return { network, kernel, best, weights, query, at, answer: height, away: far };
  }

  controls() {
    const { x, y } = this.spec;
    Object.assign(this.state, { points: x.map((each, i) => [each, inSight(y[i])]), point: 0 });
    const add = this.button(_`Add a point here`, () => this.add());
    const remove = this.button(_`Remove the nearest`, () => this.remove());
    this.show.points = () => {
      set(add, { disabled: this.state.points.length === MOST_POINTS && "" });
      set(remove, { disabled: this.state.points.length === 1 && "" });
    };
    const question = _`Keep only the lowest point. Far from it, at x = ${two(this.alone.query)}, whose answer is the Transformer’s nearer to?`;
    const leave = () => this.become({ ...this.alone, point: 0 });
    return [
      this.ask(question, [_`the kernel’s`, _`the best possible`], _`the best possible`, leave),
      this.slider("query", _`query`, REGRESS_PLACES, 0.05, two),
      this.together(add, remove),
    ];
  }

  /* What is asked: the lowest point alone, and the end that is farther from it. */
  get alone() {
    const { x, y } = this.spec;
    const lowest = y.indexOf(min(...y));
    return { points: [[x[lowest], inSight(y[lowest])]], query: x[lowest] > 0 ? -1 : 1 };
  }

  /* At the query, at the height of the first curve's answer, half a unit higher. */
  add() {
    const { points, query } = this.state;
    this.become({ point: points.length, points: [...points, [query, inSight(this.shown.at.network + 0.5)]] });
  }

  remove() {
    const { points, query } = this.state;
    const far = points.map(([x]) => Math.abs(x - query));
    const gone = far.indexOf(min(...far));
    this.become({ point: 0, points: points.filter((_, i) => i !== gone) });
  }

  view(numbers) {
    const { points, point } = this.state;
    const { weights, query, answer, network, kernel, best } = numbers;
    const at = ([x, y]) => [regressX(x), regressY(inSight(y))];
    const curve = (kind, heights) => path(kind, trace(heights.map((y, i) => at([REGRESS_PLACES[i], y]))));
    const places = points.map(at);
    const [left, top] = at([query, answer]);
    const most = max(...weights);
    const [x, y] = points[point] ?? points[0];
    const about = {
      "aria-valuenow": y.toFixed(2),
      "aria-valuetext": _`point ${point + 1} of ${points.length}, at x ${two(x)}, y ${two(y)}`,
      onkeydown: (event) => this.key(event),
    };
    const sample = (kind, x, y, words) => [path(kind, `M${x} ${y}h20`), text(x + 26, y + 4, words, "small")];
    const more = { class: "drag", ...this.dragged(this.take.bind(this), this.drag.bind(this)) };
    const dot = (at, share) => [circle("rim", 6, ...at), circle("cell", 6, ...at, { "fill-opacity": share })];
    return box("panels", [
      group(340, 326, _`Points and four curves`, more, [
        sample("curve weight", 30, 10, _`Transformer`),
        sample("line", 180, 10, _`kernel (page 2)`),
        sample("edge dashed", 30, 28, _`best possible`),
        sample("line dotted", 180, 28, _`hidden curve`),
        path("line", `M30 ${CEILING - 8}V250H334`),
        [-1, -0.5, 0, 0.5, 1].map((tick) => text(regressX(tick), 266, two(tick).replace(/0$/, ""), "small mid muted")),
        [-2, 0, 2].map((tick) => text(24, regressY(tick) + 4, minus(tick), "small end muted")),
        text(182, 281, "x", "small mid muted"),
        path("line dotted", trace(this.spec.truth.map(at))),
        path("beam", `M${one(left)} 250V${one(top)}`),
        curve("line", kernel),
        curve("edge dashed", best),
        curve("curve weight", network),
        places.map((at, i) => dot(at, (weights[i] ?? 0) / most)),
        places.map((at) => circle("grip", 14, ...at)), // wide enough for a finger
        dot([38, 300], 0.6),
        text(54, 304, _`a point; its fill: its weight in the last block`, "small"),
        circle("fill-value", 7, 38, 319),
        text(54, 323, _`the Transformer’s answer at the query`, "small"),
        circle("fill-value answer", 7, left, top),
        handle(_`point to move: arrows move it, Enter takes the next`, about, circle("ring", 10, ...at([x, y]))),
      ]),
    ]);
  }

  /* What is dragged: a point or, away from all points, the query. */
  take(place) {
    const points = this.state.points.map(([x, y]) => [regressX(x), regressY(y)]);
    this.held = nearby(points, place, 16) ?? "query";
    this.drag(place);
  }

  drag([px, py]) {
    const x = clamp(linear(30, 334, -1, 1)(px), -1, 1);
    if (this.held === "query") this.change("query", REGRESS_PLACES[Math.round(20 * (x + 1))]);
    else this.put(this.held, x, linear(250, CEILING, -REGRESS_TOP, REGRESS_TOP)(py));
  }

  put(point, x, y) {
    const place = [+clamp(x, -1, 1).toFixed(3), +inSight(y).toFixed(3)];
    this.become({ point, points: this.state.points.with(point, place) });
  }

  key(event) {
    const { point, points } = this.state;
    const [x, y] = points[point];
    arrows((down, right) => this.put(point, x + right / 20, y - down / 5))(event);
    if (event.key !== "Enter" && event.key !== " ") return;
    this.change("point", (point + 1) % points.length);
    event.preventDefault();
  }

  words({ at, away, query }) {
    const { points } = this.state;
    const n = points.length;
    const asked = query === this.alone.query && String(points) === String(this.alone.points);
    const judged = this.judged(_`the best possible`, _`the Transformer nears 0`, asked);
    const [off, off2] = [at.network, at.kernel].map((answer) => Math.abs(answer - at.best));
    const here = away.network < away.kernel && off2 + 0.005 < off ? _` Here the kernel happens to be nearer.` : "";
    const closer = away.network < away.kernel ? _`closer to` : _`farther from`;
    return _`${judged}With ${n} point${n > 1 ? "s" : ""} the Transformer is ${closer} the best possible curve than the kernel of page 2 is: ${two(away.network)} and ${two(away.kernel)} away. At x = ${two(query)} the Transformer answers ${two(at.network)}, the kernel ${two(at.kernel)}, and the best possible answer is ${two(at.best)}.${here}`;
  }

  table({ weights }) {
    const rows = this.state.points.map(([x, y], i) => [two(x), two(y), two(weights[i])]);
    return [["x", "y", _`weight in the last block`], ...rows];
  }
}
