/* A block that fills hidden patches, with trained weights, in data/patches.json. Of the page, by patches.py: scenes,
each its 64 patches of 48 bytes in base64; hidden; order; hole. */
import { Figure, dataOf } from "../core.js";
import { box, drawing, group, h, legend, path, pixels, rect } from "../drawing.js";
import { abs, count, floor, one, remembered, sum, two } from "../numbers.js";
import { Layers } from "../layers.js";
import patchesCss from "./patches.css";

const PATCHES = 64; // patches, 8 x 8
const TILE = 25; // from one to the next, in units of the drawing
const PATCH_ORDERS = { plain: _`in place`, alone: _`shuffled`, together: _`shuffled with positions` };
const LEAST_ARC = 0.03; // a smaller weight has no arc

const cornerOf = (k) => [TILE * (k % 8), TILE * floor(k / 8)];
const isAdjacent = (i, j) => abs(i - j) === (floor(i / 8) === floor(j / 8) ? 1 : 8);
const patchName = (k) => _`row ${floor(k / 8) + 1}, column ${(k % 8) + 1}`;

class PatchBlock extends Layers {
  /* tokens: { numbers, position }, of a hole without numbers. For each hole its 48 numbers and its
  weights over all tokens, the mean of the heads. */
  fill(tokens) {
    const { hole, position } = this.tensors;
    const maps = this.maps("own");
    const states = tokens.map((token) => {
      const embedded = token.numbers ? this.linear("embed", token.numbers) : Float64Array.from(hole);
      return embedded.map((value, i) => value + position[this.width * token.position + i]);
    });
    const filled = this.block("block", { part: "own", layer: 0 }, states, { keys: [], values: [] }, maps);
    return tokens.map(({ numbers }, query) => {
      if (numbers) return null;
      const weights = tokens.map((_, key) => sum(maps.own[0].map((rows) => rows[query][key])) / this.heads);
      return { numbers: [...this.linear("output", this.norm("norm", filled[query]))], weights };
    });
  }
}

const patchBlock = remembered(() => new PatchBlock(dataOf("patches")));
const patchNumbers = remembered((scene) => {
  const bytes = Array.from(atob(scene), (letter) => letter.charCodeAt(0) / 255 - dataOf("patches").middle);
  return count(PATCHES).map((k) => bytes.slice(48 * k, 48 * k + 48));
});

/* What is put into the holes: patches and positions have one entry for each token. */
const filledIn = remembered((scene, patches, positions, hidden) => {
  const numbers = patchNumbers(scene);
  const token = (k, i) => ({ numbers: hidden.includes(k) ? null : numbers[k], position: positions[i] });
  return patchBlock().fill(patches.map(token));
});

/* A patch of four by four pixels as a picture. */
function tileOf(numbers) {
  const level = (x) => 255 * (x + dataOf("patches").middle);
  return pixels(4, 4, (x, y) => [...[0, 16, 32].map((colour) => level(numbers[colour + 4 * y + x])), 255]);
}
const tilesOf = remembered((scene) => patchNumbers(scene).map(tileOf));

export default class Patches extends Figure {
  static title = _`What fills the holes?`;
  static hint = _`shuffle the patches with their positions, too. Then hide a whole object: press its patches.`;
  static style = patchesCss;
  static data = "patches";
  static moves = ["given", "answer"];

  static compute({ scenes, order }, state) {
    const scene = scenes[state.scene];
    const { hidden } = state;
    const patches = state.order === "plain" ? count(PATCHES) : order; // which one each token is
    const positions = state.order === "alone" ? count(PATCHES) : patches;
    const found = filledIn(scene, patches, positions, hidden);
    const numbers = patchNumbers(scene);
    const middle = sum(numbers.flat()) / (48 * PATCHES);
    const apart = (k, guess) => sum(numbers[k].map((value, i) => (guess(i) - value) ** 2));
    const slotOf = count(PATCHES).map((k) => patches.indexOf(k));
    const fills = slotOf.map((slot) => found[slot]?.numbers ?? null);
    const off = (guess) => sum(hidden.map((k) => apart(k, (i) => guess(k, i))));
    const error = hidden.length ? off((k, i) => fills[k][i]) / off(() => middle) : 0;
    const besides = (slot) => (_, key) => isAdjacent(positions[slot], positions[key]);
    const near = slotOf.map((slot) => found[slot] && sum(found[slot].weights.filter(besides(slot))));
    const at = state.focus ?? state.lock;
    const row = found[slotOf[at]]?.weights;
    const weights = row ? slotOf.map((slot) => row[slot]) : null;
    const heldBy = slotOf.map((slot) => positions[slot]);
    const [given, answer] = [slotOf, heldBy].map((places) => places.map(cornerOf));
    return { fills, error, near, at, weights, slotOf, heldBy, given, answer };
  }

  controls() {
    const { scenes, hidden, hole } = this.spec;
    Object.assign(this.state, { hidden, focus: null, lock: hole });
    const errors = ["plain", "alone"].map((order) => this.compute({ order, scene: 0, hidden }).error);
    const [now, then] = errors.map(two);
    const question = _`In scene 1, with the holes of the start, the error is ${now}. What is it once the patches are shuffled without their positions?`;
    return [
      this.ask(question, [now, two(2 * now), then], then, () => this.become({ scene: 0, hidden, order: "alone" })),
      this.pressed("order", Object.entries(PATCH_ORDERS), "plain"),
      this.slider("scene", _`scene`, count(scenes.length), 0, (k) => String(k + 1)),
    ];
  }

  view(numbers) {
    const { hidden } = this.state;
    const tiles = tilesOf(this.spec.scenes[this.state.scene]);
    const { answer: corners, fills } = numbers;
    const given = count(PATCHES).map((k) => this.patch(k, numbers, hidden.includes(k) ? null : tiles[k]));
    const answer = count(PATCHES).map((k) => [
      this.tile(corners[k], fills[k] ? tileOf(fills[k]) : tiles[k]),
      fills[k] && this.rim("filled", corners[k]),
    ]);
    const size = 8 * TILE;
    const arcs = this.arcs(numbers, numbers.given);
    const frame = numbers.at !== null && this.rim("frame", corners[numbers.at]);
    const sheet = (words, picture) => box("sheet", legend(words), picture);
    const patches = group(size, size, _`the patches that are given`, {}, given, arcs);
    const picture = drawing(size, size, _`the picture with its holes filled`, answer, frame);
    return box("panels", sheet(_`what the block is given`, patches), sheet(_`its answer, by position`, picture));
  }

  tile([x, y], href) {
    const [side, place] = [TILE - 1, { x: one(x + 0.5), y: one(y + 0.5) }];
    const about = { href, ...place, width: side, height: side, preserveAspectRatio: "none" };
    return href ? h("image", about) : this.rim("rim dashed", [x, y]);
  }

  rim(kind, [x, y]) {
    return rect(kind, x + 1, y + 1, TILE - 2, TILE - 2, 2);
  }

  patch(k, { given, slotOf }, tile) {
    const slot = slotOf[k];
    const about = {
      ...this.pointed(k),
      "aria-label": _`patch of ${patchName(k)}, ${tile ? _`visible` : _`hidden`}`,
      "aria-pressed": String(!tile),
      onclick: () => this.press(k),
    };
    const parts = [rect("under", ...given[k], TILE, TILE, 0), this.tile(given[k], tile)];
    return this.pressable(() => this.press(k), about, [floor(slot / 8), slot % 8, 8, 8], parts);
  }

  /* From the hole that is looked at to what it attends to. */
  arcs({ at, weights }, corners) {
    if (at === null) return [];
    const middle = ([x, y]) => [x + TILE / 2, y + TILE / 2];
    const [x, y] = middle(corners[at]);
    const arc = (weight, k) => {
      const [x2, y2] = middle(corners[k]);
      const bend = [(x + x2) / 2 + (y2 - y) / 6, (y + y2) / 2 + (x - x2) / 6];
      const d = `M${one(x)} ${one(y)}Q${bend.map(one).join(" ")} ${one(x2)} ${one(y2)}`;
      const line = (kind, more) => path(kind, d, { "stroke-width": one(1 + 6 * weight + more) });
      return k !== at && weight > LEAST_ARC && [line("glow", 1.6), line("arc", 0)];
    };
    return [weights?.map(arc), this.rim("frame", corners[at])];
  }

  press(k) {
    const { hidden } = this.state;
    this.state.lock = k;
    this.change("hidden", hidden.includes(k) ? hidden.filter((each) => each !== k) : [...hidden, k]);
  }

  words({ error, at, near, weights }) {
    const now = {
      plain: _`The block fills the holes from what is visible`,
      together: _`Shuffled with their positions, the patches give the same picture as in place`,
      alone: _`Shuffled without their positions, the holes are filled from the wrong patches`,
    }[this.state.order];
    const look = weights
      ? _`The framed hole gives ${two(near[at])} of its weight to the patches that are adjacent by position.`
      : _`Press a patch to hide it.`;
    const { order, scene, hidden } = this.state;
    const none = _`No patch is visible, so each hole is filled by its position alone`;
    const asked = order === "alone" && !scene && String(hidden) === String(this.spec.hidden);
    const judged = this.judged(two(error), _`only its position places a patch`, asked);
    return _`${judged}${hidden.length === PATCHES ? none : now}: error ${two(error)}, where the picture’s mean has 1. ${look}`;
  }

  table({ near, heldBy }) {
    const rows = this.state.hidden.map((k) => [patchName(k), patchName(heldBy[k]), two(near[k])]);
    return [[_`hole of`, _`its position`, _`weight on adjacent positions`], ...rows];
  }
}
