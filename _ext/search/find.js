// The search: sections of pages (sections.js, by _ext/search_sections.py), found by MiniSearch.
// _static/book.js loads this file and those two with the first use of the search.
"use strict";

const UNSAID = new Set(
  `a an and are as at be but by can do does for from has have how i if in into is it its me my no
  not of on or so than that the their them then there this to use was we what when where which
  who why with work works you your`.split(/\s+/),
);
// What people type, and what the course calls it.
const ALSO = {
  "√": ["sqrt", "root"],
  sqrt: ["√"],
  root: ["√"],
  scale: ["√", "divide"],
  rnn: ["recurrent", "recurrence"],
  lstm: ["recurrent", "recurrence"],
  gru: ["recurrent", "recurrence"],
  cnn: ["convolution"],
  rope: ["rotary"],
  qkv: ["query", "key", "value"],
  ffn: ["feed", "forward", "network"],
  mlp: ["feed", "forward", "network"],
  gpt: ["language", "model"],
  bpe: ["byte", "pair", "token"],
  nans: ["nan"],
  cls: ["learned", "query"],
  flash: ["fused"],
  flashattention: ["fused", "scaled_dot_product_attention"],
  sdpa: ["scaled_dot_product_attention", "fused"],
  concatenate: ["beside", "add"],
  generate: ["decoding", "write", "token"],
  warmup: ["warm", "up"],
  leak: ["future"],
  generating: ["decoding", "new", "token"],
  output_attentions: ["need_weights"],
  interpretable: ["explanation"],
  interpretability: ["explanation"],
  perplexity: ["bits"],
  lookup: ["query", "key"],
};

// What is offered where nothing is found.
const OFTEN = ["softmax", "mask", "head", "cache"];

// "Paged" attention isn't about pages.
const stem = (word) => (word === "paged" ? word : word.replace(/(?<=\p{L}{3})(?:ings?|ed|es|s|e)$/u, ""));
const split = (text) =>
  text
    .toLowerCase()
    .replace(/√/g, " √ ")
    .split(/[^\p{L}\p{N}_√]+/u)
    .filter((word) => word && !UNSAID.has(word));

let index = null;
function prepare() {
  index = new globalThis.MiniSearch({
    idField: "url",
    fields: ["title", "terms", "page", "text"],
    storeFields: ["page", "title", "text"],
    tokenize: split,
    processTerm: stem,
    searchOptions: {
      boost: { title: 5, terms: 4, page: 4 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.2 : 0),
      weights: { prefix: 0.5, fuzzy: 0.3 },
      boostDocument: (url) => (/glossary|references/.test(url) ? 0.15 : 1),
    },
  });
  index.addAll(globalThis.SECTIONS.map((each) => ({ ...each, terms: (each.terms ?? []).join(" ") })));
}

// Pages, best first, each with its best sections. A word that the query means counts half.
function findPages(query) {
  if (!index) prepare();
  const said = split(query);
  const meant = said.flatMap((word) => ALSO[word] ?? []).filter((word) => !said.includes(word));
  const found = new Map();
  const count = (words, factor) => {
    for (const one of index.search(words.join(" "), { combineWith: "OR" })) {
      const before = found.get(one.id) ?? { ...one, score: 0, terms: [] };
      // Of several words, sections that have more of them come first.
      const share = new Set(one.queryTerms).size / words.length;
      before.score += factor * one.score * share ** 2;
      before.terms.push(...one.terms);
      found.set(one.id, before);
    }
  };
  if (said.length) count(said, 1);
  if (meant.length) count(meant, 0.5);
  const pages = new Map();
  for (const one of [...found.values()].toSorted((a, b) => b.score - a.score)) {
    const page = pages.get(one.page) ?? { score: 0, sections: [] };
    page.score += one.score / 2 ** page.sections.length;
    page.sections.push(one);
    pages.set(one.page, page);
  }
  return [...pages.values()].toSorted((a, b) => b.score - a.score);
}

// Some 30 words of a section around the first place where most of the words are.
function excerpt({ text, terms }) {
  const words = text.split(" ");
  const hit = words.map((word) => split(word).some((part) => terms.includes(stem(part))));
  const around = (k) => hit.slice(k, k + 24).filter(Boolean).length;
  let start = 0;
  for (let k = 1; k < words.length; k++) if (around(k) > around(start)) start = k;
  start = Math.max(0, start - 6);
  const paragraph = document.createElement("p");
  paragraph.className = "context";
  if (start) paragraph.append("… ");
  for (let k = start; k < Math.min(words.length, start + 34); k++) {
    if (hit[k]) {
      const mark = document.createElement("span");
      mark.className = "highlighted";
      mark.textContent = words[k];
      paragraph.append(mark, " ");
    } else paragraph.append(`${words[k]} `);
  }
  if (start + 34 < words.length) paragraph.append("…");
  return paragraph;
}

function show(query) {
  const box = document.getElementById("search-results");
  const pages = findPages(query);
  const root = document.documentElement.dataset.content_root;
  const link = (section, text) => {
    const anchor = document.createElement("a");
    const [file, hash] = section.id.split("#");
    anchor.href = `${root}${file}${hash ? `#${hash}` : ""}`;
    anchor.textContent = text;
    return anchor;
  };
  const summary = document.createElement("p");
  summary.className = "search-summary";
  const count = pages.length === 1 ? "one page" : `${pages.length} pages`;
  summary.textContent = `Search finished: ${pages.length ? count : `nothing about “${query}”`} found.`;
  if (!pages.length) {
    summary.append(" Try another word for it in the ", link({ id: "chapters/glossary.html" }, "glossary"));
    summary.append(", see what ", link({ id: "chapters/questions.html" }, "readers ask"), ", or search for ");
    OFTEN.forEach((word, k) => summary.append(k ? ", " : "", link({ id: `search.html?q=${word}` }, word)));
    summary.append(".");
  }
  const list = document.createElement("ul");
  list.className = "search";
  for (const { sections } of pages.slice(0, 12)) {
    const [best, ...rest] = sections;
    const item = document.createElement("li");
    item.append(link(best, best.page));
    if (best.title !== best.page) item.append(` › ${best.title}`);
    item.append(excerpt(best));
    const more = rest.slice(0, 3).filter((each) => each.score > best.score / 4);
    if (more.length) {
      const others = document.createElement("p");
      others.className = "search-more";
      others.append("Also: ");
      more.forEach((each, k) => others.append(k ? ", " : "", link(each, each.title)));
      item.append(others);
    }
    list.append(item);
  }
  box.replaceChildren(summary, list);
}

globalThis.BookSearch = { show, findPages };
