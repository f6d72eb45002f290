/* The diagram of the Transformer, whose parts can be pressed. */
import { Figure, box, count, drawing, make, one, path, rect, set, sum } from "../core.js";
import transformerCss from "./transformer.css";

const ATTENTION = { block: ({ D }) => 4 * (D * D + D), formula: "4 (D² + D)" };
const FEED = { block: ({ D, F }) => 2 * D * F + F + D, formula: "2 D F + F + D" };
const INSIDE = "Positions don't see each other here: the same two-layer network is applied to each of them.";
const NORM = "It normalises the vector of each position, then scales and shifts it by learned numbers.";
const PLACED = "That is this course's placement, which the numbers count: the paper normalises after each sublayer " + "and has no norm after the last block.";
const own = ({ src_vocab, tgt_vocab }) => src_vocab !== tgt_vocab; // one vocabulary has one table

/* Of each part: what goes in and out, by letters; its parameters in a block and outside of blocks;
what it does. */
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
    flow: {
      "queries from the source": "B m D",
      "keys and values from the source": "B m D",
      weights: "B H m m",
      out: "B m D",
    },
    ...ATTENTION,
    does: "Each source token attends to all source tokens: queries, keys and values all come from the source.",
  },
  "encoder feed-forward network": {
    flow: { in: "B m D", "hidden layer": "B m F", out: "B m D" },
    ...FEED,
    does: INSIDE,
  },
  "encoder norm": {
    flow: { "in and out": "B m D" },
    block: ({ D }) => 4 * D,
    once: ({ D }) => 2 * D,
    formula: "2 · 2 D",
    calls: ["y = self.norm1(x)", "y = self.norm2(x)", "self.encoder_norm(x)"],
    drawn: [1, 0, 2], // which call each norm of the drawing is
    does: `${NORM} There are two in each encoder block and one after the last block.`,
  },
  memory: {
    flow: { "out of the encoder": "B m D", "into each cross-attention": "B m D" },
    does: "It is the encoder's output, one vector for each source token. Each decoder block computes its keys and values " + "from it.",
  },
  "causal self-attention": {
    flow: {
      "queries from the target": "B n D",
      "keys and values from the target": "B n D",
      "weights, causal": "B H n n",
      out: "B n D",
    },
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
  "decoder feed-forward network": {
    flow: { in: "B n D", "hidden layer": "B n F", out: "B n D" },
    ...FEED,
    does: INSIDE,
  },
  "decoder norm": {
    flow: { "in and out": "B n D" },
    block: ({ D }) => 6 * D,
    once: ({ D }) => 2 * D,
    formula: "3 · 2 D",
    calls: ["y = self.norm1(x)", "y = self.norm2(x)", "y = self.norm3(x)", "self.decoder_norm(x)"],
    drawn: [2, 1, 0, 3],
    does: `${NORM} There are three in each decoder block and one after the last block.`,
  },
  "output layer": {
    flow: { in: "B n D", "logits, then probabilities": "B n V" },
    once: (size) => (own(size) * size.D + 1) * size.tgt_vocab,
    formula: "D V + V",
    table: true,
    does: "A linear layer gives each token of the vocabulary a logit, and softmax turns the logits into probabilities " + "of the next token.",
  },
  "residual connection": {
    flow: { "source, in and out": "B m D", "target, in and out": "B n D" },
    calls: ["x = x + self.dropout(z)"],
    does: "It carries the input x of a layer around that layer and adds it to the output z. There are two in each " + "encoder block and three in each decoder block.",
  },
};

/* The parts in the order in which the data meets them. */
const FLOW = [
  "source embedding",
  "positional encoding",
  "encoder norm",
  "encoder self-attention",
  "residual connection",
  "encoder feed-forward network",
  "memory",
  "target embedding",
  "causal self-attention",
  "cross-attention",
  "decoder feed-forward network",
  "decoder norm",
  "output layer",
];

/* Layers of one kind, by words in their names. */
const LAYER_KINDS = {
  "all attention layers": /attention$/,
  "all feed-forward networks": /network$/,
  "all norms": /norm$/,
  "embeddings and output layer": /embedding$|^output/,
};

/* What goes in or out as small matrices, a row for each token, in the hues of the drawing. */
function matrices(label, names, sizes) {
  const [rows, columns] = names.split(" ").filter((name) => !"BH".includes(name));
  const hues = label.startsWith("queries") ? ["query"] : label.startsWith("keys") ? ["key", "value"] : [label.startsWith("weights") ? "weight" : "muted"];
  const cells = "mn".includes(columns) ? sizes[columns] : 1; // a vector is one long cell
  const width = cells > 1 ? 3 : !columns ? 4 : hues.length > 1 ? 15 : 32;
  const drawn = hues.flatMap((hue, k) => count(sizes[rows]).flatMap((i) => count(cells).map((j) => rect(hue, 17 * k + 4 * j, 4 * i, width, 3, 0.5))));
  return make("svg", { viewBox: "0 0 32 28", class: "matrix", "aria-hidden": "true" }, drawn);
}

const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u00a0"); // 37 000

export default class Transformer extends Figure {
  static style = transformerCss;
  static moves = ["share"];

  /* Another part has all of it marked, until one of its norms is pressed. */
  change(name, value) {
    if (name === "part") this.state.norm = null;
    super.change(name, value);
  }

  static compute({ parts, sizes }, { part, model }) {
    const size = sizes[model];
    const of = (count) => count?.(size) ?? 0;
    const blocks = parts.map((name) => of(PARTS[name].block));
    const all = parts.map((name, k) => size.N * blocks[k] + of(PARTS[name].once));
    const k = parts.indexOf(part);
    const total = sum(all);
    const kinds = Object.values(LAYER_KINDS).map((kind) => sum(all.filter((_, i) => kind.test(parts[i]))));
    return { blocks, all, kinds, total, k, share: all[k] / total };
  }

  build() {
    const { drawing: markup, parts, part, sizes } = this.spec;
    const parsed = new DOMParser().parseFromString(markup, "image/svg+xml").documentElement;
    this.map = document.importNode(parsed, true);
    // without its outer margin, so that text is larger on a phone
    const { width, height } = this.map.viewBox.baseVal;
    set(this.map, {
      viewBox: `12 0 ${width - 24} ${height}`,
      role: "group",
      "aria-label": "The Transformer: press a part",
    });
    this.groups = [...this.map.querySelectorAll("[data-part]")];
    const words = [...this.map.querySelectorAll("text")];
    this.times = words.filter((each) => each.textContent === "N times");
    this.state.norm = null;
    this.buttons = parts.map((name) => {
      const groups = this.groups.filter((group) => group.dataset.part === name);
      const press = (k) => {
        this.stop();
        this.change("part", name);
        if (PARTS[name].drawn) this.change("norm", k ?? null);
      };
      const onkeydown = (event) => {
        if (event.key !== " " && event.key !== "Enter") return;
        event.preventDefault();
        press();
      };
      for (const [k, each] of groups.entries()) {
        set(each, { onclick: () => press(k) }).classList.add("press");
        if (each.querySelector("rect")) continue;
        // What is only lines gets wide ones below, to press and to mark.
        const lines = [...each.querySelectorAll(".line")];
        each.prepend(...lines.map((line) => path("wide", line.getAttribute("d"))));
      }
      return set(groups[0], { role: "button", tabindex: 0, "aria-label": name, onkeydown });
    });
    this.name = make("div", { class: "strong" });
    this.about = make("dl");
    this.code = make("pre");
    this.say = make("p", { class: "say", "aria-live": "polite" });
    this.bar = rect("bar-query", 1, 1, 0, 18);
    this.share = make("p", { class: "legend" });
    const share = drawing(340, 20, "Its share of the parameters", rect("ghost", 1, 1, 338, 18), this.bar);
    const play = this.player("part", FLOW, 4000);
    const begin = () => {
      if (!this.begun) this.state.part = FLOW.at(-1); // the first time from the bottom
      this.begun = true;
    };
    play.addEventListener("click", begin, true); // before it plays
    return [
      // Whoever takes a control has it alone.
      set(box("controls", box("together", this.choice("part", "part", parts, part), play), this.choice("model", "model", Object.keys(sizes))), {
        oninput: () => this.stop(),
      }),
      box("panels", this.map, box("side", box("answer", this.name, this.about), box("rest", share, this.share, this.code, this.say))),
    ];
  }

  percent(share) {
    return share >= 0.001 ? `${one(100 * share)} %` : share ? "less than 0.1 %" : "none";
  }

  paint({ blocks, all, kinds, total, k, share }) {
    const { part, model, norm } = this.state;
    const size = { ...this.spec.sizes[model], B: 1, m: 6, n: 7 };
    const shared = part === "target embedding" && !own(size);
    set(this.bar, { width: one(338 * share) });
    const kind = Object.values(LAYER_KINDS).findIndex((each) => each.test(part));
    const name = Object.keys(LAYER_KINDS)[kind];
    const together = name ? `; ${name} together ${this.percent(kinds[kind] / total)}` : "";
    this.share.textContent = shared ? "shared, counted with the source embedding" : `${this.percent(share)} of the model's ${grouped(total)} parameters${together}`;
    const shown = `${part} ${norm} of ${model}`;
    if (this.shown === shown) return; // only the bar is on its way
    this.shown = shown;
    const letters = { ...size, V: size.tgt_vocab };
    const { flow, once, calls, drawn } = PARTS[part];
    const among = this.groups.filter((group) => group.dataset.part === part);
    const chosen = among[drawn ? norm : null] ? [among[norm]] : among;
    const formula = part === "output layer" && !own(size) ? "V" : PARTS[part].formula;
    this.groups.forEach((group) => group.classList.toggle("chosen", chosen.includes(group)));
    this.times.forEach((each) => (each.textContent = `N = ${size.N}`));
    this.buttons.forEach((button, i) => set(button, { "aria-pressed": String(i === k) }));
    const shape = (names, say) => `(${names.split(" ").map(say).join(", ")})`;
    const sized = (names) => shape(names, (name) => grouped(letters[name]));
    const rows = Object.entries(flow).map(([label, names]) => [[matrices(label, names, letters), label], `${shape(names, String)} = ${sized(names)}`]);
    const counted = (n) => (n ? `${formula} = ${grouped(n)}` : shared ? "shared" : "none");
    if (blocks[k]) {
      const after = once ? " and after them" : "";
      rows.push(["parameters in one block", counted(blocks[k])]);
      rows.push([`in all blocks (${size.N})${after}`, grouped(all[k])]);
    } else rows.push(["parameters", counted(all[k])]);
    this.name.textContent = part;
    this.about.replaceChildren(...rows.flatMap(([label, value]) => [make("dt", {}, label), make("dd", {}, value)]));
    const code = calls?.[drawn?.[norm]] ?? calls?.join("\n") ?? this.spec.code[part] ?? "";
    this.code.textContent = code.replace(/ +# .*/g, ""); // shapes are above
  }

  words() {
    const { part, model } = this.state;
    const { does, table } = PARTS[part];
    const tied = "Both languages have one vocabulary, and one table serves as both embeddings and as the " + "output layer.";
    const paper = !own(this.spec.sizes[model]);
    if (paper && part.endsWith("norm")) return `${does} ${PLACED}`;
    return table && paper ? `${does} ${tied}` : does;
  }

  table({ blocks, all, kinds, total }) {
    const rows = this.spec.parts.map((name, k) => [name, blocks[k] ? grouped(blocks[k]) : "", grouped(all[k]), this.percent(all[k] / total)]);
    const totals = Object.keys(LAYER_KINDS).map((name, i) => [name, "", grouped(kinds[i]), this.percent(kinds[i] / total)]);
    return [["part", "in one block", "in all", "share"], ...rows, ...totals, ["all parts", "", grouped(total), "100 %"]];
  }
}
