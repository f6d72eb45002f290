"""Dress plain notebooks: figures get captions, exercises boxes, checks a tick, folds their names.

Why: on Colab and in JupyterLab a directive shows as raw text. So the notebooks hold headings,
quotes, `<details>` and `# @title` lines, which read well everywhere, and the book alone dresses
them. What each part looks like stands in `_static/page.css`; the colours come from
`utils/palette.py`.

Parts are known by tags of cells, ids of headings, numbers and links, and a box by what it says in
the notebook (`rawsource`, which stays English): a translated page is dressed in the same way.
"""

import re
from html import escape
from pathlib import Path
from urllib.parse import quote as quoted

from docutils import nodes
from sphinx.util import logging

from live.bundle import TAG
from messages import _, source
from utils.palette import stylesheet
from workshop.contents import parts
from workshop.start import address

LOGGER = logging.getLogger(__name__)


def folded(summary, kind, *children):
    """A box that unfolds at its summary."""
    words = f'<span class="claim">{escape(summary)}</span>'
    opening = f'<details class="fold {kind}"><summary>{words}</summary>\n'
    return [raw(opening), *children, raw("</details>\n")]


def raw(html):
    return nodes.raw("", html, format="html")


def cells(document, tag=""):
    """The code cells, in order; those with a tag, if one is asked for."""
    name = f"tag_{tag}" if tag else "cell"
    return [node for node in document.findall(nodes.container) if name in node["classes"]]


def said(cell):
    """What the line `# @title ...` of a cell says, in the language of the book, or an empty string."""
    return cell.get("title", "")


def replace(node, *new):
    """Put others in a node's place; `replace_self` would hand its classes on to the first."""
    place = node.parent.index(node)
    node.parent[place : place + 1] = new


def rewrite(code, text):
    """Give a block of code another text."""
    code.rawsource = text
    code[:] = [nodes.Text(text)]


def unfold(cell):
    """Show a cell that stands in a fold already."""
    for name in ("hide_mode", "prompt_show", "prompt_hide"):
        cell.attributes.pop(name, None)


# ---------------------------------------------------------------- the opening of a page


COLAB = "https://colab.research.google.com/github/"


def colab_link(document):
    """The link that opens a notebook on Colab, if there is one."""
    links = document.findall(nodes.reference)
    return next((link for link in links if link.get("refuri", "").startswith(COLAB)), None)


def dress_opening(document):
    """The line with the Colab link, the box "On this page", and one fold for all of the setup."""
    checks = len(cells(document, "verify"))
    for paragraph in document.findall(nodes.paragraph):
        colab = colab_link(paragraph)
        if colab and paragraph.astext().startswith(colab.astext()):
            paragraph["classes"].append("page-line")
            notebook = colab["refuri"].replace(COLAB, "https://github.com/")
            kaggle = f"https://kaggle.com/kernels/welcome?src={notebook}"
            links = [colab, nodes.Text(f" {_('or')} ")]
            links.append(nodes.reference("", _("on Kaggle"), refuri=kaggle))
            claims = _("claim checked by code") if checks == 1 else _("claims checked by code")
            facts = f"{paragraph[-1]} · {checks} {claims}".split(" · ")[1:]
            parts = [[nodes.inline("", fact), nodes.Text(" · ")] for fact in facts]
            paragraph[:] = [*links, raw("<br>"), *sum(parts, [])[:-1]]
    for quote in list(document.findall(nodes.block_quote)):
        if quote[0].rawsource == "**On this page**":
            replace(quote, nodes.container("", *quote.children, classes=["in-this-page"]))
    begins = re.compile("# @title (Start|Setup)\\b")
    setup = [cell for cell in cells(document) if begins.match(source(cell))]
    for cell in setup:
        unfold(cell)
    if len(setup) == 2:
        words = _("Setup: find the course, and import what this page uses")
        setup[0].parent.remove(setup[0])
        replace(setup[1], *folded(words, "setup", *setup))


# ---------------------------------------------------------------- figures

CAPTION = re.compile(r"\D*(\d+)\.(\d+)\D*$")  # "Figure 3.1." or "图 3.1。"
ONLY_A_DRAWING = re.compile(r"(from utils\.plot import [\w, ]+\s+)?show_diagram\([^()]*\)\s*")


def dress_figures(document):
    """Make a figure of each image that a paragraph "**Figure 3.1.** ..." follows."""
    for paragraph in list(document.findall(nodes.paragraph)):
        number = numbered(paragraph)
        if not number:
            continue
        cell = paragraph.previous_sibling()
        if cell not in cells(document):
            continue
        outputs = [n for n in cell.findall(nodes.container) if n.get("nb_element") == "mime_bundle"]
        shown = [output for output in outputs if is_image(output)]
        if not shown:
            continue
        paragraph.parent.remove(paragraph)
        figure = nodes.figure("", ids=[f"figure-{number[1]}-{number[2]}"])
        replace(shown[-1], figure)
        figure.extend([shown[-1], nodes.caption(paragraph.rawsource, "", *paragraph.children)])
        code = cell.children[0]
        drawn = re.sub(r"#.*", "", source(cell)).strip()
        nothing_to_learn = ONLY_A_DRAWING.fullmatch(drawn)
        if nothing_to_learn or cell.get("hide_mode") == "input":
            unfold(cell)
            cell.remove(code)
            if not nothing_to_learn:  # the code stands below the figure, and quietly
                cell.extend(folded(_("Code of this figure"), "drawing", code))


def numbered(paragraph):
    """The number in the bold words with which a caption begins."""
    bold = paragraph.next_node(nodes.strong)
    begins = bold and paragraph.astext().startswith(bold.astext())
    return CAPTION.match(bold.astext()) if begins else None


def is_image(output):
    """Whether an output is an image or a drawing, in all forms that are stored."""
    return any(
        child.get("mime_type", "").startswith("image/")
        or "<svg " in child.astext()
        or child.astext().startswith(f"<{TAG} ")
        for child in output.children
    )


def lift_box(document):
    """The box "On this page" stands right under the picture that opens the page."""
    figure = document.next_node(nodes.figure)
    for box in document.findall(nodes.container):
        if "in-this-page" in box["classes"] and figure in box.parent.findall(nodes.figure):
            opening = figure.parent if figure.parent in cells(document) else figure
            while opening.parent is not box.parent:
                opening = opening.parent
            if opening.parent.index(opening) < box.parent.index(box):
                box.parent.remove(box)
                opening.parent.insert(opening.parent.index(opening) + 1, box)
            return


# ---------------------------------------------------------------- exercises

LEVEL = re.compile(r"\s*[(（]([^()（）]*)[)）]$")


def dress_exercises(document):
    """A box with a short title, and a solution that folds together with its why.

    The title's last words, "(easy, 5 minutes)", go below it: the contents have no room for them.
    What checks an answer is for notebooks; the book says where one can try.
    """
    colab = colab_link(document)
    for section in list(document.findall(nodes.section)):
        if not section["ids"][0].startswith("exercise-"):
            continue
        section["classes"].append("exercise")
        title = section.next_node(nodes.title)
        if level := LEVEL.search(title.astext()):
            last = list(title.findall(nodes.Text))[-1]
            last.parent.replace(last, nodes.Text(LEVEL.sub("", last)))
            about = re.sub(r", |，", " · ", level[1])
            section.insert(1, nodes.paragraph("", about, classes=["exercise-line"]))
        for cell in cells(section, "check"):
            cell.parent.remove(cell)
        for cell in cells(section, "exercise"):
            code = cell.next_node(nodes.literal_block)
            rewrite(code, re.sub(r"\s*^print\(check_.*\Z", "", code.astext(), flags=re.M | re.S))
            cell[:] = cell.children[:1]  # without what it prints, "not yet"
            if colab:
                words = _("Check your answer on Colab")
                link = nodes.reference("", words, refuri=colab["refuri"])
                section.append(nodes.paragraph("", "", link, classes=["try"]))
        for solution in cells(section, "solution")[:1]:
            below = [n for n in section[section.index(solution) + 1 :] if "try" not in n["classes"]]
            for node in below:
                section.remove(node)
            unfold(solution)
            why = [node for node in below if not re.match(r"\s*</?details", node.astext())]
            replace(solution, *folded(_("Solution"), "solution", solution, *why))


def dress_later(document):
    """What a class has for later pages folds, from its line "# For later pages: ..." on."""
    for cell in cells(document):
        code = cell.next_node(nodes.literal_block)
        if code and (match := re.search(r"\n+ *# (For later pages: .+)\n", code.astext())):
            above, below = code.astext()[: match.start()], code.deepcopy()
            rewrite(below, code.astext()[match.end() :])
            rewrite(code, above)
            replace(code, code, *folded(match[1], "later", below))


def dress_patients(document):
    """A card for each patient of the clinic, headed by the complaint that it comes with."""
    for section in list(document.findall(nodes.section)):
        if re.match(r"patient-\d", section["ids"][0]):
            section["classes"].append("patient")
            section.next_node(nodes.paragraph)["classes"].append("complaint")


# ---------------------------------------------------------------- all the rest


def dress_checks(document):
    """A folded cell of asserts is a line with a tick, which opens to its code."""
    for cell in cells(document, "verify"):
        unfold(cell)
        replace(cell, *folded(said(cell), "verify", cell))


def name_folded_cells(document):
    """Let a folded cell say what it holds, as Colab does, not "Show code cell"."""
    for cell in cells(document):
        if "hide_mode" in cell and (title := said(cell)):
            cell["prompt_show"] = cell["prompt_hide"] = title


def drop_titles(document):
    """The line `# @title ...` has become a caption, a claim or the name of a fold."""
    for code in document.findall(nodes.literal_block):
        if code.astext().startswith("# @title"):
            rewrite(code, code.astext().partition("\n")[2].lstrip("\n"))


def dress_tables(document):
    """Mark captions, and tables of sentences: on a phone each row is a card, not a sliver.

    There each cell says what its column is called, in a label that wider screens do not show. In
    all tables a long name in code breaks behind its dots and brackets.
    """
    for paragraph in document.findall(nodes.paragraph):
        if numbered(paragraph):  # figures have taken theirs
            paragraph["classes"].append("table-caption")
    for table in document.findall(nodes.table):
        for code in table.findall(nodes.literal):
            parts = re.split(r"(?<=[.(,=])(?=\w)|(?<=\w{16}_)(?=\w)", code.astext())
            code[:] = [node for part in parts for node in (nodes.Text(part), raw("<wbr>"))][:-1]
        rows = list(table.findall(nodes.row))
        names = [entry.astext() for entry in rows[0]]
        longest = max((len(entry.astext()) for row in rows[1:] for entry in row), default=0)
        if len(names) < 3 or longest < 60:
            continue
        table["classes"].append("cards")
        for row in rows[1:]:
            for name, entry in list(zip(names, row))[1:]:
                if name and entry.astext() and isinstance(entry[0], nodes.paragraph):
                    entry[0].insert(0, nodes.inline("", f"{name}: ", classes=["card-label"]))


NUMBER = re.compile(r"[-−]?([\d,]+)(\.\d+)?\s?([^\d\s]*)$")


def kind(number):
    """How many decimals it has, and its unit."""
    return len(number[2] or ""), number[3]


def size(number):
    return float((number[1] + (number[2] or "")).replace(",", ""))


def printed_table(lines):
    """HTML of a printed table, whose columns have two blanks between them in each line.

    The first line names the columns. A bar is as long as its number is large beside the others of the
    table whose columns have its unit and as many decimals. Where a number of a column is negative, it
    has no bars.
    """
    head, *rows = [[entry.strip() for entry in re.split(r"\s{2,}", line)] for line in lines]
    if not rows:
        raise ValueError(f"a printed table has the line {lines[0]!r} alone; wanted rows below it")
    for row, line in zip(rows, lines[1:]):
        if len(row) != len(head):
            raise ValueError(
                f"a printed table of {len(head)} columns has a row of {len(row)}, {line!r}; wanted one "
                "entry a column, two blanks between them"
            )
    matches = [[NUMBER.match(entry) for entry in row] for row in rows]
    kinds, most = [], {}
    for column in [[number for number in column if number] for column in list(zip(*matches))[1:]]:
        signed = any(number[0][0] in "-−" for number in column)
        kinds.append(None if signed else max(map(kind, column), default=None))
        most[kinds[-1]] = max(most.get(kinds[-1], 0), *map(size, column), 0)
    words = ["" if any(column) else " class=words" for column in zip(*matches)]
    html = "".join(f'<th scope="col"{of}>{escape(name)}</th>' if name else "<td></td>" for name, of in zip(head, words))
    for row, numbers in zip(rows, matches):
        html += f'</tr><tr><th scope="row">{escape(row[0])}</th>'
        for entry, number, of, text in zip(row[1:], numbers[1:], kinds, words[1:]):
            share = size(number) / (most[of] or 1) if number and of else 0
            html += f'<td style="--share:{share:.3f}"{text}>{escape(entry)}</td>'
    return f'<table class="printed"><tr>{html}</tr></table>'


def dress_prints(document):
    """What a cell with the tag "table" prints is a table, and its other lines stay printed lines."""
    for printed in [b for c in cells(document, "table") for b in c.findall(nodes.literal_block)]:
        if "stream" not in printed["classes"]:
            continue
        lines = printed.astext().rstrip().split("\n")
        inside = [k for k, line in enumerate(lines) if re.search(r"^\s|\S\s{2,}\S", line)]
        try:
            if not inside:
                raise ValueError("no printed line has columns; wanted two blanks between them")
            table = printed_table(lines[inside[0] : inside[-1] + 1])
        except ValueError as error:
            LOGGER.warning("%s", error, location=printed, type="dress")
            continue
        before, after = lines[: inside[0]], lines[inside[-1] + 1 :]
        above, below = [f"<pre>{escape(chr(10).join(part))}</pre>" if part else "" for part in (before, after)]
        replace(printed, raw(f'<div class="output stream">{above}{table}{below}</div>'))


PARTS = [dress_opening, dress_figures, lift_box, dress_exercises, dress_later, dress_checks]
PARTS += [dress_patients, name_folded_cells, dress_tables, dress_prints, drop_titles]


def ribbon(app, document):
    """Above a page a ribbon of all parts, a piece for each of their pages, this one's filled.

    A piece leads to its page, for a mouse: keyboard and screen reader have the list of contents.
    """
    pieces, here = "", ""
    for caption, pages in parts(Path(app.srcdir)):
        names = [page.name.rpartition(".")[0] for page in pages]
        inside = app.env.docname in names
        here = caption if inside else here
        links = "".join(
            f'<a href="{page.path.stem}.html" title="{escape(page.headings[0].title)}" tabindex="-1">'
            f"<i{' class=here' * (name == app.env.docname)}></i></a>"
            for name, page in zip(names, pages)
        )
        pieces += f'<span class="{"of-page" * inside}">{links}</span>' * bool(names)
    if here:
        title = document.next_node(nodes.title)
        line = f'<b>{escape(_(here))}</b><div aria-hidden="true">{pieces}</div>'
        title.parent.insert(title.parent.index(title) + 1, raw(f'<div class="ribbon">{line}</div>'))


def foot(app, document):
    """Below a page: where to tell a mistake, where to ask, and the page as plain text."""
    name = app.env.docname
    title, repository = document.next_node(nodes.title), address(Path(app.srcdir))
    if name == app.config.root_doc or not title:
        return
    page = quoted(title.astext())
    html = (
        f'<p class="page-foot">{_("This page:")} '
        f'<a href="{repository}/issues/new?template=mistake.yml&page={page}">{_("a mistake")}</a> · '
        f'<a href="{repository}/discussions">{_("a question")}</a> · <a class="copy-page" '
        f'href="{name.rpartition("/")[2]}.md">{_("copy it as Markdown")}</a></p>'
    )
    title.parent += raw(html)


def dress(app, document):
    if app.builder.format != "html":  # messages are taken from a page as it is written
        return
    ribbon(app, document)
    foot(app, document)
    for part in PARTS:
        part(document)


def write_colours(app):
    """The colours and the look of drawings, from the one place where they are chosen."""
    folder = Path(app.outdir) / "_static"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "palette.css").write_text(stylesheet(":root"), encoding="utf-8")
    app.add_css_file("palette.css")


def setup(app):
    # Before Sphinx takes the titles for its tables of contents (priority 500).
    app.connect("doctree-read", dress, priority=400)
    app.connect("builder-inited", write_colours)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
