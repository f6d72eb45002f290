/* A server's memory: the same texts arrive, wait, grow and leave, with three ways to give them room. Of the
page: requests, [pass in which it arrives, tokens of its prompt, of its answer] of each text; room, the tokens
of the memory, whole rows of `longest`, the tokens of the longest text; size, of a block; start and last, of
the passes that are shown. */
import { Figure } from "../core.js";
import { box, drawing, hatch, legend, rect, text } from "../drawing.js";
import { count, floor, max, min, percentage, remembered, sum } from "../numbers.js";

const WAYS = [_`reserve`, _`pad`, _`pages`];

/* Of each pass: the parts of the memory, [text, from, tokens, held], and of each text whether it has not come (0),
waits (1), is in memory (2) or is answered (3). Where there is no more room, the newest gives way. */
const served = remembered((way, { requests, room, longest, size, last }) => {
  const unit = { reserve: longest, pages: size }[way]; // what is held at once; none: as much as the longest has
  const fit = (those) => {
    const sizes = those.map((each) => each.tokens + 1); // after this pass
    return (unit ? sum(sizes.map((n) => unit * Math.ceil(n / unit))) : max(...sizes) * sizes.length) <= room;
  };
  const texts = requests.map(([arrives, tokens, answer]) => ({ arrives, tokens, end: tokens + answer, units: [] }));
  const free = unit ? count(room / unit) : [];
  const leave = (each) => free.push(...each.units.splice(0));
  const [waiting, total] = [[...texts], { used: 0, held: 0 }]; // since the first pass
  let running = [];
  return count(last + 1).map((pass) => {
    running.filter((each) => each.tokens === each.end).forEach(leave);
    running = running.filter((each) => each.tokens < each.end);
    while (waiting[0]?.arrives <= pass && fit([...running, waiting[0]])) running.push(waiting.shift());
    while (running.length && !fit(running)) {
      leave(running.at(-1));
      waiting.unshift(running.pop());
    }
    for (const each of running) {
      each.tokens += 1;
      while (unit && each.units.length * unit < each.tokens) each.units.push(free.pop());
    }
    const most = max(...running.map((each) => each.tokens));
    const parts = running.flatMap((each, place) => {
      const part = (from, before, all) => [texts.indexOf(each), from, min(each.tokens - before, all), all];
      return unit ? each.units.map((at, k) => part(unit * at, unit * k, unit)) : [part(most * place, 0, most)];
    });
    total.used += sum(parts.map((part) => part[2]));
    total.held += sum(parts.map((part) => part[3]));
    const stage = (each) => (running.includes(each) ? 2 : each.tokens === each.end ? 3 : +(each.arrives <= pass));
    return { parts, stages: texts.map(stage), empty: total.held && 1 - total.used / total.held };
  });
});

export default class Server extends Figure {
  static takes = "requests room longest size start last";
  static title = _`One memory, three ways to give room: who waits?`;
  static hint = _`stop the clock where the first text has to wait. Who holds the room that is empty?`;
  static measured = true;

  static compute(spec, { time }) {
    const ways = WAYS.map((way) => served(way, spec)[time]);
    const number = (stage) => ways.map(({ stages }) => stages.filter((each) => each === stage).length);
    const [waiting, inside, answered] = [1, 2, 3].map(number);
    return { ways, waiting, inside, answered };
  }

  controls() {
    const { last, start, requests } = this.spec;
    const [reserve, pad, pages] = this.compute({ time: last }).answered;
    const clock = [this.player("time", count(last + 1), 160), this.slider("time", _`pass`, count(last + 1), start)];
    const question = _`By pass ${last}, reserve will have answered ${reserve} texts. And pages?`;
    return [this.ask(question, [reserve, pad, pages, requests.length], pages), this.together(...clock)];
  }

  view({ ways, waiting, answered }) {
    const { room, longest, requests } = this.spec;
    const wide = this.stage.clientWidth || 320;
    const [line, tiles, narrow] = [(wide - 40) / 3, 8, wide < 500 ? 16 : 0]; // tiles in a row
    const [unit, side, high] = [line / longest, line / tiles, narrow ? 17 : 26];
    const [top, below] = [22 + narrow, 46 + narrow + (high * room) / longest];
    const memory = ({ parts, stages }, k) => {
      const left = (line + 20) * k;
      const [used, held] = [2, 3].map((which) => sum(parts.map((part) => part[which]))); // now
      const said = (y, words, more) => [
        text(left, y, words, "strong"),
        narrow ? text(left, y + 16, more, "small") : text(left + line, y, more, "small end"),
      ];
      /* From one token to another, in as many rows as that takes. */
      const stretch = (kind, from, to) =>
        count(room / longest).map((row) => {
          const [a, b] = [max(from - row * longest, 0), min(to - row * longest, longest)];
          const place = [left + unit * a, top + high * row, max(unit * (b - a) - 1, 0.5), high - 3];
          return b > a && [rect(kind, ...place, 1), kind === "line" && b - a > 2 && hatch(...place)];
        });
      const filled = ([, at, used, held]) => [
        stretch("line", at + used, at + held),
        stretch("bar-odds", at, at + used),
      ];
      const tile = (stage, i) => {
        const [x, y] = [left + side * (i % tiles), below + 6 + narrow + high * floor(i / tiles)];
        const number = !narrow && text(x + side / 2 - 1, y + 16, i + 1, `small mid${stage === 3 ? " on" : ""}`);
        return [rect(["ghost", "amiss", "band edge", "bar-odds"][stage], x + 1, y, side - 4, high - 4), number];
      };
      return [
        said(12, WAYS[k], _`${percentage(held && 1 - used / held)} empty now`),
        stretch("ghost", 0, room),
        parts.map(filled),
        said(below - 4, _`${answered[k]} answered`, _`${waiting[k]} waiting`),
        stages.map(tile),
      ];
    };
    const bottom = below + 6 + narrow + high * Math.ceil(requests.length / tiles);
    const drawn = drawing(wide, bottom, _`Three memories, and who is answered`, ways.map(memory));
    const marks = _`Reserve: room for the longest text that may come. Pad: as much as the longest one has now. Pages: a block at a time. Room: solid is used, hatched is held and empty. Texts: red waits, framed is in memory, solid is answered.`;
    return box("panels alone", drawn, legend(marks));
  }

  words({ ways, waiting, answered }) {
    const empty = ways.map((each) => percentage(each.empty));
    const { time } = this.state;
    const so = _`room held empty keeps readers waiting`;
    const judged = this.judged(answered[2], so, time === this.spec.last);
    return _`${judged}By pass ${time}, reserve has answered ${answered[0]} of the ${this.spec.requests.length} texts, pad ${answered[1]} and pages ${answered[2]}. Waiting: ${waiting[0]}, ${waiting[1]} and ${waiting[2]}. Of the room that they held so far, ${empty[0]}, ${empty[1]} and ${empty[2]} was empty on average.`;
  }

  table({ ways, waiting, inside, answered }) {
    const rows = WAYS.map((way, k) => [way, answered[k], inside[k], waiting[k], percentage(ways[k].empty)]);
    return [[_`way`, _`answered`, _`in memory`, _`waiting`, _`held so far, empty`], ...rows];
  }
}
