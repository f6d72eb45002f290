/* A memory of fixed size: facts to write, three rules to write them by, and people to ask for. Of the page:
names and cities, six words each; keys, (6, 4), a vector for each name, of length 1 but for rounding;
values, (6, 6), one-hot vectors of the cities, so that the answer has a number for each. */
import { Figure, abs, box, count, dot, drawing, h, hypot, ink, linear, make, max, min, onInk, one, path, rect, set, sum, text, two } from "../core.js";
import matrixCss from "./matrix.css";

// What can be written at one press, as pairs of person and city.
const pairs = (digits) => digits.split(" ").map((each) => [...each].map(Number));
const MOVES = pairs("00 12 01");
const ONCE = pairs("00 12 23 31 44 55");
const BOTH = pairs("23 00 12 01 15 02 14 05 10 04 11");
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
  static hint = "change the rule and see what is left of the old city. Which rule knows all three in “Two move all the time”, and which knows all six in “Everybody, once”?";
  static style = matrixCss;
  static moves = ["memory", "answer", "reach"];

  static compute(spec, { facts, rule, asked }) {
    const { values } = spec;
    if (!(facts.length <= FACTS_AT_MOST) || !(rule in MEMORY_RULES)) throw RangeError("a foreign state"); // a person or a city that isn't there fails below
    const keys = spec.keys.map((key) => key.map((x) => x / hypot(...key)));
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

  controls() {
    const { names, cities } = this.spec;
    this.ready = [
      [`${names[0]} moves`, { asked: 0, facts: MOVES }],
      ["Everybody, once", { asked: 0, facts: ONCE }],
      ["Two move all the time", { asked: 2, facts: BOTH }], // Carol is asked for, who doesn't move
      ["Clear", { facts: [] }],
    ];
    Object.assign(this.state, this.ready[0][1]);
    const soFar = []; // the facts that are there, as they came
    this.show.facts = () => {
      const { facts } = this.state;
      if (!soFar.includes(facts)) soFar.splice(0, Infinity, ...facts.map((_, i) => facts.slice(0, i)), facts);
    };
    this.show.facts();
    this.again = this.player("facts", soFar, 1200);
    this.fact = [this.choice("person", "fact:", names), this.choice("city", "is in", cities)];
    const row = (words, buttons) => set(this.together(make("span", {}, words), buttons), { role: "group", "aria-label": words });
    const rules = Object.keys(MEMORY_RULES).map((rule) => [rule, rule]);
    const people = names.map((name, i) => [i, name]);
    return [row("rule", this.pressed("rule", rules, rules[0][0])), row("ask for", this.pressed("asked", people))];
  }

  view(numbers) {
    return box("panels", box("", this.writing(), this.facts()), this.picture(numbers));
  }

  /* What can be written: many facts at once, or one. */
  writing() {
    const { names, cities } = this.spec;
    const { facts, person, city } = this.state;
    const take = (chosen) => {
      this.stop();
      for (const [name, value] of Object.entries(chosen)) this.change(name, value);
    };
    const same = ([name, value]) => JSON.stringify(this.state[name]) === JSON.stringify(value);
    const button = (words, act, more) => h("button", { type: "button", onclick: act, ...more }, words);
    const full = facts.length === FACTS_AT_MOST;
    const fact = [names.indexOf(person), cities.indexOf(city)];
    return [
      box(
        "controls change",
        this.ready.map(([words, chosen]) => button(words, () => take(chosen), { "aria-pressed": String(Object.entries(chosen).every(same)) })),
        this.again,
      ),
      box(
        "controls own",
        this.fact,
        button(full ? "Full" : "Write", () => take({ facts: [...facts, fact] }), { disabled: full }),
      ),
    ];
  }

  /* The facts, the oldest first, and those that have been overtaken struck out. */
  facts() {
    const { names, cities } = this.spec;
    const { facts } = this.state;
    const n = facts.length;
    const fact = ([person, city], i) => {
      const words = `${names[person]}: ${cities[city]}`;
      const old = facts.slice(i + 1).some(([other]) => other === person);
      const last = i === n - 1;
      return h("li", { class: last && "newest" }, old ? h("s", {}, words) : words, last && h("small", {}, " newest"));
    };
    return [
      h("ol", { class: "facts", "aria-label": "facts, the oldest first" }, facts.map(fact)),
      h("p", { class: "legend" }, `Matrix: 24 numbers. List of facts: ${n} × 10 = ${10 * n}.`),
    ];
  }

  /* The newest fact about the person who is asked for. */
  get latest() {
    const { facts, asked } = this.state;
    return facts.findLastIndex(([person]) => person === asked);
  }

  /* The query beside the matrix, and the answer below it, column by column. */
  picture({ query, memory, answer, reach }) {
    const { names, cities } = this.spec;
    const { facts, asked } = this.state;
    const left = (c) => 61 + 47 * c;
    const middle = (c) => left(c) + 23.5;
    const top = (i) => 38 + 30 * i;
    const y = linear(...reach, 250, 170);
    const best = max(...answer, ALIKE);
    const truth = facts[this.latest]?.[1];
    const cell = (x, i, c) => {
      const below = x <= -ALIKE;
      const [across, down] = [left(c) + 2, top(i) + 2];
      return [
        below ? rect("less", across + 1, down + 1, 41, 24, 3, { "stroke-opacity": ink(abs(x)) }) : rect("cell", across, down, 43, 26, 3, { "fill-opacity": ink(abs(x)) }),
        text(middle(c), top(i) + 19, wholeOf(x), below ? "small mid" : onInk(x)),
      ];
    };
    return drawing(
      345,
      292,
      "The query, the matrix of 4 rows and 6 columns, and the answer below it",
      text(2, 12, "query", "small strong"),
      text(63, 12, ["the matrix, ", h("tspan", { class: "muted" }, "outlined: below zero")], "small strong"),
      cities.map((city, c) => text(middle(c), 30, city, "small mid value")),
      text(25, 30, names[asked], "small mid strong query"),
      query.map((x, i) => [rect("asking", 4, top(i) + 2, 43, 26), text(25, top(i) + 19, two(x), "small mid")]),
      memory.map((row, i) => row.map((x, c) => cell(x, i, c))),
      truth !== undefined && [rect("truth", left(truth), 164, 47, 126, 4), text(middle(truth), 284, "true", "small mid value")],
      path("line", `M61 ${one(y(0))}H343`),
      answer.map((x, c) => [
        rect("bar-value", left(c) + 10, min(y(x), y(0)), 27, abs(y(x) - y(0)), 1),
        text(middle(c), 268, wholeOf(x), x > best - ALIKE && x >= ALIKE ? "small mid strong" : "small mid"),
      ]),
      text(2, 268, "answer", "small strong"),
    );
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
