"""What every page begins with: the start cell, the link to Colab, and the course's address."""

from pathlib import Path

from workshop.page import ROOT, Page, first

# The only place where the text of the start cell stands; {address} is filled in from _config.yml.
START_CELL = """\
# @title Start: find the course, or fetch it
import subprocess
import sys
from pathlib import Path

ADDRESS = "{address}"
folders = [Path.cwd(), *Path.cwd().parents, Path.cwd() / ADDRESS.rsplit("/", 1)[-1]]
found = [folder for folder in folders if (folder / "utils" / "attention.py").is_file()]
if not found:
    clone = ["git", "clone", "--quiet", "--depth=1", ADDRESS, str(folders[-1])]
    subprocess.run(clone, check=True)
course = str(found[0] if found else folders[-1])
sys.path.insert(0, course) if course not in sys.path else None"""

# Folded in the book (the tag), on Colab (cellView) and in JupyterLab (source_hidden).
FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}}
START_METADATA = {"tags": ["hide-cell"], **FOLDED}


def address(root: Path = ROOT) -> str:
    """The course's one address, `repository.url` in `_config.yml`.

    Read without a YAML library: pages also run where only what they import is installed.
    """
    text = (root / "_config.yml").read_text(encoding="utf-8")
    return first(r"(?m)^repository:\n(?:  .*\n)*?  url: *(\S+)", text)


def start_cell(root: Path = ROOT) -> str:
    return START_CELL.replace("{address}", address(root))


def colab_link(page: Page) -> str:
    repository = address(page.root).removeprefix("https://github.com/")
    return f"https://colab.research.google.com/github/{repository}/blob/main/{page.name}"
