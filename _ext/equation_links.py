r"""Link "equation (3.1)" and "Figure 3.1" in the text to that formula and that figure.

Why: a notebook has no way to do it that also reads well on Colab and in JupyterLab. Formulas say
their numbers by `\tag{3.1}`, figures by captions (`_ext/dress.py`), each number once in the book.
"""

import re

from docutils import nodes
from sphinx.util.nodes import make_refnode

from workshop.page import EQUATIONS, FIGURES

TAG = re.compile(r"\\tag\{(\d+)\.(\d+)\}")
FIGURE = r"\d+\.\d+(?!\d)"
MENTION = re.compile(f"({EQUATIONS}|{FIGURES})")
# What becomes the link: the number of an equation, "Figure 3.1" as a whole, each of several.
LINK = re.compile(rf"(\(\d+\.\d+\)|[Ff]igure\s+{FIGURE}|{FIGURE})")
NOT_HERE = (nodes.title, nodes.reference, nodes.literal, nodes.FixedTextElement, nodes.raw)
NOT_HERE += (nodes.math, nodes.comment)


def name_formulas(app, document):
    """Give each tagged formula an id."""
    for formula in document.findall(nodes.math_block):
        formula["ids"] += [f"equation-{page}-{k}" for page, k in TAG.findall(formula.astext())]


def collect(app, env):
    """Note on which page each formula and each figure stands."""
    env.numbered_places = {
        name: page
        for page in env.found_docs
        for kind in (nodes.math_block, nodes.figure)
        for node in env.get_doctree(page).findall(kind)
        for name in node["ids"]
    }


def link(app, document, here):
    """Make links of the mentions of what there is; other numbers stay text."""
    where = app.env.numbered_places

    def linked(text, kind):
        name = "-".join([kind, *re.findall(r"\d+", text)])
        if name not in where:
            return nodes.Text(text)
        return make_refnode(app.builder, here, where[name], name, nodes.Text(text))

    for text in list(document.findall(nodes.Text)):
        if not MENTION.search(text) or inside(text):
            continue
        new = []
        for i, part in enumerate(MENTION.split(text.astext())):  # every second one is a mention
            kind = "equation" if part[:1] in ("e", "E") else "figure"
            for j, piece in enumerate(LINK.split(part) if i % 2 else [part]):
                new.append(linked(piece, kind) if j % 2 else nodes.Text(piece))
        text.parent.replace(text, [node for node in new if node.astext()])


def inside(text):
    """Whether a text stands where a link would be wrong, such as in a caption's own label."""
    node = text.parent
    label = isinstance(node, nodes.strong) and isinstance(node.parent, nodes.caption)
    while node and not isinstance(node, NOT_HERE):
        node = node.parent
    return node is not None or label


def setup(app):
    app.connect("doctree-read", name_formulas)
    app.connect("env-updated", collect)
    app.connect("doctree-resolved", link)
