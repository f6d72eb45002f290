"""Give every image its alternative text, warn of an image that has none, write drawings in.

Why: myst-nb writes a file name as the `alt` of a notebook's figure, which tells a blind reader
nothing and which no accessibility checker notices. `utils.plot.show` stores the sentence in the
output's metadata, `{"image/png": {"alt": ...}}`, beside the width that myst-nb already uses. Of a
plot there is a second picture for the dark theme (`dark_plots.py`). A drawing, which `show_diagram`
stores as an SVG image, is written into the page, where it follows the theme.
"""

import re
from base64 import b64decode, b64encode
from dataclasses import replace
from html import escape
from pathlib import Path
from struct import unpack

from docutils import nodes
from myst_nb.core.render import NbElementRenderer
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from dark_plots import dark_plot
from live_figures import in_page
from messages import labelled

LOGGER = logging.getLogger(__name__)


class Renderer(NbElementRenderer):
    """Renders outputs as myst-nb does, and images with the `alt` of their metadata.

    `nb_render_plugin: alt` in _config.yml asks for it; pyproject.toml says that it is here.
    """

    def render_image(self, data):
        about = data.output_metadata.get(data.mime_type, {})
        images = super().render_image(data)
        if data.mime_type == "image/png":
            dark = b64encode(dark_plot(b64decode(data.content), about.get("picture", ()))).decode()
            images += super().render_image(replace(data, content=dark))
            images[-1]["classes"].append("in-dark")
            images[0]["classes"].append("in-light")
        for image in images:
            image["alt"] = about.get("alt", "")
            image["classes"].append("plot")
            image["loading"] = "lazy"
            if data.mime_type == "image/png":  # the header of a PNG has its width and height
                image["size"] = unpack(">II", b64decode(data.content)[16:24])
        return images

    def render_text_html(self, data):
        about = data.output_metadata.get(data.mime_type, {})
        if "live" in about:
            return [nodes.raw("", in_page(data.string), format="html")]
        if "diagram" not in about:
            return super().render_text_html(data)
        svg = b64decode(re.search(r'base64,([^"]*)"', data.string)[1]).decode()
        return [nodes.raw("", inline_svg(svg, about["alt"]), format="html")]


def visit_image(translator, node):
    """Write an image with its size in pixels, so that its place is kept until it is there."""
    HTML5Translator.visit_image(translator, node)
    if "size" in node:
        width, height = node["size"]
        sized = f'<img width="{width}" height="{height}" '
        # docutils, from 0.22 on, gives an attribute for what it was told of the width in the page.
        image = re.sub(r' width="(\d+)"', r' style="width: \1px;"', translator.body[-1])
        translator.body[-1] = image.replace("<img ", sized, 1)


def inline_svg(svg, alt):
    """A drawing as part of a page: named for who cannot see it, without what the page has once.

    The style is in the book's stylesheet. A title would be a tooltip over all of the drawing.
    """
    svg = re.sub(r"<(style|title|desc)>.*?</\1>\s*", "", svg, flags=re.DOTALL)
    role = "group" if "<a " in svg else "img"  # links in an image couldn't be reached
    svg = svg.replace("<svg ", f'<svg role="{role}" aria-label="{escape(alt)}" ', 1)
    return labelled(svg)


def write_drawings_in(app, document):
    """A drawing of the course that a Markdown page links to is part of the page too."""
    if app.builder.format != "html":  # of an image the description is a message
        return
    for image in list(document.findall(nodes.image)):
        path = Path(app.srcdir) / image["uri"]
        if path.suffix == ".svg" and path.is_file() and image.get("alt", "").strip():
            svg = path.read_text(encoding="utf-8")
            if '<svg class="diagram"' in svg:
                drawing = nodes.raw("", inline_svg(svg, image["alt"]), format="html")
                image.parent.replace(image, drawing)


def warn_of_missing_alt(app, document):
    """Warn of each image of a page, drawn by a cell or linked in its text, without a text."""
    for image in document.findall(nodes.image):
        if not image.get("alt", "").strip() and "in-dark" not in image["classes"]:
            LOGGER.warning(
                "image without alternative text: say in one sentence what it shows, "
                "show(fig, alt) in a notebook, ![alt](file) in text",
                location=image if image.line else image.parent,
                type="image_alt",
            )


def setup(app):
    app.add_node(nodes.image, override=True, html=(visit_image, HTML5Translator.depart_image))
    app.connect("doctree-read", warn_of_missing_alt)
    app.connect("doctree-read", write_drawings_in)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
