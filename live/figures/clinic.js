/* Six maps in each round, one of them ill. */
import { Figure, abs, box, count, hatch, ink, make, rect, see, set, sum, text, two } from "../core.js";
import clinicCss from "./clinic.css";

const MAP_NAMES = "ABCDEF";
const SQUARE = 18;

export default class Clinic extends Figure {
  static style = clinicCss;

  static compute({ rounds }, { round }) {
    const { maps } = rounds[round - 1];
    const sums = maps.map(({ weights }) => weights.map(sum));
    // [row, key, weight] of the worst of each kind, or null.
    const worst = (wrong, better) =>
      maps.map(({ allowed, weights }) => {
        const found = weights.flatMap((row, i) => row.flatMap((x, j) => (wrong(x, allowed[i][j]) ? [[i, j, x]] : [])));
        return found.sort((a, b) => better(a, b))[0] ?? null;
      });
    const leaks = worst(
      (x, may) => x > 0 && !may,
      (a, b) => b[2] - a[2],
    );
    const blanks = worst(
      (x, may) => x === 0 && may,
      (a, b) => a[0] - b[0],
    );
    const ill = maps.map((_, k) => Boolean(leaks[k] || blanks[k] || sums[k].some((x) => abs(x - 1) > 0.01)));
    return { sums, leaks, blanks, ill };
  }

  build() {
    this.state.pressed = {}; // by round, the maps in the order in which they were pressed
    const [n, m] = [0, 1].map((axis) => Math.max(...this.spec.rounds.flatMap(({ maps }) => maps.map(({ weights }) => (axis ? weights[0].length : weights.length)))));
    this.maps = [...MAP_NAMES].map((letter, k) => {
      const cells = count(n * m).map((at) => {
        const [x, y] = [SQUARE * (at % m), SQUARE * Math.floor(at / m)];
        const masked = hatch(x + 1, y + 1, SQUARE - 2, SQUARE - 2);
        return [rect("cell", x + 0.5, y + 0.5, SQUARE - 1, SQUARE - 1, 1), masked];
      });
      const sums = count(n).map((i) => text(SQUARE * m + 5, SQUARE * i + 14, ""));
      const size = { viewBox: `0 0 ${SQUARE * m + 40} ${SQUARE * n}`, "aria-hidden": "true" };
      const picture = make("svg", size, cells, sums);
      const name = make("span");
      const verdict = make("strong");
      const button = make("button", { type: "button", class: "map", onclick: () => this.press(k) }, box("name", make("strong", {}, letter), name, verdict), picture);
      return { cells, sums, name, verdict, button, columns: m };
    });
    const all = count(this.spec.rounds.length).map((i) => String(i + 1));
    this.next = this.button("Next round", () => this.change("round", all[(all.indexOf(this.state.round) + 1) % all.length]));
    this.found = make("span", { class: "found" });
    return [
      box("controls", this.choice("round", "round", all), this.next, this.found),
      box(
        "panels alone",
        box(
          "maps",
          this.maps.map(({ button }) => button),
        ),
      ),
    ];
  }

  pressed() {
    return this.state.pressed[this.state.round] ?? [];
  }

  press(k) {
    const others = this.pressed().filter((each) => each !== k);
    this.change("pressed", { ...this.state.pressed, [this.state.round]: [...others, k] });
  }

  paint({ sums, ill }) {
    const { names, maps } = this.spec.rounds[this.state.round - 1];
    const pressed = this.pressed();
    this.maps.forEach(({ cells, sums: shown, name, verdict, button, columns }, k) => {
      const { allowed, weights } = maps[k];
      const open = pressed.includes(k);
      cells.forEach(([cell, masked], at) => {
        const [i, j] = [Math.floor(at / columns), at % columns];
        const weight = weights[i]?.[j];
        see(cell, weight !== undefined);
        set(cell, { "fill-opacity": weight ? ink(weight) : 0.03 });
        see(masked, open && allowed[i]?.[j] === 0);
      });
      shown.forEach((each, i) => {
        const known = open && sums[k][i] !== undefined;
        each.textContent = known ? two(sums[k][i]) : "";
        each.classList.toggle("strong", known && abs(sums[k][i] - 1) > 0.01);
      });
      name.textContent = names[k];
      verdict.textContent = open ? (ill[k] ? "✗ ill" : "✓ sound") : "";
      button.classList.toggle("ill", open && ill[k]);
      set(button, { "aria-label": `${MAP_NAMES[k]}: ${names[k]} ${verdict.textContent}`.trim() });
    });
    const found = Object.entries(this.state.pressed).filter(([round, all]) => {
      const numbers = this.constructor.compute(this.spec, { round });
      return all.some((k) => numbers.ill[k]);
    });
    this.found.textContent = `found: ${found.length} of ${this.spec.rounds.length}`;
  }

  words({ sums, leaks, blanks, ill }) {
    const { names, maps } = this.spec.rounds[this.state.round - 1];
    const k = this.pressed().at(-1);
    if (k === undefined) {
      const [n, m] = [maps[0].weights.length, maps[0].weights[0].length];
      const cached = n < m ? ` The queries are the last ${n} of ${m} tokens.` : "";
      return `Round ${this.state.round}. The words beside each letter say what its layer was told. Five of these maps follow it.${cached}`;
    }
    if (!ill[k]) return `${MAP_NAMES[k]} is sound: each row adds up to 1, and its weights are where “${names[k]}” allows them.`;
    const row = sums[k].findIndex((x) => abs(x - 1) > 0.01);
    const said = [];
    if (row >= 0) said.push(`its row ${row + 1} adds up to ${two(sums[k][row])}`);
    if (leaks[k]) said.push(`its row ${leaks[k][0] + 1} has a weight of ${two(leaks[k][2])} on key ${leaks[k][1] + 1}, which “${names[k]}” forbids`);
    if (blanks[k]) said.push(`its row ${blanks[k][0] + 1} has no weight on key ${blanks[k][1] + 1}, which “${names[k]}” allows`);
    return `${MAP_NAMES[k]} is ill: ${said.join("; ")}.`;
  }

  table({ sums }) {
    const { names } = this.spec.rounds[this.state.round - 1];
    const open = this.pressed();
    return [
      ["map", "told", ...sums[0].map((_, i) => `sum of row ${i + 1}`)],
      ...sums.map((row, k) => [MAP_NAMES[k], names[k], ...row.map((x) => (open.includes(k) ? two(x) : "press first"))]),
    ];
  }
}
