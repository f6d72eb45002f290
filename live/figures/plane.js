/* Dot products in the plane, with the scores of equation (4.2) for d = 2 and QK-norm by equation (4.6). What
makes a weight large, direction or length? Of the page: query, 2 numbers; keys, up to four such pairs;
away, whether it asks what becomes of the weights when the query turns away from all keys. */
import { arrows, Figure } from "../core.js";
import { bar, box, circle, drawing, group, handle, ink, path, text, trace } from "../drawing.js";
import { abs, clamp, dot, hypot, largest, max, min, softmax, sqrt, two } from "../numbers.js";
import planeCss from "./plane.css";

const UNIT = 46; // of the drawing, for a length of 1
const MIDDLE = 150;
const SHORTEST = 0.3;
const LONGEST = 2.9;
const KEY_NAMES = "abcd";
const onPlane = ([x, y]) => [MIDDLE + UNIT * x, MIDDLE - UNIT * y];
const direction = ([x, y]) => (Math.atan2(y, x) * 180) / Math.PI;

/* A vector of a direction in degrees and a length that fits into the drawing. */
function vectorOf(degrees, length) {
  const angle = (degrees * Math.PI) / 180;
  const size = clamp(length, SHORTEST, LONGEST);
  return [Math.cos(angle), Math.sin(angle)].map((x) => +(size * x).toFixed(3));
}

/* A vector as an arrow with its letter, which isn't on the line of the shadows. */
function arrow([x, y], length, kind, letter) {
  const [u, v] = [x, y].map((at) => (at - MIDDLE) / (UNIT * length));
  const along = (back, side) => [x - back * u - side * v, y - back * v + side * u];
  const [left, base] = kind === "key" ? along(-15, 0) : along(0, 15);
  return [
    path(`curve ${kind}`, trace([[MIDDLE, MIDDLE], along(8, 0)])),
    path(`bar-${kind}`, trace([[x, y], along(11, 5), along(11, -5)]) + "Z"),
    text(left, base + 5, letter, `strong mid halo ${kind}`),
  ];
}

export default class Plane extends Figure {
  static takes = "query keys away?";
  static title = _`Does a long arrow win, even if it points elsewhere?`;
  static hint = _`make key a longer until it wins without QK-norm. Then turn the query away from all keys.`;
  static style = planeCss;
  static moves = ["tips", "feet", "lengths", "scores", "weights"];

  get title() {
    return this.spec.away && _`Where does the weight go when no key fits?`;
  }

  get hint() {
    return this.spec.away && _`switch the sink on. Then drag a key until it fits.`;
  }

  /* `vectors` begins with the query; the last weight is that of the sink. */
  static compute({ keys: given }, { vectors, divided, normed, sink }) {
    const fits = (v) => v.length === 2 && abs(hypot(...v) - 1.6) < 1.31;
    if (vectors.length !== given.length + 1 || !vectors.every(fits))
      throw new RangeError("an address may hold anything");
    const rms = (v) => sqrt(dot(v, v) / 2 + 1e-6);
    const tips = vectors.map((v) => (normed ? v.map((x) => x / rms(v)) : v));
    const [query, ...keys] = tips;
    const scores = keys.map((key) => dot(key, query) / (divided ? sqrt(2) : 1));
    const weights = softmax([...scores, sink ? 0 : -Infinity]);
    const lengths = tips.map((v) => hypot(...v));
    const shadows = keys.map((key) => dot(key, query) / lengths[0] ** 2);
    const feet = shadows.map((shadow) => query.map((x) => shadow * x)); // on the query's line
    const angles = keys.map((key) => {
      const turn = abs(direction(key) - direction(query));
      return Math.round(min(turn, 360 - turn));
    });
    return { tips, feet, lengths, angles, scores, weights };
  }

  controls() {
    const { query, keys } = this.spec;
    this.state.vectors = [query, ...keys];
    if (this.spec.away) {
      Object.assign(this.state, { divided: true, normed: false });
      const question = _`Turn the query away from all keys, with the sink on. What do the keys keep of the weight?`;
      const answers = [this.left(this.away), two(keys.length / (keys.length + 1)), this.left(query), "1.00"];
      const away = () => this.become({ sink: true, vectors: [this.away, ...keys] });
      const ask = this.ask(question, [...new Set(answers)], answers[0], away);
      return [ask, this.toggle("sink", _`sink: a score of 0`, false)];
    }
    this.state.sink = false;
    const question = _`QK-norm gives all arrows one length. Which key has the largest weight then?`;
    return [
      this.ask(question, [...KEY_NAMES].slice(0, keys.length), this.winner(true), () => this.change("normed", true)),
      this.toggle("divided", _`divide by √d`, true),
      this.toggle("normed", _`QK-norm`, false),
    ];
  }

  get away() {
    return this.spec.query.map((x) => -x);
  }

  /* What the keys keep beside the sink. */
  left(query) {
    const vectors = [query, ...this.spec.keys];
    return two(1 - this.compute({ vectors, divided: true, normed: false, sink: true }).weights.at(-1));
  }

  /* The key with the largest weight, of the arrows that the page gives. */
  winner(normed) {
    const vectors = [this.spec.query, ...this.spec.keys];
    return KEY_NAMES[largest(this.compute({ vectors, divided: true, normed, sink: false }).weights)];
  }

  view(numbers) {
    return box("panels", this.plane(numbers), box("side", this.rows(numbers), this.say));
  }

  plane({ tips, feet, lengths, weights }) {
    const { vectors, normed, sink } = this.state;
    const start = [MIDDLE, MIDDLE];
    const [ends, shadows] = [tips, feet].map((those) => those.map(onPlane));
    const kind = (i) => (i ? "key" : "query");
    const far = tips[0].map((x) => (3.1 * x) / lengths[0]);
    const handles = ends.map((end, i) => this.handle(i, end));
    const arc = (_, i) => {
      const about = { "stroke-width": 1 + 15 * weights[i], "stroke-opacity": ink(weights[i]) };
      return path("arc", trace([start, ends[i + 1]]), about);
    };
    const label = _`The query, the keys, and the shadows of the keys on the query's line`;
    return group(300, 300, label, { class: "plane" }, [
      path("rim", `M${MIDDLE} 4V296M4 ${MIDDLE}H296`),
      text(4, 14, _`drag the tips`, "small muted"),
      text(296, 278, _`dots: the projections`, "small end muted"),
      text(296, 293, _`of the keys on q`, "small end muted"),
      normed && circle("ghost", UNIT * sqrt(2), MIDDLE, MIDDLE),
      path("line dotted query", trace([onPlane(far.map((x) => -x)), onPlane(far)])),
      shadows.map(arc),
      shadows.map((shadow, i) => path("ghost", trace([ends[i + 1], shadow]))),
      sink && this.hole(tips[0], weights.at(-1)),
      normed && vectors.map((vector, i) => path(`line dotted ${kind(i)}`, trace([start, onPlane(vector)]))),
      ends.map((end, i) => arrow(end, lengths[i], kind(i), i ? KEY_NAMES[i - 1] : "q")),
      shadows.map((shadow) => circle("bar-key", 3, ...shadow)),
      handles.slice(1),
      handles[0], // the query comes before what it covers
    ]);
  }

  /* The sink; its name is on the side that the query doesn't cross. */
  hole([right], weight) {
    const end = right >= 0;
    return [
      circle("rim", 8, MIDDLE, MIDDLE),
      circle("cell", 8, MIDDLE, MIDDLE, { "fill-opacity": ink(weight) }),
      text(MIDDLE + (end ? -12 : 12), MIDDLE + 24, _`sink`, `small halo ${end ? "end" : ""}`),
    ];
  }

  /* The tip of a vector, to be dragged, or turned and made longer by the arrow keys. */
  handle(i, [x, y]) {
    const vector = this.state.vectors[i];
    const angle = Math.round(direction(vector));
    const take = ([px, py]) => (this.held = [x - px, y - py]); // the tip is not quite where it was taken
    const move = ([px, py]) => this.put(i, [(px + this.held[0] - MIDDLE) / UNIT, (MIDDLE - py - this.held[1]) / UNIT]);
    const values = { "aria-valuenow": angle, "aria-valuemin": -180, "aria-valuemax": 180 };
    const about = {
      ...values,
      "aria-valuetext": _`at ${angle} degrees, length ${two(hypot(...vector))}`,
      onkeydown: arrows((down, right) => this.turn(i, direction(vector) - 5 * right, hypot(...vector) - 0.1 * down)),
      ...this.dragged(take, move),
    };
    const name = i ? _`key ${KEY_NAMES[i - 1]}` : _`query`;
    const label = _`${name}, left and right turn it, up and down change its length`;
    return handle(label, about, circle("ring", 12, x, y), circle("grip", 16, x, y)); // wide enough for a finger
  }

  put(i, vector) {
    const seen = this.state.normed ? this.state.vectors[i] : vector; // what QK-norm hides stays as it is
    this.turn(i, direction(vector), hypot(...seen));
  }

  turn(i, degrees, length) {
    this.change("vectors", this.state.vectors.with(i, vectorOf(degrees, length)));
  }

  /* Scores and weights, a row for each key. */
  rows({ lengths, angles, scores, weights }) {
    const reach = max(2, ...scores.map(abs));
    const high = 34 * (scores.length + Boolean(this.spec.away)); // of the rows
    const row = (weight, i) => {
      const [y, score, isKey] = [40 + 34 * i, scores[i] ?? 0, i < scores.length];
      if (!isKey && !this.state.sink) return null;
      return [
        text(0, y, isKey ? KEY_NAMES[i] : _`sink`, `strong ${isKey ? "key" : ""}`),
        isKey && text(74, y, `${angles[i]}°`, "small end"),
        isKey && text(124, y, two(lengths[i + 1]), "small end"),
        isKey && bar("grey", 184, 184 + (48 * score) / reach, y - 14, 18),
        text(score < 0 ? 188 : 180, y, two(score), `small ${score < 0 ? "" : "end"}`),
        bar("cell", 250, 251 + 60 * weight, y - 14, 18, { "fill-opacity": ink(weight) }),
        text(256 + 60 * weight, y, two(weight), "small"),
      ];
    };
    return drawing(340, 26 + high, _`Scores and weights of the keys`, [
      text(0, 12, _`key`, "small muted"),
      [_`angle`, _`length`].map((name, k) => text(74 + 50 * k, 12, name, "small muted end")),
      text(184, 12, _`score`, "small muted mid"),
      text(250, 12, _`weight`, "small muted"),
      path("line", `M184 22V${18 + high}`),
      weights.map(row),
    ]);
  }

  words({ lengths, angles, scores, weights }) {
    const { vectors, normed, sink } = this.state;
    const best = largest(weights);
    const near = largest(angles.map((angle) => -angle));
    const turned = !!this.spec.away && sink && String(vectors) === String([this.away, ...this.spec.keys]);
    const so = _`with a sink the keys don’t get it all`;
    const keys = two(1 - weights.at(-1));
    const kept = this.judged(this.left(this.away), so, turned);
    if (best === scores.length)
      return _`${kept}The sink, a score of 0, has the largest weight, ${two(weights[best])}, and the keys keep ${keys}: all other scores are negative.`;
    const first = _`Key ${KEY_NAMES[best]} has the largest weight, ${two(weights[best])}: its length is ${two(lengths[best + 1])}, and it is ${angles[best]}° from the query.`;
    if (sink) return _`${kept}${first} The sink, a score of 0, takes ${two(weights.at(-1))}: the keys keep ${keys}.`;
    if (max(...scores) < 0) return _`${first} All scores are negative, and still the weights sum to 1.`;
    const judged = String(vectors) === String([this.spec.query, ...this.spec.keys]);
    const long = _`key ${this.winner(false)} had won by its length`;
    if (normed && judged) return `${this.judged(this.winner(true), long)}${first}`;
    if (normed) return _`${first} QK-norm makes all lengths √2, so only directions count.`;
    if (near === best) return _`${first} No key is closer in direction.`;
    return _`${first} Key ${KEY_NAMES[near]} is closer in direction, ${angles[near]}°, but its length is ${two(lengths[near + 1])}.`;
  }

  table({ lengths, angles, scores, weights }) {
    const row = (score, i) => [KEY_NAMES[i], `${angles[i]}°`, ...[lengths[i + 1], score, weights[i]].map(two)];
    const sink = this.state.sink ? [[_`sink`, "", "", "0.00", two(weights.at(-1))]] : [];
    const head = [_`key`, _`angle to q`, _`length`, _`score`, _`weight`];
    return [head, ["q", "", two(lengths[0]), "", ""], ...scores.map(row), ...sink];
  }
}
