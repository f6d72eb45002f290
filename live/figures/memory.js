/* What a key-value cache needs. */
import { Figure, box, circle, count, drawing, floor, linear, make, max, min, one, path, rect, see, set, sum, text, trace } from "../core.js";
import memoryCss from "./memory.css";

const { log2 } = Math;
const TEXT_LENGTHS = count(13).map((k) => 2 ** (k + 8));
const YOURS = "your design";
const ROOMS = { "8 GB laptop": 8e9, "80 GB accelerator": 80e9 };

/* What a reader can change of a model: no groups are latent attention. */
const designOf = ({ groups, latent, windowed, window }) => ({ groups, latent, windowed, window });
const designInUse = ({ groups, latent, windowed, window }) => String([groups, groups ? 0 : latent, windowed, windowed ? window : 0]);
const groupChoices = ({ heads }) => [
  ...count(heads)
    .map((k) => heads - k)
    .filter((g) => heads % g === 0),
  0,
];

/* A layer's bytes for one token, and those of all layers for n tokens. */
const layerBytes = ({ width, rotary }, { groups, latent }, bits) => ((groups ? 2 * groups * width : latent + rotary) * bits) / 8;
const cacheBytes = (model, design, n, bits) => layerBytes(model, design, bits) * ((model.layers - design.windowed) * n + design.windowed * min(n, design.window));
/* And those along a curve, by steps of a quarter of a doubling, as powers of two. */
const cacheCurve = (model, design, bits) => count(49).map((k) => log2(cacheBytes(model, design, 2 ** (8 + k / 4), bits)));

const grand = (n) => n.toLocaleString("en");
function sized(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
  while (bytes >= 999.5 && units.length > 1) [bytes] = [bytes / 1000, units.shift()];
  return `${+bytes.toPrecision(3)}\u00a0${units[0]}`;
}
function shareOfAll(part) {
  const told = { 2: "twice", 1: "exactly", 0.5: "half of", 0.25: "a quarter of" }[part];
  if (told || 1 / part === 3) return told ?? "a third of";
  const percent = 100 * part;
  if (percent < 0.1) return "less than 0.1\u00a0% of";
  const whole = percent > 10 && Math.round(percent) !== 100;
  return `${whole ? Math.round(percent) : one(percent)}\u00a0% of`;
}

export default class Memory extends Figure {
  static style = memoryCss;
  static moves = ["curve", "dot", "bars", "split"];

  static compute({ models, bits: usual }, state) {
    const { model, groups, windowed, window, n, bits } = state;
    const own = models[model];
    const { heads, layers } = own;
    if (!groupChoices(own).includes(groups) || !count(layers + 1).includes(windowed)) throw RangeError("a foreign state");
    const each = layerBytes(own, state, bits);
    const grows = each * (layers - windowed);
    const slides = each * windowed;
    const parts = [grows * n, slides * min(n, window)];
    const total = sum(parts);
    // One choice after the other: multi-head, then shared or latent, then windows, then bits.
    const open = { ...state, windowed: 0 };
    const designs = [{ ...open, groups: heads }, open, state];
    const steps = [...designs.map((design) => cacheBytes(own, design, n, usual)), total];
    const most = max(...steps);
    return {
      changed: designInUse(state) !== designInUse(own),
      grows,
      slides,
      parts,
      total,
      steps,
      texts: floor(ROOMS["80 GB accelerator"] / total),
      curve: cacheCurve(own, state, bits),
      dot: [log2(n), log2(total)],
      bars: steps.map((step) => step / most),
      split: parts.map((part) => part / most),
    };
  }

  /* Another model brings its own design. */
  change(name, value) {
    if (name === "model") {
      Object.assign(this.state, designOf(this.spec.models[value]), { model: value });
      for (const show of Object.values(this.show)) show();
    }
    super.change(name, value);
  }

  get own() {
    return this.spec.models[this.state.model];
  }

  build() {
    const { models, model, n, bits, windows } = this.spec;
    const { latent, window } = models[model];
    const chosen = this.choice("model", "model", Object.keys(models), model);
    this.models = chosen.querySelector("select");
    this.models.append(make("option", { hidden: true, disabled: true }, YOURS));
    const latents = count(16).map((k) => 64 * (k + 1));
    this.latent = this.slider("latent", "latent width", latents, latent);
    this.window = this.slider("window", "window", windows, window, (w) => `${grand(w)} tokens`);
    this.say = make("p", { class: "say", "aria-live": "polite" });
    return [
      box(
        "controls",
        chosen,
        this.slider("bits", "bits", [4, 8, 16, 32], bits),
        this.slider("n", "length", TEXT_LENGTHS, n, (n) => `${grand(n)} tokens`),
      ),
      box("controls", this.groups(), this.latent),
      box("controls", this.windowed(), this.window),
      box("panels", this.chart(), box("", this.savings(), this.say)),
    ];
  }

  /* Two controls whose values depend on the model. */
  groups() {
    const names = () => ({
      0: "none: latent",
      1: "1: multi-query",
      [this.own.heads]: `${this.own.heads}: multi-head`,
    });
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

  /* Curves from 2^8 to 2^20 tokens, between the least and the most bytes that can be chosen. */
  chart() {
    const { models, bits } = this.spec;
    const all = Object.values(models);
    const least = all.map(({ layers, width }) => 64 * layers * min(2 * width, 64));
    const most = all.map(({ layers, width, heads }) => 2 ** 22 * layers * max(2 * heads * width, 1088));
    const [low, high] = [log2(min(...least)), log2(max(...most))];
    this.x = linear(8, 20, 50, 226);
    this.y = linear(low, high, 290, 44);
    const known = Object.entries(models)
      .map(([name, model]) => ({ name, curve: cacheCurve(model, model, bits) }))
      .sort((a, b) => b.curve.at(-1) - a.curve.at(-1));
    const ends = known.map(({ curve }) => this.y(curve.at(-1)));
    // The names keep their distance, and the middle of all stays where it is.
    const places = [];
    for (const end of ends) places.push(max(end, (places.at(-1) ?? 0) + 15));
    const down = (sum(ends) - sum(places)) / ends.length;
    this.names = known.map(({ name }, k) => text(241, places[k] + down + 4, name, "small"));
    this.curve = path("curve");
    this.dot = circle("dot", 6);
    this.note = text(0, 0, "", "small strong halo");
    const grey = make("tspan", { class: "muted" }, `\u2003grey: at ${bits} bits a number`);
    const rooms = Object.entries(ROOMS).map(([words, bytes]) => [words, this.y(log2(bytes))]);
    const units = [6, 7, 8, 9, 10, 11, 12, 13].map((power) => 10 ** power).filter((bytes) => log2(bytes) > low && log2(bytes) < high);
    return drawing(
      345,
      328,
      "Bytes of one text against its length, on logarithmic axes",
      text(2, 12, ["memory for one text", grey], "small strong"),
      path("line", "M50 44V290H226"),
      units.map((bytes) => text(45, this.y(log2(bytes)) + 4, sized(bytes), "small end muted")),
      [8, 12, 16, 20].map((at) => text(this.x(at), 306, grand(2 ** at), "small mid muted")),
      text(138, 324, "length in tokens", "small mid"),
      known.map(({ curve }, k) => [path("known", this.points(curve)), path("lead", `M227 ${one(ends[k])}L238 ${one(places[k] + down)}`)]),
      rooms.map(([, y]) => path("limit", `M50 ${one(y)}H226`)),
      [this.names, this.curve],
      rooms.map(([words, y]) => text(56, y - 4, words, "small halo")),
      [this.dot, this.note],
    );
  }

  points(curve) {
    return trace(curve.map((y, k) => [this.x(8 + k / 4), this.y(y)]));
  }

  /* One bar for each choice, from nothing saved to the reader's design. */
  savings() {
    const top = (k) => 36 + 44 * k;
    const bar = (kind, k) => rect(kind, 1, top(k) + 6, 0, 14, 2);
    this.labels = count(4).map((k) => text(1, top(k), "", "small"));
    this.values = count(4).map((k) => text(344, top(k), "", "small end strong"));
    this.bars = count(3).map((k) => bar("before", k));
    this.split = ["bar-key", "fill-key"].map((kind) => bar(kind, 3));
    this.parts = [22, 222].map((x) => text(x, 209, "", "small"));
    const samples = this.parts.map((_, k) => rect(["bar-key", "fill-key"][k], [1, 201][k], 199, 14, 12, 2));
    this.legend = make("g", {}, samples, this.parts);
    return drawing(345, 216, "What each choice saves at this length", text(1, 12, "what each choice saves at this length", "small strong"), [
      this.labels,
      this.values,
      this.bars,
      this.split,
      this.legend,
    ]);
  }

  paint({ changed, total, parts, steps, curve, dot, bars, split }) {
    const { model, groups, latent, windowed, window, bits } = this.state;
    const { heads, layers, rotary } = this.own;
    if (changed) this.models.selectedIndex = this.models.length - 1;
    else this.show.model();
    set(this.latent, { hidden: groups > 0 });
    set(this.window, { hidden: !windowed });
    for (const each of this.names) {
      const chosen = !changed && each.textContent === model;
      set(each, { class: `small ${chosen ? "strong key" : "muted"}` });
    }
    const [x, y] = [this.x(dot[0]), this.y(dot[1])];
    const [right, down, kind] = x < 120 ? [9, 16, ""] : [2, -11, "end"];
    set(this.curve, { d: this.points(curve) });
    set(this.dot, { cx: one(x), cy: one(y) });
    set(this.note, { x: one(x + right), y: one(y + down), class: `small strong halo ${kind}` });
    this.note.textContent = sized(total);
    const shared = groups ? `${groups} key-value ${groups > 1 ? "heads" : "head"}` : `a latent vector of ${latent} + ${rotary} numbers`;
    const labels = [
      `multi-head, ${heads} heads in ${layers} layers, ${this.spec.bits} bits`,
      shared,
      windowed ? `a window of ${grand(window)} in ${windowed} of ${layers} layers` : "no window",
      `${bits} bits a number`,
    ];
    steps.forEach((step, k) => {
      const ratio = (steps[k - 1] ?? step) / step;
      const by = grand(+max(ratio, 1 / ratio).toPrecision(3));
      const factor = by === "1" ? "" : `${ratio > 1 ? "÷" : "×"} ${by}\u2003`;
      this.labels[k].textContent = labels[k];
      this.values[k].replaceChildren(make("tspan", { class: "muted" }, factor), sized(step));
    });
    this.bars.forEach((bar, k) => set(bar, { width: one(max(342 * bars[k], 1)) }));
    this.split.forEach((bar, k) => {
      set(bar, { x: one(1 + 342 * k * split[0]), width: one(max(342 * split[k], 1)) });
      see(bar, parts[k] > 0);
      this.parts[k].textContent = `${["layers that keep all", "windowed"][k]}: ${sized(parts[k])}`;
    });
    see(this.legend, windowed > 0);
  }

  words({ changed, grows, slides, total, steps, texts }) {
    const { model, windowed, window, n, bits } = this.state;
    const usual = this.spec.bits;
    const drop = `in layers that drop them ${grand(window)} tokens later`;
    const leaves = [grows ? `${grand(grows)} bytes${slides ? " for good" : ""}` : [], slides ? `${grand(slides)} bytes ${drop}` : []];
    const begun = changed ? `Your design, begun from ${model}: a` : "A";
    const all = `multi-head attention ${windowed ? "without windows " : ""}would need` + (bits === usual ? "" : ` with ${usual} bits`);
    const such = texts > 1 ? `${grand(texts)} such texts` : "one such text";
    const room = texts ? `room for ${such} and nothing else` : "no room for such a text";
    return (
      `${begun} token leaves ${leaves.flat().join(", and ")}. ${grand(n)} tokens need ` +
      `${sized(total)}, ${shareOfAll(total / steps[0])} what ${all}. ` +
      `An 80\u00a0GB accelerator has ${room}.`
    );
  }

  table({ grows, slides, total }) {
    const { models, bits: usual } = this.spec;
    const { n, bits } = this.state;
    const row = (name, bits, each, all) => [name, bits, grand(each), sized(all)];
    const known = Object.entries(models).map(([name, model]) => {
      const [each, all] = [1, n].map((k) => cacheBytes(model, model, k, usual));
      return row(name, usual, each, all);
    });
    const shown = row("as shown", bits, grows + slides, total);
    return [["design", "bits", "bytes a token", `${grand(n)} tokens`], shown, ...known];
  }
}
