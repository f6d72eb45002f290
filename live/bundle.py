"""Join the scripts of figures, and display a figure with its data, its script and a still picture.

A module of a figure is an ES module; `joined` needs just two forms of import, `import { a, b } from
"../core.js";` and `import css from "./mask.css";`. All of a bundle becomes one scope, so no name may
stand twice at the top of two modules.
"""

import base64
import inspect
import json
import math
import re
from html import escape, unescape
from importlib import import_module
from pathlib import Path

import numpy as np

from live.words import in_language
from utils.palette import DARK, LIGHT, variables

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "data"
TAG = "attention-live-1"
KINDS = sorted(path.stem for path in (HERE / "figures").glob("*.js"))
SCRIPT = re.compile(r"<script>.*?</script>", re.DOTALL)
# Its flag stands inside, as nbval is given the pattern alone, as text.
DATA_SCRIPT = re.compile(r'<script class="data">(?s:.*?)</script>')
KIND = re.compile(rf'<{TAG} kind="(\w+)"')
IMPORT = re.compile(r'(?m)^import ([^;]*?) from "(\S+)";\n')
TAKES = re.compile(r'(?m)^ *static takes = "([^"]*)";\n')
# Styles may ask for the hues that palette.py has.
PALETTE = {
    "@hues;": f":host{{{variables(LIGHT)}}}:host([theme=dark]){{{variables(DARK)}}}",
    "@night;": variables(DARK),
}

# ---------------------------------------------------------------- scripts


def modules(path, found=None):
    """The files that a module is made of, what is imported before what imports it."""
    found = [] if found is None else found
    if path not in found:
        for _, name in IMPORT.findall(path.read_text(encoding="utf-8")):
            modules((path.parent / name).resolve(), found)
        found.append(path)
    return found


def data_name(kind):
    """The file of `data` that a figure asks for, without .json, or None."""
    code = (HERE / "figures" / f"{kind}.js").read_text(encoding="utf-8")
    match = re.search(r'(?m)^ *static data = "(\w+)";', code)
    return match and match[1]


def maker(kind):
    """The function that makes what a script gets from what a page gives, or None: a script needs none."""
    here = (HERE / "figures" / f"{kind}.py").is_file()
    return import_module(f"live.figures.{kind}").spec if here else None


def takes(kind):
    """{what a page gives a figure: whether it may be left out}.

    The signature of its `spec` says it, or else, in its script, `static takes = "query keys away?"`.
    """
    if spec := maker(kind):
        parameters = inspect.signature(spec).parameters.values()
        return {p.name: p.default is not p.empty for p in parameters}
    match = TAKES.search((HERE / "figures" / f"{kind}.js").read_text(encoding="utf-8"))
    return {name.rstrip("?"): name.endswith("?") for name in match[1].split()} if match else {}


def misfit(kind, given):
    """What is wrong with the names of what a figure is given, in a line, or nothing."""
    options = takes(kind)
    unknown = [name for name in given if name not in options]
    missing = [name for name, optional in options.items() if not optional and name not in given]
    faults = [f"doesn't know {', '.join(unknown)}"] * bool(unknown)
    faults += [f"misses {', '.join(missing)}"] * bool(missing)
    expected = ", ".join(name + " (optional)" * options[name] for name in options) or "nothing"
    where = f"`spec` of {kind}.py" if maker(kind) else f"`static takes` of {kind}.js"
    return f"{kind!r} {' and '.join(faults)}; wanted {expected} ({where})" if faults else ""


def small(code):
    """A script without its comments, its indentation and the line breaks inside statements."""
    code = re.sub(r"(?ms)^ *(/\*.*?\*/|//[^\n]*)\n", "", code)
    code = re.sub(r"(?m)(?<=[;,({[)}\]]) +// [^\n]*$|^ +|^\n", "", code)
    return re.sub(r"(?m)(?<=[({\[,;=>?:&|])\n|,?\n(?=[)}\]])|\n(?=[?:&|]|\.\w)", "", code)


def small_css(rules):
    rules = re.sub(r"\s+", " ", re.sub(r"(?s)/\*.*?\*/", "", rules))
    return re.sub(r" ?([{};,]) ?", r"\1", rules).replace(": ", ":").replace(";}", "}")


def joined(*paths, say=str):
    """One script of several modules and of all that they import, whose sentences are `say(sentence)`."""
    files = []
    for path in paths:
        modules(path, files)
    code = []
    for path in files:
        text = IMPORT.sub("", path.read_text(encoding="utf-8"))
        if path.suffix == ".css":
            for name, rules in PALETTE.items():
                text = text.replace(name, rules)
            text = f"const {path.stem}Css = {json.dumps(small_css(text), ensure_ascii=False)};\n"
        else:
            text = in_language(TAKES.sub("", text), say)
        text = re.sub(r"(?m)^export default (?=class )", f"FIGURES.{path.stem} = ", text)
        code.append(small(re.sub(r"(?m)^export ", "", text)))
    return ";\n".join(code)


def script(*kinds, say=str):
    """The script that draws figures of these kinds, "mask" for example, in a language (`words.py`)."""
    paths = [HERE / "figures" / f"{kind}.js" for kind in kinds]
    return f'(() => {{"use strict";\n{joined(*paths, HERE / "element.js", say=say)}}})();'


def data_script(name):
    """A file of `data` as a script: a file of the book, or part of an output."""
    data = (DATA / f"{name}.json").read_text(encoding="utf-8").strip()
    return f"(window.attentionData ??= {{}}).{name} ??= {data};"


def with_script(html):
    """The output of a live figure with the script of today, as it is stored: without a data file."""
    html = SCRIPT.sub(lambda _: f"<script>{script(KIND.search(html)[1])}</script>", html)
    return DATA_SCRIPT.sub("", html)


# ---------------------------------------------------------------- the output


def markup_of(name):
    """The markup of a drawing of the course."""
    from utils.plot import DRAWINGS

    if not isinstance(name, str) or not (DRAWINGS / f"{name}.svg").is_file():
        raise ValueError(
            f"static is {name!r:.60}; wanted the name of a drawing in chapters/figures"
        )
    return (DRAWINGS / f"{name}.svg").read_text(encoding="utf-8").strip()


def rounded(value, name="the data"):
    """Numbers of six digits; tensors and arrays as lists.

    Raises `ValueError` with the name of what holds a number that can't be drawn: nan, infinite, or
    masked by numpy.
    """
    if np.ma.is_masked(value):
        raise ValueError(f"{name} has numbers that numpy masks; wanted finite numbers")
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        inside = "{}" if name == "the data" else name + "[{!r}]"
        return {str(key): rounded(item, inside.format(key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(item, name) for item in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{name} holds {value}; wanted finite numbers")
        value = float(f"{value:.6g}")
        return int(value) if value == int(value) else value
    return value


def spec_of(html):
    """The data of a figure, from its output."""
    return json.loads(unescape(re.search(r"spec='([^']*)'", html)[1]))


def with_spec(html, spec):
    data = json.dumps(spec, separators=(",", ":"), ensure_ascii=False)
    data = escape(data, quote=False).replace("'", "&#39;")
    return re.sub(r"spec='[^']*'", lambda _: f"spec='{data}'", html, count=1)


def display(kind, spec, static, alt):
    """Display a figure with data and script, and `static` inside it and, a plot, also beside it."""
    from IPython.display import display

    from utils.plot import png, sentence

    about, beside = {"live": kind}, {}
    if isinstance(static, str):
        svg, alt = markup_of(static), sentence(alt)
        width = re.search(r'\bwidth="(\d+)"', svg)[1]
        picture = f"svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
        about["diagram"] = static
    else:
        data, alt, width = png(static, alt)
        picture, beside = f"png;base64,{data}", {"image/png": data}
    image = f'<img alt="{escape(alt)}" width="{width}" src="data:image/{picture}">'
    html = with_spec(f"<{TAG} kind=\"{kind}\" spec=''>", rounded(spec) | {"alt": alt})
    html = f"{html}{image}</{TAG}>"
    if name := data_name(kind):
        html += f'<script class="data">{data_script(name)}</script>'
    html += f"<script>{script(kind)}</script>"
    display(
        {"text/html": html} | beside | {"text/plain": alt},
        metadata={"text/html": {"alt": alt} | about}
        | {name: {"alt": alt, "width": width} for name in beside},
        raw=True,
    )
