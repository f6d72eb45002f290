/* Whether English words have a pattern of the sentences that the translator was trained on, whatever is
said of what. `patterns()` in translating.py writes the table. */

export const OTHER_KIND = "Not a sentence of the kind it was trained on";

/* pieces: { what stands in a pattern: a regular expression for its words }. */
export function hasPattern({ pieces, rules }, words) {
  const one = (rule) => rule.map((piece) => pieces[piece] ?? piece).join(" ");
  return RegExp(`^(?:${rules.map(one).join("|")})$`).test(words.join(" "));
}
