"""All that the pages keep in one namespace: the real code, or that code with some words replaced."""

import ast
import inspect
import types
from functools import cache

from utils import attention, language_model, transformer, translation

MODULES = (attention, transformer, translation, language_model)  # each imports from those before
KEPT = {
    name: module
    for module in MODULES
    for name, one in vars(module).items()
    if inspect.getmodule(one) is module
}
COURSE = types.SimpleNamespace(**{name: getattr(module, name) for name, module in KEPT.items()})


@cache
def source():
    """The modules as one, without the lines by which they import from each other."""
    lines = []
    for module in MODULES:
        text = inspect.getsource(module)
        own = text.splitlines(keepends=True)
        for node in ast.parse(text).body:
            if isinstance(node, ast.ImportFrom) and node.module in {m.__name__ for m in MODULES}:
                own[node.lineno - 1 : node.end_lineno] = ["\n"] * (
                    node.end_lineno - node.lineno + 1
                )
        lines += own
    return "".join(lines)


def with_words_replaced(definition, changes):
    """The course with other words in one definition: {words: what stands in their place}."""
    right = wrong = inspect.getsource(getattr(COURSE, definition))
    for words, others in changes.items():
        assert words in wrong, f"{words!r} does not stand in {definition}"
        wrong = wrong.replace(words, others)
    course = types.ModuleType(f"a wrong {definition}")
    exec(compile(source().replace(right, wrong), course.__name__, "exec"), vars(course))
    return course
