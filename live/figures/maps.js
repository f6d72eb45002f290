/* All attention maps of a released model for one text, in data/maps.json: a carpet of small ones,
the one that is chosen, and the text with what one token attends to. */
import {
  ARROWS,
  Figure,
  bar,
  box,
  clamp,
  count,
  dataOf,
  drawing,
  floor,
  h,
  ink,
  make,
  path,
  rect,
  remembered,
  set,
  slanted,
  spot,
  sum,
  text,
  tint,
  two,
} from "../core.js";
import mapsCss from "./maps.css";

const LEAST = 0.04; // of a row: what is less is a few units of 1/255, too few to be divided
const CARPET = { left: 30, top: 20, pitch: 23 };
const MAP = { left: 54, top: 48, wide: 11, high: 12.5 }; // of a cell

let bytesOfMaps;
const mapBytes = () => (bytesOfMaps ??= Uint8Array.from(atob(dataOf("maps").weights), (c) => c.charCodeAt(0)));

/* The weights of a head, row by row; bare: what each row has but for the first token, if anything. */
function matrixOf(block, head, bare) {
  const { tokens, heads } = dataOf("maps");
  const n = tokens.length;
  const start = ((block * heads + head) * n * (n + 1)) / 2;
  return tokens.map((_, i) => {
    const from = start + (i * (i + 1)) / 2;
    const row = Array.from(mapBytes().subarray(from, from + i + 1), (byte) => byte / 255);
    row.push(...Array(n - 1 - i).fill(0));
    if (!bare) return row;
    row[0] = 0;
    const left = sum(row);
    return row.map((weight) => (left < LEAST ? 0 : weight / left));
  });
}

/* What is left out, and a row that has nothing, is paper. */
function inksOf(row, bare) {
  const empty = bare && !sum(row);
  return row.map((weight, j) => (empty || (bare && !j) ? 0 : ink(weight)));
}

/* The small maps as ink on a canvas, a pixel for each weight. */
const carpetOf = remembered((bare) => {
  const { tokens, blocks, heads } = dataOf("maps");
  const pitch = tokens.length + 2;
  const size = { width: pitch * blocks, height: pitch * heads };
  const carpet = set(make("canvas"), size);
  const pen = carpet.getContext("2d");
  const image = pen.createImageData(size.width, size.height);
  for (const k of count(blocks))
    for (const head of count(heads))
      matrixOf(k, head, bare).forEach((row, i) => {
        const start = (pitch * head + i) * size.width + pitch * k;
        inksOf(row.slice(0, i + 1), bare).forEach((each, j) => (image.data[4 * (start + j) + 3] = 255 * each));
      });
  pen.putImageData(image, 0, 0);
  return carpet;
});

const short = (token) => (token.length > 8 ? `${token.slice(0, 3)}…` : token.trim());
const brief = (weight) => (weight < 0.005 ? "" : two(weight).replace("0.", ".").replace(".00", ""));
const arrows = (act) => (event) => {
  if (!ARROWS[event.key]) return;
  act(...ARROWS[event.key]);
  event.preventDefault();
};

export default class Maps extends Figure {
  static title = "All 270 attention maps of a small language model";
  static hint =
    "point at the last three tokens: what do they attend to, and why there? Which column stands out in blocks 12 to 29? Switch it off. Then find a head with a line just below the diagonal.";
  static style = mapsCss;
  static data = "maps"; // it begins when they are there
  static moves = ["matrix", "row", "shares"];

  static compute(spec, { block, head, token, bare, focus }) {
    const matrix = matrixOf(block, head, bare);
    const at = focus ?? token;
    // From the third token on, the first, the one before and the token itself are three.
    const rows = count(matrix.length).filter((i) => i > 1 && sum(matrix[i]) > 0);
    const total = sum(rows.map((i) => sum(matrix[i])));
    const share = (key) => (total ? sum(rows.map((i) => matrix[i][key(i)])) / total : 0);
    const shares = [share(() => 0), share((i) => i - 1), share((i) => i)];
    return { matrix, at, row: matrix[at], shares };
  }

  controls() {
    const { tokens, blocks, heads } = dataOf("maps");
    Object.assign(this.state, { token: tokens.length - 1, focus: null });
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.playing = this.player("token", count(tokens.length), 700);
    this.say = make("p", { class: "say", "aria-live": "polite" });
    return [
      this.slider("block", "block", count(blocks), 18),
      this.slider("head", "head", count(heads), 6),
      this.toggle("bare", "without the first token", false),
    ];
  }

  view(numbers) {
    const { model, blocks, heads } = dataOf("maps");
    const about = `All ${blocks * heads} attention maps of ${model} for this text. Press one, then a row or a token.`;
    return [
      this.sentence(numbers),
      this.say,
      h("p", { class: "legend" }, about),
      this.carpet(),
      box("panels", this.large(numbers), this.shares(numbers)),
    ];
  }

  /* The text, in which each token has the weight that the chosen one gives it. */
  sentence({ at, row }) {
    const { tokens } = dataOf("maps");
    const { token, bare } = this.state;
    const walk = (down, right) => {
      this.choose(clamp(token + down + right, 0, tokens.length - 1));
      this.stage.querySelector(".word[aria-pressed=true]").focus();
    };
    const word = (each, i) => {
      const kind = ["word", each[0] === " " && "apart", (i > at || (bare && !i)) && "masked", i === at && "self"];
      const tinted = tint(kind.filter(Boolean).join(" "), row[i]);
      const about = {
        type: "button",
        tabindex: i === token ? 0 : -1, // one stop for Tab, then the arrows
        "aria-pressed": String(i === token),
        "aria-label": `${each.trim()}: ${i > at ? "masked" : two(row[i])}`,
        onclick: () => this.choose(i),
        onkeydown: arrows(walk),
        onpointerenter: () => this.focus(i),
        onpointerleave: () => this.focus(null),
      };
      return h(
        "button",
        { ...about, ...tinted },
        h("span", {}, each.trim()),
        h("span", { class: "number" }, brief(row[i])),
      );
    };
    return h("div", { class: "sentence", role: "group", "aria-label": "tokens" }, this.playing, tokens.map(word));
  }

  choose(token) {
    this.stop();
    this.change("token", token);
  }

  /* The small maps: a canvas, and on it what is chosen. */
  carpet() {
    const { blocks, heads } = dataOf("maps");
    const { block, head } = this.state;
    const { left, top, pitch } = CARPET;
    const [width, height] = [left + pitch * blocks + 2, top + pitch * heads + 2];
    const percent = (part, all) => `${(100 * part) / all}%`;
    this.canvas.style.cssText = `left:${percent(left, width)};top:${percent(top, height)};width:${percent(pitch * blocks, width)};height:${percent(pitch * heads, height)}`;
    const chart = drawing(
      width,
      height,
      "Small maps: a column for each block, a row for each head",
      text(0, 13, "block", "small muted"),
      slanted(9, top + pitch * (heads / 2) + 15, "head", 90, "small muted"),
      count(blocks).map((k) => text(left + pitch * (k + 0.5) - 1, 13, k, "small mid muted")),
      count(heads).map((k) => text(left - 4, top + pitch * (k + 0.5) + 3, k, "small end muted")),
      rect("frame", left + pitch * block - 1.5, top + pitch * head - 1.5, pitch + 1, pitch + 1, 3),
    );
    const under = (event) => {
      const [x, y] = spot(event.currentTarget, event);
      const [k, head] = [floor((x - left) / pitch), floor((y - top) / pitch)];
      return k < 0 || head < 0 || k >= blocks || head >= heads ? null : [k, head];
    };
    Object.assign(chart.about, {
      class: "press",
      onclick: (event) => under(event) && this.pick(...under(event)),
      onpointermove: (event) =>
        set(event.currentTarget.parentNode, {
          title: under(event) && `block ${under(event)[0]}, head ${under(event)[1]}`,
        }),
    });
    const walk = (down, right) => this.pick(clamp(block + right, 0, blocks - 1), clamp(head + down, 0, heads - 1));
    const about = {
      class: "carpet scroll",
      tabindex: 0,
      role: "group",
      "aria-label": "small maps, arrow keys go from one to the next",
      onkeydown: arrows(walk),
    };
    return h("div", about, box("maps", this.canvas, chart));
  }

  pick(block, head) {
    this.state.head = head;
    this.show.head();
    this.change("block", block);
  }

  /* The chosen map. */
  large({ matrix, at }) {
    const { tokens } = dataOf("maps");
    const { bare } = this.state;
    const { left, top, wide, high } = MAP;
    const n = tokens.length;
    const stroke = (i, j) => `M${left + wide * j} ${top + high * (i + 1)}l${wide}-${high}`;
    const strokes = matrix.flatMap((row, i) => row.map((_, j) => (j > i || (bare && !j) ? stroke(i, j) : ""))).join("");
    const chart = drawing(
      left + wide * n + 2,
      top + high * n + 2,
      "The chosen map: rows are queries, columns are keys",
      text(left - 5, top - 22, "keys", "small end key"),
      text(left - 5, top - 6, "queries", "small end query"),
      tokens.map((token, i) =>
        text(left - 5, top + high * (i + 0.5) + 4, short(token), `small end ${i === at ? "strong query" : ""}`),
      ),
      tokens.map((token, j) => slanted(left + wide * (j + 0.5) + 4, top - 5, short(token), 90)),
      matrix.map((row, i) =>
        inksOf(row.slice(0, i + 1), bare).map((each, j) =>
          rect("cell", left + wide * j, top + high * i, wide, high, 0, { "fill-opacity": each }),
        ),
      ),
      path("hatch", strokes),
      rect("frame", left - 1, top + high * at - 1, wide * (at + 1) + 2, high + 2, 2),
    );
    const under = (event) => {
      const i = floor((spot(event.currentTarget, event)[1] - top) / high);
      return i >= 0 && i < n ? i : null;
    };
    Object.assign(chart.about, {
      class: "press",
      onpointermove: (event) => this.focus(under(event)),
      onpointerleave: () => this.focus(null),
      onclick: (event) => under(event) !== null && this.choose(under(event)),
    });
    return chart;
  }

  /* Where the weight of all tokens goes, from the third on. */
  shares({ shares }) {
    const { block, head } = this.state;
    const names = ["first token", "token before", "token itself", "elsewhere"];
    const all = [...shares, clamp(1 - sum(shares), 0, 1)];
    return drawing(
      340,
      122,
      "Where the weight of this head goes",
      text(0, 14, `block ${block}, head ${head}: where its weight goes`, "strong"),
      all.map((share, k) => [
        text(0, 42 + 25 * k, names[k], "small"),
        bar("cell", 90, 90 + 205 * share, 28 + 25 * k, 18, { "fill-opacity": ink(share) }),
        text(96 + 205 * share, 42 + 25 * k, two(share), "small"),
      ]),
    );
  }

  /* A canvas has no style: it is painted in the hue that the theme of now gives it. */
  paint(numbers) {
    super.paint(numbers);
    const { block, bare } = this.state;
    const hue = getComputedStyle(this.canvas).color;
    if (this.painted !== hue + bare) this.colour(carpetOf(bare), hue);
    this.painted = hue + bare;
    if (block !== this.followed) this.follow(block);
  }

  colour(carpet, hue) {
    const { width, height } = carpet;
    set(this.canvas, { width: 2 * width, height: 2 * height });
    const pen = this.canvas.getContext("2d");
    Object.assign(pen, { imageSmoothingEnabled: false, fillStyle: hue });
    pen.scale(2, 2);
    pen.drawImage(carpet, 0, 0);
    pen.globalCompositeOperation = "source-in"; // the hue wherever there is ink
    pen.fillRect(0, 0, width, height);
  }

  /* Where the carpet is wider than the page, the chosen block is brought into view. */
  follow(block) {
    this.followed = block;
    const scroller = this.canvas.closest(".scroll"),
      x = CARPET.left + CARPET.pitch * block;
    const { scrollLeft, clientWidth } = scroller;
    if (x < scrollLeft || x + CARPET.pitch > scrollLeft + clientWidth) scroller.scrollLeft = x - clientWidth / 2;
  }

  words({ at, row }) {
    const { tokens } = dataOf("maps");
    const { block, head, bare } = this.state;
    const called = (j) => `“${tokens[j].trim()}” (${j})`;
    const name = (j) => (j === at ? "itself" : j ? called(j) : "the first token");
    const best = count(at + 1)
      .sort((a, b) => row[b] - row[a])
      .slice(0, 3)
      .filter((j) => row[j] >= 0.005);
    const looks = best.map((j) => `${name(j)} ${two(row[j])}`).join(", ") || "nothing";
    const [most] = best;
    const copies = most && most < at && tokens[most - 1].trim() === tokens[at].trim();
    const why = copies ? ` “${tokens[most].trim()}” is what followed the earlier “${tokens[at].trim()}”.` : "";
    return `Block ${block}, head ${head}${bare ? ", without the first token" : ""}: ${called(at)} attends to ${looks}.${why}`;
  }

  table({ matrix }) {
    const names = dataOf("maps").tokens.map((token, i) => `${i} ${token.trim()}`);
    const say = (i) => (weight, j) => (j > i ? "masked" : two(weight));
    return [["query", ...names], ...matrix.map((row, i) => [names[i], ...row.map(say(i))])];
  }
}
