/* Whether an English sentence is of the kind that the translator was trained on: whether the grammar of
utils/data/translation.py can make it. `grammar()` in translating.py writes the tables. */

import { hasPattern, OTHER_KIND } from "./patterns.js";
import { spelled } from "./translating.js";

/* null for a sentence of the grammar. Else { at, wanted, pattern }: the place of the first word that
fits none of its sentences, the words that do (none where a sentence has ended), and whether the whole
has one of its patterns all the same. */
export function misfit(grammar, words) {
  const { nouns, kinds, deeds, rules, lasting } = grammar;
  let far = -1;
  let wanted;
  let whole = false;

  /* Go on behind word i if it is this one, and keep in mind what fits at the farthest place. */
  const step = (i, word, on) => {
    if (i > far) [far, wanted] = [i, new Set()];
    if (i === far && word) wanted.add(word);
    if (words[i] === word) on(i + 1);
  };
  const steps = (i, [word, ...rest], on) =>
    word ? step(i, word, (next) => steps(next, rest, on)) : on(i);

  /* A noun with its article, perhaps with a preposition and an adjective. */
  const phrase = (i, rule, { noun, plural }, verb, preposition, on) => {
    const { kind, owned, friend, forms } = noun;
    if (i + 3 < far && !words.includes(forms[+plural])) return; // it would end before that place
    const path = ["way", "passage"].includes(kind) && ["go", "come"].includes(verb);
    const about = rule.pattern.includes("ADJECTIVE");
    const fits = (adjective) => !path && (!about || lasting.includes(adjective));
    const some = !rule.without && !["like", "go"].includes(verb) && !(preposition && plural);
    const articles = [!friend && "the", ...(owned ? ["my", "his", "her"] : []), some && "a"];
    for (const adjective of ["", ...kinds[kind].attributes.filter(fits)])
      for (const article of articles.filter(Boolean)) {
        const an = /^[aeiou]/.test(adjective || forms[0]) ? "an" : "a";
        const said = article !== "a" ? article : plural ? "some" : an;
        steps(i, [preposition, said, adjective, forms[+plural]].filter(Boolean), on);
      }
  };

  /* From piece k of the pattern and word i on. S, O: noun and number of subject and object, once they
  are chosen; R is the one that the pronoun and the adjective are about. */
  const walk = (rule, deed, k, i, { S, O, R = S }) => {
    const piece = rule.pattern[k];
    const on = (more) => (next) => walk(rule, deed, k + 1, next, { S, O, R, ...more });
    const [base, third, past] = deed.verb;
    const number = (one, many, of = S) => (of?.plural ? many : one);
    if (piece === undefined) return i === words.length ? (whole = true) : step(i);
    if (piece === "SUBJECT")
      for (const noun of deed.subjects.map((doer) => nouns[doer])) {
        const chosen = { noun, plural: S.plural };
        if (noun.kind !== "vehicle" || !rule.animate)
          phrase(i, rule, chosen, "", "", on({ S: chosen, R: chosen }));
      }
    else if (piece === "OBJECT")
      for (const noun of deed.objects.map((thing) => nouns[thing])) {
        const barred = noun.people && S.noun.kind === "creature" && !["see", "stop"].includes(base);
        if (noun === S.noun || barred) continue;
        for (const plural of S.plural || !deed.preposition ? [false, true] : [false]) {
          const chosen = { noun, plural };
          const verb = rule.seen ? "see" : base;
          phrase(i, rule, chosen, verb, deed.preposition, on({ O: chosen }));
        }
      }
    else if (piece === "HE")
      for (const R of rule.both ? [S, O] : [S]) step(i, number(R.noun.he[0], "they", R), on({ R }));
    else if (piece === "ADJECTIVE")
      for (const adjective of R === O ? kinds[O.noun.kind].faults : deed.reasons)
        step(i, adjective, on());
    else {
      const forms = {
        VERB: base,
        VERBS: number(third, base),
        VERBED: past,
        HIM: O && number(O.noun.he[1], "them", O),
        IS: number("is", "are", R),
        WAS: number("was", "were", R),
        DOES: number("does", "do"),
        "DOESN'T": number("doesn't", "don't"),
        SEES: number("sees", "see"),
      };
      step(i, forms[piece] ?? piece, on());
    }
  };

  for (const rule of rules)
    for (const index of rule.deeds)
      for (const plural of [false, true]) walk(rule, deeds[index], 0, 0, { S: { plural } });
  return whole
    ? null
    : { at: far, wanted: [...wanted], pattern: hasPattern(grammar.patterns, words) };
}

/* The same, said to a reader. */
export function misfitSaid(words, { at, wanted, pattern }) {
  const quoted = wanted.slice(0, 3).map((word) => `“${word}”`);
  if (wanted.length > 4) quoted[2] = `one of ${wanted.length - 2} more words`;
  if (wanted.length === 4) quoted.push(`“${wanted[3]}”`);
  const last = quoted.pop();
  const list = quoted.length ? `${quoted.join(", ")} or ${last}` : last;
  const begun = words.slice(0, at);
  if (at > 7) begun.splice(2, at - 6, "…");
  const those = at ? `those that begin with “${spelled(begun)}”` : "those";
  const on = wanted.length ? `${at ? "go on" : "begin"} with ${list}` : "end there";
  const never = !wanted.length
    ? ""
    : at < words.length
      ? `, never with “${words[at]}”`
      : "; it stops";
  const lead = pattern
    ? "The pattern is one of its training, but not these words in it: of its sentences, "
    : `${OTHER_KIND}: `;
  return `${lead}${those} ${on}${never}.`;
}
