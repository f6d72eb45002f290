"""Give every image its alternative text, and warn of an image that has none.

Why: myst-nb writes a file name as the `alt` of a notebook's figure, which tells a blind reader
nothing and which no accessibility checker notices. `utils.plot.show` stores the sentence in the
output's metadata, `{"image/png": {"alt": ...}}`, beside the width that myst-nb already uses.
"""

from docutils import nodes
from myst_nb.core.render import NbElementRenderer
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)


class Renderer(NbElementRenderer):
    """Renders outputs as myst-nb does, and images with the `alt` of their metadata.

    `nb_render_plugin: alt` in _config.yml asks for it; pyproject.toml says that it is here.
    """

    def render_image(self, data):
        images = super().render_image(data)
        for image in images:
            image["alt"] = data.output_metadata.get(data.mime_type, {}).get("alt", "")
        return images


def warn_of_missing_alt(app, document):
    """Warn of each image of a page, drawn by a cell or linked in its text, without a text."""
    for image in document.findall(nodes.image):
        if not image.get("alt", "").strip():
            LOGGER.warning(
                "image without alternative text: say in one sentence what it shows, "
                "show(fig, alt) in a notebook, ![alt](file) in text",
                location=image if image.line else image.parent,
                type="image_alt",
            )


def setup(app):
    app.connect("doctree-read", warn_of_missing_alt)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
