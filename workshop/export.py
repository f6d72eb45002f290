"""What the pages keep, by groups of pages: `taught/attention.py` and the others, from their cells.

A page names its module in its metadata, `"course": {"module": "transformer"}`; without a name it
is `attention`.
"""

import ast
import copy
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from workshop.page import ROOT, Page, notebooks
from workshop.store import first_difference

HEAD = '''\
"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

# fmt: off
'''
# Of code that is new against the cell above, which a module doesn't have.
NEW = re.compile(r" *# new(?:: \w+)?$|(?<=# )new: ")


def keeping(root: Path = ROOT) -> dict[str, list[Page]]:
    """{module: its pages, in reading order}."""
    modules = {}
    for page in notebooks(root):
        if any(page.kept()):
            modules.setdefault(page.module, []).append(page)
    return modules


def import_lines(pages: list[Page], module: str) -> list[str]:
    """Each import of these pages, alone; none of what the module itself defines."""
    lines = set()
    for cell in (cell for page in pages for cell in page.code[1:]):
        for node in cell.tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                if getattr(node, "module", None) != f"taught.{module}":
                    for alias in node.names:
                        statement = copy.copy(node)
                        statement.names = [alias]
                        lines.add(ast.unparse(statement))
    return sorted(lines)


def export(module: str, pages: list[Page]) -> str:
    """The text of a module."""
    parts = [HEAD, *import_lines(pages, module)]
    for page in pages:
        parts.append(f"\n\n# {page.name}")
        for cell in page.code:
            if "keep" in cell.tags:
                lines = (NEW.sub("", line) for line in cell.lines if "# @title " not in line)
                parts += ["\n", *lines]
    # With the imports that it uses and no others, in order.
    command = [sys.executable, "-m", "ruff", "check", "--quiet", "--isolated", "--fix-only"]
    command += ["--select=I,F401", "--config=line-length=100", "--stdin-filename=taught/one.py", "-"]
    text = "\n".join(parts) + "\n"
    run = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=True, cwd=ROOT)
    return run.stdout


def write(root: Path = ROOT) -> bool:
    """Write the modules; return whether one has changed."""
    changed = False
    for module, pages in keeping(root).items():
        path, text = root / "taught" / f"{module}.py", export(module, pages)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
            changed = True
    return changed


def differences(root: Path = ROOT) -> Iterator[str]:
    """Where a module is not what the pages keep: its first line that differs."""
    for module, pages in keeping(root).items():
        path = root / "taught" / f"{module}.py"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for problem in first_difference(f"taught/{module}.py", text, export(module, pages)):
            line = int(problem.split(":")[1])
            yield f"{problem}; to change it, change {cell_of(pages, text, line)}"


def cell_of(pages: list[Page], text: str, line: int) -> str:
    """The cell from which a line of a module is written."""
    above = re.findall(r"(?m)^(?:def|class) (\w+)", "\n".join(text.split("\n")[:line]))
    places = {name: cell.at() for page in pages for name, cell, _ in page.kept()}
    return places.get(above[-1] if above else "", pages[0].name)


def origin(path: Path) -> str:
    """What a file is written from, where it isn't edited by hand."""
    from_pages = path.parent.name == "taught" and path.stem in keeping()
    return "from the pages: a change belongs in the cell that is named above it" * from_pages


def imported(tree: ast.AST) -> set[str]:
    """The names that some code imports."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in imports for alias in node.names}


def name_problems(root: Path = ROOT) -> Iterator[str]:
    """Each name is kept once, and a later page or a test uses it; a test says `course.name`, too."""
    used, places = set(), {}
    for path in (root / "tests").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used |= imported(tree)
        used |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for page in reversed(notebooks(root)):
        for _, _, node in page.kept():  # one class is made of another
            used |= {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
        for name, cell, node in page.kept():
            if name in places:
                yield f"{places[name]}: {name!r} is kept a second time, after {cell.at()}; wanted it once"
            places[name] = cell.at(node.lineno)
            if name not in used:
                yield f"{places[name]}: {name!r} is kept, and no later page and no test imports it"
        used = used.union(*(imported(cell.tree) for cell in page.code))


def problems(root: Path = ROOT) -> list[str]:
    """What is wrong with the cells tagged `keep`, or where a module is not in step with them."""
    faults = [
        f"{cell.at(node.lineno)}: {ast.unparse(node)[:60]!r}; wanted one definition alone"
        for page in notebooks(root)
        for cell in page.code
        for node in cell.tree.body
        if "keep" in cell.tags and not isinstance(node, (ast.FunctionDef, ast.ClassDef))
    ]
    return [*faults, *differences(root), *name_problems(root)]
