// The search, formulas that are copied, paper. Jupyter Book loads this file on every page.
"use strict";

// The index is loaded with the first use of the search, not with every page.
let searchLoaded;
function loadSearch() {
  return (searchLoaded ??= (async () => {
    const root = document.documentElement.dataset.content_root;
    for (const file of ["minisearch.js", "sections.js", "find.js"]) {
      const script = document.createElement("script");
      script.src = `${root}_static/${file}`;
      await new Promise((done, failed) => {
        script.onload = done;
        script.onerror = failed;
        document.head.append(script);
      });
    }
  })());
}
// The name by which the theme asks for what is typed.
window.Search = {
  performSearch: (query) => loadSearch().then(() => globalThis.BookSearch.show(query)),
};

document.addEventListener("DOMContentLoaded", () => {
  document.querySelector("#pst-search-dialog input")?.addEventListener("focus", loadSearch);
  const asked = new URLSearchParams(location.search).get("q");
  if (!/\/search(\.html)?$/.test(location.pathname)) return;
  for (const field of document.querySelectorAll("input[name=q]")) field.value = asked ?? "";
  if (asked) Search.performSearch(asked);
});

// What is copied of a formula is its LaTeX, not the letters that draw it.
document.addEventListener("copy", (event) => {
  const range = getSelection().rangeCount ? getSelection().getRangeAt(0).cloneRange() : null;
  if (!range || !event.clipboardData) return;
  const whole = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest(".katex");
  const [first, last] = [whole(range.startContainer), whole(range.endContainer)];
  if (first) range.setStartBefore(first);
  if (last) range.setEndAfter(last);
  const copied = document.createElement("div");
  copied.append(range.cloneContents());
  const formulas = copied.querySelectorAll(".katex");
  if (!formulas.length) return;
  event.clipboardData.setData("text/html", copied.innerHTML);
  for (const each of formulas) {
    const tex = each.querySelector("annotation").textContent;
    const display = each.closest(".katex-display");
    (display ?? each).replaceWith(display ? `\n$$${tex}$$\n` : `$${tex}$`);
  }
  event.clipboardData.setData("text/plain", copied.textContent);
  event.preventDefault();
});

// Paper is white: who reads in the dark prints in the light.
let theme = null;
addEventListener("beforeprint", () => {
  theme ??= document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
});
addEventListener("afterprint", () => {
  if (theme) document.documentElement.dataset.theme = theme;
  theme = null;
});

// Numbers and stressed words of the text light up with the parts of a drawing that say them, and the reverse.
function joinTextAndDrawing(figure) {
  const plain = (words) =>
    words
      .trim()
      .toLowerCase()
      .replace("−", "-")
      .replace(/ min$/, "")
      .replace(/^(-?)0?\./, "$1.");
  const labels = Map.groupBy(figure.querySelectorAll("svg text"), (each) => plain(each.textContent));
  const drawn = (words) => (plain(words).length > 1 ? (labels.get(plain(words)) ?? []) : []);
  function join(word) {
    // A name in a drawing stands in a group with its cells.
    const joined = [word, ...drawn(word.textContent).map((each) => each.closest("g") ?? each)];
    const light = ({ type }) => joined.forEach((each) => each.classList.toggle("lit", type === "mouseenter"));
    word.classList.add("in-drawing");
    for (const each of joined) for (const type of ["mouseenter", "mouseleave"]) each.addEventListener(type, light);
    return word;
  }
  const number = (text) => join(Object.assign(document.createElement("span"), { textContent: text }));
  const section = figure.closest("section");
  for (const text of section.querySelectorAll("p:not(figcaption > p), .caption-text")) {
    if (text.closest("section") !== section || text.closest("details")) continue;
    for (const node of [...text.childNodes].filter((each) => each.nodeType === Node.TEXT_NODE)) {
      const pieces = node.data.split(/([−-]?\d*\.?\d+)/);
      node.replaceWith(...pieces.map((each) => (/\d/.test(each) && drawn(each).length ? number(each) : each)));
    }
    for (const word of text.querySelectorAll("em")) if (drawn(word.textContent).length) join(word);
  }
}
document.addEventListener("DOMContentLoaded", () =>
  document.querySelectorAll("#figure-1-3, #figure-4-3, #figure-8-2").forEach(joinTextAndDrawing),
);

// The page as Markdown: copied, or, where that can't be, opened.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a.copy-page");
  if (!link || !navigator.clipboard || location.protocol === "file:") return;
  event.preventDefault();
  const text = await (await fetch(link.href)).text();
  await navigator.clipboard.writeText(text);
  link.textContent = "copied";
});

// What has been read and solved: kept in this browser alone, as { page: [what] }, and never sent.
const KEPT = "attention-progress";
const CORE = "core";
function readProgress() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}
const pageName = (address) =>
  new URL(address, location).pathname
    .split("/")
    .pop()
    .replace(/\.html$/, "");

function showProgress() {
  const done = readProgress();
  for (const link of document.querySelectorAll(".bd-links a")) {
    const found = done[pageName(link.href)] ?? [];
    const solved = found.filter((what) => what !== CORE).length;
    const words = [found.includes(CORE) ? "✓" : "", solved ? `${solved} solved` : ""].filter(Boolean).join(" ");
    let mark = link.querySelector(".progress-mark");
    if (!mark) link.append((mark = Object.assign(document.createElement("span"), { className: "progress-mark" })));
    mark.textContent = words && ` ${words}`;
    mark.hidden = !words;
    mark.setAttribute("role", "img"); // so that its name is read in place of its sign
    mark.setAttribute("aria-label", words.replace("✓", "core read"));
  }
}

function box(what, words) {
  const label = Object.assign(document.createElement("label"), { className: "progress-box" });
  const input = Object.assign(document.createElement("input"), { type: "checkbox" });
  const page = pageName(location.href);
  input.checked = (readProgress()[page] ?? []).includes(what);
  input.addEventListener("change", () => {
    const done = readProgress();
    const others = (done[page] ?? []).filter((each) => each !== what);
    localStorage.setItem(KEPT, JSON.stringify({ ...done, [page]: input.checked ? [...others, what] : others }));
    showProgress();
  });
  label.append(input, ` ${words}`);
  return label;
}

document.addEventListener("DOMContentLoaded", () => {
  try {
    localStorage.getItem(KEPT);
  } catch {
    return; // a browser that keeps nothing
  }
  document.querySelector("#going-further")?.before(box(CORE, "I have read the core of this page"));
  for (const exercise of document.querySelectorAll("section.exercise"))
    exercise.append(box(exercise.id.match(/^exercise-\d+-\d+/)[0], "solved"));
  const foot = document.querySelector(".page-foot");
  if (foot) {
    const reset = Object.assign(document.createElement("button"), {
      type: "button",
      textContent: "forget what I have read and solved",
    });
    reset.addEventListener("click", () => {
      localStorage.removeItem(KEPT);
      for (const each of document.querySelectorAll(".progress-box input")) each.checked = false;
      showProgress();
    });
    foot.append(" · ", reset);
  }
  showProgress();
});
