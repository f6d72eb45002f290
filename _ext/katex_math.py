r"""Render formulas while the book is built, by KaTeX; the pages then need no script and no network.

Why: Sphinx's own way loads MathJax from another host, so offline no formula is shown, and TeX that
is wrong passes in silence until a reader meets it. Here it is a warning that names file and line.
`workshop/formulas.py` runs KaTeX; `katex/` holds the stylesheet, the fonts and the licence of its
version. (sphinxcontrib-katex itself doesn't say in which line a formula is wrong.)
"""

import re
import shutil
from pathlib import Path

from docutils import nodes
from sphinx.util import logging

from workshop.formulas import render

LOGGER = logging.getLogger(__name__)
ASSETS = Path(__file__).parent / "katex"

BETWEEN_PARTS = re.compile(r'(?<=</span>)(?=<span class="base">)')


def visit(translator, node, display, tex):
    """Write a formula; where the TeX is wrong, write it as text and warn."""
    try:
        html = coloured(render(tex, display)) if display else render(tex, display)
        whole = display or len(tex) < 16  # a short product doesn't break behind its dot
        translator.body.append(html if whole else BETWEEN_PARTS.sub("<wbr>", html))
    except ValueError as error:
        while node.line is None and node.parent is not None:  # inline nodes do not know their line
            node = node.parent
        LOGGER.warning("formula: %s, in: %s", error, tex.strip(), location=node, type="katex")
        translator.body.append(f'<code class="katex-error">{translator.encode(tex)}</code>')


LETTER = re.compile(r'<span class="mord mathnormal"([^>]*)>([QKVα])</span>')
HUES = {"Q": "query", "K": "key", "V": "value", "α": "weight"}


def coloured(html):
    """A displayed formula with queries, keys, values and weights in the hues of the drawings.

    One of Q, K and V alone may stand for something else, such as a kernel or a vocabulary.
    """
    letters = {match[2] for match in LETTER.finditer(html)}
    if len(letters & {*"QKV"}) == 1:
        letters -= {*"QKV"}

    def dressed(match):
        if match[2] not in letters:
            return match[0]
        return f'<span class="mord mathnormal {HUES[match[2]]}"{match[1]}>{match[2]}</span>'

    return LETTER.sub(dressed, html)


def visit_inline(translator, node):
    translator.body.append(translator.starttag(node, "span", "", CLASS="math notranslate"))
    visit(translator, node, False, node.astext())
    translator.body.append("</span>")
    raise nodes.SkipNode


def visit_display(translator, node):
    # A long formula scrolls in its own box; tabindex lets the keyboard reach the box.
    translator.body.append(translator.starttag(node, "div", "", CLASS="math notranslate", tabindex="0"))
    visit(translator, node, True, node.astext())
    translator.body.append("</div>\n")
    raise nodes.SkipNode


# What must not stand alone on a line before or after a formula: "(", ",", "th", "-".
BEFORE = re.compile(r'[(\["“‘/±-]*$')
AFTER = re.compile(r"^(?:\w{1,3}(?!\w))?[^\w\s(]*")


def keep_together(app, document):
    """Put each formula and the punctuation around it into a span that does not break.

    A long formula breaks at `<wbr>` between its own parts all the same.
    """
    for node in list(document.findall(nodes.math)):
        while isinstance(node.parent, (nodes.strong, nodes.emphasis)) and len(node.parent) == 1:
            node = node.parent
        parent, place = node.parent, node.parent.index(node)
        left = parent[place - 1] if place else None
        right = parent[place + 1] if place + 1 < len(parent) else None
        before = BEFORE.search(left)[0] if isinstance(left, nodes.Text) else ""
        after = AFTER.match(right)[0] if isinstance(right, nodes.Text) else ""
        if not before and not after:
            continue
        parts = [nodes.Text(before), node, nodes.Text(after)]
        parent[place] = nodes.inline("", "", *parts, classes=["nowrap"])
        if before:
            parent[place - 1] = nodes.Text(left.removesuffix(before))
        if after:
            parent[place + 1] = nodes.Text(right.removeprefix(after))


def copy_assets(app):
    """Put stylesheet and fonts beside the book's own (not in the source's `_static/`: Jupyter Book
    would load the stylesheet on every page)."""
    shutil.copytree(ASSETS, Path(app.outdir) / "_static" / "katex", dirs_exist_ok=True)


def link_stylesheet(app, pagename, templatename, context, doctree):
    """Load the stylesheet on the pages that have formulas."""
    if 'class="katex' in context.get("body", ""):
        app.add_css_file("katex/katex.min.css")


def setup(app):
    app.add_html_math_renderer("katex", (visit_inline, None), (visit_display, None))
    app.connect("doctree-read", keep_together)
    app.connect("builder-inited", copy_assets)
    app.connect("html-page-context", link_stylesheet)
    # Processes that write at once would share one Node, and read each other's formulas.
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}
