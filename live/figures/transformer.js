/* A trained tower writes a word backwards, and on each floor one sees which letter the output layer would
read in its residual stream. transformer.py says what the page gives. */
import { calm, Figure } from "../core.js";
import { box, circle, drawing, ink, legend, path, rect, set, text } from "../drawing.js";
import { count, floor, largest, max, min, one, percentage, remembered, softmax, sum } from "../numbers.js";
import { LetterModel } from "../letters.js";

const MOST_LETTERS = 8; // letters of a word
const FLOORS = [_`embedding`, _`attention 1`, _`network 1`, _`attention 2`, _`network 2`];
const UP = FLOORS.length;
const CLIMB = count(UP * (MOST_LETTERS + 1)); // a letter to write, and a floor
// The first letter floor by floor, then letter by letter.
const WALK = [...count(UP), ...count(MOST_LETTERS).map((k) => UP * (k + 2) - 1)];
const towerOf = remembered((spec) => new LetterModel(spec));

/* The tower reads a word and the bar, then writes until its end sign. Of each letter that it writes: next; reads, what
would be written on each floor; looks, the weights of both blocks; comes, the floor from which on next is read. */
const reversal = remembered((spec, word) => {
  const model = towerOf(spec);
  const [bar, end] = [model.letters.length - 2, model.letters.length - 1];
  const known = [...word.toLowerCase()].map((sign) => model.tokenOf.get(sign)).filter((token) => token < bar);
  const tokens = [...known.slice(0, MOST_LETTERS), bar];
  const n = tokens.length - 1;
  const cache = count(model.layers).map(() => ({ keys: [], values: [] }));
  const written = [];
  for (let i = 0; i <= 2 * n && tokens.at(-1) !== end; i++) {
    const seen = {};
    model.read(tokens[i], cache, seen);
    if (i < n) continue;
    const chances = seen.stream.map((x) => softmax([...model.logits(x)]));
    const token = largest(chances.at(-1));
    tokens.push(token);
    const reads = chances.map((p) => ({ sign: model.letters[largest(p)], share: max(...p), right: p[token] }));
    const looks = seen.weights.map((heads) => heads[0].map((_, j) => sum(heads.map((row) => row[j])) / heads.length));
    const next = model.letters[token];
    written.push({ next, reads, looks, comes: reads.findLastIndex(({ sign }) => sign !== next) + 1 });
  }
  return { n, signs: tokens.map((token) => model.letters[token]), written };
});

export default class Transformer extends Figure {
  static title = _`Can the tower write your word backwards?`;
  static hint = _`a word of your own, up to 8 of the letters a to t, and then one of three letters.`;
  static measured = true;

  static compute(spec, { word, step }) {
    const found = reversal(spec, word);
    const at = min(step, UP * found.written.length - 1);
    return { ...found, k: floor(at / UP), level: at % UP };
  }

  /* Of the word at the start: its first letter, the step and the floor on which that comes in, where the play
  after a guess ends, and whether the heads look at this very letter there. */
  get first() {
    const { signs, written } = reversal(this.spec, this.spec.word);
    const { next, comes, looks } = written[0];
    const row = looks[(comes - 1) / 2];
    return { letter: next, comes, floor: FLOORS[comes], looked: row && signs[largest(row)] === next };
  }

  /* The last step of the word. */
  get last() {
    return UP * reversal(this.spec, this.state.word).written.length - 1;
  }

  /* Whether that is drawn. */
  get told() {
    return this.state.word === this.spec.word && this.state.step >= this.first.comes;
  }

  controls() {
    const typed = this.entry("word", _`your word`, this.spec.word);
    const slider = this.slider("step", _`step`, CLIMB, 0, (step) => min(step, this.last) + 1);
    const steps = [...WALK];
    const walk = this.player("step", steps, 700);
    const { letter, floor, comes } = this.first;
    const question = _`For “${this.spec.word}”: which sublayer brings in the “${letter}”, the first letter that it writes?`;
    const first = () => {
      this.become({ word: this.spec.word, step: calm.matches ? comes : 0 });
      this.asked = !calm.matches;
      if (this.asked) this.play();
    };
    const { word: show, step: place } = this.show;
    this.show.step = () => {
      set(slider.querySelector("input"), { max: this.last }); // as many steps as are written
      place();
      if (!this.asked || this.state.step !== comes) return;
      this.asked = false;
      this.stop();
    };
    this.show.word = () => {
      show();
      steps.splice(0, steps.length, ...WALK.filter((step) => step <= this.last));
      this.show.step();
    };
    return [this.ask(question, FLOORS.slice(1), floor, first), typed, this.together(walk, slider)];
  }

  /* A column for each token; what it would write is on each floor, the darker the surer it is. Floors that are
  still to come are empty. */
  view({ n, k, level, signs, written }) {
    const wide = this.stage.clientWidth || 340;
    const [left, now] = [80, n + k];
    const pitch = min((wide - left) / (2 * MOST_LETTERS + 2), 36);
    const side = pitch - 2;
    const gaps = [0, 50, 10, 50, 10]; // below each floor
    const bottom = 5 * side + sum(gaps);
    const x = (j) => left + (j + 0.5) * pitch;
    const y = (at) => bottom - (at + 0.5) * side - sum(gaps.slice(0, at + 1));
    const top = (j) => (j < now && k ? UP - 1 : level); // the letters of the word climb with the bar
    const read = (j) => (at) => {
      if (j < n) return circle("grey", 3, x(j), y(at));
      const { sign, right } = written[j - n].reads[at];
      const place = [x(j) - side / 2, y(at) - side / 2, side, side, 2];
      return [
        rect("on", ...place),
        rect("line full", ...place, { "fill-opacity": ink(right) }),
        text(x(j), y(at) + 4, sign, `mid small ${right > 0.55 ? "strong on" : ""}`),
      ];
    };
    const later = (j) => (at) =>
      at > top(j) &&
      (j < n ? circle("ghost", 3, x(j), y(at)) : rect("ghost", x(j) - side / 2, y(at) - side / 2, side, side, 2));
    const column = (_, j) => [
      path("ghost", `M${one(x(j))} ${one(y(top(j)))}V${one(y(UP - 1))}`),
      count(UP).map(later(j)),
      path("line", `M${one(x(j))} ${one(bottom)}V${one(y(top(j)))}`),
      count(top(j) + 1).map(read(j)),
    ];
    const arc = (low, high) => (weight, j) => {
      const [from, to, middle] = [one(x(j)), one(x(now)), one((low + high) / 2)];
      const about = { "stroke-width": one(0.5 + 6 * weight), "stroke-opacity": min(2 * weight, 1).toFixed(2) };
      return path("arc", `M${from} ${one(low)}C${from} ${middle} ${to} ${middle} ${to} ${one(high)}`, about);
    };
    const arcs = written[k].looks.map((row, block) => {
      const from = 2 * block; // the floor from which the heads of the block look
      return from < level && row.map(arc(y(from) - side / 2, y(from + 1) + side / 2));
    });
    const tokens = signs.slice(0, now + 1 + (level === UP - 1));
    const [bar, end] = this.spec.letters.slice(-2);
    const label = _`The tower: a column for each token, and on each floor the letter that would be written`;
    return box("panels alone", [
      drawing(wide, bottom + 20, label, [
        FLOORS.map((name, at) => text(0, y(at) + 4, name, at === level ? "small" : "small muted")),
        count(now + 1).map(column),
        arcs,
        rect("edge", x(now) - side / 2 - 1, y(level) - side / 2 - 1, side + 2, side + 2),
        tokens.map((sign, j) => text(x(j), bottom + 15, sign, j > n ? "mid strong" : "mid")),
      ]),
      legend(_`${bar} ends the word that is read, ${end} the one that is written.`),
    ]);
  }

  words({ n, k, level, signs, written }) {
    if (!n) return _`Type a word: the tower knows only the letters a to t.`;
    const word = signs.slice(0, n).join("");
    const typed = this.state.word;
    const only = typed.toLowerCase() === word ? "" : _`Only the letters a to t are read, up to 8: “${word}”. `;
    const { reads, looks } = written[k];
    const { sign, share } = reads[level];
    const { letter, floor, looked } = this.first;
    const so = looked ? _`the heads copy the “${letter}”` : _`the “${letter}” is not simply copied`;
    const verdict = this.judged(floor, so, this.told);
    if (level === UP - 1 && k === written.length - 1) {
      const back = signs.slice(n + 1).join("");
      const fine = back === [...word].reverse().join("") + this.spec.letters.at(-1);
      const [fewest, most] = this.spec.lengths;
      const why = fine || (n >= fewest && n <= most) ? "" : _` It has only seen words of ${fewest} to ${most} letters.`;
      return _`${verdict}${only}“${word}” becomes “${back}”${fine ? "" : _`, which is wrong`}.${why}`;
    }
    const said = _`After ${level ? "" : _`the `}${FLOORS[level]} the output layer would write “${sign}” (${percentage(share)}).`;
    const row = looks[(level - 1) / 2];
    if (!row) return _`${verdict}${only}${said}`;
    const j = largest(row);
    return _`${verdict}${only}${said} Its heads look most at “${signs[j]}”, token ${j + 1} (${percentage(row[j])}).`;
  }

  table({ level, signs, written, k }) {
    const { reads, looks } = written[k];
    const looked = (row) => row && _`${signs[largest(row)]}, token ${largest(row) + 1}, ${percentage(max(...row))}`;
    const row = ({ sign, share }, at) => [FLOORS[at], sign, percentage(share), looked(looks[(at - 1) / 2]) ?? ""];
    return [[_`floor`, _`would write`, _`probability`, _`heads look most at`], ...reads.slice(0, level + 1).map(row)];
  }
}
