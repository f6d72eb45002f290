/* Attention maps with what each layer was told, one of them ill: press the one that can't be right. Of the page:
rounds, each of six maps [name, allowed, weights]; allowed, (n, m), where a query may attend; weights, (n, m). In
exactly one map of a round, weights are where they aren't allowed, are missing, or a row doesn't sum to 1. */
import { Figure } from "../core.js";
import { box, h, hatch, ink, rect, tap, text } from "../drawing.js";
import { abs, sum, two } from "../numbers.js";
import clinicCss from "./clinic.css";

const MAP_NAMES = "ABCDEF";
const SQUARE = 18;
const SUMS = 42; // the room beside a map, for its sums once it is pressed
const off = (x) => abs(x - 1) > 0.01; // a sum that isn't 1

/* Where weights are wrong, row by row: [row, key, weight]. */
const where = ([, allowed, weights], wrong) =>
  weights.flatMap((row, i) => row.flatMap((x, j) => (wrong(x, allowed[i][j]) ? [[i, j, x]] : [])));

export default class Clinic extends Figure {
  static takes = "rounds";
  static title = _`Which of the six maps can’t be right?`;
  static hint = _`press the map that can’t be right. A press shows the sums of its rows, and hatches its masked keys.`;
  static style = clinicCss;

  static compute({ rounds }, { round }) {
    const maps = rounds[round - 1];
    const sums = maps.map(([, , weights]) => weights.map(sum));
    const worst = (a, b) => b[2] - a[2];
    const leaks = maps.map((map) => where(map, (x, may) => x > 0 && !may).sort(worst)[0] ?? null);
    const blanks = maps.map((map) => where(map, (x, may) => x === 0 && may)[0] ?? null);
    const ill = maps.map((_, k) => Boolean(leaks[k] || blanks[k] || sums[k].some(off)));
    return { maps, sums, leaks, blanks, ill };
  }

  controls() {
    // By round: the maps in the order in which they were pressed, and how many it took to find the ill one.
    Object.assign(this.state, { round: "1", pressed: {}, found: {} });
    return [];
  }

  open(round = this.state.round) {
    return this.state.pressed[round] ?? [];
  }

  press(k) {
    const { round, pressed, found } = this.state;
    const open = [...this.open().filter((each) => each !== k), k];
    if (this.compute().ill[k]) this.state.found = { [round]: open.length, ...found };
    this.change("pressed", { ...pressed, [round]: open });
  }

  view({ maps, sums, ill }) {
    const shown = maps.map((map, k) => this.map(map, k, sums[k], ill[k]));
    return box("panels alone", this.rounds(), box("maps", shown));
  }

  /* A button for each round, with a tick if its ill map was found at once, or how many presses it took. */
  rounds() {
    const button = (_, i) => {
      const round = String(i + 1);
      const presses = this.state.found[round];
      const label = _`Round ${round}${presses ? _`, found at press ${presses}` : ""}`;
      const mark = presses ? (presses > 1 ? ` (${presses})` : " ✓") : "";
      const about = { "aria-label": label, "aria-pressed": String(round === this.state.round) };
      return tap(round + mark, () => this.change("round", round), about);
    };
    return box("change together", _`Round`, this.spec.rounds.map(button));
  }

  map([name, allowed, weights], k, sums, ill) {
    const open = this.open().includes(k);
    const verdict = !open ? "" : ill ? _`✗ ill` : _`✓ sound`;
    const cell = (i) => (weight, j) => {
      const [x, y, about] = [SQUARE * j, SQUARE * i, { "fill-opacity": weight ? ink(weight) : 0.06 }];
      const masked = open && !allowed[i][j] && hatch(x + 1, y + 1, SQUARE - 2, SQUARE - 2);
      return [rect("cell", x + 0.5, y + 0.5, SQUARE - 1, SQUARE - 1, 1, about), masked];
    };
    const [wide, high] = [SQUARE * weights[0].length, SQUARE * weights.length];
    const total = (x, i) => text(wide + 5, SQUARE * i + 14, two(x), off(x) ? "strong" : "");
    const cells = weights.map((row, i) => row.map(cell(i)));
    const label = `${MAP_NAMES[k]}: ${name} ${verdict}`.trim();
    const head = box("name", h("strong", {}, MAP_NAMES[k]), h("span", {}, name), h("strong", {}, verdict));
    const about = { viewBox: `0 0 ${wide + SUMS} ${high}`, "aria-hidden": "true" };
    const seen = [head, h("svg", about, cells, open && sums.map(total))];
    return tap(seen, () => this.press(k), { class: `map${open && ill ? " ill" : ""}`, "aria-label": label });
  }

  words({ maps, sums, leaks, blanks, ill }) {
    const k = this.open().at(-1);
    const [n, m] = [maps[0][2].length, maps[0][2][0].length];
    const last = _`The queries are the last ${n} of ${m} tokens`;
    const told = _`Rows are queries, columns are keys, and the words say what each layer was told`;
    if (k === undefined)
      return _`Round ${this.state.round}: which of these six maps can’t be right? ${n < m ? last : told}.`;
    const [name, allowed, weights] = maps[k];
    if (!ill[k])
      return _`${MAP_NAMES[k]} is sound: each row adds up to 1, and its weights are where “${name}” allows them.`;
    const row = sums[k].findIndex(off);
    const of = ([i, j]) =>
      _`row ${i + 1} has ${leaks[k] ? "" : _`no `}weight on key ${j + 1}, which “${name}” ${leaks[k] ? _`forbids` : _`allows`}`;
    const presses = this.state.found[this.state.round];
    const found = presses ? _`, found at press ${presses}` : "";
    const columns = weights[0].map((_, j) => sum(weights.map((each) => each[j])));
    const late = sums[k].every((x, i) => !off(x) || (x < 1 && !allowed[i].every(Boolean)));
    const masked = late ? _`, and only rows with masked keys fall short: the mask came after the softmax` : "";
    const cause = columns.some(off) ? masked : _`, but each column to 1: the softmax ran over the queries`;
    const fault = row < 0 ? of(leaks[k] ?? blanks[k]) : _`row ${row + 1} adds up to ${two(sums[k][row])}${cause}`;
    return _`${MAP_NAMES[k]} is ill${found}: its ${fault}.`;
  }

  table({ maps, sums }) {
    const said = (k) => (x) => (this.open().includes(k) ? two(x) : _`press first`);
    const row = ([name], k) => [MAP_NAMES[k], name, ...sums[k].map(said(k))];
    return [[_`map`, _`told`, ...sums[0].map((_, i) => _`sum of row ${i + 1}`)], ...maps.map(row)];
  }
}
