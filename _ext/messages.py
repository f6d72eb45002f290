"""What Sphinx makes no message of, for translators: titles of cells, folds, drawings, the book's own words.

Why: Sphinx takes titles, paragraphs and the `alt` of images out of the pages for gettext, and puts
what is translated in their place while it reads. Here it learns to do so with the lines
`# @title ...`, with `<summary>`, and with what drawings and live figures say to those who don't see
them. Labels of drawings, what live figures say and the words that the book sets around a page are in a catalogue
of their own, `book`.
"""

import re
from html import escape, unescape
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import toctree, translatable
from sphinx.builders.gettext import MsgOrigin
from sphinx.locale import get_translation, init
from sphinx.transforms import SphinxTransform, i18n

from live.bundle import TAG, spec_of, with_spec
from live.words import messages
from workshop.contents import parts
from workshop.drawings import drawings

CATALOGUE = "book"
_ = get_translation(CATALOGUE)
# All that the extensions say in English: `_(...)` puts it into the language of the book.
WORDS = """
Setup: find the course, and import what this page uses
Code of this figure
Check your answer on Colab
Solution
The book
a mistake
a question
claims checked by code
claim checked by code
copy it as Markdown
on Kaggle
or
This page:
Not found
This page isn’t here
It may have another number now. Search for its words, or begin at the <a href="index.html">front page</a>, which lists all pages.
""".strip().split("\n")
LABEL = re.compile(r"(<text\b[^>]*>)(.+?)(?=</text>)", re.DOTALL)
SAID = re.compile(r'<summary>(.+?)</summary>|<(?:svg|img)\b[^>]*? (?:aria-label|alt)="([^"]+)"', re.DOTALL)
TITLE = re.compile(r"# @title (.+)")


class Html(nodes.raw, translatable):
    """HTML with a summary or with the description of a picture, which is a message."""

    def preserve_original_messages(self):
        summary, alt = SAID.search(self.astext()).groups()
        self["message"] = summary or unescape(alt)

    def extract_original_messages(self):
        return [self["message"]]

    def apply_translated_message(self, original, translated):
        html = self.astext()
        match = SAID.search(html)
        begin, end = match.span(match.lastindex)
        words = escape(translated) if match[2] else translated
        html = html[:begin] + words + html[end:]
        if html.startswith(f"<{TAG} "):
            html = with_spec(html, spec_of(html) | {"alt": translated})
        self[:] = [nodes.Text(html)]


class TitledCell(nodes.container, translatable):
    """A cell of code that begins with `# @title ...`. The code stays as it is, its `title` doesn't."""

    def preserve_original_messages(self):
        self["title"] = self["message"] = TITLE.match(source(self))[1]

    def extract_original_messages(self):
        return [self["message"]]

    def apply_translated_message(self, original, translated):
        self["title"] = translated


def source(cell):
    return cell.next_node(nodes.literal_block).astext()


class FindMessages(SphinxTransform):
    """Before Sphinx asks each node for its messages (priority 10)."""

    default_priority = 5

    def apply(self):
        for raw in list(self.document.findall(nodes.raw)):
            if SAID.search(raw.astext()):
                raw.parent.replace(raw, Html(raw.rawsource, raw.astext(), **raw.attributes))
        for formula in self.document.findall(nodes.math_block):
            formula["translatable"] = False  # Sphinx would put "::" in its place
        for cell in list(self.document.findall(nodes.container)):
            if "cell" in cell["classes"] and TITLE.match(source(cell)):
                cell.parent.replace(cell, TitledCell("", *cell.children, **cell.attributes))


def labelled(svg):
    """A drawing with its labels in the language of the book."""
    return LABEL.sub(lambda match: match[1] + _(match[2]), svg)


def name_parts(app, document):
    """The parts of the book in its contents. (sphinx-external-toc adds them after Sphinx has translated.)"""
    for contents in document.findall(toctree):
        if contents.get("caption"):
            contents["caption"] = _(contents["caption"])


def begin(app, *_unused):
    """Read the catalogue `book`; or, where messages are written, write what it is made of."""
    folders = [Path(app.srcdir, folder) for folder in app.config.locale_dirs]
    init(folders, app.config.language, CATALOGUE)
    if app.builder.name == "gettext":
        root = Path(app.srcdir)
        texts = [(words, "_ext/messages.py") for words in WORDS]
        texts += [(caption, "_toc.yml") for caption, _pages in parts(root) if caption]
        for path, svg in drawings(root):
            labels = [match[2] for match in LABEL.finditer(svg)]
            texts += [(label, path.relative_to(root)) for label in labels if has_words(label)]
        entries = [(words, place, 1) for words, place in texts] + [*messages()]
        for words, place, line in entries:
            app.builder.catalogs[CATALOGUE].add(words, MsgOrigin(str(place), line))


def has_words(label):
    return re.search(r"[^\W\d_]{2}", re.sub(r"<[^>]*>|&\w+;", "", label))


def setup(app):
    # Two links to places on one page: in a translation Sphinx would let both lead to the second.
    i18n.EXCLUDED_PENDING_XREF_ATTRIBUTES = ("refexplicit", "reftargetid")
    app.add_transform(FindMessages)
    app.connect("env-before-read-docs", begin)
    app.connect("doctree-read", name_parts, priority=400)  # before Sphinx collects the contents
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
