"""The start cell, run as on Colab: an empty folder, no course installed, git at hand."""

import ast
import sys

import pytest

from workshop.page import notebooks
from workshop.start import address, start_cell, version

START = start_cell()
WHERE = f"{START}\nimport utils\nprint(utils.__path__[0])"
# Another project's module may have the name already, and the cell may run again.
TAKEN = f"import utils\n{WHERE}\nours = utils\n{START}\nimport utils\nassert utils is ours"


def imports(*trees):
    nodes = (node for tree in trees for node in ast.walk(tree))
    return {ast.unparse(node) for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))}


def test_template_is_short_and_of_the_standard_library():
    assert sum(bool(line) for line in START.split("\n")) <= 24
    modules = {line.split()[1] for line in imports(ast.parse(START))}
    assert modules and modules <= sys.stdlib_module_names


def test_clones_once_and_all_imports_of_the_pages_work_after_it(colab, tmp_path):
    # The bare Python does not see the installed course; else these tests would prove nothing.
    bare = colab.python(tmp_path, "-c", "import numpy, utils")
    assert "No module named 'utils'" in bare.stderr
    statements = imports(*(cell.tree for page in notebooks() for cell in page.code))
    lines = sorted(line for line in statements if "triton" not in line)  # its page does without it
    code = [START, START, "assert sys.path.count(course) == 1", *lines]
    result = colab.python(tmp_path, "-c", "\n".join(code))
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    result = colab.python(tmp_path, "-c", WHERE, reachable=False)  # nor does a new kernel clone
    assert (result.stdout.strip(), result.stderr) == (str(tmp_path / colab.name / "utils"), "")
    assert [path.name for path in tmp_path.iterdir()] == [colab.name]
    assert (tmp_path / colab.name / "chapters").is_dir()


@pytest.mark.parametrize("folder", ["chapters", "chapters/mine/deeper", "."])
def test_finds_the_course_above_without_cloning(colab, folder):
    here = colab.repository / folder
    here.mkdir(exist_ok=True, parents=True)
    other = here / "utils.py"
    other.touch()
    before = set(here.iterdir())
    result = colab.python(here, "-c", TAKEN, reachable=False)
    assert (result.stdout.strip(), result.stderr) == (str(colab.repository / "utils"), "")
    assert set(here.iterdir()) == before
    other.unlink()


def test_vs_code_may_start_the_kernel_elsewhere(colab, tmp_path):
    page = colab.repository / "chapters" / "01_page.ipynb"
    code = f"__vsc_ipynb_file__ = {str(page)!r}\n{WHERE}"
    result = colab.python(tmp_path, "-c", code, reachable=False)
    assert (result.stdout.strip(), result.stderr) == (str(colab.repository / "utils"), "")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("why", ["no network", "no git", "half a clone"])
def test_what_cannot_be_fetched_says_what_to_do(why, colab, tmp_path):
    if why == "half a clone":
        (tmp_path / colab.name / "chapters").mkdir(parents=True)
    path = {"PATH": str(tmp_path)} if why == "no git" else {}
    code = f"{START}\nprint('went on')"
    options = dict(reachable=why != "no network", environment=path)
    result = colab.python(tmp_path, "-c", code, **options)
    assert result.returncode != 0 and result.stdout == ""
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith(f"RuntimeError: {address()} can't be fetched into {tmp_path / colab.name}")
    there = f"{address()}/archive/{version()}.zip unpacked there"
    assert last.endswith(f"wanted git, a network and no such folder, or {there}")
    assert "CalledProcessError" not in result.stderr
