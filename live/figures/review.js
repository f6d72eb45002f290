/* A classifier of documents that runs in the page, equations (7.1) and (7.2): words and sentences to erase. Of the page:
labels; reviews, {name: sentences}; inputs, whether states hold their inputs. review.py packs the model's parameters. */
import { arrows, Figure } from "../core.js";
import { bar, box, drawing, h, tap, text, tint } from "../drawing.js";
import { clamp, count, dot, largest, max, min, remembered, softmax, sum, two } from "../numbers.js";
import reviewCss from "./review.css";

/* Whole numbers of 8 bits times a scale, one tensor after another: {name: [rows]}. */
const reviewParameters = remembered((parameters, shapes) => {
  const bytes = Uint8Array.from(atob(parameters), (each) => each.charCodeAt(0));
  const integers = new Int8Array(bytes.buffer);
  const found = {};
  let at = 0;
  for (const [name, scale, rows, columns] of shapes)
    found[name] = count(rows).map(() => Array.from(integers.slice(at, (at += columns)), (each) => each * scale));
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
  static title = _`Which words decide the answer?`;
  static hint = _`press a word to erase it, or the × of a sentence, and again to bring it back.`;
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

  controls() {
    const { names } = this.spec;
    this.state.gone = {}; // of each review
    this.at = [0, 0]; // all its buttons are one stop of the keyboard, at the one that was used last
    const pick = this.choice("review", _`review`, names);
    return names.length > 1 ? [pick] : [];
  }

  /* What is erased of the review that is shown: "2" is a sentence, "2,0" a word. */
  get gone() {
    return this.state.gone[this.state.review] ?? {};
  }

  view({ review, alpha, beta, chances }) {
    const at = min(this.at[0], review.length - 1);
    this.at = [at, min(this.at[1], review[at].length)]; // another review may be shorter
    const label = _`the review: arrow keys go from word to word, Enter erases one`;
    const onkeydown = arrows((down, right) => this.go(down, right, review));
    const about = { class: "text", role: "group", "aria-label": label, onkeydown };
    const lines = review.map((words, i) => this.line(words, i, alpha[i], beta[i]));
    return box("panels", h("div", about, box("line legend", _`weight`), lines), this.answer(chances));
  }

  /* The weight of a sentence, its words, and a button for all of them. */
  line(words, i, alpha, beta) {
    const { gone } = this;
    const button = (t, about, word) => {
      const tabindex = String(this.at) === String([i, t]) ? 0 : -1;
      return tap(word, () => this.press(i, t, words), { tabindex, ...about });
    };
    const each = words.map((word, t) => {
      const erased = Boolean(gone[`${i},${t}`]);
      const kind = `word${word === "," ? " comma" : ""}${erased ? " gone" : ""}`;
      return button(t, { ...tint(kind, alpha[t]), "aria-pressed": String(erased) }, h("span", {}, word));
    });
    const whole = { class: "erase", "aria-label": _`${gone[i] ? _`bring back` : _`erase`} sentence ${i + 1}` };
    each.push(button(words.length, whole, gone[i] ? "+" : "×"));
    const kept = []; // a comma and the last button stay with the word before
    each.forEach((part, t) => (words[t] === "," || t === words.length ? kept.at(-1).push(part) : kept.push([part])));
    const groups = kept.map((parts) => box("sentence", parts));
    const track = h("div", { class: "track", style: `--share:${100 * beta}%` });
    return box(gone[i] ? "line gone" : "line", [
      h("span", { class: "number" }, i + 1),
      box("gauge", track, h("small", {}, two(beta))),
      box("sentence", groups),
    ]);
  }

  press(i, t, words) {
    const { gone } = this;
    const at = gone[i] || t === words.length ? i : `${i},${t}`; // a word of an erased sentence brings that back
    this.at = [i, t];
    this.change("gone", { ...this.state.gone, [this.state.review]: { ...gone, [at]: !gone[at] } });
  }

  /* Left and right go on into the next line. */
  go(down, right, review) {
    const all = review.flatMap((words, i) => count(words.length + 1).map((t) => [i, t]));
    const now = all.findIndex((at) => String(at) === String(this.at));
    const row = clamp(this.at[0] + down, 0, review.length - 1);
    this.at = right ? all[clamp(now + right, 0, all.length - 1)] : [row, this.at[1]];
    this.paint(this.shown);
    this.stage.querySelector("[tabindex='0']").focus();
  }

  answer(chances) {
    const row = (chance, k) => [
      text(72, 38 + 24 * k, this.spec.labels[k], `small end${largest(chances) === k ? " strong" : ""}`),
      bar("grey", 80, 80 + 130 * chance, 25 + 24 * k, 18),
      text(86 + 130 * chance, 38 + 24 * k, two(chance), "small"),
    ];
    const head = text(80, 14, _`the answer`, "small muted");
    return drawing(250, 26 + 24 * chances.length, _`probabilities of the answers`, head, chances.map(row));
  }

  words({ review, alpha, beta, chances, label }) {
    const out = Object.values(this.gone).filter(Boolean).length;
    const i = largest(beta);
    const t = largest(alpha[i]);
    return _`${out ? _`${out} erased: the` : _`The`} answer is ${label}, with probability ${two(max(...chances))}. Sentence ${i + 1} has ${two(beta[i])} of the weight, and in it “${review[i][t]}” has ${two(alpha[i][t])}.`;
  }

  table({ review, alpha, beta }) {
    const rows = review.flatMap((words, i) => words.map((word, t) => [i + 1, two(beta[i]), word, two(alpha[i][t])]));
    return [[_`sentence`, _`its weight`, _`word`, _`its weight`], ...rows];
  }
}
