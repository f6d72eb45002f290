/* Page 11, a diagram whose parts can be pressed. */
import { Figure, box, drawing, make, one, path, rect, set, sum, text } from "../core.js";
import transformerCss from "./transformer.css";

/* Of each part: what goes in and out, by letters; its parameters in a block and outside of blocks; what it does. */
const ATTENTION = [({ D }) => 4 * (D * D + D), "4 (D² + D)"],
  FEED = [({ D, F }) => 2 * D * F + F + D, "2 D F + F + D"];
const INSIDE =
  "Positions don't see each other here: the same two-layer network is applied to each of them.";
const NORM =
  "It normalises the vector of each position, then scales and shifts it by learned numbers.";
const PARTS = {
  "source embedding": {
    flow: [
      ["source tokens", "B m"],
      ["out", "B m D"],
    ],
    once: ({ D, src_vocab }) => src_vocab * D,
    formula: "V D",
    table: true,
    does: "It looks up a vector for each source token.",
  },
  "target embedding": {
    flow: [
      ["target tokens", "B n"],
      ["out", "B n D"],
    ],
    once: (size) => own(size) * size.tgt_vocab * size.D,
    formula: "V D",
    table: true,
    does: "It looks up a vector for each target token so far.",
  },
  "positional encoding": {
    flow: [
      ["source, in and out", "B m D"],
      ["target, in and out", "B n D"],
    ],
    does: "It adds to each vector the code of its position. The codes are computed, not learned.",
  },
  "encoder self-attention": {
    flow: [
      ["queries from the source", "B m D"],
      ["keys and values from the source", "B m D"],
      ["weights", "B H m m"],
      ["out", "B m D"],
    ],
    block: ATTENTION[0],
    formula: ATTENTION[1],
    does: "Each source token attends to all source tokens: queries, keys and values all come from the source.",
  },
  "encoder feed-forward network": {
    flow: [
      ["in", "B m D"],
      ["hidden layer", "B m F"],
      ["out", "B m D"],
    ],
    block: FEED[0],
    formula: FEED[1],
    does: INSIDE,
  },
  "encoder norm": {
    flow: [["in and out", "B m D"]],
    block: ({ D }) => 4 * D,
    once: ({ D }) => 2 * D,
    formula: "2 · 2 D",
    does: `${NORM} There are two in each encoder block and one after the last block.`,
  },
  memory: {
    flow: [
      ["out of the encoder", "B m D"],
      ["into each cross-attention", "B m D"],
    ],
    does:
      "It is the encoder's output, one vector for each source token. Each decoder block computes its keys and values " +
      "from it.",
  },
  "causal self-attention": {
    flow: [
      ["queries from the target", "B n D"],
      ["keys and values from the target", "B n D"],
      ["weights, causal", "B H n n"],
      ["out", "B n D"],
    ],
    block: ATTENTION[0],
    formula: ATTENTION[1],
    does: "Each target token attends to itself and to those before it: queries, keys and values all come from the target.",
  },
  "cross-attention": {
    flow: [
      ["queries from the target", "B n D"],
      ["keys and values from the memory", "B m D"],
      ["weights", "B H n m"],
      ["out", "B n D"],
    ],
    block: ATTENTION[0],
    formula: ATTENTION[1],
    does: "The target asks and the source answers: queries come from the target, keys and values from the memory.",
  },
  "decoder feed-forward network": {
    flow: [
      ["in", "B n D"],
      ["hidden layer", "B n F"],
      ["out", "B n D"],
    ],
    block: FEED[0],
    formula: FEED[1],
    does: INSIDE,
  },
  "decoder norm": {
    flow: [["in and out", "B n D"]],
    block: ({ D }) => 6 * D,
    once: ({ D }) => 2 * D,
    formula: "3 · 2 D",
    does: `${NORM} There are three in each decoder block and one after the last block.`,
  },
  "output layer": {
    flow: [
      ["in", "B n D"],
      ["logits, then probabilities", "B n V"],
    ],
    once: (size) => (own(size) * size.D + 1) * size.tgt_vocab,
    formula: "D V + V",
    table: true,
    does:
      "A linear layer gives each token of the vocabulary a logit, and softmax turns the logits into probabilities " +
      "of the next token.",
  },
  "residual connection": {
    flow: [
      ["source, in and out", "B m D"],
      ["target, in and out", "B n D"],
    ],
    does:
      "It carries the input of a layer around that layer and adds it to the output. There are two in each encoder " +
      "block and three in each decoder block.",
  },
};
const own = ({ src_vocab, tgt_vocab }) => src_vocab !== tgt_vocab; // one vocabulary has one table
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u00a0"); // 37 000

export default class Transformer extends Figure {
  static style = transformerCss;

  build() {
    const { drawing: markup, parts, part, sizes } = this.spec;
    this.map = document.importNode(
      new DOMParser().parseFromString(markup, "image/svg+xml").documentElement,
      true,
    );
    const { width, height } = this.map.viewBox.baseVal; // without its outer margin, so that text is larger on a phone
    set(this.map, {
      viewBox: `12 0 ${width - 24} ${height}`,
      role: "group",
      "aria-label": "The Transformer: press a part",
    });
    this.groups = [...this.map.querySelectorAll("[data-part]")];
    this.buttons = parts.map((name) => {
      const [first, ...others] = this.groups.filter((group) => group.dataset.part === name);
      const press = () => this.change("part", name);
      for (const each of [first, ...others]) {
        set(each, { onclick: press }).classList.add("press");
        if (each.querySelector("rect")) continue;
        // What is only lines gets wide ones below, to press and to mark.
        each.prepend(
          ...[...each.querySelectorAll(".line")].map((line) =>
            path("wide", line.getAttribute("d")),
          ),
        );
      }
      const key = (event) =>
        (event.key === " " || event.key === "Enter") && (event.preventDefault(), press());
      return set(first, { role: "button", tabindex: 0, "aria-label": name, onkeydown: key });
    });
    this.name = make("div", { class: "strong" });
    this.about = make("dl");
    this.code = make("pre", { tabindex: 0, role: "group", "aria-label": "code" });
    this.bar = rect("bar-query", 1, 1, 0, 18);
    this.share = text(0, 38, "", "small");
    return [
      box(
        "controls",
        this.choice("part", "part", parts, part),
        this.choice("model", "model", Object.keys(sizes)),
      ),
      box(
        "panels",
        this.map,
        box(
          "",
          this.name,
          this.about,
          drawing(
            340,
            44,
            "Its share of the parameters",
            rect("ghost", 1, 1, 338, 18),
            this.bar,
            this.share,
          ),
          this.code,
        ),
      ),
    ];
  }

  compute() {
    const size = this.spec.sizes[this.state.model],
      of = (count) => count?.(size) ?? 0;
    const blocks = this.spec.parts.map((name) => of(PARTS[name].block));
    const all = this.spec.parts.map((name, k) => size.N * blocks[k] + of(PARTS[name].once));
    const k = this.spec.parts.indexOf(this.state.part),
      total = sum(all);
    return { blocks, all, total, k, share: all[k] / total };
  }

  percent(share) {
    return share >= 0.001 ? `${one(100 * share)} %` : share ? "less than 0.1 %" : "none";
  }

  paint({ blocks, all, total, k, share }) {
    const { part, model } = this.state,
      size = { ...this.spec.sizes[model], B: 1, m: 6, n: 7 };
    const { flow, once } = PARTS[part],
      letters = { ...size, V: size.tgt_vocab };
    const formula = part === "output layer" && !own(size) ? "V" : PARTS[part].formula;
    this.groups.forEach((group) => group.classList.toggle("chosen", group.dataset.part === part));
    this.buttons.forEach((button, i) => set(button, { "aria-pressed": String(i === k) }));
    const shape = (names, say) => `(${names.split(" ").map(say).join(", ")})`;
    const counted = blocks[k]
      ? [
          ["parameters in one block", `${formula} = ${grouped(blocks[k])}`],
          [`in all ${size.N}${once ? " and after them" : ""}`, grouped(all[k])],
        ]
      : [["parameters", all[k] ? `${formula} = ${grouped(all[k])}` : "none"]];
    const rows = flow.map(([label, names]) => [
      label,
      `${shape(names, String)} = ${shape(names, (name) => grouped(letters[name]))}`,
    ]);
    this.name.textContent = part;
    this.about.replaceChildren(
      ...[...rows, ...counted].flatMap(([label, value]) => [
        make("dt", {}, label),
        make("dd", {}, value),
      ]),
    );
    set(this.bar, { width: one(338 * share) });
    this.share.textContent = `${this.percent(share)} of the model's ${grouped(total)} parameters`;
    this.code.textContent = this.spec.code[part] ?? "";
  }

  words({ all, total, k, share }) {
    const { part, model } = this.state,
      { does, table } = PARTS[part],
      { src_vocab, tgt_vocab } = this.spec.sizes[model];
    const has = `This part has ${all[k] ? `${this.percent(share)} of the model's ${grouped(total)}` : "no"} parameters.`;
    const tied =
      "Both languages have one vocabulary, and one table serves as both embeddings and as the output layer.";
    return [does, has, table && src_vocab === tgt_vocab ? tied : ""].join(" ").trim();
  }

  table({ blocks, all, total }) {
    const rows = this.spec.parts.map((name, k) => [
      name,
      blocks[k] ? grouped(blocks[k]) : "",
      grouped(all[k]),
      this.percent(all[k] / total),
    ]);
    return [
      ["part", "in one block", "in all", "share"],
      ...rows,
      ["all parts", "", grouped(total), "100 %"],
    ];
  }
}
