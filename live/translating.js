/* The translator, one for all figures of a page, and what a reader types for it. */
import { dataOf } from "./core.js";
import { h, make } from "./drawing.js";
import { ENGINE_LONGEST, ENGINE_TOKENS, Engine } from "./engine.js";

export const translator = () => (globalThis.attentionEngine ??= new Engine(dataOf("translator")));

/* Words as a sentence: behind an apostrophe, and before a point or a comma, there is no space. */
export const spelled = (words) =>
  words
    .join(" ")
    .replaceAll("' ", "'")
    .replace(/ (?=[.,]( |$))/g, "");

/* The words of a typed sentence, in lower case; a mark is a word of its own. */
export function splitWords(typed) {
  const plain = typed.toLowerCase().replace(/[’\x60]/g, "'");
  return plain.match(/[.,?!;:"()]|[^\s.,?!;:"()]+/g) ?? [];
}

/* Why these words can't be translated, or "". */
export function faultOf(words) {
  if (!words.length) return _`Type a few English words.`;
  if (words.length > ENGINE_LONGEST)
    return _`${words.length} words are too many; ${ENGINE_LONGEST} are the most it takes.`;
  const { numbers } = translator();
  const unknown = words.filter((word) => !(numbers.get(word) > ENGINE_TOKENS.eos));
  return unknown.length ? _`Not in the vocabulary: ${[...new Set(unknown)].join(", ")}.` : "";
}

/* The English words of the vocabulary, in a fold. */
export function knownWords() {
  const known = translator().english.filter((word) => /[a-z]$/.test(word));
  const list = { class: "known", tabindex: 0, role: "group", "aria-label": _`English words` };
  const head = h("summary", {}, _`The ${known.length} English words that it knows`);
  return h("details", {}, head, h("p", list, known.join(" ")));
}

/* A box to type a sentence in, and a function that brings another into it. A word that is still being
typed is no word yet: said(text) is called after Enter, or when no key has come for half a second. */
export function typingBox(said) {
  let pause;
  const say = (wait) => {
    clearTimeout(pause);
    pause = setTimeout(() => said(input.value), wait);
  };
  const oninput = () => say(500);
  const onkeydown = (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    say(0);
  };
  const plain = { rows: 2, maxlength: 300, spellcheck: "false", autocapitalize: "off" };
  const input = make("textarea", { ...plain, oninput, onkeydown });
  const show = (value) => {
    clearTimeout(pause);
    if (input.value !== value) input.value = value;
  };
  return [input, show];
}
