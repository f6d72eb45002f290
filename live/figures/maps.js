/* All attention maps of a released model for one text, in data/maps.json: small ones in rows, three lenses that
find those of a kind, the one that is chosen, and the text with what one token attends to. */
import { arrows, dataOf, Figure } from "../core.js";
import { box, group, h, ink, make, path, pixels, rect, slanted, spot, text, tint } from "../drawing.js";
import { clamp, count, floor, largest, min, remembered, sum, two } from "../numbers.js";
import mapsCss from "./maps.css";

const LARGE = { left: 54, top: 48, wide: 11, high: 12.5 }; // of a cell
const LENSES = { all: _`all maps`, first: _`first token`, before: _`token before`, next: _`what followed last time` };

const mapBytes = remembered(() => Uint8Array.from(atob(dataOf("maps").weights), (c) => c.charCodeAt(0)));

/* The weights of a head, row by row. */
function matrixOf(block, head) {
  const { tokens, heads } = dataOf("maps");
  const n = tokens.length;
  const start = ((block * heads + head) * n * (n + 1)) / 2;
  return tokens.map((_, i) => {
    const from = start + (i * (i + 1)) / 2;
    const row = Array.from(mapBytes().subarray(from, from + i + 1), (byte) => byte / 255);
    return [...row, ...Array(n - 1 - i).fill(0)];
  });
}

/* Which keys each lens looks at, for each row from the third on; `next`, what followed the same token before,
is empty for tokens that don't come again. */
const lensKeys = remembered(() => {
  const { tokens } = dataOf("maps");
  const rows = count(tokens.length).slice(2);
  const next = rows.map((i) => rows.filter((j) => j < i && tokens[j - 1].trim() === tokens[i].trim()));
  return { first: rows.map(() => [0]), before: rows.map((i) => [i - 1]), next };
});
/* What each of these rows of a map has there. */
const fitOf = (matrix, lens) => lensKeys()[lens].map((those, k) => sum(those.map((j) => matrix[k + 2][j])));
/* For each lens, what share of its weight each map has there, on average over the rows that have such keys. */
const sharesOf = remembered(() => {
  const { blocks, heads } = dataOf("maps");
  const all = count(blocks * heads).map((k) => matrixOf(floor(k / heads), k % heads));
  const share = (matrix, lens) => sum(fitOf(matrix, lens)) / lensKeys()[lens].filter((each) => each.length).length;
  return Object.fromEntries(Object.keys(lensKeys()).map((lens) => [lens, all.map((map) => share(map, lens))]));
});
const inLens = (lens) => count(dataOf("maps").blocks * dataOf("maps").heads).filter((k) => sharesOf()[lens]?.[k] > 0.5);

/* The small maps of some blocks, a pixel for each weight, in more ink than elsewhere, as a picture that is opaque. */
const sheetOf = remembered((from, to) => {
  const { tokens, heads } = dataOf("maps");
  const pitch = tokens.length + 2;
  const maps = count(to - from).map((k) => count(heads).map((head) => matrixOf(from + k, head)));
  return pixels(pitch * maps.length, pitch * heads, (x, y) => {
    const [i, j] = [y % pitch, x % pitch];
    const row = maps[floor(x / pitch)][floor(y / pitch)][i];
    return [0, 0, 0, row && j <= i ? 255 * ink(row[j] ** 0.7) : 0];
  });
});

const short = (token) => (token.length > 8 ? `${token.slice(0, 3)}…` : token.trim());

export default class Maps extends Figure {
  static title = _`270 attention maps of one text: what do they look at?`;
  static hint = _`choose a lens, then press one of the maps that it leaves, and go through the tokens.`;
  static style = mapsCss;
  static data = "maps"; // it begins when they are there
  static measured = true;
  static moves = ["matrix", "row"];

  static compute(spec, { block, head, token, focus }) {
    const [matrix, at] = [matrixOf(block, head), focus ?? token];
    return { matrix, at, row: matrix[at], shares: sharesOf() };
  }

  controls() {
    const { tokens, blocks, heads } = dataOf("maps");
    Object.assign(this.state, { block: 18, head: 6, focus: null });
    const sinks = inLens("first").length;
    const question = _`How many of the ${blocks * heads} maps have over half of their weight on the first token?`;
    const some = Math.round(sinks / 4);
    const slider = this.slider("token", _`token`, count(tokens.length), tokens.length - 1, (i) => tokens[i].trim());
    this.below = make("div", { class: "controls" }, slider);
    const answers = [inLens("before").length, some, sinks, blocks * heads - some];
    return [
      this.ask(question, answers, sinks, () => this.change("lens", "first")),
      this.choice("lens", _`lens`, Object.keys(LENSES), "all", (lens) => LENSES[lens]),
      this.button(_`next map`, () => this.next()),
    ];
  }

  /* A lens shows the map that has most of it, and of that the token that has most. */
  change(name, value) {
    const found = name === "lens" && value !== "all" ? this.picked(largest(sharesOf()[value]), value) : {};
    this.become({ [name]: value, ...found });
  }

  /* A map, and of it the token that has most of a lens. */
  picked(k, lens = "all") {
    const { heads } = dataOf("maps");
    const [block, head] = [floor(k / heads), k % heads];
    const token = lens === "all" ? this.state.token : largest(fitOf(matrixOf(block, head), lens)) + 2;
    return { block, head, token };
  }

  /* The next of those that the lens leaves, then the first of them again. */
  next() {
    const { blocks, heads } = dataOf("maps");
    const { block, head, lens } = this.state;
    const those = lens === "all" ? count(blocks * heads) : inLens(lens);
    this.become(this.picked(those.find((k) => k > heads * block + head) ?? those[0], lens));
  }

  view(numbers) {
    const side = box("side", this.sentence(numbers), this.below, this.say);
    return [this.overview(), box("panels", this.large(numbers), side)];
  }

  /* The small maps, in two rows on a phone, and what is no map of the lens paler. */
  overview() {
    const { blocks, heads } = dataOf("maps");
    const { block, head, lens } = this.state;
    const all = this.stage.clientWidth || 320;
    const each = Math.ceil(blocks / (all < 560 ? 2 : 1)); // blocks in a row
    const [left, wide] = [20, min(floor((all - 22) / each), 28)];
    const high = all < 560 ? 16 : 24;
    const tiers = count(Math.ceil(blocks / each));
    const tier = 18 + high * heads;
    const place = (k, row) => [left + wide * (k % each), 18 + tier * floor(k / each) + high * row];
    const chosen = inLens(lens);
    const under = (event) => {
      const [x, y] = spot(event.currentTarget, event);
      const [k, row] = [floor((x - left) / wide), floor(((y % tier) - 18) / high)];
      const at = k + each * floor(y / tier);
      return k < 0 || k >= each || row < 0 || at >= blocks ? null : heads * at + row;
    };
    const turn = (k) => this.become(this.picked(k));
    const number = (k, row) => text(12, place(k, row)[1] + high / 2 + 4, row, "small end muted");
    const over = (k) => {
      const [x, y] = place(floor(k / heads), k % heads);
      if (chosen.includes(k)) return rect("line kept", x - 0.5, y - 0.5, wide, high, 0);
      return lens !== "all" && rect("veil", x, y, wide, high, 0);
    };
    const label = _`Small maps: a column for each block, a row for each head`;
    const more = { role: "img", class: "press", onclick: (event) => under(event) !== null && turn(under(event)) };
    const chart = group(all, tier * tiers.length + 2, label, more, [
      count(blocks).map((k) => text(place(k, 0)[0] + wide / 2, place(k, 0)[1] - 5, k, "small mid muted")),
      tiers.map((k) => count(heads).map((row) => number(each * k, row))),
      count(blocks * heads).map(over),
      rect("edge", ...place(block, head).map((x) => x - 2), wide + 1, high + 1, 3),
    ]);
    const go = (down, right) => turn(heads * clamp(block + right, 0, blocks - 1) + clamp(head + down, 0, heads - 1));
    const sheet = (from) => {
      const [x, y] = place(from, 0);
      const url = sheetOf(from, min(from + each, blocks));
      const size = `width:${wide * min(each, blocks - from)}px;height:${high * heads}px`;
      return h("div", { class: "sheet", style: `left:${x}px;top:${y}px;${size};mask-image:url(${url})` });
    };
    const about = { role: "group", "aria-label": _`small maps, arrow keys go to the next` };
    const sheets = tiers.map((k) => sheet(each * k));
    return h("div", { class: "maps", tabindex: 0, ...about, onkeydown: arrows(go) }, sheets, chart);
  }

  /* The chosen map; pointing at a row shows it. */
  large({ matrix, at }) {
    const { tokens } = dataOf("maps");
    const { left, top, wide, high } = LARGE;
    const n = tokens.length;
    const seen = (j) => matrix[at][j] >= 0.005; // all names at once would touch
    const stroke = (i, j) => `M${left + wide * j} ${top + high * (i + 1)}l${wide}-${high}`;
    const cell = (i) => (weight, j) =>
      j <= i && rect("cell", left + wide * j, top + high * i, wide, high, 0, { "fill-opacity": ink(weight) });
    const label = _`The chosen map: rows are queries, columns are keys`;
    const name = (token, i) =>
      text(left - 5, top + high * (i + 0.5) + 4, short(token), `small end ${i === at ? "strong query" : ""}`);
    const masked = matrix.flatMap((row, i) => row.map((_, j) => (j > i ? stroke(i, j) : "")));
    const under = (event) => {
      const i = floor((spot(event.currentTarget, event)[1] - top) / high);
      return i >= 0 && i < n ? i : null;
    };
    const more = {
      role: "img",
      class: "press",
      onpointermove: (event) => this.focus(under(event)),
      onpointerleave: () => this.focus(null),
      onclick: (event) => under(event) !== null && this.change("token", under(event)),
    };
    return group(left + wide * n + 2, top + high * n + 2, label, more, [
      text(left - 5, top - 22, _`keys`, "small end key"),
      text(left - 5, top - 6, _`queries`, "small end query"),
      tokens.map(name),
      tokens.map((token, j) => seen(j) && slanted(left + wide * (j + 0.5) + 4, top - 5, short(token), 90)),
      matrix.map((row, i) => row.map(cell(i))),
      path("hatch", masked.join("")),
      rect("frame", left - 1, top + high * at - 1, wide * (at + 1) + 2, high + 2, 2),
    ]);
  }

  /* The text, in which each token has the weight that the chosen one gives it. */
  sentence({ at, row }) {
    const kind = (token, i) => ["word", token[0] === " " && "apart", i > at && "later", i === at && "self"];
    const word = (token, i) =>
      h("span", tint(kind(token, i).filter(Boolean).join(" "), row[i]), h("span", {}, token.trim()));
    return h("p", { class: "sentence" }, dataOf("maps").tokens.map(word));
  }

  words({ at, row }) {
    const { tokens, blocks, heads } = dataOf("maps");
    const { block, head, lens } = this.state;
    const called = (j) => `“${tokens[j].trim()}” (${j})`;
    const name = (j) => (j === at ? _`itself` : j ? called(j) : _`the first token`);
    const sorted = count(at + 1).sort((a, b) => row[b] - row[a]);
    const best = sorted.slice(0, 3).filter((j) => row[j] >= 0.005);
    const looks = best.map((j) => `${name(j)} ${two(row[j])}`).join(", ");
    const stray = inLens(lens).includes(heads * block + head) ? "" : _`; this map is not one of them`;
    const found = _`${inLens(lens).length} of ${blocks * heads} maps`;
    const seen = {
      all: "",
      first: _`${found} have over half of their weight on the first token, on average over the tokens${stray}. `,
      before: _`${found} have over half of their weight on the token before, on average over the tokens${stray}. `,
      next: _`In ${found}, over half of the weight of a token that comes again is on what followed it last time, on average over those tokens${stray}. `,
    }[lens];
    const so = _`half of the maps say little about the words`;
    const judged = this.judged(inLens(lens).length, so, lens === "first");
    return _`${judged}${seen}Block ${block}, head ${head}: ${called(at)} attends to ${looks}.`;
  }

  table({ matrix }) {
    const names = dataOf("maps").tokens.map((token, i) => `${i} ${token.trim()}`);
    const say = (i) => (weight, j) => (j > i ? _`masked` : two(weight));
    return [[_`query`, ...names], ...matrix.map((row, i) => [names[i], ...row.map(say(i))])];
  }
}
