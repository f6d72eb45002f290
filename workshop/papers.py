"""What the papers say is true: README, Makefile, CITATION.cff, requirements, workflows.

A check takes a function that reads a file of the course, and yields problems, each with its file.
"""

import json
import re
import sys
import tomllib

from workshop.page import ROOT, tracked_files

CHECKS = ".github/workflows/checks.yml"


def read(name):
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def commands(read):
    """The lines of the README's ```bash blocks, without comments."""
    blocks = re.findall(r"```bash\n(.*?)```", read("README.md"), re.DOTALL)
    return [re.split(r"\s+#", line)[0] for block in blocks for line in block.splitlines()]


def make_targets(read):
    targets = re.findall(r"(?m)^([a-z]+):[^=\n]*## ", read("Makefile"))
    for name in ("README.md", "CONTRIBUTING.md", "index.md"):
        code = "\n".join(re.findall(r"(?s)```.*?```|`[^`\n]+`", read(name)))
        for target in {*re.findall(r"(?<![\w-])make ([a-z]+)\b", code)} - {*targets}:
            yield f"{name}: make {target}; wanted one of {targets}"


def plain_commands(read):
    """Those without make are told what make runs; a variable of make is any one word."""
    made = re.sub(r"\$\(BIN\)/|BUILD := | \$\(if .*", "", read("Makefile"))
    made = [re.escape(each.strip()) for each in re.split(r"\n|;| \|\| ", made)]
    made = [re.sub(r'\\\$\\\(\w+\\\)|"\\\$\\\$\w+"', r'(?:"[^"]+"|\\S+)', each) for each in made]
    for told in commands(read):
        ours = re.match(r"jupyter-|pytest|python -m (?!venv)", told)
        if ours and not any(re.fullmatch(each, told) for each in made):
            yield f"README.md: {told!r} is not what the Makefile runs"


def same_words(read):
    """Title, version, address, test command, and the versions of Python and torch, everywhere."""
    project = tomllib.loads(read("pyproject.toml"))["project"]
    title = re.search(r'(?m)^title: "(.*)"', read("_config.yml"))[1]
    address = re.search(r"(?m)^  url: (.*)", read("_config.yml"))[1]
    low, high = map(int, re.findall(r"3\.(\d+)", project["requires-python"]))
    *most, last = pythons = [f"3.{minor}" for minor in range(low, high)]
    pin = re.search(r"(?m)^torch==([\d.]+)", read("requirements.txt"))[1]
    oldest = re.search(r"torch>=([\d.]+)", " ".join(project["dependencies"]))[1] + ".0"
    for name, words in (
        ("README.md", f"# {title}\n"),
        ("pyproject.toml", f'description = "{title}. '),
        ("CITATION.cff", f'title: "{title}"\n'),
        ("CITATION.cff", f"\nversion: {project['version']}\n"),
        ("CITATION.cff", f'repository-code: "{address}"\n'),
        ("README.md", "\nmake test\n"),
        (".ci/run", "\nexec make test </dev/null\n"),
        (CHECKS, "run: .ci/run\n"),
        (CHECKS, f"python: {json.dumps(pythons)}"),
        (CHECKS, f"torch: {json.dumps([oldest, pin])}"),
        ("README.md", f"torch=={pin} "),
        ("README.md", f"Python {', '.join(most)} or {last}"),
    ):
        if words not in read(name):
            yield f"{name}: wanted {words!r}"


def table_of_masks(read):
    """Each translation in the table of masks is code that page 3 runs, word for word."""
    page = json.loads(read("chapters/03_masked_softmax.ipynb"))
    code = "\n".join("".join(c["source"]) for c in page["cells"] if c["cell_type"] == "code")
    table = read("chapters/notation.md").split("| from our `mask` |\n")[1].split("\n\n")[0]
    for line in table.splitlines()[1:]:
        for translation in re.findall(r"`([^`]+)`", line.split(" | ")[-1]):
            if translation not in code:
                yield f"chapters/notation.md: {translation!r} is not in the code of page 3"


HERE = "|".join(re.escape(path) for path in {str(ROOT), sys.prefix} - {"/usr"})
SOMEWHERE = (
    r"(?<![\w.:$}])/(?:home|root|work|Users|mnt)/\w+|\b[A-Z]:\\+Users\\|file:///(?:opt|usr|srv|var)"
    r"|//[\w.-]*(?:pypi|pythonhosted|conda|npm|registry|artifactory|nexus|devpi|mirror)[\w.-]*"
    r"|(?:index-url|find-links|trusted-host)[ =]+(?!\"?\$|https://download\.pytorch\.org/)\S+"
)


def no_machine(read):
    """No file holds a path of somebody's machine or a registry's host; tests show what is wrong."""
    for path in tracked_files():
        name = path.relative_to(ROOT).as_posix()
        sought = HERE if "tests/" in name else f"{HERE}|{SOMEWHERE}"
        yield from (f"{name}: {found}" for found in re.findall(sought, read(name)))


PAPERS = (make_targets, plain_commands, same_words, table_of_masks, no_machine)


def problems():
    for check in PAPERS:
        yield from (re.sub(r"^(\S+): ", r"\1:1: ", problem) for problem in check(read))
