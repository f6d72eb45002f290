"""What the book's search knows: each section of each page, and each term of the glossary.

Why: Sphinx's index knows pages, finds words inside drawings and code, and shows no excerpt where the
book is opened from a folder. Here a section is its title, its prose and its formulas;
`search/find.js` searches them with MiniSearch, and a term of the glossary leads to the section
that introduces it.
"""

import json
import re
from pathlib import Path

from docutils import nodes

UNUSED = "_static/searchtools.js", "_static/language_data.js"
# Both are loaded with the first search. MiniSearch is version 7.2.0, under the MIT licence.
SCRIPTS = [Path(__file__).parent / "search" / name for name in ("minisearch.js", "find.js")]
SPOKEN = {r"\sqrt": "√", r"\top": "⊤", r"\alpha": "α", r"\omega": "ω", r"\sum": "Σ", r"\cdot": "·"}


def plain(tex):
    """A formula as it may stand in an excerpt: letters and signs without TeX's commands."""
    for command, sign in SPOKEN.items():
        tex = tex.replace(command, sign)
    tex = re.sub(r"\\(?:[a-zA-Z]+|.)|[{}$]", "", tex)
    return re.sub(r"\s+", "", tex)


def words(node):
    """The text of a paragraph or a title, with its formulas in plain letters."""
    parts = []
    for leaf in node.findall(nodes.Text):
        if isinstance(leaf.parent, nodes.raw):
            continue
        formula = isinstance(leaf.parent, (nodes.math, nodes.math_block))
        parts.append(plain(leaf.astext()) if formula else leaf.astext())
    return " ".join("".join(parts).split())


def prose(section):
    """What a section says itself, without code, drawings and the sections inside it."""
    texts = []
    for child in section.children:
        if isinstance(child, (nodes.section, nodes.title)):
            continue
        for node in child.findall(lambda n: isinstance(n, (nodes.paragraph, nodes.caption))):
            if "page-line" not in node["classes"]:
                texts.append(words(node))
    return " ".join(texts)


def collect(app):
    """All that can be found: the address, the title of the page and of the section, its text."""
    env, sections = app.env, []
    titles = {docname: words(env.titles[docname]) for docname in env.found_docs}
    for docname in sorted(env.found_docs):
        for section in env.get_doctree(docname).findall(nodes.section):
            text = prose(section)
            if not text:
                continue
            is_page = isinstance(section.parent, nodes.document)
            anchor = "" if is_page else f"#{section['ids'][0]}"
            title = words(section.next_node(nodes.title))
            address = app.builder.get_target_uri(docname) + anchor
            entry = {"url": address, "page": titles[docname], "title": title, "text": text}
            for child in section.children:  # words that people type, which no prose has
                if match := re.fullmatch(r"(?:<!-- )?search: (.*?)(?: -->)?", child.astext().strip()):
                    entry["terms"] = match[1].split("; ")
            sections.append(entry)
    return sections


def write_sections(app, exception):
    if exception or app.builder.name != "html":
        return
    sections = collect(app)
    by_address = {section["url"]: section for section in sections}
    glossary = Path(app.outdir) / "chapters" / "glossary.html"
    if glossary.is_file():  # a term is found where it is introduced; its link is resolved here
        rows = re.findall(r"<tr\b.*?</tr>", glossary.read_text(encoding="utf-8"), re.DOTALL)
        for row in rows:
            cells = re.findall(r"<td\b[^>]*>(.*?)</td>", row, re.DOTALL)
            target = re.search(r'href="([^"]+)"', cells[3])[1] if len(cells) == 4 else None
            if target and (entry := by_address.get(f"chapters/{target}")):
                term = re.sub(r"<[^>]*>", "", cells[0]).strip()
                entry.setdefault("terms", []).append(term)
    out = Path(app.outdir)
    data = json.dumps(sections, ensure_ascii=False, separators=(",", ":"))
    (out / "_static" / "sections.js").write_text(f"globalThis.SECTIONS={data};\n", encoding="utf-8")
    for script in SCRIPTS:
        (out / "_static" / script.name).write_bytes(script.read_bytes())
    for name in UNUSED:
        (out / name).unlink(missing_ok=True)


def without_sphinxs_index(app):
    app.builder.search = False  # nor can what isn't there be missed when one page is built again


def setup(app):
    app.connect("builder-inited", without_sphinxs_index)
    app.connect("html-collect-pages", lambda app: [("search", {}, "search.html")])
    app.connect("build-finished", write_sections)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
