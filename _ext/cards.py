"""Show the tables of pages on the front page as cards, each with the first picture of its page.

Why: the tables are written from the pages, read well in the repository, and say little to the eye.
What the cards look like is in `_static/page.css`. A drawing names the part of it that can be read at
that size, `data-motif="x y width height"`.
"""

import re
from html import escape

from docutils import nodes


def stands_in(image):
    """Whether a picture is of a live figure, in whose place it would be shown without HTML."""
    bundle = image.parent.parent.children
    return any(
        isinstance(each, nodes.Element) and each.get("mime_type") == "text/html" for each in bundle
    )


def motif(svg):
    """A drawing, cut to the part that it names."""
    if found := re.search(r' data-motif="([^"]*)"', svg):
        svg = re.sub(r' viewBox="[^"]*"', f' viewBox="{found[1]}"', svg, count=1)
    return svg


def thumbnail(env, docname):
    """The first drawing or plot of a page, as HTML; nothing where a page has none."""
    for node in env.get_doctree(docname).findall(nodes.Element):
        if isinstance(node, nodes.raw) and '<svg role="img"' in node.astext():
            return motif(node.astext())
        if isinstance(node, nodes.image) and node.get("uri") in env.images and not stands_in(node):
            pair = [each for each in node.parent.children if isinstance(each, nodes.image)]
            return "".join(
                f'<img class="{" ".join(image["classes"])}" alt="{escape(image.get("alt", ""))}" '
                f'src="_images/{env.images[image["uri"]][1]}">'
                for image in pair
            )
    return ""


def show_cards(app, document, docname):
    if docname != app.config.root_doc:
        return
    for table in list(document.findall(nodes.table)):
        names = [entry.astext() for entry in table.next_node(nodes.row)]
        if names != ["page", "what you build", "time"]:
            continue
        cards = nodes.container("", classes=["page-cards"])
        for row in table.next_node(nodes.tbody):
            page, build, time = row
            for label in list(row.findall(nodes.inline)):
                if "card-label" in label["classes"]:
                    label.parent.remove(label)
            target = re.sub(r"^#document-|\.html.*", "", page.next_node(nodes.reference)["refuri"])
            picture = f'<div class="page-card-picture">{thumbnail(app.env, target)}</div>'
            about = nodes.paragraph("", time.astext(), classes=["page-line"])
            shown = [nodes.raw("", picture, format="html"), *page.children, *build.children, about]
            cards += nodes.container("", *shown, classes=["page-card"])
        box = table.parent if "pst-scrollable" in str(table.parent.get("classes", "")) else table
        box.replace_self(cards)


def setup(app):
    app.connect("doctree-resolved", show_cards)
