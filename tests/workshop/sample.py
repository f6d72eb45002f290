"""A small course that keeps every rule, for the tests that break one."""

from workshop import contents, export, numbering
from workshop.page import Page, notebooks
from workshop.store import write

ADDRESS = "https://github.com/old-owner/old-course"
PIXEL = (  # a PNG of one pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkqPxfDwAEGgIBFTwDkAAAAABJRU5ErkJggg=="
)
ALT = "A line that rises from 0 to 1."
FILES = {
    "_config.yml": "repository:\n  # Here.\n  url: {address}\n  branch: main\n"
    "html:\n  baseurl: https://old-owner.github.io/old-course/  # of links\n",
    "_toc.yml": "format: jb-book\nroot: index\nchapters:\n  - file: chapters/notation\n",
    "index.md": f"# A course\n\n{contents.BEGIN}{contents.END}",
    "README.md": f"# A course\n\n{contents.BEGIN}{contents.END}",
    "chapters/notation.md": "# Notation\n\n## Rows and columns\n\nAs in equation (1.1) of page 1.\n",
    "taught/attention.py": "",
    "utils/device.py": "",
}


def markdown(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code(source, *tags):
    metadata = {"tags": list(tags)}
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": []}


def image(alt=ALT, kind="image/png", data=PIXEL):
    return {
        "output_type": "display_data",
        "data": {kind: data, "text/plain": alt},
        "metadata": {kind: {"alt": alt, "width": 1}},
    }


def make_course(root, address=ADDRESS):
    """Two new pages; the first keeps `pool`, the second imports it and draws a figure."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text.replace("{address}", address))
    for number in (1, 2):
        numbering.new(number, "A sample", root)
    first, second = notebooks(root)
    definition = code('def pool(values):\n    """The mean."""\n    return torch.mean(values)', "keep")
    first.notebook["cells"].insert(4, definition)
    write(first, first.notebook)
    cells = second.notebook["cells"]
    cells[3]["source"] = "".join(cells[3]["source"]) + "\n\nfrom taught.attention import pool"
    figure = code(f'fig = pool\nshow(fig, "{ALT}")', "nbval-ignore-output")
    link = "**Figure 2.1.** It rises.\n\nSee [the notation](notation.md#rows-and-columns)."
    cells[4:4] = [
        figure | {"outputs": [image()]},
        markdown(link),
        code("torch.manual_seed(0)\nassert 1 == pool(torch.ones(3))"),
    ]
    write(second, second.notebook)
    export.write(root)
    contents.write_tables(root)


def change(page, edit_cells):
    """Edit the cells of a page, store it, and return it read again."""
    cells = page.notebook["cells"]
    for cell in cells:
        cell["source"] = "".join(cell["source"])
    edit_cells(cells)
    write(page, page.notebook)
    return Page(page.path)
