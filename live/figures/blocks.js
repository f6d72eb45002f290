/* The attention of one query, with one block of scores in memory at a time: the online softmax. Of the
page: tokens, m words; scores, m numbers, of one query; values, a row of 2 to 4 numbers for each; block,
how many scores are in memory at a time. */
import { Figure } from "../core.js";
import { box, drawing, legend, path, rect, slanted, text } from "../drawing.js";
import { abs, clamp, count, dot, floor, largest, linear, max, min, minus, one, softmax, sum, two } from "../numbers.js";

const CHART = { left: 26, right: 338, top: 52, floor: 190 }; // of the scores
const ENDS = [120, 196, 260, 336]; // of the columns: before, factor, block, now
const ROWS_FROM = 58; // the first row of numbers, and each is 20 px high
const factorSaid = (x) => (x && x < 0.095 ? minus(+x.toPrecision(2)) : two(x));
const enclosed = (x) => (x.startsWith("−") ? `(${x})` : x);

export default class Blocks extends Figure {
  static takes = "tokens scores values block";
  static title = _`Online softmax: is the answer the same, block by block?`;
  static hint = _`go through the blocks. Which of them raises the maximum, and what does that do to the old sums?`;
  static moves = ["maximum", "output", "answer"]; // the equations are there at once

  static compute({ scores, values, block }, { forget, read }) {
    const places = count(scores.length);
    const blocks = count(Math.ceil(places.length / block)).map((k) => places.slice(k * block, (k + 1) * block));
    const mix = (weights, keys) => {
      const columns = values[0].map((_, c) => keys.map((i) => values[i][c]));
      return columns.map((column) => dot(weights, column));
    };
    const nothing = { maximum: -Infinity, total: 0, output: values[0].map(() => 0) };
    const steps = [];
    for (const keys of blocks) {
      const before = steps.at(-1) ?? nothing;
      const maximum = max(before.maximum, ...keys.map((i) => scores[i]));
      const factor = Math.exp(before.maximum - maximum); // 0 at the first block
      const kept = forget ? 1 : factor;
      const weights = keys.map((i) => Math.exp(scores[i] - maximum));
      const added = [sum(weights), ...mix(weights, keys)];
      const total = kept * before.total + added[0];
      const output = before.output.map((o, c) => kept * o + added[c + 1]);
      steps.push({ maximum, factor, added, total, output });
    }
    const { maximum, total, output } = steps[read - 1] ?? nothing;
    const answer = output.map((o) => o / (total || 1));
    return { blocks, steps, maximum, output, answer, all: mix(softmax(scores), places) };
  }

  controls() {
    const { tokens, block } = this.spec;
    const counts = count(Math.ceil(tokens.length / block) + 1); // how many blocks can be read
    const slider = this.slider("read", _`blocks read`, counts, 1, (k) => _`${k} of ${counts.at(-1)}`);
    const question = _`Leave out the correction when the maximum rises. Do later blocks repair the answer?`;
    const leave = () => {
      this.become({ read: 1, forget: true }); // from the first block on
      this.begin();
    };
    return [
      this.ask(question, [_`yes`, _`no`], _`no`, leave),
      this.together(slider, this.player("read", counts, 1400)),
      this.toggle("forget", _`leave out the correction`, false),
    ];
  }

  view(numbers) {
    const scores = _`Full: in memory. Pale: computed, and gone. Dashed: not computed yet; as a line, the maximum before.`;
    const kept = box("", this.answers(numbers), this.memory(numbers));
    return box("panels", box("", this.chart(numbers), legend(scores)), kept);
  }

  /* The scores of the query, and the largest so far as a line. */
  chart({ blocks, steps, maximum }) {
    const { tokens, scores } = this.spec;
    const { read } = this.state;
    const { left, right, top, floor: bottom } = CHART;
    const pitch = (right - left) / tokens.length;
    const [low, high] = [min(0, ...scores), max(0.5, ...scores)];
    const y = linear(low, high, bottom, top);
    const [before, now] = [steps[read - 2], steps[read - 1]];
    const at = (keys) => left + pitch * keys[0];
    const bar = (k) => (i) => {
      const word = tokens[i].trim();
      const name = word.length > 9 ? `${word.slice(0, 7)}…` : word;
      const [kind, look] =
        k >= read ? ["ghost", "muted"] : k < read - 1 ? ["line band", "muted"] : ["bar-odds", "strong"];
      return [
        rect(kind, left + pitch * i + 2, y(max(scores[i], 0)), pitch - 4, max(abs(y(scores[i]) - y(0)), 1), 1),
        slanted(left + pitch * (i + 0.5) + 4, bottom + 10, name, 90, `small end ${look}`),
      ];
    };
    const ticks = [...new Set([Math.ceil(low), 0, floor(high)])];
    const across = (kind, score) => path(kind, `M${left} ${one(y(score))}H${right}`);
    const keys = blocks[read - 1] ?? [];
    const middle = clamp(at(keys) + (pitch * keys.length) / 2, left + 36, right - 48);
    return drawing(340, 270, _`The scores of one query, block by block, and their running maximum`, [
      now && [
        rect("band", at(keys), 18, pitch * keys.length, bottom - 18, 0),
        text(middle, 12, _`block ${read} of ${blocks.length}`, "small strong mid"),
      ],
      ticks.map((tick) => text(left - 6, y(tick) + 4, minus(tick), "small end muted")),
      across("line", 0),
      blocks.map((keys, k) => keys.map(bar(k))),
      before && before.maximum < now.maximum && across("edge dashed", before.maximum),
      now && across("edge", maximum),
      now && text(left + 3, min(y(maximum) - 5, bottom), _`maximum ${two(now.maximum)}`, "small strong halo"),
    ]);
  }

  /* What is kept, and how a block changes it: an equation for each number. */
  memory({ blocks, steps, all }) {
    const { read, forget } = this.state;
    const { scores } = this.spec;
    const [before, now] = [steps[read - 2], steps[read - 1]];
    const row = (k) => ROWS_FROM + 20 * k;
    const exponent = () => `exp(${two(before.maximum)} − ${enclosed(two(now.maximum))})`;
    const held = (step) => [step.total, ...step.output];
    const first = (k) => (before ? [two(held(before)[k]), `× ${factorSaid(now.factor)}`] : ["", ""]);
    const added = (k) => `${now.added[k] < 0 ? "−" : "+"} ${two(abs(now.added[k]))}`;
    const equation = (k) => [...first(k), ...(now ? [added(k), `= ${two(held(now)[k])}`] : ["", "0"])];
    const here = now ? two(max(...blocks[read - 1].map((i) => scores[i]))) : "";
    const largest = [before ? two(before.maximum) : "", "", here, now ? two(now.maximum) : "–"];
    const correction = ["", "", ...(before ? [exponent(), `= ${factorSaid(now.factor)}`] : ["", "–"])];
    const rows = [largest, correction, ...count(all.length + 1).map(equation)];
    const kind = (n) => (n === 3 ? "small end strong" : "small end");
    const crossed = (n) => forget && n === 1 && { "text-decoration": "line-through" }; // the factors
    return drawing(
      340,
      row(all.length + 2) + 8,
      _`What is kept for the query`,
      text(0, 12, _`kept from block to block`, "small strong"),
      text(338, 12, _`rounded to two places`, "small end muted"),
      [_`before`, _`factor`, _`block`, _`now`].map((name, k) => text(ENDS[k], 36, name, "small end muted")),
      [_`maximum`, _`correction`, _`sum`, _`output`].map((name, k) => text(0, row(k), name, "small")),
      rows.map((cells, k) => cells.map((words, n) => text(ENDS[n], row(k), words, kind(n), crossed(n)))),
    );
  }

  /* The answer so far, beside that of softmax. */
  answers({ steps, answer, all }) {
    const { read } = this.state;
    const widest = max(...steps.flatMap((step) => step.output.map((o) => abs(o / step.total))), ...all.map(abs)) || 1;
    const width = linear(0, widest, 0, 42);
    const y = (c) => 34 + 20 * c;
    const laid = (at) => (x, c) => rect("bar-value", at + min(width(x), 0), y(c) - 11, abs(width(x)), 13, 1);
    return drawing(340, 36 + 20 * all.length, _`The answer, beside that of softmax`, [
      text(0, 12, _`output / sum`, "small strong"),
      text(338, 12, _`softmax over all ${this.spec.tokens.length} keys`, "small end strong"),
      answer.map(laid(46)),
      all.map(laid(254)),
      [46, 254].map((x) => path("line", `M${x} 20v${20 * all.length}`)),
      all.map((x, c) => [
        text(130, y(c), read ? two(answer[c]) : "–", "small end"),
        text(170, y(c), read ? (abs(answer[c] - x) < 1e-9 ? "=" : "≠") : "", "small end"),
        text(338, y(c), two(x), "small end"),
      ]),
    ]);
  }

  words({ blocks, steps, answer, all }) {
    const { read, forget } = this.state;
    if (!read) return _`No block is read yet, so the sum and the output are 0.`;
    const memory = _`In memory: ${blocks[0].length} scores at a time, not ${this.spec.tokens.length}.`;
    const gaps = answer.map((x, c) => abs(x - all[c]));
    const worst = largest(gaps);
    const off = _`off by up to ${two(gaps[worst])}, without the correction: ${two(answer[worst])} where softmax has ${two(all[worst])}`;
    const judged = this.judged(_`no`, _`old sums must follow the maximum`, forget);
    if (read === blocks.length)
      return _`${judged}All ${read} blocks are read, and the answer is ${forget ? off : _`exactly that of softmax`}. ${memory}`;
    const { maximum, factor } = steps[read - 1];
    const rise = _`raises the maximum to ${two(maximum)}, ${forget ? _`but` : _`so`} the old sum and output are ${forget ? _`not ` : ""}multiplied by ${factorSaid(factor)}`;
    return _`Block ${read} of ${blocks.length} ${read > 1 && factor < 1 ? rise : _`leaves nothing to correct`}. ${memory}`;
  }

  table({ blocks, steps }) {
    const { tokens, scores } = this.spec;
    const rows = blocks.map((keys, k) => {
      const { maximum, factor, total } = steps[k];
      const words = keys.map((i) => tokens[i].trim()).join(" ");
      const most = max(...keys.map((i) => scores[i]));
      return [k + 1, words, two(most), two(maximum), k ? factorSaid(factor) : "–", two(total)];
    });
    return [[_`block`, _`keys`, _`its maximum`, _`maximum so far`, _`factor`, _`sum after it`], ...rows];
  }
}
