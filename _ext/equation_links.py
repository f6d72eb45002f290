r"""Link "equation (3.1)" and "Figure 3.1" in the text to that formula and that figure.

Why: a notebook has no way to do it that also reads well on Colab and in JupyterLab. Formulas say
their numbers by `\tag{3.1}`, figures by captions (`_ext/dress.py`), each number once in the book.
Which numbers a paragraph mentions is read in the notebook; in its translation, which may call them
anything, these numbers are found again.
"""

import re

from docutils import nodes
from sphinx.util.nodes import make_refnode

from workshop.page import EQUATIONS, FIGURES

TAG = re.compile(r"\\tag\{(\d+)\.(\d+)\}")
MENTIONS = {"equation": re.compile(EQUATIONS), "figure": re.compile(FIGURES)}
NUMBER = re.compile(r"(\d+)\.(\d+)")
# What becomes the link: the number of an equation, "Figure 3.1" as a whole, each of several.
LINK = re.compile(r"([(（]\d+\.\d+[)）]|(?:[Ff]igure\s+)?(?<![\d.])\d+\.\d+(?!\d))")
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


def mentioned(block):
    """The names of the formulas and figures of which a paragraph speaks in the notebook."""
    return {
        f"{kind}-{page}-{k}"
        for kind, pattern in MENTIONS.items()
        for phrase in pattern.finditer(block.rawsource)
        for page, k in NUMBER.findall(phrase[0])
    }


def link(app, document, here):
    """Make links of the mentions of what there is; other numbers stay text."""
    where = app.env.numbered_places
    for block in list(document.findall(nodes.TextElement)):
        names = mentioned(block) & {*where}
        for text in list(block.findall(nodes.Text)) if names else ():
            pieces = LINK.split(text.astext())
            if len(pieces) == 1 or inside(text):
                continue
            for i in range(1, len(pieces), 2):  # every second one has a number
                kind = "equation" if pieces[i][0] in "(（" else "figure"
                name = "-".join([kind, *NUMBER.search(pieces[i]).groups()])
                if name in names:
                    words = nodes.Text(pieces[i])
                    pieces[i] = make_refnode(app.builder, here, where[name], name, words)
            new = [nodes.Text(piece) if isinstance(piece, str) else piece for piece in pieces]
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
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
