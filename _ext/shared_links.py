"""What a link to a page shows where people share it: its title, a description and its picture.

Why: a shared link was a bare title. Services that show more read three `og:` properties and a
PNG image of 1200 by 630 pixels; of each page that is its first drawing, or its first plot, made
here with the title below it.
"""

import re
from base64 import b64encode
from html import escape
from pathlib import Path

import resvg_py
from docutils import nodes
from fontTools.ttLib import TTFont

from utils.palette import CLASSES, LIGHT

FONTS = Path(__file__).parent / "fonts"
BOOK = "Attention: from kernel regression to Transformers"
STYLE = re.sub(r"var\(--([\w-]+)\)", lambda name: LIGHT[name[1]], CLASSES)
STYLE = STYLE.replace(".diagram{font:14px system-ui", '.diagram{font:14px "Course Text"')
CARD = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630"><style>{style}</style>'
    '<rect width="1200" height="630" fill="{paper}"/>{picture}'
    '<g font-family="Course Text" font-weight="600"><text x="60" y="545" font-size="56" '
    'fill="{ink}">{title}</text><text x="60" y="596" font-size="30" fill="{muted}">{book}</text>'
    '</g><rect width="1200" height="10" fill="{weight}"/></svg>'
)
ROOM = 1080, 420  # for the picture, below a margin of 40


def address(app):
    """Where the book is published, as `published` in workshop/frame.py says it."""
    options = app.config.html_theme_options
    owner, _, name = options.get("repository_url", "").partition("github.com/")[2].partition("/")
    part = re.match(r"v\d+(?=\.)", options.get("repository_branch", ""))
    return f"https://{owner}.github.io/{name}/" + (f"{part[0]}/" if part else "")


def faces(app):
    """The book's face as files that the renderer can read, which is not woff2."""
    folder = Path(app.doctreedir) / "faces"
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for path in sorted(FONTS.glob("*.woff2")):
        face = folder / f"{path.stem}.ttf"
        if not face.is_file():
            font = TTFont(path)
            font.flavor = None
            for record in font["name"].names:
                if record.nameID in (1, 16):
                    record.string = "Course Text"
            font.save(face)
        found.append(str(face))
    return found


def picture(app, doctree):
    """The first drawing or plot of a page as SVG, in the middle of its room; or nothing."""
    for node in doctree.findall(nodes.Element):
        if isinstance(node, nodes.raw) and '<svg role="' in node.astext():
            svg = node.astext()
            width, height = (float(re.search(rf'\b{side}="([\d.]+)"', svg)[1]) for side in SIDES)
        elif isinstance(node, nodes.image) and "plot" in node["classes"]:
            data = (Path(app.srcdir) / node["uri"]).read_bytes()
            width, height = (int.from_bytes(data[k : k + 4], "big") for k in (16, 20))
            image = f"data:image/png;base64,{b64encode(data).decode()}"
            box = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            svg = f'<svg {box}><image href="{image}" width="{width}" height="{height}"/></svg>'
        else:
            continue
        scale = min(ROOM[0] / width, ROOM[1] / height)
        x, y = 600 - scale * width / 2, 40 + (ROOM[1] - scale * height) / 2
        place = f'x="{x}" y="{y}" width="{scale * width}" height="{scale * height}"'
        opening = re.sub(r' (?:width|height)="[^"]*"', "", re.match(r"\s*<svg[^>]*>", svg)[0])
        return opening.replace("<svg", f"<svg {place}", 1) + svg.partition(">")[2]
    return ""


SIDES = "width", "height"


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


def add_card(app, pagename, templatename, context, doctree):
    if doctree is None:
        return
    title = re.sub(r"<[^>]*>", "", context.get("title", "")) or BOOK
    stem = pagename.replace("/", "-")
    file = Path(app.outdir) / "_static" / "cards" / f"{stem}.png"
    file.parent.mkdir(parents=True, exist_ok=True)
    card = CARD.format(
        style=STYLE,
        picture=picture(app, app.env.get_doctree(pagename)),
        title=escape(title if title != BOOK else "Attention"),
        book=escape(BOOK),
        **{name: LIGHT[name] for name in ("paper", "ink", "muted", "weight")},
    )
    made = resvg_py.svg_to_bytes(
        svg_string=card, font_files=app.course_faces, skip_system_fonts=True
    )
    file.write_bytes(bytes(made))
    told = {
        "og:type": "article",
        "og:site_name": BOOK,
        "og:title": title,
        "og:description": description(doctree),
        "og:url": f"{address(app)}{pagename}.html",
        "og:image": f"{address(app)}_static/cards/{stem}.png",
        "og:image:width": "1200",
        "og:image:height": "630",
    }
    tags = [f'<meta property="{name}" content="{escape(text)}">' for name, text in told.items()]
    tags.append(f'<meta name="description" content="{escape(told["og:description"])}">')
    tags.append('<meta name="twitter:card" content="summary_large_image">')
    context["metatags"] = context.get("metatags", "") + "\n    ".join(["", *tags])


def prepare(app):
    app.course_faces = faces(app)


def setup(app):
    app.connect("builder-inited", prepare)
    app.connect("html-page-context", add_card)
