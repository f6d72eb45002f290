/* All attention maps of a released model for one text. */
import {
  Figure,
  box,
  count,
  dataOf,
  drawing,
  floor,
  hatch,
  ink,
  largest,
  make,
  max,
  min,
  one,
  path,
  rect,
  remembered,
  see,
  set,
  slanted,
  spot,
  sum,
  text,
  tint,
  trace,
  two,
} from "../core.js";
import mapsCss from "./maps.css";

const SHOWN = 10; // blocks at a time
const LEAST = 0.04; // of a row: what is less is a few units of 1/255, too few to be divided
const WALL = { left: 34, top: 20, pitch: 34 };
const MAP = { left: 62, top: 62, wide: 10.2, high: 12 }; // of a cell

let bytesOfMaps;
const mapBytes = () => (bytesOfMaps ??= Uint8Array.from(atob(dataOf("maps").weights), (c) => c.charCodeAt(0)));

/* The weights of a head, row by row; bare: what each row has but for the first token, if anything. */
function matrixOf(block, head, bare) {
  const { tokens, heads } = dataOf("maps");
  const n = tokens.length;
  const start = ((block * heads + head) * n * (n + 1)) / 2;
  return tokens.map((_, i) => {
    const from = start + (i * (i + 1)) / 2;
    const row = Array.from(mapBytes().subarray(from, from + i + 1), (byte) => byte / 255);
    row.push(...Array(n - 1 - i).fill(0));
    if (!bare) return row;
    row[0] = 0;
    const left = sum(row);
    return row.map((weight) => (left < LEAST ? 0 : weight / left));
  });
}

/* What is left out, and a row that has nothing, is paper. */
function inksOf(row, bare) {
  const empty = bare && !sum(row);
  return row.map((weight, j) => (empty || (bare && !j) ? 0 : ink(weight)));
}

/* The small maps of ten blocks as ink on a canvas, a pixel for each weight. */
const wallOf = remembered((first, bare) => {
  const { tokens, heads } = dataOf("maps");
  const pitch = tokens.length + 2;
  const size = { width: pitch * heads, height: pitch * SHOWN };
  const wall = set(make("canvas"), size);
  const pen = wall.getContext("2d");
  const image = pen.createImageData(size.width, size.height);
  for (const k of count(SHOWN))
    for (const h of count(heads))
      matrixOf(first + k, h, bare).forEach((row, i) => {
        const start = (pitch * k + i) * size.width + pitch * h;
        const inks = inksOf(row.slice(0, i + 1), bare);
        inks.forEach((each, j) => (image.data[4 * (start + j) + 3] = 255 * each));
      });
  pen.putImageData(image, 0, 0);
  return wall;
});

/* Diagonal strokes over what a causal map of n x n cells forbids: a staircase. */
function future(left, top, wide, high, n) {
  let d = "";
  for (let at = 6; at < n * (wide + high); at += 6) {
    const x = min(at, n * wide);
    const start = at - x;
    let i = floor(start / high); // the row in which this stroke meets the stairs
    while (i < n - 1 && at - (i + 1) * high > (i + 1) * wide) i++;
    const end = i < n - 1 ? max(start, i * high, at - (i + 1) * wide) : (n - 1) * high;
    const points = [start, end].map((y) => [left + at - y, top + y]);
    if (end > start) d += trace(points);
  }
  return path("hatch", d);
}

const short = (token) => (token.length > 8 ? `${token.slice(0, 6)}…` : token.trim());
const brief = (weight) => (weight < 0.005 ? "" : two(weight).replace("0.", "."));

export default class Maps extends Figure {
  static style = mapsCss;

  static data = "maps"; // it begins when they are there

  static compute(spec, { block, head, token, bare, hover }) {
    const matrix = matrixOf(block, head, bare);
    const at = hover ?? token;
    // From the third token on, the first, the one before and the token itself are three.
    const rows = count(matrix.length).filter((i) => i > 1 && sum(matrix[i]) > 0);
    const total = sum(rows.map((i) => sum(matrix[i])));
    const share = (key) => (total ? sum(rows.map((i) => matrix[i][key(i)])) / total : 0);
    const shares = [share(() => 0), share((i) => i - 1), share((i) => i)];
    const empty = matrix.filter((row, i) => i && !sum(row)).length;
    return { matrix, at, row: matrix[at], shares, empty };
  }

  build() {
    const { tokens, blocks, heads, model } = dataOf("maps");
    const { block, head, token } = this.spec;
    const n = tokens.length;
    this.state.hover = null;
    const say = (i) => `${i} ${short(tokens[i])}`;
    this.ranges = count(blocks / SHOWN).map((k) => this.button(`${SHOWN * k} to ${SHOWN * (k + 1) - 1}`, () => this.change("block", SHOWN * k + (this.state.block % SHOWN))));
    return [
      make(
        "p",
        { class: "legend" },
        `Real maps, none of them drawn by hand: ${model}, a released model of ${blocks} blocks with ` +
          `${heads} heads each, has read these ${n} tokens. Press a small map, then a row or a token.`,
      ),
      box("controls", this.slider("block", "block", count(blocks), block), this.slider("head", "head", count(heads), head), this.slider("token", "token", count(n), token, say)),
      box(
        "panels",
        box(
          "wall",
          set(box("thumbs", make("span", {}, "blocks"), this.ranges), {
            role: "group",
            "aria-label": "blocks",
          }),
          this.wall(heads),
          this.toggle("bare", "without the first token", false),
        ),
        this.large(tokens),
      ),
      this.sentence(tokens),
    ];
  }

  /* The small maps of ten blocks: a canvas, and on it what is pressed. */
  wall(heads) {
    const { left, top, pitch } = WALL;
    const [width, height] = [left + pitch * heads, top + pitch * SHOWN];
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.canvas.style.cssText = `left:${(100 * left) / width}%;top:${(100 * top) / height}%;` + `width:${(100 * pitch * heads) / width}%;height:${(100 * pitch * SHOWN) / height}%`;
    this.names = count(SHOWN).map((k) => text(left - 6, top + pitch * (k + 0.5) + 3, "", "small end muted"));
    this.pressed = rect("frame", 0, 0, pitch + 2, pitch + 2, 4);
    const chart = drawing(
      width,
      height,
      "Small maps: a row for each block, a column for each head",
      text(left - 6, 13, "head", "small end muted"),
      count(heads).map((h) => text(left + pitch * (h + 0.5) - 2, 13, `${h}`, "small mid muted")),
      this.names,
      this.pressed,
    );
    const at = (event) => {
      const [x, y] = spot(chart, event);
      const [h, k] = [floor((x - left) / pitch), floor((y - top) / pitch)];
      return h < 0 || k < 0 || h >= heads || k >= SHOWN ? [] : [SHOWN * this.range() + k, h];
    };
    set(chart, {
      class: "press",
      onclick: (event) => {
        const [block, head] = at(event);
        if (block === undefined) return;
        this.state.head = head;
        this.show.head();
        this.change("block", block);
      },
    });
    const name = (event) => {
      const [block, head] = at(event);
      wall.title = block === undefined ? "" : `block ${block}, head ${head}`;
    };
    const wall = set(box("maps", this.canvas, chart), { onpointermove: name });
    return wall;
  }

  large(tokens) {
    const { left, top, wide, high } = MAP;
    const n = tokens.length;
    this.rows = tokens.map((token, i) => text(left - 5, top + high * (i + 0.5) + 4, short(token), "small end"));
    this.columns = tokens.map((token, j) => slanted(left + wide * (j + 0.5) + 4, top - 5, short(token), 90));
    this.cells = tokens.map((_, i) => count(i + 1).map((j) => rect("cell", left + wide * j, top + high * i, wide, high, 0)));
    this.first = hatch(left, top, wide, high * n);
    this.frame = rect("frame", left - 1, 0, 0, high + 2, 2);
    const chart = drawing(
      left + wide * n + 2,
      top + high * n + 2,
      "The map that is pressed: rows are queries, columns are keys",
      text(left - 5, top - 22, "keys", "small end key"),
      text(left - 5, top - 6, "queries", "small end query"),
      this.rows,
      this.columns,
      this.cells,
      future(left, top, wide, high, n),
      this.first,
      this.frame,
    );
    const row = (event) => {
      const i = floor((spot(chart, event)[1] - top) / high);
      return i >= 0 && i < n ? i : null;
    };
    return set(chart, {
      class: "press",
      onpointermove: (event) => this.point(row(event)),
      onpointerleave: () => this.point(null),
      onclick: (event) => row(event) !== null && this.change("token", row(event)),
    });
  }

  /* The text, in which each token has the weight that the chosen one gives it. */
  sentence(tokens) {
    this.tokens = tokens.map((token, i) => {
      const number = make("span", { class: "number" });
      const button = make(
        "button",
        {
          type: "button",
          tabindex: -1, // keys have the slider
          class: "word tint",
          onclick: () => this.change("token", i),
          onpointerenter: () => this.point(i),
          onpointerleave: () => this.point(null),
        },
        make("span", {}, token.trim()),
        number,
      );
      button.classList.toggle("apart", token.startsWith(" "));
      return { button, number };
    });
    const buttons = this.tokens.map((each) => each.button);
    return set(box("sentence", buttons), { role: "group", "aria-label": "tokens" });
  }

  point(at) {
    if (at !== this.state.hover) this.change("hover", at);
  }

  range() {
    return floor(this.state.block / SHOWN);
  }

  /* A canvas has no style: it is painted in the hue that the theme of now gives it. */
  paintWall() {
    const hue = getComputedStyle(this.canvas).color;
    const { bare } = this.state;
    const painted = [this.range(), bare, hue].join();
    if (painted === this.painted) return;
    this.painted = painted;
    const small = wallOf(SHOWN * this.range(), bare);
    const { width, height } = small;
    set(this.canvas, { width: 2 * width, height: 2 * height });
    const pen = this.canvas.getContext("2d");
    Object.assign(pen, { imageSmoothingEnabled: false, fillStyle: hue });
    pen.scale(2, 2);
    pen.drawImage(small, 0, 0);
    pen.globalCompositeOperation = "source-in"; // the hue wherever there is ink
    pen.fillRect(0, 0, width, height);
  }

  paint({ matrix, at, row }) {
    const { block, head, token, bare } = this.state;
    const { tokens } = dataOf("maps");
    this.paintWall();
    this.ranges.forEach((each, k) => set(each, { "aria-pressed": String(k === this.range()) }));
    this.names.forEach((each, k) => (each.textContent = SHOWN * this.range() + k));
    set(this.pressed, {
      x: one(WALL.left + WALL.pitch * head - 2),
      y: one(WALL.top + WALL.pitch * (block % SHOWN) - 2),
    });
    const { top, wide, high } = MAP;
    const shown = [block, head, bare].join();
    if (shown !== this.shown)
      this.cells.forEach((cells, i) => {
        const inks = inksOf(matrix[i], bare);
        cells.forEach((cell, j) => set(cell, { "fill-opacity": inks[j] }));
      });
    this.shown = shown;
    see(this.first, bare);
    set(this.frame, { y: one(top + high * at - 1), width: one(wide * (at + 1) + 2) });
    this.rows.forEach((each, i) => set(each, { class: `small end ${i === at ? "strong query" : ""}` }));
    this.columns.forEach((each, j) => {
      const seen = j === largest(row) ? "strong" : "";
      set(each, { class: `small ${row[j] < 0.1 ? "muted" : seen}` });
    });
    this.tokens.forEach(({ button, number }, j) => {
      tint(button, row[j]);
      number.textContent = brief(row[j]);
      button.classList.toggle("masked", j > at || (bare && !j));
      button.classList.toggle("self", j === at);
      const weight = j > at ? "masked" : two(row[j]);
      set(button, {
        "aria-pressed": String(j === token),
        "aria-label": `${tokens[j].trim()}: ${weight}`,
      });
    });
  }

  words({ at, row, shares, empty }) {
    const { tokens } = dataOf("maps");
    const { block, head, bare } = this.state;
    const [first, before, own] = shares.map(two);
    const rest = `${before} on the token before, ${own} on the token itself`;
    const called = (j) => `“${tokens[j].trim()}” (${j})`;
    const name = (j) => (j === at ? "itself" : j ? called(j) : "the first token");
    const best = count(at + 1)
      .sort((a, b) => row[b] - row[a])
      .slice(0, 3)
      .filter((j) => row[j] >= 0.005)
      .map((j) => `${name(j)} ${two(row[j])}`);
    const looks = `${called(at)} looks at ${best.join(", ") || "nothing else"}.`;
    const title = `Block ${block}, head ${head}`;
    if (!bare) return `${title}: of all weight, ${first} is on the first token, ${rest}. ${looks}`;
    const are = empty === 1 ? "1 row is" : `${empty} rows are`;
    const rows = empty ? ` ${are} empty, as less than ${LEAST} of the weight was left.` : "";
    return `${title}, without the first token: of what is left, ${rest}.${rows} ${looks}`;
  }

  table({ matrix }) {
    const names = dataOf("maps").tokens.map((token, i) => `${i} ${token.trim()}`);
    const say = (i) => (weight, j) => (j > i ? "masked" : two(weight));
    return [["query", ...names], ...matrix.map((row, i) => [names[i], ...row.map(say(i))])];
  }
}
