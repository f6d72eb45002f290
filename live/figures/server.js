/* A server's memory: texts join, grow and leave, and three ways to give them room. Of the page:
passes, for each pass its places, [text, tokens, the numbers of its blocks] or null; longest, the
tokens of the longest text, a whole number of blocks of `size`; start, the pass that is shown first. */
import { Figure, box, count, drawing, floor, max, min, rect, sum, text } from "../core.js";

const [WIDTH, HEIGHT] = [42, 32]; // of a block
const WAYS = ["reserve", "pad", "pages"];
const unused = (used, held) => (held ? 1 - used / held : 0);
const rounded = (share) => `${(100 * share).toFixed(0)} %`;

/* The tokens for which a text holds room, in a pass with these texts. */
const room = (way, { longest, size }, texts, [, , blocks]) =>
  ({ reserve: longest, pad: max(...texts.map(([, tokens]) => tokens)), pages: size * blocks.length })[way];

export default class Server extends Figure {
  static title = "How much memory is held, and how much of it is used?";
  static hint = "play it with reserve, pad and pages. Where is the memory that nobody uses?";

  static compute(spec, { way, time }) {
    const { longest, size, passes } = spec;
    const row = longest / size; // blocks of a place
    const blocks = count(passes[time].length * row).map(() => [-1, 0, 0]); // whose it is, tokens, held
    const texts = passes[time].filter(Boolean);
    passes[time].forEach((each, place) => {
      if (!each) return;
      const [name, tokens, table] = each;
      const held = room(way, spec, texts, each);
      for (let k = 0; k * size < held; k++) {
        const at = way === "pages" ? table[k] : place * row + k;
        blocks[at] = [name, min(max(tokens - k * size, 0), size), min(held - k * size, size)];
      }
    });
    const [used, held] = [1, 2].map((part) => sum(blocks.map((each) => each[part])));
    const until = passes.slice(0, time + 1).map((places) => places.filter(Boolean));
    const mean = WAYS.map((one) => {
      const all = sum(until.flatMap((those) => those.map((each) => room(one, spec, those, each))));
      return unused(sum(until.flat().map(([, tokens]) => tokens)), all);
    });
    return { blocks, texts: texts.length, used, held, empty: unused(used, held), mean };
  }

  controls() {
    const times = count(this.spec.passes.length);
    const ways = WAYS.map((way) => [way, way]);
    return [
      this.pressed("way", ways, "reserve"),
      this.together(this.player("time", times, 250), this.slider("time", "pass", times, this.spec.start)),
    ];
  }

  view({ blocks, empty, mean }) {
    const { longest, size } = this.spec;
    const row = longest / size;
    const block = ([owner, tokens, held], k) => {
      const [x, y] = [4 + WIDTH * (k % row), 30 + HEIGHT * floor(k / row)];
      const part = (n) => ((WIDTH - 4) * n) / size;
      return [
        rect("ghost", x, y, WIDTH - 4, HEIGHT - 6, 2),
        rect(held ? "rim" : "under", x, y, part(held), HEIGHT - 6, 2),
        rect("cell", x, y, part(tokens), HEIGHT - 6, 2, { "fill-opacity": 0.28 }),
        text(x + WIDTH / 2 - 2, y + 18, owner < 0 ? "" : owner + 1, "small mid" + (tokens ? " strong" : " muted")),
      ];
    };
    const [width, height] = [2 + WIDTH * row, 36 + HEIGHT * (blocks.length / row)];
    return box(
      "panels",
      drawing(
        width,
        height,
        `Memory in ${blocks.length} blocks`,
        text(4, 18, `${blocks.length} blocks of ${size} tokens`, "small muted"),
        text(
          width - 2,
          18,
          `unused: ${rounded(empty)}, so far ${rounded(mean[WAYS.indexOf(this.state.way)])}`,
          "strong end",
        ),
        blocks.map(block),
      ),
    );
  }

  words({ texts, used, held, empty, mean }) {
    const how = {
      reserve: "Each holds a row of full length, whatever it needs.",
      pad: "Each holds as much as the longest of them.",
      pages: "Each holds the blocks that it has begun, anywhere.",
    }[this.state.way];
    const means = WAYS.map((way, k) => `${rounded(mean[k])} with ${way}`).join(", ");
    return `${rounded(empty)} is held, but unused: ${texts} texts with ${used} tokens hold room for ${held}. ${how} Since the first pass: ${means}.`;
  }

  table({ blocks }) {
    const named = blocks.map(([owner, tokens, held], k) => [
      String(k),
      owner < 0 ? "free" : String(owner + 1),
      `${tokens} of ${held}`,
    ]);
    return [["block", "text", "tokens"], ...named];
  }
}
