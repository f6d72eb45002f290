"""The one form in which pages are stored, and whether their outputs are those of their code."""

import ast
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path

import nbformat

from live.bundle import with_script
from workshop.page import ROOMS, Page

# ---------------------------------------------------------------- normal form


def normal_form(notebook: dict) -> dict:
    """A copy of `notebook` with nothing in it that differs between two executions.

    Kept of the metadata: the kernel's name, of a cell its tags and its folding, and under `course`
    what `make pages` wrote about the outputs. Kept of the outputs: what was printed, and of each
    displayed thing text, HTML and PNG; a live figure gets the script of today, and
    leaves out its data file. Kept as they are: the cells' ids, where there are any
    and they are unique.
    """
    cells, ids, count = [], set(), 0
    for old in notebook["cells"]:
        lines = "".join(old["source"]).strip("\n").split("\n")
        source = "\n".join(line.rstrip() for line in lines).rstrip("\n")
        name = old.get("id") or hashlib.sha1(source.encode()).hexdigest()[:8]
        while name in ids:
            name = hashlib.sha1(name.encode()).hexdigest()[:8]
        ids.add(name)
        cell = {"cell_type": old["cell_type"], "metadata": normal_metadata(old["metadata"])}
        cell |= {"source": source, "id": name}
        if old["cell_type"] == "code":
            count += 1
            cell |= {"execution_count": count, "outputs": normal_outputs(old["outputs"], count)}
        cells.append(cell)
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    metadata |= {key: old for key, old in notebook["metadata"].items() if key == "course"}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def normal_metadata(metadata: dict) -> dict:
    result = {key: metadata[key] for key in ("cellView", "tags") if metadata.get(key)}
    if metadata.get("jupyter", {}).get("source_hidden"):
        result["jupyter"] = {"source_hidden": True}
    return result


KINDS = ("text/plain", "text/html", "image/png")


def normal_outputs(outputs: list[dict], count: int) -> list[dict]:
    result, streams = [], {}
    for output in outputs:
        kind = output["output_type"]
        if kind == "stream":  # all that one stream printed is one output
            name = output["name"]
            if name not in streams:
                streams[name] = {"output_type": kind, "name": name, "text": ""}
                result.append(streams[name])
            streams[name]["text"] += "".join(output["text"])
        elif kind in ("display_data", "execute_result"):
            data = {k: "".join(v) for k, v in output["data"].items() if k in KINDS}
            if "image/png" in data:
                data["image/png"] = data["image/png"].strip()
            metadata = {k: v for k, v in output["metadata"].items() if k in KINDS[1:]}
            if "live" in metadata.get("text/html", {}):
                data["text/html"] = with_script(data["text/html"])
            new = {"output_type": kind, "data": data, "metadata": metadata}
            if kind == "execute_result":
                new["execution_count"] = count
            result.append(new)
    for stream in streams.values():  # a line rewritten with \r is stored as it was at the end
        stream["text"] = re.sub(r"(?m)^.*\r(?=[^\n])", "", stream["text"])
    return result


def to_text(notebook: dict) -> str:
    """The notebook, brought into normal form, as it stands in its file."""
    return nbformat.writes(nbformat.from_dict(normal_form(notebook))) + "\n"


def write(page: Page, notebook: dict) -> None:
    page.path.write_text(to_text(notebook), encoding="utf-8", newline="\n")


def first_difference(name: str, actual: str, expected: str) -> Iterator[str]:
    """The first line in which a file is not what `make format` writes, and how many there are."""
    lines = Counter(actual.split("\n")), Counter(expected.split("\n"))
    count = max((lines[0] - lines[1]).total(), (lines[1] - lines[0]).total())
    summary = f", the first of {count} lines" * (count > 1)
    pairs = zip_longest(actual.split("\n"), expected.split("\n"), fillvalue="the end of the file")
    for line, (old, new) in enumerate(pairs, 1):
        if old != new:
            old, new = where_they_differ(old.strip(), new.strip())
            yield f"{name}:{line}: {old!r}; wanted {new!r} (`make format` writes it{summary})"
            return


def where_they_differ(*lines: str, most: int = 80) -> list[str]:
    """Of two lines, long ones cut, the part with their first difference."""
    same = len(os.path.commonprefix(lines))
    begin = max(0, same - 20) if max(map(len, lines)) > most else 0
    return ["..." * bool(begin) + line[begin : begin + most] for line in lines]


# ---------------------------------------------------------------- whose outputs they are


def fingerprint(page: Page) -> str:
    """A short hash of the page's code, of the modules behind it, of drawings and of data.

    Comments, docstrings and line breaks don't count: they change no output. Nor does the start cell.
    """
    trees = [cell.tree for cell in page.code[1:]]
    sources, files = [*map(syntax, trees)], set()
    for cell in page.code:
        for name in re.findall(r'(?:\bshow_diagram\(\s*|\bstatic=)"(\w+)"', cell.source):
            files.add(page.root / "chapters" / "figures" / f"{name}.svg")
        for name in re.findall(r'\bfile="(\w+)"', cell.source):  # of stored runs
            files.add(page.root / "data" / "runs" / f"{name}.json")
    for path, tree in modules(page.root, trees):
        sources.append(f"{path.stem}: {syntax_of_module(tree)}")
        names = {str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        data = (page.root / "data" / name for name in names if re.search(r"\.\w+$", name))
        files |= {file for file in data if file.is_file()}
    sources += [file.read_text(encoding="utf-8") for file in files if file.is_file()]
    return hashlib.sha1("\n".join(sorted(sources)).encode()).hexdigest()[:12]


def modules(root: Path, trees: list[ast.Module]) -> Iterator[tuple[Path, ast.Module]]:
    """Each module of the course that some code imports, or another such module."""
    stack, visited = [*trees], set()
    while stack:
        for node in ast.walk(stack.pop()):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "live.show":
                names = [f"live.figures.{ast.literal_eval(node.args[0])}"]  # read by its name
            for name in names:
                path = module_file(root, name)
                if name.split(".")[0] in ROOMS and path and path not in visited:
                    visited.add(path)
                    stack.append(parsed(path.read_text(encoding="utf-8")))
                    yield path, stack[-1]


def module_file(root: Path, name: str) -> Path | None:
    """The file of a module or of a package that has code, under `root`."""
    folder = root.joinpath(*name.split("."))
    files = (folder.with_suffix(".py"), folder / "__init__.py")
    return next((file for file in files if file.is_file() and file.stat().st_size), None)


@lru_cache(maxsize=100)
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


def syntax(node, names=None):
    """The syntax of some code, written alike by every version of Python, as `ast.dump` is not.

    Without docstrings, and with a function's local names as numbers: renaming one changes nothing.
    """
    if isinstance(node, list):
        return f"[{', '.join(syntax(item, names) for item in node)}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.FunctionDef) and names is None:
        names = local_names(node)
    fields = dict(ast.iter_fields(node))
    if isinstance(node, ast.Name) and names:
        fields["id"] = names.get(node.id, node.id)
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
        fields["body"] = node.body[1:]
    texts = {name: syntax(value, names) for name, value in fields.items()}
    arguments = [f"{name}={value}" for name, value in texts.items() if value not in ("None", "[]")]
    return f"{type(node).__name__}({', '.join(arguments)})"


def local_names(function: ast.FunctionDef) -> dict[str, int]:
    """A number for each name that only the function's own lines can mean, in order of appearance.

    Not for arguments, which callers may name, nor for what is declared `global` or `nonlocal`.
    """
    nodes = list(ast.walk(function))
    exceptions = {node.arg for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        exceptions |= set(node.names) if isinstance(node, (ast.Global, ast.Nonlocal)) else set()
    stored = (n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return {name: number for number, name in enumerate(dict.fromkeys(stored)) if name not in exceptions}


syntax_of_module = lru_cache(maxsize=100)(syntax)  # many pages share a module


def stamp(page: Page) -> dict[str, str]:
    """What the outputs of today are made by, as it is stored beside them."""
    versions = (f"{name} {version(name).partition('+')[0]}" for name in ("torch", "numpy"))
    return {"outputs_of": fingerprint(page), "versions": ", ".join(versions)}


def is_stale(page: Page) -> bool:
    """Whether code or data are not those that the stored outputs were made by."""
    return page.notebook["metadata"].get("course", {}).get("outputs_of") != fingerprint(page)
