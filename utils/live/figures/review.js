/* Page 7, a classifier that runs here. */
import {
  Figure,
  box,
  count,
  dot,
  drawing,
  largest,
  make,
  max,
  one,
  rect,
  set,
  softmax,
  sum,
  text,
  two,
} from "../core.js";

export default class Review extends Figure {
  build() {
    const { reviews, names, labels } = this.spec;
    this.parameters = this.unpack();
    this.state.gone = {};
    this.text = box("text");
    this.chances = labels.map((label) => {
      const bar = rect("cell", 96, 3, 0, 16),
        share = text(100, 16, "", "small"),
        name = text(90, 16, label, "small end");
      return { bar, share, name, node: make("g", {}, name, bar, share) };
    });
    this.chances.forEach(({ node }, k) => set(node, { transform: `translate(0 ${22 * k})` }));
    const pick = this.choice("review", "review", names);
    const change = this.show.review;
    this.show.review = () => (change(), (this.state.gone = {}), (this.drawn = null));
    return [
      box("controls", reviews.length > 1 ? pick : null),
      box(
        "panels review",
        this.text,
        drawing(
          220,
          22 * labels.length,
          "probabilities of the labels",
          this.chances.map((each) => each.node),
        ),
      ),
    ];
  }

  /* Whole numbers of 8 bits times a scale, one tensor after another: {name: [rows]}. */
  unpack() {
    const bytes = Uint8Array.from(atob(this.spec.parameters), (each) => each.charCodeAt(0));
    const integers = new Int8Array(bytes.buffer),
      found = {};
    let at = 0;
    for (const [name, scale, rows, columns] of this.spec.shapes)
      found[name] = count(rows).map(() =>
        Array.from(integers.slice(at, (at += columns)), (each) => each * scale),
      );
    return found;
  }

  /* One direction of a GRU over vectors: its states. PyTorch's order of gates: r, z, n. */
  gru(level, end, vectors) {
    const get = (name) => this.parameters[`${level}.gru.${name}_l0${end}`];
    const [W, U, [b], [c]] = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"].map(get),
      H = U[0].length;
    const sigmoid = (x) => 1 / (1 + Math.exp(-x));
    let h = new Array(H).fill(0);
    return vectors.map((x) => {
      const from = W.map((row, k) => dot(row, x) + b[k]),
        kept = U.map((row, k) => dot(row, h) + c[k]);
      return (h = h.map((each, k) => {
        const r = sigmoid(from[k] + kept[k]),
          z = sigmoid(from[H + k] + kept[H + k]);
        return (1 - z) * Math.tanh(from[2 * H + k] + r * kept[2 * H + k]) + z * each;
      }));
    });
  }

  /* States of both directions beside the inputs, their weights, and the sum: equations (7.1) and (7.2). */
  level(level, vectors) {
    const {
      [`${level}.pool.W.weight`]: W,
      [`${level}.pool.W.bias`]: [b],
      [`${level}.pool.u`]: [u],
    } = this.parameters;
    const right = this.gru(level, "", vectors),
      left = this.gru(level, "_reverse", [...vectors].reverse()).reverse();
    const states = vectors.map((x, t) => [...right[t], ...left[t], ...(this.spec.inputs ? x : [])]);
    const weights = softmax(
      states.map((h) =>
        dot(
          u,
          W.map((row, k) => Math.tanh(dot(row, h) + b[k])),
        ),
      ),
    );
    return { weights, sum: states[0].map((_, k) => sum(states.map((h, t) => weights[t] * h[k]))) };
  }

  compute() {
    const { reviews, names, tokens, labels } = this.spec,
      { gone } = this.state;
    const k = max(names.indexOf(this.state.review), 0),
      review = reviews[k];
    const kept = (i) =>
      gone[i] ? [] : review[i].map((word, t) => [word, t]).filter(([, t]) => !gone[`${i},${t}`]);
    const read = count(review.length).map(kept),
      here = count(review.length).filter((i) => read[i].length);
    const alpha = review.map((words) => words.map(() => 0)),
      beta = review.map(() => 0);
    const E = this.parameters["embedding.weight"],
      {
        "output.weight": V,
        "output.bias": [v],
      } = this.parameters;
    const vectors = here.map((i) => {
      const { weights, sum } = this.level(
        "words",
        read[i].map(([word]) => E[tokens[word]]),
      );
      read[i].forEach(([, t], n) => (alpha[i][t] = weights[n]));
      return sum;
    });
    let document = V[0].map(() => 0);
    if (here.length) {
      const { weights, sum } = this.level("sentences", vectors);
      here.forEach((i, n) => (beta[i] = weights[n]));
      document = sum;
    }
    const logits = V.map((row, c) => dot(row, document) + v[c]),
      chances = softmax(logits);
    return { review, alpha, beta, logits, chances, label: labels[largest(logits)] };
  }

  paint({ review, alpha, beta, chances }) {
    if (this.drawn !== review) {
      // another review: other buttons
      this.drawn = review;
      const press = (key) => () => {
        const gone = { ...this.state.gone, [key]: !this.state.gone[key] };
        this.change("gone", gone);
      };
      this.lines = review.map((words, i) => {
        const button = (kind, key, label, words) =>
          make(
            "button",
            { type: "button", class: kind, onclick: press(key), "aria-label": label },
            words,
          );
        const bar = make("span", { class: "share" }),
          whole = button("whole", i, `sentence ${i + 1}`, bar);
        const each = words.map((word, t) =>
          button("word tint", `${i},${t}`, null, make("span", {}, word)),
        );
        return { whole, bar, each, node: box("line", whole, box("sentence", each)) };
      });
      this.text.replaceChildren(...this.lines.map((line) => line.node));
    }
    const { gone } = this.state;
    this.lines.forEach(({ whole, bar, each, node }, i) => {
      bar.style.width = `${100 * beta[i]}%`;
      set(whole, { "aria-pressed": String(Boolean(gone[i])), title: `weight ${two(beta[i])}` });
      node.classList.toggle("gone", Boolean(gone[i]));
      each.forEach((button, t) => {
        button.style.setProperty("--share", (0.95 * alpha[i][t]).toFixed(3));
        button.classList.toggle("full", alpha[i][t] > 0.55);
        button.classList.toggle("gone", Boolean(gone[`${i},${t}`]));
        set(button, { "aria-pressed": String(Boolean(gone[`${i},${t}`])) });
      });
    });
    this.chances.forEach(({ bar, share, name }, k) => {
      const top = largest(chances) === k;
      set(bar, { width: one(90 * chances[k] + 0.5) });
      set(share, { x: one(102 + 90 * chances[k]) }).textContent = two(chances[k]);
      set(name, { class: `small end${top ? " strong" : ""}` });
    });
  }

  words({ review, alpha, beta, chances, label }) {
    const out = Object.values(this.state.gone).filter(Boolean).length,
      i = largest(beta),
      t = largest(alpha[i]);
    const erased = out ? `${out} ${out > 1 ? "parts are" : "part is"} erased. ` : "";
    if (!max(...beta)) return `${erased}There is nothing left to read.`;
    return (
      `${erased}The answer is ${label}, with probability ${two(max(...chances))}. Sentence ${i + 1} has ` +
      `${two(beta[i])} of the weight, and in it “${review[i][t]}” has ${two(alpha[i][t])}.`
    );
  }

  table({ review, alpha, beta }) {
    const rows = review.flatMap((words, i) =>
      words.map((word, t) => [i + 1, two(beta[i]), word, two(alpha[i][t])]),
    );
    return [["sentence", "its weight", "word", "its weight"], ...rows];
  }
}
