/* What a key-value cache needs, by a model's design and the length of a text. Of the page: models,
{name: heads, width, groups, latent, rotary, full, windowed, window}, completed by memory.py; mixed,
{name: for each kind of layer how many, numbers, last tokens, every how many}, which are only drawn; start,
length and bits, what is shown first, and the bits a number of the grey curves. GB are 10^9 bytes. */
import {
  Figure,
  abs,
  bar,
  box,
  circle,
  clamp,
  count,
  drawing,
  floor,
  h,
  linear,
  make,
  max,
  min,
  one,
  path,
  set,
  sum,
  text,
  trace,
} from "../core.js";
import memoryCss from "./memory.css";

const { log2 } = Math;
const TEXT_LENGTHS = count(13).map((k) => 2 ** (k + 8));
const YOURS = "your design";
const ROOMS = { "8 GB laptop": 8e9, "80 GB accelerator": 80e9 };

/* How many heads may keep keys and values: all, or a divisor, or none, which is latent attention. */
function groupChoices({ heads }) {
  const fewer = count(heads).map((k) => heads - k);
  return [...fewer.filter((g) => heads % g === 0), 0];
}

/* A layer's bytes for one token, and those of all layers for n tokens, of a model with so many groups and
layers with a window. */
const layerBytes = ({ width, latent, rotary }, groups, bits) =>
  ((groups ? 2 * groups * width : latent + rotary) * bits) / 8;
const cacheBytes = (model, { groups, windowed }, n, bits) =>
  layerBytes(model, groups, bits) * ((model.layers - windowed) * n + windowed * min(n, model.window));
const mixedBytes = (kinds, n, bits) =>
  (sum(kinds.map(([layers, numbers, last, every]) => (layers * numbers * min(n, last)) / every)) * bits) / 8;
/* A curve, by steps of a quarter of a doubling, as powers of two. */
const curveOf = (bytes) => count(49).map((k) => log2(bytes(2 ** (8 + k / 4))));
/* What each of the known models keeps of n tokens. */
const knownModels = ({ models, mixed, bits }) => [
  ...Object.entries(models).map(([name, model]) => ({ name, bytes: (n) => cacheBytes(model, model, n, bits) })),
  ...Object.entries(mixed).map(([name, kinds]) => ({ name, bytes: (n) => mixedBytes(kinds, n, bits) })),
];

const grand = (n) => n.toLocaleString("en");
function sized(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
  while (bytes >= 999.5 && units.length > 1) [bytes] = [bytes / 1000, units.shift()];
  return `${+bytes.toPrecision(3)}\u00a0${units[0]}`;
}

export default class Memory extends Figure {
  static title = "How large is the key-value cache of one text?";
  static hint =
    "make the text longer until it needs more than 8 GB. Which single change brings it back below that line? And which change bends the curve?";
  static style = memoryCss;
  static measured = true;
  static moves = ["curve", "dot", "bars"];

  static compute({ models, bits: usual }, state) {
    const { model, groups, windowed, n, bits } = state;
    const own = models[model];
    const { heads, layers } = own;
    if (!groupChoices(own).includes(groups) || !count(layers + 1).includes(windowed))
      throw RangeError("a foreign state");
    const each = layerBytes(own, groups, bits);
    const grows = each * (layers - windowed);
    const slides = each * windowed;
    const total = cacheBytes(own, state, n, bits);
    // One choice after the other: multi-head, then shared or latent, then windows, then bits.
    const open = { ...state, windowed: 0 };
    const designs = [{ ...open, groups: heads }, open, state];
    const steps = [...designs.map((design) => cacheBytes(own, design, n, usual)), total];
    return {
      changed: groups !== own.groups || windowed !== own.windowed,
      grows,
      slides,
      total,
      steps,
      texts: floor(ROOMS["80 GB accelerator"] / total),
      curve: curveOf((n) => cacheBytes(own, state, n, bits)),
      dot: [log2(n), log2(total)],
      bars: steps.map((step) => step / max(...steps)),
    };
  }

  /* Another model brings its own design. */
  change(name, value) {
    if (name === "model") {
      const { groups, windowed } = this.spec.models[value];
      Object.assign(this.state, { model: value, groups, windowed });
      for (const show of Object.values(this.show)) show();
    }
    super.change(name, value);
  }

  get own() {
    return this.spec.models[this.state.model];
  }

  controls() {
    const { models, model, n, bits } = this.spec;
    const chosen = this.choice("model", "model", Object.keys(models), model);
    this.models = chosen.querySelector("select");
    this.models.append(make("option", { hidden: true, disabled: true }, YOURS));
    const length = this.slider("n", "length", TEXT_LENGTHS, n, (n) => `${grand(n)} tokens`);
    return [chosen, length, this.slider("bits", "bits", [4, 8, 16, 32], bits), this.groups(), this.windowed()];
  }

  /* Two controls whose values depend on the model. */
  groups() {
    const names = () => ({ 0: "none: latent", 1: "1: multi-query", [this.own.heads]: `${this.own.heads}: multi-head` });
    const listen = () => this.change("groups", groupChoices(this.own)[input.selectedIndex]);
    const input = make("select", { onchange: listen });
    const show = () => {
      const words = groupChoices(this.own).map((g) => names()[g] ?? `${g}: grouped-query`);
      input.replaceChildren(...words.map((each) => make("option", {}, each)));
      input.selectedIndex = groupChoices(this.own).indexOf(this.state.groups);
    };
    return this.control("groups", "key-value heads", this.own.groups, input, show);
  }

  windowed() {
    const listen = () => this.change("windowed", +input.value);
    const input = make("input", { type: "range", min: 0, oninput: listen });
    const output = make("output");
    const show = () => {
      set(input, { max: this.own.layers }).value = this.state.windowed;
      output.textContent = `${this.state.windowed} of ${this.own.layers}`;
      set(input, { "aria-valuetext": output.textContent });
    };
    const label = "layers with a window";
    return this.control("windowed", label, this.own.windowed, input, show, output);
  }

  view(numbers) {
    if (numbers.changed) this.models.selectedIndex = this.models.length - 1;
    else this.show.model();
    const wide = clamp(this.stage.clientWidth, 320, 680);
    return box("panels alone", this.chart(numbers, wide), this.savings(numbers, wide));
  }

  /* Curves from 2^8 to 2^20 tokens, between the least and the most bytes that can be chosen. */
  chart({ changed, total, curve, dot }, wide) {
    const end = wide - 122; // of the curves, before the names
    const { models, bits } = this.spec;
    const all = Object.values(models);
    const least = all.map(({ layers, width }) => 64 * layers * min(2 * width, 64));
    const most = all.map(({ layers, width, heads }) => 2 ** 22 * layers * max(2 * heads * width, 1088));
    const [low, high] = [log2(min(...least)), log2(max(...most))];
    const x = linear(8, 20, 56, end);
    const y = linear(low, high, 290, 30);
    const line = (curve) => trace(curve.map((each, k) => [x(8 + k / 4), y(each)]));
    const known = knownModels(this.spec)
      .map(({ name, bytes }) => ({ name, curve: curveOf(bytes) }))
      .sort((a, b) => b.curve.at(-1) - a.curve.at(-1));
    const ends = known.map(({ curve }) => y(curve.at(-1)));
    // The names that keep their distance; the chosen model's is one.
    const named = [];
    for (const k of [known.findIndex(({ name }) => name === this.state.model), ...ends.keys()])
      if (named.every((other) => abs(ends[other] - ends[k]) > 14)) named.push(k);
    const units = [6, 7, 8, 9, 10, 11, 12, 13]
      .map((power) => 10 ** power)
      .filter((bytes) => log2(bytes) > low && log2(bytes) < high);
    const rooms = Object.entries(ROOMS).map(([words, bytes]) => [words, y(log2(bytes))]);
    const [right, under, kind] = dot[0] < 14 ? [9, 17, ""] : [2, -11, "end"];
    return drawing(
      wide,
      328,
      "Bytes of one text against its length, on logarithmic axes",
      text(
        2,
        12,
        ["key-value cache of one text", h("tspan", { class: "muted" }, `\u2003grey: at ${bits} bits a number`)],
        "small strong",
      ),
      path("line", `M56 30V290H${end}`),
      units.map((bytes) => text(50, y(log2(bytes)) + 4, sized(bytes), "small end muted")),
      (wide > 400 ? [8, 12, 16, 20] : [8, 14, 20]).map((at) => text(x(at), 306, grand(2 ** at), "small mid muted")),
      text((56 + end) / 2, 324, "length in tokens", "small mid"),
      known.map(({ name, curve }, k) => [
        path("known", line(curve)),
        named.includes(k) &&
          text(end + 6, ends[k] + 4, name, `small ${!changed && name === this.state.model ? "strong key" : "muted"}`),
      ]),
      rooms.map(([, at]) => path("limit", `M56 ${one(at)}H${end}`)),
      path("curve", line(curve)),
      rooms.map(([words, at]) => text(62, at - 4, words, "small halo")),
      circle("dot", 6, x(dot[0]), y(dot[1])),
      text(x(dot[0]) + right, y(dot[1]) + under, sized(total), `small strong halo ${kind}`),
    );
  }

  /* One bar for each choice, from nothing saved to the reader's design. */
  savings({ steps, bars }, wide) {
    const { groups, windowed, bits } = this.state;
    const { heads, layers, latent, rotary, window } = this.own;
    const top = (k) => 36 + 44 * k;
    const shared = groups
      ? `${groups} key-value ${groups > 1 ? "heads" : "head"}`
      : `a latent vector of ${latent} + ${rotary} numbers`;
    const labels = [
      `all ${heads} heads keep keys and values, in ${layers} layers, ${this.spec.bits} bits`,
      shared,
      windowed ? `and a window of ${grand(window)} in ${windowed} of ${layers} layers` : "and no window",
      `and ${bits} bits a number: your cache`,
    ];
    const factor = (k) => {
      const ratio = (steps[k - 1] ?? steps[k]) / steps[k];
      const by = grand(+max(ratio, 1 / ratio).toPrecision(3));
      return by === "1" ? "" : `${ratio > 1 ? "÷" : "×"} ${by}\u2003`;
    };
    return drawing(
      wide,
      192,
      "What each choice saves at this length",
      text(1, 12, "what each choice saves, one after the other", "small strong"),
      steps.map((step, k) => [
        text(1, top(k), labels[k], "small"),
        text(wide - 1, top(k), [h("tspan", { class: "muted" }, factor(k)), sized(step)], "small end strong"),
        bar(k < 3 ? "before" : "bar-key", 1, 1 + (wide - 2) * bars[k], top(k) + 6, 14),
      ]),
    );
  }

  words({ changed, grows, slides, total, steps, texts }) {
    const { model, n } = this.state;
    const whose = changed ? `your design, begun from ${model},` : model;
    const dropped = slides ? ` for good and ${grand(slides)} for ${grand(this.own.window)} tokens` : "";
    return (
      `${grand(n)} tokens need ${sized(total)}, ${one((100 * total) / steps[0])}\u00a0% of what multi-head attention needs at ${this.spec.bits} bits: an 80\u00a0GB accelerator has room for ${grand(texts)} such texts. ` +
      `A token of ${whose} leaves ${grand(grows)} bytes${dropped}.`
    );
  }

  table({ grows, slides, total }) {
    const usual = this.spec.bits;
    const { n, bits } = this.state;
    const row = (name, bits, each, all) => [name, bits, grand(each), sized(all)];
    const known = knownModels(this.spec).map(({ name, bytes }) => row(name, usual, bytes(1), bytes(n)));
    const shown = row("as shown", bits, grows + slides, total);
    return [["design", "bits", "bytes, 1 token", `${grand(n)} tokens`], shown, ...known];
  }
}
