/* The diagram of the Transformer: three words climb both towers, box by box, and each part can be
pressed for its shapes, parameters and code. Of transformer.py: sizes and code, which the page gives;
the drawing and its parts; rows, for each stop the matrices (3, 8) of a small untrained model. */
import { Figure, abs, box, column, count, drawing, h, make, max, one, rect, set, sum, text, weighed } from "../core.js";
import transformerCss from "./transformer.css";

const ATTENTION = { block: ({ D }) => 4 * (D * D + D), formula: "4 (D² + D)" };
const FEED = {
  block: ({ D, F }) => 2 * D * F + F + D,
  formula: "2 D F + F + D",
  does: "Positions don't see each other here: the same two-layer network is applied to each of them.",
};
const NORM = "It normalises the vector of each position, then scales and shifts it by learned numbers.";
const PLACED =
  "That is this course's placement, which the numbers count: the paper normalises after each sublayer and has no norm after the last block.";
const TIED = "Both languages have one vocabulary, and one table serves as both embeddings and as the output layer.";
const own = ({ src_vocab, tgt_vocab }) => src_vocab !== tgt_vocab; // one vocabulary has one table

/* Of each part: what goes in and out, by letters; its parameters in a block and outside of blocks;
what it does; and calls, where each of its places in the drawing has its own. */
const PARTS = {
  "source embedding": {
    flow: { "source tokens": "B m", out: "B m D" },
    once: ({ D, src_vocab }) => src_vocab * D,
    formula: "V D",
    table: true,
    does: "It looks up a vector for each source token.",
  },
  "target embedding": {
    flow: { "target tokens": "B n", out: "B n D" },
    once: (size) => own(size) * size.tgt_vocab * size.D,
    formula: "V D",
    table: true,
    does: "It looks up a vector for each target token so far.",
  },
  "positional encoding": {
    flow: { "source, in and out": "B m D", "target, in and out": "B n D" },
    does: "It adds to each vector the code of its position. The codes are computed, not learned.",
  },
  "encoder self-attention": {
    flow: { "queries, keys, values from": "B m D", weights: "B H m m", out: "B m D" },
    ...ATTENTION,
    does: "Each source token attends to all source tokens: queries, keys and values all come from the source.",
  },
  "encoder feed-forward network": { flow: { in: "B m D", "hidden layer": "B m F", out: "B m D" }, ...FEED },
  "encoder norm": {
    flow: { "in and out": "B m D" },
    block: ({ D }) => 4 * D,
    once: ({ D }) => 2 * D,
    formula: "2 · 2 D",
    calls: ["y = self.norm2(x)", "y = self.norm1(x)", "self.encoder_norm(x)"],
    does: `${NORM} There are two in each encoder block and one after the last block.`,
  },
  memory: {
    flow: { "out of the encoder": "B m D", "into each cross-attention": "B m D" },
    does: "It is the encoder's output, one vector for each source token. Each decoder block computes its keys and values from it.",
  },
  "causal self-attention": {
    flow: { "queries, keys, values from": "B n D", "weights, causal": "B H n n", out: "B n D" },
    ...ATTENTION,
    does: "Each target token attends to itself and to those before it: queries, keys and values all come from the target.",
  },
  "cross-attention": {
    flow: {
      "queries from the target": "B n D",
      "keys and values from the memory": "B m D",
      weights: "B H n m",
      out: "B n D",
    },
    ...ATTENTION,
    does: "The target asks and the source answers: queries come from the target, keys and values from the memory.",
  },
  "decoder feed-forward network": { flow: { in: "B n D", "hidden layer": "B n F", out: "B n D" }, ...FEED },
  "decoder norm": {
    flow: { "in and out": "B n D" },
    block: ({ D }) => 6 * D,
    once: ({ D }) => 2 * D,
    formula: "3 · 2 D",
    calls: ["y = self.norm3(x)", "y = self.norm2(x)", "y = self.norm1(x)", "self.decoder_norm(x)"],
    does: `${NORM} There are three in each decoder block and one after the last block.`,
  },
  "output layer": {
    flow: { in: "B n D", "logits, then probabilities": "B n V" },
    once: (size) => (own(size) * size.D + 1) * size.tgt_vocab,
    formula: "D V + V",
    table: true,
    does: "A linear layer gives each token of the vocabulary a logit, and softmax turns the logits into probabilities of the next token.",
  },
  "residual connection": {
    flow: { "source, in and out": "B m D", "target, in and out": "B n D" },
    does: "The input x of a layer goes around that layer and is added to its output z. There are two such sums in each encoder block and three in each decoder block.",
  },
};

/* Layers of one kind, by words in their names. */
const LAYER_KINDS = {
  "all attention layers": /attention$/,
  "all feed-forward networks": /network$/,
  "all norms": /norm$/,
  "embeddings and output layer": /embedding$|^output/,
};

/* What is seen at a stop of each kind: the names of its matrices. */
const LOOKS_OF = {
  vectors: ["vectors"],
  codes: ["vectors", "+ codes", "= x"],
  norm: ["x", "y = norm of x"],
  projections: ["queries", "keys", "values"],
  attention: ["weights", "z"],
  network: ["y", "z"],
  sum: ["x", "+ z", "= new x"],
  last: ["x", "norm of x"],
  memory: ["memory"],
  logits: ["last vectors", "logits"],
  chances: ["logits", "probabilities"],
};
const HUES = {
  projections: "query",
  queries: "query",
  keys: "key",
  values: "value",
  attention: "weight",
  network: "weight",
  z: "weight",
  "+ z": "weight",
};
const WORDS = [
  ["the", "dog", "sleeps"],
  ["<bos>", "le", "chien"],
];
const MEANT = {
  projections: " The three arrows are three linear layers.",
  attention: " Each query's weights mix the values, and a linear layer makes z of the mixture.",
};

/* The stops: a part, which of its places in the drawing, the height at which the rows are then, and
what is seen. */
const CLIMB = [
  ["source embedding", 0, 592, "vectors"],
  ["positional encoding", 0, 560, "codes"],
  ["encoder norm", 1, 498, "norm"],
  ["encoder self-attention", 0, 478, "projections"],
  ["encoder self-attention", 0, 455, "attention"],
  ["residual connection", 1, 419, "sum"],
  ["encoder norm", 0, 382, "norm"],
  ["encoder feed-forward network", 0, 339, "network"],
  ["residual connection", 0, 303, "sum"],
  ["encoder norm", 2, 252, "last"],
  ["memory", 0, 183, "memory"],
  ["target embedding", 0, 592, "vectors"],
  ["positional encoding", 0, 560, "codes"],
  ["decoder norm", 2, 498, "norm"],
  ["causal self-attention", 0, 478, "projections"],
  ["causal self-attention", 0, 455, "attention"],
  ["residual connection", 4, 419, "sum"],
  ["decoder norm", 1, 382, "norm"],
  ["cross-attention", 0, 351, "projections"],
  ["cross-attention", 0, 339, "attention"],
  ["residual connection", 3, 303, "sum"],
  ["decoder norm", 0, 266, "norm"],
  ["decoder feed-forward network", 0, 223, "network"],
  ["residual connection", 2, 187, "sum"],
  ["decoder norm", 3, 144, "last"],
  ["output layer", 0, 107, "logits"],
  ["output layer", 0, 73, "chances"],
];
const BARS_LEGEND = "Each row of bars is the vector of a word, in a drawn model of width 8, untrained.";
const STOPS = count(CLIMB.length);
const MEMORY = CLIMB.findIndex(([part]) => part === "memory"); // behind it, the target climbs
const CROSS = CLIMB.findIndex(([part]) => part === "cross-attention");
/* The stop of a place in the drawing; the lines from the memory belong to cross-attention. */
const stopAt = (part, place) =>
  CLIMB.findIndex(([name, k]) => name === part && (k === place || part === "cross-attention"));
const PLACES = STOPS.filter((k) => stopAt(...CLIMB[k]) === k);

/* Where the rows of the source and of the target are, keys, values, and the copy that goes around: x,
y, and how far they can be seen. They climb between the towers, where they cover no label. */
function spotsAt(step) {
  const [, , y, kind] = CLIMB[step];
  const late = step > MEMORY;
  const x = y > 530 ? (late ? 243 : 145) : late ? 206 : 182;
  const around = [late ? 360 : 28, y, ["norm", "projections", "attention", "network"].includes(kind) ? 1 : 0];
  const memory = [182, CLIMB[MEMORY][2], 1];
  const at = (down, opacity) => [x, y + down, opacity];
  let [own, key, value] = [at(0, 1), at(0, 0), at(0, 0)];
  if (step === CROSS - 1) key = value = [...memory.slice(0, 2), 0];
  if (kind === "projections") [own, key, value] = [at(-23, 1), at(0, 1), at(23, 1)];
  if (step === CROSS) [own, key, value] = [at(23, 1), at(-23, 1), at(0, 1)];
  return [late ? memory : own, late ? own : [243, 620, 0], key, value, around];
}

const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u00a0"); // 37 000

/* Markup of a drawing, as data. */
const asData = (node) =>
  node.localName
    ? h(
        node.localName,
        Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value])),
        [...node.childNodes].map(asData),
      )
    : node.data;

export default class Transformer extends Figure {
  static title = "The Transformer, step by step";
  static hint =
    "which have more parameters, the attention layers or the feed-forward networks? Then find where the two towers touch, and choose another model.";
  static style = transformerCss;
  static moves = ["share", "spots", "rows"];
  static redraws = true; // the picture inside the element, with parts that can be pressed

  static compute({ parts, sizes, rows }, { step, model }) {
    const size = sizes[model];
    const of = (count) => count?.(size) ?? 0;
    const blocks = parts.map((name) => of(PARTS[name].block));
    const all = parts.map((name, k) => size.N * blocks[k] + of(PARTS[name].once));
    const k = parts.indexOf(CLIMB[step][0]);
    const total = sum(all);
    const kinds = Object.values(LAYER_KINDS).map((kind) => sum(all.filter((_, i) => kind.test(parts[i]))));
    return { blocks, all, kinds, total, k, share: all[k] / total, spots: spotsAt(step), rows: rows[step] };
  }

  controls() {
    const { sizes } = this.spec;
    const bytes = Uint8Array.from(atob(this.still.split(",")[1]), (letter) => letter.charCodeAt(0));
    const svg = new DOMParser().parseFromString(new TextDecoder().decode(bytes), "image/svg+xml").documentElement;
    svg.querySelectorAll("style, title").forEach((each) => each.remove()); // the figure has its own
    this.map = asData(svg);
    this.say = make("p", { class: "say", "aria-live": "polite" });
    const said = (step) => `${step + 1} of ${STOPS.length}`;
    const walk = this.together(this.player("step", STOPS, 1100), this.slider("step", "step", STOPS, CROSS, said));
    const play = this.play;
    this.play = () => {
      if (!this.begun) this.state.step = STOPS.at(-1); // the first time from the bottom
      this.begun = true;
      play();
    };
    const alone = (each) => set(each, { oninput: () => this.stop() }); // whoever takes a control has it
    return [alone(walk), alone(this.choice("model", "model", Object.keys(sizes)))];
  }

  view(numbers) {
    const [part] = CLIMB[this.state.step];
    return box(
      "panels",
      this.towers(numbers),
      box(
        "side",
        box("answer", h("div", { class: "strong" }, part), this.matrices(numbers)),
        box("rest", h("p", { class: "legend" }, BARS_LEGEND), this.facts(numbers), this.say),
      ),
    );
  }

  /* The drawing of the course, whose parts are buttons, and on it the rows. */
  towers({ spots, rows }) {
    const { step, model } = this.state;
    const { N } = this.spec.sizes[model];
    const seen = {};
    const dressed = (each) => {
      const { tag, about, children } = each;
      const part = about?.["data-part"];
      if (!part) return children?.[0] === "N times" ? h(tag, about, `N = ${N}`) : each;
      const place = (seen[part] = (seen[part] ?? -1) + 1);
      const to = stopAt(part, place);
      const chosen = to === stopAt(...CLIMB[step]);
      const more = {
        "data-part": part,
        class: chosen ? "chosen" : "",
        "aria-label": part,
        "aria-pressed": String(chosen),
      };
      if (part === "cross-attention" && place)
        Object.assign(more, { role: null, tabindex: null, "aria-pressed": null, "aria-label": null }); // the same button again
      // What is only lines gets wide ones below, to press and to mark.
      const lines = children.some(({ tag }) => tag === "rect")
        ? []
        : children.filter(({ about }) => about?.class?.startsWith("line"));
      const wide = lines.map(({ about: { d } }) => h("path", { class: "wide", d }));
      const act = () => {
        this.stop();
        this.change("step", to);
      };
      return this.pressable(act, more, [PLACES.length - 1 - PLACES.indexOf(to), 0, PLACES.length, 1], wide, children);
    };
    const { about, children } = this.map;
    const [, , width, height] = about.viewBox.split(" ");
    // without its outer margin, so that text is larger on a phone
    const whole = {
      class: "diagram",
      viewBox: `12 0 ${width - 24} ${height}`,
      role: "group",
      "aria-label": "The Transformer: press a part",
    };
    return h("svg", whole, children.map(dressed), this.sheets(spots, rows));
  }

  /* Three small rows for each of what is on its way: the darker, the larger the number. */
  sheets(spots, rows) {
    const { step } = this.state;
    const kind = CLIMB[step][3];
    const norm = CLIMB.findLastIndex((each, k) => k <= step && each[3] === "norm");
    const all = this.spec.rows;
    const now = [kind === "projections" ? rows[0] : rows.at(-1), HUES[kind] ?? "x"];
    const sheets = [
      step > MEMORY ? [all[MEMORY][0], "x"] : now,
      now,
      [rows[1] ?? rows[0], "key"],
      [rows[2] ?? rows[0], "value"],
      [all[max(norm, 0)][0], "x"],
    ];
    return sheets.map(([matrix, hue], k) => {
      const [x, y, opacity] = spots[k];
      const most = max(...matrix.flat().map(abs));
      const cell = (value, i, j) =>
        rect("", 4 * j - 15.7, 6 * i - 8.5, 3.4, 5, 0, {
          "fill-opacity": (0.15 + (0.85 * abs(value)) / most).toFixed(2),
        });
      const cells = matrix.map((row, i) => row.map((value, j) => cell(value, i, j)));
      return h(
        "g",
        { class: `sheet of-${hue}`, transform: `translate(${one(x)} ${one(y)})`, opacity: opacity.toFixed(2) },
        rect("back", -17.5, -10.5, 35, 21, 2),
        cells,
      );
    });
  }

  /* What goes in and what comes out, a row of bars for each word. */
  matrices({ rows }) {
    const { step } = this.state;
    const [part, , , kind] = CLIMB[step];
    const most = max(...rows.flatMap((matrix, k) => (LOOKS_OF[kind][k] === "weights" ? [] : matrix.flat().map(abs))));
    const drawn = rows.map((matrix, k) => {
      const name = LOOKS_OF[kind][k];
      const [left, hue] = [52 + 86 * k, HUES[name] ?? "x"];
      const weight = (value, i, j) =>
        weighed(value, left + 26 * j, 20 + 36 * i, 26, 36, part.startsWith("causal") && j > i);
      const bar = (value, i, j) => column(`of-${hue}`, left + 10 * j, 8, 38 + 36 * i, (16 * value) / most);
      const cells = matrix.map((row, i) => row.map((value, j) => (name === "weights" ? weight : bar)(value, i, j)));
      return [text(left, 12, name, `small strong of-${hue}`), cells];
    });
    const names = (words, x, end) => words.map((word, i) => text(x, 43 + 36 * i, word, `small ${end}`));
    return drawing(
      354,
      128,
      "The vectors of three words, as bars",
      names(WORDS[+(step > MEMORY)], 0, ""),
      step === CROSS && names(WORDS[0], 354, "end"),
      drawn,
    );
  }

  percent(share) {
    return share >= 0.001 ? `${one(100 * share)} %` : share ? "less than 0.1 %" : "none";
  }

  /* Shapes, parameters and code of the part. */
  facts({ blocks, all, kinds, total, k, share }) {
    const { step, model } = this.state;
    const [part, place] = CLIMB[step];
    const size = this.spec.sizes[model];
    const letters = { ...size, B: 1, m: 3, n: 3, V: size.tgt_vocab };
    const shared = part === "target embedding" && !own(size);
    const { flow, once, calls } = PARTS[part];
    const formula = part === "output layer" && !own(size) ? "V" : PARTS[part].formula;
    const shape = (names, say) => `(${names.split(" ").map(say).join(", ")})`;
    const rows = Object.entries(flow).map(([label, names]) => [
      label,
      `${shape(names, String)} = ${shape(names, (name) => grouped(letters[name]))}`,
    ]);
    const counted = (n) => (n ? `${formula} = ${grouped(n)}` : shared ? "shared" : "none");
    if (blocks[k])
      rows.push(
        ["parameters in one block", counted(blocks[k])],
        [`in all blocks (${size.N})${once ? " and after them" : ""}`, grouped(all[k])],
      );
    else rows.push(["parameters", counted(all[k])]);
    const kind = Object.values(LAYER_KINDS).findIndex((each) => each.test(part));
    const together =
      kind < 0 ? "" : `; ${Object.keys(LAYER_KINDS)[kind]} together ${this.percent(kinds[kind] / total)}`;
    const code =
      calls?.[place] ?? (part === "residual connection" ? "x = x + self.dropout(z)" : (this.spec.code[part] ?? ""));
    return [
      h("dl", {}, rows.map(([label, value]) => [h("dt", {}, label), h("dd", {}, value)])), // prettier-ignore
      drawing(
        340,
        20,
        "Its share of the parameters",
        rect("ghost", 1, 1, 338, 18),
        rect("bar-query", 1, 1, 338 * share, 18),
      ),
      h(
        "p",
        { class: "legend" },
        shared
          ? "shared, counted with the source embedding"
          : `${this.percent(all[k] / total)} of the model's ${grouped(total)} parameters${together}`,
      ),
      h("pre", {}, code.replace(/ +# .*/g, "")), // shapes are above
    ];
  }

  words() {
    const { step, model } = this.state;
    const [part, , , kind] = CLIMB[step];
    const { does, table } = PARTS[part];
    const tied = own(this.spec.sizes[model]) ? "" : part.endsWith("norm") ? ` ${PLACED}` : table ? ` ${TIED}` : "";
    return does + (MEANT[kind] ?? "") + tied;
  }

  table({ blocks, all, kinds, total }) {
    const rows = this.spec.parts.map((name, k) => [
      name,
      blocks[k] ? grouped(blocks[k]) : "",
      grouped(all[k]),
      this.percent(all[k] / total),
    ]);
    const totals = Object.keys(LAYER_KINDS).map((name, i) => [
      name,
      "",
      grouped(kinds[i]),
      this.percent(kinds[i] / total),
    ]);
    return [
      ["part", "in one block", "in all", "share"],
      ...rows,
      ...totals,
      ["all parts", "", grouped(total), "100 %"],
    ];
  }
}
