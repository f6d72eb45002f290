"""What the papers say is true: README, CONTRIBUTING, CITATION.cff, requirements, workflows.

A check takes the root of a course and yields problems, each with file and line. Every check holds
for this course, and fails on a copy of it in which one thing was made wrong.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests import pages, rules

TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def read(root, name):
    return (root / name).read_text(encoding="utf-8")


def lines(root, name):
    return list(enumerate(read(root, name).split("\n"), 1))


def workflows(root):
    return sorted(path.relative_to(root).as_posix() for path in root.glob(".github/workflows/*"))


def load(root, name):
    return yaml.load(read(root, name), Loader=yaml.BaseLoader)  # `on:` stays "on", 3.10 a string


def shell_lines(root, name):
    """(line, command) of each command in a ```bash block of an .md file, comments removed."""
    inside = False
    for number, line in lines(root, name):
        if line.startswith("```"):
            inside = line == "```bash"
        elif inside:
            yield number, line.partition("#")[0].strip()


@check
def make_targets(root):
    """README and Makefile have the same targets, and each says there what it does."""
    makefile = read(root, "Makefile")
    targets = set(re.findall(r"(?m)^([a-z]+):[^=\n]*## ", makefile)) - {"help"}
    told = {}
    for number, line in lines(root, "README.md"):
        code = " ".join(re.findall(r"`([^`]+)`", line)) if "`" in line else line
        for target in re.findall(r"(?<!\w)make ([a-z]+)\b", code if "`" in line else ""):
            told.setdefault(target, number)
    for number, command in shell_lines(root, "README.md"):
        for target in re.findall(r"(?<!\w)make ([a-z]+)\b", command):
            told.setdefault(target, number)
    for target in sorted(set(told) - targets):
        yield f"README.md:{told[target]}: make {target}; wanted one of {sorted(targets)}"
    for target in sorted(targets - set(told)):
        yield f"README.md:1: does not say what `make {target}` does; wanted it in the table"


@check
def plain_commands(root):
    """The README's lines for those without make are what the Makefile runs."""
    makefile = read(root, "Makefile")
    fork = "https://github.com/you/fork"
    for old, new in (("$(BIN)/", ""), ("$(PORT)", "8000"), ('"$$URL"', fork)):
        makefile = makefile.replace(old, new)
    programs = ("jupyter-book ", "pytest", "jupyter-lab ", "python -m ")
    found = [(number, command) for number, command in shell_lines(root, "README.md")
             if command.startswith(programs)]
    for number, command in found:
        if not re.search(rf"(?m)(?<![\w-]){re.escape(command)}(?![\w-])", makefile):
            yield f"README.md:{number}: {command!r} is not what the Makefile runs"
    for program in programs:
        if not any(command == program or program[-1] == " " and command.startswith(program)
                   for _, command in found):
            yield f"README.md:1: no plain line for {program.strip()}; wanted one beside make"


@check
def ci_runs_the_readme(root):
    """`.ci/run` can be run, and runs the README's test command."""
    name = ".ci/run"
    told = [command for _, command in shell_lines(root, "README.md") if command == "make test"]
    last, text = [(n, line) for n, line in lines(root, name) if line.strip()][-1]
    if not told:
        yield "README.md:1: no line `make test`; wanted the test command in a ```bash block"
    if not re.fullmatch(r"exec make test </dev/null", text):
        yield f"{name}:{last}: ends with {text!r}; wanted the README's test command, make test"
    if not os.access(root / name, os.X_OK):
        yield f"{name}:1: is not executable"
    if "set -euo pipefail" not in read(root, name).split("\n"):
        yield f"{name}:1: wanted set -euo pipefail"
    if not any(".ci/run" in line for _, line in lines(root, ".github/workflows/checks.yml")):
        yield f".github/workflows/checks.yml:1: does not call {name}"


@check
def pinned_requirements(root):
    """Each direct dependency has one version; that of Jupyter Book is a range below 2."""
    for number, line in lines(root, "requirements.txt"):
        line = line.partition("#")[0].strip()
        if line and line != "-e ." and not re.fullmatch(
            r"[A-Za-z0-9._-]+==[0-9][\w.]*|jupyter-book>=1\.0\.4\.post1,<2", line
        ):
            yield f"requirements.txt:{number}: {line!r}; wanted name==version"


@check
def versions(root):
    """One range of Python and of torch, wherever a version stands."""
    project = tomllib.loads(read(root, "pyproject.toml"))["project"]
    low, high = map(int, re.fullmatch(r">=3\.(\d+),<3\.(\d+)", project["requires-python"]).groups())
    pythons = [f"3.{minor}" for minor in range(low, high)]
    pin = re.search(r"(?m)^torch==([\d.]+)", read(root, "requirements.txt"))[1]
    oldest = next(re.fullmatch(r"torch>=([\d.]+)", name)[1] + ".0"
                  for name in project["dependencies"] if name.startswith("torch"))
    name = ".github/workflows/checks.yml"
    jobs = load(root, name)["jobs"]
    found = jobs["test"]["strategy"]["matrix"]["python"]
    if found != pythons:
        yield f"{name}:1: tests on Python {found}; wanted {pythons} of pyproject.toml"
    found = jobs["pages"]["strategy"]["matrix"]["torch"]
    if found != [oldest, pin]:
        yield f"{name}:1: runs the pages with torch {found}; wanted {[oldest, pin]}"
    sentence = f"{', '.join(pythons[:-1])} or {pythons[-1]}"
    for name in ("README.md", "Makefile"):
        if f"Python {sentence}" not in read(root, name):
            yield f"{name}:1: wanted the words 'Python {sentence}'"
    if f"(3, {low}) <= sys.version_info[:2] <= (3, {high - 1})" not in read(root, "Makefile"):
        yield f"Makefile:1: wanted to take Python {pythons}, as pyproject.toml says"
    for name in ("README.md", *workflows(root)):
        for number, line in lines(root, name):
            for version in re.findall(r"torch==([\d.]+)", line):
                if version != pin:
                    yield f"{name}:{number}: torch=={version}; wanted {pin} of requirements.txt"


@check
def pinned_actions(root):
    """An action is named by a full commit, its version beside it; checkout keeps no credentials."""
    for name in workflows(root):
        for number, line in lines(root, name):
            if match := re.search(r"\buses:\s*(.*)", line):
                if not re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d[\d.]*", match[1]):
                    yield f"{name}:{number}: {match[1]!r}; wanted owner/name@<40 hex digits> # v1"
        for job, body in load(root, name)["jobs"].items():
            for step in body["steps"]:
                if step.get("uses", "").startswith("actions/checkout@"):
                    if step.get("with", {}).get("persist-credentials") != "false":
                        yield f"{name}:1: {job}: wanted persist-credentials: false at its checkout"


# A job that may do more than read the repository is named here, with what it may do.
MAY_WRITE = {(".github/workflows/book.yml", "publish"): {"pages": "write", "id-token": "write"}}


@check
def least_permissions(root):
    """No workflow may do anything, each job what it needs, for a limited time."""
    for name in workflows(root):
        workflow = load(root, name)
        if workflow.get("permissions") != {}:
            yield f"{name}:1: permissions: {workflow.get('permissions')}; wanted {{}} at the top"
        if "concurrency" not in workflow:
            yield f"{name}:1: wanted concurrency"
        if "pull_request_target" in workflow["on"]:
            yield f"{name}:1: pull_request_target gives strangers our rights; wanted pull_request"
        for job, body in workflow["jobs"].items():
            wanted = MAY_WRITE.get((name, job), {"contents": "read"})
            if body.get("permissions") != wanted:
                yield f"{name}:1: {job}: permissions: {body.get('permissions')}; wanted {wanted}"
            if "timeout-minutes" not in body:
                yield f"{name}:1: {job}: wanted timeout-minutes"


@check
def table_of_pages(root):
    """The README's table of pages is _toc.yml: the same pages in the same order, by title."""
    contents = [chapter["file"] for part in load(root, "_toc.yml")["parts"]
                for chapter in part["chapters"]]
    row = re.compile(r"\| \[(.+?)\]\((chapters/[^)]+)\) \| .+ \| (?:\[Colab\]\((.+)\) )?\|")
    rows = [(number, *match.groups()) for number, line in lines(root, "README.md")
            if (match := row.fullmatch(line))]
    found = [name.rpartition(".")[0] for _, _, name, _ in rows]
    if found != contents:
        yield f"README.md:{rows[0][0] if rows else 1}: the table has {found}; wanted {contents}"
        return
    for number, title, name, link in rows:
        if not (root / name).is_file():
            yield f"README.md:{number}: {name} does not exist"
            continue
        page = pages.Page(root / name)
        wanted = next(text for _, _, level, text in page.headings() if level == 1)
        if title != wanted:
            yield f"README.md:{number}: {name} is called {title!r}; wanted {wanted!r}"
        wanted = pages.colab_link(page) if page.is_notebook else None
        if link != wanted:
            yield f"README.md:{number}: {name} has the link {link}; wanted {wanted}"


@check
def house_rules(root):
    """CONTRIBUTING numbers the rules, shows each kept and broken, and names its test."""
    name, named = "CONTRIBUTING.md", set()
    existing = {path.name: path.read_text(encoding="utf-8") for path in root.glob("tests/*.py")}
    above, _, text = read(root, name).partition("## House rules\n")
    found = re.split(r"(?m)^(\d+)\. ", text)
    line = above.count("\n") + found[0].count("\n") + 2
    for k, (number, text) in enumerate(zip(found[1::2], found[2::2]), 1):
        place = f"{name}:{line}: rule {number}"
        line += text.count("\n")
        text = text.partition("\n#")[0]
        if int(number) != k:
            yield f"{place}; wanted number {k}"
        for label in ("Good", "Bad", "Held by"):
            if not re.search(rf"(?m)^ +- {label}: \S", text):
                yield f"{place}; wanted a line '- {label}: ...'"
        for held_by in re.findall(r"Held by: (.*(?:\n    .*)*)", text):
            for test in re.findall(r"`([^`]+)`", held_by):
                file, _, function = test.partition("::")
                if test in rules.RULES | rules.TEXT_RULES:
                    named.add(test)
                elif test not in existing and f"\ndef {function}(" not in existing.get(file, ""):
                    yield f"{place}: held by {test!r}; wanted a rule or a test that exists"
    for missing in sorted((rules.RULES | rules.TEXT_RULES).keys() - named):
        yield f"{name}:1: does not name the rule {missing!r} of tests/rules.py"


@check
def citation(root):
    """Version, title and address are the same wherever they stand."""
    project = tomllib.loads(read(root, "pyproject.toml"))["project"]
    cited, config = load(root, "CITATION.cff"), load(root, "_config.yml")
    if cited["cff-version"] != "1.2.0":
        yield "CITATION.cff:1: wanted cff-version: 1.2.0"
    if cited["version"] != project["version"]:
        yield f"CITATION.cff:1: version {cited['version']}; pyproject.toml has {project['version']}"
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", cited["date-released"]):
        yield f"CITATION.cff:1: date-released {cited['date-released']}; wanted year-month-day"
    title = config["title"]
    if cited["title"] != title:
        yield f"CITATION.cff:1: title {cited['title']!r}; _config.yml has {title!r}"
    if not project["description"].startswith(f"{title}. "):
        yield f"pyproject.toml:1: description {project['description']!r}; wanted {title!r} first"
    if read(root, "README.md").split("\n")[0] != f"# {title}":
        yield f"README.md:1: wanted the title {title!r}"
    if cited["repository-code"] != pages.address(root):
        yield f"CITATION.cff:1: repository-code {cited['repository-code']}; wanted the address"


@check
def table_of_masks(root):
    """Each translation in the table of masks is code that page 3 runs, word for word."""
    name = "chapters/notation.md"
    page = next(page for page in pages.notebooks(root) if page.number == 3)
    code = "\n".join(cell.source for cell in page.code)
    table = [(number, line) for number, line in lines(root, name) if line.startswith("| ")]
    head = next(i for i, (_, line) in enumerate(table) if line.endswith("| from our `mask` |"))
    for number, line in table[head + 1:]:
        for translation in re.findall(r"`([^`]+)`", line.split(" | ")[-1]):
            if translation not in code:
                yield f"{name}:{number}: {translation!r} is not in the code of {page.name}"


# Where the tests show what is wrong, such strings must stand; there only this machine's are sought.
SOMEBODYS = re.compile(r"(?<![\w.:$}])/(?:home|root|work|Users|mnt)/\w+|\b[A-Z]:\\+Users\\")
REGISTRY = re.compile(
    r"//[\w.-]*(?:pypi|pythonhosted|conda|npm|registry|artifactory|nexus|devpi|mirror)[\w.-]*"
    r"|(?:index-url|find-links|trusted-host)[ =]+(?!\"?\$)(?!" + re.escape(TORCH_INDEX) + r"\b)\S+"
    r"|file:///(?:opt|usr|srv|var)\b\S*"
)


@check
def no_machine(root):
    """No file holds a path of somebody's machine or the host of a package registry."""
    here = {str(root), str(pages.ROOT), sys.prefix, str(Path.home())} - {"/", "/usr", "/root"}
    for path in pages.course_files(root):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8", errors="replace")
        sought = list(map(re.escape, here))
        if not name.startswith("tests/"):
            sought += [SOMEBODYS.pattern, REGISTRY.pattern]
        for match in re.finditer("|".join(sought), text):
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]!r}"


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_papers(check):
    problems = list(check(pages.ROOT))
    assert not problems, "\n" + "\n".join(problems)


@pytest.fixture
def copy(tmp_path):
    """A copy of the course in a repository of its own, to be broken."""
    for path in pages.course_files():
        target = tmp_path / path.relative_to(pages.ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    return tmp_path


# (check, file, a pattern in it, what to write instead, what the report says)
BROKEN = [
    (make_targets, "README.md", r"`make lab`", "`make labs`", "make labs"),
    (make_targets, "README.md", r"\| `make serve`.*\n", "", "`make serve`"),
    (make_targets, "Makefile", r"(?m)^clean: ##", "tidy: ##", "make clean"),
    (plain_commands, "README.md", r"build \. --all -W -n", "build . --all -n", "is not what"),
    (plain_commands, "Makefile", r"tests\.pages execute", "tests.pages run", "tests.pages execute"),
    (plain_commands, "README.md", r"(?m)^pytest .*\n", "", "no plain line for pytest"),
    (ci_runs_the_readme, ".ci/run", r"exec make test", "exec make book", "make book"),
    (ci_runs_the_readme, ".ci/run", r"set -euo pipefail", "set -eu", "pipefail"),
    (ci_runs_the_readme, "README.md", r"(?m)^make test$", "make check", "no line `make test`"),
    (pinned_requirements, "requirements.txt", r"nbval==[\d.]+", "nbval", "'nbval'"),
    (pinned_requirements, "requirements.txt", r",<2", "", "jupyter-book"),
    (versions, "requirements.txt", r"torch==\d+", "torch==9", "torch==2"),
    (versions, "README.md", r"torch==[\d.]+", "torch==2.6.0", "torch==2.6.0"),
    (versions, "pyproject.toml", r"torch>=2\.6", "torch>=2.7", "2.7.0"),
    (versions, "pyproject.toml", r"<3\.14", "<3.15", "3.14"),
    (versions, "Makefile", r"<= \(3, 13\)", "<= (3, 14)", "Makefile"),
    (versions, ".github/workflows/checks.yml", r', "3\.13"\]', "]", "3.13"),
    (pinned_actions, ".github/workflows/book.yml", r"@[0-9a-f]{40} # v", "@v", "actions/"),
    (pinned_actions, ".github/workflows/checks.yml", r"(@[0-9a-f]{39})[0-9a-f]", r"\1", "40 hex"),
    (pinned_actions, ".github/workflows/weekly.yml", r"persist-credentials: false",
     "persist-credentials: true", "persist-credentials"),
    (least_permissions, ".github/workflows/checks.yml", r"permissions: \{\}",
     "permissions: read-all", "read-all"),
    (least_permissions, ".github/workflows/book.yml", r"contents: read", "contents: write",
     "wanted {'contents': 'read'}"),
    (least_permissions, ".github/workflows/weekly.yml",
     r"    permissions:\n      contents: read\n", "", "None"),
    (least_permissions, ".github/workflows/checks.yml", r"  pull_request:",
     "  pull_request_target:", "pull_request_target"),
    (table_of_pages, "README.md", r"\| \[2\. .*\n", "", "02_nadaraya_watson"),
    (table_of_pages, "README.md", r"\[1\. Queries", "[1. Query", "1. Query"),
    (table_of_pages, "README.md", r"blob/main/chapters/01", "blob/main/01", "has the link"),
    (table_of_pages, "_toc.yml", r"chapters/glossary", "chapters/words", "chapters/words"),
    (house_rules, "CONTRIBUTING.md", r"`start_cell`", "`first_cell`", "first_cell"),
    (house_rules, "CONTRIBUTING.md", r"(?m)^9\. ", "8. ", "wanted number 9"),
    (house_rules, "CONTRIBUTING.md", r"(?m)^ +- Bad: .*\n", "", "'- Bad: ...'"),
    (house_rules, "CONTRIBUTING.md", r"(`test_\w+\.py)::\w+`", r"\1::test_none`", "test_none"),
    (table_of_masks, "chapters/notation.md", r"`~mask\[:, 0, 0, :\]`", "`~mask[:, 0]`",
     "'~mask[:, 0]' is not"),
    (citation, "CITATION.cff", r"version: 0", "version: 7", "pyproject.toml has"),
    (citation, "CITATION.cff", r'title: "Attention', 'title: "Attending', "_config.yml has"),
    (citation, "CITATION.cff", r"repository-code: .*", "repository-code: a", "the address"),
    (no_machine, "README.md", r"\Z", "See /home/ann/course.", "README.md"),
    (no_machine, "requirements.txt", r"\A", "--extra-index-url https://a.example\n", "url"),
    (no_machine, "Makefile", r"\Z", "# https://pypi.example.org/simple\n", "pypi.example"),
    (no_machine, "tests/pages.py", r"\Z", f"# {pages.ROOT}\n", "tests/pages.py"),
]


@pytest.mark.parametrize(
    "check, name, old, new, told", BROKEN, ids=[f"{b[0].__name__}-{b[4]}" for b in BROKEN]
)
def test_papers_fails(copy, check, name, old, new, told):
    before = read(copy, name)
    after = re.sub(old, new, before, count=1)
    assert after != before, f"the test is stale: {old!r} is not in {name}"
    told_before = [problem for problem in check(copy) if told in problem]
    (copy / name).write_text(after, encoding="utf-8")
    problems = list(check(copy))
    assert any(told in problem for problem in problems) and not told_before, problems


def test_every_check_is_shown_to_fail():
    assert {broken[0] for broken in BROKEN} == set(CHECKS)
