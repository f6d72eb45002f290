"""Runs and recipes: make their numbers again, and name those made by code that has changed since."""

import ast
import builtins
import hashlib
import json
import os
import re
import subprocess
import symtable
import sys
from collections.abc import Iterator, Set
from datetime import date
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import torch

from data import runs
from workshop.page import ROOMS, ROOT, Cell, Page, notebooks
from workshop.store import module_file, parsed, syntax

COUNTED = ROOMS - {"utils"} | {"recipes"}  # the rooms whose code makes results
NO_NAMES = {*dir(builtins), "_"}  # print(...) changes no `print`, and nobody means `_`
MADE = "recipes/made.json"  # {recipe: what made its file in `data`, and when}
EXECUTE = """
import nbformat, nbclient, sys
page = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(page, timeout=None, resources={"metadata": {"path": sys.argv[2]}}).execute()
"""


def calls(page: Page) -> Iterator[tuple[str, str, Cell, int]]:
    """Each run whose rows a page reads: its name, its file, and where."""
    for cell in page.code:
        for node in ast.walk(cell.tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "stored":
                file = next((k.value for k in node.keywords if k.arg == "file"), ast.Constant(""))
                yield ast.unparse(node.args[0]), ast.literal_eval(file), cell, node.lineno


# ---------------------------------------------------------------- what made them


def run_fingerprint(page: Page, name: str) -> str:
    """A short hash of a function of the page and of all that it needs, there and in the course."""
    return reached(page.root, page.tree, name)


def recipe(root: Path, name: str) -> str:
    """The same of a recipe's `main`."""
    path = root / "recipes" / f"{name}.py"
    return reached(root, parsed(path.read_text(encoding="utf-8")), "main", {f"{name}.json"})


def reached(root: Path, tree: ast.Module, name: str, written: Set[str] = frozenset()) -> str:
    """A short hash of what a name of a module stands for, and of all that this needs.

    Comments, docstrings, line breaks and a function's local names don't count, nor does what isn't
    reached. Of `utils` and of the checks of arguments nothing counts: they are no part of a result.
    Nor do files it has written.
    """
    parts, stack, visited = set(), [(tree, "", name)], set()
    while stack:
        tree, module, name = stack.pop()
        if (module, name) in visited:
            continue
        visited.add((module, name))
        for node in tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                stack += course_names(root, node, name)
        for node in statements_by_name(tree).get(name, []):
            parts.add(f"{module}.{name}: {syntax(node)}")
            parts |= set(data_read(root, node, written))
            stack += ((tree, module, need) for need in needed(node))
            stack += cells_named(root, tree, node)
    return hashlib.sha1("\n".join(sorted(parts)).encode()).hexdigest()[:12]


@cache
def statements_by_name(tree: ast.Module) -> dict[str, list[ast.stmt]]:
    """The statements of a module that give or change a name, by that name."""
    statements, brought = {}, imported_names(tree)
    for node in tree.body:
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            for name in given(node) | changed(node) - brought:
                statements.setdefault(name, []).append(node)
    return statements


def imported_names(tree: ast.Module) -> set[str]:
    """The names that a module imports: `torch.manual_seed(0)` changes no `torch`."""
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    return {(a.asname or a.name.partition(".")[0]) for node in imports for a in node.names}


def course_names(root: Path, node: ast.Import | ast.ImportFrom, name: str) -> Iterator[tuple[ast.Module, str, str]]:
    """What a name of the course stands for, if the import brings it: the module, and names there."""
    origin = (node.module if isinstance(node, ast.ImportFrom) else None) or ""
    if origin.partition(".")[0] not in COUNTED:
        return
    for alias in node.names:
        if name == (alias.asname or alias.name):
            whole = f"{origin}.{alias.name}"
            for module in (whole, origin):
                if module != "taught.checks" and (path := module_file(root, module)):
                    tree = parsed(path.read_text(encoding="utf-8"))
                    names = [n for stmt in tree.body for n in given(stmt)]
                    yield from ((tree, module, n) for n in names if module == whole or n == alias.name)


def given(node: ast.stmt) -> set[str]:
    """The names that a statement of a module gives."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    return {
        child.id for child in ast.walk(node) if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)
    } - NO_NAMES


def changed(node: ast.AST) -> set[str]:
    """The names whose things a statement may change: x[0] = 1, x.y = 1, del x, x.append(1)."""
    names = set()
    for child in ast.walk(ast.Module([], []) if isinstance(node, ast.FunctionDef) else node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Call):
            aim = child.value.func
        elif isinstance(getattr(child, "ctx", None), (ast.Store, ast.Del)):
            aim = child
        else:
            continue
        while isinstance(aim, (ast.Attribute, ast.Subscript)):
            aim = aim.value
        names |= {aim.id} if isinstance(aim, ast.Name) else set()
    return names - NO_NAMES


def needed(node: ast.AST) -> set[str]:
    """The names of the module that some code reads."""
    names, scopes = set(), [symtable.symtable(ast.unparse(node), "page", "exec")]
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        top = scope.get_type() == "module"
        names |= {
            symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global() or top and symbol.is_referenced()
        }
    return names


def cells_named(root: Path, tree: ast.Module, node: ast.stmt) -> Iterator[tuple[ast.Module, str, str]]:
    """What the cells define that a recipe takes from a page: those with the words of its CELLS."""
    paths = [str(e.value) for e in ast.walk(node) if isinstance(e, ast.Constant)]
    for path in [path for path in paths if re.fullmatch(r"\d\d_\w+\.ipynb", path)]:
        [words] = [s.value for s in tree.body if isinstance(s, ast.Assign) and given(s) == {"CELLS"}]
        cells = [
            cell
            for cell in Page(root / "chapters" / path).code
            if any(phrase in cell.source for phrase in ast.literal_eval(words))
        ]
        whole = ast.Module([node for cell in cells for node in cell.tree.body], [])
        yield from ((whole, path, n) for stmt in whole.body for n in given(stmt))


def data_read(root: Path, node: ast.stmt, written: Set[str]) -> Iterator[str]:
    """What is in the files of `data` that some code names."""
    for child in ast.walk(node):
        if (
            isinstance(child, ast.Constant)
            and child.value not in written
            and re.search(r"^\w+\.\w+$", str(child.value))
        ):
            path = root / "data" / str(child.value)
            if path.is_file():
                yield path.read_text(encoding="utf-8", errors="replace")


# ---------------------------------------------------------------- are they the rows of this code


def problems(page: Page) -> Iterator[str]:
    """Each run whose rows are missing, were altered, or are those of other code."""
    again, files = f"(`make measure P={page.number:02}` makes them again)", {}
    for name, file, cell, line in calls(page):
        tables = runs.tables(file)
        files.setdefault(file, set()).add(name)
        if name not in tables:
            yield f"{cell.at(line)}: data/runs/{file}.json has no rows of {name} {again}"
        elif tables[name]["digest"] != runs.digest(tables[name]):
            yield f"{cell.at(line)}: the rows of {name} were altered by hand {again}"
        elif tables[name]["code"] != run_fingerprint(page, name):
            yield f"{cell.at(line)}: the rows of {name} were made by other code {again}"
    for file, names in files.items():
        for name in runs.tables(file).keys() - names:
            yield f"data/runs/{file}.json:1: no cell of {page.name} reads the rows of {name}"


def old_recipes(root: Path) -> Iterator[tuple[str, str]]:
    """Each recipe whose file was made by other code, or altered, and which of these."""
    records = made(root)
    for path in sorted((root / "recipes").glob("[a-z]*.py")):
        record, name = records.get(path.stem, {}), path.stem
        if record.get("code") != recipe(root, name):
            yield name, "made by other code"
        elif record["digest"] != digest(root / "data" / f"{name}.json"):
            yield name, "altered"


def recipes(root: Path = ROOT) -> Iterator[str]:
    for name, what in old_recipes(root):
        yield f"{MADE}:1: data/{name}.json was {what} (`make measure P={name}` makes it again)"


def made(root: Path) -> dict[str, dict]:
    """By the name of a recipe, what made its file; empty where there are no recipes."""
    return json.loads((root / MADE).read_text(encoding="utf-8")) if (root / MADE).is_file() else {}


def note(records: dict[str, dict], root: Path) -> None:
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(records[key])}" for key in sorted(records))
    (root / MADE).write_text(f"{{\n{lines}\n}}\n", encoding="utf-8", newline="\n")


def fresh_recipes(root: Path) -> set[str]:
    return {name for name, record in made(root).items() if record["code"] == recipe(root, name)}


def renew_recipes(names: Set[str], root: Path) -> None:
    """After pages have other numbers, the same recipes read them by other names."""
    if names:
        note(
            {k: record | {"code": recipe(root, k)} if k in names else record for k, record in made(root).items()}, root
        )


def digest(path: Path) -> str:
    return hashlib.sha1(path.read_bytes()).hexdigest()[:12]


def old(root: Path = ROOT) -> Iterator[tuple[Page, str, float]]:
    """The runs whose code has changed since: page, name, and the minutes that they took."""
    for page in notebooks(root):
        for name, file, *_ in calls(page):
            table = runs.tables(file).get(name, {"code": None, "seconds": 0})
            if table["code"] != run_fingerprint(page, name):
                yield page, name, table["seconds"] / 60


def minutes() -> float:
    """What all runs and recipes of other code took."""
    records = made(ROOT)
    changed = (records[name] for name in records.keys() - fresh_recipes(ROOT))
    return sum(cost for *_, cost in old()) + sum(record["seconds"] for record in changed) / 60


def measure(page: Page, *only: str) -> tuple[int, list[str]]:
    """Execute a page where it stands, with its rows made again: its status, and what is another number."""
    places = {name: file for name, file, *_ in calls(page) if not only or name in only}
    if not places:
        sys.exit(f"Page {page.number} reads no rows of {' and '.join(only) or 'any run'}.")
    before = {name: runs.tables(file).get(name, {"rows": []}) for name, file in places.items()}
    variables = {
        runs.MEASURE: json.dumps({name: run_fingerprint(page, name) for name in places}),
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(page.root),
    }
    command = [sys.executable, "-c", EXECUTE, str(page.path), str(page.path.parent)]
    run, said = subprocess.run(command, cwd=page.root, env=os.environ | variables), []
    for name, file in places.items():  # also after a failure: new rows may refute an assert
        after = runs.tables(file).get(name, {"rows": [], "within": 0})
        rows = {str(setting): row for setting, row in before[name]["rows"]}
        far = [
            f"  {name}{tuple(setting)}: {rows[str(setting)]} -> {row}"
            for setting, row in after["rows"]
            if str(setting) in rows and runs.distance(row, rows[str(setting)]) > after["within"]
        ]
        new = sum(str(setting) not in rows for setting, _ in after["rows"])
        summary = f"{new} of settings that had none, {len(far)} moved by more than {after['within']}"
        said += [f"page {page.number} {name}: {len(after['rows'])} rows, {summary}", *far]
    if run.returncode:
        said.append(f"Page {page.number} failed, as told above.")
    if any(runs.tables(file).get(name) != before[name] for name, file in places.items()):
        said.append(f"What the page says of them is older: make page P={page.number:02}")
    return run.returncode, said


def cook(name: str, root: Path = ROOT) -> tuple[int, list[str]]:
    """Run a recipe, and note what has made its file: its status, and whether that is another file."""
    path, before = root / "data" / f"{name}.json", os.times().children_user
    if not (root / "recipes" / f"{name}.py").is_file():
        names = ", ".join(sorted(file.stem for file in (root / "recipes").glob("[a-z]*.py")))
        sys.exit(f"There is no recipe {name}: wanted the number of a page, or one of {names}.")
    was = digest(path) if path.is_file() else ""
    command = [sys.executable, "-m", f"recipes.{name}"]
    variables = {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(root)}
    if code := subprocess.run(command, cwd=root, env=os.environ | variables).returncode:
        return code, [f"recipes/{name}.py failed, as told above."]
    seconds = os.times().children_user - before
    records = made(root)
    records[name] = {
        "code": recipe(root, name),
        "digest": digest(path),
        "seconds": round(seconds),
        "torch": torch.__version__.partition("+")[0],
        "day": date.today().isoformat(),
    }
    note(records, root)
    return 0, [f"data/{name}.json: {'the same' if digest(path) == was else 'other'} bytes"]


def measure_old(root: Path = ROOT) -> tuple[int, list[str]]:
    """The same of all runs and recipes of other code, one after the other, also where one fails."""
    done = []
    for name, _ in [*old_recipes(root)]:  # first, as runs read their files
        print(f"recipes/{name}.py ...", flush=True)
        done.append(cook(name, root))
    for page, found in groupby([*old(root)], key=itemgetter(0)):
        names = [name for _, name, _ in found]
        print(f"{page.name}: {', '.join(names)} ...", flush=True)
        done.append(measure(page, *names))
    return any(code for code, _ in done), [line for _, said in done for line in said]
