/* Which of the 270 heads of a released model does a name hang on? */
import { Figure, box, clamp, count, drawing, floor, ink, make, one, rect, see, set, spot, sum, text, tint, two } from "../core.js";
import switchesCss from "./switches.css";

const BLOCKS = 30;
const HEADS_EACH = 9;
const WATCHED = [18, 6]; // block and head: whose row of weights is shown
const BOARD = { left: 46, top: 20, wide: 10, high: 13 }; // of a cell
const WAYS = {
  none: "all heads on",
  five: "five heads of blocks 17 and 18 off",
  others: "five others of these blocks off",
};

const [DOWN, UP] = [
  ["ArrowLeft", "ArrowDown", "Home"],
  ["ArrowRight", "ArrowUp", "End"],
]; // keys that leave a slider at an end where it is

const chance = (p) => two(p).replace("0.", ".");
const headName = (k) => `block ${floor(k / HEADS_EACH)}, head ${k % HEADS_EACH}`;
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
  static style = switchesCss;

  static compute(spec, { sentence, off, block, head, tried, all }) {
    const { tokens, p, rows } = spec.sentences[sentence];
    const bytes = atob(rows);
    const weight = (run, j) => bytes.charCodeAt(run * tokens.length + j) / 255;
    const run = { none: 0, five: 1, others: 2 }[off] ?? 3 + headAt([block, head]);
    const heads = ({ none: [], one: [[block, head]] }[off] ?? spec[off]).map(headAt);
    const at = placesBefore(spec.sentences[sentence]);
    const looks = p.map((_, k) => sum(at.map((j) => weight(k, j)))); // in each run, all of them
    // What is known, the lowest first.
    const known = (all ? count(BLOCKS * HEADS_EACH) : [...tried[sentence]]).sort((a, b) => p[3 + a] - p[3 + b] || a - b);
    // Of what the token has with all heads on; without some heads it has more, which is no loss.
    const losses = Array(BLOCKS * HEADS_EACH).fill(null);
    for (const k of known) losses[k] = p[0] ? clamp(1 - p[3 + k] / p[0], 0, 1) : 0;
    return {
      run,
      heads,
      p: p[run],
      row: tokens.map((_, j) => weight(run, j)),
      at,
      looks,
      known,
      losses,
    };
  }

  build() {
    const { sentences } = this.spec;
    const select = make(
      "select",
      {},
      sentences.map((each, i) => make("option", { value: i }, titleOf(each))),
    );
    set(select, { onchange: () => this.change("sentence", +select.value) });
    const show = () => (select.value = this.state.sentence);
    Object.assign(this.state, { sentence: 0, off: "none", tried: sentences.map(() => []) });
    const menu = this.control("sentence", "sentence", 0, select, show);
    this.ways = Object.entries(WAYS).map(([way, label]) => ({
      way,
      button: this.button(label, () => this.change("off", way)),
    }));
    this.chips = box("sentence");
    return [
      sentences.length > 1 ? box("controls", menu) : null,
      box(
        "panels alone",
        box("answer", make("p", { class: "legend" }, "where head 6 of block 18 looks from the last token"), this.chips, this.bar()),
        make("p", { class: "legend" }, "press a head to replace its output by its mean"),
        this.board(),
      ),
      box(
        "controls ways",
        this.ways.map(({ button }) => button),
      ),
      box("controls", this.mover("block", BLOCKS), this.mover("head", HEADS_EACH), this.toggle("all", "show all 270", false)),
    ];
  }

  /* A slider over blocks or heads. While no single head is off, a press on where it is switches that
  one off, too. */
  mover(name, size) {
    const node = this.slider(name, name, count(size), 0, (number) => this.said(name, number));
    const input = node.querySelector("input");
    const here = () => this.state.off !== "one" && this.change(name, this.state[name]);
    const onkeydown = ({ key }) => {
      const ends = { [size - 1]: UP, 0: DOWN }[this.state[name]] ?? [];
      if ([...ends, " ", "Enter"].includes(key)) here();
    };
    const onclick = ({ clientX, clientY }) => {
      const { left, right, top, bottom } = input.getBoundingClientRect(); // a label passes its clicks on
      if (clientX > left && clientX < right && clientY > top && clientY < bottom) here();
    };
    set(input, { onkeydown, onclick });
    return node;
  }

  /* What a slider says: its number while it is the one head that is off, else what is off. */
  said(name, number) {
    const { off } = this.state;
    if (off === "one") return String(number);
    if (off === "none") return "none off";
    const heads = this.spec[off];
    return name === "block" ? [...new Set(heads.map(([block]) => block))].sort((a, b) => a - b).join(" and ") : `${heads.length} off`;
  }

  bar() {
    this.asked = make("span");
    this.now = make("span", { class: "now" });
    this.before = make("span", { class: "before" });
    this.number = make("strong");
    this.was = make("span", { class: "legend" });
    return box("odds", this.asked, box("track", this.now, this.before), this.number, this.was);
  }

  /* A cell for each head: a row for each head of a block, a column for each block. */
  board() {
    const { left, top, wide, high } = BOARD;
    const [right, bottom] = [left + wide * BLOCKS, top + high * HEADS_EACH];
    const x = (k) => left + wide * floor(k / HEADS_EACH);
    const y = (k) => top + high * (k % HEADS_EACH);
    this.cells = count(BLOCKS * HEADS_EACH).map((k) => ({
      cell: rect("cell", x(k) + 0.8, y(k) + 0.8, wide - 1.6, high - 1.6, 1.5),
      frame: rect("frame", x(k) - 0.2, y(k) - 0.2, wide + 0.4, high + 0.4, 2.5),
    }));
    const samples = [
      ["untried", null, 46],
      ["no loss", 0, 108],
      ["half is lost", 0.5, 176],
      ["all is lost", 1, 263],
    ].map(([label, loss, at]) => [this.inked(rect("cell", at, bottom + 10, 9, 11, 1.5), loss), text(at + 13, bottom + 20, label, "small muted")]);
    const chart = drawing(
      right + 2,
      bottom + 24,
      "The heads: a row for each head of a block, a column for each block. Press one",
      text(left - 6, 13, "block", "small end muted"),
      [0, 5, 10, 15, 20, 25, 29].map((b) => text(left + wide * (b + 0.5), 13, b, "small mid muted")),
      [0, 2, 4, 6, 8].map((h) => text(left - 6, top + high * (h + 0.5) + 4, h ? h : "head 0", "small end muted")),
      this.cells.map(({ cell }) => cell),
      this.cells.map(({ frame }) => frame),
      samples,
    );
    return set(chart, {
      class: "press board",
      onclick: (event) => {
        const [at, down] = spot(chart, event);
        const [b, h] = [floor((at - left) / wide), floor((down - top) / high)];
        if (b >= 0 && h >= 0 && b < BLOCKS && h < HEADS_EACH) this.press(b, h);
      },
    });
  }

  /* A cell that isn't known yet is empty, and any that is has some ink. */
  inked(cell, loss) {
    cell.classList.toggle("blank", loss === null);
    return set(cell, { "fill-opacity": loss === null ? null : ink(loss) });
  }

  press(b, h) {
    const { off, block, head } = this.state;
    if (off === "one" && b === block && h === head) return this.change("off", "none");
    this.state.block = b;
    this.change("head", h);
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
    for (const slider of ["block", "head"]) this.show[slider]();
  }

  paint({ p, row, at, heads, losses }) {
    const { sentence, off } = this.state;
    const { tokens, next, p: all } = this.spec.sentences[sentence];
    this.ways.forEach(({ way, button }) => set(button, { "aria-pressed": String(way === off) }));
    this.chips.replaceChildren(
      ...tokens.map((token, j) => {
        const number = row[j] < 0.05 ? "" : chance(row[j]);
        const chip = make("span", { class: "word tint" }, make("span", {}, token.trim()));
        chip.append(make("span", { class: "number" }, number));
        tint(chip, row[j]);
        for (const [kind, on] of [
          ["apart", token.startsWith(" ")],
          ["self", j === tokens.length - 1],
          ["wanted", at.includes(j)],
        ])
          chip.classList.toggle(kind, on);
        return chip;
      }),
    );
    this.asked.textContent = `probability of ${quoted(next)}`;
    this.now.style.width = `${one(100 * p)}%`;
    this.before.style.width = `${one(100 * all[0])}%`;
    this.number.textContent = chance(p);
    this.was.textContent = `dashed: all heads on, ${chance(all[0])}`;
    this.cells.forEach(({ cell, frame }, k) => {
      this.inked(cell, losses[k]);
      see(frame, heads.includes(k));
    });
  }

  words({ run, heads, p, at, looks, known }) {
    const { off, all, sentence, tried } = this.state;
    const given = this.spec.sentences[sentence];
    const next = quoted(given.next);
    const who = {
      none: "All heads on",
      one: `Without ${headName(heads[0])}`,
      five: "Without the five heads of blocks 17 and 18",
      others: "Without five other heads of blocks 17 and 18",
    }[off];
    let sees = "";
    if (at.length) {
      const [was, is] = [looks[0], looks[run]].map(chance);
      const weight = `weight ${is}${is === was ? "" : ` instead of ${was}`}`;
      const verb = run && is === was ? "still looks" : "looks";
      const where = `${verb} at the ${at.length > 1 ? `${at.length} ` : ""}earlier ${next} with ${weight}`;
      sees = heads.includes(headAt(WATCHED)) ? `. Head 6 of block 18 ${where}, but it is off, so its output isn't used` : `, and head 6 of block 18 ${where}`;
    }
    const best = known.length ? `${chance(given.p[3 + known[0]])}, ${headName(known[0])}` : "";
    const n = tried[sentence].length;
    const search = all ? `All 270 heads are shown; the lowest is ${best}.` : n ? `Tried ${n} of 270; the lowest so far is ${best}.` : "None of the 270 heads has been tried.";
    return `${who}: ${next} has probability ${chance(p)}${sees}. ${search}`;
  }

  /* All on, both fives, and the heads that are known, the lowest first. */
  table({ at, looks, known }) {
    const { p } = this.spec.sentences[this.state.sentence];
    const row = (words, run) => [words, two(p[run]), at.length ? two(looks[run]) : "none"];
    return [
      ["off", "probability", "weight on the earlier token"],
      ...["none", "five", "others"].map((way, run) => row(WAYS[way], run)),
      ...known.map((k) => row(headName(k), 3 + k)),
    ];
  }
}
