"""All that the pages keep in one namespace: the real code, or that code with some words replaced."""

import ast
import inspect
import types
from functools import cache
from importlib import import_module

from workshop.export import keeping

# In reading order: each imports from those before.
MODULES = [import_module(f"taught.{name}") for name in keeping()]
NAMES = {module.__name__ for module in MODULES}
KEPT = {
    name: module for module in MODULES for name, value in vars(module).items() if inspect.getmodule(value) is module
}
COURSE = types.SimpleNamespace(**{name: getattr(module, name) for name, module in KEPT.items()})


@cache
def parts():
    """The modules as one: (name of what is defined, code), without imports from each other."""
    pairs = []
    for module in MODULES:
        for node in ast.parse(inspect.getsource(module)).body:
            if not (isinstance(node, ast.ImportFrom) and node.module in NAMES):
                code = compile(ast.Module([node], []), module.__name__, "exec")
                pairs.append((getattr(node, "name", None), code))
    return pairs


def with_words_replaced(definition, changes):
    """The course with other words in one definition: {words: what stands in their place}."""
    wrong = inspect.getsource(getattr(COURSE, definition))
    for words, replacement in changes.items():
        assert words in wrong, f"{words!r} does not stand in {definition}"
        wrong = wrong.replace(words, replacement)
    course = types.ModuleType(f"a wrong {definition}")
    for name, code in parts():
        exec(wrong if name == definition else code, vars(course))
    return course
