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
