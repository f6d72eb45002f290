"""Show the tables of pages on the front page as cards, each with the first picture of its page.

Why: the tables are written from the pages, read well in the repository, and say little to the eye.
What the cards look like is in `_static/page.css`.
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


# The part of a page's first drawing that can be read on a card, and cuts no word: x, y, width, height.
PARTS = {
    "01_queries_keys_values": (0, 2, 318, 128),
    "02_nadaraya_watson": (103, 6, 209, 151),
    "03_masked_softmax": (84, 194, 292, 136),
    "04_scoring_functions": (228, 78, 152, 146),
    "05_bahdanau_attention": (127, 221, 256, 146),
    "06_image_captioning": (232, 24, 136, 142),
    "07_hierarchical_attention": (156, 22, 234, 138),
    "08_self_attention": (0, 172, 316, 156),
    "09_multi_head_attention": (47, 26, 218, 109),
    "10_positional_encoding": (60, 24, 194, 166),
    "11_transformer_blocks": (12, 405, 172, 125),
    "12_translation": (0, 64, 205, 88),
    "13_what_an_attention_map_shows": (188, 38, 200, 184),
    "14_language_model": (34, 178, 192, 144),
    "16_a_real_model": (203, 296, 182, 108),
    "17_copying": (97, 6, 258, 153),
    "19_efficient_attention": (8, 44, 372, 142),
    "20_one_model_many_readers": (0, 228, 390, 138),
}


def part(svg, docname):
    """A drawing, cut to what is named for its page."""
    if not (box := PARTS.get(docname.rpartition("/")[2])):
        return svg
    x, y, width, height = box
    cut = {"viewBox": f"{x} {y} {width} {height}", "width": width, "height": height}
    for name, value in cut.items():
        svg = re.sub(rf' {name}="[^"]*"', f' {name}="{value}"', svg, count=1)
    return svg


def thumbnail(env, docname):
    """The first drawing or plot of a page, as HTML; nothing where a page has none."""
    for node in env.get_doctree(docname).findall(nodes.Element):
        if isinstance(node, nodes.raw) and '<svg role="img"' in node.astext():
            return part(node.astext(), docname)
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
