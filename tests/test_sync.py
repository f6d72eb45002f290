"""`utils/attention.py` is what the pages keep, and nothing else.

    pytest tests/test_sync.py --write

writes it from the cells tagged `keep`; without `--write` the same file is compared.
"""

import ast
import builtins
import difflib
import importlib.util
import symtable
import sys

import pytest

from tests import pages
from tests.sample import bare_page, code

HEAD = '''\
"""What the pages keep for later pages: every definition of the cells tagged `keep`.

Written by `pytest tests/test_sync.py --write`. Not edited by hand: a change belongs into the page
that is named above the definition.
"""
'''
COMMAND = "`pytest tests/test_sync.py --write`"


# ---------------------------------------------------------------- export


def free_names(source):
    """The names that the source uses and does not define itself."""
    def scopes(table):
        yield table
        for child in table.get_children():
            yield from scopes(child)

    top = symtable.symtable(source, "cell", "exec")
    defined = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned()}
    used = {
        symbol.get_name() for table in scopes(top) for symbol in table.get_symbols()
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


def in_groups(statements):
    """Import statements as lines: standard library, packages, our own; sorted, one per module."""
    plain, names = set(), {}
    for node in (ast.parse(statement).body[0] for statement in statements):
        if isinstance(node, ast.ImportFrom):
            names.setdefault(node.module, set()).add(ast.unparse(node).split(" import ")[1])
        else:
            plain.add((node.names[0].name, ast.unparse(node)))
    lines = [(module, 0, line) for module, line in plain] + [
        (module, 1, f"from {module} import {', '.join(sorted(imported))}")
        for module, imported in names.items()
    ]
    groups = {0: [], 1: [], 2: []}
    for module, is_from, line in sorted(lines, key=lambda item: (item[1], item[0])):
        root = module.split(".")[0]
        groups[0 if root in sys.stdlib_module_names else 2 if root == "utils" else 1].append(line)
    return "\n\n".join("\n".join(group) for group in groups.values() if group)


def export(root=pages.ROOT):
    """(text of utils/attention.py, where each of its lines comes from, problems)."""
    kept, needed, problems, body = {}, {}, [], []
    for page in pages.notebooks(root):
        given, named = page_imports(page), False
        for cell in page.code:
            if "keep" not in cell.tags:
                continue
            problems += [
                f"{cell.at(node.lineno)}: {ast.unparse(node)[:60]!r} in a cell tagged `keep`; "
                "wanted one definition and nothing else"
                for node in cell.tree.body if not isinstance(node, (ast.FunctionDef, ast.ClassDef))
            ]
            for name, owner, node in page.kept():
                if owner is not cell:
                    continue
                if name in kept:
                    problems.append(f"{cell.at(node.lineno)}: {name!r} is kept a second time; "
                                    f"wanted it once, as in {kept[name]}")
                kept.setdefault(name, cell.at(node.lineno))
            for name in sorted(free_names(cell.source)):
                statement, place = given.get(name, (None, cell.at()))
                if name in kept or statement and "utils.attention" in statement:
                    continue
                if statement is None:
                    problems.append(f"{place}: uses {name!r}, which no import of the page and no "
                                    "definition kept above it gives; wanted one")
                elif name in needed and needed[name][0] != statement:
                    problems.append(f"{place}: {statement!r}; wanted {needed[name][0]!r}, as in "
                                    f"{needed[name][1]}: {name!r} is used in kept cells")
                else:
                    needed[name] = (statement, place)
            body += [("", None), ("", None)]
            if not named:
                body += [(f"# {page.name}", None), ("", None), ("", None)]
                named = True
            body += [(line, cell.at(j)) for j, line in enumerate(cell.lines, 1)]
    head = HEAD + ("\n" + in_groups({s for s, _ in needed.values()}) if needed else "")
    lines = [(line, None) for line in head.rstrip("\n").split("\n")] + body
    return "\n".join(line for line, _ in lines) + "\n", [place for _, place in lines], problems


def differences(root=pages.ROOT):
    """Where utils/attention.py is not what the pages keep: page, line, and both texts."""
    text, places, _ = export(root)
    wanted = text.split("\n")
    found = (root / "utils" / "attention.py").read_text(encoding="utf-8").split("\n")
    problems = []
    matcher = difflib.SequenceMatcher(a=found, b=wanted, autojunk=False)
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        cells = [place for place in places[j:j_end] or places[max(j - 1, 0):j + 1] if place]
        old = "".join(f"\n  - {line}" for line in found[i:i_end])
        new = "".join(f"\n  + {line}" for line in wanted[j:j_end])
        problems.append(f"{cells[0] if cells else 'chapters'}: utils/attention.py:{i + 1} is not "
                        f"what the pages keep; wanted, by {COMMAND}:{old}{new}")
    return problems


def unused(root=pages.ROOT):
    """Each kept name that neither a later page nor a test imports."""
    def imported(tree):
        return {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
                and node.module == "utils.attention" for alias in node.names}

    tested = set()
    for path in (root / "tests").glob("*.py"):
        tested |= imported(ast.parse(path.read_text(encoding="utf-8")))
    everything = pages.notebooks(root)
    for page in everything:
        later = set().union(*(imported(cell.tree) for other in everything
                              if other.number > page.number for cell in other.code))
        for name, cell, node in page.kept():
            if name not in tested | later:
                yield (f"{cell.at(node.lineno)}: {name!r} is kept, and neither a later page nor a "
                       "test imports it; wanted one, or no tag `keep`")


# ---------------------------------------------------------------- the course


def fail(problems):
    if problems := list(problems):
        pytest.fail("\n".join(problems), pytrace=False)


def test_export(request):
    if request.config.getoption("--write"):
        target = pages.ROOT / "utils" / "attention.py"
        target.write_text(export()[0], encoding="utf-8", newline="\n")
    fail(export()[2])
    fail(differences())


def test_every_kept_name_is_imported():
    fail(unused())


# ---------------------------------------------------------------- shown to fail

POOL = '''\
def pool(values):
    """The mean."""
    return torch.softmax(F.relu(values), -1) / math.sqrt(2)'''
BLOCK = '''\
class Block(nn.Module):
    def forward(self, x):
        return pool(x).to(get_device())'''
IMPORTS = '''\
import math
import numpy as np
import torch
from torch import nn, Tensor
from torch.nn import functional as F
from utils.device import get_device'''


@pytest.fixture
def course(tmp_path):
    """Two pages; the first keeps `pool`, the second imports it and keeps `Block`; one test."""
    first = bare_page(tmp_path, 1, code(IMPORTS), code(POOL, "keep"))
    second = bare_page(
        tmp_path, 2, code(IMPORTS + "\nfrom utils.attention import pool"), code(BLOCK, "keep"))
    for name, content in (("tests/test_it.py", "from utils.attention import Block\n"),
                          ("utils/attention.py", export(tmp_path)[0])):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(content)
    return tmp_path, first, second


def line_of(page, text):
    return 1 + next(i for i, line in enumerate(page.read_text().split("\n")) if text in line)


def test_export_of_a_sample(course):
    root, *_ = course
    text, _, problems = export(root)
    assert text == HEAD + f'''
import math

import torch
from torch import nn
from torch.nn import functional as F

from utils.device import get_device


# chapters/01_sample.ipynb


{POOL}


# chapters/02_sample.ipynb


{BLOCK}
'''
    assert problems == differences(root) == list(unused(root)) == []


def test_export_of_nothing_is_a_module(tmp_path):
    text, _, problems = export(tmp_path)
    assert (text, problems) == (HEAD, [])
    (tmp_path / "attention.py").write_text(text)
    spec = importlib.util.spec_from_file_location("attention", tmp_path / "attention.py")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def change(page, old, new):
    text = page.read_text()
    assert old in text
    page.write_text(text.replace(old, new, 1))


def test_a_changed_kept_cell_is_named(course):
    root, first, _ = course
    change(first, "math.sqrt(2)", "math.sqrt(3)")
    line = line_of(first, "math.sqrt(3)")
    (problem,) = differences(root)
    assert problem.startswith(f"chapters/01_sample.ipynb:{line}: cell [3], line 3: ")
    assert "- " + POOL.split("\n")[-1].strip() in problem.replace("-     ", "- ")
    assert "math.sqrt(3)" in problem and COMMAND in problem


def test_an_edited_module_is_named(course):
    root, first, _ = course
    module = root / "utils" / "attention.py"
    module.write_text(module.read_text().replace('"""The mean."""', '"""A mean."""'))
    (problem,) = differences(root)
    line = line_of(first, "The mean.")
    assert problem.startswith(f"chapters/01_sample.ipynb:{line}: cell [3], line 2: "
                              f"utils/attention.py:{line_of(module, 'A mean.')} ")


def test_a_line_too_many_in_the_module_is_named(course):
    root, *_ = course
    module = root / "utils" / "attention.py"
    module.write_text(module.read_text() + "more = 1\n")
    (problem,) = differences(root)
    assert problem.startswith("chapters/02_sample.ipynb:") and "- more = 1" in problem


def test_a_name_kept_twice_is_named(course):
    root, first, second = course
    change(second, "class Block(nn.Module)", "class pool(nn.Module)")
    problems = export(root)[2]
    assert len(problems) == 1
    assert problems[0].startswith(f"chapters/02_sample.ipynb:{line_of(second, 'class pool')}: ")
    assert "'pool' is kept a second time" in problems[0] and "01_sample.ipynb" in problems[0]


def test_more_than_a_definition_is_named(course):
    root, first, _ = course
    change(first, '"def pool(values):', '"width = 2\\n",\n    "def pool(values):')
    (problem,) = export(root)[2]
    assert problem.startswith(f"chapters/01_sample.ipynb:{line_of(first, 'width = 2')}: cell [3]")
    assert "wanted one definition" in problem


def test_a_name_from_nowhere_is_named(course):
    root, first, _ = course
    change(first, "math.sqrt(2)", "scale")
    (problem,) = export(root)[2]
    assert problem.startswith(f"chapters/01_sample.ipynb:{line_of(first, 'def pool') }: cell [3]")
    assert "'scale'" in problem


def test_one_name_imported_in_two_ways_is_named(course):
    root, first, second = course
    change(second, "from torch import nn, Tensor", "import torch.nn as nn, math as F")
    change(second, "pool(x)", "F.exp(x)")
    change(second, '"from torch.nn import functional as F\\n",', '"\\n",')
    (problem,) = export(root)[2]
    assert problem.startswith(f"chapters/02_sample.ipynb:{line_of(second, 'math as F')}: cell [2]")
    assert "wanted 'from torch.nn import functional as F', as in chapters/01" in problem


def test_a_kept_name_that_nobody_imports_is_named(course):
    root, first, second = course
    (root / "tests" / "test_it.py").unlink()
    (problem,) = unused(root)
    line = line_of(second, "class Block")
    assert problem.startswith(f"chapters/02_sample.ipynb:{line}: cell [3]")
    change(second, "from utils.attention import pool", "pool = abs")
    assert ["pool" in problem for problem in unused(root)] == [True, False]
