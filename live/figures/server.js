/* A server's memory: texts join, grow and leave, and three ways to give them room. Of the page:
requests, for each text in order of arrival the pass before which it comes, the tokens of its prompt
and those of its answer; places, how many are written at a time; longest, the tokens of the longest
text, a whole number of blocks of `size`; start, the pass that is shown first. */
import { Figure, box, count, drawing, floor, max, min, rect, sum, text } from "../core.js";

const [WIDTH, HEIGHT] = [42, 32]; // of a block
const WAYS = ["reserve", "pad", "pages"].map((way) => [way, way]);

/* All passes, one after another: for each the places, {text, tokens} or null, and its blocks. */
function passes({ requests, places, longest, size }) {
  const free = count((places * longest) / size).reverse(); // the next one is the last of them
  const found = [];
  const waiting = requests.map((each, text) => ({ text, arrives: each[0], tokens: each[1], end: each[1] + each[2], table: [] }));
  let running = Array(places).fill(null);
  while (waiting.length || running.some(Boolean)) {
    running = running.map((each) => {
      if (each) return { ...each, tokens: each.tokens + 1 };
      const next = waiting.findIndex((one) => one.arrives <= found.length);
      return next < 0 ? null : waiting.splice(next, 1)[0];
    });
    for (const each of running.filter(Boolean)) {
      each.table = [...each.table];
      while (each.table.length * size < each.tokens) each.table.push(free.pop());
    }
    found.push(running);
    for (const each of running) if (each?.tokens === each?.end) free.push(...(each?.table ?? []));
    running = running.map((each) => (each && each.tokens < each.end ? each : null));
  }
  return found;
}

export default class Server extends Figure {
  static title = "How much memory is held, and how much of it is used?";
  static hint = "play it with reserve, pad and pages. Where is the memory that nobody uses?";

  static compute(spec, { way, time }) {
    const { longest, size } = spec;
    const running = passes(spec)[time];
    const there = running.filter(Boolean);
    const row = longest / size; // blocks of a place
    const widest = max(0, ...there.map((each) => each.tokens));
    const blocks = count(running.length * row).map(() => [-1, 0, 0]); // whose it is, tokens, held
    running.forEach((each, place) => {
      if (!each) return;
      const held = { reserve: longest, pad: widest, pages: size * each.table.length }[way];
      for (let k = 0; k * size < held; k++) {
        const at = way === "pages" ? each.table[k] : place * row + k;
        blocks[at] = [each.text, min(max(each.tokens - k * size, 0), size), min(held - k * size, size)];
      }
    });
    const [used, held] = [sum(there.map((each) => each.tokens)), sum(blocks.map((each) => each[2]))];
    return { blocks, texts: there.length, used, held, empty: held ? 1 - used / held : 0 };
  }

  controls() {
    const times = count(passes(this.spec).length);
    return [this.pressed("way", WAYS, "reserve"), this.together(this.player("time", times, 250), this.slider("time", "pass", times, this.spec.start))];
  }

  view({ blocks, empty }) {
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
        text(4, 18, `${blocks.length} blocks of ${size} tokens, numbered by text`, "small muted"),
        text(width - 2, 18, `${(100 * empty).toFixed(0)} % unused`, "strong end"),
        blocks.map(block),
      ),
    );
  }

  words({ texts, used, held, empty }) {
    const how = {
      reserve: "Each holds a row of full length, whatever it needs.",
      pad: "Each holds as much as the longest of them.",
      pages: "Each holds the blocks that it has begun, anywhere.",
    }[this.state.way];
    return `${(100 * empty).toFixed(0)} % is held, but unused: ${texts} texts with ${used} tokens hold room for ${held}. ${how}`;
  }

  table({ blocks }) {
    const named = blocks.map(([owner, tokens, held], k) => [String(k), owner < 0 ? "free" : String(owner + 1), `${tokens} of ${held}`]);
    return [["block", "text", "tokens"], ...named];
  }
}
