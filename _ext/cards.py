"""Show the tables of pages on the front page as cards, each with a picture of its page.

Why: the tables are written from the pages, read well in the repository, and say little to the eye.
So does the list of the figures that stand alone. What the cards look like is in `_static/page.css`.
"""

import re
from base64 import b64decode
from pathlib import Path

from dark_plots import dark_plot
from docutils import nodes
from live_figures import PICTURE

from live.bundle import TAG

DRAWINGS = Path(__file__).parent.parent / "chapters" / "figures"
# What the card of a page shows: a drawing, the still picture of a live figure (page#kind) or the
# first plot of a page (page#), and the part of it that can be read: left, top, width, height.
# A page that isn't here shows its first drawing or plot as a whole, or its number.
PICTURES = {
    "01_queries_keys_values": ("desk", 0, 72, 384, 176),
    "02_nadaraya_watson": ("curve_by_attention", 103, 6, 209, 151),
    "03_masked_softmax": ("mask_or_not", 0, 200, 376, 130),
    "04_scoring_functions": ("what_a_word_looks_for", 0, 83, 384, 174),
    "05_bahdanau_attention": ("one_vector_or_many", 0, 226, 384, 148),
    "06_image_captioning": ("captioner", 0, 4, 384, 157),
    "07_hierarchical_attention": ("two_levels", 0, 25, 384, 132),
    "08_self_attention": ("one_word_two_meanings", 0, 174, 384, 154),
    "09_multi_head_attention": ("two_questions_of_a_word", 0, 28, 388, 196),
    "10_positional_encoding": ("clocks_of_positions", 0, 26, 388, 170),
    "11_transformer_blocks": ("transformer", 12, 405, 172, 125),
    "12_translation": ("twins", 0, 4, 388, 146),
    "13_what_an_attention_map_shows": ("five_routes", 0, 6, 388, 213),
    "14_language_model": ("next_token_loop", 36, 184, 340, 142),
    "15_writing_text": ("15_writing_text#sampling", 0, 0, 940, 382),
    "16_a_real_model": ("one_text_of_turns", 28, 74, 328, 128),
    "17_copying": ("two_heads", 90, 8, 264, 148),
    "18_when_no_key_fits": ("18_when_no_key_fits#", 68, 0, 762, 360),
    "19_efficient_attention": ("four_triangles", 0, 2, 390, 190),
    "20_one_model_many_readers": ("tables_of_blocks", 0, 202, 390, 164),
    "21_attention_on_pictures": ("21_attention_on_pictures#", 0, 0, 940, 499),
    "22_still_regression": ("cache_or_matrix", 0, 31, 390, 167),
    "23_the_attention_clinic": ("23_the_attention_clinic#clinic", 0, 0, 796, 290),
    "index": ("five_routes", 0, 6, 388, 213),  # where its link is shared
    "clinic": ("23_the_attention_clinic#clinic", 78, 343, 718, 230),
    "plane": ("04_scoring_functions#plane", 20, 40, 450, 300),
    "guess": ("14_language_model#guess", 0, 0, 372, 268),
    "names": ("01_queries_keys_values#lookup", 366, 320, 485, 250),
}


def plot(app, page, kind):
    """The still picture of a page's live figure, or its first plot: for light and dark, in SVG."""
    folder = Path(app.outdir) / "_images"
    for node in app.env.get_doctree(f"chapters/{page}").findall(nodes.Element):
        if kind and isinstance(node, nodes.raw) and f'<{TAG} kind="{kind}"' in node.astext():
            light = b64decode(PICTURE.search(node.astext())[1])
            folder.mkdir(parents=True, exist_ok=True)
            for theme, png in (("in-light", light), ("in-dark", dark_plot(light))):
                (folder / f"{kind}-{theme}.png").write_bytes(png)
                yield theme, f'<image href="_images/{kind}-{theme}.png"/>'
            return
        if not kind and "in-light" in node.get("classes", []):
            for image in node.parent.findall(nodes.image):
                name = app.env.images[image["uri"]][1]
                yield " ".join(image["classes"]), f'<image href="_images/{name}"/>'
            return


def number_drawn(page):
    """The number of a page as a drawing: what a page without a picture has."""
    digits = re.match(r"\d*", page)[0].lstrip("0")
    text = f'<text class="strong mid" x="192" y="110" style="font-size:90px">{digits}</text>'
    return f'<svg viewBox="0 0 384 150">{text}</svg>'


def first_shown(app, page):
    """The first drawing or plot of a page, or its number: box and parts, as `picture` wants them."""
    for node in app.env.get_doctree(f"chapters/{page}").findall(nodes.raw):
        if found := re.search(r"<svg role=\"img\".*?</svg>", node.astext(), re.DOTALL):
            break
    else:
        if parts := [*plot(app, page, "")]:
            size = '<image width="384" height="176" '
            return [0, 0, 384, 176], [
                (theme, each.replace("<image ", size)) for theme, each in parts
            ]
        found = [number_drawn(page)]
    box = re.search(r'viewBox="([^"]*)"', found[0])[1].split()
    return box, [("diagram", found[0].partition(">")[2].removesuffix("</svg>"))]


def picture(app, docname):
    """The picture on the card of a page, as HTML of which a screen reader says nothing."""
    own = docname.rpartition("/")[2]
    name, *box = PICTURES.get(own, ("",))
    page, live, kind = name.partition("#")
    if not name:
        box, shown = first_shown(app, own)
    elif live:
        shown = plot(app, page, kind)
    else:
        drawing = (DRAWINGS / f"{name}.svg").read_text(encoding="utf-8")
        shown = [("diagram", drawing.partition("</style>")[2].rpartition("</svg>")[0])]
    parts = "".join(
        f'<svg class="{classes}" viewBox="{" ".join(map(str, box))}" width="{box[2]}" '
        f'height="{box[3]}" aria-hidden="true">{inside}</svg>'
        for classes, inside in shown
    )
    return nodes.raw("", f'<div class="page-card-picture">{parts}</div>', format="html")


def address(node):
    """The page that the first link in a node leads to; nothing where there is none."""
    link = node.next_node(nodes.reference)
    return re.sub(r"^#document-|\.html.*", "", link["refuri"] if link else "")


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
            about = nodes.paragraph("", time.astext(), classes=["page-line"])
            shown = [picture(app, address(page)), *page.children, *build.children, about]
            cards += nodes.container("", *shown, classes=["page-card"])
        box = table.parent if "pst-scrollable" in str(table.parent.get("classes", "")) else table
        box.replace_self(cards)
    for items in list(document.findall(nodes.bullet_list)):
        if all(address(item).startswith("play/") for item in items):
            tiles = nodes.container("", classes=["page-cards"])
            for item in items:
                shown = [picture(app, address(item)), *item.children]
                tiles += nodes.container("", *shown, classes=["page-card", "page-tile"])
            items.replace_self(tiles)


def setup(app):
    app.connect("doctree-resolved", show_cards)
