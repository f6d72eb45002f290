/* Of a model. */
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
  two,
} from "../core.js";

export default class Heads extends Figure {
  build() {
    const { weights, queries, keys, names, layer, head } = this.spec,
      pitch = 26;
    const layers = weights.length,
      n = queries.length,
      m = keys.length,
      tall = 30 + pitch * max(n, m);
    Object.assign(this.state, { head, focus: null, lock: null });
    const middle = (i) => 30 + pitch * (i + 0.5);
    this.arcs = count(n * m).map((k) => {
      const y0 = middle(floor(k / m)),
        y1 = middle(k % m);
      return path("arc", `M112 ${y0}C150 ${y0} 190 ${y1} 228 ${y1}`);
    });
    const side = (list, kind) =>
      list.map((token, i) => {
        const focus = (on) => () => this.focus(on && [kind, i]);
        const lock = () => this.lock([kind, i]);
        const style = `top:${(100 * (30 + pitch * i)) / tall}%;height:${(100 * pitch) / tall}%`;
        return make(
          "button",
          {
            type: "button",
            class: `token ${kind}`,
            style,
            onclick: lock,
            onpointerenter: focus(true),
            onpointerleave: focus(false),
            onfocus: focus(true),
            onblur: focus(false),
          },
          make("span", {}, token),
        );
      });
    this.tokens = { query: side(queries, "query"), key: side(keys, "key") };
    const cell = min(34, 250 / max(n, m)),
      left = 78,
      top = 70;
    this.cell = cell;
    this.map = this.grid(left, top, cell, n, m);
    this.frame = rect("frame", 0, 0, 0, 0, 4);
    this.thumbs = names.map((name, k) => {
      const cells = this.grid(0, 0, 48 / max(n, m), n, m),
        act = () => this.change("head", k);
      const face = make(
        "svg",
        { viewBox: "0 0 48 48", "aria-hidden": "true" },
        cells.map((each) => each.node),
      );
      return {
        cells,
        button: make("button", { type: "button", class: "thumb", onclick: act }, face, name),
      };
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
      const [x, y] = spot(map, event),
        i = floor((y - top) / cell);
      return i >= 0 && i < n && x > left && x < left + cell * m && ["query", i];
    };
    set(map, {
      onpointermove: (event) => this.focus(row(event)),
      onpointerleave: () => this.focus(null),
      onclick: (event) => this.lock(row(event)),
    });
    const choose = { class: "thumbs", role: "group", "aria-label": "head" };
    return [
      box(
        "controls",
        layers > 1
          ? this.choice(
              "layer",
              "layer",
              count(layers).map((k) => `${k + 1}`),
              `${layer + 1}`,
            )
          : null,
        make(
          "div",
          choose,
          this.thumbs.map((each) => each.button),
        ),
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

  focus(on) {
    if (String(on || null) !== String(this.state.focus)) this.change("focus", on || null);
  }

  lock(on) {
    this.change("lock", on && String(on) !== String(this.state.lock) ? on : null);
  }

  /* n x m cells: a rectangle, strokes for what is masked, and a number where there is room. */
  grid(left, top, side, n, m) {
    const gap = side > 12 ? 1 : 0,
      size = +one(side - 2 * gap);
    return count(n * m).map((k) => {
      const x = +one(left + side * (k % m) + gap),
        y = +one(top + side * floor(k / m) + gap);
      const cell = rect("cell", x, y, size, size, 3 * gap),
        masked = side > 5 ? hatch(x, y, size, size) : null;
      const number = side > 24 ? text(x + size / 2, y + size / 2 + 4, "") : null;
      return { cell, masked, number, node: make("g", {}, cell, masked, number) };
    });
  }

  fill(cells, weights, open) {
    const m = weights[0].length;
    cells.forEach(({ cell, masked, number }, k) => {
      const i = floor(k / m),
        j = k % m,
        weight = weights[i][j],
        allowed = open(i, j);
      set(cell, { "fill-opacity": allowed ? ink(weight) : 0 });
      if (masked) see(masked, !allowed);
      if (number)
        set(number, { class: onInk(weight) }).textContent = allowed
          ? two(weight).replace("0.", ".")
          : "";
    });
  }

  compute() {
    const layer = (this.state.layer ?? 1) - 1,
      { weights, masked } = this.spec;
    const open = (i, j) => masked?.[layer % masked.length][i][j] !== "1";
    return {
      layer,
      matrix: weights[layer][this.state.head],
      focus: this.state.focus ?? this.state.lock,
      open,
    };
  }

  paint({ layer, matrix, focus, open }) {
    const { weights, keys } = this.spec,
      { head, lock } = this.state,
      m = keys.length;
    if (layer !== this.layer)
      this.thumbs.forEach(({ cells }, k) => this.fill(cells, weights[layer][k], open));
    if (matrix !== this.matrix) this.fill(this.map, matrix, open);
    Object.assign(this, { layer, matrix });
    this.thumbs.forEach(({ button }, k) => set(button, { "aria-pressed": String(k === head) }));
    this.arcs.forEach((arc, k) => {
      const i = floor(k / m),
        j = k % m,
        weight = matrix[i][j];
      const on = (!focus || (focus[0] === "query" ? i : j) === focus[1]) && weight > 0.004;
      const opacity = focus ? 0.3 + 0.7 * weight : 0.1 + 0.8 * weight;
      set(arc, {
        "stroke-width": one(1 + 9 * weight),
        "stroke-opacity": on ? opacity.toFixed(2) : 0,
      });
    });
    for (const kind of ["query", "key"])
      this.tokens[kind].forEach((button, i) => {
        const pair = focus && focus[0] !== kind && (kind === "key" ? [focus[1], i] : [i, focus[1]]);
        const weight = pair ? matrix[pair[0]][pair[1]] : 0;
        button.style.setProperty("--share", ink(weight) - 0.05);
        button.classList.toggle("full", weight > 0.55);
        button.classList.toggle("masked", Boolean(pair) && !open(...pair));
        button.classList.toggle("self", String(focus) === `${kind},${i}`);
        set(button, { "aria-pressed": String(String(lock) === `${kind},${i}`) });
      });
    const [kind, i] = focus ?? ["query", 0],
      across = kind === "query",
      n = this.spec.queries.length;
    see(
      set(this.frame, {
        x: one(77 + (across ? 0 : this.cell * i)),
        width: one(2 + this.cell * (across ? m : 1)),
        y: one(69 + (across ? this.cell * i : 0)),
        height: one(2 + this.cell * (across ? 1 : n)),
      }),
      focus,
    );
  }

  words({ layer, matrix, focus, open }) {
    const { queries, keys, names, weights } = this.spec,
      name = names[this.state.head];
    const title = weights.length > 1 ? `Layer ${layer + 1}, ${name}` : name;
    if (!focus) return `${title}: all weights, thicker lines for larger ones.`;
    const [kind, i] = focus,
      row = kind === "query" ? matrix[i] : matrix.map((each) => each[i]);
    const others = kind === "query" ? keys : queries;
    const best = count(row.length)
      .sort((a, b) => row[b] - row[a])
      .slice(0, 4)
      .filter((j) => row[j] > 0.004);
    const said = best.map((j) => `${others[j]} ${two(row[j])}`).join(", ") || "nothing";
    if (kind === "key") return `${title}: “${keys[i]}” gets most from ${said}.`;
    const shut = keys.filter((_, j) => !open(i, j)),
      hidden = shut.length > 5 ? `${shut.length} keys` : shut.join(", ");
    return `${title}: “${queries[i]}” attends most to ${said}.${hidden && ` Masked: ${hidden}.`}`;
  }

  table({ matrix, open }) {
    const { queries, keys } = this.spec,
      say = (i) => (weight, j) => (open(i, j) ? two(weight) : "masked");
    return [["query", ...keys], ...matrix.map((row, i) => [queries[i], ...row.map(say(i))])];
  }
}
