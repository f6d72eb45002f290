/* The arithmetic that live figures share, and how numbers are said. */

export const { abs, floor, hypot, log, max, min, sqrt } = Math;

export const count = (n) => Array.from({ length: n }, (_, i) => i);
export const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);
export const dot = (a, b) => sum(a.map((x, i) => x * b[i]));
export const largest = (numbers) => numbers.indexOf(max(...numbers));
export const clamp = (x, low, high) => min(max(x, low), high);
export const minus = (words) => String(words).replace("-", "−");
export const one = (x) => x.toFixed(1); // also for coordinates
export const two = (x) => minus(Number.isNaN(x) ? "nan" : x.toFixed(2).replace(/^-(?=0\.00$)/, ""));
export const percentage = (share) => `${Math.round(100 * share)} %`;
export const linear = (from, to, start, end) => (x) => start + ((x - from) / (to - from)) * (end - start);

/* A function that remembers what it returned, for the last 100 of its arguments. */
export function remembered(work) {
  const known = new Map();
  return (...given) => {
    const key = JSON.stringify(given);
    if (!known.has(key)) known.set(key, work(...given));
    if (known.size > 100) known.delete(known.keys().next().value);
    return known.get(key);
  };
}

/* Numbers on their way from those of `a` to those of `b`, of one shape; others are there at once. */
export function between(a, b, t) {
  if (typeof b === "number") return Number.isFinite(a) && Number.isFinite(b) ? a + t * (b - a) : b;
  if (!Array.isArray(b) || a?.length !== b.length) return b;
  return b.map((each, i) => between(a[i], each, t));
}

/* A score of -Infinity is one that is not allowed: weight 0, and only zeros if all are. */
export function softmax(scores) {
  const top = max(...scores);
  if (top === -Infinity) return scores.map(() => 0);
  const exponentials = scores.map((s) => Math.exp(s - top));
  const total = sum(exponentials);
  return exponentials.map((e) => e / total);
}
