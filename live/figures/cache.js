/* What each pass of a model reads while it writes, without a cache and with it, and what the cache keeps.
Of the page: text, letters, and prompt, how many of them are given. */
import { Figure } from "../core.js";
import { box, drawing, rect, text } from "../drawing.js";
import { count, min, sum } from "../numbers.js";

const PASSES_FIRST = 4; // passes at the start

const timesSaid = (times) => _`${times} times`;

export default class Cache extends Figure {
  static takes = "text prompt";
  static title = _`What does a key-value cache save?`;
  static hint = _`move the slider one pass at a time: how many bricks does each tower get?`;
  static measured = true;

  static compute({ text, prompt }, { passes }) {
    const reads = count(passes).map((p) => [prompt + p, p ? 1 : prompt]);
    const totals = [0, 1].map((way) => sum(reads.map((row) => row[way])));
    return { reads, totals, ratio: totals[0] / totals[1], kept: prompt + passes - 1, all: [...text].length - prompt };
  }

  /* How many times as many letters, so far and in the end. */
  times(passes) {
    return Math.round(Cache.compute(this.spec, { passes }).ratio);
  }

  controls() {
    const { all } = Cache.compute(this.spec, { passes: PASSES_FIRST });
    const passes = count(all).map((p) => p + 1);
    const slider = this.slider("passes", _`passes`, passes, PASSES_FIRST);
    const walk = this.player("passes", passes, 250);
    const question = _`After ${PASSES_FIRST} passes, ${this.times(PASSES_FIRST)} times as many letters have been read without a cache. After ${all}?`;
    const first = this.times(PASSES_FIRST); // the same, what is true, or as many more as there are passes
    const answers = [first, this.times(all), Math.round((first * all) / PASSES_FIRST)].map(timesSaid);
    return [this.ask(question, answers, answers[1]), this.together(walk, slider)];
  }

  view({ reads, totals, kept, all }) {
    const letters = [...this.spec.text];
    const wide = this.stage.clientWidth || 340;
    const half = wide / 2 - 8;
    const brick = min(half / letters.length, 9);
    const bottom = 52 + brick * all;
    // a row for each pass, the first at the bottom; a column for each letter
    const tower = (way) => {
      const left = way * (half + 16);
      const row = (read, p) => {
        const [y, before] = [bottom - brick * (p + 1), read[0] - read[way]];
        const part = (i) => rect("full", left + brick * (before + i), y, brick - 0.7, brick - 0.7, 0);
        return [rect("band", left, y, brick * before, brick, 0), count(read[way]).map(part)];
      };
      return [
        text(left, 14, way ? _`with a cache` : _`without a cache`, "small"),
        text(left, 38, _`${totals[way]} letters read`, "strong"),
        reads.map(row),
      ];
    };
    const pitch = (wide - 46) / letters.length;
    const slot = (letter, i) => {
      const x = 46 + pitch * i;
      const cell = (kind, y) => rect(i < kept ? kind : "band", x + 1, bottom + y, pitch - 2, 14, 1);
      const name = text(x + pitch / 2, bottom + 32, letter, `mid small ${i === kept ? "strong" : ""}`);
      return [i <= kept && name, cell("bar-key", 40), cell("bar-value", 58)];
    };
    return box("panels alone", [
      drawing(wide, bottom + 76, _`The letters that each pass reads, as bricks of two towers, and the cache`, [
        [0, 1].map(tower),
        text(0, bottom + 52, _`keys`, "small key"),
        text(0, bottom + 70, _`values`, "small value"),
        letters.map(slot),
      ]),
    ]);
  }

  words({ reads, totals, all }) {
    const { passes } = this.state;
    const verdict = this.judged(timesSaid(this.times(all)), _`a cache saves more with each letter`, passes === all);
    const [without, by] = reads.at(-1);
    const total = _`In all, ${totals[0]} letters have been read without a cache, and ${totals[1]} with it.`;
    return _`${verdict}${total} Pass ${passes} reads ${without} without, and ${by} with it: each letter is read once, and its key and value are kept.`;
  }

  table({ reads, totals }) {
    const rows = reads.map((row, p) => [p + 1, ...row]);
    return [[_`pass`, _`letters read without a cache`, _`with a cache`], ...rows, [_`all`, ...totals]];
  }
}
