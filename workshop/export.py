"""`utils/attention.py` is what the pages keep, and nothing else: it is written from their cells."""

import ast
import builtins
import difflib
import subprocess
import symtable
import sys

from workshop.page import ROOT, notebooks

HEAD = '''\
"""What the pages keep for later pages: every definition of the cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""
'''
COMMAND = "`make pages`"


def free_names(source):
    """The names that the source uses and does not define itself."""

    def scopes(table):
        yield table
        for child in table.get_children():
            yield from scopes(child)

    top = symtable.symtable(source, "cell", "exec")
    defined = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned()}
    used = {
        symbol.get_name()
        for table in scopes(top)
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (symbol.is_global() or table is top)
    }
    return used - defined - set(dir(builtins))


def page_imports(page):
    """{bound name: (import statement that binds it alone, place)} of a page."""
    found = {}
    for cell in page.code[1:]:
        for node in cell.tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    bound = alias.asname or alias.name.split(".")[0]
                    one = type(node)(**vars(node) | {"names": [alias]})
                    found[bound] = (ast.unparse(one), cell.at(node.lineno))
    return found


def sorted_imports(statements):
    """Import statements in the order and the groups that ruff wants."""
    command = [sys.executable, "-m", "ruff", "check", "--quiet", "--select=I", "--fix"]
    command += [
        "--config=line-length=100",
        "--isolated",
        "--stdin-filename=utils/attention.py",
        "-",
    ]
    text = "\n".join(sorted(statements)) + "\n"
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT)
    return run.stdout.rstrip("\n")


def export(root=ROOT):
    """(text of utils/attention.py, where each of its lines comes from, problems)."""
    kept, needed, problems, body = {}, {}, [], []
    for page in notebooks(root):
        given, named = page_imports(page), False
        for cell in page.code:
            if "keep" not in cell.tags:
                continue
            problems += [
                f"{cell.at(node.lineno)}: {ast.unparse(node)[:60]!r} in a cell tagged `keep`; "
                "wanted one definition and nothing else"
                for node in cell.tree.body
                if not isinstance(node, (ast.FunctionDef, ast.ClassDef))
            ]
            for name, owner, node in page.kept():
                if owner is not cell:
                    continue
                if name in kept:
                    problems.append(
                        f"{cell.at(node.lineno)}: {name!r} is kept a second time; "
                        f"wanted it once, as in {kept[name]}"
                    )
                kept.setdefault(name, cell.at(node.lineno))
            for name in sorted(free_names(cell.source)):
                statement, place = given.get(name, (None, cell.at()))
                if name in kept or statement and "utils.attention" in statement:
                    continue
                if statement is None:
                    problems.append(
                        f"{place}: uses {name!r}, which no import of the page and no "
                        "definition kept above it gives; wanted one"
                    )
                elif name in needed and needed[name][0] != statement:
                    problems.append(
                        f"{place}: {statement!r}; wanted {needed[name][0]!r}, as in "
                        f"{needed[name][1]}: {name!r} is used in kept cells"
                    )
                else:
                    needed[name] = (statement, place)
            body += [("", None), ("", None)]
            if not named:
                body += [(f"# {page.name}", None), ("", None), ("", None)]
                named = True
            body += [
                (line, cell.at(j))
                for j, line in enumerate(cell.lines, 1)
                if not line.startswith("# @title ")  # of a folded cell
            ]
    head = HEAD + ("\n" + sorted_imports({s for s, _ in needed.values()}) if needed else "")
    lines = [(line, None) for line in head.rstrip("\n").split("\n")] + body
    return "\n".join(line for line, _ in lines) + "\n", [place for _, place in lines], problems


def differences(root=ROOT):
    """Where utils/attention.py is not what the pages keep: page, line, and both texts."""
    text, places, _ = export(root)
    wanted = text.split("\n")
    found = (root / "utils" / "attention.py").read_text(encoding="utf-8").split("\n")
    problems = []
    matcher = difflib.SequenceMatcher(a=found, b=wanted, autojunk=False)
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        cells = [place for place in places[j:j_end] or places[max(j - 1, 0) : j + 1] if place]
        old = "".join(f"\n  - {line}" for line in found[i:i_end])
        new = "".join(f"\n  + {line}" for line in wanted[j:j_end])
        problems.append(
            f"{cells[0] if cells else 'chapters'}: utils/attention.py:{i + 1} is not "
            f"what the pages keep; wanted, by {COMMAND}:{old}{new}"
        )
    return problems


def unused(root=ROOT):
    """Each kept name that neither a later page nor a test imports."""

    def imported(tree):
        return {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "utils.attention"
            for alias in node.names
        }

    tested = set()
    for path in (root / "tests").glob("*.py"):
        tested |= imported(ast.parse(path.read_text(encoding="utf-8")))
    everything = notebooks(root)
    for page in everything:
        later = set().union(
            *(
                imported(cell.tree)
                for other in everything
                if other.number > page.number
                for cell in other.code
            )
        )
        for name, cell, node in page.kept():
            if name not in tested | later:
                yield (
                    f"{cell.at(node.lineno)}: {name!r} is kept, and neither a later page nor a "
                    "test imports it; wanted one, or no tag `keep`"
                )


def write(root=ROOT):
    """Write utils/attention.py; return whether it changed."""
    target = root / "utils" / "attention.py"
    before, after = target.read_text(encoding="utf-8"), export(root)[0]
    target.write_text(after, encoding="utf-8", newline="\n")
    return before != after


def problems(root=ROOT):
    """What is wrong with the cells tagged `keep`, or where the module is not in step with them."""
    return [*export(root)[2], *differences(root), *unused(root)]
