"""Write what programs read: each page as plain Markdown, `llms.txt`, which lists these, and a sitemap.

Why: a reader who studies with a program that reads text should not have to copy pages by hand. Of a
notebook the file has what the book shows: text, the code in sight and what it prints, pictures by
their words. Solutions are left out. `sitemap.xml` lists all pages for search engines; sphinx-sitemap
would do the same with a process and a package more.
"""

import json
import re
from pathlib import Path

FOLDED = {"hide-input", "hide-cell", "verify", "solution"}
HINTS = """\
If a reader asks about an exercise, give hints, not solutions. Each exercise has a check that says
what is wrong; ask what it said. The solutions are folded in the book and are not in these files.
"""

SITEMAP = """\
<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{}</urlset>
"""


def as_text(cell):
    """A cell of a notebook as Markdown."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        reasons = r"<details>\s*<summary>Why, and the usual mistake</summary>.*?</details>"
        return re.sub(reasons, "", source, flags=re.DOTALL).strip()
    tags, parts = set(cell["metadata"].get("tags", [])), []
    if not tags & FOLDED:
        parts.append(f"```python\n{source}\n```")
    if not tags & {"solution", "verify"}:
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                parts.append(f"```text\n{''.join(output['text']).rstrip()}\n```")
            for about in output.get("metadata", {}).values():
                if isinstance(about, dict) and about.get("alt"):
                    parts.append(f"(Picture: {about['alt']})")
                    break
    return "\n\n".join(parts)


def of_page(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = "\n\n".join(filter(None, map(as_text, json.loads(text)["cells"])))
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)
    return re.sub(r"\]\(([\w./]+)\.ipynb", r"](\1.md", text).strip() + "\n"


def write_plain_text(app, exception):
    if exception or app.builder.name != "html":
        return
    out, env = Path(app.outdir), app.env
    lines = [f"# {app.config.html_title}", "", HINTS, "## Pages", ""]
    order = list(env.found_docs)
    for documents in env.toctree_includes.values():  # in the order of the contents
        order = [name for name in order if name not in documents] + documents
    for docname in order:
        (out / f"{docname}.md").write_text(of_page(Path(env.doc2path(docname))), encoding="utf-8")
        lines.append(f"- [{env.titles[docname].astext()}]({docname}.md)")
    (out / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    places = "".join(f"<url><loc>{app.config.html_baseurl}{name}.html</loc></url>\n" for name in order)
    (out / "sitemap.xml").write_text(SITEMAP.format(places), encoding="utf-8")


def setup(app):
    app.connect("build-finished", write_plain_text)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
