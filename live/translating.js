/* What the figures of il and elle share: the translator, and how what it writes is shown. */
import { count, dataOf, h, make, max, minus, one } from "./core.js";
import { ENGINE_LONGEST, ENGINE_TOKENS, Engine } from "./engine.js";

export const PRONOUNS = ["il", "elle"]; // log-odds are of the first against the second

/* Which words of the second list are not in the longest common subsequence with the first. */
export function newWords(before, now) {
  const common = count(before.length + 1).map(() => Array(now.length + 1).fill(0));
  for (const i of count(before.length).reverse())
    for (const j of count(now.length).reverse()) common[i][j] = before[i] === now[j] ? common[i + 1][j + 1] + 1 : max(common[i + 1][j], common[i][j + 1]);
  const found = new Set(count(now.length));
  let [i, j] = [0, 0];
  while (i < before.length && j < now.length)
    if (before[i] === now[j]) {
      found.delete(j++);
      i++;
    } else if (common[i + 1][j] >= common[i][j + 1]) i++;
    else j++;
  return found;
}

/* Whether there is a space before word i: behind an apostrophe, and before a point or a comma, there
is none. */
const spaced = (words, i) => i && !words[i - 1].endsWith("'") && !/^[.,]$/.test(words[i]);

/* Words in a row; dress(i): the attributes of word i. */
export function inline(words, dress = () => ({})) {
  return words.flatMap((word, i) => [...(spaced(words, i) ? [" "] : []), h("span", dress(i), word)]);
}

export const spelled = (words) => words.map((word, i) => (spaced(words, i) ? ` ${word}` : word)).join("");

export const signed = (x) => (Number.isFinite(x) ? minus(one(x)) : "none");

/* The translator, one for all figures of a page. */
export const translator = () => (globalThis.attentionEngine ??= new Engine(dataOf("translator")));

/* The step that writes il or elle, or -1. */
export const pronounStep = ({ steps }) => steps.findIndex(({ token }) => PRONOUNS.includes(translator().french[token]));

/* The il or elle that a translation has now, and the log-odds where it is written. */
export function pronounOf(run) {
  const step = pronounStep(run);
  const { logits } = run.steps[step] ?? {};
  const [il, elle] = PRONOUNS.map((word) => logits?.[translator().numbers.french.get(word)]);
  const odds = logits ? il - elle : NaN;
  return { words: run.words, step, odds, word: run.words[step] ?? "neither" };
}

export function fate(now, before) {
  if (now.step < 0) return `${before.word} is gone`;
  return now.word === before.word ? `${now.word} stays` : `${before.word} becomes ${now.word}`;
}

/* The words of a typed sentence, in lower case; a mark is a word of its own. */
export const splitWords = (typed) =>
  typed
    .toLowerCase()
    .replace(/[’\x60]/g, "'")
    .replace(/([.,?!;:"()])/g, " $1 ")
    .split(/\s+/)
    .filter(Boolean);

/* Those that the model doesn't know, each once. */
export function unknownWords(words) {
  const { english } = translator().numbers;
  return [...new Set(words)].filter((word) => !(english.get(word) > ENGINE_TOKENS.eos));
}

/* Why these words can't be translated, or "". */
export function faultOf(words) {
  if (!words.length) return "Type a few English words.";
  if (words.length > ENGINE_LONGEST) return `${words.length} words are too many; ${ENGINE_LONGEST} are the most it takes.`;
  const unknown = unknownWords(words);
  return unknown.length ? `Not in the vocabulary: ${unknown.join(", ")}.` : "";
}

/* The English words of the vocabulary, in a fold. */
export function knownWords() {
  const known = translator().english.filter((word) => /[a-z]$/.test(word));
  const list = { class: "known", tabindex: 0, role: "group", "aria-label": "English words" };
  return h("details", {}, h("summary", {}, `The ${known.length} English words that it knows`), h("p", list, known.join(" ")));
}

/* A box to type a sentence in. A word that is still being typed is no word yet: it counts after a
space, a mark, Enter or a rest of some ms. said(text) is called then, and wait() until then. show(text)
is for what comes from elsewhere. */
export function typingBox(rest, said, wait) {
  let pause;
  const say = () => said(input.value.replaceAll("\n", " "));
  const type = () => {
    const { value, selectionStart } = input;
    clearTimeout(pause);
    if (/[\s.,?!]$/.test(value.slice(0, selectionStart))) return say();
    wait();
    pause = setTimeout(say, rest());
  };
  const onkeydown = (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    clearTimeout(pause);
    say();
  };
  const input = make("textarea", {
    rows: 2,
    maxlength: 300,
    spellcheck: "false",
    autocapitalize: "off",
    oninput: type,
    onkeydown,
  });
  const show = (value) => {
    clearTimeout(pause);
    if (input.value !== value) input.value = value;
  };
  return { input, show };
}
