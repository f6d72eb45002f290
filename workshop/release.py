"""A release: its version in the papers and pages, a tag, and the files that readers download.

`prepare` makes two commits. The first gives the papers the version and its date, and stays on main.
The second turns the start cells and the links to Colab from main to the tag, and only the tag holds
it: a course of last term still opens last term's pages, and main goes on. `bundle` makes the
notebooks with all that they import, the PDF, and the book, which book.yml publishes under /v1/.
"""

import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from workshop import contents, frame, store
from workshop.page import ROOT, Page, first, notebooks, tracked_files

# Readers of the notebooks need neither the tests nor what makes the book.
LEFT_OUT = {".ci", ".github", "_ext", "_static", "tests", "workshop", "conftest.py", "Makefile"}


def git(root: Path, *command: str) -> str:
    done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"git {command[0]}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.strip()


def rewrite(path: Path, *pairs: tuple[str, str]) -> None:
    """Replace what each pattern finds, which must be in the file once."""
    text = path.read_text(encoding="utf-8")
    for pattern, new in pairs:
        text, count = re.subn(pattern, lambda _, new=new: new, text)
        if count != 1:
            raise ValueError(f"{path.name} has {pattern!r} {count} times; wanted once")
    path.write_text(text, encoding="utf-8", newline="\n")


def prepare(version: str, root: Path = ROOT, today: date | None = None) -> str:
    """Commit the papers on main and the pages under the tag; return the tag."""
    today, main, tag = today or date.today(), frame.version(root), f"v{version}"
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ValueError(f"the version is {version!r}; wanted three numbers: make release V=1.0.0")
    if git(root, "tag", "--list", tag):
        raise ValueError(f"there is a {tag} already; wanted a new version")
    if git(root, "status", "--porcelain"):
        raise ValueError("there are changes that aren't committed; commit them first")
    if (here := git(root, "rev-parse", "--abbrev-ref", "HEAD")) != main:
        raise ValueError(f"this is branch {here!r}; wanted {main!r}, that of _config.yml")
    waiting = f"## {version}, not yet released"
    if waiting not in (root / "CHANGELOG.md").read_text(encoding="utf-8"):
        raise ValueError(f"CHANGELOG.md says nothing of it; wanted a heading {waiting!r}")

    day = f"{today.day} {today:%B %Y}"
    rewrite(root / "CHANGELOG.md", (re.escape(waiting), f"## {version}, {day}"))
    rewrite(root / "pyproject.toml", (r'(?m)^version = ".*"', f'version = "{version}"'))
    cited = (r"(?m)^version: .*", f"version: {version}")
    rewrite(root / "CITATION.cff", cited, (r"(?m)^date-released: .*", f"date-released: {today}"))
    deposited = (r'"version": ".*"', f'"version": "{version}"')
    dated = (r'"publication_date": ".*"', f'"publication_date": "{today}"')
    rewrite(root / ".zenodo.json", deposited, dated)
    git(root, "commit", "--quiet", "--all", f"--message=Version {version}")

    newest = frame.published(root)
    git(root, "checkout", "--quiet", "--detach")
    try:
        rewrite(
            root / "_config.yml",
            (rf"(?m)^  branch: {main}$", f"  branch: {tag}"),
            ("use_edit_page_button: true", "use_edit_page_button: false"),
            (
                r"extra_footer: >-\n",
                f'extra_footer: >-\n    <p>Version {version}, {day}. <a href="{newest}">The newest version</a></p>\n',
            ),
        )
        for page in notebooks(root):
            turn(page)
        contents.write_tables(root)
        git(root, "commit", "--quiet", "--all", f"--message=The pages of version {version}")
        git(root, "tag", "--annotate", tag, f"--message=Version {version}")
    finally:
        git(root, "checkout", "--quiet", "--force", main)
    return tag


def turn(page: Page) -> None:
    """Write the start cell and the link to Colab of a page for the version in `_config.yml`."""
    notebook = page.notebook
    start = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    start["source"] = frame.start_cell(page.root)
    head = notebook["cells"][0]
    link = f"[Open in Colab]({frame.colab_link(page)})"
    head["source"] = re.sub(r"\[Open in Colab\]\(\S+\)", link, "".join(head["source"]))
    store.write(page, notebook)


def notes(version: str, root: Path = ROOT) -> str:
    """What the changelog says of a version."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    return first(rf"(?ms)^## {re.escape(version)}, [^\n]*\n(.*?)(?=^## |\Z)", text).strip() + "\n"


def pack(path: Path, files: Iterable[tuple[Path, str]]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, name in files:
            archive.write(file, name)


def bundle(html: Path, pdf: Path, root: Path = ROOT) -> list[Path]:
    """Write the files of a release into `dist/release`, and `dist/notes.md`; return the files."""
    version = json.loads((root / ".zenodo.json").read_text(encoding="utf-8"))["version"]
    out = root / "dist" / "release"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    book, paper, pages = (
        out / f"attention-{version}-{part}" for part in ("book.zip", "book.pdf", "notebooks.zip")
    )
    pack(
        book, ((p, p.relative_to(html).as_posix()) for p in sorted(html.rglob("*")) if p.is_file())
    )
    shutil.copyfile(pdf, paper)
    names = [(path, path.relative_to(root)) for path in tracked_files(root)]
    kept = [
        (p, f"attention-{version}/{n.as_posix()}") for p, n in names if n.parts[0] not in LEFT_OUT
    ]
    pack(pages, kept)
    (out.parent / "notes.md").write_text(notes(version, root), encoding="utf-8")
    return [book, paper, pages]
