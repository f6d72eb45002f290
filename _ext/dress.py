"""Dress plain notebooks: exercises become boxes, **Note.** quotes notes, folded cells get names.

Why: on Colab and in JupyterLab a directive shows as raw text. So the notebooks hold headings,
quotes and `# @title` lines, which read well everywhere, and the book alone dresses them
(the boxes themselves are drawn by `_static/book.css`).
"""

import re

from docutils import nodes


def dress_exercises(document):
    """Mark each section titled "Exercise ..." for the stylesheet."""
    for section in document.findall(nodes.section):
        if section.next_node(nodes.title).astext().startswith("Exercise "):
            section["classes"].append("exercise")


def dress_notes(document):
    """Turn each quote that begins with a bold "Note." into a note of the book."""
    for quote in list(document.findall(nodes.block_quote)):
        bold = quote.next_node(nodes.strong)
        if bold and bold.astext() == "Note." and quote.astext().startswith("Note."):
            after = bold.next_node(nodes.Text, descend=False, siblings=True)
            bold.parent.remove(bold)
            if after:
                after.parent.replace(after, nodes.Text(after.lstrip()))
            quote.replace_self(nodes.note("", *quote.children))


def name_folded_cells(document):
    """Let a folded cell say what it holds, "Solution 1.2", as Colab does, not "Show code cell"."""
    for cell in document.findall(lambda node: "hide_mode" in getattr(node, "attributes", {})):
        title = re.match(r"# @title (.+)", cell.next_node(nodes.literal_block).astext())
        if title:
            cell["prompt_show"] = cell["prompt_hide"] = title[1]


def dress(app, document):
    dress_exercises(document)
    dress_notes(document)
    name_folded_cells(document)


def setup(app):
    app.connect("doctree-read", dress)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
