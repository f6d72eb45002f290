/* What two translators write of sentences that grow clause by clause, through one vector and with attention, and what
arrives; bottleneck.py says what the page gives. */
import { arrows, Figure } from "../core.js";
import { box, circle, drawing, group, h, legend, path, rect, text, trace } from "../drawing.js";
import { clamp, count, largest, linear, max, min, one, percentage, sum, two } from "../numbers.js";
import bottleneckCss from "./bottleneck.css";

const PITCH = 24; // px of a word
const FIRST_ROW = 40; // px of the heads of the columns
const GAP = 16; // px above a clause
const COLUMN_KINDS = ["one", "many"];
const CURVES = ["edge dashed", "curve weight"];
const DOTS = ["full", "cell"];
const ONE = _`one vector`; // what the first model has of the source
const JOINTS = ["and", "et"]; // the words that begin a clause, in source and target
// In per cent of the width: the edges of the columns, and the vector between the first two.
const EDGES = { one: 28, neck: [32.5, 36], source: [41, 61], many: 72 };
const LANES = 400; // px, at most
const NECK = 36; // px, whatever the length of the sentence
const LEGEND = _`Wavy: wrong. Dashed: missing. Above each clause: how often a clause in its place is correct, over all test sentences of this length, in the run that wrote these words. Dots: runs. Curves: their means.`;

const mean = (numbers) => sum(numbers) / numbers.length;
const wide = (slots) => max(0, ...slots.map(({ clause }) => clause + 1));
const middle = (y) => y + PITCH / 2;

/* The words of each clause, with their places in the sentence. */
function clausesOf(words, joint) {
  const clauses = [[]];
  words.forEach((word, at) => {
    if (at && word === joint) clauses.push([]);
    clauses.at(-1).push({ word, at });
  });
  return clauses;
}

/* A clause as it was written beside the one that was wanted: as many words as can be are right, in
order (a longest common subsequence), and those between stand for those that they take the place of. */
function compared(written, wanted) {
  const [n, m] = [written.length, wanted.length];
  const common = count(n + 1).map(() => count(m + 1).map(() => 0));
  for (const i of count(n).reverse())
    for (const j of count(m).reverse())
      common[i][j] =
        written[i].word === wanted[j].word ? 1 + common[i + 1][j + 1] : max(common[i + 1][j], common[i][j + 1]);
  const slots = [];
  let [i, j, wrong, lost] = [0, 0, [], []];
  const close = () => {
    for (const k of count(max(wrong.length, lost.length)))
      slots.push({ word: null, ...wrong[k], wanted: lost[k]?.word ?? null });
    [wrong, lost] = [[], []];
  };
  while (i < n || j < m)
    if (i < n && j < m && written[i].word === wanted[j].word) {
      close();
      slots.push({ ...written[i++], wanted: wanted[j++].word });
    } else if (j === m || (i < n && common[i + 1][j] >= common[i][j + 1])) wrong.push(written[i++]);
    else lost.push(wanted[j++]);
  close();
  return slots;
}

export default class Bottleneck extends Figure {
  static title = _`One vector for a whole sentence, or attention`;
  static hint = _`add clauses one by one, and point at French words.`;
  static style = bottleneckCss;
  static measured = true;
  static moves = ["at"];

  static compute({ names, sentences, shares }, { sentence, clauses }) {
    const { source, target, written, weights } = sentences[sentence - 1][clauses - 1];
    const slots = (parts) => parts.flatMap((part, clause) => part.map((slot) => ({ ...slot, clause })));
    const wanted = clausesOf(target, JOINTS[1]);
    const sides = written.map((words) => {
      const parts = clausesOf(words, JOINTS[1]);
      return slots(wanted.map((clause, k) => compared(parts[k] ?? [], clause)));
    });
    const kept = (side) => side.filter(({ word }) => word !== null).length;
    const right = sides.map((side) => side.filter(({ word, wanted }) => word === wanted).length);
    const more = sides.map((side, k) => written[k].length - kept(side)); // clauses that nobody wanted
    const means = names.map((name) => mean(shares[name].map((run) => run[clauses - 1])));
    const words = slots(clausesOf(source, JOINTS[0]));
    return { source: words, sides, right, more, total: target.length, weights, at: clauses, means };
  }

  controls() {
    const { sentences } = this.spec;
    const lengths = count(sentences[0].length).map((k) => k + 1);
    Object.assign(this.state, { focus: null, lock: null });
    this.last = [0, 0]; // where the tab key enters each column
    const numbers = sentences.map((_, s) => `${s + 1}`);
    const [one, all] = [1, lengths.length].map((k) => this.whole(k));
    const question = _`Through one vector, ${percentage(one)} of the sentences of one clause are right, on average over the runs. Of ${lengths.length} clauses?`;
    const answers = [...new Set([all, one / lengths.length, one ** lengths.length, one].map(percentage))];
    return [
      this.ask(question, answers, percentage(all), () => this.change("clauses", lengths.length)),
      this.slider("clauses", _`clauses`, lengths, 1),
      this.choice("sentence", _`sentence`, numbers),
    ];
  }

  /* The share of sentences of so many clauses that come through one vector. */
  whole(clauses) {
    const { names, shares } = this.spec;
    return mean(shares[names[0]].map((run) => run[clauses - 1]));
  }

  view(numbers) {
    return box("panels", this.lanes(numbers), box("side", this.chart(numbers), this.say, legend(LEGEND)));
  }

  /* The shares of right sentences by length: a line for each model, a dot for each run. */
  chart({ at, means }) {
    const { names, shares, sentences } = this.spec;
    const K = sentences[0].length;
    const x = linear(1, K, 46, 190);
    const y = linear(0, 1, 170, 30);
    const seen = this.state.clauses; // so that what is asked isn't shown
    const dot = (m) => (share, k) => circle(DOTS[m], 2, x(k + 1), y(share));
    const lines = names.map((name) => count(seen).map((k) => mean(shares[name].map((run) => run[k]))));
    return drawing(290, 212, _`Sentences that are correct, by their number of clauses, for each model`, [
      rect("band", x(at) - 14, 18, 28, y(0) - 18),
      text(0, 12, _`sentences correct, %`, "small"),
      path("line", `M26 22V${y(0)}H210`),
      [0, 1].map((share) => text(22, y(share) + 4, 100 * share, "small end muted")),
      count(K).map((k) => text(x(k + 1), 192, k + 1, "small mid muted")),
      text(115, 208, _`clauses`, "small mid"),
      lines.map((line, m) => path(CURVES[m], trace(line.map((share, k) => [x(k + 1), y(share)])))),
      names.map((name, m) => shares[name].map((run) => run.slice(0, seen).map(dot(m)))),
      [ONE, names[1]].map((name, m) => text(x(seen) + 22, y(lines[m].at(-1)) + 4, name, "small strong")),
      means.map((share) => circle("ring seen", 6, x(at), y(share))),
    ]);
  }

  /* Where the words are: clause by clause, each as tall as its longest version. */
  places({ source, sides, more }) {
    const columns = [source, ...sides];
    const tops = [];
    let y = FIRST_ROW;
    for (const k of count(max(...columns.map(wide)))) {
      tops.push(y + GAP);
      y += GAP + PITCH * max(...columns.map((slots) => slots.filter(({ clause }) => clause === k).length));
    }
    const spots = (slots) => {
      const seen = tops.map(() => 0);
      return slots.map(({ clause }) => tops[clause] + PITCH * seen[clause]++);
    };
    const last = (slots) => slots.filter(({ clause }) => clause === tops.length - 1);
    const below = sides.map((slots) => tops.at(-1) + PITCH * last(slots).length);
    const tall = max(y, ...more.map((n, s) => n && below[s] + 18));
    return { tall, end: y, below, tops, source: spots(source), sides: sides.map(spots) };
  }

  /* Three columns of words; left of the English ones the vector, right of them attention. */
  lanes(numbers) {
    const { source, sides, more, weights } = numbers;
    const { names, clauses, sentences } = this.spec;
    const room = this.stage.clientWidth || 340;
    this.unit = min(room, LANES) / 100;
    const places = this.places(numbers);
    // On a phone the chart comes below; beside it nothing moves.
    const { tall } = room < 694 ? places : this.places(this.compute({ clauses: sentences[0].length }));
    const [side, chosen] = this.chosen(numbers);
    const row = side === 1 ? weights[sides[1][chosen]?.at] : null; // what a chosen word looks at
    const edges = [EDGES.one, EDGES.many].map((edge) => edge * this.unit);
    const kinds = ["end", ""];
    const head = (x, kind, ...lines) => lines.map((line, k) => text(x, 12 + 16 * k, line, `small muted ${kind}`));
    const [left, right] = EDGES.source.map((edge) => edge * this.unit);
    const word = ({ word }, j) => {
      const [y, weight] = [places.source[j], row?.[j] ?? 0];
      const place = [left, y + 2, right - left, 20, 4];
      const kind = weight > 0.62 ? "on" : row?.[j] < 0.02 ? "muted" : "";
      const ink = rect("cell", ...place, { "fill-opacity": weight });
      return [rect("rim", ...place), ink, text((left + right) / 2, y + 17, word, `mid ${kind}`)];
    };
    const note = (share, c, s) =>
      text(edges[s], places.tops[c] - 4, _`clause ${c + 1}: ${percentage(share)}`, `small muted note ${kinds[s]}`);
    const extra = (n, s) =>
      n > 0 && text(edges[s], places.below[s] + 14, _`+ ${n} too many`, `small brick ${kinds[s]}`);
    const label = _`Every English word goes into one vector, and from it to each French word at the left; the words at the right have lines of attention to the English ones`;
    return group(100 * this.unit, tall, label, { class: "lanes" }, [
      h("g", {}, this.threads(numbers, places, side === 0 ? chosen : null)),
      h("g", {}, this.arcs(numbers, places, side === 1 ? chosen : null)),
      head(edges[0], "end", ONE, _`at each step`),
      head((left + right) / 2, "mid", _`English`, _`input`),
      head(edges[1], "", names[1], _`all states`),
      source.map(word),
      names.map((name, s) => h("g", { role: "group", "aria-label": name }, this.french(sides[s], s, places.sides[s]))),
      clauses.map((shares, s) => shares[this.state.clauses - 1].map((share, c) => note(share, c, s))),
      more.map(extra),
    ]);
  }

  /* The French words of a column, which can be pointed at and pressed. */
  french(slots, s, tops) {
    const n = slots.length;
    const wide = EDGES.one * this.unit;
    const x = s ? EDGES.many * this.unit : 0;
    return slots.map(({ word, wanted }, k) => {
      const fault = word === null ? "missing" : word === wanted ? "" : "wrong";
      const go = (down, _right, press) => (press ? this.lock([s, k]) : this.step(s, k + down, n));
      const press = [0, 0, true];
      const about = {
        ...this.pointed([s, k], `press token ${COLUMN_KINDS[s]} ${fault}`),
        role: "button",
        tabindex: k === clamp(this.last[s], 0, n - 1) ? 0 : -1,
        "aria-label": `${fault && `${fault}: `}${word ?? wanted}`,
        onkeydown: arrows(go, { Home: [-n, 0], End: [n, 0], Enter: press, " ": press }),
      };
      const long = 9 * (word ?? wanted).length + 4; // about
      return h("g", about, [
        rect("under", x, tops[k], wide, PITCH, 6),
        fault === "missing" && rect("amiss dashed", s ? x : wide - long, tops[k] + 3, long, PITCH - 6),
        text(s ? x + 3 : wide - 3, tops[k] + 17, word ?? wanted, s ? "" : "end"),
      ]);
    });
  }

  /* Along a column by the arrows. */
  step(side, k, n) {
    this.last[side] = clamp(k, 0, n - 1);
    this.stage.querySelectorAll(`.token.${COLUMN_KINDS[side]}`)[this.last[side]].focus();
  }

  /* From every English word into the vector, whose size stays, and from it to each French word. */
  threads({ source, sides }, places, chosen) {
    const top = (FIRST_ROW + GAP + places.end - NECK) / 2;
    const [left, right] = EDGES.neck.map((edge) => edge * this.unit);
    const written = count(sides[0].length).filter((k) => sides[0][k].word !== null);
    const enter = (k, of) => one(top + (NECK * (k + 0.5)) / of);
    const thread = (d, on, strong) =>
      path("line", d, { style: `stroke-width:${strong ? 2.5 : 1}`, "stroke-opacity": on ? (strong ? 1 : 0.6) : 0.12 });
    const into = (_, j) => {
      const d = `M${one(EDGES.source[0] * this.unit)} ${middle(places.source[j])}L${one(right)} ${enter(j, source.length)}`;
      return thread(d, true, chosen !== null);
    };
    const from = (k, i) => {
      const d = `M${one(left)} ${enter(i, written.length)}L${one(EDGES.one * this.unit)} ${middle(places.sides[0][k])}`;
      return thread(d, chosen === null || chosen === k, chosen === k);
    };
    return [source.map(into), written.map(from), rect("band edge", left, top, right - left, NECK, 0)];
  }

  /* From each word at the right to the English ones that it looks at. */
  arcs({ sides, weights }, places, chosen) {
    const [from, bend, turn, to] = [EDGES.many, 67, 65, EDGES.source[1]].map((edge) => one(edge * this.unit));
    return sides[1].map(({ at }, i) =>
      (weights[at] ?? []).map((weight, j) => {
        const [y0, y1] = [places.sides[1][i], places.source[j]].map(middle);
        const opacity = chosen === null ? 0.1 + 0.7 * weight : chosen === i ? 0.3 + 0.7 * weight : 0;
        const about = { "stroke-width": one(1 + 5 * weight), "stroke-opacity": opacity.toFixed(2) };
        return weight > 0.02 && path("arc", `M${from} ${y0}C${bend} ${y0} ${turn} ${y1} ${to} ${y1}`, about);
      }),
    );
  }

  /* In another sentence, what was pressed would be another word. */
  change(name, value) {
    if (name === "sentence" || name === "clauses") this.state.lock = null;
    super.change(name, value);
  }

  /* The column and the place of the word that is pointed at or kept, if it is there. */
  chosen({ sides }) {
    const [side, k] = this.state.focus ?? this.state.lock ?? [];
    return sides[side]?.[k] ? [side, k] : [];
  }

  words(numbers) {
    const { source, sides, right, total, weights, means } = numbers;
    const [side, k] = this.chosen(numbers);
    const { clauses } = this.state;
    const so = _`what holds one clause doesn’t hold three`;
    const guess = this.judged(percentage(this.whole(clauses)), so, clauses === this.spec.sentences[0].length);
    if (side === undefined)
      return _`${guess}Here ${right[0]} of the ${total} French words come out correct through one vector, and ${right[1]} with attention. Of all sentences of this length, on average over the runs, ${percentage(means[0])} and ${percentage(means[1])} come out whole.`;
    const { word, wanted, at } = sides[side][k];
    if (word === null) return _`“${wanted}” is missing.`;
    const j = side && largest(weights[at]);
    const looks = side
      ? _`attention looks most at “${source[j].word}” (${two(weights[at][j])})`
      : _`as before every word, the same vector comes in`;
    const judged = word === wanted ? "" : wanted ? _` It should be “${wanted}”.` : _` It is too much.`;
    return _`Before “${word}”, ${looks}.${judged}`;
  }

  table({ sides }) {
    const { names, shares } = this.spec;
    const say = (slot) => {
      if (!slot) return "";
      if (slot.word === null) return _`(${slot.wanted} missing)`;
      return slot.word === slot.wanted ? slot.word : _`${slot.word} (wrong)`;
    };
    const rows = count(max(...sides.map((side) => side.length))).map((k) => sides.map((side) => say(side[k])));
    const lengths = Object.entries(shares).map(([name, runs]) => [
      _`${name}, sentences correct by length, ${runs.length} runs: ` +
        runs.map((run) => run.map(percentage).join(", ")).join("; "),
    ]);
    return [names, ...rows, ...lengths];
  }
}
