"""Live figures in the book: their scripts and pictures as files, and those that Markdown pages borrow.

Why: in a notebook each output of `live` carries the script and a picture, so that it works on
Colab and in JupyterLab. In the book each page has one script for all of its figures, a file that is
read before the page is drawn, so that nothing moves, and which says all in the language of the book. The picture, for readers without scripts, is a
file too.

The data files of figures, such as the weights of the trained translator, are files as well, which
the script asks for when a figure that needs them is near the view; so no page holds them.

A comment `<!-- live: chapters/04_scoring_functions#plane -->` in a Markdown page shows that figure of
the notebook; JSON behind the name takes the place of what the figure was given there, `null` takes
it away.
"""

import hashlib
import json
import re
from base64 import b64decode
from pathlib import Path

from docutils import nodes

from live.bundle import DATA_SCRIPT, KIND, KINDS, SCRIPT, TAG, data_name, data_script, script, spec_of, with_spec
from messages import _

PICTURE = re.compile(r'src="data:image/png;base64,([^"]*)"')


def in_page(html):
    """The output of a live figure, without its script and without a data file."""
    return DATA_SCRIPT.sub("", SCRIPT.sub("", html))


def borrow(app, document, docname):
    """Put the figure of another page where a comment asks for it."""
    for comment in list(document.findall(nodes.raw)):
        if match := re.fullmatch(r"<!-- live: (\S+)#(\w+)( \{.*\})? -->\s*", comment.astext()):
            page, kind, options = match.groups()
            nodes_of = app.env.get_doctree(page).findall(nodes.raw)
            start = f'<{TAG} kind="{kind}"'
            html = next((n.astext() for n in nodes_of if n.astext().startswith(start)), None)
            if html is None:
                raise ValueError(f"{docname} asks for {kind!r} of {page}, which hasn't this figure")
            spec = spec_of(html) | json.loads(options or "{}")
            html = with_spec(html, {name: x for name, x in spec.items() if x is not None})
            comment.parent.replace(comment, nodes.raw("", html, format="html"))


def hoist(app, pagename, templatename, context, doctree):
    """The pictures become files, and the page asks for the script."""
    body = context.get("body", "")
    if f"<{TAG} " not in body:
        return

    def write(match):
        data = b64decode(match[1])
        name = f"live-{hashlib.sha1(data).hexdigest()[:12]}.png"
        folder = Path(app.outdir) / "_images"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        return f'loading="lazy" src="{context["pathto"](f"_images/{name}", 1)}"'

    context["body"] = PICTURE.sub(write, body)
    kinds = sorted(set(KIND.findall(body)))
    name = f"_static/live-{'-'.join(kinds)}.js"
    (Path(app.outdir) / name).write_text(script(*kinds, say=_), encoding="utf-8")
    address = context["pathto"](name, 1)
    context["metatags"] = context.get("metatags", "") + f'<script src="{address}"></script>'


def write_data(app):
    static = Path(app.outdir) / "_static"
    static.mkdir(parents=True, exist_ok=True)
    for name in {*map(data_name, KINDS)} - {None}:
        (static / f"{name}.js").write_text(data_script(name), encoding="utf-8")


def setup(app):
    app.connect("builder-inited", write_data)
    app.connect("doctree-resolved", borrow)
    app.connect("html-page-context", hoist)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
