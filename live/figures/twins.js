/* Where the trained translator looks as it writes il or elle, as arcs, with scissors; in pairs of
sentences or in one of the reader's own. Of the page, by twins.py: pairs, each of two sentences
that differ in one word, `adjective`, with where "it" and the two nouns are. Another page can show it
`small`: one sentence, large, whose famous arc is cut once by itself. */
import { Figure } from "../core.js";
import { bar, box, circle, group, h, make, path, rect, text } from "../drawing.js";
import { abs, clamp, count, floor, largest, linear, max, min, minus, one, remembered } from "../numbers.js";
import { softmax, sum, two } from "../numbers.js";
import { faultOf, knownWords, spelled, splitWords, translator, typingBox } from "../translating.js";
import twinsCss from "./twins.css";

const PRONOUNS = ["il", "elle"]; // log-odds are of the first against the second
const OWN_WORDS = _`your own words`;
const SIDES = ["cross", "encoder"]; // the parts whose heads can be shown
const ALL = "cross, all heads";
const CHANGES = {
  // the button, and what is said when it is down
  swap: [_`swap the adjectives’ vectors`, _`the adjectives’ vectors swapped`],
  nouns: [_`cut “it” → both nouns, in the encoder`, _`“it” → both nouns cut`],
  encoder: [_`remove all attention in the encoder`, _`all attention in the encoder removed`],
};
/* Sentences to try, and what is wrong with their French. */
const TRIES = {
  "when my dog is tired, it sleeps in the house.": "",
  "the mouse is tired.": _`In French the mouse has carried something.`,
  "my dog didn't cross the street because it was too tired and wide.": _`“And wide” is missing, yet every word is near 0.9.`,
};
const UNSURE = 0.8; // less is written in bold

const signed = (x) => (Number.isFinite(x) ? minus(one(x)) : "none");
const times = (words, word) => words.filter((each) => each === word).length;

/* The step that writes il or elle, or -1. */
const pronounStep = ({ steps }) => steps.findIndex(({ token }) => PRONOUNS.includes(translator().french[token]));

/* The il or elle that a translation has now, and the log-odds where it is written. */
function pronounOf(run) {
  const step = pronounStep(run);
  const [il, elle] = PRONOUNS.map((word) => run.steps[step]?.logits[translator().french.indexOf(word)]);
  return { words: run.words, step, odds: il - elle, word: run.words[step] ?? _`neither` };
}

function fate(now, before) {
  if (now.step < 0) return _`${before.word} is gone`;
  return now.word === before.word ? _`${now.word} stays` : _`${before.word} becomes ${now.word}`;
}

/* What can be shown of a part: all its heads, or one, such as "cross 2, head 3". */
function views(side) {
  const { layers, heads } = translator();
  const single = (l) => count(heads).map((h) => `${side} ${l + 1}, head ${h + 1}`);
  return [`${side}, all heads`, ...count(layers).flatMap(single)];
}

/* What is seen of a view, whose own words stand in addresses. */
const VIEWS = { cross: _`cross`, encoder: _`encoder`, "all heads": _`all heads`, head: _`head` };
const viewSaid = (view) => view.replace(/[a-z]+( [a-z]+)?/g, (words) => VIEWS[words]);

function meant(view) {
  const [, part, layer, head] = /^(\w+)(?:, all heads| (\d), head (\d))$/.exec(view);
  return { part, ...(layer && { layer: layer - 1, head: head - 1 }) };
}

/* The pair that is chosen, or what the reader has typed, which has no twin. */
function sceneOf({ pairs }, { pair, typed }) {
  if (pair !== OWN_WORDS) return pairs.find(({ name }) => name === pair) ?? pairs[0];
  const words = splitWords(typed);
  return { sentences: [words], it: words.indexOf("it"), nouns: [], adjective: -1 };
}

/* A sentence with nothing changed. */
const plainRun = remembered((words) => translator().translate(words));

/* The edits of sentence k of a pair. A cut is [sentence, view, key]. */
function editsOf({ sentences, it, nouns }, k, cuts, on) {
  const step = pronounStep(plainRun(sentences[k]));
  const mine = cuts.filter(([of]) => of === k).map(([, view, key]) => ({ ...meant(view), key }));
  if (on.includes("nouns")) mine.push(...nouns.map((key) => ({ part: "encoder", key })));
  const removed = on.includes("encoder") ? ["encoder"] : [];
  return { cuts: mine.map((cut) => ({ ...cut, query: cut.part === "encoder" ? it : step })), removed };
}

/* What the encoder makes of a sentence; edits of the decoder make no difference. */
function encode(words, { cuts, removed }) {
  const inside = { cuts: cuts.filter(({ part }) => part === "encoder"), removed };
  return inside.cuts.length || removed.length ? translator().encode(words, inside) : plainRun(words);
}

/* What is written for sentence k. What is swapped in is the twin's, with its own edits. */
const changed = remembered((pair, on, cuts, k) => {
  const { sentences, adjective } = pair;
  const plain = plainRun(sentences[k]);
  const edits = editsOf(pair, k, cuts, on);
  let before = encode(sentences[k], edits);
  if (on.includes("swap")) {
    const { memory } = encode(sentences[1 - k], editsOf(pair, 1 - k, cuts, on));
    before = { memory: before.memory.with(adjective, memory[adjective]), maps: before.maps };
  }
  // What only the decoder's cuts change begins where the pronoun is written.
  const kept = before === plain ? max(pronounStep(plain), 0) : 0;
  return translator().translate(sentences[k], edits, { before, kept });
});

/* At each English word the weight of the head that looks there most from what asks in a run. */
function rowOf({ sentences, it }, view, k, run) {
  const { part, layer, head } = meant(view);
  const row = part === "encoder" ? it : pronounStep(plainRun(sentences[k])); // with no pronoun no row: nothing asks
  const maps = head === undefined ? run.maps[part].flat() : [run.maps[part][layer][head]];
  return sentences[k].map((_, j) => max(...maps.map((map) => map[row]?.[j] ?? 0)));
}

/* The head that looks from each pronoun at its noun, as in the famous picture. */
const pointing = remembered((pair) => {
  const weight = (view) => (words, k) => rowOf(pair, view, k, plainRun(words))[pair.nouns[k]];
  const single = views("cross").slice(1);
  return single[largest(single.map((view) => min(...pair.sentences.map(weight(view)))))];
});

/* The cuts of an arc that is shown: those of one head are of that of all heads, and the reverse. */
function takes(cuts, k, view, key) {
  const alike = (other) => meant(other).part === meant(view).part && (other === view || (other + view).includes("all"));
  return cuts.filter(([of, other, at]) => of === k && at === key && alike(other));
}

/* A word of a list, told from the same word elsewhere in it. */
const apart = (words, k) => words[k] + (times(words, words[k]) > 1 ? _` (word ${k + 1})` : "");

/* How sure it is of one pronoun against the other. */
function sureness(odds) {
  const p = 1 / (1 + Math.exp(-abs(odds)));
  return p > 0.99 ? _`over 99 %` : `${floor(100 * p)} %`;
}

/* Where a box is, which way its arcs leave it, and from which point. */
function placed(x, y, width, height, way) {
  const port = [x + (width / 2) * (1 + way[0]), y + (height / 2) * (1 + way[1])];
  return { x, y, width, height, way, port };
}
/* A point so far in front of that. */
const moved = ({ port, way }, far) => port.map((at, i) => one(at + far * way[i])).join(" ");

/* Boxes for words in a row; `toward` is where their arcs are: below, 1, or above, -1. */
function inRow(widths, wide, size, y, toward) {
  const free = wide - sum(widths);
  const gap = min(free / max(widths.length - 1, 1), size);
  const start = (free - gap * (widths.length - 1)) / 2;
  return widths.map((width, i) => placed(start + sum(widths.slice(0, i)) + gap * i, y, width, 1.9 * size, [0, toward]));
}

/* The same in a column: at the right, 1, or at the left, -1. */
const inColumn = (words, x, width, toward) => words.map((_, i) => placed(x, 25 * i, width, 23, [toward, 0]));

/* A word in its box, and at the side where no arcs are what there is to say of it. */
function boxed({ x, y, width, height, way }, size, frame, word, kind = "", note = null, noted = "") {
  const [left, top] = [x + width / 2, y + height / 2];
  const [noteX, noteY] = [left - way[0] * (width / 2 + 18), top - way[1] * (height / 2 + 10) + 4];
  return [
    rect(frame, x, y, width, height, 6),
    text(left, top + 0.35 * size, word, `mid ${kind}`),
    note && text(noteX, noteY, note, `small mid ${noted}`),
  ];
}

/* Both pronouns, and a bar from the middle towards the one that is written; dashed: before. In small
its length is how sure it is, else the log-odds. */
function gauge(x, y, zoom, odds, before, small) {
  const scale = linear(-8, 8, -84, 84);
  const reach = (odds) => scale(small ? 8 * Math.tanh(odds / 2) : clamp(odds || 0, -8, 8)); // NaN: none
  const side = odds < 0 ? 1 : 0;
  const turned = before < 0 !== odds < 0 ? "changed" : "";
  const name = (word, i) =>
    text(i ? -92 : 92, 17, word, (i ? "end " : "") + (i === side ? `said ${turned}` : "muted"), { lang: "fr" });
  const amount = small ? _`${sureness(odds)} sure` : _`log-odds ${signed(odds)}`;
  const parts = [
    bar("bar-odds", 0, reach(odds), 3, 16),
    path("line", "M0-2V24"),
    PRONOUNS.map(name),
    text(side ? -84 : 84, 36, amount, `small muted${side ? "" : " end"}`),
  ];
  const none = text(0, 16, _`no il or elle is written now`, "small mid");
  const ghost = !(abs(odds - before) < 0.05) && bar("ghost", 0, reach(before), 1, 20);
  const transform = `translate(${one(x)} ${one(y)}) scale(${zoom.toFixed(2)})`;
  return h("g", { class: "gauge", transform }, ghost, Number.isFinite(odds) ? parts : none);
}

const BLADE = "M-2 2.5 6.5-5M-6.1 4a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0-4.6 0"; // the other one is its mirror image

export default class Twins extends Figure {
  static title = _`Which arc decides between il and elle?`;
  static hint = _`which arc or button turns a pronoun? Press it again to undo that. Then choose heads or write your own.`;
  static style = twinsCss;
  static data = "translator"; // it begins when its weights are there
  static measured = true;
  static moves = ["weights", "odds"];
  static kept = ["pair", "view", "typed"]; // Reset undoes cuts and changes

  static compute(spec, state) {
    const scene = sceneOf(spec, state);
    const { sentences } = scene;
    const { view, cuts } = state;
    const { part } = meant(view);
    const own = state.pair === OWN_WORDS;
    const fault = own ? faultOf(sentences[0]) : "";
    if (fault) return { own, fault, sentences, weights: [], odds: [] };
    const on = Object.keys(CHANGES).filter((name) => state[name]);
    const plain = sentences.map((words) => plainRun(words));
    const runs = sentences.map((_, k) => changed(scene, on, cuts, k));
    const [before, now] = [plain, runs].map((each) => each.map(pronounOf));
    const [was, weights] = [plain, runs].map((each) => each.map((run, k) => rowOf(scene, view, k, run)));
    const cut = sentences.map((words, k) => words.map((_, j) => takes(cuts, k, view, j).length > 0));
    const asked = view === ALL ? scene.adjective : -1; // can be cut even where no head looks
    const seen = sentences.map((words, k) => {
      const least = max(...was[k], ...weights[k], 1e-9) / 10;
      return words.map((_, j) => cut[k][j] || j === asked || max(was[k][j], weights[k][j]) >= least);
    });
    const shown = spec.small ? [state.twin] : count(sentences.length);
    const odds = now.map((each) => each.odds);
    const chances = runs.map(({ words, steps }) => words.map((_, i) => softmax(steps[i].logits)[steps[i].token]));
    return { ...scene, own, fault, part, on, was, weights, cut, seen, now, before, shown, odds, chances };
  }

  get hint() {
    return this.spec.small && _`look at all heads, and cut the arc that decides.`;
  }

  controls() {
    const { pairs, small } = this.spec;
    this.state.cuts = [];
    const row = (kind, ...children) => make("div", { class: `controls ${kind}` }, children);
    if (small) {
      const [pair] = pairs;
      const famous = [pointing(pair), _`one head, as in the famous picture`];
      const all = [ALL, _`all ${views("cross").length - 1} heads`];
      const twins = pair.sentences.map((words, k) => [k, _`too ${words[pair.adjective]}`]);
      this.below = row("", this.pressed("view", [famous, all], famous[0]), this.pressed("twin", twins, 0));
      return [];
    }
    const changes = Object.entries(CHANGES).map(([name, [label]]) => this.pressed(name, [[true, label]], false));
    this.below = row("changes", changes);
    const both = [0, 1].map((k) => [k, _`sentence ${k + 1}`]);
    this.which = row("which", this.pressed("twin", both, 0));
    const write = (typed) => this.change("typed", typed);
    const [input, show] = typingBox(write);
    const typed = this.control("typed", _`in English`, Object.keys(TRIES)[0], input, () => show(this.state.typed));
    const tries = Object.keys(TRIES).map((each) => this.button(each, () => write(each)));
    this.typing = make("div", {}, row("typed", typed), row("tries", tries));
    return [
      this.choice("pair", _`sentences`, [...pairs.map(({ name }) => name), OWN_WORDS]),
      this.choice("view", _`arcs of`, SIDES.flatMap(views), undefined, viewSaid),
    ];
  }

  /* With other words, a cut or a change would mean something else. */
  change(name, value) {
    const anew = name === "pair" || name === "typed" ? { cuts: [], swap: false, nouns: false, encoder: false } : {};
    this.become({ ...anew, [name]: value });
  }

  snip(k, key) {
    const { cuts, view } = this.state;
    const taken = takes(cuts, k, view, key);
    const others = cuts.filter((cut) => !taken.includes(cut));
    this.change("cuts", taken.length ? others : [...others, [k, view, key]]);
  }

  /* In small the arc of the famous picture is cut by itself, once. */
  play() {
    if (this.spec.small) this.clock = setTimeout(() => this.snip(0, this.spec.pairs[0].nouns[0]), 2000);
  }

  stop() {
    clearTimeout(this.clock);
  }

  /* Each kind of panel has a place of its own, as it keeps the room that it once needed. */
  view(numbers) {
    const panel = box("panels alone", numbers.fault ? [] : this.pictures(numbers));
    if (numbers.own) return [this.typing, null, panel, this.say, knownWords()];
    return [this.narrow(numbers) && this.which, panel, this.below, !this.spec.small && this.say];
  }

  /* A phone shows a pair one sentence at a time, so that what is pressed and what it does are in view. */
  narrow({ own }) {
    return !own && !this.spec.small && this.stage.clientWidth < 500;
  }

  /* The words of sentence k: English, French as it is now, and as it was. */
  lines(k, { sentences, now, before }) {
    const french = ({ words }) => [...words, ...(words.length > before[k].step ? [] : [_`(end)`])];
    return [sentences[k], french(now[k]), french(before[k])];
  }

  /* English and French in two rows of boxes, if they fit; else in two columns. */
  pictures(numbers) {
    const { small } = this.spec;
    const wide = this.stage.clientWidth || 720;
    const pen = make("canvas").getContext("2d");
    const { fontFamily } = getComputedStyle(this.stage);
    const widths = (words, size) => {
      pen.font = `600 ${size}px ${fontFamily}`;
      return words.map((word) => max(pen.measureText(word).width + 0.7 * size, small ? 34 : 27));
    };
    const fits = (size) => (words) => sum(widths(words, size)) + 4 * words.length <= wide;
    // With room for a longer pronoun, so that nothing else changes with it.
    const longer = (words, i) => (i < 2 ? words : [...words, "elle"]);
    const all = numbers.sentences.flatMap((_, k) => this.lines(k, numbers).map(longer));
    const sizes = count(small ? 13 : 5).map((i) => (small ? 25 : 17) - i);
    const size = sizes.find((size) => all.every(fits(size)));
    const [depth, top] = small ? [132, 0] : [84, numbers.own ? 0 : 18]; // above is room for what is swapped in
    const lay = ([english, french]) => {
      const [left, right] = [english, french].map((words) => max(...widths(words, 15)));
      const behind = numbers.own ? 38 : 0; // are probabilities
      if (!size) return [inColumn(english, 0, left, 1), inColumn(french, wide - right - behind, right, -1)];
      const row = (words, y, toward) => inRow(widths(words, size), wide, size, y, toward);
      return [row(english, top, 1), row(french, top + 1.9 * size + depth, -1)];
    };
    const shown = this.narrow(numbers) ? numbers.shown.filter((k) => k === this.state.twin) : numbers.shown;
    return shown.map((k) => this.picture(k, numbers, lay(this.lines(k, numbers)), size ?? 15, wide));
  }

  /* One sentence: English, arcs with their scissors, French, and the bar of its pronoun. */
  picture(k, numbers, [above, below], size, wide) {
    const { own, it, part, cut, seen, odds, sentences, now, before } = numbers;
    const { small } = this.spec;
    const due = min(before[k].step, below.length - 1);
    const asks = part === "encoder" ? above[it] : below[due];
    const rows = !above[0].way[0];
    const depth = below[0].port[+rows] - above[0].port[+rows];
    const bend = depth * (part === "cross" ? 0.5 : rows ? 0.9 : 0.6);
    const end = max(...[...above, ...below].map(({ y, height }) => y + height)) + (own && rows ? 28 : 10);
    const x = rows && due >= 0 ? below[due].port[0] : wide / 2;
    const zoom = min(small ? 1.25 : 1, wide / 280);
    // Each arc keeps its place, and so the focus.
    const layer = (draw) => h("g", {}, [above.map((from, j) => seen[k][j] && draw(from, j))]);
    const place = rows ? [x - 0.32 * wide, end + 24] : [x, end - 50]; // beside the bar, and on no arc
    const stamped = `${now[k].word === before[k].word ? _`still` : _`now`} ${now[k].word}`;
    const stamp = h("g", { class: "stamp" }, rect("", -52, -18, 104, 36, 8), text(0, 7, stamped, "mid"));
    const label = _`“${spelled(sentences[k])}” in French: “${spelled(now[k].words)}”`;
    return group(wide, due < 0 ? end : end + (small ? 50 : 42), label, { class: "weave" }, [
      layer((from, j) => this.arc(k, j, numbers, from, asks, bend)),
      this.boxes(k, numbers, above, below, size, due),
      layer((from, j) => this.scissors(k, j, numbers, from)),
      due >= 0 && gauge(clamp(x, 140 * zoom, wide - 140 * zoom), end, zoom, odds[k], before[k].odds, small),
      small && cut[k].includes(true) && h("g", { transform: `translate(${place.map(one)}) rotate(-8)` }, stamp),
    ]);
  }

  boxes(k, numbers, above, below, size, due) {
    const { own, it, adjective, part, on, sentences, chances } = numbers;
    const [english, french, was] = this.lines(k, numbers);
    const fresh = (i) => times(french.slice(0, i + 1), french[i]) > times(was, french[i]);
    const left = (at, i) => {
      const frame = part === "encoder" && i === it ? "asks" : i === adjective ? "rim twin" : "rim";
      const twin = i === adjective && on.includes("swap") ? sentences[1 - k][i] : null;
      if (twin && at.way[0]) return boxed(at, size, frame, `← ${twin}`);
      return boxed(at, size, frame, english[i], "", twin && _`vector of “${twin}”`);
    };
    const right = (at, i) => {
      const kind = fresh(i) ? "changed strong" : i === due ? "strong" : "";
      const p = own ? chances[k][i] : undefined; // the end has none
      const chance = p === undefined ? null : two(p);
      return boxed(at, size, i === due ? "asks" : "rim", french[i], kind, chance, p < UNSURE ? "strong" : "muted");
    };
    return h("g", { style: `font-size:${size}px` }, above.map(left), h("g", { lang: "fr" }, below.map(right)));
  }

  /* From a key, through its scissors, to what asks; in small it falls when it is cut. */
  arc(k, j, { cut, weights }, from, to, bend) {
    const { small } = this.spec;
    const near = small ? 26 : 21;
    const weight = weights[k][j];
    const gone = cut[k][j] && weight < 0.1;
    const on = from === to ? "" : `C${moved(from, near + bend)} ${moved(to, bend)} ${moved(to, 0)}`;
    const d = `M${moved(from, 0)}L${moved(from, near)}${on}`;
    const [width, opacity] = gone ? [1.5, null] : [one(0.8 + 7 * weight), (0.2 + 0.8 * weight).toFixed(2)];
    const about = { "stroke-width": width, "stroke-opacity": opacity, onclick: () => this.snip(k, j) };
    const falls = small && cut[k][j] && path("arc fall", d, { "stroke-width": 7 });
    return [path(gone ? "arc cut dashed" : "arc", d, about), falls];
  }

  scissors(k, j, numbers, from) {
    const { small } = this.spec;
    const pressed = numbers.cut[k][j];
    const { view } = this.state;
    const edge = this.edge([k, view, j], numbers);
    const label = pressed ? _`restore ${edge}` : _`cut ${edge}, ${this.weight} ${two(numbers.weights[k][j])}`;
    const transform = `translate(${moved(from, small ? 26 : 21)}) scale(${small && !from.way[0] ? 1.25 : 1})`;
    const about = { class: "snip", "aria-pressed": String(pressed), "aria-label": label, transform };
    const taken = takes(this.state.cuts, k, view, j);
    const few = view.includes("all") && pressed && !taken.some(([, other]) => other === view); // not in all heads
    const [x, y, kind] = from.way[0] ? [16, 4, ""] : [0, 25, "mid"];
    const some = few && text(x, y, _`${taken.length} of ${views(numbers.part).length - 1}`, `small halo ${kind}`);
    const blades = [1, -1].map((side) => path("edge blade", BLADE, { transform: `scale(1 ${side})` }));
    return this.pressable(() => this.snip(k, j), about, null, circle("rim", 12), blades, some);
  }

  /* What was cut or changed, and what became of the pronouns. */
  words(numbers) {
    const { shown, fault, on, nouns, now, before } = numbers;
    if (fault) return _`${fault} The words that it knows are listed below.`;
    const cuts = this.state.cuts.filter(([k]) => shown.includes(k));
    if (!on.length && !cuts.length) return this.opening(numbers);
    const arcs = cuts.length > 2 ? _`${cuts.length} arcs` : cuts.map((cut) => this.edge(cut, numbers)).join(_` and `);
    const changes = [...on.map((name) => CHANGES[name][1]), ...(arcs ? [_`${arcs} cut`] : [])];
    const what = on.length ? _`With ${changes.join(_` and `)}` : _`Without ${arcs}`;
    const touched = shown.filter((k) => on.length || cuts.some(([of]) => of === k));
    const fates = touched.map((k) => fate(now[k], before[k]) + this.sure(now[k]));
    const famous = cuts.every(([k, view, key]) => meant(view).part === "cross" && key === nouns[k]);
    const spared = !on.length && famous && shown.every((k) => now[k].word === before[k].word);
    const turned = this.spec.small && cuts.length === 1 && now[cuts[0][0]].word !== before[cuts[0][0]].word;
    const looked = this.state.view === ALL;
    const leadsOn = looked
      ? _` Which other arc decides?`
      : _` The new arcs are where its weight went. Look at all heads.`;
    const arc = cuts.length > 1 ? _`these arcs` : _`this arc`;
    const without = _` It can do without ${arc}.${this.spec.small ? leadsOn : ""}`;
    const last = spared ? without : turned ? _` The famous arc could go. This one couldn't.` : "";
    return `${what}: ${fates.join(_`, and `)}.${last}`;
  }

  /* What there is to see before anything is cut or changed. */
  opening({ own, now, before }) {
    const { view, typed, twin } = this.state;
    if (this.spec.small) {
      const asks = _`As it writes ${before[twin].word},`;
      if (view === ALL)
        return _`${asks} its heads look at many words. Each arc shows the weight of the head that looks there most. Which one decides?`;
      const [pair] = this.spec.pairs;
      return _`${asks} one head looks at “${pair.sentences[twin][pair.nouns[twin]]}”, as in the famous picture. Is that how the translator decides?`;
    }
    if (!own) return _`Nothing is changed: sentence 1 gets ${before[0].word}, sentence 2 gets ${before[1].word}.`;
    const [{ words, step }] = now;
    const none = step < 0 ? _`It has no il or elle, so there are no arcs.` : "";
    return _`It writes: “${spelled(words)}” ${TRIES[typed] || none}`;
  }

  sure({ odds, step }) {
    if (step < 0) return "";
    return this.spec.small ? _` (${sureness(odds)} sure)` : _` (log-odds ${signed(odds)})`;
  }

  /* A cut in words. */
  edge([k, view, key], { sentences, before }) {
    const { part, head } = meant(view);
    const where = head === undefined ? "" : this.spec.small ? _` in one head` : _` in ${viewSaid(view)}`;
    return `${part === "encoder" ? "it" : before[k].word} → ${apart(sentences[k], key)}${where}`;
  }

  get weight() {
    return meant(this.state.view).head === undefined ? _`largest weight` : _`weight`;
  }

  table({ fault, shown, sentences, weights, was, cut, now, before }) {
    const rowsOf = (k) => [
      ...sentences[k].map((word, j) => [`${k + 1}. ${word}`, two(was[k][j]), cut[k][j] ? _`cut` : two(weights[k][j])]),
      [_`${k + 1}. log-odds`, signed(before[k].odds), signed(now[k].odds)],
    ];
    return [[_`${this.weight} of`, _`before`, _`now`], ...(fault ? [] : shown.flatMap(rowsOf))];
  }
}
