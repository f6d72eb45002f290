"""What a link to a page shows where people share it: its title, its first sentences, a picture.

Why: a shared link was a bare title. Services that show more read the `og:` properties, and a PNG
of 1200 by 630 pixels: `_static/card.png`, the drawing `desk.svg` with the course's title, for all
pages. sphinxext-opengraph would begin the description of a notebook with "Open in Colab".
"""

import re
from html import escape

from docutils import nodes

from workshop.frame import published

PICTURE = "A query, five keys with their scores and weights, five values, and their weighted sum."


def description(doctree):
    """The sentences with which a page opens, up to some 200 letters."""
    told = ""
    for paragraph in doctree.findall(nodes.paragraph):
        inside = isinstance(paragraph.parent, nodes.section)
        if not inside or "page-line" in paragraph["classes"] or len(paragraph.astext()) < 30:
            continue
        for sentence in re.split(r"(?<=[.?!]) ", " ".join(paragraph.astext().split())):
            if len(told) > 40 and len(told) + len(sentence) > 200:
                return told.strip()
            told += f"{sentence} "
    return told.strip()


def add_tags(app, pagename, templatename, context, doctree):
    if doctree is None:
        return
    about, book = escape(description(doctree)), escape(app.config.html_title)
    told = {
        "og:type": "article",
        "og:site_name": book,
        "og:title": escape(re.sub(r"<[^>]*>", "", context["title"])),
        "og:description": about,
        "og:url": f"{published()}{pagename}.html",
        "og:image": f"{published()}_static/card.png",
        "og:image:alt": PICTURE,
    }
    tags = [f'<meta property="{name}" content="{text}">' for name, text in told.items()]
    tags.append(f'<meta name="description" content="{about}">')
    tags.append('<meta name="twitter:card" content="summary_large_image">')
    context["metatags"] = context.get("metatags", "") + "\n    ".join(["", *tags])


def setup(app):
    app.connect("html-page-context", add_tags)
