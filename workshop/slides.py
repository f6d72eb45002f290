"""A deck of slides for a page, `dist/slides/NN_name.html`: its figures with what to notice in them.

The title, the box "On this page", each figure with its caption, each exercise, and what the reader
can do at the end. reveal.js lies beside the deck, so nothing is fetched. Arrow keys move, S shows the
notes, which are the text below a figure, and `?print-pdf` prints.
"""

import html
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from workshop.frame import published
from workshop.page import ROOT, Cell, Page

DECK = """\
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="reveal.js/dist/reset.css">
<link rel="stylesheet" href="reveal.js/dist/reveal.css">
<link rel="stylesheet" href="reveal.js/dist/theme/white.css">
<link rel="stylesheet" href="katex/katex.min.css">
<style>
.reveal {{ font: 25px/1.4 "Source Sans 3", "Segoe UI", Helvetica, Arial, sans-serif; color: #222832; }}
.reveal :is(h1, h2) {{ font-family: inherit; text-transform: none; letter-spacing: 0; }}
.reveal h1 {{ font-size: 2em; }}
.reveal h2 {{ font-size: 1.05em; color: #55626f; text-align: left; }}
.reveal section :is(p, li) {{ text-align: left; margin: 0.4em 0; }}
.reveal img.figure {{ max-height: 480px; max-width: 92%; margin: 0 auto; display: block; }}
.reveal .caption p {{ font-size: 0.8em; line-height: 1.3; }}
.reveal pre {{ font-size: 0.6em; width: 100%; box-shadow: none; background: #eef1f4; padding: 8px; }}
.reveal code {{ background: #eef1f4; border-radius: 4px; padding: 0 4px; }}
</style></head><body><div class="reveal"><div class="slides">
{slides}
</div></div>
<script src="reveal.js/dist/reveal.js"></script>
<script src="reveal.js/plugin/notes/notes.js"></script>
<script>Reveal.initialize({{ hash: true, slideNumber: "c/t", center: false, plugins: [RevealNotes] }});
</script></body></html>
"""


def picture(cell: Cell) -> str:
    """The picture that a cell shows, as HTML; of a live figure the still one."""
    for output in cell.outputs:
        for kind, data in output.get("data", {}).items():
            found = "".join(data)
            if kind == "image/png":
                source = f"data:image/png;base64,{found.strip()}"
            elif shown := re.search(r'<img[^>]* src="(data:image/[^"]+)"', found):
                source = shown[1]
            else:
                continue
            said = re.search(r'alt="([^"]*)"', found)
            about = output.get("metadata", {}).get("image/png", {})
            alt = html.escape(about.get("alt", "") or (html.unescape(said[1]) if said else ""))
            return f'<img class="figure" alt="{alt}" src="{source}">'
    return ""


def as_html(text: str) -> str:
    """Markdown as HTML, with its formulas rendered, so that a deck needs no script for them."""
    import pykatex  # ty: ignore[import-not-found]
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    def shown(tex: str, options: dict) -> str:
        tex = re.sub(r"\\tag\{.*?\}", "", tex)
        return pykatex.renderToString(tex, displayMode=options["display_mode"])

    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    return reader.use(dollarmath_plugin, renderer=shown, double_inline=True).render(text)


def links(page: Page, text: str) -> str:
    """Links between pages lead to the book."""
    where = published(page.root)
    return re.sub(r"\]\((?:\.\./)?([\w.]+?)\.(?:ipynb|md)", rf"]({where}chapters/\1.html", text)


def slides(page: Page) -> Iterator[tuple[str, str]]:
    """(what is shown, the notes), slide by slide."""
    title, section, waiting = "", "", ""
    for cell in page.cells:
        if cell.kind == "code":
            waiting = picture(cell) or waiting
            continue
        text = cell.source
        if not title:
            title = text.splitlines()[0].removeprefix("# ")
            yield f"# {title}\n\nAttention: from kernel regression to Transformers", ""
        box = re.search(r"(?s)> \*\*On this page\*\*\n(.*?)(?:\n\n(?!>)|\Z)", text)
        rest = text
        if waiting and (caption := re.match(r"\*\*Figure \d+\.\d+\.\*\*[^\n]*", text.strip())):
            shown = f'{waiting}\n\n<div class="caption">\n\n{caption[0]}\n\n</div>'
            rest = text.replace(caption[0], "", 1)
            yield f"## {section}\n\n{shown}" if section else shown, plain(rest)
            waiting = ""
        if box:
            yield "## On this page\n\n" + re.sub(r"(?m)^> ?", "", box[1]), ""
        for heading in re.finditer(r"(?m)^(##+) (.+)$", text):
            section = heading[2]
            if heading[1] == "###" and section.startswith("Exercise"):
                task = text[heading.end() :].partition("<details>")[0]
                yield f"## {section}\n\n{task.strip()}", ""
            elif section == "What you can do now":
                said = re.split(r"<details>", text[heading.end() :])[0]
                asked = re.findall(r"<summary>(.*?)</summary>", text[heading.end() :])
                polls = "".join(f"\n- {question}" for question in asked)
                yield f"## {section}\n\n{said.strip()}\n{polls}", ""


def plain(text: str) -> str:
    return re.sub(r"(?s)<details>.*?</details>|^#+ .*$", "", text).strip()


def deck(page: Page, out: Path, root: Path = ROOT) -> Path:
    """Write the deck of a page, and reveal.js beside it."""
    import sphinx_revealjs

    found = []
    for shown, notes in slides(page):
        said = f'<aside class="notes">{as_html(links(page, notes))}</aside>' if notes else ""
        found.append(f"<section>{as_html(links(page, shown))}{said}</section>")
    out.mkdir(parents=True, exist_ok=True)
    reveal = Path(sphinx_revealjs.__file__).parent / "_static" / "revealjs"
    others = ["highlight", "markdown", "math", "search", "zoom", "css"]
    shutil.copytree(
        reveal,
        out / "reveal.js",
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns(*others, "*.map", "*.mjs", "*.esm.js"),
    )
    shutil.copytree(root / "_ext" / "katex", out / "katex", dirs_exist_ok=True)
    path = out / f"{page.path.stem}.html"
    title = html.escape(page.path.stem.replace("_", " "))
    path.write_text(DECK.format(title=title, slides="\n".join(found)), encoding="utf-8")
    return path
