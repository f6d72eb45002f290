/* Where a captioner looks before it writes each word of two captions; captions.py says what the page gives. */
import { Figure } from "../core.js";
import { box, drawing, h, rect, tap } from "../drawing.js";
import { count, floor, max, sum, two } from "../numbers.js";
import captionsCss from "./captions.css";

const DIM = 0.55; // how dark a cell without weight is: what isn't looked at is still seen
const CELL = 20; // of 8 x 8

export default class Captions extends Figure {
  static title = _`Where does it look as it writes a word?`;
  static hint = _`point at a colour, then at “above” or “below”.`;
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
    const frame = boxes.of[from][boxes.about[from][t]] ?? null;
    const within = (k, [left, top, right, bottom]) => {
      const [x, y] = [k % 8, floor(k / 8)].map((at) => ((at + 0.5) * boxes.side) / 8); // its middle
      return x >= left && x < right && y >= top && y < bottom;
    };
    return { said, focus, from, map, frame, shades, inside: frame && sum(map.filter((_, k) => within(k, frame))) };
  }

  controls() {
    Object.assign(this.state, { focus: null, lock: null });
    const all = this.spec.words.flatMap((each, p) => each.map((_, t) => [p, t]));
    const question = _`Each decoder gets the contexts of the other picture. Whose objects does the first caption name then?`;
    return [
      this.ask(question, [_`its own`, _`the other’s`], _`the other’s`, () => this.change("exchanged", true)),
      this.toggle("exchanged", _`exchange the contexts`, false),
      this.player("lock", all, 700),
    ];
  }

  view(numbers) {
    const both = (_, p) => box("picture", this.picture(p, numbers), this.caption(p, numbers));
    return box("panels", this.spec.images.map(both));
  }

  picture(p, { from, frame, shades }) {
    const { images, boxes } = this.spec;
    const size = 8 * CELL;
    const [left, top, right, bottom] = (frame ?? []).map((edge) => (edge * size) / boxes.side);
    const place = (k) => [CELL * (k % 8), CELL * floor(k / 8), CELL, CELL, 0];
    const dark = (shade, k) => rect("shade", ...place(k), { "fill-opacity": shade.toFixed(2) });
    return drawing(size, size, _`picture ${p + 1}`, [
      h("image", { href: images[p], width: size, height: size }),
      shades[p].map(dark),
      frame && from === p && rect("outline", left, top, right - left, bottom - top, 0),
    ]);
  }

  caption(p, { said }) {
    const kind = (own, t) => (said[p][t] === own ? "word" : "word changed");
    const word = (own, t) => tap(said[p][t], null, this.pointed([p, t], kind(own, t)));
    return box("sentence", this.spec.words[p].map(word));
  }

  words({ said, focus, from, inside }) {
    const { exchanged } = this.state;
    const swapped = _`Each decoder gets the contexts of the other picture, and what that changes is underlined.`;
    const state = exchanged ? swapped : _`Each decoder looks at its own picture.`;
    const judged = this.judged(_`the other’s`, _`the objects go over with the contexts`, exchanged);
    if (!focus) return _`${judged}${state} Point at a word to see where.`;
    const [p, t] = focus;
    const side = (p) => (p ? _`second` : _`first`);
    const share = inside === null ? "" : _`: ${two(inside)} of the weight is in the white frame`;
    const own = this.spec.words[p][t];
    const before = said[p][t] === own ? "" : _`, which was “${own}”`;
    return _`Before “${said[p][t]}” in the ${side(p)} caption${before}, the decoder looks at the ${side(from)} picture${share}. ${state}`;
  }

  table({ said }) {
    const rows = said.flatMap((each, p) => each.map((word, t) => [p + 1, this.spec.words[p][t], word]));
    return [[_`picture`, _`own context`, _`now`], ...rows];
  }
}
