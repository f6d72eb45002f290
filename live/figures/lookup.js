/* A lookup made soft, among the names of the cities of the world. */
import { Figure, abs, box, circle, count, dot, drawing, hypot, ink, make, max, min, one, path, see, set, softmax, spot, sqrt, sum, text, trace, two } from "../core.js";
import lookupCss from "./lookup.css";

const HIGH = 0.48; // of the map, when it is 1 wide
const STRETCH = 1.3; // a degree north is so much longer on it than a degree east
const FEW = 20; // so many cities are all named on it
const NAMED = 8; // of more, these with the largest weights
const LISTED = 5; // keys with a bar of their own

/* The counts of the letter pairs of a name, as a vector of length 1: {pair: entry}. Letters are
those of any script; accents do not count. */
function letterPairs(name) {
  const plain = name
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{Script=Inherited}/gu, "")
    .replace(/[\s\p{Dash}]+/gu, " ")
    .replace(/[^\p{L}\p{M} ]/gu, "")
    .trim();
  const spelled = [...` ${plain} `];
  const pairs = new Map();
  for (const i of count(plain ? spelled.length - 1 : 0)) {
    const pair = spelled[i] + spelled[i + 1];
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  const length = sqrt(sum([...pairs.values()].map((n) => n * n)));
  for (const [pair, n] of pairs) pairs.set(pair, n / length);
  return pairs;
}

/* The corners around points, in order (Andrew's monotone chain). */
function hull(points) {
  const half = (list) => {
    const chain = [];
    for (const p of list) {
      for (; chain.length > 1; chain.pop()) {
        const [a, b] = chain.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) > (b[1] - a[1]) * (p[0] - a[0])) break;
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return [...half(sorted), ...half(sorted.reverse())];
}

/* The part of the world that holds some places: its west, its east, and its middle north. */
function frameOf(places) {
  const [[west, east], [south, north]] = [0, 1].map((axis) => {
    const all = places.map((place) => place[axis]);
    return [min(...all), max(...all)];
  });
  const half = max(0.53 * (east - west), (0.55 * (north - south) * STRETCH) / HIGH, 1);
  return [(west + east) / 2 - half, (west + east) / 2 + half, (south + north) / 2];
}

/* The keys to choose from, as cities with their names. */
const KEY_SETS = {
  few: ["few cities", ({ names, places }) => [names.map((name) => [name]), places]],
  one: ["one a city", ({ cities, spots }) => [cities.map((all) => all.split("/", 1)), spots]],
  all: ["all names", ({ cities, spots }) => [cities.map((all) => all.split("/")), spots]],
};
const prepared = new WeakMap();

/* Such a set of keys: each has a name, and its city has the value. `entries` are theirs by pair. */
function keysOf(spec, which) {
  const sets = prepared.get(spec) ?? prepared.set(spec, {}).get(spec);
  return (sets[which] ??= (() => {
    const [cities, spots] = KEY_SETS[which][1](spec);
    const names = cities.flat();
    const cityOf = cities.flatMap((all, k) => all.map(() => k));
    const entries = new Map();
    names.forEach((name, i) => {
      for (const [pair, entry] of letterPairs(name)) entries.set(pair, [...(entries.get(pair) ?? []), [i, entry]]);
    });
    const values = [0, 1].map((axis) => cityOf.map((k) => spots[k][axis]));
    const drawn = { hull: hull(spots), frame: frameOf(spots) };
    return { names, cities, spots, cityOf, values, entries, ...drawn };
  })());
}

/* How far it is from one place on the globe to another. */
function kilometres([east, north], [e, n]) {
  const turn = Math.PI / 180;
  const half = (angle) => Math.sin((angle * turn) / 2) ** 2;
  const shrunk = Math.cos(n * turn) * Math.cos(north * turn);
  return 2 * 6371 * Math.asin(sqrt(min(half(n - north) + shrunk * half(e - east), 1)));
}

const far = (km) => `${Math.round(km).toLocaleString("en")}\u00a0km`;
const three = (x) => x.toFixed(3);

export default class Lookup extends Figure {
  static style = lookupCss;

  static moves = ["weights", "output", "cooling", "frame"];

  static compute(spec, { name, temperature, keys }) {
    if (!spec.temperatures.includes(temperature)) throw new RangeError("no such temperature");
    const { names, values, entries, frame } = keysOf(spec, keys);
    const scores = names.map(() => 0);
    for (const [pair, entry] of letterPairs(name)) for (const [i, other] of entries.get(pair) ?? []) scores[i] += entry * other;
    const weigh = (temperature) => softmax(scores.map((score) => score / temperature));
    const mix = (weights) => values.map((axis) => dot(weights, axis));
    const weights = weigh(temperature);
    const cooling = count(41).map((k) => mix(weigh(10 ** (1 - 0.075 * k)))); // from 10 to 0.01
    const order = count(names.length).sort((i, j) => scores[j] - scores[i] || i - j);
    return { scores, weights, order, output: mix(weights), cooling, frame };
  }

  get keys() {
    return keysOf(this.spec, this.state.keys);
  }

  build() {
    const { name, temperature, temperatures, land } = this.spec;
    const sets = Object.keys(KEY_SETS).map((which) => [which, keysOf(this.spec, which)]);
    const options = sets.map(([which, { names }]) => make("option", { value: which }, `${names.length}: ${KEY_SETS[which][0]}`));
    const query = this.entry("name", "query", name);
    set(query.querySelector("input"), { maxlength: 100 }); // more than a name: nothing is cut unseen
    const play = this.player("temperature", [...temperatures].reverse(), 500);
    const hot = () => this.clock || (this.state.temperature = temperatures[0]); // whose next is the highest
    play.addEventListener("click", hot, true); // before what it does
    const choice = make("select", { onchange: () => this.change("keys", choice.value) }, options);
    const most = max(...sets.map(([, { spots }]) => spots.length));
    this.land = path("land", land);
    this.hull = path("hull");
    this.path = path("ghost");
    this.strings = count(most).map(() => path("arc"));
    this.dots = count(most).map(() => circle("cell", 2));
    this.names = count(FEW + 1).map(() => text(0, 0, "", "small"));
    this.answer = circle("fill-value", 7);
    this.label = text(0, 0, "answer", "small strong value");
    this.wide = 340; // until it is known
    this.map = drawing(
      this.wide,
      this.wide * HIGH,
      "Map of the cities and of the answer",
      this.hull,
      this.land,
      this.strings,
      this.path,
      this.dots,
      this.names,
      this.answer,
      this.label,
    );
    set(this.map, {
      class: "map",
      onclick: (event) => this.press(this.near(event)),
      onpointermove: (event) => this.point(this.near(event)),
      onpointerleave: () => this.point(null),
    });
    // Its units are pixels, so that names have one size on all screens.
    new ResizeObserver(([{ contentRect }]) => {
      if (!contentRect.width || abs(contentRect.width - this.wide) < 1) return;
      this.wide = contentRect.width;
      this.paint(this.shown);
    }).observe(this.map);
    this.rows = count(LISTED).map(() => {
      const name = make("bdi", { class: "name" });
      return this.row({ name, city: make("span", { class: "city" }) });
    });
    this.rest = this.row({ name: make("span", { class: "rest" }) });
    const rows = [...this.rows, this.rest].map(({ node }) => node);
    return [
      box(
        "controls",
        query,
        box("together", this.slider("temperature", "temperature", temperatures, temperature), play),
        this.control("keys", "keys", "all", choice, () => (choice.value = this.state.keys)),
      ),
      box("panels", this.map, box("rows", rows)),
    ];
  }

  row(words) {
    const parts = { ...words, bar: box("bar"), share: make("span") };
    return { ...parts, node: box("row", Object.values(parts)) };
  }

  /* Where a place is on the map. */
  at([east, north]) {
    const [west, end, middle] = this.shown.frame;
    const unit = this.wide / (end - west);
    return [(east - west) * unit, (this.wide * HIGH) / 2 - (north - middle) * unit * STRETCH];
  }

  /* The city under a pointer. */
  near(event) {
    const [x, y] = spot(this.map, event);
    const away = this.keys.spots.map((place) => {
      const [left, top] = this.at(place);
      return hypot(left - x, top - y);
    });
    const least = min(...away);
    return least < 12 ? away.indexOf(least) : null;
  }

  /* A city that is pressed again asks by its next name. */
  press(k) {
    if (k === null) return;
    const names = this.keys.cities[k];
    this.change("name", names[(names.indexOf(this.state.name) + 1) % names.length]);
  }

  point(k) {
    if (k === this.pointed) return;
    this.pointed = k;
    this.write();
  }

  paint(numbers) {
    this.shown = numbers;
    const { weights, output, cooling, frame } = numbers;
    const { spots, cityOf, hull } = this.keys;
    const { wide } = this;
    const all = (places) => trace(places.map((place) => this.at(place)));
    set(this.map, { viewBox: `0 0 ${one(wide)} ${one(wide * HIGH)}` });
    const unit = wide / (frame[1] - frame[0]) / 5; // the land is drawn in fifths of a degree
    const [left, top] = this.at([0, 0]);
    const moved = [unit, 0, 0, -unit * STRETCH, left, top].map((x) => x.toFixed(4));
    set(this.land, { transform: `matrix(${moved.join(" ")})` });
    set(this.hull, { d: all(hull) + "Z" });
    set(this.path, { d: all(cooling) });
    const [x, y] = this.at(output);
    set(this.answer, { cx: one(x), cy: one(y) });
    this.shares = spots.map(() => 0); // of the weight, by city
    weights.forEach((weight, i) => (this.shares[cityOf[i]] += weight));
    const least = spots.length > FEW ? 1 + wide / 1200 : 3;
    this.dots.forEach((city, k) => {
      const share = this.shares[k];
      const string = this.strings[k];
      see(city, k in spots);
      see(string, share > 0.0005);
      if (!(k in spots)) return;
      const [cx, cy] = this.at(spots[k]).map(one);
      const r = one(least + 10 * sqrt(share));
      set(city, { cx, cy, r, "fill-opacity": ink(0.3 + share) });
      if (share > 0.0005)
        set(string, {
          d: `M${one(x)} ${one(y)}L${cx} ${cy}`,
          "stroke-width": (0.5 + 6 * share).toFixed(2),
          "stroke-opacity": ink(0.1 + share),
        });
    });
    this.list(numbers);
    this.write();
  }

  /* Bars of the best keys, and one of all others. */
  list({ scores, weights, order }) {
    const { names, cities, cityOf } = this.keys;
    const found = order.slice(0, LISTED).filter((i) => scores[i]);
    const fill = ({ bar, share }, weight) => {
      Object.assign(bar.style, {
        width: `${(100 * weight).toFixed(1)}%`,
        opacity: ink(0.2 + weight),
      });
      share.textContent = three(weight);
    };
    this.rows.forEach((row, k) => {
      const i = found[k];
      row.node.hidden = !(k in found);
      if (row.node.hidden) return;
      row.name.textContent = names[i];
      row.city.textContent = cities[cityOf[i]][0];
      fill(row, weights[i]);
    });
    const others = order.slice(found.length);
    this.rest.name.textContent = `${found.length ? "the other" : "all"} ${others.length} keys`;
    fill(this.rest, sum(others.map((i) => weights[i])));
  }

  /* Names beside the dots, where there is room: of the city that is pointed at, then by weight. */
  write() {
    const { cities, spots } = this.keys;
    const { shares, wide } = this;
    const high = wide * HIGH;
    const few = spots.length <= FEW;
    const best = count(spots.length).sort((i, j) => shares[j] - shares[i]);
    const shown = few ? best : best.slice(0, NAMED).filter((k) => shares[k] > 0.015);
    const wanted = [...new Set([this.pointed, ...shown])].filter((k) => k in spots);
    const [x, y] = this.at(this.shown.output);
    const dots = few ? spots.map((place) => this.at(place)) : [];
    const taken = [[x, y], ...dots].map(([x, y]) => [x - 7, y - 7, x + 7, y + 7]);
    const place = (label, words, x, y, r) => {
      const size = 6.4 * words.length;
      const start = [
        [x + r, y + 4],
        [x - r - size, y + 4],
        [x - size / 2, y - r - 2],
        [x - size / 2, y + r + 10],
      ].find(([left, base]) => {
        const [top, right, bottom] = [base - 11, left + size, base + 3];
        return left > 0 && right < wide && top > 0 && bottom < high && taken.every(([l, t, r, b]) => left > r || right < l || top > b || bottom < t);
      });
      see(label, start);
      label.textContent = words;
      if (!start) return;
      taken.push([start[0] - 3, start[1] - 11, start[0] + size + 3, start[1] + 3]);
      set(label, { x: one(start[0]), y: one(start[1]) });
    };
    place(this.label, "answer", x, y, 11);
    this.names.forEach((label, i) => {
      const k = wanted[i];
      if (k === undefined) return see(label, false);
      place(label, cities[k][0], ...this.at(spots[k]), 8 + 9 * sqrt(shares[k]));
    });
  }

  words({ scores, weights, order, output }) {
    const { names, cities, spots, cityOf } = this.keys;
    const { name, temperature } = this.state;
    const away = spots.map((place) => kilometres(place, output));
    const nearest = away.indexOf(min(...away));
    const near = `The answer is ${far(away[nearest])} from the nearest city, ${cities[nearest][0]}.`;
    const [best] = order;
    if (!scores[best]) {
      const why = letterPairs(name).size ? `No key shares a pair of letters with “${name}”` : "There are no letters in this query";
      return `${why}, so all ${names.length} weights are equal. ${near}`;
    }
    const score = two(scores[best]);
    const weight = `${three(weights[best])} at temperature ${temperature}`;
    const equal = order.filter((i) => scores[i] > scores[best] - 1e-9);
    if (new Set(equal.map((i) => cityOf[i])).size > 1)
      return `“${name}” matches ${equal.length} keys equally well: each has score ${score} and weight ` + `${weight}, and no temperature can choose between them. ${near}`;
    const city = cities[cityOf[best]][0];
    const key = names[best] === city ? city : `${names[best]}, a name of ${city}`;
    return `The key that “${name}” matches best is ${key}: score ${score}, weight ${weight}. ` + `The answer is ${far(away[cityOf[best]])} from ${city}.`;
  }

  table({ scores, weights, order }) {
    const { names, cities, cityOf } = this.keys;
    const rows = order.slice(0, 40).map((i) => [names[i], cities[cityOf[i]][0], two(scores[i]), three(weights[i])]);
    return [["key", "city", "score", "weight"], ...rows];
  }
}
