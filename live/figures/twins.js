/* Where the trained translator looks as it writes il or elle, as arcs, and scissors. */
import { Figure, abs, box, circle, clamp, count, drawing, floor, largest, linear, make, max, min, one, path, rect, remembered, see, set, text, two } from "../core.js";
import { ENGINE_LONGEST } from "../engine.js";
import { NEITHER, PRONOUNS, fate, inline, newWords, pairOf, pronounOf, pronounStep, signed, spelled, translator } from "../translating.js";
import translatingCss from "../translating.css";
import twinsCss from "./twins.css";

const SIDES = { cross: "cross", self: "own", encoder: "encoder" }; // the page's names for the parts
const ALL = "cross, all heads";
const OWN = "self, all heads";
const CHANGES = {
  // the button, and what is said when it is down
  swap: ["swap the adjectives’ vectors", "the adjectives’ vectors swapped"],
  nouns: ["cut “it” → both nouns, in the encoder", "“it” → both nouns cut"],
  encoder: ["remove all attention in the encoder", "all attention in the encoder removed"],
};

const twice = (work) => [0, 1].map(work);

/* What can be shown of a part: all its heads, or one, such as "cross 2, head 3". */
function views(side) {
  const { layers, heads } = translator();
  const single = (l) => count(heads).map((h) => `${side} ${l + 1}, head ${h + 1}`);
  return [`${side}, all heads`, ...count(layers).flatMap(single)];
}

function meant(view) {
  const [, side, layer, head] = /^(\w+)(?:, all heads| (\d), head (\d))$/.exec(view);
  return { part: SIDES[side], ...(layer && { layer: layer - 1, head: head - 1 }) };
}

/* A sentence with nothing changed; twelve of them are kept at most, for six pairs. */
const plainRun = remembered((words) => translator().translate(words));

/* The edits of sentence k of a pair. A cut is [sentence, view, key]. */
function editsOf({ sentences, it, nouns }, k, cuts, on) {
  const step = pronounStep(plainRun(sentences[k]));
  const mine = cuts.filter(([of]) => of === k).map(([, view, key]) => ({ ...meant(view), key }));
  if (on.includes("nouns")) mine.push(...nouns.map((key) => ({ part: "encoder", key })));
  return {
    cuts: mine.map((cut) => ({ ...cut, query: cut.part === "encoder" ? it : step })),
    heads: on.includes("encoder") ? [{ part: "encoder" }] : [],
  };
}

/* What the encoder makes of a sentence; edits of the decoder make no difference. */
function encode(words, { cuts, heads }) {
  const inside = { cuts: cuts.filter(({ part }) => part === "encoder"), heads };
  if (!inside.cuts.length && !heads.length) return plainRun(words);
  return translator().once(["encode", words, inside], () => translator().encode(words, inside));
}

/* What is written for sentence k. What is swapped in is the twin's, with its own edits. */
function changed(pair, on, cuts, k) {
  const { sentences, adjective } = pair;
  const plain = plainRun(sentences[k]);
  const edits = editsOf(pair, k, cuts, on);
  const swap = on.includes("swap");
  if (!swap && !edits.cuts.length && !edits.heads.length) return plain;
  const donor = swap ? encode(sentences[1 - k], editsOf(pair, 1 - k, cuts, on)) : null;
  const vector = donor?.stages.at(-1)[adjective];
  return translator().once([sentences[k], edits, vector && [...vector]], () => {
    let before = encode(sentences[k], edits);
    if (vector) {
      const { stages, maps } = before;
      const memory = [...stages.at(-1)];
      memory[adjective] = vector;
      before = { stages: [...stages.slice(0, -1), memory], maps };
    }
    // What only the decoder's cuts change begins where the pronoun is written.
    const kept = before === plain ? max(pronounStep(plain), 0) : 0;
    return translator().translate(sentences[k], edits, { before, kept });
  });
}

/* The keys of what asks in a run, and at each the weight of the head that looks there most. */
function rowOf({ sentences, it }, view, k, run) {
  const { part, layer, head } = meant(view);
  const step = max(pronounStep(plainRun(sentences[k])), 0);
  const keys = part === "own" ? ["begin", ...run.words.slice(0, step)] : sentences[k];
  const row = part === "encoder" ? it : step;
  const maps = run.maps[part].flatMap((heads, l) => heads.filter((_, h) => head === undefined || (l === layer && h === head)));
  const weights = keys.map((_, j) => max(...maps.map((map) => map[row]?.[j] ?? 0)));
  return { keys, weights };
}

/* The head that looks from each pronoun at its noun, as in the famous picture. */
const pointing = remembered((pair) => {
  const weight = (view, k) => rowOf(pair, view, k, plainRun(pair.sentences[k])).weights[pair.nouns[k]];
  const single = views("cross").slice(1);
  return single[largest(single.map((view) => min(...twice((k) => weight(view, k)))))];
});

/* The cuts of an arc that is shown: those of one head are of that of all heads, and the reverse. */
const takes = (cuts, k, view, key) =>
  cuts.filter(
    ([of, other, at]) => of === k && at === key && meant(other).part === meant(view).part && (other === view || meant(other).head === undefined || meant(view).head === undefined),
  );

/* The last French noun before the pronoun, with its article, among the keys of self-attention. */
function lastNoun({ words, step }) {
  const at = words.lastIndexOf("parce", step); // "begin" comes before them
  return at < 2 ? [] : [at - 1, at];
}

/* A word of a list, told from the same word elsewhere in it. */
const apart = (words, k) => words[k] + (words.indexOf(words[k]) < words.lastIndexOf(words[k]) ? ` (word ${k + 1})` : "");

/* How sure it is of one pronoun against the other. */
function sureness(odds) {
  const p = 1 / (1 + Math.exp(-abs(odds)));
  return p > 0.99 ? "over 99 %" : `${floor(100 * p)} %`;
}

/* Both pronouns, and a bar from the middle towards the one that is written; dashed: before. In small
its length is how sure it is, else the log-odds. */
function gauge(small) {
  const x = linear(-8, 8, 56, 224);
  const zero = x(0);
  const bar = rect("bar-odds", zero, 12, 0, 16, 2);
  const ghost = rect("ghost", zero, 10, 0, 20, 2);
  const names = PRONOUNS.map((word, i) => text(i ? 48 : 232, 27, word));
  const sure = text(0, 42, "");
  const none = text(zero, 42, NEITHER, "small mid halo");
  const reach = (odds) => {
    const size = small ? 8 * Math.tanh(odds / 2) : odds;
    const to = x(clamp(size || 0, -8, 8)); // NaN: none
    return { x: one(min(zero, to)), width: one(abs(to - zero)) };
  };
  const show = (odds, before) => {
    const known = Number.isFinite(odds);
    const side = odds < 0 ? 1 : 0;
    set(bar, reach(odds));
    see(set(ghost, reach(before)), !(abs(odds - before) < 0.05));
    names.forEach((name, i) => {
      const turned = before < 0 !== i > 0;
      const kind = known && i === side ? `said ${turned ? "changed" : ""}` : "muted";
      set(name, { class: `${i ? "end" : ""} ${kind}` });
    });
    set(sure, { x: side ? 56 : 224, class: `small muted ${side ? "" : "end"}` });
    const amount = small ? `${sureness(odds)} sure` : `log-odds ${signed(odds)}`;
    sure.textContent = known ? amount : "";
    see(none, !known);
  };
  const label = small ? "how sure it is of il or elle" : "log-odds of il against elle";
  const middle = path("line", `M${zero} 4V30`);
  const node = drawing(280, 44, label, middle, ghost, bar, names, sure, none);
  return { node: set(node, { class: "gauge" }), show };
}

const scissors = () =>
  make(
    "svg",
    { viewBox: "0 0 16 16", "aria-hidden": "true" },
    path("", "M6 10.5 14.5 3M6 5.5 14.5 13"),
    [4, 12].map((y) => circle("", 2.3, 4.2, y)),
  );

export default class Twins extends Figure {
  static style = translatingCss + twinsCss;

  static data = "translator"; // it begins when its weights are there

  static moves = ["weights", "odds"];

  static kept = ["pair", "view"]; // Reset undoes cuts and changes

  static compute(spec, state) {
    const pair = pairOf(spec, state);
    const { view, cuts } = state;
    const { part } = meant(view);
    const on = Object.keys(CHANGES).filter((name) => state[name]);
    const plain = twice((k) => plainRun(pair.sentences[k]));
    const all = Object.keys(SIDES).flatMap(views);
    const there = ([k, view, key]) => all.includes(view) && Number.isInteger(key) && key in rowOf(pair, view, k, plain[k]).keys;
    // Whoever wrote the address may have made up its arcs.
    if (!cuts.every(there) || cuts.length > 99 || !all.includes(view)) throw new RangeError(view);
    const runs = twice((k) => changed(pair, on, cuts, k));
    const [before, now] = [plain, runs].map((each) => each.map(pronounOf));
    const odds = now.map((each) => each.odds);
    const rows = runs.map((run, k) => rowOf(pair, view, k, run));
    const keys = rows.map((row) => row.keys);
    const weights = rows.map((row) => row.weights);
    const was = plain.map((run, k) => rowOf(pair, view, k, run).weights);
    const cut = keys.map((words, k) => words.map((_, j) => takes(cuts, k, view, j).length > 0));
    const seen = keys.map((words, k) => {
      const strong = max(...was[k], ...weights[k]) / 10;
      const asked = view === ALL ? pair.adjective : -1; // can be cut even where no head looks
      return words.map((_, j) => cut[k][j] || j === asked || max(was[k][j] ?? 0, weights[k][j]) >= strong);
    });
    const points = runs.map((run, k) => largest(rowOf(pair, pointing(pair), k, run).weights));
    const turned = (run, k) => pronounOf(run).word !== before[k].word;
    const every = (k) => pair.sentences[k].map((_, key) => [k, ALL, key]);
    const unread = (k, more = []) => pronounOf(changed(pair, [], [...every(k), ...more], k)).word;
    const found = { part, on, keys, was, weights, cut, seen, points, odds, now, before };
    // More runs, which only the words need, after the picture.
    return {
      ...found,
      /* The cut that turns a pronoun by itself. */
      get alone() {
        return runs.map((run, k) => (turned(run, k) ? cuts.findIndex((cut) => turned(changed(pair, [], [cut], k), k)) : -1));
      },
      /* What is written when no head of the decoder looks at the English words. */
      get blind() {
        return cuts.length ? twice((k) => unread(k)) : [];
      },
      /* The same when none looks at the last noun in its own French, either. */
      get bare() {
        const noun = (k) => lastNoun(before[k]).map((key) => [k, OWN, key]);
        return cuts.length ? twice((k) => unread(k, noun(k))) : [];
      },
    };
  }

  get pair() {
    return pairOf(this.spec, this.state);
  }

  build() {
    const { pairs, small, head } = this.spec;
    const names = pairs.map(({ name }) => name);
    const menu = !small && pairs.length > 1 ? this.choice("pair", "pair", names) : null;
    const all = Object.keys(SIDES).flatMap(views);
    const heads = small ? this.either() : head ? this.choice("view", "arcs of", all, head) : null;
    this.state.view ??= ALL;
    this.state.cuts = [];
    this.cards = twice((k) => this.card(k));
    // Where the words are changes with the width, and when their face has come.
    const again = () => this.painted && this.paint(this.painted);
    const watch = new ResizeObserver(() => requestAnimationFrame(again));
    for (const { node, words } of this.cards) for (const each of [node, words]) watch.observe(each);
    const cards = this.cards.map(({ node }) => node);
    const changes = Object.entries(CHANGES).map(([name, [label]]) => {
      this.state[name] = false;
      return this.pressed(name, [[true, label]]);
    });
    return [menu || heads ? box("controls", menu, heads) : null, box("panels alone", cards), small || head ? null : box("controls changes", changes)];
  }

  /* Buttons for values of state[name]: one that is down is that value. A single one goes up again. */
  pressed(name, options) {
    const single = options.length < 2;
    const buttons = options.map(([value, label]) => {
      const press = () => this.change(name, single ? this.state[name] !== value : value);
      return { value, node: this.button(label, press) };
    });
    this.show[name] = () => {
      for (const { value, node } of buttons) set(node, { "aria-pressed": String(this.state[name] === value) });
    };
    this.show[name]();
    return box("change together", ...buttons.map(({ node }) => node));
  }

  /* The head of the famous picture, or all. */
  either() {
    const [first] = this.spec.pairs;
    this.state.view = pointing(first);
    const { length } = views("cross").slice(1);
    return this.pressed("view", [
      [this.state.view, "one head, as in the famous picture"],
      [ALL, `all ${length} heads`],
    ]);
  }

  card(k) {
    const press = (j) => ({ onclick: () => this.snip(k, j) });
    const arcs = count(ENGINE_LONGEST).map((j) => set(path("arc"), press(j)));
    const dot = circle("asks", 4);
    const due = text(0, 0, "", "small muted halo");
    const snips = count(ENGINE_LONGEST).map((j) => make("button", { type: "button", class: "snip", ...press(j) }, scissors()));
    const [words, zone, other] = ["words", "snips", "other"].map((kind) => box(kind));
    zone.append(...snips);
    const dial = gauge(this.spec.small);
    const lines = make("svg", { class: "arcs", "aria-hidden": "true" }, arcs, dot, due);
    const node = box("weave", lines, words, zone, box("row", dial.node, other));
    return { node, words, zone, other, arcs, dot, due, snips, dial };
  }

  /* With other words, a cut or a change would mean something else. */
  change(name, value) {
    if (name === "pair") {
      this.state.cuts = [];
      for (const each of Object.keys(CHANGES)) {
        this.state[each] = false;
        this.show[each]();
      }
    }
    super.change(name, value);
  }

  snip(k, key) {
    const { cuts, view } = this.state;
    const taken = takes(cuts, k, view, key);
    const others = cuts.filter((cut) => !taken.includes(cut));
    this.change("cuts", taken.length ? others : [...others, [k, view, key]]);
  }

  paint(numbers) {
    this.painted = numbers;
    this.cards.forEach((card, k) => {
      this.write(card, k, numbers);
      card.dial.show(numbers.odds[k], numbers.before[k].odds);
      this.weave(card, k, numbers);
    });
  }

  /* The keys above the arcs, in two halves, and the other language below them. */
  write(card, k, { part, on, keys, now, before }) {
    const { sentences, it, adjective } = this.pair;
    const english = sentences[k].map((word, i) => (i === adjective && on.includes("swap") ? `${word} ← ${sentences[1 - k][i]}` : word));
    const said = JSON.stringify([part, english, now[k].words]);
    if (card.said === said) return;
    card.said = said;
    const fresh = newWords(before[k].words, now[k].words);
    const marked = (i) => ({
      class: i === adjective ? "mark" : part === "encoder" && i === it ? "self" : null,
    });
    const written = (i) => ({
      class: `${fresh.has(i) ? "changed" : ""} ${i === now[k].step ? "strong" : ""}`,
    });
    const own = part === "own";
    const { length } = keys[k];
    const words = own ? [...keys[k], now[k].words[length - 1] ?? "", "…"] : english;
    const dress = own ? (i) => written(i - 1) : marked;
    card.spans = words.map((word, i) => make("span", dress(i), word));
    const middle = own ? length : it;
    const halves = [card.spans.slice(0, middle), card.spans.slice(middle)];
    card.words.replaceChildren(...halves.map((half) => box("half", half)));
    card.other.replaceChildren(...(own ? inline(english, marked) : inline(now[k].words, written)));
    set(card.words, { lang: own ? "fr" : "en" });
    set(card.other, { lang: own ? "en" : "fr" });
  }

  /* The arcs: from a key, through its scissors, to what asks. */
  weave({ node, words, zone, spans, dial, dot, due, arcs, snips }, k, numbers) {
    const { part, now, before } = numbers;
    const [keys, weights] = [numbers.keys[k], numbers.weights[k]];
    const [cut, seen] = [numbers.cut[k], numbers.seen[k]];
    // Where the words need more than one line, each line has its scissors below it.
    const lineOf = keys.map((_, j) => spans[j].getBoundingClientRect().top);
    const several = lineOf.some((top) => abs(top - lineOf[0]) > 9);
    words.classList.toggle("lines", several);
    const frame = node.getBoundingClientRect();
    const under = (element, edge) => {
      const { left, right, [edge]: y } = element.getBoundingClientRect();
      return [(left + right) / 2 - frame.left, y - frame.top];
    };
    const ends = spans.map((span) => under(span, "bottom"));
    const inside = part === "encoder";
    const [x, y] = inside ? ends[this.pair.it] : under(dial.node, "top");
    const top = under(zone, "top")[1];
    const middles = ends.map(([, bottom]) => (several ? bottom + 17 : top + 16));
    const low = inside ? top + 52 : y - 18;
    // Each button below its word, but for the room of its neighbours: of all, if there is as much,
    // so that it stays when others come.
    const at = keys.map((_, j) => ends[j][0]);
    const beside = (j, i) => i in at && abs(lineOf[i] - lineOf[j]) < 9;
    const all = several || 27 * keys.length <= frame.width;
    const room = seen.map((is) => (is || all ? 13.5 : 0));
    at.forEach((_, j) => {
      at[j] = max(at[j], (beside(j, j - 1) ? at[j - 1] + room[j - 1] : 0) + room[j]);
    });
    for (const j of count(at.length).reverse()) at[j] = min(at[j], (beside(j, j + 1) ? at[j + 1] - room[j + 1] : frame.width) - room[j]);
    set(dot, { cx: one(x), cy: one(y) });
    see(set(due, { x: one(x + 8), y: one(y + 8) }), !inside);
    due.textContent = `“${now[k].words[before[k].step] ?? "nothing"}” is written`;
    const most = meant(this.state.view).head === undefined ? "largest weight" : "weight";
    snips.forEach((button, j) => {
      const is = Boolean(seen[j]);
      button.hidden = !is;
      see(arcs[j], is);
      if (!is) return;
      const [from, start] = ends[j];
      const middle = middles[j];
      const gone = cut[j] && weights[j] < 0.1;
      const points = [
        ["M", from, start],
        ["C", from, start + 10, at[j], middle - 20, at[j], middle],
        ["C", at[j], inside ? low : middle + 26, x, low, x, y],
      ];
      set(arcs[j], {
        d: points.map(([letter, ...where]) => letter + where.map(one).join(" ")).join(""),
        class: gone ? "arc cut" : "arc",
        "stroke-width": gone ? 1.5 : one(0.8 + 7 * weights[j]),
        "stroke-opacity": gone ? 1 : (0.2 + 0.8 * weights[j]).toFixed(2),
      });
      button.style.left = `${one(at[j])}px`;
      button.style.top = `${one(middle - top - 12)}px`;
      const edge = `${inside ? "it" : before[k].word} → ${apart(keys, j)}`;
      const label = cut[j] ? `restore ${edge}` : `cut ${edge}, ${most} ${two(weights[j])}`;
      set(button, { "aria-pressed": String(cut[j]), "aria-label": label, title: label });
    });
  }

  /* What was cut or changed, what became of the pronouns, and what follows. */
  words(numbers) {
    const { on, now, before } = numbers;
    const { cuts } = this.state;
    if (!on.length && !cuts.length) return this.opening(numbers);
    const names = cuts.map((cut) => this.edge(cut, before));
    const famous = cuts.filter((cut) => this.isFamous(cut));
    const both = cuts.length === 2 && famous.length === 2 && cuts[0][0] !== cuts[1][0];
    const arcs = both
      ? "both arcs of the famous picture"
      : cuts.length > 2
        ? `${cuts.length} arcs`
        : names.join(" and ") + (cuts.length === famous.length ? ", as in the famous picture" : "");
    const changes = on.map((name) => CHANGES[name][1]);
    if (on.length && cuts.length) changes.push(`${arcs} cut`);
    const what = on.length ? `With ${changes.join(" and ")}` : `You cut ${arcs}`;
    const fates = [0, 1].filter((k) => on.length || cuts.some(([of]) => of === k)).map((k) => fate(now[k], before[k]) + this.sure(now[k], before[k], k));
    const stands = this.standIn(numbers);
    return [`${what}: ${fates.join(", and ")}.`, ...this.shows(numbers, names, both), ...(stands.length ? stands : [...this.single(), ...this.leads(numbers)])].join(" ");
  }

  /* Why only one twin changes. */
  single() {
    const { cuts } = this.state;
    const [[k]] = [...cuts, []];
    const swapped = Object.keys(CHANGES).some((name) => this.state[name]);
    if (swapped || cuts.some(([of]) => of !== k)) return [];
    return ["A cut changes only its own sentence."];
  }

  /* Where the heads that are chosen look now. */
  leads({ keys, weights }) {
    const { small, head } = this.spec;
    const { view, cuts } = this.state;
    const here = cuts.some(([, of]) => of === view); // the small figure has told enough of these
    if (small ? here : !head) return [];
    const [a, b] = weights.map((row, k) => {
      const at = largest(row);
      return row[at] ? `to “${apart(keys[k], at)}”` : "nowhere";
    });
    return [`The strongest arcs now lead ${a} in sentence 1 and ${b} in sentence 2.`];
  }

  /* What is said of the French words where one of them stands in for the noun whose arc is cut. */
  standIn({ part, on, keys, now, before }) {
    const { cuts } = this.state;
    if (part !== "own" || on.length || cuts.length !== 1 || !this.isFamous(cuts[0])) return [];
    const [[k]] = cuts;
    if (now[k].word !== before[k].word) return [];
    const without = (j) => pronounOf(changed(this.pair, [], [...cuts, [k, OWN, j]], k)).word;
    if (!keys[k].some((_, j) => /^(le|la|un|une)$/.test(keys[k][j]) && without(j) !== now[k].word)) return [];
    const noun = this.pair.sentences[k][this.pair.nouns[k]];
    return [`One of the arcs leads to a French word that shows the gender of “${noun}”, too. Cut it as well, ` + `and ${before[k].word} turns.`];
  }

  opening({ part, keys, weights, before }) {
    const { small, head } = this.spec;
    const { adjective } = this.pair;
    const at = weights.map(largest);
    const [a, b] = at.map((j, k) => `“${apart(keys[k], j)}”`);
    const [il, elle] = before.map(({ word }) => word);
    const thick = small ? " An arc shows the weight of the head that looks there most." : "";
    const said = `Nothing is changed: sentence 1 gets ${il}, sentence 2 gets ${elle}.${thick}`;
    const faint = weights.flatMap((row, k) =>
      this.state.view === ALL && row[adjective] < max(...row) / 10
        ? [` The largest weight on “${keys[k][adjective]}” is ${two(row[adjective])}, so its arc is hardly visible.`]
        : [],
    );
    if (small && this.state.view !== ALL && String(at) === String(this.pair.nouns))
      return `One head looks from ${il} to ${a} and from ${elle} to ${b}, as in the famous picture. ` + "Is that how the translator decides?";
    if (!head) return [said, ...faint].join("");
    const lead = part === "encoder" ? `from “it” lead to ${a} and to ${b}` : `lead from ${il} to ${a} and from ${elle} to ${b}`;
    return [`The strongest arcs ${lead}. ${said}`, ...faint].join("");
  }

  sure({ odds, step, words }, before, k) {
    if (step < 0) return ` (“${words[before.step] ?? "nothing"}” is written in its place)`;
    const sure = this.spec.small ? ` (${sureness(odds)} sure)` : ` (log-odds ${signed(odds)})`;
    const cut = ([of, view]) => of === k && meant(view).part !== "encoder";
    const moved = step !== before.step && this.state.cuts.some(cut);
    return sure + (moved ? ", but elsewhere, where no arc is cut" : "");
  }

  /* What follows from it, as far as it was computed. */
  shows(numbers, names, both) {
    const { on, alone, points, was, weights, cut, now, before } = numbers;
    const { cuts, view } = this.state;
    const { sentences, nouns } = this.pair;
    const { small } = this.spec;
    const turned = [0, 1].filter((k) => now[k].word !== before[k].word);
    if (on.length) {
      if (on.length > 1 || cuts.length) return [];
      if (!turned.length) return ["The pronouns don’t need it."];
      return on[0] === "swap" && turned.length === 2 ? ["The adjective’s vector decides."] : [];
    }
    if (both && !turned.length) {
      const others = small && view !== ALL ? " Look at all heads." : "";
      return [`So the translator can do without these arcs.${others}`];
    }
    const why = twice((k) => {
      const mine = cuts.filter(([of]) => of === k);
      if (!mine.length) return [];
      if (now[k].step < 0 || !turned.includes(k)) return this.unread(k, mine, numbers);
      const neither = mine.length > 2 ? "None of them" : "Neither";
      const enough = cuts.length === 1 ? "This cut is enough." : alone[k] < 0 ? `${neither} does that alone.` : `${names[alone[k]]} alone does that.`;
      const told = view === pointing(this.pair); // in the last sentence
      const led = !told && points[k] === nouns[1 - k] && !mine.some((cut) => this.isFamous(cut));
      const to = `The arc of the famous picture now leads to “${sentences[k][points[k]]}”.`;
      return led ? [enough, to] : [enough];
    }).flat();
    if (!small || cuts.length > 1) return why;
    const fresh = cuts.some(([k]) => {
      const least = max(...was[k]) / 10;
      return weights[k].some((weight, j) => weight >= least && !cut[k][j] && was[k][j] < least);
    });
    return fresh ? [...why, "The new arcs are where its weight went."] : why;
  }

  /* What a pronoun that hasn't turned becomes without any English word, and why. */
  unread(k, mine, { blind, bare, now, before }) {
    const reads = mine.some(([, of]) => of === ALL) && mine.every(([, of]) => of.startsWith("cross"));
    if (!reads || !PRONOUNS.includes(blind[k])) return [];
    const every = "With every arc to an English word cut,";
    if (now[k].step < 0) return ["A cut moves weight to the arcs that are left, and here they mislead the decoder. " + `${every} ${blind[k]} is written.`];
    if (now[k].step !== before[k].step || blind[k] !== now[k].word) return [];
    const all = mine.length === this.pair.sentences[k].length;
    const noun = spelled(lastNoun(before[k]).map((key) => before[k].words[key - 1]));
    const shows = bare[k] === blind[k] ? "" : `, where “${noun}” shows the gender`;
    return [`${all ? "The" : `${every} it would still be ${now[k].word}: the`} decoder also attends to the ` + `French before it${shows}.`];
  }

  /* Whether a cut is of an arc from a pronoun to its noun. */
  isFamous([k, view, key]) {
    return meant(view).part === "cross" && key === this.pair.nouns[k];
  }

  /* A cut in words. */
  edge([k, view, key], before) {
    const { part, head } = meant(view);
    const words = part === "own" ? ["begin", ...before[k].words] : this.pair.sentences[k];
    const where = head === undefined ? "" : this.spec.small ? " in one head" : ` in ${view}`;
    return `${part === "encoder" ? "it" : before[k].word} → ${apart(words, key)}${where}`;
  }

  table({ keys, weights, was, cut, now, before }) {
    const rows = twice((k) => [
      ...keys[k].map((word, j) => [`${k + 1}. ${word}`, two(was[k][j] ?? 0), cut[k][j] ? "cut" : two(weights[k][j])]),
      [`${k + 1}. log-odds`, signed(before[k].odds), signed(now[k].odds)],
      [spelled(now[k].words)],
    ]);
    const most = meant(this.state.view).head === undefined ? "largest weight of" : "weight of";
    return [[most, "before", "now"], ...rows.flat()];
  }
}
