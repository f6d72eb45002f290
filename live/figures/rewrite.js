/* What a memory of fixed size does with a key that is written again, equations (22.2) and (22.3): three rules fill a
matrix with the same facts, and the reader writes and asks. Of the page: names, and the key of each; cities, whose
values are the rows of the identity; facts, [name, city] by number, the last of which the figure asks about. */
import { Figure } from "../core.js";
import { box, column, drawing, h, legend, rect, slanted, text } from "../drawing.js";
import { abs, clamp, dot, max, one, sum, two } from "../numbers.js";

const RULES = [_`sum`, _`decay 0.8`, _`delta rule`];
const [RULE_SIDE, RULE_HIGH] = [18, 16]; // of a cell
const RULE_PITCH = 116; // from one rule to the next
const LEAST_SEEN = 0.15; // what is nearer to zero has no number
const RECENT = 6; // facts that are listed

export default class Rewrite extends Figure {
  static takes = "names keys cities facts";
  static title = _`Alice moves: what does each memory answer?`;
  static hint = _`ask for Bob: what has Alice’s move done to him? Then let all four move, and ask for each.`;
  static moves = ["matrices", "answers"];

  static compute({ keys, cities }, { facts, who }) {
    const known = facts.every(([name, city]) => keys[name] && cities[city]) && keys[who];
    if (!known || facts.length > 60) throw new RangeError("an address may hold anything");
    const answer = (rows, c, name = who) => sum(keys[name].map((x, i) => x * rows[i][c]));
    const matrices = RULES.map((rule) => {
      let matrix = keys[0].map(() => cities.map(() => 0));
      for (const [name, city] of facts) {
        const key = keys[name];
        const kept = rule === RULES[1] ? 0.8 : 1;
        const before = cities.map((_, c) => (rule === RULES[2] ? answer(matrix, c, name) : 0));
        const written = cities.map((_, c) => (c === city) - before[c]);
        matrix = matrix.map((row, i) => row.map((x, c) => kept * x + key[i] * written[c]));
      }
      return matrix;
    });
    const answers = matrices.map((rows) => cities.map((_, c) => answer(rows, c)));
    return { matrices, answers, latest: facts.findLast(([name]) => name === who)?.[1] ?? null };
  }

  controls() {
    const { names, cities, facts } = this.spec;
    const [who, city] = facts.at(-1);
    this.state.facts = facts.slice(0, -1);
    const before = facts.find(([name]) => name === who)[1];
    const question = _`${names[who]} is in ${cities[before]} and moves to ${cities[city]}. What does the sum answer then?`;
    const move = (c) => this.change("facts", [...this.state.facts, [this.state.who, c]].slice(-60));
    const moves = cities.map((name, c) => this.button(name, () => move(c)));
    this.moves = this.together(_`who moves to`, ...moves);
    const asked = this.pressed("who", [...names.entries()], who);
    const answers = [cities[before], cities[city], _`both alike`];
    const ask = this.ask(question, answers, answers[2], () => this.become({ facts, who }));
    return [ask, this.together(_`ask for`, asked)];
  }

  view({ matrices, answers, latest }) {
    const { names, cities } = this.spec;
    const { facts, who } = this.state;
    const rows = matrices[0].length;
    const [top, floor] = [26, 26 + RULE_HIGH * rows + 96];
    const scale = 60 / max(1.2, ...answers.flat());
    const rule = (matrix, k) => {
      const x = (c) => RULE_PITCH * k + RULE_SIDE * c;
      const cell = (value, i, c) => {
        const place = [x(c), top + RULE_HIGH * i, RULE_SIDE, RULE_HIGH, 0];
        const about = { "fill-opacity": clamp(abs(value), 0, 1) };
        return [rect("rim", ...place), rect(value < 0 ? "brick" : "full", ...place, about)];
      };
      const answer = (value, c) => [
        column(value < 0 ? "brick" : c === latest ? "full" : "grey", x(c) + 2, RULE_SIDE - 4, floor, scale * value),
        value > LEAST_SEEN && slanted(x(c) + RULE_SIDE / 2 + 4, one(floor - scale * value - 4), two(value), 90),
        value < -LEAST_SEEN && slanted(x(c) + RULE_SIDE / 2 + 4, floor - 5, two(value), 90),
        slanted(x(c) + RULE_SIDE / 2 + 4, floor + 72, cities[c], 90, `small${c === latest ? " strong" : ""}`),
      ];
      return [
        text(x(0), 14, RULES[k], "strong"),
        matrix.map((row, i) => row.map((each, c) => cell(each, i, c))),
        answers[k].map(answer),
      ];
    };
    const said = ([name, city], at) => {
      const last = name === who && facts.findLastIndex(([other]) => other === who) === at;
      return h("span", { class: last ? "strong" : "" }, _`${names[name]} is in ${cities[city]}. `);
    };
    const label = _`The matrix of each rule, and below it the answer about ${names[who]}`;
    const listed = h("p", { class: "facts" }, facts.length > RECENT && "… ", facts.map(said).slice(-RECENT));
    const picture = drawing(340, floor + 76, label, matrices.map(rule));
    const cells = legend(_`A row for each entry of a key, a column for each city. Brick: below zero.`);
    return box("panels", picture, box("side", listed, this.moves, this.say, cells));
  }

  words({ answers, latest }) {
    const { names, keys, cities, facts: given } = this.spec;
    const { facts, who } = this.state;
    const nothing = _`nothing`;
    /* What has most of an answer; two that differ by less than can be read are alike. */
    const found = (answer) => {
      const most = max(...answer);
      const those = cities.filter((_, c) => most - answer[c] < 0.005);
      return most < LEAST_SEEN ? nothing : those.length > 1 ? _`${those.join(_` and `)} alike` : those[0];
    };
    const [total, decay, delta] = answers.map(found);
    const asked = String(facts) === String(given) && who === given.at(-1)[0];
    const so = _`a sum can’t tell old from new`;
    const overlap = (name) => dot(keys[name], keys[who]);
    const near = facts.map(([name]) => name).sort((a, b) => overlap(b) - overlap(a))[0];
    const why = _`, but the key overlaps with that of ${names[near]} (${two(overlap(near))})`;
    const unsaid = _`Nobody has said where ${names[who]} is${[total, decay, delta].every((each) => each === nothing) ? "" : why}`;
    const truth = latest === null ? unsaid : _`${names[who]} is in ${cities[latest]}`;
    const same = _`the sum, the decay and the delta rule all answer ${total}`;
    const others = _`the sum answers ${total}, the decay ${decay}, the delta rule ${delta}`;
    const all = total === decay && decay === delta ? same : others;
    return _`${this.judged(_`both alike`, so, asked)}${truth}: ${all}.`;
  }

  table({ answers }) {
    const rows = this.spec.cities.map((city, c) => [city, ...answers.map((answer) => two(answer[c]))]);
    return [[_`city`, ...RULES], ...rows];
  }
}
