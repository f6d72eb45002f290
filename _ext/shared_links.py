"""What a link to a page shows where people share it: a question, its first sentences, a picture.

Why: a shared link was a bare title. Services that show more read the `og:` properties, and a PNG
of 1200 by 630 pixels. The picture is that of the page's card on the front page, in the dark, with the
page's question above it. A page without a question has its title there. The front page also says what the course is in the words
of schema.org, which search engines read. sphinxext-opengraph would begin the description of a notebook with "Open in Colab".
"""

import json
import re
from base64 import b64encode
from html import escape, unescape
from pathlib import Path
from textwrap import wrap

import resvg_py
import yaml
from docutils import nodes

from cards import CHAPTERS, card_of, drawing, facts, stills
from utils.palette import CLASSES, DARK
from workshop.start import published

CITATION = Path(__file__).parent.parent / "CITATION.cff"
FONTS = sorted(map(str, (Path(__file__).parent.parent / "utils" / "fonts").glob("*.ttf")))
# A question for each page that is no notebook. A notebook has its own in its metadata.
QUESTIONS = {
    "index": "Is the famous picture of attention true?",
    "bet": "Can you beat the attention map?",
    "clinic": "Which of these six maps is ill?",
    "plane": "Which key wins, and why?",
    "guess": "Can you beat a table of counts?",
    "names": "Where is the city that you can’t spell?",
    "notation": "What does each letter mean?",
    "the_whole_way": "How do these pages hang together?",
    "questions": "Why is my mask ignored?",
    "cheat_sheet": "What does attention fit on one sheet?",
    "masks": "True: may attend, or may not?",
    "examine": "Is the attention that you use sound?",
    "teaching": "How do you teach attention?",
    "glossary": "What do people call it?",
    "accessibility": "Who can read this book?",
    "references": "Who found it first?",
}

# What one can do there, where the sentences with which a page opens say something else.
DESCRIPTIONS = {
    "index": "One head of a translator points at the right noun, as in the famous picture. Cut its arc, "
    "and nothing happens. Cut another one, and the pronoun turns. Try it in the page."
}


def description(doctree):
    """The sentences with which a page opens, up to some 200 letters."""
    text = ""
    for paragraph in doctree.findall(nodes.paragraph):
        inside = isinstance(paragraph.parent, nodes.section)
        if not inside or "page-line" in paragraph["classes"] or len(paragraph.astext()) < 30:
            continue
        for sentence in re.split(r"(?<=[.?!]) ", " ".join(paragraph.astext().split())):
            if len(text) > 40 and len(text) + len(sentence) > 200:
                return text.strip()
            text += f"{sentence} "
    return text.strip()


def card(question, picture, part, book):
    """The PNG of a card: a question, below it a picture or part of one, and the name of the book."""
    lines = wrap(question, 40)
    top = 60 + 62 * len(lines)
    words = "".join(
        f'<text x="60" y="{92 + 62 * k}" font-size="54" font-weight="600">{escape(line)}</text>'
        for k, line in enumerate(lines)
    )
    words += f'<text x="60" y="604" font-size="26">{escape(book)}</text>'
    room = f'x="60" y="{top}" width="1080" height="{560 - top}"'
    if isinstance(picture, bytes):
        inside = f'<image {room} href="data:image/png;base64,{b64encode(picture).decode()}"/>'
    else:
        whole = re.search(r'data-motif="([^"]*)"', picture) or re.search(r'viewBox="([^"]*)"', picture)
        x, y, width, height = part or map(float, whole[1].split())
        scale = min(1080 / width, (560 - top) / height)
        body = re.sub(r"<(style|title)\b.*?</\1>|</?svg[^>]*>", "", picture, flags=re.DOTALL)
        inside = (
            f'<svg class="diagram" x="{600 - scale * width / 2}" y="{top}" width="{scale * width}" '
            f'height="{scale * height}" viewBox="{x} {y} {width} {height}">{body}</svg>'
        )
    style = re.sub(r"var\(--([\w-]+)\)", lambda name: DARK[name[1]], CLASSES)
    style = re.sub(r"\.diagram\{[^}]*\}", f".diagram{{font-size:14px;fill:{DARK['ink']}}}", style)
    svg = f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630" fill="{DARK["ink"]}">
<style>{style}</style><rect width="1200" height="630" fill="{DARK["paper"]}"/>{words}{inside}</svg>"""
    svg = re.sub(r"var\(--([\w-]+)\)", lambda name: DARK[name[1]], svg)
    return resvg_py.svg_to_bytes(
        svg_string=svg, font_files=FONTS, font_family="Course Text", sans_serif_family="Course Text"
    )


def course(address):
    """What the course is, as schema.org says it, from what it says of itself elsewhere."""
    cited = yaml.safe_load(CITATION.read_text(encoding="utf-8"))
    teaching = (CHAPTERS / "teaching.md").read_text(encoding="utf-8")
    objectives = teaching.partition("## Learning objectives\n")[2].partition("\n## ")[0]
    return {
        "@context": "https://schema.org",
        "@type": ["LearningResource", "Course"],
        "name": cited["title"],
        "description": cited["abstract"],
        "author": {"@type": "Organization", "name": cited["authors"][0]["name"]},
        "version": cited["version"],
        "keywords": cited["keywords"],
        "url": address,
        "inLanguage": "en",
        "learningResourceType": ["course", "textbook", "exercise"],
        "teaches": re.findall(r"(?m)^- (.+?)\.?$", objectives),
        "isAccessibleForFree": True,
        "license": "https://creativecommons.org/licenses/by/4.0/",
    }


def add_tags(app, pagename, templatename, context, doctree):
    if doctree is None:
        return
    name = pagename.rpartition("/")[2]
    shown, *part = card_of(name)
    picture = stills(app, shown)["in-dark"] if "#" in shown else drawing(shown)
    title = unescape(re.sub(r"<[^>]*>", "", context["title"]))
    question = facts(name).get("question") or QUESTIONS.get(name) or title.partition(". ")[2] or title
    folder = Path(app.outdir) / "_static" / "cards"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.png").write_bytes(bytes(card(question, picture, part, app.config.html_title)))
    about = escape(DESCRIPTIONS.get(name) or description(doctree))
    book = escape(app.config.html_title)
    properties = {
        "og:type": "article",
        "og:site_name": book,
        "og:title": escape(title),
        "og:description": about,
        "og:url": f"{published()}{pagename}.html",
        "og:image": f"{published()}_static/cards/{name}.png",
        "og:image:alt": escape(question),
    }
    tags = [f'<meta property="{name}" content="{text}">' for name, text in properties.items()]
    tags.append(f'<meta name="description" content="{about}">')
    tags.append('<meta name="twitter:card" content="summary_large_image">')
    if pagename == "index" and CITATION.is_file():
        data = json.dumps(course(app.config.html_baseurl), indent=1)
        tags.append(f'<script type="application/ld+json">{data}</script>')
    context["metatags"] = context.get("metatags", "") + "\n    ".join(["", *tags])


def setup(app):
    app.connect("html-page-context", add_tags)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
