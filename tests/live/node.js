/* Runs code for the tests: one request a line, { code, given }, one answer a line. `code` is the body
of a function of `given`. What scripts share on a page is forgotten between two codes. */
const { createInterface } = require("node:readline");
const functions = new Map();
let data;

function answer({ code, given }) {
  if (given.data) return (data = given.data) && true;
  Object.assign(globalThis, { attentionFigures: {}, attentionEngine: null, attentionData: data });
  if (!functions.has(code)) functions.set(code, new Function("given", `"use strict";\n${code}`));
  return functions.get(code)(given);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  let said;
  try {
    said = { result: answer(JSON.parse(line)) };
  } catch (error) {
    said = { error: error.stack };
  }
  console.log(JSON.stringify(said, (_name, x) => (Number.isNaN(x) ? "nan" : x)));
});
