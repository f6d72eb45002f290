/* Greedy decoding and beam search, run by the trained translator and drawn as a tree. */
import { Figure, box, circle, count, drawing, log, make, max, min, minus, one, path, rect, set, sum, text, two } from "../core.js";
import { ENGINE_LONGEST, ENGINE_TOKENS } from "../engine.js";
import { OTHER_KIND, hasPattern } from "../patterns.js";
import { faultOf, inline, knownWords, newWords, spelled, splitWords, translator, typingBox } from "../translating.js";
import translatingCss from "../translating.css";
import beamCss from "./beam.css";

const BEAM_WIDTHS = [1, 2, 3];
const TREE_STEPS = 9; // steps that are drawn, the last ones
const EXAMPLES = "such as “my dog sleeps in the house” or “the girls see an owl and follow it”";
const TREE_LANES = ["best", "second", "third"];

/* The hypothesis that nothing is written yet. */
function emptyHypothesis(words) {
  const engine = translator();
  const states = engine.encode(words).stages.at(-1);
  const caches = count(engine.layers).map((layer) => {
    const cross = { keys: [], values: [] };
    for (const state of states) engine.keep(cross, `decoder.${layer}.cross_attention`, state);
    return { cross, own: { keys: [], values: [] } };
  });
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
    const candidates = kept.flatMap((each, from) => continued(each).map((next) => ({ next, from, score: score(next) })));
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

/* About half the width of a word in bold letters. */
const halfWidth = (word) => sum([...word].map((letter) => (/[mw]/.test(letter) ? 6.3 : /[ijlrtf'’.,]/.test(letter) ? 2.7 : 4.3)));

/* Two numbers with as many digits as tell them apart. */
function toldApart(a, b, digits) {
  while (digits < 6 && a.toFixed(digits) === b.toFixed(digits)) digits++;
  return [a, b].map((x) => minus(x.toFixed(digits)));
}

export default class Beam extends Figure {
  static style = translatingCss + beamCss;
  static data = "translator"; // it begins when its weights are there
  static moves = ["from"];
  static rest = 500; // ms without a key after which a word is whole

  static compute({ patterns }, { sentence, width, divide, step }) {
    const typed = splitWords(sentence);
    // A mark that is missing at the end is added.
    const whole = ["", ".", "?"].map((mark) => [...typed, mark].filter(Boolean));
    const found = whole.find((each) => hasPattern(patterns, each));
    const words = found ?? typed;
    const fault = faultOf(words);
    if (fault) return { words, fault, steps: [], results: [], at: 0, from: 0 };
    const engine = translator();
    const start = engine.once(["beam", words], () => emptyHypothesis(words));
    const searches = BEAM_WIDTHS.map((k) => beamSearch(start, k, divide));
    const results = searches.map((steps) => {
      const best = steps.at(-1)[0];
      const written = best.tokens.filter((token) => token > ENGINE_TOKENS.eos);
      return { ...best, french: written.map((token) => engine.french[token]) };
    });
    const steps = searches[BEAM_WIDTHS.indexOf(width)];
    const at = step > 0 && step < steps.length ? step : steps.length;
    return { words, fault, other: !found, steps, results, at, from: max(0, at - TREE_STEPS) };
  }

  build() {
    const { sentences, width } = this.spec;
    const write = (sentence) => {
      this.stop();
      this.state.step = ENGINE_LONGEST; // the end
      this.change("sentence", sentence);
    };
    this.typing = typingBox(
      () => Beam.rest,
      write,
      () => this.panel.classList.add("stale"),
    );
    const said = sentences.map((words) => spelled(words).replace(" ?", "?"));
    const show = () => this.typing.show(this.state.sentence);
    const typed = this.control("sentence", "in English", said[0], this.typing.input, show);
    this.tries = said.map((each) => this.button(each, () => write(each)));
    this.state.width = width;
    this.outcomes = BEAM_WIDTHS.map((k) => {
      const [french, score] = [make("span", { lang: "fr" }), make("span", { class: "sum" })];
      const label = make("span", {}, k > 1 ? `width ${k}` : "greedy");
      const choose = () => this.change("width", k);
      const button = make("button", { type: "button", class: "outcome", onclick: choose });
      button.append(label, french, score);
      return { button, french, score };
    });
    this.steps = [1, ENGINE_LONGEST]; // those of the search; the last is its end
    const at = (step) => `${this.steps.indexOf(step) + 1} of ${this.steps.length}`;
    const slider = this.slider("step", "step", this.steps, ENGINE_LONGEST, at);
    this.range = slider.querySelector("input");
    const play = this.player("step", this.steps, 1100);
    this.wide = set(drawing(716, 100, "The search as a tree, from left to right"), {
      class: "wide-tree",
    });
    this.tall = set(drawing(345, 100, "The search as a tree, from top to bottom"), {
      class: "tall",
    });
    this.panel = box("panels alone", this.wide, this.tall);
    this.legend = make("p", { class: "legend" });
    this.say = make("p", { class: "say", "aria-live": "polite" });
    this.found = box(
      "",
      box(
        "outcomes",
        this.outcomes.map(({ button }) => button),
      ),
      box("controls", set(box("together", play, slider), { oninput: () => this.stop() }), this.toggle("divide", "divide by the length", false)),
      this.panel,
      this.legend,
    );
    return [box("controls typed", typed), box("controls tries", this.tries), this.found, this.say, knownWords()];
  }

  paint(numbers) {
    const { fault, results, steps } = numbers;
    const { sentence, width, divide, step } = this.state;
    this.found.classList.toggle("unseen", Boolean(fault));
    this.tries.forEach((button) => set(button, { "aria-pressed": String(button.textContent === sentence) }));
    const greedy = results[0]?.french ?? [];
    const common = greedy.findIndex((word, i) => results.some(({ french }) => french[i] !== word));
    this.outcomes.forEach(({ button, french, score }, k) => {
      const words = results[k]?.french ?? [];
      const changed = newWords(greedy, words);
      const cut = max(common - 1, 0); // the last word before they part
      const shown = inline(words.slice(cut), (i) => ({
        class: changed.has(i + cut) ? "changed" : null,
      }));
      if (words.length > 1 && words.at(-1) === "?") shown.splice(-2, 1, "\u00a0"); // not on a line of its own
      const same = k && words.length && common < 0;
      french.replaceChildren(...(same ? ["the same"] : cut ? ["… ", ...shown] : shown));
      set(french, { lang: same ? null : "fr" });
      score.textContent = words.length ? this.said(results[k].score) : "";
      set(button, { "aria-pressed": String(BEAM_WIDTHS[k] === width) });
    });
    this.steps.splice(0, Infinity, ...count(max(steps.length - 1, 0)).map((k) => k + 1));
    this.steps.push(ENGINE_LONGEST);
    if (!this.steps.includes(step)) this.state.step = ENGINE_LONGEST;
    set(this.range, { max: this.steps.length - 1 });
    this.show.step();
    this.panel.classList.remove("stale");
    const sum = `the sum so far${divide ? ", divided by the number of tokens" : ""}`;
    this.legend.textContent =
      `Below a token that is kept: its log-probability, then ${sum}. Below a dropped one: that sum, ` +
      "and the lowest that is kept. Thicker line: more likely. ■: the sentence ends.";
    this.drawTree(this.wide, numbers, false);
    this.drawTree(this.tall, numbers, true);
  }

  number(score) {
    return minus(score.toFixed(this.state.divide ? 3 : 2));
  }

  said(score) {
    return this.number(score) + (this.state.divide ? " a token" : "");
  }

  apart(a, b) {
    return toldApart(a, b, this.state.divide ? 3 : 2);
  }

  /* The last steps; lanes of hypotheses by rank, and one for the best that is dropped. */
  drawTree(svg, { steps, at, from }, tall) {
    const { width } = this.state;
    const lanes = width + 1;
    const shown = min(max(steps.length || TREE_STEPS, 5), TREE_STEPS);
    const across = tall ? min(120, 330 / lanes) : 66;
    const along = tall ? 48 : min(92, 650 / shown);
    const place = (i, lane) => {
      const [a, b] = [along * (i - from + 0.5), across * (lane + (tall ? 0.5 : 0))];
      return tall ? [15 + b, 34 + a] : [66 + a, 36 + b];
    };
    const height = tall ? 30 + along * shown : 36 + across * width + 36;
    set(svg, { viewBox: `0 0 ${tall ? 345 : 716} ${height}` });
    const wordOf = (tokens) => translator().french[tokens.at(-1)];
    const half = ({ ended, tokens }) => (ended ? 6 : 6 + halfWidth(wordOf(tokens)));

    // Whose continuations are among those that are kept now, and the way to the best of them.
    const alive = steps.slice(0, at).map((step) => step.map(() => false));
    const first = alive.map(() => 0);
    if (at) alive[at - 1] = steps[at - 1].map(({ kept }) => kept);
    for (let i = at - 1; i > 0; i--) {
      steps[i].forEach((each, lane) => (alive[i - 1][each.from] ||= alive[i][lane]));
      first[i - 1] = steps[i][first[i]].from;
    }

    const lines = [];
    const nodes = [];
    const labels = []; // ranks of the lanes, numbers of the tokens
    for (const i of count(at).filter((i) => i > from - 1)) {
      const opacity = one(min(1, i + 1 - from));
      const [left, top] = place(i, 0);
      labels.push(tall ? text(0, top, i + 1, "small muted") : text(left, 11, i + 1, "small mid muted"));
      steps[i].forEach((each, lane) => {
        const { owns, score, kept, ended, stays, tokens } = each;
        const own = stays ? "0" : two(owns.at(-1)); // padding costs nothing
        const [x, y] = place(i, lane);
        const lost = alive[i][lane] ? "" : kept ? " lost" : " lost dropped";
        const best = !lost && first[i] === lane;
        if (i > from) {
          const [x0, y0] = i ? place(i - 1, each.from) : place(-0.6, 0);
          const r0 = i ? half(steps[i - 1][each.from]) : 4;
          const [a, b] = tall
            ? [
                [x0, y0 + (i ? 18 : 4)],
                [x, y - 17],
              ]
            : [
                [x0 + r0 + 1, y0 - 5],
                [x - half(each) - 1, y - 5],
              ];
          const bend = (a[tall ? 1 : 0] + b[tall ? 1 : 0]) / 2;
          const curve = tall ? `C${one(a[0])} ${one(bend)} ${one(b[0])} ${one(bend)} ` : `C${one(bend)} ${one(a[1])} ${one(bend)} ${one(b[1])} `;
          const line = path(`arc${lost}`, `M${one(a[0])} ${one(a[1])}${curve}${one(b[0])} ${one(b[1])}`);
          const chance = (lost ? 0.5 : 1) * (stays ? 0 : Math.exp(owns.at(-1)));
          lines.push(set(line, { "stroke-width": one(1 + 5 * chance), opacity }));
          if (!i) lines.push(circle("", 3, ...(tall ? [x0, y0] : [x0, y0 - 5])));
        }
        const mark = ended ? rect(`end-mark${stays ? " stays" : ""}`, x - 6, y - 11, 12, 12, 1) : rect("", x - half(each), y - 17, 2 * half(each), 23, 6);
        const least = steps[i][width - 1].score;
        const below = (line, words) => text(x, y + 18 + 13 * line, words, "tiny mid");
        const alone = make("tspan", { class: "muted" }, own);
        const [mine, limit] = this.apart(score, least);
        const numbers = !kept
          ? tall
            ? below(0, `${mine} < ${limit}`)
            : [below(0, mine), below(1, `< ${limit}`)]
          : tall
            ? below(0, [alone, `\u2002${this.number(score)}`])
            : [below(0, [alone]), below(1, this.number(score))];
        nodes.push(make("g", { class: `node${lost}${best ? " first" : ""}`, opacity }, mark, ended ? null : text(x, y, wordOf(tokens), "mid word-of"), numbers));
      });
    }
    [...TREE_LANES.slice(0, width), "dropped"].forEach((label, lane) =>
      labels.push(tall ? text(15 + across * (lane + 0.5), 11, label, "small mid muted") : text(0, 36 + across * lane, label, "small muted")),
    );
    const more = from >= 1 ? [tall ? text(15 + across / 2, 24, "⋮", "mid") : text(54, 36, "…", "mid")] : [];
    svg.replaceChildren(...labels, ...lines, ...nodes, ...(at ? more : []));
  }

  words({ fault, other, steps, results, at }) {
    if (fault) return `${fault} The words that it knows are listed below.`;
    const { width } = this.state;
    const kind = other ? `${OTHER_KIND}, ${EXAMPLES}. ` : "";
    return kind + (at < steps.length ? this.stepSaid(steps, at) : this.endSaid(results, width));
  }

  soFar(tokens) {
    const { french } = translator();
    return `“${spelled(tokens.filter((t) => t > ENGINE_TOKENS.eos).map((t) => french[t]))}”`;
  }

  stepSaid(steps, at) {
    const { width } = this.state;
    const before = at > 1 ? steps[at - 2].filter(({ kept }) => kept) : [{}];
    const open = before.filter(({ ended }) => !ended).length;
    const candidates = open * translator().french.length + before.length - open;
    const now = steps[at - 1];
    const [best, least, out] = [now[0], now[width - 1], now[width]];
    const stay = width > 1 ? `the ${width} best stay` : "the best stays";
    const lead = best.from > 0 ? "In the lead now" : "Best so far";
    const less = out && this.apart(out.score, least.score).join("\u00a0<\u00a0");
    const dropped = out ? ` Dropped: ${this.soFar(out.tokens)}, ${less}.` : "";
    return `Step ${at}: of ${candidates} candidates, ${stay}. ` + `${lead}: ${this.soFar(best.tokens)}, ${this.said(best.score)}.${dropped}`;
  }

  endSaid(results, width) {
    const { french } = translator();
    const [greedy] = results;
    const found = results[BEAM_WIDTHS.indexOf(width)];
    const name = width > 1 ? `Width ${width}` : "Greedy decoding";
    const says = `${name} writes ${this.soFar(found.tokens)}, ${this.said(found.score)}.`;
    const differs = (each) => String(each.tokens) !== String(greedy.tokens);
    const rival = width > 1 ? found : results.find(differs);
    if (!rival || !differs(rival)) return `${says} ${width > 1 ? "Greedy decoding writes" : "Widths 2 and 3 write"} the same.`;
    const parting = greedy.tokens.findIndex((token, i) => token !== rival.tokens[i]);
    const chances = toldApart(Math.exp(greedy.owns[parting]), Math.exp(rival.owns[parting]), 2);
    const [theirs, ours] = [greedy, rival].map(({ tokens }, k) => {
      const ends = tokens[parting] === ENGINE_TOKENS.eos;
      return `${ends ? "the end" : `“${french[tokens[parting]]}”`}, ${chances[k]}`;
    });
    const takes = `takes ${theirs}, and not ${ours}`;
    const [end, other] = [greedy, rival].map(({ score }) => this.said(score));
    const wider = BEAM_WIDTHS[results.indexOf(rival)];
    return `${says} At token ${parting + 1} ` + (width > 1 ? `greedy decoding ${takes}, and ends at ${end}.` : `it ${takes}; width ${wider} takes that and ends at ${other}.`);
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
