/* A lookup made soft, equation (1.2), among the names of the cities of the world: a query to type, and a
temperature to move. Of the page: name, the query at the start; temperature. lookup.py adds cities, each with all its
names, the keys, compared by their pairs of letters; spots, degrees east and north, the values; and land to draw. */
import { Figure } from "../core.js";
import { bar, box, circle, drawing, group, ink, nearby, path, spot, text, trace } from "../drawing.js";
import { count, dot, floor, largest, max, min, one, softmax, sqrt, sum, two } from "../numbers.js";
import lookupCss from "./lookup.css";

const TEMPERATURES = [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 3, 10];
const HIGH = 0.48; // of the map, when it is 1 wide
const STRETCH = 1.3; // a degree north is so much longer on it than a degree east
const NAMED = 8; // cities with the largest weights have their names on it
const LISTED = 5; // keys with a bar of their own
const ALIKE = 0.49; // a score of a name that may be meant, though half of its pairs differ

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

/* The corners around points, in order: in each direction, by half degrees, the point that is furthest. */
function hull(points) {
  const directions = count(720).map((k) => [Math.cos((k * Math.PI) / 360), Math.sin((k * Math.PI) / 360)]);
  const furthest = (direction) => points[largest(points.map((point) => dot(point, direction)))];
  return [...new Set(directions.map(furthest))];
}

/* The part of the world that is shown: its west, its east, and its middle north. */
function frameOf(spots) {
  const ends = (axis) => [min, max].map((end) => end(...spots.map((spot) => spot[axis])));
  const [[west, east], [south, north]] = [0, 1].map(ends);
  return [1.03 * west - 0.03 * east, 1.03 * east - 0.03 * west, (south + north) / 2];
}

/* The keys: each has a name, and its city has the value. `entries` are theirs by pair. */
function indexed({ cities, spots }) {
  const names = cities.flat();
  const cityOf = cities.flatMap((all, k) => all.map(() => k));
  const entries = new Map();
  names.forEach((name, i) => {
    for (const [pair, entry] of letterPairs(name)) entries.set(pair, [...(entries.get(pair) ?? []), [i, entry]]);
  });
  const values = [0, 1].map((axis) => cityOf.map((k) => spots[k][axis]));
  return { names, cities, spots, cityOf, values, entries, hull: hull(spots), frame: frameOf(spots) };
}
const indices = new WeakMap(); // each made once
const keysOf = (spec) => indices.get(spec) ?? indices.set(spec, indexed(spec)).get(spec);

/* Words beside places, each where there is room, or not at all: `wanted` are [words, place, how far from
it, class], the first of them first. A place that is given stays free. */
function labelled(wanted, [x, y], wide, high) {
  const taken = [[x - 7, y - 7, x + 7, y + 7]];
  return wanted.map(([words, [x, y], r, kind = "small halo"]) => {
    const size = 7 * words.length; // about
    const around = ([left, base]) => [left - 3, base - 11, left + size + 3, base + 3];
    const above = [x - size / 2, y - r - 2];
    const start = [[x + r, y + 4], [x - r - size, y + 4], above, [above[0], y + r + 10]].find((corner) => {
      const [left, top, right, bottom] = around(corner);
      const free = ([l, t, r, b]) => left > r || right < l || top > b || bottom < t;
      return left > 0 && right < wide && top > 0 && bottom < high && taken.every(free);
    });
    if (start) taken.push(around(start));
    return start && text(...start, words, kind);
  });
}

const three = (x) => x.toFixed(3);

export default class Lookup extends Figure {
  static title = _`The answer is an average of the places that match`;
  static hint = _`press Play and watch the answer. Then type your own city, in any script, or Córdoba, the name of two. Press a city twice: its next name has the same value.`;
  static style = lookupCss;
  static moves = ["weights", "output", "cooling"];
  static measured = true;

  static compute(spec, { name, temperature }) {
    const { names, values, entries } = keysOf(spec);
    const scores = names.map(() => 0);
    for (const [pair, entry] of letterPairs(name))
      for (const [i, other] of entries.get(pair) ?? []) scores[i] += entry * other;
    const weigh = (temperature) => softmax(scores.map((score) => score / temperature));
    const mix = (weights) => values.map((axis) => dot(weights, axis));
    const weights = weigh(temperature);
    const cooling = count(41).map((k) => mix(weigh(10 ** (1 - 0.075 * k)))); // from 10 to 0.01
    const order = count(names.length).sort((i, j) => scores[j] - scores[i] || i - j);
    return { scores, weights, order, output: mix(weights), cooling };
  }

  controls() {
    const { name, temperature } = this.spec;
    const slider = this.slider("temperature", _`temperature`, TEMPERATURES, temperature);
    // Down to the coldest and back, as the next name is looked up at whatever it ends on.
    const walk = [...TEMPERATURES.toReversed(), ...TEMPERATURES.slice(1, TEMPERATURES.indexOf(temperature) + 1)];
    return [this.entry("name", _`query`, name), this.together(slider, this.player("temperature", walk, 700))];
  }

  view(numbers) {
    return box("panels alone", this.map(numbers), this.rows(numbers));
  }

  /* The answer, a string to each city whose share of the weight can be seen, and the way that the answer
  goes while the temperature falls. The units are pixels, so that names have one size on all screens. */
  map({ weights, output, cooling }) {
    const { cities, spots, cityOf, hull, frame } = keysOf(this.spec);
    const [west, east, middle] = frame;
    const wide = max(this.stage.clientWidth, 300);
    const [high, unit] = [HIGH * wide, wide / (east - west)];
    const at = ([e, n]) => [(e - west) * unit, high / 2 - (n - middle) * unit * STRETCH];
    const [places, answer, [left, top]] = [spots.map(at), at(output), at([0, 0])];
    const shares = spots.map(() => 0);
    weights.forEach((weight, i) => (shares[cityOf[i]] += weight));
    const string = (share, k) => {
      const about = { "stroke-width": one(1 + 8 * share), "stroke-opacity": ink(0.25 + share) };
      return share > 0.01 && path("arc", trace([answer, places[k]]), about);
    };
    const size = (share) => one(1 + wide / 1200 + 10 * sqrt(share));
    const light = (share, k) => circle("cell", size(share), ...places[k], { "fill-opacity": ink(0.3 + share) });
    const fifth = unit / 5; // the land is drawn in fifths of a degree
    const scale = [fifth, 0, 0, -fifth * STRETCH, left, top].map((x) => x.toFixed(4)).join(" ");
    const named = count(spots.length).sort((i, j) => shares[j] - shares[i]);
    const shown = named.slice(0, NAMED).filter((k) => shares[k] > 0.015);
    const seen = [...new Set([this.state.focus, ...shown])].filter((k) => k in spots);
    const labels = seen.map((k) => [cities[k][0], places[k], 8 + 9 * sqrt(shares[k])]);
    const near = (event) => nearby(places, spot(event.currentTarget, event), 12);
    const press = (names) => names && this.change("name", names[(names.indexOf(this.state.name) + 1) % names.length]);
    const more = {
      role: "img",
      class: "map",
      onclick: (event) => press(cities[near(event)]), // pressed again, it asks by its next name
      onpointermove: (event) => this.focus(near(event)),
      onpointerleave: () => this.focus(null),
    };
    return group(one(wide), one(high), _`Map of the cities and of the answer`, more, [
      path("hull", trace(hull.map(at)) + "Z"),
      path("land", this.spec.land, { transform: `matrix(${scale})` }),
      shares.map(string),
      path("ghost", trace(cooling.map(at))),
      shares.map(light),
      circle("fill-value", 7, ...answer),
      labelled([[_`answer`, answer, 11, "small strong value"], ...labels], answer, wide, high),
    ]);
  }

  /* Bars of the best keys, and one of all others, in two columns where there is room. */
  rows({ scores, weights, order }) {
    const { names, cities, cityOf } = keysOf(this.spec);
    const best = order.slice(0, LISTED).filter((i) => scores[i]);
    const others = order.slice(best.length);
    const all = max(this.stage.clientWidth, 300);
    const columns = all < 620 ? 1 : 2;
    const [wide, high] = [(all + 24) / columns - 24, Math.ceil((best.length + 1) / columns)];
    const row = (weight, k, name, ...city) => {
      const [left, y] = [(wide + 24) * floor(k / high), 16 + 22 * (k % high)];
      const [from, to] = [left + 200, left + wide - 50];
      return [
        text(left, y, name, city.length ? "small key" : "small muted"),
        city.map((each) => text(left + 104, y, each, "small value")),
        bar("cell", from, from + weight * (to - from), y - 12, 16, { "fill-opacity": ink(0.2 + weight) }),
        text(left + wide, y, three(weight), "small end"),
      ];
    };
    const short = (name) => (name.length > 13 ? `${name.slice(0, 12)}…` : name);
    const rest = _`${best.length ? _`the other` : _`all`} ${others.length} keys`;
    return drawing(all, 22 * high + 2, _`The weights of the best keys`, [
      best.map((i, k) => row(weights[i], k, short(names[i]), short(cities[cityOf[i]][0]))),
      row(sum(others.map((i) => weights[i])), best.length, rest),
    ]);
  }

  words({ scores, weights, order }) {
    const { names, cities, cityOf } = keysOf(this.spec);
    const { name, temperature } = this.state;
    const [best] = order;
    if (!scores[best])
      return _`No key shares a pair of letters with “${name}”, so all ${names.length} weights are equal.`;
    const score = _`score ${two(scores[best])}, weight ${three(weights[best])} at temperature ${temperature}`;
    const warning = _`No name here is much like “${name}”, and attention answers all the same. `;
    const unlike = scores[best] < ALIKE ? warning : "";
    const equal = order.filter((i) => scores[i] > scores[best] - 1e-9);
    if (new Set(equal.map((i) => cityOf[i])).size > 1)
      return _`${unlike}“${name}” matches ${equal.length} keys equally well: each has ${score}. No temperature can choose between them.`;
    const city = cities[cityOf[best]][0];
    const key = names[best] === city ? city : `${names[best]} (${city})`;
    return _`${unlike}“${name}” matches ${key} best: ${score}.`;
  }

  table({ scores, weights, order }) {
    const { names, cities, cityOf } = keysOf(this.spec);
    const rows = order.slice(0, 40).map((i) => [names[i], cities[cityOf[i]][0], two(scores[i]), three(weights[i])]);
    return [[_`key`, _`city`, _`score`, _`weight`], ...rows];
  }
}
