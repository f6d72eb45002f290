/* What live figures are made of: elements, and what there is to see as data, brought in step with them. */

import { abs, clamp, count, hypot, max, min, one, two } from "./numbers.js";

const SVG = new Set(["svg", "g", "rect", "path", "circle", "text", "tspan", "image"]);

/* An element with attributes and children; "on..." is a listener. */
export function make(tag, about = {}, ...children) {
  const element = SVG.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  element.append(...children.flat(Infinity).filter((child) => child != null));
  return set(element, about);
}

export function set(element, about) {
  for (const [name, value] of Object.entries(about))
    if (name.startsWith("on")) element[name] = value;
    else if (value == null || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value);
  return element;
}

/* What there is to see: a tag, its attributes and its children, which are such data, words, or an
element that is there already, such as an input. Of null and false there is nothing to see. */
export const h = (tag, about = {}, ...children) => ({ tag, about, children: children.flat(Infinity) });

/* A button, and what explains a drawing. */
export const tap = (label, act, about) => h("button", { type: "button", onclick: act, ...about }, label);
export const legend = (...words) => h("p", { class: "legend" }, words);

/* Bring the children of an element in step with what is wanted, place by place. */
export function bring(parent, wanted) {
  wanted.forEach((each, i) => {
    const there = parent.childNodes[i],
      child = standing(each, there);
    if (!there) parent.append(child);
    else if (child !== there) there.replaceWith(child);
    if (!each?.tag) return;
    const was = child.was ?? {};
    for (const name of Object.keys(was)) if (!(name in each.about)) set(child, { [name]: null });
    for (const [name, value] of Object.entries(each.about)) if (value !== was[name]) set(child, { [name]: value });
    child.was = each.about;
    bring(child, each.children);
  });
  while (parent.childNodes.length > wanted.length) parent.lastChild.remove();
}

/* The node for it: the one that stands there, if it can be brought in step, or a new one. Nothing is
an empty text, so that what comes behind it keeps its place. */
function standing(each, there) {
  if (each instanceof Node) return each;
  if (each?.tag) return there?.was && there.localName === each.tag ? there : make(each.tag);
  const words = each == null || each === false ? "" : String(each);
  if (there?.nodeType !== Node.TEXT_NODE) return document.createTextNode(words);
  if (there.data !== words) there.data = words;
  return there;
}

/* Parts of a drawing. `more` is what other attributes one has. */
export const text = (x, y, words, kind = "", more) => h("text", { x: one(x), y: one(y), class: kind, ...more }, words);
export const path = (kind, d, more) => h("path", { class: kind, d, ...more });
export const circle = (kind, r, x = 0, y = 0, more) => h("circle", { class: kind, r, cx: one(x), cy: one(y), ...more });
export const rect = (kind, x, y, width, height, rx = 3, more) =>
  h("rect", { class: kind, x: one(x), y: one(y), width: one(width), height: one(height), rx, ...more });
export const slanted = (x, y, words, angle = 45, kind = "small") =>
  h("text", { transform: `translate(${one(x)} ${y}) rotate(-${angle})`, class: kind }, words);
export const box = (kind, ...children) => h("div", { class: kind }, children);
export const trace = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${one(x)} ${one(y)}`).join("");
/* A bar from `zero` to `end`, and one that stands on `zero`, up or down. */
export const bar = (kind, zero, end, y, height, more) =>
  rect(kind, min(zero, end), y, max(abs(end - zero), 1), height, 2, more);
export const column = (kind, x, width, zero, height, more) =>
  rect(kind, x, min(zero, zero - height), width, max(abs(height), 0.6), 1, more);

/* More weight is more ink, and the number on it stays legible, or the word. */
export const ink = (weight) => (0.05 + 0.95 * clamp(weight, 0, 1)).toFixed(3);
const onInk = (weight) => "small mid" + (weight > 0.62 ? " on" : weight >= 0.45 ? " half" : "");
export const tint = (kind, weight) => ({
  class: `${kind} tint${weight > 0.62 ? " full" : ""}`,
  style: `--share:${(0.95 * clamp(weight, 0, 1)).toFixed(3)}`,
});

/* Diagonal strokes inside a rectangle: what is masked. */
export function hatch(x, y, width, height) {
  let d = `M${x} ${y}h${width}v${height}h${-width}Z`;
  for (let k = 6; k < width + height; k += 6) {
    const start = k <= width ? [x + k, y] : [x + width, y + k - width];
    d += trace([start, k <= height ? [x, y + k] : [x + k - height, y + height]]);
  }
  return path("hatch", d);
}

/* A weight as ink in a cell, with its number on it; hatched, if it is masked. */
export function weighed(weight, x, y, side, masked) {
  const empty = masked && !weight;
  return [
    rect("cell", x + 1, y + 1, side - 2, side - 2, 3, { "fill-opacity": empty ? 0 : ink(weight) }),
    masked && hatch(x + 1, y + 1, side - 2, side - 2),
    text(x + side / 2, y + side / 2 + 4, empty ? "" : two(weight), masked ? "small mid strong" : onInk(weight)),
  ];
}

/* A picture; one whose parts can be pressed or moved is a group. */
export const drawing = (width, height, label, ...children) =>
  h("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, children);
export const group = (width, height, label, more, ...children) =>
  h("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label, ...more }, children);

/* A picture of pixels, each as `paint(x, y)` says: red, green, blue and opacity, up to 255. */
export function pixels(width, height, paint) {
  const canvas = make("canvas", { width, height });
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(width, height);
  for (const y of count(height)) for (const x of count(width)) image.data.set(paint(x, y), 4 * (width * y + x));
  pen.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

/* A part that arrow keys move. `about` says where it is. */
export const handle = (label, about, ...parts) =>
  h("g", { role: "slider", tabindex: 0, class: "handle", "aria-label": label, ...about }, parts);

/* Which of some places is nearest to one, if it is so near. */
export function nearby(places, [x, y], reach) {
  const far = places.map(([left, top]) => hypot(left - x, top - y));
  return min(...far) < reach ? far.indexOf(min(...far)) : null;
}

/* Where a pointer is, in the units of a drawing. */
export function spot(svg, event) {
  const frame = svg.getBoundingClientRect();
  const unit = svg.viewBox.baseVal.width / frame.width;
  return [(event.clientX - frame.left) * unit, (event.clientY - frame.top) * unit];
}
