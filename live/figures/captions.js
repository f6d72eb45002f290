/* Where a captioner looks. */
import { Figure, box, count, drawing, floor, largest, make, max, see, set, sum, two } from "../core.js";
import captionsCss from "./captions.css";

const DIM = 0.55; // how dark a cell without weight is: what isn't looked at is still seen

export default class Captions extends Figure {
  static style = captionsCss;
  static moves = ["shades"];

  static compute({ words, others, weights, boxes }, state) {
    const focus = state.focus ?? state.lock;
    const said = state.exchanged ? others : words;
    const bright = words.map(() => count(64).map(() => 0));
    if (!focus) return { said, focus, map: null, shades: bright };
    const [p, t] = focus;
    const from = state.exchanged ? 1 - p : p; // the picture that the context comes from
    const map = weights[from][t];
    const most = max(...map);
    const shades = bright.map((all, q) => (q === from ? map.map((w) => DIM * (1 - w / most)) : all));
    const size = boxes.side / 8;
    const about = boxes.about[from][t];
    const frame = boxes.of[from][about] ?? null;
    if (!frame) {
      const best = largest(map);
      const [x, y] = [size * (best % 8), size * floor(best / 8)];
      const object = boxes.of[from].findIndex(([left, top, right, bottom]) => x < right && x + size > left && y < bottom && y + size > top);
      return { said, focus, from, map, frame, shades, object, inside: null };
    }
    const [left, top, right, bottom] = frame;
    const middle = (cell) => size * (cell + 0.5);
    const within = map.filter((_, k) => {
      const [x, y] = [middle(k % 8), middle(floor(k / 8))];
      return x >= left && x < right && y >= top && y < bottom;
    });
    return { said, focus, from, map, frame, shades, object: about, inside: sum(within) };
  }

  build() {
    const { images, words, boxes } = this.spec;
    const size = 160; // 8 x 8 cells of 20
    Object.assign(this.state, { focus: null, lock: null });
    this.panels = images.map((href, p) => {
      const cells = count(64).map((k) =>
        make("rect", {
          class: "shade",
          x: 20 * (k % 8),
          y: 20 * floor(k / 8),
          width: 20,
          height: 20,
        }),
      );
      const frame = make("rect", { class: "outline" });
      const picture = drawing(size, size, `picture ${p + 1}`, make("image", { href, width: size, height: size, class: "pixels" }), cells, frame);
      const buttons = words[p].map((_, t) => this.pointer("word", [p, t]));
      return { cells, frame, buttons, node: box("picture", picture, box("sentence", buttons)) };
    });
    this.unit = size / boxes.side;
    return [
      box("controls", this.toggle("exchanged", "exchange the contexts", false)),
      box(
        "panels",
        this.panels.map((each) => each.node),
      ),
    ];
  }

  paint({ said, from, map, frame: edges, shades }) {
    this.panels.forEach(({ cells, frame, buttons }, p) => {
      const shown = map && from === p;
      cells.forEach((each, k) => set(each, { "fill-opacity": shades[p][k].toFixed(2) }));
      see(frame, shown && edges);
      if (shown && edges) {
        const [x, y, right, bottom] = edges.map((edge) => edge * this.unit);
        set(frame, { x, y, width: right - x, height: bottom - y });
      }
      buttons.forEach((button, t) => {
        button.textContent = said[p][t];
        button.classList.toggle("changed", said[p][t] !== this.spec.words[p][t]);
        this.mark(button, [p, t]);
      });
    });
  }

  words({ said, focus, from, object, inside }) {
    const { words, boxes } = this.spec;
    const side = (p) => (p ? "second" : "first");
    const changed = sum(words.map((each, p) => sum(each.map((word, t) => +(word !== said[p][t])))));
    const state = this.state.exchanged
      ? `Each decoder gets the contexts of the other picture: ${changed} of ${2 * words[0].length} words change. `
      : "Each decoder looks at its own picture. ";
    if (!focus) return `${state}Point at a word to see where.`;
    const [p, t] = focus;
    const own = words[p][t];
    const thing = object < 0 ? "no object" : `the ${words[from].filter((_, k) => boxes.about[from][k] === object).join(" ")}`;
    const where = inside == null ? `the largest weight is on ${thing}` : `${two(inside)} of the weight is in the white frame around ${thing}`;
    const name = `“${said[p][t]}” in the ${side(p)} caption`;
    const before = said[p][t] === own ? `Before ${name}` : `Before ${name}, which was “${own}”,`;
    return `${state}${before} the look is at the ${side(from)} picture: ${where}.`;
  }

  table({ said }) {
    const rows = said.flatMap((each, p) => each.map((word, t) => [p + 1, this.spec.words[p][t], word]));
    return [["picture", "own context", "now"], ...rows];
  }
}
