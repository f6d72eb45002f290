/* Whether an English sentence is of the kind that the translator was trained on: whether the grammar of
corpora/english_french.py can make it; and its correct French, by the same grammar. `grammar()` in
translating.py and `french()` in figures/sentence.py write the tables. */

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
  const lead = pattern ? "It knows this pattern, but not with these words" : OTHER_KIND;
  const after = `after “${spelled(begun)}”`;
  if (!list) return `${lead}: its training has nothing ${after}.`;
  const place = at ? `${after} its training has` : "its training begins with";
  return `${lead}: ${place} ${list}, ${at < words.length ? `never “${words[at]}”` : "and yours stops"}.`;
}

const SOUNDED = /^(?:[aâeéèêiîoôu]|h(?!ibou|aut))/; // begins with a vowel when it is spoken

/* The correct French of English words that have a pattern, whatever is said of what: a list, of two where
“it” can be either noun, of none where the rules don't know. */
export function correctFrench(grammar, french, words) {
  const { nouns, kinds, deeds, rules, patterns } = grammar;
  const past = deeds.some(({ verb }) => words.includes(verb[2] || null));

  const phrase = ([...said]) => {
    const noun = said.pop();
    const index = nouns.findIndex(({ forms }) => forms.includes(noun));
    const { kind, he, forms } = nouns[index];
    const plural = +(noun === forms[1]);
    const [singular, many, feminine] = french.nouns[index];
    const form = 2 * feminine + plural;
    const named = plural ? many : singular;
    const preposition = said[0] in french.prepositions ? said.shift() : "";
    const [article, adjective] = said;
    const agrees = (word, next = "") => {
      const each = french.adjectives[`${word} ${kind}`] ?? french.adjectives[word];
      return (!form && SOUNDED.test(next) && each[4]) || each[form];
    };
    const before = french.before.includes(adjective);
    const some = /^(an?|some)$/.test(article);
    const determiner =
      before && some && plural ? "de" : french.articles[article][plural ? 2 : +feminine];
    const attribute = adjective ? agrees(adjective, named) : "";
    const order = before ? [attribute, named] : [named, attribute];
    const written = [french.prepositions[preposition] ?? "", determiner, ...order].join(" ");
    const [HE, HIM] = plural ? ["they", "them"] : he;
    return { index, kind, plural, form, preposition, some, agrees, written, HE, HIM };
  };

  /* The nouns that the adjective can be about: of the kinds that have it, or both. */
  const about = (adjective, verb, S, O) => {
    const tried = (deed) => deed.reasons.includes(adjective) && deed.subjects.includes(S.index);
    const can = ({ kind, index }) =>
      kinds[kind].faults.includes(adjective) ||
      deeds.some(
        ({ subjects, reasons }) => subjects.includes(index) && reasons.includes(adjective),
      );
    const usual = [
      ...(deeds.some((deed) => deed.verb.includes(verb) && tried(deed)) ? [S] : []),
      ...(kinds[O.kind].faults.includes(adjective) ? [O] : []),
    ];
    const found = usual.length ? usual : [S, O].filter(can);
    return found.length === 1 ? found : [S, O];
  };

  for (const [k, { pattern, both, seen, without }] of rules.entries()) {
    const pieces = patterns.rules[k].map((piece) => `(${patterns.pieces[piece] ?? piece})`);
    const match = RegExp(`^${pieces.join(" ")}$`).exec(words.join(" "));
    if (!match || pattern.includes("VERBED") !== past) continue;
    const said = Object.fromEntries(pattern.map((piece, i) => [piece, match[i + 1]]));
    const [S, O] = [said.SUBJECT, said.OBJECT].map((each) => phrase(each.split(" ")));
    const verb = said.VERB ?? said.VERBS ?? said.VERBED;
    const { preposition } = O;
    const known = deeds.some(
      (deed) => deed.verb.includes(verb) && deed.preposition === preposition,
    );
    const bare = !seen && ["like", "likes", "go", "goes"].includes(verb);
    if (
      !known ||
      S.preposition ||
      (without && (S.some || O.some)) ||
      ((bare || (preposition && O.plural)) && O.some)
    )
      return [];
    if (said.HIM && said.HIM !== O.HIM) return [];
    const fits = ({ HE }) => !said.HE || HE === said.HE;
    const fitting = (both ? [S, O] : [seen ? O : S]).filter(fits);
    const meant = fitting.length > 1 ? about(said.ADJECTIVE, verb, S, O) : fitting;
    const [singular, plural, participle] = french.verbs[verb];
    if (!participle && french.rules[k].includes("PARTICIPE")) return [];
    const translations = meant.map((R) => {
      const forms = {
        SUBJECT: S.written,
        OBJECT: O.written,
        VERBE: S.plural ? plural : singular,
        PARTICIPE: participle,
        ADJECTIF: said.ADJECTIVE && R.agrees(said.ADJECTIVE),
        IL: ["il", "ils", "elle", "elles"][R.form],
        LE: ["le", "les", "la", "les"][O.form],
        A: S.plural ? "ont" : "a",
        VOIT: S.plural ? "voient" : "voit",
        EST: R.plural ? "sont" : "est",
        ÉTAIT: R.plural ? "étaient" : "était",
      };
      const raw = french.rules[k].map((piece) => forms[piece] ?? piece);
      const whole = raw.join(" ").split(/[ _]+/).filter(Boolean);
      const found = [];
      whole.forEach((word, i) => {
        const short = SOUNDED.test(whole[i + 1]) ? (french.elided[word] ?? word) : word;
        const joint = french.contracted[`${found.at(-1)} ${short}`];
        if (joint) found.pop();
        found.push(joint ?? short);
      });
      return found;
    });
    return translations.filter((each, i) => !i || String(each) !== String(translations[0]));
  }
  return [];
}

/* Where some French goes astray from its English, word by word, as far as the tables know:
{ stray: [word, meaning] } for a word that translates none of the English, { lost } for an English
word without its French, { again } for words that are written twice; or null. */
export function astray(grammar, french, words, written) {
  const { nouns, deeds } = grammar;
  const means = new Map(); // of a French word: [what it means, the English words that it can translate]
  const known = new Map(); // of an English word: the French words that can translate it
  const learn = (said, meaning, sources) => {
    const last = said?.split(/[ _]+/).pop();
    if (!last) return;
    means.set(last, [...(means.get(last) ?? []), [meaning, sources]]);
    for (const each of sources) known.set(each, [...(known.get(each) ?? []), last]);
  };
  nouns.forEach(({ forms }, i) =>
    forms.forEach((form, k) => learn(french.nouns[i][k], form, forms)),
  );
  for (const { verb } of [...deeds, { verb: ["see", "sees", null] }]) {
    const forms = verb.filter(Boolean);
    const [singular, plural, participle] = french.verbs[verb[1]] ?? [];
    learn(plural, verb[0], forms);
    learn(singular, verb[1], forms);
    learn(participle, verb[2], forms);
  }
  for (const [name, forms] of Object.entries(french.adjectives)) {
    const [adjective] = name.split(" ");
    for (const form of forms) learn(form, adjective, [adjective]);
  }
  for (const word of written) {
    const all = means.get(word);
    if (all && !all.some(([, sources]) => sources.some((each) => words.includes(each))))
      return { stray: [word, all[0][0]] };
  }
  const lost = words.find((word) => known.get(word)?.every((each) => !written.includes(each)));
  if (lost) return { lost };
  const times = (list, some) => list.filter((each) => some.includes(each)).length;
  for (let n = 4; n > 1; n--)
    for (let i = 0; i + n <= written.length; i++) {
      const phrase = written.slice(i, i + n);
      const next = spelled(written).indexOf(
        spelled(phrase),
        spelled(written.slice(0, i + n)).length,
      );
      const content = phrase.find((word) => means.has(word));
      const sources = means.get(content)?.flatMap(([, english]) => english) ?? [];
      if (content && next > 0 && times(words, sources) < 2) return { again: phrase };
    }
  return null;
}
