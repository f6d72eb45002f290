/* Masks, and the weights they leave, equation (3.1): cells to press, rules to combine. Of the page:
tokens, n words; scores, (n, n); length, how many tokens are allowed at the start. */
import { Figure } from "../core.js";
import { box, circle, group, rect, slanted, text, weighed } from "../drawing.js";
import { clamp, count, floor, max, min, softmax, sum, two } from "../numbers.js";

const SIDE = 42; // of a cell

export default class Mask extends Figure {
  static takes = "tokens scores length";
  static title = _`Who may look at whom?`;
  static hint = _`switch “causal” on, then open one cell of the future: what does its row pay for it?`;
  static moves = ["weights"];

  static compute({ scores }, { length, causal, pressed }) {
    const n = scores.length;
    const rule = (i, j) => j < length && (!causal || j <= i);
    const open = (i, j) => Boolean(pressed[i * n + j] ?? rule(i, j));
    const mask = count(n).map((i) => count(n).map((j) => open(i, j)));
    const weights = scores.map((row, i) => softmax(row.map((s, j) => (mask[i][j] ? s : -Infinity))));
    return { mask, weights };
  }

  controls() {
    const { tokens, length } = this.spec;
    this.state.pressed = {}; // what is set by hand, by the number of its cell
    const question = _`Switch “causal” on: how many of the ${tokens.length} rows keep their weights?`;
    const answers = [...new Set([0, 1, this.kept, tokens.length])].sort((a, b) => a - b);
    return [
      this.ask(question, answers, this.kept, () => this.become({ length, pressed: {}, causal: true })),
      this.slider("length", _`valid length`, count(tokens.length + 1), length),
      this.toggle("causal", _`causal`, false),
    ];
  }

  /* How many rows have all their keys under the causal rule, too. */
  get kept() {
    const { tokens, length } = this.spec;
    return tokens.filter((_, i) => i + 1 >= length).length;
  }

  press(k) {
    const n = this.spec.tokens.length;
    const open = this.compute().mask[floor(k / n)][k % n];
    this.last = String(k);
    this.change("pressed", { ...this.state.pressed, [k]: !open });
  }

  /* The cell that was opened last by hand, and the weights without it. */
  get opened() {
    const { pressed } = this.state;
    const k = this.last in pressed ? this.last : Object.keys(pressed).at(-1);
    const { [k]: open, ...rest } = pressed;
    return open ? [Number(k), this.compute({ pressed: rest }).weights] : [];
  }

  /* What a row pays for a key that was masked. */
  paid(weights) {
    const n = this.spec.tokens.length;
    const [k, before] = this.opened;
    const [i, j] = [floor(k / n), k % n];
    if (!before || before[i][j] || !before[i][i]) return "";
    const [query, key] = [i, j].map((at) => this.spec.tokens[at]);
    const later = j > i ? _`, which comes later` : "";
    return _`“${query}” now gives ${two(weights[i][j])} to “${key}”${later}; its own word falls from ${two(before[i][i])} to ${two(weights[i][i])}. `;
  }

  view({ mask, weights }) {
    const { tokens } = this.spec;
    const { length, pressed } = this.state;
    const n = tokens.length;
    const left = clamp(12 + 7 * max(...tokens.map((each) => each.length)), 54, 76);
    const end = left + SIDE * n;
    const cell = (weight, i, j) => {
      const [x, y, k, open] = [left + SIDE * j, 62 + SIDE * i, n * i + j, mask[i][j]];
      const label = _`${tokens[i]} to ${tokens[j]}: ${open ? _`weight ${two(weight)}` : _`masked`}`;
      const about = { role: "checkbox", "aria-checked": String(open), "aria-label": label };
      const mark = k in pressed && circle("query", 3, x + 34, y + 8);
      const parts = [rect("under", x, y, SIDE, SIDE), weighed(weight, x, y, SIDE, !open), mark];
      return this.pressable(() => this.press(k), about, [i, j, n, n], parts);
    };
    const grey = (i) => (i < length ? "small" : "small muted");
    const label = _`Weights: press a cell to mask or to allow it`;
    const drawn = group(end + 38, 70 + SIDE * n, label, {}, [
      tokens.map((token, i) => text(left - 6, 87 + SIDE * i, token, `end ${grey(i)}`)),
      tokens.map((token, i) => slanted(left + 24 + SIDE * i, 54, token, 45, grey(i))),
      text(left - 6, 54, _`queries`, "small end query"),
      text(end + 6, 54, _`sum`, "small muted"),
      text(left, 30, _`keys`, "small key"),
      weights.map((row, i) => row.map((weight, j) => cell(weight, i, j))),
      weights.map((row, i) => text(end + 6, 87 + SIDE * i, two(sum(row)), "small muted")),
    ]);
    return box("panels", drawn);
  }

  words({ mask, weights }) {
    const { tokens } = this.spec;
    const bare = tokens.filter((_, i) => !mask[i].some(Boolean));
    const open = _`${sum(mask.flat().map(Number))} of ${tokens.length ** 2} pairs are allowed.`;
    const { length, causal, pressed } = this.state;
    const asked = causal && length === this.spec.length && !Object.keys(pressed).length;
    const said = this.judged(this.kept, _`a row changes only where it loses a later key`, asked);
    const names = bare.map((token) => `“${token}”`).join(", ");
    const zeros = [
      _`Every row has a key and sums to 1.`,
      _`The row without a key (${names}) gets zeros.`,
      _`The rows without a key (${names}) get zeros.`,
    ][min(bare.length, 2)];
    return _`${said}${this.paid(weights)}${open} ${zeros}`;
  }

  table({ mask, weights }) {
    const { tokens } = this.spec;
    const say = (i) => (weight, j) => (mask[i][j] ? "" : _`masked `) + two(weight);
    return [[_`query`, ...tokens], ...weights.map((row, i) => [tokens[i], ...row.map(say(i))])];
  }
}
