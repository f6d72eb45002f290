"""What the papers say is true: README, Makefile, CITATION.cff, requirements, workflows.

A check takes a function that reads a file of the course, and yields problems, each with its file.
"""

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator

from workshop import frame
from workshop.page import ROOT, first, tracked_files

Read = Callable[[str], str]

WORKFLOW = ".github/workflows/checks.yml"


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def commands(read: Read) -> Iterator[str]:
    """Each verb of the workshop is a target of make, and the papers tell only of what there is."""
    verbs = re.findall(r"(?m)^def run_(\w+)", read("workshop/__main__.py"))
    recipes = dict(re.findall(r"(?m)^([a-z]+):[^=\n]*## .*\n\t(.*)", read("Makefile")))
    for verb in verbs:
        if not re.match(rf"\$\(WORKSHOP\) {verb}\b", recipes.get(verb, "")):
            yield f"Makefile: {verb} does {recipes.get(verb)!r}; wanted $(WORKSHOP) {verb}"
    for target in recipes.keys() - {*verbs, "help", "clean", "distclean"}:
        yield f"Makefile: the target {target} is no verb; wanted one of {verbs}"
    for name in ("README.md", "CONTRIBUTING.md", "index.md"):
        code = "\n".join(re.findall(r"(?s)```.*?```|`[^`\n]+`", read(name)))
        for command, known in (("make", recipes), ("python -m workshop", verbs)):
            for word in {*re.findall(rf"(?<![\w-]){command} ([a-z]+)\b", code)} - {*known, "word"}:
                yield f"{name}: {command} {word}; wanted one of {[*known]}"


def same_words(read: Read) -> Iterator[str]:
    """Title, version, address, test command, and the versions of Python and torch, everywhere."""
    project = tomllib.loads(read("pyproject.toml"))["project"]
    title = first(r'(?m)^title: "(.*)"', read("_config.yml"))
    address = frame.address()
    low, high = map(int, re.findall(r"3\.(\d+)", project["requires-python"]))
    *most, last = pythons = [f"3.{minor}" for minor in range(low, high)]
    pin = first(r"(?m)^torch==([\d.]+)", read("requirements.txt"))
    oldest = first(r"torch>=([\d.]+)", " ".join(project["dependencies"])) + ".0"
    for name, words in (
        ("README.md", f"# {title}\n"),
        ("pyproject.toml", f'description = "{title}. '),
        ("CITATION.cff", f'title: "{title}"\n'),
        ("CITATION.cff", f"\nversion: {project['version']}\n"),
        (".zenodo.json", f'"version": "{project["version"]}"'),
        (".zenodo.json", f'"title": "{title}"'),
        ("CITATION.cff", f'repository-code: "{address}"\n'),
        ("README.md", "\nmake test\n"),
        (".ci/run", "\nexec make test </dev/null\n"),
        (WORKFLOW, "run: .ci/run\n"),
        (WORKFLOW, f"python: {json.dumps(pythons)}"),
        (WORKFLOW, f"torch: {json.dumps([oldest, pin])}"),
        ("README.md", f"torch=={pin} "),
        ("README.md", f"Python {', '.join(most)} or {last}"),
    ):
        if words not in read(name):
            yield f"{name}: wanted {words!r}"


def table_of_masks(read: Read) -> Iterator[str]:
    """Each translation in the table of masks is code that a test runs, word for word."""
    code, page = read("tests/test_masks.py"), "chapters/masks.md"
    table = read(page).split("| from our `mask` |\n")[1].split("\n\n")[0]
    for line in table.splitlines()[1:]:
        for translation in re.findall(r"`([^`]+)`", line.split(" | ")[-1]):
            if translation not in code:
                yield f"{page}: {translation!r} is not in the code of tests/test_masks.py"


HERE = "|".join(re.escape(path) for path in {str(ROOT), sys.prefix} - {"/usr"})
SOMEWHERE = (
    r"(?<![\w.:$}])/(?:home|root|work|Users|mnt)/\w+|\b[A-Z]:\\+Users\\|file:///(?:opt|usr|srv|var)"
    r"|//[\w.-]*(?:pypi|pythonhosted|conda|npm|registry|artifactory|nexus|devpi|mirror)[\w.-]*"
    r"|(?:index-url|find-links|trusted-host)[ =]+(?!\"?\$|https://download\.pytorch\.org/)\S+"
)


def no_machine(read: Read) -> Iterator[str]:
    """No file holds a path of somebody's machine or a registry's host; tests show what is wrong."""
    for path in tracked_files():
        name = path.relative_to(ROOT).as_posix()
        sought = HERE if "tests/" in name else f"{HERE}|{SOMEWHERE}"
        yield from (f"{name}: {found}" for found in re.findall(sought, read(name)))


PAPERS = (commands, same_words, table_of_masks, no_machine)


def problems() -> Iterator[str]:
    for check in PAPERS:
        yield from (re.sub(r"^(\S+): ", r"\1:1: ", problem) for problem in check(read))
