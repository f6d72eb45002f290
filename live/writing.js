/* What the figures that write text share. */
import { one } from "./core.js";

/* A page of the book has an address that others can open; the output of a cell has none. */
export const IN_BOOK = Boolean(globalThis.document?.currentScript?.src);

export const visible = (token) => token.replace(/ /g, "␣").replace(/\n/g, "¶");
export const spoken = (token) => ({ " ": "a space", "\n": "a line break" })[token] ?? `“${visible(token)}”`;
export const capital = (words) => words[0].toUpperCase() + words.slice(1);

export function percent(p) {
  return p < 0.0005 ? "< 0.1 %" : `${p < 0.0995 ? one(100 * p) : Math.round(100 * p)} %`;
}
