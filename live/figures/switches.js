/* Which of the 270 heads of a released model does a name hang on? A switch for each, and what a sentence loses without
it. Of the page: sentences: tokens, with the blanks before them; next, the right next token; p, its probability in each of
273 runs, all on, the five off, the others off, then each head off; rows, for each run the weights from the last token
in head 6 of block 18, bytes round(255 * weight) in base64. switches.py adds the fives. */
import { Figure } from "../core.js";
import { bar, box, drawing, group, h, ink, legend, make, rect, text, tint } from "../drawing.js";
import { clamp, count, floor, sum, two } from "../numbers.js";
import switchesCss from "./switches.css";

const BLOCKS = 30;
const HEADS_EACH = 9;
const NAMES_WIDE = 48; // px of the names of the rows
const CELL_HIGH = 24; // px of a cell
const BEGUN = [9 * 18 + 6, 9 * 18 + 7, 9 * 17 + 5, 9 * 8, 9 * 23 + 1]; // tried at the start, to compare with
const SWITCHED = {
  none: _`all heads on`,
  five: _`five heads of blocks 17 and 18 off`,
  others: _`five others of these blocks off`,
};

const chance = (p) => two(p).replace("0.", ".");
const headName = (k) => _`block ${floor(k / HEADS_EACH)}, head ${k % HEADS_EACH}`;
const headAt = ([block, head]) => HEADS_EACH * block + head;
const quoted = (token) => `“${token.trim()}”`;
const titleOf = ({ tokens, next }) => {
  const words = tokens.slice(1).join("").trim().split(" ");
  return `${words.length > 5 ? "… " : ""}${words.slice(-5).join(" ")} → ${next.trim()}`;
};

/* Where the right next token stood before, behind the same token as now. */
function placesBefore({ tokens, next }) {
  const last = tokens.length - 1;
  return count(last).filter((j) => j && tokens[j] === next && tokens[j - 1] === tokens[last]);
}

export default class Switches extends Figure {
  static title = _`Switch off one of 270 heads: what is lost?`;
  static hint = _`five heads have been tried. Find the one that this name needs most before you show them all, then try it in another sentence.`;
  static style = switchesCss;
  static measured = true;

  static compute(spec, { sentence, off, block, head, tried, all }) {
    const { tokens, p, rows } = spec.sentences[sentence];
    const bytes = atob(rows);
    const weight = (run, j) => bytes.charCodeAt(run * tokens.length + j) / 255;
    const run = { none: 0, five: 1, others: 2 }[off] ?? 3 + headAt([block, head]);
    const heads = ({ none: [], one: [[block, head]] }[off] ?? spec[off]).map(headAt);
    const at = placesBefore(spec.sentences[sentence]);
    const looks = p.map((_, k) => sum(at.map((j) => weight(k, j)))); // in each run, all of them
    const known = all ? count(BLOCKS * HEADS_EACH) : [...tried[sentence]];
    known.sort((a, b) => p[3 + a] - p[3 + b] || a - b); // the lowest first
    // Of what the token has with all heads on; without some heads it has more, which is no loss.
    const losses = Array(BLOCKS * HEADS_EACH).fill(null);
    for (const k of known) losses[k] = p[0] ? clamp(1 - p[3 + k] / p[0], 0, 1) : 0;
    return { run, heads, p: p[run], row: tokens.map((_, j) => weight(run, j)), at, looks, known, losses };
  }

  controls() {
    const { sentences } = this.spec;
    const options = sentences.map((each, i) => make("option", { value: i }, titleOf(each)));
    const select = make("select", { onchange: () => this.change("sentence", +select.value) }, options);
    this.state.tried = sentences.map(() => [...BEGUN]);
    const menu = this.control("sentence", _`sentence`, 0, select, () => (select.value = this.state.sentence));
    this.ways = this.pressed("off", Object.entries(SWITCHED), "none");
    const said = (number) => (this.state.off === "one" ? String(number) : "–"); // no single head is off
    const block = this.slider("block", _`block`, count(BLOCKS), 0, said);
    const head = this.slider("head", _`head`, count(HEADS_EACH), 0, said);
    this.below = make("div", { class: "controls" }, block, head, this.toggle("all", _`show all 270`, false));
    return [menu];
  }

  view(numbers) {
    const looks = legend(_`where head 6 of block 18 looks from the last token`);
    return box("panels alone", [
      box("answer", looks, this.chips(numbers)),
      box("odds", this.odds(numbers)),
      legend(_`press a head to switch it off, or ablate it: its output is replaced by its mean`),
      this.board(numbers),
      this.below,
      this.ways,
    ]);
  }

  chips({ row, at }) {
    const { tokens } = this.spec.sentences[this.state.sentence];
    const chip = (token, j) => {
      const kinds = [token.startsWith(" ") && "apart", j === tokens.length - 1 && "self", at.includes(j) && "wanted"];
      const about = tint(["stacked word", ...kinds.filter(Boolean)].join(" "), row[j]);
      const number = h("span", { class: "small" }, row[j] < 0.05 ? "" : chance(row[j]));
      return h("span", about, h("span", {}, token.trim()), number);
    };
    return box("sentence", tokens.map(chip));
  }

  /* The probability of the right next token, and dashed what it is with all heads on. */
  odds({ p }) {
    const { next, p: all } = this.spec.sentences[this.state.sentence];
    const room = this.stage.clientWidth || 760;
    const [left, wide] = [190, room - 190 - 34];
    return drawing(room, 44, _`probability of ${quoted(next)}`, [
      text(0, 19, _`probability of ${quoted(next)}`),
      rect("band", left, 4, wide, 20, 4),
      bar("cell", left, left + wide * p, 4, 20),
      rect("ghost", left, 4, wide * all[0], 20),
      text(room, 19, chance(p), "strong end"),
      text(room, 40, _`dashed: all heads on, ${chance(all[0])}`, "small end muted"),
    ]);
  }

  /* A cell for each head: a row for each head of a block, a column for each block; where there is less
  room, the second half of the blocks below the first. One that isn't known yet is small and grey. */
  board({ heads, losses }) {
    const room = this.stage.clientWidth || 760;
    const across = room < 620 ? BLOCKS / 2 : BLOCKS;
    const wide = (room - NAMES_WIDE - 2) / across;
    const tall = 20 + CELL_HIGH * HEADS_EACH + 8; // of a row of blocks
    const x = (block) => NAMES_WIDE + wide * (block % across);
    const y = (block, head) => 20 + tall * floor(block / across) + CELL_HIGH * head;
    const end = tall * (BLOCKS / across);
    const inked = (loss) => (loss === null ? { class: "cell blank" } : { "fill-opacity": ink(loss) });
    const place = (k) => [x(floor(k / HEADS_EACH)), y(floor(k / HEADS_EACH), k % HEADS_EACH)];
    const cell = (loss, k) => {
      const [left, top] = place(k);
      const seen = rect("cell", left + 1.5, top + 1.5, wide - 3, CELL_HIGH - 3, 3, inked(loss));
      return h("g", { onclick: () => this.press(k) }, rect("under", left, top, wide, CELL_HIGH, 0), seen);
    };
    const frame = (k) => rect("frame", ...place(k), wide, CELL_HIGH, 4, { "data-head": k });
    const sample = (label, loss, at) => [
      rect("cell", at + 2, end + 4, 14, 14, 3, inked(loss)),
      text(at + 22, end + 16, label, "small muted"),
    ];
    const name = (y, words) => text(NAMES_WIDE - 8, y, words, "small end muted");
    const names = (block) => [
      name(y(block, 0) - 6, _`block`),
      [0, 2, 4, 6, 8].map((head) => name(y(block, head) + 16, head || _`head 0`)),
    ];
    const label = _`The heads: a row for each head of a block, a column for each block. Press one`;
    return group(room, end + 24, label, { role: "img", class: "press board" }, [
      count(BLOCKS / across).map((row) => names(row * across)),
      [0, 5, 10, 15, 20, 25, 29].map((block) => text(x(block) + wide / 2, y(block, 0) - 6, block, "small mid muted")),
      losses.map(cell),
      sample(_`untried`, null, 0),
      sample(_`no loss`, 0, 80),
      sample(_`half is lost`, 0.5, 160),
      sample(_`all is lost`, 1, 260),
      heads.map(frame),
    ]);
  }

  press(k) {
    const { off, block, head } = this.state;
    if (off === "one" && k === headAt([block, head])) return this.change("off", "none");
    this.state.block = floor(k / HEADS_EACH);
    this.change("head", k % HEADS_EACH);
  }

  /* Moving to a head switches it off, and what is switched off has been tried in this sentence. */
  change(name, value) {
    const { state } = this;
    state[name] = value;
    if (name === "block" || name === "head") state.off = "one";
    const k = headAt([state.block, state.head]);
    const mine = state.tried[state.sentence];
    if (state.off === "one" && !mine.includes(k)) mine.push(k);
    super.change(name, value);
    for (const each of ["block", "head", "off"]) this.show[each]();
  }

  words({ run, heads, p, at, looks, known }) {
    const { off, all, sentence, tried } = this.state;
    const given = this.spec.sentences[sentence];
    const next = quoted(given.next);
    const [first, ...rest] = off === "one" ? _`${headName(heads[0])} off` : SWITCHED[off];
    const though = heads.includes(headAt([18, 6])) ? _`, though off,` : "";
    const looked = _`, and head 6 of block 18${though} looks at the earlier ${next} with weight ${chance(looks[run])}`;
    const lowest = known.length ? _`; the lowest is ${chance(given.p[3 + known[0]])}, ${headName(known[0])}` : "";
    const search = _`Tried ${all ? 270 : tried[sentence].length} of 270${lowest}.`;
    return _`${first.toUpperCase()}${rest.join("")}: ${next} has probability ${chance(p)}${at.length ? looked : ""}. ${search}`;
  }

  /* All on, both fives, and the heads that are known, the lowest first. */
  table({ at, looks, known }) {
    const { p } = this.spec.sentences[this.state.sentence];
    const row = (words, run) => [words, two(p[run]), at.length ? two(looks[run]) : _`none`];
    const ways = ["none", "five", "others"].map((way, run) => row(SWITCHED[way], run));
    const head = [_`off`, _`probability`, _`weight on the earlier token`];
    return [head, ...ways, ...known.map((k) => row(headName(k), 3 + k))];
  }
}
