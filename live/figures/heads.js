/* What the heads of a layer look at, and what it costs to remove some. */
import { Figure, box, count, drawing, ink, largest, make, max, onInk, one, path, rect, see, set, slanted, text, two } from "../core.js";
import headsCss from "./heads.css";

const [TOP, ROW, LEFT] = [86, 30, 84]; // of the table: where its rows begin, a row, its cells
const RISEN = 0.02; // an error that has grown by more is told

const listed = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0]);

export default class Heads extends Figure {
  static style = headsCss;

  static moves = ["rows", "errors"];

  static compute({ layers, asked }, { layer, query, removed }) {
    const { weights, errors } = layers.find(({ name }) => name === layer);
    const gone = removed[layer] ?? 0; // a bit for each head
    return {
      rows: weights.map((head) => head[query - 1]),
      off: weights.map((_, h) => (gone >> h) & 1),
      asked: asked[query - 1],
      errors: errors[gone],
      alone: weights.map((_, h) => max(...errors[1 << h])),
      whole: errors[0],
    };
  }

  build() {
    const { layers, asked, questions, layer } = this.spec;
    this.state.removed = {};
    const names = layers.map(({ name }) => name);
    const say = (query) => asked[query - 1].map((key, k) => `${questions[k]} of box ${key + 1}`).join(", ");
    return [
      box(
        "controls",
        this.choice("layer", "layer", names, layer),
        this.slider(
          "query",
          "query",
          count(asked.length).map((i) => i + 1),
          1,
          say,
        ),
      ),
      box("panels", this.looks(), this.costs()),
    ];
  }

  /* A row for each head: to be pressed, and its weights on the boxes. */
  looks() {
    const { layers, questions } = this.spec;
    const most = max(...layers.map(({ weights }) => weights.length));
    const m = (this.m = layers[0].weights[0][0].length);
    this.side = (270 - LEFT) / m;
    const middle = (j) => LEFT + this.side * (j + 0.5);
    this.middle = middle;
    this.labels = questions.map((question) => slanted(0, TOP - 24, question, 45));
    this.heads = count(most).map((h) => {
      const y = TOP + ROW * h;
      const cells = count(m).map((j) => rect("cell", middle(j) - this.side / 2 + 1, y + 2, this.side - 2, ROW - 4));
      const numbers = count(m).map((j) => text(middle(j), y + 19, ""));
      const tick = path("line", `M6 ${y + 15}l4 5l7 -11`);
      const found = text(278, y + 19, "", "small");
      const button = make(
        "g",
        {
          role: "checkbox",
          tabindex: 0,
          class: "press",
          onclick: () => this.press(h),
          onkeydown: (event) => {
            if (event.key !== " " && event.key !== "Enter") return;
            event.preventDefault();
            this.press(h);
          },
        },
        rect("under", 0, y, 340, ROW),
        rect("box", 3, y + 6, 18, 18),
        tick,
        text(27, y + 20, `head ${h + 1}`, "name"),
        cells,
        numbers,
        found,
      );
      return { button, cells, numbers, tick, found };
    });
    this.map = set(
      drawing(
        340,
        TOP,
        "The weights of each head on the boxes; press a head to remove it",
        text(LEFT - 6, TOP - 8, "box", "small end muted"),
        count(m).map((j) => text(middle(j), TOP - 8, j + 1, "small mid key")),
        this.labels,
        text(278, TOP - 8, "looks at", "small muted"),
        this.heads.map(({ button }) => button),
      ),
      { role: "group" },
    );
    return this.map;
  }

  costs() {
    const { layers, questions } = this.spec;
    const top = max(1.1, ...layers.flatMap(({ errors }) => errors.flat()));
    this.wide = 200 / top;
    this.bars = questions.map((_, k) => rect("bar-odds", 74, TOP + ROW * k + 4, 0, ROW - 8));
    this.values = questions.map((_, k) => text(0, TOP + ROW * k + 19, "", "small strong"));
    const end = TOP + ROW * questions.length;
    const given = 74 + this.wide;
    return drawing(
      340,
      end + 26,
      "The mean squared error of each question",
      text(2, TOP - 24, "mean squared error over many shelves", "small muted"),
      path("ghost", `M${one(given)} ${TOP - 4}V${end + 4}`),
      text(given, end + 20, "1: given up", "small mid muted"),
      path("line", `M74 ${TOP - 4}V${end + 4}`),
      questions.map((question, k) => text(68, TOP + ROW * k + 19, question, "small end")),
      this.bars,
      this.values,
    );
  }

  press(h) {
    const { layer, removed } = this.state;
    this.change("removed", { ...removed, [layer]: (removed[layer] ?? 0) ^ (1 << h) });
  }

  paint({ rows, off, asked, errors }) {
    const { questions } = this.spec;
    set(this.map, { viewBox: `0 0 340 ${TOP + ROW * rows.length + 4}` });
    asked.forEach((key, k) =>
      set(this.labels[k], {
        transform: `translate(${one(this.middle(key) + 4)} ${TOP - 24}) rotate(-45)`,
      }),
    );
    this.heads.forEach(({ button, cells, numbers, tick, found }, h) => {
      const row = rows[h];
      button.style.display = row ? "" : "none";
      if (!row) return;
      row.forEach((weight, j) => {
        set(cells[j], { "fill-opacity": ink(weight) });
        set(numbers[j], { class: onInk(weight) }).textContent = two(weight).replace("0.", ".");
      });
      const best = largest(row);
      found.textContent = row[best] < 0.5 ? "" : (questions[asked.indexOf(best)] ?? "not asked");
      button.classList.toggle("off", Boolean(off[h]));
      see(tick, !off[h]);
      set(button, {
        "aria-checked": String(!off[h]),
        "aria-label": `head ${h + 1}, most weight on box ${best + 1}: ${two(row[best])}`,
      });
    });
    errors.forEach((error, k) => {
      set(this.bars[k], { width: one(1 + this.wide * error) });
      set(this.values[k], { x: one(80 + this.wide * error) }).textContent = two(error);
    });
  }

  words({ off, errors, whole }) {
    const { questions } = this.spec;
    const gone = off.flatMap((out, h) => (out ? [h + 1] : []));
    const most = two(max(...errors));
    if (!gone.length) return `All ${off.length} heads are there. The largest error is ${most}.`;
    const risen = questions.flatMap((question, k) => (errors[k] > whole[k] + RISEN ? [`${question} to ${two(errors[k])}`] : []));
    const without = `Without head${gone.length > 1 ? "s" : ""} ${listed(gone)}`;
    if (!risen.length) return `${without}, no error rises.`;
    return `${without}, the error rises for ${listed(risen)}.`;
  }

  table({ rows, errors, alone }) {
    const { questions } = this.spec;
    const boxes = count(this.spec.layers[0].weights[0][0].length).map((j) => `box ${j + 1}`);
    return [
      ["head", ...boxes, "largest error without it"],
      ...rows.map((row, h) => [h + 1, ...row.map(two), two(alone[h])]),
      [`errors: ${questions.map((question, k) => `${question} ${two(errors[k])}`).join(", ")}`],
    ];
  }
}
