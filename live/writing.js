/* What the figures that write text share. */
import { one } from "./numbers.js";

export const visible = (token) => token.replace(/ /g, "␣").replace(/\n/g, "¶");
export const spoken = (token) => ({ " ": _`a space`, "\n": _`a line break` })[token] ?? `“${visible(token)}”`;
export const capital = (words) => words[0].toUpperCase() + words.slice(1);

export function percent(p) {
  return p < 0.0005 ? "< 0.1 %" : `${p < 0.0995 ? one(100 * p) : Math.round(100 * p)} %`;
}
