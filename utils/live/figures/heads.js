/* Pages 4, 8 and 9: the heads of a layer, and what they look at. */
import {
  Figure,
  box,
  count,
  drawing,
  floor,
  hatch,
  ink,
  make,
  max,
  min,
  onInk,
  one,
  path,
  rect,
  see,
  set,
  slanted,
  spot,
  text,
  tint,
  two,
} from "../core.js";
import headsCss from "./heads.css";

export default class Heads extends Figure {
  static style = headsCss;

  static compute({ weights, masked }, state) {
    const layer = (state.layer ?? 1) - 1; // one layer alone is no choice
    const matrix = weights[layer][state.head];
    const open = matrix.map((row, i) => row.map((_, j) => masked?.[layer][i][j] !== "1"));
    return { layer, matrix, open, focus: state.focus ?? state.lock };
  }

  build() {
    const { weights, queries, keys, names, layer, head } = this.spec;
    const [n, m, pitch] = [queries.length, keys.length, 26];
    const tall = 30 + pitch * max(n, m);
    Object.assign(this.state, { head, focus: null, lock: null });
    const middle = (i) => 30 + pitch * (i + 0.5);
    this.arcs = count(n * m).map((k) => {
      const [y0, y1] = [middle(floor(k / m)), middle(k % m)];
      return path("arc", `M112 ${y0}C150 ${y0} 190 ${y1} 228 ${y1}`);
    });
    const side = (list, kind) =>
      list.map((token, i) => {
        const style = `top:${(100 * (30 + pitch * i)) / tall}%;height:${(100 * pitch) / tall}%`;
        return this.pointer(`token ${kind}`, [kind, i], { style }, make("span", {}, token));
      });
    this.tokens = { query: side(queries, "query"), key: side(keys, "key") };
    const cell = (this.cell = min(34, 250 / max(n, m)));
    const [left, top] = [78, 70];
    this.map = this.grid(left, top, cell, n, m);
    this.frame = rect("frame", 0, 0, 0, 0, 4);
    this.thumbs = names.map((name, k) => {
      const cells = this.grid(0, 0, 48 / max(n, m), n, m);
      const nodes = cells.map((each) => each.node);
      const face = make("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" }, nodes);
      const button = this.button([face, name], () => this.change("head", k));
      return { cells, button: set(button, { class: "thumb" }) };
    });
    const map = drawing(
      left + max(cell * m, 200) + 40,
      top + cell * n + 8,
      "Weights as a map, rows are queries",
      queries.map((token, i) => text(left - 6, top + cell * (i + 0.5) + 4, token, "small end")),
      keys.map((token, j) =>
        slanted(left + cell * (j + 0.5) + 4, top - 6, token, cell < 18 ? 90 : 45),
      ),
      this.map.map((each) => each.node),
      this.frame,
    );
    const row = (event) => {
      const [x, y] = spot(map, event);
      const i = floor((y - top) / cell);
      return i >= 0 && i < n && x > left && x < left + cell * m ? ["query", i] : null;
    };
    set(map, {
      onpointermove: (event) => this.focus(row(event)),
      onpointerleave: () => this.focus(null),
      onclick: (event) => this.lock(row(event)),
    });
    const layers = weights.map((_, k) => `${k + 1}`);
    const thumbs = this.thumbs.map((each) => each.button);
    return [
      box(
        "controls",
        layers.length > 1 ? this.choice("layer", "layer", layers, `${layer + 1}`) : null,
        set(box("thumbs", thumbs), { role: "group", "aria-label": "head" }),
      ),
      box(
        "panels",
        box(
          "tokens",
          drawing(
            340,
            tall,
            "Weights as lines from queries to keys",
            text(108, 18, "queries", "small end query"),
            text(232, 18, "keys", "small key"),
            this.arcs,
          ),
          this.tokens.query,
          this.tokens.key,
        ),
        map,
      ),
    ];
  }

  /* n x m cells: a rectangle, strokes for what is masked, and a number where there is room. */
  grid(left, top, side, n, m) {
    const gap = side > 12 ? 1 : 0;
    const size = +one(side - 2 * gap);
    return count(n * m).map((k) => {
      const x = +one(left + side * (k % m) + gap);
      const y = +one(top + side * floor(k / m) + gap);
      const cell = rect("cell", x, y, size, size, 3 * gap);
      const masked = side > 5 ? hatch(x, y, size, size) : null;
      const number = side > 24 ? text(x + size / 2, y + size / 2 + 4, "") : null;
      return { cell, masked, number, node: make("g", {}, cell, masked, number) };
    });
  }

  fill(cells, weights, open) {
    const m = weights[0].length;
    cells.forEach(({ cell, masked, number }, k) => {
      const [row, column] = [floor(k / m), k % m];
      const weight = weights[row][column];
      const allowed = open[row][column];
      set(cell, { "fill-opacity": allowed ? ink(weight) : 0 });
      if (masked) see(masked, !allowed);
      if (!number) return;
      set(number, { class: onInk(weight) });
      number.textContent = allowed ? two(weight).replace("0.", ".") : "";
    });
  }

  paint({ layer, matrix, focus, open }) {
    const { weights, queries, keys } = this.spec;
    const [n, m] = [queries.length, keys.length];
    if (layer !== this.layer)
      this.thumbs.forEach(({ cells }, k) => this.fill(cells, weights[layer][k], open));
    if (matrix !== this.matrix) this.fill(this.map, matrix, open);
    Object.assign(this, { layer, matrix });
    this.thumbs.forEach(({ button }, k) =>
      set(button, { "aria-pressed": String(k === this.state.head) }),
    );
    const [kind, at] = focus ?? ["query", 0];
    const across = kind === "query";
    this.arcs.forEach((arc, k) => {
      const [i, j] = [floor(k / m), k % m];
      const weight = matrix[i][j];
      const on = (!focus || (across ? i : j) === at) && weight > 0.004;
      const opacity = focus ? 0.3 + 0.7 * weight : 0.1 + 0.8 * weight;
      set(arc, {
        "stroke-width": one(1 + 9 * weight),
        "stroke-opacity": on ? opacity.toFixed(2) : 0,
      });
    });
    for (const side of ["query", "key"])
      this.tokens[side].forEach((button, k) => {
        const [i, j] = across ? [at, k] : [k, at];
        const other = focus && side !== kind;
        tint(button, other ? matrix[i][j] : 0);
        button.classList.toggle("masked", Boolean(other && !open[i][j]));
        this.mark(button, [side, k]);
      });
    see(
      set(this.frame, {
        x: one(77 + (across ? 0 : this.cell * at)),
        width: one(2 + this.cell * (across ? m : 1)),
        y: one(69 + (across ? this.cell * at : 0)),
        height: one(2 + this.cell * (across ? 1 : n)),
      }),
      focus,
    );
  }

  words({ layer, matrix, focus, open }) {
    const { queries, keys, names, weights } = this.spec;
    const name = names[this.state.head];
    const title = weights.length > 1 ? `Layer ${layer + 1}, ${name}` : name;
    if (!focus) return `${title}: all weights, thicker lines for larger ones.`;
    const [kind, i] = focus;
    const row = kind === "query" ? matrix[i] : matrix.map((each) => each[i]);
    const others = kind === "query" ? keys : queries;
    const best = count(row.length)
      .sort((a, b) => row[b] - row[a])
      .slice(0, 4)
      .filter((j) => row[j] > 0.004);
    const said = best.map((j) => `${others[j]} ${two(row[j])}`).join(", ") || "nothing";
    if (kind === "key") return `${title}: “${keys[i]}” gets most from ${said}.`;
    const shut = keys.filter((_, j) => !open[i][j]);
    const hidden = shut.length > 5 ? `${shut.length} keys` : shut.join(", ");
    return `${title}: “${queries[i]}” attends most to ${said}.${hidden && ` Masked: ${hidden}.`}`;
  }

  table({ matrix, open }) {
    const { queries, keys } = this.spec;
    const say = (i) => (weight, j) => (open[i][j] ? two(weight) : "masked");
    return [["query", ...keys], ...matrix.map((row, i) => [queries[i], ...row.map(say(i))])];
  }
}
