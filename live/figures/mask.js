/* Masks, and the weights they leave. */
import { ARROWS, Figure, box, circle, clamp, count, drawing, floor, hatch, ink, make, max, onInk, rect, see, set, slanted, softmax, sum, text, two } from "../core.js";
import maskCss from "./mask.css";

const EMPTY = {
  zeros: 0,
  "equal weights (softmax after −1e9)": "equal",
  "nan (softmax after −∞)": NaN,
};

export default class Mask extends Figure {
  static style = maskCss;
  static moves = ["weights"];

  static compute(spec, state) {
    const { scores } = spec,
      { length, causal, window, pressed, empty } = state,
      n = scores.length;
    const rule = (i, j) => j < length && (!causal || j <= i) && (!window || (j <= i && j > i - 2));
    const open = (i, j) => Boolean(pressed[i * n + j] ?? rule(i, j));
    const mask = count(n).map((i) => count(n).map((j) => open(i, j)));
    const weights = scores.map((row, i) => {
      if (mask[i].some(Boolean)) return softmax(row.map((s, j) => (mask[i][j] ? s : -Infinity)));
      return row.map(() => (EMPTY[empty] === "equal" ? 1 / n : EMPTY[empty]));
    });
    return { mask, weights };
  }

  build() {
    const { tokens, length } = this.spec,
      n = tokens.length,
      side = 42,
      left = clamp(12 + 7 * max(...tokens.map((each) => each.length)), 54, 76),
      end = left + side * n;
    this.state.pressed = {}; // what is set by hand, by the number of its cell
    this.cells = count(n * n).map((k) => {
      const x = left + side * (k % n),
        y = 62 + side * floor(k / n);
      const cell = rect("cell", x + 1, y + 1, 40, 40),
        masked = hatch(x + 1, y + 1, 40, 40);
      const number = text(x + 21, y + 25, ""),
        hand = circle("query", 3, x + 34, y + 8);
      const button = make(
        "g",
        {
          role: "checkbox",
          tabindex: k ? -1 : 0,
          class: "press",
          onclick: () => this.press(k),
          onkeydown: (event) => this.key(event, k),
        },
        rect("under", x, y, side, side),
        cell,
        masked,
        number,
        hand,
      );
      return { cell, masked, number, hand, button };
    });
    const label = (i) => [text(left - 6, 87 + side * i, tokens[i], "small end"), slanted(left + 24 + side * i, 54, tokens[i])];
    this.labels = count(n).map(label);
    this.sums = tokens.map((_, i) => text(end + 6, 87 + side * i, "", "small muted"));
    return [
      box(
        "controls",
        this.slider("length", "valid length", count(n + 1), length),
        this.toggle("causal", "causal", this.spec.causal),
        this.toggle("window", "window of 2", false),
        this.choice("empty", "an empty row gives", Object.keys(EMPTY)),
      ),
      box(
        "panels",
        set(
          drawing(
            end + 38,
            70 + side * n,
            "Weights: press a cell to mask or to allow it",
            this.labels,
            text(left - 6, 54, "queries", "small end query"),
            text(end + 6, 54, "sum", "small muted"),
            text(left, 30, "keys", "small key"),
            this.cells.map((each) => each.button),
            this.sums,
          ),
          { role: "group" },
        ),
      ),
    ];
  }

  press(k) {
    const n = this.spec.tokens.length,
      open = this.compute().mask[floor(k / n)][k % n];
    this.change("pressed", { ...this.state.pressed, [k]: !open });
  }

  key(event, k) {
    const n = this.spec.tokens.length,
      row = floor(k / n),
      column = k % n;
    const [down, right] = ARROWS[event.key] ?? [];
    if (event.key === " " || event.key === "Enter") this.press(k);
    else if (down === undefined) return;
    else {
      const next = this.cells[clamp(row + down, 0, n - 1) * n + clamp(column + right, 0, n - 1)].button;
      set(this.cells[k].button, { tabindex: -1 });
      set(next, { tabindex: 0 }).focus();
    }
    event.preventDefault();
  }

  paint({ mask, weights }) {
    const { tokens } = this.spec,
      n = tokens.length;
    this.cells.forEach(({ cell, masked, number, hand, button }, k) => {
      const i = floor(k / n),
        j = k % n,
        weight = weights[i][j],
        open = mask[i][j];
      see(hand, k in this.state.pressed);
      set(cell, { "fill-opacity": open || weight > 0 ? ink(weight) : 0 });
      see(masked, !open);
      number.textContent = open || weight !== 0 ? two(weight) : "";
      set(number, { class: open ? onInk(weight) : "small mid strong" });
      set(button, {
        "aria-checked": String(open),
        "aria-label": `${tokens[i]} to ${tokens[j]}: ${open ? `weight ${two(weight)}` : "masked"}`,
      });
    });
    for (const [i, pair] of this.labels.entries()) for (const each of pair) each.classList.toggle("muted", i >= this.state.length);
    this.sums.forEach((each, i) => (each.textContent = two(sum(weights[i]))));
  }

  words({ mask }) {
    const { tokens } = this.spec,
      { causal, window, pressed } = this.state,
      bare = count(tokens.length).filter((i) => !mask[i].some(Boolean));
    const open =
      `${sum(mask.flat().map(Number))} of ${tokens.length ** 2} pairs are allowed.` +
      (Object.keys(pressed).length ? " A dot marks what you set by hand; no rule changes it." : "") +
      (!window
        ? ""
        : causal
          ? " The window looks back only, so “causal” changes nothing."
          : " The window keeps a token and the one before it, so later keys are masked although “causal” " + "is off.");
    if (!bare.length) return `${open} Every row has a key and sums to 1.`;
    const rows = bare.map((i) => `${i + 1} (${tokens[i]})`).join(", ");
    return `${open} Rows without a key: ${rows}. Under this convention they get ${this.state.empty}.`;
  }

  table({ mask, weights }) {
    const { tokens } = this.spec,
      say = (i) => (weight, j) => (mask[i][j] ? "" : "masked ") + two(weight);
    return [["query", ...tokens], ...weights.map((row, i) => [tokens[i], ...row.map(say(i))])];
  }
}
