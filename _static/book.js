// Small things that the theme's search lacks. Jupyter Book loads this file on every page.
"use strict";

// From a folder (file://) a browser may not fetch the pages for excerpts; the titles do.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// Excerpts are taken from the text of a page alone, and hold each formula once.
function mendExcerpts() {
  const htmlToText = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const around = "#jb-print-docs-body, .bd-header-article, .bd-sidebar-secondary, footer";
    page.querySelectorAll(`${around}, .katex-mathml`).forEach((each) => each.remove());
    return htmlToText(page.documentElement.outerHTML, anchor);
  };
}

// Sphinx marks a word wherever its letters stand, "out" in "about". Only words stay marked, with
// their usual endings, so that "mask" still finds "masks".
function markWordsOnly(root) {
  for (const mark of root.querySelectorAll("span.highlighted")) {
    const inside = /[\p{L}\p{N}]$/u.test(mark.previousSibling?.data ?? "");
    const [rest] = /^[\p{L}\p{N}]*/u.exec(mark.nextSibling?.data ?? "");
    if (inside || !/^(|s|es|d|ed|ing)$/.test(rest)) mark.replaceWith(...mark.childNodes);
  }
}

// The index is loaded with the first use of the search, not with every page. The theme meets this
// stand-in; the true `Search` of searchtools.js, a constant, comes to lie over it.
const searchPage = /\/search(\.html)?$/.test(location.pathname);
let searchLoaded;
function loadSearch() {
  return (searchLoaded ??= (async () => {
    const root = document.documentElement.dataset.content_root;
    const fields = [...document.querySelectorAll("input[name=q]")];
    const typed = new Map();
    fields.forEach((field) => field.addEventListener("input", () => typed.set(field, field.value)));
    for (const file of ["_static/language_data.js", "_static/searchtools.js", "searchindex.js"]) {
      const script = document.createElement("script");
      script.src = root + file;
      await new Promise((done, failed) => {
        script.onload = done;
        script.onerror = failed;
        document.head.append(script);
      });
      // searchtools.js empties the fields as it starts; what is typed later comes behind the rest.
      typed.forEach((value, field) => (field.value = value));
    }
    mendExcerpts();
  })());
}
if (!searchPage)
  window.Search = {
    performSearch: (query) => loadSearch().then(() => Search.performSearch(query)),
  };

document.addEventListener("DOMContentLoaded", () => {
  if (searchPage) mendExcerpts();
  document.querySelector("#pst-search-dialog input")?.addEventListener("focus", loadSearch);
  window.setTimeout(() => markWordsOnly(document.body), 20); // Sphinx marks after 10
  const found = document.getElementById("search-results");
  const watched = found ?? document.getElementById("pst-search-dialog");
  if (watched)
    new MutationObserver(() => markWordsOnly(watched)).observe(watched, {
      childList: true,
      subtree: true,
    });
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
