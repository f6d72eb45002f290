"""Show the tables of pages on the front page as cards, each with a picture of its page.

Why: the tables are written from the pages, read well in the repository, and say little to the eye.
So does the list of the figures that stand alone. What the cards look like is in `_static/page.css`.
"""

import re
from base64 import b64decode
from pathlib import Path

from docutils import nodes

from dark_plots import dark_plot
from live.bundle import TAG
from live_figures import PICTURE
from messages import labelled
from workshop.page import Page

CHAPTERS = Path(__file__).parent.parent / "chapters"
DRAWINGS = CHAPTERS / "figures"
# What the card of a page shows, and the picture with a link to it: a drawing, the still picture of a live
# figure (page#kind) or the first plot of a page (page#), and the part of it that can be read: left, top,
# width, height. A notebook has it in its metadata, as `card`; without one it has that of the front page.
CARDS = {
    "index": ("cut_an_arc", 0, 0, 384, 200),
    "bet": ("bet_card", 0, 0, 196, 112),
    "clinic": ("23_the_attention_clinic#clinic", 78, 343, 718, 230),
    "plane": ("04_scoring_functions#plane", 20, 40, 450, 300),
    "guess": ("14_language_model#guess", 0, 0, 372, 268),
    "names": ("01_queries_keys_values#lookup", 430, 402, 330, 175),
    "regress": ("24_a_transformer_that_has_learned_to_regress#regress", 150, 0, 785, 484),
    "notation": ("desk",),
    "the_whole_way": ("map_of_pages",),
    "questions": ("mask_or_not",),
    "cheat_sheet": ("attention_layer",),
    "masks": ("mask_conventions",),
    "examine": ("attention_layer",),
    "teaching": ("two_questions_of_a_word",),
    "glossary": ("cut_into_heads",),
    "accessibility": ("six_tokens",),
    "references": ("five_routes",),
}


def facts(name):
    """What a notebook says of itself in its metadata: its question and card. {} of other pages."""
    path = CHAPTERS / f"{name}.ipynb"
    return Page(path).facts if path.is_file() else {}


def card_of(name):
    """The picture of a page's card and the part of it, as above."""
    shown, *part = facts(name).get("card") or CARDS.get(name, CARDS["index"])
    return [f"{name}{shown}" if shown.startswith("#") else shown, *part]


def drawing(name):
    return labelled((DRAWINGS / f"{name}.svg").read_text(encoding="utf-8"))


def stills(app, name):
    """The still picture of a live figure (page#kind), or the first plot of a page, for each theme: PNGs."""
    page, _, kind = name.partition("#")
    for node in app.env.get_doctree(f"chapters/{page}").findall(nodes.Element):
        if kind and isinstance(node, nodes.raw) and f'<{TAG} kind="{kind}"' in node.astext():
            light = b64decode(PICTURE.search(node.astext())[1])
            return {"in-light": light, "in-dark": dark_plot(light)}
        if not kind and "in-light" in node.get("classes", []):
            images = [Path(app.srcdir, image["uri"]) for image in node.parent.findall(nodes.image)]
            return dict(zip(("in-light", "in-dark"), (path.read_bytes() for path in images)))
    raise ValueError(f"no page has {name}, a card's picture")


def picture(app, docname):
    """The picture on the card of a page, as HTML of which a screen reader says nothing."""
    name, *box = card_of(docname.rpartition("/")[2])
    if "#" in name:
        shown = {}
        for theme, png in stills(app, name).items():
            file = f"_images/{name.replace('#', '-')}-{theme}.png"
            (Path(app.outdir) / "_images").mkdir(parents=True, exist_ok=True)
            (Path(app.outdir) / file).write_bytes(png)
            shown[theme] = f'<image href="{file}"/>'
    else:
        shown = {"diagram": drawing(name).partition("</style>")[2].rpartition("</svg>")[0]}
    parts = "".join(
        f'<svg class="{theme}" viewBox="{" ".join(map(str, box))}" width="{box[2]}" '
        f'height="{box[3]}" aria-hidden="true">{inside}</svg>'
        for theme, inside in shown.items()
    )
    return nodes.raw("", f'<div class="page-card-picture">{parts}</div>', format="html")


def address(node):
    """The page that the first link in a node leads to; nothing where there is none."""
    link = node.next_node(nodes.reference)
    return re.sub(r"^#document-|\.html.*", "", link.get("refuri", "") if link else "")


def show_cards(app, document, docname):
    if docname != app.config.root_doc or app.builder.format != "html":
        return
    for table in list(document.findall(nodes.table)):
        rows = table.next_node(nodes.tbody).children
        if not all(re.match(r"chapters/\d", address(row[0])) and len(row) == 3 for row in rows):
            continue
        cards = nodes.container("", classes=["page-cards"])
        for row in rows:
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


def begin_with_page_1(app, pagename, templatename, context, doctree):
    """The front page leads to page 1; what stands before that in the contents is looked up."""
    if pagename == "index":
        first = min(name for name in app.env.found_docs if name.startswith("chapters/01_"))
        title = app.env.titles[first].astext()
        context["next"] = {"link": app.builder.get_relative_uri(pagename, first), "title": title}


def setup(app):
    app.connect("doctree-resolved", show_cards)
    app.connect("html-page-context", begin_with_page_1)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
