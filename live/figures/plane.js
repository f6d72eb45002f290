/* What makes a weight large, direction or length? */
import {
  ARROWS,
  Figure,
  abs,
  box,
  circle,
  clamp,
  dot,
  drawing,
  hypot,
  ink,
  largest,
  make,
  max,
  min,
  one,
  path,
  rect,
  see,
  set,
  softmax,
  spot,
  sqrt,
  text,
  trace,
  two,
} from "../core.js";
import planeCss from "./plane.css";

const UNIT = 46; // of the drawing, for a length of 1
const MIDDLE = 150;
const SHORTEST = 0.3;
const LONGEST = 2.9;
const KEY_NAMES = "abcd";
const CORNERS = [-45, -135, 135, 45]; // where there is room between the axes, in degrees
const onPlane = ([x, y]) => [MIDDLE + UNIT * x, MIDDLE - UNIT * y];
const direction = ([x, y]) => (Math.atan2(y, x) * 180) / Math.PI;

/* A vector of a direction in degrees and a length that fits into the drawing. */
function vectorOf(degrees, length) {
  const angle = (degrees * Math.PI) / 180,
    size = clamp(length, SHORTEST, LONGEST);
  return [Math.cos(angle), Math.sin(angle)].map((x) => +(size * x).toFixed(3));
}

export default class Plane extends Figure {
  static style = planeCss;
  static moves = ["tips", "feet", "lengths", "scores", "weights"];

  /* `vectors` begins with the query; the last weight is that of the sink. */
  static compute(spec, { vectors, divided, normed, sink }) {
    const fits = (v) => v.length === 2 && abs(hypot(...v) - 1.6) < 1.31;
    if (vectors.length !== spec.vectors.length || !vectors.every(fits)) throw RangeError("a foreign state");
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

  build() {
    const { vectors } = this.spec;
    this.state.vectors = vectors;
    this.names = vectors.map((_, i) => (i ? `key ${KEY_NAMES[i - 1]}` : "query"));
    const each = (kind) => vectors.map((_, i) => path(`${kind} ${i ? "key" : "query"}`));
    [this.raw, this.shafts] = [each("raw"), each("shaft")];
    this.heads = vectors.map((_, i) => path(i ? "bar-key" : "bar-query"));
    this.arcs = vectors.slice(1).map(() => path("arc"));
    this.drops = vectors.slice(1).map(() => path("ghost"));
    this.ends = vectors.slice(1).map(() => circle("bar-key", 3)); // of the shadows
    this.labels = vectors.map((_, i) => text(0, 0, i ? KEY_NAMES[i - 1] : "q", `strong mid letter ${i ? "key" : "query"}`));
    this.course = path("course");
    this.round = circle("ghost", UNIT * sqrt(2), MIDDLE, MIDDLE);
    this.hole = make("g", {}, circle("rim", 8, MIDDLE, MIDDLE), (this.drain = circle("cell", 8, MIDDLE, MIDDLE)), (this.sinkName = text(0, 0, "sink", "small mid letter")));
    this.rings = vectors.map(() => circle("ring", 12));
    this.grips = vectors.map(() => circle("grip", 16)); // wide enough for a finger
    this.handles = vectors.map((_, i) => this.handle(i));
    this.plane = set(
      drawing(
        300,
        300,
        "The query, the keys, and the shadows of the keys on the query's line",
        path("rim", `M${MIDDLE} 4V296M4 ${MIDDLE}H296`),
        text(4, 14, "drag the tips", "small muted"),
        text(296, 278, "dots: the shadows end", "small end muted"),
        text(296, 293, "here on the line of q", "small end muted"),
        this.round,
        this.course,
        this.arcs,
        this.drops,
        this.hole,
        this.raw,
        this.shafts,
        this.heads,
        this.labels,
        this.ends,
        [...this.handles.slice(1), this.handles[0]], // the query comes before what it covers
      ),
      { role: "group", class: "plane" },
    );
    this.say = make("p", { class: "say", "aria-live": "polite" });
    return [
      box("controls", this.toggle("divided", "divide by √d", true), this.toggle("normed", "QK-norm", false), this.toggle("sink", "sink: a score of 0", false)),
      box("panels", this.plane, box("side", this.rows(), this.say)),
    ];
  }

  rows() {
    const names = [...this.names.slice(1), "sink"];
    const row = (kind, x, width) => names.map((_, i) => rect(kind, x, 26 + 34 * i, width, 18, 2));
    const words = (x, kind) => names.map((_, i) => text(x, 40 + 34 * i, "", kind));
    this.scores = row("bar-key", 184, 0).slice(0, -1);
    this.weights = row("cell", 250, 0);
    this.angles = words(74, "small end");
    this.lengths = words(118, "small end");
    this.products = words(0, "small");
    this.shares = words(0, "small");
    const heads = [
      [0, "key", ""],
      [74, "angle", "end"],
      [118, "length", "end"],
      [184, "score", "mid"],
      [250, "weight", ""],
    ];
    this.lines = names.map((name, i) => text(0, 40 + 34 * i, name.slice(-1), "strong key"));
    set(this.lines.at(-1), { class: "strong" }).textContent = "sink";
    return drawing(
      340,
      26 + 34 * names.length,
      "Scores and weights of the keys",
      heads.map(([x, label, kind]) => text(x, 12, label, `small muted ${kind}`)),
      path("line", `M184 22V${18 + 34 * names.length}`),
      this.lines,
      this.scores,
      this.weights,
      this.angles,
      this.lengths,
      this.products,
      this.shares,
    );
  }

  /* The tip of a vector, to be dragged, or turned and made longer by the arrow keys. */
  handle(i) {
    let held = null; // where the tip is from where it was taken
    const move = (event) => {
      const at = spot(this.plane, event).map((x, axis) => x + held[axis]);
      this.put(i, [(at[0] - MIDDLE) / UNIT, (MIDDLE - at[1]) / UNIT]);
    };
    const stop = () => (held = null);
    return make(
      "g",
      {
        role: "slider",
        tabindex: 0,
        class: "handle",
        "aria-label": `${this.names[i]}, left and right turn it, up and down change its length`,
        onkeydown: (event) => this.key(i, event),
        onpointerdown: (event) => {
          const [x, y] = spot(this.plane, event),
            [tipX, tipY] = onPlane(this.compute().tips[i]);
          held = [tipX - x, tipY - y];
          this.grips[i].setPointerCapture(event.pointerId);
        },
        onpointermove: (event) => held && move(event),
        onpointerup: stop,
        onpointercancel: stop,
      },
      this.rings[i],
      this.grips[i],
    );
  }

  put(i, vector) {
    const { vectors, normed } = this.state;
    const length = hypot(...(normed ? vectors[i] : vector)); // what QK-norm hides stays as it is
    this.turn(i, direction(vector), length);
  }

  turn(i, degrees, length) {
    const moved = vectorOf(degrees, length);
    const vectors = this.state.vectors.map((each, k) => (k === i ? moved : each));
    this.change("vectors", vectors);
  }

  key(i, event) {
    if (!ARROWS[event.key]) return;
    const [down, right] = ARROWS[event.key],
      vector = this.state.vectors[i];
    this.turn(i, direction(vector) - 5 * right, hypot(...vector) - 0.1 * down);
    event.preventDefault();
  }

  paint({ tips, feet, lengths, angles, scores, weights }) {
    const { vectors, normed, sink } = this.state;
    const start = [MIDDLE, MIDDLE];
    tips.forEach((tip, i) => {
      const [x, y] = onPlane(tip),
        [u, v] = [(x - MIDDLE) / (UNIT * lengths[i]), (y - MIDDLE) / (UNIT * lengths[i])];
      const along = (back, side) => [x - back * u - side * v, y - back * v + side * u];
      set(this.shafts[i], { d: trace([start, along(8, 0)]) });
      set(this.heads[i], { d: trace([[x, y], along(11, 5), along(11, -5)]) + "Z" });
      see(set(this.raw[i], { d: trace([start, onPlane(vectors[i])]) }), normed);
      const [labelX, labelY] = i ? along(-15, 0) : along(0, 15); // none on the line of the shadows
      set(this.labels[i], { x: one(labelX), y: one(labelY + 5) });
      for (const each of [this.rings[i], this.grips[i]]) set(each, { cx: one(x), cy: one(y) });
      const [angle, length] = [Math.round(direction(vectors[i])), hypot(...vectors[i])];
      set(this.handles[i], {
        "aria-valuenow": angle,
        "aria-valuemin": -180,
        "aria-valuemax": 180,
        "aria-valuetext": `at ${angle} degrees, length ${two(length)}`,
      });
    });
    const far = tips[0].map((x) => (3.1 * x) / lengths[0]);
    set(this.course, { d: trace([onPlane(far.map((x) => -x)), onPlane(far)]) });
    see(this.round, normed);
    see(this.hole, sink);
    // Its name is between the axes, where the nearest arrow is farthest in direction.
    const lines = [...tips, tips[0].map((x) => -x)].map(direction);
    const gap = (corner) => min(...lines.map((line) => min(abs(line - corner), 360 - abs(line - corner))));
    const [right, up] = vectorOf(CORNERS[largest(CORNERS.map(gap))], 1);
    set(this.sinkName, { x: one(MIDDLE + 34 * right), y: one(MIDDLE - 26 * up + 5) });
    const reach = max(2, ...scores.map(abs));
    weights.forEach((weight, i) => {
      const tip = tips[i + 1];
      const width = one(1 + 60 * weight);
      set(this.weights[i], { width, "fill-opacity": ink(weight) });
      set(this.shares[i], { x: one(256 + 60 * weight) }).textContent = two(weight);
      const score = scores[i] ?? 0;
      this.products[i].textContent = two(score);
      set(this.products[i], { x: score < 0 ? 188 : 180, class: `small ${score < 0 ? "" : "end"}` });
      if (!tip) return;
      set(this.arcs[i], {
        d: trace([start, onPlane(tip)]),
        "stroke-width": one(1 + 15 * weight),
        "stroke-opacity": ink(weight),
      });
      set(this.drops[i], { d: trace([onPlane(tip), onPlane(feet[i])]) });
      const [endX, endY] = onPlane(feet[i]).map(one);
      set(this.ends[i], { cx: endX, cy: endY });
      const size = (48 * abs(score)) / reach;
      set(this.scores[i], { x: one(score < 0 ? 184 - size : 184), width: one(size) });
      this.angles[i].textContent = `${angles[i]}°`;
      this.lengths[i].textContent = two(lengths[i + 1]);
    });
    set(this.drain, { "fill-opacity": ink(weights.at(-1)) });
    for (const list of [this.lines, this.weights, this.shares, this.products]) see(list.at(-1), sink);
  }

  words({ lengths, angles, scores, weights }) {
    const { normed, sink } = this.state;
    const best = largest(weights),
      near = angles.indexOf(min(...angles)),
      rest = weights.at(-1);
    const name = (i) => `key ${KEY_NAMES[i]}`;
    const none = max(...scores) < 0;
    if (best === scores.length) return `All scores are negative. The sink, one more score of 0, takes ${two(rest)} of the weight.`;
    const most = `Key ${KEY_NAMES[best]} has the largest weight, ${two(weights[best])}`;
    const [its, other] = [best, near].map((i) => lengths[i + 1]);
    // A rival with a negative score would lose to a key of any length.
    const longer = (i) => lengths[i + 1] > its + 0.005;
    const far = largest(scores.map((score, i) => (score > 0 && longer(i) ? lengths[i + 1] : 0)));
    const enough =
      scores[far] > 0 && longer(far)
        ? `, and long enough, ${two(its)}, to beat ${name(far)}, ${two(lengths[far + 1])} long`
        : normed || scores.some((_, i) => longer(i))
          ? ""
          : `, and also the longest key, ${two(its)}`;
    const why =
      angles[best] > angles[near]
        ? `, because it is ${its > other ? "longer" : "shorter"} than ${name(near)} ` +
          `(${two(its)} against ${two(other)}), which is closer in direction: ` +
          `${angles[near]}° from the query, not ${angles[best]}°.`
        : `. It is the closest in direction, ${angles[best]}° from the query` + `${angles[best] < 90 ? enough : ""}.`;
    const equal = normed ? " QK-norm makes all lengths √2, so only directions count." : "";
    const end = sink ? ` The sink, one more score of 0, takes ${two(rest)}.` : none ? " All scores are negative, and still the weights sum to 1." : "";
    return most + why + equal + end;
  }

  table({ lengths, angles, scores, weights }) {
    const rows = scores.map((score, i) => [KEY_NAMES[i], `${angles[i]}°`, two(lengths[i + 1]), two(score), two(weights[i])]);
    const sink = this.state.sink ? [["sink", "", "", "0.00", two(weights.at(-1))]] : [];
    return [["key", "angle to q", "length", "score", "weight"], ["q", "", two(lengths[0]), "", ""], ...rows, ...sink];
  }
}
