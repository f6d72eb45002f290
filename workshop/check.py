"""All that can be said about the course without executing a page, in seconds."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from workshop import contents, drawings, export, papers, rules
from workshop.page import ROOT, Page, markdown_files, notebooks

SCRIPTS = ("live", "tests/live", "_static", "_ext/search/find.js")


def pages() -> Iterator[str]:
    """Every page keeps the rules."""
    for page in notebooks() + markdown_files():
        yield from rules.problems(page)


def lint() -> Iterator[str]:
    """ruff finds no fault in any code, the pages' included, and all in its one style."""
    for command in (["check", "--quiet"], ["format", "--check"]):
        run = tool("ruff", *command, "--output-format=json", ".")
        for found in json.loads(run.stdout or "[]"):
            name, line = found["filename"].removeprefix(f"{ROOT}/"), found["location"]["row"]
            place = f"{name}:{line}"
            if found.get("cell"):  # counted from 1
                place = Page(ROOT / name).cells[found["cell"] - 1].at(line)
            yield f"{place}: {found['code']}: {found['message']} (`make format`?)"


def scripts() -> Iterator[str]:
    """oxfmt and oxlint find every script and stylesheet in the one style, and without a fault."""
    for name in tool("oxfmt", "--list-different", *SCRIPTS).stdout.splitlines():
        yield f"{name}:1: not in the one style (`make format` writes it)"
    for found in json.loads(tool("oxlint", "--format=json", *SCRIPTS).stdout)["diagnostics"]:
        line = found["labels"][0]["span"]["line"] if found["labels"] else 1
        yield f"{found['filename']}:{line}: {found['message']}"


def types() -> Iterator[str]:
    """ty finds no fault in the workshop's types."""
    run = tool("ty", "check", "--python", sys.prefix, "--output-format=concise")
    if run.returncode:  # the last line counts
        yield from run.stdout.splitlines()[:-1] or [f"pyproject.toml:1: ty: {run.stderr.strip()}"]


def spelling() -> Iterator[str]:
    yield from tool("codespell", "--quiet-level=3").stdout.splitlines()


def workflows() -> Iterator[str]:
    """zizmor finds no way in which a workflow could be misused."""
    run = tool("zizmor", "--persona=auditor", "--offline", "--quiet", "--format=plain", ".")
    if run.returncode:
        yield f".github/workflows:1: {run.stdout.strip() or run.stderr.strip()}"


def tool(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a tool of the environment in the course's folder."""
    command = [program(name), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def program(name: str) -> Path:
    return Path(sys.executable).with_name(name)


# Each yields problems, which begin with file and line.
CHECKS: dict[str, Callable[[], Iterable[str]]] = {
    "pages": pages,
    "drawings": drawings.problems,  # have the one style
    "contents": contents.problems,  # have every page, in order
    "exported": export.problems,  # what the pages keep is what `taught` has of it
    "papers": papers.problems,  # say what is true
    "lint": lint,
    "scripts": scripts,
    "types": types,
    "spelling": spelling,
    "workflows": workflows,
}


def problems() -> Iterator[str]:
    for function in CHECKS.values():
        yield from (re.sub(r"^\./", "", problem) for problem in function())
