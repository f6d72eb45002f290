/* A memory of fixed size, and three rules to write to it. */
import { Figure, abs, box, count, dot, drawing, ink, linear, make, max, min, onInk, one, path, rect, see, set, sum, text, two } from "../core.js";
import matrixCss from "./matrix.css";

const KEPT_OF_ALL = 0.8; // at each fact, where the sum decays
const FACTS_AT_MOST = 12;
const ALIKE = 0.005; // numbers that are closer have the same decimals, nearly
const CLOSE = 0.75; // of the largest number
const MEMORY_RULES = {
  sum: "the sum",
  "decay 0.8": "the sum with decay",
  "delta rule": "the delta rule",
};
const [, DECAYING, DELTA] = Object.keys(MEMORY_RULES);

const readOut = (memory, query) =>
  memory[0].map((_, c) =>
    dot(
      query,
      memory.map((row) => row[c]),
    ),
  );
const wholeOf = (x) => two(abs(x) < ALIKE ? 0 : x); // without a minus before 0.00
const inWords = (words) => words.join(", ").replace(/, ([^,]*)$/, " and $1");

export default class Matrix extends Figure {
  static style = matrixCss;
  static moves = ["memory", "answer", "reach"];

  static compute({ keys, values }, { facts, rule, asked }) {
    if (!(facts.length <= FACTS_AT_MOST) || !(rule in MEMORY_RULES)) throw RangeError("a foreign state"); // a person or a city that isn't there fails below
    const query = keys[asked];
    const kept = rule === DECAYING ? KEPT_OF_ALL : 1;
    let memory = query.map(() => values[0].map(() => 0));
    let before = values[0].map(() => 0); // the answer before the last fact
    for (const [person, city] of facts) {
      before = readOut(memory, query);
      const [key, value] = [keys[person], values[city]];
      const held = readOut(memory, key);
      const news = value.map((x, c) => (rule === DELTA ? x - held[c] : x));
      memory = memory.map((row, i) => row.map((x, c) => kept * x + key[i] * news[c]));
    }
    // The answer is a weighted sum of the values, and these are the weights, from the last fact on.
    let rest = query;
    const weights = [...facts].reverse().map(([person]) => {
      const weight = dot(rest, keys[person]);
      rest = rest.map((x, i) => kept * x - (rule === DELTA ? weight * keys[person][i] : 0));
      return weight;
    });
    const answer = readOut(memory, query);
    const reach = [min(-0.4, ...answer), max(1, ...answer)];
    return { query, memory, before, answer, reach, weights: weights.reverse() };
  }

  build() {
    const { names, cities, histories } = this.spec;
    const [start] = Object.values(histories);
    [this.state.asked, this.state.facts] = start;
    this.state.rule = Object.keys(MEMORY_RULES)[0];
    this.write = this.button("Write", () => {
      const { person, city, facts } = this.state;
      const fact = [names.indexOf(person), cities.indexOf(city)];
      this.change("facts", [...facts, fact]);
    });
    this.buttons = []; // each with the state that it brings
    const row = (name, choices) => {
      const buttons = choices.map(([label, chosen]) => {
        const button = this.button(label, () => {
          Object.assign(this.state, chosen);
          this.changed();
        });
        this.buttons.push({ button, chosen });
        return button;
      });
      const all = box("change", make("span", {}, name), box("controls", buttons));
      return set(all, { role: "group", "aria-label": name });
    };
    const ready = Object.entries(histories).map(([label, [asked, facts]]) => [label, { asked, facts }]);
    this.facts = make("ol", { class: "facts", "aria-label": "facts, the oldest first" });
    this.say = make("p", { class: "say", "aria-live": "polite" });
    this.size = make("p", { class: "legend" });
    return [
      box(
        "panels",
        box(
          "",
          box("controls", this.choice("person", "fact:", names), this.choice("city", "is in", cities), this.write),
          this.facts,
          this.size,
          row("or write", [...ready, ["Clear", { facts: [] }]]),
          row(
            "rule",
            Object.keys(MEMORY_RULES).map((rule) => [rule, { rule }]),
          ),
          row(
            "ask for",
            names.map((name, asked) => [name, { asked }]),
          ),
        ),
        box("", this.picture(), this.say),
      ),
    ];
  }

  /* The query beside the matrix, and the answer below it, column by column. */
  picture() {
    const { cities } = this.spec;
    const left = (c) => 61 + 47 * c;
    const top = (i) => 38 + 30 * i;
    const cell = (kind, x, y) => rect(kind, x + 2, y + 2, 43, 26);
    this.name = text(25, 30, "", "small mid strong query");
    this.query = count(4).map((i) => text(25, top(i) + 19, "", "small mid"));
    this.cells = count(4).flatMap((i) =>
      cities.map((_, c) => ({
        more: cell("cell", left(c), top(i)),
        less: rect("less", left(c) + 3, top(i) + 3, 41, 24),
        number: text(left(c) + 23.5, top(i) + 19, ""),
      })),
    );
    this.truth = rect("truth", 0, 164, 47, 126, 4);
    this.zero = path("line");
    this.bars = cities.map((_, c) => rect("bar-value", left(c) + 10, 0, 27, 0, 1));
    this.numbers = cities.map((_, c) => text(left(c) + 23.5, 268, ""));
    this.mark = text(0, 284, "true", "small mid value");
    this.left = left;
    return drawing(
      345,
      292,
      "The query, the matrix of 4 rows and 6 columns, and the answer below it",
      text(2, 12, "query", "small strong"),
      text(63, 12, ["the matrix, ", make("tspan", { class: "muted" }, "outlined: below zero")], "small strong"),
      cities.map((city, c) => text(left(c) + 23.5, 30, city, "small mid value")),
      this.name,
      count(4).map((i) => cell("asking", 2, top(i))),
      this.query,
      this.cells.map(Object.values),
      this.truth,
      this.zero,
      this.bars,
      text(2, 268, "answer", "small strong"),
      this.numbers,
      this.mark,
    );
  }

  /* The newest fact about the person who is asked for. */
  get latest() {
    const { facts, asked } = this.state;
    return facts.findLastIndex(([person]) => person === asked);
  }

  paint({ query, memory, answer, reach }) {
    const { names, cities } = this.spec;
    const { facts, asked } = this.state;
    const same = ([name, value]) => JSON.stringify(this.state[name]) === JSON.stringify(value);
    for (const { button, chosen } of this.buttons) set(button, { "aria-pressed": String(Object.entries(chosen).every(same)) });
    this.write.disabled = facts.length === FACTS_AT_MOST;
    this.write.textContent = this.write.disabled ? "Full" : "Write";
    this.facts.replaceChildren(
      ...facts.map(([person, city], i) => {
        const words = `${names[person]}: ${cities[city]}`;
        const old = facts.slice(i + 1).some(([other]) => other === person);
        const last = i === facts.length - 1;
        return make("li", { class: last ? "newest" : null }, old ? make("s", {}, words) : words, last ? make("small", {}, " newest") : null);
      }),
    );
    const n = facts.length;
    this.size.textContent = `Matrix: 24 numbers. List of facts: ${n} × 10 = ${10 * n}.`;
    this.name.textContent = names[asked];
    query.forEach((x, i) => (this.query[i].textContent = two(x)));
    this.cells.forEach(({ more, less, number }, k) => {
      const x = memory[(k - (k % 6)) / 6][k % 6];
      const below = x <= -ALIKE;
      see(set(more, { "fill-opacity": ink(abs(x)) }), !below);
      see(set(less, { "stroke-opacity": ink(abs(x)) }), below);
      set(number, { class: below ? "small mid" : onInk(x) }).textContent = wholeOf(x);
    });
    const y = linear(...reach, 250, 170);
    set(this.zero, { d: `M61 ${one(y(0))}H343` });
    const best = max(...answer, ALIKE);
    answer.forEach((x, c) => {
      set(this.bars[c], { y: one(min(y(x), y(0))), height: one(abs(y(x) - y(0))) });
      const kind = x > best - ALIKE && x >= ALIKE ? "small mid strong" : "small mid";
      set(this.numbers[c], { class: kind }).textContent = wholeOf(x);
    });
    const city = facts[this.latest]?.[1];
    for (const each of [this.truth, this.mark]) see(each, city !== undefined);
    set(this.truth, { x: this.left(city ?? 0) });
    set(this.mark, { x: this.left(city ?? 0) + 23.5 });
  }

  words({ answer, before, weights }) {
    const { names, cities } = this.spec;
    const { facts, rule, asked } = this.state;
    if (!facts.length) return "Nothing has been written, so every city gets 0.";
    const name = names[asked];
    const best = max(...answer);
    const tops = count(6).filter((c) => best >= ALIKE && answer[c] > best - ALIKE);
    const places = inWords(tops.map((c) => cities[c])) || "no city";
    const overlapping = "facts about people with overlapping keys";
    const { latest } = this;
    if (latest < 0) {
      const yet = `yet ${MEMORY_RULES[rule]} answers ${places} (${wholeOf(best)}), from ${overlapping}`;
      return `Nothing has been written about ${name}, and ${tops.length ? yet : "no city gets more than 0.00"}.`;
    }
    const subject = `Asked for ${name}, ${MEMORY_RULES[rule]} answers ${places}`;
    const city = facts[latest][1];
    const [rival] = count(6)
      .filter((c) => c !== city)
      .sort((a, b) => answer[b] - answer[a]);
    // What its rivals get from older facts about the same person: more than from all others?
    const rivals = count(6).filter((c) => c !== city && (c === rival || tops.includes(c)));
    const old = count(latest).filter((i) => facts[i][0] === asked && rivals.includes(facts[i][1]));
    const own = sum(old.map((i) => weights[i]));
    const stays = rule !== DELTA && own > max(0, sum(rivals.map((c) => answer[c])) - own);
    const still = old.length > 1 ? `old facts about ${name}` : `the old fact that ${name} is in ${cities[rival]}`;
    const faded = rule === DECAYING && weights[latest] < 1 - ALIKE ? `${name}’s fact has faded to ${two(weights[latest])}, and ` : "";
    const why = stays
      ? `it still holds ${still}`
      : rule === DELTA
        ? `what was written later, about people with overlapping keys, has overwritten part of ${name}’s fact`
        : `${faded}${overlapping} count too`;
    const number = `(${wholeOf(answer[city])})`;
    const next = `${cities[rival]} (${wholeOf(answer[rival])})`;
    if (!tops.length) return `${subject}, not even ${cities[city]} ${number}: ${why}.`;
    if (!tops.includes(city)) return `${subject} (${wholeOf(best)}), not ${cities[city]} ${number}: ${why}.`;
    if (tops.length > 1) return `${subject} alike ${number}: ${why}.`;
    if (answer[rival] > CLOSE * best) return `${subject} ${number}, but ${next} is close: ${why}.`;
    return `${subject} ${number}. ${this.rest({ city, rival, stays, next, answer, before })}`;
  }

  /* What is left of other cities where the answer is right and clear. */
  rest({ city, rival, stays, next, answer, before }) {
    const { names, cities } = this.spec;
    const { facts, rule, asked } = this.state;
    const { latest } = this;
    if (rule === DELTA && latest === facts.length - 1) {
      const [, was] = facts.findLast(([person], i) => person === asked && i < latest) ?? [];
      return was !== undefined && was !== city && before[was] >= ALIKE ? `Writing it erased ${cities[was]}.` : "With this rule, the newest fact is always answered exactly.";
    }
    if (answer[rival] < ALIKE) return "No other city gets more than 0.00.";
    return stays ? `Next comes ${next}, where ${names[asked]} was before.` : `Next comes ${next}, from facts about people with overlapping keys.`;
  }

  /* The answer is the sum of the facts' rows, and also the query times the matrix. */
  table({ query, memory, answer, weights }) {
    const { names, cities } = this.spec;
    const { facts, asked } = this.state;
    return [
      [`asked for ${names[asked]}`, ...cities],
      ...facts.map(([person, city], i) => [`${i + 1}. ${names[person]}, weight`, ...cities.map((_, c) => (c === city ? wholeOf(weights[i]) : ""))]),
      ["answer", ...answer.map(wholeOf)],
      ...memory.map((row, i) => [`matrix, at q = ${two(query[i])}`, ...row.map(wholeOf)]),
    ];
  }
}
