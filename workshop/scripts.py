"""The scripts of live figures: any two kinds may stand on one page, where all have one scope and one style."""

import re
from collections.abc import Iterator
from pathlib import Path

from utils.palette import stylesheet
from workshop.page import ROOT

# What stands at the top of a module: a name, or several that are taken apart.
TOP = re.compile(r"(?m)^(?:export )?(?:async )?(?:const|let|var|function\*?|class) (\w+|[\[{][^\]}]*[\]}])")
CLASS = re.compile(r"\.([a-z][a-z0-9]*(?:-[a-z0-9]+)+)\b")  # of two words: others are words of sentences, too


def problems(root: Path = ROOT) -> Iterator[str]:
    """Names that two modules give at their top, and classes that only drawings have."""
    folder, places = root / "live", {}
    looks = "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.css"))
    drawn = {*CLASS.findall(stylesheet())} - {*CLASS.findall(looks)}
    for path in sorted(folder.rglob("*.js")):
        name, code = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        for match in TOP.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            place = f"{name}:{line}"
            for word in re.findall(r"\b\w+\b(?!\s*:)", match[1]):
                if (other := places.setdefault(word, place)) != place:
                    why = "the figures of a page share one scope"
                    yield f"{place}: {word!r} is also at the top of {other}; wanted another name: {why}"
        for j, line in enumerate(code.split("\n"), 1):
            for word in re.findall(r"(?<=[\"` ])[a-z]+(?:-[a-z0-9]+)+(?=[\"` ])", line):
                if word in drawn:
                    yield f"{name}:{j}: {word!r} is a class of drawings; wanted one of live/style.css"
