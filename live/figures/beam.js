/* Greedy decoding and beam search by the trained translator, step by step, as a tree: the words that are
kept, and the best that is dropped. Of the page: sentences, 1 to 4 lists of English words of its
vocabulary, readers type others; width, 1 to 3 hypotheses that are kept at the start, of which 1 is
greedy decoding. */
import {
  Figure,
  box,
  circle,
  clamp,
  count,
  group,
  h,
  log,
  make,
  max,
  min,
  minus,
  one,
  path,
  rect,
  set,
  sum,
  text,
  two,
} from "../core.js";
import { ENGINE_LONGEST, ENGINE_TOKENS } from "../engine.js";
import { faultOf, inline, knownWords, newWords, spelled, splitWords, translator, typingBox } from "../translating.js";
import beamCss from "./beam.css";

const BEAM_WIDTHS = [1, 2, 3];
const BEAM_LEGEND =
  "Thicker line: more likely. Struck out: the best that is dropped. ■: the sentence ends. The model knows a toy grammar, and writes French for whatever words of its vocabulary it gets.";
const TREE_LANES = ["best", "second", "third"];

/* The hypothesis that nothing is written yet. */
function emptyHypothesis(words) {
  const engine = translator();
  const { memory } = engine.encode(words);
  const caches = count(engine.layers).map((layer) => ({
    cross: engine.seenBy(layer, memory),
    own: { keys: [], values: [] },
  }));
  return { tokens: [], owns: [], sum: 0, caches };
}

/* The most likely continuations of a hypothesis, found once for all searches. After its end there is
only padding, at no cost. */
function continued(hypothesis) {
  const { tokens, owns, sum: before, ended } = hypothesis;
  if (ended) return [{ ...hypothesis, stays: true }];
  if (hypothesis.next) return hypothesis.next;
  const engine = translator();
  const caches = hypothesis.caches.map(({ cross, own }) => ({
    cross,
    own: { keys: [...own.keys], values: [...own.values] },
  }));
  const last = tokens.at(-1) ?? ENGINE_TOKENS.bos;
  const logits = engine.step(last, tokens.length, caches, engine.maps("own", "cross"), {});
  const top = max(...logits);
  const total = top + log(sum(logits.map((logit) => Math.exp(logit - top))));
  const order = [...logits.keys()].sort((a, b) => logits[b] - logits[a]);
  hypothesis.next = order.slice(0, BEAM_WIDTHS.at(-1) + 1).map((token) => {
    const own = logits[token] - total;
    const ended = token === ENGINE_TOKENS.eos;
    const longer = { tokens: [...tokens, token], owns: [...owns, own], sum: before + own };
    return { ...longer, ended, stays: false, caches };
  });
  return hypothesis.next;
}

/* What is kept in each step, best first, and behind it the best that is dropped. */
function beamSearch(start, width, divide) {
  const score = ({ tokens, sum }) => (divide ? sum / tokens.length : sum);
  const steps = [];
  let kept = [start];
  while (steps.length < ENGINE_LONGEST) {
    const candidates = kept.flatMap((each, from) =>
      continued(each).map((next) => ({ next, from, score: score(next) })),
    );
    candidates.sort((a, b) => b.score - a.score);
    steps.push(
      candidates.slice(0, width + 1).map(({ next, from, score }, k) => {
        const { tokens, owns, sum, ended, stays } = next;
        return { tokens, owns, sum, score, from, kept: k < width, ended, stays };
      }),
    );
    kept = candidates.slice(0, width).map(({ next }) => next);
    // Sums only fall, so nothing overtakes what has ended; a mean over tokens may rise again.
    if (divide ? kept.every(({ ended }) => ended) : kept[0].ended) break;
  }
  return steps;
}

/* The width of a word that is drawn, in px. */
const widthOf = (word) =>
  sum([...word].map((letter) => (/[mw]/.test(letter) ? 12.6 : /[ijlrtf'’.,]/.test(letter) ? 5 : 8)));

export default class Beam extends Figure {
  static title = "The likeliest next word, or the likeliest sentence?";
  static hint =
    "where does the branch that greedy decoding drops take the lead? In the second sentence, what does dividing by the length bring back?";
  static style = beamCss;
  static data = "translator"; // it begins when its weights are there
  static measured = true;

  static compute(_, { sentence, width, divide, step }) {
    const typed = splitWords(sentence);
    const words = !typed.length || /[.?]/.test(typed.at(-1)) ? typed : [...typed, "."];
    const fault = faultOf(words);
    if (fault) return { words, fault, steps: [], results: [], at: 0 };
    const engine = translator();
    const start = engine.once(["beam", words], () => emptyHypothesis(words));
    const searches = BEAM_WIDTHS.map((k) => beamSearch(start, k, divide));
    const results = searches.map((steps) => {
      const best = steps.at(-1)[0];
      const written = best.tokens.filter((token) => token > ENGINE_TOKENS.eos);
      return { ...best, french: written.map((token) => engine.french[token]) };
    });
    const steps = searches[BEAM_WIDTHS.indexOf(width)];
    return { words, fault, steps, results, at: step > 0 && step < steps.length ? step : steps.length };
  }

  controls() {
    const { sentences, width = 2 } = this.spec;
    const said = sentences.map((words) => spelled(words).replace(" ?", "?"));
    this.tries = said;
    const [input, show] = typingBox((sentence) => this.write(sentence));
    const typed = this.control("sentence", "in English", said[0], input, () => show(this.state.sentence));
    Object.assign(this.state, { width, focus: null, lock: null });
    this.steps = [1, ENGINE_LONGEST]; // those of the search; the last is its end
    const slider = this.slider(
      "step",
      "step",
      this.steps,
      ENGINE_LONGEST,
      (step) => `${this.steps.indexOf(step) + 1} of ${this.steps.length}`,
    );
    this.range = slider.querySelector("input");
    this.say = make("p", { class: "say", "aria-live": "polite" });
    const walk = this.together(this.player("step", this.steps, 1100), slider);
    set(walk, { oninput: () => this.stop() });
    this.inputs = [
      box("controls typed", typed),
      box("controls", walk, this.toggle("divide", "divide by the length", false)),
    ];
    return []; // they stand in the view, the sentence first
  }

  write(sentence) {
    this.stop();
    this.state.step = ENGINE_LONGEST; // the end
    this.change("sentence", sentence);
  }

  /* In another tree, what was pressed would be another word. */
  change(name, value) {
    if (name !== "focus" && name !== "lock") this.state.lock = null;
    super.change(name, value);
  }

  /* The slider has as many steps as the search. */
  paint(numbers) {
    const inner = count(max(numbers.steps.length - 1, 0)).map((k) => k + 1);
    this.steps.splice(0, Infinity, ...inner, ENGINE_LONGEST);
    if (!this.steps.includes(this.state.step)) this.state.step = ENGINE_LONGEST;
    set(this.range, { max: this.steps.length - 1 });
    this.show.step();
    super.paint(numbers);
  }

  /* The step and the lane of the token that is pointed at or kept; else of the best one now. */
  chosen({ steps, at }) {
    const [i, lane] = this.state.focus ?? this.state.lock ?? [];
    return i < at && steps[i][lane] ? [i, lane] : [at - 1, 0];
  }

  view(numbers) {
    const { sentence } = this.state;
    const presets = this.tries.map((each) =>
      h("button", { type: "button", "aria-pressed": String(each === sentence), onclick: () => this.write(each) }, each),
    );
    const [typed, walk] = this.inputs;
    return [
      typed,
      box("controls tries change", presets),
      walk,
      box("panels alone", numbers.fault ? [] : [this.tree(numbers), this.outcomes(numbers)]),
      this.say,
      knownWords(),
      h("p", { class: "legend" }, BEAM_LEGEND),
    ];
  }

  /* What each width has found, from the word before they part. */
  outcomes({ results }) {
    const greedy = results[0].french;
    const common = greedy.findIndex((word, i) => results.some(({ french }) => french[i] !== word));
    const cut = max(common - 1, 0);
    const outcome = ({ french, score }, k) => {
      const changed = newWords(greedy, french);
      const words = inline(french.slice(cut), (i) => ({ class: changed.has(i + cut) ? "changed" : null }));
      const width = BEAM_WIDTHS[k];
      return h(
        "button",
        {
          type: "button",
          class: "outcome",
          "aria-pressed": String(width === this.state.width),
          onclick: () => this.change("width", width),
        },
        h("span", {}, k ? `width ${width}` : "greedy"),
        k && common < 0 ? h("span", {}, "the same") : h("span", { lang: "fr" }, cut ? "… " : "", words),
        h("span", { class: "strong" }, this.said(score)),
      );
    };
    const score = `log-probability${this.state.divide ? " per token" : ", the sum over the tokens: higher is likelier"}`;
    return box("change outcomes", h("div", { class: "legend score" }, score), results.map(outcome));
  }

  said(score) {
    return minus(score.toFixed(this.state.divide ? 3 : 2)) + (this.state.divide ? " a token" : "");
  }

  /* Steps by lanes: lanes of hypotheses by rank, and one for the best that is dropped. Where there is
  room steps go to the right, each as wide as its widest word; else they go down. */
  tree(numbers) {
    const { steps, at } = numbers;
    const lanes = this.state.width + 1;
    const room = this.stage.clientWidth || 716;
    const wordOf = ({ tokens }) => translator().french[tokens.at(-1)];
    const wide = (each) => (each.ended ? 14 : 8 + widthOf(wordOf(each)));
    let words = steps.map((step) => max(...step.map(wide)));
    let gap = clamp((room - 70 - sum(words)) / words.length, 6, 26); // between two words
    const width = max(room, 70 + sum(words) + gap * words.length);
    const tall = room < 620 || width > 1.13 * room; // smaller, it couldn't be read
    if (tall) [words, gap] = [steps.map(() => 26), 20];
    const half = (each) => (tall ? 26 : wide(each)) / 2;
    const along = (i) =>
      i < 0 ? (tall ? 24 : 62) : (tall ? 26 : 66) + sum(words.slice(0, i)) + gap * (i + 1) + words[i] / 2;
    const across = (lane) => (tall ? (room / lanes) * (lane + 0.5) : 22 + 56 * lane);
    const place = (a, b) => (tall ? [b, a] : [a, b]);

    // Whose continuations are among those that are kept now, and the way to the token that is chosen.
    const alive = steps.slice(0, at).map((step) => step.map(() => false));
    alive[at - 1] = steps[at - 1].map(({ kept }) => kept);
    for (let i = at - 1; i > 0; i--) steps[i].forEach((each, lane) => (alive[i - 1][each.from] ||= alive[i][lane]));
    const way = [];
    let [last, lane] = this.chosen(numbers);
    for (let i = last; i >= 0; i--) {
      way[i] = lane;
      lane = steps[i][lane].from;
    }

    const kindOf = (each, i, lane) =>
      way[i] === lane ? " first" : alive[i][lane] ? "" : each.kept ? " lost" : " lost dropped";
    const line = (each, i, lane) => {
      const [a, b] = i ? [along(i - 1) + half(steps[i - 1][each.from]), across(each.from)] : [along(-1) + 4, across(0)];
      const [c, d] = [along(i) - half(each), across(lane)];
      const bend = (a + c) / 2;
      const curve = `M${place(a, b).map(one)}C${place(bend, b).map(one)} ${place(bend, d).map(one)} ${place(c, d).map(one)}`;
      const chance = each.stays ? 0 : Math.exp(each.owns.at(-1)); // padding is certain, and nothing is written
      return path(`arc${kindOf(each, i, lane)}`, curve, { "stroke-width": one(1 + 5 * chance) });
    };
    const node = (each, i, lane) => {
      const [x, y] = place(along(i), across(lane));
      const on = (what) => () => this.focus(what);
      const about = {
        class: `node${kindOf(each, i, lane)}`,
        "aria-label": this.soFar(each.tokens) + (each.ended ? ", the end" : ""),
      };
      return this.pressable(
        () => this.lock([i, lane]),
        { ...about, onpointerenter: on([i, lane]), onpointerleave: on(null), onfocus: on([i, lane]), onblur: on(null) },
        [lane, i, lanes, at],
        rect("under", x - words[i] / 2, y - 13, words[i], 26, 6),
        each.ended ? rect("end-mark", x - 6, y - 6, 12, 12, 1) : text(x, y + 5, wordOf(each), "mid"),
      );
    };
    const drawn = steps.slice(0, at);
    const layer = (draw) =>
      h(
        "g",
        {},
        drawn.map((step, i) => step.map((each, lane) => draw(each, i, lane))),
      );
    this.stop_at = min(this.stop_at ?? 0, lanes * at - 1);
    const names = [...TREE_LANES.slice(0, lanes - 1), "dropped"];
    return group(
      tall ? room : width,
      tall ? along(steps.length - 1) + 26 : across(lanes - 1) + 20,
      `The search as a tree, from ${tall ? "top to bottom" : "left to right"}`,
      {},
      names.map((name, lane) =>
        tall ? text(across(lane), 12, name, "small mid muted") : text(0, across(lane) + 4, name, "small muted"),
      ),
      circle("", 3, ...place(along(-1), across(0))),
      layer(line),
      layer(node),
    );
  }

  words(numbers) {
    const { fault, steps, results, at } = numbers;
    const { focus, lock, width } = this.state;
    if (fault) return `${fault} The words that it knows are listed below.`;
    if (focus ?? lock) return this.tokenSaid(numbers);
    const [best] = steps[at - 1];
    const said = `${this.soFar(best.tokens)}, ${this.said(best.score)}.`;
    if (at === steps.length)
      return `${width > 1 ? `Width ${width}` : "Greedy decoding"} writes ${said}${this.parting(results[0], best)}`;
    const before = at > 1 ? steps[at - 2].filter(({ kept }) => kept) : [{}];
    const candidates = sum(before.map(({ ended }) => (ended ? 1 : translator().french.length)));
    return `Step ${at}: of ${candidates} candidates, ${width > 1 ? `the ${width} best stay` : "the best stays"}. Best so far: ${said}`;
  }

  soFar(tokens) {
    const { french } = translator();
    return `“${spelled(tokens.filter((t) => t > ENGINE_TOKENS.eos).map((t) => french[t]))}”`;
  }

  token(token) {
    return token === ENGINE_TOKENS.eos ? "the end" : `“${translator().french[token]}”`;
  }

  /* A token that is pointed at: its own log-probability, and the score that ranks it. */
  tokenSaid(numbers) {
    const [i, lane] = this.chosen(numbers);
    const { tokens, owns, score, kept, stays } = numbers.steps[i][lane];
    const own = `the log-probability of ${this.token(tokens.at(-1))} is ${stays ? 0 : two(owns.at(-1))}`;
    return `${this.soFar(tokens)}: ${own}. The ${this.state.divide ? "mean" : "sum"} so far is ${this.said(score)}, ${kept ? "kept" : "and dropped"}.`;
  }

  /* Where greedy decoding takes another token than what was found. */
  parting(greedy, found) {
    const at = greedy.tokens.findIndex((token, i) => token !== found.tokens[i]);
    if (at < 0) return this.state.width > 1 ? " Greedy decoding writes the same." : "";
    const chances = [greedy, found].map(({ owns }) => Math.exp(owns[at]));
    const digits = two(chances[0]) === two(chances[1]) ? 3 : 2;
    const [takes, not] = [greedy, found].map(
      ({ tokens }, k) => `${this.token(tokens[at])}, ${chances[k].toFixed(digits)}`,
    );
    return ` At token ${at + 1} greedy decoding takes ${takes}, and not ${not}, and ends at ${this.said(greedy.score)}.`;
  }

  table({ steps, at }) {
    const head = ["hypothesis", "its last token", "sum", "a token", "kept"];
    const rows = (steps[at - 1] ?? []).map(({ tokens, owns, sum, kept, ended, stays }) => [
      `${this.soFar(tokens)}${ended ? " ■" : ""}`,
      stays ? "0" : two(owns.at(-1)),
      two(sum),
      minus((sum / tokens.length).toFixed(3)),
      kept ? "kept" : "dropped",
    ]);
    return [head, ...rows];
  }
}
