// Small things that the theme's search lacks. Jupyter Book loads this file on every page.
"use strict";

// From a folder (file://) a browser may not fetch the pages for excerpts; the titles do.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// Excerpts are taken from the text of a page alone, and hold each formula once.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const htmlToText = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const around = "#jb-print-docs-body, .bd-header-article, .bd-sidebar-secondary, footer";
    page.querySelectorAll(`${around}, .katex-mathml`).forEach((each) => each.remove());
    return htmlToText(page.documentElement.outerHTML, anchor);
  };
});
