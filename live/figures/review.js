/* A classifier that runs here. */
import { ARROWS, Figure, box, clamp, count, dot, drawing, largest, make, max, min, one, rect, remembered, set, softmax, sum, text, tint, two } from "../core.js";
import reviewCss from "./review.css";

/* Whole numbers of 8 bits times a scale, one tensor after another: {name: [rows]}. */
const reviewParameters = remembered((parameters, shapes) => {
  const bytes = Uint8Array.from(atob(parameters), (each) => each.charCodeAt(0));
  const integers = new Int8Array(bytes.buffer);
  const found = {};
  let at = 0;
  for (const [name, scale, rows, columns] of shapes) found[name] = count(rows).map(() => Array.from(integers.slice(at, (at += columns)), (each) => each * scale));
  return found;
});

/* One direction of a GRU over vectors: its states. PyTorch's order of gates: r, z, n. */
function gruStates(parameters, name, end, vectors) {
  const get = (part) => parameters[`${name}.gru.${part}_l0${end}`];
  const [W, U, [b], [c]] = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"].map(get);
  const H = U[0].length;
  const sigmoid = (x) => 1 / (1 + Math.exp(-x));
  let h = count(H).map(() => 0);
  return vectors.map((x) => {
    const from = W.map((row, k) => dot(row, x) + b[k]);
    const kept = U.map((row, k) => dot(row, h) + c[k]);
    return (h = h.map((each, k) => {
      const r = sigmoid(from[k] + kept[k]);
      const z = sigmoid(from[H + k] + kept[H + k]);
      return (1 - z) * Math.tanh(from[2 * H + k] + r * kept[2 * H + k]) + z * each;
    }));
  });
}

/* States of both directions beside inputs, their sum and its weights: equations (7.1) and (7.2). */
function pooled(parameters, name, vectors, inputs) {
  const [W, [b], [u]] = ["W.weight", "W.bias", "u"].map((part) => parameters[`${name}.pool.${part}`]);
  const right = gruStates(parameters, name, "", vectors);
  const left = gruStates(parameters, name, "_reverse", [...vectors].reverse()).reverse();
  const states = vectors.map((x, t) => [...right[t], ...left[t], ...(inputs ? x : [])]);
  const hidden = (h) => W.map((row, k) => Math.tanh(dot(row, h) + b[k]));
  const weights = softmax(states.map((h) => dot(u, hidden(h))));
  const vector = states[0].map((_, k) => sum(states.map((h, t) => weights[t] * h[k])));
  return [vector, weights];
}

export default class Review extends Figure {
  static style = reviewCss;
  static moves = ["alpha", "beta", "chances"];

  static compute({ reviews, names, tokens, labels, inputs, parameters, shapes }, state) {
    const gone = state.gone[state.review] ?? {};
    const review = reviews[names.indexOf(state.review)];
    const numbers = reviewParameters(parameters, shapes);
    const kept = (words, i) => (gone[i] ? [] : count(words.length).filter((t) => !gone[`${i},${t}`]));
    const read = review.map(kept);
    const here = count(review.length).filter((i) => read[i].length);
    const alpha = review.map((words) => words.map(() => 0));
    const beta = review.map(() => 0);
    const vectors = here.map((i) => {
      const embedded = read[i].map((t) => numbers["embedding.weight"][tokens[review[i][t]]]);
      const [vector, weights] = pooled(numbers, "words", embedded, inputs);
      read[i].forEach((t, n) => (alpha[i][t] = weights[n]));
      return vector;
    });
    let logits = numbers["output.bias"][0]; // of a review of which nothing is left
    if (here.length) {
      const [vector, weights] = pooled(numbers, "sentences", vectors, inputs);
      here.forEach((i, n) => (beta[i] = weights[n]));
      logits = logits.map((bias, c) => dot(numbers["output.weight"][c], vector) + bias);
    }
    const label = labels[largest(logits)];
    return { review, alpha, beta, logits, chances: softmax(logits), label };
  }

  build() {
    const { reviews, names, labels } = this.spec;
    this.state.gone = {};
    this.text = set(box("text"), {
      role: "group",
      "aria-label": "the review: arrow keys go from word to word, Enter erases one",
      onkeydown: (event) => this.key(event),
    });
    this.reviews = reviews.map((review) => this.lines(review));
    this.chances = labels.map((label, k) => {
      const name = text(90, 16, label, "small end");
      const bar = rect("cell", 96, 3, 0, 16);
      const share = text(100, 16, "", "small");
      const node = make("g", { transform: `translate(0 ${22 * k})` }, name, bar, share);
      return { bar, share, name, node };
    });
    const pick = this.choice("review", "review", names);
    return [
      box("controls", reviews.length > 1 ? pick : null),
      box(
        "panels review",
        box(
          "text",
          box(
            "line legend",
            make("span", { class: "number" }),
            make("span", { class: "gauge" }, "weight"),
            "press a word to erase it, or × for its whole sentence, and again to bring it back",
          ),
          this.text,
        ),
        drawing(
          340,
          22 * labels.length,
          "probabilities of the labels",
          this.chances.map((each) => each.node),
        ),
      ),
    ];
  }

  /* What is erased of the review that is shown. */
  get gone() {
    return this.state.gone[this.state.review] ?? {};
  }

  /* A review line by line: the weight of the sentence, its words, and a button for all of them. */
  lines(review) {
    const button = (kind, key, child) => {
      const press = () => {
        this.stand(node);
        const [whole] = String(key).split(",");
        const at = this.gone[whole] ? whole : key; // a word of an erased sentence brings that back
        const gone = { ...this.gone, [at]: !this.gone[at] };
        this.change("gone", { ...this.state.gone, [this.state.review]: gone });
      };
      const about = { type: "button", class: kind, onclick: press, tabindex: -1 };
      const node = make("button", about, child);
      return node;
    };
    const lines = review.map((words, i) => {
      const bar = make("span", { class: "share" });
      const number = make("small");
      const each = words.map((word, t) => button("word tint", `${i},${t}`, make("span", {}, word)));
      const whole = button("erase", i, "×");
      const place = make("span", { class: "number" }, i + 1);
      const gauge = box("gauge", box("gutter", bar), number);
      const node = box("line", place, gauge, box("sentence", each, whole));
      return { whole, bar, number, each, node, stops: [...each, whole] };
    });
    set(lines[0].stops[0], { tabindex: 0 });
    return lines;
  }

  /* All buttons of a review are one stop of the keyboard, at the button that was used last. */
  stand(button) {
    for (const each of this.text.querySelectorAll("[tabindex='0']")) set(each, { tabindex: -1 });
    set(button, { tabindex: 0 });
  }

  key(event) {
    const [down, right] = ARROWS[event.key] ?? [];
    if (down === undefined) return;
    const review = this.reviews[this.spec.names.indexOf(this.state.review)];
    const lines = review.map((each) => each.stops);
    const i = lines.findIndex((stops) => stops.includes(event.target));
    const row = lines[clamp(i + down, 0, lines.length - 1)];
    const all = lines.flat(); // left and right go on into the next line
    const next = right ? all[clamp(all.indexOf(event.target) + right, 0, all.length - 1)] : row[min(lines[i].indexOf(event.target), row.length - 1)];
    this.stand(next);
    next.focus();
    event.preventDefault();
  }

  paint({ alpha, beta, chances }) {
    const { gone } = this;
    const lines = this.reviews[this.spec.names.indexOf(this.state.review)];
    if (lines[0].node !== this.text.firstChild) this.text.replaceChildren(...lines.map((line) => line.node));
    lines.forEach(({ whole, bar, number, each, node }, i) => {
      bar.style.width = `${100 * beta[i]}%`;
      number.textContent = two(beta[i]);
      set(whole, { "aria-label": `${gone[i] ? "bring back" : "erase"} sentence ${i + 1}` });
      whole.textContent = gone[i] ? "+" : "×";
      node.classList.toggle("gone", Boolean(gone[i]));
      each.forEach((button, t) => {
        tint(button, alpha[i][t]);
        button.classList.toggle("gone", Boolean(gone[`${i},${t}`]));
        set(button, { "aria-pressed": String(Boolean(gone[`${i},${t}`])) });
      });
    });
    this.chances.forEach(({ bar, share, name }, k) => {
      const top = largest(chances) === k;
      set(bar, { width: one(200 * chances[k] + 0.5) });
      set(share, { x: one(102 + 200 * chances[k]) }).textContent = two(chances[k]);
      set(name, { class: `small end${top ? " strong" : ""}` });
    });
  }

  words({ review, alpha, beta, chances, label }) {
    const out = Object.values(this.gone).filter(Boolean).length;
    const i = largest(beta);
    const t = largest(alpha[i]);
    const erased = out ? `${out} ${out > 1 ? "parts are" : "part is"} erased. ` : "";
    if (!max(...beta)) return `${erased}There is nothing left to read.`;
    return (
      `${erased}The answer is ${label}, with probability ${two(max(...chances))}. Sentence ${i + 1} has ` +
      `${two(beta[i])} of the weight, and in it “${review[i][t]}” has ${two(alpha[i][t])}.`
    );
  }

  table({ review, alpha, beta }) {
    const rows = review.flatMap((words, i) => words.map((word, t) => [i + 1, two(beta[i]), word, two(alpha[i][t])]));
    return [["sentence", "its weight", "word", "its weight"], ...rows];
  }
}
