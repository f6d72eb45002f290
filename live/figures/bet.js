/* A game against the attention map: which one word, cut where the translator writes the next French word, turns that
into another? You bet, the map bets on its largest weight, and then each cut is computed. Of the page: games, each of
five puzzles { words, step, other, school, kind }: English words, the position of a French word of their translation,
what exactly one cut turns it into, the word at which school grammar looks, the kind of decision; alike, for each game
one puzzle that no cut turns; found, [kind, how many, those that one cut turns, those of them where the map is right]. */
import { Figure } from "../core.js";
import { box, h, legend, tap, tint } from "../drawing.js";
import { count, largest, max, remembered, sum, two } from "../numbers.js";
import { translator } from "../translating.js";
import betCss from "./bet.css";

const IN_BOOK = globalThis.document?.currentScript?.src; // an output has no address, and sends no link
const GAMES = ["1", "2", "3"];
const BET_ROUNDS = ["1", "2", "3", "4", "5", "6"]; // the last without a score

const GENDERED = { it: _`A pronoun`, they: _`A pronoun`, article: _`An article`, adjective: _`An adjective` };

const betRun = remembered((words) => translator().translate(words));

/* A token to bet on in the parts of the engine: an English word, or a French one, behind <bos>. */
const betEdge = (words, k) =>
  k < words.length ? { part: "cross", key: k } : { part: "own", key: k - words.length + 1 };

/* For each token, the word that is written at a step once it is cut there, in all heads of both blocks,
and the log-odds of one word against another. */
const afterCuts = remembered((words, step, tokens, due, other) => {
  const { french } = translator();
  const before = betRun(words);
  return count(tokens).map((k) => {
    const cuts = [{ ...betEdge(words, k), query: step }];
    const { token, logits } = translator().translate(words, { cuts }, { before, kept: step }).steps[step];
    return { word: french[token], odds: logits[french.indexOf(due)] - logits[french.indexOf(other)] };
  });
});

/* The heads whose largest weight is on a token, of all that they may attend to. */
function lookingAt(words, step, k) {
  const { part, key } = betEdge(words, k);
  const names = (map, layer, head) =>
    largest(map[step]) === key ? [_`${part === "own" ? _`self` : _`cross`} ${layer + 1}, head ${head + 1}`] : [];
  return betRun(words).maps[part].flatMap((heads, layer) => heads.flatMap((map, head) => names(map, layer, head)));
}

/* A puzzle, and once there is a bet, what each cut does. In the sixth round a bet is 1 or 0: whether the
cut on which the map bets turns the word. */
function judged(puzzle, bet, sixth) {
  const { words, step, other, school } = puzzle;
  const { words: french, maps } = betRun(words);
  const tokens = [...words, ...french.slice(0, max(step - 1, 0))]; // the last is what the step receives
  const weights = words.map((_, j) => max(...maps.cross.flat().map((map) => map[step][j])));
  const due = french[step];
  const round = { ...puzzle, sixth, french, due, tokens, weights, map: largest(weights), bet: null };
  if (!Number.isInteger(bet) || !(bet in (sixth ? [0, 1] : tokens))) return round;
  const cuts = afterCuts(words, step, tokens.length, due, other);
  const after = cuts.map(({ word }) => word);
  const answer = after.indexOf(other);
  const mine = sixth ? bet === Number(after[round.map] === other) : bet === answer;
  const right = [mine, round.map === answer, school === answer];
  const heads = answer < 0 ? [] : lookingAt(words, step, answer);
  const pointed = count(tokens.length).filter((k) => lookingAt(words, step, k).length).length; // at by some head
  return { ...round, bet, after, odds: cuts.map(({ odds }) => odds), answer, right, heads, pointed };
}

export default class Bet extends Figure {
  static takes = "games alike found";
  static title = _`Can you beat the attention map?`;
  static hint = _`bet on one word, English or French. We chose sentences in which exactly one word decides. In most sentences none does.`;
  static style = betCss;
  static data = "translator"; // it begins when its weights are there
  static kept = ["game"];

  static compute({ games, alike }, { game, round, bets }) {
    const puzzles = [...games[game - 1], alike[game - 1]];
    const rounds = puzzles.map((puzzle, i) => judged(puzzle, bets[`${game}.${i + 1}`], i === games[game - 1].length));
    const scored = rounds.filter(({ sixth, bet }) => !sixth && bet !== null);
    const scores = count(3).map((who) => sum(scored.map(({ right }) => Number(right[who]))));
    return { rounds, shown: rounds[BET_ROUNDS.indexOf(round)], over: scored.length === rounds.length - 1, scores };
  }

  controls() {
    Object.assign(this.state, { game: "1", round: "1", bets: {} }); // by game and round: "1.2"
    return [];
  }

  change(name, value) {
    this.sent = null;
    if (name === "game") this.state.round = "1";
    if (name !== "bets") this.stage.querySelector(".panels").style.minHeight = ""; // that of the card
    super.change(name, value);
  }

  /* The words are no buttons any more, and what comes next has the focus. */
  bet(on) {
    const { game, round, bets } = this.state;
    this.change("bets", { ...bets, [`${game}.${round}`]: on });
    this.focusOn(".next");
  }

  focusOn(place) {
    this.stage.querySelector(place)?.focus({ preventScroll: true });
  }

  view(numbers) {
    const { shown } = numbers;
    const done = shown.bet !== null;
    const late = (kind, child) => h("div", done ? { class: kind, style: "--i:1" } : {}, child);
    return box("panels alone", [
      this.menu(numbers),
      late("late", this.say),
      this.sentences(shown),
      !done && shown.sixth && this.answers(shown),
      done && late("late", this.next()),
      done && numbers.over && late("late", this.end(numbers)),
      legend(this.below(shown)),
    ]);
  }

  /* Buttons for the games, and for the rounds of this one, with who was right. */
  menu({ rounds, shown }) {
    const button = (name, value, label, about) => {
      const pressed = String(this.state[name] === value);
      return tap(label, () => this.change(name, value), { "aria-label": about, "aria-pressed": pressed });
    };
    const games = GAMES.map((game) => button("game", game, game, _`Game ${game}`));
    const mark = ({ bet, right, sixth }) => (bet === null || sixth ? "" : right[0] ? " ✓" : " ✗");
    const said = { " ✓": _`, you were right`, " ✗": _`, you were wrong`, "": "" };
    const sentences = rounds.map((each, i) => {
      const [label, name] = each.sixth ? ["+1", _`Sentence 6, without a score`] : [i + 1, _`Sentence ${i + 1}`];
      const seen = Number(each === shown); // when its cuts have been seen
      const right = mark(each) && h("span", { class: "late", style: `--i:${seen}` }, mark(each));
      return button("round", BET_ROUNDS[i], [label, right], name + said[mark(each)]);
    });
    return box("change together", h("span", {}, _`Game`), games, h("span", {}, _`Sentence`), sentences);
  }

  /* English, and French up to the word in question. */
  sentences(round) {
    const { words, tokens, french, step, due, bet, answer, other } = round;
    const inked = (word) => h("span", { class: "ink" }, word);
    const received = step ? h("span", { class: "stacked token fixed" }, inked(french[step - 1])) : null;
    const now = bet !== null && answer >= 0 ? this.under(other, "turned strong", 1) : this.under();
    const all = tokens.map((_, k) => this.token(round, k));
    const written = [...all.splice(words.length), received, h("span", { class: "stacked token due" }, inked(due), now)];
    return box("", box("sentence tokens", all), h("div", { class: "sentence tokens", lang: "fr" }, written));
  }

  /* A word to bet on; once there is a bet, what is written without it, and who bet on it. */
  token(round, k) {
    const { tokens, words, weights, map, bet, sixth, after, due } = round;
    const english = k < words.length;
    const done = bet !== null;
    const ink = h("span", english ? tint("ink", weights[k]) : { class: "ink" }, h("span", {}, tokens[k]));
    const maps = (done || sixth) && this.ofMap(round, k);
    const its = [maps && map === k && _`map`, maps].filter(Boolean).join(" ");
    const who = [!sixth && bet === k && _`you`, its].filter(Boolean).join(" · ");
    const flag = h("small", { class: "flag strong" }, who);
    const kind = `stacked token${(done || sixth) && map === k ? " chosen" : bet === k && !sixth ? " yours" : ""}`;
    const now = done && (after[k] === due ? "–" : after[k]);
    const under = done ? this.under(now, k === round.answer ? "turned strong" : "", k / tokens.length) : this.under();
    if (done || sixth) return h("span", { class: kind }, flag, ink, under);
    const label = _`bet on ${tokens[k]}, ${english ? _`English, largest weight ${two(weights[k])}` : _`French`}`;
    return tap([flag, ink, under], () => this.bet(k), { class: "stacked token", "aria-label": label });
  }

  /* The largest weight and the next one, with as many digits as tell them apart. */
  ofMap({ weights, map }, k) {
    const rest = weights.map((weight, j) => (j === map ? 0 : weight));
    const next = largest(rest);
    const digits = [2, 3].find((n) => weights[map].toFixed(n) !== weights[next].toFixed(n)) ?? 4;
    return k === map || k === next ? weights[k].toFixed(digits) : "";
  }

  under(word = "", kind = "", when = 0) {
    return h("small", { class: `${word && "late"} ${kind}`, style: `--i:${when.toFixed(2)}`, lang: "fr" }, word);
  }

  answers({ due, other }) {
    const said = [_`No, ${due} stays`, _`Yes, ${due} becomes ${other}`];
    return box(
      "controls",
      [1, 0].map((bet) => tap(said[bet], () => this.bet(bet))),
    );
  }

  next() {
    const { game, round } = this.state;
    const other = GAMES[GAMES.indexOf(game) + 1] ?? GAMES[0];
    const label = { 5: _`One more, without a score`, 6: _`Game ${other}` }[round] ?? _`Next sentence`;
    const act = () => {
      if (round === "6") this.change("game", other);
      else this.change("round", String(+round + 1));
      this.focusOn("button.token, .controls button");
    };
    return tap(label, act, { class: "next" });
  }

  /* What can be sent: it gives no sentence away, and its link opens the same five. */
  line({ rounds, scores: [you, map] }) {
    const row = (who) => rounds.map(({ sixth, right }) => (sixth ? "" : right[who] ? "■" : "□")).join("");
    const { game } = this.state;
    const score = _`Can you beat the attention map? Game ${game}: me ${you}, the map ${map}`;
    const link = IN_BOOK && `${location.href.split("#")[0]}#figure=bet&game=${game}`;
    return [score, _`${row(0)} me`, _`${row(1)} the map`, link].filter(Boolean).join("\n");
  }

  end(numbers) {
    const [you, map, school] = numbers.scores;
    const line = this.line(numbers);
    const send = async () => {
      try {
        await navigator.clipboard.writeText(line);
        this.sent = _`Copied`;
      } catch {
        getSelection().selectAllChildren(this.stage.querySelector(".to-send"));
        this.sent = _`Selected, to be copied`;
      }
      this.paint(this.shown);
    };
    return box("card", [
      h("p", { class: "title" }, _`You ${you}, the map ${map}, school grammar ${school}`),
      h("p", {}, this.lesson(numbers)),
      h("p", { class: "to-send" }, line),
      box("controls", tap(_`Copy these lines`, send), h("span", { role: "status" }, this.sent ?? "")),
      h("div", { class: "legend" }, this.chosen()),
    ]);
  }

  lesson({ rounds }) {
    const scored = rounds.filter(({ sixth }) => !sixth);
    const some = scored.filter(({ heads }) => heads.length).length;
    const all = sum(scored.map(({ tokens }) => tokens.length));
    const share = Math.round((100 * sum(scored.map(({ pointed }) => pointed))) / all);
    const { cross, own } = betRun(scored[0].words).maps;
    const heads = [...cross, ...own].flat().length;
    const n = scored.length;
    const where = some === n ? _`In all ${n} sentences` : _`In ${some} of the ${n} sentences`;
    return _`${where} one of the ${heads} heads did look most at the word that decides. But some head looks most at ${share} % of all these words, so you can’t tell which head to trust.`;
  }

  /* How the sentences were chosen, and what the map and its rival are worth elsewhere. */
  chosen() {
    const { found } = this.spec;
    const [tried, turned] = [1, 2].map((i) => sum(found.map((each) => each[i])));
    const name = (kind) => (GENDERED[kind] === GENDERED.it ? `“${kind}”` : kind);
    const right = found.map(([kind, , among, times]) => h("li", {}, _`${name(kind)}: ${times} of ${among}`));
    return [
      _`We chose the sentences: of ${tried} decisions that were tried, ${turned} have such a word. In those the map is right so often:`,
      h("ul", {}, right),
      _`It shows English words only, so it can’t win the verb. School grammar is a fixed rule and always bets on an English noun: a pronoun’s noun, the noun of an article or adjective, a verb’s subject.`,
    ];
  }

  below({ bet, sixth }) {
    const ink = _`More ink: more weight, in the head that looks there most. The map shows English words only.`;
    const numbers = _`Above: the map’s two largest weights.`;
    if (bet !== null) return _`Below each word: what is written once it is cut; a dash: the same. ${numbers} ${ink}`;
    if (sixth) return `${numbers} ${ink}`;
    return _`${ink} The French word before the frame is what the decoder receives, and stays.`;
  }

  /* A token in quotes, told from the same word elsewhere. */
  named({ tokens, words }, k) {
    const twice = tokens.indexOf(tokens[k]) < tokens.lastIndexOf(tokens[k]);
    const where = k < words.length ? _` (word ${k + 1})` : _` (French)`;
    return `“${tokens[k]}”${twice ? where : ""}`;
  }

  words({ shown }) {
    const { due, other, bet, map, answer, right, after, weights, sixth } = shown;
    const name = (k) => this.named(shown, k);
    const fate = (k) => (after[k] === due ? _`${due} stays` : _`${due} becomes ${after[k]}`);
    const heavy = _`${name(map)}, its largest weight (${two(weights[map])})`;
    if (sixth && bet === null)
      return _`The map bets on ${heavy}: does ${due} become ${other} when it is cut? Here both nouns are masculine.`;
    if (sixth)
      return _`${right[0] ? _`You are right` : _`No`}: without ${name(map)}, ${fate(map)}. Both nouns want ${due}, and ${answer < 0 ? _`no cut` : _`only ${name(answer)}`} changes that. But the map is as sure as before.`;
    if (bet === null)
      return _`Which one word, cut for this step only, turns ${due} into ${other}? You bet by pressing it. The map bets on its largest weight.`;
    const [you, maps] = right;
    const who = you && maps ? _`You and the map are` : you ? _`You are` : maps ? _`The map is` : "";
    const verdict = who ? _`${who} right` : _`You and the map are wrong`;
    const whose = bet === map ? _`${name(map)}, on which you both bet` : _`your ${name(bet)}`;
    const though = after[map] === due ? _`, though one head gives it ${two(weights[map])} of its weight` : "";
    const mine = !you && _` Without ${whose}, ${fate(bet)}${bet === map ? though : ""}.`;
    const its = !maps && bet !== map && _` The map bet on ${name(map)}: without that, ${fate(map)}${though}.`;
    const rank = weights.filter((weight) => weight > weights[answer]).length + 1;
    const behind = (weights[map] - weights[answer]).toFixed(3);
    const place = !maps && answer in weights && _` On its list ${name(answer)} is number ${rank}, ${behind} behind.`;
    const first = _`${verdict}: without ${name(answer)}, ${due} becomes ${other}.`;
    return [first, mine, its, place, this.why(shown)].filter(Boolean).join("");
  }

  /* A clause of grammar; behind “too” is the adjective of a pronoun. */
  why({ answer, school, kind, words, tokens }) {
    if (answer >= words.length)
      return _` A verb’s ending follows the French already written: “${tokens[answer]}” is plural.`;
    if (answer === school) return _` ${GENDERED[kind]} takes the gender of its noun.`;
    if (answer < words.length - 2) return _` School grammar never suspects this word.`;
    return _` “${tokens[answer]}” tells which noun the pronoun means.`;
  }

  table({ shown }) {
    const { tokens, weights, map, bet, after, odds, heads, due, other } = shown;
    const row = (token, k) => {
      const bets = [!shown.sixth && bet === k && _`you`, map === k && bet !== null && _`map`].filter(Boolean);
      return [token, k in weights ? two(weights[k]) : "", after?.[k] ?? "", odds ? two(odds[k]) : "", bets.join(", ")];
    };
    const who = heads?.length ? [[_`Heads that look most at the word that decides: ${heads.join("; ")}`]] : [];
    const head = [_`cut`, _`largest weight`, _`written then`, _`log-odds of ${due} against ${other}`, _`bets`];
    return [head, ...tokens.map(row), ...who];
  }
}
