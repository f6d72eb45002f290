"""A small course that keeps every rule, for the tests that break one."""

import base64
import json

from tests import pages

ADDRESS = "https://github.com/old-owner/old-course"
PIXEL = (  # a PNG of one pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
ALT = "A line that rises from 0 to 1."


def text(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code(source, *tags, outputs=(), folded=False):
    metadata = {"tags": list(tags)} | (pages.FOLDED if folded else {})
    return {"cell_type": "code", "metadata": metadata, "source": source,
            "outputs": list(outputs), "execution_count": 1}


def printed(line, name="stdout"):
    return {"output_type": "stream", "name": name, "text": line + "\n"}


def image(alt=ALT, kind="image/png", size=None):
    data = base64.b64encode(bytes(size)).decode() if size else PIXEL
    return {"output_type": "display_data", "data": {kind: data, "text/plain": alt},
            "metadata": {kind: {"alt": alt, "width": 1}}}


def write_course(root):
    """The files around the pages."""
    files = {
        "_config.yml": f"repository:\n  url: {ADDRESS}\n  branch: main\n",
        "_toc.yml": "format: jb-book\nroot: index\nchapters:\n- file: chapters/notation\n"
                    "- file: chapters/01_sample\n- file: chapters/02_sample\n",
        "index.md": "# A course\n\n[Begin](chapters/01_sample.ipynb#the-mean)\n",
        "chapters/notation.md": "# Notation\n\n## Rows and columns\n\nAs in equation (1.1).\n",
        "utils/__init__.py": "",
        "utils/attention.py": "",
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)


def start():
    source = pages.START_CELL.replace("{address}", ADDRESS)
    return code(source, "hide-cell", folded=True)


def write_page(root, number, cells):
    """Write cells as the page of that number, in normal form."""
    path = root / "chapters" / f"{number:02}_sample.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    notebook = {"cells": cells, "metadata": {}}
    path.write_text(pages.to_text(pages.normal_form(notebook)), encoding="utf-8")
    return path


def bare_page(root, number, *code_cells):
    """A page of nothing but its start cell and the given code cells."""
    return write_page(root, number, [text(f"# {number}. Bare"), start(), *code_cells])


def good_cells(number):
    """The cells of a page that keeps every rule. It imports `pool`, which page 1 keeps."""
    colab = ADDRESS.replace("github.com", "colab.research.google.com/github")
    kept = "import torch" if number == 1 else "from utils.attention import pool"
    cells = [
        text(f"# {number}. A sample\n\n[Open this page on Colab]"
             f"({colab}/blob/main/chapters/{number:02}_sample.ipynb)\n\n"
             "**What you will do**\n\n- Take a mean.\n\n**What you can do after**\n\n- Name it.\n\n"
             "**What you need**\n\n- Numbers.\n\nTime: about 3 minutes on 2 cores."),
        start(),
        text("What the page imports."),
        code("import matplotlib.pyplot as plt\nimport torch\n\n"
             f"{kept}\nfrom utils.plot import show"),
        text("## The mean\n\nSee [the notation](notation.md#rows-and-columns), the mean below, and "
             "`{eq}` as code.\n\n"
             rf"$$ a = \frac{{1}}{{n}} \sum_i x_i \tag{{{number}.1}} $$"
             "\n\n> **Note.** A mean has no query.\n\n```\n% [^1] is code {eq}`here`\n```"),
        code("torch.manual_seed(0)\nx = torch.randn(5)  # (n,)\nprint(f\"{x.mean():.2f}\")",
             outputs=[printed("-0.56")]),
        text(f"The mean of equation ({number}.1), as a function:"),
        code('def pool(values):\n    """The mean."""\n    return values.mean()  # ()',
             *(["keep"] if number == 1 else [])),
        text("The line rises."),
        code(f'fig, ax = plt.subplots()\nax.plot([0, 1])\nshow(fig, "{ALT}")', outputs=[image()]),
        text("It does.\n\n## Exercises"),
    ]
    for k, level in enumerate(("easy", "medium", "hard"), 1):
        name = f"times_{k}"
        cells += [
            text(f"### Exercise {number}.{k}: a product ({level}, 5 minutes)\n\nWrite `{name}`."),
            code(f'def check_{name}(candidate):\n    """Try {k}."""\n    result = candidate({k})\n'
                 '    if result is None:\n        return "not yet"\n'
                 f'    if result != {2 * k}:\n        return f"{{result}}; wanted {2 * k}"\n'
                 '    return "right"', "check"),
            text("Your turn."),
            code(f"def {name}(x, factor=2):\n    return None  # your code here\n\n\n"
                 f"print(check_{name}({name}))", "exercise", outputs=[printed("not yet")]),
            text(f"<details>\n<summary>Hint</summary>\n\nMultiply {k}.\n\n</details>"),
            code(f"# @title Solution {number}.{k}\ndef {name}(x, factor=2):\n"
                 f'    return factor * x\n\n\nassert check_{name}({name}) == "right"',
                 "solution", "hide-cell", folded=True),
            text(f"*Why.* A product {k}. *The usual mistake* is a sum."),
        ]
    question = "<details>\n<summary>{}?</summary>\n\nAn answer.\n\n</details>\n\n"
    cells.append(text(
        "## Summary\n\nA mean is 0.5. It has no query. A product has.\n\n## Questions\n\n"
        + question.format("1. Why") + question.format("2. How")
        + "## Next\n\n[The first page](01_sample.ipynb), or [notation](notation.md)."
    ))
    return json.loads(json.dumps(cells))
