"""What every page begins with: the start cell, the link to Colab, the course's address and version."""

from pathlib import Path

from workshop.page import ROOT, Page, first

# The only place where the text of the start cell stands. Address and version are those of
# _config.yml.
START_CELL = """\
# @title Start: find the course, or fetch it (Kaggle: switch Internet on)
import subprocess
import sys
from pathlib import Path

ADDRESS, VERSION = "{address}", "{version}"
page = Path(globals().get("__vsc_ipynb_file__", "page")).resolve()  # as VS Code says
fetched = Path.cwd() / ADDRESS.rsplit("/", 1)[-1]
folders = [*page.parents, Path.cwd(), *Path.cwd().parents, fetched]
found = [folder for folder in folders if (folder / "utils" / "device.py").is_file()]
if not found:
    clone = "git -c advice.detachedHead=false clone --quiet --depth=1 --branch".split()
    try:
        subprocess.run([*clone, VERSION, ADDRESS, str(fetched)], check=True)
    except (OSError, subprocess.CalledProcessError):
        fault = f"{ADDRESS} can't be fetched into {fetched}: wanted git, a network and "
        fault += f"no such folder, or {ADDRESS}/archive/{VERSION}.zip unpacked there"
        raise RuntimeError(fault) from None
course = str(found[0] if found else fetched)
sys.path = [course, *(folder for folder in sys.path if folder != course)]
rooms = {"data", "live", "taught", "utils"}
for name in [*sys.modules]:  # what another project calls so is forgotten
    room, file = name.split(".")[0], getattr(sys.modules[name], "__file__", None)
    if room in rooms and Path(course, room) not in Path(file or "").parents:
        del sys.modules[name]"""

# Folded in the book (the tag), on Colab (cellView) and in JupyterLab (source_hidden).
FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}}
START_METADATA = {"tags": ["hide-cell"], **FOLDED}


def address(root: Path = ROOT) -> str:
    """The course's one address, `repository.url` in `_config.yml`.

    Read without a YAML library: pages also run where only what they import is installed.
    """
    text = (root / "_config.yml").read_text(encoding="utf-8")
    return first(r"(?m)^repository:\n(?:  .*\n)*?  url: *(\S+)", text)


def version(root: Path = ROOT) -> str:
    """`repository.branch` in `_config.yml`: main, or another branch or tag, which pages then fetch."""
    text = (root / "_config.yml").read_text(encoding="utf-8")
    return first(r"(?m)^repository:\n(?:  .*\n)*?  branch: *(\S+)", text)


def published(root: Path = ROOT) -> str:
    """The address of the book that readers see."""
    owner, name = address(root).rsplit("/", 2)[1:]
    return f"https://{owner.lower()}.github.io/{name}/"


def start_cell(root: Path = ROOT) -> str:
    return START_CELL.replace("{address}", address(root)).replace("{version}", version(root))


def colab_link(page: Page) -> str:
    repository = address(page.root).removeprefix("https://github.com/")
    return f"https://colab.research.google.com/github/{repository}/blob/{version(page.root)}/{page.name}"
