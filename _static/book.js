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

// Numbers and words of the text light up in the drawing that has them, and the reverse.
function joinTextAndDrawing(figure) {
  const plain = (words) =>
    words
      .trim()
      .toLowerCase()
      .replace("−", "-")
      .replace(/ min$/, "")
      .replace(/^(-?)0?\./, "$1.");
  const parts = new Map();
  for (const each of figure.querySelectorAll("svg text")) {
    const name = plain(each.textContent);
    const part = each.closest("g") ?? each; // a name and its cells
    if (name.length > 1) parts.set(name, [...(parts.get(name) ?? []), part]);
  }
  const section = figure.closest("section");
  const texts = document.createTreeWalker(section, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const around = texts.currentNode.parentElement;
    if (
      around.closest("p, figcaption") &&
      around.closest("section") === section &&
      !around.closest(".katex, a, details")
    )
      found.push(texts.currentNode);
  }
  for (const node of found) {
    if (node.parentElement.closest("em")) {
      mark(node.parentElement.closest("em"));
      continue;
    }
    const pieces = node.data.split(/([−-]?\d*\.?\d+)/);
    if (!pieces.some((piece, i) => i % 2 && parts.has(plain(piece)))) continue;
    node.replaceWith(
      ...pieces.map((piece, i) =>
        i % 2 && parts.has(plain(piece))
          ? mark(Object.assign(document.createElement("span"), { textContent: piece }))
          : piece,
      ),
    );
  }
  function mark(word) {
    const drawn = parts.get(plain(word.textContent)) ?? [];
    if (!drawn.length) return word;
    word.classList.add("in-drawing");
    for (const [from, to] of [
      [[word], drawn],
      [drawn, [word]],
    ])
      for (const each of from)
        for (const [name, lit] of [
          ["mouseenter", true],
          ["mouseleave", false],
        ])
          each.addEventListener(name, () => to.forEach((one) => one.classList.toggle("lit", lit)));
    return word;
  }
}
document.addEventListener("DOMContentLoaded", () => {
  for (const id of ["figure-1-3", "figure-4-3", "figure-8-2"]) {
    const figure = document.getElementById(id);
    if (figure) joinTextAndDrawing(figure);
  }
});

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
