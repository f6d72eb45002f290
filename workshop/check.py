"""All that can be said about the course without executing a page, in half a minute."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import yaml

from workshop import contents, drawings, export, map_of_pages, measure, rules, scripts, store
from workshop.page import ROOT, first, in_words, markdown_files, notebooks, numbers_in, tracked_files


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def pages() -> Iterator[str]:
    """Every page keeps the rules."""
    for page in notebooks() + markdown_files():
        yield from rules.problems(page)


def tables() -> Iterable[str]:
    """The tables of pages are those of the pages, once each of these has its title."""
    untitled = any(True for page in notebooks() for _ in rules.RULES["title"](page))
    return [] if untitled else contents.problems()


def runs() -> Iterator[str]:
    """The rows of each run and the file of each recipe are those of today's code."""
    problems = [*(line for page in notebooks() for line in measure.problems(page)), *measure.recipes()]
    other = [line for line in problems if "made by other code" in line]
    if len(other) > 3:  # what many pages use has changed: one line, and a command that lists them
        cost = f"{measure.minutes():.0f} minutes of one core"
        again = f"`make measure P=all` makes them again, {cost}; alone, it lists them"
        yield f"{len(other)} runs and recipes have rows of other code ({again}); the first: {other[0]}"
        problems = [line for line in problems if line not in other]
    yield from problems


def outputs() -> Iterator[str]:
    """The outputs of each page are those of its code and data."""
    if stale := [page for page in notebooks() if store.is_stale(page)]:
        minutes = sum(page.facts.get("seconds", 0) for page in stale) / 60
        pages = f"Page{'s' * (len(stale) > 1)} {in_words([page.number for page in stale])}"
        again = f"`make pages` runs them, {minutes:.0f} minutes of one core"
        yield f"{pages}: other code or data than their outputs were made by ({again})"


def letters() -> Iterator[str]:
    """A page that the table of letters names has the letter, in a formula or in code."""
    pages = {page.number: page for page in notebooks()}
    for j, line in enumerate(read("chapters/notation.md").split("\n"), 1):
        row = line.split("|") if line.startswith("| $") else ["", "", ""]
        names = [re.escape(name.replace("\\", "")) for name in re.findall(r"\$([^$]+)\$", row[1])]
        sought = re.compile(rf"(?<![A-Za-z])({'|'.join(names)})(?![A-Za-z])")
        for phrase in re.findall(r"\(pages? ([\d, toand]+)\)", row[2]):
            for number in numbers_in(phrase):
                sources = [cell.source for cell in pages[number].code]
                for cell in pages[number].texts:
                    sources += re.findall(r"\$+[^$]+\$+", cell.source.replace("\\", " "))
                if not sought.search("\n".join(sources)):
                    yield f"chapters/notation.md:{j}: page {number} has no {row[1].strip()}"


def masks() -> Iterator[str]:
    """Each translation in the table of masks is code that a test runs, word for word."""
    code, page = read("tests/test_masks.py"), "chapters/masks.md"
    above, table = read(page).split("| from our `mask` |\n")
    for j, line in enumerate(table.split("\n\n")[0].splitlines(), above.count("\n") + 2):
        for translation in re.findall(r"`([^`]+)`", line.split(" | ")[-1]):
            if translation not in code:
                yield f"{page}:{j}: {translation!r} is not in the code of tests/test_masks.py"


def lock() -> Iterator[str]:
    """The lock has each direct dependency, at the version that requirements.txt pins."""
    locked = read("requirements.lock")
    for j, line in enumerate(read("requirements.txt").split("\n"), 1):
        pin = re.match(r"([\w.-]+)==(\S+)|([\w.-]+)[<>]", line)
        requirement = pin and (f"{pin[1]}=={pin[2]}" if pin[1] else f"{pin[3]}==")
        if requirement and not re.search(rf"(?m)^{re.escape(requirement)}", locked):
            yield f"requirements.txt:{j}: {requirement} isn't in requirements.lock; run `make lock`"


def settings() -> Iterator[str]:
    """Each file of YAML can be read. Of a workflow that can't, the tools say nothing."""
    for path in tracked_files():
        if path.suffix in (".yml", ".yaml", ".cff"):
            try:
                yaml.safe_load(path.read_text(encoding="utf-8"))
            except yaml.MarkedYAMLError as error:
                line = error.problem_mark.line + 1 if error.problem_mark else 1
                yield f"{path.relative_to(ROOT).as_posix()}:{line}: {error.problem}"


def versions() -> Iterator[str]:
    """Every file that says the version says that of the changelog, whose newest is the first there."""
    newest = first(r"(?m)^## ([\d.]+),", read("CHANGELOG.md"))
    for name, pattern in VERSIONS.items():
        if (version := first(pattern, read(name))) != newest:
            yield f"{name}: the version is {version}; wanted {newest}, the newest in CHANGELOG.md"


VERSIONS = {
    "pyproject.toml": r'(?m)^version = "(.*)"',
    "clinic/pyproject.toml": r'(?m)^version = "(.*)"',
    "CITATION.cff": r"(?m)^version: (.*)",
    ".zenodo.json": r'(?m)^ *"version": "(.*)"',
}
# Not where Python or the course lies right below the root, whose names stand in other paths, too.
HERE = (
    "|".join(
        rf"(?<![\w./-]){re.escape(path)}"
        for path in {str(ROOT), sys.prefix}
        if path.count("/") > 1 and not path.startswith("/usr")
    )
    or r"(?!)"
)
SOMEWHERE = (
    r"(?<![\w.:$}])/(?:home|root|work|Users|mnt)/\w+|\b[A-Z]:\\+Users\\|file:///(?:opt|usr|srv|var)"
    r"|//[\w.-]*(?:pypi|pythonhosted|conda|npm|registry|artifactory|nexus|devpi|mirror)[\w.-]*"
    r"|(?:index-url|find-links|trusted-host)[ =]+(?!\"?\$|https://download\.pytorch\.org/)\S+"
)


def machines() -> Iterator[str]:
    """No file holds a path of somebody's machine or a registry's host; tests show what is wrong."""
    for path in tracked_files():
        name = path.relative_to(ROOT).as_posix()
        sought = HERE if "tests/" in name else f"{HERE}|{SOMEWHERE}"
        text = read(name)
        for match in re.finditer(sought, text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: {match[0]!r} is of one machine"


def tools() -> Iterator[str]:
    """What other people's tools find: faults, style, types, spelling, safety of the workflows.

    `.pre-commit-config.yaml` has them, and calls them by their names.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = os.environ | {"PATH": path, "VIRTUAL_ENV": sys.prefix, "SKIP": "course"}
    command = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color=never"]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", errors="replace")
    frame = r"$|- (hook id|exit code): |.*\.{3}(Passed|Failed|.*Skipped)$|Found \d+ diagnostic"
    written = r"[\w./-]+$|.*(?: unformatted: | \[\*\] )"  # oxfmt names a file alone
    lines = [line.removeprefix("./") for line in run.stdout.splitlines() if not re.match(frame, line)]
    lines = [f"{line} (`make format` mends it)" if re.match(written, line) else line for line in lines]
    yield from lines or [run.stderr] * bool(run.returncode)


# Each yields problems, which begin with file and line.
CHECKS: dict[str, Callable[[], Iterable[str]]] = {
    "pages": pages,
    "map": map_of_pages.problems,
    "drawings": drawings.problems,  # have the one style
    "scripts": scripts.problems,  # of live figures fit on one page
    "tables": tables,
    "exported": export.problems,  # what the pages keep is what `taught` has of it
    "runs": runs,
    "letters": letters,
    "masks": masks,
    "lock": lock,
    "settings": settings,
    "versions": versions,
    "machines": machines,
    "tools": tools,
}
