/* Page 6, where a captioner looks. */
import {
  Figure,
  box,
  count,
  drawing,
  floor,
  largest,
  make,
  max,
  see,
  set,
  sum,
  two,
} from "../core.js";

export default class Captions extends Figure {
  build() {
    const { images, words, boxes } = this.spec,
      light = 8,
      size = 20 * light;
    const first = max(
      boxes.about[0].findIndex((k) => k >= 0),
      0,
    );
    Object.assign(this.state, { focus: null, lock: [0, first] });
    this.panels = images.map((href, p) => {
      const cells = count(light ** 2).map((k) =>
        make("rect", {
          class: "shade",
          x: 20 * (k % light),
          y: 20 * floor(k / light),
          width: 20,
          height: 20,
        }),
      );
      const frame = make("rect", { class: "outline" });
      const picture = drawing(
        size,
        size,
        `picture ${p + 1}`,
        make("image", { href, width: size, height: size, class: "pixels" }),
        cells,
        frame,
      );
      const said = words[p].map((_, t) => {
        const focus = (on) => () => this.focus(on ? [p, t] : null);
        return make("button", {
          type: "button",
          class: "word",
          onclick: () => this.lock([p, t]),
          onpointerenter: focus(true),
          onpointerleave: focus(false),
          onfocus: focus(true),
          onblur: focus(false),
        });
      });
      return { cells, frame, said, node: box("picture", picture, box("sentence", said)) };
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

  focus(on) {
    if (String(on) !== String(this.state.focus)) this.change("focus", on);
  }

  lock(on) {
    this.change("lock", String(on) === String(this.state.lock) ? null : on);
  }

  compute() {
    const { words, others, weights, boxes } = this.spec,
      { exchanged } = this.state;
    const focus = this.state.focus ?? this.state.lock,
      said = exchanged ? others : words;
    if (!focus) return { said, focus, seen: null, inside: null };
    const [p, t] = focus,
      from = exchanged ? 1 - p : p; // the picture that the context comes from
    const map = weights[from][t],
      about = boxes.about[from][t],
      box = about < 0 ? null : boxes.of[from][about];
    const pixels = boxes.side / 8,
      middle = (k) => pixels * (k + 0.5);
    const within = (k) =>
      box &&
      middle(k % 8) >= box[0] &&
      middle(k % 8) < box[2] &&
      middle(floor(k / 8)) >= box[1] &&
      middle(floor(k / 8)) < box[3];
    return { said, focus, from, map, box, inside: box && sum(map.filter((_, k) => within(k))) };
  }

  paint({ said, focus, from, map, box }) {
    const { words } = this.spec,
      { lock } = this.state;
    this.panels.forEach(({ cells, frame, said: buttons }, p) => {
      const top = from === p && map ? max(...map) : 1,
        shown = from === p && map;
      cells.forEach((each, k) =>
        set(each, { "fill-opacity": shown ? (0.8 * (1 - map[k] / top)).toFixed(2) : 0 }),
      );
      see(frame, shown && box);
      if (shown && box)
        set(frame, {
          x: box[0] * this.unit,
          y: box[1] * this.unit,
          width: (box[2] - box[0]) * this.unit,
          height: (box[3] - box[1]) * this.unit,
        });
      buttons.forEach((button, t) => {
        button.textContent = said[p][t];
        button.classList.toggle("changed", said[p][t] !== words[p][t]);
        button.classList.toggle("self", String(focus) === `${p},${t}`);
        set(button, { "aria-pressed": String(String(lock) === `${p},${t}`) });
      });
    });
  }

  words({ said, focus, from, map, inside }) {
    const { words } = this.spec,
      side = (p) => (p ? "second" : "first");
    const changed = sum(words.map((each, p) => sum(each.map((word, t) => +(word !== said[p][t])))));
    const state = this.state.exchanged
      ? `Each decoder gets the contexts of the other picture: ${changed} of ${2 * words[0].length} words change. `
      : "Each decoder looks at its own picture. ";
    if (!focus) return state;
    const [p, t] = focus,
      best = largest(map),
      own = words[p][t];
    const where =
      inside == null
        ? `the brightest cell is in row ${floor(best / 8) + 1}, column ${(best % 8) + 1}`
        : `${two(inside)} of the weight is inside the frame`;
    const name = `“${said[p][t]}” in the ${side(p)} caption`;
    const before = said[p][t] === own ? `Before ${name}` : `Before ${name}, which was “${own}”,`;
    return `${state}${before} the look is at the ${side(from)} picture: ${where}.`;
  }

  table({ said }) {
    const rows = said.flatMap((each, p) =>
      each.map((word, t) => [p + 1, this.spec.words[p][t], word]),
    );
    return [["picture", "own context", "now"], ...rows];
  }
}
